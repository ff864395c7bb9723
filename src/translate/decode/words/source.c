/* The values that operand fields stand for. */
#include "translate/decode/words/engine.h"

#include <string.h>

static bool set_scalar(struct wl_operand *operand, unsigned reg, unsigned count) {
    operand->kind = WL_OPERAND_SGPR;
    operand->reg = (uint16_t)reg;
    operand->count = (uint8_t)count;
    return true;
}

static bool set_special(struct wl_operand *operand, enum wl_special special, unsigned count) {
    operand->kind = WL_OPERAND_SPECIAL;
    operand->reg = (uint16_t)special;
    operand->count = (uint8_t)count;
    return true;
}

/* Registers of a file of `size`, in groups that are aligned as the hardware wants them. */
static bool set_group(struct wl_operand *operand, unsigned base, unsigned number, unsigned count, unsigned size) {
    const unsigned align = count == 1 ? 1 : count == 2 ? 2 : 4;
    return number % align == 0 && number + count <= size && set_scalar(operand, base + number, count);
}

/* Registers with names. */
static bool set_named(const struct wl_word_job *job, struct wl_operand *operand, unsigned code, unsigned count) {
    const bool newer = job->d->generation >= 11;

    if (code == (newer ? 124 : 125)) {
        operand->kind = WL_OPERAND_OFF; /* null */
        operand->reg = job->for_text ? (uint16_t)code : 0;
        operand->count = 0;
        return true;
    }
    if (count > 2)
        return false;
    if (code == (newer ? 125 : 124))
        return count == 1 && set_scalar(operand, WL_SGPR_M0, 1);
    if (code >= WL_SGPR_FLAT_SCRATCH && code < WL_SGPR_TTMP)
        return (count == 1 || code % 2 == 0) && set_scalar(operand, code, count);
    if (code == WL_SGPR_EXEC || (code == WL_SGPR_EXEC + 1 && count == 1))
        return set_scalar(operand, code, count);
    return false;
}

bool wl_read_scalar(const struct wl_word_job *job, struct wl_operand *operand, unsigned code, const struct wl_word_place *place) {
    const unsigned count = place->registers, sgprs = job->d->generation >= 10 ? 106 : 102;

    if (code < sgprs)
        return set_group(operand, 0, code, count, 106);
    if (code >= WL_SGPR_TTMP && code < WL_SGPR_TTMP + 16)
        return count != 3 && set_group(operand, WL_SGPR_TTMP, code - WL_SGPR_TTMP, count, 16);
    if (!set_named(job, operand, code, count))
        return false;
    if (place->no_exec && (code == WL_SGPR_EXEC || code == WL_SGPR_EXEC + 1))
        return false;
    if (place->no_exec_hi && code == WL_SGPR_EXEC + 1)
        return false;
    return !(place->no_m0 && operand->kind == WL_OPERAND_SGPR && operand->reg == WL_SGPR_M0);
}

void wl_set_bank(const struct wl_word_job *job, unsigned field) {
    static const uint8_t banks[] = {
        [WL_AT_VDST] = WL_BANK_DST,  [WL_AT_SRC0] = WL_BANK_SRC0,  [WL_AT_SRC1] = WL_BANK_SRC1,  [WL_AT_SRC2] = WL_BANK_SRC2,
        [WL_AT_ADDR] = WL_BANK_SRC0, [WL_AT_DATA0] = WL_BANK_SRC1, [WL_AT_DATA1] = WL_BANK_SRC2, [WL_AT_VDATA] = WL_BANK_SRC1,
    };
    struct wl_operand *last = job->inst->operand_count ? &job->inst->operands[job->inst->operand_count - 1] : NULL;

    if (last && last->kind == WL_OPERAND_VGPR && field < sizeof banks)
        last->bank = banks[field];
}

