/* Streams and events: order, waiting, callbacks, timing, threads, fork. */
#include "../bystander.h"
#include "../itself.h"
#include "api_test.h"

#include <pthread.h>
#include <stdatomic.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static int *flags; /* pinned words that kernels and host functions set */

static int setup(void **state) {
    (void)state;
    ok(hipHostMalloc((void **)&flags, 4096, 0));
    return 0;
}

static int teardown(void **state) {
    (void)state;
    ok(hipHostFree(flags));
    return 0;
}

static int clear(void **state) {
    (void)state;
    memset(flags, 0, 4096);
    return 0;
}

static void set_flag(int index) { __atomic_store_n(&flags[index], 1, __ATOMIC_RELEASE); }

static void launch_wait(hipStream_t stream, int index) {
    int *flag = &flags[index];
    launch("wait_for", stream, 1, 64, &flag);
}

static void launch_set(hipStream_t stream, int index) {
    int *flag = &flags[index], one = 1;
    launch("set", stream, 1, 64, &flag, &one);
}

static int read_flag(int index) { return __atomic_load_n(&flags[index], __ATOMIC_ACQUIRE); }

static void test_handles(void **state) {
    (void)state;
    hipStream_t stream = NULL;
    hipEvent_t event = NULL;
    unsigned flag = 9;
    int priority = 9;
    hipDevice_t device = -1;
    ok(hipStreamCreateWithPriority(&stream, hipStreamNonBlocking, -5));
    ok(hipStreamGetFlags(stream, &flag));
    assert_int_equal(flag, hipStreamNonBlocking);
    ok(hipStreamGetPriority(stream, &priority));
    assert_int_equal(priority, -1);
    ok(hipStreamGetDevice(stream, &device));
    assert_int_equal(device, 0);
    ok(hipStreamQuery(stream));
    ok(hipStreamDestroy(stream));
    fails(hipErrorContextIsDestroyed, hipStreamDestroy(stream));
    fails(hipErrorContextIsDestroyed, hipStreamSynchronize(stream));
    fails(hipErrorInvalidHandle, hipStreamDestroy(NULL));
    fails(hipErrorInvalidValue, hipStreamCreateWithFlags(&stream, 0x80));
    fails(hipErrorInvalidHandle, hipEventRecord(NULL, NULL));
    ok(hipEventCreate(&event));
    ok(hipEventQuery(event));
    ok(hipEventSynchronize(event));
    ok(hipEventDestroy(event));
    fails(hipErrorContextIsDestroyed, hipEventDestroy(event));
    fails(hipErrorInvalidValue, hipEventCreateWithFlags(&event, 0x100));
    ok(hipStreamSynchronize(hipStreamPerThread));
    ok(hipStreamSynchronize(hipStreamLegacy));
}

static void test_runs_without_waiting(void **state) {
    (void)state;
    hipStream_t stream = NULL;
    ok(hipStreamCreate(&stream));
    launch_set(stream, 0);
    for (int i = 0; i < PATIENCE * 1000 && !read_flag(0); i++)
        usleep(1000);
    assert_int_equal(read_flag(0), 1);
    ok(hipStreamDestroy(stream));
}

static void test_query(void **state) {
    (void)state;
    hipStream_t stream = NULL;
    hipEvent_t event = NULL;
    ok(hipStreamCreateWithFlags(&stream, hipStreamNonBlocking));
    ok(hipEventCreate(&event));
    launch_wait(stream, 0);
    ok(hipEventRecord(event, stream));
    hipGetLastError();
    fails(hipErrorNotReady, hipStreamQuery(stream));
    fails(hipErrorNotReady, hipEventQuery(event));
    assert_int_equal(hipGetLastError(), hipSuccess);
    set_flag(0);
    ok(hipEventSynchronize(event));
    ok(hipEventQuery(event));
    ok(hipStreamSynchronize(stream));
    ok(hipStreamQuery(stream));
    ok(hipEventDestroy(event));
    ok(hipStreamDestroy(stream));
}

/* A blocking stream waits for the null stream and the other way round; a non-blocking one does not. */
static void test_legacy_order(void **state) {
    (void)state;
    struct bystander bystander = bystander_new();
    hipStream_t blocking = NULL, free_running = NULL;
    ok(hipStreamCreate(&blocking));
    ok(hipStreamCreateWithFlags(&free_running, hipStreamNonBlocking));
    launch_wait(blocking, 0);
    launch_set(NULL, 1);
    launch_set(blocking, 2);
    launch_set(free_running, 3);
    ok(hipStreamSynchronize(free_running));
    assert_int_equal(read_flag(3), 1);
    bystander_runs(&bystander);
    assert_int_equal(read_flag(1), 0);
    assert_int_equal(read_flag(2), 0);
    fails(hipErrorNotReady, hipStreamQuery(NULL));
    set_flag(0);
    ok(hipStreamSynchronize(NULL));
    assert_int_equal(read_flag(1), 1);
    ok(hipDeviceSynchronize());
    assert_int_equal(read_flag(2), 1);
    ok(hipStreamDestroy(blocking));
    ok(hipStreamDestroy(free_running));
    bystander_end(&bystander);
}

