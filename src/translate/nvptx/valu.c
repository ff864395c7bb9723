/* Instructions with semantics: lift/inst/valu.c's code for one element, carries as 64-bit sums, and logic on masks. */
#include "translate/lift/inst/inst.h"
#include "translate/lift/values.h"
#include "translate/nvptx/analysis.h"
#include "translate/nvptx/inst.h"
#include "translate/nvptx/ptx.h"

#include <stdio.h>
#include <string.h>

/* ---- logic on masks: bits and predicates side by side ---- */

enum logic { AND, OR, XOR, NAND, NOR, XNOR, AND_NOT1, OR_NOT1, NOT, MOVE, SELECT, NO_LOGIC };

static const struct {
    const char *name; /* without _b32, _b64 */
    uint8_t logic;
} logic_names[] = {
    {"s_and", AND},           {"s_or", OR},           {"s_xor", XOR}, {"s_nand", NAND}, {"s_nor", NOR},        {"s_xnor", XNOR},
    {"s_and_not1", AND_NOT1}, {"s_or_not1", OR_NOT1}, {"s_not", NOT}, {"s_mov", MOVE},  {"s_cselect", SELECT},
};

/* *registers: 1 or 2. */
static enum logic find_logic(const struct wl_inst *inst, unsigned *registers) {
    size_t length = strlen(inst->mnemonic);
    if (length < 5 || (strcmp(inst->mnemonic + length - 4, "_b32") != 0 && strcmp(inst->mnemonic + length - 4, "_b64") != 0))
        return NO_LOGIC;
    *registers = inst->mnemonic[length - 2] == '6' ? 2 : 1;
    for (size_t i = 0; i < sizeof logic_names / sizeof *logic_names; i++)
        if (strlen(logic_names[i].name) == length - 4 && !strncmp(inst->mnemonic, logic_names[i].name, length - 4))
            return (enum logic)logic_names[i].logic;
    return NO_LOGIC;
}

static LLVMValueRef apply(struct wl_lift *l, enum logic logic, LLVMValueRef a, LLVMValueRef b) {
    LLVMBuilderRef build = l->b;
    switch (logic) {
    case AND:
        return LLVMBuildAnd(build, a, b, "");
    case OR:
        return LLVMBuildOr(build, a, b, "");
    case XOR:
        return LLVMBuildXor(build, a, b, "");
    case NAND:
        return LLVMBuildNot(build, LLVMBuildAnd(build, a, b, ""), "");
    case NOR:
        return LLVMBuildNot(build, LLVMBuildOr(build, a, b, ""), "");
    case XNOR:
        return LLVMBuildNot(build, LLVMBuildXor(build, a, b, ""), "");
    case AND_NOT1:
        return LLVMBuildAnd(build, a, LLVMBuildNot(build, b, ""), "");
    case OR_NOT1:
        return LLVMBuildOr(build, a, LLVMBuildNot(build, b, ""), "");
    case NOT:
        return LLVMBuildNot(build, a, "");
    default:
        return a;
    }
}

/* One dword of a scalar operand: its bits and the predicate of them. */
struct form {
    LLVMValueRef bits, predicate;
};

static struct form operand_form(struct wl_lift *l, const struct wl_operand *op, unsigned word, unsigned registers) {
    struct form f;
    if (op->kind == WL_OPERAND_SGPR && word < (op->count ? op->count : 1u)) {
        f.bits = wl_lift_sgpr(l, op->reg + word);
        f.predicate = wl_ptx_predicate(l, op->reg + word);
        return f;
    }
    LLVMValueRef whole = wl_lift_scalar_operand(l, op, registers == 2 ? WL_U64 : WL_U32);
    if (registers == 2)
        whole = LLVMBuildTrunc(l->b, LLVMBuildLShr(l->b, whole, wl_lift_int(l, l->i64, 32 * word), ""), l->i32, "");
    f.bits = whole;
    bool all = LLVMIsConstant(whole) && whole == LLVMConstAllOnes(l->i32), none = LLVMIsConstant(whole) && LLVMIsNull(whole);
    f.predicate = all || none ? LLVMConstInt(l->i1, all, 0) : LLVMBuildTrunc(l->b, LLVMBuildLShr(l->b, whole, l->ptx->lane, ""), l->i1, "");
    if (l->ptx->lane_per_thread && registers == 2) {
        LLVMValueRef pair = wl_lift_scalar_operand(l, op, WL_U64), upper = LLVMBuildLShr(l->b, pair, wl_lift_int(l, l->i64, 32), "");
        f.predicate = wl_ptx_bit_of(l, LLVMBuildTrunc(l->b, pair, l->i32, ""), LLVMBuildTrunc(l->b, upper, l->i32, ""));
    }
    return f;
}

