/* What atomics compute, and how one lane's is done: the host's atomic instruction where there is one, else a
 * compare-and-swap loop; plain loads and stores in LDS, which only one thread touches. */
#include "machine/helpers.h"
#include "translate/lift/marks.h"
#include "translate/lift/memory/memory.h"
#include "translate/lift/memory/scattered.h"
#include "translate/lift/state.h"
#include "translate/lift/values.h"

static LLVMTypeRef integer_type(struct wl_lift *l, const struct wl_access *a) { return a->bits == 64 ? l->i64 : l->i32; }

static LLVMTypeRef float_type(struct wl_lift *l, const struct wl_access *a) { return a->bits == 64 ? l->f64 : l->f32; }

static LLVMValueRef choose(struct wl_lift *l, LLVMIntPredicate predicate, LLVMValueRef a, LLVMValueRef b, LLVMValueRef yes,
                           LLVMValueRef no) {
    return LLVMBuildSelect(l->b, LLVMBuildICmp(l->b, predicate, a, b, ""), yes, no, "");
}

static LLVMValueRef float_sum(struct wl_lift *l, const struct wl_access *a, LLVMValueRef old, LLVMValueRef data) {
    LLVMTypeRef type = float_type(l, a);
    LLVMValueRef sum = LLVMBuildFAdd(l->b, LLVMBuildBitCast(l->b, old, type, ""), LLVMBuildBitCast(l->b, data, type, ""), "");
    return LLVMBuildBitCast(l->b, sum, integer_type(l, a), "");
}

/* The sign alone, of what is too small for a normal number. */
static LLVMValueRef flush_denormal(struct wl_lift *l, LLVMValueRef bits) {
    LLVMValueRef exponent = LLVMBuildAnd(l->b, bits, wl_lift_int(l, l->i32, 0x7f800000), "");
    LLVMValueRef sign = LLVMBuildAnd(l->b, bits, wl_lift_int(l, l->i32, UINT32_C(1) << 31), "");
    return choose(l, LLVMIntEQ, exponent, LLVMConstNull(l->i32), sign, bits);
}

/* A number wins over a NaN, and -0 is less than +0. */
static LLVMValueRef float_extreme(struct wl_lift *l, const struct wl_access *a, LLVMValueRef old, LLVMValueRef data) {
    LLVMTypeRef type = float_type(l, a);
    bool least = a->atomic == WL_ATOMIC_FMIN;
    LLVMValueRef x = LLVMBuildBitCast(l->b, old, type, ""), y = LLVMBuildBitCast(l->b, data, type, "");
    LLVMValueRef same = least ? LLVMBuildOr(l->b, old, data, "") : LLVMBuildAnd(l->b, old, data, "");
    LLVMValueRef keep = LLVMBuildFCmp(l->b, least ? LLVMRealOLT : LLVMRealOGT, x, y, "");
    keep = LLVMBuildOr(l->b, keep, LLVMBuildFCmp(l->b, LLVMRealUNO, y, y, ""), "");
    LLVMValueRef chosen = LLVMBuildSelect(l->b, keep, old, data, "");
    return LLVMBuildSelect(l->b, LLVMBuildFCmp(l->b, LLVMRealOEQ, x, y, ""), same, chosen, "");
}

static LLVMValueRef float_compare(struct wl_lift *l, const struct wl_access *a, LLVMValueRef old, LLVMValueRef compare) {
    LLVMTypeRef type = float_type(l, a);
    return LLVMBuildFCmp(l->b, LLVMRealOEQ, LLVMBuildBitCast(l->b, old, type, ""), LLVMBuildBitCast(l->b, compare, type, ""), "");
}

static LLVMValueRef packed_add_f16(struct wl_lift *l, LLVMValueRef old, LLVMValueRef data) {
    LLVMTypeRef type = LLVMVectorType(l->f16, 2);
    LLVMValueRef sum = LLVMBuildFAdd(l->b, LLVMBuildBitCast(l->b, old, type, ""), LLVMBuildBitCast(l->b, data, type, ""), "");
    return LLVMBuildBitCast(l->b, sum, l->i32, "");
}

