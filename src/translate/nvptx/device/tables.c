/* Build tool: prints the tables of channels.c, as the CPU device computes them: tables FOLDER. */
#include "lane/channel_values.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static FILE *open_table(const char *folder, const char *name) {
    char path[4096];
    snprintf(path, sizeof path, "%s/tables-%s.inc", folder, name);
    FILE *file = fopen(path, "w");
    if (!file) {
        perror(path);
        exit(1); // NOLINT(concurrency-mt-unsafe): the tool has one thread
    }
    return file;
}

static float of_bits(uint32_t bits) {
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* The least number that becomes this byte or a larger one. Positive floats are in the order of their bits. */
static float least_of(uint32_t byte) {
    uint32_t low = 0, high = 0x3f800000;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (wl_srgb_of_linear(of_bits(middle)) >= byte)
            high = middle;
        else
            low = middle + 1;
    }
    return of_bits(low);
}

static void print_formats(FILE *file, unsigned generation, uint32_t codes) {
    for (uint32_t code = 0; code < codes; code++) {
        struct wl_channel_format format;
        (void)wl_channel_decode(generation, code, &format);
        fprintf(file, "{%u, %u, %u, %u},\n", format.channels, format.bits, format.number, format.packed);
    }
}

int main(int argc, char **argv) {
    if (argc != 2)
        return 2;
    FILE *linear = open_table(argv[1], "linear"), *srgb = open_table(argv[1], "srgb"), *gfx9 = open_table(argv[1], "gfx9"),
         *unified = open_table(argv[1], "unified");
    for (unsigned i = 0; i < 256; i++) {
        fprintf(linear, "%af,\n", (double)wl_linear_of_srgb((uint8_t)i));
        fprintf(srgb, "%af,\n", (double)least_of(i));
    }
    print_formats(gfx9, 9, 16 << 6);
    fprintf(unified, "{\n");
    print_formats(unified, 10, 256);
    fprintf(unified, "},\n{\n");
    print_formats(unified, 11, 256);
    fprintf(unified, "}\n");
    return fclose(linear) || fclose(srgb) || fclose(gfx9) || fclose(unified);
}
