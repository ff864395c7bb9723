/* The public headers: the same layouts and numbers as AMD's, every function exported. */
#include "api_test.h"

#include "api/hip5_program.h"

#include <dlfcn.h>
#include <unistd.h>

#define PROPERTIES hipDeviceProp_tR0000
#include "abi.inc"

const struct fact *facts_of_amd(size_t *count);

/* The newer properties, which the installed headers do not have. */
_Static_assert(sizeof(hipDeviceProp_tR0600) == 1472, "size of hipDeviceProp_tR0600");
_Static_assert(offsetof(hipDeviceProp_tR0600, totalGlobalMem) == 288, "totalGlobalMem");
_Static_assert(offsetof(hipDeviceProp_tR0600, multiProcessorCount) == 388, "multiProcessorCount");
_Static_assert(offsetof(hipDeviceProp_tR0600, gcnArchName) == 1160, "gcnArchName");

/* Structures of later versions. */
_Static_assert(sizeof(hipFunctionLaunchParams) == 56 && offsetof(hipFunctionLaunchParams, hStream) == 40, "hipFunctionLaunchParams");
_Static_assert(sizeof(hipLaunchAttribute) == 72 && offsetof(hipLaunchAttribute, value) == 8, "hipLaunchAttribute");
_Static_assert(sizeof(hipLaunchConfig_t) == 56 && offsetof(hipLaunchConfig_t, attrs) == 40, "hipLaunchConfig_t");
_Static_assert(sizeof(HIP_LAUNCH_CONFIG) == 56 && offsetof(HIP_LAUNCH_CONFIG, hStream) == 32, "HIP_LAUNCH_CONFIG");
_Static_assert(hipJitOptionNumOptions == 29 && hipJitOptionIRtoISAOptCountExt == 10001, "hipJitOption");

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

/* Nodes' types counted from 1 in HIP 5.2 and count from 0 since HIP 5.3. */
static void test_node_types_of_hip5(void **state) {
    (void)state;
    static const struct {
        const char *name;
        int empty; /* the number of an empty node */
    } callers[] = {{"silent", 6},  {"gcc12", 6}, {"gcc14", 5}, {"clang15", 6}, {"clang17", 5},
                   {"clang19", 6}, {"amd14", 6}, {"amd15", 5}, {"hip53", 5}};
    int (*get)(void *, int *) = NULL;
    void *library = dlopen("libamdhip64.so.5", RTLD_NOW);
    hipGraph_t graph = NULL;
    hipGraphNode_t node = NULL;
    hipGraphNodeType type = hipGraphNodeTypeCount;
    assert_non_null(library);
    *(void **)&get = dlsym(library, "hipGraphNodeGetType");
    assert_non_null(get);
    ok(hipGraphCreate(&graph, 0));
    ok(hipGraphAddEmptyNode(&node, graph, NULL, 0));
    ok(hipGraphNodeGetType(node, &type));
    assert_int_equal(type, 5);
    for (size_t i = 0; i < sizeof callers / sizeof *callers; i++) {
        char path[512];
        int (*ask)(int (*)(void *, int *), void *, int *) = NULL, number = 0;
        snprintf(path, sizeof path, "%s/node_type_%s.so", NODE_TYPE_CALLERS, callers[i].name);
        void *caller = dlopen(path, RTLD_NOW);
        if (!caller)
            fail_msg("%s", dlerror());
        *(void **)&ask = dlsym(caller, "ask_for_type");
        assert_non_null(ask);
        ok(ask(get, node, &number));
        if (number != callers[i].empty)
            fail_msg("%s was given %d", callers[i].name, number);
        dlclose(caller);
    }
    ok(hipGraphDestroy(graph));
    int number = 0;
    fails(hipErrorInvalidValue, (hipError_t)get(node, &number));
}

/* Files that are no programs, that end early, or whose bytes are wrong say nothing, and do no harm. */
static void test_damaged_programs_of_hip5(void **state) {
    (void)state;
    static unsigned char whole[1 << 17], damaged[1 << 17];
    char path[] = "/tmp/wavelift-abi-XXXXXX";
    FILE *file = fopen(NODE_TYPE_CALLERS "/node_type_hip53.so", "rb");
    assert_non_null(file);
    size_t size = fread(whole, 1, sizeof whole, file);
    fclose(file);
    assert_in_range(size, 64, sizeof whole - 1);
    int at = mkstemp(path);
    assert_true(at >= 0);
    assert_false(wl_hip5_file_is_later(path));
    assert_false(wl_hip5_file_is_later("/tmp"));
    assert_false(wl_hip5_file_is_later("/nowhere/at/all"));
    assert_int_equal(pwrite(at, whole, size, 0), size);
    assert_true(wl_hip5_file_is_later(path));
    uint32_t random = 1;
    for (unsigned i = 0; i < 4000; i++) {
        memcpy(damaged, whole, size);
        for (unsigned j = 0; j < 1 + i % 4; j++) {
            random = random * 1664525 + 1013904223;
            size_t place = i % 2 ? random >> 8 : size - 1 - (random >> 8) % (64 * 32); /* the headers of sections lie at the end */
            damaged[place % (i % 4 < 2 ? size : 64)] = (unsigned char)(random >> 3);
        }
        size_t length = i % 3 ? size : (random >> 8) % size;
        assert_int_equal(ftruncate(at, 0), 0);
        assert_int_equal(pwrite(at, damaged, length, 0), length);
        (void)wl_hip5_file_is_later(path); /* may say either */
    }
    assert_int_equal(ftruncate(at, 0), 0);
    assert_int_equal(pwrite(at, whole, size / 2, 0), size / 2); /* the headers of sections are gone */
    assert_false(wl_hip5_file_is_later(path));
    close(at);
    unlink(path);
}

