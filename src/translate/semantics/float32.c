/* Vector unit: f32 arithmetic. Rounded to nearest even, subnormal numbers kept. */
#include "lanes_float.h"

LANES2(v_add_f32, f32, f32, f32) { return a + b; }
LANES2(v_sub_f32, f32, f32, f32) { return a - b; }
LANES2(v_subrev_f32, f32, f32, f32) { return b - a; }
LANES2(v_mul_f32, f32, f32, f32) { return a * b; }
LANES3(v_fma_f32, f32, f32, f32, f32) { return fma_lanes(a, b, c); }
LANES3(v_fmaak_f32, f32, f32, f32, f32) { return fma_lanes(a, b, c); }
LANES3(v_fmamk_f32, f32, f32, f32, f32) { return fma_lanes(a, b, c); }
LANES2_OLD(v_fmac_f32, f32, f32, f32) { return fma_lanes(a, b, c); }
/* Two roundings. */
LANES3(v_mad_f32, f32, f32, f32, f32) { return a * b + c; }
LANES3(v_madak_f32, f32, f32, f32, f32) { return a * b + c; }
LANES3(v_madmk_f32, f32, f32, f32, f32) { return a * b + c; }
LANES2_OLD(v_mac_f32, f32, f32, f32) { return a * b + c; }
/* Zero times anything is zero, infinities and NaN included. */
static INLINE f32s product_dx9(f32s a, f32s b) { return (a == 0) | (b == 0) ? ALL(f32, 0) : a * b; }
LANES2(v_mul_dx9_zero_f32, f32, f32, f32) { return product_dx9(a, b); }
LANES3(v_mad_legacy_f32, f32, f32, f32, f32) { return product_dx9(a, b) + c; }
LANES2_OLD(v_mac_legacy_f32, f32, f32, f32) { return product_dx9(a, b) + c; }
static INLINE f32s fma_dx9(f32s a, f32s b, f32s c) { return (a == 0) | (b == 0) ? c + 0.0f : fma_lanes(a, b, c); }
LANES3(v_fma_dx9_zero_f32, f32, f32, f32, f32) { return fma_dx9(a, b, c); }
LANES2_OLD(v_fmac_dx9_zero_f32, f32, f32, f32) { return fma_dx9(a, b, c); }
/* A product for lighting: where the second factor or the third operand rules it out, the largest negative number. */
LANES3(v_mullit_f32, f32, f32, f32, f32) {
    const masks ruled_out = (b == -0x1.fffffep127f) | (b == -__builtin_inff()) | (b != b) | ~(c > 0);

    return ruled_out ? ALL(f32, -0x1.fffffep127f) : product_dx9(a, b);
}
/* The operands have been chosen and widened by the lifter; lo and hi give a half. */
LANES3(v_fma_mix_f32, f32, f32, f32, f32) { return fma_lanes(a, b, c); }
LANES3(v_fma_mixlo_f16, f16, f32, f32, f32) { return CONVERT(f16s, fma_lanes(a, b, c)); }
LANES3(v_fma_mixhi_f16, f16, f32, f32, f32) { return CONVERT(f16s, fma_lanes(a, b, c)); }
LANES3(v_mad_mix_f32, f32, f32, f32, f32) { return a * b + c; }
LANES3(v_mad_mixlo_f16, f16, f32, f32, f32) { return CONVERT(f16s, a * b + c); }
LANES3(v_mad_mixhi_f16, f16, f32, f32, f32) { return CONVERT(f16s, a * b + c); }

/* Pairs of f32. */
LANES2(v_pk_add_f32, pkf32, pkf32, pkf32) { return a + b; }
LANES2(v_pk_mul_f32, pkf32, pkf32, pkf32) { return a * b; }
LANES3(v_pk_fma_f32, pkf32, pkf32, pkf32, pkf32) { return fma_lanes(a, b, c); }

/* Rounding to integers. */
LANES1(v_floor_f32, f32, f32) { return __builtin_elementwise_floor(a); }
LANES1(v_ceil_f32, f32, f32) { return __builtin_elementwise_ceil(a); }
LANES1(v_trunc_f32, f32, f32) { return __builtin_elementwise_trunc(a); }
LANES1(v_rndne_f32, f32, f32) { return __builtin_elementwise_roundeven(a); }
LANES1(v_fract_f32, f32, f32) {
    const f32s fraction = a - __builtin_elementwise_floor(a), below_one = ALL(f32, 0x1.fffffep-1f);

    return fraction > below_one ? below_one : fraction; /* -2^-30 is not a whole 1 above its floor */
}

