/* Modules, launches, function attributes, occupancy. */
#include "../bystander.h"
#include "api_test.h"

#include <pthread.h>
#include <unistd.h>

static void test_loading(void **state) {
    (void)state;
    size_t size = 0;
    char *image = read_file(API_TEST_OBJECT, &size);
    hipModule_t module = NULL, wrong = NULL;
    hipFunction_t function = NULL;
    unsigned count = 0;
    ok(hipModuleLoadData(&module, image));
    free(image); /* the module keeps what it needs */
    ok(hipModuleGetFunction(&function, module, "add"));
    fails(hipErrorNotFound, hipModuleGetFunction(&function, module, "nothing"));
    fails(hipErrorInvalidValue, hipModuleGetFunction(&function, module, ""));
    ok(hipModuleGetFunctionCount(&count, module));
    assert_int_equal(count, 11);
    ok(hipModuleUnload(module));
    fails(hipErrorNotFound, hipModuleUnload(module));
    fails(hipErrorNotFound, hipModuleGetFunction(&function, module, "add"));
    fails(hipErrorInvalidValue, hipModuleLoad(&wrong, ""));
    char empty[] = "/tmp/wavelift-empty-XXXXXX";
    int file = mkstemp(empty);
    assert_true(file >= 0);
    close(file);
    fails(hipErrorInvalidValue, hipModuleLoad(&wrong, empty));
    unlink(empty);
    fails(hipErrorFileNotFound, hipModuleLoad(&wrong, "/no/such/file"));
    fails(hipErrorInvalidValue, hipModuleLoad(NULL, "x"));
    fails(hipErrorInvalidValue, hipModuleLoadData(&wrong, NULL));
    static const char nonsense[64] = "this is not a code object";
    fails(hipErrorInvalidImage, hipModuleLoadData(&wrong, nonsense));
    assert_int_equal(hipGetLastError(), hipErrorInvalidImage);
    assert_int_equal(hipGetLastError(), hipSuccess);
}

/* JIT options are for other compilers' images: whatever they say, the image is loaded as it is. */
static void test_options_are_ignored(void **state) {
    (void)state;
    size_t size = 0;
    unsigned registers = 15;
    char *image = read_file(API_TEST_OBJECT, &size);
    hipModule_t module = NULL;
    hipFunction_t function = NULL;
    hipJitOption options[] = {hipJitOptionMaxRegisters, (hipJitOption)12345};
    void *values[] = {&registers, NULL};
    ok(hipModuleLoadDataEx(&module, image, 2, options, values));
    ok(hipModuleGetFunction(&function, module, "add"));
    ok(hipModuleUnload(module));
    ok(hipModuleLoadDataEx(&module, image, 0, NULL, NULL));
    ok(hipModuleUnload(module));
    ok(hipModuleLoadFatBinary(&module, image));
    ok(hipModuleUnload(module));
    fails(hipErrorInvalidValue, hipModuleLoadDataEx(NULL, image, 0, NULL, NULL));
    fails(hipErrorInvalidValue, hipModuleLoadDataEx(&module, NULL, 0, NULL, NULL));
    fails(hipErrorInvalidValue, hipModuleLoadFatBinary(&module, NULL));
    free(image);
    hipGetLastError();
}

