/* Inclusive prefix sums of a million integers: the sum of each tile, the prefix sums of those, the prefix sums in each tile. */
#include "scan.h"
#include "bench.h"

#define BYTES (sizeof(uint32_t) * COUNT * BATCH)

static uint32_t *numbers, *sums;
static struct buffer dnumbers, dtiles, dsums;

static void make(struct result *result) {
    struct random random = {1};
    numbers = host_array(BYTES);
    sums = host_array(BYTES);
    for (size_t i = 0; i < (size_t)COUNT * BATCH; i++)
        numbers[i] = random_bits(&random);
    *result = (struct result){sums, BYTES, BITS, 0, 0};
}

static void native(void) {
    static uint32_t before[TILES];
#pragma omp parallel for schedule(static)
    for (int t = 0; t < TILES; t++) {
        uint32_t sum = 0;
        for (int i = 0; i < TILE; i++)
            sum += numbers[t * TILE + i];
        before[t] = sum;
    }
    for (uint32_t t = 0, sum = 0; t < TILES; t++) {
        uint32_t own = before[t];
        before[t] = sum;
        sum += own;
    }
#pragma omp parallel for schedule(static)
    for (int t = 0; t < TILES; t++) {
        uint32_t sum = before[t];
        for (int i = 0; i < TILE; i++)
            sums[t * TILE + i] = sum += numbers[t * TILE + i];
    }
}

static void upload(void) {
    dnumbers = new_buffer(BYTES, numbers);
    dtiles = new_buffer(sizeof(uint32_t) * TILES * BATCH, NULL);
    dsums = new_buffer(BYTES, NULL);
}

static void device(void) {
    LAUNCH("tile_sums", EXTENT(TILES, BATCH), EXTENT(256), BUFFER(dnumbers), BUFFER(dtiles));
    LAUNCH("scan_tile_sums", EXTENT(1, BATCH), EXTENT(256), BUFFER(dtiles));
    LAUNCH("scan_tiles", EXTENT(TILES, BATCH), EXTENT(256), BUFFER(dnumbers), BUFFER(dtiles), BUFFER(dsums));
}

static void fetch(void) { read_buffer(sums, dsums, BYTES); }

const struct benchmark bench_scan = {make, native, upload, device, fetch, 1e-9 * COUNT *BATCH, "Gitem", 0, NULL};
