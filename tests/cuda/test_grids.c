/* Several GPUs. A pool lets another GPU in, and so does enabling a peer. Cooperative launches: each device gets its grid, what they share goes away, a grid that fails stops no one for ever. */
#include "cuda_test.h"

#include <stdatomic.h>
#include <string.h>
#include <unistd.h>

enum { DEVICES = 4 };

static hipFunction_t functions[DEVICES], stores[DEVICES];
static hipStream_t streams[DEVICES];
static atomic_uint launched, cooperative;

static CUresult run_empty(const struct fake_launch *launch) {
    atomic_fetch_add(&launched, 1);
    atomic_fetch_add(&cooperative, launch->cooperative);
    return CUDA_SUCCESS;
}

static hipError_t launch(unsigned first, unsigned count, unsigned flags) {
    hipFunctionLaunchParams list[DEVICES];
    for (unsigned i = 0; i < count; i++)
        list[i] = (hipFunctionLaunchParams){.function = functions[first + i],
                                            .gridDimX = 4,
                                            .gridDimY = 1,
                                            .gridDimZ = 1,
                                            .blockDimX = 64,
                                            .blockDimY = 1,
                                            .blockDimZ = 1,
                                            .hStream = streams[first + i]};
    return hipModuleLaunchCooperativeKernelMultiDevice(list, count, flags);
}

struct held { /* by the program: bytes of the devices, blocks of pinned memory */
    long device, pinned;
};

static struct held held(void) {
    return (struct held){fake->memory(), (long)(fake->calls("cuMemHostAlloc") - fake->calls("cuMemFreeHost"))};
}

/* What the watching thread frees, it frees a little later. */
static bool is_held_again(struct held before) {
    struct held now = held();
    for (int i = 0; i < 300000 && (now.device != before.device || now.pinned != before.pinned); i++) {
        usleep(1000);
        now = held();
    }
    return now.device == before.device && now.pinned == before.pinned;
}

static void test_each_device_gets_its_grid(void **state) {
    (void)state;
    for (unsigned flags = 0; flags < 4; flags++)
        for (unsigned count = 1; count <= DEVICES; count++) {
            ok(hipDeviceSynchronize());
            const struct held before = held();
            atomic_store(&launched, 0);
            atomic_store(&cooperative, 0);
            ok(launch(0, count, flags));
            for (unsigned i = 0; i < DEVICES; i++)
                ok(hipStreamSynchronize(streams[i]));
            assert_int_equal(atomic_load(&launched), count);
            assert_int_equal(atomic_load(&cooperative), count);
            assert_true(is_held_again(before));
        }
}

/* The first two reach each other's memory, the third nobody's. */
static void test_where_the_barrier_is(void **state) {
    (void)state;
    const unsigned long device = fake->calls("cuMemAlloc_v2"), pinned = fake->calls("cuMemHostAlloc");
    const struct held before = held();
    ok(launch(0, 2, 0));
    assert_int_equal(fake->calls("cuMemAlloc_v2") - device, 1);
    assert_int_equal(fake->calls("cuMemHostAlloc") - pinned, 0);
    ok(launch(1, 2, 0));
    assert_int_equal(fake->calls("cuMemAlloc_v2") - device, 1);
    assert_int_equal(fake->calls("cuMemHostAlloc") - pinned, 1);
    for (unsigned i = 0; i < DEVICES; i++)
        ok(hipStreamSynchronize(streams[i]));
    assert_true(is_held_again(before));
}

static void test_cpu_devices(void **state) {
    (void)state;
    hipStream_t stream;
    int count = 0;
    ok(hipGetDeviceCount(&count));
    assert_int_equal(count, DEVICES + 1);
    ok(hipSetDevice(DEVICES));
    ok(hipStreamCreate(&stream));
    hipModule_t module;
    hipFunction_t function;
    ok(hipModuleLoad(&module, API_TEST_OBJECT));
    ok(hipModuleGetFunction(&function, module, "empty"));
    hipFunctionLaunchParams list[2] = {{functions[0], 1, 1, 1, 64, 1, 1, 0, streams[0], NULL},
                                       {function, 1, 1, 1, 64, 1, 1, 0, stream, NULL}};
    fails(hipErrorNotSupported, hipModuleLaunchCooperativeKernelMultiDevice(list, 2, 0));
    ok(hipStreamDestroy(stream));
    ok(hipSetDevice(0));
}

