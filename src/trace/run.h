/* The file of a run: what `wavelift profile` makes, the program's processes write, and `wavelift profile` reads.
 *
 * The file begins with struct wl_trace_run, a page. Chunks of WL_TRACE_CHUNK bytes follow. A chunk belongs to one process, and one of its
 * threads at a time writes to it, record after record. A record of kind WL_TRACE_NONE ends it. All processes have the file mapped, so that
 * what a process has written is there however the process ends. */
#ifndef WL_TRACE_RUN_H
#define WL_TRACE_RUN_H

#include <stdatomic.h>
#include <stdint.h>

#define WL_TRACE_MAGIC UINT64_C(0x3165636172746c77) /* "wltrace1" */
#define WL_TRACE_CHUNK 262144u
#define WL_TRACE_FIRST 4096u /* where the first chunk begins */

/* What `begin` and `end` of records count. */
enum wl_trace_clock {
    WL_TRACE_NANOSECONDS, /* of CLOCK_MONOTONIC */
    WL_TRACE_TICKS,       /* of the processor's own counter, which is the same for all CPUs */
};

struct wl_trace_run {
    uint64_t magic;
    uint32_t clock;                /* enum wl_trace_clock */
    uint32_t counts;               /* 1: instructions and accesses of kernels are counted */
    _Atomic uint64_t chunks;       /* handed out */
    _Atomic uint64_t names;        /* numbers of names handed out */
    _Atomic uint64_t correlations; /* blocks of WL_TRACE_BLOCK numbers handed out */
    _Atomic uint64_t lost;         /* records for which there was no room on the disk */
};

enum { WL_TRACE_BLOCK = 4096 };

enum wl_trace_kind {
    WL_TRACE_NONE,
    WL_TRACE_NAME,    /* `name` is the number; the text follows in the next records' places, `length` bytes */
    WL_TRACE_PROCESS, /* the first record of a chunk: `process`; `name`: of the program */
    WL_TRACE_CALL,    /* of a HIP function: `name`, `result` */
    WL_TRACE_KERNEL,
    WL_TRACE_COPY,
    WL_TRACE_FILL,
    WL_TRACE_COMPILE, /* `name`: the kernel or device function; `detail`: enum wl_trace_made */
    WL_TRACE_MEMORY,  /* a device's memory in use: `bytes`; begin = end */
    WL_TRACE_RANGE,   /* of roctx: `name` */
    WL_TRACE_MARK,    /* the same, begin = end */
    WL_TRACE_THREAD,  /* the thread's name: `name` */
    WL_TRACE_DEVICE,  /* the device's name: `name` */
    WL_TRACE_STREAM,  /* a stream is made, whose handle is `bytes`; or named, by its handle: `name` */
    /* What is counted of kernels. `name` is the kernel's, `stream` stands for the code object, `begin` is an address in it. The program's
     * threads add to their records of the first three kinds as long as they run. */
    WL_TRACE_WAVES,       /* of a kernel's launches: `waves` */
    WL_TRACE_BASIC_BLOCK, /* of `end` instructions: `block` */
    WL_TRACE_ACCESS,      /* of an instruction that accesses memory: `detail` is an enum wl_trace_space, `device` an enum wl_trace_access,
                           * `end` bytes, `correlation` waves that did it; `access` */
    WL_TRACE_INSTRUCTION, /* of a basic block: `begin` is the block's address, `end` the instruction's; `name`: its line, as FILE:LINE;
                           * `instruction` */
};

enum wl_trace_space { WL_TRACE_GLOBAL, WL_TRACE_LDS, WL_TRACE_SCRATCH };
enum wl_trace_access { WL_TRACE_LOAD, WL_TRACE_STORE, WL_TRACE_ATOMIC };

/* How code came to be: the `detail` of COMPILE. */
enum wl_trace_made { WL_TRACE_MADE_THREADED, WL_TRACE_MADE_NATIVE, WL_TRACE_MADE_CACHED };

/* A copy's direction: its `detail`, as hipMemcpyKind numbers them. */
enum wl_trace_direction { WL_TRACE_HOST_TO_HOST, WL_TRACE_HOST_TO_DEVICE, WL_TRACE_DEVICE_TO_HOST, WL_TRACE_DEVICE_TO_DEVICE };

/* One cache line. */
struct wl_trace_record {
    uint64_t begin, end;  /* by the run's clock */
    uint64_t correlation; /* CALL: its number. Others: that of the call that asked for it; 0: none */
    uint32_t thread;      /* of the system, that wrote it */
    uint32_t name;        /* a number of a name; 0: none */
    uint8_t kind, detail; /* KERNEL: `detail` is 1 if threaded code ran it to the end */
    uint16_t device;
    uint32_t stream; /* its id in the process */
    union {
        struct {
            uint32_t grid[3]; /* workgroups */
            uint16_t block[3];
            uint16_t threads; /* that took part, at most */
            uint32_t busy;    /* time of all of them in units of 16 ns, as far as it was measured; 0: it was not */
        } kernel;
        uint64_t bytes;        /* COPY, FILL, MEMORY */
        int32_t result;        /* CALL */
        uint32_t process;      /* PROCESS */
        uint32_t length;       /* NAME */
        uint32_t instructions; /* COMPILE: AMD's */
        struct {
            uint64_t waves, lanes; /* that there were; lanes are work items */
            uint32_t wave_size;
        } waves;
        struct {
            uint64_t runs, lanes, diverged; /* waves that ran it; their active lanes in all; waves that lost some of them at its end */
        } block;
        struct {
            uint64_t scattered; /* waves whose lanes were neither side by side nor all at one place */
            uint64_t pieces;    /* of 64 bytes that a wave touched; of LDS: cycles, without those for conflicts */
            uint64_t conflicts; /* of LDS: cycles because several lanes wanted different dwords of a bank */
        } access;
        struct {
            uint8_t unit, operation, type, flat; /* struct wl_count_inst (machine/count.h) */
            uint32_t second, flops;
        } instruction;
    };
};
_Static_assert(sizeof(struct wl_trace_record) == 64, "a record is a cache line");

#endif