/* One bf16 sum in the low half of an i32: the f32 sum, rounded to nearest even; a NaN stays a quiet NaN. */
static LLVMValueRef add_bf16(struct wl_lift *l, LLVMValueRef a, LLVMValueRef b) {
    LLVMValueRef sixteen = wl_lift_int(l, l->i32, 16);
    LLVMValueRef x = LLVMBuildBitCast(l->b, LLVMBuildShl(l->b, a, sixteen, ""), l->f32, "");
    LLVMValueRef y = LLVMBuildBitCast(l->b, LLVMBuildShl(l->b, b, sixteen, ""), l->f32, "");
    LLVMValueRef sum = LLVMBuildFAdd(l->b, x, y, ""), bits = LLVMBuildBitCast(l->b, sum, l->i32, "");
    LLVMValueRef odd = LLVMBuildAnd(l->b, LLVMBuildLShr(l->b, bits, sixteen, ""), wl_lift_int(l, l->i32, 1), "");
    LLVMValueRef rounded = LLVMBuildAdd(l->b, bits, LLVMBuildAdd(l->b, odd, wl_lift_int(l, l->i32, 0x7fff), ""), "");
    LLVMValueRef quiet = LLVMBuildOr(l->b, bits, wl_lift_int(l, l->i32, 0x400000), "");
    LLVMValueRef is_nan = LLVMBuildFCmp(l->b, LLVMRealUNO, sum, sum, "");
    return LLVMBuildLShr(l->b, LLVMBuildSelect(l->b, is_nan, quiet, rounded, ""), sixteen, "");
}

static LLVMValueRef packed_add_bf16(struct wl_lift *l, LLVMValueRef old, LLVMValueRef data) {
    LLVMValueRef sixteen = wl_lift_int(l, l->i32, 16);
    LLVMValueRef high = add_bf16(l, LLVMBuildLShr(l->b, old, sixteen, ""), LLVMBuildLShr(l->b, data, sixteen, ""));
    return LLVMBuildOr(l->b, LLVMBuildShl(l->b, high, sixteen, ""), add_bf16(l, old, data), "");
}

LLVMValueRef wl_atomic_apply(struct wl_lift *l, const struct wl_access *a, LLVMValueRef old, LLVMValueRef data, LLVMValueRef second) {
    LLVMTypeRef type = integer_type(l, a);
    LLVMValueRef zero = LLVMConstNull(type), one = LLVMConstInt(type, 1, false);
    LLVMBuilderRef b = l->b;
    switch ((enum wl_atomic_op)a->atomic) {
    case WL_ATOMIC_NONE:
    case WL_ATOMIC_SWAP:
        return data;
    case WL_ATOMIC_CMPSWAP:
        return choose(l, LLVMIntEQ, old, second, data, old);
    case WL_ATOMIC_FCMPSWAP:
        return LLVMBuildSelect(b, float_compare(l, a, old, second), data, old, "");
    case WL_ATOMIC_ADD:
        return LLVMBuildAdd(b, old, data, "");
    case WL_ATOMIC_SUB:
        return LLVMBuildSub(b, old, data, "");
    case WL_ATOMIC_RSUB:
        return LLVMBuildSub(b, data, old, "");
    case WL_ATOMIC_SMIN:
        return choose(l, LLVMIntSLT, old, data, old, data);
    case WL_ATOMIC_UMIN:
        return choose(l, LLVMIntULT, old, data, old, data);
    case WL_ATOMIC_SMAX:
        return choose(l, LLVMIntSGT, old, data, old, data);
    case WL_ATOMIC_UMAX:
        return choose(l, LLVMIntUGT, old, data, old, data);
    case WL_ATOMIC_AND:
        return LLVMBuildAnd(b, old, data, "");
    case WL_ATOMIC_OR:
        return LLVMBuildOr(b, old, data, "");
    case WL_ATOMIC_XOR:
        return LLVMBuildXor(b, old, data, "");
    case WL_ATOMIC_INC:
        return choose(l, LLVMIntUGE, old, data, zero, LLVMBuildAdd(b, old, one, ""));
    case WL_ATOMIC_DEC:
        return choose(l, LLVMIntUGT, old, data, data, choose(l, LLVMIntEQ, old, zero, data, LLVMBuildSub(b, old, one, "")));
    case WL_ATOMIC_FADD:
        return float_sum(l, a, old, data);
    case WL_ATOMIC_FADD_FLUSH:
        return flush_denormal(l, float_sum(l, a, flush_denormal(l, old), flush_denormal(l, data)));
    case WL_ATOMIC_FMIN:
    case WL_ATOMIC_FMAX:
        return float_extreme(l, a, old, data);
    case WL_ATOMIC_PK_ADD_F16:
        return packed_add_f16(l, old, data);
    case WL_ATOMIC_PK_ADD_BF16:
        return packed_add_bf16(l, old, data);
    case WL_ATOMIC_CSUB:
        return choose(l, LLVMIntULT, old, data, zero, LLVMBuildSub(b, old, data, ""));
    case WL_ATOMIC_COND_SUB:
        return choose(l, LLVMIntUGE, old, data, LLVMBuildSub(b, old, data, ""), old);
    case WL_ATOMIC_MSKOR:
        return LLVMBuildOr(b, LLVMBuildAnd(b, old, LLVMBuildNot(b, data, ""), ""), second, "");
    case WL_ATOMIC_ORDERED_ADD: {
        LLVMValueRef grown = LLVMBuildAdd(b, old, LLVMBuildAnd(b, data, LLVMConstInt(type, UINT64_C(0xffffffff00000000), false), ""), "");
        LLVMValueRef low = LLVMBuildAdd(b, LLVMBuildTrunc(b, old, l->i32, ""), wl_lift_int(l, l->i32, 1), "");
        grown = LLVMBuildAnd(b, grown, LLVMConstInt(type, UINT64_C(0xffffffff00000000), false), "");
        grown = LLVMBuildOr(b, grown, LLVMBuildZExt(b, low, type, ""), "");
        return choose(l, LLVMIntEQ, LLVMBuildTrunc(b, old, l->i32, ""), LLVMBuildTrunc(b, data, l->i32, ""), grown, old);
    }
    case WL_ATOMIC_WRAP:
        return choose(l, LLVMIntUGE, old, data, LLVMBuildSub(b, old, data, ""), LLVMBuildAdd(b, old, second, ""));
    }
    return data;
}

