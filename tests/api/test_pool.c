/* Stream-ordered allocation: pools, attributes, reuse policies, giving memory back, access. */
#include "../bystander.h"
#include "pool_test.h"

#include <pthread.h>
#include <stdbool.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

static uint64_t *gate; /* pinned: streams wait for it */

static int setup(void **state) {
    (void)state;
    ok(hipHostMalloc((void **)&gate, 4096, 0));
    return 0;
}

static int teardown(void **state) {
    (void)state;
    ok(hipHostFree(gate));
    return 0;
}

static void shut(int i) { __atomic_store_n(&gate[i], 0, __ATOMIC_SEQ_CST); }
static void open_gate(int i) { __atomic_store_n(&gate[i], 1, __ATOMIC_SEQ_CST); }
static void wait_at_gate(hipStream_t stream, int i) { ok(hipStreamWaitValue64(stream, &gate[i], 1, hipStreamWaitValueEq, UINT64_MAX)); }

static hipStream_t new_stream(unsigned flags) {
    hipStream_t stream = NULL;
    ok(hipStreamCreateWithFlags(&stream, flags));
    return stream;
}

static void policy(hipMemPool_t pool, int follow, int opportunistic, int internal) {
    ok(hipMemPoolSetAttribute(pool, hipMemPoolReuseFollowEventDependencies, &follow));
    ok(hipMemPoolSetAttribute(pool, hipMemPoolReuseAllowOpportunistic, &opportunistic));
    ok(hipMemPoolSetAttribute(pool, hipMemPoolReuseAllowInternalDependencies, &internal));
}

/* Pages of [memory, memory + size) that the process has in memory; -1: some are not even mapped. */
static int resident(void *memory, size_t size) {
    unsigned char pages[1024];
    int count = 0;
    if (mincore(memory, size, pages) != 0)
        return -1;
    for (size_t i = 0; i < size / 4096; i++)
        count += pages[i] & 1;
    return count;
}

/* ---- allocating ------------------------------------------------------------------------------ */

static void test_order(void **state) {
    (void)state;
    hipStream_t stream = new_stream(hipStreamNonBlocking);
    int *memory = NULL, value = 5, count = 1000, result[1000];
    int supported = 0;
    ok(hipDeviceGetAttribute(&supported, hipDeviceAttributeMemoryPoolsSupported, 0));
    assert_int_equal(supported, 1);
    ok(hipMallocAsync((void **)&memory, sizeof result, stream));
    ok(hipMemsetAsync(memory, 0, sizeof result, stream));
    launch("add", stream, 16, 64, &memory, &value, &count);
    ok(hipMemcpyAsync(result, memory, sizeof result, hipMemcpyDeviceToHost, stream));
    ok(hipFreeAsync(memory, stream));
    ok(hipStreamSynchronize(stream));
    assert_int_equal(result[0], 5);
    assert_int_equal(result[999], 5);
    ok(hipMallocAsync((void **)&memory, 0, stream));
    assert_null(memory);
    fails(hipErrorInvalidValue, hipMallocAsync(NULL, 8, stream));
    fails(hipErrorInvalidValue, hipFreeAsync(NULL, stream));
    fails(hipErrorInvalidValue, hipFreeAsync(&value, stream));
    fails(hipErrorOutOfMemory, hipMallocAsync((void **)&memory, (size_t)1 << 50, stream));
    fails(hipErrorOutOfMemory, hipMallocAsync((void **)&memory, SIZE_MAX - 5, stream));
    ok(hipMalloc((void **)&memory, 64)); /* plain memory may be freed in stream order too */
    ok(hipFreeAsync(memory, stream));
    ok(hipStreamDestroy(stream));
    fails(hipErrorInvalidHandle, hipMallocAsync((void **)&memory, 8, stream));
    ok(hipMallocAsync((void **)&memory, 8, NULL));
    fails(hipErrorInvalidHandle, hipFreeAsync(memory, stream));
    ok(hipFree(memory));
    fails(hipErrorInvalidValue, hipFree(memory));
    ok(hipMallocAsync((void **)&memory, 100, hipStreamPerThread));
    fails(hipErrorInvalidValue, hipFreeAsync((char *)memory + 8, hipStreamPerThread));
    ok(hipFreeAsync(memory, hipStreamPerThread));
    fails(hipErrorInvalidValue, hipFreeAsync(memory, hipStreamPerThread));
    ok(hipDeviceSynchronize());
}

static void test_pointers(void **state) {
    (void)state;
    hipPointerAttribute_t attributes;
    void *memory = NULL;
    hipDeviceptr_t base = NULL;
    size_t size = 0;
    ok(hipMallocAsync(&memory, 1000, NULL));
    ok(hipPointerGetAttributes(&attributes, (char *)memory + 999));
    assert_int_equal(attributes.type, hipMemoryTypeDevice);
    assert_int_equal(attributes.device, 0);
    ok(hipMemGetAddressRange(&base, &size, (char *)memory + 500));
    assert_ptr_equal(base, memory);
    assert_int_equal(size, 1000);
    fails(hipErrorInvalidValue, hipMemset(memory, 0, 1001));
    ok(hipMemset(memory, 0, 1000));
    ok(hipFree(memory));
    ok(hipPointerGetAttributes(&attributes, memory));
    assert_int_equal(attributes.type, hipMemoryTypeUnregistered);
}

