/* What matrix.h describes, in vectors of 16 lanes. Compiled by clang, once for each kind of host: WL_MATRIX_RUN names the copy.
 *
 * A and B are converted to f32 first, element by element of the lanes: staged[e * 64 + lane]. A row of D is then a sum of rows of
 * B, each times one element of A. Integers are exact in f32: no sum reaches 2^24. */
#include "machine/matrix.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#define INLINE static inline __attribute__((always_inline))
enum { LANES = 64, MOST_ELEMENTS = 64, MOST_ROWS = 32, MOST_DOT_ELEMENTS = 32 /* of a lane, in matrix_dot.h */ };

typedef __attribute__((ext_vector_type(16))) float f32x16;
typedef __attribute__((ext_vector_type(16))) uint32_t u32x16;
typedef __attribute__((ext_vector_type(16))) int32_t i32x16;
typedef __attribute__((ext_vector_type(16))) uint16_t u16x16;
typedef __attribute__((ext_vector_type(16))) _Float16 f16x16;
typedef __attribute__((ext_vector_type(16))) uint64_t u64x16;
typedef __attribute__((ext_vector_type(16))) double f64x16;

#define CONVERT(type, x) __builtin_convertvector(x, type)
#define FMA(a, b, c)     __builtin_elementwise_fma(a, b, c)

struct matrix {
    uint32_t wave_size, modifiers;
    unsigned a, b, d, m, blocks, layout; /* as in the row */
    unsigned groups, stride;             /* of lanes that share out K */
    unsigned a_elements, b_elements;     /* of a lane */
    bool sparse, flush, long_index;
};

INLINE unsigned field(const struct matrix *x, unsigned position, unsigned bits) { return x->modifiers >> position & ((1u << bits) - 1); }

INLINE u32x16 load(const void *p) {
    u32x16 v;
    memcpy(&v, p, sizeof v);
    return v;
}
INLINE f32x16 loadf(const void *p) { return (f32x16)load(p); }
INLINE void store(void *p, u32x16 v) { memcpy(p, &v, sizeof v); }

/* ---- numbers ---- */

INLINE f32x16 from_half(u32x16 bits) {
#if defined(__F16C__) || defined(__aarch64__)
    return CONVERT(f32x16, (f16x16)CONVERT(u16x16, bits));
#else
    const u32x16 size = bits & 0x7fff, wide = (u32x16)((f32x16)(size << 13) * 0x1p112f);
    return (f32x16)((size >= 0x7c00 ? size << 13 | 0x7f800000 : wide) | (bits & 0x8000) << 16);
#endif
}

INLINE u32x16 to_half(f32x16 v) {
#if defined(__F16C__) || defined(__aarch64__)
    return CONVERT(u32x16, (u16x16)CONVERT(f16x16, v));
#else
    const u32x16 bits = (u32x16)v, sign = bits >> 16 & 0x8000, size = bits & 0x7fffffff;
    const u32x16 tiny = (u32x16)((f32x16)size + 0.5f) - 0x3f000000; /* below 2^-14: the addition rounds */
    const u32x16 normal = (size + 0xfff + (size >> 13 & 1) - 0x38000000) >> 13;
    const u32x16 large = size > 0x7f800000 ? (size >> 13 & 0x3ff) | 0x7e00 : (u32x16)0x7c00;
    return sign | (size >= 0x477ff000 ? large : size < 0x38800000 ? tiny : normal);
#endif
}

INLINE u32x16 to_bf16(f32x16 v) {
    const u32x16 bits = (u32x16)v, rounded = bits + 0x7fff + (bits >> 16 & 1);
    return (v == v ? rounded : bits | 0x00400000) >> 16;
}

INLINE f32x16 round_to_xf32(u32x16 bits) {
    return (f32x16)((bits & 0x7f800000) == 0x7f800000 ? bits : (bits + 0xfff + (bits >> 13 & 1)) & ~0x1fffu);
}

/* FNUZ: the bias is one more, and of all special values there is one NaN, at minus zero. */
INLINE f32x16 from_fp8(u32x16 byte, bool fnuz) {
    const u32x16 size = byte & 0x7f, sign = (byte & 0x80) << 24;
    const u32x16 value = (u32x16)((f32x16)(size << 20) * (fnuz ? 0x1p119f : 0x1p120f)) | sign;
    return (f32x16)((fnuz ? byte == 0x80 : size == 0x7f) ? sign | 0x7fc00000 : value);
}
INLINE f32x16 from_bf8(u32x16 byte, bool fnuz) {
    const u32x16 size = byte & 0x7f, sign = (byte & 0x80) << 24;
    if (!fnuz)
        return from_half(byte << 8);
    const u32x16 value = (u32x16)((f32x16)(size << 21) * 0x1p111f) | sign;
    return (f32x16)(byte == 0x80 ? (u32x16)0x7fc00000 : value);
}

