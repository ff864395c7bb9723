/* Dense MFMA with WAVELIFT_MATH=hardware: sums as CDNA1, CDNA2 and CDNA3 form them (machine/matrix.h): a part of matrix_kernels.c, which
 * includes it behind what it uses. */
#ifndef WL_DEVICE_CPU_HELPERS_MATRIX_HARDWARE_H
#define WL_DEVICE_CPU_HELPERS_MATRIX_HARDWARE_H

#include "lane/matrix_lane.h"

enum { BIAS = 127, SPECIAL = 255 - BIAS /* the exponent of infinities and NaN */ };

/* Where there is an instruction for it; else it is a call. */
#if defined(__FMA__) || defined(__aarch64__)
#define HAS_FMA true
#else
#define HAS_FMA false
#endif
#if defined(__AVX512F__)
#include <immintrin.h>
#endif
/* Whether there is an instruction that adds two products of bf16. */
#if defined(__AVX512BF16__)
#define HAS_PAIRS true
#else
#define HAS_PAIRS false
#endif

/* ---- what the factors are like ---- */

/* Exponents of a number's size in bits. */
INLINE i32x16 exponents(u32x16 size, int least) { return __builtin_elementwise_max((i32x16)(size >> 23) - BIAS, (i32x16)least); }

/* `with_last`: finds `last` too. */
INLINE struct bounds find_bounds(const float *staged, unsigned elements, bool with_last) {
    u32x16 most = 0, least = 0x7fffffff, last = 0x7fffffff;
    for (unsigned i = 0; i < elements * LANES; i += 16) {
        const u32x16 size = load(staged + i) & 0x7fffffff;
        if (with_last) {
            const u32x16 bit = (u32x16)((f32x16)size - (f32x16)((size & 0x7fffff) == 0 ? (u32x16)0 : size & (size - 1)));
            last = __builtin_elementwise_min(last, size == 0 ? (u32x16)0x7fffffff : bit);
        }
        most = __builtin_elementwise_max(most, size);
        least = __builtin_elementwise_min(least, size == 0 ? (u32x16)0x7fffffff : size);
    }
    const uint32_t largest = __builtin_reduce_max(most), smallest = __builtin_reduce_min(least), lowest = __builtin_reduce_min(last);
    if (!largest)
        return (struct bounds){0, 0, 0};
    return (struct bounds){(int)(largest >> 23) - BIAS, (int)(smallest >> 23) - BIAS, (int)(lowest >> 23 & 255) - BIAS};
}

/* Converts what a product multiplies, as far as it was not converted for the last one. */
static void stage_factors(const struct matrix *x, const struct chain *chain, unsigned p) {
    const struct wl_matrix_product *product = chain->product[p];
    const bool moves = field(x, 0, WL_MATRIX_NEG_LO);
    struct stage *stages[2] = {chain->a, chain->b};
    const uint32_t *rows[2] = {product->a, product->b};
    bool must[2];
    for (unsigned i = 0; i < 2; i++) {
        float *staged = (float *)stages[i]->element[p];
        if (moves) /* the lanes that were moved are not those of the registers */
            stages[i]->of[p] = NULL;
        must[i] = must_stage(stages[i], p, rows[i], false);
        if (must[i] && x->a == WL_MATRIX_XF32)
            stage_kind(staged, rows[i], x->a_elements, x, WL_MATRIX_F32, true);
        else if (must[i])
            stage(staged, rows[i], x->a_elements, x, i ? x->b : x->a, i);
        for (unsigned e = 0; must[i] && x->a == WL_MATRIX_XF32 && e < x->a_elements * LANES; e += 16) {
            const u32x16 bits = load(staged + e);
            store(staged + e, (bits & 0x7fffffff) > 0x7f800000 ? (u32x16)0x7fc00000 : bits & ~0x1fffu);
        }
    }
    if (moves)
        move_lanes(x, (float *)chain->a->element[p], (float *)chain->b->element[p]);
    for (unsigned i = 0; i < 2; i++) {
        const float *staged = (const float *)stages[i]->element[p];
        if (must[i] && !(x->modifiers & WL_MATRIX_PAIRED))
            stages[i]->bounds[p] = find_bounds(staged, x->a_elements, true);
        else if (must[i] && x->a != WL_MATRIX_F16)
            stages[i]->bounds[p] = find_bounds(staged, x->a_elements, false);
    }
}

