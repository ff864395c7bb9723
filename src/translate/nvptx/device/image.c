/* Image instructions of one lane; the code of the CPU device. */
#include "translate/nvptx/device/device.h"

#include "device/cpu/image_lane.h"
#include "translate/translate.h"

#include "device/cpu/image_bvh.c"
#include "device/cpu/image_decode.c"
#include "device/cpu/image_lane.c"
#include "device/cpu/image_sample.c"

#define LOW_ROWS  UINT64_C(0x0706050403020100)
#define HIGH_ROWS UINT64_C(0x0f0e0d0c0b0a0908)

static void read_access(const struct wl_device_image *image, struct wl_image_access *access) {
    const uint32_t kind = WL_IMAGE_KIND_OF(image->operation);
    const bool samples = kind == WL_IMAGE_SAMPLE || kind == WL_IMAGE_GATHER || kind == WL_IMAGE_LOD;
    const uint32_t count = samples ? *(const uint32_t *)(uintptr_t)(image->borders + WL_PTX_BORDERS_COUNT) : 0;
    wl_image_access_make(access, image->resource, samples ? image->sampler : NULL, (const float(*)[4])(uintptr_t)image->borders, count,
                         image->operation, image->modifiers);
    access->vgpr = image->address;
    access->data = (uint32_t *)(uintptr_t)image->data;
    access->wave_size = 1;
    access->rows[0] = LOW_ROWS;
    access->rows[1] = HIGH_ROWS;
}

void wl_device_image_load(struct wl_device_image *image) {
    struct wl_image_access access;
    if (!image->active)
        return;
    read_access(image, &access);
    wl_image_load_lane(&access, 0);
}

void wl_device_image_store(struct wl_device_image *image) {
    struct wl_image_access access;
    if (!image->active)
        return;
    read_access(image, &access);
    wl_image_store_lane(&access, 0);
}

void wl_device_image_resinfo(struct wl_device_image *image) {
    struct wl_image_access access;
    if (!image->active)
        return;
    read_access(image, &access);
    wl_image_resinfo_lane(&access, 0);
}

uint64_t wl_device_image_find(struct wl_device_image *image, uint32_t bytes) {
    struct wl_image_access access;
    if (!image->active)
        return 0;
    read_access(image, &access);
    return wl_channel_bytes(&access.image.format) >= bytes ? (uint64_t)(uintptr_t)wl_image_find_texel(&access, 0) : 0;
}

void wl_device_image_sample(struct wl_device_image *image) {
    struct wl_image_access access;
    struct wl_sample_place place;
    if (!image->active)
        return;
    read_access(image, &access);
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

/* As add_quad_levels of device/cpu/image.c does it for a wave. */
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

void wl_device_quad_sample(struct wl_device_image *image) {
    struct wl_image_access access;
    struct wl_sample_place place;
    read_access(image, &access);
    wl_image_read_place(&access, 0, &place);
    const float level = quad_level(&access, &place, image->active);
    if (!image->active)
        return;
    if (wl_image_needs_quad(&access))
        place.lod += level;
    wl_image_sample_lane(&access, 0, &place);
}

/* ---- rays ------------------------------------------------------------------------------------------ */

void wl_device_image_intersect(struct wl_device_image *image) {
    const struct wl_image_rays rays = {image->address, image->resource, 1, image->operation, image->modifiers, {LOW_ROWS, HIGH_ROWS}};
    if (image->active)
        wl_image_intersect_lane(&rays, 0, image->data);
}
