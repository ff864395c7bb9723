/* The sum of 4 million floats: each item sums a stride of the array, each workgroup in a tree in LDS, one more group the rest. */
#include "reduction.h"
#include "bench.h"

#define BYTES (sizeof(float) * COUNT)

static float *terms, *sum;
static struct buffer dterms, dpartial, dsum;

/* Small integers: their sums are exact in any order. */
static void make(struct result *result) {
    struct random random = {1};
    terms = host_array(BYTES);
    sum = host_array(sizeof *sum);
    for (size_t i = 0; i < COUNT; i++)
        terms[i] = (float)(int)random_below(&random, 17) - 8;
    *result = (struct result){sum, sizeof *sum, BITS, 0, 0};
}

static void native(void) {
    float total = 0;
#pragma omp parallel for simd schedule(static) reduction(+ : total)
    for (int i = 0; i < COUNT; i++)
        total += terms[i];
    *sum = total;
}

static void upload(void) {
    dterms = new_buffer(BYTES, terms);
    dpartial = new_buffer(sizeof(float) * GROUPS, NULL);
    dsum = new_buffer(sizeof *sum, NULL);
}

static void device(void) {
    LAUNCH("reduction", EXTENT(GROUPS), EXTENT(256), BUFFER(dterms), BUFFER(dpartial), INT(COUNT));
    LAUNCH("reduction", EXTENT(1), EXTENT(256), BUFFER(dpartial), BUFFER(dsum), INT(GROUPS));
}

static void fetch(void) { read_buffer(sum, dsum, sizeof *sum); }

const struct benchmark bench_reduction = {
    make, native, upload, device, fetch, 1e-9 * BYTES, "GB", 0, "exact in any order: the terms are small integers"};
