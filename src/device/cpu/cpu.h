/* device/cpu/: the CPU device. It runs kernels as native code on this machine's cores.
 *
 *   in    struct wl_launch (device/device.h), and the module that its kernel is of
 *   out   the kernel's effects in memory; a fault is one paragraph on stderr and an error of the launch
 *
 *   cpu.c     the table of operations: devices, modules, functions, launches
 *   abi.c     initial registers, and the memory of a launch
 *   memory.c  what a thread or a resident workgroup needs: LDS, scratch, wave states
 *
 *   run/      runs a launch (run/launch.h): checks and plans it, hands out workgroups to threads, runs their waves, parks workgroups that
 *             wait for others, answers what device code asks of the host
 *   code/     finds or makes the code of a unit (code/units.h): in memory, in the disk cache, by the translator; native code is made in
 *             the background while threaded code runs
 *   debug/    lets a debugger of the host stop in kernels (debug/debug.h)
 *   fault/    signals inside translated code become reports and errors (fault/fault.h)
 *   helpers/  functions that translated code calls (helpers/helpers.h, machine/helpers.h)
 *
 * How the structures nest:
 *
 *   wl_cpu_device ── wl_pool (one for all devices of the process) ── threads
 *     └ wl_device_module            one code object: image, units
 *         ├ wl_cpu_unit             the code of one kernel or device function: up to three native copies, threaded code
 *         └ wl_device_function      one kernel: its plan of initial registers
 *   wl_job                          one launch while it runs; lives on the launching thread's stack
 *   wl_thread                       a thread that takes part in jobs: a signal stack, and
 *     └ wl_group                    a resident workgroup: LDS, scratch, and
 *         ├ wl_wave                 per wave: registers (machine/wave.h)
 *         └ wl_runner               per wave: where it stands
 *
 * Locks, in the order in which they may be taken: wl_cpu_device.lock, wl_device_module.lock,
 * wl_hostcall.lock, wl_pool.lock, the lock of tiers.c. None is held while translated code runs, and none is taken for a workgroup. */
#ifndef WL_DEVICE_CPU_H
#define WL_DEVICE_CPU_H

#include "base/status.h"
#include "device/cpu/code/loader.h"
#include "device/cpu/helpers/barriers.h"
#include "device/cpu/run/gws.h"
#include "device/device.h"
#include "device/kernarg.h"
#include "machine/wave.h"
#include "translate/interface/translate.h"

#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define WL_MAX_WORKGROUP 1024
#define WL_MAX_WAVES     (WL_MAX_WORKGROUP / 32)
#define WL_LDS_BYTES     327680u    /* what a workgroup may ask for: gfx1250's */
#define WL_MIN_STACK     16384u     /* scratch bytes a lane where calls make the need unknown; the program may ask for more */
#define WL_MAX_STACK     (1u << 22) /* scratch bytes a lane */

struct wl_cpu_device;
struct wl_pool;
struct wl_hostcall;
struct wl_job;
struct wl_job_slot;
struct wl_san_launch;      /* sanitize/hooks.h */
struct wl_sanitized_group; /* run/sanitize.h */
struct wl_parts;
struct wl_resident_cluster; /* run/clusters.c */
struct wl_debug_module;     /* debug/modules.c */
struct wl_debug_wave;       /* debug/waves.c */

/* ---- units ---------------------------------------------------------------------------------- */

