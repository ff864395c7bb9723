/* Why translated code came back, and how it goes on. */
#include "device/cpu/run/exits.h"

#include "device/cpu/fault/fault.h"
#include "device/cpu/helpers/helpers.h"
#include "device/cpu/run/sanitize.h"
#include "device/cpu/run/services.h"
#include "machine/helpers.h"

#include <stdio.h>
#include <string.h>

bool wl_job_fail(struct wl_job *job, enum wl_status status) {
    int expected = WL_OK;
    if (!atomic_compare_exchange_strong(&job->status, &expected, (int)status))
        return false;
    snprintf(job->failure->text, sizeof job->failure->text, "%s", wl_failure());
    return true;
}

/* ---- in and out of translated code ---------------------------------------------------------- */

/* The runtime works between two runs of translated code: signals are not the kernel's then, and floating-point control is the host's. */
static void step_out(struct wl_thread *thread, uint32_t *control) {
    thread->running = NULL;
    *control = wl_float_enter(0xf0);
}

static void step_in(struct wl_thread *thread, struct wl_runner *runner, uint32_t control) {
    wl_float_restore(control);
    wl_fault_thread_use(thread);
    thread->running = runner;
}

/* The code for a wave that a debugger may stop. NULL: there is none, and the unit runs as without a debugger. */
static wl_unit_code *enter_marked(struct wl_job *job, struct wl_thread *thread, struct wl_runner *runner, struct wl_cpu_unit *unit,
                                  const struct wl_unit_info **info) {
    uint32_t control;
    step_out(thread, &control);
    wl_unit_code *code = wl_units_marked(job->function->module, unit, info);
    step_in(thread, runner, control);
    return code;
}

bool wl_wave_enter(struct wl_job *job, struct wl_thread *thread, struct wl_runner *runner, const struct wl_wave *wave,
                   struct wl_cpu_unit *unit, enum wl_mode mode) {
    const struct wl_unit_info *info = NULL;
    wl_unit_code *code =
        job->debugged ? enter_marked(job, thread, runner, unit, &info) : atomic_load_explicit(&unit->code[mode], memory_order_acquire);
    if (!code) {
        uint32_t control;
        step_out(thread, &control);
        enum wl_status status = wl_units_copy(job->function->module, unit, mode, &code);
        step_in(thread, runner, control);
        if (status != WL_OK) {
            wl_job_fail(job, status);
            return false;
        }
    }
    if (!info)
        info = atomic_load(&unit->info[mode]);
    if (info->rows > wave->vgprs) {
        wl_job_fail(job, wl_fail(WL_INTERNAL, "%s uses %u VGPRs, but kernel %s was given %u", unit->name, info->rows,
                                 job->function->kernel->name, wave->vgprs));
        return false;
    }
    runner->unit = unit;
    runner->mode = mode;
    runner->code = code;
    return true;
}

/* ---- exits ---------------------------------------------------------------------------------- */

/* The copy for the wave's EXEC: that of the other mode, or native code instead of threaded code; at a loop entry, a copy that has loop
 * entries. */
static bool answer_mode(struct wl_job *job, struct wl_thread *thread, struct wl_runner *runner, const struct wl_wave *wave) {
    enum wl_mode mode = wl_wave_mode(wave);
    struct wl_cpu_unit *unit = runner->unit;
    if (!wl_wave_enter(job, thread, runner, wave, unit, mode))
        return false;
    wl_unit_code *loops = atomic_load_explicit(&unit->loop_code[mode], memory_order_acquire);
    if (loops && wave->resume >= atomic_load(&unit->info[mode])->resume_count)
        runner->code = loops;
    return true;
}

/* The one place among a thread's known jumps where this one is, if it is known. Calls and returns lie a few instructions apart. */
static inline struct wl_jump *known_jump(struct wl_thread *thread, uint64_t pc, enum wl_mode mode) {
    return &thread->jumps.known[(pc >> 2 ^ pc >> 6 ^ (uint64_t)mode << 3) % WL_KNOWN_JUMPS];
}

