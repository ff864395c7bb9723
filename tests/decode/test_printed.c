/* The decoder by table against text: a file of words and of what LLVM's disassembler prints for them, for processors that the LLVM of this
 * build does not know. Mnemonics, sizes, operands and refusals have to be the same, the modifiers that gfx950's own instructions have, and the
 * text that the printer gives.
 *
 *     test_printed PROCESSOR FILE    lines of words in hexadecimal, a tab, the text ("-": no instruction), from the whole bytes
 *     test_printed -t PROCESSOR FILE the same for the printer: its text, word for word
 */
#include "base/status.h"
#include "machine/processor.h"
#include "translate/decode/words/decoder.h"
#include "translate/isa/inst.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct text {
    char line[400];
    size_t used;
};

__attribute__((format(printf, 2, 3))) static void add(struct text *t, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    t->used += (size_t)vsnprintf(t->line + t->used, sizeof t->line - t->used, format, arguments);
    va_end(arguments);
    if (t->used >= sizeof t->line)
        t->used = sizeof t->line - 1;
}

static void add_registers(struct text *t, const char *letter, unsigned first, unsigned count) {
    if (count == 1)
        add(t, "%s%u", letter, first);
    else
        add(t, "%s[%u:%u]", letter, first, first + count - 1);
}

static void add_scalar(struct text *t, const struct wl_operand *op) {
    static const struct {
        unsigned reg;
        const char *name;
    } named[] = {{102, "flat_scratch"}, {104, "xnack_mask"}, {106, "vcc"}, {126, "exec"}};
    if (op->reg == WL_SGPR_M0) {
        add(t, "m0");
        return;
    }
    for (unsigned i = 0; i < sizeof named / sizeof *named; i++)
        if (op->reg / 2 * 2 == named[i].reg) {
            add(t, "%s%s", named[i].name, op->count == 2 ? "" : op->reg % 2 ? "_hi" : "_lo");
            return;
        }
    if (op->reg >= WL_SGPR_TTMP)
        add_registers(t, "ttmp", op->reg - WL_SGPR_TTMP, op->count);
    else
        add_registers(t, "s", op->reg, op->count);
}

static void add_number(struct text *t, const struct wl_operand *op) {
    if (op->is_float && op->number > 0.15 && op->number < 0.16)
        add(t, "0.15915494");
    else if (op->is_float)
        add(t, "%.1f", op->number);
    else if (op->literal)
        add(t, "0x%" PRIx64, op->bits);
    else
        add(t, "%" PRId64, (int64_t)op->bits);
}

static void add_special(struct text *t, unsigned special) {
    static const char *const names[] = {[WL_SPECIAL_SHARED_BASE] = "src_shared_base",
                                        [WL_SPECIAL_SHARED_LIMIT] = "src_shared_limit",
                                        [WL_SPECIAL_PRIVATE_BASE] = "src_private_base",
                                        [WL_SPECIAL_PRIVATE_LIMIT] = "src_private_limit",
                                        [WL_SPECIAL_SCC] = "src_scc",
                                        [WL_SPECIAL_VCCZ] = "src_vccz",
                                        [WL_SPECIAL_EXECZ] = "src_execz",
                                        [WL_SPECIAL_LDS_DIRECT] = "src_lds_direct",
                                        [WL_SPECIAL_POPS_EXITING_WAVE_ID] = "src_pops_exiting_wave_id"};
    add(t, "%s", names[special]);
}

static void add_operand(struct text *t, const struct wl_operand *op) {
    const bool number = op->neg && !op->abs && op->kind == WL_OPERAND_IMM; /* "-1" is another one */
    add(t, "%s%s", number ? "neg(" : op->neg ? "-" : "", op->abs ? "|" : "");
    if (op->sext)
        add(t, "sext(");
    if (op->kind == WL_OPERAND_VGPR)
        add_registers(t, op->reg >= WL_AGPR ? "a" : "v", op->reg % WL_AGPR, op->count);
    else if (op->kind == WL_OPERAND_SGPR)
        add_scalar(t, op);
    else if (op->kind == WL_OPERAND_IMM)
        add_number(t, op);
    else if (op->kind == WL_OPERAND_SPECIAL)
        add_special(t, op->reg);
    else
        add(t, "%s", op->kind == WL_OPERAND_OFF ? "off" : "?");
    add(t, "%s%s", op->sext || number ? ")" : "", op->abs ? "|" : "");
}

/* ---- what LLVM says ---- */

/* Operands end where a word with a colon, or one that is a modifier, begins. */
static bool is_modifier(const char *word) {
    static const char *const bare[] = {"clamp", "offen", "idxen", "sc0", "sc1", "nt", "lds", "gds", "glc", "slc", "tfe", "off_modifier"};
    const size_t length = strcspn(word, " ");
    for (size_t i = 0; i < sizeof bare / sizeof *bare; i++)
        if (strlen(bare[i]) == length && !strncmp(word, bare[i], length))
            return true;
    const char *colon = memchr(word, ':', length), *bracket = memchr(word, '[', length);
    return colon && (!bracket || colon < bracket);
}

