/* Driver-style programming: contexts and their stack, primary contexts, limits, peers, entry points by name. Four devices. */
#include "api_test.h"

#include <pthread.h>

enum { DEVICES = 4 };

static int current_device(void) {
    hipDevice_t device = -1;
    ok(hipCtxGetDevice(&device));
    return device;
}

static hipCtx_t primary(int device) {
    hipCtx_t context = NULL;
    ok(hipDevicePrimaryCtxRetain(&context, device));
    ok(hipDevicePrimaryCtxRelease(device));
    return context;
}

/* In a thread that has not touched HIP yet. */
static void in_new_thread(void *(*body)(void *), void *argument) {
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, body, argument), 0);
    assert_int_equal(pthread_join(thread, NULL), 0);
}

/* ---- the stack -------------------------------------------------------------------------------- */

/* A thread that chose nothing has the primary context of device 0; its stack is empty. */
static void *fresh_thread(void *unused) {
    (void)unused;
    hipCtx_t context = NULL;
    ok(hipCtxGetCurrent(&context));
    assert_ptr_equal(context, primary(0));
    assert_int_equal(current_device(), 0);
    fails(hipErrorInvalidContext, hipCtxPopCurrent(&context));
    return NULL;
}

static void test_fresh_thread(void **state) {
    (void)state;
    ok(hipSetDevice(2)); /* another thread's choice changes nothing */
    in_new_thread(fresh_thread, NULL);
    ok(hipSetDevice(0));
}

static void test_stack(void **state) {
    (void)state;
    hipCtx_t popped = NULL, made = NULL;
    ok(hipSetDevice(0));
    ok(hipCtxPushCurrent(primary(1)));
    ok(hipCtxPushCurrent(primary(2)));
    ok(hipCtxPushCurrent(primary(2))); /* a context may be there twice */
    assert_int_equal(current_device(), 2);
    ok(hipCtxPopCurrent(&popped));
    assert_ptr_equal(popped, primary(2));
    assert_int_equal(current_device(), 2);
    ok(hipCtxSetCurrent(primary(3))); /* replaces the top */
    ok(hipCtxPopCurrent(&popped));
    assert_ptr_equal(popped, primary(3));
    assert_int_equal(current_device(), 1);
    ok(hipCtxPopCurrent(NULL));
    assert_int_equal(current_device(), 0);
    fails(hipErrorInvalidContext, hipCtxPopCurrent(&popped));
    ok(hipCtxPushCurrent(primary(3)));
    ok(hipCtxSetCurrent(NULL)); /* takes the top away */
    assert_int_equal(current_device(), 0);
    ok(hipCtxCreate(&made, hipDeviceScheduleSpin, 1));
    assert_ptr_equal(made, primary(1));
    assert_int_equal(current_device(), 1);
    unsigned flags = 0;
    ok(hipCtxGetFlags(&flags));
    assert_int_equal(flags, hipDeviceScheduleSpin);
    ok(hipCtxDestroy(made));
    assert_int_equal(current_device(), 0);
    ok(hipSetDevice(3)); /* the same as making the primary context current */
    assert_int_equal(current_device(), 3);
    ok(hipSetDevice(0));
    for (int i = 0; i < 64; i++)
        ok(hipCtxPushCurrent(primary(i % DEVICES)));
    fails(hipErrorOutOfMemory, hipCtxPushCurrent(primary(0)));
    for (int i = 0; i < 64; i++)
        ok(hipCtxPopCurrent(NULL));
}

