/* Vector instructions. */
#include "base/text.h"
#include "translate/decode/words/engine.h"

#include <string.h>

/* ---- DPP and SDWA ---- */

static bool is_wide(const struct wl_word_job *job) {
    for (unsigned i = 0; i < job->entry->shape.count; i++)
        if (job->entry->shape.places[i].registers == 2 && job->entry->shape.places[i].file != WL_FILE_MASK)
            return true;
    return false;
}

static bool set_dpp_control(struct wl_word_job *job, uint32_t control) {
    static const uint8_t shifts[] = {WL_DPP_ROW_SHL, WL_DPP_ROW_SHR, WL_DPP_ROW_ROR};
    const unsigned generation = job->d->generation;
    struct wl_inst *inst = job->inst;
    unsigned kind = WL_DPP_NONE, value = control & 15;

    if (control < 0x100) {
        kind = WL_DPP_QUAD_PERM;
        value = control;
    } else if (control < 0x130)
        kind = value ? shifts[control >> 4 & 3] : WL_DPP_NONE;
    else if (control < 0x140 && generation == 9) {
        kind = control == 0x130   ? WL_DPP_WAVE_SHL
               : control == 0x134 ? WL_DPP_WAVE_ROL
               : control == 0x138 ? WL_DPP_WAVE_SHR
               : control == 0x13c ? WL_DPP_WAVE_ROR
                                  : WL_DPP_NONE;
        value = 1;
    } else if (control == 0x140 || control == 0x141) {
        kind = control & 1 ? WL_DPP_ROW_HALF_MIRROR : WL_DPP_ROW_MIRROR;
        value = 0;
    } else if ((control == 0x142 || control == 0x143) && generation == 9) {
        kind = control & 1 ? WL_DPP_ROW_BCAST31 : WL_DPP_ROW_BCAST15;
        value = control & 1 ? 31 : 15;
    } else if (control >= 0x150 && control < 0x160)
        kind = generation >= 10 ? WL_DPP_ROW_SHARE : job->d->has_acc ? WL_DPP_ROW_NEWBCAST : WL_DPP_NONE;
    else if (control >= 0x160 && control < 0x170 && generation >= 10)
        kind = WL_DPP_ROW_XMASK;
    inst->dpp = (uint8_t)kind;
    inst->dpp_control = value;
    if (kind != WL_DPP_ROW_NEWBCAST && generation == 9 && is_wide(job))
        return false; /* 64-bit instructions move no other way */
    return kind != WL_DPP_NONE;
}

/* The DPP dword, whose low 8 bits are src0. `wide`: behind VOP3, where the sources' signs are elsewhere. */
static bool read_dpp(struct wl_word_job *job, uint32_t word, unsigned form, unsigned code) {
    struct wl_inst *inst = job->inst;

    inst->is_dpp = true;
    if (form == WL_DPP8) {
        inst->dpp = WL_DPP_DPP8;
        inst->dpp_control = word >> 8;
        inst->row_mask = inst->bank_mask = 0xf;
        inst->fetch_inactive = code == 0xea;
        return true;
    }
    inst->row_mask = (uint8_t)(word >> 28);
    inst->bank_mask = word >> 24 & 0xf;
    inst->bound_ctrl = word >> 19 & 1;
    inst->fetch_inactive = job->d->generation >= 10 && word >> 18 & 1;
    return set_dpp_control(job, word >> 8 & 0x1ff);
}

/* Floats have neg and abs, integers sext; the other bits must be 0. */
static bool set_sdwa_signs(struct wl_operand *operand, const struct wl_word_place *place, unsigned bits) {
    if (place->signs) {
        operand->neg = bits >> 1 & 1;
        operand->abs = bits >> 2 & 1;
        return !(bits & 1);
    }
    operand->sext = bits & 1;
    return bits < 2;
}

/* The encoding has the whole register last. */
static uint8_t sdwa_select(unsigned bits) { return bits == 6 ? WL_SEL_DWORD : (uint8_t)(bits + WL_SEL_BYTE_0); }

static bool read_sdwa_source(struct wl_word_job *job, const struct wl_word_place *place, unsigned reg, unsigned bits) {
    struct wl_operand *operand = wl_word_operand(job, WL_OPERAND_VGPR);
    struct wl_word_place source = *place;

    if (source.file != WL_FILE_SOURCE && source.format == WL_FORMAT_NONE) {
        source.file = WL_FILE_SOURCE;
        source.format = WL_FORMAT_I32;
    }
    if (bits & 0x80 ? reg == 255 || !wl_read_source(job, operand, reg, &source)
                    : !wl_read_vector(job, operand, reg, place->registers, false))
        return false;
    operand->sel = sdwa_select(bits & 7);
    return (bits & 7) != 7 && set_sdwa_signs(operand, place, bits >> 3 & 7);
}

