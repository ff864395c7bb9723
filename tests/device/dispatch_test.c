/* Dispatch with hand-written units: every exit, every kind of grid, faults. */
#include "device/cpu/fault/fault.h"
#include "device/cpu/run/parts.h"
#include "device/cpu/run/workers.h"
#include "harness.h"
#include "machine/helpers.h"

#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

static struct harness h;

static int open_device(void **state) {
    (void)state;
    harness_open(&h, "gfx90a", 9, 0, 10, 64);
    h.object.kernels[0].workitem_id_dimensions = 3;
    h.object.kernels[0].system_workgroup_id_y = true;
    h.object.kernels[0].system_workgroup_id_z = true;
    harness_load(&h);
    return 0;
}

static int close_device(void **state) {
    (void)state;
    harness_close(&h);
    return 0;
}

static uint64_t exec_of(const struct wl_wave *wave) { return wave->sgpr[126] | (uint64_t)wave->sgpr[127] << 32; }

static char reported[4096];

/* Runs the launch with what the device prints in `reported`. Descriptor 2 stays what it is: a sanitizer says there why it ends the
 * process, and so does an assertion, whose text would be lost with the stream. */
static enum wl_status run_reported(void) {
    FILE *saved = stderr, *file = fmemopen(reported, sizeof reported, "w");
    assert_non_null(file);
    stderr = file;
    enum wl_status status = harness_run(&h);
    stderr = saved;
    fclose(file);
    return status;
}

/* ---- END ------------------------------------------------------------------------------------ */

static _Atomic uint64_t waves, lanes;

static uint32_t count_unit(struct wl_wave *wave) {
    atomic_fetch_add(&waves, 1);
    atomic_fetch_add(&lanes, (uint64_t)__builtin_popcountll(exec_of(wave)));
    return WL_EXIT_END;
}

static void counts_every_wave_and_lane(void **state) {
    static const struct {
        uint32_t grid[3], block[3], remainder[3];
        uint64_t waves, lanes;
    } cases[] = {
        {{1, 1, 1}, {64, 1, 1}, {0}, 1, 64},
        {{1, 1, 1}, {1, 1, 1}, {0}, 1, 1},
        {{1000, 1, 1}, {256, 1, 1}, {0}, 4000, 256000},
        {{7, 5, 3}, {10, 10, 2}, {0}, 105 * 4, 105 * 200},
        {{3, 1, 1}, {100, 1, 1}, {7, 0, 0}, 5, 207},
        {{3, 2, 1}, {16, 16, 1}, {5, 3, 0}, 8 + 2 + 2 + 1, 2 * 256 + 5 * 16 + 2 * 16 * 3 + 15},
    };
    (void)state;
    for (int wait = 0; wait < 2; wait++) {
        harness_code(&h, count_unit, count_unit, wait);
        for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
            memcpy(h.launch.grid, cases[i].grid, sizeof h.launch.grid);
            memcpy(h.launch.block, cases[i].block, sizeof h.launch.block);
            memcpy(h.launch.remainder, cases[i].remainder, sizeof h.launch.remainder);
            for (int repeat = 0; repeat < 3; repeat++) {
                waves = lanes = 0;
                assert_int_equal(harness_run(&h), WL_OK);
                assert_int_equal(waves, cases[i].waves);
                assert_int_equal(lanes, cases[i].lanes);
            }
        }
        harness_close(&h);
        open_device(state);
    }
}

/* Each item adds itself at its own place. */
static uint32_t place_unit(struct wl_wave *wave) {
    uint32_t *out = (uint32_t *)(uintptr_t)harness_kernarg(wave);
    uint64_t exec = exec_of(wave);
    for (uint32_t l = 0; l < 64; l++) {
        if (!(exec >> l & 1))
            continue;
        uint32_t id = wave->vgpr[l], x = id & 1023, y = id >> 10 & 1023, z = id >> 20 & 1023;
        uint32_t gx = wave->sgpr[2] * 12 + x, gy = wave->sgpr[3] * 3 + y, gz = wave->sgpr[4] * 2 + z;
        __atomic_fetch_add(&out[(gz * 15 + gy) * 60 + gx], 1, __ATOMIC_RELAXED);
    }
    return WL_EXIT_END;
}