/* Streams, events and memory belong to the context that was current. */
static void test_context_owns(void **state) {
    (void)state;
    hipStream_t stream = NULL;
    hipDevice_t device = -1;
    hipDeviceptr_t memory = NULL;
    ok(hipCtxPushCurrent(primary(2)));
    ok(hipStreamCreate(&stream));
    ok(hipMalloc(&memory, 64));
    ok(hipCtxPopCurrent(NULL));
    ok(hipStreamGetDevice(stream, &device));
    assert_int_equal(device, 2);
    assert_int_equal(hipGetStreamDeviceId(stream), 2);
    ok(hipPointerGetAttribute(&device, HIP_POINTER_ATTRIBUTE_DEVICE_ORDINAL, memory));
    assert_int_equal(device, 2);
    ok(hipMemsetD8(memory, 7, 64)); /* one address space: other contexts may use it */
    ok(hipStreamDestroy(stream));
    ok(hipFree(memory));
}

static void test_context_errors(void **state) {
    (void)state;
    hipCtx_t context = NULL, wrong = (hipCtx_t)&context;
    unsigned flags = 0, version = 0;
    int active = 0;
    fails(hipErrorInvalidValue, hipCtxCreate(NULL, 0, 0));
    fails(hipErrorInvalidValue, hipCtxCreate(&context, 0x100, 0));
    fails(hipErrorInvalidValue, hipCtxCreate(&context, 0, DEVICES));
    fails(hipErrorInvalidValue, hipCtxCreate(&context, 0, -1));
    fails(hipErrorInvalidValue, hipCtxDestroy(NULL));
    fails(hipErrorInvalidValue, hipCtxDestroy(wrong));
    fails(hipErrorInvalidContext, hipCtxPushCurrent(NULL));
    fails(hipErrorInvalidContext, hipCtxPushCurrent(wrong));
    fails(hipErrorInvalidContext, hipCtxSetCurrent(wrong));
    fails(hipErrorInvalidValue, hipCtxGetCurrent(NULL));
    fails(hipErrorInvalidValue, hipCtxGetDevice(NULL));
    fails(hipErrorInvalidValue, hipCtxGetFlags(NULL));
    fails(hipErrorInvalidValue, hipCtxGetApiVersion(NULL, NULL));
    fails(hipErrorInvalidContext, hipCtxGetApiVersion(wrong, &version));
    ok(hipCtxGetApiVersion(NULL, &version));
    assert_true(version > 0);
    fails(hipErrorInvalidValue, hipDevicePrimaryCtxRetain(NULL, 0));
    fails(hipErrorInvalidDevice, hipDevicePrimaryCtxRetain(&context, DEVICES));
    fails(hipErrorInvalidDevice, hipDevicePrimaryCtxRetain(NULL, DEVICES));
    fails(hipErrorInvalidDevice, hipDevicePrimaryCtxRelease(DEVICES));
    fails(hipErrorInvalidDevice, hipDevicePrimaryCtxReset(-1));
    fails(hipErrorInvalidDevice, hipDevicePrimaryCtxGetState(DEVICES, &flags, &active));
    ok(hipDevicePrimaryCtxGetState(0, NULL, NULL));
    fails(hipErrorInvalidDevice, hipDevicePrimaryCtxSetFlags(DEVICES, 0));
    fails(hipErrorContextAlreadyInUse, hipDevicePrimaryCtxSetFlags(0, hipDeviceScheduleSpin)); /* never taken */
    assert_int_equal(hipGetLastError(), hipErrorContextAlreadyInUse);
    assert_int_equal(hipGetLastError(), hipSuccess);
}

/* ---- primary contexts --------------------------------------------------------------------------- */

static int is_active(int device) {
    unsigned flags = 0;
    int active = -1;
    ok(hipDevicePrimaryCtxGetState(device, &flags, &active));
    return active;
}

/* Runs first: no test has touched device 3 before. */
static void test_primary(void **state) {
    (void)state;
    hipCtx_t first = NULL, second = NULL;
    unsigned flags = 0;
    int active = 0;
    assert_int_equal(is_active(3), 0);
    ok(hipDevicePrimaryCtxRetain(&first, 3));
    ok(hipDevicePrimaryCtxRetain(&second, 3));
    assert_ptr_equal(first, second); /* one for each device */
    assert_int_equal(is_active(3), 1);
    ok(hipDevicePrimaryCtxRelease(3));
    ok(hipDevicePrimaryCtxRelease(3));
    ok(hipDevicePrimaryCtxRelease(3)); /* once too often: nothing happens */
    ok(hipDevicePrimaryCtxReset(3));
    assert_int_equal(is_active(3), 0);
    ok(hipDevicePrimaryCtxGetState(3, &flags, &active));
    assert_int_equal(flags, 0);
    ok(hipSetDevice(3));
    assert_int_equal(is_active(3), 1);
    ok(hipSetDevice(0));
}

