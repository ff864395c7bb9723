/* Scalar memory: loads, stores and atomics of registers that a whole wave shares, plain or through a buffer descriptor. */
#include "translate/lift/frame.h"
#include "translate/lift/inst/inst.h"
#include "translate/lift/memory/memory.h"
#include "translate/lift/memory/sanitize.h"
#include "translate/lift/memory/scattered.h"
#include "translate/lift/region.h"
#include "translate/lift/values.h"

#include <stddef.h>

enum { MAX_DWORDS = 16 };

struct smem {
    const struct wl_inst *inst;
    const struct wl_isa *isa;
    LLVMValueRef address;       /* i64, of the first dword */
    LLVMValueRef offset, limit; /* i64, buffers: in range is what ends within `limit`; NULL: everything */
    unsigned unit;              /* bytes of one element */
    bool is_volatile;
};

LLVMValueRef wl_lift_smem_offset(struct wl_lift *l, const struct wl_inst *inst) {
    const struct wl_operand *op = inst->operands;
    LLVMValueRef offset = wl_lift_int(l, l->i64, (uint64_t)(int64_t)inst->offset0);
    for (unsigned i = 2; i < inst->operand_count; i++) {
        LLVMValueRef part = NULL;
        if (op[i].kind == WL_OPERAND_SGPR)
            part = LLVMBuildZExt(l->b, wl_lift_sgpr(l, op[i].reg), l->i64, "");
        else if (op[i].kind == WL_OPERAND_IMM)
            part = wl_lift_int(l, l->i64, op[i].bits);
        if (part && inst->isa->detail == WL_SMEM_SCRATCH && op[i].kind == WL_OPERAND_SGPR)
            part = LLVMBuildShl(l->b, part, wl_lift_int(l, l->i64, 6), "");
        if (part && op[i].kind == WL_OPERAND_SGPR && inst->scale_offset)
            part = LLVMBuildMul(l->b, part, wl_lift_int(l, l->i64, wl_inst_offset_unit(inst)), "");
        if (part)
            offset = LLVMBuildAdd(l->b, offset, part, "");
    }
    return offset;
}

static LLVMValueRef aligned(struct wl_lift *l, LLVMValueRef address) {
    return LLVMBuildAnd(l->b, address, wl_lift_int(l, l->i64, ~UINT64_C(3)), "");
}

LLVMValueRef wl_lift_smem_wide_limit(struct wl_lift *l, unsigned reg) {
    LLVMBuilderRef b = l->b;
    LLVMValueRef low = LLVMBuildLShr(b, wl_lift_sgpr64(l, reg), wl_lift_int(l, l->i64, 57), "");
    LLVMValueRef high = LLVMBuildShl(b, wl_lift_sgpr64(l, reg + 2), wl_lift_int(l, l->i64, 7), "");
    return LLVMBuildOr(b, low, LLVMBuildAnd(b, high, wl_lift_int(l, l->i64, (UINT64_C(1) << 45) - 1), ""), "");
}

LLVMValueRef wl_lift_smem_limit(struct wl_lift *l, unsigned reg) {
    LLVMValueRef stride = LLVMBuildLShr(l->b, wl_lift_sgpr(l, reg + 1), wl_lift_int(l, l->i32, 16), "");
    stride = LLVMBuildAnd(l->b, stride, wl_lift_int(l, l->i32, 0x3fff), "");
    LLVMValueRef none = LLVMBuildICmp(l->b, LLVMIntEQ, stride, LLVMConstNull(l->i32), "");
    stride = LLVMBuildSelect(l->b, none, wl_lift_int(l, l->i32, 1), stride, "");
    LLVMValueRef records = LLVMBuildZExt(l->b, wl_lift_sgpr(l, reg + 2), l->i64, "");
    return LLVMBuildMul(l->b, records, LLVMBuildZExt(l->b, stride, l->i64, ""), "");
}

static struct smem describe(struct wl_lift *l, const struct wl_inst *inst) {
    struct smem s = {.inst = inst, .isa = inst->isa, .unit = inst->isa->bits < 32 ? inst->isa->bits / 8 : 4};
    bool buffer = inst->isa->detail == WL_SMEM_BUFFER;
    unsigned reg = inst->operands[1].reg;
    LLVMValueRef base = wl_lift_sgpr64(l, reg);
    s.offset = wl_lift_smem_offset(l, inst);
    if (s.unit == 4)
        s.offset = aligned(l, s.offset);
    if (buffer) {
        base = LLVMBuildAnd(l->b, base, wl_lift_int(l, l->i64, (UINT64_C(1) << (inst->wide_buffer ? 57 : 48)) - 1), "");
        s.limit = inst->wide_buffer ? wl_lift_smem_wide_limit(l, reg) : wl_lift_smem_limit(l, reg);
    }
    s.address = LLVMBuildAdd(l->b, base, s.offset, "");
    if (s.unit == 4 && !buffer)
        s.address = aligned(l, s.address);
    s.is_volatile = wl_inst_is_coherent(inst) || l->unit.code->empties_scalar_cache;
    return s;
}

