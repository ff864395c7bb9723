/* sanitize/: finds faults in kernels while they run.
 *
 *   in    what translated code does: accesses, waits, barriers (hooks.h); what the program allocates, frees and copies (allocations.h)
 *   out   findings (report.h), each a paragraph on stderr
 *
 *   hooks.h        what the device calls while a launch runs
 *   allocations.h  the memory that kernels may access, and the shadow that says so
 *   memcheck.h     accesses outside of it
 *   race.h         conflicting accesses without order; sync.h: barriers that some do not reach
 *   init.h         values that nobody wrote
 *   report.h       findings: counted, suppressed, printed. names.h, describe.h: in words; json.h: for programs; suppress.h: which are not
 *                  wanted; stacks.h: the host's calls; run.h: what `wavelift sanitize` learns
 *
 * The layer lies above codeobject/ and machine/ and below device/: the device tells it what its waves do, the runtime and the API what
 * memory there is, and it knows neither of them.
 *
 * This header: a finding, and what becomes of it. */
#ifndef WL_SANITIZE_REPORT_H
#define WL_SANITIZE_REPORT_H

#include "machine/sanitize.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct wl_codeobject;
struct wl_san_wave;

enum wl_san_kind {
    /* memcheck */
    WL_SAN_OUT_OF_BOUNDS,  /* outside of every allocation */
    WL_SAN_USE_AFTER_FREE, /* in memory that was freed */
    WL_SAN_NOT_ALLOCATED,  /* of a pool or graph, not allocated at that point */
    WL_SAN_MISALIGNED,
    WL_SAN_LDS_BOUNDS,
    WL_SAN_SCRATCH_BOUNDS,
    WL_SAN_KERNARG_BOUNDS,
    WL_SAN_READ_ONLY, /* a store to memory that the kernel may only read */
    WL_SAN_DOUBLE_FREE,
    WL_SAN_BAD_FREE,   /* of an address at which no block begins */
    WL_SAN_API_BOUNDS, /* a copy or a fill out of bounds */
    WL_SAN_LEAK,
    /* initcheck */
    WL_SAN_UNINITIALIZED_BRANCH,
    WL_SAN_UNINITIALIZED_EXEC,
    WL_SAN_UNINITIALIZED_ADDRESS,
    WL_SAN_UNINITIALIZED_ATOMIC,
    WL_SAN_UNINITIALIZED_HOST,
    /* racecheck */
    WL_SAN_RACE_LANES, /* one instruction of a wave, different values to one place */
    WL_SAN_RACE_WAVES, /* of a workgroup */
    WL_SAN_RACE_GROUPS,
    WL_SAN_RACE_LAUNCHES, /* kernels, or a copy beside a kernel */
    WL_SAN_MISSING_WAIT,  /* a register is used before the load that it comes from is waited for */
    WL_SAN_RACE_SAME_VALUE,
    /* synccheck */
    WL_SAN_BARRIER_WAVES, /* waves of a workgroup do not reach a barrier */
    WL_SAN_BARRIER_LANES, /* lanes of a wave do not */
    WL_SAN_GRID_BARRIER,
    WL_SAN_DEADLOCK,
    WL_SAN_STREAM_DEADLOCK,
    WL_SAN_KIND_COUNT,
};

enum { WL_SAN_MOST_CALLS = 8 }; /* of device functions in each other that are told: the innermost ones */

/* Where an access was made. All zero: by the host. */
struct wl_san_place {
    const char *kernel;                 /* as the code object has it (mangled); NULL: the host */
    const struct wl_codeobject *object; /* for the line; NULL: none */
    uint64_t code;                      /* virtual address of the instruction in the code object */
    uint32_t group[3], item[3];
    uint32_t wave, lane;
    uint8_t access; /* enum wl_sanitize_kind */
    uint8_t caller_count;
    uint8_t has_item;                    /* else the wave alone is known: lane and item say nothing */
    uint64_t stack;                      /* of the host's call: an id of wl_san_stack; 0: none */
    const char *call;                    /* the host's function, "hipMemcpy"; NULL: none */
    uint64_t callers[WL_SAN_MOST_CALLS]; /* of a device function: the calls that it is in, the innermost first */
};

/* A piece of memory that the program allocated (allocations.h keeps the same for itself). */
struct wl_san_block {
    uint64_t address, size; /* size 0: no allocation is near */
    uint8_t kind;           /* enum wl_san_memory of allocations.h */
    bool freed;
    const char *name;                 /* of a variable; or NULL */
    const char *made_by, *freed_by;   /* functions of HIP; NULL: not known */
    uint64_t made_stack, freed_stack; /* ids of wl_san_stack */
};

struct wl_san_finding {
    enum wl_sanitize_tool tool;
    enum wl_san_kind kind;
    struct wl_san_place at;     /* the access, or the wave */
    struct wl_san_place second; /* races: the other access, which was earlier */
    bool has_second;
    uint8_t space;             /* enum wl_sanitize_space */
    uint32_t bytes;            /* of the access */
    uint64_t address;          /* GLOBAL: the host's; LDS, SCRATCH: an offset */
    uint64_t limit;            /* LDS, SCRATCH, KERNARG: the size that it is beyond */
    struct wl_san_block block; /* the nearest allocation */
    char detail[192];          /* more in words, or "" */
};

/* Counts the finding, and prints it if there was no equal one: of the same tool, kind, code and kernel (and for the host's the same
 * call and stack). Copies what it keeps; `kernel` and `object` are valid during the call alone. Thread-safe; must not be called with
 * locks of the runtime held. (report.c) */
void wl_san_report(const struct wl_san_finding *finding);

/* The calling thread's stack, as an id that lasts for the process; equal stacks have equal ids. 0: not available. Thread-safe. */
uint64_t wl_san_stack(void);

/* The beginning of the run: reads the suppressions. The runtime calls it when it starts, if a tool is on. */
void wl_san_begin(void);
/* Findings so far that were not suppressed, and the end of the run: prints the summary once. */
uint64_t wl_san_finding_count(void);
void wl_san_finish(void);

/* Whether a launch of this kernel is to be watched (WAVELIFT_SANITIZE_KERNEL). Thread-safe. */
bool wl_san_watches(const char *kernel);

/* What the program says of itself (include/wavelift/sanitize.h); `tools`: bits of enum wl_sanitize_tool. */

/* Findings of these tools are not reported until the matching call with `on` false. They nest, for the whole process. Thread-safe. */
void wl_san_ignore(unsigned tools, bool on);
/* Findings of these tools at addresses in [address, address + size) are not reported. False: out of memory. Thread-safe. */
bool wl_san_benign(uint64_t address, uint64_t size, unsigned tools);

/* The work item of a lane of a wave: its ids in the workgroup. */
void wl_san_fill_place(const struct wl_san_wave *wave, uint64_t code, uint32_t lane, uint8_t access, struct wl_san_place *place);

#endif