/* Element `e` of a register's dwords. */
INLINE f32x16 element(u32x16 dword, unsigned e, unsigned kind, bool fnuz, bool is_signed) {
    switch (kind) {
    case WL_MATRIX_F32:
        return (f32x16)dword;
    case WL_MATRIX_XF32:
        return round_to_xf32(dword);
    case WL_MATRIX_F16:
        return from_half(dword >> 16 * e & 0xffff);
    case WL_MATRIX_BF16:
        return (f32x16)(e ? dword & 0xffff0000 : dword << 16);
    case WL_MATRIX_FP8:
        return from_fp8(dword >> 8 * e & 0xff, fnuz);
    case WL_MATRIX_BF8:
        return from_bf8(dword >> 8 * e & 0xff, fnuz);
    case WL_MATRIX_I8:
        return CONVERT(f32x16, is_signed ? (i32x16)(dword << (24 - 8 * e)) >> 24 : (i32x16)(dword >> 8 * e & 0xff));
    default:
        return CONVERT(f32x16, is_signed ? (i32x16)(dword << (28 - 4 * e)) >> 28 : (i32x16)(dword >> 4 * e & 0xf));
    }
}

INLINE unsigned per_dword(unsigned kind) { return kind <= WL_MATRIX_XF32 ? 1 : kind <= WL_MATRIX_BF16 ? 2 : kind == WL_MATRIX_I4 ? 8 : 4; }

INLINE f32x16 without_denormals(f32x16 v) {
    const u32x16 bits = (u32x16)v;
    return (f32x16)((bits & 0x7f800000) == 0 ? bits & 0x80000000 : bits);
}
/* Halves of a register, denormals as zero. */
INLINE u32x16 flushed_halves(u32x16 dword) {
    const u32x16 low = (dword & 0x7c00) == 0 ? dword & 0x8000 : dword & 0xffff;
    return low | ((dword & 0x7c000000) == 0 ? dword & 0x80000000 : dword & 0xffff0000);
}

/* ---- staging ---- */

/* gfx11's other lanes repeat the first 16. */
INLINE unsigned staged_lanes(const struct matrix *x) { return x->layout == WL_MATRIX_WMMA11 ? 16 : x->wave_size; }

INLINE void stage_kind(float *staged, const uint32_t *rows, unsigned elements, const struct matrix *x, unsigned kind, bool is_signed) {
    const unsigned each = per_dword(kind);
    const bool fnuz = x->layout == WL_MATRIX_MFMA && !(x->modifiers & WL_MATRIX_OCP);
    for (unsigned r = 0; r < (elements + each - 1) / each; r++)
        for (unsigned l = 0; l < staged_lanes(x); l += 16) {
            u32x16 dword = load(rows + r * x->wave_size + l);
            if (kind == WL_MATRIX_F16 && x->flush)
                dword = flushed_halves(dword);
#pragma unroll
            for (unsigned e = 0; e < each; e++)
                store(staged + (r * each + e) * LANES + l, (u32x16)element(dword, e, kind, fnuz, is_signed));
        }
}

/* `operand`: 0 for A, 1 for B: the modifiers' bit. */
static void stage(float *staged, const uint32_t *rows, unsigned elements, const struct matrix *x, unsigned kind, unsigned operand) {
    const bool low = field(x, WL_MATRIX_NEG_LO, 3) >> operand & 1, high = field(x, WL_MATRIX_NEG_HI, 3) >> operand & 1;
    const bool is_signed = x->layout == WL_MATRIX_MFMA || low;
    switch (kind) {
#define KIND(k)                                                                                                                            \
    case k:                                                                                                                                \
        stage_kind(staged, rows, elements, x, k, is_signed);                                                                               \
        break
        KIND(WL_MATRIX_F32);
        KIND(WL_MATRIX_XF32);
        KIND(WL_MATRIX_F16);
        KIND(WL_MATRIX_BF16);
        KIND(WL_MATRIX_FP8);
        KIND(WL_MATRIX_BF8);
        KIND(WL_MATRIX_I8);
        KIND(WL_MATRIX_I4);
    default:
        break;
    }
    if (x->flush && kind == WL_MATRIX_BF16)
        for (unsigned i = 0; i < elements * LANES; i += 16)
            store(staged + i, (u32x16)without_denormals(loadf(staged + i)));
    if ((low || high) && (kind == WL_MATRIX_F16 || kind == WL_MATRIX_BF16))
        for (unsigned e = 0; e < elements; e++)
            for (unsigned l = 0; l < staged_lanes(x) && (e & 1 ? high : low); l++)
                staged[e * LANES + l] = -staged[e * LANES + l];
}

