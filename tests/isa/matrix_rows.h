/* The matrix instructions: processors, shapes, and the kinds of their elements. */
#ifndef WL_TESTS_ISA_MATRIX_ROWS_H
#define WL_TESTS_ISA_MATRIX_ROWS_H

enum kind { F32, XF32, F16, BF16, FP8, BF8, F64, I8, I4, I32 };
enum family { MFMA, SMFMAC, WMMA, SWMMAC };

struct row {
    const char *processors, *name;
    enum family family;
    enum kind d, a, b;
    unsigned m, k, blocks;
};

#define CDNA  "gfx908,gfx90a"
#define CDNA3 "gfx940,gfx941,gfx942"
#define CDNA4 CDNA3 ",gfx950"
#define RDNA3 "gfx1100,gfx11-generic,gfx1101,gfx1102,gfx1103,gfx1150,gfx1151,gfx1152"
#define RDNA4 "gfx1200,gfx1201"
#define BOTH_NAMES(OLD, NEW, D, A, M, K, B)                                                                                                \
    {CDNA, "v_mfma_" OLD, MFMA, D, A, A, M, K, B}, { CDNA4, "v_mfma_" NEW, MFMA, D, A, A, M, K, B }
#define MIXED(WHERE, NAME, FAMILY, M, K)                                                                                                   \
    {WHERE, NAME "_fp8_fp8", FAMILY, F32, FP8, FP8, M, K, 1}, {WHERE, NAME "_fp8_bf8", FAMILY, F32, FP8, BF8, M, K, 1},                    \
        {WHERE, NAME "_bf8_fp8", FAMILY, F32, BF8, FP8, M, K, 1}, {WHERE, NAME "_bf8_bf8", FAMILY, F32, BF8, BF8, M, K, 1}

