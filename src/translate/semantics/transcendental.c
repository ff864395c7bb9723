/* Vector unit: reciprocals, roots, exponentials, logarithms, sine and cosine, within AMD's documented ulp.
 *
 * The polynomials are minimax fits of the functions named beside them, in Horner form. */
#include "lanes_float.h"

LANES1(v_rcp_f32, f32, f32) { return 1.0f / a; }
LANES1(v_rcp_iflag_f32, f32, f32) { return 1.0f / a; }
LANES1(v_rcp_f64, f64, f64) { return 1.0 / a; }
#ifdef __NVPTX__
LANES1(v_sqrt_f32, f32, f32) { return sqrt_lanes(a); }
#else
/* Denormals, which cost the host ten times as much as others, by way of the integers that they are: times 2^150, whose root is 2^75. If the host
 * takes them for zeros, they are not above it. */
LANES1(v_sqrt_f32, f32, f32) {
    const masks tiny = (a > 0) & (a < 0x1p-126f);
    const f32s root = sqrt_lanes(tiny ? CONVERT(f32s, (i32s)a << 1) : a);

    return tiny ? root * 0x1p-75f : root;
}
#endif
LANES1(v_sqrt_f64, f64, f64) { return sqrt_lanes(a); }
/* y, or `fallback` where the refinement that made y met an infinity times zero. */
static INLINE f32s unless_nan(f32s y, f32s fallback) { return y == y ? y : fallback; }
/* The same bits on every host. Root and quotient are rounded; 1 - a * y * y, whose products are exact as sums of two, takes both errors away
 * again. */
static INLINE f32s inverse_root(f32s a) {
    const f32s y = 1.0f / sqrt_lanes(a), root = a * y, error = fma_lanes(-root, y, ALL(f32, 1)) - fma_lanes(a, y, -root) * y;

    return unless_nan(fma_lanes(0.5f * y, error, y), y);
}
#if WL_LANES == 1 && defined(__NVPTX__)
/* The hardware's estimate is off by up to 2.2 ulp; a Newton step takes that down to less than 1. */
static INLINE f32s root_estimate32(f32s a) { return (f32s)__nvvm_rsqrt_approx_f(a[0]); }
LANES1(v_rsq_f32, f32, f32) {
    const f32s y = root_estimate32(a), error = fma_lanes(-(a * y), y, ALL(f32, 1));

    /* Where a is zero or infinite the error is NaN, of which the minimum makes a number that changes nothing. */
    return fma_lanes(0.5f * y, min(error, ALL(f32, 1)), y);
}
#else
LANES1(v_rsq_f32, f32, f32) { return inverse_root(a); }
#endif
#if WL_LANES == 1 && defined(__NVPTX__)
LANES1(v_rsq_f64, f64, f64) { return (f64s)__nvvm_rsqrt_approx_d(a[0]); } /* to the last place but one; AMD's has 24 bits */
#else
LANES1(v_rsq_f64, f64, f64) { return 1.0 / sqrt_lanes(a); }
#endif
#ifdef WL_AVX512
/* From the hardware's 14-bit estimates by a Newton step of higher order (f64: AMD's own result has about 29 bits). Reciprocals are
 * not made that way: IEEE division relies on them being rounded correctly when the divisor's mantissa is all ones. */
LANES1_AVX512(v_rsq_f32, "avx512f", f32, f32) {
    const f32s y = __builtin_ia32_rsqrt14ps512_mask(a, a, -1), error = fma_lanes(-(a * y), y, ALL(f32, 1));

    /* The series of (1 - error)^-0.5; its second term alone would leave 1.1 ulp. */
    return error == error ? fma_lanes(fma_lanes(ALL(f32, 0.375f), error, ALL(f32, 0.5f)) * error, y, y) : y;
}
/* The same from the 12-bit estimates of older hosts, which take denormals for zeros: what is small is scaled. Much shorter there than
 * a root and a quotient. */
