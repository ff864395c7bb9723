/* gfx1250's instructions that only calculate: 64-bit and packed integers, bf16, conversions of 8-bit floats and f16, lanes of other lanes. Each lane
 * against a function of its own here. */
#include "base/float_bits.h"
#include "isa/gfx1250.h"
#include "isa/number_formats.h"

enum { FIRST = 8, RESULT = 20, REGISTERS = 2, SOURCES = 3 }; /* sources: v[8:9], v[10:11], v[12:13]; the result: v[20:21] */

/* What a lane has: 64 bits a source; and for those that read other lanes, the first source of all. */
struct lane {
    uint64_t s[SOURCES];
    const uint32_t *all;
    unsigned number;
    uint32_t old;
};

static uint32_t low(const struct lane *l, unsigned source) { return (uint32_t)l->s[source]; }
static int32_t low_signed(const struct lane *l, unsigned source) { return (int32_t)l->s[source]; }
/* ---- integers ---- */

typedef __int128 wide;

static uint64_t add_u64(const struct lane *l) { return (uint64_t)((wide)l->s[0] + l->s[1]); }
static uint64_t sub_u64(const struct lane *l) { return (uint64_t)((wide)l->s[0] - l->s[1]); }
static uint64_t mul_u64(const struct lane *l) { return (uint64_t)((wide)(int64_t)l->s[0] * (int64_t)l->s[1]); }
static uint64_t lshl_add_u64(const struct lane *l) { return (uint64_t)((wide)l->s[0] * (1 << (l->s[1] & 7)) + (wide)l->s[2]); }
static uint64_t min_i64(const struct lane *l) { return (int64_t)l->s[0] < (int64_t)l->s[1] ? l->s[0] : l->s[1]; }
static uint64_t max_i64(const struct lane *l) { return (int64_t)l->s[0] > (int64_t)l->s[1] ? l->s[0] : l->s[1]; }
static uint64_t min_u64(const struct lane *l) { return l->s[0] < l->s[1] ? l->s[0] : l->s[1]; }
static uint64_t max_u64(const struct lane *l) { return l->s[0] > l->s[1] ? l->s[0] : l->s[1]; }
static uint64_t mad_u32(const struct lane *l) { return (uint32_t)((wide)low(l, 0) * low(l, 1) + low(l, 2)); }
static uint64_t mad_u64(const struct lane *l) { return (uint64_t)((wide)low(l, 0) * low(l, 1) + (wide)l->s[2]); }
static uint64_t mad_i64(const struct lane *l) { return (uint64_t)((wide)low_signed(l, 0) * low_signed(l, 1) + (wide)l->s[2]); }

static int64_t chosen(int64_t a, int64_t b, bool greater) { return (a > b) == greater ? a : b; }

static int64_t limited_to(int64_t value, int64_t least, int64_t most) { return value < least ? least : value > most ? most : value; }

/* The sum saturates: LLVM makes the instruction of a saturating sum, not of a plain one. */
static uint64_t add_then(const struct lane *l, bool greater, bool is_signed) {
    const int64_t sum = is_signed ? limited_to((int64_t)low_signed(l, 0) + low_signed(l, 1), INT32_MIN, INT32_MAX)
                                  : limited_to((int64_t)low(l, 0) + low(l, 1), 0, UINT32_MAX);
    return (uint32_t)chosen(sum, is_signed ? low_signed(l, 2) : (int64_t)low(l, 2), greater);
}
static uint64_t add_max_i32(const struct lane *l) { return add_then(l, true, true); }
static uint64_t add_max_u32(const struct lane *l) { return add_then(l, true, false); }
static uint64_t add_min_i32(const struct lane *l) { return add_then(l, false, true); }
static uint64_t add_min_u32(const struct lane *l) { return add_then(l, false, false); }

