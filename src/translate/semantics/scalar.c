/* Scalar unit: integers and bits. */
#include "semantics.h"

SCALAR1(s_mov_b32, u32, u32) { return a; }
SCALAR1(s_mov_b64, u64, u64) { return a; }
SCALAR2_SCC(s_add_u32, u32, u32, u32)
{
    *scc = a + b < a;
    return a + b;
}
SCALAR2_CARRY(s_addc_u32, u32, u32, u32)
{
    const u64 sum = (u64)a + b + carry;

    *scc = (u32)(sum >> 32);
    return (u32)sum;
}
SCALAR_TEST(s_cmp_lt_u32, u32, u32) { return a < b; }
