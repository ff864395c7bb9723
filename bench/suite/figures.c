/* Medians, geometric means, bars, the printed table and the Markdown. */
#include "figures.h"

#include "base/cpu.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int ascending(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

double median(double *values, int count) {
    if (count == 0)
        return (double)NAN;
    qsort(values, (size_t)count, sizeof *values, ascending);
    return count % 2 ? values[count / 2] : 0.5 * (values[count / 2 - 1] + values[count / 2]);
}

double best_target(const struct row *row) {
    double best = (double)NAN;
    for (int side = TARGET; side < SIDES; side++)
        if (row->present[side])
            best = fmin(best, row->seconds[side]);
    return best;
}

double mean_ratio(const char *group, int target, int side) {
    double sum = 0;
    int count = 0;
    for (int i = 0; i < row_count; i++) {
        const struct row *row = &rows[i];
        if (!row->selected || (group && strcmp(group, row->group) != 0) || (target >= 0 && !row->present[TARGET + target]) ||
            !row->present[side])
            continue;
        double seconds = target < 0 ? best_target(row) : row->seconds[TARGET + target];
        if (isnan(seconds))
            continue;
        sum += log(seconds / row->seconds[side]);
        count++;
    }
    return count ? exp(sum / count) : (double)NAN;
}

const struct row *worst_row(void) {
    const struct row *worst = NULL;
    for (int i = 0; i < row_count; i++) {
        double ratio = best_target(&rows[i]) / rows[i].seconds[NATIVE];
        if (rows[i].selected && !isnan(ratio) && (!worst || ratio > best_target(worst) / worst->seconds[NATIVE]))
            worst = &rows[i];
    }
    return worst;
}

/* ---- the printed table -------------------------------------------------------------------------- */

static void print_number(double value, int width, int digits) {
    if (isnan(value))
        printf(" %*s", width, "-");
    else
        printf(" %*.*f", width, digits, value);
}

/* The most targets that a selected row of the group has; their names stand in *head. */
static int group_targets(const char *group, const struct row **head) {
    int most = 0;
    *head = NULL;
    for (int i = 0; i < row_count; i++) {
        int count = 0;
        while (count < MAX_TARGETS && rows[i].side[TARGET + count][0])
            count++;
        if (rows[i].selected && strcmp(rows[i].group, group) == 0 && count > most) {
            most = count;
            *head = &rows[i];
        }
    }
    return most;
}

static void print_row(const struct row *row, int targets) {
    printf("  %-16s", row->name);
    for (int side = 0; side < TARGET + targets; side++)
        print_number(row->side[side][0] ? 1e3 * row->seconds[side] : (double)NAN, 10, 3);
    print_number(best_target(row) / row->seconds[NATIVE], 8, 2);
    print_number(best_target(row) / row->seconds[POCL], 8, 2);
    print_number(row->work / best_target(row), 9, 2);
    printf(" %s/s\n", row->unit);
}

void print_table(void) {
    const struct row *head;
    for (int g = 0; g < group_count; g++) {
        const char *group = groups[g].name;
        int targets = group_targets(group, &head);
        if (!head)
            continue;
        printf("%-18s", group);
        for (int side = 0; side < TARGET + targets; side++)
            printf(" %7s ms", head->side[side]);
        printf(" %8s %8s %9s\n", "/ native", "/ pocl", "best");
        for (int i = 0; i < row_count; i++)
            if (rows[i].selected && strcmp(rows[i].group, group) == 0)
                print_row(&rows[i], targets);
        printf("  %-16s %*s", "geometric mean", 22, "");
        for (int target = 0; target < targets; target++)
            print_number(mean_ratio(group, target, NATIVE), 10, 2);
        print_number(mean_ratio(group, -1, NATIVE), 8, 2);
        print_number(mean_ratio(group, -1, POCL), 8, 2);
        printf("\n");
    }
}

/* ---- bars ----------------------------------------------------------------------------------------- */

struct bar_line {
    FILE *to;
    bool as_markdown;
    int missed;
};

/* One bar; least: the value has to be at least that large. Nothing if it was not measured because it was not selected. */
static void print_bar(struct bar_line *line, const char *what, double value, double bar, bool least, const char *unit) {
    bool missed = isnan(value) || (least ? value < bar : value > bar);
    const char *sign = least ? "≥" : "≤";
    line->missed += missed;
    if (line->as_markdown)
        fprintf(line->to, "| %s | %s %g%s | %.3g%s | %s |\n", what, sign, bar, unit, value, unit, missed ? "missed" : "met");
    else
        fprintf(line->to, "%-56s %9.3g%s  bar %s %g%s\n", what, value, unit, sign, bar, missed ? "  MISSED" : "");
}