static void set_forms(struct wl_lift *l, unsigned reg, const struct form *f, unsigned registers) {
    for (unsigned w = 0; w < registers; w++)
        wl_lift_set_sgpr(l, reg + w, f[w].bits);
    for (unsigned w = 0; w < registers && (registers == 2 || !l->ptx->lane_per_thread); w++)
        wl_ptx_set_predicate(l, reg + w, f[w].predicate);
}

/* SCC: whether any bit of the result is set. A vote where it is a mask, whose bits nobody may need. */
static void set_scc(struct wl_lift *l, const struct form *result, unsigned registers, bool is_mask) {
    is_mask &= registers == 2 || !l->ptx->lane_per_thread;
    LLVMValueRef some = is_mask ? result[0].predicate : result[0].bits;
    if (registers == 2)
        some = LLVMBuildOr(l->b, some, is_mask ? result[1].predicate : result[1].bits, "");
    some = is_mask ? wl_ptx_vote_any(l, some) : LLVMBuildICmp(l->b, LLVMIntNE, some, LLVMConstNull(l->i32), "");
    wl_lift_set_sgpr(l, WL_SGPR_SCC, LLVMBuildZExt(l->b, some, l->i32, ""));
}

static bool is_mask_operand(const struct wl_lift *l, const struct wl_operand *op) {
    return op->kind == WL_OPERAND_SGPR && wl_bit(l->ptx->mask_born, op->reg);
}

static bool lift_logic(struct wl_lift *l, const struct wl_inst *inst) {
    unsigned registers = 1;
    enum logic logic = find_logic(inst, &registers);
    const struct wl_operand *op = inst->operands;
    unsigned sources = logic == NOT || logic == MOVE ? 1 : 2;
    if (logic == NO_LOGIC || op[0].kind != WL_OPERAND_SGPR || inst->operand_count != sources + 1)
        return false;
    struct form a[2], b[2], result[2] = {{0}};
    bool is_mask = false;
    for (unsigned w = 0; w < registers; w++) {
        a[w] = operand_form(l, &op[1], w, registers);
        b[w] = sources == 2 ? operand_form(l, &op[2], w, registers) : a[w];
    }
    for (unsigned i = 0; i <= sources; i++)
        is_mask |= is_mask_operand(l, &op[i]);
    LLVMValueRef scc = logic == SELECT ? LLVMBuildICmp(l->b, LLVMIntNE, wl_lift_sgpr(l, WL_SGPR_SCC), LLVMConstNull(l->i32), "") : NULL;
    for (unsigned w = 0; w < registers; w++) {
        if (scc)
            result[w] = (struct form){LLVMBuildSelect(l->b, scc, a[w].bits, b[w].bits, ""),
                                      LLVMBuildSelect(l->b, scc, a[w].predicate, b[w].predicate, "")};
        else
            result[w] = (struct form){apply(l, logic, a[w].bits, b[w].bits), apply(l, logic, a[w].predicate, b[w].predicate)};
    }
    set_forms(l, op[0].reg, result, registers);
    if (logic != MOVE && logic != SELECT)
        set_scc(l, result, registers, is_mask);
    return true;
}