/* Many sizes at once: nothing overlaps, everything is aligned, all of it comes back. */
static void test_sizes(void **state) {
    (void)state;
    enum { COUNT = 400 };
    static unsigned char *blocks[COUNT];
    static size_t sizes[COUNT];
    hipStream_t stream = new_stream(0);
    hipMemPool_t pool = new_pool();
    unsigned seed = 4711;
    uint64_t total = 0;
    for (int round = 0; round < 3; round++) {
        for (int i = 0; i < COUNT; i++) {
            sizes[i] = (size_t)1 + (rand_r(&seed) % (1u << (4 + i % 18)));
            blocks[i] = allocate(pool, sizes[i], stream);
            assert_int_equal((uintptr_t)blocks[i] % 256, 0);
            total += sizes[i];
            blocks[i][0] = blocks[i][sizes[i] - 1] = (unsigned char)i;
        }
        assert_true(figure(pool, hipMemPoolAttrUsedMemCurrent) >= total);
        assert_true(figure(pool, hipMemPoolAttrReservedMemCurrent) >= figure(pool, hipMemPoolAttrUsedMemCurrent));
        for (int i = 0; i < COUNT; i++)
            for (int j = 0; j < COUNT; j++)
                assert_false(i != j && blocks[i] <= blocks[j] && blocks[j] < blocks[i] + sizes[i]);
        for (int i = 0; i < COUNT; i++) {
            assert_int_equal(blocks[i][0], (unsigned char)i);
            assert_int_equal(blocks[i][sizes[i] - 1], (unsigned char)i);
            ok(hipFreeAsync(blocks[i], stream));
        }
        assert_int_equal(figure(pool, hipMemPoolAttrUsedMemCurrent), 0);
        total = 0;
    }
    ok(hipStreamSynchronize(stream));
    assert_int_equal(figure(pool, hipMemPoolAttrReservedMemCurrent), 0);
    ok(hipMemPoolDestroy(pool));
    ok(hipStreamDestroy(stream));
}

/* Small freed neighbours become one large block. */
static void test_joining(void **state) {
    (void)state;
    enum { COUNT = 64 };
    void *blocks[COUNT];
    hipStream_t stream = new_stream(0);
    hipMemPool_t pool = new_pool();
    keep_all(pool);
    for (int i = 0; i < COUNT; i++)
        blocks[i] = allocate(pool, 32768, stream);
    uint64_t reserved = figure(pool, hipMemPoolAttrReservedMemCurrent);
    assert_int_equal(reserved, 2 << 20);
    for (int i = 0; i < COUNT; i++)
        ok(hipFreeAsync(blocks[i], stream));
    void *one = allocate(pool, 1 << 20, stream), *two = allocate(pool, 1 << 20, stream);
    assert_int_equal(figure(pool, hipMemPoolAttrReservedMemCurrent), reserved);
    ok(hipFreeAsync(one, stream));
    ok(hipFreeAsync(two, stream));
    ok(hipMemPoolDestroy(pool));
    ok(hipStreamDestroy(stream));
}

/* ---- pools ----------------------------------------------------------------------------------- */

static void test_create(void **state) {
    (void)state;
    hipMemPoolProps properties = props(hipMemHandleTypeNone, 0);
    hipMemPool_t pool = NULL;
    void *memory = NULL;
    fails(hipErrorInvalidValue, hipMemPoolCreate(NULL, &properties));
    fails(hipErrorInvalidValue, hipMemPoolCreate(&pool, NULL));
    properties.allocType = hipMemAllocationTypeInvalid;
    fails(hipErrorInvalidValue, hipMemPoolCreate(&pool, &properties));
    properties = props(hipMemHandleTypeWin32, 0);
    ok(hipMemPoolCreate(&pool, &properties)); /* not looked at before the pool is exported */
    fails(hipErrorInvalidValue, hipMemPoolExportToShareableHandle(&pool, pool, hipMemHandleTypePosixFileDescriptor, 0));
    ok(hipMemPoolDestroy(pool));
    properties = props(hipMemHandleTypeNone, 0);
    properties.location.id = 1000;
    fails(hipErrorInvalidValue, hipMemPoolCreate(&pool, &properties));
    properties.location.id = 0;
    properties.location.type = hipMemLocationTypeInvalid;
    fails(hipErrorInvalidValue, hipMemPoolCreate(&pool, &properties));
    properties = props(hipMemHandleTypeNone, 4 << 20);
    ok(hipMemPoolCreate(&pool, &properties));
    fails(hipErrorOutOfMemory, hipMallocFromPoolAsync(&memory, 5 << 20, pool, NULL));
    memory = allocate(pool, 4 << 20, NULL);
    ok(hipFreeAsync(memory, NULL));
    ok(hipMemPoolDestroy(pool));
    fails(hipErrorInvalidValue, hipMemPoolDestroy(pool));
    fails(hipErrorInvalidValue, hipMemPoolDestroy(NULL));
    fails(hipErrorInvalidValue, hipMallocFromPoolAsync(&memory, 8, pool, NULL));
    fails(hipErrorInvalidValue, hipMallocFromPoolAsync(&memory, 8, NULL, NULL));
    ok(hipDeviceSynchronize());
}

