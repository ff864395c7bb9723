/* Errors that devices at hand never give: the areas on a HIP of which every function can be told to fail. */
#include <aml/area/hip.h>
#include <hip/hip_runtime_api.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static struct {
    hipError_t count, get, set, set_back, allocate, release, last;
    int device;
    unsigned flags;
    const char *called;
} hip;

static char memory[16];

hipError_t hipGetDeviceCount(int *count) {
    *count = 2;
    return hip.count;
}
hipError_t hipGetDevice(int *device) {
    *device = hip.device;
    return hip.get;
}
hipError_t hipSetDevice(int device) {
    hipError_t status = device == 0 ? hip.set_back : hip.set;
    if (status == hipSuccess)
        hip.device = device;
    return status;
}
static hipError_t allocate(const char *name, void **ptr, unsigned flags) {
    hip.called = name;
    hip.flags = flags;
    *ptr = memory;
    return hip.allocate;
}
hipError_t hipMalloc(void **ptr, size_t size) { return (void)size, allocate("hipMalloc", ptr, 0); }
hipError_t hipMallocManaged(void **ptr, size_t size, unsigned flags) { return (void)size, allocate("hipMallocManaged", ptr, flags); }
hipError_t hipHostAlloc(void **ptr, size_t size, unsigned flags) { return (void)size, allocate("hipHostAlloc", ptr, flags); }
hipError_t hipHostRegister(void *ptr, size_t size, unsigned flags) { return (void)size, allocate("hipHostRegister", &ptr, flags); }
hipError_t hipHostGetDevicePointer(void **device, void *host, unsigned flags) {
    return (void)device, (void)host, (void)flags, hipErrorInvalidValue;
}
hipError_t hipPeekAtLastError(void) { return hip.last; }
hipError_t hipGetLastError(void) {
    hipError_t last = hip.last;
    hip.last = hipSuccess;
    return last;
}
hipError_t hipFree(void *ptr) { return (void)ptr, hip.release; }
hipError_t hipHostFree(void *ptr) { return (void)ptr, hipErrorInvalidValue; }
hipError_t hipHostUnregister(void *ptr) { return (void)ptr, hipErrorHostMemoryNotRegistered; }

static int reset(void **state) {
    (void)state;
    memset(&hip, 0, sizeof hip);
    aml_errno = AML_SUCCESS;
    return 0;
}

static const struct {
    hipError_t hip;
    int aml;
} codes[] = {
    {hipErrorInvalidValue, AML_EINVAL},
    {hipErrorInvalidDevice, AML_EINVAL},
    {hipErrorMemoryAllocation, AML_ENOMEM},
    {hipErrorInitializationError, AML_FAILURE},
    {hipErrorInsufficientDriver, AML_ENOTSUP},
    {hipErrorNoDevice, AML_ENOTSUP},
    {hipErrorNotSupported, AML_ENOTSUP},
    {hipErrorContextAlreadyInUse, AML_EBUSY},
    {hipErrorHostMemoryAlreadyRegistered, AML_EBUSY},
    {hipErrorUnknown, AML_FAILURE},
};

/* Maps on device 1 while device 0 is current. */
static void *map(void) {
    struct aml_area_hip_mmap_options options = {.device = 1};
    aml_errno = AML_SUCCESS;
    return aml_area_mmap(&aml_area_hip, sizeof memory, (struct aml_area_mmap_options *)&options);
}

static void failures_of_each_step(void **state) {
    hipError_t *const steps[] = {&hip.get, &hip.set, &hip.allocate};
    for (unsigned step = 0; step < sizeof steps / sizeof *steps; step++)
        for (unsigned i = 0; i < sizeof codes / sizeof *codes; i++) {
            reset(state);
            *steps[step] = codes[i].hip;
            assert_null(map());
            assert_int_equal(aml_errno, codes[i].aml);
            assert_int_equal(hip.device, 0);
        }
}

static void memory_survives_a_lost_device(void **state) {
    (void)state;
    hip.set_back = hipErrorInvalidDevice;
    assert_ptr_equal(map(), memory);
    assert_int_equal(aml_errno, AML_EINVAL);
}

static void success_keeps_the_error(void **state) {
    (void)state;
    aml_errno = AML_EDOM;
    assert_ptr_equal(aml_area_mmap(&aml_area_hip, 1, NULL), memory);
    assert_int_equal(aml_errno, AML_EDOM);
}

