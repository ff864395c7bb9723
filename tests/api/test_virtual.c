/* Virtual memory management: reservations, memory handles, mappings, access, sharing by descriptor. */
#include "api_test.h"

#include <pthread.h>
#include <sys/mman.h>
#include <unistd.h>

#define MIB ((size_t)1 << 20)

static size_t PAGE = 4096; /* the granularity: a GPU's is larger */

static hipMemAllocationProp properties(hipMemAllocationHandleType type) {
    hipMemAllocationProp prop;
    memset(&prop, 0, sizeof prop);
    prop.type = hipMemAllocationTypePinned;
    prop.requestedHandleType = type;
    prop.location = (hipMemLocation){hipMemLocationTypeDevice, 0};
    return prop;
}

static const hipMemLocation device0 = {hipMemLocationTypeDevice, 0};

static char *reserve(size_t size) {
    void *address = NULL;
    ok(hipMemAddressReserve(&address, size, 0, NULL, 0));
    return address;
}

static hipMemGenericAllocationHandle_t create(size_t size) {
    hipMemAllocationProp prop = properties(hipMemHandleTypeNone);
    hipMemGenericAllocationHandle_t handle = NULL;
    ok(hipMemCreate(&handle, size, &prop, 0));
    return handle;
}

static void allow(void *address, size_t size, hipMemAccessFlags flags) {
    hipMemAccessDesc desc = {device0, flags};
    ok(hipMemSetAccess(address, size, &desc, 1));
}

static void test_granularity(void **state) {
    (void)state;
    hipMemAllocationProp prop = properties(hipMemHandleTypeNone);
    size_t least = 0, good = 0;
    int value = 0;
    ok(hipDeviceGetAttribute(&value, hipDeviceAttributeVirtualMemoryManagementSupported, 0));
    assert_int_equal(value, 1);
    ok(hipMemGetAllocationGranularity(&least, &prop, hipMemAllocationGranularityMinimum));
    ok(hipMemGetAllocationGranularity(&good, &prop, hipMemAllocationGranularityRecommended));
    assert_int_equal(least, PAGE);
    assert_int_equal(good % least, 0);
    fails(hipErrorInvalidValue, hipMemGetAllocationGranularity(NULL, &prop, hipMemAllocationGranularityMinimum));
    fails(hipErrorInvalidValue, hipMemGetAllocationGranularity(&least, NULL, hipMemAllocationGranularityMinimum));
    fails(hipErrorInvalidValue, hipMemGetAllocationGranularity(&least, &prop, (hipMemAllocationGranularity_flags)2));
    prop.type = hipMemAllocationTypeInvalid;
    fails(hipErrorInvalidValue, hipMemGetAllocationGranularity(&least, &prop, hipMemAllocationGranularityMinimum));
    prop = properties(hipMemHandleTypeNone);
    prop.location.id = 1000;
    fails(hipErrorInvalidValue, hipMemGetAllocationGranularity(&least, &prop, hipMemAllocationGranularityMinimum));
    prop.location = (hipMemLocation){hipMemLocationTypeNone, 0};
    fails(hipErrorInvalidValue, hipMemGetAllocationGranularity(&least, &prop, hipMemAllocationGranularityMinimum));
}

static void test_reserve(void **state) {
    (void)state;
    void *address = NULL, *again = NULL;
    ok(hipMemAddressReserve(&address, 16 * PAGE, on_gpu() ? PAGE : 8 * MIB, NULL, 0));
    assert_int_equal((uintptr_t)address % (on_gpu() ? PAGE : 8 * MIB), 0);
    ok(hipMemAddressReserve(&again, PAGE, 0, address, 0)); /* taken: somewhere else */
    assert_ptr_not_equal(address, again);
    ok(hipMemAddressFree(again, PAGE));
    fails(hipErrorInvalidValue, hipMemAddressFree(address, PAGE));
    fails(hipErrorInvalidValue, hipMemAddressFree((char *)address + PAGE, 15 * PAGE));
    ok(hipMemAddressFree(address, 16 * PAGE));
    fails(hipErrorInvalidValue, hipMemAddressFree(address, 16 * PAGE));
    ok(hipMemAddressReserve(&again, 16 * PAGE, 0, address, 0)); /* free: there */
    assert_true(on_gpu() || address == again);                  /* the driver need not */
    ok(hipMemAddressFree(again, 16 * PAGE));
    ok(hipMemAddressReserve(&address, (size_t)1 << 36, 0, NULL, 0)); /* addresses cost no memory */
    ok(hipMemAddressFree(address, (size_t)1 << 36));
    fails(hipErrorInvalidValue, hipMemAddressReserve(NULL, PAGE, 0, NULL, 0));
    fails(hipErrorOutOfMemory, hipMemAddressReserve(&address, 0, 0, NULL, 0));
    fails(hipErrorOutOfMemory, hipMemAddressReserve(&address, 100, 0, NULL, 0));
    fails(hipErrorOutOfMemory, hipMemAddressReserve(&address, PAGE, 3 * PAGE, NULL, 0));
    fails(hipErrorInvalidValue, hipMemAddressReserve(&address, PAGE, 0, NULL, 1));
    fails(hipErrorOutOfMemory, hipMemAddressReserve(&address, (size_t)1 << 60, 0, NULL, 0));
    fails(hipErrorInvalidValue, hipMemAddressFree(NULL, PAGE));
    fails(hipErrorInvalidValue, hipMemAddressFree(&address, PAGE));
}