static INLINE f32s root_estimate32(f32s a) { return JOIN(__builtin_ia32_rsqrtps256(LOW_HALF(a)), __builtin_ia32_rsqrtps256(HIGH_HALF(a))); }
/* The second operand where the first is NaN, in one instruction. */
static INLINE f32s least32(f32s a, f32s b) {
    return JOIN(__builtin_ia32_minps256(LOW_HALF(a), LOW_HALF(b)), __builtin_ia32_minps256(HIGH_HALF(a), HIGH_HALF(b)));
}
LANES1_AS(v_rsq_f32__avx2, "avx2,fma", f32, f32) {
    const i32s small = a < 0x1p-100f;
    const f32s scaled = small ? a * 0x1p30f : a, y = root_estimate32(scaled);
    /* Where a is zero or infinite the error is NaN; 1 changes nothing in such a y. */
    const f32s error = least32(fma_lanes(-(scaled * y), y, ALL(f32, 1)), ALL(f32, 1));
    const f32s root = fma_lanes(fma_lanes(ALL(f32, 0.375f), error, ALL(f32, 0.5f)) * error, y, y);

    return small ? root * 0x1p15f : root;
}
static INLINE f64s unless_nan64(f64s y, f64s fallback) { return y == y ? y : fallback; }
static INLINE f64h root_estimate(f64h a) { return __builtin_ia32_rsqrt14pd512_mask(a, a, -1); }
LANES1_AVX512(v_rsq_f64, "avx512f", f64, f64) {
    const f64s y = JOIN(root_estimate(LOW_HALF(a)), root_estimate(HIGH_HALF(a)));
    const f64s error = fma_lanes(-(a * y), y, ALL(f64, 1));

    return unless_nan64(fma_lanes(fma_lanes(ALL(f64, 0.375), error, ALL(f64, 0.5)) * error, y, y), y);
}
#endif

/* 2^x for |x| <= 1/2. */
static INLINE f32s power_fraction(f32s x) {
    f32s p = ALL(f32, 0.0001545316294512069f);

    p = fma_lanes(p, x, ALL(f32, 0.0013390863364671234f));
    p = fma_lanes(p, x, ALL(f32, 0.0096180825572778515f));
    p = fma_lanes(p, x, ALL(f32, 0.055503571142190778f));
    p = fma_lanes(p, x, ALL(f32, 0.24022650760568127f));
    p = fma_lanes(p, x, ALL(f32, 0.69314718802622878f));
    return fma_lanes(p, x, ALL(f32, 1));
}
/* Zero instead of denormal results, as on the hardware. */
static INLINE f32s exp2_flushed(f32s a, f32s power) { return a < -126.0f ? ALL(f32, 0) : power; }
#if WL_LANES == 1 && defined(__NVPTX__)
/* The hardware's own function is off by 2 ulp, and by more close to the least results. Denormal results stay what they are. */
static INLINE f32s exp2_unflushed(f32s a) {
    const f32s bounded = (f32s)least_or_nan(greatest_or_nan(a[0], -160.0f), 130.0f);
    const f32s shifted = bounded + 0x1.8p23f, power = power_fraction(bounded - (shifted - 0x1.8p23f));
    /* The whole part is in the lowest bits of `shifted`; in two parts, because results may be denormal. Of NaN, whose bits are all ones but
     * for the sign, the first part is 0. */
    const u32s bits = (u32s)shifted, half = bits >> 1;

    return (f32s)((u32s)power + ((bits - half) << 23)) * (f32s)((half << 23) + 0x3f800000u);
}
/* What a v_exp_f32 whose argument and result are scaled, so that nothing is flushed, becomes without the scales. */
LANES1(fused_exp2_f32, f32, f32) { return exp2_unflushed(a); }
static INLINE f32s exp2_lanes(f32s a) { return exp2_flushed(a, exp2_unflushed(a)); }
#else
/* Beyond these bounds the result is infinity or, as on the hardware, zero instead of a denormal, which costs the host a hundred times as much.
 * NaN fails both comparisons and stays. */
