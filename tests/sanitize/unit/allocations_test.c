/* The shadow and the list of blocks, against an array that has what each byte is. Addresses are numbers: nothing is accessed. */
#include "sanitize/allocations.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#define BASE (UINT64_C(0x7a) << 40)

enum { BYTES = 1 << 14, BLOCKS = 64, STEPS = 4000 };

static struct {
    uint64_t start, size;
    bool live, freed;
} blocks[BLOCKS];
static bool accessible[BYTES];

static void check_bytes(uint64_t from, uint64_t size) {
    uint64_t bad = 0, at = from;
    while (at < from + size && accessible[at])
        at++;
    const bool good = wl_san_may_access(BASE + from, size, &bad);
    assert_int_equal(good, at == from + size);
    if (!good)
        assert_int_equal(bad, BASE + at);
    const uint64_t lanes[] = {UINT64_MAX, BASE + from, 0};
    if (size <= 56)
        assert_int_equal(wl_san_accessible(lanes, 7, (uint32_t)size), good ? 2 : 0);
}

static void check_shadow(void) {
    const uint8_t *shadow = wl_san_shadow();
    for (uint64_t i = 0; i < BYTES; i++)
        assert_int_equal(shadow[(BASE + i) >> WL_SAN_SHADOW_SHIFT] >> (i & 7) & 1, accessible[i]);
}

static void set(uint64_t from, uint64_t size, bool value) { memset(accessible + from, value, size); }

static bool overlaps(uint64_t start, uint64_t size) {
    for (unsigned i = 0; i < BLOCKS; i++)
        if (blocks[i].live && start < blocks[i].start + blocks[i].size && blocks[i].start < start + size)
            return true;
    return false;
}

static void forget_freed(uint64_t start, uint64_t size) {
    for (unsigned i = 0; i < BLOCKS; i++)
        if (blocks[i].freed && start < blocks[i].start + blocks[i].size && blocks[i].start < start + size)
            blocks[i].freed = false;
}

static void make(unsigned n) {
    const uint64_t size = 1 + (uint64_t)rand() % (rand() % 8 ? 100 : 3000), start = (uint64_t)rand() % (BYTES - size);
    if (blocks[n].live || overlaps(start, size))
        return;
    forget_freed(start, size);
    wl_san_allocated(BASE + start, size, WL_SAN_DEVICE, NULL, "make");
    set(start, size, true);
    blocks[n].start = start;
    blocks[n].size = size;
    blocks[n].live = true;
    blocks[n].freed = false;
}

static void end(unsigned n) {
    if (!blocks[n].live)
        return;
    assert_true(wl_san_freed(BASE + blocks[n].start, "end"));
    assert_false(wl_san_freed(BASE + blocks[n].start, "end"));
    set(blocks[n].start, blocks[n].size, false);
    blocks[n].live = false;
    blocks[n].freed = true;
}

/* Each byte of a block leads to it, whether it is live or not. */
static void check_find(unsigned n) {
    struct wl_san_block found;
    if (!blocks[n].live && !blocks[n].freed)
        return;
    assert_true(wl_san_find(BASE + blocks[n].start + (uint64_t)rand() % blocks[n].size, &found));
    assert_int_equal(found.address, BASE + blocks[n].start);
    assert_int_equal(found.size, blocks[n].size);
    assert_int_equal(found.freed, blocks[n].freed);
    assert_string_equal(found.made_by, "make");
    if (found.freed)
        assert_string_equal(found.freed_by, "end");
}

static void count_live(const struct wl_san_block *block, void *context) {
    static uint64_t last;
    uint64_t *count = context;
    assert_true(*count == 0 || block->address > last);
    assert_false(block->freed);
    last = block->address;
    ++*count;
}