/* ---- short encodings ---- */

/* A register of a short encoding. Halves: bit 7 says which, and op_sel gets it at `bit`; the operand, too, where it is named by half. */
static bool read_short_register(struct wl_word_job *job, const struct wl_word_place *place, unsigned reg, bool half, unsigned *halves,
                                unsigned bit) {
    struct wl_operand *operand = wl_word_operand(job, WL_OPERAND_VGPR);

    if (half || place->file == WL_FILE_NAMED) {
        *halves |= (reg >> 7 & 1) << bit;
        if (place->file == WL_FILE_NAMED || job->for_text)
            operand->upper = reg >> 7 & 1;
        return wl_read_vector(job, operand, reg & 0x7f, 1, false);
    }
    return wl_read_vector(job, operand, reg, place->registers, place->file == WL_FILE_A);
}

bool wl_is_half(const struct wl_word_job *job, const struct wl_word_place *place) {
    const bool vop3 = job->entry->row->encoding == WL_ENC_VOP3;

    if (job->d->generation < 11)
        return false;
    if (vop3 && place->role == WL_AT_VDST)
        return place->file == WL_FILE_NAMED || place->file == WL_FILE_HALF || (place->file == WL_FILE_V && job->entry->half_result);
    if (vop3 && (place->format == WL_FORMAT_BF16 || (job->entry->half_amount && place->role == WL_AT_SRC2)))
        return true;
    return place->file == WL_FILE_HALF || place->file == WL_FILE_NAMED ||
           (place->file == WL_FILE_SOURCE &&
            (place->format == WL_FORMAT_F16 || place->format == WL_FORMAT_I16 || place->format == WL_FORMAT_BF16));
}

/* The register of VOP3 that has bit `at` of op_sel, where it is named by half. */
static bool is_upper(const struct wl_word_job *job, const struct wl_word_place *place, unsigned at) {
    const bool named =
        place->file == WL_FILE_NAMED || (job->for_text && job->entry->row->encoding == WL_ENC_VOP3 && wl_is_half(job, place));
    return named && job->w[0] >> at & 1;
}

static bool read_short_source(struct wl_word_job *job, const struct wl_word_place *place, unsigned form, bool second, unsigned *halves) {
    const uint32_t word = job->w[0], extra = job->w[1];
    const bool half = wl_is_half(job, place);
    const unsigned reg = word >> 9 & 0xff, code = word & 0x1ff, bit = second ? 1 : 0;
    struct wl_operand *operand;

    if (form == WL_SDWA)
        return read_sdwa_source(job, place, second ? reg : extra & 0xff, second ? extra >> 24 : extra >> 16 & 0xff);
    if (second || form == WL_DPP || form == WL_DPP8) {
        if (!read_short_register(job, place, second ? reg : extra & 0xff, half, halves, bit))
            return false;
        operand = &job->inst->operands[job->inst->operand_count - 1];
        if (form == WL_DPP && place->signs) {
            operand->neg = extra >> (second ? 22 : 20) & 1;
            operand->abs = extra >> (second ? 23 : 21) & 1;
        } else if (form == WL_DPP && place->extends && !job->for_text && !job->d->has_wide)
            operand->sext = extra >> (second ? 22 : 20) & 1;
        return true;
    }
    if (code >= 256)
        return read_short_register(job, place, code - 256, half, halves, 0);
    return wl_read_source(job, wl_word_operand(job, WL_OPERAND_VGPR), code, place);
}

static bool read_short_field(struct wl_word_job *job, const struct wl_word_place *place, unsigned form, unsigned *halves) {
    const unsigned vdst = job->w[0] >> 17 & 0xff;
    struct wl_word_place scalar = *place;

    switch ((enum wl_field)place->role) {
    case WL_AT_VDST:
        if (place->file == WL_FILE_S)
            return wl_read_scalar(job, wl_word_operand(job, WL_OPERAND_SGPR), vdst, &scalar) && vdst < 128;
        return read_short_register(job, place, vdst, wl_is_half(job, place), halves, 8);
    case WL_AT_VCC:
        wl_set_vcc(job, wl_word_operand(job, WL_OPERAND_SGPR));
        return true;
    case WL_AT_SRC0:
        return read_short_source(job, place, form, false, halves);
    case WL_AT_SRC1:
        return read_short_source(job, place, form, true, halves);
    case WL_AT_IMM:
        return wl_read_literal_place(job, place);
    default:
        return false;
    }
}

