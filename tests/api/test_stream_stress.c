/* All kinds of objects at once: many threads, random interleavings from seeds, shared streams, events, pools and executables.
 *
 *     test_stream_stress [seed [threads [operations]]]
 *
 * What is checked: every call's result, memory that threads have to themselves, counters that host functions and kernels raise,
 * and at the end that everything has run once. */
#include "api_test.h"

#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { SHARED = 8, MAX_THREADS = 128, KEPT = 8 };

static struct {
    unsigned seed, threads, operations;
    hipStream_t streams[SHARED];
    hipEvent_t events[SHARED];
    hipMemPool_t pool;
    hipGraphExec_t exec;
    hipFunction_t add;
    int *launched; /* raised by the shared executable */
    uint64_t *words;
    unsigned expected; /* launches of it */
    int calls, expected_calls;
} all = {.threads = 64, .operations = 150};

struct worker {
    unsigned seed, index;
    hipStream_t stream, blocking;
    hipEvent_t event;
    int *counter; /* one pinned word, raised by kernels of this thread's stream */
    int expected;
    unsigned char *kept[KEPT];
    size_t sizes[KEPT];
    const char *failure;
    int line;
    hipError_t error;
};

#define TRY(call)                                                                                                                          \
    do {                                                                                                                                   \
        hipError_t error_ = (call);                                                                                                        \
        if (error_ != hipSuccess) {                                                                                                        \
            w->failure = #call;                                                                                                            \
            w->line = __LINE__;                                                                                                            \
            w->error = error_;                                                                                                             \
            return false;                                                                                                                  \
        }                                                                                                                                  \
    } while (0)
#define HOLDS(condition) TRY((condition) ? hipSuccess : hipErrorUnknown)

static unsigned pick(struct worker *w, unsigned count) { return (unsigned)rand_r(&w->seed) % count; }

static void count_call(void *argument) { __atomic_fetch_add((int *)argument, 1, __ATOMIC_SEQ_CST); }

static hipStream_t any_stream(struct worker *w) {
    unsigned choice = pick(w, SHARED + 3);
    return choice < SHARED ? all.streams[choice] : choice == SHARED ? w->stream : choice == SHARED + 1 ? w->blocking : hipStreamPerThread;
}

static hipError_t add(int *values, int value, hipStream_t stream) {
    int count = 1;
    void *arguments[] = {&values, &value, &count};
    return hipModuleLaunchKernel(all.add, 1, 1, 1, 64, 1, 1, 0, stream, arguments, NULL);
}

/* ---- operations ------------------------------------------------------------------------------- */

static bool launch_own(struct worker *w) {
    TRY(add(w->counter, 1, w->stream));
    w->expected++;
    if (pick(w, 4) == 0) {
        TRY(hipStreamSynchronize(w->stream));
        HOLDS(__atomic_load_n(w->counter, __ATOMIC_SEQ_CST) == w->expected);
    }
    return true;
}

static bool allocate(struct worker *w) {
    unsigned slot = pick(w, KEPT);
    if (w->kept[slot]) { /* the pattern was written in this thread's stream */
        unsigned char ends[2] = {0, 0};
        TRY(hipMemcpyAsync(&ends[0], w->kept[slot], 1, hipMemcpyDeviceToHost, w->stream));
        TRY(hipMemcpyAsync(&ends[1], w->kept[slot] + w->sizes[slot] - 1, 1, hipMemcpyDeviceToHost, w->stream));
        TRY(hipStreamSynchronize(w->stream));
        HOLDS(ends[0] == (unsigned char)w->index && ends[1] == (unsigned char)w->index);
        if (pick(w, 8) == 0)
            TRY(hipFree(w->kept[slot]));
        else
            TRY(hipFreeAsync(w->kept[slot], w->stream));
        w->kept[slot] = NULL;
        return true;
    }
    w->sizes[slot] = 1 + pick(w, pick(w, 4) ? 20000 : 3000000);
    void *memory = NULL;
    if (pick(w, 2))
        TRY(hipMallocFromPoolAsync(&memory, w->sizes[slot], all.pool, w->stream));
    else
        TRY(hipMallocAsync(&memory, w->sizes[slot], w->stream));
    w->kept[slot] = memory;
    TRY(hipMemsetAsync(memory, (int)w->index, w->sizes[slot], w->stream));
    return true;
}

static bool events(struct worker *w) {
    hipEvent_t event = pick(w, 2) ? w->event : all.events[pick(w, SHARED)];
    TRY(hipEventRecord(event, any_stream(w)));
    TRY(hipStreamWaitEvent(any_stream(w), event, 0));
    if (pick(w, 3) == 0)
        TRY(hipEventSynchronize(event));
    hipError_t error = hipEventQuery(event);
    HOLDS(error == hipSuccess || error == hipErrorNotReady);
    return true;
}

static bool host_function(struct worker *w) {
    TRY(hipLaunchHostFunc(any_stream(w), count_call, &all.calls));
    __atomic_fetch_add(&all.expected_calls, 1, __ATOMIC_SEQ_CST);
    return true;
}

