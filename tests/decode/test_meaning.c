/* What gfx1250's instructions mean as struct wl_inst, where text does not tell it: which bits of s_set_vgpr_msb belong to a register, literals of
 * 64 bits, scales of matrices, the halves of long pairs. Words are those of LLVM 22's assembler. */
#include "base/status.h"
#include "translate/decode/words/decoder.h"
#include "translate/isa/inst.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static struct wl_word_decoder *decoder;
static struct wl_inst inst[2];
static unsigned failures;

static void expect(const char *what, uint64_t got, uint64_t wanted) {
    if (got != wanted && ++failures)
        fprintf(stderr, "%s: %s is 0x%" PRIx64 ", expected 0x%" PRIx64 "\n", inst[0].mnemonic, what, got, wanted);
}

/* Decodes `count` words, of which nothing may be left. */
static void decode(unsigned instructions, unsigned count, const uint32_t *words) {
    memset(inst, 0, sizeof inst);
    expect("number of instructions", wl_word_decode(decoder, (const uint8_t *)words, 4 * count, 0x1000, inst), instructions);
    expect("size", inst[0].size, 4 * count);
}
#define DECODE(INSTRUCTIONS, ...)                                                                                                          \
    decode(INSTRUCTIONS, sizeof((uint32_t[]){__VA_ARGS__}) / sizeof(uint32_t), (const uint32_t[]){__VA_ARGS__})

/* The banks of an instruction's operands, four bits each, the first one's lowest. */
static uint64_t banks(const struct wl_inst *of) {
    uint64_t all = 0;
    for (unsigned i = 0; i < of->operand_count; i++)
        all |= (uint64_t)of->operands[i].bank << 4 * i;
    return all;
}

static void check_banks(void) {
    DECODE(1, 0xd6130001, 0x04120702); /* v_fma_f32 v1, v2, v3, v4 */
    expect("banks", banks(inst), 0x3214);
    DECODE(1, 0x58020702, 0x40490fdb); /* v_fmamk_f32 v1, v2, 0x40490fdb, v3: its second register is src2's */
    expect("banks", banks(inst), 0x3014);
    DECODE(1, 0xd8380000, 0x00030201); /* ds_store_2addr_b32 v1, v2, v3 */
    expect("banks", banks(inst), 0x321);
    DECODE(1, 0xee06c07c, 0x02000000, 0x00000002); /* global_store_b64 v[2:3], v[4:5], off */
    expect("banks", banks(inst), 0x021);
    DECODE(1, 0xc4050003, 0x40801005, 0x00000006); /* buffer_load_b32 v5, v6, s[8:11], s3 offen */
    expect("banks", banks(inst), 0x0014);
    DECODE(1, 0xee18807c, 0x00000001, 0x00004002); /* global_load_async_to_lds_b128 v1, v[2:3], off offset:64 */
    expect("banks", banks(inst), 0x014);
    DECODE(1, 0xbf860041); /* s_set_vgpr_msb 0x41 */
    expect("immediate", inst[0].operands[0].bits, 0x41);
}

static void check_literals(void) {
    DECODE(1, 0x500408fe, 0x55667788, 0x11223344); /* v_add_nc_u64 v[2:3], 0x1122334455667788, v[4:5] */
    expect("literal", wl_operand_bits(&inst[0].operands[1], 64, false, false), 0x1122334455667788);
    DECODE(1, 0x040408fe, 0x12345678, 0); /* v_add_f64 v[2:3], lit64(0x12345678), v[4:5]: all bits, not the upper half */
    expect("literal", wl_operand_bits(&inst[0].operands[1], 64, true, false), 0x12345678);
    DECODE(1, 0xbe804bfe, 0x23456789, 1); /* s_add_pc_i64 0x123456789 */
    expect("literal", wl_operand_bits(&inst[0].operands[0], 64, false, true), 0x123456789);
}

