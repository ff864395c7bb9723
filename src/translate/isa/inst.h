/* One decoded AMDGPU instruction, which decode/ makes of the code's words.
 *
 * Mnemonics have no encoding's suffix (_e32, _e64, _dpp, _sdwa) and one name for all generations (alias.c: ds_read_b32 -> ds_load_b32,
 * s_load_dword -> s_load_b32, gfx9's v_add_u32 -> v_add_nc_u32, v_addc_co_u32 -> v_add_co_ci_u32, ...). */
#ifndef WL_TRANSLATE_ISA_INST_H
#define WL_TRANSLATE_ISA_INST_H

#include "machine/operations.h"
#include "machine/wave.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct wl_sem; /* sem.h */
struct wl_isa; /* isa.h: what the lifter does for this mnemonic */

enum wl_operand_kind {
    WL_OPERAND_NONE,
    WL_OPERAND_VGPR,    /* reg: row number 0 to 511 (AGPRs from 256); count: consecutive registers */
    WL_OPERAND_SGPR,    /* reg: WL_SGPR_*, 0 to 127; count: 1, 2, 3, 4, 8, 16. vcc, exec, m0, ttmp, flat_scratch included */
    WL_OPERAND_IMM,     /* bits: the value of an inline constant or a literal (see `literal`, `is_float`) */
    WL_OPERAND_SPECIAL, /* reg: enum wl_special */
    WL_OPERAND_OFF,     /* "off" or "null" where an address or offset register could stand; as destination: discard */
    WL_OPERAND_LABEL,   /* bits: virtual address of a branch target */
    WL_OPERAND_TEXT,    /* hwreg(...), sendmsg(...), anything else: bits if it could be evaluated to its encoding */
};

enum wl_special { /* read-only sources that are no registers */
                  WL_SPECIAL_SHARED_BASE,
                  WL_SPECIAL_SHARED_LIMIT,
                  WL_SPECIAL_PRIVATE_BASE,
                  WL_SPECIAL_PRIVATE_LIMIT,
                  WL_SPECIAL_POPS_EXITING_WAVE_ID,
                  WL_SPECIAL_SCC,
                  WL_SPECIAL_VCCZ,
                  WL_SPECIAL_EXECZ,
                  WL_SPECIAL_LDS_DIRECT,
                  WL_SPECIAL_FLAT_SCRATCH_BASE_LO, /* gfx1250; of 2 dwords: both halves */
                  WL_SPECIAL_FLAT_SCRATCH_BASE_HI,
};

/* gfx1250 has 1,024 VGPRs, instructions 8 bits for each: s_set_vgpr_msb sets two more for each of these fields. Decoding an instruction does not
 * know them: an operand says whose they are, and its register is `reg` + 256 * the two bits. */
enum wl_bank {
    WL_BANK_NONE, /* no bits: not a VGPR, or always one of the first 256 */
    WL_BANK_SRC0, /* bits 1:0 of s_set_vgpr_msb's immediate: src0; addresses */
    WL_BANK_SRC1, /* bits 3:2: src1; data of LDS (the first) and of flat stores */
    WL_BANK_SRC2, /* bits 5:4: src2; LDS's second data */
    WL_BANK_DST,  /* bits 7:6: results; data of buffer instructions */
};

enum wl_sdwa_sel { WL_SEL_DWORD, WL_SEL_BYTE_0, WL_SEL_BYTE_1, WL_SEL_BYTE_2, WL_SEL_BYTE_3, WL_SEL_WORD_0, WL_SEL_WORD_1 };

struct wl_operand {
    uint8_t kind;  /* enum wl_operand_kind */
    uint8_t count; /* dwords */
    uint16_t reg;
    bool neg, abs, sext; /* source modifiers: -v1, |v1|, sext(v1) */
    bool upper;          /* VGPR: "v1.h"; wl_inst.op_sel has it as well */
    uint8_t sel;         /* enum wl_sdwa_sel of this source (SDWA) */
    uint8_t bank;        /* enum wl_bank */
    bool literal;        /* IMM: a 32-bit literal, not an inline constant; f64 and b64 users: see wl_operand_bits */
    bool is_float;       /* IMM: written as a floating-point number (0.5, 1.0, ...): `number` holds it */
    uint64_t bits;       /* IMM: sign-extended integer, or the 32-bit literal zero-extended */
    double number;
};

