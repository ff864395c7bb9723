/* Additions that compilers have joined, in loops that are run strip by strip (strip_loop.h).
 *
 *     P  s_mov M, exec                  the lanes that add; M may hold them only here
 *        v_mbcnt R, M                   (lo and hi) each lane's rank among them
 *        v_cmp_eq 0, R; s_and_saveexec  the first of them
 *        s_cbranch_execz J
 *     L  s_bcnt1 C, M                   adds their number,
 *        v_mov D, C
 *        global_atomic_add O, address, D
 *     J  s_or exec, exec, saved
 *     B  v_readfirstlane S, O           and all get the old value:
 *        v_add T, S, R                  a lane's place
 *
 * A strip does the same for its own lanes if all of this is used for nothing else, the address is the wave's, and no other way leads into
 * it. L and J may end in a branch. Where nobody wants the old value, there is no B. */
#include "translate/analysis/affine.h"
#include "translate/analysis/strip_loop.h"
#include "translate/isa/isa.h"
#include "translate/isa/lane.h"
#include "translate/isa/sem.h"

#include <stdlib.h>
#include <string.h>

struct idiom {
    struct wl_unit *unit;
    const struct wl_strip_loop *loop;
    unsigned registers;          /* of a mask */
    unsigned mask, rank, result; /* M, R, O */
    bool returns;
    uint64_t saved[2]; /* registers that hold P's EXEC */
    uint32_t ask;      /* basic blocks: that of the first lane's test, L, J, and B */
    uint32_t leader, join, behind;
    struct wl_inst *parts[5]; /* to be marked: RANK, RANK_HIGH, COUNT, FIRST */
    struct wl_effects effects;
    struct wl_affine *affine;
    struct wl_facts *facts;
};

static struct wl_inst *inst_of(const struct idiom *i, uint32_t block, uint32_t n) {
    return &i->unit->insts[i->unit->blocks[block].first + n];
}

static uint32_t count_of(const struct idiom *i, uint32_t block) { return i->unit->blocks[block].count; }

static bool is_lane_op(const struct wl_inst *inst, unsigned detail) {
    return inst->isa && inst->isa->class == WL_ISA_LANE && inst->isa->detail == detail && !inst->is_dpp;
}

static bool is_row(const struct wl_operand *operand, unsigned row) {
    return operand->kind == WL_OPERAND_VGPR && operand->reg == row && operand->count == 1 && !operand->neg && !operand->abs;
}

static bool is_scalar(const struct wl_operand *operand, unsigned reg) {
    return operand->kind == WL_OPERAND_SGPR && operand->reg == reg && operand->count == 1;
}

static bool is_zero(const struct wl_operand *operand) {
    return operand->kind == WL_OPERAND_IMM && operand->bits == 0 && !operand->is_float;
}

static bool is_nop(const struct wl_inst *inst) { return inst->isa && inst->isa->class == WL_ISA_NOP; }

static void look(struct idiom *i, const struct wl_inst *inst) { wl_inst_effects(inst, i->unit->request->wave_size, &i->effects); }

static bool uses_row(const struct idiom *i, unsigned row) {
    return wl_bit(i->effects.use.vector, row) || wl_bit(i->effects.use_lanes, row);
}

static bool touches_mask(const struct idiom *i, unsigned reg) { return wl_any_bit(i->effects.touch.scalar, reg, i->registers); }

/* Which of the active lanes the row was written in. */
static bool row_lives(const struct wl_live *live, unsigned row) { return wl_bit(live->active, row); }

/* Whether code other than the idiom may read what the idiom leaves in a row: in the loop, without a write to the row before under the same
 * EXEC (a basic block has one EXEC), or behind the loop. B was checked elsewhere. (Liveness cannot answer this: it does not know that the
 * idiom's own reads behind J are of lanes that have what P and L made.) */