/* The host's own operation; -1: none. */
static int native_operation(const struct wl_access *a) {
    switch ((enum wl_atomic_op)a->atomic) {
    case WL_ATOMIC_SWAP:
        return LLVMAtomicRMWBinOpXchg;
    case WL_ATOMIC_ADD:
        return LLVMAtomicRMWBinOpAdd;
    case WL_ATOMIC_SUB:
        return LLVMAtomicRMWBinOpSub;
    case WL_ATOMIC_SMIN:
        return LLVMAtomicRMWBinOpMin;
    case WL_ATOMIC_UMIN:
        return LLVMAtomicRMWBinOpUMin;
    case WL_ATOMIC_SMAX:
        return LLVMAtomicRMWBinOpMax;
    case WL_ATOMIC_UMAX:
        return LLVMAtomicRMWBinOpUMax;
    case WL_ATOMIC_AND:
        return LLVMAtomicRMWBinOpAnd;
    case WL_ATOMIC_OR:
        return LLVMAtomicRMWBinOpOr;
    case WL_ATOMIC_XOR:
        return LLVMAtomicRMWBinOpXor;
    default:
        return -1;
    }
}

/* Orders of atomics and of the accesses around them are those of a release and acquire: free on x86-64, wanted elsewhere. */
static const LLVMAtomicOrdering order = LLVMAtomicOrderingAcquireRelease;

static LLVMValueRef compare_swap(struct wl_lift *l, LLVMValueRef pointer, LLVMValueRef expected, LLVMValueRef value) {
    LLVMValueRef pair = LLVMBuildAtomicCmpXchg(l->b, pointer, expected, value, order, LLVMAtomicOrderingAcquire, false);
    wl_lift_mark_memory(l, pair);
    return pair;
}

static LLVMValueRef compare_swap_loop(struct wl_lift *l, const struct wl_access *a, LLVMValueRef pointer, LLVMValueRef data,
                                      LLVMValueRef second) {
    LLVMValueRef seen = LLVMBuildLoad2(l->b, integer_type(l, a), pointer, "");
    LLVMSetOrdering(seen, LLVMAtomicOrderingMonotonic);
    LLVMSetAlignment(seen, a->bits / 8);
    LLVMBasicBlockRef before = LLVMGetInsertBlock(l->b), again = wl_memory_block(l, "again"), done = wl_memory_block(l, "swapped");
    LLVMBuildBr(l->b, again);
    LLVMPositionBuilderAtEnd(l->b, again);
    LLVMValueRef old = LLVMBuildPhi(l->b, integer_type(l, a), "");
    LLVMValueRef pair = compare_swap(l, pointer, old, wl_atomic_apply(l, a, old, data, second));
    LLVMValueRef now = LLVMBuildExtractValue(l->b, pair, 0, "");
    LLVMBuildCondBr(l->b, LLVMBuildExtractValue(l->b, pair, 1, ""), done, again);
    LLVMValueRef values[2] = {seen, now};
    LLVMBasicBlockRef from[2] = {before, LLVMGetInsertBlock(l->b)};
    LLVMAddIncoming(old, values, from, 2);
    LLVMPositionBuilderAtEnd(l->b, done);
    return old;
}

