#include "sanitize/describe.h"

#include "codeobject/codeobject.h"
#include "sanitize/allocations.h"
#include "sanitize/names.h"
#include "sanitize/stacks.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* ---- keeping --------------------------------------------------------------------------------- */

static void print_stack(FILE *out, uint64_t stack) {
    struct wl_san_frame *frames = stack ? calloc(WL_SAN_MOST_FRAMES, sizeof *frames) : NULL;
    unsigned count = frames ? wl_san_stack_frames(stack, frames, WL_SAN_MOST_FRAMES) : 0;
    for (unsigned i = 0; i < count; i++)
        fprintf(out, *frames[i].function ? "        %s (%s)\n" : "        %s%s\n", frames[i].function, frames[i].place);
    free(frames);
}

static void print_inlined(FILE *out, const struct wl_codeobject *object, uint64_t code) {
    char call[512];
    for (unsigned depth = 0; wl_codeobject_inlined_at(object, code, depth, call, sizeof call); depth++)
        fprintf(out, "inlined at %s\n", call);
}

static void keep_outer(const struct wl_san_place *place, struct wl_san_spot *spot) {
    char call[512];
    size_t size = 0;
    FILE *out = open_memstream(&spot->outer, &size);
    if (!out)
        return;
    print_inlined(out, place->object, place->code);
    for (unsigned i = 0; i < place->caller_count; i++) {
        if (!wl_codeobject_source_line(place->object, place->callers[i], call, sizeof call))
            wl_san_code_name(place->object, place->callers[i], call, sizeof call);
        fprintf(out, "called at %s\n", call);
        print_inlined(out, place->object, place->callers[i]);
    }
    fclose(out);
}

bool wl_san_next_outer(const char **outer, char *line, size_t size) {
    const char *end = *outer ? strchr(*outer, '\n') : NULL;
    if (!end)
        return false;
    snprintf(line, size, "%.*s", (int)(end - *outer), *outer);
    *outer = end + 1;
    return true;
}

const char *wl_san_outer_place(const char *line) {
    const char *at = strstr(line, " at ");
    return at ? at + 4 : line;
}

static bool keep_spot(const struct wl_san_place *place, struct wl_san_spot *spot) {
    if (!place->kernel)
        return true;
    spot->kernel = wl_san_demangle(place->kernel);
    spot->symbol = strdup(place->kernel);
    wl_san_code_name(place->object, place->code, spot->function, sizeof spot->function);
    if (place->object && wl_codeobject_source_line(place->object, place->code, spot->file, sizeof spot->file)) {
        char *colon = strrchr(spot->file, ':');
        spot->line = colon ? (int)strtol(colon + 1, NULL, 10) : 0;
        if (colon)
            *colon = 0;
    }
    if (place->object)
        keep_outer(place, spot);
    return spot->kernel && spot->symbol;
}

static void keep_stack(struct wl_san_kept *kept) {
    const uint64_t stack = kept->finding.kind == WL_SAN_LEAK ? kept->finding.block.made_stack : kept->finding.at.stack;
    size_t size = 0;
    FILE *out = open_memstream(&kept->stack, &size);
    if (!out)
        return;
    print_stack(out, stack);
    fclose(out);
}

struct wl_san_kept *wl_san_keep(const struct wl_san_finding *finding) {
    struct wl_san_kept *kept = calloc(1, sizeof *kept);
    if (!kept)
        return NULL;
    kept->finding = *finding;
    kept->variable = finding->block.name ? strdup(finding->block.name) : NULL;
    kept->finding.block.name = kept->variable;
    bool whole = keep_spot(&finding->at, &kept->at) && (!finding->has_second || keep_spot(&finding->second, &kept->second));
    if (!finding->at.kernel)
        keep_stack(kept);
    kept->finding.at.kernel = kept->at.symbol;
    kept->finding.second.kernel = kept->second.symbol;
    kept->finding.at.object = kept->finding.second.object = NULL;
    if (whole)
        return kept;
    wl_san_drop(kept);
    return NULL;
}

static void drop_spot(struct wl_san_spot *spot) {
    free(spot->kernel);
    free(spot->symbol);
    free(spot->outer);
}

void wl_san_drop(struct wl_san_kept *kept) {
    if (!kept)
        return;
    drop_spot(&kept->at);
    drop_spot(&kept->second);
    free(kept->variable);
    free(kept->stack);
    free(kept);
}

/* ---- the parts of a paragraph ---------------------------------------------------------------- */

const char *wl_san_memory_words(uint8_t kind) {
    static const char *const words[WL_SAN_MEMORY_COUNT] = {
        [WL_SAN_DEVICE] = "device memory",
        [WL_SAN_MANAGED] = "managed memory",
        [WL_SAN_PINNED] = "pinned memory",
        [WL_SAN_REGISTERED] = "registered memory",
        [WL_SAN_POOL] = "memory of a pool",
        [WL_SAN_ARRAY] = "memory of an array",
        [WL_SAN_VARIABLE] = "a device variable",
        [WL_SAN_VIRTUAL] = "mapped memory",
        [WL_SAN_IMPORTED] = "imported memory",
        [WL_SAN_CODE] = "a code object",
        [WL_SAN_SYSTEM] = "memory of the runtime",
        [WL_SAN_KERNARG] = "arguments of a kernel",
        [WL_SAN_HEAP] = "memory of device malloc",
        [WL_SAN_GRAPH] = "memory of a graph",
        [WL_SAN_USER] = "a block of the program's own pool",
    };
    return kind < WL_SAN_MEMORY_COUNT && words[kind] ? words[kind] : "memory";
}

