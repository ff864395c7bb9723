/* Scalar memory: all threads of a warp load the same, one stores. The kernarg segment's loads become loads of parameters in nvptx/emit.c.
 */
#include "translate/lift/inst/inst.h"
#include "translate/lift/values.h"
#include "translate/nvptx/memory.h"
#include "translate/nvptx/ptx.h"

enum { MAX_DWORDS = 16 };

static LLVMValueRef load(struct wl_lift *l, LLVMValueRef address, unsigned unit, bool is_volatile) {
    LLVMTypeRef global = LLVMPointerTypeInContext(l->context, 1);
    LLVMValueRef value = LLVMBuildLoad2(l->b, LLVMIntTypeInContext(l->context, unit * 8), LLVMBuildIntToPtr(l->b, address, global, ""), "");
    LLVMSetAlignment(value, unit);
    LLVMSetVolatile(value, is_volatile);
    return value;
}

/* A load that gives 0 where it is out of range. */
static LLVMValueRef load_in_range(struct wl_lift *l, LLVMValueRef address, LLVMValueRef in_range, unsigned unit, bool is_volatile) {
    LLVMBasicBlockRef before = LLVMGetInsertBlock(l->b), inside = wl_lift_ir_block(l, "inside"), after = wl_lift_ir_block(l, "after");
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

struct smem {
    LLVMValueRef base, offset, limit; /* i64; limit: of buffers, else NULL */
    unsigned unit;                    /* bytes */
    bool is_volatile;
};

static struct smem describe(struct wl_lift *l, const struct wl_inst *inst) {
    const struct wl_isa *isa = inst->isa;
    unsigned reg = inst->operands[1].reg;
    struct smem s = {.base = wl_lift_sgpr64(l, reg), .offset = wl_lift_smem_offset(l, inst), .unit = isa->bits < 32 ? isa->bits / 8 : 4};
    s.is_volatile = wl_inst_is_coherent(inst);
    if (s.unit == 4 && !LLVMIsConstant(s.offset))
        s.offset = LLVMBuildAnd(l->b, s.offset, wl_lift_int(l, l->i64, ~UINT64_C(3)), "");
    if (isa->detail == WL_SMEM_BUFFER) {
        s.base = LLVMBuildAnd(l->b, s.base, wl_lift_int(l, l->i64, (UINT64_C(1) << 48) - 1), "");
        s.limit = wl_lift_smem_limit(l, reg);
    }
    return s;
}

static LLVMValueRef in_range(struct wl_lift *l, const struct smem *s, unsigned skip, unsigned bytes) {
    if (!s->limit)
        return LLVMConstInt(l->i1, 1, 0);
    LLVMValueRef end = LLVMBuildAdd(l->b, s->offset, wl_lift_int(l, l->i64, skip + bytes), "");
    LLVMValueRef wraps = LLVMBuildICmp(l->b, LLVMIntULT, end, s->offset, "");
    return LLVMBuildAnd(l->b, LLVMBuildICmp(l->b, LLVMIntULE, end, s->limit, ""), LLVMBuildNot(l->b, wraps, ""), "");
}

static LLVMValueRef place(struct wl_lift *l, const struct smem *s, unsigned skip) {
    LLVMValueRef skipped = LLVMBuildAdd(l->b, s->offset, wl_lift_int(l, l->i64, skip), "");
    return LLVMBuildAdd(l->b, s->base, skipped, "");
}

static void lift_load(struct wl_lift *l, const struct wl_inst *inst, const struct smem *s) {
    const struct wl_operand *to = &inst->operands[0];
    LLVMValueRef loaded[MAX_DWORDS];
    unsigned count = s->unit < 4 ? 1 : to->count;
    for (unsigned i = 0; i < count && i < MAX_DWORDS; i++) {
        if (s->limit)
            loaded[i] = load_in_range(l, place(l, s, 4 * i), in_range(l, s, 4 * i, s->unit), s->unit, s->is_volatile);
        else
            loaded[i] = load(l, place(l, s, 4 * i), s->unit, s->is_volatile);
        if (s->unit < 4)
            loaded[i] = inst->isa->sign ? LLVMBuildSExt(l->b, loaded[i], l->i32, "") : LLVMBuildZExt(l->b, loaded[i], l->i32, "");
    }
    for (unsigned i = 0; to->kind == WL_OPERAND_SGPR && i < count && i < MAX_DWORDS; i++)
        wl_lift_set_sgpr(l, to->reg + i, loaded[i]);
}

/* The access of the wave's first thread. */
static struct wl_ptx_access access_of(struct wl_lift *l, const struct wl_inst *inst, const struct smem *s, unsigned skip, unsigned bytes) {
    LLVMValueRef first = LLVMBuildICmp(l->b, LLVMIntEQ, l->ptx->lane, LLVMConstNull(l->i32), "");
    return (struct wl_ptx_access){.inst = inst,
                                  .space = WL_PTX_GLOBAL,
                                  .address = place(l, s, skip),
                                  .predicate = LLVMBuildAnd(l->b, first, in_range(l, s, skip, bytes), ""),
                                  .wide_scope = true};
}

static void lift_store(struct wl_lift *l, const struct wl_inst *inst, const struct smem *s) {
    for (unsigned i = 0; i < inst->operands[0].count; i++) {
        LLVMValueRef value = wl_lift_sgpr(l, inst->operands[0].reg + i);
        struct wl_ptx_access a = access_of(l, inst, s, 4 * i, 4);
        wl_ptx_store(l, &a, 32, 1, &value);
    }
}

static LLVMValueRef of_first(struct wl_lift *l, LLVMValueRef value) { return wl_ptx_shuffle(l, value, LLVMConstNull(l->i32)); }

/* cmpswap: the new value, then the expected one. An atomic out of range gives 0. */
static void lift_atomic(struct wl_lift *l, const struct wl_inst *inst, const struct smem *s) {
    const struct wl_isa *isa = inst->isa;
    const bool wide = isa->dwords == 2, two = isa->atomic == WL_ATOMIC_CMPSWAP;
    const unsigned reg = inst->operands[0].reg, n = isa->dwords;
    LLVMValueRef data = wide ? wl_lift_sgpr64(l, reg) : wl_lift_sgpr(l, reg);
    LLVMValueRef compare = !two ? NULL : wide ? wl_lift_sgpr64(l, reg + n) : wl_lift_sgpr(l, reg + n);
    struct wl_ptx_access a = access_of(l, inst, s, 0, n * 4);
    LLVMValueRef old = wl_ptx_atomic(l, &a, isa->atomic, n * 32, data, compare, inst->returns);
    if (!inst->returns)
        return;
    LLVMTypeRef type = LLVMTypeOf(old);
    old = LLVMBuildSelect(l->b, in_range(l, s, 0, n * 4), old, LLVMConstNull(type), "");
    wl_lift_set_sgpr(l, reg, of_first(l, wide ? LLVMBuildTrunc(l->b, old, l->i32, "") : old));
    if (wide) {
        LLVMValueRef high = LLVMBuildLShr(l->b, old, wl_lift_int(l, l->i64, 32), "");
        wl_lift_set_sgpr(l, reg + 1, of_first(l, LLVMBuildTrunc(l->b, high, l->i32, "")));
    }
}

/* Stores and atomics are the first thread's, behind what the others have stored. */
void wl_ptx_lift_smem(struct wl_lift *l, const struct wl_inst *inst) {
    struct smem s = describe(l, inst);
    if (inst->isa->class == WL_ISA_SMEM_LOAD) {
        lift_load(l, inst, &s);
        return;
    }
    wl_ptx_publish(l);
    wl_ptx_asm(l, "bar.warp.sync 0xffffffff;", "~{memory}", l->void_type, NULL, 0, true);
    if (inst->isa->class == WL_ISA_SMEM_STORE)
        lift_store(l, inst, &s);
    else
        lift_atomic(l, inst, &s);
    wl_ptx_asm(l, "bar.warp.sync 0xffffffff;", "~{memory}", l->void_type, NULL, 0, true);
}
