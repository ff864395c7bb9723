/* What only a real driver and a real GPU can show. Exits with 77, ctest's "skipped", where there is none. */
#include <hip/hip_runtime_api.h>

#include <dlfcn.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "../bystander.h"
#include "../hip_calls.h"
#include "interop_test.h"

static const char ptx[] = ".version 7.0\n.target sm_70\n.address_size 64\n"
                          ".visible .global .align 4 .u32 counter;\n"
                          ".visible .entry copy(.param .u64 to, .param .u64 from)\n"
                          "{ .reg .b32 %r<6>; .reg .b64 %rd<6>;\n"
                          "ld.param.u64 %rd1,[to]; ld.param.u64 %rd2,[from];\n"
                          "mov.u32 %r1,%ctaid.x; mov.u32 %r2,%ntid.x; mov.u32 %r3,%tid.x; mad.lo.s32 %r4,%r1,%r2,%r3;\n"
                          "mul.wide.u32 %rd3,%r4,4; add.s64 %rd1,%rd1,%rd3; add.s64 %rd2,%rd2,%rd3;\n"
                          "ld.global.u32 %r5,[%rd2]; st.global.u32 [%rd1],%r5; ret; }\n"
                          ".visible .entry add(.param .u64 values, .param .u32 amount, .param .u32 count)\n"
                          "{ .reg .pred %p<2>; .reg .b32 %r<8>; .reg .b64 %rd<4>;\n"
                          "ld.param.u64 %rd1,[values]; ld.param.u32 %r1,[amount]; ld.param.u32 %r2,[count];\n"
                          "mov.u32 %r3,%ctaid.x; mov.u32 %r4,%ntid.x; mov.u32 %r5,%tid.x; mad.lo.s32 %r6,%r3,%r4,%r5;\n"
                          "setp.ge.u32 %p1,%r6,%r2; @%p1 bra DONE;\n"
                          "mul.wide.u32 %rd3,%r6,4; add.s64 %rd2,%rd1,%rd3;\n"
                          "ld.global.u32 %r7,[%rd2]; add.s32 %r7,%r7,%r1; st.global.u32 [%rd2],%r7;\nDONE: ret; }\n"
                          ".visible .entry wait_ns(.param .u64 time)\n"
                          "{ .reg .pred %p<2>; .reg .b64 %rd<6>;\n"
                          "ld.param.u64 %rd1,[time]; mov.u64 %rd2,%globaltimer;\n"
                          "AGAIN: mov.u64 %rd3,%globaltimer; sub.s64 %rd4,%rd3,%rd2; setp.lt.u64 %p1,%rd4,%rd1; @%p1 bra AGAIN;\nret; }\n"
                          ".visible .entry wrong(.param .u64 p)\n"
                          "{ .reg .b64 %rd<2>; .reg .b32 %r<2>; mov.u64 %rd1,16; mov.u32 %r1,1; st.global.u32 [%rd1],%r1; ret; }\n";

static hipModule_t module;

static hipFunction_t function_of(const char *name) {
    hipFunction_t function = NULL;
    ok(hipModuleGetFunction(&function, module, name));
    return function;
}

static void wait_ns(uint64_t time, hipStream_t stream) {
    ok(hipModuleLaunchKernel(function_of("wait_ns"), 1, 1, 1, 1, 1, 1, 0, stream, (void *[]){&time}, NULL));
}

/* ---- tests ------------------------------------------------------------------------------------------------- */

static void test_properties(void **state) {
    (void)state;
    hipDeviceProp_t properties;
    ok(hipGetDeviceProperties(&properties, 0));
    printf("%s, compute capability %d.%d, %d multiprocessors, %zu MiB\n", properties.name, properties.major, properties.minor,
           properties.multiProcessorCount, properties.totalGlobalMem >> 20);
    assert_true(properties.major >= 7 && properties.multiProcessorCount > 0 && properties.totalGlobalMem > (size_t)1 << 30);
    assert_true(properties.sharedMemPerBlockOptin >= 49152 && properties.clockRate > 0);
}

