#include "translate/decode/words/decoder.h"
#include "base/text.h"
#include "translate/decode/decode.h"
#include "translate/decode/words/engine.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- the index ---- */

static const uint16_t opcodes[WL_ENC_COUNT] = {
    [WL_ENC_SOP1] = 256,    [WL_ENC_SOP2] = 128,   [WL_ENC_SOPC] = 128,   [WL_ENC_SOPK] = 32,    [WL_ENC_SOPP] = 128,
    [WL_ENC_SMEM] = 256,    [WL_ENC_VOP1] = 256,   [WL_ENC_VOP2] = 64,    [WL_ENC_VOPC] = 256,   [WL_ENC_VOP3] = 1024,
    [WL_ENC_VOP3P] = 256,   [WL_ENC_VOP3PX] = 256, [WL_ENC_VOPD_X] = 16,  [WL_ENC_VOPD_Y] = 32,  [WL_ENC_VINTRP] = 4,
    [WL_ENC_VINTERP] = 128, [WL_ENC_LDSDIR] = 4,   [WL_ENC_DS] = 256,     [WL_ENC_FLAT] = 256,   [WL_ENC_GLOBAL] = 256,
    [WL_ENC_SCRATCH] = 256, [WL_ENC_MUBUF] = 256,  [WL_ENC_MTBUF] = 256,  [WL_ENC_MIMG] = 256,   [WL_ENC_VSAMPLE] = 256,
    [WL_ENC_EXP] = 1,       [WL_ENC_VOPD3_X] = 64, [WL_ENC_VOPD3_Y] = 64, [WL_ENC_TENSOR] = 256,
};

static bool index_rows(struct wl_word_decoder *decoder) {
    const uint16_t waves = decoder->wave64 ? WL_W32 : WL_W64; /* rows with this are for the other size */
    size_t total = 0;

    for (unsigned i = 0; i < WL_ENC_COUNT; i++)
        total += opcodes[i];
    decoder->row_memory = calloc(total, sizeof *decoder->row_memory);
    decoder->entries = calloc(wl_row_count, sizeof(struct wl_word_entry *));
    if (!decoder->row_memory || !decoder->entries)
        return false;
    uint16_t *next = decoder->row_memory;
    for (unsigned i = 0; i < WL_ENC_COUNT; i++) {
        decoder->rows[i] = next;
        next += opcodes[i];
    }
    for (size_t i = 0; i < wl_row_count; i++) {
        const struct wl_row *row = &wl_rows[i];

        if (row->targets & decoder->target && !(row->forms & waves) && row->opcode < opcodes[row->encoding])
            decoder->rows[row->encoding][row->opcode] = (uint16_t)(i + 1);
    }
    return true;
}

enum wl_status wl_word_decoder_create(struct wl_word_decoder **decoder, const char *processor, uint32_t wave_size) {
    const struct wl_processor *known = wl_processor_find(processor);
    struct wl_word_decoder *made;

    *decoder = NULL;
    if (!known)
        return wl_fail(WL_UNSUPPORTED, "the instruction set of %s is not known to this build", processor);
    if (wave_size != 32 && wave_size != 64)
        return wl_fail(WL_INVALID_VALUE, "a wave has 32 or 64 lanes, not %u", wave_size);
    if (!(known->has & WL_HAS_WAVE32) && wave_size != 64)
        return wl_fail(WL_INVALID_VALUE, "%s has waves of 64 lanes only", processor);
    if (known->has & WL_HAS_WAVE32_ALONE && wave_size != 32)
        return wl_fail(WL_INVALID_VALUE, "%s has waves of 32 lanes only", processor);
    made = calloc(1, sizeof *made);
    if (made) {
        made->processor = known;
        made->generation = known->major;
        made->target = 1u << known->set;
        made->wave64 = wave_size == 64;
        made->has_acc = made->target & WL_GFX9_ACC;
        made->has_wide = made->target & WL_GFX1250;
        made->has_ocp = known->major == 9 && known->has & WL_HAS_OCP_FP8;
    }
    if (!made || !index_rows(made)) {
        wl_word_decoder_destroy(made);
        return wl_fail(WL_OUT_OF_MEMORY, "no memory for a decoder");
    }
    *decoder = made;
    return WL_OK;
}

