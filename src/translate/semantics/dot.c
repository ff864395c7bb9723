/* Vector unit: dot products of packed numbers, sums of absolute differences, averages. */
#include "lanes_float.h"

/* Element i of `bits` bits, zero- or sign-extended. */
static INLINE u32s element(u32s a, int i, int bits)
{
    return a << (32 - bits - i * bits) >> (32 - bits);
}
static INLINE u32s signed_element(u32s a, int i, int bits)
{
    return (u32s)((i32s)(a << (32 - bits - i * bits)) >> (32 - bits));
}
static INLINE u32s dot2_u16(u32s a, u32s b)
{
    return element(a, 0, 16) * element(b, 0, 16) + element(a, 1, 16) * element(b, 1, 16);
}
static INLINE u32s dot2_i16(u32s a, u32s b)
{
    return signed_element(a, 0, 16) * signed_element(b, 0, 16) + signed_element(a, 1, 16) * signed_element(b, 1, 16);
}
static INLINE u32s dot4_u8(u32s a, u32s b)
{
    return element(a, 0, 8) * element(b, 0, 8) + element(a, 1, 8) * element(b, 1, 8) + element(a, 2, 8) * element(b, 2, 8)
         + element(a, 3, 8) * element(b, 3, 8);
}
static INLINE u32s dot4_i8(u32s a, u32s b)
{
    return signed_element(a, 0, 8) * signed_element(b, 0, 8) + signed_element(a, 1, 8) * signed_element(b, 1, 8)
         + signed_element(a, 2, 8) * signed_element(b, 2, 8) + signed_element(a, 3, 8) * signed_element(b, 3, 8);
}
static INLINE u32s dot8_u4(u32s a, u32s b)
{
    u32s sum = element(a, 0, 4) * element(b, 0, 4);

    for (int i = 1; i < 8; i++)
        sum += element(a, i, 4) * element(b, i, 4);
    return sum;
}
static INLINE u32s dot8_i4(u32s a, u32s b)
{
    u32s sum = signed_element(a, 0, 4) * signed_element(b, 0, 4);

    for (int i = 1; i < 8; i++)
        sum += signed_element(a, i, 4) * signed_element(b, i, 4);
    return sum;
}
LANES3(v_dot2_u32_u16, u32, pku16, pku16, u32) { return dot2_u16((u32s)a, (u32s)b) + c; }
LANES3(v_dot2_i32_i16, u32, pki16, pki16, u32) { return dot2_i16((u32s)a, (u32s)b) + c; }
LANES2_OLD(v_dot2c_i32_i16, u32, pki16, pki16) { return dot2_i16((u32s)a, (u32s)b) + c; }
LANES3(v_dot4_u32_u8, u32, b8x4, b8x4, u32) { return dot4_u8(a, b) + c; }
LANES3(v_dot4_i32_i8, u32, b8x4, b8x4, u32) { return dot4_i8(a, b) + c; }
LANES2_OLD(v_dot4c_i32_i8, u32, b8x4, b8x4) { return dot4_i8(a, b) + c; }
LANES3(v_dot8_u32_u4, u32, b8x4, b8x4, u32) { return dot8_u4(a, b) + c; }
LANES3(v_dot8_i32_i4, u32, b8x4, b8x4, u32) { return dot8_i4(a, b) + c; }
LANES2_OLD(v_dot8c_i32_i4, u32, b8x4, b8x4) { return dot8_i4(a, b) + c; }

