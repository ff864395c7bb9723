/* What steps tell sanitizers, in units that were asked for with them (machine/sanitize.h). */
#include "translate/steps/steps.h"

#include "machine/helpers.h"
#include "machine/sanitize.h"

/* The modifiers for caches. */
static uint8_t cache_bits(const struct wl_inst *inst) {
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

struct wl_sanitize_site *wl_steps_site(struct wl_steps_builder *b, const struct wl_inst *inst, uint32_t bytes) {
    if (!b->request->sanitize)
        return NULL;
    struct wl_sanitize_site *site = wl_steps_allocate(b, sizeof *site);
    if (site)
        *site = (struct wl_sanitize_site){.address = inst->address,
                                          .bytes = bytes,
                                          .kind = (uint8_t)kind_of(inst),
                                          .space = (uint8_t)space_of(inst),
                                          .atomic = inst->isa->atomic,
                                          .cache = cache_bits(inst),
                                          .generation = (uint8_t)b->generation,
                                          .returns = inst->returns,
                                          .polls = inst->looks_again || inst->looks_first,
                                          .scalar = wl_inst_is_scalar(inst)};
    return site;
}

/* ---- waits and caches ------------------------------------------------------------------------ */

static const struct wl_step *run_sanitize_fence(struct wl_machine *m, const struct wl_step *step) {
    m->wave->helpers->sanitize_fence(m->wave, step->data);
    return step + 1;
}

static bool begins(const struct wl_inst *inst, const char *text) { return strncmp(inst->mnemonic, text, strlen(text)) == 0; }

static int fence_kind(const struct wl_inst *inst) {
    const uint32_t caches = wl_isa_caches(inst);
    if (begins(inst, "s_wait") && !begins(inst, "s_wait_idle"))
        return WL_SANITIZE_WAIT;
    if (begins(inst, "s_barrier_signal"))
        return WL_SANITIZE_SIGNAL;
    if (caches & WL_CACHE_WRITES)
        return WL_SANITIZE_WRITE_BACK;
    return caches ? WL_SANITIZE_INVALIDATE : -1;
}

void wl_steps_add_sanitize_fence(struct wl_steps_builder *b, const struct wl_inst *inst) {
    const int kind = inst->isa ? fence_kind(inst) : -1;
    if (kind < 0)
        return;
    struct wl_sanitize_fence *fence = wl_steps_allocate(b, sizeof *fence + sizeof inst->mnemonic);
    if (!fence)
        return;
    char *name = (char *)(fence + 1);
    memcpy(name, inst->mnemonic, sizeof inst->mnemonic);
    *fence = (struct wl_sanitize_fence){.address = inst->address,
                                        .mnemonic = name,
                                        .kind = (uint8_t)kind,
                                        .generation = (uint8_t)b->generation,
                                        .cache = cache_bits(inst),
                                        .immediate = inst->operand_count ? (uint32_t)inst->operands[inst->operand_count - 1u].bits : 0};
    wl_steps_add(b, run_sanitize_fence, fence);
}
