/* What nvptx/fuse.c makes of sequences of instructions: no instructions of their own, and for NVIDIA's threads alone. The polynomials
 * are near-minimax fits of the functions named beside them, in Horner form; errors are the largest over all f32 arguments. */
#include "lanes_float.h"

#if WL_LANES == 1 && defined(__NVPTX__)
/* v_rcp_f32 by the hardware's estimate, off by 1 ulp at most, as AMD's: ptxas takes nine instructions and a call to round a quotient correctly. */
LANES1(fused_rcp_f32, f32, f32) {
    float y;
    __asm__("rcp.approx.f32 %0, %1;" : "=f"(y) : "f"(a[0]));
    return (f32s)y;
}
/* The same of zero and of normal numbers with a normal reciprocal. */
LANES1(fused_rcp_normal_f32, f32, f32) { return (f32s)__nvvm_rcp_approx_ftz_f(a[0]); }

/* v_rsq_f32 of what is no less than the smallest normal number. */
LANES1(fused_rsq_normal_f32, f32, f32) {
    const f32s y = (f32s)__nvvm_rsqrt_approx_ftz_f(a[0]), error = fma_lanes(-(a * y), y, ALL(f32, 1));

    return fma_lanes(0.5f * y, __builtin_elementwise_min(error, ALL(f32, 1)), y);
}

/* The root of zero, of infinity, and of what is no less than 2^-101, rounded correctly in the steps that ptxas takes; NaN of negative numbers. */
static INLINE f32s root_of_large(f32s a) {
    const f32s y = (f32s)__nvvm_rsqrt_approx_ftz_f(a[0]), root = a * y, error = fma_lanes(-root, root, a);

    return (a == 0) | (a == __builtin_inff()) ? a : fma_lanes(error, 0.5f * y, root);
}

/* v_sqrt_f32. For negative numbers ptxas calls a function, as for denormal ones, and compilers take roots of numbers before they know whether
 * they need them. */
LANES1(fused_sqrt_f32, f32, f32) {
    const masks small = a < 0x1p-101f;
    const f32s root = root_of_large(small ? a * 0x1p48f : a);

    return small ? root * 0x1p-24f : root;
}
LANES1(fused_sqrt_large_f32, f32, f32) { return root_of_large(a); }

/* e^r of x = n ln(2) + r with |r| <= ln(2) / 2, at most 0.96 ulp. */
static INLINE f32s exponential_of_rest(f32s x, f32s n) {
    /* ln(2) in two parts, of which the first times n is exact. */
    const f32s r = fma_lanes(n, ALL(f32, -0x1.7f7d1cp-20f), fma_lanes(n, ALL(f32, -0x1.62e4p-1f), x));
    f32s p = ALL(f32, 0.00139263761f);

    p = fma_lanes(p, r, ALL(f32, 0.00836333353f));
    p = fma_lanes(p, r, ALL(f32, 0.0416665524f));
    p = fma_lanes(p, r, ALL(f32, 0.166665763f));
    p = fma_lanes(p, r, ALL(f32, 0.5f));
    p = fma_lanes(p, r, ALL(f32, 1));
    return fma_lanes(p, r, ALL(f32, 1));
}

/* e^x, at most 0.96 ulp: 2^n e^r. */
LANES1(fused_exp_f32, f32, f32) {
    const f32s x = (f32s)least_or_nan(greatest_or_nan(a[0], -105.0f), 89.0f);
    const f32s shifted = fma_lanes(x, ALL(f32, 0x1.715476p+0f), ALL(f32, 0x1.8p23f));
    const f32s p = exponential_of_rest(x, shifted - 0x1.8p23f);

    /* n is in the lowest bits of `shifted`; in two parts, because results may be denormal. Of NaN, whose bits are all ones but for the
     * sign, the first part is 0. */
    const u32s bits = (u32s)shifted, half = bits >> 1;

    return (f32s)((u32s)p + ((bits - half) << 23)) * (f32s)((half << 23) + 0x3f800000u);
}

/* e^x of what is not above zero. */
LANES1(fused_exp_nonpositive_f32, f32, f32) {
    const f32s x = (f32s)greatest_or_nan(a[0], -105.0f);
    const f32s shifted = fma_lanes(x, ALL(f32, 0x1.715476p+0f), ALL(f32, 0x1.8p23f + 32));
    const f32s p = exponential_of_rest(x, shifted - (0x1.8p23f + 32));

    /* The lowest bits are n + 32, so that no step but the last makes denormals. Of NaN they make a number. */
    return p * (f32s)(((u32s)shifted << 23) + 0x3f800000u) * 0x1p-32f;
}

/* The natural logarithm, at most 0.95 ulp: e ln(2) + ln(m) with 2/3 <= m < 4/3. */
LANES1(fused_log_f32, f32, f32) {
    const masks tiny = a < 0x1p-126f;
    const f32s normal = tiny ? a * 0x1p23f : a;
    const i32s exponent = ((i32s)normal - 0x3f2aaaab) & (i32s)0xff800000u;
    const f32s f = (f32s)((i32s)normal - exponent) - 1.0f;
    const f32s e = fma_lanes(CONVERT(f32s, exponent), ALL(f32, 0x1p-23f), tiny ? ALL(f32, -23) : ALL(f32, 0));
    f32s p = ALL(f32, -0.124222003f);

    p = fma_lanes(p, f, ALL(f32, 0.13748309f));
    p = fma_lanes(p, f, ALL(f32, -0.122887217f));
    p = fma_lanes(p, f, ALL(f32, 0.140558124f));
    p = fma_lanes(p, f, ALL(f32, -0.166733161f));
    p = fma_lanes(p, f, ALL(f32, 0.200072333f));
    p = fma_lanes(p, f, ALL(f32, -0.249999449f));
    p = fma_lanes(p, f, ALL(f32, 0.333332717f));
    p = fma_lanes(p, f, ALL(f32, -0.5f));
    const f32s result = fma_lanes(e, ALL(f32, 0x1.62e430p-1f), fma_lanes(f * p, f, f));
    /* Zeros, infinities, negative numbers and NaN have the same logarithm as with any base. */
    return (u32s)a - 1 < F32_INFINITY - 1 ? result : (f32s)__nvvm_lg2_approx_ftz_f(normal[0]);
}
#endif
