/* Managed memory and what is said about it; pointer attributes of every kind of memory. */
#include "api_test.h"

#include <pthread.h>
#include <stdbool.h>
#include <sys/mman.h>

#define PAGE 4096

static char *managed(size_t size) {
    void *memory = NULL;
    ok(hipMallocManaged(&memory, size, hipMemAttachGlobal));
    return memory;
}

static int range(hipMemRangeAttribute attribute, const void *ptr, size_t count) {
    int value = 12345;
    ok(hipMemRangeGetAttribute(&value, sizeof value, attribute, ptr, count));
    return value;
}

static int devices(void) {
    int count = 0;
    ok(hipGetDeviceCount(&count));
    return count;
}

static void test_allocate(void **state) {
    (void)state;
    void *memory = NULL;
    fails(hipErrorInvalidValue, hipMallocManaged(NULL, 16, hipMemAttachGlobal));
    fails(hipErrorInvalidValue, hipMallocManaged(&memory, 0, hipMemAttachGlobal));
    fails(hipErrorInvalidValue, hipMallocManaged(&memory, 16, 0));
    fails(hipErrorInvalidValue, hipMallocManaged(&memory, 16, hipMemAttachSingle));
    fails(hipErrorInvalidValue, hipMallocManaged(&memory, 16, hipMemAttachGlobal | hipMemAttachHost));
    fails(hipErrorOutOfMemory, hipMallocManaged(&memory, SIZE_MAX - 8192, hipMemAttachGlobal));
    ok(hipMallocManaged(&memory, 5000, hipMemAttachHost));
    assert_int_equal((uintptr_t)memory % PAGE, 0);
    for (int i = 0; i < 5000; i++)
        assert_int_equal(((char *)memory)[i], 0);
    int one = 1, count = 1250; /* both sides use the same pointer */
    ((int *)memory)[1249] = 41;
    launch("add", NULL, 20, 64, &memory, &one, &count);
    ok(hipDeviceSynchronize());
    assert_int_equal(((int *)memory)[1249], 42);
    fails(hipErrorInvalidValue, hipFree((char *)memory + PAGE));
    ok(hipFree(memory));
    int value = 0;
    static const hipDeviceAttribute_t attributes[] = {
        hipDeviceAttributeManagedMemory, hipDeviceAttributeConcurrentManagedAccess, hipDeviceAttributePageableMemoryAccess,
        hipDeviceAttributePageableMemoryAccessUsesHostPageTables, hipDeviceAttributeDirectManagedMemAccessFromHost};
    for (size_t i = 0; i < sizeof attributes / sizeof *attributes; i++) {
        ok(hipDeviceGetAttribute(&value, attributes[i], 0));
        if (on_gpu() && i >= 2) /* as the GPU is */
            assert_in_range(value, 0, 1);
        else
            assert_int_equal(value, 1);
    }
}

static void test_defaults(void **state) {
    (void)state;
    char *memory = managed(3 * PAGE);
    int by[3] = {7, 7, 7};
    assert_int_equal(range(hipMemRangeAttributeReadMostly, memory, 3 * PAGE), 0);
    assert_int_equal(range(hipMemRangeAttributePreferredLocation, memory, 3 * PAGE), hipInvalidDeviceId);
    assert_int_equal(range(hipMemRangeAttributeLastPrefetchLocation, memory, 1), hipInvalidDeviceId);
    assert_int_equal(range(hipMemRangeAttributeCoherencyMode, memory, 1), hipMemRangeCoherencyModeFineGrain);
    ok(hipMemRangeGetAttribute(by, sizeof by, hipMemRangeAttributeAccessedBy, memory, 1));
    assert_int_equal(by[0], hipInvalidDeviceId);
    assert_int_equal(by[2], hipInvalidDeviceId);
    ok(hipFree(memory));
}