static void test_loading_errors(void **state) {
    (void)state;
    hipModule_t module = NULL;
    hipFunction_t function = NULL;
    hipDeviceptr_t address = NULL;
    textureReference *texture = NULL;
    size_t size = 0;
    unsigned count = 0;
    ok(hipModuleLoad(&module, API_TEST_OBJECT));
    fails(hipErrorInvalidValue, hipModuleLoad(&module, NULL));
    fails(hipErrorFileNotFound, hipModuleLoad(&module, "/"));
    fails(hipErrorInvalidImage, hipModuleLoad(&module, "/proc/self/exe"));     /* of the host */
    fails(hipErrorInvalidImage, hipModuleLoadData(&module, (const void *)16)); /* nothing is mapped there */
    fails(hipErrorInvalidHandle, hipModuleUnload(NULL));
    fails(hipErrorNotFound, hipModuleUnload((hipModule_t)&count));
    fails(hipErrorInvalidValue, hipModuleGetFunction(NULL, module, "add"));
    fails(hipErrorInvalidValue, hipModuleGetFunction(&function, module, NULL));
    fails(hipErrorInvalidHandle, hipModuleGetFunction(&function, NULL, "add"));
    fails(hipErrorNotFound, hipModuleGetFunction(&function, module, "counter")); /* a variable */
    fails(hipErrorInvalidValue, hipModuleGetFunctionCount(NULL, module));
    fails(hipErrorInvalidHandle, hipModuleGetFunctionCount(&count, NULL));
    fails(hipErrorInvalidValue, hipModuleGetGlobal(&address, &size, module, NULL));
    fails(hipErrorInvalidValue, hipModuleGetGlobal(&address, &size, module, ""));
    fails(hipErrorInvalidValue, hipModuleGetGlobal(NULL, NULL, module, "counter"));
    fails(hipErrorInvalidHandle, hipModuleGetGlobal(&address, &size, NULL, "counter"));
    fails(hipErrorNotFound, hipModuleGetGlobal(&address, &size, module, "add")); /* a kernel */
    ok(hipModuleGetGlobal(&address, NULL, module, "counter"));
    ok(hipModuleGetGlobal(NULL, &size, module, "counter"));
    fails(hipErrorInvalidValue, hipModuleGetTexRef(NULL, module, "counter"));
    fails(hipErrorInvalidValue, hipModuleGetTexRef(&texture, module, NULL));
    fails(hipErrorInvalidValue, hipModuleGetTexRef(&texture, module, ""));
    fails(hipErrorInvalidHandle, hipModuleGetTexRef(&texture, NULL, "counter"));
    fails(hipErrorNotFound, hipModuleGetTexRef(&texture, module, "nothing"));
    fails(hipErrorNotFound, hipModuleGetTexRef(&texture, module, "counter")); /* of another type */
    ok(hipModuleUnload(module));
    hipGetLastError();
}

/* A bundle whose only entry is for a GPU that nothing here can stand for. */
static void test_no_binary(void **state) {
    (void)state;
    static const char id[] = "hipv4-amdgcn-amd-amdhsa--gfx803";
    size_t size = 0;
    char *image = read_file(API_TEST_OBJECT, &size), *bundle = calloc(1, size + 4096);
    uint64_t numbers[4] = {1, 4096, size, sizeof id - 1}; /* entries; offset, size, length of the id */
    memcpy(bundle, "__CLANG_OFFLOAD_BUNDLE__", 24);
    memcpy(bundle + 24, numbers, sizeof numbers);
    memcpy(bundle + 56, id, sizeof id - 1);
    memcpy(bundle + 4096, image, size);
    hipModule_t module = NULL;
    fails(hipErrorNoBinaryForGpu, hipModuleLoadData(&module, bundle));
    memcpy(bundle + 56, "hipv4-amdgcn-amd-amdhsa--gfx90a", sizeof id - 1);
    ok(hipModuleLoadData(&module, bundle));
    ok(hipModuleUnload(module));
    free(bundle);
    free(image);
    hipGetLastError();
}

/* Files and memory of a module are needed no more after loading; the module itself lives until it is unloaded, also beyond a reset. */
static void test_life(void **state) {
    (void)state;
    char path[] = "/tmp/wavelift-module-XXXXXX";
    size_t size = 0;
    char *image = read_file(API_TEST_OBJECT, &size);
    int file = mkstemp(path);
    hipModule_t module = NULL;
    hipFunction_t set = NULL;
    int *flag = NULL, one = 1;
    assert_true(file >= 0);
    assert_int_equal(write(file, image, size), (ssize_t)size);
    ok(hipModuleLoad(&module, path));
    assert_int_equal(ftruncate(file, 0), 0);
    close(file);
    unlink(path);
    free(image);
    ok(hipDeviceReset());
    ok(hipModuleGetFunction(&set, module, "set"));
    ok(hipHostMalloc((void **)&flag, 64, 0));
    *flag = 0;
    ok(hipModuleLaunchKernel(set, 1, 1, 1, 64, 1, 1, 0, NULL, (void *[]){&flag, &one}, NULL));
    ok(hipModuleUnload(module));
    assert_int_equal(*flag, 1);
    ok(hipHostFree(flag));
}

