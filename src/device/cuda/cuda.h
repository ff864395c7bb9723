/* device/cuda/: NVIDIA GPUs, through the CUDA driver's API.
 *
 *   in    what struct wl_device_ops and struct wl_queue_ops take (device/device.h); PTX from the translator
 *   out   calls of the driver; errors as wl_status values
 *
 *   driver.h/.c  the driver's functions and errors
 *   device.c     devices: creation, properties, the table of operations
 *   memory.c     device memory, pinned and managed memory, peers, memory of other processes
 *   virtual.c    virtual memory management
 *   pool.c       pools that are shared with other processes
 *   external.c   memory of other interfaces
 *   native.c     the driver's handles of all this, and objects for handles that the program made
 *   queue.c      queues and marks: CUstream and CUevent
 *   wait.c       waits for parts of words, which the driver's stream memory operations do not know
 *   module.c     AMD code objects on a device: image, kernels
 *   kernel.c     a kernel of a code object -> PTX -> cubin -> CUfunction: translator, cache on disk, the driver's compiler
 *   image.c      PTX, cubin and CUDA fat binaries as they are
 *   launch.c     parameters of a launch
 *   borders.c    the border colours of textures
 *   services.c   printf, assert and malloc of device code: hostcall
 *   print.c      printf through a buffer
 *
 * How the structures nest:
 *
 *   wl_cuda_device ── the GPU's primary context, which programs that use the driver as well share
 *     ├ wl_device_queue               a CUstream
 *     ├ wl_device_mark                a CUevent
 *     └ wl_device_module              a code object (its image in device memory), or an image of the driver's
 *         └ wl_device_function        one kernel
 *             └ wl_cuda_variant       a code object's kernel, compiled for one shape of workgroups
 *
 * Locks, in the order in which they may be taken: wl_device_module.lock, wl_cuda_device.lock. Neither is held while the device
 * works. Every function that calls the driver begins with wl_cuda_enter. */
#ifndef WL_DEVICE_CUDA_H
#define WL_DEVICE_CUDA_H

#include "device/cuda/driver.h"
#include "device/device.h"
#include "translate/interface/translate.h"

#include <pthread.h>
#include <stdatomic.h>

/* ---- devices ----------------------------------------------------------------------------------- */

struct wl_cuda_block; /* memory.c: memory that begins elsewhere than the driver's allocation */
struct wl_cuda_ring;  /* launch.c */
struct wl_cuda_services;
struct wl_cuda_print;

struct wl_cuda_device;

struct wl_device_queue {
    struct wl_cuda_device *device;
    CUstream stream;
    bool adopted; /* the program made it (CUDA interoperation): Wavelift never destroys it, and it ends with a reset of the device */
    bool non_blocking;
    int priority;
    uint32_t generation;
};

#define WL_CUDA_RECENT 8

/* Pinned memory that was freed, and waits for the next allocation of its size. */
struct wl_cuda_spare {
    void *memory;
    size_t size;
};
enum { WL_CUDA_SPARES = 64, WL_CUDA_SPARE_SIZE = 64 << 10 }; /* of a device; bytes of the largest */

