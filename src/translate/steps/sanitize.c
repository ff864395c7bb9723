/* What steps tell sanitizers, in units that were asked for with them (machine/sanitize.h). */
#include "translate/steps/steps.h"

#include "machine/helpers.h"
#include "machine/sanitize.h"
#include "translate/isa/sanitize_site.h"

struct wl_sanitize_site *wl_steps_site(struct wl_steps_builder *b, const struct wl_inst *inst, uint32_t bytes) {
    if (!b->request->sanitize)
        return NULL;
    struct wl_sanitize_site *site = wl_steps_allocate(b, sizeof *site);
    if (site)
        wl_sanitize_site_fill(site, inst, b->generation, bytes);
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
                                        .cache = wl_sanitize_cache_bits(inst),
                                        .immediate = inst->operand_count ? (uint32_t)inst->operands[inst->operand_count - 1u].bits : 0};
    wl_steps_add(b, run_sanitize_fence, fence);
}
