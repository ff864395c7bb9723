/* Which of the loops that wait do nothing else.
 *
 * A loop only looks if it repeats itself until others change memory: it stores nothing, looks at the same places in each round, and what a
 * round leaves to the next one are counters and masks, which decide about nothing but branches. A loop that walks on, or adds up what it
 * finds, does more. Waves in such loops may have their turns rarely, because a round that comes later finds the same.
 *
 * A loop is a range of basic blocks, as compilers lay them out. A round begins where the loop is entered, which may be in the middle of the
 * range. It is followed once; all sets below are about one round. */
#include "translate/isa/isa.h"
#include "translate/isa/lane.h"
#include "translate/isa/sem.h"
#include "translate/unit/mask_work.h"
#include "translate/unit/unit.h"

#include <stdlib.h>
#include <string.h>

enum {
    MOST_INSTS = 1000, /* of a loop; longer ones count as doing more */
    MOST_MADE = 8,     /* instructions that compute with counters: a loop with more tries numbers, as those that search hashes do */
};

/* What registers have, in lanes that are on or in lanes that have been turned off in this round. */
struct had {
    struct wl_regs varies; /* another value than in the round before, though memory is the same: counters, masks, what is made of them */
    struct wl_regs made;   /* of those, what is neither a counter nor a mask */
    struct wl_regs old;    /* what it had when the round began */
};

struct place {
    bool reached;
    struct had on, off;
};

struct look {
    const struct wl_unit *unit;
    uint32_t header, latch;
    uint32_t entry;      /* the basic block at which rounds begin */
    bool *inside;        /* of each basic block from the header on: it is part of rounds */
    bool *seen;          /* the same: for reaches() */
    struct place *start; /* of each basic block */
    struct wl_regs written, exposed /* read as the round before left it */, left /* made, at the end of a round */;
    uint32_t made;
};

/* ---- instructions ---- */

static bool has_part(const struct wl_inst *inst, const char *const *parts, size_t count) {
    for (size_t i = 0; i < count; i++)
        if (strstr(inst->mnemonic, parts[i]))
            return true;
    return false;
}
#define HAS_PART(inst, parts) has_part(inst, parts, sizeof(parts) / sizeof *(parts))

/* Whether an atomic does nothing if it did the same before and nobody came between. */
static bool repeats_itself(const struct wl_inst *inst) {
    static const char *const parts[] = {"swap", "cmpst", "wrxchg", "_and_", "_or_", "_min_", "_max_", "_umin", "_umax", "_smin", "_smax"};
    return HAS_PART(inst, parts) && !strstr(inst->mnemonic, "pk_");
}

static bool accesses_memory(const struct wl_inst *inst) {
    if (!inst->isa)
        return false;
    switch (inst->isa->class) {
    case WL_ISA_LOAD:
    case WL_ISA_SMEM_LOAD:
    case WL_ISA_ATOMIC:
    case WL_ISA_SMEM_ATOMIC:
        return true;
    case WL_ISA_LANE:
        return wl_lane_of(inst)->loads != WL_LANE_LOADS_NOTHING;
    default:
        return false;
    }
}

/* Whether an instruction may stand in a loop that only looks. */
static bool may_stand(const struct wl_inst *inst) {
    if (inst->index_mode || (!inst->isa && !inst->sem))
        return false;
    if (!inst->isa)
        return true;
    switch (inst->isa->class) {
    case WL_ISA_NOP:
    case WL_ISA_BRANCH:
    case WL_ISA_CBRANCH:
    case WL_ISA_GETPC:
    case WL_ISA_SLEEP:
    case WL_ISA_GETREG:
    case WL_ISA_SMEM_LOAD:
    case WL_ISA_LANE:
    case WL_ISA_CMPX:
    case WL_ISA_SAVEEXEC:
        return true;
    case WL_ISA_LOAD:
        return !inst->lds;
    case WL_ISA_ATOMIC:
    case WL_ISA_SMEM_ATOMIC:
        return repeats_itself(inst);
    default:
        return false;
    }
}

static bool compares(const struct wl_inst *inst) {
    static const char *const parts[] = {"v_cmp_", "v_cmpx_", "s_cmp_", "s_cmpk_", "s_bitcmp"};
    return HAS_PART(inst, parts);
}