void wl_word_decoder_destroy(struct wl_word_decoder *decoder) {
    if (!decoder)
        return;
    for (size_t i = 0; decoder->entries && i < wl_row_count; i++)
        free(decoder->entries[i]);
    free(decoder->entries);
    free(decoder->row_memory);
    free(decoder);
}

/* ---- entries ---- */

static bool strip_suffix(char *text, const char *suffix) {
    const size_t length = strlen(text), tail = strlen(suffix);

    if (length <= tail || strcmp(text + length - tail, suffix) != 0)
        return false;
    text[length - tail] = '\0';
    return true;
}

static bool strip_infix(char *text, const char *infix) {
    char *at = strstr(text, infix);

    if (at)
        memmove(at, at + strlen(infix), strlen(at + strlen(infix)) + 1);
    return at;
}

/* gfx9: 16-bit results clear the high half, but for the VOP3 instructions that have op_sel. */
static bool clears_high_half(const char *text) {
    static const char *const preserving[] = {
        "v_mad_f16",       "v_mad_u16",       "v_mad_i16",        "v_fma_f16",        "v_div_fixup_f16", "v_add_i16",
        "v_sub_i16",       "v_min3_f16",      "v_min3_i16",       "v_min3_u16",       "v_max3_f16",      "v_max3_i16",
        "v_max3_u16",      "v_med3_f16",      "v_med3_i16",       "v_med3_u16",       "v_mad_mixlo_f16", "v_mad_mixhi_f16",
        "v_fma_mixlo_f16", "v_fma_mixhi_f16", "v_cvt_pk_fp8_f32", "v_cvt_pk_bf8_f32",
    };

    for (size_t i = 0; i < sizeof preserving / sizeof *preserving; i++)
        if (strcmp(text, preserving[i]) == 0)
            return false;
    return !wl_starts_with(text, "v_cvt_scalef32_") && !wl_starts_with(text, "v_cvt_sr_") && !wl_starts_with(text, "v_bitop3_") &&
           !wl_starts_with(text, "v_ashr_pk_");
}

static enum wl_scalar_meaning scalar_meaning(const struct wl_word_entry *entry) {
    const char *name = entry->row->name;
    const struct wl_word_place *second = &entry->shape.places[1];

    if (entry->row->encoding > WL_ENC_SOPP)
        return WL_SCALAR_PLAIN;
    if (wl_starts_with(name, "s_barrier_signal"))
        return WL_SCALAR_SIGNAL;
    if (strcmp(name, "s_barrier_wait") == 0)
        return WL_SCALAR_WAIT;
    if (strcmp(name, "s_code_end") == 0)
        return WL_SCALAR_CODE_END;
    if (strcmp(name, "s_set_gpr_idx_on") == 0)
        return WL_SCALAR_INDEX_ON;
    if (entry->isa && entry->isa->class == WL_ISA_NOP)
        return WL_SCALAR_HINT;
    return entry->row->encoding == WL_ENC_SOPK && entry->shape.count == 2 && second->format == WL_MEANS_HEX && second->role == WL_AT_SIMM16
               ? WL_SCALAR_CONSTANT
               : WL_SCALAR_PLAIN;
}

