/* Memory management: allocation, pointers, copies, fills, registered and managed memory. */
#include "api_test.h"

#include <pthread.h>
#include <stdbool.h>
#include <sys/wait.h>
#include <unistd.h>

static void test_allocate(void **state) {
    (void)state;
    void *memory = (void *)1;
    size_t size = 0, total = 0, before = 0;
    hipDeviceptr_t base = NULL;
    ok(hipMemGetInfo(NULL, &total));
    before = memory_left();
    ok(hipMalloc(&memory, 1000));
    assert_int_equal((uintptr_t)memory % 256, 0);
    ok(hipMemGetAddressRange(&base, &size, (char *)memory + 999));
    assert_ptr_equal(base, memory);
    assert_int_equal(size, 1000);
    ok(hipMemPtrGetInfo(memory, &size));
    assert_int_equal(size, 1000);
    fails(hipErrorInvalidValue, hipFree((char *)memory + 8));
    ok(hipFree(memory));
    fails(hipErrorInvalidValue, hipFree(memory));
    fails(hipErrorNotFound, hipMemGetAddressRange(&base, &size, memory));
    fails(hipErrorNotFound, hipMemGetAddressRange(&base, &size, NULL));
    ok(hipMalloc(&memory, 1000));
    ok(hipHostFree(memory)); /* each frees what the other allocates */
    ok(hipHostMalloc(&memory, 1000, 0));
    ok(hipFree(memory));
    fails(hipErrorInvalidValue, hipHostFree(memory));
    ok(hipMalloc(&memory, 0));
    assert_null(memory);
    ok(hipFree(NULL));
    fails(hipErrorInvalidValue, hipMalloc(NULL, 1));
    fails(hipErrorOutOfMemory, hipMalloc(&memory, total + 1));
    fails(hipErrorOutOfMemory, hipMalloc(&memory, SIZE_MAX));
    assert_int_equal(memory_left(), before);
    hipGetLastError();
}

static void test_many(void **state) {
    (void)state;
    enum { COUNT = 2000 };
    static void *memory[COUNT];
    hipDeviceptr_t base = NULL;
    for (int i = 0; i < COUNT; i++)
        ok(hipMalloc(&memory[i], 64 + (size_t)i));
    for (int i = 0; i < COUNT; i += 2)
        ok(hipFree(memory[i]));
    for (int i = 1; i < COUNT; i += 2) {
        ok(hipMemGetAddressRange(&base, NULL, (char *)memory[i] + 63));
        assert_ptr_equal(base, memory[i]);
    }
    for (int i = 1; i < COUNT; i += 2)
        ok(hipFree(memory[i]));
}

/* Arrays of one size begin at different places of their pages, and blocks that are used again are large enough for any of them. */
static void test_places(void **state) {
    (void)state;
    enum { COUNT = 16, LARGE = 256 << 10 };
    static const size_t sizes[] = {LARGE - 3840, LARGE - 256, LARGE, LARGE + (64 << 10) - 3840, LARGE + (64 << 10)};
    unsigned char *memory[COUNT];
    for (unsigned s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        unsigned places = 0;
        for (unsigned i = 0; i < COUNT; i++) {
            ok(hipMalloc((void **)&memory[i], sizes[s]));
            assert_int_equal((uintptr_t)memory[i] % 256, 0);
            places |= 1u << (uintptr_t)memory[i] % 4096 / 256;
            ok(hipMemset(memory[i], (int)i, sizes[s]));
        }
        assert_true(on_gpu() || __builtin_popcount(places) >= COUNT / 2);
        for (unsigned i = 0; i < COUNT; i++) {
            assert_int_equal(byte_at(memory[i]), i);
            assert_int_equal(byte_at(memory[i] + sizes[s] - 1), i);
            ok(hipFree(memory[i]));
        }
    }
}

