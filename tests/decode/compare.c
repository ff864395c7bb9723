/* The decoder by table against LLVM's, word by word: the same refusals, and the same struct wl_inst, field by field.
 *
 *     decode_compare random COUNT SEED TARGET...    random words
 *     decode_compare words TARGET HEX...            one instruction, as both see it
 *     decode_compare files FILE...                  all code of code objects, fat binaries and libraries
 *     decode_compare speed FILE...                  the time that the table takes for all of it
 *
 * TARGET is PROCESSOR or PROCESSOR/32. Differences are counted by mnemonic and kind; exit status 1 if there are any, 77 if there was
 * nothing to compare. LLVM's text is asked only where a word is refused by one of both: it takes registers that do not exist, and says so in
 * a comment. `excuses` lists where LLVM 19 is wrong. compare_text.c compares texts. */
#include "base/status.h"
#include "differences.h"
#include "inputs.h"
#include "machine/processor.h"
#include "translate/decode/text/text.h"
#include "translate/decode/words/decoder.h"
#include "translate/isa/isa.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

struct pair {
    struct wl_text_decoder *llvm;
    struct wl_word_decoder *table;
    char name[24];
};

static uint64_t compared, taken;

static bool open_pair(struct pair *pair, const char *processor, uint32_t wave_size) {
    snprintf(pair->name, sizeof pair->name, "%s/%u", processor, wave_size);
    if (wl_text_decoder_create(&pair->llvm, processor, wave_size) == WL_OK &&
        wl_word_decoder_create(&pair->table, processor, wave_size) == WL_OK)
        return true;
    fprintf(stderr, "%s\n", wl_failure());
    return false;
}

static void close_pair(struct pair *pair) {
    wl_text_decoder_destroy(pair->llvm);
    wl_word_decoder_destroy(pair->table);
}

static void note(const struct pair *pair, const char *mnemonic, const char *what, const uint8_t *bytes, uint64_t available,
                 const char *detail) {
    char text[300] = "";

    wl_text_disassemble(pair->llvm, bytes, available, 0x1000, text, sizeof text);
    differences_add(&(struct difference){pair->name, mnemonic, what, bytes, available, text, detail});
}

#define FIELD(NAME) {#NAME, offsetof(struct wl_inst, NAME), sizeof(((struct wl_inst *)0)->NAME)}
static const struct {
    const char *name;
    size_t offset, size;
} fields[] = {
    FIELD(mnemonic),  FIELD(size),          FIELD(operand_count), FIELD(operands),
    FIELD(sem),       FIELD(isa),           FIELD(offset0),       FIELD(offset1),
    FIELD(glc),       FIELD(slc),           FIELD(dlc),           FIELD(scc_bit),
    FIELD(nt),        FIELD(sc0),           FIELD(sc1),           FIELD(lds),
    FIELD(tfe),       FIELD(offen),         FIELD(idxen),         FIELD(addr64),
    FIELD(gds),       FIELD(returns),       FIELD(clamp),         FIELD(high),
    FIELD(omod),      FIELD(op_sel),        FIELD(op_sel_hi),     FIELD(neg_lo),
    FIELD(neg_hi),    FIELD(has_op_sel_hi), FIELD(is_dpp),        FIELD(is_sdwa),
    FIELD(dst_sel),   FIELD(dst_unused),    FIELD(dpp),           FIELD(dpp_control),
    FIELD(row_mask),  FIELD(bank_mask),     FIELD(bound_ctrl),    FIELD(fetch_inactive),
    FIELD(cbsz),      FIELD(abid),          FIELD(blgp),          FIELD(format),
    FIELD(dmask),     FIELD(dim),           FIELD(has_dim),       FIELD(unorm),
    FIELD(da),        FIELD(a16),           FIELD(d16),           FIELD(r128),
    FIELD(lwe),       FIELD(address_count), FIELD(addresses),     FIELD(paired),
    FIELD(zero_high), FIELD(offset),        FIELD(address),
};