static void check_matrices(void) {
    /* v_wmma_scale_f32_16x16x128_f8f6f4 v[0:7], v[8:23], v[24:35], v[40:47], v48, v49 matrix_b_fmt:MATRIX_FMT_FP6
     * matrix_a_scale:MATRIX_SCALE_ROW1 matrix_b_scale_fmt:MATRIX_SCALE_FMT_E4M3 */
    DECODE(1, 0xcc350a00, 0x04026330, 0xcc330000, 0x14a23108);
    expect("operands", inst[0].operand_count, 6);
    expect("registers of A", inst[0].operands[1].count, 16);
    expect("registers of B", inst[0].operands[2].count, 12);
    expect("kind of B", inst[0].blgp, 2);
    expect("A's scales", inst[0].operands[4].reg, 48);
    expect("rows of scales", inst[0].scale_rows, 1);
    expect("kind of B's scales", inst[0].scale_kind_b, 2);
    expect("banks", banks(inst), 0x3214);                      /* scales are in the first 256 registers */
    DECODE(1, 0xcc350000, 0x0202110a, 0xcc336000, 0x04021920); /* as Triton 3.9 writes it: 0 for the third source of the scales */
    expect("operands", inst[0].operand_count, 6);
    expect("B's scales", inst[0].operands[5].reg, 8);
    DECODE(1, 0xcc332000, 0x04a23108); /* v_wmma_f32_16x16x128_f8f6f4 ... matrix_a_fmt:MATRIX_FMT_FP4 */
    expect("registers of A", inst[0].operands[1].count, 8);
    expect("kind of A", inst[0].cbsz, 4);
    DECODE(1, 0xd6aa2808, 0x00020902); /* v_cvt_scale_pk8_f32_fp8 v[8:15], v[2:3], v4 scale_sel:5 */
    expect("scale", inst[0].scale_sel, 5);
}

static void check_pairs(void) {
    /* v_dual_fma_f32 v3, v4, -v5, v6 :: v_dual_bitop2_b32 v8, s8, v10 bitop3:0x6a */
    DECODE(2, 0xcf4d2104, 0x06050408, 0x086a0a03);
    expect("sign", inst[0].operands[2].neg, true);
    expect("addend", inst[0].operands[3].reg, 6);
    expect("banks", banks(inst), 0x3214);
    expect("second result", inst[1].operands[0].reg, 8);
    expect("table", inst[1].operands[3].bits, 0x6a);
    expect("banks of the second", banks(&inst[1]), 0x0204);
}

static void check_tensors(void) {
    DECODE(1, 0xd0710001, 0x7c000000, 0x7c7c0400); /* tensor_load_to_lds s[0:3], s[4:11] */
    expect("groups", inst[0].operand_count, 2);
    DECODE(1, 0xd0710001, 0x7c000000, 0x100c0400); /* tensor_load_to_lds s[0:3], s[4:11], s[12:15], s[16:19] */
    expect("groups", inst[0].operand_count, 4);
    expect("last group", inst[0].operands[3].reg, 16);
}

static void check_addresses(void) {
    DECODE(1, 0xec050004, 0x00000001, 0x00001002); /* flat_load_b32 v1, v2, s[4:5] offset:16 */
    expect("operands", inst[0].operand_count, 3);
    expect("base", inst[0].operands[2].reg, 4);
    expect("offset", (uint64_t)inst[0].offset0, 16);
    DECODE(1, 0xee050006, 0x00010001, 0x00000002); /* global_load_b32 v1, v2, s[6:7] scale_offset */
    expect("scale_offset", inst[0].scale_offset, true);
}

int main(void) {
    if (wl_word_decoder_create(&decoder, "gfx1250", 64) != WL_INVALID_VALUE && ++failures)
        fprintf(stderr, "gfx1250 has waves of 64\n");
    if (wl_word_decoder_create(&decoder, "gfx1250", 32) != WL_OK) {
        fprintf(stderr, "%s\n", wl_failure());
        return 1;
    }
    check_banks();
    check_literals();
    check_matrices();
    check_pairs();
    check_tensors();
    check_addresses();
    wl_word_decoder_destroy(decoder);
    printf("%u failures\n", failures);
    return failures != 0;
}
