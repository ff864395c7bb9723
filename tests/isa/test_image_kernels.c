/* Image instructions for the lanes of a wave together: each copy of the vector code gives the bits that one lane at a time gives, with
 * every format, dimension, filter and address mode, any coordinates and any texels. test_image.c compares these with a model. */
#include "base/cpu.h"
#include "device/cpu/helpers/image_wave.h"
#include "device/cpu/helpers/lanes.h"
#include "lane/image.h"
#include "machine/helpers.h"
#include "machine/image_instruction.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS = 32, DATA = 16, MEMORY = 1 << 19, STORED = 1 << 17 };

static uint32_t seed = 1;
static uint32_t next(void) {
    seed = seed * 1664525u + 1013904223u;
    return seed >> 8;
}
static uint32_t below(uint32_t n) { return next() % n; }

static struct wl_wave *wave;
static uint8_t *memory;
static unsigned checks, failures;

static float any_float(uint32_t size) {
    static const float special[] = {0,       -0.0F,      1,          -1,       0.5F,      1e30F, -1e30F,
                                    0x1p20F, 1048575.5F, -77777.25F, INFINITY, -INFINITY, NAN,   1e-40F};
    switch (below(8)) {
    case 0:
        return special[below(sizeof special / sizeof *special)];
    case 1:
        return (float)(int)(below(4096) - 2048) / 256;
    case 2:
        return (float)((int)below(size * 512) - (int)(size * 128)) / 256;
    default:
        return (float)below(1 << 20) * 0x1p-20F * (float)(below(2) ? 1 : size);
    }
}

static void put_float(unsigned row, unsigned lane, float value) { memcpy(&wave->vgpr[row * wave->wave_size + lane], &value, sizeof value); }

struct trial {
    struct wl_image image;
    struct wl_sampler sampler;
    uint32_t resource[WL_IMAGE_SAMPLER_DWORD], words[4], operation, modifiers;
};

static void choose_image(struct trial *t, unsigned generation) {
    static const uint8_t channels[] = {1, 2, 4}, bits[] = {8, 16, 32},
                         types[] = {WL_IMAGE_1D,   WL_IMAGE_2D,       WL_IMAGE_2D,      WL_IMAGE_3D,
                                    WL_IMAGE_CUBE, WL_IMAGE_1D_ARRAY, WL_IMAGE_2D_ARRAY};
    static const uint16_t selects[] = {0xfac, 0xfac, 0x204, 0x22c, 0x3ac, 0x977, 0};
    struct wl_channel_format format = {channels[below(3)], bits[below(3)], (uint8_t)below(8), 0};
    if (!wl_channel_code(generation, &format))
        format.number = format.bits == 32 ? WL_NUMBER_FLOAT : WL_NUMBER_UNORM;
    t->image = (struct wl_image){.base = (uint64_t)(uintptr_t)memory,
                                 .width = 1 + below(20),
                                 .height = 1 + below(12),
                                 .depth = 1,
                                 .format = format,
                                 .type = types[below(7)],
                                 .selects = selects[below(7)]};
    if (t->image.type == WL_IMAGE_1D || t->image.type == WL_IMAGE_1D_ARRAY)
        t->image.height = 1;
    if (t->image.type != WL_IMAGE_1D && t->image.type != WL_IMAGE_2D) {
        t->image.depth = 1 + below(6);
        t->image.first_slice = t->image.type == WL_IMAGE_3D ? 0 : below(2);
    }
    if (below(3) == 0) {
        t->image.first_level = below(2);
        t->image.last_level = t->image.first_level + below(4);
    }
    wl_image_encode(generation, &t->image, t->resource);
}

static void choose_sampler(struct trial *t, unsigned generation) {
    const bool linear = below(3) != 0;
    t->sampler = (struct wl_sampler){.unnormalized = below(2),
                                     .linear = linear,
                                     .linear_min = linear,
                                     .linear_z = linear,
                                     .mip = (uint8_t)below(3),
                                     .bias = (float)(int)(below(64) - 32) / 16,
                                     .min_lod = below(4) ? 0 : 0.75F,
                                     .max_lod = below(4) ? 10 : 1.5F};
    for (unsigned i = 0; i < 3; i++)
        t->sampler.wrap[i] = (uint8_t)below(8);
    const uint32_t color = below(64); /* there is room for a few */
    for (unsigned i = 0; i < 4; i++)
        t->sampler.border[i] = (float)((color + i) % 7) * (color & 1 << i ? 0.3F : -1.7F);
    if (wl_sampler_encode(generation, &t->sampler, t->words) != WL_OK)
        abort();
}