static bool read_short_place(struct wl_word_job *job, const struct wl_word_place *place, unsigned form, unsigned *halves) {
    const bool read = read_short_field(job, place, form, halves);
    if (job->d->has_wide)
        wl_set_place_bank(job, place);
    return read;
}

/* v_cmp writes VCC; v_cmpx of gfx9 does, too. */
static bool read_compared(struct wl_word_job *job, unsigned form) {
    const uint32_t extra = job->w[1];

    if (job->entry->writes_exec && job->d->generation >= 10)
        return form != WL_SDWA || !(extra >> 15 & 1);
    struct wl_operand *operand = wl_word_operand(job, WL_OPERAND_SGPR);
    if (form == WL_SDWA && extra >> 15 & 1)
        return wl_read_mask(job, operand, extra >> 8 & 0x7f);
    wl_set_vcc(job, operand);
    return true;
}

static bool read_sdwa_modifiers(struct wl_word_job *job) {
    const uint32_t extra = job->w[1], modifiers = job->entry->shape.modifiers;
    struct wl_inst *inst = job->inst;

    inst->is_sdwa = true;
    if (job->entry->row->encoding == WL_ENC_VOPC)
        return true;
    if (job->entry->picks_byte && (extra >> 8 & 7) != 6) /* of 8-bit numbers: have no part of a destination */
        return false;
    inst->dst_sel = sdwa_select(extra >> 8 & 7);
    inst->dst_unused = job->entry->picks_byte ? 0 : extra >> 11 & 3;
    inst->clamp = extra >> 13 & 1;
    inst->omod = extra >> 14 & 3;
    return (extra >> 8 & 7) != 7 && (extra >> 11 & 3) != 3 && (!inst->clamp || modifiers & WL_MOD_CLAMP) &&
           (!inst->omod || modifiers & WL_MOD_OMOD);
}

/* Halves: bit 0 is src0's, bit 1 src1's, bit 8 the destination's. op_sel has a bit for each source, as printed, and one for the
 * destination behind them. */
static void set_halves(struct wl_word_job *job, unsigned halves) {
    struct wl_inst *inst = job->inst;
    const bool literal_second = job->entry->shape.count == 4 && job->entry->shape.places[2].role == WL_AT_IMM;

    if (halves & 1)
        inst->op_sel |= 1;
    if (halves & 2)
        inst->op_sel |= literal_second ? 4 : 2;
    if (halves & 0x100)
        inst->op_sel |= (uint8_t)(1u << (inst->operand_count - 1u));
}

static bool has_short_strays(const struct wl_word_job *job) {
    const uint32_t word = job->w[0];

    if (job->entry->row->encoding == WL_ENC_VOP2 && !job->entry->shape.count)
        return word; /* v_illegal is 0 */
    return !job->entry->result && job->entry->row->encoding != WL_ENC_VOPC && word >> 17 & 0xff;
}

/* Signs of sources that have none. */
static bool has_dpp_strays(const struct wl_word_job *job) {
    const bool any = job->entry->dot || !job->entry->shape.count; /* have them without a meaning */
    uint32_t allowed = any ? 0xfu << 20 : 0;

    for (unsigned i = 0; i < job->entry->shape.count; i++) {
        const struct wl_word_place *place = &job->entry->shape.places[i];
        if (place->signs || place->extends)
            allowed |= place->role == WL_AT_SRC0 ? 3u << 20 : place->role == WL_AT_SRC1 ? 3u << 22 : 0;
    }
    return job->w[1] & 0xfu << 20 & ~allowed;
}

/* Of a second source that there is not, nothing but a bit that no source has. */
static bool has_sdwa_strays(const struct wl_word_job *job) { return !(job->entry->shape.roles & 2) && job->w[1] >> 24 & 0xbf; }

bool wl_decode_short(struct wl_word_job *job, unsigned form) {
    const struct wl_word_shape *shape = &job->entry->shape;
    unsigned halves = 0;

    job->size = form == WL_ALONE ? 4 : 8;
    if (!shape->count && !job->w[0] != (strcmp(job->entry->row->name, "v_illegal") == 0))
        return false;
    if (job->words * 4 < job->size || has_short_strays(job))
        return false;
    if (job->entry->row->encoding == WL_ENC_VOPC && !read_compared(job, form))
        return false;
    for (unsigned i = 0; i < shape->count; i++)
        if (!read_short_place(job, &shape->places[i], form, &halves))
            return false;
    if (form == WL_SDWA && (has_sdwa_strays(job) || !read_sdwa_modifiers(job)))
        return false;
    if (form == WL_DPP && has_dpp_strays(job))
        return false;
    if (form & (WL_DPP | WL_DPP8) && !read_dpp(job, job->w[1], form, job->w[0] & 0x1ff))
        return false;
    set_halves(job, halves);
    return true;
}

