/* Errors: per thread, sticky after a fault, reset; their texts. */
#include "api_test.h"

#include <pthread.h>

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
    ok(hipDeviceReset());
    hipGetLastError();
    ok(hipMalloc(&memory, 64));
    ok(hipMemset(memory, 1, 64));
    ok(hipDeviceSynchronize());
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
        cmocka_unit_test(test_texts),
        cmocka_unit_test(test_last_error),
#ifdef API_FAKE
        cmocka_unit_test(test_device_errors),
#endif
        cmocka_unit_test(test_sticky),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
