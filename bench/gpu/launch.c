/* What a launch on an NVIDIA GPU costs: hipModuleLaunchKernel and the driver's own cuLaunchKernel in turns, the best of the rounds.
 * Run with WAVELIFT_DEVICES=cuda. Exit status 1 if the bar is missed and --check was given. */
#include "../measure.h"

#include <hip/hip_runtime_api.h>

#include <dlfcn.h>
#include <stdint.h>
#include <string.h>

enum { BATCH = 500, ROUNDS = 40, BAR_NS = 500 };

typedef int driver_launch(void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void *, void **, void **);

static const char ptx[] = ".version 7.0\n.target sm_70\n.address_size 64\n.visible .entry empty(.param .u64 p)\n{ ret; }\n";

static void *driver_function(void *driver, const char *name) {
    void *function = dlsym(driver, name);
    must(!function, name);
    return function;
}

int main(int argc, char **argv) {
    hipModule_t module;
    hipFunction_t ours;
    hipStream_t our_stream;
    MUST(hipModuleLoadData(&module, ptx));
    MUST(hipModuleGetFunction(&ours, module, "empty"));
    MUST(hipStreamCreateWithFlags(&our_stream, hipStreamNonBlocking));

    void *driver = dlopen("libcuda.so.1", RTLD_NOW);
    must(!driver, "loading libcuda.so.1");
    int (*load)(void **, const void *) = (int (*)(void **, const void *))(uintptr_t)driver_function(driver, "cuModuleLoadData");
    int (*get)(void **, void *, const char *) =
        (int (*)(void **, void *, const char *))(uintptr_t)driver_function(driver, "cuModuleGetFunction");
    int (*create)(void **, unsigned) = (int (*)(void **, unsigned))(uintptr_t)driver_function(driver, "cuStreamCreate");
    int (*synchronize)(void *) = (int (*)(void *))(uintptr_t)driver_function(driver, "cuStreamSynchronize");
    driver_launch *launch = (driver_launch *)(uintptr_t)driver_function(driver, "cuLaunchKernel");
    void *native_module, *native, *native_stream;
    MUST(load(&native_module, ptx)); /* in the primary context, which is this thread's */
    MUST(get(&native, native_module, "empty"));
    MUST(create(&native_stream, 1));

    void *pointer = NULL, *arguments[] = {&pointer};
    double best_native = 1e9, best_ours = 1e9;
    for (int round = 0; round < ROUNDS; round++) {
        double begin = now_ns();
        for (int i = 0; i < BATCH; i++)
            MUST(launch(native, 1, 1, 1, 32, 1, 1, 0, native_stream, arguments, NULL));
        double time = (now_ns() - begin) / BATCH;
        best_native = time < best_native ? time : best_native;
        MUST(synchronize(native_stream));
        begin = now_ns();
        for (int i = 0; i < BATCH; i++)
            MUST(hipModuleLaunchKernel(ours, 1, 1, 1, 32, 1, 1, 0, our_stream, arguments, NULL));
        time = (now_ns() - begin) / BATCH;
        best_ours = time < best_ours ? time : best_ours;
        MUST(hipStreamSynchronize(our_stream));
    }
    report("cuLaunchKernel", best_native, "ns", 0);
    report("hipModuleLaunchKernel", best_ours, "ns", 0);
    int missed = report("hipModuleLaunchKernel beyond the driver's", best_ours - best_native, "ns", BAR_NS);
    MUST(hipStreamDestroy(our_stream));
    return argc > 1 && strcmp(argv[1], "--check") == 0 && missed;
}
