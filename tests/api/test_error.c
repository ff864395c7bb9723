/* Errors: per thread, sticky after a fault, reset; their texts. */
#include "api_test.h"

#include <pthread.h>

/* All errors of HIP 7, as its reference numbers them. */
static const struct {
    int number;
    const char *name;
} errors[] = {{0, "hipSuccess"},
              {1, "hipErrorInvalidValue"},
              {2, "hipErrorOutOfMemory"},
              {3, "hipErrorNotInitialized"},
              {4, "hipErrorDeinitialized"},
              {5, "hipErrorProfilerDisabled"},
              {6, "hipErrorProfilerNotInitialized"},
              {7, "hipErrorProfilerAlreadyStarted"},
              {8, "hipErrorProfilerAlreadyStopped"},
              {9, "hipErrorInvalidConfiguration"},
              {12, "hipErrorInvalidPitchValue"},
              {13, "hipErrorInvalidSymbol"},
              {17, "hipErrorInvalidDevicePointer"},
              {21, "hipErrorInvalidMemcpyDirection"},
              {35, "hipErrorInsufficientDriver"},
              {52, "hipErrorMissingConfiguration"},
              {53, "hipErrorPriorLaunchFailure"},
              {98, "hipErrorInvalidDeviceFunction"},
              {100, "hipErrorNoDevice"},
              {101, "hipErrorInvalidDevice"},
              {200, "hipErrorInvalidImage"},
              {201, "hipErrorInvalidContext"},
              {202, "hipErrorContextAlreadyCurrent"},
              {205, "hipErrorMapFailed"},
              {206, "hipErrorUnmapFailed"},
              {207, "hipErrorArrayIsMapped"},
              {208, "hipErrorAlreadyMapped"},
              {209, "hipErrorNoBinaryForGpu"},
              {210, "hipErrorAlreadyAcquired"},
              {211, "hipErrorNotMapped"},
              {212, "hipErrorNotMappedAsArray"},
              {213, "hipErrorNotMappedAsPointer"},
              {214, "hipErrorECCNotCorrectable"},
              {215, "hipErrorUnsupportedLimit"},
              {216, "hipErrorContextAlreadyInUse"},
              {217, "hipErrorPeerAccessUnsupported"},
              {218, "hipErrorInvalidKernelFile"},
              {219, "hipErrorInvalidGraphicsContext"},
              {300, "hipErrorInvalidSource"},
              {301, "hipErrorFileNotFound"},
              {302, "hipErrorSharedObjectSymbolNotFound"},
              {303, "hipErrorSharedObjectInitFailed"},
              {304, "hipErrorOperatingSystem"},
              {400, "hipErrorInvalidHandle"},
              {401, "hipErrorIllegalState"},
              {500, "hipErrorNotFound"},
              {600, "hipErrorNotReady"},
              {700, "hipErrorIllegalAddress"},
              {701, "hipErrorLaunchOutOfResources"},
              {702, "hipErrorLaunchTimeOut"},
              {704, "hipErrorPeerAccessAlreadyEnabled"},
              {705, "hipErrorPeerAccessNotEnabled"},
              {708, "hipErrorSetOnActiveProcess"},
              {709, "hipErrorContextIsDestroyed"},
              {710, "hipErrorAssert"},
              {712, "hipErrorHostMemoryAlreadyRegistered"},
              {713, "hipErrorHostMemoryNotRegistered"},
              {719, "hipErrorLaunchFailure"},
              {720, "hipErrorCooperativeLaunchTooLarge"},
              {801, "hipErrorNotSupported"},
              {900, "hipErrorStreamCaptureUnsupported"},
              {901, "hipErrorStreamCaptureInvalidated"},
              {902, "hipErrorStreamCaptureMerge"},
              {903, "hipErrorStreamCaptureUnmatched"},
              {904, "hipErrorStreamCaptureUnjoined"},
              {905, "hipErrorStreamCaptureIsolation"},
              {906, "hipErrorStreamCaptureImplicit"},
              {907, "hipErrorCapturedEvent"},
              {908, "hipErrorStreamCaptureWrongThread"},
              {910, "hipErrorGraphExecUpdateFailure"},
              {911, "hipErrorInvalidChannelDescriptor"},
              {912, "hipErrorInvalidTexture"},
              {914, "hipErrorInvalidResourceType"},
              {915, "hipErrorInvalidResourceConfiguration"},
              {916, "hipErrorStreamDetached"},
              {999, "hipErrorUnknown"},
              {1052, "hipErrorRuntimeMemory"},
              {1053, "hipErrorRuntimeOther"},
              {1054, "hipErrorInvalidClusterSize"}};

static void test_every_error(void **state) {
    (void)state;
    size_t next = 0, count = sizeof errors / sizeof *errors;
    for (int number = 0; number < 1100; number++) {
        bool known = next < count && errors[next].number == number;
        const char *name = known ? errors[next].name : "hipErrorUnknown", *text = NULL;
        assert_string_equal(hipGetErrorName((hipError_t)number), name);
        fails(known ? hipSuccess : hipErrorInvalidValue, hipDrvGetErrorName((hipError_t)number, &text));
        if (known)
            assert_string_equal(text, name);
        else
            assert_null(text);
        fails(known ? hipSuccess : hipErrorInvalidValue, hipDrvGetErrorString((hipError_t)number, &text));
        if (known)
            assert_string_equal(text, hipGetErrorString((hipError_t)number));
        else
            assert_string_equal(hipGetErrorString((hipError_t)number), "unknown error");
        next += known;
    }
    assert_int_equal(next, count);
    fails(hipErrorInvalidValue, hipDrvGetErrorName(hipSuccess, NULL));
    fails(hipErrorInvalidValue, hipDrvGetErrorString(hipSuccess, NULL));
    hipGetLastError();
}