/* blgp: 1, 2: the lower or upper 32 lanes for both halves; 3: rotated by 16 lanes; 4 to 7: one row of 16 lanes for all. As numbers: a
 * switch for each lane is what LLVM 22.1 vectorizes wrongly (for AVX2 and AVX-512, cases 4 to 7 as case 0). */
struct moved {
    unsigned by, keep, set; /* lane l is that of number ((l + by) & keep) | set */
};
static struct moved b_lanes(unsigned pattern) {
    static const struct moved moved[] = {{0, 63, 0}, {0, 31, 0}, {0, 63, 32}, {16, 63, 0}};
    return pattern < 4 ? moved[pattern] : (struct moved){0, 15, (pattern & 3) << 4};
}

static void move_lanes(const struct matrix *x, float *a, float *b) {
    const unsigned cbsz = field(x, WL_MATRIX_CBSZ, 3), abid = field(x, WL_MATRIX_ABID, 4), blgp = field(x, WL_MATRIX_BLGP, 3);
    const struct moved moved = b_lanes(blgp);
    float was[LANES];
    for (unsigned e = 0; cbsz && x->blocks > 1 && e < x->a_elements; e++) {
        const unsigned together = (1u << cbsz) < x->blocks ? 1u << cbsz : x->blocks;
        memcpy(was, a + e * LANES, sizeof was);
        for (unsigned l = 0; l < LANES; l++) {
            const unsigned block = l / x->m % x->blocks, from = (block & ~(together - 1)) + (abid & (together - 1));
            a[e * LANES + l] = was[l - block * x->m + from * x->m];
        }
    }
    for (unsigned e = 0; blgp && e < x->b_elements; e++) {
        memcpy(was, b + e * LANES, sizeof was);
        for (unsigned l = 0; l < LANES; l++)
            b[e * LANES + l] = was[((l + moved.by) & moved.keep) | moved.set];
    }
}

/* SWMMAC with 4-bit elements, K = 32, wave64: A fills two groups of lanes, B four, of which 0 and 2 go with A's 0. */
static void gather_b(float *b) {
    float was[8 * LANES];
    memcpy(was, b, sizeof was);
    for (unsigned e = 0; e < 16; e++)
        for (unsigned l = 0; l < 32; l++)
            b[e * LANES + l] = was[e % 8 * LANES + l + e / 8 * 32];
}

/* ---- C and D ---- */

/* Where row m of the first block begins, in dwords from the first register: a register's lanes are consecutive. Other blocks follow
 * at distances of M * M. */
#define MFMA_16(m)   (64 * ((m) % 4) + 16 * ((m) / 4))
#define MFMA_32(m)   (64 * (4 * ((m) / 8) + (m) % 4) + 32 * ((m) / 4 % 2))
#define WMMA11(m)    (16 * (m)) /* both wave sizes: rows fill registers in turn */
#define WMMA12_32(m) (32 * ((m) % 8) + 16 * ((m) / 8))
#define WMMA12_64(m) (64 * ((m) % 4) + 16 * ((m) / 8) + 32 * ((m) / 4 % 2))
#define PACKED_32(m) (32 * ((m) % 8 / 2) + 16 * ((m) / 8))
#define PACKED_64(m) (64 * ((m) % 4 / 2) + 16 * ((m) / 8) + 32 * ((m) / 4 % 2))
#define EACH_OF_16(place)                                                                                                                  \
    place(0), place(1), place(2), place(3), place(4), place(5), place(6), place(7), place(8), place(9), place(10), place(11), place(12),   \
        place(13), place(14), place(15)
static const uint16_t mfma_16[] = {EACH_OF_16(MFMA_16)}, wmma11[] = {EACH_OF_16(WMMA11)},
                      wmma12[2][16] = {{EACH_OF_16(WMMA12_32)}, {EACH_OF_16(WMMA12_64)}},
                      packed[2][16] = {{EACH_OF_16(PACKED_32)}, {EACH_OF_16(PACKED_64)}};
static const uint16_t mfma_32[] = {EACH_OF_16(MFMA_32), MFMA_32(16), MFMA_32(17), MFMA_32(18), MFMA_32(19), MFMA_32(20),
                                   MFMA_32(21),         MFMA_32(22), MFMA_32(23), MFMA_32(24), MFMA_32(25), MFMA_32(26),
                                   MFMA_32(27),         MFMA_32(28), MFMA_32(29), MFMA_32(30), MFMA_32(31)};

INLINE bool is_packed(const struct matrix *x) { return x->layout == WL_MATRIX_WMMA12 && (x->d == WL_MATRIX_F16 || x->d == WL_MATRIX_BF16); }

static const uint16_t *places_of(const struct matrix *x) {
    if (x->layout == WL_MATRIX_MFMA)
        return x->m == 32 ? mfma_32 : mfma_16;
    if (x->layout == WL_MATRIX_WMMA11)
        return wmma11;
    return (is_packed(x) ? packed : wmma12)[x->wave_size == 64];
}

