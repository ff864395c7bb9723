/* A driver program in C: contexts, modules, launches with both kinds of arguments, memory of every kind, error codes.
 *     driver FILE   (the compiled driver_kernels.cu) */
#include "cuda.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define N 1000

/* Macro bodies and arguments are converted as code is. */
#define CHECK(call)                                                                                                                        \
    do {                                                                                                                                   \
        CUresult result = (call);                                                                                                          \
        if (result != CUDA_SUCCESS) {                                                                                                      \
            printf("%s:%d: %s: CUresult %d\n", __FILE__, __LINE__, #call, (int)result);                                                    \
            exit(1);                                                                                                                       \
        }                                                                                                                                  \
    } while (0)

static void print_device(CUdevice device) {
    char name[100];
    int warp = 0, threads = 0;
    size_t bytes = 0;
    CHECK(cuDeviceGetName(name, sizeof name, device));
    CHECK(cuDeviceTotalMem(&bytes, device));
    CHECK(cuDeviceGetAttribute(&warp, CU_DEVICE_ATTRIBUTE_WARP_SIZE, device));
    CHECK(cuDeviceGetAttribute(&threads, CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK, device));
    printf("device: name %s, memory %s, warps of %s, blocks of %s\n", name[0] ? "given" : "missing", bytes > 0 ? "some" : "none",
           warp == 32 || warp == 64 ? "32 or 64" : "?", threads >= 256 ? "256 or more" : "fewer than 256");
}

static long sum_of(const int *values, int count) {
    long sum = 0;
    for (int i = 0; i < count; i++)
        sum += values[i];
    return sum;
}

int main(int argc, char **argv) {
    CUdevice device;
    CUcontext context;
    CUmodule module;
    CUfunction add, scale;
    CUdeviceptr a, b, c, total;
    CUstream stream;
    CUevent start, stop;
    size_t size = N * sizeof(int), global_size = 0;
    float ms = -1;
    if (argc != 2)
        return 2;
    CHECK(cuInit(0));
    CHECK(cuDeviceGet(&device, 0));
    print_device(device);
    CHECK(cuCtxCreate(&context, CU_CTX_SCHED_AUTO, device));
    CHECK(cuModuleLoad(&module, argv[1]));
    CHECK(cuModuleGetFunction(&add, module, "add"));
    CHECK(cuModuleGetFunction(&scale, module, "scale"));
    if (cuModuleGetFunction(&add, module, "cuInit") == CUDA_ERROR_NOT_FOUND)
        printf("no kernel \"cuInit\"\n");
    CHECK(cuModuleGetFunction(&add, module, "add"));

    int *in = NULL;
    CHECK(cuMemAllocHost((void **)&in, size));
    int out[N];
    for (int i = 0; i < N; i++)
        in[i] = i;
    CHECK(cuMemAlloc(&a, size));
    CHECK(cuMemAlloc(&b, size));
    CHECK(cuMemAlloc(&c, size));
    CHECK(cuMemcpyHtoD(a, in, size));
    CHECK(cuMemcpyDtoD(b, a, size)); // cuMemcpy would do, too
    CHECK(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    CHECK(cuEventCreate(&start, CU_EVENT_DEFAULT));
    CHECK(cuEventCreate(&stop, CU_EVENT_DEFAULT));

    int n = N;
    void *arguments[] = {&a, &b, &c, &n};
    CHECK(cuEventRecord(start, stream));
    CHECK(cuLaunchKernel(add, (N + 255) / 256, 1, 1, 256, 1, 1, 0, stream, arguments, NULL));
    CHECK(cuEventRecord(stop, stream));
    CHECK(cuMemcpyDtoHAsync(out, c, size, stream));
    CHECK(cuStreamSynchronize(stream));
    CHECK(cuEventElapsedTime(&ms, start, stop));
    printf("add: sum %ld, time %s\n", sum_of(out, N), ms >= 0 ? "measured" : "missing");

    struct {
        CUdeviceptr data;
        int factor, n;
    } packed = {c, 3, N};
    size_t packed_size = sizeof packed;
    void *extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, &packed, CU_LAUNCH_PARAM_BUFFER_SIZE, &packed_size, CU_LAUNCH_PARAM_END};
    CHECK(cuLaunchKernel(scale, (N + 63) / 64, 1, 1, 64, 1, 1, 0, NULL, NULL, extra));
    CHECK(cuCtxSynchronize());
    CHECK(cuMemcpy((CUdeviceptr)out, c, size));
    printf("scale: sum %ld\n", sum_of(out, N));

    CHECK(cuModuleGetGlobal(&total, &global_size, module, "total"));
    CHECK(cuMemcpyDtoH(out, total, sizeof(int)));
    printf("total: %d in %zu bytes\n", out[0], global_size);
    CHECK(cuMemsetD32(c, 7, N));
    CHECK(cuMemcpyAsync((CUdeviceptr)out, c, size, /* cuMemcpyAsync's stream */ stream));
    CHECK(cuStreamSynchronize(stream));
    printf("memset: sum %ld\n", sum_of(out, N));
    if (cuMemcpyDtoH(out, c, size * 1000) != CUDA_SUCCESS)
        printf("copy beyond the end: refused\n");

    CHECK(cuEventDestroy(start));
    CHECK(cuEventDestroy(stop));
    CHECK(cuStreamDestroy(stream));
    CHECK(cuMemFree(a));
    CHECK(cuMemFree(b));
    CHECK(cuMemFree(c));
    CHECK(cuMemFreeHost(in));
    CHECK(cuModuleUnload(module));
    CHECK(cuCtxDestroy(context));
    return 0;
}