/* An event is of the device that was current when it was made. Streams of any device may wait for it. */
static void test_events_of_devices(void **state) {
    (void)state;
    hipEvent_t here = NULL, there = NULL;
    hipStream_t stream = NULL;
    float ms = 0;
    ok(hipEventCreate(&here));
    ok(hipSetDevice(1));
    ok(hipEventCreate(&there));
    ok(hipStreamCreate(&stream));
    fails(hipErrorInvalidHandle, hipEventRecord(here, stream));
    fails(hipErrorInvalidHandle, hipEventRecord(here, NULL)); /* the current device's */
    ok(hipEventRecord(there, stream));
    ok(hipSetDevice(0));
    ok(hipEventRecord(there, stream));
    ok(hipEventRecord(here, NULL));
    ok(hipStreamWaitEvent(stream, here, 0));
    ok(hipStreamSynchronize(stream));
    ok(hipEventSynchronize(there));
    fails(hipErrorInvalidHandle, hipEventElapsedTime(&ms, here, there));
    ok(hipEventDestroy(here));
    ok(hipEventDestroy(there));
    ok(hipStreamDestroy(stream));
    hipGetLastError();
}

/* ---- configurations, limits, links ---------------------------------------------------------------- */

static void test_configurations(void **state) {
    (void)state;
    hipFuncCache_t cache = hipFuncCachePreferEqual;
    hipSharedMemConfig banks = hipSharedMemBankSizeEightByte;
    ok(hipCtxSetCacheConfig(hipFuncCachePreferL1));
    ok(hipCtxGetCacheConfig(&cache));
    assert_int_equal(cache, hipFuncCachePreferNone); /* hints are ignored */
    ok(hipCtxSetSharedMemConfig(hipSharedMemBankSizeEightByte));
    ok(hipCtxGetSharedMemConfig(&banks));
    assert_int_equal(banks, hipSharedMemBankSizeFourByte);
    ok(hipCtxSetCacheConfig((hipFuncCache_t)17));
    fails(hipErrorInvalidValue, hipCtxGetCacheConfig(NULL));
    fails(hipErrorInvalidValue, hipCtxSetSharedMemConfig((hipSharedMemConfig)17));
    fails(hipErrorInvalidValue, hipCtxGetSharedMemConfig(NULL));
    ok(hipDeviceSetCacheConfig((hipFuncCache_t)17));
    fails(hipErrorInvalidValue, hipDeviceGetCacheConfig(NULL));
    fails(hipErrorInvalidValue, hipDeviceSetSharedMemConfig((hipSharedMemConfig)17));
    fails(hipErrorInvalidValue, hipDeviceGetSharedMemConfig(NULL));
}

static size_t limit_of(enum hipLimit_t limit) {
    size_t value = 0;
    ok(hipDeviceGetLimit(&value, limit));
    return value;
}