static void show_operands(const struct wl_inst *inst, char *text, size_t size) {
    size_t used = 0;

    for (unsigned i = 0; i < inst->operand_count && used < size; i++) {
        const struct wl_operand *o = &inst->operands[i];
        used += (size_t)snprintf(text + used, size - used, "%u:%u+%u%s%s%s%s%s%s#%" PRIx64 " ", o->kind, o->reg, o->count,
                                 o->neg ? "n" : "", o->abs ? "a" : "", o->sext ? "s" : "", o->upper ? "u" : "", o->literal ? "l" : "",
                                 o->is_float ? "f" : "", o->bits);
    }
}

static bool same_operand(const struct wl_operand *a, const struct wl_operand *b) {
    if (a->kind == WL_OPERAND_IMM && b->kind == WL_OPERAND_TEXT && a->bits == b->bits)
        return true; /* LLVM prints messages that it has no name for as a number */
    return a->kind == b->kind && a->count == b->count && a->reg == b->reg && a->neg == b->neg && a->abs == b->abs && a->sext == b->sext &&
           a->sel == b->sel && a->literal == b->literal && a->is_float == b->is_float && a->bits == b->bits && a->number == b->number;
}

static bool same_operands(const struct wl_inst *a, const struct wl_inst *b) {
    for (unsigned i = 0; i < a->operand_count; i++)
        if (!same_operand(&a->operands[i], &b->operands[i]))
            return false;
    return true;
}

/* Whether the name alone counts: nothing implements it. */
static bool is_unknown(const struct wl_inst *inst) { return !inst->isa && !inst->sem; }

/* ---- where LLVM 19 is wrong, or takes what no processor means ---- */

/* What both made of a word; `table` is NULL where the table refuses it, `field` where one of both does. */
struct finding {
    const struct pair *pair;
    const struct wl_inst *llvm, *table;
    const char *field, *text;
};

static bool begins(const char *text, const char *prefix) { return strncmp(text, prefix, strlen(prefix)) == 0; }

static bool is_source_alone(const char *operand) { return begins(operand, "src_") || begins(operand, "null") || begins(operand, "-src_"); }

static bool loses_gds(const struct finding *f) {
    return f->field && strcmp(f->field, "gds") == 0 && f->table->gds && (begins(f->pair->name, "gfx90a") || begins(f->pair->name, "gfx94"));
}

/* src_scc and the like, null. */
static bool takes_sources_as_registers(const struct finding *f) {
    static const char *const anywhere[] = {
        "v_mfma",     "v_smfmac", "v_wmma",    "v_swmmac", "v_mqsad_u32_u8",  "v_swap",           "image_",
        "v_permlane", "v_movrel", "v_accvgpr", "v_interp", "v_readfirstlane", "s_wakeup_barrier", "s_get_barrier_state",
        "s_barrier_"};
    const char *operands = strchr(f->text, ' '), *last = strrchr(f->text, ',');
    bool found =
        operands && is_source_alone(operands + 1) && (begins(f->text, "v_cmp") || begins(f->text, "v_read") || begins(f->text, "v_s_"));

    if (f->table)
        return false;
    for (size_t i = 0; i < sizeof anywhere / sizeof *anywhere; i++)
        found |= begins(f->text, anywhere[i]) && (strstr(f->text, " src_") || strstr(f->text, " null"));
    if (begins(f->text, "v_cndmask") || strstr(f->text, "_co_"))
        found |= last && is_source_alone(last + 2);
    return found || (strstr(f->text, "_co_") && strstr(f->text, ", src_"));
}

/* v_fma_mix* with DPP, whose second source may be a scalar as elsewhere. */
static bool wants_registers_in_mix(const struct finding *f) {
    return !f->llvm && begins(f->table->mnemonic, "v_fma_mix") && f->table->is_dpp;
}

/* Integers of VOP3 have no signs; the same bits mean nothing without DPP. */
static bool prints_sext(const struct finding *f) {
    bool extends = false;

    if (!f->field || strcmp(f->field, "operands") != 0 || !f->table->is_dpp || f->table->size != 12)
        return false;
    for (unsigned i = 0; i < f->llvm->operand_count; i++) {
        struct wl_operand operand = f->llvm->operands[i];
        extends |= operand.sext && !f->table->operands[i].sext;
        operand.sext = false;
        if (!same_operand(&operand, &f->table->operands[i]))
            return false;
    }
    return extends;
}

