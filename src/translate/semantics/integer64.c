/* Vector unit: 64-bit integers. */
#include "semantics.h"

LANES1(v_mov_b64, u64, u64) { return a; }
LANES2(v_pk_mov_b32, u64, pkf32, pkf32) {
    /* The two low words, after operand selection. */
    return ((u64s)a & 0xffffffff) | (u64s)b << 32;
}
LANES2(v_lshlrev_b64, u64, u32, u64) { return b << CONVERT(u64s, a & 63); }
LANES2(v_lshrrev_b64, u64, u32, u64) { return b >> CONVERT(u64s, a & 63); }
LANES2(v_ashrrev_i64, i64, u32, i64) { return b >> CONVERT(i64s, a & 63); }
LANES2(v_lshl_b64, u64, u64, u32) { return a << CONVERT(u64s, b & 63); }
LANES2(v_lshr_b64, u64, u64, u32) { return a >> CONVERT(u64s, b & 63); }
LANES2(v_ashr_i64, i64, i64, u32) { return a >> CONVERT(i64s, b & 63); }
LANES3(v_lshl_add_u64, u64, u64, u32, u64) { return (a << CONVERT(u64s, b & 7)) + c; }
LANES2(v_add_nc_u64, u64, u64, u64) { return a + b; }
LANES2(v_sub_nc_u64, u64, u64, u64) { return a - b; }
LANES2(v_mul_u64, u64, u64, u64) { return a * b; }
LANES2(v_min_u64, u64, u64, u64) { return min(a, b); }
LANES2(v_max_u64, u64, u64, u64) { return max(a, b); }
LANES2(v_min_i64, i64, i64, i64) { return min(a, b); }
LANES2(v_max_i64, i64, i64, i64) { return max(a, b); }
LANES3(v_mad_nc_u64_u32, u64, u32, u32, u64) { return CONVERT(u64s, a) * CONVERT(u64s, b) + c; }
LANES3(v_mad_nc_i64_i32, i64, i32, i32, i64) { return (i64s)((u64s)(CONVERT(i64s, a) * CONVERT(i64s, b)) + (u64s)c); }
/* The mask is bit 64 of the sum. */
LANES3_MASK(v_mad_u64_u32, u64, u32, u32, u64) {
    const u64s sum = CONVERT(u64s, a) * CONVERT(u64s, b) + c;

    *m = CONVERT(i32s, sum < c);
    return sum;
}
LANES3_MASK(v_mad_i64_i32, i64, i32, i32, i64) {
    const i64s product = CONVERT(i64s, a) * CONVERT(i64s, b);
    const u64s sum = (u64s)product + (u64s)c;

    *m = CONVERT(i32s, (sum < (u64s)c) ^ (product < 0) ^ (c < 0));
    return (i64s)sum;
}
