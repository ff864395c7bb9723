/* Streams, events and their order on a device with queues: what the host is told, and what the device may do in the meantime. */
#include "../bystander.h"
#include "cuda_test.h"

#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

static const char ptx[] = ".version 7.8\n.target sm_90\n.address_size 64\n"
                          ".visible .entry append(.param .u64 a, .param .u32 b)\n{ ret; }\n"
                          ".visible .entry wait_for(.param .u64 a)\n{ ret; }\n"
                          ".visible .entry nothing(.param .u64 a)\n{ ret; }\n";

static hipFunction_t append_kernel, wait_kernel, nothing_kernel;

/* A list of numbers in the order in which the device got to them. */
static struct {
    atomic_uint count;
    unsigned values[65536];
} list;

static CUresult run_append(const struct fake_launch *launch) {
    unsigned value;
    memcpy(&value, launch->values[1], 4);
    list.values[atomic_fetch_add(&list.count, 1)] = value;
    return CUDA_SUCCESS;
}

static CUresult run_wait_for(const struct fake_launch *launch) {
    atomic_int *flag;
    memcpy(&flag, launch->values[0], sizeof flag);
    while (!atomic_load(flag))
        usleep(100);
    return CUDA_SUCCESS;
}

static CUresult run_nothing(const struct fake_launch *launch) {
    (void)launch;
    return CUDA_SUCCESS;
}

static void append(unsigned value, hipStream_t stream) {
    void *nowhere = NULL;
    ok(hipModuleLaunchKernel(append_kernel, 1, 1, 1, 1, 1, 1, 0, stream, (void *[]){&nowhere, &value}, NULL));
}

static void wait_for(atomic_int *flag, hipStream_t stream) {
    ok(hipModuleLaunchKernel(wait_kernel, 1, 1, 1, 1, 1, 1, 0, stream, (void *[]){&flag}, NULL));
}

static unsigned position(unsigned value) {
    for (unsigned i = 0; i < atomic_load(&list.count); i++)
        if (list.values[i] == value)
            return i;
    return UINT32_MAX;
}

static int clear(void **state) {
    (void)state;
    ok(hipDeviceSynchronize());
    atomic_store(&list.count, 0);
    return 0;
}

/* ---- tests ------------------------------------------------------------------------------------------ */

/* Launches go to the device at once, while it has not done the first of them. */
static void test_launches_do_not_wait(void **state) {
    (void)state;
    hipStream_t stream;
    ok(hipStreamCreateWithFlags(&stream, hipStreamNonBlocking));
    unsigned long before = fake->calls("cuLaunchKernel");
    fake->hold(true);
    for (unsigned i = 0; i < 100; i++)
        append(i, stream);
    assert_int_equal(fake->calls("cuLaunchKernel") - before, 100);
    fails(hipErrorNotReady, hipStreamQuery(stream));
    assert_int_equal(atomic_load(&list.count), 0);
    fake->hold(false);
    ok(hipStreamSynchronize(stream));
    ok(hipStreamQuery(stream));
    assert_int_equal(atomic_load(&list.count), 100);
    for (unsigned i = 0; i < 100; i++)
        assert_int_equal(list.values[i], i);
    ok(hipStreamDestroy(stream));
}

/* Nor do copies of pageable memory that is not large: the program may change it after the call. */
static void test_copies_do_not_wait(void **state) {
    (void)state;
    enum { WIDTH = 100, ROWS = 8, SLICES = 5 };
    char from[SLICES * ROWS * WIDTH], back[SLICES * ROWS * WIDTH];
    hipStream_t stream;
    hipPitchedPtr memory;
    ok(hipStreamCreateWithFlags(&stream, hipStreamNonBlocking));
    ok(hipMalloc3D(&memory, (hipExtent){WIDTH, ROWS, SLICES}));
    struct hipMemcpy3DParms copy = {.srcPtr = {from, WIDTH, WIDTH, ROWS}, .dstPtr = memory, .extent = {WIDTH, ROWS, SLICES}};
    for (int i = 0; i < SLICES * ROWS * WIDTH; i++)
        from[i] = (char)(i * 31 / 7);
    copy.kind = hipMemcpyHostToDevice;
    fake->hold(true);
    append(1, stream);
    ok(hipMemcpy3DAsync(&copy, stream));
    fails(hipErrorNotReady, hipStreamQuery(stream));
    memset(from, 0, sizeof from);
    ok(hipMemcpyAsync((char *)memory.ptr + memory.pitch, "a row", 6, hipMemcpyHostToDevice, stream));
    fails(hipErrorNotReady, hipStreamQuery(stream));
    fake->hold(false);
    ok(hipStreamSynchronize(stream));
    copy.srcPtr = memory;
    copy.dstPtr = (hipPitchedPtr){back, WIDTH, WIDTH, ROWS};
    copy.kind = hipMemcpyDeviceToHost;
    ok(hipMemcpy3D(&copy));
    for (int i = 0; i < SLICES * ROWS * WIDTH; i++)
        if (i < WIDTH || i >= WIDTH + 6)
            assert_int_equal(back[i], (char)(i * 31 / 7));
    assert_string_equal(back + WIDTH, "a row");
    ok(hipFree(memory.ptr));
    ok(hipStreamDestroy(stream));
}

