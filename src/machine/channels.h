/* Channel formats: how elements of images and of typed buffers lie in memory, and the numbers that AMD's descriptors and
 * instructions give them. All functions are thread-safe and cannot fail but where they say so. */
#ifndef WL_MACHINE_CHANNELS_H
#define WL_MACHINE_CHANNELS_H

#include <stdbool.h>
#include <stdint.h>

/* SCALED: integers as floats of their value. */
enum wl_channel_number {
    WL_NUMBER_UNORM,
    WL_NUMBER_SNORM,
    WL_NUMBER_UINT,
    WL_NUMBER_SINT,
    WL_NUMBER_FLOAT,
    WL_NUMBER_SRGB,
    WL_NUMBER_USCALED,
    WL_NUMBER_SSCALED
};

/* Channels of different widths in one word: gfx9's numbers of such formats. Names begin with the highest bits. */
enum wl_packed {
    WL_PACKED_NONE = 0,
    WL_PACKED_10_11_11 = 6,
    WL_PACKED_11_11_10 = 7,
    WL_PACKED_10_10_10_2 = 8,
    WL_PACKED_2_10_10_10 = 9,
    WL_PACKED_5_6_5 = 16,
    WL_PACKED_1_5_5_5 = 17,
    WL_PACKED_5_5_5_1 = 18,
    WL_PACKED_4_4_4_4 = 19,
    WL_PACKED_5_9_9_9 = 34 /* floats that share their exponent */
};

struct wl_channel_format {
    uint8_t channels; /* 1 to 4; 0: none */
    uint8_t bits;     /* of each: 8, 16, 32; packed: of all */
    uint8_t number;   /* enum wl_channel_number */
    uint8_t packed;   /* enum wl_packed */
};
static inline uint32_t wl_channel_bytes(const struct wl_channel_format *format) {
    return format->packed ? format->bits / 8u : format->channels * format->bits / 8u;
}
/* Kernels see integers, not floats. */
static inline bool wl_channel_is_integer(const struct wl_channel_format *format) {
    return format->number == WL_NUMBER_UINT || format->number == WL_NUMBER_SINT;
}

/* The number of a format: on gfx9 the data format, with the number format << 6; else the unified format. 0: it has none. */
uint32_t wl_channel_code(unsigned generation, const struct wl_channel_format *format);
/* The inverse. False (and no channels): no such format is known. */
bool wl_channel_decode(unsigned generation, uint32_t code, struct wl_channel_format *format);

#endif
