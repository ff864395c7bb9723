/* HIP's handles and the driver's in one program: what holds on the fake driver and on a real one. */
#ifndef WL_TEST_CUDA_INTEROP_TEST_H
#define WL_TEST_CUDA_INTEROP_TEST_H

#include <hip/hip_cuda_interop.h>

enum { INTEROP_WORDS = 4096 };

static const char interop_ptx[] = ".version 7.0\n.target sm_70\n.address_size 64\n"
                                  ".visible .entry add(.param .u64 values, .param .u32 amount)\n"
                                  "{ .reg .b32 %r<6>; .reg .b64 %rd<4>;\n"
                                  "ld.param.u64 %rd1,[values]; ld.param.u32 %r1,[amount];\n"
                                  "mov.u32 %r2,%ctaid.x; mov.u32 %r3,%ntid.x; mov.u32 %r4,%tid.x; mad.lo.s32 %r5,%r2,%r3,%r4;\n"
                                  "mul.wide.u32 %rd2,%r5,4; add.s64 %rd3,%rd1,%rd2;\n"
                                  "ld.global.u32 %r2,[%rd3]; add.s32 %r2,%r2,%r1; st.global.u32 [%rd3],%r2; ret; }\n";

/* The driver's functions that the tests call themselves; each returns 0 for success. */
static struct {
    int (*context)(CUcontext *);
    int (*create)(CUstream *, unsigned, int);
    int (*destroy)(CUstream);
    int (*query)(CUstream);
    int (*set)(unsigned long long, unsigned, size_t, CUstream);
    int (*wait)(CUstream, CUevent, unsigned);
    int (*event_create)(CUevent *, unsigned);
    int (*event_record)(CUevent, CUstream);
    int (*event_query)(CUevent);
    int (*event_synchronize)(CUevent);
    int (*event_destroy)(CUevent);
    int (*load)(CUmodule *, const void *, unsigned, void *, void *);
    int (*unload)(CUmodule);
    int (*function)(CUfunction *, CUmodule, const char *);
    int (*launch)(CUfunction, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, CUstream, void **, void **);
} cu;

static void open_driver(const char *path) {
    static const char *const names[] = {"cuCtxGetCurrent",  "cuStreamCreateWithPriority", "cuStreamDestroy_v2", "cuStreamQuery",
                                        "cuMemsetD32Async", "cuStreamWaitEvent",          "cuEventCreate",      "cuEventRecord",
                                        "cuEventQuery",     "cuEventSynchronize",         "cuEventDestroy_v2",  "cuModuleLoadDataEx",
                                        "cuModuleUnload",   "cuModuleGetFunction",        "cuLaunchKernel"};
    void *library = dlopen(path, RTLD_NOW), *functions[sizeof names / sizeof *names];
    _Static_assert(sizeof functions == sizeof cu, "one name a function");
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        assert_non_null(functions[i] = library ? dlsym(library, names[i]) : NULL);
    memcpy(&cu, (void *)functions, sizeof cu);
}

static unsigned *interop_words; /* device memory */

static void all_are(unsigned first, unsigned others) {
    static unsigned back[INTEROP_WORDS];
    ok(hipMemcpy(back, interop_words, sizeof back, hipMemcpyDeviceToHost));
    for (unsigned i = 0; i < INTEROP_WORDS; i++)
        assert_int_equal(back[i], i ? others : first);
}

static unsigned long long address_of_words(void) { return (unsigned long long)(uintptr_t)interop_words; }

static void test_interop_context(void **state) {
    (void)state;
    hipCtx_t context = NULL, back = NULL;
    CUcontext native = NULL, current = NULL;
    ok(hipCtxGetCurrent(&context));
    ok(waveliftGetCuContext(&native, context));
    assert_int_equal(cu.context(&current), 0);
    assert_ptr_equal(native, current);
    void *memory = NULL;
    ok(hipMalloc(&memory, 1 << 20));
    ok(hipFree(memory)); /* waits for all devices */
    assert_int_equal(cu.context(&current), 0);
    assert_ptr_equal(native, current);
    ok(waveliftGetHipContext(&back, native));
    assert_ptr_equal(back, context);
    fails(hipErrorInvalidContext, waveliftGetHipContext(&back, (CUcontext)(void *)&back));
    fails(hipErrorInvalidContext, waveliftGetCuContext(&native, (hipCtx_t)(void *)&back));
    fails(hipErrorInvalidValue, waveliftGetCuContext(NULL, context));
}

