/* Streams, sentence by sentence of the reference: creation, masks, order across devices and processes, callbacks, many streams. */
#include "../bystander.h"
#include "../itself.h"
#include "api_test.h"

#include <pthread.h>
#include <stdbool.h>
#include <sys/wait.h>
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

static int clear(void **state) {
    (void)state;
    memset(words, 0, 4096);
    return 0;
}

static uint64_t get(int i) { return __atomic_load_n(&words[i], __ATOMIC_SEQ_CST); }
static void put(int i, uint64_t value) { __atomic_store_n(&words[i], value, __ATOMIC_SEQ_CST); }
static void wait_word(hipStream_t stream, int i) { ok(hipStreamWaitValue64(stream, &words[i], 1, hipStreamWaitValueEq, UINT64_MAX)); }
static void write_word(hipStream_t stream, int i, uint64_t value) { ok(hipStreamWriteValue64(stream, &words[i], value, 0)); }

static hipStream_t new_stream(unsigned flags) {
    hipStream_t stream = NULL;
    ok(hipStreamCreateWithFlags(&stream, flags));
    return stream;
}

/* ---- creation and questions -------------------------------------------------------------------- */

static void test_creation(void **state) {
    (void)state;
    hipStream_t stream = NULL, other = NULL;
    unsigned flags = 9;
    int least = 9, greatest = 9, priority = 9;
    unsigned long long first = 0, second = 0;
    ok(hipDeviceGetStreamPriorityRange(&least, &greatest));
    assert_true(greatest < least); /* lower numbers are greater priorities */
    for (int wanted = greatest - 3; wanted <= least + 3; wanted++) {
        ok(hipStreamCreateWithPriority(&stream, hipStreamDefault, wanted));
        ok(hipStreamGetPriority(stream, &priority));
        assert_int_equal(priority, wanted < greatest ? greatest : wanted > least ? least : wanted);
        ok(hipStreamDestroy(stream));
    }
    ok(hipStreamCreate(&stream));
    ok(hipStreamGetFlags(stream, &flags));
    assert_int_equal(flags, hipStreamDefault);
    ok(hipStreamGetPriority(stream, &priority));
    assert_int_equal(priority, 0);
    ok(hipStreamGetPriority(NULL, &priority));
    assert_int_equal(priority, 0);
    ok(hipStreamCreateWithFlags(&other, hipStreamNonBlocking));
    ok(hipStreamGetFlags(other, &flags));
    assert_int_equal(flags, hipStreamNonBlocking);
    ok(hipStreamGetId(stream, &first));
    ok(hipStreamGetId(other, &second));
    assert_true(first != second);
    ok(hipStreamDestroy(other));
    ok(hipStreamCreate(&other));
    unsigned long long third = 0;
    ok(hipStreamGetId(other, &third));
    assert_true(third != first && third != second);
    assert_int_equal(hipGetStreamDeviceId(stream), 0);
    ok(hipStreamDestroy(other));
    ok(hipStreamDestroy(stream));
    fails(hipErrorInvalidValue, hipStreamCreate(NULL));
    fails(hipErrorInvalidValue, hipStreamCreateWithFlags(NULL, 0));
    fails(hipErrorInvalidValue, hipStreamCreateWithFlags(&stream, 2));
    fails(hipErrorInvalidValue, hipStreamCreateWithPriority(NULL, 0, 0));
    fails(hipErrorInvalidValue, hipStreamCreateWithPriority(&stream, 0xff, 0));
}

