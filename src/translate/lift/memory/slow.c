/* Slow functions: accesses of lanes that have nothing in common, one internal function of the module for each kind.
 *
 * Data cross the loop over lanes through buffers on the stack in lane order (lane 0's dwords, lane 1's, ...), so that a lane
 * moves its dwords at once; shuffles turn them into rows before or after the loop. */
#include "translate/lift/memory/memory.h"

#include "machine/helpers.h"
#include "machine/processor.h"
#include "translate/lift/memory/sanitize.h"
#include "translate/lift/memory/scattered.h"
#include "translate/lift/values.h"

#include <stddef.h>
#include <stdio.h>

struct slow { /* a slow function being built */
    const struct wl_access *access;
    LLVMValueRef function, wave, first_lane, base, limit, addresses, mask;
    LLVMValueRef data;    /* alloca: what lanes store, in lane order */
    LLVMValueRef compare; /* alloca: cmpswap's compare values, mskor's and wrap's second operands */
    LLVMValueRef result;  /* alloca: what lanes load */
    LLVMValueRef trace;   /* alloca: a struct wl_access_trace, or NULL: LDS has no faults to tell of */
    LLVMValueRef address_buffer;
    unsigned data_rows;
};

enum { ARGUMENT_WAVE, ARGUMENT_LANE, ARGUMENT_BASE, ARGUMENT_LIMIT, ARGUMENT_ADDRESSES, ARGUMENT_MASK, ARGUMENT_DATA };

static bool has_second_operand(const struct wl_access *a) {
    return a->kind == WL_ACCESS_ATOMIC && (a->atomic == WL_ATOMIC_CMPSWAP || a->atomic == WL_ATOMIC_FCMPSWAP ||
                                           a->atomic == WL_ATOMIC_MSKOR || a->atomic == WL_ATOMIC_WRAP);
}

static unsigned data_rows(const struct wl_access *a) { return a->kind == WL_ACCESS_LOAD ? 0 : a->dwords * (has_second_operand(a) ? 2 : 1); }

static unsigned result_rows(const struct wl_access *a) {
    return a->kind == WL_ACCESS_LOAD || (a->kind == WL_ACCESS_ATOMIC && a->returns) ? a->dwords : 0;
}

/* Whether the addresses of an access are offsets of 32 bits. */
static bool narrow_addresses(const struct wl_access *a) { return a->place == WL_PLACE_PRIVATE || a->place == WL_PLACE_BUFFER || a->local; }

static LLVMTypeRef value_type(struct wl_lift *l, const struct wl_access *a) { return wl_memory_whole(l, wl_access_size(a)); }

static LLVMTypeRef function_type(struct wl_lift *l, const struct wl_access *a) {
    LLVMTypeRef parameters[ARGUMENT_DATA + 2 * WL_MAX_ROWS + 1] = {
        l->ptr, l->i64, l->i64, l->i64, narrow_addresses(a) ? l->strip_i32 : l->strip_i64, l->i16};
    LLVMTypeRef results[WL_MAX_ROWS];
    unsigned in = data_rows(a), out = result_rows(a);
    for (unsigned i = 0; i < in; i++)
        parameters[ARGUMENT_DATA + i] = l->strip_i32;
    if (wl_sanitizes(l))
        parameters[ARGUMENT_DATA + in++] = l->ptr; /* the site */
    for (unsigned i = 0; i < out; i++)
        results[i] = l->strip_i32;
    LLVMTypeRef result = out == 0 ? l->void_type : out == 1 ? l->strip_i32 : LLVMStructTypeInContext(l->context, results, out, false);
    return LLVMFunctionType(result, parameters, ARGUMENT_DATA + in, false);
}

static LLVMValueRef constant(struct wl_lift *l, LLVMTypeRef type, uint64_t value) {
    (void)l;
    return LLVMConstInt(type, value, false);
}

static LLVMValueRef offset_pointer(struct wl_lift *l, LLVMValueRef pointer, LLVMTypeRef element, LLVMValueRef index) {
    return LLVMBuildGEP2(l->b, element, pointer, &index, 1, "");
}

static LLVMValueRef aligned_load(struct wl_lift *l, LLVMTypeRef type, LLVMValueRef pointer, unsigned alignment) {
    LLVMValueRef value = LLVMBuildLoad2(l->b, type, pointer, "");
    LLVMSetAlignment(value, alignment);
    return value;
}

static void aligned_store(struct wl_lift *l, LLVMValueRef value, LLVMValueRef pointer, unsigned alignment) {
    LLVMSetAlignment(LLVMBuildStore(l->b, value, pointer), alignment);
}

static LLVMValueRef buffer(struct wl_lift *l, unsigned rows) { return wl_memory_local(l, LLVMArrayType2(l->strip_i32, rows)); }

static LLVMValueRef new_buffer(struct wl_lift *l, LLVMValueRef *rows, unsigned count) {
    LLVMValueRef space = buffer(l, count), vectors[WL_MAX_ROWS];
    if (rows)
        wl_memory_interleave(l, count, rows, vectors);
    for (unsigned i = 0; i < count; i++)
        aligned_store(l, rows ? vectors[i] : LLVMConstNull(l->strip_i32), offset_pointer(l, space, l->strip_i32, constant(l, l->i64, i)),
                      64);
    return space;
}

/* The trace ends with the function: later frames do not write all that lies in them, and a search for theirs would find it. */
static void return_rows(struct wl_lift *l, struct slow *s, LLVMValueRef *rows) {
    unsigned count = result_rows(s->access);
    for (unsigned i = 0; wl_sanitizes(l) && i < count; i++) /* the others may have been refused */
        rows[i] = LLVMBuildSelect(l->b, wl_lift_lanes(l, s->mask, WL_STRIP), rows[i], LLVMConstNull(l->strip_i32), "");
    if (s->trace)
        LLVMSetVolatile(LLVMBuildStore(l->b, LLVMConstNull(l->i64), s->trace), true);
    if (!count)
        LLVMBuildRetVoid(l->b);
    else if (count == 1)
        LLVMBuildRet(l->b, rows[0]);
    else
        LLVMBuildAggregateRet(l->b, rows, count);
}

