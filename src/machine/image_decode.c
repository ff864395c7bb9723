/* Descriptors of images and samplers, read. It runs on NVIDIA's GPUs as well: no state but the arguments. */
#include "machine/image_fields.h"

#include <string.h>

static uint32_t get(const uint32_t *words, struct wl_image_field field) {
    if (!field.bits)
        return 0;
    uint64_t pair = words[field.at / 32];
    if (field.at % 32 + field.bits > 32)
        pair |= (uint64_t)words[field.at / 32 + 1] << 32;
    return (uint32_t)(pair >> field.at % 32 & ((UINT64_C(1) << field.bits) - 1));
}

bool wl_image_decode(unsigned generation, const uint32_t *resource, bool short_form, struct wl_image *image) {
    const struct wl_image_layout *at = wl_image_layout_of(generation);
    uint32_t words[8];
    for (unsigned i = 0; i < 8; i++)
        words[i] = i < 4 || !short_form ? resource[i] : 0;
    memset(image, 0, sizeof *image);
    image->base = (uint64_t)get(words, at->base_low) << 8 | (uint64_t)get(words, at->base_high) << 40;
    image->width = get(words, at->width) + 1;
    image->height = get(words, at->height) + 1;
    image->depth = 1;
    image->type = (uint8_t)get(words, at->type);
    image->selects = (uint16_t)get(words, wl_image_selects);
    image->first_level = get(words, at->base_level);
    image->last_level = get(words, at->last_level);
    if (wl_image_has_slices(image->type)) {
        image->depth = get(words, at->depth) + 1;
        image->first_slice = get(words, at->first_slice);
    }
    if (image->type == WL_IMAGE_1D || image->type == WL_IMAGE_1D_ARRAY)
        image->height = 1;
    if (!wl_channel_decode(generation, get(words, at->format) | get(words, at->number) << 6, &image->format) || image->type < WL_IMAGE_1D ||
        image->type > WL_IMAGE_2D_ARRAY)
        return false;
    /* A pitch that is less than a row was never set, and neither was one texel. */
    uint32_t pitch = generation == 9 || !wl_image_has_slices(image->type) ? get(words, at->pitch) + 1 : 0;
    image->pitch = pitch > 1 && pitch >= image->width ? pitch : 0;
    return true;
}

void wl_sampler_decode(unsigned generation, const uint32_t words[4], const float (*borders)[4], uint32_t border_count,
                       struct wl_sampler *sampler) {
    static const float plain[WL_BORDER_TABLE][4] = {[WL_BORDER_BLACK] = {0, 0, 0, 1}, [WL_BORDER_WHITE] = {1, 1, 1, 1}};
    const struct wl_image_layout *at = wl_image_layout_of(generation);
    for (unsigned i = 0; i < 3; i++)
        sampler->wrap[i] = (uint8_t)get(words, wl_sampler_wraps[i]);
    sampler->unnormalized = get(words, wl_sampler_unnormalized);
    sampler->linear = get(words, wl_sampler_mag) & 1;
    sampler->linear_min = get(words, wl_sampler_min) & 1;
    sampler->linear_z = get(words, wl_sampler_z) == 2;
    sampler->mip = (uint8_t)get(words, wl_sampler_mip);
    sampler->anisotropy = (uint8_t)get(words, wl_sampler_aniso);
    sampler->compare = (uint8_t)get(words, wl_sampler_compare);
    sampler->bias = (float)((int32_t)(get(words, wl_sampler_bias) << 18) >> 18) / 256;
    sampler->min_lod = (float)get(words, at->min_lod) / 256;
    sampler->max_lod = (float)get(words, at->max_lod) / 256;
    uint32_t type = get(words, wl_sampler_border_type), pointer = get(words, wl_sampler_border_pointer);
    if (type == WL_BORDER_TABLE && pointer < border_count)
        memcpy(sampler->border, borders[pointer], sizeof sampler->border);
    else
        memcpy(sampler->border, plain[type % WL_BORDER_TABLE], sizeof sampler->border);
}
