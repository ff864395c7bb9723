#include "translate/interface/coverage.h"

#include "base/table.h"
#include "machine/matrix.h"
#include "machine/processor.h"
#include "translate/decode/decoder.h"
#include "translate/isa/isa.h"
#include "translate/isa/sem.h"
#include "translate/rewrite/rewrite.h"
#include "translate/steps/steps.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

/* ---- every opcode ---- */

/* What is or-ed to the opcode: the operand fields. Several, since not every operand can be every register. */
struct filling {
    uint32_t words[5];
};

#define V3   0x04020100 /* v0 as all three sources of VOP3 */
#define V1S2 0x00000100 /* v0, then scalars */

static const struct filling plain[] = {{{0}}, {{0xffff}}};
static const struct filling scalar[] = {{{0}}, {{0x80}}, {{0xc1}}, {{0x00010000}}};
static const struct filling vector[] = {{{0x100}}, {{0}}, {{0xfa, 0xff00e400}}, {{0xe9, 0}}, {{0xf9, 0x06060600}}, {{0xf9, 0x06860000}}};
static const struct filling vop3[] = {
    /* results apart from sources first: an instruction with another first one may be one that nothing can mean */
    {{0x40, V3}},
    {{0x40, 0x00020100}},
    {{0, V3}},
    {{0, V1S2}},
    {{0, 0}},
    {{0, V3 - 0x100 + 0xfa, 0xff00e400}},
    {{0, V3 - 0x100 + 0xe9, 0}},
    {{0, 0x00020100}},
};
static const struct filling vop3p[] = {{{0, V3}},
                                       {{0, V3 | 0x18000000}},
                                       {{0, 0x00020100}},
                                       {{0x4000, 0x18020100}},
                                       {{0x4000, 0x1c020100}},
                                       {{0, 0x1a020100}},
                                       {{0, 0x00020100, 0xd3ad0800, V3}}, /* gfx950: scales, and a product */
                                       {{0, 0x00020100, 0xd3ae0800, V3}},
                                       {{0, 0x04000000, 0xcc330000, V3}}, /* the same of gfx1250 */
                                       {{0, 0x04000000, 0xcc884000, V3 | 0x18000000}},
                                       {{0, V3 - 0x100 + 0xfa, 0xff00e400}},
                                       {{0, V3 - 0x100 + 0xe9, 0}}};
static const struct filling dual[] = {{{0x02000100 | 4u << 25, 0x00000100 | 8u << 17}}, {{0x00000100, 0x01000100, 0}}};
static const struct filling dual3_x[] = {{{0x100 | 8u << 12, 0x100, 0x04000002}}}; /* v_dual_mov_b32 as the other half */
static const struct filling dual3_y[] = {{{0x100 | 8u << 18, 0x100, 0x04000002}}};
static const struct filling scalar_memory[] = {{{0, 0xfa000000}}, {{0, 0xf8000000}}, {{0, 0}}, {{0x20000, 0}}, {{0x20000, 0x10}}};
static const struct filling lds[] = {{{0, 0}}, {{0x10000, 0}}, {{0x20000, 0}}};
static const struct filling flat[] = {{{0, 0x007f0000}}, {{0, 0x007c0000}}, {{0, 0}}, {{0, 0x007d0000}}};
static const struct filling flat12[] = {{{0x7c, 0, 0}}, {{0, 0, 0}}};
static const struct filling buffer[] = {{{0, 0}}, {{0x10000, 0}}, {{0, 0x80000000}}, {{0x2000, 0x80000000}}};
static const struct filling buffer12[] = {{{0, 0x800000, 0}}, {{0x7c, 0, 0}}};
static const struct filling typed[] = {{{0x00800000, 0x80000000}}, {{0x00800000, 0x80200000}}, {{0, 0}}, {{0, 0x00200000}}};
static const struct filling image[] = {{{0x0f00, 0}}, {{0x0100, 0}},    {{0x0f08, 0}}, {{0x0f02, 0}}, {{0x8f00, 0}},
                                       {{0x0104, 0}}, {{0x0f0a, 0, 0}}, {{0x0f20, 0}}, {{0x9f00, 0}}};