static void test_pitched(void **state) {
    (void)state;
    void *memory = NULL;
    size_t pitch = 0;
    char host[10 * 20], back[10 * 20];
    for (size_t i = 0; i < sizeof host; i++)
        host[i] = (char)i;
    ok(hipMallocPitch(&memory, &pitch, 20, 10));
    assert_true(pitch >= 20 && pitch % 256 == 0);
    ok(hipMemset2D(memory, pitch, 7, 20, 10));
    assert_int_equal(byte_at((char *)memory + 9 * pitch + 19), 7);
    ok(hipMemcpy2D(memory, pitch, host, 20, 20, 10, hipMemcpyHostToDevice));
    ok(hipMemcpy2DAsync(back, 20, memory, pitch, 20, 10, hipMemcpyDeviceToHost, NULL));
    assert_memory_equal(host, back, sizeof host);
    fails(hipErrorInvalidPitchValue, hipMemcpy2D(memory, 10, host, 20, 20, 10, hipMemcpyHostToDevice));
    fails(hipErrorInvalidValue, hipMemcpy2D(memory, pitch, host, 20, 20, 11, hipMemcpyHostToDevice));
    hip_Memcpy2D param = {.srcMemoryType = hipMemoryTypeHost,
                          .srcHost = host,
                          .srcPitch = 20,
                          .srcXInBytes = 3,
                          .srcY = 2,
                          .dstMemoryType = hipMemoryTypeDevice,
                          .dstDevice = memory,
                          .dstPitch = pitch,
                          .WidthInBytes = 4,
                          .Height = 2};
    ok(hipMemcpyParam2D(&param));
    peek(back, (char *)memory + pitch, 4);
    assert_memory_equal(back, host + 63, 4);
    param.srcMemoryType = hipMemoryTypeUnregistered; /* not one to copy; nothing is guessed */
    fails(hipErrorInvalidValue, hipMemcpyParam2D(&param));
    param.srcMemoryType = hipMemoryTypeDevice;
    fails(hipErrorInvalidValue, hipMemcpyParam2D(&param)); /* no device's pointer */
    param.srcDevice = host;
    fails(hipErrorInvalidValue, hipMemcpyParam2D(&param)); /* the program's memory */
    param.srcMemoryType = hipMemoryTypeUnified, param.srcHost = (void *)16;
    ok(hipMemcpyParam2D(&param)); /* the address says whose it is */
    param.srcMemoryType = hipMemoryTypeHost, param.srcHost = host, param.srcPitch = 3;
    fails(hipErrorInvalidValue, hipMemcpyParam2D(&param)); /* shorter than the rows of the copy */
    ok(hipFree(memory));
}

static void test_volume(void **state) {
    (void)state;
    hipPitchedPtr memory;
    hipExtent extent = make_hipExtent(10, 4, 3);
    char host[120], back[120];
    for (size_t i = 0; i < sizeof host; i++)
        host[i] = (char)i;
    ok(hipMalloc3D(&memory, extent));
    ok(hipMemset3D(memory, 1, extent));
    hipMemcpy3DParms in = {
        .srcPtr = make_hipPitchedPtr(host, 10, 10, 4), .dstPtr = memory, .extent = extent, .kind = hipMemcpyHostToDevice};
    hipMemcpy3DParms out = {
        .srcPtr = memory, .dstPtr = make_hipPitchedPtr(back, 10, 10, 4), .extent = extent, .kind = hipMemcpyDeviceToHost};
    ok(hipMemcpy3D(&in));
    ok(hipMemcpy3DAsync(&out, NULL));
    assert_memory_equal(host, back, sizeof host);
    ok(hipFree(memory.ptr));
}

static void test_copies(void **state) {
    (void)state;
    enum { SIZE = 200000 };
    unsigned char *host = malloc(SIZE), *back = malloc(SIZE);
    void *first = NULL, *second = NULL;
    for (int i = 0; i < SIZE; i++)
        host[i] = (unsigned char)(i * 7);
    ok(hipMalloc(&first, SIZE));
    ok(hipMalloc(&second, SIZE));
    ok(hipMemcpy(first, host, SIZE, hipMemcpyHostToDevice));
    ok(hipMemcpyDtoD(second, first, SIZE));
    ok(hipMemcpy(back, second, SIZE, hipMemcpyDefault));
    assert_memory_equal(host, back, SIZE);
    /* Ordinary memory may be reused as soon as the call returns. */
    for (size_t size = 4; size <= SIZE; size = size < 1000 ? 1000 : size * 14) {
        memset(back, 0, SIZE);
        memset(back, 9, size);
        ok(hipMemcpyAsync(first, back, size, hipMemcpyHostToDevice, NULL));
        memset(back, 1, SIZE);
        ok(hipMemcpyAsync(back, first, size, hipMemcpyDeviceToHost, NULL));
        assert_int_equal(back[0], 9);
        assert_int_equal(back[size - 1], 9);
    }
    ok(hipMemcpy(first, host, 0, hipMemcpyHostToDevice));
    fails(hipErrorInvalidMemcpyDirection, hipMemcpy(first, host, 1, (hipMemcpyKind)17));
    fails(hipErrorInvalidValue, hipMemcpy(first, NULL, 1, hipMemcpyHostToDevice));
    fails(hipErrorInvalidValue, hipMemcpy(first, host, SIZE + 1, hipMemcpyHostToDevice));
    fails(hipErrorInvalidValue, hipMemcpy((char *)first + 1, host, SIZE, hipMemcpyHostToDevice));
    fails(hipErrorContextIsDestroyed, hipMemcpyAsync(first, host, 1, hipMemcpyHostToDevice, (hipStream_t)host));
    ok(hipMemcpyPeer(first, 0, second, 0, SIZE));
    fails(hipErrorInvalidDevice, hipMemcpyPeer(first, 1000, second, 0, SIZE));
    ok(hipFree(first));
    ok(hipFree(second));
    free(host);
    free(back);
}

