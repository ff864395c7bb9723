/* The end of a process while several threads make native code: a thread that is kept there may hold what another one waits for. */
#include "device/cpu/code/tiers.h"
#include "harness.h"

#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

/* Threads for two jobs, whatever this machine has (the linker leads calls here). */
unsigned __wrap_wl_allowed_cpus(void); /* NOLINT(bugprone-reserved-identifier,cert-dcl37-c,cert-dcl51-cpp): the linker's name */
unsigned __wrap_wl_allowed_cpus(void) { return 8; }

static uint32_t unit(struct wl_wave *wave) {
    (void)wave;
    return WL_EXIT_END;
}

static size_t translations(const char *path) {
    struct stat status;
    return stat(path, &status) == 0 ? (size_t)status.st_size : 0;
}

static void the_end_comes(void **state) {
    static struct harness h;
    char counter[] = "/tmp/wavelift-ending-test-XXXXXX";
    (void)state;
    const int file = mkstemp(counter);
    assert_true(file >= 0);
    setenv("FAKE_COUNT", counter, 1);
    setenv("FAKE_ONCE", "1", 1);
    setenv("WAVELIFT_CACHE_SIZE", "0", 1);
    harness_open(&h, "gfx90a", 9, 0, 10, 64);
    harness_load(&h);
    harness_code(&h, unit, unit, false);
    wl_tiers_request(h.module, h.module->units, WL_MODE_FULL, false);
    wl_tiers_request(h.module, h.module->units, WL_MODE_MASKED, false);
    while (translations(counter) < 2)
        sched_yield();
    wl_tiers_finish();
    wl_tiers_finish(); /* as for a second device */
    harness_close(&h);
    close(file);
    remove(counter);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(the_end_comes)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
