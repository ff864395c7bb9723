/* Vector unit: 32-bit integers and bits. */
#include "semantics.h"

LANES1(v_mov_b32, u32, u32) { return a; }
LANES3(v_cndmask_b32, u32, u32, u32, mask) { return c ? b : a; }

/* Sums. */
LANES2(v_add_nc_u32, u32, u32, u32) { return a + b; }
LANES2(v_sub_nc_u32, u32, u32, u32) { return a - b; }
LANES2(v_subrev_nc_u32, u32, u32, u32) { return b - a; }
LANES2(v_add_nc_i32, i32, i32, i32) { return (i32s)((u32s)a + (u32s)b); }
LANES2(v_sub_nc_i32, i32, i32, i32) { return (i32s)((u32s)a - (u32s)b); }
LANES2_MASK(v_add_co_u32, u32, u32, u32) {
    *m = a + b < a;
    return a + b;
}
LANES2_MASK(v_sub_co_u32, u32, u32, u32) {
    *m = a < b;
    return a - b;
}
LANES2_MASK(v_subrev_co_u32, u32, u32, u32) {
    *m = b < a;
    return b - a;
}
LANES3_MASK(v_add_co_ci_u32, u32, u32, u32, mask) {
    const u32s sum = a + b - (u32s)c;

    *m = (sum < a) | ((sum == a) & c);
    return sum;
}
LANES3_MASK(v_sub_co_ci_u32, u32, u32, u32, mask) {
    *m = (a < b) | ((a == b) & c);
    return a - b + (u32s)c;
}
LANES3_MASK(v_subrev_co_ci_u32, u32, u32, u32, mask) {
    *m = (b < a) | ((a == b) & c);
    return b - a + (u32s)c;
}
LANES3(v_add3_u32, u32, u32, u32, u32) { return a + b + c; }
LANES3(v_xad_u32, u32, u32, u32, u32) { return (a ^ b) + c; }
LANES3(v_lshl_add_u32, u32, u32, u32, u32) { return (a << (b & 31)) + c; }
LANES3(v_add_lshl_u32, u32, u32, u32, u32) { return (a + b) << (c & 31); }

LANES1(v_prng_b32, u32, u32) { return a << 1 ^ (0 - (a >> 31) & 197); } /* gfx950 */

/* gfx950: any function of three bits. Bit 4 * a + 2 * b + c of the table is its value. */
static INLINE u32s by_table(u32s a, u32s b, u32s c, u32s table) {
    u32s result = ALL(u32, 0);

    for (int i = 0; i < 8; i++)
        result |= (0 - (table >> i & 1)) & (i & 4 ? a : ~a) & (i & 2 ? b : ~b) & (i & 1 ? c : ~c);
    return result;
}
LANES4(v_bitop3_b32, u32, u32, u32, u32, u32) { return by_table(a, b, c, d); }
LANES4(v_bitop3_b16, u16, u16, u16, u16, u32) { return CONVERT(u16s, by_table(CONVERT(u32s, a), CONVERT(u32s, b), CONVERT(u32s, c), d)); }
LANES3(v_bitop2_b32, u32, u32, u32, u32) { return by_table(a, b, ALL(u32, 0), c); } /* gfx1250, in pairs of instructions */
/* gfx950: two shifted numbers as bytes, saturating. */
static INLINE u32s bytes_of(i32s low, i32s high, i32 least, i32 most) {
    const u32s first = (u32s)max(min(low, ALL(i32, most)), ALL(i32, least)), second = (u32s)max(min(high, ALL(i32, most)), ALL(i32, least));
    return (first & 0xff) | (second & 0xff) << 8;
}
LANES3(v_ashr_pk_i8_i32, u16, i32, i32, u32) { return CONVERT(u16s, bytes_of(a >> (i32s)(c & 31), b >> (i32s)(c & 31), -128, 127)); }
LANES3(v_ashr_pk_u8_i32, u16, i32, i32, u32) { return CONVERT(u16s, bytes_of(a >> (i32s)(c & 31), b >> (i32s)(c & 31), 0, 255)); }

