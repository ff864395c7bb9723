/* What hipMemGetInfo tells: every kind of allocation counts, also other processes', and what is told to be free can be allocated. Sizes
 * are large, and nothing is touched: other programs of the machine have their part in the numbers. */
#include "api_test.h"

#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static size_t total(void) {
    size_t bytes = 0;
    ok(hipMemGetInfo(NULL, &bytes));
    return bytes;
}

static size_t left(void) {
    size_t bytes = 0;
    ok(hipMemGetInfo(&bytes, NULL));
    return bytes;
}

static size_t part(void) { return total() / 8 / (2 << 20) * (2 << 20); }

static void test_totals(void **state) {
    (void)state;
    hipDeviceProp_tR0600 properties;
    size_t bytes = 0;
    ok(hipGetDevicePropertiesR0600(&properties, 0));
    ok(hipDeviceTotalMem(&bytes, 0));
    assert_int_equal(bytes, total());
    assert_int_equal(properties.totalGlobalMem, total());
    assert_int_equal(properties.integrated, 0);
    assert_true(total() < (size_t)sysconf(_SC_PHYS_PAGES) * (size_t)sysconf(_SC_PAGESIZE)); /* the host keeps some */
    ok(hipMemGetInfo(NULL, NULL));
}

/* Each kind alone. */
static void test_kinds(void **state) {
    (void)state;
    size_t size = part();
    void *memory = NULL;
    hipMemGenericAllocationHandle_t handle;
    hipMemAllocationProp wish = {.type = hipMemAllocationTypePinned, .location = {hipMemLocationTypeDevice, 0}};
    ok(hipMalloc(&memory, size));
    assert_true(total() - left() >= size);
    ok(hipFree(memory));
    ok(hipMallocManaged(&memory, size, hipMemAttachGlobal));
    assert_true(total() - left() >= size);
    ok(hipFree(memory));
    ok(hipHostMalloc(&memory, size, 0));
    assert_true(total() - left() >= size);
    ok(hipHostFree(memory));
    ok(hipMallocAsync(&memory, size, NULL));
    assert_true(total() - left() >= size);
    ok(hipFreeAsync(memory, NULL));
    ok(hipDeviceSynchronize());
    ok(hipMemCreate(&handle, size, &wish, 0));
    assert_true(total() - left() >= size);
    ok(hipMemRelease(handle));
}

/* Polls until others' memory is back: at once, but for programs that run beside. */
static void wait_for_less(size_t used) {
    for (time_t end = time(NULL) + PATIENCE; total() - left() >= used;) {
        if (time(NULL) > end)
            fail_msg("%zu bytes are still in use", total() - left());
        (void)usleep(1000);
    }
}

static void hold(int ready, size_t size) {
    void *memory = NULL;
    char word = hipMalloc(&memory, size) == hipSuccess ? 'y' : 'n';
    if (write(ready, &word, 1) != 1)
        _exit(1);
    for (;;)
        pause();
}

/* Children that allocate, and are killed: the first began before this process used HIP, the second is a fork of one that did. */
static void test_processes(pid_t child, int ready) {
    char word = 0;
    int status = 0;
    size_t size = part() * 4;
    assert_int_equal(read(ready, &word, 1), 1);
    assert_int_equal(word, 'y');
    assert_true(total() - left() >= size);
    assert_int_equal(kill(child, SIGKILL), 0);
    assert_int_equal(waitpid(child, &status, 0), child);
    wait_for_less(size);
}

static pid_t early;
static int early_pipe[2];

static void test_early_child(void **state) {
    (void)state;
    size_t size = part() * 4;
    assert_int_equal(write(early_pipe[1], &size, sizeof size), (ssize_t)sizeof size);
    close(early_pipe[1]);
    test_processes(early, early_pipe[0]);
}

static void test_forked_child(void **state) {
    (void)state;
    int ready[2];
    size_t size = part() * 4;
    assert_int_equal(pipe(ready), 0);
    pid_t child = fork();
    if (child == 0)
        hold(ready[1], size);
    test_processes(child, ready[0]);
    close(ready[0]), close(ready[1]);
}

/* Of what is told to be free each kind gets all. */
static void test_all_of_it(void **state) {
    (void)state;
    void *memory = NULL;
    ok(hipMalloc(&memory, left()));
    ok(hipFree(memory));
    ok(hipMallocManaged(&memory, left(), hipMemAttachGlobal));
    ok(hipFree(memory));
    ok(hipMallocManaged(&memory, left() + 1, hipMemAttachGlobal)); /* managed memory may be more than the device has */
    ok(hipFree(memory));
    ok(hipHostMalloc(&memory, left(), 0));
    ok(hipHostFree(memory));
    fails(hipErrorOutOfMemory, hipMalloc(&memory, total() + 1));
}

static void test_hidden(void **state) {
    (void)state;
    char text[32];
    size_t size = part() >> 20;
    snprintf(text, sizeof text, "%zu", size);
    setenv("HIP_HIDDEN_FREE_MEM", text, 1);
    assert_true(total() - left() >= size << 20);
    setenv("HIP_HIDDEN_FREE_MEM", "1000000000", 1);
    assert_int_equal(left(), 0);
    unsetenv("HIP_HIDDEN_FREE_MEM");
    assert_true(left() > 0);
}

/* A limit of the process is one of its device. */
static void test_limit(void **state) {
    (void)state;
    struct rlimit before, now;
    assert_int_equal(getrlimit(RLIMIT_AS, &before), 0);
    now = (struct rlimit){total() / 2, before.rlim_max};
    assert_int_equal(setrlimit(RLIMIT_AS, &now), 0);
    size_t bytes = left();
    assert_int_equal(setrlimit(RLIMIT_AS, &before), 0);
    assert_true(bytes < total() / 2);
}

int main(void) {
    int to_child[2];
    /* The child waits for its size before it uses HIP, so that it shares nothing with this process. */
    if (pipe(early_pipe) != 0 || pipe(to_child) != 0)
        return 1;
    early = fork();
    if (early == 0) {
        size_t size = 0;
        if (read(to_child[0], &size, sizeof size) != (ssize_t)sizeof size)
            _exit(1);
        hold(early_pipe[1], size);
    }
    close(early_pipe[1]);
    early_pipe[1] = to_child[1];
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_early_child),  cmocka_unit_test(test_totals),    cmocka_unit_test(test_kinds),
        cmocka_unit_test(test_forked_child), cmocka_unit_test(test_all_of_it), cmocka_unit_test(test_hidden),
        cmocka_unit_test(test_limit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
