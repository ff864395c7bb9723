/* Tables of what a run did: on the terminal, as CSV, as JSON. */
#include "profile.h"

#include "sanitize/json.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* ---- summing up ---------------------------------------------------------------------------------- */

static const char *const directions[] = {"host to host", "host to device", "device to host", "device to device"};

/* Rows under construction, found by a number. */
struct sums {
    struct wl_profile_table *table;
    size_t *places, count; /* a row's place plus 1, by the number; 0: none yet */
};

static struct wl_profile_row *row_of(struct sums *sums, size_t number) {
    struct wl_profile_table *table = sums->table;
    if (number >= sums->count)
        return NULL;
    if (!sums->places[number]) {
        struct wl_profile_row *rows = realloc(table->rows, (table->count + 1) * sizeof *rows);
        if (!rows)
            return NULL;
        table->rows = rows;
        memset(&rows[table->count], 0, sizeof *rows);
        rows[table->count].number = (uint32_t)number;
        sums->places[number] = ++table->count;
    }
    return &table->rows[sums->places[number] - 1];
}

static void count(struct wl_profile_table *table, struct wl_profile_row *row, double duration) {
    row->least = row->calls == 0 || duration < row->least ? duration : row->least;
    row->most = duration > row->most ? duration : row->most;
    row->calls++;
    row->total += duration;
    table->total += duration;
}

static bool sum_kernels(const struct wl_profile *profile, struct sums *sums) {
    for (size_t i = 0; i < profile->kernels.count; i++) {
        const struct wl_trace_record *record = profile->kernels.events[i].record;
        struct wl_profile_row *row = row_of(sums, wl_profile_number(profile, record->name));
        if (!row)
            return false;
        const double duration = wl_profile_duration(profile, record);
        row->name = wl_profile_name(profile, record->name);
        count(sums->table, row, duration);
        row->threaded += record->detail;
        row->threads = record->kernel.threads > row->threads ? record->kernel.threads : row->threads;
        if (record->kernel.busy) {
            row->busy += record->kernel.busy * 16.0;
            row->busy_span += duration * record->kernel.threads;
        }
    }
    for (size_t i = 0; i < profile->compilations.count; i++) {
        const struct wl_trace_record *record = profile->compilations.events[i].record;
        const uint32_t number = wl_profile_number(profile, record->name);
        if (sums->places[number])
            sums->table->rows[sums->places[number] - 1].compile_total += wl_profile_duration(profile, record);
    }
    return true;
}

/* Copies are rows by their directions; fills are a row behind them. */
static bool sum_copies(const struct wl_profile *profile, struct sums *sums) {
    const size_t kinds = sizeof directions / sizeof *directions;
    for (size_t i = 0; i < profile->copies.count + profile->fills.count; i++) {
        const bool fill = i >= profile->copies.count;
        const struct wl_trace_record *record =
            fill ? profile->fills.events[i - profile->copies.count].record : profile->copies.events[i].record;
        struct wl_profile_row *row = row_of(sums, fill ? kinds : record->detail);
        if (!row)
            return false;
        row->name = fill ? "fill" : directions[record->detail];
        row->bytes += record->bytes;
        count(sums->table, row, wl_profile_duration(profile, record));
    }
    return true;
}

static bool sum_calls(const struct wl_profile *profile, struct sums *sums) {
    for (size_t i = 0; i < profile->calls.count; i++) {
        const struct wl_trace_record *record = profile->calls.events[i].record;
        struct wl_profile_row *row = row_of(sums, wl_profile_number(profile, record->name));
        if (!row)
            return false;
        row->name = wl_profile_name(profile, record->name);
        row->failed += record->result != 0;
        count(sums->table, row, wl_profile_duration(profile, record));
    }
    return true;
}

static int by_total(const void *a, const void *b) {
    const struct wl_profile_row *x = a, *y = b;
    if (x->total != y->total)
        return x->total > y->total ? -1 : 1;
    return strcmp(x->name, y->name);
}

static bool sum(const struct wl_profile *profile, bool (*body)(const struct wl_profile *, struct sums *), struct wl_profile_table *table) {
    struct sums sums = {.table = table, .count = profile->name_count + sizeof directions / sizeof *directions + 1};
    sums.places = calloc(sums.count, sizeof *sums.places);
    const bool ok = sums.places && body(profile, &sums);
    free(sums.places);
    if (ok && table->count)
        qsort(table->rows, table->count, sizeof *table->rows, by_total);
    return ok;
}

bool wl_profile_summarize(const struct wl_profile *profile, struct wl_profile_summary *summary) {
    memset(summary, 0, sizeof *summary);
    return sum(profile, sum_kernels, &summary->kernels) && sum(profile, sum_copies, &summary->copies) &&
           sum(profile, sum_calls, &summary->calls) && wl_profile_count(profile, &summary->counters);
}

