/* Buffer accesses without index: raw buffers with their range check, and the swizzled descriptor through which gfx9 and
 * gfx10 reach scratch, which here is the lane's own memory. Which of the two it is, the descriptor says at run time; most
 * descriptors are constants by then. */
#include "translate/nvptx/ptx.h"

#include <string.h>

static LLVMValueRef field(struct wl_lift *l, LLVMValueRef word, unsigned shift, uint32_t mask) {
    return LLVMBuildAnd(l->b, LLVMBuildLShr(l->b, word, wl_lift_int(l, l->i32, shift), ""), wl_lift_int(l, l->i32, mask), "");
}

static LLVMValueRef is_not_zero(struct wl_lift *l, LLVMValueRef value) {
    return LLVMBuildICmp(l->b, LLVMIntNE, value, LLVMConstNull(LLVMTypeOf(value)), "");
}

/* Bytes that may be accessed, counted from the base. gfx10 and later choose the check; without an index a structured
 * buffer's is that of one record. */
static LLVMValueRef find_limit(struct wl_lift *l, unsigned reg, LLVMValueRef soffset) {
    LLVMBuilderRef b = l->b;
    LLVMValueRef records = wl_lift_sgpr(l, reg + 2), arguments[2] = {records, soffset};
    LLVMValueRef raw_limit = wl_lift_intrinsic(l, "llvm.usub.sat", &l->i32, 1, arguments, 2);
    if (l->generation == 9)
        return raw_limit;
    enum { STRUCTURED = 0, RAW = 3 };
    LLVMValueRef stride = field(l, wl_lift_sgpr(l, reg + 1), 16, 0x3fff), select = field(l, wl_lift_sgpr(l, reg + 3), 28, 3);
    LLVMValueRef structured = LLVMBuildICmp(b, LLVMIntEQ, select, wl_lift_int(l, l->i32, STRUCTURED), "");
    LLVMValueRef raw = LLVMBuildICmp(b, LLVMIntEQ, select, wl_lift_int(l, l->i32, RAW), "");
    LLVMValueRef within =
        LLVMBuildSelect(b, LLVMBuildAnd(b, structured, is_not_zero(l, stride), ""), stride, wl_lift_int(l, l->i32, UINT32_MAX), "");
    within = LLVMBuildSelect(b, is_not_zero(l, records), within, LLVMConstNull(l->i32), "");
    return LLVMBuildSelect(b, raw, raw_limit, within, "");
}

bool wl_ptx_buffer_address(struct wl_lift *l, const struct wl_inst *inst, struct wl_ptx_access *a) {
    const struct wl_operand *address = wl_memory_operands(inst).address, *scalar = address + 2;
    unsigned reg = address[1].reg;
    if (inst->isa->detail || inst->idxen || inst->addr64 || inst->tfe)
        return false;
    LLVMBuilderRef b = l->b;
    LLVMValueRef soffset = LLVMConstNull(l->i32), offset = wl_lift_int(l, l->i32, (uint32_t)inst->offset0);
    if (scalar < inst->operands + inst->operand_count && scalar->kind != WL_OPERAND_OFF)
        soffset = wl_lift_scalar_operand(l, scalar, WL_U32);
    if (address->kind == WL_OPERAND_VGPR)
        offset = LLVMBuildAdd(b, offset, wl_ptx_dword(l, address->reg), "");
    LLVMValueRef word1 = wl_lift_sgpr(l, reg + 1), word3 = wl_lift_sgpr(l, reg + 3);
    LLVMValueRef base = LLVMBuildAnd(b, wl_lift_sgpr64(l, reg), wl_lift_int(l, l->i64, (UINT64_C(1) << 48) - 1), "");
    LLVMValueRef place = LLVMBuildAdd(b, base, LLVMBuildZExt(b, soffset, l->i64, ""), "");
    place = LLVMBuildAdd(b, place, LLVMBuildZExt(b, offset, l->i64, ""), "");
    unsigned bytes = inst->isa->bits < 32 ? inst->isa->bits / 8u : inst->isa->dwords * 4u;
    LLVMValueRef end = LLVMBuildAdd(b, LLVMBuildZExt(b, offset, l->i64, ""), wl_lift_int(l, l->i64, bytes), "");
    LLVMValueRef limit = LLVMBuildZExt(b, find_limit(l, reg, soffset), l->i64, "");
    LLVMValueRef in_range = LLVMBuildICmp(b, LLVMIntULE, end, limit, "");
    LLVMValueRef memory = l->ptx->scratch[wl_ptx_strip(l)];
    a->space = WL_PTX_GLOBAL;
    a->offset = 0;
    if (memory && l->generation < 11) { /* soffset counts the bytes of all lanes */
        LLVMValueRef swizzles = LLVMBuildAnd(b, is_not_zero(l, field(l, word1, 31, 1)), is_not_zero(l, field(l, word3, 23, 1)), "");
        LLVMValueRef own = LLVMBuildLShr(b, soffset, wl_lift_int(l, l->i32, l->wave_size == 64 ? 6 : 5), "");
        own = LLVMBuildZExt(b, LLVMBuildAdd(b, own, offset, ""), l->i64, "");
        own = LLVMBuildAdd(b, LLVMBuildPtrToInt(b, memory, l->i64, ""), own, "");
        place = LLVMBuildSelect(b, swizzles, own, place, "");
        in_range = LLVMBuildOr(b, in_range, swizzles, "");
        a->space = WL_PTX_GENERIC;
    }
    a->address = place;
    a->predicate = LLVMBuildAnd(b, a->predicate, in_range, "");
    return true;
}