/* Exponent and mantissa: a = mantissa * 2^exponent, with the mantissa's magnitude in [0.5, 1). */
LANES1(v_frexp_exp_i32_f32, i32, f32) {
    const u32s bits = (u32s)a & ~F32_SIGN, tiny = (u32s)CONVERT(i32s, bits < 0x00800000);
    const u32s scaled = tiny != 0 ? (u32s)(magnitude(a) * 0x1p24f) : bits;
    const i32s exponent = (i32s)(scaled >> 23) - 126 - ((i32s)tiny & 24);

    return (bits == 0) | (bits >= F32_INFINITY) ? ALL(i32, 0) : exponent;
}
LANES1(v_frexp_mant_f32, f32, f32) {
    const u32s bits = (u32s)a & ~F32_SIGN;
    const u32s scaled = (u32s)(bits < 0x00800000 ? a * 0x1p24f : a);
    const f32s mantissa = (f32s)((scaled & 0x807fffff) | 0x3f000000);

    return (bits == 0) | (bits >= F32_INFINITY) ? (a == a ? a : a + a) : mantissa;
}
LANES2(v_ldexp_f32, f32, f32, i32) {
#ifdef __NVPTX__
    if (max(min(b, ALL(i32, 127)), ALL(i32, -126))[0] == b[0])
        return a * power_of_2(b);
#endif
    /* Exact in f64, so that only the last step rounds. */
    const i32s n = max(min(b, ALL(i32, 400)), ALL(i32, -400));

    return CONVERT(f32s, CONVERT(f64s, a) * power_of_2_64(CONVERT(i64s, n)));
}
#ifdef WL_AVX512
LANES2_AVX512(v_ldexp_f32, "avx512f", f32, f32, i32) {
    return __builtin_ia32_scalefps512_mask(a, CONVERT(f32s, b), a, -1, CURRENT_ROUNDING);
}
#endif

