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
static void stub_empty(void) {}
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
    static char add[] = "add", variables[] = "variables", missing[] = "missing", empty[] = "empty", counter[] = "counter",
                table[] = "table";
    __hipRegisterFunction(handle, ADDRESS(stub_add), add, add, ~0u, NULL, NULL, NULL, NULL, NULL);
    __hipRegisterFunction(handle, ADDRESS(stub_variables), variables, variables, ~0u, NULL, NULL, NULL, NULL, NULL);
    __hipRegisterFunction(handle, ADDRESS(stub_empty), empty, empty, ~0u, NULL, NULL, NULL, NULL, NULL);
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
    /* It is managed memory like any other. */
    hipPointerAttribute_t attributes;
    int value = 0;
    ok(hipPointerGetAttributes(&attributes, shared_number));
    assert_int_equal(attributes.type, hipMemoryTypeManaged);
    assert_int_equal(attributes.isManaged, 1);
    assert_int_equal(attributes.allocationFlags, hipMemAttachGlobal);
    ok(hipMemAdvise(shared_number, sizeof *shared_number, hipMemAdviseSetReadMostly, 0));
    ok(hipMemRangeGetAttribute(&value, sizeof value, hipMemRangeAttributeReadMostly, shared_number, sizeof *shared_number));
    assert_int_equal(value, 1);
    ok(hipMemPrefetchAsync(shared_number, sizeof *shared_number, 0, NULL));
    ok(hipStreamAttachMemAsync(NULL, shared_number, 0, hipMemAttachGlobal));
    assert_int_equal(*shared_number, 50);
    fails(hipErrorInvalidValue, hipMemAdvise(shared_number, 5, hipMemAdviseSetReadMostly, 0));
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
    fails(hipErrorInvalidValue, hipLaunchKernel(ADDRESS(stub_add), extent(0), block, arguments, 0, NULL));
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
    const void *table = shadow_table;
    fails(hipErrorInvalidValue, hipMemcpyToSymbol(table, values, SIZE_MAX, 4, hipMemcpyHostToDevice));
    fails(hipErrorInvalidValue, hipMemcpyToSymbol(table, values, 4, SIZE_MAX, hipMemcpyHostToDevice));
    fails(hipErrorInvalidValue, hipMemcpyFromSymbol(values, table, 17, 0, hipMemcpyDeviceToHost));
    fails(hipErrorInvalidValue, hipMemcpyFromSymbolAsync(NULL, table, 4, 0, hipMemcpyDeviceToHost, NULL));
    fails(hipErrorInvalidMemcpyDirection, hipMemcpyToSymbol(table, values, 4, 0, hipMemcpyDeviceToHost));
    fails(hipErrorInvalidMemcpyDirection, hipMemcpyToSymbol(table, values, 4, 0, hipMemcpyHostToHost));
    fails(hipErrorInvalidMemcpyDirection, hipMemcpyFromSymbol(values, table, 4, 0, hipMemcpyHostToDevice));
    fails(hipErrorInvalidMemcpyDirection, hipMemcpyFromSymbol(values, table, 4, 0, (hipMemcpyKind)77));
    fails(hipErrorInvalidSymbol, hipMemcpyToSymbol(&unregistered, values, 4, 0, hipMemcpyHostToDevice));
    fails(hipErrorInvalidSymbol, hipMemcpyFromSymbolAsync(values, NULL, 4, 0, hipMemcpyDeviceToHost, NULL));
    fails(hipErrorContextIsDestroyed, hipMemcpyToSymbolAsync(table, values, 4, 0, hipMemcpyHostToDevice, (hipStream_t)values));
    ok(hipMemcpyToSymbol(table, values, 0, 16, hipMemcpyHostToDevice));
    int first[4] = {0}, other[4] = {9, 8, 7, 6}, third[4] = {0};
    ok(hipMemcpyFromSymbol(first, table, sizeof first, 0, hipMemcpyDeviceToHost));
    ok(hipMemcpyToSymbolAsync(table, other + 1, 8, 4, hipMemcpyDefault, NULL)); /* the middle two */
    ok(hipMemcpyFromSymbol(third, table, sizeof third, 0, hipMemcpyDefault));
    assert_int_equal(third[0], first[0]);
    assert_int_equal(third[1], 8);
    assert_int_equal(third[2], 7);
    assert_int_equal(third[3], first[3]);
    ok(hipMemcpyToSymbol(table, first, sizeof first, 0, hipMemcpyHostToDevice));
    fails(hipErrorInvalidValue, hipGetSymbolAddress(NULL, table));
    fails(hipErrorInvalidValue, hipGetSymbolSize(NULL, table));
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