/* ---- VOP3 ---- */

static bool read_long_signs(struct wl_word_job *job, struct wl_operand *operand, const struct wl_word_place *place, unsigned index) {
    const bool two = job->entry->shape.places[1].role == WL_AT_SDST; /* results: the second stands where abs would */
    const bool neg = job->w[1] >> (29 + index) & 1, abs = !two && job->w[0] >> (8 + index) & 1;

    if (place->signs) {
        operand->neg = neg;
        operand->abs = abs;
    } else if (place->extends)
        operand->sext = neg && !job->for_text && !job->d->has_wide; /* LLVM 19 printed it */
    else if (job->entry->dot)
        return true; /* has the bits without a meaning */
    else if (!(job->entry->shape.modifiers &
               (WL_MOD_NEG_LO | WL_MOD_BITOP3 | (job->entry->converts || job->d->has_wide ? WL_MOD_OP_SEL : 0))) ||
             (job->entry->picks_byte && !(job->entry->shape.modifiers & WL_MOD_OP_SEL4) &&
              !(job->d->has_wide && job->entry->shape.modifiers & WL_MOD_OP_SEL)))
        return !neg && !abs;
    return true;
}

static bool read_accumulators(struct wl_word_job *job, struct wl_operand *operand, unsigned code, const struct wl_word_place *place) {
    const bool acc = place->file == WL_FILE_A || (place->file == WL_FILE_D && job->w[0] >> 15 & 1);

    return wl_read_source(job, operand, code | (acc ? 512u : 0), place);
}

static bool read_long_source(struct wl_word_job *job, const struct wl_word_place *place, unsigned form) {
    const unsigned index = job->entry->interpolates ? (place->role == WL_AT_SRC0 ? 1 : 2) : place->role - (unsigned)WL_AT_SRC0;
    unsigned code = job->w[1] >> 9 * index & 0x1ff;
    struct wl_operand *operand = wl_word_operand(job, WL_OPERAND_VGPR);
    bool read;

    if (index == 0 && form != WL_ALONE)
        code = 256 | (job->w[2] & 0xff);
    else if (form != WL_ALONE && job->d->has_wide && code == 254) /* no literal of 64 bits behind DPP */
        return false;
    if (place->file == WL_FILE_MASK)
        read = wl_read_mask(job, operand, code) && operand->reg != WL_SGPR_EXEC && operand->reg != WL_SGPR_EXEC + 1;
    else if (place->file == WL_FILE_G)
        read = code >= 256 && wl_read_source(job, operand, code | (job->w[1] >> (27 + index) & 1) << 9, place);
    else
        read = read_accumulators(job, operand, code, place);
    if (code >= 256)
        operand->upper = is_upper(job, place, 11 + index);
    if (job->entry->row->encoding != WL_ENC_VOP3 && (!place->signs || job->entry->shape.modifiers & WL_MOD_NEG_LO))
        return read;
    return read && read_long_signs(job, operand, place, index);
}

static bool read_long_vdst(struct wl_word_job *job, const struct wl_word_place *place) {
    const uint32_t word = job->w[0];
    const bool acc = place->file == WL_FILE_A || ((place->file == WL_FILE_D || place->file == WL_FILE_G) && word >> 15 & 1);

    if (place->file == WL_FILE_S)
        return (word & 0xff) < 128 && wl_read_scalar(job, wl_word_operand(job, WL_OPERAND_SGPR), word & 0xff, place);
    struct wl_operand *operand = wl_word_operand(job, WL_OPERAND_VGPR);
    operand->upper = is_upper(job, place, 14);
    return wl_read_vector(job, operand, word & 0xff, place->registers, acc);
}

static bool read_long_sdst(struct wl_word_job *job) {
    const bool second = job->inst->operand_count > 0; /* of two results */
    const unsigned code = second ? job->w[0] >> 8 & 0x7f : job->w[0] & 0xff;

    return wl_read_mask(job, wl_word_operand(job, WL_OPERAND_SGPR), code);
}

static bool read_long_field(struct wl_word_job *job, const struct wl_word_place *place, unsigned form) {
    switch ((enum wl_field)place->role) {
    case WL_AT_VDST:
        return read_long_vdst(job, place);
    case WL_AT_SDST:
        return read_long_sdst(job);
    case WL_AT_SRC0:
    case WL_AT_SRC1:
    case WL_AT_SRC2:
        if (place->file != WL_FILE_OTHER)
            return read_long_source(job, place, form);
        wl_word_operand(job, WL_OPERAND_TEXT)->count = 0; /* which of a triangle's corners */
        return true;
    case WL_AT_ATTR:
        wl_word_operand(job, WL_OPERAND_TEXT)->count = 0;
        return true;
    default:
        return false; /* interpolation */
    }
}

