/* References of integer semantics: one lane at a time, bit by bit where that is the plainest way to say it. */
#include "test_semantics.h"

#define REF(name) static void ref_##name(uint64_t *d, const uint64_t *s)
#define A         ((uint32_t)s[0])
#define B         ((uint32_t)s[1])
#define C         ((uint32_t)s[2])
#define IA        ((int32_t)s[0])
#define IB        ((int32_t)s[1])
#define IC        ((int32_t)s[2])
#define HA        ((int16_t)s[0])
#define HB        ((int16_t)s[1])
#define HC        ((int16_t)s[2])
#define LA        ((int64_t)s[0])
#define LB        ((int64_t)s[1])
#define LC        ((int64_t)s[2])

/* name, result as an expression; 32-bit results. */
#define W(name, expression)                                                                                                                \
    static void ref_##name(uint64_t *d, const uint64_t *s) {                                                                               \
        (void)s;                                                                                                                           \
        d[0] = (uint32_t)(expression);                                                                                                     \
    }
#define H(name, expression)                                                                                                                \
    static void ref_##name(uint64_t *d, const uint64_t *s) { d[0] = (uint16_t)(expression); }
#define Q(name, expression)                                                                                                                \
    static void ref_##name(uint64_t *d, const uint64_t *s) { d[0] = (uint64_t)(expression); }
/* A scalar result with SCC = (the second expression). */
#define WS(name, expression, scc)                                                                                                          \
    static void ref_##name(uint64_t *d, const uint64_t *s) {                                                                               \
        const uint32_t r = (uint32_t)(expression);                                                                                         \
        d[0] = r;                                                                                                                          \
        d[1] = (scc);                                                                                                                      \
    }
#define QS(name, expression, scc)                                                                                                          \
    static void ref_##name(uint64_t *d, const uint64_t *s) {                                                                               \
        const uint64_t r = (uint64_t)(expression);                                                                                         \
        d[0] = r;                                                                                                                          \
        d[1] = (scc);                                                                                                                      \
    }
/* A lane result with a mask. */
#define WM(name, expression, m)                                                                                                            \
    static void ref_##name(uint64_t *d, const uint64_t *s) {                                                                               \
        d[0] = (uint32_t)(expression);                                                                                                     \
        d[1] = (m) ? 0xffffffff : 0;                                                                                                       \
    }

static int64_t sext(uint64_t value, unsigned bits) {
    const uint64_t sign = UINT64_C(1) << (bits - 1);

    value &= (sign << 1) - 1;
    return (int64_t)((value ^ sign) - sign);
}
static uint64_t field(uint64_t value, unsigned offset, unsigned width) {
    uint64_t result = 0;

    for (unsigned i = 0; i < width && offset + i < 64; i++)
        result |= (value >> (offset + i) & 1) << i;
    return result;
}
static int64_t signed_field(uint64_t value, unsigned offset, unsigned width) {
    return width == 0 ? 0 : offset + width > 64 ? (int64_t)value >> offset : sext(field(value, offset, width), width);
}
static unsigned leading(uint64_t value, unsigned width) {
    for (unsigned i = 0; i < width; i++)
        if (value >> (width - 1 - i) & 1)
            return i;
    return UINT32_MAX;
}
static unsigned trailing(uint64_t value, unsigned width) {
    for (unsigned i = 0; i < width; i++)
        if (value >> i & 1)
            return i;
    return UINT32_MAX;
}
static unsigned sign_run(uint64_t value, unsigned width) {
    const uint64_t sign = value >> (width - 1) & 1;

    for (unsigned i = 1; i < width; i++)
        if ((value >> (width - 1 - i) & 1) != sign)
            return i;
    return UINT32_MAX;
}
static uint64_t reversed(uint64_t value, unsigned width) {
    uint64_t result = 0;

    for (unsigned i = 0; i < width; i++)
        result |= (value >> i & 1) << (width - 1 - i);
    return result;
}
static unsigned ones(uint64_t value) {
    unsigned count = 0;

    for (; value; value >>= 1)
        count += value & 1;
    return count;
}
static int64_t least(int64_t a, int64_t b) { return a < b ? a : b; }
static int64_t most(int64_t a, int64_t b) { return a > b ? a : b; }
static int64_t median(int64_t a, int64_t b, int64_t c) { return a + b + c - least(least(a, b), c) - most(most(a, b), c); }
static int64_t bounded(int64_t a, int64_t low, int64_t high) { return least(most(a, low), high); }
static uint32_t permuted(uint64_t both, unsigned selector) {
    if (selector < 8)
        return (uint32_t)(both >> selector * 8 & 0xff);
    if (selector < 12)
        return both >> ((selector - 8) * 16 + 15) & 1 ? 0xff : 0;
    return selector == 12 ? 0 : 0xff;
}