/* The 64 bits that an IMM operand supplies to a user of the given type width (16, 32, 64) and kind. Knows inline
 * floats (the pattern of the width's IEEE format, for integer users as well), integer inlines used by floats (their
 * bits), and literals (high half of an f64, zero- or sign-extended for integers). Packed users take width 32 (floats:
 * 16 if `is_float`, the value is in the low half); bf16 users the high half of width 32 if `is_float`, else width 16. */
uint64_t wl_operand_bits(const struct wl_operand *operand, unsigned width, bool as_float, bool as_signed);

/* Whether two operands without source modifiers name the same registers or the same number. */
bool wl_operand_same(const struct wl_operand *a, const struct wl_operand *b);

#define WL_MAX_OPERANDS 10

/* Address registers of an image instruction whose list they are: "[v0, v5, v[8:9]]". The operand at its place is the first. */
#define WL_MAX_ADDRESSES 16

enum { WL_INDEX_SRC0 = 1, WL_INDEX_SRC1 = 2, WL_INDEX_SRC2 = 4, WL_INDEX_DST = 8 };

struct wl_inst {
    uint32_t offset;  /* bytes from the unit's text base: virtual address - unit base; wl_decode sets the low half of the address */
    uint64_t address; /* virtual address */
    uint8_t size;     /* bytes */
    uint8_t operand_count;
    char mnemonic[36];                           /* canonical name */
    const struct wl_sem *sem;                    /* NULL if the lifter emits it itself */
    const struct wl_isa *isa;                    /* NULL if sem is set; both NULL: unknown instruction */
    struct wl_operand operands[WL_MAX_OPERANDS]; /* in the text's order: destinations first */

    /* Modifiers. */
    int32_t offset0, offset1; /* offset:N (DS one-address, memory: offset0); DS two-address: both */
    bool glc, slc, dlc, scc_bit, nt, sc0, sc1, lds, tfe, offen, idxen, addr64,
        gds;      /* sc1 of gfx12, and of cache instructions: for the device or wider */
    bool returns; /* an atomic that writes its old value back */
    /* `lds` on a load: the data goes to LDS at M0 + offset0 + 4 * lane; there is no destination operand. */
    bool clamp, high;                          /* high: op_sel-less d16_hi forms are told by the mnemonic instead */
    uint8_t omod;                              /* 0 none, 1 *2, 2 *4, 3 /2 */
    uint8_t op_sel, op_sel_hi, neg_lo, neg_hi; /* one bit an operand as printed; op_sel_hi defaults to all ones for packed ops */
    bool has_op_sel_hi;
    bool is_dpp, is_sdwa;
    uint8_t dst_sel, dst_unused; /* SDWA: enum wl_sdwa_sel; dst_unused: 0 pad, 1 sext, 2 preserve */
    uint8_t dpp;                 /* enum wl_dpp_kind */
    uint32_t dpp_control;        /* shift count, quad_perm as 8 bits, dpp8 as 24 bits, row_share/xmask lane */
    uint8_t row_mask, bank_mask;
    bool bound_ctrl, fetch_inactive;
    /* Matrix instructions; blgp: f64's neg as well; abid: SWMMAC's index_key as well. gfx1250: cbsz and blgp are the kinds of A and B
     * (enum wl_matrix_kind's order in f8f6f4: fp8, bf8, fp6, bf6, fp4). */
    uint8_t cbsz, abid, blgp;
    /* gfx1250's matrix products with scales. scale_rows: the scales of A (bit 0) and of B (bit 1) are in lanes 16 to 31 instead of 0 to 15.
     * Kinds of scales: 0 E8, 1 E5M3, 2 E4M3. */
    uint8_t scale_rows, scale_kind_a, scale_kind_b;
    uint8_t scale_sel;  /* v_cvt_scale_pk8_*, _pk16_*: which scale of src1 counts */
    bool wide_buffer;   /* gfx1250: the descriptor of a buffer has 57 bits of address and 45 of size */
    bool scale_offset;  /* gfx1250: the address register holds an index: wl_inst_offset_unit */
    bool signed_offset; /* gfx1250: an address of one dword beside a scalar base is a signed number (unit.c) */
    uint8_t format;     /* typed buffer accesses: the encoding's 7 bits (gfx9: dfmt | nfmt << 4) */
    /* Image instructions. `dim`: the resource's dimension as encoded, 0 (1D) to 7 (2D multisampled array); has_dim is false on
     * gfx9, where the resource says it. */
    uint8_t dmask, dim;
    bool has_dim, unorm, da, a16, d16, r128, lwe;
    uint8_t address_count; /* 0: the addresses are the operand's consecutive registers */
    uint8_t addresses[WL_MAX_ADDRESSES];
    uint8_t index_mode;  /* gfx9's indexing: WL_INDEX_*: which VGPR operands are relative to M0[7:0] */
    bool fence;          /* nothing behind it is done before what stands in front of it (fence.c) */
    bool is_quiet;       /* a wait of which racecheck learns nothing (rewrite/quiet_waits.c) */
    bool is_volatile;    /* a store that the next instruction waits for (there, too) */
    bool updates;        /* a store of what was loaded at the same place and changed (rewrite/updates.c) */
    uint32_t early;      /* in a unit for racecheck: number of wl_unit.early, plus 1; 0: none */
    bool ends_turn;      /* a wait at which the workgroup's other waves have their turns (unit/turns.h) */
    uint8_t piece;       /* its number, of those that one instruction is done in (unit/pieces.h) */
    bool paired;         /* first of a pair: the next instruction reads its sources before this one writes */
    bool on_strip_masks; /* works on masks of a strip's lanes (strip_loop.h) */
    uint8_t aggregate;   /* enum wl_aggregate (strip_loop.h) */
    bool looks_again;    /* a load in a loop that may wait, of a place that stays the same there: each round has to see memory */
    bool may_look;       /* any load in a loop that may wait */
    bool looks_first;    /* a load like one that looks again, in front of the loop; or an atomic that is repeated as it is */
    bool is_private;  /* a buffer load or store of the lanes' private memory, for all that its descriptor can be (unit/private_buffer.c) */
    bool zeroes_half; /* a load of 16 bits or fewer into half a register clears the other half (SRAM-ECC); else that stays */
    bool zero_high;   /* a 16-bit result clears the register's high half (gfx9); else the other half stays */
};

