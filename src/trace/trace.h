/* trace/: records what a program does with HIP, for tools.
 *
 *   in    calls of HIP functions, kernels, copies, compilations, memory in use, ranges: as they end, with the times of both ends
 *   out   records in the file of a run (run.h), which `wavelift profile` reads; calls of a function in the process, for its tracers
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

/* Who wants to know at present: bits of `flags`, and how many tools have attached to probes (probe.h). */
#define WL_TRACE_RUN  1u /* a run is recorded */
#define WL_TRACE_TELL 2u /* a function of the process is told of work (wl_trace_tell_with) */
extern union wl_trace_wanted {
    _Atomic uint32_t any;
    struct {
        _Atomic uint16_t flags, probes;
    };
} wl_trace_wanted __attribute__((visibility("hidden")));

/* Whether anybody wants to know; whether a run is recorded: only then may wl_trace_take be called; whether a function of the process is told. */
static inline bool wl_trace_on(void) { return __builtin_expect(atomic_load_explicit(&wl_trace_wanted.any, memory_order_relaxed) != 0, 0); }
static inline bool wl_trace_runs(void) {
    return __builtin_expect(atomic_load_explicit(&wl_trace_wanted.flags, memory_order_relaxed) & WL_TRACE_RUN, 0);
}
static inline bool wl_trace_tells(void) { return atomic_load_explicit(&wl_trace_wanted.flags, memory_order_relaxed) & WL_TRACE_TELL; }

/* Opens the run that WAVELIFT_PROFILE_RUN names, and begins to record. False: there is none, or it is not one. To be called before
 * anything is to be recorded; may be called again. Thread-safe. (trace.c) */
bool wl_trace_begin(void);
/* Stops and goes on: hipProfilerStop, hipProfilerStart. Nothing happens where there is no run. */
void wl_trace_pause(bool paused);

/* The time by the run's clock. Only while there is a run. (clock.c) */
uint64_t wl_trace_now(void);
/* What the run's clock showed at a time of CLOCK_MONOTONIC, in nanoseconds, not long ago. */
uint64_t wl_trace_at(uint64_t nanoseconds);
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

/* The same for a record that the thread goes on to add to, and that stays where it is as long as the process lives. */
struct wl_trace_record *wl_trace_keep(void);
/* Whether the run counts what kernels do. Only while there is a run. */
bool wl_trace_counts(void);
/* A tool of the process wants to be told what is counted of each launch (wl_trace_work.counts). False: it is too late, because code that does not
 * count has been made, or sanitizers are at work. Thread-safe. */
bool wl_trace_count_launches(void);
/* Whether it is so. To be called before code is made: from then on it does not change. `possible` false: it cannot be so. */
bool wl_trace_counting(bool possible);

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

/* A compilation: to be called at its beginning and at its end. What the first returns goes to the second; 0: nothing is recorded. `name` is the
 * kernel's or device function's, `instructions` the number of AMD's. */
static inline uint64_t wl_trace_code_begin(void) { return wl_trace_runs() ? wl_trace_now() : 0; }
void wl_trace_code_end(const char *name, enum wl_trace_made made, uint64_t begin, uint32_t instructions);

/* Work of a device that has ended, as a function of the process is told of it. */
struct wl_trace_work {
    enum wl_trace_kind kind; /* KERNEL, COPY, FILL */
    uint8_t detail;          /* of copies, as in struct wl_trace_record */
    unsigned device;
    uint64_t stream;                  /* its id */
    uint64_t begin, end;              /* nanoseconds of CLOCK_MONOTONIC */
    uint64_t asker;                   /* what wl_trace_asker was when the program asked for it */
    uint64_t queued;                  /* what wl_trace_queued gave then */
    uint64_t bytes;                   /* of copies and fills */
    const char *kernel;               /* of kernels: the symbol; valid during the call */
    const void *loaded;               /* of kernels: the runtime's struct wl_loaded_kernel; the same */
    uint32_t items[3], block[3];      /* of kernels: work items of the grid and of a workgroup */
    uint32_t kernels, copies;         /* of graphs that are queued: pieces of these kinds */
    uint32_t lds, scratch;            /* of kernels: bytes of a workgroup; of a work item */
    const struct wl_counts *counts;   /* of kernels: machine/counters.h; NULL: nothing was counted. Valid during the call */
    const void *target, *source;      /* of copies */
    int target_device, source_device; /* of copies: -1: the host */
};

/* From now on `tell` is called with each piece of work when it ends, in the thread that ran it; NULL: nobody is. Thread-safe; a call that has
 * begun may still end later. */
void wl_trace_tell_with(void (*tell)(const struct wl_trace_work *work));
void wl_trace_tell(const struct wl_trace_work *work);
/* While work is told of: `queued` is called in the thread that asks for work, before it is queued, and returns what wl_trace_work.queued is to
 * be. Of the work it is given the kind: KERNEL, COPY, FILL, or NONE for work of a graph, all of whose pieces have the one number; of a kernel and of
 * a copy also what is known before it runs. NULL: the number is 0. */
void wl_trace_queued_with(uint64_t (*queued)(const struct wl_trace_work *work));
uint64_t wl_trace_queued(const struct wl_trace_work *work);
/* Who is told of code objects that are loaded, and before they are unloaded: the runtime's struct wl_module. NULL: nobody. */
void wl_trace_modules_with(void (*tell)(const void *module, bool loaded));
void wl_trace_module(const void *module, bool loaded);
/* Functions that see calls of HIP (api/traced_call.h), for each of those who may have one: they all see the same calls. */
typedef int (*wl_trace_tracer)(uint32_t domain, uint32_t operation, void *data);
enum wl_trace_place {
    WL_TRACE_REGISTERED, /* hipRegisterTracerCallback's: libroctracer64 */
    WL_TRACE_SDK,        /* librocprofiler-sdk's */
    WL_TRACE_CALLBACKS,  /* libamdhip64's own, for hipRegisterApiCallback */
    WL_TRACE_PLACES
};
/* Sets one, by its enum wl_trace_place; NULL: there is none any more. Thread-safe. */
void wl_trace_set_tracer(unsigned place, wl_trace_tracer tracer);
wl_trace_tracer wl_trace_tracer_at(unsigned place);
/* `changed` is called whenever one has been set, by one thread at a time. `tables` are for tools: the table of HIP's functions, and that of what
 * compilers emit calls to. */
enum wl_trace_table { WL_TRACE_HIP_TABLE, WL_TRACE_COMPILER_TABLE, WL_TRACE_TABLES };
void wl_trace_watch_tracers(void (*changed)(void), void *const tables[WL_TRACE_TABLES]);
void *wl_trace_function_table(unsigned which);
/* A number that a tracer gives to the calling thread's work; 0: none. */
uint64_t wl_trace_asker(void);
void wl_trace_set_asker(uint64_t asker);

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
void wl_trace_put_name(uint32_t number, const char *name, size_t length);
/* The next number of a name. For names.c. */
uint32_t wl_trace_next_name(void);

#endif
