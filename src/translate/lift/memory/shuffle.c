/* The inline forms: vector accesses of consecutive lanes, broadcasts, uniform scratch accesses, and the shuffles between
 * memory order and registers. */
#include "translate/lift/memory/memory.h"

#include "translate/lift/memory/one_place.h"
#include "translate/lift/memory/sanitize.h"
#include "translate/lift/state.h"
#include "translate/lift/values.h"

#include <string.h>

static LLVMValueRef shuffle(struct wl_lift *l, LLVMValueRef a, LLVMValueRef b, const int *index) {
    LLVMValueRef mask[WL_STRIP];
    for (unsigned i = 0; i < WL_STRIP; i++)
        mask[i] = index[i] < 0 ? LLVMGetPoison(l->i32) : LLVMConstInt(l->i32, (unsigned)index[i], false);
    return LLVMBuildShuffleVector(l->b, a, b, LLVMConstVector(mask, WL_STRIP), "");
}

/* Elements start, start + 2, ... of a and b. */
static LLVMValueRef every_second(struct wl_lift *l, LLVMValueRef a, LLVMValueRef b, int start) {
    int index[WL_STRIP];
    for (int i = 0; i < WL_STRIP; i++)
        index[i] = start + 2 * i;
    return shuffle(l, a, b, index);
}

/* The lower or upper half of a[0] b[0] a[1] b[1] ... */
static LLVMValueRef zip(struct wl_lift *l, LLVMValueRef a, LLVMValueRef b, bool upper) {
    int index[WL_STRIP];
    for (int i = 0; i < WL_STRIP; i++)
        index[i] = (i + (upper ? WL_STRIP : 0)) / 2 + (i & 1 ? WL_STRIP : 0);
    return shuffle(l, a, b, index);
}

/* Element i of the result is element from[i] % 16 of vector from[i] / 16 of three. */
static LLVMValueRef pick3(struct wl_lift *l, LLVMValueRef *vectors, const int *from) {
    int low[WL_STRIP], all[WL_STRIP];
    for (int i = 0; i < WL_STRIP; i++) {
        low[i] = from[i] < 2 * WL_STRIP ? from[i] : -1;
        all[i] = from[i] < 2 * WL_STRIP ? i : from[i] - WL_STRIP;
    }
    return shuffle(l, shuffle(l, vectors[0], vectors[1], low), vectors[2], all);
}

void wl_memory_deinterleave(struct wl_lift *l, unsigned n, LLVMValueRef *v, LLVMValueRef *rows) {
    if (n == 1) {
        rows[0] = v[0];
    } else if (n == 2) {
        LLVMValueRef even = every_second(l, v[0], v[1], 0);
        rows[1] = every_second(l, v[0], v[1], 1);
        rows[0] = even;
    } else if (n == 3) {
        LLVMValueRef in[3] = {v[0], v[1], v[2]};
        for (int r = 0; r < 3; r++) {
            int from[WL_STRIP];
            for (int i = 0; i < WL_STRIP; i++)
                from[i] = i * 3 + r;
            rows[r] = pick3(l, in, from);
        }
    } else {
        LLVMValueRef even0 = every_second(l, v[0], v[1], 0), even1 = every_second(l, v[2], v[3], 0);
        LLVMValueRef odd0 = every_second(l, v[0], v[1], 1), odd1 = every_second(l, v[2], v[3], 1);
        rows[0] = every_second(l, even0, even1, 0);
        rows[2] = every_second(l, even0, even1, 1);
        rows[1] = every_second(l, odd0, odd1, 0);
        rows[3] = every_second(l, odd0, odd1, 1);
    }
}