static bool read_long_place(struct wl_word_job *job, const struct wl_word_place *place, unsigned form) {
    const bool read = read_long_field(job, place, form);
    if (job->d->has_wide)
        wl_set_bank(job, place->role);
    return read;
}

/* Of a source of VOP3; where there are two results, the second stands where abs would. */
static bool has_signs(const struct wl_word_job *job, unsigned index) {
    const bool two = job->entry->shape.places[1].role == WL_AT_SDST;

    if (job->entry->row->encoding != WL_ENC_VOP3)
        return false;
    return job->w[1] >> (29 + index) & 1 || (!two && job->w[0] >> (8 + index) & 1);
}

/* Signs of sources that the instruction has not. What their fields hold else means nothing: newer compilers write 0 there as a constant. */
static bool has_long_strays(const struct wl_word_job *job) {
    const struct wl_word_shape *shape = &job->entry->shape;

    if (job->entry->interpolates) {
        const uint32_t allowed =
            (shape->places[1].signs ? 2 : 0) | (shape->roles & 4); /* the attribute stands in front of the first source */
        const bool high = shape->modifiers & WL_MOD_HIGH;
        return (job->w[1] >> 29 | (job->w[0] >> 8 & 7)) & ~allowed || (!high && (job->w[1] >> 8 & 1 || job->w[0] >> 11 & 15));
    }
    if (job->d->has_wide && shape->modifiers & WL_MOD_OP_SEL2 && (job->w[0] >> 8 & 7 || job->w[1] >> 29))
        return true;
    if (!shape->count && job->w[0] & 0xff)
        return true;
    for (unsigned i = 0; i < 3; i++)
        if (!(shape->roles >> i & 1) && has_signs(job, i) && !(shape->modifiers & WL_MOD_OP_SEL4))
            return true;
    if (shape->modifiers & WL_MOD_BYTE_SEL && shape->roles & 2)
        return !(shape->modifiers & WL_MOD_OP_SEL) && job->w[0] >> 11 & 3; /* the byte is the destination's */
    if (shape->modifiers & WL_MOD_BYTE_SEL && job->d->has_wide)
        return job->w[0] >> 13 & (shape->modifiers & WL_MOD_OP_SEL ? 1 : 3);
    if (job->entry->row->encoding == WL_ENC_VOP3 && (shape->modifiers & (WL_MOD_OP_SEL | WL_MOD_OP_SEL4)) == WL_MOD_OP_SEL)
        return job->w[0] >> 11 & 7u & ~shape->roles;
    return false;
}

static unsigned count_sources(const struct wl_word_shape *shape) {
    return (shape->roles & 1u) + (shape->roles >> 1 & 1u) + (shape->roles >> 2 & 1u);
}

/* Sources that have signs, a bit each: all of packed instructions, those that the row says of others. */
static unsigned signed_sources(const struct wl_word_job *job) {
    const struct wl_word_shape *shape = &job->entry->shape;
    unsigned sources = 0;

    if (shape->modifiers & WL_MOD_NEG_LO && !job->entry->wmma)
        return shape->roles;
    if (job->d->has_wide && shape->modifiers & WL_MOD_OP_SEL)
        return 7; /* signs of integers, which mean nothing */
    for (unsigned i = 0; i < shape->count; i++)
        if (shape->places[i].signs)
            sources |= 1u << (shape->places[i].role - WL_AT_SRC0);
    return sources;
}

/* The bits of op_sel that packed and matrix instructions have. */
static unsigned selecting_bits(const struct wl_word_job *job) {
    const struct wl_word_shape *shape = &job->entry->shape;

    if (shape->modifiers & WL_MOD_OP_SEL)
        return shape->roles;
    if (shape->modifiers & WL_MOD_MATRIX_FMT)
        return 7;
    return (shape->modifiers & WL_MOD_KEY8                     ? 3
            : shape->modifiers & (WL_MOD_KEY16 | WL_MOD_KEY32) ? 1
                                                               : 0) |
           (shape->modifiers & WL_MOD_MATRIX_REUSE ? 4 : 0);
}

