/* wavelift check: what of a program's device code can be trusted: instructions that are exact, within the documented error, or not
 * supported, for each kernel. */
#include "commands.h"

#include "base/options.h"
#include "codeobject/codeobject.h"
#include "device/translate_request.h"
#include "translate/interface/check.h"

#include <dlfcn.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The translator's functions, from its library. */
struct checker {
    __typeof__(wl_check_kernel) *check;
    wl_translate_failure_fn *failure;
    /* for --native */
    wl_translate_host_fn *host;
    wl_translate_failure_fn *native_failure;
    wl_translate_fn *translate;
    wl_translate_free_fn *release;
};

struct options {
    const char *arch, *kernel;
    bool json, only_unsupported;
    bool native;                /* generate native code as well */
    unsigned long sample, seed; /* sample: one kernel in so many, chosen at random; 0: all */
};

struct totals {
    unsigned long kernels, failing, instructions, counts[WL_COVERAGE_UNSUPPORTED + 1];
    uint64_t random;
    bool printed; /* JSON: something stands before the next kernel */
};

static bool open_translator(struct checker *c) {
    void *library = wl_tool_open_library(WL_TOOL_TRANSLATOR);
    if (!library)
        return false;
    c->host = (wl_translate_host_fn *)(uintptr_t)dlsym(library, "wl_translate_host");
    c->native_failure = (wl_translate_failure_fn *)(uintptr_t)dlsym(library, "wl_translate_failure");
    c->translate = (wl_translate_fn *)(uintptr_t)dlsym(library, "wl_translate");
    c->release = (wl_translate_free_fn *)(uintptr_t)dlsym(library, "wl_translate_free");
    return c->host && c->native_failure && c->translate && c->release;
}

static bool open_checker(struct checker *c, bool native) {
    void *library = wl_tool_open_library(WL_TOOL_THREADED);
    if (!library)
        return false;
    c->check = (__typeof__(wl_check_kernel) *)(uintptr_t)dlsym(library, "wl_check_kernel");
    c->failure = (wl_translate_failure_fn *)(uintptr_t)dlsym(library, "wl_threaded_failure");
    return c->check && c->failure && (!native || open_translator(c));
}

/* ---- output ---- */

static void print_json_string(const char *text) {
    putchar('"');
    for (; *text; text++) {
        if (*text == '"' || *text == '\\')
            printf("\\%c", *text);
        else if ((unsigned char)*text < 0x20)
            printf("\\u%04x", (unsigned)*text);
        else
            putchar(*text);
    }
    putchar('"');
}

static void print_json(const char *file, const char *target, const struct wl_kernel *kernel, const struct wl_check *check, bool first) {
    printf("%s\n  {\"file\": ", first ? "" : ",");
    print_json_string(file);
    printf(", \"target\": \"%s\", \"kernel\": ", target);
    print_json_string(kernel->name);
    printf(", \"wave\": %u, \"instructions\": %u, \"exact\": %u, \"ulp\": %u, \"no_effect\": %u, \"unsupported\": %u, "
           "\"results\": {\"hardware\": %u, \"error\": %u, \"order\": %u, \"undocumented\": %u}, \"missing\": {",
           kernel->wave_size, check->instructions, check->counts[WL_COVERAGE_EXACT], check->counts[WL_COVERAGE_ULP],
           check->counts[WL_COVERAGE_NO_EFFECT], check->counts[WL_COVERAGE_UNSUPPORTED], check->numerics[WL_NUMERICS_HARDWARE],
           check->numerics[WL_NUMERICS_ERROR], check->numerics[WL_NUMERICS_ORDER], check->numerics[WL_NUMERICS_UNDOCUMENTED]);
    for (uint32_t i = 0; i < check->missing_count; i++)
        printf("%s\"%s\": %u", i ? ", " : "", check->missing[i].mnemonic, check->missing[i].count);
    printf("}, \"functions\": %u, \"vgprs\": %u, \"agprs\": %u, \"sgprs\": %u, \"lds\": %u, \"scratch\": %u, \"dynamic_stack\": %s, "
           "\"failure\": ",
           check->functions, kernel->vgprs, kernel->agprs, kernel->sgprs, kernel->lds_size, kernel->scratch_size,
           kernel->dynamic_stack ? "true" : "false");
    if (*check->failure)
        print_json_string(check->failure);
    else
        printf("null");
    putchar('}');
}