static void test_current(void **state) {
    (void)state;
    hipMemPool_t first = NULL, again = NULL, pool = new_pool();
    hipMemLocation location = {hipMemLocationTypeDevice, 0};
    void *memory = NULL;
    ok(hipDeviceGetDefaultMemPool(&first, 0));
    ok(hipDeviceGetMemPool(&again, 0));
    assert_ptr_equal(first, again);
    fails(hipErrorInvalidValue, hipMemPoolDestroy(first));
    fails(hipErrorInvalidValue, hipDeviceGetDefaultMemPool(NULL, 0));
    fails(hipErrorInvalidDevice, hipDeviceGetDefaultMemPool(&again, 77));
    fails(hipErrorInvalidDevice, hipDeviceGetDefaultMemPool(&again, -1));
    fails(hipErrorInvalidValue, hipDeviceGetMemPool(NULL, 0));
    fails(hipErrorInvalidValue, hipDeviceGetMemPool(&again, 77));
    fails(hipErrorInvalidValue, hipDeviceGetMemPool(&again, -1));
    fails(hipErrorInvalidValue, hipDeviceSetMemPool(0, NULL));
    fails(hipErrorInvalidValue, hipDeviceSetMemPool(77, pool));
    ok(hipDeviceSetMemPool(0, pool));
    ok(hipDeviceGetMemPool(&again, 0));
    assert_ptr_equal(again, pool);
    ok(hipDeviceGetDefaultMemPool(&again, 0));
    assert_ptr_equal(again, first);
    ok(hipMemGetMemPool(&again, &location, hipMemAllocationTypePinned));
    assert_ptr_equal(again, pool);
    ok(hipMallocAsync(&memory, 4096, NULL)); /* from the current pool */
    assert_int_equal(figure(pool, hipMemPoolAttrUsedMemCurrent), 4096);
    ok(hipFreeAsync(memory, NULL));
    ok(hipMemSetMemPool(&location, hipMemAllocationTypePinned, first));
    ok(hipDeviceGetMemPool(&again, 0));
    assert_ptr_equal(again, first);
    ok(hipDeviceSetMemPool(0, pool));
    ok(hipMemPoolDestroy(pool)); /* the default pool becomes current */
    ok(hipDeviceGetMemPool(&again, 0));
    assert_ptr_equal(again, first);
    location.type = hipMemLocationTypeHost;
    fails(hipErrorInvalidValue, hipMemGetMemPool(&again, &location, hipMemAllocationTypePinned));
    ok(hipDeviceSynchronize());
}

static size_t free_memory(void) {
    size_t available = 0, total = 0;
    ok(hipMemGetInfo(&available, &total));
    return available;
}

static void test_destroy_in_use(void **state) {
    (void)state;
    hipStream_t stream = new_stream(hipStreamNonBlocking);
    hipMemPool_t pool = new_pool();
    size_t before = free_memory();
    unsigned char *memory = allocate(pool, 8 << 20, stream);
    assert_true(free_memory() + (8 << 20) <= before);
    ok(hipMemPoolDestroy(pool));
    memory[0] = memory[(8 << 20) - 1] = 1; /* still there */
    fails(hipErrorInvalidValue, hipMemPoolTrimTo(pool, 0));
    shut(0);
    wait_at_gate(stream, 0);
    ok(hipFreeAsync(memory, stream));
    assert_true(free_memory() < before); /* the free has not completed */
    memory[0] = 2;
    open_gate(0);
    for (int i = 0; i < PATIENCE * 1000 && free_memory() < before; i++) /* without any synchronization */
        usleep(1000);
    assert_true(free_memory() >= before);
    ok(hipStreamDestroy(stream));
}