static void flags_choose_the_function(void **state) {
    enum {
        H = AML_AREA_HIP_FLAG_ALLOC_HOST,
        U = AML_AREA_HIP_FLAG_ALLOC_UNIFIED,
        M = AML_AREA_HIP_FLAG_ALLOC_MAPPED,
        G = AML_AREA_HIP_FLAG_ALLOC_GLOBAL
    };
    static const struct {
        int flags;
        const char *function;
        unsigned passed;
    } cases[16] = {
        {0, "hipMalloc", 0},
        {G, "hipMalloc", 0},
        {H, "hipHostAlloc", 0},
        {H | G, "hipHostAlloc", hipHostAllocPortable},
        {M, "hipHostRegister", hipHostRegisterMapped},
        {M | G, "hipHostRegister", hipHostRegisterMapped | hipHostRegisterPortable},
        {H | M, "hipHostAlloc", hipHostAllocMapped},
        {H | M | G, "hipHostAlloc", hipHostAllocMapped | hipHostAllocPortable},
        {U, "hipMallocManaged", hipMemAttachHost},
        {U | G, "hipMallocManaged", hipMemAttachGlobal},
        {U | H, "hipMallocManaged", hipMemAttachHost},
        {U | H | G, "hipMallocManaged", hipMemAttachGlobal},
        {U | M, "hipMallocManaged", hipMemAttachHost},
        {U | M | G, "hipMallocManaged", hipMemAttachGlobal},
        {U | H | M, "hipMallocManaged", hipMemAttachHost},
        {U | H | M | G, "hipMallocManaged", hipMemAttachGlobal},
    };
    for (unsigned i = 0; i < 16; i++) {
        reset(state);
        struct aml_area *area;
        struct aml_area_hip_mmap_options options = {.device = -1, .ptr = memory};
        assert_int_equal(aml_area_hip_create(&area, 0, cases[i].flags), AML_SUCCESS);
        assert_ptr_equal(aml_area_mmap(area, sizeof memory, (struct aml_area_mmap_options *)&options), memory);
        assert_string_equal(hip.called, cases[i].function);
        assert_int_equal(hip.flags, cases[i].passed);
        aml_area_hip_destroy(&area);
    }
}

static void failures_of_create_and_munmap(void **state) {
    (void)state;
    struct aml_area *area = NULL;
    hip.count = hipErrorNoDevice;
    assert_int_equal(aml_area_hip_create(&area, 0, 0), -AML_FAILURE);
    assert_null(area);
    hip.release = hipErrorInvalidValue;
    assert_int_equal(aml_area_munmap(&aml_area_hip, memory, sizeof memory), -AML_EINVAL);
    hip.last = hipErrorLaunchFailure; /* the program's, which has not seen it yet */
    assert_int_equal(aml_area_munmap(&aml_area_hip, memory, sizeof memory), -AML_EINVAL);
    assert_int_equal(hip.last, hipErrorLaunchFailure);
    hip.release = hipErrorIllegalAddress; /* of a kernel that ran before; the memory is free */
    assert_int_equal(aml_area_munmap(&aml_area_hip, memory, sizeof memory), AML_SUCCESS);
}

static void backends(void **state) {
    (void)state;
    assert_int_equal(AML_HAVE_BACKEND_HIP, 1);
    assert_int_equal(aml_support_backends(AML_BACKEND_HIP), 1);
    assert_int_equal(aml_support_backends(0), 1);
    assert_int_equal(aml_support_backends(AML_BACKEND_CUDA), 0);
    assert_int_equal(aml_support_backends(AML_BACKEND_HIP | AML_BACKEND_OPENCL), 0);
    hip.count = hipErrorNoDevice;
    assert_int_equal(aml_support_backends(AML_BACKEND_HIP), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(failures_of_each_step, reset),         cmocka_unit_test_setup(memory_survives_a_lost_device, reset),
        cmocka_unit_test_setup(success_keeps_the_error, reset),       cmocka_unit_test_setup(flags_choose_the_function, reset),
        cmocka_unit_test_setup(failures_of_create_and_munmap, reset), cmocka_unit_test_setup(backends, reset),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
