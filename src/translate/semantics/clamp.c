/* Integer instructions with the clamp modifier: NAME_clamp is NAME, saturating. (Clamped floats are the lifter's.) */
#include "semantics.h"

#define SATURATING(type, add, sub)                                                                                                         \
    LANES2(add##_clamp, type, type, type) { return add_saturated(a, b); }                                                                  \
    LANES2(sub##_clamp, type, type, type) { return sub_saturated(a, b); }
SATURATING(u32, v_add_nc_u32, v_sub_nc_u32)
SATURATING(i32, v_add_nc_i32, v_sub_nc_i32)
SATURATING(u16, v_add_nc_u16, v_sub_nc_u16)
SATURATING(i16, v_add_nc_i16, v_sub_nc_i16)
SATURATING(pku16, v_pk_add_u16, v_pk_sub_u16)
SATURATING(pki16, v_pk_add_i16, v_pk_sub_i16)
LANES2(v_subrev_nc_u32_clamp, u32, u32, u32) { return sub_saturated(b, a); }
LANES2(v_subrev_u16_clamp, u16, u16, u16) { return sub_saturated(b, a); }

SATURATING(u64, v_add_nc_u64, v_sub_nc_u64)

/* These sums saturate in any case. */
LANES3(v_add_max_i32_clamp, i32, i32, i32, i32) { return max(add_saturated(a, b), c); }
LANES3(v_add_max_u32_clamp, u32, u32, u32, u32) { return max(add_saturated(a, b), c); }
LANES3(v_add_min_i32_clamp, i32, i32, i32, i32) { return min(add_saturated(a, b), c); }
LANES3(v_add_min_u32_clamp, u32, u32, u32, u32) { return min(add_saturated(a, b), c); }
LANES3(v_pk_add_max_i16_clamp, pki16, pki16, pki16, pki16) { return max(add_saturated(a, b), c); }
LANES3(v_pk_add_max_u16_clamp, pku16, pku16, pku16, pku16) { return max(add_saturated(a, b), c); }
LANES3(v_pk_add_min_i16_clamp, pki16, pki16, pki16, pki16) { return min(add_saturated(a, b), c); }
LANES3(v_pk_add_min_u16_clamp, pku16, pku16, pku16, pku16) { return min(add_saturated(a, b), c); }
LANES3(v_pk_min3_i16_clamp, pki16, pki16, pki16, pki16) { return min(min(a, b), c); }
LANES3(v_pk_max3_i16_clamp, pki16, pki16, pki16, pki16) { return max(max(a, b), c); }
LANES3(v_pk_min3_u16_clamp, pku16, pku16, pku16, pku16) { return min(min(a, b), c); }
LANES3(v_pk_max3_u16_clamp, pku16, pku16, pku16, pku16) { return max(max(a, b), c); }

/* Multiply-adds in twice the width. */
static INLINE u32s saturated_u32(u64s a) { return CONVERT(u32s, min(a, ALL(u64, UINT32_MAX))); }
static INLINE i32s saturated_i32(i64s a) { return CONVERT(i32s, max(min(a, ALL(i64, INT32_MAX)), ALL(i64, INT32_MIN))); }
static INLINE u64s wide24(u32s a) { return CONVERT(u64s, a & 0xffffff); }
static INLINE i64s signed_wide24(i32s a) { return CONVERT(i64s, (i32s)((u32s)a << 8) >> 8); }
LANES3(v_mad_u32_u24_clamp, u32, u32, u32, u32) { return saturated_u32(wide24(a) * wide24(b) + CONVERT(u64s, c)); }
LANES3(v_mad_i32_i24_clamp, i32, i32, i32, i32) { return saturated_i32(signed_wide24(a) * signed_wide24(b) + CONVERT(i64s, c)); }
LANES3(v_mad_u32_u16_clamp, u32, u16, u16, u32) { return saturated_u32(CONVERT(u64s, a) * CONVERT(u64s, b) + CONVERT(u64s, c)); }
LANES3(v_mad_i32_i16_clamp, i32, i16, i16, i32) { return saturated_i32(CONVERT(i64s, a) * CONVERT(i64s, b) + CONVERT(i64s, c)); }
LANES3(v_mad_u16_clamp, u16, u16, u16, u16) {
    const u64s sum = CONVERT(u64s, a) * CONVERT(u64s, b) + CONVERT(u64s, c);

    return CONVERT(u16s, min(sum, ALL(u64, UINT16_MAX)));
}
LANES3(v_mad_i16_clamp, i16, i16, i16, i16) {
    const i64s sum = CONVERT(i64s, a) * CONVERT(i64s, b) + CONVERT(i64s, c);

    return CONVERT(i16s, max(min(sum, ALL(i64, INT16_MAX)), ALL(i64, INT16_MIN)));
}
LANES3(v_mad_u32_clamp, u32, u32, u32, u32) {
    const u64s product = CONVERT(u64s, a) * CONVERT(u64s, b);

    return saturated_u32(product + CONVERT(u64s, c)); /* at most 2^64 - 2^32 */
}
LANES3(v_mad_nc_u64_u32_clamp, u64, u32, u32, u64) { return add_saturated(CONVERT(u64s, a) * CONVERT(u64s, b), c); }
LANES3(v_mad_nc_i64_i32_clamp, i64, i32, i32, i64) { return add_saturated(CONVERT(i64s, a) * CONVERT(i64s, b), c); }
LANES2(v_mul_u32_u24_clamp, u32, u32, u32) { return saturated_u32(wide24(a) * wide24(b)); }
LANES2(v_mul_i32_i24_clamp, i32, i32, i32) { return saturated_i32(signed_wide24(a) * signed_wide24(b)); }
LANES2(v_mul_lo_u16_clamp, u16, u16, u16) {
    const u32s product = CONVERT(u32s, a) * CONVERT(u32s, b);

    return CONVERT(u16s, min(product, ALL(u32, UINT16_MAX)));
}

/* Sums with a carry: the result saturates, the carry tells so. */
LANES2_MASK(v_add_co_u32_clamp, u32, u32, u32) {
    *m = a + b < a;
    return add_saturated(a, b);
}
LANES2_MASK(v_sub_co_u32_clamp, u32, u32, u32) {
    *m = a < b;
    return sub_saturated(a, b);
}
LANES2_MASK(v_subrev_co_u32_clamp, u32, u32, u32) {
    *m = b < a;
    return sub_saturated(b, a);
}
LANES3_MASK(v_add_co_ci_u32_clamp, u32, u32, u32, mask) {
    const u32s sum = a + b - (u32s)c;

    *m = (sum < a) | ((sum == a) & c);
    return *m ? ALL(u32, UINT32_MAX) : sum;
}
LANES3_MASK(v_sub_co_ci_u32_clamp, u32, u32, u32, mask) {
    *m = (a < b) | ((a == b) & c);
    return *m ? ALL(u32, 0) : a - b + (u32s)c;
}
LANES3_MASK(v_subrev_co_ci_u32_clamp, u32, u32, u32, mask) {
    *m = (b < a) | ((a == b) & c);
    return *m ? ALL(u32, 0) : b - a + (u32s)c;
}
LANES3_MASK(v_mad_u64_u32_clamp, u64, u32, u32, u64) {
    const u64s sum = CONVERT(u64s, a) * CONVERT(u64s, b) + c;
    const __typeof__(sum < c) over = sum < c;

    *m = CONVERT(masks, over);
    return over ? ALL(u64, UINT64_MAX) : sum;
}
LANES3_MASK(v_mad_i64_i32_clamp, i64, i32, i32, i64) {
    const i64s product = CONVERT(i64s, a) * CONVERT(i64s, b), sum = (i64s)((u64s)product + (u64s)c);
    const i64s over = ~(product ^ c) & (product ^ sum), limit = (c >> 63) ^ INT64_MAX;

    *m = CONVERT(masks, (i64s)((product < 0) ^ (c < 0) ^ ((u64s)sum < (u64s)c)) != 0);
    return over < 0 ? limit : sum;
}

/* Pairs. */
typedef STRIP(i32, 2) pki32s;
LANES2(v_pk_mul_lo_u16_clamp, pku16, pku16, pku16) {
    const pku32s product = CONVERT(pku32s, a) * CONVERT(pku32s, b);

    return CONVERT(pku16s, min(product, (pku32s)(u32)UINT16_MAX));
}
LANES3(v_pk_mad_u16_clamp, pku16, pku16, pku16, pku16) {
    const pku32s product = CONVERT(pku32s, a) * CONVERT(pku32s, b), sum = add_saturated(product, CONVERT(pku32s, c));

    return CONVERT(pku16s, min(sum, (pku32s)(u32)UINT16_MAX));
}
LANES3(v_pk_mad_i16_clamp, pki16, pki16, pki16, pki16) {
    const pki32s sum = add_saturated(CONVERT(pki32s, a) * CONVERT(pki32s, b), CONVERT(pki32s, c));

    return CONVERT(pki16s, max(min(sum, (pki32s)(i32)INT16_MAX), (pki32s)(i32)INT16_MIN));
}