static void test_attributes(void **state) {
    (void)state;
    hipMemPool_t pool = new_pool();
    int flag = 7;
    uint64_t wide = 7;
    for (int attribute = 1; attribute <= 3; attribute++) {
        ok(hipMemPoolGetAttribute(pool, (hipMemPoolAttr)attribute, &flag));
        assert_int_equal(flag, 1);
        flag = 0;
        ok(hipMemPoolSetAttribute(pool, (hipMemPoolAttr)attribute, &flag));
        flag = 7;
        ok(hipMemPoolGetAttribute(pool, (hipMemPoolAttr)attribute, &flag));
        assert_int_equal(flag, 0);
    }
    assert_int_equal(figure(pool, hipMemPoolAttrReleaseThreshold), 0);
    wide = UINT64_C(1) << 40;
    ok(hipMemPoolSetAttribute(pool, hipMemPoolAttrReleaseThreshold, &wide));
    assert_true(figure(pool, hipMemPoolAttrReleaseThreshold) == wide);
    void *one = allocate(pool, 1 << 20, NULL), *two = allocate(pool, 3 << 20, NULL);
    assert_int_equal(figure(pool, hipMemPoolAttrUsedMemCurrent), (1 << 20) + (3 << 20)); /* what was asked for */
    assert_int_equal(figure(pool, hipMemPoolAttrReservedMemCurrent), 4 << 20);
    ok(hipFreeAsync(two, NULL));
    ok(hipStreamSynchronize(NULL));
    assert_int_equal(figure(pool, hipMemPoolAttrUsedMemCurrent), 1 << 20);
    assert_int_equal(figure(pool, hipMemPoolAttrUsedMemHigh), 4 << 20);
    assert_int_equal(figure(pool, hipMemPoolAttrReservedMemCurrent), 4 << 20); /* freed, and kept */
    assert_int_equal(figure(pool, hipMemPoolAttrReservedMemHigh), 4 << 20);
    ok(hipMemPoolTrimTo(pool, 0));
    wide = 0;
    ok(hipMemPoolSetAttribute(pool, hipMemPoolAttrUsedMemHigh, &wide));
    ok(hipMemPoolSetAttribute(pool, hipMemPoolAttrReservedMemHigh, &wide));
    assert_int_equal(figure(pool, hipMemPoolAttrUsedMemHigh), 0); /* until the next allocation */
    assert_int_equal(figure(pool, hipMemPoolAttrReservedMemHigh), 0);
    assert_int_equal(figure(pool, hipMemPoolAttrReservedMemCurrent), 1 << 20);
    ok(hipFreeAsync(allocate(pool, 1000, NULL), NULL));
    assert_int_equal(figure(pool, hipMemPoolAttrUsedMemHigh), (1 << 20) + 1000);
    assert_int_equal(figure(pool, hipMemPoolAttrReservedMemHigh), (1 << 20) + 1000);
    assert_int_equal(figure(pool, hipMemPoolAttrReservedMemCurrent), (1 << 20) + 1000);
    wide = 5;
    fails(hipErrorInvalidValue, hipMemPoolSetAttribute(pool, hipMemPoolAttrUsedMemHigh, &wide));
    fails(hipErrorInvalidValue, hipMemPoolSetAttribute(pool, hipMemPoolAttrReservedMemHigh, &wide));
    fails(hipErrorInvalidValue, hipMemPoolSetAttribute(pool, hipMemPoolAttrUsedMemCurrent, &wide));
    fails(hipErrorInvalidValue, hipMemPoolSetAttribute(pool, hipMemPoolAttrReservedMemCurrent, &wide));
    fails(hipErrorInvalidValue, hipMemPoolSetAttribute(pool, (hipMemPoolAttr)0, &wide));
    fails(hipErrorInvalidValue, hipMemPoolSetAttribute(pool, (hipMemPoolAttr)9, &wide));
    fails(hipErrorInvalidValue, hipMemPoolSetAttribute(pool, hipMemPoolAttrReleaseThreshold, NULL));
    fails(hipErrorInvalidValue, hipMemPoolGetAttribute(pool, hipMemPoolAttrReleaseThreshold, NULL));
    fails(hipErrorInvalidValue, hipMemPoolGetAttribute(pool, (hipMemPoolAttr)9, &wide));
    fails(hipErrorInvalidValue, hipMemPoolGetAttribute(NULL, hipMemPoolAttrReleaseThreshold, &wide));
    ok(hipFreeAsync(one, NULL));
    ok(hipMemPoolDestroy(pool));
    ok(hipDeviceSynchronize());
}

static void test_access(void **state) {
    (void)state;
    hipMemPool_t pool = new_pool();
    hipMemAccessDesc list[2] = {{{hipMemLocationTypeDevice, 1}, hipMemAccessFlagsProtReadWrite},
                                {{hipMemLocationTypeDevice, 0}, hipMemAccessFlagsProtReadWrite}};
    hipMemAccessFlags flags = hipMemAccessFlagsProtNone;
    hipMemLocation own = {hipMemLocationTypeDevice, 0}, other = {hipMemLocationTypeDevice, 1};
    ok(hipMemPoolGetAccess(&flags, pool, &own));
    assert_int_equal(flags, hipMemAccessFlagsProtReadWrite);
    ok(hipMemPoolGetAccess(&flags, pool, &other));
    assert_int_equal(flags, hipMemAccessFlagsProtNone);
    ok(hipMemPoolSetAccess(pool, list, 2));
    ok(hipMemPoolGetAccess(&flags, pool, &other));
    assert_int_equal(flags, hipMemAccessFlagsProtReadWrite);
    list[0].flags = hipMemAccessFlagsProtRead;
    ok(hipMemPoolSetAccess(pool, list, 1));
    ok(hipMemPoolGetAccess(&flags, pool, &other));
    assert_int_equal(flags, hipMemAccessFlagsProtRead);
    list[0].flags = hipMemAccessFlagsProtNone; /* is not taken back */
    fails(hipErrorInvalidDevice, hipMemPoolSetAccess(pool, list, 1));
    list[1].flags = hipMemAccessFlagsProtNone;
    fails(hipErrorInvalidDevice, hipMemPoolSetAccess(pool, &list[1], 1));
    list[1].flags = hipMemAccessFlagsProtRead; /* its own device keeps all access */
    ok(hipMemPoolSetAccess(pool, &list[1], 1));
    ok(hipMemPoolGetAccess(&flags, pool, &own));
    assert_int_equal(flags, hipMemAccessFlagsProtReadWrite);
    list[0].location.id = 9;
    fails(hipErrorInvalidDevice, hipMemPoolSetAccess(pool, list, 1));
    list[0].location = (hipMemLocation){hipMemLocationTypeNone, 0};
    fails(hipErrorInvalidValue, hipMemPoolSetAccess(pool, list, 1));
    list[0].location = (hipMemLocation){hipMemLocationTypeDevice, -1};
    fails(hipErrorInvalidDevice, hipMemPoolSetAccess(pool, list, 1));
    fails(hipErrorInvalidDevice, hipMemPoolSetAccess(pool, list, 1000));
    list[0].location.id = 1;
    list[0].flags = (hipMemAccessFlags)2;
    fails(hipErrorInvalidValue, hipMemPoolSetAccess(pool, list, 1));
    fails(hipErrorInvalidValue, hipMemPoolSetAccess(pool, NULL, 1));
    fails(hipErrorInvalidValue, hipMemPoolSetAccess(NULL, list, 1));
    other.id = 9;
    fails(hipErrorInvalidValue, hipMemPoolGetAccess(&flags, pool, &other));
    fails(hipErrorInvalidValue, hipMemPoolGetAccess(NULL, pool, &own));
    fails(hipErrorInvalidValue, hipMemPoolGetAccess(&flags, pool, NULL));
    /* A pool of one device and a stream of another. */
    ok(hipSetDevice(1));
    hipStream_t stream = new_stream(0);
    unsigned char *memory = allocate(pool, 4096, stream);
    hipPointerAttribute_t attributes;
    ok(hipMemsetAsync(memory, 3, 4096, stream));
    ok(hipPointerGetAttributes(&attributes, memory));
    assert_int_equal(attributes.device, 0);
    ok(hipFreeAsync(memory, stream));
    ok(hipStreamSynchronize(stream));
    ok(hipStreamDestroy(stream));
    fails(hipErrorInvalidDevice, hipDeviceSetMemPool(1, pool));
    ok(hipSetDevice(0));
    ok(hipMemPoolDestroy(pool));
}