/* Lets the device work when somebody waits for it. */
static void *let_go(void *before) {
    while (fake->calls("cuEventSynchronize") == (uintptr_t)before)
        usleep(100);
    fake->hold(false);
    return NULL;
}

/* Waiting for the null stream waits for what other streams have given to the device, also where the null stream was given nothing. */
static void test_null_stream_waits(void **state) {
    (void)state;
    pthread_t thread;
    hipStream_t blocking;
    ok(hipStreamCreate(&blocking));
    fake->hold(true);
    append(1, blocking);
    append(2, hipStreamPerThread);
    assert_int_equal(pthread_create(&thread, NULL, let_go, (void *)(uintptr_t)fake->calls("cuEventSynchronize")), 0);
    ok(hipStreamSynchronize(NULL));
    assert_int_equal(atomic_load(&list.count), 2);
    ok(hipStreamQuery(NULL));
    assert_int_equal(pthread_join(thread, NULL), 0);
    ok(hipStreamDestroy(blocking));
}

static void test_null_stream(void **state) {
    (void)state;
    hipStream_t blocking, non_blocking;
    ok(hipStreamCreate(&blocking));
    ok(hipStreamCreateWithFlags(&non_blocking, hipStreamNonBlocking));
    fake->hold(true);
    append(1, blocking);
    append(2, NULL);
    append(3, blocking);
    append(4, non_blocking);
    fails(hipErrorNotReady, hipStreamQuery(NULL));
    fake->hold(false);
    ok(hipStreamSynchronize(blocking));
    assert_true(position(1) < position(2) && position(2) < position(3));
    ok(hipStreamSynchronize(non_blocking));
    assert_int_equal(atomic_load(&list.count), 4);
    atomic_int flag = 0;
    wait_for(&flag, NULL);
    append(5, blocking);
    fails(hipErrorNotReady, hipStreamQuery(blocking));
    fails(hipErrorNotReady, hipStreamQuery(NULL));
    atomic_store(&flag, 1);
    ok(hipStreamSynchronize(NULL)); /* of the null stream: the others' earlier work as well */
    ok(hipStreamQuery(blocking));
    assert_int_equal(atomic_load(&list.count), 5);
    ok(hipStreamDestroy(blocking));
    ok(hipStreamDestroy(non_blocking));
}

static void test_events(void **state) {
    (void)state;
    hipStream_t a, b;
    hipEvent_t start, stop, plain;
    atomic_int flag = 0;
    float time = -1;
    ok(hipStreamCreateWithFlags(&a, hipStreamNonBlocking));
    ok(hipStreamCreateWithFlags(&b, hipStreamNonBlocking));
    ok(hipEventCreate(&start));
    ok(hipEventCreate(&stop));
    ok(hipEventCreateWithFlags(&plain, hipEventDisableTiming));
    ok(hipEventRecord(start, a));
    ok(hipEventSynchronize(start));
    wait_for(&flag, a);
    append(1, a);
    ok(hipEventRecord(stop, a));
    ok(hipEventRecord(plain, a));
    ok(hipStreamWaitEvent(b, plain, 0));
    append(2, b); /* the device waits, not the host */
    append(3, a);
    fails(hipErrorNotReady, hipEventQuery(stop));
    fails(hipErrorNotReady, hipEventElapsedTime(&time, start, stop));
    usleep(20000);
    atomic_store(&flag, 1);
    ok(hipEventSynchronize(stop));
    ok(hipEventQuery(stop));
    ok(hipEventElapsedTime(&time, start, stop));
    assert_true(time >= 19 && time < 3600000);
    ok(hipStreamSynchronize(b));
    assert_true(position(1) < position(2));
    fails(hipErrorInvalidHandle, hipEventElapsedTime(&time, start, plain));
    ok(hipDeviceSynchronize());
    ok(hipEventDestroy(start));
    ok(hipEventDestroy(stop));
    ok(hipEventDestroy(plain));
    ok(hipStreamDestroy(a));
    ok(hipStreamDestroy(b));
}