struct wl_cpu_unit {
    uint64_t address; /* of its entry, in the code object's address space */
    const char *name;
    const struct wl_kernel *kernel; /* NULL: a device function */
    enum wl_shape shape;
    uint32_t wave_size; /* of the waves that run it: a device function may serve kernels of both sizes, with a unit for each */
    /* The copies, NULL until they are needed. A copy is threaded code at first, and native code as soon as that has been made. What `info`
     * says of waiting and of registers is the same for both. Written under the module's lock, read without. */
    _Atomic(wl_unit_code *) code[WL_COPY_COUNT];
    _Atomic(const struct wl_unit_info *) info[WL_COPY_COUNT];
    /* The native copies. Reports of faults read them in a signal handler, while other threads may add some. */
    _Atomic(struct wl_native *) native[WL_COPY_COUNT];
    /* Native copies that can be entered at loop headers, for waves that are in loops of threaded code. */
    _Atomic(wl_unit_code *) loop_code[WL_COPY_COUNT];
    _Atomic(struct wl_native *) loop_native[WL_COPY_COUNT];
    /* A copy in workgroup mode serves one size of workgroups. It is a unit of its own, which has no other copies; those of a kernel's unit
     * are a list, the newest first. Written under the module's lock, read without. */
    _Atomic(struct wl_cpu_unit *) workgroup_units; /* of a kernel's unit: the list */
    struct wl_cpu_unit *older_workgroup_unit;      /* of a unit in that list: the next one */
    uint32_t workgroup_size[3];                    /* of a unit in that list */
    _Atomic bool workgroup_mode_off;               /* not used any more: the waves of a workgroup take different branches too often */
    struct wl_steps *steps;                        /* the threaded code; NULL: none was made */
    struct wl_steps_control *steps_control;
    const struct wl_unit_info *steps_info;
    struct wl_thunk *thunk; /* a wl_unit_code that runs `steps` */
    bool no_steps;          /* some instruction has no threaded code */
    _Atomic(struct wl_thunk *)
        marked_thunk;        /* for launches that a debugger may stop: runs threaded code with marks. Like the copies, read */
    struct wl_steps *marked; /* without the lock */
    const struct wl_unit_info *marked_info;
    bool no_marked;               /* there is no such code */
    _Atomic uint64_t hotness;     /* nanoseconds that waves spent in its threaded code */
    bool asked[2][WL_COPY_COUNT]; /* tiers.c: native copies that were asked for: [0] plain ones, [1] those for loops */
    /* A copy that could not be made is not tried again. */
    enum wl_status failed[WL_COPY_COUNT];
    char *failure[WL_COPY_COUNT];
    struct wl_cpu_unit *next; /* in the module's list */
};

/* Where a jump to an address enters translated code: a unit, and one of its resume points. */
struct wl_target_point {
    uint64_t key; /* address, shape and wave size in one number, plus 1; 0: a free slot */
    struct wl_cpu_unit *unit;
    uint32_t resume;
};

/* A hash table with open addressing that threads read without a lock. It grows by replacement: a thread may still read an older table, so
 * that these stay until the module is unloaded. */
struct wl_target_table {
    struct wl_target_table *older;
    size_t capacity, used;
    struct wl_target_point points[];
};

struct wl_device_module {
    struct wl_cpu_device *device;
    struct wl_codeobject *object;
    const struct wl_target *target;
    uint8_t *image;
    size_t image_size, image_mapped;
    uint64_t hash[2];
    uint64_t *functions; /* addresses of the entries of device functions, sorted */
    size_t function_count;

    pthread_mutex_t lock; /* guards all members below */
    struct wl_cpu_unit *units;
    _Atomic(struct wl_target_table *) targets; /* read without the lock */
    struct wl_device_function *kernels;
    struct wl_debug_module *debug; /* set when it is loaded; NULL: no debugger knows of it */
};

/* Takes and gives back a module's lock. A thread that calls fork() waits until no thread has one. */
void wl_module_lock(struct wl_device_module *module);
void wl_module_unlock(struct wl_device_module *module);
/* To be called around a translation: fork() waits for its end, too. */
void wl_translation_begin(void);
void wl_translation_end(void);

/* ---- functions ------------------------------------------------------------------------------ */

#define WL_TEMPLATE_SGPRS 48