static void test_create(void **state) {
    (void)state;
    hipMemAllocationProp prop = properties(hipMemHandleTypeNone), back;
    hipMemGenericAllocationHandle_t handle = NULL;
    size_t before = 0, between = 0, after = 0, total = 0;
    ok(hipMemGetInfo(NULL, &total));
    before = memory_left();
    ok(hipMemCreate(&handle, 4 * MIB, &prop, 0));
    between = memory_left();
    assert_int_equal(before - between, on_gpu() ? 0 : 4 * MIB);
    ok(hipMemGetAllocationPropertiesFromHandle(&back, handle));
    assert_int_equal(back.type, hipMemAllocationTypePinned);
    assert_int_equal(back.location.type, hipMemLocationTypeDevice);
    assert_int_equal(back.location.id, 0);
    assert_int_equal(back.requestedHandleType, hipMemHandleTypeNone);
    ok(hipMemRelease(handle));
    after = memory_left();
    assert_int_equal(before, after);
    fails(hipErrorInvalidValue, hipMemRelease(handle));
    fails(hipErrorInvalidValue, hipMemRelease(NULL));
    fails(hipErrorInvalidValue, hipMemGetAllocationPropertiesFromHandle(&back, handle));
    fails(hipErrorInvalidValue, hipMemCreate(NULL, PAGE, &prop, 0));
    fails(hipErrorInvalidValue, hipMemCreate(&handle, 0, &prop, 0));
    fails(hipErrorInvalidValue, hipMemCreate(&handle, 5000, &prop, 0));
    fails(hipErrorInvalidValue, hipMemCreate(&handle, PAGE, NULL, 0));
    fails(hipErrorInvalidValue, hipMemCreate(&handle, PAGE, &prop, 1));
    fails(hipErrorOutOfMemory, hipMemCreate(&handle, (total / PAGE + 1) * PAGE, &prop, 0));
    prop.requestedHandleType = hipMemHandleTypeWin32;
    fails(hipErrorNotSupported, hipMemCreate(&handle, PAGE, &prop, 0));
    prop = properties(hipMemHandleTypeNone);
    prop.location.id = -1;
    fails(hipErrorInvalidValue, hipMemCreate(&handle, PAGE, &prop, 0));
}