static void test_texts(void **state) {
    (void)state;
    const char *text = NULL;
    assert_string_equal(hipGetErrorName(hipSuccess), "hipSuccess");
    assert_string_equal(hipGetErrorName(hipErrorInvalidValue), "hipErrorInvalidValue");
    assert_string_equal(hipGetErrorString(hipErrorInvalidValue), "invalid argument");
    assert_string_equal(hipGetErrorName((hipError_t)12345), "hipErrorUnknown");
    ok(hipDrvGetErrorName(hipErrorAssert, &text));
    assert_string_equal(text, "hipErrorAssert");
    fails(hipErrorInvalidValue, hipDrvGetErrorString((hipError_t)12345, &text));
    for (int error = 0; error < 2000; error++)
        assert_true(*hipGetErrorName((hipError_t)error) && *hipGetErrorString((hipError_t)error));
    hipGetLastError();
}

static void *other_thread(void *argument) {
    (void)argument;
    return (void *)(intptr_t)hipGetLastError();
}

static void test_last_error(void **state) {
    (void)state;
    pthread_t thread;
    void *result = NULL;
    int device = 0;
    fails(hipErrorInvalidDevice, hipSetDevice(99));
    ok(hipGetDevice(&device)); /* a success does not hide the error */
    assert_int_equal(hipPeekAtLastError(), hipErrorInvalidDevice);
    assert_int_equal(hipExtGetLastError(), hipSuccess);
    pthread_create(&thread, NULL, other_thread, NULL);
    pthread_join(thread, &result);
    assert_int_equal((intptr_t)result, hipSuccess);
    assert_int_equal(hipGetLastError(), hipErrorInvalidDevice);
    assert_int_equal(hipGetLastError(), hipSuccess);
}

static void seen(hipStream_t stream, hipError_t status, void *data) {
    (void)stream;
    *(hipError_t *)data = status;
}

static void test_sticky(void **state) {
    (void)state;
    int *nowhere = (int *)16, *values = NULL;
    void *memory = NULL;
    hipEvent_t event = NULL;
    hipStream_t stream = NULL;
    hipError_t status = hipSuccess;
    (void)on_gpu();
    ok(hipMalloc(&memory, 64));
    ok(hipHostMalloc((void **)&values, 64, 0));
    ok(hipStreamCreate(&stream));
    ok(hipEventCreate(&event));
    values[0] = 0;
    int *flag = values, one = 1;
    launch("fault", stream, 1, 1, &nowhere);
    hipError_t second = try_launch("set", stream, 1, 64, (void *[]){&flag, &one}); /* queued before the fault is known, or not */
    assert_true(second == hipSuccess || second == hipErrorIllegalAddress);
    fails(hipErrorIllegalAddress, hipStreamSynchronize(stream));
    assert_int_equal(values[0], 0); /* what was queued behind the fault did not run */
    fails(hipErrorIllegalAddress, hipDeviceSynchronize());
    fails(hipErrorIllegalAddress, hipMalloc(&memory, 64));
    fails(hipErrorIllegalAddress, hipMemcpy(memory, values, 4, hipMemcpyHostToDevice));
    fails(hipErrorIllegalAddress, hipStreamQuery(stream));
    fails(hipErrorIllegalAddress, try_launch("empty", NULL, 1, 1, NULL));
    ok(hipStreamAddCallback(stream, seen, &status, 0));
    fails(hipErrorIllegalAddress, hipStreamSynchronize(stream));
    assert_int_equal(status, hipErrorIllegalAddress);
    assert_int_equal(hipGetLastError(), hipErrorIllegalAddress);
    int device = -1;
    ok(hipGetDevice(&device)); /* calls that do not touch the device go on */
    hipError_t reset = hipDeviceReset();
    if (on_gpu() && reset == hipErrorIllegalAddress) /* the driver keeps it as long as the process lives: docs/NVIDIA.md */
        return;
    ok(reset);
    hipGetLastError();
    ok(hipMalloc(&memory, 64));
    ok(hipMemset(memory, 1, 64));
    ok(hipDeviceSynchronize());
    if (on_gpu()) /* modules and pinned memory went with the fault */
        return;
    launch("set", NULL, 1, 64, &flag, &one);
    ok(hipDeviceSynchronize());
    assert_int_equal(values[0], 1);
}

#ifdef API_FAKE
#include "fake_device.h"

static void test_device_errors(void **state) {
    (void)state;
    void *memory = NULL;
    hipModule_t module = NULL;
    atomic_store(&fake.allocate_status, WL_OUT_OF_MEMORY);
    fails(hipErrorOutOfMemory, hipMalloc(&memory, 64));
    atomic_store(&fake.allocate_status, WL_OK);
    atomic_store(&fake.prepare_status, WL_UNSUPPORTED);
    fails(hipErrorNotSupported, try_launch("empty", NULL, 1, 64, NULL));
    atomic_store(&fake.prepare_status, WL_OK);
    atomic_store(&fake.module_status, WL_INVALID_IMAGE);
    fails(hipErrorInvalidImage, hipModuleLoad(&module, API_TEST_OBJECT));
    atomic_store(&fake.module_status, WL_OK);
    ok(try_launch("empty", NULL, 1, 64, NULL));
    ok(hipDeviceSynchronize());
}
#endif

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_error),   cmocka_unit_test(test_texts), cmocka_unit_test(test_last_error),
#ifdef API_FAKE
        cmocka_unit_test(test_device_errors),
#endif
        cmocka_unit_test(test_sticky),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