/* The sample of HIP's porting guide, with a PTX file. */
static void test_sample(void **state) {
    (void)state;
    enum { ELEMENTS = 64 * 1024 };
    static float a[ELEMENTS], b[ELEMENTS];
    char path[] = "/tmp/wavelift-ptx-XXXXXX";
    int file = mkstemp(path);
    assert_int_equal(write(file, ptx, sizeof ptx - 1), sizeof ptx - 1);
    close(file);
    hipDeviceptr_t there[2];
    for (int i = 0; i < ELEMENTS; i++)
        b[i] = (float)i;
    ok(hipMalloc(&there[0], sizeof a));
    ok(hipMalloc(&there[1], sizeof b));
    ok(hipMemcpyHtoD(there[0], a, sizeof a));
    ok(hipMemcpyHtoD(there[1], b, sizeof b));
    hipModule_t from_file;
    hipFunction_t function;
    ok(hipModuleLoad(&from_file, path));
    ok(hipModuleGetFunction(&function, from_file, "copy"));
    size_t size = sizeof there;
    void *config[] = {HIP_LAUNCH_PARAM_BUFFER_POINTER, there, HIP_LAUNCH_PARAM_BUFFER_SIZE, &size, HIP_LAUNCH_PARAM_END};
    ok(hipModuleLaunchKernel(function, ELEMENTS / 128, 1, 1, 128, 1, 1, 0, 0, NULL, config));
    ok(hipMemcpyDtoH(a, there[0], sizeof a));
    assert_memory_equal(a, b, sizeof a);
    ok(hipModuleUnload(from_file));
    ok(hipFree(there[0]));
    ok(hipFree(there[1]));
    unlink(path);
}

static void test_options(void **state) {
    (void)state;
    char log[4096] = "";
    hipModule_t made = NULL;
    hipJitOption options[] = {hipJitOptionMaxRegisters, hipJitOptionErrorLogBuffer, hipJitOptionErrorLogBufferSizeBytes};
    void *values[] = {(void *)(uintptr_t)32, log, (void *)(uintptr_t)sizeof log};
    ok(hipModuleLoadDataEx(&made, ptx, 3, options, values));
    ok(hipModuleUnload(made));
    values[2] = (void *)(uintptr_t)sizeof log;
    fails(hipErrorInvalidImage,
          hipModuleLoadDataEx(&made, ".version 7.0\n.target sm_70\n.address_size 64\n.entry e() { no_such_thing; }\n", 3, options, values));
    assert_non_null(strstr(log, "no_such_thing"));
}

static void test_symbols(void **state) {
    (void)state;
    hipDeviceptr_t address = NULL;
    size_t size = 0;
    unsigned value = 41, back = 0, one = 1;
    int registers = 0, blocks = 0;
    ok(hipModuleGetGlobal(&address, &size, module, "counter"));
    assert_int_equal(size, 4);
    ok(hipMemcpyHtoD(address, &value, 4));
    ok(hipModuleLaunchKernel(function_of("add"), 1, 1, 1, 32, 1, 1, 0, NULL, (void *[]){&address, &one, &one}, NULL));
    ok(hipMemcpyDtoH(&back, address, 4));
    assert_int_equal(back, 42);
    ok(hipFuncGetAttribute(&registers, HIP_FUNC_ATTRIBUTE_NUM_REGS, function_of("add")));
    assert_true(registers > 0 && registers < 64);
    ok(hipModuleOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, function_of("add"), 256, 0));
    assert_true(blocks >= 4);
}

static void test_streams(void **state) {
    (void)state;
    hipStream_t a, b;
    hipEvent_t start, stop;
    unsigned *gate = NULL; /* what stands behind it is not done before the host says so */
    float time = 0;
    ok(hipStreamCreateWithFlags(&a, hipStreamNonBlocking));
    ok(hipStreamCreateWithPriority(&b, hipStreamNonBlocking, -1));
    ok(hipEventCreate(&start));
    ok(hipEventCreate(&stop));
    ok(hipHostMalloc((void **)&gate, 64, 0));
    *gate = 0;
    ok(hipEventRecord(start, a));
    ok(hipStreamWaitValue32(a, gate, 1, hipStreamWaitValueEq, UINT32_MAX));
    wait_ns(20000000, a);
    ok(hipEventRecord(stop, a));
    fails(hipErrorNotReady, hipStreamQuery(a));
    fails(hipErrorNotReady, hipEventQuery(stop));
    wait_ns(1000, b);
    ok(hipStreamSynchronize(b)); /* beside the other one */
    fails(hipErrorNotReady, hipStreamQuery(a));
    __atomic_store_n(gate, 1, __ATOMIC_SEQ_CST);
    ok(hipStreamWaitEvent(b, stop, 0));
    wait_ns(1000, b);
    ok(hipStreamSynchronize(b));
    ok(hipStreamQuery(a));
    ok(hipEventElapsedTime(&time, start, stop));
    assert_true(time > 19.5 && time < 3600000);
    ok(hipStreamWaitValue32(NULL, gate, 2, hipStreamWaitValueEq, UINT32_MAX));
    wait_ns(1000, NULL);
    fails(hipErrorNotReady, hipStreamQuery(NULL));
    __atomic_store_n(gate, 2, __ATOMIC_SEQ_CST);
    ok(hipDeviceSynchronize());
    ok(hipStreamQuery(NULL));
    ok(hipHostFree(gate));
    ok(hipEventDestroy(start));
    ok(hipEventDestroy(stop));
    ok(hipStreamDestroy(a));
    ok(hipStreamDestroy(b));
}

