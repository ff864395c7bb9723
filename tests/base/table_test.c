/* Tables against a list that does the same slowly. */
#include "../random_numbers.h"
#include "base/table.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 4096, STEPS = 60000 };

/* The entries of the list, in the order in which they were added. */
static struct entry {
    uint64_t key;
    int *item;
} list[MOST];
static size_t count;
static int items[MOST];

static void check_key(const struct wl_table *table, uint64_t key) {
    size_t at = 0;
    int *first = NULL;
    for (size_t i = 0; i < count; i++)
        if (list[i].key == key) {
            assert_ptr_equal(wl_table_next(table, key, &at), list[i].item);
            first = first ? first : list[i].item;
        }
    assert_null(wl_table_next(table, key, &at));
    assert_ptr_equal(wl_table_find(table, key), first);
}

static void check_all(const struct wl_table *table) {
    static bool seen[MOST];
    size_t at = 0, found = 0;
    memset(seen, 0, sizeof seen);
    for (const int *item; (item = wl_table_each(table, &at)); found++) {
        assert_false(seen[item - items]);
        seen[item - items] = true;
    }
    assert_int_equal(found, count);
    assert_int_equal(table->count, count);
    for (size_t i = 0; i < count; i++) {
        assert_true(seen[list[i].item - items]);
        check_key(table, list[i].key);
    }
}

/* Adds and removes by chance, with few keys, so that many are the same, or with many. */
static void walk(uint64_t keys, size_t most) {
    struct wl_table table = {0};
    static bool used[MOST];
    uint64_t random = 0x9876543210abcdef ^ keys;
    memset(used, 0, sizeof used);
    count = 0;
    for (int step = 0; step < STEPS; step++) {
        const uint64_t key = next_random(&random) % keys * 4096, which = next_random(&random) % most;
        if (!used[which] && count < most) {
            used[which] = true;
            assert_true(wl_table_add(&table, key, &items[which]));
            list[count++] = (struct entry){key, &items[which]};
        } else if (count) {
            const size_t i = next_random(&random) % count;
            const struct entry gone = list[i];
            assert_false(wl_table_remove(&table, gone.key + 1, gone.item));
            assert_true(wl_table_remove(&table, gone.key, gone.item));
            assert_false(wl_table_remove(&table, gone.key, gone.item));
            memmove(&list[i], &list[i + 1], (--count - i) * sizeof *list);
            used[gone.item - items] = false;
        }
        check_key(&table, key);
        if (step % 5000 == 0)
            check_all(&table);
    }
    check_all(&table);
    wl_table_clear(&table);
    count = 0;
    check_all(&table);
    wl_table_free(&table);
    check_all(&table);
}

static void test_few_keys(void **state) {
    (void)state;
    walk(7, 40);
}

static void test_some_keys(void **state) {
    (void)state;
    walk(500, 300);
}

static void test_many_keys(void **state) {
    (void)state;
    walk(UINT64_C(1) << 40, MOST);
}

static void test_empty(void **state) {
    (void)state;
    struct wl_table table = {0};
    size_t at = 0;
    assert_null(wl_table_find(&table, 0));
    assert_null(wl_table_each(&table, &at));
    assert_false(wl_table_remove(&table, 0, items));
    wl_table_clear(&table);
    wl_table_free(&table);
}

/* Those of one key stay in order when the table grows, also where they go round its end. */
static void test_order(void **state) {
    (void)state;
    for (uint64_t key = 0; key < 300; key++) {
        struct wl_table table = {0};
        count = 0;
        for (int i = 0; i < 200; i++) {
            assert_true(wl_table_add(&table, i % 8 ? key : key + (uint64_t)i, &items[i]));
            list[count++] = (struct entry){i % 8 ? key : key + (uint64_t)i, &items[i]};
        }
        check_key(&table, key);
        wl_table_free(&table);
    }
}

static void test_made(void **state) {
    (void)state;
    struct wl_table table = {0};
    uint64_t *made = wl_table_make(&table, 7, 2 * sizeof *made);
    assert_non_null(made);
    assert_int_equal(made[0] | made[1], 0);
    assert_ptr_equal(wl_table_find(&table, 7), made);
    assert_int_equal(table.count, 1);
    free(made);
    wl_table_free(&table);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_empty),     cmocka_unit_test(test_few_keys), cmocka_unit_test(test_some_keys),
        cmocka_unit_test(test_many_keys), cmocka_unit_test(test_order),    cmocka_unit_test(test_made),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
