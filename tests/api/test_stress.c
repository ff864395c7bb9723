/* Random interleavings: 64 threads make, use and destroy objects of every kind, on two devices. Each thread's steps follow from the
 * seed (the first argument, or a fixed one), its results are known, and its errors are its own. */
#include "api_test.h"

#include <pthread.h>

enum { THREADS = 64, STEPS = 60, SLOTS = 64 /* ints that a thread has */ };

static unsigned seed = 20250601;
static char *image;                   /* kernels.co */
static hipModule_t shared_modules[2]; /* loaded once a device, used by all threads */
static hipFunction_t shared_add[2];
static hipLibrary_t shared_library;

struct worker {
    unsigned number, random;
    int device;
    int *values; /* pinned; SLOTS of them */
    int expected;
    hipStream_t stream;
    hipEvent_t event;
    const char *failure; /* NULL: none */
    int line;
    hipError_t error;
};

/* cmocka's checks belong to the main thread. */
#define TRY(call)                                                                                                                          \
    do {                                                                                                                                   \
        hipError_t error_ = (call);                                                                                                        \
        if (error_ != hipSuccess && !w->failure) {                                                                                         \
            w->failure = #call;                                                                                                            \
            w->line = __LINE__;                                                                                                            \
            w->error = error_;                                                                                                             \
        }                                                                                                                                  \
    } while (0)
#define EXPECT(condition) TRY((condition) ? hipSuccess : hipErrorUnknown)

static unsigned next(struct worker *w, unsigned limit) {
    w->random = w->random * 1664525u + 1013904223u;
    return (w->random >> 8) % limit;
}

static void add(struct worker *w, hipFunction_t function, hipStream_t stream) {
    int amount = (int)next(w, 5), count = SLOTS;
    void *arguments[] = {&w->values, &amount, &count};
    TRY(hipModuleLaunchKernel(function, 1, 1, 1, SLOTS, 1, 1, 0, stream, arguments, NULL));
    w->expected += amount;
}

/* ---- steps ------------------------------------------------------------------------------------- */

static void own_module(struct worker *w) {
    hipModule_t module = NULL;
    hipFunction_t function = NULL;
    hipDeviceptr_t variable = NULL;
    size_t size = 0;
    TRY(next(w, 2) ? hipModuleLoadData(&module, image) : hipModuleLoad(&module, API_TEST_OBJECT));
    TRY(hipModuleGetFunction(&function, module, "add"));
    TRY(hipModuleGetGlobal(&variable, &size, module, "counter"));
    EXPECT(size == 4);
    if (!w->failure)
        add(w, function, w->stream);
    if (!w->failure)
        TRY(hipModuleUnload(module)); /* waits for the launch */
}

static void shared_module(struct worker *w) {
    hipFunction_t function = NULL;
    int blocks = 0, value = 0;
    TRY(hipModuleGetFunction(&function, shared_modules[w->device], "add"));
    EXPECT(function == shared_add[w->device]);
    TRY(hipModuleOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, function, 64, 0));
    TRY(hipFuncGetAttribute(&value, HIP_FUNC_ATTRIBUTE_NUM_REGS, function));
    EXPECT(blocks > 0 && value > 0);
    bool own = next(w, 2);
    if (!own)
        TRY(hipStreamSynchronize(w->stream));
    add(w, function, own ? w->stream : hipStreamPerThread);
    TRY(hipStreamSynchronize(hipStreamPerThread));
}

static void library(struct worker *w) {
    hipLibrary_t mine = shared_library;
    hipKernel_t kernel = NULL;
    hipFunction_t function = NULL;
    bool own = next(w, 2);
    if (own)
        TRY(hipLibraryLoadData(&mine, image, NULL, NULL, 0, NULL, NULL, 0));
    TRY(hipLibraryGetKernel(&kernel, mine, "add"));
    TRY(hipKernelGetFunction(&function, kernel));
    if (!w->failure)
        add(w, function, w->stream);
    if (own && !w->failure)
        TRY(hipLibraryUnload(mine));
}

