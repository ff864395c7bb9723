/* Runs the benchmarks and writes bench.json and bench.svg.
 *
 *     driver --library DIR --hip FILE --start FILE --opencl FILE --source FILE.cl --native FILE --output DIR [--rounds N]
 *
 * Four sides run the same problems: native C with OpenMP, PoCL, and Wavelift on gfx90a and on gfx1030 code. Each is a process
 * that stays (worker.h); in every round each side runs each problem once, in turn, so that noise hits all alike. The figures
 * are medians over the rounds. Results are compared with the native side's before anything is measured. */
#include "worker.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdbool.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum side { NATIVE, POCL, GFX90A, GFX1030, SIDES };
static const char *const side_names[SIDES] = {"native", "pocl", "wavelift_gfx90a", "wavelift_gfx1030"};

#define MAX_ROUNDS 51

static struct {
    const char *library, *hip, *start, *opencl, *source, *native, *output;
    int rounds;
} options = {.rounds = 7};

struct worker {
    pid_t pid;
    FILE *to, *from;
};

static void prepare(enum kernel kernel, const struct problem *problem) { (void)kernel, (void)problem; }
static void run(enum kernel kernel) { (void)kernel; }
static void fetch(enum kernel kernel, float *result, size_t count) { (void)kernel, (void)result, (void)count; }

static _Noreturn __attribute__((format(printf, 1, 2))) void fail(const char *format, ...) {
    va_list list;
    va_start(list, format);
    fputs("bench: ", stderr);
    vfprintf(stderr, format, list);
    fputc('\n', stderr);
    va_end(list);
    exit(1);
}

/* Starts a program; `environment` is a NULL-terminated list of "NAME=value"; its stderr goes to `errors`, if not NULL. */
static struct worker start(char *const *command, const char *const *environment, const char *errors) {
    int in[2], out[2];
    if (pipe2(in, O_CLOEXEC) != 0 || pipe2(out, O_CLOEXEC) != 0)
        fail("pipe: %s", strerror(errno));
    struct worker worker = {.pid = fork()};
    if (worker.pid < 0)
        fail("fork: %s", strerror(errno));
    if (worker.pid == 0) {
        for (; *environment; environment++)
            putenv((char *)*environment);
        dup2(in[0], 0);
        dup2(out[1], 1);
        if (errors)
            dup2(open(errors, O_WRONLY | O_CREAT | O_APPEND, 0644), 2);
        execv(command[0], command);
        _exit(127);
    }
    close(in[0]);
    close(out[1]);
    worker.to = fdopen(in[1], "w");
    worker.from = fdopen(out[0], "r");
    return worker;
}

/* Returns the worker's exit status. */
static int stop(struct worker *worker) {
    int status = -1;
    fclose(worker->to);
    waitpid(worker->pid, &status, 0);
    fclose(worker->from);
    return status;
}

/* Sends a line and returns the number answered; NAN: the worker is gone. */
static double ask(struct worker *worker, const char *format, ...) {
    char line[1024];
    va_list list;
    va_start(list, format);
    vfprintf(worker->to, format, list);
    va_end(list);
    fflush(worker->to);
    return fgets(line, sizeof line, worker->from) ? strtod(line, NULL) : (double)NAN;
}

static struct worker start_side(enum side side) {
    static char library[4096], cache[4096];
    snprintf(library, sizeof library, "LD_LIBRARY_PATH=%s", options.library);
    snprintf(cache, sizeof cache, "WAVELIFT_CACHE_DIR=%s/cache", options.output);
    char *commands[SIDES][3] = {{(char *)options.native, NULL},
                                {(char *)options.opencl, (char *)options.source, NULL},
                                {(char *)options.hip, NULL},
                                {(char *)options.hip, NULL}};
    const char *environments[SIDES][5] = {
        {"OMP_WAIT_POLICY=passive", NULL},
        {"OMP_WAIT_POLICY=passive", NULL},
        {library, cache, "WAVELIFT_ARCH=gfx90a", "WAVELIFT_LOG=3", NULL},
        {library, cache, "WAVELIFT_ARCH=gfx1030", "WAVELIFT_LOG=3", NULL},
    };
    char errors[4096];
    snprintf(errors, sizeof errors, "%s/%s.log", options.output, side_names[side]);
    return start(commands[side], environments[side], errors);
}

