/* Scalar unit: f32 and f16 (gfx11.5 and newer). Halves are computed in f32. */
#include "semantics.h"

SCALAR2(s_add_f32, f32, f32, f32) { return a + b; }
SCALAR2(s_sub_f32, f32, f32, f32) { return a - b; }
SCALAR2(s_mul_f32, f32, f32, f32) { return a * b; }
SCALAR2_OLD(s_fmac_f32, f32, f32, f32) { return __builtin_fmaf(a, b, old); }
SCALAR3(s_fmaak_f32, f32, f32, f32, f32) { return __builtin_fmaf(a, b, c); }
SCALAR3(s_fmamk_f32, f32, f32, f32, f32) { return __builtin_fmaf(a, b, c); }
SCALAR1(s_floor_f32, f32, f32) { return __builtin_elementwise_floor(a); }
SCALAR1(s_ceil_f32, f32, f32) { return __builtin_elementwise_ceil(a); }
SCALAR1(s_trunc_f32, f32, f32) { return __builtin_elementwise_trunc(a); }
SCALAR1(s_rndne_f32, f32, f32) { return __builtin_elementwise_roundeven(a); }

static INLINE u32 bits_of(f32 a) { return __builtin_bit_cast(u32, a); }
static INLINE f32 from_bits(u32 a) { return __builtin_bit_cast(f32, a); }
/* Numbers win against NaN, -0 < +0; as float32.c. */
static INLINE f32 lesser(f32 a, f32 b) { return b != b ? a : a != a ? b : a == b ? from_bits(bits_of(a) | bits_of(b)) : a < b ? a : b; }
static INLINE f32 greater(f32 a, f32 b) { return b != b ? a : a != a ? b : a == b ? from_bits(bits_of(a) & bits_of(b)) : a > b ? a : b; }
/* NaN wins. */
static INLINE f32 least(f32 a, f32 b) { return a != a || b != b ? a + b : lesser(a, b); }
static INLINE f32 most(f32 a, f32 b) { return a != a || b != b ? a + b : greater(a, b); }
SCALAR2(s_min_f32, f32, f32, f32) { return lesser(a, b); }
SCALAR2(s_max_f32, f32, f32, f32) { return greater(a, b); }
SCALAR2(s_minimum_f32, f32, f32, f32) { return least(a, b); }
SCALAR2(s_maximum_f32, f32, f32, f32) { return most(a, b); }

SCALAR2(s_add_f16, f16, f16, f16) { return (f16)((f32)a + (f32)b); }
SCALAR2(s_sub_f16, f16, f16, f16) { return (f16)((f32)a - (f32)b); }
SCALAR2(s_mul_f16, f16, f16, f16) { return (f16)((f32)a * (f32)b); }
SCALAR2_OLD(s_fmac_f16, f16, f16, f16) {
    /* Rounded to odd in f32, so that the rounding to f16 is the only one that shows: see lanes_float.h. */
    const f32 product = (f32)a * (f32)b, c = (f32)old, sum = product + c, part = sum - product;
    const f32 error = (product - (sum - part)) + (c - part);
    const u32 bits = bits_of(sum), odd = bits + 1 - ((bits_of(error) ^ bits) >> 31) * 2;

    return (f16)((error < 0 || error > 0) && !(bits & 1) ? from_bits(odd) : sum);
}
SCALAR2(s_min_f16, f16, f16, f16) { return (f16)lesser((f32)a, (f32)b); }
SCALAR2(s_max_f16, f16, f16, f16) { return (f16)greater((f32)a, (f32)b); }
SCALAR2(s_minimum_f16, f16, f16, f16) { return (f16)least((f32)a, (f32)b); }
SCALAR2(s_maximum_f16, f16, f16, f16) { return (f16)most((f32)a, (f32)b); }
SCALAR1(s_floor_f16, f16, f16) { return (f16)__builtin_elementwise_floor((f32)a); }
SCALAR1(s_ceil_f16, f16, f16) { return (f16)__builtin_elementwise_ceil((f32)a); }
SCALAR1(s_trunc_f16, f16, f16) { return (f16)__builtin_elementwise_trunc((f32)a); }
SCALAR1(s_rndne_f16, f16, f16) { return (f16)__builtin_elementwise_roundeven((f32)a); }

/* Conversions: to integers towards zero, saturating, NaN becomes 0. */
SCALAR1(s_cvt_f32_i32, f32, i32) { return (f32)a; }
SCALAR1(s_cvt_f32_u32, f32, u32) { return (f32)a; }
SCALAR1(s_cvt_i32_f32, i32, f32) { return a >= 0x1p31f ? INT32_MAX : a < -0x1p31f ? INT32_MIN : a == a ? (i32)a : 0; }
SCALAR1(s_cvt_u32_f32, u32, f32) { return a >= 0x1p32f ? UINT32_MAX : a > 0 ? (u32)a : 0; }
SCALAR1(s_cvt_f16_f32, f16, f32) { return (f16)a; }
SCALAR1(s_cvt_f32_f16, f32, f16) { return (f32)a; }
SCALAR1(s_cvt_hi_f32_f16, f32, u32) { return (f32) __builtin_bit_cast(f16, (u16)(a >> 16)); }
static INLINE u32 half_towards_zero(f32 a) {
    const f16 nearest = (f16)a;
    const u32 too_far = __builtin_fabsf((f32)nearest) > __builtin_fabsf(a);

    return __builtin_bit_cast(u16, nearest) - too_far;
}
SCALAR2(s_cvt_pk_rtz_f16_f32, u32, f32, f32) { return half_towards_zero(a) | half_towards_zero(b) << 16; }

#define COMPARE(type)                                                                                                                      \
    SCALAR_TEST(s_cmp_lt_##type, type, type) { return (f32)a < (f32)b; }                                                                   \
    SCALAR_TEST(s_cmp_eq_##type, type, type) { return (f32)a == (f32)b; }                                                                  \
    SCALAR_TEST(s_cmp_le_##type, type, type) { return (f32)a <= (f32)b; }                                                                  \
    SCALAR_TEST(s_cmp_gt_##type, type, type) { return (f32)a > (f32)b; }                                                                   \
    SCALAR_TEST(s_cmp_lg_##type, type, type) { return (f32)a < (f32)b || (f32)a > (f32)b; }                                                \
    SCALAR_TEST(s_cmp_ge_##type, type, type) { return (f32)a >= (f32)b; }                                                                  \
    SCALAR_TEST(s_cmp_o_##type, type, type) { return (f32)a == (f32)a && (f32)b == (f32)b; }                                               \
    SCALAR_TEST(s_cmp_u_##type, type, type) { return (f32)a != (f32)a || (f32)b != (f32)b; }                                               \
    SCALAR_TEST(s_cmp_nge_##type, type, type) { return !((f32)a >= (f32)b); }                                                              \
    SCALAR_TEST(s_cmp_nlg_##type, type, type) { return !((f32)a < (f32)b || (f32)a > (f32)b); }                                            \
    SCALAR_TEST(s_cmp_ngt_##type, type, type) { return !((f32)a > (f32)b); }                                                               \
    SCALAR_TEST(s_cmp_nle_##type, type, type) { return !((f32)a <= (f32)b); }                                                              \
    SCALAR_TEST(s_cmp_neq_##type, type, type) { return (f32)a != (f32)b; }                                                                 \
    SCALAR_TEST(s_cmp_nlt_##type, type, type) { return !((f32)a < (f32)b); }
COMPARE(f32)
COMPARE(f16)
