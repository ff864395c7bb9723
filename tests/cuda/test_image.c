/* PTX and its kin as they are, through the HIP API. */
#include "cuda_test.h"

#include <sys/mman.h>
#include <unistd.h>

static const char ptx[] = "// a comment\n"
                          "/* another */ .version 7.8\n"
                          ".target sm_90\n"
                          ".address_size 64\n"
                          "\n.visible .global .align 4 .u32 counter;\n"
                          "\n.visible .global .align 8 .b8 table[40] = {1, 2};\n"
                          ".visible .entry add(\n"
                          "  .param .u64 add_values,\n"
                          "  .param .u32 add_value,\n"
                          "  .param .u32 add_count\n)\n{ ret; }\n"
                          ".visible .entry mixed(\n"
                          "  .param .u8 a,\n"
                          "  .param .align 8 .b8 b[24],\n"
                          "  .param .u64 c\n)\n{ ret; }\n"
                          ".visible .entry wrong(.param .u64 p)\n{ ret; }\n";

struct block {
    double numbers[3];
};

/* ---- the kernels -------------------------------------------------------------------------------------- */

static CUresult run_add(const struct fake_launch *launch) {
    const void *device;
    unsigned value, count;
    memcpy(&device, launch->values[0], 8);
    memcpy(&value, launch->values[1], 4);
    memcpy(&count, launch->values[2], 4);
    unsigned *values = fake->at(device);
    for (unsigned i = 0; i < launch->grid[0] * launch->block[0] && i < count; i++)
        values[i] += value;
    return CUDA_SUCCESS;
}

static struct {
    unsigned char a;
    struct block b;
    void *c;
} seen;

static CUresult run_mixed(const struct fake_launch *launch) {
    memcpy(&seen.a, launch->values[0], 1);
    memcpy(&seen.b, launch->values[1], sizeof seen.b);
    memcpy(&seen.c, launch->values[2], 8);
    return CUDA_SUCCESS;
}

static CUresult run_wrong(const struct fake_launch *launch) {
    (void)launch;
    return CUDA_ERROR_ILLEGAL_ADDRESS;
}

static hipModule_t load(void) {
    hipModule_t module = NULL;
    ok(hipModuleLoadData(&module, ptx));
    return module;
}

static hipFunction_t function_of(hipModule_t module, const char *name) {
    hipFunction_t function = NULL;
    ok(hipModuleGetFunction(&function, module, name));
    return function;
}

/* ---- tests ---------------------------------------------------------------------------------------------- */

static void test_devices(void **state) {
    (void)state;
    int count = 0, value = 0;
    hipDeviceProp_t properties;
    ok(hipGetDeviceCount(&count));
    assert_int_equal(count, 2); /* the GPU and, behind it, the CPU */
    ok(hipGetDeviceProperties(&properties, 0));
    assert_string_equal(properties.name, "Fake GPU 0");
    assert_int_equal(properties.major, 9);
    assert_int_equal(properties.minor, 0);
    assert_int_equal(properties.multiProcessorCount, 132);
    assert_int_equal(properties.totalGlobalMem, (size_t)4 << 30);
    assert_int_equal(properties.sharedMemPerBlockOptin, 232448);
    assert_int_equal(properties.maxSharedMemoryPerMultiProcessor, 233472);
    assert_int_equal(properties.l2CacheSize, 50 << 20);
    assert_int_equal(properties.clockRate, 1980000);
    assert_int_equal(properties.pciBusID, 0x19);
    assert_int_equal(properties.integrated, 0);
    assert_int_equal(properties.uuid.bytes[0], 0x40);
    ok(hipDeviceGetAttribute(&value, hipDeviceAttributePageableMemoryAccess, 0));
    assert_int_equal(value, 0);
    ok(hipDeviceGetAttribute(&value, hipDeviceAttributeSharedMemPerBlockOptin, 0));
    assert_int_equal(value, 232448);
    ok(hipGetDeviceProperties(&properties, 1));
    assert_int_equal(properties.integrated, 0); /* the CPU device looks like programs expect one, too */
    assert_int_equal(properties.isLargeBar, 1);
}

