/* Run-time compilation and linking: what is compiled is loaded and run; every documented error. */
#include "../itself.h"
#include "check.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define COUNT 1000

static const char axpy[] = "#include \"scale.h\"\n"
                           "__device__ int launches;\n"
                           "__constant__ float offset;\n"
                           "template <typename T> __global__ void axpy(T a, const T *x, T *y, int n) {\n"
                           "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                           "    if (i == 0) atomicAdd(&launches, 1);\n"
                           "    if (i < n) y[i] = a * x[i] * SCALE + y[i] + (T)offset;\n"
                           "}\n"
                           "__global__ void halves(__half *h, hip_bfloat16 *b) { *h = __float2half((float)*b); }\n"
                           "namespace inner { __global__ void nothing() {} }\n";
static const char *const scale[] = {"#define SCALE (2 * FACTOR)\n"}, *const scale_name[] = {"scale.h"};

static hiprtcProgram make(const char *source, const char *name) {
    hiprtcProgram program = NULL;
    rtc_ok(hiprtcCreateProgram(&program, source, name, 1, (const char **)scale, (const char **)scale_name));
    assert_non_null(program);
    return program;
}

static char *code_of(hiprtcProgram program, size_t *size) {
    rtc_ok(hiprtcGetCodeSize(program, size));
    char *code = malloc(*size);
    rtc_ok(hiprtcGetCode(program, code));
    return code;
}

static void run_axpy(hipFunction_t function, float *x, float *y) {
    float a = 3;
    int n = COUNT;
    void *arguments[] = {&a, &x, &y, &n};
    ok(hipModuleLaunchKernel(function, (COUNT + 63) / 64, 1, 1, 64, 1, 1, 0, NULL, arguments, NULL));
    ok(hipDeviceSynchronize());
}

/* Headers, options, template instances and variables by expression; the kernel runs. */
static void test_program(void **state) {
    (void)state;
    hiprtcProgram program = make(axpy, "path/axpy.hip");
    const char *name = NULL, *options[] = {"-DFACTOR=5", "-std=c++17", ""};
    static const char *const expressions[] = {"axpy<float>", "&axpy<double>", "inner::nothing", "&launches", "&offset"};
    enum { EXPRESSIONS = sizeof expressions / sizeof *expressions };
    for (int i = 0; i < EXPRESSIONS; i++)
        rtc_ok(hiprtcAddNameExpression(program, expressions[i]));
    rtc_fails(HIPRTC_ERROR_NO_LOWERED_NAMES_BEFORE_COMPILATION, hiprtcGetLoweredName(program, expressions[0], &name));
    rtc_ok(hiprtcCompileProgram(program, 3, options));
    rtc_fails(HIPRTC_ERROR_NO_NAME_EXPRESSIONS_AFTER_COMPILATION, hiprtcAddNameExpression(program, "axpy<int>"));
    rtc_fails(HIPRTC_ERROR_NAME_EXPRESSION_NOT_VALID, hiprtcGetLoweredName(program, "axpy<int>", &name));
    static const char *const lowered[] = {"_Z4axpyIfEvT_PKS0_PS0_i", "_Z4axpyIdEvT_PKS0_PS0_i", "_ZN5inner7nothingEv", "launches",
                                          "offset"};
    for (int i = 0; i < EXPRESSIONS; i++) {
        rtc_ok(hiprtcGetLoweredName(program, expressions[i], &name));
        assert_string_equal(name, lowered[i]);
    }
    size_t size = 0;
    rtc_fails(HIPRTC_ERROR_INVALID_PROGRAM, hiprtcGetBitcodeSize(program, &size));
    char *code = code_of(program, &size);
    hipModule_t module = NULL;
    hipFunction_t function = NULL;
    ok(hipModuleLoadData(&module, code));
    free(code);
    rtc_ok(hiprtcGetLoweredName(program, "axpy<float>", &name));
    ok(hipModuleGetFunction(&function, module, name));
    float *x = NULL, *y = NULL, host[COUNT], offset = 0.5f;
    ok(hipMalloc((void **)&x, sizeof host));
    ok(hipMalloc((void **)&y, sizeof host));
    for (int i = 0; i < COUNT; i++)
        host[i] = (float)i;
    ok(hipMemcpy(x, host, sizeof host, hipMemcpyHostToDevice));
    ok(hipMemcpy(y, host, sizeof host, hipMemcpyHostToDevice));
    void *variable = NULL;
    rtc_ok(hiprtcGetLoweredName(program, "&offset", &name));
    ok(hipModuleGetGlobal(&variable, &size, module, name));
    assert_int_equal(size, 4);
    ok(hipMemcpy(variable, &offset, 4, hipMemcpyHostToDevice));
    run_axpy(function, x, y);
    run_axpy(function, x, y);
    ok(hipMemcpy(host, y, sizeof host, hipMemcpyDeviceToHost));
    for (int i = 0; i < COUNT; i++)
        assert_true(host[i] == (float)i + 2 * (3 * 10 * (float)i + 0.5f));
    int launches = 0;
    rtc_ok(hiprtcGetLoweredName(program, "&launches", &name));
    ok(hipModuleGetGlobal(&variable, &size, module, name));
    ok(hipMemcpy(&launches, variable, 4, hipMemcpyDeviceToHost));
    assert_int_equal(launches, 2);
    ok(hipFree(x));
    ok(hipFree(y));
    ok(hipModuleUnload(module));
    rtc_ok(hiprtcDestroyProgram(&program));
    assert_null(program);
}

