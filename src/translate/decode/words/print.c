/* Instructions as text, in the syntax of LLVM's assembler. */
#include "translate/decode/words/print.h"
#include "base/text.h"
#include "machine/image_instruction.h"
#include "translate/decode/decode.h"
#include "translate/decode/words/decoder.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void wl_print(struct wl_word_text *text, const char *format, ...) {
    va_list arguments;

    if (text->used >= text->size)
        return;
    va_start(arguments, format);
    const int length = vsnprintf(text->at + text->used, text->size - text->used, format, arguments);
    va_end(arguments);
    text->used += length > 0 ? (size_t)length : 0;
}

/* ---- mnemonics ---- */

static bool has_row(const struct wl_word_decoder *decoder, const char *name, unsigned first, unsigned last) {
    for (size_t i = 0; i < wl_row_count; i++)
        if (wl_rows[i].encoding >= first && wl_rows[i].encoding <= last && wl_rows[i].targets & decoder->target &&
            strcmp(wl_rows[i].name, name) == 0)
            return true;
    return false;
}

/* LLVM says which encoding it is where there are two. */
static const char *find_suffix(const struct wl_word_job *job) {
    const struct wl_row *row = job->entry->row;

    if (!job->entry->shape.count)
        return "";
    if (job->d->has_wide && (strcmp(row->name, "v_cvt_pk_f16_fp8") == 0 || strcmp(row->name, "v_cvt_pk_f16_bf8") == 0))
        return ""; /* as LLVM 22 has it */
    if (row->encoding >= WL_ENC_VOP1 && row->encoding <= WL_ENC_VOPC)
        return (strcmp(row->name, "v_pk_fmac_f16") == 0 && job->d->generation == 9) || has_row(job->d, row->name, WL_ENC_VOP3, WL_ENC_VOP3)
                   ? "_e32"
                   : "";
    if (row->encoding == WL_ENC_VINTRP)
        return has_row(job->d, row->name, WL_ENC_VOP3, WL_ENC_VOP3) ? "_e32" : "";
    if (row->encoding == WL_ENC_VOP3)
        return has_row(job->d, row->name, WL_ENC_VOP1, WL_ENC_VOPC) || has_row(job->d, row->name, WL_ENC_VINTRP, WL_ENC_VINTRP) ? "_e64"
                                                                                                                                : "";
    return "";
}

static void print_mnemonic(struct wl_word_text *text, const struct wl_word_job *job, const struct wl_inst *inst) {
    const struct wl_word_entry *entry = job->entry;
    const bool is_short = entry->row->encoding >= WL_ENC_VOP1 && entry->row->encoding <= WL_ENC_VOPC;

    for (size_t i = 0; !entry->suffix && i < wl_row_count; i++)
        if (job->d->entries[i] == entry)
            job->d->entries[i]->suffix = find_suffix(job);
    wl_print(text, "%s", entry->row->name);
    if (!entry->shape.count)
        return; /* has no suffix in any encoding */
    if (inst->is_sdwa && is_short)
        wl_print(text, "_sdwa");
    else if (inst->is_dpp)
        wl_print(text, !is_short ? "_e64_dpp" : entry->row->encoding == WL_ENC_VOPC && job->d->generation >= 11 ? "" : "_dpp");
    else
        wl_print(text, "%s", entry->suffix ? entry->suffix : "");
}

/* ---- operands ---- */

static const char *special_name(unsigned reg) {
    static const char *const names[] = {
        [WL_SPECIAL_SHARED_BASE] = "src_shared_base",
        [WL_SPECIAL_SHARED_LIMIT] = "src_shared_limit",
        [WL_SPECIAL_PRIVATE_BASE] = "src_private_base",
        [WL_SPECIAL_PRIVATE_LIMIT] = "src_private_limit",
        [WL_SPECIAL_POPS_EXITING_WAVE_ID] = "src_pops_exiting_wave_id",
        [WL_SPECIAL_SCC] = "src_scc",
        [WL_SPECIAL_VCCZ] = "src_vccz",
        [WL_SPECIAL_EXECZ] = "src_execz",
        [WL_SPECIAL_LDS_DIRECT] = "src_lds_direct",
        [WL_SPECIAL_FLAT_SCRATCH_BASE_LO] = "src_flat_scratch_base_lo",
        [WL_SPECIAL_FLAT_SCRATCH_BASE_HI] = "src_flat_scratch_base_hi",
    };
    return reg < sizeof names / sizeof *names ? names[reg] : "?";
}

