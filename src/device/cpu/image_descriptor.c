/* The descriptors of images and samplers: where each generation keeps what. */
#include "device/image.h"

#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

bool wl_image_supported(const char *processor) {
    return strncmp(processor, "gfx94", 5) != 0 && strncmp(processor, "gfx95", 5) != 0 && strncmp(processor, "gfx9-4", 6) != 0;
}

/* ---- fields ------------------------------------------------------------------------------------- */

struct field {
    uint16_t at;
    uint8_t bits; /* 0: the generation has none */
};

static uint32_t get(const uint32_t *words, struct field field) {
    if (!field.bits)
        return 0;
    uint64_t pair = words[field.at / 32];
    if (field.at % 32 + field.bits > 32)
        pair |= (uint64_t)words[field.at / 32 + 1] << 32;
    return (uint32_t)(pair >> field.at % 32 & ((UINT64_C(1) << field.bits) - 1));
}

/* The field is still zero. */
static void put(uint32_t *words, struct field field, uint32_t value) {
    if (!field.bits)
        return;
    uint64_t pair = (value & ((UINT64_C(1) << field.bits) - 1)) << field.at % 32;
    words[field.at / 32] |= (uint32_t)pair;
    if (pair >> 32)
        words[field.at / 32 + 1] |= (uint32_t)(pair >> 32);
}

