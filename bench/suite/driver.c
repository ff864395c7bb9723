/* Runs the suite:
 *
 *     bench-suite --build DIR [--rounds N] [--threads N] [--history FILE] [--least] [--check] [NAME or GROUP ...]
 *
 * Sides are native C with OpenMP, PoCL, and Wavelift with the code of each target of the row. Each is a process (worker.c) that
 * lives as long as its benchmark is measured; in every round each side runs once, in turn, so that noise hits all alike. The
 * figures are medians over the rounds, with --least the least of them: for busy machines. Results are compared with the native side's before anything is measured.
 * WAVELIFT_BENCH=name,group,... selects too, WAVELIFT_BENCH_ROUNDS=N is the default of --rounds.
 * Exit status: 1 if a side failed or computed something else, or, with --check, if a bar was missed. */
#include "bench.h"
#include "figures.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static struct options options = {.rounds = 7};

#define RUN_SECONDS 0.05 /* a run lasts at least as long */
#define SLOW        0.4  /* seconds: sides whose run lasts longer have 3 rounds */
#define PATIENCE    120  /* seconds */

struct side {
    struct process process;
    int memory; /* where the worker leaves its result */
};

static const char *log_file(const struct row *row, int side) {
    static char file[4200];
    snprintf(file, sizeof file, "%s/bench/logs/%s-%s.log", options.build, row->name, row->side[side]);
    return file;
}

/* threads: 0 leaves it to the side. */
static struct side start_side(const struct row *row, int side, int threads) {
    char program[4200], file[4200], library[4200], cache[4200], arch[64], count[3][48];
    const char *const kind = side == NATIVE ? "native" : side == POCL ? "opencl" : "hip";
    snprintf(program, sizeof program, "%s/bench/suite/worker-%s", options.build, kind);
    if (side == POCL)
        snprintf(file, sizeof file, "%s/%s/%s.cl", BENCH_SOURCE, row->group, row->name);
    else
        snprintf(file, sizeof file, "%s/bench/suite/%s.co", options.build, row->name);
    snprintf(library, sizeof library, "LD_LIBRARY_PATH=%s/lib", options.build);
    snprintf(cache, sizeof cache, "WAVELIFT_CACHE_DIR=%s/bench/cache", options.build);
    snprintf(arch, sizeof arch, "WAVELIFT_ARCH=%s", row->side[side]);
    snprintf(count[0], sizeof count[0], "OMP_NUM_THREADS=%d", threads);
    snprintf(count[1], sizeof count[1], "POCL_MAX_PTHREAD_COUNT=%d", threads);
    snprintf(count[2], sizeof count[2], "WAVELIFT_THREADS=%d", threads);
    const char *environment[10] = {"OMP_WAIT_POLICY=passive"};
    int n = 1;
    for (int i = 0; i < 3 && threads; i++)
        environment[n++] = count[i];
    if (side >= TARGET) {
        environment[n++] = library;
        environment[n++] = cache;
        environment[n++] = arch;
        environment[n++] = "WAVELIFT_LOG=3";
        environment[n++] = "WAVELIFT_TIER=2"; /* times are those of native code */
    }
    char *command[] = {program, (char *)(uintptr_t)row->name, file, NULL};
    struct side started = {.memory = memfd_create("bench", MFD_CLOEXEC)};
    if (started.memory < 0)
        fail("memfd_create: %s", strerror(errno));
    started.process = start(command, environment, log_file(row, side), started.memory);
    return started;
}

static void stop_side(struct side *side) {
    stop(&side->process);
    if (side->memory > 0)
        close(side->memory);
    side->memory = 0;
}

static const void *map_result(const struct side *side, size_t bytes) {
    const void *data = mmap(NULL, bytes, PROT_READ, MAP_SHARED, side->memory, 0);
    if (data == MAP_FAILED)
        fail("mmap: %s", strerror(errno));
    return data;
}

static double number_at(const void *data, size_t i, enum element element) {
    return element == BYTES     ? ((const uint8_t *)data)[i]
           : element == DOUBLES ? ((const double *)data)[i]
                                : (double)((const float *)data)[i];
}