/* The most that a pool may have counts what is asked for, not the pages for it. */
static void test_most(void **state) {
    (void)state;
    hipMemPoolProps props = {
        .allocType = hipMemAllocationTypePinned, .location = {hipMemLocationTypeDevice, 0}, .maxSize = (3 << 20) + 1024};
    hipMemPool_t pool = NULL;
    void *refused = NULL;
    ok(hipMemPoolCreate(&pool, &props));
    void *large = allocate(pool, 3 << 20, NULL), *small = allocate(pool, 1024, NULL);
    fails(hipErrorOutOfMemory, hipMallocFromPoolAsync(&refused, 1, pool, NULL));
    ok(hipFreeAsync(small, NULL));
    small = allocate(pool, 1000, NULL);
    ok(hipFreeAsync(small, NULL));
    ok(hipFreeAsync(large, NULL));
    ok(hipStreamSynchronize(NULL));
    ok(hipMemPoolTrimTo(pool, 0));
    uint64_t zero = 0; /* what the pool once had counts on, until its high mark is set */
    fails(hipErrorOutOfMemory, hipMallocFromPoolAsync(&refused, 3 << 20, pool, NULL));
    ok(hipMemPoolSetAttribute(pool, hipMemPoolAttrReservedMemHigh, &zero));
    large = allocate(pool, 3 << 20, NULL);
    ok(hipFreeAsync(large, NULL));
    ok(hipMemPoolDestroy(pool));
    ok(hipDeviceSynchronize());
}

/* ---- giving back ----------------------------------------------------------------------------- */

static void test_threshold(void **state) {
    (void)state;
    enum { SIZE = 4 << 20 };
    hipStream_t stream = new_stream(hipStreamNonBlocking);
    hipEvent_t event = NULL;
    hipMemPool_t pool = new_pool();
    ok(hipEventCreate(&event));
    for (int how = 0; how < 3; how++) { /* the stream, an event, the context */
        char *memory = allocate(pool, SIZE, stream);
        memset(memory, 1, SIZE);
        assert_int_equal(resident(memory, SIZE), SIZE / 4096);
        ok(hipFreeAsync(memory, stream));
        ok(hipEventRecord(event, stream));
        assert_int_equal(figure(pool, hipMemPoolAttrReservedMemCurrent), SIZE); /* not before */
        if (how == 0)
            ok(hipStreamSynchronize(stream));
        else if (how == 1)
            ok(hipEventSynchronize(event));
        else
            ok(hipDeviceSynchronize());
        assert_int_equal(figure(pool, hipMemPoolAttrReservedMemCurrent), 0);
#ifndef API_FAKE /* whose memory is the C library's */
        assert_int_equal(resident(memory, SIZE), -1);
#endif
    }
    uint64_t threshold = SIZE;
    ok(hipMemPoolSetAttribute(pool, hipMemPoolAttrReleaseThreshold, &threshold));
    void *one = allocate(pool, SIZE, stream), *two = allocate(pool, SIZE, stream), *three = allocate(pool, SIZE, stream);
    ok(hipFreeAsync(one, stream));
    ok(hipFreeAsync(two, stream));
    ok(hipStreamSynchronize(stream));
    assert_int_equal(figure(pool, hipMemPoolAttrReservedMemCurrent), SIZE); /* the one in use */
    ok(hipFreeAsync(three, stream));
    ok(hipStreamSynchronize(stream));
    assert_int_equal(figure(pool, hipMemPoolAttrReservedMemCurrent), SIZE); /* the threshold */
    /* What has not completed stays, whatever the host waits for. */
    threshold = 0;
    one = allocate(pool, SIZE, stream);
    ok(hipMemPoolSetAttribute(pool, hipMemPoolAttrReleaseThreshold, &threshold));
    shut(0);
    wait_at_gate(stream, 0);
    ok(hipFreeAsync(one, stream));
    ok(hipStreamSynchronize(NULL));
    assert_int_equal(figure(pool, hipMemPoolAttrReservedMemCurrent), SIZE);
    open_gate(0);
    ok(hipStreamSynchronize(stream));
    assert_int_equal(figure(pool, hipMemPoolAttrReservedMemCurrent), 0);
    ok(hipMemPoolDestroy(pool));
    ok(hipEventDestroy(event));
    ok(hipStreamDestroy(stream));
}

