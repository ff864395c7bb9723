/* Devices, contexts, errors, and what the test controls. */
#include "fake_cuda.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_DEVICES 8

/* ---- control -------------------------------------------------------------------------------------- */

static struct {
    pthread_mutex_t lock;
    char function[64]; /* "": none fails */
    CUresult result;
    unsigned skip, count;
    struct {
        char name[64];
        unsigned long calls;
    } counted[128];
} control = {.lock = PTHREAD_MUTEX_INITIALIZER};

static atomic_int fault;

CUresult fake_fault(void) { return (CUresult)atomic_load(&fault); }
void fake_set_fault(CUresult result) { atomic_compare_exchange_strong(&fault, &(int){CUDA_SUCCESS}, (int)result); }

CUresult fake_enter(const char *function) {
    CUresult result = CUDA_SUCCESS;
    pthread_mutex_lock(&control.lock);
    unsigned i = 0;
    while (i < 127 && control.counted[i].name[0] && strcmp(control.counted[i].name, function) != 0)
        i++;
    snprintf(control.counted[i].name, sizeof control.counted[i].name, "%s", function);
    control.counted[i].calls++;
    bool any = control.function[0] == '*';
    if (control.count && (any || strcmp(control.function, function) == 0)) {
        if (control.skip) {
            control.skip--;
        } else {
            control.count--;
            result = control.result;
        }
    }
    pthread_mutex_unlock(&control.lock);
    return result;
}

static void set_failure(const char *function, CUresult result, unsigned skip, unsigned count) {
    pthread_mutex_lock(&control.lock);
    snprintf(control.function, sizeof control.function, "%s", function);
    control.result = result;
    control.skip = skip;
    control.count = count;
    pthread_mutex_unlock(&control.lock);
}

static unsigned long calls(const char *function) {
    unsigned long count = 0;
    pthread_mutex_lock(&control.lock);
    for (unsigned i = 0; i < 128; i++)
        if (strcmp(control.counted[i].name, function) == 0)
            count = control.counted[i].calls;
    pthread_mutex_unlock(&control.lock);
    return count;
}

static void *at(const void *device) { return fake_at((uint64_t)(uintptr_t)device); }

static _Atomic unsigned peers[MAX_DEVICES]; /* bit n of word m: GPU m has enabled access to GPU n */

static bool reaches(int device, const void *memory) {
    const int owner = fake_owner((uint64_t)(uintptr_t)memory);
    return owner < 0 || owner == device || peers[device] >> owner & 1;
}

const struct fake_control fake_control = {.fail_next = set_failure,
                                          .calls = calls,
                                          .kernel = fake_register_kernel,
                                          .at = at,
                                          .reaches = reaches,
                                          .elsewhere = fake_elsewhere,
                                          .external = fake_external,
                                          .hold = fake_hold,
                                          .memory = fake_memory_used,
                                          .last_launch = fake_last_launch,
                                          .launches = fake_launches};

/* ---- start and errors ------------------------------------------------------------------------------ */

static int number(const char *name, int fallback) {
    const char *text = getenv(name);
    return text && *text ? atoi(text) : fallback;
}

CUresult cuInit(unsigned flags) {
    FAKE_ENTER();
    FAKE_REQUIRE(flags == 0, CUDA_ERROR_INVALID_VALUE);
    return (CUresult)number("FAKE_CUDA_INIT", CUDA_SUCCESS);
}

CUresult cuDriverGetVersion(int *version) {
    FAKE_ENTER();
    *version = 12080;
    return CUDA_SUCCESS;
}

CUresult cuGetErrorName(CUresult error, const char **text) {
    static const struct {
        CUresult error;
        const char *name;
    } names[] = {{CUDA_SUCCESS, "CUDA_SUCCESS"},
                 {CUDA_ERROR_INVALID_VALUE, "CUDA_ERROR_INVALID_VALUE"},
                 {CUDA_ERROR_OUT_OF_MEMORY, "CUDA_ERROR_OUT_OF_MEMORY"},
                 {CUDA_ERROR_ILLEGAL_ADDRESS, "CUDA_ERROR_ILLEGAL_ADDRESS"},
                 {CUDA_ERROR_INVALID_PTX, "CUDA_ERROR_INVALID_PTX"}};
    *text = "CUDA_ERROR_OF_THE_FAKE";
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (names[i].error == error)
            *text = names[i].name;
    return CUDA_SUCCESS;
}

CUresult cuGetErrorString(CUresult error, const char **text) {
    (void)error;
    *text = "as the fake driver says";
    return CUDA_SUCCESS;
}

/* ---- devices ---------------------------------------------------------------------------------------- */

static int device_count(void) { return number("FAKE_CUDA_DEVICES", 1); }

CUresult cuDeviceGetCount(int *count) {
    FAKE_ENTER();
    *count = device_count();
    return CUDA_SUCCESS;
}

CUresult cuDeviceGet(CUdevice *device, int ordinal) {
    FAKE_ENTER();
    FAKE_REQUIRE(ordinal >= 0 && ordinal < device_count(), CUDA_ERROR_INVALID_DEVICE);
    *device = ordinal;
    return CUDA_SUCCESS;
}

