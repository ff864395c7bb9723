/* Images and samplers, and the descriptors through which AMD's kernels name them.
 *
 * A texture or surface object is the address of 20 dwords: 8 of the image's descriptor (T#), 4 that AMD's device library
 * reads (channel type and order, width), then the sampler's (S#), of 4 dwords. Image instructions get both in SGPRs. An
 * object of linear memory is a buffer's descriptor (V#) instead: it is read with buffer instructions.
 *
 * Levels of a mipmapped image lie behind one another; rows are a multiple of 256 bytes apart. All functions are thread-safe. */
#ifndef WL_MACHINE_IMAGE_H
#define WL_MACHINE_IMAGE_H

#include "base/status.h"
#include "machine/channels.h"

#include <stdbool.h>
#include <stdint.h>

#define WL_IMAGE_OBJECT_DWORDS  20
#define WL_IMAGE_SAMPLER_DWORD  12
#define WL_IMAGE_ROW_ALIGNMENT  256
#define WL_IMAGE_BASE_ALIGNMENT 256
#define WL_IMAGE_MAX_SIZE       16384 /* of width and height */
#define WL_IMAGE_MAX_SLICES     8192

/* The bytes from row to row of an image whose rows take `bytes`. */
static inline uint64_t wl_image_row_up(uint64_t bytes) {
    return (bytes + WL_IMAGE_ROW_ALIGNMENT - 1) / WL_IMAGE_ROW_ALIGNMENT * WL_IMAGE_ROW_ALIGNMENT;
}

/* The descriptors' TYPE. */
enum wl_image_type {
    WL_IMAGE_1D = 8,
    WL_IMAGE_2D,
    WL_IMAGE_3D,
    WL_IMAGE_CUBE,
    WL_IMAGE_1D_ARRAY,
    WL_IMAGE_2D_ARRAY,
};

struct wl_image {
    uint64_t base;                 /* a multiple of WL_IMAGE_BASE_ALIGNMENT */
    uint32_t width, height, depth; /* texels of level 0; depth: slices, layers, or 6 faces times the layers; at least 1 */
    uint32_t pitch;                /* texels from row to row of level 0; 0: the width, rounded up to WL_IMAGE_ROW_ALIGNMENT bytes */
    uint32_t first_level, last_level, first_slice;
    struct wl_channel_format format;
    uint8_t type;     /* enum wl_image_type */
    uint16_t selects; /* DST_SEL: 3 bits a component: 0, 1, or 4 + the texel's component */
};

/* The sampler's wrap codes. */
enum wl_image_wrap {
    WL_WRAP_REPEAT,
    WL_WRAP_MIRROR,
    WL_WRAP_CLAMP,
    WL_WRAP_MIRROR_ONCE,
    WL_WRAP_HALF_BORDER,
    WL_WRAP_MIRROR_ONCE_HALF_BORDER,
    WL_WRAP_BORDER,
    WL_WRAP_MIRROR_ONCE_BORDER
};

struct wl_sampler {
    uint8_t wrap[3]; /* enum wl_image_wrap */
    bool unnormalized;
    bool linear, linear_min, linear_z; /* magnified, minified, between slices of 3D */
    uint8_t mip;                       /* 0: level 0 alone; 1: the nearest; 2: between two */
    uint8_t anisotropy;                /* log2; accepted, has no effect */
    uint8_t compare;                   /* 0 never, 1 <, 2 ==, 3 <=, 4 >, 5 !=, 6 >=, 7 always */
    float bias, min_lod, max_lod;
    float border[4];
};

/* Writes the T# and the dwords behind it, or the S#, as a generation (9 to 12) has them. Fields that the image's shape
 * exceeds are the caller's to check. WL_OUT_OF_MEMORY: the table of border colours is full. */
void wl_image_encode(unsigned generation, const struct wl_image *image, uint32_t words[WL_IMAGE_SAMPLER_DWORD]);
enum wl_status wl_sampler_encode(unsigned generation, const struct wl_sampler *sampler, uint32_t words[4]);
/* Linear memory of `count` texels, as a V#. */
void wl_image_encode_linear(unsigned generation, const struct wl_channel_format *format, uint64_t base, uint32_t count,
                            uint32_t words[WL_IMAGE_SAMPLER_DWORD]);
/* The inverse. False: no image of a format and layout that is known. */
bool wl_image_decode(unsigned generation, const uint32_t *words, bool short_form, struct wl_image *image);
void wl_sampler_decode(unsigned generation, const uint32_t words[4], const float (*borders)[4], uint32_t border_count,
                       struct wl_sampler *sampler);
/* The border colours that samplers count in: what is there never changes, more may follow. At most WL_IMAGE_BORDERS. */
#define WL_IMAGE_BORDERS 4096
const float (*wl_image_borders(uint32_t *count))[4];

#endif