static void print_spot(FILE *out, const struct wl_san_place *place, const struct wl_san_spot *spot) {
    char line[600];
    if (!spot->kernel) {
        if (place->call || place->stack)
            fprintf(out, "    in a call of %s\n", place->call ? place->call : "the host");
        print_stack(out, place->stack);
        return;
    }
    fprintf(out, "    in kernel %s, ", spot->kernel);
    if (*spot->file)
        fprintf(out, "%s:%d (%s)\n", spot->file, spot->line, spot->function);
    else
        fprintf(out, "at %s (no line table)\n", spot->function);
    for (const char *outer = spot->outer; wl_san_next_outer(&outer, line, sizeof line);)
        fprintf(out, "    %s\n", line);
    fprintf(out, "    workgroup (%u, %u, %u), ", place->group[0], place->group[1], place->group[2]);
    if (place->has_item)
        fprintf(out, "work item (%u, %u, %u) (wave %u, lane %u)\n", place->item[0], place->item[1], place->item[2], place->wave,
                place->lane);
    else
        fprintf(out, "wave %u\n", place->wave);
}

/* Where an address is relative to a block; `bytes` of an access, 0: nothing is accessed. */
static void print_relation(FILE *out, uint64_t address, uint32_t bytes, const struct wl_san_block *block) {
    uint64_t end = block->address + block->size;
    if (address >= end)
        fprintf(out, "    %" PRIu64 " bytes behind ", address - end);
    else if (address < block->address)
        fprintf(out, "    %" PRIu64 " bytes before ", block->address - address);
    else if (bytes > end - address)
        fprintf(out, "    in the last %" PRIu64 " bytes of ", end - address);
    else if (address > block->address)
        fprintf(out, "    %" PRIu64 " bytes into ", address - block->address);
    else
        fputs("    at the start of ", out);
}

static void print_block(FILE *out, const struct wl_san_finding *finding) {
    const struct wl_san_block *block = &finding->block;
    if (!block->size)
        return;
    if (finding->kind == WL_SAN_LEAK)
        fputs("    ", out);
    else
        print_relation(out, finding->address, finding->bytes, block);
    fprintf(out, "the %" PRIu64 " bytes at 0x%" PRIx64 ", %s%s%s\n", block->size, block->address, wl_san_memory_words(block->kind),
            block->name ? " " : "", block->name ? block->name : "");
    if ((block->made_by && *block->made_by) || block->made_stack) {
        fprintf(out, "    allocated by %s\n", block->made_by && *block->made_by ? block->made_by : "the program");
        print_stack(out, block->made_stack);
    }
    if (block->freed) {
        fprintf(out, "    freed by %s\n", block->freed_by && *block->freed_by ? block->freed_by : "the program");
        print_stack(out, block->freed_stack);
    }
}

static void print_access(FILE *out, const struct wl_san_finding *finding) {
    static const char *const spaces[] = {"address 0x%" PRIx64, "offset %" PRIu64 " of the LDS", "offset %" PRIu64 " of its private memory"};
    if (!finding->bytes)
        return;
    fprintf(out, " %s of %u bytes at ", wl_san_access_name(finding->at.access), finding->bytes);
    fprintf(out, spaces[finding->space <= WL_SANITIZE_SCRATCH ? finding->space : 0], finding->address);
    if (finding->limit)
        fprintf(out, ", which has %" PRIu64 " bytes", finding->limit);
}

/* ---- paragraphs ------------------------------------------------------------------------------ */

void wl_san_describe(FILE *out, const struct wl_san_kept *kept) {
    const struct wl_san_finding *finding = &kept->finding;
    fprintf(out, "wavelift: %s: %s", wl_san_tool_name(finding->tool), wl_san_kind_words(finding->kind));
    if (finding->has_second && finding->bytes)
        putc(':', out);
    print_access(out, finding);
    putc('\n', out);
    if (*finding->detail)
        fprintf(out, "    %s\n", finding->detail);
    print_spot(out, &finding->at, &kept->at);
    if (finding->has_second) {
        fprintf(out, "    and an earlier %s\n", wl_san_access_name(finding->second.access));
        print_spot(out, &finding->second, &kept->second);
    }
    print_block(out, finding);
}

void wl_san_describe_briefly(FILE *out, const struct wl_san_kept *kept) {
    char kind[64];
    wl_san_kind_name(&kept->finding, kind, sizeof kind);
    fprintf(out, "%s %s", wl_san_tool_name(kept->finding.tool), kind);
    if (kept->at.kernel)
        fprintf(out, " in %s", kept->at.kernel);
    else if (kept->finding.at.call)
        fprintf(out, " in %s", kept->finding.at.call);
    if (*kept->at.file)
        fprintf(out, ", %s:%d", kept->at.file, kept->at.line);
    else if (kept->at.kernel)
        fprintf(out, ", %s", kept->at.function);
}