static void return_buffer(struct wl_lift *l, struct slow *s) {
    LLVMValueRef vectors[WL_MAX_ROWS], rows[WL_MAX_ROWS];
    unsigned count = result_rows(s->access);
    for (unsigned i = 0; i < count; i++)
        vectors[i] = aligned_load(l, l->strip_i32, offset_pointer(l, s->result, l->strip_i32, constant(l, l->i64, i)), 64);
    if (count)
        wl_memory_deinterleave(l, count, vectors, rows);
    return_rows(l, s, rows);
}

/* ---- one lane ---- */

/* The data of one lane, from a buffer in lane order, as one integer. */
static LLVMValueRef lane_slot(struct wl_lift *l, struct slow *s, LLVMValueRef space, LLVMValueRef lane) {
    LLVMValueRef index = LLVMBuildMul(l->b, lane, constant(l, l->i64, s->access->dwords), "");
    return offset_pointer(l, space, l->i32, index);
}

static LLVMValueRef lane_data(struct wl_lift *l, struct slow *s, LLVMValueRef space, LLVMValueRef lane) {
    LLVMValueRef value = aligned_load(l, wl_memory_whole(l, s->access->dwords * 4), lane_slot(l, s, space, lane), 4);
    return wl_access_size(s->access) < 4 ? LLVMBuildTrunc(l->b, value, value_type(l, s->access), "") : value;
}

static void set_result(struct wl_lift *l, struct slow *s, LLVMValueRef lane, LLVMValueRef value) {
    if (wl_access_size(s->access) < 4)
        value = s->access->sign ? LLVMBuildSExt(l->b, value, l->i32, "") : LLVMBuildZExt(l->b, value, l->i32, "");
    aligned_store(l, value, lane_slot(l, s, s->result, lane), 4);
}

static void memory_lane(struct wl_lift *l, struct slow *s, LLVMValueRef address, LLVMValueRef lane) {
    const struct wl_access *a = s->access;
    if (a->kind == WL_ACCESS_LOAD) {
        set_result(l, s, lane, wl_memory_load(l, value_type(l, a), address, a->is_volatile));
    } else if (a->kind == WL_ACCESS_STORE) {
        wl_memory_store(l, lane_data(l, s, s->data, lane), address, a->is_volatile);
    } else {
        LLVMValueRef compare = s->compare ? lane_data(l, s, s->compare, lane) : NULL;
        LLVMValueRef old = wl_atomic_anywhere(l, a, s->wave, address, lane_data(l, s, s->data, lane), compare);
        if (a->returns)
            set_result(l, s, lane, old);
    }
}

/* Address of the byte at `offset` (i32) of a lane's scratch. */
static LLVMValueRef private_byte(struct wl_lift *l, LLVMValueRef base, LLVMValueRef offset, LLVMValueRef lane) {
    LLVMValueRef dword = LLVMBuildZExt(l->b, LLVMBuildAnd(l->b, offset, constant(l, l->i32, ~3u), ""), l->i64, "");
    LLVMValueRef row = LLVMBuildMul(l->b, dword, constant(l, l->i64, l->wave_size), "");
    LLVMValueRef byte = LLVMBuildZExt(l->b, LLVMBuildAnd(l->b, offset, constant(l, l->i32, 3), ""), l->i64, "");
    LLVMValueRef column = LLVMBuildAdd(l->b, LLVMBuildShl(l->b, lane, constant(l, l->i64, 2), ""), byte, "");
    return LLVMBuildAdd(l->b, base, LLVMBuildAdd(l->b, row, column, ""), "");
}

static LLVMValueRef private_dword(struct wl_lift *l, LLVMValueRef base, LLVMValueRef offset, LLVMValueRef lane, bool is_volatile) {
    LLVMValueRef aligned = LLVMBuildAnd(l->b, offset, constant(l, l->i32, ~3u), "");
    return wl_memory_load(l, l->i32, private_byte(l, base, aligned, lane), is_volatile);
}

/* The dwords that hold the ends, shifted together. */
LLVMValueRef wl_private_load(struct wl_lift *l, LLVMValueRef base, LLVMValueRef offset, LLVMValueRef lane, unsigned bytes,
                             bool is_volatile) {
    LLVMValueRef end = LLVMBuildAdd(l->b, offset, constant(l, l->i32, bytes - 1), "");
    LLVMValueRef shift = LLVMBuildShl(l->b, LLVMBuildAnd(l->b, offset, constant(l, l->i32, 3), ""), constant(l, l->i32, 3), "");
    LLVMValueRef parts[3] = {private_dword(l, base, end, lane, is_volatile), private_dword(l, base, offset, lane, is_volatile), shift};
    return wl_lift_intrinsic(l, "llvm.fshr", &l->i32, 1, parts, 3);
}

static void private_bytes(struct wl_lift *l, LLVMValueRef base, LLVMValueRef offset, LLVMValueRef lane, LLVMValueRef value, unsigned bytes,
                          bool is_volatile) {
    for (unsigned i = 0; i < bytes; i++) {
        LLVMValueRef at = LLVMBuildAdd(l->b, offset, constant(l, l->i32, i), "");
        LLVMValueRef byte = LLVMBuildTrunc(l->b, LLVMBuildLShr(l->b, value, constant(l, l->i32, UINT64_C(8) * i), ""), l->i8, "");
        wl_memory_store(l, byte, private_byte(l, base, at, lane), is_volatile);
    }
}

void wl_private_store(struct wl_lift *l, LLVMValueRef base, LLVMValueRef offset, LLVMValueRef lane, LLVMValueRef value, unsigned bytes,
                      bool is_volatile) {
    if (bytes < 4) {
        private_bytes(l, base, offset, lane, value, bytes, is_volatile);
        return;
    }
    LLVMBasicBlockRef aligned = wl_memory_block(l, "aligned"), crooked = wl_memory_block(l, "crooked"), done = wl_memory_block(l, "stored");
    LLVMValueRef low = LLVMBuildAnd(l->b, offset, constant(l, l->i32, 3), "");
    LLVMBuildCondBr(l->b, LLVMBuildICmp(l->b, LLVMIntEQ, low, constant(l, l->i32, 0), ""), aligned, crooked);
    LLVMPositionBuilderAtEnd(l->b, aligned);
    wl_memory_store(l, value, private_byte(l, base, offset, lane), is_volatile);
    LLVMBuildBr(l->b, done);
    LLVMPositionBuilderAtEnd(l->b, crooked);
    private_bytes(l, base, offset, lane, value, bytes, is_volatile);
    LLVMBuildBr(l->b, done);
    LLVMPositionBuilderAtEnd(l->b, done);
}

