/* device/: kinds of devices behind one interface, a struct of function pointers.
 *
 *   in    from runtime/: allocations, code objects, and the commands of streams (launches, copies, fills)
 *   out   effects in memory, and a status for each call
 *
 *   device    executes commands. Created once, at the runtime's start: struct wl_device, with its struct wl_device_ops.
 *   module    one code object that is loaded on one device: its image, its variables.
 *   function  one kernel of a module.
 *   launch    one grid of one function: struct wl_launch.
 *
 * The CPU device is in cpu/, NVIDIA's GPUs are in cuda/. A third kind is a new folder, which device.c has to know
 * (docs/adding-a-device.md).
 *
 * There are two ways to execute. A device of the first kind (the CPU) runs a command in the thread that calls it, and returns when
 * the command is finished; it spreads a kernel's workgroups over its own workers. The order of commands, streams, events and
 * waiting are the business of runtime/, which calls from one thread for each busy stream. So every operation is thread-safe unless its
 * comment says otherwise.
 *
 * A device of the second kind (a GPU) has queues of its own: `ops->queues` is not NULL. It is given work in order, with
 *
 *   queue     what a stream's work is given to. It runs the work in that order, at some later time, without the host.
 *   mark      a place in a queue. Others can wait for it, ask whether it was reached, and compare the times of two.
 *
 * For such a device runtime/ gives a command to the queue as soon as the stream's order allows it, and counts the command as finished
 * when it was given (runtime/context.h). */
#ifndef WL_DEVICE_H
#define WL_DEVICE_H

#include "base/status.h"
#include "codeobject/codeobject.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct wl_device;
struct wl_device_module;
struct wl_device_function;
struct wl_device_queue;
struct wl_device_mark;
struct wl_dispatch_packet; /* device/kernarg.h */

/* What hipGetDeviceProperties and hipDeviceGetAttribute report, as far as it is the device's to say. */
struct wl_device_info {
    char name[128];
    uint64_t memory_size;        /* bytes */
    uint64_t host_memory;        /* bytes of the host's memory, if the device's is of it and shared with all others of that kind; else 0 */
    uint32_t compute_units;      /* workers */
    uint32_t max_workgroup_size; /* 1024 */
    uint32_t max_grid[3], max_block[3]; /* workgroups, work items in a workgroup */
    bool any_grid;      /* launches may have more workgroups than max_grid tells: up to 2^32 - 1 work items in each dimension */
    uint32_t lds_size;  /* bytes a workgroup may have ... */
    bool lds_by_code;   /* ... but no more than a processor that code is for has (wl_module_lds) */
    uint32_t registers; /* per workgroup */
    uint32_t clock_khz, memory_clock_khz, memory_bus_bits, l2_size;
    int32_t pci_domain, pci_bus, pci_device;
    uint8_t uuid[16]; /* 16 hexadecimal digits, as AMD's runtime tells them; of an NVIDIA GPU the driver's bytes */
    /* What devices of their own have to say; 0: nothing, and the architecture that is shown decides. */
    uint32_t lds_per_unit, registers_per_unit, items_per_unit, groups_per_unit; /* of a compute unit */
    uint32_t compute_major, compute_minor;                                      /* compute capability of an NVIDIA GPU */
    uint32_t copy_engines, double_ratio;                                        /* f32 throughput / f64 throughput */
    bool discrete; /* memory of its own, which the host does not reach; the flags below count only then */
    bool managed, concurrent_managed, pageable_access, host_page_tables, direct_managed, host_atomics, cooperative, ecc, display;
};

/* What the grids of one multi-device cooperative launch share; each device runs one of them. Device code reads and writes the two
 * words `barrier`, which start as zeros and which all of the devices reach. */
struct wl_multigrid {
    void *barrier;
    uint32_t grids;
    uint64_t items;      /* work items of all grids */
    _Atomic bool failed; /* a grid failed or will never run: the others stop, with WL_ABORTED, instead of waiting for it */
};

/* What a device says of a launch that is over, to whoever records it. */
struct wl_launch_outcome {
    bool threaded;            /* there was no native code, even at the end */
    uint32_t threads;         /* of the host that took part, at most */
    uint64_t busy;            /* nanoseconds that they were at it, all together; 0: not measured */
    struct wl_counts *counts; /* the caller's: where what is counted of the launch is added; NULL: nobody asks (machine/counters.h) */
};

