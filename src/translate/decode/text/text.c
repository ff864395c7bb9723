/* Bytes -> struct wl_inst, through LLVM's disassembler.
 *
 * LLVM prints the canonical text of an instruction (2 to 7 us); everything here is small beside that. The mnemonic is looked
 * up once per decoder: the names it maps to, its semantics or table row, and the repairs that its text needs are kept in a
 * hash table. Encodings whose text is symbolic (branch targets, hwreg, sendmsg, swizzle) are read from the bytes instead. */
#include "translate/decode/text/text.h"
#include "base/text.h"
#include "machine/processor.h"
#include "translate/decode/decode.h"
#include "translate/decode/text/operands.h"
#include "translate/isa/isa.h"
#include "translate/isa/sem.h"

#include <llvm-c/Disassembler.h>
#include <llvm-c/Target.h>
#include <llvm/Config/llvm-config.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What to do beyond parsing the operands. */
enum repair {
    REPAIR_NONE,
    REPAIR_BRANCH,     /* the only operand is the target */
    REPAIR_CALL,       /* the second operand is the target */
    REPAIR_WAIT,       /* symbolic counters: one TEXT operand, or none */
    REPAIR_SIGNAL,     /* s_barrier_signal: the whole workgroup's barrier only */
    REPAIR_NAMED_WAIT, /* s_barrier_wait: likewise */
    REPAIR_SYMBOL16,   /* a TEXT operand whose bits are the low 16 of the first word */
    REPAIR_SYMBOL8,    /* ... the low 8: a source operand of SOP1 */
    REPAIR_INDEX_MODE, /* ... bits 8 to 15: a source operand of SOPC */
    REPAIR_SIMM16,     /* the last operand is the sign-extended low half of the first word */
    REPAIR_UIMM16,
    REPAIR_SIMM16_UPDATE, /* the same, and the destination is the first source as well */
    REPAIR_DUAL_SELECT,   /* v_dual_cndmask_b32: VCC is not printed */
    REPAIR_SWAP,
    REPAIR_NO_ADDRESS, /* buffer_store_lds_dword: prints no address, as if it were `off` */
    REPAIR_ILLEGAL,    /* s_code_end: a trap */
};

struct name {
    char text[48]; /* LLVM's mnemonic; "" if the slot is free */
    char canonical[36];
    const struct wl_sem *sem;
    const struct wl_isa *isa;
    uint8_t repair; /* enum repair */
    bool returns, lds, is_dpp, is_sdwa, zero_high, packed;
};

#define NAME_SLOTS 2048 /* a power of two; LLVM has about 2500 mnemonics in all, one processor some 1200 */

struct wl_text_decoder {
    LLVMDisasmContextRef context;
    LLVMDisasmContextRef
        halves;            /* gfx11 and later: the same with "real-true16", for what LLVM has in that form alone; NULL: not needed yet */
    const char *processor; /* LLVM's name */
    unsigned generation;
    bool has_ocp; /* gfx9 with OCP's 8-bit numbers instead of FNUZ */
    uint32_t wave_size;
    bool has_waves; /* of both sizes */
    unsigned name_count;
    struct name names[NAME_SLOTS];
    struct name overflow; /* for one call, once the table is three quarters full */
};

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

/* ---- processors ---- */

/* LLVM aborts the process for some processors that it does not know, so that it is asked for those of the table alone; where this LLVM
 * lacks one, for another that is alike. */
static const char *name_for_llvm(const struct wl_processor *processor) {
    return LLVM_VERSION_MAJOR >= 20 || !processor->alike ? processor->name : processor->alike;
}

static pthread_once_t initialize_once = PTHREAD_ONCE_INIT;

static void initialize_llvm(void) {
    LLVMInitializeAMDGPUTargetInfo();
    LLVMInitializeAMDGPUTargetMC();
    LLVMInitializeAMDGPUDisassembler();
}

enum wl_status wl_text_decoder_create(struct wl_text_decoder **decoder, const char *processor, uint32_t wave_size) {
    const struct wl_processor *known = wl_processor_find(processor);
    struct wl_text_decoder *made;