static bool is_seen(struct idiom *i, unsigned row) {
    const struct wl_live *behind = &i->unit->blocks[i->loop->exit].live_in;
    if (row_lives(behind, row) || wl_bit(behind->inactive, row))
        return true;
    for (uint32_t p = 0; p < i->loop->count; p++) {
        const uint32_t block = i->loop->blocks[p];
        bool written = block == i->behind && i->returns;
        for (uint32_t n = 0; n < count_of(i, block) && !written; n++) {
            look(i, inst_of(i, block, n));
            if (uses_row(i, row))
                return true;
            written = wl_bit(i->effects.def.vector, row);
        }
    }
    return false;
}

/* The ways into a basic block. */
static unsigned ways_to(const struct idiom *i, uint32_t block) {
    unsigned ways = block == i->unit->entry;
    for (uint32_t p = 0; p < i->unit->block_count; p++)
        ways += (i->unit->blocks[p].next == block) + (i->unit->blocks[p].target == block);
    return ways;
}

/* ---- P ---- */

/* Forgets the copies of EXEC that the instruction at hand overwrites. */
static void forget_copies(struct idiom *i) {
    for (unsigned reg = 0; reg < WL_SGPR_COUNT; reg++)
        if (wl_bit(i->saved, reg) && touches_mask(i, reg))
            wl_put_bits(i->saved, reg, 1, false);
}

/* The registers to which P copies EXEC before instruction `n`, and that still hold it; M is one of them. */
static void find_copies(struct idiom *i, uint32_t block, uint32_t n) {
    struct wl_mask_work work;
    memset(i->saved, 0, sizeof i->saved);
    for (uint32_t k = 0; k < n; k++) {
        const struct wl_inst *inst = inst_of(i, block, k);
        look(i, inst);
        forget_copies(i);
        bool copies = wl_mask_work(inst, i->unit->request->wave_size, &work) && work.logic == WL_MASK_MOVE && !work.saves &&
                      work.a.kind == WL_OPERAND_SGPR && work.a.reg == WL_SGPR_EXEC;
        if (copies)
            wl_set(i->saved, work.to);
    }
}

/* Where v_mbcnt_hi is that belongs to v_mbcnt_lo at `n`; 0: there is none. */
static uint32_t find_high(struct idiom *i, uint32_t block, uint32_t n) {
    for (uint32_t k = n + 1; k < count_of(i, block); k++) {
        struct wl_inst *inst = inst_of(i, block, k);
        look(i, inst);
        if (is_lane_op(inst, WL_LANE_MBCNT_HI) && is_scalar(&inst->operands[1], i->mask + 1) && is_row(&inst->operands[2], i->rank)) {
            i->rank = inst->operands[0].reg;
            i->parts[1] = inst;
            return k;
        }
        if (uses_row(i, i->rank) || wl_bit(i->effects.touch.vector, i->rank) || touches_mask(i, i->mask))
            return 0;
    }
    return 0;
}

static bool compares_rank(const struct idiom *i, const struct wl_inst *inst, unsigned first) {
    const struct wl_operand *a = &inst->operands[first], *b = a + 1;
    return inst->operand_count == first + 2 && ((is_zero(a) && is_row(b, i->rank)) || (is_zero(b) && is_row(a, i->rank)));
}

/* Looks behind v_mbcnt at `n` for a comparison of the rank with 0, by which EXEC is narrowed at the end. */
static bool find_test(struct idiom *i, uint32_t block, uint32_t n) {
    unsigned test = WL_SGPR_COUNT;
    struct wl_mask_work work;
    const uint32_t last = count_of(i, block) - 1;
    for (uint32_t k = n + 1; k <= last; k++) {
        const struct wl_inst *inst = inst_of(i, block, k);
        look(i, inst);
        bool compares = inst->sem && !strcmp(inst->mnemonic, "v_cmp_eq_u32") && compares_rank(i, inst, 1) && !inst->is_sdwa;
        if (k == last && inst->isa && inst->isa->class == WL_ISA_CMPX) {
            forget_copies(i);
            return !strcmp(inst->mnemonic, "v_cmpx_eq_u32") && compares_rank(i, inst, inst->operand_count == 3);
        }
        if ((uses_row(i, i->rank) && !compares) || wl_bit(i->effects.touch.vector, i->rank) || touches_mask(i, i->mask))
            return false;
        if (k == last)
            break;
        forget_copies(i);
        if (test < WL_SGPR_COUNT && touches_mask(i, test))
            return false;
        if (compares)
            test = inst->operands[0].reg;
    }
    const struct wl_inst *end = inst_of(i, block, last);
    if (!wl_mask_work(end, i->unit->request->wave_size, &work) || work.logic != WL_MASK_AND || work.to != WL_SGPR_EXEC || work.saves_new)
        return false;
    const struct wl_operand *other = work.a.kind == WL_OPERAND_SGPR && work.a.reg == WL_SGPR_EXEC ? &work.b : &work.a;
    if (other->kind != WL_OPERAND_SGPR || other->reg != test)
        return false;
    forget_copies(i);
    if (work.saves)
        wl_set(i->saved, work.saved);
    return true;
}

