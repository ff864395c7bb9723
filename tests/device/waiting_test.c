/* Workgroups that wait for earlier and for later ones of their grid, and for others. */
#include "device/cpu/memory.h"
#include "device/cpu/run/workers.h"
#include "harness.h"

#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

static struct harness h;

static int open_device(void **state) {
    (void)state;
    harness_open(&h, "gfx90a", 9, 0, 10, 64);
    harness_load(&h);
    return 0;
}

static int close_device(void **state) {
    (void)state;
    harness_close(&h);
    return 0;
}

/* Workgroup n waits until n - 1 has stored its number: dispatch must be in order, and waiting must let others run. */
static uint32_t chain_unit(struct wl_wave *wave) {
    _Atomic uint32_t *done = (_Atomic uint32_t *)(uintptr_t)harness_kernarg(wave);
    if (atomic_load(done) != wave->sgpr[2])
        return WL_EXIT_YIELD;
    atomic_store(done, wave->sgpr[2] + 1);
    return WL_EXIT_END;
}

static void waiting_for_earlier_workgroups_ends(void **state) {
    _Atomic uint32_t done = 0;
    void *pointer = &done;
    (void)state;
    harness_code(&h, chain_unit, chain_unit, true);
    h.launch.grid[0] = 2000;
    h.launch.kernarg = &pointer;
    h.launch.kernarg_size = sizeof pointer;
    assert_int_equal(harness_run(&h), WL_OK);
    assert_int_equal(done, 2000);
}

/* Keeps its thread until somebody says so. */
static _Atomic uint32_t kept, released;
static uint32_t keeping_unit(struct wl_wave *wave) {
    (void)wave;
    atomic_fetch_add(&kept, 1);
    while (!atomic_load(&released))
        sched_yield();
    return WL_EXIT_END;
}

static void *run_launch(void *harness) { return harness_run(harness) == WL_OK ? harness : NULL; }

/* The chain again, with all other threads busy elsewhere: their parts of the grid have no thread, and the launching one begins in them by
 * itself, from the lowest workgroup on, instead of waiting for workgroups that nobody begins. */
static void parts_without_a_thread_are_begun(void **state) {
    struct harness other;
    pthread_t thread;
    void *ran;
    const unsigned workers = wl_pool_size(((struct wl_cpu_device *)h.device)->pool);
    harness_open(&other, "gfx90a", 9, 0, 10, 64);
    harness_load(&other);
    harness_code(&other, keeping_unit, keeping_unit, false);
    other.launch.grid[0] = workers;
    atomic_store(&kept, 0);
    atomic_store(&released, 0);
    assert_int_equal(pthread_create(&thread, NULL, run_launch, &other), 0);
    while (atomic_load(&kept) < workers)
        sched_yield();
    waiting_for_earlier_workgroups_ends(state);
    atomic_store(&released, 1);
    assert_int_equal(pthread_join(thread, &ran), 0);
    assert_ptr_equal(ran, &other);
    harness_close(&other);
}

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__) /* their own memory is beyond any limit */
/* The chain, in which the first workgroup waits until the others have waited long. */
static _Atomic uint32_t waits;
static uint32_t most_waits;
static uint32_t slow_chain_unit(struct wl_wave *wave) {
    if (wave->sgpr[2] == 0 && atomic_load(&waits) < most_waits)
        return WL_EXIT_YIELD;
    atomic_fetch_add(&waits, 1);
    return chain_unit(wave);
}

/* The addresses that are left suffice for few parked workgroups. Those that threads keep for want of memory wait for the parked ones, which
 * get turns nevertheless. */
static void waiting_ends_where_memory_does(void **state) {
    _Atomic uint32_t done = 0;
    void *pointer = &done;
    char line[128];
    struct rlimit before, limit;
    const unsigned workers = wl_pool_size(((struct wl_cpu_device *)h.device)->pool);
    (void)state;
    harness_code(&h, slow_chain_unit, slow_chain_unit, true);
    h.launch.grid[0] = 200 * workers;
    h.launch.kernarg = &pointer;
    h.launch.kernarg_size = sizeof pointer;
    FILE *file = fopen("/proc/self/statm", "r");
    assert_non_null(file);
    assert_non_null(fgets(line, sizeof line, file));
    assert_int_equal(fclose(file), 0);
    assert_int_equal(getrlimit(RLIMIT_AS, &before), 0);
    limit = before;
    limit.rlim_cur = strtoul(line, NULL, 10) * 4096 + (size_t)(workers + 3) * WL_LDS_RESERVED;
    assert_int_equal(setrlimit(RLIMIT_AS, &limit), 0);
    atomic_store(&waits, 0);
    most_waits = 1000 + workers * workers; /* the memory is used up before: a workgroup is parked after 8 turns */
    const enum wl_status status = harness_run(&h);
    assert_int_equal(setrlimit(RLIMIT_AS, &before), 0);
    assert_int_equal(status, WL_OK);
    assert_int_equal(done, h.launch.grid[0]);
}
#else
static void waiting_ends_where_memory_does(void **state) { (void)state; }
#endif

