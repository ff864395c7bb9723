#include "inputs.h"
#include "../random_numbers.h"
#include "base/status.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint64_t random_state;

static uint64_t random_bits(void) { return next_random(&random_state) >> 8; }

static unsigned random_below(unsigned count) { return (unsigned)(random_bits() >> 12) % count; }

/* ---- random words ---- */

/* The first bits of each encoding: words that are random but for these give the small encodings their share. */
struct prefix {
    uint8_t first, last; /* generations */
    uint8_t bits;
    uint32_t value;
};

static const struct prefix prefixes[] = {
    {9, 12, 0, 0},           {9, 12, 9, 0xbe800000},  {9, 12, 9, 0xbf000000},  {9, 12, 9, 0xbf800000},  {9, 12, 2, 0x80000000},
    {9, 12, 4, 0xb0000000},  {9, 12, 1, 0},           {9, 12, 7, 0x7c000000},  {9, 12, 7, 0x7e000000},  {9, 9, 6, 0xd0000000},
    {10, 12, 6, 0xd4000000}, {9, 9, 9, 0xd3800000},   {10, 12, 9, 0xcc000000}, {9, 9, 6, 0xc0000000},   {10, 12, 6, 0xf4000000},
    {9, 12, 6, 0xd8000000},  {9, 11, 6, 0xdc000000},  {12, 12, 6, 0xec000000}, {9, 11, 6, 0xe0000000},  {12, 12, 6, 0xc4000000},
    {9, 11, 6, 0xe8000000},  {9, 11, 6, 0xf0000000},  {12, 12, 6, 0xd0000000}, {12, 12, 6, 0xe4000000}, {11, 12, 6, 0xc8000000},
    {9, 9, 6, 0xd4000000},   {10, 10, 6, 0xc8000000}, {10, 12, 6, 0xf8000000}, {11, 12, 8, 0xcd000000}, {11, 12, 8, 0xce000000},
};

/* One word in four has few bits set, one in four has fields of all ones: what is 0 or all ones has meanings of its own. */
static uint32_t random_word(void) {
    const uint64_t bits = random_bits(), more = random_bits();
    const uint32_t word = (uint32_t)bits, mask = (uint32_t)(more >> 16);

    switch (more >> 52 & 3) {
    case 0:
        return word & mask & mask >> 7;
    case 1:
        return word | (more >> 48 & 1 ? 0xff00u : 0x1ffu) | (more >> 49 & 1 ? 0xff000000u : 0);
    default:
        return word;
    }
}

static void make_words(unsigned generation, uint8_t bytes[INPUT_BYTES]) {
    const struct prefix *prefix;

    do
        prefix = &prefixes[random_below(sizeof prefixes / sizeof *prefixes)];
    while (generation < prefix->first || generation > prefix->last);
    for (size_t j = 0; j < INPUT_BYTES; j += 4) {
        uint32_t word = random_word();
        if (j == 0 && prefix->bits)
            word = (word & UINT32_MAX >> prefix->bits) | prefix->value;
        memcpy(bytes + j, &word, 4);
    }
}

/* ---- words that are made of others ---- */

enum { SLOTS = 8192 }; /* a power of two; a processor has some 2500 mnemonics with suffixes */

static struct kept {
    char name[48];
    uint8_t bytes[INPUT_BYTES];
} kept[SLOTS];
static uint16_t order[SLOTS]; /* slots in use */
static unsigned kept_count;

void inputs_seed(uint64_t seed) {
    random_state = seed * 0x9e3779b97f4a7c15u + 1;
    memset(kept, 0, sizeof kept);
    kept_count = 0;
}

static uint32_t hash(const char *text, size_t length) {
    uint32_t value = 2166136261u;
    for (size_t i = 0; i < length; i++)
        value = (value ^ (uint8_t)text[i]) * 16777619u;
    return value ^ value >> 15;
}

void inputs_keep(const char *text, const uint8_t bytes[INPUT_BYTES]) {
    const size_t length = strcspn(text, " ");
    uint32_t slot = hash(text, length) % SLOTS;

    if (!length || length >= sizeof kept[0].name || kept_count > SLOTS / 2)
        return;
    while (kept[slot].name[0] && (memcmp(kept[slot].name, text, length) != 0 || kept[slot].name[length]))
        slot = (slot + 1) % SLOTS;
    if (!kept[slot].name[0]) {
        memcpy(kept[slot].name, text, length);
        order[kept_count++] = (uint16_t)slot;
    } else if (random_below(8))
        return;
    memcpy(kept[slot].bytes, bytes, INPUT_BYTES);
}

/* Changes one field somewhere in the first words. Half of the values are ones that mean something of their own as a source or a register. */
static void change_field(uint32_t words[INPUT_BYTES / 4]) {
    static const uint8_t widths[] = {1, 1, 2, 3, 4, 7, 8, 9, 12, 16};
    static const uint16_t values[] = {0,   1,   2,   3,   101, 102, 104, 106, 107, 108, 123, 124, 125, 126,
                                      127, 128, 129, 192, 193, 208, 209, 233, 234, 235, 236, 239, 240, 242,
                                      248, 249, 250, 251, 252, 253, 254, 255, 256, 257, 508, 510, 511, 0xffff};
    static const uint8_t starts[] = {0, 8, 9, 12, 16, 17, 18, 23, 24, 25, 27, 29};
    const unsigned word = random_below(8) < 7 ? random_below(3) : random_below(INPUT_BYTES / 4),
                   width = widths[random_below(sizeof widths)];
    const unsigned at = random_below(2) ? starts[random_below(sizeof starts)] : random_below(32);
    const uint32_t mask = (uint32_t)(((UINT64_C(1) << width) - 1) << at);
    const uint32_t value = random_below(2) ? values[random_below(sizeof values / sizeof *values)] : (uint32_t)random_bits();

    words[word] = (words[word] & ~mask) | (value << at & mask);
}

static void change_words(uint8_t bytes[INPUT_BYTES]) {
    uint32_t words[INPUT_BYTES / 4];
    const unsigned changes = 1 + random_below(6);

    memcpy(words, kept[order[random_below(kept_count)]].bytes, INPUT_BYTES);
    for (unsigned i = 0; i < changes; i++)
        change_field(words);
    memcpy(bytes, words, INPUT_BYTES);
}

void inputs_random(unsigned generation, uint8_t bytes[INPUT_BYTES]) {
    if (kept_count && random_below(8) < 5)
        change_words(bytes);
    else
        make_words(generation, bytes);
}

/* ---- files ---- */

bool inputs_each_object(const char *path, void (*look)(const struct wl_codeobject *object)) {
    struct wl_container *container;

    if (wl_container_open_file(&container, path) != WL_OK) {
        fprintf(stderr, "%s: %s\n", path, wl_failure());
        return false;
    }
    for (size_t i = 0; i < wl_container_count(container); i++) {
        struct wl_entry entry;
        struct wl_codeobject *object;

        if (wl_container_entry(container, i, &entry) != WL_OK || wl_codeobject_open(&object, entry.data, entry.size) != WL_OK) {
            fprintf(stderr, "%s: %s\n", path, wl_failure());
            continue;
        }
        look(object);
        wl_codeobject_close(object);
    }
    wl_container_close(container);
    return true;
}

unsigned inputs_split_target(const char *target, char *processor, size_t size) {
    const char *slash = strchr(target, '/');

    snprintf(processor, size, "%.*s", slash ? (int)(slash - target) : 20, target);
    return slash ? (unsigned)strtoul(slash + 1, NULL, 10) : 64;
}