static void test_limits(void **state) {
    (void)state;
    size_t before = limit_of(hipLimitStackSize), value = 0;
    assert_true(before > 0);
    ok(hipDeviceSetLimit(hipLimitStackSize, 100000));
    ok(hipDeviceSetLimit(hipLimitMallocHeapSize, 3 << 20));
    assert_int_equal(limit_of(hipLimitStackSize), 100000);
    assert_int_equal(limit_of(hipLimitMallocHeapSize), 3 << 20);
    ok(hipSetDevice(1)); /* each device has its own */
    assert_int_equal(limit_of(hipLimitStackSize), before);
    ok(hipSetDevice(0));
    fails(hipErrorInvalidValue, hipDeviceSetLimit(hipLimitStackSize, (size_t)1 << 40));
    assert_int_equal(limit_of(hipLimitStackSize), 100000);
    fails(hipErrorInvalidValue, hipDeviceSetLimit(hipLimitRange, 1));
    fails(hipErrorInvalidValue, hipDeviceGetLimit(&value, hipLimitRange));
    fails(hipErrorUnsupportedLimit, hipDeviceSetLimit((enum hipLimit_t) - 1, 1));
    fails(hipErrorUnsupportedLimit, hipDeviceGetLimit(&value, (enum hipLimit_t) - 1));
    fails(hipErrorUnsupportedLimit, hipDeviceSetLimit(hipLimitPrintfFifoSize, 1));
    fails(hipErrorUnsupportedLimit, hipDeviceGetLimit(&value, hipLimitPrintfFifoSize));
    size_t total = 0;
    ok(hipDeviceTotalMem(&total, 0));
    fails(hipErrorInvalidValue, hipDeviceSetLimit(hipLimitMallocHeapSize, total));
    fails(hipErrorInvalidValue, hipDeviceGetLimit(NULL, hipLimitStackSize));
    ok(hipDeviceReset());
    assert_int_equal(limit_of(hipLimitStackSize), before);
}

static void test_links(void **state) {
    (void)state;
    uint32_t type = 0, hops = 0;
    ok(hipExtGetLinkTypeAndHopCount(0, 3, &type, &hops));
    assert_int_equal(type, 4);
    assert_int_equal(hops, 1);
    fails(hipErrorInvalidValue, hipExtGetLinkTypeAndHopCount(1, 1, &type, &hops));
    fails(hipErrorInvalidValue, hipExtGetLinkTypeAndHopCount(-1, 1, &type, &hops));
    fails(hipErrorInvalidValue, hipExtGetLinkTypeAndHopCount(1, -1, &type, &hops));
    fails(hipErrorInvalidDevice, hipExtGetLinkTypeAndHopCount(0, DEVICES, &type, &hops));
    fails(hipErrorInvalidValue, hipExtGetLinkTypeAndHopCount(0, 1, NULL, &hops));
    fails(hipErrorInvalidValue, hipExtGetLinkTypeAndHopCount(0, 1, &type, NULL));
}

static void test_context_peers(void **state) {
    (void)state;
    ok(hipCtxEnablePeerAccess(primary(2), 0));
    fails(hipErrorPeerAccessAlreadyEnabled, hipDeviceEnablePeerAccess(2, 0));
    ok(hipCtxDisablePeerAccess(primary(2)));
    fails(hipErrorPeerAccessNotEnabled, hipCtxDisablePeerAccess(primary(2)));
    fails(hipErrorInvalidContext, hipCtxEnablePeerAccess(NULL, 0));
    fails(hipErrorInvalidContext, hipCtxDisablePeerAccess((hipCtx_t)state));
    fails(hipErrorInvalidValue, hipCtxEnablePeerAccess(primary(2), 1));
    fails(hipErrorInvalidDevice, hipCtxEnablePeerAccess(primary(0), 0));
}

/* ---- which device a thread starts with --------------------------------------------------------------- */

static void *chosen_device(void *device) {
    *(int *)device = current_device();
    return NULL;
}

static void test_valid_devices(void **state) {
    (void)state;
    int list[] = {2, 1}, wrong[] = {1, DEVICES}, device = -1;
    ok(hipSetValidDevices(list, 2));
    in_new_thread(chosen_device, &device);
    assert_int_equal(device, 2);
    assert_int_equal(current_device(), 0); /* this thread has chosen */
    ok(hipSetValidDevices(NULL, 0));
    in_new_thread(chosen_device, &device);
    assert_int_equal(device, 0);
    fails(hipErrorInvalidDevice, hipSetValidDevices(wrong, 2));
    fails(hipErrorInvalidValue, hipSetValidDevices(NULL, 1));
    fails(hipErrorInvalidValue, hipSetValidDevices(list, DEVICES + 1));
    fails(hipErrorInvalidValue, hipSetValidDevices(list, -1));
}