static void test_wait_event(void **state) {
    (void)state;
    struct bystander bystander = bystander_new();
    hipStream_t first = NULL, second = NULL;
    hipEvent_t event = NULL;
    ok(hipStreamCreateWithFlags(&first, hipStreamNonBlocking));
    ok(hipStreamCreateWithFlags(&second, hipStreamNonBlocking));
    ok(hipEventCreateWithFlags(&event, hipEventDisableTiming));
    launch_wait(first, 0);
    ok(hipEventRecord(event, first));
    ok(hipStreamWaitEvent(second, event, 0));
    ok(hipEventDestroy(event)); /* the wait keeps what it needs */
    launch_set(second, 1);
    bystander_runs(&bystander);
    assert_int_equal(read_flag(1), 0);
    set_flag(0);
    ok(hipStreamSynchronize(second));
    assert_int_equal(read_flag(1), 1);
    ok(hipStreamDestroy(first));
    ok(hipStreamDestroy(second));
    bystander_end(&bystander);
}

/* Many streams, each waiting for the one before: nobody may need a thread of its own to wait. */
static void test_long_chain(void **state) {
    (void)state;
    enum { COUNT = 300 };
    hipStream_t streams[COUNT];
    hipEvent_t events[COUNT];
    for (int i = 0; i < COUNT; i++) { /* before anything runs: a GPU's driver may wait for kernels to make a stream */
        ok(hipStreamCreateWithFlags(&streams[i], hipStreamNonBlocking));
        ok(hipEventCreateWithFlags(&events[i], hipEventDisableTiming));
    }
    for (int i = 0; i < COUNT; i++) {
        if (i)
            ok(hipStreamWaitEvent(streams[i], events[i - 1], 0));
        else
            launch_wait(streams[0], 0);
        launch_set(streams[i], 1 + i);
        ok(hipEventRecord(events[i], streams[i]));
    }
    assert_int_equal(read_flag(COUNT), 0);
    set_flag(0);
    ok(hipStreamSynchronize(streams[COUNT - 1]));
    for (int i = 0; i < COUNT; i++) {
        assert_int_equal(read_flag(1 + i), 1);
        ok(hipEventDestroy(events[i]));
        ok(hipStreamDestroy(streams[i]));
    }
}

static double milliseconds(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec * 1e3 + (double)time.tv_nsec * 1e-6;
}

static void test_elapsed(void **state) {
    (void)state;
    hipEvent_t start = NULL, stop = NULL, untimed = NULL;
    float ms = 0;
    ok(hipEventCreate(&start));
    ok(hipEventCreate(&stop));
    ok(hipEventCreateWithFlags(&untimed, hipEventDisableTiming));
    fails(hipErrorInvalidHandle, hipEventElapsedTime(&ms, start, stop));
    double begin = milliseconds();
    ok(hipEventRecord(start, NULL));
    ok(hipEventSynchronize(start));
    usleep(20000);
    ok(hipEventRecord(stop, NULL));
    ok(hipEventRecord(untimed, NULL));
    ok(hipEventSynchronize(stop));
    ok(hipEventElapsedTime(&ms, start, stop));
    assert_true(ms >= 19.0f && ms < milliseconds() - begin + 1);
    ok(hipEventElapsedTime(&ms, stop, start));
    assert_true(ms < 0);
    fails(hipErrorInvalidHandle, hipEventElapsedTime(&ms, start, untimed));
    ok(hipEventDestroy(start));
    ok(hipEventDestroy(stop));
    ok(hipEventDestroy(untimed));
}

struct seen {
    hipStream_t stream;
    hipError_t status;
    int order, calls;
};

static void callback(hipStream_t stream, hipError_t status, void *data) {
    struct seen *seen = data;
    seen->stream = stream;
    seen->status = status;
    seen->order = read_flag(0);
    seen->calls++;
}

static void host_function(void *data) { (*(int *)data)++; }

static void test_callbacks(void **state) {
    (void)state;
    hipStream_t stream = NULL;
    struct seen seen = {.status = hipErrorUnknown};
    int calls = 0;
    ok(hipStreamCreate(&stream));
    launch_set(stream, 0);
    ok(hipStreamAddCallback(stream, callback, &seen, 0));
    ok(hipLaunchHostFunc(stream, host_function, &calls));
    ok(hipStreamSynchronize(stream));
    assert_ptr_equal(seen.stream, stream);
    assert_int_equal(seen.status, hipSuccess);
    assert_int_equal(seen.order, 1);
    assert_int_equal(seen.calls, 1);
    assert_int_equal(calls, 1);
    fails(hipErrorInvalidValue, hipStreamAddCallback(stream, NULL, NULL, 0));
    ok(hipStreamDestroy(stream));
}

static void test_destroy_busy(void **state) {
    (void)state;
    hipStream_t stream = NULL;
    ok(hipStreamCreate(&stream));
    launch_wait(stream, 0);
    launch_set(stream, 1);
    ok(hipStreamDestroy(stream));
    assert_int_equal(read_flag(1), 0);
    set_flag(0);
    ok(hipDeviceSynchronize());
    assert_int_equal(read_flag(1), 1);
}

