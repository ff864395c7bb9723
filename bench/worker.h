/* What the three sides of a comparison share: the problems, their input, and the conversation with the driver.
 *
 * A worker is a process that reads lines from its standard input and answers each with one line:
 *     run KERNEL           runs it long enough to be measured; answers the seconds of one run
 *     save KERNEL FILE     writes the result of the last run; answers the number of 4-byte elements
 * Inputs are made once, before the first run, and the first run is never measured. */
#ifndef BENCH_WORKER_H
#define BENCH_WORKER_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum kernel { TRIAD_L2, TRIAD, SGEMM16, SGEMM64, NBODY, MANDELBROT, BLACK_SCHOLES, KERNELS };
static const char *const kernel_names[KERNELS] = {"triad_l2", "triad", "sgemm16", "sgemm64", "nbody", "mandelbrot", "black_scholes"};

#define TRIAD_SMALL   (64 << 10) /* elements: three arrays of 256 KiB */
#define TRIAD_ROUNDS  200        /* passes over the small arrays in one launch */
#define TRIAD_LARGE   (32 << 20) /* elements: three arrays of 128 MiB */
#define SGEMM_N       512
#define NBODY_N       8192
#define MANDEL_WIDTH  1536
#define MANDEL_HEIGHT 1024
#define MANDEL_LIMIT  256
#define OPTIONS       (1 << 20)
#define SOFTENING     1e-3f
#define TRIAD_SCALE   0.4f
#define RISK_FREE     0.02f
#define VOLATILITY    0.3f

/* Inputs: up to three arrays of floats. */
struct problem {
    float *input[3];
    size_t inputs[3]; /* elements */
    size_t outputs;   /* 4-byte elements of the result */
};

static inline void make_problem(enum kernel kernel, struct problem *problem) {
    size_t n[3] = {0, 0, 0};
    size_t out = 0;
    switch (kernel) {
    case TRIAD_L2:
        n[0] = n[1] = out = TRIAD_SMALL;
        break;
    case TRIAD:
        n[0] = n[1] = out = TRIAD_LARGE;
        break;
    case SGEMM16:
    case SGEMM64:
        n[0] = n[1] = out = (size_t)SGEMM_N * SGEMM_N;
        break;
    case NBODY:
        n[0] = out = (size_t)NBODY_N * 4;
        break;
    case MANDELBROT:
        out = (size_t)MANDEL_WIDTH * MANDEL_HEIGHT;
        break;
    case BLACK_SCHOLES:
        n[0] = n[1] = n[2] = OPTIONS;
        out = (size_t)OPTIONS * 2;
        break;
    default:
        break;
    }
    uint32_t state = 12345;
    for (int i = 0; i < 3; i++) {
        problem->inputs[i] = n[i];
        problem->input[i] = n[i] ? (float *)malloc(n[i] * 4) : NULL;
        for (size_t j = 0; j < n[i]; j++) {
            state = state * 1664525u + 1013904223u;
            float uniform = (float)(state >> 8) * (1.0f / 16777216.0f);
            if (kernel == BLACK_SCHOLES)
                uniform = i == 0 ? 5.0f + 25.0f * uniform : i == 1 ? 1.0f + 99.0f * uniform : 0.25f + 9.75f * uniform;
            problem->input[i][j] = uniform;
        }
    }
    problem->outputs = out;
}

static inline double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* A side provides these three. run() returns when the result is complete. */
static void prepare(enum kernel kernel, const struct problem *problem);
static void run(enum kernel kernel);
static void fetch(enum kernel kernel, float *result, size_t count);

static inline int worker_main(void) {
    static struct problem problems[KERNELS];
    static double once[KERNELS]; /* a rough time of one run; 0: not prepared */
    char line[1024], verb[16], name[64], file[900];
    while (fgets(line, sizeof line, stdin)) {
        file[0] = 0;
        if (sscanf(line, "%15s %63s %899s", verb, name, file) < 2)
            return 1;
        int kernel = 0;
        while (kernel < KERNELS && strcmp(name, kernel_names[kernel]) != 0)
            kernel++;
        if (kernel == KERNELS)
            return 1;
        if (once[kernel] == 0) {
            make_problem((enum kernel)kernel, &problems[kernel]);
            prepare((enum kernel)kernel, &problems[kernel]);
            run((enum kernel)kernel);
            double start = now();
            run((enum kernel)kernel);
            once[kernel] = now() - start + 1e-9;
        }
        if (strcmp(verb, "save") == 0) {
            size_t count = problems[kernel].outputs;
            float *result = (float *)malloc(count * 4);
            fetch((enum kernel)kernel, result, count);
            FILE *to = fopen(file, "wb");
            if (!to || fwrite(result, 4, count, to) != count || fclose(to) != 0)
                return 1;
            free(result);
            printf("%zu\n", count);
        } else {
            int times = once[kernel] > 0.05 ? 1 : (int)(0.05 / once[kernel]) + 1;
            double start = now();
            for (int i = 0; i < times; i++)
                run((enum kernel)kernel);
            printf("%.9g\n", (now() - start) / times);
        }
        fflush(stdout);
    }
    return 0;
}

#endif