struct wl_device_function {
    struct wl_device_module *module;
    const struct wl_kernel *kernel;
    struct wl_abi abi;
    uint32_t rows;         /* VGPR rows a wave needs, beside what its unit says */
    uint32_t scratch_size; /* bytes a lane, a multiple of 16; with `calls` the device's stack limit if that is larger */
    bool uses_hostcall, uses_heap, uses_print_buffer;
    bool calls; /* it calls functions whose need of stack is not known */
    bool empty; /* its first instruction ends it: a launch has nothing to run */
    _Atomic(struct wl_cpu_unit *) units[WL_SHAPE_COUNT];
    uint64_t id;               /* differs from that of every other function, unloaded ones included */
    uint32_t lds_limit;        /* bytes of LDS that a compute unit has */
    _Atomic uint32_t launches; /* about how many ran on one thread since `cost` was measured: every few of them it is measured again */
    _Atomic uint32_t cost;     /* nanoseconds that a workgroup took when it was last measured; 0: not known */
    struct wl_device_function *next; /* in the module's list */
};

/* ---- threads -------------------------------------------------------------------------------- */

/* NAMED: at a barrier of gfx12 that is not the workgroup's own. */
enum wl_wave_state { WL_WAVE_READY, WL_WAVE_YIELDED, WL_WAVE_BARRIER, WL_WAVE_NAMED, WL_WAVE_GRID, WL_WAVE_ENDED, WL_WAVE_FAILED };

struct wl_runner {
    struct wl_wave_barriers barriers; /* the first member: wl_wave.owner points to it, too (helpers/barriers.h) */
    /* NULL, in a job that uses wave states again (keeps_wave): the state is not what its kernel starts with, and has to be made anew. */
    wl_unit_code *code;
    struct wl_cpu_unit *unit;
    struct wl_group *group;
    enum wl_mode mode;
    enum wl_wave_state state;
    bool only_looks;             /* YIELDED: in its last turn it did nothing but look whether others have changed memory */
    struct wl_gws_wait gws_wait; /* WL_WAVE_GRID: what the wave waits for */
    struct wl_debug_wave *debug; /* NULL: it has not run in a launch that a debugger may stop */
};

/* A place for a workgroup that has been started and has not ended: its LDS, its waves' states and their private memory. */
struct wl_group {
    uint8_t *lds;        /* start of a reservation of WL_LDS_RESERVED bytes */
    uint32_t lds_usable; /* bytes of it that are mapped */
    bool lds_readable;   /* the rest can be read, as zeros: lds_bounds.h */
    bool lds_shared;     /* a debugger can see it in its window (debug/windows.c) */
    uint8_t *waves;      /* wave n's struct wl_wave is at n * wave_stride */
    size_t wave_stride, waves_mapped;
    uint8_t *scratch; /* wave n's private memory is at n * scratch_stride; a guard follows each */
    size_t scratch_stride, scratch_used /* bytes of each stride */, scratch_mapped;
    uint32_t wave_count, ended;
    struct wl_barriers barriers;
    struct wl_cluster *cluster; /* NULL: none */
    uint32_t cluster_rank;
    uint32_t id[3];
    bool in_step;     /* all waves are ready, and can be run from barrier to barrier one after the other; never in a cooperative launch */
    bool first_leads; /* the first wave takes the first turn, else the last one */
    bool done;
    struct wl_group_fit { /* what the wave states were made for; function 0: nothing */
        uint64_t function;
        const struct wl_cpu_unit *unit;
        uint32_t states, rows, lds_size, scratch_size, row_items;
    } fit;
    atomic_flag claimed; /* cooperative launches: a thread is running it */
    /* For parked.h: */
    uint64_t number;                        /* of the workgroup in the grid */
    uint64_t print;                         /* a hash of its waves' states when it had its last turn; 0: not known */
    uint32_t fuel;                          /* how long its waves' next turn may take, in the units of wl_wave.fuel */
    uint32_t looks;                         /* how often a wave that only looks may yield in its turn before others have theirs */
    struct wl_group *next;                  /* in a list of struct wl_parked_groups */
    struct wl_group *older;                 /* in the list of all places of the job */
    struct wl_sanitized_group *sanitized;   /* in launches that sanitizers watch */
    uint32_t workgroup_size[3];             /* in workgroup mode: the size whose ids the waves still have; 0: none */
    struct wl_runner runners[WL_MAX_WAVES]; /* one a wave; in workgroup mode the first one runs the whole workgroup */
};

