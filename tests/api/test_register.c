/* What the compiler emits: registration, symbols, managed variables, <<<>>>. */
#include "api_test.h"

static struct {
    uint32_t magic, version;
    const void *binary;
    void *unused;
} wrapper = {0x48495046, 1, NULL, NULL};

/* Host stubs and shadows; only their addresses count. */
static void stub_add(void) {}
static void stub_variables(void) {}
static void stub_missing(void) {}
static int shadow_counter, shadow_table[4], unregistered;
static int *shared_number;
static const int shared_initial = 5;
static void **handle;

#define ADDRESS(function) ((const void *)(uintptr_t)(function))

static int setup(void **state) {
    (void)state;
    size_t size = 0;
    wrapper.binary = read_file(API_TEST_OBJECT, &size);
    handle = __hipRegisterFatBinary(&wrapper);
    assert_non_null(handle);
    static char add[] = "add", variables[] = "variables", missing[] = "missing", counter[] = "counter", table[] = "table";
    __hipRegisterFunction(handle, ADDRESS(stub_add), add, add, ~0u, NULL, NULL, NULL, NULL, NULL);
    __hipRegisterFunction(handle, ADDRESS(stub_variables), variables, variables, ~0u, NULL, NULL, NULL, NULL, NULL);
    __hipRegisterFunction(handle, ADDRESS(stub_missing), missing, missing, ~0u, NULL, NULL, NULL, NULL, NULL);
    __hipRegisterVar(handle, &shadow_counter, counter, counter, 0, 4, 0, 0);
    __hipRegisterVar(handle, shadow_table, table, table, 0, 16, 1, 0);
    __hipRegisterManagedVar(handle, (void **)&shared_number, (void *)(uintptr_t)&shared_initial, "shared_number", 4, 4);
    return 0;
}

static dim3 extent(uint32_t x) {
    dim3 result = {x, 1, 1};
    return result;
}

static void test_managed(void **state) {
    (void)state;
    assert_non_null(shared_number);
    assert_int_equal(*shared_number, 5); /* before any device was touched */
    *shared_number = 50;
}

static void test_launch(void **state) {
    (void)state;
    int *values = NULL, two = 2, count = 300;
    void *arguments[] = {&values, &two, &count};
    dim3 grid, block;
    size_t shared = 0;
    hipStream_t stream = NULL;
    ok(hipHostMalloc((void **)&values, 4096, 0));
    memset(values, 0, 4096);
    ok(__hipPushCallConfiguration(extent(5), extent(64), 0, NULL));
    ok(__hipPopCallConfiguration(&grid, &block, &shared, &stream));
    ok(hipLaunchKernel(ADDRESS(stub_add), grid, block, arguments, shared, stream));
    ok(hipDeviceSynchronize());
    assert_int_equal(values[299], 2);
    assert_int_equal(values[300], 0);
    fails(hipErrorMissingConfiguration, __hipPopCallConfiguration(&grid, &block, &shared, &stream));
    fails(hipErrorInvalidDeviceFunction, hipLaunchKernel(ADDRESS(stub_missing), grid, block, arguments, 0, NULL));
    fails(hipErrorInvalidDeviceFunction, hipLaunchKernel(&unregistered, grid, block, arguments, 0, NULL));
    fails(hipErrorInvalidConfiguration, hipLaunchKernel(ADDRESS(stub_add), extent(0), block, arguments, 0, NULL));
    ok(hipExtLaunchKernel(ADDRESS(stub_add), grid, block, arguments, 0, NULL, NULL, NULL, 0));
    ok(hipLaunchCooperativeKernel(ADDRESS(stub_add), grid, block, arguments, 0, NULL));
    ok(hipConfigureCall(extent(5), extent(64), 0, NULL));
    ok(hipSetupArgument(&values, 8, 0));
    ok(hipSetupArgument(&two, 4, 8));
    ok(hipSetupArgument(&count, 4, 12));
    ok(hipLaunchByPtr(ADDRESS(stub_add)));
    fails(hipErrorMissingConfiguration, hipLaunchByPtr(ADDRESS(stub_add)));
    ok(hipDeviceSynchronize());
    assert_int_equal(values[299], 8);
    ok(hipHostFree(values));
    hipGetLastError();
}

