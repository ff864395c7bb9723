/* HSA: the images extension. An image is a descriptor over memory of the program's: rows follow each other at a pitch, slices and layers behind
 * their rows, nothing is tiled, so what AMD calls an opaque layout is linear, too. A handle is the address of what kernels read, the
 * descriptor's words; the rest lies behind them. */
#include "hsa/hsa.h"

#include "lane/channel_values.h"
#include "machine/image.h"

#include <stdlib.h>
#include <string.h>

enum { IMAGE = 0x67616d49, SAMPLER = 0x706d6153, MOST_ELEMENTS = 1 << 27 /* of linear memory */ };

typedef struct {
    uint64_t handle;
} hsa_ext_image_t;
typedef struct {
    uint64_t handle;
} hsa_ext_sampler_t;
typedef struct {
    uint32_t channel_type, channel_order;
} hsa_ext_image_format_t;
typedef struct {
    int geometry;
    size_t width, height, depth, array_size;
    hsa_ext_image_format_t format;
} hsa_ext_image_descriptor_t;
typedef struct {
    size_t size, alignment;
} hsa_ext_image_data_info_t;
typedef struct {
    hsa_dim3_t offset, range;
} hsa_ext_image_region_t;
typedef struct {
    uint32_t coordinate_mode, filter_mode, address_mode;
} hsa_ext_sampler_descriptor_t;
typedef struct {
    uint32_t coordinate_mode, filter_mode, address_modes[3];
} hsa_ext_sampler_descriptor_v2_t;

struct image {
    _Alignas(64) uint32_t words[WL_IMAGE_SAMPLER_DWORD];
    uint32_t magic;
    struct wl_hsa_agent *agent;
    hsa_ext_image_format_t format;
    struct wl_image shape;
    uint32_t texel; /* bytes */
    size_t row, slice;
};

struct sampler {
    _Alignas(64) uint32_t words[4];
    uint32_t magic;
};

/* ---- formats and geometries --------------------------------------------------------------------------------- */