static bool values(struct worker *w) {
    uint64_t *word = &all.words[8 + w->index];
    TRY(hipStreamWriteValue64(w->stream, word, 1, 0));
    TRY(hipStreamWaitValue64(w->blocking, word, 1, hipStreamWaitValueGte, UINT64_MAX));
    TRY(hipStreamSynchronize(w->blocking));
    HOLDS(__atomic_load_n(word, __ATOMIC_SEQ_CST) == 1);
    TRY(hipStreamSynchronize(w->stream));
    __atomic_store_n(word, 0, __ATOMIC_SEQ_CST);
    return true;
}

static bool short_lived(struct worker *w) {
    hipStream_t stream = NULL;
    hipEvent_t event = NULL;
    TRY(hipStreamCreateWithPriority(&stream, pick(w, 2), (int)pick(w, 3) - 1));
    TRY(hipEventCreate(&event));
    TRY(hipLaunchHostFunc(stream, count_call, &all.calls));
    __atomic_fetch_add(&all.expected_calls, 1, __ATOMIC_SEQ_CST);
    TRY(hipEventRecord(event, stream));
    if (pick(w, 2))
        TRY(hipStreamWaitEvent(any_stream(w), event, 0));
    TRY(hipStreamDestroy(stream));
    TRY(hipEventDestroy(event));
    return true;
}

/* Written by calls that are errors while any thread captures in any mode, read by captures. */
static pthread_rwlock_t capturing = PTHREAD_RWLOCK_INITIALIZER;

static hipError_t record_graph(struct worker *w, hipStream_t stream, hipGraph_t *graph) {
    hipError_t error = hipStreamBeginCapture(stream, hipStreamCaptureModeRelaxed);
    if (error == hipSuccess)
        error = add(w->counter, 3, stream);
    if (error == hipSuccess)
        error = hipLaunchHostFunc(stream, count_call, &all.calls);
    if (error == hipSuccess)
        error = add(w->counter, 4, stream);
    return error == hipSuccess ? hipStreamEndCapture(stream, graph) : error;
}

/* Captures in relaxed mode, so that most calls of other threads are no errors, and runs the result. */
static bool capture(struct worker *w) {
    hipStream_t stream = NULL;
    hipGraph_t graph = NULL;
    hipGraphExec_t exec = NULL;
    TRY(hipStreamCreateWithFlags(&stream, hipStreamNonBlocking));
    pthread_rwlock_rdlock(&capturing);
    hipError_t recorded = record_graph(w, stream, &graph);
    pthread_rwlock_unlock(&capturing);
    TRY(recorded);
    TRY(hipGraphInstantiate(&exec, graph, NULL, NULL, 0));
    TRY(hipGraphDestroy(graph));
    TRY(hipGraphLaunch(exec, w->stream));
    w->expected += 7;
    __atomic_fetch_add(&all.expected_calls, 1, __ATOMIC_SEQ_CST);
    TRY(hipGraphExecDestroy(exec));
    TRY(hipStreamDestroy(stream));
    return true;
}

static bool launch_shared(struct worker *w) {
    TRY(hipGraphLaunch(all.exec, any_stream(w)));
    __atomic_fetch_add(&all.expected, 1, __ATOMIC_SEQ_CST);
    return true;
}

static bool synchronize(struct worker *w) {
    hipError_t error = hipSuccess;
    switch (pick(w, 12)) {
    case 0:
        pthread_rwlock_wrlock(&capturing);
        error = hipDeviceSynchronize();
        pthread_rwlock_unlock(&capturing);
        break;
    case 1:
        TRY(hipStreamSynchronize(NULL));
        break;
    case 2:
        TRY(hipMemPoolTrimTo(all.pool, pick(w, 2) ? 0 : 1 << 20));
        break;
    case 3:
        pthread_rwlock_wrlock(&capturing);
        error = hipMemset(w->counter + 1, 0, 4);
        pthread_rwlock_unlock(&capturing);
        break;
    default:
        TRY(hipStreamSynchronize(any_stream(w)));
        break;
    }
    TRY(error);
    return true;
}

static bool work(struct worker *w) {
    static bool (*const operations[])(struct worker *) = {launch_own, launch_own,  allocate, allocate,      events,     host_function,
                                                          values,     short_lived, capture,  launch_shared, synchronize};
    TRY(hipStreamCreateWithFlags(&w->stream, hipStreamNonBlocking));
    TRY(hipStreamCreate(&w->blocking));
    TRY(hipEventCreate(&w->event));
    for (unsigned i = 0; i < all.operations; i++)
        if (!operations[pick(w, sizeof operations / sizeof *operations)](w))
            return false;
    for (int i = 0; i < KEPT; i++)
        if (w->kept[i])
            TRY(hipFreeAsync(w->kept[i], w->stream));
    TRY(hipStreamSynchronize(w->stream));
    HOLDS(__atomic_load_n(w->counter, __ATOMIC_SEQ_CST) == w->expected);
    TRY(hipStreamDestroy(w->stream));
    TRY(hipStreamDestroy(w->blocking));
    TRY(hipEventDestroy(w->event));
    return true;
}

static void *thread_main(void *argument) { return work(argument) ? NULL : argument; }