/* Programs of HIP 5 name memory by its numbers, and have their own layouts of these structures. */
static void test_structures_of_hip5(void **state) {
    (void)state;
    struct side5 {
        unsigned x, y, z, level;
        int type;
        const void *host;
        void *device, *array;
        unsigned pitch, height;
    };
    struct {
        struct side5 source, target;
        unsigned width, height, depth;
    } volume = {.width = 4, .height = 2, .depth = 2};
    struct {
        unsigned char compression;
        hipMemLocation location;
        int handle, type;
        unsigned short usage;
        void *win32;
    } properties = {.location = {hipMemLocationTypeDevice, 0}, .type = hipMemAllocationTypePinned}, back;
    void *library = dlopen("libamdhip64.so.5", RTLD_NOW), *device = NULL;
    hipError_t (*copy)(const void *) = NULL, (*plane)(const hip_Memcpy2D *) = NULL,
                                  (*create)(void **, size_t, const void *, unsigned long long) = NULL, (*ask)(void *, void *) = NULL;
    void *handle = NULL;
    char in[64], out[64] = {0};
    assert_non_null(library);
    *(void **)&copy = dlvsym(library, "hipDrvMemcpy3D", "hip_4.2");
    *(void **)&plane = dlvsym(library, "hipMemcpyParam2D", "hip_4.2");
    *(void **)&create = dlvsym(library, "hipMemCreate", "hip_5.1");
    *(void **)&ask = dlvsym(library, "hipMemGetAllocationPropertiesFromHandle", "hip_5.1");
    for (int i = 0; i < 64; i++)
        in[i] = (char)i;
    ok(hipMalloc(&device, 64));
    ok(hipMemset(device, 0, 64));
    volume.source = (struct side5){.x = 1, .y = 1, .type = 0 /* host */, .host = in, .device = out, .pitch = 8, .height = 3};
    volume.target = (struct side5){.z = 1, .type = 1 /* device */, .host = out, .device = device, .pitch = 5, .height = 2};
    ok(copy(&volume));
    ok(hipMemcpy(out, device, 64, hipMemcpyDeviceToHost));
    assert_memory_equal(out + 10, in + 9, 4);
    assert_memory_equal(out + 10 + 5, in + 17, 4);
    assert_memory_equal(out + 20, in + 24 + 9, 4);
    hip_Memcpy2D flat = {.srcMemoryType = (hipMemoryType)1,
                         .srcHost = in,
                         .srcDevice = device,
                         .srcPitch = 4,
                         .dstMemoryType = (hipMemoryType)0,
                         .dstHost = out,
                         .dstPitch = 4,
                         .WidthInBytes = 4,
                         .Height = 1};
    ok(hipMemset(device, 0x7e, 4));
    ok(plane(&flat)); /* from the device, though a host pointer is given as well */
    assert_int_equal(out[3], 0x7e);
    ok(create(&handle, 4096, &properties, 0));
    memset(&back, 0, sizeof back);
    ok(ask(&back, handle));
    assert_int_equal(back.type, hipMemAllocationTypePinned);
    assert_int_equal(back.location.type, hipMemLocationTypeDevice);
    ok(hipMemRelease(handle));
    properties.type = 0;
    fails(hipErrorInvalidValue, create(&handle, 4096, &properties, 0));
    /* HIP 5.7 has the order of HIP 6. */
    hipMemAllocationProp today = {.type = hipMemAllocationTypePinned, .location = {hipMemLocationTypeDevice, 0}}, told = {0};
    ok(create(&handle, 4096, &today, 0));
    ok(ask(&told, handle));
    assert_int_equal(told.type, hipMemAllocationTypePinned);
    assert_int_equal(told.location.type, hipMemLocationTypeDevice);
    ok(hipMemRelease(handle));
    ok(hipFree(device));
    dlclose(library);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_layouts),
                                       cmocka_unit_test(test_symbols),
                                       cmocka_unit_test(test_memory_types_of_hip5),
                                       cmocka_unit_test(test_structures_of_hip5),
                                       cmocka_unit_test(test_node_types_of_hip5),
                                       cmocka_unit_test(test_damaged_programs_of_hip5)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