static INLINE f32s exp2_bounded(f32s a) {
    const f32s below = a > 129.0f ? ALL(f32, 129) : a;

    return below < -126.0f ? ALL(f32, -126) : below;
}
static INLINE f32s exp2_lanes(f32s a) {
    const f32s bounded = exp2_bounded(a);
    const f32s whole = __builtin_elementwise_roundeven(bounded), power = power_fraction(bounded - whole);
    const i32s n = CONVERT(i32s, whole == whole ? whole : ALL(f32, 0)), half = n >> 1;

    return exp2_flushed(a, power * power_of_2(half) * power_of_2(n - half));
}
#endif
LANES1(v_exp_f32, f32, f32) { return exp2_lanes(a); }
LANES1(v_exp_f16, f16, f16) { return CONVERT(f16s, exp2_lanes(wide(a))); }
#ifdef WL_AVX512
static INLINE f32s exp2_scaled(f32s a) {
    const f32s bounded = exp2_bounded(a), whole = __builtin_elementwise_roundeven(bounded), power = power_fraction(bounded - whole);

    return exp2_flushed(a, __builtin_ia32_scalefps512_mask(power, whole, power, -1, CURRENT_ROUNDING));
}
LANES1_AVX512(v_exp_f32, "avx512f", f32, f32) { return exp2_scaled(a); }
#endif

/* log2(m) + exponent for sqrt(1/2) <= m < sqrt(2). */
static INLINE f32s log2_parts(f32s m, f32s exponent) {
    const f32s f = m - 1.0f, log2e_high = ALL(f32, 0x1.715476p+0f), log2e_low = ALL(f32, 1.9259629911266175e-08f);
    f32s q = ALL(f32, 0.09702245862611052f);

    q = fma_lanes(q, f, ALL(f32, -0.1684499033198216f));
    q = fma_lanes(q, f, ALL(f32, 0.17169438030136375f));
    q = fma_lanes(q, f, ALL(f32, -0.1790000253144855f));
    q = fma_lanes(q, f, ALL(f32, 0.20511778897395014f));
    q = fma_lanes(q, f, ALL(f32, -0.2404639248333713f));
    q = fma_lanes(q, f, ALL(f32, 0.2885710353962354f));
    q = fma_lanes(q, f, ALL(f32, -0.3606741309671241f));
    q = fma_lanes(q, f, ALL(f32, 0.48089802205257415f));
    q = fma_lanes(q, f, ALL(f32, -0.7213475168888261f));
    /* log2(e) in two parts, because its rounding error would count twice near 1; and the rounding errors of the larger terms. */
    const f32s main = f * log2e_high, main_error = fma_lanes(f, log2e_high, -main), sum = exponent + main;
    const f32s square = f * f, square_error = fma_lanes(f, f, -square), part = square * q, part_error = fma_lanes(square, q, -part);
    const f32s small = fma_lanes(f, log2e_low, fma_lanes(square_error, q, part_error)) + main_error;
    const f32s result = sum + part, error = ((sum - result) + part) + ((exponent - sum) + main);

    return result + (error + small);
}
#if WL_LANES == 1 && defined(__NVPTX__)
static INLINE f32s log2_lanes(f32s a) {
    const f32s normal = a < 0x1p-126f ? a * 0x1p24f : a, scale = a < 0x1p-126f ? ALL(f32, -24) : ALL(f32, 0);
    const i32s offset = (i32s)normal - 0x3f3504f3;
    const f32s m = (f32s)((offset & 0x007fffff) + 0x3f3504f3), result = log2_parts(m, CONVERT(f32s, offset >> 23) + scale);
    /* Infinity stays, negative numbers and NaN become NaN. */
    const f32s number = (u32s)a < F32_INFINITY ? result : fma_lanes(a, ALL(f32, __builtin_inff()), ALL(f32, __builtin_inff()));

    return a == 0 ? ALL(f32, -__builtin_inff()) : number;
}
#else
static INLINE f32s log2_lanes(f32s a) {
    const masks tiny = a < 0x1p-126f;
    const u32s bits = (u32s)(tiny ? CONVERT(f32s, (i32s)a) : a); /* a denormal's integer: a product would cost the host much */
    /* Counting from sqrt(1/2) upwards, the exponent changes where the mantissa should. */
    const i32s offset = (i32s)bits - 0x3f3504f3, exponent = (offset >> 23) - (tiny & 149);
    const f32s m = (f32s)((offset & 0x007fffff) + 0x3f3504f3), result = log2_parts(m, CONVERT(f32s, exponent));
    const f32s special = a == 0 ? ALL(f32, -__builtin_inff()) : a < 0 ? ALL(f32, __builtin_nanf("")) : a;

    return (a > 0) & ((u32s)a < F32_INFINITY) ? result : special;
}
#endif
LANES1(v_log_f32, f32, f32) { return log2_lanes(a); }
LANES1(v_log_f16, f16, f16) { return CONVERT(f16s, log2_lanes(wide(a))); }

