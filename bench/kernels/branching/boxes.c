/* How many points lie in each of many squares: the points are in a tree that is cut in x and y in turn, and each item goes through it with
 * a stack of its own, in arrays that are indexed by its depth. */
#include "boxes.h"
#include "bench.h"

#include <stdlib.h>

static float (*points)[2], (*queries)[3];
static uint32_t *counts;
static struct buffer dpoints, dqueries, dcounts;

static int by_x(const void *a, const void *b) {
    float x = ((const float *)a)[0], y = ((const float *)b)[0];
    return (x > y) - (x < y);
}

static int by_y(const void *a, const void *b) {
    float x = ((const float *)a)[1], y = ((const float *)b)[1];
    return (x > y) - (x < y);
}

static void build(uint32_t begin, uint32_t end, int axis) {
    uint32_t middle = (begin + end) / 2;
    if (end - begin < 2)
        return;
    qsort(points[begin], end - begin, sizeof *points, axis ? by_y : by_x);
    build(begin, middle, !axis);
    build(middle + 1, end, !axis);
}

static void make(struct result *result) {
    struct random random = {1};
    points = host_array(sizeof *points * POINTS);
    queries = host_array(sizeof *queries * QUERIES);
    counts = host_array(sizeof *counts * QUERIES);
    random_floats(2, points[0], (size_t)2 * POINTS, 0, 1);
    for (uint32_t i = 0; i < QUERIES; i++) {
        queries[i][0] = random_float(&random, 0, 1);
        queries[i][1] = random_float(&random, 0, 1);
        queries[i][2] = random_float(&random, 0, 0.02f);
    }
    build(0, POINTS, 0);
    *result = (struct result){counts, sizeof *counts * QUERIES, BITS, 0, 0};
}

static uint32_t inside(const float *query) {
    uint32_t ends[DEPTH], begins[DEPTH], axes[DEPTH], depth = 1, sum = 0;
    float x = query[0], y = query[1], size = query[2];
    begins[0] = 0;
    ends[0] = POINTS;
    axes[0] = 0;
    while (depth > 0) {
        depth--;
        uint32_t begin = begins[depth], end = ends[depth], axis = axes[depth], middle = (begin + end) / 2;
        float px = points[middle][0], py = points[middle][1];
        if (px >= x && px < x + size && py >= y && py < y + size)
            sum++;
        float p = axis ? py : px, low = axis ? y : x;
        if (middle > begin && p >= low) {
            begins[depth] = begin;
            ends[depth] = middle;
            axes[depth++] = !axis;
        }
        if (middle + 1 < end && p < low + size) {
            begins[depth] = middle + 1;
            ends[depth] = end;
            axes[depth++] = !axis;
        }
    }
    return sum;
}

static void native(void) {
#pragma omp parallel for schedule(static, 256)
    for (int i = 0; i < QUERIES; i++)
        counts[i] = inside(queries[i]);
}

static void upload(void) {
    dpoints = new_buffer(sizeof *points * POINTS, points);
    dqueries = new_buffer(sizeof *queries * QUERIES, queries);
    dcounts = new_buffer(sizeof *counts * QUERIES, NULL);
}

static void device(void) { LAUNCH("boxes", EXTENT(QUERIES / 256), EXTENT(256), BUFFER(dpoints), BUFFER(dqueries), BUFFER(dcounts)); }

static void fetch(void) { read_buffer(counts, dcounts, sizeof *counts * QUERIES); }

const struct benchmark bench_boxes = {make, native, upload, device, fetch, 1e-9 * QUERIES, "Gquery", 0, "a stack in arrays for each item"};