static void test_memory(void **state) {
    (void)state;
    enum { SIZE = 100000 };
    unsigned char *there = NULL, *second = NULL, here[SIZE], back[SIZE];
    long before = fake->memory();
    for (int i = 0; i < SIZE; i++)
        here[i] = (unsigned char)(i * 7);
    ok(hipMalloc((void **)&there, SIZE));
    ok(hipMalloc((void **)&second, SIZE));
    assert_true(fake->memory() >= before + 2 * SIZE);
    ok(hipMemcpy(there, here, SIZE, hipMemcpyHostToDevice));
    ok(hipMemcpy(second, there, SIZE, hipMemcpyDeviceToDevice));
    ok(hipMemset(second + 10, 0xab, 5));
    ok(hipMemcpy(back, second, SIZE, hipMemcpyDeviceToHost));
    memset(here + 10, 0xab, 5);
    assert_memory_equal(back, here, SIZE);
    ok(hipMemsetD16(second, 0x1234, 3));
    ok(hipMemsetD32((char *)second + 8, 0x56789abc, 2));
    ok(hipMemcpy(back, second, 16, hipMemcpyDefault));
    assert_memory_equal(back, "\x34\x12\x34\x12\x34\x12", 6);
    assert_memory_equal(back + 8, "\xbc\x9a\x78\x56\xbc\x9a\x78\x56", 8);
    ok(hipMemcpy2D(back, 10, there, 100, 7, 3, hipMemcpyDeviceToHost));
    assert_int_equal(back[20], (unsigned char)(200 * 7));
    fails(hipErrorInvalidValue, hipMemcpy(there, here, SIZE + 1, hipMemcpyHostToDevice));
    size_t free = 0, total = 0;
    ok(hipMemGetInfo(&free, &total));
    assert_int_equal(total, (size_t)4 << 30);
    assert_true(free < total);
    ok(hipFree(there));
    ok(hipFree(second));
}

static void test_host_memory(void **state) {
    (void)state;
    int *pinned = NULL, *managed = NULL, *there = NULL, *mine = aligned_alloc(4096, 4096);
    ok(hipHostMalloc((void **)&pinned, 4096, hipHostMallocDefault));
    ok(hipMallocManaged((void **)&managed, 4096, hipMemAttachGlobal));
    ok(hipMalloc((void **)&there, 4096));
    assert_int_equal(pinned[1], 0);
    assert_int_equal(managed[1023], 0);
    assert_true(fake->calls("cuMemHostAlloc") > 0 && fake->calls("cuMemAllocManaged") > 0);
    pinned[5] = 55;
    ok(hipMemcpyAsync(there, pinned, 4096, hipMemcpyHostToDevice, NULL));
    ok(hipMemcpyAsync(managed, there, 4096, hipMemcpyDeviceToDevice, NULL));
    ok(hipDeviceSynchronize());
    assert_int_equal(managed[5], 55);
    void *device = NULL;
    ok(hipHostGetDevicePointer(&device, pinned, 0));
    assert_ptr_equal(device, pinned);
    ok(hipHostRegister(mine, 4096, hipHostRegisterDefault));
    assert_int_equal(fake->calls("cuMemHostRegister_v2"), 1);
    ok(hipHostRegister(mine, 4096, hipHostRegisterDefault)); /* again: nothing to do */
    assert_int_equal(fake->calls("cuMemHostRegister_v2"), 1);
    ok(hipHostUnregister(mine));
    assert_int_equal(fake->calls("cuMemHostUnregister"), 1);
    ok(hipMemAdvise(managed, 4096, hipMemAdviseSetReadMostly, 0));
    ok(hipMemAdvise(managed, 4096, hipMemAdviseSetPreferredLocation, hipCpuDeviceId));
    assert_int_equal(fake->calls("cuMemAdvise"), 2);
    ok(hipMemPrefetchAsync(managed, 4096, 0, NULL));
    assert_int_equal(fake->calls("cuMemPrefetchAsync"), 1);
    ok(hipHostFree(pinned));
    ok(hipFree(managed));
    ok(hipFree(there));
    free(mine);
}

