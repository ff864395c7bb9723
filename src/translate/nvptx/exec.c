/* Finds the places at which EXEC has the value with which the kernel started. There no predicate is needed.
 *
 * Compilers narrow EXEC for branches and loops and put it back afterwards, mostly as the union of what is on and a mask of
 * what was taken away. A forward analysis over the basic blocks proves that: E is EXEC at the kernel's entry, and of each mask
 * register it is known whether it
 *
 *   equal    is E
 *   within   is a part of E
 *   rest     holds at least those lanes of E that EXEC has lost: EXEC | mask covers E
 *   none     has no lane
 *   whole    has all lanes or none, as what scalar conditions choose
 *
 * A loop's mask of lanes that have left it starts as 0, while EXEC is E, takes what EXEC loses, and so stays a rest. */
#include "translate/nvptx/analysis.h"
#include "translate/nvptx/ptx.h"

#include <stdlib.h>
#include <string.h>

struct state {
    bool known;       /* the place was reached; the other members count only then */
    uint64_t mask[2]; /* registers that hold a mask, or a half of one: each bit belongs to one lane */
    bool exec_equal, exec_within;
    uint64_t equal[2], within[2], rest[2], none[2], whole[2]; /* a bit for each mask's first register */
};

struct masks {
    const struct wl_unit *unit;
    unsigned registers; /* of a mask */
    struct state *starts;
    uint64_t (*data)[2]; /* nvptx/data.c; in whole units */
};

struct wl_ptx_flow {
    struct masks m;
};

static void forget(uint64_t *set, unsigned reg) { set[reg / 64] &= ~(UINT64_C(1) << reg % 64); }

static void assign(uint64_t *set, unsigned reg, bool value) {
    if (value)
        wl_set(set, reg);
    else
        forget(set, reg);
}

/* What is known of the mask in one operand: see the file's comment. */
struct facts {
    bool equal, within, rest, none, whole;
};

static bool is_register(const struct wl_operand *op, const struct masks *m) {
    return op->kind == WL_OPERAND_SGPR && op->count == m->registers;
}

static bool is_exec(const struct wl_operand *op, const struct masks *m) { return is_register(op, m) && op->reg == WL_SGPR_EXEC; }

static bool is_all(uint64_t bits) { return bits == UINT64_MAX || bits == UINT32_MAX; }

static struct facts look(const struct state *s, const struct masks *m, const struct wl_operand *op) {
    if (is_exec(op, m))
        return (struct facts){.equal = s->exec_equal, .within = s->exec_within, .rest = s->exec_equal};
    if (op->kind == WL_OPERAND_IMM && !op->is_float && (op->bits == 0 || is_all(op->bits)))
        return (struct facts){.within = op->bits == 0, .rest = s->exec_equal, .none = op->bits == 0, .whole = true};
    if (!is_register(op, m))
        return (struct facts){.rest = s->exec_equal};
    bool equal = wl_bit(s->equal, op->reg), none = wl_bit(s->none, op->reg);
    return (struct facts){.equal = equal,
                          .within = equal || none || wl_bit(s->within, op->reg),
                          .rest = equal || s->exec_equal || wl_bit(s->rest, op->reg),
                          .none = none,
                          .whole = none || wl_bit(s->whole, op->reg)};
}

static void set_register(struct state *s, unsigned reg, struct facts f) {
    assign(s->equal, reg, f.equal);
    assign(s->within, reg, f.within);
    assign(s->rest, reg, f.rest);
    assign(s->none, reg, f.none);
    assign(s->whole, reg, f.whole);
}

/* Steps over a change of EXEC. If it may lose lanes, a mask that was a rest need not be one any more, unless the mask is E itself. `grows`:
 * EXEC loses no lanes. */
static void set_exec(struct state *s, bool equal, bool within, bool grows) {
    if (!grows) {
        s->rest[0] = s->equal[0];
        s->rest[1] = s->equal[1];
    } else if (s->exec_equal) { /* every mask was a rest, and EXEC lost nothing */
        s->rest[0] = s->rest[1] = UINT64_MAX;
    }
    s->exec_equal = equal;
    s->exec_within = within;
}