/* The log names the program's own file and line; the same program may be compiled again. */
static void test_log(void **state) {
    (void)state;
    hiprtcProgram program = make("extern \"C\" __global__ void k(int *p) {\n    *p = WHAT;\n}\n", "broken.hip");
    const char *define = "-DWHAT=threadIdx.x";
    size_t size = 7;
    char code[8];
    rtc_fails(HIPRTC_ERROR_COMPILATION, hiprtcCompileProgram(program, 0, NULL));
    rtc_ok(hiprtcGetProgramLogSize(program, &size));
    char *log = malloc(size);
    rtc_ok(hiprtcGetProgramLog(program, log));
    assert_int_equal(strlen(log) + 1, size);
    assert_non_null(strstr(log, "broken.hip:2:"));
    assert_non_null(strstr(log, "WHAT"));
    assert_null(strstr(log, "wavelift-rtc"));
    free(log);
    rtc_fails(HIPRTC_ERROR_INVALID_PROGRAM, hiprtcGetCodeSize(program, &size));
    rtc_fails(HIPRTC_ERROR_INVALID_PROGRAM, hiprtcGetCode(program, code));
    rtc_ok(hiprtcCompileProgram(program, 1, &define));
    rtc_ok(hiprtcGetCodeSize(program, &size));
    assert_true(size > 1000);
    rtc_ok(hiprtcGetProgramLogSize(program, &size));
    assert_int_equal(size, 0);
    rtc_ok(hiprtcDestroyProgram(&program));
}

/* What LLVM prints because of an option comes out on the program's standard error, as with a compiler that is a part of it. */
static void test_prints(void **state) {
    (void)state;
    static const char *const options[] = {"-mllvm", "-print-after=constmerge"};
    hiprtcProgram program = make("extern \"C\" __global__ void k(int *p) { *p = 3; }\n", NULL);
    char text[4096] = "";
    FILE *file = tmpfile();
    assert_non_null(file);
    fflush(stderr);
    int before = dup(STDERR_FILENO);
    assert_true(before >= 0 && dup2(fileno(file), STDERR_FILENO) >= 0);
    hiprtcResult result = hiprtcCompileProgram(program, 2, (const char **)options);
    fflush(stderr);
    assert_true(dup2(before, STDERR_FILENO) >= 0);
    assert_int_equal(close(before), 0);
    assert_int_equal(result, HIPRTC_SUCCESS);
    rewind(file);
    assert_true(fread(text, 1, sizeof text - 1, file) > 0);
    assert_non_null(strstr(text, "IR Dump"));
    assert_non_null(strstr(text, "@k("));
    assert_int_equal(fclose(file), 0);
    rtc_ok(hiprtcDestroyProgram(&program));
}

/* A target named by an option is the code's, whatever the device presents. */
static void test_target(void **state) {
    (void)state;
    static const char *const options[] = {"--gpu-architecture=gfx1030", "--offload-arch=gfx906"};
    static const unsigned char machines[] = {0x36, 0x2f}; /* EF_AMDGPU_MACH of each, the low byte of e_flags */
    for (int i = 0; i < 2; i++) {
        hiprtcProgram program = make("extern \"C\" __global__ void k() {}", NULL);
        size_t size = 0;
        rtc_ok(hiprtcCompileProgram(program, 1, (const char **)&options[i]));
        char *code = code_of(program, &size);
        assert_memory_equal(code, "\177ELF", 4);
        assert_int_equal((unsigned char)code[48], machines[i]);
        free(code);
        rtc_ok(hiprtcDestroyProgram(&program));
    }
}