/* Pages 0 to 3 get different advice; ranges over several of them give what they have in common. */
static void test_pieces(void **state) {
    (void)state;
    char *memory = managed(4 * PAGE);
    ok(hipMemAdvise(memory + PAGE, 2 * PAGE, hipMemAdviseSetReadMostly, 0));
    assert_int_equal(range(hipMemRangeAttributeReadMostly, memory, 4 * PAGE), 0);
    assert_int_equal(range(hipMemRangeAttributeReadMostly, memory, 1), 0);
    assert_int_equal(range(hipMemRangeAttributeReadMostly, memory + PAGE, 2 * PAGE), 1);
    assert_int_equal(range(hipMemRangeAttributeReadMostly, memory + PAGE, 2 * PAGE + 1), 0);
    assert_int_equal(range(hipMemRangeAttributeReadMostly, memory + PAGE - 1, 2), 0);
    ok(hipMemAdvise(memory + PAGE, PAGE, hipMemAdviseUnsetReadMostly, 0));
    assert_int_equal(range(hipMemRangeAttributeReadMostly, memory + PAGE, PAGE), 0);
    assert_int_equal(range(hipMemRangeAttributeReadMostly, memory + 2 * PAGE, PAGE), 1);

    ok(hipMemAdvise(memory, 2 * PAGE, hipMemAdviseSetPreferredLocation, 0));
    ok(hipMemAdvise(memory + 2 * PAGE, PAGE, hipMemAdviseSetPreferredLocation, hipCpuDeviceId));
    assert_int_equal(range(hipMemRangeAttributePreferredLocation, memory, 2 * PAGE), 0);
    assert_int_equal(range(hipMemRangeAttributePreferredLocation, memory + 2 * PAGE, PAGE), hipCpuDeviceId);
    assert_int_equal(range(hipMemRangeAttributePreferredLocation, memory, 3 * PAGE), hipInvalidDeviceId);
    assert_int_equal(range(hipMemRangeAttributePreferredLocation, memory + 2 * PAGE, 2 * PAGE), hipInvalidDeviceId);
    ok(hipMemAdvise(memory + 2 * PAGE, PAGE, hipMemAdviseSetPreferredLocation, 0)); /* the latest counts */
    assert_int_equal(range(hipMemRangeAttributePreferredLocation, memory, 3 * PAGE), 0);
    ok(hipMemAdvise(memory, PAGE, hipMemAdviseUnsetPreferredLocation, 0));
    assert_int_equal(range(hipMemRangeAttributePreferredLocation, memory, PAGE), hipInvalidDeviceId);
    assert_int_equal(range(hipMemRangeAttributePreferredLocation, memory + PAGE, PAGE), 0);

    ok(hipMemAdvise(memory, 4 * PAGE, hipMemAdviseSetCoarseGrain, 0));
    assert_int_equal(range(hipMemRangeAttributeCoherencyMode, memory, 4 * PAGE), hipMemRangeCoherencyModeCoarseGrain);
    ok(hipMemAdvise(memory, PAGE, hipMemAdviseUnsetCoarseGrain, 0));
    assert_int_equal(range(hipMemRangeAttributeCoherencyMode, memory, 4 * PAGE), hipMemRangeCoherencyModeIndeterminate);
    assert_int_equal(range(hipMemRangeAttributeCoherencyMode, memory, PAGE), hipMemRangeCoherencyModeFineGrain);
    /* Each advice left the others as they were. */
    assert_int_equal(range(hipMemRangeAttributeReadMostly, memory + 2 * PAGE, PAGE), 1);
    ok(hipFree(memory));
}

/* The range is rounded down and up to pages. */
static void test_rounding(void **state) {
    (void)state;
    char *memory = managed(3 * PAGE);
    ok(hipMemAdvise(memory + PAGE + 100, 1, hipMemAdviseSetReadMostly, 0));
    assert_int_equal(range(hipMemRangeAttributeReadMostly, memory + PAGE, PAGE), 1);
    assert_int_equal(range(hipMemRangeAttributeReadMostly, memory + PAGE - 1, 1), 0);
    assert_int_equal(range(hipMemRangeAttributeReadMostly, memory + 2 * PAGE, 1), 0);
    ok(hipMemAdvise(memory + 2 * PAGE - 1, 2, hipMemAdviseSetCoarseGrain, 0));
    assert_int_equal(range(hipMemRangeAttributeCoherencyMode, memory + PAGE, 2 * PAGE), hipMemRangeCoherencyModeCoarseGrain);
    ok(hipFree(memory));
    memory = managed(100); /* the last page counts as whole */
    ok(hipMemAdvise(memory, 100, hipMemAdviseSetReadMostly, 0));
    assert_int_equal(range(hipMemRangeAttributeReadMostly, memory + 99, 1), 1);
    fails(hipErrorInvalidValue, hipMemAdvise(memory, 101, hipMemAdviseSetReadMostly, 0));
    ok(hipFree(memory));
}

static void test_accessed_by(void **state) {
    (void)state;
    char *memory = managed(2 * PAGE);
    int by[4], count = devices();
    ok(hipMemAdvise(memory, 2 * PAGE, hipMemAdviseSetAccessedBy, hipCpuDeviceId));
    ok(hipMemAdvise(memory, PAGE, hipMemAdviseSetAccessedBy, 0));
    ok(hipMemRangeGetAttribute(by, sizeof by, hipMemRangeAttributeAccessedBy, memory, PAGE));
    assert_int_equal(by[0], 0);
    assert_int_equal(by[1], hipCpuDeviceId);
    assert_int_equal(by[2], hipInvalidDeviceId);
    assert_int_equal(by[3], hipInvalidDeviceId);
    ok(hipMemRangeGetAttribute(by, sizeof by, hipMemRangeAttributeAccessedBy, memory, 2 * PAGE)); /* what all pages have */
    assert_int_equal(by[0], hipCpuDeviceId);
    assert_int_equal(by[1], hipInvalidDeviceId);
    if (count > 1) {
        ok(hipMemAdvise(memory, PAGE, hipMemAdviseSetAccessedBy, count - 1));
        ok(hipMemRangeGetAttribute(by, 8, hipMemRangeAttributeAccessedBy, memory, PAGE)); /* as many as fit */
        assert_int_equal(by[0], 0);
        assert_int_equal(by[1], count - 1);
    }
    ok(hipMemAdvise(memory, PAGE, hipMemAdviseUnsetAccessedBy, 0));
    ok(hipMemAdvise(memory, PAGE, hipMemAdviseUnsetAccessedBy, hipCpuDeviceId));
    ok(hipMemRangeGetAttribute(by, 4, hipMemRangeAttributeAccessedBy, memory, PAGE));
    assert_int_equal(by[0], count > 1 ? count - 1 : hipInvalidDeviceId);
    ok(hipFree(memory));
}