static bool answer_jump(struct wl_job *job, struct wl_thread *thread, struct wl_runner *runner, struct wl_wave *wave) {
    uint32_t resume;
    if (job->follows_waves)
        wl_sanitize_jump(runner->group, wave, job->function->module);
    struct wl_cpu_unit *unit = wl_units_target(job->function->module, wave->pc, job->shape, job->wave_size, &resume);
    if (!unit) {
        thread->running = NULL;
        if (wl_job_fail(job, wl_fail(WL_ILLEGAL_INSTRUCTION, "kernel %s jumped to 0x%llx, where there is no code",
                                     job->function->kernel->name, (unsigned long long)wave->pc))) {
            char what[96];
            snprintf(what, sizeof what, "jump to 0x%llx, where there is no code,", (unsigned long long)wave->pc);
            wl_fault_report_stop(job, runner, 0, what);
        }
        return false;
    }
    wave->resume = resume;
    const enum wl_mode mode = wl_wave_mode(wave);
    if (!wl_wave_enter(job, thread, runner, wave, unit, mode))
        return false;
    if (job->follows_waves && !unit->steps)
        wl_sanitize_forget(runner, wave);
    else if (!job->debugged) /* whose waves run other code */
        *known_jump(thread, wave->pc, mode) = (struct wl_jump){wave->pc, unit, resume, mode};
    return true;
}

/* Answers a jump that a wave of this thread has made before. False: it is none. */
static inline bool answer_known_jump(const struct wl_job *job, struct wl_thread *thread, struct wl_runner *runner, struct wl_wave *wave) {
    const enum wl_mode mode = wl_wave_mode(wave);
    const struct wl_jump *jump = known_jump(thread, wave->pc, mode);
    if (jump->pc != wave->pc || jump->mode != mode || !jump->unit || job->follows_waves || job->debugged)
        return false;
    wave->resume = jump->resume;
    runner->unit = jump->unit;
    runner->mode = mode;
    runner->code = atomic_load_explicit(&jump->unit->code[mode], memory_order_acquire); /* native code may have come meanwhile */
    return true;
}

void wl_jumps_begin(const struct wl_job *job, struct wl_thread *thread) {
    struct wl_jumps *jumps = &thread->jumps;
    if (jumps->function == job->function->id && jumps->shape == job->shape && jumps->rows == job->rows)
        return;
    memset(jumps, 0, sizeof *jumps);
    jumps->function = job->function->id;
    jumps->shape = job->shape;
    jumps->rows = job->rows;
}

static void answer_message(struct wl_job *job, struct wl_thread *thread, struct wl_runner *runner) {
    uint32_t control;
    struct wl_hostcall *hostcall = atomic_load_explicit(&job->device->hostcall, memory_order_acquire);
    if (!hostcall || !wl_hostcall_pending(hostcall))
        return;
    step_out(thread, &control);
    wl_hostcall_serve(hostcall, &job->asserted);
    step_in(thread, runner, control);
}

static bool answer_trap(struct wl_job *job, struct wl_thread *thread, struct wl_runner *runner, const struct wl_wave *wave) {
    enum { TRAP_DEBUG = 3 };
    const char *name = job->function->kernel->name;
    if (wave->exit_detail == TRAP_DEBUG)
        return true;
    answer_message(job, thread, runner); /* an assertion's text may still be under way */
    thread->running = NULL;
    bool asserted = atomic_load(&job->asserted);
    enum wl_status status =
        asserted ? wl_fail(WL_ASSERT, "an assertion failed in kernel %s", name) : wl_fail(WL_ABORTED, "kernel %s aborted", name);
    if (wl_job_fail(job, status))
        wl_fault_report_stop(job, runner, wave->pc, asserted ? "assertion failed" : "abort");
    return false;
}