/* sin(2 pi x) for |x| <= 1/4; 2 pi in two parts. */
static INLINE f32s sine_of_quarter(f32s x) {
    const f32s square = x * x;
    f32s q = ALL(f32, 39.818209624812922f);

    q = fma_lanes(q, square, ALL(f32, -76.589273725141643f));
    q = fma_lanes(q, square, ALL(f32, 81.602848477113465f));
    q = fma_lanes(q, square, ALL(f32, -41.341686850855757f));
    q = fma_lanes(q, square, ALL(f32, -1.748455600074497e-07f));
    const f32s y = fma_lanes(x, ALL(f32, 0x1.921fb6p+2f), x * q);

    return y > 1.0f ? ALL(f32, 1) : y < -1.0f ? ALL(f32, -1) : y;
}
static INLINE f32s sine_of_turns(f32s a) {
    const f32s turn = a - __builtin_elementwise_roundeven(a), size = magnitude(turn);

    return sine_of_quarter(with_sign(size > 0.25f ? 0.5f - size : size, (u32s)a ^ (((u32s)turn ^ (u32s)a) & F32_SIGN)));
}
static INLINE f32s cosine_of_turns(f32s a) { return sine_of_quarter(0.25f - magnitude(a - __builtin_elementwise_roundeven(a))); }
LANES1(v_sin_f32, f32, f32) { return sine_of_turns(a); }
LANES1(v_cos_f32, f32, f32) { return cosine_of_turns(a); }
LANES1(v_sin_f16, f16, f16) { return CONVERT(f16s, sine_of_turns(wide(a))); }
LANES1(v_cos_f16, f16, f16) { return CONVERT(f16s, cosine_of_turns(wide(a))); }

/* Hyperbolic tangent, gfx1250: near zero by the continued fraction, elsewhere 1 - 2 / (e^(2 x) + 1). */
static INLINE f32s tanh_lanes(f32s a) {
    const f32s x = magnitude(a), z = x * x;
    const f32s top = fma_lanes(z + 189.0f, z, ALL(f32, 3465)),
               bottom = fma_lanes(fma_lanes(z + 210.0f, z, ALL(f32, 4725)), z, ALL(f32, 10395));
    const f32s near = fma_lanes(-(x * z), top / bottom, x), far = 1.0f - 2.0f / (exp2_lanes(x * 2.88539004f) + 1.0f);

    return with_sign(x < 0.65f ? near : far, (u32s)a);
}
LANES1(v_tanh_f32, f32, f32) { return tanh_lanes(a); }
LANES1(v_tanh_f16, f16, f16) { return CONVERT(f16s, tanh_lanes(wide(a))); }

/* bf16, gfx1250. */
#define ON_BF16(name, expression)                                                                                                          \
    LANES1(v_##name##_bf16, bf16, bf16) {                                                                                                  \
        const f32s x = wide_bf16(a);                                                                                                       \
        return CONVERT(bf16s, bits_of_bf16(expression));                                                                                   \
    }
ON_BF16(rcp, 1.0f / x)
ON_BF16(sqrt, sqrt_lanes(x))
ON_BF16(rsq, v_rsq_f32_(x))
ON_BF16(exp, exp2_lanes(x))
ON_BF16(log, log2_lanes(x))
ON_BF16(sin, sine_of_turns(x))
ON_BF16(cos, cosine_of_turns(x))
ON_BF16(tanh, tanh_lanes(x))

/* gfx12's forms with scalar operands: the same arithmetic on one lane. */
#define ON_SCALAR(name, type, expression)                                                                                                  \
    SCALAR1(name, type, type) {                                                                                                            \
        const f32s x = (f32s)(f32)a;                                                                                                       \
                                                                                                                                           \
        return (type)(expression)[0];                                                                                                      \
    }
