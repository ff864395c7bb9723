/* Transposes a matrix of f32, on the device by padded tiles in LDS. */
#include "bench.h"

#define N     4096
#define BYTES (sizeof(float) * N * N)

static float *a, *b;
static struct buffer da, db;

static void make(struct result *result) {
    a = host_array(BYTES);
    b = host_array(BYTES);
    random_floats(1, a, (size_t)N * N, 0, 1);
    *result = (struct result){b, BYTES, BITS, 0, 0};
}

static void transpose(const float *restrict from, float *restrict to) {
#pragma omp parallel for collapse(2) schedule(static)
    for (int y0 = 0; y0 < N; y0 += 32)
        for (int x0 = 0; x0 < N; x0 += 32) {
            float tile[32][32];
            for (int y = 0; y < 32; y++)
                for (int x = 0; x < 32; x++)
                    tile[y][x] = from[(size_t)(y0 + y) * N + x0 + x];
            for (int x = 0; x < 32; x++)
                for (int y = 0; y < 32; y++)
                    to[(size_t)(x0 + x) * N + y0 + y] = tile[y][x];
        }
}

static void native(void) { transpose(a, b); }

static void upload(void) {
    da = new_buffer(BYTES, a);
    db = new_buffer(BYTES, NULL);
}

static void device(void) { LAUNCH("transpose", EXTENT(N / 32, N / 32), EXTENT(32, 8), BUFFER(da), BUFFER(db), INT(N)); }

static void fetch(void) { read_buffer(b, db, BYTES); }

const struct benchmark bench_transpose = {make, native, upload, device, fetch, 2e-9 * BYTES, "GB"};
