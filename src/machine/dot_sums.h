/* Dot products of RDNA3 and RDNA4, bit for bit: v_dot2_* and the steps of WMMA (docs/NUMERICS.md, "Dot products as the hardware forms them").
 *
 * A number is taken apart into sign, digits and exponent, and all that is added are integers of 32 bits, in units of a power of two: no
 * rounding mode of the host counts. Code for any number of lanes: DOT_LANES, which the includer defines, is the length of the vectors. A mask has all
 * bits of a lane. */
#ifndef WL_MACHINE_DOT_SUMS_H
#define WL_MACHINE_DOT_SUMS_H

typedef __attribute__((ext_vector_type(DOT_LANES))) unsigned dot_u32;
typedef __attribute__((ext_vector_type(DOT_LANES))) int dot_i32;
typedef __attribute__((ext_vector_type(DOT_LANES))) float dot_f32;

#define DOT_INLINE    static inline __attribute__((always_inline))
#define DOT_MAX(a, b) __builtin_elementwise_max(a, b)
#define DOT_MIN(a, b) __builtin_elementwise_min(a, b)

enum {
    DOT_NOTHING = -1024,  /* the exponent of zero */
    DOT_FACTOR_BITS = 24, /* of a product behind the sum of its factors' exponents */
    DOT_SUM_BITS = 26,    /* of a sum behind its largest exponent */
};
#define DOT_FACTOR_NAN 0xffc00a3du /* where a factor is NaN */
#define DOT_INVALID    0xffc00000u /* of infinities of both signs, of zero times infinity */
#define DOT_INFINITE   0x7f800000u

/* Of factors, and of C and the result. */
enum dot_kind { DOT_F32, DOT_F16, DOT_BF16, DOT_FP8, DOT_BF8 };

DOT_INLINE int dot_fraction(enum dot_kind kind) { return kind == DOT_F16 ? 10 : kind == DOT_BF16 ? 7 : kind == DOT_FP8 ? 3 : 2; }
DOT_INLINE unsigned dot_top(enum dot_kind kind) {
    return kind == DOT_BF16 ? 255 : kind == DOT_FP8 ? 15 : 31;
} /* the exponent field of NaN */

/* The exponent of the leading bit; any number for zero. Below 2^24 the conversion is exact. */
DOT_INLINE dot_i32 dot_leading(dot_i32 digits) { return (dot_i32)((dot_u32) __builtin_convertvector(digits, dot_f32) >> 23) - 127; }

/* ---- factors and their products ---- */

struct dot_factor {
    dot_i32 digits, exponent; /* digits * 2^(exponent - dot_fraction) */
    dot_i32 negative, nan, infinite;
};

DOT_INLINE struct dot_factor dot_take(dot_u32 bits, enum dot_kind kind, int flush) {
    const int fraction = dot_fraction(kind), bias = kind == DOT_FP8 ? 7 : (int)(dot_top(kind) / 2);
    const dot_i32 field = (dot_i32)(bits >> (unsigned)fraction & dot_top(kind)), rest = (dot_i32)(bits & ((1u << fraction) - 1));
    const dot_i32 top = field == (int)dot_top(kind), sign = (dot_i32)(bits & (dot_top(kind) + 1) << fraction);
    const dot_i32 whole = rest == (1 << fraction) - 1;
    struct dot_factor f;
    f.digits = field != 0 ? rest | 1 << fraction : flush ? (dot_i32)0 : rest;
    f.exponent = DOT_MAX(field, (dot_i32)1) - bias;
    f.negative = sign != 0;
    f.nan = kind == DOT_FP8 ? top & whole : top & (rest != 0); /* E4M3 has no infinity and one NaN */
    f.infinite = kind == DOT_FP8 ? (dot_i32)0 : top & (rest == 0);
    return f;
}

struct dot_product {
    dot_i32 digits, exponent; /* of digits' last bit */
    dot_i32 grid;             /* exponent of the last bit that counts beside others */
    dot_i32 negative;
};

