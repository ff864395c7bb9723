/* Memory that is more than an allocation: virtual memory management, places within shared memory, waits for parts of words, textures. */
#include "cuda_test.h"

#include <sys/mman.h>
#include <unistd.h>

#define PIECE ((size_t)2 << 20)

static hipMemAllocationProp of_device(int device, hipMemAllocationHandleType handle) {
    return (hipMemAllocationProp){
        .type = hipMemAllocationTypePinned, .requestedHandleType = handle, .location = {hipMemLocationTypeDevice, device}};
}

static hipMemAccessDesc access_of(int device, hipMemAccessFlags flags) {
    return (hipMemAccessDesc){{hipMemLocationTypeDevice, device}, flags};
}

static hipMemGenericAllocationHandle_t create(hipMemAllocationHandleType handle) {
    hipMemAllocationProp prop = of_device(0, handle);
    hipMemGenericAllocationHandle_t memory = NULL;
    ok(hipMemCreate(&memory, PIECE, &prop, 0));
    return memory;
}

/* ---- virtual memory ---------------------------------------------------------------------------------------- */

static void test_virtual(void **state) {
    (void)state;
    size_t granularity = 0;
    const hipMemAllocationProp prop = of_device(0, hipMemHandleTypeNone);
    const hipMemAccessDesc all = access_of(0, hipMemAccessFlagsProtReadWrite), none = access_of(0, hipMemAccessFlagsProtNone);
    char *address = NULL, text[] = "one memory, two addresses", back[sizeof text] = "";
    ok(hipMemGetAllocationGranularity(&granularity, &prop, hipMemAllocationGranularityMinimum));
    assert_int_equal(granularity, PIECE); /* the driver's */
    ok(hipMemAddressReserve((void **)&address, 4 * PIECE, 0, NULL, 0));
    hipMemGenericAllocationHandle_t first = create(hipMemHandleTypeNone), second = create(hipMemHandleTypeNone);
    ok(hipMemMap(address, PIECE, 0, first, 0));
    ok(hipMemMap(address + PIECE, PIECE, 0, second, 0));
    ok(hipMemMap(address + 2 * PIECE, PIECE, 0, first, 0));
    fails(hipErrorInvalidValue, hipMemMap(address, PIECE, 0, second, 0));
    fails(hipErrorInvalidValue, hipMemcpy(address, text, sizeof text, hipMemcpyHostToDevice)); /* nobody may yet */
    ok(hipMemSetAccess(address, 3 * PIECE, &all, 1));
    ok(hipMemcpy(address, text, sizeof text, hipMemcpyHostToDevice));
    ok(hipMemcpy(back, address + 2 * PIECE, sizeof back, hipMemcpyDeviceToHost));
    assert_string_equal(back, text);
    ok(hipMemcpy(address + 2 * PIECE - 8, text, 16, hipMemcpyHostToDevice)); /* over the border of two mappings */
    ok(hipMemcpy(back, address, 8, hipMemcpyDeviceToHost));
    assert_memory_equal(back, text + 8, 8);
    unsigned long long flags = 0;
    ok(hipMemGetAccess(&flags, &all.location, address));
    assert_int_equal(flags, hipMemAccessFlagsProtReadWrite);
    ok(hipMemSetAccess(address, PIECE, &none, 1));
    ok(hipMemGetAccess(&flags, &all.location, address));
    assert_int_equal(flags, hipMemAccessFlagsProtNone);
    ok(hipMemRelease(first)); /* the mappings keep it */
    ok(hipMemcpy(back, address + 2 * PIECE, 8, hipMemcpyDeviceToHost));
    fails(hipErrorInvalidValue, hipMemAddressFree(address, 4 * PIECE));
    ok(hipMemUnmap(address, 3 * PIECE));
    ok(hipMemRelease(second));
    ok(hipMemAddressFree(address, 4 * PIECE));
}