static LLVMValueRef in_range(struct wl_lift *l, const struct smem *s, unsigned skip, unsigned bytes) {
    LLVMValueRef end = LLVMBuildAdd(l->b, s->offset, wl_lift_int(l, l->i64, skip + bytes), "");
    LLVMValueRef wraps = LLVMBuildICmp(l->b, LLVMIntULT, end, s->offset, "");
    return LLVMBuildAnd(l->b, LLVMBuildICmp(l->b, LLVMIntULE, end, s->limit, ""), LLVMBuildNot(l->b, wraps, ""), "");
}

static LLVMValueRef element_pointer(struct wl_lift *l, const struct smem *s, unsigned index) {
    return LLVMBuildIntToPtr(l->b, LLVMBuildAdd(l->b, s->address, wl_lift_int(l, l->i64, (uint64_t)4 * index), ""), l->ptr, "");
}

static unsigned register_count(const struct smem *s) {
    unsigned count = s->unit < 4 ? 1 : s->inst->operands[0].count;
    return count < MAX_DWORDS ? count : MAX_DWORDS;
}

/* Loads two or four dwords, from number `index` on, by one access of the host, so that they are of one time. Returns how many; 0: they have
 * to be loaded one by one. */
static unsigned load_whole(struct wl_lift *l, const struct smem *s, unsigned index, unsigned left, LLVMValueRef *loaded) {
    const unsigned dwords = left >= 4 ? 4 : 2;
    if (!s->is_volatile || s->limit || s->unit < 4 || left < 2)
        return 0;
    LLVMTypeRef type = dwords == 4 ? LLVMVectorType(l->i32, 4) : l->i64;
    LLVMValueRef value = LLVMBuildLoad2(l->b, type, element_pointer(l, s, index), "");
    LLVMSetAlignment(value, 4);
    LLVMSetVolatile(value, true);
    for (unsigned i = 0; i < dwords; i++)
        loaded[i] = dwords == 4 ? LLVMBuildExtractElement(l->b, value, wl_lift_int(l, l->i32, i), "")
                                : LLVMBuildTrunc(l->b, i ? LLVMBuildLShr(l->b, value, wl_lift_int(l, l->i64, 32), "") : value, l->i32, "");
    return dwords;
}

static void load(struct wl_lift *l, const struct smem *s) {
    const struct wl_operand *to = &s->inst->operands[0];
    LLVMValueRef loaded[MAX_DWORDS];
    unsigned count = register_count(s);
    for (unsigned i = 0, whole; i < count; i += whole ? whole : 1) {
        whole = load_whole(l, s, i, count - i, loaded + i);
        if (whole)
            continue;
        LLVMValueRef pointer = element_pointer(l, s, i);
        if (s->limit) /* out of range reads give 0: read the wave's own padding, which is always 0 */
            pointer = LLVMBuildSelect(l->b, in_range(l, s, 4 * i, s->unit), pointer,
                                      wl_lift_wave_pointer(l, offsetof(struct wl_wave, padding)), "");
        loaded[i] = LLVMBuildLoad2(l->b, LLVMIntTypeInContext(l->context, s->unit * 8), pointer, "");
        LLVMSetAlignment(loaded[i], s->unit);
        LLVMSetVolatile(loaded[i], s->is_volatile);
        if (s->unit < 4)
            loaded[i] = s->isa->sign ? LLVMBuildSExt(l->b, loaded[i], l->i32, "") : LLVMBuildZExt(l->b, loaded[i], l->i32, "");
    }
    for (unsigned i = 0; to->kind == WL_OPERAND_SGPR && i < count; i++)
        wl_lift_set_sgpr(l, to->reg + i, loaded[i]);
}

/* Goes on in a block that runs if [skip, skip + bytes) is in range; returns the block to go on in afterwards, NULL if none was needed. */
static LLVMBasicBlockRef guard(struct wl_lift *l, const struct smem *s, unsigned skip, unsigned bytes) {
    if (!s->limit)
        return NULL;
    LLVMBasicBlockRef inside = wl_lift_ir_block(l, "inside"), after = wl_lift_ir_block(l, "after");
    LLVMBuildCondBr(l->b, in_range(l, s, skip, bytes), inside, after);
    LLVMPositionBuilderAtEnd(l->b, inside);
    return after;
}

