/* wl_helpers.image: reads the addresses of an image instruction and does it for each active lane. */
#include "device/cpu/image.h"

#include "base/cpu.h"
#include "device/cpu/lane_mask.h"
#include "device/cpu/lanes.h"
#include "translate/isa.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#define MAX_LANES 64

struct access {
    struct wl_wave *wave;
    uint32_t *data;
    uint64_t rows[2]; /* of the addresses, a byte each */
    uint32_t operation, modifiers, kind;
    struct wl_image image;
    bool valid; /* the resource is one that is known; all else reads 0 */
    struct wl_sampler sampler;
    unsigned axes; /* coordinates without slice */
    bool sliced;
};

/* ---- addresses ------------------------------------------------------------------------------------ */

/* Takes one lane's addresses in order; 16-bit ones come in pairs. */
struct cursor {
    const struct access *access;
    uint32_t lane;
    unsigned next;
    bool upper; /* the upper half of the register before is next */
};

static uint32_t take(struct cursor *c) {
    unsigned i = c->next++;
    uint32_t row = c->access->rows[i / 8 & 1] >> i % 8 * 8 & 255;
    c->upper = false;
    return c->access->wave->vgpr[(uint64_t)row * c->access->wave->wave_size + c->lane];
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

static uint32_t *register_of(const struct access *a, unsigned index, uint32_t lane) {
    return &a->data[(uint64_t)index * a->wave->wave_size + lane];
}

static void put_component(const struct access *a, unsigned index, uint32_t lane, uint32_t value, bool is_float) {
    if (!(a->modifiers & WL_IMAGE_D16)) {
        *register_of(a, index, lane) = value;
        return;
    }
    float f;
    memcpy(&f, &value, sizeof f);
    uint32_t half = is_float ? wl_float_to_half(f) : value & 0xffff, *at = register_of(a, index / 2, lane);
    *at = index % 2 ? (*at & 0xffff) | half << 16 : (*at & 0xffff0000) | half;
}

static void put_result(const struct access *a, uint32_t lane, uint32_t dmask, const union wl_texel *texel, bool is_float) {
    unsigned count = 0;
    for (unsigned i = 0; i < 4; i++)
        if (dmask >> i & 1)
            put_component(a, count++, lane, texel->u[i], is_float);
    if (a->modifiers & WL_IMAGE_STATUS)
        *register_of(a, a->modifiers & WL_IMAGE_D16 ? (count + 1) / 2 : count, lane) = 0;
}

static bool is_float(const struct access *a) {
    return a->image.format.number != WL_NUMBER_UINT && a->image.format.number != WL_NUMBER_SINT;
}

static uint32_t dmask_of(const struct access *a) {
    uint32_t dmask = WL_IMAGE_DMASK(a->modifiers);
    return dmask ? dmask : 1;
}

/* ---- loads, stores, atomics ----------------------------------------------------------------------- */

/* The address of the lane's texel; NULL: outside. */
static uint8_t *find_texel(const struct access *a, uint32_t lane) {
    struct cursor c = {.access = a, .lane = lane};
    struct wl_image_level level;
    int64_t at[3] = {0, 0, 0};
    bool half = a->modifiers & WL_IMAGE_A16;
    for (unsigned i = 0; i < a->axes; i++)
        at[i] = take_integer(&c, half);
    if (a->sliced)
        at[2] = take_integer(&c, half);
    int64_t number = a->operation & WL_IMAGE_LEVEL ? take_integer(&c, half) : 0;
    if (!a->valid || number < 0 || number > (int64_t)a->image.last_level - a->image.first_level)
        return NULL;
    wl_image_find_level(&a->image, (uint32_t)number, &level);
    return wl_image_texel(&a->image, &level, at[0], at[1], at[2]);
}

static void load_raw(const struct access *a, const uint8_t *memory, union wl_texel *texel) {
    struct wl_channel_format raw = a->image.format;
    raw.number = a->operation & WL_IMAGE_SIGNED ? WL_NUMBER_SINT : WL_NUMBER_UINT;
    wl_channels_load(&raw, memory, texel->u);
}

/* Where the components of a texel come from. */
static uint32_t select_channel(const struct access *a, unsigned component, const union wl_texel *texel) {
    unsigned select = a->image.selects >> component * 3 & 7;
    if (a->image.selects == 0 || a->operation & WL_IMAGE_RAW)
        return texel->u[component];
    return select >= 4 ? texel->u[select - 4] : select == 1 ? (is_float(a) ? 0x3f800000 : 1) : 0;
}

static void load_lane(const struct access *a, uint32_t lane) {
    const uint8_t *memory = find_texel(a, lane);
    union wl_texel texel = {.u = {0, 0, 0, 0}}, result = texel;
    if (memory) {
        if (a->operation & WL_IMAGE_RAW)
            load_raw(a, memory, &texel);
        else
            wl_channels_load(&a->image.format, memory, texel.u);
        for (unsigned i = 0; i < 4; i++)
            result.u[i] = select_channel(a, i, &texel);
    }
    put_result(a, lane, dmask_of(a), &result, is_float(a) && !(a->operation & WL_IMAGE_RAW));
}

static uint32_t stored_component(const struct access *a, unsigned index, uint32_t lane) {
    if (!(a->modifiers & WL_IMAGE_D16))
        return *register_of(a, index, lane);
    uint32_t half = *register_of(a, index / 2, lane) >> index % 2 * 16 & 0xffff, bits;
    if (!is_float(a))
        return a->image.format.number == WL_NUMBER_SINT ? (uint32_t)(int16_t)half : half;
    float value = wl_half_to_float((uint16_t)half);
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static void store_lane(const struct access *a, uint32_t lane) {
    uint8_t *memory = find_texel(a, lane);
    union wl_texel given = {.u = {0, 0, 0, 0}}, texel = given;
    if (!memory)
        return;
    for (unsigned i = 0, count = 0; i < 4; i++)
        if (dmask_of(a) >> i & 1)
            given.u[i] = stored_component(a, count++, lane);
    for (unsigned i = 0; i < 4; i++) {
        unsigned select = a->image.selects >> i * 3 & 7;
        if (a->image.selects == 0 || a->operation & WL_IMAGE_RAW)
            texel.u[i] = given.u[i];
        else if (select >= 4)
            texel.u[select - 4] = given.u[i];
    }
    struct wl_channel_format format = a->image.format;
    if (a->operation & WL_IMAGE_RAW)
        format.number = WL_NUMBER_UINT;
    wl_channels_store(&format, memory, texel.u);
}

static void atomic_lane(const struct access *a, uint32_t lane) {
    uint8_t *memory = find_texel(a, lane);
    uint32_t operation = WL_IMAGE_ATOMIC_OF(a->operation);
    bool two = wl_atomic_has_two(operation);
    uint32_t dwords = (uint32_t)__builtin_popcount(dmask_of(a)) / (two ? 2 : 1);
    uint64_t operands[2] = {0, 0}, old = 0;
    dwords = dwords ? dwords : 1;
    for (uint32_t i = 0; i < dwords * (two ? 2 : 1) && i < 4; i++)
        operands[i / dwords] |= (uint64_t)*register_of(a, i, lane) << i % dwords * 32;
    if (memory && wl_channel_bytes(&a->image.format) >= dwords * 4)
        old = wl_atomic_lane(memory, operation, dwords * 32, operands[0], operands[1]);
    for (uint32_t i = 0; i < dwords && a->modifiers & WL_IMAGE_RETURN; i++)
        *register_of(a, i, lane) = (uint32_t)(old >> i * 32);
}

static void resinfo_lane(const struct access *a, uint32_t lane) {
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
    put_result(a, lane, dmask_of(a), &size, false);
}

/* ---- samples -------------------------------------------------------------------------------------- */

static int signed6(uint32_t bits) { return (int)(bits << 26) >> 26; }

static void read_place(const struct access *a, uint32_t lane, struct wl_sample_place *place) {
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
    for (unsigned d = 0; d < 2 && operation & WL_IMAGE_GRADIENT; d++) {
        for (unsigned i = 0; i < a->axes; i++)
            gradients[d][i] = take_float(&c, half_gradient);
        c.upper = false;
    }
    for (unsigned i = 0; i < a->axes; i++)
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

/* Without a level of its own a sample's comes from the differences within its quad of lanes. */
static void add_quad_levels(const struct access *a, uint64_t exec, struct wl_sample_place *places) {
    for (uint32_t quad = 0; quad < a->wave->wave_size; quad += 4) {
        float dx[3] = {0, 0, 0}, dy[3] = {0, 0, 0};
        if (!(exec >> quad & 15))
            continue;
        for (unsigned i = 0; i < a->axes; i++) {
            if ((exec >> quad & 3) == 3)
                dx[i] = places[quad + 1].at[i] - places[quad].at[i];
            if ((exec >> quad & 5) == 5)
                dy[i] = places[quad + 2].at[i] - places[quad].at[i];
        }
        float lod = wl_image_lod(&a->image, places[quad + (uint32_t)__builtin_ctzll(exec >> quad)].unnormalized, dx, dy);
        for (unsigned i = 0; i < 4; i++)
            if (wl_lane_in(exec, quad + i))
                places[quad + i].lod += lod;
    }
}

static void sample_lane(const struct access *a, uint32_t lane, const struct wl_sample_place *place) {
    union wl_texel texel = {.u = {0, 0, 0, 0}};
    uint32_t dmask = dmask_of(a);
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

static void sample_wave(const struct access *a, uint64_t exec) {
    struct wl_sample_place places[MAX_LANES];
    bool implicit = !(a->operation & (WL_IMAGE_LEVEL | WL_IMAGE_ZERO | WL_IMAGE_GRADIENT)) && a->kind != WL_IMAGE_GATHER;
    for (uint32_t l = 0; l < a->wave->wave_size; l++)
        if (wl_lane_in(exec, l))
            read_place(a, l, &places[l]);
    if (implicit && (a->kind == WL_IMAGE_LOD || a->image.last_level > a->image.first_level))
        add_quad_levels(a, exec, places);
    for (uint32_t l = 0; l < a->wave->wave_size; l++)
        if (wl_lane_in(exec, l))
            sample_lane(a, l, &places[l]);
}

/* ---- the lanes together ---------------------------------------------------------------------------- */

static wl_image_wave_fn *kernels = wl_image_base;
static pthread_once_t once = PTHREAD_ONCE_INIT;

enum { PLANS = 8 };
static pthread_key_t plans_key;
static bool has_plans_key; /* a process can have 1024 of them */

static void prepare(void) {
    has_plans_key = pthread_key_create(&plans_key, free) == 0;
#if defined(__x86_64__)
    static wl_image_wave_fn *const by_host[] = {wl_image_base, wl_image_avx2, wl_image_avx512};
    kernels = by_host[wl_cpu_level()];
#endif
}

void wl_image_choose(wl_image_wave_fn *chosen) {
    pthread_once(&once, prepare);
    kernels = chosen;
}

wl_image_wave_fn *wl_image_kernels(void) {
    pthread_once(&once, prepare);
    return kernels;
}

/* An instruction and its descriptors, decoded. */
struct plan {
    struct access access;
    bool together;  /* `wave` describes it but for rows and lanes */
    unsigned first; /* the first coordinate among the addresses */
    struct wl_image_wave wave;
    struct wl_image_levels levels; /* where the sampler reads several */
};

/* What one lane at a time is for: rare operands, rare wraps, several levels, images so large that offsets do not fit. */
static bool is_plain(const struct access *a) {
    const uint32_t rare = WL_IMAGE_COMPARE | WL_IMAGE_OFFSET | WL_IMAGE_G16 | WL_IMAGE_RAW;
    const struct wl_image *image = &a->image;
    struct wl_image_level level;
    if (!a->valid || a->operation & rare || a->modifiers & (WL_IMAGE_A16 | WL_IMAGE_D16 | WL_IMAGE_STATUS) ||
        image->format.number == WL_NUMBER_SRGB || image->format.packed || image->format.channels == 3)
        return false;
    wl_image_find_level(image, 0, &level);
    if (level.slice * level.depth > INT32_MAX)
        return false;
    if (a->kind == WL_IMAGE_STORE && (image->format.number == WL_NUMBER_USCALED || image->format.number == WL_NUMBER_SSCALED))
        return false;
    if (a->kind == WL_IMAGE_LOAD || a->kind == WL_IMAGE_STORE)
        return !(a->operation & WL_IMAGE_LEVEL);
    return a->kind == WL_IMAGE_SAMPLE;
}

static bool has_plain_sampler(const struct access *a) {
    const struct wl_sampler *sampler = &a->sampler;
    const bool volume = a->image.type == WL_IMAGE_3D;
    const unsigned axes = volume ? 3 : a->image.type == WL_IMAGE_1D || a->image.type == WL_IMAGE_1D_ARRAY ? 1 : 2;
    if (a->axes != axes || sampler->linear != sampler->linear_min || (volume && sampler->linear && is_float(a) && !sampler->linear_z))
        return false;
    for (unsigned i = 0; i < axes && a->image.type != WL_IMAGE_CUBE; i++)
        if (sampler->wrap[i] == WL_WRAP_HALF_BORDER || sampler->wrap[i] == WL_WRAP_MIRROR_ONCE_HALF_BORDER ||
            sampler->wrap[i] == WL_WRAP_MIRROR_ONCE_BORDER)
            return false;
    return true;
}

/* Whether a component comes from a channel that the format lacks, which borders have nevertheless. */
static bool reads_missing_channel(const struct access *a, uint32_t selects) {
    for (unsigned i = 0; i < 4; i++)
        if (dmask_of(a) >> i & 1 && (selects >> i * 3 & 7) >= 4u + a->image.format.channels)
            return true;
    return false;
}

/* Levels that addresses give as they are, or 0. False: other ones, too many, or too far away. */
static bool plan_levels(struct plan *p) {
    const struct access *a = &p->access;
    const uint32_t own = WL_IMAGE_BIAS | WL_IMAGE_GRADIENT | WL_IMAGE_CLAMP, last = a->image.last_level - a->image.first_level;
    struct wl_image_levels *levels = &p->levels;
    if (a->operation & own || !(a->operation & (WL_IMAGE_LEVEL | WL_IMAGE_ZERO)) || last >= WL_IMAGE_LEVELS)
        return false;
    *levels = (struct wl_image_levels){.bias = a->sampler.bias,
                                       .least = fmaxf(a->sampler.min_lod, 0),
                                       .most = fminf(a->sampler.max_lod, (float)last),
                                       .nearest = a->sampler.mip == 1 || !is_float(a)};
    for (uint32_t i = 0; i <= last; i++) {
        struct wl_image_level level;
        wl_image_find_level(&a->image, i, &level);
        const uint64_t start = (uint64_t)(level.data - p->wave.level.data) + a->image.first_slice * level.slice;
        if (start + level.slice * level.depth > INT32_MAX)
            return false;
        levels->width[i] = level.width;
        levels->height[i] = level.height;
        levels->depth[i] = level.depth;
        levels->start[i] = (uint32_t)start;
        levels->pitch[i] = (uint32_t)level.pitch;
        levels->slice[i] = (uint32_t)level.slice;
    }
    p->wave.levels = levels;
    return true;
}

static void plan_sampler(struct plan *p) {
    const struct access *a = &p->access;
    struct wl_image_wave *w = &p->wave;
    union wl_texel border;
    w->linear = a->sampler.linear && is_float(a);
    w->unnormalized = a->sampler.unnormalized || a->modifiers & WL_IMAGE_UNORM;
    w->cube = a->image.type == WL_IMAGE_CUBE;
    for (unsigned i = 0; i < a->axes; i++) {
        w->wrap[i] = w->cube ? WL_WRAP_CLAMP : a->sampler.wrap[i];
        w->has_border |= w->wrap[i] == WL_WRAP_BORDER;
    }
    wl_image_border(&a->image, &a->sampler, w->linear, &border);
    memcpy(w->border, border.f, sizeof w->border);
    p->together = !w->has_border || !reads_missing_channel(a, w->selects);
    if (a->sampler.mip != 0 && a->image.last_level > a->image.first_level)
        p->together = plan_levels(p) && p->together;
    p->first = (a->operation & WL_IMAGE_BIAS ? 1 : 0) + (a->operation & WL_IMAGE_GRADIENT ? 2 * a->axes : 0);
}

static void plan_lanes(struct plan *p) {
    enum { IDENTITY = 0xfac };
    const struct access *a = &p->access;
    struct wl_image_wave *w = &p->wave;
    p->first = 0;
    p->together = is_plain(a) && (a->kind != WL_IMAGE_SAMPLE || has_plain_sampler(a));
    if (!p->together)
        return;
    *w = (struct wl_image_wave){.dmask = dmask_of(a),
                                .format = a->image.format,
                                .selects = a->image.selects ? a->image.selects : IDENTITY,
                                .axes = (uint8_t)a->axes,
                                .loads = a->kind == WL_IMAGE_LOAD,
                                .stores = a->kind == WL_IMAGE_STORE};
    wl_image_find_level(&a->image, 0, &w->level);
    w->level.data += a->image.first_slice * w->level.slice;
    if (a->kind == WL_IMAGE_SAMPLE)
        plan_sampler(p);
}

/* The lanes of address `i`. */
static const uint32_t *address_row(const struct wl_wave *wave, const uint64_t rows[2], unsigned i) {
    return wave->vgpr + (rows[i / 8 & 1] >> i % 8 * 8 & 255) * wave->wave_size;
}

static void run_together(const struct plan *p, const struct wl_wave *wave, uint32_t *data, const uint64_t rows[2]) {
    struct wl_image_wave w = p->wave;
    w.data = data;
    w.wave_size = wave->wave_size;
    w.exec = wl_exec(wave);
    for (unsigned i = 0; i < w.axes; i++)
        w.at[i] = address_row(wave, rows, p->first + i);
    if (p->access.sliced)
        w.slices = address_row(wave, rows, p->first + w.axes);
    if (w.levels) {
        w.levels = &p->levels; /* of this plan, wherever it is */
        w.lods = p->access.operation & WL_IMAGE_LEVEL ? address_row(wave, rows, p->first + w.axes + p->access.sliced) : NULL;
    }
    kernels(&w);
}

/* ---- the helper ----------------------------------------------------------------------------------- */

/* The shape that the addresses have: the instruction's, or (gfx9) the resource's, as an array only with DA. */
static void choose_shape(struct access *a) {
    static const uint8_t axes[8] = {1, 2, 3, 2, 1, 2, 2, 2};
    static const bool sliced[8] = {[3] = true, [4] = true, [5] = true};
    uint32_t dim = a->modifiers & WL_IMAGE_HAS_DIM ? WL_IMAGE_DIM(a->modifiers) : (uint32_t)a->image.type & 7;
    a->axes = axes[dim];
    a->sliced = sliced[dim];
    if (!(a->modifiers & WL_IMAGE_HAS_DIM) && !(a->modifiers & WL_IMAGE_ARRAY) && dim != 3)
        a->sliced = false;
}

/* Descriptors as the instruction gives them, and what says how they are read. */
struct key {
    uint32_t resource[8], sampler[4], operation, modifiers;
};
_Static_assert(sizeof(struct key) == 14 * sizeof(uint32_t), "keys are compared as bytes");

static void make_plan(struct plan *p, const struct key *key, bool samples) {
    struct access *a = &p->access;
    const unsigned generation = WL_IMAGE_GENERATION_OF(key->modifiers);
    *a = (struct access){.operation = key->operation, .modifiers = key->modifiers, .kind = WL_IMAGE_KIND_OF(key->operation)};
    a->valid = wl_image_decode(generation, key->resource, key->modifiers & WL_IMAGE_R128, &a->image);
    if (samples)
        wl_sampler_decode(generation, key->sampler, &a->sampler);
    choose_shape(a);
    plan_lanes(p);
}

/* A thread's latest plans, freed when it ends. Descriptors mean the same for ever: border colours only grow in number. */
struct plans {
    struct key key[PLANS];
    struct plan plan[PLANS];
    bool made[PLANS];
};

/* NULL: no memory. Not in the thread's own block, which must stay small: the library may be opened late (fault.c). */
static struct plans *own_plans(void) {
    pthread_once(&once, prepare);
    struct plans *plans = has_plans_key ? pthread_getspecific(plans_key) : NULL;
    if (!plans && has_plans_key && (plans = calloc(1, sizeof *plans)) && pthread_setspecific(plans_key, plans) != 0) {
        free(plans);
        plans = NULL;
    }
    return plans;
}

/* The plan for these descriptors; `spare` is room for one where there is no memory for more. */
static const struct plan *find_plan(const struct key *key, bool samples, struct plan *spare) {
    struct plans *plans = own_plans();
    const uint32_t mix = (key->resource[0] ^ key->operation) * 0x9e3779b1u, at = mix >> 29;
    if (!plans) {
        make_plan(spare, key, samples);
        return spare;
    }
    if (!plans->made[at] || memcmp(&plans->key[at], key, sizeof *key) != 0) {
        plans->key[at] = *key;
        plans->made[at] = true;
        make_plan(&plans->plan[at], key, samples);
    }
    return &plans->plan[at];
}

static void run_lanes(struct access *a, uint64_t exec) {
    static void (*const lanes[])(const struct access *, uint32_t) = {
        [WL_IMAGE_LOAD] = load_lane, [WL_IMAGE_STORE] = store_lane, [WL_IMAGE_RESINFO] = resinfo_lane, [WL_IMAGE_ATOMIC] = atomic_lane};
    if (a->kind == WL_IMAGE_SAMPLE || a->kind == WL_IMAGE_GATHER || a->kind == WL_IMAGE_LOD) {
        sample_wave(a, exec);
        return;
    }
    for (uint32_t l = 0; l < a->wave->wave_size; l++)
        if (wl_lane_in(exec, l))
            lanes[a->kind](a, l);
}

void wl_help_image(struct wl_wave *wave, uint32_t *data, uint64_t low, uint64_t high, const uint32_t *resource, const uint32_t *sampler,
                   uint32_t operation, uint32_t modifiers) {
    enum { NEAREST_WITH_DENORMALS = 0xf0 };
    struct key key = {.operation = operation, .modifiers = modifiers};
    const uint64_t exec = wl_exec(wave);
    if (WL_IMAGE_KIND_OF(operation) == WL_IMAGE_BVH) {
        const uint32_t control = wl_float_enter(NEAREST_WITH_DENORMALS);
        wl_image_intersect(wave, data, (const uint64_t[2]){low, high}, resource, operation, modifiers);
        wl_float_restore(control);
        return;
    }
    memcpy(key.resource, resource, (modifiers & WL_IMAGE_R128 ? 4 : 8) * sizeof *resource);
    if (sampler)
        memcpy(key.sampler, sampler, sizeof key.sampler);
    if (!exec)
        return;
    const uint32_t control = wl_float_enter(NEAREST_WITH_DENORMALS);
    struct plan spare;
    const struct plan *plan = find_plan(&key, sampler != NULL, &spare);
    if (plan->together && kernels) {
        run_together(plan, wave, data, (const uint64_t[2]){low, high});
    } else {
        struct access a = plan->access;
        a.wave = wave;
        a.data = data;
        a.rows[0] = low;
        a.rows[1] = high;
        run_lanes(&a, exec);
    }
    wl_float_restore(control);
}
