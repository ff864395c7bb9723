#include "references.h"

#include <stdbool.h>
#include <stdlib.h>

/* a * b + c rounded once, then scaled: up if c, the quotient so far, is not small, else down. */
static void ref_v_div_fmas_f32(uint64_t *d, const uint64_t *s) {
    const float a = as_f32(s[0]), b = as_f32(s[1]), c = as_f32(s[2]);
    const double exact = (double)a * b + c; /* a double holds the product, and nearly the sum */

    if (!s[3])
        d[0] = f32_bits(fmaf(a, b, c));
    else if (fabsf(c) >= 2)
        d[0] = f32_bits((float)ldexp(fmaf(a, b, c), 64));
    else
        d[0] = f32_bits(isinf(fmaf(a, b, c)) ? fmaf(a, b, c) : (float)ldexp(exact, -64));
}
static void ref_v_div_fmas_f64(uint64_t *d, const uint64_t *s) {
    const double sum = fma(as_f64(s[0]), as_f64(s[1]), as_f64(s[2]));

    d[0] = f64_bits(s[3] ? ldexp(sum, fabs(as_f64(s[2])) >= 2 ? 128 : -128) : sum);
}

/* Clamped integers: the exact result, brought into range. */
#define U(i) ((uint32_t)s[i])
#define I(i) ((int32_t)s[i])
typedef __int128 wide_int;
static uint64_t in_range(wide_int value, wide_int low, wide_int high) {
    return (uint64_t)(value < low ? low : value > high ? high : value);
}
static int64_t low24(uint64_t a, bool is_signed) {
    const int64_t bits = (int64_t)(a & 0xffffff);

    return is_signed && bits >> 23 ? bits - 0x1000000 : bits;
}
#define CLAMP(name, exact, low, high)                                                                                                      \
    static void ref_##name(uint64_t *d, const uint64_t *s) { d[0] = in_range(exact, low, high); }
#define CLAMP_I32(name, exact) CLAMP(name, exact, INT32_MIN, INT32_MAX)
#define CLAMP_U32(name, exact) CLAMP(name, exact, 0, UINT32_MAX)
CLAMP_U32(v_mul_u32_u24_clamp, (wide_int)low24(s[0], false) * low24(s[1], false))
CLAMP_I32(v_mul_i32_i24_clamp, (wide_int)low24(s[0], true) * low24(s[1], true))
CLAMP(v_mul_lo_u16_clamp, (wide_int)(s[0] * s[1]), 0, UINT16_MAX)

static int64_t difference(uint64_t a, uint64_t b, unsigned bits, bool masked) {
    int64_t sum = 0;

    for (unsigned i = 0; i < 32; i += bits) {
        const int64_t x = (int64_t)(a >> i & ((UINT64_C(1) << bits) - 1)), y = (int64_t)(b >> i & ((UINT64_C(1) << bits) - 1));

        sum += masked && y == 0 ? 0 : llabs(x - y);
    }
    return sum;
}
CLAMP_U32(v_sad_u8_clamp, (wide_int)difference(s[0], s[1], 8, false) + U(2))
CLAMP_U32(v_sad_hi_u8_clamp, ((wide_int)difference(s[0], s[1], 8, false) << 16) + U(2))
CLAMP_U32(v_sad_u16_clamp, (wide_int)difference(s[0], s[1], 16, false) + U(2))
CLAMP_U32(v_sad_u32_clamp, (wide_int)difference(s[0], s[1], 32, false) + U(2))
CLAMP_U32(v_msad_u8_clamp, (wide_int)difference(s[0], s[1], 8, true) + U(2))
static void four_clamped(uint64_t *d, const uint64_t *s, bool masked) {
    d[0] = 0;
    for (unsigned i = 0; i < 4; i++)
        d[0] |= in_range(difference(s[0] >> 8 * i & UINT32_MAX, s[1], 8, masked) + (int64_t)(s[2] >> 16 * i & 0xffff), 0, UINT16_MAX)
                << 16 * i;
}
static void ref_v_qsad_pk_u16_u8_clamp(uint64_t *d, const uint64_t *s) { four_clamped(d, s, false); }
static void ref_v_mqsad_pk_u16_u8_clamp(uint64_t *d, const uint64_t *s) { four_clamped(d, s, true); }
static void four_wide(uint64_t *d, const uint64_t *s, bool clamp) {
    const uint64_t c[] = {s[2] & UINT32_MAX, s[2] >> 32, s[8] & UINT32_MAX, s[8] >> 32};
    uint64_t r[4];

    for (unsigned i = 0; i < 4; i++) {
        const wide_int sum = (wide_int)difference(s[0] >> 8 * i & UINT32_MAX, s[1], 8, true) + c[i];

        r[i] = clamp ? in_range(sum, 0, UINT32_MAX) : (uint32_t)sum;
    }
    d[0] = r[0] | r[1] << 32;
    d[2] = r[2] | r[3] << 32;
}
static void ref_v_mqsad_u32_u8(uint64_t *d, const uint64_t *s) { four_wide(d, s, false); }
static void ref_v_mqsad_u32_u8_clamp(uint64_t *d, const uint64_t *s) { four_wide(d, s, true); }

