/* Addresses of a strip, and which inline form serves them. */
#include "translate/lift/memory/memory.h"
#include "translate/lift/memory/one_place.h"

#include "base/page.h"
#include "machine/wave.h"
#include "translate/lift/state.h"
#include "translate/lift/values.h"

#include <stddef.h>
#include <string.h>

LLVMBasicBlockRef wl_memory_block(struct wl_lift *l, const char *name) {
    return LLVMAppendBasicBlockInContext(l->context, LLVMGetBasicBlockParent(LLVMGetInsertBlock(l->b)), name);
}

LLVMValueRef wl_memory_local(struct wl_lift *l, LLVMTypeRef type) {
    LLVMBasicBlockRef here = LLVMGetInsertBlock(l->b), entry = LLVMGetEntryBasicBlock(LLVMGetBasicBlockParent(here));
    LLVMValueRef first = LLVMGetFirstInstruction(entry);
    if (first)
        LLVMPositionBuilderBefore(l->b, first);
    else
        LLVMPositionBuilderAtEnd(l->b, entry);
    LLVMValueRef space = LLVMBuildAlloca(l->b, type, "");
    LLVMSetAlignment(space, 64);
    LLVMPositionBuilderAtEnd(l->b, here);
    return space;
}

LLVMValueRef wl_memory_mask(struct wl_lift *l) { return l->exec ? l->exec_bits : LLVMConstInt(l->i16, 0xffff, false); }

LLVMValueRef wl_memory_all(struct wl_lift *l, LLVMValueRef lanes, LLVMValueRef mask) {
    LLVMValueRef bits = LLVMBuildBitCast(l->b, lanes, l->i16, "");
    return LLVMBuildICmp(l->b, LLVMIntEQ, LLVMBuildAnd(l->b, bits, mask, ""), mask, "");
}

LLVMValueRef wl_memory_iota(struct wl_lift *l, LLVMTypeRef element, uint64_t stride) {
    LLVMValueRef values[WL_STRIP];
    (void)l;
    for (unsigned i = 0; i < WL_STRIP; i++)
        values[i] = LLVMConstInt(element, i * stride, false);
    return LLVMConstVector(values, WL_STRIP);
}

LLVMValueRef wl_memory_pointer(struct wl_lift *l, LLVMValueRef address) { return LLVMBuildIntToPtr(l->b, address, l->ptr, ""); }

/* Two scopes in one domain: an access in one does not alias what is in the other. */
static void mark(struct wl_lift *l, LLVMValueRef access, const char *in, const char *out) {
    LLVMContextRef c = l->context;
    LLVMMetadataRef name = LLVMMDStringInContext2(c, "wavelift", 8);
    LLVMMetadataRef domain = LLVMMDNodeInContext2(c, &name, 1);
    const char *names[2] = {in, out}, *kinds[2] = {"alias.scope", "noalias"};
    for (unsigned i = 0; i < 2; i++) {
        LLVMMetadataRef parts[2] = {LLVMMDStringInContext2(c, names[i], strlen(names[i])), domain};
        LLVMMetadataRef scope = LLVMMDNodeInContext2(c, parts, 2);
        LLVMMetadataRef list = LLVMMDNodeInContext2(c, &scope, 1);
        LLVMSetMetadata(access, LLVMGetMDKindIDInContext(c, kinds[i], (unsigned)strlen(kinds[i])), LLVMMetadataAsValue(c, list));
    }
}

void wl_lift_mark_memory(struct wl_lift *l, LLVMValueRef access) { mark(l, access, "memory", "wave"); }

void wl_lift_mark_wave(struct wl_lift *l, LLVMValueRef access) { mark(l, access, "wave", "memory"); }

LLVMValueRef wl_memory_load(struct wl_lift *l, LLVMTypeRef type, LLVMValueRef address, bool is_volatile) {
    LLVMValueRef value = LLVMBuildLoad2(l->b, type, wl_memory_pointer(l, address), "");
    LLVMSetAlignment(value, 1);
    LLVMSetVolatile(value, is_volatile);
    wl_lift_mark_memory(l, value);
    return value;
}

void wl_memory_store(struct wl_lift *l, LLVMValueRef value, LLVMValueRef address, bool is_volatile) {
    LLVMValueRef store = LLVMBuildStore(l->b, value, wl_memory_pointer(l, address));
    LLVMSetAlignment(store, 1);
    LLVMSetVolatile(store, is_volatile);
    wl_lift_mark_memory(l, store);
}

LLVMValueRef wl_memory_wave_constant(struct wl_lift *l, LLVMValueRef wave, size_t offset, LLVMTypeRef type) {
    LLVMValueRef index = LLVMConstInt(l->i64, offset, false);
    LLVMValueRef value = LLVMBuildLoad2(l->b, type, LLVMBuildGEP2(l->b, l->i8, wave, &index, 1, ""), "");
    LLVMValueRef empty = LLVMMetadataAsValue(l->context, LLVMMDNodeInContext2(l->context, NULL, 0));
    LLVMSetMetadata(value, LLVMGetMDKindIDInContext(l->context, "invariant.load", 14), empty);
    return value;
}

static LLVMValueRef join_halves(struct wl_lift *l, LLVMValueRef low, LLVMValueRef high, LLVMTypeRef type) {
    LLVMValueRef up = LLVMBuildShl(l->b, LLVMBuildZExt(l->b, high, type, ""), wl_lift_int(l, type, 32), "");
    return LLVMBuildOr(l->b, up, LLVMBuildZExt(l->b, low, type, ""), "");
}

