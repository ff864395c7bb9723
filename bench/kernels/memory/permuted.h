/* An array moved in random order: the host side. Before it KERNEL, the kernel's name, and MOVE(from, index, to, i), which moves
 * element i. */
#include "bench.h"

#define COUNT (4 << 20) /* 16 MiB */

static float *from, *to;
static uint32_t *order; /* a permutation */
static struct buffer dfrom, dto, dorder;

static void make(struct result *result) {
    struct random random = {2};
    from = host_array(COUNT * sizeof *from);
    to = host_array(COUNT * sizeof *to);
    order = host_array(COUNT * sizeof *order);
    random_floats(1, from, COUNT, 0, 1);
    for (uint32_t i = 0; i < COUNT; i++) {
        uint32_t other = random_below(&random, i + 1);
        order[i] = order[other];
        order[other] = i;
    }
    *result = (struct result){to, COUNT * sizeof *to, BITS, 0, 0};
}

static void move(const float *restrict from, const uint32_t *restrict index, float *restrict to) {
#pragma omp parallel for schedule(static)
    for (int i = 0; i < COUNT; i++)
        MOVE(from, index, to, i);
}

static void native(void) { move(from, order, to); }

static void upload(void) {
    dfrom = new_buffer(COUNT * sizeof *from, from);
    dto = new_buffer(COUNT * sizeof *to, NULL);
    dorder = new_buffer(COUNT * sizeof *order, order);
}

static void device(void) { LAUNCH(KERNEL, EXTENT(COUNT / 256), EXTENT(256), BUFFER(dfrom), BUFFER(dorder), BUFFER(dto)); }

static void fetch(void) { read_buffer(to, dto, COUNT * sizeof *to); }

#define MOVED {make, native, upload, device, fetch, 12e-9 * COUNT, "GB"}