/* Modifiers that a packed or matrix instruction does not have. */
static bool has_packed_strays(const struct wl_word_job *job) {
    const struct wl_word_shape *shape = &job->entry->shape;
    const uint32_t first = job->w[0], second = job->w[1];
    const unsigned signs = signed_sources(job);

    if (wl_starts_with(job->entry->row->name, "v_mfma_ld") && first & 0x80ff)
        return true;
    if (shape->modifiers & WL_MOD_CBSZ)
        return !(shape->modifiers & WL_MOD_BLGP) && second >> 29;
    if (shape->modifiers & WL_MOD_MATRIX_SCALE)
        return job->entry->row->encoding == WL_ENC_VOP3P && (!wl_is_scale12(job) || first & 0xff);
    if (job->entry->wmma && shape->places[1].registers == 2 && shape->places[1].signs && job->d->has_wide && first >> 8 & 3)
        return true; /* f32 has one sign */
    if (first >> 8 & 7 & ~(shape->modifiers & WL_MOD_NEG_LO && !(shape->modifiers & WL_MOD_NEG_HI) ? 0 : signs) || second >> 29 & ~signs ||
        first >> 11 & 7 & ~selecting_bits(job))
        return true;
    if (first >> 15 & 1 && !wl_starts_with(job->entry->row->name, "v_accvgpr") && !(shape->modifiers & WL_MOD_CLAMP) && !job->d->has_acc)
        return true;
    if (job->d->generation >= 12 && !(shape->modifiers & WL_MOD_OP_SEL) && !job->entry->bytes) /* op_sel_hi as if it were not there */
        return !(shape->modifiers & WL_MOD_MATRIX_FMT) && (job->entry->wmma || !job->d->has_wide) &&
               ((!(first >> 14 & 1) && !(shape->modifiers & WL_MOD_MATRIX_REUSE)) || (second >> 27 & 3) != 3);
    return false;
}

/* Sources of which op_sel takes a half, a bit each: not those that are both halves. */
static unsigned halved_sources(const struct wl_word_shape *shape) {
    unsigned sources = shape->roles;

    for (unsigned i = 0; i < shape->count; i++)
        if (shape->places[i].format == WL_FORMAT_PF16 || shape->places[i].format == WL_FORMAT_PBF16)
            sources &= ~(1u << (shape->places[i].role - WL_AT_SRC0));
    return sources;
}

/* op_sel as printed: a bit a source, then the destination's; not at all if they are 0. */
static void read_op_sel(struct wl_word_job *job) {
    const struct wl_word_shape *shape = &job->entry->shape;
    const unsigned sources = count_sources(shape), bits = job->w[0] >> 11 & 15;

    if (job->for_text && !(shape->modifiers & (WL_MOD_OP_SEL2 | WL_MOD_OP_SEL4 | WL_MOD_BITOP3))) {
        job->inst->op_sel = (uint8_t)((bits & ((1u << sources) - 1)) | (bits >> 3) << sources);
        return;
    }
    if (shape->modifiers & (WL_MOD_OP_SEL2 | WL_MOD_OP_SEL4)) {
        job->inst->op_sel = (uint8_t)(shape->modifiers & WL_MOD_OP_SEL2 ? bits & 3 : bits);
        return;
    }
    if (shape->modifiers & WL_MOD_BYTE_SEL) { /* which takes two of the bits */
        job->inst->op_sel = (uint8_t)(sources > 1 ? bits & 3 : bits >> 3 << sources);
        return;
    }
    job->inst->op_sel =
        (uint8_t)((bits & (job->d->has_wide && job->for_text ? shape->roles : halved_sources(shape))) | (bits >> 3) << sources);
}

/* gfx11 and later: op_sel selects halves in VOP3 whatever the disassembler says. */
static void read_unnamed_op_sel(struct wl_word_job *job) {
    struct wl_inst *inst = job->inst;
    const uint32_t word = job->w[0];
    const bool compares = inst->isa && inst->isa->class == WL_ISA_CMPX;
    const unsigned named = wl_starts_with(inst->mnemonic, "v_cmpx_") ? 0 : 1, sources = inst->operand_count - named;
    bool half = compares;

    if (job->d->has_wide && wl_starts_with(inst->mnemonic, "v_align")) {
        if (inst->op_sel & 4)
            inst->sem = wl_sem_find(inst->mnemonic[8] == 'i' ? "v_alignbit_b32_upper" : "v_alignbyte_b32_upper", NULL);
        inst->op_sel = 0;
        return;
    }
    if (!(word >> 11 & 15) || inst->op_sel || (!compares && (!inst->sem || inst->sem->result_count != 1)))
        return;
    for (unsigned i = 0; inst->sem && i < inst->sem->input_count; i++)
        half |= wl_type_bits((enum wl_type)inst->sem->inputs[i].type) == 16;
    half |= inst->sem && wl_type_bits((enum wl_type)inst->sem->results[0].type) == 16;
    if (wl_starts_with(inst->mnemonic, "v_align") && word >> 13 & 1) /* of the amount, which is 16 bits wide there */
        inst->sem = wl_sem_find(inst->mnemonic[8] == 'i' ? "v_alignbit_b32_upper" : "v_alignbyte_b32_upper", NULL);
    if (half)
        inst->op_sel = (uint8_t)((word >> 11 & 7 & ((1u << sources) - 1)) | (word >> 14 & 1) << sources);
}