/* What is known about C and D when the code is made. */
enum form {
    PLAIN,   /* f32 without modifiers */
    FLUSHED, /* the same, denormals as zero */
    INTEGER, /* i32 */
    ANY,
};

INLINE f32x16 read_c(const struct matrix *x, enum form form, const uint32_t *c, uint32_t constant, bool high) {
    u32x16 bits = c ? load(c) : (u32x16)constant;
    if (form == FLUSHED)
        return without_denormals((f32x16)bits);
    if (form == PLAIN || x->d == WL_MATRIX_I32)
        return (f32x16)bits;
    const bool mfma = x->layout == WL_MATRIX_MFMA, neg = !mfma && x->modifiers >> (WL_MATRIX_NEG_LO + 2) & 1;
    const bool abs = !mfma && x->modifiers >> (WL_MATRIX_NEG_HI + 2) & 1;
    if (x->d != WL_MATRIX_F32) {
        bits = c && high ? bits >> 16 : bits & 0xffff;
        bits = x->d == WL_MATRIX_F16 ? (u32x16)from_half(bits) : bits << 16;
    }
    bits = abs ? bits & 0x7fffffff : bits;
    bits = neg ? bits ^ 0x80000000 : bits;
    return x->flush ? without_denormals((f32x16)bits) : (f32x16)bits;
}

INLINE void write_d(const struct matrix *x, enum form form, uint32_t *d, f32x16 sum, f32x16 c, bool high) {
    if (form == PLAIN) {
        store(d, (u32x16)sum);
    } else if (form == FLUSHED) {
        store(d, (u32x16)without_denormals(sum));
    } else if (form == INTEGER || x->d == WL_MATRIX_I32) {
        const i32x16 integer = CONVERT(i32x16, sum);
        store(d, x->modifiers & WL_MATRIX_CLAMP ? (u32x16)__builtin_elementwise_add_sat((i32x16)c, integer) : (u32x16)c + (u32x16)integer);
    } else if (x->d == WL_MATRIX_F32) {
        store(d, (u32x16)(x->flush ? without_denormals(sum) : sum));
    } else {
        const u32x16 bits = x->d == WL_MATRIX_F16 ? to_half(sum) : to_bf16(sum), old = load(d);
        store(d, high ? (old & 0xffff) | bits << 16 : (old & 0xffff0000) | bits);
    }
}

/* ---- the sums ---- */

static bool overlaps(const uint32_t *p, size_t p_size, const uint32_t *q, size_t q_size) { return p < q + q_size && q < p + p_size; }

/* Products that are added up, one after the other, are runs of columns of A and rows of B: one for each product and group of lanes. */
enum { MOST_GROUPS = 4, MOST_RUNS = WL_MATRIX_CHAIN * MOST_GROUPS };

struct operands {
    uint32_t *d;
    const float *a[MOST_RUNS], *b[MOST_RUNS]; /* sparse, and blocks of 4: of the product */
    unsigned runs;
    const uint32_t *c;
    const uint64_t *index;
    uint32_t constant;
};

/* `rows` rows of one block, `width` * 16 columns: one vector of D for each of both. */
INLINE void dense_tile(f32x16 *sum, const struct operands *o, unsigned row, unsigned column, const struct matrix *x, unsigned rows,
                       unsigned width) {
    for (unsigned run = 0; run < o->runs; run++) {
        const float *a_lane = o->a[run] + row, *b_lane = o->b[run] + column;
        for (unsigned e = 0; e < x->a_elements; e++, a_lane += LANES, b_lane += LANES) {
            f32x16 columns[2];
#pragma unroll
            for (unsigned w = 0; w < width; w++)
                columns[w] = loadf(b_lane + 16 * w);
#pragma unroll
            for (unsigned r = 0; r < rows; r++)
#pragma unroll
                for (unsigned w = 0; w < width; w++)
                    sum[r * width + w] = FMA((f32x16)a_lane[r], columns[w], sum[r * width + w]);
        }
    }
}

/* The same with A's elements chosen by `index`: two bits each, of the lane that holds the row. */
INLINE void sparse_tile(f32x16 *sum, const float *a, const float *b, const uint64_t *index, const struct matrix *x, unsigned rows,
                        unsigned width) {
    for (unsigned g = 0; g < x->groups; g++)
        for (unsigned e = 0; e < x->a_elements; e++)
#pragma unroll
            for (unsigned r = 0; r < rows; r++) {
                const unsigned lane = g * x->stride, pick = (unsigned)(index[lane + r] >> 2 * e & 3);
                const float *columns = b + (4 * (e / 2) + pick) * LANES + lane;
#pragma unroll
                for (unsigned w = 0; w < width; w++)
                    sum[r * width + w] = FMA((f32x16)a[e * LANES + lane + r], loadf(columns + 16 * w), sum[r * width + w]);
            }
}