CUresult cuDeviceGetName(char *name, int size, CUdevice device) {
    FAKE_ENTER();
    snprintf(name, (size_t)size, "Fake GPU %d", device);
    return CUDA_SUCCESS;
}

CUresult cuDeviceGetUuid_v2(CUuuid *uuid, CUdevice device) {
    FAKE_ENTER();
    memset(uuid->bytes, 0x40 + device, sizeof uuid->bytes);
    return CUDA_SUCCESS;
}

CUresult cuDeviceTotalMem_v2(size_t *bytes, CUdevice device) {
    FAKE_ENTER();
    (void)device;
    *bytes = (size_t)4 << 30;
    return CUDA_SUCCESS;
}

CUresult cuDeviceGetAttribute(int *value, CUdevice_attribute attribute, CUdevice device) {
    FAKE_ENTER();
    FAKE_REQUIRE(device >= 0 && device < device_count(), CUDA_ERROR_INVALID_DEVICE);
    const struct {
        int attribute, value;
    } table[] = {{CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK, 1024},
                 {CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X, 1024},
                 {CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X, 0x7fffffff},
                 {CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X + 1, 65535},
                 {CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X + 2, 65535},
                 {CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK, 49152},
                 {CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN, 232448},
                 {CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR, 233472},
                 {CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_BLOCK, 65536},
                 {CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR, 65536},
                 {CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, 132},
                 {CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR, 2048},
                 {CU_DEVICE_ATTRIBUTE_MAX_BLOCKS_PER_MULTIPROCESSOR, 32},
                 {CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, number("FAKE_CUDA_SM", 90) / 10},
                 {CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, number("FAKE_CUDA_SM", 90) % 10},
                 {CU_DEVICE_ATTRIBUTE_CLOCK_RATE, 1980000},
                 {CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE, 2619000},
                 {CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH, 5120},
                 {CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE, 50 << 20},
                 {CU_DEVICE_ATTRIBUTE_ASYNC_ENGINE_COUNT, 3},
                 {CU_DEVICE_ATTRIBUTE_PCI_BUS_ID, 0x19 + device},
                 {CU_DEVICE_ATTRIBUTE_MANAGED_MEMORY, 1},
                 {CU_DEVICE_ATTRIBUTE_CONCURRENT_MANAGED_ACCESS, 1},
                 {CU_DEVICE_ATTRIBUTE_COOPERATIVE_LAUNCH, 1},
                 {CU_DEVICE_ATTRIBUTE_ECC_ENABLED, 1},
                 {CU_DEVICE_ATTRIBUTE_SINGLE_TO_DOUBLE_PRECISION_PERF_RATIO, 2}};
    *value = 0;
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (table[i].attribute == (int)attribute)
            *value = table[i].value;
    return CUDA_SUCCESS;
}

/* ---- contexts -------------------------------------------------------------------------------------------- */

struct CUctx_st {
    CUdevice device;
    unsigned retained;
};
static struct CUctx_st contexts[MAX_DEVICES];
static _Thread_local CUcontext current;

CUresult cuDevicePrimaryCtxRetain(CUcontext *context, CUdevice device) {
    FAKE_ENTER();
    contexts[device].device = device;
    contexts[device].retained++;
    *context = &contexts[device];
    return CUDA_SUCCESS;
}

CUresult cuDevicePrimaryCtxRelease_v2(CUdevice device) {
    FAKE_ENTER();
    contexts[device].retained--;
    return CUDA_SUCCESS;
}

/* The sticky error goes with the context; what a real driver throws away besides is not checked. */
CUresult cuDevicePrimaryCtxReset_v2(CUdevice device) {
    FAKE_ENTER();
    (void)device;
    fake_wait(NULL);
    atomic_store(&fault, CUDA_SUCCESS);
    return CUDA_SUCCESS;
}

CUcontext fake_context(void) { return current; }

int fake_device(void) { return current->device; }

CUresult cuCtxGetCurrent(CUcontext *context) {
    FAKE_ENTER();
    *context = current;
    return CUDA_SUCCESS;
}

CUresult cuCtxSetCurrent(CUcontext context) {
    FAKE_ENTER();
    current = context;
    return CUDA_SUCCESS;
}

CUresult cuCtxSynchronize(void) {
    FAKE_ENTER();
    FAKE_REQUIRE(current, CUDA_ERROR_INVALID_CONTEXT);
    fake_wait(NULL);
    return fake_fault();
}

CUresult cuCtxSetLimit(CUlimit limit, size_t value) {
    FAKE_ENTER();
    (void)value;
    return limit == CU_LIMIT_STACK_SIZE ? CUDA_SUCCESS : CUDA_ERROR_UNSUPPORTED_LIMIT;
}

CUresult cuDeviceCanAccessPeer(int *can, CUdevice device, CUdevice peer) {
    FAKE_ENTER();
    *can = device != peer && device != 2 && peer != 2; /* the third is behind another switch */
    return CUDA_SUCCESS;
}

CUresult cuCtxEnablePeerAccess(CUcontext peer, unsigned flags) {
    FAKE_ENTER();
    FAKE_REQUIRE(current && flags == 0, CUDA_ERROR_INVALID_VALUE);
    const unsigned bit = 1u << peer->device;
    return atomic_fetch_or(&peers[current->device], bit) & bit ? CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED : CUDA_SUCCESS;
}