    *decoder = NULL;
    if (!known || !name_for_llvm(known))
        return wl_fail(WL_UNSUPPORTED, "the instruction set of %s is not known to LLVM %d", processor, LLVM_VERSION_MAJOR);
    if (wave_size != 64 && !(known->has & WL_HAS_WAVE32))
        return wl_fail(WL_INVALID_VALUE, "%s has waves of 64 lanes only", processor);
    made = calloc(1, sizeof(*made));
    if (!made)
        return wl_fail(WL_OUT_OF_MEMORY, "no memory for a decoder");
    made->generation = known->major;
    made->has_ocp = known->major == 9 && known->has & WL_HAS_OCP_FP8;
    made->wave_size = wave_size;
    made->has_waves = known->has & WL_HAS_WAVE32;
    made->processor = name_for_llvm(known);
    pthread_once(&initialize_once, initialize_llvm);
    made->context = LLVMCreateDisasmCPUFeatures("amdgcn-amd-amdhsa", made->processor,
                                                !made->has_waves  ? ""
                                                : wave_size == 64 ? "+wavefrontsize64,-wavefrontsize32"
                                                                  : "+wavefrontsize32,-wavefrontsize64",
                                                NULL, 0, NULL, NULL);
    if (!made->context) {
        free(made);
        return wl_fail(WL_INTERNAL, "LLVM has no disassembler for %s", processor);
    }
    *decoder = made;
    return WL_OK;
}

void wl_text_decoder_destroy(struct wl_text_decoder *decoder) {
    if (!decoder)
        return;
    LLVMDisasmDispose(decoder->context);
    if (decoder->halves)
        LLVMDisasmDispose(decoder->halves);
    free(decoder);
}

/* ---- names ---- */

static bool strip_suffix(char *text, const char *suffix) {
    const size_t length = strlen(text), tail = strlen(suffix);

    if (length <= tail || strcmp(text + length - tail, suffix) != 0)
        return false;
    text[length - tail] = '\0';
    return true;
}

static void strip_infix(char *text, const char *infix) {
    char *at = strstr(text, infix);

    if (at)
        memmove(at, at + strlen(infix), strlen(at + strlen(infix)) + 1);
}

static void strip_encoding(struct name *name, char *text) {
    name->is_dpp = strip_suffix(text, "_dpp8") || strip_suffix(text, "_dpp");
    name->is_sdwa = strip_suffix(text, "_sdwa");
    if (!strip_suffix(text, "_e64"))
        strip_suffix(text, "_e32");
    if (!strip_suffix(text, "_t16"))
        strip_suffix(text, "_fake16");
}

/* gfx9: 16-bit results clear the high half, but for the VOP3 instructions that have op_sel. */
static bool clears_high_half(const char *text) {
    static const char *const preserving[] = {
        "v_mad_f16",       "v_mad_u16",       "v_mad_i16",        "v_fma_f16",        "v_div_fixup_f16", "v_add_i16",
        "v_sub_i16",       "v_min3_f16",      "v_min3_i16",       "v_min3_u16",       "v_max3_f16",      "v_max3_i16",
        "v_max3_u16",      "v_med3_f16",      "v_med3_i16",       "v_med3_u16",       "v_mad_mixlo_f16", "v_mad_mixhi_f16",
        "v_fma_mixlo_f16", "v_fma_mixhi_f16", "v_cvt_pk_fp8_f32", "v_cvt_pk_bf8_f32",
    };

    for (size_t i = 0; i < COUNT(preserving); i++)
        if (strcmp(text, preserving[i]) == 0)
            return false;
    return true;
}

/* `text` is LLVM's mnemonic without the encoding's suffix. */
static enum repair find_repair(const char *text, const struct wl_isa *isa) {
    static const struct {
        const char *prefix;
        uint8_t repair;
    } rows[] = {
        {"s_call_b64", REPAIR_CALL},
        {"s_barrier_signal", REPAIR_SIGNAL},
        {"s_barrier_wait", REPAIR_NAMED_WAIT},
        {"s_getreg_b32", REPAIR_SYMBOL16},
        {"s_setreg_", REPAIR_SYMBOL16},
        {"s_sendmsg_rtn_", REPAIR_SYMBOL8},
        {"s_sendmsg", REPAIR_SYMBOL16},
        {"s_set_gpr_idx_on", REPAIR_INDEX_MODE},
        {"s_set_gpr_idx_mode", REPAIR_SYMBOL16},
        {"s_movk_i32", REPAIR_SIMM16},
        {"s_cmovk_i32", REPAIR_SIMM16},
        {"s_addk_", REPAIR_SIMM16_UPDATE},
        {"s_mulk_i32", REPAIR_SIMM16_UPDATE},
        {"v_dual_cndmask_b32", REPAIR_DUAL_SELECT},
        {"v_swap_b32", REPAIR_SWAP},
        {"s_code_end", REPAIR_ILLEGAL},
        {"buffer_store_lds_dword", REPAIR_NO_ADDRESS},
    };