/* pitch shares its bits with depth from gfx10 on: images without slices have the one, others the other. */
struct layout {
    struct field base_low, base_high, width, height, format, number, base_level, last_level, max_level, type, depth, pitch, first_slice;
    struct field min_lod, max_lod;
};
static const struct layout layouts[] = {
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
static const struct field selects_field = {96, 12};

static const struct layout *layout_of(unsigned generation) { return &layouts[(generation - 9) & 3]; }

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

static bool has_slices(uint8_t type) { return type != WL_IMAGE_1D && type != WL_IMAGE_2D; }

void wl_image_encode(unsigned generation, const struct wl_image *image, uint32_t words[WL_IMAGE_SAMPLER_DWORD]) {
    const struct layout *at = layout_of(generation);
    memset(words, 0, WL_IMAGE_SAMPLER_DWORD * sizeof *words);
    put(words, at->base_low, (uint32_t)(image->base >> 8));
    put(words, at->base_high, (uint32_t)(image->base >> 40));
    put(words, at->width, image->width - 1);
    put(words, at->height, image->height - 1);
    const uint32_t code = wl_channel_code(generation, &image->format);
    put(words, at->format, generation == 9 ? code & 63 : code);
    put(words, at->number, code >> 6);
    put(words, selects_field, image->selects);
    put(words, at->base_level, image->first_level);
    put(words, at->last_level, image->last_level);
    put(words, at->max_level, image->last_level);
    put(words, at->type, image->type);
    if (has_slices(image->type)) {
        put(words, at->depth, image->depth - 1);
        put(words, at->first_slice, image->first_slice);
    }
    if (image->pitch && (generation == 9 || !has_slices(image->type)))
        put(words, at->pitch, image->pitch - 1);
    put_channels(&image->format, &words[8], &words[9]);
    words[10] = image->width;
}

bool wl_image_decode(unsigned generation, const uint32_t *resource, bool short_form, struct wl_image *image) {
    const struct layout *at = layout_of(generation);
    uint32_t words[8] = {0};
    memcpy(words, resource, (short_form ? 4 : 8) * sizeof *words);
    memset(image, 0, sizeof *image);
    image->base = (uint64_t)get(words, at->base_low) << 8 | (uint64_t)get(words, at->base_high) << 40;
    image->width = get(words, at->width) + 1;
    image->height = get(words, at->height) + 1;
    image->depth = 1;
    image->type = (uint8_t)get(words, at->type);
    image->selects = (uint16_t)get(words, selects_field);
    image->first_level = get(words, at->base_level);
    image->last_level = get(words, at->last_level);
    if (has_slices(image->type)) {
        image->depth = get(words, at->depth) + 1;
        image->first_slice = get(words, at->first_slice);
    }
    if (image->type == WL_IMAGE_1D || image->type == WL_IMAGE_1D_ARRAY)
        image->height = 1;
    if (!wl_channel_decode(generation, get(words, at->format) | get(words, at->number) << 6, &image->format) || image->type < WL_IMAGE_1D ||
        image->type > WL_IMAGE_2D_ARRAY)
        return false;
    /* A pitch that is less than a row was never set. */
    uint32_t pitch = generation == 9 || !has_slices(image->type) ? get(words, at->pitch) + 1 : 0;
    image->pitch = pitch > image->width || (uint64_t)pitch * wl_channel_bytes(&image->format) % WL_IMAGE_ROW_ALIGNMENT == 0 ? pitch : 0;
    if (image->pitch < image->width)
        image->pitch = 0;
    return true;
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
enum { BORDERS = 4096, BORDER_ZERO = 0, BORDER_BLACK = 1, BORDER_WHITE = 2, BORDER_TABLE = 3 };
static float borders[BORDERS][4];
static _Atomic uint32_t border_count;
static pthread_mutex_t border_lock = PTHREAD_MUTEX_INITIALIZER;

static const float plain_borders[3][4] = {[BORDER_ZERO] = {0, 0, 0, 0}, [BORDER_BLACK] = {0, 0, 0, 1}, [BORDER_WHITE] = {1, 1, 1, 1}};

/* The same bits: a NaN is itself, and -0 is not 0. */
static bool same_color(const float a[4], const float b[4]) {
    return memcmp((const void *)a, (const void *)b, 4 * sizeof *a) == 0; /* NOLINT(*-memory-comparison,cert-exp42-c,cert-flp37-c) */
}

static enum wl_status find_border(const float color[4], uint32_t *type, uint32_t *pointer) {
    *pointer = 0;
    for (*type = 0; *type < BORDER_TABLE; ++*type)
        if (same_color(color, plain_borders[*type]))
            return WL_OK;
    pthread_mutex_lock(&border_lock);
    uint32_t count = atomic_load(&border_count);
    while (*pointer < count && !same_color(borders[*pointer], color))
        ++*pointer;
    enum wl_status status = WL_OK;
    if (*pointer == BORDERS) {
        status = wl_fail(WL_OUT_OF_MEMORY, "more than %d different border colours", BORDERS);
    } else if (*pointer == count) {
        memcpy(borders[count], color, sizeof borders[0]);
        atomic_store(&border_count, count + 1);
    }
    pthread_mutex_unlock(&border_lock);
    return status;
}

static const struct field wrap_fields[] = {{0, 3}, {3, 3}, {6, 3}}, aniso_field = {9, 3}, compare_field = {12, 3},
                          unnormalized_field = {15, 1}, bias_field = {64, 14}, mag_field = {84, 2}, min_field = {86, 2}, z_field = {88, 2},
                          mip_field = {90, 2}, border_pointer_field = {96, 12}, border_type_field = {126, 2};

static uint32_t fixed_lod(float lod, struct field field) {
    float most = (float)((1u << field.bits) - 1);
    return (uint32_t)fminf(fmaxf(lod * 256, 0), most);
}

enum wl_status wl_sampler_encode(unsigned generation, const struct wl_sampler *sampler, uint32_t words[4]) {
    const struct layout *at = layout_of(generation);
    uint32_t type, pointer;
    memset(words, 0, 4 * sizeof *words);
    enum wl_status status = find_border(sampler->border, &type, &pointer);
    if (status != WL_OK)
        return status;
    for (unsigned i = 0; i < 3; i++)
        put(words, wrap_fields[i], sampler->wrap[i]);
    put(words, aniso_field, sampler->anisotropy);
    put(words, compare_field, sampler->compare);
    put(words, unnormalized_field, sampler->unnormalized);
    put(words, at->min_lod, fixed_lod(sampler->min_lod, at->min_lod));
    put(words, at->max_lod, fixed_lod(sampler->max_lod, at->max_lod));
    put(words, bias_field, (uint32_t)(int32_t)fminf(fmaxf(sampler->bias * 256, -8192), 8191));
    put(words, mag_field, sampler->linear);
    put(words, min_field, sampler->linear_min);
    put(words, z_field, sampler->linear_z ? 2 : 1);
    put(words, mip_field, sampler->mip);
    put(words, border_pointer_field, pointer);
    put(words, border_type_field, type);
    return WL_OK;
}

void wl_sampler_decode(unsigned generation, const uint32_t words[4], struct wl_sampler *sampler) {
    const struct layout *at = layout_of(generation);
    for (unsigned i = 0; i < 3; i++)
        sampler->wrap[i] = (uint8_t)get(words, wrap_fields[i]);
    sampler->unnormalized = get(words, unnormalized_field);
    sampler->linear = get(words, mag_field) & 1;
    sampler->linear_min = get(words, min_field) & 1;
    sampler->linear_z = get(words, z_field) == 2;
    sampler->mip = (uint8_t)get(words, mip_field);
    sampler->anisotropy = (uint8_t)get(words, aniso_field);
    sampler->compare = (uint8_t)get(words, compare_field);
    sampler->bias = (float)((int32_t)(get(words, bias_field) << 18) >> 18) / 256;
    sampler->min_lod = (float)get(words, at->min_lod) / 256;
    sampler->max_lod = (float)get(words, at->max_lod) / 256;
    uint32_t type = get(words, border_type_field), pointer = get(words, border_pointer_field);
    if (type == BORDER_TABLE && pointer < atomic_load(&border_count))
        memcpy(sampler->border, borders[pointer], sizeof sampler->border);
    else
        memcpy(sampler->border, plain_borders[type % BORDER_TABLE], sizeof sampler->border);
}
