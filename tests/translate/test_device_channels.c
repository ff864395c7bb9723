/* The channel formats that are compiled for NVIDIA's GPUs against those of the CPU device: numbers of formats, sRGB's curve, elements. */
#include "../random_numbers.h"
#include "lane/channel_values.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool gpu_channel_decode(unsigned generation, uint32_t code, struct wl_channel_format *format);
void gpu_channels_load(const struct wl_channel_format *format, const uint8_t *memory, uint32_t element[4]);
void gpu_channels_store(const struct wl_channel_format *format, uint8_t *memory, const uint32_t element[4]);
uint32_t gpu_srgb_of_linear(float linear);

static unsigned long compared, wrong;

static void differs(const char *what, const struct wl_channel_format *f, uint32_t given, uint32_t cpu, uint32_t gpu) {
    if (wrong++ < 20)
        printf("%s of {%u, %u, %u, %u}, %08x: %08x on a GPU instead of %08x\n", what, f->channels, f->bits, f->number, f->packed, given,
               gpu, cpu);
}

static uint32_t random_bits(void) {
    static uint64_t state = 88172645463325252u;
    return (uint32_t)(next_random(&state) >> 16);
}

/* Floats of all kinds: any bits, small numbers, and halfway between neighbours of a normalized format. */
static uint32_t random_element(unsigned bits) {
    const float unit = ldexpf(1, (int)bits) - 1;
    float value = ((float)(random_bits() >> 8) * 0x1p-24f * 3 - 1) * (random_bits() & 1 ? 1 : 300);
    uint32_t element = random_bits();
    if (element & 1)
        value = ((float)(int)(value * unit) + 0.5f) / unit;
    if (element & 6)
        memcpy(&element, &value, sizeof element);
    return element;
}

static void compare_elements(const struct wl_channel_format *format) {
    enum { ROUNDS = 2000 };
    for (unsigned round = 0; round < ROUNDS; round++) {
        _Alignas(16) uint8_t cpu[16], gpu[16];
        uint32_t given[4], loaded[2][4];
        for (unsigned i = 0; i < sizeof cpu; i++)
            cpu[i] = gpu[i] = (uint8_t)random_bits();
        wl_channels_load(format, cpu, loaded[0]);
        gpu_channels_load(format, gpu, loaded[1]);
        for (unsigned i = 0; i < 4; i++) {
            given[i] = random_element(format->bits > 24 ? 24 : format->bits);
            if (loaded[0][i] != loaded[1][i])
                differs("a load", format, cpu[0], loaded[0][i], loaded[1][i]);
        }
        wl_channels_store(format, cpu, given);
        gpu_channels_store(format, gpu, given);
        if (memcmp(cpu, gpu, sizeof cpu) != 0)
            differs("a store", format, given[0], cpu[0], gpu[0]);
        compared += 2;
    }
}

static void compare_formats(unsigned generation, uint32_t codes) {
    for (uint32_t code = 0; code < codes; code++) {
        struct wl_channel_format cpu, gpu;
        const bool known = wl_channel_decode(generation, code, &cpu);
        if (gpu_channel_decode(generation, code, &gpu) != known || memcmp(&cpu, &gpu, sizeof cpu) != 0)
            differs("a format's number", &cpu, code, known, !known);
        compared++;
        if (known)
            compare_elements(&cpu);
    }
}

/* Every 16th float from 0 to 1, and some that are neither. */
static void compare_curve(void) {
    const struct wl_channel_format format = {1, 8, WL_NUMBER_SRGB, WL_PACKED_NONE};
    const float odd[] = {-1, -0.0f, 2, INFINITY, -INFINITY, 1};
    for (uint32_t bits = 0; bits <= 0x3f800000; bits += 16, compared++) {
        float value;
        memcpy(&value, &bits, sizeof value);
        if (wl_srgb_of_linear(value) != gpu_srgb_of_linear(value))
            differs("sRGB", &format, bits, wl_srgb_of_linear(value), gpu_srgb_of_linear(value));
        if (bits == 0)
            bits = 0x33000000; /* what is smaller is 0 */
    }
    for (unsigned i = 0; i < sizeof odd / sizeof *odd; i++, compared++)
        if (wl_srgb_of_linear(odd[i]) != gpu_srgb_of_linear(odd[i]))
            differs("sRGB", &format, i, wl_srgb_of_linear(odd[i]), gpu_srgb_of_linear(odd[i]));
}

int main(void) {
    compare_formats(9, 16 << 6);
    for (unsigned generation = 10; generation <= 12; generation++)
        compare_formats(generation, 256);
    compare_curve();
    printf("%lu comparisons, %lu differ\n", compared, wrong);
    return wrong != 0;
}