static void test_map(void **state) {
    (void)state;
    char *address = reserve(8 * PAGE);
    hipMemGenericAllocationHandle_t first = create(2 * PAGE), second = create(3 * PAGE), same = NULL;
    hipPointerAttribute_t attributes;
    hipDeviceptr_t base = NULL;
    size_t size = 0;
    char *host = calloc(5, PAGE), *back = calloc(5, PAGE);
    fails(hipErrorInvalidValue, hipMemcpy(address, host, 1, hipMemcpyHostToDevice)); /* nothing is mapped: no crash */
    fails(hipErrorInvalidValue, hipMemset(address, 0, 1));
    ok(hipPointerGetAttributes(&attributes, address));
    assert_int_equal(attributes.type, hipMemoryTypeUnregistered);
    ok(hipMemMap(address, 2 * PAGE, 0, first, 0));
    ok(hipMemMap(address + 2 * PAGE, 3 * PAGE, 0, second, 0));
    fails(hipErrorInvalidValue, hipMemcpy(address, host, 1, hipMemcpyHostToDevice)); /* and now without access */
    allow(address, 5 * PAGE, hipMemAccessFlagsProtReadWrite);
    peek(back, address, 5 * PAGE);
    assert_true(on_gpu() || memcmp(back, host, 5 * PAGE) == 0); /* zero; the driver promises nothing */
    for (size_t i = 0; i < 5 * PAGE; i++)
        host[i] = (char)(i / 3);
    ok(hipMemcpy(address, host, 5 * PAGE, hipMemcpyHostToDevice)); /* mappings beside each other are one range */
    peek(back, address, 5 * PAGE);
    assert_memory_equal(back, host, 5 * PAGE);
    fails(hipErrorInvalidValue, hipMemcpy(address, host, 5 * PAGE + 1, hipMemcpyHostToDevice));
    int one = 1, count = (int)(5 * PAGE / 4), *ints = (int *)address;
    ok(hipMemset(address, 0, 5 * PAGE));
    launch("add", NULL, (unsigned)count / 64, 64, &ints, &one, &count);
    ok(hipDeviceSynchronize());
    assert_int_equal(int_at(ints), 1);
    assert_int_equal(int_at(ints + count - 1), 1);

    ok(hipPointerGetAttributes(&attributes, address + PAGE));
    assert_int_equal(attributes.type, hipMemoryTypeDevice);
    assert_int_equal(attributes.device, 0);
    ok(hipMemGetAddressRange(&base, &size, address + 2 * PAGE));
    assert_ptr_equal(base, address + 2 * PAGE);
    assert_int_equal(size, 3 * PAGE);
    unsigned mapped = 0;
    ok(hipPointerGetAttribute(&mapped, HIP_POINTER_ATTRIBUTE_MAPPED, address));
    assert_int_equal(mapped & 0xff, 1);
    fails(hipErrorInvalidValue, hipPointerGetAttribute(&mapped, HIP_POINTER_ATTRIBUTE_MAPPED, address + 5 * PAGE));
    fails(hipErrorInvalidValue, hipFree(address));

    ok(hipMemRetainAllocationHandle(&same, address + PAGE));
    assert_ptr_equal(same, first);
    ok(hipMemRelease(same));
    ok(hipMemRelease(first)); /* the mapping keeps the memory */
    fails(hipErrorInvalidValue, hipMemRelease(first));
    assert_int_equal(int_at(ints), 1);
    ok(hipMemRetainAllocationHandle(&same, address));
    ok(hipMemRelease(same));

    fails(hipErrorInvalidValue, hipMemAddressFree(address, 8 * PAGE));
    fails(hipErrorInvalidValue, hipMemMap(address + 4 * PAGE, 2 * PAGE, 0, second, 0)); /* taken */
    fails(hipErrorInvalidValue, hipMemMap(address + 6 * PAGE, 3 * PAGE, 0, second, 0)); /* over the end */
    fails(hipErrorInvalidValue, hipMemMap(address + 5 * PAGE, 3 * PAGE, PAGE, second, 0));
    fails(hipErrorInvalidValue, hipMemMap(address + 5 * PAGE, 3 * PAGE, 0, second, 1));
    fails(hipErrorInvalidValue, hipMemMap(address + 5 * PAGE, 100, 0, second, 0));
    fails(hipErrorInvalidValue, hipMemMap(address + 5 * PAGE + 1, PAGE, 0, second, 0));
    fails(hipErrorInvalidValue, hipMemMap(address + 5 * PAGE, PAGE, 0, NULL, 0));
    fails(hipErrorInvalidValue, hipMemMap(NULL, PAGE, 0, second, 0));
    fails(hipErrorInvalidValue, hipMemMap(host, PAGE, 0, second, 0));
    ok(hipMemMap(address + 5 * PAGE, 3 * PAGE, 0, second, 0)); /* the same memory at two addresses */
    allow(address + 5 * PAGE, 3 * PAGE, hipMemAccessFlagsProtReadWrite);
    poke(address + 5 * PAGE + 7, "c", 1);
    assert_int_equal(byte_at(address + 2 * PAGE + 7), 'c');
    fails(hipErrorInvalidValue, hipMemUnmap(address, PAGE));
    fails(hipErrorInvalidValue, hipMemUnmap(address + PAGE, PAGE));
    fails(hipErrorInvalidValue, hipMemUnmap(address, 3 * PAGE));
    fails(hipErrorInvalidValue, hipMemUnmap(NULL, PAGE));
    ok(hipMemUnmap(address + 5 * PAGE, 3 * PAGE));
    ok(hipMemUnmap(address, 5 * PAGE)); /* several whole ones at once */
    fails(hipErrorInvalidValue, hipMemUnmap(address, 2 * PAGE));
    fails(hipErrorInvalidValue, hipMemRetainAllocationHandle(&same, address));
    ok(hipMemMap(address, 3 * PAGE, 0, second, 0)); /* the contents stay with the memory */
    allow(address, 3 * PAGE, hipMemAccessFlagsProtRead);
    assert_int_equal(byte_at(address + 7), 'c');
    ok(hipMemUnmap(address, 3 * PAGE));
    ok(hipMemRelease(second));
    ok(hipMemAddressFree(address, 8 * PAGE));
    free(host);
    free(back);
}