/* How many bytes one count in the register of an address or an offset stands for: 1, or with scale_offset as many as a lane accesses at once.
 * The instruction is one that accesses memory. */
unsigned wl_inst_offset_unit(const struct wl_inst *inst);

/* The counts in the operand of s_waitcnt, which has all counters, each generation's in its own way: of vector memory (before gfx10 of stores,
 * too), and of LDS and scalar memory. */
static inline uint32_t wl_waitcnt_vector(uint32_t operand, unsigned generation) {
    return generation >= 11 ? operand >> 10 & 63 : (operand & 15) | (operand >> 14 & 3) << 4;
}
static inline uint32_t wl_waitcnt_local(uint32_t operand, unsigned generation) {
    return generation >= 11 ? operand >> 4 & 63 : operand >> 8 & (generation == 9 ? 15 : 63);
}
/* ... and of exports and of the global wave sync unit, which read registers later. */
static inline uint32_t wl_waitcnt_data(uint32_t operand, unsigned generation) { return generation >= 11 ? operand & 7 : operand >> 4 & 7; }

/* Where a branch goes, or s_add_pc_i64 with a constant. False: the instruction is none of them. */
bool wl_inst_branch_target(const struct wl_inst *inst, uint64_t *target);

/* Of a WL_ISA_SPLIT_BARRIER: enum wl_barrier_op, perhaps with WL_BARRIER_BY_M0, and the barrier's *number if M0 does not have it. */
uint32_t wl_inst_barrier(const struct wl_inst *inst, uint32_t *number);

/* Whether it is the scalar unit's (s_...; scratch_... is not). */
static inline bool wl_inst_is_scalar(const struct wl_inst *inst) { return inst->mnemonic[0] == 's' && inst->mnemonic[1] == '_'; }

/* Whether a load or store has one of the bits that ask for a coherent access: what polls must see memory each time. */
static inline bool wl_inst_is_coherent(const struct wl_inst *inst) { return inst->glc || inst->dlc || inst->sc0 || inst->sc1; }

#endif
