/* The decoder and its tables.
 *
 * Without arguments: cmocka tests. Each row assembles one line (LLVM's assembler, through a module's inline assembly), decodes
 * it and compares the result in the short notation of format_inst:
 *
 *     v_add_nc_u32 v0 s5 v[2:3]      canonical mnemonic, operands (s106 is vcc_lo, s126 exec_lo, a0 an AGPR)
 *     -|v1| sext(v1) v1.BYTE_0       source modifiers
 *     #-1 #0.5 =0x12345678           inline constants, literals
 *     @8 {0x1801} off shared_base    branch target relative to the instruction, symbolic operand's bits, ...
 *     offset0=16 glc returns ...     modifiers that are not zero
 *
 * With arguments:
 *     test_decode --assemble PROCESSOR WAVE_SIZE     assembly on stdin, the notation on stdout
 *     test_decode --coverage FILE...                 mnemonics of the code objects' reachable code that nothing
 *                                                    implements, or whose semantics have other operands */
#include "../random_numbers.h"
#include "assembler.h"
#include "base/status.h"
#include "codeobject/codeobject.h"
#include "decode_cases.h"
#include "decode_halves.h"
#include "translate/decode/decoder.h"
#include "translate/isa/inst.h"
#include "translate/isa/isa.h"
#include "translate/isa/sem.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h> /* needs some of the above */

/* ---- the notation ---- */

struct line {
    char text[400];
    size_t used;
};

__attribute__((format(printf, 2, 3))) static void put(struct line *line, const char *format, ...) {
    va_list arguments;

    va_start(arguments, format);
    line->used += (size_t)vsnprintf(line->text + line->used, sizeof(line->text) - line->used, format, arguments);
    va_end(arguments);
    assert_true(line->used < sizeof(line->text));
}

static const char *const sel_names[] = {"", ".BYTE_0", ".BYTE_1", ".BYTE_2", ".BYTE_3", ".WORD_0", ".WORD_1"};

static void format_register(struct line *line, char file, unsigned reg, unsigned count) {
    if (count == 1)
        put(line, "%c%u", file, reg);
    else
        put(line, "%c[%u:%u]", file, reg, reg + count - 1);
}

static void format_operand(struct line *line, const struct wl_operand *operand, uint64_t address) {
    static const char *const specials[] = {"shared_base", "shared_limit", "private_base", "private_limit", "pops",
                                           "scc",         "vccz",         "execz",        "lds_direct"};

    put(line, " %s%s%s", operand->neg ? "-" : "", operand->abs ? "|" : "", operand->sext ? "sext(" : "");
    switch ((enum wl_operand_kind)operand->kind) {
    case WL_OPERAND_NONE:
        put(line, "none");
        break;
    case WL_OPERAND_VGPR:
        format_register(line, operand->reg < WL_AGPR ? 'v' : 'a', operand->reg % WL_AGPR, operand->count);
        break;
    case WL_OPERAND_SGPR:
        format_register(line, 's', operand->reg, operand->count);
        break;
    case WL_OPERAND_IMM:
        if (operand->is_float)
            put(line, "#%.8g", operand->number);
        else if (operand->literal)
            put(line, "=0x%" PRIx64, operand->bits);
        else
            put(line, "#%" PRId64, (int64_t)operand->bits);
        break;
    case WL_OPERAND_SPECIAL:
        put(line, "%s", specials[operand->reg]);
        break;
    case WL_OPERAND_OFF:
        put(line, "off");
        break;
    case WL_OPERAND_LABEL:
        put(line, "@%" PRId64, (int64_t)(operand->bits - address));
        break;
    case WL_OPERAND_TEXT:
        put(line, "{0x%" PRIx64 "}", operand->bits);
        break;
    }
    put(line, "%s%s%s", operand->sext ? ")" : "", operand->abs ? "|" : "", sel_names[operand->sel]);
}