static void each_item_runs_once(void **state) {
    static uint32_t out[60 * 15 * 8];
    void *pointer = out;
    (void)state;
    harness_code(&h, place_unit, place_unit, false);
    memcpy(h.launch.grid, (uint32_t[]){5, 5, 4}, sizeof h.launch.grid);
    memcpy(h.launch.block, (uint32_t[]){12, 3, 2}, sizeof h.launch.block);
    h.launch.kernarg = &pointer;
    h.launch.kernarg_size = sizeof pointer;
    memset(out, 0, sizeof out);
    assert_int_equal(harness_run(&h), WL_OK);
    for (size_t i = 0; i < sizeof out / sizeof *out; i++)
        assert_int_equal(out[i], 1);
}

enum { WIDE = 40, HIGH = 30, DEEP = 2 };
static _Atomic uint32_t met[WIDE * HIGH * DEEP];
static _Atomic uint32_t along_x, along_y; /* workgroups that a thread ran directly behind their neighbour in x, in y */

static uint32_t follow_unit(struct wl_wave *wave) {
    static _Thread_local uint32_t last[3];
    const uint32_t *id = &wave->sgpr[2];
    const bool same_z = id[2] == last[2];
    atomic_fetch_add(&met[(id[2] * HIGH + id[1]) * WIDE + id[0]], 1);
    atomic_fetch_add(&along_x, same_z && id[1] == last[1] && id[0] == last[0] + 1);
    atomic_fetch_add(&along_y, same_z && id[0] == last[0] && id[1] == last[1] + 1);
    memcpy(last, id, sizeof last);
    return WL_EXIT_END;
}

/* Neighbours in the dimension in which work items lie beside each other run one after the other. */
static void goes_where_items_go(void **state) {
    static const uint32_t blocks[][3] = {{64, 1, 1}, {1, 64, 1}, {8, 8, 1}};
    (void)state;
    harness_code(&h, follow_unit, follow_unit, false);
    memcpy(h.launch.grid, (uint32_t[]){WIDE, HIGH, DEEP}, sizeof h.launch.grid);
    for (unsigned i = 0; i < sizeof blocks / sizeof *blocks; i++) {
        memcpy(h.launch.block, blocks[i], sizeof h.launch.block);
        memset(met, 0, sizeof met);
        along_x = along_y = 0;
        assert_int_equal(harness_run(&h), WL_OK);
        for (unsigned n = 0; n < WIDE * HIGH * DEEP; n++)
            assert_int_equal(met[n], 1);
        assert_true((blocks[i][0] == 1 ? along_y : along_x) > WIDE * HIGH * DEEP / 2);
    }
}

/* ---- parts ----------------------------------------------------------------------------------- */

enum { TAKERS = 4, PARTS = 7, SMALL = 100003 };
static struct wl_parts parts;
static _Atomic uint8_t taken[SMALL];

static void note_taken(uint64_t first, uint64_t end) {
    assert(first < end && end <= SMALL);
    for (uint64_t i = first; i < end; i++)
        atomic_fetch_add(&taken[i], 1);
}

/* Now and then the lowest one, whoever's it is. */
static void *take_all(void *own) {
    uint64_t first, end;
    while (wl_parts_take(&parts, (uint32_t)(uintptr_t)own, 50, &first, &end)) {
        note_taken(first, end);
        first = wl_parts_lowest(&parts);
        if (first < SMALL && wl_parts_take_lowest(&parts, first, &end))
            note_taken(first, end);
    }
    return NULL;
}

static void the_lowest_part_is_told(void **state) {
    uint64_t first, end;
    (void)state;
    wl_parts_init(&parts, 10, 2);
    assert_int_equal(wl_parts_lowest(&parts), 0);
    for (int i = 0; i < 5; i++)
        assert_true(wl_parts_take(&parts, 0, 1, &first, &end));
    assert_int_equal(end, 5);
    assert_int_equal(wl_parts_lowest(&parts), 5);
    assert_true(wl_parts_take(&parts, 0, 1, &first, &end)); /* the back half of the other part */
    assert_int_equal(wl_parts_lowest(&parts), 5);
    assert_false(wl_parts_take_lowest(&parts, 6, &end));
    for (uint64_t i = 5; i < 10; i++)
        if (i != first) {
            assert_true(wl_parts_take_lowest(&parts, i, &end));
            assert_int_equal(end, i + 1);
        }
    assert_int_equal(wl_parts_lowest(&parts), 10);
}

