/* Devices with as much memory, and links as slow, as the environment says: WAVELIFT_DEVICE_MEMORY=64M, WAVELIFT_LINK=0.001,20000, two devices. */
#include "api_test.h"

#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define MIB ((size_t)1 << 20)

static void test_memory(void **state) {
    (void)state;
    hipDeviceProp_tR0600 properties;
    void *first = NULL, *second = NULL, *other = NULL, *host = NULL;
    size_t left = 0, total = 0;
    ok(hipGetDevicePropertiesR0600(&properties, 0));
    assert_int_equal(properties.totalGlobalMem, 64 * MIB);
    fails(hipErrorOutOfMemory, hipMalloc(&first, 65 * MIB));
    ok(hipMalloc(&first, 40 * MIB));
    fails(hipErrorOutOfMemory, hipMalloc(&second, 40 * MIB));
    ok(hipMemGetInfo(&left, &total));
    assert_int_equal(total, 64 * MIB);
    assert_int_equal(left, 24 * MIB);
    ok(hipHostMalloc(&host, 80 * MIB, 0)); /* the host's memory is its own */
    ok(hipMemGetInfo(&left, NULL));
    assert_int_equal(left, 24 * MIB);
    ok(hipSetDevice(1));
    ok(hipMalloc(&other, 60 * MIB));
    ok(hipSetDevice(0));
    ok(hipMalloc(&second, 24 * MIB));
    ok(hipFree(first));
    ok(hipFree(second));
    ok(hipFree(other));
    ok(hipHostFree(host));
    hipGetLastError();
}

/* In a process of its own, with the device's number and MiB: 0 if there is as much, 1 if not. */
static int take(const char *program, const char *device, const char *mebibytes) {
    int status = 0;
    const pid_t child = fork();
    if (child == 0) {
        execl(program, program, device, mebibytes, NULL);
        _exit(9);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    return WEXITSTATUS(status);
}

static const char *self;

static void test_processes(void **state) {
    (void)state;
    void *memory = NULL;
    ok(hipMalloc(&memory, 40 * MIB));
    assert_int_equal(take(self, "0", "40"), 1);
    assert_int_equal(take(self, "0", "20"), 0);
    assert_int_equal(take(self, "1", "40"), 0);
    ok(hipFree(memory));
    assert_int_equal(take(self, "0", "40"), 0);
}

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

/* At 1 MB/s and 20 ms, 50,000 bytes take no less than 70 ms, however slow the machine is. */
static void test_links(void **state) {
    (void)state;
    enum { SIZE = 50000 };
    static char bytes[SIZE], back[SIZE];
    void *first = NULL, *second = NULL;
    for (int i = 0; i < SIZE; i++)
        bytes[i] = (char)(i * 7);
    ok(hipMalloc(&first, SIZE));
    ok(hipSetDevice(1));
    ok(hipMalloc(&second, SIZE));
    double begin = now();
    ok(hipMemcpy(first, bytes, SIZE, hipMemcpyHostToDevice));
    assert_true(now() - begin >= 0.07);
    begin = now();
    ok(hipMemcpyPeer(second, 1, first, 0, SIZE));
    ok(hipDeviceSynchronize());
    assert_true(now() - begin >= 0.07);
    begin = now();
    ok(hipMemcpyAsync(back, second, SIZE, hipMemcpyDeviceToHost, NULL));
    ok(hipStreamSynchronize(NULL));
    assert_true(now() - begin >= 0.07);
    assert_memory_equal(bytes, back, SIZE);
    ok(hipFree(first));
    ok(hipFree(second));
    ok(hipSetDevice(0));
}

int main(int argc, char **argv) {
    if (argc == 3) {
        void *memory = NULL;
        if (hipSetDevice(atoi(argv[1])) != hipSuccess)
            return 2;
        return hipMalloc(&memory, (size_t)atoi(argv[2]) * MIB) == hipSuccess ? 0 : 1;
    }
    self = argv[0];
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_memory),
        cmocka_unit_test(test_processes),
        cmocka_unit_test(test_links),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