static int ascending(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double *values, int count) {
    qsort(values, (size_t)count, sizeof *values, ascending);
    return count % 2 ? values[count / 2] : 0.5 * (values[count / 2 - 1] + values[count / 2]);
}

static float *load(const char *file, size_t count) {
    float *data = malloc(count * 4);
    FILE *from = fopen(file, "rb");
    if (!from || fread(data, 4, count, from) != count)
        fail("cannot read %s", file);
    fclose(from);
    return data;
}

/* Whether a side's result is the native one: bit for bit where all sides compute the same, else closely. */
static bool equal(enum kernel kernel, const float *got, const float *want, size_t count, double *worst) {
    bool exact = kernel != NBODY && kernel != BLACK_SCHOLES;
    *worst = 0;
    if (exact)
        return memcmp(got, want, count * 4) == 0;
    for (size_t i = 0; i < count; i++) {
        double difference = fabs((double)got[i] - (double)want[i]);
        double scale = kernel == NBODY ? NBODY_N : 100.0; /* sums of as many terms of either sign; prices up to a strike of 100 */
        if (!(difference <= *worst * scale))
            *worst = difference / scale;
    }
    return *worst <= 4e-6;
}

struct figures {
    bool present[SIDES][KERNELS], correct[SIDES][KERNELS];
    double seconds[SIDES][KERNELS]; /* medians */
    double launch, start_seconds, start_mib;
    struct translation {
        unsigned count, instructions;
        double decode, lift, optimize, codegen; /* ms */
    } translation;
};

static void verify(struct worker *workers, struct figures *figures) {
    for (int kernel = 0; kernel < KERNELS; kernel++) {
        float *want = NULL;
        for (int side = 0; side < SIDES; side++) {
            char file[4096];
            snprintf(file, sizeof file, "%s/%s-%s.bin", options.output, side_names[side], kernel_names[kernel]);
            double count = ask(&workers[side], "save %s %s\n", kernel_names[kernel], file);
            if (!(count > 0)) {
                fprintf(stderr, "bench: %s cannot run %s: see %s/%s.log\n", side_names[side], kernel_names[kernel], options.output,
                        side_names[side]);
                stop(&workers[side]);
                workers[side] = start_side((enum side)side);
                continue;
            }
            figures->present[side][kernel] = true;
            float *got = load(file, (size_t)count);
            double worst = 0;
            figures->correct[side][kernel] = side == NATIVE || (want && equal((enum kernel)kernel, got, want, (size_t)count, &worst));
            if (!figures->correct[side][kernel])
                fprintf(stderr, "bench: %s computes %s wrongly (%g)\n", side_names[side], kernel_names[kernel], worst);
            if (side == NATIVE)
                want = got;
            else
                free(got);
            unlink(file);
        }
        free(want);
    }
}

static void measure(struct worker *workers, struct figures *figures) {
    static double times[SIDES][KERNELS][MAX_ROUNDS];
    for (int round = 0; round < options.rounds; round++)
        for (int kernel = 0; kernel < KERNELS; kernel++)
            for (int side = 0; side < SIDES; side++)
                if (figures->present[side][kernel])
                    times[side][kernel][round] = ask(&workers[side], "run %s\n", kernel_names[kernel]);
    for (int side = 0; side < SIDES; side++)
        for (int kernel = 0; kernel < KERNELS; kernel++)
            figures->seconds[side][kernel] = figures->present[side][kernel] ? median(times[side][kernel], options.rounds) : (double)NAN;
}

