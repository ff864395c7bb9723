/* A C program, built by the host's compiler alone, that loads a code object and launches its kernels: arguments as an array
 * of pointers (kernelParams) and as one packed buffer (extra).
 *     module FILE.co */
#include <hip/hip_runtime_api.h>

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define N 1000

#define HIP(call)                                                                                                                          \
    do {                                                                                                                                   \
        hipError_t error_ = (call);                                                                                                        \
        if (error_ != hipSuccess) {                                                                                                        \
            printf("FAIL module: line %d: %s: %s\n", __LINE__, #call, hipGetErrorString(error_));                                          \
            exit(1);                                                                                                                       \
        }                                                                                                                                  \
    } while (0)

struct odd {
    char tag;
    double scale;
    short shift;
};

/* The kernarg segment of transform: each argument at its own alignment. */
struct transform_arguments {
    const int *in;
    long long *out;
    struct odd odd;
    unsigned short step;
    int n;
};

static void *read_file(const char *name) {
    FILE *file = fopen(name, "rb");
    if (!file)
        return NULL;
    fseek(file, 0, SEEK_END);
    long size = ftell(file);
    rewind(file);
    void *data = malloc((size_t)size);
    if (data && fread(data, 1, (size_t)size, file) != (size_t)size) {
        free(data);
        data = NULL;
    }
    fclose(file);
    return data;
}

static int wrong;

static void check(const long long *out, int offset, struct odd odd, unsigned short step) {
    static const int table[4] = {1, 10, 100, 1000};
    for (int i = 0; i < N; i++) {
        long long want = (long long)((double)(i - 500) * odd.scale) + table[i & 3] + offset * step + odd.shift + odd.tag;
        if (out[i] != want && wrong++ == 0)
            printf("FAIL module: out[%d] = %lld instead of %lld\n", i, out[i], want);
    }
}

int main(int argc, char **argv) {
    if (argc < 2) {
        fprintf(stderr, "usage: module FILE.co\n");
        return 2;
    }
    int count = 0;
    HIP(hipInit(0));
    HIP(hipGetDeviceCount(&count));
    hipModule_t module, again;
    hipFunction_t transform, reversed, missing;
    HIP(hipModuleLoad(&module, argv[1]));
    HIP(hipModuleGetFunction(&transform, module, "transform"));
    HIP(hipModuleGetFunction(&reversed, module, "copy_reversed"));
    if (hipModuleGetFunction(&missing, module, "no_such_kernel") != hipErrorNotFound)
        wrong++, printf("FAIL module: a missing kernel is found\n");
    (void)hipGetLastError();

    int in[N], backwards[N], n = N;
    long long out[N];
    for (int i = 0; i < N; i++)
        in[i] = i - 500;
    void *device_in, *device_out;
    HIP(hipMalloc(&device_in, sizeof in));
    HIP(hipMalloc(&device_out, sizeof out));
    HIP(hipMemcpy(device_in, in, sizeof in, hipMemcpyHostToDevice));

    /* kernelParams */
    struct odd odd = {3, 2.5, -7};
    unsigned short step = 2;
    void *parameters[] = {&device_in, &device_out, &odd, &step, &n};
    HIP(hipModuleLaunchKernel(transform, (N + 127) / 128, 1, 1, 128, 1, 1, 0, NULL, parameters, NULL));
    HIP(hipDeviceSynchronize());
    HIP(hipMemcpy(out, device_out, sizeof out, hipMemcpyDeviceToHost));
    check(out, 5, odd, step);

    /* A global of the module, then extra, on a stream. */
    hipDeviceptr_t global;
    size_t global_size = 0;
    int offset = 77;
    HIP(hipModuleGetGlobal(&global, &global_size, module, "offset"));
    if (global_size != sizeof offset)
        wrong++, printf("FAIL module: offset has %zu bytes\n", global_size);
    HIP(hipMemcpy(global, &offset, sizeof offset, hipMemcpyHostToDevice));
    hipStream_t stream;
    HIP(hipStreamCreate(&stream));
    struct transform_arguments arguments = {device_in, device_out, {1, -0.5, 9}, 3, N};
    size_t size = sizeof arguments;
    void *extra[] = {HIP_LAUNCH_PARAM_BUFFER_POINTER, &arguments, HIP_LAUNCH_PARAM_BUFFER_SIZE, &size, HIP_LAUNCH_PARAM_END};
    HIP(hipModuleLaunchKernel(transform, (N + 63) / 64, 1, 1, 64, 1, 1, 0, stream, NULL, extra));
    HIP(hipStreamSynchronize(stream));
    HIP(hipMemcpy(out, device_out, sizeof out, hipMemcpyDeviceToHost));
    check(out, offset, arguments.odd, arguments.step);

    /* Dynamic LDS. */
    void *reversed_parameters[] = {&device_in, &device_out, &n};
    HIP(hipModuleLaunchKernel(reversed, 1, 1, 1, 256, 1, 1, sizeof in, stream, reversed_parameters, NULL));
    HIP(hipStreamSynchronize(stream));
    HIP(hipMemcpy(backwards, device_out, sizeof backwards, hipMemcpyDeviceToHost));
    for (int i = 0; i < N; i++)
        if (backwards[i] != in[N - 1 - i] && wrong++ == 0)
            printf("FAIL module: backwards[%d] = %d\n", i, backwards[i]);

    /* The same file from memory: variables of its own. */
    void *image = read_file(argv[1]);
    HIP(hipModuleLoadData(&again, image));
    HIP(hipModuleGetFunction(&transform, again, "transform"));
    HIP(hipModuleLaunchKernel(transform, (N + 127) / 128, 1, 1, 128, 1, 1, 0, NULL, parameters, NULL));
    HIP(hipDeviceSynchronize());
    HIP(hipMemcpy(out, device_out, sizeof out, hipMemcpyDeviceToHost));
    check(out, 5, odd, step);
    HIP(hipModuleUnload(again));
    free(image);

    HIP(hipModuleUnload(module));
    HIP(hipStreamDestroy(stream));
    HIP(hipFree(device_in));
    HIP(hipFree(device_out));
    if (!wrong)
        printf("PASS module\n");
    return wrong != 0;
}