/* Each device has its own variables, with the first values; managed ones are the same everywhere. */
static void test_symbols_of_devices(void **state) {
    (void)state;
    void *addresses[2] = {NULL, NULL}, *managed[2] = {NULL, NULL};
    int back = 0, number = 1234;
    for (int device = 0; device < 2; device++) {
        ok(hipSetDevice(device));
        ok(hipGetSymbolAddress(&addresses[device], &shadow_counter));
        ok(hipGetSymbolAddress(&managed[device], (void *)&shared_number));
    }
    assert_ptr_not_equal(addresses[0], addresses[1]);
    assert_ptr_equal(managed[0], managed[1]);
    ok(hipMemcpyFromSymbol(&back, &shadow_counter, 4, 0, hipMemcpyDeviceToHost)); /* of device 1 */
    assert_int_equal(back, 7);
    ok(hipMemcpyToSymbol(&shadow_counter, &number, 4, 0, hipMemcpyHostToDevice));
    ok(hipSetDevice(0));
    ok(hipMemcpyFromSymbol(&back, &shadow_counter, 4, 0, hipMemcpyDeviceToHost));
    assert_int_not_equal(back, 1234);
}

/* Damage shows at the first use, as an error and not before. */
static void test_bad_binaries(void **state) {
    (void)state;
    static const char nonsense[256] = "not a bundle";
    static struct {
        uint32_t magic, version;
        const void *binary;
        void *unused;
    } wrappers[] = {
        {0x48495046, 1, nonsense, NULL}, {0x48495046, 1, NULL, NULL}, {0xdeadbeef, 1, nonsense, NULL}, {0x48495046, 77, nonsense, NULL}};
    static char name[] = "add";
    int *values = NULL, one = 1;
    void *arguments[] = {&values, &one, &one};
    for (size_t i = 0; i < sizeof wrappers / sizeof *wrappers; i++) {
        static char stubs[8];
        void **bad = __hipRegisterFatBinary(&wrappers[i]);
        assert_non_null(bad);
        __hipRegisterFunction(bad, &stubs[i], name, name, ~0u, NULL, NULL, NULL, NULL, NULL);
        hipError_t error = hipLaunchKernel(&stubs[i], extent(1), extent(64), arguments, 0, NULL);
        if (error != hipErrorInvalidImage && error != hipErrorInvalidValue && error != hipErrorNoBinaryForGpu)
            fail_msg("wrapper %zu: %s", i, hipGetErrorName(error));
        __hipUnregisterFatBinary(bad);
        fails(hipErrorInvalidDeviceFunction, hipLaunchKernel(&stubs[i], extent(1), extent(64), arguments, 0, NULL));
    }
    __hipUnregisterFatBinary(NULL);
    hipGetLastError();
}