static void registered(struct worker *w) {
    struct {
        uint32_t magic, version;
        const void *binary;
        void *unused;
    } wrapper = {0x48495046, 1, image, NULL};
    static char name[] = "add", counter[] = "counter", managed[] = "shared_number";
    char stub = 0, shadow = 0;
    void *pointer = NULL;
    int first = 5, back = 0, amount = 3, count = SLOTS;
    void *arguments[] = {&w->values, &amount, &count};
    dim3 one = {1, 1, 1}, block = {SLOTS, 1, 1};
    void **handle = __hipRegisterFatBinary(&wrapper);
    __hipRegisterFunction(handle, &stub, name, name, ~0u, NULL, NULL, NULL, NULL, NULL);
    __hipRegisterVar(handle, &shadow, counter, counter, 0, 4, 0, 0);
    __hipRegisterManagedVar(handle, &pointer, &first, managed, 4, 4);
    TRY(hipLaunchKernel(&stub, one, block, arguments, 0, w->stream));
    w->expected += amount;
    TRY(hipMemcpyFromSymbol(&back, &shadow, 4, 0, hipMemcpyDeviceToHost));
    EXPECT(back == 7);
    EXPECT(*(int *)pointer == 5);
    __hipUnregisterFatBinary(handle);
    EXPECT(hipLaunchKernel(&stub, one, block, arguments, 0, w->stream) == hipErrorInvalidDeviceFunction);
    EXPECT(hipGetLastError() == hipErrorInvalidDeviceFunction);
}

static void new_stream(struct worker *w) {
    hipStream_t stream = NULL;
    unsigned flags = next(w, 2) ? hipStreamNonBlocking : hipStreamDefault;
    TRY(hipStreamCreateWithFlags(&stream, flags));
    TRY(hipEventRecord(w->event, w->stream));
    TRY(hipStreamWaitEvent(stream, w->event, 0));
    if (w->failure)
        return;
    add(w, shared_add[w->device], stream);
    TRY(hipEventRecord(w->event, stream));
    TRY(hipStreamWaitEvent(w->stream, w->event, 0));
    TRY(hipStreamDestroy(stream)); /* perhaps with work queued */
}

static void new_event(struct worker *w) {
    hipEvent_t start = NULL, stop = NULL;
    float ms = -1;
    TRY(hipEventCreate(&start));
    TRY(hipEventCreate(&stop));
    if (w->failure)
        return;
    int amount = 1, count = SLOTS;
    void *arguments[] = {&w->values, &amount, &count};
    TRY(hipExtModuleLaunchKernel(shared_add[w->device], SLOTS, 1, 1, SLOTS, 1, 1, 0, w->stream, arguments, NULL, start, stop,
                                 hipExtAnyOrderLaunch));
    w->expected += amount;
    if (next(w, 2)) {
        TRY(hipEventSynchronize(stop));
        TRY(hipEventElapsedTime(&ms, start, stop));
        EXPECT(ms >= 0);
    }
    TRY(hipEventDestroy(start));
    TRY(hipEventDestroy(stop));
}

static void memory(struct worker *w) {
    void *plain = NULL, *ordered = NULL;
    int back[4] = {0}, number = (int)next(w, 1000);
    TRY(hipMalloc(&plain, 4096));
    TRY(hipMallocAsync(&ordered, 64 + next(w, 100000), w->stream));
    TRY(hipMemsetD32Async(ordered, number, 4, w->stream));
    TRY(hipMemcpyAsync(plain, ordered, 16, hipMemcpyDeviceToDevice, w->stream));
    TRY(hipMemcpyAsync(back, plain, 16, hipMemcpyDeviceToHost, w->stream));
    TRY(hipFreeAsync(ordered, w->stream));
    TRY(hipStreamSynchronize(w->stream));
    EXPECT(back[0] == number && back[3] == number);
    TRY(hipFree(plain));
}

/* Adds to ints that are 0 with a kernel and looks at what comes out. */
static void add_to(struct worker *w, void *ints) {
    int amount = 1 + (int)next(w, 100), count = SLOTS, back[SLOTS] = {0};
    void *arguments[] = {&ints, &amount, &count};
    TRY(hipModuleLaunchKernel(shared_add[w->device], 1, 1, 1, SLOTS, 1, 1, 0, w->stream, arguments, NULL));
    TRY(hipMemcpyAsync(back, ints, sizeof back, hipMemcpyDeviceToHost, w->stream));
    TRY(hipStreamSynchronize(w->stream));
    EXPECT(back[0] == amount && back[SLOTS - 1] == amount);
}