/* The value behind "NAME:", or 0. Lists are bits. */
static unsigned modifier(const char *text, const char *name) {
    char key[40];
    unsigned value = 0;
    snprintf(key, sizeof key, " %s:", name);
    const char *at = strstr(text, key);
    if (!at)
        return 0;
    at += strlen(key);
    if (*at != '[')
        return (unsigned)strtoul(at, NULL, 0);
    for (unsigned i = 0; *at != ']' && *at; at++)
        if (*at == '0' || *at == '1')
            value |= (unsigned)(*at - '0') << i++;
    return value;
}

static bool has_word(const char *text, const char *word) {
    const char *at = strstr(text, word);
    return at && (at[strlen(word)] == ' ' || !at[strlen(word)]);
}

/* The text without its encoding's suffix, and up to the modifiers. */
static void operands_of(const char *text, struct text *t) {
    static const char *const suffixes[] = {"_e32", "_e64", "_dpp", "_sdwa"};
    size_t length = strcspn(text, " ");
    for (size_t i = 0; i < sizeof suffixes / sizeof *suffixes; i++)
        if (length > strlen(suffixes[i]) && !strncmp(text + length - strlen(suffixes[i]), suffixes[i], strlen(suffixes[i]))) {
            add(t, "%.*s", (int)(length - strlen(suffixes[i])), text);
            break;
        }
    if (!t->used)
        add(t, "%.*s", (int)length, text);
    for (const char *word = text + length; *word == ' ';) {
        word++;
        if (is_modifier(word))
            break;
        const size_t size = strcspn(word, " ");
        add(t, " %.*s", (int)size, word);
        word += size;
    }
}

/* ---- comparison ---- */

static unsigned lines, failures;

static void fail(const char *line, const char *what, const char *got) {
    if (failures++ < 40)
        fprintf(stderr, "%s\n    %s: %s\n", line, what, got);
}

/* What the table makes of bits that LLVM prints as op_sel. */
static unsigned byte_of(const struct wl_inst *inst, bool destination) {
    const uint8_t sel = destination ? inst->dst_sel : inst->operands[1].sel;
    if (!inst->is_sdwa || sel == WL_SEL_DWORD)
        return 0;
    return sel <= WL_SEL_BYTE_3 ? sel - WL_SEL_BYTE_0 : sel - WL_SEL_WORD_0;
}

static bool begins(const char *text, const char *with) { return !strncmp(text, with, strlen(with)); }

/* op_sel of a conversion with a scale: what is widened is a byte, or a half if it is a pair of bytes, of the source. A narrow result goes to a
 * byte of the destination, or to a half if it has 16 bits; others fill it. */
static bool same_parts(const struct wl_inst *inst, const char *text) {
    const char *name = inst->mnemonic + strlen("v_cvt_scalef32_"), *at = strstr(text, "op_sel:[");
    unsigned bits[4] = {0}, count = 0, source = 0, destination = 0;
    for (at = at ? at + 7 : ""; *at && *at != ']'; at++)
        if ((*at == '0' || *at == '1') && count < 4)
            bits[count++] = (unsigned)(*at - '0');
    if (begins(name, "pk_f") && strstr(name, "_fp4") && !begins(name, "pk_fp4"))
        source = bits[0] | bits[1] << 1;
    else if (begins(name, "pk_bf16_fp4") || begins(name, "f32_") || begins(name, "f16_"))
        source = bits[0] | bits[1] << 1;
    else if (begins(name, "pk_f32_") || begins(name, "pk_f16_") || begins(name, "pk_bf16_"))
        source = bits[0];
    if (begins(name, "f16_"))
        destination = bits[count ? count - 1 : 0];
    else if (begins(name, "pk_fp8") || begins(name, "pk_bf8"))
        destination = bits[count ? count - 1 : 0];
    else if (strstr(name, "fp4_") || begins(name, "sr_"))
        destination = count == 4 ? bits[2] | bits[3] << 1 : 0;
    return strstr(name, "pk32") || strstr(name, "2xpk16") || (byte_of(inst, false) == source && byte_of(inst, true) == destination);
}

static bool same_modifiers(const struct wl_inst *inst, const char *text) {
    const char *name = inst->mnemonic;
    const unsigned op_sel = modifier(text, "op_sel");
    if (!strcmp(name, "v_mfma_ld_scale_b32"))
        return true; /* nothing that is known */
    if (!strncmp(name, "v_cvt_scalef32_", 15))
        return same_parts(inst, text);
    if (strstr(name, "lane16_swap") || strstr(name, "lane32_swap"))
        return inst->op_sel == (modifier(text, "fi") | modifier(text, "bound_ctrl") << 1);
    if (strstr(name, "mfma"))
        return inst->cbsz == modifier(text, "cbsz") && inst->abid == modifier(text, "abid") && inst->blgp == modifier(text, "blgp") &&
               (!strstr(text, "_scale_") || (inst->op_sel == (op_sel & 3) && inst->op_sel_hi == (modifier(text, "op_sel_hi") & 3)));
    if (!strncmp(name, "v_bitop3", 8))
        return inst->operands[4].bits == modifier(text, "bitop3") && (inst->op_sel & 7) == (op_sel & 7) && inst->op_sel >> 4 == op_sel >> 3;
    if (!strncmp(name, "ds_read_b", 9))
        return inst->offset0 == (int32_t)modifier(text, "offset");
    if (strncmp(name, "v_cvt_", 6) && strncmp(name, "v_ashr_pk", 9) && strncmp(name, "v_prng", 6) && !strstr(name, "imum3"))
        return true; /* what gfx942 has, too, is compared with LLVM in full */
    return inst->clamp == has_word(text, " clamp");
}

