#include "sanitize/json.h"

#include "base/options.h"
#include "sanitize/names.h"
#include "sanitize/stacks.h"

#include <inttypes.h>
#include <stdlib.h>
#include <unistd.h>

void wl_san_write_string(FILE *out, const char *text) {
    putc('"', out);
    for (const unsigned char *at = (const unsigned char *)text; *at; at++) {
        if (*at == '"' || *at == '\\')
            fprintf(out, "\\%c", *at);
        else if (*at < 32 || *at == 127)
            fprintf(out, "\\u%04x", *at);
        else
            putc(*at, out);
    }
    putc('"', out);
}

static void write_member(FILE *out, const char *name, const char *value) {
    if (!value)
        return;
    fprintf(out, ", \"%s\": ", name);
    wl_san_write_string(out, value);
}

static void write_stack(FILE *out, const char *name, uint64_t stack) {
    struct wl_san_frame *frames = stack ? calloc(WL_SAN_MOST_FRAMES, sizeof *frames) : NULL;
    unsigned count = frames ? wl_san_stack_frames(stack, frames, WL_SAN_MOST_FRAMES) : 0;
    if (count)
        fprintf(out, ", \"%s\": [", name);
    for (unsigned i = 0; i < count; i++) {
        fputs(i ? ", {\"function\": " : "{\"function\": ", out);
        wl_san_write_string(out, frames[i].function);
        write_member(out, "place", frames[i].place);
        putc('}', out);
    }
    if (count)
        putc(']', out);
    free(frames);
}

static void write_outer(FILE *out, const char *outer) {
    char line[600];
    bool first = true;
    for (; wl_san_next_outer(&outer, line, sizeof line); first = false) {
        fputs(first ? ", \"outer\": [" : ", ", out);
        wl_san_write_string(out, line);
    }
    if (!first)
        putc(']', out);
}

static void write_place(FILE *out, const struct wl_san_place *place, const struct wl_san_spot *spot) {
    fprintf(out, "{\"access\": \"%s\"", wl_san_access_name(place->access));
    if (spot->kernel) {
        write_member(out, "kernel", spot->kernel);
        write_member(out, "symbol", spot->symbol);
        write_member(out, "function", spot->function);
        if (*spot->file) {
            write_member(out, "file", spot->file);
            fprintf(out, ", \"line\": %d", spot->line);
        }
        write_outer(out, spot->outer);
        fprintf(out, ", \"offset\": %" PRIu64 ", \"workgroup\": [%u, %u, %u], \"wave\": %u", place->code, place->group[0], place->group[1],
                place->group[2], place->wave);
        if (place->has_item)
            fprintf(out, ", \"item\": [%u, %u, %u], \"lane\": %u", place->item[0], place->item[1], place->item[2], place->lane);
    }
    write_member(out, "call", place->call);
    write_stack(out, "stack", place->stack);
    putc('}', out);
}

static void write_block(FILE *out, const struct wl_san_block *block) {
    fprintf(out, ", \"allocation\": {\"address\": \"0x%" PRIx64 "\", \"size\": %" PRIu64 ", \"memory\": ", block->address, block->size);
    wl_san_write_string(out, wl_san_memory_words(block->kind));
    write_member(out, "name", block->name);
    write_member(out, "made_by", block->made_by);
    write_stack(out, "made_stack", block->made_stack);
    if (block->freed) {
        write_member(out, "freed_by", block->freed_by ? block->freed_by : "");
        write_stack(out, "freed_stack", block->freed_stack);
    }
    putc('}', out);
}

static void write_finding(FILE *out, const struct wl_san_kept *kept) {
    static const char *const spaces[] = {"global", "lds", "scratch", "flat"};
    const struct wl_san_finding *finding = &kept->finding;
    char kind[64];
    wl_san_kind_name(finding, kind, sizeof kind);
    fprintf(out, "{\"tool\": \"%s\", \"kind\": \"%s\", \"times\": %" PRIu64, wl_san_tool_name(finding->tool), kind, kept->times);
    if (finding->bytes)
        fprintf(out, ", \"space\": \"%s\", \"address\": \"0x%" PRIx64 "\", \"bytes\": %u", spaces[finding->space & 3], finding->address,
                finding->bytes);
    if (finding->limit)
        fprintf(out, ", \"limit\": %" PRIu64, finding->limit);
    if (*finding->detail)
        write_member(out, "detail", finding->detail);
    fputs(", \"at\": ", out);
    write_place(out, &finding->at, &kept->at);
    if (finding->has_second) {
        fputs(", \"second\": ", out);
        write_place(out, &finding->second, &kept->second);
    }
    if (finding->block.size)
        write_block(out, &finding->block);
    putc('}', out);
}

void wl_san_write_json(FILE *out, struct wl_san_kept *const *findings, size_t count, uint64_t suppressed, uint64_t not_shown) {
    bool first = true;
    fprintf(out, "{\"version\": 1, \"wavelift\": \"%s\", \"process\": %ld, \"tools\": [", WL_VERSION, (long)getpid());
    for (unsigned bit = 1; bit <= WL_SANITIZE_SYNCCHECK; bit *= 2)
        if (wl_options()->sanitize & bit) {
            fprintf(out, "%s\"%s\"", first ? "" : ", ", wl_san_tool_name((enum wl_sanitize_tool)bit));
            first = false;
        }
    fprintf(out, "],\n \"suppressed\": %" PRIu64 ", \"not_shown\": %" PRIu64 ",\n \"findings\": [", suppressed, not_shown);
    for (size_t i = 0; i < count; i++) {
        fputs(i ? ",\n  " : "\n  ", out);
        write_finding(out, findings[i]);
    }
    fputs("]}\n", out);
}
