/* Every function of the driver fails, in a process of its own: at its first call, at a later one, and at all calls. Nothing crashes or
 * hangs, and what fails always is told: by an error of some call, or by the absence of the GPU. A driver that does not start, that lacks a
 * function, and a machine without one leave the CPU device. */
#include "cuda_test.h"

#include <hip/hip_cuda_interop.h>

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

static const char ptx[] = ".version 7.8\n.target sm_90\n.address_size 64\n"
                          "\n.visible .global .align 4 .u32 counter;\n"
                          ".visible .entry add(.param .u64 a, .param .u32 b)\n{ ret; }\n";

/* What a failure may do without telling: hints, clean-up, and what has a way round. */
static const char *const quiet[] = {"cuCtxGetCurrent",
                                    "cuMemGetAllocationGranularity",
                                    "cuMemRelease",
                                    "cuMemPoolDestroy",
                                    "cuMemAllocAsync",
                                    "cuMemFreeAsync",
                                    "cuDestroyExternalMemory",
                                    "cuCtxSetLimit",
                                    "cuDeviceGetUuid_v2",
                                    "cuDeviceGetName",
                                    "cuDeviceGetAttribute",
                                    "cuDeviceTotalMem_v2",
                                    "cuMemFree_v2",
                                    "cuMemFreeHost",
                                    "cuMemGetInfo_v2",
                                    "cuMemHostUnregister",
                                    "cuModuleUnload",
                                    "cuStreamDestroy_v2",
                                    "cuEventDestroy_v2",
                                    "cuLinkDestroy",
                                    "cuDevicePrimaryCtxRelease_v2",
                                    "cuMemGetAddressRange_v2",
                                    "cuGetErrorName",
                                    "cuGetErrorString",
                                    "cuFuncGetName",
                                    "cuModuleEnumerateFunctions",
                                    "cuModuleGetFunctionCount",
                                    "cuFuncGetAttribute",
                                    "cuDeviceCanAccessPeer",
                                    "cuStreamQuery",
                                    "cuIpcCloseMemHandle",
                                    "cuEventQuery",
                                    "cuDevicePrimaryCtxReset_v2"};

/* Those that the scenario below comes by. */
static const char *const functions[] = {
    "cuInit",
    "cuDriverGetVersion",
    "cuDeviceGetCount",
    "cuDeviceGet",
    "cuDevicePrimaryCtxRetain",
    "cuCtxGetCurrent",
    "cuCtxSetCurrent",
    "cuCtxSynchronize",
    "cuDeviceGetName",
    "cuDeviceGetUuid_v2",
    "cuDeviceTotalMem_v2",
    "cuDeviceGetAttribute",
    "cuMemGetInfo_v2",
    "cuMemAlloc_v2",
    "cuMemFree_v2",
    "cuMemAllocManaged",
    "cuMemHostAlloc",
    "cuMemFreeHost",
    "cuMemHostRegister_v2",
    "cuMemHostUnregister",
    "cuMemHostGetDevicePointer_v2",
    "cuMemAdvise",
    "cuMemPrefetchAsync",
    "cuMemGetAllocationGranularity",
    "cuMemCreate",
    "cuMemRelease",
    "cuMemExportToShareableHandle",
    "cuMemImportFromShareableHandle",
    "cuMemAddressReserve",
    "cuMemAddressFree",
    "cuMemMap",
    "cuMemUnmap",
    "cuMemSetAccess",
    "cuMemPoolCreate",
    "cuMemPoolDestroy",
    "cuMemPoolExportToShareableHandle",
    "cuMemPoolImportFromShareableHandle",
    "cuMemPoolExportPointer",
    "cuMemPoolImportPointer",
    "cuMemAllocFromPoolAsync",
    "cuMemAllocAsync",
    "cuMemFreeAsync",
    "cuImportExternalMemory",
    "cuExternalMemoryGetMappedBuffer",
    "cuDestroyExternalMemory",
    "cuMemcpyAsync",
    "cuMemcpy2DAsync_v2",
    "cuMemsetD8Async",
    "cuMemsetD16Async",
    "cuMemsetD32Async",
    "cuModuleLoadDataEx",
    "cuModuleUnload",
    "cuModuleGetFunction",
    "cuModuleGetGlobal_v2",
    "cuModuleGetFunctionCount",
    "cuFuncGetAttribute",
    "cuFuncSetAttribute",
    "cuFuncGetParamInfo",
    "cuLinkCreate_v2",
    "cuLinkAddData_v2",
    "cuLinkComplete",
    "cuLinkDestroy",
    "cuLaunchKernel",
    "cuLaunchCooperativeKernel",
    "cuOccupancyMaxActiveBlocksPerMultiprocessor",
    "cuStreamCreateWithPriority",
    "cuStreamDestroy_v2",
    "cuStreamQuery",
    "cuStreamGetCtx",
    "cuStreamGetFlags",
    "cuStreamWaitEvent",
    "cuStreamWaitValue32_v2",
    "cuStreamWriteValue32_v2",
    "cuEventCreate",
    "cuEventRecord",
    "cuEventQuery",
    "cuEventSynchronize",
    "cuEventElapsedTime",
};

