/* bench.json, and the history: one line of the same for each run. */
#include "figures.h"

#include "base/cpu.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* JSON has no NaN. */
static void number(FILE *to, const char *name, double value, const char *end) {
    if (isnan(value) || isinf(value))
        fprintf(to, "\"%s\": null%s", name, end);
    else
        fprintf(to, "\"%s\": %.6g%s", name, value, end);
}

/* Copies text, less what JSON would have to escape. */
static void plain(char *to, size_t size, const char *from) {
    size_t n = 0;
    for (; *from && n + 1 < size; from++)
        if ((unsigned char)*from >= ' ' && *from != '"' && *from != '\\')
            to[n++] = *from;
    to[n] = 0;
}

static void describe_commit(char *to, size_t size) {
    char line[128] = "";
    FILE *git = popen("git -C '" BENCH_REPOSITORY "' describe --always --dirty --abbrev=12 2>/dev/null", "r");
    if (git && !fgets(line, sizeof line, git))
        line[0] = 0;
    if (git)
        pclose(git);
    plain(to, size, line[0] ? line : "unknown");
}

static void write_head(FILE *to, const struct options *options) {
    char name[128], cpu[128], commit[64], date[64];
    double load = 0;
    time_t t = time(NULL);
    struct tm utc;
    long cpus = sysconf(_SC_NPROCESSORS_ONLN);
    strftime(date, sizeof date, "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&t, &utc));
    wl_cpu_name(name, sizeof name);
    plain(cpu, sizeof cpu, name);
    describe_commit(commit, sizeof commit);
    if (getloadavg(&load, 1) != 1)
        load = (double)NAN;
    fprintf(to,
            "\"date\": \"%s\", \"commit\": \"%s\", \"cpu\": \"%s\",\n\"cpus\": %ld, \"threads\": %ld, \"rounds\": %d, \"complete\": %s, ",
            date, commit, cpu, cpus, options->threads ? options->threads : cpus, options->rounds, options->complete ? "true" : "false");
    fprintf(to, "\"figures\": \"%s\", ", options->least ? "least" : "median");
    number(to, "load", load, ",\n");
}

static void write_means(FILE *to, const char *group) {
    number(to, "to_native", mean_ratio(group, -1, NATIVE), ", ");
    number(to, "to_pocl", mean_ratio(group, -1, POCL), "}");
}

static void write_row(FILE *to, const struct row *row) {
    fprintf(to, "\"%s\": {\"group\": \"%s\", ", row->name, row->group);
    for (int side = 0; side < SIDES; side++) {
        char name[64];
        if (!row->side[side][0])
            continue;
        snprintf(name, sizeof name, "%s_ms", row->side[side]);
        number(to, name, 1e3 * row->seconds[side], ", ");
        fprintf(to, "\"%s_correct\": %s, ", row->side[side], row->correct[side] ? "true" : "false");
    }
    number(to, "work", row->work, ", ");
    fprintf(to, "\"unit\": \"%s\", ", row->unit);
    if (row->single_bar > 0)
        number(to, "single_thread", row->single, ", ");
    number(to, "to_native", best_target(row) / row->seconds[NATIVE], ", ");
    number(to, "to_pocl", best_target(row) / row->seconds[POCL], "}");
}

static void write_object(FILE *to, const struct options *options, const struct startup *startup) {
    bool first = true;
    fprintf(to, "{");
    write_head(to, options);
    fprintf(to, "\"all\": {");
    write_means(to, NULL);
    fprintf(to, ",\n\"groups\": {");
    for (int g = 0; g < group_count; g++) {
        fprintf(to, "%s\n\"%s\": {", g == 0 ? "" : ",", groups[g].name);
        write_means(to, groups[g].name);
    }
    fprintf(to, "},\n\"kernels\": {");
    for (int i = 0; i < row_count; i++)
        if (rows[i].selected) {
            fprintf(to, "%s\n", first ? "" : ",");
            write_row(to, &rows[i]);
            first = false;
        }
    fprintf(to, "},\n\"startup\": {");
    number(to, "cold_ms", 1e3 * startup->cold, ", ");
    number(to, "cold_instructions", startup->instructions, ", ");
    number(to, "translation_ms_per_instruction", 1e3 * startup->translation, ", ");
    number(to, "warm_ms", 1e3 * startup->warm, ", ");
    number(to, "memory_mib", startup->memory, ", ");
    number(to, "launch_us", 1e6 * startup->launch, "}}\n");
}

static void put(const char *file, const char *mode, const char *text, size_t size) {
    FILE *to = fopen(file, mode);
    if (!to || fwrite(text, 1, size, to) != size || fclose(to) != 0)
        fail("cannot write %s", file);
}

void write_json(const char *file, const char *history, const struct options *options, const struct startup *startup) {
    char *text = NULL;
    size_t size = 0;
    FILE *to = open_memstream(&text, &size);
    if (!to)
        fail("no memory");
    write_object(to, options, startup);
    if (fclose(to) != 0)
        fail("no memory");
    put(file, "w", text, size);
    for (size_t i = 0; i + 1 < size; i++)
        if (text[i] == '\n')
            text[i] = ' ';
    put(history, "a", text, size);
    free(text);
}