/* Unloading waits for the kernels that are queued or run, and gives the memory of variables back. */
static void test_unload_waits(void **state) {
    (void)state;
    hipModule_t module = NULL;
    hipFunction_t wait_for = NULL, set = NULL;
    hipDeviceptr_t variable = NULL;
    hipStream_t stream = NULL;
    size_t size = 0;
    pthread_t thread;
    int *flags = NULL, one = 1;
    ok(hipModuleLoad(&module, API_TEST_OBJECT));
    ok(hipModuleGetFunction(&wait_for, module, "wait_for"));
    ok(hipModuleGetFunction(&set, module, "set"));
    ok(hipModuleGetGlobal(&variable, &size, module, "counter"));
    ok(hipStreamCreateWithFlags(&stream, hipStreamNonBlocking));
    ok(hipHostMalloc((void **)&flags, 256, 0));
    memset(flags, 0, 256);
    int *go = flags, *done = flags + 32, zero = 0;
    /* A GPU's driver may load the code of a kernel only when no other runs. */
    ok(hipModuleLaunchKernel(set, 1, 1, 1, 64, 1, 1, 0, stream, (void *[]){&done, &zero}, NULL));
    ok(hipStreamSynchronize(stream));
    struct bystander bystander = bystander_new();
    struct bystander_gate gate = {&bystander, go};
    ok(hipModuleLaunchKernel(wait_for, 1, 1, 1, 64, 1, 1, 0, stream, (void *[]){&go}, NULL));
    ok(hipModuleLaunchKernel(set, 1, 1, 1, 64, 1, 1, 0, stream, (void *[]){&done, &one}, NULL));
    assert_int_equal(pthread_create(&thread, NULL, bystander_opens, &gate), 0);
    ok(hipModuleUnload(module));
    assert_int_equal(*done, 1);
    pthread_join(thread, NULL);
    bystander_end(&bystander);
    fails(hipErrorInvalidHandle, hipModuleLaunchKernel(set, 1, 1, 1, 64, 1, 1, 0, stream, (void *[]){&done, &one}, NULL));
    fails(hipErrorInvalidValue, hipMemPtrGetInfo(variable, &size));
    ok(hipStreamDestroy(stream));
    ok(hipHostFree(flags));
    hipGetLastError();
}

/* Two loads of one image are two modules, each with its variables. */
static void test_modules_are_separate(void **state) {
    (void)state;
    hipModule_t modules[2];
    hipDeviceptr_t counters[2];
    int *out = NULL, value = 1000;
    ok(hipHostMalloc((void **)&out, 64, 0));
    for (int i = 0; i < 2; i++) {
        ok(hipModuleLoad(&modules[i], API_TEST_OBJECT));
        ok(hipModuleGetGlobal(&counters[i], NULL, modules[i], "counter"));
    }
    assert_ptr_not_equal(counters[0], counters[1]);
    ok(hipMemcpyHtoD(counters[0], &value, 4));
    for (int i = 0; i < 2; i++) {
        hipFunction_t variables = NULL;
        ok(hipModuleGetFunction(&variables, modules[i], "variables"));
        ok(hipModuleLaunchKernel(variables, 1, 1, 1, 64, 1, 1, 0, NULL, (void *[]){&out}, NULL));
        ok(hipDeviceSynchronize());
        assert_int_equal(out[0], i == 0 ? 1000 : 7);
    }
    ok(hipModuleUnload(modules[0]));
    ok(hipMemcpyDtoH(&value, counters[1], 4));
    assert_int_equal(value, 8);
    ok(hipModuleUnload(modules[1]));
    ok(hipHostFree(out));
}