struct wl_launch {
    struct wl_device_function *function;
    uint32_t grid[3];      /* workgroups */
    uint32_t block[3];     /* work items a workgroup */
    uint32_t cluster[3];   /* workgroups of a cluster, at most WL_CLUSTER_WORKGROUPS; zeros or ones: none. The grid has a
                            * whole number of them */
    uint32_t remainder[3]; /* work items of the last, partial workgroup in each dimension; 0: none is partial */
    uint32_t dynamic_lds;  /* bytes */
    /* The explicit arguments in the kernarg segment's layout; the device adds the hidden ones, unless `packet` is set. */
    const void *kernarg;
    size_t kernarg_size;
    /* Not NULL: the program wrote this dispatch packet itself (HSA's), and all of the kernarg segment, which the kernel finds where the packet
     * says; `kernarg` is the same, or a copy that the host can read. Its queue is what the kernel finds as its own. */
    const struct wl_dispatch_packet *packet;
    void *queue;
    bool batched;                   /* a launch before, of the same stream, began after this one was queued: whatever the program
                                     * did before it queued this one was seen then */
    bool alone;                     /* by the calling thread, without others */
    bool cooperative;               /* all workgroups resident at once; grid-wide barriers work */
    const uint64_t *order;          /* not NULL: these workgroups alone, by their numbers in the grid, in this order. On CPU devices, and */
    uint64_t order_count;           /* not of cooperative launches or those with clusters */
    struct wl_multigrid *multigrid; /* not NULL: one grid of several, `cooperative` as well */
    uint32_t grid_index;            /* of them */
    uint64_t items_before;          /* work items of the grids with smaller indices */
    uint64_t worker_mask;           /* bit n: worker n may take part; 0: all */
    struct wl_launch_outcome *outcome; /* not NULL: filled in if the device knows, when a launch of the first kind ends */
};

/* A copy between any two kinds of memory: `rows` rows of `width` bytes. */
struct wl_rows {
    void *target;
    const void *source;
    size_t width, rows, target_pitch, source_pitch; /* bytes */
};

enum wl_value_operation { WL_VALUE_GEQ, WL_VALUE_EQ, WL_VALUE_AND, WL_VALUE_NOR, WL_VALUE_WRITE, WL_VALUE_BARRIER };

/* The queues of a device that works by itself. All calls return at once unless they say otherwise; what fails later is found by
 * whoever waits next, as the status of the fault. Thread-safe, but of one queue only one thread at a time gives work to it. */
struct wl_queue_ops {
    /* `legacy`: the null stream's: in order with all queues that are not `non_blocking`. `priority`: -1 (high), 0, 1. */
    enum wl_status (*create)(struct wl_device *device, bool legacy, bool non_blocking, int priority, struct wl_device_queue **queue);
    void (*destroy)(struct wl_device_queue *queue); /* what was given to it is still done */
    enum wl_status (*copy)(struct wl_device_queue *queue, const struct wl_rows *rows);
    enum wl_status (*fill)(struct wl_device_queue *queue, void *target, uint32_t pattern, unsigned pattern_size, size_t count);
    enum wl_status (*launch)(struct wl_device_queue *queue, const struct wl_launch *launch); /* kernarg is read before it returns */
    /* Waits for, or writes, a word of device memory; waits look at the bits of `mask` alone. */
    enum wl_status (*value)(struct wl_device_queue *queue, enum wl_value_operation operation, void *address, unsigned size, uint64_t value,
                            uint64_t mask);
    /* Moves managed memory to `device`, or to the host with NULL. */
    enum wl_status (*prefetch)(struct wl_device_queue *queue, const void *memory, size_t size, const struct wl_device *device);
    enum wl_status (*query)(struct wl_device_queue *queue);       /* WL_OK: nothing is left to do, WL_NOT_READY, or a fault */
    enum wl_status (*synchronize)(struct wl_device_queue *queue); /* waits for what was given to it, and for what that waits for */

    enum wl_status (*mark_create)(struct wl_device *device, bool timing, struct wl_device_mark **mark);
    void (*mark_destroy)(struct wl_device_mark *mark);
    enum wl_status (*mark_place)(struct wl_device_mark *mark, struct wl_device_queue *queue);
    /* What is given to `queue`, of any device with queues, from now on runs behind the place. */
    enum wl_status (*mark_wait)(struct wl_device_mark *mark, struct wl_device_queue *queue);
    enum wl_status (*mark_query)(struct wl_device_mark *mark);
    enum wl_status (*mark_synchronize)(struct wl_device_mark *mark);
    /* WL_NOT_READY if one is not reached; WL_INVALID_VALUE for marks without timing or of different devices. */
    enum wl_status (*mark_elapsed)(struct wl_device_mark *start, struct wl_device_mark *stop, double *milliseconds);
};

