/* What `wavelift profile` counts of kernels: basic blocks that waves run, and their accesses to memory. Code that was made for it tells
 * (machine/count.h); here it is added to records of the run (trace/run.h), of which each thread has its own. */
#ifndef WL_DEVICE_CPU_RUN_COUNTERS_H
#define WL_DEVICE_CPU_RUN_COUNTERS_H

#include "base/table.h"
#include "device/cpu/cpu.h"
#include "sanitize/hooks.h"
#include "trace/run.h"

struct wl_count_block; /* machine/count.h */

/* Whether the process counts: never beside sanitizers. The same as long as the process lives. */
bool wl_counters_on(void);
/* A launch begins: counts its waves. */
void wl_counters_launch(const struct wl_job *job);
/* wl_helpers.count_block. */
void wl_counters_block(struct wl_wave *wave, const struct wl_count_block *block, uint64_t lanes);
/* Lanes of the calling thread's wave access memory, which is all in one space. Addresses in LDS are offsets. A strip's lanes are counted once
 * however often they are told of. (counters_access.c) */
void wl_counters_access(const struct wl_job *job, const struct wl_san_access *access);
/* The same for lanes that lie side by side, or at one place. */
void wl_counters_run(const struct wl_job *job, const struct wl_san_lanes *run);
/* The calling thread leaves a job: what it has counted is added to the launch's. */
void wl_counters_leave(const struct wl_job *job);

/* ---- for counters.c and counters_access.c ---- */

/* An instruction's accesses. */
struct wl_access_counter {
    uint64_t function, address; /* of the kernel's wl_device_function.id, of the instruction in the code object */
    uint32_t what;              /* which of the instruction's accesses, in which space */
    struct wl_trace_record *record, sink;
    struct wl_trace_record before;  /* what the record was when the thread came to the job, if it is touched */
    struct wl_access_counter *next; /* in the list of those that have lanes below */
    struct wl_access_counter *next_touched;
    bool touched; /* in the present job, of which somebody wants to know */
    const struct wl_sanitize_site *site;
    uint64_t lanes; /* that the present run of the basic block has told of */
    uint32_t bytes, wave_size;
    uint8_t space; /* enum wl_sanitize_space */
    uint64_t at[64];
};

/* What a thread counts with. When it ends another one goes on with it. */
struct wl_thread_counters {
    struct wl_table blocks, accesses, waves;
    struct wl_access_counter *pending, *touched_accesses;
    struct block_counter *touched_blocks;
    const struct wl_wave *wave; /* that ran the last basic block, */
    struct block_counter *block;
    uint64_t lanes; /* with these lanes */
    struct wl_thread_counters *next;
};

/* The calling thread's; NULL: nothing is to be counted at present. */
struct wl_thread_counters *wl_thread_counters(void);
/* Whether somebody wants to know what is counted of this job. */
static inline bool wl_counters_told(const struct wl_job *job) { return job->launch->outcome && job->launch->outcome->counts; }
/* A record of the run, or `sink` if there is no run, or no room. */
struct wl_trace_record *wl_counters_record(const struct wl_job *job, uint64_t address, struct wl_trace_record *sink);
/* Adds what is pending to its records. */
void wl_counters_settle(struct wl_thread_counters *counters);

#endif