static void test_virtual_errors(void **state) {
    (void)state;
    const hipMemAllocationProp prop = of_device(0, hipMemHandleTypeNone), cpu = of_device(1, hipMemHandleTypeNone);
    const hipMemAccessDesc host = {{hipMemLocationTypeHost, 0}, hipMemAccessFlagsProtReadWrite};
    const hipMemAccessDesc other = access_of(1, hipMemAccessFlagsProtReadWrite);
    hipMemGenericAllocationHandle_t memory = NULL;
    void *address = NULL;
    fails(hipErrorInvalidValue, hipMemCreate(&memory, 4096, &prop, 0));
    fails(hipErrorOutOfMemory, hipMemAddressReserve(&address, 4096, 0, NULL, 0));
    ok(hipMemAddressReserve(&address, PIECE, 0, NULL, 0));
    ok(hipMemCreate(&memory, PIECE, &cpu, 0));
    fails(hipErrorInvalidValue, hipMemMap(address, PIECE, 0, memory, 0)); /* a CPU device's memory at a GPU's addresses */
    ok(hipMemRelease(memory));
    memory = create(hipMemHandleTypeNone);
    ok(hipMemMap(address, PIECE, 0, memory, 0));
    fails(hipErrorNotSupported, hipMemSetAccess(address, PIECE, &host, 1));
    fails(hipErrorNotSupported, hipMemSetAccess(address, PIECE, &other, 1));
    ok(hipMemUnmap(address, PIECE));
    ok(hipMemRelease(memory));
    ok(hipMemAddressFree(address, PIECE));
    int file = -1;
    fails(hipErrorInvalidValue, hipMemImportFromShareableHandle(&memory, (void *)(intptr_t)file, hipMemHandleTypePosixFileDescriptor));
}

static void test_export(void **state) {
    (void)state;
    const hipMemAccessDesc all = access_of(0, hipMemAccessFlagsProtReadWrite);
    hipMemGenericAllocationHandle_t memory = create(hipMemHandleTypePosixFileDescriptor), import = NULL;
    char *address = NULL, back[8] = "";
    int file = -1;
    ok(hipMemExportToShareableHandle(&file, memory, hipMemHandleTypePosixFileDescriptor, 0));
    ok(hipMemImportFromShareableHandle(&import, (void *)(intptr_t)file, hipMemHandleTypePosixFileDescriptor));
    close(file);
    ok(hipMemAddressReserve((void **)&address, 2 * PIECE, 0, NULL, 0));
    ok(hipMemMap(address, PIECE, 0, memory, 0));
    ok(hipMemMap(address + PIECE, PIECE, 0, import, 0));
    ok(hipMemSetAccess(address, 2 * PIECE, &all, 1));
    ok(hipMemcpy(address + 100, "shared!", 8, hipMemcpyHostToDevice));
    ok(hipMemcpy(back, address + PIECE + 100, 8, hipMemcpyDeviceToHost));
    assert_string_equal(back, "shared!");
    ok(hipMemUnmap(address, 2 * PIECE));
    ok(hipMemAddressFree(address, 2 * PIECE));
    ok(hipMemRelease(import));
    ok(hipMemRelease(memory));
}

/* ---- memory of other interfaces ---------------------------------------------------------------------------- */

static void test_external(void **state) {
    (void)state;
    int file = -1, descriptor = fake->external(4 * PIECE, &file), unknown[2];
    hipExternalMemory_t memory = NULL;
    hipExternalMemoryHandleDesc desc = {.type = hipExternalMemoryHandleTypeOpaqueFd, .size = 4 * PIECE};
    hipExternalMemoryBufferDesc buffer = {.offset = PIECE, .size = PIECE + 10};
    hipPointerAttribute_t attributes;
    char *address = NULL, *second = NULL, text[] = "of another interface", back[sizeof text] = "";
    assert_int_equal(pipe(unknown), 0);
    desc.handle.fd = unknown[0];
    fails(hipErrorInvalidValue, hipImportExternalMemory(&memory, &desc));
    desc.handle.fd = descriptor;
    desc.size = 5 * PIECE;
    fails(hipErrorInvalidValue, hipImportExternalMemory(&memory, &desc));
    desc.size = 4 * PIECE;
    ok(hipImportExternalMemory(&memory, &desc));
    ok(hipExternalMemoryGetMappedBuffer((void **)&address, memory, &buffer));
    assert_ptr_not_equal(fake->at(address), address); /* not the host's */
    ok(hipMemcpy(address + 100, text, sizeof text, hipMemcpyHostToDevice));
    assert_int_equal(pread(file, back, sizeof back, (off_t)PIECE + 100), sizeof back);
    assert_string_equal(back, text);
    fails(hipErrorInvalidValue, hipMemset(address, 0, PIECE + 11));
    ok(hipPointerGetAttributes(&attributes, address));
    assert_int_equal(attributes.type, hipMemoryTypeDevice);
    assert_int_equal(attributes.device, 0);
    buffer.size = 3 * PIECE + 1;
    fails(hipErrorInvalidValue, hipExternalMemoryGetMappedBuffer((void **)&second, memory, &buffer));
    ok(hipSetDevice(1)); /* whose memory it is does not change */
    buffer.size = PIECE;
    ok(hipExternalMemoryGetMappedBuffer((void **)&second, memory, &buffer));
    ok(hipSetDevice(0));
    ok(hipMemcpy(back, second + 100, sizeof back, hipMemcpyDeviceToHost));
    assert_string_equal(back, text);
    ok(hipPointerGetAttributes(&attributes, second));
    assert_int_equal(attributes.device, 0);
    ok(hipFree(second));
    ok(hipDestroyExternalMemory(memory));
    fails(hipErrorInvalidHandle, hipDestroyExternalMemory(memory));
    assert_int_equal(close(descriptor), -1); /* was the driver's */
    ok(hipMemcpy(back, address + 100, sizeof back, hipMemcpyDeviceToHost));
    ok(hipFree(address));
    fails(hipErrorInvalidValue, hipFree(address));
    close(unknown[0]);
    close(unknown[1]);
}