static void interop_set(void *flag) { *(volatile int *)flag = 1; }

/* A HIP stream's CUstream: work of both sides in the order of the calls, behind a host function, too. */
static void test_interop_stream(void **state) {
    (void)state;
    hipStream_t stream, null = NULL;
    CUstream native = NULL;
    static volatile int flag;
    ok(hipStreamCreateWithFlags(&stream, hipStreamNonBlocking));
    ok(hipMemsetD32Async(interop_words, 1, INTEROP_WORDS, stream));
    ok(hipLaunchHostFunc(stream, interop_set, (void *)&flag));
    ok(hipMemsetD32Async(interop_words, 2, INTEROP_WORDS, stream));
    ok(waveliftGetCuStream(&native, stream));
    assert_int_equal(flag, 1);
    assert_int_equal(cu.set(address_of_words(), 3, INTEROP_WORDS, native), 0);
    ok(hipMemsetD32Async(interop_words, 4, 1, stream));
    ok(hipStreamSynchronize(stream));
    all_are(4, 3);
    assert_int_equal(cu.query(native), 0);
    ok(hipStreamDestroy(stream));
    ok(waveliftGetCuStream(&native, NULL));
    ok(waveliftGetHipStream(&null, native));
    assert_ptr_equal(null, hipStreamLegacy);
    fails(hipErrorContextIsDestroyed, waveliftGetCuStream(&native, (hipStream_t)(void *)&native));
}

/* A CUstream's HIP stream, which leaves it alive. */
static void test_interop_adopted_stream(void **state) {
    (void)state;
    for (unsigned flags = 0; flags < 2; flags++) {
        hipStream_t stream = NULL;
        CUstream native = NULL, back = NULL;
        unsigned seen = 7;
        assert_int_equal(cu.create(&native, flags, 0), 0);
        assert_int_equal(cu.set(address_of_words(), 5, INTEROP_WORDS, native), 0);
        ok(waveliftGetHipStream(&stream, native));
        ok(hipStreamGetFlags(stream, &seen));
        assert_int_equal(seen, flags ? hipStreamNonBlocking : hipStreamDefault);
        ok(hipMemsetD32Async(interop_words, 6, INTEROP_WORDS - 1, stream));
        assert_int_equal(cu.set(address_of_words(), 5, 1, native), 0);
        ok(hipMemsetD32Async(interop_words + INTEROP_WORDS - 1, 6, 1, stream));
        ok(waveliftGetCuStream(&back, stream));
        assert_ptr_equal(back, native);
        ok(hipStreamSynchronize(stream));
        all_are(5, 6);
        ok(hipStreamDestroy(stream));
        assert_int_equal(cu.query(native), 0);
        assert_int_equal(cu.destroy(native), 0);
    }
}

