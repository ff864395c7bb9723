/* Vector unit: f64 arithmetic. */
#include "lanes_float.h"

LANES2(v_add_f64, f64, f64, f64) { return a + b; }
LANES2(v_mul_f64, f64, f64, f64) { return a * b; }
LANES3(v_fmaak_f64, f64, f64, f64, f64) { return fma_lanes(a, b, c); }
LANES3(v_fmamk_f64, f64, f64, f64, f64) { return fma_lanes(a, b, c); }
LANES3(v_fma_f64, f64, f64, f64, f64) { return fma_lanes(a, b, c); }
LANES2_OLD(v_fmac_f64, f64, f64, f64) { return fma_lanes(a, b, c); }

LANES1(v_floor_f64, f64, f64) { return __builtin_elementwise_floor(a); }
LANES1(v_ceil_f64, f64, f64) { return __builtin_elementwise_ceil(a); }
LANES1(v_trunc_f64, f64, f64) { return __builtin_elementwise_trunc(a); }
LANES1(v_rndne_f64, f64, f64) { return __builtin_elementwise_roundeven(a); }
LANES1(v_fract_f64, f64, f64) {
    const f64s fraction = a - __builtin_elementwise_floor(a), below_one = ALL(f64, 0x1.fffffffffffffp-1);

    return fraction > below_one ? below_one : fraction;
}

LANES1(v_frexp_exp_i32_f64, i32, f64) {
    const u64s bits = (u64s)a & ~F64_SIGN;
    const i64s tiny = (i64s)(bits < 0x0010000000000000);
    const u64s scaled = tiny ? (u64s)(magnitude64(a) * 0x1p53) : bits;
    const i64s exponent = (i64s)(scaled >> 52) - 1022 - (tiny & 53);

    return CONVERT(i32s, (bits == 0) | (bits >= F64_INFINITY) ? ALL(i64, 0) : exponent);
}
LANES1(v_frexp_mant_f64, f64, f64) {
    const u64s bits = (u64s)a & ~F64_SIGN;
    const u64s scaled = (u64s)(bits < 0x0010000000000000 ? a * 0x1p53 : a);
    const f64s mantissa = (f64s)((scaled & 0x800fffffffffffff) | 0x3fe0000000000000);

    return (bits == 0) | (bits >= F64_INFINITY) ? (a == a ? a : a + a) : mantissa;
}
LANES2(v_ldexp_f64, f64, f64, i32) {
    /* In three steps, of which only the last can be inexact: the first two keep 53 bits in reserve, or have lost everything. */
    const i32s n = max(min(b, ALL(i32, 2400)), ALL(i32, -2400));
    const i32s first = n > 1023 ? ALL(i32, 1023) : n < -1022 ? ALL(i32, -969) : ALL(i32, 0);
    const i32s rest = n - first, second = rest > 1023 ? ALL(i32, 1023) : rest < -1022 ? ALL(i32, -969) : ALL(i32, 0);
    const i32s third = max(min(rest - second, ALL(i32, 1023)), ALL(i32, -1022));

    return a * power_of_2_64(CONVERT(i64s, first)) * power_of_2_64(CONVERT(i64s, second)) * power_of_2_64(CONVERT(i64s, third));
}
#ifdef WL_AVX512
static INLINE f64h scale_half(f64h a, f64h n) { return __builtin_ia32_scalefpd512_mask(a, n, a, -1, CURRENT_ROUNDING); }
LANES2_AVX512(v_ldexp_f64, "avx512f", f64, f64, i32) {
    const f64s n = CONVERT(f64s, b);

    return JOIN(scale_half(LOW_HALF(a), LOW_HALF(n)), scale_half(HIGH_HALF(a), HIGH_HALF(n)));
}
#endif

#ifdef __NVPTX__ /* where clearing the sign becomes an instruction that quiets NaN */
static INLINE i64s is_signalling(f64s a) { return (i64s)(((u64s)a << 1) - 0xffe0000000000001 < 0x000fffffffffffff); }
#else
static INLINE i64s is_signalling(f64s a) { return (i64s)(((u64s)a & ~F64_SIGN) - 0x7ff0000000000001 < 0x0007ffffffffffff); }
#endif
static INLINE f64s quiet_signalling(f64s a, f64s b, f64s result) { return is_signalling(a) | is_signalling(b) ? a + b : result; }
#ifdef __NVPTX__ /* as in float32.c */
LANES2(v_min_f64, f64, f64, f64) { return quiet_signalling(a, b, __builtin_elementwise_min(a, b)); }
LANES2(v_max_f64, f64, f64, f64) { return quiet_signalling(a, b, __builtin_elementwise_max(a, b)); }
#else
LANES2(v_min_f64, f64, f64, f64) {
    const f64s least = a < b ? a : b, no_tie = a == b ? (f64s)((u64s)a | (u64s)b) : least;

    return quiet_signalling(a, b, b != b ? a : no_tie);
}
LANES2(v_max_f64, f64, f64, f64) {
    const f64s most = a > b ? a : b, no_tie = a == b ? (f64s)((u64s)a & (u64s)b) : most;

    return quiet_signalling(a, b, b != b ? a : no_tie);
}
#endif
#ifdef WL_AVX512
#define DQ "avx512f,avx512dq"
static INLINE f64h lesser_half(f64h a, f64h b) { return __builtin_ia32_rangepd512_mask(a, b, 4, a, -1, CURRENT_ROUNDING); }
static INLINE f64h greater_half(f64h a, f64h b) { return __builtin_ia32_rangepd512_mask(a, b, 5, a, -1, CURRENT_ROUNDING); }
LANES2_AVX512(v_min_f64, DQ, f64, f64, f64) { return JOIN(lesser_half(LOW_HALF(a), LOW_HALF(b)), lesser_half(HIGH_HALF(a), HIGH_HALF(b))); }
LANES2_AVX512(v_max_f64, DQ, f64, f64, f64) {
    return JOIN(greater_half(LOW_HALF(a), LOW_HALF(b)), greater_half(HIGH_HALF(a), HIGH_HALF(b)));
}
#endif
LANES2(v_minimum_f64, f64, f64, f64) {
    const f64s number = a == b ? (f64s)((u64s)a | (u64s)b) : a < b ? a : b;

    return (a != a) | (b != b) ? a + b : number;
}
LANES2(v_maximum_f64, f64, f64, f64) {
    const f64s number = a == b ? (f64s)((u64s)a & (u64s)b) : a > b ? a : b;

    return (a != a) | (b != b) ? a + b : number;
}