/* What is no number among factors and products so far. */
struct dot_special {
    dot_i32 nan, invalid, plus, minus;
};

DOT_INLINE struct dot_product dot_multiply(dot_u32 a_bits, dot_u32 b_bits, enum dot_kind a_kind, enum dot_kind b_kind, int flush,
                                           struct dot_special *special) {
    const struct dot_factor a = dot_take(a_bits, a_kind, flush), b = dot_take(b_bits, b_kind, flush);
    const dot_i32 infinite = a.infinite | b.infinite, exponent = a.exponent + b.exponent;
    struct dot_product p;
    p.digits = a.digits * b.digits;
    p.exponent = exponent - dot_fraction(a_kind) - dot_fraction(b_kind);
    p.grid = p.digits == 0 ? (dot_i32)DOT_NOTHING : exponent - DOT_FACTOR_BITS;
    p.negative = a.negative ^ b.negative;
    special->nan |= a.nan | b.nan;
    special->invalid |= (a.infinite & (b.digits == 0)) | (b.infinite & (a.digits == 0));
    special->plus |= infinite & ~p.negative;
    special->minus |= infinite & p.negative;
    return p;
}

/* ---- C ---- */

DOT_INLINE dot_u32 dot_widen(dot_u32 c, enum dot_kind kind) { /* to the bits of f32 */
    if (kind == DOT_F32)
        return c;
    if (kind == DOT_BF16)
        return c << 16;
    const dot_u32 size = c & 0x7fff, sign = (c & 0x8000) << 16, denormal = (dot_u32) __builtin_convertvector((dot_i32)size, dot_f32);
    const dot_u32 wide = size >= 0x7c00 ? size << 13 | DOT_INFINITE : (size << 13) + (112u << 23);
    return sign | (size == 0 ? (dot_u32)0 : size < 0x400 ? denormal - (24u << 23) : wide);
}

/* A result that is no number, in the format of D. */
DOT_INLINE dot_u32 dot_narrow_special(dot_u32 bits, enum dot_kind kind) {
    if (kind == DOT_F32)
        return bits;
    const dot_i32 of_factor = bits == DOT_FACTOR_NAN;
    if (kind == DOT_BF16)
        return of_factor ? (dot_u32)0xfffd : bits >> 16;
    return of_factor ? (dot_u32)0xfe3d : (bits >> 16 & 0x8000) | 0x7c00 | (bits >> 13 & 0x3ff);
}

/* `sum` where all are numbers. `invalid`: what an invalid product gives. A NaN of factors comes before an invalid product, this one before C's. */
DOT_INLINE dot_u32 dot_choose(dot_u32 sum, dot_u32 c, struct dot_special s, unsigned invalid, enum dot_kind kind) {
    const dot_u32 size = c & 0x7fffffff;
    const dot_i32 plus = s.plus | (c == DOT_INFINITE), minus = s.minus | (c == (DOT_INFINITE | 0x80000000u));
    dot_u32 result = (plus & minus) ? (dot_u32)invalid : minus ? (dot_u32)(DOT_INFINITE | 0x80000000u) : (dot_u32)DOT_INFINITE;
    result = size > DOT_INFINITE ? c | 0x400000 : result;
    result = (s.invalid | (s.plus & s.minus)) ? (dot_u32)invalid : result;
    result = s.nan ? (dot_u32)DOT_FACTOR_NAN : result;
    const dot_i32 any = s.nan | s.invalid | plus | minus | (size > DOT_INFINITE);
    return any ? dot_narrow_special(result, kind) : sum;
}

/* ---- rounding ---- */

