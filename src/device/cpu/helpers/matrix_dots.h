/* WMMA of f16 and bf16 with WAVELIFT_MATH=hardware: steps as RDNA3 and RDNA4 make them (machine/dot_sums.h): a part of matrix_kernels.c, which
 * includes it behind what it uses. */
#ifndef WL_DEVICE_CPU_HELPERS_MATRIX_DOTS_H
#define WL_DEVICE_CPU_HELPERS_MATRIX_DOTS_H

#define DOT_LANES 16
#include "machine/dot_sums.h"

/* What the modifiers do to pairs of A (operand 0) or B. */
INLINE uint32_t negated_pairs(const struct matrix *x, unsigned operand) {
    return (field(x, WL_MATRIX_NEG_LO, 3) >> operand & 1 ? 0x8000 : 0) | (field(x, WL_MATRIX_NEG_HI, 3) >> operand & 1 ? 0x80000000 : 0);
}

/* One row of D: `a` is that row's first dword, `b` those of the columns. */
INLINE u32x16 sum_dots(const struct matrix *x, u32x16 sum, const uint32_t *a, const uint32_t *b, enum dot_kind kind, enum dot_kind result) {
    const uint32_t a_sign = negated_pairs(x, 0), b_sign = negated_pairs(x, 1);
    const bool fours = x->layout == WL_MATRIX_WMMA12;
    for (unsigned first = 0; first < x->a_elements / 2; first += fours ? 2 : 1)
        for (unsigned g = 0; g < x->groups; g++) {
            u32x16 factors[4], columns[4];
#pragma unroll
            for (unsigned i = 0; i < (fours ? 2 : 1); i++) {
                const unsigned at = (first + i) * x->wave_size + g * x->stride;
                const u32x16 row = (u32x16)(a[at] ^ a_sign), column = load(b + at) ^ b_sign;
                factors[2 * i] = row & 0xffff;
                factors[2 * i + 1] = row >> 16;
                columns[2 * i] = column & 0xffff;
                columns[2 * i + 1] = column >> 16;
            }
            sum = dot_widen(sum, result);
            sum = fours ? dot_sum_gfx12(sum, factors, columns, 4, kind, kind, result) : dot_sum_gfx11(sum, factors, columns, kind, result);
        }
    return sum;
}

/* A row of C, in the format of D. */
INLINE u32x16 start_of(const struct matrix *x, const uint32_t *c, uint32_t constant, bool high) {
    const bool whole = x->d == WL_MATRIX_F32, negate = x->modifiers >> (WL_MATRIX_NEG_LO + 2) & 1,
               absolute = x->modifiers >> (WL_MATRIX_NEG_HI + 2) & 1;
    const uint32_t sign = whole ? 0x80000000 : 0x8000;
    u32x16 bits = c ? load(c) : (u32x16)constant;
    if (!whole)
        bits = c && high ? bits >> 16 : bits & 0xffff;
    return (absolute ? bits & ~sign : bits) ^ (negate ? sign : 0);
}

/* One instruction: nothing is written before all is read. */
static void multiply_dots(const struct matrix *x, const struct operands *o, const struct wl_matrix_product *product) {
    enum { ROWS = 16 };
    const uint16_t *places = places_of(x);
    const bool alternating = is_packed(x), in_high = (x->modifiers & WL_MATRIX_HIGH) != 0;
    u32x16 sum[ROWS];
    for (unsigned m = 0; m < ROWS; m++) {
        const u32x16 start = start_of(x, o->c ? o->c + places[m] : NULL, o->constant, alternating ? m & 1 : in_high);
        if (x->d == WL_MATRIX_F32 && x->a == WL_MATRIX_F16)
            sum[m] = sum_dots(x, start, product->a + m, product->b, DOT_F16, DOT_F32);
        else if (x->d == WL_MATRIX_F32)
            sum[m] = sum_dots(x, start, product->a + m, product->b, DOT_BF16, DOT_F32);
        else if (x->a == WL_MATRIX_F16)
            sum[m] = sum_dots(x, start, product->a + m, product->b, DOT_F16, DOT_F16);
        else
            sum[m] = sum_dots(x, start, product->a + m, product->b, DOT_BF16, DOT_BF16);
    }
    for (unsigned m = 0; m < ROWS; m++) {
        const u32x16 old = load(o->d + places[m]);
        if (x->d == WL_MATRIX_F32)
            store(o->d + places[m], sum[m]);
        else if (alternating ? m & 1 : in_high)
            store(o->d + places[m], (old & 0xffff) | sum[m] << 16);
        else
            store(o->d + places[m], (old & 0xffff0000) | sum[m]);
    }
}

static void run_dots(const struct matrix *x, struct operands *o, const struct chain *chain) {
    for (unsigned p = 0; p < chain->products; p++, o->c = o->d)
        multiply_dots(x, o, chain->product[p]);
}

#endif
