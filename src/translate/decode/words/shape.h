/* A row's operands, parsed: the words of wl_row.operands in the order in which they are printed.
 *
 *     ROLE:TYPE[SUFFIX]    an operand. ROLE is the field that holds it (vdst, sdst, src0, src1, src2, vdata, data0, data1, sbase, ...)
 *     addr, vcc, lds       what the encoding or the instruction adds
 *     clamp, omod, op_sel, fi_bc, bitop3, op_sel_hi, neg_lo, neg_hi, byte_sel, cbsz, abid, blgp, index_key_*, matrix_*, scale_sel, offset, ...
 *                          modifiers that it has
 *
 * TYPE is
 *     i16 i32 i64 f16 f32 f64 bf16    a source of this type: a register, scalar or vector, an inline constant, a literal. Scalar
 *     pi16 pf16 pbf16 pi32 pf32       instructions take scalar registers alone, short encodings vector registers in all places but src0
 *     v1 v2 ...                       so many vector registers; v4f32: or an inline constant
 *     a1 a2 ..., g1 g2 ...            AGPRs; either, as a bit of the encoding says
 *     d4 d16, d4f32                   MFMA's accumulators: either, by the bit that destination and addend share
 *     h                               half of a vector register where the processor has such (gfx11 and later), in short encodings
 *     H, Hi16                         the same, written as v1.l and v1.h
 *     s1 s2 ...                       scalar registers; s1x: not EXEC, s1x0: neither EXEC nor M0
 *     c32 c64 cf16 cf32               a scalar register or a constant
 *     l1, li32                        v1 and a scalar i32, or LDS
 *     m                               a mask: VCC in short encodings, else a scalar register (pair)
 *     k16 k32 k64                     a literal
 *     hex imm label hwreg message waitcnt ...    the meanings of a scalar instruction's 16 bits
 * SUFFIX is + where a source that is not a float has neg and abs, - where a float has none, * where SDWA or neg stands for sext. */
#ifndef WL_DECODE_SHAPE_H
#define WL_DECODE_SHAPE_H

#include <stdbool.h>
#include <stdint.h>

enum wl_field {
    WL_AT_VDST,
    WL_AT_SDST,
    WL_AT_SRC0,
    WL_AT_SRC1,
    WL_AT_SRC2,
    WL_AT_IMM,
    WL_AT_SIMM16,
    WL_AT_ADDR,
    WL_AT_VDATA,
    WL_AT_DATA0,
    WL_AT_DATA1,
    WL_AT_SBASE,
    WL_AT_SDATA,
    WL_AT_VCC,
    WL_AT_M0,
    WL_AT_ATTR, /* of interpolation: printed as attr0.x */
    WL_AT_VSRC,
    WL_AT_SRC3,
    WL_AT_TARGET,
    WL_AT_IMAGE,
    WL_AT_SADDR,
    WL_AT_GROUP0, /* of a tensor's descriptor */
    WL_AT_GROUP1,
    WL_AT_GROUP2,
    WL_AT_GROUP3,
};

enum wl_word_file {
    WL_FILE_SOURCE, /* anything of `format` */
    WL_FILE_V,      /* vector registers; with a format: or an inline constant */
    WL_FILE_A,      /* AGPRs, likewise */
    WL_FILE_D,      /* either, by the accumulators' bit */
    WL_FILE_G,      /* either, by a bit of each operand */
    WL_FILE_HALF,   /* a half of a vector register */
    WL_FILE_NAMED,  /* likewise, named */
    WL_FILE_S,      /* scalar registers */
    WL_FILE_CONST,  /* a scalar register or a constant */
    WL_FILE_V_LDS,  /* a vector register or LDS */
    WL_FILE_S_LDS,  /* a scalar source or LDS */
    WL_FILE_MASK,
    WL_FILE_LITERAL,
    WL_FILE_OTHER, /* 16 bits of a scalar instruction: enum wl_meaning in `format` */
};

