/* Image instructions of watched waves: each lane's texel is asked for before the image's helper accesses it. */
#include "device/cpu/run/sanitize_rare.h"

#include "device/cpu/helpers/helpers.h"
#include "lane/image_lane.h"
#include "machine/lane_mask.h"

#include <string.h>

#if defined(__x86_64__) && !defined(__SANITIZE_THREAD__) /* which is not ready yet when a copy is chosen */
#define CLONES __attribute__((target_clones("avx2", "default")))
#else
#define CLONES
#endif

enum { MAX_LANES = 64 };

/* The texel of a coordinate along an axis of `size` texels. False: outside, where the sampler does not take the nearest one. */
static bool find_index(float at, bool unnormalized, uint32_t size, uint8_t wrap, int64_t *index) {
    const float texel = unnormalized ? at : at * (float)size;
    if (texel >= 0 && texel < (float)size) {
        *index = (int64_t)texel;
        return true;
    }
    *index = texel < 0 ? 0 : (int64_t)size - 1;
    return wrap == WL_WRAP_CLAMP && texel == texel;
}

/* Whether texels of samples are known; then *level: the one that all lanes sample. */
static bool find_sampled_level(const struct wl_image_access *a, struct wl_image_level *level) {
    if (a->image.type == WL_IMAGE_CUBE || a->image.last_level != a->image.first_level)
        return false;
    wl_image_find_level(&a->image, 0, level);
    return true;
}

/* Of a sample, the texel that is nearest: one of those that are filtered. NULL: none is known. */
static const uint8_t *find_sampled(const struct wl_image_access *a, const struct wl_image_level *level, uint32_t lane) {
    struct wl_sample_place place;
    int64_t at[3] = {0, 0, 0};
    wl_image_read_place(a, lane, &place);
    const uint32_t size[3] = {level->width, level->height, level->depth};
    for (unsigned i = 0; i < a->axes; i++)
        if (place.offset[i] || !find_index(place.at[i], place.unnormalized, size[i], a->sampler.wrap[i], &at[i]))
            return NULL;
    if (a->sliced)
        (void)find_index(place.slice + 0.5F, true, level->depth, WL_WRAP_CLAMP, &at[2]);
    return wl_image_texel(&a->image, level, at[0], at[1], at[2]);
}

/* Whether a sample's first operands are its coordinates, of which none is a number of a slice. */
static bool has_plain_coordinates(const struct wl_image_access *a) {
    return !(a->operation & (WL_IMAGE_OFFSET | WL_IMAGE_BIAS | WL_IMAGE_COMPARE | WL_IMAGE_GRADIENT)) && !(a->modifiers & WL_IMAGE_A16) &&
           a->image.type != WL_IMAGE_CUBE && !a->sliced;
}

enum { TOGETHER = 8 };
typedef float floats __attribute__((vector_size(TOGETHER * sizeof(float))));
typedef int32_t ints __attribute__((vector_size(TOGETHER * sizeof(int32_t))));

/* find_index of some lanes. good: all bits, where it is true. */
CLONES static void find_indices(const uint32_t *row, float scale, uint32_t size, bool clamps, int32_t *index, int32_t *good) {
    floats texel;
    memcpy(&texel, row, sizeof texel);
    texel *= scale;
    const ints in = (texel >= 0) & (texel < (float)size), inside = (ints)texel & in, last = (ints){0} + (int32_t)(size - 1);
    const ints found = __builtin_convertvector((floats)inside, ints) | (last & ~in & ~(texel < 0));
    const ints known = in | ((texel == texel) & -(int32_t)clamps);
    memcpy(index, &found, sizeof found);
    memcpy(good, &known, sizeof known);
}

/* find_sampled of the wave's lanes, where that is so. Returns those whose texel is known. */
static uint64_t find_plain(const struct wl_image_access *a, const struct wl_image_level *level, uint64_t *address) {
    const bool unnormalized = a->sampler.unnormalized || a->modifiers & WL_IMAGE_UNORM;
    const uint32_t sizes[3] = {level->width, level->height, level->depth};
    const uint64_t steps[3] = {wl_channel_bytes(&a->image.format), level->pitch, level->slice};
    const uint64_t start = (uint64_t)(uintptr_t)level->data + a->image.first_slice * level->slice;
    uint64_t known = 0;
    for (uint32_t first = 0; first < a->wave_size; first += TOGETHER) {
        int32_t index[3][TOGETHER], good[3][TOGETHER];
        for (unsigned i = 0; i < 3; i++)
            if (i < a->axes) {
                const uint32_t *row = &a->vgpr[(a->rows[0] >> i * 8 & 255) * a->wave_size + first];
                find_indices(row, unnormalized ? 1 : (float)sizes[i], sizes[i], a->sampler.wrap[i] == WL_WRAP_CLAMP, index[i], good[i]);
            } else {
                memset(index[i], 0, sizeof index[i]);
                memset(good[i], 0xff, sizeof good[i]);
            }
        for (unsigned l = 0; l < TOGETHER; l++) {
            address[first + l] =
                start + (uint32_t)index[0][l] * steps[0] + (uint32_t)index[1][l] * steps[1] + (uint32_t)index[2][l] * steps[2];
            known |= (uint64_t)(good[0][l] & good[1][l] & good[2][l] & 1) << (first + l);
        }
    }
    return known;
}