LLVMValueRef wl_atomic_at(struct wl_lift *l, const struct wl_access *a, LLVMValueRef address, LLVMValueRef data, LLVMValueRef second) {
    if (a->local) {
        LLVMValueRef old = wl_memory_load(l, integer_type(l, a), address, false);
        wl_memory_store(l, wl_atomic_apply(l, a, old, data, second), address, false);
        return old;
    }
    LLVMValueRef pointer = wl_memory_pointer(l, address);
    int operation = native_operation(a);
    if (operation >= 0) {
        LLVMValueRef old = LLVMBuildAtomicRMW(l->b, (LLVMAtomicRMWBinOp)operation, pointer, data, order, false);
        wl_lift_mark_memory(l, old);
        return old;
    }
    if (a->atomic == WL_ATOMIC_CMPSWAP)
        return LLVMBuildExtractValue(l->b, compare_swap(l, pointer, second, data), 0, "");
    return compare_swap_loop(l, a, pointer, data, second);
}

bool wl_atomic_splits(const struct wl_access *a) {
    return !WL_HOST_ATOMICS_ANYWHERE && a->kind == WL_ACCESS_ATOMIC && a->bits == 64 && !a->local;
}

LLVMValueRef wl_atomic_anywhere(struct wl_lift *l, const struct wl_access *a, LLVMValueRef wave, LLVMValueRef address, LLVMValueRef data,
                                LLVMValueRef second) {
    if (!wl_atomic_splits(a))
        return wl_atomic_at(l, a, address, data, second);
    LLVMBasicBlockRef aligned = wl_memory_block(l, "aligned"), apart = wl_memory_block(l, WL_COLD_BLOCK),
                      done = wl_memory_block(l, "changed");
    LLVMValueRef rest = LLVMBuildAnd(l->b, address, LLVMConstInt(l->i64, 7, false), "");
    LLVMBuildCondBr(l->b, LLVMBuildICmp(l->b, LLVMIntEQ, rest, LLVMConstNull(l->i64), ""), aligned, apart);
    LLVMPositionBuilderAtEnd(l->b, apart);
    LLVMValueRef table = wl_memory_wave_constant(l, wave, offsetof(struct wl_wave, helpers), l->ptr);
    LLVMValueRef at = LLVMConstInt(l->i64, offsetof(struct wl_helpers, split_atomic), false);
    LLVMValueRef helper = LLVMBuildLoad2(l->b, l->ptr, LLVMBuildGEP2(l->b, l->i8, table, &at, 1, ""), "");
    LLVMTypeRef types[] = {l->ptr, l->i32, l->i64, l->i64};
    LLVMValueRef arguments[] = {wl_memory_pointer(l, address), wl_lift_int(l, l->i32, a->atomic), data,
                                second ? second : LLVMConstNull(l->i64)};
    LLVMValueRef values[2] = {LLVMBuildCall2(l->b, LLVMFunctionType(l->i64, types, 4, false), helper, arguments, 4, "")};
    LLVMBasicBlockRef from[2] = {LLVMGetInsertBlock(l->b)};
    LLVMBuildBr(l->b, done);
    LLVMPositionBuilderAtEnd(l->b, aligned);
    values[1] = wl_atomic_at(l, a, address, data, second);
    from[1] = LLVMGetInsertBlock(l->b);
    LLVMBuildBr(l->b, done);
    LLVMPositionBuilderAtEnd(l->b, done);
    LLVMValueRef old = LLVMBuildPhi(l->b, l->i64, "");
    LLVMAddIncoming(old, values, from, 2);
    return old;
}