/* One dword (or less) of a lane: `d` is its number, `offset` its own. */
static LLVMValueRef data_dword(struct wl_lift *l, struct slow *s, LLVMValueRef space, LLVMValueRef lane, unsigned d) {
    return aligned_load(l, l->i32, offset_pointer(l, lane_slot(l, s, space, lane), l->i32, constant(l, l->i64, d)), 4);
}

static void set_result_dword(struct wl_lift *l, struct slow *s, LLVMValueRef lane, unsigned d, LLVMValueRef value) {
    if (s->access->bits < 32 && s->access->kind == WL_ACCESS_LOAD) {
        LLVMValueRef narrow = LLVMBuildTrunc(l->b, value, value_type(l, s->access), "");
        value = s->access->sign ? LLVMBuildSExt(l->b, narrow, l->i32, "") : LLVMBuildZExt(l->b, narrow, l->i32, "");
    }
    aligned_store(l, value, offset_pointer(l, lane_slot(l, s, s->result, lane), l->i32, constant(l, l->i64, d)), 4);
}

/* Atomics on scratch: nobody else sees it, so a plain read-modify-write, dword by dword. */
static void private_atomic(struct wl_lift *l, struct slow *s, LLVMValueRef base, LLVMValueRef offset, LLVMValueRef number,
                           LLVMValueRef lane) {
    const struct wl_access *a = s->access;
    LLVMTypeRef type = value_type(l, a);
    LLVMValueRef old = LLVMConstNull(type);
    for (unsigned d = 0; d < a->dwords; d++) {
        LLVMValueRef at = LLVMBuildAdd(l->b, offset, constant(l, l->i32, UINT64_C(4) * d), "");
        LLVMValueRef part = LLVMBuildZExt(l->b, wl_private_load(l, base, at, number, 4, false), type, "");
        old = LLVMBuildOr(l->b, old, LLVMBuildShl(l->b, part, constant(l, type, UINT64_C(32) * d), ""), "");
    }
    LLVMValueRef compare = s->compare ? lane_data(l, s, s->compare, lane) : NULL;
    LLVMValueRef value = wl_atomic_apply(l, a, old, lane_data(l, s, s->data, lane), compare);
    for (unsigned d = 0; d < a->dwords; d++) {
        LLVMValueRef at = LLVMBuildAdd(l->b, offset, constant(l, l->i32, UINT64_C(4) * d), "");
        LLVMValueRef part = LLVMBuildTrunc(l->b, LLVMBuildLShr(l->b, value, constant(l, type, UINT64_C(32) * d), ""), l->i32, "");
        wl_private_store(l, base, at, number, part, 4, false);
    }
    if (a->returns)
        set_result(l, s, lane, old);
}

/* `number`: the lane's number in the wave; `lane`: in the strip. */
static void private_lane(struct wl_lift *l, struct slow *s, LLVMValueRef base, LLVMValueRef offset, LLVMValueRef lane) {
    const struct wl_access *a = s->access;
    LLVMValueRef number = LLVMBuildAdd(l->b, s->first_lane, lane, "");
    unsigned bytes = wl_access_size(a) < 4 ? wl_access_size(a) : 4;
    if (a->kind == WL_ACCESS_ATOMIC) {
        private_atomic(l, s, base, offset, number, lane);
        return;
    }
    for (unsigned d = 0; d < a->dwords; d++) {
        LLVMValueRef at = d ? LLVMBuildAdd(l->b, offset, constant(l, l->i32, UINT64_C(4) * d), "") : offset;
        if (a->kind == WL_ACCESS_LOAD)
            set_result_dword(l, s, lane, d, wl_private_load(l, base, at, number, bytes, a->is_volatile));
        else
            wl_private_store(l, base, at, number, data_dword(l, s, s->data, lane, d), bytes, a->is_volatile);
    }
}

/* Branches to one of two new blocks; the builder is left in `yes`, *no is the other, *join a third. */
static void split(struct wl_lift *l, LLVMValueRef condition, LLVMBasicBlockRef *no, LLVMBasicBlockRef *join) {
    LLVMBasicBlockRef yes = wl_memory_block(l, "yes");
    *no = wl_memory_block(l, "no");
    *join = wl_memory_block(l, "join");
    LLVMBuildCondBr(l->b, condition, yes, *no);
    LLVMPositionBuilderAtEnd(l->b, yes);
}

/* Ends a block with a branch to `to` and goes on in `next`. */
static void go(struct wl_lift *l, LLVMBasicBlockRef to, LLVMBasicBlockRef next) {
    LLVMBuildBr(l->b, to);
    LLVMPositionBuilderAtEnd(l->b, next);
}

static LLVMValueRef high_is(struct wl_lift *l, LLVMValueRef address, uint32_t high) {
    return LLVMBuildICmp(l->b, LLVMIntEQ, LLVMBuildLShr(l->b, address, constant(l, l->i64, 32), ""), constant(l, l->i64, high), "");
}

static void flat_lane(struct wl_lift *l, struct slow *s, LLVMValueRef address, LLVMValueRef lane) {
    LLVMBasicBlockRef memory, done;
    LLVMValueRef low = LLVMBuildTrunc(l->b, address, l->i32, "");
    split(l, high_is(l, address, WL_PRIVATE_APERTURE_HI), &memory, &done);
    private_lane(l, s, wl_memory_wave_constant(l, s->wave, offsetof(struct wl_wave, scratch), l->i64), low, lane);
    go(l, done, memory);
    LLVMValueRef lds = wl_memory_wave_constant(l, s->wave, offsetof(struct wl_wave, lds), l->i64);
    LLVMValueRef shared = LLVMBuildAdd(l->b, lds, LLVMBuildZExt(l->b, low, l->i64, ""), "");
    LLVMValueRef target = LLVMBuildSelect(l->b, high_is(l, address, WL_SHARED_APERTURE_HI), shared, address, "");
    memory_lane(l, s, target, lane);
    go(l, done, done);
}

static LLVMValueRef limit_kind_is(struct wl_lift *l, struct slow *s, uint32_t kind) {
    LLVMValueRef high = LLVMBuildLShr(l->b, s->limit, constant(l, l->i64, 32), "");
    return LLVMBuildICmp(l->b, LLVMIntEQ, high, constant(l, l->i64, kind), "");
}