static void managed_memory(struct worker *w) {
    void *memory = NULL;
    int value = 0;
    TRY(hipMallocManaged(&memory, 3 * 4096, hipMemAttachGlobal));
    TRY(hipMemAdvise(memory, 4096, hipMemAdviseSetPreferredLocation, w->device));
    TRY(hipMemPrefetchAsync(memory, 3 * 4096, w->device, w->stream));
    add_to(w, memory);
    TRY(hipMemRangeGetAttribute(&value, sizeof value, hipMemRangeAttributePreferredLocation, memory, 4096));
    EXPECT(value == w->device);
    TRY(hipMemRangeGetAttribute(&value, sizeof value, hipMemRangeAttributePreferredLocation, memory, 2 * 4096));
    EXPECT(value == hipInvalidDeviceId);
    TRY(hipFree(memory));
}

static void mapped_memory(struct worker *w) {
    hipMemAllocationProp prop;
    hipMemAccessDesc access = {{hipMemLocationTypeDevice, w->device}, hipMemAccessFlagsProtReadWrite};
    hipMemGenericAllocationHandle_t handle = NULL;
    void *address = NULL;
    memset(&prop, 0, sizeof prop);
    prop.type = hipMemAllocationTypePinned;
    prop.location = access.location;
    TRY(hipMemAddressReserve(&address, 2 * 4096, 0, NULL, 0));
    TRY(hipMemCreate(&handle, 4096, &prop, 0));
    TRY(hipMemMap((char *)address + 4096, 4096, 0, handle, 0));
    TRY(hipMemRelease(handle));
    TRY(hipMemSetAccess((char *)address + 4096, 4096, &access, 1));
    add_to(w, (char *)address + 4096);
    TRY(hipMemUnmap((char *)address + 4096, 4096));
    TRY(hipMemAddressFree(address, 2 * 4096));
}

static void array(struct worker *w) {
    hipChannelFormatDesc desc = hipCreateChannelDesc(32, 0, 0, 0, hipChannelFormatKindSigned);
    hipArray_t made = NULL;
    int in[SLOTS], out[SLOTS] = {0};
    for (int i = 0; i < SLOTS; i++)
        in[i] = (int)next(w, 1000);
    TRY(hipMallocArray(&made, &desc, 8, SLOTS / 8, 0));
    TRY(hipMemcpy2DToArrayAsync(made, 0, 0, in, 32, 32, SLOTS / 8, hipMemcpyHostToDevice, w->stream));
    TRY(hipMemcpy2DFromArrayAsync(out, 32, made, 0, 0, 32, SLOTS / 8, hipMemcpyDeviceToHost, w->stream));
    TRY(hipStreamSynchronize(w->stream));
    EXPECT(memcmp(in, out, sizeof in) == 0);
    TRY(hipFreeArray(made));
}

static void registered_memory(struct worker *w) {
    int *own = calloc(SLOTS, sizeof *own);
    hipIpcMemHandle_t handle;
    void *device = NULL;
    TRY(hipHostRegister(own, SLOTS * sizeof *own, hipHostRegisterMapped));
    add_to(w, own);
    TRY(hipHostUnregister(own));
    TRY(hipMalloc(&device, SLOTS * sizeof *own));
    TRY(hipMemsetAsync(device, 0, SLOTS * sizeof *own, w->stream)); /* hipMemset would be in the null stream, which is another order */
    if (next(w, 4) == 0 && (uintptr_t)device % 4096 == 0)
        TRY(hipIpcGetMemHandle(&handle, device)); /* its pages are exchanged; not in the fake device's */
    add_to(w, device);
    TRY(hipFree(device));
    free(own);
}

static void context(struct worker *w) {
    hipCtx_t primary = NULL, popped = NULL;
    hipDevice_t device = -1;
    TRY(hipDevicePrimaryCtxRetain(&primary, 1 - w->device));
    TRY(hipCtxPushCurrent(primary));
    TRY(hipCtxGetDevice(&device));
    EXPECT(device == 1 - w->device);
    TRY(hipCtxPopCurrent(&popped));
    EXPECT(popped == primary);
    TRY(hipDevicePrimaryCtxRelease(1 - w->device));
    TRY(hipCtxGetDevice(&device));
    EXPECT(device == w->device);
}