void wl_ptx_save_exec(struct wl_lift *l, const struct wl_inst *inst) {
    static const struct {
        uint8_t logic;
        bool swap; /* EXEC is the first operand of the logic */
    } saves[] = {
        [WL_SAVE_AND] = {AND, false},       [WL_SAVE_OR] = {OR, false},           [WL_SAVE_XOR] = {XOR, false},
        [WL_SAVE_ANDN1] = {AND_NOT1, true}, [WL_SAVE_ANDN2] = {AND_NOT1, false},  [WL_SAVE_ORN1] = {OR_NOT1, true},
        [WL_SAVE_ORN2] = {OR_NOT1, false},  [WL_SAVE_NAND] = {NAND, false},       [WL_SAVE_NOR] = {NOR, false},
        [WL_SAVE_XNOR] = {XNOR, false},     [WL_WREXEC_ANDN1] = {AND_NOT1, true}, [WL_WREXEC_ANDN2] = {AND_NOT1, false},
    };
    unsigned registers = inst->isa->bits == 64 ? 2 : 1;
    const struct wl_operand *op = inst->operands, exec = {.kind = WL_OPERAND_SGPR, .reg = WL_SGPR_EXEC, .count = 2};
    enum logic logic = (enum logic)saves[inst->isa->detail].logic;
    bool swap = saves[inst->isa->detail].swap, wrexec = inst->isa->detail >= WL_WREXEC_ANDN1;
    struct form old[2] = {{0}}, result[2] = {{0}};
    for (unsigned w = 0; w < registers; w++) {
        struct form source = operand_form(l, &op[1], w, registers);
        old[w] = operand_form(l, &exec, w, registers);
        struct form first = swap ? old[w] : source, second = swap ? source : old[w];
        result[w] = (struct form){apply(l, logic, first.bits, second.bits), apply(l, logic, first.predicate, second.predicate)};
    }
    if (op[0].kind == WL_OPERAND_SGPR)
        set_forms(l, op[0].reg, wrexec ? result : old, registers);
    set_forms(l, WL_SGPR_EXEC, result, registers);
    set_scc(l, result, registers, true);
}

static bool mark_masks(uint64_t *born, const struct wl_inst *inst, unsigned mask_registers) {
    uint64_t before[2] = {born[0], born[1]};
    const struct wl_operand *op = inst->operands;
    unsigned registers = 1, printed = 0;
    for (unsigned i = 0; inst->sem && i < inst->sem->result_count; i++) {
        const struct wl_operand *to = &op[printed];
        printed += inst->sem->results[i].role == WL_ROLE_PRINTED;
        if (inst->sem->results[i].type == WL_MASK && inst->sem->results[i].role == WL_ROLE_PRINTED && to->kind == WL_OPERAND_SGPR)
            for (unsigned r = 0; r < mask_registers; r++)
                wl_set(born, to->reg + r);
    }
    bool moves = (inst->isa && inst->isa->class == WL_ISA_SAVEEXEC) || (inst->isa && inst->isa->class == WL_ISA_CMPX);
    if (inst->sem && find_logic(inst, &registers) != NO_LOGIC)
        for (unsigned i = 1; i < inst->operand_count; i++)
            moves |= op[i].kind == WL_OPERAND_SGPR && wl_bit(born, op[i].reg);
    if (moves && inst->operand_count && op[0].kind == WL_OPERAND_SGPR)
        for (unsigned r = 0; r < mask_registers; r++)
            wl_set(born, op[0].reg + r);
    return before[0] != born[0] || before[1] != born[1];
}

void wl_ptx_find_masks(struct wl_lift *l, const struct wl_unit *unit) {
    uint64_t *born = l->ptx->mask_born;
    born[0] = born[1] = 0;
    for (unsigned i = 0; i < 2; i++) {
        wl_set(born, WL_SGPR_EXEC + i);
        wl_set(born, WL_SGPR_VCC + i);
    }
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t i = 0; i < unit->inst_count; i++)
            changed |= mark_masks(born, &unit->insts[i], l->wave_size / 32);
    }
}

/* ---- sums with carry, as one 64-bit sum ---- */

static bool is_plain(const struct wl_inst *inst) { return !inst->is_dpp && !inst->is_sdwa && !inst->clamp && !inst->paired && inst->size; }

static LLVMValueRef dword_operand(struct wl_lift *l, const struct wl_operand *op) {
    return op->kind == WL_OPERAND_VGPR ? wl_ptx_dword(l, op->reg) : wl_lift_scalar_operand(l, op, WL_U32);
}