/* What a device's objects are to its driver, for programs that use the driver as well; and objects for what such a program made.
 * What was adopted stays the program's, which keeps it alive as long as the object. Thread-safe. */
struct wl_native_ops {
    void *(*context)(const struct wl_device *device);
    void *(*queue)(const struct wl_device_queue *queue);
    void *(*mark)(const struct wl_device_mark *mark);
    void *(*module)(const struct wl_device_module *module);       /* NULL: a code object, of which the driver has no module */
    void *(*function)(const struct wl_device_function *function); /* NULL: a code object's, of which it has one for each shape */
    /* WL_NOT_FOUND: it is of another device. `non_blocking` as for wl_queue_ops.create. */
    enum wl_status (*adopt_queue)(struct wl_device *device, void *native, bool *non_blocking, struct wl_device_queue **queue);
    enum wl_status (*adopt_mark)(struct wl_device *device, void *native, struct wl_device_mark **mark);
    enum wl_status (*adopt_module)(struct wl_device *device, void *native, struct wl_device_module **module);
};

/* What can be said about managed memory. */
enum wl_advice { WL_ADVICE_READ_MOSTLY, WL_ADVICE_PREFERRED, WL_ADVICE_ACCESSED_BY, WL_ADVICE_COARSE_GRAIN, WL_ADVICE_PREFETCHED };

/* Memory that is not the device's own, for devices that do not reach the host's as it is. */
#define WL_HOST_WRITE_COMBINED 1u
#define WL_HOST_READ_ONLY      2u
#define WL_HOST_IO             4u
struct wl_host_memory_ops {
    enum wl_status (*allocate)(struct wl_device *device, void **memory, size_t size, unsigned flags); /* reached by all devices */
    /* `size`: as it was allocated, where the device may keep the memory for the next allocation; 0: it may not. No device uses it any more. */
    void (*release)(struct wl_device *device, void *memory, size_t size);
    /* Pages of the program or the runtime; devices and host use the same address. WL_ILLEGAL_STATE: they are known already. */
    enum wl_status (*enroll)(struct wl_device *device, void *memory, size_t size, unsigned flags);
    void (*withdraw)(struct wl_device *device, void *memory);
    enum wl_status (*managed_allocate)(struct wl_device *device, void **memory, size_t size);
    void (*managed_release)(struct wl_device *device, void *memory);
    /* `location` is a device of the same kind, NULL: the host. Advice that the device does not know does nothing. */
    enum wl_status (*managed_advise)(struct wl_device *device, const void *memory, size_t size, enum wl_advice advice,
                                     const struct wl_device *location, bool on);
    bool (*peer_possible)(const struct wl_device *device, const struct wl_device *peer);
    /* Lets `device` read and write the memory of `peer` from now on. */
    enum wl_status (*peer_access)(struct wl_device *device, struct wl_device *peer);
    /* Device memory between processes: a handle of WL_SHARED_HANDLE bytes for the allocation that begins at `memory`. */
    enum wl_status (*share)(struct wl_device *device, const void *memory, void *handle);
    /* WL_INVALID_VALUE: not a handle; WL_ILLEGAL_STATE: it is of this process, or open already; else as WL_NOT_FOUND. */
    enum wl_status (*shared_open)(struct wl_device *device, const void *handle, void **memory, size_t *size);
    void (*shared_close)(struct wl_device *device, void *memory);
};
#define WL_SHARED_HANDLE 64

/* Memory without addresses and addresses without memory (hipMemCreate and its kin), for devices whose memory is not the host's. Sizes
 * and addresses are multiples of the granularity, handles the device's own. */
struct wl_virtual_ops {
    size_t (*granularity)(struct wl_device *device, bool recommended);
    enum wl_status (*create)(struct wl_device *device, size_t size, bool exportable, uint64_t *memory);
    void (*release)(struct wl_device *device, uint64_t memory);
    enum wl_status (*export_file)(struct wl_device *device, uint64_t memory, int *file); /* the caller's */
    /* The descriptor stays the caller's. WL_INVALID_VALUE: it is not such memory's. */
    enum wl_status (*import_file)(struct wl_device *device, int file, uint64_t *memory);
    enum wl_status (*reserve)(struct wl_device *device, size_t size, size_t alignment, void *hint, void **address);
    enum wl_status (*unreserve)(struct wl_device *device, void *address, size_t size);
    enum wl_status (*map)(struct wl_device *device, void *address, size_t size, uint64_t memory);
    enum wl_status (*unmap)(struct wl_device *device, void *address, size_t size);
    /* What `device` may do with a whole mapping of its own or another device's memory. */
    enum wl_status (*protect)(struct wl_device *device, void *address, size_t size, bool readable, bool writable);
};

