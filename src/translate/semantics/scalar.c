/* Scalar unit: integers and bits. */
#include "semantics.h"

/* Moves. */
SCALAR1(s_mov_b32, u32, u32) { return a; }
SCALAR1(s_mov_b64, u64, u64) { return a; }
SCALAR1_OLD_IF_SCC(s_cmov_b32, u32, u32) { return scc ? a : old; }
SCALAR1_OLD_IF_SCC(s_cmov_b64, u64, u64) { return scc ? a : old; }
SCALAR2_IF_SCC(s_cselect_b32, u32, u32, u32) { return scc ? a : b; }
SCALAR2_IF_SCC(s_cselect_b64, u64, u64, u64) { return scc ? a : b; }
SCALAR1(s_sext_i32_i8, i32, u32) { return (i8)a; }
SCALAR1(s_sext_i32_i16, i32, u32) { return (i16)a; }
SCALAR2(s_pack_ll_b32_b16, u32, u32, u32) { return (a & 0xffff) | b << 16; }
SCALAR2(s_pack_lh_b32_b16, u32, u32, u32) { return (a & 0xffff) | (b & 0xffff0000); }
SCALAR2(s_pack_hl_b32_b16, u32, u32, u32) { return a >> 16 | b << 16; }
SCALAR2(s_pack_hh_b32_b16, u32, u32, u32) { return a >> 16 | (b & 0xffff0000); }

/* Sums: the u32 forms give carry or borrow in SCC, the i32 forms signed overflow. */
SCALAR2_SCC(s_add_u32, u32, u32, u32) {
    *scc = a + b < a;
    return a + b;
}
SCALAR2_SCC(s_sub_u32, u32, u32, u32) {
    *scc = a < b;
    return a - b;
}
SCALAR2_SCC(s_add_i32, i32, i32, i32) {
    i32 sum;

    *scc = __builtin_add_overflow(a, b, &sum);
    return sum;
}
SCALAR2_SCC(s_sub_i32, i32, i32, i32) {
    i32 difference;

    *scc = __builtin_sub_overflow(a, b, &difference);
    return difference;
}
SCALAR2_CARRY(s_addc_u32, u32, u32, u32) {
    const u64 sum = (u64)a + b + carry;

    *scc = (u32)(sum >> 32);
    return (u32)sum;
}
SCALAR2_CARRY(s_subb_u32, u32, u32, u32) {
    const u64 difference = (u64)a - b - carry;

    *scc = (u32)(difference >> 32) & 1;
    return (u32)difference;
}
SCALAR2(s_add_nc_u64, u64, u64, u64) { return a + b; }
SCALAR2(s_sub_nc_u64, u64, u64, u64) { return a - b; }
SCALAR2(s_add_u64, u64, u64, u64) { return a + b; }
SCALAR2(s_sub_u64, u64, u64, u64) { return a - b; }
#define SHIFTED_ADD(n)                                                                                                                     \
    SCALAR2_SCC(s_lshl##n##_add_u32, u32, u32, u32) {                                                                                      \
        const u64 sum = ((u64)a << n) + b;                                                                                                 \
                                                                                                                                           \
        *scc = sum >> 32 != 0;                                                                                                             \
        return (u32)sum;                                                                                                                   \
    }
SHIFTED_ADD(1)
SHIFTED_ADD(2)
SHIFTED_ADD(3)
SHIFTED_ADD(4)
SCALAR1_SCC(s_abs_i32, i32, i32) {
    const i32 magnitude = a < 0 ? (i32)(0 - (u32)a) : a;

    *scc = magnitude != 0;
    return magnitude;
}
SCALAR2_SCC(s_absdiff_i32, i32, i32, i32) {
    const i32 difference = (i32)((u32)a - (u32)b), magnitude = difference < 0 ? (i32)(0 - (u32)difference) : difference;

    *scc = magnitude != 0;
    return magnitude;
}

/* Products. */
SCALAR2(s_mul_i32, i32, i32, i32) { return (i32)((u32)a * (u32)b); }
SCALAR2(s_mul_hi_u32, u32, u32, u32) { return (u32)((u64)a * b >> 32); }
SCALAR2(s_mul_hi_i32, i32, i32, i32) { return (i32)((i64)a * b >> 32); }
SCALAR2(s_mul_u64, u64, u64, u64) { return a * b; }

/* Order: SCC says that the first operand was taken. */
#define ORDER(name, type, operator)                                                                                                        \
    SCALAR2_SCC(name, type, type, type) {                                                                                                  \
        *scc = a operator b;                                                                                                               \
        return a operator b ? a : b;                                                                                                       \
    }
