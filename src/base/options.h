/* All environment variables of Wavelift's own, in one table. Those of AMD's that choose devices are read when devices are made
 * (device/visible.h).
 *
 * Values are read once, at the first call, and never change afterwards. */
#ifndef WL_BASE_OPTIONS_H
#define WL_BASE_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

struct wl_options {
    const char *arch; /* WAVELIFT_ARCH: the architecture to report and to prefer in bundles; NULL: follow the program */
    /* WAVELIFT_DEVICES: the devices to show, in order: a list of "cuda" and "cpu", each perhaps with ":" and a number of devices, or
     * a number alone for so many CPU devices. Default: "cuda,cpu". */
    struct wl_device_wish {
        bool cuda;
        unsigned count; /* 1 to 64; UINT_MAX: all there are (of CPU devices: one) */
    } devices[8];
    unsigned device_wishes; /* entries of `devices` */
    bool default_devices;   /* WAVELIFT_DEVICES is not set */
    unsigned threads;       /* WAVELIFT_THREADS: workers of the CPU device; 0 (default): the CPUs this process may use */
    uint64_t cache_size;    /* WAVELIFT_CACHE_SIZE: bytes kept in the native-code cache, suffixes K M G; default 1 GiB; 0: no cache */
    const char *cache_dir;  /* WAVELIFT_CACHE_DIR: the cache's folder; NULL: $XDG_CACHE_HOME/wavelift or ~/.cache/wavelift */
    unsigned log;     /* WAVELIFT_LOG: 0 nothing but kernel faults, 1 (default) errors, 2 and every failing call, 3 and compilations */
    unsigned tier;    /* WAVELIFT_TIER: 1: threaded code alone, 2: native code alone; 0 (default): the one until the other is made */
    const char *dump; /* WAVELIFT_DUMP: a folder that receives each translation's IR and object; NULL: none */
    bool
        own_memory; /* WAVELIFT_MEMORY: own: hipMemGetInfo counts this process alone; default shared: other processes and the machine too */
    uint64_t device_memory; /* WAVELIFT_DEVICE_MEMORY: bytes of each CPU device, suffixes K M G; 0 (default): of the machine's */
    /* WAVELIFT_LINK: GB/s and perhaps a comma and microseconds of the link of each CPU device, which copies from and to it take; 0 (default): as fast as it goes */
    double link_bandwidth, link_latency;
    bool exact_math;    /* WAVELIFT_MATH: exact: approximate instructions (exp, log, sin, cos, rsq) are rounded correctly; default fast */
    bool hardware_math; /* WAVELIFT_MATH: hardware: all matrix sums as the processor adds, where that is known (docs/NUMERICS.md) */
    const char *cuda_library; /* WAVELIFT_CUDA_LIBRARY: the CUDA driver to open; NULL: libcuda.so.1 */
    const char *clang;        /* WAVELIFT_CLANG: the compiler that hiprtc runs, a path or a name to look up; NULL: the one that is found */
    /* WAVELIFT_SANITIZE: tools that watch kernels, bits of enum wl_sanitize_tool (machine/sanitize.h): a list of memcheck, racecheck,
     * initcheck and synccheck, or all; default 0. Kernels run on CPU devices alone then. */
    unsigned sanitize;
    const char *sanitize_json;         /* WAVELIFT_SANITIZE_JSON: a file that receives the findings; NULL: none */
    const char *sanitize_suppressions; /* WAVELIFT_SANITIZE_SUPPRESSIONS: a file of findings that are not to be reported; NULL: none */
    const char *sanitize_kernel;       /* WAVELIFT_SANITIZE_KERNEL: the kernel that is watched (sanitize/names.h); NULL: all */
    const char *sanitize_run;          /* WAVELIFT_SANITIZE_RUN: a file of `wavelift sanitize` (sanitize/run.h); NULL: none */
    unsigned sanitize_findings;        /* WAVELIFT_SANITIZE_FINDINGS: most findings to print; default 100 */
    bool sanitize_leaks;               /* WAVELIFT_SANITIZE_LEAKS: on: report memory that is not freed at exit; default off */
    bool sanitize_generate;            /* WAVELIFT_SANITIZE_GENERATE: on: print a suppression with each finding; default off */
    bool perf;                         /* WAVELIFT_PERF: on: tell Linux's perf of native code (device/cpu/code/perf.h); default off */
    const char *record;                /* WAVELIFT_RECORD: a file that receives launches (runtime/recording.h); NULL: none */
    const char *record_kernel;         /* WAVELIFT_RECORD_KERNEL: the kernel whose launches are recorded (sanitize/names.h); NULL: all */
    uint64_t schedule;                 /* WAVELIFT_SCHEDULE: random:SEED: workgroups and waves run in an order that follows from SEED */
    bool random_schedule;              /* the same; default: in order */
    const char *cpu;                   /* WAVELIFT_CPU: make code for this CPU (base/cpu.h), not for this machine's; NULL: this one */
};

/* The process's options. Thread-safe; never NULL. */
const struct wl_options *wl_options(void);

/* WAVELIFT_PROFILE_RUN: a file of `wavelift profile` (trace/run.h); NULL: none. Read by itself, because it is asked for when the library is
 * loaded: a program may set the others before it calls HIP. To be called once, and not while another thread sets variables. */
const char *wl_option_profile_run(void);

/* Sets the level that counts instead of WAVELIFT_LOG; -1: WAVELIFT_LOG again. Thread-safe. */
void wl_log_limit(int level);

/* Prints one line "wavelift: ..." to stderr if WAVELIFT_LOG is at least `level`. Thread-safe; lines are never mixed. */
__attribute__((format(printf, 2, 3))) void wl_log(unsigned level, const char *format, ...);

#endif