static bool moves(const struct wl_inst *inst) {
    static const char *const parts[] = {"v_mov_b32", "v_mov_b64",   "s_mov_b",       "s_movk_",
                                        "s_cmov",    "s_cselect_b", "v_cndmask_b32", "v_readfirstlane"};
    return HAS_PART(inst, parts) && !inst->is_dpp && !inst->is_sdwa;
}

/* Whether an instruction adds to counters what is the same in all rounds. */
static bool counts(const struct look *l, const struct place *at, const struct wl_inst *inst) {
    static const char *const names[] = {"s_add_", "s_sub_", "s_addc_", "s_subb_", "s_addk_i32",
                                        "v_add_", "v_sub_", "v_addc_", "v_subb_", "v_lshl_add_u64"};
    static const char *const others[] = {"_f16", "_f32", "_f64", "_bf16"};
    if (!HAS_PART(inst, names) || HAS_PART(inst, others) || !inst->sem || inst->is_dpp || inst->is_sdwa || inst->clamp)
        return false;
    unsigned counters = 0;
    for (unsigned i = 1; i < inst->operand_count; i++) {
        const struct wl_operand *operand = &inst->operands[i];
        const bool varies = wl_regs_has(&at->on.varies, operand);
        if (!varies && wl_regs_has(&l->written, operand))
            return false;                                                                    /* what was loaded */
        counters += varies && (wl_inst_is_scalar(inst) || operand->kind == WL_OPERAND_VGPR); /* of others it is the carry */
    }
    return counters <= 1;
}

/* ---- a round ---- */

static void put(struct wl_regs *set, const struct wl_regs *regs, const struct wl_regs *whole, bool value) {
    if (value)
        (void)wl_regs_add(set, regs);
    else
        (void)wl_regs_remove(set, whole);
}

/* Follows an instruction. False: the loop does more than look. */
static bool follow_inst(struct look *l, struct place *at, const struct wl_inst *inst) {
    struct wl_effects effects;
    if (!may_stand(inst))
        return false;
    wl_inst_effects(inst, l->unit->request->wave_size, &effects);
    const struct wl_regs used = wl_regs_without_exec(effects.use), def = wl_regs_without_exec(effects.def);
    struct wl_regs touched = wl_regs_without_exec(effects.touch), of_lanes = {0};
    memcpy(of_lanes.vector, effects.use_lanes, sizeof of_lanes.vector);
    wl_rows_add(touched.vector, effects.def_lanes);
    const bool lanes_vary = wl_regs_meet(&of_lanes, &at->on.varies) || wl_regs_meet(&of_lanes, &at->off.varies);
    const bool varies = lanes_vary || wl_regs_meet(&used, &at->on.varies);
    if (varies && (accesses_memory(inst) || lanes_vary))
        return false;
    struct wl_regs exposed = used;
    (void)wl_regs_keep(&exposed, &at->on.old);
    (void)wl_regs_add(&l->exposed, &exposed);
    struct wl_mask_work work;
    const bool plain = !varies || compares(inst) || wl_mask_work(inst, l->unit->request->wave_size, &work);
    const bool made = !plain && (wl_regs_meet(&used, &at->on.made) || !(moves(inst) || counts(l, at, inst)));
    if (made && !moves(inst) && ++l->made > MOST_MADE)
        return false;
    put(&at->on.varies, &touched, &def, varies);
    put(&at->on.made, &touched, &def, made);
    put(&at->on.old, &touched, &def, false);
    return true;
}

/* Lanes turned on or off join those that are: each vector register may have what it has in either. */
static void join_lanes(struct had *into, const struct had *from) {
    wl_rows_add(into->varies.vector, from->varies.vector);
    wl_rows_add(into->made.vector, from->made.vector);
    wl_rows_add(into->old.vector, from->old.vector);
}

/* EXEC changes at the end of a basic block. False: lanes may come in that were off when the round began. */
static bool change_lanes(struct place *at, const struct wl_block *block, const struct wl_inst *last, uint32_t wave_size) {
    if (block->narrows) {
        join_lanes(&at->off, &at->on);
        return true;
    }
    struct wl_effects effects;
    wl_inst_effects(last, wave_size, &effects);
    const struct wl_regs used = wl_regs_without_exec(effects.use);
    struct wl_mask_work work;
    if (!wl_mask_work(last, wave_size, &work) || wl_regs_meet(&used, &at->on.old) || (!used.scalar[0] && !used.scalar[1]))
        return false;
    join_lanes(&at->on, &at->off);
    return true;
}