static void forget_touched(struct state *s, const struct masks *m, const struct wl_inst *inst) {
    struct wl_effects effects;
    wl_inst_effects(inst, m->registers * 32, &effects);
    for (unsigned reg = 0; reg < WL_SGPR_COUNT; reg++) {
        if (!wl_bit(effects.touch.scalar, reg))
            continue;
        if (reg >= WL_SGPR_EXEC && reg < WL_SGPR_EXEC + m->registers)
            set_exec(s, false, false, false);
        for (unsigned i = 0; i < m->registers && i <= reg; i++)
            set_register(s, reg - i, (struct facts){0});
        forget(s->mask, reg);
    }
}

/* ---- which registers hold masks ---- */

static bool is_logic(const struct wl_inst *inst) {
    static const char *const stems[] = {"s_and_", "s_or_", "s_xor_", "s_nand_", "s_nor_", "s_xnor_", "s_not_", "s_mov_b", "s_cselect_"};
    for (size_t i = 0; i < sizeof stems / sizeof *stems; i++)
        if (!strncmp(inst->mnemonic, stems[i], strlen(stems[i])))
            return true;
    return false;
}

static bool holds_mask(const struct state *s, const struct wl_operand *op) {
    if (op->kind == WL_OPERAND_IMM)
        return !op->is_float && (op->bits == 0 || op->bits == UINT64_MAX || op->bits == UINT32_MAX);
    for (unsigned i = 0; i < op->count; i++)
        if (op->kind != WL_OPERAND_SGPR ||
            (!wl_bit(s->mask, op->reg + i) && op->reg + i != WL_SGPR_EXEC && op->reg + i != WL_SGPR_EXEC + 1))
            return false;
    return op->kind == WL_OPERAND_SGPR;
}

/* Whether an instruction writes nothing but masks to SGPRs, SCC aside. */
static bool makes_masks(const struct state *s, const struct wl_inst *inst) {
    if (inst->isa)
        return inst->isa->class == WL_ISA_CMPX || (inst->isa->class == WL_ISA_SAVEEXEC && holds_mask(s, &inst->operands[1]));
    if (!inst->sem->scalar)
        return true;                     /* comparisons and carries */
    bool some = false, constants = true; /* what is combined with a mask is one, or was never set */
    for (unsigned i = 1; i < inst->operand_count; i++) {
        bool constant = inst->operands[i].kind == WL_OPERAND_IMM, mask = holds_mask(s, &inst->operands[i]);
        some |= mask && !constant;
        constants &= constant && mask;
    }
    return is_logic(inst) && (some || constants);
}

static void note_masks(struct state *s, const struct masks *m, const struct wl_inst *inst) {
    struct wl_effects effects;
    wl_inst_effects(inst, m->registers * 32, &effects);
    forget(effects.touch.scalar, WL_SGPR_SCC);
    for (unsigned i = 0; i < 2; i++)
        s->mask[i] |= effects.touch.scalar[i];
}

static bool named(const struct wl_inst *inst, const struct masks *m, const char *stem) {
    size_t length = strlen(stem);
    return !strncmp(inst->mnemonic, stem, length) && !strcmp(inst->mnemonic + length, m->registers == 2 ? "_b64" : "_b32");
}

static void step_saveexec(struct state *s, const struct masks *m, const struct wl_inst *inst) {
    const struct wl_operand *op = inst->operands;
    struct facts source = look(s, m, &op[1]), old = {.equal = s->exec_equal, .within = s->exec_within};
    bool was_equal = s->exec_equal, was_within = s->exec_within, plain = inst->isa->bits == m->registers * 32;
    unsigned detail = plain ? inst->isa->detail : WL_SAVE_NOR;
    forget_touched(s, m, inst);
    switch (detail) {
    case WL_SAVE_AND: /* what EXEC was is what it is, and more */
        old.rest = was_equal;
        set_exec(s, false, was_within, false);
        break;
    case WL_SAVE_OR:
        s->exec_within = was_within && source.within;
        s->exec_equal = s->exec_within && source.rest;
        old.rest = s->exec_equal;
        break;
    case WL_SAVE_ANDN2: /* the source without EXEC */
        old.rest = source.rest;
        set_exec(s, false, source.within, false);
        break;
    default:
        old = (struct facts){0};
    }
    if (is_register(&op[0], m) && plain)
        set_register(s, op[0].reg, old);
}