static void test_arguments(void **state) {
    (void)state;
    hiprtcProgram program = NULL, gone;
    const char *text = "", *null = NULL, *up = "../outside.h", *name = NULL, *bad_option[] = {NULL};
    size_t size = 0;
    char byte;
    int major = 0, minor = -1;
    rtc_ok(hiprtcVersion(&major, &minor));
    assert_true(major >= 5 && minor >= 0);
    rtc_fails(HIPRTC_ERROR_INVALID_INPUT, hiprtcVersion(NULL, &minor));
    rtc_fails(HIPRTC_ERROR_INVALID_INPUT, hiprtcVersion(&major, NULL));
    rtc_fails(HIPRTC_ERROR_INVALID_INPUT, hiprtcCreateProgram(NULL, "", NULL, 0, NULL, NULL));
    rtc_fails(HIPRTC_ERROR_INVALID_INPUT, hiprtcCreateProgram(&program, NULL, NULL, 0, NULL, NULL));
    rtc_fails(HIPRTC_ERROR_INVALID_INPUT, hiprtcCreateProgram(&program, "", NULL, -1, NULL, NULL));
    rtc_fails(HIPRTC_ERROR_INVALID_INPUT, hiprtcCreateProgram(&program, "", NULL, 1, NULL, &text));
    rtc_fails(HIPRTC_ERROR_INVALID_INPUT, hiprtcCreateProgram(&program, "", NULL, 1, &text, NULL));
    rtc_fails(HIPRTC_ERROR_INVALID_INPUT, hiprtcCreateProgram(&program, "", NULL, 1, &null, &text));
    rtc_fails(HIPRTC_ERROR_INVALID_INPUT, hiprtcCreateProgram(&program, "", NULL, 1, &text, &text));
    rtc_ok(hiprtcCreateProgram(&program, "", NULL, 1, &text, &up));
    rtc_fails(HIPRTC_ERROR_BUILTIN_OPERATION_FAILURE, hiprtcCompileProgram(program, 0, NULL)); /* the header's name leads outside */
    rtc_fails(HIPRTC_ERROR_INVALID_INPUT, hiprtcCompileProgram(program, -1, NULL));
    rtc_fails(HIPRTC_ERROR_INVALID_INPUT, hiprtcCompileProgram(program, 1, NULL));
    rtc_fails(HIPRTC_ERROR_INVALID_OPTION, hiprtcCompileProgram(program, 1, bad_option));
    rtc_fails(HIPRTC_ERROR_INVALID_INPUT, hiprtcAddNameExpression(program, NULL));
    rtc_fails(HIPRTC_ERROR_INVALID_INPUT, hiprtcAddNameExpression(program, ""));
    rtc_fails(HIPRTC_ERROR_INVALID_INPUT, hiprtcGetLoweredName(program, NULL, &name));
    rtc_fails(HIPRTC_ERROR_INVALID_INPUT, hiprtcGetLoweredName(program, "k", NULL));
    rtc_fails(HIPRTC_ERROR_INVALID_INPUT, hiprtcGetProgramLogSize(program, NULL));
    rtc_fails(HIPRTC_ERROR_INVALID_INPUT, hiprtcGetProgramLog(program, NULL));
    rtc_fails(HIPRTC_ERROR_INVALID_INPUT, hiprtcGetCodeSize(program, NULL));
    rtc_fails(HIPRTC_ERROR_INVALID_INPUT, hiprtcGetCode(program, NULL));
    rtc_fails(HIPRTC_ERROR_INVALID_INPUT, hiprtcGetBitcode(program, NULL));
    gone = program;
    rtc_ok(hiprtcDestroyProgram(&program));
    rtc_fails(HIPRTC_ERROR_INVALID_INPUT, hiprtcDestroyProgram(NULL));
    rtc_fails(HIPRTC_ERROR_INVALID_PROGRAM, hiprtcDestroyProgram(&gone));
    rtc_fails(HIPRTC_ERROR_INVALID_PROGRAM, hiprtcCompileProgram(gone, 0, NULL));
    rtc_fails(HIPRTC_ERROR_INVALID_PROGRAM, hiprtcAddNameExpression(gone, "k"));
    rtc_fails(HIPRTC_ERROR_INVALID_PROGRAM, hiprtcGetLoweredName(gone, "k", &name));
    rtc_fails(HIPRTC_ERROR_INVALID_PROGRAM, hiprtcGetProgramLogSize(NULL, &size));
    rtc_fails(HIPRTC_ERROR_INVALID_PROGRAM, hiprtcGetCode(NULL, &byte));
    assert_string_equal(hiprtcGetErrorString(HIPRTC_ERROR_LINKING), "HIPRTC_ERROR_LINKING");
    assert_string_equal(hiprtcGetErrorString((hiprtcResult)77), "Invalid HIPRTC error code");
}

/* ---- linking ----------------------------------------------------------------------------------- */

static char *bitcode_of(const char *source, size_t *size) {
    hiprtcProgram program = make(source, "part.hip");
    const char *options[] = {"-fgpu-rdc"};
    rtc_ok(hiprtcCompileProgram(program, 1, options));
    rtc_fails(HIPRTC_ERROR_INVALID_PROGRAM, hiprtcGetCodeSize(program, size));
    rtc_ok(hiprtcGetBitcodeSize(program, size));
    char *bitcode = malloc(*size);
    rtc_ok(hiprtcGetBitcode(program, bitcode));
    rtc_ok(hiprtcDestroyProgram(&program));
    return bitcode;
}

static const char user[] = "extern __device__ int twice_and_one(int x);\n"
                           "extern \"C\" __global__ void run(int *p) { p[threadIdx.x] = twice_and_one(threadIdx.x); }\n";
static const char maker[] = "__device__ int twice_and_one(int x) { return 2 * x + 1; }\n";

static void check_linked(const void *binary) {
    hipModule_t module = NULL;
    hipFunction_t function = NULL;
    int *device = NULL, host[64];
    ok(hipModuleLoadData(&module, binary));
    ok(hipModuleGetFunction(&function, module, "run"));
    ok(hipMalloc((void **)&device, sizeof host));
    ok(hipModuleLaunchKernel(function, 1, 1, 1, 64, 1, 1, 0, NULL, (void *[]){&device}, NULL));
    ok(hipMemcpy(host, device, sizeof host, hipMemcpyDeviceToHost));
    for (int i = 0; i < 64; i++)
        assert_int_equal(host[i], 2 * i + 1);
    ok(hipFree(device));
    ok(hipModuleUnload(module));
}

