/* bench.svg: bars, time relative to native. history.svg: the groups' means over the runs of the history. */
#include "figures.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LEFT = 130, WIDTH = 640, BAR = 11, TOP = 64 };
#define LOW  0.05
#define HIGH 300.0

static const char *const colors[SIDES] = {"", "#b0b0b0", "#c4453c", "#3c6ec4", "#4f9a56", "#b07cc6"};

static double at(double ratio) { return LEFT + WIDTH * log(fmin(fmax(ratio, LOW * 1.02), HIGH) / LOW) / log(HIGH / LOW); }

static FILE *open_svg(const char *file, int width, int height, const char *title) {
    FILE *to = fopen(file, "w");
    if (!to)
        fail("cannot write %s", file);
    fprintf(to,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" font-family=\"sans-serif\" font-size=\"11\">\n"
            "<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>\n<text x=\"%d\" y=\"20\" font-size=\"14\">%s</text>\n",
            width, height, LEFT, title);
    return to;
}

static int draw_row(FILE *to, const struct row *row, int y) {
    fprintf(to, "<text x=\"%d\" y=\"%d\" text-anchor=\"end\">%s</text>\n", LEFT - 8, y + BAR + 4, row->name);
    for (int side = POCL; side < SIDES; side++) {
        double ratio = row->seconds[side] / row->seconds[NATIVE];
        if (!row->side[side][0] || isnan(ratio))
            continue;
        fprintf(to,
                "<rect x=\"%d\" y=\"%d\" width=\"%.1f\" height=\"%d\" fill=\"%s\"/><text x=\"%.1f\" y=\"%d\" font-size=\"9\">%s "
                "%.2f</text>\n",
                LEFT, y, at(ratio) - LEFT, BAR - 2, colors[side], at(ratio) + 4, y + BAR - 3, side == POCL ? "PoCL" : row->side[side],
                ratio);
        y += BAR;
    }
    return y + 8;
}

void write_plot(const char *file) {
    int height = TOP + 40;
    for (int i = 0; i < row_count; i++)
        height += rows[i].selected ? 8 + BAR * (SIDES - POCL) + 22 : 0;
    FILE *to = open_svg(file, LEFT + WIDTH + 100, height, "Time relative to native C with OpenMP (shorter is better)");
    for (int power = -1; power <= 2; power++) {
        double tick = pow(10, power);
        fprintf(to,
                "<line x1=\"%.1f\" y1=\"%d\" x2=\"%.1f\" y2=\"%d\" stroke=\"%s\"/><text x=\"%.1f\" y=\"%d\" "
                "text-anchor=\"middle\">%g</text>\n",
                at(tick), TOP, at(tick), height - 10, tick == 1 ? "black" : "#dddddd", at(tick), TOP - 6, tick);
    }
    int y = TOP + 8;
    for (int g = 0; g < group_count; g++) {
        const char *group = groups[g].name;
        double mean = mean_ratio(group, -1, NATIVE);
        if (isnan(mean))
            continue;
        fprintf(to, "<text x=\"12\" y=\"%d\" font-weight=\"bold\">%s: geometric mean %.2f</text>\n", y + 10, group, mean);
        y += 18;
        for (int i = 0; i < row_count; i++)
            if (rows[i].selected && strcmp(rows[i].group, group) == 0)
                y = draw_row(to, &rows[i], y);
    }
    fprintf(to, "</svg>\n");
    if (fclose(to) != 0)
        fail("cannot write %s", file);
}

/* ---- history ---------------------------------------------------------------------------------------- */

enum { MAX_RUNS = 400, MAX_SERIES = 8, HEIGHT = 360 };

/* The number behind "to_native" in the object called `name` of a line of the history. */
static double read_mean(const char *line, const char *name) {
    char key[64];
    snprintf(key, sizeof key, "\"%s\": {\"to_native\": ", name);
    const char *found = strstr(line, key);
    char *end = NULL;
    double value = found ? strtod(found + strlen(key), &end) : (double)NAN;
    return found && end != found + strlen(key) ? value : (double)NAN;
}

/* Complete runs alone: means over different kernels cannot be compared. Returns how many; the latest, if there are too many. */
static int read_history(const char *history, const char *const *names, int series, double (*values)[MAX_RUNS]) {
    char *line = NULL;
    size_t size = 0;
    int runs = 0;
    FILE *from = fopen(history, "r");
    while (from && getline(&line, &size, from) > 0) {
        if (!strstr(line, "\"complete\": true"))
            continue;
        if (runs == MAX_RUNS) {
            for (int s = 0; s < series; s++)
                memmove(values[s], values[s] + 1, (MAX_RUNS - 1) * sizeof values[s][0]);
            runs--;
        }
        for (int s = 0; s < series; s++)
            values[s][runs] = read_mean(line, names[s]);
        runs++;
    }
    free(line);
    if (from)
        fclose(from);
    return runs;
}

static double height_of(double ratio) { return TOP + HEIGHT * log(4 / fmin(fmax(ratio, 0.1), 4)) / log(40); }

void write_history_plot(const char *file, const char *history) {
    static double values[MAX_SERIES][MAX_RUNS];
    static const char *const shades[MAX_SERIES] = {"black", "#c4453c", "#3c6ec4", "#4f9a56", "#b07cc6", "#d08a2e", "#3aa6a6", "#888888"};
    const char *names[MAX_SERIES] = {"all"};
    int series = 1;
    for (int g = 0; g < group_count && series < MAX_SERIES; g++)
        names[series++] = groups[g].name;
    int runs = read_history(history, names, series, values);
    FILE *to = open_svg(file, LEFT + WIDTH + 120, TOP + HEIGHT + 40, "Geometric means of time / native C, run by run");
    static const double ticks[] = {0.1, 0.25, 0.5, 1, 2, 4};
    for (size_t i = 0; i < sizeof ticks / sizeof *ticks; i++)
        fprintf(to,
                "<line x1=\"%d\" y1=\"%.1f\" x2=\"%d\" y2=\"%.1f\" stroke=\"#dddddd\"/><text x=\"%d\" y=\"%.1f\" "
                "text-anchor=\"end\">%g</text>\n",
                LEFT, height_of(ticks[i]), LEFT + WIDTH, height_of(ticks[i]), LEFT - 8, height_of(ticks[i]) + 4, ticks[i]);
    for (int s = 0; s < series; s++) {
        double step = runs > 1 ? (double)WIDTH / (runs - 1) : 0, last = (double)NAN;
        fprintf(to, "<polyline fill=\"none\" stroke=\"%s\" stroke-width=\"%d\" points=\"", shades[s], s == 0 ? 3 : 1);
        for (int run = 0; run < runs; run++)
            if (!isnan(values[s][run]))
                fprintf(to, "%.1f,%.1f ", LEFT + step * run, height_of(last = values[s][run]));
        fprintf(to, "\"/>\n");
        if (!isnan(last))
            fprintf(to, "<text x=\"%d\" y=\"%.1f\" fill=\"%s\">%s %.2f</text>\n", LEFT + WIDTH + 6, height_of(last) + 4, shades[s],
                    names[s], last);
    }
    fprintf(to, "</svg>\n");
    if (fclose(to) != 0)
        fail("cannot write %s", file);
}
