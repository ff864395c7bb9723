/* What a device can do: one struct of function pointers, so that a third kind is a new folder and one line in device.c.
 *
 *   device    executes commands. Created once, at the runtime's start.
 *   module    one code object loaded on one device: its image, its variables.
 *   function  one kernel of a module.
 *
 * A device runs a command in the thread that calls it and returns when the command is finished; it spreads a kernel's
 * workgroups over its own workers. Order between commands, streams, events and waiting are runtime/'s business: it calls
 * from one thread per busy stream, so every operation is thread-safe unless it says otherwise. */
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

/* What hipGetDeviceProperties and hipDeviceGetAttribute report, as far as it is the device's to say. */
struct wl_device_info {
    char name[128];
    uint64_t memory_size;        /* bytes */
    uint32_t compute_units;      /* workers */
    uint32_t max_workgroup_size; /* 1024 */
    uint32_t max_grid[3], max_block[3];
    uint32_t lds_size;  /* bytes a workgroup may have: 65536 */
    uint32_t registers; /* per workgroup */
    uint32_t clock_khz, memory_clock_khz, memory_bus_bits, l2_size;
};

/* What the grids of one multi-device cooperative launch share; each device runs one of them. Device code reads and writes
 * `barrier`, which starts as zeros. */
struct wl_multigrid {
    _Alignas(8) uint32_t barrier[2];
    uint32_t grids;
    uint64_t items;      /* work items of all grids */
    _Atomic bool failed; /* a grid failed or will never run: the others stop, with WL_ABORTED, instead of waiting for it */
};

struct wl_launch {
    struct wl_device_function *function;
    uint32_t grid[3];      /* workgroups */
    uint32_t block[3];     /* work items a workgroup */
    uint32_t remainder[3]; /* work items of the last, partial workgroup in each dimension; 0: none is partial */
    uint32_t dynamic_lds;  /* bytes */
    const void *kernarg;   /* the explicit arguments in the kernarg segment's layout; the device adds the hidden ones */
    size_t kernarg_size;
    bool cooperative;               /* all workgroups resident at once; grid-wide barriers work */
    struct wl_multigrid *multigrid; /* not NULL: one grid of several, `cooperative` as well */
    uint32_t grid_index;            /* of them */
    uint64_t items_before;          /* work items of the grids with smaller indices */
    uint64_t worker_mask;           /* bit n: worker n may take part; 0: all */
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
    enum wl_status (*prepare)(struct wl_device_function *function, const uint32_t block[3]);
    /* Runs a grid to its end. WL_ILLEGAL_ADDRESS, WL_ASSERT, WL_ABORTED, ...: the fault was reported once. */
    enum wl_status (*launch)(struct wl_device *device, const struct wl_launch *launch);
    /* Bytes of private memory a lane gets at least in kernels whose need nobody knows (recursion, calls through pointers).
     * WL_INVALID_VALUE: more than the device can give. Launches that are queued may have either limit. */
    enum wl_status (*limit_stack)(struct wl_device *device, size_t bytes);
    /* Workgroups of this size that one compute unit holds at once. */
    uint32_t (*occupancy)(struct wl_device_function *function, uint32_t block_size, size_t dynamic_lds);
};

struct wl_device {
    const struct wl_device_ops *ops;
    unsigned index; /* in the list of all devices */
};

/* Given a faulting address, describes the nearest allocation in `text` ("12 bytes behind a 4096-byte allocation at 0x...").
 * Set by runtime/ at start; devices call it when they report a fault. May be NULL. Must not take locks that a launch holds. */
extern void (*wl_device_describe_address)(uint64_t address, char *text, size_t size);

/* Creates all devices that WAVELIFT_DEVICES asks for. `devices` receives a malloc'ed array, which the caller frees. */
enum wl_status wl_devices_create(struct wl_device ***devices, size_t *count);

#endif