static void print_text(const struct wl_kernel *kernel, const struct wl_check *check) {
    printf("  %s\n    %u instructions: %u exact, %u within documented ulp, %u without effect, %u unsupported\n", kernel->name,
           check->instructions, check->counts[WL_COVERAGE_EXACT], check->counts[WL_COVERAGE_ULP], check->counts[WL_COVERAGE_NO_EFFECT],
           check->counts[WL_COVERAGE_UNSUPPORTED]);
    printf("    results: %u the hardware's bits, %u within an error, %u in an order that the GPU does not define, %u in a way that AMD "
           "does not document\n",
           check->numerics[WL_NUMERICS_HARDWARE], check->numerics[WL_NUMERICS_ERROR], check->numerics[WL_NUMERICS_ORDER],
           check->numerics[WL_NUMERICS_UNDOCUMENTED]);
    for (uint32_t i = 0; i < check->missing_count; i++)
        printf("    unsupported: %s (%u)\n", check->missing[i].mnemonic, check->missing[i].count);
    if (*check->failure)
        printf("    %s\n", check->failure);
    printf("    wave%u, %u VGPRs, %u AGPRs, %u SGPRs, %u bytes of LDS, %u bytes of scratch a lane%s; %u device functions\n",
           kernel->wave_size, kernel->vgprs, kernel->agprs, kernel->sgprs, kernel->lds_size, kernel->scratch_size,
           kernel->dynamic_stack ? " and more" : "", check->functions);
}

/* ---- code objects ---- */

/* Both copies of the kernel as native code; where that fails, `check` says why. */
static void make_native(const struct checker *c, struct wl_translate_request *request, struct wl_check *check) {
    for (int mode = 0; mode < WL_MODE_COUNT && !*check->failure; mode++) {
        struct wl_translate_result result;
        request->mode = mode;
        if (c->translate(request, &result) == WL_OK)
            c->release(&result);
        else
            snprintf(check->failure, sizeof check->failure, "%s", c->native_failure());
    }
}

static int check_one(const struct checker *c, const struct wl_codeobject *object, const struct wl_kernel *kernel, const uint64_t *functions,
                     size_t function_count, bool native, struct wl_check *check) {
    struct wl_translate_request request;
    wl_translate_request_fill(&request, object, kernel, functions, function_count);
    if (native)
        c->host(&request.cpu, &request.features);
    request.dump = wl_options()->dump;
    request.exact_math = wl_options()->exact_math;
    request.matrix_sums = wl_options()->hardware_math ? WL_SUMS_HARDWARE : wl_options()->exact_math ? WL_SUMS_IN_ORDER : WL_SUMS_CHEAP;
    if (c->check(&request, check) != WL_OK)
        return wl_tool_fail(c->failure());
    if (native)
        make_native(c, &request, check);
    return 0;
}

