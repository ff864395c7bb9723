/* A hash join: a table of keys and payloads with open addressing, built with compare and exchange; then each row of the other
 * side looks its key up. Half of these have a partner. */
#include "hash_join.h"
#include "bench.h"

#include <string.h>

static uint32_t *build_keys, *build_values, *probe_keys, *joined, *table_keys, *table_values;
static struct buffer dbuild_keys, dbuild_values, dprobe_keys, djoined, dtable_keys, dtable_values;

/* Distinct keys, none 0: odd multiples are a permutation of the 32-bit numbers. */
static uint32_t key_of(uint32_t number) { return (number + 1) * 0x85ebca6bu; }

static void make(struct result *result) {
    struct random random = {1};
    build_keys = host_array(sizeof(uint32_t) * BUILD);
    build_values = host_array(sizeof(uint32_t) * BUILD);
    probe_keys = host_array(sizeof(uint32_t) * PROBE);
    joined = host_array(sizeof(uint32_t) * PROBE);
    table_keys = host_array(sizeof(uint32_t) * SLOTS);
    table_values = host_array(sizeof(uint32_t) * SLOTS);
    for (uint32_t i = 0; i < BUILD; i++) {
        build_keys[i] = key_of(i);
        build_values[i] = random_bits(&random) | 1;
    }
    for (uint32_t i = BUILD - 1; i > 0; i--) {
        uint32_t j = random_below(&random, i + 1), swap = build_keys[i];
        build_keys[i] = build_keys[j];
        build_keys[j] = swap;
    }
    for (uint32_t i = 0; i < PROBE; i++)
        probe_keys[i] = key_of(random_below(&random, 2 * BUILD));
    *result = (struct result){joined, sizeof(uint32_t) * PROBE, BITS, 0, 0};
}

static void native(void) {
    memset(table_keys, 0, sizeof(uint32_t) * SLOTS);
#pragma omp parallel
    {
#pragma omp for schedule(static)
        for (uint32_t i = 0; i < BUILD; i++) {
            uint32_t slot = HASH(build_keys[i]), expected = 0;
            while (!__atomic_compare_exchange_n(&table_keys[slot], &expected, build_keys[i], false, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
                slot = (slot + 1) & (SLOTS - 1);
                expected = 0;
            }
            table_values[slot] = build_values[i];
        }
#pragma omp for schedule(static)
        for (uint32_t i = 0; i < PROBE; i++) {
            uint32_t key = probe_keys[i], slot = HASH(key), found;
            while ((found = table_keys[slot]) != 0 && found != key)
                slot = (slot + 1) & (SLOTS - 1);
            joined[i] = found ? table_values[slot] : 0;
        }
    }
}

static void upload(void) {
    dbuild_keys = new_buffer(sizeof(uint32_t) * BUILD, build_keys);
    dbuild_values = new_buffer(sizeof(uint32_t) * BUILD, build_values);
    dprobe_keys = new_buffer(sizeof(uint32_t) * PROBE, probe_keys);
    djoined = new_buffer(sizeof(uint32_t) * PROBE, NULL);
    dtable_keys = new_buffer(sizeof(uint32_t) * SLOTS, NULL);
    dtable_values = new_buffer(sizeof(uint32_t) * SLOTS, NULL);
}

static void device(void) {
    clear_buffer(dtable_keys, sizeof(uint32_t) * SLOTS);
    LAUNCH("join_build", EXTENT(BUILD / 256), EXTENT(256), BUFFER(dbuild_keys), BUFFER(dbuild_values), BUFFER(dtable_keys),
           BUFFER(dtable_values));
    LAUNCH("join_probe", EXTENT(PROBE / 256), EXTENT(256), BUFFER(dprobe_keys), BUFFER(dtable_keys), BUFFER(dtable_values),
           BUFFER(djoined));
}

static void fetch(void) { read_buffer(joined, djoined, sizeof(uint32_t) * PROBE); }

const struct benchmark bench_hash_join = {make, native, upload, device, fetch, 1e-9 * (BUILD + PROBE), "Grow", 0, NULL};