static LLVMValueRef join(struct wl_lift *l, LLVMValueRef low, LLVMValueRef high) {
    LLVMValueRef top = LLVMBuildShl(l->b, LLVMBuildZExt(l->b, high, l->i64, ""), wl_lift_int(l, l->i64, 32), "");
    return LLVMBuildOr(l->b, LLVMBuildZExt(l->b, low, l->i64, ""), top, "");
}

static LLVMValueRef upper(struct wl_lift *l, LLVMValueRef pair) {
    return LLVMBuildTrunc(l->b, LLVMBuildLShr(l->b, pair, wl_lift_int(l, l->i64, 32), ""), l->i32, "");
}

enum carry { NO_CARRY, STARTS, STARTS_DIFFERENCE, GOES_ON, GOES_ON_DIFFERENCE };

static enum carry carry_kind(const struct wl_inst *inst) {
    static const struct {
        const char *name;
        uint8_t kind;
    } names[] = {{"v_add_co_u32", STARTS},     {"v_sub_co_u32", STARTS_DIFFERENCE},
                 {"v_add_co_ci_u32", GOES_ON}, {"v_sub_co_ci_u32", GOES_ON_DIFFERENCE},
                 {"s_add_u32", STARTS},        {"s_sub_u32", STARTS_DIFFERENCE},
                 {"s_addc_u32", GOES_ON},      {"s_subb_u32", GOES_ON_DIFFERENCE}};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (!strcmp(inst->mnemonic, names[i].name))
            return (enum carry)names[i].kind;
    return NO_CARRY;
}

static void start_vector_carry(struct wl_lift *l, const struct wl_inst *inst) {
    struct wl_ptx_carry *carry = &l->ptx->vector_carry;
    const struct wl_operand *op = inst->operands;
    if (op[1].kind != WL_OPERAND_SGPR || op[0].kind != WL_OPERAND_VGPR)
        return;
    carry->row = op[0].reg;
    carry->mask = op[1].reg;
    memcpy(carry->operands, &op[2], sizeof carry->operands);
    for (unsigned s = 0; s < l->strips; s++) {
        wl_ptx_enter_strip(l, s);
        carry->a[s] = dword_operand(l, &op[2]);
        carry->b[s] = dword_operand(l, &op[3]);
    }
    carry->difference = carry_kind(inst) == STARTS_DIFFERENCE;
    carry->fresh = true;
}

/* Whether the operands of the high half belong to those of the low half crosswise, as far as register numbers tell. */
static bool is_crossed(const struct wl_operand *low, const struct wl_operand *high) {
    for (unsigned i = 0; i < 2; i++)
        for (unsigned j = 0; j < 2; j++)
            if ((low[i].kind == WL_OPERAND_VGPR || low[i].kind == WL_OPERAND_SGPR) && low[i].kind == high[j].kind &&
                low[i].reg + 1 == high[j].reg)
                return i != j;
    return false;
}

/* The high half behind its low half: both come from one sum. */
static bool go_on_vector(struct wl_lift *l, const struct wl_inst *inst, bool difference) {
    struct wl_ptx_carry *carry = &l->ptx->vector_carry;
    const struct wl_operand *op = inst->operands;
    if (!carry->valid || carry->difference != difference || inst->operand_count != 5 || op[4].kind != WL_OPERAND_SGPR ||
        op[4].reg != carry->mask || op[0].kind != WL_OPERAND_VGPR)
        return false;
    bool crossed = !difference && is_crossed(carry->operands, &op[2]);
    LLVMValueRef a[2], b[2]; /* of all strips, before a carry overwrites the scalars among them */
    for (unsigned s = 0; s < l->strips; s++) {
        wl_ptx_enter_strip(l, s);
        a[s] = join(l, carry->a[s], dword_operand(l, &op[crossed ? 3 : 2]));
        b[s] = join(l, carry->b[s], dword_operand(l, &op[crossed ? 2 : 3]));
    }
    for (unsigned s = 0; s < l->strips; s++) {
        wl_ptx_enter_strip(l, s);
        LLVMValueRef sum = difference ? LLVMBuildSub(l->b, a[s], b[s], "") : LLVMBuildAdd(l->b, a[s], b[s], "");
        LLVMValueRef out = LLVMBuildICmp(l->b, LLVMIntULT, difference ? a[s] : sum, difference ? b[s] : a[s], "");
        wl_ptx_set_dword(l, carry->row, LLVMBuildTrunc(l->b, sum, l->i32, ""));
        wl_ptx_set_dword(l, op[0].reg, upper(l, sum));
        if (op[1].kind == WL_OPERAND_SGPR)
            wl_ptx_set_mask(l, op[1].reg, wl_ptx_vector(l, out));
    }
    return true;
}

