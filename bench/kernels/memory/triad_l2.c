/* Triad on arrays that stay in the second-level caches, many passes in a launch. */
#include "bench.h"

#include <math.h>

#define COUNT  (64 << 10) /* three arrays of 256 KiB */
#define PASSES 200
#define SCALE  0.4f

static float *a, *b, *c;
static struct buffer da, db, dc;

static void make(struct result *result) {
    a = host_array(COUNT * sizeof *a);
    b = host_array(COUNT * sizeof *b);
    c = host_array(COUNT * sizeof *c);
    random_floats(1, b, COUNT, 0, 1);
    random_floats(2, c, COUNT, 0, 1);
    *result = (struct result){a, COUNT * sizeof *a, BITS, 0, 0};
}

static void passes(float *restrict to, const float *restrict x, const float *restrict y) {
#pragma omp parallel
    for (int pass = 0; pass < PASSES; pass++)
#pragma omp for schedule(static) nowait
        for (int i = 0; i < COUNT; i++)
            to[i] = fmaf(SCALE, y[i], x[i]);
}

static void native(void) { passes(a, b, c); }

static void upload(void) {
    da = new_buffer(COUNT * sizeof *a, NULL);
    db = new_buffer(COUNT * sizeof *b, b);
    dc = new_buffer(COUNT * sizeof *c, c);
}

static void device(void) {
    LAUNCH("triad_passes", EXTENT(32), EXTENT(256), BUFFER(da), BUFFER(db), BUFFER(dc), FLOAT(SCALE), INT(COUNT), INT(PASSES));
}

static void fetch(void) { read_buffer(a, da, COUNT * sizeof *a); }

const struct benchmark bench_triad_l2 = {make, native, upload, device, fetch, 12e-9 * COUNT *PASSES, "GB"};
