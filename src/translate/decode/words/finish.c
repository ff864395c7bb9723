/* What instructions mean beyond their fields: the semantics that modifiers choose. */
#include "base/text.h"
#include "translate/decode/words/engine.h"

#include <stdio.h>
#include <string.h>

/* Instructions whose results always fit, so that clamping them changes nothing. */
static bool cannot_overflow(const char *mnemonic) {
    static const char *const prefixes[] = {
        "v_min",      "v_max",      "v_med3",     "v_and_b",  "v_or_b",      "v_xor_b",   "v_xnor_b", "v_not_b",
        "v_lshlrev_", "v_lshrrev_", "v_ashrrev_", "v_cvt_",   "v_mov_b",     "v_cndmask", "v_bfe_",   "v_bfi_",
        "v_bfm_",     "v_bfrev_",   "v_perm_",    "v_alignb", "v_frexp_exp", "v_sat_pk",  "v_pk_min", "v_pk_max",
        "v_pk_lsh",   "v_pk_ashr",  "v_mul_hi_",  "v_clz_",   "v_cls_",      "v_ctz_",    "v_pack_",  "v_pk_mov_",
    };

    for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++)
        if (wl_starts_with(mnemonic, prefixes[i]))
            return true;
    return false;
}

/* An integer instruction that clamps saturates: a function of its own (semantics/clamp.c). The lifter clamps floats. */
static void choose_saturating(struct wl_inst *inst) {
    const enum wl_type type = (enum wl_type)inst->sem->results[0].type;
    char name[sizeof(inst->mnemonic) + 8];

    if (strcmp(inst->mnemonic, "v_dot2_f32_f16") == 0) /* AMD's device library sets it in every one, and means the sum as it is */
        inst->clamp = false;
    if (wl_type_is_float(type) || type == WL_PKF16 || type == WL_PKF32 || type == WL_MASK || cannot_overflow(inst->sem->name))
        return;
    snprintf(name, sizeof name, "%s_clamp", inst->sem->name);
    inst->sem = wl_sem_find(name, NULL);
}

/* gfx11's dot products of bytes and nibbles: neg_lo says which operand is signed. */
static void choose_signed_dot(struct wl_inst *inst) {
    static const char *const bytes[] = {"v_dot4_i32_u8_u8", "v_dot4_i32_i8_u8", "v_dot4_i32_u8_i8", "v_dot4_i32_i8"};
    static const char *const nibbles[] = {"v_dot8_i32_u4_u4", "v_dot8_i32_i4_u4", "v_dot8_i32_u4_i4", "v_dot8_i32_i4"};

    inst->sem = wl_sem_find((inst->mnemonic[5] == '4' ? bytes : nibbles)[inst->neg_lo & 3], NULL);
}

/* Conversions of 8-bit numbers choose bytes as SDWA does, whatever the encoding calls it: op_sel, byte_sel or SDWA's own. */
static void choose_byte(struct wl_word_job *job) {
    struct wl_inst *inst = job->inst;
    const bool rounds = wl_starts_with(inst->mnemonic, "v_cvt_sr_"); /* its byte is the destination's */
    const unsigned op_sel = job->w[0] >> 11 & 15, chosen = rounds ? op_sel >> 2 : (op_sel >> 1 & 1) | (op_sel & 1) << 1;
    const unsigned byte = job->entry->shape.modifiers & WL_MOD_BYTE_SEL ? chosen : 0;

    if (inst->operand_count < 2)
        return;
    if (rounds) {
        inst->is_sdwa = true;
        inst->dst_sel = (uint8_t)(WL_SEL_BYTE_0 + (job->entry->shape.modifiers & WL_MOD_BYTE_SEL ? byte : inst->op_sel >> 2 & 3));
        inst->dst_unused = 2;
        if (job->d->has_wide && job->entry->shape.modifiers & WL_MOD_OP_SEL) /* of a half */
            inst->operands[1].sel = (uint8_t)(WL_SEL_WORD_0 + (inst->op_sel & 1));
        inst->op_sel = 0;
    } else if (byte) {
        inst->is_sdwa = true;
        inst->operands[1].sel = (uint8_t)(WL_SEL_BYTE_0 + byte);
    } else if ((wl_starts_with(inst->mnemonic, "v_cvt_pk_f32_") || wl_starts_with(inst->mnemonic, "v_cvt_pk_f16_")) && inst->op_sel & 1) {
        inst->is_sdwa = true;
        inst->operands[1].sel = WL_SEL_WORD_1;
        inst->op_sel = 0;
    }
}

static bool ends_with(const char *text, const char *end) {
    const size_t length = strlen(text), tail = strlen(end);
    return length > tail && strcmp(text + length - tail, end) == 0;
}

