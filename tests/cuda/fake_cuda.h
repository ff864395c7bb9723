/* A CUDA driver for tests without a GPU, as a shared object (WAVELIFT_CUDA_LIBRARY). It does in host memory what a driver does: device
 * memory that the host cannot touch, streams whose work is done later by another thread, events, modules of a small PTX subset.
 * Kernels are C functions that the test registers by name.
 *
 *   memory.c   device memory: addresses without access, whose contents lie at other addresses (fake_at); pinned, managed
 *   virtual.c  memory without addresses, addresses without memory
 *   external.c memory of another interface
 *   stream.c   streams, events, and the thread that does their work
 *   module.c   PTX, "cubins" (PTX with a mark), functions, launches
 *   driver.c   devices, contexts, errors, and control by the test
 *
 * A test opens the same file with RTLD_NOLOAD and takes `fake_control`. All calls of the driver may be made to fail. */
#ifndef WL_TEST_FAKE_CUDA_H
#define WL_TEST_FAKE_CUDA_H

#include "device/cuda/driver.h"

#include <stdatomic.h>

/* A launch as a kernel's C function sees it. */
struct fake_launch {
    const char *kernel; /* PTX: the entry's name; a translated kernel: the kernel's */
    unsigned grid[3], block[3], shared;
    bool cooperative;
    int device;
    unsigned count;        /* parameters */
    const void *values[8]; /* copies of them */
    size_t sizes[8];
    unsigned char bytes[4608]; /* where the copies lie, in the layout of the parameter space */
};
typedef CUresult fake_kernel(const struct fake_launch *launch);

struct fake_control {
    /* The next `count` calls of a function fail, after `skip` that do not; name "*": of any function that the device path calls. */
    void (*fail_next)(const char *function, CUresult result, unsigned skip, unsigned count);
    unsigned long (*calls)(const char *function);
    void (*kernel)(const char *name, fake_kernel *run);
    void *(*at)(const void *device); /* the contents of device memory; other addresses as they are */
    bool (*reaches)(int device,
                    const void *memory); /* whether kernels of a GPU may touch such memory: their own GPU's, a peer's, the host's */
    void (*elsewhere)(bool on);          /* while on, memory is opened at addresses of another process's */
    void (*hold)(bool on);               /* while on, no stream does any work */
    long (*memory)(void);                /* bytes of device memory in use */
    void (*last_launch)(struct fake_launch *launch);
    unsigned long (*launches)(void);
    /* Memory of another interface: a descriptor for the driver, the caller's, and a file with the contents, the fake's. */
    int (*external)(size_t size, int *file);
};
extern const struct fake_control fake_control;

/* ---- between the files of the fake ------------------------------------------------------------- */

/* Counts the call and returns from it as the test wants. */
#define FAKE_ENTER()                                                                                                                       \
    do {                                                                                                                                   \
        CUresult wanted_ = fake_enter(__func__);                                                                                           \
        if (wanted_ != CUDA_SUCCESS)                                                                                                       \
            return wanted_;                                                                                                                \
    } while (0)
#define FAKE_REQUIRE(condition, result)                                                                                                    \
    do {                                                                                                                                   \
        if (!(condition))                                                                                                                  \
            return (result);                                                                                                               \
    } while (0)

CUresult fake_enter(const char *function);
/* The calling thread's. */
CUcontext fake_context(void);
int fake_device(void); /* the context's */
/* The sticky error that a kernel left. */
CUresult fake_fault(void);
void fake_set_fault(CUresult fault);

enum fake_kind { FAKE_UNKNOWN, FAKE_DEVICE, FAKE_PINNED, FAKE_MANAGED };
/* What is at [address, address + size); a range that leaves a device allocation is not found. */
bool fake_find(uint64_t address, size_t size, enum fake_kind *kind);
void *fake_at(uint64_t address);
int fake_owner(uint64_t address); /* the GPU that allocated it; -1: none */
long fake_memory_used(void);
void fake_elsewhere(bool on);
int fake_external(size_t size, int *file);
/* For virtual.c: addresses of the device that nothing else gets (0: none are left), the contents of a part of them by a file (-1: nobody's
 * any more), and whether the device may touch it. */
uint64_t fake_addresses(size_t size);
bool fake_back(uint64_t address, size_t size, int file);
void fake_allow(uint64_t address, size_t size, bool allowed);

/* One piece of a stream's work. */
struct fake_work {
    struct fake_work *next;
    uint64_t number;                             /* in the order of all calls */
    bool (*ready)(const struct fake_work *work); /* NULL: at once */
    CUresult (*run)(struct fake_work *work);
    /* Of whoever made it: */
    uint64_t a, b, value;
    size_t size;
    unsigned flags;
    CUevent event;
    CUstream stream;
    struct fake_launch *launch;
};
struct fake_work *fake_work(CUresult (*run)(struct fake_work *));
/* Takes the work over. */
CUresult fake_give(CUstream stream, struct fake_work *work);
/* Waits until everything given to a stream so far is done; NULL: to all. */
void fake_wait(CUstream stream);
void fake_hold(bool on);

extern const struct fake_control *fake_module_control(void);
fake_kernel *fake_find_kernel(const char *name);
void fake_register_kernel(const char *name, fake_kernel *run);
void fake_last_launch(struct fake_launch *launch);
unsigned long fake_launches(void);

#endif