/* Most functions say hipErrorContextIsDestroyed for a stream that is gone, as AMD's do, and hipErrorInvalidValue for no place. */
static void test_handles(void **state) {
    (void)state;
    hipStream_t gone = new_stream(0), live = new_stream(0);
    hipEvent_t event = NULL;
    unsigned flags = 0;
    int number = 0;
    uint32_t mask[4];
    unsigned long long id = 0;
    hipDevice_t device;
    ok(hipEventCreate(&event));
    ok(hipStreamDestroy(gone));
    fails(hipErrorContextIsDestroyed, hipStreamDestroy(gone));
    fails(hipErrorInvalidHandle, hipStreamDestroy(NULL));
    fails(hipErrorInvalidHandle, hipStreamDestroy(hipStreamPerThread));
    fails(hipErrorContextIsDestroyed, hipStreamDestroy((hipStream_t)words));
    fails(hipErrorContextIsDestroyed, hipStreamQuery(gone));
    fails(hipErrorContextIsDestroyed, hipStreamSynchronize(gone));
    fails(hipErrorInvalidHandle, hipStreamWaitEvent(gone, event, 0));
    fails(hipErrorInvalidHandle, hipStreamWaitEvent(live, NULL, 0));
    fails(hipErrorContextIsDestroyed, hipStreamWaitEvent(live, (hipEvent_t)words, 0));
    fails(hipErrorInvalidValue, hipStreamWaitEvent(live, event, 1));
    fails(hipErrorContextIsDestroyed, hipStreamGetFlags(gone, &flags));
    fails(hipErrorInvalidValue, hipStreamGetFlags(live, NULL));
    fails(hipErrorInvalidValue, hipStreamGetFlags(NULL, &flags));
    fails(hipErrorContextIsDestroyed, hipStreamGetPriority(gone, &number));
    fails(hipErrorInvalidValue, hipStreamGetPriority(live, NULL));
    fails(hipErrorContextIsDestroyed, hipStreamGetDevice(gone, &device));
    fails(hipErrorInvalidValue, hipStreamGetDevice(live, NULL));
    fails(hipErrorContextIsDestroyed, hipStreamGetId(gone, &id));
    fails(hipErrorInvalidValue, hipStreamGetId(live, NULL));
    fails(hipErrorContextIsDestroyed, hipExtStreamGetCUMask(gone, 4, mask));
    fails(hipErrorContextIsDestroyed, hipLaunchHostFunc(gone, (hipHostFn_t)(void (*)(void))test_creation, NULL));
    fails(hipErrorInvalidValue, hipLaunchHostFunc(live, NULL, NULL));
    fails(hipErrorContextIsDestroyed, hipStreamAddCallback(gone, (hipStreamCallback_t)(void (*)(void))test_creation, NULL, 0));
    fails(hipErrorInvalidValue, hipStreamAddCallback(live, (hipStreamCallback_t)(void (*)(void))test_creation, NULL, 1));
    fails(hipErrorContextIsDestroyed, hipEventRecord(event, gone));
    assert_int_equal(hipGetStreamDeviceId(gone), -1);
    ok(hipEventDestroy(event));
    fails(hipErrorContextIsDestroyed, hipEventDestroy(event));
    fails(hipErrorInvalidHandle, hipEventDestroy(NULL));
    fails(hipErrorContextIsDestroyed, hipEventQuery(event));
    fails(hipErrorContextIsDestroyed, hipEventRecord(event, live));
    fails(hipErrorInvalidHandle, hipEventSynchronize(NULL));
    fails(hipErrorInvalidValue, hipEventCreateWithFlags(&event, hipEventReleaseToDevice | hipEventDisableSystemFence));
    ok(hipStreamDestroy(live));
}

