/* trace/: records what a program does with HIP, for tools.
 *
 *   in    calls of HIP functions, kernels, copies, compilations, memory in use, ranges: as they end, with the times of both ends
 *   out   records in the file of a run (run.h), which `wavelift profile` reads
 *
 * The layer lies at the bottom, so that every other one can tell what it does. Where no tool is attached, wl_trace_on() is false: whoever
 * has something to tell asks that first, which costs a comparison with memory.
 *
 * Each thread writes to memory of its own, and waits for no other one. */
#ifndef WL_TRACE_H
#define WL_TRACE_H

#include "trace/run.h"

#include <stdbool.h>
#include <stddef.h>

extern _Atomic bool wl_trace_recording;

/* Whether records are wanted at present. */
static inline bool wl_trace_on(void) { return __builtin_expect(atomic_load_explicit(&wl_trace_recording, memory_order_relaxed), 0); }

/* Opens the run that WAVELIFT_PROFILE_RUN names, and begins to record. False: there is none, or it is not one. To be called before
 * anything is to be recorded; may be called again. Thread-safe. (trace.c) */
bool wl_trace_begin(void);
/* Stops and goes on: hipProfilerStop, hipProfilerStart. Nothing happens where there is no run. */
void wl_trace_pause(bool paused);

/* The time by the run's clock. Only while there is a run. (clock.c) */
uint64_t wl_trace_now(void);
/* Sets the clock: what wl_trace_now counts, and what struct wl_trace_run.clock says. */
void wl_trace_clock_set(enum wl_trace_clock clock);
/* The best clock of this machine. */
enum wl_trace_clock wl_trace_clock_best(void);

/* A place for a record of the calling thread, whose `thread` is filled in and whose other members are 0 or to be written; it does not
 * count before wl_trace_put. NULL: there is no room, which was counted. The thread must put it before it takes another one, begins a call, or asks for the number of a name. */
struct wl_trace_record *wl_trace_take(void);
static inline void wl_trace_put(struct wl_trace_record *record, enum wl_trace_kind kind) {
    atomic_store_explicit((_Atomic uint8_t *)&record->kind, (uint8_t)kind, memory_order_release);
}

/* A call of a HIP function while it lasts. */
struct wl_trace_call {
    uint64_t begin;
    uint64_t number; /* different in all processes of the run; 0: the call is not recorded */
    uint64_t outer;  /* of the call that this one is made in, from a function of the program; 0: none */
};
/* To be called at the beginning and at the end of a call; the end writes the record, if there is a number. */
void wl_trace_call_begin(struct wl_trace_call *call);
void wl_trace_call_end(const struct wl_trace_call *call, uint32_t name, int32_t result);
/* The number of the call that the calling thread is in; 0: none that is recorded. */
uint64_t wl_trace_call(void);

/* The number of a name: equal names have equal numbers in a process. 0: no memory. Thread-safe; takes a lock, so that whoever records
 * often keeps the number. (names.c) */
uint32_t wl_trace_name(const char *name);
/* The same, kept in *number, which is 0 at first. */
static inline uint32_t wl_trace_name_kept(_Atomic uint32_t *number, const char *name) {
    uint32_t known = atomic_load_explicit(number, memory_order_relaxed);
    if (known)
        return known;
    known = wl_trace_name(name);
    atomic_store_explicit(number, known, memory_order_relaxed);
    return known;
}

/* Writes a name's record. For names.c. */
bool wl_trace_put_name(uint32_t number, const char *name, size_t length);
/* The next number of a name. For names.c. */
uint32_t wl_trace_next_name(void);

#endif