int print_bars(FILE *to, const struct startup *startup, bool as_markdown) {
    struct bar_line line = {to, as_markdown, 0};
    const struct row *head, *worst = worst_row();
    char what[128];
    if (as_markdown)
        fprintf(to, "| figure | bar | measured | |\n|---|---|---|---|\n");
    for (int g = 0; g < group_count; g++)
        if (group_targets(groups[g].name, &head)) {
            snprintf(what, sizeof what, "geometric mean of time / native C, %s", groups[g].name);
            print_bar(&line, what, mean_ratio(groups[g].name, -1, NATIVE), groups[g].bar, false, "");
        }
    print_bar(&line, "geometric mean of time / native C, all", mean_ratio(NULL, -1, NATIVE), 1.0, false, "");
    if (worst) {
        snprintf(what, sizeof what, "worst kernel / native C (%s)", worst->name);
        print_bar(&line, what, best_target(worst) / worst->seconds[NATIVE], 3, false, "");
    }
    print_bar(&line, "geometric mean of time / PoCL, all", mean_ratio(NULL, -1, POCL), 0.3, false, "");
    for (int i = 0; i < row_count; i++)
        if (rows[i].selected && rows[i].single_bar > 0) {
            char unit[24];
            snprintf(what, sizeof what, "%s on one thread", rows[i].name);
            snprintf(unit, sizeof unit, " %s/s", rows[i].unit);
            print_bar(&line, what, rows[i].single, rows[i].single_bar, true, unit);
        }
    snprintf(what, sizeof what, "first launch of a kernel of %u instructions, cold", startup->instructions);
    print_bar(&line, what, 1e3 * startup->cold, 60, false, " ms");
    print_bar(&line, "vector add, warm, process start to result", 1e3 * startup->warm, 10, false, " ms");
    print_bar(&line, "memory of a process that runs from the cache, all of it", startup->memory, 20, false, " MiB");
    print_bar(&line, "translation, an AMD instruction", 1e3 * startup->translation, 1, false, " ms");
    print_bar(&line, "empty launch and synchronize", 1e6 * startup->launch, 5, false, " µs");
    return line.missed;
}

/* ---- Markdown ------------------------------------------------------------------------------------- */

static void markdown_number(FILE *to, double value, int digits) {
    if (isnan(value))
        fprintf(to, " – |");
    else
        fprintf(to, " %.*f |", digits, value);
}

static void markdown_row(FILE *to, const struct row *row) {
    fprintf(to, "| %s | %s |", row->group, row->name);
    markdown_number(to, 1e3 * row->seconds[NATIVE], 2);
    markdown_number(to, 1e3 * row->seconds[POCL], 2);
    fprintf(to, " ");
    for (int side = TARGET; side < SIDES && row->side[side][0]; side++)
        fprintf(to, "%s%s %.2f", side == TARGET ? "" : ", ", row->side[side], 1e3 * row->seconds[side]);
    fprintf(to, " |");
    markdown_number(to, best_target(row) / row->seconds[NATIVE], 2);
    markdown_number(to, best_target(row) / row->seconds[POCL], 2);
    fprintf(to, " %.3g %s/s |\n", row->work / best_target(row), row->unit);
}

void write_markdown(const char *file, const struct options *options, const struct startup *startup) {
    char cpu[128];
    long cpus = sysconf(_SC_NPROCESSORS_ONLN);
    FILE *to = fopen(file, "w");
    if (!to)
        fail("cannot write %s", file);
    wl_cpu_name(cpu, sizeof cpu);
    fprintf(to, "%s, %ld CPUs, %ld threads a side, %s of %d rounds.\n\n", cpu, cpus, options->threads ? options->threads : cpus,
            options->least ? "the least" : "medians", options->rounds);
    print_bars(to, startup, true);
    fprintf(to, "\n| group | kernel | native ms | PoCL ms | Wavelift ms | best / native | best / PoCL | best |\n"
                "|---|---|---|---|---|---|---|---|\n");
    for (int i = 0; i < row_count; i++)
        if (rows[i].selected)
            markdown_row(to, &rows[i]);
    fprintf(to, "\n");
    for (int i = 0; i < row_count; i++)
        if (rows[i].selected && rows[i].note[0])
            fprintf(to, "- `%s`: %s\n", rows[i].name, rows[i].note);
    if (fclose(to) != 0)
        fail("cannot write %s", file);
}

void write_summary(const char *file) {
    static const struct {
        const char *name;
        int side;
    } lines[] = {{"/ native C", NATIVE}, {"/ PoCL", POCL}};
    FILE *to = fopen(file, "w");
    if (!to)
        fail("cannot write %s", file);
    fprintf(to, "| time |");
    for (int g = 0; g < group_count; g++)
        fprintf(to, " %s |", groups[g].name);
    fprintf(to, " all |\n|---|");
    for (int g = 0; g <= group_count; g++)
        fprintf(to, "---|");
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        fprintf(to, "\n| %s |", lines[i].name);
        for (int g = 0; g < group_count; g++)
            markdown_number(to, mean_ratio(groups[g].name, -1, lines[i].side), 2);
        markdown_number(to, mean_ratio(NULL, -1, lines[i].side), 2);
    }
    fprintf(to, "\n");
    if (fclose(to) != 0)
        fail("cannot write %s", file);
}
