/* The forward analysis of vector registers: joins and the fixpoint. What instructions do to facts is in affine.c. */
#include "base/assert.h"
#include "translate/analysis/saved_exec.h"
#include "translate/analysis/scalar.h"
#include "translate/analysis/strip_loop.h"
#include "translate/analysis/value.h"

#include <stdlib.h>
#include <string.h>

/* A number for what a row holds at a basic block's start. */
static uint32_t start_number(unsigned row) { return row + 1; }

struct wl_affine {
    const struct wl_unit *unit;
    unsigned rows;
    struct wl_fact *start;  /* [(basic block * WL_MODE_COUNT + mode) * rows + row] */
    bool *reached;          /* [basic block * WL_MODE_COUNT + mode] */
    bool *entry_exec;       /* the same */
    struct wl_saved *saved; /* the same */
    struct wl_sgpr *scalar; /* [(basic block * WL_MODE_COUNT + mode) * WL_SGPR_COUNT + reg] */
    struct wl_saves *saves;
};

static struct wl_fact *start_of(const struct wl_affine *a, uint32_t state) { return a->start + (size_t)state * a->rows; }

static bool same_fact(const struct wl_fact *a, const struct wl_fact *b) {
    return a->kind == b->kind && a->partial == b->partial && a->fresh == b->fresh && a->zeros == b->zeros && a->bits == b->bits &&
           a->same == b->same && a->stride == b->stride && a->shift == b->shift && a->since == b->since && a->lanes == b->lanes &&
           a->loaded == b->loaded;
}

/* Weakens `to` to what also holds for `from`; true if it changed. */
static bool join(struct wl_fact *to, struct wl_fact from) {
    const struct wl_fact was = *to;
    from = wl_fact_opened(from);
    *to = wl_fact_opened(*to);
    bool flat[2] = {to->kind == WL_FACT_CARRY || (to->kind == WL_FACT_AFFINE && !to->stride),
                    from.kind == WL_FACT_CARRY || (from.kind == WL_FACT_AFFINE && !from.stride)};
    bool has_stride = to->kind == WL_FACT_AFFINE || to->kind == WL_FACT_SHIFTED || to->kind == WL_FACT_BROKEN;
    if (to->kind == WL_FACT_UNKNOWN)
        return false;
    to->partial |= from.partial;
    to->loaded |= from.loaded;
    to->since |= from.since;
    wl_fact_narrow(to, from.lanes);
    wl_fact_narrow(&from, to->lanes);
    if (to->kind != from.kind && flat[0] && flat[1]) {
        *to = (struct wl_fact){.kind = WL_FACT_CARRY, .partial = to->partial, .loaded = to->loaded, .since = to->since, .lanes = to->lanes};
    } else if (to->kind != from.kind || (has_stride && (to->stride != from.stride || to->shift != from.shift))) {
        *to = (struct wl_fact){0};
    } else if (has_stride) {
        if (from.bits > to->bits)
            to->bits = 32; /* at once, or a counting loop would come back for every bit */
        if (from.zeros < to->zeros)
            to->zeros = from.zeros;
        if (from.same < to->same)
            to->same = from.same;
    }
    *to = wl_fact_closed(*to);
    return !same_fact(&was, to);
}

struct work {
    uint32_t *stack;
    uint32_t count;
    bool *queued;
};

/* How EXEC changes along an edge. `restored`: for EXEC_RESTORED, the bit of the place whose value EXEC takes (saved_exec.h); for EXEC_OTHERS, where
 * EXEC gets other lanes of that value, the same. */
enum exec_kind { EXEC_SAME, EXEC_NARROWS, EXEC_OTHERS, EXEC_RESTORED, EXEC_CHANGES };
struct exec_change {
    enum exec_kind kind;
    uint8_t restored;
};

/* What is still known of a row behind such a change. */
static struct wl_fact behind_change(struct wl_fact fact, struct exec_change change, enum wl_mode mode) {
    const bool back = change.kind == EXEC_CHANGES || (change.kind >= EXEC_OTHERS && fact.since & change.restored);
    if (fact.partial && back) /* lanes may come back that were off at the write */
        return (struct wl_fact){0};
    fact.fresh = false;
    fact.own = fact.of = 0;
    if (mode == WL_MODE_FULL) { /* all lanes are active, so all were at the write */
        fact.partial = false;
        fact.since = 0;
    }
    return fact;
}

/* Whether EXEC, behind such a change, is what it was at the entry. */
static bool entry_behind(const struct wl_facts *facts, struct exec_change change) {
    return change.kind == EXEC_SAME ? facts->entry_exec : change.kind == EXEC_RESTORED && wl_saved_is_entry(&facts->saved, change.restored);
}

