/* image_bvh_intersect_ray against geometry in double precision: boxes of floats and of halves, sorted and not, the four triangles of
 * a node with both kinds of answers, short and long numbers of nodes, directions of 16 bits. Rays that pass so close to an edge that
 * the precision decides are left out. */
#include "base/float_bits.h"
#include "translate/lift_run.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NODES = 64, BOX_HALVES = 4, BOX_FLOATS = 5 };
#define MISS UINT32_MAX

static unsigned checks, failures, hits, skipped;

static uint32_t seed = 1;
static uint32_t next(void) {
    seed = seed * 1664525u + 1013904223u;
    return seed >> 8;
}
static double between(double low, double high) { return low + (high - low) * next() / 16777216.0; }

/* ---- halves ---- */

static uint16_t to_half(double value) { /* normal numbers, truncated */
    int exponent;
    const double fraction = frexp(fabs(value), &exponent);
    if (value == 0 || exponent < -13)
        return 0;
    return (uint16_t)((value < 0 ? 0x8000 : 0) | (exponent + 14) << 10 | ((int)(fraction * 2048) & 1023));
}

static double of_half(uint16_t half) {
    const double size = half & 0x7fff ? ldexp((half & 1023) | 1024, (half >> 10 & 31) - 25) : 0;
    return half & 0x8000 ? -size : size;
}

/* ---- nodes ---- */

struct box {
    double low[3], high[3];
    bool there;
};

struct node {
    unsigned type;
    struct box boxes[4];
    double vertices[5][3];
    uint32_t identity;
};

static struct node nodes[NODES];
static uint8_t *memory;

static void put(uint8_t *at, bool half, double *value) {
    const float f = (float)*value;
    const uint16_t h = to_half(*value);
    memcpy(at, half ? (const void *)&h : &f, half ? sizeof h : sizeof f);
    *value = half ? of_half(h) : f;
}

static void make_boxes(struct node *node, uint8_t *at) {
    const bool halves = node->type == BOX_HALVES;
    const size_t size = halves ? 2 : 4;
    for (uint32_t child = 0; child < 4; child++) {
        struct box *box = &node->boxes[child];
        const uint32_t number = 1000 + child * 8 + next() % 8;
        memcpy(at + child * 4, &number, 4);
        box->there = next() % 6 != 0;
        for (unsigned i = 0; i < 3; i++) {
            box->low[i] = between(-5, 3);
            box->high[i] = box->low[i] + between(0.5, 4);
            put(at + 16 + (child * 6 + i) * size, halves, &box->low[i]);
            put(at + 16 + (child * 6 + 3 + i) * size, halves, &box->high[i]);
        }
        if (!box->there)
            memset(at + 16 + child * 6 * size, 0xff, size); /* not a number */
    }
}

static void make_nodes(void) { /* 128 bytes apart, which fits all */
    static const uint32_t bytes[] = {9, 0x12, 0x24, 0x18, 6};
    for (unsigned n = 0; n < NODES; n++) {
        uint8_t *at = memory + n * 128;
        struct node *node = &nodes[n];
        memset(at, 0, 128);
        node->type = n % 6;
        if (node->type >= BOX_HALVES) {
            make_boxes(node, at);
            continue;
        }
        for (unsigned i = 0; i < 15; i++) {
            node->vertices[i / 3][i % 3] = between(-4, 4);
            put(at + i * 4, false, &node->vertices[i / 3][i % 3]);
        }
        for (unsigned i = 0; i < 4; i++)
            node->identity = node->identity << 8 | bytes[next() % 5];
        memcpy(at + 60, &node->identity, 4);
    }
}

/* ---- rays ---- */

struct ray {
    unsigned node;
    double extent, origin[3], direction[3], inverse[3];
};

static void fail(const char *what, unsigned lane, double got, double want) {
    if (failures++ < 20)
        printf("%s: lane %u: %.9g instead of %.9g\n", what, lane, got, want);
}

/* ---- models ---- */

/* The interval of a box; the result says whether precision decides. */
static bool slab(const struct ray *ray, const struct box *box, double *first, double *last) {
    *first = 0;
    *last = ray->extent;
    for (unsigned i = 0; i < 3; i++) {
        double a = (box->low[i] - ray->origin[i]) * ray->inverse[i], b = (box->high[i] - ray->origin[i]) * ray->inverse[i];
        *first = fmax(*first, fmin(a, b));
        *last = fmin(*last, fmax(a, b));
    }
    return fabs(*first - *last) < 1e-4;
}

