/* Scalar registers of the affine analysis: the products of the workgroup's number and its size, to which work item ids are added. */
#include "translate/analysis/scalar.h"

#include "translate/isa/isa.h"
#include "translate/isa/sem.h"

#include <string.h>

/* VCC and other registers that instructions write without naming them as operands are not followed. */
enum { FOLLOWED = WL_SGPR_FLAT_SCRATCH };

static struct wl_sgpr known(struct wl_value v) {
    struct wl_sgpr s = {.zeros = v.fact.zeros, .above = (uint8_t)(32 - v.fact.bits)};
    return wl_value_is_uniform(v) ? s : (struct wl_sgpr){0};
}

struct wl_value wl_sgpr_value(const struct wl_facts *facts, unsigned reg) {
    if (reg >= WL_SGPR_COUNT)
        return wl_value_uniform();
    if (wl_bit(facts->constant_known, reg))
        return wl_value_constant(facts->constant[reg]);
    const struct wl_sgpr *s = &facts->scalar[reg];
    return wl_value_affine(WL_ALL_LANES, 0, s->zeros, 32u - s->above);
}

static struct wl_value operand_value(const struct wl_facts *facts, const struct wl_operand *op) {
    if (op->kind == WL_OPERAND_IMM)
        return wl_value_constant((uint32_t)wl_operand_bits(op, 32, false, true));
    return op->kind == WL_OPERAND_SGPR ? wl_sgpr_value(facts, op->reg) : wl_value_uniform();
}

static uint8_t kind_of(const struct wl_facts *facts, const struct wl_operand *op) {
    return op->kind == WL_OPERAND_SGPR && op->reg < FOLLOWED ? facts->scalar[op->reg].kind : (uint8_t)WL_SGPR_VALUE;
}

/* Bits that the workgroup's size in x does not have. */
static uint8_t block_zeros(const struct wl_translate_request *request) {
    return request->shape == WL_SHAPE_ROWS || request->shape == WL_SHAPE_SQUARES ? 4
           : request->shape == WL_SHAPE_HALVES || request->wave_size == 32       ? 5
                                                                                 : 6;
}

static struct wl_value block_size(const struct wl_unit *unit, bool x) {
    return wl_value_affine(WL_ALL_LANES, 0, x ? block_zeros(unit->request) : 0, 11); /* at most 1024 */
}

void wl_sgpr_seed(struct wl_facts *facts, const struct wl_translate_request *request) {
    const struct wl_block_size *from = &request->block_size;
    if (from->in_kernarg && from->kernarg_register + 1 < FOLLOWED)
        facts->scalar[from->kernarg_register].kind = WL_SGPR_KERNARG;
    if (from->in_packet && from->packet_register + 1 < FOLLOWED)
        facts->scalar[from->packet_register].kind = WL_SGPR_PACKET;
}

void wl_sgpr_forget(struct wl_facts *facts, const struct wl_operand *op) {
    if (op->kind != WL_OPERAND_SGPR)
        return;
    for (unsigned i = 0; i < op->count; i++) {
        unsigned reg = op->reg + i;
        if (reg < WL_SGPR_COUNT) {
            facts->constant_known[reg / 64] &= ~(UINT64_C(1) << reg % 64);
            facts->scalar[reg] = (struct wl_sgpr){0};
            if (i == 0 && reg && facts->scalar[reg - 1].kind != WL_SGPR_BLOCK)
                facts->scalar[reg - 1].kind = WL_SGPR_VALUE; /* an address lost its high half */
            facts->breaks[reg] = 0;
            if (reg && facts->breaks[reg - 1] & WL_BREAKS_PAIR)
                facts->breaks[reg - 1] = 0;
        }
        if (facts->carry == reg + 1)
            facts->carry = 0;
    }
}

static void learn_constant(struct wl_facts *facts, const struct wl_inst *inst) {
    const struct wl_operand *to = &inst->operands[0], *from = &inst->operands[1];
    bool wide = strcmp(inst->mnemonic, "s_mov_b64") == 0;
    if ((!wide && strcmp(inst->mnemonic, "s_mov_b32") != 0) || to->kind != WL_OPERAND_SGPR || from->kind != WL_OPERAND_IMM)
        return;
    uint64_t bits = wl_operand_bits(from, wide ? 64 : 32, false, true);
    for (unsigned i = 0; i < (wide ? 2u : 1u) && to->reg + i < WL_SGPR_FLAT_SCRATCH; i++) {
        facts->constant[to->reg + i] = (uint32_t)(bits >> (32 * i));
        wl_set(facts->constant_known, to->reg + i);
        facts->scalar[to->reg + i] = known(wl_value_constant(facts->constant[to->reg + i]));
    }
}

/* ---- rules ---- */

struct inputs {
    struct wl_value a, b;
    uint8_t kind; /* of a */
};

static struct wl_value rule_move(const struct inputs *in) { return in->a; }
static struct wl_value rule_add(const struct inputs *in) { return wl_value_add(in->a, in->b); }
static struct wl_value rule_mul(const struct inputs *in) { return wl_value_mul(in->a, in->b); }
static struct wl_value rule_and(const struct inputs *in) { return wl_value_and(in->a, in->b); }
static struct wl_value rule_or(const struct inputs *in) { return wl_value_or(in->a, in->b); }
static struct wl_value rule_shl(const struct inputs *in) { return wl_value_shl(in->a, in->b); }
static struct wl_value rule_shr(const struct inputs *in) { return wl_value_shr(in->a, in->b, false); }