static void test_trim(void **state) {
    (void)state;
    enum { SIZE = 4 << 20, COUNT = 5 };
    hipStream_t stream = new_stream(hipStreamNonBlocking);
    hipMemPool_t pool = new_pool();
    void *blocks[COUNT];
    keep_all(pool);
    for (int i = 0; i < COUNT; i++)
        blocks[i] = allocate(pool, SIZE, stream);
    ok(hipMemPoolTrimTo(pool, 0)); /* all in use */
    assert_int_equal(figure(pool, hipMemPoolAttrReservedMemCurrent), COUNT * SIZE);
    for (int i = 1; i < COUNT; i++)
        ok(hipFreeAsync(blocks[i], stream));
    ok(hipStreamSynchronize(stream));
    assert_int_equal(figure(pool, hipMemPoolAttrReservedMemCurrent), COUNT * SIZE);
    ok(hipMemPoolTrimTo(pool, (size_t)100 * SIZE)); /* has less: nothing happens */
    assert_int_equal(figure(pool, hipMemPoolAttrReservedMemCurrent), COUNT * SIZE);
    ok(hipMemPoolTrimTo(pool, 3 * SIZE - 1));
    assert_int_equal(figure(pool, hipMemPoolAttrReservedMemCurrent), 3 * SIZE); /* at least as many stay */
    ok(hipMemPoolTrimTo(pool, 0));
    assert_int_equal(figure(pool, hipMemPoolAttrReservedMemCurrent), SIZE); /* the one in use */
    shut(0);
    wait_at_gate(stream, 0);
    ok(hipFreeAsync(blocks[0], stream));
    ok(hipMemPoolTrimTo(pool, 0));
    assert_int_equal(figure(pool, hipMemPoolAttrReservedMemCurrent), SIZE); /* freed, but not completed */
    open_gate(0);
    ok(hipStreamSynchronize(stream));
    ok(hipMemPoolTrimTo(pool, 0));
    assert_int_equal(figure(pool, hipMemPoolAttrReservedMemCurrent), 0);
    ok(hipMemPoolDestroy(pool));
    ok(hipStreamDestroy(stream));
    fails(hipErrorInvalidValue, hipMemPoolTrimTo(NULL, 0));
}

/* ---- reuse ----------------------------------------------------------------------------------- */

enum { BLOCK = 2 << 20 };

static void test_reuse_same_stream(void **state) {
    (void)state;
    hipStream_t stream = new_stream(hipStreamNonBlocking);
    hipMemPool_t pool = new_pool();
    keep_all(pool);
    policy(pool, 0, 0, 0);
    shut(0);
    wait_at_gate(stream, 0);
    void *first = allocate(pool, BLOCK, stream);
    ok(hipFreeAsync(first, stream));
    void *second = allocate(pool, BLOCK, stream); /* comes behind the free, though that has not run */
    assert_ptr_equal(first, second);
    ok(hipFreeAsync(second, stream));
    open_gate(0);
    ok(hipStreamSynchronize(stream));
    ok(hipMemPoolDestroy(pool));
    ok(hipStreamDestroy(stream));
}

