/* Vector unit: dot products of packed numbers, sums of absolute differences, averages. */
#include "lanes_float.h"

#define DOT_LANES WL_LANES
#include "machine/dot_sums.h"

/* Element i of `bits` bits, zero- or sign-extended. */
static INLINE u32s element(u32s a, int i, int bits) { return a << (32 - bits - i * bits) >> (32 - bits); }
static INLINE u32s signed_element(u32s a, int i, int bits) { return (u32s)((i32s)(a << (32 - bits - i * bits)) >> (32 - bits)); }
/* The sum of products of the elements, each of `bits` bits, of a and b. */
#define DOT(name, element_a, element_b, bits)                                                                                              \
    static INLINE u32s name(u32s a, u32s b) {                                                                                              \
        u32s sum = element_a(a, 0, bits) * element_b(b, 0, bits);                                                                          \
                                                                                                                                           \
        for (int i = 1; i < 32 / (bits); i++)                                                                                              \
            sum += element_a(a, i, bits) * element_b(b, i, bits);                                                                          \
        return sum;                                                                                                                        \
    }
DOT(dot2_u16, element, element, 16)
DOT(dot2_i16, signed_element, signed_element, 16)
DOT(dot4_u8, element, element, 8)
DOT(dot4_i8, signed_element, signed_element, 8)
DOT(dot4_i8_u8, signed_element, element, 8)
DOT(dot8_u4, element, element, 4)
DOT(dot8_i4, signed_element, signed_element, 4)
DOT(dot8_i4_u4, signed_element, element, 4)
LANES3(v_dot2_u32_u16, u32, pku16, pku16, u32) { return dot2_u16((u32s)a, (u32s)b) + c; }
LANES3(v_dot2_i32_i16, u32, pki16, pki16, u32) { return dot2_i16((u32s)a, (u32s)b) + c; }
LANES2_OLD(v_dot2c_i32_i16, u32, pki16, pki16) { return dot2_i16((u32s)a, (u32s)b) + c; }
LANES3(v_dot4_u32_u8, u32, b8x4, b8x4, u32) { return dot4_u8(a, b) + c; }
LANES3(v_dot4_i32_i8, u32, b8x4, b8x4, u32) { return dot4_i8(a, b) + c; }
LANES2_OLD(v_dot4c_i32_i8, u32, b8x4, b8x4) { return dot4_i8(a, b) + c; }
LANES3(v_dot8_u32_u4, u32, b8x4, b8x4, u32) { return dot8_u4(a, b) + c; }
LANES3(v_dot8_i32_i4, u32, b8x4, b8x4, u32) { return dot8_i4(a, b) + c; }
LANES2_OLD(v_dot8c_i32_i4, u32, b8x4, b8x4) { return dot8_i4(a, b) + c; }
/* gfx11's v_dot4_i32_iu8 and v_dot8_i32_iu4 say by neg_lo which operand is signed. Both: the rows above; else these. */
LANES3(v_dot4_i32_u8_u8, u32, b8x4, b8x4, u32) { return dot4_u8(a, b) + c; }
LANES3(v_dot8_i32_u4_u4, u32, b8x4, b8x4, u32) { return dot8_u4(a, b) + c; }
LANES3(v_dot4_i32_i8_u8, u32, b8x4, b8x4, u32) { return dot4_i8_u8(a, b) + c; }
LANES3(v_dot4_i32_u8_i8, u32, b8x4, b8x4, u32) { return dot4_i8_u8(b, a) + c; }
LANES3(v_dot8_i32_i4_u4, u32, b8x4, b8x4, u32) { return dot8_i4_u4(a, b) + c; }
LANES3(v_dot8_i32_u4_i4, u32, b8x4, b8x4, u32) { return dot8_i4_u4(b, a) + c; }
/* With the clamp modifier the sum is formed exactly, then saturated. The sums of products alone fit 32 bits but for
 * those of 16-bit halves, hence the wider type. */