static bool set_source_special(const struct wl_word_job *job, struct wl_operand *operand, unsigned code, unsigned count) {
    switch (code) {
    case 230:
        return job->d->has_wide && set_special(operand, WL_SPECIAL_FLAT_SCRATCH_BASE_LO, count);
    case 231:
        return job->d->has_wide && count == 1 && set_special(operand, WL_SPECIAL_FLAT_SCRATCH_BASE_HI, 1);
    case 235:
        return set_special(operand, WL_SPECIAL_SHARED_BASE, 2);
    case 236:
        return set_special(operand, WL_SPECIAL_SHARED_LIMIT, 2);
    case 237:
        return set_special(operand, WL_SPECIAL_PRIVATE_BASE, 2);
    case 238:
        return set_special(operand, WL_SPECIAL_PRIVATE_LIMIT, 2);
    case 239:
        return set_special(operand, WL_SPECIAL_POPS_EXITING_WAVE_ID, 1);
    case 251:
        return set_special(operand, WL_SPECIAL_VCCZ, 1);
    case 252:
        return set_special(operand, WL_SPECIAL_EXECZ, 1);
    case 253:
        return set_special(operand, WL_SPECIAL_SCC, 1);
    case 254:
        return count == 1 && set_special(operand, WL_SPECIAL_LDS_DIRECT, 1);
    default:
        return false;
    }
}

/* ---- constants ---- */

static const double fractions[] = {0.5, -0.5, 1.0, -1.0, 2.0, -2.0, 4.0, -4.0, 0.15915494309189532};
static const uint32_t singles[] = {0x3f000000, 0xbf000000, 0x3f800000, 0xbf800000, 0x40000000,
                                   0xc0000000, 0x40800000, 0xc0800000, 0x3e22f983};
static const uint16_t halves[] = {0x3800, 0xb800, 0x3c00, 0xbc00, 0x4000, 0xc000, 0x4400, 0xc400, 0x3118};
static const uint16_t brains[] = {0x3f00, 0xbf00, 0x3f80, 0xbf80, 0x4000, 0xc000, 0x4080, 0xc080, 0x3e22};
static const uint64_t doubles[] = {0x3fe0000000000000, 0xbfe0000000000000, 0x3ff0000000000000, 0xbff0000000000000, 0x4000000000000000,
                                   0xc000000000000000, 0x4010000000000000, 0xc010000000000000, 0x3fc45f306dc9c882};
enum { FRACTIONS = sizeof fractions / sizeof *fractions };

static void set_integer(struct wl_operand *operand, int64_t value) {
    operand->kind = WL_OPERAND_IMM;
    operand->count = 1;
    operand->bits = (uint64_t)value;
}

static void set_fraction(struct wl_operand *operand, unsigned index) {
    operand->kind = WL_OPERAND_IMM;
    operand->count = 1;
    operand->is_float = true;
    operand->number = fractions[index];
}

void wl_set_literal(struct wl_operand *operand, uint64_t bits) {
    set_integer(operand, (int64_t)bits);
    operand->literal = bits <= UINT32_MAX;
}

static bool is_small(int64_t value) { return value >= -16 && value <= 64; }

static bool match32(struct wl_operand *operand, uint32_t bits) {
    for (unsigned i = 0; i < FRACTIONS; i++)
        if (singles[i] == bits) {
            set_fraction(operand, i);
            return true;
        }
    return false;
}

static bool match16(struct wl_operand *operand, const uint16_t *values, uint32_t bits) {
    for (unsigned i = 0; i < FRACTIONS; i++)
        if (values[i] == bits) {
            set_fraction(operand, i);
            return true;
        }
    return false;
}

void wl_set_immediate32(struct wl_operand *operand, uint32_t bits) {
    if (is_small((int32_t)bits))
        set_integer(operand, (int32_t)bits);
    else if (!match32(operand, bits))
        wl_set_literal(operand, bits);
}

static void set_immediate64(struct wl_operand *operand, uint64_t bits, bool as_float) {
    if (is_small((int64_t)bits)) {
        set_integer(operand, (int64_t)bits);
        return;
    }
    for (unsigned i = 0; i < FRACTIONS; i++)
        if (doubles[i] == bits) {
            set_fraction(operand, i);
            return;
        }
    wl_set_literal(operand, as_float ? bits >> 32 : bits);
}

static void set_immediate16(struct wl_operand *operand, const uint16_t *values, uint32_t bits) {
    if (is_small((int16_t)bits))
        set_integer(operand, (int16_t)bits);
    else if (!match16(operand, values, bits & 0xffff))
        wl_set_literal(operand, values == brains ? bits : bits & 0xffff);
}