/* Some parts have no owner: the others come by all of it. */
static void parts_are_taken_once(void **state) {
    (void)state;
    for (int round = 0; round < 20; round++) {
        pthread_t threads[TAKERS];
        memset((void *)taken, 0, sizeof taken);
        wl_parts_init(&parts, SMALL, PARTS);
        for (uintptr_t i = 0; i < TAKERS; i++)
            assert_int_equal(pthread_create(&threads[i], NULL, take_all, (void *)(i * 2)), 0);
        for (int i = 0; i < TAKERS; i++)
            pthread_join(threads[i], NULL);
        for (int i = 0; i < SMALL; i++)
            assert_int_equal(taken[i], 1);
    }
}

/* More workgroups than 32 bits count: none is lost at the ends of the parts. */
static void many_workgroups_are_parted(void **state) {
    static const uint64_t totals[] = {1, 6, (UINT64_C(1) << 32) - 1, UINT64_C(1) << 32, (UINT64_C(1) << 45) + 12345};
    (void)state;
    for (size_t t = 0; t < sizeof totals / sizeof *totals; t++) {
        uint64_t first, end, sum = 0, highest = 0;
        wl_parts_init(&parts, totals[t], PARTS);
        for (uint32_t own = 0; own < PARTS; own++)
            while (wl_parts_take(&parts, own, UINT64_MAX, &first, &end)) {
                sum += end - first;
                highest = end > highest ? end : highest;
            }
        assert_int_equal(sum, totals[t]);
        assert_int_equal(highest, totals[t]);
    }
}

/* ---- kernels whose cost changes ----------------------------------------------------------------- */

static _Atomic bool slow, meet;       /* meet: nobody goes on before another worker has come */
static _Atomic uint64_t workers_seen; /* bit n: worker n */

static uint32_t slow_unit(struct wl_wave *wave) {
    const struct timespec moment = {0, 200000};
    const struct wl_runner *runner = wave->owner;
    const struct wl_thread *thread =
        (const struct wl_thread *)(const void *)((const char *)runner->group - offsetof(struct wl_thread, group));
    if (slow) {
        atomic_fetch_or(&workers_seen, UINT64_C(1) << (thread->index & 63));
        int patience = 1000000; /* minutes: nobody comes */
        do
            nanosleep(&moment, NULL);
        while (meet && __builtin_popcountll(workers_seen) < 2 && --patience);
        if (!patience)
            meet = false;
    }
    return WL_EXIT_END;
}

/* One that was short stays on a thread; when it takes long it soon gets the others, though not every launch is timed. */
static void threads_come_when_a_kernel_grows(void **state) {
    (void)state;
    struct wl_device_info info;
    h.device->ops->info(h.device, &info);
    if (info.compute_units < 2)
        skip();
    harness_code(&h, slow_unit, slow_unit, false);
    h.launch.grid[0] = 40;
    slow = false;
    for (int i = 0; i < 50; i++)
        assert_int_equal(harness_run(&h), WL_OK);
    slow = true;
    for (int i = 0; i < 3; i++) { /* at worst: not timed; timed; with the others */
        workers_seen = 0;
        meet = i == 2;
        assert_int_equal(harness_run(&h), WL_OK);
    }
    assert_true(__builtin_popcountll(workers_seen) > 1);
}

/* ---- BARRIER -------------------------------------------------------------------------------- */

/* Waves pass a token through LDS: wave w writes slot w in phase p, then all check all. The odd ones end early. */
static uint32_t barrier_unit(struct wl_wave *wave) {
    uint32_t *slots = (uint32_t *)(void *)wave->lds, phase = wave->sgpr[50];
    uint32_t *errors = (uint32_t *)(uintptr_t)harness_kernarg(wave);
    enum { PHASES = 20, WAVES = 16 };
    if (wave->resume == 1)
        for (uint32_t w = 0; w < WAVES; w++)
            if (slots[w] != phase && !(w % 2 && phase > 5))
                __atomic_fetch_add(errors, 1, __ATOMIC_RELAXED);
    if (wave->resume == 1) {
        wave->resume = 2;
        return WL_EXIT_BARRIER;
    }
    if (wave->resume == 0)
        wave->sgpr[50] = phase = 0;
    wave->sgpr[50] = ++phase;
    if (phase > PHASES || (wave->wave_index % 2 && phase > 5))
        return WL_EXIT_END;
    slots[wave->wave_index] = phase;
    wave->resume = 1;
    return WL_EXIT_BARRIER;
}