static void test_variables(void **state) {
    (void)state;
    hipDeviceptr_t counter = NULL, table = NULL, number = NULL;
    size_t size = 0;
    int *out = NULL, value = 0, expected[3];
    ok(hipModuleGetGlobal(&counter, &size, test_module(), "counter"));
    assert_int_equal(size, 4);
    ok(hipModuleGetGlobal(&table, &size, test_module(), "table"));
    assert_int_equal(size, 16);
    ok(hipModuleGetGlobal(&number, &size, test_module(), "shared_number"));
    assert_int_equal(size, 4);
    assert_int_equal(*(int *)number, 5); /* managed: the host may look at any time */
    fails(hipErrorNotFound, hipModuleGetGlobal(&table, &size, test_module(), "nothing"));
    ok(hipMemcpyDtoH(&value, counter, 4));
    assert_int_equal(value, 7);
    ok(hipMemsetD32(counter, 70, 1));
    value = 33;
    ok(hipMemcpyHtoD((char *)table + 8, &value, 4));
    ok(hipHostMalloc((void **)&out, 64, 0));
    launch("variables", NULL, 1, 64, &out);
    ok(hipDeviceSynchronize());
    expected[0] = 70, expected[1] = 33, expected[2] = 5;
    assert_memory_equal(out, expected, sizeof expected);
    assert_int_equal(*(int *)number, 6);
    ok(hipMemcpyDtoH(&value, counter, 4));
    assert_int_equal(value, 71);
    ok(hipHostFree(out));
}

struct mixed {
    char letters[5];
    double number;
};

static void test_arguments(void **state) {
    (void)state;
    double *out = NULL;
    char a = -3;
    short b = -300;
    struct mixed c = {{0, 0, 0, 0, 42}, 2.5};
    float d = -0.125f;
    ok(hipHostMalloc((void **)&out, 64, 0));
    launch("arguments", NULL, 1, 64, &out, &a, &b, &c, &d);
    a = 0, b = 0, c.number = 0, d = 0; /* copied at the launch */
    ok(hipDeviceSynchronize());
    assert_true(out[0] == -3 && out[1] == -300 && out[2] == 42 && out[3] == 2.5 && out[4] == -0.125);

    struct {
        double *out;
        char a;
        short b;
        struct mixed c;
        float d;
    } buffer = {out, 1, 2, {{0, 0, 0, 0, 3}, 4}, 5};
    size_t size = sizeof buffer;
    void *extra[] = {HIP_LAUNCH_PARAM_BUFFER_POINTER, &buffer, HIP_LAUNCH_PARAM_BUFFER_SIZE, &size, HIP_LAUNCH_PARAM_END};
    ok(hipModuleLaunchKernel(test_kernel("arguments"), 1, 1, 1, 64, 1, 1, 0, NULL, NULL, extra));
    memset(&buffer, 0, sizeof buffer);
    ok(hipDeviceSynchronize());
    assert_true(out[0] == 1 && out[1] == 2 && out[2] == 3 && out[3] == 4 && out[4] == 5);

    void *wrong[] = {HIP_LAUNCH_PARAM_BUFFER_POINTER, &buffer, (void *)7};
    fails(hipErrorInvalidValue, hipModuleLaunchKernel(test_kernel("arguments"), 1, 1, 1, 64, 1, 1, 0, NULL, NULL, wrong));
    fails(hipErrorInvalidValue, hipModuleLaunchKernel(test_kernel("arguments"), 1, 1, 1, 64, 1, 1, 0, NULL, extra, extra));
    void *no_buffer[] = {HIP_LAUNCH_PARAM_BUFFER_POINTER, NULL, HIP_LAUNCH_PARAM_BUFFER_SIZE, &size, HIP_LAUNCH_PARAM_END};
    fails(hipErrorInvalidValue, hipModuleLaunchKernel(test_kernel("arguments"), 1, 1, 1, 64, 1, 1, 0, NULL, NULL, no_buffer));
    void *nothing[] = {HIP_LAUNCH_PARAM_END};
    fails(hipErrorInvalidValue, hipModuleLaunchKernel(test_kernel("arguments"), 1, 1, 1, 64, 1, 1, 0, NULL, NULL, nothing));
    ok(hipModuleLaunchKernel(test_kernel("empty"), 1, 1, 1, 64, 1, 1, 0, NULL, NULL, nothing));
    buffer.out = out;
    size = offsetof(__typeof__(buffer), d); /* the last argument is beyond it, and found all the same */
    buffer.d = 7;
    ok(hipModuleLaunchKernel(test_kernel("arguments"), 1, 1, 1, 64, 1, 1, 0, NULL, NULL, extra));
    ok(hipDeviceSynchronize());
    assert_true(out[4] == 7);
    void *no_size[] = {HIP_LAUNCH_PARAM_BUFFER_POINTER, &buffer, HIP_LAUNCH_PARAM_BUFFER_SIZE, NULL, HIP_LAUNCH_PARAM_END};
    buffer.d = 8;
    ok(hipModuleLaunchKernel(test_kernel("arguments"), 1, 1, 1, 64, 1, 1, 0, NULL, NULL, no_size));
    ok(hipDeviceSynchronize());
    assert_true(out[4] == 8);
    hipGetLastError();
    ok(hipHostFree(out));
}