/* An index, or a vector of them, as bytes from the base. */
static LLVMValueRef index_bytes(struct wl_lift *l, const struct wl_lanes *lanes, LLVMValueRef index, LLVMTypeRef type) {
    LLVMValueRef wide = lanes->index_signed ? LLVMBuildSExt(l->b, index, type, "") : LLVMBuildZExt(l->b, index, type, "");
    return LLVMBuildShl(l->b, wide, wl_lift_int(l, type, lanes->index_shift), "");
}

LLVMValueRef wl_lanes_addresses(struct wl_lift *l, const struct wl_lanes *lanes) {
    LLVMValueRef values;
    if (lanes->index)
        return LLVMBuildAdd(l->b, index_bytes(l, lanes, lanes->index, l->strip_i64), wl_strip_splat(l, lanes->index_base), "");
    if (!lanes->wide)
        values = LLVMBuildZExt(l->b, lanes->offset, l->strip_i64, "");
    else if (lanes->pair)
        values = lanes->pair;
    else
        values = l->has_avx512 ? join_halves(l, lanes->low, lanes->high, l->strip_i64) : wl_strip_join(l, lanes->low, lanes->high);
    return LLVMBuildAdd(l->b, values, wl_strip_splat(l, lanes->base), "");
}

static LLVMValueRef extract(struct wl_lift *l, LLVMValueRef vector, LLVMValueRef lane) {
    return LLVMBuildExtractElement(l->b, vector, lane, "");
}

/* A lane's pair or offset, before the base is added. */
static LLVMValueRef lane_value(struct wl_lift *l, const struct wl_lanes *lanes, LLVMValueRef lane) {
    if (!lanes->wide)
        return LLVMBuildZExt(l->b, extract(l, lanes->offset, lane), l->i64, "");
    if (lanes->pair)
        return extract(l, lanes->pair, lane);
    return join_halves(l, extract(l, lanes->low, lane), extract(l, lanes->high, lane), l->i64);
}

static LLVMValueRef lane_high(struct wl_lift *l, const struct wl_lanes *lanes, LLVMValueRef lane) {
    if (!lanes->pair)
        return extract(l, lanes->high, lane);
    return LLVMBuildTrunc(l->b, LLVMBuildLShr(l->b, extract(l, lanes->pair, lane), LLVMConstInt(l->i64, 32, false), ""), l->i32, "");
}

LLVMValueRef wl_lanes_address(struct wl_lift *l, const struct wl_lanes *lanes, LLVMValueRef lane) {
    const bool is_head = lanes->index_head && LLVMIsAConstantInt(lane) && LLVMConstIntGetZExtValue(lane) == 0;
    if (lanes->index) {
        LLVMValueRef index = is_head ? lanes->index_head : extract(l, lanes->index, lane);
        return LLVMBuildAdd(l->b, index_bytes(l, lanes, index, l->i64), lanes->index_base, "");
    }
    return LLVMBuildAdd(l->b, lane_value(l, lanes, lane), lanes->base, "");
}

static LLVMValueRef both(struct wl_lift *l, LLVMValueRef a, LLVMValueRef b) { return !a ? b : !b ? a : LLVMBuildAnd(l->b, a, b, ""); }

/* ---- tests of all lanes ---- */

/* i1: no active lane has a bit in `bits` (<16 x i32>). For hosts without mask registers, which look at 256 bits at once but take ten
 * instructions to make a mask of 16 lanes. */
static LLVMValueRef none_set(struct wl_lift *l, LLVMValueRef bits) {
    if (l->exec)
        bits = LLVMBuildSelect(l->b, l->exec, bits, LLVMConstNull(l->strip_i32), "");
    LLVMValueRef any = wl_lift_intrinsic(l, "llvm.vector.reduce.or", &l->strip_i32, 1, &bits, 1);
    return LLVMBuildICmp(l->b, LLVMIntEQ, any, LLVMConstNull(l->i32), "");
}

/* i1: the active lanes of two vectors are equal. */
static LLVMValueRef lanes_equal(struct wl_lift *l, LLVMValueRef a, LLVMValueRef b) {
    if (l->has_avx512 && l->exec) { /* one comparison under the mask and one test of mask registers */
        LLVMValueRef differ = LLVMBuildAnd(l->b, LLVMBuildICmp(l->b, LLVMIntNE, a, b, ""), l->exec, "");
        return LLVMBuildICmp(l->b, LLVMIntEQ, LLVMBuildBitCast(l->b, differ, l->i16, ""), LLVMConstInt(l->i16, 0, false), "");
    }
    if (l->has_avx512 || LLVMTypeOf(a) != l->strip_i32)
        return wl_memory_all(l, LLVMBuildICmp(l->b, LLVMIntEQ, a, b, ""), wl_memory_mask(l));
    return none_set(l, LLVMBuildXor(l->b, a, b, ""));
}

/* The same for both halves of 64-bit values. */
static LLVMValueRef halves_equal(struct wl_lift *l, const LLVMValueRef *a, const LLVMValueRef *b) {
    return none_set(l, LLVMBuildOr(l->b, LLVMBuildXor(l->b, a[0], b[0], ""), LLVMBuildXor(l->b, a[1], b[1], ""), ""));
}

