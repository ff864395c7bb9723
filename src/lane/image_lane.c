/* What image_lane.h describes. */
#include "lane/image_lane.h"

#include <math.h>
#include <string.h>

/* ---- addresses ------------------------------------------------------------------------------------ */

/* Takes one lane's addresses in order; 16-bit ones come in pairs. */
struct cursor {
    const struct wl_image_access *access;
    uint32_t lane;
    unsigned next;
    bool upper; /* the upper half of the register before is next */
};

static uint32_t take(struct cursor *c) {
    unsigned i = c->next++;
    uint32_t row = (i < 8 ? c->access->rows[0] : c->access->rows[1]) >> i % 8 * 8 & 255;
    c->upper = false;
    return c->access->vgpr[(uint64_t)row * c->access->wave_size + c->lane];
}

static uint16_t take_half(struct cursor *c) {
    if (c->upper) {
        c->next--;
        return (uint16_t)(take(c) >> 16);
    }
    uint16_t low = (uint16_t)take(c);
    c->upper = true;
    return low;
}

static float take_float(struct cursor *c, bool half) {
    if (half)
        return wl_half_to_float(take_half(c));
    uint32_t bits = take(c);
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* An unsigned coordinate of 16 bits, or a signed one. */
static int64_t take_integer(struct cursor *c, bool half) { return half ? (int64_t)take_half(c) : (int64_t)(int32_t)take(c); }

/* ---- results -------------------------------------------------------------------------------------- */

static void put_component(const struct wl_image_access *a, unsigned index, uint32_t lane, uint32_t value, bool is_float) {
    if (!(a->modifiers & WL_IMAGE_D16)) {
        *wl_image_register(a, index, lane) = value;
        return;
    }
    float f;
    memcpy(&f, &value, sizeof f);
    uint32_t half = is_float ? wl_float_to_half(f) : value & 0xffff, *at = wl_image_register(a, index / 2, lane);
    *at = index % 2 ? (*at & 0xffff) | half << 16 : (*at & 0xffff0000) | half;
}

static void put_result(const struct wl_image_access *a, uint32_t lane, uint32_t dmask, const union wl_texel *texel, bool is_float) {
    unsigned count = 0;
    for (unsigned i = 0; i < 4; i++)
        if (dmask >> i & 1)
            put_component(a, count++, lane, texel->u[i], is_float);
    if (a->modifiers & WL_IMAGE_STATUS)
        *wl_image_register(a, a->modifiers & WL_IMAGE_D16 ? (count + 1) / 2 : count, lane) = 0;
}

static bool is_float(const struct wl_image_access *a) {
    return a->image.format.number != WL_NUMBER_UINT && a->image.format.number != WL_NUMBER_SINT;
}

/* ---- loads, stores, atomics ----------------------------------------------------------------------- */

uint8_t *wl_image_find_texel(const struct wl_image_access *a, uint32_t lane) {
    struct cursor c = {.access = a, .lane = lane};
    struct wl_image_level level;
    int64_t at[3] = {0, 0, 0};
    bool half = a->modifiers & WL_IMAGE_A16;
    for (unsigned i = 0; i < 3; i++)
        if (i < a->axes)
            at[i] = take_integer(&c, half);
    if (a->sliced)
        at[2] = take_integer(&c, half);
    int64_t number = a->operation & WL_IMAGE_LEVEL ? take_integer(&c, half) : 0;
    if (!a->valid || number < 0 || number > (int64_t)a->image.last_level - a->image.first_level)
        return NULL;
    wl_image_find_level(&a->image, (uint32_t)number, &level);
    return wl_image_texel(&a->image, &level, at[0], at[1], at[2]);
}

static void load_raw(const struct wl_image_access *a, const uint8_t *memory, union wl_texel *texel) {
    struct wl_channel_format raw = a->image.format;
    raw.number = a->operation & WL_IMAGE_SIGNED ? WL_NUMBER_SINT : WL_NUMBER_UINT;
    wl_channels_load(&raw, memory, texel->u);
}

/* Where the components of a texel come from. */
static uint32_t select_channel(const struct wl_image_access *a, unsigned component, const union wl_texel *texel) {
    unsigned select = a->image.selects >> component * 3 & 7;
    if (a->image.selects == 0 || a->operation & WL_IMAGE_RAW)
        select = component + 4;
    return wl_image_selected(texel, select, !is_float(a));
}

void wl_image_load_lane(const struct wl_image_access *a, uint32_t lane) {
    const uint8_t *memory = wl_image_find_texel(a, lane);
    union wl_texel texel = {.u = {0, 0, 0, 0}}, result = texel;
    if (memory) {
        if (a->operation & WL_IMAGE_RAW)
            load_raw(a, memory, &texel);
        else
            wl_channels_load(&a->image.format, memory, texel.u);
        for (unsigned i = 0; i < 4; i++)
            result.u[i] = select_channel(a, i, &texel);
    }
    put_result(a, lane, wl_image_dmask(a), &result, is_float(a) && !(a->operation & WL_IMAGE_RAW));
}

static uint32_t stored_component(const struct wl_image_access *a, unsigned index, uint32_t lane) {
    if (!(a->modifiers & WL_IMAGE_D16))
        return *wl_image_register(a, index, lane);
    uint32_t half = *wl_image_register(a, index / 2, lane) >> index % 2 * 16 & 0xffff, bits;
    if (!is_float(a))
        return a->image.format.number == WL_NUMBER_SINT ? (uint32_t)(int16_t)half : half;
    float value = wl_half_to_float((uint16_t)half);
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

void wl_image_store_lane(const struct wl_image_access *a, uint32_t lane) {
    uint8_t *memory = wl_image_find_texel(a, lane);
    union wl_texel given = {.u = {0, 0, 0, 0}}, texel = given;
    if (!memory)
        return;
    for (unsigned i = 0, count = 0; i < 4; i++)
        if (wl_image_dmask(a) >> i & 1)
            given.u[i] = stored_component(a, count++, lane);
    for (unsigned i = 0; i < 4; i++) {
        unsigned select = a->image.selects >> i * 3 & 7;
        if (a->image.selects == 0 || a->operation & WL_IMAGE_RAW)
            select = i + 4;
        for (unsigned k = 0; k < 4; k++)
            texel.u[k] = select == k + 4 ? given.u[i] : texel.u[k];
    }
    struct wl_channel_format format = a->image.format;
    if (a->operation & WL_IMAGE_RAW)
        format.number = WL_NUMBER_UINT;
    wl_channels_store(&format, memory, texel.u);
}

void wl_image_resinfo_lane(const struct wl_image_access *a, uint32_t lane) {
    struct cursor c = {.access = a, .lane = lane};
    int64_t number = take_integer(&c, a->modifiers & WL_IMAGE_A16);
    union wl_texel size = {.u = {0, 0, 0, 0}};
    if (a->valid) {
        uint32_t levels = a->image.last_level - a->image.first_level + 1;
        struct wl_image_level level;
        if (number >= 0 && number < levels) {
            wl_image_find_level(&a->image, (uint32_t)number, &level);
            bool cube = a->image.type == WL_IMAGE_CUBE;
            size = (union wl_texel){.u = {level.width, level.height, cube ? level.depth / 6 : level.depth, 0}};
        }
        size.u[3] = levels;
    }
    put_result(a, lane, wl_image_dmask(a), &size, false);
}

/* ---- samples -------------------------------------------------------------------------------------- */

static int signed6(uint32_t bits) { return (int)(bits << 26) >> 26; }

static void read_gradient(const struct wl_image_access *a, struct cursor *c, bool half, float gradient[3]) {
    for (unsigned i = 0; i < 3; i++)
        if (i < a->axes)
            gradient[i] = take_float(c, half);
    c->upper = false;
}

void wl_image_read_place(const struct wl_image_access *a, uint32_t lane, struct wl_sample_place *place) {
    struct cursor c = {.access = a, .lane = lane};
    uint32_t operation = a->operation;
    bool half = a->modifiers & WL_IMAGE_A16;
    bool half_gradient = operation & WL_IMAGE_G16 || (half && WL_IMAGE_GENERATION_OF(a->modifiers) == 9);
    float bias = 0, gradients[2][3] = {{0, 0, 0}, {0, 0, 0}};
    *place = (struct wl_sample_place){.unnormalized = a->sampler.unnormalized || a->modifiers & WL_IMAGE_UNORM,
                                      .compare = operation & WL_IMAGE_COMPARE};
    if (operation & WL_IMAGE_OFFSET) {
        uint32_t packed = take(&c);
        for (unsigned i = 0; i < 3; i++)
            place->offset[i] = signed6(packed >> i * 8 & 63);
    }
    if (operation & WL_IMAGE_BIAS) {
        bias = take_float(&c, half);
        c.upper = false; /* alone in its register */
    }
    if (operation & WL_IMAGE_COMPARE)
        place->reference = take_float(&c, false);
    if (operation & WL_IMAGE_GRADIENT) {
        read_gradient(a, &c, half_gradient, gradients[0]);
        read_gradient(a, &c, half_gradient, gradients[1]);
    }
    for (unsigned i = 0; i < 3; i++)
        if (i < a->axes)
            place->at[i] = take_float(&c, half);
    if (a->sliced)
        place->slice = take_float(&c, half);
    if (a->image.type == WL_IMAGE_CUBE) /* the cube instructions give 0 to 1, or 1 to 2 where 1.5 is added to them */
        for (unsigned i = 0; i < 2; i++)
            place->at[i] -= place->at[i] > 1 ? 1 : 0;
    if (operation & WL_IMAGE_LEVEL)
        place->lod = take_float(&c, half);
    else if (operation & WL_IMAGE_GRADIENT)
        place->lod = wl_image_lod(&a->image, place->unnormalized, gradients[0], gradients[1]);
    if (operation & WL_IMAGE_CLAMP)
        place->least = take_float(&c, half);
    place->lod += bias;
}

void wl_image_sample_lane(const struct wl_image_access *a, uint32_t lane, const struct wl_sample_place *place) {
    union wl_texel texel = {.u = {0, 0, 0, 0}};
    uint32_t dmask = wl_image_dmask(a);
    bool floats = is_float(a) || place->compare;
    if (a->kind == WL_IMAGE_LOD) {
        if (a->valid)
            texel = (union wl_texel){.f = {wl_image_clamp_lod(&a->image, &a->sampler, place), place->lod + a->sampler.bias, 0, 0}};
        floats = true;
    } else if (a->kind == WL_IMAGE_GATHER) {
        if (a->valid)
            wl_image_gather(&a->image, &a->sampler, place, (unsigned)__builtin_ctz(dmask), &texel);
        dmask = 15;
    } else if (a->valid) {
        wl_image_sample(&a->image, &a->sampler, place, &texel);
    }
    put_result(a, lane, dmask, &texel, floats);
}

/* ---- descriptors ---- */

/* The shape that the addresses have: the instruction's, or (gfx9) the resource's, as an array only with DA. */
static void choose_shape(struct wl_image_access *a) {
    static const uint8_t axes[8] = {1, 2, 3, 2, 1, 2, 2, 2};
    static const bool sliced[8] = {[3] = true, [4] = true, [5] = true};
    uint32_t dim = a->modifiers & WL_IMAGE_HAS_DIM ? WL_IMAGE_DIM(a->modifiers) : (uint32_t)a->image.type & 7;
    a->axes = axes[dim];
    a->sliced = sliced[dim];
    if (!(a->modifiers & WL_IMAGE_HAS_DIM) && !(a->modifiers & WL_IMAGE_ARRAY) && dim != 3)
        a->sliced = false;
}

void wl_image_access_make(struct wl_image_access *a, const uint32_t *resource, const uint32_t *sampler, const float (*borders)[4],
                          uint32_t border_count, uint32_t operation, uint32_t modifiers) {
    const unsigned generation = WL_IMAGE_GENERATION_OF(modifiers);
    *a = (struct wl_image_access){.operation = operation, .modifiers = modifiers, .kind = WL_IMAGE_KIND_OF(operation)};
    a->valid = wl_image_decode(generation, resource, modifiers & WL_IMAGE_R128, &a->image);
    if (sampler)
        wl_sampler_decode(generation, sampler, borders, border_count, &a->sampler);
    choose_shape(a);
}

bool wl_image_needs_quad(const struct wl_image_access *a) {
    const bool implicit = !(a->operation & (WL_IMAGE_LEVEL | WL_IMAGE_ZERO | WL_IMAGE_GRADIENT)) && a->kind != WL_IMAGE_GATHER;
    return implicit && (a->kind == WL_IMAGE_LOD || a->image.last_level > a->image.first_level);
}