static void compare(const struct wl_word_decoder *decoder, const char *line, const uint8_t *bytes, size_t size, const char *text) {
    struct wl_inst inst[2];
    const bool doubtful = strstr(text, "/*") || strstr(text, " ; ") || !strncmp(text, "v_illegal", 9);
    const unsigned count = wl_word_decode(decoder, bytes, size, 0x1000, inst);
    const char *name = wl_word_name(decoder, bytes, size);
    lines++;
    if (!strcmp(text, "-") || !count) {
        if (strcmp(text, "-") && !doubtful)
            fail(line, "refused", "");
        else if (!strcmp(text, "-") && count && (inst[0].sem || inst[0].isa))
            fail(line, "not refused", inst[0].mnemonic);
        return;
    }
    struct text want = {0}, got = {0};
    if (doubtful)
        return;
    operands_of(text, &want);
    add(&got, "%s", name);
    const unsigned operands =
        inst[0].operand_count - !strncmp(name, "v_bitop3", 8) - (strstr(name, "_f8f6f4") ? 2 * !strstr(name, "_scale_") : 0);
    for (unsigned i = 0; i < operands; i++) {
        add(&got, i ? ", " : " ");
        add_operand(&got, &inst[0].operands[i]);
    }
    char printed[512] = "";
    wl_word_print(decoder, bytes, size, 0x1000, printed, sizeof printed);
    if (strcmp(printed, text) != 0)
        fail(line, "printed", printed);
    if (strncmp(want.line, name, strlen(name)) != 0 || (want.line[strlen(name)] != ' ' && want.line[strlen(name)]))
        fail(line, "another instruction", name);
    else if (name[0] == 'v' && strcmp(want.line, got.line) != 0)
        fail(line, "operands", got.line);
    else if (name[0] == 'v' && !same_modifiers(&inst[0], text))
        fail(line, "modifiers", got.line);
}

/* The printer's text, and that the decoder takes what it takes. */
static void compare_text(const struct wl_word_decoder *decoder, const char *line, const uint8_t *bytes, size_t size, const char *text) {
    char printed[600] = "";
    struct wl_inst inst[2];
    const unsigned length = wl_word_print(decoder, bytes, size, 0x1000, printed, sizeof printed);
    const unsigned count = wl_word_decode(decoder, bytes, size, 0x1000, inst);
    lines++;
    if (!length != !strcmp(text, "-"))
        fail(line, length ? "not refused" : "refused", printed);
    else if (length && strcmp(text, printed) != 0)
        fail(line, "text", printed);
    else if (!length != !count || (length && (length != inst[0].size || length != size)))
        fail(line, "decoded otherwise", printed);
}

static size_t read_bytes(char *words, uint8_t *bytes, size_t most) {
    size_t size = 0;
    char *rest;
    for (char *word = strtok_r(words, " ", &rest); word && size + 4 <= most; word = strtok_r(NULL, " ", &rest)) {
        const uint32_t value = (uint32_t)strtoul(word, NULL, 16);
        memcpy(bytes + size, &value, 4);
        size += 4;
    }
    return size;
}

int main(int argc, char **argv) {
    static char line[2000], copy[2000];
    struct wl_word_decoder *decoder;
    const bool texts = argc == 4 && strcmp(argv[1], "-t") == 0;
    const char *processor = argc > 2 ? argv[argc - 2] : "";
    FILE *file = argc == 3 || texts ? fopen(argv[argc - 1], "r") : NULL;
    if (!file || wl_word_decoder_create(&decoder, processor, wl_processor_has(processor, WL_HAS_WAVE32_ALONE) ? 32 : 64) != WL_OK) {
        fprintf(stderr, "usage: %s [-t] PROCESSOR FILE\n", argv[0]);
        return 2;
    }
    while (fgets(line, sizeof line, file)) {
        uint8_t bytes[20];
        line[strcspn(line, "\n")] = '\0';
        char *tab = strchr(line, '\t');
        if (line[0] == '#' || !tab)
            continue;
        snprintf(copy, sizeof copy, "%.*s", (int)(tab - line), line);
        const size_t size = read_bytes(copy, bytes, sizeof bytes);
        (texts ? compare_text : compare)(decoder, line, bytes, size, tab + 1);
    }
    fclose(file);
    wl_word_decoder_destroy(decoder);
    printf("%u lines, %u failures\n", lines, failures);
    return failures || !lines;
}