static void test_fills(void **state) {
    (void)state;
    void *memory = NULL;
    unsigned char bytes[64];
    uint16_t halves[32];
    uint32_t words[16];
    ok(hipMalloc(&memory, 64));
    ok(hipMemset(memory, 0x1ab, 64));
    ok(hipMemcpyDtoH(bytes, memory, 64));
    assert_int_equal(bytes[63], 0xab);
    ok(hipMemsetD16(memory, 0x1234, 32));
    ok(hipMemcpyDtoH(halves, memory, 64));
    assert_int_equal(halves[31], 0x1234);
    ok(hipMemsetD32Async(memory, -2, 16, NULL));
    ok(hipMemcpyDtoH(words, memory, 64));
    assert_int_equal(words[15], 0xfffffffeu);
    ok(hipMemsetD8(memory, 3, 1));
    ok(hipMemcpyDtoH(words, memory, 64));
    assert_int_equal(words[0], 0xffffff03u);
    fails(hipErrorInvalidValue, hipMemset(memory, 0, 65));
    fails(hipErrorInvalidValue, hipMemsetD32((char *)memory + 1, 0, 1));
    fails(hipErrorInvalidValue, hipMemset(NULL, 0, 1));
    ok(hipFree(memory));
}

/* Small pinned memory can still be looked at for a while after it was freed, as with AMD's runtime, and the address is no allocation's. */
static void test_freed_pinned(void **state) {
    (void)state;
    enum { COUNT = 40 };
    static volatile int *memory[COUNT];
    int *large = NULL;
    hipDeviceptr_t base = NULL;
    size_t size = 0;
    if (on_gpu()) /* its driver's memory */
        skip();
    for (int i = 0; i < COUNT; i++) {
        ok(hipHostMalloc((void **)&memory[i], 4, 0));
        *memory[i] = i;
    }
    for (int i = 0; i < COUNT; i++)
        ok(hipHostFree((void *)memory[i]));
    for (int i = 0; i < COUNT; i++) {
        assert_int_equal(*memory[i], i);
        fails(hipErrorNotFound, hipMemGetAddressRange(&base, &size, (void *)memory[i]));
        fails(hipErrorInvalidValue, hipHostFree((void *)memory[i]));
    }
    for (int i = 0; i < 200; i++) { /* those that were freed first are given back */
        ok(hipHostMalloc((void **)&large, 100000, 0));
        assert_int_equal(large[i], 0);
        memset(large, 1, 100000);
        ok(hipHostFree(large));
    }
    ok(hipHostMalloc((void **)&large, 8u << 20, 0));
    ok(hipHostFree(large));
    hipGetLastError();
}

