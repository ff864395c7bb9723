/* racecheck's checks of accesses that two threads make at the same time. */
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
    begin(&item, 0);
    assert_int_equal(pthread_create(&thread, NULL, store_late, NULL), 0);
    sem_wait(&is_told);
    tell(&item, &store, &words[ROUNDS], 7);
    pthread_join(thread, NULL);
    assert_int_equal(wl_san_finding_count(), before);
    end(&item);
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
    assert_int_equal(pthread_create(&thread, NULL, store_together, (void *)1), 0);
    store_together(NULL);
    pthread_join(thread, NULL);
    assert_int_equal(wl_san_finding_count() - before, ROUNDS);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_same_value), cmocka_unit_test(test_at_once)};
    wl_san_launch_begin(&launch);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
