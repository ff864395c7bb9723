/* See hipify.h. */
#include "hipify.h"

#include "base/array.h"

#include <stdlib.h>
#include <string.h>

enum { CONTEXT = 3 };

_Noreturn static void end_without_memory(void) {
    fprintf(stderr, "hipify: no memory\n");
    exit(2);
}

/* ---- Statistics ----------------------------------------------------------------------------- */

struct hipify_left {
    const struct wl_hipify_row *row;
    const char *file;
    size_t line;
};

void hipify_count(struct hipify_statistics *statistics, const char *file, const struct wl_hipify_note *note) {
    if (!statistics->converted) {
        statistics->converted = calloc(wl_hipify_row_count, sizeof *statistics->converted);
        if (!statistics->converted)
            end_without_memory();
    }
    if (!note->reason) {
        statistics->converted[note->row - wl_hipify_rows]++;
        return;
    }
    if (!WL_ARRAY_RESERVE(statistics->left, statistics->left_count, statistics->left_room, 64))
        end_without_memory();
    statistics->left[statistics->left_count++] = (struct hipify_left){note->row, file, note->line};
}

static bool same_part(const struct wl_hipify_row *a, const struct wl_hipify_row *b) {
    return a->kind == b->kind && strcmp(a->group, b->group) == 0;
}

/* Whether no row before this one is of its part, so that each part is printed once. */
static bool begins_part(const struct wl_hipify_row *row) {
    for (const struct wl_hipify_row *before = wl_hipify_rows; before < row; before++)
        if (same_part(before, row))
            return false;
    return true;
}

/* The places of one name; they are printed where the name is met first. */
static void print_places(FILE *out, const struct hipify_statistics *statistics, size_t first) {
    const struct hipify_left *left = statistics->left;
    for (size_t i = 0; i < first; i++)
        if (left[i].row == left[first].row)
            return;
    fprintf(out, "    %s:", left[first].row->cuda);
    for (size_t i = first; i < statistics->left_count; i++)
        if (left[i].row == left[first].row)
            fprintf(out, " %s:%zu", left[i].file, left[i].line);
    fputc('\n', out);
}

static void print_part(FILE *out, const struct hipify_statistics *statistics, const struct wl_hipify_row *part) {
    size_t converted = 0, left = 0;
    for (size_t i = 0; i < wl_hipify_row_count; i++)
        if (statistics->converted && same_part(&wl_hipify_rows[i], part))
            converted += statistics->converted[i];
    for (size_t i = 0; i < statistics->left_count; i++)
        left += same_part(statistics->left[i].row, part);
    if (!converted && !left)
        return;
    fprintf(out, "%s%s%s: %zu converted, %zu unsupported\n", wl_mapping_kind_name(part->kind), *part->group ? ", " : "", part->group,
            converted, left);
    for (size_t i = 0; i < statistics->left_count; i++)
        if (same_part(statistics->left[i].row, part))
            print_places(out, statistics, i);
}

void hipify_print_statistics(FILE *out, const struct hipify_statistics *statistics) {
    size_t converted = 0;
    for (size_t i = 0; statistics->converted && i < wl_hipify_row_count; i++)
        converted += statistics->converted[i];
    for (unsigned kind = 0; kind < WL_HIPIFY_KINDS; kind++)
        for (size_t i = 0; i < wl_hipify_row_count; i++)
            if (wl_hipify_rows[i].kind == kind && begins_part(&wl_hipify_rows[i]))
                print_part(out, statistics, &wl_hipify_rows[i]);
    fprintf(out, "total of %zu files: %zu converted, %zu unsupported\n", statistics->files, converted, statistics->left_count);
}

void hipify_free_statistics(struct hipify_statistics *statistics) {
    free(statistics->left);
    free(statistics->converted);
    *statistics = (struct hipify_statistics){0};
}