/* A wait counts for the record that was there at the call, and an event that is recorded again is not the earlier one. */
static void test_event_again(void **state) {
    (void)state;
    hipStream_t a, b;
    hipEvent_t event;
    atomic_int first = 0, second = 0;
    ok(hipStreamCreateWithFlags(&a, hipStreamNonBlocking));
    ok(hipStreamCreateWithFlags(&b, hipStreamNonBlocking));
    ok(hipEventCreate(&event));
    atomic_store(&first, 1);
    wait_for(&first, a);
    ok(hipEventRecord(event, a));
    ok(hipStreamWaitEvent(b, event, 0));
    append(1, b);
    ok(hipStreamSynchronize(b));
    wait_for(&second, a);
    ok(hipEventRecord(event, a));
    fails(hipErrorNotReady, hipEventQuery(event));
    append(2, b);
    atomic_store(&second, 1);
    ok(hipEventSynchronize(event));
    ok(hipStreamSynchronize(b));
    ok(hipEventDestroy(event));
    ok(hipStreamDestroy(a));
    ok(hipStreamDestroy(b));
}

static void host_append(void *argument) { list.values[atomic_fetch_add(&list.count, 1)] = (unsigned)(uintptr_t)argument; }

static void test_host_functions(void **state) {
    (void)state;
    struct bystander bystander = bystander_new();
    hipStream_t stream;
    atomic_int flag = 0;
    ok(hipStreamCreate(&stream));
    wait_for(&flag, NULL); /* a blocking stream's host function waits for it too */
    append(1, stream);
    ok(hipLaunchHostFunc(stream, host_append, (void *)2));
    append(3, stream);
    bystander_runs(&bystander);
    assert_int_equal(atomic_load(&list.count), 0);
    atomic_store(&flag, 1);
    ok(hipStreamSynchronize(stream));
    assert_int_equal(atomic_load(&list.count), 3);
    for (unsigned i = 0; i < 3; i++)
        assert_int_equal(list.values[i], i + 1);
    ok(hipStreamDestroy(stream));
    bystander_end(&bystander);
}

static void test_values(void **state) {
    (void)state;
    struct bystander bystander = bystander_new();
    hipStream_t stream;
    unsigned *there = NULL, back = 0;
    atomic_uint *pinned = NULL;
    ok(hipStreamCreateWithFlags(&stream, hipStreamNonBlocking));
    ok(hipMalloc((void **)&there, 8));
    ok(hipHostMalloc((void **)&pinned, 8, 0));
    ok(hipMemset(there, 0, 8));
    ok(hipStreamWriteValue32(stream, there, 77, 0));
    ok(hipStreamWaitValue32(stream, there, 77, hipStreamWaitValueEq, 0xffffffff));
    append(1, stream);
    ok(hipStreamSynchronize(stream));
    ok(hipMemcpy(&back, there, 4, hipMemcpyDeviceToHost));
    assert_int_equal(back, 77);
    ok(hipStreamWaitValue32(stream, (void *)pinned, 4, hipStreamWaitValueAnd, 0xff));
    append(2, stream);
    bystander_runs(&bystander);
    assert_int_equal(atomic_load(&list.count), 1);
    atomic_store(pinned, 6);
    ok(hipStreamSynchronize(stream));
    assert_int_equal(atomic_load(&list.count), 2);
    ok(hipStreamWriteValue64(stream, (void *)pinned, 99, 0));
    ok(hipStreamSynchronize(stream));
    assert_int_equal(atomic_load(pinned), 99);
    ok(hipFree(there));
    ok(hipHostFree((void *)pinned));
    ok(hipStreamDestroy(stream));
    bystander_end(&bystander);
}

