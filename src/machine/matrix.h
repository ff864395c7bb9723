/* Matrix instructions: MFMA, SMFMAC (gfx9), WMMA, SWMMAC (gfx11, gfx12). Each is a row of matrix_rows.inc.
 *
 * They work on the whole wave and ignore EXEC, so translated code calls wl_helpers.matrix with pointers to register rows, the
 * number of the row, and modifiers, which is all that the kernels (matrix_kernels.c) know.
 *
 * D = A * B + C for each block: A has M rows and K columns, B K rows and N columns, M = N. Where the elements live:
 *
 *   lanes are cut into groups of M * blocks lanes; the lanes of group g hold the g-th part of K, consecutive elements a lane.
 *   Lane b * M + i of a group holds row i of A and column i of B, of block b.
 *     gfx9: all 64 lanes are used. gfx11: one group, repeated in the wave's other lanes. gfx12: the wave's 16-lane groups (on gfx1250 the
 *     two groups take turns in K, by runs of elements; it is the same for A and B, so that dense sums do not show it); 4-bit
 *     elements fill a register first (K = 16: lanes 0 to 31 of a wave64).
 *     gfx950's sparse products of twice as many elements (wl_matrix_crosses): A and the indices lie as ever, B otherwise. Each two elements of A,
 *     a pair, go with four of B, a quad. Number a lane's pairs and quads from 0 on. The quad of pair p in group g is in group 2 * g + t modulo
 *     the number of groups, where t is p's highest bit, and has p's number but for the highest bit, which is that of g. (So does AMD's emulator
 *     rocjitsu.)
 *   rows of C and D are M consecutive lanes of a register: places_of in matrix_kernels.c.
 *   With scales (gfx950) a lane's 32 elements lie side by side in K if they have 4 or 6 bits; if they have 8, there are two runs of 16,
 *   and the other run begins half of K further on. The g-th 32 elements of K share a scale, 2^(byte - 127), where 255 is NaN: row i of A
 *   and column i of B have theirs in lane g * M + i of a register. (4 and 8 bits: as AMD's articles on CDNA4 and Triton have it; for 6
 *   bits no source was found.)
 *   On gfx1250 a lane's 64 elements are runs of 16 (8 bits) or 32, and the two groups of lanes take turns in K. Row i of A and column i of B
 *   have the scales of all their blocks, of 32 or 16 elements, in the bytes of lane i, or i + 16, of a dword or two (WL_MATRIX_ROWS).
 *   Indices of gfx1250's sparse products (wl_matrix_has_long_index) fill the registers of lanes 0 to 15 with those of the first half of a
 *   row of A, then lanes 16 to 31. (All of it as AMD's emulator rocjitsu has it.)
 *
 * Rounding: sums are formed in the order of the lane groups and of the elements in a lane, by fused multiply-adds in f32
 * (f64), rounded to nearest even whatever MODE says; 16-bit results are rounded once at the end. Integer sums are exact, then
 * added to C, wrapping or (clamp) saturating. With scales the products that share them are summed from 0 on, and that sum, times both
 * scales, is added to the whole with one rounding. Denormals are kept, but for f16 and bf16 on gfx90a (WL_MATRIX_FLUSH).
 * Numbers of 8 bits are FNUZ on gfx94x, OCP on gfx950 and gfx12.
 *
 * With WAVELIFT_MATH=hardware dense MFMA of f16, bf16, xf32 and 8 bits is rounded as the processor does it (docs/NUMERICS.md has the rules):
 *   WL_MATRIX_PAIRED   a lane's two or four products are rounded to f32 and added in pairs, each sum rounded, and their sum is added to C. With
 *                      WL_MATRIX_FLUSH every input and result that is denormal counts as zero.
 *   WL_MATRIX_ALIGNED  the products of two groups of lanes (or the only one) are cut at 24 bits behind the largest exponent and added exactly, then
 *                      added to C with one rounding to nearest. xf32 is cut, not rounded, and 8-bit numbers have two such sums: of even and of
 *                      odd elements.
 * A NaN that they give is 0x7fc00000.
 *   WL_MATRIX_DOTS     dense WMMA of f16 and bf16: two products (gfx11) or four (gfx12: of one lane, lane group by lane group) at a time are added to C
 *                      as machine/dot_sums.h has it, and the sum is rounded to the format of D. */
#ifndef WL_MACHINE_MATRIX_H
#define WL_MACHINE_MATRIX_H

#include <stdbool.h>
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
    WL_MATRIX_I32,         /* C and D */
    WL_MATRIX_FP6,         /* E2M3 */
    WL_MATRIX_BF6,         /* E3M2 */
    WL_MATRIX_FP4,         /* E2M1 */
    WL_MATRIX_CHOSEN,      /* by the instruction: A's kind by cbsz, B's by blgp (wl_matrix_chosen) */
    WL_MATRIX_BF16_OF_F32, /* D, where C is of f32 */
};

enum wl_matrix_layout { WL_MATRIX_MFMA, WL_MATRIX_WMMA11, WL_MATRIX_WMMA12 };

struct wl_matrix {
    const char *name;    /* canonical */
    uint8_t d, a, b;     /* enum wl_matrix_kind: of C and D, of A, of B */
    uint8_t m;           /* rows of A, columns of B, both of D: 4, 16, 32 */
    uint8_t k, blocks;   /* blocks: 1 to 16 */
    uint8_t layout;      /* enum wl_matrix_layout */
    bool sparse;         /* A has half of K elements: of each four of B the two that the index register names */
    uint8_t scale_block; /* elements of K, beside each other, that share a scale, a power of two; 0: there are no scales */
};