INLINE u32x16 one_nan(f32x16 v) { return v == v ? (u32x16)v : (u32x16)0x7fc00000; }

/* ---- sums of pairs ---- */

/* `exact`: no product is rounded in f32. Then a fused multiply-add is the same as two operations. */
INLINE f32x16 add_pair(f32x16 a, f32x16 b, f32x16 c, f32x16 d, bool exact) { return exact && HAS_FMA ? FMA(a, b, c * d) : a * b + c * d; }

INLINE void paired_tile(f32x16 *sum, const struct operands *o, unsigned row, unsigned column, unsigned rows, unsigned width, unsigned each,
                        bool exact) {
    for (unsigned run = 0; run < o->runs; run++) {
        const float *a = o->a[run] + row, *b = o->b[run] + column;
        f32x16 columns[4][2];
#pragma unroll
        for (unsigned e = 0; e < each; e++)
#pragma unroll
            for (unsigned w = 0; w < width; w++)
                columns[e][w] = loadf(b + e * LANES + 16 * w);
#pragma unroll
        for (unsigned r = 0; r < rows; r++)
#pragma unroll
            for (unsigned w = 0; w < width; w++) {
                f32x16 pairs = add_pair((f32x16)a[r], columns[0][w], (f32x16)a[LANES + r], columns[1][w], exact);
                if (each == 4)
                    pairs += add_pair((f32x16)a[2 * LANES + r], columns[2][w], (f32x16)a[3 * LANES + r], columns[3][w], exact);
                sum[r * width + w] += pairs;
            }
    }
}

INLINE void multiply_paired(const struct matrix *x, const struct operands *o, unsigned rows, unsigned width, unsigned each, bool exact) {
    const uint16_t *places = places_of(x);
    for (unsigned block = 0; block < x->blocks; block++)
        for (unsigned m = 0; m < 16 * width; m += rows) {
            const unsigned first = block * 256 * width * width;
            f32x16 sum[16];
#pragma unroll
            for (unsigned v = 0; v < rows * width; v++)
                sum[v] = (f32x16)(o->c ? load(o->c + first + places[m + v / width] + v % width * 16) : (u32x16)o->constant);
            paired_tile(sum, o, block * 16 * width + m, block * 16 * width, rows, width, each, exact);
#pragma unroll
            for (unsigned v = 0; v < rows * width; v++)
                store(o->d + first + places[m + v / width] + v % width * 16, one_nan(sum[v]));
        }
}

static void multiply_paired_4x4(const struct matrix *x, const struct operands *o) {
    for (unsigned l = 0; l < LANES; l += 16)
#pragma unroll
        for (unsigned m = 0; m < 4; m++) {
            const unsigned at = m * LANES + l;
            f32x16 sum = (f32x16)(o->c ? load(o->c + at) : (u32x16)o->constant), product[4] = {0, 0, 0, 0};
            for (unsigned e = 0; e < x->a_elements; e++) {
                const f32x16 a = loadf(o->a[0] + e * LANES + l);
                product[e] = SPREAD_ANY(a, m) * loadf(o->b[0] + e * LANES + l);
            }
            const f32x16 pairs = product[0] + product[1];
            sum += x->a_elements == 4 ? pairs + (product[2] + product[3]) : pairs;
            store(o->d + at, one_nan(sum));
        }
}

/* Whether f32 holds all products as they are. */
static bool has_exact_products(const struct matrix *x, const struct chain *chain) {
    bool exact = true;
    for (unsigned p = 0; p < chain->products && x->a != WL_MATRIX_F16; p++) {
        const struct bounds a = chain->a->bounds[p], b = chain->b->bounds[p];
        exact = exact && a.most + b.most < BIAS && a.least + b.least >= 1 - BIAS && a.least > -BIAS && b.least > -BIAS;
    }
    return exact;
}

