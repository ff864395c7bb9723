/* Follows addresses of private memory through registers, and through the private memory that keeps them between basic blocks; also those in scalar
 * registers, which compilers keep in lanes of vector registers. What it finds is for sanitizers: it takes a selection between nothing and an address
 * for the address, as casts of pointers make it. */
#include "translate/unit/frame.h"

#include "machine/processor.h"
#include "translate/isa/isa.h"

#include <stdlib.h>
#include <string.h>

/* What a register holds. NOTHING: no way through the code leads here so far. SCALED: the frame's place in bytes of a wave, before gfx11.
 * HIGH: the upper half of an address of private memory; BASE: its upper 16 bits. LDS_HIGH, LDS_BASE: of LDS. */
enum value_kind { NOTHING, CONSTANT, FRAME, SCALED, HIGH, BASE, LDS_HIGH, LDS_BASE, UNKNOWN };
struct value {
    uint8_t kind;   /* enum value_kind */
    int32_t number; /* of CONSTANT and FRAME */
};

enum { SGPRS = WL_SGPR_COUNT, VALUES = SGPRS + 2 * WL_AGPR, STACK = 32, MOST_BLOCKS = 4000 };
enum { FIRST_KEPT_SGPR = 30, FIRST_KEPT_VGPR = 40, FIRST_KEPT_AGPR = 32 };
enum { CARRIERS = 4, LANES = 64 }; /* vector registers whose lanes hold scalar ones; those beyond are not followed */

struct state {
    bool reached;
    struct value of[VALUES];
    struct value lanes[CARRIERS][LANES]; /* NOTHING: not written so far */
};
/* A copy of a carrier, with all of its lanes, in private memory or in another register. */
struct copy {
    unsigned place;            /* a cell; WL_FRAME_CELLS and a place in a state */
    struct value lanes[LANES]; /* what is put there, by any instruction */
};
struct follow {
    const struct wl_unit *unit;
    struct state *start; /* of each basic block */
    unsigned carrier_count, copy_count;
    int carriers[CARRIERS]; /* places in a state */
    struct copy copies[2 * CARRIERS];
    struct value cells[WL_FRAME_CELLS]; /* what is stored there, by any instruction */
    struct wl_frame_access *accesses;
    bool changed;
};

static const struct value unknown = {.kind = UNKNOWN};

/* ---- values ---- */

static bool join(struct value *into, struct value from) {
    if (from.kind == NOTHING || into->kind == UNKNOWN || (into->kind == from.kind && into->number == from.number))
        return false;
    *into = into->kind == NOTHING ? from : unknown;
    return true;
}

static int place_of(const struct wl_operand *op, unsigned part) {
    const unsigned reg = op->reg + part;
    if (op->kind == WL_OPERAND_SGPR && reg < SGPRS)
        return (int)reg;
    return op->kind == WL_OPERAND_VGPR && reg < 2 * WL_AGPR ? (int)(SGPRS + reg) : -1;
}

/* One of an operand's dwords. */
static struct value value_of(const struct state *s, const struct wl_operand *op, unsigned part) {
    if (op->kind == WL_OPERAND_IMM && !op->is_float)
        return (struct value){.kind = CONSTANT, .number = part ? (int32_t)((int64_t)op->bits >> 32) : (int32_t)op->bits};
    if (op->kind == WL_OPERAND_SPECIAL && (op->reg == WL_SPECIAL_PRIVATE_BASE || op->reg == WL_SPECIAL_SHARED_BASE))
        return (struct value){.kind = part == 0 ? CONSTANT : op->reg == WL_SPECIAL_PRIVATE_BASE ? HIGH : LDS_HIGH};
    const int place = place_of(op, part);
    return place < 0 ? unknown : s->of[place];
}

static struct value sum_of(struct value a, struct value b) {
    if (a.kind == NOTHING || b.kind == NOTHING)
        return (struct value){0};
    if (a.kind == CONSTANT && (b.kind == CONSTANT || b.kind == FRAME))
        return (struct value){.kind = b.kind, .number = (int32_t)((uint32_t)a.number + (uint32_t)b.number)};
    return a.kind == FRAME && b.kind == CONSTANT ? sum_of(b, a) : unknown;
}