static bool join_had(struct had *into, const struct had *from) {
    bool changed = wl_regs_add(&into->varies, &from->varies);
    changed |= wl_regs_add(&into->made, &from->made);
    return wl_regs_add(&into->old, &from->old) || changed;
}

static bool is_inside(const struct look *l, uint32_t block) {
    return block != WL_NO_BLOCK && block >= l->header && block <= l->latch && l->inside[block - l->header];
}

/* Goes on from a basic block to one that may follow it. */
static void go_on(struct look *l, const struct place *now, uint32_t to, bool *changed) {
    if (to == l->entry) {
        (void)wl_regs_add(&l->left, &now->on.made);
        (void)wl_regs_add(&l->left, &now->off.made);
    } else if (is_inside(l, to)) {
        struct place *next = &l->start[to - l->header];
        *changed |= !next->reached;
        next->reached = true;
        *changed |= join_had(&next->on, &now->on);
        *changed |= join_had(&next->off, &now->off);
    }
}

static bool follow_block(struct look *l, uint32_t p, bool *changed) {
    const struct wl_block *block = &l->unit->blocks[p];
    struct place now = l->start[p - l->header];
    for (uint32_t i = 0; i < block->count; i++)
        if (!follow_inst(l, &now, &l->unit->insts[block->first + i]))
            return false;
    if (block->end == WL_BLOCK_EXEC &&
        !change_lanes(&now, block, &l->unit->insts[block->first + block->count - 1], l->unit->request->wave_size))
        return false;
    go_on(l, &now, block->next, changed);
    go_on(l, &now, block->target, changed);
    return true;
}

static bool follow_round(struct look *l) {
    struct place *first = &l->start[l->entry - l->header];
    first->reached = true;
    first->on.varies = l->written;
    memset(&first->on.old, 0xff, sizeof first->on.old);
    for (bool changed = true; changed;) {
        changed = false;
        l->made = 0;
        for (uint32_t p = l->header; p <= l->latch; p++)
            if (l->start[p - l->header].reached && !follow_block(l, p, &changed))
                return false;
    }
    (void)wl_regs_keep(&l->exposed, &l->written);
    return !wl_regs_meet(&l->exposed, &l->left);
}

/* ---- loops ---- */

/* Whether a basic block of the range leads to another one by way of others that are not `without` (WL_NO_BLOCK: of any). */
static bool reaches(struct look *l, uint32_t from, uint32_t to, uint32_t without) {
    memset(l->seen, 0, (l->latch - l->header + 1) * sizeof *l->seen);
    l->seen[from - l->header] = true;
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t p = l->header; p <= l->latch; p++) {
            const uint32_t next[2] = {l->unit->blocks[p].next, l->unit->blocks[p].target};
            for (unsigned i = 0; l->seen[p - l->header] && i < 2; i++) {
                if (next[i] == to && to != without)
                    return true;
                if (next[i] == WL_NO_BLOCK || next[i] < l->header || next[i] > l->latch || next[i] == without ||
                    l->seen[next[i] - l->header])
                    continue;
                changed = l->seen[next[i] - l->header] = true;
            }
        }
    }
    return false;
}

/* Finds the basic blocks that come from the header and lead back there. */
static void find_inside(struct look *l) {
    bool *inside = l->inside;
    (void)reaches(l, l->header, WL_NO_BLOCK, WL_NO_BLOCK);
    memcpy(inside, l->seen, (l->latch - l->header + 1) * sizeof *inside);
    for (uint32_t p = l->header; p <= l->latch; p++)
        inside[p - l->header] = inside[p - l->header] && reaches(l, p, l->header, WL_NO_BLOCK);
}