static void format_modifiers(struct line *line, const struct wl_inst *inst) {
    const struct {
        const char *name;
        long value;
    } values[] = {
        {"offset0", inst->offset0},       {"offset1", inst->offset1}, {"omod", inst->omod},           {"op_sel", inst->op_sel},
        {"op_sel_hi", inst->op_sel_hi},   {"neg_lo", inst->neg_lo},   {"neg_hi", inst->neg_hi},       {"dst_sel", inst->dst_sel},
        {"dst_unused", inst->dst_unused}, {"dpp", inst->dpp},         {"control", inst->dpp_control}, {"row_mask", inst->row_mask},
        {"bank_mask", inst->bank_mask},   {"cbsz", inst->cbsz},       {"abid", inst->abid},           {"blgp", inst->blgp},
        {"format", inst->format},
    };
    const struct {
        const char *name;
        bool set;
    } flags[] = {
        {"glc", inst->glc},
        {"slc", inst->slc},
        {"dlc", inst->dlc},
        {"scc", inst->scc_bit},
        {"nt", inst->nt},
        {"sc0", inst->sc0},
        {"sc1", inst->sc1},
        {"lds", inst->lds},
        {"tfe", inst->tfe},
        {"offen", inst->offen},
        {"idxen", inst->idxen},
        {"gds", inst->gds},
        {"returns", inst->returns},
        {"clamp", inst->clamp},
        {"is_dpp", inst->is_dpp},
        {"is_sdwa", inst->is_sdwa},
        {"bound_ctrl", inst->bound_ctrl},
        {"fi", inst->fetch_inactive},
    };

    for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++)
        if (values[i].value)
            put(line, " %s=%ld", values[i].name, values[i].value);
    for (size_t i = 0; i < sizeof(flags) / sizeof(flags[0]); i++)
        if (flags[i].set)
            put(line, " %s", flags[i].name);
}

static void format_inst(struct line *line, const struct wl_inst *inst) {
    put(line, "%s", inst->mnemonic);
    for (unsigned i = 0; i < inst->operand_count; i++)
        format_operand(line, &inst->operands[i], inst->address);
    format_modifiers(line, inst);
}

static void format_all(struct line *line, const struct wl_inst *inst, unsigned count) {
    memset(line, 0, sizeof(*line));
    for (unsigned i = 0; i < count; i++) {
        put(line, i ? " :: " : "");
        format_inst(line, &inst[i]);
    }
}

/* ---- modes for people ---- */

static int assemble_stdin(const char *processor, unsigned wave_size) {
    struct wl_decoder *decoder;
    char text[512];

    if (wl_decoder_create(&decoder, processor, wave_size) != WL_OK) {
        fprintf(stderr, "%s\n", wl_failure());
        return 1;
    }
    while (fgets(text, sizeof(text), stdin)) {
        size_t size, at = 0;
        uint8_t *bytes = test_assemble(processor, wave_size, text, &size);

        while (bytes && at < size) {
            struct wl_inst inst[2];
            struct line line;
            char canonical[512];
            const unsigned count = wl_decode(decoder, bytes + at, size - at, 0x1000 + at, inst);

            if (count == 0)
                break;
            wl_disassemble(decoder, bytes + at, size - at, 0x1000 + at, canonical, sizeof(canonical));
            format_all(&line, inst, count);
            printf("%-70s | %s%s\n", canonical, line.text, inst[0].isa ? "" : inst[0].sem ? " [sem]" : " [none]");
            at += inst[0].size;
        }
        free(bytes);
    }
    wl_decoder_destroy(decoder);
    return 0;
}

struct missing {
    char mnemonic[36], example[160];
    unsigned count;
};

struct coverage {
    struct missing rows[1024];
    unsigned row_count;
    uint64_t instructions, undecodable;
};

static void note_missing(struct coverage *coverage, const char *mnemonic, const char *example) {
    unsigned i = 0;

    while (i < coverage->row_count && strcmp(coverage->rows[i].mnemonic, mnemonic) != 0)
        i++;
    if (i == sizeof(coverage->rows) / sizeof(coverage->rows[0]))
        return;
    if (i == coverage->row_count) {
        snprintf(coverage->rows[i].mnemonic, sizeof(coverage->rows[i].mnemonic), "%s", mnemonic);
        snprintf(coverage->rows[i].example, sizeof(coverage->rows[i].example), "%s", example);
        coverage->row_count++;
    }
    coverage->rows[i].count++;
}

/* Whether the semantics take as many printed operands as the instruction has. */
static bool fits_semantics(const struct wl_inst *inst) {
    unsigned printed = 0;

    for (unsigned i = 0; i < inst->sem->result_count; i++)
        printed += inst->sem->results[i].role == WL_ROLE_PRINTED && inst->sem->results[i].type != WL_SCC;
    for (unsigned i = 0; i < inst->sem->input_count; i++)
        printed += inst->sem->inputs[i].role == WL_ROLE_PRINTED && inst->sem->inputs[i].type != WL_SCC;
    return printed == inst->operand_count;
}

static bool falls_through(const struct wl_inst *inst) {
    return !inst->isa || (inst->isa->class != WL_ISA_END && inst->isa->class != WL_ISA_BRANCH && inst->isa->class != WL_ISA_SETPC &&
                          inst->isa->class != WL_ISA_TRAP);
}