static void test_prefetch(void **state) {
    (void)state;
    char *memory = managed(4 * PAGE), *plain = malloc(3 * PAGE);
    void *device = NULL;
    unsigned char present[4];
    hipStream_t stream = NULL;
    ok(hipStreamCreate(&stream));
    ok(hipMemPrefetchAsync(memory, 2 * PAGE, 0, stream));
    ok(hipStreamSynchronize(stream));
    assert_int_equal(mincore(memory, 4 * PAGE, present), 0);
    assert_true(on_gpu() || (present[0] & present[1] & 1)); /* a GPU has them elsewhere */
    assert_int_equal(range(hipMemRangeAttributeLastPrefetchLocation, memory, 2 * PAGE), 0);
    assert_int_equal(range(hipMemRangeAttributeLastPrefetchLocation, memory, 3 * PAGE), hipInvalidDeviceId);
    ok(hipMemPrefetchAsync(memory, 4 * PAGE, hipCpuDeviceId, stream));
    assert_int_equal(range(hipMemRangeAttributeLastPrefetchLocation, memory, 4 * PAGE), hipCpuDeviceId);
    ok(hipMemPrefetchAsync_v2(memory, PAGE, (hipMemLocation){hipMemLocationTypeDevice, 0}, 0, stream));
    assert_int_equal(range(hipMemRangeAttributeLastPrefetchLocation, memory, PAGE), 0);
    ok(hipMemPrefetchAsync_v2(memory, PAGE, (hipMemLocation){hipMemLocationTypeHostNumaCurrent, 0}, 0, stream));
    assert_int_equal(range(hipMemRangeAttributeLastPrefetchLocation, memory, PAGE), hipCpuDeviceId);
    void *both[2] = {memory, memory + 2 * PAGE};
    size_t sizes[2] = {PAGE, PAGE}, firsts[2] = {0, 1};
    hipMemLocation places[2] = {{hipMemLocationTypeDevice, 0}, {hipMemLocationTypeHost, 0}};
    ok(hipMemPrefetchBatchAsync(both, sizes, 2, places, firsts, 2, 0, stream));
    assert_int_equal(range(hipMemRangeAttributeLastPrefetchLocation, memory, PAGE), 0);
    assert_int_equal(range(hipMemRangeAttributeLastPrefetchLocation, memory + 2 * PAGE, PAGE), hipCpuDeviceId);
    fails(hipErrorInvalidValue, hipMemPrefetchBatchAsync(both, sizes, 2, places, firsts, 2, 1, stream));
    fails(hipErrorInvalidValue, hipMemPrefetchBatchAsync(both, sizes, 1, places, firsts, 2, 0, stream));
    fails(hipErrorInvalidValue, hipMemPrefetchBatchAsync(both, NULL, 2, places, firsts, 2, 0, stream));
    firsts[0] = 1;
    fails(hipErrorInvalidValue, hipMemPrefetchBatchAsync(both, sizes, 2, places, firsts, 1, 0, stream));
    /* A prefetch changes no contents and no other advice. */
    memory[5] = 9;
    ok(hipMemPrefetchAsync(memory, 4 * PAGE, 0, NULL));
    ok(hipDeviceSynchronize());
    assert_int_equal(memory[5], 9);
    assert_int_equal(range(hipMemRangeAttributePreferredLocation, memory, 4 * PAGE), hipInvalidDeviceId);
    ok(hipMemPrefetchAsync(plain, 3 * PAGE, 0, stream)); /* the system's memory */
    ok(hipStreamSynchronize(stream));

    ok(hipMalloc(&device, 64));
    fails(hipErrorInvalidValue, hipMemPrefetchAsync(device, 64, 0, stream));
    fails(hipErrorInvalidValue, hipMemPrefetchAsync(NULL, 64, 0, stream));
    fails(hipErrorInvalidValue, hipMemPrefetchAsync(memory, 0, 0, stream));
    fails(hipErrorInvalidValue, hipMemPrefetchAsync(memory + PAGE, 4 * PAGE, 0, stream));
    fails(hipErrorInvalidValue, hipMemPrefetchAsync((void *)0x5000, PAGE, 0, stream));
    fails(hipErrorInvalidDevice, hipMemPrefetchAsync(memory, PAGE, devices(), stream));
    fails(hipErrorInvalidDevice, hipMemPrefetchAsync(memory, PAGE, hipInvalidDeviceId, stream));
    fails(hipErrorContextIsDestroyed, hipMemPrefetchAsync(memory, PAGE, 0, (hipStream_t)memory));
    fails(hipErrorInvalidValue, hipMemPrefetchAsync_v2(memory, PAGE, (hipMemLocation){hipMemLocationTypeDevice, 0}, 1, stream));
    fails(hipErrorInvalidDevice, hipMemPrefetchAsync_v2(memory, PAGE, (hipMemLocation){hipMemLocationTypeNone, 0}, 0, stream));
    ok(hipStreamDestroy(stream));
    ok(hipFree(device));
    ok(hipFree(memory));
    free(plain);
}

