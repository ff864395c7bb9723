#include "translate/unit/turns.h"

#include "machine/processor.h"
#include "translate/isa/isa.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_BLOCKS = 32 }; /* how many are looked at behind a barrier and behind a condition: what is far away runs late */

static bool is_access(const struct wl_inst *inst) {
    return inst->isa && (inst->isa->class == WL_ISA_LOAD || inst->isa->class == WL_ISA_STORE || inst->isa->class == WL_ISA_ATOMIC);
}

static bool loads_lds(const struct wl_inst *inst) { return inst->isa->class == WL_ISA_LOAD && inst->isa->space == WL_SPACE_LDS; }

/* The first access of a basic block; NULL: it has none. */
static const struct wl_inst *first_access(const struct wl_unit *unit, uint32_t p) {
    const struct wl_block *block = &unit->blocks[p];
    for (uint32_t i = 0; i < block->count; i++)
        if (is_access(&unit->insts[block->first + i]))
            return &unit->insts[block->first + i];
    return NULL;
}

static bool changes_lds(const struct wl_inst *inst) {
    return is_access(inst) && inst->isa->space == WL_SPACE_LDS && inst->isa->class != WL_ISA_LOAD;
}

static bool stores_to_lds(const struct wl_unit *unit, uint32_t p) {
    const struct wl_block *block = &unit->blocks[p];
    for (uint32_t i = 0; i < block->count; i++)
        if (changes_lds(&unit->insts[block->first + i]))
            return true;
    return false;
}

/* A list of basic blocks: first those that have been looked at, then those that have not. */
struct walk {
    uint32_t blocks[MOST_BLOCKS];
    unsigned count;
};

static void add(struct walk *walk, uint32_t p) {
    for (unsigned i = 0; i < walk->count; i++)
        if (walk->blocks[i] == p)
            return;
    if (p != WL_NO_BLOCK && walk->count < MOST_BLOCKS)
        walk->blocks[walk->count++] = p;
}

/* Those that a wave comes to without a barrier or a call. */
static void add_next(struct walk *walk, const struct wl_block *block) {
    if (block->end == WL_BLOCK_NEXT || block->end == WL_BLOCK_EXEC || block->end == WL_BLOCK_CBRANCH)
        add(walk, block->next);
    if (block->end == WL_BLOCK_BRANCH || block->end == WL_BLOCK_CBRANCH)
        add(walk, block->target);
}

static bool store_follows(const struct wl_unit *unit, uint32_t block) {
    struct walk walk = {{block}, 1};
    for (unsigned i = 0; i < walk.count; i++) {
        if (stores_to_lds(unit, walk.blocks[i]))
            return true;
        add_next(&walk, &unit->blocks[walk.blocks[i]]);
    }
    return false;
}

/* Whether a basic block ends in a branch over conditional code; *behind receives the basic block behind that code. */
static bool has_condition(const struct wl_unit *unit, uint32_t p, uint32_t *behind) {
    const struct wl_block *block = &unit->blocks[p];
    if (block->end != WL_BLOCK_CBRANCH || unit->insts[block->first + block->count - 1].isa->detail != WL_IF_EXECZ)
        return false;
    *behind = block->target;
    return block->target != WL_NO_BLOCK && block->next != WL_NO_BLOCK && block->target > block->next;
}

static bool begins_with_load(const struct wl_unit *unit, uint32_t from, uint32_t behind) {
    for (uint32_t p = from; p < behind; p++) {
        const struct wl_inst *access = first_access(unit, p);
        if (access)
            return loads_lds(access);
    }
    return false;
}

bool wl_first_wave_leads(const struct wl_unit *unit, uint32_t block) {
    struct walk walk = {{block}, 1};
    for (unsigned i = 0; i < walk.count; i++) {
        const uint32_t p = walk.blocks[i];
        uint32_t behind;
        if (first_access(unit, p))
            continue;
        if (has_condition(unit, p, &behind) && begins_with_load(unit, unit->blocks[p].next, behind) && store_follows(unit, behind))
            return true;
        add_next(&walk, &unit->blocks[p]);
    }
    return false;
}

/* ---- waits that end a turn ---- */

/* What may have happened between the last barrier and a place, on some way to it. */
enum { BEHIND_BARRIER = 1, HAS_COMMON = 2, LOADS_GLOBAL = 4 };

/* Vector registers: those with one value in all lanes where a basic block begins; those that it makes so, and all that it writes. */
struct same {
    uint64_t before[WL_ROW_WORDS], made[WL_ROW_WORDS], touched[WL_ROW_WORDS];
};