/* Follows the control flow from `start`; `seen` has a byte for each dword of the image. */
static void walk(struct coverage *coverage, struct wl_decoder *decoder, const struct wl_codeobject *object, uint64_t start, uint8_t *seen) {
    const uint8_t *image = wl_codeobject_image(object);
    const uint64_t end = wl_codeobject_image_size(object);
    uint64_t *work = malloc(sizeof(*work) * (end / 4 + 1)), depth = 0;

    work[depth++] = start;
    while (depth > 0) {
        uint64_t at = work[--depth];

        while (wl_codeobject_is_code(object, at, 4) && !seen[at / 4]) {
            struct wl_inst inst[2];
            char text[160] = "";
            const unsigned count = wl_decode(decoder, image + at, end - at, at, inst);

            seen[at / 4] = 1;
            if (count == 0) {
                coverage->undecodable++;
                break;
            }
            coverage->instructions++;
            for (unsigned i = 0; i < count; i++) {
                if (inst[i].sem ? !fits_semantics(&inst[i]) : !inst[i].isa) {
                    wl_disassemble(decoder, image + at, end - at, at, text, sizeof(text));
                    note_missing(coverage, inst[i].mnemonic, text);
                }
                for (unsigned j = 0; j < inst[i].operand_count; j++)
                    if (inst[i].operands[j].kind == WL_OPERAND_LABEL && inst[i].operands[j].bits / 4 < end / 4 &&
                        !seen[inst[i].operands[j].bits / 4] && depth < end / 4)
                        work[depth++] = inst[i].operands[j].bits;
            }
            if (!falls_through(&inst[0]))
                break;
            at += inst[0].size;
        }
    }
    free(work);
}

static void cover_object(struct coverage *coverage, const struct wl_codeobject *object) {
    const char *processor = wl_codeobject_target(object)->processor;
    struct wl_decoder *decoders[2] = {NULL, NULL}; /* wave64, wave32 */
    uint8_t *seen = calloc(wl_codeobject_image_size(object) / 4 + 1, 1);
    uint32_t wave_size = 64;

    for (size_t i = 0; i < wl_codeobject_kernel_count(object) + wl_codeobject_function_count(object); i++) {
        const bool is_kernel = i < wl_codeobject_kernel_count(object);
        const uint64_t entry = is_kernel ? wl_codeobject_kernel(object, i)->entry
                                         : wl_codeobject_function(object, i - wl_codeobject_kernel_count(object))->address;

        if (is_kernel)
            wave_size = wl_codeobject_kernel(object, i)->wave_size;
        if (!decoders[wave_size == 32] && wl_decoder_create(&decoders[wave_size == 32], processor, wave_size) != WL_OK) {
            fprintf(stderr, "%s\n", wl_failure());
            break;
        }
        walk(coverage, decoders[wave_size == 32], object, entry, seen);
    }
    wl_decoder_destroy(decoders[0]);
    wl_decoder_destroy(decoders[1]);
    free(seen);
}

static int by_count(const void *a, const void *b) {
    return (int)((const struct missing *)b)->count - (int)((const struct missing *)a)->count;
}

static int cover_files(int count, char **files) {
    struct coverage *coverage = calloc(1, sizeof(*coverage));

    for (int i = 0; i < count; i++) {
        struct wl_container *container;

        if (wl_container_open_file(&container, files[i]) != WL_OK) {
            fprintf(stderr, "%s: %s\n", files[i], wl_failure());
            continue;
        }
        for (size_t j = 0; j < wl_container_count(container); j++) {
            struct wl_entry entry;
            struct wl_codeobject *object;

            if (wl_container_entry(container, j, &entry) != WL_OK || wl_codeobject_open(&object, entry.data, entry.size) != WL_OK) {
                fprintf(stderr, "%s: %s\n", files[i], wl_failure());
                continue;
            }
            cover_object(coverage, object);
            wl_codeobject_close(object);
        }
        wl_container_close(container);
    }
    qsort(coverage->rows, coverage->row_count, sizeof(coverage->rows[0]), by_count);
    for (unsigned i = 0; i < coverage->row_count; i++)
        printf("%8u  %-34s %s\n", coverage->rows[i].count, coverage->rows[i].mnemonic, coverage->rows[i].example);
    printf("%" PRIu64 " instructions, %" PRIu64 " undecodable, %u mnemonics without an implementation\n", coverage->instructions,
           coverage->undecodable, coverage->row_count);
    count = (int)coverage->row_count;
    free(coverage);
    return count > 0;
}