    for (size_t i = 0; i < COUNT(rows); i++)
        if (wl_starts_with(text, rows[i].prefix))
            return rows[i].repair;
    if (wl_starts_with(text, "s_cmpk_"))
        return strstr(text, "_u32") ? REPAIR_UIMM16 : REPAIR_SIMM16;
    if (isa && (isa->class == WL_ISA_BRANCH || isa->class == WL_ISA_CBRANCH))
        return REPAIR_BRANCH;
    if (isa && isa->class == WL_ISA_NOP)
        return REPAIR_WAIT;
    return REPAIR_NONE;
}

static void resolve_name(const struct wl_text_decoder *decoder, struct name *name) {
    char text[sizeof(name->text)], llvm[sizeof(name->text)];
    const char *canonical;

    memcpy(text, name->text, sizeof(text));
    strip_encoding(name, text);
    memcpy(llvm, text, sizeof(llvm));
    if (wl_starts_with(text, "v_dual_"))
        strip_infix(text, "dual_");
    if (wl_starts_with(text, "ds_") && strstr(text, "_rtn_")) {
        strip_infix(text, "_rtn");
        name->returns = true;
    }
    name->lds = strstr(text, "_load_lds_") != NULL;
    canonical = wl_isa_canonical(text, decoder->generation);
    snprintf(name->canonical, sizeof(name->canonical), "%.*s", (int)sizeof(name->canonical) - 1, canonical);
    if (decoder->has_ocp)
        strip_suffix(name->canonical, "_fnuz");
    name->isa = wl_isa_find(name->canonical);
    name->sem = name->isa ? NULL : wl_sem_find(name->canonical, NULL);
    name->repair = (uint8_t)find_repair(llvm, name->isa);
    name->zero_high = decoder->generation == 9 && clears_high_half(llvm);
    name->packed = wl_starts_with(text, "v_pk_") || wl_starts_with(text, "v_dot2");
}

static uint32_t hash_text(const char *text, size_t length) {
    uint32_t hash = 2166136261u;

    for (size_t i = 0; i < length; i++)
        hash = (hash ^ (uint8_t)text[i]) * 16777619u;
    return hash ^ hash >> 15;
}

/* NULL if the text is longer than any mnemonic. */
static const struct name *find_name(struct wl_text_decoder *decoder, const char *text, size_t length) {
    uint32_t slot = hash_text(text, length) % NAME_SLOTS;
    struct name *name;

    if (length >= sizeof(decoder->names[0].text))
        return NULL;
    for (;; slot = (slot + 1) % NAME_SLOTS) {
        name = &decoder->names[slot];
        if (!name->text[0])
            break;
        if (memcmp(name->text, text, length) == 0 && !name->text[length])
            return name;
    }
    if (decoder->name_count >= NAME_SLOTS / 4 * 3)
        name = &decoder->overflow;
    else
        decoder->name_count++;
    memset(name, 0, sizeof(*name));
    memcpy(name->text, text, length);
    resolve_name(decoder, name);
    return name;
}

/* ---- repairs ---- */

static void mark_unknown(struct wl_inst *inst) {
    inst->isa = NULL;
    inst->sem = NULL;
}

static struct wl_operand *append(struct wl_inst *inst, enum wl_operand_kind kind, uint64_t bits) {
    struct wl_operand *operand = &inst->operands[inst->operand_count++];

    memset(operand, 0, sizeof(*operand));
    operand->kind = (uint8_t)kind;
    operand->count = 1;
    operand->bits = bits;
    return operand;
}

static void set_text_bits(struct wl_inst *inst, uint32_t bits) {
    for (unsigned i = 0; i < inst->operand_count; i++)
        if (inst->operands[i].kind == WL_OPERAND_TEXT || (inst->operands[i].kind == WL_OPERAND_IMM && inst->operand_count == 1))
            inst->operands[i].bits = bits;
}

static void replace_last(struct wl_inst *inst, uint64_t bits) {
    if (inst->operand_count != 2) {
        mark_unknown(inst);
        return;
    }
    inst->operand_count = 1;
    append(inst, WL_OPERAND_IMM, bits);
}