/* What AMD's descriptors select for the components x, y, z, w: 0, 1, or 4 + the texel's component. */
#define SELECT(x, y, z, w) ((x) | (y) << 3 | (z) << 6 | (w) << 9)
static const struct order {
    uint8_t channels; /* 0: not supported */
    bool srgb;
    uint16_t selects;
} orders[] = {
    [HSA_EXT_IMAGE_CHANNEL_ORDER_A] = {1, false, SELECT(0, 0, 0, 4)},
    [HSA_EXT_IMAGE_CHANNEL_ORDER_R] = {1, false, SELECT(4, 0, 0, 1)},
    [HSA_EXT_IMAGE_CHANNEL_ORDER_RG] = {2, false, SELECT(4, 5, 0, 1)},
    [HSA_EXT_IMAGE_CHANNEL_ORDER_RA] = {2, false, SELECT(4, 0, 0, 5)},
    [HSA_EXT_IMAGE_CHANNEL_ORDER_RGBA] = {4, false, SELECT(4, 5, 6, 7)},
    [HSA_EXT_IMAGE_CHANNEL_ORDER_BGRA] = {4, false, SELECT(6, 5, 4, 7)},
    [HSA_EXT_IMAGE_CHANNEL_ORDER_ARGB] = {4, false, SELECT(5, 6, 7, 4)},
    [HSA_EXT_IMAGE_CHANNEL_ORDER_ABGR] = {4, false, SELECT(7, 6, 5, 4)},
    [HSA_EXT_IMAGE_CHANNEL_ORDER_SRGBA] = {4, true, SELECT(4, 5, 6, 7)},
    [HSA_EXT_IMAGE_CHANNEL_ORDER_SBGRA] = {4, true, SELECT(6, 5, 4, 7)},
    [HSA_EXT_IMAGE_CHANNEL_ORDER_INTENSITY] = {1, false, SELECT(4, 4, 4, 4)},
    [HSA_EXT_IMAGE_CHANNEL_ORDER_LUMINANCE] = {1, false, SELECT(4, 4, 4, 1)},
    [HSA_EXT_IMAGE_CHANNEL_ORDER_DEPTH] = {1, false, SELECT(4, 0, 0, 1)},
};
static const struct type {
    uint8_t bits; /* 0: not supported */
    uint8_t number;
} types[] = {
    [HSA_EXT_IMAGE_CHANNEL_TYPE_SNORM_INT8] = {8, WL_NUMBER_SNORM},     [HSA_EXT_IMAGE_CHANNEL_TYPE_SNORM_INT16] = {16, WL_NUMBER_SNORM},
    [HSA_EXT_IMAGE_CHANNEL_TYPE_UNORM_INT8] = {8, WL_NUMBER_UNORM},     [HSA_EXT_IMAGE_CHANNEL_TYPE_UNORM_INT16] = {16, WL_NUMBER_UNORM},
    [HSA_EXT_IMAGE_CHANNEL_TYPE_SIGNED_INT8] = {8, WL_NUMBER_SINT},     [HSA_EXT_IMAGE_CHANNEL_TYPE_SIGNED_INT16] = {16, WL_NUMBER_SINT},
    [HSA_EXT_IMAGE_CHANNEL_TYPE_SIGNED_INT32] = {32, WL_NUMBER_SINT},   [HSA_EXT_IMAGE_CHANNEL_TYPE_UNSIGNED_INT8] = {8, WL_NUMBER_UINT},
    [HSA_EXT_IMAGE_CHANNEL_TYPE_UNSIGNED_INT16] = {16, WL_NUMBER_UINT}, [HSA_EXT_IMAGE_CHANNEL_TYPE_UNSIGNED_INT32] = {32, WL_NUMBER_UINT},
    [HSA_EXT_IMAGE_CHANNEL_TYPE_HALF_FLOAT] = {16, WL_NUMBER_FLOAT},    [HSA_EXT_IMAGE_CHANNEL_TYPE_FLOAT] = {32, WL_NUMBER_FLOAT},
};
static const struct geometry {
    uint8_t type; /* enum wl_image_type; 0: linear memory */
    bool has_height, has_depth, has_layers;
} geometries[] = {
    [HSA_EXT_IMAGE_GEOMETRY_1D] = {WL_IMAGE_1D, false, false, false},
    [HSA_EXT_IMAGE_GEOMETRY_2D] = {WL_IMAGE_2D, true, false, false},
    [HSA_EXT_IMAGE_GEOMETRY_3D] = {WL_IMAGE_3D, true, true, false},
    [HSA_EXT_IMAGE_GEOMETRY_1DA] = {WL_IMAGE_1D_ARRAY, false, false, true},
    [HSA_EXT_IMAGE_GEOMETRY_2DA] = {WL_IMAGE_2D_ARRAY, true, false, true},
    [HSA_EXT_IMAGE_GEOMETRY_1DB] = {0, false, false, false},
    [HSA_EXT_IMAGE_GEOMETRY_2DDEPTH] = {WL_IMAGE_2D, true, false, false},
    [HSA_EXT_IMAGE_GEOMETRY_2DADEPTH] = {WL_IMAGE_2D_ARRAY, true, false, true},
};
enum { ORDERS = sizeof orders / sizeof *orders, TYPES = sizeof types / sizeof *types, GEOMETRIES = sizeof geometries / sizeof *geometries };

bool wl_hsa_has_images(const struct wl_hsa_agent *agent) { return agent->context && wl_target_has(&agent->isa.target, WL_HAS_IMAGES); }

/* The format of an agent's images; false: it has none like that. */
static bool format_of(const struct wl_hsa_agent *agent, int geometry, const hsa_ext_image_format_t *format,
                      struct wl_channel_format *result) {
    if (!wl_hsa_has_images(agent) || (unsigned)geometry >= GEOMETRIES || format->channel_type >= TYPES || format->channel_order >= ORDERS)
        return false;
    const struct order *order = &orders[format->channel_order];
    const struct type *type = &types[format->channel_type];
    const bool is_depth = geometry == HSA_EXT_IMAGE_GEOMETRY_2DDEPTH || geometry == HSA_EXT_IMAGE_GEOMETRY_2DADEPTH;
    if (!order->channels || !type->bits || is_depth != (format->channel_order == HSA_EXT_IMAGE_CHANNEL_ORDER_DEPTH) ||
        (order->srgb && (format->channel_type != HSA_EXT_IMAGE_CHANNEL_TYPE_UNORM_INT8 || !geometries[geometry].type)))
        return false;
    *result = (struct wl_channel_format){order->channels, type->bits, order->srgb ? WL_NUMBER_SRGB : type->number, WL_PACKED_NONE};
    return wl_channel_code(agent->isa.target.major, result) != 0;
}