static unsigned count_bits(unsigned mask) { return (unsigned)__builtin_popcount(mask); }

/* Sizes of data and lists of addresses that no image instruction has: LLVM then prints some other sizes. */
static bool has_odd_image(const struct finding *f) {
    const struct wl_inst *inst = f->table ? f->table : f->llvm;
    const bool image = inst->isa && inst->isa->class == WL_ISA_IMAGE, atomic = image && inst->isa->atomic;
    const bool compares = strstr(inst->mnemonic, "cmpswap"), samples = strstr(inst->mnemonic, "sample") || strstr(inst->mnemonic, "gather");
    const unsigned data = count_bits(inst->dmask), fields = inst->dmask ? data : 1;

    if (image && !f->llvm) /* the last registers, of which LLVM asks for four always */
        return strstr(inst->mnemonic, "gather") && inst->d16 && inst->operands[0].reg % 256 > 252;
    if (!image || (f->field && strcmp(f->field, "operands") != 0 && strncmp(f->field, "address", 7) != 0))
        return false;
    if (!f->table) /* registers beyond v255 */
        return f->llvm->operands[0].reg % 256 + fields > 256 || f->llvm->operands[0].reg % 256 > 250 || strstr(f->text, ", v25") ||
               strstr(f->text, ", v24") || f->llvm->operands[1].reg > 240;
    if (atomic && (f->llvm->tfe || (compares ? data != 2 && data != 4 : data != 1 && data != 2)))
        return true;
    if ((samples || strstr(inst->mnemonic, "_mip") || strstr(inst->mnemonic, "_lod")) && inst->dim >= 6)
        return true;
    if (begins(f->pair->name, "gfx12") && !inst->addresses[1] && !inst->addresses[2])
        return true; /* one address alone */
    if (strstr(inst->mnemonic, "gather") && inst->tfe && inst->d16)
        return true;
    return f->llvm->address_count != f->table->address_count || f->llvm->address_count == 1 || inst->address_count == 1;
}

static struct excuse {
    const char *reason;
    bool (*applies)(const struct finding *finding);
    uint64_t count;
} excuses[] = {
    {"LLVM prints no gds on gfx90a and gfx94*", loses_gds, 0},
    {"LLVM takes sources that are no registers where registers alone may stand", takes_sources_as_registers, 0},
    {"LLVM takes no scalars in v_fma_mix* with DPP", wants_registers_in_mix, 0},
    {"LLVM prints sext(...) in VOP3 with DPP", prints_sext, 0},
    {"images: data, dimensions or lists of addresses that no instruction has", has_odd_image, 0},
};

static bool is_excused(const struct finding *finding) {
    for (size_t i = 0; i < sizeof excuses / sizeof *excuses; i++)
        if (excuses[i].applies(finding)) {
            excuses[i].count++;
            return true;
        }
    return false;
}

static void compare_inst(const struct pair *pair, const struct wl_inst *llvm, const struct wl_inst *table, const uint8_t *bytes,
                         uint64_t available) {
    const bool unknown = is_unknown(llvm) && is_unknown(table);

    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) {
        const char *name = fields[i].name;
        const bool operands = strcmp(name, "operands") == 0;

        if (unknown && i > 1)
            return;
        if (operands ? same_operands(llvm, table)
                     : memcmp((const char *)llvm + fields[i].offset, (const char *)table + fields[i].offset, fields[i].size) == 0)
            continue;
        if (is_excused(&(struct finding){pair, llvm, table, name, ""}))
            continue;
        char detail[200] = "";
        if (operands || strcmp(name, "operand_count") == 0) {
            show_operands(llvm, detail, 90);
            strcat(detail, "; ");
            show_operands(table, detail + strlen(detail), 90);
        } else if (strcmp(name, "mnemonic") == 0)
            snprintf(detail, sizeof detail, "%s", table->mnemonic);
        else
            snprintf(detail, sizeof detail, "%x; %x", *((const uint8_t *)llvm + fields[i].offset),
                     *((const uint8_t *)table + fields[i].offset));
        note(pair, llvm->mnemonic, name, bytes, available, detail);
        return;
    }
}

