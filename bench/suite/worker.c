/* A worker: worker NAME [FILE]. It reads lines from its standard input and answers each with one line:
 *     save         writes the result of the first run to file descriptor 3; answers
 *                  "BYTES ELEMENT RELATIVE ABSOLUTE WORK UNIT SINGLE_BAR NOTE"
 *     run SECONDS  runs the benchmark for about that long; answers the seconds of one run
 *     cpu SECONDS  the same; answers the seconds of processors, over all threads, that one run takes
 * Making inputs and the first runs are never measured: code may still be on its way to its final form. */
#include "bench.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#define GROUP(...)
#define BENCHMARK(group, name, ...) extern const struct benchmark bench_##name;
#include "table.inc"
#undef BENCHMARK

static const struct row {
    const char *name;
    const struct benchmark *benchmark;
} table[] = {
#define BENCHMARK(group, name, ...) {#name, &bench_##name},
#include "table.inc"
#undef BENCHMARK
#undef GROUP
};

static const char *own_name = "worker";

void bench_fail(const char *format, ...) {
    va_list list;
    va_start(list, format);
    fprintf(stderr, "bench %s: ", own_name);
    vfprintf(stderr, format, list);
    fputc('\n', stderr);
    va_end(list);
    exit(1);
}

void *host_array(size_t bytes) {
    const size_t huge = (size_t)2 << 20;
    size_t rounded = (bytes + huge - 1) / huge * huge;
    void *memory = aligned_alloc(huge, rounded ? rounded : huge);
    if (!memory)
        bench_fail("no memory for %zu bytes", bytes);
    if (bytes >= huge)
        madvise(memory, rounded, MADV_HUGEPAGE);
    memset(memory, 0, bytes);
    return memory;
}

uint32_t random_bits(struct random *random) { /* splitmix64, the upper half */
    uint64_t z = random->state += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return (uint32_t)((z ^ (z >> 31)) >> 32);
}

uint32_t random_below(struct random *random, uint32_t limit) { return (uint32_t)(((uint64_t)random_bits(random) * limit) >> 32); }

float random_float(struct random *random, float low, float high) {
    return low + (high - low) * ((float)(random_bits(random) >> 8) * 0x1p-24f);
}

double random_double(struct random *random, double low, double high) {
    uint64_t bits = (uint64_t)random_bits(random) << 21 | random_bits(random) >> 11;
    return low + (high - low) * ((double)bits * 0x1p-53);
}

void random_floats(uint64_t seed, float *to, size_t count, float low, float high) {
    struct random random = {seed};
    for (size_t i = 0; i < count; i++)
        to[i] = random_float(&random, low, high);
}

void random_doubles(uint64_t seed, double *to, size_t count, double low, double high) {
    struct random random = {seed};
    for (size_t i = 0; i < count; i++)
        to[i] = random_double(&random, low, high);
}

static double seconds_of(clockid_t clock) {
    struct timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static double now(void) { return seconds_of(CLOCK_MONOTONIC); }

static void run(const struct benchmark *benchmark) {
    if (!side_is_device) {
        benchmark->native();
        return;
    }
    benchmark->device();
    side_finish();
}

static void save(const struct benchmark *benchmark, const struct result *result) {
    run(benchmark);
    if (side_is_device)
        benchmark->fetch();
    if (ftruncate(3, (off_t)result->bytes) != 0)
        bench_fail("no room for the result: %s", strerror(errno));
    void *to = mmap(NULL, result->bytes, PROT_READ | PROT_WRITE, MAP_SHARED, 3, 0);
    if (to == MAP_FAILED)
        bench_fail("no room for the result: %s", strerror(errno));
    memcpy(to, result->data, result->bytes);
    munmap(to, result->bytes);
    printf("%zu %d %.9g %.9g %.9g %s %.9g %s\n", result->bytes, (int)result->element, result->relative, result->absolute, benchmark->work,
           benchmark->unit, benchmark->single_bar, benchmark->note ? benchmark->note : "");
}

/* Warm: three runs and a tenth of a second, so that code that is replaced by better one in the background has been. */
static double warm_up(const struct benchmark *benchmark) {
    double begin = now(), last = 0;
    for (int i = 0; i < 3 || (now() - begin < 0.1 && i < 1000); i++) {
        double start = now();
        run(benchmark);
        last = now() - start;
        if (last > 0.5)
            break;
    }
    return last + 1e-9;
}

int main(int argc, char **argv) {
    const struct benchmark *benchmark = NULL;
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (argc > 1 && strcmp(argv[1], table[i].name) == 0)
            benchmark = table[i].benchmark;
    if (!benchmark)
        bench_fail("usage: worker NAME [FILE], the name one of table.inc");
    own_name = argv[1];
    struct result result = {0};
    double once = 0; /* seconds of a run; 0: not warm */
    char line[128];
    side_start(argc > 2 ? argv[2] : NULL);
    benchmark->make(&result);
    if (side_is_device)
        benchmark->upload();
    while (fgets(line, sizeof line, stdin)) {
        double seconds = 0;
        if (strcmp(line, "save\n") == 0) {
            save(benchmark, &result);
        } else if (sscanf(line, "run %lf", &seconds) == 1 || sscanf(line, "cpu %lf", &seconds) == 1) {
            const clockid_t clock = line[0] == 'c' ? CLOCK_PROCESS_CPUTIME_ID : CLOCK_MONOTONIC;
            if (once == 0)
                once = warm_up(benchmark);
            int times = once >= seconds ? 1 : (int)(seconds / once) + 1;
            double start = seconds_of(clock);
            for (int i = 0; i < times; i++)
                run(benchmark);
            printf("%.9g\n", (seconds_of(clock) - start) / times);
        } else {
            bench_fail("not a command: %s", line);
        }
        fflush(stdout);
    }
    return 0;
}