void hipify_print_list(FILE *out) {
    for (size_t i = 0; i < wl_hipify_row_count; i++) {
        const struct wl_hipify_row *row = &wl_hipify_rows[i];
        fprintf(out, "%s\t%s\t%s\t%s\t%s\n", row->cuda, row->hip && *row->hip ? row->hip : "-", wl_mapping_kind_name(row->kind),
                *row->group ? row->group : "-", row->hip ? row->since : row->reason);
    }
}

/* ---- Differences ---------------------------------------------------------------------------- */

struct lines {
    const char **starts; /* one more than there are lines: the last is the end */
    size_t count;
};

static struct lines split(const char *text, size_t size) {
    struct lines lines = {0};
    size_t capacity = 0;
    const char *end = text + size;
    for (const char *p = text;; lines.count++) {
        if (!WL_ARRAY_RESERVE(lines.starts, lines.count, capacity, 256))
            end_without_memory();
        lines.starts[lines.count] = p;
        if (p == end)
            return lines;
        const char *newline = memchr(p, '\n', (size_t)(end - p));
        p = newline ? newline + 1 : end;
    }
}

static void print_line(FILE *out, char mark, const struct lines *lines, size_t line) {
    size_t size = (size_t)(lines->starts[line + 1] - lines->starts[line]);
    fputc(mark, out);
    fwrite(lines->starts[line], 1, size, out);
    if (lines->starts[line][size - 1] != '\n')
        fputs("\n\\ No newline at end of file\n", out);
}

/* The start of a hunk's side: diff and patch count from 1, but name the line before an empty side. */
static size_t side_start(size_t first, size_t count) { return count ? first + 1 : first; }

struct comparison {
    struct lines old, new;
    size_t added;
};

static bool differs(const struct comparison *both, size_t line) {
    const char **a = &both->old.starts[line], **b = &both->new.starts[line + both->added];
    return a[1] - a[0] != b[1] - b[0] || memcmp(a[0], b[0], (size_t)(a[1] - a[0])) != 0;
}

/* The first line from `line` on that differs. */
static size_t next_difference(const struct comparison *both, size_t line) {
    while (line < both->old.count && !differs(both, line))
        line++;
    return line;
}

/* Prints the hunk of the old lines from `first` to before `end`; the added lines go before line 0. */
static void print_hunk(FILE *out, const struct comparison *both, size_t first, size_t end) {
    size_t before = first == 0 ? both->added : 0, shift = first == 0 ? 0 : both->added;
    fprintf(out, "@@ -%zu,%zu +%zu,%zu @@\n", side_start(first, end - first), end - first, side_start(first + shift, end - first + before),
            end - first + before);
    for (size_t i = 0; i < before; i++)
        print_line(out, '+', &both->new, i);
    for (size_t line = first; line < end;) {
        if (!differs(both, line)) {
            print_line(out, ' ', &both->old, line++);
            continue;
        }
        size_t stop = line;
        while (stop < end && differs(both, stop))
            stop++;
        for (size_t i = line; i < stop; i++)
            print_line(out, '-', &both->old, i);
        for (; line < stop; line++)
            print_line(out, '+', &both->new, line + both->added);
    }
}

void hipify_print_diff(FILE *out, const char *file, const char *old_text, size_t old_size, const char *new_text, size_t new_size,
                       size_t added) {
    struct comparison both = {split(old_text, old_size), split(new_text, new_size), added};
    size_t line = next_difference(&both, 0);
    if (line < both.old.count || added)
        fprintf(out, "--- %s\n+++ %s\n", file, file);
    size_t count = both.old.count;
    bool pending = added > 0;
    while (line < count || pending) {
        size_t first = pending || line < CONTEXT ? 0 : line - CONTEXT;
        size_t end = pending ? 0 : line + 1;
        for (pending = false;;) { /* grow over differences whose contexts would touch */
            line = next_difference(&both, end);
            if (line >= count || line > end + (size_t)2 * CONTEXT)
                break;
            end = line + 1;
        }
        print_hunk(out, &both, first, end + CONTEXT < count ? end + CONTEXT : count);
    }
    free(both.old.starts);
    free(both.new.starts);
}