#define ON_SCALARS(name, expression) ON_SCALAR(name##_f32, f32, expression) ON_SCALAR(name##_f16, f16, expression)
ON_SCALARS(v_s_exp, exp2_lanes(x))
ON_SCALARS(v_s_log, log2_lanes(x))
ON_SCALARS(v_s_rcp, 1.0f / x)
ON_SCALARS(v_s_rsq, v_rsq_f32_(x))
ON_SCALARS(v_s_sqrt, sqrt_lanes(x))

/* gfx9's older functions differ from the newer ones in special cases alone. */
LANES1(v_exp_legacy_f32, f32, f32) { return exp2_lanes(a); }
LANES1(v_log_legacy_f32, f32, f32) { return log2_lanes(a); }

/* WAVELIFT_MATH=hardware, as AMD documents these instructions: denormals are flushed, arguments and results, whatever MODE says; what is no
 * number is a negative NaN, but for a NaN that was given. */
static INLINE f32s without_denormals(f32s a) { return ((u32s)a & F32_INFINITY) == 0 ? (f32s)((u32s)a & F32_SIGN) : a; }
static INLINE f32s with_nan(f32s a, f32s result) {
    const u32s nan = a == a ? ALL(u32, 0xffc00000) : (u32s)a | 0x00400000;

    return result == result ? result : (f32s)nan;
}
#define AS_DOCUMENTED(name, expression)                                                                                                    \
    static INLINE f32s name##_as_documented(f32s a) {                                                                                      \
        const f32s x = without_denormals(a);                                                                                               \
                                                                                                                                           \
        return with_nan(a, without_denormals(expression));                                                                                 \
    }                                                                                                                                      \
    LANES1(v_##name##_f32_hardware, f32, f32) { return name##_as_documented(a); }
#define SCALAR_AS_DOCUMENTED(name)                                                                                                         \
    SCALAR1(v_s_##name##_f32_hardware, f32, f32) { return name##_as_documented((f32s)(f32)a)[0]; }
AS_DOCUMENTED(rcp, 1.0f / x)
AS_DOCUMENTED(rcp_iflag, 1.0f / x)
AS_DOCUMENTED(rsq, inverse_root(x))
AS_DOCUMENTED(sqrt, sqrt_lanes(x))
AS_DOCUMENTED(exp, exp2_lanes(x))
AS_DOCUMENTED(exp_legacy, exp2_lanes(x))
AS_DOCUMENTED(log, log2_lanes(x))
AS_DOCUMENTED(log_legacy, log2_lanes(x))
SCALAR_AS_DOCUMENTED(rcp)
SCALAR_AS_DOCUMENTED(rsq)
SCALAR_AS_DOCUMENTED(sqrt)
SCALAR_AS_DOCUMENTED(exp)
SCALAR_AS_DOCUMENTED(log)
LANES1(v_rsq_f64_hardware, f64, f64) { return 1.0 / sqrt_lanes(a); } /* the same bits on every host */
/* These keep denormals, and the sign of zero. gfx9's take turns from -256 to 256, and give what 0 gives of other numbers. */
static INLINE f32s turns_of_gfx9(f32s a) { return (magnitude(a) > 256.0f) & (magnitude(a) < __builtin_inff()) ? ALL(f32, 0) : a; }
static INLINE f32s sine_as_documented(f32s a) { return with_nan(a, a == 0 ? a : sine_of_turns(a)); }
static INLINE f32s cosine_as_documented(f32s a) { return with_nan(a, cosine_of_turns(a)); }
LANES1(v_sin_f32_hardware, f32, f32) { return sine_as_documented(a); }
LANES1(v_cos_f32_hardware, f32, f32) { return cosine_as_documented(a); }
LANES1(v_sin_f32_hardware_gfx9, f32, f32) { return sine_as_documented(turns_of_gfx9(a)); }
LANES1(v_cos_f32_hardware_gfx9, f32, f32) { return cosine_as_documented(turns_of_gfx9(a)); }
LANES1(v_sin_f16_hardware, f16, f16) { return CONVERT(f16s, sine_as_documented(wide(a))); }
LANES1(v_sin_f16_hardware_gfx9, f16, f16) { return CONVERT(f16s, sine_as_documented(turns_of_gfx9(wide(a)))); }
LANES1(v_cos_f16_hardware_gfx9, f16, f16) { return CONVERT(f16s, cosine_as_documented(turns_of_gfx9(wide(a)))); }
