#include "translate/lift/memory/sanitize.h"

#include "machine/count.h"
#include "machine/helpers.h"
#include "machine/sanitize.h"
#include "translate/isa/sanitize_site.h"
#include "translate/lift/frame.h"
#include "translate/lift/marks.h"
#include "translate/lift/memory/scattered.h"

#include <stddef.h>
#include <string.h>

enum { ADDRESS_BITS = 47, SHADOW_SHIFT = 3, SLACK = 4096 }; /* SLACK: no access is as large */
#define ADDRESS_MASK ((UINT64_C(1) << ADDRESS_BITS) - 1)

static LLVMValueRef number(struct wl_lift *l, LLVMTypeRef type, uint64_t value) { return wl_lift_int(l, type, value); }

static LLVMValueRef helper_member(struct wl_lift *l, size_t member) {
    LLVMValueRef table = wl_memory_wave_constant(l, l->wave, offsetof(struct wl_wave, helpers), l->ptr);
    return wl_memory_wave_constant(l, table, member, l->ptr);
}

static LLVMValueRef shadow(struct wl_lift *l) { return helper_member(l, offsetof(struct wl_helpers, sanitize_shadow)); }

/* ---- one place ------------------------------------------------------------------------------- */

/* The first or last granule's number. Bits above those that addresses have are left out: something is read for any address. */
static LLVMValueRef granule(struct wl_lift *l, LLVMValueRef address) {
    LLVMTypeRef type = LLVMTypeOf(address);
    LLVMValueRef low = LLVMBuildAnd(l->b, address, number(l, type, ADDRESS_MASK), "");
    return LLVMBuildLShr(l->b, low, number(l, type, SHADOW_SHIFT), "");
}

static LLVMValueRef is_address(struct wl_lift *l, LLVMValueRef address) {
    return LLVMBuildICmp(l->b, LLVMIntULT, address, number(l, LLVMTypeOf(address), ADDRESS_MASK - SLACK), "");
}

static LLVMValueRef shadow_word(struct wl_lift *l, LLVMValueRef number_of, int64_t skip) {
    LLVMValueRef at = LLVMBuildAdd(l->b, number_of, LLVMConstInt(l->i64, (uint64_t)skip, true), "");
    LLVMValueRef word = LLVMBuildLoad2(l->b, l->i64, LLVMBuildGEP2(l->b, l->i8, shadow(l), &at, 1, ""), "");
    LLVMSetAlignment(word, 1);
    return word;
}

/* Up to 56 bytes: their bits lie in one word of the shadow. */
static LLVMValueRef few_bytes(struct wl_lift *l, LLVMValueRef start, uint64_t bytes) {
    const uint64_t all = (UINT64_C(1) << bytes) - 1;
    LLVMValueRef shift = LLVMBuildAnd(l->b, start, number(l, l->i64, 7), "");
    LLVMValueRef bits = LLVMBuildLShr(l->b, shadow_word(l, granule(l, start), 0), shift, "");
    return LLVMBuildICmp(l->b, LLVMIntEQ, LLVMBuildAnd(l->b, bits, number(l, l->i64, all), ""), number(l, l->i64, all), "");
}

/* More: words of whole granules, from the first one on and up to the last one. */
static LLVMValueRef many_bytes(struct wl_lift *l, LLVMValueRef start, uint64_t bytes) {
    LLVMValueRef first = granule(l, start), last = granule(l, LLVMBuildAdd(l->b, start, number(l, l->i64, bytes - 1), ""));
    LLVMValueRef bits = shadow_word(l, last, -7);
    for (uint64_t word = 0; word < (bytes + 7) / 64; word++)
        bits = LLVMBuildAnd(l->b, bits, shadow_word(l, first, (int64_t)(8 * word)), "");
    return LLVMBuildICmp(l->b, LLVMIntEQ, bits, LLVMConstAllOnes(l->i64), "");
}

static LLVMValueRef in_memory(struct wl_lift *l, LLVMValueRef start, uint64_t bytes) {
    LLVMValueRef good = bytes <= 56 ? few_bytes(l, start, bytes) : many_bytes(l, start, bytes);
    return LLVMBuildAnd(l->b, good, is_address(l, start), "");
}

/* Whether `bytes` bytes at an offset (of any integer type, or a vector) lie within a size, a field of the wave. */
static LLVMValueRef in_size(struct wl_lift *l, LLVMValueRef offset, size_t field, uint64_t bytes) {
    LLVMTypeRef type = LLVMTypeOf(offset);
    bool wide = type == l->i64 || type == l->strip_i64, vector = LLVMGetTypeKind(type) == LLVMVectorTypeKind;
    LLVMValueRef size = wl_memory_wave_constant(l, l->wave, field, l->i32);
    LLVMValueRef parts[2] = {size, number(l, l->i32, bytes)};
    LLVMValueRef limit = wl_lift_intrinsic(l, "llvm.usub.sat", &l->i32, 1, parts, 2);
    LLVMValueRef large = LLVMBuildICmp(l->b, LLVMIntUGE, size, number(l, l->i32, bytes), "");
    if (wide)
        limit = LLVMBuildZExt(l->b, limit, l->i64, "");
    if (vector) {
        limit = wl_strip_splat(l, limit);
        large = wl_strip_splat(l, large);
    }
    return LLVMBuildAnd(l->b, LLVMBuildICmp(l->b, LLVMIntULE, offset, limit, ""), large, "");
}

