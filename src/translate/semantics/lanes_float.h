/* Building blocks of floating-point semantics that several files use. */
#ifndef WL_TRANSLATE_SEMANTICS_LANES_FLOAT_H
#define WL_TRANSLATE_SEMANTICS_LANES_FLOAT_H

#include "semantics.h"

/* The bits of f32 and f64. */
#define F32_SIGN     0x80000000u
#define F32_INFINITY 0x7f800000u
#define F64_SIGN     0x8000000000000000u
#define F64_INFINITY 0x7ff0000000000000u

static INLINE f32s with_sign(f32s magnitude, u32s sign) { return (f32s)(((u32s)magnitude & ~F32_SIGN) | (sign & F32_SIGN)); }
static INLINE f64s with_sign64(f64s magnitude, u64s sign) { return (f64s)(((u64s)magnitude & ~F64_SIGN) | (sign & F64_SIGN)); }
static INLINE f32s magnitude(f32s a) { return (f32s)((u32s)a & ~F32_SIGN); }
static INLINE f64s magnitude64(f64s a) { return (f64s)((u64s)a & ~F64_SIGN); }
/* 2 to the n, for -126 <= n <= 127 (f64: -1022 <= n <= 1023). */
static INLINE f32s power_of_2(i32s n) { return (f32s)((n + 127) << 23); }
static INLINE f64s power_of_2_64(i64s n) { return (f64s)((n + 1023) << 52); }

/* Halves are computed in f32. */
static INLINE f32s wide(f16s a) { return fence_f32_f32(CONVERT(f32s, a)); }
static INLINE f16s half(f32s a) { return CONVERT(f16s, a); }
static INLINE pkf32s wides(pkf16s a) { return fence_pkf32_pkf32(CONVERT(pkf32s, a)); }
static INLINE pkf16s halves(pkf32s a) { return CONVERT(pkf16s, a); }

#if WL_LANES == 1 && defined(__NVPTX__)
f32 least_or_nan(f32 a, f32 b) __asm__("llvm.minimum.f32");
f32 greatest_or_nan(f32 a, f32 b) __asm__("llvm.maximum.f32");
#endif

/* bf16 is the upper half of an f32. */
static INLINE f32s wide_bf16(bf16s a) { return (f32s)(CONVERT(u32s, a) << 16); }
static INLINE u32s bits_of_bf16(f32s a) {
    const u32s bits = (u32s)a, rounded = bits + 0x7fff + (bits >> 16 & 1);

    return (a == a ? rounded : bits | 0x00400000) >> 16;
}

/* Two f32 of each lane, as the register pair that they are. */
static INLINE pkf32s pair_lanes(f32s low, f32s high) {
#if WL_LANES == 1
    return __builtin_shufflevector(low, high, 0, 1);
#else
    return __builtin_shufflevector(low, high, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28,
                                   13, 29, 14, 30, 15, 31);
#endif
}

/* a * b + c for halves that are held in f32 (WIDE: the vector type, BITS: its unsigned twin), rounded once when the result
 * becomes f16. The product is exact in f32; the sum is rounded to odd, after which rounding to f16 cannot err. */
#define FMA_OF_HALVES(name, wide, bits_type)                                                                                               \
    static INLINE wide name(wide a, wide b, wide c) {                                                                                      \
        const wide product = a * b, sum = product + c, part = sum - product, error = (product - (sum - part)) + (c - part);                \
        const bits_type bits = (bits_type)sum;                                                                                             \
        const bits_type toward = 1 - (((bits_type)error ^ bits) >> 31) * 2; /* 1: away from zero, -1: to it */                             \
        const bits_type odd = bits + toward;                                                                                               \
                                                                                                                                           \
        return (error != 0) & (error == error) & (((bits & 1) == 0)) ? (wide)odd : sum;                                                    \
    }
FMA_OF_HALVES(fma_of_halves, f32s, u32s)
FMA_OF_HALVES(fma_of_half_pairs, pkf32s, pku32s)

/* Halves of a strip of doubles: AVX-512 registers hold eight. */
#ifdef WL_AVX512
typedef __attribute__((ext_vector_type(8))) f64 f64h;
typedef __attribute__((ext_vector_type(8))) i64 i64h;
typedef __attribute__((ext_vector_type(8))) i32 i32h;
typedef __attribute__((ext_vector_type(8))) u32 u32h;
#define LOW_HALF(a)      __builtin_shufflevector(a, a, 0, 1, 2, 3, 4, 5, 6, 7)
#define HIGH_HALF(a)     __builtin_shufflevector(a, a, 8, 9, 10, 11, 12, 13, 14, 15)
#define JOIN(a, b)       __builtin_shufflevector(a, b, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15)
#define CURRENT_ROUNDING 4
#endif

#endif