static void run_paired(const struct matrix *x, struct operands *o, const struct chain *chain) {
    for (unsigned p = 0; p < chain->products; p++) {
        stage_factors(x, chain, p);
        for (unsigned g = 0; g < x->groups; g++) {
            o->a[o->runs] = (const float *)chain->a->element[p] + g * x->stride;
            o->b[o->runs++] = (const float *)chain->b->element[p] + g * x->stride;
        }
    }
    const bool exact = has_exact_products(x, chain);
    if (x->m == 4)
        multiply_paired_4x4(x, o);
    else if (x->m == 32 && x->a_elements == 4 && exact)
        multiply_paired(x, o, TILE(8, 2), 2, 4, true);
    else if (x->a_elements == 4 && exact)
        multiply_paired(x, o, TILE(16, 4), 1, 4, true);
    else if (x->m == 32 && x->a_elements == 4)
        multiply_paired(x, o, TILE(4, 2), 2, 4, false);
    else if (x->a_elements == 4)
        multiply_paired(x, o, TILE(8, 4), 1, 4, false);
    else if (x->m == 32 && exact)
        multiply_paired(x, o, TILE(8, 2), 2, 2, true);
    else if (x->m == 32)
        multiply_paired(x, o, TILE(8, 2), 2, 2, false);
    else if (exact)
        multiply_paired(x, o, TILE(16, 4), 1, 2, true);
    else
        multiply_paired(x, o, TILE(16, 4), 1, 2, false);
}

/* ---- sums of aligned products ---- */

enum {
    MOST_TERMS = 16, /* products that are added at once */
    MOST_TILE = 4,   /* vectors of D that are summed beside each other */
    FRACTION = WL_ALIGNED_FRACTION,
    LOWEST = WL_ALIGNED_LOWEST,
    LEAST_TOP = -97, /* of products, where they are not summed lane by lane */
    POWERS = 32,     /* in struct stage, behind so many elements: powers of 16 with their exponents ... */
    FIXED = 48,      /* ... and pairs of them as integers */
};

/* Sums of products, cut: of all, or of even and of odd elements. */
struct aligned {
    i32x16 sum[2]; /* in units of 2^(top - FRACTION) */
    u32x16 top[2]; /* as f32 has it: with its bias, in its place */
    i32x16 zero;   /* all products are zero */
};

/* C, times a power of two, as integers, rounded down. `vanishes`: what is so small that the product is zero is nothing, or below it. */
INLINE i32x16 round_down(u32x16 c, u32x16 power, bool vanishes) {
#if defined(__AVX512F__)
    (void)vanishes;
    enum { DOWN = _MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC };
    return (i32x16)_mm512_cvt_roundps_epi32(_mm512_mul_round_ps((__m512)c, (__m512)power, DOWN), DOWN);
#else
    const f32x16 number = (f32x16)c, units = number * (f32x16)power;
    const i32x16 integers = CONVERT(i32x16, __builtin_elementwise_floor(units));
    return vanishes ? integers | ((number < 0) & (units == 0)) : integers;
#endif
}

/* Shifted to the right; by 31 at most, or by more where that is the same. */
INLINE i32x16 shift_down(i32x16 v, u32x16 by) {
#if defined(__AVX512F__)
    return (i32x16)_mm512_srav_epi32((__m512i)v, (__m512i)by);
#else
    return v >> (i32x16)__builtin_elementwise_min(by, (u32x16)31);
#endif
}

/* Without the lowest bits; an odd number if one of them is set. */
INLINE i32x16 round_to_odd(i32x16 v, unsigned bits) {
    const i32x16 units = v >> (int)bits, below = (i32x16)((1 << bits) - 1);
#if defined(__AVX512F__) /* a select becomes more than one instruction */
    const __mmask16 odd = _mm512_test_epi32_mask((__m512i)v, (__m512i)below);
    return (i32x16)_mm512_mask_or_epi32((__m512i)units, odd, (__m512i)units, (__m512i)(i32x16)1);
#else
    return (v & below) != 0 ? units | 1 : units;
#endif
}

/* C and one sum, rounded down where they end, and their sum, rounded to nearest. In units of 2^(top - FRACTION - near) it has 32 bits: where the
 * sum of products has bits below them, which a last bit of 1 stands for, C is larger than it, and so many bits are not rounded away. */
INLINE f32x16 add_one(u32x16 c, const struct aligned *t, bool vanishes) {
    enum { MOST_NEAR = 5, BELOW = LOWEST - FRACTION - MOST_NEAR };
    const u32x16 top = __builtin_elementwise_max(c & 0x7f800000, t->top[0]);
    const u32x16 near = __builtin_elementwise_min(top - t->top[0], (u32x16)(MOST_NEAR << 23)), unit = top - near;
    const i32x16 low = shift_down(t->sum[0] << BELOW, (unit - t->top[0]) >> 23);
    const i32x16 sum = round_down(c, ((FRACTION + 2 * BIAS) << 23) - unit, vanishes) + round_to_odd(low, BELOW);
    return CONVERT(f32x16, sum) * (f32x16)(unit - (FRACTION << 23));
}

