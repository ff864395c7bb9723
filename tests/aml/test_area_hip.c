/* AML's HIP areas on the library: every flag, every way to choose a device, every error that real devices give. Runs with one
 * device and with four. */
#include <aml/area/hip.h>
#include <hip/hip_runtime_api.h>

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

enum { SIZE = 10000 };

static int device_count;

static int set_up(void **state) {
    (void)state;
    return hipGetDeviceCount(&device_count) != hipSuccess;
}

static int current_device(void) {
    int device;
    assert_int_equal(hipGetDevice(&device), hipSuccess);
    return device;
}

static hipPointerAttribute_t attributes_of(const void *ptr) {
    hipPointerAttribute_t attributes;
    assert_int_equal(hipPointerGetAttributes(&attributes, ptr), hipSuccess);
    return attributes;
}

/* That device code and the host see what the other wrote: copies go through the device's queue. */
static void check_usable(void *ptr, size_t size) {
    uint8_t *in = malloc(size), *out = malloc(size);
    for (size_t i = 0; i < size; i++)
        in[i] = (uint8_t)(i * 7 + size);
    assert_int_equal(hipMemcpy(ptr, in, size, hipMemcpyDefault), hipSuccess);
    assert_int_equal(hipMemcpy(out, ptr, size, hipMemcpyDefault), hipSuccess);
    assert_memory_equal(in, out, size);
    free(in);
    free(out);
}

static struct aml_area *make(int device, int flags) {
    struct aml_area *area = NULL;
    assert_int_equal(aml_area_hip_create(&area, device, flags), AML_SUCCESS);
    assert_non_null(area);
    return area;
}

static void *map(const struct aml_area *area, size_t size, struct aml_area_hip_mmap_options *options) {
    aml_errno = AML_SUCCESS;
    void *ptr = aml_area_mmap(area, size, (struct aml_area_mmap_options *)options);
    if (!ptr)
        fail_msg("aml_area_mmap: %s", aml_strerror(aml_errno));
    assert_int_equal(aml_errno, AML_SUCCESS);
    return ptr;
}

static void unmap(const struct aml_area *area, void *ptr, size_t size) {
    (void)hipGetLastError();
    assert_int_equal(aml_area_munmap(area, ptr, size), AML_SUCCESS);
    assert_int_equal(hipGetLastError(), hipSuccess);
    assert_int_equal(aml_area_munmap(area, ptr, size), -AML_EINVAL); /* it is gone */
}

static void expect_failure(const struct aml_area *area, size_t size, struct aml_area_hip_mmap_options *options, int error) {
    aml_errno = AML_SUCCESS;
    assert_null(aml_area_mmap(area, size, (struct aml_area_mmap_options *)options));
    assert_int_equal(aml_errno, error);
}

/* ---- flags ---------------------------------------------------------------------------------- */

static void device_memory(void **state) {
    (void)state;
    void *ptr = map(&aml_area_hip, SIZE, NULL);
    hipPointerAttribute_t attributes = attributes_of(ptr);
    assert_int_equal(attributes.type, hipMemoryTypeDevice);
    assert_int_equal(attributes.device, current_device());
    check_usable(ptr, SIZE);
    unmap(&aml_area_hip, ptr, SIZE);
}

static void unified_memory(void **state) {
    static const int more[] = {0, AML_AREA_HIP_FLAG_ALLOC_GLOBAL, AML_AREA_HIP_FLAG_ALLOC_HOST, AML_AREA_HIP_FLAG_ALLOC_MAPPED,
                               AML_AREA_HIP_FLAG_ALLOC_HOST | AML_AREA_HIP_FLAG_ALLOC_MAPPED | AML_AREA_HIP_FLAG_ALLOC_GLOBAL};
    (void)state;
    for (unsigned i = 0; i < sizeof more / sizeof *more; i++) {
        struct aml_area *area = make(-1, AML_AREA_HIP_FLAG_ALLOC_UNIFIED | more[i]);
        char *ptr = map(area, SIZE, NULL); /* ALLOC_MAPPED is ignored: no host memory is needed */
        assert_true(attributes_of(ptr).isManaged);
        memset(ptr, 5, SIZE);
        check_usable(ptr, SIZE);
        unmap(area, ptr, SIZE);
        aml_area_hip_destroy(&area);
    }
    char *ptr = map(&aml_area_hip_unified, SIZE, NULL);
    assert_true(attributes_of(ptr).isManaged);
    unmap(&aml_area_hip_unified, ptr, SIZE);
}