static void print_registers(struct wl_word_text *text, const char *file, unsigned first, unsigned count) {
    if (count <= 1)
        wl_print(text, "%s%u", file, first);
    else
        wl_print(text, "%s[%u:%u]", file, first, first + count - 1);
}

static void print_scalar_register(struct wl_word_text *text, unsigned reg, unsigned count) {
    static const struct {
        unsigned reg;
        const char *name;
    } pairs[] = {{WL_SGPR_FLAT_SCRATCH, "flat_scratch"}, {104, "xnack_mask"}, {WL_SGPR_VCC, "vcc"}, {WL_SGPR_EXEC, "exec"}};

    if (reg == WL_SGPR_M0) {
        wl_print(text, "m0");
        return;
    }
    if (reg >= WL_SGPR_TTMP && reg < WL_SGPR_TTMP + 16) {
        print_registers(text, "ttmp", reg - WL_SGPR_TTMP, count);
        return;
    }
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
        if (pairs[i].reg == (reg & ~1u) && (reg >= 106 || text->older)) {
            wl_print(text, "%s%s", pairs[i].name, count == 2 ? "" : reg & 1 ? "_hi" : "_lo");
            return;
        }
    print_registers(text, "s", reg, count);
}

static void print_number(struct wl_word_text *text, const struct wl_operand *operand, enum wl_format format) {
    if (text->wide && operand->sel)
        wl_print(text, "lit64(0x%" PRIx64 ")", operand->bits);
    else if (operand->is_float && operand->number != 0.15915494309189532)
        wl_print(text, "%.1f", operand->number);
    else if (operand->is_float)
        wl_print(text, format == WL_FORMAT_F64 || format == WL_FORMAT_I64 ? "0.15915494309189532" : "0.15915494");
    else if (operand->literal)
        wl_print(text, operand->upper ? "lit(0x%" PRIx64 ")" : "0x%" PRIx64, operand->bits);
    else
        wl_print(text, "%" PRId64, (int64_t)operand->bits);
}

static void print_value(struct wl_word_text *text, const struct wl_operand *operand, enum wl_format format) {
    switch ((enum wl_operand_kind)operand->kind) {
    case WL_OPERAND_VGPR:
        print_registers(text, operand->reg >= WL_AGPR ? "a" : "v", operand->reg % WL_AGPR, operand->count);
        wl_print(text, !text->half ? "" : operand->upper ? ".h" : ".l");
        break;
    case WL_OPERAND_SGPR:
        print_scalar_register(text, operand->reg, operand->count);
        break;
    case WL_OPERAND_IMM:
        print_number(text, operand, format);
        break;
    case WL_OPERAND_SPECIAL:
        wl_print(text, "%s", special_name(operand->reg));
        break;
    case WL_OPERAND_OFF:
        wl_print(text, text->off && !operand->reg ? "off" : "null");
        break;
    default:
        wl_print(text, "%" PRIu64, operand->bits);
        break;
    }
}

static void print_operand(struct wl_word_text *text, const struct wl_operand *operand, enum wl_format format) {
    const bool number = operand->kind == WL_OPERAND_IMM && !operand->abs && !operand->upper && !(text->wide && operand->sel);

    if (operand->neg)
        wl_print(text, number ? "neg(" : "-");
    if (operand->sext)
        wl_print(text, "sext(");
    if (operand->abs)
        wl_print(text, "|");
    print_value(text, operand, format);
    if (operand->abs)
        wl_print(text, "|");
    if (operand->sext || (operand->neg && number))
        wl_print(text, ")");
}

static void separate(struct wl_word_text *text) { wl_print(text, text->count++ ? ", " : " "); }

/* The list of an image's address registers, of which the last ones may follow one another. */
static void print_addresses(struct wl_word_text *text, const struct wl_word_job *job, const struct wl_inst *inst) {
    const unsigned count = inst->address_count, fields = job->d->generation == 12 ? 4 : job->d->generation == 11 ? 5 : 16;

    uint8_t parts[5];
    const unsigned rays =
        job->d->generation > 10 && WL_IMAGE_KIND_OF(inst->isa->image) == WL_IMAGE_BVH ? wl_ray_parts(job, inst->a16, parts) : 0;

    wl_print(text, "[");
    for (unsigned i = 0, at = 0; rays && i < rays; at += parts[i++]) {
        wl_print(text, i ? ", " : "");
        print_registers(text, "v", inst->addresses[at], parts[i]);
    }
    for (unsigned i = 0; !rays && i < count && i < fields; i++) {
        wl_print(text, i ? ", " : "");
        print_registers(text, "v", inst->addresses[i], i == fields - 1 && count > fields ? count - fields + 1 : 1);
    }
    wl_print(text, "]");
}