static void read_packed_modifiers(struct wl_word_job *job) {
    const uint32_t modifiers = job->entry->shape.modifiers, first = job->w[0], second = job->w[1];
    const unsigned mask = (1u << (job->entry->wmma ? 3 : count_sources(&job->entry->shape))) - 1;
    struct wl_inst *inst = job->inst;

    if (modifiers & WL_MOD_OP_SEL)
        inst->op_sel = (uint8_t)(first >> 11 & 7 & mask);
    if (modifiers & WL_MOD_OP_SEL_HI) {
        const unsigned high = ((second >> 27 & 3) | (first >> 14 & 1) << 2) & mask;
        const char *name = job->entry->row->name;
        const bool packed =
            job->entry->wmma || wl_starts_with(name, "v_pk_") || wl_starts_with(name, "v_dot") || wl_starts_with(name, "v_mfma_ld");
        if (high != (packed ? mask : 0)) {
            inst->op_sel_hi = (uint8_t)high;
            inst->has_op_sel_hi = true;
        }
    }
    if (modifiers & WL_MOD_NEG_LO)
        inst->neg_lo = (uint8_t)(second >> 29 & mask);
    if (modifiers & WL_MOD_NEG_HI)
        inst->neg_hi = (uint8_t)(first >> 8 & mask);
}

static void read_scales(struct wl_inst *inst, uint32_t first, uint32_t second) {
    inst->scale_rows = (uint8_t)((first >> 11 & 1) | (second >> 27 & 1) << 1);
    inst->scale_kind_a = second >> 29 & 3;
    inst->scale_kind_b = first >> 8 & 3;
}

static void read_matrix_modifiers(struct wl_word_job *job) {
    const uint32_t modifiers = job->entry->shape.modifiers, first = job->w[0], second = job->w[1];
    struct wl_inst *inst = job->inst;

    if (modifiers & WL_MOD_CBSZ)
        inst->cbsz = first >> 8 & 7;
    if (modifiers & WL_MOD_ABID)
        inst->abid = first >> 11 & 15;
    if (modifiers & WL_MOD_BLGP)
        inst->blgp = (uint8_t)(second >> 29);
    if (modifiers & WL_MOD_KEY8)
        inst->abid = first >> 11 & 3;
    if (modifiers & (WL_MOD_KEY16 | WL_MOD_KEY32))
        inst->abid = first >> 11 & 1;
    if (modifiers & WL_MOD_MATRIX_SCALE && job->entry->row->encoding == WL_ENC_VOP3P)
        read_scales(inst, first, second);
    if (modifiers & WL_MOD_MATRIX_FMT) {
        inst->cbsz = first >> 11 & 7;
        inst->blgp = (uint8_t)((second >> 27 & 3) | (first >> 14 & 1) << 2);
    }
}

static bool read_output_modifiers(struct wl_word_job *job) {
    const uint32_t modifiers = job->entry->shape.modifiers;
    const unsigned omod = job->w[1] >> 27 & 3, clamp = job->w[0] >> 15 & 1;
    const bool vop3 = job->entry->row->encoding == WL_ENC_VOP3;

    if (modifiers & WL_MOD_CLAMP)
        job->inst->clamp = clamp;
    else if (vop3 && clamp)
        return false;
    if (modifiers & WL_MOD_OMOD)
        job->inst->omod = (uint8_t)omod;
    else if (vop3 && omod && !(modifiers & WL_MOD_BITOP3))
        return false;
    return true;
}

/* f8f6f4: A and B have as many registers as their kinds need, which cbsz and blgp say. (There is none above 4.) Without scales they are 1. */
static void finish_small(struct wl_word_job *job) {
    enum { ONE = 127 };
    struct wl_inst *inst = job->inst;

    if (job->d->has_wide) {
        inst->operands[1].count = inst->cbsz == 4 ? 8 : inst->cbsz == 2 || inst->cbsz == 3 ? 12 : 16;
        inst->operands[2].count = inst->blgp == 4 ? 8 : inst->blgp == 2 || inst->blgp == 3 ? 12 : 16;
        return;
    }
    for (unsigned i = 0; i < 2 && job->entry->row->encoding == WL_ENC_VOP3P; i++) /* no scales */
        wl_word_operand(job, WL_OPERAND_IMM)->bits = ONE;
    inst->operands[1].count = inst->cbsz == 4 ? 4 : inst->cbsz == 2 || inst->cbsz == 3 ? 6 : 8;
    inst->operands[2].count = inst->blgp == 4 ? 4 : inst->blgp == 2 || inst->blgp == 3 ? 6 : 8;
}