static LLVMValueRef lds_start(struct wl_lift *l) { return wl_memory_wave_constant(l, l->wave, offsetof(struct wl_wave, lds), l->i64); }

/* ---- what is defined ------------------------------------------------------------------------- */

enum { BLOCK_BITS = 16, MOST_BYTES = 1024 /* that are looked at together: four strips of four dwords a lane */ };

/* Bytes that are 0: of memory that is all defined. */
static LLVMValueRef zeros(struct wl_lift *l) {
    LLVMValueRef bytes = wl_lift_zeros(l, "defined", LLVMArrayType2(l->i8, MOST_BYTES));
    LLVMSetAlignment(bytes, 64);
    return bytes;
}

/* i1: whether `bytes` bytes from a pointer on are all 0. */
static LLVMValueRef all_zero(struct wl_lift *l, LLVMValueRef from, uint64_t bytes) {
    LLVMValueRef good = NULL;
    for (uint64_t at = 0, size; at < bytes; at += size) {
        for (size = 64; size > bytes - at; size /= 2)
            ;
        LLVMTypeRef type = LLVMIntTypeInContext(l->context, (unsigned)size * 8);
        LLVMValueRef skip = number(l, l->i64, at), word = LLVMBuildLoad2(l->b, type, LLVMBuildGEP2(l->b, l->i8, from, &skip, 1, ""), "");
        LLVMSetAlignment(word, 1);
        LLVMValueRef zero = LLVMBuildICmp(l->b, LLVMIntEQ, word, LLVMConstNull(type), "");
        good = good ? LLVMBuildAnd(l->b, good, zero, "") : zero;
    }
    return good;
}

/* The undefined bits of the block of memory that an address is in: ptr, NULL: there are none. */
static LLVMValueRef block_of(struct wl_lift *l, LLVMValueRef address) {
    LLVMValueRef low = LLVMBuildAnd(l->b, address, number(l, l->i64, ADDRESS_MASK), "");
    LLVMValueRef at = LLVMBuildLShr(l->b, low, number(l, l->i64, BLOCK_BITS), "");
    LLVMValueRef table = helper_member(l, offsetof(struct wl_helpers, sanitize_values));
    return LLVMBuildLoad2(l->b, l->ptr, LLVMBuildGEP2(l->b, l->ptr, table, &at, 1, ""), "");
}

/* i1: whether all bits of memory are defined from `start` on. It may be false where they are. */
static LLVMValueRef is_defined(struct wl_lift *l, LLVMValueRef start, uint64_t bytes) {
    LLVMValueRef block = block_of(l, start), none = LLVMBuildICmp(l->b, LLVMIntEQ, block, LLVMConstNull(l->ptr), "");
    LLVMValueRef in = LLVMBuildAnd(l->b, start, number(l, l->i64, (1 << BLOCK_BITS) - 1), "");
    LLVMValueRef fits = LLVMBuildICmp(l->b, LLVMIntULE, in, number(l, l->i64, (1 << BLOCK_BITS) - bytes), "");
    LLVMValueRef looks = LLVMBuildAnd(l->b, fits, LLVMBuildNot(l->b, none, ""), "");
    LLVMValueRef from = LLVMBuildSelect(l->b, looks, LLVMBuildGEP2(l->b, l->i8, block, &in, 1, ""), zeros(l), "");
    return LLVMBuildAnd(l->b, fits, all_zero(l, from, bytes), "");
}

static LLVMValueRef undefined_member(struct wl_lift *l, size_t member) {
    LLVMValueRef undefined = wl_memory_wave_constant(l, l->wave, offsetof(struct wl_wave, undefined), l->ptr);
    return wl_memory_wave_constant(l, undefined, member, l->i64);
}

LLVMValueRef wl_sanitize_skip(struct wl_lift *l, bool is_private) {
    LLVMValueRef bits = undefined_member(l, is_private ? offsetof(struct wl_undefined, scratch) : offsetof(struct wl_undefined, lds));
    size_t field = is_private ? offsetof(struct wl_wave, scratch) : offsetof(struct wl_wave, lds);
    return LLVMBuildSub(l->b, bits, wl_memory_wave_constant(l, l->wave, field, l->i64), "");
}

/* Of memory alone. */
static LLVMValueRef memory_is_good(struct wl_lift *l, LLVMValueRef start, uint64_t bytes) {
    LLVMValueRef good = l->unit.request->sanitize & WL_SANITIZE_MEMCHECK ? in_memory(l, start, bytes) : NULL;
    if (!wl_follows_values(l))
        return good;
    LLVMValueRef defined = is_defined(l, start, bytes);
    return good ? LLVMBuildAnd(l->b, good, defined, "") : LLVMBuildAnd(l->b, defined, is_address(l, start), "");
}