/* Halves: products are exact in f32; the low one is added first. */
static INLINE f32s low_half(u32s a)
{
    return CONVERT(f32s, (f16s)CONVERT(u16s, a));
}
static INLINE f32s high_half(u32s a)
{
    return CONVERT(f32s, (f16s)CONVERT(u16s, a >> 16));
}
static INLINE f32s dot2_f16(pkf16s a, pkf16s b, f32s c)
{
    const u32s x = (u32s)a, y = (u32s)b;

    return fma_lanes(high_half(x), high_half(y), fma_lanes(low_half(x), low_half(y), c));
}
LANES3(v_dot2_f32_f16, f32, pkf16, pkf16, f32) { return dot2_f16(a, b, c); }
LANES2_OLD(v_dot2c_f32_f16, f32, pkf16, pkf16) { return dot2_f16(a, b, c); }
LANES3(v_dot2_f16_f16, f16, pkf16, pkf16, f16) { return CONVERT(f16s, dot2_f16(a, b, CONVERT(f32s, c))); }
static INLINE f32s dot2_bf16(u32s a, u32s b, f32s c)
{
    const f32s low_a = (f32s)(a << 16), low_b = (f32s)(b << 16), high_a = (f32s)(a & 0xffff0000), high_b = (f32s)(b & 0xffff0000);

    return fma_lanes(high_a, high_b, fma_lanes(low_a, low_b, c));
}
LANES3(v_dot2_f32_bf16, f32, pkbf16, pkbf16, f32) { return dot2_bf16(a, b, c); }
LANES2_OLD(v_dot2c_f32_bf16, f32, pkbf16, pkbf16) { return dot2_bf16(a, b, c); }
LANES3(v_dot2_bf16_bf16, bf16, pkbf16, pkbf16, bf16)
{
    const f32s sum = dot2_bf16(a, b, (f32s)(CONVERT(u32s, c) << 16));
    const u32s bits = (u32s)sum, rounded = bits + 0x7fff + (bits >> 16 & 1);

    return CONVERT(u16s, (sum == sum ? rounded : bits | 0x00400000) >> 16);
}

/* Absolute differences. */
static INLINE u32s difference(u32s a, u32s b)
{
    return max(a, b) - min(a, b);
}
static INLINE u32s sad_u8(u32s a, u32s b)
{
    return difference(element(a, 0, 8), element(b, 0, 8)) + difference(element(a, 1, 8), element(b, 1, 8))
         + difference(element(a, 2, 8), element(b, 2, 8)) + difference(element(a, 3, 8), element(b, 3, 8));
}
/* Bytes of the reference b that are zero do not count. */
static INLINE u32s masked_difference(u32s a, u32s b, int i)
{
    const u32s reference = element(b, i, 8);

    return reference == 0 ? ALL(u32, 0) : difference(element(a, i, 8), reference);
}
static INLINE u32s msad_u8(u32s a, u32s b)
{
    return masked_difference(a, b, 0) + masked_difference(a, b, 1) + masked_difference(a, b, 2) + masked_difference(a, b, 3);
}
LANES3(v_sad_u8, u32, b8x4, b8x4, u32) { return sad_u8(a, b) + c; }
LANES3(v_sad_hi_u8, u32, b8x4, b8x4, u32) { return (sad_u8(a, b) << 16) + c; }
LANES3(v_sad_u16, u32, b8x4, b8x4, u32)
{
    return difference(element(a, 0, 16), element(b, 0, 16)) + difference(element(a, 1, 16), element(b, 1, 16)) + c;
}
LANES3(v_sad_u32, u32, u32, u32, u32) { return difference(a, b) + c; }
LANES3(v_msad_u8, u32, b8x4, b8x4, u32) { return msad_u8(a, b) + c; }

/* Four sums, of the reference b against the bytes of a from 0, 1, 2 and 3 on, each added to a 16-bit element of c. */
#define FOUR_SUMS(sum)                                                                                                             \
    u64s result = ALL(u64, 0);                                                                                                     \
                                                                                                                                   \
    for (int i = 0; i < 4; i++) {                                                                                                  \
        const u64s one = CONVERT(u64s, sum(CONVERT(u32s, a >> (8 * i)), b)) + (c >> (16 * i));                                     \
                                                                                                                                   \
        result |= (one & 0xffff) << (16 * i);                                                                                      \
    }                                                                                                                              \
    return result
LANES3(v_qsad_pk_u16_u8, u64, u64, b8x4, u64) { FOUR_SUMS(sad_u8); }
LANES3(v_mqsad_pk_u16_u8, u64, u64, b8x4, u64) { FOUR_SUMS(msad_u8); }

/* Averages of bytes, rounded up where bit 0 of c's byte is set. */
static INLINE u32s average(u32s a, u32s b, u32s c, int i)
{
    return (element(a, i, 8) + element(b, i, 8) + (c >> (8 * i) & 1)) >> 1 << (8 * i);
}
LANES3(v_lerp_u8, u32, b8x4, b8x4, u32) { return average(a, b, c, 0) | average(a, b, c, 1) | average(a, b, c, 2) | average(a, b, c, 3); }