/* Symbols are taken from the instruction's first dword. */
static void repair_operands(struct wl_inst *inst, const struct name *name, const struct wl_text_decoder *decoder, uint32_t word,
                            uint32_t second) {
    enum { MUBUF_SC1 = 1 << 15, DEVICE = 2 << 18 }; /* gfx940's bit; gfx12's scope, of which two are smaller */
    const uint64_t target = inst->address + 4 + (uint64_t)((int64_t)(int16_t)word * 4);

    switch ((enum repair)name->repair) {
    case REPAIR_NONE:
    case REPAIR_SWAP:
        break;
    case REPAIR_BRANCH:
        inst->operand_count = 0;
        append(inst, WL_OPERAND_LABEL, target);
        break;
    case REPAIR_CALL:
        replace_last(inst, target);
        inst->operands[1].kind = WL_OPERAND_LABEL;
        break;
    case REPAIR_WAIT:
        inst->operand_count = 0;
        if (wl_starts_with(inst->mnemonic, "s_"))
            append(inst, WL_OPERAND_TEXT, word & 0xffff);
        else if (wl_starts_with(inst->mnemonic, "global_"))
            inst->sc1 = second & DEVICE;
        else if (strcmp(inst->mnemonic, "buffer_inv") == 0 || strcmp(inst->mnemonic, "buffer_wbl2") == 0)
            inst->sc1 = word & MUBUF_SC1;
        break;
    case REPAIR_SIGNAL:
        if (inst->operand_count != 1 || inst->operands[0].kind != WL_OPERAND_IMM || inst->operands[0].bits != UINT64_MAX)
            inst->isa = wl_isa_other_barrier(inst->mnemonic);
        break;
    case REPAIR_NAMED_WAIT:
        if ((word & 0xffff) != 0xffff)
            inst->isa = wl_isa_other_barrier(inst->mnemonic);
        break;
    case REPAIR_SYMBOL16:
        set_text_bits(inst, word & 0xffff);
        break;
    case REPAIR_SYMBOL8:
        set_text_bits(inst, word & 0xff);
        break;
    case REPAIR_INDEX_MODE:
        set_text_bits(inst, word >> 8 & 0xf);
        break;
    case REPAIR_SIMM16:
        replace_last(inst, (uint64_t)(int64_t)(int16_t)word);
        break;
    case REPAIR_UIMM16:
        replace_last(inst, word & 0xffff);
        break;
    case REPAIR_SIMM16_UPDATE:
        replace_last(inst, (uint64_t)(int64_t)(int16_t)word);
        inst->operands[2] = inst->operands[1];
        inst->operands[1] = inst->operands[0];
        inst->operand_count = 3;
        break;
    case REPAIR_DUAL_SELECT:
        if (inst->operand_count == 3) {
            struct wl_operand *vcc = append(inst, WL_OPERAND_SGPR, 0);

            vcc->reg = WL_SGPR_VCC;
            vcc->count = (uint8_t)(decoder->wave_size / 32);
        }
        break;
    case REPAIR_NO_ADDRESS:
        memmove(inst->operands + 1, inst->operands, inst->operand_count * sizeof(inst->operands[0]));
        memset(&inst->operands[0], 0, sizeof(inst->operands[0]));
        inst->operands[0].kind = WL_OPERAND_OFF;
        inst->operand_count++;
        break;
    case REPAIR_ILLEGAL:
        inst->operand_count = 0;
        append(inst, WL_OPERAND_IMM, 2);
        break;
    }
}

static void set_source_sel(struct wl_inst *inst, const struct wl_parsed *parsed, unsigned generation) {
    unsigned first = 1;

    if (wl_starts_with(inst->mnemonic, "v_cmpx_") && generation >= 10)
        first = 0;
    else if (strstr(inst->mnemonic, "_co_"))
        first = 2;
    for (unsigned i = 0; i < 2 && first + i < inst->operand_count; i++)
        inst->operands[first + i].sel = parsed->source_sel[i];
}

static void set_memory_fields(struct wl_inst *inst, const struct wl_text_decoder *decoder, uint32_t word, uint32_t second) {
    const struct wl_isa *isa = inst->isa;

    if (isa->class == WL_ISA_SMEM_ATOMIC || (isa->class == WL_ISA_ATOMIC && isa->space != WL_SPACE_LDS))
        inst->returns |= inst->glc || inst->sc0;
    else if (isa->class == WL_ISA_IMAGE && isa->atomic)
        inst->returns |= inst->glc;
    else if (isa->class != WL_ISA_ATOMIC)
        inst->returns = false;
    if (isa->space == WL_SPACE_TBUFFER)
        inst->format = (uint8_t)(decoder->generation >= 12 ? second >> 23 & 0x7f : word >> 19 & 0x7f);
}