/* ---- several devices --------------------------------------------------------------------------------- */

/* What is allocated on one device is gone there and nowhere else. */
static void test_memory_accounts(void **state) {
    (void)state;
    size_t before[DEVICES], now = 0, total = 0;
    void *memory[DEVICES];
    for (int d = 0; d < DEVICES; d++) {
        ok(hipSetDevice(d));
        ok(hipMemGetInfo(&before[d], &total));
        assert_true(before[d] <= total);
    }
    for (int d = 0; d < DEVICES; d++) {
        ok(hipSetDevice(d));
        ok(hipMalloc(&memory[d], (size_t)(d + 1) << 20));
    }
    for (int d = 0; d < DEVICES; d++) {
        hipPointerAttribute_t attributes;
        ok(hipSetDevice(d));
        ok(hipMemGetInfo(&now, NULL));
        assert_int_equal(before[d] - now, (size_t)(d + 1) << 20);
        ok(hipPointerGetAttributes(&attributes, memory[d]));
        assert_int_equal(attributes.device, d);
    }
    ok(hipSetDevice(0));
    for (int d = 0; d < DEVICES; d++) /* from any device */
        ok(hipFree(memory[d]));
    for (int d = 0; d < DEVICES; d++) {
        ok(hipSetDevice(d));
        ok(hipMemGetInfo(&now, NULL));
        assert_int_equal(now, before[d]);
    }
    ok(hipSetDevice(0));
}

/* A stream of one device waits for an event of another; a fault of one device leaves the others alone. */
static void test_between_devices(void **state) {
    (void)state;
    hipStream_t first = NULL, second = NULL;
    hipModule_t modules[2];
    hipFunction_t wait_for = NULL, set = NULL;
    hipEvent_t event = NULL;
    int *flags = NULL, one = 1;
    ok(hipHostMalloc((void **)&flags, 64, 0));
    memset(flags, 0, 64);
    int *go = &flags[0], *done = &flags[4];
    ok(hipModuleLoad(&modules[0], API_TEST_OBJECT));
    ok(hipModuleGetFunction(&wait_for, modules[0], "wait_for"));
    ok(hipStreamCreate(&first));
    ok(hipEventCreate(&event));
    ok(hipSetDevice(1));
    ok(hipModuleLoad(&modules[1], API_TEST_OBJECT));
    ok(hipModuleGetFunction(&set, modules[1], "set"));
    ok(hipStreamCreate(&second));
    void *wait_arguments[] = {&go}, *set_arguments[] = {&done, &one};
    ok(hipModuleLaunchKernel(wait_for, 1, 1, 1, 64, 1, 1, 0, first, wait_arguments, NULL));
    ok(hipEventRecord(event, first));
    ok(hipStreamWaitEvent(second, event, 0));
    ok(hipModuleLaunchKernel(set, 1, 1, 1, 64, 1, 1, 0, second, set_arguments, NULL));
    fails(hipErrorNotReady, hipStreamQuery(second));
    assert_int_equal(*(volatile int *)done, 0);
    __atomic_store_n(go, 1, __ATOMIC_RELEASE);
    ok(hipStreamSynchronize(second));
    assert_int_equal(*done, 1);
    /* A kernel runs on the device that its module was loaded on. */
    fails(hipErrorInvalidValue, hipModuleLaunchKernel(set, 1, 1, 1, 64, 1, 1, 0, first, set_arguments, NULL));
    ok(hipSetDevice(0));
    ok(hipStreamDestroy(first));
    ok(hipStreamDestroy(second));
    ok(hipEventDestroy(event));
    ok(hipModuleUnload(modules[0]));
    ok(hipModuleUnload(modules[1]));
    ok(hipHostFree(flags));
    hipGetLastError();
}

