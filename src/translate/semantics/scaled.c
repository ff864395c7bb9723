/* Vector unit: gfx950's conversions of numbers of 8, 6 and 4 bits with a scale, and those that round at random. A scale is the exponent of an
 * f32: 0 to 254 stand for 2^-127 to 2^127, 255 for NaN. Numbers become larger by it when they are widened, smaller when they are narrowed, with
 * one rounding for both, to nearest even whatever MODE says. All of it is done on integers, so that MODE flushes nothing on the way. */
#include "lanes_float.h"

/* A format. `least`: the exponent field of f32 for the smallest normal number; `most`: the code of the largest number. */
struct scaled_format {
    u32 fraction, least, most;
    u32 overflow, nan; /* codes of infinity, or what stands for it, and of NaN */
    u32 bits;
};
#define FP8  ((struct scaled_format){3, 121, 0x7e, 0x7f, 0x7f, 8})
#define BF8  ((struct scaled_format){2, 113, 0x7b, 0x7c, 0x7f, 8})
#define FP6  ((struct scaled_format){3, 127, 0x1f, 0x1f, 0x1f, 6}) /* no infinities and no NaN: the largest number instead */
#define BF6  ((struct scaled_format){2, 125, 0x1f, 0x1f, 0x1f, 6})
#define FP4  ((struct scaled_format){1, 127, 7, 7, 7, 4})
#define F16  ((struct scaled_format){10, 113, 0x7bff, 0x7c00, 0x7e00, 16})
#define BF16 ((struct scaled_format){7, 1, 0x7f7f, 0x7f80, 0x7fc0, 16})
#define F32  ((struct scaled_format){23, 1, 0x7f7fffff, 0x7f800000, 0x7fc00000, 32})

/* A number taken apart: significand * 2^(exponent - 127 - 23), the significand with its leading one at bit 23, or 0. */
struct scaled_number {
    u32s sign; /* 0 or 1 */
    u32s significand;
    i32s exponent;
    masks infinite, nan;
};

/* ---- to and from numbers taken apart ---- */

static INLINE u32s exponent_of(f32s scale) { return (u32s)scale >> 23 & 0xff; }

/* Of a code that has a sign, an exponent, and a fraction below. */
static INLINE struct scaled_number take_apart(u32s code, struct scaled_format f) {
    const u32s size = code & ((1u << (f.bits - 1)) - 1), exponent = size >> f.fraction, fraction = size & ((1u << f.fraction) - 1);
    const u32s zeros = leading_zeros(fraction) - (31 - f.fraction); /* how far a denormal number has to be moved */
    struct scaled_number x;

    x.sign = code >> (f.bits - 1) & 1;
    x.significand =
        exponent == 0 ? fraction << (23 - f.fraction) << min(zeros, ALL(u32, 24)) : (fraction | 1u << f.fraction) << (23 - f.fraction);
    x.exponent = (i32s)(exponent == 0 ? f.least - zeros : exponent + (f.least - 1));
    x.infinite = f.bits == 6 || f.bits == 4 || f.most == 0x7e ? (masks)0 : (masks)(size == f.overflow);
    x.nan = f.bits == 6 || f.bits == 4 ? (masks)0 : f.most == 0x7e ? (masks)(size > f.most) : (masks)(size > f.overflow);
    return x;
}
static INLINE struct scaled_number apart_f32(f32s a) { return take_apart((u32s)a, F32); }
static INLINE struct scaled_number apart_f16(f16s a) { return take_apart(CONVERT(u32s, (u16s)a), F16); }
static INLINE struct scaled_number apart_bf16(bf16s a) { return take_apart(CONVERT(u32s, a), BF16); }

/* How far the significand lies below the format's normal numbers, and what its exponent adds to the code. */
#define PLACE(exponent)                                                                                                                    \
    const i32s under = (i32)f.least - (exponent), over = (exponent) - (i32)f.least;                                                        \
    const u32s below = (u32s)max(min(under, ALL(i32, 28)), ALL(i32, 0)), above = (u32s)max(min(over, ALL(i32, 300)), ALL(i32, 0))          \
                                                                                 << f.fraction