/* A file is memory that the host and the GPU share. */
static void test_external_file(void **state) {
    (void)state;
    int file = memfd_create("test", 0);
    hipExternalMemory_t memory = NULL;
    hipExternalMemoryHandleDesc desc = {.type = hipExternalMemoryHandleTypeOpaqueFd, .size = PIECE, .handle.fd = file};
    hipExternalMemoryBufferDesc buffer = {.offset = 4096, .size = 8192};
    char *address = NULL, back[4] = "";
    assert_int_equal(ftruncate(file, (off_t)PIECE), 0);
    const unsigned long registered = fake->calls("cuMemHostRegister_v2"), withdrawn = fake->calls("cuMemHostUnregister");
    ok(hipImportExternalMemory(&memory, &desc));
    ok(hipExternalMemoryGetMappedBuffer((void **)&address, memory, &buffer));
    assert_int_equal(fake->calls("cuMemHostRegister_v2"), registered + 1);
    ok(hipMemset(address + 8190, 0x21, 2));
    assert_int_equal(pread(file, back, 3, 4096 + 8189), 3);
    assert_memory_equal(back, "\0\x21\x21", 3);
    ok(hipFree(address));
    assert_int_equal(fake->calls("cuMemHostUnregister"), withdrawn + 1);
    ok(hipDestroyExternalMemory(memory));
    assert_int_equal(close(file), -1);
}

/* A reset frees what was mapped. */
static void test_external_reset(void **state) {
    (void)state;
    int file = -1;
    hipExternalMemory_t memory = NULL;
    hipExternalMemoryHandleDesc desc = {.type = hipExternalMemoryHandleTypeOpaqueFd, .size = PIECE};
    hipExternalMemoryBufferDesc buffer = {.size = PIECE};
    void *address = NULL;
    desc.handle.fd = fake->external(PIECE, &file);
    ok(hipImportExternalMemory(&memory, &desc));
    ok(hipExternalMemoryGetMappedBuffer(&address, memory, &buffer));
    ok(hipDeviceReset());
    fails(hipErrorInvalidValue, hipFree(address));
    ok(hipExternalMemoryGetMappedBuffer(&address, memory, &buffer));
    ok(hipFree(address));
    ok(hipDestroyExternalMemory(memory));
}

/* ---- pageable memory -------------------------------------------------------------------------------------------- */

/* The driver's GPU does not reach it: there is nothing to attach to a stream. */
static void test_attach_pageable(void **state) {
    (void)state;
    hipStream_t stream = NULL;
    int pageable = -1;
    char *plain = calloc(1, 4096);
    ok(hipDeviceGetAttribute(&pageable, hipDeviceAttributePageableMemoryAccess, 0));
    assert_int_equal(pageable, 0);
    ok(hipStreamCreate(&stream));
    assert_int_equal(hipStreamAttachMemAsync(stream, plain, 4096, hipMemAttachSingle), hipErrorInvalidValue);
    ok(hipHostRegister(plain, 4096, 0)); /* now it does */
    ok(hipStreamAttachMemAsync(stream, plain, 4096, hipMemAttachSingle));
    ok(hipHostUnregister(plain));
    ok(hipStreamDestroy(stream));
    free(plain);
}

