#include "translate/isa/sanitize_site.h"

#include "base/text.h"
#include "translate/isa/isa.h"

#include <string.h>

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

/* gfx12 has scopes; gfx940 has them in loads and stores, gfx10 in loads. */
static enum wl_sanitize_scope scope_of(const struct wl_sanitize_site *site) {
    const unsigned cache = site->cache;
    const bool atomic = site->kind == WL_SANITIZE_ATOMIC;
    if (site->space != WL_SANITIZE_GLOBAL && site->space != WL_SANITIZE_FLAT)
        return WL_SANITIZE_ANY_SCOPE;
    if (site->generation >= 12)
        return cache & WL_SANITIZE_SC1             ? WL_SANITIZE_OF_DEVICE
               : atomic || cache & WL_SANITIZE_DLC ? WL_SANITIZE_OF_GROUP
                                                   : WL_SANITIZE_ANY_SCOPE;
    if (site->generation == 9 && !atomic && cache & (WL_SANITIZE_SC0 | WL_SANITIZE_SC1))
        return cache & WL_SANITIZE_SC1 ? WL_SANITIZE_OF_DEVICE : WL_SANITIZE_OF_GROUP;
    if (site->generation == 10 && site->kind == WL_SANITIZE_LOAD && !site->scalar && cache & WL_SANITIZE_GLC)
        return cache & WL_SANITIZE_DLC ? WL_SANITIZE_OF_DEVICE : WL_SANITIZE_OF_GROUP;
    return WL_SANITIZE_ANY_SCOPE;
}

/* ---- what moves ------------------------------------------------------------------------------ */

static void fill_vector(struct wl_transfer *t, const struct wl_inst *inst) {
    const struct wl_isa *isa = inst->isa;
    const struct wl_operand *op = inst->operands;
    const bool atomic = isa->class == WL_ISA_ATOMIC, buffer = isa->space == WL_SPACE_BUFFER || isa->space == WL_SPACE_TBUFFER;
    const bool result = isa->class == WL_ISA_LOAD ? !inst->lds : atomic && inst->returns;
    unsigned at = 0, next = 0;
    t->kind = inst->lds ? WL_TRANSFER_TO_LDS : WL_TRANSFER_VECTOR;
    t->has_result = result;
    t->has_data = isa->class != WL_ISA_LOAD && !inst->lds;
    t->sign = isa->sign;
    t->d16 = isa->d16 && !isa->detail && !inst->zeroes_half;
    t->hi = isa->hi;
    t->typed = isa->detail != 0;
    t->replaces = atomic && isa->atomic == WL_ATOMIC_SWAP;
    t->dwords = isa->dwords;
    if (result)
        t->result[0] = op[at++].reg;
    t->result[1] = (uint16_t)(t->result[0] + isa->dwords);
    if (buffer || isa->by_lane)
        t->data[0] = op[0].reg;
    else if (t->has_data) /* behind the address */
        for (at++; at < inst->operand_count && op[at].kind == WL_OPERAND_VGPR && next < 2; at++)
            t->data[next++] = op[at].reg;
}

static void fill_scalar(struct wl_transfer *t, const struct wl_inst *inst) {
    const struct wl_operand *data = &inst->operands[0];
    t->kind = WL_TRANSFER_SCALAR;
    t->has_result = inst->isa->class == WL_ISA_SMEM_LOAD && data->kind == WL_OPERAND_SGPR;
    t->has_data = inst->isa->class == WL_ISA_SMEM_STORE;
    t->sign = inst->isa->sign;
    t->dwords = (uint8_t)(inst->isa->bits < 32 ? 1 : data->count);
    t->result[0] = t->data[0] = data->reg;
}

static void fill_transfer(struct wl_transfer *t, const struct wl_inst *inst) {
    switch (inst->isa->class) {
    case WL_ISA_LOAD:
    case WL_ISA_STORE:
    case WL_ISA_ATOMIC:
        fill_vector(t, inst);
        break;
    case WL_ISA_SMEM_LOAD:
    case WL_ISA_SMEM_STORE:
    case WL_ISA_SMEM_ATOMIC:
        fill_scalar(t, inst);
        break;
    default: /* what helpers of rare instructions move is not followed: it counts as defined */
        break;
    }
}