/* ---- patterns ---- */

LLVMValueRef wl_memory_any_lane(struct wl_lift *l, LLVMValueRef row, bool partial) {
    LLVMValueRef lane = LLVMConstInt(l->i32, 0, false);
    if (partial && l->exec) {
        LLVMValueRef arguments[2] = {LLVMBuildZExt(l->b, wl_memory_mask(l), l->i32, ""), LLVMConstInt(l->i1, 1, false)};
        lane = wl_lift_intrinsic(l, "llvm.cttz", &l->i32, 1, arguments, 2);
    }
    return LLVMBuildExtractElement(l->b, row, lane, "");
}

/* A row's value in the first active lane; in lane 0 on hosts that bring no other one to the front by one instruction. */
static LLVMValueRef leading(struct wl_lift *l, LLVMValueRef row) {
    if (l->has_avx512 && l->exec) {
        LLVMValueRef packing[3] = {row, LLVMConstNull(l->strip_i32), l->exec};
        row = wl_lift_intrinsic(l, "llvm.x86.avx512.mask.compress", &l->strip_i32, 1, packing, 3);
    }
    return extract(l, row, LLVMConstInt(l->i32, 0, false));
}

LLVMValueRef wl_lanes_are_private(struct wl_lift *l, const struct wl_lanes *lanes, struct wl_lanes *there) {
    LLVMValueRef low = leading(l, lanes->low), high = leading(l, lanes->high);
    LLVMValueRef address = LLVMBuildAdd(l->b, join_halves(l, low, high, l->i64), lanes->base, "");
    LLVMValueRef top = LLVMBuildLShr(l->b, address, LLVMConstInt(l->i64, 32, false), "");
    const LLVMValueRef halves[2] = {lanes->low, lanes->high}, heads[2] = {wl_strip_splat(l, low), wl_strip_splat(l, high)};
    *there = (struct wl_lanes){.base = wl_memory_wave_constant(l, l->wave, offsetof(struct wl_wave, scratch), l->i64),
                               .scalar_offset = LLVMBuildTrunc(l->b, address, l->i32, "")};
    return LLVMBuildAnd(l->b, LLVMBuildICmp(l->b, LLVMIntEQ, top, LLVMConstInt(l->i64, WL_PRIVATE_APERTURE_HI, false), ""),
                        halves_equal(l, halves, heads), "");
}

/* The first and last lanes whose registers may be looked at, as i32. */
static void known_lanes(struct wl_lift *l, bool all, LLVMValueRef *first, LLVMValueRef *last) {
    *first = LLVMConstInt(l->i32, 0, false);
    *last = LLVMConstInt(l->i32, l->strip_lanes - 1, false);
    if (all || !l->exec)
        return;
    LLVMValueRef mask = LLVMBuildZExt(l->b, wl_memory_mask(l), l->i32, "");
    LLVMValueRef arguments[2] = {mask, LLVMConstInt(l->i1, 1, false)};
    *first = wl_lift_intrinsic(l, "llvm.cttz", &l->i32, 1, arguments, 2);
    LLVMValueRef zeros = wl_lift_intrinsic(l, "llvm.ctlz", &l->i32, 1, arguments, 2);
    *last = LLVMBuildSub(l->b, LLVMConstInt(l->i32, 31, false), zeros, "");
}

/* `size` * lane, as i64. */
static LLVMValueRef scaled(struct wl_lift *l, LLVMValueRef lane, unsigned size) {
    return LLVMBuildMul(l->b, LLVMBuildZExt(l->b, lane, l->i64, ""), LLVMConstInt(l->i64, size, false), "");
}

bool wl_lanes_known(const struct wl_lanes *lanes) {
    if (lanes->low_fact.kind != WL_FACT_AFFINE)
        return false;
    return !lanes->wide || wl_fact_is_uniform(&lanes->high_fact) || lanes->high_fact.kind == WL_FACT_CARRY;
}

/* Whether 32-bit offsets follow each other if the last one is where the first one leads. */
static bool may_break(const struct wl_access *access, const struct wl_fact *low, bool wide) {
    return low->kind == WL_FACT_BROKEN && !wide && (uint32_t)low->stride == wl_access_size(access);
}

static bool for_all_lanes(const struct wl_lanes *lanes) {
    return wl_fact_in_all_lanes(&lanes->low_fact) && (!lanes->wide || wl_fact_in_all_lanes(&lanes->high_fact));
}

/* That lanes [first of `from`, last of `to`], `span` lanes at most, lie behind each other as their facts say; NULL: they do. */
static LLVMValueRef goes_on(struct wl_lift *l, const struct wl_lanes *from, LLVMValueRef first, const struct wl_lanes *to,
                            LLVMValueRef last, uint64_t span, unsigned size) {
    LLVMValueRef check = NULL;
    bool pair = from->wide && wl_fact_is_pair(&from->low_fact, &from->high_fact);
    if (pair || (!from->wide && wl_fact_fits(&from->low_fact)))
        return NULL;
    const uint64_t last_index = from->index_signed ? INT32_MAX : UINT32_MAX, reach = (span - 1) * (uint64_t)from->index_stride;
    if (from->index && from->index_stride && reach < last_index) { /* then the whole address does, if its index does not wrap */
        LLVMValueRef most = LLVMConstInt(l->i32, last_index - reach, false);
        return LLVMBuildICmp(l->b, from->index_signed ? LLVMIntSLE : LLVMIntULE, extract(l, from->index, first), most, "");
    }
    if (!from->wraps_freely && from->low_fact.bits >= 32) { /* the low half goes on without a wrap */
        LLVMValueRef low = LLVMBuildTrunc(l->b, lane_value(l, from, first), l->i32, "");
        check = LLVMBuildICmp(l->b, LLVMIntULE, low, LLVMConstInt(l->i32, UINT32_MAX - span * size, false), "");
    }
    if (from->wide && !wl_fact_is_uniform(&from->high_fact))
        check = both(l, check, LLVMBuildICmp(l->b, LLVMIntEQ, lane_high(l, from, first), lane_high(l, to, last), ""));
    return check;
}