static void set_flag(void *flag) { *(volatile int *)flag = 1; }

static void test_host_side(void **state) {
    (void)state;
    enum { COUNT = 1 << 20 };
    unsigned *pinned, *managed, *mine = aligned_alloc(4096, COUNT * sizeof *mine), one = 1, count = COUNT;
    _Atomic int flag = 0;
    ok(hipHostMalloc((void **)&pinned, COUNT * sizeof *pinned, 0));
    ok(hipMallocManaged((void **)&managed, COUNT * sizeof *managed, hipMemAttachGlobal));
    memset(mine, 0, COUNT * sizeof *mine);
    ok(hipHostRegister(mine, COUNT * sizeof *mine, hipHostRegisterDefault));
    ok(hipMemAdvise(managed, COUNT * sizeof *managed, hipMemAdviseSetPreferredLocation, 0));
    ok(hipMemPrefetchAsync(managed, COUNT * sizeof *managed, 0, NULL));
    unsigned *all[] = {pinned, managed, mine};
    for (int i = 0; i < 3; i++) {
        ok(hipModuleLaunchKernel(function_of("add"), COUNT / 256, 1, 1, 256, 1, 1, 0, NULL, (void *[]){&all[i], &one, &count}, NULL));
        ok(hipStreamSynchronize(NULL));
        for (unsigned j = 0; j < COUNT; j += 997)
            assert_int_equal(all[i][j], 1);
    }
    ok(hipMemPrefetchAsync(managed, COUNT * sizeof *managed, hipCpuDeviceId, NULL));
    wait_ns(5000000, NULL);
    ok(hipLaunchHostFunc(NULL, set_flag, (void *)&flag));
    assert_int_equal(flag, 0);
    ok(hipStreamSynchronize(NULL));
    assert_int_equal(flag, 1);
    ok(hipHostUnregister(mine));
    ok(hipHostFree(pinned));
    ok(hipFree(managed));
    free(mine);
}

static void test_pool(void **state) {
    (void)state;
    hipStream_t stream;
    void *first, *second;
    ok(hipStreamCreateWithFlags(&stream, hipStreamNonBlocking));
    ok(hipMallocAsync(&first, 1 << 20, stream));
    ok(hipMemsetAsync(first, 1, 1 << 20, stream));
    ok(hipFreeAsync(first, stream));
    ok(hipMallocAsync(&second, 1 << 20, stream));
    assert_ptr_equal(first, second);
    ok(hipFreeAsync(second, stream));
    ok(hipStreamSynchronize(stream));
    ok(hipStreamDestroy(stream));
}