static void name_entry(const struct wl_word_decoder *decoder, struct wl_word_entry *entry) {
    char text[48];

    snprintf(text, sizeof text, "%s", entry->row->name);
    entry->zero_high = decoder->generation == 9 && clears_high_half(text);
    if (wl_starts_with(text, "v_dual_"))
        strip_infix(text, "dual_");
    if (wl_starts_with(text, "ds_") && strstr(text, "_rtn_"))
        entry->returns = strip_infix(text, "_rtn");
    entry->lds = strstr(text, "_load_lds_") != NULL;
    snprintf(entry->canonical, sizeof entry->canonical, "%s", wl_isa_canonical(text, decoder->generation));
    if (decoder->has_ocp)
        strip_suffix(entry->canonical, "_fnuz");
    entry->isa = wl_isa_find(entry->canonical);
    entry->sem = entry->isa ? NULL : wl_sem_find(entry->canonical, NULL);
    entry->packed = wl_starts_with(text, "v_pk_") || wl_starts_with(text, "v_dot2");
    for (unsigned i = 0; i < entry->shape.count; i++) {
        entry->interpolates |= entry->shape.places[i].role == WL_AT_ATTR;
        entry->result |= entry->shape.places[i].role == WL_AT_VDST;
    }
    entry->dot = wl_starts_with(text, "v_dot");
    entry->atomic = strstr(text, "_atomic_");
    entry->cmpswap = strstr(text, "cmpswap");
    entry->positive = wl_starts_with(text, "s_buffer_") || strcmp(text, "s_atc_probe_buffer") == 0;
    entry->scalar = (uint8_t)scalar_meaning(entry);
    entry->half_amount = decoder->generation >= 11 && wl_starts_with(text, "v_align");
    entry->bytes = wl_starts_with(text, "v_dot4_i32") || wl_starts_with(text, "v_dot4_u32") || wl_starts_with(text, "v_dot8_");
    if (entry->sem && !wl_starts_with(text, "v_ashr_pk_"))
        entry->half_result = entry->sem->result_count == 1 && wl_type_bits((enum wl_type)entry->sem->results[0].type) == 16;
    else
        entry->half_result = strcmp(text, "v_cndmask_b16") == 0;
    entry->swaps = strcmp(text, "v_swap_b32") == 0;
    entry->swaps_halves = strcmp(text, "v_swap_b16") == 0;
    entry->signed_dot = strcmp(text, "v_dot4_i32_iu8") == 0 || strcmp(text, "v_dot8_i32_iu4") == 0;
    entry->compares = wl_starts_with(text, "v_cmp");
    entry->converts = wl_starts_with(text, "v_cvt_");
    entry->writes_exec = wl_starts_with(text, "v_cmpx_");
    entry->chosen = strstr(text, "_f8f6f4") != NULL;
    entry->scales = wl_starts_with(entry->canonical, "v_cvt_scalef32_");
    entry->wmma = wl_starts_with(text, "v_wmma_") || wl_starts_with(text, "v_swmmac_") || wl_starts_with(text, "v_dot4_f32_");
    entry->picks_byte = wl_starts_with(entry->canonical, "v_cvt_") && !wl_starts_with(entry->canonical, "v_cvt_scale") &&
                        (strstr(entry->canonical, "fp8") || strstr(entry->canonical, "bf8"));
}

/* NULL: no memory, or the table is wrong. */
static const struct wl_word_entry *find_entry(const struct wl_word_decoder *decoder, enum wl_encoding encoding, unsigned opcode) {
    const unsigned row = decoder->rows[encoding][opcode];

    if (!row)
        return NULL;
    struct wl_word_entry *entry = decoder->entries[row - 1];
    if (entry)
        return entry;
    entry = calloc(1, sizeof *entry);
    if (!entry)
        return NULL;
    entry->row = &wl_rows[row - 1];
    if (!wl_shape_parse(entry->row->operands, &entry->shape)) {
        free(entry);
        return NULL;
    }
    name_entry(decoder, entry);
    entry->forms = entry->row->forms | (entry->row->forms & WL_DPALU && decoder->target & WL_T1251 ? WL_DPP : 0);
    decoder->entries[row - 1] = entry;
    return entry;
}

/* ---- encodings ---- */

struct found {
    enum wl_encoding encoding;
    unsigned opcode;
};

static struct found in_salu(uint32_t word) {
    switch (word >> 23) {
    case 0x17d:
        return (struct found){WL_ENC_SOP1, word >> 8 & 0xff};
    case 0x17e:
        return (struct found){WL_ENC_SOPC, word >> 16 & 0x7f};
    case 0x17f:
        return (struct found){WL_ENC_SOPP, word >> 16 & 0x7f};
    default:
        if (word >> 28 == 0xb)
            return (struct found){WL_ENC_SOPK, word >> 23 & 0x1f};
        return (struct found){WL_ENC_SOP2, word >> 23 & 0x7f};
    }
}