static void test_between_processes(void **state) {
    (void)state;
    char *there = NULL, *again = NULL;
    hipIpcMemHandle_t handle;
    ok(hipMalloc((void **)&there, 8192));
    ok(hipIpcGetMemHandle(&handle, there));
    assert_int_equal(fake->calls("cuIpcGetMemHandle"), 1);
    fails(hipErrorInvalidValue, hipIpcGetMemHandle(&handle, there + 8192));
    fails(hipErrorInvalidDevicePointer, hipIpcOpenMemHandle((void **)&again, handle, hipIpcMemLazyEnablePeerAccess)); /* it is ours */
    assert_int_equal(fake->calls("cuIpcCloseMemHandle"), 1);
    ok(hipFree(there));
}

/* Memory of the driver's own functions. */
static void test_foreign_memory(void **state) {
    (void)state;
    void *library = dlopen(FAKE_CUDA, RTLD_NOW | RTLD_LOCAL);
    CUresult (*allocate)(CUdeviceptr *, size_t) = (CUresult(*)(CUdeviceptr *, size_t))(uintptr_t)dlsym(library, "cuMemAlloc_v2");
    CUdeviceptr address = 0;
    int here = 5, back = 0;
    assert_int_equal(allocate(&address, 64), CUDA_SUCCESS);
    ok(hipMemcpy((void *)(uintptr_t)address, &here, 4, hipMemcpyHostToDevice));
    ok(hipMemcpy(&back, (void *)(uintptr_t)address, 4, hipMemcpyDeviceToHost));
    assert_int_equal(back, 5);
    fails(hipErrorInvalidValue, hipMemcpy(&back, &here, 4, hipMemcpyDeviceToHost));
}

static void test_launch(void **state) {
    (void)state;
    unsigned *values = NULL, host[256] = {0}, value = 3, count = 200;
    hipModule_t module = load();
    hipFunction_t add = function_of(module, "add"), mixed = function_of(module, "mixed");
    ok(hipMalloc((void **)&values, sizeof host));
    ok(hipMemset(values, 0, sizeof host));
    ok(hipModuleLaunchKernel(add, 2, 1, 1, 128, 1, 1, 0, NULL, (void *[]){&values, &value, &count}, NULL));
    ok(hipMemcpy(host, values, sizeof host, hipMemcpyDeviceToHost));
    assert_int_equal(host[0], 3);
    assert_int_equal(host[199], 3);
    assert_int_equal(host[200], 0);

    struct {
        unsigned *values;
        unsigned value, count;
    } packed = {values, 4, 100};
    size_t size = sizeof packed;
    void *extra[] = {HIP_LAUNCH_PARAM_BUFFER_POINTER, &packed, HIP_LAUNCH_PARAM_BUFFER_SIZE, &size, HIP_LAUNCH_PARAM_END};
    ok(hipModuleLaunchKernel(add, 1, 1, 1, 256, 1, 1, 60000, NULL, NULL, extra));
    ok(hipDeviceSynchronize());
    ok(hipMemcpy(host, values, sizeof host, hipMemcpyDeviceToHost));
    assert_int_equal(host[99], 7);
    assert_int_equal(host[100], 3);
    struct fake_launch last;
    fake->last_launch(&last);
    assert_int_equal(last.shared, 60000);
    assert_int_equal(last.block[0], 256);

    unsigned char a = 0x5a;
    struct block b = {{1, 2, 3}};
    void *c = &a;
    ok(hipModuleLaunchCooperativeKernel(mixed, 1, 2, 3, 4, 5, 6, 0, NULL, (void *[]){&a, &b, &c}));
    ok(hipDeviceSynchronize());
    assert_int_equal(seen.a, 0x5a);
    assert_memory_equal(&seen.b, &b, sizeof b);
    assert_ptr_equal(seen.c, c);
    fake->last_launch(&last);
    assert_true(last.cooperative);
    assert_int_equal(last.grid[2], 3);
    assert_int_equal(last.block[2], 6);

    fails(hipErrorInvalidValue, hipModuleLaunchKernel(add, 1, 1, 1, 2048, 1, 1, 0, NULL, (void *[]){&values, &value, &count}, NULL));
    fails(hipErrorInvalidValue, hipModuleLaunchKernel(add, 1, 1, 1, 32, 1, 1, 0, NULL, NULL, NULL));
    int blocks = 0;
    ok(hipModuleOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, add, 128, 0));
    assert_int_equal(blocks, 16);
    ok(hipFree(values));
    ok(hipModuleUnload(module));
}