void wl_memory_interleave(struct wl_lift *l, unsigned n, LLVMValueRef *rows, LLVMValueRef *v) {
    if (n == 1) {
        v[0] = rows[0];
    } else if (n == 2) {
        LLVMValueRef low = zip(l, rows[0], rows[1], false);
        v[1] = zip(l, rows[0], rows[1], true);
        v[0] = low;
    } else if (n == 3) {
        LLVMValueRef in[3] = {rows[0], rows[1], rows[2]};
        for (int r = 0; r < 3; r++) {
            int from[WL_STRIP];
            for (int i = 0; i < WL_STRIP; i++) {
                int element = r * WL_STRIP + i;
                from[i] = element % 3 * WL_STRIP + element / 3;
            }
            v[r] = pick3(l, in, from);
        }
    } else {
        LLVMValueRef a[2] = {zip(l, rows[0], rows[2], false), zip(l, rows[0], rows[2], true)};
        LLVMValueRef c[2] = {zip(l, rows[1], rows[3], false), zip(l, rows[1], rows[3], true)};
        for (unsigned half = 0; half < 2; half++) {
            v[(size_t)2 * half] = zip(l, a[half], c[half], false);
            v[(size_t)2 * half + 1] = zip(l, a[half], c[half], true);
        }
    }
}

bool wl_memory_has_masks(const struct wl_lift *l, unsigned bits) {
    const char *features = l->unit.request->features ? l->unit.request->features : "";
    if (bits < 32)
        return l->has_avx512 && strstr(features, "+avx512bw") && strstr(features, "+avx512vl");
    return l->has_masks;
}

/* A vector access of `type`, under `mask` if there is one. */
static LLVMValueRef vector_load(struct wl_lift *l, LLVMTypeRef type, LLVMValueRef address, LLVMValueRef mask, bool is_volatile) {
    if (!mask)
        return wl_memory_load(l, type, address, is_volatile);
    LLVMValueRef value = wl_lift_masked_load(l, type, wl_memory_pointer(l, address), 1, mask);
    wl_lift_mark_memory(l, value);
    return value;
}

static void vector_store(struct wl_lift *l, LLVMValueRef value, LLVMValueRef address, LLVMValueRef mask, bool is_volatile) {
    if (!mask) {
        wl_memory_store(l, value, address, is_volatile);
        return;
    }
    wl_lift_mark_memory(l, wl_lift_masked_store(l, value, wl_memory_pointer(l, address), 1, mask));
}

static LLVMTypeRef element_type(struct wl_lift *l, unsigned bits) { return bits == 8 ? l->i8 : bits == 16 ? l->i16 : l->i32; }

static LLVMValueRef extend(struct wl_lift *l, const struct wl_access *access, LLVMValueRef value, LLVMTypeRef type) {
    return access->sign ? LLVMBuildSExt(l->b, value, type, "") : LLVMBuildZExt(l->b, value, type, "");
}

enum { NEVER = 31 }; /* a bit that no mask of a strip has */

/* The lanes of memory vector `v` of n that active lanes own: `used` of each n, where a host has no mask registers to shuffle. */
static LLVMValueRef pick_mask(struct wl_lift *l, unsigned n, unsigned used, unsigned v) {
    unsigned index[WL_STRIP];
    for (unsigned i = 0; i < WL_STRIP; i++)
        index[i] = (v * WL_STRIP + i) % n < used ? (v * WL_STRIP + i) / n : NEVER;
    return wl_lift_pick_lanes(l, l->exec_bits, index, WL_STRIP);
}

/* The lanes of memory vector `v` of n that active lanes own. */
static LLVMValueRef spread_mask(struct wl_lift *l, LLVMValueRef exec, unsigned n, unsigned v) {
    if (!exec || n == 1)
        return exec;
    if (!l->has_avx512)
        return pick_mask(l, n, n, v);
    int index[WL_STRIP];
    for (unsigned i = 0; i < WL_STRIP; i++)
        index[i] = (int)((v * WL_STRIP + i) / n);
    return shuffle(l, exec, exec, index);
}

static LLVMValueRef at(struct wl_lift *l, LLVMValueRef address, uint64_t offset) {
    return offset ? LLVMBuildAdd(l->b, address, LLVMConstInt(l->i64, offset, false), "") : address;
}

/* Whether the dwords that a lane owns of every `n` are one pair: what its mask has to have as one element. */
static bool has_pairs(const struct wl_access *access, unsigned n) { return access->dwords == 2 && n % 2 == 0; }