/* Of lanes without a texel that is known, the image's first byte is asked for. */
static uint64_t ask_texels(struct wl_wave *wave, const struct wl_image_access *a, uint64_t exec) {
    const bool samples = a->kind == WL_IMAGE_SAMPLE || a->kind == WL_IMAGE_GATHER;
    struct wl_sanitize_site site = *(const struct wl_sanitize_site *)(uintptr_t)wave->pc;
    uint64_t address[MAX_LANES] = {0}, known = 0;
    if (!a->valid || a->kind == WL_IMAGE_RESINFO || a->kind == WL_IMAGE_LOD)
        return exec;
    struct wl_image_level level;
    uint64_t looked_at = samples && !find_sampled_level(a, &level) ? 0 : exec;
    if (samples && looked_at && has_plain_coordinates(a)) {
        known = find_plain(a, &level, address) & exec;
        looked_at = 0;
    }
    for (uint64_t left = looked_at; left; left &= left - 1) {
        const uint32_t l = (uint32_t)__builtin_ctzll(left);
        const uint8_t *texel = samples ? find_sampled(a, &level, l) : wl_image_find_texel(a, l);
        address[l] = (uint64_t)(uintptr_t)texel;
        known |= (uint64_t)(texel != NULL) << l;
    }
    site.bytes = wl_channel_bytes(&a->image.format);
    site.kind = a->kind == WL_IMAGE_STORE ? WL_SANITIZE_STORE : a->kind == WL_IMAGE_ATOMIC ? WL_SANITIZE_ATOMIC : WL_SANITIZE_LOAD;
    uint64_t good = known ? wl_sanitize_access(wave, &site, known, address, NULL) : 0;
    if (samples && exec & ~known) {
        const uint64_t one = exec & ~known & -(exec & ~known);
        site.bytes = 1;
        address[__builtin_ctzll(one)] = a->image.base;
        good |= wl_sanitize_access(wave, &site, one, address, NULL) ? exec & ~known : 0;
    } else {
        good |= exec & ~known;
    }
    return good;
}

/* The node of a ray is not looked for: the descriptor's memory as a whole is there or not. */
static uint64_t ask_first(struct wl_wave *wave, const uint32_t *resource, uint64_t exec) {
    const uint64_t start = ((uint64_t)(resource[1] & 0xff) << 32 | resource[0]) << 8, one = exec & -exec;
    uint64_t address[MAX_LANES] = {0};
    if (!one)
        return exec;
    address[__builtin_ctzll(one)] = start;
    return wl_sanitize_access(wave, (const struct wl_sanitize_site *)(uintptr_t)wave->pc, one, address, NULL) ? exec : 0;
}

static uint64_t ask_image(struct wl_wave *wave, uint32_t *data, const uint64_t rows[2], const uint32_t *resource, const uint32_t *sampler,
                          uint32_t operation, uint32_t modifiers) {
    const uint64_t exec = wl_exec(wave);
    if (WL_IMAGE_KIND_OF(operation) == WL_IMAGE_BVH)
        return ask_first(wave, resource, exec);
    uint32_t words[8] = {0};
    struct wl_image_access a;
    memcpy(words, resource, (modifiers & WL_IMAGE_R128 ? 4 : 8) * sizeof *words);
    wl_image_access_make(&a, words, sampler, NULL, 0, operation, modifiers);
    a.vgpr = wave->vgpr;
    a.wave_size = wave->wave_size;
    a.data = data;
    memcpy(a.rows, rows, sizeof a.rows);
    return ask_texels(wave, &a, exec);
}

/* Registers that a load or a sample writes. */
static uint32_t result_rows(uint32_t operation, uint32_t modifiers) {
    const uint32_t kind = WL_IMAGE_KIND_OF(operation), dmask = WL_IMAGE_DMASK(modifiers);
    if (kind != WL_IMAGE_LOAD && kind != WL_IMAGE_SAMPLE && kind != WL_IMAGE_GATHER)
        return 0;
    const uint32_t count = kind == WL_IMAGE_GATHER ? 4 : dmask ? (uint32_t)__builtin_popcount(dmask) : 1;
    return modifiers & WL_IMAGE_D16 ? (count + 1) / 2 : count;
}

static void help_image(struct wl_wave *wave, uint32_t *data, uint64_t low, uint64_t high, const uint32_t *resource, const uint32_t *sampler,
                       uint32_t operation, uint32_t modifiers) {
    const uint64_t exec = wl_exec(wave);
    const uint64_t good = ask_image(wave, data, (const uint64_t[2]){low, high}, resource, sampler, operation, modifiers);
    wl_sanitize_set_exec(wave, good);
    if (good || !exec)
        wl_helpers_table.image(wave, data, low, high, resource, sampler, operation, modifiers);
    wl_sanitize_set_exec(wave, exec);
    wl_sanitize_clear_lanes(wave, data, result_rows(operation, modifiers), exec & ~good);
}

void wl_sanitize_image_helper(struct wl_helpers *helpers) { helpers->image = help_image; }