/* A capability of formats of sRGB is not to be written. */
static uint32_t capability_of(const struct wl_hsa_agent *agent, int geometry, const hsa_ext_image_format_t *format) {
    struct wl_channel_format channels;
    if (!format_of(agent, geometry, format, &channels))
        return HSA_EXT_IMAGE_CAPABILITY_NOT_SUPPORTED;
    const uint32_t read = HSA_EXT_IMAGE_CAPABILITY_READ_ONLY | HSA_EXT_IMAGE_CAPABILITY_ACCESS_INVARIANT_DATA_LAYOUT;
    return channels.number == WL_NUMBER_SRGB ? read : read | HSA_EXT_IMAGE_CAPABILITY_WRITE_ONLY | HSA_EXT_IMAGE_CAPABILITY_READ_WRITE;
}

HSA hsa_ext_image_get_capability(hsa_agent_t agent, int geometry, const hsa_ext_image_format_t *image_format, uint32_t *capability_mask) {
    HSA_STARTED();
    const struct wl_hsa_agent *a = wl_hsa_agent(agent);
    HSA_REQUIRE(a, HSA_STATUS_ERROR_INVALID_AGENT);
    HSA_REQUIRE(image_format && capability_mask, HSA_STATUS_ERROR_INVALID_ARGUMENT);
    *capability_mask = capability_of(a, geometry, image_format);
    return HSA_STATUS_SUCCESS;
}

HSA hsa_ext_image_get_capability_with_layout(hsa_agent_t agent, int geometry, const hsa_ext_image_format_t *image_format,
                                             int image_data_layout, uint32_t *capability_mask) {
    HSA_REQUIRE(image_data_layout == HSA_EXT_IMAGE_DATA_LAYOUT_LINEAR, HSA_STATUS_ERROR_INVALID_ARGUMENT);
    return hsa_ext_image_get_capability(agent, geometry, image_format, capability_mask);
}

hsa_status_t wl_hsa_image_info(const struct wl_hsa_agent *agent, int attribute, void *value) {
    enum { READ_HANDLES = 128, WRITE_HANDLES = 64, SAMPLERS = 16 }; /* as HSA asks at least; there are as many as there is memory */
    const uint32_t any = wl_hsa_has_images(agent);
    uint32_t *numbers = value; /* two for images with rows, three for those with slices */
    switch (attribute) {
    case HSA_EXT_AGENT_INFO_IMAGE_3D_MAX_ELEMENTS:
        numbers[2] = any * WL_IMAGE_MAX_SLICES;
        __attribute__((fallthrough));
    case HSA_EXT_AGENT_INFO_IMAGE_2D_MAX_ELEMENTS:
    case HSA_EXT_AGENT_INFO_IMAGE_2DA_MAX_ELEMENTS:
    case HSA_EXT_AGENT_INFO_IMAGE_2DDEPTH_MAX_ELEMENTS:
    case HSA_EXT_AGENT_INFO_IMAGE_2DADEPTH_MAX_ELEMENTS:
        numbers[1] = any * WL_IMAGE_MAX_SIZE;
        __attribute__((fallthrough));
    case HSA_EXT_AGENT_INFO_IMAGE_1D_MAX_ELEMENTS:
    case HSA_EXT_AGENT_INFO_IMAGE_1DA_MAX_ELEMENTS:
        numbers[0] = any * WL_IMAGE_MAX_SIZE;
        break;
    case HSA_EXT_AGENT_INFO_IMAGE_1DB_MAX_ELEMENTS:
        numbers[0] = any * MOST_ELEMENTS;
        break;
    case HSA_EXT_AGENT_INFO_IMAGE_ARRAY_MAX_LAYERS:
        numbers[0] = any * WL_IMAGE_MAX_SLICES;
        break;
    case HSA_EXT_AGENT_INFO_MAX_IMAGE_RD_HANDLES:
        numbers[0] = any * READ_HANDLES;
        break;
    case HSA_EXT_AGENT_INFO_MAX_IMAGE_RORW_HANDLES:
        numbers[0] = any * WRITE_HANDLES;
        break;
    case HSA_EXT_AGENT_INFO_MAX_SAMPLER_HANDLERS:
        numbers[0] = any * SAMPLERS;
        break;
    case HSA_EXT_AGENT_INFO_IMAGE_LINEAR_ROW_PITCH_ALIGNMENT:
        numbers[0] = any * WL_IMAGE_ROW_ALIGNMENT;
        break;
    default:
        return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    }
    return HSA_STATUS_SUCCESS;
}