#ifdef __SANITIZE_THREAD__ /* it leaves programs addresses for some 890: each takes 4 GiB */
enum { MOST_RESIDENT = 512 };
#else
enum { MOST_RESIDENT = 4096 };
#endif
static _Atomic uint32_t told[MOST_RESIDENT + 1];
static uint32_t last_group;

/* Waits for the next workgroup, with the exit that the harness's argument says. */
static uint32_t later_unit(struct wl_wave *wave) {
    uint32_t group = wave->sgpr[2];
    if (group < last_group && !atomic_load(&told[group + 1]))
        return (uint32_t)harness_kernarg(wave);
    if (wave->wave_index == 0)
        atomic_store(&told[group], 1);
    return WL_EXIT_END;
}

static void run_until_later_ones_end(uint64_t exit, uint32_t items) {
    uint32_t residents = h.device->ops->occupancy(h.function, items, 0) * wl_pool_size(((struct wl_cpu_device *)h.device)->pool);
    assert_true(residents > 1);
    if (residents > MOST_RESIDENT)
        residents = MOST_RESIDENT;
    for (uint32_t i = 0; i <= MOST_RESIDENT; i++)
        atomic_store(&told[i], 0);
    last_group = residents - 1;
    h.launch.block[0] = items;
    h.launch.grid[0] = residents;
    h.launch.kernarg = &exit;
    h.launch.kernarg_size = sizeof exit;
    assert_int_equal(harness_run(&h), WL_OK);
    for (uint32_t i = 0; i < residents; i++)
        assert_int_equal(told[i], 1);
}

static void waiting_for_later_workgroups_ends(void **state) {
    (void)state;
    h.polls = true;
    harness_code(&h, later_unit, later_unit, true);
    for (uint64_t mask = 0; mask < 2; mask++) { /* 1: one worker alone */
        h.launch.worker_mask = mask;
        for (int again = 0; again < 3; again++) {
            run_until_later_ones_end(WL_EXIT_YIELD, 64);
            run_until_later_ones_end(WL_EXIT_BARRIER, 64);
            run_until_later_ones_end(WL_EXIT_BARRIER, 1024);
        }
    }
}

/* Looks at a flag and counts how often, as registers of a loop do. */
static _Atomic uint32_t flag;
static uint32_t looking_unit(struct wl_wave *wave) {
    wave->sgpr[3]++;
    wave->resume = 1;
    return atomic_load(&flag) ? WL_EXIT_END : WL_EXIT_YIELD;
}

static _Atomic int launching;
static void *run_launching(void *harness) {
    atomic_store(&launching, (int)syscall(SYS_gettid));
    return run_launch(harness);
}

/* How often a thread of this process has slept. */
static unsigned long sleeps_of(int thread) {
    char path[64], line[128];
    unsigned long sleeps = 0;
    snprintf(path, sizeof path, "/proc/self/task/%d/status", thread);
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    while (fgets(line, sizeof line, file))
        if (strncmp(line, "voluntary_ctxt_switches:", 24) == 0)
            sleeps = strtoul(line + 24, NULL, 10);
    assert_int_equal(fclose(file), 0);
    return sleeps;
}

/* A thread whose waves do nothing but look, and count, sleeps between their turns, and goes on when they find what they wait for. */
static void threads_sleep_while_waves_look(void **state) {
    enum { SLEEPS = 50, LONGEST_WAIT = 60 };
    pthread_t thread;
    void *ran;
    (void)state;
    h.polls = h.looks = true;
    harness_code(&h, looking_unit, looking_unit, true);
    atomic_store(&flag, 0);
    atomic_store(&launching, 0);
    assert_int_equal(pthread_create(&thread, NULL, run_launching, &h), 0);
    while (!atomic_load(&launching))
        sched_yield();
    const time_t begin = time(NULL);
    const unsigned long before = sleeps_of(launching);
    unsigned long sleeps = 0;
    while (sleeps < SLEEPS && time(NULL) < begin + LONGEST_WAIT) {
        sched_yield();
        sleeps = sleeps_of(launching) - before;
    }
    atomic_store(&flag, 1);
    assert_int_equal(pthread_join(thread, &ran), 0);
    assert_ptr_equal(ran, &h);
    assert_true(sleeps >= SLEEPS);
}

/* With an argument: the tests that it names, with * for any text. */
int main(int argc, char **argv) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, open_device, close_device)
    const struct CMUnitTest tests[] = {
        TEST(waiting_for_earlier_workgroups_ends), TEST(parts_without_a_thread_are_begun), TEST(waiting_ends_where_memory_does),
        TEST(waiting_for_later_workgroups_ends),   TEST(threads_sleep_while_waves_look),
    };
    if (argc > 1)
        cmocka_set_test_filter(argv[1]);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