static void flow(struct wl_affine *a, struct work *work, const struct wl_facts *facts, uint32_t block, enum wl_mode mode,
                 struct exec_change change) {
    if (block == WL_NO_BLOCK)
        return;
    if (mode == WL_MODE_FULL && wl_strip_loop_at(a->unit, block)) /* FULL code runs it with masks */
        flow(a, work, facts, block, WL_MODE_MASKED, change);
    uint32_t state = block * WL_MODE_COUNT + mode;
    struct wl_fact *to = start_of(a, state);
    struct wl_saved saved = facts ? facts->saved : (struct wl_saved){0};
    bool changed = !a->reached[state], entry_exec = facts && entry_behind(facts, change);
    if (change.kind >= EXEC_OTHERS)
        wl_saved_change(&saved, change.kind == EXEC_CHANGES ? 0 : change.restored);
    if (change.kind != EXEC_SAME)
        saved.others = 0;
    if (change.kind != EXEC_SAME && change.kind != EXEC_OTHERS)
        saved.rest = 0;
    if (!a->reached[state]) {
        a->entry_exec[state] = entry_exec;
        a->saved[state] = saved;
    } else if (a->entry_exec[state] && !entry_exec) {
        a->entry_exec[state] = false;
        changed = true;
    }
    if (a->reached[state])
        changed |= wl_saved_join(&a->saved[state], &saved);
    for (unsigned row = 0; row < a->rows; row++) {
        struct wl_fact fact = facts ? behind_change(facts->row[row], change, mode) : (struct wl_fact){0};
        if (!a->reached[state])
            to[row] = fact;
        else
            changed |= join(&to[row], fact);
    }
    changed |= wl_sgpr_join(a->scalar + (size_t)state * WL_SGPR_COUNT, facts ? facts->scalar : NULL, !a->reached[state]);
    a->reached[state] = true;
    if (changed && !work->queued[state]) {
        work->queued[state] = true;
        work->stack[work->count++] = state;
    }
}

/* What the basic block's end does to EXEC. */
static struct exec_change change_of(const struct wl_affine *a, const struct wl_facts *facts, const struct wl_block *block) {
    struct exec_change change = {.kind = EXEC_SAME};
    if (block->end == WL_BLOCK_CALL)
        change.kind = EXEC_CHANGES;
    if (block->end != WL_BLOCK_EXEC)
        return change;
    change.restored = wl_saves_restored(a->saves, block->first + block->count - 1, facts);
    const uint8_t taken = wl_saves_taken(a->saves, block->first + block->count - 1, facts);
    if (taken)
        return (struct exec_change){EXEC_OTHERS, taken};
    change.kind = block->narrows ? EXEC_NARROWS : change.restored ? EXEC_RESTORED : EXEC_CHANGES;
    return change;
}

static void leave(struct wl_affine *a, struct work *work, const struct wl_facts *facts, const struct wl_block *block, enum wl_mode mode) {
    const struct exec_change change = change_of(a, facts, block);
    switch (block->end) {
    case WL_BLOCK_NEXT:
    case WL_BLOCK_WAIT:
        flow(a, work, facts, block->next, mode, change);
        break;
    case WL_BLOCK_BRANCH:
        flow(a, work, facts, block->target, mode, change);
        break;
    case WL_BLOCK_CBRANCH:
        flow(a, work, facts, block->next, mode, change);
        flow(a, work, facts, block->target, mode, change);
        break;
    case WL_BLOCK_EXEC:
        flow(a, work, facts, block->next, WL_MODE_FULL, change);
        flow(a, work, facts, block->next, WL_MODE_MASKED, change);
        break;
    case WL_BLOCK_CALL:
        flow(a, work, NULL, block->next, WL_MODE_FULL, change);
        flow(a, work, NULL, block->next, WL_MODE_MASKED, change);
        break;
    case WL_BLOCK_JUMP:
    case WL_BLOCK_FINISH:
    case WL_BLOCK_FALL_OFF:
        break;
    }
}

