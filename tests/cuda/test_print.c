/* printf through a buffer: what a kernel wrote is printed when the kernel has ended, before the stream is waited for, and the buffer is used again. */
#include "cuda_test.h"

#include <fcntl.h>
#include <unistd.h>

enum { KERNARG_BUFFER = 8 + 72 /* behind the argument, in the implicit ones */, MANY = 100, NO_ROOM = -1, HUGE_ENTRY = -2 };

struct entry {
    uint32_t control; /* its size and 2 bits of flags */
    char format[16];
    uint64_t number;
} __attribute__((packed));

static hipFunction_t prints;

/* What __printf_alloc and the code around it do. Numbers below 0 stand for buffers with faults. */
static CUresult run_prints(const struct fake_launch *launch) {
    int number;
    uint64_t address;
    memcpy(&number, launch->values[1], sizeof number);
    memcpy(&address, (const char *)launch->values[1] + KERNARG_BUFFER, sizeof address);
    uint32_t *head = fake->at((void *)(uintptr_t)address);
    assert_int_equal(head[0], 0); /* empty */
    assert_int_equal(head[1], (4 << 20) - 8);
    struct entry entry = {sizeof entry << 2, "number %d\n", (uint64_t)number};
    if (number == HUGE_ENTRY)
        entry.control = UINT32_MAX & ~3u;
    head[0] = number == NO_ROOM ? UINT32_MAX : sizeof entry;
    memcpy(head + 2, &entry, sizeof entry);
    return CUDA_SUCCESS;
}

static hipError_t print(int number, hipStream_t stream) {
    return hipModuleLaunchKernel(prints, 1, 1, 1, 64, 1, 1, 0, stream, (void *[]){&number}, NULL);
}

static int output, file;

static void begin_output(void) {
    fflush(stdout);
    FILE *temporary = tmpfile();
    assert_non_null(temporary);
    output = dup(1);
    file = fileno(temporary);
    assert_int_equal(dup2(file, 1), 1);
}

/* Compares what was printed since begin_output(). */
static void expect_output(const char *wanted) {
    char text[4096] = "";
    assert_int_equal(dup2(output, 1), 1);
    close(output);
    assert_true(pread(file, text, sizeof text - 1, 0) >= 0);
    assert_string_equal(text, wanted);
}

static void test_printed_before_the_stream_is_waited_for(void **state) {
    (void)state;
    hipStream_t stream = NULL;
    ok(hipStreamCreate(&stream));
    begin_output();
    ok(print(7, stream));
    ok(hipStreamSynchronize(stream));
    expect_output("number 7\n");
    begin_output();
    ok(print(8, NULL));
    ok(hipDeviceSynchronize());
    expect_output("number 8\n");
    ok(hipStreamDestroy(stream));
}

static void test_one_stream_in_order(void **state) {
    (void)state;
    char wanted[64 * MANY] = "";
    begin_output();
    for (int i = 0; i < MANY; i++) {
        ok(print(i, NULL));
        snprintf(wanted + strlen(wanted), 64, "number %d\n", i);
    }
    ok(hipDeviceSynchronize());
    expect_output(wanted);
}

/* Launches that pile up wait for earlier ones instead of taking more and more pinned memory: at most 32 buffers. */
static void test_no_more_than_so_many_buffers(void **state) {
    (void)state;
    const unsigned long before = fake->calls("cuMemHostAlloc");
    begin_output();
    for (int i = 0; i < 10 * MANY; i++)
        ok(print(i, NULL));
    ok(hipDeviceSynchronize());
    dup2(output, 1);
    assert_in_range(fake->calls("cuMemHostAlloc") - before, 0, 32);
}

/* Nothing else than launches under way needs buffers of their own. */
static void test_buffers_are_used_again(void **state) {
    (void)state;
    ok(hipDeviceSynchronize());
    const unsigned long before = fake->calls("cuMemHostAlloc");
    begin_output();
    for (int i = 0; i < MANY; i++) {
        ok(print(0, NULL));
        ok(hipDeviceSynchronize());
    }
    dup2(output, 1);
    assert_int_equal(fake->calls("cuMemHostAlloc"), before);
}

/* A buffer that a kernel left broken is read no further than it is long, and clean for the next kernel. */
static void test_broken_buffers(void **state) {
    (void)state;
    begin_output();
    ok(print(HUGE_ENTRY, NULL));
    ok(print(NO_ROOM, NULL));
    ok(print(3, NULL));
    ok(hipDeviceSynchronize());
    expect_output("number -1\nnumber 3\n");
}

static void test_failures(void **state) {
    (void)state;
    begin_output();
    fake->fail_next("cuLaunchKernel", CUDA_ERROR_OUT_OF_MEMORY, 0, 1);
    assert_int_not_equal(print(1, NULL), hipSuccess);
    fake->fail_next("cuLaunchHostFunc", CUDA_ERROR_OUT_OF_MEMORY, 0, 1);
    assert_int_not_equal(print(2, NULL), hipSuccess);
    ok(hipDeviceSynchronize());
    ok(print(3, NULL));
    ok(hipDeviceSynchronize());
    expect_output("number 3\n");
}

static void test_after_a_reset(void **state) {
    (void)state;
    hipModule_t module = NULL;
    ok(hipDeviceReset());
    ok(hipModuleLoad(&module, PRINT_TEST_OBJECT));
    ok(hipModuleGetFunction(&prints, module, "prints"));
    begin_output();
    ok(print(9, NULL));
    ok(hipDeviceSynchronize());
    expect_output("number 9\n");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_printed_before_the_stream_is_waited_for),
        cmocka_unit_test(test_one_stream_in_order),
        cmocka_unit_test(test_no_more_than_so_many_buffers),
        cmocka_unit_test(test_buffers_are_used_again),
        cmocka_unit_test(test_broken_buffers),
        cmocka_unit_test(test_failures),
        cmocka_unit_test(test_after_a_reset),
    };
    hipModule_t module = NULL;
    use_fake_driver("cuda");
    fake->kernel("prints", run_prints);
    ok(hipModuleLoad(&module, PRINT_TEST_OBJECT));
    ok(hipModuleGetFunction(&prints, module, "prints"));
    return cmocka_run_group_tests(tests, NULL, NULL);
}