static INLINE u64s products_u16(u32s a, u32s b) {
    return CONVERT(u64s, element(a, 0, 16) * element(b, 0, 16)) + CONVERT(u64s, element(a, 1, 16) * element(b, 1, 16));
}
static INLINE i64s products_i16(u32s a, u32s b) {
    return CONVERT(i64s, (i32s)(signed_element(a, 0, 16) * signed_element(b, 0, 16))) +
           CONVERT(i64s, (i32s)(signed_element(a, 1, 16) * signed_element(b, 1, 16)));
}
static INLINE u32s saturated_u32(u64s a) { return CONVERT(u32s, min(a, ALL(u64, UINT32_MAX))); }
static INLINE u32s saturated_i32(i64s a) { return CONVERT(u32s, max(min(a, ALL(i64, INT32_MAX)), ALL(i64, INT32_MIN))); }
#define ADD_UNSIGNED(dot) add_saturated(dot(a, b), c)
#define ADD_SIGNED(dot)   ((u32s)add_saturated((i32s)dot(a, b), (i32s)c))
LANES3(v_dot2_u32_u16_clamp, u32, pku16, pku16, u32) { return saturated_u32(products_u16((u32s)a, (u32s)b) + CONVERT(u64s, c)); }
LANES3(v_dot2_i32_i16_clamp, u32, pki16, pki16, u32) { return saturated_i32(products_i16((u32s)a, (u32s)b) + CONVERT(i64s, (i32s)c)); }
LANES3(v_dot4_u32_u8_clamp, u32, b8x4, b8x4, u32) { return ADD_UNSIGNED(dot4_u8); }
LANES3(v_dot4_i32_i8_clamp, u32, b8x4, b8x4, u32) { return ADD_SIGNED(dot4_i8); }
LANES3(v_dot4_i32_u8_u8_clamp, u32, b8x4, b8x4, u32) { return ADD_SIGNED(dot4_u8); }
LANES3(v_dot8_i32_u4_u4_clamp, u32, b8x4, b8x4, u32) { return ADD_SIGNED(dot8_u4); }
LANES3(v_dot4_i32_i8_u8_clamp, u32, b8x4, b8x4, u32) { return ADD_SIGNED(dot4_i8_u8); }
LANES3(v_dot4_i32_u8_i8_clamp, u32, b8x4, b8x4, u32) { return (u32s)add_saturated((i32s)dot4_i8_u8(b, a), (i32s)c); }
LANES3(v_dot8_i32_i4_u4_clamp, u32, b8x4, b8x4, u32) { return ADD_SIGNED(dot8_i4_u4); }
LANES3(v_dot8_i32_u4_i4_clamp, u32, b8x4, b8x4, u32) { return (u32s)add_saturated((i32s)dot8_i4_u4(b, a), (i32s)c); }
LANES3(v_dot8_u32_u4_clamp, u32, b8x4, b8x4, u32) { return ADD_UNSIGNED(dot8_u4); }
LANES3(v_dot8_i32_i4_clamp, u32, b8x4, b8x4, u32) { return ADD_SIGNED(dot8_i4); }
LANES2_OLD(v_dot2c_i32_i16_clamp, u32, pki16, pki16) { return saturated_i32(products_i16((u32s)a, (u32s)b) + CONVERT(i64s, (i32s)c)); }
LANES2_OLD(v_dot4c_i32_i8_clamp, u32, b8x4, b8x4) { return ADD_SIGNED(dot4_i8); }
LANES2_OLD(v_dot8c_i32_i4_clamp, u32, b8x4, b8x4) { return ADD_SIGNED(dot8_i4); }