static void test_errors(void **state) {
    (void)state;
    char *memory = managed(2 * PAGE), local[64];
    void *device = NULL, *host = NULL;
    int value = 0;
    ok(hipMalloc(&device, PAGE));
    ok(hipHostMalloc(&host, PAGE, 0));
    void *const others[] = {device, host, (void *)0x5000, NULL, memory + PAGE + 1};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) { /* not managed, or over the end */
        fails(hipErrorInvalidValue, hipMemAdvise(others[i], PAGE, hipMemAdviseSetReadMostly, 0));
        fails(hipErrorInvalidValue, hipMemRangeGetAttribute(&value, 4, hipMemRangeAttributeReadMostly, others[i], PAGE));
    }
    fails(hipErrorInvalidValue, hipMemAdvise(memory, 0, hipMemAdviseSetReadMostly, 0));
    fails(hipErrorInvalidValue, hipMemAdvise(memory, PAGE, (hipMemoryAdvise)0, 0));
    fails(hipErrorInvalidValue, hipMemAdvise(memory, PAGE, (hipMemoryAdvise)99, 0));
    fails(hipErrorInvalidDevice, hipMemAdvise(memory, PAGE, hipMemAdviseSetAccessedBy, devices()));
    ok(hipMemAdvise(memory, PAGE, hipMemAdviseUnsetReadMostly, devices())); /* of no device */
    fails(hipErrorInvalidDevice, hipMemAdvise(memory, PAGE, hipMemAdviseSetPreferredLocation, hipInvalidDeviceId));
    ok(hipMemAdvise_v2(memory, PAGE, hipMemAdviseSetPreferredLocation, (hipMemLocation){hipMemLocationTypeHost, 77}));
    assert_int_equal(range(hipMemRangeAttributePreferredLocation, memory, PAGE), hipCpuDeviceId);

    fails(hipErrorInvalidValue, hipMemRangeGetAttribute(NULL, 4, hipMemRangeAttributeReadMostly, memory, PAGE));
    fails(hipErrorInvalidValue, hipMemRangeGetAttribute(&value, 3, hipMemRangeAttributeReadMostly, memory, PAGE));
    fails(hipErrorInvalidValue, hipMemRangeGetAttribute(&value, 8, hipMemRangeAttributePreferredLocation, memory, PAGE));
    fails(hipErrorInvalidValue, hipMemRangeGetAttribute(local, 6, hipMemRangeAttributeAccessedBy, memory, PAGE));
    fails(hipErrorInvalidValue, hipMemRangeGetAttribute(local, 0, hipMemRangeAttributeAccessedBy, memory, PAGE));
    fails(hipErrorInvalidValue, hipMemRangeGetAttribute(&value, 4, (hipMemRangeAttribute)55, memory, PAGE));
    fails(hipErrorInvalidValue, hipMemRangeGetAttribute(&value, 4, hipMemRangeAttributeReadMostly, memory, 0));

    int first = 0, second = 0;
    void *data[2] = {&first, &second};
    size_t sizes[2] = {4, 4};
    hipMemRangeAttribute attributes[2] = {hipMemRangeAttributeReadMostly, hipMemRangeAttributePreferredLocation};
    ok(hipMemAdvise(memory, PAGE, hipMemAdviseSetReadMostly, 0));
    ok(hipMemRangeGetAttributes(data, sizes, attributes, 2, memory, PAGE));
    assert_int_equal(first, 1);
    assert_int_equal(second, hipCpuDeviceId);
    fails(hipErrorInvalidValue, hipMemRangeGetAttributes(data, sizes, attributes, 0, memory, PAGE));
    fails(hipErrorInvalidValue, hipMemRangeGetAttributes(NULL, sizes, attributes, 2, memory, PAGE));
    fails(hipErrorInvalidValue, hipMemRangeGetAttributes(data, NULL, attributes, 2, memory, PAGE));
    fails(hipErrorInvalidValue, hipMemRangeGetAttributes(data, sizes, NULL, 2, memory, PAGE));
    data[1] = NULL;
    fails(hipErrorInvalidValue, hipMemRangeGetAttributes(data, sizes, attributes, 2, memory, PAGE));
    ok(hipFree(device));
    ok(hipHostFree(host));
    ok(hipFree(memory));
    /* Advice ends with the allocation, also where the address is used again. */
    memory = managed(2 * PAGE);
    assert_int_equal(range(hipMemRangeAttributeReadMostly, memory, PAGE), 0);
    ok(hipFree(memory));
}