ORDER(s_min_i32, i32, <)
ORDER(s_min_u32, u32, <)
ORDER(s_max_i32, i32, >=)
ORDER(s_max_u32, u32, >=)

/* Bits: SCC says that the result is not zero. */
#define LOGIC(name, type, expression)                                                                                                      \
    SCALAR2_SCC(name, type, type, type) {                                                                                                  \
        const type result = (type)(expression);                                                                                            \
                                                                                                                                           \
        *scc = result != 0;                                                                                                                \
        return result;                                                                                                                     \
    }
#define LOGIC_BOTH(name, expression) LOGIC(name##_b32, u32, expression) LOGIC(name##_b64, u64, expression)
LOGIC_BOTH(s_and, a &b)
LOGIC_BOTH(s_or, a | b)
LOGIC_BOTH(s_xor, a ^ b)
LOGIC_BOTH(s_nand, ~(a &b))
LOGIC_BOTH(s_nor, ~(a | b))
LOGIC_BOTH(s_xnor, ~(a ^ b))
LOGIC_BOTH(s_and_not1, a & ~b)
LOGIC_BOTH(s_or_not1, a | ~b)

#define SHIFT(name, type, expression)                                                                                                      \
    SCALAR2_SCC(name, type, type, u32) {                                                                                                   \
        const type result = expression;                                                                                                    \
                                                                                                                                           \
        *scc = result != 0;                                                                                                                \
        return result;                                                                                                                     \
    }
SHIFT(s_lshl_b32, u32, a << (b & 31))
SHIFT(s_lshl_b64, u64, a << (b & 63))
SHIFT(s_lshr_b32, u32, a >> (b & 31))
SHIFT(s_lshr_b64, u64, a >> (b & 63))
SHIFT(s_ashr_i32, i32, a >> (b & 31))
SHIFT(s_ashr_i64, i64, a >> (b & 63))

#define ONE_BIT(name, type, expression)                                                                                                    \
    SCALAR1_SCC(name, type, type) {                                                                                                        \
        const type result = expression;                                                                                                    \
                                                                                                                                           \
        *scc = result != 0;                                                                                                                \
        return result;                                                                                                                     \
    }
ONE_BIT(s_not_b32, u32, ~a)
ONE_BIT(s_not_b64, u64, ~a)
/* One bit for each group of four: whether any of the four is set. */
static INLINE u64 any_of_four(u64 a) { return (a | a >> 1 | a >> 2 | a >> 3) & UINT64_C(0x1111111111111111); }
ONE_BIT(s_wqm_b32, u32, (u32)(any_of_four(a) * 15))
ONE_BIT(s_wqm_b64, u64, any_of_four(a) * 15)
static INLINE u64 gather_fourth_bits(u64 a) {
    a = (a | a >> 3) & UINT64_C(0x0303030303030303);
    a = (a | a >> 6) & UINT64_C(0x000f000f000f000f);
    a = (a | a >> 12) & UINT64_C(0x000000ff000000ff);
    return (a | a >> 24) & 0xffff;
}
ONE_BIT(s_quadmask_b32, u32, (u32)gather_fourth_bits(any_of_four(a)))
ONE_BIT(s_quadmask_b64, u64, gather_fourth_bits(any_of_four(a)))

SCALAR1(s_brev_b32, u32, u32) { return __builtin_bitreverse32(a); }
SCALAR1(s_brev_b64, u64, u64) { return __builtin_bitreverse64(a); }
#define COUNT(name, type, expression)                                                                                                      \
    SCALAR1_SCC(name, u32, type) {                                                                                                         \
        const u32 count = (u32)(expression);                                                                                               \
                                                                                                                                           \
        *scc = count != 0;                                                                                                                 \
        return count;                                                                                                                      \
    }
COUNT(s_bcnt0_i32_b32, u32, __builtin_popcount(~a))
COUNT(s_bcnt0_i32_b64, u64, __builtin_popcountll(~a))
COUNT(s_bcnt1_i32_b32, u32, __builtin_popcount(a))
COUNT(s_bcnt1_i32_b64, u64, __builtin_popcountll(a))