struct turn_ends {
    struct wl_unit *unit;
    unsigned generation;
    struct same *same; /* by basic block */
    bool *common;      /* by instruction: a load from LDS, from one address for all lanes */
    uint8_t *before;   /* by basic block: what may have happened where it begins */
    bool *stores;      /* by basic block: a wave may come from its beginning to a store to LDS without a barrier */
};

static bool is_barrier(const struct wl_unit *unit, const struct wl_block *block) {
    return block->end == WL_BLOCK_WAIT && unit->insts[block->first + block->count - 1].isa->class == WL_ISA_BARRIER;
}

static bool loads_global(const struct wl_inst *inst) {
    if (!inst->isa || inst->isa->class != WL_ISA_LOAD)
        return false;
    return inst->isa->space == WL_SPACE_GLOBAL || inst->isa->space == WL_SPACE_FLAT || inst->isa->space == WL_SPACE_BUFFER ||
           inst->isa->space == WL_SPACE_TBUFFER;
}

/* Whether an instruction waits for loads from memory. */
static bool waits_for_loads(const struct wl_inst *inst, unsigned generation) {
    enum { MOST = 63 };
    if (!inst->isa || inst->isa->class != WL_ISA_NOP || !inst->operand_count)
        return false;
    const uint64_t bits = inst->operands[inst->operand_count - 1].bits;
    if (!strcmp(inst->mnemonic, "s_waitcnt"))
        return wl_waitcnt_vector((uint32_t)bits, generation) != MOST;
    if (!strcmp(inst->mnemonic, "s_wait_loadcnt_dscnt"))
        return (bits >> 8 & MOST) != MOST;
    return !strcmp(inst->mnemonic, "s_wait_loadcnt") && (bits & MOST) != MOST;
}

/* Barriers, loads from LDS, and stores to it: few units have all of them. */
static bool may_have_turn_ends(const struct wl_unit *unit) {
    bool barriers = false, loads = false, stores = false;
    for (uint32_t p = 0; p < unit->block_count; p++)
        barriers |= is_barrier(unit, &unit->blocks[p]);
    for (uint32_t i = 0; i < unit->inst_count && barriers && !(loads && stores); i++) {
        loads |= is_access(&unit->insts[i]) && loads_lds(&unit->insts[i]);
        stores |= changes_lds(&unit->insts[i]);
    }
    return loads && stores;
}

/* Constants are left out: what stands at a fixed place is mostly one word for the workgroup, the old value of an
 * atomic for instance, which nobody overwrites soon. */
static bool moves_scalar(const struct wl_inst *inst) {
    return !strcmp(inst->mnemonic, "v_mov_b32") && !inst->is_dpp && !inst->is_sdwa && inst->operand_count == 2 &&
           inst->operands[1].kind == WL_OPERAND_SGPR;
}

/* Vector registers that have one value in all lanes: those that were last written by a move of a scalar. */
static void step_same(const struct turn_ends *t, const struct wl_inst *inst, struct same *same) {
    struct wl_effects effects;
    if (moves_scalar(inst)) {
        wl_set(same->made, inst->operands[0].reg);
        wl_set(same->touched, inst->operands[0].reg);
        return;
    }
    wl_inst_effects(inst, t->unit->request->wave_size, &effects);
    for (unsigned w = 0; w < WL_ROW_WORDS; w++) {
        const uint64_t touched = effects.touch.vector[w] | effects.def_lanes[w];
        same->made[w] &= ~touched;
        same->touched[w] |= touched;
    }
}

/* What a basic block leaves behind is so on this way. True: that takes something from what is known where the next one begins. */
static bool same_to(struct turn_ends *t, const struct wl_block *from, uint32_t to) {
    bool changed = false;
    if (to == WL_NO_BLOCK)
        return false;
    for (unsigned w = 0; w < WL_ROW_WORDS; w++) {
        const struct same *same = &t->same[from - t->unit->blocks];
        const uint64_t behind = from->end == WL_BLOCK_CALL ? 0 : (same->before[w] & ~same->touched[w]) | same->made[w];
        changed |= (t->same[to].before[w] & ~behind) != 0;
        t->same[to].before[w] &= behind;
    }
    return changed;
}

static void find_same(struct turn_ends *t) {
    const struct wl_unit *unit = t->unit;
    for (uint32_t p = 0; p < unit->block_count; p++) {
        const struct wl_block *block = &unit->blocks[p];
        if (p != unit->entry)
            memset(t->same[p].before, 0xff, sizeof t->same[p].before);
        for (uint32_t i = block->first; i < block->first + block->count; i++)
            step_same(t, &unit->insts[i], &t->same[p]);
    }
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t p = 0; p < unit->block_count; p++) {
            changed |= same_to(t, &unit->blocks[p], unit->blocks[p].next);
            changed |= same_to(t, &unit->blocks[p], unit->blocks[p].target);
        }
    }
}