enum wl_format {
    WL_FORMAT_NONE,
    WL_FORMAT_I16,
    WL_FORMAT_I32,
    WL_FORMAT_I64,
    WL_FORMAT_F16,
    WL_FORMAT_F32,
    WL_FORMAT_F64,
    WL_FORMAT_BF16,
    WL_FORMAT_PI16,
    WL_FORMAT_PF16,
    WL_FORMAT_PBF16,
    WL_FORMAT_PI32,
    WL_FORMAT_PF32,
};

enum wl_meaning {
    WL_MEANS_HEX,
    WL_MEANS_IMM,
    WL_MEANS_LABEL,
    WL_MEANS_HWREG,
    WL_MEANS_MESSAGE,
    WL_MEANS_WAITCNT,
    WL_MEANS_DEPCTR,
    WL_MEANS_DELAY,
    WL_MEANS_END,
    WL_MEANS_VERSION,
    WL_MEANS_GPR_IDX,
    WL_MEANS_BARRIER,
};

struct wl_word_place {
    uint8_t role;      /* enum wl_field */
    uint8_t file;      /* enum wl_word_file */
    uint8_t registers; /* dwords */
    uint8_t format;    /* enum wl_format or wl_meaning */
    bool signs;        /* neg and abs */
    bool extends;      /* sext */
    bool no_exec, no_m0, no_exec_hi;
};

/* Modifiers: bits of wl_word_shape.modifiers. */
enum {
    WL_MOD_CLAMP = 1 << 0,
    WL_MOD_OMOD = 1 << 1,
    WL_MOD_OP_SEL = 1 << 2,
    WL_MOD_OP_SEL_HI = 1 << 3,
    WL_MOD_NEG_LO = 1 << 4,
    WL_MOD_NEG_HI = 1 << 5,
    WL_MOD_BYTE_SEL = 1 << 6,
    WL_MOD_HIGH = 1 << 7,
    WL_MOD_CBSZ = 1 << 8,
    WL_MOD_ABID = 1 << 9,
    WL_MOD_BLGP = 1 << 10,
    WL_MOD_KEY8 = 1 << 11,
    WL_MOD_KEY16 = 1 << 12,
    WL_MOD_WAIT_EXP = 1 << 13,
    WL_MOD_OFFSET = 1 << 14,
    WL_MOD_OFFSETS = 1 << 15,
    WL_MOD_GDS = 1 << 16, /* the gds bit must be set */
    WL_MOD_WAIT_VDST = 1 << 17,
    WL_MOD_WAIT_VSRC = 1 << 18,
    WL_MOD_OP_SEL4 = 1 << 21,      /* op_sel has four bits, whatever the sources */
    WL_MOD_OP_SEL2 = 1 << 22,      /* two */
    WL_MOD_NO_GLC = 1 << 23,       /* the bit for an old value must be 0 */
    WL_MOD_NO_GDS = 1 << 20,       /* it must be 0 */
    WL_MOD_NO_SCC = 1 << 19,       /* the bit for system coherence must be 0 */
    WL_MOD_FI_BC = 1 << 24,        /* fi and bound_ctrl, where op_sel stands */
    WL_MOD_BITOP3 = 1 << 25,       /* a table of 8 bits, in the places of abs, neg and omod */
    WL_MOD_MATRIX_FMT = 1 << 26,   /* gfx1250: the kinds of A and B */
    WL_MOD_MATRIX_SCALE = 1 << 27, /* which scales of a register count, and their kinds */
    WL_MOD_MATRIX_REUSE = 1 << 28, /* hints that A or B is used again */
    WL_MOD_KEY32 = 1 << 29,
    WL_MOD_SCALE_SEL = 1 << 30, /* which scale of a register counts */
};

#define WL_MAX_PLACES 8

struct wl_word_shape {
    uint8_t count;
    uint8_t roles; /* bits of SRC0, SRC1, SRC2 that there are */
    uint32_t modifiers;
    struct wl_word_place places[WL_MAX_PLACES];
};

/* False: a word that is none of the above, a mistake in the table. */
bool wl_shape_parse(const char *operands, struct wl_word_shape *shape);

#endif
