/* Between the files of the decoder: decoder.c finds the row of a word, the others read its operands. */
#ifndef WL_DECODE_ENGINE_H
#define WL_DECODE_ENGINE_H

#include "machine/processor.h"
#include "translate/decode/words/row.h"
#include "translate/decode/words/shape.h"
#include "translate/isa/inst.h"
#include "translate/isa/isa.h"
#include "translate/isa/sem.h"

/* Scalar instructions whose operands are not those of their fields. (scalar.c) */
enum wl_scalar_meaning {
    WL_SCALAR_PLAIN,
    WL_SCALAR_SIGNAL,   /* s_barrier_signal* */
    WL_SCALAR_WAIT,     /* s_barrier_wait */
    WL_SCALAR_CODE_END, /* s_code_end */
    WL_SCALAR_INDEX_ON, /* s_set_gpr_idx_on */
    WL_SCALAR_HINT,     /* without an effect here */
    WL_SCALAR_CONSTANT, /* SOPK with a constant */
};

/* What is known of a row on one target. */
struct wl_word_entry {
    const struct wl_row *row;
    struct wl_word_shape shape;
    char canonical[36];
    const struct wl_sem *sem;
    const struct wl_isa *isa;
    uint16_t forms; /* of the row, that this target has */
    bool returns, lds, zero_high, packed;
    bool compares, writes_exec; /* v_cmp*, v_cmpx_* */
    bool converts;              /* v_cvt_* */
    bool picks_byte;            /* conversions of 8-bit numbers */
    bool interpolates;          /* VOP3: the attribute stands in the place of src0, which stands in that of src1 */
    bool swaps, swaps_halves;   /* v_swap_b32, v_swap_b16 */
    bool signed_dot;            /* v_dot4_i32_iu8, v_dot8_i32_iu4 */
    bool half_result;           /* VOP3: 16 bits, on gfx11 and later half a register */
    bool result;                /* has vdst */
    bool dot;                   /* v_dot* */
    bool atomic, cmpswap;       /* *_atomic_*, *cmpswap* */
    bool positive;              /* s_buffer_*, s_atc_probe_buffer: no negative offsets on gfx12 */
    uint8_t scalar;             /* enum wl_scalar_meaning */
    bool half_amount;           /* v_alignbit_b32 and v_alignbyte_b32, on gfx11 and later */
    bool bytes;                 /* v_dot4_*, v_dot8_* of integers */
    const char *suffix;         /* of the mnemonic, as LLVM prints it; NULL: not looked for yet (print.c) */
    bool scales;                /* v_cvt_scalef32_* */
    bool chosen;                /* f8f6f4: the kinds of A and B are modifiers */
    bool wmma;                  /* or a dot product of 8-bit floats: the row says which sources have signs */
};

struct wl_word_decoder {
    const struct wl_processor *processor;
    unsigned generation;
    uint32_t target; /* WL_T* */
    bool wave64, has_acc, has_ocp;
    bool has_wide;                /* gfx1250: literals of 64 bits, VGPRs above 255, scaled offsets */
    uint16_t *rows[WL_ENC_COUNT]; /* by opcode: the row's number + 1; 0: none */
    uint16_t *row_memory;
    struct wl_word_entry **entries; /* by the row's number; made when a row is first seen */
};

/* wl_operand.sel of an IMM that is read to be printed: a literal of 64 bits that 32 could hold, which LLVM 22 prints as "lit64(...)". */
enum { WL_TEXT_LIT64 = 1 };

/* The word at hand. */
struct wl_word_job {
    const struct wl_word_decoder *d;
    const struct wl_word_entry *entry;
    struct wl_inst *inst;
    const uint8_t *bytes;
    uint64_t available;
    uint32_t w[4];                  /* the first dwords; 0 where there are none */
    unsigned words;                 /* that are there, up to 4 */
    unsigned size;                  /* bytes that the encoding has, the literal included as soon as it is read */
    bool for_text;                  /* operands as they are printed, not as they are meant */
    bool has_literal, long_literal; /* of 64 bits: all of an instruction have one size */
    uint64_t literal;               /* of 32 bits, but for wl_fetch_literal64 */
};

static inline uint32_t wl_bits(uint32_t word, unsigned at, unsigned count) { return word >> at & ((1u << count) - 1); }

/* Reads the first words of a job, and finds the row: `job->entry`. False: there is none. (decoder.c) */
bool wl_word_open(struct wl_word_job *job, uint64_t address, struct wl_inst *inst);
/* Reads the operands: of one instruction, or of both of a pair, which is returned. 0: the encoding means nothing. */
unsigned wl_word_read(struct wl_word_job *job, struct wl_inst inst[2]);