static struct found in_short(uint32_t word) {
    switch (word >> 25) {
    case 0x3f:
        return (struct found){WL_ENC_VOP1, word >> 9 & 0xff};
    case 0x3e:
        return (struct found){WL_ENC_VOPC, word >> 17 & 0xff};
    default:
        return (struct found){WL_ENC_VOP2, word >> 25 & 0x3f};
    }
}

static const struct found nothing = {WL_ENC_COUNT, 0};

static struct found in_flat(unsigned segment, unsigned opcode) {
    static const uint8_t encodings[] = {WL_ENC_FLAT, WL_ENC_SCRATCH, WL_ENC_GLOBAL};
    return segment == 3 ? nothing : (struct found){(enum wl_encoding)encodings[segment], opcode};
}

/* Scales, and the product of VOP3P that takes them. */
static bool is_scaled(const struct wl_word_job *job) {
    const uint32_t first = job->w[0] >> 16, second = job->w[2] >> 16, takes = job->w[2] >> 11 & 15;
    return job->d->target == WL_T950 && first == 0xd3ac && job->words == 4 && (second == 0xd3ad || second == 0xd3ae) && takes == 1;
}

/* The same of gfx1250, whose scales are of 32 or of 16 elements. The products have formats of their own in the places of op_sel and op_sel_hi. */
static bool is_scaled12(const struct wl_word_job *job) {
    const uint32_t first = job->w[0] >> 16, second = job->w[2] >> 16;
    return (first == 0xcc35 || first == 0xcc3a) && job->words == 4 && (second == 0xcc33 || second == 0xcc88) && wl_is_scale12(job) &&
           !(job->w[2] >> 8 & 3) && !(job->w[2] >> 15 & 1) && !(job->w[3] >> 29 & 3) &&
           (second == 0xcc33 || ((job->w[2] >> 11 & 15) == 8 && (job->w[3] >> 27 & 3) == 3));
}

static struct found in_gfx9(const struct wl_word_job *job, uint32_t word) {
    if (is_scaled(job))
        return (struct found){WL_ENC_VOP3PX, job->w[2] >> 16 & 0x7f};
    switch (word >> 26) {
    case 0x30:
        return (struct found){WL_ENC_SMEM, word >> 18 & 0xff};
    case 0x31:
        return (struct found){WL_ENC_EXP, 0};
    case 0x34:
        if (word >> 23 == 0x1a7)
            return (struct found){WL_ENC_VOP3P, word >> 16 & 0x7f};
        return (struct found){WL_ENC_VOP3, word >> 16 & 0x3ff};
    case 0x35:
        return (struct found){WL_ENC_VINTRP, word >> 16 & 3};
    case 0x36:
        return (struct found){WL_ENC_DS, word >> 17 & 0xff};
    case 0x37:
        return in_flat(word >> 14 & 3, word >> 18 & 0x7f);
    case 0x38:
        return (struct found){WL_ENC_MUBUF, word >> 18 & 0x7f};
    case 0x3a:
        return (struct found){WL_ENC_MTBUF, word >> 15 & 0xf};
    case 0x3c:
        return (struct found){WL_ENC_MIMG, (word >> 18 & 0x7f) | (word & 1) << 7};
    default:
        return nothing;
    }
}

static struct found in_gfx10(uint32_t word, uint32_t second) {
    switch (word >> 26) {
    case 0x32:
        return (struct found){WL_ENC_VINTRP, word >> 16 & 3};
    case 0x33:
        return word >> 23 == 0x198 ? (struct found){WL_ENC_VOP3P, word >> 16 & 0x7f} : nothing;
    case 0x35:
        return (struct found){WL_ENC_VOP3, word >> 16 & 0x3ff};
    case 0x36:
        return (struct found){WL_ENC_DS, word >> 18 & 0xff};
    case 0x37:
        return in_flat(word >> 14 & 3, word >> 18 & 0x7f);
    case 0x38:
        return (struct found){WL_ENC_MUBUF, word >> 18 & 0xff};
    case 0x3a:
        return (struct found){WL_ENC_MTBUF, (word >> 16 & 7) | (second >> 21 & 1) << 3};
    case 0x3c:
        return (struct found){WL_ENC_MIMG, (word >> 18 & 0x7f) | (word & 1) << 7};
    case 0x3d:
        return (struct found){WL_ENC_SMEM, word >> 18 & 0xff};
    case 0x3e:
        return (struct found){WL_ENC_EXP, 0};
    default:
        return nothing;
    }
}

