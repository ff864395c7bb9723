/* Figures of the dispatcher: an empty launch, a wave without waits, a wave at a barrier. Prints JSON; no test. */
#include "harness.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <time.h>

#include <cmocka.h>

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static uint32_t end_unit(struct wl_wave *wave) {
    (void)wave;
    return WL_EXIT_END;
}

#define PHASES 100

static uint32_t barrier_unit(struct wl_wave *wave) {
    if (wave->resume++ == PHASES)
        return WL_EXIT_END;
    return WL_EXIT_BARRIER;
}

static struct harness h;

/* The best of several runs, in nanoseconds. */
static double best(unsigned launches) {
    double least = 1e30;
    for (int repeat = 0; repeat < 7; repeat++) {
        double start = now();
        for (unsigned i = 0; i < launches; i++)
            assert_int_equal(harness_run(&h), WL_OK);
        double time = (now() - start) / launches;
        least = time < least ? time : least;
    }
    return least;
}

static void open_with(const char *processor, unsigned minor, unsigned stepping, wl_unit_code *code, bool may_wait) {
    harness_open(&h, processor, 9, minor, stepping, 64);
    h.object.kernels[0].workitem_id_dimensions = 3;
    harness_load(&h);
    harness_code(&h, code, code, may_wait);
}

int main(void) {
    open_with("gfx90a", 0, 10, end_unit, false);
    double empty = best(20000);
    h.launch.grid[0] = 20000;
    h.launch.block[0] = 256;
    h.launch.worker_mask = 1;
    double packed = best(20) / 80000;
    h.launch.worker_mask = 0;
    double spread = best(20) / 80000;
    harness_close(&h);
    open_with("gfx906", 0, 6, end_unit, false);
    h.launch.grid[0] = 20000;
    h.launch.block[0] = 256;
    h.launch.worker_mask = 1;
    double unpacked = best(20) / 80000;
    harness_close(&h);
    open_with("gfx90a", 0, 10, barrier_unit, true);
    h.launch.grid[0] = 100;
    h.launch.block[0] = 256;
    h.launch.worker_mask = 1;
    double barrier = best(20) / (100.0 * 4 * (PHASES + 1));
    harness_close(&h);
    printf("{\"empty_launch_ns\": %.0f, \"wave_ns\": %.2f, \"wave_three_ids_ns\": %.2f, \"wave_all_workers_ns\": %.2f, \"barrier_ns\": "
           "%.2f}\n",
           empty, packed, unpacked, spread, barrier);
    return 0;
}