/* value / 2^by, to nearest even; `by` may be negative. */
DOT_INLINE dot_u32 dot_shift_round(dot_u32 value, dot_i32 by) {
    const dot_u32 right = (dot_u32)DOT_MIN(DOT_MAX(by, (dot_i32)1), (dot_i32)30),
                  left = (dot_u32)DOT_MIN(DOT_MAX(-by, (dot_i32)0), (dot_i32)31);
    const dot_u32 half = (dot_u32)1 << (right - 1), rounded = (value + half - 1 + (value >> right & 1)) >> right;
    return by <= 0 ? value << left : by > 30 ? (dot_u32)0 : rounded;
}

/* A number of units of 2^grid as f32, or f16. Denormals of f32: kept, or (`flush`) zero. Zero is +0. `sign`: its bit 31. */
DOT_INLINE dot_u32 dot_pack(dot_u32 size, dot_i32 grid, dot_u32 sign, enum dot_kind kind, int flush) {
    const int fraction = kind == DOT_F16 ? 10 : 23, bias = kind == DOT_F16 ? 15 : 127, infinite = 2 * bias + 1;
    const dot_i32 top = dot_leading((dot_i32)(size & ~(size >> 1))); /* of which no rounding makes a longer number */
    const dot_i32 exponent = top + grid;
    const dot_u32 normal = dot_shift_round(size, top - fraction) + ((dot_u32)(exponent + bias - 1) << (unsigned)fraction);
    const dot_u32 denormal = flush ? (dot_u32)0 : dot_shift_round(size, 1 - bias - fraction - grid);
    /* The leading bit adds one to the exponent. What is rounded up to the least normal number is one. */
    const dot_i32 tiny =
        flush ? (dot_i32)(exponent + bias < 1) & ~((exponent + bias == 0) & (normal == (1u << fraction))) : exponent + bias < 1;
    dot_u32 result = exponent + bias > infinite - 1 ? (dot_u32)((unsigned)infinite << fraction) : normal;
    result = result > ((unsigned)infinite << fraction) ? (dot_u32)((unsigned)infinite << fraction) : result;
    result = tiny ? denormal : result;
    result = size == 0 ? (dot_u32)0 : result;
    sign = kind == DOT_F16 ? sign >> 16 : sign;
    return result == 0 ? (dot_u32)0 : result | sign;
}

DOT_INLINE dot_u32 dot_result(dot_i32 sum, dot_i32 grid, dot_i32 negated, enum dot_kind kind, int flush) {
    const dot_i32 negative = sum < 0;
    const dot_u32 size = (dot_u32)(negative ? -sum : sum), sign = (dot_u32)(negative ^ negated) & 0x80000000;
    const dot_u32 packed = dot_pack(size, grid, sign, kind == DOT_F16 ? DOT_F16 : DOT_F32, flush);
    return kind == DOT_BF16 ? packed >> 16 : packed;
}

/* ---- sums ---- */

/* Digits whose last bit has this exponent, in units of 2^grid, cut. */
DOT_INLINE dot_i32 dot_units(dot_i32 digits, dot_i32 exponent, dot_i32 grid) {
    const dot_i32 left = DOT_MIN(DOT_MAX(exponent - grid, (dot_i32)0), (dot_i32)31),
                  right = DOT_MIN(DOT_MAX(grid - exponent, (dot_i32)0), (dot_i32)31);
    return digits << left >> right;
}