/* Parts of words in device memory: each condition holds only when the other stream has written. */
static void test_masked_waits(void **state) {
    (void)state;
    struct bystander bystander = bystander_new();
    static const struct {
        uint64_t before, after, value, mask;
        unsigned how;
    } cases[] = {
        {0x0012, 0x3412, 0x3400, 0xff00, hipStreamWaitValueEq},
        {0xf0ff, 0xff0f, 0x0f00, 0x0f00, hipStreamWaitValueGte},
        {0xfffe, 0x0001, 0x0003, 0x0001, hipStreamWaitValueAnd},
        {~UINT64_C(0), 0x00ff, 0x00ff, 0xff00, hipStreamWaitValueNor},
    };
    uint64_t *word = NULL;
    hipStream_t waits, writes;
    ok(hipStreamCreateWithFlags(&waits, hipStreamNonBlocking));
    ok(hipStreamCreateWithFlags(&writes, hipStreamNonBlocking));
    ok(hipMalloc((void **)&word, 8));
    for (size_t i = 0; i < 2 * sizeof cases / sizeof *cases; i++) {
        const int wide = i & 1;
        uint64_t before = cases[i / 2].before, after = cases[i / 2].after;
        if (wide && cases[i / 2].how == hipStreamWaitValueNor)
            continue; /* the bits above the mask would never be set */
        ok(hipMemcpy(word, &before, 8, hipMemcpyHostToDevice));
        if (wide)
            ok(hipStreamWaitValue64(waits, word, cases[i / 2].value, cases[i / 2].how, cases[i / 2].mask));
        else
            ok(hipStreamWaitValue32(waits, word, (uint32_t)cases[i / 2].value, cases[i / 2].how, (uint32_t)cases[i / 2].mask));
        if (cases[i / 2].how != hipStreamWaitValueNor) { /* what is outside the mask counts as not set there */
            bystander_runs(&bystander);
            fails(hipErrorNotReady, hipStreamQuery(waits));
        }
        ok(hipMemcpyAsync(word, &after, 8, hipMemcpyHostToDevice, writes));
        ok(hipStreamSynchronize(writes));
        ok(hipStreamSynchronize(waits));
    }
    ok(hipFree(word));
    ok(hipStreamDestroy(waits));
    ok(hipStreamDestroy(writes));
    bystander_end(&bystander);
}

/* One memory at two addresses: a kernel adds through the one, the host reads through the other. */
static void test_virtual_memory(void **state) {
    (void)state;
    const hipMemAllocationProp prop = {.type = hipMemAllocationTypePinned,
                                       .requestedHandleType = hipMemHandleTypePosixFileDescriptor,
                                       .location = {hipMemLocationTypeDevice, 0}};
    const hipMemAccessDesc access = {{hipMemLocationTypeDevice, 0}, hipMemAccessFlagsProtReadWrite};
    hipMemGenericAllocationHandle_t memory, import;
    size_t size = 0;
    char *address = NULL;
    unsigned back = 0, one = 1;
    int file = -1;
    ok(hipMemGetAllocationGranularity(&size, &prop, hipMemAllocationGranularityMinimum));
    ok(hipMemCreate(&memory, size, &prop, 0));
    ok(hipMemExportToShareableHandle(&file, memory, hipMemHandleTypePosixFileDescriptor, 0));
    ok(hipMemImportFromShareableHandle(&import, (void *)(intptr_t)file, hipMemHandleTypePosixFileDescriptor));
    close(file);
    ok(hipMemAddressReserve((void **)&address, 2 * size, 0, NULL, 0));
    ok(hipMemMap(address, size, 0, memory, 0));
    ok(hipMemMap(address + size, size, 0, import, 0));
    ok(hipMemSetAccess(address, 2 * size, &access, 1));
    ok(hipMemset(address, 0, 2 * size));
    void *there = address + size + 64;
    ok(hipModuleLaunchKernel(function_of("add"), 1, 1, 1, 1, 1, 1, 0, NULL, (void *[]){&there, &one, &one}, NULL));
    ok(hipMemcpy(&back, address + 64, 4, hipMemcpyDeviceToHost));
    assert_int_equal(back, 1);
    ok(hipMemUnmap(address, 2 * size));
    ok(hipMemRelease(import));
    ok(hipMemRelease(memory));
    ok(hipMemAddressFree(address, 2 * size));
}

