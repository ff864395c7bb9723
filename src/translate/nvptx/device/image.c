/* Image instructions of one lane; the code of the CPU device. */
#include "translate/nvptx/device/device.h"

#include "lane/image_lane.h"
#include "translate/interface/translate.h"

static inline void read_access(const struct wl_device_image *image, unsigned generation, struct wl_image_access *access) {
    const uint32_t kind = WL_IMAGE_KIND_OF(image->operation);
    const bool samples = kind == WL_IMAGE_SAMPLE || kind == WL_IMAGE_GATHER || kind == WL_IMAGE_LOD;
    const uint32_t count = samples ? *(const uint32_t *)(uintptr_t)(image->borders + WL_PTX_BORDERS_COUNT) : 0;
    wl_image_access_make(access, image->resource, samples ? image->sampler : NULL, (const float(*)[4])(uintptr_t)image->borders, count,
                         image->operation, (image->modifiers & ~WL_IMAGE_GENERATION(12)) | WL_IMAGE_GENERATION(generation));
    access->vgpr = image->address;
    access->data = (uint32_t *)(uintptr_t)image->data;
    access->wave_size = 1;
    access->rows[0] = WL_DEVICE_LOW_ROWS;
    access->rows[1] = WL_DEVICE_HIGH_ROWS;
}

static inline void load(struct wl_device_image *image, unsigned generation) {
    struct wl_image_access access;
    if (!image->active)
        return;
    read_access(image, generation, &access);
    wl_image_load_lane(&access, 0);
}

static inline void store(struct wl_device_image *image, unsigned generation) {
    struct wl_image_access access;
    if (!image->active)
        return;
    read_access(image, generation, &access);
    wl_image_store_lane(&access, 0);
}

static inline void resinfo(struct wl_device_image *image, unsigned generation) {
    struct wl_image_access access;
    if (!image->active)
        return;
    read_access(image, generation, &access);
    wl_image_resinfo_lane(&access, 0);
}

static inline uint64_t find(struct wl_device_image *image, uint32_t bytes, unsigned generation) {
    struct wl_image_access access;
    if (!image->active)
        return 0;
    read_access(image, generation, &access);
    return wl_channel_bytes(&access.image.format) >= bytes ? (uint64_t)(uintptr_t)wl_image_find_texel(&access, 0) : 0;
}

static inline void sample(struct wl_device_image *image, unsigned generation) {
    struct wl_image_access access;
    struct wl_sample_place place;
    if (!image->active)
        return;
    read_access(image, generation, &access);
    wl_image_read_place(&access, 0, &place);
    wl_image_sample_lane(&access, 0, &place);
}

/* ---- levels from neighbours ------------------------------------------------------------------------ */

static float of_lane(float value, uint32_t lane) {
    int bits;
    __builtin_memcpy(&bits, &value, sizeof bits);
    bits = __nvvm_shfl_sync_idx_i32(~0u, bits, (int)lane, 31);
    __builtin_memcpy(&value, &bits, sizeof value);
    return value;
}

/* As add_quad_levels of device/cpu/helpers/image.c does it for a wave. */
static float quad_level(const struct wl_image_access *access, const struct wl_sample_place *place, bool active) {
    const uint32_t lane = (uint32_t)__nvvm_read_ptx_sreg_tid_x() & 31, quad = lane & ~3u;
    const uint32_t exec = (uint32_t)__nvvm_vote_ballot_sync(~0u, active) >> quad;
    float dx[3] = {0, 0, 0}, dy[3] = {0, 0, 0};
    for (unsigned i = 0; i < 3; i++) {
        const float first = of_lane(place->at[i], quad), right = of_lane(place->at[i], quad + 1), below = of_lane(place->at[i], quad + 2);
        if (i < access->axes && (exec & 3) == 3)
            dx[i] = right - first;
        if (i < access->axes && (exec & 5) == 5)
            dy[i] = below - first;
    }
    return wl_image_lod(&access->image, place->unnormalized, dx, dy);
}

static inline void sample_quad(struct wl_device_image *image, unsigned generation) {
    struct wl_image_access access;
    struct wl_sample_place place;
    read_access(image, generation, &access);
    wl_image_read_place(&access, 0, &place);
    const float level = quad_level(&access, &place, image->active);
    if (!image->active)
        return;
    if (wl_image_needs_quad(&access))
        place.lod += level;
    wl_image_sample_lane(&access, 0, &place);
}

/* ---- a copy for each generation, so that what descriptors look like is known ------------------------------------ */

#define COPIES(generation)                                                                                                                 \
    void wl_device_image_load_##generation(struct wl_device_image *image) { load(image, generation); }                                     \
    void wl_device_image_store_##generation(struct wl_device_image *image) { store(image, generation); }                                   \
    void wl_device_image_resinfo_##generation(struct wl_device_image *image) { resinfo(image, generation); }                               \
    void wl_device_image_sample_##generation(struct wl_device_image *image) { sample(image, generation); }                                 \
    void wl_device_quad_sample_##generation(struct wl_device_image *image) { sample_quad(image, generation); }                             \
    uint64_t wl_device_image_find_##generation(struct wl_device_image *image, uint32_t bytes) { return find(image, bytes, generation); }
COPIES(9)
COPIES(10)
COPIES(11)
COPIES(12)
