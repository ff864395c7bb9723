/* Pairs of vector instructions: VOPD, and VOPD3 of gfx1250. */
#include "translate/decode/words/engine.h"

#include <string.h>

static bool read_pair_field(struct wl_word_job *job, const struct wl_word_place *place, bool second) {
    const unsigned x = job->w[1] >> 24, y = (job->w[1] >> 17 & 0x7f) << 1 | (~x & 1);

    switch ((enum wl_field)place->role) {
    case WL_AT_VDST:
        return wl_read_vector(job, wl_word_operand(job, WL_OPERAND_VGPR), second ? y : x, 1, false);
    case WL_AT_SRC0:
        return wl_read_source(job, wl_word_operand(job, WL_OPERAND_VGPR), job->w[second] & 0x1ff, place);
    case WL_AT_SRC1:
        return wl_read_vector(job, wl_word_operand(job, WL_OPERAND_VGPR), job->w[second] >> 9 & 0xff, 1, false);
    case WL_AT_IMM:
        return wl_read_literal_place(job, place);
    default:
        return false;
    }
}

static bool read_pair_place(struct wl_word_job *job, const struct wl_word_place *place, bool second) {
    const bool read = read_pair_field(job, place, second);
    if (job->d->has_wide)
        wl_set_place_bank(job, place);
    return read;
}

bool wl_decode_vopd(struct wl_word_job *job, bool second) {
    const struct wl_word_shape *shape = &job->entry->shape;

    if (!second)
        job->size = 8;
    if (job->words < 2)
        return false;
    if (!(shape->roles & 2) && job->w[second] >> 9 & 0xff)
        return false;
    for (unsigned i = 0; i < shape->count; i++)
        if (!read_pair_place(job, &shape->places[i], second))
            return false;
    if (strstr(job->entry->row->name, "cndmask"))
        wl_set_vcc(job, wl_word_operand(job, WL_OPERAND_SGPR));
    return true;
}

/* ---- gfx1250's longer encoding: all registers, signs, and a third source ---- */

static bool read_pair3_place(struct wl_word_job *job, const struct wl_word_place *place, bool second) {
    const uint32_t middle = job->w[1], last = job->w[2], signs = middle >> (second ? 12 : 9) & 7;
    struct wl_operand *operand = wl_word_operand(job, WL_OPERAND_VGPR);
    bool read;

    switch ((enum wl_field)place->role) {
    case WL_AT_VDST:
        read = wl_read_vector(job, operand, second ? last >> 24 : last & 0xff, place->registers, false);
        break;
    case WL_AT_SRC0:
        read = wl_read_source(job, operand, job->w[second] & 0x1ff, place);
        operand->neg = place->signs && signs & 1;
        break;
    case WL_AT_SRC1:
        read = wl_read_vector(job, operand, second ? last >> 8 & 0xff : middle >> 16 & 0xff, place->registers, false);
        operand->neg = place->signs && signs >> 1 & 1;
        break;
    case WL_AT_SRC2:
        if (place->file == WL_FILE_MASK)
            return wl_read_mask(job, operand, second ? last >> 16 & 0xff : middle >> 24);
        read = wl_read_vector(job, operand, second ? last >> 16 & 0xff : middle >> 24, place->registers, false);
        operand->neg = place->signs && signs >> 2 & 1;
        break;
    default:
        return false;
    }
    wl_set_bank(job, place->role);
    return read;
}

/* Fields and signs that the instruction has not. */
static bool has_pair3_strays(const struct wl_word_job *job, bool second) {
    const struct wl_word_shape *shape = &job->entry->shape;
    const unsigned signs = job->w[1] >> (second ? 12 : 9) & 7;
    const unsigned src1 = second ? job->w[2] >> 8 & 0xff : job->w[1] >> 16 & 0xff, src2 = second ? job->w[2] >> 16 & 0xff : job->w[1] >> 24;
    unsigned signed_sources = 0;

    for (unsigned i = 0; i < shape->count; i++)
        if (shape->places[i].signs)
            signed_sources |= 1u << (shape->places[i].role - WL_AT_SRC0);
    return signs & ~signed_sources || (!(shape->roles & 2) && src1) || (!(shape->roles & 4) && !(shape->modifiers & WL_MOD_BITOP3) && src2);
}

bool wl_decode_vopd3(struct wl_word_job *job, bool second) {
    const struct wl_word_shape *shape = &job->entry->shape;

    if (!second)
        job->size = 12;
    if (job->words < 3 || has_pair3_strays(job, second))
        return false;
    for (unsigned i = 0; i < shape->count; i++)
        if (!read_pair3_place(job, &shape->places[i], second))
            return false;
    if (shape->modifiers & WL_MOD_BITOP3)
        wl_word_operand(job, WL_OPERAND_IMM)->bits = job->w[2] >> 16 & 0xff;
    return true;
}
