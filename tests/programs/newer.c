/* A kernel for processors that LLVM 19 does not know and that need no new instructions, by the HIP API: nothing may ask LLVM for them. */
#include <hip/hip_runtime_api.h>

#include <stdio.h>
#include <stdlib.h>

enum { ITEMS = 128, GROUPS = 3, COUNT = ITEMS * GROUPS };

#include "newer_code.inc"

static int failed(const char *processor, hipError_t error, const char *what) {
    if (error != hipSuccess)
        printf("FAIL newer: %s: %s: %s\n", processor, what, hipGetErrorString(error));
    return error != hipSuccess;
}

static int run(const char *processor, const unsigned char *code) {
    float in[COUNT], out[COUNT], scale = 0.5f;
    void *device_in, *device_out;
    hipModule_t module;
    hipFunction_t function;
    for (int i = 0; i < COUNT; i++)
        in[i] = (float)(i % 19 - 7);
    if (failed(processor, hipModuleLoadData(&module, code), "hipModuleLoadData") ||
        failed(processor, hipModuleGetFunction(&function, module, "running_sum"), "hipModuleGetFunction") ||
        failed(processor, hipMalloc(&device_in, sizeof in), "hipMalloc") ||
        failed(processor, hipMalloc(&device_out, sizeof out), "hipMalloc") ||
        failed(processor, hipMemcpy(device_in, in, sizeof in, hipMemcpyHostToDevice), "hipMemcpy"))
        return 1;
    void *arguments[] = {&device_out, &device_in, &scale};
    if (failed(processor, hipModuleLaunchKernel(function, GROUPS, 1, 1, ITEMS, 1, 1, 0, NULL, arguments, NULL), "launch") ||
        failed(processor, hipMemcpy(out, device_out, sizeof out, hipMemcpyDeviceToHost), "hipMemcpy"))
        return 1;
    for (int group = 0; group < GROUPS; group++) {
        float sum = 0; /* of halves of integers: exact in any order */
        for (int i = group * ITEMS; i < (group + 1) * ITEMS; i++) {
            sum += in[i] * scale;
            if (out[i] != sum) {
                printf("FAIL newer: %s: item %d has %g, expected %g\n", processor, i, (double)out[i], (double)sum);
                return 1;
            }
        }
    }
    return 0;
}

/* newer NUMBER: which of the following, a device and a processor that it can run. */
int main(int argc, char **argv) {
    static const struct {
        const char *device, *processor;
        const unsigned char *code;
    } all[] = {{"gfx1153", "gfx1153", gfx1153_code},
               {"gfx942", "gfx9-4-generic", gfx9_4_generic_code},
               {"gfx950", "gfx9-4-generic", gfx9_4_generic_code},
               {"gfx1201", "gfx12-generic", gfx12_generic_code}};
    for (size_t i = 0; argc == 2 && i < sizeof all / sizeof *all; i++)
        if (atoi(argv[1]) == (int)i) {
            setenv("WAVELIFT_ARCH", all[i].device, 1);
            if (run(all[i].processor, all[i].code))
                return 1;
            printf("PASS newer %s\n", all[i].processor);
            return 0;
        }
    fprintf(stderr, "usage: %s 0 to %zu\n", argv[0], sizeof all / sizeof *all - 1);
    return 2;
}