static void test_link(void **state) {
    (void)state;
    size_t user_size = 0, maker_size = 0, size = 0;
    char *user_code = bitcode_of(user, &user_size), *maker_code = bitcode_of(maker, &maker_size);
    void *binary = NULL;
    hiprtcLinkState link = NULL;
    rtc_fails(HIPRTC_ERROR_INVALID_INPUT, hiprtcLinkCreate(0, NULL, NULL, NULL));
    rtc_fails(HIPRTC_ERROR_INVALID_INPUT, hiprtcLinkCreate(1, NULL, NULL, &link));
    rtc_ok(hiprtcLinkCreate(0, NULL, NULL, &link));
    rtc_fails(HIPRTC_ERROR_LINKING, hiprtcLinkComplete(link, &binary, &size)); /* nothing to link */
    rtc_fails(HIPRTC_ERROR_INVALID_INPUT, hiprtcLinkAddData(link, hipJitInputLLVMBitcode, NULL, 5, "x", 0, NULL, NULL));
    rtc_fails(HIPRTC_ERROR_INVALID_INPUT, hiprtcLinkAddData(link, hipJitInputLLVMBitcode, (void *)user, 5, "x", 0, NULL, NULL));
    rtc_fails(HIPRTC_ERROR_INVALID_INPUT, hiprtcLinkAddData(link, hipJitInputPtx, user_code, user_size, "x", 0, NULL, NULL));
    rtc_fails(HIPRTC_ERROR_INVALID_INPUT, hiprtcLinkAddData(link, hipJitInputLLVMBundledBitcode, user_code, user_size, "x", 0, NULL, NULL));
    rtc_fails(HIPRTC_ERROR_INVALID_INPUT, hiprtcLinkAddFile(link, hipJitInputNvvm, "/nowhere", 0, NULL, NULL)); /* before it is read */
    rtc_fails(HIPRTC_ERROR_PROGRAM_CREATION_FAILURE, hiprtcLinkAddFile(link, hipJitInputLLVMBitcode, "/nowhere", 0, NULL, NULL));
    rtc_ok(hiprtcLinkAddData(link, hipJitInputLLVMBitcode, user_code, user_size, "user", 0, NULL, NULL));
    rtc_fails(HIPRTC_ERROR_LINKING, hiprtcLinkComplete(link, &binary, &size)); /* twice_and_one is missing */
    rtc_ok(hiprtcLinkAddData(link, hipJitInputLLVMBitcode, maker_code, maker_size, "maker", 0, NULL, NULL));
    rtc_ok(hiprtcLinkComplete(link, &binary, &size));
    assert_true(size > 500);
    check_linked(binary);
    rtc_ok(hiprtcLinkDestroy(link));
    rtc_fails(HIPRTC_ERROR_INVALID_INPUT, hiprtcLinkDestroy(link));
    rtc_fails(HIPRTC_ERROR_INVALID_INPUT, hiprtcLinkComplete(link, &binary, &size));
    rtc_fails(HIPRTC_ERROR_INVALID_INPUT, hiprtcLinkDestroy(NULL));
    free(user_code);
    free(maker_code);
}

/* A bundle as clang writes it around bitcode: one entry for the host, one for the device's architecture. */
static char *bundle_of(const char *bitcode, uint64_t size, uint64_t *total) {
    hipDeviceProp_t properties;
    char id[300];
    ok(hipGetDeviceProperties(&properties, 0));
    uint64_t length = (uint64_t)snprintf(id, sizeof id, "hip-amdgcn-amd-amdhsa--%s", properties.gcnArchName);
    const char host_id[] = "host-x86_64-unknown-linux-gnu-";
    uint64_t entries = 2, host[3] = {4096, 0, sizeof host_id - 1}, device[3] = {4096, size, length};
    char *bundle = calloc(1, 4096 + size), *at = bundle;
    at = mempcpy(at, "__CLANG_OFFLOAD_BUNDLE__", 24);
    at = mempcpy(at, &entries, 8);
    at = mempcpy(at, host, 24);
    at = mempcpy(at, host_id, host[2]);
    at = mempcpy(at, device, 24);
    memcpy(at, id, length);
    memcpy(bundle + 4096, bitcode, size);
    *total = 4096 + size;
    return bundle;
}

static void test_hip_link(void **state) {
    (void)state;
    size_t user_size = 0, maker_size = 0, size = 0;
    uint64_t bundle_size = 0;
    char *user_code = bitcode_of(user, &user_size), *maker_code = bitcode_of(maker, &maker_size);
    char *bundle = bundle_of(maker_code, maker_size, &bundle_size), path[] = "/tmp/wavelift-test-XXXXXX";
    const char *option[] = {"-Wl,-O1"};
    hipJitOption options[] = {hipJitOptionIRtoISAOptExt, hipJitOptionIRtoISAOptCountExt};
    void *binary = NULL, *values[] = {(void *)option, (void *)(uintptr_t)1};
    hipLinkState_t link = NULL;
    int file = mkstemp(path);
    assert_true(file >= 0 && write(file, user_code, user_size) == (ssize_t)user_size && close(file) == 0);
    fails(hipErrorInvalidValue, hipLinkCreate(0, NULL, NULL, NULL));
    ok(hipLinkCreate(2, options, values, &link));
    fails(hipErrorFileNotFound, hipLinkAddFile(link, hipJitInputLLVMBitcode, "/nowhere", 0, NULL, NULL));
    fails(hipErrorInvalidValue, hipLinkAddData(link, hipJitInputCubin, user_code, user_size, NULL, 0, NULL, NULL));
    ok(hipLinkAddFile(link, hipJitInputLLVMBitcode, path, 0, NULL, NULL));
    fails(hipErrorSharedObjectInitFailed, hipLinkComplete(link, &binary, &size));
    ok(hipLinkAddData(link, hipJitInputLLVMBundledBitcode, bundle, bundle_size, NULL, 0, NULL, NULL));
    ok(hipLinkComplete(link, &binary, &size));
    check_linked(binary);
    ok(hipLinkDestroy(link));
    fails(hipErrorInvalidValue, hipLinkDestroy(link));
    unlink(path);
    free(bundle);
    free(user_code);
    free(maker_code);
}

/* ---- the precompiled header -------------------------------------------------------------------- */