/* Gets on its way what the waves behind this one will access, which mostly go on where it stops. initcheck gives each wave a state of its own:
 * the host's prefetcher, and its buffer of stores, do not get from one wave's accesses to the next one's. */
static void prefetch(struct wl_lift *l, const struct wl_access *access, LLVMValueRef start, uint64_t bytes) {
    enum { LINE = 64, WAVES = 2, FIRST_CACHE = 3, DATA = 1 };
    for (uint64_t line = 0; wl_follows_values(l) && bytes <= MOST_BYTES && line < bytes; line += LINE) {
        LLVMValueRef there = wl_memory_pointer(l, LLVMBuildAdd(l->b, start, number(l, l->i64, WAVES * bytes + line), ""));
        LLVMValueRef arguments[] = {there, number(l, l->i32, access->kind == WL_ACCESS_STORE), number(l, l->i32, FIRST_CACHE),
                                    number(l, l->i32, DATA)};
        wl_lift_intrinsic(l, "llvm.prefetch", &l->ptr, 1, arguments, 4);
    }
}

LLVMValueRef wl_sanitize_extent(struct wl_lift *l, const struct wl_access *access, LLVMValueRef start, uint64_t bytes) {
    if (!access->local) {
        prefetch(l, access, start, bytes);
        return memory_is_good(l, start, bytes);
    }
    LLVMValueRef good = in_size(l, LLVMBuildSub(l->b, start, lds_start(l), ""), offsetof(struct wl_wave, lds_size), bytes);
    if (!wl_follows_values(l) || access->kind == WL_ACCESS_STORE)
        return good;
    LLVMValueRef bits = LLVMBuildAdd(l->b, start, wl_sanitize_skip(l, false), "");
    bits = LLVMBuildSelect(l->b, good, wl_memory_pointer(l, bits), zeros(l), "");
    return LLVMBuildAnd(l->b, good, all_zero(l, bits, bytes), "");
}

LLVMValueRef wl_sanitize_private(struct wl_lift *l, const struct wl_access *access, LLVMValueRef start, LLVMValueRef shift) {
    LLVMValueRef first = LLVMBuildShl(l->b, l->strip->first_lane, number(l, l->i64, 2), "");
    LLVMValueRef offset = LLVMBuildSub(l->b, start, wl_memory_wave_constant(l, l->wave, offsetof(struct wl_wave, scratch), l->i64), "");
    offset = LLVMBuildUDiv(l->b, LLVMBuildSub(l->b, offset, first, ""), number(l, l->i64, l->wave_size), "");
    if (shift)
        offset = LLVMBuildAdd(l->b, offset, LLVMBuildZExt(l->b, LLVMBuildLShr(l->b, shift, number(l, l->i32, 3), ""), l->i64, ""), "");
    LLVMValueRef good = in_size(l, offset, offsetof(struct wl_wave, scratch_size), wl_access_size(access));
    if (!wl_follows_values(l) || access->kind == WL_ACCESS_STORE)
        return good;
    LLVMValueRef bits = LLVMBuildAdd(l->b, start, wl_sanitize_skip(l, true), ""), lanes = LLVMConstAllOnes(l->strip_i1);
    for (unsigned d = 0; d < access->dwords; d++) {
        LLVMValueRef at = wl_memory_pointer(l, LLVMBuildAdd(l->b, bits, number(l, l->i64, UINT64_C(4) * d * l->wave_size), ""));
        LLVMValueRef open = LLVMBuildLoad2(l->b, l->strip_i32, LLVMBuildSelect(l->b, good, at, zeros(l), ""), "");
        LLVMSetAlignment(open, 4);
        lanes = LLVMBuildAnd(l->b, lanes, LLVMBuildICmp(l->b, LLVMIntEQ, open, LLVMConstNull(l->strip_i32), ""), "");
    }
    return LLVMBuildAnd(l->b, good, wl_memory_all(l, lanes, wl_memory_mask(l)), "");
}

/* ---- each lane ------------------------------------------------------------------------------- */

/* <16 x i1>: the lanes' bytes, at host addresses, may be accessed. */
static LLVMValueRef lanes_in_memory(struct wl_lift *l, LLVMValueRef addresses, unsigned bytes) {
    LLVMTypeRef pointers = LLVMVectorType(l->ptr, WL_STRIP), types[2] = {l->strip_i32, pointers};
    LLVMValueRef at = granule(l, addresses), all = number(l, l->strip_i32, (UINT64_C(1) << bytes) - 1);
    LLVMValueRef arguments[4] = {LLVMBuildGEP2(l->b, l->i8, shadow(l), &at, 1, ""), LLVMConstInt(l->i32, 1, false), wl_strip_exec(l),
                                 LLVMConstAllOnes(l->strip_i32)};
    LLVMValueRef bits = wl_lift_intrinsic(l, "llvm.masked.gather", types, 2, arguments, 4);
    LLVMValueRef shift = LLVMBuildAnd(l->b, LLVMBuildTrunc(l->b, addresses, l->strip_i32, ""), number(l, l->strip_i32, 7), "");
    bits = LLVMBuildAnd(l->b, LLVMBuildLShr(l->b, bits, shift, ""), all, "");
    return LLVMBuildAnd(l->b, LLVMBuildICmp(l->b, LLVMIntEQ, bits, all, ""), is_address(l, addresses), "");
}