static void set_packed(struct wl_operand *operand, const uint16_t *values, uint32_t bits) {
    if (is_small((int32_t)bits))
        set_integer(operand, (int32_t)bits);
    else if (bits > 0xffff || !match16(operand, values, bits))
        wl_set_literal(operand, bits);
}

/* The bits as a literal, or those of an inline constant, in the type's notation. */
static void set_constant(struct wl_operand *operand, uint32_t bits, enum wl_format format) {
    switch (format) {
    case WL_FORMAT_I16:
        if (is_small((int32_t)bits))
            set_integer(operand, (int32_t)bits);
        else if (!match32(operand, bits))
            wl_set_literal(operand, bits & 0xffff);
        break;
    case WL_FORMAT_F16:
        set_immediate16(operand, halves, bits);
        break;
    case WL_FORMAT_BF16:
        set_immediate16(operand, brains, bits);
        break;
    case WL_FORMAT_PF16:
        set_packed(operand, halves, bits);
        break;
    case WL_FORMAT_PBF16:
        set_packed(operand, brains, bits);
        break;
    case WL_FORMAT_I64:
        set_immediate64(operand, bits, false);
        break;
    case WL_FORMAT_F64:
        set_immediate64(operand, (uint64_t)bits << 32, true);
        break;
    default:
        wl_set_immediate32(operand, bits);
        break;
    }
}

/* Inline constants 240 to 248. */
static void set_inline_fraction(struct wl_operand *operand, unsigned index, enum wl_format format) {
    if (format == WL_FORMAT_I16) /* has no fractions: the bits of f16 */
        wl_set_literal(operand, halves[index]);
    else
        set_fraction(operand, index);
}