static struct found in_gfx11(uint32_t word, unsigned generation) {
    switch (word >> 26) {
    case 0x32:
        return (struct found){WL_ENC_VOPD_X, word >> 22 & 0xf};
    case 0x33:
        if (word >> 24 == 0xcd)
            return (struct found){WL_ENC_VINTERP, word >> 16 & (generation >= 12 ? 0x1f : 0x7f)};
        if (word >> 24 == 0xce)
            return (struct found){WL_ENC_LDSDIR, word >> 20 & 3};
        return word >> 23 == 0x198 ? (struct found){WL_ENC_VOP3P, word >> 16 & 0x7f} : nothing;
    case 0x35:
        return (struct found){WL_ENC_VOP3, word >> 16 & 0x3ff};
    case 0x36:
        return (struct found){WL_ENC_DS, word >> 18 & 0xff};
    case 0x37:
        return in_flat(word >> 16 & 3, word >> 18 & 0x7f);
    case 0x38:
        return (struct found){WL_ENC_MUBUF, word >> 18 & 0xff};
    case 0x3a:
        return (struct found){WL_ENC_MTBUF, word >> 15 & 0xf};
    case 0x3c:
        return (struct found){WL_ENC_MIMG, word >> 18 & 0xff};
    case 0x3d:
        return (struct found){WL_ENC_SMEM, word >> 18 & 0xff};
    case 0x3e:
        return (struct found){WL_ENC_EXP, 0};
    default:
        return nothing;
    }
}

static struct found in_gfx12(const struct wl_word_job *job, uint32_t word) {
    const unsigned opcode = word >> 14 & 0xff;
    const bool wide = job->d->has_wide;

    switch (word >> 26) {
    case 0x33:
        if (!wide || word >> 24 == 0xcd || word >> 24 == 0xce)
            return wide ? nothing : in_gfx11(word, 12);
        if (word >> 24 == 0xcf)
            return (struct found){WL_ENC_VOPD3_X, word >> 18 & 0x3f};
        if (is_scaled12(job))
            return (struct found){WL_ENC_VOP3PX, (job->w[2] >> 16 & 0x7f) | ((word >> 16 & 0xff) == 0x3a ? 0x80u : 0)};
        return (struct found){WL_ENC_VOP3P, word >> 16 & 0xff};
    case 0x31:
        return (struct found){opcode & 0x80 ? WL_ENC_MTBUF : WL_ENC_MUBUF, opcode};
    case 0x34:
        return (struct found){wide ? WL_ENC_TENSOR : WL_ENC_MIMG, opcode};
    case 0x39:
        return (struct found){WL_ENC_VSAMPLE, opcode};
    case 0x3b:
        return in_flat(word >> 24 & 3, opcode);
    case 0x3d:
        return (struct found){WL_ENC_SMEM, word >> 13 & 0x3f};
    case 0x37:
    case 0x38:
    case 0x3a:
    case 0x3c:
        return nothing;
    default:
        return in_gfx11(word, 12);
    }
}

static struct found find_encoding(const struct wl_word_job *job) {
    const uint32_t word = job->w[0];

    if (!(word >> 31))
        return in_short(word);
    if (!(word >> 30 & 1))
        return in_salu(word);
    switch (job->d->generation) {
    case 9:
        return in_gfx9(job, word);
    case 10:
        return in_gfx10(word, job->w[1]);
    case 11:
        return in_gfx11(word, 11);
    default:
        return in_gfx12(job, word);
    }
}

