/* Source lines of kernels: for which of them most instructions ran, and what these did. */
#include "profile.h"

#include "sanitize/json.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum {
    MOST_LINES = 15, /* of a kernel on the terminal */
    TEXT_WIDTH = 72,
};

/* ---- a kernel's lines ---------------------------------------------------------------------------- */

static int by_instructions(const void *a, const void *b) {
    const struct wl_profile_counts *x = *(const struct wl_profile_counts *const *)a, *y = *(const struct wl_profile_counts *const *)b;
    if (x->sum.instructions != y->sum.instructions)
        return x->sum.instructions > y->sum.instructions ? -1 : 1;
    return strcmp(x->name, y->name);
}

/* Those with the most instructions first. The caller frees the list; NULL: there are none, or no memory. */
static const struct wl_profile_counts **lines_of(const struct wl_profile_counters *counters, uint32_t kernel, size_t *count) {
    const struct wl_profile_counts **lines = calloc(counters->lines.count + 1, sizeof *lines);
    const struct wl_profile_line *line;
    size_t at = 0;
    *count = 0;
    while (lines && (line = wl_table_each(&counters->lines, &at)))
        if (line->kernel == kernel)
            lines[(*count)++] = &line->counts;
    if (*count)
        qsort((void *)lines, *count, sizeof *lines, by_instructions);
    return lines;
}

static double percent(uint64_t part, uint64_t whole) { return whole ? 100 * (double)part / (double)whole : 0; }
static double mean(uint64_t sum, uint64_t count) { return count ? (double)sum / (double)count : 0; }

/* The parts of the processor, as the table has them. */
static uint64_t scalar(const struct wl_profile_counts *c) { return c->sum.units[WL_COUNT_SALU] + c->sum.units[WL_COUNT_SMEM]; }
static uint64_t memory(const struct wl_profile_counts *c) { return c->sum.units[WL_COUNT_VMEM_READ] + c->sum.units[WL_COUNT_VMEM_WRITE]; }
static uint64_t lds(const struct wl_profile_counts *c) { return c->sum.units[WL_COUNT_LDS] + c->sum.units[WL_COUNT_GDS]; }
static uint64_t pieces(const struct wl_profile_counts *c) { return c->sum.pieces_loaded + c->sum.pieces_stored; }

/* ---- for readers ---------------------------------------------------------------------------------- */

/* The FILE of FILE:LINE, which the caller frees, and the line's number; NULL: there is none, or no memory. */
static char *split_place(const char *place, long *line) {
    const char *colon = strrchr(place, ':');
    *line = colon ? strtol(colon + 1, NULL, 10) : 0;
    return colon ? strndup(place, (size_t)(colon - place)) : NULL;
}

static void print_file_line(FILE *file, long line, FILE *out) {
    char *text = NULL;
    size_t size = 0;
    long at = 1;
    while (getline(&text, &size, file) >= 0 && at < line)
        at++;
    if (text && at == line && !feof(file)) {
        const char *begin = text + strspn(text, " \t");
        const size_t length = strcspn(begin, "\r\n");
        fprintf(out, "  %.*s", length < TEXT_WIDTH ? (int)length : TEXT_WIDTH, begin);
    }
    free(text);
}

static void print_text(const char *place, FILE *out) {
    long line;
    char *path = split_place(place, &line);
    FILE *file = path ? fopen(path, "re") : NULL;
    if (file) {
        print_file_line(file, line, out);
        fclose(file);
    }
    free(path);
}

/* A figure in ten columns, if there is something that it tells of. */
static void print_figure(const char *format, double figure, bool told, FILE *out) {
    if (told)
        fprintf(out, format, figure);
    else
        fputs("         -", out);
}