static void test_symbols(void **state) {
    (void)state;
    hipModule_t module = load();
    hipDeviceptr_t address = NULL;
    size_t size = 0;
    unsigned count = 0;
    int number = 77, back = 0, value = 0;
    ok(hipModuleGetGlobal(&address, &size, module, "table"));
    assert_int_equal(size, 40);
    ok(hipModuleGetGlobal(&address, &size, module, "counter"));
    assert_int_equal(size, 4);
    ok(hipMemcpyHtoD(address, &number, 4));
    ok(hipMemcpyDtoH(&back, address, 4));
    assert_int_equal(back, 77);
    fails(hipErrorNotFound, hipModuleGetGlobal(&address, &size, module, "nothing"));
    hipFunction_t function = NULL;
    fails(hipErrorNotFound, hipModuleGetFunction(&function, module, "nothing"));
    function = function_of(module, "add");
    assert_ptr_equal(function, function_of(module, "add"));
    ok(hipModuleGetFunctionCount(&count, module));
    assert_int_equal(count, 3);
    assert_string_equal(hipKernelNameRef(function), "add");
    ok(hipFuncGetAttribute(&value, HIP_FUNC_ATTRIBUTE_NUM_REGS, function));
    assert_int_equal(value, 40);
    ok(hipFuncGetAttribute(&value, HIP_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES, function));
    assert_int_equal(value, 256);
    ok(hipFuncGetAttribute(&value, HIP_FUNC_ATTRIBUTE_BINARY_VERSION, function));
    assert_int_equal(value, 90);
    ok(hipFuncGetAttribute(&value, HIP_FUNC_ATTRIBUTE_PTX_VERSION, function));
    assert_int_equal(value, 80);
    ok(hipModuleUnload(module));
    fails(hipErrorInvalidValue, hipMemcpyHtoD(address, &number, 4)); /* it is nobody's any more */
}

static void test_options(void **state) {
    (void)state;
    static const char bad[] = ".version 7.8\n.target sm_90\nsyntax error\n";
    hipModule_t module = NULL;
    char log[64] = "";
    hipJitOption options[] = {hipJitOptionMaxRegisters, hipJitOptionErrorLogBuffer, hipJitOptionErrorLogBufferSizeBytes,
                              hipJitOptionMaxThreadsPerBlock};
    void *values[] = {(void *)(uintptr_t)32, log, (void *)(uintptr_t)sizeof log, (void *)(uintptr_t)256};
    ok(hipModuleLoadDataEx(&module, ptx, 4, options, values));
    ok(hipModuleUnload(module));
    values[2] = (void *)(uintptr_t)sizeof log;
    fails(hipErrorInvalidImage, hipModuleLoadDataEx(&module, bad, 4, options, values));
    assert_string_equal(log, "ptxas: line 7; Parsing error near 'syntax'");
    assert_int_equal((uintptr_t)values[2], strlen(log) + 1); /* how much of the buffer was written */
    hipJitOption unknown = hipJitOptionIRtoISAOptExt;
    fails(hipErrorInvalidValue, hipModuleLoadDataEx(&module, ptx, 1, &unknown, values));
    fails(hipErrorInvalidImage, hipModuleLoadData(&module, bad));
}

/* Text that ends with its page, without a NUL. */
static void test_edge_of_memory(void **state) {
    (void)state;
    size_t page = (size_t)sysconf(_SC_PAGESIZE), length = sizeof ptx - 1;
    char *pages = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    munmap(pages + page, page);
    memcpy(pages + page - length, ptx, length);
    hipModule_t module = NULL;
    ok(hipModuleLoadData(&module, pages + page - length));
    (void)function_of(module, "wrong");
    ok(hipModuleUnload(module));
    munmap(pages, page);
}