/* ---- layouts ------------------------------------------------------------------------------------------------- */

/* Rows of images that kernels find by a pitch lie a multiple of 256 bytes apart; from gfx10 on that pitch is not told of images with slices. */
static hsa_status_t lay_out(struct image *image, bool is_linear, size_t row, size_t slice) {
    const size_t bytes = (size_t)image->shape.width * image->texel, rows = image->shape.height, slices = image->shape.depth;
    const size_t least = rows * slices > 1 ? wl_image_row_up(bytes) : bytes;
    image->row = row ? row : is_linear ? bytes : least;
    image->slice = slice ? slice : image->row * rows;
    if (!image->shape.type || rows * slices == 1)
        return image->row >= bytes && image->row % image->texel == 0 ? HSA_STATUS_SUCCESS : HSA_EXT_STATUS_ERROR_IMAGE_PITCH_UNSUPPORTED;
    const bool told = slices == 1 || image->agent->isa.target.major < 10;
    if (image->row % WL_IMAGE_ROW_ALIGNMENT || image->row < least || (!told && image->row != least) || image->slice != image->row * rows)
        return HSA_EXT_STATUS_ERROR_IMAGE_PITCH_UNSUPPORTED;
    image->shape.pitch = (uint32_t)(image->row / image->texel);
    return HSA_STATUS_SUCCESS;
}

static bool extent(size_t value, bool used, size_t most, uint32_t *result) {
    *result = used ? (uint32_t)value : 1;
    return used ? value > 0 && value <= most : value <= 1;
}

/* Fills everything of an image but its words and its memory's address. */
static hsa_status_t plan(hsa_agent_t agent, const hsa_ext_image_descriptor_t *descriptor, int access, bool is_linear, size_t row,
                         size_t slice, struct image *image) {
    struct wl_hsa_agent *a = wl_hsa_agent(agent);
    HSA_REQUIRE(a, HSA_STATUS_ERROR_INVALID_AGENT);
    HSA_REQUIRE(descriptor && access >= HSA_ACCESS_PERMISSION_RO && access <= HSA_ACCESS_PERMISSION_RW, HSA_STATUS_ERROR_INVALID_ARGUMENT);
    *image = (struct image){.magic = IMAGE, .agent = a, .format = descriptor->format};
    if (!format_of(a, descriptor->geometry, &descriptor->format, &image->shape.format) ||
        (image->shape.format.number == WL_NUMBER_SRGB && access != HSA_ACCESS_PERMISSION_RO))
        return HSA_EXT_STATUS_ERROR_IMAGE_FORMAT_UNSUPPORTED;
    const struct geometry *geometry = &geometries[descriptor->geometry];
    uint32_t layers;
    if (!extent(descriptor->width, true, geometry->type ? WL_IMAGE_MAX_SIZE : MOST_ELEMENTS, &image->shape.width) ||
        !extent(descriptor->height, geometry->has_height, WL_IMAGE_MAX_SIZE, &image->shape.height) ||
        !extent(descriptor->depth, geometry->has_depth, WL_IMAGE_MAX_SLICES, &image->shape.depth) ||
        !extent(descriptor->array_size, geometry->has_layers, WL_IMAGE_MAX_SLICES, &layers))
        return HSA_EXT_STATUS_ERROR_IMAGE_SIZE_UNSUPPORTED;
    image->shape.depth *= layers;
    image->shape.type = geometry->type;
    image->shape.selects = orders[descriptor->format.channel_order].selects;
    image->texel = wl_channel_bytes(&image->shape.format);
    return lay_out(image, is_linear, row, slice);
}