/* Products. */
static INLINE u64s product_u32(u32s a, u32s b) { return CONVERT(u64s, a) * CONVERT(u64s, b); }
static INLINE i64s product_i32(i32s a, i32s b) { return CONVERT(i64s, a) * CONVERT(i64s, b); }
static INLINE u32s low24(u32s a) { return a & 0xffffff; }
static INLINE i32s signed24(i32s a) { return (i32s)((u32s)a << 8) >> 8; }
LANES2(v_mul_lo_u32, u32, u32, u32) { return a * b; }
LANES2(v_mul_hi_u32, u32, u32, u32) { return CONVERT(u32s, product_u32(a, b) >> 32); }
LANES2(v_mul_hi_i32, i32, i32, i32) { return CONVERT(i32s, product_i32(a, b) >> 32); }
LANES2(v_mul_u32_u24, u32, u32, u32) { return low24(a) * low24(b); }
LANES2(v_mul_i32_i24, i32, i32, i32) { return (i32s)((u32s)signed24(a) * (u32s)signed24(b)); }
LANES2(v_mul_hi_u32_u24, u32, u32, u32) { return CONVERT(u32s, product_u32(low24(a), low24(b)) >> 32); }
LANES2(v_mul_hi_i32_i24, i32, i32, i32) { return CONVERT(i32s, product_i32(signed24(a), signed24(b)) >> 32); }
LANES3(v_mad_u32, u32, u32, u32, u32) { return a * b + c; }
LANES3(v_mad_u32_u24, u32, u32, u32, u32) { return low24(a) * low24(b) + c; }
LANES3(v_mad_i32_i24, i32, i32, i32, i32) { return (i32s)((u32s)signed24(a) * (u32s)signed24(b) + (u32s)c); }
LANES3(v_mad_u32_u16, u32, u16, u16, u32) { return CONVERT(u32s, a) * CONVERT(u32s, b) + c; }
LANES3(v_mad_i32_i16, i32, i16, i16, i32) { return (i32s)((u32s)(CONVERT(i32s, a) * CONVERT(i32s, b)) + (u32s)c); }

/* Bits. */
LANES1(v_not_b32, u32, u32) { return ~a; }
LANES1(v_bfrev_b32, u32, u32) { return __builtin_elementwise_bitreverse(a); }
LANES2(v_and_b32, u32, u32, u32) { return a & b; }
LANES2(v_or_b32, u32, u32, u32) { return a | b; }
LANES2(v_xor_b32, u32, u32, u32) { return a ^ b; }
LANES2(v_xnor_b32, u32, u32, u32) { return ~(a ^ b); }
LANES3(v_and_or_b32, u32, u32, u32, u32) { return (a & b) | c; }
LANES3(v_or3_b32, u32, u32, u32, u32) { return a | b | c; }
LANES3(v_xor3_b32, u32, u32, u32, u32) { return a ^ b ^ c; }
LANES3(v_lshl_or_b32, u32, u32, u32, u32) { return a << (b & 31) | c; }
LANES3(v_bfi_b32, u32, u32, u32, u32) { return (a & b) | (~a & c); }
LANES2(v_lshlrev_b32, u32, u32, u32) { return b << (a & 31); }
LANES2(v_lshrrev_b32, u32, u32, u32) { return b >> (a & 31); }
LANES2(v_ashrrev_i32, i32, u32, i32) { return b >> (i32s)(a & 31); }
LANES2(v_lshl_b32, u32, u32, u32) { return a << (b & 31); }
LANES2(v_lshr_b32, u32, u32, u32) { return a >> (b & 31); }
LANES2(v_ashr_i32, i32, i32, u32) { return a >> (i32s)(b & 31); }
LANES2(v_bfm_b32, u32, u32, u32) { return ((ALL(u32, 1) << (a & 31)) - 1) << (b & 31); }
LANES3(v_bfe_u32, u32, u32, u32, u32) { return (a >> (b & 31)) & ((ALL(u32, 1) << (c & 31)) - 1); }
LANES3(v_bfe_i32, i32, i32, u32, u32) {
    /* Left and right again: bits that would come from beyond bit 31 are copies of the sign. */
    const u32s width = c & 31, unused = (32 - width) & 31;
    const i32s field = (i32s)((u32s)(a >> (i32s)(b & 31)) << unused) >> (i32s)unused;

    return width == 0 ? ALL(i32, 0) : field;
}
LANES3(v_alignbit_b32, u32, u32, u32, u32) {
    const u32s n = c & 31;

    return b >> n | a << 1 << (31 - n);
}
LANES3(v_alignbyte_b32, u32, u32, u32, u32) {
    const u32s n = (c & 3) * 8;

    return b >> n | a << 1 << (31 - n);
}
/* The amount is the upper half of its register: gfx11 and later. */
LANES3(v_alignbit_b32_upper, u32, u32, u32, u32) { return v_alignbit_b32_(a, b, c >> 16); }
LANES3(v_alignbyte_b32_upper, u32, u32, u32, u32) { return v_alignbyte_b32_(a, b, c >> 16); }
LANES2(v_bcnt_u32_b32, u32, u32, u32) { return popcount(a) + b; }
LANES1(v_clz_i32_u32, u32, u32) { return a == 0 ? ALL(u32, -1) : leading_zeros(a); }
LANES1(v_ctz_i32_b32, u32, u32) { return a == 0 ? ALL(u32, -1) : trailing_zeros(a); }
LANES1(v_cls_i32, u32, i32) {
    /* Zeros above the first bit that differs from the sign. */
    const u32s changes = (u32s)(a ^ a >> 31);

    return changes == 0 ? ALL(u32, -1) : leading_zeros(changes);
}