static void test_attributes(void **state) {
    (void)state;
    hipPointerAttribute_t attributes;
    void *device = NULL, *host = NULL, *managed = NULL, *start = NULL;
    int local = 0;
    unsigned flag = 0;
    ok(hipMalloc(&device, 100));
    ok(hipExtHostAlloc(&host, 100, hipHostMallocPortable)); /* HIP 6.3's name */
    ok(hipHostFree(host));
    fails(hipErrorInvalidValue, hipExtHostAlloc(&host, 100, hipHostMallocCoherent | hipHostMallocNonCoherent));
    fails(hipErrorInvalidValue, hipExtHostAlloc(NULL, 100, 0));
    ok(hipHostMalloc(&host, 100, hipHostMallocMapped));
    ok(hipMallocManaged(&managed, 100, hipMemAttachGlobal));
    ok(hipPointerGetAttributes(&attributes, (char *)device + 50));
    assert_int_equal(attributes.type, hipMemoryTypeDevice);
    assert_int_equal(attributes.device, 0);
    ok(hipPointerGetAttributes(&attributes, host));
    assert_int_equal(attributes.type, hipMemoryTypeHost);
    assert_ptr_equal(attributes.hostPointer, host);
    ok(hipPointerGetAttributes(&attributes, managed));
    assert_int_equal(attributes.type, hipMemoryTypeManaged);
    assert_int_equal(attributes.isManaged, 1);
    ok(hipPointerGetAttributes(&attributes, &local));
    assert_int_equal(attributes.type, hipMemoryTypeUnregistered);
    ok(hipPointerGetAttribute(&start, HIP_POINTER_ATTRIBUTE_RANGE_START_ADDR, (char *)device + 5));
    assert_ptr_equal(start, device);
    fails(hipErrorInvalidValue, hipPointerGetAttribute(&start, HIP_POINTER_ATTRIBUTE_RANGE_START_ADDR, &local));
    ok(hipHostGetFlags(&flag, host));
    assert_int_equal(flag, hipHostMallocMapped);
    ok(hipHostGetDevicePointer(&start, host, 0));
    *(int *)managed = 5;
    ok(hipMemPrefetchAsync(managed, 100, 0, NULL));
    fails(hipErrorInvalidDevice, hipMemPrefetchAsync(managed, 100, 1000, NULL));
    ok(hipMemAdvise(managed, 100, hipMemAdviseSetReadMostly, 0));
    ok(hipFree(device));
    ok(hipFree(managed));
    ok(hipHostFree(host));
}

/* The size of what is known at an address. */
static size_t reach(void *memory) {
    size_t size = 0;
    ok(hipMemPtrGetInfo(memory, &size));
    return size;
}

static void test_register(void **state) {
    (void)state;
    static char memory[4096];
    void *device = NULL;
    ok(hipHostRegister(memory, sizeof memory, hipHostRegisterDefault));
    fails(hipErrorHostMemoryAlreadyRegistered, hipHostRegister(memory + 100, 10, hipHostRegisterDefault));
    ok(hipHostRegister(memory, sizeof memory, hipHostRegisterMapped)); /* again, or a part: nothing changes */
    ok(hipHostRegister(memory, 10, hipHostRegisterDefault));
    assert_int_equal(reach(memory), sizeof memory);
    ok(hipHostGetDevicePointer(&device, memory + 8, 0));
    assert_ptr_equal(device, memory + 8);
    ok(hipHostUnregister(memory)); /* once for all of them */
    fails(hipErrorHostMemoryNotRegistered, hipHostUnregister(memory));
    ok(hipHostRegister(memory, 10, hipHostRegisterDefault)); /* memory that was freed, and more where it was */
    ok(hipHostRegister(memory, sizeof memory, hipHostRegisterDefault));
    assert_int_equal(reach(memory), sizeof memory);
    fails(hipErrorInvalidValue, hipHostFree(memory)); /* the program's own */
    ok(hipHostUnregister(memory));
    fails(hipErrorInvalidValue, hipHostRegister(NULL, 10, 0));
    fails(hipErrorInvalidValue, hipHostGetDevicePointer(&device, memory, 0));
}