/* The code without its sign; what is too large is more than f.most. */
static INLINE u32s nearest_code(struct scaled_number x, i32s exponent, struct scaled_format f) {
    PLACE(exponent);
    const u32s wide = x.significand << 3, shift = min(26 - f.fraction + below, ALL(u32, 28)), half = (ALL(u32, 1) << shift >> 1) - 1;

    return x.significand == 0 ? ALL(u32, 0) : above + ((wide + half + (wide >> shift & 1)) >> shift);
}
/* The upper bits of `random` are added below the last bit that stays. `dropped`: low bits of the significand that the source does not have. */
static INLINE u32s random_code(struct scaled_number x, i32s exponent, u32s random, u32 dropped, struct scaled_format f) {
    PLACE(exponent);
    const u32s aligned = x.significand >> below & ~((1u << dropped) - 1);

    return x.significand == 0 ? ALL(u32, 0) : above + ((aligned + (random >> (9 + f.fraction))) >> (23 - f.fraction));
}
/* `saturates`: what is too large becomes the largest number. Infinities and NaN are themselves, where there are such. */
static INLINE u32s finish(struct scaled_number x, u32s code, masks saturates, masks no_scale, struct scaled_format f) {
    const u32s large = saturates ? ALL(u32, f.most) : ALL(u32, f.overflow);
    const u32s size = x.nan | no_scale ? ALL(u32, f.nan) : x.infinite ? ALL(u32, f.overflow) : code > f.most ? large : code;

    return size | x.sign << (f.bits - 1);
}

/* ---- narrower ---- */

/* MODE.FP16_OVFL. */
#define SATURATES(mode) ((masks)(((mode) >> 23 & 1) != 0))

static INLINE u32s narrow(struct scaled_number x, f32s scale, u32s mode, struct scaled_format f) {
    const u32s by = exponent_of(scale);
    return finish(x, nearest_code(x, x.exponent + 127 - (i32s)by, f), SATURATES(mode), (masks)(by == 255), f);
}
static INLINE u32s narrow_random(struct scaled_number x, u32s random, u32 dropped, f32s scale, u32s mode, struct scaled_format f) {
    const u32s by = exponent_of(scale);
    return finish(x, random_code(x, x.exponent + 127 - (i32s)by, random, dropped, f), SATURATES(mode), (masks)(by == 255), f);
}

/* Halves of a pair. */
static INLINE struct scaled_number low_f16(pkf16s a) { return take_apart((u32s)a & 0xffff, F16); }
static INLINE struct scaled_number high_f16(pkf16s a) { return take_apart((u32s)a >> 16, F16); }
static INLINE struct scaled_number low_bf16(pkbf16s a) { return take_apart(a & 0xffff, BF16); }
static INLINE struct scaled_number high_bf16(pkbf16s a) { return take_apart(a >> 16, BF16); }
/* Of the pairs of two f32 in a register pair. */
#if WL_LANES == 1
#define EVEN(a) __builtin_shufflevector(a, a, 0)
#define ODD(a)  __builtin_shufflevector(a, a, 1)
#else
#define EVEN(a) __builtin_shufflevector(a, a, 0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30)
#define ODD(a)  __builtin_shufflevector(a, a, 1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, 25, 27, 29, 31)
#endif
static INLINE struct scaled_number low_f32(pkf32s a) { return apart_f32((f32s)EVEN(a)); }
static INLINE struct scaled_number high_f32(pkf32s a) { return apart_f32((f32s)ODD(a)); }

