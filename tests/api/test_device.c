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
    fails(hipErrorInvalidValue, hipDeviceGetLimit(&bytes, (enum hipLimit_t)99));
}

/* Two devices: 0 and 1. */
static void test_device_errors(void **state) {
    (void)state;
    static const int wrong[] = {-1, 2, 1000000, INT32_MIN, INT32_MAX};
    char text[64];
    int value = 0, other = 0;
    size_t bytes = 0;
    unsigned flags = 0;
    hipUUID uuid;
    hipDevice_t device = 0;
    hipDeviceProp_tR0600 properties;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        int bad = wrong[i];
        fails(hipErrorInvalidDevice, hipSetDevice(bad));
        fails(hipErrorInvalidDevice, hipDeviceGet(&device, bad));
        fails(hipErrorInvalidDevice, hipDeviceGetName(text, sizeof text, bad));
        fails(hipErrorInvalidDevice, hipDeviceGetUuid(&uuid, bad));
        fails(hipErrorInvalidDevice, hipDeviceGetPCIBusId(text, sizeof text, bad));
        fails(hipErrorInvalidDevice, hipDeviceTotalMem(&bytes, bad));
        fails(hipErrorInvalidDevice, hipDeviceComputeCapability(&value, &other, bad));
        fails(hipErrorInvalidDevice, hipDeviceGetAttribute(&value, hipDeviceAttributeWarpSize, bad));
        fails(hipErrorInvalidDevice, hipGetDevicePropertiesR0600(&properties, bad));
        fails(hipErrorInvalidDevice, hipDeviceCanAccessPeer(&value, bad, 0));
        fails(hipErrorInvalidDevice, hipDeviceCanAccessPeer(&value, 0, bad));
        fails(hipErrorInvalidDevice, hipDeviceEnablePeerAccess(bad, 0));
        fails(hipErrorInvalidDevice, hipDeviceDisablePeerAccess(bad));
        fails(hipErrorInvalidDevice, hipDeviceGetP2PAttribute(&value, hipDevP2PAttrAccessSupported, bad, 0));
        fails(hipErrorInvalidDevice, hipDeviceGetP2PAttribute(&value, hipDevP2PAttrAccessSupported, 0, bad));
    }
    fails(hipErrorInvalidValue, hipInit(1));
    fails(hipErrorInvalidValue, hipDriverGetVersion(NULL));
    fails(hipErrorInvalidValue, hipRuntimeGetVersion(NULL));
    fails(hipErrorInvalidValue, hipGetDeviceCount(NULL));
    fails(hipErrorInvalidValue, hipGetDevice(NULL));
    fails(hipErrorInvalidValue, hipDeviceGet(NULL, 0));
    fails(hipErrorInvalidValue, hipDeviceGetName(NULL, 10, 0));
    fails(hipErrorInvalidValue, hipDeviceGetName(text, 0, 0));
    fails(hipErrorInvalidValue, hipDeviceGetUuid(NULL, 0));
    fails(hipErrorInvalidValue, hipDeviceGetPCIBusId(NULL, 64, 0));
    fails(hipErrorInvalidValue, hipDeviceGetPCIBusId(text, 12, 0));
    assert_string_equal(text, "0000:01:00."); /* cut off */
    ok(hipDeviceGetPCIBusId(text, 13, 0));
    fails(hipErrorInvalidValue, hipDeviceGetByPCIBusId(NULL, text));
    fails(hipErrorInvalidValue, hipDeviceGetByPCIBusId(&value, NULL));
    fails(hipErrorInvalidValue, hipDeviceGetByPCIBusId(&value, "nonsense"));
    fails(hipErrorInvalidValue, hipDeviceTotalMem(NULL, 0));
    fails(hipErrorInvalidValue, hipDeviceComputeCapability(NULL, &other, 0));
    fails(hipErrorInvalidValue, hipDeviceComputeCapability(&value, NULL, 0));
    fails(hipErrorInvalidValue, hipDeviceGetAttribute(NULL, hipDeviceAttributeWarpSize, 0));
    fails(hipErrorInvalidValue, hipChooseDeviceR0600(NULL, &properties));
    fails(hipErrorInvalidValue, hipChooseDeviceR0600(&value, NULL));
    fails(hipErrorInvalidValue, hipSetDeviceFlags(0x8000u));
    fails(hipErrorInvalidValue, hipGetDeviceFlags(NULL));
    ok(hipSetDeviceFlags(hipDeviceMapHost | hipDeviceLmemResizeToMax | hipDeviceScheduleBlockingSync));
    ok(hipGetDeviceFlags(&flags));
    assert_int_equal(flags, hipDeviceScheduleBlockingSync); /* the others are taken and not told */
    ok(hipSetDeviceFlags(0));
    ok(hipDeviceCanAccessPeer(&value, 7, 7)); /* no device reaches itself, not even one that is not there */
    assert_int_equal(value, 0);
    fails(hipErrorInvalidDevice, hipDeviceEnablePeerAccess(0, 0));
    fails(hipErrorInvalidDevice, hipDeviceDisablePeerAccess(0));
    fails(hipErrorInvalidDevice, hipDeviceGetP2PAttribute(&value, (hipDeviceP2PAttr)77, 0, 9));
    fails(hipErrorInvalidDevice, hipDeviceGetUuid(NULL, 9));
    fails(hipErrorInvalidValue, hipDeviceCanAccessPeer(NULL, 0, 1));
    fails(hipErrorInvalidValue, hipDeviceEnablePeerAccess(1, 1));
    fails(hipErrorInvalidValue, hipDeviceGetP2PAttribute(NULL, hipDevP2PAttrAccessSupported, 0, 1));
    fails(hipErrorInvalidValue, hipDeviceGetP2PAttribute(&value, (hipDeviceP2PAttr)77, 0, 1));
    fails(hipErrorInvalidDevice, hipDeviceGetP2PAttribute(&value, hipDevP2PAttrAccessSupported, 1, 1));
    ok(hipDeviceGetP2PAttribute(&value, hipDevP2PAttrNativeAtomicSupported, 0, 1));
    assert_int_equal(value, 1);
    ok(hipDeviceGetP2PAttribute(&value, hipDevP2PAttrHipArrayAccessSupported, 0, 1));
    assert_int_equal(value, 1);
    ok(hipDeviceGetP2PAttribute(&value, hipDevP2PAttrPerformanceRank, 0, 1));
    assert_int_equal(value, 4); /* the link's type, as hipExtGetLinkTypeAndHopCount tells it */
    ok(hipDeviceGetStreamPriorityRange(NULL, NULL));
    ok(hipDeviceGetName(text, 3, 0)); /* cut, with its end */
    assert_int_equal(text[2], 0);
    ok(hipGetDevice(&value));
    assert_int_equal(value, 0); /* nothing of all this changed the device */
    assert_int_equal(hipGetStreamDeviceId((hipStream_t)state), -1);
    assert_null(hipKernelNameRefByPtr(NULL, NULL));
    assert_null(hipKernelNameRefByPtr(text, NULL));
    hipGetLastError();
}