static void barriers_hold(void **state) {
    uint32_t errors = 0;
    void *pointer = &errors;
    (void)state;
    harness_code(&h, barrier_unit, barrier_unit, true);
    h.launch.grid[0] = 100;
    h.launch.block[0] = 1024;
    h.launch.kernarg = &pointer;
    h.launch.kernarg_size = sizeof pointer;
    h.launch.dynamic_lds = 1024;
    assert_int_equal(harness_run(&h), WL_OK);
    assert_int_equal(errors, 0);
}

/* ---- MODE, YIELD, JUMP ---------------------------------------------------------------------- */

static uint32_t mode_full(struct wl_wave *wave) {
    if (wave->resume == 0) {
        wave->sgpr[126] = 0xff;
        wave->sgpr[127] = 0;
        wave->resume = 3;
        return WL_EXIT_MODE;
    }
    atomic_fetch_add(&waves, wave->resume == 4);
    return WL_EXIT_END;
}

static uint32_t mode_masked(struct wl_wave *wave) {
    atomic_fetch_add(&lanes, wave->resume == 3 && exec_of(wave) == 0xff);
    wave->sgpr[126] = wave->sgpr[127] = UINT32_MAX;
    wave->resume = 4;
    return WL_EXIT_MODE;
}

static void modes_switch(void **state) {
    (void)state;
    for (int wait = 0; wait < 2; wait++) {
        harness_code(&h, mode_full, mode_masked, wait);
        waves = lanes = 0;
        h.launch.grid[0] = 10;
        h.launch.block[0] = 128;
        assert_int_equal(harness_run(&h), WL_OK);
        assert_int_equal(waves, 20);
        assert_int_equal(lanes, 20);
        harness_close(&h);
        open_device(state);
    }
}

/* ---- waiting (also waiting_test.c) ---- */

static uint32_t last_group;
static void *run_launch(void *harness) { return harness_run(harness) == WL_OK ? harness : NULL; }

/* The last workgroup fails while the others wait for it. */
static uint32_t failing_unit(struct wl_wave *wave) {
    if (wave->sgpr[2] != last_group)
        return WL_EXIT_YIELD;
    wave->pc = 4096;
    return WL_EXIT_ILLEGAL;
}

/* And the signals that told them have arrived when the launch returns: a handler that the program sets then sees none of them. */
static void a_failure_ends_those_that_wait(void **state) {
    (void)state;
    h.polls = true;
    harness_code(&h, failing_unit, failing_unit, true);
    h.launch.grid[0] = 20;
    last_group = 19;
    for (int again = 0; again < 20; again++) {
        assert_int_equal(run_reported(), WL_ILLEGAL_INSTRUCTION);
        assert_true(wl_fault_cancels_arrived());
    }
}

/* Two threads have to be in this one at once. */
static _Atomic uint32_t inside;
static uint32_t meeting_unit(struct wl_wave *wave) {
    atomic_fetch_add(&inside, 1);
    while (atomic_load(&inside) < 2)
        sched_yield();
    (void)wave;
    return WL_EXIT_END;
}

/* Until that has happened, all threads find something to wait for here. */
static _Atomic uint32_t patient;
static _Thread_local bool was_patient;
static uint32_t patient_unit(struct wl_wave *wave) {
    (void)wave;
    if (!was_patient)
        atomic_fetch_add(&patient, 1);
    was_patient = true;
    return atomic_load(&inside) < 2 ? WL_EXIT_YIELD : WL_EXIT_END;
}