static void test_symbols(void **state) {
    (void)state;
    void *address = NULL, *again = NULL;
    size_t size = 0;
    int number = 100, back = 0, values[4] = {0}, *out = NULL;
    ok(hipGetSymbolAddress(&address, &shadow_counter));
    ok(hipGetSymbolSize(&size, shadow_table));
    assert_int_equal(size, 16);
    ok(hipMemcpyToSymbol(&shadow_counter, &number, 4, 0, hipMemcpyHostToDevice));
    ok(hipMemcpyFromSymbol(&back, &shadow_counter, 4, 0, hipMemcpyDeviceToHost));
    assert_int_equal(back, 100);
    ok(hipMemcpyFromSymbolAsync(values, shadow_table, 8, 8, hipMemcpyDeviceToHost, NULL));
    ok(hipStreamSynchronize(NULL));
    assert_int_equal(values[0], 3);
    assert_int_equal(values[1], 4);
    fails(hipErrorInvalidValue, hipMemcpyToSymbol(shadow_table, values, 16, 4, hipMemcpyHostToDevice));
    fails(hipErrorInvalidSymbol, hipGetSymbolAddress(&address, &unregistered));
    fails(hipErrorInvalidSymbol, hipGetSymbolSize(&size, NULL));
    ok(hipGetSymbolAddress(&again, shared_number));
    assert_ptr_equal(again, shared_number);
    ok(hipGetSymbolAddress(&again, (void *)&shared_number));
    assert_ptr_equal(again, shared_number);

    void *arguments[] = {&out};
    ok(hipHostMalloc((void **)&out, 64, 0));
    ok(hipLaunchKernel(ADDRESS(stub_variables), extent(1), extent(64), arguments, 0, NULL));
    ok(hipDeviceSynchronize());
    assert_int_equal(out[0], 100);
    assert_int_equal(out[2], 50);
    assert_int_equal(*shared_number, 51);
    ok(hipHostFree(out));
    hipGetLastError();
}

static void test_functions(void **state) {
    (void)state;
    hipFuncAttributes attributes;
    hipFunction_t function = NULL;
    int count = 0, grid = 0, block = 0;
    ok(hipFuncGetAttributes(&attributes, ADDRESS(stub_add)));
    assert_int_equal(attributes.maxThreadsPerBlock, 1024);
    assert_true(attributes.numRegs > 0);
    ok(hipFuncSetAttribute(ADDRESS(stub_add), hipFuncAttributeMaxDynamicSharedMemorySize, 1024));
    ok(hipFuncGetAttributes(&attributes, ADDRESS(stub_add)));
    assert_int_equal(attributes.maxDynamicSharedSizeBytes, 1024);
    fails(hipErrorInvalidValue, hipFuncSetAttribute(ADDRESS(stub_add), hipFuncAttributeMaxDynamicSharedMemorySize, 1 << 30));
    fails(hipErrorInvalidDeviceFunction, hipFuncGetAttributes(&attributes, &unregistered));
    ok(hipOccupancyMaxActiveBlocksPerMultiprocessor(&count, ADDRESS(stub_add), 128, 0));
    assert_true(count > 0);
    ok(hipOccupancyMaxPotentialBlockSize(&grid, &block, ADDRESS(stub_add), 0, 0));
    assert_true(grid > 0 && block > 0);
    ok(hipGetFuncBySymbol(&function, ADDRESS(stub_add)));
    assert_string_equal(hipKernelNameRef(function), "add");
    assert_string_equal(hipKernelNameRefByPtr(ADDRESS(stub_add), NULL), "add");
}

/* A reset brings variables back to their first values, and kernels still work. */
static void test_reset(void **state) {
    (void)state;
    int back = 0;
    ok(hipDeviceReset());
    ok(hipMemcpyFromSymbol(&back, &shadow_counter, 4, 0, hipMemcpyDeviceToHost));
    assert_int_equal(back, 7);
    test_launch(state);
}

static void test_architecture(void **state) {
    (void)state;
    hipDeviceProp_tR0600 properties;
    ok(hipGetDevicePropertiesR0600(&properties, 0));
    assert_memory_equal(properties.gcnArchName, "gfx90a", 6); /* as the registered binary */
    assert_int_equal(properties.warpSize, 64);
}

static void test_unregister(void **state) {
    (void)state;
    void *arguments[1] = {NULL};
    __hipUnregisterFatBinary(handle);
    fails(hipErrorInvalidDeviceFunction, hipLaunchKernel(ADDRESS(stub_add), extent(1), extent(64), arguments, 0, NULL));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_managed),    cmocka_unit_test(test_architecture), cmocka_unit_test(test_launch),
        cmocka_unit_test(test_symbols),    cmocka_unit_test(test_functions),    cmocka_unit_test(test_reset),
        cmocka_unit_test(test_unregister),
    };
    return cmocka_run_group_tests(tests, setup, NULL);
}