static hipError_t try_shape(hipFunction_t function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz,
                            unsigned lds) {
    return hipModuleLaunchKernel(function, gx, gy, gz, bx, by, bz, lds, NULL, NULL, NULL);
}

/* Bytes of LDS that a block may have. */
enum { MOST_LDS = 65536 }; /* of the processor that the code is for; a GPU that has more gives it when hipFuncSetAttribute asks */

static void test_limits(void **state) {
    (void)state;
    const unsigned lds = MOST_LDS;
    hipFunction_t empty = test_kernel("empty");
    for (int size = 0; size < 6; size++) { /* each size of 0 */
        unsigned s[6] = {1, 1, 1, 64, 1, 1};
        s[size] = 0;
        fails(hipErrorInvalidValue, try_shape(empty, s[0], s[1], s[2], s[3], s[4], s[5], 0));
        fails(size < 3 ? hipErrorInvalidValue : hipErrorInvalidConfiguration,
              hipExtModuleLaunchKernel(empty, s[0], s[1], s[2], s[3], s[4], s[5], 0, NULL, NULL, NULL, NULL, NULL, 0));
        fails(hipErrorInvalidValue, hipModuleLaunchCooperativeKernel(empty, s[0], s[1], s[2], s[3], s[4], s[5], 0, NULL, NULL));
    }
    fails(hipErrorInvalidValue, try_shape(empty, 1, 1, 1, 1025, 1, 1, 0));
    fails(hipErrorInvalidValue, try_shape(empty, 1, 1, 1, 32, 32, 2, 0));
    fails(hipErrorInvalidValue, try_shape(empty, 1, 1, 1, 65536, 65536, 1, 0));           /* a product of 0 in 32 bits */
    fails(hipErrorInvalidConfiguration, try_shape(empty, 1u << 22, 1, 1, 1024, 1, 1, 0)); /* 2^32 work items, the first that is too many */
    fails(hipErrorInvalidValue, try_shape(empty, 1, 65537, 1, 1, 1, 1, 0));               /* blocks in y */
    fails(hipErrorInvalidConfiguration, try_shape(empty, 0x7fffffff, 1, 1, 1024, 1, 1, 0));
    /* A block that is larger than the grid is cut to it, but has to be possible. */
    fails(hipErrorInvalidValue, hipExtModuleLaunchKernel(empty, 3, 1, 1, UINT32_MAX, 1, 1, 0, NULL, NULL, NULL, NULL, NULL, 0));
    fails(hipErrorInvalidValue, hipExtModuleLaunchKernel(empty, 3, 1, 1, 3, 1, UINT32_MAX, 0, NULL, NULL, NULL, NULL, NULL, 0));
    if (!on_gpu()) { /* a grid that is counted in work items may have more blocks; a kernel that does nothing takes no time for them */
        ok(hipExtModuleLaunchKernel(empty, 1, UINT32_MAX, 1, 1, 1, 1, 0, NULL, NULL, NULL, NULL, NULL, 0));
        ok(hipExtModuleLaunchKernel(empty, UINT32_MAX, 65536, 1, 1, 1, 1, 0, NULL, NULL, NULL, NULL, NULL, 0));
        ok(try_shape(empty, 0x7fffffff, 65536, 1, 1, 1, 1, 0));
        ok(hipDeviceSynchronize());
        fails(hipErrorInvalidConfiguration, /* as many as have no number */
              hipExtModuleLaunchKernel(empty, UINT32_MAX, UINT32_MAX, 3, 1, 1, 1, 0, NULL, NULL, NULL, NULL, NULL, 0));
        ok(hipDeviceSynchronize()); /* it was the launch's error */
    }
    fails(hipErrorLaunchFailure, try_launch("small_block", NULL, 1, 65, NULL));
    fails(hipErrorInvalidValue, try_shape(empty, 1, 1, 1, 64, 1, 1, lds + 1));
    ok(try_shape(empty, 1, 1, 1, 64, 1, 1, lds));
    fails(hipErrorInvalidValue, hipModuleLaunchCooperativeKernel(empty, 1, 1, 1, 64, 1, 1, lds + 1, NULL, NULL));
    fails(hipErrorInvalidHandle, hipModuleLaunchKernel((hipFunction_t)state, 1, 1, 1, 64, 1, 1, 0, NULL, NULL, NULL));
    fails(hipErrorInvalidHandle, hipModuleLaunchKernel(NULL, 1, 1, 1, 64, 1, 1, 0, NULL, NULL, NULL));
    fails(hipErrorInvalidValue, hipModuleLaunchKernel(empty, 1, 1, 1, 64, 1, 1, 0, (hipStream_t)state, NULL, NULL));
    fails(hipErrorInvalidValue, try_launch("add", NULL, 1, 64, NULL)); /* arguments are missing */
    void *holes[3] = {&empty, NULL, &empty};
    fails(hipErrorInvalidValue, try_launch("add", NULL, 1, 64, holes));
    ok(hipDeviceSynchronize());
    ok(hipGetLastError() == hipErrorInvalidValue ? hipSuccess : hipErrorUnknown); /* errors of launches are not sticky */
}