/* Minimum and maximum of IEEE 754-2008: a number wins against a quiet NaN, -0 < +0, a signalling NaN gives a quiet NaN. */
#ifdef __NVPTX__ /* where clearing the sign becomes an instruction that quiets NaN */
static INLINE masks is_signalling(f32s a) { return ((u32s)a << 1) - 0xff000001 < 0x007fffff; }
#else
static INLINE masks is_signalling(f32s a) { return ((u32s)a & ~F32_SIGN) - 0x7f800001 < 0x003fffff; }
#endif
static INLINE f32s quiet_signalling(f32s a, f32s b, f32s result) { return is_signalling(a) | is_signalling(b) ? a + b : result; }
#ifdef __NVPTX__ /* whose own ones are the same but for signalling NaN (nvptx/signalling.c) */
static INLINE f32s lesser(f32s a, f32s b) { return quiet_signalling(a, b, __builtin_elementwise_min(a, b)); }
static INLINE f32s greater(f32s a, f32s b) { return quiet_signalling(a, b, __builtin_elementwise_max(a, b)); }
#else
static INLINE f32s lesser(f32s a, f32s b) {
    const f32s least = a < b ? a : b, no_tie = a == b ? (f32s)((u32s)a | (u32s)b) : least;

    return quiet_signalling(a, b, b != b ? a : no_tie);
}
static INLINE f32s greater(f32s a, f32s b) {
    const f32s most = a > b ? a : b, no_tie = a == b ? (f32s)((u32s)a & (u32s)b) : most;

    return quiet_signalling(a, b, b != b ? a : no_tie);
}
#endif
static INLINE masks any_nan3(f32s a, f32s b, f32s c) { return (a != a) | (b != b) | (c != c); }
#define ORDER_F32(SHAPE2, SHAPE3, form, lesser, greater)                                                                                   \
    SHAPE2(v_min_f32##form, f32, f32, f32) { return lesser(a, b); }                                                                        \
    SHAPE2(v_max_f32##form, f32, f32, f32) { return greater(a, b); }                                                                       \
    SHAPE3(v_min3_f32##form, f32, f32, f32, f32) { return lesser(lesser(a, b), c); }                                                       \
    SHAPE3(v_max3_f32##form, f32, f32, f32, f32) { return greater(greater(a, b), c); }                                                     \
    SHAPE3(v_minmax_f32##form, f32, f32, f32, f32) { return greater(lesser(a, b), c); }                                                    \
    SHAPE3(v_maxmin_f32##form, f32, f32, f32, f32) { return lesser(greater(a, b), c); }                                                    \
    SHAPE3(v_med3_f32##form, f32, f32, f32, f32) {                                                                                         \
        const f32s low = lesser(a, b), middle = greater(low, lesser(greater(a, b), c));                                                    \
                                                                                                                                           \
        return any_nan3(a, b, c) ? lesser(low, c) : middle;                                                                                \
    }
ORDER_F32(LANES2, LANES3, , lesser, greater)
/* In units that may run with MODE flushing denormals: a sum with zero flushes where the host does, and is nothing else. */
static INLINE f32s flushed(f32s a) { return a + (f32s)((u32s)a & F32_SIGN); }
#ifndef __NVPTX__ /* whose own ones flush */
static INLINE f32s lesser_flushed(f32s a, f32s b) { return flushed(lesser(a, b)); }
static INLINE f32s greater_flushed(f32s a, f32s b) { return flushed(greater(a, b)); }
ORDER_F32(LANES2, LANES3, _flushed, lesser_flushed, greater_flushed)
#endif
#ifdef WL_AVX512
/* VRANGE is exactly that minimum and maximum, and flushes. */
static INLINE f32s lesser512(f32s a, f32s b) { return __builtin_ia32_rangeps512_mask(a, b, 4, a, -1, CURRENT_ROUNDING); }
static INLINE f32s greater512(f32s a, f32s b) { return __builtin_ia32_rangeps512_mask(a, b, 5, a, -1, CURRENT_ROUNDING); }
#define LANES2_DQ(name, R, A, B)    LANES2_AVX512(name, "avx512f,avx512dq", R, A, B)
#define LANES3_DQ(name, R, A, B, C) LANES3_AVX512(name, "avx512f,avx512dq", R, A, B, C)
ORDER_F32(LANES2_DQ, LANES3_DQ, , lesser512, greater512)
ORDER_F32(LANES2_DQ, LANES3_DQ, _flushed, lesser512, greater512)
#endif

/* Minimum and maximum of IEEE 754-2019: any NaN gives NaN. */
static INLINE f32s least(f32s a, f32s b) {
    const f32s number = a == b ? (f32s)((u32s)a | (u32s)b) : a < b ? a : b;

    return (a != a) | (b != b) ? a + b : number;
}
static INLINE f32s most(f32s a, f32s b) {
    const f32s number = a == b ? (f32s)((u32s)a & (u32s)b) : a > b ? a : b;

    return (a != a) | (b != b) ? a + b : number;
}
#define ORDER_NAN_F32(form, least, most)                                                                                                   \
    LANES2(v_minimum_f32##form, f32, f32, f32) { return least(a, b); }                                                                     \
    LANES2(v_maximum_f32##form, f32, f32, f32) { return most(a, b); }                                                                      \
    LANES3(v_minimum3_f32##form, f32, f32, f32, f32) { return least(least(a, b), c); }                                                     \
    LANES3(v_maximum3_f32##form, f32, f32, f32, f32) { return most(most(a, b), c); }                                                       \
    LANES3(v_minimummaximum_f32##form, f32, f32, f32, f32) { return most(least(a, b), c); }                                                \
    LANES3(v_maximumminimum_f32##form, f32, f32, f32, f32) { return least(most(a, b), c); }
ORDER_NAN_F32(, least, most)
static INLINE f32s least_flushed(f32s a, f32s b) { return flushed(least(a, b)); }
static INLINE f32s most_flushed(f32s a, f32s b) { return flushed(most(a, b)); }
ORDER_NAN_F32(_flushed, least_flushed, most_flushed)

/* Cube maps: a, b, c are x, y, z. z wins over y wins over x when magnitudes are equal. */
static INLINE masks z_major(f32s a, f32s b, f32s c) { return (magnitude(c) >= magnitude(a)) & (magnitude(c) >= magnitude(b)); }
static INLINE masks y_major(f32s a, f32s b) { return magnitude(b) >= magnitude(a); }
LANES3(v_cubeid_f32, f32, f32, f32, f32) {
    const f32s z = c < 0 ? ALL(f32, 5) : ALL(f32, 4), y = b < 0 ? ALL(f32, 3) : ALL(f32, 2), x = a < 0 ? ALL(f32, 1) : ALL(f32, 0);

    return z_major(a, b, c) ? z : y_major(a, b) ? y : x;
}
LANES3(v_cubesc_f32, f32, f32, f32, f32) {
    const f32s z = c < 0 ? -a : a, x = a < 0 ? c : -c;

    return z_major(a, b, c) ? z : y_major(a, b) ? a : x;
}
LANES3(v_cubetc_f32, f32, f32, f32, f32) {
    const f32s y = b < 0 ? -c : c;

    return z_major(a, b, c) ? -b : y_major(a, b) ? y : -b;
}
LANES3(v_cubema_f32, f32, f32, f32, f32) { return 2.0f * (z_major(a, b, c) ? c : y_major(a, b) ? b : a); }
