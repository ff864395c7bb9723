/* STREAM's triad: a = b + s c, in main memory. */
#include "bench.h"

#include <math.h>

#ifdef BENCH_LARGE
#define COUNT (128 << 20) /* arrays of 1 GiB */
#else
#define COUNT (16 << 20) /* arrays of 128 MiB */
#endif
#define SCALE 0.4

static double *a, *b, *c;
static struct buffer da, db, dc;

static void make(struct result *result) {
    a = host_array(COUNT * sizeof *a);
    b = host_array(COUNT * sizeof *b);
    random_doubles(1, b, COUNT, 0, 1);
    c = host_array(COUNT * sizeof *c);
    random_doubles(2, c, COUNT, 0, 1);
    *result = (struct result){a, COUNT * sizeof *a, BITS, 0, 0};
}

static void stream(double *restrict to, const double *restrict x, const double *restrict y) {
#pragma omp parallel for schedule(static)
    for (int i = 0; i < COUNT; i++)
        to[i] = fma(SCALE, y[i], x[i]);
}

static void native(void) { stream(a, b, c); }

static void upload(void) {
    da = new_buffer(COUNT * sizeof *a, NULL);
    db = new_buffer(COUNT * sizeof *b, b);
    dc = new_buffer(COUNT * sizeof *c, c);
}

static void device(void) { LAUNCH("triad", EXTENT(COUNT / 256), EXTENT(256), BUFFER(da), BUFFER(db), BUFFER(dc), DOUBLE(SCALE)); }

static void fetch(void) { read_buffer(a, da, COUNT * sizeof *a); }

const struct benchmark bench_triad = {make, native, upload, device, fetch, 24e-9 * COUNT, "GB"};