/* A table of three inputs, which is an operand here: omod has its highest bits, then abs, then neg. */
static void read_table(struct wl_word_job *job) {
    const uint32_t first = job->w[0], second = job->w[1];
    struct wl_operand *operand = wl_word_operand(job, WL_OPERAND_IMM);

    operand->bits = (second >> 27 & 3) << 6 | (first >> 8 & 7) << 3 | second >> 29;
    job->inst->op_sel = (job->inst->op_sel & 7) | (job->inst->op_sel & 8) << 1; /* the result's bit is behind those of all sources */
}

bool wl_decode_long(struct wl_word_job *job, unsigned form) {
    const struct wl_word_shape *shape = &job->entry->shape;
    const bool packed = job->entry->row->encoding == WL_ENC_VOP3P || job->entry->row->encoding == WL_ENC_VOP3PX;

    job->size = form == WL_ALONE ? 8 : 12;
    if (job->words * 4 < job->size || has_long_strays(job))
        return false;
    for (unsigned i = 0; i < shape->count; i++)
        if (!read_long_place(job, &shape->places[i], form))
            return false;
    if (!read_output_modifiers(job))
        return false;
    if (packed && has_packed_strays(job))
        return false;
    if (packed) {
        read_packed_modifiers(job);
        read_matrix_modifiers(job);
    } else if (shape->modifiers & WL_MOD_OP_SEL)
        read_op_sel(job);
    else if (shape->modifiers & WL_MOD_FI_BC)
        job->inst->op_sel = job->w[0] >> 11 & 3;
    else if (shape->modifiers & WL_MOD_SCALE_SEL)
        job->inst->scale_sel = job->w[0] >> 11 & 15;
    if (shape->modifiers & WL_MOD_BITOP3) {
        if (!(shape->modifiers & WL_MOD_OP_SEL) && job->w[0] >> 11 & 15)
            return false;
        read_table(job);
    }
    if (form != WL_ALONE && !read_dpp(job, job->w[2], form, job->w[1] & 0x1ff))
        return false;
    if (job->entry->chosen) {
        if (shape->modifiers & WL_MOD_MATRIX_FMT && (job->inst->cbsz > 4 || job->inst->blgp > 4))
            return false; /* no kind of numbers */
        if (job->entry->row->encoding == WL_ENC_VOP3P && !job->d->has_wide && job->w[0] >> 11 & 15)
            return false; /* would take scales */
        finish_small(job);
    }
    if (!packed && job->d->generation >= 11 && !job->for_text)
        read_unnamed_op_sel(job);
    return true;
}

/* ---- products with scales ---- */

static bool is_literal(unsigned code) { return code == 254 || code == 255; }

/* Two instructions of VOP3P: the first has the scales, and which of their bytes counts; the second is the product. */
bool wl_decode_scaled(struct wl_word_job *job) {
    static const struct wl_word_place scale = {.role = WL_AT_SRC0, .file = WL_FILE_SOURCE, .registers = 1, .format = WL_FORMAT_I32};
    static const struct wl_word_place scale64 = {.role = WL_AT_SRC0, .file = WL_FILE_SOURCE, .registers = 2, .format = WL_FORMAT_I64};
    const uint32_t first = job->w[0], second = job->w[1];

    if (job->d->has_wide && (is_literal(second & 0x1ff) || is_literal(second >> 9 & 0x1ff) || is_literal(job->w[3] >> 18 & 0x1ff)))
        return false; /* there is no room for it */
    job->w[0] = job->w[2];
    job->w[1] = job->w[3];
    if (!wl_decode_long(job, WL_ALONE))
        return false;
    if (job->d->has_wide) {
        job->size = 16;
        for (unsigned i = 0; i < 2; i++)
            if (!wl_read_source(job, wl_word_operand(job, WL_OPERAND_VGPR), second >> 9 * i & 0x1ff,
                                job->entry->row->opcode & 0x80 ? &scale64 : &scale))
                return false;
        read_scales(job->inst, first, second);
        job->w[0] = first; /* for the printer */
        return true;
    }
    for (unsigned i = 0; i < 2; i++)
        if (!wl_read_source(job, wl_word_operand(job, WL_OPERAND_VGPR), second >> 9 * i & 0x1ff, &scale))
            return false;
    job->inst->op_sel = first >> 11 & 3;
    job->inst->op_sel_hi = second >> 27 & 3;
    job->inst->has_op_sel_hi = true;
    job->size = 16;
    return true;
}