/* Flat addresses: an aperture's are offsets. */
static LLVMValueRef lanes_flat(struct wl_lift *l, LLVMValueRef addresses, unsigned bytes) {
    LLVMValueRef high = LLVMBuildLShr(l->b, addresses, number(l, l->strip_i64, 32), "");
    LLVMValueRef low = LLVMBuildTrunc(l->b, addresses, l->strip_i32, ""), good = lanes_in_memory(l, addresses, bytes);
    const struct {
        uint32_t high;
        size_t size;
    } apertures[] = {{WL_SHARED_APERTURE_HI, offsetof(struct wl_wave, lds_size)},
                     {WL_PRIVATE_APERTURE_HI, offsetof(struct wl_wave, scratch_size)}};
    for (unsigned i = 0; i < 2; i++) {
        LLVMValueRef there = LLVMBuildICmp(l->b, LLVMIntEQ, high, number(l, l->strip_i64, apertures[i].high), "");
        good = LLVMBuildSelect(l->b, there, in_size(l, low, apertures[i].size, bytes), good, "");
    }
    return good;
}

static LLVMValueRef pointers(struct wl_lift *l, LLVMValueRef addresses) {
    return LLVMBuildIntToPtr(l->b, addresses, LLVMVectorType(l->ptr, WL_STRIP), "");
}

/* <16 x i32>: the dwords that lie `skip` bytes behind the lanes' addresses; of the other lanes 0. */
static LLVMValueRef gather(struct wl_lift *l, LLVMValueRef addresses, LLVMValueRef lanes, unsigned skip) {
    LLVMTypeRef types[2] = {l->strip_i32, LLVMVectorType(l->ptr, WL_STRIP)};
    LLVMValueRef at = LLVMBuildAdd(l->b, addresses, number(l, l->strip_i64, skip), "");
    LLVMValueRef arguments[4] = {pointers(l, at), LLVMConstInt(l->i32, 1, false), lanes, LLVMConstNull(l->strip_i32)};
    return wl_lift_intrinsic(l, "llvm.masked.gather", types, 2, arguments, 4);
}

/* <16 x i1>: no bit is undefined of the lanes' bytes, whose undefined bits lie at `addresses`. */
static LLVMValueRef lanes_zero(struct wl_lift *l, LLVMValueRef addresses, LLVMValueRef lanes, unsigned bytes) {
    LLVMValueRef open = gather(l, addresses, lanes, 0);
    for (unsigned at = 4; at < bytes; at += 4)
        open = LLVMBuildOr(l->b, open, gather(l, addresses, lanes, at), "");
    if (bytes < 4)
        open = LLVMBuildAnd(l->b, open, number(l, l->strip_i32, (UINT64_C(1) << 8 * bytes) - 1), "");
    return LLVMBuildICmp(l->b, LLVMIntEQ, open, LLVMConstNull(l->strip_i32), "");
}

/* The same of lanes in memory, by their addresses. */
static LLVMValueRef lanes_defined(struct wl_lift *l, LLVMValueRef addresses, unsigned bytes) {
    LLVMTypeRef types[2] = {l->strip_i64, LLVMVectorType(l->ptr, WL_STRIP)};
    LLVMValueRef valid = is_address(l, addresses);
    LLVMValueRef low = LLVMBuildAnd(l->b, addresses, number(l, l->strip_i64, ADDRESS_MASK), "");
    LLVMValueRef at = LLVMBuildLShr(l->b, low, number(l, l->strip_i64, BLOCK_BITS), "");
    LLVMValueRef table = helper_member(l, offsetof(struct wl_helpers, sanitize_values));
    LLVMValueRef arguments[4] = {LLVMBuildGEP2(l->b, l->ptr, table, &at, 1, ""), LLVMConstInt(l->i32, 8, false),
                                 LLVMBuildAnd(l->b, wl_strip_exec(l), valid, ""), LLVMConstNull(l->strip_i64)};
    LLVMValueRef blocks = wl_lift_intrinsic(l, "llvm.masked.gather", types, 2, arguments, 4);
    LLVMValueRef some = LLVMBuildICmp(l->b, LLVMIntNE, blocks, LLVMConstNull(l->strip_i64), "");
    LLVMValueRef in = LLVMBuildAnd(l->b, addresses, number(l, l->strip_i64, (1 << BLOCK_BITS) - 1), "");
    LLVMValueRef fits = LLVMBuildICmp(l->b, LLVMIntULE, in, number(l, l->strip_i64, (1u << BLOCK_BITS) - (bytes < 4 ? 4 : bytes)), "");
    LLVMValueRef zero = lanes_zero(l, LLVMBuildAdd(l->b, blocks, in, ""), LLVMBuildAnd(l->b, some, fits, ""), bytes);
    return LLVMBuildAnd(l->b, LLVMBuildAnd(l->b, valid, fits, ""), zero, "");
}

