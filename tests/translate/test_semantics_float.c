/* References of floating-point semantics, from the C library and from arithmetic in wider types. */
#include "test_semantics.h"

#include <fenv.h>

double as_f16(uint64_t bits) {
    const int exponent = (int)(bits >> 10 & 31);
    const double mantissa = (double)(bits & 1023), sign = bits & 0x8000 ? -1 : 1;

    if (exponent == 31)
        return mantissa != 0 ? NAN : sign * INFINITY;
    return sign * (exponent == 0 ? ldexp(mantissa, -24) : ldexp(mantissa + 1024, exponent - 25));
}

/* Rounds to nearest even. */
uint64_t f16_bits(double value) {
    const uint64_t sign = signbit(value) ? 0x8000 : 0;
    int exponent;
    double scaled;

    if (isnan(value))
        return sign | 0x7e00 | (f64_bits(value) >> 42 & 0x1ff);
    if (isinf(value))
        return sign | 0x7c00;
    frexp(value, &exponent);
    if (exponent < -13)
        exponent = -13;
    scaled = nearbyint(ldexp(fabs(value), 11 - exponent)); /* units of the last place */
    if (scaled >= 2048) {
        scaled /= 2;
        exponent++;
    }
    if (exponent > 16)
        return sign | 0x7c00;
    return sign | (scaled < 1024 ? (uint64_t)scaled : ((uint64_t)(exponent + 14) << 10) + (uint64_t)scaled - 1024);
}

#define FA as_f32(s[0])
#define FB as_f32(s[1])
#define FC as_f32(s[2])
#define DA as_f64(s[0])
#define DB as_f64(s[1])
#define DC as_f64(s[2])
#define HA as_f16(s[0])
#define HB as_f16(s[1])
#define HC as_f16(s[2])
#define F(name, expression)                                                                                                                \
    static void ref_##name(uint64_t *d, const uint64_t *s) { d[0] = f32_bits((float)(expression)); }
#define D(name, expression)                                                                                                                \
    static void ref_##name(uint64_t *d, const uint64_t *s) { d[0] = f64_bits(expression); }
#define H(name, expression)                                                                                                                \
    static void ref_##name(uint64_t *d, const uint64_t *s) { d[0] = f16_bits(expression); }
#define W(name, expression)                                                                                                                \
    static void ref_##name(uint64_t *d, const uint64_t *s) { d[0] = (uint32_t)(expression); }
#define H_INT(name, expression)                                                                                                            \
    static void ref_##name(uint64_t *d, const uint64_t *s) { d[0] = (uint16_t)(expression); }

/* The number wins; a signalling NaN (`signalling`) gives NaN; -0 < +0. */
static double lesser(double a, double b, bool signalling) {
    if (signalling)
        return NAN;
    if (isnan(a) || isnan(b))
        return isnan(a) ? b : a;
    return a < b || (a == b && signbit(a)) ? a : b;
}
static double greater(double a, double b, bool signalling) {
    return isnan(a) || isnan(b) ? lesser(a, b, signalling) : -lesser(-a, -b, false);
}
static double least(double a, double b) { return isnan(a) || isnan(b) ? NAN : lesser(a, b, false); }
static double most(double a, double b) { return isnan(a) || isnan(b) ? NAN : greater(a, b, false); }
static bool signals32(uint64_t a) { return (a & 0x7fffffff) > 0x7f800000 && !(a & 0x400000); }
static bool signals64(uint64_t a) { return (a & INT64_MAX) > 0x7ff0000000000000 && !(a & 0x8000000000000); }

/* A chain of two: the first step's NaN is quiet, so that only the second's own operand can signal again. */
static double lesser3(const uint64_t *s) { return lesser(lesser(FA, FB, signals32(s[0]) || signals32(s[1])), FC, signals32(s[2])); }
static double greater3(const uint64_t *s) { return greater(greater(FA, FB, signals32(s[0]) || signals32(s[1])), FC, signals32(s[2])); }
static double median(double a, double b, double c) { return greater(lesser(a, b, false), lesser(greater(a, b, false), c, false), false); }
static bool any_nan(double a, double b, double c) { return isnan(a) || isnan(b) || isnan(c); }

