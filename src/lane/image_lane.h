/* One lane's image instruction. What is here runs on NVIDIA's GPUs as well, compiled for them (translate/nvptx/device): it uses no
 * thread, no lock and no state but its arguments. All functions are thread-safe and cannot fail. */
#ifndef WL_LANE_IMAGE_LANE_H
#define WL_LANE_IMAGE_LANE_H

#include "lane/channel_values.h"
#include "lane/image.h"
#include "machine/image_instruction.h"

/* An instruction, its descriptors, and where lanes find registers: lane l's part of row r is vgpr[r * wave_size + l]. */
struct wl_image_access {
    const uint32_t *vgpr;
    uint32_t *data; /* the first row of the data */
    uint32_t wave_size;
    uint64_t rows[2]; /* of the addresses, a byte each */
    uint32_t operation, modifiers, kind;
    struct wl_image image;
    bool valid; /* the resource is one that is known; all else reads 0 */
    struct wl_sampler sampler;
    unsigned axes; /* coordinates without slice */
    bool sliced;
};

/* What an instruction and its descriptors say; registers are still missing. `sampler` may be NULL. `borders` has `border_count`
 * colours: the table of wl_image_borders. */
void wl_image_access_make(struct wl_image_access *access, const uint32_t *resource, const uint32_t *sampler, const float (*borders)[4],
                          uint32_t border_count, uint32_t operation, uint32_t modifiers);

/* The data register of a lane. */
static inline uint32_t *wl_image_register(const struct wl_image_access *a, unsigned index, uint32_t lane) {
    return &a->data[(uint64_t)index * a->wave_size + lane];
}
static inline uint32_t wl_image_dmask(const struct wl_image_access *a) {
    const uint32_t dmask = WL_IMAGE_DMASK(a->modifiers);
    return dmask ? dmask : 1;
}

/* The address of the lane's texel; NULL: outside. */
uint8_t *wl_image_find_texel(const struct wl_image_access *access, uint32_t lane);
void wl_image_load_lane(const struct wl_image_access *access, uint32_t lane);
void wl_image_store_lane(const struct wl_image_access *access, uint32_t lane);
void wl_image_resinfo_lane(const struct wl_image_access *access, uint32_t lane);
/* Where a lane samples, as its addresses say; a level that depends on the neighbours is the caller's to add. */
void wl_image_read_place(const struct wl_image_access *access, uint32_t lane, struct wl_sample_place *place);
/* SAMPLE, GATHER and LOD at a place. */
void wl_image_sample_lane(const struct wl_image_access *access, uint32_t lane, const struct wl_sample_place *place);
/* Whether the level depends on the neighbours. */
bool wl_image_needs_quad(const struct wl_image_access *access);

/* WL_IMAGE_BVH: a lane's ray against the node that it names. Registers are found as in wl_image_access. */
struct wl_image_rays {
    const uint32_t *vgpr, *resource; /* 4 dwords */
    uint32_t wave_size, operation, modifiers;
    uint64_t rows[2];
};
void wl_image_intersect_lane(const struct wl_image_rays *rays, uint32_t lane, uint32_t result[4]);

#endif