static void test_attributes(void **state) {
    (void)state;
    hipStream_t stream = NULL, other = new_stream(0);
    hipStreamAttrValue value;
    ok(hipStreamCreateWithPriority(&stream, 0, -1));
    ok(hipStreamGetAttribute(stream, hipLaunchAttributePriority, &value));
    assert_int_equal(value.priority, -1);
    ok(hipStreamGetAttribute(stream, hipLaunchAttributeSynchronizationPolicy, &value));
    assert_int_equal(value.syncPolicy, hipSyncPolicyAuto);
    value.syncPolicy = hipSyncPolicyYield;
    ok(hipStreamSetAttribute(stream, hipLaunchAttributeSynchronizationPolicy, &value));
    value.accessPolicyWindow = (hipAccessPolicyWindow){words, hipAccessPropertyStreaming, 0.25f, hipAccessPropertyNormal, 128};
    ok(hipStreamSetAttribute(stream, hipLaunchAttributeAccessPolicyWindow, &value));
    ok(hipStreamCopyAttributes(other, stream));
    memset(&value, 0, sizeof value);
    ok(hipStreamGetAttribute(other, hipLaunchAttributeAccessPolicyWindow, &value));
    assert_ptr_equal(value.accessPolicyWindow.base_ptr, words);
    assert_int_equal(value.accessPolicyWindow.num_bytes, 128);
    assert_true(value.accessPolicyWindow.hitRatio == 0.25f);
    ok(hipStreamGetAttribute(other, hipLaunchAttributeSynchronizationPolicy, &value));
    assert_int_equal(value.syncPolicy, hipSyncPolicyYield);
    ok(hipStreamGetAttribute(other, hipLaunchAttributePriority, &value));
    assert_int_equal(value.priority, 0); /* not copied */
    value.accessPolicyWindow.hitRatio = -1;
    fails(hipErrorInvalidValue, hipStreamSetAttribute(stream, hipLaunchAttributeAccessPolicyWindow, &value));
    value.syncPolicy = (hipSynchronizationPolicy)9;
    fails(hipErrorInvalidValue, hipStreamSetAttribute(stream, hipLaunchAttributeSynchronizationPolicy, &value));
    fails(hipErrorInvalidValue, hipStreamSetAttribute(stream, hipLaunchAttributePriority, &value));
    fails(hipErrorInvalidValue, hipStreamGetAttribute(stream, hipLaunchAttributeCooperative, &value));
    fails(hipErrorInvalidValue, hipStreamGetAttribute(stream, hipLaunchAttributePriority, NULL));
    fails(hipErrorInvalidValue, hipStreamSetAttribute(stream, hipLaunchAttributePriority, NULL));
    ok(hipStreamDestroy(stream));
    ok(hipStreamDestroy(other));
    fails(hipErrorContextIsDestroyed, hipStreamGetAttribute(stream, hipLaunchAttributePriority, &value));
    fails(hipErrorContextIsDestroyed, hipStreamCopyAttributes(stream, NULL));
}

/* ---- masks ------------------------------------------------------------------------------------- */

static int units(void) {
    int count = 0;
    ok(hipDeviceGetAttribute(&count, hipDeviceAttributeMultiprocessorCount, 0));
    return count;
}

static void test_masks(void **state) {
    (void)state;
    hipStream_t stream = NULL;
    uint32_t all[8], seen[8], mask[4] = {1, 0, 0xffffffff, 0xffffffff}; /* more than the device has: ignored */
    memset(all, 0, sizeof all);
    ok(hipExtStreamGetCUMask(NULL, 8, all));
    int bits = 0;
    for (int i = 0; i < 256; i++)
        bits += (int)(all[i / 32] >> i % 32 & 1);
    assert_int_equal(bits, units() < 256 ? units() : 256);
    ok(hipExtStreamCreateWithCUMask(&stream, 4, mask));
    ok(hipExtStreamGetCUMask(stream, 8, seen));
    assert_int_equal(seen[0], 1);
    for (int i = 1; i < 8; i++)
        assert_int_equal(seen[i], i < 4 ? mask[i] & all[i] : 0);
    fails(hipErrorInvalidValue, hipExtStreamGetCUMask(stream, 0, seen));
    if (units() > 32)
        fails(hipErrorInvalidValue, hipExtStreamGetCUMask(stream, 1, seen));
    fails(hipErrorInvalidValue, hipExtStreamGetCUMask(stream, 8, NULL));
    ok(hipStreamDestroy(stream));
    fails(hipErrorInvalidValue, hipExtStreamCreateWithCUMask(&stream, 0, mask));
    fails(hipErrorInvalidValue, hipExtStreamCreateWithCUMask(&stream, 1, NULL));
    fails(hipErrorInvalidHandle, hipExtStreamCreateWithCUMask(NULL, 1, mask));
    mask[0] = 0; /* nothing that the device has: no mask */
    ok(hipExtStreamCreateWithCUMask(&stream, 1, mask));
    ok(hipExtStreamGetCUMask(stream, 8, seen));
    assert_memory_equal(seen, all, sizeof all);
    ok(hipStreamDestroy(stream));
}