/* What a kernel `extern "C" __global__ void k(int *p)` of this source stores. */
static int value_of(const char *source, int count, const char **options, const char *header, const char *header_name) {
    hiprtcProgram program = NULL;
    hipModule_t module = NULL;
    hipFunction_t function = NULL;
    size_t size = 0;
    int *device = NULL, value = -1;
    rtc_ok(hiprtcCreateProgram(&program, source, "k.hip", header ? 1 : 0, &header, &header_name));
    rtc_ok(hiprtcCompileProgram(program, count, options));
    char *code = code_of(program, &size);
    ok(hipModuleLoadData(&module, code));
    ok(hipModuleGetFunction(&function, module, "k"));
    ok(hipMalloc((void **)&device, sizeof value));
    ok(hipModuleLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, NULL, (void *[]){&device}, NULL));
    ok(hipMemcpy(&value, device, sizeof value, hipMemcpyDeviceToHost));
    ok(hipFree(device));
    ok(hipModuleUnload(module));
    rtc_ok(hiprtcDestroyProgram(&program));
    free(code);
    return value;
}

/* Calls `each` with the name of every file in the cache's folder that ends in `suffix`, and counts them. */
static int each_file(const char *folder, const char *suffix, void (*each)(const char *path)) {
    int count = 0;
    DIR *directory = opendir(folder);
    for (struct dirent *entry; directory && (entry = readdir(directory));) {
        char path[700];
        size_t length = strlen(entry->d_name), end = strlen(suffix);
        if (length < end || strcmp(entry->d_name + length - end, suffix) != 0)
            continue;
        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        if (each)
            each(path);
        count++;
    }
    if (directory)
        closedir(directory);
    return count;
}

static void damage(const char *path) { assert_int_equal(truncate(path, 1000), 0); }
static void delete(const char *path) { assert_int_equal(unlink(path), 0); }