/* Configurations nest; old launches need one. */
static void test_configurations(void **state) {
    (void)state;
    dim3 grid, block;
    size_t shared = 0;
    hipStream_t stream = NULL;
    int number = 0;
    for (unsigned i = 1; i <= 64; i++)
        ok(__hipPushCallConfiguration(extent(i), extent(2 * i), i, NULL));
    fails(hipErrorOutOfMemory, __hipPushCallConfiguration(extent(1), extent(1), 0, NULL));
    for (unsigned i = 64; i; i--) {
        ok(__hipPopCallConfiguration(&grid, &block, &shared, &stream));
        assert_int_equal(grid.x, i);
        assert_int_equal(block.x, 2 * i);
        assert_int_equal(shared, i);
    }
    fails(hipErrorMissingConfiguration, __hipPopCallConfiguration(&grid, &block, &shared, &stream));
    fails(hipErrorMissingConfiguration, hipSetupArgument(&number, 4, 0));
    ok(hipConfigureCall(extent(1), extent(64), 0, NULL));
    fails(hipErrorInvalidValue, hipSetupArgument(NULL, 4, 0));
    fails(hipErrorInvalidValue, hipSetupArgument(&number, 4, 5000));
    fails(hipErrorInvalidValue, hipSetupArgument(&number, SIZE_MAX, 8));
    fails(hipErrorInvalidDeviceFunction, hipLaunchByPtr(NULL));
    fails(hipErrorMissingConfiguration, hipLaunchByPtr(ADDRESS(stub_add))); /* used up */
    ok(hipConfigureCall(extent(1), extent(64), 0, NULL));
    ok(hipSetupArgument(&number, 4, 8));
    fails(hipErrorInvalidValue, hipLaunchByPtr(ADDRESS(stub_add))); /* an argument is missing */
    /* Both ways to configure push to one stack, each entry with its arguments. */
    ok(hipConfigureCall(extent(3), extent(64), 1, NULL));
    ok(hipSetupArgument(&number, 4, 0));
    ok(__hipPushCallConfiguration(extent(5), extent(64), 2, NULL));
    ok(hipSetupArgument(&number, 4, 16));
    fails(hipErrorInvalidDeviceFunction, hipLaunchByPtr(NULL)); /* takes the pushed one */
    ok(__hipPopCallConfiguration(&grid, &block, &shared, &stream));
    assert_int_equal(grid.x, 3);
    fails(hipErrorMissingConfiguration, hipLaunchByPtr(NULL));
    hipGetLastError();
}

static hipLaunchAttribute attribute_of(hipLaunchAttributeID id, int value) {
    hipLaunchAttribute attribute = {.id = id};
    attribute.value.cooperative = value;
    if (id == hipLaunchAttributeClusterDimension)
        attribute.value.clusterDim.x = (unsigned)value, attribute.value.clusterDim.y = 1, attribute.value.clusterDim.z = 1;
    return attribute;
}