bool wl_fetch_literal(struct wl_word_job *job) {
    if (job->has_literal)
        return !job->long_literal;
    if (job->available < job->size + 4 || (job->d->generation == 9 && job->size > 4)) /* gfx9 has 8 bytes at most */
        return false;
    const uint8_t *at = job->bytes + job->size;
    job->literal = (uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
    job->has_literal = true;
    job->size += 4;
    return true;
}

bool wl_fetch_literal64(struct wl_word_job *job) {
    uint64_t bits = 0;

    if (job->has_literal)
        return job->long_literal;
    if (job->available < job->size + 8)
        return false;
    for (unsigned i = 0; i < 8; i++)
        bits |= (uint64_t)job->bytes[job->size + i] << 8 * i;
    job->literal = bits;
    job->has_literal = job->long_literal = true;
    job->size += 8;
    return true;
}

/* A literal of 64 bits, of which others take the lower half. As text it is what LLVM makes of it. */
static bool read_literal64(struct wl_word_job *job, struct wl_operand *operand, const struct wl_word_place *place) {
    const enum wl_format format = (enum wl_format)place->format;

    if (!wl_fetch_literal64(job))
        return false;
    if (!job->for_text || format == WL_FORMAT_NONE) {
        set_integer(operand, (int64_t)(place->registers == 2 ? job->literal : job->literal & UINT32_MAX));
        return true;
    }
    if (job->literal <= UINT32_MAX) {
        set_integer(operand, (int64_t)job->literal);
        operand->sel = WL_TEXT_LIT64;
    } else if (format == WL_FORMAT_I64 || format == WL_FORMAT_F64) {
        set_immediate64(operand, job->literal, false);
        if (operand->kind == WL_OPERAND_IMM && !operand->is_float && !is_small((int64_t)operand->bits)) {
            operand->literal = true;
            operand->bits = format == WL_FORMAT_F64 && !(uint32_t)job->literal ? job->literal >> 32 : job->literal;
        }
    } else
        set_constant(operand, (uint32_t)job->literal, format);
    return true;
}

static bool takes_constants(const struct wl_word_place *place) { return place->format != WL_FORMAT_NONE; }

static bool read_constant(struct wl_word_job *job, struct wl_operand *operand, unsigned code, const struct wl_word_place *place) {
    const enum wl_format format = (enum wl_format)place->format;

    if (code <= 208 || (code >= 240 && code <= 248)) {
        if (!takes_constants(place))
            return false;
        if (code >= 240)
            set_inline_fraction(operand, code - 240, format);
        else
            set_integer(operand, code <= 192 ? (int)code - 128 : 192 - (int)code);
        return true;
    }
    if (code != 255 || !takes_constants(place) || !wl_fetch_literal(job))
        return false;
    set_constant(operand, (uint32_t)job->literal, format);
    const bool fraction16 = job->d->has_wide && format == WL_FORMAT_I16 && operand->is_float && job->entry->row->encoding != WL_ENC_SOPC;
    if (job->for_text && !operand->literal && format != WL_FORMAT_F64 &&
        !fraction16) /* "lit(...)": the inline constant of this value is another word */
        *operand = (struct wl_operand){.kind = WL_OPERAND_IMM, .count = 1, .literal = true, .upper = true, .bits = job->literal};
    return true;
}

/* Files that take vector registers. */
static bool takes_vectors(const struct wl_word_place *place) {
    return place->file != WL_FILE_S && place->file != WL_FILE_CONST && place->file != WL_FILE_S_LDS && place->file != WL_FILE_MASK;
}

static bool takes_scalars(const struct wl_word_place *place) {
    return (place->file == WL_FILE_NAMED && place->format != WL_FORMAT_NONE) || place->file == WL_FILE_SOURCE || place->file == WL_FILE_S ||
           place->file == WL_FILE_CONST || place->file == WL_FILE_S_LDS || place->file == WL_FILE_MASK;
}

bool wl_read_source(struct wl_word_job *job, struct wl_operand *operand, unsigned code, const struct wl_word_place *place) {
    const bool salu = job->entry->row->encoding <= WL_ENC_SMEM;
    const unsigned low = code & 0x1ff;

    if (low >= 256)
        return takes_vectors(place) && wl_read_vector(job, operand, low - 256, place->registers, code & 512);
    if (low < 128)
        return takes_scalars(place) && wl_read_scalar(job, operand, low, place);
    if (low <= 208 || (low >= 240 && low <= 248) || low == 255)
        return read_constant(job, operand, low, place);
    if (low == 254 && job->d->has_wide)
        return takes_constants(place) && job->entry->row->encoding != WL_ENC_VOPD3_X && job->entry->row->encoding != WL_ENC_VOPD3_Y &&
               read_literal64(job, operand, place);
    if (low == 254 && (salu || place->file == WL_FILE_CONST))
        return false;
    if (!takes_scalars(place) && !takes_constants(place) && !(low == 254 && place->file == WL_FILE_V_LDS))
        return false;
    return place->registers <= 2 && set_source_special(job, operand, low, place->registers);
}

bool wl_read_mask(const struct wl_word_job *job, struct wl_operand *operand, unsigned code) {
    const struct wl_word_place place = {.registers = job->d->wave64 ? 2 : 1};
    return code < 128 && wl_read_scalar(job, operand, code, &place);
}

void wl_set_vcc(const struct wl_word_job *job, struct wl_operand *operand) { set_scalar(operand, WL_SGPR_VCC, job->d->wave64 ? 2 : 1); }

bool wl_read_literal_place(struct wl_word_job *job, const struct wl_word_place *place) {
    struct wl_operand *operand = wl_word_operand(job, WL_OPERAND_IMM);

    if (place->registers == 2) {
        if (!wl_fetch_literal64(job))
            return false;
        operand->bits = job->literal;
        if (job->for_text) {
            operand->sel = job->literal <= UINT32_MAX ? WL_TEXT_LIT64 : 0;
            operand->literal = true;
            operand->bits = (uint32_t)job->literal ? job->literal : job->literal >> 32;
        }
        return true;
    }
    if (!wl_fetch_literal(job) || job->literal > UINT32_MAX)
        return false;
    wl_set_literal(operand, job->literal);
    return true;
}

/* The register of src1 in v_fmamk_* stands where others have src2. */
void wl_set_place_bank(const struct wl_word_job *job, const struct wl_word_place *place) {
    const struct wl_word_shape *shape = &job->entry->shape;
    const bool third = place->role == WL_AT_SRC1 && shape->count == 4 && shape->places[2].role == WL_AT_IMM;
    wl_set_bank(job, third ? (unsigned)WL_AT_SRC2 : place->role);
}