/* Marks a basic block's loads of what all waves have in common. */
static void find_common(struct turn_ends *t, uint32_t p) {
    const struct wl_block *block = &t->unit->blocks[p];
    struct same same = {0};
    memcpy(same.made, t->same[p].before, sizeof same.made);
    for (uint32_t i = block->first; i < block->first + block->count; i++) {
        const struct wl_inst *inst = &t->unit->insts[i];
        const bool lds = is_access(inst) && loads_lds(inst) && inst->operand_count > 1;
        t->common[i] = lds && inst->operands[1].kind == WL_OPERAND_VGPR && wl_bit(same.made, inst->operands[1].reg);
        step_same(t, inst, &same);
    }
}

/* What may have happened behind an instruction. */
static uint8_t happens(const struct turn_ends *t, uint32_t i, uint8_t state) {
    const struct wl_inst *inst = &t->unit->insts[i];
    if (t->common[i] && state)
        return state | HAS_COMMON;
    if (loads_global(inst) && state & HAS_COMMON)
        return state | LOADS_GLOBAL;
    if (state & LOADS_GLOBAL && waits_for_loads(inst, t->generation))
        return BEHIND_BARRIER; /* its turn ends there, or no store follows */
    return state;
}

static bool flow_to(uint8_t *before, uint32_t to, uint8_t state) {
    if (to == WL_NO_BLOCK || !(state & ~before[to]))
        return false;
    before[to] |= state;
    return true;
}

static void find_before(struct turn_ends *t) {
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t p = 0; p < t->unit->block_count; p++) {
            const struct wl_block *block = &t->unit->blocks[p];
            uint8_t state = t->before[p];
            for (uint32_t i = block->first; i < block->first + block->count && state; i++)
                state = happens(t, i, state);
            if (is_barrier(t->unit, block))
                state = BEHIND_BARRIER;
            if (block->end == WL_BLOCK_CALL)
                state = 0;
            changed |= flow_to(t->before, block->next, state);
            changed |= flow_to(t->before, block->target, state);
        }
    }
}

/* Whether a wave may come from behind a basic block to a store to LDS without a barrier. */
static bool stores_behind(const struct turn_ends *t, const struct wl_block *block) {
    if (is_barrier(t->unit, block) || block->end == WL_BLOCK_CALL)
        return false;
    return (block->next != WL_NO_BLOCK && t->stores[block->next]) || (block->target != WL_NO_BLOCK && t->stores[block->target]);
}

static void find_stores(struct turn_ends *t) {
    for (uint32_t p = 0; p < t->unit->block_count; p++)
        t->stores[p] = stores_to_lds(t->unit, p);
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t p = t->unit->block_count; p-- > 0;)
            if (!t->stores[p] && stores_behind(t, &t->unit->blocks[p]))
                changed = t->stores[p] = true;
    }
}

static bool mark(struct turn_ends *t) {
    bool found = false;
    for (uint32_t p = 0; p < t->unit->block_count; p++) {
        const struct wl_block *block = &t->unit->blocks[p];
        uint8_t state = t->before[p];
        uint32_t last_store = 0; /* in this basic block, + 1 */
        for (uint32_t i = block->first; i < block->first + block->count; i++)
            last_store = changes_lds(&t->unit->insts[i]) ? i + 1 : last_store;
        for (uint32_t i = block->first; i < block->first + block->count && state; i++) {
            struct wl_inst *inst = &t->unit->insts[i];
            inst->ends_turn = state & LOADS_GLOBAL && waits_for_loads(inst, t->generation) && (i < last_store || stores_behind(t, block));
            found |= inst->ends_turn;
            state = happens(t, i, state);
        }
    }
    return found;
}

enum wl_status wl_find_turn_ends(struct wl_unit *unit, bool *found) {
    *found = false;
    if (!may_have_turn_ends(unit))
        return WL_OK;
    struct turn_ends t = {.unit = unit,
                          .generation = (unsigned)wl_processor_generation(unit->request->processor),
                          .same = calloc(unit->block_count, sizeof *t.same),
                          .common = calloc(unit->inst_count, sizeof *t.common),
                          .before = calloc(unit->block_count, sizeof *t.before),
                          .stores = calloc(unit->block_count, sizeof *t.stores)};
    const bool memory = t.same && t.common && t.before && t.stores;
    if (memory) {
        find_same(&t);
        for (uint32_t p = 0; p < unit->block_count; p++)
            find_common(&t, p);
        find_before(&t);
        find_stores(&t);
        *found = mark(&t);
    }
    free(t.same);
    free(t.common);
    free(t.before);
    free(t.stores);
    return memory ? WL_OK : wl_fail(WL_OUT_OF_MEMORY, "no memory for the turns of %s", unit->request->name);
}