static void test_access(void **state) {
    (void)state;
    char *address = reserve(4 * PAGE), byte = 5;
    hipMemGenericAllocationHandle_t handle = create(2 * PAGE);
    unsigned long long flags = 9;
    int count = 0;
    ok(hipGetDeviceCount(&count));
    ok(hipMemMap(address, 2 * PAGE, 0, handle, 0));
    ok(hipMemMap(address + 2 * PAGE, 2 * PAGE, 0, handle, 0));
    ok(hipMemGetAccess(&flags, &device0, address));
    assert_int_equal(flags, hipMemAccessFlagsProtNone);
    allow(address, 2 * PAGE, hipMemAccessFlagsProtRead);
    ok(hipMemGetAccess(&flags, &device0, address + PAGE + 5));
    assert_int_equal(flags, hipMemAccessFlagsProtRead);
    ok(hipMemGetAccess(&flags, &device0, address + 2 * PAGE)); /* the other mapping has its own */
    assert_int_equal(flags, hipMemAccessFlagsProtNone);
    ok(hipMemcpy(&byte, address, 1, hipMemcpyDeviceToHost));
    fails(hipErrorInvalidValue, hipMemcpy(address, &byte, 1, hipMemcpyHostToDevice));
    fails(hipErrorInvalidValue, hipMemset(address, 1, 1));
    fails(hipErrorInvalidValue, hipMemcpy(&byte, address + 2 * PAGE, 1, hipMemcpyDeviceToHost));
    fails(hipErrorInvalidValue, hipMemcpyDtoD(address + 2 * PAGE, address, 1));
    allow(address, 4 * PAGE, hipMemAccessFlagsProtReadWrite);
    ok(hipMemset(address + 2 * PAGE - 1, 1, 2));
    if (count > 1 && !on_gpu()) { /* each device has its own */
        const hipMemLocation device1 = {hipMemLocationTypeDevice, 1};
        hipMemAccessDesc both[2] = {{device0, hipMemAccessFlagsProtNone}, {device1, hipMemAccessFlagsProtRead}};
        ok(hipMemSetAccess(address, 4 * PAGE, both, 2));
        ok(hipMemGetAccess(&flags, &device0, address));
        assert_int_equal(flags, hipMemAccessFlagsProtNone);
        ok(hipMemGetAccess(&flags, &device1, address));
        assert_int_equal(flags, hipMemAccessFlagsProtRead);
    }
    const hipMemLocation host = {hipMemLocationTypeHost, 0}, nowhere = {hipMemLocationTypeDevice, count};
    hipMemAccessDesc desc = {host, hipMemAccessFlagsProtReadWrite};
    fails(on_gpu() ? hipErrorNotSupported : hipSuccess, hipMemSetAccess(address, 4 * PAGE, &desc, 1));
    ok(hipMemGetAccess(&flags, &host, address));
    assert_int_equal(flags, on_gpu() ? hipMemAccessFlagsProtNone : hipMemAccessFlagsProtReadWrite);
    desc = (hipMemAccessDesc){device0, hipMemAccessFlagsProtRead};
    fails(hipErrorInvalidValue, hipMemSetAccess(address, PAGE, &desc, 1));
    fails(hipErrorInvalidValue, hipMemSetAccess(address, 6 * PAGE, &desc, 1));
    fails(hipErrorInvalidValue, hipMemSetAccess(address, 4 * PAGE, &desc, 0));
    fails(hipErrorInvalidValue, hipMemSetAccess(address, 4 * PAGE, NULL, 1));
    desc.location = nowhere;
    fails(hipErrorInvalidValue, hipMemSetAccess(address, 4 * PAGE, &desc, 1));
    desc = (hipMemAccessDesc){device0, (hipMemAccessFlags)2};
    fails(hipErrorInvalidValue, hipMemSetAccess(address, 4 * PAGE, &desc, 1));
    fails(hipErrorInvalidValue, hipMemGetAccess(NULL, &device0, address));
    fails(hipErrorInvalidValue, hipMemGetAccess(&flags, NULL, address));
    fails(hipErrorInvalidValue, hipMemGetAccess(&flags, &nowhere, address));
    ok(hipMemUnmap(address, 4 * PAGE));
    fails(hipErrorInvalidValue, hipMemGetAccess(&flags, &device0, address));
    ok(hipMemRelease(handle));
    ok(hipMemAddressFree(address, 4 * PAGE));
}