static void host_memory(void **state) {
    (void)state;
    for (unsigned global = 0; global < 2; global++)
        for (unsigned mapped = 0; mapped < 2; mapped++) {
            struct aml_area *area = make(-1, AML_AREA_HIP_FLAG_ALLOC_HOST | (mapped ? AML_AREA_HIP_FLAG_ALLOC_MAPPED : 0) |
                                                 (global ? AML_AREA_HIP_FLAG_ALLOC_GLOBAL : 0));
            char *ptr = map(area, SIZE, NULL);
            unsigned flags = 0;
            void *on_device = NULL;
            assert_int_equal(attributes_of(ptr).type, hipMemoryTypeHost);
            assert_int_equal(hipHostGetFlags(&flags, ptr), hipSuccess);
            assert_int_equal((flags & hipHostAllocPortable) != 0, global);
            assert_int_equal(hipHostGetDevicePointer(&on_device, ptr, 0), hipSuccess);
            memset(ptr, 3, SIZE);
            check_usable(on_device, SIZE);
            unmap(area, ptr, SIZE);
            aml_area_hip_destroy(&area);
        }
}

static void mapped_user_memory(void **state) {
    (void)state;
    for (unsigned global = 0; global < 2; global++) {
        struct aml_area *area = make(-1, AML_AREA_HIP_FLAG_ALLOC_MAPPED | (global ? AML_AREA_HIP_FLAG_ALLOC_GLOBAL : 0));
        char *memory = malloc(SIZE);
        struct aml_area_hip_mmap_options options = {.device = -1, .ptr = memory};
        char *ptr = map(area, SIZE, &options);
        void *on_device = NULL;
        assert_ptr_equal(ptr, memory);
        assert_ptr_equal(options.ptr, memory);
        assert_int_equal(hipHostGetDevicePointer(&on_device, ptr, 0), hipSuccess);
        check_usable(on_device, SIZE);
        expect_failure(area, SIZE, &options, AML_EBUSY); /* mapped already */
        unmap(area, ptr, SIZE);
        memset(memory, 1, SIZE); /* still ours */
        free(memory);
        aml_area_hip_destroy(&area);
    }
}

/* Ranges of any length and alignment, again and again in the same memory. */
static void mapped_ranges(void **state) {
    (void)state;
    struct aml_area *area = make(-1, AML_AREA_HIP_FLAG_ALLOC_MAPPED);
    char *memory = malloc((1 << 20) + 64);
    for (size_t size = 1; size <= 1 << 20; size = size < 64 ? size + 1 : size * 2 - size / 3)
        for (unsigned shift = 0; shift < 3; shift++) {
            struct aml_area_hip_mmap_options options = {.device = -1, .ptr = memory + shift * 21};
            void *on_device = NULL;
            char *ptr = map(area, size, &options);
            assert_int_equal(hipHostGetDevicePointer(&on_device, ptr, 0), hipSuccess);
            check_usable(on_device, size);
            assert_int_equal(aml_area_munmap(area, ptr, size), AML_SUCCESS);
        }
    free(memory);
    aml_area_hip_destroy(&area);
}

/* ---- devices -------------------------------------------------------------------------------- */

static void devices_by_create(void **state) {
    (void)state;
    for (int device = 0; device < device_count; device++)
        for (int current = 0; current < device_count; current++) {
            struct aml_area *area = make(device, AML_AREA_HIP_FLAG_DEFAULT);
            assert_int_equal(hipSetDevice(current), hipSuccess);
            void *ptr = map(area, SIZE, NULL);
            assert_int_equal(attributes_of(ptr).device, device);
            assert_int_equal(current_device(), current);
            check_usable(ptr, SIZE);
            unmap(area, ptr, SIZE);
            assert_int_equal(current_device(), current);
            aml_area_hip_destroy(&area);
        }
}

static void devices_by_options(void **state) {
    (void)state;
    struct aml_area *area = make(device_count - 1, AML_AREA_HIP_FLAG_DEFAULT);
    assert_int_equal(hipSetDevice(0), hipSuccess);
    for (int device = -1; device < device_count; device++) {
        struct aml_area_hip_mmap_options options = {.device = device};
        void *ptr = map(area, SIZE, &options);
        assert_int_equal(attributes_of(ptr).device, device < 0 ? device_count - 1 : device);
        assert_int_equal(current_device(), 0);
        unmap(area, ptr, SIZE);
    }
    aml_area_hip_destroy(&area);
}

static void current_device_if_negative(void **state) {
    (void)state;
    struct aml_area *area = make(-5, AML_AREA_HIP_FLAG_DEFAULT);
    for (int device = device_count - 1; device >= 0; device--) {
        assert_int_equal(hipSetDevice(device), hipSuccess);
        void *ptr = map(area, SIZE, NULL);
        assert_int_equal(attributes_of(ptr).device, device);
        unmap(area, ptr, SIZE);
    }
    aml_area_hip_destroy(&area);
}

/* ---- errors --------------------------------------------------------------------------------- */

static void errors_of_create(void **state) {
    (void)state;
    struct aml_area *area = &aml_area_hip;
    assert_int_equal(aml_area_hip_create(&area, device_count, 0), -AML_EINVAL);
    assert_ptr_equal(area, &aml_area_hip);
    assert_int_equal(aml_area_hip_create(NULL, 0, 0), -AML_EINVAL);
    area = make(0, 0);
    aml_area_hip_destroy(&area);
    assert_null(area);
    aml_area_hip_destroy(&area);
    aml_area_hip_destroy(NULL);
}