/* In a process with a cache of its own: what is compiled with the header is what is compiled with the text. */
/* For processes that cmocka does not watch. */
#define demand(expected, value)                                                                                                            \
    do {                                                                                                                                   \
        int value_ = (value);                                                                                                              \
        if (value_ != (expected)) {                                                                                                        \
            fprintf(stderr, "line %d: %s is %d\n", __LINE__, #value, value_);                                                              \
            return 1;                                                                                                                      \
        }                                                                                                                                  \
    } while (0)

static int compile_with_header(const char *cache) {
    const char *defines[] = {"-DTEST_VALUE=5", "-nocudainc"}, *assertions[] = {"-DNDEBUG"}, *options[] = {"-O1", "-flegacy-pass-manager"};
    static const char plain[] = "extern \"C\" __global__ void k(int *p) { *p = TEST_VALUE; }\n";
    /* assert.h is read with the prelude: its macro is what it was defined as there. */
    static const char asserting[] = "extern \"C\" __global__ void k(int *p) {\n"
                                    "    *p = 1;\n"
                                    "    assert((*p = 2) == 2);\n"
                                    "}\n";
    static const char own[] = "#include <hip/hip_fp16.h>\n"
                              "extern \"C\" __global__ void k(int *p) { *p = OWN_HEADER; }\n";
    demand(0, each_file(cache, ".pch", NULL));
    demand(5, value_of(plain, 2, defines, NULL, NULL));
    demand(1, each_file(cache, ".pch", NULL));
    defines[0] = "-DTEST_VALUE=6"; /* no header knows it: the same one does */
    demand(6, value_of(plain, 2, defines, NULL, NULL));
    demand(1, each_file(cache, ".pch", NULL));
    demand(2, value_of(asserting, 0, NULL, NULL, NULL));
    demand(1, value_of(asserting, 1, assertions, NULL, NULL));
    demand(1, each_file(cache, ".pch", NULL)); /* made when they are seen again */
    demand(1, value_of(asserting, 1, assertions, NULL, NULL));
    demand(2, each_file(cache, ".pch", NULL));
    demand(1, value_of(asserting, 1, assertions, NULL, NULL));
    demand(2, value_of(asserting, 0, NULL, NULL, NULL));
    /* A header of the program's that has the name of one of HIP's takes its place. */
    demand(9, value_of(own, 0, NULL, "#define OWN_HEADER 9\n", "hip/hip_fp16.h"));
    /* Damaged: compiled with the text, then made again. */
    each_file(cache, ".pch", damage);
    demand(6, value_of(plain, 2, defines, NULL, NULL));
    demand(1, each_file(cache, ".pch", NULL));
    demand(6, value_of(plain, 2, defines, NULL, NULL));
    demand(2, each_file(cache, ".pch", NULL));
    each_file(cache, ".rtc", damage);
    demand(6, value_of(plain, 2, defines, NULL, NULL));
    each_file(cache, ".pch", delete);
    demand(6, value_of(plain, 2, defines, NULL, NULL));
    demand(1, each_file(cache, ".pch", NULL));
    /* Other options for the parser, another header. */
    demand(2, value_of(asserting, 2, options, NULL, NULL));
    demand(2, each_file(cache, ".pch", NULL));
    demand(0, each_file(cache, ".tmp", NULL));
    return 0;
}

static void ends_well(pid_t child) {
    int status = -1;
    waitpid(child, &status, 0);
    assert_int_equal(status, 0);
}

/* A program may define what the host's headers define, where there is no other way to have it; what is wrong in such a program is said of
 * its own lines. Device functions of each header are there, and nothing that only the declarations needed. */
static void test_without_host_headers(void **state) {
    (void)state;
    static const char text[] =
        "#ifndef __HIPCC_RTC__\n#error it is hiprtc\n#endif\n"
        "#ifdef CHAR_BIT\n#define LEFT 1\n#else\n#define LEFT 0\n#endif\n"
        "namespace std {\n"
        "template <typename T> struct numeric_limits;\n"
        "template <> struct numeric_limits<int> { static constexpr int max() { return 41; } };\n"
        "template <typename T> struct tuple { T first; };\n"
        "}\n"
        "extern \"C\" __global__ void k(int *p) {\n"
        "    std::tuple<__half> h = {__float2half(sqrtf(__shfl(4.0f, 0)))};\n"
        "    float4 v = make_float4(1, 2, 3, WHAT);\n"
        "    *p = 0;\n"
        "        atomicAdd(p, std::numeric_limits<int>::max() + (int)v.x + LEFT + __popc(0) + (__half2float(h.first) != 2));\n"
        "    __syncthreads();\n"
        "}\n";
    const char *define = "-DWHAT=4";
    hiprtcProgram program = make(text, "bare.hip");
    size_t size = 0;
    rtc_fails(HIPRTC_ERROR_COMPILATION, hiprtcCompileProgram(program, 0, NULL));
    rtc_ok(hiprtcGetProgramLogSize(program, &size));
    char *log = malloc(size);
    rtc_ok(hiprtcGetProgramLog(program, log));
    assert_non_null(strstr(log, "bare.hip:"));
    free(log);
    rtc_ok(hiprtcDestroyProgram(&program));
    assert_int_equal(value_of(text, 1, &define, NULL, NULL), 42);
}

/* What AMD's hiprtc declares by itself: complex numbers, constants, ptrdiff_t in the type that the program wants; with the host's headers
 * and without (the second text defines what those have). */
static void test_declarations(void **state) {
    (void)state;
    static const char kernel[] = "extern \"C\" __global__ void k(int *p) {\n"
                                 "    hipFloatComplex a = hipCmulf(make_hipFloatComplex(2.5f, 3.5f), make_hipFloatComplex(4.5f, 5.5f));\n"
                                 "    hipDoubleComplex b = hipConj(make_hipDoubleComplex(1, 2));\n"
                                 "    *p = (a.x == -8 && a.y == 29.5f) + (b.y == -2) + (HIP_PI_F == 3.141592654f) + (HIP_INF > 1e308) +\n"
                                 "         (HIP_LN2_HI == 6.9314718055994529e-1) + (HIP_NEG_ZERO_F == 0) + (sizeof(ptrdiff_t) == 8);\n"
                                 "}\n";
    static const char types[] =
        "extern \"C\" __global__ void k(int *p) {\n"
        "    *p = 1 + __hip_internal::is_same<ptrdiff_t, long long>::value + 10 * __hip_internal::is_same<ptrdiff_t, long>::value;\n"
        "}\n";
    const char *plain = "-D__HIPRTC_PTRDIFF_T_IS_LONG_LONG__=0", *wide = "-D__HIPRTC_PTRDIFF_T_IS_LONG_LONG__=1";
    char alone[2048];
    snprintf(alone, sizeof alone, "namespace std { template <typename T> struct tuple { T first; }; }\nstd::tuple<int> unused;\n%s",
             kernel);
    assert_int_equal(value_of(kernel, 0, NULL, NULL, NULL), 7);
    assert_int_equal(value_of(alone, 0, NULL, NULL, NULL), 7);
    assert_int_equal(value_of(types, 1, &plain, NULL, NULL), 11);
    assert_int_equal(value_of(types, 1, &wide, NULL, NULL), 2);
}

static void test_precompiled(void **state) {
    (void)state;
    enum { PROCESSES = 3 };
    if (!getenv("WL_TEST_PRECOMPILED")) /* once is enough */
        skip();
    char cache[] = "/tmp/wavelift-test-XXXXXX";
    pid_t children[PROCESSES];
    assert_non_null(mkdtemp(cache));
    /* One process looks at the folder's files; then several begin with an empty one. */
    for (int round = 0; round < 2; round++) {
        int processes = round ? PROCESSES : 1;
        for (int i = 0; i < processes; i++)
            if ((children[i] = fork()) == 0) {
                setenv("WAVELIFT_CACHE_DIR", cache, 1);
                become_itself(round ? "together" : "header", cache, NULL);
                _exit(99);
            }
        for (int i = 0; i < processes; i++)
            ends_well(children[i]);
        if (round)
            assert_true(each_file(cache, ".pch", NULL) >= 1);
        each_file(cache, ".pch", delete);
        each_file(cache, ".rtc", delete);
        each_file(cache, ".wlo", delete);
    }
    assert_int_equal(rmdir(cache), 0);
}

static int compile_together(void) {
    const char *options[] = {"-DTEST_VALUE=7"};
    for (int i = 0; i < 3; i++)
        if (value_of("extern \"C\" __global__ void k(int *p) { *p = TEST_VALUE; }\n", 1, options, NULL, NULL) != 7)
            return 1;
    return 0;
}

/* ---- unloading -------------------------------------------------------------------------------- */

enum { PATIENCE_S = 120 };

/* Whether there is such a file, in time. */
static bool appears(const char *path) {
    for (int tenths = 0; tenths < PATIENCE_S * 10 && access(path, F_OK) != 0; tenths++)
        usleep(100000);
    return access(path, F_OK) == 0;
}

/* A copy of the kernel's code, by what the translator dumps of it. */
static struct {
    char lifted[700], optimized[700], object[700];
} copy;

static void note_copy(const char *object) {
    const int length = (int)(strlen(object) - strlen(".o"));
    snprintf(copy.lifted, sizeof copy.lifted, "%.*s-lifted.ll", length, object);
    snprintf(copy.optimized, sizeof copy.optimized, "%.*s-optimized.ll", length, object);
    snprintf(copy.object, sizeof copy.object, "%s", object);
}

static void drain(const char *path) {
    char text[4096];
    int pipe = open(path, O_RDONLY | O_CLOEXEC);
    while (read(pipe, text, sizeof text) > 0)
        continue;
    close(pipe);
}

static int run_once(const char *code, hipModule_t *module) {
    hipFunction_t function = NULL;
    int *device = NULL, got = 0;
    demand(hipSuccess, hipModuleLoadData(module, code));
    demand(hipSuccess, hipModuleGetFunction(&function, *module, "k"));
    demand(hipSuccess, hipMalloc((void **)&device, sizeof got));
    demand(hipSuccess, hipModuleLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, NULL, (void *[]){&device}, NULL));
    demand(hipSuccess, hipMemcpy(&got, device, sizeof got, hipMemcpyDeviceToHost));
    demand(hipSuccess, hipFree(device));
    return got;
}