static void step_logic(struct state *s, const struct masks *m, const struct wl_inst *inst) {
    const struct wl_operand *op = inst->operands;
    bool two = inst->operand_count == 3;
    struct facts a = look(s, m, &op[1]), b = two ? look(s, m, &op[2]) : a, result = {0};
    bool a_exec = is_exec(&op[1], m), b_exec = two && is_exec(&op[2], m), to_exec = is_exec(&op[0], m);
    bool was_equal = s->exec_equal, was_within = s->exec_within;
    unsigned other = a_exec && two ? op[2].reg : op[1].reg;
    const struct wl_operand *other_op = a_exec && two ? &op[2] : &op[1];
    struct facts other_facts = a_exec ? b : a;
    forget_touched(s, m, inst);
    if (named(inst, m, "s_mov")) {
        result = a;
    } else if (named(inst, m, "s_or")) {
        result.within = a.within && b.within;
        result.none = a.none && b.none;
        result.equal = result.within && (a.equal || b.equal);
        result.rest = (a.rest && !a_exec) || (b.rest && !b_exec) || was_equal;
        if (to_exec && (a_exec || b_exec))
            result.equal = result.within && (other_facts.rest || was_equal);
    } else if (named(inst, m, "s_and")) {
        result.within = a.within || b.within;
        result.none = a.none || b.none;
        result.equal = a.equal && b.equal;
    } else if (named(inst, m, "s_and_not1")) {
        result.within = a.within;
    } else if (named(inst, m, "s_xor")) {
        result.within = a.within && b.within;
        result.rest = (a_exec || b_exec) && was_within && (other_facts.equal || was_equal) && other_facts.within;
    } else if (!named(inst, m, "s_not") && !named(inst, m, "s_cselect")) {
        return;
    }
    result.whole = a.whole && b.whole;
    if (!to_exec) {
        if (is_register(&op[0], m))
            set_register(s, op[0].reg, result);
        return;
    }
    bool takes = (named(inst, m, "s_and_not1") && a_exec) || (named(inst, m, "s_xor") && (a_exec || b_exec) && was_equal);
    set_exec(s, result.equal, result.within, false);
    if (takes) { /* EXEC lost what the other one has */
        struct facts taken = named(inst, m, "s_and_not1") ? b : other_facts;
        unsigned reg = named(inst, m, "s_and_not1") ? op[2].reg : other;
        const struct wl_operand *taken_op = named(inst, m, "s_and_not1") ? &op[2] : other_op;
        if (is_register(taken_op, m) && reg != WL_SGPR_EXEC) {
            taken.rest = named(inst, m, "s_and_not1") ? taken.rest : taken.within;
            set_register(s, reg, taken);
        }
    }
}

static bool is_comparison(const struct wl_inst *inst) { return !strncmp(inst->mnemonic, "v_cmp_", 6); }

static void step(struct state *s, const struct masks *m, const struct wl_inst *inst) {
    const struct wl_operand *op = inst->operands;
    bool masks = makes_masks(s, inst);
    if (inst->isa && inst->isa->class == WL_ISA_SAVEEXEC) {
        step_saveexec(s, m, inst);
    } else if (inst->isa && inst->isa->class == WL_ISA_CMPX) {
        bool within = s->exec_within;
        forget_touched(s, m, inst);
        set_exec(s, false, within, false);
    } else if (inst->sem && inst->sem->scalar && inst->operand_count >= 2 && inst->operand_count <= 3 && is_register(&op[0], m)) {
        step_logic(s, m, inst);
    } else {
        bool comparison = inst->sem && is_comparison(inst) && is_register(&op[0], m);
        struct facts result = {.within = s->exec_within, .rest = s->exec_equal};
        forget_touched(s, m, inst);
        if (comparison) /* lanes of EXEC alone */
            set_register(s, op[0].reg, result);
    }
    if (masks)
        note_masks(s, m, inst);
}

