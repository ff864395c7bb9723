/* wavelift isa: the instructions of a processor, and what the translator makes of each. */
#include "commands.h"

#include "machine/processor.h"
#include "translate/interface/coverage.h"

#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The translator's functions, from its library: LLVM is opened for this command alone. */
struct translator {
    __typeof__(wl_coverage_create) *create;
    __typeof__(wl_coverage_destroy) *destroy;
    __typeof__(wl_coverage_list) *list;
    __typeof__(wl_coverage_processor) *processor;
    __typeof__(wl_coverage_status_name) *status_name;
    __typeof__(wl_failure) *failure;
};

enum { STATUS_COUNT = WL_COVERAGE_UNSUPPORTED + 1 };

static bool open_translator(struct translator *t) {
    void *library = wl_tool_open_library(WL_TOOL_THREADED);
    if (!library)
        return false;
    t->create = (__typeof__(wl_coverage_create) *)(uintptr_t)dlsym(library, "wl_coverage_create");
    t->destroy = (__typeof__(wl_coverage_destroy) *)(uintptr_t)dlsym(library, "wl_coverage_destroy");
    t->list = (__typeof__(wl_coverage_list) *)(uintptr_t)dlsym(library, "wl_coverage_list");
    t->processor = (__typeof__(wl_coverage_processor) *)(uintptr_t)dlsym(library, "wl_coverage_processor");
    t->status_name = (__typeof__(wl_coverage_status_name) *)(uintptr_t)dlsym(library, "wl_coverage_status_name");
    t->failure = (__typeof__(wl_failure) *)(uintptr_t)dlsym(library, "wl_threaded_failure");
    return t->create && t->destroy && t->list && t->processor && t->status_name && t->failure;
}

static uint32_t default_wave_size(const char *processor) { return wl_processor_has(processor, WL_HAS_WAVE32) ? 32 : 64; }

static void print_summary(const struct translator *t, const char *processor, const struct wl_coverage_row *rows, size_t count) {
    unsigned counts[STATUS_COUNT] = {0};
    for (size_t i = 0; i < count; i++)
        counts[rows[i].status]++;
    printf("%-16s %5zu mnemonics:", processor, count);
    for (int s = 0; s < STATUS_COUNT; s++)
        printf(" %5u %s%s", counts[s], t->status_name((enum wl_coverage_status)s), s + 1 < STATUS_COUNT ? "," : "\n");
}

static void print_rows(const struct translator *t, const struct wl_coverage_row *rows, size_t count, bool missing) {
    for (size_t i = 0; i < count; i++)
        if (!missing || rows[i].status == WL_COVERAGE_UNSUPPORTED)
            printf("%-36s %-8s %s\n", rows[i].mnemonic, rows[i].family, t->status_name(rows[i].status));
}

/* All processors, or the one that is named. */
static int list(const struct translator *t, const char *target, uint32_t wave_size, bool missing) {
    struct wl_coverage *coverage = t->create();
    const char *processor;
    int result = 0;
    if (!coverage)
        return wl_tool_fail("out of memory");
    for (size_t i = 0; result == 0 && (processor = target ? (i ? NULL : target) : t->processor(i)); i++) {
        const struct wl_coverage_row *rows;
        size_t count;
        if (t->list(coverage, processor, wave_size ? wave_size : default_wave_size(processor), &rows, &count) != WL_OK) {
            result = wl_tool_fail(t->failure());
            break;
        }
        if (target || missing)
            print_rows(t, rows, count, missing);
        print_summary(t, processor, rows, count);
    }
    t->destroy(coverage);
    return result;
}

int wl_command_isa(char **operands, const char *const *values) {
    struct translator translator;
    const char *target = values[WL_ISA_TARGET];
    const uint32_t wave_size = values[WL_ISA_WAVE] ? (uint32_t)strtoul(values[WL_ISA_WAVE], NULL, 10) : 0;
    const bool missing = values[WL_ISA_MISSING];
    (void)operands;
    if (!open_translator(&translator))
        return wl_tool_fail("the list (" WL_TOOL_THREADED ") cannot be made");
    return list(&translator, target, wave_size, missing);
}
