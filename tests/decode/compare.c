/* The decoder by table against one that parses LLVM's text, word by word: the same struct wl_inst, field by field, of what both take.
 *
 *     decode_compare random COUNT SEED TARGET...    random words
 *     decode_compare words TARGET HEX...            one instruction, as both see it
 *     decode_compare files FILE...                  all code of code objects, fat binaries and libraries
 *     decode_compare speed FILE...                  the time that the table takes for all of it
 *
 * TARGET is PROCESSOR or PROCESSOR/32. Differences are counted by mnemonic and kind; exit status 1 if there are any, 77 if there was
 * nothing to compare. `excuses` lists where LLVM 19 is wrong. compare_text.c compares refusals and texts, with any LLVM. */
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
    unsigned generation;
};

static uint64_t words, compared; /* those that both take */

static bool open_pair(struct pair *pair, const char *processor, uint32_t wave_size) {
    snprintf(pair->name, sizeof pair->name, "%s/%u", processor, wave_size);
    pair->generation = wl_processor_generation(processor);
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

/* ---- where LLVM 19 is wrong ---- */

struct finding {
    const struct pair *pair;
    const struct wl_inst *llvm, *table;
    const char *field;
    unsigned generation;
    uint32_t word; /* the first */
};

static bool begins(const char *text, const char *prefix) { return strncmp(text, prefix, strlen(prefix)) == 0; }

static bool is_field(const struct finding *f, const char *name) { return strcmp(f->field, name) == 0; }

static bool loses_gds(const struct finding *f) {
    return is_field(f, "gds") && f->table->gds && (begins(f->pair->name, "gfx90a") || begins(f->pair->name, "gfx94"));
}

/* Integers of VOP3 have no signs; the same bits mean nothing without DPP. */
static bool prints_sext(const struct finding *f) {
    bool extends = false;

    if (!is_field(f, "operands") || !f->table->is_dpp || f->table->size != 12)
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

/* v_dot4_* and v_dot8_* of integers have whole registers. */
static bool selects_in_dot(const struct finding *f) {
    return (begins(f->table->mnemonic, "v_dot4_") || begins(f->table->mnemonic, "v_dot8_")) && strstr(f->field, "op_sel");
}

/* 16-bit instructions of gfx10 that choose halves. */
static bool selects_nothing(const struct finding *f) {
    return f->generation == 10 && is_field(f, "op_sel") && !f->llvm->op_sel && strstr(f->table->mnemonic, "16");
}

/* gfx12's conversions of two 8-bit floats read half a register. */
static bool converts_whole(const struct finding *f) { return f->generation == 12 && begins(f->table->mnemonic, "v_cvt_pk_f32_"); }

/* Constants of v_cmp_class_f16 and v_alignb*: of 32 bits, or of 16. */
static bool widens_constants(const struct finding *f) {
    return f->generation >= 11 && is_field(f, "operands") && strstr(f->table->mnemonic, "_class_f16");
}

/* Writes a byte, whatever the rest is. */
static bool keeps_rest(const struct finding *f) { return is_field(f, "zero_high") && begins(f->table->mnemonic, "v_cvt_sr_"); }

static bool is_nop(const struct finding *f) { return strcmp(f->table->mnemonic, "v_nop") == 0; }

static bool is_image(const struct finding *f) { return f->table->isa && f->table->isa->class == WL_ISA_IMAGE; }

static bool has_name(const struct finding *f, const char *part) { return strstr(f->table->mnemonic, part); }

/* Images with samples, which nothing filters. */
static bool has_odd_dimension(const struct finding *f) {
    const bool filters = has_name(f, "sample") || has_name(f, "gather") || has_name(f, "_mip") || has_name(f, "_lod");
    return is_image(f) && filters && f->table->dim >= 6;
}

/* Four halves and a status: three registers, which no instruction has. */
static bool has_odd_gather(const struct finding *f) { return is_image(f) && has_name(f, "gather") && f->table->tfe && f->table->d16; }

/* One or two registers; four for 64 bits with a comparison. */
static bool has_odd_atomic(const struct finding *f) {
    const unsigned data = (unsigned)__builtin_popcount(f->table->dmask), most = has_name(f, "cmpswap") ? 4 : 2;
    return is_image(f) && f->table->isa->atomic && (f->table->tfe || (data != most && data != most / 2));
}

/* A list of one address. */
static bool has_odd_list(const struct finding *f) {
    const bool list = f->generation == 10 ? f->word >> 1 & 3 : f->generation == 11 ? f->word & 1 : 0;
    return is_image(f) && list && f->table->address_count == 1;
}

/* gfx10: fewer places than addresses, or a dword more than they need. */
static bool has_odd_length(const struct finding *f) {
    const unsigned dwords = f->word >> 1 & 3, count = f->table->address_count;
    return is_image(f) && f->generation == 10 && dwords && (count > 1 + 4 * dwords || count + 3 < 1 + 4 * dwords);
}

/* gfx12: LLVM prints one address alone where the others are v0. */
static bool prints_one_address(const struct finding *f) {
    bool zeros = is_image(f) && f->generation == 12 && (begins(f->field, "address") || is_field(f, "operands"));

    for (unsigned i = 1; i < f->table->address_count && i < WL_MAX_ADDRESSES; i++)
        zeros &= f->table->addresses[i] == 0;
    return zeros;
}

static struct excuse {
    const char *reason;
    bool (*applies)(const struct finding *finding);
    uint64_t count;
} excuses[] = {
    {"LLVM prints no gds on gfx90a and gfx94*", loses_gds, 0},
    {"LLVM prints sext(...) in VOP3 with DPP", prints_sext, 0},
    {"LLVM has op_sel in v_dot4_* and v_dot8_*", selects_in_dot, 0},
    {"LLVM has no op_sel in gfx10's 16-bit instructions", selects_nothing, 0},
    {"LLVM converts whole registers of 8-bit floats on gfx12", converts_whole, 0},
    {"LLVM has 32 bits of a constant mask of v_cmp_class_f16", widens_constants, 0},
    {"v_cvt_sr_* keep the rest of a register", keeps_rest, 0},
    {"LLVM knows no DPP8 of v_nop that reads lanes that are off", is_nop, 0},
    {"images with samples that are filtered", has_odd_dimension, 0},
    {"gathers of four halves and a status", has_odd_gather, 0},
    {"atomics of images with data of another size, or a status", has_odd_atomic, 0},
    {"lists of one address", has_odd_list, 0},
    {"lists with too few or too many places for addresses, on gfx10", has_odd_length, 0},
    {"LLVM prints one address of gfx12's images where the others are v0", prints_one_address, 0},
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
    uint32_t word;

    memcpy(&word, bytes, sizeof word);
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) {
        const char *name = fields[i].name;
        const bool operands = strcmp(name, "operands") == 0;

        if (unknown && i > 1)
            return;
        if (operands ? same_operands(llvm, table)
                     : memcmp((const char *)llvm + fields[i].offset, (const char *)table + fields[i].offset, fields[i].size) == 0)
            continue;
        if (is_excused(&(struct finding){pair, llvm, table, name, pair->generation, word}))
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

/* Returns the instruction's size by LLVM, or 0. */
static unsigned compare(const struct pair *pair, const uint8_t *bytes, uint64_t available, uint64_t address) {
    struct wl_inst llvm[2], table[2];
    const unsigned expected = wl_text_decode(pair->llvm, bytes, available, address, llvm);
    const unsigned made = wl_word_decode(pair->table, bytes, available, address, table);

    words++;
    if (expected && made && expected != made && !is_unknown(&table[0]))
        note(pair, llvm[0].mnemonic, "number of instructions", bytes, available, "");
    compared += expected && expected == made;
    for (unsigned i = 0; i < expected && expected == made; i++)
        compare_inst(pair, &llvm[i], &table[i], bytes, available);
    return expected ? llvm[0].size : 0;
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
    printf("%" PRIu64 " words, %" PRIu64 " instructions that both take\n", words, compared);
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
