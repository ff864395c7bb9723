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