/* i1: that offsets do not break between two lanes, of which the second is `distance` (i32) lanes behind the first. */
static LLVMValueRef unbroken(struct wl_lift *l, const struct wl_lanes *from, LLVMValueRef first, const struct wl_lanes *to,
                             LLVMValueRef last, LLVMValueRef distance) {
    LLVMValueRef reach = LLVMBuildMul(l->b, distance, LLVMConstInt(l->i32, (uint32_t)from->low_fact.stride, false), "");
    LLVMValueRef led_to = LLVMBuildAdd(l->b, extract(l, from->offset, first), reach, "");
    return LLVMBuildICmp(l->b, LLVMIntEQ, extract(l, to->offset, last), led_to, "");
}

/* Where an offset in LDS leads at which a vector access begins. An inactive lane may lie below offset 0, and the lanes behind it have
 * wrapped around: the last offsets are those before the LDS (device/cpu/memory.c). */
static LLVMValueRef leading_in_lds(struct wl_lift *l, const struct wl_lanes *lanes, LLVMValueRef offset) {
    enum { BEFORE = 1024 };
    LLVMValueRef moved = LLVMBuildAdd(l->b, offset, LLVMConstInt(l->i32, BEFORE, false), "");
    LLVMValueRef base = LLVMBuildSub(l->b, lanes->base, LLVMConstInt(l->i64, BEFORE, false), "");
    return LLVMBuildAdd(l->b, LLVMBuildZExt(l->b, moved, l->i64, ""), base, "");
}

/* The address of a lane that a vector access begins at. */
static LLVMValueRef leading_address(struct wl_lift *l, const struct wl_lanes *lanes, LLVMValueRef lane) {
    const bool active = lanes->low_fact.kind == WL_FACT_BROKEN && !l->exec;
    if (!lanes->wraps_freely || lanes->wide || lanes->low_fact.bits < 32 || active)
        return wl_lanes_address(l, lanes, lane);
    return leading_in_lds(l, lanes, extract(l, lanes->offset, lane));
}

/* Both: *start is where lane 0 is or would be, *seen the address of a lane that is active or known. The lanes are `stride` bytes
 * apart and have their elements within `size` of them. */
static enum wl_pattern consecutive_by_fact(struct wl_lift *l, const struct wl_lanes *lanes, unsigned stride, unsigned size,
                                           LLVMValueRef *check, LLVMValueRef *start, LLVMValueRef *seen) {
    LLVMValueRef first, last;
    known_lanes(l, for_all_lanes(lanes), &first, &last);
    *seen = leading_address(l, lanes, first);
    *start = LLVMBuildSub(l->b, *seen, scaled(l, first, stride), "");
    *check = goes_on(l, lanes, first, lanes, last, WL_STRIP, size > stride ? size : stride);
    if (lanes->low_fact.kind == WL_FACT_BROKEN)
        *check = both(l, *check, unbroken(l, lanes, first, lanes, last, LLVMBuildSub(l->b, last, first, "")));
    return stride == size ? WL_PATTERN_CONSECUTIVE : WL_PATTERN_STRIDED;
}

/* Lanes are consecutive if their indices count and do not wrap: 32 bits to compare instead of 64. */
static enum wl_pattern consecutive_by_index(struct wl_lift *l, const struct wl_lanes *lanes, unsigned size, LLVMValueRef *check,
                                            LLVMValueRef *start, LLVMValueRef *seen) {
    LLVMValueRef first, last;
    known_lanes(l, false, &first, &last);
    LLVMValueRef head = extract(l, lanes->index, first), zero = LLVMBuildSub(l->b, head, first, "");
    LLVMValueRef expected = LLVMBuildAdd(l->b, wl_strip_splat(l, zero), wl_memory_iota(l, l->i32, 1), "");
    LLVMValueRef limit = LLVMConstInt(l->i32, (lanes->index_signed ? (uint64_t)INT32_MAX : UINT32_MAX) - WL_STRIP, false);
    LLVMValueRef counts = LLVMBuildICmp(l->b, lanes->index_signed ? LLVMIntSLE : LLVMIntULE, head, limit, "");
    *check = LLVMBuildAnd(l->b, lanes_equal(l, lanes->index, expected), counts, "");
    *seen = LLVMBuildAdd(l->b, index_bytes(l, lanes, head, l->i64), lanes->index_base, "");
    *start = LLVMBuildSub(l->b, *seen, scaled(l, first, size), "");
    return WL_PATTERN_CONSECUTIVE;
}

