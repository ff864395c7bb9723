/* Which HIP headers a run-time compilation takes. */
#include "check.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static hiprtcResult compile(const char *source) {
    hiprtcProgram program;
    rtc_ok(hiprtcCreateProgram(&program, source, "headers.cpp", 0, NULL, NULL));
    hiprtcResult result = hiprtcCompileProgram(program, 0, NULL);
    rtc_ok(hiprtcDestroyProgram(&program));
    return result;
}

static void write_file(const char *folder, const char *name, const char *text) {
    char path[256];
    snprintf(path, sizeof path, "%s%s", folder, name);
    FILE *file = fopen(path, "we");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
}

/* The folder that HIP_PATH or ROCM_PATH names has one header of HIP alone, which goes on with the system's. */
static void test_named(void **state) {
    (void)state;
    static const char *const folders[] = {"", "/include", "/include/hip", "/include/hip/amd_detail", "/share", "/share/hip"};
    static const char *const files[] = {"/include/hip/amd_detail/amd_hip_runtime.h", "/share/hip/version"};
    static const char *const texts[] = {"#pragma once\n#define FROM_NAMED_FOLDER 1\n#include_next <hip/amd_detail/amd_hip_runtime.h>\n",
                                        "HIP_VERSION_MAJOR=5\nHIP_VERSION_MINOR=2\nHIP_VERSION_PATCH=0\n"};
    static const char source[] = "__global__ void kernel(int *x) { *x = FROM_NAMED_FOLDER; }\n";
    char root[] = "/tmp/wavelift-test-XXXXXX", path[256];
    assert_non_null(mkdtemp(root));
    for (size_t i = 1; i < sizeof folders / sizeof *folders; i++) {
        snprintf(path, sizeof path, "%s%s", root, folders[i]);
        assert_int_equal(mkdir(path, 0700), 0);
    }
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        write_file(root, files[i], texts[i]);
    const char *const names[] = {"HIP_PATH", "ROCM_PATH"};
    for (int i = 0; i < 2; i++) {
        rtc_fails(HIPRTC_ERROR_COMPILATION, compile(source)); /* neither names it */
        assert_int_equal(setenv(names[i], root, 1), 0);
        rtc_ok(compile(source));
        assert_int_equal(unsetenv(names[i]), 0);
    }
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        snprintf(path, sizeof path, "%s%s", root, files[i]);
        assert_int_equal(unlink(path), 0);
    }
    for (size_t i = sizeof folders / sizeof *folders; i-- > 0;) {
        snprintf(path, sizeof path, "%s%s", root, folders[i]);
        assert_int_equal(rmdir(path), 0);
    }
}

/* /usr/include is no folder of HIP's alone: the C++ library's headers have to come before it. */
static void test_system(void **state) {
    (void)state;
    assert_int_equal(setenv("HIP_PATH", "/usr", 1), 0);
    rtc_ok(compile("#include <cmath>\n#include <cstdlib>\n__global__ void kernel(float *x) { *x = std::fabs(*x); }\n"));
    assert_int_equal(unsetenv("HIP_PATH"), 0);
}

int main(void) {
    if (access("/usr/include/hip/amd_detail/amd_hip_runtime.h", R_OK) != 0) {
        puts("skipped: HIP's headers are not in /usr/include");
        return 77;
    }
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_named), cmocka_unit_test(test_system)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
