/* Scalar memory: all threads of a warp load the same. The kernarg segment's loads become loads of parameters in ptx_emit.c. */
#include "translate/nvptx/ptx.h"

enum { MAX_DWORDS = 16 };

static LLVMValueRef sum_of_offsets(struct wl_lift *l, const struct wl_inst *inst) {
    const struct wl_operand *op = inst->operands;
    LLVMValueRef offset = wl_lift_int(l, l->i64, (uint64_t)(int64_t)inst->offset0);
    for (unsigned i = 2; i < inst->operand_count; i++) {
        LLVMValueRef part = NULL;
        if (op[i].kind == WL_OPERAND_SGPR)
            part = LLVMBuildZExt(l->b, wl_lift_sgpr(l, op[i].reg), l->i64, "");
        else if (op[i].kind == WL_OPERAND_IMM)
            part = wl_lift_int(l, l->i64, op[i].bits);
        if (part)
            offset = LLVMBuildAdd(l->b, offset, part, "");
    }
    return offset;
}

/* Bytes of a buffer: the number of records, each of the stride's size if there is one. */
static LLVMValueRef buffer_size(struct wl_lift *l, unsigned reg) {
    LLVMValueRef stride = LLVMBuildLShr(l->b, wl_lift_sgpr(l, reg + 1), wl_lift_int(l, l->i32, 16), "");
    stride = LLVMBuildAnd(l->b, stride, wl_lift_int(l, l->i32, 0x3fff), "");
    LLVMValueRef none = LLVMBuildICmp(l->b, LLVMIntEQ, stride, LLVMConstNull(l->i32), "");
    stride = LLVMBuildSelect(l->b, none, wl_lift_int(l, l->i32, 1), stride, "");
    LLVMValueRef records = LLVMBuildZExt(l->b, wl_lift_sgpr(l, reg + 2), l->i64, "");
    return LLVMBuildMul(l->b, records, LLVMBuildZExt(l->b, stride, l->i64, ""), "");
}

static LLVMValueRef load(struct wl_lift *l, LLVMValueRef address, unsigned unit, bool is_volatile) {
    LLVMTypeRef global = LLVMPointerTypeInContext(l->context, 1);
    LLVMValueRef value = LLVMBuildLoad2(l->b, LLVMIntTypeInContext(l->context, unit * 8), LLVMBuildIntToPtr(l->b, address, global, ""), "");
    LLVMSetAlignment(value, unit);
    LLVMSetVolatile(value, is_volatile);
    return value;
}

/* A load that gives 0 where it is out of range. */
static LLVMValueRef load_in_range(struct wl_lift *l, LLVMValueRef address, LLVMValueRef in_range, unsigned unit, bool is_volatile) {
    LLVMBasicBlockRef before = LLVMGetInsertBlock(l->b), inside = wl_lift_block(l, "inside"), after = wl_lift_block(l, "after");
    LLVMBuildCondBr(l->b, in_range, inside, after);
    LLVMPositionBuilderAtEnd(l->b, inside);
    LLVMValueRef values[2] = {load(l, address, unit, is_volatile), NULL};
    LLVMBuildBr(l->b, after);
    LLVMPositionBuilderAtEnd(l->b, after);
    values[1] = LLVMConstNull(LLVMTypeOf(values[0]));
    LLVMBasicBlockRef from[2] = {inside, before};
    LLVMValueRef phi = LLVMBuildPhi(l->b, LLVMTypeOf(values[0]), "");
    LLVMAddIncoming(phi, values, from, 2);
    return phi;
}

void wl_ptx_lift_smem(struct wl_lift *l, const struct wl_inst *inst) {
    const struct wl_isa *isa = inst->isa;
    const struct wl_operand *to = &inst->operands[0];
    if (isa->class != WL_ISA_SMEM_LOAD || isa->detail == WL_SMEM_SCRATCH) {
        wl_ptx_unsupported(l, inst);
        return;
    }
    unsigned unit = isa->bits < 32 ? isa->bits / 8 : 4, count = unit < 4 ? 1 : to->count, reg = inst->operands[1].reg;
    LLVMValueRef base = wl_lift_sgpr64(l, reg), offset = sum_of_offsets(l, inst), limit = NULL, loaded[MAX_DWORDS];
    bool is_volatile = inst->glc || inst->sc0 || inst->sc1 || inst->dlc;
    if (unit == 4 && !LLVMIsConstant(offset))
        offset = LLVMBuildAnd(l->b, offset, wl_lift_int(l, l->i64, ~UINT64_C(3)), "");
    if (isa->detail == WL_SMEM_BUFFER) {
        base = LLVMBuildAnd(l->b, base, wl_lift_int(l, l->i64, (UINT64_C(1) << 48) - 1), "");
        limit = buffer_size(l, reg);
    }
    for (unsigned i = 0; i < count && i < MAX_DWORDS; i++) {
        LLVMValueRef skipped = LLVMBuildAdd(l->b, offset, wl_lift_int(l, l->i64, UINT64_C(4) * i), "");
        LLVMValueRef address = LLVMBuildAdd(l->b, base, skipped, "");
        if (limit) {
            LLVMValueRef end = LLVMBuildAdd(l->b, skipped, wl_lift_int(l, l->i64, unit), "");
            loaded[i] = load_in_range(l, address, LLVMBuildICmp(l->b, LLVMIntULE, end, limit, ""), unit, is_volatile);
        } else {
            loaded[i] = load(l, address, unit, is_volatile);
        }
        if (unit < 4)
            loaded[i] = isa->sign ? LLVMBuildSExt(l->b, loaded[i], l->i32, "") : LLVMBuildZExt(l->b, loaded[i], l->i32, "");
    }
    for (unsigned i = 0; to->kind == WL_OPERAND_SGPR && i < count && i < MAX_DWORDS; i++)
        wl_lift_set_sgpr(l, to->reg + i, loaded[i]);
}