static hsa_status_t size_of(hsa_status_t status, const struct image *image, hsa_ext_image_data_info_t *info) {
    HSA_REQUIRE(info, HSA_STATUS_ERROR_INVALID_ARGUMENT);
    if (status == HSA_STATUS_SUCCESS)
        *info = (hsa_ext_image_data_info_t){image->slice * image->shape.depth, WL_IMAGE_BASE_ALIGNMENT};
    return status;
}

HSA hsa_ext_image_data_get_info(hsa_agent_t agent, const hsa_ext_image_descriptor_t *image_descriptor, int access_permission,
                                hsa_ext_image_data_info_t *image_data_info) {
    HSA_STARTED();
    struct image image;
    return size_of(plan(agent, image_descriptor, access_permission, false, 0, 0, &image), &image, image_data_info);
}

HSA hsa_ext_image_data_get_info_with_layout(hsa_agent_t agent, const hsa_ext_image_descriptor_t *image_descriptor, int access_permission,
                                            int image_data_layout, size_t image_data_row_pitch, size_t image_data_slice_pitch,
                                            hsa_ext_image_data_info_t *image_data_info) {
    HSA_STARTED();
    struct image image;
    HSA_REQUIRE(image_data_layout == HSA_EXT_IMAGE_DATA_LAYOUT_LINEAR, HSA_STATUS_ERROR_INVALID_ARGUMENT);
    return size_of(plan(agent, image_descriptor, access_permission, true, image_data_row_pitch, image_data_slice_pitch, &image), &image,
                   image_data_info);
}

/* ---- making images -------------------------------------------------------------------------------------------- */

static hsa_status_t create(hsa_agent_t agent, const hsa_ext_image_descriptor_t *descriptor, const void *data, int access, bool is_linear,
                           size_t row, size_t slice, hsa_ext_image_t *handle) {
    struct image image, *made;
    const hsa_status_t status = plan(agent, descriptor, access, is_linear, row, slice, &image);
    if (status != HSA_STATUS_SUCCESS)
        return status;
    HSA_REQUIRE(data && (uintptr_t)data % WL_IMAGE_BASE_ALIGNMENT == 0 && handle, HSA_STATUS_ERROR_INVALID_ARGUMENT);
    image.shape.base = (uint64_t)(uintptr_t)data;
    if (image.shape.type)
        wl_image_encode(image.agent->isa.target.major, &image.shape, image.words);
    else
        wl_image_encode_linear(image.agent->isa.target.major, &image.shape.format, image.shape.base, image.shape.width, image.words);
    image.words[8] = image.format.channel_type; /* what device code answers when it is asked for them */
    image.words[9] = image.format.channel_order;
    if (wl_core.memory_allocate(wl_core.context_at(0), WL_MEMORY_HOST, sizeof image, 0, (void **)&made) != WL_OK)
        return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
    *made = image;
    *handle = (hsa_ext_image_t){(uint64_t)(uintptr_t)made};
    return HSA_STATUS_SUCCESS;
}

HSA hsa_ext_image_create(hsa_agent_t agent, const hsa_ext_image_descriptor_t *image_descriptor, const void *image_data,
                         int access_permission, hsa_ext_image_t *image) {
    HSA_STARTED();
    return create(agent, image_descriptor, image_data, access_permission, false, 0, 0, image);
}

HSA hsa_ext_image_create_with_layout(hsa_agent_t agent, const hsa_ext_image_descriptor_t *image_descriptor, const void *image_data,
                                     int access_permission, int image_data_layout, size_t image_data_row_pitch,
                                     size_t image_data_slice_pitch, hsa_ext_image_t *image) {
    HSA_STARTED();
    HSA_REQUIRE(image_data_layout == HSA_EXT_IMAGE_DATA_LAYOUT_LINEAR, HSA_STATUS_ERROR_INVALID_ARGUMENT);
    return create(agent, image_descriptor, image_data, access_permission, true, image_data_row_pitch, image_data_slice_pitch, image);
}

/* An image of that agent; NULL: it is none. */
static struct image *image_of(hsa_agent_t agent, hsa_ext_image_t handle) {
    struct image *image = (struct image *)(uintptr_t)handle.handle;
    return image && image->magic == IMAGE && image->agent == wl_hsa_agent(agent) ? image : NULL;
}