/* As many blocks as can be resident, and one more. */
static void test_residency(void **state) {
    (void)state;
    int blocks = 0, units = 0;
    hipFunction_t empty = test_kernel("empty");
    ok(hipModuleOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, empty, 1024, 0));
    ok(hipDeviceGetAttribute(&units, hipDeviceAttributeMultiprocessorCount, 0));
    unsigned most = (unsigned)(blocks * units);
    ok(hipModuleLaunchCooperativeKernel(empty, most, 1, 1, 1024, 1, 1, 0, NULL, NULL));
    fails(hipErrorCooperativeLaunchTooLarge, hipModuleLaunchCooperativeKernel(empty, most + 1, 1, 1, 1024, 1, 1, 0, NULL, NULL));
    fails(hipErrorCooperativeLaunchTooLarge, hipModuleLaunchCooperativeKernel(empty, 1, most + 1, 1, 1024, 1, 1, 0, NULL, NULL));
    fails(hipErrorCooperativeLaunchTooLarge, hipModuleLaunchCooperativeKernel(empty, 1, 1, most + 1, 1024, 1, 1, 0, NULL, NULL));
    fails(hipErrorCooperativeLaunchTooLarge, hipModuleLaunchCooperativeKernel(empty, 60000, 60000, 60000, 1, 1, 1, 0, NULL, NULL));
    ok(hipModuleLaunchKernel(empty, most + 1, 1, 1, 1024, 1, 1, 0, NULL, NULL, NULL)); /* others need not be resident */
    ok(hipDeviceSynchronize());
    hipGetLastError();
}

static hipError_t try_items(hipFunction_t function, unsigned items, unsigned block, void **arguments, hipEvent_t start, hipEvent_t stop,
                            unsigned flags) {
    return hipExtModuleLaunchKernel(function, items, 1, 1, block, 1, 1, 0, NULL, arguments, NULL, start, stop, flags);
}

static unsigned count_of(const int *values, unsigned size, int wanted) {
    unsigned count = 0;
    while (count < size && values[count] == wanted)
        count++;
    return count;
}

