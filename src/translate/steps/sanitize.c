/* What steps tell sanitizers, in units that were asked for with them (machine/sanitize.h). */
#include "translate/steps/steps.h"

#include "machine/count.h"
#include "machine/helpers.h"
#include "machine/sanitize.h"
#include "translate/interface/marks.h"
#include "translate/isa/sanitize_site.h"

struct wl_sanitize_site *wl_steps_site(struct wl_steps_builder *b, const struct wl_inst *inst, uint32_t bytes) {
    if (!(b->request->sanitize & ~(unsigned)WL_STEPS_MARKED))
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

static void add_fence(struct wl_steps_builder *b, const struct wl_sanitize_fence *fence) {
    struct wl_sanitize_fence *kept = wl_steps_allocate(b, sizeof *kept);
    if (!kept)
        return;
    *kept = *fence;
    wl_steps_add(b, run_sanitize_fence, kept);
}

void wl_steps_add_sanitize_fence(struct wl_steps_builder *b, const struct wl_inst *inst) {
    struct wl_sanitize_fence fence;
    if (!inst->is_quiet && b->request->sanitize & WL_SANITIZE_RACECHECK && wl_sanitize_fence_fill(&fence, inst, b->generation))
        add_fence(b, &fence);
}

void wl_steps_add_early_use(struct wl_steps_builder *b, const struct wl_inst *inst) { add_fence(b, &b->unit->early[inst->early - 1]); }

/* ---- counters -------------------------------------------------------------------------------- */

static const struct wl_step *run_count(struct wl_machine *m, const struct wl_step *step) {
    m->wave->helpers->count_block(m->wave, step->data, wl_machine_exec(m));
    return step + 1;
}

void wl_steps_add_count(struct wl_steps_builder *b, const struct wl_count_block *counted) {
    const size_t size = wl_unit_counted_size(counted);
    struct wl_count_block *kept = wl_steps_allocate(b, size);
    if (!kept)
        return;
    memcpy(kept, counted, size);
    wl_steps_add(b, run_count, kept);
}