/* A pointer's cast selects 0 for the null pointer. */
static struct value selected(struct value null, struct value other) {
    const bool is_null = null.kind == CONSTANT && null.number == 0;
    return is_null || null.kind == NOTHING || (null.kind == other.kind && null.number == other.number) ? other : unknown;
}

static struct value shifted(struct value base, struct value shift) {
    if (base.kind == NOTHING || shift.kind == NOTHING)
        return (struct value){0};
    if ((base.kind != BASE && base.kind != LDS_BASE) || shift.kind != CONSTANT || shift.number != 16)
        return unknown;
    return (struct value){.kind = base.kind == BASE ? HIGH : LDS_HIGH};
}

/* The upper half of an address to which an index was added. */
static struct value indexed(struct value a, struct value b) {
    if (a.kind == HIGH || a.kind == LDS_HIGH)
        return a;
    return b.kind == HIGH || b.kind == LDS_HIGH || b.kind == NOTHING ? b : a.kind == NOTHING ? a : unknown;
}

static struct value frame_of(struct value scaled, struct value shift) {
    if (scaled.kind == NOTHING || shift.kind == NOTHING)
        return (struct value){0};
    const bool by_lanes = shift.kind == CONSTANT && (shift.number == 5 || shift.number == 6);
    return scaled.kind == SCALED && by_lanes ? (struct value){.kind = FRAME} : unknown;
}

/* ---- accesses ---- */

/* A place in the frame, of an address that is `base` plus `offset`. */
static struct wl_frame_access at(struct value base, int64_t offset, unsigned dwords) {
    const int64_t place = (base.kind == SCALED ? 0 : base.number) + offset;
    struct wl_frame_access access = {.kind = WL_FRAME_SOMEWHERE};
    if ((base.kind == CONSTANT || base.kind == FRAME || base.kind == SCALED) && place >= 0 && place / 4 + dwords < WL_FRAME_CELLS)
        access =
            (struct wl_frame_access){.kind = WL_FRAME_PLACE, .count = (uint8_t)(dwords + (place % 4 != 0)), .cell = (uint16_t)(place / 4)};
    return access;
}

static bool is_off(const struct wl_operand *op) { return op->kind == WL_OPERAND_OFF; }

static struct wl_frame_access access_of(const struct state *s, const struct wl_inst *inst) {
    const struct wl_operand *op = inst->operands;
    const struct wl_isa *isa = inst->isa;
    struct wl_frame_access none = {0};
    if (!isa || (isa->class != WL_ISA_LOAD && isa->class != WL_ISA_STORE) || inst->operand_count < 2)
        return none;
    const unsigned dwords = isa->dwords ? isa->dwords : 1;
    const struct wl_operand *address = isa->class == WL_ISA_LOAD ? &op[1] : &op[0];
    if (isa->space == WL_SPACE_FLAT) {
        const struct value high = value_of(s, address, 1);
        return high.kind == HIGH       ? at(value_of(s, address, 0), inst->offset0, dwords)
               : high.kind == LDS_HIGH ? (struct wl_frame_access){.kind = WL_FRAME_LDS}
                                       : none;
    }
    if (isa->space == WL_SPACE_SCRATCH && inst->operand_count >= 3) {
        const struct value vector = is_off(address) ? (struct value){.kind = CONSTANT} : value_of(s, address, 0),
                           scalar = is_off(&op[2]) ? (struct value){.kind = CONSTANT} : value_of(s, &op[2], 0);
        return at(sum_of(vector, scalar), inst->offset0, dwords);
    }
    if (isa->space == WL_SPACE_BUFFER && inst->operand_count >= 4) { /* by the calling convention the descriptor is in s[0:3] */
        const struct value base = value_of(s, &op[3], 0);
        const bool by_convention = op[2].kind == WL_OPERAND_SGPR && op[2].reg == 0 && (base.kind == SCALED || base.kind == CONSTANT);
        if (inst->is_private || (by_convention && !wl_inst_needs_descriptor(inst)))
            return is_off(&op[1]) ? at(base, inst->offset0, dwords) : (struct wl_frame_access){.kind = WL_FRAME_SOMEWHERE};
    }
    return none;
}

/* ---- scalars in lanes ---- */

static bool writes_lane(const struct wl_inst *inst) { return !strcmp(inst->mnemonic, "v_writelane_b32") && inst->operand_count == 3; }