/* Each policy alone decides whether a block that stream A freed goes to stream B. */
static void test_reuse_policies(void **state) {
    (void)state;
    struct bystander bystander = bystander_new();
    hipStream_t a = new_stream(hipStreamNonBlocking), b = new_stream(hipStreamNonBlocking);
    hipEvent_t event = NULL;
    ok(hipEventCreateWithFlags(&event, hipEventDisableTiming));
    for (int with = 0; with < 2; with++) {
        hipMemPool_t pool = new_pool();
        keep_all(pool);
        /* An event orders B behind the pending free. */
        policy(pool, with, 0, 0);
        shut(0);
        wait_at_gate(a, 0);
        void *first = allocate(pool, BLOCK, a);
        ok(hipFreeAsync(first, a));
        ok(hipEventRecord(event, a));
        ok(hipStreamWaitEvent(b, event, 0));
        void *second = allocate(pool, BLOCK, b);
        assert_int_equal(first == second, with);
        open_gate(0);
        ok(hipStreamSynchronize(a));
        ok(hipFreeAsync(second, b));
        ok(hipStreamSynchronize(b));
        ok(hipMemPoolDestroy(pool));

        /* Without an order the pending free is nobody else's, whatever the policies are. */
        pool = new_pool();
        keep_all(pool);
        policy(pool, 1, 1, 1);
        shut(0);
        wait_at_gate(a, 0);
        first = allocate(pool, BLOCK, a);
        ok(hipFreeAsync(first, a));
        second = allocate(pool, BLOCK, b);
        assert_ptr_not_equal(first, second);
        open_gate(0);
        ok(hipDeviceSynchronize());
        ok(hipFreeAsync(second, b));
        ok(hipMemPoolDestroy(pool));

        /* The free happens to be done. */
        pool = new_pool();
        keep_all(pool);
        policy(pool, 0, with, 0);
        first = allocate(pool, BLOCK, a);
        shut(0);
        wait_at_gate(a, 0);
        ok(hipFreeAsync(first, a));
        ok(hipStreamWriteValue64(a, &gate[1], 5, 0));
        open_gate(0);
        for (int i = 0; i < PATIENCE * 1000 && __atomic_load_n(&gate[1], __ATOMIC_SEQ_CST) != 5; i++)
            usleep(1000);
        shut(1);
        second = allocate(pool, BLOCK, b);
        assert_int_equal(first == second, with);
        ok(hipFreeAsync(second, b));
        /* Told so by a synchronization, all policies are content. */
        policy(pool, 0, 0, 0);
        ok(hipDeviceSynchronize());
        void *third = allocate(pool, BLOCK, a), *fourth = with ? third : allocate(pool, BLOCK, a);
        assert_true(third == first || fourth == first);
        ok(hipFreeAsync(third, a));
        if (!with)
            ok(hipFreeAsync(fourth, a));
        ok(hipDeviceSynchronize());
        ok(hipMemPoolDestroy(pool));

        /* The pool is full: with internal dependencies B waits for A. */
        hipMemPoolProps properties = props(hipMemHandleTypeNone, BLOCK);
        ok(hipMemPoolCreate(&pool, &properties));
        policy(pool, 0, 0, with);
        first = allocate(pool, BLOCK, a);
        shut(0);
        shut(1);
        wait_at_gate(a, 0);
        ok(hipFreeAsync(first, a));
        if (with) {
            second = allocate(pool, BLOCK, b);
            assert_ptr_equal(first, second);
            ok(hipStreamWriteValue64(b, &gate[1], 1, 0));
            bystander_runs(&bystander);
            assert_int_equal(gate[1], 0);
            open_gate(0);
            ok(hipStreamSynchronize(b));
            assert_int_equal(gate[1], 1);
            ok(hipFreeAsync(second, b));
        } else {
            fails(hipErrorOutOfMemory, hipMallocFromPoolAsync(&second, BLOCK, pool, b));
            open_gate(0);
        }
        ok(hipDeviceSynchronize());
        ok(hipMemPoolDestroy(pool));
    }
    ok(hipEventDestroy(event));
    ok(hipStreamDestroy(a));
    ok(hipStreamDestroy(b));
    bystander_end(&bystander);
}

/* The null stream orders: B comes behind A because a command of the null stream stands between them. */
static void test_reuse_null_stream(void **state) {
    (void)state;
    hipStream_t a = new_stream(hipStreamDefault), b = new_stream(hipStreamDefault);
    for (int with = 0; with < 2; with++) {
        hipMemPool_t pool = new_pool();
        keep_all(pool);
        policy(pool, with, 0, 0);
        shut(0);
        wait_at_gate(a, 0);
        void *first = allocate(pool, BLOCK, a);
        ok(hipFreeAsync(first, a));
        void *second = allocate(pool, BLOCK, NULL); /* the null stream itself */
        assert_int_equal(first == second, with);
        ok(hipFreeAsync(second, NULL));
        void *third = allocate(pool, BLOCK, a);
        ok(hipFreeAsync(third, a));
        ok(hipStreamWriteValue64(NULL, &gate[3], 1, 0));
        void *fourth = allocate(pool, BLOCK, b);
        assert_int_equal(third == fourth, with);
        open_gate(0);
        ok(hipDeviceSynchronize());
        ok(hipFreeAsync(fourth, b));
        ok(hipMemPoolDestroy(pool));
    }
    ok(hipDeviceSynchronize());
    ok(hipStreamDestroy(a));
    ok(hipStreamDestroy(b));
}

/* ---- numbers --------------------------------------------------------------------------------- */