/* That the halves of the lanes' addresses are `size` bytes apart, from the real or imagined lane 0 on. *seen: of lane `first`. */
static LLVMValueRef consecutive_halves(struct wl_lift *l, const struct wl_lanes *lanes, LLVMValueRef first, unsigned size,
                                       LLVMValueRef *seen) {
    LLVMValueRef low = extract(l, lanes->low, first), high = extract(l, lanes->high, first);
    LLVMValueRef skip = LLVMBuildMul(l->b, first, LLVMConstInt(l->i32, size, false), ""), zero = LLVMBuildSub(l->b, low, skip, "");
    const LLVMValueRef halves[2] = {lanes->low, lanes->high};
    const LLVMValueRef expected[2] = {LLVMBuildAdd(l->b, wl_strip_splat(l, zero), wl_memory_iota(l, l->i32, size), ""),
                                      wl_strip_splat(l, high)};
    LLVMValueRef limit = LLVMConstInt(l->i32, UINT32_MAX - (uint64_t)WL_STRIP * size, false);
    *seen = join_halves(l, low, high, l->i64);
    return both(l, halves_equal(l, halves, expected), LLVMBuildICmp(l->b, LLVMIntULE, low, limit, ""));
}

/* In LDS, where some lanes are active: what lane 0's offset would be is the first active lane's after each lane's distance from lane 0 is
 * taken off. The host brings that lane to the front by one instruction; to name it and to take it out would go through the stack. */
static enum wl_pattern consecutive_by_packing(struct wl_lift *l, const struct wl_lanes *lanes, unsigned size, LLVMValueRef *check,
                                              LLVMValueRef *start, LLVMValueRef *seen) {
    LLVMValueRef zeros = LLVMBuildSub(l->b, lanes->offset, wl_memory_iota(l, l->i32, size), "");
    LLVMValueRef packing[3] = {zeros, LLVMConstNull(l->strip_i32), l->exec};
    LLVMValueRef packed = wl_lift_intrinsic(l, "llvm.x86.avx512.mask.compress", &l->strip_i32, 1, packing, 3);
    LLVMValueRef zero = extract(l, packed, LLVMConstInt(l->i32, 0, false));
    *check = lanes_equal(l, zeros, wl_strip_splat(l, zero));
    *start = *seen = leading_in_lds(l, lanes, zero);
    return WL_PATTERN_CONSECUTIVE;
}

static enum wl_pattern consecutive_by_test(struct wl_lift *l, const struct wl_lanes *lanes, unsigned size, LLVMValueRef *check,
                                           LLVMValueRef *start, LLVMValueRef *seen) {
    if (lanes->index && UINT32_C(1) << lanes->index_shift == size)
        return consecutive_by_index(l, lanes, size, check, start, seen);
    if (l->has_avx512 && l->exec && !lanes->wide && lanes->wraps_freely)
        return consecutive_by_packing(l, lanes, size, check, start, seen);
    LLVMValueRef first, last, expected;
    known_lanes(l, false, &first, &last);
    LLVMValueRef skip = scaled(l, first, size), head;
    if (lanes->wide && !lanes->pair) {
        *check = consecutive_halves(l, lanes, first, size, &head);
    } else {
        LLVMValueRef values = lanes->wide ? lanes->pair : lanes->offset;
        LLVMTypeRef element = lanes->wide ? l->i64 : l->i32;
        head = extract(l, values, first);
        LLVMValueRef zero =
            LLVMBuildSub(l->b, head, LLVMBuildIntCast2(l->b, skip, element, false, ""), ""); /* lane 0's, real or imagined */
        expected = LLVMBuildAdd(l->b, wl_strip_splat(l, zero), wl_memory_iota(l, element, size), "");
        *check = lanes_equal(l, values, expected);
    }
    /* Imagined lanes may lie before offset 0, so this is no sum of 32 bits. */
    *seen = LLVMBuildAdd(l->b, lanes->base, LLVMBuildZExt(l->b, head, l->i64, ""), "");
    *start = LLVMBuildSub(l->b, *seen, skip, "");
    if (!lanes->wide && !lanes->wraps_freely) {
        LLVMValueRef limit = LLVMConstInt(l->i32, UINT32_MAX - (uint64_t)WL_STRIP * size, false);
        *check = both(l, *check, LLVMBuildICmp(l->b, LLVMIntULE, head, limit, ""));
    }
    return WL_PATTERN_CONSECUTIVE;
}

/* Loads whose lanes overlap or leave gaps: a few vectors hold all of them. `stride` in bytes. */
static bool is_strided(const struct wl_lift *l, const struct wl_access *access, int32_t stride) {
    if (access->kind == WL_ACCESS_ATOMIC || access->bits != 32 || access->is_volatile || !wl_memory_has_masks(l, 32))
        return false;
    if (stride == 4) /* lanes that overlap: who loads so has joined dwords that are for themselves */
        return access->kind == WL_ACCESS_LOAD;
    if (stride % 8 && access->kind == WL_ACCESS_STORE && access->dwords == 2 && !l->has_avx512)
        return false; /* stores under a mask could part a lane's dwords */
    return stride % 4 == 0 && stride > (int32_t)wl_access_size(access) && stride <= 4 * WL_MAX_ROWS;
}