struct wl_cuda_device {
    struct wl_device base;
    const struct wl_cuda_driver *driver;
    CUdevice handle;
    CUcontext context;
    uint32_t sm;                 /* compute capability, without its point: 90 */
    uint32_t shared_limit;       /* bytes of shared memory that a block can have at most */
    _Atomic uint32_t stack_size; /* bytes a lane where calls make the need unknown */
    struct wl_device_queue work; /* the device's own stream, for copies that belong to none of the program's */
    _Atomic uint32_t generation; /* counts resets of the device: objects of an earlier generation are not there any more */
    _Atomic int fault;           /* enum wl_status; stays until a reset, because the driver's context can do nothing more */
    /* The latest launches, for the report of a fault: launch number n stands in place n % WL_CUDA_RECENT. `launches` were made, of which the
     * first `settled` are known to have ended without a fault. */
    _Atomic uint64_t launches, settled;
    _Atomic(const struct wl_device_function *) recent[WL_CUDA_RECENT];
    _Atomic(struct wl_cuda_services *) services; /* NULL: no kernel needed them yet */
    void *heap;                                  /* device memory: the device library's allocator; NULL: not made yet */
    CUdeviceptr borders;                         /* WL_PTX_BORDERS_SIZE bytes of device memory; 0: not made yet */
    _Atomic uint32_t border_count;               /* the number of border colours in `borders`, plus 1; 0: `borders` has not been made yet */
    CUmodule wait_module;                        /* wait.c; NULL: not made yet */
    CUfunction wait_function;
    pthread_mutex_t services_lock; /* guards the creation of the members from `services` on; taken before all other locks */
    pthread_mutex_t lock;          /* guards what follows */
    struct wl_cuda_block *blocks;
    struct wl_cuda_spare spares[WL_CUDA_SPARES];
    unsigned spare_count;
    struct wl_device_mark *marks; /* a list of free ones */
    struct wl_cuda_ring *ring;    /* device memory of launches; NULL: not made yet */
    pthread_mutex_t print_lock;   /* guards what follows; threads of the driver take it */
    struct wl_cuda_print *prints; /* a list of free ones */
    _Atomic uint32_t print_count; /* free or not */
};

static inline struct wl_cuda_device *wl_cuda(const struct wl_device *device) { return (struct wl_cuda_device *)(uintptr_t)device; }

/* Makes the device's context the current one of the calling thread. WL_ILLEGAL_STATE: the process is a child of fork. */
enum wl_status wl_cuda_enter(const struct wl_cuda_device *device);
/* Whether a status means that the context can do nothing any more. */
bool wl_cuda_is_fault(enum wl_status status);
/* To be called with the result of a driver call that may report the fault of an earlier kernel. The first fault is remembered, and reported
 * in one sentence. Returns the status as wl_cuda_check does. */
enum wl_status wl_cuda_result(struct wl_cuda_device *device, CUresult result, const char *what);

/* ---- modules ----------------------------------------------------------------------------------- */

struct wl_device_module {
    struct wl_cuda_device *device;
    uint32_t generation;
    struct wl_codeobject *object; /* NULL: an image for NVIDIA GPUs (PTX, cubin or fat binary), which the driver loads */
    const struct wl_target *target;
    uint64_t hash[2];
    CUdeviceptr image; /* of the code object, in device memory */
    uint64_t image_size;
    uint64_t *functions; /* addresses of the entries of device functions, sorted */
    size_t function_count;
    CUmodule native;    /* of an image for NVIDIA GPUs */
    bool adopted;       /* the program loaded it: Wavelift never unloads it */
    const char **names; /* of its kernels, sorted; NULL: not asked yet */
    size_t name_count;
    pthread_mutex_t lock; /* guards the list, the variants and `names` */
    struct wl_device_function *kernels;
};

/* ---- functions --------------------------------------------------------------------------------- */

#define WL_CUDA_SHAPES 8 /* as many shapes of workgroups get code of their own; all others share code that fits any shape */

struct wl_cuda_variant {
    uint32_t block[3]; /* {0, 0, 0}: any */
    bool partial;
    uint32_t stack; /* bytes a lane that it was compiled for, where the need is unknown; else 0 */
    CUmodule module;
    CUfunction function;
    struct wl_ptx_info info;
    uint32_t shared_given; /* bytes of dynamic shared memory that the driver was told to allow */
    enum wl_status failed; /* it could not be made, and is not tried again */
    char *failure;
    struct wl_cuda_variant *next;
};

struct wl_device_function {
    struct wl_device_module *module;
    const struct wl_kernel *kernel; /* of an image for NVIDIA GPUs: &own */
    struct wl_kernel own;
    CUfunction native;                                           /* of an image for NVIDIA GPUs */
    uint32_t shared_given;                                       /* as in struct wl_cuda_variant */
    bool uses_hostcall, uses_heap, uses_sync, uses_print_buffer; /* what its hidden arguments ask for */
    _Atomic(struct wl_cuda_variant *) variants;                  /* newest first; entries stay until the module goes */
    unsigned variant_count;
    struct wl_device_function *next;
};