/* Vector, 32 bits. */
W(v_mov_b32, A)
W(v_cndmask_b32, C ? B : A)
W(v_add_nc_u32, A + B)
W(v_sub_nc_u32, A - B)
W(v_subrev_nc_u32, B - A)
W(v_add3_u32, A + B + C)
W(v_xad_u32, (A ^ B) + C)
W(v_lshl_add_u32, (A << (B & 31)) + C)
W(v_add_lshl_u32, (A + B) << (C & 31))
WM(v_add_co_u32, A + B, s[0] + s[1] > UINT32_MAX)
WM(v_sub_co_u32, A - B, s[1] > s[0])
WM(v_subrev_co_u32, B - A, s[0] > s[1])
WM(v_add_co_ci_u32, A + B + (C & 1), s[0] + s[1] + (C & 1) > UINT32_MAX)
WM(v_sub_co_ci_u32, A - B - (C & 1), s[1] + (C & 1) > s[0])
WM(v_subrev_co_ci_u32, B - A - (C & 1), s[0] + (C & 1) > s[1])
W(v_mul_lo_u32, A *B)
W(v_mul_hi_u32, s[0] * s[1] >> 32)
W(v_mul_hi_i32, (int64_t)IA *IB >> 32)
W(v_quotient_u32, B ? A / B : A ? A + 1 : 2)
W(v_mul_u32_u24, field(A, 0, 24) * field(B, 0, 24))
W(v_mul_i32_i24, sext(A, 24) * sext(B, 24))
W(v_mul_hi_u32_u24, field(A, 0, 24) * field(B, 0, 24) >> 32)
W(v_mul_hi_i32_i24, sext(A, 24) * sext(B, 24) >> 32)
W(v_mad_u32_u24, field(A, 0, 24) * field(B, 0, 24) + C)
W(v_mad_i32_i24, (uint64_t)(sext(A, 24) * sext(B, 24)) + C)
W(v_mad_u32_u16, A *B + C)
W(v_mad_i32_i16, (uint32_t)(HA *HB) + C)
W(v_not_b32, ~A)
W(v_prng_b32, (A & 0x80000000) ? (A << 1) ^ 197 : A << 1)
W(v_bfrev_b32, reversed(A, 32))
W(v_and_b32, A &B)
W(v_or_b32, A | B)
W(v_xor_b32, A ^ B)
W(v_xnor_b32, ~(A ^ B))
W(v_and_or_b32, (A & B) | C)
W(v_or3_b32, A | B | C)
W(v_xor3_b32, A ^ B ^ C)
W(v_lshl_or_b32, A << (B & 31) | C)
W(v_bfi_b32, (A & B) | (~A & C))
W(v_lshlrev_b32, B << (A & 31))
W(v_lshrrev_b32, B >> (A & 31))
W(v_ashrrev_i32, IB >> (A & 31))
W(v_lshl_b32, A << (B & 31))
W(v_lshr_b32, A >> (B & 31))
W(v_ashr_i32, IA >> (B & 31))
W(v_bfm_b32, field(~UINT64_C(0), 0, A & 31) << (B & 31))
W(v_bfe_u32, field(A, B & 31, C & 31))
W(v_bfe_i32, signed_field((uint64_t)(int64_t)IA, B & 31, C & 31))
W(v_alignbit_b32, (s[0] << 32 | B) >> (C & 31))
W(v_alignbyte_b32, (s[0] << 32 | B) >> (C & 3) * 8)
W(v_alignbit_b32_upper, (s[0] << 32 | B) >> (C >> 16 & 31))
W(v_alignbyte_b32_upper, (s[0] << 32 | B) >> (C >> 16 & 3) * 8)
W(v_bcnt_u32_b32, ones(A) + B)
W(v_clz_i32_u32, leading(A, 32))
W(v_ctz_i32_b32, trailing(A, 32))
W(v_cls_i32, sign_run(A, 32))
W(v_perm_b32, permuted(s[0] << 32 | B, C & 0xff) | permuted(s[0] << 32 | B, C >> 8 & 0xff) << 8 |
                  permuted(s[0] << 32 | B, C >> 16 & 0xff) << 16 | permuted(s[0] << 32 | B, C >> 24) << 24)