static const struct filling image12[] = {{{0x03c00000, 0, 0}}, {{0x00400000, 0, 0}}, {{0x03c00001, 0, 0}},
                                         {{0x03c00003, 0, 0}}, {{0x03c00010, 0, 0}}, {{0x00400001, 0x7c000000, 0x7c7c0400}} /* tensors */};

#define FILL(list) list, COUNT(list)

static const struct encoding {
    const char *family;
    uint8_t first_generation, last_generation;
    uint32_t prefix, opcode; /* the bits of the first word that are the opcode */
    const struct filling *fillings;
    size_t count;
} encodings[] = {
    {"SOP2, SOPK", 9, 12, 0x80000000, 0x3f800000, FILL(scalar)},
    {"SOP1", 9, 12, 0xbe800000, 0x0000ff00, FILL(scalar)},
    {"SOPC", 9, 12, 0xbf000000, 0x007f0000, FILL(plain)},
    {"SOPP", 9, 12, 0xbf800000, 0x007f0000, FILL(plain)},
    {"VOP2", 9, 12, 0x00000000, 0x7e000000, FILL(vector)},
    {"VOP1", 9, 12, 0x7e000000, 0x0001fe00, FILL(vector)},
    {"VOPC", 9, 12, 0x7c000000, 0x01fe0000, FILL(vector)},
    {"VOP3", 9, 9, 0xd0000000, 0x03ff0000, FILL(vop3)},
    {"VOP3", 10, 12, 0xd4000000, 0x03ff0000, FILL(vop3)},
    {"VOP3P", 9, 9, 0xd3800000, 0x007f0000, FILL(vop3p)},
    {"VOP3P", 10, 12, 0xcc000000, 0x03ff0000, FILL(vop3p)},
    {"VINTRP", 9, 9, 0xd4000000, 0x00030000, FILL(plain)},
    {"VINTRP", 10, 10, 0xc8000000, 0x00030000, FILL(plain)},
    {"VOPD", 11, 12, 0xc8000000, 0x03c00000, FILL(dual)},
    {"VOPD", 11, 12, 0xc8000000, 0x003e0000, FILL(dual)},
    {"VOPD3", 12, 12, 0xcf000000, 0x00fc0000, FILL(dual3_x)},
    {"VOPD3", 12, 12, 0xcf000000, 0x0003f000, FILL(dual3_y)},
    {"SMEM", 9, 9, 0xc0000000, 0x03fc0000, FILL(scalar_memory)},
    {"SMEM", 10, 11, 0xf4000000, 0x03fc0000, FILL(scalar_memory)},
    {"SMEM", 12, 12, 0xf4000000, 0x0007e000, FILL(scalar_memory)},
    {"DS", 9, 9, 0xd8000000, 0x01fe0000, FILL(lds)},
    {"DS", 10, 12, 0xd8000000, 0x03fc0000, FILL(lds)},
    {"FLAT", 9, 10, 0xdc000000, 0x01fcc000, FILL(flat)},
    {"FLAT", 11, 11, 0xdc000000, 0x01ff0000, FILL(flat)},
    {"FLAT", 12, 12, 0xec000000, 0x033fc000, FILL(flat12)},
    {"MUBUF", 9, 11, 0xe0000000, 0x03fc0000, FILL(buffer)},
    {"VBUFFER", 12, 12, 0xc4000000, 0x003fc000, FILL(buffer12)},
    {"MTBUF", 9, 11, 0xe8000000, 0x00078000, FILL(typed)},
    {"MIMG", 9, 11, 0xf0000000, 0x03fc0081, FILL(image)},
    {"VIMAGE", 12, 12, 0xd0000000, 0x003fc000, FILL(image12)},
    {"VSAMPLE", 12, 12, 0xe4000000, 0x003fc000, FILL(image12)},
    {"EXP", 9, 9, 0xc4000000, 0x000003f0, FILL(plain)},
    {"EXP", 10, 12, 0xf8000000, 0x000003f0, FILL(plain)},
};

