/* What tracers are told of work on a device with queues: the times are the device's. Alone: with a tracer of its own. With the argument "run": as a
 * program for `wavelift profile` (times.py). */
#include "api/traced_call.h"
#include "cuda_test.h"

#include <pthread.h>
#include <time.h>
#include <unistd.h>

void hipRegisterTracerCallback(wl_api_tracer tracer);

static const char ptx[] = ".version 7.8\n.target sm_90\n.address_size 64\n"
                          ".visible .entry rest(.param .u64 a)\n{ ret; }\n.visible .entry quick(.param .u64 a)\n{ ret; }\n";
enum { LAUNCHES = 5, MANY = 3500, REST = 10000000 /* nanoseconds */ };

static hipFunction_t rest_kernel, quick_kernel;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct wl_api_activity told[64];
static unsigned count;
static uint64_t begun[64], ended[64]; /* when the kernels really ran */
static unsigned runs;                 /* under `lock`: the kernels of two streams run in two threads */

static uint64_t now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

static CUresult run_rest(const struct fake_launch *launch) {
    (void)launch;
    pthread_mutex_lock(&lock);
    const unsigned run = runs++;
    pthread_mutex_unlock(&lock);
    begun[run] = now();
    nanosleep(&(struct timespec){0, REST}, NULL);
    ended[run] = now();
    return CUDA_SUCCESS;
}

static CUresult run_quick(const struct fake_launch *launch) {
    (void)launch;
    return CUDA_SUCCESS;
}

static int tracer(uint32_t domain, uint32_t operation, void *data) {
    (void)operation;
    if (domain != WL_TRACED_OPERATIONS)
        return -1;
    pthread_mutex_lock(&lock);
    if (data && count < sizeof told / sizeof *told)
        told[count++] = *(const struct wl_api_activity *)data;
    pthread_mutex_unlock(&lock);
    return 0;
}

static void rest(hipStream_t stream) {
    void *nothing = NULL;
    ok(hipModuleLaunchKernel(rest_kernel, 2, 1, 1, 32, 1, 1, 0, stream, (void *[]){&nothing}, NULL));
}

static void work(hipStream_t stream) {
    static char host[4096];
    void *memory = NULL;
    ok(hipMalloc(&memory, sizeof host));
    for (unsigned i = 0; i < LAUNCHES; i++)
        rest(stream);
    ok(hipMemcpyAsync(memory, host, 1000, hipMemcpyHostToDevice, stream));
    ok(hipMemsetAsync(memory, 0, 2000, stream));
    ok(hipStreamSynchronize(stream));
    ok(hipFree(memory));
}

/* All of it, in order, each kernel at least as long as it ran, and not before the host asked or after it knew of the end. */
static void test_times(void **state) {
    hipStream_t stream;
    (void)state;
    count = runs = 0;
    ok(hipStreamCreateWithFlags(&stream, hipStreamNonBlocking));
    const uint64_t before = now();
    work(stream);
    const uint64_t after = now();
    assert_int_equal(count, LAUNCHES + 2);
    assert_int_equal(runs, LAUNCHES);
    for (unsigned i = 0; i < count; i++) {
        assert_true(told[i].begin >= before && told[i].begin <= told[i].end && told[i].end <= after);
        assert_true(i == 0 || told[i].begin >= told[i - 1].end);
        assert_int_equal(told[i].operation, i < LAUNCHES ? WL_TRACED_DISPATCH : WL_TRACED_COPY);
        assert_int_equal(told[i].device, 0);
        assert_int_equal(told[i].queue, told[0].queue);
        if (i < LAUNCHES)
            assert_true(told[i].end - told[i].begin + 1000 >= ended[i] - begun[i]); /* single precision */
    }
    assert_int_equal(told[LAUNCHES].bytes, 1000);
    assert_int_equal(told[LAUNCHES + 1].bytes, 2000);
    ok(hipStreamDestroy(stream));
}