/* ---- L and J ---- */

static bool has_wave_address(struct idiom *i, uint32_t n) {
    const struct wl_block *block = &i->unit->blocks[i->leader];
    const struct wl_inst *atomic = inst_of(i, i->leader, n);
    if (!i->affine)
        i->affine = wl_affine_create(i->unit);
    if (!i->facts)
        i->facts = malloc(sizeof *i->facts);
    if (!i->affine || !i->facts)
        return false;
    wl_affine_start(i->affine, i->leader, WL_MODE_MASKED, i->facts);
    for (uint32_t k = 0; k < n; k++)
        wl_affine_step(i->facts, i->unit, &i->unit->insts[block->first + k], WL_MODE_MASKED);
    const struct wl_operand *address = &atomic->operands[atomic->returns];
    for (unsigned r = 0; address->kind == WL_OPERAND_VGPR && r < address->count; r++) {
        const struct wl_fact *fact = &i->facts->row[address->reg + r];
        if (!wl_fact_is_uniform(fact) || fact->lanes != WL_ALL_LANES)
            return false;
    }
    return address->kind == WL_OPERAND_VGPR;
}

static bool is_addition(const struct wl_inst *inst, unsigned data) {
    const struct wl_isa *isa = inst->isa;
    if (!isa || isa->class != WL_ISA_ATOMIC || isa->space != WL_SPACE_GLOBAL || isa->atomic != WL_ATOMIC_ADD || isa->bits != 32)
        return false;
    unsigned at = inst->returns + 1u;
    return inst->operand_count > at && is_row(&inst->operands[at], data) && (!inst->returns || inst->operands[0].kind == WL_OPERAND_VGPR);
}

static bool find_addition(struct idiom *i) {
    const struct wl_block *block = &i->unit->blocks[i->leader];
    unsigned count = WL_SGPR_COUNT, data = WL_VGPR_COUNT;
    bool added = false, rank_lost = false;
    for (uint32_t n = 0; n < block->count; n++) {
        struct wl_inst *inst = inst_of(i, i->leader, n);
        const struct wl_operand *op = inst->operands;
        look(i, inst);
        bool moves = !strcmp(inst->mnemonic, "v_mov_b32") && inst->operand_count == 2 && !inst->is_sdwa && !inst->is_dpp;
        if (is_nop(inst) || (inst->isa && inst->isa->class == WL_ISA_BRANCH))
            continue;
        if (!strncmp(inst->mnemonic, "s_bcnt1_i32_b", 13) && op[1].kind == WL_OPERAND_SGPR && op[1].reg == i->mask &&
            op[1].count == i->registers && count == WL_SGPR_COUNT) {
            count = op[0].reg;
            i->parts[2] = inst;
        } else if (moves && count < WL_SGPR_COUNT && is_scalar(&op[1], count) && data == WL_VGPR_COUNT) {
            data = op[0].reg;
        } else if (!added && data < WL_VGPR_COUNT && is_addition(inst, data) && has_wave_address(i, n)) {
            added = true;
            i->returns = inst->returns;
            i->result = inst->returns ? op[0].reg : WL_VGPR_COUNT;
        } else if (!moves || (op[1].kind != WL_OPERAND_IMM && op[1].kind != WL_OPERAND_SGPR) ||
                   (op[1].kind == WL_OPERAND_SGPR && (op[1].reg == count || op[1].reg - i->mask < i->registers)) || op[0].reg == data) {
            return false;
        }
        forget_copies(i);
        rank_lost |= wl_bit(i->effects.touch.vector, i->rank);
    }
    if (rank_lost && i->returns)
        return false;
    bool data_lives = row_lives(&block->live_out, data < WL_VGPR_COUNT ? data : 0) && data != i->result;
    bool mask_lives = false;
    for (unsigned r = 0; added && r < i->registers; r++) /* the number may lie in a half of the copy */
        mask_lives |= count - i->mask < i->registers && wl_bit(block->live_out.scalar, i->mask + r);
    return added && !data_lives && !mask_lives && !wl_bit(block->live_out.scalar, count) && !wl_bit(block->live_out.scalar, WL_SGPR_SCC);
}