static void start_scalar_carry(struct wl_lift *l, const struct wl_inst *inst) {
    struct wl_ptx_carry *carry = &l->ptx->scalar_carry;
    const struct wl_operand *op = inst->operands;
    carry->row = op[0].reg;
    carry->mask = WL_SGPR_SCC;
    memcpy(carry->operands, &op[1], sizeof carry->operands);
    carry->difference = carry_kind(inst) == STARTS_DIFFERENCE;
    carry->a[0] = wl_lift_scalar_operand(l, &op[1], WL_U32);
    carry->b[0] = wl_lift_scalar_operand(l, &op[2], WL_U32);
    carry->fresh = true;
}

static bool go_on_scalar(struct wl_lift *l, const struct wl_inst *inst, bool difference) {
    struct wl_ptx_carry *carry = &l->ptx->scalar_carry;
    const struct wl_operand *op = inst->operands;
    if (!carry->valid || carry->difference != difference)
        return false;
    bool crossed = !difference && is_crossed(carry->operands, &op[1]);
    LLVMValueRef a = join(l, carry->a[0], wl_lift_scalar_operand(l, &op[crossed ? 2 : 1], WL_U32));
    LLVMValueRef b = join(l, carry->b[0], wl_lift_scalar_operand(l, &op[crossed ? 1 : 2], WL_U32));
    LLVMValueRef sum = difference ? LLVMBuildSub(l->b, a, b, "") : LLVMBuildAdd(l->b, a, b, "");
    LLVMValueRef out = LLVMBuildICmp(l->b, LLVMIntULT, difference ? a : sum, difference ? b : a, "");
    wl_lift_set_sgpr(l, carry->row, LLVMBuildTrunc(l->b, sum, l->i32, ""));
    wl_lift_set_sgpr(l, op[0].reg, upper(l, sum));
    wl_lift_set_sgpr(l, WL_SGPR_SCC, LLVMBuildZExt(l->b, out, l->i32, ""));
    return true;
}

/* True: the instruction is done. */
static bool lift_carry(struct wl_lift *l, const struct wl_inst *inst) {
    enum carry kind = carry_kind(inst);
    if (kind == NO_CARRY || !is_plain(inst))
        return false;
    bool scalar = wl_inst_is_scalar(inst);
    switch (kind) {
    case STARTS:
    case STARTS_DIFFERENCE:
        if (scalar)
            start_scalar_carry(l, inst);
        else
            start_vector_carry(l, inst);
        return false;
    default:
        return scalar ? go_on_scalar(l, inst, kind == GOES_ON_DIFFERENCE) : go_on_vector(l, inst, kind == GOES_ON_DIFFERENCE);
    }
}

void wl_ptx_step_carries(struct wl_lift *l, const struct wl_effects *effects) {
    struct wl_ptx_carry *carries[] = {&l->ptx->vector_carry, &l->ptx->scalar_carry};
    for (unsigned i = 0; i < 2; i++) {
        struct wl_ptx_carry *carry = carries[i];
        bool lost = wl_bit(effects->touch.scalar, carry->mask) ||
                    (i == 0 ? wl_bit(effects->touch.vector, carry->row) : wl_bit(effects->touch.scalar, carry->row));
        carry->valid = carry->fresh || (carry->valid && !lost);
        carry->fresh = false;
    }
}

/* ---- vector instructions ---- */