static void check_box(const char *what, unsigned lane, const struct ray *ray, bool sorted, const uint32_t got[4]) {
    const struct node *node = &nodes[ray->node];
    uint32_t want[4] = {MISS, MISS, MISS, MISS}, numbers[4];
    double entries[4];
    unsigned count = 0;
    bool close = false;
    memcpy(numbers, memory + ray->node * 128, sizeof numbers);
    for (unsigned child = 0; child < 4; child++) {
        double first, last;
        if (!node->boxes[child].there)
            continue;
        close |= slab(ray, &node->boxes[child], &first, &last);
        if (first > last)
            continue;
        unsigned at = sorted ? count : child;
        for (; sorted && at > 0 && entries[at - 1] > first; at--) {
            entries[at] = entries[at - 1];
            want[at] = want[at - 1];
        }
        entries[at] = first;
        want[at] = numbers[child];
        count++;
    }
    for (unsigned i = 1; i < count && sorted; i++) /* equal but for rounding; 0 is exact */
        close |= entries[i] > 0 && entries[i] - entries[i - 1] < 1e-4;
    skipped += close;
    hits += count != 0;
    for (unsigned i = 0; i < 4 && !close; i++) {
        checks++;
        if (got[i] != want[i])
            fail(what, lane, got[i], want[i]);
    }
}

static double determinant(const double a[3], const double b[3], const double c[3]) {
    return a[0] * (b[1] * c[2] - b[2] * c[1]) - a[1] * (b[0] * c[2] - b[2] * c[0]) + a[2] * (b[0] * c[1] - b[1] * c[0]);
}

/* The weights solve origin + t * direction = sum of weight * vertex, by Cramer's rule. */
static void check_triangle(const char *what, unsigned lane, const struct ray *ray, bool barycentrics, const uint32_t got[4]) {
    static const int corners[4][3] = {{0, 1, 2}, {1, 3, 2}, {2, 3, 4}, {2, 4, 0}};
    const struct node *node = &nodes[ray->node];
    double relative[3][3], weights[4] = {0, 0, 0, 0}, total = 0, distance = 0;
    for (unsigned i = 0; i < 3; i++)
        for (unsigned k = 0; k < 3; k++)
            relative[i][k] = node->vertices[corners[node->type][i]][k] - ray->origin[k];
    for (unsigned i = 0; i < 3; i++) {
        weights[i] = determinant(relative[(i + 1) % 3], relative[(i + 2) % 3], ray->direction);
        total += weights[i];
    }
    bool close = fabs(total) < 0.05, inside = true;
    for (unsigned i = 0; i < 3; i++) {
        weights[i] /= total;
        inside &= weights[i] >= 0;
        close |= fabs(weights[i]) < 1e-3;
    }
    for (unsigned k = 0; k < 3; k++) { /* along the longest axis of the direction, as well as any */
        double at = 0;
        for (unsigned i = 0; i < 3; i++)
            at += weights[i] * relative[i][k];
        distance += at * ray->direction[k];
    }
    distance /= ray->direction[0] * ray->direction[0] + ray->direction[1] * ray->direction[1] + ray->direction[2] * ray->direction[2];
    close |= fabs(distance) < 1e-3;
    const bool hit = inside && distance >= 0;
    skipped += close;
    if (close)
        return;
    checks++;
    hits += hit;
    const float numerator = wl_bits_float(got[0]), denominator = wl_bits_float(got[1]);
    if (!hit) {
        if (!isinf(numerator / denominator))
            fail(what, lane, numerator / denominator, (double)INFINITY);
        return;
    }
    if (!(fabs(numerator / denominator - distance) <= 1e-3 * distance))
        fail(what, lane, numerator / denominator, distance);
    if ((denominator > 0) != (total < 0)) /* the winding */
        fail(what, lane, denominator, -total);
    for (unsigned i = 0; i < 2 && barycentrics; i++) {
        const double want = weights[node->identity >> (node->type * 8 + i * 2) & 3];
        if (!(fabs(wl_bits_float(got[2 + i]) / denominator - want) < 1e-3))
            fail(what, lane, wl_bits_float(got[2 + i]) / denominator, want);
    }
    if (!barycentrics && (got[2] != node->identity || got[3] != 1))
        fail(what, lane, got[2], node->identity);
}

/* ---- runs ---- */

static void set_row(unsigned row, unsigned lane, float value) { memcpy(&lift_row(row)[lane], &value, 4); }

static void choose_ray(struct ray *ray, bool halves) {
    ray->node = next() % NODES;
    ray->extent = next() % 3 ? 100 : between(1, 8);
    for (unsigned i = 0; i < 3; i++) {
        ray->origin[i] = (float)between(-8, 8);
        const double aim = between(-2, 2) - ray->origin[i], direction = fabs(aim) < 0.01 ? 0.01 : aim;
        ray->direction[i] = halves ? of_half(to_half(direction)) : (float)direction;
        ray->inverse[i] = halves ? of_half(to_half(1 / ray->direction[i])) : (float)(1 / ray->direction[i]);
    }
    ray->extent = (float)ray->extent;
}