/* The place of each operand: comparisons have a mask in front that is none. NULL: it has none. */
static const struct wl_word_place *place_of(const struct wl_word_job *job, unsigned index, unsigned operands) {
    const struct wl_word_shape *shape = &job->entry->shape;
    static const struct wl_word_place scale = {.format = WL_FORMAT_I32}, scale16 = {.format = WL_FORMAT_I64};
    if (job->entry->row->encoding == WL_ENC_VOP3PX && index >= shape->count)
        return job->d->has_wide && job->entry->row->opcode & 0x80 ? &scale16 : &scale;
    const unsigned more = operands > shape->count && job->entry->row->encoding == WL_ENC_VOPC ? operands - shape->count : 0;

    return index < more || index - more >= shape->count ? NULL : &shape->places[index - more];
}

static enum wl_format format_of(const struct wl_word_place *place) {
    return !place || place->file == WL_FILE_OTHER ? WL_FORMAT_NONE : (enum wl_format)place->format;
}

/* gfx12's prefetches: base, offset, register, length. */
static void print_prefetch(struct wl_word_text *text, const struct wl_word_job *job, const struct wl_inst *inst) {
    const int32_t offset = (int32_t)(job->w[1] << 8) >> 8;
    const unsigned based = job->entry->shape.count > 2;

    for (unsigned i = 0; i < inst->operand_count + 1u; i++) {
        separate(text);
        if (i == based)
            wl_print(text, offset < 0 ? "-0x%x" : "0x%x", offset < 0 ? -offset : offset);
        else if (i == based + 1 && inst->operands[based].kind == WL_OPERAND_IMM)
            wl_print(text, "null");
        else
            print_operand(text, &inst->operands[i > based ? i - 1 : i], WL_FORMAT_NONE);
    }
}

/* Operands that are printed otherwise: a table of three inputs, and the scales of 1 of a product without scales. */
static bool is_hidden(const struct wl_word_job *job, const struct wl_inst *inst, unsigned index) {
    if (job->entry->shape.modifiers & WL_MOD_BITOP3)
        return index + 1u == inst->operand_count;
    return index >= 4 && job->entry->row->encoding == WL_ENC_VOP3P && strstr(job->entry->row->name, "_f8f6f4");
}

/* The bits of op_sel that choose halves in VOP3, the destination's as bit 3. */
static unsigned half_bits(const struct wl_word_job *job) {
    unsigned bits = 0;

    for (unsigned i = 0; i < job->entry->shape.count && job->entry->row->encoding == WL_ENC_VOP3; i++) {
        const struct wl_word_place *place = &job->entry->shape.places[i];
        if (wl_is_half(job, place))
            bits |= place->role == WL_AT_VDST ? 8u : 1u << (place->role - WL_AT_SRC0);
    }
    return bits;
}

/* The bits of op_sel that choose a byte: of the result, or of the source. */
static unsigned byte_bits(const struct wl_word_job *job) {
    if (!job->d->has_wide || !(job->entry->shape.modifiers & WL_MOD_BYTE_SEL))
        return 0;
    return wl_starts_with(job->entry->row->name, "v_cvt_sr_") ? 12 : 3;
}

/* VOP3 with registers that are named by half: op_sel says which. With bits that choose nothing, registers are named whole. */
static bool has_halves(const struct wl_word_job *job) {
    unsigned allowed = job->entry->shape.places[0].role == WL_AT_VDST ? 8 : 0;

    for (unsigned i = 0; i < job->entry->shape.count; i++)
        if (job->entry->shape.places[i].file != WL_FILE_MASK && job->entry->shape.places[i].role <= WL_AT_SRC2)
            allowed |= job->entry->shape.places[i].role >= WL_AT_SRC0 ? 1u << (job->entry->shape.places[i].role - WL_AT_SRC0) : 0;
    return half_bits(job) && !(job->w[0] >> 11 & 15 & ~(allowed | byte_bits(job)));
}

