/* wl_helpers.image: reads the addresses of an image instruction and does it for each active lane. */
#include "lane/image_lane.h"

#include "base/cpu.h"
#include "device/cpu/helpers/image_wave.h"
#include "device/cpu/helpers/lanes.h"
#include "machine/lane_mask.h"
#include "machine/operations.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#define MAX_LANES 64

static bool is_float(const struct wl_image_access *a) { return !wl_channel_is_integer(&a->image.format); }

static void atomic_lane(const struct wl_image_access *a, uint32_t lane) {
    uint8_t *memory = wl_image_find_texel(a, lane);
    uint32_t operation = WL_IMAGE_ATOMIC_OF(a->operation);
    bool two = wl_atomic_has_two(operation);
    uint32_t dwords = (uint32_t)__builtin_popcount(wl_image_dmask(a)) / (two ? 2 : 1);
    uint64_t operands[2] = {0, 0}, old = 0;
    dwords = dwords ? dwords : 1;
    for (uint32_t i = 0; i < dwords * (two ? 2 : 1) && i < 4; i++)
        operands[i / dwords] |= (uint64_t)*wl_image_register(a, i, lane) << i % dwords * 32;
    if (memory && wl_channel_bytes(&a->image.format) >= dwords * 4)
        old = wl_atomic_lane(memory, operation, dwords * 32, operands[0], operands[1]);
    for (uint32_t i = 0; i < dwords && a->modifiers & WL_IMAGE_RETURN; i++)
        *wl_image_register(a, i, lane) = (uint32_t)(old >> i * 32);
}

/* A sample that names no level gets one from the differences of coordinates within its quad of lanes. */
static void add_quad_levels(const struct wl_image_access *a, uint64_t exec, struct wl_sample_place *places) {
    for (uint32_t quad = 0; quad < a->wave_size; quad += 4) {
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

static void sample_wave(const struct wl_image_access *a, uint64_t exec) {
    struct wl_sample_place places[MAX_LANES];
    for (uint32_t l = 0; l < a->wave_size; l++)
        if (wl_lane_in(exec, l))
            wl_image_read_place(a, l, &places[l]);
    if (wl_image_needs_quad(a))
        add_quad_levels(a, exec, places);
    for (uint32_t l = 0; l < a->wave_size; l++)
        if (wl_lane_in(exec, l))
            wl_image_sample_lane(a, l, &places[l]);
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
    struct wl_image_access access;
    bool together;  /* `wave` describes it but for rows and lanes */
    unsigned first; /* the first coordinate among the addresses */
    struct wl_image_wave wave;
    struct wl_image_levels levels; /* where the sampler reads several */
};

/* Whether lanes go one at a time: rare operands, rare wraps, several levels, images so large that offsets do not fit. */
static bool is_plain(const struct wl_image_access *a) {
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

static bool has_plain_sampler(const struct wl_image_access *a) {
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
static bool reads_missing_channel(const struct wl_image_access *a, uint32_t selects) {
    for (unsigned i = 0; i < 4; i++)
        if (wl_image_dmask(a) >> i & 1 && (selects >> i * 3 & 7) >= 4u + a->image.format.channels)
            return true;
    return false;
}

/* Finds levels that addresses name directly, or level 0. False: the level is found otherwise, or there are too many, or too far away. */
static bool plan_levels(struct plan *p) {
    const struct wl_image_access *a = &p->access;
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
    const struct wl_image_access *a = &p->access;
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
    const struct wl_image_access *a = &p->access;
    struct wl_image_wave *w = &p->wave;
    p->first = 0;
    p->together = is_plain(a) && (a->kind != WL_IMAGE_SAMPLE || has_plain_sampler(a));
    if (!p->together)
        return;
    *w = (struct wl_image_wave){.dmask = wl_image_dmask(a),
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

/* A plan: descriptors as the instruction gives them, and how to read them. */
struct key {
    uint32_t resource[8], sampler[4], operation, modifiers;
};
_Static_assert(sizeof(struct key) == 14 * sizeof(uint32_t), "keys are compared as bytes");

static void make_plan(struct plan *p, const struct key *key, bool samples) {
    uint32_t border_count;
    const float(*borders)[4] = wl_image_borders(&border_count);
    wl_image_access_make(&p->access, key->resource, samples ? key->sampler : NULL, borders, border_count, key->operation, key->modifiers);
    plan_lanes(p);
}

/* The latest plans of a thread, freed when it ends. A plan stays true for ever: the same descriptor always means the same, since border
 * colours only grow in number. */
struct plans {
    struct key key[PLANS];
    struct plan plan[PLANS];
    bool made[PLANS];
};

/* NULL: no memory. The plans are not in thread-local storage, which must stay small because the library may be opened late (fault.c). */
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

static void run_lanes(struct wl_image_access *a, uint64_t exec) {
    static void (*const lanes[])(const struct wl_image_access *, uint32_t) = {[WL_IMAGE_LOAD] = wl_image_load_lane,
                                                                              [WL_IMAGE_STORE] = wl_image_store_lane,
                                                                              [WL_IMAGE_RESINFO] = wl_image_resinfo_lane,
                                                                              [WL_IMAGE_ATOMIC] = atomic_lane};
    if (a->kind == WL_IMAGE_SAMPLE || a->kind == WL_IMAGE_GATHER || a->kind == WL_IMAGE_LOD) {
        sample_wave(a, exec);
        return;
    }
    for (uint32_t l = 0; l < a->wave_size; l++)
        if (wl_lane_in(exec, l))
            lanes[a->kind](a, l);
}

static void intersect_wave(const struct wl_image_rays *rays, uint32_t *data, uint64_t exec) {
    for (uint32_t l = 0; l < rays->wave_size; l++) {
        uint32_t result[4];
        if (!wl_lane_in(exec, l))
            continue;
        wl_image_intersect_lane(rays, l, result);
        for (unsigned i = 0; i < 4; i++)
            data[i * rays->wave_size + l] = result[i];
    }
}

void wl_help_image(struct wl_wave *wave, uint32_t *data, uint64_t low, uint64_t high, const uint32_t *resource, const uint32_t *sampler,
                   uint32_t operation, uint32_t modifiers) {
    enum { NEAREST_WITH_DENORMALS = 0xf0 };
    struct key key = {.operation = operation, .modifiers = modifiers};
    const uint64_t exec = wl_exec(wave);
    if (WL_IMAGE_KIND_OF(operation) == WL_IMAGE_BVH) {
        const uint32_t control = wl_float_enter(NEAREST_WITH_DENORMALS);
        const struct wl_image_rays rays = {wave->vgpr, resource, wave->wave_size, operation, modifiers, {low, high}};
        intersect_wave(&rays, data, exec);
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
        struct wl_image_access a = plan->access;
        a.vgpr = wave->vgpr;
        a.wave_size = wave->wave_size;
        a.data = data;
        a.rows[0] = low;
        a.rows[1] = high;
        run_lanes(&a, exec);
    }
    wl_float_restore(control);
}