/* Functions of modules on several devices at once; with barriers between grids in tests/hip/multigrid.hip. */
static void test_module_launch_on_devices(void **state) {
    (void)state;
    hipFunctionLaunchParams good[DEVICES + 1], list[DEVICES + 1];
    hipModule_t modules[DEVICES];
    hipStream_t streams[DEVICES];
    hipFunction_t empty = NULL;
    int *flags = NULL, one = 1, *places[DEVICES];
    void *arguments[DEVICES][2];
    ok(hipHostMalloc((void **)&flags, 4096, 0));
    memset(flags, 0, 4096);
    memset(good, 0, sizeof good);
    for (int d = 0; d < DEVICES; d++) {
        ok(hipSetDevice(d));
        ok(hipModuleLoad(&modules[d], API_TEST_OBJECT));
        ok(hipStreamCreate(&streams[d]));
        places[d] = flags + 16 * d;
        arguments[d][0] = &places[d];
        arguments[d][1] = &one;
        good[d] = (hipFunctionLaunchParams){.gridDimX = 2,
                                            .gridDimY = 1,
                                            .gridDimZ = 1,
                                            .blockDimX = 64,
                                            .blockDimY = 1,
                                            .blockDimZ = 1,
                                            .hStream = streams[d],
                                            .kernelParams = arguments[d]};
        ok(hipModuleGetFunction(&good[d].function, modules[d], "set"));
    }
    good[DEVICES] = good[0];
    ok(hipModuleGetFunction(&empty, modules[1], "empty"));
    ok(hipSetDevice(0));
#define TRY(wanted, count, flags, change)                                                                                                  \
    do {                                                                                                                                   \
        memcpy(list, good, sizeof list);                                                                                                   \
        change;                                                                                                                            \
        fails(wanted, hipModuleLaunchCooperativeKernelMultiDevice(list, count, flags));                                                    \
    } while (0)
    TRY(hipErrorInvalidValue, 0, 0, (void)0);
    TRY(hipErrorInvalidValue, DEVICES + 1, 0, (void)0);
    TRY(hipErrorInvalidValue, DEVICES, 4, (void)0);
    TRY(hipErrorInvalidHandle, DEVICES, 0, list[1].function = NULL);
    TRY(hipErrorInvalidHandle, DEVICES, 0, list[1].function = (hipFunction_t)state);
    TRY(hipErrorInvalidHandle, DEVICES, 0, list[1].hStream = NULL);
    TRY(hipErrorInvalidValue, DEVICES, 0, list[1].hStream = (hipStream_t)state);
    TRY(hipErrorInvalidDevice, DEVICES, 0, list[1].hStream = streams[0]);
    TRY(hipErrorInvalidValue, DEVICES, 0, list[1].function = list[0].function); /* loaded on another device */
    TRY(hipErrorInvalidValue, DEVICES, 0, list[0].kernelParams = NULL);
    TRY(hipErrorInvalidConfiguration, 1, 0, list[0].blockDimX = 0);
    TRY(hipErrorInvalidValue, 1, 0, list[0].gridDimX = 0);
    TRY(hipErrorInvalidValue, 1, 0, list[0].blockDimX = 1025);
    TRY(hipErrorCooperativeLaunchTooLarge, 1, 0, list[0].gridDimX = 1000000);
    TRY(hipErrorInvalidValue, 1, 0, list[0].sharedMemBytes = 65537);
    fails(hipErrorInvalidValue, hipModuleLaunchCooperativeKernelMultiDevice(NULL, 1, 0));
    for (int d = 0; d < DEVICES; d++) {
        ok(hipStreamSynchronize(streams[d]));
        assert_int_equal(*places[d], 0); /* none ran */
    }
    memcpy(list, good, sizeof list); /* grids of different kernels and sizes */
    list[0].sharedMemBytes = 16;
    list[1].function = empty;
    list[2].gridDimY = 2;
    list[3].blockDimZ = 2;
    ok(hipModuleLaunchCooperativeKernelMultiDevice(list, DEVICES, 0));
    for (int d = 0; d < DEVICES; d++) {
        ok(hipStreamSynchronize(streams[d]));
        assert_int_equal(*places[d], d != 1);
        *places[d] = 0;
    }
    ok(hipModuleLaunchCooperativeKernelMultiDevice(good, DEVICES, 0));
    for (int d = 0; d < DEVICES; d++) {
        ok(hipStreamSynchronize(streams[d]));
        assert_int_equal(*places[d], 1);
        ok(hipStreamDestroy(streams[d]));
        ok(hipModuleUnload(modules[d]));
    }
    ok(hipHostFree(flags));
    hipGetLastError();
}