static void print_operands(struct wl_word_text *text, const struct wl_word_job *job, const struct wl_inst *inst) {
    const bool image = inst->isa && inst->isa->class == WL_ISA_IMAGE;
    const unsigned encoding = job->entry->row->encoding;
    const bool vector = encoding >= WL_ENC_VOP1 && encoding <= WL_ENC_VOP3;

    if (encoding == WL_ENC_SMEM && strstr(job->entry->row->name, "_prefetch_")) {
        print_prefetch(text, job, inst);
        return;
    }
    for (unsigned i = 0; i < inst->operand_count; i++) {
        const struct wl_operand *operand = &inst->operands[i];
        const struct wl_word_place *place = place_of(job, i, inst->operand_count);

        if (i == 0 && strcmp(job->entry->row->name, "buffer_store_lds_dword") == 0)
            continue; /* always off */
        if (is_hidden(job, inst, i))
            continue;
        text->off = (encoding >= WL_ENC_FLAT && encoding <= WL_ENC_SCRATCH) || encoding == WL_ENC_EXP ||
                    ((encoding == WL_ENC_MUBUF || encoding == WL_ENC_MTBUF) && i + 3 == inst->operand_count);
        text->half = place && (place->file == WL_FILE_NAMED || (encoding == WL_ENC_VINTERP && wl_is_half(job, place)) ||
                               (vector && wl_is_half(job, place) && (encoding != WL_ENC_VOP3 || has_halves(job))));
        if (operand->kind == WL_OPERAND_TEXT && wl_print_symbol(text, job, i))
            continue;
        separate(text);
        if (image && i == 1 && inst->address_count > 1)
            print_addresses(text, job, inst);
        else if (encoding == WL_ENC_SMEM && operand->kind == WL_OPERAND_IMM && place && place->role == WL_AT_ADDR)
            wl_print(text, (int64_t)operand->bits < 0 ? "-0x%" PRIx64 : "0x%" PRIx64,
                     (int64_t)operand->bits < 0 ? -operand->bits : operand->bits);
        else
            print_operand(text, operand, format_of(place));
    }
    if (strcmp(job->entry->row->name, "s_set_gpr_idx_on") == 0) {
        separate(text);
        wl_print_index_mode(text, job->w[0] >> 8 & 0xff);
    }
}

/* ---- modifiers of vector instructions ---- */

static void print_bits(struct wl_word_text *text, const char *name, unsigned bits, unsigned count) {
    wl_print(text, " %s:[", name);
    for (unsigned i = 0; i < count; i++)
        wl_print(text, "%s%u", i ? "," : "", bits >> i & 1);
    wl_print(text, "]");
}

static unsigned count_sources(const struct wl_word_shape *shape) { return (unsigned)__builtin_popcount(shape->roles); }

static void print_selects(struct wl_word_text *text, const struct wl_word_job *job, const struct wl_inst *inst) {
    const struct wl_word_shape *shape = &job->entry->shape;
    const bool packed = job->entry->row->encoding == WL_ENC_VOP3P;
    const unsigned sources = job->entry->wmma ? 3 : count_sources(shape);
    const unsigned bits = shape->modifiers & WL_MOD_OP_SEL2 ? 2 : shape->modifiers & WL_MOD_OP_SEL4 ? 4 : packed ? sources : sources + 1;

    if (shape->modifiers & WL_MOD_BITOP3) { /* behind its table */
    } else if (!packed && half_bits(job)) {
        const unsigned chosen = job->entry->packed ? half_bits(job) : 15; /* v_dot2_*: has pairs, too */
        const unsigned raw = strcmp(job->entry->row->name, "v_cndmask_b16") ? job->w[0] >> 11 & chosen & ~byte_bits(job) : 0;
        const unsigned fmac = wl_starts_with(job->entry->row->name, "v_fmac_f16"); /* adds to it */
        const bool result = !job->entry->writes_exec && !(job->entry->compares && inst->is_dpp);
        if (raw && has_halves(job))
            print_bits(text, "op_sel", (raw & ((1u << sources) - 1)) | (raw >> 3) << (sources + fmac), sources + result + fmac);
    } else if (inst->op_sel && wl_starts_with(job->entry->row->name, "v_fmac_f16")) /* the addend is the destination */
        print_bits(text, "op_sel", (inst->op_sel & 3u) | (inst->op_sel & 4u) << 1, 4);
    else if (shape->modifiers & WL_MOD_OP_SEL && inst->op_sel)
        print_bits(text, "op_sel", inst->op_sel, bits);
    if (inst->has_op_sel_hi)
        print_bits(text, "op_sel_hi", inst->op_sel_hi, sources);
    if (inst->neg_lo)
        print_bits(text, "neg_lo", inst->neg_lo, sources);
    if (inst->neg_hi)
        print_bits(text, "neg_hi", inst->neg_hi, sources);
}