/* Sums up the translations that a Wavelift side logged. */
static void read_log(enum side side, struct translation *sum) {
    char file[4096], line[1024];
    snprintf(file, sizeof file, "%s/%s.log", options.output, side_names[side]);
    FILE *log = fopen(file, "r");
    while (log && fgets(line, sizeof line, log)) {
        const char *at = strstr(line, "): ");
        unsigned instructions;
        unsigned long long decode, lift, optimize, code;
        if (!strstr(line, "translated ") || !at ||
            sscanf(at, "): %u instructions, decode %llu us, lift %llu us, optimize %llu us, code %llu us", &instructions, &decode, &lift,
                   &optimize, &code) != 5)
            continue;
        sum->count++;
        sum->instructions += instructions;
        sum->decode += 1e-3 * (double)decode;
        sum->lift += 1e-3 * (double)lift;
        sum->optimize += 1e-3 * (double)optimize;
        sum->codegen += 1e-3 * (double)code;
    }
    if (log)
        fclose(log);
}

/* Warm starts: from fork to the line that the program prints when its first kernel is finished. */
static void measure_starts(struct figures *figures) {
    static double seconds[MAX_ROUNDS], mib[MAX_ROUNDS];
    char library[4096], cache[4096];
    snprintf(library, sizeof library, "LD_LIBRARY_PATH=%s", options.library);
    snprintf(cache, sizeof cache, "WAVELIFT_CACHE_DIR=%s/cache", options.output);
    const char *environment[] = {library, cache, "WAVELIFT_ARCH=gfx90a", NULL};
    char *command[] = {(char *)options.start, NULL}, *launches[] = {(char *)options.hip, (char *)"launches", NULL};
    figures->start_seconds = figures->start_mib = figures->launch = (double)NAN;
    for (int round = -1; round < options.rounds; round++) {
        double begin = now(), end = 0, peak = 0;
        struct worker worker = start(command, environment, NULL);
        char line[256];
        bool good = fgets(line, sizeof line, worker.from) && sscanf(line, "%lf %lf", &end, &peak) == 2;
        if (stop(&worker) != 0 || !good) {
            fprintf(stderr, "bench: %s failed\n", options.start);
            return;
        }
        if (round >= 0) { /* the first one filled the cache */
            seconds[round] = end - begin;
            mib[round] = peak / 1024;
        }
    }
    figures->start_seconds = median(seconds, options.rounds);
    figures->start_mib = median(mib, options.rounds);
    for (int round = 0; round < options.rounds; round++) {
        struct worker worker = start(launches, environment, NULL);
        char line[256];
        seconds[round] = fgets(line, sizeof line, worker.from) ? strtod(line, NULL) : (double)NAN;
        stop(&worker);
    }
    figures->launch = median(seconds, options.rounds);
}

static double better(const struct figures *figures, int kernel) {
    return fmin(figures->seconds[GFX90A][kernel], figures->seconds[GFX1030][kernel]);
}

/* JSON has no NaN. */
static void number(FILE *to, const char *name, double value, const char *end) {
    if (isnan(value))
        fprintf(to, "\"%s\": null%s", name, end);
    else
        fprintf(to, "\"%s\": %.6g%s", name, value, end);
}

