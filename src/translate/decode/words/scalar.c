/* Scalar instructions, and scalar memory. */
#include "translate/decode/words/engine.h"

#include <string.h>

static struct wl_operand *set_text(struct wl_word_job *job, uint32_t bits) {
    struct wl_operand *operand = wl_word_operand(job, WL_OPERAND_TEXT);
    operand->bits = bits;
    operand->count = 0;
    return operand;
}

static uint64_t branch_target(const struct wl_word_job *job) {
    return job->inst->address + 4 + (uint64_t)((int64_t)(int16_t)job->w[0] * 4);
}

static bool jumps(const struct wl_inst *inst) {
    const unsigned class = inst->isa ? inst->isa->class : WL_ISA_NOP;
    return class == WL_ISA_BRANCH || class == WL_ISA_CBRANCH || class == WL_ISA_CALL;
}

/* The 16 bits of SOPK and SOPP. */
static bool read_simm16(struct wl_word_job *job, enum wl_meaning meaning) {
    const uint32_t bits = job->w[0] & 0xffff;

    switch (meaning) {
    case WL_MEANS_LABEL:
        if (!jumps(job->inst) || job->for_text) { /* loops of subvectors, forks: nothing implements them */
            wl_word_operand(job, WL_OPERAND_IMM)->bits = bits;
            return true;
        }
        wl_word_operand(job, WL_OPERAND_LABEL)->bits = branch_target(job);
        return true;
    case WL_MEANS_IMM:
        wl_set_immediate32(wl_word_operand(job, WL_OPERAND_IMM), bits);
        return true;
    case WL_MEANS_HEX:
        wl_set_literal(wl_word_operand(job, WL_OPERAND_IMM), bits);
        return true;
    case WL_MEANS_GPR_IDX:
        if (bits > 15)
            wl_set_literal(wl_word_operand(job, WL_OPERAND_IMM), bits);
        else
            set_text(job, bits);
        return true;
    case WL_MEANS_END:
        if (bits)
            wl_word_operand(job, WL_OPERAND_IMM)->bits = bits;
        return true;
    default:
        set_text(job, bits);
        return true;
    }
}

static bool read_source(struct wl_word_job *job, unsigned code, const struct wl_word_place *place) {
    static const struct wl_word_place barrier = {.registers = 1, .format = WL_FORMAT_I32};

    if (place->file == WL_FILE_OTHER && place->format == WL_MEANS_BARRIER)
        place = &barrier;
    if (place->file == WL_FILE_OTHER) { /* a message */
        set_text(job, code);
        return true;
    }
    return wl_read_source(job, wl_word_operand(job, WL_OPERAND_SGPR), code, place);
}

static bool read_place(struct wl_word_job *job, const struct wl_word_place *place, unsigned sdst) {
    const uint32_t word = job->w[0];

    switch ((enum wl_field)place->role) {
    case WL_AT_SDST:
        return wl_read_scalar(job, wl_word_operand(job, WL_OPERAND_SGPR), sdst, place);
    case WL_AT_SRC0:
        return read_source(job, word & 0xff, place);
    case WL_AT_SRC1:
        return read_source(job, word >> 8 & 0xff, place);
    case WL_AT_SIMM16:
        return read_simm16(job, (enum wl_meaning)place->format);
    case WL_AT_IMM:
        if (!wl_fetch_literal(job) || job->literal > UINT32_MAX)
            return false;
        if (place->file == WL_FILE_LITERAL)
            wl_set_literal(wl_word_operand(job, WL_OPERAND_IMM), job->literal);
        else
            wl_set_immediate32(wl_word_operand(job, WL_OPERAND_IMM), (uint32_t)job->literal);
        return true;
    default:
        return false;
    }
}

/* The forms that are another instruction in disguise (alias.c): "s_addk_i32 d, k" is "s_add_i32 d, d, k". */
static void repeat_destination(struct wl_inst *inst) {
    inst->operands[2] = inst->operands[1];
    inst->operands[1] = inst->operands[0];
    inst->operand_count = 3;
}

static void extend_constant(struct wl_word_job *job) {
    const char *name = job->entry->row->name;
    struct wl_inst *inst = job->inst;
    struct wl_operand *operand = &inst->operands[1];

    if (inst->operand_count != 2 || operand->kind != WL_OPERAND_IMM)
        return;
    operand->literal = false;
    if (strncmp(name, "s_cmpk_", 7) != 0 || !strstr(name, "_u32"))
        operand->bits = (uint64_t)(int64_t)(int16_t)job->w[0];
    if (strncmp(name, "s_addk_", 7) == 0 || strcmp(name, "s_mulk_i32") == 0)
        repeat_destination(inst);
}

/* What only waits or hints has its 16 bits as the one operand. */
static void show_bits(struct wl_word_job *job) {
    struct wl_inst *inst = job->inst;

    memset(inst->operands, 0, sizeof inst->operands);
    inst->operand_count = 0;
    set_text(job, job->w[0] & 0xffff)->count = 1;
}

static void finish_scalar(struct wl_word_job *job) {
    struct wl_inst *inst = job->inst;

    switch ((enum wl_scalar_meaning)job->entry->scalar) {
    case WL_SCALAR_SIGNAL:
        if (inst->operands[0].kind != WL_OPERAND_IMM || inst->operands[0].bits != UINT64_MAX)
            inst->isa = wl_isa_other_barrier(inst->mnemonic);
        break;
    case WL_SCALAR_WAIT:
        if ((job->w[0] & 0xffff) != 0xffff)
            inst->isa = wl_isa_other_barrier(inst->mnemonic);
        break;
    case WL_SCALAR_CODE_END:
        memset(inst->operands, 0, sizeof inst->operands);
        inst->operand_count = 0;
        wl_word_operand(job, WL_OPERAND_IMM)->bits = 2;
        break;
    case WL_SCALAR_INDEX_ON: {
        const uint32_t mode = job->w[0] >> 8 & 0xff;

        inst->operand_count = 1;
        if (mode > 15)
            wl_set_literal(wl_word_operand(job, WL_OPERAND_IMM), mode);
        else
            set_text(job, mode);
        break;
    }
    case WL_SCALAR_HINT:
        show_bits(job);
        break;
    case WL_SCALAR_CONSTANT:
        extend_constant(job);
        break;
    default:
        break;
    }
}