static void print_line(const struct wl_profile_counts *kernel, const struct wl_profile_counts *line, FILE *out) {
    const uint64_t all = line->sum.instructions, valu = line->sum.units[WL_COUNT_VALU];
    const uint64_t others = all - valu - scalar(line) - memory(line) - lds(line);
    const char *slash = strrchr(line->name, '/');
    fprintf(out, "%6.2f %% %12" PRIu64 " %4.0f %4.0f %4.0f %4.0f %4.0f", percent(all, kernel->sum.instructions), all, percent(valu, all),
            percent(scalar(line), all), percent(memory(line), all), percent(lds(line), all), percent(others, all));
    print_figure(" %9.1f", mean(line->sum.valu_lanes, valu), valu != 0, out);
    print_figure(" %9.1f", mean(pieces(line), line->sum.accesses), line->sum.accesses != 0, out);
    print_figure(" %7.0f %%", percent(line->sum.scattered, line->sum.accesses), line->sum.accesses != 0, out);
    print_figure(" %7.0f %%", percent(line->sum.lds_conflicts, line->sum.lds_cycles), line->sum.lds_cycles != 0, out);
    fprintf(out, " %9" PRIu64 "  %s", line->sum.diverged, slash ? slash + 1 : line->name);
    print_text(line->name, out);
    putc('\n', out);
}

void wl_profile_print_lines(const struct wl_profile_counters *counters, const struct wl_profile_counts *kernel, FILE *out) {
    size_t count;
    const struct wl_profile_counts **lines = lines_of(counters, kernel->number, &count);
    fprintf(
        out,
        "\nsource lines of %s\n   share instructions VALU SALU  mem  LDS rest     lanes    pieces scattered conflicts  diverged  line\n",
        kernel->name);
    for (size_t i = 0; i < count && i < MOST_LINES; i++)
        print_line(kernel, lines[i], out);
    if (count > MOST_LINES)
        fprintf(out, "  and %zu lines more (--json FILE has all)\n", count - MOST_LINES);
    free((void *)lines);
}

/* ---- for programs --------------------------------------------------------------------------------- */

static void write_json_line(const struct wl_profile_counts *kernel, const struct wl_profile_counts *line,
                            const struct wl_profile_choice *choice, FILE *out) {
    long number = 0;
    char *path = line->number ? split_place(line->name, &number) : NULL;
    fputs("\n    {\"file\": ", out);
    wl_san_write_string(out, path ? path : "");
    fprintf(out,
            ", \"line\": %ld, \"share_percent\": %.4f, \"instructions\": %" PRIu64 ", \"valu\": %" PRIu64 ", \"scalar\": %" PRIu64
            ", \"memory\": %" PRIu64 ", \"lds\": %" PRIu64 ", \"branches\": %" PRIu64,
            number, percent(line->sum.instructions, kernel->sum.instructions), line->sum.instructions, line->sum.units[WL_COUNT_VALU],
            scalar(line), memory(line), lds(line), line->sum.units[WL_COUNT_BRANCH]);
    fprintf(out,
            ", \"active_lanes\": %.4f, \"flops\": %" PRIu64 ", \"loaded_bytes\": %" PRIu64 ", \"stored_bytes\": %" PRIu64
            ", \"accesses\": %" PRIu64 ", \"pieces\": %" PRIu64 ", \"scattered\": %" PRIu64 ", \"lds_cycles\": %" PRIu64
            ", \"lds_conflicts\": %" PRIu64 ", \"diverged\": %" PRIu64,
            mean(line->sum.valu_lanes, line->sum.units[WL_COUNT_VALU]), line->sum.flops, line->sum.loaded, line->sum.stored,
            line->sum.accesses, pieces(line), line->sum.scattered, line->sum.lds_cycles, line->sum.lds_conflicts, line->sum.diverged);
    if (choice->count)
        wl_profile_write_json_counters(line, choice, out);
    putc('}', out);
    free(path);
}

void wl_profile_write_json_lines(const struct wl_profile_counters *counters, const struct wl_profile_counts *kernel,
                                 const struct wl_profile_choice *choice, FILE *out) {
    size_t count;
    const struct wl_profile_counts **lines = lines_of(counters, kernel->number, &count);
    fputs(", \"lines\": [", out);
    for (size_t i = 0; i < count; i++) {
        fputs(i ? "," : "", out);
        write_json_line(kernel, lines[i], choice, out);
    }
    putc(']', out);
    free((void *)lines);
}