static void test_a_million(void **state) {
    (void)state;
    enum { COUNT = 1000000, KEPT = 512 };
    static void *kept[KEPT];
    static size_t sizes[KEPT];
    hipStream_t streams[3] = {new_stream(0), new_stream(hipStreamNonBlocking), NULL};
    hipMemPool_t pool = new_pool();
    keep_all(pool);
    unsigned seed = 12;
    memset(kept, 0, sizeof kept);
    for (int i = 0; i < COUNT; i++) {
        unsigned slot = (unsigned)rand_r(&seed) % KEPT;
        hipStream_t stream = streams[(unsigned)rand_r(&seed) % 3];
        if (kept[slot]) {
            assert_int_equal(*(size_t *)kept[slot], sizes[slot]);
            ok(hipFreeAsync(kept[slot], stream));
        }
        sizes[slot] = (size_t)8 + (unsigned)rand_r(&seed) % 20000;
        ok(hipMallocFromPoolAsync(&kept[slot], sizes[slot], pool, stream));
        *(size_t *)kept[slot] = sizes[slot];
    }
    for (int i = 0; i < KEPT; i++)
        if (kept[i])
            ok(hipFreeAsync(kept[i], NULL));
    ok(hipDeviceSynchronize());
    assert_int_equal(figure(pool, hipMemPoolAttrUsedMemCurrent), 0);
    assert_true(figure(pool, hipMemPoolAttrReservedMemHigh) < 64 << 20); /* 512 pieces of 10 KiB are 5 MiB */
    ok(hipMemPoolTrimTo(pool, 0));
    assert_int_equal(figure(pool, hipMemPoolAttrReservedMemCurrent), 0);
    ok(hipMemPoolDestroy(pool));
    ok(hipStreamDestroy(streams[0]));
    ok(hipStreamDestroy(streams[1]));
}

enum { THREADS = 16, ROUNDS = 3000 };

static void *hammer(void *argument) {
    hipMemPool_t pool = ((void **)argument)[0];
    unsigned seed = (unsigned)(uintptr_t)((void **)argument)[1];
    hipStream_t stream = NULL;
    void *mine[16] = {0};
    if (hipStreamCreateWithFlags(&stream, seed & 1) != hipSuccess)
        return (void *)1;
    for (int i = 0; i < ROUNDS; i++) {
        unsigned slot = (unsigned)rand_r(&seed) % 16;
        if (mine[slot] && (*(unsigned *)mine[slot] != slot || hipFreeAsync(mine[slot], stream) != hipSuccess))
            return (void *)2;
        mine[slot] = NULL;
        if (hipMallocFromPoolAsync(&mine[slot], 64 + (unsigned)rand_r(&seed) % 100000, pool, stream) != hipSuccess)
            return (void *)3;
        *(unsigned *)mine[slot] = slot;
        if (i % 64 == 0 && hipStreamSynchronize(stream) != hipSuccess)
            return (void *)4;
        if (i % 500 == 0 && hipMemPoolTrimTo(pool, 1 << 20) != hipSuccess)
            return (void *)5;
    }
    for (int i = 0; i < 16; i++)
        if (mine[i] && hipFreeAsync(mine[i], stream) != hipSuccess)
            return (void *)6;
    return (void *)(intptr_t)(hipStreamDestroy(stream) != hipSuccess);
}

static void test_threads(void **state) {
    (void)state;
    pthread_t threads[THREADS];
    void *arguments[THREADS][2];
    hipMemPool_t pool = new_pool();
    for (int i = 0; i < THREADS; i++) {
        arguments[i][0] = pool;
        arguments[i][1] = (void *)(uintptr_t)(i * 77 + 5);
        assert_int_equal(pthread_create(&threads[i], NULL, hammer, arguments[i]), 0);
    }
    for (int i = 0; i < THREADS; i++) {
        void *result = NULL;
        pthread_join(threads[i], &result);
        assert_null(result);
    }
    ok(hipDeviceSynchronize());
    assert_int_equal(figure(pool, hipMemPoolAttrUsedMemCurrent), 0);
    assert_int_equal(figure(pool, hipMemPoolAttrReservedMemCurrent), 0);
    ok(hipMemPoolDestroy(pool));
}

static void test_reset(void **state) {
    (void)state;
    hipMemPool_t pool = new_pool(), first = NULL;
    void *memory = allocate(pool, 3 << 20, NULL);
    ok(hipDeviceSetMemPool(0, pool));
    ok(hipDeviceReset());
    fails(hipErrorInvalidValue, hipFreeAsync(memory, NULL));
    fails(hipErrorInvalidValue, hipMemPoolTrimTo(pool, 0));
    ok(hipDeviceGetMemPool(&pool, 0));
    ok(hipDeviceGetDefaultMemPool(&first, 0));
    assert_ptr_equal(pool, first);
    ok(hipMallocAsync(&memory, 64, NULL));
    ok(hipFreeAsync(memory, NULL));
    ok(hipDeviceSynchronize());
}

int main(void) {
    setenv("WAVELIFT_DEVICES", "2", 1);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_order),
        cmocka_unit_test(test_pointers),
        cmocka_unit_test(test_sizes),
        cmocka_unit_test(test_joining),
        cmocka_unit_test(test_create),
        cmocka_unit_test(test_current),
        cmocka_unit_test(test_destroy_in_use),
        cmocka_unit_test(test_attributes),
        cmocka_unit_test(test_access),
        cmocka_unit_test(test_most),
        cmocka_unit_test(test_threshold),
        cmocka_unit_test(test_trim),
        cmocka_unit_test(test_reuse_same_stream),
        cmocka_unit_test(test_reuse_policies),
        cmocka_unit_test(test_reuse_null_stream),
        cmocka_unit_test(test_a_million),
        cmocka_unit_test(test_threads),
        cmocka_unit_test(test_reset),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