#ifndef API_FAKE
/* Of a masked stream's kernels never more workgroups run at a time than the mask has bits: they count themselves. */
static void test_masks_limit(void **state) {
    (void)state;
    enum { BLOCKS = 512, LAUNCHES = 10 };
    unsigned *counts = NULL; /* inside; the most that ever were; all */
    int rounds = 1000;
    if (units() < 3 || on_gpu())
        skip();
    ok(hipHostMalloc((void **)&counts, 64, 0));
    for (int bits = 1; bits <= 2; bits++) {
        hipStream_t stream = NULL;
        uint32_t mask = bits == 1 ? 2 : 3;
        ok(hipExtStreamCreateWithCUMask(&stream, 1, &mask));
        memset(counts, 0, 64);
        for (int i = 0; i < LAUNCHES; i++)
            launch("crowd", stream, BLOCKS, 64, &counts, &rounds);
        ok(hipStreamSynchronize(stream));
        assert_int_equal(counts[0], 0);
        assert_in_range(counts[1], 1, bits);
        assert_int_equal(counts[2], BLOCKS * LAUNCHES);
        ok(hipStreamDestroy(stream));
    }
    ok(hipHostFree(counts));
}
#endif

/* ---- order ------------------------------------------------------------------------------------- */

/* A blocking stream is not waited for by others of its kind; the wait is for the event only. */
static void test_wait_is_for_the_event(void **state) {
    (void)state;
    hipStream_t slow = new_stream(0), fast = new_stream(0);
    hipEvent_t event = NULL;
    ok(hipEventCreate(&event));
    ok(hipEventRecord(event, slow));
    wait_word(slow, 0); /* behind the event */
    ok(hipStreamWaitEvent(fast, event, 0));
    write_word(fast, 1, 5);
    ok(hipStreamSynchronize(fast));
    assert_int_equal(get(1), 5);
    /* Recorded again, the old wait stays what it was, and a new one is for the new record. */
    ok(hipEventRecord(event, slow));
    ok(hipStreamWaitEvent(fast, event, 0));
    write_word(fast, 1, 6);
    fails(hipErrorNotReady, hipStreamQuery(fast));
    put(0, 1);
    ok(hipStreamSynchronize(fast));
    assert_int_equal(get(1), 6);
    /* An event that was never recorded is nothing to wait for. */
    hipEvent_t fresh = NULL;
    ok(hipEventCreate(&fresh));
    ok(hipStreamWaitEvent(fast, fresh, 0));
    ok(hipStreamSynchronize(fast));
    ok(hipEventDestroy(fresh));
    ok(hipEventDestroy(event));
    ok(hipStreamDestroy(slow));
    ok(hipStreamDestroy(fast));
}

static void test_across_devices(void **state) {
    (void)state;
    hipStream_t here = new_stream(0), there = NULL;
    hipEvent_t event = NULL;
    hipDevice_t device = -1;
    ok(hipEventCreate(&event));
    ok(hipSetDevice(1));
    there = new_stream(0);
    ok(hipStreamGetDevice(there, &device));
    assert_int_equal(device, 1);
    ok(hipStreamGetDevice(NULL, &device));
    assert_int_equal(device, 1); /* the current device's null stream */
    wait_word(here, 0);
    write_word(here, 1, 7);
    ok(hipEventRecord(event, here));
    ok(hipStreamWaitEvent(there, event, 0));
    ok(hipMemcpyAsync(&words[2], &words[1], 8, hipMemcpyDefault, there));
    /* The null stream of this device waits for its own streams, not for those of the other one. */
    fails(hipErrorNotReady, hipStreamQuery(NULL));
    ok(hipSetDevice(0));
    hipStream_t free_running = new_stream(hipStreamNonBlocking);
    write_word(free_running, 3, 1);
    ok(hipStreamSynchronize(free_running));
    put(0, 1);
    ok(hipSetDevice(1));
    ok(hipDeviceSynchronize());
    assert_int_equal(get(2), 7);
    ok(hipSetDevice(0));
    ok(hipStreamDestroy(here));
    ok(hipStreamDestroy(there));
    ok(hipStreamDestroy(free_running));
    ok(hipEventDestroy(event));
}

static void *own_stream_id(void *argument) { return (void *)(intptr_t)hipStreamGetId(hipStreamPerThread, argument); }

