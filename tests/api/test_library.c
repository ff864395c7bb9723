/* Libraries: a code object for all devices, its kernels by handle. Three devices. */
#include "api_test.h"

static hipLibrary_t library;

static int setup(void **state) {
    (void)state;
    size_t size = 0;
    char *image = read_file(API_TEST_OBJECT, &size);
    ok(hipLibraryLoadData(&library, image, NULL, NULL, 0, NULL, NULL, 0));
    memset(image, 0, size); /* copied */
    free(image);
    return 0;
}

static int teardown(void **state) {
    (void)state;
    ok(hipLibraryUnload(library));
    fails(hipErrorInvalidHandle, hipLibraryUnload(library));
    return 0;
}

static hipKernel_t kernel_of(const char *name) {
    hipKernel_t kernel = NULL;
    ok(hipLibraryGetKernel(&kernel, library, name));
    return kernel;
}

static void test_kernels(void **state) {
    (void)state;
    unsigned count = 0;
    const char *name = NULL;
    hipLibrary_t owner = NULL;
    hipKernel_t kernels[32] = {NULL};
    ok(hipLibraryGetKernelCount(&count, library));
    assert_in_range(count, 2, 32);
    ok(hipLibraryEnumerateKernels(kernels, count, library));
    bool seen = false;
    for (unsigned i = 0; i < count; i++) {
        ok(hipKernelGetName(&name, kernels[i]));
        assert_ptr_equal(kernel_of(name), kernels[i]); /* the same handle each time */
        ok(hipKernelGetLibrary(&owner, kernels[i]));
        assert_ptr_equal(owner, library);
        seen |= strcmp(name, "add") == 0;
    }
    assert_true(seen);
    memset(kernels, 0, sizeof kernels);
    ok(hipLibraryEnumerateKernels(kernels, 1, library));
    assert_non_null(kernels[0]);
    assert_null(kernels[1]);
}

/* The kernel runs on whichever device is current, as a function and in place of a host stub. */
static void test_launches(void **state) {
    (void)state;
    hipKernel_t add = kernel_of("add");
    int *values = NULL, one = 1, count = 64;
    void *arguments[] = {&values, &one, &count};
    ok(hipHostMalloc((void **)&values, 256, 0));
    memset(values, 0, 256);
    for (int device = 0; device < 3; device++) {
        hipFunction_t function = NULL, again = NULL;
        dim3 grid = {1, 1, 1}, block = {64, 1, 1};
        ok(hipSetDevice(device));
        ok(hipKernelGetFunction(&function, add));
        ok(hipKernelGetFunction(&again, add));
        assert_ptr_equal(function, again);
        ok(hipModuleLaunchKernel(function, 1, 1, 1, 64, 1, 1, 0, NULL, arguments, NULL));
        ok(hipLaunchKernel((const void *)add, grid, block, arguments, 0, NULL));
        ok(hipDeviceSynchronize());
        assert_int_equal(values[63], 2 * (device + 1));
    }
    ok(hipSetDevice(0));
    ok(hipHostFree(values));
}

static void test_questions(void **state) {
    (void)state;
    hipKernel_t arguments = kernel_of("arguments"), small = kernel_of("small_block");
    static const size_t expected[][2] = {{0, 8}, {8, 1}, {10, 2}, {16, 16}, {32, 4}};
    size_t offset = 0, size = 0;
    int value = 0;
    for (size_t i = 0; i < 5; i++) {
        ok(hipKernelGetParamInfo(arguments, i, &offset, &size));
        assert_int_equal(offset, expected[i][0]);
        assert_int_equal(size, expected[i][1]);
    }
    ok(hipKernelGetParamInfo(arguments, 0, &offset, NULL));
    fails(hipErrorInvalidValue, hipKernelGetParamInfo(arguments, 5, &offset, &size));
    fails(hipErrorInvalidValue, hipKernelGetParamInfo(arguments, 0, NULL, &size));
    fails(hipErrorInvalidHandle, hipKernelGetParamInfo(NULL, 0, &offset, &size));
    ok(hipKernelGetAttribute(&value, HIP_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, small, 2));
    assert_int_equal(value, 64);
    ok(hipKernelSetAttribute(HIP_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 512, small, 2));
    ok(hipKernelGetAttribute(&value, HIP_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, small, 2));
    assert_int_equal(value, 512);
    ok(hipKernelGetAttribute(&value, HIP_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, small, 1)); /* each device has its own */
    assert_int_not_equal(value, 512);
    ok(hipKernelSetAttribute(HIP_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT, 50, small, 0));
    ok(hipKernelGetAttribute(&value, HIP_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT, small, 0));
    assert_int_equal(value, 50);
    fails(hipErrorInvalidValue, hipKernelSetAttribute(HIP_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT, 101, small, 0));
    fails(hipErrorInvalidValue, hipKernelSetAttribute(HIP_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT, -2, small, 0));
    fails(hipErrorInvalidValue, hipKernelSetAttribute(HIP_FUNC_ATTRIBUTE_NUM_REGS, 1, small, 0));
    fails(hipErrorInvalidValue, hipKernelGetAttribute(NULL, HIP_FUNC_ATTRIBUTE_NUM_REGS, small, 0));
    fails(hipErrorInvalidDevice, hipKernelGetAttribute(&value, HIP_FUNC_ATTRIBUTE_NUM_REGS, small, 3));
    fails(hipErrorInvalidHandle, hipKernelGetAttribute(&value, HIP_FUNC_ATTRIBUTE_NUM_REGS, NULL, 0));
    hipGetLastError();
}