static int64_t half_of(const struct lane *l, unsigned source, unsigned at, bool is_signed) {
    const uint16_t half = (uint16_t)(l->s[source] >> at);
    return is_signed ? (int16_t)half : half;
}
static uint64_t pk_add_then(const struct lane *l, bool greater, bool is_signed) {
    uint32_t result = 0;
    for (unsigned at = 0; at < 32; at += 16) {
        const int64_t sum = half_of(l, 0, at, is_signed) + half_of(l, 1, at, is_signed);
        const int64_t nearest_one = limited_to(sum, is_signed ? INT16_MIN : 0, is_signed ? INT16_MAX : UINT16_MAX);
        result |= (uint32_t)(uint16_t)chosen(nearest_one, half_of(l, 2, at, is_signed), greater) << at;
    }
    return result;
}
static uint64_t pk_add_max_i16(const struct lane *l) { return pk_add_then(l, true, true); }
static uint64_t pk_add_max_u16(const struct lane *l) { return pk_add_then(l, true, false); }
static uint64_t pk_add_min_i16(const struct lane *l) { return pk_add_then(l, false, true); }
static uint64_t pk_add_min_u16(const struct lane *l) { return pk_add_then(l, false, false); }
static uint64_t pk_of_three(const struct lane *l, bool greatest, bool is_signed) {
    uint32_t result = 0;
    for (unsigned at = 0; at < 32; at += 16) {
        const int64_t two = chosen(half_of(l, 0, at, is_signed), half_of(l, 1, at, is_signed), greatest);
        result |= (uint32_t)(uint16_t)chosen(two, half_of(l, 2, at, is_signed), greatest) << at;
    }
    return result;
}
static uint64_t pk_min3_i16(const struct lane *l) { return pk_of_three(l, false, true); }
static uint64_t pk_max3_i16(const struct lane *l) { return pk_of_three(l, true, true); }
static uint64_t pk_min3_u16(const struct lane *l) { return pk_of_three(l, false, false); }
static uint64_t pk_max3_u16(const struct lane *l) { return pk_of_three(l, true, false); }

static uint64_t sat_pk4(const struct lane *l, int least, int most, bool is_signed) {
    uint32_t result = 0;
    for (unsigned i = 0; i < 4; i++) {
        const uint8_t byte = (uint8_t)(low(l, 0) >> 8 * i);
        const int value = is_signed ? (int8_t)byte : byte;
        result |= (uint32_t)((value < least ? least : value > most ? most : value) & 15) << 4 * i;
    }
    return result;
}
static uint64_t sat_pk4_i4(const struct lane *l) { return sat_pk4(l, -8, 7, true); }
static uint64_t sat_pk4_u4(const struct lane *l) { return sat_pk4(l, 0, 15, false); }

static uint64_t bitop3_6a(const struct lane *l) {
    uint32_t result = 0;
    for (unsigned i = 0; i < 32; i++)
        result |= (0x6au >> ((low(l, 0) >> i & 1) * 4 + (low(l, 1) >> i & 1) * 2 + (low(l, 2) >> i & 1)) & 1) << i;
    return result;
}

/* ---- floats ---- */

static uint64_t fmaak(const struct lane *l) { return wl_double_bits(fma(wl_bits_double(l->s[0]), wl_bits_double(l->s[1]), 1.5)); }
static uint64_t fmamk(const struct lane *l) { return wl_double_bits(fma(wl_bits_double(l->s[0]), 1.5, wl_bits_double(l->s[1]))); }

static double half_value(const struct number_format *f, const struct lane *l, unsigned source, unsigned at) {
    return value_of(f, l->s[source] >> at & 0xffff);
}
static bool is_less(double a, double b) { return a < b || (a == b && signbit(a) && !signbit(b)); }

/* Of numbers: one that is none loses. */
static double better(double a, double b, bool greatest) { return isnan(a) ? b : isnan(b) ? a : is_less(a, b) == greatest ? b : a; }
static uint64_t packed(const struct number_format *f, double first, double second) {
    return nearest(f, first, false, false) | nearest(f, second, false, false) << 16;
}