bool wl_decode_scalar(struct wl_word_job *job) {
    const struct wl_word_shape *shape = &job->entry->shape;

    job->size = 4;
    if (!shape->count && job->entry->row->encoding == WL_ENC_SOPP && job->w[0] & 0xffff)
        return false;
    for (unsigned i = 0; i < shape->count; i++)
        if (!read_place(job, &shape->places[i], job->w[0] >> 16 & 0x7f))
            return false;
    if (!job->for_text)
        finish_scalar(job);
    return true;
}

/* ---- scalar memory ---- */

static int32_t sign_extend(uint32_t bits, unsigned width) { return (int32_t)(bits << (32 - width)) >> (32 - width); }

/* An offset, a register with an offset, or both, as operands; the offset beside a register is a modifier. */
static bool read_address(struct wl_word_job *job) {
    static const struct wl_word_place soffset = {.file = WL_FILE_S, .registers = 1};
    const unsigned generation = job->d->generation;
    const uint32_t first = job->w[0], second = job->w[1];
    unsigned reg = second >> 25;
    bool has_reg, has_offset;
    int32_t offset;

    if (generation == 9) {
        const bool imm = first >> 17 & 1, both = first >> 14 & 1;

        has_reg = !imm || both;
        has_offset = imm;
        offset = sign_extend(second & 0x1fffff, 21);
        if (has_reg && !both)
            reg = second & 0x7f;
    } else {
        offset = generation >= 12 ? sign_extend(second & 0xffffff, 24) : sign_extend(second & 0x1fffff, 21);
        has_reg = reg != (generation >= 11 ? 124u : 125u) || (!offset && generation < 12);
        has_offset = !has_reg || offset || generation >= 12;
    }
    if (has_reg) {
        if (!wl_read_scalar(job, wl_word_operand(job, WL_OPERAND_SGPR), reg, &soffset))
            return false;
        if (has_offset)
            job->inst->offset0 = offset;
        return true;
    }
    if (offset < 0)
        wl_word_operand(job, WL_OPERAND_IMM)->bits = (uint64_t)(int64_t)offset;
    else
        wl_set_literal(wl_word_operand(job, WL_OPERAND_IMM), (uint32_t)offset);
    return true;
}

static void read_cache_bits(struct wl_word_job *job) {
    struct wl_inst *inst = job->inst;
    const uint32_t word = job->w[0];

    switch (job->d->generation) {
    case 9:
        inst->glc = word >> 16 & 1;
        break;
    case 10:
        inst->glc = word >> 16 & 1;
        inst->dlc = word >> 14 & 1;
        break;
    case 11:
        inst->glc = word >> 14 & 1;
        inst->dlc = word >> 13 & 1;
        break;
    default:
        inst->dlc = word >> 21 & 3; /* a scope wider than the compute unit */
        inst->sc1 = word >> 22 & 1;
        inst->scale_offset = job->d->has_wide && job->w[1] >> 24 & 1;
        break;
    }
}

static bool read_smem_place(struct wl_word_job *job, const struct wl_word_place *place) {
    const uint32_t word = job->w[0];

    switch ((enum wl_field)place->role) {
    case WL_AT_SDST:
    case WL_AT_SDATA:
        if (place->file == WL_FILE_OTHER) {
            wl_set_immediate32(wl_word_operand(job, WL_OPERAND_IMM), word >> 6 & (job->d->generation >= 12 ? 0x1f : 0x7f));
            return true;
        }
        return wl_read_scalar(job, wl_word_operand(job, WL_OPERAND_SGPR), word >> 6 & 0x7f, place);
    case WL_AT_SBASE:
        return wl_read_scalar(job, wl_word_operand(job, WL_OPERAND_SGPR), (word & 0x3f) * 2, place);
    case WL_AT_ADDR:
        return read_address(job);
    default:
        return false;
    }
}

/* gfx9: an offset without an address. gfx11: a policy where there is none; gfx12: a constant of more than 5 bits, and in buffers a negative
 * offset. */
static bool has_smem_strays(const struct wl_word_job *job) {
    const bool hints = job->inst->isa && job->inst->isa->class == WL_ISA_NOP;

    switch (job->d->generation) {
    case 9:
        return job->entry->shape.count <= 1 && job->w[0] >> 17 & 1;
    case 11:
        return hints && job->w[0] >> 13 & 3;
    case 12:
        if (job->w[1] >> 23 & 1 && job->entry->positive)
            return true; /* a negative offset */
        return hints && job->entry->shape.count && job->w[0] >> 11 & 3;
    default:
        return false;
    }
}

bool wl_decode_smem(struct wl_word_job *job) {
    const struct wl_word_shape *shape = &job->entry->shape;

    job->size = 8;
    if (job->words < 2 || has_smem_strays(job))
        return false;
    for (unsigned i = 0; i < shape->count; i++)
        if (!read_smem_place(job, &shape->places[i]))
            return false;
    if (job->inst->isa && job->inst->isa->class == WL_ISA_NOP && !job->for_text) {
        show_bits(job);
        job->inst->offset0 = 0;
    } else if (shape->count > 1)
        read_cache_bits(job);
    return true;
}
