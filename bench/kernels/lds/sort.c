/* 262144 keys sorted by their digits, the least significant one first. For each digit: count the digits of each tile, sum the
 * counts up, move each tile's keys to where its digits begin. */
#include "sort.h"
#include "bench.h"

#include <string.h>

#define BYTES (sizeof(uint32_t) * COUNT * BATCH)

static uint32_t *keys, *sorted, *spare;
static struct buffer dkeys, da, db, dcounts;

static void make(struct result *result) {
    struct random random = {1};
    keys = host_array(BYTES);
    sorted = host_array(BYTES);
    spare = host_array(BYTES);
    for (size_t i = 0; i < (size_t)COUNT * BATCH; i++)
        keys[i] = random_bits(&random);
    *result = (struct result){sorted, BYTES, BITS, 0, 0};
}

static void pass(const uint32_t *restrict from, uint32_t *restrict to, int shift) {
    static uint32_t counts[TILES][DIGITS];
#pragma omp parallel for schedule(static)
    for (int t = 0; t < TILES; t++) {
        uint32_t own[DIGITS] = {0};
        for (int i = t * TILE; i < (t + 1) * TILE; i++)
            own[from[i] >> shift & (DIGITS - 1)]++;
        memcpy(counts[t], own, sizeof own);
    }
    uint32_t sum = 0;
    for (int digit = 0; digit < DIGITS; digit++)
        for (int t = 0; t < TILES; t++) {
            uint32_t own = counts[t][digit];
            counts[t][digit] = sum;
            sum += own;
        }
#pragma omp parallel for schedule(static)
    for (int t = 0; t < TILES; t++) {
        uint32_t next[DIGITS];
        memcpy(next, counts[t], sizeof next);
        for (int i = t * TILE; i < (t + 1) * TILE; i++)
            to[next[from[i] >> shift & (DIGITS - 1)]++] = from[i];
    }
}

static void native(void) {
    const uint32_t *from = keys;
    for (int shift = 0; shift < 32; shift += 4) {
        uint32_t *to = shift & 4 ? sorted : spare;
        pass(from, to, shift);
        from = to;
    }
}

static void upload(void) {
    dkeys = new_buffer(BYTES, keys);
    da = new_buffer(BYTES, NULL);
    db = new_buffer(BYTES, NULL);
    dcounts = new_buffer(sizeof(uint32_t) * COUNTERS * BATCH, NULL);
}

static void device(void) {
    struct buffer from = dkeys;
    for (int shift = 0; shift < 32; shift += 4) {
        struct buffer to = shift & 4 ? db : da;
        LAUNCH("sort_count", EXTENT(TILES, BATCH), EXTENT(256), BUFFER(from), BUFFER(dcounts), INT(shift));
        LAUNCH("sort_sum", EXTENT(1, BATCH), EXTENT(256), BUFFER(dcounts));
        LAUNCH("sort_move", EXTENT(TILES, BATCH), EXTENT(256), BUFFER(from), BUFFER(dcounts), BUFFER(to), INT(shift));
        from = to;
    }
}

static void fetch(void) { read_buffer(sorted, db, BYTES); }

const struct benchmark bench_sort = {
    make, native, upload, device, fetch, 1e-9 * COUNT *BATCH, "Gitem", 0, "24 launches; digits of 4 bits on all sides"};