/* The same of two sums, in f64, which holds all in units of 2^(top - FRACTION). */
INLINE f32x16 add_two(u32x16 c, const struct aligned *t, bool vanishes) {
    const u32x16 top = __builtin_elementwise_max(__builtin_elementwise_max(c & 0x7f800000, t->top[0]), t->top[1]);
    f64x16 sum = CONVERT(f64x16, round_down(c, ((FRACTION + 2 * BIAS) << 23) - top, vanishes));
#pragma unroll
    for (unsigned s = 0; s < 2; s++) {
        const u32x16 apart = (top - t->top[s]) >> 23, near = __builtin_elementwise_min(apart, (u32x16)(LOWEST - FRACTION));
        const i32x16 kept = shift_down(t->sum[s], apart - near);
        const f64x16 unit = CONVERT(f64x16, (f32x16)((BIAS - near) << 23)), units = CONVERT(f64x16, kept);
        sum = HAS_FMA ? FMA(units, unit, sum) : sum + units * unit;
    }
    return CONVERT(f32x16, sum) * (f32x16)(top - (FRACTION << 23));
}

INLINE u32x16 add_aligned(u32x16 c, const struct aligned *t, bool vanishes, unsigned sets) {
    const u32x16 sum = (u32x16)(sets == 1 ? add_one(c, t, vanishes) : add_two(c, t, vanishes));
    const i32x16 special = t->zero | ((c & 0x7f800000) == 0x7f800000);
#if !defined(__AVX512F__) /* there a select is one instruction */
    if (__builtin_expect(__builtin_reduce_or(special) == 0, 1))
        return sum;
#endif
    return one_nan((f32x16)(special ? (u32x16)((f32x16)c + 0) : sum));
}

/* Powers of 16 with the exponents of the elements, less `centre`, times 2^`twice`; zero of zero. */
INLINE u32x16 power_of(const float *staged, int least, int centre, int twice) {
    const u32x16 size = load(staged) & 0x7fffffff;
    return size == 0 ? (u32x16)0 : (u32x16)((exponents(size, least) - centre) * 4 + twice + BIAS) << 23;
}

/* Those of elements of one sum are beside each other: pairs of bf16, or each of its own. */
#if HAS_PAIRS
enum { POWER_PAIR = 2 };
INLINE f32x16 add_powers(f32x16 sum, f32x16 row, f32x16 column) {
    return (f32x16)_mm512_dpbf16_ps((__m512)sum, (__m512bh)row, (__m512bh)column);
}
#else
enum { POWER_PAIR = 1 };
INLINE f32x16 add_powers(f32x16 sum, f32x16 row, f32x16 column) { return HAS_FMA ? FMA(row, column, sum) : sum + row * column; }
#endif

static void stage_powers(float *staged, unsigned elements, unsigned sets, int least, int centre, int twice) {
    for (unsigned n = 0; n < elements / POWER_PAIR; n++)
        for (unsigned l = 0; l < LANES; l += 16) {
            const float *element = staged + (n / sets * sets * POWER_PAIR + n % sets) * LANES + l;
            u32x16 power = power_of(element, least, centre, twice);
            if (POWER_PAIR == 2)
                power = power >> 16 | power_of(element + sets * LANES, least, centre, twice);
            store(staged + (POWERS + n) * LANES + l, power);
        }
}

/* How a product's factors can be multiplied. */
struct centred {
    bool possible; /* with powers */
    bool vanishes; /* C in units of the sum may be too small for f32 */
    int centre[2];
    bool fixed; /* as integers of 16 bits: none of a product's bits is cut, and 32 bits hold every sum */
    int unit[2];
    bool has_powers; /* they are staged */
};

enum {
    MOST_SHIFT = 14,  /* of a factor of 16 bits: the largest one's leading bit */
    UNITS = FRACTION, /* the sum of both shifts */
    MOST_UNITS = 30,  /* C is below 2^MOST_UNITS units, and so is a sum of 16 products */
};

