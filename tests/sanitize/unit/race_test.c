/* racecheck's checks of accesses that two threads make at the same time, and of accesses of LDS between barriers. */
#include "sanitize/hooks.h"
#include "sanitize/report.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <unistd.h>

enum { ROUNDS = 1000 };

static uint32_t words[ROUNDS + 1];
static struct wl_san_launch launch = {
    .tools = WL_SANITIZE_RACECHECK, .kernel = "kernel", .stream = 8, .grid = {2, 1, 1}, .block = {1, 1, 1}, .wave_size = 64};

/* A workgroup of one work item. */
struct item {
    struct wl_san_group group;
    struct wl_san_wave wave;
};

static void begin(struct item *item, uint32_t number) {
    *item =
        (struct item){.group = {.launch = &launch, .id = {number}, .size = {1, 1, 1}, .wave_count = 1}, .wave = {.group = &item->group}};
    wl_san_group_begin(&item->group);
    wl_san_wave_begin(&item->wave);
}

static void end(struct item *item) {
    wl_san_wave_end(&item->wave);
    wl_san_group_end(&item->group);
    wl_san_group_free(&item->group);
}

/* Tells of the store; it is made by whoever calls. */
static void tell(struct item *item, const struct wl_sanitize_site *site, uint32_t *word, uint32_t value) {
    const uint64_t address = (uint64_t)(uintptr_t)word;
    const struct wl_san_access access = {
        .site = site, .space = WL_SANITIZE_GLOBAL, .lanes = 1, .address = &address, .data = &value, .data_stride = 64};
    assert_int_equal(wl_san_access(&item->wave, &access), 1);
}

static const struct wl_sanitize_site store = {.address = 4, .bytes = 4, .kind = WL_SANITIZE_STORE, .generation = 9};
static sem_t is_told;

static void *store_late(void *argument) {
    struct item item;
    (void)argument;
    begin(&item, 1);
    tell(&item, &store, &words[ROUNDS], 7);
    sem_post(&is_told);
    usleep(2000);
    __atomic_store_n(&words[ROUNDS], 7, __ATOMIC_RELAXED);
    end(&item);
    return NULL;
}

/* A workgroup that stores what another one is about to store waits until it can see it. */
static void test_same_value(void **state) {
    struct item item;
    pthread_t thread;
    (void)state;
    const uint64_t before = wl_san_finding_count();
    sem_init(&is_told, 0, 0);
    wl_san_launch_begin(&launch);
    begin(&item, 0);
    assert_int_equal(pthread_create(&thread, NULL, store_late, NULL), 0);
    sem_wait(&is_told);
    tell(&item, &store, &words[ROUNDS], 7);
    pthread_join(thread, NULL);
    end(&item);
    wl_san_launch_end(&launch);
    assert_int_equal(wl_san_finding_count(), before);
}

static struct wl_sanitize_site sites[ROUNDS];
static atomic_uint arrived;

/* All workgroups store to one word at the same moment, round after round. */
static void *store_together(void *argument) {
    const uint32_t number = (uint32_t)(uintptr_t)argument;
    struct item item;
    begin(&item, number);
    for (unsigned i = 0; i < ROUNDS; i++) {
        atomic_fetch_add(&arrived, 1);
        for (unsigned tries = 1; atomic_load(&arrived) < 2 * (i + 1); tries++)
            if (tries % 100000 == 0)
                sched_yield();
        tell(&item, &sites[i], &words[i], number + 1);
        wl_san_barrier_arrive(&item.wave, 0, 1); /* the store has been made */
    }
    end(&item);
    return NULL;
}

static void test_at_once(void **state) {
    pthread_t thread;
    (void)state;
    const uint64_t before = wl_san_finding_count();
    for (unsigned i = 0; i < ROUNDS; i++) {
        sites[i] = store;
        sites[i].address = 8 + 4 * i;
    }
    wl_san_launch_begin(&launch);
    assert_int_equal(pthread_create(&thread, NULL, store_together, (void *)1), 0);
    store_together(NULL);
    pthread_join(thread, NULL);
    wl_san_launch_end(&launch); /* findings of two stores wait for it */
    assert_int_equal(wl_san_finding_count() - before, ROUNDS);
}

/* ---- LDS -------------------------------------------------------------------------------------- */

enum { WAVES = 4, CELLS = 512, PHASES = 600, SITES = 40000 };

static struct wl_sanitize_site lds_sites[SITES];
static struct wl_san_launch lds_launch = {.tools = WL_SANITIZE_RACECHECK,
                                          .kernel = "lds",
                                          .stream = 8,
                                          .grid = {1, 1, 1},
                                          .block = {64 * WAVES, 1, 1},
                                          .wave_size = 64,
                                          .lds_size = 4 * CELLS};
static uint64_t seed = 1;

