/* What matrix.h describes, in vectors of 16 lanes. Compiled by clang, once for each kind of host: WL_MATRIX_RUN names the copy.
 *
 * A and B are converted to f32 first, element by element of the lanes: staged[e * 64 + lane]. A row of D is then a sum of rows of
 * B, each times one element of A. Integers are exact in f32: no sum reaches 2^24. */
#include "device/cpu/matrix.h"

#include <stdbool.h>
#include <string.h>

#define INLINE static inline __attribute__((always_inline))
enum { LANES = 64, MOST_ELEMENTS = 32, MOST_ROWS = 32 };

typedef __attribute__((ext_vector_type(16))) float f32x16;
typedef __attribute__((ext_vector_type(16))) uint32_t u32x16;
typedef __attribute__((ext_vector_type(16))) int32_t i32x16;
typedef __attribute__((ext_vector_type(16))) uint16_t u16x16;
typedef __attribute__((ext_vector_type(16))) _Float16 f16x16;

#define CONVERT(type, x) __builtin_convertvector(x, type)
#define FMA(a, b, c)     __builtin_elementwise_fma(a, b, c)

struct matrix {
    uint32_t wave_size, shape, modifiers;
    unsigned a, b, d, m, blocks, layout; /* as in the shape */
    unsigned groups, stride;             /* of lanes that share out K */
    unsigned a_elements, b_elements;     /* of a lane */
    bool sparse, flush;
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
INLINE f32x16 without_small(f32x16 v, float least) {
    const u32x16 bits = (u32x16)v;
    return (f32x16)((f32x16)(bits & 0x7fffffff) < least ? bits & 0x80000000 : bits);
}

/* ---- staging ---- */

INLINE void stage_kind(float *staged, const uint32_t *rows, unsigned elements, const struct matrix *x, unsigned kind, bool is_signed) {
    const unsigned each = per_dword(kind);
    const bool fnuz = x->layout == WL_MATRIX_MFMA;
    for (unsigned r = 0; r < (elements + each - 1) / each; r++)
        for (unsigned l = 0; l < x->wave_size; l += 16) {
            const u32x16 dword = load(rows + r * x->wave_size + l);
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
    if (x->flush)
        for (unsigned i = 0; i < elements * LANES; i += 16) {
            const f32x16 v = loadf(staged + i);
            store(staged + i, (u32x16)(kind == WL_MATRIX_F16 ? without_small(v, 0x1p-14f) : without_denormals(v)));
        }
    if ((low || high) && (kind == WL_MATRIX_F16 || kind == WL_MATRIX_BF16))
        for (unsigned e = 0; e < elements; e++)
            for (unsigned l = 0; l < x->wave_size && (e & 1 ? high : low); l++)
                staged[e * LANES + l] = -staged[e * LANES + l];
}

/* blgp: 1, 2: the lower or upper 32 lanes for both halves; 3: rotated by 16 lanes; 4 to 7: one row of 16 lanes for all. */
INLINE unsigned b_lane(unsigned lane, unsigned pattern) {
    switch (pattern) {
    case 0:
        return lane;
    case 1:
        return lane & 31;
    case 2:
        return lane | 32;
    case 3:
        return (lane + 16) & 63;
    default:
        return (lane & 15) | (pattern & 3) << 4;
    }
}

static void move_lanes(const struct matrix *x, float *a, float *b) {
    const unsigned cbsz = field(x, WL_MATRIX_CBSZ, 3), abid = field(x, WL_MATRIX_ABID, 4), blgp = field(x, WL_MATRIX_BLGP, 3);
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
            b[e * LANES + l] = was[b_lane(l, blgp)];
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

struct place {
    unsigned row, lane, half;
};

INLINE struct place output_place(const struct matrix *x, unsigned block, unsigned m) {
    const bool packed = x->layout == WL_MATRIX_WMMA12 && (x->d == WL_MATRIX_F16 || x->d == WL_MATRIX_BF16);
    const unsigned part = x->wave_size / 16, high = (x->modifiers & WL_MATRIX_HIGH) != 0;
    if (x->layout == WL_MATRIX_WMMA11)
        return (struct place){m / part, 16 * (m % part), high};
    if (x->layout == WL_MATRIX_WMMA12) {
        const unsigned held = 16 / part, r = m % held;
        const unsigned lane = x->wave_size == 32 ? 16 * (m >> 3) : 16 * (m >> 3 & 1) + 32 * (m >> 2 & 1);
        return packed ? (struct place){r / 2, lane, r & 1} : (struct place){r, lane, 0};
    }
    if (x->m == 32)
        return (struct place){16 * block + 4 * (m / 8) + m % 4, 32 * (m / 4 % 2), 0};
    return (struct place){4 * block + m % 4, 16 * (m / 4), 0};
}

INLINE f32x16 read_c(const struct matrix *x, const uint32_t *c, uint32_t constant, struct place at) {
    u32x16 bits = c ? load(c + at.row * x->wave_size + at.lane) : (u32x16)constant;
    const unsigned neg = x->layout == WL_MATRIX_MFMA ? 0 : x->modifiers >> (WL_MATRIX_NEG_LO + 2) & 1;
    const unsigned abs = x->layout == WL_MATRIX_MFMA ? 0 : x->modifiers >> (WL_MATRIX_NEG_HI + 2) & 1;
    if (x->d == WL_MATRIX_I32)
        return (f32x16)bits;
    if (x->d != WL_MATRIX_F32) {
        bits = c && at.half ? bits >> 16 : bits & 0xffff;
        bits = x->d == WL_MATRIX_F16 ? (u32x16)from_half(bits) : bits << 16;
    }
    bits = abs ? bits & 0x7fffffff : bits;
    bits = neg ? bits ^ 0x80000000 : bits;
    return x->flush ? without_denormals((f32x16)bits) : (f32x16)bits;
}

INLINE void write_d(const struct matrix *x, uint32_t *d, f32x16 sum, f32x16 c, struct place at) {
    uint32_t *to = d + at.row * x->wave_size + at.lane;
    if (x->d == WL_MATRIX_I32) {
        const i32x16 integer = CONVERT(i32x16, sum);
        store(to, x->modifiers & WL_MATRIX_CLAMP ? (u32x16)__builtin_elementwise_add_sat((i32x16)c, integer) : (u32x16)c + (u32x16)integer);
    } else if (x->d == WL_MATRIX_F32) {
        store(to, (u32x16)(x->flush ? without_denormals(sum) : sum));
    } else {
        const u32x16 bits = x->d == WL_MATRIX_F16 ? to_half(sum) : to_bf16(sum), old = load(to);
        store(to, at.half ? (old & 0xffff) | bits << 16 : (old & 0xffff0000) | bits);
    }
}

/* ---- the sums ---- */

/* `rows` rows of one block, `width` * 16 columns: one vector of D for each of both. */
INLINE void dense_tile(f32x16 *sum, const float *a, const float *b, const struct matrix *x, unsigned rows, unsigned width) {
    for (unsigned g = 0; g < x->groups; g++) {
        const float *a_lane = a + g * x->stride, *b_lane = b + g * x->stride;
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
INLINE void sparse_tile(f32x16 *sum, const float *a, const float *b, const uint32_t *index, const struct matrix *x, unsigned rows,
                        unsigned width) {
    for (unsigned g = 0; g < x->groups; g++)
        for (unsigned e = 0; e < x->a_elements; e++)
#pragma unroll
            for (unsigned r = 0; r < rows; r++) {
                const unsigned lane = g * x->stride, pick = index[lane + r] >> 2 * e & 3;
                const float *columns = b + (4 * (e / 2) + pick) * LANES + lane;
#pragma unroll
                for (unsigned w = 0; w < width; w++)
                    sum[r * width + w] = FMA((f32x16)a[e * LANES + lane + r], loadf(columns + 16 * w), sum[r * width + w]);
            }
}

INLINE void multiply(const struct matrix *x, uint32_t *d, const float *a, const float *b, const uint32_t *c, uint32_t constant,
                     const uint32_t *index, unsigned rows, unsigned width) {
    for (unsigned block = 0; block < x->blocks; block++)
        for (unsigned m = 0; m < x->m; m += rows) {
            f32x16 sum[16], start[16];
#pragma unroll
            for (unsigned r = 0; r < rows; r++)
#pragma unroll
                for (unsigned w = 0; w < width; w++) {
                    struct place at = output_place(x, block, m + r);
                    at.lane += 16 * w;
                    start[r * width + w] = read_c(x, c, constant, at);
                    sum[r * width + w] = x->d == WL_MATRIX_I32 ? (f32x16)0 : start[r * width + w];
                }
            if (x->sparse)
                sparse_tile(sum, a + m, b, index + m, x, rows, width);
            else
                dense_tile(sum, a + block * x->m + m, b + block * x->m, x, rows, width);
#pragma unroll
            for (unsigned r = 0; r < rows; r++)
#pragma unroll
                for (unsigned w = 0; w < width; w++) {
                    struct place at = output_place(x, block, m + r);
                    at.lane += 16 * w;
                    write_d(x, d, sum[r * width + w], start[r * width + w], at);
                }
        }
}

/* 16 blocks of 4 * 4: a register of D is row `m` of all of them. */
#define SPREAD(v, m)                                                                                                                       \
    __builtin_shufflevector(v, v, m, m, m, m, m + 4, m + 4, m + 4, m + 4, m + 8, m + 8, m + 8, m + 8, m + 12, m + 12, m + 12, m + 12)
INLINE void multiply_4x4_row(const struct matrix *x, uint32_t *d, const float *a, const float *b, const uint32_t *c, uint32_t constant,
                             unsigned m) {
    for (unsigned l = 0; l < LANES; l += 16) {
        const struct place at = {m, l, 0};
        const f32x16 start = read_c(x, c, constant, at);
        f32x16 sum = x->d == WL_MATRIX_I32 ? (f32x16)0 : start;
        for (unsigned e = 0; e < x->a_elements; e++) {
            const f32x16 v = loadf(a + e * LANES + l);
            const f32x16 spread = m == 0 ? SPREAD(v, 0) : m == 1 ? SPREAD(v, 1) : m == 2 ? SPREAD(v, 2) : SPREAD(v, 3);
            sum = FMA(spread, loadf(b + e * LANES + l), sum);
        }
        write_d(x, d, sum, start, at);
    }
}

static void multiply_4x4(const struct matrix *x, uint32_t *d, const float *a, const float *b, const uint32_t *c, uint32_t constant) {
    for (unsigned m = 0; m < 4; m++)
        multiply_4x4_row(x, d, a, b, c, constant, m);
}

/* ---- f64: four lanes of a column hold its four elements of K ---- */

static void stage_f64(double *staged, const uint32_t *rows, bool negate) {
    for (unsigned l = 0; l < LANES; l++) {
        const uint64_t bits = (rows[l] | (uint64_t)rows[LANES + l] << 32) ^ (uint64_t)negate << 63;
        memcpy(&staged[l], &bits, sizeof bits);
    }
}

static void multiply_f64(const struct matrix *x, uint32_t *d, const uint32_t *a_rows, const uint32_t *b_rows, const uint32_t *c,
                         uint64_t constant) {
    enum { K = 4 };
    double a[LANES], b[LANES], result[4][LANES];
    const unsigned negate = field(x, WL_MATRIX_BLGP, 3), registers = x->m * x->m * x->blocks / LANES;
    stage_f64(a, a_rows, negate & 1);
    stage_f64(b, b_rows, negate >> 1 & 1);
    for (unsigned r = 0; r < registers; r++)
        for (unsigned l = 0; l < LANES; l++) {
            const unsigned column = l % 16, row = x->blocks == 1 ? 4 * r + l / 16 : column / 4 * 4 + l / 16;
            uint64_t bits = c ? c[2 * r * LANES + l] | (uint64_t)c[(2 * r + 1) * LANES + l] << 32 : constant;
            bits ^= (uint64_t)(negate >> 2 & 1) << 63;
            memcpy(&result[r][l], &bits, sizeof bits);
            for (unsigned k = 0; k < K; k++)
                result[r][l] = __builtin_fma(a[16 * k + row], b[16 * k + column], result[r][l]);
        }
    for (unsigned r = 0; r < registers; r++)
        for (unsigned l = 0; l < LANES; l++) {
            uint64_t bits;
            memcpy(&bits, &result[r][l], sizeof bits);
            d[2 * r * LANES + l] = (uint32_t)bits;
            d[(2 * r + 1) * LANES + l] = (uint32_t)(bits >> 32);
        }
}

/* ---- one instruction ---- */

static struct matrix describe(uint32_t wave_size, uint32_t shape, uint32_t modifiers) {
    struct matrix x = {.wave_size = wave_size,
                       .shape = shape,
                       .modifiers = modifiers,
                       .a = WL_MATRIX_A(shape),
                       .b = WL_MATRIX_B(shape),
                       .d = WL_MATRIX_D(shape),
                       .m = WL_MATRIX_M(shape),
                       .blocks = WL_MATRIX_BLOCKS(shape),
                       .layout = WL_MATRIX_LAYOUT(shape),
                       .sparse = WL_MATRIX_SPARSE(shape),
                       .flush = (modifiers & WL_MATRIX_FLUSH) != 0};
    const unsigned k = WL_MATRIX_K(shape), a_k = x.sparse ? k / 2 : k;
    x.stride = x.m * x.blocks;
    if (x.layout == WL_MATRIX_WMMA11) {
        x.groups = 1;
    } else {
        const unsigned least = x.layout == WL_MATRIX_WMMA12 ? per_dword(x.a) : 1, most = wave_size / x.stride;
        x.groups = a_k / most < least ? a_k / least : most;
    }
    x.a_elements = a_k / x.groups;
    x.b_elements = k / x.groups;
    return x;
}

/* Whether C has to be put aside, since D's first rows would overwrite C's later ones. */
static bool overlaps(const uint32_t *c, const uint32_t *d, size_t size) { return c != d && c < d + size && d < c + size; }

void WL_MATRIX_RUN(uint32_t wave_size, uint32_t *d, const uint32_t *a, const uint32_t *b, const uint32_t *c, uint64_t constant,
                   uint32_t shape, uint32_t modifiers);
void WL_MATRIX_RUN(uint32_t wave_size, uint32_t *d, const uint32_t *a, const uint32_t *b, const uint32_t *c, uint64_t constant,
                   uint32_t shape, uint32_t modifiers) {
    _Alignas(64) float staged_a[MOST_ELEMENTS * LANES], staged_b[MOST_ELEMENTS * LANES];
    _Alignas(64) uint32_t copy[MOST_ROWS * LANES], index[LANES];
    const struct matrix x = describe(wave_size, shape, modifiers);
    const bool packed = x.layout == WL_MATRIX_WMMA12 && (x.d == WL_MATRIX_F16 || x.d == WL_MATRIX_BF16);
    const size_t size = (size_t)x.m * x.m * x.blocks / (packed ? 2 : 1); /* dwords of C */
    if (x.d == WL_MATRIX_F64) {
        multiply_f64(&x, d, a, b, c, constant);
        return;
    }
    const bool apart = x.sparse && x.b == WL_MATRIX_I4 && x.layout == WL_MATRIX_WMMA12 && x.groups * x.stride < wave_size;
    stage(staged_a, a, x.a_elements, &x, x.a, 0);
    stage(staged_b, b, apart ? 8 : x.b_elements, &x, x.b, 1);
    if (apart)
        gather_b(staged_b);
    if (x.sparse) {
        const unsigned set = x.layout == WL_MATRIX_WMMA12   ? field(&x, WL_MATRIX_KEY, 2)
                             : field(&x, WL_MATRIX_CBSZ, 3) ? 0
                                                            : field(&x, WL_MATRIX_ABID, 4);
        for (unsigned l = 0; l < wave_size; l++)
            index[l] = c[l] >> (set * 2 * x.a_elements & 31);
        c = d;
    } else if (x.layout == WL_MATRIX_MFMA && modifiers) {
        move_lanes(&x, staged_a, staged_b);
    }
    if (c && overlaps(c, d, size)) {
        memcpy(copy, c, size * sizeof *copy);
        c = copy;
    }
    if (x.m == 4)
        multiply_4x4(&x, d, staged_a, staged_b, c, (uint32_t)constant);
    else if (x.m == 16)
        multiply(&x, d, staged_a, staged_b, c, (uint32_t)constant, index, 8, 1);
    else if (x.m == 32)
        multiply(&x, d, staged_a, staged_b, c, (uint32_t)constant, index, 4, 2);
}