/* Whether LLVM names registers or values that there are not. */
static bool is_doubtful(const struct pair *pair, const uint8_t *bytes, uint64_t available, const struct wl_inst *inst, bool made) {
    char text[512] = "";

    if (made && !is_unknown(inst))
        return false;
    wl_text_disassemble(pair->llvm, bytes, available, 0x1000, text, sizeof text);
    return !*text || strstr(text, "/*") || strstr(text, "//") || strchr(text, ';');
}

/* Returns the instruction's size by LLVM, or 0. */
static unsigned compare(const struct pair *pair, const uint8_t *bytes, uint64_t available, uint64_t address) {
    struct wl_inst llvm[2], table[2];
    unsigned expected = wl_text_decode(pair->llvm, bytes, available, address, llvm);
    const unsigned made = wl_word_decode(pair->table, bytes, available, address, table);
    const unsigned size = expected ? llvm[0].size : 0;

    compared++;
    if (expected && is_doubtful(pair, bytes, available, &llvm[0], made))
        expected = 0;
    taken += expected > 0;
    char text[512] = "";
    if (!expected != !made)
        wl_text_disassemble(pair->llvm, bytes, available, 0x1000, text, sizeof text);
    const struct finding finding = {pair, expected ? &llvm[0] : NULL, made ? &table[0] : NULL, NULL, text};
    if (expected && !made && !is_excused(&finding))
        note(pair, llvm[0].mnemonic, "refused", bytes, available, "");
    else if (!expected && made && !is_unknown(&table[0]) && !is_excused(&finding))
        note(pair, table[0].mnemonic, "not refused", bytes, available, "");
    else if (expected && made && expected != made)
        note(pair, llvm[0].mnemonic, "number of instructions", bytes, available, "");
    for (unsigned i = 0; i < expected && expected == made; i++)
        compare_inst(pair, &llvm[i], &table[i], bytes, available);
    return size;
}

/* ---- what to compare ---- */

static bool compare_random(const char *target, uint64_t count, uint64_t seed) {
    char processor[24];
    const unsigned wave_size = inputs_split_target(target, processor, sizeof processor);
    struct pair pair = {0};

    if (!open_pair(&pair, processor, wave_size))
        return false;
    inputs_seed(seed);
    for (uint64_t i = 0; i < count; i++) {
        uint8_t bytes[INPUT_BYTES];
        char text[512];
        inputs_random(wl_processor_generation(processor), bytes);
        if (compare(&pair, bytes, sizeof bytes, 0x1000) && wl_word_print(pair.table, bytes, sizeof bytes, 0x1000, text, sizeof text))
            inputs_keep(text, bytes);
    }
    close_pair(&pair);
    return true;
}

/* ---- speed ---- */

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

static uint64_t timed;
static double spent;

/* Decodes all code of an object by the table alone. */
static void time_object(const struct wl_codeobject *object) {
    const uint8_t *image = wl_codeobject_image(object);
    const uint64_t end = wl_codeobject_image_size(object);
    const uint32_t wave_size = wl_codeobject_kernel_count(object) ? wl_codeobject_kernel(object, 0)->wave_size : 64;
    struct wl_word_decoder *decoder;
    uint64_t from = 0, to = end;

    while (from + 4 <= end && !wl_codeobject_is_code(object, from, 4))
        from += 4;
    while (to > from && !wl_codeobject_is_code(object, to - 4, 4))
        to -= 4;
    const double start = now();
    if (wl_word_decoder_create(&decoder, wl_codeobject_target(object)->processor, wave_size) != WL_OK)
        return;
    for (uint64_t at = from; at + 4 <= to; timed++) {
        struct wl_inst inst[2];
        at += wl_word_decode(decoder, image + at, end - at, at, inst) ? inst[0].size : 4;
    }
    wl_word_decoder_destroy(decoder);
    spent += now() - start;
}