/* i1: all active lanes may make the access, as far as this code can tell. NULL: it cannot. `places`: <16 x i64>, as sanitize_strip has
 * them. */
static LLVMValueRef all_good(struct wl_lift *l, const struct wl_access *a, LLVMValueRef places) {
    const unsigned bytes = wl_access_size(a);
    const bool follows = wl_follows_values(l), lds = a->local || a->in_lds, memory = l->unit.request->sanitize & WL_SANITIZE_MEMCHECK;
    LLVMValueRef good = LLVMConstAllOnes(l->strip_i1), open;
    if (a->place == WL_PLACE_BUFFER || wl_counts(l) || (wl_sanitizes_waves(l) && (follows || a->place != WL_PLACE_PRIVATE)) ||
        (follows && (a->told || a->place == WL_PLACE_PRIVATE)))
        return NULL;
    if (a->place == WL_PLACE_PRIVATE)
        good = in_size(l, places, offsetof(struct wl_wave, scratch_size), bytes);
    else if (lds)
        good = in_size(l, LLVMBuildSub(l->b, places, wl_strip_splat(l, lds_start(l)), ""), offsetof(struct wl_wave, lds_size), bytes);
    else if (memory)
        good = (a->place == WL_PLACE_FLAT ? lanes_flat : lanes_in_memory)(l, places, bytes);
    if (follows && lds) {
        open = LLVMBuildAdd(l->b, places, wl_strip_splat(l, wl_sanitize_skip(l, false)), "");
        open = lanes_zero(l, open, LLVMBuildAnd(l->b, good, wl_strip_exec(l), ""), bytes);
        good = LLVMBuildAnd(l->b, good, open, "");
    } else if (follows) {
        good = LLVMBuildAnd(l->b, good, lanes_defined(l, places, bytes), "");
    }
    if (a->kind == WL_ACCESS_ATOMIC) {
        LLVMValueRef low = LLVMBuildAnd(l->b, places, number(l, l->strip_i64, bytes < 8 ? bytes - 1 : 7), "");
        good = LLVMBuildAnd(l->b, good, LLVMBuildICmp(l->b, LLVMIntEQ, low, LLVMConstNull(l->strip_i64), ""), "");
    }
    return wl_memory_all(l, good, wl_memory_mask(l));
}

LLVMValueRef wl_sanitize_local(struct wl_lift *l, const struct wl_access *access, const struct wl_lanes *lanes) {
    if (!wl_follows_values(l) || access->kind != WL_ACCESS_STORE)
        return all_good(l, access, wl_lanes_addresses(l, lanes));
    LLVMValueRef places = LLVMBuildSub(l->b, wl_lanes_addresses(l, lanes), wl_strip_splat(l, lds_start(l)), "");
    return wl_memory_all(l, in_size(l, places, offsetof(struct wl_wave, lds_size), wl_access_size(access)), wl_memory_mask(l));
}

void wl_sanitize_define(struct wl_lift *l, const struct wl_access *access, const struct wl_lanes *lanes) {
    LLVMTypeRef types[2] = {l->strip_i32, LLVMVectorType(l->ptr, WL_STRIP)};
    LLVMValueRef addresses = LLVMBuildAdd(l->b, wl_lanes_addresses(l, lanes), wl_strip_splat(l, wl_sanitize_skip(l, false)), "");
    for (unsigned at = 0; at < wl_access_size(access); at += 4) {
        LLVMValueRef there = LLVMBuildAdd(l->b, addresses, number(l, l->strip_i64, at), "");
        LLVMValueRef arguments[4] = {LLVMConstNull(l->strip_i32), pointers(l, there), LLVMConstInt(l->i32, 1, false), wl_strip_exec(l)};
        wl_lift_intrinsic(l, "llvm.masked.scatter", types, 2, arguments, 4);
    }
}

/* ---- asking ---------------------------------------------------------------------------------- */

/* A structure without addresses in it as a constant of the module. */
static LLVMValueRef make_constant(struct wl_lift *l, const void *bytes, unsigned size, const char *name) {
    LLVMValueRef value = LLVMConstStringInContext(l->context, bytes, size, true);
    LLVMValueRef global = LLVMAddGlobal(l->module, LLVMTypeOf(value), name);
    LLVMSetInitializer(global, value);
    LLVMSetGlobalConstant(global, 1);
    LLVMSetLinkage(global, LLVMInternalLinkage);
    LLVMSetAlignment(global, _Alignof(uint64_t));
    return global;
}

/* `a`: NULL, or what is accessed if the instruction makes several accesses. */
static void fill_site(const struct wl_lift *l, struct wl_sanitize_site *site, const struct wl_inst *inst, const struct wl_access *a,
                      unsigned bytes) {
    wl_sanitize_site_fill(site, inst, l->generation, bytes);
    site->transfer.has_data = false; /* it is defined: wl_sanitize_piece */
    if (!wl_follows_values(l))
        site->transfer = (struct wl_transfer){.kind = WL_TRANSFER_NONE};
    if (!a)
        return;
    site->kind = a->kind == WL_ACCESS_LOAD ? WL_SANITIZE_LOAD : a->kind == WL_ACCESS_STORE ? WL_SANITIZE_STORE : WL_SANITIZE_ATOMIC;
    site->space = a->local || a->in_lds ? WL_SANITIZE_LDS : a->place == WL_PLACE_PRIVATE ? WL_SANITIZE_SCRATCH : site->space;
    site->second = a->second;
    if (a->dwords > inst->isa->dwords) /* two addresses that became one */
        site->transfer.dwords = a->dwords;
}