/* One result byte of v_perm_b32: selectors 0 to 3 take a byte of b, 4 to 7 of a, 8 to 11 a sign, 12 zero, above 12 ones. */
static INLINE u32s permuted_byte(u32s a, u32s b, u32s selector) {
    const u32s source = (selector & 4) != 0 ? a : b;
    const u32s byte = source >> (selector & 3) * 8 & 0xff;
    const u32s word = (selector & 2) != 0 ? a : b; /* 8: b bit 15, 9: b bit 31, 10: a bit 15, 11: a bit 31 */
    const u32s sign = (word >> ((selector & 1) * 16 + 15) & 1) * 0xff;
    const u32s constant = selector > 12 ? ALL(u32, 0xff) : ALL(u32, 0);

    return selector < 8 ? byte : selector < 12 ? sign : constant;
}
LANES3(v_perm_b32, u32, u32, u32, u32) {
    return permuted_byte(a, b, c & 0xff) | permuted_byte(a, b, c >> 8 & 0xff) << 8 | permuted_byte(a, b, c >> 16 & 0xff) << 16 |
           permuted_byte(a, b, c >> 24) << 24;
}

/* Order. */
LANES2(v_min_i32, i32, i32, i32) { return min(a, b); }
LANES2(v_max_i32, i32, i32, i32) { return max(a, b); }
LANES2(v_min_u32, u32, u32, u32) { return min(a, b); }
LANES2(v_max_u32, u32, u32, u32) { return max(a, b); }
LANES3(v_min3_i32, i32, i32, i32, i32) { return min(min(a, b), c); }
LANES3(v_max3_i32, i32, i32, i32, i32) { return max(max(a, b), c); }
LANES3(v_min3_u32, u32, u32, u32, u32) { return min(min(a, b), c); }
LANES3(v_max3_u32, u32, u32, u32, u32) { return max(max(a, b), c); }
LANES3(v_med3_i32, i32, i32, i32, i32) { return max(min(a, b), min(max(a, b), c)); }
LANES3(v_med3_u32, u32, u32, u32, u32) { return max(min(a, b), min(max(a, b), c)); }
LANES3(v_add_max_i32, i32, i32, i32, i32) { return max(add_saturated(a, b), c); } /* gfx1250; the sum saturates */
LANES3(v_add_max_u32, u32, u32, u32, u32) { return max(add_saturated(a, b), c); }
LANES3(v_add_min_i32, i32, i32, i32, i32) { return min(add_saturated(a, b), c); }
LANES3(v_add_min_u32, u32, u32, u32, u32) { return min(add_saturated(a, b), c); }
LANES3(v_minmax_i32, i32, i32, i32, i32) { return max(min(a, b), c); }
LANES3(v_maxmin_i32, i32, i32, i32, i32) { return min(max(a, b), c); }
LANES3(v_minmax_u32, u32, u32, u32, u32) { return max(min(a, b), c); }
LANES3(v_maxmin_u32, u32, u32, u32, u32) { return min(max(a, b), c); }

/* Tables of 16 numbers of 4, 6 and 8 bits, whose upper part is `a`: v_perm_pk16_*, from bit d of the result on (unit/pieces.c). */
static INLINE u64s index_at(u64s indices, u32 number) { return indices >> (4 * number) & 15; }
LANES4(v_perm_piece_b4, u32, u32, u32, u64, u32) {
    const u64s table = CONVERT(u64s, a) << 32 | CONVERT(u64s, b), indices = c >> CONVERT(u64s, d);
    u64s result = ALL(u64, 0);
    for (u32 i = 0; i < 8; i++)
        result |= (table >> index_at(indices, i) * 4 & 15) << (4 * i);
    return CONVERT(u32s, result);
}
LANES4(v_perm_piece_b8, u32, u64, u64, u64, u32) {
    const u64s indices = c >> CONVERT(u64s, d >> 1);
    u64s result = ALL(u64, 0);
    for (u32 i = 0; i < 4; i++) {
        const u64s n = index_at(indices, i);
        result |= (((n & 8) == 8 ? a : b) >> (n & 7) * 8 & 255) << (8 * i);
    }
    return CONVERT(u32s, result);
}
/* A number may lie in two dwords of the result. */
LANES4(v_perm_piece_b6, u32, u32, u64, u64, u32) {
    const u64s high = CONVERT(u64s, a), first = CONVERT(u64s, d);
    u64s result = ALL(u64, 0);
    for (u32 i = 0; i < 16; i++) {
        const u64s bit = index_at(c, i) * 6, low_part = b >> min(bit, ALL(u64, 63)), high_part = high >> (max(bit, ALL(u64, 64)) - 64);
        const u64s number = ((bit >= 64 ? high_part : bit > 58 ? low_part | high << ((64 - bit) & 63) : low_part) & 63);
        const u64s at = ALL(u64, 6 * i);
        result |= at >= first ? number << min(at - first, ALL(u64, 40)) : number >> min(first - at, ALL(u64, 40));
    }
    return CONVERT(u32s, result);
}