/* The last one. The second device's grid cannot be launched: the first one's, which comes later and would wait for it, is not. */
static void test_failure(void **state) {
    (void)state;
    atomic_uint *go = NULL;
    ok(hipHostMalloc((void **)&go, 4, 0));
    ok(hipStreamWaitValue32(streams[0], (void *)go, 1, hipStreamWaitValueEq, UINT32_MAX));
    atomic_store(&launched, 0);
    fake->fail_next("cuLaunchCooperativeKernel", CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES, 0, 1);
    ok(launch(0, 2, hipCooperativeLaunchMultiDeviceNoPreSync | hipCooperativeLaunchMultiDeviceNoPostSync));
    (void)hipStreamSynchronize(streams[1]);
    atomic_store(go, 1);
    fails(hipErrorLaunchFailure, hipStreamSynchronize(streams[0]));
    assert_int_equal(atomic_load(&launched), 0);
}

/* The other GPU reaches the pool as soon as it is let in. */
static void test_pool_of_peer(void **state) {
    (void)state;
    const hipMemPoolProps props = {.allocType = hipMemAllocationTypePinned, .location = {hipMemLocationTypeDevice, 0}};
    const hipMemAccessDesc second = {{hipMemLocationTypeDevice, 1}, hipMemAccessFlagsProtReadWrite},
                           apart = {{hipMemLocationTypeDevice, 2}, hipMemAccessFlagsProtReadWrite};
    const unsigned long let_in = fake->calls("cuCtxEnablePeerAccess");
    hipMemPool_t pool = NULL;
    hipMemAccessFlags flags;
    ok(hipMemPoolCreate(&pool, &props));
    ok(hipMemPoolSetAccess(pool, &second, 1));
    ok(hipMemPoolSetAccess(pool, &second, 1));
    assert_int_equal(fake->calls("cuCtxEnablePeerAccess") - let_in, 1);
    fails(hipErrorInvalidValue, hipMemPoolSetAccess(pool, &apart, 1));
    hipMemLocation location = apart.location;
    ok(hipMemPoolGetAccess(&flags, pool, &location));
    assert_int_equal(flags, hipMemAccessFlagsProtNone);
    ok(hipMemPoolDestroy(pool));
}

static CUresult run_store(const struct fake_launch *launch) {
    int *memory, value;
    memcpy((void *)&memory, launch->values[1], sizeof memory);
    memcpy(&value, (const char *)launch->values[1] + 8, sizeof value);
    if (!fake->reaches(launch->device, memory))
        return CUDA_ERROR_ILLEGAL_ADDRESS;
    *(int *)fake->at(memory) = value;
    return CUDA_SUCCESS;
}

/* A stream that another device has made, memory of the current one, access enabled from the current device to another one: a peer's memory,
 * once enabled, stays open to all devices that can reach it. */
static void test_stream_of_peer(void **state) {
    static const struct {
        int source, target, stream;
    } cases[] = {{0, 1, 0}, {1, 0, 0}, {1, 3, 3}, {3, 1, 0}};
    (void)state;
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        const int source = cases[i].source, target = cases[i].target, of = cases[i].stream;
        int *from = NULL, *to = NULL, value = 22 + (int)i, count = 1, result = 0;
        void *arguments[] = {(void *)&from, &value, &count};
        ok(hipSetDevice(source));
        ok(hipDeviceEnablePeerAccess(target, 0));
        ok(hipMalloc((void **)&from, sizeof *from));
        ok(hipSetDevice(target));
        ok(hipMalloc((void **)&to, sizeof *to));
        ok(hipSetDevice(source));
        ok(hipModuleLaunchKernel(stores[of], 1, 1, 1, 64, 1, 1, 0, streams[of], arguments, NULL));
        ok(hipMemcpyPeerAsync(to, target, from, source, sizeof *to, streams[of]));
        ok(hipStreamSynchronize(streams[of]));
        ok(hipMemcpy(&result, to, sizeof result, hipMemcpyDeviceToHost));
        assert_int_equal(result, value);
        ok(hipDeviceDisablePeerAccess(target));
        ok(hipFree(from));
        ok(hipFree(to));
    }
    ok(hipSetDevice(0));
}

int main(void) {
    setenv("FAKE_CUDA_DEVICES", "4", 1);
    use_fake_driver("cuda,cpu");
    fake->kernel("empty", run_empty);
    fake->kernel("add", run_store);
    for (int d = 0; d < DEVICES; d++) {
        hipModule_t module;
        if (hipSetDevice(d) != hipSuccess || hipModuleLoad(&module, API_TEST_OBJECT) != hipSuccess ||
            hipModuleGetFunction(&functions[d], module, "empty") != hipSuccess ||
            hipModuleGetFunction(&stores[d], module, "add") != hipSuccess || hipStreamCreate(&streams[d]) != hipSuccess)
            return 1;
    }
    (void)hipSetDevice(0);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pool_of_peer),
        cmocka_unit_test(test_stream_of_peer),
        cmocka_unit_test(test_each_device_gets_its_grid),
        cmocka_unit_test(test_where_the_barrier_is),
        cmocka_unit_test(test_cpu_devices),
        cmocka_unit_test(test_failure),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