static void print_table(struct wl_word_text *text, const struct wl_inst *inst) {
    const uint64_t bits = inst->operands[inst->operand_count - 1].bits;

    if (bits)
        wl_print(text, bits > 10 ? " bitop3:0x%" PRIx64 : " bitop3:%" PRIu64, bits);
}

/* Of gfx950, and gfx1250. */
static void print_newer(struct wl_word_text *text, const struct wl_word_job *job, const struct wl_inst *inst) {
    const uint32_t modifiers = job->entry->shape.modifiers;

    if (modifiers & WL_MOD_BITOP3)
        print_table(text, inst);
    if (modifiers & WL_MOD_BITOP3 && inst->op_sel)
        print_bits(text, "op_sel", (inst->op_sel & 7u) | (inst->op_sel & 16u) >> 1, 4);
    if (modifiers & WL_MOD_FI_BC && inst->op_sel & 2)
        wl_print(text, " bound_ctrl:1");
    if (modifiers & WL_MOD_FI_BC && inst->op_sel & 1)
        wl_print(text, " fi:1");
    if (inst->scale_sel)
        wl_print(text, " scale_sel:%u", inst->scale_sel);
    if (job->entry->row->encoding == WL_ENC_VOP3PX && inst->op_sel)
        print_bits(text, "op_sel", inst->op_sel, 3);
    if (job->entry->row->encoding == WL_ENC_VOP3PX && !job->d->has_wide)
        print_bits(text, "op_sel_hi", inst->op_sel_hi, 3);
}

static void print_kind(struct wl_word_text *text, const char *which, unsigned kind) {
    static const char *const names[] = {"", "BF8", "FP6", "BF6", "FP4"};

    if (kind >= sizeof names / sizeof *names)
        wl_print(text, " matrix_%s_fmt:%u", which, kind);
    else if (kind)
        wl_print(text, " matrix_%s_fmt:MATRIX_FMT_%s", which, names[kind]);
}

static void print_scale_kind(struct wl_word_text *text, const char *which, unsigned kind) {
    static const char *const names[] = {"", "MATRIX_SCALE_FMT_E5M3", "MATRIX_SCALE_FMT_E4M3", "3"};

    if (kind)
        wl_print(text, " matrix_%s_scale_fmt:%s", which, names[kind & 3]);
}

/* Of gfx1250: these stand in front of signs. */
static void print_matrix12(struct wl_word_text *text, const struct wl_word_job *job, const struct wl_inst *inst) {
    const uint32_t modifiers = job->entry->shape.modifiers, first = job->w[0];

    if (modifiers & (WL_MOD_KEY8 | WL_MOD_KEY16 | WL_MOD_KEY32) && inst->abid)
        wl_print(text, " index_key:%u", inst->abid);
    if (modifiers & WL_MOD_MATRIX_FMT) {
        print_kind(text, "a", inst->cbsz);
        print_kind(text, "b", inst->blgp);
    }
    wl_print(text, "%s%s", inst->scale_rows & 1 ? " matrix_a_scale:MATRIX_SCALE_ROW1" : "",
             inst->scale_rows & 2 ? " matrix_b_scale:MATRIX_SCALE_ROW1" : "");
    print_scale_kind(text, "a", inst->scale_kind_a);
    print_scale_kind(text, "b", inst->scale_kind_b);
    if (modifiers & WL_MOD_MATRIX_REUSE)
        wl_print(text, "%s%s", first >> 13 & 1 ? " matrix_a_reuse" : "", first >> 14 & 1 ? " matrix_b_reuse" : "");
}

static void print_matrix(struct wl_word_text *text, const struct wl_word_job *job, const struct wl_inst *inst) {
    const uint32_t modifiers = job->entry->shape.modifiers;

    if (inst->cbsz)
        wl_print(text, " cbsz:%u", inst->cbsz);
    if (inst->abid)
        wl_print(text, modifiers & (WL_MOD_KEY8 | WL_MOD_KEY16) ? " index_key:%u" : " abid:%u", inst->abid);
    if (inst->blgp && strstr(job->entry->row->name, "_f64_") && job->d->target & WL_GFX9_4)
        print_bits(text, "neg", inst->blgp, 3);
    else if (inst->blgp)
        wl_print(text, " blgp:%u", inst->blgp);
}

