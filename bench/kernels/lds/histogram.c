/* How often each value occurs among 4 million bytes: each workgroup counts in LDS with atomics and adds to the result. */
#include "histogram.h"
#include "bench.h"

#include <string.h>

#define BYTES (sizeof(uint32_t) * WORDS)

static uint32_t *words, *counts;
static struct buffer dwords, dcounts;

static void make(struct result *result) {
    struct random random = {1};
    words = host_array(BYTES);
    counts = host_array(sizeof(uint32_t) * BINS);
    for (size_t i = 0; i < WORDS; i++) /* dark bytes are more frequent, as in photographs */
        for (int byte = 0; byte < 4; byte++)
            words[i] = words[i] << 8 | (random_below(&random, 256) & (random_below(&random, 4) ? 0xff : 0x3f));
    *result = (struct result){counts, sizeof(uint32_t) * BINS, BITS, 0, 0};
}

static void native(void) {
    memset(counts, 0, sizeof(uint32_t) * BINS);
#pragma omp parallel
    {
        uint32_t own[BINS] = {0};
#pragma omp for schedule(static) nowait
        for (int i = 0; i < WORDS; i++) {
            uint32_t word = words[i];
            own[word & 255]++;
            own[word >> 8 & 255]++;
            own[word >> 16 & 255]++;
            own[word >> 24]++;
        }
        for (int i = 0; i < BINS; i++)
            __atomic_fetch_add(&counts[i], own[i], __ATOMIC_RELAXED);
    }
}

static void upload(void) {
    dwords = new_buffer(BYTES, words);
    dcounts = new_buffer(sizeof(uint32_t) * BINS, NULL);
}

static void device(void) {
    clear_buffer(dcounts, sizeof(uint32_t) * BINS);
    LAUNCH("histogram", EXTENT(GROUPS), EXTENT(256), BUFFER(dwords), BUFFER(dcounts), INT(WORDS));
}

static void fetch(void) { read_buffer(counts, dcounts, sizeof(uint32_t) * BINS); }

const struct benchmark bench_histogram = {make, native, upload, device, fetch, 1e-9 * BYTES, "Gitem", 0, NULL};