static const struct row rows[] = {
    BOTH_NAMES("f32_32x32x1f32", "f32_32x32x1_2b_f32", F32, F32, 32, 1, 2),
    BOTH_NAMES("f32_16x16x1f32", "f32_16x16x1_4b_f32", F32, F32, 16, 1, 4),
    BOTH_NAMES("f32_4x4x1f32", "f32_4x4x1_16b_f32", F32, F32, 4, 1, 16),
    BOTH_NAMES("f32_32x32x2f32", "f32_32x32x2_f32", F32, F32, 32, 2, 1),
    BOTH_NAMES("f32_16x16x4f32", "f32_16x16x4_f32", F32, F32, 16, 4, 1),
    BOTH_NAMES("f32_32x32x4f16", "f32_32x32x4_2b_f16", F32, F16, 32, 4, 2),
    BOTH_NAMES("f32_16x16x4f16", "f32_16x16x4_4b_f16", F32, F16, 16, 4, 4),
    BOTH_NAMES("f32_4x4x4f16", "f32_4x4x4_16b_f16", F32, F16, 4, 4, 16),
    BOTH_NAMES("f32_32x32x8f16", "f32_32x32x8_f16", F32, F16, 32, 8, 1),
    BOTH_NAMES("f32_16x16x16f16", "f32_16x16x16_f16", F32, F16, 16, 16, 1),
    BOTH_NAMES("i32_32x32x4i8", "i32_32x32x4_2b_i8", I32, I8, 32, 4, 2),
    BOTH_NAMES("i32_16x16x4i8", "i32_16x16x4_4b_i8", I32, I8, 16, 4, 4),
    BOTH_NAMES("i32_4x4x4i8", "i32_4x4x4_16b_i8", I32, I8, 4, 4, 16),
    {CDNA, "v_mfma_i32_32x32x8i8", MFMA, I32, I8, I8, 32, 8, 1},
    {CDNA, "v_mfma_i32_16x16x16i8", MFMA, I32, I8, I8, 16, 16, 1},
    {CDNA4, "v_mfma_i32_32x32x16_i8", MFMA, I32, I8, I8, 32, 16, 1},
    {CDNA4, "v_mfma_i32_16x16x32_i8", MFMA, I32, I8, I8, 16, 32, 1},
    {CDNA, "v_mfma_f32_32x32x2bf16", MFMA, F32, BF16, BF16, 32, 2, 2},
    {CDNA, "v_mfma_f32_16x16x2bf16", MFMA, F32, BF16, BF16, 16, 2, 4},
    {CDNA, "v_mfma_f32_4x4x2bf16", MFMA, F32, BF16, BF16, 4, 2, 16},
    {CDNA, "v_mfma_f32_32x32x4bf16", MFMA, F32, BF16, BF16, 32, 4, 1},
    {CDNA, "v_mfma_f32_16x16x8bf16", MFMA, F32, BF16, BF16, 16, 8, 1},
    {"gfx90a", "v_mfma_f32_32x32x4bf16_1k", MFMA, F32, BF16, BF16, 32, 4, 2},
    {"gfx90a", "v_mfma_f32_16x16x4bf16_1k", MFMA, F32, BF16, BF16, 16, 4, 4},
    {"gfx90a", "v_mfma_f32_4x4x4bf16_1k", MFMA, F32, BF16, BF16, 4, 4, 16},
    {"gfx90a", "v_mfma_f32_32x32x8bf16_1k", MFMA, F32, BF16, BF16, 32, 8, 1},
    {"gfx90a", "v_mfma_f32_16x16x16bf16_1k", MFMA, F32, BF16, BF16, 16, 16, 1},
    {CDNA4, "v_mfma_f32_32x32x4_2b_bf16", MFMA, F32, BF16, BF16, 32, 4, 2},
    {CDNA4, "v_mfma_f32_16x16x4_4b_bf16", MFMA, F32, BF16, BF16, 16, 4, 4},
    {CDNA4, "v_mfma_f32_4x4x4_16b_bf16", MFMA, F32, BF16, BF16, 4, 4, 16},
    {CDNA4, "v_mfma_f32_32x32x8_bf16", MFMA, F32, BF16, BF16, 32, 8, 1},
    {CDNA4, "v_mfma_f32_16x16x16_bf16", MFMA, F32, BF16, BF16, 16, 16, 1},
    {"gfx90a", "v_mfma_f64_16x16x4f64", MFMA, F64, F64, F64, 16, 4, 1},
    {"gfx90a", "v_mfma_f64_4x4x4f64", MFMA, F64, F64, F64, 4, 4, 4},
    {CDNA4, "v_mfma_f64_16x16x4_f64", MFMA, F64, F64, F64, 16, 4, 1},
    {CDNA4, "v_mfma_f64_4x4x4_4b_f64", MFMA, F64, F64, F64, 4, 4, 4},
    {CDNA3, "v_mfma_f32_32x32x4_xf32", MFMA, F32, XF32, XF32, 32, 4, 1},
    {CDNA3, "v_mfma_f32_16x16x8_xf32", MFMA, F32, XF32, XF32, 16, 8, 1},
    MIXED(CDNA4, "v_mfma_f32_32x32x16", MFMA, 32, 16),
    MIXED(CDNA4, "v_mfma_f32_16x16x32", MFMA, 16, 32),
    {CDNA4, "v_smfmac_f32_16x16x32_f16", SMFMAC, F32, F16, F16, 16, 32, 1},
    {CDNA4, "v_smfmac_f32_32x32x16_f16", SMFMAC, F32, F16, F16, 32, 16, 1},
    {CDNA4, "v_smfmac_f32_16x16x32_bf16", SMFMAC, F32, BF16, BF16, 16, 32, 1},
    {CDNA4, "v_smfmac_f32_32x32x16_bf16", SMFMAC, F32, BF16, BF16, 32, 16, 1},
    {CDNA4, "v_smfmac_i32_16x16x64_i8", SMFMAC, I32, I8, I8, 16, 64, 1},
    {CDNA4, "v_smfmac_i32_32x32x32_i8", SMFMAC, I32, I8, I8, 32, 32, 1},
    MIXED(CDNA4, "v_smfmac_f32_16x16x64", SMFMAC, 16, 64),
    MIXED(CDNA4, "v_smfmac_f32_32x32x32", SMFMAC, 32, 32),
    {"gfx950", "v_mfma_f32_16x16x32_f16", MFMA, F32, F16, F16, 16, 32, 1},
    {"gfx950", "v_mfma_f32_32x32x16_f16", MFMA, F32, F16, F16, 32, 16, 1},
    {"gfx950", "v_mfma_f32_16x16x32_bf16", MFMA, F32, BF16, BF16, 16, 32, 1},
    {"gfx950", "v_mfma_f32_32x32x16_bf16", MFMA, F32, BF16, BF16, 32, 16, 1},
    {"gfx950", "v_mfma_i32_16x16x64_i8", MFMA, I32, I8, I8, 16, 64, 1},
    {"gfx950", "v_mfma_i32_32x32x32_i8", MFMA, I32, I8, I8, 32, 32, 1},
    {"gfx950", "v_smfmac_f32_16x16x64_f16", SMFMAC, F32, F16, F16, 16, 64, 1},
    {"gfx950", "v_smfmac_f32_32x32x32_f16", SMFMAC, F32, F16, F16, 32, 32, 1},
    {"gfx950", "v_smfmac_f32_16x16x64_bf16", SMFMAC, F32, BF16, BF16, 16, 64, 1},
    {"gfx950", "v_smfmac_f32_32x32x32_bf16", SMFMAC, F32, BF16, BF16, 32, 32, 1},
    {"gfx950", "v_smfmac_i32_16x16x128_i8", SMFMAC, I32, I8, I8, 16, 128, 1},
    {"gfx950", "v_smfmac_i32_32x32x64_i8", SMFMAC, I32, I8, I8, 32, 64, 1},
    {"gfx950", "v_smfmac_f32_16x16x128_bf8_bf8", SMFMAC, F32, BF8, BF8, 16, 128, 1},
    {"gfx950", "v_smfmac_f32_16x16x128_bf8_fp8", SMFMAC, F32, BF8, FP8, 16, 128, 1},
    {"gfx950", "v_smfmac_f32_16x16x128_fp8_bf8", SMFMAC, F32, FP8, BF8, 16, 128, 1},
    {"gfx950", "v_smfmac_f32_16x16x128_fp8_fp8", SMFMAC, F32, FP8, FP8, 16, 128, 1},
    {"gfx950", "v_smfmac_f32_32x32x64_bf8_bf8", SMFMAC, F32, BF8, BF8, 32, 64, 1},
    {"gfx950", "v_smfmac_f32_32x32x64_bf8_fp8", SMFMAC, F32, BF8, FP8, 32, 64, 1},
    {"gfx950", "v_smfmac_f32_32x32x64_fp8_bf8", SMFMAC, F32, FP8, BF8, 32, 64, 1},
    {"gfx950", "v_smfmac_f32_32x32x64_fp8_fp8", SMFMAC, F32, FP8, FP8, 32, 64, 1},
    {RDNA3 "," RDNA4, "v_wmma_f32_16x16x16_f16", WMMA, F32, F16, F16, 16, 16, 1},
    {RDNA3 "," RDNA4, "v_wmma_f32_16x16x16_bf16", WMMA, F32, BF16, BF16, 16, 16, 1},
    {RDNA3 "," RDNA4, "v_wmma_f16_16x16x16_f16", WMMA, F16, F16, F16, 16, 16, 1},
    {RDNA3 "," RDNA4, "v_wmma_bf16_16x16x16_bf16", WMMA, BF16, BF16, BF16, 16, 16, 1},
    {RDNA3 "," RDNA4, "v_wmma_i32_16x16x16_iu8", WMMA, I32, I8, I8, 16, 16, 1},
    {RDNA3 "," RDNA4, "v_wmma_i32_16x16x16_iu4", WMMA, I32, I4, I4, 16, 16, 1},
    {RDNA4, "v_wmma_i32_16x16x32_iu4", WMMA, I32, I4, I4, 16, 32, 1},
    MIXED(RDNA4, "v_wmma_f32_16x16x16", WMMA, 16, 16),
    {RDNA4, "v_swmmac_f32_16x16x32_f16", SWMMAC, F32, F16, F16, 16, 32, 1},
    {RDNA4, "v_swmmac_f32_16x16x32_bf16", SWMMAC, F32, BF16, BF16, 16, 32, 1},
    {RDNA4, "v_swmmac_f16_16x16x32_f16", SWMMAC, F16, F16, F16, 16, 32, 1},
    {RDNA4, "v_swmmac_bf16_16x16x32_bf16", SWMMAC, BF16, BF16, BF16, 16, 32, 1},
    {RDNA4, "v_swmmac_i32_16x16x32_iu8", SWMMAC, I32, I8, I8, 16, 32, 1},
    {RDNA4, "v_swmmac_i32_16x16x32_iu4", SWMMAC, I32, I4, I4, 16, 32, 1},
    {RDNA4, "v_swmmac_i32_16x16x64_iu4", SWMMAC, I32, I4, I4, 16, 64, 1},
    MIXED(RDNA4, "v_swmmac_f32_16x16x32", SWMMAC, 16, 32),
};