/* A module goes while native code of it is being made: nobody waits for that, and what was begun is finished all the same. That it is
 * being made is sure: what the translator dumps in the middle goes to a pipe, which nobody reads before the module is gone. */
static int unload_early(const char *folder) {
    hiprtcProgram program = NULL;
    hipModule_t module = NULL;
    size_t size = 0;
    rtc_ok(hiprtcCreateProgram(&program, "extern \"C\" __global__ void k(int *p) { *p = 3; }\n", "small.hip", 0, NULL, NULL));
    rtc_ok(hiprtcCompileProgram(program, 0, NULL));
    char *code = code_of(program, &size);
    alarm(2 * PATIENCE_S);
    demand(3, run_once(code, &module));
    while (!each_file(folder, ".o", note_copy))
        usleep(100000);
    demand(hipSuccess, hipModuleUnload(module));
    delete (copy.object);
    delete (copy.lifted);
    delete (copy.optimized);
    demand(0, mkfifo(copy.optimized, 0600));
    demand(3, run_once(code, &module));
    demand(true, appears(copy.lifted));
    demand(hipSuccess, hipModuleUnload(module));
    demand(-1, access(copy.object, F_OK));
    drain(copy.optimized);
    demand(true, appears(copy.object));
    rtc_ok(hiprtcDestroyProgram(&program));
    free(code);
    return 0;
}

static void test_unload(void **state) {
    (void)state;
    char folder[] = "/tmp/wavelift-test-XXXXXX";
    assert_non_null(mkdtemp(folder));
    pid_t child = fork();
    if (child == 0) {
        setenv("WAVELIFT_CACHE_SIZE", "0", 1);
        setenv("WAVELIFT_DUMP", folder, 1);
        setenv("WAVELIFT_TIER", "0", 1);
        become_itself("unload", folder, NULL);
        _exit(99);
    }
    ends_well(child);
    each_file(folder, ".ll", delete);
    each_file(folder, ".o", delete);
    assert_int_equal(rmdir(folder), 0);
}

/* ---- without a compiler ------------------------------------------------------------------------ */

static int compile_without_compiler(void) {
    hiprtcProgram program = NULL;
    char log[400] = "";
    size_t size = 0;
    if (hiprtcCreateProgram(&program, "", NULL, 0, NULL, NULL) != HIPRTC_SUCCESS)
        return 1;
    if (hiprtcCompileProgram(program, 0, NULL) != HIPRTC_ERROR_BUILTIN_OPERATION_FAILURE)
        return 2;
    if (hiprtcGetProgramLogSize(program, &size) != HIPRTC_SUCCESS || size > sizeof log ||
        hiprtcGetProgramLog(program, log) != HIPRTC_SUCCESS || !strstr(log, "WAVELIFT_CLANG"))
        return 3;
    return hiprtcDestroyProgram(&program) == HIPRTC_SUCCESS ? 0 : 4;
}

/* A compiler that fails without a word: the log has one all the same. */
static int compile_without_words(void) {
    hiprtcProgram program = NULL;
    char log[400] = "";
    size_t size = 0;
    rtc_ok(hiprtcCreateProgram(&program, "", NULL, 0, NULL, NULL));
    demand((int)HIPRTC_ERROR_COMPILATION, (int)hiprtcCompileProgram(program, 0, NULL));
    rtc_ok(hiprtcGetProgramLogSize(program, &size));
    demand(true, size > 1 && size < sizeof log);
    rtc_ok(hiprtcGetProgramLog(program, log));
    demand(true, strstr(log, "said nothing") != NULL && strstr(log, getenv("WL_TEST_HOW")) != NULL);
    rtc_ok(hiprtcDestroyProgram(&program));
    return 0;
}

static void write_script(const char *folder, const char *name, const char *text) {
    char path[700];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    int file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0700);
    assert_true(file >= 0 && dprintf(file, "#!/bin/sh\n%s\n", text) > 0 && close(file) == 0);
}