/* A helper that reads the buffer's descriptor. */
static LLVMValueRef call_buffer_helper(struct wl_lift *l, struct slow *s, size_t member, LLVMTypeRef result, LLVMValueRef *arguments,
                                       unsigned count) {
    LLVMTypeRef types[] = {l->i64, l->i64, l->i32, l->i32, l->i32, l->i32, l->i32, l->i64};
    LLVMValueRef table = wl_memory_wave_constant(l, s->wave, offsetof(struct wl_wave, helpers), l->ptr);
    LLVMValueRef helper = LLVMBuildLoad2(l->b, l->ptr, offset_pointer(l, table, l->i8, constant(l, l->i64, member)), "");
    return LLVMBuildCall2(l->b, LLVMFunctionType(result, types, count, 0), helper, arguments, count, "");
}

/* Host address of [skip, skip + bytes) of the element at `offset` in a buffer, 0 if that is out of range. `flags`: WL_BUFFER_WHOLE. */
static LLVMValueRef buffer_address(struct wl_lift *l, struct slow *s, LLVMValueRef offset, LLVMValueRef lane, unsigned skip, unsigned bytes,
                                   unsigned flags) {
    LLVMBasicBlockRef linear, join, from[2];
    LLVMValueRef values[2];
    split(l, LLVMBuildNot(l->b, limit_kind_is(l, s, 0), ""), &linear, &join);
    LLVMValueRef number = LLVMBuildTrunc(l->b, LLVMBuildAdd(l->b, s->first_lane, lane, ""), l->i32, "");
    LLVMValueRef arguments[] = {s->base,
                                s->limit,
                                constant(l, l->i32, l->generation),
                                number,
                                offset,
                                constant(l, l->i32, skip),
                                constant(l, l->i32, bytes | flags)};
    values[0] = call_buffer_helper(l, s, offsetof(struct wl_helpers, buffer_place), l->i64, arguments, 7);
    from[0] = LLVMGetInsertBlock(l->b);
    go(l, join, linear);
    LLVMValueRef at = LLVMBuildAdd(l->b, LLVMBuildZExt(l->b, offset, l->i64, ""), constant(l, l->i64, skip), "");
    LLVMValueRef end = LLVMBuildAdd(l->b, at, constant(l, l->i64, bytes), "");
    LLVMValueRef fits = LLVMBuildICmp(l->b, LLVMIntULE, end, s->limit, "");
    values[1] = LLVMBuildSelect(l->b, fits, LLVMBuildAdd(l->b, s->base, at, ""), constant(l, l->i64, 0), "");
    from[1] = LLVMGetInsertBlock(l->b);
    go(l, join, join);
    LLVMValueRef address = LLVMBuildPhi(l->b, l->i64, "");
    LLVMAddIncoming(address, values, from, 2);
    return address;
}

/* The access to a dword (or less) that is not aligned, through a descriptor that is neither linear nor scratch's: a swizzled buffer has
 * blocks of a multiple of 4 bytes, and the dword may lie in two of them, so that a helper accesses it by bytes. Code for this case goes on
 * to `done`; the builder is left on the way for all other cases. */
static void buffer_parts(struct wl_lift *l, struct slow *s, LLVMValueRef offset, LLVMValueRef lane, unsigned d, unsigned bytes,
                         LLVMBasicBlockRef done) {
    const bool load = s->access->kind == WL_ACCESS_LOAD;
    LLVMBasicBlockRef whole, unused;
    LLVMValueRef rest = LLVMBuildAnd(l->b, offset, constant(l, l->i32, bytes - 1), "");
    LLVMValueRef odd = LLVMBuildAnd(l->b, LLVMBuildNot(l->b, limit_kind_is(l, s, 0), ""),
                                    LLVMBuildICmp(l->b, LLVMIntNE, rest, constant(l, l->i32, 0), ""), "");
    split(l, odd, &whole, &unused);
    LLVMDeleteBasicBlock(unused);
    LLVMValueRef number = LLVMBuildTrunc(l->b, LLVMBuildAdd(l->b, s->first_lane, lane, ""), l->i32, "");
    LLVMValueRef value = constant(l, l->i64, 0);
    if (!load) {
        value = LLVMBuildZExt(l->b, data_dword(l, s, s->data, lane, d), l->i64, "");
        value = LLVMBuildOr(l->b, value, constant(l, l->i64, UINT64_C(1) << 32), "");
    }
    LLVMValueRef arguments[] = {s->base,
                                s->limit,
                                constant(l, l->i32, l->generation),
                                number,
                                offset,
                                constant(l, l->i32, UINT64_C(4) * d),
                                constant(l, l->i32, bytes),
                                value};
    LLVMValueRef loaded = call_buffer_helper(l, s, offsetof(struct wl_helpers, buffer_parts), l->i32, arguments, 8);
    if (load)
        set_result_dword(l, s, lane, d, loaded);
    go(l, done, whole);
}

/* Every dword has its own range check. */
static void buffer_dword(struct wl_lift *l, struct slow *s, LLVMValueRef offset, LLVMValueRef lane, unsigned d) {
    const struct wl_access *a = s->access;
    unsigned bytes = wl_access_size(a) < 4 ? wl_access_size(a) : 4;
    LLVMTypeRef type = LLVMIntTypeInContext(l->context, bytes * 8);
    LLVMBasicBlockRef out, done;
    LLVMValueRef address = buffer_address(l, s, offset, lane, 4 * d, bytes, 0);
    split(l, LLVMBuildICmp(l->b, LLVMIntNE, address, constant(l, l->i64, 0), ""), &out, &done);
    if (bytes > 1)
        buffer_parts(l, s, offset, lane, d, bytes, done);
    if (a->kind == WL_ACCESS_LOAD) {
        LLVMValueRef value = wl_memory_load(l, type, address, a->is_volatile);
        set_result_dword(l, s, lane, d, bytes < 4 ? LLVMBuildZExt(l->b, value, l->i32, "") : value);
    } else {
        LLVMValueRef value = data_dword(l, s, s->data, lane, d);
        wl_memory_store(l, bytes < 4 ? LLVMBuildTrunc(l->b, value, type, "") : value, address, a->is_volatile);
    }
    go(l, done, out);
    go(l, done, done);
}

