/* Device management, contexts, properties and attributes. */
#include "api_test.h"

#undef hipGetDeviceProperties
hipError_t hipGetDeviceProperties(hipDeviceProp_tR0000 *properties, int deviceId);

static void test_count_and_choice(void **state) {
    (void)state;
    int count = 0, device = -1;
    ok(hipInit(0));
    fails(hipErrorInvalidValue, hipInit(1));
    ok(hipGetDeviceCount(&count));
    assert_int_equal(count, 2);
    ok(hipGetDevice(&device));
    assert_int_equal(device, 0);
    ok(hipSetDevice(1));
    ok(hipGetDevice(&device));
    assert_int_equal(device, 1);
    fails(hipErrorInvalidDevice, hipSetDevice(2));
    fails(hipErrorInvalidDevice, hipSetDevice(-1));
    ok(hipSetDevice(0));
    fails(hipErrorInvalidValue, hipGetDeviceCount(NULL));
    ok(hipDeviceSynchronize());
}

static void test_properties(void **state) {
    (void)state;
    hipDeviceProp_tR0600 newer;
    hipDeviceProp_tR0000 older;
    int value = 0;
    ok(hipGetDevicePropertiesR0600(&newer, 1));
    ok(hipGetDeviceProperties(&older, 1));
    assert_string_equal(newer.gcnArchName, "gfx1030");
    assert_string_equal(older.gcnArchName, newer.gcnArchName);
    assert_int_equal(newer.warpSize, 32);
    assert_int_equal(older.warpSize, 32);
    assert_int_equal(older.gcnArch, 1030);
    assert_int_equal(newer.major, 10);
    assert_int_equal(older.totalGlobalMem, newer.totalGlobalMem);
    assert_true(newer.multiProcessorCount > 0 && newer.maxThreadsPerBlock == 1024);
    ok(hipDeviceGetAttribute(&value, hipDeviceAttributeWarpSize, 0));
    assert_int_equal(value, 32);
    ok(hipDeviceGetAttribute(&value, hipDeviceAttributeMaxSharedMemoryPerBlock, 0));
    assert_int_equal(value, (int)newer.sharedMemPerBlock);
    ok(hipDeviceGetAttribute(&value, hipDeviceAttributeMultiprocessorCount, 0));
    assert_int_equal(value, newer.multiProcessorCount);
    fails(hipErrorInvalidValue, hipDeviceGetAttribute(&value, (hipDeviceAttribute_t)12345, 0));
    fails(hipErrorInvalidDevice, hipDeviceGetAttribute(&value, hipDeviceAttributeWarpSize, 7));
    fails(hipErrorInvalidDevice, hipGetDevicePropertiesR0600(&newer, 7));
    fails(hipErrorInvalidValue, hipGetDevicePropertiesR0600(NULL, 0));
}

static void test_small_questions(void **state) {
    (void)state;
    char text[64];
    int number = -1, other = -1;
    size_t bytes = 0;
    hipUUID uuid, second;
    ok(hipDeviceGetName(text, sizeof text, 0));
    assert_true(*text);
    ok(hipDeviceGetPCIBusId(text, sizeof text, 1));
    ok(hipDeviceGetByPCIBusId(&number, text));
    assert_int_equal(number, 1);
    fails(hipErrorInvalidValue, hipDeviceGetByPCIBusId(&number, "0000:77:00.0"));
    ok(hipDeviceTotalMem(&bytes, 0));
    assert_true(bytes > 0);
    ok(hipDeviceGetUuid(&uuid, 0));
    ok(hipDeviceGetUuid(&second, 1));
    assert_memory_not_equal(&uuid, &second, sizeof uuid);
    ok(hipDriverGetVersion(&number));
    ok(hipRuntimeGetVersion(&other));
    assert_int_equal(number, other);
    ok(hipDeviceGetStreamPriorityRange(&number, &other));
    assert_true(number > other);
    ok(hipDeviceGetLimit(&bytes, hipLimitMallocHeapSize));
    fails(hipErrorUnsupportedLimit, hipDeviceGetLimit(&bytes, (enum hipLimit_t)99));
}

static void test_flags(void **state) {
    (void)state;
    unsigned flags = 0;
    ok(hipSetDeviceFlags(hipDeviceScheduleSpin));
    ok(hipGetDeviceFlags(&flags));
    assert_int_equal(flags, hipDeviceScheduleSpin);
    fails(hipErrorInvalidValue, hipSetDeviceFlags(hipDeviceScheduleSpin | hipDeviceScheduleYield));
    ok(hipSetDeviceFlags(0));
}

static void test_contexts(void **state) {
    (void)state;
    hipCtx_t first = NULL, second = NULL, current = NULL;
    hipDevice_t device = -1;
    unsigned flags = 0;
    int active = 0;
    ok(hipDevicePrimaryCtxRetain(&first, 0));
    ok(hipCtxCreate(&second, 0, 1));
    ok(hipCtxGetDevice(&device));
    assert_int_equal(device, 1);
    ok(hipCtxPushCurrent(first));
    ok(hipCtxGetCurrent(&current));
    assert_ptr_equal(current, first);
    ok(hipCtxPopCurrent(&current));
    assert_ptr_equal(current, first);
    ok(hipCtxGetDevice(&device));
    assert_int_equal(device, 1);
    ok(hipCtxDestroy(second));
    ok(hipCtxGetDevice(&device));
    assert_int_equal(device, 0);
    fails(hipErrorInvalidContext, hipCtxPushCurrent((hipCtx_t)&device));
    ok(hipDevicePrimaryCtxGetState(0, &flags, &active));
    assert_int_equal(active, 1);
    ok(hipDevicePrimaryCtxRelease(0));
    ok(hipCtxSynchronize());
}

static void test_peers(void **state) {
    (void)state;
    int can = -1;
    ok(hipDeviceCanAccessPeer(&can, 0, 1));
    assert_int_equal(can, 1);
    ok(hipDeviceCanAccessPeer(&can, 0, 0));
    assert_int_equal(can, 0);
    ok(hipDeviceEnablePeerAccess(1, 0));
    fails(hipErrorPeerAccessAlreadyEnabled, hipDeviceEnablePeerAccess(1, 0));
    ok(hipDeviceDisablePeerAccess(1));
    fails(hipErrorPeerAccessNotEnabled, hipDeviceDisablePeerAccess(1));
    fails(hipErrorInvalidDevice, hipDeviceEnablePeerAccess(0, 0));
}

static void test_reset(void **state) {
    (void)state;
    void *memory = NULL;
    hipStream_t stream = NULL;
    size_t before = 0, now = 0;
    ok(hipMemGetInfo(&before, NULL));
    ok(hipMalloc(&memory, 1 << 20));
    ok(hipStreamCreate(&stream));
    ok(hipMemGetInfo(&now, NULL));
    assert_int_equal(before - now, 1 << 20);
    ok(hipDeviceReset());
    ok(hipMemGetInfo(&now, NULL));
    assert_int_equal(before, now);
    fails(hipErrorInvalidHandle, hipStreamSynchronize(stream));
    fails(hipErrorInvalidValue, hipFree(memory));
}

int main(void) {
    setenv("WAVELIFT_DEVICES", "2", 1);
    setenv("WAVELIFT_ARCH", "gfx1030", 1);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_count_and_choice),
        cmocka_unit_test(test_properties),
        cmocka_unit_test(test_small_questions),
        cmocka_unit_test(test_flags),
        cmocka_unit_test(test_contexts),
        cmocka_unit_test(test_peers),
        cmocka_unit_test(test_reset),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