/* Sums with carry: d[1] is the carry or borrow. */
#define CARRY(name, exact)                                                                                                                 \
    static void ref_##name(uint64_t *d, const uint64_t *s) {                                                                               \
        const wide_int sum = exact;                                                                                                        \
                                                                                                                                           \
        d[0] = in_range(sum, 0, UINT32_MAX);                                                                                               \
        d[1] = sum < 0 || sum > UINT32_MAX;                                                                                                \
    }
CARRY(v_add_co_u32_clamp, (wide_int)U(0) + U(1))
CARRY(v_sub_co_u32_clamp, (wide_int)U(0) - U(1))
CARRY(v_subrev_co_u32_clamp, (wide_int)U(1) - U(0))
CARRY(v_add_co_ci_u32_clamp, (wide_int)U(0) + U(1) + (s[2] != 0))
CARRY(v_sub_co_ci_u32_clamp, (wide_int)U(0) - U(1) - (s[2] != 0))
CARRY(v_subrev_co_ci_u32_clamp, (wide_int)U(1) - U(0) - (s[2] != 0))
static void ref_v_mad_u64_u32_clamp(uint64_t *d, const uint64_t *s) {
    const unsigned __int128 sum = (unsigned __int128)((uint64_t)U(0) * U(1)) + s[2];

    d[0] = sum >> 64 ? UINT64_MAX : (uint64_t)sum;
    d[1] = sum >> 64 != 0;
}
static void ref_v_mad_i64_i32_clamp(uint64_t *d, const uint64_t *s) {
    const wide_int sum = (wide_int)((int64_t)I(0) * I(1)) + (int64_t)s[2];

    d[0] = in_range(sum, INT64_MIN, INT64_MAX);
    d[1] = (uint64_t)(sum >> 64 & 1);
}
#define PAIR_CLAMP(name, exact, low, high)                                                                                                 \
    static void ref_##name(uint64_t *d, const uint64_t *s) {                                                                               \
        d[0] = 0;                                                                                                                          \
        for (unsigned shift = 0; shift < 32; shift += 16)                                                                                  \
            d[0] |= (in_range(exact, low, high) & 0xffff) << shift;                                                                        \
    }
#define PU(i) ((wide_int)(s[i] >> shift & 0xffff))
#define PI(i) ((wide_int)(int16_t)(s[i] >> shift))
PAIR_CLAMP(v_pk_mul_lo_u16_clamp, PU(0) * PU(1), 0, UINT16_MAX)
PAIR_CLAMP(v_pk_mad_u16_clamp, PU(0) * PU(1) + PU(2), 0, UINT16_MAX)
PAIR_CLAMP(v_pk_mad_i16_clamp, PI(0) * PI(1) + PI(2), INT16_MIN, INT16_MAX)

