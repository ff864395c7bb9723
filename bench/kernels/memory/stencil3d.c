/* Steps of the heat equation in a cube: seven points, the border stays. */
#include "stencil3d.h"
#include "bench.h"

#include <math.h>

#define BYTES (sizeof(float) * N * N * N)

static float *start, *a, *b;
static struct buffer dstart, da, db;

static void make(struct result *result) {
    start = host_array(BYTES);
    a = host_array(BYTES);
    b = host_array(BYTES);
    random_floats(1, start, (size_t)N * N * N, 0, 1);
    for (size_t i = 0; i < (size_t)N * N * N; i++)
        a[i] = b[i] = start[i];
    *result = (struct result){a, BYTES, BITS, 0, 0};
}

static void step(const float *restrict from, float *restrict to) {
#pragma omp parallel for collapse(2) schedule(static)
    for (int z = 1; z < N - 1; z++)
        for (int y = 1; y < N - 1; y++)
            for (int x = 1; x < N - 1; x++) {
                const float *at = from + z * PLANE + y * N + x;
                float around = ((at[-1] + at[1]) + (at[-N] + at[N])) + (at[-PLANE] + at[PLANE]);
                to[z * PLANE + y * N + x] = fmaf(0.1f, around, 0.4f * at[0]);
            }
}

static void native(void) {
    step(start, b);
    for (int i = 1; i < STEPS; i++)
        i % 2 ? step(b, a) : step(a, b);
}

static void upload(void) {
    dstart = new_buffer(BYTES, start);
    da = new_buffer(BYTES, start);
    db = new_buffer(BYTES, start);
}

static void device(void) {
    struct extent groups = EXTENT(N / 32, N / 8, N), items = EXTENT(32, 8);
    LAUNCH("step3d", groups, items, BUFFER(dstart), BUFFER(db));
    for (int i = 1; i < STEPS; i++) {
        struct buffer *from = i % 2 ? &db : &da, *to = i % 2 ? &da : &db;
        LAUNCH("step3d", groups, items, BUFFER(*from), BUFFER(*to));
    }
}

static void fetch(void) { read_buffer(a, da, BYTES); }

const struct benchmark bench_stencil3d = {make, native, upload, device, fetch, 2e-9 * BYTES *STEPS, "GB"};