static void seed(const struct wl_unit *unit, struct wl_facts *facts) {
    const struct wl_translate_request *request = unit->request;
    enum wl_shape shape = request->shape;
    uint32_t lanes = shape == WL_SHAPE_LINES ? request->wave_size : shape == WL_SHAPE_HALVES ? 32 : WL_STRIP;
    uint8_t zeros = (uint8_t)__builtin_ctz(lanes);
    uint8_t same = shape != WL_SHAPE_SQUARES ? 0 : request->packed_workitem_ids ? 10 : 32;
    const struct wl_fact x = {
        .kind = WL_FACT_AFFINE, .stride = 1, .zeros = zeros, .same = same, .bits = request->packed_workitem_ids ? 30 : 10, .lanes = lanes};
    const struct wl_fact uniform = {.kind = WL_FACT_AFFINE, .bits = 10, .lanes = lanes};
    memset(facts, 0, sizeof *facts);
    facts->previous_row = UINT16_MAX;
    if (!request->is_kernel || request->shape == WL_SHAPE_ANY)
        return;
    wl_sgpr_seed(facts, request);
    facts->entry_exec = true;
    facts->row[0] = x;
    for (unsigned i = 1; !request->packed_workitem_ids && i < request->workitem_id_dimensions && i < 3; i++)
        facts->row[i] = uniform;
}

static void solve(struct wl_affine *a, struct work *work, struct wl_facts *facts, const uint8_t *rule) {
    const struct wl_unit *unit = a->unit;
    const struct exec_change none = {.kind = EXEC_SAME};
    seed(unit, facts);
    flow(a, work, facts, 0, WL_MODE_FULL, none);
    flow(a, work, facts, 0, WL_MODE_MASKED, none);
    while (work->count) {
        uint32_t state = work->stack[--work->count];
        const struct wl_block *block = &unit->blocks[state / WL_MODE_COUNT];
        enum wl_mode mode = (enum wl_mode)(state % WL_MODE_COUNT);
        work->queued[state] = false;
        wl_affine_start(a, state / WL_MODE_COUNT, mode, facts);
        for (uint32_t i = block->first; i < block->first + block->count; i++) {
            wl_affine_step_by(facts, unit, &unit->insts[i], mode, rule[i]);
            wl_saves_step(a->saves, i, facts, a->rows);
        }
        leave(a, work, facts, block, mode);
    }
}

struct wl_affine *wl_affine_create(const struct wl_unit *unit) {
    uint32_t states = unit->block_count * WL_MODE_COUNT;
    struct wl_affine *a = calloc(1, sizeof *a);
    struct wl_facts *facts = malloc(sizeof *facts);
    struct work work = {.stack = malloc(((size_t)states + 1) * sizeof(uint32_t)), .queued = calloc((size_t)states + 1, sizeof(bool))};
    uint8_t *rule = malloc((size_t)unit->inst_count + 1);
    bool ok = false;
    if (!a || !facts || !work.stack || !work.queued || !rule)
        goto done;
    a->unit = unit;
    a->rows = unit->rows < WL_VGPR_COUNT ? unit->rows : WL_VGPR_COUNT;
    a->start = malloc(((size_t)states * a->rows + 1) * sizeof *a->start);
    a->reached = calloc((size_t)states + 1, sizeof(bool));
    a->entry_exec = calloc((size_t)states + 1, sizeof(bool));
    a->scalar = malloc(((size_t)states + 1) * WL_SGPR_COUNT * sizeof *a->scalar);
    a->saved = calloc((size_t)states + 1, sizeof *a->saved);
    a->saves = wl_saves_create(unit);
    if (!a->start || !a->reached || !a->entry_exec || !a->scalar || !a->saved || !a->saves)
        goto done;
    for (uint32_t i = 0; i < unit->inst_count; i++)
        rule[i] = wl_affine_rule(&unit->insts[i]);
    if (unit->block_count)
        solve(a, &work, facts, rule);
    ok = true;
done:
    free(facts);
    free(work.stack);
    free(work.queued);
    free(rule);
    if (!ok) {
        wl_affine_destroy(a);
        return NULL;
    }
    return a;
}

void wl_affine_destroy(struct wl_affine *a) {
    if (!a)
        return;
    free(a->start);
    free(a->reached);
    free(a->entry_exec);
    free(a->scalar);
    free(a->saved);
    wl_saves_destroy(a->saves);
    free(a);
}

void wl_affine_start(const struct wl_affine *a, uint32_t block, enum wl_mode mode, struct wl_facts *facts) {
    wl_assert(block < a->unit->block_count && mode < WL_MODE_COUNT);
    uint32_t state = block * WL_MODE_COUNT + mode;
    memset(facts, 0, sizeof *facts);
    facts->previous_row = UINT16_MAX;
    facts->entry_exec = a->entry_exec[state];
    facts->saved = a->saved[state];
    if (!a->reached[state])
        return;
    memcpy(facts->row, start_of(a, state), a->rows * sizeof facts->row[0]);
    memcpy(facts->scalar, a->scalar + (size_t)state * WL_SGPR_COUNT, sizeof facts->scalar);
    for (unsigned row = 0; row < a->rows; row++)
        facts->row[row].own = facts->row[row].kind == WL_FACT_AFFINE ? start_number(row) : 0;
}