static void leave(struct wl_lift *l, LLVMBasicBlockRef after) {
    if (!after)
        return;
    LLVMBuildBr(l->b, after);
    LLVMPositionBuilderAtEnd(l->b, after);
}

static void store(struct wl_lift *l, const struct smem *s) {
    unsigned count = register_count(s), reg = s->inst->operands[0].reg;
    for (unsigned i = 0; i < count; i++) {
        LLVMValueRef value = wl_lift_sgpr(l, reg + i);
        LLVMBasicBlockRef after = guard(l, s, 4 * i, 4);
        LLVMValueRef stored = LLVMBuildStore(l->b, value, element_pointer(l, s, i));
        LLVMSetAlignment(stored, 4);
        LLVMSetVolatile(stored, s->is_volatile);
        leave(l, after);
    }
}

/* cmpswap: the new value, then the expected one. An atomic out of range gives 0. */
static void atomic(struct wl_lift *l, const struct smem *s) {
    const struct wl_isa *isa = s->isa;
    unsigned reg = s->inst->operands[0].reg, n = isa->dwords;
    struct wl_access access = {.kind = WL_ACCESS_ATOMIC, .bits = isa->bits, .dwords = isa->dwords, .atomic = isa->atomic, .returns = true};
    bool wide = n == 2, two = isa->atomic == WL_ATOMIC_CMPSWAP;
    LLVMValueRef data = wide ? wl_lift_sgpr64(l, reg) : wl_lift_sgpr(l, reg);
    LLVMValueRef compare = !two ? NULL : wide ? wl_lift_sgpr64(l, reg + 2) : wl_lift_sgpr(l, reg + 1);
    LLVMBasicBlockRef outside = LLVMGetInsertBlock(l->b), after = guard(l, s, 0, n * 4);
    LLVMValueRef old = wl_atomic_anywhere(l, &access, l->wave, s->address, data, compare);
    LLVMBasicBlockRef from[2] = {LLVMGetInsertBlock(l->b), outside};
    leave(l, after);
    if (after) {
        LLVMValueRef values[2] = {old, LLVMConstNull(LLVMTypeOf(old))};
        old = LLVMBuildPhi(l->b, LLVMTypeOf(values[0]), "");
        LLVMAddIncoming(old, values, from, 2);
    }
    if (s->inst->returns && wide)
        wl_lift_set_sgpr64(l, reg, old);
    else if (s->inst->returns)
        wl_lift_set_sgpr(l, reg, old);
}

/* Memory of the function that nobody reads. */
static LLVMValueRef nowhere(struct wl_lift *l) {
    return LLVMBuildPtrToInt(l->b, wl_lift_alloca(l, LLVMArrayType2(l->i64, MAX_DWORDS / 2), 8, "nowhere"), l->i64, "");
}

/* 64 zeros. */
static LLVMValueRef zeros(struct wl_lift *l) {
    return LLVMBuildPtrToInt(l->b, wl_lift_zeros(l, "zeros", LLVMArrayType2(l->i32, MAX_DWORDS)), l->i64, "");
}

/* What a sanitizer does not allow goes elsewhere. Of what is out of a buffer's range it is not asked. */
static void ask_sanitizer(struct wl_lift *l, struct smem *s) {
    const bool loads = s->isa->class == WL_ISA_SMEM_LOAD;
    const unsigned bytes = s->isa->class == WL_ISA_SMEM_ATOMIC ? s->isa->dwords * 4u : register_count(s) * s->unit;
    LLVMValueRef asked = s->address;
    if (s->limit)
        asked = LLVMBuildSelect(l->b, in_range(l, s, 0, bytes), asked, l->form->image(l), "");
    LLVMValueRef allowed = wl_sanitize_scalar(l, s->inst, asked, bytes);
    s->address = LLVMBuildSelect(l->b, allowed, s->address, loads ? zeros(l) : nowhere(l), "");
}

void wl_lift_smem(struct wl_lift *l, const struct wl_inst *inst) {
    if (inst->isa->class != WL_ISA_SMEM_LOAD)
        wl_lift_flush(l); /* after the vector accesses before it */
    wl_lift_locate(l, inst, 0);
    struct smem s = describe(l, inst);
    if (wl_sanitizes(l))
        ask_sanitizer(l, &s);
    if (inst->isa->class == WL_ISA_SMEM_LOAD)
        load(l, &s);
    else if (inst->isa->class == WL_ISA_SMEM_STORE)
        store(l, &s);
    else
        atomic(l, &s);
    wl_lift_locate(l, NULL, 0);
}
