/* Counters of waves that sleep in loops go ahead as real rounds would take them (run/ahead.h): each loop here is run in C, round by round, beside
 * one that goes ahead, and both have to find the same branches in the same rounds. */
#include "device/cpu/run/ahead.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { LANES = 64, ROWS = 4, COUNTER = 5, BOUND = 6, MARK = 7, SLEPT = 1000000 /* ns: 10,000 rounds */ };

static struct wl_wave *make_wave(void) {
    struct wl_wave *wave = calloc(1, sizeof *wave + (size_t)ROWS * LANES * sizeof *wave->vgpr);
    assert_non_null(wave);
    wave->wave_size = LANES;
    wave->vgprs = ROWS;
    return wave;
}

static struct wl_counting counts(uint32_t reg, int32_t step, uint32_t is_register, uint32_t value) {
    struct wl_counting counting = {
        .counter_count = 1,
        .counters = {{.reg = reg, .step = step, .bound_count = 1, .bounds = {{.is_register = is_register, .value = value}}}}};
    if (reg < WL_COUNTER_VECTOR)
        counting.scalars[reg / 32] |= UINT32_C(1) << reg % 32;
    else
        counting.rows[0] |= UINT32_C(1) << (reg - WL_COUNTER_VECTOR);
    counting.scalars[MARK / 32] |= UINT32_C(1) << MARK % 32;
    return counting;
}

/* A turn: rounds until the wave is not to go on. *met: the round's comparison was true at some time. Returns how many were made. */
static unsigned turn(const struct wl_counting *counting, struct wl_wave *wave, void (*round)(struct wl_wave *wave, unsigned *met),
                     unsigned *met) {
    struct wl_ahead ahead;
    unsigned rounds = 0;
    ahead.calls = ahead.rounds = 0;
    do {
        round(wave, met);
        rounds++;
    } while (wl_ahead_goes_on(&ahead, counting, wave, SLEPT));
    return rounds;
}

static void count_to_bound(struct wl_wave *wave, unsigned *met) {
    wave->sgpr[COUNTER] += 1;
    if (wave->sgpr[COUNTER] != wave->sgpr[BOUND])
        return;
    ++*met;
    wave->sgpr[COUNTER] = 0;
}

/* Counters that start again at a bound meet it once for so many rounds, and are never beyond it. */
static void meets_each_bound(void **state) {
    static const uint32_t bounds[] = {1, 2, 3, 7, 1000, 1000000, 0x80000000, 0};
    struct wl_wave *wave = make_wave();
    (void)state;
    for (unsigned b = 0; b < sizeof bounds / sizeof *bounds; b++) {
        const struct wl_counting counting = counts(COUNTER, 1, 1, BOUND);
        unsigned met = 0, turns = 0;
        wave->sgpr[BOUND] = bounds[b];
        wave->sgpr[COUNTER] = bounds[b] - (bounds[b] > 1000000 || !bounds[b] ? 100000 : bounds[b]);
        for (; met < 3 && turns < 1000; turns++) {
            turn(&counting, wave, count_to_bound, &met);
            assert_true(!bounds[b] || wave->sgpr[COUNTER] < bounds[b]);
            if (met && (bounds[b] > 1000000 || !bounds[b]))
                break;
        }
        assert_true(met > 0);
        assert_true(turns < 500);
    }
    free(wave);
}

/* As many as fit into the time, and no more. */
static void goes_as_far_as_time_allows(void **state) {
    struct wl_wave *wave = make_wave();
    const struct wl_counting counting = counts(COUNTER, 1, 1, BOUND);
    unsigned met = 0;
    (void)state;
    wave->sgpr[BOUND] = 1000000;
    const unsigned rounds = turn(&counting, wave, count_to_bound, &met);
    assert_int_equal(met, 0);
    assert_int_equal(wave->sgpr[COUNTER], rounds + SLEPT / 100);
    free(wave);
}

static void changes(struct wl_wave *wave, unsigned *met) {
    wave->sgpr[COUNTER] += 1;
    wave->sgpr[MARK] += 3;
    (void)met;
}
static void hastens(struct wl_wave *wave, unsigned *met) {
    wave->sgpr[COUNTER] += 1 + wave->sgpr[COUNTER];
    (void)met;
}
static void goes_down(struct wl_wave *wave, unsigned *met) {
    wave->sgpr[COUNTER] -= 1;
    *met += wave->sgpr[COUNTER] == 0;
}

/* Where rounds are not alike nothing changes but by the rounds themselves. */
static void stays_where_rounds_differ(void **state) {
    struct wl_wave *wave = make_wave();
    const struct wl_counting counting = counts(COUNTER, 1, 0, 1000000);
    unsigned met = 0;
    (void)state;
    unsigned rounds = turn(&counting, wave, changes, &met);
    assert_int_equal(wave->sgpr[COUNTER], rounds);
    wave->sgpr[COUNTER] = 0;
    rounds = turn(&counting, wave, hastens, &met);
    assert_int_equal(wave->sgpr[COUNTER], (1 << rounds) - 1);
    free(wave);
}

static void counts_down(void **state) {
    struct wl_wave *wave = make_wave();
    const struct wl_counting counting = counts(COUNTER, -1, 0, 0);
    unsigned met = 0, turns = 0;
    (void)state;
    for (wave->sgpr[COUNTER] = 50000; !met && turns < 100; turns++)
        turn(&counting, wave, goes_down, &met);
    assert_int_equal(met, 1);
    assert_true(turns < 20);
    free(wave);
}

static void count_lanes(struct wl_wave *wave, unsigned *met) {
    for (unsigned lane = 0; lane < LANES; lane++) {
        uint32_t *counter = &wave->vgpr[LANES + lane];
        *counter += lane % 2; /* the others are off */
        *met += *counter == wave->vgpr[2 * LANES + lane] && lane % 2;
    }
}

/* Each lane counts by itself: the first that comes to its bound stops all. */
static void lanes_stop_at_the_first_bound(void **state) {
    struct wl_wave *wave = make_wave();
    const struct wl_counting counting = counts(WL_COUNTER_VECTOR + 1, 1, 1, WL_COUNTER_VECTOR + 2);
    unsigned met = 0;
    (void)state;
    for (unsigned lane = 0; lane < LANES; lane++)
        wave->vgpr[2 * LANES + lane] = 5000 + lane * 100;
    for (unsigned expected = 1; expected < 5; expected++) {
        unsigned turns = 0;
        for (; met < expected && turns < 10; turns++)
            turn(&counting, wave, count_lanes, &met);
        assert_int_equal(met, expected);
    }
    assert_int_equal(wave->vgpr[LANES], 0);
    free(wave);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(meets_each_bound), cmocka_unit_test(goes_as_far_as_time_allows),    cmocka_unit_test(stays_where_rounds_differ),
        cmocka_unit_test(counts_down),      cmocka_unit_test(lanes_stop_at_the_first_bound),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
