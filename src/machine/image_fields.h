/* Where each generation keeps the fields of image and sampler descriptors: for image_descriptor.c and image_decode.c. */
#ifndef WL_MACHINE_IMAGE_FIELDS_H
#define WL_MACHINE_IMAGE_FIELDS_H

#include "machine/image.h"

struct wl_image_field {
    uint16_t at;
    uint8_t bits; /* 0: the generation has none */
};

/* A field's name, and its first bit and number of bits in gfx9, gfx10, gfx11 and gfx12. pitch shares its bits with depth from gfx10
 * on: images without slices have the one, others the other. */
/* clang-format off */
#define WL_IMAGE_FIELDS(FIELD)                                          \
    FIELD(base_low,    (0, 32),   (0, 32),   (0, 32),   (0, 32))        \
    FIELD(base_high,   (32, 8),   (32, 8),   (32, 8),   (32, 8))        \
    FIELD(width,       (64, 14),  (62, 14),  (62, 14),  (62, 16))       \
    FIELD(height,      (78, 14),  (78, 14),  (78, 14),  (78, 16))       \
    FIELD(format,      (52, 6),   (52, 9),   (52, 8),   (49, 8))        \
    FIELD(number,      (58, 4),   (0, 0),    (0, 0),    (0, 0))         \
    FIELD(base_level,  (108, 4),  (108, 4),  (108, 4),  (57, 5))        \
    FIELD(last_level,  (112, 4),  (112, 4),  (112, 4),  (111, 5))       \
    FIELD(max_level,   (0, 0),    (0, 0),    (48, 4),   (44, 5))        \
    FIELD(type,        (124, 4),  (124, 4),  (124, 4),  (124, 4))       \
    FIELD(depth,       (128, 13), (128, 13), (128, 13), (128, 14))      \
    FIELD(pitch,       (141, 16), (128, 14), (128, 14), (128, 16))      \
    FIELD(first_slice, (160, 13), (144, 13), (144, 13), (144, 13))      \
    FIELD(min_lod,     (32, 12),  (32, 12),  (32, 12),  (32, 13))       \
    FIELD(max_lod,     (44, 12),  (44, 12),  (44, 12),  (45, 13))
/* clang-format on */
#define MEMBER(name, ...)       struct wl_image_field name;
#define PAIR(at, bits)          {at, bits}
#define GFX9(name, a, b, c, d)  .name = PAIR a,
#define GFX10(name, a, b, c, d) .name = PAIR b,
#define GFX11(name, a, b, c, d) .name = PAIR c,
#define GFX12(name, a, b, c, d) .name = PAIR d,
struct wl_image_layout {
    WL_IMAGE_FIELDS(MEMBER)
};
static const struct wl_image_layout wl_image_layouts[] = {
    {WL_IMAGE_FIELDS(GFX9)}, {WL_IMAGE_FIELDS(GFX10)}, {WL_IMAGE_FIELDS(GFX11)}, {WL_IMAGE_FIELDS(GFX12)}};
#undef MEMBER
#undef PAIR
#undef GFX9
#undef GFX10
#undef GFX11
#undef GFX12
static inline const struct wl_image_layout *wl_image_layout_of(unsigned generation) { return &wl_image_layouts[(generation - 9) & 3]; }
static const struct wl_image_field wl_image_selects = {96, 12};

static const struct wl_image_field wl_sampler_wraps[] = {{0, 3}, {3, 3}, {6, 3}}, wl_sampler_aniso = {9, 3}, wl_sampler_compare = {12, 3},
                                   wl_sampler_unnormalized = {15, 1}, wl_sampler_bias = {64, 14}, wl_sampler_mag = {84, 2},
                                   wl_sampler_min = {86, 2}, wl_sampler_z = {88, 2}, wl_sampler_mip = {90, 2},
                                   wl_sampler_border_pointer = {96, 12}, wl_sampler_border_type = {126, 2};

enum { WL_BORDER_ZERO = 0, WL_BORDER_BLACK = 1, WL_BORDER_WHITE = 2, WL_BORDER_TABLE = 3 }; /* S#'s BORDER_COLOR_TYPE */
static inline bool wl_image_has_slices(uint8_t type) { return type != WL_IMAGE_1D && type != WL_IMAGE_2D; }

#endif