/* The same offset in every lane's scratch, not across a dword. */
static enum wl_pattern private_pattern(struct wl_lift *l, const struct wl_access *access, const struct wl_lanes *lanes, LLVMValueRef *check,
                                       LLVMValueRef *start) {
    LLVMValueRef offset = lanes->scalar_offset;
    unsigned within = access->bits >= 32 ? 3 : access->bits == 16 ? 1 : 0; /* a 16-bit element at byte 1 is left to the slow path */
    if (within) {
        LLVMValueRef low = LLVMBuildAnd(l->b, offset, LLVMConstInt(l->i32, within, false), "");
        *check = LLVMBuildICmp(l->b, LLVMIntEQ, low, LLVMConstInt(l->i32, 0, false), "");
    }
    if (access->place == WL_PLACE_BUFFER) {
        LLVMValueRef swizzled = LLVMBuildLShr(l->b, lanes->limit, LLVMConstInt(l->i64, 32, false), "");
        *check = both(l, *check, LLVMBuildTrunc(l->b, swizzled, l->i1, ""));
    }
    LLVMValueRef dword = LLVMBuildZExt(l->b, LLVMBuildLShr(l->b, offset, LLVMConstInt(l->i32, 2, false), ""), l->i64, "");
    LLVMValueRef byte = LLVMBuildMul(l->b, dword, LLVMConstInt(l->i64, UINT64_C(4) * l->wave_size, false), "");
    LLVMValueRef lane = LLVMBuildShl(l->b, l->strip->first_lane, LLVMConstInt(l->i64, 2, false), "");
    *start = LLVMBuildAdd(l->b, lanes->base, LLVMBuildAdd(l->b, byte, lane, ""), "");
    return WL_PATTERN_PRIVATE;
}

/* Whether a raw buffer holds all of [start, start + size). */
static LLVMValueRef within_buffer(struct wl_lift *l, const struct wl_lanes *lanes, LLVMValueRef start, uint64_t size) {
    LLVMValueRef end = LLVMBuildAdd(l->b, LLVMBuildSub(l->b, start, lanes->base, ""), LLVMConstInt(l->i64, size, false), "");
    /* A swizzled buffer's limit has bit 32 set; its offsets are never this way. */
    LLVMValueRef fits = LLVMBuildICmp(l->b, LLVMIntULE, end, lanes->limit, "");
    LLVMValueRef raw = LLVMBuildICmp(l->b, LLVMIntULT, lanes->limit, LLVMConstInt(l->i64, UINT64_C(1) << 32, false), "");
    return LLVMBuildAnd(l->b, fits, raw, "");
}

/* The address that is the same in all lanes that are active or known. */
static LLVMValueRef uniform_address(struct wl_lift *l, const struct wl_lanes *lanes) {
    LLVMValueRef first, last;
    if (l->has_avx512 && l->exec && !for_all_lanes(lanes) && !lanes->wide && lanes->offset)
        return LLVMBuildAdd(l->b, lanes->base, LLVMBuildZExt(l->b, leading(l, lanes->offset), l->i64, ""), "");
    known_lanes(l, for_all_lanes(lanes), &first, &last);
    return wl_lanes_address(l, lanes, first);
}

/* Whether [start, start + size) lies in one page of the host, of the smallest that hosts have. */
static LLVMValueRef within_page(struct wl_lift *l, LLVMValueRef start, uint64_t size) {
    LLVMValueRef offset = LLVMBuildAnd(l->b, start, LLVMConstInt(l->i64, WL_PAGE - 1, false), "");
    return LLVMBuildICmp(l->b, LLVMIntULE, offset, LLVMConstInt(l->i64, WL_PAGE - size, false), "");
}

/* Whether a flat address is in no aperture. */
static LLVMValueRef is_memory(struct wl_lift *l, LLVMValueRef address) {
    return LLVMBuildICmp(l->b, LLVMIntULT, address, LLVMConstInt(l->i64, UINT64_C(1) << 48, false), "");
}

unsigned wl_lanes_wide(const struct wl_lift *l, const struct wl_access *access, const struct wl_fact *low, const struct wl_fact *high) {
    bool known = (low->kind == WL_FACT_AFFINE && (uint32_t)low->stride == wl_access_size(access)) || may_break(access, low, high != NULL);
    uint32_t lanes = low->lanes;
    if (high) {
        known &= wl_fact_is_uniform(high) || high->kind == WL_FACT_CARRY;
        lanes = high->lanes < lanes ? high->lanes : lanes;
    }
    if (!known || access->kind == WL_ACCESS_ATOMIC || access->is_volatile || lanes < 2 * WL_STRIP)
        return 0;
    return (lanes < l->wave_size ? lanes : l->wave_size) / WL_STRIP;
}

LLVMValueRef wl_lanes_start(struct wl_lift *l, const struct wl_access *access, const struct wl_lanes *strips, unsigned count,
                            LLVMValueRef *check) {
    LLVMValueRef first = LLVMConstInt(l->i32, 0, false), last = LLVMConstInt(l->i32, WL_STRIP - 1, false);
    LLVMValueRef start = leading_address(l, &strips[0], first);
    *check = goes_on(l, &strips[0], first, &strips[count - 1], last, (uint64_t)count * WL_STRIP, wl_access_size(access));
    if (strips[0].low_fact.kind == WL_FACT_BROKEN)
        *check = both(l, *check,
                      unbroken(l, &strips[0], first, &strips[count - 1], last, wl_lift_int(l, l->i32, (uint64_t)count * WL_STRIP - 1)));
    if (access->place == WL_PLACE_FLAT)
        *check = both(l, *check, is_memory(l, start));
    return start;
}