/* The lane's access at once, where the address that a test has found is not 0. The builder is left where it is. */
static void buffer_whole(struct wl_lift *l, struct slow *s, LLVMValueRef address, LLVMValueRef lane, LLVMBasicBlockRef done) {
    LLVMBasicBlockRef apart, unused;
    split(l, LLVMBuildICmp(l->b, LLVMIntNE, address, constant(l, l->i64, 0), ""), &apart, &unused);
    LLVMDeleteBasicBlock(unused);
    memory_lane(l, s, address, lane);
    go(l, done, apart);
}

static void buffer_lane(struct wl_lift *l, struct slow *s, LLVMValueRef offset, LLVMValueRef lane) {
    const struct wl_access *a = s->access;
    LLVMBasicBlockRef memory, done;
    split(l, limit_kind_is(l, s, 1), &memory, &done);
    private_lane(l, s, s->base, offset, lane);
    go(l, done, memory);
    if (a->kind == WL_ACCESS_ATOMIC)
        buffer_whole(l, s, buffer_address(l, s, offset, lane, 0, wl_access_size(a), 0), lane, done);
    else if (a->dwords > 1)
        buffer_whole(l, s, buffer_address(l, s, offset, lane, 0, wl_access_size(a), WL_BUFFER_WHOLE), lane, done);
    for (unsigned d = 0; a->kind != WL_ACCESS_ATOMIC && d < a->dwords; d++)
        buffer_dword(l, s, offset, lane, d);
    go(l, done, done);
}

/* Where a lane's address leads in memory or LDS. */
static LLVMValueRef memory_address(struct wl_lift *l, struct slow *s, LLVMValueRef address) {
    return s->access->local ? LLVMBuildAdd(l->b, s->base, LLVMBuildZExt(l->b, address, l->i64, ""), "") : address;
}

static void one_lane(struct wl_lift *l, struct slow *s, LLVMValueRef lane) {
    LLVMTypeRef type = narrow_addresses(s->access) ? l->i32 : l->i64;
    LLVMValueRef address = aligned_load(l, type, offset_pointer(l, s->address_buffer, type, lane), 4);
    switch ((enum wl_place)s->access->place) {
    case WL_PLACE_MEMORY:
        memory_lane(l, s, memory_address(l, s, address), lane);
        break;
    case WL_PLACE_FLAT:
        flat_lane(l, s, address, lane);
        break;
    case WL_PLACE_PRIVATE:
        private_lane(l, s, s->base, address, lane);
        break;
    case WL_PLACE_BUFFER:
        buffer_lane(l, s, address, lane);
        break;
    }
}

/* Visits the set bits of the mask from the lowest: in this order lanes of a wave store to the same address. */
static void lane_loop(struct wl_lift *l, struct slow *s) {
    LLVMBasicBlockRef before = LLVMGetInsertBlock(l->b), loop = wl_memory_block(l, "lane"), done = wl_memory_block(l, "done");
    LLVMValueRef bits = LLVMBuildZExt(l->b, s->mask, l->i64, ""), zero = constant(l, l->i64, 0);
    LLVMBuildCondBr(l->b, LLVMBuildICmp(l->b, LLVMIntNE, bits, zero, ""), loop, done);
    LLVMPositionBuilderAtEnd(l->b, loop);
    LLVMValueRef left = LLVMBuildPhi(l->b, l->i64, "");
    LLVMValueRef arguments[2] = {left, LLVMConstInt(l->i1, 1, false)};
    one_lane(l, s, wl_lift_intrinsic(l, "llvm.cttz", &l->i64, 1, arguments, 2));
    LLVMValueRef rest = LLVMBuildAnd(l->b, left, LLVMBuildSub(l->b, left, constant(l, l->i64, 1), ""), "");
    LLVMValueRef values[2] = {bits, rest};
    LLVMBasicBlockRef from[2] = {before, LLVMGetInsertBlock(l->b)};
    LLVMBuildCondBr(l->b, LLVMBuildICmp(l->b, LLVMIntNE, rest, zero, ""), loop, done);
    LLVMAddIncoming(left, values, from, 2);
    LLVMPositionBuilderAtEnd(l->b, done);
}

/* All 16 lanes, a few at a time. Not more: the host learns for each load by itself which stores it has to wait for. */
static void full_loop(struct wl_lift *l, struct slow *s) {
    enum { AT_ONCE = 4 };
    LLVMBasicBlockRef some, join;
    split(l, LLVMBuildICmp(l->b, LLVMIntEQ, s->mask, constant(l, l->i16, 0xffff), ""), &some, &join);
    LLVMBasicBlockRef before = LLVMGetInsertBlock(l->b), loop = wl_memory_block(l, "lanes"), done = wl_memory_block(l, "all");
    go(l, loop, loop);
    LLVMValueRef lane = LLVMBuildPhi(l->b, l->i64, ""), next = lane;
    for (unsigned i = 0; i < AT_ONCE; i++) {
        one_lane(l, s, next);
        next = LLVMBuildAdd(l->b, lane, constant(l, l->i64, i + 1), "");
    }
    LLVMValueRef values[2] = {constant(l, l->i64, 0), next};
    LLVMBasicBlockRef from[2] = {before, LLVMGetInsertBlock(l->b)};
    LLVMBuildCondBr(l->b, LLVMBuildICmp(l->b, LLVMIntULT, next, constant(l, l->i64, WL_STRIP), ""), loop, done);
    LLVMAddIncoming(lane, values, from, 2);
    LLVMPositionBuilderAtEnd(l->b, done);
    return_buffer(l, s);
    LLVMPositionBuilderAtEnd(l->b, some);
    go(l, join, join);
}

/* i1: there are so few active lanes that stores one after the other cost less than the host's scatter, which costs the same for all. */
static LLVMValueRef are_few(struct wl_lift *l, struct slow *s) {
    enum { FEW = 4 };
    LLVMValueRef count = wl_lift_intrinsic(l, "llvm.ctpop", &l->i16, 1, &s->mask, 1);
    return LLVMBuildICmp(l->b, LLVMIntULE, count, constant(l, l->i16, FEW), "");
}

