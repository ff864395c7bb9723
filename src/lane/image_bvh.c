/* image_bvh_intersect_ray: each lane's ray against one node of a bounding volume hierarchy.
 *
 * The resource is 4 dwords: address / 256 (bits 0 to 39), by how many units of the last place boxes grow (55 to 62), whether children
 * are sorted (63), nodes of 64 bytes less 1 (64 to 105), what triangles answer (120). A node's number has its type in bits 0 to 2: a
 * triangle of up to four that share five vertices, a box with halves, a box with floats. What the hardware rounds differently
 * is told by no document: boxes are slabs, triangles the watertight test with shear and scale. */
#include "base/float_bits.h"
#include "lane/image_lane.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { BOX_HALVES = 4, BOX_FLOATS = 5, CHILDREN = 4, NODE_BYTES = 64 };
#define MISS UINT32_MAX

struct hierarchy {
    uint64_t base, last; /* last: the highest number of a node */
    uint32_t grow;
    bool sorted, barycentrics;
};

struct ray {
    uint64_t node;
    float extent, origin[3], direction[3], inverse[3];
};

static void read_resource(const uint32_t words[4], struct hierarchy *h) {
    const uint64_t low = words[0] | (uint64_t)words[1] << 32, high = words[2] | (uint64_t)words[3] << 32;
    h->base = (low & 0xffffffffff) << 8;
    h->grow = low >> 55 & 255;
    h->sorted = low >> 63;
    h->last = high & 0x3ffffffffff;
    h->barycentrics = high >> 56 & 1;
}

/* ---- addresses ------------------------------------------------------------------------------------ */

static uint32_t address(const struct wl_image_rays *rays, unsigned i, uint32_t lane) {
    const uint64_t row = rays->rows[i / 8 & 1] >> i % 8 * 8 & 255;
    return rays->vgpr[row * rays->wave_size + lane];
}

/* Directions of 16 bits: six in a row on gfx10; later each beside its inverse. */
static void read_halves(const uint32_t packed[3], unsigned generation, struct ray *ray) {
    uint16_t halves[6];
    for (unsigned i = 0; i < 6; i++)
        halves[i] = (uint16_t)(packed[i / 2] >> i % 2 * 16);
    for (unsigned i = 0; i < 3; i++) {
        ray->direction[i] = wl_half_to_float(halves[generation == 10 ? i : i * 2]);
        ray->inverse[i] = wl_half_to_float(halves[generation == 10 ? i + 3 : i * 2 + 1]);
    }
}

static void read_ray(const struct wl_image_rays *rays, uint32_t lane, struct ray *ray) {
    const uint32_t operation = rays->operation, modifiers = rays->modifiers;
    unsigned next = 0;
    ray->node = address(rays, next++, lane);
    if (operation & WL_IMAGE_WIDE)
        ray->node |= (uint64_t)address(rays, next++, lane) << 32;
    ray->extent = wl_bits_float(address(rays, next++, lane));
    for (unsigned i = 0; i < 3; i++)
        ray->origin[i] = wl_bits_float(address(rays, next++, lane));
    if (modifiers & WL_IMAGE_A16) {
        const uint32_t packed[3] = {address(rays, next, lane), address(rays, next + 1, lane), address(rays, next + 2, lane)};
        read_halves(packed, WL_IMAGE_GENERATION_OF(modifiers), ray);
        return;
    }
    for (unsigned i = 0; i < 3; i++) {
        ray->direction[i] = wl_bits_float(address(rays, next + i, lane));
        ray->inverse[i] = wl_bits_float(address(rays, next + 3 + i, lane));
    }
}

/* ---- boxes ---------------------------------------------------------------------------------------- */

/* Where the ray enters a box. False: it does not. Infinite inverses are finite, so that a ray within a slab's plane is in the slab. */
static bool enters(const struct hierarchy *h, const struct ray *ray, const float low[3], const float high[3], float *entry) {
    float first = 0, last = INFINITY;
    if (isnan(low[0])) /* no child */
        return false;
    for (unsigned i = 0; i < 3; i++) {
        const float inverse = fminf(fmaxf(ray->inverse[i], -FLT_MAX), FLT_MAX);
        const float a = (low[i] - ray->origin[i]) * inverse, b = (high[i] - ray->origin[i]) * inverse;
        first = fmaxf(first, fminf(a, b));
        last = fminf(last, fmaxf(a, b));
    }
    if (last >= 0 && wl_float_bits(last) + h->grow < wl_float_bits(INFINITY))
        last = wl_bits_float(wl_float_bits(last) + h->grow);
    *entry = first;
    return first <= fminf(last, ray->extent);
}

static void read_box(const uint8_t *node, bool halves, unsigned child, float bounds[2][3]) {
    for (unsigned i = 0; i < 6; i++) {
        uint16_t half;
        uint32_t word;
        const uint8_t *at = node + CHILDREN * sizeof word + (child * 6 + i) * (halves ? sizeof half : sizeof word);
        memcpy(halves ? (void *)&half : (void *)&word, at, halves ? sizeof half : sizeof word);
        bounds[i / 3][i % 3] = halves ? wl_half_to_float(half) : wl_bits_float(word);
    }
}