INLINE void multiply(const struct matrix *x, const struct operands *o, enum form form, bool sparse, unsigned rows, unsigned width) {
    const uint16_t *places = places_of(x);
    const bool alternating = is_packed(x), high = (x->modifiers & WL_MATRIX_HIGH) != 0;
    for (unsigned block = 0; block < x->blocks; block++)
        for (unsigned m = 0; m < 16 * width; m += rows) {
            const unsigned first = block * 256 * width * width;
            f32x16 sum[16], start[16];
#pragma unroll
            for (unsigned v = 0; v < rows * width; v++) {
                const unsigned r = v / width, at = first + places[m + r] + v % width * 16;
                start[v] = read_c(x, form, o->c ? o->c + at : NULL, o->constant, alternating ? (m + r) & 1 : high);
                sum[v] = form == INTEGER || x->d == WL_MATRIX_I32 ? (f32x16)0 : start[v];
            }
            if (sparse)
                sparse_tile(sum, o->a[0] + m, o->b[0], o->index + m, x, rows, width);
            else
                dense_tile(sum, o, block * 16 * width + m, block * 16 * width, x, rows, width);
#pragma unroll
            for (unsigned v = 0; v < rows * width; v++) {
                const unsigned r = v / width, at = first + places[m + r] + v % width * 16;
                write_d(x, form, o->d + at, sum[v], start[v], alternating ? (m + r) & 1 : high);
            }
        }
}

/* Rows of a tile: what the registers hold. Without the instruction for it a multiply-add is a call a lane: nothing is gained by
 * unrolling those. */
#if defined(__AVX512F__) || defined(__aarch64__)
#define TILE(rows, rows_avx2) (rows)
#elif defined(__FMA__)
#define TILE(rows, rows_avx2) (rows_avx2)
#else
#define TILE(rows, rows_avx2) 1
#endif

static void multiply_dense(const struct matrix *x, const struct operands *o) {
    enum { C_MODIFIERS = 4 << WL_MATRIX_NEG_LO | 4 << WL_MATRIX_NEG_HI };
    const bool modified = x->layout != WL_MATRIX_MFMA && x->modifiers & C_MODIFIERS;
    const enum form form = x->d == WL_MATRIX_I32 ? INTEGER : x->d != WL_MATRIX_F32 || modified ? ANY : x->flush ? FLUSHED : PLAIN;
    if (x->m == 32 && form == PLAIN)
        multiply(x, o, PLAIN, false, TILE(8, 2), 2);
    else if (x->m == 32 && form == FLUSHED)
        multiply(x, o, FLUSHED, false, TILE(8, 2), 2);
    else if (x->m == 32 && form == INTEGER)
        multiply(x, o, INTEGER, false, TILE(4, 2), 2);
    else if (form == PLAIN)
        multiply(x, o, PLAIN, false, TILE(16, 4), 1);
    else if (form == FLUSHED)
        multiply(x, o, FLUSHED, false, TILE(16, 4), 1);
    else if (form == INTEGER)
        multiply(x, o, INTEGER, false, TILE(8, 4), 1);
    else
        multiply(x, o, ANY, false, TILE(8, 4), 1);
}

static void multiply_sparse(const struct matrix *x, const struct operands *o) {
    if (x->m == 32)
        multiply(x, o, ANY, true, TILE(4, 2), 2);
    else
        multiply(x, o, ANY, true, TILE(8, 4), 1);
}

/* 16 blocks of 4 * 4: a register of D is row `m` of all of them. SPREAD repeats the m-th of each four elements. */
#define SPREAD(v, m)                                                                                                                       \
    __builtin_shufflevector(v, v, m, m, m, m, m + 4, m + 4, m + 4, m + 4, m + 8, m + 8, m + 8, m + 8, m + 12, m + 12, m + 12, m + 12)
#define SPREAD_ANY(v, m) ((m) == 0 ? SPREAD(v, 0) : (m) == 1 ? SPREAD(v, 1) : (m) == 2 ? SPREAD(v, 2) : SPREAD(v, 3))
static void multiply_4x4(const struct matrix *x, const struct operands *o) {
    for (unsigned l = 0; l < LANES; l += 16)
#pragma unroll
        for (unsigned m = 0; m < 4; m++) {
            const unsigned at = m * LANES + l;
            const f32x16 start = read_c(x, ANY, o->c ? o->c + at : NULL, o->constant, false);
            f32x16 sum = x->d == WL_MATRIX_I32 ? (f32x16)0 : start;
            for (unsigned e = 0; e < x->a_elements; e++) {
                const f32x16 v = loadf(o->a[0] + e * LANES + l);
                sum = FMA(SPREAD_ANY(v, m), loadf(o->b[0] + e * LANES + l), sum);
            }
            write_d(x, ANY, o->d + at, sum, start, false);
        }
}