enum wl_vector_needs wl_memory_vector_needs(const struct wl_lift *l, const struct wl_access *access, unsigned stride) {
    const bool gaps = stride > wl_access_size(access), overlap = stride < wl_access_size(access);
    if (access->local || access->bits < 32 || overlap || !(l->exec || gaps))
        return WL_NEEDS_NOTHING;
    if (access->dwords == 2)
        return has_pairs(access, stride / 4) ? WL_NEEDS_NOTHING : WL_NEEDS_ONE_PAGE;
    if (access->dwords != 4)
        return WL_NEEDS_NOTHING;
    /* Hosts without mask registers store under a mask element by element, some of them. */
    return access->kind == WL_ACCESS_STORE && !l->has_avx512 ? WL_NEEDS_ALL_LANES : WL_NEEDS_ONE_PAGE;
}

enum { PAIRS = WL_STRIP / 2 };

/* <8 x i1>, or NULL for all: the pairs of dwords of memory vector `v` that active lanes own: the first pair of every `n` dwords (2 or 4). */
static LLVMValueRef pair_mask(struct wl_lift *l, LLVMValueRef exec, unsigned n, unsigned v) {
    unsigned lane[PAIRS];
    LLVMValueRef owned[PAIRS], order[PAIRS];
    if (!exec && n == 2)
        return NULL;
    for (unsigned i = 0; i < PAIRS; i++) {
        const unsigned dword = (v * PAIRS + i) * 2;
        lane[i] = dword % n ? NEVER : dword / n;
        owned[i] = LLVMConstInt(l->i1, lane[i] != NEVER, false);
        order[i] = lane[i] == NEVER ? LLVMGetPoison(l->i32) : LLVMConstInt(l->i32, lane[i], false);
    }
    if (!exec)
        return LLVMConstVector(owned, PAIRS);
    if (!l->has_avx512)
        return wl_lift_pick_lanes(l, l->exec_bits, lane, PAIRS);
    LLVMValueRef lanes = LLVMBuildShuffleVector(l->b, exec, LLVMGetPoison(LLVMTypeOf(exec)), LLVMConstVector(order, PAIRS), "");
    return n == 2 ? lanes : LLVMBuildSelect(l->b, LLVMConstVector(owned, PAIRS), lanes, LLVMConstNull(LLVMTypeOf(lanes)), "");
}

/* The mask of memory vector `v` of lanes that own `used` dwords of every `n`. */
static LLVMValueRef gap_mask(struct wl_lift *l, LLVMValueRef exec, unsigned n, unsigned used, unsigned v) {
    if (exec && !l->has_avx512)
        return pick_mask(l, n, used, v);
    LLVMValueRef bits[WL_STRIP], lanes = spread_mask(l, exec, n, v);
    if (used == n)
        return lanes;
    for (unsigned i = 0; i < WL_STRIP; i++)
        bits[i] = LLVMConstInt(l->i1, (v * WL_STRIP + i) % n < used, false);
    LLVMValueRef owned = LLVMConstVector(bits, WL_STRIP);
    return lanes ? LLVMBuildAnd(l->b, lanes, owned, "") : owned;
}

/* Memory vector `v` of lanes that own the first dwords of every `n`. */
static LLVMValueRef load_dwords(struct wl_lift *l, const struct wl_access *access, LLVMValueRef start, LLVMValueRef exec, unsigned n,
                                unsigned v) {
    LLVMValueRef address = at(l, start, UINT64_C(64) * v);
    LLVMValueRef mask = has_pairs(access, n) ? pair_mask(l, exec, n, v) : gap_mask(l, exec, n, access->dwords, v);
    if (!mask || !has_pairs(access, n))
        return vector_load(l, l->strip_i32, address, mask, access->is_volatile);
    return LLVMBuildBitCast(l->b, vector_load(l, LLVMVectorType(l->i64, PAIRS), address, mask, access->is_volatile), l->strip_i32, "");
}

static void store_dwords(struct wl_lift *l, const struct wl_access *access, LLVMValueRef value, LLVMValueRef start, LLVMValueRef exec,
                         unsigned n, unsigned v) {
    LLVMValueRef address = at(l, start, UINT64_C(64) * v);
    LLVMValueRef mask = has_pairs(access, n) ? pair_mask(l, exec, n, v) : gap_mask(l, exec, n, access->dwords, v);
    if (mask && has_pairs(access, n))
        value = LLVMBuildBitCast(l->b, value, LLVMVectorType(l->i64, PAIRS), "");
    vector_store(l, value, address, mask, access->is_volatile);
}

