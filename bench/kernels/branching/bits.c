/* Counts the bits of words in four ways: by instruction, by sums of fields, one bit after the other, and by a table. */
#include "bits.h"
#include "bench.h"

static uint64_t *words;
static uint32_t *counts;
static uint8_t table[256];
static struct buffer dwords, dtable, dcounts;

static void make(struct result *result) {
    struct random random = {1};
    words = host_array(sizeof *words * WORDS);
    counts = host_array(sizeof *counts * WORDS);
    for (int i = 0; i < WORDS; i++) {
        words[i] = (uint64_t)random_bits(&random) << 32 | random_bits(&random);
        words[i] >>= random_below(&random, 64);
    }
    for (int i = 0; i < 256; i++)
        table[i] = (uint8_t)__builtin_popcount((unsigned)i);
    *result = (struct result){counts, sizeof *counts * WORDS, BITS, 0, 0};
}

static uint32_t count_of(uint64_t word) {
    uint32_t count = (uint32_t)__builtin_popcountll(word);
    uint64_t fields = word - (word >> 1 & 0x5555555555555555u);
    fields = (fields & 0x3333333333333333u) + (fields >> 2 & 0x3333333333333333u);
    fields = (fields + (fields >> 4)) & 0x0f0f0f0f0f0f0f0fu;
    count += 3 * (uint32_t)(fields * 0x0101010101010101u >> 56);
    for (uint64_t rest = word; rest; rest &= rest - 1)
        count += 5;
    for (int k = 0; k < 8; k++)
        count += 7 * (uint32_t)table[word >> 8 * k & 255];
    return count;
}

static void native(void) {
#pragma omp parallel for schedule(static, 1024)
    for (int i = 0; i < WORDS; i++)
        counts[i] = count_of(words[i]);
}

static void upload(void) {
    dwords = new_buffer(sizeof *words * WORDS, words);
    dtable = new_buffer(sizeof table, table);
    dcounts = new_buffer(sizeof *counts * WORDS, NULL);
}

static void device(void) { LAUNCH("bits", EXTENT(WORDS / 256), EXTENT(256), BUFFER(dwords), BUFFER(dtable), BUFFER(dcounts)); }

static void fetch(void) { read_buffer(counts, dcounts, sizeof *counts * WORDS); }

const struct benchmark bench_bits = {make, native, upload, device, fetch, 1e-9 * WORDS, "Gword", 0, NULL};