/* Opaque to LLVM, which would make neg and abs of it. */
LLVMValueRef wl_ptx_change_sign(struct wl_lift *l, LLVMValueRef value, bool absolute, bool negate) {
    LLVMValueRef number = wl_ptx_scalar(l, value);
    bool wide = LLVMTypeOf(number) == l->f64;
    LLVMTypeRef type = wide ? l->i64 : l->i32;
    const char *constraints = wide ? "=l,l" : "=r,r";
    LLVMValueRef bits = LLVMBuildBitCast(l->b, number, type, "");
    if (absolute)
        bits =
            wl_ptx_asm(l, wide ? "and.b64 $0, $1, 0x7fffffffffffffff;" : "and.b32 $0, $1, 0x7fffffff;", constraints, type, &bits, 1, false);
    if (negate)
        bits =
            wl_ptx_asm(l, wide ? "xor.b64 $0, $1, 0x8000000000000000;" : "xor.b32 $0, $1, 0x80000000;", constraints, type, &bits, 1, false);
    return wl_ptx_vector(l, LLVMBuildBitCast(l->b, bits, wide ? l->f64 : l->f32, ""));
}

/* DPP reads its source as it was before any strip was written. */
static void read_dpp_sources(struct wl_lift *l, const struct wl_inst *inst) {
    unsigned first = 0;
    for (unsigned i = 0; inst->sem && i < inst->sem->result_count; i++)
        first += inst->sem->results[i].role == WL_ROLE_PRINTED;
    if (inst->isa && inst->isa->class == WL_ISA_CMPX && inst->operand_count >= 3)
        first = 1;
    if (first >= inst->operand_count || inst->operands[first].kind != WL_OPERAND_VGPR)
        return;
    for (unsigned s = 0; s < l->strips; s++) {
        wl_ptx_enter_strip(l, s);
        for (unsigned i = 0; i < 2 && inst->operands[first].reg + i < WL_VGPR_COUNT; i++)
            l->ptx->dpp_source[s][i] = wl_ptx_dword(l, inst->operands[first].reg + i);
    }
    l->ptx->dpp_row = inst->operands[first].reg;
}

static void record(struct wl_lift *l, struct wl_item *item) {
    if (!item->inst->sem)
        wl_cmpx_record(l, item);
    else if (!wl_wide_record_packed(l, item))
        wl_valu_record(l, item);
}

static void lift_vector(struct wl_lift *l, const struct wl_inst *inst) {
    struct wl_item items[2] = {{.inst = inst, .paired = inst->paired}, {.inst = inst + 1}};
    unsigned count = inst->paired ? 2 : 1;
    if (inst->is_dpp)
        read_dpp_sources(l, inst);
    l->ptx->keeps_nan = strstr(inst->mnemonic, "_min") || strstr(inst->mnemonic, "_max") || strstr(inst->mnemonic, "_med3");
    l->region.items = items;
    for (unsigned i = 0; i < count && !l->status; i++) {
        l->region.item_count = i + 1;
        record(l, &items[i]);
    }
    l->unit.at += count - 1; /* what both leave */
    for (unsigned s = 0; s < l->strips && !l->status; s++) {
        wl_ptx_enter_strip(l, s);
        items[0].emit(l, &items[0]);
    }
    l->unit.at -= count - 1;
    l->region.items = NULL;
    l->region.item_count = 0;
}

void wl_ptx_lift_semantics(struct wl_lift *l, const struct wl_inst *inst) {
    if (!inst->size)
        return; /* the second of a pair came with the first */
    if (inst->sem && !wl_lift_find_semantics(l, inst->sem->name)) {
        wl_ptx_unsupported(l, inst);
        return;
    }
    if (inst->sem && wl_ptx_rounding_of(l, inst->sem) == WL_PTX_ROUNDING_UNKNOWN) {
        wl_ptx_unsupported(l, inst);
        return;
    }
    if (inst->sem && lift_carry(l, inst))
        return;
    if (!inst->sem || !inst->sem->scalar)
        lift_vector(l, inst);
    else if (!lift_logic(l, inst))
        wl_lift_salu(l, inst);
}