/* Dot products that saturate, with the old value as the addend. */
static int64_t signed_dot(const uint64_t *s, unsigned bits) {
    int64_t sum = 0;

    for (unsigned i = 0; i < 32; i += bits) {
        const int64_t x = (int64_t)(s[0] << (64 - bits - i)) >> (64 - bits), y = (int64_t)(s[1] << (64 - bits - i)) >> (64 - bits);

        sum += x * y;
    }
    return sum;
}
CLAMP_I32(v_dot2c_i32_i16_clamp, (wide_int)signed_dot(s, 16) + I(2))
CLAMP_I32(v_dot4c_i32_i8_clamp, (wide_int)signed_dot(s, 8) + I(2))
CLAMP_I32(v_dot8c_i32_i4_clamp, (wide_int)signed_dot(s, 4) + I(2))

/* A product for lighting: 0 * x is 0; -FLT_MAX where the second factor or the third operand rules it out. */
static void ref_v_mullit_f32(uint64_t *d, const uint64_t *s) {
    const float a = as_f32(s[0]), b = as_f32(s[1]), c = as_f32(s[2]), lowest = -0x1.fffffep127f;
    const bool out = b == lowest || (isinf(b) && b < 0) || isnan(b) || c <= 0 || isnan(c);

    d[0] = f32_bits(out ? lowest : a == 0 || b == 0 ? 0 : a * b);
}
/* The value as a byte, put at one of four places in the old value s[2]. */
static void ref_v_cvt_pkaccum_u8_f32(uint64_t *d, const uint64_t *s) {
    const double x = trunc(as_f32(s[0]));
    const uint64_t byte = isnan(x) || x < 0 ? 0 : x > 255 ? 255 : (uint64_t)x;
    const unsigned shift = s[1] % 4 * 8;

    d[0] = (s[2] & ~(UINT64_C(0xff) << shift)) | byte << shift;
}

#define ROW(name) {#name, ref_##name, 0}
const struct reference more_references[] = {
    {"v_div_fmas_f32", ref_v_div_fmas_f32, 1}, /* where both the sum and the scaling round, one unit may differ */
    {"v_div_fmas_f64", ref_v_div_fmas_f64, 1},
    ROW(v_mul_u32_u24_clamp),
    ROW(v_mul_i32_i24_clamp),
    ROW(v_mul_lo_u16_clamp),
    ROW(v_sad_u8_clamp),
    ROW(v_sad_hi_u8_clamp),
    ROW(v_sad_u16_clamp),
    ROW(v_sad_u32_clamp),
    ROW(v_msad_u8_clamp),
    ROW(v_qsad_pk_u16_u8_clamp),
    ROW(v_mqsad_pk_u16_u8_clamp),
    ROW(v_mqsad_u32_u8),
    ROW(v_mqsad_u32_u8_clamp),
    ROW(v_add_co_u32_clamp),
    ROW(v_sub_co_u32_clamp),
    ROW(v_subrev_co_u32_clamp),
    ROW(v_add_co_ci_u32_clamp),
    ROW(v_sub_co_ci_u32_clamp),
    ROW(v_subrev_co_ci_u32_clamp),
    ROW(v_mad_u64_u32_clamp),
    ROW(v_mad_i64_i32_clamp),
    ROW(v_pk_mul_lo_u16_clamp),
    ROW(v_pk_mad_u16_clamp),
    ROW(v_pk_mad_i16_clamp),
    ROW(v_dot2c_i32_i16_clamp),
    ROW(v_dot4c_i32_i8_clamp),
    ROW(v_dot8c_i32_i4_clamp),
    ROW(v_mullit_f32),
    ROW(v_cvt_pkaccum_u8_f32),
    {NULL, NULL, 0},
};