/* RDNA3: C + a0 * b0 + a1 * b1, of which `c` (of f32, as bits) has the sign that counts: terms of the other one are inverted, not negated. */
DOT_INLINE dot_u32 dot_sum_gfx11(dot_u32 c, const dot_u32 a[2], const dot_u32 b[2], enum dot_kind factors, enum dot_kind kind) {
    struct dot_special special = {0};
    const int flush = factors == DOT_BF16;
    const struct dot_product p = dot_multiply(a[0], b[0], factors, factors, flush, &special),
                             q = dot_multiply(a[1], b[1], factors, factors, flush, &special);
    const dot_i32 biased = (dot_i32)(c >> 23 & 255), negative = (dot_i32)c < 0;
    const dot_i32 digits = biased == 0 ? (dot_i32)0 : (dot_i32)((c & 0x7fffff) | 0x800000);
    const dot_i32 c_top = digits == 0 ? (dot_i32)DOT_NOTHING : biased - 127;
    const dot_i32 p_top = p.digits == 0 ? (dot_i32)DOT_NOTHING : dot_leading(p.digits) + p.exponent;
    const dot_i32 q_top = q.digits == 0 ? (dot_i32)DOT_NOTHING : dot_leading(q.digits) + q.exponent;
    const dot_i32 top = DOT_MAX(DOT_MAX(p_top, q_top), kind == DOT_F16 ? DOT_MAX(c_top, (dot_i32)-14) : c_top);
    const dot_i32 grid = DOT_MAX(DOT_MAX(p.grid, q.grid), top - DOT_SUM_BITS);
    const dot_i32 p_units = dot_units(p.digits, p.exponent, grid), q_units = dot_units(q.digits, q.exponent, grid);
    const dot_i32 sum = dot_units(digits, biased - 127 - 23, grid) + ((p.negative ^ negative) ? ~p_units : p_units) +
                        ((q.negative ^ negative) ? ~q_units : q_units);
    const dot_u32 result = dot_result(sum, grid, negative, kind, kind != DOT_F16);
    const dot_i32 zero = (digits | p.digits | q.digits) == 0;
    return dot_choose(zero ? (dot_u32)0 : result, c, special, DOT_INVALID, kind);
}

/* RDNA4: C and `count` products, 2 or 4. Products are added in groups, of two, or (8 bits) of four; what is cut is rounded down. */
DOT_INLINE dot_u32 dot_sum_gfx12(dot_u32 c, const dot_u32 *a, const dot_u32 *b, int count, enum dot_kind a_kind, enum dot_kind b_kind,
                                 enum dot_kind kind) {
    const int bytes = a_kind == DOT_FP8 || a_kind == DOT_BF8, each = bytes ? count : 2, least = kind == DOT_F16 ? -14 : -126;
    struct dot_special special = {0};
    dot_i32 sums[2], grids[2], grid = (dot_i32)DOT_NOTHING;
    for (int i = 0; i < count; i += each) {
        struct dot_product p[4];
        dot_i32 own = (dot_i32)DOT_NOTHING, sum = 0;
        for (int k = 0; k < each; k++) {
            p[k] = dot_multiply(a[i + k], b[i + k], a_kind, b_kind, 0, &special);
            own = DOT_MAX(own, p[k].grid);
        }
        for (int k = 0; k < each; k++)
            sum += dot_units(p[k].negative ? -p[k].digits : p[k].digits, p[k].exponent, own);
        sums[i / each] = sum;
        grids[i / each] = own;
        grid = DOT_MAX(grid, own);
    }
    const dot_i32 biased = (dot_i32)(c >> 23 & 255), digits = (dot_i32)((c & 0x7fffff) | (biased == 0 ? (dot_u32)0 : (dot_u32)0x800000));
    const dot_i32 exponent = DOT_MAX(biased, (dot_i32)1) - 127, negative = (dot_i32)c < 0;
    const dot_i32 c_top = digits == 0 ? (dot_i32)least : dot_leading(digits) + exponent - 23;
    grid = DOT_MAX(grid, DOT_MAX(c_top, (dot_i32)least) - DOT_SUM_BITS);
    const dot_i32 kept = dot_units(digits, exponent - 23, grid), down = dot_units(-digits, exponent - 23, grid);
    /* A negative C of which nothing is left is nothing, where the grid is above the least exponent. */
    const dot_i32 gone = (grid > least) & (kept == 0);
    dot_i32 sum = negative ? (gone ? (dot_i32)0 : down) : kept;
    for (int i = 0; i < count / each; i++)
        sum += dot_units(sums[i], grids[i], grid);
    return dot_choose(dot_result(sum, grid, (dot_i32)0, kind, 0), c, special, bytes ? DOT_FACTOR_NAN : DOT_INVALID, kind);
}

#endif