/* f32 arithmetic. */
F(v_add_f32, FA + FB)
F(v_sub_f32, FA - FB)
F(v_subrev_f32, FB - FA)
F(v_mul_f32, FA *FB)
F(v_fma_f32, fmaf(FA, FB, FC))
static float product(float a, float b) {
    volatile float rounded = a * b;

    return rounded;
}
F(v_mad_f32, product(FA, FB) + FC)
F(v_mul_dx9_zero_f32, FA == 0 || FB == 0 ? 0 : FA * FB)
F(v_mad_legacy_f32, (FA == 0 || FB == 0 ? 0 : product(FA, FB)) + FC)
F(v_fma_dx9_zero_f32, FA == 0 || FB == 0 ? 0 + FC : fmaf(FA, FB, FC))
H(v_fma_mixlo_f16, fmaf(FA, FB, FC))
H(v_mad_mixlo_f16, product(FA, FB) + FC)
F(v_floor_f32, floorf(FA))
F(v_ceil_f32, ceilf(FA))
F(v_trunc_f32, truncf(FA))
F(v_rndne_f32, nearbyintf(FA))
F(v_fract_f32, isnan(FA - floorf(FA)) ? NAN : fminf(FA - floorf(FA), 0x1.fffffep-1f))
static int exponent_of(double a) {
    int exponent = 0;

    if (isfinite(a))
        frexp(a, &exponent);
    return exponent;
}
static double mantissa_of(double a) {
    int exponent;

    return isfinite(a) ? frexp(a, &exponent) : a;
}
W(v_frexp_exp_i32_f32, exponent_of(FA))
F(v_frexp_mant_f32, mantissa_of(FA))
static int limited(int32_t n) { return n > 5000 ? 5000 : n < -5000 ? -5000 : n; }
F(v_ldexp_f32, ldexpf(FA, limited((int32_t)s[1])))
F(v_min_f32, lesser(FA, FB, signals32(s[0]) || signals32(s[1])))
F(v_max_f32, greater(FA, FB, signals32(s[0]) || signals32(s[1])))
F(v_min3_f32, lesser3(s))
F(v_max3_f32, greater3(s))
F(v_minmax_f32, greater(lesser(FA, FB, signals32(s[0]) || signals32(s[1])), FC, signals32(s[2])))
F(v_maxmin_f32, lesser(greater(FA, FB, signals32(s[0]) || signals32(s[1])), FC, signals32(s[2])))
F(v_med3_f32, any_nan(FA, FB, FC) ? lesser3(s) : median(FA, FB, FC))
F(v_minimum_f32, least(FA, FB))
F(v_maximum_f32, most(FA, FB))
F(v_minimum3_f32, least(least(FA, FB), FC))
F(v_maximum3_f32, most(most(FA, FB), FC))
F(v_minimummaximum_f32, most(least(FA, FB), FC))
F(v_maximumminimum_f32, least(most(FA, FB), FC))
/* The face of a cube: +x, -x, +y, -y, +z, -z. */
static int face(const uint64_t *s) {
    const float x = fabsf(FA), y = fabsf(FB), z = fabsf(FC);

    if (z >= x && z >= y)
        return FC < 0 ? 5 : 4;
    if (y >= x)
        return FB < 0 ? 3 : 2;
    return FA < 0 ? 1 : 0;
}
F(v_cubeid_f32, face(s))
F(v_cubema_f32, 2 * (face(s) >= 4 ? FC : face(s) >= 2 ? FB : FA))
F(v_cubesc_f32, face(s) == 0 ? -FC : face(s) == 1 ? FC : face(s) == 5 ? -FA : FA)
F(v_cubetc_f32, face(s) == 2 ? FC : face(s) == 3 ? -FC : -FB)

/* Functions: the double result, rounded once more. */
F(v_rcp_f32, 1.0 / FA)
F(v_sqrt_f32, sqrt(FA))
F(v_rsq_f32, 1.0 / sqrt(FA))
F(v_exp_f32, FA < -126 ? 0 : exp2(FA)) /* as on hardware: no denormals */
F(v_log_f32, log2(FA))
static double turn(double a) { return a - nearbyint(a); }
F(v_sin_f32, turn(FA) == 0 || fabs(turn(FA)) == 0.5 ? copysign(0, FA) : sin(2 * M_PI * turn(FA)))
F(v_cos_f32, fabs(turn(FA)) == 0.25 ? 0 : cos(2 * M_PI * turn(FA)))
H(v_rcp_f16, 1 / HA)
H(v_sqrt_f16, sqrt(HA))
H(v_rsq_f16, 1 / sqrt(HA))
H(v_exp_f16, exp2(HA))
H(v_log_f16, log2(HA))
H(v_sin_f16, turn(HA) == 0 || fabs(turn(HA)) == 0.5 ? copysign(0, HA) : sin(2 * M_PI * turn(HA)))
H(v_cos_f16, fabs(turn(HA)) == 0.25 ? 0 : cos(2 * M_PI * turn(HA)))
D(v_rcp_f64, 1 / DA)
D(v_sqrt_f64, sqrt(DA))
D(v_rsq_f64, 1 / sqrt(DA))