/* A struct wl_sanitize_site as a constant of the module. */
static LLVMValueRef make_site(struct wl_lift *l, const struct wl_inst *inst, const struct wl_access *a, unsigned bytes) {
    struct wl_sanitize_site site;
    fill_site(l, &site, inst, a, bytes);
    return make_constant(l, &site, sizeof site, "site");
}

/* The function of the module that stores the addresses where the helper reads them, and calls it. It keeps registers for its caller. */
static LLVMValueRef ask_function(struct wl_lift *l, LLVMTypeRef *type) {
    LLVMTypeRef parameters[] = {l->ptr, l->ptr, l->i64, l->i16, l->strip_i64, l->i64, l->i64, l->ptr};
    LLVMTypeRef helper[] = {l->ptr, l->i64, l->i32, l->ptr, l->i64, l->i64, l->ptr};
    *type = LLVMFunctionType(l->i16, parameters, 8, false);
    LLVMValueRef function = LLVMGetNamedFunction(l->module, "sanitize");
    if (function)
        return function;
    function = LLVMAddFunction(l->module, "sanitize", *type);
    LLVMSetLinkage(function, LLVMInternalLinkage);
    wl_memory_make_slow(l, function);
    LLVMBuilderRef outer = l->b;
    l->b = LLVMCreateBuilderInContext(l->context);
    LLVMPositionBuilderAtEnd(l->b, LLVMAppendBasicBlockInContext(l->context, function, "entry"));
    LLVMValueRef addresses = wl_memory_local(l, l->strip_i64);
    LLVMSetAlignment(LLVMBuildStore(l->b, LLVMGetParam(function, 4), addresses), 64);
    LLVMValueRef arguments[] = {LLVMGetParam(function, 1),
                                LLVMGetParam(function, 2),
                                LLVMBuildZExt(l->b, LLVMGetParam(function, 3), l->i32, ""),
                                addresses,
                                LLVMGetParam(function, 5),
                                LLVMGetParam(function, 6),
                                LLVMGetParam(function, 7)};
    LLVMValueRef lanes = LLVMBuildCall2(l->b, LLVMFunctionType(l->i32, helper, 7, false), LLVMGetParam(function, 0), arguments, 7, "");
    LLVMBuildRet(l->b, LLVMBuildTrunc(l->b, lanes, l->i16, ""));
    LLVMDisposeBuilder(l->b);
    l->b = outer;
    return function;
}

static LLVMValueRef ask(struct wl_lift *l, LLVMValueRef site, LLVMValueRef first_lane, LLVMValueRef mask, LLVMValueRef addresses,
                        LLVMValueRef base, LLVMValueRef limit, LLVMValueRef data) {
    LLVMTypeRef type;
    LLVMValueRef function = ask_function(l, &type);
    LLVMValueRef arguments[] = {
        helper_member(l, offsetof(struct wl_helpers, sanitize_strip)), site, first_lane, mask, addresses, base, limit, data};
    LLVMValueRef result = LLVMBuildCall2(l->b, type, function, arguments, 8, "");
    LLVMSetInstructionCallConv(result, LLVMGetFunctionCallConv(function));
    return result;
}

/* Calls wl_helpers.sanitize_run; i1. */
static LLVMValueRef ask_run(struct wl_lift *l, LLVMValueRef site, LLVMValueRef start, LLVMValueRef lanes, LLVMValueRef first_lane,
                            uint32_t step) {
    LLVMTypeRef parameters[] = {l->ptr, l->ptr, l->i64, l->i64, l->i32, l->i32};
    LLVMValueRef arguments[] = {l->wave, site, start, lanes, first_lane, number(l, l->i32, step)};
    LLVMValueRef helper = helper_member(l, offsetof(struct wl_helpers, sanitize_run));
    LLVMValueRef answer = LLVMBuildCall2(l->b, LLVMFunctionType(l->i32, parameters, 6, false), helper, arguments, 6, "");
    return LLVMBuildICmp(l->b, LLVMIntNE, answer, LLVMConstNull(l->i32), "");
}

LLVMValueRef wl_sanitize_run(struct wl_lift *l, const struct wl_access *a, LLVMValueRef start, unsigned strips, uint32_t step,
                             LLVMValueRef check) {
    struct wl_sanitize_site site;
    fill_site(l, &site, a->inst, a, wl_access_size(a));
    if (!wl_sanitize_may_run(&site))
        return NULL;
    const unsigned lanes = strips * WL_STRIP;
    LLVMValueRef mask = number(l, l->i64, lanes == 64 ? UINT64_MAX : (UINT64_C(1) << lanes) - 1);
    if (l->exec)
        mask = LLVMBuildZExt(l->b, wl_memory_mask(l), l->i64, "");
    if (check)
        mask = LLVMBuildSelect(l->b, check, mask, LLVMConstNull(l->i64), "");
    LLVMValueRef first = LLVMBuildTrunc(l->b, l->strip->first_lane, l->i32, "");
    return ask_run(l, make_constant(l, &site, sizeof site, "site"), start, mask, first, step);
}