/* Workitem ids of all waves of a workgroup: wave w's rows start at w * rows * wave_size. */
struct wl_id_table {
    uint32_t key[6];
    uint32_t ids[3 * WL_MAX_WORKGROUP];
};

/* The size of a workgroup; those at the end of a grid may be smaller. */
struct wl_extent {
    uint32_t size[3], items, waves;
};

struct wl_fault {
    uint32_t step;                 /* in threaded code: wl_wave.fault_pc; else 0 */
    int signal, code;              /* signal 0: no fault of this thread, which leaves a job that failed in another one */
    uint64_t address;              /* si_addr */
    uint64_t native_pc;            /* within translated code, as well as it is known */
    struct wl_strip_trace strip;   /* its magic is 0 if the code left none */
    struct wl_access_trace access; /* the same */
};

/* What a store behind the LDS has been given for one instruction: each of 16 lanes may touch two pages. */
enum { WL_LDS_BOUNDS_PAGES = 2 * WL_STRIP };
struct wl_lds_bounds {
    uint8_t *pages[WL_LDS_BOUNDS_PAGES];
    unsigned count;
    bool seen; /* there was such a store since the job began */
};

/* Where jumps of a kernel's waves have gone: addresses, and the units that lie there. */
struct wl_jump {
    uint64_t pc;
    struct wl_cpu_unit *unit; /* NULL: nothing is known here */
    uint32_t resume;
    enum wl_mode mode; /* for which the unit has code, whose rows the waves have */
};
enum { WL_KNOWN_JUMPS = 16 };

struct wl_thread {
    struct wl_job *job; /* the job that the thread takes part in, called the job at hand below; NULL: none */
    struct wl_group group;
    struct wl_id_table ids[2]; /* [0] of full workgroups, [1] of smaller ones at the end of a grid */
    const uint32_t *id_table;  /* the rows of the workgroup at hand */
    struct wl_extent extent;   /* of the workgroup at hand */
    uint32_t part;             /* the thread's part of the job at hand (parts.h) */
    uint32_t splits;           /* workgroups of the job at hand that left workgroup mode */
    unsigned index;            /* number among the workers; a launching thread has the lowest number that its job's worker_mask allows */
    bool launches;             /* it launched the job at hand, and stays until its end */
    bool leaves_early;         /* it left the job at hand to others: another job wants it */
    uint32_t float_mode;       /* the bits of MODE for which the host's floating-point unit is set at present */
    struct wl_jumps {
        uint64_t function; /* the id of that kernel */
        enum wl_shape shape;
        uint32_t rows; /* VGPRs of its waves */
        struct wl_jump known[WL_KNOWN_JUMPS];
    } jumps;
    /* For the signal handler: */
    struct wl_runner *volatile running; /* the wave whose code runs; NULL: not in translated code */
    sigjmp_buf jump;
    const char *stack_top; /* an address of a frame that all frames of translated code lie below */
    struct wl_fault fault;
    struct wl_lds_bounds lds_bounds;
    void *signal_stack;
    stack_t previous_stack;
    struct wl_thread *next; /* in the pool's list of idle ones */
};

/* ---- jobs ----------------------------------------------------------------------------------- */

/* Workgroups of a job that wait for others (parked.h). */
struct wl_parked_groups {
    _Alignas(64) _Atomic uint32_t count; /* workgroups that have not ended, those that a thread runs at present included */
    pthread_mutex_t lock;                /* guards the lists */
    struct wl_group *first;              /* a list of those that no thread runs at present, and have had no turn in this sweep */
    struct wl_group *after;              /* the same of those that have had it, the last one first */
    struct wl_group *spare;              /* a list of free places */
    struct wl_group *newest;             /* a list of all places, through `older` */
};

/* The message of a failed launch. Not a part of the job, because that is cleared for each launch. */
struct wl_job_failure {
    char text[512];
};

