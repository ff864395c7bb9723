/* Matrix instructions: MFMA, SMFMAC (gfx9), WMMA, SWMMAC (gfx11, gfx12).
 *
 * They work on the whole wave and ignore EXEC, so translated code calls wl_helpers.matrix with pointers to register rows and
 * a description of the operation in two words, which is all that the kernels (matrix_kernels.c) know.
 *
 * D = A * B + C for each block: A has M rows and K columns, B K rows and N columns, M = N. Where the elements live:
 *
 *   lanes are cut into groups of M * blocks lanes; the lanes of group g hold the g-th part of K, consecutive elements a lane.
 *   Lane b * M + i of a group holds row i of A and column i of B, of block b.
 *     gfx9: all 64 lanes are used. gfx11: one group, repeated in the wave's other lanes. gfx12: the wave's 16-lane groups; 4-bit
 *     elements fill a register first (K = 16: lanes 0 to 31 of a wave64).
 *   rows of C and D are M consecutive lanes of a register: output_place in matrix_kernels.c.
 *
 * Rounding: sums are formed in the order of the lane groups and of the elements in a lane, by fused multiply-adds in f32
 * (f64), rounded to nearest even whatever MODE says; 16-bit results are rounded once at the end. Integer sums are exact, then
 * added to C, wrapping or (clamp) saturating. Denormals are kept, but for f16 and bf16 on gfx90a (WL_MATRIX_FLUSH).
 * Numbers of 8 bits are FNUZ on gfx94x, OCP on gfx950 and gfx12. */
#ifndef WL_MACHINE_MATRIX_H
#define WL_MACHINE_MATRIX_H

#include <stdint.h>

enum wl_matrix_kind {
    WL_MATRIX_F32,
    WL_MATRIX_XF32, /* f32 of which 10 fraction bits take part, rounded to nearest even */
    WL_MATRIX_F16,
    WL_MATRIX_BF16,
    WL_MATRIX_FP8,
    WL_MATRIX_BF8,
    WL_MATRIX_F64,
    WL_MATRIX_I8, /* WMMA: signed or not as the modifiers say */
    WL_MATRIX_I4,
    WL_MATRIX_I32, /* C and D */
};

enum wl_matrix_layout { WL_MATRIX_MFMA, WL_MATRIX_WMMA11, WL_MATRIX_WMMA12 };

/* The shape: kinds of A, B, and C and D; M (4, 16, 32); K; blocks (1 to 16); layout; whether A is sparse: half of K elements, of
 * each four of B the two that the index register names. */
#define WL_MATRIX_SHAPE(a, b, d, m, k, blocks, layout, sparse)                                                                             \
    ((uint32_t)(a) | (uint32_t)(b) << 4 | (uint32_t)(d) << 8 | (uint32_t)(m) << 12 | (uint32_t)(k) << 18 |                                 \
     (uint32_t)((blocks) - 1) << 25 | (uint32_t)(layout) << 29 | (uint32_t)(sparse) << 31)
#define WL_MATRIX_A(shape)      ((shape) & 15)
#define WL_MATRIX_B(shape)      ((shape) >> 4 & 15)
#define WL_MATRIX_D(shape)      ((shape) >> 8 & 15)
#define WL_MATRIX_M(shape)      ((shape) >> 12 & 63)
#define WL_MATRIX_K(shape)      ((shape) >> 18 & 127)
#define WL_MATRIX_BLOCKS(shape) (((shape) >> 25 & 15) + 1)
#define WL_MATRIX_LAYOUT(shape) ((shape) >> 29 & 3)
#define WL_MATRIX_SPARSE(shape) ((shape) >> 31)

/* Modifiers. */
enum {
    WL_MATRIX_CBSZ = 0,    /* 3 bits: 2^cbsz neighbouring blocks use one A (dense gfx9) ... */
    WL_MATRIX_ABID = 3,    /* 4 bits: ... that of this block among them */
    WL_MATRIX_BLGP = 7,    /* 3 bits: pattern in which B's lanes are moved; f64: negates A, B, C */
    WL_MATRIX_NEG_LO = 10, /* 3 bits: WMMA: negates even elements of A, B; C. Integers: A, B are signed */
    WL_MATRIX_NEG_HI = 13, /* 3 bits: WMMA: negates odd elements of A, B; absolute value of C */
    WL_MATRIX_KEY = 16,    /* 2 bits: which set of indices of the index register (sparse) */
    WL_MATRIX_CLAMP = 1 << 18,
    WL_MATRIX_HIGH = 1 << 19,  /* gfx11, 16-bit results: C and D are the registers' high halves */
    WL_MATRIX_FLUSH = 1 << 20, /* denormal inputs and results count as zero */
    WL_MATRIX_OCP = 1 << 21,   /* gfx9: numbers of 8 bits have OCP's formats (gfx950) */
};

/* One instruction: pointers to the first rows of D, A, B and C (helpers.h says what a row is). `c` NULL: every element of C is `constant`,
 * in the format of D. Sparse: `c` is the index row, and D is C as well. Rows of one instruction may overlap. */
struct wl_matrix_product {
    uint32_t *d;
    const uint32_t *a, *b, *c;
    uint64_t constant;
};

enum {
    WL_MATRIX_CHAIN = 4,  /* products that are added up in registers */
    WL_MATRIX_GROUP = 16, /* instructions at once, at most */
};

/* Whether instructions of a shape may be done at once: where D is not rounded or saturated between two that add to it. */
static inline int wl_matrix_may_group(uint32_t shape, uint32_t modifiers) {
    const uint32_t wmma_c = 4u << WL_MATRIX_NEG_LO | 4u << WL_MATRIX_NEG_HI, mfma = WL_MATRIX_LAYOUT(shape) == WL_MATRIX_MFMA;
    return (WL_MATRIX_D(shape) == WL_MATRIX_F32 || WL_MATRIX_D(shape) == WL_MATRIX_I32) && !WL_MATRIX_SPARSE(shape) &&
           WL_MATRIX_M(shape) != 4 && !(modifiers & (WL_MATRIX_FLUSH | WL_MATRIX_CLAMP)) && (mfma || !(modifiers & wmma_c));
}

/* Does `count` instructions of one shape on a wave of `wave_size` lanes, with the result that they have one after the other; more than one
 * only where they may be grouped. Then none reads as A or B what another one writes, their D are the same or apart, and the C of each is
 * its D, a constant, or apart from all D. */
typedef void wl_matrix_fn(uint32_t wave_size, const struct wl_matrix_product *product, uint32_t count, uint32_t shape, uint32_t modifiers);

/* The same kernels, compiled for hosts of increasing ability. On other machines than x86-64 the first stands alone. */
wl_matrix_fn wl_matrix_base, wl_matrix_avx2, wl_matrix_avx512;
/* For hosts with AVX-512 VNNI, BF16 and VBMI. */
wl_matrix_fn wl_matrix_dot;

#endif