/* Launches with attributes, by host stub and by function. */
static void test_launch_attributes(void **state) {
    (void)state;
    static const struct {
        hipLaunchAttributeID id;
        int value;
        hipError_t wanted;
    } cases[] = {{hipLaunchAttributeIgnore, 5, hipSuccess},
                 {hipLaunchAttributePriority, -1, hipSuccess},
                 {hipLaunchAttributeCooperative, 0, hipSuccess},
                 {hipLaunchAttributeCooperative, 1, hipSuccess},
                 {hipLaunchAttributeClusterDimension, 1, hipSuccess},
                 {hipLaunchAttributeClusterDimension, 2, hipErrorInvalidClusterSize},
                 {hipLaunchAttributeMemSyncDomain, 1, hipErrorInvalidValue},
                 {(hipLaunchAttributeID)99, 1, hipErrorInvalidValue}};
    int *values = NULL, one = 1, count = 64, expected = 0;
    hipFunction_t function = NULL;
    ok(hipHostMalloc((void **)&values, 4096, 0));
    memset(values, 0, 4096);
    void *arguments[] = {&values, &one, &count};
    ok(hipGetFuncBySymbol(&function, ADDRESS(stub_add)));
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        hipLaunchAttribute attribute = attribute_of(cases[i].id, cases[i].value);
        hipLaunchConfig_t config = {.gridDim = extent(1), .blockDim = extent(64), .attrs = &attribute, .numAttrs = 1};
        HIP_LAUNCH_CONFIG driver = {1, 1, 1, 64, 1, 1, 0, NULL, &attribute, 1};
        fails(cases[i].wanted, hipLaunchKernelExC(&config, ADDRESS(stub_add), arguments));
        fails(cases[i].wanted, hipDrvLaunchKernelEx(&driver, function, arguments, NULL));
        expected += cases[i].wanted == hipSuccess ? 2 : 0;
    }
    ok(hipDeviceSynchronize());
    assert_int_equal(values[63], expected);
    hipLaunchAttribute attribute = attribute_of(hipLaunchAttributeCooperative, 1);
    hipLaunchConfig_t config = {.gridDim = extent(1000000), .blockDim = extent(64), .attrs = &attribute, .numAttrs = 1};
    fails(hipErrorCooperativeLaunchTooLarge, hipLaunchKernelExC(&config, ADDRESS(stub_add), arguments));
    config.attrs = NULL;
    fails(hipErrorInvalidValue, hipLaunchKernelExC(&config, ADDRESS(stub_add), arguments));
    config.numAttrs = 0;
    config.blockDim = extent(2000);
    fails(hipErrorInvalidValue, hipLaunchKernelExC(&config, ADDRESS(stub_add), arguments));
    fails(hipErrorInvalidDeviceFunction, hipLaunchKernelExC(&config, NULL, arguments));
    fails(hipErrorInvalidConfiguration, hipLaunchKernelExC(NULL, ADDRESS(stub_add), arguments));
    HIP_LAUNCH_CONFIG driver = {1, 1, 1, 2000, 1, 1, 0, NULL, NULL, 0};
    fails(hipErrorInvalidValue, hipDrvLaunchKernelEx(&driver, function, arguments, NULL));
    fails(hipErrorInvalidValue, hipDrvLaunchKernelEx(NULL, function, arguments, NULL));
    fails(hipErrorInvalidHandle, hipDrvLaunchKernelEx(&driver, NULL, arguments, NULL));
    ok(hipHostFree(values));
    hipGetLastError();
}

/* Every limit of launches by host stubs. */
static void test_limits_of_stubs(void **state) {
    (void)state;
    int *values = NULL, one = 1, count = 1;
    void *arguments[] = {&values, &one, &count};
    const void *stub = ADDRESS(stub_add);
    dim3 zero = {1, 0, 1}, wide = {1u << 22, 1, 1};
    ok(hipHostMalloc((void **)&values, 64, 0));
    fails(hipErrorInvalidValue, hipLaunchKernel(stub, extent(1), extent(1025), arguments, 0, NULL));
    fails(hipErrorInvalidValue, hipLaunchKernel(stub, zero, extent(64), arguments, 0, NULL));
    fails(hipErrorInvalidValue, hipLaunchKernel(stub, extent(1), zero, arguments, 0, NULL));
    fails(hipErrorInvalidConfiguration, hipLaunchKernel(stub, wide, extent(1024), arguments, 0, NULL));
    fails(hipErrorInvalidValue, hipLaunchKernel(stub, extent(1), extent(64), arguments, 65537, NULL));
    fails(hipErrorInvalidValue, hipLaunchKernel(stub, extent(1), extent(64), NULL, 0, NULL));
    fails(hipErrorInvalidValue, hipLaunchKernel(stub, extent(1), extent(64), arguments, 0, (hipStream_t)state));
    fails(hipErrorContextIsDestroyed, hipLaunchCooperativeKernel(stub, extent(1), extent(64), arguments, 0, (hipStream_t)state));
    fails(hipErrorInvalidDeviceFunction, hipLaunchKernel(NULL, extent(1), extent(64), arguments, 0, NULL));
    fails(hipErrorInvalidConfiguration, hipLaunchCooperativeKernel(stub, extent(1), extent(1025), arguments, 0, NULL));
    fails(hipErrorInvalidValue, hipLaunchCooperativeKernel(stub, zero, extent(64), arguments, 0, NULL));
    fails(hipErrorInvalidValue, hipLaunchCooperativeKernel(stub, extent(1), extent(64), NULL, 0, NULL));
    fails(hipErrorCooperativeLaunchTooLarge, hipLaunchCooperativeKernel(stub, extent(1), extent(64), arguments, 1 << 20, NULL));
    fails(hipErrorCooperativeLaunchTooLarge, hipLaunchCooperativeKernel(stub, extent(1000000), extent(64), arguments, 0, NULL));
    fails(hipErrorInvalidDeviceFunction, hipLaunchCooperativeKernel(NULL, extent(1), extent(64), arguments, 0, NULL));
    fails(hipErrorInvalidDeviceFunction, hipLaunchCooperativeKernel(&unregistered, extent(1), extent(64), arguments, 0, NULL));
    fails(hipErrorInvalidValue, hipExtLaunchKernel(stub, extent(1), extent(64), arguments, 0, NULL, NULL, NULL, 2));
    fails(hipErrorInvalidValue, hipExtLaunchKernel(stub, extent(1), extent(64), arguments, 0, NULL, (hipEvent_t)state, NULL, 0));
    ok(hipDeviceSynchronize());
    ok(hipHostFree(values));
    hipGetLastError();
}