/* Pools whose memory other processes can use, on devices whose memory is not the host's. Pools are the device's own handles. */
struct wl_pool_ops {
    enum wl_status (*create)(struct wl_device *device, uint64_t max_size, uint64_t *pool); /* max_size 0: no limit */
    void (*destroy)(struct wl_device *device, uint64_t pool);
    enum wl_status (*export_file)(struct wl_device *device, uint64_t pool, int *file); /* the caller's */
    /* The descriptor stays the caller's. WL_INVALID_VALUE: not a pool's. */
    enum wl_status (*import_file)(struct wl_device *device, int file, uint64_t *pool);
    /* Memory that is there when the call returns, and that nothing uses any more when it is released, also what was imported. */
    enum wl_status (*allocate)(struct wl_device *device, uint64_t pool, size_t size, void **memory);
    void (*release)(struct wl_device *device, void *memory);
    /* An allocation as WL_SHARED_HANDLE bytes, for processes that have imported the pool. */
    enum wl_status (*export_memory)(struct wl_device *device, const void *memory, void *data);
    enum wl_status (*import_memory)(struct wl_device *device, uint64_t pool, const void *data, void **memory, size_t *size);
};

/* Memory of other interfaces, on devices whose memory is not the host's. Such memory is the device's own handle. */
struct wl_external_ops {
    /* An opaque descriptor of `size` bytes, which is the device's if this succeeds. WL_INVALID_VALUE: it is not such memory's. */
    enum wl_status (*import_file)(struct wl_device *device, int file, uint64_t size, bool dedicated, uint64_t *memory);
    void (*destroy)(struct wl_device *device, uint64_t memory); /* what is mapped stays */
    /* A part of it as device memory, which wl_device_ops.release takes back. */
    enum wl_status (*map)(struct wl_device *device, uint64_t memory, uint64_t offset, uint64_t size, void **address);
};

/* Options of a compilation at load time: pairs of an option's number and its value, as hipModuleLoadDataEx has them. */
struct wl_jit {
    unsigned count;
    const int *options;
    void **values;
};

/* Images in the device's own formats. Kernels are described as those of code objects are; a description lives as long as its
 * module and is the same at each call. */
struct wl_image_ops {
    /* `size` is the image's. With `jit` logs come back as its options say. WL_INVALID_IMAGE, WL_NO_BINARY. */
    enum wl_status (*load)(struct wl_device *device, const void *image, size_t size, const struct wl_jit *jit,
                           struct wl_device_module **module);
    /* WL_NOT_FOUND. */
    enum wl_status (*kernel)(struct wl_device_module *module, const char *name, const struct wl_kernel **kernel);
    enum wl_status (*variable)(struct wl_device_module *module, const char *name, void **address, size_t *size);
    size_t (*kernel_count)(struct wl_device_module *module);
    const char *(*kernel_name)(struct wl_device_module *module, size_t index); /* in the order of names */
};

/* What hipFuncGetAttributes reports beside a kernel's description, where the device knows better than the description. */
struct wl_function_info {
    uint32_t registers, local_size, constant_size, ptx_version, binary_version, max_threads;
};

struct wl_device_ops {
    const char *kind; /* "cpu", "cuda" */
    void (*info)(struct wl_device *device, struct wl_device_info *info);
    void (*destroy)(struct wl_device *device);

    /* Memory. `alignment` is a power of two, at least 1. Device memory of a CPU device is host memory. */
    enum wl_status (*allocate)(struct wl_device *device, void **memory, size_t size, size_t alignment);
    void (*release)(struct wl_device *device, void *memory, size_t size);
    enum wl_status (*copy)(struct wl_device *device, void *target, const void *source, size_t size);
    enum wl_status (*fill)(struct wl_device *device, void *target, uint32_t pattern, unsigned pattern_size /* 1, 2, 4 */, size_t count);

    /* Modules. The object must outlive the module. `managed` gives, for a managed variable's name, the memory to use. */
    enum wl_status (*module_load)(struct wl_device *device, struct wl_codeobject *object, struct wl_device_module **module);
    void (*module_unload)(struct wl_device_module *module);                             /* no kernel of it may be running */
    void *(*module_address)(struct wl_device_module *module, uint64_t virtual_address); /* of a variable */
    enum wl_status (*module_function)(struct wl_device_module *module, const struct wl_kernel *kernel,
                                      struct wl_device_function **function);

