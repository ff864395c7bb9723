#include "sanitize/suppress.h"

#include "base/array.h"
#include "sanitize/names.h"
#include "sanitize/stacks.h"

#include <ctype.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

enum condition_kind { KERNEL, FILE_LINE, CALL, STACK, CONDITION_KINDS };
static const char *const condition_names[CONDITION_KINDS] = {"kernel:", "file:", "call:", "stack:"};

struct condition {
    enum condition_kind kind;
    char *pattern;
};

struct suppression {
    unsigned tools;
    char *kinds; /* a pattern */
    struct condition *conditions;
    size_t count, capacity;
};

struct wl_san_suppressions {
    struct suppression *items;
    size_t count, capacity;
};

void wl_san_suppressions_free(struct wl_san_suppressions *all) {
    for (size_t i = 0; all && i < all->count; i++) {
        for (size_t c = 0; c < all->items[i].count; c++)
            free(all->items[i].conditions[c].pattern);
        free(all->items[i].conditions);
        free(all->items[i].kinds);
    }
    if (all)
        free(all->items);
    free(all);
}

/* ---- reading --------------------------------------------------------------------------------- */

struct reader {
    const char *path;
    FILE *file;
    char *line; /* without white space at its ends */
    size_t capacity;
    unsigned number;
};

/* The next line that is neither empty nor a comment. */
static bool next_line(struct reader *r) {
    ssize_t length;
    while ((length = getline(&r->line, &r->capacity, r->file)) >= 0) {
        size_t start = strspn(r->line, " \t\r\n");
        r->number++;
        while (length > (ssize_t)start && isspace((unsigned char)r->line[length - 1]))
            length--;
        r->line[length] = 0;
        memmove(r->line, r->line + start, (size_t)length - start + 1);
        if (*r->line && *r->line != '#')
            return true;
    }
    return false;
}

static enum wl_status wrong(const struct reader *r, const char *what) {
    return wl_fail(WL_INVALID_VALUE, "%s:%u: %s", r->path, r->number, what);
}

static enum wl_status read_kinds(const struct reader *r, struct suppression *item) {
    const char *colon = strchr(r->line, ':');
    item->tools = colon ? wl_san_tool_bits(r->line, (size_t)(colon - r->line)) : 0;
    if (!item->tools || !colon[1])
        return wrong(r, "the second line of a suppression is TOOL[,TOOL]:KIND, as memcheck:out-of-bounds-*");
    item->kinds = strdup(colon + 1);
    return item->kinds ? WL_OK : wl_fail(WL_OUT_OF_MEMORY, "out of memory");
}

static enum wl_status read_condition(const struct reader *r, struct suppression *item) {
    for (unsigned kind = 0; kind < CONDITION_KINDS; kind++) {
        size_t length = strlen(condition_names[kind]);
        if (strncmp(r->line, condition_names[kind], length) != 0 || !r->line[length])
            continue;
        char *pattern = strdup(r->line + length);
        if (!pattern || !WL_ARRAY_RESERVE(item->conditions, item->count, item->capacity, 4)) {
            free(pattern);
            return wl_fail(WL_OUT_OF_MEMORY, "out of memory");
        }
        item->conditions[item->count++] = (struct condition){(enum condition_kind)kind, pattern};
        return WL_OK;
    }
    return wrong(r, "a line of a suppression is kernel:, file:, call: or stack: with a pattern, or }");
}

/* What follows a "{", up to its "}". */
static enum wl_status read_item(struct reader *r, struct suppression *item) {
    if (!next_line(r) || *r->line == '}')
        return wrong(r, "the first line of a suppression is its name");
    if (!next_line(r))
        return wrong(r, "a suppression that does not end");
    enum wl_status status = read_kinds(r, item);
    while (status == WL_OK) {
        if (!next_line(r))
            return wrong(r, "a suppression that does not end");
        if (strcmp(r->line, "}") == 0)
            break;
        status = read_condition(r, item);
    }
    return status;
}

static enum wl_status read_items(struct reader *r, struct wl_san_suppressions *all) {
    enum wl_status status = WL_OK;
    while (status == WL_OK && next_line(r)) {
        if (strcmp(r->line, "{") != 0)
            return wrong(r, "a suppression begins with {");
        if (!WL_ARRAY_RESERVE(all->items, all->count, all->capacity, 8))
            return wl_fail(WL_OUT_OF_MEMORY, "out of memory");
        struct suppression *item = &all->items[all->count++];
        memset(item, 0, sizeof *item);
        status = read_item(r, item);
    }
    return status;
}

enum wl_status wl_san_suppressions_read(const char *path, struct wl_san_suppressions **suppressions) {
    struct reader r = {.path = path, .file = fopen(path, "re")};
    *suppressions = NULL;
    if (!r.file)
        return wl_fail(WL_FILE_NOT_FOUND, "%s cannot be read: %m", path);
    struct wl_san_suppressions *all = calloc(1, sizeof *all);
    enum wl_status status = all ? read_items(&r, all) : wl_fail(WL_OUT_OF_MEMORY, "out of memory");
    if (status == WL_OK && ferror(r.file))
        status = wl_fail(WL_FILE_NOT_FOUND, "%s cannot be read: %m", path);
    fclose(r.file);
    free(r.line);
    if (status == WL_OK) {
        *suppressions = all;
        return WL_OK;
    }
    wl_san_suppressions_free(all);
    return status;
}