void wl_coverage_words(unsigned generation, wl_coverage_word_fn *each, void *context) {
    for (size_t e = 0; e < COUNT(encodings); e++) {
        const struct encoding *encoding = &encodings[e];
        uint32_t opcode = 0;
        if (generation < encoding->first_generation || generation > encoding->last_generation)
            continue;
        do {
            for (size_t f = 0; f < encoding->count; f++) {
                uint32_t words[6] = {0};
                if (encoding->prefix == 0x80000000 && opcode >= 0x3e800000)
                    break; /* SOP1, SOPC and SOPP have rows of their own */
                memcpy(words, encoding->fillings[f].words, sizeof encoding->fillings[f].words);
                words[0] |= encoding->prefix | opcode;
                each(context, words, encoding->family);
            }
            opcode = (opcode - encoding->opcode) & encoding->opcode; /* the next value of these bits */
        } while (opcode);
    }
}

/* ---- one instruction ---- */

static bool is_code(void *context, uint64_t address, uint64_t size) { return address + size <= *(const uint64_t *)context; }

bool wl_coverage_is_native(const struct wl_inst *inst) {
    const unsigned class = inst->isa ? inst->isa->class : WL_ISA_NOP;
    return class == WL_ISA_SMEM_ATOMIC || class == WL_ISA_MOVREL || strcmp(inst->mnemonic, "v_mqsad_u32_u8") == 0;
}

void wl_coverage_image(const char *processor, const uint8_t *bytes, unsigned size, uint8_t image[WL_COVERAGE_IMAGE]) {
    static const uint32_t ends[] = {0xbf810000, 0xbf810000, 0xbfb00000, 0xbfb00000}; /* s_endpgm of gfx9 to gfx12 */
    const uint32_t end = ends[wl_processor_generation(processor) - 9];

    memset(image, 0, WL_COVERAGE_IMAGE);
    memcpy(image, bytes, size);
    for (unsigned at = size; at + 4 <= WL_COVERAGE_IMAGE; at += 4)
        memcpy(image + at, &end, 4);
}

enum wl_status wl_coverage_try(const char *processor, uint32_t wave_size, const uint8_t *bytes, unsigned size) {
    uint8_t image[WL_COVERAGE_IMAGE];
    uint64_t image_size = sizeof image;
    struct wl_decoder *decoder = NULL;
    struct wl_unit unit;
    struct wl_inst inst[2];
    if (size > 24)
        return wl_fail(WL_INVALID_VALUE, "no instruction has %u bytes", size);
    wl_coverage_image(processor, bytes, size, image);
    const struct wl_translate_request request = {.processor = processor,
                                                 .wave_size = wave_size,
                                                 .image = image,
                                                 .image_size = sizeof image,
                                                 .name = "coverage",
                                                 .workitem_id_dimensions = 1,
                                                 .mode = WL_MODE_MASKED,
                                                 .cpu = "",
                                                 .features = "",
                                                 .is_code = is_code,
                                                 .context = &image_size};
    enum wl_status status = wl_decoder_create(&decoder, processor, wave_size);
    if (!status)
        status = wl_unit_build(&unit, decoder, &request, 0);
    if (!status) {
        struct wl_steps *steps = NULL;
        if (!wl_decode(decoder, image, sizeof image, 0, inst) || !wl_coverage_is_native(&inst[0]))
            status = wl_steps_build(&unit, &steps);
        if (steps)
            wl_steps_destroy(steps);
        wl_unit_destroy(&unit);
    }
    wl_decoder_destroy(decoder);
    return status;
}

/* ---- the list ---- */

struct tried { /* whether a canonical instruction of an encoding can be made */
    char key[64];
    bool works;
};

enum { MAX_ROWS = 4096 };

struct wl_coverage {
    struct wl_coverage_row rows[MAX_ROWS];
    size_t count;
    struct wl_decoder *decoder;
    const char *processor;
    uint32_t wave_size;
    struct wl_table tried; /* struct tried, by hashes of their keys */
};