W(v_min_i32, least(IA, IB))
W(v_max_i32, most(IA, IB))
W(v_min_u32, least(A, B))
W(v_max_u32, most(A, B))
W(v_min3_i32, least(IA, least(IB, IC)))
W(v_max3_i32, most(IA, most(IB, IC)))
W(v_min3_u32, least(A, least(B, C)))
W(v_max3_u32, most(A, most(B, C)))
W(v_med3_i32, median(IA, IB, IC))
W(v_med3_u32, median(A, B, C))
W(v_minmax_i32, most(least(IA, IB), IC))
W(v_maxmin_i32, least(most(IA, IB), IC))
W(v_minmax_u32, most(least(A, B), C))
W(v_maxmin_u32, least(most(A, B), C))
W(v_add_nc_u32_clamp, bounded((int64_t)A + B, 0, UINT32_MAX))
W(v_sub_nc_u32_clamp, bounded((int64_t)A - B, 0, UINT32_MAX))
W(v_subrev_nc_u32_clamp, bounded((int64_t)B - A, 0, UINT32_MAX))
W(v_add_nc_i32_clamp, bounded((int64_t)IA + IB, INT32_MIN, INT32_MAX))
W(v_sub_nc_i32_clamp, bounded((int64_t)IA - IB, INT32_MIN, INT32_MAX))
W(v_mad_u32_u24_clamp, bounded((int64_t)(field(A, 0, 24) * field(B, 0, 24) + C), 0, UINT32_MAX))
W(v_mad_i32_i24_clamp, bounded(sext(A, 24) * sext(B, 24) + IC, INT32_MIN, INT32_MAX))
W(v_mad_u32_u16_clamp, bounded((int64_t)(s[0] * s[1] + C), 0, UINT32_MAX))
W(v_mad_i32_i16_clamp, bounded((int64_t)HA *HB + IC, INT32_MIN, INT32_MAX))

/* Vector, 16 bits. */
H(v_mov_b16, A)
H(v_cndmask_b16, C ? B : A)
H(v_not_b16, ~A)
H(v_and_b16, A &B)
H(v_or_b16, A | B)
H(v_xor_b16, A ^ B)
H(v_add_nc_u16, A + B)
H(v_sub_nc_u16, A - B)
H(v_subrev_u16, B - A)
H(v_mul_lo_u16, A *B)
H(v_mad_u16, A *B + C)
H(v_lshlrev_b16, B << (A & 15))
H(v_lshrrev_b16, B >> (A & 15))
H(v_ashrrev_i16, HB >> (A & 15))
H(v_min_i16, least(HA, HB))
H(v_max_i16, most(HA, HB))
H(v_min_u16, least(A, B))
H(v_max_u16, most(A, B))
H(v_min3_i16, least(HA, least(HB, HC)))
H(v_max3_i16, most(HA, most(HB, HC)))
H(v_min3_u16, least(A, least(B, C)))
H(v_max3_u16, most(A, most(B, C)))
H(v_med3_i16, median(HA, HB, HC))
H(v_med3_u16, median(A, B, C))
H(v_add_nc_u16_clamp, bounded((int64_t)A + B, 0, 65535))
H(v_sub_nc_u16_clamp, bounded((int64_t)A - B, 0, 65535))
H(v_subrev_u16_clamp, bounded((int64_t)B - A, 0, 65535))
H(v_add_nc_i16_clamp, bounded(HA + HB, -32768, 32767))
H(v_sub_nc_i16_clamp, bounded(HA - HB, -32768, 32767))
H(v_mad_u16_clamp, bounded((int64_t)(s[0] * s[1] + s[2]), 0, 65535))
H(v_mad_i16_clamp, bounded((int64_t)HA *HB + HC, -32768, 32767))
H(v_sat_pk_u8_i16, bounded(sext(A, 16), 0, 255) | bounded(sext(A >> 16, 16), 0, 255) << 8)
W(v_pack_b32_f16, A | B << 16)
W(v_cvt_u32_u16, A)
W(v_cvt_i32_i16, HA)

/* Both halves by the reference of one. */
#define PAIR(name, one)                                                                                                                    \
    static void ref_##name(uint64_t *d, const uint64_t *s) {                                                                               \
        const uint64_t low[] = {s[0] & 0xffff, s[1] & 0xffff, s[2] & 0xffff}, high[] = {s[0] >> 16, s[1] >> 16, s[2] >> 16};               \
        uint64_t first, second;                                                                                                            \
        ref_##one(&first, low);                                                                                                            \
        ref_##one(&second, high);                                                                                                          \
        d[0] = first | second << 16;                                                                                                       \
    }
PAIR(v_pk_add_u16, v_add_nc_u16)
PAIR(v_pk_sub_u16, v_sub_nc_u16)
PAIR(v_pk_mul_lo_u16, v_mul_lo_u16)
PAIR(v_pk_mad_u16, v_mad_u16)
PAIR(v_pk_lshlrev_b16, v_lshlrev_b16)
PAIR(v_pk_lshrrev_b16, v_lshrrev_b16)
PAIR(v_pk_ashrrev_i16, v_ashrrev_i16)
PAIR(v_pk_min_i16, v_min_i16)
PAIR(v_pk_max_i16, v_max_i16)
PAIR(v_pk_min_u16, v_min_u16)
PAIR(v_pk_max_u16, v_max_u16)
PAIR(v_pk_add_u16_clamp, v_add_nc_u16_clamp)
PAIR(v_pk_sub_u16_clamp, v_sub_nc_u16_clamp)
PAIR(v_pk_add_i16_clamp, v_add_nc_i16_clamp)
PAIR(v_pk_sub_i16_clamp, v_sub_nc_i16_clamp)

