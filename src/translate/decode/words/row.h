/* The table of AMD's instructions: one row an instruction and encoding. rows_*.inc are the rows, sorted by encoding and name, each
 *
 *     ROW(VOP2, 0x01, GFX9, ALONE | SDWA | DPP, "v_add_f32", "vdst:v1 src0:f32 src1:f32")
 *         |     |     |     |                   |            the operands, as they are printed (shape.h)
 *         |     |     |     forms of the encoding that the instruction has
 *         |     |     targets that have it under this opcode
 *         |     opcode
 *         encoding: enum wl_encoding
 *
 * A new instruction is a new row; a new processor that decodes like another needs none.
 *
 * Where the facts come from: opcodes and operands of gfx9 to gfx12 are those of AMD's ISA documents (Vega, Vega 7nm, MI100, MI200, MI300,
 * RDNA 1 to 4), taken from the descriptions of instructions that LLVM 19 has (llvm/lib/Target/AMDGPU/ *.td), and compared with what its
 * disassembler says to random words of every target (tests/decode). Those of gfx950, gfx1250 and gfx1251 are LLVM 22's, compared in the same
 * way. */
#ifndef WL_DECODE_ROW_H
#define WL_DECODE_ROW_H

#include "machine/processor.h"

#include <stddef.h>
#include <stdint.h>

enum wl_encoding {
    WL_ENC_SOP1,
    WL_ENC_SOP2,
    WL_ENC_SOPC,
    WL_ENC_SOPK,
    WL_ENC_SOPP,
    WL_ENC_SMEM,
    WL_ENC_VOP1,
    WL_ENC_VOP2,
    WL_ENC_VOPC,
    WL_ENC_VOP3,
    WL_ENC_VOP3P,
    WL_ENC_VOP3PX, /* matrix products with scales: two of VOP3P, of which the first has the scales. The opcode is the second's low 7 bits,
                      with 0x80 where gfx1250's scales are those of 16 elements */
    WL_ENC_VOPD_X, /* the halves of a pair */
    WL_ENC_VOPD_Y,
    WL_ENC_VOPD3_X, /* the halves of a pair in gfx1250's longer encoding */
    WL_ENC_VOPD3_Y,
    WL_ENC_VINTRP,
    WL_ENC_VINTERP,
    WL_ENC_LDSDIR,
    WL_ENC_DS,
    WL_ENC_FLAT,
    WL_ENC_GLOBAL,
    WL_ENC_SCRATCH,
    WL_ENC_MUBUF, /* gfx12: VBUFFER, without a format */
    WL_ENC_MTBUF, /* gfx12: VBUFFER, with one */
    WL_ENC_MIMG,  /* gfx12: VIMAGE */
    WL_ENC_VSAMPLE,
    WL_ENC_TENSOR, /* gfx1250: VIMAGE, whose opcodes are copies of tensors there */
    WL_ENC_EXP,
    WL_ENC_COUNT,
};

/* The instruction sets of processors (machine/processor.h says which has which), a bit each, and groups of them. */
enum {
    WL_T900 = 1 << WL_SET_GFX900,
    WL_T904 = 1 << WL_SET_GFX904,
    WL_T9G = 1 << WL_SET_GFX9_GENERIC,
    WL_T906 = 1 << WL_SET_GFX906,
    WL_T908 = 1 << WL_SET_GFX908,
    WL_T90A = 1 << WL_SET_GFX90A,
    WL_T94 = 1 << WL_SET_GFX94,
    WL_T1010 = 1 << WL_SET_GFX1010,
    WL_T1012 = 1 << WL_SET_GFX1012,
    WL_T1013 = 1 << WL_SET_GFX1013,
    WL_T1030 = 1 << WL_SET_GFX1030,
    WL_T1100 = 1 << WL_SET_GFX1100,
    WL_T1150 = 1 << WL_SET_GFX1150,
    WL_T1200 = 1 << WL_SET_GFX1200,
    WL_T950 = 1 << WL_SET_GFX950,
    WL_T1250 = 1 << WL_SET_GFX1250,
    WL_T1251 = 1 << WL_SET_GFX1251,
    WL_T12_5G = 1 << WL_SET_GFX12_5_GENERIC,
    WL_GFX9_VEGA = WL_T900 | WL_T904 | WL_T9G | WL_T906 | WL_T908,
    WL_GFX90 = WL_GFX9_VEGA | WL_T90A,
    WL_GFX9_4 = WL_T94 | WL_T950,
    WL_GFX9 = WL_GFX90 | WL_GFX9_4,
    WL_GFX9_DOT = WL_T906 | WL_T908 | WL_T90A | WL_GFX9_4,
    WL_GFX9_MFMA = WL_T908 | WL_T90A | WL_GFX9_4,
    WL_GFX9_ACC = WL_T90A | WL_GFX9_4, /* loads and stores of AGPRs */
    WL_GFX10_1 = WL_T1010 | WL_T1012 | WL_T1013,
    WL_GFX10 = WL_GFX10_1 | WL_T1030,
    WL_GFX11 = WL_T1100 | WL_T1150,
    WL_GFX1250 = WL_T1250 | WL_T1251 | WL_T12_5G,
    WL_GFX12 = WL_T1200 | WL_GFX1250,
    WL_GFX12_ONE = WL_GFX12 & ~WL_T12_5G, /* what gfx12-5-generic lacks: cube maps, normalized numbers, sums of differences, v_lerp_u8 */
};

/* Forms of an instruction in its encoding. */
enum {
    WL_ALONE = 1 << 0, /* the encoding itself */
    WL_SDWA = 1 << 1,
    WL_DPP = 1 << 2,
    WL_DPP8 = 1 << 3,
    WL_LDS = 1 << 4,     /* a load to LDS, by a bit of the encoding */
    WL_TFE = 1 << 5,     /* with a register for faults behind the data */
    WL_RETURNS = 1 << 6, /* flat atomics: vdst is there if the bit for it is set */
    WL_W32 = 1 << 7,     /* for waves of 32 alone */
    WL_W64 = 1 << 8,
    WL_DPALU = 1 << 9, /* DPP on processors that have it for instructions of 64 bits: gfx1251 */
};

struct wl_row {
    const char *name, *operands;
    uint32_t targets;
    uint16_t opcode, forms;
    uint8_t encoding;
};

extern const struct wl_row wl_rows[];
extern const size_t wl_row_count;

#endif