/* Stores of few lanes: one after the other. */
static void few_lanes_shortcut(struct wl_lift *l, struct slow *s) {
    LLVMBasicBlockRef many, join;
    LLVMValueRef rows[WL_MAX_ROWS];
    split(l, are_few(l, s), &many, &join);
    for (unsigned i = 0; i < s->data_rows; i++)
        rows[i] = LLVMGetParam(s->function, ARGUMENT_DATA + i);
    s->data = new_buffer(l, rows, s->data_rows);
    lane_loop(l, s);
    return_buffer(l, s);
    LLVMPositionBuilderAtEnd(l->b, many);
    go(l, join, join);
}

/* ---- shortcuts for a whole strip ---- */

/* *same: i1, all active lanes have the address of the first active one, which is returned. */
static LLVMValueRef first_address(struct wl_lift *l, struct slow *s, LLVMValueRef *same) {
    LLVMValueRef arguments[2] = {s->mask, LLVMConstInt(l->i1, 0, false)};
    LLVMValueRef lane = wl_lift_intrinsic(l, "llvm.cttz", &l->i16, 1, arguments, 2);
    lane = LLVMBuildAnd(l->b, LLVMBuildZExt(l->b, lane, l->i64, ""), constant(l, l->i64, 15), "");
    LLVMTypeRef type = narrow_addresses(s->access) ? l->i32 : l->i64;
    LLVMValueRef address = aligned_load(l, type, offset_pointer(l, s->address_buffer, type, lane), 4);
    LLVMValueRef equal = LLVMBuildICmp(l->b, LLVMIntEQ, s->addresses, wl_strip_splat(l, address), "");
    *same = wl_memory_all(l, equal, s->mask);
    return address;
}

/* i1: the first lane and the last one have the same address, or are not both active. Where that is not so the strip is spared the
 * comparison of all. */
static LLVMValueRef may_be_same(struct wl_lift *l, struct slow *s) {
    LLVMTypeRef type = narrow_addresses(s->access) ? l->i32 : l->i64;
    LLVMValueRef first = aligned_load(l, type, s->address_buffer, 4);
    LLVMValueRef last = aligned_load(l, type, offset_pointer(l, s->address_buffer, type, constant(l, l->i64, WL_STRIP - 1)), 4);
    LLVMValueRef partial = LLVMBuildICmp(l->b, LLVMIntNE, s->mask, constant(l, l->i16, 0xffff), "");
    return LLVMBuildOr(l->b, partial, LLVMBuildICmp(l->b, LLVMIntEQ, first, last, ""), "");
}

/* All lanes name one address: a broadcast, or one atomic. */
static void uniform_shortcut(struct wl_lift *l, struct slow *s) {
    LLVMBasicBlockRef no, join, different, go_on;
    split(l, may_be_same(l, s), &different, &go_on);
    LLVMValueRef same, rows[WL_MAX_ROWS], address = memory_address(l, s, first_address(l, s, &same));
    LLVMValueRef some = LLVMBuildICmp(l->b, LLVMIntNE, s->mask, constant(l, l->i16, 0), "");
    split(l, LLVMBuildAnd(l->b, same, some, ""), &no, &join);
    if (s->access->kind == WL_ACCESS_LOAD) {
        wl_memory_load_uniform(l, s->access, address, rows);
        return_rows(l, s, rows);
    } else {
        LLVMValueRef exec = wl_lift_lanes(l, s->mask, WL_STRIP);
        if (!result_rows(s->access) && wl_atomic_reduce(l, s->access, address, LLVMGetParam(s->function, ARGUMENT_DATA), exec))
            return_rows(l, s, NULL);
        else
            LLVMBuildBr(l->b, join);
    }
    LLVMPositionBuilderAtEnd(l->b, no);
    LLVMBuildBr(l->b, join);
    LLVMPositionBuilderAtEnd(l->b, join);
    go(l, go_on, different);
    go(l, go_on, go_on);
}

/* All lanes name one aligned scratch offset: vector accesses. */
static void private_shortcut(struct wl_lift *l, struct slow *s) {
    const struct wl_access *a = s->access;
    LLVMBasicBlockRef no, join;
    LLVMValueRef ok, rows[WL_MAX_ROWS], address = first_address(l, s, &ok), base = s->base, offset = address;
    if (a->place == WL_PLACE_FLAT) {
        ok = LLVMBuildAnd(l->b, ok, high_is(l, address, WL_PRIVATE_APERTURE_HI), "");
        base = wl_memory_wave_constant(l, s->wave, offsetof(struct wl_wave, scratch), l->i64);
        offset = LLVMBuildTrunc(l->b, address, l->i32, "");
    } else if (a->place == WL_PLACE_BUFFER) {
        ok = LLVMBuildAnd(l->b, ok, limit_kind_is(l, s, 1), "");
    }
    LLVMValueRef within = LLVMBuildAnd(l->b, offset, constant(l, l->i32, a->bits >= 32 ? 3 : a->bits == 16 ? 1 : 0), "");
    ok = LLVMBuildAnd(l->b, ok, LLVMBuildICmp(l->b, LLVMIntEQ, within, constant(l, l->i32, 0), ""), "");
    split(l, ok, &no, &join);
    LLVMValueRef aligned = LLVMBuildAnd(l->b, offset, constant(l, l->i32, ~3u), "");
    LLVMValueRef start = private_byte(l, base, aligned, s->first_lane);
    LLVMValueRef shift = LLVMBuildShl(l->b, LLVMBuildAnd(l->b, offset, constant(l, l->i32, 3), ""), constant(l, l->i32, 3), "");
    for (unsigned i = 0; i < data_rows(a); i++)
        rows[i] = LLVMGetParam(s->function, ARGUMENT_DATA + i);
    if (a->kind == WL_ACCESS_LOAD)
        wl_memory_load_private(l, a, start, shift, rows);
    else
        wl_memory_store_private(l, a, start, shift, wl_lift_lanes(l, s->mask, WL_STRIP), rows);
    return_rows(l, s, rows);
    LLVMPositionBuilderAtEnd(l->b, no);
    LLVMBuildBr(l->b, join);
    LLVMPositionBuilderAtEnd(l->b, join);
}