/* Vector, 64 bits. */
Q(v_mov_b64, s[0])
Q(v_pk_mov_b32, (s[0] & 0xffffffff) | s[1] << 32)
Q(v_lshlrev_b64, s[1] << (A & 63))
Q(v_lshrrev_b64, s[1] >> (A & 63))
Q(v_ashrrev_i64, LB >> (A & 63))
Q(v_lshl_b64, s[0] << (B & 63))
Q(v_lshr_b64, s[0] >> (B & 63))
Q(v_ashr_i64, LA >> (B & 63))
Q(v_lshl_add_u64, (s[0] << (B & 7)) + s[2])
Q(v_add_nc_u64, s[0] + s[1])
Q(v_sub_nc_u64, s[0] - s[1])
Q(v_mul_u64, s[0] * s[1])
REF(v_mad_u64_u32) {
    const unsigned __int128 sum = (unsigned __int128)(s[0] * s[1]) + s[2];

    d[0] = (uint64_t)sum;
    d[1] = sum >> 64 ? 0xffffffff : 0;
}
REF(v_mad_i64_i32) {
    const __int128 sum = (__int128)((int64_t)IA * IB) + LC;

    d[0] = (uint64_t)sum;
    d[1] = sum >> 64 & 1 ? 0xffffffff : 0;
}

/* Dot products and differences. */
static int64_t dot(uint32_t a, uint32_t b, unsigned bits, bool signed_a, bool signed_b) {
    int64_t sum = 0;

    for (unsigned i = 0; i < 32; i += bits) {
        const int64_t x = signed_a ? sext(a >> i, bits) : (int64_t)field(a, i, bits),
                      y = signed_b ? sext(b >> i, bits) : (int64_t)field(b, i, bits);

        sum += x * y;
    }
    return sum;
}
static uint32_t differences(uint32_t a, uint32_t b, unsigned bits, bool masked) {
    uint32_t sum = 0;

    for (unsigned i = 0; i < 32; i += bits) {
        const int64_t x = (int64_t)field(a, i, bits), y = (int64_t)field(b, i, bits);

        if (!masked || y != 0)
            sum += (uint32_t)(x > y ? x - y : y - x);
    }
    return sum;
}
static uint64_t four_sums(const uint64_t *s, bool masked) {
    uint64_t result = 0;

    for (unsigned i = 0; i < 4; i++)
        result |= (uint64_t)(uint16_t)(differences((uint32_t)(s[0] >> 8 * i), B, 8, masked) + (s[2] >> 16 * i)) << 16 * i;
    return result;
}
#define SIGNED_SATURATED(x)   bounded((x) + IC, INT32_MIN, INT32_MAX)
#define UNSIGNED_SATURATED(x) bounded((x) + C, 0, UINT32_MAX)
W(v_dot2_u32_u16, (uint64_t)dot(A, B, 16, false, false) + C)
W(v_dot2_i32_i16, (uint64_t)dot(A, B, 16, true, true) + C)
W(v_dot4_u32_u8, dot(A, B, 8, false, false) + C)
W(v_dot4_i32_i8, dot(A, B, 8, true, true) + C)
W(v_dot4_i32_i8_u8, dot(A, B, 8, true, false) + C)
W(v_dot4_i32_u8_i8, dot(A, B, 8, false, true) + C)
W(v_dot8_u32_u4, dot(A, B, 4, false, false) + C)
W(v_dot8_i32_i4, dot(A, B, 4, true, true) + C)
W(v_dot8_i32_i4_u4, dot(A, B, 4, true, false) + C)
W(v_dot8_i32_u4_i4, dot(A, B, 4, false, true) + C)
W(v_dot2_u32_u16_clamp, UNSIGNED_SATURATED(dot(A, B, 16, false, false)))
W(v_dot2_i32_i16_clamp, SIGNED_SATURATED(dot(A, B, 16, true, true)))
W(v_dot4_u32_u8_clamp, UNSIGNED_SATURATED(dot(A, B, 8, false, false)))
W(v_dot4_i32_i8_clamp, SIGNED_SATURATED(dot(A, B, 8, true, true)))
W(v_dot4_i32_i8_u8_clamp, SIGNED_SATURATED(dot(A, B, 8, true, false)))
W(v_dot8_u32_u4_clamp, UNSIGNED_SATURATED(dot(A, B, 4, false, false)))
W(v_dot8_i32_i4_clamp, SIGNED_SATURATED(dot(A, B, 4, true, true)))
W(v_sad_u8, differences(A, B, 8, false) + C)
W(v_sad_hi_u8, (differences(A, B, 8, false) << 16) + C)
W(v_sad_u16, differences(A, B, 16, false) + C)
W(v_sad_u32, differences(A, B, 32, false) + C)
W(v_msad_u8, differences(A, B, 8, true) + C)
Q(v_qsad_pk_u16_u8, four_sums(s, false))
Q(v_mqsad_pk_u16_u8, four_sums(s, true))
REF(v_lerp_u8) {
    d[0] = 0;
    for (unsigned i = 0; i < 32; i += 8)
        d[0] |= ((field(A, i, 8) + field(B, i, 8) + (C >> i & 1)) >> 1) << i;
}

