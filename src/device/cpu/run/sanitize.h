/* Launches that sanitizers watch (sanitize/hooks.h).
 *
 * memcheck looks at each access by itself: launches run as they do without it, in code that looks at the shadow. The other tools follow
 * waves: their launches run threaded code, each wave in a state of its own and by turns, so that all accesses, waits and barriers are told
 * in an order in which they could happen. */
#ifndef WL_DEVICE_CPU_RUN_SANITIZE_H
#define WL_DEVICE_CPU_RUN_SANITIZE_H

#include "device/cpu/abi.h"
#include "device/cpu/cpu.h"
#include "sanitize/hooks.h"

/* What the layer keeps of a workgroup while its waves are under way. */
struct wl_sanitized_group {
    struct wl_san_group group;
    struct wl_san_wave waves[WL_MAX_WAVES];
};

/* The helpers of waves in watched launches: those of helpers.h, and the sanitizers'. */
extern const struct wl_helpers *wl_sanitize_helpers(void);

/* Bytes of scratch that a lane of the job's waves may access. */
uint32_t wl_sanitize_scratch(const struct wl_job *job);
/* Begins and ends a watched launch; `watched` is the caller's, for as long as the job. Kernels may access what `memory` says. */
void wl_sanitize_begin(struct wl_job *job, struct wl_san_launch *watched, const struct wl_launch_memory *memory, size_t kernarg_size);
void wl_sanitize_end(struct wl_job *job, const struct wl_launch_memory *memory, size_t kernarg_size);

/* Kernels may access a code object's image, which has been loaded. */
void wl_sanitize_module(const struct wl_device_module *module);

/* A workgroup's waves are about to start. False: no memory; wl_fail has said so. */
bool wl_sanitize_start(struct wl_job *job, struct wl_group *group, const struct wl_extent *extent);
/* A wave goes on at wave->pc, in another function. */
void wl_sanitize_jump(struct wl_group *group, const struct wl_wave *wave, const struct wl_device_module *module);
/* A wave came to a barrier or to its end, and what followed for its workgroup. */
void wl_sanitize_wave(struct wl_group *group, uint32_t wave, enum wl_wave_state state);
void wl_sanitize_released(struct wl_group *group);
void wl_sanitize_done(struct wl_group *group);
/* The launch has failed, or ends: if the workgroup was not done, it is now. */
void wl_sanitize_drop(struct wl_group *group);
/* The same; no workgroup comes next. */
void wl_sanitize_free(struct wl_group *group);
/* The runner's wave enters code that does not follow undefined bits: from here on its registers have none. */
void wl_sanitize_forget(const struct wl_runner *runner, const struct wl_wave *wave);
/* The runner's wave exited with a message to the global wave sync unit; it goes on behind it. */
void wl_sanitize_gws(const struct wl_runner *runner, const struct wl_wave *wave);
void wl_sanitize_gws_done(const struct wl_runner *runner);
/* All waves of the workgroup only wait. True: for ever; the job has failed. */
bool wl_sanitize_stuck(struct wl_job *job, struct wl_group *group);

#endif