/* ---- matching -------------------------------------------------------------------------------- */

/* A pattern is of the file, or of the file and the line. */
static bool fits_place(const char *pattern, const char *place) {
    char file[600];
    snprintf(file, sizeof file, "%s", place);
    char *colon = strrchr(file, ':');
    if (colon)
        *colon = 0;
    return fnmatch(pattern, place, 0) == 0 || fnmatch(pattern, file, 0) == 0;
}

static bool fits_file(const char *pattern, const struct wl_san_spot *spot) {
    char place[sizeof spot->file + 16];
    snprintf(place, sizeof place, "%s:%d", spot->file, spot->line);
    bool fits = *spot->file && fits_place(pattern, place);
    for (const char *outer = spot->outer; !fits && wl_san_next_outer(&outer, place, sizeof place);)
        fits = fits_place(pattern, wl_san_outer_place(place));
    return fits;
}

static bool fits_stack(const char *pattern, uint64_t stack) {
    struct wl_san_frame *frames = stack ? calloc(WL_SAN_MOST_FRAMES, sizeof *frames) : NULL;
    unsigned count = frames ? wl_san_stack_frames(stack, frames, WL_SAN_MOST_FRAMES) : 0;
    bool fits = false;
    for (unsigned i = 0; i < count && !fits; i++)
        fits = wl_san_names_function(pattern, frames[i].function, frames[i].function) || fnmatch(pattern, frames[i].place, 0) == 0;
    free(frames);
    return fits;
}

static bool fits_call(const char *pattern, const char *call) { return call && *call && fnmatch(pattern, call, 0) == 0; }

static bool holds(const struct condition *condition, const struct wl_san_kept *kept) {
    const struct wl_san_finding *finding = &kept->finding;
    const char *pattern = condition->pattern;
    switch (condition->kind) {
    case KERNEL:
        return (kept->at.kernel && wl_san_names_function(pattern, kept->at.symbol, kept->at.kernel)) ||
               (kept->second.kernel && wl_san_names_function(pattern, kept->second.symbol, kept->second.kernel));
    case FILE_LINE:
        return fits_file(pattern, &kept->at) || fits_file(pattern, &kept->second);
    case CALL:
        return fits_call(pattern, finding->at.call) || fits_call(pattern, finding->second.call) ||
               fits_call(pattern, finding->block.made_by);
    default:
        return fits_stack(pattern, finding->at.stack) || fits_stack(pattern, finding->second.stack) ||
               fits_stack(pattern, finding->block.made_stack);
    }
}

static bool stands_for(const struct suppression *item, const struct wl_san_kept *kept, const char *kind) {
    if (!(item->tools & (unsigned)kept->finding.tool) || fnmatch(item->kinds, kind, 0) != 0)
        return false;
    for (size_t i = 0; i < item->count; i++)
        if (!holds(&item->conditions[i], kept))
            return false;
    return true;
}

bool wl_san_suppressed(const struct wl_san_suppressions *all, const struct wl_san_kept *kept) {
    char kind[64];
    wl_san_kind_name(&kept->finding, kind, sizeof kind);
    for (size_t i = 0; all && i < all->count; i++)
        if (stands_for(&all->items[i], kept, kind))
            return true;
    return false;
}

/* ---- making one ------------------------------------------------------------------------------ */

/* A name as a pattern that stands for itself alone. */
static void print_literally(FILE *out, const char *text) {
    for (; *text; text++)
        fprintf(out, strchr("*?[\\", *text) ? "\\%c" : "%c", *text);
}

static void print_condition(FILE *out, enum condition_kind kind, const char *text) {
    fprintf(out, "    %s", condition_names[kind]);
    print_literally(out, text);
    putc('\n', out);
}

void wl_san_print_suppression(FILE *out, const struct wl_san_kept *kept) {
    const struct wl_san_finding *finding = &kept->finding;
    char kind[64], place[sizeof kept->at.file + 16];
    wl_san_kind_name(finding, kind, sizeof kind);
    fprintf(out, "{\n    <the suppression's name>\n    %s:%s\n", wl_san_tool_name(finding->tool), kind);
    if (kept->at.kernel)
        print_condition(out, KERNEL, kept->at.symbol);
    else if (finding->at.call)
        print_condition(out, CALL, finding->at.call);
    else if (finding->block.made_by)
        print_condition(out, CALL, finding->block.made_by);
    if (*kept->at.file) {
        snprintf(place, sizeof place, "%s:%d", kept->at.file, kept->at.line);
        print_condition(out, FILE_LINE, place);
    }
    fputs("}\n", out);
}