static void workers_leave_those_that_wait(void **state) {
    struct harness other;
    pthread_t thread;
    const unsigned workers = wl_pool_size(((struct wl_cpu_device *)h.device)->pool);
    if (workers < 2)
        skip();
    (void)state;
    atomic_store(&inside, 0);
    h.polls = true;
    harness_code(&h, patient_unit, patient_unit, true);
    h.launch.grid[0] = 4 * workers;
    harness_open(&other, "gfx90a", 9, 0, 10, 64);
    harness_load(&other);
    harness_code(&other, meeting_unit, meeting_unit, false);
    other.launch.grid[0] = 2;
    assert_int_equal(pthread_create(&thread, NULL, run_launch, &h), 0);
    while (atomic_load(&patient) < workers)
        sched_yield(); /* until all workers are in the first job */
    assert_int_equal(harness_run(&other), WL_OK);
    void *ran = NULL;
    assert_int_equal(pthread_join(thread, &ran), 0);
    assert_non_null(ran);
    harness_close(&other);
}

static uint32_t callee(struct wl_wave *wave) {
    wave->sgpr[40]++;
    wave->pc = 4096 + 8;
    return WL_EXIT_JUMP;
}

static uint32_t caller(struct wl_wave *wave) {
    if (wave->resume == 1) {
        atomic_fetch_add(&waves, wave->sgpr[40] == 8);
        return WL_EXIT_END;
    }
    wave->sgpr[40] = 7;
    wave->pc = 8192;
    return WL_EXIT_JUMP;
}

static void calls_return(void **state) {
    static const struct harness_info caller_info = {WL_WAVE_ABI, 8, 5, 2, 1, 0, 0, 0, {{4096, 0, 0, 0}, {4096 + 8, 1, 0, 0}}},
                                     callee_info = {WL_WAVE_ABI, 8, 5, 1, 0, 0, 0, 0, {{8192, 0, 0, 0}, {0, 0, 0, 0}}};
    (void)state;
    assert_int_equal(wl_units_install(h.module, 4096, WL_MODE_FULL, WL_SHAPE_LINES, 64, caller, harness_info(&caller_info)), WL_OK);
    assert_int_equal(wl_units_install(h.module, 8192, WL_MODE_FULL, WL_SHAPE_ANY, 64, callee, harness_info(&callee_info)), WL_OK);
    waves = 0;
    h.launch.grid[0] = 10;
    assert_int_equal(harness_run(&h), WL_OK);
    assert_int_equal(waves, 10);
}

/* ---- cooperative ---------------------------------------------------------------------------- */

static uint32_t grid_unit(struct wl_wave *wave) {
    _Atomic uint32_t *arrived = (_Atomic uint32_t *)(uintptr_t)harness_kernarg(wave);
    uint32_t phase = wave->resume;
    if (phase > 0 && atomic_load(arrived) < phase * 24) /* everybody of the last phase must be here */
        atomic_fetch_add(arrived + 1, 1);
    if (phase == 5)
        return WL_EXIT_END;
    atomic_fetch_add(arrived, 1);
    wave->resume = phase + 1;
    wave->exit_detail = WL_MESSAGE_GWS | WL_GWS_BARRIER << 8;
    wave->gws_value = 23;
    return WL_EXIT_MESSAGE;
}

static void grid_barriers_hold(void **state) {
    _Atomic uint32_t words[2] = {0, 0};
    void *pointer = words;
    (void)state;
    harness_code(&h, grid_unit, grid_unit, true);
    h.launch.grid[0] = 24;
    h.launch.kernarg = &pointer;
    h.launch.kernarg_size = sizeof pointer;
    h.launch.cooperative = true;
    assert_int_equal(harness_run(&h), WL_OK);
    assert_int_equal(words[0], 5 * 24);
    assert_int_equal(words[1], 0);
}