/* Grids in work items, between two events. Whether the last block may be partial is decided when the kernel is compiled. */
static void test_items(void **state) {
    (void)state;
    int *values = NULL, one = 1, count = 1000;
    hipEvent_t start = NULL, stop = NULL;
    hipModule_t module = NULL;
    hipFunction_t add = test_kernel("add"), partial = NULL;
    float ms = -1;
    ok(hipModuleLoad(&module, API_TEST_PARTIAL));
    ok(hipModuleGetFunction(&partial, module, "add"));
    ok(hipEventCreate(&start));
    ok(hipEventCreate(&stop));
    ok(hipHostMalloc((void **)&values, 4000, 0));
    memset(values, 0, 4000);
    void *arguments[] = {&values, &one, &count};
    ok(try_items(partial, 100, 64, arguments, start, stop, hipExtAnyOrderLaunch));
    ok(hipEventSynchronize(stop));
    ok(hipEventElapsedTime(&ms, start, stop));
    assert_true(ms >= 0);
    assert_int_equal(count_of(values, 1000, 1), 100);
    assert_int_equal(values[100], 0);
    fails(hipErrorInvalidValue, try_items(add, 100, 64, arguments, NULL, NULL, 0));
    ok(try_items(add, 40, 64, arguments, NULL, NULL, 0)); /* the block is cut to the grid */
    ok(hipDeviceSynchronize());
    assert_int_equal(count_of(values, 1000, 2), 40);
    ok(hipHccModuleLaunchKernel(add, 128, 1, 1, 64, 1, 1, 0, NULL, arguments, NULL, NULL, NULL));
    ok(hipDeviceSynchronize());
    assert_int_equal(values[127], 1);
    assert_int_equal(values[128], 0);
    fails(hipErrorInvalidValue, try_items(add, 64, 64, arguments, NULL, NULL, 2)); /* an unknown flag */
    fails(hipErrorInvalidValue, try_items(add, 64, 64, arguments, (hipEvent_t)&ms, NULL, 0));
    fails(hipErrorInvalidValue, try_items(add, 64, 64, arguments, NULL, (hipEvent_t)&ms, 0));
    fails(hipErrorInvalidHandle, try_items(NULL, 64, 64, arguments, NULL, NULL, 0));
    ok(hipHostFree(values));
    ok(hipEventDestroy(start));
    ok(hipEventDestroy(stop));
    ok(hipModuleUnload(module));
    hipGetLastError();
}

static void test_attributes(void **state) {
    (void)state;
    int value = -1, grid = 0, block = 0, most = 0;
    ok(hipFuncGetAttribute(&value, HIP_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, test_kernel("small_block")));
    assert_int_equal(value, 64);
    ok(hipFuncGetAttribute(&value, HIP_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES, test_kernel("add")));
    assert_int_equal(value, 0);
    fails(hipErrorInvalidValue, hipFuncGetAttribute(&value, HIP_FUNC_ATTRIBUTE_MAX, test_kernel("add")));
    ok(hipModuleOccupancyMaxActiveBlocksPerMultiprocessor(&value, test_kernel("add"), 256, 0));
    ok(hipDeviceGetAttribute(&most, hipDeviceAttributeMaxThreadsPerMultiProcessor, 0));
    assert_true(value > 0 && value * 256 <= most);
    ok(hipModuleOccupancyMaxActiveBlocksPerMultiprocessor(&value, test_kernel("small_block"), 256, 0));
    assert_int_equal(value, 0);
    ok(hipModuleOccupancyMaxPotentialBlockSize(&grid, &block, test_kernel("small_block"), 0, 0));
    assert_int_equal(block, 64);
    assert_true(grid > 0);
    ok(hipModuleOccupancyMaxPotentialBlockSize(&grid, &block, test_kernel("add"), 0, 100));
    assert_true(block > 0 && block <= 100);
    assert_string_equal(hipKernelNameRef(test_kernel("add")), "add");
    assert_null(hipKernelNameRef(NULL));
    fails(hipErrorInvalidValue, hipFuncGetAttribute(NULL, HIP_FUNC_ATTRIBUTE_NUM_REGS, test_kernel("add")));
    fails(hipErrorInvalidDeviceFunction, hipFuncGetAttribute(&value, HIP_FUNC_ATTRIBUTE_NUM_REGS, NULL));
    fails(hipErrorInvalidDeviceFunction, hipFuncGetAttribute(&value, HIP_FUNC_ATTRIBUTE_NUM_REGS, (hipFunction_t)state));
    fails(hipErrorInvalidValue, hipModuleOccupancyMaxActiveBlocksPerMultiprocessor(NULL, test_kernel("add"), 256, 0));
    fails(hipErrorInvalidValue, hipModuleOccupancyMaxActiveBlocksPerMultiprocessor(&value, test_kernel("add"), 0, 0));
    fails(hipErrorInvalidDeviceFunction, hipModuleOccupancyMaxActiveBlocksPerMultiprocessor(&value, NULL, 256, 0));
    fails(hipErrorInvalidValue, hipModuleOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(&value, test_kernel("add"), 256, 0, 2));
    ok(hipModuleOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(&value, test_kernel("add"), 256, 0, 1));
    fails(hipErrorInvalidValue, hipModuleOccupancyMaxPotentialBlockSize(NULL, &block, test_kernel("add"), 0, 0));
    fails(hipErrorInvalidValue, hipModuleOccupancyMaxPotentialBlockSize(&grid, NULL, test_kernel("add"), 0, 0));
    fails(hipErrorInvalidDeviceFunction, hipModuleOccupancyMaxPotentialBlockSize(&grid, &block, NULL, 0, 0));
    fails(hipErrorInvalidValue, hipModuleOccupancyMaxPotentialBlockSizeWithFlags(&grid, &block, test_kernel("add"), 0, 0, 7));
    ok(hipModuleOccupancyMaxActiveBlocksPerMultiprocessor(&value, test_kernel("add"), 64, MOST_LDS - 25000)); /* LDS for one */
#ifndef API_FAKE
    assert_true(value == 1 || (on_gpu() && value > 1)); /* there it is not given what it does not use */
#endif
    ok(hipModuleOccupancyMaxActiveBlocksPerMultiprocessor(&value, test_kernel("add"), 64, MOST_LDS + 4000));
    assert_int_equal(value, 0);
    hipGetLastError();
}