/* The number of a register among the carriers; as many as there are: it is none. */
static unsigned carrier_of(const struct follow *f, const struct wl_operand *op) {
    unsigned i = 0;
    while (i < f->carrier_count && f->carriers[i] != place_of(op, 0))
        i++;
    return i;
}

static void find_carriers(struct follow *f) {
    for (uint32_t n = 0; n < f->unit->inst_count && f->carrier_count < CARRIERS; n++) {
        const struct wl_inst *inst = &f->unit->insts[n];
        if (writes_lane(inst) && carrier_of(f, &inst->operands[0]) == f->carrier_count)
            f->carriers[f->carrier_count++] = place_of(&inst->operands[0], 0);
    }
}

/* What v_readlane reads. */
static struct value lane_read(const struct follow *f, const struct state *s, const struct wl_inst *inst) {
    const unsigned carrier = carrier_of(f, &inst->operands[1]);
    const struct wl_operand *lane = &inst->operands[2];
    return carrier < f->carrier_count && lane->kind == WL_OPERAND_IMM && lane->bits < LANES ? s->lanes[carrier][lane->bits] : unknown;
}

/* The copies at a place; NULL: there are too many others. */
static struct copy *copy_at(struct follow *f, unsigned place) {
    unsigned i = 0;
    while (i < f->copy_count && f->copies[i].place != place)
        i++;
    if (i == sizeof f->copies / sizeof *f->copies)
        return NULL;
    f->copies[i].place = place;
    if (i == f->copy_count)
        f->copy_count++;
    return &f->copies[i];
}

static void forget_lanes(struct value *lanes) {
    for (unsigned i = 0; i < LANES; i++)
        lanes[i] = unknown;
}

/* A copy of a carrier is made, or is a carrier again. */
static void step_copies(struct follow *f, struct state *s, const struct wl_inst *inst, const struct wl_frame_access *access) {
    const struct wl_operand *op = inst->operands;
    unsigned carrier, place;
    bool back;
    if (access->kind == WL_FRAME_PLACE && access->count == 1) {
        back = inst->isa->class == WL_ISA_LOAD;
        carrier = carrier_of(f, &op[back || inst->isa->space == WL_SPACE_BUFFER ? 0 : 1]);
        place = access->cell;
    } else if (!strcmp(inst->mnemonic, "v_mov_b32") && op[1].kind == WL_OPERAND_VGPR) { /* accumulation registers are such ones, too */
        back = carrier_of(f, &op[0]) < f->carrier_count;
        carrier = carrier_of(f, &op[back ? 0 : 1]);
        place = WL_FRAME_CELLS + (unsigned)place_of(&op[back ? 1 : 0], 0);
    } else {
        return;
    }
    struct copy *copy = carrier < f->carrier_count ? copy_at(f, place) : NULL;
    for (unsigned i = 0; copy && i < LANES; i++)
        if (back)
            s->lanes[carrier][i] = copy->lanes[i];
        else
            f->changed |= join(&copy->lanes[i], s->lanes[carrier][i]);
}

/* What an instruction does to the lanes of carriers. */
static void step_lanes(struct follow *f, struct state *s, const struct wl_inst *inst, const struct wl_frame_access *access,
                       const struct wl_effects *effects) {
    if (writes_lane(inst)) {
        const unsigned carrier = carrier_of(f, &inst->operands[0]);
        const struct wl_operand *lane = &inst->operands[2];
        if (carrier < f->carrier_count && lane->kind == WL_OPERAND_IMM && lane->bits < LANES)
            s->lanes[carrier][lane->bits] = value_of(s, &inst->operands[1], 0);
        else if (carrier < f->carrier_count)
            forget_lanes(s->lanes[carrier]);
        return;
    }
    for (unsigned i = 0; i < f->carrier_count; i++) {
        const unsigned row = (unsigned)(f->carriers[i] - SGPRS);
        if (wl_bit(effects->touch.vector, row) || wl_bit(effects->def_lanes, row))
            forget_lanes(s->lanes[i]);
    }
    step_copies(f, s, inst, access);
}

/* ---- steps ---- */