/* Conversions with a scale: op_sel chooses the byte, or half, of the source that is widened, and where in the destination the result goes. */
static void choose_part(struct wl_word_job *job) {
    struct wl_inst *inst = job->inst;
    const char *name = inst->mnemonic + strlen("v_cvt_scalef32_");
    const bool nibbles = ends_with(name, "_fp4"), bytes = ends_with(name, "_fp8") || ends_with(name, "_bf8");
    const unsigned op_sel = job->w[0] >> 11 & 15, destination = op_sel >> 3;

    if (!(job->entry->shape.modifiers & WL_MOD_OP_SEL))
        return;
    inst->is_sdwa = true;
    inst->dst_unused = 2;
    inst->op_sel = 0;
    if (nibbles || (bytes && !wl_starts_with(name, "pk_")))
        inst->operands[1].sel = (uint8_t)(WL_SEL_BYTE_0 + (op_sel & 3));
    else if (bytes)
        inst->operands[1].sel = (uint8_t)(WL_SEL_WORD_0 + (op_sel & 1));
    if (wl_starts_with(name, "f16_") || wl_starts_with(name, "pk_fp8_") || wl_starts_with(name, "pk_bf8_"))
        inst->dst_sel = (uint8_t)(WL_SEL_WORD_0 + destination);
    else if (strstr(name, "fp4_") || wl_starts_with(name, "sr_"))
        inst->dst_sel = (uint8_t)(WL_SEL_BYTE_0 + (op_sel >> 2));
}

static void set_memory_fields(struct wl_word_job *job) {
    struct wl_inst *inst = job->inst;
    const struct wl_isa *isa = inst->isa;

    if (isa->class == WL_ISA_SMEM_ATOMIC || (isa->class == WL_ISA_ATOMIC && isa->space != WL_SPACE_LDS))
        inst->returns |= inst->glc || inst->sc0;
    else if (isa->class == WL_ISA_IMAGE && isa->atomic)
        inst->returns |= inst->glc;
    else if (isa->class != WL_ISA_ATOMIC)
        inst->returns = false;
    if (isa->space == WL_SPACE_TBUFFER)
        inst->format = (uint8_t)(job->d->generation >= 12 ? job->w[1] >> 23 & 0x7f : job->w[0] >> 19 & 0x7f);
}

/* Instructions without an effect here have no operands, but for the scope of those that are about caches. */
static void clear_operands(struct wl_word_job *job) {
    enum { MUBUF_SC1 = 1 << 15, DEVICE = 2 << 18 };
    struct wl_inst *inst = job->inst;
    struct wl_inst bare = {.offset = inst->offset, .address = inst->address, .size = inst->size, .isa = inst->isa};

    memcpy(bare.mnemonic, inst->mnemonic, sizeof bare.mnemonic);
    bare.zero_high = inst->zero_high;
    bare.op_sel_hi = job->entry->packed ? 7 : 0;
    bare.lds = job->entry->lds;
    *inst = bare;
    if (wl_starts_with(inst->mnemonic, "s_"))
        wl_word_operand(job, WL_OPERAND_TEXT)->bits = job->w[0] & 0xffff;
    else if (wl_starts_with(inst->mnemonic, "global_"))
        inst->sc1 = job->w[1] & DEVICE;
    else if (strcmp(inst->mnemonic, "buffer_inv") == 0 || strcmp(inst->mnemonic, "buffer_wbl2") == 0)
        inst->sc1 = job->w[0] & MUBUF_SC1;
}

static bool reads_descriptor(const struct wl_isa *isa) {
    if (isa->class == WL_ISA_SMEM_LOAD || isa->class == WL_ISA_SMEM_STORE || isa->class == WL_ISA_SMEM_ATOMIC)
        return isa->detail == WL_SMEM_BUFFER;
    return isa->space == WL_SPACE_BUFFER;
}

void wl_finish_meaning(struct wl_word_job *job) {
    struct wl_inst *inst = job->inst;

    if (inst->isa && inst->isa->class == WL_ISA_NOP && job->entry->row->encoding > WL_ENC_SMEM) {
        clear_operands(job);
        return;
    }
    inst->wide_buffer = job->d->has_wide && inst->isa && reads_descriptor(inst->isa);
    if (inst->isa)
        set_memory_fields(job);
    if (job->entry->signed_dot)
        choose_signed_dot(inst);
    if (job->entry->scales)
        choose_part(job);
    else if (job->entry->picks_byte)
        choose_byte(job);
    if (inst->sem && inst->clamp)
        choose_saturating(inst);
}