static void test_host_flags(void **state) {
    (void)state;
    static const unsigned good[] = {hipHostMallocDefault,
                                    hipHostMallocPortable,
                                    hipHostMallocMapped,
                                    hipHostMallocWriteCombined,
                                    hipHostMallocNumaUser,
                                    hipHostMallocCoherent,
                                    hipHostMallocNonCoherent,
                                    hipHostMallocUncached,
                                    hipHostMallocPortable | hipHostMallocMapped | hipHostMallocCoherent,
                                    0x8u /* nothing yet */};
    static const unsigned bad[] = {hipHostMallocCoherent | hipHostMallocNonCoherent, ~0u};
    static char pages[3 * 4096];
    void *memory = NULL, *device = NULL;
    unsigned flags = 0;
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        ok(hipHostMalloc(&memory, 100, good[i]));
        assert_int_equal(((char *)memory)[99], 0);
        ok(hipHostGetFlags(&flags, (char *)memory + 99));
        assert_int_equal(flags, good[i]);
        ok(hipHostGetDevicePointer(&device, (char *)memory + 5, 0));
        assert_ptr_equal(device, (char *)memory + 5);
        fails(hipErrorInvalidValue, hipHostGetDevicePointer(&device, memory, 1));
        ok(hipHostFree(memory));
    }
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        fails(hipErrorInvalidValue, hipHostMalloc(&memory, 100, bad[i]));
    ok(hipHostMalloc(&memory, 0, 0));
    assert_null(memory);
    fails(hipErrorInvalidValue, hipHostMalloc(NULL, 100, 0));
    fails(hipErrorInvalidValue, hipHostAlloc(&memory, 100, hipHostMallocCoherent));
    ok(hipHostAlloc(&memory, 100, hipHostAllocMapped | hipHostAllocPortable | hipHostAllocWriteCombined));
    ok(hipFreeHost(memory));
    ok(hipMallocHost(&memory, 100));
    ok(hipHostFree(memory));
    ok(hipMemAllocHost(&memory, 100));
    ok(hipHostFree(memory));
    ok(hipHostFree(NULL));
    fails(hipErrorInvalidValue, hipHostFree(pages));
    ok(hipMalloc(&memory, 10));
    fails(hipErrorInvalidValue, hipHostGetFlags(&flags, memory));
    ok(hipHostGetDevicePointer(&device, memory, 0)); /* of anything that is known */
    assert_ptr_equal(device, memory);
    fails(hipErrorHostMemoryAlreadyRegistered, hipHostRegister(memory, 10, 0));
    ok(hipFree(memory));

    for (unsigned i = 0; i < 16; i++) {
        ok(hipHostRegister(pages + 10, 4096, i));
        fails(hipErrorInvalidValue, hipHostGetFlags(&flags, pages + 4000)); /* of what HIP allocated */
        ok(hipPointerGetAttribute(&flags, HIP_POINTER_ATTRIBUTE_ACCESS_FLAGS, pages + 4000));
        assert_int_equal(flags, i);
        fails(hipErrorHostMemoryAlreadyRegistered, hipHostRegister(pages, sizeof pages, 0));
        fails(hipErrorHostMemoryAlreadyRegistered, hipHostRegister(pages, 11, 0));
        ok(hipHostRegister(pages, 10, 0)); /* beside it */
        ok(hipHostUnregister(pages));
        fails(hipErrorHostMemoryNotRegistered, hipHostUnregister(pages + 11));
        ok(hipHostUnregister(pages + 10));
    }
    fails(hipErrorInvalidValue, hipHostRegister(pages, 100, 16));
    fails(hipErrorInvalidValue, hipHostRegister(pages, 0, 0));
    fails(hipErrorInvalidValue, hipHostRegister((void *)0x123000, 4096, 0)); /* no memory there */
    fails(hipErrorInvalidValue, hipHostUnregister(NULL));
}

static void test_flags_and_pitches(void **state) {
    (void)state;
    void *memory = NULL;
    size_t pitch = 0, before = 0, after = 0;
    hipPitchedPtr block;
    before = memory_left();
    for (unsigned flags = 0; flags <= hipDeviceMallocContiguous; flags++) {
        ok(hipExtMallocWithFlags(&memory, 8, flags));
        ok(hipFree(memory));
    }
    fails(hipErrorInvalidValue, hipExtMallocWithFlags(&memory, 8, 5));
    fails(hipErrorInvalidValue, hipExtMallocWithFlags(&memory, 16, hipMallocSignalMemory));
    fails(hipErrorInvalidValue, hipExtMallocWithFlags(NULL, 8, 0));
    fails(hipErrorInvalidValue, hipMallocPitch(NULL, &pitch, 10, 10));
    fails(hipErrorInvalidValue, hipMallocPitch(&memory, NULL, 10, 10));
    fails(hipErrorInvalidValue, hipMallocPitch(&memory, &pitch, SIZE_MAX, 2));
    fails(hipErrorOutOfMemory, hipMallocPitch(&memory, &pitch, SIZE_MAX / 8, 16));
    fails(hipErrorInvalidValue, hipMemAllocPitch(&memory, &pitch, 10, 10, 3));
    fails(hipErrorInvalidValue, hipMemAllocPitch(&memory, &pitch, 10, 0, 4));
    for (unsigned size = 4; size <= 16; size *= 2) {
        ok(hipMemAllocPitch(&memory, &pitch, 300, 7, size));
        assert_true(pitch >= 300);
        assert_int_equal(pitch % size, 0);
        ok(hipMemset2D(memory, pitch, 1, 300, 7));
        ok(hipFree(memory));
    }
    ok(hipMalloc3D(&block, make_hipExtent(100, 5, 3)));
    assert_int_equal(block.xsize, 100);
    assert_int_equal(block.ysize, 5);
    ok(hipMemset3D(block, 1, make_hipExtent(100, 5, 3)));
    ok(hipFree(block.ptr));
    fails(hipErrorInvalidValue, hipMalloc3D(NULL, make_hipExtent(1, 1, 1)));
    fails(hipErrorOutOfMemory, hipMalloc3D(&block, make_hipExtent(1, SIZE_MAX, 2)));
    after = memory_left();
    assert_int_equal(before, after);
}