void wl_profile_summary_free(struct wl_profile_summary *summary) {
    free(summary->kernels.rows);
    free(summary->copies.rows);
    free(summary->calls.rows);
    wl_profile_counters_free(&summary->counters);
}

/* ---- for readers ----------------------------------------------------------------------------------- */

/* Nanoseconds with a unit, in ten columns. */
static void print_time(double nanoseconds, FILE *out) {
    if (nanoseconds < 1e3)
        fprintf(out, " %7.0f ns", nanoseconds);
    else if (nanoseconds < 1e6)
        fprintf(out, " %7.3f us", nanoseconds / 1e3);
    else if (nanoseconds < 1e9)
        fprintf(out, " %7.3f ms", nanoseconds / 1e6);
    else
        fprintf(out, " %7.3f s ", nanoseconds / 1e9);
}

static double share(const struct wl_profile_table *table, const struct wl_profile_row *row) {
    return table->total > 0 ? 100 * row->total / table->total : 0;
}

static void print_row(const struct wl_profile_table *table, const struct wl_profile_row *row, FILE *out) {
    fprintf(out, "%6.2f %% %10" PRIu64, share(table, row), row->calls);
    print_time(row->total, out);
    print_time(row->total / (double)row->calls, out);
    print_time(row->least, out);
    print_time(row->most, out);
}

#define COLUMNS "   share      calls      total       mean      least       most"

static const char *code_of(const struct wl_profile_row *row) {
    return row->threaded == 0 ? "native" : row->threaded == row->calls ? "threaded" : "both";
}

static double occupancy(const struct wl_profile_row *row) { return row->busy_span > 0 ? 100 * row->busy / row->busy_span : 0; }

/* Bytes and operations of a nanosecond. */
static double rate(const struct wl_profile_row *row, uint64_t amount) { return row->total > 0 ? (double)amount / row->total : 0; }

static void print_rates(const struct wl_profile_row *row, const struct wl_profile_counts *counts, FILE *out) {
    if (counts)
        fprintf(out, " %9.3f %9.3f", rate(row, counts->sum.loaded + counts->sum.stored), rate(row, counts->sum.flops));
    else
        fputs("         -         -", out);
}

static void print_kernels(const struct wl_profile_table *table, const struct wl_profile_counters *counters, FILE *out) {
    if (counters->count)
        fputs("\nkernels\n" COLUMNS "   compiling  code      threads  busy      GB/s   GFLOP/s  name\n", out);
    else
        fputs("\nkernels\n" COLUMNS "   compiling  code      threads  busy  name\n", out);
    for (size_t i = 0; i < table->count; i++) {
        const struct wl_profile_row *row = &table->rows[i];
        print_row(table, row, out);
        fputs("  ", out);
        print_time(row->compile_total, out);
        fprintf(out, "  %-8s %8u", code_of(row), row->threads);
        if (row->busy_span > 0)
            fprintf(out, " %3.0f %%", occupancy(row));
        else
            fputs("     -", out);
        if (counters->count)
            print_rates(row, wl_profile_find_counts(counters, row->number), out);
        fprintf(out, "  %s\n", row->name);
    }
}

static void print_copies(const struct wl_profile_table *table, FILE *out) {
    fputs("\ncopies and fills\n" COLUMNS "        GB     GB/s  direction\n", out);
    for (size_t i = 0; i < table->count; i++) {
        const struct wl_profile_row *row = &table->rows[i];
        print_row(table, row, out);
        fprintf(out, " %9.3f %8.2f  %s\n", (double)row->bytes / 1e9, row->total > 0 ? (double)row->bytes / row->total : 0, row->name);
    }
}

static void print_calls(const struct wl_profile_table *table, FILE *out) {
    fputs("\nfunctions of HIP\n" COLUMNS "    failed  name\n", out);
    for (size_t i = 0; i < table->count; i++) {
        print_row(table, &table->rows[i], out);
        fprintf(out, "  %8" PRIu64 "  %s\n", table->rows[i].failed, table->rows[i].name);
    }
}

void wl_profile_print(const struct wl_profile *profile, const struct wl_profile_summary *summary, FILE *out) {
    fprintf(out, "wavelift: profile: %.3f s, %zu processes, %zu launches\n",
            (double)(profile->nanoseconds[1] - profile->nanoseconds[0]) / 1e9, profile->process_count, profile->kernels.count);
    if (summary->kernels.count)
        print_kernels(&summary->kernels, &summary->counters, out);
    if (summary->copies.count)
        print_copies(&summary->copies, out);
    if (summary->calls.count)
        print_calls(&summary->calls, out);
    if (summary->choice.count)
        wl_profile_print_counters(&summary->counters, &summary->choice, out);
    for (size_t i = 0; summary->choice.source && i < summary->kernels.count; i++) {
        const struct wl_profile_counts *counts = wl_profile_find_counts(&summary->counters, summary->kernels.rows[i].number);
        if (counts)
            wl_profile_print_lines(&summary->counters, counts, out);
    }
    if ((summary->choice.count || summary->choice.source) && !summary->counters.count)
        fputs("\nwavelift: profile: nothing is counted: no kernel ran on a CPU device, and on NVIDIA GPUs there are no counters\n", out);
    if (profile->lost)
        fprintf(out, "\nwavelift: profile: %" PRIu64 " records are lost: the disk has no room for them (TMPDIR chooses another one)\n",
                profile->lost);
}