/* A linear buffer is memory, unless a lane reaches across the buffer's end. Lanes behind the end load 0 and store nothing. */
static void linear_shortcut(struct wl_lift *l, struct slow *s) {
    struct wl_access a = *s->access;
    LLVMBasicBlockRef no, join;
    LLVMValueRef rows[WL_MAX_ROWS];
    a.place = WL_PLACE_MEMORY;
    if (!wl_spread_possible(&a))
        return;
    LLVMValueRef offsets = LLVMBuildZExt(l->b, s->addresses, l->strip_i64, ""), limit = wl_strip_splat(l, s->limit);
    LLVMValueRef ends = LLVMBuildAdd(l->b, offsets, wl_lift_int(l, l->strip_i64, wl_access_size(&a)), "");
    LLVMValueRef inside = LLVMBuildICmp(l->b, LLVMIntULE, ends, limit, ""), behind = LLVMBuildICmp(l->b, LLVMIntUGE, offsets, limit, "");
    LLVMValueRef ok = wl_memory_all(l, LLVMBuildOr(l->b, inside, behind, ""), s->mask);
    ok = LLVMBuildAnd(l->b, ok, limit_kind_is(l, s, 0), "");
    if (a.kind == WL_ACCESS_STORE)
        ok = LLVMBuildAnd(l->b, ok, LLVMBuildNot(l->b, are_few(l, s), ""), "");
    split(l, ok, &no, &join);
    LLVMValueRef exec = LLVMBuildAnd(l->b, inside, wl_lift_lanes(l, s->mask, WL_STRIP), "");
    LLVMValueRef addresses = wl_spread_addresses(l, LLVMBuildAdd(l->b, offsets, wl_strip_splat(l, s->base), ""), exec);
    LLVMValueRef list = wl_memory_local(l, l->strip_i64);
    aligned_store(l, addresses, list, 64);
    for (unsigned i = 0; i < s->data_rows; i++)
        rows[i] = LLVMGetParam(s->function, ARGUMENT_DATA + i);
    wl_spread_access(l, &a, addresses, list, exec, rows);
    for (unsigned i = 0; i < result_rows(&a); i++)
        rows[i] = LLVMBuildSelect(l->b, exec, rows[i], LLVMConstNull(l->strip_i32), "");
    return_rows(l, s, rows);
    LLVMPositionBuilderAtEnd(l->b, no);
    go(l, join, join);
}

/* Accesses of memory without a loop; flat ones if no lane is in an aperture. True: the function is complete. */
static bool spread(struct wl_lift *l, struct slow *s) {
    struct wl_access a = *s->access;
    LLVMBasicBlockRef no = NULL, join;
    LLVMValueRef rows[WL_MAX_ROWS], exec = wl_lift_lanes(l, s->mask, WL_STRIP);
    bool flat = a.place == WL_PLACE_FLAT;
    if (flat)
        a.place = WL_PLACE_MEMORY;
    if (!wl_spread_possible(&a))
        return false;
    if (flat) {
        LLVMValueRef limit = wl_strip_splat(l, constant(l, l->i64, UINT64_C(1) << 48));
        split(l, wl_memory_all(l, LLVMBuildICmp(l->b, LLVMIntULT, s->addresses, limit, ""), s->mask), &no, &join);
    }
    for (unsigned i = 0; i < s->data_rows; i++)
        rows[i] = LLVMGetParam(s->function, ARGUMENT_DATA + i);
    wl_spread_access(l, &a, s->addresses, s->address_buffer, exec, rows);
    return_rows(l, s, rows);
    if (flat) {
        LLVMPositionBuilderAtEnd(l->b, no);
        LLVMBuildBr(l->b, join);
        LLVMPositionBuilderAtEnd(l->b, join);
    }
    return !flat;
}

/* ---- the functions ---- */

/* Stores the addresses to the stack, where the loop over the lanes reads them, and, in a struct wl_access_trace, the report of a fault. */
static void trace_access(struct wl_lift *l, struct slow *s) {
    const struct wl_access *a = s->access;
    bool narrow = narrow_addresses(a);
    s->trace = buffer(l, sizeof(struct wl_access_trace) / sizeof(uint32_t[WL_STRIP]));
    wl_lift_keep_whole(l, s->trace);
    s->address_buffer = wl_access_trace_write(l, s->trace, narrow ? s->base : LLVMConstNull(l->i64), s->first_lane, s->mask,
                                              wl_access_size(a) | (uint64_t)narrow << 32, s->addresses);
}

/* ---- calls ---- */

/* wl_flat_address of each lane. */
static LLVMValueRef flat_addresses(struct wl_lift *l, struct slow *s) {
    const uint64_t changed = (uint64_t)(WL_FLAT_SCRATCH_HI ^ WL_PRIVATE_APERTURE_HI) << 32;
    LLVMValueRef lane = LLVMBuildAdd(l->b, wl_strip_splat(l, s->first_lane), wl_memory_iota(l, l->i64, 1), "");
    LLVMValueRef flip = LLVMBuildShl(l->b, lane, wl_lift_int(l, l->strip_i64, 52), "");
    flip = LLVMBuildOr(l->b, flip, wl_lift_int(l, l->strip_i64, changed), "");
    LLVMValueRef bit = LLVMBuildAnd(l->b, s->addresses, wl_lift_int(l, l->strip_i64, UINT64_C(1) << 58), "");
    LLVMValueRef is_scratch = LLVMBuildICmp(l->b, LLVMIntNE, bit, LLVMConstNull(l->strip_i64), "");
    return LLVMBuildSelect(l->b, is_scratch, LLVMBuildXor(l->b, s->addresses, flip, ""), s->addresses, "");
}

/* Leaves those of the lanes in the mask that may make the access. */
static void ask_sanitizer(struct wl_lift *l, struct slow *s) {
    LLVMValueRef data = LLVMConstNull(l->ptr);
    if (wl_sanitizes_order(l) && s->access->kind == WL_ACCESS_STORE) {
        data = buffer(l, s->data_rows);
        for (unsigned i = 0; i < s->data_rows; i++)
            aligned_store(l, LLVMGetParam(s->function, ARGUMENT_DATA + i), offset_pointer(l, data, l->strip_i32, constant(l, l->i64, i)),
                          64);
    }
    LLVMValueRef wave = l->wave, exec = l->exec, bits = l->exec_bits, places = s->addresses;
    if (narrow_addresses(s->access)) {
        places = LLVMBuildZExt(l->b, places, l->strip_i64, "");
        if (s->access->local)
            places = LLVMBuildAdd(l->b, places, wl_strip_splat(l, s->base), "");
    }
    l->wave = s->wave;
    l->exec_bits = s->mask;
    l->exec = wl_lift_lanes(l, s->mask, WL_STRIP);
    LLVMValueRef site = LLVMGetParam(s->function, ARGUMENT_DATA + s->data_rows);
    s->mask = wl_sanitize_lanes(l, s->access, site, s->first_lane, places, s->base, s->limit, data);
    l->wave = wave;
    l->exec = exec;
    l->exec_bits = bits;
}

