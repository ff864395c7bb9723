/* Sums of products of one lane as CDNA3 forms them (machine/matrix.h, WL_MATRIX_ALIGNED), of any factors. */
#ifndef WL_LANE_MATRIX_LANE_H
#define WL_LANE_MATRIX_LANE_H

#include "base/float_bits.h"
#include "machine/matrix.h"

enum {
    WL_ALIGNED_FRACTION = 24,   /* bits of a product, or of C, behind the largest exponent */
    WL_ALIGNED_LOWEST = 31,     /* bits of a sum behind the largest exponent, C's too */
    WL_ALIGNED_NOTHING = -2000, /* the exponent of a sum of zeros: below any other */
};

/* The exponent of denormals. */
static inline int wl_matrix_least_exponent(unsigned kind) {
    return kind == WL_MATRIX_F16 ? -14 : kind == WL_MATRIX_FP8 ? -7 : kind == WL_MATRIX_BF8 ? -15 : -126;
}

/* 2^exponent, of a normal number. */
static inline double wl_lane_power(int exponent) { return wl_bits_double((uint64_t)(1023 + exponent) << 52); }

/* C and sums in units of 2^(top - WL_ALIGNED_FRACTION). */
static inline float wl_lane_add_aligned(float c, const int64_t *sums, const int *tops, unsigned sets) {
    enum { BIAS = 127, BELOW = WL_ALIGNED_LOWEST - WL_ALIGNED_FRACTION };
    const uint32_t bits = wl_float_bits(c);
    const int biased = (int)(bits >> 23 & 255), exponent = (biased ? biased : 1) - BIAS;
    const int64_t size = (bits & 0x7fffff) | (biased ? 0x800000 : 0);
    int top = exponent;
    for (unsigned s = 0; s < sets; s++)
        top = tops[s] > top ? tops[s] : top;
    int64_t sum = ((bits >> 31 ? -size : size) * 2 >> (top - exponent > 63 ? 63 : top - exponent)) * (1 << BELOW);
    for (unsigned s = 0; s < sets; s++)
        sum += sums[s] * (1 << BELOW) >> (top - tops[s] > 63 ? 63 : top - tops[s]);
    return (float)((double)sum * wl_lane_power(top - WL_ALIGNED_LOWEST));
}

/* C and the products of a and b. `sets`: 2 are those of even and of odd elements. `least`: exponents of both kinds' denormals. */
static inline float wl_lane_sum_aligned(float c, const float *a, const float *b, unsigned terms, unsigned sets, const int least[2]) {
    enum { BIAS = 127 };
    float special = c - c == 0 ? 0 : c;
    int64_t sums[2] = {0, 0};
    int tops[2] = {WL_ALIGNED_NOTHING, WL_ALIGNED_NOTHING};
    for (unsigned k = 0; k < terms; k++) {
        const float product = a[k] * b[k];
        if (product - product != 0)
            special += product;
    }
    if (special != 0) /* infinities, NaN */
        return special;
    for (unsigned s = 0; s < sets; s++) {
        for (unsigned k = s; k < terms; k += sets) {
            const int a_exponent = (int)(wl_float_bits(a[k]) >> 23 & 255) - BIAS,
                      b_exponent = (int)(wl_float_bits(b[k]) >> 23 & 255) - BIAS;
            const int exponent = (a_exponent > least[0] ? a_exponent : least[0]) + (b_exponent > least[1] ? b_exponent : least[1]);
            if (a[k] != 0 && b[k] != 0 && exponent > tops[s])
                tops[s] = exponent;
        }
        for (unsigned k = s; k < terms && tops[s] != WL_ALIGNED_NOTHING; k += sets)
            sums[s] += (int64_t)((double)a[k] * (double)b[k] * wl_lane_power(WL_ALIGNED_FRACTION - tops[s]));
    }
    return wl_lane_add_aligned(c, sums, tops, sets);
}

#endif