/* ---- products that are added up ---- */

/* Converted elements of the products of a chain. The next chain may multiply by the same registers, as neighbouring tiles of a matrix do.
 */
struct stage {
    _Alignas(64) uint32_t element[WL_MATRIX_CHAIN][MOST_ELEMENTS * LANES];
    const uint32_t *of[WL_MATRIX_CHAIN]; /* NULL: nothing */
    struct bounds {
        int most, least;       /* exponents of the largest element and of the smallest that is not zero; both 0: all are zero */
        int last;              /* exponent of the last bit that any element has */
    } bounds[WL_MATRIX_CHAIN]; /* in matrix_hardware.h alone */
    bool pairs;                /* they are pairs of bf16, else f32 */
};

struct chain {
    const struct wl_matrix_product *product[WL_MATRIX_CHAIN];
    unsigned products;
    struct stage *a, *b;
};

/* Whether registers have to be converted for the product of this number; notes that they are. */
INLINE bool must_stage(struct stage *s, unsigned p, const uint32_t *rows, bool pairs) {
    for (unsigned i = 0; i < WL_MATRIX_CHAIN && s->pairs != pairs; i++)
        s->of[i] = NULL;
    s->pairs = pairs;
    const bool must = s->of[p] != rows;
    s->of[p] = rows;
    return must;
}

#if defined(__AVX512VNNI__) && defined(__AVX512BF16__) && defined(__AVX512VBMI__)
#include "device/cpu/helpers/matrix_dot.h"
#else
#define RUN_DOT(x, o, chain, size) false
#endif

/* ---- f64: four lanes of a column hold its four elements of K ---- */

INLINE f64x16 load_pair(const uint32_t *rows, bool negate) {
    const u64x16 bits = CONVERT(u64x16, load(rows)) | CONVERT(u64x16, load(rows + LANES)) << 32;
    return (f64x16)(bits ^ (uint64_t)negate << 63);
}
INLINE void store_pair(uint32_t *rows, f64x16 v) {
    store(rows, CONVERT(u32x16, (u64x16)v));
    store(rows + LANES, CONVERT(u32x16, (u64x16)v >> 32));
}

/* Register pair `pair` of D: its 16 lanes from 16 * g on are row 4 * pair + g, or row g of four blocks. */
static void multiply_f64(const struct matrix *x, uint32_t *d, const uint32_t *a_rows, const uint32_t *b_rows, const uint32_t *c,
                         uint64_t constant) {
    enum { K = 4 };
    const unsigned negate = field(x, WL_MATRIX_BLGP, 3);
    const uint64_t start = constant ^ (uint64_t)(negate >> 2) << 63;
    f64x16 a[K], b[K];
#pragma unroll
    for (unsigned k = 0; k < K; k++) {
        a[k] = load_pair(a_rows + 16 * k, negate & 1);
        b[k] = load_pair(b_rows + 16 * k, negate >> 1 & 1);
    }
    for (unsigned pair = 0; pair < (x->blocks == 1 ? 4 : 1); pair++)
#pragma unroll
        for (unsigned g = 0; g < 4; g++) {
            const unsigned at = 2 * pair * LANES + 16 * g;
            f64x16 sum = c ? load_pair(c + at, negate >> 2) : (f64x16)(u64x16)start;
#pragma unroll
            for (unsigned k = 0; k < K; k++)
                sum = FMA(x->blocks == 1 ? (f64x16)a[k][4 * pair + g] : SPREAD_ANY(a[k], g), b[k], sum);
            store_pair(d + at, sum);
        }
}

#include "device/cpu/helpers/matrix_f32.h"
#include "device/cpu/helpers/matrix_scaled.h"

/* D of bf16, with C of f32. */
static void multiply_to_bf16(uint32_t wave_size, const struct wl_matrix_product *product, const struct wl_matrix *row, uint32_t modifiers) {
    struct wl_matrix wide = *row;
    struct wl_matrix_product sum = *product;
    _Alignas(64) uint32_t d[16 * 16];
    wide.d = WL_MATRIX_F32;
    sum.d = d;
    WL_MATRIX_RUN(wave_size, &sum, 1, &wide, modifiers);
    for (unsigned r = 0; r < 8; r += 2)
        for (unsigned l = 0; l < wave_size; l += 16)
            store(product->d + r / 2 * wave_size + l, to_bf16(loadf(d + r * wave_size + l)) | to_bf16(loadf(d + (r + 1) * wave_size + l))
                                                                                                  << 16);
}

/* ---- one instruction ---- */