#define PACKED(NAME, FORMAT, VALUE)                                                                                                        \
    static double NAME##_at(const struct lane *l, unsigned at) { return VALUE; }                                                           \
    static uint64_t NAME(const struct lane *l) { return packed(&(FORMAT), NAME##_at(l, 0), NAME##_at(l, 16)); }
#define B(SOURCE) half_value(&bf16, l, SOURCE, at)
#define H(SOURCE) half_value(&f16, l, SOURCE, at)
PACKED(pk_add_bf16, bf16, B(0) + B(1))
PACKED(pk_mul_bf16, bf16, B(0) * B(1))
PACKED(pk_fma_bf16, bf16, B(0) * B(1) + B(2))
PACKED(pk_min_bf16, bf16, better(B(0), B(1), false))
PACKED(pk_max_bf16, bf16, better(B(0), B(1), true))
PACKED(pk_min3_f16, f16, better(better(H(0), H(1), false), H(2), false))
PACKED(pk_max3_f16, f16, better(better(H(0), H(1), true), H(2), true))

/* op_sel chooses the high half of the second; the third is of 32 bits. */
static double mixed(const struct lane *l, unsigned second) {
    return half_value(&bf16, l, 0, 0) * half_value(&bf16, l, 1, second) + wl_bits_float(low(l, 2));
}
static uint64_t mix_f32(const struct lane *l) { return wl_float_bits((float)mixed(l, 16)); }
static uint64_t mixlo_bf16(const struct lane *l) { return (l->old & 0xffff0000) | nearest(&bf16, mixed(l, 0), false, false); }
static uint64_t mixhi_bf16(const struct lane *l) { return (l->old & 0xffff) | nearest(&bf16, mixed(l, 0), false, false) << 16; }

static uint64_t f16_of_fp8(const struct lane *l) { return nearest(&f16, value_of(&fp8, low(l, 0) & 0xff), false, false); }
static uint64_t f16_of_bf8(const struct lane *l) { return nearest(&f16, value_of(&bf8, low(l, 0) & 0xff), false, false); }
static uint64_t pk_f16_of(const struct number_format *f, const struct lane *l) {
    return packed(&f16, value_of(f, low(l, 0) & 0xff), value_of(f, low(l, 0) >> 8 & 0xff));
}
static uint64_t pk_f16_of_fp8(const struct lane *l) { return pk_f16_of(&fp8, l); }
static uint64_t pk_f16_of_bf8(const struct lane *l) { return pk_f16_of(&bf8, l); }
static uint64_t pk_of_f16(const struct number_format *f, const struct lane *l) {
    return nearest(f, half_value(&f16, l, 0, 0), true, false) | nearest(f, half_value(&f16, l, 0, 16), true, false) << 8;
}
static uint64_t pk_fp8_of_f16(const struct lane *l) { return pk_of_f16(&fp8, l); }
static uint64_t pk_bf8_of_f16(const struct lane *l) { return pk_of_f16(&bf8, l); }
static uint64_t sr_pk(const struct number_format *f, const struct lane *l) {
    return by_chance(f, wl_bits_float(low(l, 0)), low(l, 2), 23, false, false) |
           by_chance(f, wl_bits_float(low(l, 1)), low(l, 2), 23, false, false) << 16;
}
static uint64_t sr_pk_f16(const struct lane *l) { return sr_pk(&f16, l); }
static uint64_t sr_pk_bf16(const struct lane *l) { return sr_pk(&bf16, l); }

/* ---- functions, which are compared within a last place or two ---- */

static double tanh_f32(const struct lane *l) { return tanh((double)wl_bits_float(low(l, 0))); }
static double tanh_f16(const struct lane *l) { return tanh(half_value(&f16, l, 0, 0)); }
static double tanh_bf16(const struct lane *l) { return tanh(half_value(&bf16, l, 0, 0)); }
static double rcp_bf16(const struct lane *l) { return 1 / half_value(&bf16, l, 0, 0); }
static double sqrt_bf16(const struct lane *l) { return sqrt(half_value(&bf16, l, 0, 0)); }
static double rsq_bf16(const struct lane *l) { return 1 / sqrt(half_value(&bf16, l, 0, 0)); }
static double exp_bf16(const struct lane *l) { return exp2(half_value(&bf16, l, 0, 0)); }
static double log_bf16(const struct lane *l) { return log2(half_value(&bf16, l, 0, 0)); }
static double sin_bf16(const struct lane *l) { return sin(half_value(&bf16, l, 0, 0) * 2 * 3.14159265358979323846); }
static double cos_bf16(const struct lane *l) { return cos(half_value(&bf16, l, 0, 0) * 2 * 3.14159265358979323846); }

/* ---- lanes of other lanes ---- */

/* Active or not. */
static uint64_t bpermute_fi(const struct lane *l) { return l->all[2 * GFX1250_LANES + (l->all[l->number] + 12) / 4 % GFX1250_LANES]; }
static uint64_t bcast_5_of_8(const struct lane *l) { return l->all[l->number - l->number % 8 + 5]; }
static uint64_t up_3_of_16(const struct lane *l) { return l->all[l->number % 16 < 3 ? l->number : l->number - 3]; }
static uint64_t down_3_of_16(const struct lane *l) { return l->all[l->number % 16 > 12 ? l->number : l->number + 3]; }
static uint64_t xor_9_of_16(const struct lane *l) { return l->all[l->number ^ 9]; }
static uint64_t index_of_8(const struct lane *l) { return (l->number / 8 * 8 + low(l, 0) % 8) * 4; }

/* ---- the instructions ---- */

/* ---- what LLVM 19 has no text for, so that test_alu.c does not compare it ---- */

static float high_float(uint32_t pair) { return wl_bits_float(pair & 0xffff0000); }
static float low_float(uint32_t pair) { return wl_bits_float(pair << 16); }
static uint64_t dot2acc_bf16(const struct lane *l) {
    const float sum = fmaf(low_float(low(l, 0)), low_float(low(l, 1)), wl_bits_float(l->old));
    return wl_float_bits(fmaf(high_float(low(l, 0)), high_float(low(l, 1)), sum));
}
static uint64_t swap_halves(const struct lane *l) { return (l->old & 0xffff0000) | low(l, 0) >> 16; }

enum kind { WHOLE, WIDE, LOW_HALF, F32, F16, BF16 }; /* the last three: of a function */

static const struct row {
    const char *name;
    uint32_t words[3];
    unsigned count;
    enum kind kind;
    const struct number_format *from; /* NULL: any bits */
    uint64_t (*reference)(const struct lane *lane);
    double (*function)(const struct lane *lane);
} rows[] = {
    {"v_dual_dot2acc_f32_bf16",
     {0xcb501508, 0x1414010d},
     2,
     WHOLE,
     &bf16,
     dot2acc_bf16,
     NULL},                                                          /* v20, v8, v10 :: v_dual_mov_b32 v21, v13 */
    {"v_swap_b16", {0x7e28cd88}, 1, WHOLE, NULL, swap_halves, NULL}, /* v20.l, v8.h */
    {"v_add_nc_u64", {0x50281508}, 1, WIDE, NULL, add_u64, NULL},
    {"v_sub_nc_u64", {0x52281508}, 1, WIDE, NULL, sub_u64, NULL},
    {"v_mul_u64", {0x54281508}, 1, WIDE, NULL, mul_u64, NULL},
    {"v_lshl_add_u64", {0xd6520014, 0x04321508}, 2, WIDE, NULL, lshl_add_u64, NULL},
    {"v_min_i64", {0xd71a0014, 0x00021508}, 2, WIDE, NULL, min_i64, NULL},
    {"v_max_i64", {0xd71b0014, 0x00021508}, 2, WIDE, NULL, max_i64, NULL},
    {"v_min_u64", {0xd7180014, 0x00021508}, 2, WIDE, NULL, min_u64, NULL},
    {"v_max_u64", {0xd7190014, 0x00021508}, 2, WIDE, NULL, max_u64, NULL},
    {"v_mad_u32", {0xd6350014, 0x04321508}, 2, WHOLE, NULL, mad_u32, NULL},
    {"v_mad_nc_u64_u32", {0xd6fa0014, 0x04321508}, 2, WIDE, NULL, mad_u64, NULL},
    {"v_mad_nc_i64_i32", {0xd6fb0014, 0x04321508}, 2, WIDE, NULL, mad_i64, NULL},
    {"v_add_max_i32", {0xd65e0014, 0x04321508}, 2, WHOLE, NULL, add_max_i32, NULL},
    {"v_add_max_u32", {0xd65f0014, 0x04321508}, 2, WHOLE, NULL, add_max_u32, NULL},
    {"v_add_min_i32", {0xd6600014, 0x04321508}, 2, WHOLE, NULL, add_min_i32, NULL},
    {"v_add_min_u32", {0xd6610014, 0x04321508}, 2, WHOLE, NULL, add_min_u32, NULL},
    {"v_pk_add_max_i16", {0xcc144014, 0x1c321508}, 2, WHOLE, NULL, pk_add_max_i16, NULL},
    {"v_pk_add_max_u16", {0xcc154014, 0x1c321508}, 2, WHOLE, NULL, pk_add_max_u16, NULL},
    {"v_pk_add_min_i16", {0xcc2d4014, 0x1c321508}, 2, WHOLE, NULL, pk_add_min_i16, NULL},
    {"v_pk_add_min_u16", {0xcc2e4014, 0x1c321508}, 2, WHOLE, NULL, pk_add_min_u16, NULL},
    {"v_pk_min3_i16", {0xcc314014, 0x1c321508}, 2, WHOLE, NULL, pk_min3_i16, NULL},
    {"v_pk_max3_i16", {0xcc2f4014, 0x1c321508}, 2, WHOLE, NULL, pk_max3_i16, NULL},
    {"v_pk_min3_u16", {0xcc324014, 0x1c321508}, 2, WHOLE, NULL, pk_min3_u16, NULL},
    {"v_pk_max3_u16", {0xcc304014, 0x1c321508}, 2, WHOLE, NULL, pk_max3_u16, NULL},
    {"v_sat_pk4_i4_i8", {0x7e28e708}, 1, LOW_HALF, NULL, sat_pk4_i4, NULL},
    {"v_sat_pk4_u4_u8", {0x7e28e908}, 1, LOW_HALF, NULL, sat_pk4_u4, NULL},
    {"v_bitop3_b32", {0xd6340514, 0x4c321508}, 2, WHOLE, NULL, bitop3_6a, NULL},
    {"v_pk_min3_num_f16", {0xcc384014, 0x1c321508}, 2, WHOLE, &f16, pk_min3_f16, NULL},
    {"v_pk_max3_num_f16", {0xcc394014, 0x1c321508}, 2, WHOLE, &f16, pk_max3_f16, NULL},
    {"v_pk_add_bf16", {0xcc234014, 0x18021508}, 2, WHOLE, &bf16, pk_add_bf16, NULL},
    {"v_pk_mul_bf16", {0xcc2a4014, 0x18021508}, 2, WHOLE, &bf16, pk_mul_bf16, NULL},
    {"v_pk_fma_bf16", {0xcc114014, 0x1c321508}, 2, WHOLE, &bf16, pk_fma_bf16, NULL},
    {"v_pk_min_num_bf16", {0xcc2b4014, 0x18021508}, 2, WHOLE, &bf16, pk_min_bf16, NULL},
    {"v_pk_max_num_bf16", {0xcc2c4014, 0x18021508}, 2, WHOLE, &bf16, pk_max_bf16, NULL},
    {"v_fma_mix_f32_bf16", {0xcc3d1014, 0x1c321508}, 2, WHOLE, &bf16, mix_f32, NULL},
    {"v_fma_mixlo_bf16", {0xcc3e0014, 0x1c321508}, 2, WHOLE, &bf16, mixlo_bf16, NULL},
    {"v_fma_mixhi_bf16", {0xcc3f0014, 0x1c321508}, 2, WHOLE, &bf16, mixhi_bf16, NULL},
    {"v_fmaak_f64", {0x48281508, 0x00000000, 0x3ff80000}, 3, WIDE, &f32, fmaak, NULL},
    {"v_fmamk_f64", {0x46281508, 0x00000000, 0x3ff80000}, 3, WIDE, &f32, fmamk, NULL},
    {"v_cvt_f16_fp8", {0x7e28ef08}, 1, LOW_HALF, NULL, f16_of_fp8, NULL},
    {"v_cvt_f16_bf8", {0x7e28f108}, 1, LOW_HALF, NULL, f16_of_bf8, NULL},
    {"v_cvt_pk_f16_fp8", {0x7e28eb08}, 1, WHOLE, NULL, pk_f16_of_fp8, NULL},
    {"v_cvt_pk_f16_bf8", {0x7e28ed08}, 1, WHOLE, NULL, pk_f16_of_bf8, NULL},
    {"v_cvt_pk_fp8_f16", {0xd7720014, 0x00000108}, 2, LOW_HALF, &f16, pk_fp8_of_f16, NULL},
    {"v_cvt_pk_bf8_f16", {0xd7730014, 0x00000108}, 2, LOW_HALF, &f16, pk_bf8_of_f16, NULL},
    {"v_cvt_sr_pk_bf16_f32", {0xd76e0014, 0x04321508}, 2, WHOLE, &f32, sr_pk_bf16, NULL},
    {"v_cvt_sr_pk_f16_f32", {0xd7700014, 0x04321508}, 2, WHOLE, &f32, sr_pk_f16, NULL},
    {"v_tanh_f32", {0x7e283d08}, 1, F32, &f32, NULL, tanh_f32},
    {"v_tanh_f16", {0x7e283f08}, 1, F16, &f16, NULL, tanh_f16},
    {"v_tanh_bf16", {0x7e289508}, 1, BF16, &bf16, NULL, tanh_bf16},
    {"v_rcp_bf16", {0x7e28f308}, 1, BF16, &bf16, NULL, rcp_bf16},
    {"v_sqrt_bf16", {0x7e28f508}, 1, BF16, &bf16, NULL, sqrt_bf16},
    {"v_rsq_bf16", {0x7e28f708}, 1, BF16, &bf16, NULL, rsq_bf16},
    {"v_exp_bf16", {0x7e28fb08}, 1, BF16, &bf16, NULL, exp_bf16},
    {"v_log_bf16", {0x7e28f908}, 1, BF16, &bf16, NULL, log_bf16},
    {"v_sin_bf16", {0x7e28fd08}, 1, BF16, &bf16, NULL, sin_bf16},
    {"v_cos_bf16", {0x7e28ff08}, 1, BF16, &bf16, NULL, cos_bf16},
    {"ds_bpermute_fi_b32 offset:12", {0xdb34000c, 0x14000a08}, 2, WHOLE, NULL, bpermute_fi, NULL},
    {"v_permlane_bcast_b32", {0xd6700014, 0x02210b08}, 2, WHOLE, NULL, bcast_5_of_8, NULL},
    {"v_permlane_up_b32", {0xd6710014, 0x02410708}, 2, WHOLE, NULL, up_3_of_16, NULL},
    {"v_permlane_down_b32", {0xd6720014, 0x02410708}, 2, WHOLE, NULL, down_3_of_16, NULL},
    {"v_permlane_xor_b32", {0xd6730014, 0x02411308}, 2, WHOLE, NULL, xor_9_of_16, NULL},
    {"v_permlane_idx_gen_b32", {0xd7140014, 0x00011108}, 2, WHOLE, NULL, index_of_8, NULL},
};

/* Numbers of middling size, so that products and sums of them are exact as doubles. */
static uint32_t random_source(const struct row *row, unsigned source, unsigned half) {
    const uint32_t any = random_number();
    const bool mixes = strncmp(row->name, "v_fma_mix", 9) == 0;

    if (!row->from || (source == 2 && strncmp(row->name, "v_cvt_sr", 8) == 0))
        return any;
    if (row->from == &f32 || (mixes && source == 2))
        return half ? (any & 0x800fffff) | (1020 + random_number() % 8) << 20 : (any & 0x807fffff) | (120 + random_number() % 14) << 23;
    if (row->from == &bf16)
        return (any & 0x83ff83ff) | 0x3c003c00;
    return (any & 0xa3ffa3ff) | 0x10001000 << random_number() % 2; /* f16 of at most 2: in range for all */
}

static uint32_t last_place_of(enum kind kind, double value) {
    return kind == F32 ? nearest(&f32, value, false, false) : nearest(kind == F16 ? &f16 : &bf16, value, false, false);
}

/* Two last places apart at most; bits of what is no number are the machine's choice. */
static bool is_near(enum kind kind, uint32_t got, double want) {
    const struct number_format *f = kind == F32 ? &f32 : kind == F16 ? &f16 : &bf16;
    const double value = value_of(f, kind == F32 ? got : got & 0xffff);
    if (isnan(want) || isinf(want))
        return isnan(want) ? isnan(value) : value == want;
    const double place = ldexp(1, last_place(f, fabs(want)));
    return fabs(value - want) <= 2 * place + ((kind == BF16 && fabs(want) < 1e-2) ? 1e-4 : 0);
}

static bool is_right(const struct row *row, const struct lane *lane, const uint32_t got[REGISTERS]) {
    if (row->function)
        return is_near(row->kind, got[0], row->function(lane));
    const uint64_t want = row->reference(lane);
    const uint32_t mask = row->kind == LOW_HALF ? 0xffff : UINT32_MAX;
    return ((got[0] ^ (uint32_t)want) & mask) == 0 && (row->kind != WIDE || got[1] == (uint32_t)(want >> 32));
}

static void check(const struct row *row, unsigned round) {
    uint32_t before[SOURCES * 2][GFX1250_LANES], old[REGISTERS][GFX1250_LANES];
    const uint32_t exec = some_exec(round);
    char what[240];

    for (unsigned lane = 0; lane < GFX1250_LANES; lane++) {
        for (unsigned i = 0; i < SOURCES * 2; i++)
            lift_row(FIRST + i)[lane] = before[i][lane] = random_source(row, i / 2, i % 2);
        for (unsigned i = 0; i < REGISTERS; i++)
            lift_row(RESULT + i)[lane] = old[i][lane] = random_number();
    }
    lift_execute(exec);
    checks++;
    for (unsigned lane = 0; lane < GFX1250_LANES; lane++) {
        struct lane at = {.all = before[0], .number = lane, .old = old[0][lane]};
        const uint32_t got[REGISTERS] = {lift_row(RESULT)[lane], lift_row(RESULT + 1)[lane]};
        for (unsigned i = 0; i < SOURCES; i++)
            at.s[i] = before[i * 2][lane] | (uint64_t)before[i * 2 + 1][lane] << 32;
        if (exec >> lane & 1 ? is_right(row, &at, got) : got[0] == old[0][lane] && got[1] == old[1][lane])
            continue;
        snprintf(what, sizeof what, "%s, lane %u (exec %08x): of %016llx %016llx %016llx (was %08x) comes %08x %08x, expected %016llx",
                 row->name, lane, exec, (unsigned long long)at.s[0], (unsigned long long)at.s[1], (unsigned long long)at.s[2], at.old,
                 got[0], got[1],
                 row->function ? (unsigned long long)last_place_of(row->kind, row->function(&at))
                               : (unsigned long long)row->reference(&at));
        fail(what);
        return;
    }
}

int main(void) {
    lift_start();
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (unsigned host = 0; host < 2; host++) {
            open_words(rows[i].words, rows[i].count, host);
            for (unsigned round = 0; round < 8; round++)
                check(&rows[i], round);
            lift_close();
        }
    printf("%u checks, %u failures\n", checks, failures);
    return failures != 0;
}