static void run(const char *processor, unsigned generation, bool wide, bool halves, unsigned flags) {
    char text[256], what[128];
    const char *name = wide ? "image_bvh64_intersect_ray" : "image_bvh_intersect_ray";
    const unsigned first = wide ? 2 : 1, count = first + 4 + (halves ? 3 : 6);
    const bool sorted = flags & 1, barycentrics = flags & 2;
    struct ray rays[64];
    if (generation == 10)
        snprintf(text, sizeof text, "%s v[16:19], v[0:%u], s[0:3]%s\ns_waitcnt vmcnt(0)\n", name, count - 1, halves ? " a16" : "");
    else
        snprintf(text, sizeof text, "%s v[16:19], [%s, v%u, v[%u:%u], v[%u:%u]%.*s], s[0:3]%s\n%s\n", name, wide ? "v[0:1]" : "v0", first,
                 first + 1, first + 3, first + 4, first + 6, halves ? 0 : 10, wide ? ", v[9:11]" : ", v[8:10]", halves ? " a16" : "",
                 generation == 12 ? "s_wait_bvhcnt 0x0" : "s_waitcnt vmcnt(0)");
    snprintf(what, sizeof what, "%s %s%s%s%s", processor, name, halves ? " a16" : "", sorted ? " sorted" : "",
             barycentrics ? " weights" : "");
    lift_wave_size = 32;
    lift_open(processor, lift_wave_size, text);
    uint32_t *words = lift_scalars();
    const uint64_t base = (uint64_t)(uintptr_t)memory >> 8;
    words[0] = (uint32_t)base;
    words[1] = (uint32_t)(base >> 32) | (sorted ? 1u << 31 : 0);
    words[2] = NODES * 2 - 1;
    words[3] = 8u << 28 | (barycentrics ? 1u << 24 : 0);
    for (unsigned l = 0; l < lift_wave_size; l++) {
        struct ray *ray = &rays[l];
        choose_ray(ray, halves);
        lift_row(0)[l] = ray->node * 2 * 8 + nodes[ray->node].type;
        if (l == 7)
            lift_row(0)[l] = NODES * 2 * 8; /* outside */
        if (wide)
            lift_row(1)[l] = 0;
        set_row(first, l, (float)ray->extent);
        for (unsigned i = 0; i < 3; i++) {
            set_row(first + 1 + i, l, (float)ray->origin[i]);
            if (!halves) {
                set_row(first + 4 + i, l, (float)ray->direction[i]);
                set_row(first + 7 + i, l, (float)ray->inverse[i]);
            }
        }
        uint16_t list[6];
        for (unsigned i = 0; i < 3; i++) {
            list[generation == 10 ? i : i * 2] = to_half(ray->direction[i]);
            list[generation == 10 ? i + 3 : i * 2 + 1] = to_half(ray->inverse[i]);
        }
        for (unsigned i = 0; i < 3 && halves; i++)
            lift_row(first + 4 + i)[l] = list[i * 2] | (uint32_t)list[i * 2 + 1] << 16;
        for (unsigned i = 0; i < 4; i++)
            lift_row(16 + i)[l] = 0xdeadbeef;
    }
    lift_execute(0xfffffeff); /* lane 8 is off */
    for (unsigned l = 0; l < lift_wave_size; l++) {
        const uint32_t got[4] = {lift_row(16)[l], lift_row(17)[l], lift_row(18)[l], lift_row(19)[l]};
        if (l == 7 || l == 8) {
            for (unsigned i = 0; i < 4; i++, checks++)
                if (got[i] != (l == 7 ? MISS : 0xdeadbeef))
                    fail(what, l, got[i], l == 7 ? MISS : 0xdeadbeef);
        } else if (nodes[rays[l].node].type >= BOX_HALVES) {
            check_box(what, l, &rays[l], sorted, got);
        } else {
            check_triangle(what, l, &rays[l], barycentrics, got);
        }
    }
    lift_close();
}

int main(void) {
    static const struct {
        const char *name;
        unsigned generation;
    } processors[] = {{"gfx1030", 10}, {"gfx1100", 11}, {"gfx1200", 12}};
    lift_start();
    memory = lift_memory(NODES * 128);
    for (size_t p = 0; p < sizeof processors / sizeof *processors; p++)
        for (unsigned i = 0; i < 64; i++) {
            if (i % 16 == 0)
                make_nodes();
            run(processors[p].name, processors[p].generation, i & 4, i & 8, i & 3);
        }
    printf("%u checks, %u hits, %u too close to tell, %u failures\n", checks, hits, skipped, failures);
    return failures != 0 || hits < 500;
}