static void choose_trial(struct trial *t, unsigned generation) {
    static const uint32_t samples[] = {WL_IMAGE_ZERO, WL_IMAGE_LEVEL, 0, WL_IMAGE_BIAS, WL_IMAGE_GRADIENT, WL_IMAGE_ZERO | WL_IMAGE_OFFSET,
                                       WL_IMAGE_CLAMP};
    choose_image(t, generation);
    choose_sampler(t, generation);
    const unsigned what = below(6);
    const bool loads = what < 2; /* and stores */
    t->operation = what == 0   ? WL_IMAGE_KIND(WL_IMAGE_LOAD)
                   : what == 1 ? WL_IMAGE_KIND(WL_IMAGE_STORE)
                               : WL_IMAGE_KIND(WL_IMAGE_SAMPLE) | samples[below(7)];
    t->modifiers = WL_IMAGE_GENERATION(generation) | below(16);
    t->modifiers |=
        generation == 9 ? (t->image.type >= WL_IMAGE_CUBE ? WL_IMAGE_ARRAY : 0) : WL_IMAGE_HAS_DIM | (uint32_t)(t->image.type & 7) << 4;
    for (unsigned row = 0; row < ROWS; row++)
        for (unsigned lane = 0; lane < wave->wave_size; lane++) {
            put_float(row, lane, any_float(t->image.width));
            if (loads && row < DATA)
                wave->vgpr[row * wave->wave_size + lane] = below(5) ? below(t->image.width + 1) : next() << 8;
        }
    const uint64_t exec = below(3) ? ~UINT64_C(0) : (uint64_t)next() << 40 ^ (uint64_t)next() << 20 ^ next();
    wave->sgpr[WL_SGPR_EXEC] = (uint32_t)exec;
    wave->sgpr[WL_SGPR_EXEC + 1] = (uint32_t)(exec >> 32);
}

static bool same_component(const struct trial *t, uint32_t got, uint32_t want) {
    const bool floats = t->image.format.number != WL_NUMBER_UINT && t->image.format.number != WL_NUMBER_SINT;
    float a, b;
    memcpy(&a, &got, sizeof a);
    memcpy(&b, &want, sizeof b);
    return got == want || (floats && isnan(a) && isnan(b));
}

static void run_trial(const struct trial *t, wl_image_wave_fn *kernels) {
    const bool loads = WL_IMAGE_KIND_OF(t->operation) != WL_IMAGE_SAMPLE;
    wl_image_choose(kernels);
    wl_help_image(wave, &wave->vgpr[DATA * wave->wave_size], UINT64_C(0x0706050403020100), UINT64_C(0x0f0e0d0c0b0a0908), t->resource,
                  loads ? NULL : t->words, t->operation, t->modifiers);
}

static void compare(const struct trial *t, const char *name, wl_image_wave_fn *kernels) {
    static uint32_t before[ROWS * 64], want[ROWS * 64];
    static uint8_t old[STORED], stored[STORED];
    const size_t bytes = ROWS * wave->wave_size * sizeof *wave->vgpr;
    const bool stores = WL_IMAGE_KIND_OF(t->operation) == WL_IMAGE_STORE;
    memcpy(before, wave->vgpr, bytes);
    if (stores)
        memcpy(old, memory, STORED);
    run_trial(t, NULL);
    memcpy(want, wave->vgpr, bytes);
    memcpy(wave->vgpr, before, bytes);
    if (stores) {
        memcpy(stored, memory, STORED);
        memcpy(memory, old, STORED);
    }
    run_trial(t, kernels);
    if (stores && (checks++, memcmp(memory, stored, STORED) != 0) && failures++ < 20)
        printf("%s: a store of %u x %u bits, number %u, modifiers %#x\n", name, t->image.format.channels, t->image.format.bits,
               t->image.format.number, t->modifiers);
    if (stores)
        memcpy(memory, old, STORED);
    for (unsigned i = 0; i < ROWS * wave->wave_size; i++) {
        checks++;
        if (!same_component(t, wave->vgpr[i], want[i]) && failures++ < 20)
            printf("%s: type %u, %u x %u bits, number %u, linear %d, wrap %u, operation %#x, modifiers %#x: row %u lane %u: %#x instead of "
                   "%#x\n",
                   name, t->image.type, t->image.format.channels, t->image.format.bits, t->image.format.number, t->sampler.linear,
                   t->sampler.wrap[0], t->operation, t->modifiers, i / wave->wave_size, i % wave->wave_size, wave->vgpr[i], want[i]);
    }
    memcpy(wave->vgpr, before, bytes);
}