static struct centred find_centres(const struct matrix *x, const struct chain *chain, unsigned p) {
    const struct bounds bounds[2] = {chain->a->bounds[p], chain->b->bounds[p]};
    const unsigned kinds[2] = {x->a, x->b};
    struct centred found = {.possible = true};
    int most = 0, least = 0, range = 0, spread[2];
    for (unsigned i = 0; i < 2; i++) {
        const int low = bounds[i].least > wl_matrix_least_exponent(kinds[i]) ? bounds[i].least : wl_matrix_least_exponent(kinds[i]);
        const int high = bounds[i].most > low ? bounds[i].most : low;
        found.possible = found.possible && high < SPECIAL;
        most += high;
        least += low;
        range += high - low;
        found.centre[i] = (high + low) >> 1;
        spread[i] = high - bounds[i].last;
        found.unit[i] = high;
    }
    /* Sums of powers, products in units, and units themselves stay normal numbers of f32. */
    found.vanishes = most > FRACTION;
    found.possible = found.possible && most <= 125 && least >= LEAST_TOP && range <= 58 && found.centre[0] + found.centre[1] >= -68;
    /* The first factor takes the shift that it needs, at least half of all. */
    const int shift = spread[0] > UNITS / 2 ? spread[0] : spread[1] > UNITS / 2 ? UNITS - spread[1] : UNITS / 2;
    found.fixed = found.possible && spread[0] <= shift && spread[1] <= UNITS - shift && shift <= MOST_SHIFT &&
                  UNITS - shift <= MOST_SHIFT && bounds[0].last > -BIAS && bounds[1].last > -BIAS;
    found.unit[0] -= shift;
    found.unit[1] -= UNITS - shift;
    return found;
}

/* The A of a vector of D: one element for all, or (blocks of 4) one for each block. */
INLINE f32x16 row_of_a(const float *a, int spread) { return spread < 0 ? (f32x16)*a : SPREAD_ANY(loadf(a), (unsigned)spread); }

/* The sums of `rows` rows of `width` vectors of columns: of `each` elements of `together` groups of lanes. */
INLINE void align(struct aligned *t, const struct matrix *x, const float *a, const float *b, int spread, int centre, unsigned rows,
                  unsigned width, unsigned each, unsigned together, unsigned sets) {
    const size_t stride = x->stride; /* addresses are this and constants */
#pragma unroll
    for (unsigned s = 0; s < sets; s++) {
        f32x16 powers[MOST_TILE], unit[MOST_TILE];
#pragma unroll
        for (unsigned v = 0; v < rows * width; v++) {
            powers[v] = 0;
            t[v].sum[s] = 0;
        }
#pragma unroll
        for (unsigned n = s; n < each * together / POWER_PAIR; n += sets) {
            const unsigned group = each / POWER_PAIR;
            const size_t at = (n % group + POWERS) * LANES + n / group * stride;
#pragma unroll
            for (unsigned v = 0; v < rows * width; v++)
                powers[v] = add_powers(powers[v], row_of_a(a + at + v / width, spread), loadf(b + at + v % width * 16));
        }
#pragma unroll
        for (unsigned v = 0; v < rows * width; v++) {
            /* Twice the sum of at most 8 powers of 16, of which the largest has the exponent 4 * n, is at least 2^(4 * n + 1), and less than 2^(4 * n + 5). */
            const u32x16 top = ((u32x16)powers[v] >> 25 << 23) + (uint32_t)((centre + BIAS - (BIAS + 1) / 4) * (1 << 23));
            const i32x16 zero = powers[v] == 0;
            unit[v] = (f32x16)(((FRACTION + 2 * BIAS) << 23) - top);
            t[v].top[s] = sets == 1 ? top : zero ? (u32x16)((LEAST_TOP + BIAS) << 23) : top;
            t[v].zero = s ? t[v].zero & zero : zero;
        }
#pragma unroll
        for (unsigned k = s; k < each * together; k += sets) {
            const size_t at = k % each * LANES + k / each * stride;
#pragma unroll
            for (unsigned v = 0; v < rows * width; v++)
                t[v].sum[s] += CONVERT(i32x16, row_of_a(a + at + v / width, spread) * loadf(b + at + v % width * 16) * unit[v]);
        }
    }
}

