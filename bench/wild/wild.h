/* One kernel, computed by two sides in one process: HIP code on this project's device, and what its users would run on the CPU without it.
 * A program of this folder calls wild_start, then wild_measure for each of its kernels, and prints nothing else on stdout.
 *
 * Each kernel becomes a line: name, nanoseconds of processor time of ours and of the other side, the same of elapsed time, the difference
 * of the results (-1 where the program compares none). Both sides are repeated for some milliseconds, in turn; times are medians of the rounds. */
#ifndef BENCH_WILD_H
#define BENCH_WILD_H

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Computes once and waits for the end. */
typedef void wild_function(void *context);

/* Arguments: [--rounds N] [NAME ...]; a name without `*` at its end has to be the whole of a kernel's. Exits with 2 if it cannot read them. */
void wild_start(int argc, char **argv);

/* Whether the kernel was asked for. */
bool wild_wanted(const char *name);

/* Measures one kernel and prints its line. */
void wild_measure(const char *name, wild_function *ours, wild_function *theirs, void *context, double difference);

/* Says on stderr why a kernel is left out. */
void wild_skip(const char *name, const char *reason);

/* Fills with numbers from low to high that look random and are the same in each run. */
void wild_fill(float *values, size_t count, float low, float high);

/* Root of the sum of squared differences, over that of what was wanted. */
double wild_difference(const float *got, const float *wanted, size_t count);

#ifdef __cplusplus
}
#endif

#endif
