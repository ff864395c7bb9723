/* One wave in translated code: where it enters, why it came back, and how it goes on.
 *
 * Each thread of a job calls these functions for the waves that it runs. The job fails with the first failure that any of its threads
 * meets. */
#ifndef WL_DEVICE_CPU_RUN_EXITS_H
#define WL_DEVICE_CPU_RUN_EXITS_H

#include "device/cpu/code/units.h"
#include "device/cpu/cpu.h"
#include "device/cpu/run/workers.h"

#define WL_FUEL  256  /* iterations of a spinning loop between two looks at the other waves */
#define WL_JUMPS 1024 /* calls and returns between two such looks: a loop with calls may be a spinning loop */

/* Makes `status` and wl_failure() the failure of the job if it has none yet; returns whether it had none. */
bool wl_job_fail(struct wl_job *job, enum wl_status status);

/* Whether the job, or another grid of its multi-grid, has failed. */
static inline bool wl_job_stopped(const struct wl_job *job) {
    const struct wl_multigrid *others = job->launch->multigrid;
    return atomic_load_explicit(&job->status, memory_order_relaxed) != WL_OK ||
           (others && atomic_load_explicit(&others->failed, memory_order_relaxed));
}

static inline uint64_t wl_full_exec(uint32_t wave_size) { return wave_size == 64 ? ~UINT64_C(0) : UINT32_MAX; }

/* The lanes that are on. */
static inline uint64_t wl_wave_exec(const struct wl_wave *wave) {
    const volatile uint32_t *exec = &wave->sgpr[WL_SGPR_EXEC]; /* as it was stored: one load would wait for both stores */
    uint64_t low = exec[0], high = exec[1];
    return wave->wave_size == 64 ? low | high << 32 : low;
}

/* The copy that serves its EXEC. */
static inline enum wl_mode wl_wave_mode(const struct wl_wave *wave) {
    return wl_wave_exec(wave) == wl_full_exec(wave->wave_size) ? WL_MODE_FULL : WL_MODE_MASKED;
}

/* Whether the runner has the copy that a wave in this mode is to start in; native code may have come in place of threaded code. */
static inline bool wl_wave_is_ready(const struct wl_runner *runner, struct wl_cpu_unit *unit, enum wl_mode mode) {
    return runner->unit == unit && runner->mode == mode && runner->code &&
           runner->code == atomic_load_explicit(&unit->code[mode], memory_order_relaxed);
}

/* The thread begins to run waves of a job: what it knows of other kernels' jumps is forgotten. */
void wl_jumps_begin(const struct wl_job *job, struct wl_thread *thread);

/* Makes `runner` continue in a copy of a unit, which is made if need be. False: the job failed. */
bool wl_wave_enter(struct wl_job *job, struct wl_thread *thread, struct wl_runner *runner, const struct wl_wave *wave,
                   struct wl_cpu_unit *unit, enum wl_mode mode);
/* Does what the exit `reason` asks for, and runs the wave on until it ends or waits. WL_WAVE_FAILED: the job failed. */
enum wl_wave_state wl_wave_run_on(struct wl_job *job, struct wl_thread *thread, struct wl_runner *runner, struct wl_wave *wave,
                                  uint32_t reason);
/* The wave is where there is no code: fails the job and reports it. */
void wl_wave_illegal(struct wl_job *job, struct wl_thread *thread, struct wl_runner *runner, const struct wl_wave *wave);

#endif
