/* Vector unit: conversions between number formats. To integers: towards zero, saturating, NaN becomes 0. */
#include "lanes_float.h"

/* 32-bit integers. */
LANES1(v_cvt_f32_i32, f32, i32) { return CONVERT(f32s, a); }
LANES1(v_cvt_f32_u32, f32, u32) { return CONVERT(f32s, a); }
LANES1(v_cvt_f64_i32, f64, i32) { return CONVERT(f64s, a); }
LANES1(v_cvt_f64_u32, f64, u32) { return CONVERT(f64s, a); }
#if WL_LANES > 1 && defined(__x86_64__)
/* LLVM's saturating conversions of vectors come out as scalar code on x86. Where the plain conversion is undefined, another
 * value is taken. */
static INLINE i32s integer_f32(f32s a) {
    return a >= 0x1p31f ? ALL(i32, INT32_MAX) : a < -0x1p31f ? ALL(i32, INT32_MIN) : a == a ? CONVERT(i32s, a) : ALL(i32, 0);
}
static INLINE u32s unsigned_f32(f32s a) { return a >= 0x1p32f ? ALL(u32, UINT32_MAX) : a > 0 ? CONVERT(u32s, a) : ALL(u32, 0); }
static INLINE i32s integer_f64(f64s a) {
    const f64s number = a == a ? a : ALL(f64, 0), above = number < -2147483648.0 ? ALL(f64, -2147483648.0) : number;

    return CONVERT(i32s, above > 2147483647.0 ? ALL(f64, 2147483647.0) : above);
}
static INLINE u32s unsigned_f64(f64s a) {
    const f64s above = a > 0 ? a : ALL(f64, 0);

    return CONVERT(u32s, above > 4294967295.0 ? ALL(f64, 4294967295.0) : above);
}
#elif defined(__NVPTX__)
/* The hardware's conversions saturate; those of f32 make 0 of NaN, those of f64 do not. LLVM would take the intrinsics for its own
 * conversions, whose results of constants beyond the range are undefined. */
#define CONVERTED(name, type, from, letter, mode)                                                                                          \
    static INLINE type name(from##s a) {                                                                                                   \
        type result;                                                                                                                       \
        __asm__("cvt." mode " %0, %1;" : "=r"(result) : letter(a[0]));                                                                     \
        return result;                                                                                                                     \
    }
