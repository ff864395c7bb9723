/* Vector unit: f16 arithmetic, one a lane and packed in pairs. Computed in f32, which makes +, -, *, / and square root of halves
 * correctly rounded, and fma by rounding to odd (lanes_float.h). */
#include "lanes_order.h"

LANES2(v_add_f16, f16, f16, f16) { return half(wide(a) + wide(b)); }
LANES2(v_sub_f16, f16, f16, f16) { return half(wide(a) - wide(b)); }
LANES2(v_subrev_f16, f16, f16, f16) { return half(wide(b) - wide(a)); }
LANES2(v_mul_f16, f16, f16, f16) { return half(wide(a) * wide(b)); }
LANES3(v_fma_f16, f16, f16, f16, f16) { return half(fma_of_halves(wide(a), wide(b), wide(c))); }
LANES3(v_fmaak_f16, f16, f16, f16, f16) { return half(fma_of_halves(wide(a), wide(b), wide(c))); }
LANES3(v_fmamk_f16, f16, f16, f16, f16) { return half(fma_of_halves(wide(a), wide(b), wide(c))); }
LANES2_OLD(v_fmac_f16, f16, f16, f16) { return half(fma_of_halves(wide(a), wide(b), wide(c))); }
static INLINE f16s two_roundings(f16s a, f16s b, f16s c) { return half(wide(half(wide(a) * wide(b))) + wide(c)); }
LANES3(v_mad_f16, f16, f16, f16, f16) { return two_roundings(a, b, c); }
LANES3(v_madak_f16, f16, f16, f16, f16) { return two_roundings(a, b, c); }
LANES3(v_madmk_f16, f16, f16, f16, f16) { return two_roundings(a, b, c); }
LANES2_OLD(v_mac_f16, f16, f16, f16) { return two_roundings(a, b, c); }

LANES1(v_floor_f16, f16, f16) { return half(__builtin_elementwise_floor(wide(a))); }
LANES1(v_ceil_f16, f16, f16) { return half(__builtin_elementwise_ceil(wide(a))); }
LANES1(v_trunc_f16, f16, f16) { return half(__builtin_elementwise_trunc(wide(a))); }
LANES1(v_rndne_f16, f16, f16) { return half(__builtin_elementwise_roundeven(wide(a))); }
LANES1(v_fract_f16, f16, f16) {
    const f32s fraction = wide(a) - __builtin_elementwise_floor(wide(a)), below_one = ALL(f32, 0x1.ffcp-1f);

    return half(fraction > below_one ? below_one : fraction);
}
LANES1(v_frexp_exp_i16_f16, i16, f16) {
    const u32s bits = (u32s)wide(a) & ~F32_SIGN;

    return CONVERT(i16s, (bits == 0) | (bits >= F32_INFINITY) ? ALL(i32, 0) : (i32s)(bits >> 23) - 126);
}
LANES1(v_frexp_mant_f16, f16, f16) {
    const u32s bits = (u32s)wide(a), size = bits & ~F32_SIGN;

    return half((size == 0) | (size >= F32_INFINITY) ? wide(a) : (f32s)((bits & 0x807fffff) | 0x3f000000));
}
LANES2(v_ldexp_f16, f16, f16, i16) {
    const i32s n = max(min(CONVERT(i32s, b), ALL(i32, 60)), ALL(i32, -60));

    return half(wide(a) * power_of_2(n));
}

