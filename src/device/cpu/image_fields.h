/* Where each generation keeps what in the descriptors of images and samplers: for image_descriptor.c and image_decode.c. */
#ifndef WL_DEVICE_CPU_IMAGE_FIELDS_H
#define WL_DEVICE_CPU_IMAGE_FIELDS_H

#include "device/image.h"

struct wl_image_field {
    uint16_t at;
    uint8_t bits; /* 0: the generation has none */
};

/* pitch shares its bits with depth from gfx10 on: images without slices have the one, others the other. */
struct wl_image_layout {
    struct wl_image_field base_low, base_high, width, height, format, number, base_level, last_level, max_level, type, depth, pitch,
        first_slice;
    struct wl_image_field min_lod, max_lod;
};
static const struct wl_image_layout wl_image_layouts[] = {
    {.base_low = {0, 32},
     .base_high = {32, 8},
     .width = {64, 14},
     .height = {78, 14},
     .format = {52, 6},
     .number = {58, 4},
     .base_level = {108, 4},
     .last_level = {112, 4},
     .type = {124, 4},
     .depth = {128, 13},
     .pitch = {141, 16},
     .first_slice = {160, 13},
     .min_lod = {32, 12},
     .max_lod = {44, 12}},
    {.base_low = {0, 32},
     .base_high = {32, 8},
     .width = {62, 14},
     .height = {78, 14},
     .format = {52, 9},
     .base_level = {108, 4},
     .last_level = {112, 4},
     .type = {124, 4},
     .depth = {128, 13},
     .pitch = {128, 14},
     .first_slice = {144, 13},
     .min_lod = {32, 12},
     .max_lod = {44, 12}},
    {.base_low = {0, 32},
     .base_high = {32, 8},
     .width = {62, 14},
     .height = {78, 14},
     .format = {52, 8},
     .base_level = {108, 4},
     .last_level = {112, 4},
     .max_level = {48, 4},
     .type = {124, 4},
     .depth = {128, 13},
     .pitch = {128, 14},
     .first_slice = {144, 13},
     .min_lod = {32, 12},
     .max_lod = {44, 12}},
    {.base_low = {0, 32},
     .base_high = {32, 8},
     .width = {62, 16},
     .height = {78, 16},
     .format = {49, 8},
     .base_level = {57, 5},
     .last_level = {111, 5},
     .max_level = {44, 5},
     .type = {124, 4},
     .depth = {128, 14},
     .pitch = {128, 16},
     .first_slice = {144, 13},
     .min_lod = {32, 13},
     .max_lod = {45, 13}},
};
static inline const struct wl_image_layout *wl_image_layout_of(unsigned generation) { return &wl_image_layouts[(generation - 9) & 3]; }
static const struct wl_image_field wl_image_selects = {96, 12};

static const struct wl_image_field wl_sampler_wraps[] = {{0, 3}, {3, 3}, {6, 3}}, wl_sampler_aniso = {9, 3}, wl_sampler_compare = {12, 3},
                                   wl_sampler_unnormalized = {15, 1}, wl_sampler_bias = {64, 14}, wl_sampler_mag = {84, 2},
                                   wl_sampler_min = {86, 2}, wl_sampler_z = {88, 2}, wl_sampler_mip = {90, 2},
                                   wl_sampler_border_pointer = {96, 12}, wl_sampler_border_type = {126, 2};

enum { WL_BORDER_ZERO = 0, WL_BORDER_BLACK = 1, WL_BORDER_WHITE = 2, WL_BORDER_TABLE = 3 }; /* S#'s BORDER_COLOR_TYPE */
static inline bool wl_image_has_slices(uint8_t type) { return type != WL_IMAGE_1D && type != WL_IMAGE_2D; }

#endif
