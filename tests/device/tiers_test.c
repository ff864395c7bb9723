/* What is made in the background, of a unit that takes LLVM seconds: each copy only for the time that was spent since the last one. */
#include "device/cpu/code/tiers.h"
#include "harness.h"

#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#define SECOND UINT64_C(1000000000)

/* One thread makes everything, whatever this machine has (the linker leads calls here). */
unsigned __wrap_wl_allowed_cpus(void); /* NOLINT(bugprone-reserved-identifier,cert-dcl37-c,cert-dcl51-cpp): the linker's name */
unsigned __wrap_wl_allowed_cpus(void) { return 1; }

/* Threaded code, as it were, of 20,000 instructions: LLVM would take some 6 seconds. */
static const struct harness_info large = {WL_WAVE_ABI, 8, 20000, 1, 0, 0, 0, 0, {{4096, 0, 0, 0}, {0, 0, 0, 0}}};

static uint32_t threaded(struct wl_wave *wave) {
    (void)wave;
    return WL_EXIT_END;
}

static char counter[] = "/tmp/wavelift-tiers-test-XXXXXX";

static struct wl_cpu_unit *open_large(struct harness *h) {
    harness_open(h, "gfx90a", 9, 0, 10, 64);
    harness_load(h);
    const struct wl_unit_info *info = harness_info(&large);
    for (int shape = 0; shape < WL_SHAPE_COUNT; shape++)
        for (int mode = WL_MODE_FULL; mode <= WL_MODE_MASKED; mode++)
            assert_int_equal(wl_units_install(h->module, 4096, (enum wl_mode)mode, (enum wl_shape)shape, 64, threaded, info), WL_OK);
    struct wl_cpu_unit *unit = h->module->units;
    unit->steps_info = info;
    assert_int_equal(truncate(counter, 0), 0);
    wl_tiers_request(h->module, unit, WL_MODE_FULL, false);
    wl_tiers_request(h->module, unit, WL_MODE_MASKED, false);
    return unit;
}

static off_t translations(void) {
    struct stat status;
    assert_int_equal(stat(counter, &status), 0);
    return status.st_size;
}

static void wait_for(const struct wl_cpu_unit *unit, enum wl_mode mode) {
    while (atomic_load(&unit->code[mode]) == threaded)
        sched_yield();
}

static void no_release(struct wl_device_module *module) { (void)module; }

static void one_copy_is_enough(void **state) {
    static struct harness h;
    (void)state;
    struct wl_cpu_unit *unit = open_large(&h);
    wl_tiers_add_hotness(unit, 4 * SECOND);
    wait_for(unit, WL_MODE_FULL);
    while (!wl_tiers_forget(h.module, no_release))
        sched_yield();
    assert_int_equal(translations(), 1);
    harness_close(&h);
}

static void the_other_is_made_for_more_time(void **state) {
    static struct harness h;
    (void)state;
    struct wl_cpu_unit *unit = open_large(&h);
    wl_tiers_add_hotness(unit, 4 * SECOND);
    wait_for(unit, WL_MODE_FULL);
    while (atomic_load(&unit->hotness)) /* it has to be earned again */
        sched_yield();
    wl_tiers_add_hotness(unit, 4 * SECOND);
    wait_for(unit, WL_MODE_MASKED);
    assert_int_equal(translations(), 2);
    while (!wl_tiers_forget(h.module, no_release))
        sched_yield();
    harness_close(&h);
}

int main(void) {
    const int file = mkstemp(counter);
    if (file < 0)
        return 1;
    setenv("FAKE_COUNT", counter, 1);
    setenv("WAVELIFT_CACHE_SIZE", "0", 1);
    const struct CMUnitTest tests[] = {cmocka_unit_test(one_copy_is_enough), cmocka_unit_test(the_other_is_made_for_more_time)};
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    close(file);
    remove(counter);
    return failed;
}
