/* Common image instructions for all lanes of a wave together, in vectors: image_kernels.c, compiled once for each kind of host. image.c
 * chooses it, or does the instruction lane by lane. */
#ifndef WL_DEVICE_CPU_HELPERS_IMAGE_WAVE_H
#define WL_DEVICE_CPU_HELPERS_IMAGE_WAVE_H

#include "lane/image.h"

/* Levels by number, from the resource's first on, and how a lane's is found. */
#define WL_IMAGE_LEVELS 16
struct wl_image_levels {
    uint32_t width[WL_IMAGE_LEVELS], height[WL_IMAGE_LEVELS], depth[WL_IMAGE_LEVELS];
    uint32_t start[WL_IMAGE_LEVELS], pitch[WL_IMAGE_LEVELS], slice[WL_IMAGE_LEVELS]; /* bytes; start: from wl_image_wave.level.data */
    float bias, least, most;
    bool nearest; /* else between two */
};

/* A sample without comparison, offset and sRGB, of level 0 or of levels that lanes give or that are 0, with a wrap of REPEAT, MIRROR,
 * MIRROR_ONCE, CLAMP or BORDER and the same filter on all axes; or a load from level 0, or a store to it. Addresses and data are of 32
 * bits. */
struct wl_image_wave {
    uint32_t *data;              /* the first row that is written */
    const uint32_t *at[3];       /* the rows of the coordinates; floats, or integers of loads */
    const uint32_t *slices;      /* the row of the array's slice; NULL: slice 0 */
    uint64_t exec;               /* at least one lane */
    struct wl_image_level level; /* from the resource's first slice on, less than 2 GiB */
    uint32_t wave_size, dmask;   /* dmask is not 0 */
    struct wl_channel_format format;
    uint16_t selects; /* never 0 */
    uint8_t axes;     /* coordinates, slices aside */
    uint8_t wrap[3];
    const struct wl_image_levels *levels; /* NULL: level 0 */
    const uint32_t *lods;                 /* the row of the levels, floats; NULL: 0 */
    bool unnormalized, linear, loads, stores;
    bool cube;       /* `slices` are face + 8 * layer */
    bool buffer;     /* loads: components that a descriptor selects as constants are there outside of the image as well */
    uint8_t skip;    /* loads: bytes from level.data, a multiple of 4, to the first element */
    bool has_border; /* some wrap is BORDER */
    float border[4]; /* linear and normalized: in the format's units */
};
/* Gives the same bits as lane by lane. Inactive lanes of rows may hold anything. The caller has set rounding to nearest, with denormals. */
typedef void wl_image_wave_fn(const struct wl_image_wave *wave);
wl_image_wave_fn wl_image_base, wl_image_avx2, wl_image_avx512;
/* The host's copy; NULL: one lane at a time. */
wl_image_wave_fn *wl_image_kernels(void);
/* For tests, before other threads run: takes this copy instead of the host's own; NULL: one lane at a time. */
void wl_image_choose(wl_image_wave_fn *kernels);

#endif