/* f64. */
D(v_add_f64, DA + DB)
D(v_mul_f64, DA *DB)
D(v_fma_f64, fma(DA, DB, DC))
D(v_floor_f64, floor(DA))
D(v_ceil_f64, ceil(DA))
D(v_trunc_f64, trunc(DA))
D(v_rndne_f64, nearbyint(DA))
D(v_fract_f64, isnan(DA - floor(DA)) ? NAN : fmin(DA - floor(DA), 0x1.fffffffffffffp-1))
W(v_frexp_exp_i32_f64, exponent_of(DA))
D(v_frexp_mant_f64, mantissa_of(DA))
D(v_ldexp_f64, ldexp(DA, limited((int32_t)s[1])))
D(v_min_f64, lesser(DA, DB, signals64(s[0]) || signals64(s[1])))
D(v_max_f64, greater(DA, DB, signals64(s[0]) || signals64(s[1])))
D(v_minimum_f64, least(DA, DB))
D(v_maximum_f64, most(DA, DB))
/* 53 bits of 2 / pi from any bit on, one at a time. */
static const char two_over_pi[] = /* hexadecimal digits behind the point */
    "a2f9836e4e441529fc2757d1f534ddc0db6295993c439041fe5163abdebbc561b7246e3a424dd2e006492eea09d1921cfe1deb1cb129a73ee88235f52ebb4484"
    "e99c7026b45f7e413991d639835339f49c845f8bbdf9283b1ff897ffde05980fef2f118b5a0a6d1f6d367ecf27cb09b74f463f669e5fea2d7527bac7ebe5f17b"
    "3d0739f78a5292ea6bfb5fb11f8d5d0856033046fc7b";
static unsigned pi_bit(int64_t index) {
    const int64_t digit = index / 4;
    const char c = digit < (int64_t)sizeof(two_over_pi) - 1 ? two_over_pi[digit] : '0';
    const unsigned value = c >= 'a' ? (unsigned)(c - 'a') + 10 : (unsigned)(c - '0');

    return index < 1201 ? value >> (3 - index % 4) & 1 : 0;
}
static double pi_segment(uint64_t a, uint32_t segment) {
    const int exponent = (int)(a >> 52 & 2047), shift = (int)(segment & 31) * 53 + (exponent > 1077 ? exponent - 1077 : 0);
    double bits = 0;

    for (int i = 0; i < 53; i++)
        bits = bits * 2 + pi_bit(shift + i);
    return ldexp(bits, -53 - shift + (exponent >= 1968 ? 128 : 0));
}
D(v_trig_preop_f64, pi_segment(s[0], (uint32_t)s[1]))

/* f16. */
H(v_add_f16, HA + HB)
H(v_sub_f16, HA - HB)
H(v_subrev_f16, HB - HA)
H(v_mul_f16, HA *HB)
H(v_fma_f16, fma(HA, HB, HC))
H(v_mad_f16, as_f16(f16_bits(HA *HB)) + HC)
H(v_floor_f16, floor(HA))
H(v_ceil_f16, ceil(HA))
H(v_trunc_f16, trunc(HA))
H(v_rndne_f16, nearbyint(HA))
H(v_fract_f16, isnan(HA - floor(HA)) ? NAN : fmin(HA - floor(HA), 0x1.ffcp-1))
H_INT(v_frexp_exp_i16_f16, exponent_of(HA))
H(v_frexp_mant_f16, mantissa_of(HA))
H(v_ldexp_f16, ldexp(HA, limited((int16_t)s[1])))
H(v_min_f16, lesser(HA, HB, false))
H(v_max_f16, greater(HA, HB, false))
H(v_min3_f16, lesser(lesser(HA, HB, false), HC, false))
H(v_max3_f16, greater(greater(HA, HB, false), HC, false))
H(v_minmax_f16, greater(lesser(HA, HB, false), HC, false))
H(v_maxmin_f16, lesser(greater(HA, HB, false), HC, false))
H(v_med3_f16, any_nan(HA, HB, HC) ? lesser(lesser(HA, HB, false), HC, false) : median(HA, HB, HC))
H(v_minimum_f16, least(HA, HB))
H(v_maximum_f16, most(HA, HB))
H(v_minimum3_f16, least(least(HA, HB), HC))
H(v_maximum3_f16, most(most(HA, HB), HC))
H(v_minimummaximum_f16, most(least(HA, HB), HC))
H(v_maximumminimum_f16, least(most(HA, HB), HC))

/* Both elements by the reference of one. */
#define PAIR(name, one, bits)                                                                                                              \
    static void ref_##name(uint64_t *d, const uint64_t *s) {                                                                               \
        const uint64_t mask = (UINT64_C(1) << bits) - 1, low[] = {s[0] & mask, s[1] & mask, s[2] & mask};                                  \
        const uint64_t high[] = {s[0] >> bits, s[1] >> bits, s[2] >> bits};                                                                \
        uint64_t first, second;                                                                                                            \
        ref_##one(&first, low);                                                                                                            \
        ref_##one(&second, high);                                                                                                          \
        d[0] = first | second << bits;                                                                                                     \
    }
