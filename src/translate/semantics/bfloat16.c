/* Vector unit: bf16 arithmetic in pairs, gfx1250. Computed in f32, which makes sums and products correctly rounded when they become bf16;
 * multiply-adds by rounding to odd in f64. */
#include "lanes_order.h"

static INLINE f32s low_of(pkbf16s a) { return (f32s)(a << 16); }
static INLINE f32s high_of(pkbf16s a) { return (f32s)(a & 0xffff0000); }
static INLINE pkbf16s pair_bf16(f32s low, f32s high) { return bits_of_bf16(low) | bits_of_bf16(high) << 16; }

/* What is left of a double's significand below that of f32 shows in the lowest bit of the result. */
static INLINE f32s odd_f32(f64s x) {
    const f32s nearest = CONVERT(f32s, x);
    const u32s bits = (u32s)nearest;
    const f64s back = CONVERT(f64s, nearest);
    const masks inexact = CONVERT(masks, back != x), up = CONVERT(masks, magnitude64(back) > magnitude64(x));
    const masks is_number = (bits & ~F32_SIGN) < F32_INFINITY;

    return inexact & is_number & ((bits & 1) == 0) ? (f32s)(up ? bits - 1 : bits + 1) : nearest;
}
/* The product is exact in f64; where the sum is not, f64 has more than twice the bits of f32, so that what it drops is below all that counts,
 * but for a tie: the lowest bit tells of it. */
static INLINE f32s multiply_add(f32s a, f32s b, f32s c) {
    const f64s product = CONVERT(f64s, a) * CONVERT(f64s, b), addend = CONVERT(f64s, c), sum = product + addend;
    const f64s part = sum - product, error = (product - (sum - part)) + (addend - part);
    const u64s bits = (u64s)sum, toward = 1 - (((u64s)error ^ bits) >> 63) * 2;
    const f64s odd = (error != 0) & (error == error) & ((bits & 1) == 0) ? (f64s)(bits + toward) : sum;

    return odd_f32(odd);
}

LANES2(v_pk_add_bf16, pkbf16, pkbf16, pkbf16) { return pair_bf16(low_of(a) + low_of(b), high_of(a) + high_of(b)); }
LANES2(v_pk_mul_bf16, pkbf16, pkbf16, pkbf16) { return pair_bf16(low_of(a) * low_of(b), high_of(a) * high_of(b)); }
LANES2(v_pk_min_bf16, pkbf16, pkbf16, pkbf16) { return pair_bf16(lesser(low_of(a), low_of(b)), lesser(high_of(a), high_of(b))); }
LANES2(v_pk_max_bf16, pkbf16, pkbf16, pkbf16) { return pair_bf16(greater(low_of(a), low_of(b)), greater(high_of(a), high_of(b))); }
LANES3(v_pk_fma_bf16, pkbf16, pkbf16, pkbf16, pkbf16) {
    return pair_bf16(multiply_add(low_of(a), low_of(b), low_of(c)), multiply_add(high_of(a), high_of(b), high_of(c)));
}

/* Operands are f32, or bf16 that are widened before. */
LANES3(v_fma_mix_f32_bf16, f32, f32, f32, f32) { return fma_lanes(a, b, c); }
LANES3(v_fma_mixlo_bf16, bf16, f32, f32, f32) { return CONVERT(bf16s, bits_of_bf16(fma_lanes(a, b, c))); }
LANES3(v_fma_mixhi_bf16, bf16, f32, f32, f32) { return CONVERT(bf16s, bits_of_bf16(fma_lanes(a, b, c))); }