void wl_memory_load_consecutive(struct wl_lift *l, const struct wl_access *access, LLVMValueRef start, LLVMValueRef exec,
                                LLVMValueRef *rows) {
    if (access->bits < 32) {
        LLVMTypeRef type = LLVMVectorType(element_type(l, access->bits), WL_STRIP);
        rows[0] = extend(l, access, vector_load(l, type, start, exec, access->is_volatile), l->strip_i32);
        return;
    }
    LLVMValueRef vectors[WL_MAX_ROWS];
    for (unsigned v = 0; v < access->dwords; v++)
        vectors[v] = load_dwords(l, access, start, exec, access->dwords, v);
    wl_memory_deinterleave(l, access->dwords, vectors, rows);
}

void wl_memory_store_consecutive(struct wl_lift *l, const struct wl_access *access, LLVMValueRef start, LLVMValueRef exec,
                                 LLVMValueRef *rows) {
    if (access->bits < 32) {
        LLVMTypeRef type = LLVMVectorType(element_type(l, access->bits), WL_STRIP);
        vector_store(l, LLVMBuildTrunc(l->b, rows[0], type, ""), start, exec, access->is_volatile);
        return;
    }
    LLVMValueRef vectors[WL_MAX_ROWS];
    wl_memory_interleave(l, access->dwords, rows, vectors);
    if (wl_memory_vector_needs(l, access, wl_access_size(access)) == WL_NEEDS_ALL_LANES)
        exec = NULL;
    for (unsigned v = 0; v < access->dwords; v++)
        store_dwords(l, access, vectors[v], start, exec, access->dwords, v);
}

LLVMValueRef wl_memory_load_pairs(struct wl_lift *l, LLVMValueRef start, LLVMValueRef exec, bool is_volatile) {
    LLVMValueRef halves[2], order[WL_STRIP];
    for (unsigned v = 0; v < 2; v++)
        halves[v] = vector_load(l, LLVMVectorType(l->i64, PAIRS), at(l, start, UINT64_C(64) * v), pair_mask(l, exec, 2, v), is_volatile);
    for (unsigned i = 0; i < WL_STRIP; i++)
        order[i] = LLVMConstInt(l->i32, i, false);
    return LLVMBuildShuffleVector(l->b, halves[0], halves[1], LLVMConstVector(order, WL_STRIP), "");
}

void wl_memory_store_pairs(struct wl_lift *l, LLVMValueRef pairs, LLVMValueRef start, LLVMValueRef exec, bool is_volatile) {
    for (unsigned v = 0; v < 2; v++) {
        LLVMValueRef order[PAIRS];
        for (unsigned i = 0; i < PAIRS; i++)
            order[i] = LLVMConstInt(l->i32, v * PAIRS + i, false);
        LLVMValueRef half = LLVMBuildShuffleVector(l->b, pairs, LLVMGetPoison(LLVMTypeOf(pairs)), LLVMConstVector(order, PAIRS), "");
        vector_store(l, half, at(l, start, UINT64_C(64) * v), pair_mask(l, exec, 2, v), is_volatile);
    }
}

void wl_memory_load_strided(struct wl_lift *l, const struct wl_access *access, LLVMValueRef start, unsigned stride, LLVMValueRef exec,
                            LLVMValueRef *rows) {
    LLVMValueRef vectors[WL_MAX_ROWS], all[WL_MAX_ROWS];
    unsigned n = stride / 4;
    for (unsigned d = 0; n == 1 && d < access->dwords; d++)
        rows[d] = vector_load(l, l->strip_i32, at(l, start, UINT64_C(4) * d), exec, false);
    if (n == 1)
        return;
    for (unsigned v = 0; v < n; v++)
        vectors[v] = load_dwords(l, access, start, exec, n, v);
    wl_memory_deinterleave(l, n, vectors, all);
    memcpy(rows, all, access->dwords * sizeof *rows);
}

