/* Breadth-first search, level by level: the vertices of a level are in a queue; who reaches a vertex first puts it in the next
 * level's. The host asks after each level how long the queue is. The graph has hubs, as networks have. */
#include "bfs.h"
#include "bench.h"

#include <stdlib.h>
#include <string.h>

#define EDGES (VERTICES * 8)
#define BYTES (sizeof(uint32_t) * VERTICES)

static uint32_t *begins, *targets, *levels, *queue, *next;
static struct buffer dbegins, dtargets, dlevels, dqueues[2], dcount;

/* Half of the edges end at a vertex of low number: products of two uniform numbers. */
static uint32_t vertex(struct random *random) {
    uint32_t any = random_below(random, VERTICES);
    return random_below(random, 2) ? any : (uint32_t)(((uint64_t)any * random_below(random, VERTICES)) / VERTICES);
}

static void make(struct result *result) {
    struct random random = {1};
    uint32_t(*edges)[2] = malloc(sizeof *edges * EDGES), *fill = malloc(BYTES);
    begins = host_array(BYTES + sizeof(uint32_t));
    targets = host_array(sizeof(uint32_t) * EDGES);
    levels = host_array(BYTES);
    queue = host_array(BYTES);
    next = host_array(BYTES);
    if (!edges || !fill)
        bench_fail("no memory");
    for (size_t i = 0; i < EDGES; i++) {
        edges[i][0] = vertex(&random);
        edges[i][1] = random_below(&random, VERTICES);
        begins[edges[i][0] + 1]++;
    }
    for (size_t i = 0; i < VERTICES; i++)
        begins[i + 1] += begins[i];
    memcpy(fill, begins, BYTES);
    for (size_t i = 0; i < EDGES; i++)
        targets[fill[edges[i][0]]++] = edges[i][1];
    free(edges);
    free(fill);
    *result = (struct result){levels, BYTES, BITS, 0, 0};
}

/* Each thread collects up to 256 vertices before it takes space in the queue. */
static uint32_t level(uint32_t count, uint32_t depth) {
    uint32_t found = 0;
#pragma omp parallel
    {
        uint32_t own[256], held = 0;
#pragma omp for schedule(dynamic, 256) nowait
        for (uint32_t i = 0; i < count; i++)
            for (uint32_t e = begins[queue[i]]; e < begins[queue[i] + 1]; e++) {
                uint32_t target = targets[e], expected = UNREACHED;
                if (__atomic_load_n(&levels[target], __ATOMIC_RELAXED) != UNREACHED ||
                    !__atomic_compare_exchange_n(&levels[target], &expected, depth, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
                    continue;
                own[held++] = target;
                if (held == 256) {
                    memcpy(next + __atomic_fetch_add(&found, held, __ATOMIC_RELAXED), own, sizeof own);
                    held = 0;
                }
            }
        memcpy(next + __atomic_fetch_add(&found, held, __ATOMIC_RELAXED), own, sizeof(uint32_t) * held);
    }
    return found;
}

static void native(void) {
    memset(levels, 0xff, BYTES);
    queue[0] = 0;
    levels[0] = 0;
    for (uint32_t count = 1, depth = 1; count > 0; depth++) {
        count = level(count, depth);
        uint32_t *swap = queue;
        queue = next;
        next = swap;
    }
}

static void upload(void) {
    dbegins = new_buffer(BYTES + sizeof(uint32_t), begins);
    dtargets = new_buffer(sizeof(uint32_t) * EDGES, targets);
    dlevels = new_buffer(BYTES, NULL);
    dqueues[0] = new_buffer(BYTES, NULL);
    dqueues[1] = new_buffer(BYTES, NULL);
    dcount = new_buffer(sizeof(uint32_t), NULL);
}

static void device(void) {
    LAUNCH("bfs_start", EXTENT(VERTICES / 256), EXTENT(256), BUFFER(dlevels), BUFFER(dqueues[0]));
    for (uint32_t count = 1, depth = 1; count > 0; depth++) {
        clear_buffer(dcount, sizeof(uint32_t));
        LAUNCH("bfs_level", EXTENT((count + 255) / 256), EXTENT(256), BUFFER(dbegins), BUFFER(dtargets), BUFFER(dlevels),
               BUFFER(dqueues[(depth - 1) % 2]), UINT(count), BUFFER(dqueues[depth % 2]), BUFFER(dcount), UINT(depth));
        read_buffer(&count, dcount, sizeof(uint32_t));
    }
}

static void fetch(void) { read_buffer(levels, dlevels, BYTES); }

const struct benchmark bench_bfs = {
    make, native, upload, device, fetch, 1e-9 * EDGES, "Gedge", 0, "the host reads the length of the queue after each level"};