/* ---- for programs ---------------------------------------------------------------------------------- */

static void write_csv_rows(const char *kind, const struct wl_profile_table *table, const struct wl_profile_summary *summary, FILE *out) {
    for (size_t i = 0; i < table->count; i++) {
        const struct wl_profile_row *row = &table->rows[i];
        fprintf(out, "%s,\"", kind);
        for (const char *c = row->name; *c; c++)
            fputs(*c == '"' ? "\"\"" : (char[]){*c, 0}, out);
        fprintf(out, "\",%" PRIu64 ",%.0f,%.1f,%.0f,%.0f,%.4f,%" PRIu64 ",%.0f,%" PRIu64 ",%" PRIu64, row->calls, row->total,
                row->total / (double)row->calls, row->least, row->most, share(table, row), row->bytes, row->compile_total, row->threaded,
                row->failed);
        wl_profile_write_csv_counters(table == &summary->kernels ? wl_profile_find_counts(&summary->counters, row->number) : NULL,
                                      &summary->choice, out);
        putc('\n', out);
    }
}

void wl_profile_write_csv(const struct wl_profile_summary *summary, FILE *out) {
    fputs("kind,name,calls,total_ns,mean_ns,least_ns,most_ns,share_percent,bytes,compiling_ns,threaded_calls,failed_calls", out);
    wl_profile_write_csv_names(&summary->choice, out);
    putc('\n', out);
    write_csv_rows("kernel", &summary->kernels, summary, out);
    write_csv_rows("copy", &summary->copies, summary, out);
    write_csv_rows("function", &summary->calls, summary, out);
}

/* What is counted of a kernel. */
static void write_json_counts(const struct wl_profile_row *row, const struct wl_profile_summary *summary, FILE *out) {
    const struct wl_profile_counts *counts = wl_profile_find_counts(&summary->counters, row->number);
    if (!counts)
        return;
    fprintf(out, ", \"gb_per_s\": %.6f, \"gflops\": %.6f", rate(row, counts->sum.loaded + counts->sum.stored),
            rate(row, counts->sum.flops));
    wl_profile_write_json_counters(counts, &summary->choice, out);
    if (summary->choice.source)
        wl_profile_write_json_lines(&summary->counters, counts, &summary->choice, out);
}

static void write_json_rows(const char *member, const struct wl_profile_table *table, const struct wl_profile_summary *summary, FILE *out) {
    fprintf(out, ",\n \"%s\": [", member);
    for (size_t i = 0; i < table->count; i++) {
        const struct wl_profile_row *row = &table->rows[i];
        fputs(i ? ",\n  {\"name\": " : "\n  {\"name\": ", out);
        wl_san_write_string(out, row->name);
        fprintf(out,
                ", \"calls\": %" PRIu64 ", \"total_ns\": %.0f, \"mean_ns\": %.1f, \"least_ns\": %.0f, \"most_ns\": %.0f, "
                "\"share_percent\": %.4f",
                row->calls, row->total, row->total / (double)row->calls, row->least, row->most, share(table, row));
        if (strcmp(member, "kernels") == 0)
            fprintf(out, ", \"compiling_ns\": %.0f, \"threaded_calls\": %" PRIu64 ", \"threads\": %u, \"busy_percent\": %.1f",
                    row->compile_total, row->threaded, row->threads, occupancy(row));
        else if (strcmp(member, "copies") == 0)
            fprintf(out, ", \"bytes\": %" PRIu64, row->bytes);
        else
            fprintf(out, ", \"failed_calls\": %" PRIu64, row->failed);
        if (table == &summary->kernels)
            write_json_counts(row, summary, out);
        putc('}', out);
    }
    fputs("]", out);
}

void wl_profile_write_json(const struct wl_profile *profile, const struct wl_profile_summary *summary, FILE *out) {
    fprintf(out, "{\"wavelift\": \"%s\", \"time_ns\": %" PRIu64 ", \"processes\": %zu, \"launches\": %zu, \"lost\": %" PRIu64, WL_VERSION,
            profile->nanoseconds[1] - profile->nanoseconds[0], profile->process_count, profile->kernels.count, profile->lost);
    write_json_rows("kernels", &summary->kernels, summary, out);
    write_json_rows("copies", &summary->copies, summary, out);
    write_json_rows("functions", &summary->calls, summary, out);
    fputs("}\n", out);
}