/* A descriptor gives the same memory, in this process as in others. */
static void test_export(void **state) {
    (void)state;
    hipMemAllocationProp prop = properties(hipMemHandleTypePosixFileDescriptor), back;
    hipMemGenericAllocationHandle_t handle = NULL, import = NULL, private = create(PAGE);
    char *first = reserve(2 * PAGE), *second = reserve(2 * PAGE);
    int file = -1;
    uint64_t wide = UINT64_C(0x5a5a5a5a) << 32; /* as a variable of the program that nobody cleared */
    ok(hipMemCreate(&handle, 2 * PAGE, &prop, 0));
    ok(hipMemExportToShareableHandle(&file, handle, hipMemHandleTypePosixFileDescriptor, 0));
    assert_true(file >= 0);
    memcpy(&wide, &file, sizeof file);
    ok(hipMemImportFromShareableHandle(&import, &wide, hipMemHandleTypePosixFileDescriptor)); /* where a descriptor is */
    ok(hipMemRelease(import));
    ok(hipMemImportFromShareableHandle(&import, (void *)(uintptr_t)wide, hipMemHandleTypePosixFileDescriptor)); /* or its number */
    assert_int_equal(close(file), 0);                                                                           /* the caller's own */
    fails(hipErrorInvalidValue, hipMemImportFromShareableHandle(&import, NULL, hipMemHandleTypePosixFileDescriptor));
    ok(hipMemGetAllocationPropertiesFromHandle(&back, import));
    assert_int_equal(back.requestedHandleType, hipMemHandleTypePosixFileDescriptor);
    ok(hipMemMap(first, 2 * PAGE, 0, handle, 0));
    ok(hipMemMap(second, 2 * PAGE, 0, import, 0));
    allow(first, 2 * PAGE, hipMemAccessFlagsProtReadWrite);
    allow(second, 2 * PAGE, hipMemAccessFlagsProtRead);
    poke(first + PAGE + 3, "*", 1);
    assert_int_equal(byte_at(second + PAGE + 3), '*');
    ok(hipMemRelease(handle));
    ok(hipMemUnmap(first, 2 * PAGE));
    assert_int_equal(byte_at(second + PAGE + 3), '*'); /* the import keeps it */
    fails(hipErrorInvalidValue, hipMemExportToShareableHandle(&file, private, hipMemHandleTypePosixFileDescriptor, 0));
    fails(hipErrorInvalidValue, hipMemExportToShareableHandle(&file, import, hipMemHandleTypeWin32, 0));
    fails(hipErrorInvalidValue, hipMemExportToShareableHandle(&file, import, hipMemHandleTypePosixFileDescriptor, 1));
    fails(hipErrorInvalidValue, hipMemExportToShareableHandle(NULL, import, hipMemHandleTypePosixFileDescriptor, 0));
    fails(hipErrorInvalidValue, hipMemImportFromShareableHandle(&handle, (void *)(intptr_t)-1, hipMemHandleTypePosixFileDescriptor));
    fails(hipErrorInvalidValue, hipMemImportFromShareableHandle(&handle, (void *)(intptr_t)0, hipMemHandleTypePosixFileDescriptor));
    fails(hipErrorInvalidValue, hipMemImportFromShareableHandle(&handle, (void *)(intptr_t)0, hipMemHandleTypeNone));
    ok(hipMemUnmap(second, 2 * PAGE));
    ok(hipMemRelease(import));
    ok(hipMemRelease(private));
    ok(hipMemAddressFree(first, 2 * PAGE));
    ok(hipMemAddressFree(second, 2 * PAGE));
}