PAIR(v_pk_add_f16, v_add_f16, 16)
PAIR(v_pk_mul_f16, v_mul_f16, 16)
PAIR(v_pk_fma_f16, v_fma_f16, 16)
PAIR(v_pk_min_f16, v_min_f16, 16)
PAIR(v_pk_max_f16, v_max_f16, 16)
PAIR(v_pk_minimum_f16, v_minimum_f16, 16)
PAIR(v_pk_maximum_f16, v_maximum_f16, 16)
PAIR(v_pk_add_f32, v_add_f32, 32)
PAIR(v_pk_mul_f32, v_mul_f32, 32)
PAIR(v_pk_fma_f32, v_fma_f32, 32)

/* Conversions. */
static int64_t bounded(double a, double low, double high) { return isnan(a) ? 0 : (int64_t)fmax(fmin(trunc(a), high), low); }
static uint64_t towards_zero(double a) {
    const uint64_t nearest = f16_bits(a);

    return fabs(as_f16(nearest)) > fabs(a) ? nearest - 1 : nearest;
}
static uint64_t bf16_bits(float a) {
    const uint64_t bits = f32_bits(a), rest = bits & 0xffff, kept = bits >> 16;

    return isnan(a) ? kept | 0x40 : rest > 0x8000 || (rest == 0x8000 && (kept & 1)) ? kept + 1 : kept;
}
static uint64_t pair(uint64_t low, uint64_t high) { return (low & 0xffff) | (high & 0xffff) << 16; }
static double nearest_even(float a) { return nearbyintf(a); }
F(v_cvt_f32_i32, (int32_t)s[0])
F(v_cvt_f32_u32, (uint32_t)s[0])
D(v_cvt_f64_i32, (int32_t)s[0])
D(v_cvt_f64_u32, (uint32_t)s[0])
W(v_cvt_i32_f32, bounded(FA, INT32_MIN, INT32_MAX))
W(v_cvt_u32_f32, bounded(FA, 0, UINT32_MAX))
W(v_cvt_i32_f64, bounded(DA, INT32_MIN, INT32_MAX))
W(v_cvt_u32_f64, bounded(DA, 0, UINT32_MAX))
W(v_cvt_nearest_i32_f32, bounded(floorf(FA + 0.5f), INT32_MIN, INT32_MAX))
W(v_cvt_floor_i32_f32, bounded(floorf(FA), INT32_MIN, INT32_MAX))
F(v_cvt_f32_ubyte0, s[0] & 255)
F(v_cvt_f32_ubyte1, s[0] >> 8 & 255)
F(v_cvt_f32_ubyte2, s[0] >> 16 & 255)
F(v_cvt_f32_ubyte3, s[0] >> 24 & 255)
F(v_cvt_off_f32_i4, ((int)(s[0] & 15) - (s[0] & 8 ? 16 : 0)) / 16.0)
W(v_cvt_pk_u8_f32, (s[2] & ~(UINT64_C(255) << s[1] % 4 * 8)) | (uint64_t)bounded(FA, 0, 255) << s[1] % 4 * 8)
F(v_cvt_f32_f64, DA)
D(v_cvt_f64_f32, FA)
H(v_cvt_f16_f32, FA)
F(v_cvt_f32_f16, HA)
W(v_cvt_pk_rtz_f16_f32, pair(towards_zero(FA), towards_zero(FB)))
W(v_cvt_pk_f16_f32, pair(f16_bits(FA), f16_bits(FB)))
F(v_cvt_f32_bf16, as_f32(s[0] << 16))
W(v_cvt_pk_bf16_f32, pair(bf16_bits(FA), bf16_bits(FB)))
H(v_cvt_f16_u16, s[0])
H(v_cvt_f16_i16, (int16_t)s[0])
H_INT(v_cvt_u16_f16, bounded(HA, 0, 65535))
H_INT(v_cvt_i16_f16, bounded(HA, -32768, 32767))
H_INT(v_cvt_norm_i16_f16, bounded(nearest_even((float)HA * 32767), -32767, 32767))
H_INT(v_cvt_norm_u16_f16, bounded(nearest_even((float)HA * 65535), 0, 65535))
W(v_cvt_pk_norm_i16_f32,
  pair((uint64_t)bounded(nearest_even(FA * 32767), -32767, 32767), (uint64_t)bounded(nearest_even(FB * 32767), -32767, 32767)))
