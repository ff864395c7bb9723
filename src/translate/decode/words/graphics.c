/* Interpolation, parameters, export: graphics' instructions, which are named and not run. */
#include "translate/decode/words/engine.h"

static void read_interpolated(struct wl_word_job *job, const struct wl_word_place *place) {
    struct wl_operand *operand = wl_word_operand(job, WL_OPERAND_TEXT);

    operand->count = 0;
    if (place->file == WL_FILE_V)
        wl_read_vector(job, operand, place->role == WL_AT_VDST ? job->w[0] >> 18 & 0xff : job->w[0] & 0xff, 1, false);
}

static void add_text(struct wl_word_job *job) { wl_word_operand(job, WL_OPERAND_TEXT)->count = 0; }

/* Target, four registers of which each may be off, and what follows them: done, compr, vm. */
static void read_export(struct wl_word_job *job) {
    const uint32_t word = job->w[0];
    const bool older = job->d->generation <= 10, packed = older && word >> 10 & 1;

    add_text(job);
    for (unsigned i = 0; i < 4; i++) {
        const unsigned field = packed ? i / 2 : i;
        struct wl_operand *operand = wl_word_operand(job, WL_OPERAND_OFF);

        operand->count = 0;
        if (word >> i & 1)
            wl_read_vector(job, operand, job->w[1] >> 8 * field & 0xff, 1, false);
    }
    for (unsigned i = 0; i < 3; i++)
        if (word >> (10 + i) & 1 && (i == 1 || older))
            add_text(job);
}

/* VINTERP: like VOP3, with vector registers alone, whose halves op_sel chooses. */
static bool read_interpolation(struct wl_word_job *job) {
    struct wl_operand *result = wl_word_operand(job, WL_OPERAND_VGPR);

    wl_read_vector(job, result, job->w[0] & 0xff, 1, false);
    result->upper = job->w[0] >> 14 & 1;
    for (unsigned i = 0; i < 3; i++) {
        struct wl_operand *operand = wl_word_operand(job, WL_OPERAND_VGPR);
        const unsigned code = job->w[1] >> 9 * i & 0x1ff;

        if (code < 256)
            return false;
        wl_read_vector(job, operand, code - 256, 1, false);
        operand->upper = job->w[0] >> (11 + i) & 1;
        operand->neg = job->w[1] >> (29 + i) & 1;
    }
    job->inst->clamp = job->w[0] >> 15 & 1;
    return true;
}

bool wl_decode_graphics(struct wl_word_job *job) {
    static const uint8_t sizes[WL_ENC_COUNT] = {[WL_ENC_VINTRP] = 4, [WL_ENC_LDSDIR] = 4, [WL_ENC_VINTERP] = 8, [WL_ENC_EXP] = 8};
    const struct wl_word_shape *shape = &job->entry->shape;

    job->size = sizes[job->entry->row->encoding];
    if (job->words * 4 < job->size)
        return false;
    if (job->entry->row->encoding == WL_ENC_LDSDIR) {
        if (job->w[0] >> 22 & (job->d->generation >= 12 ? 1 : 3))
            return false;
        for (unsigned i = 0; i < shape->count; i++)
            if (shape->places[i].role == WL_AT_VDST)
                wl_read_vector(job, wl_word_operand(job, WL_OPERAND_VGPR), job->w[0] & 0xff, 1, false);
            else
                add_text(job);
        return true;
    }
    job->inst->isa = NULL;
    job->inst->sem = NULL;
    if (job->entry->row->encoding == WL_ENC_VINTERP && !read_interpolation(job))
        return false;
    if (job->entry->row->encoding == WL_ENC_EXP)
        read_export(job);
    for (unsigned i = 0; i < shape->count && job->entry->row->encoding == WL_ENC_VINTRP; i++)
        read_interpolated(job, &shape->places[i]);
    return true;
}