static void test_silent_compiler(void **state) {
    (void)state;
    static const char *const scripts[] = {"exit 3", "kill -9 $$"}, *const ends[] = {"status 3", "signal 9"};
    char folder[] = "/tmp/wavelift-test-XXXXXX", path[700];
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/silent", folder);
    for (int i = 0; i < 2; i++) {
        write_script(folder, "silent", scripts[i]);
        pid_t child = fork();
        if (child == 0) {
            setenv("WAVELIFT_CLANG", path, 1);
            setenv("WAVELIFT_CACHE_DIR", folder, 1); /* no precompiled header is of use */
            setenv("WL_TEST_HOW", ends[i], 1);
            become_itself("silent", folder, NULL);
            _exit(99);
        }
        ends_well(child);
    }
    each_file(folder, ".rtc", delete);
    assert_int_equal(unlink(path), 0);
    assert_int_equal(rmdir(folder), 0);
}

/* ---- bitcode of a newer compiler ---------------------------------------------------------------- */

/* Links the bitcode in the folder; `expected` is what comes of it. */
static int link_files(const char *folder, hiprtcResult expected) {
    static const char *const names[] = {"user.bc", "maker.bc"};
    hiprtcLinkState link = NULL;
    void *binary = NULL;
    size_t size = 0;
    char path[700];
    rtc_ok(hiprtcLinkCreate(0, NULL, NULL, &link));
    for (int i = 0; i < 2; i++) {
        snprintf(path, sizeof path, "%s/%s", folder, names[i]);
        rtc_ok(hiprtcLinkAddFile(link, hipJitInputLLVMBitcode, path, 0, NULL, NULL));
    }
    demand((int)expected, (int)hiprtcLinkComplete(link, &binary, &size));
    if (expected == HIPRTC_SUCCESS)
        check_linked(binary);
    rtc_ok(hiprtcLinkDestroy(link));
    return 0;
}

static void write_bitcode(const char *folder, const char *name, const char *source) {
    char path[700];
    size_t size = 0;
    char *code = bitcode_of(source, &size);
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "wbe");
    assert_true(file && fwrite(code, 1, size, file) == size && fclose(file) == 0);
    free(code);
}

/* Which compiler the tests have, as a shell finds it: one that reads the device libraries. */
static void find_clang(char path[4096]) {
    const char *named = getenv("WAVELIFT_CLANG");
    char command[400];
    snprintf(command, sizeof command, "command -v %s", named ? named : TEST_CLANG " || command -v clang++");
    FILE *pipe = popen(command, "re");
    assert_non_null(pipe);
    *path = 0;
    if (fgets(path, 4096, pipe))
        path[strcspn(path, "\n")] = 0;
    pclose(pipe);
}

/* The first compiler that is found says what an older LLVM says of newer bitcode; there is a newer compiler, or none that is new enough, or
 * the user has named one. */
static void test_newer_bitcode(void **state) {
    (void)state;
    static const char old[] =
        "echo \"ld.lld: error: Unknown attribute kind (102) (Producer: 'LLVM22.1.8' Reader: 'LLVM 19.1.7')\" >&2\nexit 1";
    char folder[] = "/tmp/wavelift-test-XXXXXX", clang[4096], script[4200], path[4200];
    assert_non_null(mkdtemp(folder));
    find_clang(clang);
    if (!*clang)
        skip();
    write_bitcode(folder, "user.bc", user);
    write_bitcode(folder, "maker.bc", maker);
    write_script(folder, "clang++-19", old);
    snprintf(script, sizeof script, "exec %s \"$@\"", clang);
    for (int round = 0; round < 3; round++) {
        write_script(folder, round == 0 ? "clang++-20" : "clang++-23", script); /* too old, then one that will do */
        pid_t child = fork();
        if (child == 0) {
            unsetenv("WAVELIFT_CLANG");
            if (round == 2)
                setenv("WAVELIFT_CLANG", "clang++-19", 1);
            setenv("PATH", folder, 1);
            become_itself(round == 1 ? "link" : "link-fails", folder, NULL);
            _exit(99);
        }
        ends_well(child);
    }
    static const char *const files[] = {"user.bc", "maker.bc", "clang++-19", "clang++-20", "clang++-23"};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        snprintf(path, sizeof path, "%s/%s", folder, files[i]);
        assert_int_equal(unlink(path), 0);
    }
    assert_int_equal(rmdir(folder), 0);
}

static void test_no_compiler(void **state) {
    (void)state;
    pid_t child = fork();
    if (child == 0) {
        setenv("WAVELIFT_CLANG", "/nowhere/clang++", 1);
        become_itself("no-compiler", NULL, NULL);
        _exit(99);
    }
    ends_well(child);
}

int main(int count, char **arguments) {
    if (count == 3)
        return strcmp(arguments[1], "header") == 0       ? compile_with_header(arguments[2])
               : strcmp(arguments[1], "unload") == 0     ? unload_early(arguments[2])
               : strcmp(arguments[1], "silent") == 0     ? compile_without_words()
               : strcmp(arguments[1], "link") == 0       ? link_files(arguments[2], HIPRTC_SUCCESS)
               : strcmp(arguments[1], "link-fails") == 0 ? link_files(arguments[2], HIPRTC_ERROR_LINKING)
                                                         : compile_together();
    if (count == 2)
        return compile_without_compiler();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_program),         cmocka_unit_test(test_log),
        cmocka_unit_test(test_prints),          cmocka_unit_test(test_target),
        cmocka_unit_test(test_arguments),       cmocka_unit_test(test_link),
        cmocka_unit_test(test_hip_link),        cmocka_unit_test(test_no_compiler),
        cmocka_unit_test(test_silent_compiler), cmocka_unit_test(test_newer_bitcode),
        cmocka_unit_test(test_precompiled),     cmocka_unit_test(test_unload),
        cmocka_unit_test(test_declarations),    cmocka_unit_test(test_without_host_headers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
