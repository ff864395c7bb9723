/* Descriptors of images and samplers, written, and the table of border colours. */
#include "machine/image_fields.h"

#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

/* The field is still zero. */
static void put(uint32_t *words, struct wl_image_field field, uint32_t value) {
    if (!field.bits)
        return;
    uint64_t pair = (value & ((UINT64_C(1) << field.bits) - 1)) << field.at % 32;
    words[field.at / 32] |= (uint32_t)pair;
    if (pair >> 32)
        words[field.at / 32 + 1] |= (uint32_t)(pair >> 32);
}

/* ---- formats ------------------------------------------------------------------------------------ */

/* What AMD's device library answers: HSA's numbers of channel types and orders. */
static void put_channels(const struct wl_channel_format *format, uint32_t *type, uint32_t *order) {
    static const uint8_t types[8][3] = {/* of 8, 16, 32 bits */
                                        [WL_NUMBER_UNORM] = {2, 3, 0}, [WL_NUMBER_SNORM] = {0, 1, 0},   [WL_NUMBER_UINT] = {11, 12, 13},
                                        [WL_NUMBER_SINT] = {8, 9, 10}, [WL_NUMBER_FLOAT] = {0, 14, 15}, [WL_NUMBER_SRGB] = {2, 0, 0}};
    static const uint8_t orders[5] = {0, 1, 3, 0, 8};
    enum { SRGBA = 14 };
    *type = types[format->number][format->bits / 16];
    *order = format->number == WL_NUMBER_SRGB && format->channels == 4 ? SRGBA : orders[format->channels];
}

/* ---- images -------------------------------------------------------------------------------------- */

void wl_image_encode(unsigned generation, const struct wl_image *image, uint32_t words[WL_IMAGE_SAMPLER_DWORD]) {
    const struct wl_image_layout *at = wl_image_layout_of(generation);
    memset(words, 0, WL_IMAGE_SAMPLER_DWORD * sizeof *words);
    put(words, at->base_low, (uint32_t)(image->base >> 8));
    put(words, at->base_high, (uint32_t)(image->base >> 40));
    put(words, at->width, image->width - 1);
    put(words, at->height, image->height - 1);
    const uint32_t code = wl_channel_code(generation, &image->format);
    put(words, at->format, generation == 9 ? code & 63 : code);
    put(words, at->number, code >> 6);
    put(words, wl_image_selects, image->selects);
    put(words, at->base_level, image->first_level);
    put(words, at->last_level, image->last_level);
    put(words, at->max_level, image->last_level);
    put(words, at->type, image->type);
    if (wl_image_has_slices(image->type)) {
        put(words, at->depth, image->depth - 1);
        put(words, at->first_slice, image->first_slice);
    }
    if (image->pitch && (generation == 9 || !wl_image_has_slices(image->type)))
        put(words, at->pitch, image->pitch - 1);
    put_channels(&image->format, &words[8], &words[9]);
    words[10] = image->width;
}

void wl_image_encode_linear(unsigned generation, const struct wl_channel_format *format, uint64_t base, uint32_t count,
                            uint32_t words[WL_IMAGE_SAMPLER_DWORD]) {
    static const uint16_t selects[5] = {0, 0x204, 0x22c, 0, 0xfac};
    memset(words, 0, WL_IMAGE_SAMPLER_DWORD * sizeof *words);
    words[0] = (uint32_t)base;
    words[1] = (uint32_t)(base >> 32 & 0xffff) | wl_channel_bytes(format) << 16;
    words[2] = count;
    words[3] = selects[format->channels];
    const uint32_t code = wl_channel_code(generation, format);
    words[3] |= generation == 9 ? (code >> 6) << 12 | (code & 63) << 15 : code << 12;
    put_channels(format, &words[8], &words[9]);
    words[10] = count;
}

/* ---- samplers ------------------------------------------------------------------------------------ */

/* Border colours that the hardware has no code for: S#'s BORDER_COLOR_PTR counts in this table, which only grows. */
static float borders[WL_IMAGE_BORDERS][4];
static _Atomic uint32_t border_count;
static pthread_mutex_t border_lock = PTHREAD_MUTEX_INITIALIZER;

static const float plain_borders[3][4] = {
    [WL_BORDER_ZERO] = {0, 0, 0, 0}, [WL_BORDER_BLACK] = {0, 0, 0, 1}, [WL_BORDER_WHITE] = {1, 1, 1, 1}};

/* The same bits: a NaN is itself, and -0 is not 0. */
static bool same_color(const float a[4], const float b[4]) {
    return memcmp((const void *)a, (const void *)b, 4 * sizeof *a) == 0; /* NOLINT(*-memory-comparison,cert-exp42-c,cert-flp37-c) */
}

static enum wl_status find_border(const float color[4], uint32_t *type, uint32_t *pointer) {
    *pointer = 0;
    for (*type = 0; *type < WL_BORDER_TABLE; ++*type)
        if (same_color(color, plain_borders[*type]))
            return WL_OK;
    pthread_mutex_lock(&border_lock);
    uint32_t count = atomic_load(&border_count);
    while (*pointer < count && !same_color(borders[*pointer], color))
        ++*pointer;
    enum wl_status status = WL_OK;
    if (*pointer == WL_IMAGE_BORDERS) {
        status = wl_fail(WL_OUT_OF_MEMORY, "more than %d different border colours", WL_IMAGE_BORDERS);
    } else if (*pointer == count) {
        memcpy(borders[count], color, sizeof borders[0]);
        atomic_store(&border_count, count + 1);
    }
    pthread_mutex_unlock(&border_lock);
    return status;
}

static uint32_t fixed_lod(float lod, struct wl_image_field field) {
    float most = (float)((1u << field.bits) - 1);
    return (uint32_t)fminf(fmaxf(lod * 256, 0), most);
}

enum wl_status wl_sampler_encode(unsigned generation, const struct wl_sampler *sampler, uint32_t words[4]) {
    const struct wl_image_layout *at = wl_image_layout_of(generation);
    uint32_t type, pointer;
    memset(words, 0, 4 * sizeof *words);
    enum wl_status status = find_border(sampler->border, &type, &pointer);
    if (status != WL_OK)
        return status;
    for (unsigned i = 0; i < 3; i++)
        put(words, wl_sampler_wraps[i], sampler->wrap[i]);
    put(words, wl_sampler_aniso, sampler->anisotropy);
    put(words, wl_sampler_compare, sampler->compare);
    put(words, wl_sampler_unnormalized, sampler->unnormalized);
    put(words, at->min_lod, fixed_lod(sampler->min_lod, at->min_lod));
    put(words, at->max_lod, fixed_lod(sampler->max_lod, at->max_lod));
    put(words, wl_sampler_bias, (uint32_t)(int32_t)fminf(fmaxf(sampler->bias * 256, -8192), 8191));
    put(words, wl_sampler_mag, sampler->linear);
    put(words, wl_sampler_min, sampler->linear_min);
    put(words, wl_sampler_z, sampler->linear_z ? 2 : 1);
    put(words, wl_sampler_mip, sampler->mip);
    put(words, wl_sampler_border_pointer, pointer);
    put(words, wl_sampler_border_type, type);
    return WL_OK;
}

const float (*wl_image_borders(uint32_t *count))[4] {
    *count = atomic_load(&border_count);
    return borders;
}
