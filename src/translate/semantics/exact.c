/* Vector unit: the approximate functions rounded correctly, for WAVELIFT_MATH=exact. The lifter takes NAME_exact where there is one.
 *
 * Each is computed as an unevaluated sum of two doubles with a relative error below 2^-58, then rounded once. The polynomials are
 * Taylor series, whose first coefficients are kept in two parts. */
#include "lanes_float.h"

struct sum {
    f64s high, low;
};

static INLINE struct sum product(f64s a, f64s b) {
    const f64s p = a * b;

    return (struct sum){p, fma_lanes(a, b, -p)};
}
/* For |a| >= |b|. */
static INLINE struct sum add(f64s a, f64s b) {
    const f64s s = a + b;

    return (struct sum){s, b - (s - a)};
}
/* constant + low part + x * y, where y is a sum and the constant is the larger. */
static INLINE struct sum step(double high, double low, f64s x, struct sum y) {
    const struct sum p = product(x, y.high), s = add(ALL(f64, high), p.high);

    return (struct sum){s.high, s.low + (p.low + fma_lanes(x, y.low, ALL(f64, low)))};
}
static INLINE struct sum times(f64s x, struct sum y) {
    const struct sum p = product(x, y.high);

    return (struct sum){p.high, fma_lanes(x, y.low, p.low)};
}

/* The sum as one double, rounded to odd: rounding it again to f32 or f16 cannot err. */
static INLINE f64s odd(struct sum x) {
    const f64s s = x.high + x.low, error = x.low - (s - x.high);
    const u64s bits = (u64s)s, toward = 1 - (((u64s)error ^ bits) >> 63) * 2;

    return (error != 0) & (error == error) & ((bits & 1) == 0) & (s != 0) ? (f64s)(bits + toward) : s;
}
/* A double to f16 by way of f32, rounded to odd there: LLVM has no such conversion without a call. */
static INLINE f16s half_of(f64s x) {
    const u64s bits = (u64s)x, dropped = bits & 0x1fffffff;
    const u64s kept = (bits & ~0x1fffffffull) | (dropped != 0 ? ALL(u64, 0x20000000) : ALL(u64, 0));

    return half(CONVERT(f32s, x == x ? (f64s)kept : x));
}

/* ---- 2^x ---- */

static INLINE f64s exp2_exactly(f32s a) {
    const f32s below = a > 130.0f ? ALL(f32, 130) : a, bounded = below < -160.0f ? ALL(f32, -160) : below;
    const f32s whole = __builtin_elementwise_roundeven(bounded);
    const f64s x = CONVERT(f64s, bounded - whole);
    f64s p = ALL(f64, 0x1.38e89ae79f8b4p-53);

    p = fma_lanes(p, x, ALL(f64, 0x1.c36e843b04022p-49));
    p = fma_lanes(p, x, ALL(f64, 0x1.314964d5878a9p-44));
    p = fma_lanes(p, x, ALL(f64, 0x1.816193166d0f9p-40));
    p = fma_lanes(p, x, ALL(f64, 0x1.c3bd650fc2986p-36));
    p = fma_lanes(p, x, ALL(f64, 0x1.e8cac7351bb25p-32));
    p = fma_lanes(p, x, ALL(f64, 0x1.e4cf5158b8ecap-28));
    p = fma_lanes(p, x, ALL(f64, 0x1.b5253d395e7c4p-24));
    p = fma_lanes(p, x, ALL(f64, 0x1.62c0223a5c824p-20));
    p = fma_lanes(p, x, ALL(f64, 0x1.ffcbfc588b0c7p-17));
    p = fma_lanes(p, x, ALL(f64, 0x1.430912f86c787p-13));
    p = fma_lanes(p, x, ALL(f64, 0x1.5d87fe78a6731p-10));
    p = fma_lanes(p, x, ALL(f64, 0x1.3b2ab6fba4e77p-7));
    struct sum s = step(0x1.c6b08d704a0c0p-5, -0x1.d331627513351p-59, x, (struct sum){p, ALL(f64, 0)});
    s = step(0x1.ebfbdff82c58fp-3, -0x1.5e43a53e44da3p-57, x, s);
    s = step(0x1.62e42fefa39efp-1, 0x1.abc9e3b39803fp-56, x, s);
    s = step(1, 0, x, s);
    const i64s n = CONVERT(i64s, CONVERT(i32s, whole == whole ? whole : ALL(f32, 0)));

    return CONVERT(i64s, a == a) ? odd(s) * power_of_2_64(n) : CONVERT(f64s, a);
}

/* ---- log2 ---- */