    /* Makes the kernel ready to run with this shape of workgroup: translates or takes native code from the cache.
     * Called before each launch is queued, so that its error is the launch's. Cheap when ready. */
    enum wl_status (*prepare)(struct wl_device_function *function, const uint32_t block[3], const uint32_t remainder[3]);
    /* Runs a grid to its end. Its shape and its LDS are possible: the caller has looked (runtime/launch.c). WL_ILLEGAL_ADDRESS, WL_ASSERT,
     * WL_ABORTED, ...: the fault was reported once. */
    enum wl_status (*launch)(struct wl_device *device, const struct wl_launch *launch);
    /* Nanoseconds that the launch would take on one thread, after the launches before; 0: not known. NULL: never known. */
    uint64_t (*estimate)(const struct wl_launch *launch);
    /* Whether its workgroups may wait for what another kernel does, so that it must not keep that one from running. NULL: any may. */
    bool (*may_poll)(const struct wl_launch *launch);
    /* Whether a debugger has breakpoints in the function's module. NULL: never. Asked if there is a debugger (device/debugger.h). */
    bool (*stops)(const struct wl_device_function *function);
    /* Calls body(context) in the calling thread and, at the same time, in up to `threads` - 1 others, as many as are free; returns when
     * all have returned. Launches within are made with `alone`. NULL: there are no threads to lend. */
    void (*together)(struct wl_device *device, unsigned threads, uint64_t worker_mask, void (*body)(void *context), void *context);
    /* Bytes of private memory a lane gets at least in kernels whose need nobody knows (recursion, calls through pointers).
     * WL_INVALID_VALUE: more than the device can give. Launches that are queued may have either limit. */
    enum wl_status (*limit_stack)(struct wl_device *device, size_t bytes);
    /* The process is about to end and launches no more; all launches are done. May be called more than once; NULL: nothing to do. */
    void (*finish)(struct wl_device *device);
    /* Workgroups of this size that one compute unit holds at once. */
    uint32_t (*occupancy)(struct wl_device_function *function, uint32_t block_size, size_t dynamic_lds);

    /* NULL on devices that need none of it. */
    const struct wl_queue_ops *queues;
    const struct wl_host_memory_ops *host;
    const struct wl_image_ops *images;
    const struct wl_virtual_ops *virtual_memory;
    const struct wl_pool_ops *pools;
    const struct wl_external_ops *external;
    const struct wl_native_ops *native;
    enum wl_status (*synchronize)(struct wl_device *device); /* waits for all queues; returns the device's fault */
    /* Makes the device usable again after a fault: all its memory, queues' work, marks and modules are gone. One thread at a time. */
    enum wl_status (*reset)(struct wl_device *device);
    /* Memory of the device that the program got elsewhere (from the driver): its begin and size. False: not the device's. */
    bool (*find)(struct wl_device *device, const void *address, void **begin, size_t *size);
    /* What the device's driver, or where its memory is the host's the system, can still give. NULL: it is not known. */
    void (*memory_info)(struct wl_device *device, uint64_t *free, uint64_t *total);
    bool (*function_info)(struct wl_device_function *function, struct wl_function_info *info); /* false: not prepared */
};

struct wl_device {
    const struct wl_device_ops *ops;
    unsigned index; /* in the list of all devices of the machine, the hidden ones too: the same in every process */
};

/* Given a faulting address, describes the nearest allocation in `text` ("12 bytes behind a 4096-byte allocation at 0x...").
 * Set by runtime/ at start; devices call it when they report a fault. May be NULL. Must not take locks that a launch holds. */
extern void (*wl_device_describe_address)(uint64_t address, char *text, size_t size);

#define WL_MAX_DEVICES 64 /* sets of devices are words of 64 bits */

/* Called by devices whose memory is the host's with what device code allocated, or with a negative number freed. Set by runtime/ at
 * start; may be NULL. */
extern void (*wl_device_count_memory)(struct wl_device *device, int64_t bytes);

/* Creates all devices that WAVELIFT_DEVICES asks for, in its order; by default all GPUs and one CPU device behind them. GPUs that
 * cannot be used are left out, with the reason in the log. Of these, those stay that AMD's variables leave visible (visible.h); they
 * keep the `index` that they have among all. WL_NOT_FOUND: nothing is left. `devices` receives a malloc'ed array,
 * which the caller frees. */
enum wl_status wl_devices_create(struct wl_device ***devices, size_t *count);

#endif