struct wl_coverage *wl_coverage_create(void) {
    struct wl_coverage *coverage = calloc(1, sizeof *coverage);
    if (!coverage)
        wl_fail(WL_OUT_OF_MEMORY, "no memory for a list of instructions");
    return coverage;
}

void wl_coverage_destroy(struct wl_coverage *coverage) {
    size_t at = 0;
    for (struct tried *tried; coverage && (tried = wl_table_each(&coverage->tried, &at));)
        free(tried);
    if (coverage)
        wl_table_free(&coverage->tried);
    free(coverage);
}

const char *wl_coverage_status_name(enum wl_coverage_status status) {
    static const char *const names[] = {"exact", "ulp", "no effect", "unsupported"};
    return names[status];
}

static bool works(struct wl_coverage *coverage, const struct wl_inst *inst, const uint8_t *bytes, const char *family) {
    struct tried made, *tried;
    uint64_t hash = 14695981039346656037u;
    size_t at = 0;
    snprintf(made.key, sizeof made.key, "%s %s%c%u %u %u", inst->mnemonic, family,
             inst->is_dpp    ? 'd'
             : inst->is_sdwa ? 's'
                             : ' ',
             wl_processor_generation(coverage->processor), coverage->wave_size, inst->size);
    for (const char *c = made.key; *c; c++)
        hash = (hash ^ (uint8_t)*c) * 1099511628211u;
    while ((tried = wl_table_next(&coverage->tried, hash, &at)))
        if (!strcmp(tried->key, made.key))
            return tried->works;
    made.works = wl_coverage_try(coverage->processor, coverage->wave_size, bytes, inst->size) == WL_OK;
    tried = malloc(sizeof *tried);
    if (tried) {
        *tried = made;
        if (!wl_table_add(&coverage->tried, hash, tried)) /* what is not remembered is tried again */
            free(tried);
    }
    return made.works;
}

/* Approximations, and sums of matrix instructions, whose order is each generation's own (docs/NUMERICS.md). */
static bool is_approximate(const struct wl_inst *inst) {
    static const char *const prefixes[] = {"v_rcp_", "v_rsq_", "v_sqrt_", "v_exp_", "v_log_", "v_sin_", "v_cos_", "v_s_"};
    for (size_t i = 0; i < COUNT(prefixes); i++)
        if (strncmp(inst->mnemonic, prefixes[i], strlen(prefixes[i])) == 0)
            return true;
    return inst->isa && inst->isa->class == WL_ISA_MATRIX && inst->isa->matrix->d != WL_MATRIX_I32;
}

enum wl_coverage_status wl_coverage_of(const struct wl_inst *inst) {
    if (!inst->sem && !inst->isa)
        return WL_COVERAGE_UNSUPPORTED;
    if (inst->isa && inst->isa->class == WL_ISA_NOP)
        return WL_COVERAGE_NO_EFFECT;
    return is_approximate(inst) ? WL_COVERAGE_ULP : WL_COVERAGE_EXACT;
}

static enum wl_coverage_status status_of(struct wl_coverage *coverage, const uint32_t words[6], const char *family,
                                         struct wl_inst inst[2]) {
    unsigned count = wl_decode(coverage->decoder, (const uint8_t *)words, 24, 0, inst);
    for (unsigned i = 0; i < count; i++)
        if (!inst[i].sem && !inst[i].isa)
            return WL_COVERAGE_UNSUPPORTED;
    if (!count || !works(coverage, &inst[0], (const uint8_t *)words, family))
        return WL_COVERAGE_UNSUPPORTED;
    return wl_coverage_of(&inst[0]);
}

/* "v_add_f32_e64_dpp v0, ..." -> "v_add_f32" */
static bool bare_mnemonic(const char *text, size_t length, char *mnemonic, size_t size) {
    static const char *const suffixes[] = {"_dpp8", "_dpp", "_sdwa", "_e64", "_e32"};
    if (length >= size)
        return false;
    snprintf(mnemonic, size, "%.*s", (int)length, text);
    for (size_t i = 0; i < COUNT(suffixes); i++) {
        size_t tail = strlen(suffixes[i]);
        if (length > tail && strcmp(mnemonic + length - tail, suffixes[i]) == 0)
            mnemonic[length -= tail] = '\0';
    }
    return length > 0;
}

