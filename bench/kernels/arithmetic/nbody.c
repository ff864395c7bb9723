/* Accelerations of bodies, each from all, in tiles of the workgroup's size on the device. */
#include "nbody.h"
#include "bench.h"

#include <math.h>

static float *bodies, *result;
static struct buffer dbodies, dresult;

static void make(struct result *to) {
    bodies = host_array(COUNT * 16);
    result = host_array(COUNT * 16);
    random_floats(1, bodies, (size_t)COUNT * 4, 0, 1);
    /* The device has an approximate 1 / sqrt; sums of COUNT terms of either sign. */
    *to = (struct result){result, COUNT * 16, FLOATS, 0, 4e-6 * COUNT};
}

/* 16 bodies at a time, exact square root and division. */
static void native(void) {
#pragma omp parallel for schedule(static)
    for (int i0 = 0; i0 < COUNT; i0 += 16) {
        float px[16], py[16], pz[16], sx[16] = {0}, sy[16] = {0}, sz[16] = {0};
        for (int i = 0; i < 16; i++) {
            px[i] = bodies[(i0 + i) * 4];
            py[i] = bodies[(i0 + i) * 4 + 1];
            pz[i] = bodies[(i0 + i) * 4 + 2];
        }
        for (int j = 0; j < COUNT; j++)
            for (int i = 0; i < 16; i++) {
                float x = bodies[j * 4] - px[i], y = bodies[j * 4 + 1] - py[i], z = bodies[j * 4 + 2] - pz[i];
                float inverse = 1.0f / sqrtf(fmaf(x, x, fmaf(y, y, fmaf(z, z, SOFTENING))));
                float scale = bodies[j * 4 + 3] * (inverse * inverse * inverse);
                sx[i] = fmaf(x, scale, sx[i]);
                sy[i] = fmaf(y, scale, sy[i]);
                sz[i] = fmaf(z, scale, sz[i]);
            }
        for (int i = 0; i < 16; i++) {
            result[(i0 + i) * 4] = sx[i];
            result[(i0 + i) * 4 + 1] = sy[i];
            result[(i0 + i) * 4 + 2] = sz[i];
            result[(i0 + i) * 4 + 3] = 0;
        }
    }
}

static void upload(void) {
    dbodies = new_buffer(COUNT * 16, bodies);
    dresult = new_buffer(COUNT * 16, NULL);
}

static void device(void) { LAUNCH("nbody", EXTENT(COUNT / 256), EXTENT(256), BUFFER(dbodies), BUFFER(dresult), INT(COUNT)); }

static void fetch(void) { read_buffer(result, dresult, COUNT * 16); }

const struct benchmark bench_nbody = {
    make,    native, upload,
    device,  fetch,  20e-9 * COUNT *COUNT,
    "GFLOP", 0,      "exact square roots and divisions on the native side, `v_rsq_f32` on the device; within 4e-6 a term"};