/* Loads of lanes that are likely consecutive in groups, or the same. The first lane of a group is looked at whether it is active or
 * not: the others tell whether what it has is of use. */
static bool is_grouped(const struct wl_lift *l, const struct wl_access *access, const struct wl_lanes *lanes) {
    bool fits = lanes->low_fact.stride == 4 ? access->dwords == 1 : lanes->low_fact.stride == 0 && access->dwords <= 2;
    return lanes->low_fact.kind == WL_FACT_GROUPS && fits && access->kind == WL_ACCESS_LOAD && access->bits == 32 && !access->is_volatile &&
           access->place == WL_PLACE_MEMORY && l->has_masks;
}

/* Stores of groups of lanes to one place each: facts say so of the active lanes. */
static bool is_grouped_store(const struct wl_access *access, const struct wl_lanes *lanes) {
    return access->kind == WL_ACCESS_STORE && access->place == WL_PLACE_MEMORY && access->dwords == 1 && !access->is_volatile &&
           !lanes->wide && lanes->offset && lanes->low_fact.kind == WL_FACT_GROUPS && lanes->low_fact.stride == 0 &&
           !lanes->low_fact.loaded;
}

/* A vector with each group's first lane in all its lanes. */
static LLVMValueRef group_heads(struct wl_lift *l, LLVMValueRef vector) {
    LLVMValueRef order[WL_STRIP];
    for (unsigned i = 0; i < WL_STRIP; i++)
        order[i] = wl_lift_int(l, l->i32, i / WL_GROUP * WL_GROUP);
    return LLVMBuildShuffleVector(l->b, vector, LLVMGetPoison(LLVMTypeOf(vector)), LLVMConstVector(order, WL_STRIP), "");
}

LLVMValueRef wl_lanes_group_expected(struct wl_lift *l, LLVMValueRef vector, uint32_t stride) {
    LLVMTypeRef element = LLVMGetElementType(LLVMTypeOf(vector));
    LLVMValueRef within[WL_STRIP];
    for (unsigned i = 0; i < WL_STRIP; i++)
        within[i] = wl_lift_int(l, element, (uint64_t)(i % WL_GROUP) * stride);
    return LLVMBuildAdd(l->b, group_heads(l, vector), LLVMConstVector(within, WL_STRIP), "");
}

/* i1: in each group, the first lane's value is so low that adding `step` for each further lane does not wrap. NULL: `step` is 0. */
static LLVMValueRef group_heads_below(struct wl_lift *l, LLVMValueRef vector, bool is_signed, uint32_t step) {
    LLVMValueRef limit = LLVMConstInt(l->i32, (is_signed ? (uint64_t)INT32_MAX : UINT32_MAX) - (uint64_t)WL_GROUP * step, false),
                 all = NULL;
    for (uint64_t i = 0; step && i < WL_STRIP; i += WL_GROUP) {
        LLVMValueRef head = extract(l, vector, LLVMConstInt(l->i32, i, false));
        all = both(l, all, LLVMBuildICmp(l->b, is_signed ? LLVMIntSLE : LLVMIntULE, head, limit, ""));
    }
    return all;
}

/* i1: whether lanes have the known stride within their groups, compared in halves of 32 bits. It is false where a group's first lane is so
 * high that the low half wraps within the group. */
static LLVMValueRef narrow_groups_check(struct wl_lift *l, const struct wl_lanes *lanes) {
    uint32_t stride = (uint32_t)lanes->low_fact.stride;
    LLVMValueRef low = lanes->wide ? lanes->low : lanes->offset, check;
    if (lanes->wide) {
        const LLVMValueRef halves[2] = {low, lanes->high};
        const LLVMValueRef expected[2] = {wl_lanes_group_expected(l, low, stride), group_heads(l, lanes->high)};
        check = halves_equal(l, halves, expected);
    } else {
        check = lanes_equal(l, low, wl_lanes_group_expected(l, low, stride));
    }
    return both(l, check, group_heads_below(l, low, false, stride));
}

LLVMValueRef wl_lanes_index_wraps(struct wl_lift *l, const struct wl_lanes *lanes, uint32_t step) {
    LLVMValueRef least[WL_STRIP];
    for (unsigned i = 0; i < WL_STRIP; i++)
        least[i] = wl_lift_int(l, l->i32, (lanes->index_signed ? UINT64_C(1) << 31 : 0) + (uint64_t)(i % WL_GROUP) * step);
    return LLVMBuildICmp(l->b, lanes->index_signed ? LLVMIntSLT : LLVMIntULT, lanes->index, LLVMConstVector(least, WL_STRIP), "");
}

/* i1: the same, compared by indices: they rise by `step` from lane to lane within a group, and do not wrap. */
static LLVMValueRef index_groups_check(struct wl_lift *l, const struct wl_lanes *lanes, uint32_t step) {
    LLVMValueRef known = l->form->index_in_groups ? l->form->index_in_groups(l, lanes, step) : NULL;
    if (known)
        return known;
    LLVMValueRef expected = wl_lanes_group_expected(l, lanes->index, step);
    if (!l->has_avx512)
        return both(l, lanes_equal(l, lanes->index, expected), group_heads_below(l, lanes->index, lanes->index_signed, step));
    LLVMValueRef good = LLVMBuildICmp(l->b, LLVMIntEQ, lanes->index, expected, "");
    if (step)
        good = LLVMBuildAnd(l->b, good, LLVMBuildNot(l->b, wl_lanes_index_wraps(l, lanes, step), ""), "");
    return wl_memory_all(l, good, wl_memory_mask(l));
}