static uint32_t below(uint32_t limit) {
    seed = seed * UINT64_C(6364136223846793005) + 1442695040888963407;
    return (uint32_t)(seed >> 33) % limit;
}

/* What a phase has done to each cell: bits of waves. */
static struct {
    uint8_t stored, loaded;
} done[CELLS];

/* Whether the access conflicts with one of another wave. */
static bool conflicts(uint32_t wave, bool stores, uint32_t cell) {
    const uint8_t own = (uint8_t)(1u << wave), others = done[cell].stored | (stores ? done[cell].loaded : 0);
    if (stores)
        done[cell].stored |= own;
    else
        done[cell].loaded |= own;
    return others & ~own;
}

/* 16 lanes access cells from `cell` on, `step` cells apart; told of as a run, where there are such, or as a strip. */
static bool access_lds(struct wl_san_wave *wave, const struct wl_sanitize_site *site, uint32_t cell, uint32_t step, bool as_run) {
    const bool stores = site->kind == WL_SANITIZE_STORE;
    uint64_t address[16];
    uint32_t data[16];
    bool found = false;
    for (unsigned i = 0; i < 16; i++) {
        address[i] = 4 * (uint64_t)(cell + i * step);
        data[i] = site->address + i; /* another value each time */
        found |= conflicts(wave->index, stores, cell + i * step);
    }
    const struct wl_san_lanes run = {.site = site, .space = WL_SANITIZE_LDS, .step = 4 * step, .lanes = 0xffff, .start = address[0]};
    const struct wl_san_access strip = {.site = site,
                                        .space = WL_SANITIZE_LDS,
                                        .is_strip = true,
                                        .lanes = 0xffff,
                                        .address = address,
                                        .data = stores ? data : NULL,
                                        .data_stride = 16};
    if (!as_run || (stores && step != 1) || !wl_san_access_run(wave, &run))
        assert_int_equal(wl_san_access(wave, &strip), 0xffff);
    return found;
}

/* Between two barriers there is a finding if, and only if, two waves have accessed a place, of which one has stored. In half of the phases
 * each wave keeps to cells of its own, and to some that all of them load. */
static void test_lds(void **state) {
    struct wl_san_group group = {.launch = &lds_launch, .size = {64 * WAVES, 1, 1}, .wave_count = WAVES};
    struct wl_san_wave waves[WAVES];
    unsigned used = 0, with = 0;
    (void)state;
    wl_san_launch_begin(&lds_launch);
    wl_san_group_begin(&group);
    for (uint32_t w = 0; w < WAVES; w++) {
        waves[w] = (struct wl_san_wave){.group = &group, .index = w};
        wl_san_wave_begin(&waves[w]);
    }
    for (unsigned phase = 0; phase < PHASES; phase++) {
        const uint64_t before = wl_san_finding_count();
        const bool apart = below(2), loads_alone = below(4) == 0;
        const uint32_t count = phase % 50 == 0 ? 700 : 1 + below(40), step = 1u << below(4);
        bool found = false;
        for (uint32_t i = 0; i < CELLS; i++)
            done[i].stored = done[i].loaded = 0;
        for (uint32_t i = 0; i < count && used < SITES; i++, used++) {
            const uint32_t wave = below(WAVES), shared = CELLS / 2, part = shared / WAVES;
            const bool stores = !loads_alone && below(3) == 0, together = !apart || (!stores && below(2));
            const uint32_t apart_by = together ? step : step > 4 ? 4 : step, length = 15 * apart_by + 1;
            const uint32_t cell = !apart     ? below(CELLS - length)
                                  : together ? shared + below(shared - length)
                                             : wave * part + below(part - length);
            lds_sites[used] = (struct wl_sanitize_site){.address = 4 + 4 * (uint64_t)used,
                                                        .bytes = 4,
                                                        .kind = stores ? WL_SANITIZE_STORE : WL_SANITIZE_LOAD,
                                                        .space = WL_SANITIZE_LDS,
                                                        .generation = 9};
            found |= access_lds(&waves[wave], &lds_sites[used], cell, apart_by, below(2));
        }
        assert_int_equal(wl_san_finding_count() > before, found);
        with += found;
        for (uint32_t w = 0; w < WAVES; w++)
            wl_san_barrier_arrive(&waves[w], 0, UINT64_MAX);
        wl_san_barrier_done(&group);
    }
    assert_in_range(with, PHASES / 8, PHASES - PHASES / 4); /* both kinds were there */
    for (uint32_t w = 0; w < WAVES; w++)
        wl_san_wave_end(&waves[w]);
    wl_san_group_end(&group);
    wl_san_group_free(&group);
    wl_san_launch_end(&lds_launch);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_same_value), cmocka_unit_test(test_at_once), cmocka_unit_test(test_lds)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