static void print_dpp(struct wl_word_text *text, const struct wl_inst *inst) {
    static const char *const names[] = {
        [WL_DPP_ROW_SHL] = "row_shl",     [WL_DPP_ROW_SHR] = "row_shr",       [WL_DPP_ROW_ROR] = "row_ror",
        [WL_DPP_WAVE_SHL] = "wave_shl",   [WL_DPP_WAVE_ROL] = "wave_rol",     [WL_DPP_WAVE_SHR] = "wave_shr",
        [WL_DPP_WAVE_ROR] = "wave_ror",   [WL_DPP_ROW_BCAST15] = "row_bcast", [WL_DPP_ROW_BCAST31] = "row_bcast",
        [WL_DPP_ROW_SHARE] = "row_share", [WL_DPP_ROW_XMASK] = "row_xmask",   [WL_DPP_ROW_NEWBCAST] = "row_newbcast",
    };
    const uint32_t control = inst->dpp_control;

    if (inst->dpp == WL_DPP_DPP8) {
        wl_print(text, " dpp8:[");
        for (unsigned i = 0; i < 8; i++)
            wl_print(text, "%s%u", i ? "," : "", control >> 3 * i & 7);
        wl_print(text, "]%s", inst->fetch_inactive ? " fi:1" : "");
        return;
    }
    if (inst->dpp == WL_DPP_QUAD_PERM)
        wl_print(text, " quad_perm:[%u,%u,%u,%u]", control & 3, control >> 2 & 3, control >> 4 & 3, control >> 6 & 3);
    else if (inst->dpp == WL_DPP_ROW_MIRROR || inst->dpp == WL_DPP_ROW_HALF_MIRROR)
        wl_print(text, inst->dpp == WL_DPP_ROW_MIRROR ? " row_mirror" : " row_half_mirror");
    else if (inst->dpp < sizeof names / sizeof *names && names[inst->dpp])
        wl_print(text, " %s:%u", names[inst->dpp], control);
    wl_print(text, " row_mask:0x%x bank_mask:0x%x%s%s", inst->row_mask, inst->bank_mask, inst->bound_ctrl ? " bound_ctrl:1" : "",
             inst->fetch_inactive ? " fi:1" : "");
}

static const char *select_name(unsigned sel) {
    static const char *const names[] = {"DWORD", "BYTE_0", "BYTE_1", "BYTE_2", "BYTE_3", "WORD_0", "WORD_1"};
    return names[sel < 7 ? sel : 0];
}

static void print_sdwa(struct wl_word_text *text, const struct wl_word_job *job, const struct wl_inst *inst) {
    static const char *const unused[] = {"UNUSED_PAD", "UNUSED_SEXT", "UNUSED_PRESERVE"};
    const struct wl_word_shape *shape = &job->entry->shape;
    const unsigned encoding = job->entry->row->encoding;
    unsigned index = inst->operand_count - count_sources(shape);

    for (unsigned i = 0; i < shape->count; i++) /* a carry stands behind the sources */
        index -= shape->places[i].role == WL_AT_VCC && i + 1 == shape->count && i > 0;
    if (encoding != WL_ENC_VOPC && shape->count && !job->entry->picks_byte)
        wl_print(text, " dst_sel:%s dst_unused:%s", select_name(inst->dst_sel), unused[inst->dst_unused % 3]);
    if (shape->roles & 1)
        wl_print(text, " src0_sel:%s", select_name(inst->operands[index].sel));
    if (shape->roles & 2)
        wl_print(text, " src1_sel:%s", select_name(inst->operands[index + 1].sel));
}

static void print_output(struct wl_word_text *text, const struct wl_inst *inst) {
    static const char *const factors[] = {"", " mul:2", " mul:4", " div:2"};

    wl_print(text, "%s%s", inst->clamp ? " clamp" : "", factors[inst->omod & 3]);
}