static const struct rule {
    const char *name;
    struct wl_value (*apply)(const struct inputs *in);
} rules[] = {
    {"s_mov_b32", rule_move}, {"s_add_i32", rule_add}, {"s_add_u32", rule_add},  {"s_mul_i32", rule_mul},
    {"s_and_b32", rule_and},  {"s_or_b32", rule_or},   {"s_lshl_b32", rule_shl}, {"s_lshr_b32", rule_shr},
};

static bool shifts_down(const struct wl_inst *inst) { return strcmp(inst->mnemonic, "s_lshr_b32") == 0; }

/* What a scalar instruction with one result computes. */
static struct wl_value compute(const struct wl_facts *facts, const struct wl_unit *unit, const struct wl_inst *inst) {
    const struct wl_operand *op = inst->operands;
    if (inst->operand_count < 2 || op[0].count > 1)
        return wl_value_unknown;
    struct inputs in = {operand_value(facts, &op[1]), wl_value_uniform(), kind_of(facts, &op[1])};
    if (inst->operand_count > 2)
        in.b = operand_value(facts, &op[2]);
    if (in.kind == WL_SGPR_BLOCK && in.b.is_constant) {
        if (strcmp(inst->mnemonic, "s_and_b32") == 0 && in.b.constant == 0xffff)
            return block_size(unit, true);
        if (shifts_down(inst) && in.b.constant == 16)
            return block_size(unit, false);
        if (strcmp(inst->mnemonic, "s_bfe_u32") == 0 && in.b.constant == (16u << 16))
            return block_size(unit, true);
    }
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++)
        if (strcmp(inst->mnemonic, rules[i].name) == 0)
            return rules[i].apply(&in);
    return wl_value_unknown;
}

/* The workgroup's size where it is loaded. */
static void learn_load(struct wl_facts *facts, const struct wl_unit *unit, const struct wl_inst *inst, uint8_t base) {
    const struct wl_block_size *from = &unit->request->block_size;
    const struct wl_operand *op = inst->operands;
    int64_t place = base == WL_SGPR_KERNARG ? from->kernarg_offset : from->packet_offset;
    int64_t offset = inst->offset0;
    if (place % 4 || inst->isa->detail != WL_SMEM_MEMORY)
        return;
    for (unsigned i = 2; i < inst->operand_count; i++) {
        if (op[i].kind == WL_OPERAND_IMM)
            offset += (int64_t)op[i].bits;
        else if (op[i].kind == WL_OPERAND_SGPR)
            return;
    }
    if (inst->isa->bits == 16 && offset == place && !inst->isa->sign && op[0].reg < FOLLOWED)
        facts->scalar[op[0].reg] = known(block_size(unit, true));
    for (unsigned i = 0; inst->isa->bits == 32 && i < inst->isa->dwords; i++)
        if (offset + 4 * i == place && op[0].reg + i < FOLLOWED)
            facts->scalar[op[0].reg + i].kind = WL_SGPR_BLOCK;
}

void wl_sgpr_step(struct wl_facts *facts, const struct wl_unit *unit, const struct wl_inst *inst) {
    const struct wl_operand *to = &inst->operands[0];
    bool follows = inst->operand_count && to->kind == WL_OPERAND_SGPR && to->reg < FOLLOWED;
    bool loads = inst->isa && inst->isa->class == WL_ISA_SMEM_LOAD;
    uint8_t base = loads && inst->operand_count > 1 ? kind_of(facts, &inst->operands[1]) : (uint8_t)WL_SGPR_VALUE;
    struct wl_value value = inst->sem && follows ? compute(facts, unit, inst) : wl_value_unknown;
    wl_sgpr_forget(facts, to);
    if (inst->isa && (inst->isa->class == WL_ISA_MOVREL || inst->isa->class == WL_ISA_SETREG)) {
        facts->constant_known[0] = facts->constant_known[1] = 0;
        memset(facts->scalar, 0, sizeof facts->scalar);
        memset(facts->breaks, 0, sizeof facts->breaks);
    }
    if (inst->sem)
        for (unsigned i = 0; i < inst->sem->result_count; i++)
            if (inst->sem->results[i].role == WL_ROLE_VCC_SCALAR)
                facts->carry = facts->breaks[WL_SGPR_VCC] = 0;
    if (wl_value_is_uniform(value))
        facts->scalar[to->reg] = known(value);
    if (inst->sem && inst->operand_count == 2)
        learn_constant(facts, inst);
    if (loads && follows && (base == WL_SGPR_KERNARG || base == WL_SGPR_PACKET))
        learn_load(facts, unit, inst, base);
}

bool wl_sgpr_join(struct wl_sgpr *to, const struct wl_sgpr *from, bool first) {
    bool changed = false;
    for (unsigned reg = 0; reg < WL_SGPR_COUNT; reg++) {
        struct wl_sgpr is = from ? from[reg] : (struct wl_sgpr){0}, *was = &to[reg];
        if (first) {
            *was = is;
            continue;
        }
        /* At once, or a loop would come back for every bit. */
        if (was->kind != is.kind || was->zeros > is.zeros || was->above > is.above) {
            uint8_t zeros = was->zeros > is.zeros ? is.zeros : was->zeros;
            struct wl_sgpr now = {was->kind == is.kind ? was->kind : (uint8_t)WL_SGPR_VALUE, zeros, was->above > is.above ? 0 : was->above};
            changed |= now.kind != was->kind || now.zeros != was->zeros || now.above != was->above;
            *was = now;
        }
    }
    return changed;
}