/* Streams of a CPU device and of the GPU wait for each other. */
static void test_between_devices(void **state) {
    (void)state;
    struct bystander bystander = bystander_new();
    hipStream_t here, there;
    hipEvent_t event, other;
    atomic_int flag = 0;
    ok(hipStreamCreateWithFlags(&there, hipStreamNonBlocking));
    ok(hipEventCreate(&event));
    ok(hipSetDevice(1));
    ok(hipStreamCreateWithFlags(&here, hipStreamNonBlocking));
    ok(hipEventCreate(&other));
    wait_for(&flag, there);
    append(1, there);
    ok(hipEventRecord(event, there));
    ok(hipStreamWaitEvent(here, event, 0));
    ok(hipLaunchHostFunc(here, host_append, (void *)2));
    ok(hipEventRecord(other, here));
    ok(hipStreamWaitEvent(there, other, 0));
    append(3, there);
    bystander_runs(&bystander);
    assert_int_equal(atomic_load(&list.count), 0);
    atomic_store(&flag, 1);
    ok(hipStreamSynchronize(there));
    assert_int_equal(atomic_load(&list.count), 3);
    for (unsigned i = 0; i < 3; i++)
        assert_int_equal(list.values[i], i + 1);
    float time = 0;
    fails(hipErrorInvalidHandle, hipEventElapsedTime(&time, event, other));
    ok(hipStreamDestroy(here));
    ok(hipSetDevice(0));
    ok(hipStreamDestroy(there));
    ok(hipEventDestroy(event));
    ok(hipEventDestroy(other));
    bystander_end(&bystander);
}

/* While a blocking stream's kernel waits, nothing that a non-blocking stream does goes through the null stream. */
static void test_apart(void **state) {
    (void)state;
    hipStream_t blocking, non_blocking;
    atomic_int flag = 0;
    int *there = NULL, value = 5, back = 0;
    hipModule_t module = NULL;
    ok(hipStreamCreate(&blocking));
    ok(hipStreamCreateWithFlags(&non_blocking, hipStreamNonBlocking));
    ok(hipMalloc((void **)&there, 4));
    wait_for(&flag, blocking);
    ok(hipMemcpyAsync(there, &value, 4, hipMemcpyHostToDevice, non_blocking)); /* pageable memory */
    ok(hipMemcpyAsync(&back, there, 4, hipMemcpyDeviceToHost, non_blocking));
    ok(hipStreamSynchronize(non_blocking));
    assert_int_equal(back, 5);
    ok(hipModuleLoad(&module, API_TEST_OBJECT)); /* its image is copied */
    assert_int_equal(hipStreamQuery(blocking), hipErrorNotReady);
    atomic_store(&flag, 1);
    ok(hipStreamSynchronize(blocking));
    ok(hipModuleUnload(module));
    ok(hipFree(there));
    ok(hipStreamDestroy(blocking));
    ok(hipStreamDestroy(non_blocking));
}

static void test_pool(void **state) {
    (void)state;
    hipStream_t a, b;
    void *first = NULL, *second = NULL, *third = NULL;
    atomic_int flag = 0;
    ok(hipStreamCreateWithFlags(&a, hipStreamNonBlocking));
    ok(hipStreamCreateWithFlags(&b, hipStreamNonBlocking));
    ok(hipMallocAsync(&first, 4 << 20, a));
    wait_for(&flag, a);
    ok(hipMemsetAsync(first, 7, 4 << 20, a));
    ok(hipFreeAsync(first, a));
    ok(hipMallocAsync(&second, 4 << 20, b)); /* the memory is still in use there */
    assert_ptr_not_equal(first, second);
    ok(hipMallocAsync(&third, 4 << 20, a));
    assert_ptr_equal(first, third);
    atomic_store(&flag, 1);
    ok(hipMemsetAsync(second, 1, 4 << 20, b));
    ok(hipFreeAsync(third, a));
    ok(hipFreeAsync(second, b));
    ok(hipDeviceSynchronize());
    ok(hipStreamDestroy(a));
    ok(hipStreamDestroy(b));
}