bool wl_ptx_flow_whole(const struct wl_ptx_flow *flow, uint32_t block, uint32_t at, const struct wl_operand *op) {
    const struct masks *m = &flow->m;
    struct state s = m->starts[block];
    for (uint32_t i = 0; i < at && s.known; i++)
        step(&s, m, &m->unit->insts[m->unit->blocks[block].first + i]);
    return s.known && is_register(op, m) && look(&s, m, op).whole;
}

static bool same_state(const struct state *a, const struct state *b) {
    bool same = a->known == b->known && a->exec_equal == b->exec_equal && a->exec_within == b->exec_within;
    for (unsigned i = 0; i < 2; i++)
        same &= a->mask[i] == b->mask[i] && a->equal[i] == b->equal[i] && a->within[i] == b->within[i] && a->rest[i] == b->rest[i] &&
                a->none[i] == b->none[i] && a->whole[i] == b->whole[i];
    return same;
}

/* Narrows what is known at a basic block's start; true: it changed. */
static bool join(struct state *to, const struct state *from) {
    struct state before = *to, other = *from;
    if (other.exec_equal)
        other.rest[0] = other.rest[1] = UINT64_MAX;
    for (unsigned i = 0; i < 2; i++) {
        other.within[i] |= other.equal[i] | other.none[i];
        other.whole[i] |= other.none[i];
        other.rest[i] |= other.equal[i];
    }
    if (!to->known) {
        *to = other;
        to->known = true;
        return true;
    }
    to->exec_equal &= other.exec_equal;
    to->exec_within &= other.exec_within;
    for (unsigned i = 0; i < 2; i++) {
        to->mask[i] &= other.mask[i];
        to->equal[i] &= other.equal[i];
        to->within[i] &= other.within[i];
        to->rest[i] &= other.rest[i];
        to->none[i] &= other.none[i];
        to->whole[i] &= other.whole[i];
    }
    return !same_state(&before, to);
}

static bool hand_on(struct masks *m, uint32_t block, const struct state *s) { return block != WL_NO_BLOCK && join(&m->starts[block], s); }

/* ---- where threads may part ----
 *
 * AMD's branches on EXEC are the wave's: it skips code that no lane has to run, and leaves a loop when no lane is in it any more. Here a
 * thread whose lane is inactive may take such a branch alone, before the others, if the thread would do nothing in the code that it skips:
 * no inactive lane becomes active there, nothing crosses lanes, and the only scalar registers whose new values the thread needs behind that
 * code are masks, of which each thread has its own bit. */

enum { MOST_BLOCKS = 400 };

struct region {
    const struct wl_unit *unit;
    unsigned registers; /* of a mask */
    uint8_t *inside;    /* by basic block */
    uint32_t *work;
    uint64_t masks[2], others[2]; /* scalar registers that the region writes: with masks; with other values */
    uint64_t left[2];             /* those that hold masks at all its ends */
    uint64_t rows[WL_ROW_WORDS];  /* vector registers that it writes */
};

/* Whether diverged threads may run the instruction; notes what it writes. */
static bool may_run_diverged(struct region *r, const struct wl_inst *inst, const struct state *after) {
    struct wl_effects effects;
    unsigned class = inst->isa ? inst->isa->class : WL_ISA_NOP;
    if (inst->is_dpp || inst->index_mode || class == WL_ISA_LANE || class == WL_ISA_MATRIX || class == WL_ISA_SETREG ||
        class == WL_ISA_TIME || class == WL_ISA_MESSAGE_RETURN || class == WL_ISA_IMAGE || class == WL_ISA_SMEM_STORE ||
        class == WL_ISA_SMEM_ATOMIC)
        return false;
    wl_inst_effects(inst, r->registers * 32, &effects);
    for (unsigned w = 0; w < WL_ROW_WORDS; w++)
        r->rows[w] |= effects.touch.vector[w] | effects.def_lanes[w];
    for (unsigned reg = 0; reg < WL_SGPR_COUNT; reg++)
        if (wl_bit(effects.touch.scalar, reg)) {
            bool exec = reg == WL_SGPR_EXEC || reg == WL_SGPR_EXEC + 1;
            wl_set(exec || wl_bit(after->mask, reg) ? r->masks : r->others, reg);
        }
    return true;
}