/* Freed blocks are used again, whoever freed them, and never twice at once. */
static void *take_and_give(void *argument) {
    enum { SLOTS = 8 };
    unsigned seed = *(unsigned *)argument;
    uint32_t *held[SLOTS] = {0};
    const int steps = on_gpu() ? 100 : 2000; /* each waits for the device */
    for (int step = 0; step < steps; step++) {
        seed = seed * 1664525u + 1013904223u;
        unsigned i = (seed >> 8) % SLOTS;
        size_t size = sizeof(uint32_t) << ((seed >> 12) % 12);
        if (held[i]) {
            assert_int_equal(int_at(held[i]), *(unsigned *)argument * 100 + i);
            ok(hipFree(held[i]));
            held[i] = NULL;
        } else {
            ok(hipMalloc((void **)&held[i], size));
            const uint32_t mine = *(unsigned *)argument * 100 + i;
            poke(held[i], &mine, sizeof mine);
        }
    }
    for (int i = 0; i < SLOTS; i++)
        ok(hipFree(held[i]));
    return NULL;
}

static void test_blocks(void **state) {
    (void)state;
    pthread_t threads[64];
    unsigned seeds[64];
    size_t before = 0, after = 0;
    before = memory_left();
    for (unsigned i = 0; i < 64; i++) {
        seeds[i] = i + 1;
        assert_int_equal(pthread_create(&threads[i], NULL, take_and_give, &seeds[i]), 0);
    }
    for (unsigned i = 0; i < 64; i++)
        pthread_join(threads[i], NULL);
    after = memory_left();
    assert_int_equal(before, after);
}

/* A child of fork has the parent's memory as it was and can allocate, copy and free; a GPU is its parent's. */
static void test_fork(void **state) {
    (void)state;
    void *memory = NULL;
    int status = -1;
    ok(hipMalloc(&memory, 64));
    ok(hipMemset(memory, 7, 64));
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        void *own = NULL;
        char byte = 0;
        if (on_gpu())
            _exit(hipMalloc(&own, 100000) == hipErrorIllegalState ? 0 : 1);
        bool good = hipMalloc(&own, 100000) == hipSuccess && hipMemcpy(own, memory, 64, hipMemcpyDeviceToDevice) == hipSuccess &&
                    hipMemcpy(&byte, own, 1, hipMemcpyDeviceToHost) == hipSuccess && byte == 7 && hipFree(own) == hipSuccess &&
                    hipFree(memory) == hipSuccess;
        _exit(good ? 0 : 1);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    ok(hipFree(memory));
}

static void test_stream_ordered(void **state) {
    (void)state;
    hipStream_t stream = NULL;
    void *memory = NULL;
    size_t before = 0, after = 0;
    before = memory_left();
    ok(hipStreamCreate(&stream));
    ok(hipMallocAsync(&memory, 4096, stream));
    ok(hipMemsetAsync(memory, 1, 4096, stream));
    ok(hipFreeAsync(memory, stream));
    fails(hipErrorInvalidValue, hipFreeAsync(memory, stream));
    ok(hipStreamSynchronize(stream));
    after = memory_left();
    assert_int_equal(before, after);
    ok(hipStreamDestroy(stream));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_allocate),       cmocka_unit_test(test_many),       cmocka_unit_test(test_places),
        cmocka_unit_test(test_pitched),        cmocka_unit_test(test_volume),     cmocka_unit_test(test_copies),
        cmocka_unit_test(test_fills),          cmocka_unit_test(test_attributes), cmocka_unit_test(test_register),
        cmocka_unit_test(test_stream_ordered), cmocka_unit_test(test_host_flags), cmocka_unit_test(test_flags_and_pitches),
        cmocka_unit_test(test_blocks),         cmocka_unit_test(test_fork),       cmocka_unit_test(test_freed_pinned),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