/* A device that has more LDS than the processor of the code gives it to launches that were allowed it. */
static void test_allowed_lds(void **state) {
    (void)state;
    hipDeviceProp_t properties;
    hipFuncAttributes attributes;
    int count = 0;
    ok(hipGetDeviceProperties(&properties, 0));
    assert_int_equal(properties.sharedMemPerBlock, 65536);
    ok(hipFuncGetAttributes(&attributes, ADDRESS(stub_empty)));
    assert_int_equal(attributes.maxDynamicSharedSizeBytes, 65536);
    fails(hipErrorInvalidValue, hipLaunchKernel(ADDRESS(stub_empty), (dim3){1, 1, 1}, (dim3){64, 1, 1}, NULL, 65537, NULL));
    ok(hipOccupancyMaxActiveBlocksPerMultiprocessor(&count, ADDRESS(stub_empty), 64, 65537));
    assert_int_equal(count, 0);
    if (properties.sharedMemPerBlockOptin <= 65536)
        return;
    ok(hipFuncSetAttribute(ADDRESS(stub_empty), hipFuncAttributeMaxDynamicSharedMemorySize, 65537));
    ok(hipLaunchKernel(ADDRESS(stub_empty), (dim3){1, 1, 1}, (dim3){64, 1, 1}, NULL, 65537, NULL));
    ok(hipOccupancyMaxActiveBlocksPerMultiprocessor(&count, ADDRESS(stub_empty), 64, 65537));
    assert_true(count > 0);
    fails(hipErrorInvalidValue, hipLaunchKernel(ADDRESS(stub_empty), (dim3){1, 1, 1}, (dim3){64, 1, 1}, NULL, 65538, NULL));
    ok(hipDeviceSynchronize());
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
    fails(hipErrorInvalidDeviceFunction, hipGetFuncBySymbol(NULL, ADDRESS(stub_add)));
    fails(hipErrorInvalidDeviceFunction, hipGetFuncBySymbol(&function, NULL));
    fails(hipErrorInvalidDeviceFunction, hipGetFuncBySymbol(&function, &unregistered));
    fails(hipErrorInvalidDeviceFunction, hipGetFuncBySymbol(&function, ADDRESS(stub_missing))); /* not in the code object */
    fails(hipErrorInvalidValue, hipFuncGetAttributes(NULL, ADDRESS(stub_add)));
    fails(hipErrorInvalidDeviceFunction, hipFuncGetAttributes(&attributes, NULL));
    fails(hipErrorInvalidValue, hipFuncSetAttribute(ADDRESS(stub_add), (hipFuncAttribute)1, 0));
    fails(hipErrorInvalidValue, hipFuncSetAttribute(ADDRESS(stub_add), hipFuncAttributeMaxDynamicSharedMemorySize, -1));
    fails(hipErrorInvalidDeviceFunction, hipFuncSetAttribute(NULL, hipFuncAttributeMaxDynamicSharedMemorySize, 0));
    ok(hipFuncSetAttribute(ADDRESS(stub_add), hipFuncAttributePreferredSharedMemoryCarveout, 25));
    ok(hipFuncGetAttributes(&attributes, ADDRESS(stub_add)));
    assert_int_equal(attributes.preferredShmemCarveout, 25);
    ok(hipFuncSetCacheConfig(ADDRESS(stub_add), hipFuncCachePreferL1));
    fails(hipErrorInvalidValue, hipFuncSetCacheConfig(ADDRESS(stub_add), (hipFuncCache_t)9));
    fails(hipErrorInvalidDeviceFunction, hipFuncSetCacheConfig(&unregistered, hipFuncCachePreferL1));
    ok(hipFuncSetSharedMemConfig(ADDRESS(stub_add), hipSharedMemBankSizeFourByte));
    fails(hipErrorInvalidValue, hipFuncSetSharedMemConfig(ADDRESS(stub_add), (hipSharedMemConfig)9));
    fails(hipErrorInvalidDeviceFunction, hipFuncSetSharedMemConfig(NULL, hipSharedMemBankSizeFourByte));
    size_t dynamic = 0;
    ok(hipOccupancyAvailableDynamicSMemPerBlock(&dynamic, ADDRESS(stub_add), 1, 64));
    assert_int_equal(dynamic, 65536);
    ok(hipOccupancyAvailableDynamicSMemPerBlock(&dynamic, ADDRESS(stub_add), 2, 64));
    assert_int_equal(dynamic, 32768);
    fails(hipErrorInvalidValue, hipOccupancyAvailableDynamicSMemPerBlock(&dynamic, ADDRESS(stub_add), 1000, 1024));
    fails(hipErrorInvalidValue, hipOccupancyAvailableDynamicSMemPerBlock(NULL, ADDRESS(stub_add), 1, 64));
    fails(hipErrorInvalidValue, hipOccupancyAvailableDynamicSMemPerBlock(&dynamic, ADDRESS(stub_add), 0, 64));
    fails(hipErrorInvalidValue, hipOccupancyMaxActiveBlocksPerMultiprocessor(NULL, ADDRESS(stub_add), 128, 0));
    fails(hipErrorInvalidValue, hipOccupancyMaxActiveBlocksPerMultiprocessor(&count, ADDRESS(stub_add), -1, 0));
    fails(hipErrorInvalidDeviceFunction, hipOccupancyMaxActiveBlocksPerMultiprocessor(&count, &unregistered, 128, 0));
    fails(hipErrorInvalidValue, hipOccupancyMaxPotentialBlockSize(NULL, &block, ADDRESS(stub_add), 0, 0));
    fails(hipErrorInvalidDeviceFunction, hipOccupancyMaxPotentialBlockSize(&grid, &block, NULL, 0, 0));
    hipGetLastError();
    ok(hipGetFuncBySymbol(&function, ADDRESS(stub_add)));
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
    setenv("WAVELIFT_DEVICES", "2", 1);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_managed),        cmocka_unit_test(test_architecture),       cmocka_unit_test(test_launch),
        cmocka_unit_test(test_configurations), cmocka_unit_test(test_limits_of_stubs),    cmocka_unit_test(test_launch_attributes),
        cmocka_unit_test(test_symbols),        cmocka_unit_test(test_symbols_of_devices), cmocka_unit_test(test_allowed_lds),
        cmocka_unit_test(test_functions),      cmocka_unit_test(test_bad_binaries),       cmocka_unit_test(test_reset),
        cmocka_unit_test(test_unregister),
    };
    return cmocka_run_group_tests(tests, setup, NULL);
}