/* With MODE behind the printed operands. */
#define LANES3_MODE(name, R, A, B, C)                                                                                                      \
    SIGNATURE(name, "v", "", #R, #A "," #B "," #C ",mode:u32")                                                                             \
    static INLINE R##s name##_(A##s a, B##s b, C##s c, u32s mode);                                                                         \
    void name(R##s *d, const A##s *a, const B##s *b, const C##s *c, const u32s *mode);                                                     \
    void name(R##s *d, const A##s *a, const B##s *b, const C##s *c, const u32s *mode) { *d = name##_(*a, *b, *c, *mode); }                 \
    static INLINE R##s name##_(A##s a, B##s b, C##s c, u32s mode)

#define TO_BYTES(type, format)                                                                                                             \
    LANES3_MODE(v_cvt_scalef32_pk_##type##_f32, u16, f32, f32, f32) {                                                                      \
        return CONVERT(u16s, narrow(apart_f32(a), c, mode, format) | narrow(apart_f32(b), c, mode, format) << 8);                          \
    }                                                                                                                                      \
    LANES2_MODE(v_cvt_scalef32_pk_##type##_f16, u16, pkf16, f32) {                                                                         \
        return CONVERT(u16s, narrow(low_f16(a), b, mode, format) | narrow(high_f16(a), b, mode, format) << 8);                             \
    }                                                                                                                                      \
    LANES2_MODE(v_cvt_scalef32_pk_##type##_bf16, u16, pkbf16, f32) {                                                                       \
        return CONVERT(u16s, narrow(low_bf16(a), b, mode, format) | narrow(high_bf16(a), b, mode, format) << 8);                           \
    }                                                                                                                                      \
    LANES3_MODE(v_cvt_scalef32_sr_##type##_f32, u32, f32, u32, f32) { return narrow_random(apart_f32(a), b, 0, c, mode, format); }         \
    LANES3_MODE(v_cvt_scalef32_sr_##type##_f16, u32, f16, u32, f32) { return narrow_random(apart_f16(a), b, 13, c, mode, format); }        \
    LANES3_MODE(v_cvt_scalef32_sr_##type##_bf16, u32, bf16, u32, f32) { return narrow_random(apart_bf16(a), b, 16, c, mode, format); }
TO_BYTES(fp8, FP8)
TO_BYTES(bf8, BF8)

#define NIBBLES(low, high, by) (narrow(low, by, ALL(u32, 0), FP4) | narrow(high, by, ALL(u32, 0), FP4) << 4)
#define RANDOM_NIBBLES(low, high, by, dropped)                                                                                             \
    (narrow_random(low, b, dropped, by, ALL(u32, 0), FP4) | narrow_random(high, b, dropped, by, ALL(u32, 0), FP4) << 4)
LANES3(v_cvt_scalef32_pk_fp4_f32, u32, f32, f32, f32) { return NIBBLES(apart_f32(a), apart_f32(b), c); }
LANES2(v_cvt_scalef32_pk_fp4_f16, u32, pkf16, f32) { return NIBBLES(low_f16(a), high_f16(a), b); }
LANES2(v_cvt_scalef32_pk_fp4_bf16, u32, pkbf16, f32) { return NIBBLES(low_bf16(a), high_bf16(a), b); }
LANES3(v_cvt_scalef32_sr_pk_fp4_f32, u32, pkf32, u32, f32) { return RANDOM_NIBBLES(low_f32(a), high_f32(a), c, 0); }
LANES3(v_cvt_scalef32_sr_pk_fp4_f16, u32, pkf16, u32, f32) { return RANDOM_NIBBLES(low_f16(a), high_f16(a), c, 13); }
LANES3(v_cvt_scalef32_sr_pk_fp4_bf16, u32, pkbf16, u32, f32) { return RANDOM_NIBBLES(low_bf16(a), high_bf16(a), c, 16); }

/* ---- wider ---- */

static INLINE u32s widen(u32s code, struct scaled_format from, f32s scale, struct scaled_format f) {
    const u32s by = exponent_of(scale);
    const struct scaled_number x = take_apart(code, from);

    return finish(x, nearest_code(x, x.exponent + (i32s)by - 127, f), (masks)0, (masks)(by == 255), f);
}

#define FROM_BYTES(type, format)                                                                                                           \
    LANES2(v_cvt_scalef32_f32_##type, f32, u32, f32) { return (f32s)widen(a & 0xff, format, b, F32); }                                     \
    LANES2(v_cvt_scalef32_f16_##type, f16, u32, f32) { return (f16s)CONVERT(u16s, widen(a & 0xff, format, b, F16)); }                      \
    LANES2(v_cvt_scalef32_pk_f32_##type, pkf32, u32, f32) {                                                                                \
        return pair_lanes((f32s)widen(a & 0xff, format, b, F32), (f32s)widen(a >> 8 & 0xff, format, b, F32));                              \
    }                                                                                                                                      \
    LANES2(v_cvt_scalef32_pk_f16_##type, u32, u32, f32) {                                                                                  \
        return widen(a & 0xff, format, b, F16) | widen(a >> 8 & 0xff, format, b, F16) << 16;                                               \
    }                                                                                                                                      \
    LANES2(v_cvt_scalef32_pk_bf16_##type, u32, u32, f32) {                                                                                 \
        return widen(a & 0xff, format, b, BF16) | widen(a >> 8 & 0xff, format, b, BF16) << 16;                                             \
    }
FROM_BYTES(fp8, FP8)
FROM_BYTES(bf8, BF8)
LANES2(v_cvt_scalef32_pk_f32_fp4, pkf32, u32, f32) {
    return pair_lanes((f32s)widen(a & 15, FP4, b, F32), (f32s)widen(a >> 4 & 15, FP4, b, F32));
}
LANES2(v_cvt_scalef32_pk_f16_fp4, u32, u32, f32) { return widen(a & 15, FP4, b, F16) | widen(a >> 4 & 15, FP4, b, F16) << 16; }
LANES2(v_cvt_scalef32_pk_bf16_fp4, u32, u32, f32) { return widen(a & 15, FP4, b, BF16) | widen(a >> 4 & 15, FP4, b, BF16) << 16; }

/* ---- pieces of the conversions of 32 numbers (unit/pieces.c) ---- */

/* Input slots: printed operands, then the destination's old value and MODE. */
#define LANES3_OLD_MODE(name, R, A, B, C)                                                                                                  \
    SIGNATURE(name, "v", "", #R, #A "," #B "," #C ",old:" #R ",mode:u32")                                                                  \
    static INLINE R##s name##_(A##s a, B##s b, C##s c, R##s old, u32s mode);                                                               \
    void name(R##s *r, const A##s *a, const B##s *b, const C##s *c, const R##s *old, const u32s *mode);                                    \
    void name(R##s *r, const A##s *a, const B##s *b, const C##s *c, const R##s *old, const u32s *mode) {                                   \
        *r = name##_(*a, *b, *c, *old, *mode);                                                                                             \
    }                                                                                                                                      \
    static INLINE R##s name##_(A##s a, B##s b, C##s c, R##s old, u32s mode)
#define LANES4_OLD_MODE(name, R, A, B, C, D)                                                                                               \
    SIGNATURE(name, "v", "", #R, #A "," #B "," #C "," #D ",old:" #R ",mode:u32")                                                           \
    static INLINE R##s name##_(A##s a, B##s b, C##s c, D##s d, R##s old, u32s mode);                                                       \
    void name(R##s *r, const A##s *a, const B##s *b, const C##s *c, const D##s *d, const R##s *old, const u32s *mode);                     \
    void name(R##s *r, const A##s *a, const B##s *b, const C##s *c, const D##s *d, const R##s *old, const u32s *mode) {                    \
        *r = name##_(*a, *b, *c, *d, *old, *mode);                                                                                         \
    }                                                                                                                                      \
    static INLINE R##s name##_(A##s a, B##s b, C##s c, D##s d, R##s old, u32s mode)

/* 32 bits of two dwords, from bit `shift` of the first one on. */
static INLINE u32s window(u32s low, u32s high, u32s shift) { return low >> (shift & 31) | high << 1 << (31 - (shift & 31)); }

/* A code at bit `at` of a dword whose upper bits are not made yet; -5 to -1: what the dword before has no room for. */
static INLINE u32s placed(u32s old, u32s code, i32s at) {
    const u32s up = (u32s)max(at, ALL(i32, 0)), down = (u32s)max(-at, ALL(i32, 0));
    return (old & ((ALL(u32, 1) << (up & 31)) - 1)) | code >> (down & 31) << (up & 31);
}

#define MASK(format) ((1u << (format).bits) - 1)
#define TWO(codes, from, by, to)                                                                                                           \
    (widen((codes) & MASK(from), from, by, to) | widen((codes) >> (from).bits & MASK(from), from, by, to) << 16)
#define PIECES(type, format)                                                                                                               \
    LANES4(v_cvt_scalef32_piece_f32_##type, f32, u32, u32, f32, u32) {                                                                     \
        return (f32s)widen(window(a, b, d) & MASK(format), format, c, F32);                                                                \
    }                                                                                                                                      \
    LANES4(v_cvt_scalef32_piece_f16_##type, u32, u32, u32, f32, u32) {                                                                     \
        const u32s codes = window(a, b, d);                                                                                                \
        return TWO(codes, format, c, F16);                                                                                                 \
    }                                                                                                                                      \
    LANES4(v_cvt_scalef32_piece_bf16_##type, u32, u32, u32, f32, u32) {                                                                    \
        const u32s codes = window(a, b, d);                                                                                                \
        return TWO(codes, format, c, BF16);                                                                                                \
    }                                                                                                                                      \
    LANES3_OLD_MODE(v_cvt_scalef32_piece_##type##_f32, u32, f32, f32, i32) {                                                               \
        return placed(old, narrow(apart_f32(a), b, mode, format), c);                                                                      \
    }                                                                                                                                      \
    LANES3_OLD_MODE(v_cvt_scalef32_piece_##type##_f16, u32, f16, f32, i32) {                                                               \
        return placed(old, narrow(apart_f16(a), b, mode, format), c);                                                                      \
    }                                                                                                                                      \
    LANES3_OLD_MODE(v_cvt_scalef32_piece_##type##_bf16, u32, bf16, f32, i32) {                                                             \
        return placed(old, narrow(apart_bf16(a), b, mode, format), c);                                                                     \
    }                                                                                                                                      \
    LANES4_OLD_MODE(v_cvt_scalef32_piece_sr_##type##_f32, u32, f32, u32, f32, i32) {                                                       \
        return placed(old, narrow_random(apart_f32(a), b, 0, c, mode, format), d);                                                         \
    }                                                                                                                                      \
    LANES4_OLD_MODE(v_cvt_scalef32_piece_sr_##type##_f16, u32, f16, u32, f32, i32) {                                                       \
        return placed(old, narrow_random(apart_f16(a), b, 13, c, mode, format), d);                                                        \
    }                                                                                                                                      \
    LANES4_OLD_MODE(v_cvt_scalef32_piece_sr_##type##_bf16, u32, bf16, u32, f32, i32) {                                                     \
        return placed(old, narrow_random(apart_bf16(a), b, 16, c, mode, format), d);                                                       \
    }
PIECES(fp4, FP4)
PIECES(fp6, FP6)
PIECES(bf6, BF6)
PIECES(fp8, FP8)
PIECES(bf8, BF8)

/* Byte b of a dword of scales, as the f32 that has this exponent. */
LANES2(v_cvt_scale_piece, u32, u32, u32) { return (a >> (b << 3 & 31) & 0xff) << 23; }

/* ---- gfx1250: f16 without a scale, and at random ---- */

#define HALF_TO_BYTES(type, format)                                                                                                        \
    LANES1_MODE(v_cvt_pk_##type##_f16, u16, pkf16) {                                                                                       \
        const struct scaled_number x = low_f16(a), y = high_f16(a);                                                                        \
        const u32s low = finish(x, nearest_code(x, x.exponent, format), SATURATES(mode), (masks)0, format);                                \
        return CONVERT(u16s, low | finish(y, nearest_code(y, y.exponent, format), SATURATES(mode), (masks)0, format) << 8);                \
    }                                                                                                                                      \
    LANES2_MODE(v_cvt_sr_##type##_f16, u32, f16, u32) {                                                                                    \
        const struct scaled_number x = apart_f16(a);                                                                                       \
        return finish(x, random_code(x, x.exponent, b, 13, format), SATURATES(mode), (masks)0, format);                                    \
    }
HALF_TO_BYTES(fp8, FP8)
HALF_TO_BYTES(bf8, BF8)

/* ---- at random, without a scale ---- */

LANES2(v_cvt_sr_f16_f32, u16, f32, u32) {
    const struct scaled_number x = apart_f32(a);
    return CONVERT(u16s, finish(x, random_code(x, x.exponent, b, 0, F16), (masks)0, (masks)0, F16));
}
LANES2(v_cvt_sr_bf16_f32, u16, f32, u32) {
    const struct scaled_number x = apart_f32(a);
    return CONVERT(u16s, finish(x, random_code(x, x.exponent, b, 0, BF16), (masks)0, (masks)0, BF16));
}
/* Two numbers, with the same random bits. */
static INLINE u32s randomly(f32s a, u32s random, struct scaled_format f) {
    const struct scaled_number x = apart_f32(a);
    return finish(x, random_code(x, x.exponent, random, 0, f), (masks)0, (masks)0, f);
}
LANES3(v_cvt_sr_pk_f16_f32, u32, f32, f32, u32) { return randomly(a, c, F16) | randomly(b, c, F16) << 16; }
LANES3(v_cvt_sr_pk_bf16_f32, u32, f32, f32, u32) { return randomly(a, c, BF16) | randomly(b, c, BF16) << 16; }