/* Finds the one basic block at which the loop is entered. False: there are several. */
static bool find_entry(struct look *l) {
    l->entry = WL_NO_BLOCK;
    for (uint32_t p = 0; p < l->unit->block_count; p++) {
        const uint32_t next[2] = {l->unit->blocks[p].next, l->unit->blocks[p].target};
        for (unsigned i = 0; !is_inside(l, p) && i < 2; i++) {
            if (!is_inside(l, next[i]))
                continue;
            if (l->entry != WL_NO_BLOCK && l->entry != next[i])
                return false;
            l->entry = next[i];
        }
    }
    if (l->entry == WL_NO_BLOCK) /* the unit begins here */
        l->entry = l->header;
    return true;
}

/* The last basic block that leads back to one in front of it. */
static uint32_t last_to(const struct look *l, uint32_t header) {
    uint32_t latch = header;
    for (uint32_t p = header; p <= l->latch; p++)
        if (is_inside(l, p) && (l->unit->blocks[p].target == header || l->unit->blocks[p].next == header))
            latch = p;
    return latch;
}

/* Whether the loops within do nothing else either. */
static bool inner_loops_look(struct look *l) {
    for (uint32_t p = l->header; p <= l->latch; p++) {
        const uint32_t next[2] = {l->unit->blocks[p].next, l->unit->blocks[p].target};
        for (unsigned i = 0; is_inside(l, p) && i < 2; i++) {
            if (!is_inside(l, next[i]) || next[i] == l->entry || next[i] > p || !reaches(l, next[i], p, l->entry))
                continue;
            if (next[i] == l->header || !wl_loop_only_looks(l->unit, next[i], last_to(l, next[i])))
                return false;
        }
    }
    return true;
}

static void find_written(struct look *l) {
    for (uint32_t p = l->header; p <= l->latch; p++) {
        const struct wl_block *block = &l->unit->blocks[p];
        for (uint32_t i = 0; is_inside(l, p) && i < block->count; i++) {
            struct wl_effects effects;
            wl_inst_effects(&l->unit->insts[block->first + i], l->unit->request->wave_size, &effects);
            (void)wl_regs_add(&l->written, &effects.touch);
            wl_rows_add(l->written.vector, effects.def_lanes);
        }
    }
    l->written = wl_regs_without_exec(l->written);
}

/* What the last basic block falls into may go on in the middle of the loop. */
static void extend(struct look *l) {
    const struct wl_block *blocks = l->unit->blocks;
    for (uint32_t p = l->latch + 1; p < l->unit->block_count && blocks[l->latch].next == p; p = ++l->latch + 1)
        if (blocks[p].end != WL_BLOCK_BRANCH || blocks[p].target < l->header || blocks[p].target > l->latch)
            return;
}

static bool only_looks(struct look *l) {
    extend(l);
    const uint32_t blocks = l->latch - l->header + 1,
                   insts = l->unit->blocks[l->latch].first + l->unit->blocks[l->latch].count - l->unit->blocks[l->header].first;
    l->inside = calloc(blocks, sizeof *l->inside);
    l->seen = calloc(blocks, sizeof *l->seen);
    l->start = insts <= MOST_INSTS ? calloc(blocks, sizeof *l->start) : NULL;
    bool looks = false;
    if (l->inside && l->seen && l->start) {
        find_inside(l);
        find_written(l);
        looks = find_entry(l) && inner_loops_look(l) && follow_round(l);
    }
    free(l->start);
    free(l->seen);
    return looks;
}

bool wl_loop_only_looks(const struct wl_unit *unit, uint32_t header, uint32_t latch) {
    struct look l = {.unit = unit, .header = header, .latch = latch};
    const bool looks = only_looks(&l);
    free(l.inside);
    return looks;
}

void wl_loop_mark_looks(struct wl_unit *unit, uint32_t header, uint32_t latch) {
    struct look l = {.unit = unit, .header = header, .latch = latch};
    const bool looks = only_looks(&l);
    for (uint32_t p = header; looks && p <= l.latch; p++)
        unit->blocks[p].only_looks |= l.inside[p - header];
    free(l.inside);
}

void wl_unit_find_ends_of_looks(struct wl_unit *unit) {
    for (uint32_t p = 0; p < unit->block_count; p++) {
        const struct wl_block *block = &unit->blocks[p];
        const uint32_t to[2] = {block->next, block->target};
        for (unsigned i = 0; i < 2; i++)
            if (block->only_looks && to[i] != WL_NO_BLOCK && !unit->blocks[to[i]].only_looks)
                unit->blocks[to[i]].ends_looks = true;
    }
}