void wl_wave_illegal(struct wl_job *job, struct wl_thread *thread, struct wl_runner *runner, const struct wl_wave *wave) {
    thread->running = NULL;
    if (wl_job_fail(job, wl_fail(WL_ILLEGAL_INSTRUCTION, "kernel %s reached code that cannot be executed at 0x%llx",
                                 job->function->kernel->name, (unsigned long long)wave->pc)))
        wl_fault_report_stop(job, runner, wave->pc, "code that cannot be executed");
}

/* READY: the wave can go on. */
static enum wl_wave_state answer_gws(struct wl_job *job, struct wl_thread *thread, struct wl_runner *runner, const struct wl_wave *wave) {
    struct wl_gws *unit = wl_gws_get(&job->gws, job->total);
    if (!unit) {
        thread->running = NULL;
        wl_job_fail(job, wl_fail(WL_OUT_OF_MEMORY, "no memory for the wave sync unit of kernel %s", job->function->kernel->name));
        return WL_WAVE_FAILED;
    }
    if (job->follows_waves)
        wl_sanitize_gws(runner, wave);
    if (!wl_gws_message(unit, wave->exit_detail, wave->gws_value, &runner->gws_wait))
        return WL_WAVE_GRID;
    if (job->follows_waves)
        wl_sanitize_gws_done(runner);
    return WL_WAVE_READY;
}

/* Called when a wave yields. */
static bool only_looks(const struct wl_runner *runner, struct wl_wave *wave) {
    const struct wl_unit_info *info = atomic_load_explicit(&runner->unit->info[runner->mode], memory_order_acquire);
    const bool moved = wave->moved;
    wave->moved = 0;
    return !moved && info && wave->resume < info->resume_count && info->resume[wave->resume].only_looks;
}

enum wl_wave_state wl_wave_run_on(struct wl_job *job, struct wl_thread *thread, struct wl_runner *runner, struct wl_wave *wave,
                                  uint32_t reason) {
    uint32_t looks = 0;
    for (unsigned jumps = 0;; reason = runner->code(wave)) {
        switch ((enum wl_exit)reason) {
        case WL_EXIT_END:
            return WL_WAVE_ENDED;
        case WL_EXIT_BARRIER:
            return WL_WAVE_BARRIER;
        case WL_EXIT_YIELD:
            wave->fuel = WL_FUEL; /* not at other exits: a loop may change EXEC in every round */
            answer_message(job, thread, runner);
            runner->only_looks = only_looks(runner, wave);
            if (runner->only_looks && looks++ < runner->group->looks)
                continue;
            return WL_WAVE_YIELDED;
        case WL_EXIT_MODE:
            if (!answer_mode(job, thread, runner, wave))
                return WL_WAVE_FAILED;
            continue;
        case WL_EXIT_JUMP:
            if (!answer_known_jump(job, thread, runner, wave) && !answer_jump(job, thread, runner, wave))
                return WL_WAVE_FAILED;
            if (++jumps == WL_JUMPS)
                return WL_WAVE_YIELDED;
            continue;
        case WL_EXIT_MESSAGE:
            if (wave->exit_detail & WL_MESSAGE_BARRIER) {
                if (!wl_barriers_pass(&runner->barriers, wave->exit_detail))
                    return WL_WAVE_NAMED;
                continue;
            }
            if (wave->exit_detail & WL_MESSAGE_GWS) {
                enum wl_wave_state state = answer_gws(job, thread, runner, wave);
                if (state != WL_WAVE_READY)
                    return state;
                continue;
            }
            answer_message(job, thread, runner);
            continue;
        case WL_EXIT_TRAP:
            if (!answer_trap(job, thread, runner, wave))
                return WL_WAVE_FAILED;
            continue;
        case WL_EXIT_UNDEFINED:
            runner->code = wl_units_threaded(runner->unit);
            if (!runner->code)
                break;
            continue;
        case WL_EXIT_SPLIT: /* of workgroup mode alone */
        case WL_EXIT_ILLEGAL:
            break;
        }
        wl_wave_illegal(job, thread, runner, wave);
        return WL_WAVE_FAILED;
    }
}
