/* A kernel for gfx950, by the HIP API: 160 KiB of LDS, conversions and a matrix product with scales. The device must have that much LDS. */
#include <hip/hip_runtime_api.h>

#include <stdio.h>
#include <stdlib.h>

enum { LANES = 64, NUMBERS = 32, ROWS = 16, DEPTH = 128, RESULTS = 4, LDS = 160 * 1024 };

static const unsigned char code[] = {
#include "gfx950_code.inc"
};

static float a[LANES][NUMBERS], b[LANES][NUMBERS], out[LANES][RESULTS];

static int failed(hipError_t error, const char *what) {
    if (error != hipSuccess)
        printf("FAIL gfx950: %s: %s\n", what, hipGetErrorString(error));
    return error != hipSuccess;
}

static int check_limits(void) {
    hipDeviceProp_t properties;
    if (failed(hipGetDeviceProperties(&properties, 0), "hipGetDeviceProperties"))
        return 1;
    if (properties.sharedMemPerBlock == LDS && properties.maxSharedMemoryPerMultiProcessor >= LDS)
        return 0;
    printf("FAIL gfx950: a workgroup may have %zu bytes of LDS\n", properties.sharedMemPerBlock);
    return 1;
}

/* Where element k of a row of A, or column of B, is. */
static float element(float from[LANES][NUMBERS], unsigned row, unsigned k, int turned) {
    const unsigned lane = k / 16 % 4 * ROWS + row;
    return from[turned ? LANES - 1 - lane : lane][k / 64 * 16 + k % 16];
}

static int check_product(void) {
    for (unsigned lane = 0; lane < LANES; lane++)
        for (unsigned r = 0; r < RESULTS; r++) {
            float sum = 0; /* of integers */
            for (unsigned k = 0; k < DEPTH; k++)
                sum += element(a, lane / 16 * 4 + r, k, 1) * element(b, lane % 16, k, 0);
            if (out[lane][r] != sum) {
                printf("FAIL gfx950: lane %u has %g, expected %g\n", lane, (double)out[lane][r], (double)sum);
                return 1;
            }
        }
    return 0;
}

static int launch(hipFunction_t function, unsigned dynamic, void **arguments) {
    return hipModuleLaunchKernel(function, 1, 1, 1, LANES, 1, 1, dynamic, NULL, arguments, NULL);
}

int main(void) {
    hipModule_t module;
    hipFunction_t function;
    void *device_a, *device_b, *device_out;
    float scale = 4; /* a power of two, by which numbers are divided and products multiplied */
    setenv("WAVELIFT_ARCH", "gfx950", 1);
    for (unsigned lane = 0; lane < LANES; lane++)
        for (unsigned n = 0; n < NUMBERS; n++) {
            a[lane][n] = scale * (float)((int)((lane * 7 + n * 5) % 17) - 8);
            b[lane][n] = scale * (float)((int)((lane * 3 + n * 11) % 13) - 6);
        }
    if (check_limits() || failed(hipModuleLoadData(&module, code), "hipModuleLoadData") ||
        failed(hipModuleGetFunction(&function, module, "product"), "hipModuleGetFunction") ||
        failed(hipMalloc(&device_a, sizeof a), "hipMalloc") || failed(hipMalloc(&device_b, sizeof b), "hipMalloc") ||
        failed(hipMalloc(&device_out, sizeof out), "hipMalloc") ||
        failed(hipMemcpy(device_a, a, sizeof a, hipMemcpyHostToDevice), "hipMemcpy") ||
        failed(hipMemcpy(device_b, b, sizeof b, hipMemcpyHostToDevice), "hipMemcpy"))
        return 1;
    void *arguments[] = {&device_out, &device_a, &device_b, &scale};
    if (launch(function, 64, arguments) == hipSuccess) {
        printf("FAIL gfx950: a workgroup got more LDS than there is\n");
        return 1;
    }
    if (failed(launch(function, 0, arguments), "launch") ||
        failed(hipMemcpy(out, device_out, sizeof out, hipMemcpyDeviceToHost), "hipMemcpy") || check_product())
        return 1;
    printf("PASS gfx950\n");
    return 0;
}