static void print_vector(struct wl_word_text *text, const struct wl_word_job *job, const struct wl_inst *inst) {
    const bool is_long = job->entry->row->encoding == WL_ENC_VOP3 || job->entry->row->encoding == WL_ENC_VOP3P ||
                         (job->entry->row->encoding == WL_ENC_VOP3PX && job->d->has_wide);

    const bool sparse = job->entry->shape.modifiers & (WL_MOD_KEY8 | WL_MOD_KEY16);

    if (job->d->has_wide)
        print_matrix12(text, job, inst);
    else if (sparse)
        print_matrix(text, job, inst);
    if (is_long)
        print_selects(text, job, inst);
    print_newer(text, job, inst);
    if (!sparse && !job->d->has_wide)
        print_matrix(text, job, inst);
    if (is_long && job->entry->shape.modifiers & WL_MOD_HIGH && job->w[1] >> 8 & 1)
        wl_print(text, " high");
    if (!job->d->has_wide)
        print_output(text, inst);
    if (is_long && job->entry->shape.modifiers & WL_MOD_BYTE_SEL) {
        const unsigned op_sel = job->w[0] >> 11 & 15;
        const unsigned byte = wl_starts_with(job->entry->row->name, "v_cvt_sr_") ? op_sel >> 2 : (op_sel >> 1 & 1) | (op_sel & 1) << 1;
        if (byte)
            wl_print(text, " byte_sel:%u", byte);
    }
    if (job->d->has_wide)
        print_output(text, inst);
    if (inst->is_dpp)
        print_dpp(text, inst);
    if (inst->is_sdwa)
        print_sdwa(text, job, inst);
}

/* ---- modifiers of memory instructions ---- */

static void print_policy(struct wl_word_text *text, const struct wl_word_job *job, const struct wl_inst *inst) {
    if (job->d->generation >= 12) {
        wl_print_scope(text, job);
        return;
    }
    wl_print(text, "%s%s%s%s%s%s%s", inst->glc ? " glc" : "", inst->slc ? " slc" : "", inst->dlc ? " dlc" : "", inst->scc_bit ? " scc" : "",
             inst->sc0 ? " sc0" : "", inst->nt ? " nt" : "", inst->sc1 ? " sc1" : "");
}

static void print_image(struct wl_word_text *text, const struct wl_word_job *job, const struct wl_inst *inst) {
    static const char *const dims[] = {"1D", "2D", "3D", "CUBE", "1D_ARRAY", "2D_ARRAY", "2D_MSAA", "2D_MSAA_ARRAY"};

    if (inst->dmask)
        wl_print(text, " dmask:0x%x", inst->dmask);
    if (inst->has_dim)
        wl_print(text, " dim:SQ_RSRC_IMG_%s", dims[inst->dim & 7]);
    wl_print(text, inst->unorm ? " unorm" : "");
    print_policy(text, job, inst);
    wl_print(text, "%s%s%s%s%s%s", inst->r128 ? " r128" : "", inst->a16 ? " a16" : "", inst->tfe ? " tfe" : "", inst->lwe ? " lwe" : "",
             inst->da ? " da" : "", inst->d16 ? " d16" : "");
}

/* Of scalar memory: an offset beside a register is there, even if it is 0. */
static bool has_both_offsets(const struct wl_word_job *job) {
    if (job->d->generation == 9)
        return job->w[0] >> 14 & 1 && job->w[0] >> 17 & 1 && job->entry->shape.count > 1;
    return job->d->generation >= 12 && job->entry->shape.count > 1 && job->w[1] >> 25 != 124;
}

static void print_memory(struct wl_word_text *text, const struct wl_word_job *job, const struct wl_inst *inst) {
    const unsigned encoding = job->entry->row->encoding;
    const uint32_t modifiers = job->entry->shape.modifiers;
    const bool bare = !job->entry->shape.count;

    switch (encoding) {
    case WL_ENC_DS:
        if (modifiers & WL_MOD_OFFSETS) {
            if (inst->offset0)
                wl_print(text, " offset0:%d", inst->offset0);
            if (inst->offset1)
                wl_print(text, " offset1:%d", inst->offset1);
        } else if (inst->offset0 && strcmp(job->entry->row->name, "ds_swizzle_b32") == 0)
            wl_print_swizzle(text, (unsigned)inst->offset0);
        else if (inst->offset0)
            wl_print(text, " offset:%d", inst->offset0);
        if (inst->gds && (!job->d->has_acc || modifiers & WL_MOD_GDS)) /* gfx90a and gfx94* have the bit, and no such share */
            wl_print(text, " gds");
        return;
    case WL_ENC_SMEM:
        if ((inst->offset0 || has_both_offsets(job)) && !strstr(job->entry->row->name, "_prefetch_"))
            wl_print(text, inst->offset0 < 0 ? " offset:-0x%x" : " offset:0x%x", inst->offset0 < 0 ? -inst->offset0 : inst->offset0);
        if (!inst->isa || inst->isa->class != WL_ISA_NOP)
            print_policy(text, job, inst);
        return;
    case WL_ENC_MIMG:
    case WL_ENC_VSAMPLE:
        print_image(text, job, inst);
        return;
    case WL_ENC_TENSOR:
        wl_print(text, inst->r128 ? " r128" : "");
        print_policy(text, job, inst);
        return;
    default:
        break;
    }
    if (encoding == WL_ENC_MTBUF)
        wl_print_format(text, job);
    if (encoding == WL_ENC_MUBUF || encoding == WL_ENC_MTBUF)
        wl_print(text, "%s%s", inst->idxen ? " idxen" : "", inst->offen ? " offen" : "");
    if (inst->offset0 && !bare)
        wl_print(text, " offset:%d", inst->offset0);
    if (strcmp(job->entry->row->name, "buffer_store_lds_dword") == 0) {
        wl_print(text, " lds");
        print_policy(text, job, inst);
        return;
    }
    if (!bare || job->d->generation >= 12)
        print_policy(text, job, inst);
    else if (job->d->target & WL_GFX9_4 && !strstr(job->entry->row->name, "wbinv"))
        wl_print(text, "%s%s", inst->sc0 ? " sc0" : "", inst->sc1 ? " sc1" : "");
    wl_print(text, "%s%s", inst->tfe ? " tfe" : "", inst->lds && !job->entry->lds && encoding != WL_ENC_DS ? " lds" : "");
}