struct wl_job {
    struct wl_cpu_device *device;
    const struct wl_launch *launch;
    struct wl_device_function *function;
    struct wl_cpu_unit *unit;
    enum wl_shape shape;
    bool may_wait;
    bool tries;        /* waves may wait for others of their workgroup, but only in loops: each is run to its end, until one has to wait */
    bool keeps_wave;   /* the FULL copy leaves a wave's state so that the next workgroup's wave can start in it */
    bool keeps_trying; /* the same of a job that `tries` */
    bool fits_workgroup_mode; /* its workgroups fit workgroup mode, if the kernel does */
    _Atomic(struct wl_cpu_unit *) workgroup_unit;
    _Atomic(wl_unit_code *)
        workgroup; /* runs whole workgroups, and is workgroup_unit's; NULL: waves run by themselves, until it has been made */
    uint32_t rows, wave_size;
    struct wl_extent whole; /* of a full workgroup */
    bool partial;           /* the last workgroups of a dimension are smaller */
    uint32_t lds_size;
    uint32_t scratch_size;              /* bytes a lane */
    uint32_t sgprs[WL_TEMPLATE_SGPRS];  /* initial, except what differs between workgroups and waves */
    uint32_t sgpr_count;                /* how many of them are initialized, rounded up to 16 */
    uint64_t total;                     /* workgroups of the launch */
    uint64_t chunk;                     /* workgroups that a thread takes at once */
    bool timed;                         /* `busy_ns` is measured in this launch, for the function's `cost` */
    bool in_order;                      /* workgroups may wait for earlier ones */
    struct wl_parts *parts;             /* how they are handed out; NULL: in order, from `next` */
    _Alignas(64) _Atomic uint64_t next; /* the first workgroup that no thread has taken */
    _Alignas(64) _Atomic int status;    /* enum wl_status; the first failure stops the job */
    _Atomic uint64_t busy_ns;
    _Atomic uint64_t splits;         /* workgroups that left workgroup mode */
    _Atomic bool asserted;           /* device code printed a failed assertion */
    _Atomic bool lds_bounds;         /* accesses behind the LDS have been reported */
    struct wl_job_failure *failure;  /* of the first failure; the thread that set `status` writes it to the launching thread's memory */
    struct wl_parked_groups parked;  /* of a job that `may_wait` */
    struct wl_gws *_Atomic gws;      /* NULL until a wave uses it */
    struct wl_san_launch *sanitized; /* NULL: no sanitizer watches it */
    bool counts;                     /* its instructions and accesses are counted (run/counters.h) */
    bool debugged;                   /* a debugger may stop its waves: it runs on one thread */
    const uint64_t *order;           /* NULL: in the order of their numbers. The workgroups to run: of the launch, or random */
    uint64_t random;         /* not 0: the state of the numbers that a random schedule follows from. Such a job runs on one thread */
    bool follows_waves;      /* a sanitizer wants to know what each wave does, in order */
    struct wl_group *groups; /* of a cooperative launch: the places of all its workgroups */
    _Atomic uint64_t groups_done;
    bool clustered;                               /* its workgroups are in clusters (clusters.h) */
    struct wl_resident_cluster *_Atomic clusters; /* of such a job: all places for them */
    struct wl_cluster *resident_clusters;         /* of a cooperative one: all its clusters */
    /* workers.c: */
    void (*body)(void *context); /* not NULL: the job is this function and no launch; of the members above it uses `status` alone */
    void *context;
    uint64_t worker_mask;
    unsigned stand_in;          /* the worker number of the launching thread */
    unsigned limit;             /* most threads that may take part */
    struct wl_job_slot *slot;   /* where others find the job; NULL: nowhere */
    pthread_t launcher;         /* the launching thread */
    _Atomic bool launcher_left; /* it takes no more workgroups: it waits for the other threads */
    atomic_flag cancelling;     /* set by the one thread that makes all others leave a failed job */
};

struct wl_cpu_device {
    struct wl_device base;
    struct wl_pool *pool;
    pthread_mutex_t lock; /* guards the creation of the members below, which are made on first use */
    _Atomic(struct wl_hostcall *) hostcall;
    _Atomic(void *) heap;
    void *queue;                 /* amd_queue_t */
    _Atomic uint32_t stack_size; /* bytes a lane, in kernels with calls */
};

#endif