/* Memory of another interface, here a memory file of the test's own. */
static void test_external(void **state) {
    (void)state;
    int file = memfd_create("test", 0), small = memfd_create("small", 0);
    hipExternalMemory_t memory = NULL;
    hipExternalMemoryHandleDesc desc = {.type = hipExternalMemoryHandleTypeOpaqueFd, .size = 4 * PAGE};
    hipExternalMemoryBufferDesc buffer = {.offset = PAGE, .size = 2 * PAGE + 10};
    hipPointerAttribute_t attributes;
    void *address = NULL, *second = NULL;
    char in[4096], back = 0;
    assert_int_equal(ftruncate(file, 4 * (off_t)PAGE) | ftruncate(small, PAGE), 0);
    memset(in, 0x3c, sizeof in);
    assert_int_equal(pwrite(file, in, sizeof in, 2 * PAGE), (ssize_t)sizeof in);
    desc.handle.fd = small;
    fails(hipErrorInvalidValue, hipImportExternalMemory(&memory, &desc)); /* too small */
    desc.handle.fd = -1;
    fails(hipErrorInvalidValue, hipImportExternalMemory(&memory, &desc));
    desc.handle.fd = file;
    fails(hipErrorInvalidValue, hipImportExternalMemory(NULL, &desc));
    fails(hipErrorInvalidValue, hipImportExternalMemory(&memory, NULL));
    desc.type = hipExternalMemoryHandleTypeD3D12Heap;
    fails(hipErrorNotSupported, hipImportExternalMemory(&memory, &desc));
    desc.type = (hipExternalMemoryHandleType)0;
    fails(hipErrorInvalidValue, hipImportExternalMemory(&memory, &desc));
    desc.type = hipExternalMemoryHandleTypeOpaqueFd;
    ok(hipImportExternalMemory(&memory, &desc));
    ok(hipExternalMemoryGetMappedBuffer(&address, memory, &buffer));
    ok(hipMemcpy(&back, (char *)address + PAGE, 1, hipMemcpyDeviceToHost));
    assert_int_equal(back, 0x3c);
    fails(hipErrorInvalidValue, hipMemset(address, 0, 2 * PAGE + 11));
    ok(hipMemset(address, 0x55, 1));
    ok(hipDeviceSynchronize()); /* a fill of device memory does not wait */
    assert_int_equal(pread(file, &back, 1, PAGE), 1);
    assert_int_equal(back, 0x55);
    ok(hipPointerGetAttributes(&attributes, address));
    assert_int_equal(attributes.type, hipMemoryTypeDevice);
    ok(hipExternalMemoryGetMappedBuffer(&second, memory, &buffer));
    ((char *)second)[3] = 9;
    assert_int_equal(((char *)address)[3], 9);
    buffer.size = 3 * PAGE + 1;
    fails(hipErrorInvalidValue, hipExternalMemoryGetMappedBuffer(&second, memory, &buffer));
    buffer = (hipExternalMemoryBufferDesc){.offset = 100, .size = PAGE};
    fails(hipErrorInvalidValue, hipExternalMemoryGetMappedBuffer(&second, memory, &buffer));
    buffer = (hipExternalMemoryBufferDesc){.size = PAGE, .flags = 1};
    fails(hipErrorInvalidValue, hipExternalMemoryGetMappedBuffer(&second, memory, &buffer));
    buffer.flags = 0;
    fails(hipErrorInvalidHandle, hipExternalMemoryGetMappedBuffer(&second, (hipExternalMemory_t)&buffer, &buffer));
    ok(hipDestroyExternalMemory(memory));
    fails(hipErrorInvalidHandle, hipDestroyExternalMemory(memory));
    assert_int_equal(close(file), -1);         /* was the runtime's */
    assert_int_equal(((char *)address)[3], 9); /* buffers live until they are freed */
    ok(hipFree(address));
    fails(hipErrorInvalidValue, hipFree(address));
    ok(hipFree(second));
    close(small);
}