LLVMValueRef wl_sanitize_steps(struct wl_lift *l, const struct wl_access *a, const struct wl_lanes *lanes) {
    const struct wl_fact *fact = &lanes->low_fact;
    if (!wl_sanitizes_waves(l) || wl_counts(l) || a->kind != WL_ACCESS_LOAD || !wl_spread_has_local(l, a, lanes) ||
        !wl_spread_knows_stride(fact) || (uint32_t)fact->stride <= wl_access_size(a))
        return NULL;
    return wl_sanitize_run(l, a, wl_lanes_address(l, lanes, number(l, l->i32, 0)), 1, (uint32_t)fact->stride, NULL);
}

LLVMValueRef wl_sanitize_pattern(struct wl_lift *l, const struct wl_access *a, const struct wl_lanes *lanes, enum wl_pattern pattern,
                                 LLVMValueRef start, LLVMValueRef check) {
    if (wl_follows_values(l) && (a->told || pattern == WL_PATTERN_GROUPS || (wl_sanitizes_waves(l) && pattern == WL_PATTERN_PRIVATE)))
        return NULL;
    if (wl_sanitizes_waves(l) && (wl_counts(l) || pattern != WL_PATTERN_PRIVATE)) {
        const bool uniform = pattern == WL_PATTERN_UNIFORM;
        return uniform || pattern == WL_PATTERN_CONSECUTIVE ? wl_sanitize_run(l, a, start, 1, uniform ? 0 : wl_access_size(a), check)
                                                            : NULL;
    }
    const uint64_t size = wl_access_size(a), stride = pattern == WL_PATTERN_STRIDED ? (uint32_t)lanes->low_fact.stride : size;
    switch (pattern) {
    case WL_PATTERN_CONSECUTIVE:
    case WL_PATTERN_STRIDED:
        return wl_sanitize_extent(l, a, start, stride * (WL_STRIP - 1) + size);
    case WL_PATTERN_UNIFORM:
        return wl_sanitize_extent(l, a, start, size);
    case WL_PATTERN_PRIVATE:
        return wl_sanitize_private(l, a, start, a->bits < 32 ? wl_memory_shift(l, lanes) : NULL);
    default:
        return NULL;
    }
}

void wl_sanitize_count(struct wl_lift *l, uint32_t block, LLVMValueRef exec) {
    const struct wl_count_block *counted = l->unit.code->counted[block];
    LLVMTypeRef parameters[] = {l->ptr, l->ptr, l->i64};
    LLVMValueRef arguments[] = {l->wave, make_constant(l, counted, (unsigned)wl_unit_counted_size(counted), "counted"), exec};
    LLVMValueRef helper = helper_member(l, offsetof(struct wl_helpers, count_block));
    LLVMBuildCall2(l->b, LLVMFunctionType(l->void_type, parameters, 3, false), helper, arguments, 3, "");
}

void wl_sanitize_piece(struct wl_lift *l, uint32_t block, LLVMValueRef exec) {
    struct wl_defined_piece piece;
    wl_unit_piece(l->unit.code, &l->unit.code->blocks[block], &piece);
    LLVMBasicBlockRef look = wl_lift_ir_block(l, "look"), leave = wl_lift_ir_block(l, "undefined"), on = wl_lift_ir_block(l, "defined");
    LLVMTypeRef parameters[] = {l->ptr, l->ptr, l->i64};
    LLVMValueRef undefined = wl_memory_wave_constant(l, l->wave, offsetof(struct wl_wave, undefined), l->ptr);
    LLVMValueRef offset = number(l, l->i64, offsetof(struct wl_undefined, any));
    LLVMValueRef any = LLVMBuildLoad2(l->b, l->i32, LLVMBuildGEP2(l->b, l->i8, undefined, &offset, 1, ""), "");
    wl_memory_mark_likely(l, LLVMBuildCondBr(l->b, LLVMBuildICmp(l->b, LLVMIntEQ, any, LLVMConstNull(l->i32), ""), on, look));
    LLVMPositionBuilderAtEnd(l->b, look);
    LLVMValueRef arguments[] = {undefined, make_constant(l, &piece, sizeof piece, "piece"), exec};
    LLVMValueRef helper = helper_member(l, offsetof(struct wl_helpers, sanitize_piece));
    LLVMValueRef open = LLVMBuildCall2(l->b, LLVMFunctionType(l->i32, parameters, 3, false), helper, arguments, 3, "");
    LLVMBuildCondBr(l->b, LLVMBuildICmp(l->b, LLVMIntEQ, open, LLVMConstNull(l->i32), ""), on, leave);
    LLVMPositionBuilderAtEnd(l->b, leave);
    wl_lift_exit_to_block(l, WL_EXIT_UNDEFINED, block);
    LLVMPositionBuilderAtEnd(l->b, on);
}