/* i1: whether lanes have the known stride within their groups. NULL: they are known to. */
static LLVMValueRef groups_check(struct wl_lift *l, const struct wl_lanes *lanes) {
    const struct wl_fact *fact = &lanes->low_fact;
    if (!lanes->wide && fact->stride == 0 && !fact->loaded && (!l->exec || wl_fact_in_all_lanes(fact)))
        return NULL;
    if (lanes->index && (uint32_t)lanes->low_fact.stride >> lanes->index_shift << lanes->index_shift == (uint32_t)lanes->low_fact.stride)
        return index_groups_check(l, lanes, (uint32_t)lanes->low_fact.stride >> lanes->index_shift);
    if (!l->has_avx512 && !lanes->pair)
        return narrow_groups_check(l, lanes);
    LLVMValueRef addresses = wl_lanes_addresses(l, lanes);
    return lanes_equal(l, addresses, wl_lanes_group_expected(l, addresses, (uint32_t)lanes->low_fact.stride));
}

bool wl_lanes_need_test(const struct wl_lift *l, const struct wl_access *access, const struct wl_lanes *lanes) {
    return access->kind == WL_ACCESS_LOAD && access->place == WL_PLACE_MEMORY && lanes->low_fact.kind != WL_FACT_AFFINE &&
           !is_grouped(l, access, lanes);
}

/* Bytes from a lane's element to the next one's. */
static unsigned stride_of(const struct wl_lanes *lanes, enum wl_pattern pattern, unsigned size) {
    return pattern == WL_PATTERN_STRIDED ? (uint32_t)lanes->low_fact.stride : size;
}

/* Bytes from lane 0's element to the end of the last lane's. */
static uint64_t extent(const struct wl_lanes *lanes, enum wl_pattern pattern, unsigned size) {
    return (uint64_t)stride_of(lanes, pattern, size) * (WL_STRIP - 1) + size;
}

enum wl_pattern wl_lanes_pattern(struct wl_lift *l, const struct wl_access *access, const struct wl_lanes *lanes, LLVMValueRef *check,
                                 LLVMValueRef *start) {
    unsigned size = wl_access_size(access);
    enum wl_pattern pattern;
    enum wl_vector_needs needs = WL_NEEDS_NOTHING;
    LLVMValueRef seen = NULL;
    *check = NULL;
    if (access->kind == WL_ACCESS_ATOMIC)
        return WL_PATTERN_NONE;
    if ((access->place == WL_PLACE_PRIVATE || access->place == WL_PLACE_BUFFER) && lanes->scalar_offset)
        return private_pattern(l, access, lanes, check, start);
    if (access->place == WL_PLACE_PRIVATE)
        return WL_PATTERN_NONE;
    if (is_grouped(l, access, lanes)) {
        *check = groups_check(l, lanes);
        return WL_PATTERN_GROUPS;
    }
    if (is_grouped_store(access, lanes))
        return WL_PATTERN_GROUPS;
    bool uniform = wl_fact_is_uniform(&lanes->low_fact) && (!lanes->wide || wl_fact_is_uniform(&lanes->high_fact));
    if (uniform) {
        if (access->kind == WL_ACCESS_STORE && !wl_memory_stores_last(l, access))
            return WL_PATTERN_NONE; /* lane order decides */
        *start = seen = uniform_address(l, lanes);
        pattern = WL_PATTERN_UNIFORM;
    } else {
        /* Volatile accesses have no masked form; polling loops run few lanes anyway. */
        if (l->exec && (access->is_volatile || !wl_memory_has_masks(l, access->bits)))
            return WL_PATTERN_NONE;
        const bool breaks = may_break(access, &lanes->low_fact, lanes->wide);
        bool stride_known = lanes->low_fact.kind == WL_FACT_AFFINE || breaks,
             fits = stride_known && (uint32_t)lanes->low_fact.stride == size;
        bool strided = stride_known && !fits && is_strided(l, access, lanes->low_fact.stride);
        if (breaks || ((fits || strided) && wl_lanes_known(lanes)))
            pattern = consecutive_by_fact(l, lanes, (uint32_t)lanes->low_fact.stride, size, check, start, &seen);
        else if (stride_known && !fits)
            return WL_PATTERN_NONE; /* another stride */
        else
            pattern = consecutive_by_test(l, lanes, size, check, start, &seen);
        needs = wl_memory_vector_needs(l, access, stride_of(lanes, pattern, size));
    }
    if (needs == WL_NEEDS_ALL_LANES)
        *check = both(l, *check, LLVMBuildICmp(l->b, LLVMIntEQ, wl_memory_mask(l), LLVMConstInt(l->i16, 0xffff, false), ""));
    if (needs == WL_NEEDS_ONE_PAGE)
        *check = both(l, *check, within_page(l, *start, extent(lanes, pattern, size)));
    if (access->place == WL_PLACE_FLAT)
        *check = both(l, *check, is_memory(l, seen));
    if (access->place == WL_PLACE_BUFFER)
        *check = both(l, *check, within_buffer(l, lanes, *start, pattern == WL_PATTERN_UNIFORM ? size : extent(lanes, pattern, size)));
    return pattern;
}
