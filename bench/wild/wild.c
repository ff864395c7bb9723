#include "wild.h"

#include <fnmatch.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define RUN_NS     10e6 /* a side is repeated for as long in each round */
#define MAX_ROUNDS 99

static struct {
    int rounds, names;
    char **name;
} options = {.rounds = 5};

struct times {
    double processor, elapsed; /* nanoseconds */
};

void wild_start(int argc, char **argv) {
    int first = 1;
    if (argc > 2 && strcmp(argv[1], "--rounds") == 0) {
        options.rounds = (int)strtol(argv[2], NULL, 10);
        first = 3;
    }
    if (options.rounds < 1 || options.rounds > MAX_ROUNDS) {
        fprintf(stderr, "usage: %s [--rounds N] [NAME ...]\n", argv[0]);
        exit(2);
    }
    options.name = argv + first;
    options.names = argc - first;
    setvbuf(stdout, NULL, _IOLBF, 0);
}

bool wild_wanted(const char *name) {
    bool wanted = options.names == 0;
    for (int i = 0; i < options.names; i++)
        wanted = wanted || fnmatch(options.name[i], name, 0) == 0;
    return wanted;
}

static double now(clockid_t clock) {
    struct timespec time;
    clock_gettime(clock, &time);
    return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

static struct times run(wild_function *side, void *context, long repetitions) {
    const double processor = now(CLOCK_PROCESS_CPUTIME_ID), elapsed = now(CLOCK_MONOTONIC);
    for (long i = 0; i < repetitions; i++)
        side(context);
    const double count = (double)repetitions;
    return (struct times){(now(CLOCK_PROCESS_CPUTIME_ID) - processor) / count, (now(CLOCK_MONOTONIC) - elapsed) / count};
}

/* How often a side is to be repeated; the first run is not counted. */
static long repetitions_of(wild_function *side, void *context) {
    run(side, context, 1);
    const double once = fmax(run(side, context, 1).processor, 1);
    const long guess = (long)fmax(1, RUN_NS / 10 / once);
    const double better = fmax(run(side, context, guess).processor, 1);
    return (long)fmax(1, RUN_NS / better);
}

static int compare(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double *values, int count) {
    qsort(values, (size_t)count, sizeof *values, compare);
    return count % 2 ? values[count / 2] : (values[count / 2 - 1] + values[count / 2]) / 2;
}

void wild_measure(const char *name, wild_function *ours, wild_function *theirs, void *context, double difference) {
    double processor[2][MAX_ROUNDS], elapsed[2][MAX_ROUNDS];
    wild_function *const side[2] = {ours, theirs};
    const long repetitions[2] = {repetitions_of(ours, context), repetitions_of(theirs, context)};
    for (int round = 0; round < options.rounds; round++)
        for (int i = 0; i < 2; i++) {
            const struct times times = run(side[i], context, repetitions[i]);
            processor[i][round] = times.processor;
            elapsed[i][round] = times.elapsed;
        }
    printf("%s\t%.0f\t%.0f\t%.0f\t%.0f\t%.3g\n", name, median(processor[0], options.rounds), median(processor[1], options.rounds),
           median(elapsed[0], options.rounds), median(elapsed[1], options.rounds), difference);
}

void wild_skip(const char *name, const char *reason) { fprintf(stderr, "left out: %s: %s\n", name, reason); }

void wild_fill(float *values, size_t count, float low, float high) {
    uint32_t state = 0x2545f491;
    for (size_t i = 0; i < count; i++) {
        state = state * 1664525 + 1013904223;
        values[i] = low + (high - low) * (float)(state >> 8) / 16777216.0F;
    }
}

double wild_difference(const float *got, const float *wanted, size_t count) {
    double square = 0, whole = 0;
    for (size_t i = 0; i < count; i++) {
        const double apart = (double)got[i] - (double)wanted[i];
        if (got[i] == wanted[i] || (isnan(got[i]) && isnan(wanted[i])))
            continue;
        square += apart * apart;
    }
    for (size_t i = 0; i < count; i++)
        whole += isfinite(wanted[i]) ? (double)wanted[i] * (double)wanted[i] : 0;
    return sqrt(square / fmax(whole, 1e-30));
}
