/* Clocks against arrays of times. */
#include "sanitize/clock.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

enum { CLOCKS = 8, KEYS = 200, STEPS = 20000 };

static uint64_t key_of(unsigned n) { return n % 3 ? n : (uint64_t)n * UINT64_C(0x9e3779b97f4a7c15); }

static void check(const struct wl_clock *clock, const uint32_t *times) {
    for (unsigned k = 0; k < KEYS; k++)
        assert_int_equal(wl_clock_get(clock, key_of(k)), times[k]);
}

static void test_random(void **state) {
    static uint32_t times[CLOCKS][KEYS];
    struct wl_clock *clocks[CLOCKS] = {NULL};
    (void)state;
    srand(7);
    for (unsigned step = 0; step < STEPS; step++) {
        const unsigned a = (unsigned)rand() % CLOCKS, b = (unsigned)rand() % CLOCKS, k = (unsigned)rand() % KEYS;
        const uint32_t time = 1 + (uint32_t)rand() % 1000;
        switch (rand() % 16) {
        case 0: /* a learns what b knows */
            wl_clock_join(&clocks[a], clocks[b]);
            for (unsigned i = 0; i < KEYS; i++)
                times[a][i] = times[b][i] > times[a][i] ? times[b][i] : times[a][i];
            break;
        case 1: /* a becomes b */
            if (a != b) {
                wl_clock_drop(clocks[a]);
                clocks[a] = wl_clock_keep(clocks[b]);
                memcpy(times[a], times[b], sizeof times[a]);
            }
            break;
        case 2:
            if (step % 10 == 0) {
                wl_clock_drop(clocks[a]);
                clocks[a] = NULL;
                memset(times[a], 0, sizeof times[a]);
            }
            break;
        default:
            wl_clock_add(&clocks[a], key_of(k), time);
            times[a][k] = time > times[a][k] ? time : times[a][k];
        }
        if (step % 50 == 0)
            check(clocks[a], times[a]);
    }
    for (unsigned a = 0; a < CLOCKS; a++) {
        check(clocks[a], times[a]);
        wl_clock_drop(clocks[a]);
    }
}

static void test_empty(void **state) {
    (void)state;
    struct wl_clock *clock = NULL;
    assert_int_equal(wl_clock_get(NULL, 5), 0);
    wl_clock_join(&clock, NULL);
    assert_int_equal(wl_clock_get(clock, 5), 0);
    wl_clock_add(&clock, 5, 3);
    wl_clock_add(&clock, 5, 2); /* older than what is known */
    assert_int_equal(wl_clock_get(clock, 5), 3);
    wl_clock_drop(clock);
    wl_clock_drop(NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_empty), cmocka_unit_test(test_random)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
