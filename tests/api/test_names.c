/* Names: every function of AMD's interface resolves under its version in each library, the unsupported ones refuse; the names
 * that tools ask for; half conversions. */
#include "api_test.h"

#include <dlfcn.h>
#include <math.h>

static void *open_version(int version) {
    char name[32];
    snprintf(name, sizeof name, "libamdhip64.so.%d", version);
    void *library = dlopen(name, RTLD_NOW);
    if (!library)
        fail_msg("%s", dlerror());
    return library;
}

/* Two words a line: a name and its version. */
static void for_all_names(void (*check)(void *library, const char *name, const char *version), void *library) {
    char name[160], version[16];
    FILE *file = fopen(API_TEST_NAMES, "r");
    assert_non_null(file);
    size_t count = 0;
    while (fscanf(file, "%159s %15s", name, version) == 2) {
        check(library, name, version);
        count++;
    }
    fclose(file);
    assert_true(count > 500);
}

static void resolves(void *library, const char *name, const char *version) {
    if (!dlvsym(library, name, version))
        fail_msg("%s@%s is missing", name, version);
    if (!dlsym(library, name))
        fail_msg("%s is missing without its version", name);
}

static void test_all_names_resolve(void **state) {
    (void)state;
    for (int version = 5; version <= 7; version++) {
        void *library = open_version(version);
        for_all_names(resolves, library);
        assert_null(dlsym(library, "wl_fail"));
        dlclose(library);
    }
}

/* The rows of unsupported.inc: HIP(name). */
static void test_unsupported_functions_refuse(void **state) {
    (void)state;
    char line[256], name[160];
    void *library = open_version(7);
    FILE *file = fopen(API_TEST_TABLE, "r");
    assert_non_null(file);
    size_t count = 0;
    while (fgets(line, sizeof line, file)) {
        if (sscanf(line, "HIP(%159[^)])", name) != 1)
            continue;
        int (*function)(void *, void *, void *) = NULL;
        *(void **)&function = dlsym(library, name);
        if (!function)
            fail_msg("%s is missing", name);
        (void)hipGetLastError();
        int result = function(NULL, NULL, NULL);
        if (result != (int)hipErrorNotSupported)
            fail_msg("%s returned %d", name, result);
        assert_int_equal(hipGetLastError(), hipErrorNotSupported);
        count++;
    }
    fclose(file);
    print_message("%zu functions are not supported\n", count);
    dlclose(library);
}

/* Clients that look plain names up get the structures that those names had first; newer ones ask for the newer name. */
static void test_plain_clients(void **state) {
    (void)state;
    static const char *const files[] = {"libamdhip64.so", "libamdhip64.so.5", "libamdhip64.so.6", "libamdhip64.so.7"};
    static union {
        hipDeviceProp_tR0000 older;
        hipDeviceProp_tR0600 newer;
        char bytes[8192];
    } properties;
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        void *library = dlopen(files[i], RTLD_NOW | RTLD_LOCAL);
        if (!library)
            fail_msg("%s", dlerror());
        hipError_t (*older)(void *, int) = NULL, (*older_too)(void *, int) = NULL, (*newer)(void *, int) = NULL;
        *(void **)&older = dlsym(library, "hipGetDeviceProperties");
        *(void **)&older_too = dlsym(library, "hipGetDevicePropertiesR0000");
        *(void **)&newer = dlsym(library, "hipGetDevicePropertiesR0600");
        for (int form = 0; form < 2; form++) {
            memset(&properties, 0x5a, sizeof properties);
            ok((form ? older_too : older)(&properties, 0));
            assert_int_equal(properties.older.warpSize, 32);
            assert_int_equal(properties.older.gcnArch, 1100);
            for (size_t at = sizeof properties.older; at < sizeof properties; at++)
                assert_int_equal(properties.bytes[at], 0x5a);
        }
        memset(&properties, 0x5a, sizeof properties);
        ok(newer(&properties, 0));
        assert_int_equal(properties.newer.warpSize, 32);
        assert_string_equal(properties.newer.gcnArchName, "gfx1100");
        for (size_t at = sizeof properties.newer; at < sizeof properties; at++)
            assert_int_equal(properties.bytes[at], 0x5a);
        dlclose(library);
    }
}

static void test_names_for_tools(void **state) {
    (void)state;
    void *library = open_version(7);
    const char *(*api)(uint32_t) = NULL, *(*command)(unsigned) = NULL, *(*rtc)(int) = NULL;
    *(void **)&api = dlsym(library, "hipApiName");
    *(void **)&command = dlsym(library, "hipGetCmdName");
    *(void **)&rtc = dlsym(library, "hiprtcGetErrorString");
    assert_string_equal(api(1), "__hipPopCallConfiguration");
    assert_string_equal(api(108), "hipMalloc");
    assert_string_equal(api(370), "hipGetDevicePropertiesR0600");
    assert_string_equal(api(414), "hipLinkAddData");
    assert_string_equal(api(0), "unknown");
    assert_string_equal(api(399), "unknown");
    assert_string_equal(api(1u << 31), "unknown");
    assert_string_equal(command(0x11F0), "KernelExecution");
    assert_string_equal(command(0x11F5), "CopyDeviceToDevice");
    assert_string_equal(command(77), "Unknown command type");
    assert_string_equal(rtc(6), "HIPRTC_ERROR_COMPILATION");
    dlclose(library);
}

/* All halves, against ldexp; and back, also from floats beside them. */
static void test_half_conversions(void **state) {
    (void)state;
    void *library = open_version(7);
    float (*widen)(unsigned short) = NULL;
    unsigned short (*narrow)(float) = NULL;
    *(void **)&widen = dlsym(library, "__gnu_h2f_ieee");
    *(void **)&narrow = dlsym(library, "__gnu_f2h_ieee");
    for (unsigned half = 0; half < 0x10000; half++) {
        unsigned exponent = half >> 10 & 31, mantissa = half & 1023;
        float wide = widen((unsigned short)half);
        if (exponent == 31 && mantissa) {
            assert_true(isnan(wide));
            assert_true((narrow(wide) & 0x7e00) == 0x7e00);
            continue;
        }
        double expected = exponent == 31 ? INFINITY : exponent ? ldexp(1024 + mantissa, (int)exponent - 25) : ldexp(mantissa, -24);
        assert_true((double)wide == (half & 0x8000 ? -expected : expected));
        assert_int_equal(narrow(wide), half);
        if (exponent < 30 && !(half & 0x8000)) { /* to nearest, ties to even */
            double next = (double)widen((unsigned short)(half + 1)), middle = (expected + next) / 2;
            assert_int_equal(narrow((float)middle), half & 1 ? half + 1 : half);
            assert_int_equal(narrow(nextafterf((float)middle, 0)), half);
            assert_int_equal(narrow(nextafterf((float)middle, INFINITY)), half + 1);
        }
    }
    assert_int_equal(narrow(65519.0f), 0x7bff);
    assert_int_equal(narrow(65520.0f), 0x7c00);
    assert_int_equal(narrow(-1e30f), 0xfc00);
    assert_int_equal(narrow(1e-30f), 0);
    dlclose(library);
}

int main(void) {
    setenv("WAVELIFT_ARCH", "gfx1100", 1);
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_all_names_resolve), cmocka_unit_test(test_unsupported_functions_refuse),
                                       cmocka_unit_test(test_plain_clients), cmocka_unit_test(test_names_for_tools),
                                       cmocka_unit_test(test_half_conversions)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