/* `s`: what is known where the region goes on with `block`. */
static bool add_block(struct region *r, const struct state *s, uint32_t block, uint32_t join, uint32_t *count) {
    for (unsigned i = 0; i < 2 && block == join; i++)
        r->left[i] &= s->mask[i];
    if (block == join)
        return true;
    if (block == WL_NO_BLOCK || *count == MOST_BLOCKS)
        return false;
    if (!r->inside[block]) {
        r->inside[block] = 1;
        r->work[(*count)++] = block;
    }
    return true;
}

/* Collects what is reachable from `first` before `join`. */
static bool collect(struct region *r, const struct masks *m, uint32_t first, uint32_t join) {
    uint32_t count = 0;
    bool fits = add_block(r, NULL, first, join, &count);
    for (uint32_t at = 0; fits && at < count; at++) {
        const struct wl_block *block = &r->unit->blocks[r->work[at]];
        struct state s = m->starts[r->work[at]];
        for (uint32_t i = 0; fits && i < block->count; i++) {
            step(&s, m, &r->unit->insts[block->first + i]);
            fits = may_run_diverged(r, &r->unit->insts[block->first + i], &s);
        }
        switch (block->end) {
        case WL_BLOCK_NEXT:
        case WL_BLOCK_EXEC:
            fits = fits && add_block(r, &s, block->next, join, &count);
            break;
        case WL_BLOCK_BRANCH:
            fits = fits && add_block(r, &s, block->target, join, &count);
            break;
        case WL_BLOCK_CBRANCH:
            fits = fits && add_block(r, &s, block->next, join, &count) && add_block(r, &s, block->target, join, &count);
            break;
        default:
            fits = false;
        }
    }
    return fits;
}

/* Whether EXEC, in the region, never has a lane that it did not have where the region is entered. */
static bool only_narrows(struct region *r, const struct masks *whole, uint32_t first) {
    struct masks m = {.unit = r->unit, .registers = r->registers, .starts = calloc(r->unit->block_count + 1, sizeof *m.starts)};
    bool within = m.starts != NULL;
    if (within) {
        m.starts[first] = (struct state){.known = true, .exec_equal = true, .exec_within = true, .rest = {UINT64_MAX, UINT64_MAX}};
        memcpy(m.starts[first].none, whole->starts[first].none, sizeof m.starts[first].none);
    }
    for (bool changed = within; changed && within;) {
        changed = false;
        for (uint32_t p = 0; p < r->unit->block_count && within; p++) {
            const struct wl_block *block = &r->unit->blocks[p];
            struct state s = m.starts[p];
            if (!r->inside[p] || !s.known)
                continue;
            for (uint32_t i = 0; i < block->count && within; i++) {
                step(&s, &m, &r->unit->insts[block->first + i]);
                within = s.exec_within;
            }
            uint32_t next[2] = {block->next, block->target};
            for (unsigned i = 0; i < 2; i++)
                if (next[i] != WL_NO_BLOCK && r->inside[next[i]])
                    changed |= hand_on(&m, next[i], &s);
        }
    }
    free(m.starts);
    return within;
}

/* Tells the masks that the region changed from other values that are needed behind it. What is a mask at all its ends, and nothing but a
 * mask behind it, may have been something else within. */
static void find_changed(struct region *r, const struct masks *m, uint32_t join, struct wl_ptx_changed *changed) {
    const uint64_t *live = r->unit->blocks[join].live_in.scalar, *data = m->data[join];
    for (unsigned reg = 0; reg < WL_SGPR_COUNT; reg++) {
        const bool exec = reg == WL_SGPR_EXEC || reg == WL_SGPR_EXEC + 1;
        if (exec || !(wl_bit(r->masks, reg) || wl_bit(r->others, reg)))
            continue;
        const bool is_mask = !wl_bit(data, reg) && (!wl_bit(r->others, reg) || wl_bit(r->left, reg));
        wl_put_bits(r->masks, reg, 1, is_mask);
        wl_put_bits(r->others, reg, 1, !is_mask && wl_bit(live, reg));
    }
    memcpy(changed->masks, r->masks, sizeof r->masks);
    memcpy(changed->rows, r->rows, sizeof r->rows);
}