W(v_cvt_pk_norm_u16_f32, pair((uint64_t)bounded(nearest_even(FA * 65535), 0, 65535), (uint64_t)bounded(nearest_even(FB * 65535), 0, 65535)))
W(v_cvt_pk_norm_i16_f16, pair((uint64_t)bounded(nearest_even((float)HA * 32767), -32767, 32767),
                              (uint64_t)bounded(nearest_even((float)HB * 32767), -32767, 32767)))
W(v_cvt_pk_norm_u16_f16,
  pair((uint64_t)bounded(nearest_even((float)HA * 65535), 0, 65535), (uint64_t)bounded(nearest_even((float)HB * 65535), 0, 65535)))
W(v_cvt_pk_i16_f32, pair((uint64_t)bounded(FA, -32768, 32767), (uint64_t)bounded(FB, -32768, 32767)))
W(v_cvt_pk_u16_f32, pair((uint64_t)bounded(FA, 0, 65535), (uint64_t)bounded(FB, 0, 65535)))
W(v_cvt_pk_u16_u32, pair((uint64_t)bounded((uint32_t)s[0], 0, 65535), (uint64_t)bounded((uint32_t)s[1], 0, 65535)))
W(v_cvt_pk_i16_i32, pair((uint64_t)bounded((int32_t)s[0], -32768, 32767), (uint64_t)bounded((int32_t)s[1], -32768, 32767)))
W(s_cvt_pk_rtz_f16_f32, pair(towards_zero(FA), towards_zero(FB)))
F(s_cvt_hi_f32_f16, as_f16(s[0] >> 16))

/* Dot products: the low product first, each step one fma in f32. */
static float dot_f16(const uint64_t *s, float c) {
    return fmaf((float)as_f16(s[0] >> 16), (float)as_f16(s[1] >> 16), fmaf((float)as_f16(s[0] & 0xffff), (float)as_f16(s[1] & 0xffff), c));
}
static float dot_bf16(const uint64_t *s, float c) {
    return fmaf(as_f32(s[0] & 0xffff0000), as_f32(s[1] & 0xffff0000), fmaf(as_f32(s[0] << 16), as_f32(s[1] << 16), c));
}
F(v_dot2_f32_f16, dot_f16(s, FC))
H(v_dot2_f16_f16, dot_f16(s, (float)HC))
F(v_dot2_f32_bf16, dot_bf16(s, FC))

H_INT(v_dot2_bf16_bf16, bf16_bits(dot_bf16(s, as_f32(s[2] << 16))))

/* The quotient q of c by b, put right; `least_difference` is the smallest difference of biased exponents at which q still counts,
 * `lowest` the exponent that subnormal numbers are held to have. */
static double fixed_up(double q, double b, double c, int least_difference, int lowest) {
    if (isnan(q) || isnan(b) || isnan(c) || b == 0 || c == 0 || isinf(b) || isinf(c) ||
        fmax(ilogb(c), lowest) - fmax(ilogb(b), lowest) < least_difference)
        return c / b;
    return copysign(q, signbit(b) != signbit(c) ? -1 : 1);
}
F(v_div_fixup_f32, fixed_up(FA, FB, FC, -150, -127))
D(v_div_fixup_f64, fixed_up(DA, DB, DC, -1075, -1023))
H(v_div_fixup_f16, fixed_up(HA, HB, HC, -150, -127))
F(v_div_fixup_f32_after_fmas, FC / FB)
D(v_div_fixup_f64_after_fmas, DC / DB)
F(s_min_f32, lesser(FA, FB, false))
F(s_max_f32, greater(FA, FB, false))

/* Comparisons. */
#define COMPARE(name, expression)                                                                                                          \
    static void ref_##name(uint64_t *d, const uint64_t *s) { d[0] = (expression) ? 0xffffffff : 0; }                                       \
    __attribute__((unused)) static void ref_s_##name(uint64_t *d, const uint64_t *s) { d[0] = (expression) ? 1 : 0; }