static u32x16 align_any(u32x16 c, const struct matrix *x, const float *a, const float *b, int spread, unsigned each, unsigned together,
                        unsigned sets) {
    const int least[2] = {wl_matrix_least_exponent(x->a), wl_matrix_least_exponent(x->b)};
    f32x16 result = 0;
    for (unsigned lane = 0; lane < 16; lane++) {
        float row[MOST_TERMS], column[MOST_TERMS];
        for (unsigned k = 0; k < each * together; k++) {
            const unsigned at = k % each * LANES + k / each * x->stride;
            row[k] = a[at + (spread < 0 ? 0 : lane / 4 * 4 + (unsigned)spread)];
            column[k] = b[at + lane];
        }
        result[lane] = wl_lane_sum_aligned(((f32x16)c)[lane], row, column, each * together, sets, least);
    }
    return one_nan(result);
}

/* ---- sums of which nothing is cut ---- */

/* Pairs of neighbouring elements as integers in units of 2^unit. */
static void stage_fixed(float *staged, unsigned elements, int unit) {
    const f32x16 power = (f32x16)(u32x16)(uint32_t)((BIAS - unit) << 23);
    for (unsigned i = 0; i < elements * LANES; i += 2 * LANES)
        for (unsigned l = 0; l < LANES; l += 16) {
            const i32x16 low = CONVERT(i32x16, loadf(staged + i + l) * power),
                         high = CONVERT(i32x16, loadf(staged + i + LANES + l) * power);
            store(staged + FIXED * LANES + i / 2 + l, ((u32x16)low & 0xffff) | (u32x16)high << 16);
        }
}

/* Adds the products of both halves. */
INLINE i32x16 add_fixed(i32x16 sum, u32x16 row, u32x16 column) {
#if defined(__AVX512VNNI__)
    return (i32x16)_mm512_dpwssd_epi32((__m512i)sum, (__m512i)row, (__m512i)column);
#elif defined(__AVX512BW__)
    return sum + (i32x16)_mm512_madd_epi16((__m512i)row, (__m512i)column);
#else
    const i32x16 a = (i32x16)row, b = (i32x16)column;
    return sum + (a << 16 >> 16) * (b << 16 >> 16) + (a >> 16) * (b >> 16);
#endif
}

/* `rows` rows of `width` vectors. False, and nothing done: bits of some C would be cut, or 32 bits do not hold it. */
INLINE bool sum_fixed(u32x16 *c, const struct matrix *x, const float *a, const float *b, int spread, int unit, unsigned rows,
                      unsigned width, unsigned each, unsigned together) {
    const f32x16 to_units = (f32x16)(u32x16)(uint32_t)((BIAS - unit) << 23), one = (f32x16)(u32x16)(uint32_t)((BIAS + unit) << 23);
    const f32x16 limit = (f32x16)(u32x16)(uint32_t)((BIAS + unit + MOST_UNITS > 254 ? 254 : BIAS + unit + MOST_UNITS) << 23);
    i32x16 sum[MOST_TILE], fits = -1;
#pragma unroll
    for (unsigned v = 0; v < rows * width; v++) {
        const f32x16 number = (f32x16)c[v], inside = (f32x16)(c[v] & 0x7fffffff) < limit ? number : 0;
        sum[v] = CONVERT(i32x16, inside * to_units);
        fits &= CONVERT(f32x16, sum[v]) * one == number;
    }
    if (!__builtin_reduce_and(fits))
        return false;
#pragma unroll
    for (unsigned n = 0; n < each / 2 * together; n++) {
        const size_t at = (n % (each / 2) + FIXED) * LANES + n / (each / 2) * (size_t)x->stride;
#pragma unroll
        for (unsigned v = 0; v < rows * width; v++)
            sum[v] = add_fixed(sum[v], (u32x16)row_of_a(a + at + v / width, spread), load(b + at + v % width * 16));
    }
#pragma unroll
    for (unsigned v = 0; v < rows * width; v++)
        c[v] = (u32x16)(CONVERT(f32x16, sum[v]) * one);
    return true;
}

/* ---- any sums ---- */

/* What stages are needed of a product's factors. */
struct factors {
    float *a, *b;
    int least[2]; /* exponents of denormals */
    unsigned elements, sets;
    struct centred centred;
};

static __attribute__((noinline)) void stage_powers_of_both(struct factors *f) {
    stage_powers(f->a, f->elements, f->sets, f->least[0], f->centred.centre[0], 1);
    stage_powers(f->b, f->elements, f->sets, f->least[1], f->centred.centre[1], 0);
    f->centred.has_powers = true;
}