/* What src0's 9 bits say about the form of a short encoding, or of VOP3 on gfx11 and later. */
static unsigned form_of(const struct wl_word_decoder *decoder, unsigned code) {
    if (code == 0xfa)
        return WL_DPP;
    if (code == 0xf9 && decoder->generation <= 10)
        return WL_SDWA;
    if ((code == 0xe9 || code == 0xea) && decoder->generation >= 10)
        return WL_DPP8;
    return WL_ALONE;
}

/* ---- decoding ---- */

static bool decode_operands(struct wl_word_job *job) {
    const struct wl_word_decoder *decoder = job->d;
    unsigned form;

    switch ((enum wl_encoding)job->entry->row->encoding) {
    case WL_ENC_SOP1:
    case WL_ENC_SOP2:
    case WL_ENC_SOPC:
    case WL_ENC_SOPK:
    case WL_ENC_SOPP:
        return wl_decode_scalar(job);
    case WL_ENC_SMEM:
        return wl_decode_smem(job);
    case WL_ENC_VOP1:
    case WL_ENC_VOP2:
    case WL_ENC_VOPC:
        form = form_of(decoder, job->w[0] & 0x1ff);
        if (!job->entry->shape.roles && !(job->entry->forms & form))
            form = WL_ALONE; /* without a source its field means nothing */
        return job->entry->forms & form && wl_decode_short(job, form);
    case WL_ENC_VOP3:
    case WL_ENC_VOP3P:
        form = decoder->generation >= 11 && job->entry->shape.roles ? form_of(decoder, job->w[1] & 0x1ff) : WL_ALONE;
        return job->entry->forms & form && wl_decode_long(job, form);
    case WL_ENC_VOP3PX:
        return wl_decode_scaled(job);
    case WL_ENC_VOPD_X:
        return wl_decode_vopd(job, false);
    case WL_ENC_VOPD_Y:
        return wl_decode_vopd(job, true);
    case WL_ENC_VOPD3_X:
        return wl_decode_vopd3(job, false);
    case WL_ENC_VOPD3_Y:
        return wl_decode_vopd3(job, true);
    case WL_ENC_DS:
        return wl_decode_lds(job);
    case WL_ENC_FLAT:
    case WL_ENC_GLOBAL:
    case WL_ENC_SCRATCH:
        return wl_decode_flat(job);
    case WL_ENC_MUBUF:
    case WL_ENC_MTBUF:
        return wl_decode_buffer(job);
    case WL_ENC_MIMG:
    case WL_ENC_VSAMPLE:
        return wl_decode_image(job);
    case WL_ENC_TENSOR:
        return wl_decode_tensor(job);
    default:
        return wl_decode_graphics(job);
    }
}

static void start(struct wl_word_job *job, const struct wl_word_entry *entry, struct wl_inst *inst) {
    job->entry = entry;
    job->inst = inst;
    memcpy(inst->mnemonic, entry->canonical, sizeof inst->mnemonic);
    inst->sem = entry->sem;
    inst->isa = entry->isa;
    inst->returns = entry->returns;
    inst->lds = entry->lds;
    inst->zero_high = entry->zero_high;
    inst->op_sel_hi = entry->packed ? 7 : 0;
}

/* A call to the C library: compilers make a string instruction of this size, which takes a third of an instruction's time. */
static void *(*const volatile set_memory)(void *at, int byte, size_t size) = memset;

static void clear(struct wl_inst *inst, uint64_t address) {
    set_memory(inst, 0, sizeof *inst);
    inst->address = address;
    inst->offset = (uint32_t)address;
}

/* v_swap_b32 v0, v1 is v_mov_b32 v0, v1 beside v_mov_b32 v1, v0. */
static void split_swap(struct wl_inst inst[2]) {
    struct wl_inst *first = &inst[0], *second = &inst[1];

    memcpy(first->mnemonic, "v_mov_b32", sizeof "v_mov_b32");
    first->isa = NULL;
    first->sem = wl_sem_find(first->mnemonic, NULL);
    *second = *first;
    second->size = 0;
    first->paired = true;
    second->operands[0] = first->operands[1];
    second->operands[1] = first->operands[0];
}