/* ---- tests ---- */
static void check_case(const struct decode_case *test) {
    struct wl_decoder *decoder;
    struct wl_inst inst[2];
    struct line line;
    unsigned count;
    size_t size;
    uint8_t *bytes = test_assemble(test->processor, test->wave_size, test->text, &size);

    if (!bytes)
        fail_msg("%s does not assemble: %s", test->processor, test->text);
    assert_int_equal(wl_decoder_create(&decoder, test->processor, test->wave_size), WL_OK);
    memset(inst, 0xa5, sizeof(inst));
    count = wl_decode(decoder, bytes, size, 0x1000, inst);
    assert_int_not_equal(count, 0);
    format_all(&line, inst, count);
    if (strcmp(line.text, test->expected) != 0)
        fail_msg("%s: %s\n    got      %s\n    expected %s", test->processor, test->text, line.text, test->expected);
    assert_int_equal(inst[0].size, size);
    assert_int_equal(inst[0].address, 0x1000);
    wl_decoder_destroy(decoder);
    free(bytes);
}

static void decodes_every_form(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof(decode_cases) / sizeof(decode_cases[0]); i++)
        check_case(&decode_cases[i]);
}

static bool half_is_right(struct wl_decoder *decoder, const struct half_case *test) {
    struct wl_inst inst[2];
    unsigned count = wl_decode(decoder, test->bytes, test->size, 0x1000, inst), next = 0;

    if (count != 1 || inst[0].size != test->size || (inst[0].op_sel & ((1u << inst[0].operand_count) - 1)) != test->op_sel ||
        (!inst[0].sem && !inst[0].isa))
        return false;
    for (unsigned i = 0; i < inst[0].operand_count; i++)
        if (inst[0].operands[i].kind == WL_OPERAND_VGPR && inst[0].operands[i].reg != test->registers[next++])
            return false;
    return true;
}

static void halves_of_registers(void **state) {
    struct wl_decoder *decoder;
    unsigned bad = 0;

    (void)state;
    assert_int_equal(wl_decoder_create(&decoder, "gfx1100", 32), WL_OK);
    for (size_t i = 0; i < sizeof(half_cases) / sizeof(half_cases[0]); i++)
        if (!half_is_right(decoder, &half_cases[i]) && ++bad)
            fprintf(stderr, "%s is decoded wrongly\n", half_cases[i].text);
    wl_decoder_destroy(decoder);
    assert_int_equal(bad, 0);
}

static void immediates_follow_the_type(void **state) {
    const struct wl_operand half = {.kind = WL_OPERAND_IMM, .is_float = true, .number = -0.5};
    const struct wl_operand tiny = {.kind = WL_OPERAND_IMM, .is_float = true, .number = 0.15915494309189532};
    const struct wl_operand minus = {.kind = WL_OPERAND_IMM, .bits = UINT64_MAX};
    const struct wl_operand literal = {.kind = WL_OPERAND_IMM, .literal = true, .bits = 0xc0590000};

    (void)state;
    assert_int_equal(wl_operand_bits(&half, 16, true, false), 0xb800);
    assert_int_equal(wl_operand_bits(&half, 32, false, false), 0xbf000000);
    assert_true(wl_operand_bits(&half, 64, true, false) == 0xbfe0000000000000);
    assert_int_equal(wl_operand_bits(&tiny, 16, true, false), 0x3118);
    assert_int_equal(wl_operand_bits(&tiny, 32, true, false), 0x3e22f983);
    assert_true(wl_operand_bits(&tiny, 64, true, false) == 0x3fc45f306dc9c882);
    assert_int_equal(wl_operand_bits(&minus, 16, false, true), 0xffff);
    assert_int_equal(wl_operand_bits(&minus, 32, true, false), 0xffffffff);
    assert_true(wl_operand_bits(&minus, 64, false, false) == UINT64_MAX);
    assert_int_equal(wl_operand_bits(&literal, 32, false, false), 0xc0590000);
    assert_true(wl_operand_bits(&literal, 64, true, false) == 0xc059000000000000);
    assert_true(wl_operand_bits(&literal, 64, false, false) == 0xc0590000);
    assert_true(wl_operand_bits(&literal, 64, false, true) == 0xffffffffc0590000);
}

