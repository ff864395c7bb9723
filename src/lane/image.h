/* lane/: what one lane does, in plain C. The host runs this code on CPU devices; it is also compiled for NVIDIA's GPUs
 * (translate/nvptx/device). It uses no thread, no lock and no state but its arguments.
 *
 *   in    a descriptor (machine/image.h, machine/channels.h), and one lane's registers
 *   out   that lane's result registers, or the address of its element in memory
 *
 *   image.h           images as one lane sees them: texels, levels, addressing, filtering
 *   image_lane.h      one image instruction of one lane: struct wl_image_access, struct wl_image_rays
 *   buffer_lane.h     one element of a buffer: struct wl_buffer
 *   channel_values.h  elements of channel formats, converted
 *
 * image_lane.c does an instruction; image_sample.c does addressing and filtering; image_bvh.c does ray tracing's instruction. */
#ifndef WL_LANE_IMAGE_H
#define WL_LANE_IMAGE_H

#include "machine/image.h"

#include <stdbool.h>
#include <stdint.h>

/* ---- texels ---- */

/* A texel as the shader sees it: floats, or integers of 32 bits. */
union wl_texel {
    float f[4];
    uint32_t u[4];
};

/* What a descriptor's DST_SEL code selects of a texel. */
static inline uint32_t wl_image_selected(const union wl_texel *texel, unsigned select, bool integer) {
    switch (select) {
    case 1:
        return integer ? 1 : 0x3f800000;
    case 4:
        return texel->u[0];
    case 5:
        return texel->u[1];
    case 6:
        return texel->u[2];
    case 7:
        return texel->u[3];
    default:
        return 0;
    }
}

/* ---- sampling ---- */

/* One level of an image. */
struct wl_image_level {
    uint8_t *data;
    uint32_t width, height, depth; /* 1 where the dimension has none */
    uint64_t pitch, slice;         /* bytes */
};
/* `level` counts from the resource's first. */
void wl_image_find_level(const struct wl_image *image, uint32_t level, struct wl_image_level *found);
/* The address of a texel; NULL: outside. `slice`: array layer, face or depth. */
uint8_t *wl_image_texel(const struct wl_image *image, const struct wl_image_level *level, int64_t x, int64_t y, int64_t slice);

/* Where one lane samples. */
struct wl_sample_place {
    float at[3];     /* coordinates; unused ones 0 */
    float slice;     /* of an array or cube: layer, face + 8 * layer */
    float lod;       /* before the sampler's bias and limits */
    float least;     /* _cl */
    float reference; /* _c */
    int offset[3];   /* in texels */
    bool unnormalized, compare;
};
/* Normalized formats are filtered in units of 1 / (their largest number), and the result is divided. */
void wl_image_sample(const struct wl_image *image, const struct wl_sampler *sampler, const struct wl_sample_place *place,
                     union wl_texel *texel);
/* What a texel outside reads. `filtered`: as the filter takes it, in units. */
void wl_image_border(const struct wl_image *image, const struct wl_sampler *sampler, bool filtered, union wl_texel *texel);
/* The four texels that linear filtering would mix, one component of each, in gather4's order. */
void wl_image_gather(const struct wl_image *image, const struct wl_sampler *sampler, const struct wl_sample_place *place,
                     unsigned component, union wl_texel *texel);
/* log2 of the larger gradient's length in texels. */
float wl_image_lod(const struct wl_image *image, bool unnormalized, const float dx[3], const float dy[3]);
/* The level as the sampler limits it, with its bias. */
float wl_image_clamp_lod(const struct wl_image *image, const struct wl_sampler *sampler, const struct wl_sample_place *place);

#endif