static void build(struct wl_lift *l, LLVMValueRef function, const struct wl_access *a) {
    struct slow s = {.access = a, .function = function, .data_rows = data_rows(a)};
    s.wave = LLVMGetParam(function, ARGUMENT_WAVE);
    s.first_lane = LLVMGetParam(function, ARGUMENT_LANE);
    s.base = LLVMGetParam(function, ARGUMENT_BASE);
    s.limit = LLVMGetParam(function, ARGUMENT_LIMIT);
    s.addresses = LLVMGetParam(function, ARGUMENT_ADDRESSES);
    s.mask = LLVMGetParam(function, ARGUMENT_MASK);
    LLVMPositionBuilderAtEnd(l->b, LLVMAppendBasicBlockInContext(l->context, function, "entry"));
    if (a->place == WL_PLACE_FLAT && wl_processor_has(l->unit.request->processor, WL_HAS_1024_VGPRS))
        s.addresses = flat_addresses(l, &s);
    if (wl_sanitizes(l))
        ask_sanitizer(l, &s);
    if (!narrow_addresses(a))
        s.addresses = wl_spread_addresses(l, s.addresses, wl_lift_lanes(l, s.mask, WL_STRIP));
    if (a->local)
        s.address_buffer = new_buffer(l, &s.addresses, 1);
    else
        trace_access(l, &s);
    if (a->place == WL_PLACE_MEMORY && ((a->kind == WL_ACCESS_LOAD && !a->is_volatile) || (a->kind == WL_ACCESS_ATOMIC && !a->returns)))
        uniform_shortcut(l, &s);
    if (a->place != WL_PLACE_MEMORY && a->kind != WL_ACCESS_ATOMIC)
        private_shortcut(l, &s);
    if (a->place == WL_PLACE_BUFFER)
        linear_shortcut(l, &s);
    if (a->kind == WL_ACCESS_STORE && !a->local && wl_spread_possible(a))
        few_lanes_shortcut(l, &s);
    if (spread(l, &s))
        return;
    LLVMValueRef rows[2 * WL_MAX_ROWS];
    for (unsigned i = 0; i < s.data_rows; i++)
        rows[i] = LLVMGetParam(function, ARGUMENT_DATA + i);
    if (s.data_rows)
        s.data = new_buffer(l, rows, a->dwords);
    if (s.data_rows > a->dwords)
        s.compare = new_buffer(l, rows + a->dwords, a->dwords);
    if (result_rows(a))
        s.result = new_buffer(l, NULL, a->dwords);
    if (a->local)
        full_loop(l, &s);
    lane_loop(l, &s);
    return_buffer(l, &s);
}

static LLVMValueRef slow_function(struct wl_lift *l, const struct wl_access *a) {
    char name[64];
    (void)snprintf(name, sizeof name, "slow.%u.%u.%u.%u.%u%u%u%u%s%s", a->kind, a->place, a->bits, a->dwords, a->sign, a->is_volatile,
                   a->returns, a->local, a->in_lds ? ".lds" : "", a->told ? ".told" : "");
    if (a->kind == WL_ACCESS_ATOMIC)
        (void)snprintf(name, sizeof name, "atomic.%u.%u.%u.%u%u%u", a->atomic, a->place, a->bits, a->is_volatile, a->returns, a->local);
    LLVMValueRef function = LLVMGetNamedFunction(l->module, name);
    if (function)
        return function;
    function = LLVMAddFunction(l->module, name, function_type(l, a));
    LLVMSetLinkage(function, LLVMInternalLinkage);
    wl_memory_make_slow(l, function);
    LLVMBuilderRef outer = l->b; /* it carries the unit's debug locations */
    l->b = LLVMCreateBuilderInContext(l->context);
    build(l, function, a);
    LLVMDisposeBuilder(l->b);
    l->b = outer;
    return function;
}

void wl_memory_slow(struct wl_lift *l, const struct wl_access *access, const struct wl_lanes *lanes, LLVMValueRef *rows) {
    struct wl_access shared = *access, *a = &shared;
    shared.local &= a->kind == WL_ACCESS_ATOMIC; /* loads and stores have the same slow function for LDS as for other memory */
    shared.in_lds = wl_sanitizes(l) && access->local && !shared.local;
    LLVMValueRef function = slow_function(l, a);
    LLVMValueRef arguments[ARGUMENT_DATA + 2 * WL_MAX_ROWS + 1];
    unsigned in = data_rows(a), out = result_rows(a);
    bool narrow = narrow_addresses(a);
    bool needs_wave = wl_sanitizes(l) || a->place == WL_PLACE_FLAT || a->place == WL_PLACE_BUFFER || wl_atomic_splits(a);
    arguments[ARGUMENT_WAVE] = needs_wave ? l->wave : LLVMGetPoison(l->ptr);
    arguments[ARGUMENT_LANE] = l->strip->first_lane;
    arguments[ARGUMENT_BASE] = narrow ? lanes->base : LLVMGetPoison(l->i64);
    arguments[ARGUMENT_LIMIT] = a->place == WL_PLACE_BUFFER ? lanes->limit : LLVMGetPoison(l->i64);
    if (!narrow)
        arguments[ARGUMENT_ADDRESSES] = wl_lanes_addresses(l, lanes);
    else
        arguments[ARGUMENT_ADDRESSES] = lanes->offset ? lanes->offset : wl_strip_splat(l, lanes->scalar_offset);
    arguments[ARGUMENT_MASK] = wl_memory_mask(l);
    for (unsigned i = 0; i < in; i++)
        arguments[ARGUMENT_DATA + i] = rows[i];
    if (wl_sanitizes(l))
        arguments[ARGUMENT_DATA + in++] = wl_sanitize_site(l, a);
    LLVMValueRef result = LLVMBuildCall2(l->b, function_type(l, a), function, arguments, ARGUMENT_DATA + in, "");
    LLVMSetInstructionCallConv(result, LLVMGetFunctionCallConv(function));
    for (unsigned i = 0; i < out; i++)
        rows[i] = out == 1 ? result : LLVMBuildExtractValue(l->b, result, i, "");
}