/* The variant for a shape, made at the first call. Cheap when it is there. An error that is not the device's fault stays. Thread-safe. */
enum wl_status wl_cuda_variant(struct wl_device_function *function, const uint32_t block[3], bool partial,
                               struct wl_cuda_variant **variant);
/* Frees all variants. `loaded`: the driver still has their modules, which are unloaded. */
void wl_cuda_variants_release(struct wl_device_function *function, bool loaded);

/* Compiles PTX to a cubin with the driver's compiler; the log goes to Wavelift's. *cubin is malloc'ed. */
enum wl_status wl_cuda_compile(const struct wl_cuda_device *device, const char *name, const char *ptx, size_t size, void **cubin,
                               size_t *cubin_size);
/* Tells the driver to allow a function `bytes` of dynamic shared memory, if that is more than *given, what it was told before. */
enum wl_status wl_cuda_allow_shared(const struct wl_cuda_device *device, CUfunction function, uint32_t bytes, uint32_t *given);

/* ---- queues ------------------------------------------------------------------------------------ */

struct wl_device_mark {
    struct wl_cuda_device *device;
    CUevent event;
    uint32_t generation;
    bool timing;
    bool adopted; /* the program made it: it is not kept for another use */
    struct wl_device_mark *next;
};

/* ---- the operations, for the table in device.c ---------------------------------------------------- */

extern const struct wl_queue_ops wl_cuda_queue_ops;
extern const struct wl_native_ops wl_cuda_native_ops;
extern const struct wl_host_memory_ops wl_cuda_host_ops;
extern const struct wl_image_ops wl_cuda_image_ops;
extern const struct wl_virtual_ops wl_cuda_virtual_ops;
extern const struct wl_pool_ops wl_cuda_pool_ops;
extern const struct wl_external_ops wl_cuda_external_ops;

enum wl_status wl_cuda_allocate(struct wl_device *device, void **memory, size_t size, size_t alignment);
void wl_cuda_release(struct wl_device *device, void *memory, size_t size);
enum wl_status wl_cuda_copy(struct wl_device *device, void *target, const void *source, size_t size);
enum wl_status wl_cuda_fill(struct wl_device *device, void *target, uint32_t pattern, unsigned pattern_size, size_t count);
bool wl_cuda_find(struct wl_device *device, const void *address, void **begin, size_t *size);
void wl_cuda_memory_info(struct wl_device *device, uint64_t *free, uint64_t *total);

enum wl_status wl_cuda_module_load(struct wl_device *device, struct wl_codeobject *object, struct wl_device_module **module);
void wl_cuda_module_unload(struct wl_device_module *module);
void *wl_cuda_module_address(struct wl_device_module *module, uint64_t virtual_address);
enum wl_status wl_cuda_module_function(struct wl_device_module *module, const struct wl_kernel *kernel,
                                       struct wl_device_function **function);
enum wl_status wl_cuda_prepare(struct wl_device_function *function, const uint32_t block[3], const uint32_t remainder[3]);
bool wl_cuda_function_info(struct wl_device_function *function, struct wl_function_info *info);
uint32_t wl_cuda_occupancy(struct wl_device_function *function, uint32_t block_size, size_t dynamic_lds);

void wl_cuda_ring_release(struct wl_cuda_device *device);
void wl_cuda_ring_forget(struct wl_cuda_device *device);
/* The memory for wl_ptx_launch.borders, with all colours that samplers have by now. Thread-safe. */
enum wl_status wl_cuda_borders(struct wl_cuda_device *device, uint64_t *borders);
/* After a reset: that memory is not there any more. */
void wl_cuda_borders_forget(struct wl_cuda_device *device);
/* Lets a stream wait until a word, of which `mask` counts, compares with a value. `size` is 4 or 8. */
enum wl_status wl_cuda_wait(struct wl_cuda_device *device, CUstream stream, enum wl_value_operation operation, const void *address,
                            unsigned size, uint64_t value, uint64_t mask);
/* After a reset: the kernel that waits is not loaded any more. */
void wl_cuda_wait_forget(struct wl_cuda_device *device);
/* Queues a launch in a stream. */
enum wl_status wl_cuda_launch(struct wl_cuda_device *device, CUstream stream, const struct wl_launch *launch);

#endif