/* Halves: products are exact in f32; the low one is added first. */
static INLINE f32s low_half(u32s a) { return wide((f16s)CONVERT(u16s, a)); }
static INLINE f32s high_half(u32s a) { return wide((f16s)CONVERT(u16s, a >> 16)); }
static INLINE f32s dot2_f16(pkf16s a, pkf16s b, f32s c) {
    const u32s x = (u32s)a, y = (u32s)b;

    return fma_lanes(high_half(x), high_half(y), fma_lanes(low_half(x), low_half(y), c));
}
LANES3(v_dot2_f32_f16, f32, pkf16, pkf16, f32) { return dot2_f16(a, b, c); }
LANES2_OLD(v_dot2c_f32_f16, f32, pkf16, pkf16) { return dot2_f16(a, b, c); }
/* WAVELIFT_MATH=hardware: C and the sum are flushed whatever MODE says (LLVM's comments), on gfx90a halves, too (AMD on MI200). */
static INLINE f32s flushed32(f32s a) { return ((u32s)a & F32_INFINITY) == 0 ? (f32s)((u32s)a & F32_SIGN) : a; }
static INLINE pkf16s flushed_halves(pkf16s a) {
    const u32s bits = (u32s)a, low = (bits & 0x7c00) == 0 ? bits & 0x8000 : bits & 0xffff;

    return (pkf16s)(low | ((bits & 0x7c000000) == 0 ? bits & F32_SIGN : bits & 0xffff0000));
}
static INLINE f32s dot2_flushed(pkf16s a, pkf16s b, f32s c) { return flushed32(dot2_f16(a, b, flushed32(c))); }
LANES3(v_dot2_f32_f16_hardware, f32, pkf16, pkf16, f32) { return dot2_flushed(a, b, c); }
LANES2_OLD(v_dot2c_f32_f16_hardware, f32, pkf16, pkf16) { return dot2_flushed(a, b, c); }
LANES3(v_dot2_f32_f16_hardware_gfx90a, f32, pkf16, pkf16, f32) { return dot2_flushed(flushed_halves(a), flushed_halves(b), c); }
LANES2_OLD(v_dot2c_f32_f16_hardware_gfx90a, f32, pkf16, pkf16) { return dot2_flushed(flushed_halves(a), flushed_halves(b), c); }
LANES3(v_dot2_f16_f16, f16, pkf16, pkf16, f16) { return CONVERT(f16s, dot2_f16(a, b, CONVERT(f32s, c))); }
static INLINE f32s dot2_bf16(u32s a, u32s b, f32s c) {
    const f32s low_a = (f32s)(a << 16), low_b = (f32s)(b << 16), high_a = (f32s)(a & 0xffff0000), high_b = (f32s)(b & 0xffff0000);

    return fma_lanes(high_a, high_b, fma_lanes(low_a, low_b, c));
}
LANES3(v_dot2_f32_bf16, f32, pkbf16, pkbf16, f32) { return dot2_bf16(a, b, c); }
LANES2_OLD(v_dot2c_f32_bf16, f32, pkbf16, pkbf16) { return dot2_bf16(a, b, c); }
LANES3(v_dot2_bf16_bf16, bf16, pkbf16, pkbf16, bf16) {
    const f32s sum = dot2_bf16(a, b, (f32s)(CONVERT(u32s, c) << 16));
    const u32s bits = (u32s)sum, rounded = bits + 0x7fff + (bits >> 16 & 1);

    return CONVERT(u16s, (sum == sum ? rounded : bits | 0x00400000) >> 16);
}