INLINE unsigned log_2(unsigned power) { return (unsigned)__builtin_ctz(power); }

static struct matrix describe(uint32_t wave_size, const struct wl_matrix *row, uint32_t modifiers) {
    struct matrix x = {.wave_size = wave_size,
                       .modifiers = modifiers,
                       .a = row->a,
                       .b = row->b,
                       .d = row->d,
                       .m = row->m,
                       .blocks = row->blocks,
                       .layout = row->layout,
                       .sparse = row->sparse,
                       .long_index = wl_matrix_has_long_index(row),
                       .flush = (modifiers & WL_MATRIX_FLUSH) != 0};
    const unsigned k = row->k, a_k = x.sparse ? k / 2 : k;
    x.stride = x.m * x.blocks;
    x.groups = 1;
    if (x.layout != WL_MATRIX_WMMA11) {
        const unsigned least = x.layout == WL_MATRIX_WMMA12 ? log_2(per_dword(x.a)) : 0, most = log_2(wave_size) - log_2(x.stride);
        x.groups = 1u << (log_2(a_k) - most < least ? log_2(a_k) - least : most);
    }
    x.a_elements = a_k >> log_2(x.groups);
    x.b_elements = k >> log_2(x.groups);
    return x;
}

/* Elements that need no conversion are used where they are, unless D would overwrite them. */
static bool in_place(const struct matrix *x, const uint32_t *rows, unsigned elements, const uint32_t *d, size_t d_size) {
    return x->a == WL_MATRIX_F32 && x->wave_size == LANES && !x->modifiers && !overlaps(rows, (size_t)elements * LANES, d, d_size);
}

/* Which set of indices: `key` on gfx12; on gfx9 abid, if cbsz is 0. */
static unsigned index_set(const struct matrix *x) {
    if (x->layout == WL_MATRIX_WMMA12)
        return field(x, WL_MATRIX_KEY, 2);
    return field(x, WL_MATRIX_CBSZ, 3) ? 0 : field(x, WL_MATRIX_ABID, 4);
}

/* Converts what a product multiplies, as far as the last chain did not, and lists it. */
static void stage_product(const struct matrix *x, struct operands *o, const struct chain *chain, unsigned p, size_t d_size) {
    const bool apart = x->sparse && x->b == WL_MATRIX_I4 && x->layout == WL_MATRIX_WMMA12 && x->groups * x->stride < x->wave_size;
    const bool moves = !x->sparse && x->layout == WL_MATRIX_MFMA && field(x, 0, WL_MATRIX_NEG_LO);
    const struct wl_matrix_product *product = chain->product[p];
    float *a = (float *)chain->a->element[p], *b = (float *)chain->b->element[p];
    if (in_place(x, product->a, x->a_elements, o->d, d_size) && in_place(x, product->b, x->b_elements, o->d, d_size)) {
        a = (float *)(uintptr_t)product->a; /* read only */
        b = (float *)(uintptr_t)product->b;
    } else {
        if (moves) /* the lanes that were moved are not those of the registers */
            chain->a->of[p] = chain->b->of[p] = NULL;
        if (must_stage(chain->a, p, product->a, false))
            stage(a, product->a, x->a_elements, x, x->a, 0);
        if (must_stage(chain->b, p, product->b, false))
            stage(b, product->b, apart ? 8 : x->b_elements, x, x->b, 1);
        if (apart)
            gather_b(b);
        if (moves)
            move_lanes(x, a, b);
    }
    for (unsigned g = 0; g < (x->groups < MOST_GROUPS ? x->groups : MOST_GROUPS); g++) {
        o->a[o->runs] = a + g * x->stride;
        o->b[o->runs++] = b + g * x->stride;
    }
}

#include "device/cpu/helpers/matrix_dots.h"
#include "device/cpu/helpers/matrix_hardware.h"

/* gfx1250's indices, two bits each, in the order of A's elements (matrix.h). With a key of 1 they begin in the middle, and are 0 behind the end. */
static void order_index(uint64_t *index, const uint32_t *rows, const struct matrix *x) {
    const unsigned entries = x->a_elements, run = entries / 2, first = field(x, WL_MATRIX_KEY, 1) * run;
    for (unsigned l = 0; l < x->wave_size; l++) {
        index[l] = 0;
        for (unsigned e = 0; e < entries; e++) {
            const unsigned k = (e / run * 2 + l / 16) * run + e % run, lane = l % 16 + k / entries * 16, at = k % entries + first;
            if (at < entries)
                index[l] |= (uint64_t)(rows[at / 16 * x->wave_size + lane] >> 2 * (at % 16) & 3) << 2 * e;
        }
    }
}