/* The first workgroup lets two at a time through. */
static uint32_t semaphore_unit(struct wl_wave *wave) {
    enum { COUNTER = 3, ROOM = 2 };
    _Atomic uint32_t *words = (_Atomic uint32_t *)(uintptr_t)harness_kernarg(wave); /* started, inside, most inside, done, ready */
    if (wave->resume == 0) {
        wave->resume = 1;
        wave->exit_detail = WL_MESSAGE_GWS | COUNTER;
        if (atomic_fetch_add(words, 1) == 0) {
            wave->exit_detail |= WL_GWS_INIT << 8;
            wave->gws_value = ROOM;
            return WL_EXIT_MESSAGE;
        }
        return WL_EXIT_YIELD;
    }
    if (wave->resume == 1) {
        if (wave->gws_value == ROOM)
            atomic_store(words + 4, 1);
        if (!atomic_load(words + 4))
            return WL_EXIT_YIELD;
        wave->resume = 2;
        wave->exit_detail = WL_MESSAGE_GWS | WL_GWS_SEMA_P << 8 | COUNTER;
        return WL_EXIT_MESSAGE;
    }
    if (wave->resume == 2) {
        uint32_t inside = atomic_fetch_add(words + 1, 1) + 1, most = atomic_load(words + 2);
        while (inside > most && !atomic_compare_exchange_weak(words + 2, &most, inside))
            ;
        wave->resume = 3;
        return WL_EXIT_YIELD;
    }
    if (wave->resume == 3) {
        atomic_fetch_sub(words + 1, 1);
        atomic_fetch_add(words + 3, 1);
        wave->resume = 4;
        wave->exit_detail = WL_MESSAGE_GWS | WL_GWS_SEMA_V << 8 | COUNTER;
        return WL_EXIT_MESSAGE;
    }
    return WL_EXIT_END;
}

static void semaphores_limit(void **state) {
    _Atomic uint32_t words[5] = {0, 0, 0, 0, 0};
    void *pointer = words;
    (void)state;
    harness_code(&h, semaphore_unit, semaphore_unit, true);
    h.launch.grid[0] = 12;
    h.launch.kernarg = &pointer;
    h.launch.kernarg_size = sizeof pointer;
    h.launch.cooperative = true;
    assert_int_equal(harness_run(&h), WL_OK);
    assert_int_equal(words[3], 12);
    assert_int_equal(words[1], 0);
    assert_in_range(words[2], 1, 2);
}

/* ---- faults --------------------------------------------------------------------------------- */

/* Sanitizers have no shadow for wild addresses. */
__attribute__((no_sanitize("address", "thread"))) static uint32_t wild_unit(struct wl_wave *wave) {
    if (wave->sgpr[2] == 500)
        *(volatile uint32_t *)(uintptr_t)0xdead0000 = 1;
    return WL_EXIT_END;
}

static uint32_t trap_unit(struct wl_wave *wave) {
    wave->exit_detail = wave->resume == 0 ? 3 : 2;
    wave->pc = 4096 + 16;
    wave->resume++;
    return WL_EXIT_TRAP;
}

static uint32_t illegal_unit(struct wl_wave *wave) {
    wave->pc = 4096 + 12;
    return WL_EXIT_ILLEGAL;
}

static uint32_t lost_unit(struct wl_wave *wave) {
    wave->pc = 16;
    return WL_EXIT_JUMP;
}

static void faults_are_reported_once(void **state) {
    static const struct {
        wl_unit_code *code;
        enum wl_status status;
        const char *says;
    } cases[] = {
        {wild_unit, WL_ILLEGAL_ADDRESS, "workgroup (500, 0, 0)"},
        {trap_unit, WL_ABORTED, "test+0x10 (test.hip:5)"},
        {illegal_unit, WL_ILLEGAL_INSTRUCTION, "test+0xc"},
        {lost_unit, WL_ILLEGAL_INSTRUCTION, "0x10"},
    };
    (void)state;
    for (size_t i = 0; i < 2 * sizeof cases / sizeof *cases; i++) {
        size_t c = i / 2;
        harness_code(&h, cases[c].code, cases[c].code, i % 2);
        h.launch.grid[0] = 1000;
        assert_int_equal(run_reported(), cases[c].status);
        if (!strstr(reported, cases[c].says))
            fail_msg("case %zu: %s", i, reported);
        assert_non_null(strstr(reported, "kernel test"));
        assert_ptr_equal(strstr(reported, "wavelift:"), reported);
        assert_null(strstr(reported + 1, "wavelift:"));
        /* The device goes on. */
        harness_close(&h);
        open_device(state);
        harness_code(&h, count_unit, count_unit, false);
        waves = 0;
        assert_int_equal(harness_run(&h), WL_OK);
        assert_int_equal(waves, 1);
        harness_close(&h);
        open_device(state);
    }
}