CONVERTED(truncated_f32, i32, f32, "f", "rzi.s32.f32") /* nvptx/fuse.c knows it */
CONVERTED(truncated_unsigned_f32, u32, f32, "f", "rzi.u32.f32")
#define integer_f32(a)  ((i32s)truncated_f32(a))
#define unsigned_f32(a) ((u32s)truncated_unsigned_f32(a))
static INLINE i32s integer_f64(f64s a) {
    i32 result;
    __asm__("cvt.rzi.s32.f64 %0, %1;" : "=r"(result) : "d"(a[0]));
    return (i32s)(a[0] == a[0] ? result : 0);
}
static INLINE u32s unsigned_f64(f64s a) {
    u32 result;
    __asm__("cvt.rzi.u32.f64 %0, %1;" : "=r"(result) : "d"(a[0]));
    return (u32s)(a[0] == a[0] ? result : 0);
}
#else
#define integer_f32(a)  fptosisat_i32_f32(a)
#define unsigned_f32(a) fptouisat_u32_f32(a)
#define integer_f64(a)  fptosisat_i32_f64(a)
#define unsigned_f64(a) fptouisat_u32_f64(a)
#endif
LANES1(v_cvt_i32_f32, i32, f32) { return integer_f32(a); }
LANES1(v_cvt_u32_f32, u32, f32) { return unsigned_f32(a); }
LANES1(v_cvt_i32_f64, i32, f64) { return integer_f64(a); }
LANES1(v_cvt_u32_f64, u32, f64) { return unsigned_f64(a); }
LANES1(v_cvt_nearest_i32_f32, i32, f32) { return integer_f32(__builtin_elementwise_floor(a + 0.5f)); }
LANES1(v_cvt_floor_i32_f32, i32, f32) { return integer_f32(__builtin_elementwise_floor(a)); }
#ifdef WL_AVX512
/* Where the value does not fit, the hardware gives 0x80000000 (signed) or ~0 (unsigned). */
LANES1_AVX512(v_cvt_i32_f32, "avx512f", i32, f32) {
    const i32s integer = __builtin_ia32_cvttps2dq512_mask(a, ALL(i32, 0), -1, CURRENT_ROUNDING);
    const i32s fitting = a >= 0x1p31f ? ALL(i32, INT32_MAX) : integer;

    return a == a ? fitting : ALL(i32, 0);
}
LANES1_AVX512(v_cvt_u32_f32, "avx512f", u32, f32) {
    const u32s integer = (u32s)__builtin_ia32_cvttps2udq512_mask(a, ALL(i32, 0), -1, CURRENT_ROUNDING);

    return a > 0 ? integer : ALL(u32, 0);
}
static INLINE i32h integer_half(f64h a) { return (i32h)__builtin_ia32_cvttpd2dq512_mask(a, (i32h)(0), -1, CURRENT_ROUNDING); }
static INLINE u32h unsigned_half(f64h a) { return (u32h)__builtin_ia32_cvttpd2udq512_mask(a, (i32h)(0), -1, CURRENT_ROUNDING); }
LANES1_AVX512(v_cvt_i32_f64, "avx512f", i32, f64) {
    const f64s bounded = a > 2147483647.0 ? ALL(f64, 2147483647.0) : a;
    const i32s integer = JOIN(integer_half(LOW_HALF(bounded)), integer_half(HIGH_HALF(bounded)));

    return CONVERT(i32s, a == a) ? integer : ALL(i32, 0);
}
LANES1_AVX512(v_cvt_u32_f64, "avx512f", u32, f64) {
    const u32s integer = JOIN(unsigned_half(LOW_HALF(a)), unsigned_half(HIGH_HALF(a)));

    return CONVERT(i32s, a > 0) ? integer : ALL(u32, 0);
}
#endif

/* Bytes. */
LANES1(v_cvt_f32_ubyte0, f32, u32) { return CONVERT(f32s, (i32s)(a & 0xff)); }
LANES1(v_cvt_f32_ubyte1, f32, u32) { return CONVERT(f32s, (i32s)(a >> 8 & 0xff)); }
LANES1(v_cvt_f32_ubyte2, f32, u32) { return CONVERT(f32s, (i32s)(a >> 16 & 0xff)); }
LANES1(v_cvt_f32_ubyte3, f32, u32) { return CONVERT(f32s, (i32s)(a >> 24)); }
LANES1(v_cvt_off_f32_i4, f32, u32) { return CONVERT(f32s, (i32s)(a << 28) >> 28) * 0x1p-4f; }
static INLINE u32s byte_placed(f32s a, u32s b, u32s c) {
    const u32s byte = min(unsigned_f32(a), ALL(u32, 255)), shift = (b & 3) * 8;

    return (c & ~(ALL(u32, 0xff) << shift)) | byte << shift;
}
LANES3(v_cvt_pk_u8_f32, u32, f32, u32, u32) { return byte_placed(a, b, c); }
LANES3_AS(v_cvt_pkaccum_u8_f32, "", "f32,u32,old:u32", u32, f32, u32, u32) { return byte_placed(a, b, c); }

