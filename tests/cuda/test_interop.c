/* HIP's handles and the driver's (hip_cuda_interop.h): order while the device does nothing, CPU devices, code objects. */
#include "cuda_test.h"
#include "interop_test.h"

static CUresult run_add(const struct fake_launch *launch) {
    unsigned *values, amount;
    memcpy(&values, launch->values[0], sizeof values);
    memcpy(&amount, launch->values[1], sizeof amount);
    values = fake->at(values);
    for (unsigned i = 0; i < launch->grid[0] * launch->block[0]; i++)
        values[i] += amount;
    return CUDA_SUCCESS;
}

/* Nothing waits for the device: neither giving a handle away nor waiting for one in a stream. */
static void test_nothing_waits(void **state) {
    (void)state;
    hipStream_t stream, adopted;
    hipEvent_t event;
    CUstream native = NULL, other = NULL;
    CUevent own = NULL;
    ok(hipStreamCreateWithFlags(&stream, hipStreamNonBlocking));
    assert_int_equal(cu.create(&other, 1, 0), 0);
    assert_int_equal(cu.event_create(&own, 0), 0);
    fake->hold(true);
    ok(hipMemsetD32Async(interop_words, 1, INTEROP_WORDS, stream));
    ok(waveliftGetCuStream(&native, stream));
    ok(waveliftGetHipStream(&adopted, other));
    assert_int_equal(cu.set(address_of_words(), 2, INTEROP_WORDS, native), 0);
    assert_int_equal(cu.event_record(own, native), 0);
    ok(waveliftGetHipEvent(&event, own));
    fails(hipErrorNotReady, hipEventQuery(event));
    ok(hipStreamWaitEvent(adopted, event, 0));
    ok(hipMemsetD32Async(interop_words, 3, 1, adopted));
    fails(hipErrorNotReady, hipStreamQuery(adopted));
    fake->hold(false);
    ok(hipStreamSynchronize(adopted));
    all_are(3, 2);
    ok(hipEventDestroy(event));
    ok(hipStreamDestroy(adopted));
    ok(hipStreamDestroy(stream));
    assert_int_equal(cu.destroy(other), 0);
}

/* A CPU device's stream waits for the driver's event in the host; it has no handles of the driver's itself. */
static void test_cpu_device(void **state) {
    (void)state;
    hipStream_t stream;
    hipEvent_t event, own_event;
    hipCtx_t context;
    CUcontext cu_context;
    CUstream native = NULL, other = NULL;
    CUevent own = NULL, none;
    CUmodule none_module;
    unsigned *pinned;
    int cpu_device = 0;
    ok(hipGetDeviceCount(&cpu_device));
    cpu_device--; /* the last one */
    assert_int_equal(cu.create(&other, 1, 0), 0);
    assert_int_equal(cu.event_create(&own, 0), 0);
    ok(hipHostMalloc((void **)&pinned, 4, 0));
    *pinned = 0;
    fake->hold(true);
    assert_int_equal(cu.set((unsigned long long)(uintptr_t)pinned, 5, 1, other), 0);
    assert_int_equal(cu.event_record(own, other), 0);
    ok(waveliftGetHipEvent(&event, own));
    ok(hipSetDevice(cpu_device));
    ok(hipStreamCreate(&stream));
    ok(hipStreamWaitEvent(stream, event, 0));
    ok(hipMemsetD32Async(pinned, 6, 1, stream));
    fails(hipErrorNotReady, hipStreamQuery(stream));
    fake->hold(false);
    ok(hipStreamSynchronize(stream));
    assert_int_equal(*pinned, 6);
    fails(hipErrorInvalidHandle, hipEventRecord(event, stream));
    ok(hipEventCreate(&own_event));
    ok(hipEventRecord(own_event, stream));
    fails(hipErrorNotSupported, waveliftGetCuStream(&native, stream));
    fails(hipErrorNotSupported, waveliftGetCuEvent(&none, own_event));
    fails(hipErrorNotSupported, waveliftGetHipEvent(&event, own));
    fails(hipErrorNotSupported, waveliftGetHipModule((hipModule_t *)(void *)&none_module, (CUmodule)(void *)&own));
    ok(hipCtxGetCurrent(&context));
    fails(hipErrorNotSupported, waveliftGetCuContext(&cu_context, context));
    ok(hipEventDestroy(own_event));
    ok(hipStreamDestroy(stream));
    ok(hipSetDevice(0));
    ok(hipEventDestroy(event));
    ok(hipHostFree(pinned));
    assert_int_equal(cu.destroy(other), 0);
}

static void test_code_object(void **state) {
    (void)state;
    hipModule_t module;
    hipFunction_t function;
    CUmodule native = NULL;
    CUfunction kernel = NULL;
    ok(hipModuleLoad(&module, API_TEST_OBJECT));
    ok(hipModuleGetFunction(&function, module, "add"));
    fails(hipErrorNotSupported, waveliftGetCuModule(&native, module));
    fails(hipErrorNotSupported, waveliftGetCuFunction(&kernel, function));
    ok(hipModuleUnload(module));
}

int main(void) {
    use_fake_driver("cuda,cpu");
    open_driver(FAKE_CUDA);
    fake->kernel("add", run_add);
    const struct CMUnitTest tests[] = {INTEROP_TESTS, INTEROP_TEST(test_nothing_waits), INTEROP_TEST(test_cpu_device),
                                       INTEROP_TEST(test_code_object)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