/* The largest excess over the tolerance's share of a number: at most 1 is right. NaNs have to be where they are on the other side. */
static double distance(const void *got, const void *want, const struct result *result) {
    const size_t size = result->element == BYTES ? 1 : result->element == DOUBLES ? 8 : 4;
    double worst = 0;
    for (size_t i = 0; i < result->bytes / size; i++) {
        double x = number_at(got, i, result->element), y = number_at(want, i, result->element);
        double excess = fabs(x - y) / (result->absolute + result->relative * fabs(y));
        if (x == y || (isnan(x) && isnan(y)))
            continue;
        if (!(excess <= worst))
            worst = isnan(excess) ? (double)INFINITY : excess;
    }
    return worst;
}

/* Whether a side's result is the native one's. */
static bool equal(const struct side *got, const struct side *want, const struct result *result) {
    const void *x = map_result(got, result->bytes), *y = map_result(want, result->bytes);
    bool same = memcmp(x, y, result->bytes) == 0;
    if (!same && result->element != BITS && (result->relative > 0 || result->absolute > 0)) {
        double worst = distance(x, y, result);
        same = worst <= 1;
        if (!same)
            fprintf(stderr, "bench: %.3g times the tolerance\n", worst);
    }
    munmap((void *)(uintptr_t)x, result->bytes);
    munmap((void *)(uintptr_t)y, result->bytes);
    return same;
}

static bool save(struct row *row, struct side *side, struct result *result) {
    char line[512];
    int element = 0, end = 0;
    *result = (struct result){0};
    if (!ask(&side->process, NULL, line, sizeof line, PATIENCE) ||
        sscanf(line, "%zu %d %lf %lf %lf %15s %lf %n", &result->bytes, &element, &result->relative, &result->absolute, &row->work,
               row->unit, &row->single_bar, &end) != 7)
        return false;
    result->element = (enum element)element;
    snprintf(row->note, sizeof row->note, "%.*s", (int)strcspn(line + end, "\n"), line + end);
    return true;
}

static void verify(struct row *row, struct side *sides) {
    struct result want = {0};
    for (int side = 0; side < SIDES; side++)
        if (row->side[side][0]) {
            fputs("save\n", sides[side].process.to);
            fflush(sides[side].process.to);
        }
    for (int side = 0; side < SIDES; side++) {
        struct result got = {0};
        if (!row->side[side][0])
            continue;
        row->present[side] = save(row, &sides[side], &got);
        if (side == NATIVE)
            want = got;
        if (!row->present[side])
            fprintf(stderr, "bench: %s cannot run %s: see %s\n", row->side[side], row->name, log_file(row, side));
        else
            row->correct[side] = got.bytes == want.bytes && want.bytes > 0 && equal(&sides[side], &sides[NATIVE], &want);
        if (row->present[side] && !row->correct[side])
            fprintf(stderr, "bench: %s computes %s wrongly\n", row->side[side], row->name);
    }
}

static double run_once(struct side *side) {
    char line[256], command[64];
    snprintf(command, sizeof command, "run %g\n", RUN_SECONDS);
    return ask(&side->process, command, line, sizeof line, PATIENCE) ? strtod(line, NULL) : (double)NAN;
}

static double least(const double *values, int count) {
    double value = (double)NAN;
    for (int i = 0; i < count; i++)
        value = fmin(value, values[i]);
    return value;
}

static void measure(struct row *row, struct side *sides) {
    static double times[SIDES][MAX_ROUNDS];
    int counts[SIDES] = {0};
    for (int round = 0; round < options.rounds; round++)
        for (int side = 0; side < SIDES; side++) {
            if (!row->present[side] || (round >= 3 && times[side][0] > SLOW))
                continue;
            double seconds = run_once(&sides[side]);
            if (isnan(seconds))
                row->present[side] = row->correct[side] = false;
            else
                times[side][counts[side]++] = seconds;
        }
    for (int side = 0; side < SIDES; side++)
        row->seconds[side] = !row->present[side] ? (double)NAN
                             : options.least     ? least(times[side], counts[side])
                                                 : median(times[side], counts[side]);
}