/* ---- LDS out of range ----------------------------------------------------------------------- */

#if defined(__x86_64__)
static atomic_int wrong_lds;

/* Behind the LDS reads give 0 and nothing is stored; what of an access lies within it is stored. */
__attribute__((no_sanitize("address", "thread"))) static uint32_t lds_unit(struct wl_wave *wave) {
    static const uint64_t offsets[] = {65536, 65536 + 4092, 1 << 22, UINT64_C(0xfffffffc)};
    typedef uint64_t unaligned __attribute__((aligned(1)));
    uint8_t *lds = wave->lds;
    int wrong = 0;
    for (size_t i = 0; i < sizeof offsets / sizeof *offsets; i++) {
        volatile uint32_t *at = (volatile uint32_t *)(void *)(lds + offsets[i]);
        wrong += *at != 0;
        *at = 0x12345678;
        wrong += *at != 0;
        wrong += __atomic_fetch_add(at, 7, __ATOMIC_RELAXED) != 0;
        wrong += *at != 0;
    }
    *(volatile unaligned *)(void *)(lds + 65532) = UINT64_C(0x0102030405060708); /* the lower half is in */
    wrong += *(volatile unaligned *)(void *)(lds + 65532) != UINT32_C(0x05060708);
    *(volatile unaligned *)(void *)(lds + 65536 + 4092) = UINT64_MAX; /* two pages */
    wrong += *(volatile unaligned *)(void *)(lds + 65536 + 4092) != 0;
    atomic_fetch_add(&wrong_lds, wrong);
    atomic_fetch_add(&waves, 1);
    if (wave->sgpr[2] == 500) { /* a real fault still is one, also by an instruction that stores behind the LDS first */
        *(volatile uint32_t *)(void *)(lds + (1 << 20)) = 1;
        *(volatile uint32_t *)(uintptr_t)0xdead0000 = 1;
    }
    return WL_EXIT_END;
}

static void lds_out_of_range_is_empty(void **state) {
    for (unsigned i = 0; i < 2; i++) {
        harness_code(&h, lds_unit, lds_unit, i);
        wrong_lds = 0;
        waves = 0;
        h.launch.grid[0] = 200;
        assert_int_equal(harness_run(&h), WL_OK);
        assert_int_equal(wrong_lds, 0);
        assert_true(waves >= 200);
        h.launch.grid[0] = 1000;
        assert_int_equal(run_reported(), WL_ILLEGAL_ADDRESS);
        assert_int_equal(wrong_lds, 0);
        assert_non_null(strstr(reported, "0xdead0000"));
        harness_close(&h);
        open_device(state);
    }
}

/* Traps that are not ours still end the program. */
static void other_traps_stay(void **state) {
    (void)state;
    harness_code(&h, count_unit, count_unit, false);
    assert_int_equal(harness_run(&h), WL_OK);
    int status = 0;
    pid_t child = fork();
    if (child == 0) {
        __asm__ volatile("int3");
        _exit(0);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGTRAP);
}
#else
static void other_traps_stay(void **state) { (void)state; }
static void lds_out_of_range_is_empty(void **state) { (void)state; }
#endif

/* ---- bad launches --------------------------------------------------------------------------- */

/* With an argument: the tests that it names, with * for any text. */
int main(int argc, char **argv) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, open_device, close_device)
    const struct CMUnitTest tests[] = {
        TEST(counts_every_wave_and_lane),
        TEST(each_item_runs_once),
        TEST(goes_where_items_go),
        cmocka_unit_test(parts_are_taken_once),
        cmocka_unit_test(the_lowest_part_is_told),
        cmocka_unit_test(many_workgroups_are_parted),
        TEST(threads_come_when_a_kernel_grows),
        TEST(barriers_hold),
        TEST(modes_switch),
        TEST(a_failure_ends_those_that_wait),
        TEST(workers_leave_those_that_wait),
        TEST(calls_return),
        TEST(grid_barriers_hold),
        TEST(semaphores_limit),
        TEST(faults_are_reported_once),
        TEST(lds_out_of_range_is_empty),
        TEST(other_traps_stay),
    };
    if (argc > 1)
        cmocka_set_test_filter(argv[1]);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