static void compare_object(const struct wl_codeobject *object) {
    const char *processor = wl_codeobject_target(object)->processor;
    const uint8_t *image = wl_codeobject_image(object);
    const uint64_t end = wl_codeobject_image_size(object);
    const uint32_t wave_size = wl_codeobject_kernel_count(object) ? wl_codeobject_kernel(object, 0)->wave_size : 64;
    struct pair pair = {0};

    if (!open_pair(&pair, processor, wave_size))
        return;
    for (uint64_t at = 0; at + 4 <= end;) {
        unsigned size = wl_codeobject_is_code(object, at, 4) ? compare(&pair, image + at, end - at, at) : 4;
        at += size ? size : 4;
    }
    close_pair(&pair);
}

/* ---- one word ---- */

static void show(const char *title, const struct wl_inst *inst, unsigned count) {
    for (unsigned i = 0; i < count; i++) {
        char operands[300] = "";
        show_operands(&inst[i], operands, sizeof operands);
        printf("%s %s, %u bytes%s, %s\n", title, inst[i].mnemonic, inst[i].size, is_unknown(&inst[i]) ? ", not implemented" : "", operands);
    }
    if (!count)
        printf("%s nothing\n", title);
}

static bool show_words(const char *target, char **words, int count) {
    char processor[24], text[512] = "";
    const unsigned wave_size = inputs_split_target(target, processor, sizeof processor);
    struct pair pair = {0};
    struct wl_inst inst[2];
    uint8_t bytes[20] = {0};

    if (!open_pair(&pair, processor, wave_size))
        return false;
    for (int i = 0; i < count && i < 5; i++) {
        const uint32_t word = (uint32_t)strtoul(words[i], NULL, 16);
        memcpy(bytes + 4 * (size_t)i, &word, 4);
    }
    wl_text_disassemble(pair.llvm, bytes, sizeof bytes, 0x1000, text, sizeof text);
    printf("%s\n", text);
    show("LLVM: ", inst, wl_text_decode(pair.llvm, bytes, sizeof bytes, 0x1000, inst));
    show("table:", inst, wl_word_decode(pair.table, bytes, sizeof bytes, 0x1000, inst));
    compare(&pair, bytes, sizeof bytes, 0x1000);
    close_pair(&pair);
    return true;
}

static int report(void) {
    for (size_t i = 0; i < sizeof excuses / sizeof *excuses; i++)
        if (excuses[i].count)
            printf("%8" PRIu64 "  not counted: %s\n", excuses[i].count, excuses[i].reason);
    printf("%" PRIu64 " words, %" PRIu64 " instructions\n", compared, taken);
    return differences_print() > 0 ? 1 : compared ? 0 : 77;
}

int main(int argc, char **argv) {
    bool right = argc >= 3;

    if (right && strcmp(argv[1], "random") == 0 && argc >= 5)
        for (int i = 4; i < argc; i++)
            right &= compare_random(argv[i], strtoull(argv[2], NULL, 10), strtoull(argv[3], NULL, 10));
    else if (right && strcmp(argv[1], "words") == 0)
        right = show_words(argv[2], argv + 3, argc - 3);
    else if (right && strcmp(argv[1], "files") == 0)
        for (int i = 2; i < argc; i++)
            inputs_each_object(argv[i], compare_object); /* some programs have no code for GPUs */
    else if (right && strcmp(argv[1], "speed") == 0) {
        for (int i = 2; i < argc; i++)
            right &= inputs_each_object(argv[i], time_object);
        printf("%" PRIu64 " instructions, %.1f ns each\n", timed, timed ? spent / (double)timed : 0);
        return right ? 0 : 2;
    } else {
        fprintf(stderr, "usage: %s random COUNT SEED TARGET... | words TARGET HEX... | files FILE... | speed FILE...\n", argv[0]);
        return 2;
    }
    return right ? report() : 2;
}