/* Floating point. */
LANES1(v_cvt_f32_f64, f32, f64) { return CONVERT(f32s, a); }
LANES1(v_cvt_f64_f32, f64, f32) { return CONVERT(f64s, a); }
LANES1(v_cvt_f16_f32, f16, f32) { return CONVERT(f16s, a); }
LANES1(v_cvt_f32_f16, f32, f16) { return CONVERT(f32s, a); }
static INLINE u32s half_bits(f32s a) { return CONVERT(u32s, (u16s)CONVERT(f16s, a)); }
static INLINE u32s half_bits_towards_zero(f32s a) {
    const f16s nearest = CONVERT(f16s, a);
    const masks too_far = magnitude(wide(nearest)) > magnitude(a);

    return CONVERT(u32s, (u16s)nearest) + (u32s)too_far;
}
LANES2(v_cvt_pk_rtz_f16_f32, pkf16, f32, f32) { return (pkf16s)(half_bits_towards_zero(a) | half_bits_towards_zero(b) << 16); }
LANES2(v_cvt_pk_f16_f32, pkf16, f32, f32) { return (pkf16s)(half_bits(a) | half_bits(b) << 16); }
LANES1(v_cvt_f32_bf16, f32, bf16) { return wide_bf16(a); }
LANES2(v_cvt_pk_bf16_f32, u32, f32, f32) { return bits_of_bf16(a) | bits_of_bf16(b) << 16; }

/* 16-bit integers. */
LANES1(v_cvt_f16_u16, f16, u16) { return CONVERT(f16s, CONVERT(f32s, CONVERT(i32s, a))); }
LANES1(v_cvt_f16_i16, f16, i16) { return CONVERT(f16s, CONVERT(f32s, CONVERT(i32s, a))); }
/* Rounded towards zero by the conversion; the bounds keep it defined. */
static INLINE i32s bounded_integer(f32s a, float low, float high) {
    const f32s number = a == a ? a : ALL(f32, 0), above = number < low ? ALL(f32, low) : number;

    return CONVERT(i32s, above > high ? ALL(f32, high) : above);
}
LANES1(v_cvt_u16_f16, u16, f16) { return CONVERT(u16s, bounded_integer(wide(a), 0, 65535)); }
LANES1(v_cvt_i16_f16, i16, f16) { return CONVERT(i16s, bounded_integer(wide(a), -32768, 32767)); }
static INLINE i32s normalized_signed(f32s a) { return bounded_integer(__builtin_elementwise_roundeven(a * 32767.0f), -32767, 32767); }
static INLINE i32s normalized_unsigned(f32s a) { return bounded_integer(__builtin_elementwise_roundeven(a * 65535.0f), 0, 65535); }
LANES1(v_cvt_norm_i16_f16, i16, f16) { return CONVERT(i16s, normalized_signed(wide(a))); }
LANES1(v_cvt_norm_u16_f16, u16, f16) { return CONVERT(u16s, normalized_unsigned(wide(a))); }
static INLINE u32s pair(i32s low, i32s high) { return ((u32s)low & 0xffff) | (u32s)high << 16; }
LANES2(v_cvt_pk_norm_i16_f32, u32, f32, f32) { return pair(normalized_signed(a), normalized_signed(b)); }
LANES2(v_cvt_pk_norm_u16_f32, u32, f32, f32) { return pair(normalized_unsigned(a), normalized_unsigned(b)); }
LANES2(v_cvt_pk_norm_i16_f16, u32, f16, f16) { return pair(normalized_signed(wide(a)), normalized_signed(wide(b))); }
LANES2(v_cvt_pk_norm_u16_f16, u32, f16, f16) { return pair(normalized_unsigned(wide(a)), normalized_unsigned(wide(b))); }
LANES2(v_cvt_pk_i16_f32, u32, f32, f32) { return pair(bounded_integer(a, -32768, 32767), bounded_integer(b, -32768, 32767)); }
LANES2(v_cvt_pk_u16_f32, u32, f32, f32) { return pair(bounded_integer(a, 0, 65535), bounded_integer(b, 0, 65535)); }
LANES2(v_cvt_pk_u16_u32, u32, u32, u32) { return pair((i32s)min(a, ALL(u32, 65535)), (i32s)min(b, ALL(u32, 65535))); }
LANES2(v_cvt_pk_i16_i32, u32, i32, i32) {
    const i32s low = ALL(i32, -32768), high = ALL(i32, 32767);

    return pair(max(min(a, high), low), max(min(b, high), low));
}