static void test_file_and_fat_binary(void **state) {
    (void)state;
    char path[] = "/tmp/wavelift-ptx-XXXXXX";
    int file = mkstemp(path);
    assert_int_equal(write(file, ptx, sizeof ptx - 1), sizeof ptx - 1);
    close(file);
    hipModule_t module = NULL;
    ok(hipModuleLoad(&module, path));
    (void)function_of(module, "add");
    ok(hipModuleUnload(module));
    unlink(path);
    fails(hipErrorFileNotFound, hipModuleLoad(&module, path));

    struct {
        uint32_t magic;
        uint16_t version, header;
        uint64_t size;
        char text[sizeof ptx];
    } fatbin = {0xba55ed50, 1, 16, sizeof ptx, ""};
    memcpy(fatbin.text, ptx, sizeof ptx);
    struct {
        uint32_t magic, version;
        const void *data;
        void *name;
    } wrapper = {0x466243b1, 1, &fatbin, NULL};
    ok(hipModuleLoadData(&module, &fatbin));
    ok(hipModuleUnload(module));
    ok(hipModuleLoadFatBinary(&module, &wrapper));
    ok(hipModuleUnload(module));
    fatbin.size = (uint64_t)1 << 60;
    fails(hipErrorInvalidImage, hipModuleLoadData(&module, &fatbin));
}

static void test_on_the_cpu(void **state) {
    (void)state;
    hipModule_t module = NULL;
    ok(hipSetDevice(1));
    fails(hipErrorNoBinaryForGpu, hipModuleLoadData(&module, ptx));
    /* The CPU device's stream copies memory of the GPU all the same. */
    int *there = NULL, *here = NULL, value = 5, back = 0;
    ok(hipSetDevice(0));
    ok(hipMalloc((void **)&there, 4));
    ok(hipSetDevice(1));
    ok(hipMalloc((void **)&here, 4));
    ok(hipMemcpy(here, &value, 4, hipMemcpyHostToDevice));
    ok(hipMemcpy(there, here, 4, hipMemcpyDeviceToDevice));
    ok(hipMemcpy(&back, there, 4, hipMemcpyDeviceToHost));
    assert_int_equal(back, 5);
    int can = 1;
    ok(hipDeviceCanAccessPeer(&can, 0, 1));
    assert_int_equal(can, 0);
    ok(hipFree(there));
    ok(hipFree(here));
    ok(hipSetDevice(0));
}

/* The last one: the context is of no use afterwards. */
static void test_fault(void **state) {
    (void)state;
    hipModule_t module = load();
    void *pointer = NULL;
    ok(hipModuleLaunchKernel(function_of(module, "wrong"), 1, 1, 1, 1, 1, 1, 0, NULL, (void *[]){&pointer}, NULL));
    fails(hipErrorIllegalAddress, hipDeviceSynchronize());
    fails(hipErrorIllegalAddress, hipMalloc(&pointer, 16));
    fails(hipErrorIllegalAddress, hipDeviceSynchronize());
    ok(hipSetDevice(1)); /* the other device goes on */
    ok(hipMalloc(&pointer, 16));
    ok(hipFree(pointer));

    unsigned *values = NULL, value = 3, count = 4, back = 0; /* and this one after a reset, with new modules and memory */
    hipFunction_t old = function_of(module, "add");
    ok(hipSetDevice(0));
    ok(hipDeviceReset());
    ok(hipMalloc((void **)&values, 16));
    ok(hipMemset(values, 0, 16));
    fails(hipErrorInvalidValue, hipModuleLaunchKernel(old, 1, 1, 1, 4, 1, 1, 0, NULL, (void *[]){&values, &value, &count}, NULL));
    ok(hipModuleUnload(module));
    module = load();
    ok(hipModuleLaunchKernel(function_of(module, "add"), 1, 1, 1, 4, 1, 1, 0, NULL, (void *[]){&values, &value, &count}, NULL));
    ok(hipMemcpy(&back, values + 3, 4, hipMemcpyDeviceToHost));
    assert_int_equal(back, 3);
    ok(hipFree(values));
}

int main(void) {
    use_fake_driver(NULL);
    fake->kernel("add", run_add);
    fake->kernel("mixed", run_mixed);
    fake->kernel("wrong", run_wrong);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_devices),           cmocka_unit_test(test_memory),
        cmocka_unit_test(test_host_memory),       cmocka_unit_test(test_launch),
        cmocka_unit_test(test_between_processes), cmocka_unit_test(test_foreign_memory),
        cmocka_unit_test(test_symbols),           cmocka_unit_test(test_options),
        cmocka_unit_test(test_edge_of_memory),    cmocka_unit_test(test_file_and_fat_binary),
        cmocka_unit_test(test_on_the_cpu),        cmocka_unit_test(test_fault),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