/* "v1.h" is the upper half, which other encodings say by op_sel: a bit a source, then one for the destination. */
static void select_halves(struct wl_inst *inst) {
    for (unsigned i = 0; i < inst->operand_count; i++)
        if (inst->operands[i].upper)
            inst->op_sel |= (uint8_t)(1u << (i ? i - 1 : inst->operand_count - 1u));
}

/* ---- decoding ---- */

static uint32_t read_word(const uint8_t *bytes, uint64_t available) {
    return available < 4 ? 0 : (uint32_t)bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 | (uint32_t)bytes[3] << 24;
}

/* Instructions whose results always fit, so that clamping them changes nothing. */
static bool cannot_overflow(const char *mnemonic) {
    static const char *const prefixes[] = {
        "v_min",      "v_max",      "v_med3",     "v_and_b",  "v_or_b",      "v_xor_b",   "v_xnor_b", "v_not_b",
        "v_lshlrev_", "v_lshrrev_", "v_ashrrev_", "v_cvt_",   "v_mov_b",     "v_cndmask", "v_bfe_",   "v_bfi_",
        "v_bfm_",     "v_bfrev_",   "v_perm_",    "v_alignb", "v_frexp_exp", "v_sat_pk",  "v_pk_min", "v_pk_max",
        "v_pk_lsh",   "v_pk_ashr",  "v_mul_hi_",  "v_clz_",   "v_cls_",      "v_ctz_",    "v_pack_",  "v_pk_mov_",
    };

    for (size_t i = 0; i < COUNT(prefixes); i++)
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
    snprintf(name, sizeof(name), "%s_clamp", inst->sem->name);
    inst->sem = wl_sem_find(name, NULL);
}

/* gfx11's dot products of bytes and nibbles: neg_lo says which operand is signed. */
static const struct wl_sem *find_signed_dot(const struct wl_inst *inst) {
    static const char *const bytes[] = {"v_dot4_i32_u8_u8", "v_dot4_i32_i8_u8", "v_dot4_i32_u8_i8", "v_dot4_i32_i8"};
    static const char *const nibbles[] = {"v_dot8_i32_u4_u4", "v_dot8_i32_i4_u4", "v_dot8_i32_u4_i4", "v_dot8_i32_i4"};

    return wl_sem_find((inst->mnemonic[5] == '4' ? bytes : nibbles)[inst->neg_lo & 3], NULL);
}

/* Conversions of 8-bit numbers choose bytes as SDWA does, whatever the text calls it: op_sel, byte_sel or SDWA's own. */
static void choose_byte(struct wl_inst *inst, const struct wl_parsed *parsed) {
    if (wl_starts_with(inst->mnemonic, "v_cvt_sr_")) {
        inst->is_sdwa = true;
        inst->dst_sel = (uint8_t)(WL_SEL_BYTE_0 + (parsed->byte_sel | (inst->op_sel >> 2 & 3)));
        inst->dst_unused = 2;
        inst->op_sel = 0;
    } else if (parsed->byte_sel) {
        inst->is_sdwa = true;
        inst->operands[1].sel = (uint8_t)(WL_SEL_BYTE_0 + parsed->byte_sel);
    } else if (wl_starts_with(inst->mnemonic, "v_cvt_pk_f32_") && (inst->op_sel & 1)) {
        inst->is_sdwa = true;
        inst->operands[1].sel = WL_SEL_WORD_1;
        inst->op_sel = 0;
    }
}