/* One kernel waits for what another stream's kernel writes: both must run at once. */
static void test_concurrent(void **state) {
    (void)state;
    hipStream_t first = NULL, second = NULL;
    ok(hipStreamCreateWithFlags(&first, hipStreamNonBlocking));
    ok(hipStreamCreateWithFlags(&second, hipStreamNonBlocking));
    struct bystander bystander = bystander_new();
    launch_wait(first, 0);
    bystander_runs(&bystander); /* the first kernel has begun, or could have */
    launch_set(second, 0);
    ok(hipStreamSynchronize(first));
    ok(hipStreamSynchronize(second));
    bystander_end(&bystander);
    ok(hipStreamDestroy(first));
    ok(hipStreamDestroy(second));
}

enum { THREADS = 8, ROUNDS = 400 };

static void *hammer(void *argument) {
    int *values = argument, one = 1, count = 64;
    hipStream_t stream = NULL;
    if (hipStreamCreate(&stream) != hipSuccess)
        return (void *)1;
    for (int i = 0; i < ROUNDS; i++) {
        hipStream_t target = i % 3 == 0 ? hipStreamPerThread : stream;
        if (try_launch("add", target, 1, 64, (void *[]){&values, &one, &count}) != hipSuccess)
            return (void *)2;
        if (hipStreamSynchronize(target) != hipSuccess)
            return (void *)3;
        if (values[0] != i + 1 || values[63] != i + 1)
            return (void *)4;
        if (i % 50 == 0 && hipDeviceSynchronize() != hipSuccess)
            return (void *)5;
    }
    return (void *)(intptr_t)(hipStreamDestroy(stream) == hipSuccess ? 0 : 6);
}

static void test_threads(void **state) {
    (void)state;
    pthread_t threads[THREADS];
    int *values = NULL;
    test_kernel("add");
    ok(hipHostMalloc((void **)&values, THREADS * 256, 0));
    ok(hipMemset(values, 0, THREADS * 256));
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, hammer, values + i * 64), 0);
    for (int i = 0; i < THREADS; i++) {
        void *result = NULL;
        pthread_join(threads[i], &result);
        assert_int_equal((intptr_t)result, 0);
    }
    ok(hipHostFree(values));
}

static void test_fork(void **state) {
    (void)state;
    hipStream_t stream = NULL;
    ok(hipStreamCreate(&stream));
    launch_wait(stream, 0); /* runs in the parent while it forks */
    pid_t child = fork();
    if (child == 0)
        exit(0); /* the handlers of exit() must not wait for the parent's work */
    int status = -1;
    for (int i = 0; i < PATIENCE * 100 && waitpid(child, &status, WNOHANG) == 0; i++)
        usleep(10000);
    assert_int_equal(status, 0);
    set_flag(0);
    ok(hipStreamSynchronize(stream));
    ok(hipStreamDestroy(stream));
}

static void test_pending_at_exit(void **state) {
    (void)state;
    int pipe_ends[2];
    assert_int_equal(pipe(pipe_ends), 0);
    pid_t child = fork();
    if (child == 0) {
        char name[16];
        snprintf(name, sizeof name, "%d", pipe_ends[1]);
        become_itself("pending", name, NULL);
        _exit(9);
    }
    close(pipe_ends[1]);
    int status = -1;
    char text[4] = "";
    assert_int_equal(read(pipe_ends[0], text, 3), 3);
    waitpid(child, &status, 0);
    assert_int_equal(status, 0);
    assert_string_equal(text, "ran");
    close(pipe_ends[0]);
}

static void say_ran(void *argument) {
    usleep(50000);
    if (write(*(int *)argument, "ran", 3) != 3)
        abort();
}

static int leave_work_pending(int pipe_end) {
    static int end;
    hipStream_t stream = NULL;
    end = pipe_end;
    return hipStreamCreate(&stream) != hipSuccess || hipLaunchHostFunc(stream, say_ran, &end) != hipSuccess;
}

int main(int count, char **arguments) {
    if (count == 3 && strcmp(arguments[1], "pending") == 0)
        return leave_work_pending(atoi(arguments[2]));
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(test_handles, clear),
        cmocka_unit_test_setup(test_runs_without_waiting, clear),
        cmocka_unit_test_setup(test_query, clear),
        cmocka_unit_test_setup(test_legacy_order, clear),
        cmocka_unit_test_setup(test_wait_event, clear),
        cmocka_unit_test_setup(test_long_chain, clear),
        cmocka_unit_test_setup(test_pending_at_exit, clear),
        cmocka_unit_test_setup(test_elapsed, clear),
        cmocka_unit_test_setup(test_callbacks, clear),
        cmocka_unit_test_setup(test_destroy_busy, clear),
        cmocka_unit_test_setup(test_concurrent, clear),
        cmocka_unit_test_setup(test_threads, clear),
        cmocka_unit_test_setup(test_fork, clear),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