static void test_per_thread(void **state) {
    (void)state;
    struct bystander bystander = bystander_new();
    unsigned long long mine = 0, again = 0, other = 0, null = 0;
    pthread_t thread;
    void *result = NULL;
    ok(hipStreamGetId(hipStreamPerThread, &mine));
    ok(hipStreamGetId(hipStreamPerThread, &again));
    ok(hipStreamGetId(NULL, &null));
    pthread_create(&thread, NULL, own_stream_id, &other);
    pthread_join(thread, &result);
    assert_null(result);
    assert_true(mine == again && mine != other && mine != null);
    /* It orders itself with the null stream. */
    wait_word(hipStreamPerThread, 0);
    write_word(NULL, 1, 1);
    bystander_runs(&bystander);
    assert_int_equal(get(1), 0);
    put(0, 1);
    ok(hipStreamSynchronize(NULL));
    assert_int_equal(get(1), 1);
    bystander_end(&bystander);
}

/* ---- callbacks --------------------------------------------------------------------------------- */

struct called {
    int times;
    hipError_t status;
    hipStream_t stream;
    uint64_t before;
    atomic_int entered, may_leave;
};

static void callback(hipStream_t stream, hipError_t status, void *data) {
    struct called *called = data;
    called->times++;
    called->status = status;
    called->stream = stream;
    called->before = get(0);
    atomic_store(&called->entered, 1);
    while (!atomic_load(&called->may_leave))
        usleep(200);
}

static void test_callbacks(void **state) {
    (void)state;
    hipStream_t stream = new_stream(0);
    struct bystander bystander = bystander_new();
    struct called called = {0};
    write_word(stream, 0, 1);
    ok(hipStreamAddCallback(stream, callback, &called, 0));
    write_word(stream, 1, 1);
    while (!atomic_load(&called.entered))
        usleep(200);
    bystander_runs(&bystander);
    assert_int_equal(get(1), 0); /* later work is blocked until the callback is finished */
    atomic_store(&called.may_leave, 1);
    ok(hipStreamSynchronize(stream));
    assert_int_equal(called.times, 1);
    assert_int_equal(called.status, hipSuccess);
    assert_ptr_equal(called.stream, stream);
    assert_int_equal(called.before, 1);
    assert_int_equal(get(1), 1);
    bystander_end(&bystander);
    ok(hipStreamDestroy(stream));
}

/* After a fault callbacks are still called, once, with the error; host functions are not called. */
static void plain(void *data) { ++*(int *)data; }

static void test_callbacks_after_fault(void **state) {
    (void)state;
    hipStream_t stream = new_stream(0);
    struct called called = {.may_leave = 1};
    int calls = 0;
    void *nowhere = NULL;
    wait_word(stream, 5);
    launch("fault", stream, 1, 64, &nowhere);
    ok(hipStreamAddCallback(stream, callback, &called, 0));
    ok(hipLaunchHostFunc(stream, plain, &calls));
    put(5, 1);
    fails(hipErrorIllegalAddress, hipStreamSynchronize(stream));
    assert_int_equal(called.times, 1);
    assert_int_equal(called.status, hipErrorIllegalAddress);
    assert_int_equal(calls, 0);
    fails(hipErrorIllegalAddress, hipStreamQuery(stream));
    fails(hipErrorIllegalAddress, hipStreamCreate(&stream));
    ok(hipDeviceReset());
    ok(hipHostMalloc((void **)&words, 4096, 0));
    memset(words, 0, 4096);
    stream = new_stream(0);
    write_word(stream, 0, 3);
    ok(hipStreamSynchronize(stream));
    assert_int_equal(get(0), 3);
    ok(hipStreamDestroy(stream));
}

/* A host function that waits for its own stream would never return: it is told so, by each way to wait. */
static struct {
    hipStream_t own, other;
    hipEvent_t later;
    hipError_t stream, null, device, copy, event, fine;
} self;

static void wait_for_self(void *data) {
    int word = 0;
    (void)data;
    self.stream = hipStreamSynchronize(self.own);
    self.null = hipStreamSynchronize(NULL);
    self.device = hipDeviceSynchronize();
    self.copy = hipMemcpyWithStream(words, &word, sizeof word, hipMemcpyDefault, self.own);
    while (__atomic_load_n(&words[7], __ATOMIC_SEQ_CST) == 0)
        usleep(100); /* until the event is recorded */
    self.event = hipEventSynchronize(self.later);
    self.fine = hipStreamSynchronize(self.other);
}