/* What an instruction reads of the register of the apertures' bases; UNKNOWN: it is no such instruction. */
static enum value_kind base_read(const struct wl_inst *inst) {
    enum { SH_MEM_BASES = 15, REST = 0x7ff, UPPER = 16 << 6 };
    if (!inst->isa || inst->isa->class != WL_ISA_GETREG)
        return UNKNOWN;
    const uint64_t bits = inst->operands[1].bits & REST;
    return bits == SH_MEM_BASES ? BASE : bits == (SH_MEM_BASES | UPPER) ? LDS_BASE : UNKNOWN;
}

/* The first two dwords of an instruction's result, if it is one of those that make addresses. */
static bool result_of(const struct follow *f, const struct state *s, const struct wl_inst *inst, struct value result[2]) {
    const struct wl_operand *op = inst->operands;
    const char *name = inst->mnemonic;
    if (inst->is_dpp || inst->is_sdwa || inst->clamp || inst->operand_count < 2)
        return false;
    if (base_read(inst) != UNKNOWN) {
        result[0] = (struct value){.kind = (uint8_t)base_read(inst)};
    } else if (!strcmp(name, "s_mov_b32") || !strcmp(name, "v_mov_b32")) {
        result[0] = value_of(s, &op[1], 0);
    } else if (!strcmp(name, "s_mov_b64")) {
        for (unsigned i = 0; i < 2; i++)
            result[i] = value_of(s, &op[1], i);
    } else if (!strcmp(name, "v_pk_mov_b32")) {
        for (unsigned i = 0; i < 2; i++)
            result[i] = value_of(s, &op[1 + i], inst->op_sel >> i & 1);
    } else if (!strcmp(name, "s_lshr_b64")) {
        const struct value shift = value_of(s, &op[2], 0);
        if (shift.kind != CONSTANT || shift.number != 32)
            return false;
        result[0] = value_of(s, &op[1], 1);
        result[1] = (struct value){.kind = CONSTANT};
    } else if (!strcmp(name, "v_cndmask_b32")) {
        result[0] = selected(value_of(s, &op[1], 0), value_of(s, &op[2], 0));
    } else if (!strcmp(name, "s_cselect_b32")) {
        result[0] = selected(value_of(s, &op[2], 0), value_of(s, &op[1], 0));
    } else if (!strcmp(name, "v_readlane_b32")) {
        result[0] = lane_read(f, s, inst);
    } else if (!strcmp(name, "s_add_i32") || !strcmp(name, "s_add_u32") || !strcmp(name, "s_add_co_i32") || !strcmp(name, "v_add_nc_u32")) {
        result[0] = sum_of(value_of(s, &op[1], 0), value_of(s, &op[2], 0));
    } else if (!strcmp(name, "v_add_co_ci_u32")) {
        result[0] = indexed(value_of(s, &op[inst->operand_count - 3], 0), value_of(s, &op[inst->operand_count - 2], 0));
    } else if (!strcmp(name, "s_lshl_b32")) {
        result[0] = shifted(value_of(s, &op[1], 0), value_of(s, &op[2], 0));
    } else if (!strcmp(name, "v_lshrrev_b32")) {
        result[0] = frame_of(value_of(s, &op[2], 0), value_of(s, &op[1], 0));
    } else {
        return false;
    }
    return true;
}

static void forget(struct state *s, const uint64_t *set, unsigned first, unsigned count) {
    for (unsigned i = 0; i < count; i++)
        if (wl_bit(set, i))
            s->of[first + i] = unknown;
}

static void step(struct follow *f, struct state *s, uint32_t n) {
    const struct wl_inst *inst = &f->unit->insts[n];
    const struct wl_frame_access access = access_of(s, inst);
    struct value result[2] = {unknown, unknown};
    struct wl_effects effects;
    const bool known = result_of(f, s, inst, result);
    f->accesses[n] = access;
    wl_inst_effects(inst, f->unit->request->wave_size, &effects);
    const bool loads = inst->isa && inst->isa->class == WL_ISA_LOAD, is_place = access.kind == WL_FRAME_PLACE;
    if (is_place && !loads)
        for (unsigned i = 0; i < access.count; i++) {
            const unsigned data = f->unit->insts[n].isa->space == WL_SPACE_BUFFER ? 0 : 1;
            f->changed |= join(&f->cells[access.cell + i], value_of(s, &inst->operands[data], i));
        }
    forget(s, effects.touch.scalar, 0, SGPRS);
    forget(s, effects.touch.vector, SGPRS, 2 * WL_AGPR);
    forget(s, effects.def_lanes, SGPRS, 2 * WL_AGPR);
    step_lanes(f, s, inst, &access, &effects);
    for (unsigned i = 0; i < 4 && (known || (loads && is_place)); i++) {
        const int place = place_of(&inst->operands[0], i);
        if (place >= 0 && known && i < 2 && i < (inst->operands[0].count ? inst->operands[0].count : 1u))
            s->of[place] = result[i];
        else if (place >= 0 && !known && i < access.count && i < inst->operands[0].count)
            s->of[place] = f->cells[access.cell + i];
    }
}