bool wl_atomic_reduce(struct wl_lift *l, const struct wl_access *a, LLVMValueRef address, LLVMValueRef data, LLVMValueRef exec) {
    static const struct {
        uint8_t operation;
        const char *name;
        uint32_t neutral;
    } reductions[] = {
        {WL_ATOMIC_ADD, "llvm.vector.reduce.add", 0},     {WL_ATOMIC_SUB, "llvm.vector.reduce.add", 0},
        {WL_ATOMIC_AND, "llvm.vector.reduce.and", ~0u},   {WL_ATOMIC_OR, "llvm.vector.reduce.or", 0},
        {WL_ATOMIC_XOR, "llvm.vector.reduce.xor", 0},     {WL_ATOMIC_SMIN, "llvm.vector.reduce.smin", INT32_MAX},
        {WL_ATOMIC_UMIN, "llvm.vector.reduce.umin", ~0u}, {WL_ATOMIC_SMAX, "llvm.vector.reduce.smax", 1u << 31},
        {WL_ATOMIC_UMAX, "llvm.vector.reduce.umax", 0},
    };
    if (a->bits != 32)
        return false;
    for (unsigned i = 0; i < sizeof(reductions) / sizeof(reductions[0]); i++)
        if (reductions[i].operation == a->atomic) {
            LLVMValueRef neutral = wl_strip_splat(l, LLVMConstInt(l->i32, reductions[i].neutral, false));
            LLVMValueRef values = LLVMBuildSelect(l->b, exec, data, neutral, "");
            wl_atomic_at(l, a, address, wl_lift_intrinsic(l, reductions[i].name, &l->strip_i32, 1, &values, 1), NULL);
            return true;
        }
    return false;
}

bool wl_atomic_local(struct wl_lift *l, const struct wl_access *a, const struct wl_lanes *lanes, const struct wl_fact *data,
                     LLVMValueRef *rows) {
    bool plain = a->local && !a->returns && !a->is_volatile && a->bits == 32 && a->dwords == 1 && !l->exec && lanes->offset;
    if (!plain || a->atomic == WL_ATOMIC_SWAP || native_operation(a) < 0)
        return false;
    LLVMTypeRef pairs = LLVMArrayType2(l->i64, WL_STRIP / 2);
    LLVMValueRef places = wl_memory_local(l, pairs), value = NULL, pair = NULL;
    LLVMValueRef store = LLVMBuildStore(l->b, lanes->offset, places);
    LLVMSetAlignment(store, 64);
    LLVMSetVolatile(store, true); /* loads beside others are quicker than taking a vector apart */
    LLVMValueRef first = LLVMBuildExtractElement(l->b, lanes->offset, LLVMConstInt(l->i32, 0, false), "");
    LLVMValueRef last = LLVMBuildExtractElement(l->b, lanes->offset, LLVMConstInt(l->i32, WL_STRIP - 1, false), "");
    LLVMBasicBlockRef apart = wl_memory_block(l, "near"), same = wl_memory_block(l, WL_COLD_BLOCK), done = wl_memory_block(l, "added");
    wl_memory_mark_likely(l, LLVMBuildCondBr(l->b, LLVMBuildICmp(l->b, LLVMIntNE, first, last, ""), apart, same));
    LLVMPositionBuilderAtEnd(l->b, same);
    wl_memory_slow(l, a, lanes, rows);
    LLVMBuildBr(l->b, done);
    LLVMPositionBuilderAtEnd(l->b, apart);
    for (unsigned i = 0; i < WL_STRIP; i++) {
        LLVMValueRef lane = LLVMConstInt(l->i64, i, false), half = LLVMConstInt(l->i64, i / 2, false);
        if (i % 2 == 0)
            pair = LLVMBuildLoad2(l->b, l->i64, LLVMBuildGEP2(l->b, l->i64, places, &half, 1, ""), "");
        LLVMValueRef offset = i % 2 ? LLVMBuildLShr(l->b, pair, LLVMConstInt(l->i64, 32, false), "")
                                    : LLVMBuildAnd(l->b, pair, LLVMConstInt(l->i64, UINT32_MAX, false), "");
        if (i == 0 || !wl_fact_is_uniform(data))
            value = LLVMBuildExtractElement(l->b, rows[0], lane, "");
        (void)wl_atomic_at(l, a, LLVMBuildAdd(l->b, lanes->base, offset, ""), value, NULL);
    }
    LLVMBuildBr(l->b, done);
    LLVMPositionBuilderAtEnd(l->b, done);
    return true;
}
