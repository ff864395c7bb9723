/* Rows of isa.c: matrix instructions and their shapes (machine/matrix.h), by canonical name. */
#ifndef WL_TRANSLATE_ISA_MATRIX_ROWS_H
#define WL_TRANSLATE_ISA_MATRIX_ROWS_H

#include "machine/matrix.h"

/* NAME, kinds of D, A and B, M, K, blocks, layout, sparse */
#define MATRIX(NAME, D, A, B, M, K, BLOCKS, LAYOUT, SPARSE)                                                                                \
    {.name = #NAME,                                                                                                                        \
     .class = WL_ISA_MATRIX,                                                                                                               \
     .matrix = WL_MATRIX_SHAPE(WL_MATRIX_##A, WL_MATRIX_##B, WL_MATRIX_##D, M, K, BLOCKS, WL_MATRIX_##LAYOUT, SPARSE)}
#define MFMA(NAME, D, A, M, K, BLOCKS) MATRIX(v_mfma_##NAME, D, A, A, M, K, BLOCKS, MFMA, 0)
#define SMFMAC(NAME, D, A, B, M, K)    MATRIX(v_smfmac_##NAME, D, A, B, M, K, 1, MFMA, 1)
/* gfx11's and gfx12's layouts share names: lift/inst/matrix.c takes the generation's. */
#define WMMA(NAME, D, A, B, K)   MATRIX(v_wmma_##NAME, D, A, B, 16, K, 1, WMMA12, 0)
#define SWMMAC(NAME, D, A, B, K) MATRIX(v_swmmac_##NAME, D, A, B, 16, K, 1, WMMA12, 1)
#define FOUR_OF_8_BITS(FORM, NAME, ...)                                                                                                    \
    FORM(NAME##_fp8_fp8, F32, FP8, FP8, __VA_ARGS__), FORM(NAME##_fp8_bf8, F32, FP8, BF8, __VA_ARGS__),                                    \
        FORM(NAME##_bf8_fp8, F32, BF8, FP8, __VA_ARGS__), FORM(NAME##_bf8_bf8, F32, BF8, BF8, __VA_ARGS__)
#define MFMA_MIXED(NAME, D, A, B, M, K) MATRIX(v_mfma_##NAME, D, A, B, M, K, 1, MFMA, 0)

#define MATRIX_ROWS                                                                                                                        \
    MFMA(f32_32x32x1_2b_f32, F32, F32, 32, 1, 2), MFMA(f32_16x16x1_4b_f32, F32, F32, 16, 1, 4),                                            \
        MFMA(f32_4x4x1_16b_f32, F32, F32, 4, 1, 16), MFMA(f32_32x32x2_f32, F32, F32, 32, 2, 1), MFMA(f32_16x16x4_f32, F32, F32, 16, 4, 1), \
        MFMA(f32_32x32x4_2b_f16, F32, F16, 32, 4, 2), MFMA(f32_16x16x4_4b_f16, F32, F16, 16, 4, 4),                                        \
        MFMA(f32_4x4x4_16b_f16, F32, F16, 4, 4, 16), MFMA(f32_32x32x8_f16, F32, F16, 32, 8, 1),                                            \
        MFMA(f32_16x16x16_f16, F32, F16, 16, 16, 1), MFMA(f32_32x32x4_2b_bf16, F32, BF16, 32, 4, 2),                                       \
        MFMA(f32_16x16x4_4b_bf16, F32, BF16, 16, 4, 4), MFMA(f32_4x4x4_16b_bf16, F32, BF16, 4, 4, 16),                                     \
        MFMA(f32_32x32x8_bf16, F32, BF16, 32, 8, 1), MFMA(f32_16x16x16_bf16, F32, BF16, 16, 16, 1),                                        \
        MFMA(f32_32x32x2bf16, F32, BF16, 32, 2, 2), MFMA(f32_16x16x2bf16, F32, BF16, 16, 2, 4), MFMA(f32_4x4x2bf16, F32, BF16, 4, 2, 16),  \
        MFMA(f32_32x32x4bf16, F32, BF16, 32, 4, 1), MFMA(f32_16x16x8bf16, F32, BF16, 16, 8, 1),                                            \
        MFMA(i32_32x32x4_2b_i8, I32, I8, 32, 4, 2), MFMA(i32_16x16x4_4b_i8, I32, I8, 16, 4, 4), MFMA(i32_4x4x4_16b_i8, I32, I8, 4, 4, 16), \
        MFMA(i32_32x32x8i8, I32, I8, 32, 8, 1), MFMA(i32_16x16x16i8, I32, I8, 16, 16, 1), MFMA(i32_32x32x16_i8, I32, I8, 32, 16, 1),       \
        MFMA(i32_16x16x32_i8, I32, I8, 16, 32, 1), MFMA(f32_32x32x4_xf32, F32, XF32, 32, 4, 1),                                            \
        MFMA(f32_16x16x8_xf32, F32, XF32, 16, 8, 1), MFMA(f64_16x16x4_f64, F64, F64, 16, 4, 1), MFMA(f64_4x4x4_4b_f64, F64, F64, 4, 4, 4), \
        FOUR_OF_8_BITS(MFMA_MIXED, f32_32x32x16, 32, 16), FOUR_OF_8_BITS(MFMA_MIXED, f32_16x16x32, 16, 32),                                \
        SMFMAC(f32_16x16x32_f16, F32, F16, F16, 16, 32), SMFMAC(f32_32x32x16_f16, F32, F16, F16, 32, 16),                                  \
        SMFMAC(f32_16x16x32_bf16, F32, BF16, BF16, 16, 32), SMFMAC(f32_32x32x16_bf16, F32, BF16, BF16, 32, 16),                            \
        SMFMAC(i32_16x16x64_i8, I32, I8, I8, 16, 64), SMFMAC(i32_32x32x32_i8, I32, I8, I8, 32, 32),                                        \
        FOUR_OF_8_BITS(SMFMAC, f32_16x16x64, 16, 64), FOUR_OF_8_BITS(SMFMAC, f32_32x32x32, 32, 32),                                        \
        WMMA(f32_16x16x16_f16, F32, F16, F16, 16), WMMA(f32_16x16x16_bf16, F32, BF16, BF16, 16),                                           \
        WMMA(f16_16x16x16_f16, F16, F16, F16, 16), WMMA(bf16_16x16x16_bf16, BF16, BF16, BF16, 16),                                         \
        WMMA(i32_16x16x16_iu8, I32, I8, I8, 16), WMMA(i32_16x16x16_iu4, I32, I4, I4, 16), WMMA(i32_16x16x32_iu4, I32, I4, I4, 32),         \
        FOUR_OF_8_BITS(WMMA, f32_16x16x16, 16), SWMMAC(f32_16x16x32_f16, F32, F16, F16, 32),                                               \
        SWMMAC(f32_16x16x32_bf16, F32, BF16, BF16, 32), SWMMAC(f16_16x16x32_f16, F16, F16, F16, 32),                                       \
        SWMMAC(bf16_16x16x32_bf16, BF16, BF16, BF16, 32), SWMMAC(i32_16x16x32_iu8, I32, I8, I8, 32),                                       \
        SWMMAC(i32_16x16x32_iu4, I32, I4, I4, 32), SWMMAC(i32_16x16x64_iu4, I32, I4, I4, 64), FOUR_OF_8_BITS(SWMMAC, f32_16x16x32, 32)

#endif
