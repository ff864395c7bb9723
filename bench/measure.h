/* What the programs that time API functions share: errors end them, a case is a line with its bar. */
#ifndef BENCH_MEASURE_H
#define BENCH_MEASURE_H

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static inline void must(int error, const char *what) {
    if (!error)
        return;
    fprintf(stderr, "%s: error %d\n", what, error);
    exit(2);
}
#define MUST(call) must((int)(call), #call)

static inline double now_ns(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

/* Prints a case. bar: the largest good value; negative: the smallest one; 0: none. Returns whether it is missed. */
static inline int report(const char *name, double value, const char *unit, double bar) {
    int bad = bar > 0 ? value > bar : bar < 0 && value < -bar;
    printf("%-40s %10.4g %-8s", name, value, unit);
    if (bar != 0)
        printf(" bar %s %g%s", bar > 0 ? "<=" : ">=", bar > 0 ? bar : -bar, bad ? "  MISSED" : "");
    printf("\n");
    return bad;
}

#endif