static void print_pair(struct wl_word_text *text, struct wl_word_job *job, const struct wl_inst inst[2],
                       const struct wl_word_entry *first) {
    const struct wl_word_entry *entries[] = {first, job->entry};

    for (unsigned i = 0; i < 2; i++) {
        const bool table = entries[i]->shape.modifiers & WL_MOD_BITOP3;
        const bool selects = table || (entries[i]->row->encoding <= WL_ENC_VOPD_Y && strstr(entries[i]->row->name, "cndmask") != NULL);

        wl_print(text, "%s%s", i ? " :: " : "", entries[i]->row->name);
        text->count = 0;
        for (unsigned n = 0; n < inst[i].operand_count - (selects ? 1u : 0u); n++) {
            separate(text);
            print_operand(text, &inst[i].operands[n],
                          (enum wl_format)(n < entries[i]->shape.count ? entries[i]->shape.places[n].format : 0));
        }
        if (table)
            print_table(text, &inst[i]);
    }
}

/* v_swap_b16 has no row: it decodes as the moves that it is (decode/newer.c). */
static unsigned print_swap(struct wl_word_text *text, const struct wl_word_job *job) {
    uint8_t replaced[2][8];
    unsigned count;
    const unsigned size = wl_newer_swap(job->bytes, job->available, job->d->generation, replaced, &count);

    if (size)
        wl_print(text, "v_swap_b16 v%u.%c, v%u.%c", job->w[0] >> 17 & 0x7f, job->w[0] >> 24 & 1 ? 'h' : 'l', job->w[0] & 0x7f,
                 job->w[0] >> 7 & 1 ? 'h' : 'l');
    return size;
}

unsigned wl_word_print(const struct wl_word_decoder *decoder, const uint8_t *bytes, uint64_t available, uint64_t address, char *at,
                       size_t size) {
    struct wl_word_job job = {.d = decoder, .bytes = bytes, .available = available, .for_text = true};
    struct wl_word_text text = {.at = at, .size = size, .older = decoder->generation == 9, .wide = decoder->has_wide};
    struct wl_inst inst[2];

    if (size)
        at[0] = '\0';
    if (!wl_word_open(&job, address, inst))
        return print_swap(&text, &job);
    const struct wl_word_entry *first = job.entry;
    const unsigned count = wl_word_read(&job, inst);
    if (!count)
        return 0;
    if (count == 2) {
        print_pair(&text, &job, inst, first);
        return inst[0].size;
    }
    const unsigned encoding = first->row->encoding;
    print_mnemonic(&text, &job, inst);
    print_operands(&text, &job, inst);
    if (encoding >= WL_ENC_VOP1 && encoding <= WL_ENC_VOP3PX)
        print_vector(&text, &job, inst);
    else if (encoding == WL_ENC_SMEM || (encoding >= WL_ENC_DS && encoding != WL_ENC_EXP))
        print_memory(&text, &job, inst);
    else if (encoding >= WL_ENC_VINTRP)
        wl_print_graphics(&text, &job, inst);
    return inst[0].size;
}