bool wl_ptx_may_part(const struct wl_ptx_flow *flow, uint32_t p, struct wl_ptx_changed *changed) {
    const struct wl_unit *unit = flow->m.unit;
    const struct wl_block *block = &unit->blocks[p];
    const struct wl_inst *last = block->count ? &unit->insts[block->first + block->count - 1] : NULL;
    if (block->end != WL_BLOCK_CBRANCH || (last->isa->detail != WL_IF_EXECZ && last->isa->detail != WL_IF_EXECNZ))
        return false;
    bool skips = last->isa->detail == WL_IF_EXECZ;
    uint32_t first = skips ? block->next : block->target, join = skips ? block->target : block->next;
    if (first == WL_NO_BLOCK || join == WL_NO_BLOCK || first == join)
        return false;
    struct region r = {.unit = unit,
                       .registers = flow->m.registers,
                       .left = {UINT64_MAX, UINT64_MAX},
                       .inside = calloc(unit->block_count + 1, 1),
                       .work = calloc(MOST_BLOCKS, sizeof *r.work)};
    bool parts = r.inside && r.work && collect(&r, &flow->m, first, join) && only_narrows(&r, &flow->m, first);
    find_changed(&r, &flow->m, join, changed);
    if (parts && (r.others[0] | r.others[1]))
        parts = wl_ptx_is_stale_harmless(unit, r.registers, p, join, r.others);
    free(r.inside);
    free(r.work);
    return parts;
}

/* ---- the analysis ---- */

/* Hands on what is known at the starts of basic blocks until nothing changes, but not to `from`, if that is a basic block. `within`: only as far as
 * EXEC has no lane that it had not there, and through calls. */
static void follow(struct masks *m, uint32_t from, bool within) {
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t p = 0; p < m->unit->block_count; p++) {
            const struct wl_block *block = &m->unit->blocks[p];
            struct state s = m->starts[p];
            if (!s.known)
                continue;
            for (uint32_t i = 0; i < block->count; i++)
                step(&s, m, &m->unit->insts[block->first + i]);
            if (block->end == WL_BLOCK_CALL && !within)
                memset(&s, 0, sizeof s);
            s.known = true;
            if (within && !s.exec_within)
                continue;
            if (block->next != from)
                changed |= hand_on(m, block->next, &s);
            if (block->target != from)
                changed |= hand_on(m, block->target, &s);
        }
    }
}

static const struct state unchanged = {.known = true, .exec_equal = true, .exec_within = true, .rest = {UINT64_MAX, UINT64_MAX}};

bool wl_ptx_exec_gets_no_lane(const struct wl_unit *unit, uint32_t from, uint32_t to) {
    struct masks m = {.unit = unit, .registers = unit->request->wave_size / 32, .starts = calloc(unit->block_count + 1, sizeof *m.starts)};
    bool within = false;
    if (m.starts) {
        m.starts[from] = unchanged;
        follow(&m, from, false);
        within = m.starts[to].known && m.starts[to].exec_within;
    }
    free(m.starts);
    return within;
}

/* ---- what lanes that are off need ---- */

/* Follows what EXEC is, from a basic block on, as far as it has no lane that it had not there. */
static void follow_within(struct masks *m, uint32_t from, const struct masks *whole) {
    memset(m->starts, 0, m->unit->block_count * sizeof *m->starts);
    m->starts[from] = unchanged;
    memcpy(m->starts[from].none, whole->starts[from].none, sizeof m->starts[from].none);
    follow(m, from, true);
}

/* Adds the rows that a lane needs, which is off in a basic block and in what follow_within has found: those that instructions across lanes read,
 * and those that are live where the lane may be on again. */