static void write_json(const struct figures *figures) {
    char file[4096];
    snprintf(file, sizeof file, "%s/bench.json", options.output);
    FILE *to = fopen(file, "w");
    if (!to)
        fail("cannot write %s", file);
    fprintf(to, "{\n  \"cpus\": %ld, \"rounds\": %d,\n  \"kernels\": {\n", sysconf(_SC_NPROCESSORS_ONLN), options.rounds);
    for (int kernel = 0; kernel < KERNELS; kernel++) {
        fprintf(to, "    \"%s\": {", kernel_names[kernel]);
        for (int side = 0; side < SIDES; side++) {
            char name[64];
            snprintf(name, sizeof name, "%s_ms", side_names[side]);
            number(to, name, 1e3 * figures->seconds[side][kernel], ", ");
        }
        for (int side = GFX90A; side < SIDES; side++) {
            char name[64];
            snprintf(name, sizeof name, "%s_to_native", side_names[side]);
            number(to, name, figures->seconds[side][kernel] / figures->seconds[NATIVE][kernel], ", ");
            snprintf(name, sizeof name, "%s_to_pocl", side_names[side]);
            number(to, name, figures->seconds[side][kernel] / figures->seconds[POCL][kernel], ", ");
            fprintf(to, "\"%s_correct\": %s%s", side_names[side], figures->correct[side][kernel] ? "true" : "false",
                    side == SIDES - 1 ? "" : ", ");
        }
        fprintf(to, "}%s\n", kernel == KERNELS - 1 ? "" : ",");
    }
    const struct translation *t = &figures->translation;
    double total = t->decode + t->lift + t->optimize + t->codegen;
    fprintf(to, "  },\n  \"translation\": {\"units\": %u, \"instructions\": %u, ", t->count, t->instructions);
    number(to, "decode_ms", t->decode, ", ");
    number(to, "lift_ms", t->lift, ", ");
    number(to, "optimize_ms", t->optimize, ", ");
    number(to, "codegen_ms", t->codegen, ", ");
    number(to, "ms_per_instruction", t->instructions ? total / t->instructions : (double)NAN, "},\n  ");
    number(to, "warm_start_ms", 1e3 * figures->start_seconds, ", ");
    number(to, "warm_start_mib", figures->start_mib, ", ");
    number(to, "launch_us", 1e6 * figures->launch, "\n}\n");
    if (fclose(to) != 0)
        fail("cannot write %s", file);
}

/* Horizontal bars on a logarithmic scale from 1/20 to 20: time relative to native, for PoCL and both Wavelift sides. */
static void write_svg(const struct figures *figures) {
    static const char *const colors[SIDES] = {"", "#b0b0b0", "#c4453c", "#3c6ec4"};
    enum { LEFT = 120, WIDTH = 640, BAR = 14, GROUP = 3 * BAR + 14, TOP = 60 };
    const double low = 0.05, high = 300;
    char file[4096];
    snprintf(file, sizeof file, "%s/bench.svg", options.output);
    FILE *to = fopen(file, "w");
    if (!to)
        fail("cannot write %s", file);
    int height = TOP + KERNELS * GROUP + 40;
    fprintf(to, "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" font-family=\"sans-serif\" font-size=\"12\">\n",
            LEFT + WIDTH + 80, height);
    fprintf(to,
            "<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>\n<text x=\"%d\" y=\"20\" font-size=\"14\">Time relative to native C "
            "with OpenMP "
            "(shorter is better)</text>\n",
            LEFT);
    for (int side = POCL; side < SIDES; side++)
        fprintf(to, "<rect x=\"%d\" y=\"30\" width=\"12\" height=\"12\" fill=\"%s\"/><text x=\"%d\" y=\"40\">%s</text>\n",
                LEFT + (side - 1) * 160, colors[side], LEFT + (side - 1) * 160 + 18, side_names[side]);
    for (int power = -1; power <= 2; power++) {
        double tick = pow(10, power);
        double x = LEFT + WIDTH * log(tick / low) / log(high / low);
        fprintf(
            to,
            "<line x1=\"%.1f\" y1=\"%d\" x2=\"%.1f\" y2=\"%d\" stroke=\"%s\"/><text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">%g</text>\n",
            x, TOP, x, height - 30, tick == 1 ? "black" : "#dddddd", x, height - 14, tick);
    }
    for (int kernel = 0; kernel < KERNELS; kernel++) {
        int y = TOP + kernel * GROUP + 6;
        fprintf(to, "<text x=\"%d\" y=\"%d\" text-anchor=\"end\">%s</text>\n", LEFT - 8, y + BAR * 2, kernel_names[kernel]);
        for (int side = POCL; side < SIDES; side++) {
            double ratio = figures->seconds[side][kernel] / figures->seconds[NATIVE][kernel];
            if (isnan(ratio))
                continue;
            double width = WIDTH * log(fmin(fmax(ratio, low * 1.02), high) / low) / log(high / low);
            fprintf(to,
                    "<rect x=\"%d\" y=\"%d\" width=\"%.1f\" height=\"%d\" fill=\"%s\"/><text x=\"%.1f\" y=\"%d\" "
                    "font-size=\"10\">%.2f</text>\n",
                    LEFT, y + (side - 1) * BAR, width, BAR - 2, colors[side], LEFT + width + 4, y + (side - 1) * BAR + 10, ratio);
        }
    }
    fprintf(to, "</svg>\n");
    if (fclose(to) != 0)
        fail("cannot write %s", file);
}