static void test_graph(void **state) {
    (void)state;
    hipStream_t a, b;
    hipEvent_t fork, join;
    hipGraph_t graph;
    hipGraphExec_t exec;
    ok(hipStreamCreateWithFlags(&a, hipStreamNonBlocking));
    ok(hipStreamCreateWithFlags(&b, hipStreamNonBlocking));
    ok(hipEventCreate(&fork));
    ok(hipEventCreate(&join));
    ok(hipStreamBeginCapture(a, hipStreamCaptureModeGlobal));
    append(1, a);
    ok(hipEventRecord(fork, a));
    ok(hipStreamWaitEvent(b, fork, 0));
    append(2, b);
    append(3, a);
    ok(hipEventRecord(join, b));
    ok(hipStreamWaitEvent(a, join, 0));
    append(4, a);
    ok(hipStreamEndCapture(a, &graph));
    ok(hipGraphInstantiate(&exec, graph, NULL, NULL, 0));
    for (int i = 0; i < 10; i++) {
        atomic_store(&list.count, 0);
        fake->hold(i & 1);
        ok(hipGraphLaunch(exec, a));
        fake->hold(false);
        ok(hipStreamSynchronize(a));
        assert_int_equal(atomic_load(&list.count), 4);
        assert_int_equal(position(1), 0);
        assert_int_equal(position(4), 3);
    }
    ok(hipGraphExecDestroy(exec));
    ok(hipGraphDestroy(graph));
    ok(hipEventDestroy(fork));
    ok(hipEventDestroy(join));
    ok(hipStreamDestroy(a));
    ok(hipStreamDestroy(b));
}

/* Several threads, streams of their own and one that they share. */
static hipStream_t shared_stream;

static void *launch_many(void *argument) {
    unsigned thread = (unsigned)(uintptr_t)argument;
    hipStream_t own;
    hipEvent_t event;
    ok(hipStreamCreateWithFlags(&own, thread & 1 ? hipStreamNonBlocking : hipStreamDefault));
    ok(hipEventCreate(&event));
    for (unsigned i = 0; i < 200; i++) {
        append(thread << 16 | i << 1, own);
        if (i % 16 == 3) {
            ok(hipEventRecord(event, own));
            ok(hipStreamWaitEvent(shared_stream, event, 0));
        }
        append(thread << 16 | i << 1 | 1, i % 16 == 3 ? shared_stream : own);
        if (i % 50 == 7)
            ok(hipLaunchHostFunc(own, host_append, (void *)(uintptr_t)(0x800000 | thread)));
        if (i % 64 == 9)
            ok(hipStreamSynchronize(own));
    }
    ok(hipStreamSynchronize(own));
    ok(hipStreamDestroy(own));
    ok(hipEventDestroy(event));
    return NULL;
}

static void test_threads(void **state) {
    (void)state;
    enum { THREADS = 8 };
    pthread_t threads[THREADS];
    ok(hipStreamCreateWithFlags(&shared_stream, hipStreamNonBlocking));
    for (uintptr_t i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, launch_many, (void *)(i + 1)), 0);
    for (unsigned i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    ok(hipDeviceSynchronize());
    assert_int_equal(atomic_load(&list.count), THREADS * (400 + 4));
    for (unsigned thread = 1; thread <= THREADS; thread++) { /* each stream's order */
        unsigned last = 0;
        for (unsigned i = 0; i < atomic_load(&list.count); i++)
            if (list.values[i] >> 16 == thread && !((list.values[i] & 0xffff) % 32 == 7)) {
                assert_true(!last || list.values[i] > last);
                last = list.values[i];
            }
        for (unsigned i = 3; i < 200; i += 16) /* what waited for the event comes behind it */
            assert_true(position(thread << 16 | i << 1) < position(thread << 16 | i << 1 | 1));
    }
    ok(hipStreamDestroy(shared_stream));
}

int main(void) {
    use_fake_driver("cuda,cpu");
    fake->kernel("append", run_append);
    fake->kernel("wait_for", run_wait_for);
    fake->kernel("nothing", run_nothing);
    hipModule_t module = NULL;
    if (hipModuleLoadData(&module, ptx) != hipSuccess || hipModuleGetFunction(&append_kernel, module, "append") != hipSuccess ||
        hipModuleGetFunction(&wait_kernel, module, "wait_for") != hipSuccess ||
        hipModuleGetFunction(&nothing_kernel, module, "nothing") != hipSuccess)
        return 1;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(test_launches_do_not_wait, clear),
        cmocka_unit_test_setup(test_copies_do_not_wait, clear),
        cmocka_unit_test_setup(test_null_stream, clear),
        cmocka_unit_test_setup(test_null_stream_waits, clear),
        cmocka_unit_test_setup(test_events, clear),
        cmocka_unit_test_setup(test_event_again, clear),
        cmocka_unit_test_setup(test_host_functions, clear),
        cmocka_unit_test_setup(test_values, clear),
        cmocka_unit_test_setup(test_between_devices, clear),
        cmocka_unit_test_setup(test_apart, clear),
        cmocka_unit_test_setup(test_pool, clear),
        cmocka_unit_test_setup(test_graph, clear),
        cmocka_unit_test_setup(test_threads, clear),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
