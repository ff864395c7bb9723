/* Escape times: loops that end at different iterations for different lanes. */
#include "bench.h"

#include <math.h>

#ifdef BENCH_LARGE
#define WIDTH  8192
#define HEIGHT 8192
#else
#define WIDTH  1536
#define HEIGHT 1024
#endif
#define LIMIT 256

static int32_t *counts;
static struct buffer dcounts;

static void make(struct result *result) {
    counts = host_array(4 * WIDTH * HEIGHT);
    *result = (struct result){counts, (size_t)4 * WIDTH * HEIGHT, BITS, 0, 0};
}

/* Sixteen pixels at a time, until the last has escaped. */
static void native(void) {
#pragma omp parallel for schedule(dynamic, 4)
    for (int py = 0; py < HEIGHT; py++)
        for (int px = 0; px < WIDTH; px += 16) {
            float cx[16], x[16] = {0}, y[16] = {0}, cy = -1.3f + 2.6f / (float)HEIGHT * (float)py;
            int count[16] = {0}, active = 1;
            for (int i = 0; i < 16; i++)
                cx[i] = -2.2f + 3.2f / (float)WIDTH * (float)(px + i);
            for (int step = 0; step < LIMIT && active; step++) {
                active = 0;
                for (int i = 0; i < 16; i++) {
                    float xx = x[i] * x[i], yy = y[i] * y[i];
                    int inside = !(xx + yy > 4.0f);
                    float next_y = fmaf(x[i] + x[i], y[i], cy), next_x = (xx - yy) + cx[i];
                    x[i] = inside ? next_x : x[i];
                    y[i] = inside ? next_y : y[i];
                    count[i] += inside;
                    active |= inside;
                }
            }
            for (int i = 0; i < 16; i++)
                counts[py * WIDTH + px + i] = count[i];
        }
}

static void upload(void) { dcounts = new_buffer(4 * WIDTH * HEIGHT, NULL); }

static void device(void) {
    LAUNCH("mandelbrot", EXTENT(WIDTH / 32, HEIGHT / 8), EXTENT(32, 8), BUFFER(dcounts), INT(WIDTH), INT(HEIGHT), INT(LIMIT));
}

static void fetch(void) { read_buffer(counts, dcounts, 4 * WIDTH * HEIGHT); }

const struct benchmark bench_mandelbrot = {make, native, upload, device, fetch, 1e-9 * WIDTH *HEIGHT, "Gpixel"};