static void test_blocks(void **state) {
    (void)state;
    srand(19);
    for (unsigned step = 0; step < STEPS; step++) {
        const unsigned n = (unsigned)rand() % BLOCKS;
        if (rand() % 2)
            make(n);
        else
            end(n);
        check_find((unsigned)rand() % BLOCKS);
        const uint64_t size = 1 + (uint64_t)rand() % 300;
        check_bytes((uint64_t)rand() % (BYTES - size), size);
    }
    check_shadow();
    uint64_t live = 0, told = 0;
    for (unsigned n = 0; n < BLOCKS; n++)
        live += blocks[n].live;
    wl_san_each(count_live, &told);
    assert_int_equal(told, live);
    wl_san_forgotten(BASE, BYTES);
    set(0, BYTES, false);
    check_shadow();
    struct wl_san_block found;
    assert_false(wl_san_find(BASE, &found));
}

/* Freed blocks beyond what is remembered go; live ones stay. */
static void test_many(void **state) {
    (void)state;
    enum { MANY = 100000, STRIDE = 128 };
    const uint64_t start = BASE + (UINT64_C(1) << 36);
    struct wl_san_block found;
    for (uint64_t i = 0; i < MANY; i++) {
        const uint64_t address = start - i * STRIDE;
        wl_san_allocated(address, 64, WL_SAN_DEVICE, NULL, "make");
        if (i % 1000)
            assert_true(wl_san_freed(address, "end"));
    }
    for (uint64_t i = 0; i < MANY; i += 1000) {
        assert_true(wl_san_find(start - i * STRIDE + 63, &found));
        assert_int_equal(found.address, start - i * STRIDE);
        assert_false(found.freed);
    }
    wl_san_forgotten(start - (uint64_t)MANY * STRIDE, (uint64_t)(MANY + 1) * STRIDE);
}

/* Blocks of the program's own lie within others, and go with them. */
static void test_nested(void **state) {
    (void)state;
    uint64_t bad;
    struct wl_san_block found;
    wl_san_allocated(BASE, 4096, WL_SAN_DEVICE, NULL, "hipMalloc");
    wl_san_excluded(BASE, 4096);
    assert_false(wl_san_may_access(BASE, 1, &bad));
    wl_san_allocated(BASE + 256, 100, WL_SAN_USER, "mine", NULL);
    assert_true(wl_san_may_access(BASE + 256, 100, &bad));
    assert_false(wl_san_may_access(BASE + 256, 101, &bad));
    assert_int_equal(bad, BASE + 356);
    assert_true(wl_san_find(BASE + 300, &found));
    assert_string_equal(found.name, "mine");
    assert_true(wl_san_find(bad, &found)); /* beside it, and given to nobody */
    assert_int_equal(found.kind, WL_SAN_USER);
    assert_true(wl_san_freed(BASE + 256, "mine"));
    assert_false(wl_san_may_access(BASE + 256, 1, &bad));
    wl_san_included(BASE + 8, 8);
    assert_true(wl_san_may_access(BASE + 8, 8, &bad));
    assert_true(wl_san_freed(BASE, "hipFree"));
    assert_false(wl_san_may_access(BASE + 8, 1, &bad));
    assert_true(wl_san_find(BASE + 300, &found));
    assert_int_equal(found.kind, WL_SAN_DEVICE);
    wl_san_forgotten(BASE, 4096);
}

/* Addresses that no memory has. */
static void test_no_address(void **state) {
    (void)state;
    uint64_t bad = 0;
    assert_false(wl_san_may_access(UINT64_C(1) << 47, 4, &bad));
    assert_int_equal(bad, UINT64_C(1) << 47);
    assert_false(wl_san_may_access((UINT64_C(1) << 47) - 2, 4, &bad));
    assert_false(wl_san_may_access(UINT64_MAX - 1, 4, &bad));
    assert_false(wl_san_may_access(0, 1, &bad));
    assert_false(wl_san_freed(BASE, "hipFree"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_no_address),
        cmocka_unit_test(test_blocks),
        cmocka_unit_test(test_nested),
        cmocka_unit_test(test_many),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
