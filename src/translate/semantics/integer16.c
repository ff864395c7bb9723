/* Vector unit: 16-bit integers, one a lane and packed in pairs. */
#include "semantics.h"

LANES1(v_mov_b16, u16, u16) { return a; }
LANES3(v_cndmask_b16, u16, u16, u16, mask) { return CONVERT(i16s, c) ? b : a; }
LANES1(v_not_b16, u16, u16) { return ~a; }
LANES2(v_and_b16, u16, u16, u16) { return a & b; }
LANES2(v_or_b16, u16, u16, u16) { return a | b; }
LANES2(v_xor_b16, u16, u16, u16) { return a ^ b; }
LANES2(v_add_nc_u16, u16, u16, u16) { return a + b; }
LANES2(v_sub_nc_u16, u16, u16, u16) { return a - b; }
LANES2(v_subrev_u16, u16, u16, u16) { return b - a; }
LANES2(v_add_nc_i16, i16, i16, i16) { return (i16s)((u16s)a + (u16s)b); }
LANES2(v_sub_nc_i16, i16, i16, i16) { return (i16s)((u16s)a - (u16s)b); }
LANES2(v_mul_lo_u16, u16, u16, u16) { return a * b; }
LANES3(v_mad_u16, u16, u16, u16, u16) { return a * b + c; }
LANES3(v_mad_i16, i16, i16, i16, i16) { return (i16s)((u16s)a * (u16s)b + (u16s)c); }
LANES2(v_lshlrev_b16, u16, u16, u16) { return b << (a & 15); }
LANES2(v_lshrrev_b16, u16, u16, u16) { return b >> (a & 15); }
LANES2(v_ashrrev_i16, i16, u16, i16) { return b >> (i16s)(a & 15); }
LANES2(v_min_i16, i16, i16, i16) { return min(a, b); }
LANES2(v_max_i16, i16, i16, i16) { return max(a, b); }
LANES2(v_min_u16, u16, u16, u16) { return min(a, b); }
LANES2(v_max_u16, u16, u16, u16) { return max(a, b); }
LANES3(v_min3_i16, i16, i16, i16, i16) { return min(min(a, b), c); }
LANES3(v_max3_i16, i16, i16, i16, i16) { return max(max(a, b), c); }
LANES3(v_min3_u16, u16, u16, u16, u16) { return min(min(a, b), c); }
LANES3(v_max3_u16, u16, u16, u16, u16) { return max(max(a, b), c); }
LANES3(v_med3_i16, i16, i16, i16, i16) { return max(min(a, b), min(max(a, b), c)); }
LANES3(v_med3_u16, u16, u16, u16, u16) { return max(min(a, b), min(max(a, b), c)); }

/* Pairs. */
LANES2(v_pk_add_u16, pku16, pku16, pku16) { return a + b; }
LANES2(v_pk_sub_u16, pku16, pku16, pku16) { return a - b; }
LANES2(v_pk_add_i16, pku16, pku16, pku16) { return a + b; }
LANES2(v_pk_sub_i16, pku16, pku16, pku16) { return a - b; }
LANES2(v_pk_mul_lo_u16, pku16, pku16, pku16) { return a * b; }
LANES3(v_pk_mad_u16, pku16, pku16, pku16, pku16) { return a * b + c; }
LANES3(v_pk_mad_i16, pku16, pku16, pku16, pku16) { return a * b + c; }
LANES2(v_pk_lshlrev_b16, pku16, pku16, pku16) { return b << (a & 15); }
LANES2(v_pk_lshrrev_b16, pku16, pku16, pku16) { return b >> (a & 15); }
LANES2(v_pk_ashrrev_i16, pki16, pku16, pki16) { return b >> (pki16s)(a & 15); }
LANES2(v_pk_min_i16, pki16, pki16, pki16) { return min(a, b); }
LANES2(v_pk_max_i16, pki16, pki16, pki16) { return max(a, b); }
LANES2(v_pk_min_u16, pku16, pku16, pku16) { return min(a, b); }
LANES2(v_pk_max_u16, pku16, pku16, pku16) { return max(a, b); }
LANES3(v_pk_min3_i16, pki16, pki16, pki16, pki16) { return min(min(a, b), c); }
LANES3(v_pk_max3_i16, pki16, pki16, pki16, pki16) { return max(max(a, b), c); }
LANES3(v_pk_min3_u16, pku16, pku16, pku16, pku16) { return min(min(a, b), c); }
LANES3(v_pk_max3_u16, pku16, pku16, pku16, pku16) { return max(max(a, b), c); }
LANES3(v_pk_add_max_i16, pki16, pki16, pki16, pki16) { return max(add_saturated(a, b), c); }
LANES3(v_pk_add_max_u16, pku16, pku16, pku16, pku16) { return max(add_saturated(a, b), c); }
LANES3(v_pk_add_min_i16, pki16, pki16, pki16, pki16) { return min(add_saturated(a, b), c); }
LANES3(v_pk_add_min_u16, pku16, pku16, pku16, pku16) { return min(add_saturated(a, b), c); }
LANES2(v_pack_b32_f16, u32, u16, u16) { return CONVERT(u32s, a) | CONVERT(u32s, b) << 16; }
LANES1(v_cvt_u32_u16, u32, u16) { return CONVERT(u32s, a); }
LANES1(v_cvt_i32_i16, i32, i16) { return CONVERT(i32s, a); }
/* gfx1250: four bytes, each clamped to 4 bits. */
static INLINE u32s nibble_placed(i32s byte, i32 low, i32 high, u32 at) {
    return ((u32s)max(min(byte, ALL(i32, high)), ALL(i32, low)) & 15) << 4 * at;
}
static INLINE i32s signed_byte(u32s a, u32 at) { return (i32s)(a << (24 - 8 * at)) >> 24; }
static INLINE i32s plain_byte(u32s a, u32 at) { return (i32s)(a >> 8 * at & 0xff); }
LANES1(v_sat_pk4_i4_i8, u16, u32) {
    return CONVERT(u16s, nibble_placed(signed_byte(a, 0), -8, 7, 0) | nibble_placed(signed_byte(a, 1), -8, 7, 1) |
                             nibble_placed(signed_byte(a, 2), -8, 7, 2) | nibble_placed(signed_byte(a, 3), -8, 7, 3));
}
LANES1(v_sat_pk4_u4_u8, u16, u32) {
    return CONVERT(u16s, nibble_placed(plain_byte(a, 0), 0, 15, 0) | nibble_placed(plain_byte(a, 1), 0, 15, 1) |
                             nibble_placed(plain_byte(a, 2), 0, 15, 2) | nibble_placed(plain_byte(a, 3), 0, 15, 3));
}
/* Both halves, each clamped to a byte, in the low 16 bits. */
LANES1(v_sat_pk_u8_i16, u16, u32) {
    const i32s zero = ALL(i32, 0), top = ALL(i32, 255), low = (i32s)(a << 16) >> 16, high = (i32s)a >> 16;

    return CONVERT(u16s, (u32s)(max(min(low, top), zero) | max(min(high, top), zero) << 8));
}