/* The children that the ray enters, the nearest first where they are sorted; MISS for the others. */
static void intersect_box(const struct hierarchy *h, const struct ray *ray, const uint8_t *node, bool halves, uint32_t result[4]) {
    float entries[CHILDREN];
    unsigned count = 0;
    for (unsigned child = 0; child < CHILDREN; child++) {
        float bounds[2][3], entry;
        uint32_t number;
        memcpy(&number, node + child * sizeof number, sizeof number);
        result[child] = MISS;
        read_box(node, halves, child, bounds);
        if (!enters(h, ray, bounds[0], bounds[1], &entry))
            continue;
        unsigned at = h->sorted ? count : child;
        for (; h->sorted && at > 0 && entries[at - 1] > entry; at--) {
            entries[at] = entries[at - 1];
            result[at] = result[at - 1];
        }
        entries[at] = entry;
        result[at] = number;
        count++;
    }
}

/* ---- triangles ------------------------------------------------------------------------------------ */

static float cross(float ax, float ay, float bx, float by) { return ax * by - ay * bx; }

/* The weights of the vertices times the denominator. An edge that is hit exactly is decided with more bits. */
static void find_weights(const float sheared[3][2], float weights[3]) {
    bool edge = false;
    for (unsigned i = 0; i < 3; i++) {
        const float *b = sheared[(i + 1) % 3], *c = sheared[(i + 2) % 3];
        weights[i] = cross(c[0], c[1], b[0], b[1]);
        edge |= weights[i] == 0;
    }
    for (unsigned i = 0; i < 3 && edge; i++) {
        const float *b = sheared[(i + 1) % 3], *c = sheared[(i + 2) % 3];
        weights[i] = (float)((double)c[0] * b[1] - (double)c[1] * b[0]);
    }
}

/* The numerator of the distance, and the denominator. False: no hit. */
static bool hits(const struct ray *ray, const float vertices[3][3], float weights[3], float *numerator, float *denominator) {
    unsigned z = 0;
    for (unsigned i = 1; i < 3; i++)
        if (fabsf(ray->direction[i]) > fabsf(ray->direction[z]))
            z = i;
    unsigned x = (z + 1) % 3, y = (z + 2) % 3;
    if (ray->direction[z] < 0) { /* keeps the winding */
        const unsigned other = x;
        x = y;
        y = other;
    }
    const float shear_x = ray->direction[x] / ray->direction[z], shear_y = ray->direction[y] / ray->direction[z];
    float sheared[3][2], depth[3];
    for (unsigned i = 0; i < 3; i++) {
        const float relative[3] = {vertices[i][0] - ray->origin[0], vertices[i][1] - ray->origin[1], vertices[i][2] - ray->origin[2]};
        sheared[i][0] = relative[x] - shear_x * relative[z];
        sheared[i][1] = relative[y] - shear_y * relative[z];
        depth[i] = relative[z] / ray->direction[z];
    }
    find_weights(sheared, weights);
    const bool negative = weights[0] < 0 || weights[1] < 0 || weights[2] < 0, positive = weights[0] > 0 || weights[1] > 0 || weights[2] > 0;
    *denominator = weights[0] + weights[1] + weights[2];
    *numerator = weights[0] * depth[0] + weights[1] * depth[1] + weights[2] * depth[2];
    return !(negative && positive) && *denominator != 0 && *numerator * *denominator >= 0; /* behind the origin is no hit */
}

/* Distance as a fraction, then two weights that the node names, or its identity and whether it is hit. */
static void intersect_triangle(const struct hierarchy *h, const struct ray *ray, const uint8_t *node, unsigned type, uint32_t result[4]) {
    static const uint8_t corners[4][3] = {{0, 1, 2}, {1, 3, 2}, {2, 3, 4}, {2, 4, 0}};
    enum { IDENTITY = 60 };
    float vertices[3][3], weights[4] = {0, 0, 0, 0}, numerator, denominator;
    uint32_t identity;
    for (unsigned i = 0; i < 3; i++)
        memcpy(vertices[i], node + corners[type][i] * sizeof vertices[i], sizeof vertices[i]);
    memcpy(&identity, node + IDENTITY, sizeof identity);
    const bool hit = hits(ray, vertices, weights, &numerator, &denominator);
    result[0] = wl_float_bits(hit ? numerator : INFINITY);
    result[1] = wl_float_bits(hit ? denominator : 1);
    if (h->barycentrics) {
        const uint32_t sources = identity >> type * 8;
        result[2] = wl_float_bits(hit ? weights[sources & 3] : 0);
        result[3] = wl_float_bits(hit ? weights[sources >> 2 & 3] : 0);
    } else {
        result[2] = identity;
        result[3] = hit;
    }
}

/* ---- the instruction ------------------------------------------------------------------------------ */

static void intersect(const struct hierarchy *h, const struct ray *ray, uint32_t result[4]) {
    const unsigned type = ray->node & 7;
    const uint64_t number = ray->node >> 3;
    const uint8_t *node = (const uint8_t *)(uintptr_t)(h->base + number * NODE_BYTES);
    for (unsigned i = 0; i < 4; i++)
        result[i] = MISS;
    if (number > h->last || type > BOX_FLOATS) /* other types are the program's own */
        return;
    if (type >= BOX_HALVES)
        intersect_box(h, ray, node, type == BOX_HALVES, result);
    else
        intersect_triangle(h, ray, node, type, result);
}

void wl_image_intersect_lane(const struct wl_image_rays *rays, uint32_t lane, uint32_t result[4]) {
    struct hierarchy h;
    struct ray ray;
    read_resource(rays->resource, &h);
    read_ray(rays, lane, &ray);
    intersect(&h, &ray, result);
}