void wl_memory_store_strided(struct wl_lift *l, const struct wl_access *access, LLVMValueRef start, unsigned stride, LLVMValueRef exec,
                             LLVMValueRef *rows) {
    LLVMValueRef vectors[WL_MAX_ROWS], all[WL_MAX_ROWS];
    unsigned n = stride / 4;
    for (unsigned d = 0; d < n; d++)
        all[d] = d < access->dwords ? rows[d] : LLVMGetPoison(l->strip_i32);
    wl_memory_interleave(l, n, all, vectors);
    for (unsigned v = 0; v < n; v++)
        store_dwords(l, access, vectors[v], start, exec, n, v);
}

LLVMTypeRef wl_memory_whole(struct wl_lift *l, unsigned bytes) {
    return bytes == 16 ? LLVMVectorType(l->i32, 4) : LLVMIntTypeInContext(l->context, bytes * 8);
}

/* Dwords that are moved at once, of the `left` ones. */
static unsigned words_at_once(unsigned left) { return left >= 4 ? 4 : left >= 2 ? 2 : 1; }

/* Four dwords, of which the code generator would broadcast each by a load of its own if it saw where they come from. */
static LLVMValueRef load_four(struct wl_lift *l, LLVMValueRef address, bool is_volatile) {
    LLVMTypeRef type = wl_memory_whole(l, 16), floats = LLVMVectorType(l->f32, 4);
    LLVMValueRef value = wl_memory_load(l, type, address, is_volatile);
    value = LLVMBuildBitCast(l->b, value, floats, "");
    return LLVMBuildBitCast(l->b, wl_lift_intrinsic(l, "llvm.arithmetic.fence", &floats, 1, &value, 1), type, "");
}

void wl_memory_load_words(struct wl_lift *l, LLVMValueRef address, unsigned dwords, bool is_volatile, LLVMValueRef *words) {
    for (unsigned d = 0, n; d < dwords; d += n) {
        LLVMValueRef from = at(l, address, UINT64_C(4) * d);
        n = words_at_once(dwords - d);
        LLVMValueRef value = n == 4 ? load_four(l, from, is_volatile) : wl_memory_load(l, wl_memory_whole(l, 4 * n), from, is_volatile);
        for (unsigned i = 0; i < n; i++) {
            if (n == 4)
                words[d + i] = LLVMBuildExtractElement(l->b, value, LLVMConstInt(l->i32, i, false), "");
            else if (i)
                words[d + i] = LLVMBuildTrunc(l->b, LLVMBuildLShr(l->b, value, LLVMConstInt(l->i64, 32, false), ""), l->i32, "");
            else
                words[d] = LLVMBuildTruncOrBitCast(l->b, value, l->i32, "");
        }
    }
}

/* Dwords as what `n` of them are in memory. */
static LLVMValueRef join_words(struct wl_lift *l, const LLVMValueRef *words, unsigned n) {
    if (n == 1)
        return words[0];
    LLVMTypeRef type = LLVMVectorType(l->i32, n);
    LLVMValueRef value = LLVMGetPoison(type);
    for (unsigned i = 0; i < n; i++)
        value = LLVMBuildInsertElement(l->b, value, words[i], LLVMConstInt(l->i32, i, false), "");
    return LLVMBuildBitCast(l->b, value, wl_memory_whole(l, 4 * n), "");
}

void wl_memory_store_words(struct wl_lift *l, LLVMValueRef address, unsigned dwords, bool is_volatile, const LLVMValueRef *words) {
    for (unsigned d = 0, n; d < dwords; d += n) {
        n = words_at_once(dwords - d);
        wl_memory_store(l, join_words(l, words + d, n), at(l, address, UINT64_C(4) * d), is_volatile);
    }
}

void wl_memory_load_uniform(struct wl_lift *l, const struct wl_access *access, LLVMValueRef address, LLVMValueRef *rows) {
    LLVMValueRef words[WL_MAX_ROWS];
    if (access->bits < 32) {
        LLVMValueRef value = wl_memory_load(l, element_type(l, access->bits), address, access->is_volatile);
        rows[0] = wl_strip_splat(l, extend(l, access, value, l->i32));
        return;
    }
    if (access->local) { /* dword by dword: hosts load and broadcast in one instruction, and nobody else writes meanwhile */
        for (unsigned d = 0; d < access->dwords; d++)
            words[d] = wl_memory_load(l, l->i32, at(l, address, UINT64_C(4) * d), access->is_volatile);
    } else {
        wl_memory_load_words(l, address, access->dwords, access->is_volatile, words);
    }
    for (unsigned d = 0; d < access->dwords; d++)
        rows[d] = wl_strip_splat(l, words[d]);
}