/* J: EXEC is what P had. */
static bool joins(struct idiom *i) {
    const uint32_t last = count_of(i, i->join) - 1;
    struct wl_mask_work work;
    for (uint32_t n = 0; n < last; n++)
        if (!is_nop(inst_of(i, i->join, n)))
            return false;
    if (!wl_mask_work(inst_of(i, i->join, last), i->unit->request->wave_size, &work) || work.logic != WL_MASK_OR || work.saves ||
        work.to != WL_SGPR_EXEC)
        return false;
    const struct wl_operand *other = work.a.kind == WL_OPERAND_SGPR && work.a.reg == WL_SGPR_EXEC ? &work.b : &work.a;
    return other->kind == WL_OPERAND_SGPR && wl_bit(i->saved, other->reg) && i->unit->blocks[i->join].end == WL_BLOCK_EXEC;
}

/* ---- B ---- */

/* What makes an address of the place. */
static bool is_address_step(const struct wl_inst *inst) {
    static const char *const names[] = {"v_lshlrev_b64",   "v_lshlrev_b32",  "v_add_nc_u32",   "v_add_co_u32",
                                        "v_add_co_ci_u32", "v_lshl_add_u32", "v_add_lshl_u32", "v_lshl_add_u64",
                                        "v_mov_b32",       "v_add3_u32",     "v_ashrrev_i32"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (!strcmp(inst->mnemonic, names[i]))
            return true;
    return false;
}

/* Rows that are computed of the place. */
static void follow_aggregate(struct idiom *i, struct wl_inst *inst, uint64_t of[WL_ROW_WORDS], bool is_aggregate) {
    bool uses = false;
    for (unsigned w = 0; w < WL_ROW_WORDS; w++)
        uses |= (i->effects.use.vector[w] & of[w]) != 0;
    if (inst->isa && inst->isa->class == WL_ISA_STORE) {
        bool there = inst->isa->space == WL_SPACE_GLOBAL && inst->operands[0].kind == WL_OPERAND_VGPR && wl_bit(of, inst->operands[0].reg);
        inst->aggregate = there ? WL_AGGREGATE_STORE : WL_AGGREGATE_NONE;
    }
    for (unsigned w = 0; w < WL_ROW_WORDS; w++) {
        of[w] &= ~i->effects.touch.vector[w];
        if (is_aggregate || (uses && inst->sem && is_address_step(inst)))
            of[w] |= i->effects.touch.vector[w];
    }
}

static bool adds_rank(const struct idiom *i, const struct wl_inst *inst, unsigned base) {
    const struct wl_operand *a = &inst->operands[1], *b = a + 1;
    return inst->operand_count == 3 && !strcmp(inst->mnemonic, "v_add_nc_u32") && !inst->clamp && !inst->is_sdwa && !inst->is_dpp &&
           ((is_scalar(a, base) && is_row(b, i->rank)) || (is_scalar(b, base) && is_row(a, i->rank)));
}

static bool find_aggregates(struct idiom *i) {
    const struct wl_block *block = &i->unit->blocks[i->behind];
    bool rank = true, result = true, base_lives = false;
    unsigned base = WL_SGPR_COUNT;
    uint64_t of[WL_ROW_WORDS] = {0};
    for (uint32_t n = 0; n < block->count; n++) {
        struct wl_inst *inst = inst_of(i, i->behind, n);
        look(i, inst);
        bool first = result && base == WL_SGPR_COUNT && is_lane_op(inst, WL_LANE_READFIRSTLANE) && is_row(&inst->operands[1], i->result);
        bool adds = base_lives && rank && adds_rank(i, inst, base);
        bool uses_base = base_lives && wl_bit(i->effects.use.scalar, base);
        if (((rank && uses_row(i, i->rank)) || uses_base) && !adds)
            return false;
        if (result && uses_row(i, i->result) && !first)
            return false;
        rank &= !wl_bit(i->effects.touch.vector, i->rank);
        result &= !wl_bit(i->effects.touch.vector, i->result);
        base_lives &= base == WL_SGPR_COUNT || !wl_bit(i->effects.touch.scalar, base);
        if (first) {
            base = inst->operands[0].reg;
            base_lives = true;
            i->parts[3] = inst;
        }
        follow_aggregate(i, inst, of, adds);
    }
    if (base == WL_SGPR_COUNT || (base_lives && wl_bit(block->live_out.scalar, base)))
        return false;
    return !(rank && is_seen(i, i->rank)) && !(result && is_seen(i, i->result));
}

/* ---- the whole ---- */

/* The aggregated atomic that begins with v_mbcnt_lo at instruction `n` of a basic block. */
static void find_idiom(struct idiom *i, uint32_t block, uint32_t n) {
    struct wl_inst *low = inst_of(i, block, n);
    const struct wl_unit *unit = i->unit;
    memset(i->parts, 0, sizeof i->parts);
    if (low->operands[1].kind != WL_OPERAND_SGPR || !is_zero(&low->operands[2]) || unit->blocks[block].end != WL_BLOCK_EXEC)
        return;
    i->parts[0] = low;
    i->mask = low->operands[1].reg;
    i->rank = low->operands[0].reg;
    find_copies(i, block, n);
    if (!wl_bit(i->saved, i->mask))
        return;
    uint32_t at = i->registers == 2 ? find_high(i, block, n) : n;
    if ((i->registers == 2 && !at) || !find_test(i, block, at))
        return;
    i->ask = unit->blocks[block].next;
    if (i->ask == WL_NO_BLOCK || unit->blocks[i->ask].count != 1 || !wl_strip_on_exec(unit, &unit->blocks[i->ask], &i->join, &i->leader) ||
        i->join == i->leader)
        return;
    const struct wl_block *leader = &unit->blocks[i->leader];
    bool leads = (leader->end == WL_BLOCK_NEXT && leader->next == i->join) || (leader->end == WL_BLOCK_BRANCH && leader->target == i->join);
    if (!leads || ways_to(i, i->ask) != 1 || ways_to(i, i->leader) != 1 || ways_to(i, i->join) != 2 || !find_addition(i) || !joins(i))
        return;
    i->behind = unit->blocks[i->join].next;
    if (i->behind == WL_NO_BLOCK || ways_to(i, i->behind) != 1)
        return;
    if (i->returns ? !find_aggregates(i) : is_seen(i, i->rank))
        return;
    static const uint8_t marks[] = {WL_AGGREGATE_RANK, WL_AGGREGATE_RANK_HIGH, WL_AGGREGATE_COUNT, WL_AGGREGATE_FIRST};
    for (unsigned k = 0; k < sizeof marks; k++)
        if (i->parts[k])
            i->parts[k]->aggregate = marks[k];
}

bool wl_strip_aggregates_find(struct wl_unit *unit, const struct wl_strip_loop *loop) {
    struct idiom *i = calloc(1, sizeof *i);
    if (!i)
        return false;
    *i = (struct idiom){.unit = unit, .loop = loop, .registers = unit->request->wave_size / 32};
    for (uint32_t p = 0; p < loop->count; p++)
        for (uint32_t n = 0; n < unit->blocks[loop->blocks[p]].count; n++)
            if (is_lane_op(inst_of(i, loop->blocks[p], n), WL_LANE_MBCNT_LO))
                find_idiom(i, loop->blocks[p], n);
    wl_affine_destroy(i->affine);
    free(i->facts);
    free(i);
    return true;
}
