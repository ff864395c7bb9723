/* The public headers: the same layouts and numbers as AMD's, every function exported. */
#include "api_test.h"

#include <dlfcn.h>

#define PROPERTIES hipDeviceProp_tR0000
#include "abi.inc"

const struct fact *facts_of_amd(size_t *count);

/* The newer properties, which the installed headers do not have. */
_Static_assert(sizeof(hipDeviceProp_tR0600) == 1472, "size of hipDeviceProp_tR0600");
_Static_assert(offsetof(hipDeviceProp_tR0600, totalGlobalMem) == 288, "totalGlobalMem");
_Static_assert(offsetof(hipDeviceProp_tR0600, multiProcessorCount) == 388, "multiProcessorCount");
_Static_assert(offsetof(hipDeviceProp_tR0600, gcnArchName) == 1160, "gcnArchName");

static void test_layouts(void **state) {
    (void)state;
    size_t count = 0;
    const struct fact *theirs = facts_of_amd(&count);
    assert_int_equal(count, sizeof facts / sizeof *facts);
    for (size_t i = 0; i < count; i++)
        if (facts[i].value != theirs[i].value)
            fail_msg("%s is %lld here and %lld in AMD's header", facts[i].name, facts[i].value, theirs[i].value);
}

/* Old and new programs look these up. */
static void test_symbols(void **state) {
    (void)state;
    static const struct {
        const char *name, *version;
    } symbols[] = {
        {"hipMalloc", "hip_4.2"},
        {"hipGetDeviceProperties", "hip_4.2"},
        {"hipGetDevicePropertiesR0600", "hip_6.0"},
        {"hipLaunchKernel", "hip_4.2"},
        {"__hipRegisterManagedVar", "hip_4.2"},
        {"hipMallocAsync", "hip_5.1"},
        {"hipMemcpy_spt", "hip_5.2"},
        {"hipLaunchHostFunc", "hip_5.3"},
        {"hipModuleLaunchCooperativeKernel", "hip_5.5"},
        {"hipExtModuleLaunchKernel", "hip_4.2"},
        {"_Z24hipExtModuleLaunchKernelP18ihipModuleSymbol_tjjjjjjmP12ihipStream_tPPvS4_P11ihipEvent_tS6_j", "hip_4.2"},
    };
    for (int version = 5; version <= 7; version++) {
        char name[32];
        snprintf(name, sizeof name, "libamdhip64.so.%d", version);
        void *library = dlopen(name, RTLD_NOW);
        if (!library)
            fail_msg("%s", dlerror());
        for (size_t i = 0; i < sizeof symbols / sizeof *symbols; i++)
            if (!dlvsym(library, symbols[i].name, symbols[i].version))
                fail_msg("%s: %s@%s is missing", name, symbols[i].name, symbols[i].version);
        assert_null(dlsym(library, "wl_fail"));
        dlclose(library);
    }
}

/* Programs of HIP 5 get that version's memory types: host 0, device 1, and an error for unknown addresses. */
static void test_memory_types_of_hip5(void **state) {
    (void)state;
    void *library = dlopen("libamdhip64.so.5", RTLD_NOW), *device = NULL, *host = NULL;
    hipError_t (*get)(hipPointerAttribute_t *, const void *) = NULL;
    hipPointerAttribute_t attributes;
    assert_non_null(library);
    *(void **)&get = dlvsym(library, "hipPointerGetAttributes", "hip_4.2");
    ok(hipMalloc(&device, 16));
    ok(hipHostMalloc(&host, 16, 0));
    ok(get(&attributes, device));
    assert_int_equal(attributes.type, 1);
    ok(get(&attributes, host));
    assert_int_equal(attributes.type, 0);
    fails(hipErrorInvalidValue, get(&attributes, &library));
    ok(hipFree(device));
    ok(hipHostFree(host));
    dlclose(library);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_layouts), cmocka_unit_test(test_symbols),
                                       cmocka_unit_test(test_memory_types_of_hip5)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