/* ---- places within shared memory ------------------------------------------------------------------------------- */

static void test_inner_handles(void **state) {
    (void)state;
    hipIpcMemHandle_t start, inner, end;
    char *memory = NULL, *whole = NULL, *part = NULL, *again = NULL;
    ok(hipMalloc((void **)&memory, 1 << 20));
    ok(hipIpcGetMemHandle(&start, memory));
    ok(hipIpcGetMemHandle(&inner, memory + 4096 + 8));
    ok(hipIpcGetMemHandle(&end, memory + (1 << 20) - 1));
    CUdeviceptr mine = (CUdeviceptr)(uintptr_t)memory;
    assert_memory_equal(start.reserved, &mine, sizeof mine); /* a handle of the driver's own */
    assert_memory_not_equal(inner.reserved, &mine, sizeof mine);
    fails(hipErrorInvalidDevicePointer, hipIpcOpenMemHandle((void **)&whole, start, hipIpcMemLazyEnablePeerAccess));
    unsigned long before = fake->calls("cuIpcOpenMemHandle_v2"), closed = fake->calls("cuIpcCloseMemHandle");
    fake->elsewhere(true);
    ok(hipIpcOpenMemHandle((void **)&part, inner, hipIpcMemLazyEnablePeerAccess));
    ok(hipIpcOpenMemHandle((void **)&whole, start, hipIpcMemLazyEnablePeerAccess));
    ok(hipIpcOpenMemHandle((void **)&again, end, hipIpcMemLazyEnablePeerAccess));
    fake->elsewhere(false);
    assert_int_equal(fake->calls("cuIpcOpenMemHandle_v2") - before, 1);
    assert_ptr_equal(part, whole + 4096 + 8);
    assert_ptr_equal(again, whole + (1 << 20) - 1);
    ok(hipIpcCloseMemHandle(whole));
    ok(hipIpcCloseMemHandle(part));
    assert_int_equal(fake->calls("cuIpcCloseMemHandle") - closed, 0);
    ok(hipIpcCloseMemHandle(again));
    assert_int_equal(fake->calls("cuIpcCloseMemHandle") - closed, 1);
    fails(hipErrorInvalidValue, hipIpcCloseMemHandle(whole));
    ok(hipFree(memory));
}

/* ---- pools of several processes --------------------------------------------------------------------------------- */

static void test_shared_pool(void **state) {
    (void)state;
    const hipMemPoolProps props = {.allocType = hipMemAllocationTypePinned,
                                   .handleTypes = hipMemHandleTypePosixFileDescriptor,
                                   .location = {hipMemLocationTypeDevice, 0}};
    hipMemPool_t pool = NULL, import = NULL, wrong = NULL;
    hipMemPoolPtrExportData data;
    char *first = NULL, *second = NULL, *again = NULL, *imported = NULL, back[16] = "";
    hipStream_t stream;
    int file = -1;
    ok(hipStreamCreateWithFlags(&stream, hipStreamNonBlocking));
    ok(hipMemPoolCreate(&pool, &props));
    ok(hipMallocFromPoolAsync((void **)&first, 1000, pool, stream));
    ok(hipMallocFromPoolAsync((void **)&second, 3 * PIECE, pool, stream));
    ok(hipMemcpyAsync(first, "in a pool", 10, hipMemcpyHostToDevice, stream));
    ok(hipMemPoolExportToShareableHandle(&file, pool, hipMemHandleTypePosixFileDescriptor, 0));
    ok(hipMemPoolImportFromShareableHandle(&import, (void *)(intptr_t)file, hipMemHandleTypePosixFileDescriptor, 0));
    close(file);
    fails(hipErrorInvalidValue, hipMemPoolImportFromShareableHandle(&wrong, (void *)(intptr_t)0, hipMemHandleTypePosixFileDescriptor, 0));
    fails(hipErrorInvalidValue, hipMallocFromPoolAsync((void **)&again, 1000, import, stream));
    ok(hipStreamSynchronize(stream));
    fails(hipErrorInvalidValue, hipMemPoolExportPointer(&data, first + 1));
    ok(hipMemPoolExportPointer(&data, first));
    fails(hipErrorInvalidValue, hipMemPoolImportPointer((void **)&imported, pool, &data));
    ok(hipMemPoolImportPointer((void **)&imported, import, &data));
    assert_ptr_not_equal(imported, first);
    ok(hipMemcpy(back, imported, 10, hipMemcpyDeviceToHost));
    assert_string_equal(back, "in a pool");
    unsigned long freed = fake->calls("cuMemFreeAsync");
    ok(hipFreeAsync(imported, stream));
    ok(hipStreamSynchronize(stream));
    ok(hipMemPoolDestroy(import));
    assert_int_equal(fake->calls("cuMemFreeAsync") - freed, 1);
    ok(hipFreeAsync(second, stream));
    ok(hipMallocFromPoolAsync((void **)&again, 2 * PIECE, pool, stream)); /* what was freed serves again, whole */
    assert_ptr_equal(again, second);
    ok(hipMemPoolExportPointer(&data, again));
    ok(hipFreeAsync(again, stream));
    ok(hipFreeAsync(first, stream));
    ok(hipStreamSynchronize(stream));
    ok(hipMemPoolDestroy(pool));
    assert_int_equal(fake->calls("cuMemPoolDestroy"), 2);
    ok(hipStreamDestroy(stream));
}