/* Positions; -1 if there is no such bit. */
static INLINE u32 leading32(u32 a) { return a ? (u32)__builtin_clz(a) : UINT32_MAX; }
static INLINE u32 leading64(u64 a) { return a ? (u32)__builtin_clzll(a) : UINT32_MAX; }
static INLINE u32 trailing32(u32 a) { return a ? (u32)__builtin_ctz(a) : UINT32_MAX; }
static INLINE u32 trailing64(u64 a) { return a ? (u32)__builtin_ctzll(a) : UINT32_MAX; }
SCALAR1(s_ctz_i32_b32, u32, u32) { return trailing32(a); }
SCALAR1(s_ctz_i32_b64, u32, u64) { return trailing64(a); }
SCALAR1(s_ff0_i32_b32, u32, u32) { return trailing32(~a); }
SCALAR1(s_ff0_i32_b64, u32, u64) { return trailing64(~a); }
SCALAR1(s_clz_i32_u32, u32, u32) { return leading32(a); }
SCALAR1(s_clz_i32_u64, u32, u64) { return leading64(a); }
SCALAR1(s_cls_i32, u32, i32) { return leading32((u32)(a ^ a >> 31)); }
SCALAR1(s_cls_i32_i64, u32, i64) { return leading64((u64)(a ^ a >> 63)); }

SCALAR1_OLD(s_bitset0_b32, u32, u32) { return old & ~(UINT32_C(1) << (a & 31)); }
SCALAR1_OLD(s_bitset1_b32, u32, u32) { return old | UINT32_C(1) << (a & 31); }
SCALAR1_OLD(s_bitset0_b64, u64, u32) { return old & ~(UINT64_C(1) << (a & 63)); }
SCALAR1_OLD(s_bitset1_b64, u64, u32) { return old | UINT64_C(1) << (a & 63); }
SCALAR1(s_bitreplicate_b64_b32, u64, u32) {
    u64 spread = a;

    spread = (spread | spread << 16) & UINT64_C(0x0000ffff0000ffff);
    spread = (spread | spread << 8) & UINT64_C(0x00ff00ff00ff00ff);
    spread = (spread | spread << 4) & UINT64_C(0x0f0f0f0f0f0f0f0f);
    spread = (spread | spread << 2) & UINT64_C(0x3333333333333333);
    spread = (spread | spread << 1) & UINT64_C(0x5555555555555555);
    return spread * 3;
}

/* Fields: the second operand holds the offset in its low bits and the width in bits 22:16. */
SCALAR2(s_bfm_b32, u32, u32, u32) { return ((UINT32_C(1) << (a & 31)) - 1) << (b & 31); }
SCALAR2(s_bfm_b64, u64, u32, u32) { return ((UINT64_C(1) << (a & 63)) - 1) << (b & 63); }
static INLINE u64 low_bits(u64 a, u32 width) { return width < 64 ? a & ((UINT64_C(1) << width) - 1) : a; }
static INLINE i64 signed_low_bits(u64 a, u32 width) {
    return width == 0 ? 0 : width < 64 ? (i64)(a << (64 - width)) >> (64 - width) : (i64)a;
}
#define FIELD(name, type, expression)                                                                                                      \
    SCALAR2_SCC(name, type, type, u32) {                                                                                                   \
        const type result = (type)(expression);                                                                                            \
                                                                                                                                           \
        *scc = result != 0;                                                                                                                \
        return result;                                                                                                                     \
    }
FIELD(s_bfe_u32, u32, low_bits(a >> (b & 31), b >> 16 & 127))
FIELD(s_bfe_i32, i32, signed_low_bits((u64)(i64)(a >> (b & 31)), b >> 16 & 127))
FIELD(s_bfe_u64, u64, low_bits(a >> (b & 63), b >> 16 & 127))
FIELD(s_bfe_i64, i64, signed_low_bits((u64)(a >> (b & 63)), b >> 16 & 127))

/* Tests. */
#define COMPARE(predicate, operator)                                                                                                       \
    SCALAR_TEST(s_cmp_##predicate##_i32, i32, i32) { return a operator b; }                                                                \
    SCALAR_TEST(s_cmp_##predicate##_u32, u32, u32) { return a operator b; }
COMPARE(eq, ==)
COMPARE(lg, !=)
COMPARE(gt, >)
COMPARE(ge, >=)
COMPARE(lt, <)
COMPARE(le, <=)
SCALAR_TEST(s_cmp_eq_u64, u64, u64) { return a == b; }
SCALAR_TEST(s_cmp_lg_u64, u64, u64) { return a != b; }
SCALAR_TEST(s_bitcmp0_b32, u32, u32) { return !(a >> (b & 31) & 1); }
SCALAR_TEST(s_bitcmp1_b32, u32, u32) { return a >> (b & 31) & 1; }
SCALAR_TEST(s_bitcmp0_b64, u64, u32) { return !(a >> (b & 63) & 1); }
SCALAR_TEST(s_bitcmp1_b64, u64, u32) { return (u32)(a >> (b & 63) & 1); }