static void run_chain(const struct matrix *x, const struct chain *chain) {
    _Alignas(64) uint32_t copy[MOST_ROWS * LANES];
    uint64_t index[LANES];
    const struct wl_matrix_product *first = chain->product[0];
    const size_t size = (size_t)x->m * x->m * x->blocks >> is_packed(x), dwords = x->d == WL_MATRIX_F64 ? 2 * size : size; /* of C and D */
    struct operands o = {.d = first->d, .c = first->c, .index = index, .constant = (uint32_t)first->constant};
    if (x->long_index) {
        order_index(index, first->c, x);
        o.c = o.d;
    } else if (x->sparse) {
        const unsigned shift = index_set(x) * 2 * x->a_elements & 31;
        for (unsigned l = 0; l < x->wave_size; l++)
            index[l] = first->c[l] >> shift;
        o.c = o.d;
    } else if (o.c && o.c != o.d && overlaps(o.c, dwords, o.d, dwords)) {
        memcpy(copy, o.c, dwords * sizeof *copy);
        o.c = copy;
    }
    if (x->d == WL_MATRIX_F64) {
        multiply_f64(x, o.d, first->a, first->b, o.c, first->constant);
        return;
    }
    if (x->modifiers & (WL_MATRIX_PAIRED | WL_MATRIX_ALIGNED)) {
        run_hardware(x, &o, chain);
        return;
    }
    if (x->modifiers & WL_MATRIX_DOTS) {
        run_dots(x, &o, chain);
        return;
    }
    if (x->b_elements <= MOST_DOT_ELEMENTS && !x->long_index && RUN_DOT(x, &o, chain, size))
        return;
    for (unsigned p = 0; p < chain->products; p++)
        stage_product(x, &o, chain, p, size);
    if (x->m == 4)
        multiply_4x4(x, &o);
    else if (x->sparse)
        multiply_sparse(x, &o);
    else
        multiply_dense(x, &o);
}

/* Moves the first product that is not done, and those that add to the same D behind it, to a chain. `done`: bits of products. */
static uint32_t find_chain(struct chain *chain, const struct wl_matrix_product *product, uint32_t count, uint32_t done) {
    const uint32_t first = (uint32_t)__builtin_ctz(~done);
    chain->products = 0;
    for (uint32_t i = first; i < count && chain->products < WL_MATRIX_CHAIN; i++) {
        if (product[i].d != product[first].d || done >> i & 1)
            continue;
        if (i > first && product[i].c != product[i].d)
            break;
        done |= UINT32_C(1) << i;
        chain->product[chain->products++] = &product[i];
    }
    return done;
}

/* B's quads in the places of the pairs of A that they go with (wl_matrix_crosses). */
static void gather_quads(uint32_t *to, const uint32_t *b, const struct matrix *x) {
    const unsigned quads = x->b_elements / 4, size = 4 / per_dword(x->b); /* of a quad, in dwords */
    for (unsigned g = 0; g < x->groups; g++)
        for (unsigned p = 0; p < quads; p++) {
            const unsigned from = wl_matrix_quad_group(g, p, x->groups, quads), number = wl_matrix_quad_number(g, p, x->groups, quads);
            for (unsigned i = 0; i < size; i++)
                memcpy(to + (p * size + i) * LANES + g * x->stride, b + (number * size + i) * LANES + from * x->stride,
                       x->stride * sizeof *to);
        }
}

void WL_MATRIX_RUN(uint32_t wave_size, const struct wl_matrix_product *product, uint32_t count, const struct wl_matrix *row,
                   uint32_t modifiers) {
    if (run_f32(wave_size, product, count, row, modifiers))
        return;
    const struct matrix x = describe(wave_size, row, modifiers);
    struct stage a, b;
    struct chain chain = {.a = &a, .b = &b};
    struct wl_matrix_product gathered = *product;
    uint32_t quads[8 * LANES];
    const uint32_t all = (UINT32_C(1) << count) - 1;
    if (row->d == WL_MATRIX_BF16_OF_F32) {
        multiply_to_bf16(wave_size, product, row, modifiers);
        return;
    }
    if (row->scale_block && row->layout == WL_MATRIX_WMMA12) {
        multiply_scaled12(&x, (const struct wl_matrix_scaled *)product, row->scale_block);
        return;
    }
    if (row->scale_block) {
        multiply_scaled(&x, (const struct wl_matrix_scaled *)product, row->scale_block);
        return;
    }
    if (wl_matrix_crosses(row)) {
        gather_quads(quads, product->b, &x);
        gathered.b = quads;
        product = &gathered; /* the only one */
    }
    for (unsigned p = 0; p < WL_MATRIX_CHAIN; p++)
        a.of[p] = b.of[p] = NULL;
    a.pairs = b.pairs = false;
    for (uint32_t done = 0; done != all;) {
        done = find_chain(&chain, product, count, done);
        run_chain(&x, &chain);
    }
}