/* A thread's errors are its own, whatever the others do wrong at the same time. */
static void wrong(struct worker *w) {
    static const hipError_t errors[] = {hipErrorNotFound, hipErrorInvalidDevice, hipErrorNotFound, hipErrorInvalidValue};
    unsigned which = next(w, 4);
    hipFunction_t function = NULL;
    EXPECT(hipGetLastError() == hipSuccess);
    hipError_t error = which == 0   ? hipModuleUnload((hipModule_t)w)
                       : which == 1 ? hipSetDevice(77)
                       : which == 2 ? hipModuleGetFunction(&function, shared_modules[0], "nothing")
                                    : hipModuleLaunchKernel(shared_add[0], 0, 1, 1, 1, 1, 1, 0, NULL, NULL, NULL);
    EXPECT(error == errors[which]);
    EXPECT(hipPeekAtLastError() == errors[which]);
    EXPECT(hipGetLastError() == errors[which]);
}

static void check(struct worker *w) {
    TRY(hipStreamSynchronize(w->stream));
    for (int i = 0; i < SLOTS; i++)
        EXPECT(w->values[i] == w->expected);
}

static void (*const steps[])(struct worker *) = {own_module,     shared_module, library, registered,        new_stream, new_event, memory,
                                                 managed_memory, mapped_memory, array,   registered_memory, context,    wrong,     check};

/* ---- threads ----------------------------------------------------------------------------------- */

static void *work(void *argument) {
    struct worker *w = argument;
    TRY(hipSetDevice(w->device));
    TRY(hipHostMalloc((void **)&w->values, SLOTS * sizeof *w->values, 0));
    TRY(hipStreamCreateWithFlags(&w->stream, hipStreamNonBlocking));
    TRY(hipEventCreate(&w->event));
    if (w->failure)
        return NULL;
    memset(w->values, 0, SLOTS * sizeof *w->values);
    for (int i = 0; i < STEPS && !w->failure; i++)
        steps[next(w, sizeof steps / sizeof *steps)](w);
    check(w);
    TRY(hipStreamDestroy(w->stream));
    TRY(hipEventDestroy(w->event));
    TRY(hipHostFree(w->values));
    return NULL;
}

static void test_interleavings(void **state) {
    (void)state;
    size_t size = 0;
    static struct worker workers[THREADS];
    pthread_t threads[THREADS];
    image = read_file(API_TEST_OBJECT, &size);
    for (int device = 0; device < 2; device++) {
        ok(hipSetDevice(device));
        ok(hipModuleLoad(&shared_modules[device], API_TEST_OBJECT));
        ok(hipModuleGetFunction(&shared_add[device], shared_modules[device], "add"));
    }
    ok(hipLibraryLoadFromFile(&shared_library, API_TEST_OBJECT, NULL, NULL, 0, NULL, NULL, 0));
    for (unsigned i = 0; i < THREADS; i++) {
        workers[i] = (struct worker){.number = i, .random = seed + i * 2654435761u, .device = (int)(i % 2)};
        assert_int_equal(pthread_create(&threads[i], NULL, work, &workers[i]), 0);
    }
    for (unsigned i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    for (unsigned i = 0; i < THREADS; i++)
        if (workers[i].failure)
            fail_msg("seed %u, thread %u, line %d: %s: %s", seed, i, workers[i].line, workers[i].failure,
                     hipGetErrorName(workers[i].error));
    ok(hipLibraryUnload(shared_library));
    for (int device = 0; device < 2; device++) {
        ok(hipSetDevice(device));
        ok(hipDeviceSynchronize());
        ok(hipModuleUnload(shared_modules[device]));
    }
    free(image);
}

int main(int argc, char **argv) {
    setenv("WAVELIFT_DEVICES", "2", 1);
    setenv("WAVELIFT_LOG", "0", 1);
    if (argc > 1)
        seed = (unsigned)strtoul(argv[1], NULL, 0);
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_interleavings)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