LANES2(v_min_f16, f16, f16, f16) { return half(lesser(wide(a), wide(b))); }
LANES2(v_max_f16, f16, f16, f16) { return half(greater(wide(a), wide(b))); }
LANES3(v_min3_f16, f16, f16, f16, f16) { return half(lesser(lesser(wide(a), wide(b)), wide(c))); }
LANES3(v_max3_f16, f16, f16, f16, f16) { return half(greater(greater(wide(a), wide(b)), wide(c))); }
LANES3(v_minmax_f16, f16, f16, f16, f16) { return half(greater(lesser(wide(a), wide(b)), wide(c))); }
LANES3(v_maxmin_f16, f16, f16, f16, f16) { return half(lesser(greater(wide(a), wide(b)), wide(c))); }
LANES3(v_med3_f16, f16, f16, f16, f16) {
    const f32s x = wide(a), y = wide(b), z = wide(c), low = lesser(x, y), middle = greater(low, lesser(greater(x, y), z));

    return half((x != x) | (y != y) | (z != z) ? lesser(low, z) : middle);
}
LANES2(v_minimum_f16, f16, f16, f16) { return half(least(wide(a), wide(b))); }
LANES2(v_maximum_f16, f16, f16, f16) { return half(most(wide(a), wide(b))); }
LANES3(v_pk_minimum3_f16, pkf16, pkf16, pkf16, pkf16) { return halves(leasts(leasts(wides(a), wides(b)), wides(c))); }
LANES3(v_pk_maximum3_f16, pkf16, pkf16, pkf16, pkf16) { return halves(mosts(mosts(wides(a), wides(b)), wides(c))); }
LANES3(v_minimum3_f16, f16, f16, f16, f16) { return half(least(least(wide(a), wide(b)), wide(c))); }
LANES3(v_maximum3_f16, f16, f16, f16, f16) { return half(most(most(wide(a), wide(b)), wide(c))); }
LANES3(v_minimummaximum_f16, f16, f16, f16, f16) { return half(most(least(wide(a), wide(b)), wide(c))); }
LANES3(v_maximumminimum_f16, f16, f16, f16, f16) { return half(least(most(wide(a), wide(b)), wide(c))); }

/* Pairs. */
LANES2(v_pk_add_f16, pkf16, pkf16, pkf16) { return halves(wides(a) + wides(b)); }
LANES2(v_pk_mul_f16, pkf16, pkf16, pkf16) { return halves(wides(a) * wides(b)); }
LANES3(v_pk_fma_f16, pkf16, pkf16, pkf16, pkf16) { return halves(fma_of_half_pairs(wides(a), wides(b), wides(c))); }
LANES2_OLD(v_pk_fmac_f16, pkf16, pkf16, pkf16) { return halves(fma_of_half_pairs(wides(a), wides(b), wides(c))); }
LANES2(v_pk_min_f16, pkf16, pkf16, pkf16) { return halves(lessers(wides(a), wides(b))); }
LANES2(v_pk_max_f16, pkf16, pkf16, pkf16) { return halves(greaters(wides(a), wides(b))); }
LANES3(v_pk_min3_f16, pkf16, pkf16, pkf16, pkf16) { return halves(lessers(lessers(wides(a), wides(b)), wides(c))); }
LANES3(v_pk_max3_f16, pkf16, pkf16, pkf16, pkf16) { return halves(greaters(greaters(wides(a), wides(b)), wides(c))); }
LANES2(v_pk_minimum_f16, pkf16, pkf16, pkf16) { return halves(leasts(wides(a), wides(b))); }
LANES2(v_pk_maximum_f16, pkf16, pkf16, pkf16) { return halves(mosts(wides(a), wides(b))); }

/* Reciprocals and roots: the f32 result is exact enough to round correctly but for rare ties. */
LANES1(v_rcp_f16, f16, f16) { return half(1.0f / wide(a)); }
LANES1(v_sqrt_f16, f16, f16) { return half(sqrt_lanes(wide(a))); }
LANES1(v_rsq_f16, f16, f16) { return half(1.0f / sqrt_lanes(wide(a))); }
/* The quotient's sign and special values from divisor b and dividend c; a is the quotient so far. */
LANES3(v_div_fixup_f16, f16, f16, f16, f16) {
    const f32s divisor = wide(b), dividend = wide(c), quotient = dividend / divisor;
    const u32s sign = (u32s)divisor ^ (u32s)dividend, size = (u32s)quotient & ~F32_SIGN;
    const masks special = (wide(a) != wide(a)) | (size == 0) | (size >= F32_INFINITY) | (((u32s)divisor & ~F32_SIGN) >= F32_INFINITY);

    return half(special ? quotient : with_sign(wide(a), sign));
}