static void decode_text(struct wl_text_decoder *decoder, const char *text, const char *end, const uint8_t *bytes, struct wl_inst *inst) {
    const char *word = text;
    const struct name *name;
    struct wl_parsed parsed = {0};
    const uint32_t first = read_word(bytes, inst->size), second = inst->size >= 8 ? read_word(bytes + 4, 4) : 0;

    while (text < end && *text != ' ' && *text != '\t')
        text++;
    name = find_name(decoder, word, (size_t)(text - word));
    if (!name) {
        snprintf(inst->mnemonic, sizeof(inst->mnemonic), "%.*s", (int)sizeof(inst->mnemonic) - 1, word);
        return;
    }
    memcpy(inst->mnemonic, name->canonical, sizeof(inst->mnemonic));
    inst->sem = name->sem;
    inst->isa = name->isa;
    inst->returns = name->returns;
    inst->lds = name->lds;
    inst->is_dpp = name->is_dpp;
    inst->is_sdwa = name->is_sdwa;
    inst->zero_high = name->zero_high;
    if (name->packed)
        inst->op_sel_hi = 7;
    if (name->repair == REPAIR_BRANCH || name->repair == REPAIR_WAIT)
        parsed.unknown = false; /* symbolic text: nothing of it is needed */
    else
        wl_parse_operands(text, end, inst, &parsed);
    inst->is_dpp |= inst->dpp != WL_DPP_NONE; /* gfx11's VOPC forms print no _dpp */
    if (inst->dpp == WL_DPP_DPP8)
        inst->row_mask = inst->bank_mask = 0xf;
    select_halves(inst);
    repair_operands(inst, name, decoder, first, second);
    if (name->is_sdwa)
        set_source_sel(inst, &parsed, decoder->generation);
    if (parsed.raw_offset)
        inst->offset0 = (int32_t)(first & 0xffff);
    if (inst->isa)
        set_memory_fields(inst, decoder, first, second);
    if (inst->isa && inst->isa->class == WL_ISA_IMAGE)
        wl_decode_image_addresses(inst, decoder->generation, second, inst->size >= 12 ? read_word(bytes + 8, 4) : 0);
    if (strcmp(inst->mnemonic, "v_dot4_i32_iu8") == 0 || strcmp(inst->mnemonic, "v_dot8_i32_iu4") == 0)
        inst->sem = find_signed_dot(inst);
    if (wl_starts_with(inst->mnemonic, "v_cvt_") && (strstr(inst->mnemonic, "fp8") || strstr(inst->mnemonic, "bf8")) &&
        inst->operand_count >= 2)
        choose_byte(inst, &parsed);
    if (inst->sem && inst->clamp)
        choose_saturating(inst);
    if (parsed.unknown)
        mark_unknown(inst);
}

/* v_swap_b32 v0, v1 is v_mov_b32 v0, v1 beside v_mov_b32 v1, v0. */
static void split_swap(struct wl_inst inst[2]) {
    struct wl_inst *first = &inst[0], *second = &inst[1];

    memcpy(first->mnemonic, "v_mov_b32", sizeof("v_mov_b32"));
    first->isa = NULL;
    first->sem = wl_sem_find(first->mnemonic, NULL);
    *second = *first;
    second->size = 0;
    first->paired = true;
    second->operands[0] = first->operands[1];
    second->operands[1] = first->operands[0];
}

/* LLVM runs into undefined behaviour when it prints an SDWA dword with a reserved selector, so these are refused before. */
static bool is_reserved_sdwa(const struct wl_text_decoder *decoder, const uint8_t *bytes, uint64_t available) {
    const uint32_t word = read_word(bytes, available), sdwa = available < 8 ? 0 : read_word(bytes + 4, 4);
    const bool is_vop1 = word >> 25 == 0x3f, is_vopc = word >> 25 == 0x3e;

    if (decoder->generation > 10 || word >> 31 || (word & 0x1ff) != 0xf9)
        return false;
    if ((sdwa >> 16 & 7) == 7 || (!is_vop1 && (sdwa >> 24 & 7) == 7))
        return true;
    return !is_vopc && ((sdwa >> 8 & 7) == 7 || (sdwa >> 11 & 3) == 3);
}

/* The C API takes the bytes as non-const, but does not write. No instruction has more than 20 bytes. */
static size_t ask_llvm(LLVMDisasmContextRef context, unsigned generation, const uint8_t *bytes, uint64_t available, uint64_t address,
                       char *text, size_t size) {
    uint8_t copy[24] = {0};
    const uint64_t copied = available < sizeof copy ? available : sizeof copy;
    size_t used = LLVMDisasmInstruction(context, (uint8_t *)(uintptr_t)bytes, available < 64 ? available : 64, address, text, size);

    if (!used)
        memcpy(copy, bytes, copied);
    while (!used && wl_newer_clear_unused(copy, copied, generation))
        used = LLVMDisasmInstruction(context, copy, copied, address, text, size);
    return used;
}

static size_t disassemble(struct wl_text_decoder *decoder, const uint8_t *bytes, uint64_t available, uint64_t address, char *text,
                          size_t size) {
    if (is_reserved_sdwa(decoder, bytes, available))
        return 0;
    return ask_llvm(decoder->context, decoder->generation, bytes, available, address, text, size);
}

/* ---- halves of registers, on gfx11 and later ----
 *
 * 16-bit instructions name v0 to v127 and which half: bit 7 of the register's number in the short encodings, op_sel in VOP3. LLVM 19
 * knows most of them with whole registers alone: it refuses the first, or calls them invalid registers, and says nothing of the second. */