/* ---- waits for parts of words ------------------------------------------------------------------------------------ */

static struct {
    uint64_t address, value, mask, all;
    uint32_t operation, size;
} seen;
static unsigned waits;

static CUresult run_wait(const struct fake_launch *launch) {
    memcpy(&seen.address, launch->values[0], 8);
    memcpy(&seen.value, launch->values[1], 8);
    memcpy(&seen.mask, launch->values[2], 8);
    memcpy(&seen.all, launch->values[3], 8);
    memcpy(&seen.operation, launch->values[4], 4);
    memcpy(&seen.size, launch->values[5], 4);
    waits++;
    return CUDA_SUCCESS;
}

static void test_masked_waits(void **state) {
    (void)state;
    uint64_t *there = NULL;
    hipStream_t stream;
    ok(hipStreamCreateWithFlags(&stream, hipStreamNonBlocking));
    ok(hipMalloc((void **)&there, 16));
    ok(hipMemset(there, 0, 16));
    ok(hipStreamWaitValue32(stream, there + 1, 0x1234, hipStreamWaitValueEq, 0xff00));
    ok(hipStreamSynchronize(stream));
    assert_int_equal(waits, 1);
    assert_true(seen.address == (uint64_t)(uintptr_t)(there + 1) && seen.value == 0x1234 && seen.mask == 0xff00 && seen.all == UINT32_MAX);
    assert_true(seen.operation == 1 && seen.size == 4);
    ok(hipStreamWaitValue64(stream, there, 5, hipStreamWaitValueNor, UINT64_MAX - 1));
    ok(hipStreamSynchronize(stream));
    assert_int_equal(waits, 2);
    assert_true(seen.operation == 3 && seen.size == 8 && seen.all == UINT64_MAX && seen.mask == UINT64_MAX - 1);
    ok(hipStreamWaitValue64(stream, there, 0, hipStreamWaitValueGte, UINT64_MAX)); /* the driver's own */
    ok(hipStreamSynchronize(stream));
    assert_int_equal(waits, 2);
    ok(hipFree(there));
    ok(hipStreamDestroy(stream));
}

/* ---- textures --------------------------------------------------------------------------------------------------- */

/* Kernels read an object in the device's memory: it is what a CPU device's program would have, but for the array's address. */
static void test_texture(void **state) {
    (void)state;
    enum { DWORDS = 20, ADDRESS_DWORDS = 2 };
    uint32_t words[2][DWORDS];
    const hipChannelFormatDesc desc = hipCreateChannelDesc(32, 0, 0, 0, hipChannelFormatKindFloat);
    for (int device = 0; device < 2; device++) {
        hipArray_t array = NULL;
        hipTextureObject_t texture = NULL;
        ok(hipSetDevice(device));
        ok(hipMallocArray(&array, &desc, 40, 30, 0));
        hipResourceDesc resource = {.resType = hipResourceTypeArray, .res.array.array = array}, found;
        hipTextureDesc how = {.addressMode = {hipAddressModeBorder, hipAddressModeMirror, hipAddressModeClamp},
                              .filterMode = hipFilterModeLinear,
                              .normalizedCoords = 1,
                              .borderColor = {0.25f, 0.5f, 1, 2}};
        ok(hipCreateTextureObject(&texture, &resource, &how, NULL));
        memcpy(words[device], fake->at((const void *)texture), sizeof words[device]);
        assert_true(device == 1 || fake->at((const void *)texture) != (const void *)texture); /* not the host's */
        ok(hipGetTextureObjectResourceDesc(&found, texture));
        assert_ptr_equal(found.res.array.array, array);
        ok(hipDestroyTextureObject(texture));
        fails(hipErrorInvalidValue, hipDestroyTextureObject(texture));
        ok(hipFreeArray(array));
    }
    assert_memory_equal(words[0] + ADDRESS_DWORDS, words[1] + ADDRESS_DWORDS, (DWORDS - ADDRESS_DWORDS) * sizeof words[0][0]);
    ok(hipSetDevice(0));
}