/* Two streams' kernels rest side by side if the fake's streams do; each stream's are in order. The device's end is enough. */
static void test_streams(void **state) {
    hipStream_t streams[2];
    (void)state;
    count = runs = 0;
    for (unsigned i = 0; i < 2; i++)
        ok(hipStreamCreateWithFlags(&streams[i], hipStreamNonBlocking));
    for (unsigned i = 0; i < 6; i++)
        rest(streams[i % 2]);
    ok(hipDeviceSynchronize());
    assert_int_equal(count, 6);
    for (unsigned i = 0; i < count; i++)
        for (unsigned k = 0; k < i; k++)
            assert_true(told[k].queue != told[i].queue || told[k].end <= told[i].begin);
    for (unsigned i = 0; i < 2; i++)
        ok(hipStreamDestroy(streams[i]));
}

/* What the device does not take is not told; what it takes after that is. */
static void test_failures(void **state) {
    void *nothing = NULL;
    (void)state;
    count = runs = 0;
    fake->fail_next("cuLaunchKernel", CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES, 0, 1);
    assert_int_not_equal(hipModuleLaunchKernel(rest_kernel, 1, 1, 1, 1, 1, 1, 0, NULL, (void *[]){&nothing}, NULL), hipSuccess);
    (void)hipGetLastError();
    (void)hipDeviceSynchronize();
    assert_int_equal(count, 0);
}

/* Events that cannot be made: the work is done all the same. */
static void test_without_events(void **state) {
    (void)state;
    count = runs = 0;
    fake->fail_next("cuEventRecord", CUDA_ERROR_OUT_OF_MEMORY, 0, 1);
    rest(NULL);
    ok(hipDeviceSynchronize());
    assert_int_equal(runs, 1);
}

/* Whoever has waited for a piece of work is told of it: by a copy that waits, and by an event. */
static void test_waits(void **state) {
    static char host[64];
    hipEvent_t event;
    void *memory = NULL;
    (void)state;
    ok(hipMalloc(&memory, sizeof host));
    count = runs = 0;
    ok(hipMemcpy(host, memory, sizeof host, hipMemcpyDeviceToHost));
    assert_int_equal(count, 1);
    assert_int_equal(told[0].bytes, sizeof host);
    ok(hipEventCreate(&event));
    rest(NULL);
    ok(hipEventRecord(event, NULL));
    ok(hipEventSynchronize(event));
    assert_int_equal(count, 2);
    ok(hipEventDestroy(event));
    ok(hipFree(memory));
}

/* More than what is kept to be read later; two streams in turn. */
static int many(void) {
    hipStream_t streams[2];
    void *nothing = NULL;
    for (unsigned i = 0; i < 2; i++)
        ok(hipStreamCreateWithFlags(&streams[i], hipStreamNonBlocking));
    for (unsigned i = 0; i < MANY; i++)
        ok(hipModuleLaunchKernel(quick_kernel, 1, 1, 1, 1, 1, 1, 0, streams[i % 7 == 0], (void *[]){&nothing}, NULL));
    ok(hipDeviceSynchronize());
    return 0;
}

int main(int argc, char **argv) {
    use_fake_driver("cuda,cpu");
    fake->kernel("rest", run_rest);
    fake->kernel("quick", run_quick);
    hipModule_t module = NULL;
    if (hipModuleLoadData(&module, ptx) != hipSuccess || hipModuleGetFunction(&rest_kernel, module, "rest") != hipSuccess ||
        hipModuleGetFunction(&quick_kernel, module, "quick") != hipSuccess)
        return 1;
    if (argc > 1 && strcmp(argv[1], "many") == 0)
        return many();
    if (argc > 1 && strcmp(argv[1], "run") == 0) {
        work(NULL);
        return 0;
    }
    hipRegisterTracerCallback(tracer);
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_times), cmocka_unit_test(test_streams), cmocka_unit_test(test_without_events),
                                       cmocka_unit_test(test_waits), cmocka_unit_test(test_failures)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