/* Every attribute of the enumeration has a value, but for those that stand for nothing. */
static void test_every_attribute(void **state) {
    (void)state;
    union {
        int value;
        unsigned *pointer; /* what the attributes of HDP's registers are */
    } any;
    int value = 0, count = 0;
    for (int attribute = 0; attribute < 20100; attribute++)
        count += hipDeviceGetAttribute(&any.value, (hipDeviceAttribute_t)attribute, 1) == hipSuccess;
    assert_true(count > 110);
    for (int attribute = 0; attribute <= 88; attribute++) /* those that CUDA has as well */
        if (attribute != hipDeviceAttributeLuid && attribute != hipDeviceAttributeUnused1 && attribute != hipDeviceAttributeUnused2)
            ok(hipDeviceGetAttribute(&value, (hipDeviceAttribute_t)attribute, 0));
    ok(hipDeviceGetAttribute(&value, hipDeviceAttributeCooperativeLaunch, 0));
    assert_int_equal(value, 1);
    ok(hipDeviceGetAttribute(&value, hipDeviceAttributeCooperativeMultiDeviceLaunch, 0));
    assert_int_equal(value, 1);
    ok(hipDeviceGetAttribute(&value, hipDeviceAttributePciBusId, 1));
    assert_int_equal(value, 2);
    hipGetLastError();
}

static void test_flags(void **state) {
    (void)state;
    unsigned flags = 0;
    ok(hipDeviceReset());
    ok(hipGetDeviceFlags(&flags));
    assert_int_equal(flags, hipDeviceScheduleSpin); /* from the start */
    ok(hipSetDeviceFlags(hipDeviceScheduleYield));
    ok(hipGetDeviceFlags(&flags));
    assert_int_equal(flags, hipDeviceScheduleYield);
    ok(hipDeviceReset());
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
    fails(hipErrorContextIsDestroyed, hipStreamSynchronize(stream));
    fails(hipErrorInvalidValue, hipFree(memory));
}

int main(void) {
    setenv("WAVELIFT_DEVICES", "2", 1);
    setenv("WAVELIFT_ARCH", "gfx1030", 1);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_count_and_choice), cmocka_unit_test(test_properties),      cmocka_unit_test(test_small_questions),
        cmocka_unit_test(test_device_errors),    cmocka_unit_test(test_every_attribute), cmocka_unit_test(test_flags),
        cmocka_unit_test(test_contexts),         cmocka_unit_test(test_peers),           cmocka_unit_test(test_reset),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