/* Memory as another interface would hand it out: the driver takes what its virtual memory management exported. And a file. */
static void test_external_memory(void **state) {
    (void)state;
    const hipMemAllocationProp prop = {.type = hipMemAllocationTypePinned,
                                       .requestedHandleType = hipMemHandleTypePosixFileDescriptor,
                                       .location = {hipMemLocationTypeDevice, 0}};
    const hipMemAccessDesc access = {{hipMemLocationTypeDevice, 0}, hipMemAccessFlagsProtReadWrite};
    hipMemGenericAllocationHandle_t memory;
    hipExternalMemory_t external;
    size_t size = 0;
    char *own = NULL, *buffer = NULL;
    unsigned back = 0, one = 1;
    int file = -1;
    ok(hipMemGetAllocationGranularity(&size, &prop, hipMemAllocationGranularityMinimum));
    ok(hipMemCreate(&memory, size, &prop, 0));
    ok(hipMemAddressReserve((void **)&own, size, 0, NULL, 0));
    ok(hipMemMap(own, size, 0, memory, 0));
    ok(hipMemSetAccess(own, size, &access, 1));
    ok(hipMemset(own, 0, size));
    ok(hipMemExportToShareableHandle(&file, memory, hipMemHandleTypePosixFileDescriptor, 0));
    hipExternalMemoryHandleDesc desc = {.type = hipExternalMemoryHandleTypeOpaqueFd, .handle.fd = file, .size = size};
    hipExternalMemoryBufferDesc part = {.offset = 65536, .size = 4096};
    ok(hipImportExternalMemory(&external, &desc));
    ok(hipExternalMemoryGetMappedBuffer((void **)&buffer, external, &part));
    ok(hipModuleLaunchKernel(function_of("add"), 1, 1, 1, 1, 1, 1, 0, NULL, (void *[]){&buffer, &one, &one}, NULL));
    ok(hipMemcpy(&back, own + 65536, 4, hipMemcpyDeviceToHost));
    assert_int_equal(back, 1);
    ok(hipFree(buffer));
    ok(hipDestroyExternalMemory(external));
    ok(hipMemUnmap(own, size));
    ok(hipMemRelease(memory));
    ok(hipMemAddressFree(own, size));

    desc = (hipExternalMemoryHandleDesc){.type = hipExternalMemoryHandleTypeOpaqueFd, .handle.fd = memfd_create("test", 0), .size = 65536};
    part = (hipExternalMemoryBufferDesc){.offset = 4096, .size = 4096};
    assert_int_equal(ftruncate(desc.handle.fd, 65536), 0);
    file = dup(desc.handle.fd);
    ok(hipImportExternalMemory(&external, &desc));
    ok(hipExternalMemoryGetMappedBuffer((void **)&buffer, external, &part));
    ok(hipModuleLaunchKernel(function_of("add"), 1, 1, 1, 1, 1, 1, 0, NULL, (void *[]){&buffer, &one, &one}, NULL));
    ok(hipDeviceSynchronize());
    assert_int_equal(pread(file, &back, 4, 4096), 4);
    assert_int_equal(back, 1);
    ok(hipFree(buffer));
    ok(hipDestroyExternalMemory(external));
    close(file);
}

/* The last one. */
static void test_fault(void **state) {
    (void)state;
    void *pointer = NULL;
    ok(hipModuleLaunchKernel(function_of("wrong"), 1, 1, 1, 1, 1, 1, 0, NULL, (void *[]){&pointer}, NULL));
    fails(hipErrorIllegalAddress, hipDeviceSynchronize());
    fails(hipErrorIllegalAddress, hipMalloc(&pointer, 16));
    if (hipDeviceReset() != hipSuccess) {
        puts("the driver keeps the fault in this process");
        return;
    }
    ok(hipModuleLoadData(&module, ptx));
    unsigned *values, one = 1, back = 0;
    ok(hipMalloc((void **)&values, 4));
    ok(hipMemset(values, 0, 4));
    ok(hipModuleLaunchKernel(function_of("add"), 1, 1, 1, 1, 1, 1, 0, NULL, (void *[]){&values, &one, &one}, NULL));
    ok(hipMemcpy(&back, values, 4, hipMemcpyDeviceToHost));
    assert_int_equal(back, 1);
    ok(hipFree(values));
}

int main(void) {
    setenv("WAVELIFT_DEVICES", "cuda", 1);
    int count = 0;
    if (hipGetDeviceCount(&count) != hipSuccess) {
        puts("skipped: there is no NVIDIA GPU with a driver here");
        return 77;
    }
    if (hipModuleLoadData(&module, ptx) != hipSuccess)
        return 1;
    open_driver("libcuda.so.1");
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_properties),
        cmocka_unit_test(test_sample),
        cmocka_unit_test(test_options),
        cmocka_unit_test(test_symbols),
        cmocka_unit_test(test_streams),
        cmocka_unit_test(test_host_side),
        cmocka_unit_test(test_pool),
        cmocka_unit_test(test_masked_waits),
        cmocka_unit_test(test_virtual_memory),
        cmocka_unit_test(test_external_memory),
        INTEROP_TESTS,
        cmocka_unit_test(test_fault),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