/* Wavelift alone, on one thread, for the rows that have a bar for it. */
static void measure_single(struct row *row) {
    row->single = (double)NAN;
    for (int target = TARGET; target < SIDES && row->single_bar > 0; target++) {
        double times[5];
        char line[512];
        if (!row->present[target])
            continue;
        struct side side = start_side(row, target, 1);
        bool good = ask(&side.process, "save\n", line, sizeof line, PATIENCE);
        for (int i = 0; i < 5 && good; i++)
            good = !isnan(times[i] = run_once(&side));
        if (good)
            row->single = fmax(row->single, row->work / median(times, 5));
        stop_side(&side);
    }
}

/* Returns whether every side computed what the native side did. */
static bool run_row(struct row *row) {
    struct side sides[SIDES] = {0};
    bool good = true;
    for (int side = 0; side < SIDES; side++)
        if (row->side[side][0])
            sides[side] = start_side(row, side, options.threads);
    verify(row, sides);
    measure(row, sides);
    for (int side = 0; side < SIDES; side++) {
        stop_side(&sides[side]);
        good = good && (!row->side[side][0] || row->correct[side]);
    }
    measure_single(row);
    return good;
}

static void parse(int argc, char **argv) {
    const char *rounds = getenv("WAVELIFT_BENCH_ROUNDS"), *list = getenv("WAVELIFT_BENCH");
    bool named = list && *list;
    if (rounds && *rounds)
        options.rounds = atoi(rounds);
    if (named)
        select_rows(list);
    for (int i = 1; i < argc; i++) {
        const char *value = i + 1 < argc ? argv[i + 1] : NULL;
        if (strcmp(argv[i], "--check") == 0)
            options.check = true;
        else if (strcmp(argv[i], "--least") == 0)
            options.least = true;
        else if (strcmp(argv[i], "--build") == 0 && value)
            options.build = argv[++i];
        else if (strcmp(argv[i], "--history") == 0 && value)
            options.history = argv[++i];
        else if (strcmp(argv[i], "--rounds") == 0 && value)
            options.rounds = atoi(argv[++i]);
        else if (strcmp(argv[i], "--threads") == 0 && value)
            options.threads = atoi(argv[++i]);
        else if (argv[i][0] == '-')
            fail("%s: unknown, or without a value", argv[i]);
        else
            select_rows(argv[i]), named = true;
    }
    if (!named)
        select_rows(NULL);
    options.complete = !named;
    if (!options.build)
        fail("--build is missing");
    if (options.rounds < 1 || options.rounds > MAX_ROUNDS)
        fail("--rounds must be 1 to %d", MAX_ROUNDS);
    if (options.threads < 0 || options.threads > 4096)
        fail("--threads must be 0 to 4096");
}

int main(int argc, char **argv) {
    char clean[8600], file[4200], default_history[4200];
    struct startup startup;
    bool good = true;
    parse(argc, argv);
    snprintf(clean, sizeof clean, "rm -rf '%s/bench/logs' && mkdir -p '%s/bench/logs'", options.build, options.build);
    if (system(clean) != 0)
        fail("cannot make %s/bench/logs", options.build);
    snprintf(default_history, sizeof default_history, "%s/bench/history.jsonl", options.build);
    if (!options.history)
        options.history = default_history;
    for (int i = 0; i < row_count; i++)
        if (rows[i].selected) {
            fprintf(stderr, "%s\n", rows[i].name);
            good &= run_row(&rows[i]);
        }
    measure_startup(&options, &startup);
    snprintf(file, sizeof file, "%s/bench/bench.json", options.build);
    write_json(file, options.history, &options, &startup);
    snprintf(file, sizeof file, "%s/bench/bench.svg", options.build);
    write_plot(file);
    snprintf(file, sizeof file, "%s/bench/history.svg", options.build);
    write_history_plot(file, options.history);
    snprintf(file, sizeof file, "%s/bench/figures.md", options.build);
    write_markdown(file, &options, &startup);
    snprintf(file, sizeof file, "%s/bench/summary.md", options.build);
    write_summary(file);
    print_table();
    int missed = print_bars(stdout, &startup, false);
    return !good || (options.check && missed > 0) ? 1 : 0;
}