/* ---- entry points by name ------------------------------------------------------------------------------ */

#ifndef API_FAKE
typedef hipError_t (*init_function)(unsigned);

static void test_entry_points(void **state) {
    (void)state;
    void *function = NULL, *other = NULL;
    hipDriverProcAddressQueryResult result = HIP_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND;
    hipDriverEntryPointQueryResult entry = hipDriverEntryPointSymbolNotFound;
    ok(hipGetProcAddress("hipInit", &function, HIP_VERSION, HIP_GET_PROC_ADDRESS_DEFAULT, &result));
    assert_int_equal(result, HIP_GET_PROC_ADDRESS_SUCCESS);
    init_function init = NULL;
    memcpy(&init, &function, sizeof init);
    ok(init(0));
    ok(hipGetProcAddress("hipInit", &other, 601, 0, NULL)); /* the older way to count */
    assert_ptr_equal(function, other);

    fails(hipErrorInvalidValue, hipGetProcAddress("foo", &function, 60300000, 0, &result));
    assert_int_equal(result, HIP_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND);
    assert_null(function);
    fails(hipErrorInvalidValue, hipGetProcAddress("wl_fail", &function, 60300000, 0, &result));
    fails(hipErrorInvalidValue, hipGetProcAddress("hipLinkCreate", &function, 60300000, 0, &result)); /* came with 6.4 */
    assert_int_equal(result, HIP_GET_PROC_ADDRESS_VERSION_NOT_SUFFICIENT);
    ok(hipGetProcAddress("hipLinkCreate", &function, 60400000, 0, &result));
    fails(hipErrorInvalidValue, hipGetProcAddress(NULL, &function, HIP_VERSION, 0, &result));
    fails(hipErrorInvalidValue, hipGetProcAddress("", &function, HIP_VERSION, 0, &result));
    fails(hipErrorInvalidValue, hipGetProcAddress("hipInit", NULL, HIP_VERSION, 0, &result));
    fails(hipErrorInvalidValue, hipGetProcAddress("hipInit", &function, HIP_VERSION, 3, &result));
    char name[1000];
    memset(name, 'h', sizeof name);
    name[sizeof name - 1] = 0;
    fails(hipErrorInvalidValue, hipGetProcAddress(name, &function, HIP_VERSION, 0, &result));

    ok(hipGetDriverEntryPoint("hipMalloc", &function, hipEnableDefault, &entry));
    assert_int_equal(entry, hipDriverEntryPointSuccess);
    fails(hipErrorInvalidValue, hipGetDriverEntryPoint("foo", &function, hipEnableDefault, &entry));
    assert_int_equal(entry, hipDriverEntryPointSymbolNotFound);
}