HSA hsa_ext_image_destroy(hsa_agent_t agent, hsa_ext_image_t image) {
    HSA_STARTED();
    HSA_REQUIRE(wl_hsa_agent(agent), HSA_STATUS_ERROR_INVALID_AGENT);
    struct image *i = image_of(agent, image);
    HSA_REQUIRE(i, HSA_STATUS_ERROR_INVALID_ARGUMENT);
    i->magic = 0;
    (void)wl_core.memory_free(i, 1u << WL_MEMORY_HOST);
    return HSA_STATUS_SUCCESS;
}

/* ---- samplers -------------------------------------------------------------------------------------------------- */

static hsa_status_t make_sampler(hsa_agent_t agent, const hsa_ext_sampler_descriptor_v2_t *descriptor, hsa_ext_sampler_t *handle) {
    static const uint8_t wraps[] = {[HSA_EXT_SAMPLER_ADDRESSING_MODE_UNDEFINED] = WL_WRAP_CLAMP,
                                    [HSA_EXT_SAMPLER_ADDRESSING_MODE_CLAMP_TO_EDGE] = WL_WRAP_CLAMP,
                                    [HSA_EXT_SAMPLER_ADDRESSING_MODE_CLAMP_TO_BORDER] = WL_WRAP_BORDER,
                                    [HSA_EXT_SAMPLER_ADDRESSING_MODE_REPEAT] = WL_WRAP_REPEAT,
                                    [HSA_EXT_SAMPLER_ADDRESSING_MODE_MIRRORED_REPEAT] = WL_WRAP_MIRROR};
    const struct wl_hsa_agent *a = wl_hsa_agent(agent);
    HSA_REQUIRE(a, HSA_STATUS_ERROR_INVALID_AGENT);
    HSA_REQUIRE(handle, HSA_STATUS_ERROR_INVALID_ARGUMENT);
    if (!wl_hsa_has_images(a) || descriptor->coordinate_mode > HSA_EXT_SAMPLER_COORDINATE_MODE_NORMALIZED ||
        descriptor->filter_mode > HSA_EXT_SAMPLER_FILTER_MODE_LINEAR)
        return HSA_EXT_STATUS_ERROR_SAMPLER_DESCRIPTOR_UNSUPPORTED;
    const bool linear = descriptor->filter_mode == HSA_EXT_SAMPLER_FILTER_MODE_LINEAR;
    struct wl_sampler sampler = {.unnormalized = descriptor->coordinate_mode == HSA_EXT_SAMPLER_COORDINATE_MODE_UNNORMALIZED,
                                 .linear = linear,
                                 .linear_min = linear,
                                 .linear_z = linear};
    for (unsigned i = 0; i < 3; i++) {
        if (descriptor->address_modes[i] >= sizeof wraps)
            return HSA_EXT_STATUS_ERROR_SAMPLER_DESCRIPTOR_UNSUPPORTED;
        sampler.wrap[i] = wraps[descriptor->address_modes[i]];
    }
    struct sampler *made;
    if (wl_core.memory_allocate(wl_core.context_at(0), WL_MEMORY_HOST, sizeof *made, 0, (void **)&made) != WL_OK)
        return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
    *made = (struct sampler){.magic = SAMPLER};
    (void)wl_sampler_encode(a->isa.target.major, &sampler, made->words); /* cannot fail: its border is a plain one */
    *handle = (hsa_ext_sampler_t){(uint64_t)(uintptr_t)made};
    return HSA_STATUS_SUCCESS;
}

HSA hsa_ext_sampler_create_v2(hsa_agent_t agent, const hsa_ext_sampler_descriptor_v2_t *sampler_descriptor, hsa_ext_sampler_t *sampler) {
    HSA_STARTED();
    HSA_REQUIRE(sampler_descriptor, HSA_STATUS_ERROR_INVALID_ARGUMENT);
    return make_sampler(agent, sampler_descriptor, sampler);
}

