/* A volume of floats, looked up between its voxels along rays: trilinear filtering. */
#include "image_volume.h"
#include "bench.h"

#include <math.h>

enum { VOXELS = SIZE * SIZE * SIZE };

static float *volume, *at, *out;
static struct image image;
static struct buffer dat, dout;

/* 1024 rays of 1024 steps each, in neighbouring lanes; some leave the volume. */
static void make(struct result *result) {
    struct random random = {2};
    volume = host_array(sizeof(float) * VOXELS);
    at = host_array(sizeof(float) * COUNT * 3);
    out = host_array(sizeof(float) * COUNT);
    random_floats(1, volume, VOXELS, 0, 1);
    for (int ray = 0; ray < 1024; ray++) {
        float from[3], step[3];
        for (int i = 0; i < 3; i++) {
            from[i] = random_float(&random, 0, SIZE);
            step[i] = random_float(&random, -0.1f, 0.1f);
        }
        for (int k = 0; k < 1024; k++)
            for (int i = 0; i < 3; i++)
                at[i * COUNT + ray * 1024 + k] = from[i] + (float)k * step[i];
    }
    *result = (struct result){out, sizeof(float) * COUNT, FLOATS, 0, 0.01}; /* PoCL's weights are not rounded to 8 bits */
}

static int clamp(int i) { return i < 0 ? 0 : i < SIZE ? i : SIZE - 1; }

static void lookup(const float *restrict from, const float *restrict place, float *restrict to) {
#pragma omp parallel for schedule(static)
    for (int k = 0; k < COUNT; k++) {
        int first[3], second[3];
        float weight[3], plane[2];
        for (int i = 0; i < 3; i++) { /* weights in 256ths, as AMD's hardware has them */
            const int fixed = (int)rintf(place[i * COUNT + k] * 256) - 128;
            weight[i] = (float)(fixed & 255) * (1.0f / 256);
            first[i] = clamp(fixed >> 8);
            second[i] = clamp((fixed >> 8) + 1);
        }
        for (int z = 0; z < 2; z++) {
            const float *slice = from + (z ? second[2] : first[2]) * SIZE * SIZE;
            const float *row0 = slice + first[1] * SIZE, *row1 = slice + second[1] * SIZE;
            const float top = row0[first[0]] + (row0[second[0]] - row0[first[0]]) * weight[0];
            const float bottom = row1[first[0]] + (row1[second[0]] - row1[first[0]]) * weight[0];
            plane[z] = top + (bottom - top) * weight[1];
        }
        to[k] = plane[0] + (plane[1] - plane[0]) * weight[2];
    }
}

static void native(void) { lookup(volume, at, out); }

static void upload(void) {
    image = new_image(TEXEL_FLOAT, EXTENT(SIZE, SIZE, SIZE), false, volume);
    dat = new_buffer(sizeof(float) * COUNT * 3, at);
    dout = new_buffer(sizeof(float) * COUNT, NULL);
}

static void device(void) { LAUNCH("image_volume", EXTENT(COUNT / 256), EXTENT(256), IMAGE(image), BUFFER(dat), BUFFER(dout)); }

static void fetch(void) { read_buffer(out, dout, sizeof(float) * COUNT); }

const struct benchmark bench_image_volume = {
    make, native, upload, device, fetch, 1e-9 * COUNT, "Glookup", 0, "trilinear texture filtering with weights of 8 bits"};
