/* An image of four bytes a pixel, resized by bilinear filtering. */
#include "image_resize.h"
#include "bench.h"

#include <math.h>

enum { IN_BYTES = IN_WIDTH * IN_HEIGHT * 4, OUT_BYTES = OUT_WIDTH * OUT_HEIGHT * 4 };

static uint8_t *in, *out;
static struct image image;
static struct buffer dout;

static void make(struct result *result) {
    struct random random = {1};
    in = host_array(IN_BYTES);
    out = host_array(OUT_BYTES);
    for (int i = 0; i < IN_BYTES; i++)
        in[i] = (uint8_t)random_bits(&random);
    *result = (struct result){out, OUT_BYTES, BYTES, 0, 2}; /* PoCL's weights are not rounded to 8 bits */
}

static int clamp(int i, int n) { return i < 0 ? 0 : i < n ? i : n - 1; }

/* The texel and the weight of the next one, in 256ths as AMD's hardware has them. */
static int split(float at, float *weight) {
    const int fixed = (int)rintf(at * 256) - 128;
    *weight = (float)(fixed & 255) * (1.0f / 256);
    return fixed >> 8;
}

static void resize(const uint8_t *restrict from, uint8_t *restrict to) {
#pragma omp parallel for schedule(static)
    for (int y = 0; y < OUT_HEIGHT; y++) {
        float wy;
        const int j = split(((float)y + 0.5f) / OUT_HEIGHT * IN_HEIGHT, &wy);
        const uint8_t *row0 = from + clamp(j, IN_HEIGHT) * IN_WIDTH * 4, *row1 = from + clamp(j + 1, IN_HEIGHT) * IN_WIDTH * 4;
        for (int x = 0; x < OUT_WIDTH; x++) {
            float wx;
            const int i = split(((float)x + 0.5f) / OUT_WIDTH * IN_WIDTH, &wx), i0 = clamp(i, IN_WIDTH) * 4,
                      i1 = clamp(i + 1, IN_WIDTH) * 4;
            for (int c = 0; c < 4; c++) {
                const float a = row0[i0 + c], b = row0[i1 + c], d = row1[i0 + c], e = row1[i1 + c];
                const float top = a + (b - a) * wx, bottom = d + (e - d) * wx;
                to[(y * OUT_WIDTH + x) * 4 + c] = (uint8_t)(top + (bottom - top) * wy + 0.5f);
            }
        }
    }
}

static void native(void) { resize(in, out); }

static void upload(void) {
    image = new_image(TEXEL_BYTES4, EXTENT(IN_WIDTH, IN_HEIGHT), true, in);
    dout = new_buffer(OUT_BYTES, NULL);
}

static void device(void) { LAUNCH("image_resize", EXTENT(OUT_WIDTH / 16, OUT_HEIGHT / 16), EXTENT(16, 16), IMAGE(image), BUFFER(dout)); }

static void fetch(void) { read_buffer(out, dout, OUT_BYTES); }

const struct benchmark bench_image_resize = {
    make, native, upload, device, fetch, 1e-9 * OUT_WIDTH *OUT_HEIGHT, "Gpixel", 0, "bilinear texture filtering with weights of 8 bits"};
