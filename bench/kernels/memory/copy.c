/* STREAM's copy: a = b, in main memory. */
#include "bench.h"

#define COUNT (16 << 20) /* arrays of 128 MiB */

static double *a, *b;
static struct buffer da, db;

static void make(struct result *result) {
    a = host_array(COUNT * sizeof *a);
    b = host_array(COUNT * sizeof *b);
    random_doubles(1, b, COUNT, 0, 1);
    *result = (struct result){a, COUNT * sizeof *a, BITS, 0, 0};
}

static void stream(double *restrict to, const double *restrict x) {
#pragma omp parallel for schedule(static)
    for (int i = 0; i < COUNT; i++)
        to[i] = x[i];
}

static void native(void) { stream(a, b); }

static void upload(void) {
    da = new_buffer(COUNT * sizeof *a, NULL);
    db = new_buffer(COUNT * sizeof *b, b);
}

static void device(void) { LAUNCH("copy", EXTENT(COUNT / 256), EXTENT(256), BUFFER(da), BUFFER(db)); }

static void fetch(void) { read_buffer(a, da, COUNT * sizeof *a); }

const struct benchmark bench_copy = {
    make, native, upload, device, fetch, 16e-9 * COUNT, "GB", 0, "clang makes the native loop a `memcpy`, which writes past the caches"};