static INLINE f64s log2_exactly(f32s a) {
    /* Counting from sqrt(1/2) upwards, the exponent changes where the significand should. */
    const i64s offset = (i64s)CONVERT(f64s, a) - 0x3fe6a09e00000000;
    const f64s m = (f64s)((offset & 0x000fffffffffffff) + 0x3fe6a09e00000000), exponent = CONVERT(f64s, CONVERT(i32s, offset >> 52));
    /* log2(m) = 2 / ln 2 * (s + s^3 / 3 + s^5 / 5 + ...) with s = (m - 1) / (m + 1), both of which are exact. */
    const f64s above = m - 1, sum = m + 1, s = above / sum, rest = fma_lanes(-s, sum, above) / sum, square = s * s;
    f64s p = ALL(f64, 1.0 / 27);

    p = fma_lanes(p, square, ALL(f64, 1.0 / 25));
    p = fma_lanes(p, square, ALL(f64, 1.0 / 23));
    p = fma_lanes(p, square, ALL(f64, 1.0 / 21));
    p = fma_lanes(p, square, ALL(f64, 1.0 / 19));
    p = fma_lanes(p, square, ALL(f64, 1.0 / 17));
    p = fma_lanes(p, square, ALL(f64, 1.0 / 15));
    p = fma_lanes(p, square, ALL(f64, 1.0 / 13));
    p = fma_lanes(p, square, ALL(f64, 1.0 / 11));
    p = fma_lanes(p, square, ALL(f64, 1.0 / 9));
    p = fma_lanes(p, square, ALL(f64, 1.0 / 7));
    p = fma_lanes(p, square, ALL(f64, 1.0 / 5));
    p = fma_lanes(p, square, ALL(f64, 1.0 / 3));
    const f64s c = ALL(f64, 0x1.71547652b82fep+1), c_low = ALL(f64, 0x1.777d0ffda0d24p-55);
    const struct sum main = product(c, s), fraction = add(main.high, main.low + fma_lanes(c, rest, c_low * s) + c * s * square * p);
    const struct sum whole = add(exponent, fraction.high);
    const f64s result =
        odd((struct sum){exponent == 0 ? fraction.high : whole.high, exponent == 0 ? fraction.low : whole.low + fraction.low});
    const f32s special = a == 0 ? ALL(f32, -__builtin_inff()) : a < 0 ? ALL(f32, __builtin_nanf("")) : a;

    return CONVERT(i64s, (a > 0) & ((u32s)a < F32_INFINITY)) ? result : CONVERT(f64s, special);
}

/* ---- sin(2 pi x), cos(2 pi x) ---- */

/* For 0 <= x <= 1/8. */
static INLINE struct sum sine_part(f64s x) {
    const f64s square = x * x;
    f64s p = ALL(f64, 0x1.2877020d52cf0p-10);

    p = fma_lanes(p, square, ALL(f64, -0x1.8a404211f9547p-7));
    p = fma_lanes(p, square, ALL(f64, 0x1.aaec32af93359p-4));
    p = fma_lanes(p, square, ALL(f64, -0x1.6fadb9f155744p-1));
    p = fma_lanes(p, square, ALL(f64, 0x1.e8f434d018d63p+1));
    p = fma_lanes(p, square, ALL(f64, -0x1.e3074fde8871fp+3));
    p = fma_lanes(p, square, ALL(f64, 0x1.50783487ee782p+5));
    p = fma_lanes(p, square, ALL(f64, -0x1.32d2cce62bd86p+6));
    struct sum s = step(0x1.466bc6775aae2p+6, -0x1.6dc0cbddb0fc3p-49, square, (struct sum){p, ALL(f64, 0)});
    s = step(-0x1.4abbce625be53p+5, 0x1.05511c68476a8p-49, square, s);
    return times(x, step(0x1.921fb54442d18p+2, 0x1.1a62633145c07p-52, square, s));
}
static INLINE struct sum cosine_part(f64s x) {
    const f64s square = x * x;
    f64s p = ALL(f64, 0x1.ef6e308d6d1c4p-9);

    p = fma_lanes(p, square, ALL(f64, -0x1.2a0c591af8314p-5));
    p = fma_lanes(p, square, ALL(f64, 0x1.20c62c2f2d7f5p-2));
    p = fma_lanes(p, square, ALL(f64, -0x1.b6e24f44b128fp+0));
    p = fma_lanes(p, square, ALL(f64, 0x1.f9d38a3763cc3p+2));
    p = fma_lanes(p, square, ALL(f64, -0x1.a6d1f2a204a8cp+4));
    p = fma_lanes(p, square, ALL(f64, 0x1.e1f506891babbp+5));
    p = fma_lanes(p, square, ALL(f64, -0x1.55d3c7e3cbffap+6));
    struct sum s = step(0x1.03c1f081b5ac4p+6, -0x1.32b33f87fc145p-48, square, (struct sum){p, ALL(f64, 0)});
    s = step(-0x1.3bd3cc9be45dep+4, -0x1.692b71366cc04p-50, square, s);
    return step(1, 0, square, s);
}
/* For 0 <= x <= 1/4. The differences below are exact where they are taken. */
static INLINE f64s sine_of_first_quarter(f64s x) {
    const struct sum s = sine_part(x), c = cosine_part(0.25 - x);

    return odd((struct sum){x > 0.125 ? c.high : s.high, x > 0.125 ? c.low : s.low});
}
static INLINE f64s sine_exactly(f32s a) {
    const f32s turn = a - __builtin_elementwise_roundeven(a);
    const f64s size = magnitude64(CONVERT(f64s, turn)), value = sine_of_first_quarter(size > 0.25 ? 0.5 - size : size);

    return with_sign64(value, CONVERT(u64s, turn == 0 ? (u32s)a : (u32s)turn) << 32);
}
static INLINE f64s cosine_exactly(f32s a) {
    const f64s size = magnitude64(CONVERT(f64s, a - __builtin_elementwise_roundeven(a)));
    const f64s from_quarter = 0.25 - size; /* exact above 1/8; below, the cosine is computed from the size */
    const struct sum s = sine_part(magnitude64(from_quarter)), near_zero = cosine_part(size), near_half = cosine_part(0.5 - size);
    const f64s middle = (f64s)((u64s)odd(s) | ((u64s)from_quarter & F64_SIGN));

    return size != size        ? size
           : size <= 0.125     ? odd(near_zero)
           : size >= 0.375     ? -odd(near_half)
           : from_quarter == 0 ? ALL(f64, 0)
                               : middle;
}