/* ---- the scenario: everything is tried, whatever failed before ------------------------------------------------- */

static unsigned errors;

static bool did(hipError_t error) {
    errors += error != hipSuccess && error != hipErrorNotReady;
    return error == hipSuccess;
}

static void use_virtual_memory(void) {
    const size_t size = (size_t)2 << 20;
    const hipMemAllocationProp prop = {.type = hipMemAllocationTypePinned,
                                       .requestedHandleType = hipMemHandleTypePosixFileDescriptor,
                                       .location = {hipMemLocationTypeDevice, 0}};
    const hipMemAccessDesc access = {{hipMemLocationTypeDevice, 0}, hipMemAccessFlagsProtReadWrite};
    hipMemGenericAllocationHandle_t memory = NULL, import = NULL;
    void *address = NULL;
    int file = -1;
    if (!did(hipMemCreate(&memory, size, &prop, 0)))
        return;
    if (did(hipMemExportToShareableHandle(&file, memory, hipMemHandleTypePosixFileDescriptor, 0))) {
        if (did(hipMemImportFromShareableHandle(&import, (void *)(intptr_t)file, hipMemHandleTypePosixFileDescriptor)))
            did(hipMemRelease(import));
        close(file);
    }
    if (did(hipMemAddressReserve(&address, size, 0, NULL, 0))) {
        if (did(hipMemMap(address, size, 0, memory, 0))) {
            did(hipMemSetAccess(address, size, &access, 1));
            did(hipMemUnmap(address, size));
        }
        did(hipMemAddressFree(address, size));
    }
    did(hipMemRelease(memory));
}

static void use_external_memory(void) {
    int file = -1, descriptor = fake->external((size_t)2 << 20, &file);
    const hipExternalMemoryHandleDesc desc = {
        .type = hipExternalMemoryHandleTypeOpaqueFd, .size = (size_t)2 << 20, .handle.fd = descriptor};
    const hipExternalMemoryBufferDesc buffer = {.size = 4096};
    hipExternalMemory_t memory = NULL;
    void *address = NULL;
    if (!did(hipImportExternalMemory(&memory, &desc))) {
        close(descriptor); /* it stayed ours */
        return;
    }
    if (did(hipExternalMemoryGetMappedBuffer(&address, memory, &buffer)))
        did(hipFree(address));
    did(hipDestroyExternalMemory(memory));
}

static void use_pools(void) {
    const hipMemPoolProps props = {.allocType = hipMemAllocationTypePinned,
                                   .handleTypes = hipMemHandleTypePosixFileDescriptor,
                                   .location = {hipMemLocationTypeDevice, 0}};
    hipMemPool_t pool = NULL, import = NULL;
    hipMemPoolPtrExportData data;
    void *memory = NULL, *imported = NULL;
    int file = -1;
    if (!did(hipMemPoolCreate(&pool, &props)))
        return;
    if (did(hipMallocFromPoolAsync(&memory, 1000, pool, NULL))) {
        if (did(hipMemPoolExportToShareableHandle(&file, pool, hipMemHandleTypePosixFileDescriptor, 0))) {
            if (did(hipMemPoolImportFromShareableHandle(&import, (void *)(intptr_t)file, hipMemHandleTypePosixFileDescriptor, 0))) {
                if (did(hipMemPoolExportPointer(&data, memory)) && did(hipMemPoolImportPointer(&imported, import, &data)))
                    did(hipFreeAsync(imported, NULL));
                did(hipMemPoolDestroy(import));
            }
            close(file);
        }
        did(hipFreeAsync(memory, NULL));
    }
    did(hipMemPoolDestroy(pool));
}