static void errors_of_mmap(void **state) {
    (void)state;
    int host;
    struct aml_area_hip_mmap_options options = {.device = device_count};
    assert_int_equal(hipSetDevice(0), hipSuccess);
    expect_failure(&aml_area_hip, SIZE, &options, AML_EINVAL);
    assert_int_equal(current_device(), 0);
    expect_failure(&aml_area_hip, (size_t)1 << 60, NULL, AML_ENOMEM);
    expect_failure(&aml_area_hip, 0, NULL, AML_SUCCESS); /* nothing asked for */
    aml_errno = AML_SUCCESS;
    assert_null(aml_area_hip_mmap(aml_area_hip.data, 0, NULL));
    assert_int_equal(aml_errno, AML_EINVAL);
    struct aml_area *area = make(0, AML_AREA_HIP_FLAG_ALLOC_MAPPED);
    options = (struct aml_area_hip_mmap_options){.device = -1};
    expect_failure(area, SIZE, NULL, AML_EINVAL);
    expect_failure(area, SIZE, &options, AML_EINVAL);
    aml_area_hip_destroy(&area);
    assert_int_equal(aml_area_hip_munmap(NULL, &host, sizeof host), -AML_EINVAL);
    assert_int_equal(aml_area_munmap(&aml_area_hip, NULL, SIZE), AML_SUCCESS);
}

static void generic_areas(void **state) {
    (void)state;
    struct aml_area_ops nothing = {0};
    struct aml_area area = {.ops = &nothing};
    int value;
    expect_failure(NULL, SIZE, NULL, AML_EINVAL);
    expect_failure(&area, SIZE, NULL, AML_ENOTSUP);
    assert_int_equal(aml_area_munmap(NULL, &value, sizeof value), -AML_EINVAL);
    assert_int_equal(aml_area_munmap(&area, &value, sizeof value), -AML_ENOTSUP);
    assert_int_equal(aml_area_fprintf(stderr, "", &area), -AML_ENOTSUP);
    assert_int_equal(aml_area_fprintf(stderr, "", NULL), -AML_EINVAL);
    assert_int_equal(aml_area_fprintf(NULL, "", &aml_area_hip), -AML_EINVAL);
    char text[128] = "";
    FILE *stream = fmemopen(text, sizeof text, "w");
    assert_int_equal(aml_area_fprintf(stream, "> ", &aml_area_hip_unified), AML_SUCCESS);
    fclose(stream);
    assert_non_null(strstr(text, "> area-hip: "));
    assert_non_null(strstr(text, "device -1, flags unified global\n"));
}

static void error_texts(void **state) {
    (void)state;
    for (int a = AML_SUCCESS; a < AML_ERROR_MAX; a++)
        for (int b = AML_SUCCESS; b < a; b++)
            assert_string_not_equal(aml_strerror(a), aml_strerror(b));
    assert_string_equal(aml_strerror(AML_ERROR_MAX), "unknown error");
    assert_string_equal(aml_strerror(-AML_EINVAL), "unknown error");
    assert_int_equal(aml_init(NULL, NULL), AML_SUCCESS);
    assert_int_equal(aml_finalize(), AML_SUCCESS);
}

/* ---- threads -------------------------------------------------------------------------------- */

static void *map_often(void *argument) {
    const struct aml_area *area = argument;
    for (int i = 0; i < 200; i++) {
        struct aml_area_hip_mmap_options options = {.device = i % device_count};
        void *ptr = aml_area_mmap(area, (size_t)i * 100 + 1, (struct aml_area_mmap_options *)&options);
        hipPointerAttribute_t attributes;
        if (!ptr || hipPointerGetAttributes(&attributes, ptr) != hipSuccess || attributes.device != options.device)
            return "wrong memory";
        if (aml_area_munmap(area, ptr, (size_t)i * 100 + 1) != AML_SUCCESS)
            return "not unmapped";
    }
    return NULL;
}

static void threads_share_an_area(void **state) {
    (void)state;
    pthread_t threads[8];
    for (unsigned i = 0; i < 8; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, map_often, &aml_area_hip), 0);
    for (unsigned i = 0; i < 8; i++) {
        void *result;
        pthread_join(threads[i], &result);
        if (result)
            fail_msg("%s", (const char *)result);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(device_memory),         cmocka_unit_test(unified_memory),
        cmocka_unit_test(host_memory),           cmocka_unit_test(mapped_user_memory),
        cmocka_unit_test(mapped_ranges),         cmocka_unit_test(devices_by_create),
        cmocka_unit_test(devices_by_options),    cmocka_unit_test(current_device_if_negative),
        cmocka_unit_test(errors_of_create),      cmocka_unit_test(errors_of_mmap),
        cmocka_unit_test(generic_areas),         cmocka_unit_test(error_texts),
        cmocka_unit_test(threads_share_an_area),
    };
    return cmocka_run_group_tests(tests, set_up, NULL);
}