/* ---- 1 / sqrt(x) ---- */

/* The quotient, and what an exact residual says that it lacks. */
static INLINE struct sum inverse_root(f64s a) {
    const f64s y = 1.0 / sqrt_lanes(a);
    const struct sum h = product(a, y);
    const f64s residual = fma_lanes(-h.high, y, ALL(f64, 1)) - h.low * y,
               correction = y * residual * fma_lanes(ALL(f64, 0.375), residual, ALL(f64, 0.5));

    return (struct sum){y, (correction == correction) & (magnitude64(y) < __builtin_inf()) ? correction : ALL(f64, 0)};
}
static INLINE f64s inverse_root_exactly(f32s a) { return odd(inverse_root(CONVERT(f64s, a))); }

/* Results that would be denormal are zero, as on the hardware. */
static INLINE f64s exp2_flushed(f32s a) { return CONVERT(i64s, a < -126.0f) != 0 ? ALL(f64, 0) : exp2_exactly(a); }
LANES1(v_exp_f32_exact, f32, f32) { return CONVERT(f32s, exp2_flushed(a)); }
LANES1(v_exp_legacy_f32_exact, f32, f32) { return CONVERT(f32s, exp2_flushed(a)); }
LANES1(v_log_f32_exact, f32, f32) { return CONVERT(f32s, log2_exactly(a)); }
LANES1(v_log_legacy_f32_exact, f32, f32) { return CONVERT(f32s, log2_exactly(a)); }
LANES1(v_sin_f32_exact, f32, f32) { return CONVERT(f32s, sine_exactly(a)); }
LANES1(v_cos_f32_exact, f32, f32) { return CONVERT(f32s, cosine_exactly(a)); }
LANES1(v_rsq_f32_exact, f32, f32) { return CONVERT(f32s, inverse_root_exactly(a)); }
LANES1(v_exp_f16_exact, f16, f16) { return half_of(exp2_exactly(wide(a))); }
LANES1(v_log_f16_exact, f16, f16) { return half_of(log2_exactly(wide(a))); }
LANES1(v_sin_f16_exact, f16, f16) { return half_of(sine_exactly(wide(a))); }
LANES1(v_cos_f16_exact, f16, f16) { return half_of(cosine_exactly(wide(a))); }
LANES1(v_rsq_f16_exact, f16, f16) { return half_of(inverse_root_exactly(wide(a))); }
LANES1(v_rsq_f64_exact, f64, f64) {
    const struct sum y = inverse_root(a);

    return y.high + y.low;
}

#define EXACT_ON_SCALARS(name, function, function16)                                                                                       \
    SCALAR1(v_s_##name##_f32_exact, f32, f32) { return CONVERT(f32s, function((f32s)a))[0]; }                                              \
    SCALAR1(v_s_##name##_f16_exact, f16, f16) { return half_of(function16((f32s)(f32)a))[0]; }
EXACT_ON_SCALARS(exp, exp2_flushed, exp2_exactly)
EXACT_ON_SCALARS(log, log2_exactly, log2_exactly)
EXACT_ON_SCALARS(rsq, inverse_root_exactly, inverse_root_exactly)