static void tell_fence(struct wl_lift *l, const struct wl_sanitize_fence *fence) {
    LLVMTypeRef parameters[] = {l->ptr, l->ptr};
    LLVMValueRef arguments[] = {l->wave, make_constant(l, fence, sizeof *fence, "fence")};
    LLVMValueRef helper = helper_member(l, offsetof(struct wl_helpers, sanitize_fence));
    LLVMBuildCall2(l->b, LLVMFunctionType(l->void_type, parameters, 2, false), helper, arguments, 2, "");
}

void wl_sanitize_fence(struct wl_lift *l, const struct wl_inst *inst) {
    struct wl_sanitize_fence fence;
    if (!inst->is_quiet && wl_sanitizes_order(l) && wl_sanitize_fence_fill(&fence, inst, l->generation))
        tell_fence(l, &fence);
}

void wl_sanitize_early_use(struct wl_lift *l, const struct wl_inst *inst) { tell_fence(l, &l->unit.code->early[inst->early - 1]); }

void wl_sanitize_anew(struct wl_lift *l) {
    const struct wl_sanitize_fence anew = {.kind = WL_SANITIZE_ANEW};
    tell_fence(l, &anew);
}

LLVMValueRef wl_sanitize_site(struct wl_lift *l, const struct wl_access *a) { return make_site(l, a->inst, a, wl_access_size(a)); }

LLVMValueRef wl_sanitize_lanes(struct wl_lift *l, const struct wl_access *a, LLVMValueRef site, LLVMValueRef first_lane,
                               LLVMValueRef places, LLVMValueRef base, LLVMValueRef limit, LLVMValueRef data) {
    LLVMBasicBlockRef doubt = wl_memory_block(l, "doubt"), known = wl_memory_block(l, "known"), from[2];
    LLVMValueRef mask = wl_memory_mask(l), good = all_good(l, a, places);
    from[0] = LLVMGetInsertBlock(l->b);
    if (good)
        wl_memory_mark_likely(l, LLVMBuildCondBr(l->b, good, known, doubt));
    else
        LLVMBuildBr(l->b, doubt);
    LLVMPositionBuilderAtEnd(l->b, doubt);
    const bool buffer = a->place == WL_PLACE_BUFFER;
    LLVMValueRef zero = LLVMConstNull(l->i64);
    LLVMValueRef asked = ask(l, site, first_lane, mask, places, buffer ? base : zero, buffer ? limit : zero, data);
    from[1] = LLVMGetInsertBlock(l->b);
    LLVMBuildBr(l->b, known);
    LLVMPositionBuilderAtEnd(l->b, known);
    if (!good)
        return asked;
    LLVMValueRef values[2] = {mask, asked}, allowed = LLVMBuildPhi(l->b, l->i16, "");
    LLVMAddIncoming(allowed, values, from, 2);
    return allowed;
}

void wl_sanitize_leave_site(struct wl_lift *l, const struct wl_inst *inst, unsigned bytes) {
    LLVMValueRef offset = number(l, l->i64, offsetof(struct wl_wave, pc)), site = make_site(l, inst, NULL, bytes);
    LLVMBuildStore(l->b, LLVMBuildPtrToInt(l->b, site, l->i64, ""), LLVMBuildGEP2(l->b, l->i8, l->wave, &offset, 1, ""));
}

LLVMValueRef wl_sanitize_scalar(struct wl_lift *l, const struct wl_inst *inst, LLVMValueRef address, unsigned bytes) {
    LLVMBasicBlockRef doubt = wl_memory_block(l, WL_COLD_BLOCK), known = wl_memory_block(l, "known"), from[2];
    LLVMValueRef site = make_site(l, inst, NULL, bytes), one_lane = number(l, l->i64, 1), values[2] = {LLVMConstAllOnes(l->i1), NULL};
    LLVMValueRef good =
        wl_sanitizes_waves(l) ? ask_run(l, site, address, one_lane, number(l, l->i32, 0), bytes) : memory_is_good(l, address, bytes);
    from[0] = LLVMGetInsertBlock(l->b);
    wl_memory_mark_likely(l, LLVMBuildCondBr(l->b, good, known, doubt));
    LLVMPositionBuilderAtEnd(l->b, doubt);
    LLVMValueRef zero = LLVMConstNull(l->i64), one = LLVMConstInt(l->i16, 1, false);
    LLVMValueRef asked = ask(l, site, zero, one, wl_strip_splat(l, address), zero, zero, LLVMConstNull(l->ptr));
    values[1] = LLVMBuildICmp(l->b, LLVMIntNE, asked, LLVMConstNull(l->i16), "");
    from[1] = LLVMGetInsertBlock(l->b);
    LLVMBuildBr(l->b, known);
    LLVMPositionBuilderAtEnd(l->b, known);
    LLVMValueRef allowed = LLVMBuildPhi(l->b, l->i1, "");
    LLVMAddIncoming(allowed, values, from, 2);
    return allowed;
}