/* Comparisons. */
#define COMPARE(name, x, y, operator)                                                                                                      \
    static void ref_##name(uint64_t *d, const uint64_t *s) { d[0] = (x) operator(y) ? 0xffffffff : 0; }
/* clang-format off */
#define COMPARES(type, x, y)                                                                                                               \
    COMPARE(v_cmp_lt_##type, x, y, <)                                                                                                      \
    COMPARE(v_cmp_eq_##type, x, y, ==) COMPARE(v_cmp_le_##type, x, y, <=) COMPARE(v_cmp_gt_##type, x, y, >)                                \
    COMPARE(v_cmp_ne_##type, x, y, !=) COMPARE(v_cmp_ge_##type, x, y, >=)
/* clang-format on */
COMPARES(i16, HA, HB)
COMPARES(u16, A, B)
COMPARES(i32, IA, IB)
COMPARES(u32, A, B)
COMPARES(i64, LA, LB)
COMPARES(u64, s[0], s[1])
REF(never) {
    (void)s;
    d[0] = 0;
}
REF(always) {
    (void)s;
    d[0] = 0xffffffff;
}

/* Scalar. */
W(s_cmov_b32, s[2] ? A : B)
Q(s_cmov_b64, s[2] ? s[0] : s[1])
Q(s_cselect_b64, s[2] ? s[0] : s[1])
W(s_sext_i32_i8, sext(A, 8))
W(s_sext_i32_i16, sext(A, 16))
W(s_pack_ll_b32_b16, field(A, 0, 16) | B << 16)
W(s_pack_lh_b32_b16, field(A, 0, 16) | field(B, 16, 16) << 16)
W(s_pack_hl_b32_b16, field(A, 16, 16) | B << 16)
W(s_pack_hh_b32_b16, field(A, 16, 16) | field(B, 16, 16) << 16)
WS(s_add_u32, A + B, s[0] + s[1] > UINT32_MAX)
WS(s_sub_u32, A - B, s[1] > s[0])
WS(s_add_i32, A + B, (int64_t)IA + IB != (int32_t)r)
WS(s_sub_i32, A - B, (int64_t)IA - IB != (int32_t)r)
WS(s_addc_u32, A + B + C, s[0] + s[1] + s[2] > UINT32_MAX)
WS(s_subb_u32, A - B - C, s[1] + s[2] > s[0])
WS(s_lshl1_add_u32, A * 2 + B, s[0] * 2 + s[1] > UINT32_MAX)
WS(s_lshl2_add_u32, A * 4 + B, s[0] * 4 + s[1] > UINT32_MAX)
WS(s_lshl3_add_u32, A * 8 + B, s[0] * 8 + s[1] > UINT32_MAX)
WS(s_lshl4_add_u32, A * 16 + B, s[0] * 16 + s[1] > UINT32_MAX)
WS(s_abs_i32, IA < 0 ? 0 - A : A, r != 0)
WS(s_absdiff_i32, (int32_t)(A - B) < 0 ? B - A : A - B, r != 0)
W(s_mul_i32, A *B)
WS(s_min_i32, least(IA, IB), IA < IB)
WS(s_min_u32, least(A, B), A < B)
WS(s_max_i32, most(IA, IB), IA >= IB)
WS(s_max_u32, most(A, B), A >= B)
#define LOGIC(name, expression32, expression64) WS(name##_b32, expression32, r != 0) QS(name##_b64, expression64, r != 0)
LOGIC(s_and, A &B, s[0] & s[1])
LOGIC(s_or, A | B, s[0] | s[1])
LOGIC(s_xor, A ^ B, s[0] ^ s[1])
LOGIC(s_nand, ~(A &B), ~(s[0] & s[1]))
LOGIC(s_nor, ~(A | B), ~(s[0] | s[1]))
LOGIC(s_xnor, ~(A ^ B), ~(s[0] ^ s[1]))
LOGIC(s_and_not1, A & ~B, s[0] & ~s[1])
LOGIC(s_or_not1, A | ~B, s[0] | ~s[1])
LOGIC(s_lshl, A << (B & 31), s[0] << (B & 63))
LOGIC(s_lshr, A >> (B & 31), s[0] >> (B & 63))
WS(s_ashr_i32, IA >> (B & 31), r != 0)
QS(s_ashr_i64, LA >> (B & 63), r != 0)
LOGIC(s_not, ~A, ~s[0])
static uint64_t quads(uint64_t a, unsigned step, uint64_t set) {
    uint64_t result = 0;

    for (unsigned i = 0; i < 16; i++)
        if (a >> 4 * i & 15)
            result |= set << step * i;
    return result;
}
LOGIC(s_wqm, quads(A, 4, 15), quads(s[0], 4, 15))
LOGIC(s_quadmask, quads(A, 1, 1), quads(s[0], 1, 1))
Q(s_brev_b64, reversed(s[0], 64))
WS(s_bcnt0_i32_b32, ones((uint32_t)~A), r != 0)
WS(s_bcnt0_i32_b64, ones(~s[0]), r != 0)
WS(s_bcnt1_i32_b32, ones(A), r != 0)
WS(s_bcnt1_i32_b64, ones(s[0]), r != 0)
W(s_ctz_i32_b64, trailing(s[0], 64))
W(s_ff0_i32_b32, trailing(~s[0], 32))
W(s_ff0_i32_b64, trailing(~s[0], 64))
W(s_clz_i32_u64, leading(s[0], 64))
W(s_cls_i32_i64, sign_run(s[0], 64))
W(s_bitset0_b32, B & ~(1u << (A & 31)))
W(s_bitset1_b32, B | 1u << (A & 31))
Q(s_bitset0_b64, s[1] & ~(UINT64_C(1) << (A & 63)))
Q(s_bitset1_b64, s[1] | UINT64_C(1) << (A & 63))
REF(s_bitreplicate_b64_b32) {
    d[0] = 0;
    for (unsigned i = 0; i < 32; i++)
        d[0] |= (s[0] >> i & 1) * UINT64_C(3) << 2 * i;
}
Q(s_bfm_b64, field(~UINT64_C(0), 0, A & 63) << (B & 63))
WS(s_bfe_u32, field(A, B & 31, B >> 16 & 127), r != 0)
WS(s_bfe_i32, signed_field((uint64_t)(int64_t)IA, B & 31, least(B >> 16 & 127, 64 - (B & 31))), r != 0)
QS(s_bfe_u64, field(s[0], B & 63, B >> 16 & 127), r != 0)
QS(s_bfe_i64, signed_field(s[0], B & 63, B >> 16 & 127), r != 0)
#define SCALAR_COMPARES(name, operator) W(s_cmp_##name##_i32, IA operator IB) W(s_cmp_##name##_u32, A operator B)
SCALAR_COMPARES(eq, ==)
SCALAR_COMPARES(lg, !=)
SCALAR_COMPARES(gt, >)
SCALAR_COMPARES(ge, >=)
SCALAR_COMPARES(lt, <)
SCALAR_COMPARES(le, <=)
W(s_cmp_eq_u64, s[0] == s[1])
W(s_cmp_lg_u64, s[0] != s[1])
W(s_bitcmp0_b32, !(A >> (B & 31) & 1))
W(s_bitcmp1_b32, A >> (B & 31) & 1)
W(s_bitcmp0_b64, !(s[0] >> (B & 63) & 1))
W(s_bitcmp1_b64, s[0] >> (B & 63) & 1)

#define SAME(name, as) {#name, ref_##as, 0},
#define ROW(name)      SAME(name, name)
/* clang-format off */
#define COMPARE_ROWS(type)                                                                                                                 \
    ROW(v_cmp_lt_##type)                                                                                                                   \
    ROW(v_cmp_eq_##type) ROW(v_cmp_le_##type) ROW(v_cmp_gt_##type) ROW(v_cmp_ne_##type) ROW(v_cmp_ge_##type) SAME(v_cmp_f_##type, never)   \
    SAME(v_cmp_t_##type, always)
/* clang-format on */
/* The macros bring their commas, which the formatter cannot know. */
/* clang-format off */
const struct reference integer_references[] = {
    ROW(v_mov_b32) ROW(v_cndmask_b32) ROW(v_add_nc_u32) ROW(v_sub_nc_u32) ROW(v_subrev_nc_u32) ROW(v_add3_u32) ROW(v_xad_u32)
    ROW(v_lshl_add_u32) ROW(v_add_lshl_u32) ROW(v_add_co_u32) ROW(v_sub_co_u32) ROW(v_subrev_co_u32) ROW(v_add_co_ci_u32)
    ROW(v_sub_co_ci_u32) ROW(v_subrev_co_ci_u32) ROW(v_mul_lo_u32) ROW(v_mul_hi_u32) ROW(v_mul_hi_i32) ROW(v_quotient_u32) ROW(v_mul_u32_u24)
    ROW(v_mul_i32_i24) ROW(v_mul_hi_u32_u24) ROW(v_mul_hi_i32_i24) ROW(v_mad_u32_u24) ROW(v_mad_i32_i24) ROW(v_mad_u32_u16)
    ROW(v_mad_i32_i16) ROW(v_prng_b32) ROW(v_not_b32) ROW(v_bfrev_b32) ROW(v_and_b32) ROW(v_or_b32) ROW(v_xor_b32) ROW(v_xnor_b32)
    ROW(v_and_or_b32) ROW(v_or3_b32) ROW(v_xor3_b32) ROW(v_lshl_or_b32) ROW(v_bfi_b32) ROW(v_lshlrev_b32) ROW(v_lshrrev_b32)
    ROW(v_ashrrev_i32) ROW(v_lshl_b32) ROW(v_lshr_b32) ROW(v_ashr_i32) ROW(v_bfm_b32) ROW(v_bfe_u32) ROW(v_bfe_i32)
    ROW(v_alignbit_b32) ROW(v_alignbyte_b32) ROW(v_alignbit_b32_upper) ROW(v_alignbyte_b32_upper) ROW(v_bcnt_u32_b32) ROW(v_clz_i32_u32) ROW(v_ctz_i32_b32) ROW(v_cls_i32)
    ROW(v_perm_b32) ROW(v_min_i32) ROW(v_max_i32) ROW(v_min_u32) ROW(v_max_u32) ROW(v_min3_i32) ROW(v_max3_i32) ROW(v_min3_u32)
    ROW(v_max3_u32) ROW(v_med3_i32) ROW(v_med3_u32) ROW(v_minmax_i32) ROW(v_maxmin_i32) ROW(v_minmax_u32) ROW(v_maxmin_u32)
    ROW(v_add_nc_u32_clamp) ROW(v_sub_nc_u32_clamp) ROW(v_subrev_nc_u32_clamp) ROW(v_add_nc_i32_clamp) ROW(v_sub_nc_i32_clamp)
    ROW(v_mad_u32_u24_clamp) ROW(v_mad_i32_i24_clamp) ROW(v_mad_u32_u16_clamp) ROW(v_mad_i32_i16_clamp) ROW(v_mov_b16)
    ROW(v_cndmask_b16) ROW(v_not_b16) ROW(v_and_b16) ROW(v_or_b16) ROW(v_xor_b16) ROW(v_add_nc_u16) ROW(v_sub_nc_u16)
    ROW(v_subrev_u16) ROW(v_mul_lo_u16) ROW(v_mad_u16) ROW(v_lshlrev_b16) ROW(v_lshrrev_b16) ROW(v_ashrrev_i16) ROW(v_min_i16)
    ROW(v_max_i16) ROW(v_min_u16) ROW(v_max_u16) ROW(v_min3_i16) ROW(v_max3_i16) ROW(v_min3_u16) ROW(v_max3_u16) ROW(v_med3_i16)
    ROW(v_med3_u16) ROW(v_add_nc_u16_clamp) ROW(v_sub_nc_u16_clamp) ROW(v_subrev_u16_clamp) ROW(v_add_nc_i16_clamp)
    ROW(v_sub_nc_i16_clamp) ROW(v_mad_u16_clamp) ROW(v_mad_i16_clamp) ROW(v_sat_pk_u8_i16) ROW(v_pack_b32_f16) ROW(v_cvt_u32_u16)
    ROW(v_cvt_i32_i16) ROW(v_pk_add_u16) ROW(v_pk_sub_u16) ROW(v_pk_mul_lo_u16) ROW(v_pk_mad_u16) ROW(v_pk_lshlrev_b16)
    ROW(v_pk_lshrrev_b16) ROW(v_pk_ashrrev_i16) ROW(v_pk_min_i16) ROW(v_pk_max_i16) ROW(v_pk_min_u16) ROW(v_pk_max_u16)
    ROW(v_pk_add_u16_clamp) ROW(v_pk_sub_u16_clamp) ROW(v_pk_add_i16_clamp) ROW(v_pk_sub_i16_clamp) ROW(v_mov_b64)
    ROW(v_pk_mov_b32) ROW(v_lshlrev_b64) ROW(v_lshrrev_b64) ROW(v_ashrrev_i64) ROW(v_lshl_b64) ROW(v_lshr_b64) ROW(v_ashr_i64)
    ROW(v_lshl_add_u64) ROW(v_add_nc_u64) ROW(v_sub_nc_u64) ROW(v_mul_u64) ROW(v_mad_u64_u32) ROW(v_mad_i64_i32)
    ROW(v_dot2_u32_u16) ROW(v_dot2_i32_i16) ROW(v_dot4_u32_u8) ROW(v_dot4_i32_i8) ROW(v_dot4_i32_i8_u8) ROW(v_dot4_i32_u8_i8)
    ROW(v_dot8_u32_u4) ROW(v_dot8_i32_i4) ROW(v_dot8_i32_i4_u4) ROW(v_dot8_i32_u4_i4) ROW(v_dot2_u32_u16_clamp)
    ROW(v_dot2_i32_i16_clamp) ROW(v_dot4_u32_u8_clamp) ROW(v_dot4_i32_i8_clamp) ROW(v_dot4_i32_i8_u8_clamp)
    ROW(v_dot8_u32_u4_clamp) ROW(v_dot8_i32_i4_clamp) ROW(v_sad_u8) ROW(v_sad_hi_u8) ROW(v_sad_u16) ROW(v_sad_u32) ROW(v_msad_u8)
    ROW(v_qsad_pk_u16_u8) ROW(v_mqsad_pk_u16_u8) ROW(v_lerp_u8) ROW(s_cmov_b32) ROW(s_cmov_b64) ROW(s_cselect_b64)
    ROW(s_sext_i32_i8) ROW(s_sext_i32_i16) ROW(s_pack_ll_b32_b16) ROW(s_pack_lh_b32_b16) ROW(s_pack_hl_b32_b16)
    ROW(s_pack_hh_b32_b16) ROW(s_add_u32) ROW(s_sub_u32) ROW(s_add_i32) ROW(s_sub_i32) ROW(s_addc_u32) ROW(s_subb_u32)
    ROW(s_lshl1_add_u32) ROW(s_lshl2_add_u32) ROW(s_lshl3_add_u32) ROW(s_lshl4_add_u32) ROW(s_abs_i32) ROW(s_absdiff_i32)
    ROW(s_mul_i32) ROW(s_min_i32) ROW(s_min_u32) ROW(s_max_i32) ROW(s_max_u32) ROW(s_and_b32) ROW(s_and_b64) ROW(s_or_b32)
    ROW(s_or_b64) ROW(s_xor_b32) ROW(s_xor_b64) ROW(s_nand_b32) ROW(s_nand_b64) ROW(s_nor_b32) ROW(s_nor_b64) ROW(s_xnor_b32)
    ROW(s_xnor_b64) ROW(s_and_not1_b32) ROW(s_and_not1_b64) ROW(s_or_not1_b32) ROW(s_or_not1_b64) ROW(s_lshl_b32) ROW(s_lshl_b64)
    ROW(s_lshr_b32) ROW(s_lshr_b64) ROW(s_ashr_i32) ROW(s_ashr_i64) ROW(s_not_b32) ROW(s_not_b64) ROW(s_wqm_b32) ROW(s_wqm_b64)
    ROW(s_quadmask_b32) ROW(s_quadmask_b64) ROW(s_brev_b64) ROW(s_bcnt0_i32_b32) ROW(s_bcnt0_i32_b64) ROW(s_bcnt1_i32_b32)
    ROW(s_bcnt1_i32_b64) ROW(s_ctz_i32_b64) ROW(s_ff0_i32_b32) ROW(s_ff0_i32_b64) ROW(s_clz_i32_u64) ROW(s_cls_i32_i64)
    ROW(s_bitset0_b32) ROW(s_bitset1_b32) ROW(s_bitset0_b64) ROW(s_bitset1_b64) ROW(s_bitreplicate_b64_b32) ROW(s_bfm_b64)
    ROW(s_bfe_u32) ROW(s_bfe_i32) ROW(s_bfe_u64) ROW(s_bfe_i64) ROW(s_cmp_eq_i32) ROW(s_cmp_eq_u32) ROW(s_cmp_lg_i32)
    ROW(s_cmp_lg_u32) ROW(s_cmp_gt_i32) ROW(s_cmp_gt_u32) ROW(s_cmp_ge_i32) ROW(s_cmp_ge_u32) ROW(s_cmp_lt_i32) ROW(s_cmp_lt_u32)
    ROW(s_cmp_le_i32) ROW(s_cmp_le_u32) ROW(s_cmp_eq_u64) ROW(s_cmp_lg_u64) ROW(s_bitcmp0_b32) ROW(s_bitcmp1_b32)
    ROW(s_bitcmp0_b64) ROW(s_bitcmp1_b64)
    COMPARE_ROWS(i16) COMPARE_ROWS(u16) COMPARE_ROWS(i32) COMPARE_ROWS(u32) COMPARE_ROWS(i64) COMPARE_ROWS(u64)
    SAME(v_add_nc_i32, v_add_nc_u32) SAME(v_sub_nc_i32, v_sub_nc_u32) SAME(v_add_nc_i16, v_add_nc_u16) SAME(v_sub_nc_i16, v_sub_nc_u16)
    SAME(v_mad_i16, v_mad_u16) SAME(v_pk_add_i16, v_pk_add_u16) SAME(v_pk_sub_i16, v_pk_sub_u16) SAME(v_pk_mad_i16, v_pk_mad_u16)
    SAME(v_dot2c_i32_i16, v_dot2_i32_i16) SAME(v_dot4c_i32_i8, v_dot4_i32_i8) SAME(v_dot8c_i32_i4, v_dot8_i32_i4)
    SAME(s_mov_b32, v_mov_b32) SAME(s_mov_b64, v_mov_b64) SAME(s_cselect_b32, s_cmov_b32) SAME(s_mul_hi_u32, v_mul_hi_u32)
    SAME(s_mul_hi_i32, v_mul_hi_i32) SAME(s_mul_u64, v_mul_u64) SAME(s_add_nc_u64, v_add_nc_u64) SAME(s_sub_nc_u64, v_sub_nc_u64)
    SAME(s_add_u64, v_add_nc_u64) SAME(s_sub_u64, v_sub_nc_u64) SAME(s_brev_b32, v_bfrev_b32) SAME(s_bfm_b32, v_bfm_b32)
    SAME(s_ctz_i32_b32, v_ctz_i32_b32) SAME(s_clz_i32_u32, v_clz_i32_u32) SAME(s_cls_i32, v_cls_i32)
    {NULL, NULL, 0},
};
/* clang-format on */