static int check_object(const struct checker *c, const char *file, const struct wl_codeobject *object, const struct options *options,
                        struct totals *totals) {
    char target[64];
    size_t count = wl_codeobject_kernel_count(object), function_count;
    uint64_t *functions = wl_translate_functions(object, &function_count);
    int result = functions ? 0 : wl_tool_fail(wl_failure());
    wl_target_format(wl_codeobject_target(object), target, sizeof target);
    if (!options->json)
        printf("%s: %s, %zu kernels\n", file, target, count);
    for (size_t i = 0; i < count && !result; i++) {
        const struct wl_kernel *kernel = wl_codeobject_kernel(object, i);
        struct wl_check check;
        if (options->kernel && strcmp(options->kernel, kernel->name) != 0)
            continue;
        totals->random = totals->random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        if (options->sample && (totals->random >> 33) % options->sample != 0)
            continue;
        result = check_one(c, object, kernel, functions, function_count, options->native, &check);
        if (result)
            break;
        bool failing = check.counts[WL_COVERAGE_UNSUPPORTED] || *check.failure;
        totals->kernels++;
        totals->failing += failing;
        totals->instructions += check.instructions;
        for (int s = 0; s <= WL_COVERAGE_UNSUPPORTED; s++)
            totals->counts[s] += check.counts[s];
        if (options->json)
            print_json(file, target, kernel, &check, !totals->printed);
        else if (failing || !options->only_unsupported)
            print_text(kernel, &check);
        totals->printed = true;
        fflush(stdout);
    }
    free(functions);
    return result;
}

static int check_file(const struct checker *c, const char *file, const struct options *options, struct totals *totals) {
    struct wl_container *container = NULL;
    struct wl_target target;
    if (options->arch && wl_target_parse(&target, options->arch) != WL_OK)
        return wl_tool_fail(wl_failure());
    if (wl_container_open_file(&container, file) != WL_OK)
        return wl_tool_fail(wl_failure());
    int result = 0;
    size_t count = wl_container_count(container);
    for (size_t i = 0; i < count && !result; i++) {
        struct wl_entry entry;
        struct wl_codeobject *object = NULL;
        bool known = wl_container_entry(container, i, &entry) == WL_OK;
        if (known && options->arch && !wl_target_compatible(&entry.target, &target))
            continue;
        if (known && wl_codeobject_open(&object, entry.data, entry.size) == WL_OK)
            result = check_object(c, file, object, options, totals);
        else
            result = wl_tool_fail(wl_failure());
        wl_codeobject_close(object);
    }
    wl_container_close(container);
    if (!result && count == 0)
        result = wl_tool_fail("the file holds no code object that Wavelift can run");
    return result;
}

static unsigned long number(const char *value) { return value ? strtoul(value, NULL, 10) : 0; }

int wl_command_check(char **operands, const char *const *values) {
    struct checker checker;
    struct totals totals = {0};
    const struct options options = {.arch = values[WL_CHECK_ARCH],
                                    .kernel = values[WL_CHECK_KERNEL],
                                    .json = values[WL_CHECK_JSON],
                                    .only_unsupported = values[WL_CHECK_ONLY_UNSUPPORTED],
                                    .native = values[WL_CHECK_NATIVE],
                                    .sample = number(values[WL_CHECK_SAMPLE]),
                                    .seed = number(values[WL_CHECK_SEED])};
    int result = 0;
    if (!operands[0])
        return wl_tool_usage("check: no file is given");
    totals.random = options.seed * UINT64_C(0x9e3779b97f4a7c15) + 1;
    if (!open_checker(&checker, options.native))
        return wl_tool_fail("the libraries of the translator cannot be opened");
    if (options.json)
        putchar('[');
    for (char **file = operands; *file && !result; file++)
        result = check_file(&checker, *file, &options, &totals);
    if (options.json)
        puts(totals.printed ? "\n]" : "]");
    else if (!result)
        printf("%lu kernels, %lu with something unsupported; %lu instructions: %lu exact, %lu within documented ulp, %lu without effect, "
               "%lu unsupported\n",
               totals.kernels, totals.failing, totals.instructions, totals.counts[WL_COVERAGE_EXACT], totals.counts[WL_COVERAGE_ULP],
               totals.counts[WL_COVERAGE_NO_EFFECT], totals.counts[WL_COVERAGE_UNSUPPORTED]);
    if (!result && totals.kernels == 0)
        return wl_tool_fail("no such kernel");
    return result ? result : totals.failing != 0;
}