/* ---- linear memory ---- */

static void load_records(const struct trial *t, unsigned count, wl_image_wave_fn *kernels) {
    const uint32_t element =
        WL_ELEMENT(32, count, WL_ELEMENT_TYPED | WL_ELEMENT_IDXEN) | WL_ELEMENT_GENERATION(WL_IMAGE_GENERATION_OF(t->modifiers));
    wl_image_choose(kernels);
    wl_help_buffer_load(wave, &wave->vgpr[DATA * wave->wave_size], wave->vgpr, t->resource, 0, 0, element);
}

/* Typed buffers, indexed; the base is aligned as elements are. */
static void compare_records(unsigned generation, const char *name, wl_image_wave_fn *kernels) {
    static uint32_t want[ROWS * 64];
    const size_t bytes = ROWS * wave->wave_size * sizeof *wave->vgpr;
    const unsigned count = 1 + below(4), records = 1 + below(300);
    struct trial t;
    choose_trial(&t, generation);
    const uint32_t size = wl_channel_bytes(&t.image.format);
    wl_image_encode_linear(generation, &t.image.format, (uint64_t)(uintptr_t)memory + (size_t)below(50) * (size < 4 ? size : 4), records,
                           t.resource);
    for (unsigned lane = 0; lane < wave->wave_size; lane++) {
        wave->vgpr[lane] = below(3) ? below(records + 5) : lane;
        for (unsigned row = DATA; row < ROWS; row++)
            wave->vgpr[row * wave->wave_size + lane] = next();
    }
    memcpy(want, wave->vgpr, bytes);
    load_records(&t, count, NULL);
    for (unsigned i = 0; i < ROWS * wave->wave_size; i++) {
        const uint32_t other = wave->vgpr[i];
        wave->vgpr[i] = want[i];
        want[i] = other;
    }
    load_records(&t, count, kernels);
    for (unsigned i = 0; i < ROWS * wave->wave_size; i++) {
        checks++;
        if (!same_component(&t, wave->vgpr[i], want[i]) && failures++ < 20)
            printf("%s: records of %u x %u bits, number %u: row %u lane %u: %#x instead of %#x\n", name, t.image.format.channels,
                   t.image.format.bits, t.image.format.number, i / wave->wave_size, i % wave->wave_size, wave->vgpr[i], want[i]);
    }
}

static const struct {
    const char *name;
    wl_image_wave_fn *kernels;
    enum wl_cpu_level level;
} copies[] = {
    {"base", wl_image_base, WL_CPU_BASE},
#if defined(__x86_64__)
    {"avx2", wl_image_avx2, WL_CPU_AVX2},
    {"avx512", wl_image_avx512, WL_CPU_AVX512},
#endif
};

int main(void) {
    wave = aligned_alloc(64, sizeof *wave + (size_t)ROWS * 64 * 4 + 64);
    memory = aligned_alloc(256, MEMORY);
    if (!wave || !memory)
        return 1;
    memset(wave, 0, sizeof *wave);
    for (int i = 0; i < MEMORY; i++)
        memory[i] = (uint8_t)next();
    for (int n = 0; n < 12000; n++) {
        struct trial t;
        wave->wave_size = below(2) ? 32 : 64;
        choose_trial(&t, 9 + below(4));
        for (size_t i = 0; i < sizeof copies / sizeof *copies; i++)
            if (wl_cpu_host_level() >= copies[i].level)
                compare(&t, copies[i].name, copies[i].kernels);
        for (size_t i = 0; i < sizeof copies / sizeof *copies; i++)
            if (wl_cpu_host_level() >= copies[i].level)
                compare_records(9 + below(4), copies[i].name, copies[i].kernels);
    }
    printf("%u checks, %u failures\n", checks, failures);
    free(wave);
    free(memory);
    return failures != 0 || !checks;
}