/* Whether the first two words are gfx1250's scales of a matrix product, as far as their unused bits go. */
static inline bool wl_is_scale12(const struct wl_word_job *job) {
    enum { ZERO = 0x80, V0 = 0x100 }; /* what Triton 3.9 and LLVM 22 write for the source that there is not */
    const uint32_t first = job->w[0], second = job->w[1], third = second >> 18 & 0x1ff;
    return !(first >> 10 & 1) && !(first >> 12 & 1) && !(first >> 15 & 1) && (third == V0 || third == ZERO) && !(second >> 28 & 1) &&
           !(second >> 31);
}

/* The next operand, zero but for its kind. */
static inline struct wl_operand *wl_word_operand(struct wl_word_job *job, enum wl_operand_kind kind) {
    struct wl_operand *operand = &job->inst->operands[job->inst->operand_count++];
    operand->kind = (uint8_t)kind;
    operand->count = 1;
    return operand;
}

/* All below: false if the encoding means nothing. (source.c) */

/* `registers` consecutive VGPRs (AGPRs with `acc`). */
static inline bool wl_read_vector(const struct wl_word_job *job, struct wl_operand *operand, unsigned reg, unsigned registers, bool acc) {
    operand->kind = WL_OPERAND_VGPR;
    operand->reg = (uint16_t)(reg + (acc ? WL_AGPR : 0));
    operand->count = (uint8_t)registers;
    return reg + registers <= 256 || job->d->has_wide; /* where v256 follows */
}
/* Scalar registers by their encoding, 0 to 127. */
bool wl_read_scalar(const struct wl_word_job *job, struct wl_operand *operand, unsigned code, const struct wl_word_place *place);
/* A source of 8 or 9 bits. Bit 9: an AGPR instead of a VGPR. */
bool wl_read_source(struct wl_word_job *job, struct wl_operand *operand, unsigned code, const struct wl_word_place *place);
/* VCC or another mask, of the wave's width. */
bool wl_read_mask(const struct wl_word_job *job, struct wl_operand *operand, unsigned code);
void wl_set_vcc(const struct wl_word_job *job, struct wl_operand *operand);
/* An integer as LLVM prints it: inline constants, where the bits are those of one, else hexadecimal. */
void wl_set_immediate32(struct wl_operand *operand, uint32_t bits);
void wl_set_literal(struct wl_operand *operand, uint64_t bits);
bool wl_fetch_literal(struct wl_word_job *job);
bool wl_fetch_literal64(struct wl_word_job *job);
/* Which bits of s_set_vgpr_msb's immediate are above the last operand's register, by the field that it comes from. */
void wl_set_bank(const struct wl_word_job *job, unsigned field);
void wl_set_place_bank(const struct wl_word_job *job, const struct wl_word_place *place);
/* A literal that an instruction always has. */
bool wl_read_literal_place(struct wl_word_job *job, const struct wl_word_place *place);

/* One encoding each: the operands and modifiers of the word. */
bool wl_decode_scalar(struct wl_word_job *job); /* scalar.c */
bool wl_decode_smem(struct wl_word_job *job);
/* Whether a place names half a register: on gfx11 and later. (vector.c) */
bool wl_is_half(const struct wl_word_job *job, const struct wl_word_place *place);
bool wl_decode_short(struct wl_word_job *job, unsigned form); /* vector.c: VOP1, VOP2, VOPC; `form`: WL_ALONE, WL_SDWA, ... */
bool wl_decode_long(struct wl_word_job *job, unsigned form);  /* VOP3, VOP3P */
bool wl_decode_scaled(struct wl_word_job *job);               /* VOP3PX */
bool wl_decode_vopd(struct wl_word_job *job, bool second);    /* pair.c */
bool wl_decode_vopd3(struct wl_word_job *job, bool second);
bool wl_decode_lds(struct wl_word_job *job); /* memory.c */
bool wl_decode_flat(struct wl_word_job *job);
bool wl_decode_buffer(struct wl_word_job *job);
bool wl_decode_image(struct wl_word_job *job); /* image.c */

/* The parts of a ray's address, in registers: node, extent, origin, direction, and its inverse or an offset. Returns how many. */
unsigned wl_ray_parts(const struct wl_word_job *job, bool a16, uint8_t parts[5]);
bool wl_decode_tensor(struct wl_word_job *job);
/* What the fields mean together, once they are read. (finish.c) */
void wl_finish_meaning(struct wl_word_job *job);

bool wl_decode_graphics(struct wl_word_job *job); /* graphics.c: interpolation, export */

#endif