/* The system's memory takes advice like managed memory; of other memory only the grain is known. */
static void test_other_memory(void **state) {
    (void)state;
    char *plain = mmap(NULL, 4 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    static const struct {
        unsigned flags;
        int mode;
    } devices[] = {{hipDeviceMallocDefault, hipMemRangeCoherencyModeCoarseGrain},
                   {hipDeviceMallocFinegrained, hipMemRangeCoherencyModeFineGrain}},
      hosts[] = {{hipHostMallocDefault, hipMemRangeCoherencyModeFineGrain},
                 {hipHostMallocNonCoherent, hipMemRangeCoherencyModeCoarseGrain}};
    int value = 9;
    assert_true(plain != MAP_FAILED);
    ok(hipMemAdvise(plain + PAGE, PAGE, hipMemAdviseSetReadMostly, 0));
    ok(hipMemAdvise(plain, 4 * PAGE, hipMemAdviseSetPreferredLocation, 0));
    ok(hipMemAdvise(plain, 4 * PAGE, hipMemAdviseSetAccessedBy, hipCpuDeviceId));
    assert_int_equal(range(hipMemRangeAttributeReadMostly, plain + PAGE, PAGE), 1);
    assert_int_equal(range(hipMemRangeAttributeReadMostly, plain, 2 * PAGE), 0);
    assert_int_equal(range(hipMemRangeAttributePreferredLocation, plain, 4 * PAGE), 0);
    ok(hipMemAdvise(plain, 4 * PAGE, hipMemAdviseUnsetReadMostly, 0));
    ok(hipMemAdvise(plain, 4 * PAGE, hipMemAdviseUnsetPreferredLocation, 0));
    ok(hipMemAdvise(plain, 4 * PAGE, hipMemAdviseUnsetAccessedBy, hipCpuDeviceId));
    assert_int_equal(munmap(plain, 4 * PAGE), 0);
    fails(hipErrorInvalidValue, hipMemAdvise(plain, PAGE, hipMemAdviseSetReadMostly, 0));
    for (int i = 0; i < 2; i++) {
        void *memory = NULL;
        ok(hipExtMallocWithFlags(&memory, 64, devices[i].flags));
        assert_int_equal(range(hipMemRangeAttributeCoherencyMode, memory, 64), devices[i].mode);
        fails(hipErrorInvalidValue, hipMemRangeGetAttribute(&value, 4, hipMemRangeAttributeCoherencyMode, memory, 65));
        ok(hipFree(memory));
        ok(hipHostMalloc(&memory, 64, hosts[i].flags));
        assert_int_equal(range(hipMemRangeAttributeCoherencyMode, memory, 64), hosts[i].mode);
        ok(hipHostFree(memory));
    }
}

static void set_flag(void *flag) { *(_Atomic int *)flag = 1; }

static void hold(void *flag) {
    while (!*(_Atomic int *)flag)
        ;
}

static void test_attach(void **state) {
    (void)state;
    char *memory = managed(PAGE), *plain = calloc(1, PAGE);
    void *device = NULL;
    hipStream_t stream = NULL;
    hipPointerAttribute_t attributes;
    _Atomic int flag = 0;
    ok(hipStreamCreate(&stream));
    ok(hipPointerGetAttributes(&attributes, memory));
    assert_int_equal(attributes.allocationFlags, hipMemAttachGlobal);
    ok(hipLaunchHostFunc(stream, hold, (void *)&flag));
    ok(hipStreamAttachMemAsync(stream, memory, 0, hipMemAttachSingle));
    ok(hipPointerGetAttributes(&attributes, memory)); /* in stream order: not yet */
    assert_int_equal(attributes.allocationFlags, hipMemAttachGlobal);
    set_flag((void *)&flag);
    ok(hipStreamSynchronize(stream));
    ok(hipPointerGetAttributes(&attributes, memory));
    assert_int_equal(attributes.allocationFlags, hipMemAttachSingle);
    ok(hipStreamAttachMemAsync(stream, memory, PAGE, hipMemAttachHost));
    ok(hipStreamAttachMemAsync(NULL, memory, PAGE, hipMemAttachGlobal));
    int pageable = 0;
    ok(hipDeviceGetAttribute(&pageable, hipDeviceAttributePageableMemoryAccess, 0));
    assert_int_equal(hipStreamAttachMemAsync(stream, plain, PAGE, hipMemAttachSingle), pageable ? hipSuccess : hipErrorInvalidValue);
    memory[0] = 3; /* still the host's as well */

    ok(hipMalloc(&device, PAGE));
    fails(hipErrorInvalidValue, hipStreamAttachMemAsync(stream, NULL, 0, hipMemAttachSingle));
    fails(hipErrorInvalidValue, hipStreamAttachMemAsync(stream, memory, 0, 0));
    fails(hipErrorInvalidValue, hipStreamAttachMemAsync(stream, memory, 0, hipMemAttachSingle | hipMemAttachHost));
    fails(hipErrorInvalidValue, hipStreamAttachMemAsync(stream, memory, 100, hipMemAttachGlobal));
    fails(hipErrorInvalidValue, hipStreamAttachMemAsync(NULL, memory, 0, hipMemAttachSingle));
    fails(hipErrorInvalidValue, hipStreamAttachMemAsync(stream, plain, 0, hipMemAttachGlobal));
    fails(hipErrorInvalidValue, hipStreamAttachMemAsync(stream, (void *)0x5000, 16, hipMemAttachGlobal));
    fails(hipErrorInvalidValue, hipStreamAttachMemAsync(stream, device, 0, hipMemAttachGlobal));
    fails(hipErrorContextIsDestroyed, hipStreamAttachMemAsync((hipStream_t)memory, memory, 0, 77)); /* before the flags */
    ok(hipStreamDestroy(stream));
    ok(hipFree(device));
    ok(hipFree(memory));
    free(plain);
}

/* ---- pointer attributes ------------------------------------------------------------------------ */

static void check_pointer(void *memory, size_t size, hipMemoryType type, unsigned is_managed, bool host, unsigned flags) {
    hipPointerAttribute_t all;
    void *p = NULL;
    size_t n = 0;
    unsigned word = 99;
    int device = -5;
    char *inside = (char *)memory + size - 1;
    ok(hipPointerGetAttributes(&all, inside));
    assert_int_equal(all.type, type);
    assert_int_equal(all.device, 0);
    assert_int_equal(all.isManaged, is_managed);
    assert_ptr_equal(all.devicePointer, inside);
    assert_ptr_equal(all.hostPointer, host ? inside : NULL);
    assert_int_equal(all.allocationFlags, flags);
    ok(hipPointerGetAttribute(&word, HIP_POINTER_ATTRIBUTE_MEMORY_TYPE, inside));
    assert_int_equal(word, is_managed ? hipMemoryTypeHost : type);
    ok(hipPointerGetAttribute(&p, HIP_POINTER_ATTRIBUTE_DEVICE_POINTER, inside));
    assert_ptr_equal(p, inside);
    fails(host ? hipSuccess : hipErrorInvalidValue, hipPointerGetAttribute(&p, HIP_POINTER_ATTRIBUTE_HOST_POINTER, inside));
    ok(hipPointerGetAttribute(&p, HIP_POINTER_ATTRIBUTE_RANGE_START_ADDR, inside));
    assert_ptr_equal(p, memory);
    ok(hipPointerGetAttribute(&n, HIP_POINTER_ATTRIBUTE_RANGE_SIZE, inside));
    assert_int_equal(n, size);
    ok(hipPointerGetAttribute(&word, HIP_POINTER_ATTRIBUTE_IS_MANAGED, inside));
    assert_int_equal(word & 0xff, is_managed);
    ok(hipPointerGetAttribute(&device, HIP_POINTER_ATTRIBUTE_DEVICE_ORDINAL, inside));
    assert_int_equal(device, 0);
    ok(hipPointerGetAttribute(&word, HIP_POINTER_ATTRIBUTE_MAPPED, inside));
    assert_int_equal(word & 0xff, 1);
    ok(hipPointerGetAttribute(&word, HIP_POINTER_ATTRIBUTE_ACCESS_FLAGS, inside));
    assert_int_equal(word, flags);
    ok(hipMemGetAddressRange((hipDeviceptr_t *)&p, &n, inside));
    assert_ptr_equal(p, memory);
    assert_int_equal(n, size);
    ok(hipMemPtrGetInfo(inside, &n));
    assert_int_equal(n, size);
    fails(hipErrorNotSupported, hipPointerGetAttribute(&n, HIP_POINTER_ATTRIBUTE_P2P_TOKENS, inside));
    fails(hipErrorInvalidValue, hipPointerGetAttribute(&n, (hipPointer_attribute)0, inside));
    fails(hipErrorInvalidValue, hipPointerGetAttribute(&n, (hipPointer_attribute)18, inside));
    fails(hipErrorInvalidValue, hipPointerGetAttribute(NULL, HIP_POINTER_ATTRIBUTE_MAPPED, inside));
}

static void test_every_kind(void **state) {
    (void)state;
    static char own[10000];
    void *device = NULL, *flagged = NULL, *host = NULL, *both = managed(6000);
    ok(hipMalloc(&device, 777));
    ok(hipExtMallocWithFlags(&flagged, 128, hipDeviceMallocFinegrained));
    ok(hipHostMalloc(&host, 333, hipHostMallocPortable | hipHostMallocNonCoherent));
    ok(hipHostRegister(own + 10, 9000, hipHostRegisterMapped));
    check_pointer(device, 777, hipMemoryTypeDevice, 0, false, 0);
    check_pointer(flagged, 128, hipMemoryTypeDevice, 0, false, hipDeviceMallocFinegrained);
    check_pointer(host, 333, hipMemoryTypeHost, 0, true, hipHostMallocPortable | hipHostMallocNonCoherent);
    check_pointer(own + 10, 9000, hipMemoryTypeHost, 0, true, hipHostRegisterMapped);
    check_pointer(both, 6000, hipMemoryTypeManaged, 1, true, hipMemAttachGlobal);
    /* One past the end is not inside. */
    size_t n = 0;
    fails(hipErrorInvalidValue, hipMemPtrGetInfo((char *)device + 777, &n));
    fails(hipErrorNotFound, hipMemGetAddressRange(NULL, &n, (char *)host + 333));
    uint32_t first = 0, second = 0;
    ok(hipPointerGetAttribute(&first, HIP_POINTER_ATTRIBUTE_BUFFER_ID, device));
    ok(hipPointerGetAttribute(&second, HIP_POINTER_ATTRIBUTE_BUFFER_ID, host));
    assert_int_not_equal(first, second);
    void *freed = device;
    ok(hipFree(device));
    fails(hipErrorInvalidValue, hipPointerGetAttribute(&second, HIP_POINTER_ATTRIBUTE_BUFFER_ID, freed));
    ok(hipMalloc(&device, 777));
    ok(hipPointerGetAttribute(&second, HIP_POINTER_ATTRIBUTE_BUFFER_ID, device));
    assert_int_not_equal(first, second); /* ids are never used again */
    ok(hipFree(device));
    ok(hipFree(flagged));
    ok(hipFree(both));
    ok(hipHostFree(host));
    ok(hipHostUnregister(own + 10));
}

static void test_driver_attributes(void **state) {
    (void)state;
    hipPointerAttribute_t all;
    void *device = NULL, *start = NULL;
    int local = 0, ordinal = 5;
    unsigned size = 1;
    unsigned type = 9;
    hipPointer_attribute attributes[4] = {HIP_POINTER_ATTRIBUTE_RANGE_START_ADDR, HIP_POINTER_ATTRIBUTE_RANGE_SIZE,
                                          HIP_POINTER_ATTRIBUTE_DEVICE_ORDINAL, HIP_POINTER_ATTRIBUTE_MEMORY_TYPE};
    void *data[4] = {&start, &size, &ordinal, &type};
    ok(hipMalloc(&device, 64));
    ok(hipDrvPointerGetAttributes(4, attributes, data, (char *)device + 3));
    assert_ptr_equal(start, device);
    assert_int_equal(size, 64);
    assert_int_equal(ordinal, 0);
    assert_int_equal(type, hipMemoryTypeDevice);
    ok(hipDrvPointerGetAttributes(4, attributes, data, &local)); /* defaults, and success */
    assert_null(start);
    assert_int_equal(size, 0);
    assert_int_equal(ordinal, hipInvalidDeviceId);
    fails(hipErrorInvalidValue, hipDrvPointerGetAttributes(0, attributes, data, device));
    fails(hipErrorInvalidValue, hipDrvPointerGetAttributes(4, NULL, data, device));
    fails(hipErrorInvalidValue, hipDrvPointerGetAttributes(4, attributes, NULL, device));
    fails(hipErrorInvalidValue, hipDrvPointerGetAttributes(4, attributes, data, NULL));
    fails(hipErrorInvalidValue, hipPointerGetAttributes(&all, NULL));
    unsigned on = 1, got = 0;
    ok(hipPointerSetAttribute(&on, HIP_POINTER_ATTRIBUTE_SYNC_MEMOPS, device));
    ok(hipPointerGetAttribute(&got, HIP_POINTER_ATTRIBUTE_SYNC_MEMOPS, device));
    assert_int_equal(got, 1);
    on = 2;
    fails(hipErrorInvalidValue, hipPointerSetAttribute(&on, HIP_POINTER_ATTRIBUTE_SYNC_MEMOPS, device));
    on = 1;
    fails(hipErrorInvalidValue, hipPointerSetAttribute(NULL, HIP_POINTER_ATTRIBUTE_SYNC_MEMOPS, device));
    fails(hipErrorInvalidValue, hipPointerSetAttribute(&on, HIP_POINTER_ATTRIBUTE_BUFFER_ID, device));
    fails(hipErrorInvalidDevicePointer, hipPointerSetAttribute(&on, HIP_POINTER_ATTRIBUTE_SYNC_MEMOPS, &local));
    ok(hipFree(device));
    ok(hipMalloc(&device, 64));
    ok(hipPointerGetAttribute(&got, HIP_POINTER_ATTRIBUTE_SYNC_MEMOPS, device)); /* a new allocation, a new attribute */
    assert_int_equal(got, 0);
    ok(hipFree(device));
}

/* Callers have variables of the sizes that AMD's runtime writes: nothing behind them changes. */
static void test_widths(void **state) {
    (void)state;
    static const struct {
        hipPointer_attribute attribute;
        size_t size; /* 0: AMD's runtime does not know it */
    } table[] = {{HIP_POINTER_ATTRIBUTE_CONTEXT, 0},
                 {HIP_POINTER_ATTRIBUTE_MEMORY_TYPE, 4},
                 {HIP_POINTER_ATTRIBUTE_DEVICE_POINTER, 8},
                 {HIP_POINTER_ATTRIBUTE_HOST_POINTER, 8},
                 {HIP_POINTER_ATTRIBUTE_P2P_TOKENS, 0},
                 {HIP_POINTER_ATTRIBUTE_SYNC_MEMOPS, 1},
                 {HIP_POINTER_ATTRIBUTE_BUFFER_ID, 4},
                 {HIP_POINTER_ATTRIBUTE_IS_MANAGED, 1},
                 {HIP_POINTER_ATTRIBUTE_DEVICE_ORDINAL, 4},
                 {HIP_POINTER_ATTRIBUTE_IS_LEGACY_HIP_IPC_CAPABLE, 0},
                 {HIP_POINTER_ATTRIBUTE_RANGE_START_ADDR, 8},
                 {HIP_POINTER_ATTRIBUTE_RANGE_SIZE, 4},
                 {HIP_POINTER_ATTRIBUTE_MAPPED, 1},
                 {HIP_POINTER_ATTRIBUTE_ALLOWED_HANDLE_TYPES, 0},
                 {HIP_POINTER_ATTRIBUTE_IS_GPU_DIRECT_RDMA_CAPABLE, 0},
                 {HIP_POINTER_ATTRIBUTE_ACCESS_FLAGS, 4},
                 {HIP_POINTER_ATTRIBUTE_MEMPOOL_HANDLE, 0}};
    void *host = NULL;
    unsigned char bytes[16], untouched[16], local = 0;
    memset(untouched, 0x5a, sizeof untouched);
    ok(hipHostMalloc(&host, 100, 0));
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        for (int known = 0; known < 2; known++) {
            size_t size = table[i].size;
            hipError_t expected = !size                                                               ? hipErrorNotSupported
                                  : known || table[i].attribute == HIP_POINTER_ATTRIBUTE_ACCESS_FLAGS ? hipSuccess
                                                                                                      : hipErrorInvalidValue;
            memset(bytes, 0x5a, sizeof bytes);
            fails(expected, hipPointerGetAttribute(bytes, table[i].attribute, known ? host : (void *)&local));
            assert_memory_equal(bytes + size, untouched, sizeof bytes - size);
            if (size)
                assert_int_not_equal(bytes[size - 1], 0x5a);
        }
    fails(hipErrorInvalidValue, hipPointerGetAttribute(bytes, (hipPointer_attribute)18, host));
    fails(hipErrorInvalidValue, hipPointerGetAttribute(bytes, HIP_POINTER_ATTRIBUTE_MAPPED, NULL));
    ok(hipHostFree(host));
    /* The handle of an array has a type of memory, and nothing else. */
    hipChannelFormatDesc desc = hipCreateChannelDesc(8, 0, 0, 0, hipChannelFormatKindUnsigned);
    hipArray_t array = NULL;
    unsigned type = 99;
    ok(hipMallocArray(&array, &desc, 4, 4, 0));
    ok(hipPointerGetAttribute(&type, HIP_POINTER_ATTRIBUTE_MEMORY_TYPE, array));
    assert_int_equal(type, hipMemoryTypeArray);
    fails(hipErrorInvalidValue, hipPointerGetAttribute(&type, HIP_POINTER_ATTRIBUTE_RANGE_SIZE, array));
    ok(hipFreeArray(array));
    fails(hipErrorInvalidValue, hipPointerGetAttribute(&type, HIP_POINTER_ATTRIBUTE_MEMORY_TYPE, array));
}

/* ---- many threads ------------------------------------------------------------------------------ */

#define THREADS 64
#define STEPS   300

static unsigned next_random(unsigned *seed) { return *seed = *seed * 1664525u + 1013904223u; }

/* Every thread allocates, asks and frees; what it owns must always be what the map says. */
static void *hammer(void *argument) {
    unsigned seed = *(unsigned *)argument;
    enum { SLOTS = 16 };
    struct {
        char *memory;
        size_t size;
        int kind;
    } slots[SLOTS] = {0};
    for (int step = 0; step < STEPS; step++) {
        unsigned random = next_random(&seed) >> 8, i = random % SLOTS;
        if (!slots[i].memory) {
            slots[i].kind = (int)(random / SLOTS % 3);
            slots[i].size = 1 + next_random(&seed) % 200000;
            void *made = NULL;
            ok(slots[i].kind == 0   ? hipMalloc(&made, slots[i].size)
               : slots[i].kind == 1 ? hipHostMalloc(&made, slots[i].size, 0)
                                    : hipMallocManaged(&made, slots[i].size, hipMemAttachGlobal));
            slots[i].memory = made;
            poke(slots[i].memory, &seed, 1);
            if (slots[i].kind == 2)
                ok(hipMemAdvise(made, slots[i].size, hipMemAdviseSetReadMostly, 0));
            continue;
        }
        size_t size = 0;
        hipDeviceptr_t base = NULL;
        ok(hipMemGetAddressRange(&base, &size, slots[i].memory + random % slots[i].size));
        assert_ptr_equal(base, slots[i].memory);
        assert_int_equal(size, slots[i].size);
        if (slots[i].kind == 2)
            assert_int_equal(range(hipMemRangeAttributeReadMostly, slots[i].memory, slots[i].size), 1);
        ok(slots[i].kind == 1 ? hipHostFree(slots[i].memory) : hipFree(slots[i].memory));
        slots[i].memory = NULL;
    }
    for (int i = 0; i < SLOTS; i++)
        if (slots[i].memory)
            ok(slots[i].kind == 1 ? hipHostFree(slots[i].memory) : hipFree(slots[i].memory));
    return NULL;
}

static void test_threads(void **state) {
    (void)state;
    pthread_t threads[THREADS];
    unsigned seeds[THREADS];
    size_t before = 0, after = 0;
    before = memory_left();
    for (unsigned i = 0; i < THREADS; i++) {
        seeds[i] = 1000 + i;
        assert_int_equal(pthread_create(&threads[i], NULL, hammer, &seeds[i]), 0);
    }
    for (unsigned i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    after = memory_left();
    assert_int_equal(before, after);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_allocate),   cmocka_unit_test(test_defaults),          cmocka_unit_test(test_pieces),
        cmocka_unit_test(test_rounding),   cmocka_unit_test(test_accessed_by),       cmocka_unit_test(test_prefetch),
        cmocka_unit_test(test_errors),     cmocka_unit_test(test_other_memory),      cmocka_unit_test(test_attach),
        cmocka_unit_test(test_every_kind), cmocka_unit_test(test_driver_attributes), cmocka_unit_test(test_widths),
        cmocka_unit_test(test_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