HSA hsa_ext_sampler_create(hsa_agent_t agent, const hsa_ext_sampler_descriptor_t *sampler_descriptor, hsa_ext_sampler_t *sampler) {
    HSA_STARTED();
    HSA_REQUIRE(sampler_descriptor, HSA_STATUS_ERROR_INVALID_ARGUMENT);
    const uint32_t mode = sampler_descriptor->address_mode;
    const hsa_ext_sampler_descriptor_v2_t same = {sampler_descriptor->coordinate_mode, sampler_descriptor->filter_mode, {mode, mode, mode}};
    return make_sampler(agent, &same, sampler);
}

HSA hsa_ext_sampler_destroy(hsa_agent_t agent, hsa_ext_sampler_t sampler) {
    HSA_STARTED();
    HSA_REQUIRE(wl_hsa_agent(agent), HSA_STATUS_ERROR_INVALID_AGENT);
    struct sampler *s = (struct sampler *)(uintptr_t)sampler.handle;
    HSA_REQUIRE(s && s->magic == SAMPLER, HSA_STATUS_ERROR_INVALID_ARGUMENT);
    s->magic = 0;
    (void)wl_core.memory_free(s, 1u << WL_MEMORY_HOST);
    return HSA_STATUS_SUCCESS;
}

/* ---- contents: done when the calls return --------------------------------------------------------------------- */

/* A part of an image: its first byte, how many bytes its rows have, and how many rows and slices there are. Layers of 1D images are counted in y by
 * some and in z by others. False: it is not within. */
struct part {
    char *first;
    size_t width, rows, slices;
};
static bool part_of(const struct image *image, const hsa_dim3_t *offset, const hsa_dim3_t *range, struct part *part) {
    const bool by_y = image->shape.type == WL_IMAGE_1D_ARRAY && range->y > 1;
    const uint64_t x = offset->x, y = image->shape.type == WL_IMAGE_1D_ARRAY ? 0 : offset->y;
    const uint64_t z = image->shape.type == WL_IMAGE_1D_ARRAY ? (uint64_t)offset->y + offset->z : offset->z;
    const uint64_t rows = by_y || !range->y ? 1 : range->y, slices = by_y ? range->y : range->z ? range->z : 1;
    *part = (struct part){(char *)(uintptr_t)image->shape.base + z * image->slice + y * image->row + x * image->texel,
                          (size_t)range->x * image->texel, rows, slices};
    return range->x && x + range->x <= image->shape.width && y + rows <= image->shape.height && z + slices <= image->shape.depth;
}

static hsa_status_t move(const struct part *part, char *target, size_t target_row, size_t target_slice, const char *source,
                         size_t source_row, size_t source_slice) {
    return wl_hsa_copy_rows(
        &(struct wl_hsa_rows){target, source, part->width, part->rows, part->slices, target_row, source_row, target_slice, source_slice});
}

static hsa_status_t find_part(hsa_agent_t agent, hsa_ext_image_t handle, const hsa_ext_image_region_t *region, struct image **image,
                              struct part *part) {
    HSA_REQUIRE(wl_hsa_agent(agent), HSA_STATUS_ERROR_INVALID_AGENT);
    *image = image_of(agent, handle);
    HSA_REQUIRE(*image && region && part_of(*image, &region->offset, &region->range, part), HSA_STATUS_ERROR_INVALID_ARGUMENT);
    return HSA_STATUS_SUCCESS;
}

/* The program's own pitches; those that are too small count as what is needed. */
static void pitches(const struct part *part, size_t *row, size_t *slice) {
    *row = *row > part->width ? *row : part->width;
    *slice = *slice > *row * part->rows ? *slice : *row * part->rows;
}

HSA hsa_ext_image_import(hsa_agent_t agent, const void *src_memory, size_t src_row_pitch, size_t src_slice_pitch, hsa_ext_image_t dst_image,
                         const hsa_ext_image_region_t *image_region) {
    HSA_STARTED();
    struct image *image;
    struct part part;
    const hsa_status_t status = find_part(agent, dst_image, image_region, &image, &part);
    HSA_REQUIRE(status == HSA_STATUS_SUCCESS, status);
    HSA_REQUIRE(src_memory, HSA_STATUS_ERROR_INVALID_ARGUMENT);
    pitches(&part, &src_row_pitch, &src_slice_pitch);
    return move(&part, part.first, image->row, image->slice, src_memory, src_row_pitch, src_slice_pitch);
}