static void test_waiting_for_itself(void **state) {
    (void)state;
    self.own = new_stream(0);
    self.other = new_stream(hipStreamNonBlocking);
    ok(hipEventCreate(&self.later));
    ok(hipLaunchHostFunc(self.own, wait_for_self, NULL));
    ok(hipEventRecord(self.later, self.own));
    put(7, 1);
    ok(hipStreamSynchronize(self.own));
    assert_int_equal(self.stream, hipErrorIllegalState);
    assert_int_equal(self.null, hipErrorIllegalState);
    assert_int_equal(self.device, hipErrorIllegalState);
    assert_int_equal(self.copy, hipErrorIllegalState);
    assert_int_equal(self.event, hipErrorIllegalState);
    assert_int_equal(self.fine, hipSuccess);
    ok(hipEventDestroy(self.later));
    ok(hipStreamDestroy(self.own));
    ok(hipStreamDestroy(self.other));
}

/* ---- many -------------------------------------------------------------------------------------- */

static void test_ten_thousand(void **state) {
    (void)state;
    enum { COUNT = 10000 };
    static hipStream_t streams[COUNT];
    static int calls[COUNT];
    memset(calls, 0, sizeof calls);
    for (int i = 0; i < COUNT; i++)
        streams[i] = new_stream(i % 3 ? hipStreamNonBlocking : 0);
    for (int round = 0; round < 3; round++)
        for (int i = 0; i < COUNT; i++)
            ok(hipLaunchHostFunc(streams[i], plain, &calls[i]));
    ok(hipDeviceSynchronize());
    for (int i = 0; i < COUNT; i++) {
        assert_int_equal(calls[i], 3);
        ok(hipStreamQuery(streams[i]));
    }
    for (int i = 0; i < COUNT; i++)
        ok(hipLaunchHostFunc(streams[i], plain, &calls[i]));
    for (int i = 0; i < COUNT; i++)
        ok(hipStreamDestroy(streams[i])); /* busy or not */
    ok(hipDeviceSynchronize());
    for (int i = 0; i < COUNT; i++)
        assert_int_equal(calls[i], 4);
}

/* ---- events of several processes ----------------------------------------------------------------- */

static int opener(int to, int from) {
    struct bystander bystander = bystander_new();
    hipIpcEventHandle_t handle;
    hipEvent_t event = NULL;
    hipStream_t stream = NULL;
    char go = 0;
    if (read(from, &handle, sizeof handle) != sizeof handle || hipIpcOpenEventHandle(&event, handle) != hipSuccess ||
        hipStreamCreate(&stream) != hipSuccess || hipHostMalloc((void **)&words, 4096, 0) != hipSuccess)
        return 1;
    memset(words, 0, 4096);
    if (hipEventQuery(event) != hipErrorNotReady) /* recorded there, behind a closed gate */
        return 2;
    if (hipStreamWaitEvent(stream, event, 0) != hipSuccess || hipStreamWriteValue64(stream, &words[0], 1, 0) != hipSuccess)
        return 3;
    bystander_runs(&bystander);
    if (get(0) != 0 || hipStreamQuery(stream) != hipErrorNotReady)
        return 4;
    if (write(to, "w", 1) != 1 || hipStreamSynchronize(stream) != hipSuccess || get(0) != 1 || hipEventQuery(event) != hipSuccess)
        return 5;
    /* The other way round, when the first process has seen its own record. */
    if (read(from, &go, 1) != 1 || hipStreamWaitValue64(stream, &words[1], 1, hipStreamWaitValueEq, UINT64_MAX) != hipSuccess ||
        hipEventRecord(event, stream) != hipSuccess || write(to, "r", 1) != 1 || read(from, &go, 1) != 1)
        return 6;
    put(1, 1);
    if (hipStreamSynchronize(stream) != hipSuccess || hipEventSynchronize(event) != hipSuccess || hipEventDestroy(event) != hipSuccess)
        return 7;
    return 0;
}