static long resident_kib(void) {
    long pages = 0, shared = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    assert_non_null(file);
    assert_int_equal(fscanf(file, "%*d %ld %ld", &pages, &shared), 2);
    fclose(file);
    return pages * 4;
}

/* Growing a range piece by piece, as allocators do; released memory goes back to the system. */
static void test_grow(void **state) {
    (void)state;
    enum { PIECES = 200 };
    static hipMemGenericAllocationHandle_t handles[PIECES];
    const size_t piece = PAGE > 256 * 1024 ? PAGE : 256 * 1024;
    char *address = reserve(PIECES * piece);
    long before = resident_kib();
    for (int i = 0; i < PIECES; i++) {
        handles[i] = create(piece);
        ok(hipMemMap(address + (size_t)i * piece, piece, 0, handles[i], 0));
        allow(address + (size_t)i * piece, piece, hipMemAccessFlagsProtReadWrite);
        ok(hipMemRelease(handles[i]));
    }
    ok(hipMemset(address, 7, PIECES * piece)); /* one range */
    assert_true(on_gpu() || resident_kib() - before > (long)(PIECES * piece / 1024 / 2));
    ok(hipMemUnmap(address, PIECES * piece));
    assert_true(on_gpu() || resident_kib() - before < (long)(PIECES * piece / 1024 / 4));
    ok(hipMemAddressFree(address, PIECES * piece));
}

static void *hammer(void *argument) {
    unsigned seed = *(unsigned *)argument;
    for (int step = 0; step < 40; step++) {
        seed = seed * 1664525u + 1013904223u;
        size_t pages = 1 + (seed >> 10) % 8;
        char *address = reserve(pages * PAGE);
        hipMemGenericAllocationHandle_t handle = create(pages * PAGE);
        ok(hipMemMap(address, pages * PAGE, 0, handle, 0));
        allow(address, pages * PAGE, hipMemAccessFlagsProtReadWrite);
        ok(hipMemset(address, (int)seed, pages * PAGE));
        assert_int_equal(byte_at(address + pages * PAGE - 1), (unsigned char)seed);
        if (seed & 1)
            ok(hipMemRelease(handle));
        ok(hipMemUnmap(address, pages * PAGE));
        if (!(seed & 1))
            ok(hipMemRelease(handle));
        ok(hipMemAddressFree(address, pages * PAGE));
    }
    return NULL;
}

static void test_threads(void **state) {
    (void)state;
    pthread_t threads[64];
    unsigned seeds[64];
    size_t before = 0, after = 0;
    before = memory_left();
    for (unsigned i = 0; i < 64; i++) {
        seeds[i] = 77 + i;
        assert_int_equal(pthread_create(&threads[i], NULL, hammer, &seeds[i]), 0);
    }
    for (unsigned i = 0; i < 64; i++)
        pthread_join(threads[i], NULL);
    after = memory_left();
    assert_int_equal(before, after);
}

#ifndef API_FAKE
/* A kernel that writes what it may only read, or what was unmapped, gets the error of a bad address. Last: it resets. */
static void test_faults(void **state) {
    (void)state;
    char *address = reserve(PAGE);
    hipMemGenericAllocationHandle_t handle = create(PAGE);
    int one = 1, count = 4;
    ok(hipMemMap(address, PAGE, 0, handle, 0));
    allow(address, PAGE, hipMemAccessFlagsProtRead);
    launch("add", NULL, 1, 64, &address, &one, &count);
    fails(hipErrorIllegalAddress, hipDeviceSynchronize());
    if (on_gpu()) /* the driver may keep the fault */
        return;
    ok(hipDeviceReset());
    assert_int_equal(*(int *)address, 0);
}
#endif

static int find_granularity(void **state) {
    (void)state;
    hipMemAllocationProp prop = properties(hipMemHandleTypeNone);
    if (on_gpu())
        ok(hipMemGetAllocationGranularity(&PAGE, &prop, hipMemAllocationGranularityMinimum));
    return 0;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_granularity), cmocka_unit_test(test_reserve), cmocka_unit_test(test_create),
        cmocka_unit_test(test_map),         cmocka_unit_test(test_access),  cmocka_unit_test(test_export),
        cmocka_unit_test(test_external),    cmocka_unit_test(test_grow),    cmocka_unit_test(test_threads),
#ifndef API_FAKE
        cmocka_unit_test(test_faults),
#endif
    };
    return cmocka_run_group_tests(tests, find_granularity, NULL);
}