static void add_needed(struct masks *m, uint32_t p, uint64_t *rows) {
    const struct wl_unit *unit = m->unit;
    const struct wl_block *block = &unit->blocks[p];
    struct state s = m->starts[p];
    for (uint32_t i = 0; i < block->count; i++) {
        struct wl_effects effects;
        wl_inst_effects(&unit->insts[block->first + i], m->registers * 32, &effects);
        wl_rows_add(rows, effects.use_lanes);
        step(&s, m, &unit->insts[block->first + i]);
    }
    if (block->end == WL_BLOCK_CALL || block->end == WL_BLOCK_JUMP)
        memset(rows, 0xff, WL_ROW_WORDS * sizeof *rows);
    const uint32_t next[2] = {block->next, block->target};
    for (unsigned i = 0; i < 2 && !s.exec_within; i++)
        if (next[i] != WL_NO_BLOCK) {
            wl_rows_add(rows, unit->blocks[next[i]].live_in.active);
            wl_rows_add(rows, unit->blocks[next[i]].live_in.inactive);
        }
}

static void find_needed(struct masks *m, uint64_t *rows) {
    for (uint32_t p = 0; p < m->unit->block_count; p++)
        if (m->starts[p].known)
            add_needed(m, p, rows);
}

/* Where EXEC is what it was at the unit's entry, the lanes that are off were off there. */
static void find_limits(struct wl_ptx_flow *flow, struct masks *m, uint64_t (*limits)[WL_ROW_WORDS]) {
    uint64_t at_entry[WL_ROW_WORDS] = {0};
    find_needed(&flow->m, at_entry);
    for (uint32_t p = 0; p < m->unit->block_count; p++) {
        memset(limits[p], 0, sizeof limits[p]);
        if (wl_ptx_flow_full(flow, p)) {
            memcpy(limits[p], at_entry, sizeof at_entry);
            continue;
        }
        follow_within(m, p, &flow->m);
        find_needed(m, limits[p]);
    }
}

void wl_ptx_find_live(struct wl_unit *unit) {
    enum { ROUNDS = 2, MOST_STEPS = 2000000 };
    wl_unit_liveness(unit);
    if ((uint64_t)unit->block_count * unit->inst_count > MOST_STEPS)
        return;
    struct wl_ptx_flow *flow = wl_ptx_flow_create(unit, unit->request->wave_size);
    struct masks m = {.unit = unit, .registers = unit->request->wave_size / 32, .starts = calloc(unit->block_count + 1, sizeof *m.starts)};
    uint64_t(*limits)[WL_ROW_WORDS] = calloc(unit->block_count + 1, sizeof *limits);
    for (unsigned round = 0; round < ROUNDS && flow && m.starts && limits; round++) {
        find_limits(flow, &m, limits);
        wl_unit_liveness_within(unit, (const uint64_t(*)[WL_ROW_WORDS])limits);
    }
    free(limits);
    free(m.starts);
    wl_ptx_flow_destroy(flow);
}

struct wl_ptx_flow *wl_ptx_flow_create(const struct wl_unit *unit, unsigned wave_size) {
    struct wl_ptx_flow *flow = calloc(1, sizeof *flow);
    if (!flow)
        return NULL;
    struct masks *m = &flow->m;
    *m = (struct masks){.unit = unit,
                        .registers = wave_size / 32,
                        .starts = calloc(unit->block_count + 1, sizeof *m->starts),
                        .data = calloc(unit->block_count + 1, sizeof *m->data)};
    if (!m->starts || !m->data) {
        wl_ptx_flow_destroy(flow);
        return NULL;
    }
    wl_ptx_find_data(unit, m->registers, m->data);
    m->starts[unit->entry] = unchanged;
    follow(m, WL_NO_BLOCK, false);
    return flow;
}

bool wl_ptx_flow_full(const struct wl_ptx_flow *flow, uint32_t block) {
    return flow->m.starts[block].known && flow->m.starts[block].exec_equal;
}

void wl_ptx_flow_destroy(struct wl_ptx_flow *flow) {
    if (flow) {
        free(flow->m.starts);
        free(flow->m.data);
    }
    free(flow);
}
