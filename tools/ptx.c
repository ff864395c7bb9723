/* wavelift ptx: the PTX that an NVIDIA GPU would be given for a kernel. */
#include "commands.h"

#include "codeobject/codeobject.h"
#include "device/ptx_request.h"
#include "device/translate_request.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct translator {
    wl_translate_ptx_fn *translate;
    wl_translate_ptx_free_fn *release;
    wl_translate_failure_fn *failure;
};

struct options {
    const char *file, *arch, *kernel, *out, *dump;
    uint32_t sm, block[3];
    bool partial;
};

static bool open_translator(struct translator *t) {
    void *library = wl_tool_open_library(WL_TOOL_TRANSLATOR);
    if (!library)
        return false;
    t->translate = (wl_translate_ptx_fn *)(uintptr_t)dlsym(library, "wl_translate_ptx");
    t->release = (wl_translate_ptx_free_fn *)(uintptr_t)dlsym(library, "wl_translate_ptx_free");
    t->failure = (wl_translate_failure_fn *)(uintptr_t)dlsym(library, "wl_translate_failure");
    return t->translate && t->release && t->failure;
}

/* To the folder `out` as KERNEL.ptx, or to stdout. */
static int write_text(const struct options *options, const struct wl_kernel *kernel, const struct wl_ptx_result *result) {
    const struct wl_ptx_info *info = &result->info;
    char path[1024];
    FILE *file = stdout;
    if (options->out) {
        snprintf(path, sizeof path, "%s/%.200s.ptx", options->out, kernel->name);
        file = fopen(path, "w");
        if (!file)
            return wl_tool_fail("the output file cannot be created");
    }
    fprintf(file,
            "// %s: %u AMD instructions, wave%u, %u threads a block at most, %u bytes of LDS%s, %u bytes of scratch a lane,\n"
            "// %u bytes of kernel arguments%s%s%s\n",
            kernel->name, info->instructions, kernel->wave_size, info->max_threads, info->static_lds, info->uses_lds ? "" : " (unused)",
            info->scratch_size, info->kernarg_size, info->needs_kernarg_memory ? ", wanted in memory" : "",
            info->needs_packet_memory ? ", dispatch packet in memory" : "", info->needs_queue ? ", queue" : "");
    fwrite(result->text, 1, result->size, file);
    if (file != stdout && fclose(file) != 0)
        return wl_tool_fail("the output file cannot be written");
    return 0;
}

static int translate_object(const struct translator *t, const struct wl_codeobject *object, const struct options *options,
                            unsigned *translated) {
    size_t count = wl_codeobject_kernel_count(object), function_count;
    uint64_t *functions = wl_translate_functions(object, &function_count);
    int result = functions ? 0 : wl_tool_fail(wl_failure());
    for (size_t i = 0; i < count && functions; i++) {
        const struct wl_kernel *kernel = wl_codeobject_kernel(object, i);
        struct wl_ptx_request request;
        struct wl_ptx_result made;
        enum { STACK = 16384 };
        if (options->kernel && strcmp(options->kernel, kernel->name) != 0)
            continue;
        wl_ptx_request_fill(&request, object, kernel, functions, function_count, STACK);
        request.sm = options->sm;
        memcpy(request.block, options->block, sizeof request.block);
        request.partial_groups = options->partial;
        request.code.dump = options->dump;
        (*translated)++;
        if (t->translate(&request, &made) == WL_OK) {
            result |= write_text(options, kernel, &made);
            t->release(&made);
        } else {
            result |= wl_tool_fail(t->failure());
        }
    }
    free(functions);
    return result;
}

static int translate_file(const struct translator *t, const struct options *options) {
    struct wl_container *container = NULL;
    struct wl_target target;
    unsigned translated = 0;
    if (options->arch && wl_target_parse(&target, options->arch) != WL_OK)
        return wl_tool_fail(wl_failure());
    if (wl_container_open_file(&container, options->file) != WL_OK)
        return wl_tool_fail(wl_failure());
    int result = 0;
    size_t count = wl_container_count(container);
    for (size_t i = 0; i < count; i++) {
        struct wl_entry entry;
        struct wl_codeobject *object = NULL;
        bool known = wl_container_entry(container, i, &entry) == WL_OK;
        if (known && options->arch && !wl_target_compatible(&entry.target, &target))
            continue;
        if (known && wl_codeobject_open(&object, entry.data, entry.size) == WL_OK)
            result |= translate_object(t, object, options, &translated);
        else
            result |= wl_tool_fail(wl_failure());
        wl_codeobject_close(object);
        if (!options->arch)
            break; /* the first entry's target */
    }
    wl_container_close(container);
    return result || translated ? result : wl_tool_fail("no such kernel, or no code object that Wavelift can run");
}

/* "256", "16x16", "8x8x4" */
static bool parse_block(const char *text, uint32_t block[3]) {
    enum { MOST = 1024 };
    unsigned long items = 1;
    block[0] = block[1] = block[2] = 1;
    for (unsigned d = 0; d < 3; d++) {
        char *end = NULL;
        unsigned long size = *text >= '0' && *text <= '9' ? strtoul(text, &end, 10) : 0;
        if (size == 0 || size > MOST || (items *= size) > MOST)
            return false;
        block[d] = (uint32_t)size;
        if (!*end)
            return true;
        if (*end != 'x')
            return false;
        text = end + 1;
    }
    return false;
}

int wl_command_ptx(char **operands, const char *const *values) {
    struct options options = {.file = operands[0],
                              .arch = values[WL_PTX_ARCH],
                              .kernel = values[WL_PTX_KERNEL],
                              .out = values[WL_PTX_OUT],
                              .dump = values[WL_PTX_DUMP],
                              .sm = values[WL_PTX_SM] ? (uint32_t)strtoul(values[WL_PTX_SM], NULL, 10) : 90,
                              .partial = values[WL_PTX_PARTIAL]};
    struct translator translator;
    if (!operands[0] || operands[1])
        return wl_tool_usage(operands[0] ? "ptx: more than one file" : "ptx: no file is given");
    if (values[WL_PTX_BLOCK] && !parse_block(values[WL_PTX_BLOCK], options.block))
        return wl_tool_usage("ptx: --block is no shape of at most 1024 work items, such as 16x16");
    if (!open_translator(&translator))
        return wl_tool_fail("the translator (libwavelift-translate.so) cannot be opened");
    return translate_file(&translator, &options);
}
