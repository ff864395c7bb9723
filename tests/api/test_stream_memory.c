/* Stream memory operations: every condition with masks, both widths, batches, order, waits that hold no thread. */
#include "../bystander.h"
#include "../itself.h"
#include "api_test.h"

#include <dirent.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static uint64_t *words; /* pinned */

static int setup(void **state) {
    (void)state;
    ok(hipHostMalloc((void **)&words, 4096, 0));
    return 0;
}

static int teardown(void **state) {
    (void)state;
    ok(hipHostFree(words));
    return 0;
}

static void put(int index, uint64_t value) { __atomic_store_n(&words[index], value, __ATOMIC_SEQ_CST); }
static uint64_t get(int index) { return __atomic_load_n(&words[index], __ATOMIC_SEQ_CST); }

static hipStream_t new_stream(void) {
    hipStream_t stream = NULL;
    ok(hipStreamCreateWithFlags(&stream, hipStreamNonBlocking));
    return stream;
}

static double seconds(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static bool finishes(hipStream_t stream) {
    for (double start = seconds(); seconds() - start < PATIENCE; usleep(200))
        if (hipStreamQuery(stream) == hipSuccess)
            return true;
    return false;
}

/* The sentence of the reference for each condition, in other words than the implementation's. */
static bool expected(unsigned condition, unsigned bits, uint64_t memory, uint64_t value, uint64_t mask) {
    for (int bit = 63; bit >= 0; bit--) {
        if (bit >= (int)bits)
            continue;
        int m = (int)(memory >> bit & mask >> bit & 1), v = (int)(value >> bit & 1), k = (int)(mask >> bit & 1);
        switch (condition) {
        case hipStreamWaitValueGte: /* the first bit that differs decides */
            if (m != v)
                return m > v;
            break;
        case hipStreamWaitValueEq:
            if (m != v)
                return false;
            break;
        case hipStreamWaitValueAnd:
            if (m && v)
                return true;
            break;
        default: /* a bit that is clear on both sides, under the mask */
            if (!m && !(v && k))
                return true;
            break;
        }
    }
    return condition == hipStreamWaitValueGte || condition == hipStreamWaitValueEq;
}

static void test_conditions(void **state) {
    (void)state;
    struct bystander bystander = bystander_new();
    static const uint64_t samples[] = {
        0, 1, 2, 0x80000000u, 0xffffffffu, 0xff00ff00u, 0x100000000u, UINT64_MAX, 0x8000000000000000u, 0xff00ff00ff00ff00u};
    enum { COUNT = sizeof samples / sizeof *samples };
    unsigned held = 0, waited = 0;
    for (unsigned bits = 32; bits <= 64; bits += 32)
        for (unsigned condition = 0; condition < 4; condition++)
            for (int m = 0; m < COUNT; m++)
                for (int v = 0; v < COUNT; v++) {
                    uint64_t mask = samples[(m * 3 + v) % COUNT], then = 0;
                    bool now = expected(condition, bits, samples[m], samples[v], mask), later = false;
                    for (int other = 0; other < COUNT && !later; other++)
                        later = expected(condition, bits, then = samples[other], samples[v], mask);
                    if (!now && (!later || (m + v + (int)condition) % 7))
                        continue; /* would wait for ever; or waiting takes time: a sample of those */
                    hipStream_t stream = new_stream();
                    put(0, samples[m]);
                    put(1, 0);
                    if (bits == 32)
                        ok(hipStreamWaitValue32(stream, &words[0], (uint32_t)samples[v], condition, (uint32_t)mask));
                    else
                        ok(hipStreamWaitValue64(stream, &words[0], samples[v], condition, mask));
                    ok(hipStreamWriteValue32(stream, &words[1], 7, 0));
                    if (now) {
                        ok(hipStreamSynchronize(stream));
                        held++;
                    } else {
                        bystander_runs(&bystander);
                        fails(hipErrorNotReady, hipStreamQuery(stream));
                        assert_int_equal(get(1), 0);
                        put(0, then);
                        assert_true(finishes(stream));
                        waited++;
                    }
                    assert_int_equal(get(1), 7);
                    ok(hipStreamDestroy(stream));
                }
    assert_true(held > 100 && waited > 10);
    bystander_end(&bystander);
}

static void test_write_widths(void **state) {
    (void)state;
    hipStream_t stream = new_stream();
    put(0, UINT64_MAX);
    put(1, UINT64_MAX);
    ok(hipStreamWriteValue32(stream, &words[0], 0x12345678, 0));
    ok(hipStreamWriteValue64(stream, &words[1], 0x123456789abcdef0u, 0));
    ok(hipStreamSynchronize(stream));
    assert_true(get(0) == 0xffffffff12345678u);
    assert_true(get(1) == 0x123456789abcdef0u);
    ok(hipStreamDestroy(stream));
}

static void test_signal_memory(void **state) {
    (void)state;
    struct bystander bystander = bystander_new();
    uint64_t *signal = NULL;
    hipStream_t first = new_stream(), second = new_stream();
    int supported = 0;
    ok(hipDeviceGetAttribute(&supported, hipDeviceAttributeCanUseStreamWaitValue, 0));
    assert_int_equal(supported, 1);
    ok(hipExtMallocWithFlags((void **)&signal, 8, hipMallocSignalMemory));
    fails(hipErrorInvalidValue, hipExtMallocWithFlags((void **)&signal, 16, hipMallocSignalMemory));
    *signal = 0; /* the host's, too */
    put(0, 0);
    ok(hipStreamWaitValue64(first, signal, 5, hipStreamWaitValueGte, UINT64_MAX));
    ok(hipStreamWriteValue64(first, &words[0], 1, 0));
    ok(hipStreamWriteValue64(second, signal, 4, 0));
    ok(hipStreamSynchronize(second));
    bystander_runs(&bystander);
    assert_int_equal(get(0), 0);
    ok(hipStreamWriteValue64(second, signal, 6, 0)); /* the device's own write */
    ok(hipStreamSynchronize(first));
    assert_int_equal(get(0), 1);
    ok(hipStreamDestroy(first));
    ok(hipStreamDestroy(second));
    ok(hipFree(signal));
    bystander_end(&bystander);
}

static void test_errors(void **state) {
    (void)state;
    hipStream_t stream = new_stream();
    int local = 0;
    fails(hipErrorInvalidValue, hipStreamWaitValue32(stream, NULL, 0, hipStreamWaitValueEq, 0));
    fails(hipErrorInvalidValue, hipStreamWaitValue64(stream, NULL, 0, hipStreamWaitValueEq, 0));
    fails(hipErrorInvalidValue, hipStreamWaitValue32(stream, words, 0, 4, 0));
    fails(hipErrorInvalidValue, hipStreamWaitValue64(stream, words, 0, 0x100, 0));
    fails(hipErrorInvalidValue, hipStreamWaitValue32(stream, (char *)words + 2, 0, hipStreamWaitValueEq, 0));
    fails(hipErrorInvalidValue, hipStreamWaitValue64(stream, (char *)words + 4, 0, hipStreamWaitValueEq, 0));
    fails(hipErrorInvalidValue, hipStreamWaitValue32(stream, &local, 0, hipStreamWaitValueEq, 0));
    fails(hipErrorInvalidValue, hipStreamWriteValue32(stream, NULL, 0, 0));
    fails(hipErrorInvalidValue, hipStreamWriteValue64(stream, &local, 0, 0));
    ok(hipStreamWriteValue32(stream, words, 0, 77)); /* the flags are ignored */
    ok(hipStreamWriteValue32(NULL, words, 0, 0));
    ok(hipStreamDestroy(stream));
    fails(hipErrorContextIsDestroyed, hipStreamWaitValue32(stream, words, 0, hipStreamWaitValueEq, 0));
    fails(hipErrorContextIsDestroyed, hipStreamWriteValue64(stream, words, 0, 0));
}

static void test_batch(void **state) {
    (void)state;
    struct bystander bystander = bystander_new();
    hipStream_t stream = new_stream();
    hipStreamBatchMemOpParams operations[6];
    memset(operations, 0, sizeof operations);
    put(0, 0);
    put(1, 0);
    put(2, 0);
    operations[0].writeValue.operation = hipStreamMemOpWriteValue32;
    operations[0].writeValue.address = &words[1];
    operations[0].writeValue.value = 1;
    operations[1].memoryBarrier.operation = hipStreamMemOpBarrier;
    operations[2].waitValue.operation = hipStreamMemOpWaitValue64;
    operations[2].waitValue.address = &words[0];
    operations[2].waitValue.value64 = UINT64_C(1) << 40;
    operations[2].waitValue.flags = hipStreamWaitValueEq;
    operations[3].waitValue.operation = hipStreamMemOpWaitValue32;
    operations[3].waitValue.address = &words[1];
    operations[3].waitValue.value = 1;
    operations[4].writeValue.operation = hipStreamMemOpWriteValue64;
    operations[4].writeValue.address = &words[2];
    operations[4].writeValue.value64 = UINT64_C(9) << 33;
    operations[5].flushRemoteWrites.operation = hipStreamMemOpFlushRemoteWrites;
    ok(hipStreamBatchMemOp(stream, 6, operations, 0));
    for (double start = seconds(); get(1) == 0 && seconds() - start < PATIENCE;)
        usleep(200);
    assert_int_equal(get(1), 1); /* what stands before the wait is done without anybody waiting for it */
    bystander_runs(&bystander);
    assert_int_equal(get(2), 0);
    put(0, UINT64_C(1) << 40);
    ok(hipStreamSynchronize(stream));
    assert_true(get(2) == UINT64_C(9) << 33);
    fails(hipErrorInvalidValue, hipStreamBatchMemOp(stream, 0, operations, 0));
    fails(hipErrorInvalidValue, hipStreamBatchMemOp(stream, 1, NULL, 0));
    fails(hipErrorInvalidValue, hipStreamBatchMemOp(stream, 257, operations, 0));
    fails(hipErrorInvalidValue, hipStreamBatchMemOp(stream, 1, operations, 1));
    operations[0].operation = (hipStreamBatchMemOpType)99;
    fails(hipErrorInvalidValue, hipStreamBatchMemOp(stream, 1, operations, 0));
    ok(hipStreamDestroy(stream));
    bystander_end(&bystander);
}

static int thread_count(void) {
    int count = 0;
    DIR *tasks = opendir("/proc/self/task");
    assert_non_null(tasks);
    while (readdir(tasks))
        count++;
    closedir(tasks);
    return count;
}

/* Whether all threads of the process but the calling one sleep at this moment. */
static bool all_others_sleep(void) {
    DIR *tasks = opendir("/proc/self/task");
    bool sleep = true;
    assert_non_null(tasks);
    for (const struct dirent *task; (task = readdir(tasks));) {
        char path[300], line[512] = "";
        snprintf(path, sizeof path, "/proc/self/task/%s/stat", task->d_name);
        FILE *file = atoi(task->d_name) > 0 && atoi(task->d_name) != gettid() ? fopen(path, "r") : NULL;
        if (!file)
            continue;
        const char *name_end = fgets(line, sizeof line, file) ? strrchr(line, ')') : NULL;
        sleep &= !name_end || name_end[2] == 'S';
        fclose(file);
    }
    closedir(tasks);
    return sleep;
}

/* Two hundred streams wait: no thread each, no CPU time, and other work goes on. */
static void test_many_waits(void **state) {
    (void)state;
    enum { COUNT = 200 };
    static hipStream_t streams[COUNT];
    struct bystander bystander = bystander_new();
    hipStream_t busy = new_stream();
    put(0, 0);
    put(2, 0);
    ok(hipStreamWriteValue64(busy, &words[1], 0, 0));
    ok(hipStreamSynchronize(busy));
    int before = thread_count(); /* as many as the machine has processors, and a few */
    for (int i = 0; i < COUNT; i++) {
        streams[i] = new_stream();
        ok(hipStreamWaitValue64(streams[i], &words[0], (uint64_t)i + 1, hipStreamWaitValueGte, UINT64_MAX));
    }
    bystander_runs(&bystander);
    assert_true(thread_count() < before + COUNT / 4);
    const double start = seconds();
    while (!all_others_sleep()) /* a spinning thread never would */
        assert_true(seconds() - start < PATIENCE);
    for (int i = 0; i < 1000; i++)
        ok(hipStreamWriteValue64(busy, &words[2], (uint64_t)i, 0));
    ok(hipStreamSynchronize(busy));
    assert_int_equal(get(2), 999);
    put(0, 100);
    for (int i = 0; i < COUNT; i++)
        if (i < 100)
            ok(hipStreamSynchronize(streams[i]));
        else
            fails(hipErrorNotReady, hipStreamQuery(streams[i]));
    ok(hipStreamWriteValue64(busy, &words[0], COUNT, 0));
    for (int i = 0; i < COUNT; i++) {
        ok(hipStreamSynchronize(streams[i]));
        ok(hipStreamDestroy(streams[i]));
    }
    bystander_end(&bystander);
    ok(hipStreamDestroy(busy));
}

/* Streams that wait for a waiting stream, by event and by the null stream, and a host thread in hipStreamSynchronize. */
static void test_chain(void **state) {
    (void)state;
    struct bystander bystander = bystander_new();
    hipStream_t first = NULL, second = new_stream();
    hipEvent_t event = NULL;
    ok(hipStreamCreate(&first)); /* a blocking one */
    ok(hipEventCreateWithFlags(&event, hipEventDisableTiming));
    put(0, 0);
    put(1, 0);
    put(2, 0);
    ok(hipStreamWaitValue32(first, &words[0], 1, hipStreamWaitValueEq, UINT32_MAX));
    ok(hipEventRecord(event, first));
    ok(hipStreamWaitEvent(second, event, 0));
    ok(hipStreamWriteValue32(second, &words[1], 1, 0));
    ok(hipStreamWriteValue32(NULL, &words[2], 1, 0));
    bystander_runs(&bystander);
    assert_int_equal(get(1), 0);
    assert_int_equal(get(2), 0);
    fails(hipErrorNotReady, hipEventQuery(event));
    put(0, 1);
    ok(hipDeviceSynchronize());
    assert_int_equal(get(1), 1);
    assert_int_equal(get(2), 1);
    ok(hipEventDestroy(event));
    ok(hipStreamDestroy(first));
    ok(hipStreamDestroy(second));
    bystander_end(&bystander);
}

/* Nobody will ever make the condition true: the process must end all the same, without doing what comes after. */
static int leave_waiting(void) {
    hipStream_t first = NULL, second = NULL;
    hipEvent_t event = NULL;
    if (hipHostMalloc((void **)&words, 4096, 0) || hipStreamCreate(&first) || hipStreamCreate(&second) || hipEventCreate(&event))
        return 1;
    put(0, 0);
    return hipStreamWaitValue32(first, &words[0], 1, hipStreamWaitValueEq, UINT32_MAX) || hipEventRecord(event, first) ||
           hipStreamWaitEvent(second, event, 0) || hipStreamWriteValue32(second, &words[1], 1, 0) ||
           hipStreamWriteValue32(NULL, &words[1], 1, 0);
}

static void test_exit(void **state) {
    (void)state;
    pid_t child = fork();
    if (child == 0) {
        become_itself("waiting", NULL, NULL);
        _exit(9);
    }
    int status = -1;
    pid_t ended = 0;
    for (int i = 0; i < PATIENCE * 100 && !(ended = waitpid(child, &status, WNOHANG)); i++)
        usleep(10000);
    if (!ended)
        kill(child, SIGKILL);
    assert_int_equal(ended, child);
    assert_int_equal(status, 0);
}

int main(int count, char **arguments) {
    (void)arguments;
    if (count > 1)
        return leave_waiting();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_conditions), cmocka_unit_test(test_write_widths), cmocka_unit_test(test_signal_memory),
        cmocka_unit_test(test_errors),     cmocka_unit_test(test_batch),        cmocka_unit_test(test_many_waits),
        cmocka_unit_test(test_chain),      cmocka_unit_test(test_exit),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