/* Opcodes of VOP3P that the assembler has no names for: gfx950. */
static const struct row_opcode {
    const char *name;
    unsigned opcode;
} row_opcodes[] = {
    {"v_mfma_f32_16x16x32_f16", 0x54},        {"v_mfma_f32_32x32x16_f16", 0x55},        {"v_mfma_f32_16x16x32_bf16", 0x35},
    {"v_mfma_f32_32x32x16_bf16", 0x37},       {"v_mfma_i32_16x16x64_i8", 0x36},         {"v_mfma_i32_32x32x32_i8", 0x38},
    {"v_smfmac_f32_16x16x64_f16", 0x5a},      {"v_smfmac_f32_32x32x32_f16", 0x5b},      {"v_smfmac_f32_16x16x64_bf16", 0x39},
    {"v_smfmac_f32_32x32x32_bf16", 0x46},     {"v_smfmac_i32_16x16x128_i8", 0x3a},      {"v_smfmac_i32_32x32x64_i8", 0x47},
    {"v_smfmac_f32_16x16x128_bf8_bf8", 0x3b}, {"v_smfmac_f32_16x16x128_bf8_fp8", 0x3c}, {"v_smfmac_f32_16x16x128_fp8_bf8", 0x3d},
    {"v_smfmac_f32_16x16x128_fp8_fp8", 0x43}, {"v_smfmac_f32_32x32x64_bf8_bf8", 0x4b},  {"v_smfmac_f32_32x32x64_bf8_fp8", 0x4e},
    {"v_smfmac_f32_32x32x64_fp8_bf8", 0x4f},  {"v_smfmac_f32_32x32x64_fp8_fp8", 0x53},
};

#endif