bool wl_memory_stores_last(const struct wl_lift *l, const struct wl_access *access) {
    return access->local && access->bits == 32 && access->dwords == 1 && (!l->exec || l->has_avx512) && !wl_sanitizes(l);
}

void wl_memory_store_uniform(struct wl_lift *l, LLVMValueRef address, LLVMValueRef row) {
    LLVMValueRef lane = wl_lift_int(l, l->i32, l->exec ? 0 : WL_STRIP - 1);
    if (l->exec) { /* the host brings the last active lane to the front */
        LLVMValueRef arguments[2] = {LLVMBuildZExt(l->b, wl_memory_mask(l), l->i32, ""), LLVMConstInt(l->i1, 1, false)};
        LLVMValueRef zeros = wl_lift_intrinsic(l, "llvm.ctlz", &l->i32, 1, arguments, 2);
        LLVMValueRef last = LLVMBuildLShr(l->b, wl_lift_int(l, l->i32, UINT32_C(1) << 31), zeros, "");
        LLVMValueRef packing[3] = {row, LLVMConstNull(l->strip_i32), wl_lift_lanes(l, LLVMBuildTrunc(l->b, last, l->i16, ""), WL_STRIP)};
        row = wl_lift_intrinsic(l, "llvm.x86.avx512.mask.compress", &l->strip_i32, 1, packing, 3);
    }
    wl_memory_store(l, LLVMBuildExtractElement(l->b, row, lane, ""), address, false);
}

static LLVMValueRef dword_row(struct wl_lift *l, LLVMValueRef start, unsigned d) { return at(l, start, (uint64_t)d * l->wave_size * 4); }

void wl_memory_load_private(struct wl_lift *l, const struct wl_access *access, LLVMValueRef start, LLVMValueRef shift, LLVMValueRef *rows) {
    /* All lanes' scratch exists, so inactive lanes may be read. */
    for (unsigned d = 0; d < access->dwords; d++)
        rows[d] = wl_memory_load(l, l->strip_i32, dword_row(l, start, d), access->is_volatile);
    if (access->bits >= 32)
        return;
    LLVMTypeRef narrow = LLVMVectorType(element_type(l, access->bits), WL_STRIP);
    LLVMValueRef down = LLVMBuildLShr(l->b, rows[0], wl_strip_splat(l, shift), "");
    rows[0] = extend(l, access, LLVMBuildTrunc(l->b, down, narrow, ""), l->strip_i32);
}

void wl_memory_store_private(struct wl_lift *l, const struct wl_access *access, LLVMValueRef start, LLVMValueRef shift, LLVMValueRef exec,
                             LLVMValueRef *rows) {
    bool masks = wl_memory_has_masks(l, 32) && !access->is_volatile;
    for (unsigned d = 0; d < access->dwords; d++) {
        LLVMValueRef address = dword_row(l, start, d), value = rows[d];
        if (access->bits < 32) {
            LLVMValueRef up = wl_strip_splat(l, shift);
            LLVMValueRef field = wl_strip_splat(l, LLVMConstInt(l->i32, (UINT64_C(1) << access->bits) - 1, false));
            LLVMValueRef old = wl_memory_load(l, l->strip_i32, address, access->is_volatile);
            LLVMValueRef kept = LLVMBuildAnd(l->b, old, LLVMBuildNot(l->b, LLVMBuildShl(l->b, field, up, ""), ""), "");
            value = LLVMBuildOr(l->b, kept, LLVMBuildShl(l->b, LLVMBuildAnd(l->b, value, field, ""), up, ""), "");
        }
        if (exec && !masks) /* nobody else can write an inactive lane's scratch meanwhile */
            value = LLVMBuildSelect(l->b, exec, value, wl_memory_load(l, l->strip_i32, address, access->is_volatile), "");
        vector_store(l, value, address, masks ? exec : NULL, access->is_volatile);
    }
}