/* By the calling convention a function that is called keeps these registers. */
static bool is_kept(unsigned place) {
    const unsigned row = place - SGPRS;
    if (place < SGPRS)
        return place >= FIRST_KEPT_SGPR;
    return row >= WL_AGPR ? row >= WL_AGPR + FIRST_KEPT_AGPR : row >= FIRST_KEPT_VGPR && row % 16 >= 8;
}

static void call(const struct follow *f, struct state *s) {
    for (unsigned i = 0; i < VALUES; i++)
        if (!is_kept(i))
            s->of[i] = unknown;
    for (unsigned i = 0; i < f->carrier_count; i++)
        if (!is_kept((unsigned)f->carriers[i]))
            forget_lanes(s->lanes[i]);
}

static void join_states(struct follow *f, struct state *into, const struct state *from) {
    f->changed |= !into->reached;
    into->reached = true;
    for (unsigned i = 0; i < VALUES; i++)
        f->changed |= join(&into->of[i], from->of[i]);
    for (unsigned i = 0; i < f->carrier_count; i++)
        for (unsigned lane = 0; lane < LANES; lane++)
            f->changed |= join(&into->lanes[i][lane], from->lanes[i][lane]);
}

static bool makes_addresses(const struct wl_unit *unit) {
    for (uint32_t n = 0; n < unit->inst_count; n++) {
        const struct wl_inst *inst = &unit->insts[n];
        if (base_read(inst) == BASE)
            return true;
        for (unsigned i = 1; i < inst->operand_count; i++)
            if (inst->operands[i].kind == WL_OPERAND_SPECIAL && inst->operands[i].reg == WL_SPECIAL_PRIVATE_BASE)
                return true;
    }
    return false;
}

static void follow_blocks(struct follow *f) {
    const struct wl_unit *unit = f->unit;
    for (uint32_t p = 0; p < unit->block_count; p++) {
        const struct wl_block *block = &unit->blocks[p];
        const uint32_t to[2] = {block->next, block->target};
        struct state now = f->start[p];
        if (!now.reached)
            continue;
        for (uint32_t i = 0; i < block->count; i++)
            step(f, &now, block->first + i);
        if (block->end == WL_BLOCK_CALL)
            call(f, &now);
        for (unsigned i = 0; i < 2; i++)
            if (to[i] != WL_NO_BLOCK)
                join_states(f, &f->start[to[i]], &now);
    }
}

struct wl_frame_access *wl_frame_accesses(const struct wl_unit *unit) {
    if (unit->block_count > MOST_BLOCKS || !makes_addresses(unit))
        return NULL;
    struct follow *f = calloc(1, sizeof *f);
    struct state *start = calloc(unit->block_count, sizeof *start);
    struct wl_frame_access *accesses = calloc(unit->inst_count, sizeof *accesses);
    if (f && start && accesses) {
        struct state *entry = &start[unit->entry];
        const bool is_scaled = wl_processor_generation(unit->request->processor) < 11;
        *f = (struct follow){.unit = unit, .start = start, .accesses = accesses, .changed = true};
        for (unsigned i = 0; i < VALUES; i++)
            entry->of[i] = unknown;
        entry->of[STACK].kind = is_scaled ? SCALED : FRAME;
        entry->reached = true;
        find_carriers(f);
        while (f->changed) {
            f->changed = false;
            follow_blocks(f);
        }
    } else {
        free(accesses);
        accesses = NULL;
    }
    free(f);
    free(start);
    return accesses;
}