static void test_interop_events(void **state) {
    (void)state;
    hipStream_t stream;
    hipEvent_t event, adopted;
    CUstream other = NULL;
    CUevent native = NULL, own = NULL;
    float time = -1;
    ok(hipStreamCreateWithFlags(&stream, hipStreamNonBlocking));
    ok(hipEventCreate(&event));
    assert_int_equal(cu.create(&other, 1, 0), 0);
    ok(waveliftGetCuEvent(&native, event)); /* never recorded */
    assert_int_equal(cu.event_query(native), 0);
    ok(hipEventQuery(event));

    /* HIP records, the driver waits. */
    ok(hipMemsetD32Async(interop_words, 7, INTEROP_WORDS, stream));
    ok(hipEventRecord(event, stream));
    ok(waveliftGetCuEvent(&native, event));
    assert_int_equal(cu.wait(other, native, 0), 0);
    assert_int_equal(cu.set(address_of_words(), 8, 1, other), 0);
    assert_int_equal(cu.event_synchronize(native), 0);
    ok(hipEventQuery(event));

    /* The driver records, HIP waits: a stream, the null stream, and the host. */
    assert_int_equal(cu.event_create(&own, 0), 0);
    assert_int_equal(cu.event_record(own, other), 0);
    ok(waveliftGetHipEvent(&adopted, own));
    ok(hipStreamWaitEvent(stream, adopted, 0));
    ok(hipStreamWaitEvent(NULL, adopted, 0));
    ok(hipMemsetD32Async(interop_words, 9, 1, stream));
    ok(hipEventSynchronize(adopted));
    ok(hipStreamSynchronize(stream));
    all_are(9, 7);

    /* Recorded by HIP, it is the driver's event that is recorded. */
    ok(hipEventRecord(adopted, stream));
    ok(waveliftGetCuEvent(&native, adopted));
    assert_ptr_equal(native, own);
    assert_int_equal(cu.event_synchronize(own), 0);
    ok(hipEventElapsedTime(&time, event, adopted));
    assert_true(time >= 0);
    ok(hipEventDestroy(adopted));
    assert_int_equal(cu.event_query(own), 0);
    assert_int_equal(cu.event_destroy(own), 0);
    ok(hipEventDestroy(event));
    ok(hipStreamDestroy(stream));
    assert_int_equal(cu.destroy(other), 0);
    fails(hipErrorInvalidHandle, waveliftGetHipEvent(&adopted, NULL));
    fails(hipErrorContextIsDestroyed, waveliftGetCuEvent(&native, (hipEvent_t)(void *)&native));
}

static void test_interop_modules(void **state) {
    (void)state;
    hipModule_t module;
    hipFunction_t function;
    CUmodule native = NULL;
    CUfunction same = NULL, found = NULL;
    unsigned amount = 10;
    void *arguments[] = {&interop_words, &amount};
    ok(hipMemsetD32(interop_words, 1, INTEROP_WORDS));
    ok(hipModuleLoadData(&module, interop_ptx));
    ok(hipModuleGetFunction(&function, module, "add"));
    ok(waveliftGetCuModule(&native, module));
    assert_int_equal(cu.function(&found, native, "add"), 0);
    ok(waveliftGetCuFunction(&same, function));
    assert_int_equal(cu.launch(same, INTEROP_WORDS / 64, 1, 1, 64, 1, 1, 0, NULL, arguments, NULL), 0);
    assert_int_equal(cu.launch(found, INTEROP_WORDS / 64, 1, 1, 64, 1, 1, 0, NULL, arguments, NULL), 0);
    all_are(21, 21);
    ok(hipModuleUnload(module));
    fails(hipErrorInvalidHandle, waveliftGetCuModule(&native, module));

    assert_int_equal(cu.load(&native, interop_ptx, 0, NULL, NULL), 0);
    ok(waveliftGetHipModule(&module, native));
    ok(hipModuleGetFunction(&function, module, "add"));
    fails(hipErrorNotFound, hipModuleGetFunction(&function, module, "subtract"));
    ok(hipModuleLaunchKernel(function, INTEROP_WORDS / 64, 1, 1, 64, 1, 1, 0, NULL, arguments, NULL));
    all_are(31, 31);
    ok(hipModuleUnload(module));
    assert_int_equal(cu.function(&found, native, "add"), 0);
    assert_int_equal(cu.unload(native), 0);
}

static int interop_set_up(void **state) {
    (void)state;
    return hipMalloc((void **)&interop_words, sizeof(unsigned) * INTEROP_WORDS) != hipSuccess;
}

static int interop_tear_down(void **state) {
    (void)state;
    return hipFree(interop_words) != hipSuccess;
}

/* For a list of CMUnitTest. */
#define INTEROP_TEST(name) cmocka_unit_test_setup_teardown(name, interop_set_up, interop_tear_down)
#define INTEROP_TESTS                                                                                                                      \
    INTEROP_TEST(test_interop_context), INTEROP_TEST(test_interop_stream), INTEROP_TEST(test_interop_adopted_stream),                      \
        INTEROP_TEST(test_interop_events), INTEROP_TEST(test_interop_modules)

#endif