void wl_sanitize_site_fill(struct wl_sanitize_site *site, const struct wl_inst *inst, unsigned generation, uint32_t bytes) {
    memset(site, 0, sizeof *site);
    site->address = inst->address;
    site->bytes = bytes;
    site->kind = (uint8_t)kind_of(inst);
    site->space = (uint8_t)space_of(inst);
    site->atomic = inst->isa->atomic;
    site->cache = cache_bits(inst);
    site->generation = (uint8_t)generation;
    site->returns = inst->returns;
    site->polls = inst->looks_again || inst->looks_first ? WL_SANITIZE_POLLS : inst->may_look ? WL_SANITIZE_MAY_POLL : 0;
    site->scalar = wl_inst_is_scalar(inst);
    site->scope = (uint8_t)scope_of(site);
    site->is_volatile = inst->is_volatile;
    site->updates = inst->updates;
    fill_transfer(&site->transfer, inst);
}

/* ---- waits and caches ------------------------------------------------------------------------ */

static bool is(const struct wl_inst *inst, const char *text) { return strcmp(inst->mnemonic, text) == 0; }

/* s_waitcnt. Before gfx10 stores count as loads do. */
static unsigned waited_at_once(uint32_t i, unsigned generation) {
    return (generation == 9 && !wl_waitcnt_vector(i, generation) ? WL_SANITIZE_WAITS_STORES : 0) |
           (wl_waitcnt_local(i, generation) ? 0 : WL_SANITIZE_WAITS_LDS);
}

/* Which counters an instruction waits for to be 0. */
static unsigned waited_for(const struct wl_inst *inst, unsigned generation) {
    const uint32_t i = inst->operand_count ? (uint32_t)inst->operands[inst->operand_count - 1u].bits : 0;
    if (is(inst, "s_waitcnt"))
        return waited_at_once(i, generation);
    if (is(inst, "s_wait_loadcnt_dscnt"))
        return i & 63 ? 0 : WL_SANITIZE_WAITS_LDS;
    if (is(inst, "s_wait_storecnt_dscnt"))
        return (i >> 8 & 63 ? 0 : WL_SANITIZE_WAITS_STORES) | (i & 63 ? 0 : WL_SANITIZE_WAITS_LDS);
    if (i == 0 && (is(inst, "s_waitcnt_vscnt") || is(inst, "s_wait_storecnt")))
        return WL_SANITIZE_WAITS_STORES;
    return i == 0 && (is(inst, "s_waitcnt_lgkmcnt") || is(inst, "s_wait_dscnt")) ? WL_SANITIZE_WAITS_LDS : 0;
}

/* Whether an invalidation reaches the caches that workgroups do not share. */
static bool reaches_agent(const struct wl_inst *inst, unsigned generation) {
    if (generation >= 12 || is(inst, "buffer_inv")) /* the decoder says so of gfx12's scopes, too */
        return inst->sc1;
    return !is(inst, "buffer_gl0_inv"); /* buffer_wbinvl1, buffer_wbinvl1_vol, buffer_invl2, buffer_gl1_inv */
}

static int fence_kind(const struct wl_inst *inst) {
    const uint32_t caches = wl_isa_caches(inst);
    if (wl_starts_with(inst->mnemonic, "s_wait") && !wl_starts_with(inst->mnemonic, "s_wait_idle"))
        return WL_SANITIZE_WAIT;
    if (wl_starts_with(inst->mnemonic, "s_barrier_signal"))
        return WL_SANITIZE_SIGNAL;
    if (caches & WL_CACHE_WRITES)
        return WL_SANITIZE_WRITE_BACK;
    return caches ? WL_SANITIZE_INVALIDATE : -1;
}

bool wl_sanitize_fence_fill(struct wl_sanitize_fence *fence, const struct wl_inst *inst, unsigned generation) {
    const int kind = inst->isa ? fence_kind(inst) : -1;
    if (kind < 0)
        return false;
    memset(fence, 0, sizeof *fence);
    fence->address = inst->address;
    fence->kind = (uint8_t)kind;
    const bool both = is(inst, "global_wbinv") || is(inst, "buffer_wbinvl1") || is(inst, "buffer_wbinvl1_vol");
    unsigned effects = kind == WL_SANITIZE_WAIT ? waited_for(inst, generation) : 0;
    if ((kind == WL_SANITIZE_INVALIDATE || both) && reaches_agent(inst, generation))
        effects |= WL_SANITIZE_ACQUIRES;
    if (kind == WL_SANITIZE_WRITE_BACK && (!is(inst, "buffer_wbl2") || inst->sc1))
        effects |= WL_SANITIZE_WRITES_BACK;
    fence->effects = (uint8_t)effects;
    return true;
}