static void names_are_canonical(void **state) {
    (void)state;
    assert_string_equal(wl_isa_canonical("v_add_u32", 9), "v_add_nc_u32");
    assert_string_equal(wl_isa_canonical("v_add_u32", 10), "v_add_u32");
    assert_string_equal(wl_isa_canonical("ds_read2st64_b64", 9), "ds_load_2addr_stride64_b64");
    assert_string_equal(wl_isa_canonical("global_atomic_smax_x2", 10), "global_atomic_max_i64");
    assert_string_equal(wl_isa_canonical("s_andn2_wrexec_b32", 10), "s_and_not1_wrexec_b32");
    assert_string_equal(wl_isa_canonical("v_fma_f32", 12), "v_fma_f32");
}

/* No row twice, and no row under a name that the alias table takes away. */
static void table_has_canonical_names_once(void **state) {
    size_t count;
    const struct wl_isa *rows = wl_isa_table(&count);

    (void)state;
    for (size_t i = 0; i < count; i++) {
        if (wl_isa_find(rows[i].name) != &rows[i])
            fail_msg("%s has two rows", rows[i].name);
        for (unsigned generation = 9; generation <= 12; generation++)
            if (strcmp(wl_isa_canonical(rows[i].name, generation), rows[i].name) != 0)
                fail_msg("%s is an alias on gfx%u", rows[i].name, generation);
    }
    assert_null(wl_isa_find("v_add_f32"));
    assert_null(wl_isa_find(""));
}

static void refuses_what_it_does_not_know(void **state) {
    struct wl_decoder *decoder = NULL;
    struct wl_inst inst[2];
    const uint8_t zeros[64] = {0}, nonsense[8] = {0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff};
    char text[64];

    (void)state;
    assert_int_equal(wl_decoder_create(&decoder, "gfx803", 64), WL_UNSUPPORTED);
    assert_null(decoder);
    assert_int_equal(wl_decoder_create(&decoder, "", 64), WL_UNSUPPORTED);
    assert_int_equal(wl_decoder_create(&decoder, "gfx90a", 32), WL_INVALID_VALUE);
    assert_int_equal(wl_decoder_create(&decoder, "gfx1100", 16), WL_INVALID_VALUE);
    assert_int_equal(wl_decoder_create(&decoder, "gfx90a", 64), WL_OK);
    assert_int_equal(wl_decode(decoder, nonsense, sizeof(nonsense), 0, inst), 0);
    for (size_t i = 0; i < 4; i++)
        assert_int_equal(wl_decode(decoder, zeros, i, 0, inst), 0);
    assert_int_equal(wl_disassemble(decoder, nonsense, sizeof(nonsense), 0, text, sizeof(text)), 0);
    wl_decoder_destroy(decoder);
    wl_decoder_destroy(NULL);
}

/* Random bytes: any answer will do, but memory errors and endless loops. */
static void survives_random_bytes(void **state) {
    static const struct {
        const char *processor;
        uint32_t wave_size;
    } targets[] = {{"gfx906", 64}, {"gfx942", 64}, {"gfx1030", 32}, {"gfx1100", 32}, {"gfx1200", 64}};
    uint64_t seed = 88172645463325252;

    (void)state;
    for (size_t t = 0; t < sizeof(targets) / sizeof(targets[0]); t++) {
        struct wl_decoder *decoder;

        assert_int_equal(wl_decoder_create(&decoder, targets[t].processor, targets[t].wave_size), WL_OK);
        for (unsigned i = 0; i < 20000; i++) {
            uint64_t bytes[3];
            struct wl_inst inst[2];

            for (unsigned j = 0; j < 3; j++) {
                bytes[j] = next_random(&seed);
            }
            for (unsigned j = 0, count = wl_decode(decoder, (const uint8_t *)bytes, sizeof(bytes), 0, inst); j < count; j++)
                assert_true(inst[j].operand_count <= WL_MAX_OPERANDS && memchr(inst[j].mnemonic, 0, sizeof(inst[j].mnemonic)) != NULL);
        }
        wl_decoder_destroy(decoder);
    }
}

int main(int argc, char **argv) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(decodes_every_form),
        cmocka_unit_test(halves_of_registers),
        cmocka_unit_test(immediates_follow_the_type),
        cmocka_unit_test(names_are_canonical),
        cmocka_unit_test(table_has_canonical_names_once),
        cmocka_unit_test(refuses_what_it_does_not_know),
        cmocka_unit_test(survives_random_bytes),
    };

    if (argc == 4 && strcmp(argv[1], "--assemble") == 0)
        return assemble_stdin(argv[2], (unsigned)strtoul(argv[3], NULL, 10));
    if (argc > 2 && strcmp(argv[1], "--coverage") == 0)
        return cover_files(argc - 2, argv + 2);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