/* ---- pinned memory that was freed ------------------------------------------------------------------------ */

/* Allocates and frees; returns how often the driver was asked for memory. */
static unsigned long pin(size_t size, unsigned flags, unsigned times) {
    const unsigned long before = fake->calls("cuMemHostAlloc");
    for (unsigned i = 0; i < times; i++) {
        hipPointerAttribute_t attributes;
        char *memory = NULL;
        ok(hipHostMalloc((void **)&memory, size, flags));
        for (size_t at = 0; at < size; at += 500)
            assert_int_equal(memory[at], 0); /* nothing is left of what was there */
        memset(memory, 1, size);
        ok(hipHostFree(memory));
        ok(hipPointerGetAttributes(&attributes, memory)); /* as any pages of the host */
        assert_int_equal(attributes.type, hipMemoryTypeUnregistered);
        fails(hipErrorInvalidValue, hipHostFree(memory));
    }
    return fake->calls("cuMemHostAlloc") - before;
}

static void test_freed_pinned_memory(void **state) {
    (void)state;
    void *held[100], *again[100], *device = NULL;
    char copy[64];
    ok(hipMalloc(&device, sizeof copy));
    (void)pin(5000, 0, 1); /* a block is there now */
    assert_int_equal(pin(5000, 0, 100), 0);
    assert_int_equal(pin(6000, hipHostMallocPortable, 100), 0); /* as many pages */
    assert_int_equal(pin(5000, hipHostMallocWriteCombined, 3), 3);
    assert_int_equal(pin((size_t)1 << 20, 0, 3), 3); /* too large to be kept */
    for (int i = 0; i < 100; i++)
        ok(hipHostMalloc(&held[i], 5000, 0));
    const unsigned long freed = fake->calls("cuMemFreeHost"), made = fake->calls("cuMemHostAlloc");
    for (int i = 0; i < 100; i++)
        ok(hipHostFree(held[i]));
    const unsigned long kept = 100 - (fake->calls("cuMemFreeHost") - freed);
    assert_in_range(kept, 1, 64);
    for (int i = 0; i < 100; i++) {
        ok(hipHostMalloc(&again[i], 5000, 0));
        for (int k = 0; k < i; k++)
            assert_ptr_not_equal(again[k], again[i]);
    }
    assert_int_equal(fake->calls("cuMemHostAlloc") - made, 100 - kept);
    for (int i = 0; i < 100; i++)
        ok(hipHostFree(again[i]));
    fake->fail_next("cuEventSynchronize", CUDA_ERROR_ILLEGAL_ADDRESS, 0, 1);
    assert_int_not_equal(hipMemcpy(copy, device, sizeof copy, hipMemcpyDeviceToHost), hipSuccess);
    ok(hipDeviceReset()); /* of a device with a fault: the driver frees everything */
    assert_int_equal(pin(5000, 0, 2), 1);
}

int main(void) {
    use_fake_driver("cuda,cpu");
    setenv("WAVELIFT_ARCH", "gfx1030", 1);
    fake->kernel("wl_wait", run_wait);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_virtual),         cmocka_unit_test(test_virtual_errors), cmocka_unit_test(test_export),
        cmocka_unit_test(test_attach_pageable), cmocka_unit_test(test_inner_handles),  cmocka_unit_test(test_shared_pool),
        cmocka_unit_test(test_masked_waits),    cmocka_unit_test(test_texture),        cmocka_unit_test(test_external),
        cmocka_unit_test(test_external_file),   cmocka_unit_test(test_external_reset), cmocka_unit_test(test_freed_pinned_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
