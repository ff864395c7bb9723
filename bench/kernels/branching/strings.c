/* Hashes of strings of random length, with 64-bit products. */
#include "strings.h"
#include "bench.h"

static uint32_t *begins;
static uint8_t *bytes;
static uint64_t *hashes;
static struct buffer dbegins, dbytes, dhashes;

static void make(struct result *result) {
    struct random random = {1};
    begins = host_array(sizeof *begins * (STRINGS + 1));
    for (uint32_t i = 0; i < STRINGS; i++)
        begins[i + 1] = begins[i] + random_below(&random, LONGEST + 1);
    bytes = host_array(begins[STRINGS]);
    hashes = host_array(sizeof *hashes * STRINGS);
    for (uint32_t i = 0; i < begins[STRINGS]; i++)
        bytes[i] = (uint8_t)random_bits(&random);
    *result = (struct result){hashes, sizeof *hashes * STRINGS, BITS, 0, 0};
}

static uint64_t hash_of(uint32_t at, uint32_t end) {
    uint64_t hash = 0xcbf29ce484222325u ^ (end - at);
    for (; at + 8 <= end; at += 8) {
        uint64_t word = 0;
        for (int k = 0; k < 8; k++)
            word |= (uint64_t)bytes[at + k] << 8 * k;
        word *= 0x9fb21c651e98df25u;
        word ^= word >> 47;
        hash = (hash ^ word) * 0x9fb21c651e98df25u;
    }
    for (; at < end; at++)
        hash = (hash ^ bytes[at]) * 0x100000001b3u;
    hash ^= hash >> 32;
    hash *= 0xd6e8feb86659fd93u;
    return hash ^ hash >> 32;
}

static void native(void) {
#pragma omp parallel for schedule(static, 256)
    for (int i = 0; i < STRINGS; i++)
        hashes[i] = hash_of(begins[i], begins[i + 1]);
}

static void upload(void) {
    dbegins = new_buffer(sizeof *begins * (STRINGS + 1), begins);
    dbytes = new_buffer(begins[STRINGS], bytes);
    dhashes = new_buffer(sizeof *hashes * STRINGS, NULL);
}

static void device(void) { LAUNCH("strings", EXTENT(STRINGS / 256), EXTENT(256), BUFFER(dbegins), BUFFER(dbytes), BUFFER(dhashes)); }

static void fetch(void) { read_buffer(hashes, dhashes, sizeof *hashes * STRINGS); }

const struct benchmark bench_strings = {make, native, upload, device, fetch, 1e-9 * STRINGS, "Gstring", 0, NULL};