static struct wl_coverage_row *find_row(struct wl_coverage *coverage, const char *mnemonic, const char *family) {
    for (size_t i = coverage->count; i-- > 0;)
        if (strcmp(coverage->rows[i].mnemonic, mnemonic) == 0)
            return &coverage->rows[i];
    if (coverage->count == MAX_ROWS)
        return NULL;
    struct wl_coverage_row *row = &coverage->rows[coverage->count++];
    *row = (struct wl_coverage_row){.status = WL_COVERAGE_UNSUPPORTED};
    snprintf(row->mnemonic, sizeof row->mnemonic, "%s", mnemonic);
    if (strncmp(family, "SOP2", 4) == 0)
        family = strstr(mnemonic, "k_") || strncmp(mnemonic, "s_getreg", 8) == 0 || strncmp(mnemonic, "s_setreg", 8) == 0 ? "SOPK" : "SOP2";
    snprintf(row->family, sizeof row->family, "%s", family);
    return row;
}

/* One mnemonic counts as supported if some filling of it is: a filling may name what no program can mean. */
static void add_mnemonic(struct wl_coverage *coverage, const uint32_t words[6], const char *family, const char *text, size_t length,
                         unsigned size) {
    char mnemonic[sizeof coverage->rows[0].mnemonic];
    struct wl_inst inst[2] = {0};
    if (!bare_mnemonic(text, length, mnemonic, sizeof mnemonic) || strcmp(mnemonic, "v_illegal") == 0)
        return;
    struct wl_coverage_row *row = find_row(coverage, mnemonic, family);
    if (!row || row->status != WL_COVERAGE_UNSUPPORTED)
        return;
    row->status = status_of(coverage, words, family, inst);
    snprintf(row->canonical, sizeof row->canonical, "%s", inst[0].mnemonic);
    memcpy(row->sample, words, sizeof row->sample);
    row->sample_size = (uint8_t)size;
}

static void try_words(void *context, const uint32_t words[6], const char *family) {
    struct wl_coverage *coverage = context;
    char text[512];
    unsigned size = wl_disassemble(coverage->decoder, (const uint8_t *)words, 24, 0, text, sizeof text);
    if (wl_processor_find(coverage->processor)->alike) { /* this LLVM may not have it: the table decides */
        struct wl_inst inst[2];
        const char *name = wl_decode_name(coverage->decoder, (const uint8_t *)words, 24);
        if (!name || !wl_decode(coverage->decoder, (const uint8_t *)words, 24, 0, inst))
            return;
        if (!size)
            snprintf(text, sizeof text, "%s", name);
        size = inst[0].size;
    }
    if (!size)
        return;
    add_mnemonic(coverage, words, family, text, strcspn(text, " \t"), size);
    const char *second = strncmp(text, "v_dual_", 7) == 0 ? strstr(text, ":: ") : NULL;
    if (second)
        add_mnemonic(coverage, words, family, second + 3, strcspn(second + 3, " \t"), size);
}

static int by_mnemonic(const void *a, const void *b) {
    return strcmp(((const struct wl_coverage_row *)a)->mnemonic, ((const struct wl_coverage_row *)b)->mnemonic);
}

enum wl_status wl_coverage_list(struct wl_coverage *coverage, const char *processor, uint32_t wave_size,
                                const struct wl_coverage_row **rows, size_t *count) {
    *count = 0;
    enum wl_status status = wl_decoder_create(&coverage->decoder, processor, wave_size);
    if (status)
        return status;
    coverage->count = 0;
    coverage->processor = processor;
    coverage->wave_size = wave_size;
    wl_coverage_words(wl_processor_generation(processor), try_words, coverage);
    wl_decoder_destroy(coverage->decoder);
    qsort(coverage->rows, coverage->count, sizeof coverage->rows[0], by_mnemonic);
    *rows = coverage->rows;
    *count = coverage->count;
    return WL_OK;
}

const char *wl_coverage_processor(size_t index) { return wl_decoder_processor(index); }