/* clang-format off */
#define COMPARES(type, a, b)                                                                                                               \
    COMPARE(f_##type, s == d)                                                                                                              \
    COMPARE(lt_##type, a < b) COMPARE(eq_##type, a == b) COMPARE(le_##type, a <= b) COMPARE(gt_##type, a > b)                              \
    COMPARE(lg_##type, islessgreater(a, b)) COMPARE(ge_##type, a >= b) COMPARE(o_##type, !isunordered(a, b))                               \
    COMPARE(u_##type, isunordered(a, b)) COMPARE(nge_##type, !(a >= b)) COMPARE(nlg_##type, !islessgreater(a, b))                          \
    COMPARE(ngt_##type, !(a > b)) COMPARE(nle_##type, !(a <= b)) COMPARE(neq_##type, a != b) COMPARE(nlt_##type, !(a < b))                 \
    COMPARE(t_##type, s != d)
/* clang-format on */
COMPARES(f16, HA, HB)
COMPARES(f32, FA, FB)
COMPARES(f64, DA, DB)
static unsigned class_of(double a, bool quiet, double smallest) {
    const bool minus = signbit(a);

    if (isnan(a))
        return quiet ? 1 : 0;
    if (isinf(a))
        return minus ? 2 : 9;
    if (a == 0)
        return minus ? 5 : 6;
    if (fabs(a) < smallest)
        return minus ? 4 : 7;
    return minus ? 3 : 8;
}
COMPARE(class_f16, s[1] >> class_of(HA, s[0] & 0x200, 0x1p-14) & 1)
COMPARE(class_f32, s[1] >> class_of(FA, !signals32(s[0]), 0x1p-126) & 1)
COMPARE(class_f64, s[1] >> class_of(DA, !signals64(s[0]), 0x1p-1022) & 1)

#define ROW_AS(name, as, ulp) {#name, ref_##as, ulp},
#define ROW(name)             {#name, ref_##name, 0},
#define ULP(name, ulp)        {#name, ref_##name, ulp},
#define SCALAR_COMPARES(type)                                                                                                              \
    {"s_cmp_lt_" #type, ref_s_lt_##type, 0}, {"s_cmp_eq_" #type, ref_s_eq_##type, 0}, {"s_cmp_le_" #type, ref_s_le_##type, 0},             \
        {"s_cmp_gt_" #type, ref_s_gt_##type, 0}, {"s_cmp_lg_" #type, ref_s_lg_##type, 0}, {"s_cmp_ge_" #type, ref_s_ge_##type, 0},         \
        {"s_cmp_o_" #type, ref_s_o_##type, 0}, {"s_cmp_u_" #type, ref_s_u_##type, 0}, {"s_cmp_nge_" #type, ref_s_nge_##type, 0},           \
        {"s_cmp_nlg_" #type, ref_s_nlg_##type, 0}, {"s_cmp_ngt_" #type, ref_s_ngt_##type, 0}, {"s_cmp_nle_" #type, ref_s_nle_##type, 0},   \
        {"s_cmp_neq_" #type, ref_s_neq_##type, 0}, {"s_cmp_nlt_" #type, ref_s_nlt_##type, 0},
#define VECTOR_COMPARES(type)                                                                                                              \
    {"v_cmp_f_" #type, ref_f_##type, 0}, {"v_cmp_lt_" #type, ref_lt_##type, 0}, {"v_cmp_eq_" #type, ref_eq_##type, 0},                     \
        {"v_cmp_le_" #type, ref_le_##type, 0}, {"v_cmp_gt_" #type, ref_gt_##type, 0}, {"v_cmp_lg_" #type, ref_lg_##type, 0},               \
        {"v_cmp_ge_" #type, ref_ge_##type, 0}, {"v_cmp_o_" #type, ref_o_##type, 0}, {"v_cmp_u_" #type, ref_u_##type, 0},                   \
        {"v_cmp_nge_" #type, ref_nge_##type, 0}, {"v_cmp_nlg_" #type, ref_nlg_##type, 0}, {"v_cmp_ngt_" #type, ref_ngt_##type, 0},         \
        {"v_cmp_nle_" #type, ref_nle_##type, 0}, {"v_cmp_neq_" #type, ref_neq_##type, 0}, {"v_cmp_nlt_" #type, ref_nlt_##type, 0},         \
        {"v_cmp_t_" #type, ref_t_##type, 0}, {"v_cmp_class_" #type, ref_class_##type, 0},
/* An instruction of the scalar unit with the meaning of a vector one. */
#define SCALAR(name, type) ROW_AS(s_##name##_##type, v_##name##_##type, 0)
/* clang-format off */
#define SCALAR_ARITHMETIC(type)                                                                                                            \
    SCALAR(add, type)                                                                                                                      \
    SCALAR(sub, type) SCALAR(mul, type) SCALAR(minimum, type) SCALAR(maximum, type) SCALAR(floor, type) SCALAR(ceil, type)                 \
    SCALAR(trunc, type) SCALAR(rndne, type) ROW_AS(s_fmac_##type, v_fma_##type, 0)
/* clang-format on */

/* The macros bring their commas, which the formatter cannot know. */
/* clang-format off */
const struct reference float_references[] = {
    ROW(v_add_f32) ROW(v_sub_f32) ROW(v_subrev_f32) ROW(v_mul_f32) ROW(v_fma_f32) ROW(v_mad_f32) ROW(v_mul_dx9_zero_f32)
    ROW(v_mad_legacy_f32) ROW(v_fma_dx9_zero_f32) ROW(v_fma_mixlo_f16) ROW(v_mad_mixlo_f16) ROW(v_floor_f32) ROW(v_ceil_f32)
    ROW(v_trunc_f32) ROW(v_rndne_f32) ROW(v_fract_f32) ROW(v_frexp_exp_i32_f32) ROW(v_frexp_mant_f32) ROW(v_ldexp_f32)
    ROW(v_min_f32) ROW(v_max_f32) ROW(v_min3_f32) ROW(v_max3_f32) ROW(v_minmax_f32) ROW(v_maxmin_f32) ROW(v_med3_f32)
    ROW(v_minimum_f32) ROW(v_maximum_f32) ROW(v_minimum3_f32) ROW(v_maximum3_f32) ROW(v_minimummaximum_f32)
    ROW(v_maximumminimum_f32) ROW(v_cubeid_f32) ROW(v_cubema_f32) ROW(v_cubesc_f32) ROW(v_cubetc_f32) ROW(v_add_f64)
    ROW(v_mul_f64) ROW(v_fma_f64) ROW(v_floor_f64) ROW(v_ceil_f64) ROW(v_trunc_f64) ROW(v_rndne_f64) ROW(v_fract_f64)
    ROW(v_frexp_exp_i32_f64) ROW(v_frexp_mant_f64) ROW(v_ldexp_f64) ROW(v_min_f64) ROW(v_max_f64) ROW(v_minimum_f64)
    ROW(v_maximum_f64) ROW(v_trig_preop_f64) ROW(v_add_f16) ROW(v_sub_f16) ROW(v_subrev_f16) ROW(v_mul_f16) ROW(v_fma_f16)
    ROW(v_mad_f16) ROW(v_floor_f16) ROW(v_ceil_f16) ROW(v_trunc_f16) ROW(v_rndne_f16) ROW(v_fract_f16) ROW(v_frexp_exp_i16_f16)
    ROW(v_frexp_mant_f16) ROW(v_ldexp_f16) ROW(v_min_f16) ROW(v_max_f16) ROW(v_min3_f16) ROW(v_max3_f16) ROW(v_minmax_f16)
    ROW(v_maxmin_f16) ROW(v_med3_f16) ROW(v_minimum_f16) ROW(v_maximum_f16) ROW(v_minimum3_f16) ROW(v_maximum3_f16)
    ROW(v_minimummaximum_f16) ROW(v_maximumminimum_f16) ROW(v_pk_add_f16) ROW(v_pk_mul_f16) ROW(v_pk_fma_f16) ROW(v_pk_min_f16)
    ROW(v_pk_max_f16) ROW(v_pk_minimum_f16) ROW(v_pk_maximum_f16) ROW(v_pk_add_f32) ROW(v_pk_mul_f32) ROW(v_pk_fma_f32)
    ROW(v_cvt_f32_i32) ROW(v_cvt_f32_u32) ROW(v_cvt_f64_i32) ROW(v_cvt_f64_u32) ROW(v_cvt_i32_f32) ROW(v_cvt_u32_f32)
    ROW(v_cvt_i32_f64) ROW(v_cvt_u32_f64) ROW(v_cvt_nearest_i32_f32) ROW(v_cvt_floor_i32_f32) ROW(v_cvt_f32_ubyte0)
    ROW(v_cvt_f32_ubyte1) ROW(v_cvt_f32_ubyte2) ROW(v_cvt_f32_ubyte3) ROW(v_cvt_off_f32_i4) ROW(v_cvt_pk_u8_f32)
    ROW(v_cvt_f32_f64) ROW(v_cvt_f64_f32) ROW(v_cvt_f16_f32) ROW(v_cvt_f32_f16) ROW(v_cvt_pk_rtz_f16_f32) ROW(v_cvt_pk_f16_f32)
    ROW(v_cvt_f32_bf16) ROW(v_cvt_pk_bf16_f32) ROW(v_cvt_f16_u16) ROW(v_cvt_f16_i16) ROW(v_cvt_u16_f16) ROW(v_cvt_i16_f16)
    ROW(v_cvt_norm_i16_f16) ROW(v_cvt_norm_u16_f16) ROW(v_cvt_pk_norm_i16_f32) ROW(v_cvt_pk_norm_u16_f32)
    ROW(v_cvt_pk_norm_i16_f16) ROW(v_cvt_pk_norm_u16_f16) ROW(v_cvt_pk_i16_f32) ROW(v_cvt_pk_u16_f32) ROW(v_cvt_pk_u16_u32)
    ROW(v_cvt_pk_i16_i32) ROW(s_cvt_pk_rtz_f16_f32) ROW(s_cvt_hi_f32_f16) ROW(v_dot2_f32_f16) ROW(v_dot2_f16_f16)
    ROW(v_dot2_f32_bf16)
    ROW(v_dot2_bf16_bf16) ROW(v_div_fixup_f16) ROW(v_div_fixup_f32_after_fmas) ROW(v_div_fixup_f64_after_fmas) ROW(s_min_f32) ROW(s_max_f32)
    ROW(v_div_fixup_f32) ROW(v_div_fixup_f64)
    VECTOR_COMPARES(f16) VECTOR_COMPARES(f32) VECTOR_COMPARES(f64) SCALAR_COMPARES(f16) SCALAR_COMPARES(f32)
    SCALAR_ARITHMETIC(f16) SCALAR_ARITHMETIC(f32) SCALAR(min, f16) SCALAR(max, f16)
    ROW_AS(v_fmaak_f32, v_fma_f32, 0) ROW_AS(v_fmamk_f32, v_fma_f32, 0) ROW_AS(v_fmac_f32, v_fma_f32, 0) ROW_AS(v_fma_mix_f32, v_fma_f32, 0)
    ROW_AS(v_madak_f32, v_mad_f32, 0) ROW_AS(v_madmk_f32, v_mad_f32, 0) ROW_AS(v_mac_f32, v_mad_f32, 0) ROW_AS(v_mad_mix_f32, v_mad_f32, 0)
    ROW_AS(v_mac_legacy_f32, v_mad_legacy_f32, 0) ROW_AS(v_fmac_dx9_zero_f32, v_fma_dx9_zero_f32, 0)
    ROW_AS(v_fma_mixhi_f16, v_fma_mixlo_f16, 0) ROW_AS(v_mad_mixhi_f16, v_mad_mixlo_f16, 0) ROW_AS(v_fmac_f64, v_fma_f64, 0)
    ROW_AS(v_fmaak_f16, v_fma_f16, 0) ROW_AS(v_fmamk_f16, v_fma_f16, 0) ROW_AS(v_fmac_f16, v_fma_f16, 0) ROW_AS(v_pk_fmac_f16, v_pk_fma_f16, 0)
    ROW_AS(v_madak_f16, v_mad_f16, 0) ROW_AS(v_madmk_f16, v_mad_f16, 0) ROW_AS(v_mac_f16, v_mad_f16, 0)
    ROW_AS(v_dot2c_f32_f16, v_dot2_f32_f16, 0) ROW_AS(v_dot2c_f32_bf16, v_dot2_f32_bf16, 0)
    ROW_AS(s_fmaak_f32, v_fma_f32, 0) ROW_AS(s_fmamk_f32, v_fma_f32, 0)
    ROW_AS(s_cvt_f32_i32, v_cvt_f32_i32, 0) ROW_AS(s_cvt_f32_u32, v_cvt_f32_u32, 0) ROW_AS(s_cvt_i32_f32, v_cvt_i32_f32, 0)
    ROW_AS(s_cvt_u32_f32, v_cvt_u32_f32, 0) ROW_AS(s_cvt_f16_f32, v_cvt_f16_f32, 0) ROW_AS(s_cvt_f32_f16, v_cvt_f32_f16, 0)
    ULP(v_rcp_f32, 1) ROW_AS(v_rcp_iflag_f32, v_rcp_f32, 1) ULP(v_sqrt_f32, 0) ULP(v_rsq_f32, 1) ULP(v_exp_f32, 1) ULP(v_log_f32, 1)
    ULP(v_sin_f32, 2) ULP(v_cos_f32, 2) ULP(v_rcp_f16, 0) ULP(v_sqrt_f16, 0) ULP(v_rsq_f16, 1) ULP(v_exp_f16, 1) ULP(v_log_f16, 1)
    ULP(v_sin_f16, 1) ULP(v_cos_f16, 1) ULP(v_rcp_f64, 0x1p24) ULP(v_sqrt_f64, 0) ULP(v_rsq_f64, 0x1p24)
    ROW_AS(v_exp_legacy_f32, v_exp_f32, 1) ROW_AS(v_log_legacy_f32, v_log_f32, 1) ROW_AS(v_s_exp_f32, v_exp_f32, 1)
    ROW_AS(v_s_log_f32, v_log_f32, 1) ROW_AS(v_s_rcp_f32, v_rcp_f32, 1) ROW_AS(v_s_rsq_f32, v_rsq_f32, 1) ROW_AS(v_s_sqrt_f32, v_sqrt_f32, 0)
    ROW_AS(v_s_exp_f16, v_exp_f16, 1) ROW_AS(v_s_log_f16, v_log_f16, 1) ROW_AS(v_s_rcp_f16, v_rcp_f16, 0) ROW_AS(v_s_rsq_f16, v_rsq_f16, 1)
    ROW_AS(v_s_sqrt_f16, v_sqrt_f16, 0)
    {NULL, NULL, 0},
};
/* clang-format on */
