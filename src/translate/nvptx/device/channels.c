/* Channel formats; the code of the CPU device, with its tables as constants. */
#include "lane/channel_values.h"

static const float linear_of_srgb[256] = {
#include "tables-linear.inc"
};
/* The least linear number that each byte stands for; the first is no limit. */
static const float least_of_srgb[256] = {
#include "tables-srgb.inc"
};
static const struct wl_channel_format gfx9[16 << 6] = {
#include "tables-gfx9.inc"
};
static const struct wl_channel_format unified[2][256] = {
#include "tables-unified.inc"
};

bool wl_channel_decode(unsigned generation, uint32_t code, struct wl_channel_format *format) {
    *format = (struct wl_channel_format){0};
    if (generation == 9 && code < sizeof gfx9 / sizeof *gfx9)
        *format = gfx9[code];
    else if (generation > 9 && code < 256)
        *format = unified[generation > 10][code];
    return format->channels != 0;
}

float wl_linear_of_srgb(uint8_t srgb) { return linear_of_srgb[srgb]; }

uint32_t wl_srgb_of_linear(float linear) {
    uint32_t byte = 0;
    for (uint32_t step = 128; step; step /= 2)
        if (linear >= least_of_srgb[byte + step])
            byte += step;
    return byte;
}