/* ---- the test ---------------------------------------------------------------------------------- */

static void prepare(void) {
    hipMemPoolProps props;
    hipGraph_t graph = NULL;
    memset(&props, 0, sizeof props);
    props.allocType = hipMemAllocationTypePinned;
    props.location.type = hipMemLocationTypeDevice;
    all.add = test_kernel("add");
    ok(hipHostMalloc((void **)&all.words, 65536, 0));
    memset(all.words, 0, 65536);
    all.launched = (int *)all.words + 1;
    ok(hipMemPoolCreate(&all.pool, &props));
    for (int i = 0; i < SHARED; i++) {
        ok(hipStreamCreateWithFlags(&all.streams[i], i & 1));
        ok(hipEventCreateWithFlags(&all.events[i], hipEventDisableTiming));
    }
    ok(hipStreamBeginCapture(all.streams[1], hipStreamCaptureModeGlobal));
    ok(add(all.launched, 1, all.streams[1]));
    ok(hipStreamEndCapture(all.streams[1], &graph));
    ok(hipGraphInstantiate(&all.exec, graph, NULL, NULL, 0));
    ok(hipGraphDestroy(graph));
}

static void test_everything(void **state) {
    (void)state;
    static struct worker workers[MAX_THREADS];
    pthread_t threads[MAX_THREADS];
    uint64_t used = 1;
    print_message("seed %u, %u threads, %u operations each\n", all.seed, all.threads, all.operations);
    prepare();
    for (unsigned i = 0; i < all.threads; i++) {
        workers[i] = (struct worker){.seed = all.seed * 1000 + i, .index = i + 1, .counter = (int *)&all.words[1024 + i * 8]};
        assert_int_equal(pthread_create(&threads[i], NULL, thread_main, &workers[i]), 0);
    }
    bool good = true;
    for (unsigned i = 0; i < all.threads; i++) {
        void *failed = NULL;
        pthread_join(threads[i], &failed);
        if (failed)
            print_message("thread %u: line %d: %s: %s\n", i, workers[i].line, workers[i].failure, hipGetErrorName(workers[i].error));
        good = good && !failed;
    }
    assert_true(good);
    ok(hipDeviceSynchronize());
    assert_int_equal(all.calls, all.expected_calls);
    assert_int_equal(*all.launched, all.expected);
    ok(hipMemPoolGetAttribute(all.pool, hipMemPoolAttrUsedMemCurrent, &used));
    assert_int_equal(used, 0);
    ok(hipGraphExecDestroy(all.exec));
    ok(hipMemPoolDestroy(all.pool));
    for (int i = 0; i < SHARED; i++) {
        ok(hipStreamDestroy(all.streams[i]));
        ok(hipEventDestroy(all.events[i]));
    }
    ok(hipHostFree(all.words));
}

/* A child of a busy process can use everything, too, but for GPUs. */
static void test_fork(void **state) {
    (void)state;
#ifdef __SANITIZE_THREAD__ /* it does not let a forked child make threads */
    skip();
#endif
    hipStream_t stream = NULL;
    uint64_t *gate = NULL;
    void *memory = NULL;
    (void)on_gpu();
    ok(hipHostMalloc((void **)&gate, 64, 0));
    *gate = 0;
    ok(hipStreamCreate(&stream));
    ok(hipMallocAsync(&memory, 4096, stream));
    ok(hipStreamWaitValue64(stream, gate, 1, hipStreamWaitValueEq, UINT64_MAX));
    ok(hipFreeAsync(memory, stream));
    pid_t child = fork();
    if (child == 0) {
        hipStream_t own = NULL;
        void *piece = NULL;
        if (on_gpu()) /* which is the parent's */
            _exit(hipStreamCreate(&own) == hipErrorIllegalState ? 0 : 1);
        bool good = hipStreamCreate(&own) == hipSuccess && hipMallocAsync(&piece, 100, own) == hipSuccess &&
                    hipMemsetAsync(piece, 1, 100, own) == hipSuccess && hipFreeAsync(piece, own) == hipSuccess &&
                    hipStreamSynchronize(own) == hipSuccess && hipDeviceSynchronize() == hipSuccess && hipStreamDestroy(own) == hipSuccess;
        _exit(good ? 0 : 1);
    }
    int status = -1;
    for (int i = 0; i < PATIENCE * 100 && waitpid(child, &status, WNOHANG) == 0; i++)
        usleep(10000);
    assert_int_equal(status, 0);
    *(volatile uint64_t *)gate = 1;
    ok(hipStreamSynchronize(stream));
    ok(hipStreamDestroy(stream));
    ok(hipHostFree(gate));
}

int main(int count, char **arguments) {
    all.seed = count > 1 ? (unsigned)atoi(arguments[1]) : (unsigned)time(NULL) % 1000;
    all.threads = count > 2 ? (unsigned)atoi(arguments[2]) : all.threads;
    all.operations = count > 3 ? (unsigned)atoi(arguments[3]) : all.operations;
    if (all.threads > MAX_THREADS)
        return 1;
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_everything), cmocka_unit_test(test_fork)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