enum half_field { HALF_DST = 1, HALF_SRC0 = 2, HALF_SRC1 = 4 };

static void flip_half(uint8_t *bytes, enum half_field field, bool dpp) {
    switch (field) {
    case HALF_DST:
        bytes[3] ^= 1;
        break;
    case HALF_SRC1:
        bytes[2] ^= 1;
        break;
    case HALF_SRC0:
        bytes[dpp ? 4 : 0] ^= 0x80;
        break;
    }
}

static bool is_dpp_word(uint32_t word) { return (word & 0x1ff) == 0xfa || (word & 0x1ff) == 0xe9 || (word & 0x1ff) == 0xea; }

/* Which fields of a short encoding have bit 7 set. */
static unsigned upper_fields(const uint8_t *bytes, uint64_t available) {
    const uint32_t word = read_word(bytes, available);
    const bool vop1 = word >> 25 == 0x3f, vopc = word >> 25 == 0x3e, dpp = is_dpp_word(word);
    unsigned fields = 0;

    if (word >> 31 || available < (dpp ? 8 : 4))
        return 0;
    if (dpp ? bytes[4] & 0x80 : (word & 0x180) == 0x180)
        fields |= HALF_SRC0;
    if (!vopc && word >> 24 & 1)
        fields |= HALF_DST;
    if (!vop1 && word >> 16 & 1)
        fields |= HALF_SRC1;
    return fields;
}

static bool is_clean(size_t size, const char *text) { return size && !strstr(text, "/*Invalid"); }

/* As disassemble; if LLVM does not take the text as it is, with the fewest halves cleared that it does take: `*upper` gets those. */
static size_t disassemble_halves(struct wl_text_decoder *decoder, const uint8_t *bytes, uint64_t available, uint64_t address, char *text,
                                 size_t size, unsigned *upper) {
    static const uint8_t choices[] = {1, 2, 4, 3, 5, 6, 7};
    const unsigned fields = decoder->generation >= 11 ? upper_fields(bytes, available) : 0;
    const bool dpp = is_dpp_word(read_word(bytes, available));
    size_t used = disassemble(decoder, bytes, available, address, text, size);
    uint8_t copy[24] = {0};

    *upper = 0;
    for (size_t i = 0; i < sizeof choices && fields && !is_clean(used, text); i++) {
        if (choices[i] & ~fields)
            continue;
        memcpy(copy, bytes, available < sizeof copy ? available : sizeof copy);
        for (unsigned field = 1; field < 8; field *= 2)
            if (choices[i] & field)
                flip_half(copy, (enum half_field)field, dpp);
        used = disassemble(decoder, copy, available < sizeof copy ? available : sizeof copy, address, text, size);
        *upper = choices[i];
    }
    if (decoder->generation < 11 || is_clean(used, text))
        return used;
    *upper = 0;
    if (!decoder->halves)
        decoder->halves = LLVMCreateDisasmCPUFeatures("amdgcn-amd-amdhsa", decoder->processor,
                                                      decoder->wave_size == 64 ? "+wavefrontsize64,-wavefrontsize32,+real-true16"
                                                                               : "+wavefrontsize32,-wavefrontsize64,+real-true16",
                                                      NULL, 0, NULL, NULL);
    used = decoder->halves ? ask_llvm(decoder->halves, decoder->generation, bytes, available, address, text, size) : 0;
    return is_clean(used, text) ? used : 0;
}

/* Of a short encoding: op_sel has a bit for each source, as printed, and one for the destination behind them. */
static void set_upper_halves(struct wl_inst *inst, unsigned upper, bool vopc) {
    const unsigned named = wl_starts_with(inst->mnemonic, "v_cmpx_") ? 0 : 1;
    const unsigned second = wl_starts_with(inst->mnemonic, "v_fmamk") || wl_starts_with(inst->mnemonic, "v_madmk") ? 2 : 1;

    if (upper & HALF_SRC0)
        inst->op_sel |= 1;
    if (upper & HALF_SRC1)
        inst->op_sel |= (uint8_t)(1u << second);
    if (upper & HALF_DST && !vopc && named && inst->operand_count)
        inst->op_sel |= (uint8_t)(1u << (inst->operand_count - 1u));
}

