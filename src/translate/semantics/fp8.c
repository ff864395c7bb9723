/* Vector unit: numbers of 8 bits. fp8 has 4 exponent and 3 fraction bits, bf8 5 and 2. gfx12 has the formats of OCP; gfx94x has FNUZ
 * (one more in the bias, no infinities, no minus zero, one NaN: 0x80), whose functions end in _fnuz here. */
#include "lanes_float.h"

/* A format. `least`: the exponent field of f32 for the smallest normal number; `most`: the code of the largest number. */
struct format {
    u32 fraction, least, most;
    u32 overflow, nan; /* codes of results that are too large, and of NaN */
    u32 fnuz;
};
#define QUIET_NAN 0x7fc00000
#define FP8       ((struct format){.fraction = 3, .least = 121, .most = 0x7e, .overflow = 0x7f, .nan = 0x7f, .fnuz = 0})
#define BF8       ((struct format){.fraction = 2, .least = 113, .most = 0x7b, .overflow = 0x7c, .nan = 0x7f, .fnuz = 0})
#define FP8_FNUZ  ((struct format){.fraction = 3, .least = 120, .most = 0x7f, .overflow = 0x80, .nan = 0x80, .fnuz = 1})
#define BF8_FNUZ  ((struct format){.fraction = 2, .least = 112, .most = 0x7f, .overflow = 0x80, .nan = 0x80, .fnuz = 1})

/* Always exact, and normal in f32. */
static INLINE f32s from_byte(u32s byte, struct format f) {
    const u32s size = byte & 0x7f, sign = (byte & 0x80) << 24, exponent = size >> f.fraction;
    const u32s fraction = size & ((1u << f.fraction) - 1), normal = ((exponent + f.least - 1) << 23) | fraction << (23 - f.fraction);
    const f32s denormal = CONVERT(f32s, (i32s)fraction) * __builtin_bit_cast(f32, (f.least - f.fraction) << 23);
    const u32s value = sign | (exponent == 0 ? (u32s)denormal : normal);

    if (f.fnuz)
        return (f32s)(byte == 0x80 ? ALL(u32, QUIET_NAN) : value);
    return (f32s)(size <= f.most ? value : sign | ((size == f.nan) | (size > f.overflow) ? ALL(u32, QUIET_NAN) : ALL(u32, F32_INFINITY)));
}

/* MODE.FP16_OVFL: what is too large becomes the largest number. */
#define SATURATES(mode) (((mode) >> 23 & 1) != 0)

static INLINE u32s finish_byte(f32s a, u32s size, u32s mode, struct format f) {
    const u32s bits = (u32s)a, magnitude = bits & ~F32_SIGN, sign = bits >> 24 & 0x80;
    const u32s large = SATURATES(mode) & (magnitude < F32_INFINITY) ? ALL(u32, f.most) : ALL(u32, f.overflow);
    const u32s code = magnitude > F32_INFINITY    ? ALL(u32, f.nan)
                      : magnitude == F32_INFINITY ? ALL(u32, f.overflow)
                      : size > f.most             ? large
                                                  : size;

    return f.fnuz ? (code == 0) | (code == 0x80) ? code : code | sign : code | sign;
}
/* The significand with its leading one, and how far it lies below the format's normal numbers. */
#define PARTS                                                                                                                              \
    const u32s bits = (u32s)a & ~F32_SIGN, exponent = bits >> 23;                                                                          \
    const u32s significand = (bits & 0x7fffff) | (exponent == 0 ? ALL(u32, 0) : ALL(u32, 0x800000));                                       \
    const u32s below = exponent < f.least ? min(f.least - exponent, ALL(u32, 31)) : ALL(u32, 0);                                           \
    const u32s above = exponent > f.least ? (exponent - f.least) << f.fraction : ALL(u32, 0)
/* To nearest even, whatever MODE says. */
static INLINE u32s to_byte(f32s a, u32s mode, struct format f) {
    PARTS;
    const u32s shift = min(23 - f.fraction + below, ALL(u32, 25)), half = (ALL(u32, 1) << shift >> 1) - 1;

    return finish_byte(a, above + ((significand + half + (significand >> shift & 1)) >> shift), mode, f);
}
/* The upper bits of `random` are added below the last bit that stays. */
static INLINE u32s to_byte_stochastic(f32s a, u32s random, u32s mode, struct format f) {
    PARTS;

    return finish_byte(a, above + (((significand >> below) + (random >> (9 + f.fraction))) >> (23 - f.fraction)), mode, f);
}

static INLINE pkf32s pair_of(u32s a, struct format f) { return pair_lanes(from_byte(a & 0xff, f), from_byte(a >> 8 & 0xff, f)); }

#define CONVERSIONS(type, suffix, format)                                                                                                  \
    LANES1(v_cvt_f32_##type##suffix, f32, u32) { return from_byte(a & 0xff, format); }                                                     \
    LANES1(v_cvt_pk_f32_##type##suffix, pkf32, u32) { return pair_of(a, format); }                                                         \
    LANES2_MODE(v_cvt_pk_##type##_f32##suffix, u16, f32, f32) {                                                                            \
        return CONVERT(u16s, to_byte(a, mode, format) | to_byte(b, mode, format) << 8);                                                    \
    }                                                                                                                                      \
    LANES2_MODE(v_cvt_sr_##type##_f32##suffix, u32, f32, u32) { return to_byte_stochastic(a, b, mode, format); }
CONVERSIONS(fp8, , FP8)
CONVERSIONS(bf8, , BF8)
/* gfx1250: the same of f16. */
#define HALF_CONVERSIONS(type, format)                                                                                                     \
    LANES1(v_cvt_f16_##type, f16, u32) { return half(from_byte(a & 0xff, format)); }                                                       \
    LANES1(v_cvt_pk_f16_##type, pkf16, u16) {                                                                                              \
        const u32s pair = CONVERT(u32s, a);                                                                                                \
        const u16s low = (u16s)half(from_byte(pair & 0xff, format)), high = (u16s)half(from_byte(pair >> 8, format));                      \
        return (pkf16s)(CONVERT(u32s, low) | CONVERT(u32s, high) << 16);                                                                   \
    }
HALF_CONVERSIONS(fp8, FP8)
HALF_CONVERSIONS(bf8, BF8)
CONVERSIONS(fp8, _fnuz, FP8_FNUZ)
CONVERSIONS(bf8, _fnuz, BF8_FNUZ)

static INLINE f32s dot4(u32s a, u32s b, f32s c, struct format f, struct format g) {
    for (int i = 0; i < 4; i++)
        c = fma_lanes(from_byte(a >> 8 * i & 0xff, f), from_byte(b >> 8 * i & 0xff, g), c);
    return c;
}
LANES3(v_dot4_f32_fp8_fp8, f32, b8x4, b8x4, f32) { return dot4(a, b, c, FP8, FP8); }
LANES3(v_dot4_f32_fp8_bf8, f32, b8x4, b8x4, f32) { return dot4(a, b, c, FP8, BF8); }
LANES3(v_dot4_f32_bf8_fp8, f32, b8x4, b8x4, f32) { return dot4(a, b, c, BF8, FP8); }
LANES3(v_dot4_f32_bf8_bf8, f32, b8x4, b8x4, f32) { return dot4(a, b, c, BF8, BF8); }
