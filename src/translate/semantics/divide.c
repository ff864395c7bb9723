/* Vector unit: the helpers of IEEE division and of argument reduction.
 *
 * A division a compiler makes is: scale both operands out of harm's way (v_div_scale), refine a reciprocal and the quotient
 * with fma, undo the scale in the last fma (v_div_fmas), and put signs and special values right (v_div_fixup). */
#include "lanes_float.h"

/* a is the operand to be scaled, b the divisor, c the dividend. The mask says that v_div_fmas has to undo a scale:
 *   - dividend / divisor may overflow, or the reciprocal may be subnormal while the quotient is: the divisor alone is scaled;
 *   - the quotient may be subnormal: the dividend alone is scaled.
 * If the divisor or a tiny dividend is subnormal, or the reciprocal is, both are scaled alike and nothing has to be undone. */
#define DIV_SCALE(type, bits_type, mantissa_bits, exponent_mask, up, down, far, largest, tiny_dividend, smallest_normal, inverse)          \
    LANES3_MASK(v_div_scale_##type, type, type, type, type) {                                                                              \
        typedef __typeof__((bits_type##s)a == (bits_type##s)b) lanes_mask;                                                                 \
        const bits_type##s sign = ALL(bits_type, (bits_type)1 << (sizeof(bits_type) * 8 - 1));                                             \
        const bits_type##s divisor = (bits_type##s)b & ~sign, dividend = (bits_type##s)c & ~sign;                                          \
        const bits_type##s eb = divisor >> mantissa_bits, ec = dividend >> mantissa_bits;                                                  \
        const lanes_mask is_divisor = a == b, is_dividend = a == c, zero = (divisor == 0) | (dividend == 0);                               \
        const lanes_mask overflow = (ec >= eb) & (ec - eb >= far);                                                                         \
        const lanes_mask subnormal_divisor = eb == 0;                                                                                      \
        const lanes_mask subnormal_inverse = (divisor > largest) & (eb < exponent_mask);                                                   \
        const lanes_mask subnormal_quotient = ((type##s)dividend * (inverse) < (type##s)divisor) & (eb < exponent_mask);                   \
        const lanes_mask small_dividend = ec <= tiny_dividend;                                                                             \
        const type##s a_up = a * (up), a_down = a * (down);                                                                                \
        type##s d = small_dividend ? a_up : a;                                                                                             \
                                                                                                                                           \
        d = subnormal_quotient ? (is_dividend ? a_up : a) : d;                                                                             \
        d = subnormal_inverse ? (subnormal_quotient ? (is_divisor ? a_down : a) : a_down) : d;                                             \
        d = subnormal_divisor ? a_up : d;                                                                                                  \
        d = overflow ? (is_divisor ? a_up : a) : d;                                                                                        \
        *m = CONVERT(masks, ~zero & (overflow | (~subnormal_divisor & subnormal_quotient)));                                               \
        return zero ? ALL(type, __builtin_nanf("")) : d;                                                                                   \
    }
DIV_SCALE(f32, u32, 23, 255, 0x1p64f, 0x1p-64f, 96, 0x7e800000, 23, 0x00800000, 0x1p126f)
DIV_SCALE(f64, u64, 52, 2047, 0x1p128, 0x1p-128, 768, 0x7fd0000000000000, 53, 0x0010000000000000, 0x1p1022)

/* a * b + c, scaled where VCC says so: up if the quotient c was made too small by v_div_scale, down if too large. Scaling down
 * may round a second time; where that meets a tie which the first rounding made, the first one's error decides. half is half of
 * the smallest subnormal number, scaled up. */
#define DIV_FMAS(type, bits_type, up, down, half)                                                                                          \
    LANES3_VCC(v_div_fmas_##type, type, type, type, type) {                                                                                \
        const type##s sum = fma_lanes(a, b, c), error = fma_lanes(a, b, c - sum), lowered = sum * (down);                                  \
        const type##s rest = sum - lowered * (up);                                                                                         \
        const __typeof__(a == b) above = (rest == (half)) & (error > 0), below = (rest == -(half)) & (error < 0);                          \
        const __typeof__(a == b) outwards = (above & (sum > 0)) | (below & (sum < 0)), inwards = (above | below) & ~outwards;              \
        const type##s corrected = (type##s)((bits_type##s)lowered - (bits_type##s)outwards + (bits_type##s)inwards);                       \
        const bits_type##s size = (bits_type##s)c << 1;                                                                                    \
        const type##s scaled = (size >> 1) >= (bits_type##s)ALL(type, 2) ? sum * (up) : corrected;                                         \
                                                                                                                                           \
        return CONVERT(__typeof__(a == b), vcc) ? scaled : sum;                                                                            \
    }
DIV_FMAS(f32, u32, 0x1p64f, 0x1p-64f, 0x1p-86f)
DIV_FMAS(f64, u64, 0x1p128, 0x1p-128, 0x1p-947)

/* a is the quotient so far, b the divisor, c the dividend. Where one of these is special or the quotient far out of range,
 * division itself gives the result (NaN, infinity, zero). */
#define DIV_FIXUP(type, bits_type, mantissa_bits, exponent_mask, underflow, with_sign)                                                     \
    LANES3(v_div_fixup_##type, type, type, type, type) {                                                                                   \
        const bits_type##s eb = (bits_type##s)b >> mantissa_bits & exponent_mask, ec = (bits_type##s)c >> mantissa_bits & exponent_mask;   \
        const bits_type##s sign = (bits_type##s)b ^ (bits_type##s)c;                                                                       \
        const __typeof__(eb == ec) special =                                                                                               \
            (eb == exponent_mask) | (ec == exponent_mask) | (b == 0) | (c == 0) | (a != a) | (eb > ec + underflow);                        \
                                                                                                                                           \
        return special ? c / b : with_sign(a, sign);                                                                                       \
    }
DIV_FIXUP(f32, u32, 23, 255, 150, with_sign)
DIV_FIXUP(f64, u64, 52, 2047, 1075, with_sign64)

/* What v_div_fixup gives when its first operand is the result of the v_div_fmas that ends the sequence of a division of c by b:
 * the lifter may use these rows there, and the rest of the sequence is dead. */
LANES3(v_div_fixup_f32_after_fmas, f32, f32, f32, f32) {
    (void)a;
    return c / b;
}
LANES3(v_div_fixup_f64_after_fmas, f64, f64, f64, f64) {
    (void)a;
    return c / b;
}

/* a / b, which has no instruction of its own: compilers estimate it and correct the estimate (rewrite/divide.c). Of a / 0 such a sequence makes
 * a + 1, or 2 if a is 0. In f64: half a unit is further from the next whole number than all errors together are, however they are rounded. */
LANES2(v_quotient_u32, u32, u32, u32) {
    const f64s inverse = 1.0 / CONVERT(f64s, b == 0 ? ALL(u32, 1) : b);
    const u32s quotient = CONVERT(u32s, (CONVERT(f64s, a) + 0.5) * inverse);
    return b == 0 ? (a == 0 ? ALL(u32, 2) : a + 1) : quotient;
}

/* Words of 2 / pi, the first one holding the 64 bits behind the binary point. */
/* clang-format off */
#define TWO_OVER_PI(WORD)                                                                                                                  \
    WORD(0, 0xa2f9836e4e441529)                                                                                                            \
    WORD(1, 0xfc2757d1f534ddc0) WORD(2, 0xdb6295993c439041) WORD(3, 0xfe5163abdebbc561) WORD(4, 0xb7246e3a424dd2e0)                        \
    WORD(5, 0x06492eea09d1921c) WORD(6, 0xfe1deb1cb129a73e) WORD(7, 0xe88235f52ebb4484) WORD(8, 0xe99c7026b45f7e41)                        \
    WORD(9, 0x3991d639835339f4) WORD(10, 0x9c845f8bbdf9283b) WORD(11, 0x1ff897ffde05980f) WORD(12, 0xef2f118b5a0a6d1f)                     \
    WORD(13, 0x6d367ecf27cb09b7) WORD(14, 0x4f463f669e5fea2d) WORD(15, 0x7527bac7ebe5f17b) WORD(16, 0x3d0739f78a5292ea)                    \
    WORD(17, 0x6bfb5fb11f8d5d08) WORD(18, 0x56033046fc7b0000)
/* clang-format on */

/* 53 bits of 2 / pi from bit 53 * b on, and further down if a is large: the part that matters for the reduction of a. */
LANES2(v_trig_preop_f64, f64, f64, u32) {
    const i64s exponent = (i64s)((u64s)a >> 52 & 2047), beyond = max(exponent - 1077, ALL(i64, 0));
    const u64s shift = CONVERT(u64s, (b & 31) * 53) + (u64s)beyond, word = shift >> 6, bit = shift & 63;
    u64s high = ALL(u64, 0), low = ALL(u64, 0);

#define SELECT_WORD(index, value)                                                                                                          \
    high = word == index ? ALL(u64, value) : high;                                                                                         \
    low = word + 1 == index ? ALL(u64, value) : low;
    TWO_OVER_PI(SELECT_WORD)
    const u64s bits = (high << bit | low >> 1 >> (63 - bit)) >> 11;
    const i64s scale = -53 - (i64s)shift + (exponent >= 1968 ? ALL(i64, 128) : ALL(i64, 0));
    /* Two factors, because one may lie below the normal range. */
    const i64s first = max(scale, ALL(i64, -1000)), second = max(scale - first, ALL(i64, -1000));

    return CONVERT(f64s, bits) * power_of_2_64(first) * power_of_2_64(second);
}