static void test_interprocess_events(void **state) {
    (void)state;
    struct bystander bystander = bystander_new();
    hipEvent_t event = NULL, plain_event = NULL, again = NULL;
    hipIpcEventHandle_t handle;
    hipStream_t stream = new_stream(hipStreamNonBlocking);
    int there[2], back[2];
    char answer = 0;
    fails(hipErrorInvalidValue, hipEventCreateWithFlags(&event, hipEventInterprocess)); /* has no timing */
    ok(hipEventCreateWithFlags(&event, hipEventInterprocess | hipEventDisableTiming));
    ok(hipEventCreate(&plain_event));
    fails(hipErrorInvalidConfiguration, hipIpcGetEventHandle(&handle, plain_event));
    fails(hipErrorInvalidValue, hipIpcGetEventHandle(NULL, event));
    fails(hipErrorInvalidValue, hipIpcGetEventHandle(&handle, NULL));
    ok(hipEventQuery(event));
    ok(hipEventSynchronize(event));
    ok(hipIpcGetEventHandle(&handle, event));
    fails(hipErrorInvalidContext, hipIpcOpenEventHandle(&again, handle));
    fails(hipErrorInvalidValue, hipIpcOpenEventHandle(NULL, handle));
    hipIpcEventHandle_t bad;
    memset(&bad, 7, sizeof bad);
    fails(hipErrorInvalidValue, hipIpcOpenEventHandle(&again, bad));
    assert_int_equal(pipe(there) | pipe(back), 0);
    pid_t child = fork();
    if (child == 0) {
        char to[16], from[16];
        snprintf(to, sizeof to, "%d", back[1]);
        snprintf(from, sizeof from, "%d", there[0]);
        become_itself(to, from, NULL);
        _exit(99);
    }
    assert_int_equal(close(back[1]) | close(there[0]), 0); /* a child that ends ends the reads below */
    wait_word(stream, 0);
    ok(hipEventRecord(event, stream));
    fails(hipErrorNotReady, hipEventQuery(event));
    assert_int_equal(write(there[1], &handle, sizeof handle), sizeof handle);
    assert_int_equal(read(back[0], &answer, 1), 1);
    assert_int_equal(answer, 'w');
    put(0, 1);
    ok(hipEventSynchronize(event));
    assert_int_equal(write(there[1], "s", 1), 1);
    assert_int_equal(read(back[0], &answer, 1), 1);
    assert_int_equal(answer, 'r');
    fails(hipErrorNotReady, hipEventQuery(event)); /* the other process has recorded it */
    ok(hipStreamWaitEvent(stream, event, 0));
    write_word(stream, 2, 9);
    bystander_runs(&bystander);
    assert_int_equal(get(2), 0);
    assert_int_equal(write(there[1], "g", 1), 1);
    ok(hipStreamSynchronize(stream));
    assert_int_equal(get(2), 9);
    int status = -1;
    waitpid(child, &status, 0);
    assert_int_equal(status, 0);
    assert_int_equal(close(back[0]) | close(there[1]), 0);
    ok(hipEventDestroy(event));
    ok(hipEventDestroy(plain_event));
    ok(hipStreamDestroy(stream));
    bystander_end(&bystander);
}

int main(int count, char **arguments) {
    setenv("WAVELIFT_DEVICES", "2", 1);
    if (count == 3)
        return opener(atoi(arguments[1]), atoi(arguments[2]));
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(test_creation, clear),
        cmocka_unit_test_setup(test_handles, clear),
        cmocka_unit_test_setup(test_attributes, clear),
        cmocka_unit_test_setup(test_masks, clear),
#ifndef API_FAKE
        cmocka_unit_test_setup(test_masks_limit, clear),
#endif
        cmocka_unit_test_setup(test_wait_is_for_the_event, clear),
        cmocka_unit_test_setup(test_across_devices, clear),
        cmocka_unit_test_setup(test_per_thread, clear),
        cmocka_unit_test_setup(test_callbacks, clear),
        cmocka_unit_test_setup(test_callbacks_after_fault, clear),
        cmocka_unit_test_setup(test_waiting_for_itself, clear),
        cmocka_unit_test_setup(test_ten_thousand, clear),
        cmocka_unit_test_setup(test_interprocess_events, clear),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