static int attribute(hipFunction_attribute which, const char *kernel) {
    int value = -1;
    ok(hipFuncGetAttribute(&value, which, test_kernel(kernel)));
    return value;
}

/* What the code object's metadata says. */
static void test_attributes_of_metadata(void **state) {
    (void)state;
    const unsigned lds = MOST_LDS;
    assert_int_equal(attribute(HIP_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES, "needs"), 1000);
    assert_in_range(attribute(HIP_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES, "needs"), 400, 512);
    assert_int_equal(attribute(HIP_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES, "add"), 0);
    assert_int_equal(attribute(HIP_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, "needs"), 1024);
    assert_int_equal(attribute(HIP_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, "needs"), (int)lds - 1000);
    assert_in_range(attribute(HIP_FUNC_ATTRIBUTE_NUM_REGS, "needs"), 1, 512);
    assert_int_equal(attribute(HIP_FUNC_ATTRIBUTE_CONST_SIZE_BYTES, "needs"), 0);
    assert_int_equal(attribute(HIP_FUNC_ATTRIBUTE_CACHE_MODE_CA, "needs"), 0);
    assert_int_equal(attribute(HIP_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT, "needs"), 0);
    assert_int_equal(attribute(HIP_FUNC_ATTRIBUTE_BINARY_VERSION, "needs"), attribute(HIP_FUNC_ATTRIBUTE_PTX_VERSION, "needs"));
    assert_true(attribute(HIP_FUNC_ATTRIBUTE_BINARY_VERSION, "needs") >= 90);
    /* Static and dynamic LDS together: up to what a block may have, and one byte more. */
    int *out = NULL, index = 42;
    void *arguments[] = {&out, &index};
    ok(hipHostMalloc((void **)&out, 4096, 0));
    ok(hipModuleLaunchKernel(test_kernel("needs"), 1, 1, 1, 64, 1, 1, lds - 1000, NULL, arguments, NULL));
    fails(hipErrorLaunchOutOfResources, hipModuleLaunchKernel(test_kernel("needs"), 1, 1, 1, 64, 1, 1, lds - 999, NULL, arguments, NULL));
    ok(hipDeviceSynchronize());
#ifndef API_FAKE
    assert_int_equal(out[63], 84);
#endif
    ok(hipHostFree(out));
    hipGetLastError();
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_loading),
        cmocka_unit_test(test_options_are_ignored),
        cmocka_unit_test(test_loading_errors),
        cmocka_unit_test(test_no_binary),
        cmocka_unit_test(test_life),
        cmocka_unit_test(test_unload_waits),
        cmocka_unit_test(test_modules_are_separate),
        cmocka_unit_test(test_variables),
        cmocka_unit_test(test_arguments),
        cmocka_unit_test(test_limits),
        cmocka_unit_test(test_residency),
        cmocka_unit_test(test_items),
        cmocka_unit_test(test_attributes),
        cmocka_unit_test(test_attributes_of_metadata),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