/* WAVELIFT_MATH=hardware: RDNA3 and RDNA4 as they were measured (machine/dot_sums.h). */
static INLINE u32s low_and_high(u32s a, int high) { return high ? a >> 16 : a & 0xffff; }
static INLINE u32s dot2_gfx11(u32s a, u32s b, u32s c, enum dot_kind kind, enum dot_kind result) {
    const u32s x[2] = {low_and_high(a, 0), low_and_high(a, 1)}, y[2] = {low_and_high(b, 0), low_and_high(b, 1)};

    return dot_sum_gfx11(dot_widen(c, result), x, y, kind, result);
}
static INLINE u32s dot2_gfx12(u32s a, u32s b, u32s c, enum dot_kind kind, enum dot_kind result) {
    const u32s x[2] = {low_and_high(a, 0), low_and_high(a, 1)}, y[2] = {low_and_high(b, 0), low_and_high(b, 1)};

    return dot_sum_gfx12(dot_widen(c, result), x, y, 2, kind, kind, result);
}
static INLINE f32s dot4_gfx12(u32s a, u32s b, f32s c, enum dot_kind a_kind, enum dot_kind b_kind) {
    const u32s x[4] = {a & 0xff, a >> 8 & 0xff, a >> 16 & 0xff, a >> 24}, y[4] = {b & 0xff, b >> 8 & 0xff, b >> 16 & 0xff, b >> 24};

    return (f32s)dot_sum_gfx12((u32s)c, x, y, 4, a_kind, b_kind, DOT_F32);
}
#define DOT2_OF(generation)                                                                                                                \
    LANES3(v_dot2_f32_f16_hardware_##generation, f32, pkf16, pkf16, f32) {                                                                 \
        return (f32s)dot2_##generation((u32s)a, (u32s)b, (u32s)c, DOT_F16, DOT_F32);                                                       \
    }                                                                                                                                      \
    LANES2_OLD(v_dot2c_f32_f16_hardware_##generation, f32, pkf16, pkf16) {                                                                 \
        return (f32s)dot2_##generation((u32s)a, (u32s)b, (u32s)c, DOT_F16, DOT_F32);                                                       \
    }                                                                                                                                      \
    LANES3(v_dot2_f32_bf16_hardware_##generation, f32, pkbf16, pkbf16, f32) {                                                              \
        return (f32s)dot2_##generation(a, b, (u32s)c, DOT_BF16, DOT_F32);                                                                  \
    }                                                                                                                                      \
    LANES2_OLD(v_dot2c_f32_bf16_hardware_##generation, f32, pkbf16, pkbf16) {                                                              \
        return (f32s)dot2_##generation(a, b, (u32s)c, DOT_BF16, DOT_F32);                                                                  \
    }                                                                                                                                      \
    LANES3(v_dot2_f16_f16_hardware_##generation, f16, pkf16, pkf16, f16) {                                                                 \
        return (f16s)CONVERT(u16s, dot2_##generation((u32s)a, (u32s)b, CONVERT(u32s, (u16s)c), DOT_F16, DOT_F16));                         \
    }                                                                                                                                      \
    LANES3(v_dot2_bf16_bf16_hardware_##generation, bf16, pkbf16, pkbf16, bf16) {                                                           \
        return CONVERT(u16s, dot2_##generation(a, b, CONVERT(u32s, c), DOT_BF16, DOT_BF16));                                               \
    }
DOT2_OF(gfx11)
DOT2_OF(gfx12)
LANES3(v_dot4_f32_fp8_fp8_hardware_gfx12, f32, b8x4, b8x4, f32) { return dot4_gfx12(a, b, c, DOT_FP8, DOT_FP8); }
LANES3(v_dot4_f32_fp8_bf8_hardware_gfx12, f32, b8x4, b8x4, f32) { return dot4_gfx12(a, b, c, DOT_FP8, DOT_BF8); }
LANES3(v_dot4_f32_bf8_fp8_hardware_gfx12, f32, b8x4, b8x4, f32) { return dot4_gfx12(a, b, c, DOT_BF8, DOT_FP8); }
LANES3(v_dot4_f32_bf8_bf8_hardware_gfx12, f32, b8x4, b8x4, f32) { return dot4_gfx12(a, b, c, DOT_BF8, DOT_BF8); }

/* Absolute differences. */
static INLINE u32s difference(u32s a, u32s b) { return max(a, b) - min(a, b); }
static INLINE u32s sad_u8(u32s a, u32s b) {
    return difference(element(a, 0, 8), element(b, 0, 8)) + difference(element(a, 1, 8), element(b, 1, 8)) +
           difference(element(a, 2, 8), element(b, 2, 8)) + difference(element(a, 3, 8), element(b, 3, 8));
}
/* Bytes of the reference b that are zero do not count. */
static INLINE u32s masked_difference(u32s a, u32s b, int i) {
    const u32s reference = element(b, i, 8);

    return reference == 0 ? ALL(u32, 0) : difference(element(a, i, 8), reference);
}
static INLINE u32s msad_u8(u32s a, u32s b) {
    return masked_difference(a, b, 0) + masked_difference(a, b, 1) + masked_difference(a, b, 2) + masked_difference(a, b, 3);
}
LANES3(v_sad_u8, u32, b8x4, b8x4, u32) { return sad_u8(a, b) + c; }
LANES3(v_sad_hi_u8, u32, b8x4, b8x4, u32) { return (sad_u8(a, b) << 16) + c; }
LANES3(v_sad_u16, u32, b8x4, b8x4, u32) {
    return difference(element(a, 0, 16), element(b, 0, 16)) + difference(element(a, 1, 16), element(b, 1, 16)) + c;
}
LANES3(v_sad_u32, u32, u32, u32, u32) { return difference(a, b) + c; }
LANES3(v_msad_u8, u32, b8x4, b8x4, u32) { return msad_u8(a, b) + c; }

/* Four sums, of the reference b against the bytes of a from 0, 1, 2 and 3 on, each added to a 16-bit element of c. */
#define FOUR_SUMS(sum)                                                                                                                     \
    u64s result = ALL(u64, 0);                                                                                                             \
                                                                                                                                           \
    for (int i = 0; i < 4; i++) {                                                                                                          \
        const u64s one = CONVERT(u64s, sum(CONVERT(u32s, a >> (8 * i)), b)) + (c >> (16 * i));                                             \
                                                                                                                                           \
        result |= (one & 0xffff) << (16 * i);                                                                                              \
    }                                                                                                                                      \
    return result
LANES3(v_qsad_pk_u16_u8, u64, u64, b8x4, u64) { FOUR_SUMS(sad_u8); }
LANES3(v_mqsad_pk_u16_u8, u64, u64, b8x4, u64) { FOUR_SUMS(msad_u8); }

/* The same, saturating. */
LANES3(v_sad_u8_clamp, u32, b8x4, b8x4, u32) { return add_saturated(sad_u8(a, b), c); }
LANES3(v_sad_hi_u8_clamp, u32, b8x4, b8x4, u32) { return add_saturated(sad_u8(a, b) << 16, c); }
LANES3(v_sad_u16_clamp, u32, b8x4, b8x4, u32) {
    return add_saturated(difference(element(a, 0, 16), element(b, 0, 16)) + difference(element(a, 1, 16), element(b, 1, 16)), c);
}
LANES3(v_sad_u32_clamp, u32, u32, u32, u32) { return add_saturated(difference(a, b), c); }
LANES3(v_msad_u8_clamp, u32, b8x4, b8x4, u32) { return add_saturated(msad_u8(a, b), c); }
#define FOUR_SATURATED_SUMS(sum)                                                                                                           \
    u64s result = ALL(u64, 0);                                                                                                             \
                                                                                                                                           \
    for (int i = 0; i < 4; i++) {                                                                                                          \
        const u64s one = CONVERT(u64s, sum(CONVERT(u32s, a >> (8 * i)), b)) + (c >> (16 * i) & 0xffff);                                    \
                                                                                                                                           \
        result |= min(one, ALL(u64, 0xffff)) << (16 * i);                                                                                  \
    }                                                                                                                                      \
    return result
LANES3(v_qsad_pk_u16_u8_clamp, u64, u64, b8x4, u64) { FOUR_SATURATED_SUMS(sad_u8); }
LANES3(v_mqsad_pk_u16_u8_clamp, u64, u64, b8x4, u64) { FOUR_SATURATED_SUMS(msad_u8); }
/* One of the four sums of v_mqsad_u32_u8, which lift/inst/wide.c puts together. */
LANES3(v_mqsad_u32_u8, u32, b8x4, b8x4, u32) { return msad_u8(a, b) + c; }
LANES3(v_mqsad_u32_u8_clamp, u32, b8x4, b8x4, u32) { return add_saturated(msad_u8(a, b), c); }

/* Averages of bytes, rounded up where bit 0 of c's byte is set. */
static INLINE u32s average(u32s a, u32s b, u32s c, int i) {
    return (element(a, i, 8) + element(b, i, 8) + (c >> (8 * i) & 1)) >> 1 << (8 * i);
}
LANES3(v_lerp_u8, u32, b8x4, b8x4, u32) { return average(a, b, c, 0) | average(a, b, c, 1) | average(a, b, c, 2) | average(a, b, c, 3); }