static unsigned decode_pair(struct wl_word_job *job, struct wl_inst inst[2]) {
    const struct wl_word_entry *second = job->entry->row->encoding == WL_ENC_VOPD_X
                                             ? find_entry(job->d, WL_ENC_VOPD_Y, job->w[0] >> 17 & 0x1f)
                                             : find_entry(job->d, WL_ENC_VOPD3_Y, job->w[0] >> 12 & 0x3f);

    if (!second || !decode_operands(job))
        return 0;
    clear(&inst[1], inst[0].address);
    start(job, second, &inst[1]);
    if (!decode_operands(job))
        return 0;
    inst[0].size = (uint8_t)job->size;
    inst[0].paired = true;
    return 2;
}

/* v_swap_b16, as the moves that it is. */
static unsigned decode_swap(struct wl_word_job *job, uint64_t address, struct wl_inst inst[2]) {
    uint8_t replaced[2][8];
    struct wl_inst made[2];
    unsigned count = 0;
    const unsigned size = wl_newer_swap(job->bytes, job->available, job->d->generation, replaced, &count);

    for (unsigned i = 0; size && i < count; i++) {
        if (wl_word_decode(job->d, replaced[i], sizeof replaced[i], address, made) != 1)
            return 0;
        inst[i] = made[0];
        inst[i].size = i ? 0 : (uint8_t)size;
    }
    inst[0].paired = count == 2;
    return size ? count : 0;
}

static void read_words(struct wl_word_job *job) {
    if (job->available >= sizeof job->w) { /* most often: the compiler makes four loads of these bytes */
        for (unsigned i = 0; i < 4; i++) {
            const uint8_t *at = job->bytes + 4 * (size_t)i;
            job->w[i] = (uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
        }
        job->words = 4;
        return;
    }
    for (; job->words < 4 && job->available >= 4 * (job->words + 1); job->words++) {
        const uint8_t *at = job->bytes + 4 * (size_t)job->words;
        job->w[job->words] = (uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
    }
}

/* The word's entry. NULL: it has none. */
static const struct wl_word_entry *entry_of(struct wl_word_job *job) {
    read_words(job);
    const struct found found = job->words ? find_encoding(job) : nothing;
    return found.encoding == WL_ENC_COUNT ? NULL : find_entry(job->d, found.encoding, found.opcode);
}

const char *wl_word_name(const struct wl_word_decoder *decoder, const uint8_t *bytes, uint64_t available) {
    struct wl_word_job job = {.d = decoder, .bytes = bytes, .available = available};
    const struct wl_word_entry *entry = entry_of(&job);

    return entry ? entry->row->name : NULL;
}

bool wl_word_open(struct wl_word_job *job, uint64_t address, struct wl_inst *inst) {
    const struct wl_word_entry *entry = entry_of(job);

    if (!entry)
        return false;
    clear(inst, address);
    start(job, entry, inst);
    return true;
}

unsigned wl_word_read(struct wl_word_job *job, struct wl_inst inst[2]) {
    if (job->entry->row->encoding == WL_ENC_VOPD_X || job->entry->row->encoding == WL_ENC_VOPD3_X)
        return decode_pair(job, inst);
    if (!decode_operands(job))
        return 0;
    inst[0].size = (uint8_t)job->size;
    return 1;
}

unsigned wl_word_decode(const struct wl_word_decoder *decoder, const uint8_t *bytes, uint64_t available, uint64_t address,
                        struct wl_inst inst[2]) {
    struct wl_word_job job = {.d = decoder, .bytes = bytes, .available = available};

    if (!wl_word_open(&job, address, inst))
        return 0;
    const struct wl_word_entry *entry = job.entry;
    if (entry->swaps_halves)
        return decode_swap(&job, address, inst);
    const unsigned count = wl_word_read(&job, inst);
    if (count != 1)
        return count;
    wl_finish_meaning(&job);
    if (entry->swaps) {
        split_swap(inst);
        return 2;
    }
    return 1;
}