static void use_memory(void) {
    char *there = NULL, *pinned = NULL, *managed = NULL, *mine = aligned_alloc(4096, 4096), here[64] = "text";
    size_t free_bytes, total;
    if (did(hipMalloc((void **)&there, 5000))) {
        did(hipMemcpy(there, here, sizeof here, hipMemcpyHostToDevice));
        did(hipMemcpy2D(there, 100, here, 8, 6, 8, hipMemcpyHostToDevice));
        did(hipMemcpy2D(there, 100, here, 8, 8, 8, hipMemcpyHostToDevice));
        did(hipMemset(there, 1, 100));
        did(hipMemsetD16(there, 1, 10));
        did(hipMemsetD32(there, 1, 10));
        did(hipMemcpy(here, there, sizeof here, hipMemcpyDeviceToHost));
        did(hipStreamWriteValue32(NULL, there, 7, 0));
        did(hipStreamWaitValue32(NULL, there, 7, hipStreamWaitValueGte, 0xffffffff));
        did(hipStreamWaitValue32(NULL, there, 7, hipStreamWaitValueEq, 0xff));
    }
    use_virtual_memory();
    use_external_memory();
    use_pools();
    if (did(hipHostMalloc((void **)&pinned, 4096, 0)))
        did(hipHostFree(pinned));
    if (did(hipMallocManaged((void **)&managed, 4096, hipMemAttachGlobal))) {
        did(hipMemAdvise(managed, 4096, hipMemAdviseSetReadMostly, 0));
        did(hipMemPrefetchAsync(managed, 4096, 0, NULL));
        did(hipFree(managed));
    }
    if (did(hipHostRegister(mine, 4096, 0)))
        did(hipHostUnregister(mine));
    did(hipMemGetInfo(&free_bytes, &total));
    did(hipFree(there));
    free(mine);
}

static void use_kernels(hipStream_t stream) {
    hipModule_t module = NULL;
    hipFunction_t function = NULL;
    hipDeviceptr_t address;
    size_t size;
    void *pointer = NULL;
    unsigned value = 1, count;
    int blocks;
    if (!did(hipModuleLoadData(&module, ptx)))
        return;
    did(hipModuleGetFunctionCount(&count, module));
    did(hipModuleGetGlobal(&address, &size, module, "counter"));
    if (did(hipModuleGetFunction(&function, module, "add"))) {
        did(hipFuncGetAttribute(&blocks, HIP_FUNC_ATTRIBUTE_NUM_REGS, function));
        did(hipModuleOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, function, 64, 0));
        errors += blocks == 0;
        did(hipModuleLaunchKernel(function, 1, 1, 1, 64, 1, 1, 60000, stream, (void *[]){&pointer, &value}, NULL));
        did(hipModuleLaunchCooperativeKernel(function, 1, 1, 1, 64, 1, 1, 0, stream, (void *[]){&pointer, &value}));
    }
    did(hipModuleUnload(module));
}

/* A kernel of an AMD code object: translated, compiled, loaded. */
static void use_translation(void) {
    hipModule_t module = NULL;
    hipFunction_t function = NULL;
    if (did(hipModuleLoad(&module, API_TEST_OBJECT)) && did(hipModuleGetFunction(&function, module, "empty")))
        did(hipModuleLaunchKernel(function, 1, 1, 1, 64, 1, 1, 0, NULL, NULL, NULL));
    did(hipDeviceSynchronize());
    if (module)
        did(hipModuleUnload(module));
}

static void use_streams(void) {
    hipStream_t a = NULL, b = NULL, again = NULL;
    hipEvent_t start = NULL, stop = NULL;
    CUstream native = NULL;
    float time;
    if (!did(hipStreamCreateWithFlags(&a, hipStreamNonBlocking)) || !did(hipStreamCreate(&b)) || !did(hipEventCreate(&start)) ||
        !did(hipEventCreate(&stop)))
        return;
    did(hipEventRecord(start, a));
    use_kernels(a);
    did(hipEventRecord(stop, a));
    did(hipStreamWaitEvent(b, stop, 0));
    did(hipEventQuery(stop));
    did(hipStreamQuery(a));
    did(hipEventSynchronize(stop));
    did(hipEventElapsedTime(&time, start, stop));
    if (did(waveliftGetCuStream(&native, a)) && did(waveliftGetHipStream(&again, native)))
        did(hipStreamDestroy(again));
    did(hipStreamSynchronize(b));
    did(hipStreamSynchronize(NULL));
    did(hipEventDestroy(start));
    did(hipEventDestroy(stop));
    did(hipStreamDestroy(a));
    did(hipStreamDestroy(b));
}

/* Ends with 10 if the GPU was not there, 11 if a call failed, 12 if none did. */
static int scenario(const char *function, unsigned skip, unsigned times) {
    int count = 0;
    hipDeviceProp_t properties;
    use_fake_driver(NULL);
    alarm(300); /* a hang */
    fake->fail_next(function, CUDA_ERROR_OUT_OF_MEMORY, skip, times);
    if (hipGetDeviceCount(&count) != hipSuccess || hipGetDeviceProperties(&properties, 0) != hipSuccess)
        return 1; /* the CPU is always there */
    if (count < 2)
        return 10;
    use_memory();
    use_streams();
    if (strncmp(function, "cuLink", 6) == 0)
        use_translation();
    did(hipDeviceSynchronize());
    return errors ? 11 : 12;
}

