/* wavelift isa: the instructions of a processor, and what the translator makes of each. */
#include "commands.h"

#include "translate/coverage.h"

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
    void *library = wl_tool_open_translator();
    if (!library)
        return false;
    t->create = (__typeof__(wl_coverage_create) *)(uintptr_t)dlsym(library, "wl_coverage_create");
    t->destroy = (__typeof__(wl_coverage_destroy) *)(uintptr_t)dlsym(library, "wl_coverage_destroy");
    t->list = (__typeof__(wl_coverage_list) *)(uintptr_t)dlsym(library, "wl_coverage_list");
    t->processor = (__typeof__(wl_coverage_processor) *)(uintptr_t)dlsym(library, "wl_coverage_processor");
    t->status_name = (__typeof__(wl_coverage_status_name) *)(uintptr_t)dlsym(library, "wl_coverage_status_name");
    t->failure = (__typeof__(wl_failure) *)(uintptr_t)dlsym(library, "wl_translate_failure");
    return t->create && t->destroy && t->list && t->processor && t->status_name && t->failure;
}

static uint32_t default_wave_size(const char *processor) { return strncmp(processor, "gfx9", 4) == 0 ? 64 : 32; }

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

int wl_command_isa(int argc, char **argv) {
    struct translator translator;
    const char *target = NULL;
    uint32_t wave_size = 0;
    bool missing = false;
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--target") == 0 && i + 1 < argc)
            target = argv[++i];
        else if (strcmp(argv[i], "--wave") == 0 && i + 1 < argc)
            wave_size = (uint32_t)strtoul(argv[++i], NULL, 10);
        else if (strcmp(argv[i], "--missing") == 0)
            missing = true;
        else
            return wl_tool_usage("isa: unknown option, or its value is missing");
    }
    if (!open_translator(&translator))
        return wl_tool_fail("the translator (libwavelift-translate.so) cannot be opened");
    return list(&translator, target, wave_size, missing);
}