static void test_errors(void **state) {
    (void)state;
    static const char nonsense[64] = "this is not a code object";
    hipLibrary_t loaded = NULL;
    hipKernel_t kernel = NULL;
    hipFunction_t function = NULL;
    unsigned count = 0;
    const char *name = NULL;
    hipLibraryOption unknown = (hipLibraryOption)77, preserved = hipLibraryBinaryIsPreserved;
    void *value = (void *)1;
    fails(hipErrorInvalidValue, hipLibraryLoadData(NULL, nonsense, NULL, NULL, 0, NULL, NULL, 0));
    fails(hipErrorInvalidValue, hipLibraryLoadData(&loaded, NULL, NULL, NULL, 0, NULL, NULL, 0));
    fails(hipErrorInvalidImage, hipLibraryLoadData(&loaded, nonsense, NULL, NULL, 0, NULL, NULL, 0));
    fails(hipErrorInvalidImage, hipLibraryLoadData(&loaded, nonsense, NULL, NULL, 0, &preserved, &value, 1));
    fails(hipErrorInvalidValue, hipLibraryLoadFromFile(&loaded, API_TEST_OBJECT, NULL, NULL, 0, &unknown, &value, 1));
    fails(hipErrorInvalidValue, hipLibraryLoadFromFile(&loaded, API_TEST_OBJECT, NULL, NULL, 0, NULL, NULL, 1));
    fails(hipErrorInvalidValue, hipLibraryLoadFromFile(&loaded, NULL, NULL, NULL, 0, NULL, NULL, 0));
    fails(hipErrorInvalidValue, hipLibraryLoadFromFile(NULL, API_TEST_OBJECT, NULL, NULL, 0, NULL, NULL, 0));
    fails(hipErrorFileNotFound, hipLibraryLoadFromFile(&loaded, "/no/such/file", NULL, NULL, 0, NULL, NULL, 0));
    fails(hipErrorInvalidHandle, hipLibraryUnload(NULL));
    fails(hipErrorInvalidHandle, hipLibraryUnload((hipLibrary_t)&count));
    fails(hipErrorNotFound, hipLibraryGetKernel(&kernel, library, "nothing"));
    fails(hipErrorInvalidValue, hipLibraryGetKernel(&kernel, library, NULL));
    fails(hipErrorInvalidValue, hipLibraryGetKernel(&kernel, library, ""));
    fails(hipErrorInvalidValue, hipLibraryGetKernel(NULL, library, "add"));
    fails(hipErrorInvalidHandle, hipLibraryGetKernel(&kernel, NULL, "add"));
    fails(hipErrorInvalidValue, hipLibraryGetKernelCount(NULL, library));
    fails(hipErrorInvalidHandle, hipLibraryGetKernelCount(&count, NULL));
    fails(hipErrorInvalidValue, hipLibraryEnumerateKernels(NULL, 1, library));
    fails(hipErrorInvalidHandle, hipLibraryEnumerateKernels(&kernel, 1, NULL));
    fails(hipErrorInvalidValue, hipKernelGetFunction(NULL, kernel_of("add")));
    fails(hipErrorInvalidHandle, hipKernelGetFunction(&function, NULL));
    fails(hipErrorInvalidValue, hipKernelGetName(NULL, kernel_of("add")));
    fails(hipErrorInvalidHandle, hipKernelGetName(&name, NULL));
    fails(hipErrorInvalidValue, hipKernelGetLibrary(NULL, kernel_of("add")));
    fails(hipErrorInvalidHandle, hipKernelGetLibrary(&loaded, (hipKernel_t)&count));
    hipGetLastError();
}

/* Handles end with the library; an image that the program keeps need not be copied. */
static void test_life(void **state) {
    (void)state;
    size_t size = 0;
    char *image = read_file(API_TEST_OBJECT, &size);
    hipLibraryOption preserved = hipLibraryBinaryIsPreserved;
    void *value = (void *)1;
    for (int round = 0; round < 20; round++) {
        hipLibrary_t loaded = NULL;
        hipKernel_t kernel = NULL;
        hipFunction_t function = NULL;
        if (round % 2)
            ok(hipLibraryLoadFromFile(&loaded, API_TEST_OBJECT, NULL, NULL, 0, NULL, NULL, 0));
        else
            ok(hipLibraryLoadData(&loaded, image, NULL, NULL, 0, &preserved, &value, 1));
        ok(hipLibraryGetKernel(&kernel, loaded, "empty"));
        ok(hipKernelGetFunction(&function, kernel));
        ok(hipModuleLaunchKernel(function, 1, 1, 1, 64, 1, 1, 0, NULL, NULL, NULL));
        ok(hipLibraryUnload(loaded));
        fails(hipErrorInvalidHandle, hipKernelGetFunction(&function, kernel));
        fails(hipErrorInvalidHandle, hipModuleLaunchKernel(function, 1, 1, 1, 64, 1, 1, 0, NULL, NULL, NULL));
    }
    free(image);
    hipGetLastError();
}

int main(void) {
    setenv("WAVELIFT_DEVICES", "3", 1);
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_kernels), cmocka_unit_test(test_launches), cmocka_unit_test(test_questions),
                                       cmocka_unit_test(test_errors), cmocka_unit_test(test_life)};
    return cmocka_run_group_tests(tests, setup, teardown);
}