/* Of VOP3, if the text has no op_sel. Instructions with two results have the second one's register there. */
static void read_op_sel(struct wl_inst *inst, uint32_t word) {
    const bool compares = inst->isa && inst->isa->class == WL_ISA_CMPX;
    const unsigned named = wl_starts_with(inst->mnemonic, "v_cmpx_") ? 0 : 1, sources = inst->operand_count - named;
    bool half = compares;

    if (word >> 26 != 0x35 || !(word >> 11 & 15) || inst->op_sel || (!compares && (!inst->sem || inst->sem->result_count != 1)))
        return;
    for (unsigned i = 0; inst->sem && i < inst->sem->input_count; i++)
        half |= wl_type_bits((enum wl_type)inst->sem->inputs[i].type) == 16;
    half |= inst->sem && wl_type_bits((enum wl_type)inst->sem->results[0].type) == 16;
    if (wl_starts_with(inst->mnemonic, "v_align") && word >> 13 & 1) /* of the amount, which is 16 bits wide there */
        inst->sem = wl_sem_find(inst->mnemonic[8] == 'i' ? "v_alignbit_b32_upper" : "v_alignbyte_b32_upper", NULL);
    if (!half) /* the bits mean nothing */
        return;
    inst->op_sel = (uint8_t)((word >> 11 & 7 & ((1u << sources) - 1)) | (word >> 14 & 1) << sources);
}

/* As wl_text_decode, if it is a v_swap_b16; else 0. */
static unsigned decode_swap(struct wl_text_decoder *decoder, const uint8_t *bytes, uint64_t available, uint64_t address,
                            struct wl_inst inst[2]) {
    uint8_t replaced[2][8];
    struct wl_inst made[2];
    unsigned count = 0;
    const unsigned size = wl_newer_swap(bytes, available, decoder->generation, replaced, &count);

    for (unsigned i = 0; size && i < count; i++) {
        if (wl_text_decode(decoder, replaced[i], sizeof replaced[i], address, made) != 1)
            return 0;
        inst[i] = made[0];
        inst[i].size = i ? 0 : (uint8_t)size;
    }
    inst[0].paired = count == 2;
    return size ? count : 0;
}

unsigned wl_text_decode(struct wl_text_decoder *decoder, const uint8_t *bytes, uint64_t available, uint64_t address,
                        struct wl_inst inst[2]) {
    char buffer[512];
    const char *text = buffer, *end, *second;
    unsigned upper = 0;
    const size_t size = disassemble_halves(decoder, bytes, available, address, buffer, sizeof(buffer), &upper);

    if (size == 0)
        return decode_swap(decoder, bytes, available, address, inst);
    memset(&inst[0], 0, sizeof(inst[0]));
    inst[0].address = address;
    inst[0].offset = (uint32_t)address;
    inst[0].size = (uint8_t)size;
    while (*text == ' ' || *text == '\t')
        text++;
    end = text + strlen(text);
    second = wl_starts_with(text, "v_dual_") ? strstr(text, " :: ") : NULL;
    decode_text(decoder, text, second ? second : end, bytes, &inst[0]);
    if (second) {
        memset(&inst[1], 0, sizeof(inst[1]));
        inst[1].address = address;
        inst[1].offset = (uint32_t)address;
        decode_text(decoder, second + 4, end, bytes, &inst[1]);
        inst[0].paired = true;
        return 2;
    }
    if (upper)
        set_upper_halves(&inst[0], upper, read_word(bytes, available) >> 25 == 0x3e);
    else if (decoder->generation >= 11 && !strstr(buffer, "op_sel"))
        read_op_sel(&inst[0], read_word(bytes, available));
    else if (wl_starts_with(inst[0].mnemonic, "v_fmac_f16")) /* op_sel is printed with a place for the destination as a source, too */
        inst[0].op_sel = (uint8_t)((inst[0].op_sel & 3) | (inst[0].op_sel >> 1 & 4));
    if (strcmp(inst[0].mnemonic, "v_swap_b32") == 0 && inst[0].operand_count == 2) {
        memset(&inst[1], 0, sizeof(inst[1]));
        split_swap(inst);
        return 2;
    }
    return 1;
}

unsigned wl_text_disassemble(struct wl_text_decoder *decoder, const uint8_t *bytes, uint64_t available, uint64_t address, char *text,
                             size_t size) {
    char buffer[512];
    const char *start = buffer;
    const size_t bytes_used = disassemble(decoder, bytes, available, address, buffer, sizeof(buffer));

    if (bytes_used == 0)
        return 0;
    while (*start == ' ' || *start == '\t')
        start++;
    snprintf(text, size, "%s", start);
    for (; size > 0 && *text; text++)
        if (*text == '\t')
            *text = ' ';
    return (unsigned)bytes_used;
}