/* Per-thread default streams: a NULL stream then means the thread's own. */
static void test_entry_points_of_threads(void **state) {
    (void)state;
    void *plain = NULL, *own = NULL, *found = NULL;
    ok(hipGetProcAddress("hipStreamSynchronize", &plain, HIP_VERSION, HIP_GET_PROC_ADDRESS_LEGACY_STREAM, NULL));
    ok(hipGetProcAddress("hipStreamSynchronize_spt", &own, HIP_VERSION, 0, NULL));
    assert_ptr_not_equal(plain, own);
    ok(hipGetProcAddress("hipStreamSynchronize", &found, HIP_VERSION, HIP_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM, NULL));
    assert_ptr_equal(found, own);
    ok(hipGetProcAddress("hipMalloc", &found, HIP_VERSION, HIP_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM, NULL)); /* has one form */
    ok(hipGetProcAddress_spt("hipStreamSynchronize", &found, HIP_VERSION, HIP_GET_PROC_ADDRESS_DEFAULT, NULL));
    assert_ptr_equal(found, own);
    ok(hipGetProcAddress_spt("hipStreamSynchronize", &found, HIP_VERSION, HIP_GET_PROC_ADDRESS_LEGACY_STREAM, NULL));
    assert_ptr_equal(found, plain);
    ok(hipGetDriverEntryPoint("hipStreamSynchronize", &found, hipEnablePerThreadDefaultStream, NULL));
    assert_ptr_equal(found, own);
    ok(hipGetDriverEntryPoint_spt("hipStreamSynchronize", &found, hipEnableDefault, NULL));
    assert_ptr_equal(found, own);
}

/* The version decides which layout of the properties a program gets. */
static void test_entry_points_of_versions(void **state) {
    (void)state;
    static union {
        hipDeviceProp_tR0000 older;
        hipDeviceProp_tR0600 newer;
        char bytes[4096];
    } properties;
    void *function = NULL;
    hipError_t (*get)(void *, int) = NULL;
    ok(hipGetProcAddress("hipGetDeviceProperties", &function, 502, 0, NULL));
    memcpy(&get, &function, sizeof get);
    ok(get(&properties, 0));
    int arch = properties.older.gcnArch, warp = properties.older.warpSize;
    assert_int_equal(arch, 1030);
    assert_int_equal(warp, 32);
    /* Memory types were numbered anew in HIP 6. */
    hipPointerAttribute_t attributes;
    hipError_t (*ask)(hipPointerAttribute_t *, const void *) = NULL;
    void *memory = NULL;
    ok(hipMalloc(&memory, 64));
    ok(hipGetProcAddress("hipPointerGetAttributes", &function, 502, 0, NULL));
    memcpy(&ask, &function, sizeof ask);
    ok(ask(&attributes, memory));
    assert_int_equal(attributes.type, 1);
    ok(hipGetProcAddress("hipPointerGetAttributes", &function, 600, 0, NULL));
    memcpy(&ask, &function, sizeof ask);
    ok(ask(&attributes, memory));
    assert_int_equal(attributes.type, 2);
    ok(hipFree(memory));
    ok(hipGetProcAddress("hipGetDeviceProperties", &function, 60000000, 0, NULL));
    memcpy(&get, &function, sizeof get);
    ok(get(&properties, 0));
    assert_int_equal(properties.newer.warpSize, 32);
    assert_memory_equal(properties.newer.gcnArchName, "gfx1030", 8);
}
#endif

int main(void) {
    setenv("WAVELIFT_DEVICES", "4", 1);
    setenv("WAVELIFT_ARCH", "gfx1030", 1);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_primary),
        cmocka_unit_test(test_fresh_thread),
        cmocka_unit_test(test_stack),
        cmocka_unit_test(test_context_owns),
        cmocka_unit_test(test_context_errors),
        cmocka_unit_test(test_events_of_devices),
        cmocka_unit_test(test_configurations),
        cmocka_unit_test(test_limits),
        cmocka_unit_test(test_links),
        cmocka_unit_test(test_context_peers),
        cmocka_unit_test(test_valid_devices),
        cmocka_unit_test(test_memory_accounts),
        cmocka_unit_test(test_between_devices),
        cmocka_unit_test(test_module_launch_on_devices),
#ifndef API_FAKE
        cmocka_unit_test(test_entry_points),
        cmocka_unit_test(test_entry_points_of_threads),
        cmocka_unit_test(test_entry_points_of_versions),
#endif
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
