/* One code object runs on the processor that it was made for.
 *     targets TARGET-ID WAVE-SIZE FILE.co */
#include <hip/hip_runtime_api.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { GROUPS = 3, SIZE = 128, ITEMS = GROUPS * SIZE };

static int failed(hipError_t error, const char *what) {
    if (error != hipSuccess)
        printf("FAIL targets: %s: %s\n", what, hipGetErrorString(error));
    return error != hipSuccess;
}

static int check_values(const unsigned *out, const unsigned *in, unsigned wave_size) {
    for (unsigned i = 0; i < ITEMS; i++) {
        unsigned lane = i % SIZE, want = in[i - lane + SIZE - 1 - lane] * 3 + lane / wave_size * wave_size * 1000 + wave_size * 1000000;
        if (out[i] != want) {
            printf("FAIL targets: out[%u] = %u, expected %u\n", i, out[i], want);
            return 1;
        }
    }
    return 0;
}

int main(int argc, char **argv) {
    unsigned in[ITEMS], out[ITEMS], *device_in, *device_out;
    hipDeviceProp_t properties;
    hipModule_t module;
    hipFunction_t function;
    if (argc != 4)
        return 2;
    setenv("WAVELIFT_ARCH", argv[1], 1);
    for (unsigned i = 0; i < ITEMS; i++)
        in[i] = i * 2654435761u;
    if (failed(hipGetDeviceProperties(&properties, 0), "hipGetDeviceProperties"))
        return 1;
    if (strcmp(properties.gcnArchName, argv[1]) != 0 || properties.warpSize != (strncmp(argv[1], "gfx9", 4) == 0 ? 64 : 32)) {
        printf("FAIL targets: the device is %s with waves of %d\n", properties.gcnArchName, properties.warpSize);
        return 1;
    }
    if (failed(hipModuleLoad(&module, argv[3]), argv[3]) || failed(hipModuleGetFunction(&function, module, "mirror"), "mirror") ||
        failed(hipMalloc((void **)&device_in, sizeof in), "hipMalloc") ||
        failed(hipMalloc((void **)&device_out, sizeof out), "hipMalloc") ||
        failed(hipMemcpy(device_in, in, sizeof in, hipMemcpyHostToDevice), "hipMemcpy"))
        return 1;
    void *arguments[] = {&device_out, &device_in};
    if (failed(hipModuleLaunchKernel(function, GROUPS, 1, 1, SIZE, 1, 1, 0, NULL, arguments, NULL), "launch") ||
        failed(hipMemcpy(out, device_out, sizeof out, hipMemcpyDeviceToHost), "hipMemcpy") ||
        check_values(out, in, (unsigned)atoi(argv[2])))
        return 1;
    printf("PASS targets %s wave%s\n", argv[1], argv[2]);
    return 0;
}