HSA hsa_ext_image_export(hsa_agent_t agent, hsa_ext_image_t src_image, void *dst_memory, size_t dst_row_pitch, size_t dst_slice_pitch,
                         const hsa_ext_image_region_t *image_region) {
    HSA_STARTED();
    struct image *image;
    struct part part;
    const hsa_status_t status = find_part(agent, src_image, image_region, &image, &part);
    HSA_REQUIRE(status == HSA_STATUS_SUCCESS, status);
    HSA_REQUIRE(dst_memory, HSA_STATUS_ERROR_INVALID_ARGUMENT);
    pitches(&part, &dst_row_pitch, &dst_slice_pitch);
    return move(&part, dst_memory, dst_row_pitch, dst_slice_pitch, part.first, image->row, image->slice);
}

HSA hsa_ext_image_copy(hsa_agent_t agent, hsa_ext_image_t src_image, const hsa_dim3_t *src_offset, hsa_ext_image_t dst_image,
                       const hsa_dim3_t *dst_offset, const hsa_dim3_t *range) {
    HSA_STARTED();
    HSA_REQUIRE(wl_hsa_agent(agent), HSA_STATUS_ERROR_INVALID_AGENT);
    const struct image *source = image_of(agent, src_image), *target = image_of(agent, dst_image);
    struct part from, to;
    HSA_REQUIRE(source && target && src_offset && dst_offset && range && part_of(source, src_offset, range, &from) &&
                    part_of(target, dst_offset, range, &to) && from.rows == to.rows && from.slices == to.slices,
                HSA_STATUS_ERROR_INVALID_ARGUMENT);
    HSA_REQUIRE(source->texel == target->texel && source->format.channel_type == target->format.channel_type &&
                    orders[source->format.channel_order].selects == orders[target->format.channel_order].selects,
                HSA_STATUS_ERROR_INVALID_ARGUMENT);
    return move(&to, to.first, target->row, target->slice, from.first, source->row, source->slice);
}

/* The element whose components kernels see as `data`, as a texel. */
static void texel_of(const struct image *image, const uint32_t data[4], uint8_t *texel) {
    uint32_t element[4] = {0};
    for (unsigned i = 4; i-- > 0;) {
        const unsigned select = image->shape.selects >> 3 * i & 7;
        if (select >= 4)
            element[select - 4] = data[i];
    }
    wl_channels_store(&image->shape.format, texel, element);
}

HSA hsa_ext_image_clear(hsa_agent_t agent, hsa_ext_image_t image, const void *data, const hsa_ext_image_region_t *image_region) {
    HSA_STARTED();
    struct image *i;
    struct part part;
    hsa_status_t status = find_part(agent, image, image_region, &i, &part);
    HSA_REQUIRE(status == HSA_STATUS_SUCCESS, status);
    HSA_REQUIRE(data, HSA_STATUS_ERROR_INVALID_ARGUMENT);
    uint32_t element[4];
    uint8_t *row = malloc(part.width);
    HSA_REQUIRE(row, HSA_STATUS_ERROR_OUT_OF_RESOURCES);
    memcpy(element, data, sizeof element);
    texel_of(i, element, row);
    for (size_t at = i->texel; at < part.width; at++)
        row[at] = row[at - i->texel];
    status = move(&part, part.first, i->row, i->slice, (const char *)row, 0, 0);
    free(row);
    return status;
}

/* ---- the extension's table --------------------------------------------------------------------------------------- */

#define ENTRY(function) (const void *)(uintptr_t)(function)
const void *const wl_hsa_image_functions[WL_HSA_IMAGE_FUNCTIONS] = {
    ENTRY(hsa_ext_image_get_capability),
    ENTRY(hsa_ext_image_data_get_info),
    ENTRY(hsa_ext_image_create),
    ENTRY(hsa_ext_image_destroy),
    ENTRY(hsa_ext_image_copy),
    ENTRY(hsa_ext_image_import),
    ENTRY(hsa_ext_image_export),
    ENTRY(hsa_ext_image_clear),
    ENTRY(hsa_ext_sampler_create),
    ENTRY(hsa_ext_sampler_destroy),
    ENTRY(hsa_ext_image_get_capability_with_layout),
    ENTRY(hsa_ext_image_data_get_info_with_layout),
    ENTRY(hsa_ext_image_create_with_layout),
};