/* `rows` rows of `width` vectors of D, of the factors that are `row` and `column` elements behind the first. */
INLINE void sum_aligned(u32x16 *c, const struct matrix *x, struct factors *f, unsigned row, unsigned column, int spread, unsigned rows,
                        unsigned width, unsigned each, unsigned together, unsigned sets) {
    const struct centred *centred = &f->centred;
    for (unsigned g = 0; g < x->groups; g += together) {
        const float *a = f->a + row + g * x->stride, *b = f->b + column + g * x->stride;
        struct aligned t[MOST_TILE];
        if (centred->fixed && sum_fixed(c, x, a, b, spread, centred->unit[0] + centred->unit[1], rows, width, each, together))
            continue;
        if (centred->possible && !centred->has_powers)
            stage_powers_of_both(f);
        if (centred->possible)
            align(t, x, a, b, spread, centred->centre[0] + centred->centre[1], rows, width, each, together, sets);
#pragma unroll
        for (unsigned v = 0; v < rows * width; v++)
            c[v] = centred->possible ? add_aligned(c[v], &t[v], centred->vanishes, sets)
                                     : align_any(c[v], x, a + v / width, b + v % width * 16, spread, each, together, sets);
    }
}

INLINE void aligned_tiles(const struct matrix *x, const struct operands *o, struct factors *f, unsigned rows, unsigned width, unsigned each,
                          unsigned together, unsigned sets) {
    const uint16_t *places = places_of(x);
    for (unsigned block = 0; block < x->blocks; block++)
        for (unsigned i = 0; i < x->m * x->m / 16; i += rows * width) {
            const unsigned m = i / (x->m / 16) / rows * rows, column = i / rows * 16 % x->m, first = block * x->m * x->m + column;
            u32x16 c[MOST_TILE];
#pragma unroll
            for (unsigned v = 0; v < rows * width; v++)
                c[v] = o->c ? load(o->c + first + places[m + v / width] + v % width * 16) : (u32x16)o->constant;
            sum_aligned(c, x, f, block * x->m + m, block * x->m + column, -1, rows, width, each, together, sets);
#pragma unroll
            for (unsigned v = 0; v < rows * width; v++)
                store(o->d + first + places[m + v / width] + v % width * 16, c[v]);
        }
}

INLINE void multiply_aligned(const struct matrix *x, const struct operands *o, struct factors *f, unsigned each, unsigned together,
                             unsigned sets) {
    for (unsigned i = 0; x->m == 4 && i < 16; i++) { /* as in multiply_4x4 */
        const unsigned m = i / 4, l = i % 4 * 16, at = m * LANES + l;
        u32x16 c = o->c ? load(o->c + at) : (u32x16)o->constant;
        sum_aligned(&c, x, f, l, l, (int)m, 1, 1, each, together, sets);
        store(o->d + at, c);
    }
    if (x->m == 32)
        aligned_tiles(x, o, f, TILE(2, 2), TILE(2, 1), each, together, sets);
    else if (x->m == 16)
        aligned_tiles(x, o, f, TILE(4, 2), 1, each, together, sets);
}

static void run_aligned(const struct matrix *x, struct operands *o, const struct chain *chain) {
    for (unsigned p = 0; p < chain->products; p++, o->c = o->d) {
        stage_factors(x, chain, p);
        struct factors f = {.a = (float *)chain->a->element[p],
                            .b = (float *)chain->b->element[p],
                            .least = {wl_matrix_least_exponent(x->a), wl_matrix_least_exponent(x->b)},
                            .elements = x->a_elements,
                            .sets = x->a_elements == 8 ? 2 : 1,
                            .centred = find_centres(x, chain, p)};
        if (f.centred.fixed) {
            stage_fixed(f.a, f.elements, f.centred.unit[0]);
            stage_fixed(f.b, f.elements, f.centred.unit[1]);
        }
        if (x->a_elements == 8)
            multiply_aligned(x, o, &f, 8, 2, 2);
        else if (x->a_elements == 2)
            multiply_aligned(x, o, &f, 2, 2, 1);
        else if (x->groups > 1)
            multiply_aligned(x, o, &f, 4, 2, 1);
        else
            multiply_aligned(x, o, &f, 4, 1, 1);
    }
}

static void run_hardware(const struct matrix *x, struct operands *o, const struct chain *chain) {
    if (x->modifiers & WL_MATRIX_PAIRED)
        run_paired(x, o, chain);
    else
        run_aligned(x, o, chain);
}

#endif