static void print(const struct figures *figures) {
    /* The bars that the project holds itself to: time / native. */
    static const double bars[KERNELS] = {(double)NAN, 1.2, 8, 4, 1.2, 1.2, 1.2};
    printf("%-14s %10s %10s %10s %10s %9s %9s %9s\n", "kernel", "native ms", "PoCL ms", "gfx90a ms", "gfx1030 ms", "/ native", "/ PoCL",
           "bar");
    for (int kernel = 0; kernel < KERNELS; kernel++) {
        printf("%-14s", kernel_names[kernel]);
        for (int side = 0; side < SIDES; side++)
            printf(" %10.3f", 1e3 * figures->seconds[side][kernel]);
        double best = better(figures, kernel);
        printf(" %9.2f %9.2f", best / figures->seconds[NATIVE][kernel], best / figures->seconds[POCL][kernel]);
        if (isnan(bars[kernel]))
            printf(" %9s\n", "-");
        else
            printf(" %9.1f\n", bars[kernel]);
    }
    const struct translation *t = &figures->translation;
    printf("translation, cold: %u instructions in %u units, %.3f ms an instruction (bar 1)\n", t->instructions, t->count,
           t->instructions ? (t->decode + t->lift + t->optimize + t->codegen) / t->instructions : (double)NAN);
    printf("vector add, warm: first kernel finished after %.1f ms (bar 25), %.1f MiB resident (bar 40)\n", 1e3 * figures->start_seconds,
           figures->start_mib);
    printf("empty launch + synchronize: %.2f us (bar 10)\n", 1e6 * figures->launch);
}

static void parse(int argc, char **argv) {
    const struct {
        const char *name, **value;
    } table[] = {{"--library", &options.library}, {"--hip", &options.hip},       {"--start", &options.start},
                 {"--opencl", &options.opencl},   {"--source", &options.source}, {"--native", &options.native},
                 {"--output", &options.output}};
    for (int i = 1; i + 1 < argc; i += 2) {
        if (strcmp(argv[i], "--rounds") == 0)
            options.rounds = atoi(argv[i + 1]);
        for (size_t j = 0; j < sizeof table / sizeof *table; j++)
            if (strcmp(argv[i], table[j].name) == 0)
                *table[j].value = argv[i + 1];
    }
    for (size_t j = 0; j < sizeof table / sizeof *table; j++)
        if (!*table[j].value)
            fail("%s is missing", table[j].name);
    if (options.rounds < 1 || options.rounds > MAX_ROUNDS)
        fail("--rounds must be 1 to %d", MAX_ROUNDS);
}

int main(int argc, char **argv) {
    static struct figures figures;
    struct worker workers[SIDES];
    (void)worker_main;
    parse(argc, argv);
    mkdir(options.output, 0755);
    /* The first contact with the kernels is to be cold. */
    char clean[8300];
    snprintf(clean, sizeof clean, "rm -rf '%s/cache' '%s'/*.log", options.output, options.output);
    if (system(clean) != 0)
        fail("cannot clean %s", options.output);
    for (int side = 0; side < SIDES; side++)
        workers[side] = start_side((enum side)side);
    verify(workers, &figures);
    measure(workers, &figures);
    for (int side = 0; side < SIDES; side++)
        stop(&workers[side]);
    read_log(GFX90A, &figures.translation);
    read_log(GFX1030, &figures.translation);
    measure_starts(&figures);
    write_json(&figures);
    write_svg(&figures);
    print(&figures);
    bool good = true;
    for (int side = 0; side < SIDES; side++)
        for (int kernel = 0; kernel < KERNELS; kernel++)
            good = good && figures.correct[side][kernel];
    return good ? 0 : 1;
}