enum wl_matrix_row {
#define MATRIX(NAME, ...)       WL_MATRIX_ROW_##NAME,
#define MATRIX_GFX11(NAME, ...) WL_MATRIX_GFX11_##NAME,
#include "machine/matrix_rows.inc"
    WL_MATRIX_COUNT
};

/* By enum wl_matrix_row. */
extern const struct wl_matrix wl_matrices[WL_MATRIX_COUNT];

/* Whether it is a sparse product of gfx950's whose B has eight registers: its quads lie in other groups of lanes than the pairs of A. */
static inline bool wl_matrix_crosses(const struct wl_matrix *row) {
    const bool halves = row->a == WL_MATRIX_F16 || row->a == WL_MATRIX_BF16;
    return row->sparse && row->layout == WL_MATRIX_MFMA && row->k * row->m * (halves ? 2 : 1) == 2048;
}

/* Where the quad of B lies that a pair of A goes with: its group of lanes and its number there. `groups`: of lanes; `quads`: of a lane's B. */
static inline unsigned wl_matrix_quad_group(unsigned group, unsigned pair, unsigned groups, unsigned quads) {
    return (2 * group + pair / (quads / 2)) % groups;
}
static inline unsigned wl_matrix_quad_number(unsigned group, unsigned pair, unsigned groups, unsigned quads) {
    return pair % (quads / 2) + group / (groups / 2) * (quads / 2);
}

/* Whether it is a sparse product of gfx1250's, whose indices are in an order of their own. */
static inline bool wl_matrix_has_long_index(const struct wl_matrix *row) {
    const bool halves = row->a == WL_MATRIX_F16 || row->a == WL_MATRIX_BF16;
    return row->sparse && row->layout == WL_MATRIX_WMMA12 && row->a != WL_MATRIX_I4 && row->k == (halves ? 64 : 128);
}

/* gfx11's row of the same name; NULL: there is none. */
const struct wl_matrix *wl_matrix_of_gfx11(const struct wl_matrix *row);
/* What translated code calls a row: a number that stays the same when other rows come or go. */
uint32_t wl_matrix_number(const struct wl_matrix *row);

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
    /* Dense instructions with WAVELIFT_MATH=hardware: */
    WL_MATRIX_PAIRED = 1 << 24,  /* sums of pairs (CDNA1, CDNA2) */
    WL_MATRIX_ALIGNED = 1 << 25, /* sums of aligned products (CDNA3) */
    WL_MATRIX_DOTS = 1 << 26,    /* WMMA: steps of two or four products (RDNA3, RDNA4) */
    /* Rows with scales: WL_MATRIX_CBSZ and WL_MATRIX_BLGP choose kinds, and in the place of ABID: */
    WL_MATRIX_SCALE_A = 3, /* 2 bits: which byte of its dword is A's scale ... */
    WL_MATRIX_SCALE_B = 5, /* 2 bits: ... and B's. gfx1250: their kinds: 0 powers of two, 1 E5M3, 2 E4M3 */
    WL_MATRIX_ROWS = 22,   /* 2 bits, gfx1250: A's, B's are in lanes 16 to 31 */
};

/* The kind that 3 bits of cbsz or blgp choose. */
static inline enum wl_matrix_kind wl_matrix_chosen(unsigned bits) {
    static const uint8_t kinds[8] = {WL_MATRIX_FP8, WL_MATRIX_BF8, WL_MATRIX_FP6, WL_MATRIX_BF6, WL_MATRIX_FP4};
    return (enum wl_matrix_kind)kinds[bits & 7];
}

/* One instruction: pointers to the first rows of D, A, B and C (helpers.h says what a row is). `c` NULL: every element of C is `constant`,
 * in the format of D. Sparse: `c` is the index row, and D is C as well. Rows of one instruction may overlap. */
struct wl_matrix_product {
    uint32_t *d;
    const uint32_t *a, *b, *c;
    uint64_t constant;
};

/* An instruction whose row has scales. `scale`: the rows of A's and B's; NULL: `scale_value` is in all lanes. */
struct wl_matrix_scaled {
    struct wl_matrix_product product;
    const uint32_t *scale[2];
    uint64_t scale_value[2];
};

enum {
    WL_MATRIX_CHAIN = 4,  /* products that are added up in registers */
    WL_MATRIX_GROUP = 16, /* instructions at once, at most */
};

/* Whether instructions of a row may be done at once: where D is not rounded or saturated between two that add to it. */
static inline bool wl_matrix_may_group(const struct wl_matrix *row, uint32_t modifiers) {
    const uint32_t wmma_c = 4u << WL_MATRIX_NEG_LO | 4u << WL_MATRIX_NEG_HI;
    return (row->d == WL_MATRIX_F32 || row->d == WL_MATRIX_I32) && !row->sparse && !row->scale_block && row->m != 4 &&
           !(modifiers & WL_MATRIX_CLAMP) && (!(modifiers & WL_MATRIX_FLUSH) || modifiers & WL_MATRIX_PAIRED) &&
           (row->layout == WL_MATRIX_MFMA || !(modifiers & wmma_c));
}

/* Does `count` instructions of one row (scales: one, a struct wl_matrix_scaled) on a wave of `wave_size` lanes, with the result that they have one after the other; more than one
 * only where they may be grouped. Then none reads as A or B what another one writes, their D are the same or apart, and the C of each is
 * its D, a constant, or apart from all D. */
typedef void wl_matrix_fn(uint32_t wave_size, const struct wl_matrix_product *product, uint32_t count, const struct wl_matrix *row,
                          uint32_t modifiers);

/* The same kernels, compiled for hosts of increasing ability. On other machines than x86-64 the first stands alone. */
wl_matrix_fn wl_matrix_base, wl_matrix_avx2, wl_matrix_avx512;
/* For hosts with AVX-512 VNNI, BF16 and VBMI. */
wl_matrix_fn wl_matrix_dot;

#endif
