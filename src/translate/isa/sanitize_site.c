#include "translate/isa/sanitize_site.h"

#include "translate/isa/isa.h"

#include <string.h>

uint8_t wl_sanitize_cache_bits(const struct wl_inst *inst) {
    return (uint8_t)((inst->glc ? WL_SANITIZE_GLC : 0) | (inst->slc ? WL_SANITIZE_SLC : 0) | (inst->dlc ? WL_SANITIZE_DLC : 0) |
                     (inst->sc0 ? WL_SANITIZE_SC0 : 0) | (inst->sc1 ? WL_SANITIZE_SC1 : 0) | (inst->nt ? WL_SANITIZE_NT : 0));
}

static enum wl_sanitize_space space_of(const struct wl_inst *inst) {
    switch (inst->isa->space) {
    case WL_SPACE_LDS:
        return WL_SANITIZE_LDS;
    case WL_SPACE_SCRATCH:
        return WL_SANITIZE_SCRATCH;
    case WL_SPACE_FLAT:
        return WL_SANITIZE_FLAT;
    default:
        return WL_SANITIZE_GLOBAL;
    }
}

static enum wl_sanitize_kind kind_of(const struct wl_inst *inst) {
    switch (inst->isa->class) {
    case WL_ISA_ATOMIC:
    case WL_ISA_SMEM_ATOMIC:
        return WL_SANITIZE_ATOMIC;
    case WL_ISA_STORE:
    case WL_ISA_SMEM_STORE:
        return WL_SANITIZE_STORE;
    default:
        return WL_SANITIZE_LOAD;
    }
}

void wl_sanitize_site_fill(struct wl_sanitize_site *site, const struct wl_inst *inst, unsigned generation, uint32_t bytes) {
    memset(site, 0, sizeof *site);
    site->address = inst->address;
    site->bytes = bytes;
    site->kind = (uint8_t)kind_of(inst);
    site->space = (uint8_t)space_of(inst);
    site->atomic = inst->isa->atomic;
    site->cache = wl_sanitize_cache_bits(inst);
    site->generation = (uint8_t)generation;
    site->returns = inst->returns;
    site->polls = inst->looks_again || inst->looks_first ? WL_SANITIZE_POLLS : inst->may_look ? WL_SANITIZE_MAY_POLL : 0;
    site->scalar = wl_inst_is_scalar(inst);
}