/* ---- tests ------------------------------------------------------------------------------------------------------- */

static int run(const char *program, const char *function, unsigned skip, unsigned times) {
    char number[16], second[16];
    int status = 0;
    snprintf(number, sizeof number, "%u", skip);
    snprintf(second, sizeof second, "%u", times);
    pid_t child = fork();
    if (child == 0) {
        execl(program, program, function, number, second, (char *)NULL);
        _exit(127);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    return status;
}

static char program[4096];

static bool may_be_quiet(const char *function) {
    for (size_t i = 0; i < sizeof quiet / sizeof *quiet; i++)
        if (strcmp(quiet[i], function) == 0)
            return true;
    return false;
}

static void test_each_function(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
        for (unsigned how = 0; how < 3; how++) {
            const unsigned skip = how == 1 ? 2 : 0, times = how == 2 ? 1000000 : 1;
            int status = run(program, functions[i], skip, times);
            if (!WIFEXITED(status) || WEXITSTATUS(status) < 10)
                fail_msg("%s fails at call %u: the process ends with status %x", functions[i], skip + 1, (unsigned)status);
            if (times > 1 && WEXITSTATUS(status) == 12 && !may_be_quiet(functions[i]))
                fail_msg("%s fails, and nobody is told", functions[i]);
        }
}

static void test_without_failures(void **state) {
    (void)state;
    int status = run(program, "none", 0, 0);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 12);
}

static void test_no_driver(void **state) {
    (void)state;
    setenv("FAKE_CUDA_INIT", "100", 1); /* CUDA_ERROR_NO_DEVICE */
    int status = run(program, "none", 0, 0);
    unsetenv("FAKE_CUDA_INIT");
    assert_int_equal(WEXITSTATUS(status), 10);
    setenv("FAKE_CUDA_DEVICES", "0", 1);
    status = run(program, "none", 0, 0);
    unsetenv("FAKE_CUDA_DEVICES");
    assert_int_equal(WEXITSTATUS(status), 10);
    setenv("FAKE_CUDA_SM", "61", 1); /* too old */
    status = run(program, "none", 0, 0);
    unsetenv("FAKE_CUDA_SM");
    assert_int_equal(WEXITSTATUS(status), 10);
}

/* What WAVELIFT_DEVICES asks for, in its order; this runs in children too. */
static int count_devices(void) {
    int count = 0;
    char kinds[64] = "";
    hipDeviceProp_t properties;
    setenv("WAVELIFT_CUDA_LIBRARY", FAKE_CUDA, 1);
    if (hipGetDeviceCount(&count) != hipSuccess)
        return 99;
    for (int i = 0; i < count && i < 60; i++)
        strcat(kinds, hipGetDeviceProperties(&properties, i) == hipSuccess && strncmp(properties.name, "Fake", 4) == 0 ? "g" : "c");
    return strcmp(kinds, getenv("EXPECTED")) == 0 ? 0 : 1;
}

static void test_lists_of_devices(void **state) {
    (void)state;
    static const struct {
        const char *devices, *expected;
        int status;
    } cases[] = {{"cuda,cpu", "ggc", 0}, {"cpu,cuda", "cgg", 0}, {"cuda:1,cpu:2", "gcc", 0}, {"cpu", "c", 0},   {"cuda", "gg", 0},
                 {"3", "ccc", 0},        {"cuda:9", "gg", 0},    {"cpu:2,cuda", "ccgg", 0},  {"gpu", "ggc", 0}, {"cuda,", "ggc", 0}};
    setenv("FAKE_CUDA_DEVICES", "2", 1);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        setenv("WAVELIFT_DEVICES", cases[i].devices, 1);
        setenv("EXPECTED", cases[i].expected, 1);
        int status = run(program, "devices", 0, 0);
        if (!WIFEXITED(status) || WEXITSTATUS(status) != cases[i].status)
            fail_msg("%s: status %x instead of devices %s", cases[i].devices, (unsigned)status, cases[i].expected);
    }
    unsetenv("WAVELIFT_DEVICES");
    unsetenv("FAKE_CUDA_DEVICES");
}

int main(int argc, char **argv) {
    if (argc == 4 && strcmp(argv[1], "devices") == 0)
        return count_devices();
    if (argc == 4)
        return scenario(argv[1], (unsigned)atoi(argv[2]), (unsigned)atoi(argv[3]));
    setenv("WAVELIFT_LOG", "0", 1);
    setenv("WAVELIFT_CACHE_SIZE", "0", 1);
    if (!realpath(argv[0], program))
        return 1;
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_without_failures), cmocka_unit_test(test_no_driver),
                                       cmocka_unit_test(test_lists_of_devices), cmocka_unit_test(test_each_function)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
