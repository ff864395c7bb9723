// The ways of programming that HIP's guide "Porting CUDA driver API" shows: a module's kernel with an argument buffer, JIT options,
// contexts, a function by its name, the per-thread default stream, a texture reference of a module. The module is given as the first argument.
#include "check.h"

#include <thread>
#include <vector>

static void copy_through_module(const char *path) {
    const size_t elements = 64 * 1024, bytes = elements * sizeof(float);
    std::vector<float> a(elements), b(elements);
    for (size_t i = 0; i < elements; i++)
        a[i] = 0.5f * i;
    hipDeviceptr_t device_a, device_b;
    HIP(hipMalloc(&device_a, bytes));
    HIP(hipMalloc(&device_b, bytes));
    HIP(hipMemcpyHtoD(device_a, a.data(), bytes));
    HIP(hipMemcpyHtoD(device_b, b.data(), bytes));
    hipModule_t module;
    hipFunction_t function;
    HIP(hipModuleLoad(&module, path));
    HIP(hipModuleGetFunction(&function, module, "hello_world"));
    // As in the guide, the buffer holds the addresses of the host's pointers, which the kernel follows.
    std::vector<void *> buffer{&device_a, &device_b};
    size_t buffer_bytes = buffer.size() * sizeof(void *);
    void *config[] = {HIP_LAUNCH_PARAM_BUFFER_POINTER, buffer.data(), HIP_LAUNCH_PARAM_BUFFER_SIZE, &buffer_bytes, HIP_LAUNCH_PARAM_END};
    const int threads = 128, blocks = (elements + threads - 1) / threads;
    HIP(hipModuleLaunchKernel(function, blocks, 1, 1, threads, 1, 1, 0, 0, NULL, config));
    HIP(hipMemcpyDtoH(b.data(), device_b, bytes));
    for (size_t i = 0; i < elements; i++)
        EXPECT(b[i] == a[i], "b[%zu] = %f", i, b[i]);
    HIP(hipFree(device_a));
    HIP(hipFree(device_b));
    HIP(hipModuleUnload(module));
}

static void load_with_options(const char *path) {
    std::vector<char> image;
    FILE *file = std::fopen(path, "rb");
    for (int c; (c = std::fgetc(file)) != EOF;)
        image.push_back((char)c);
    std::fclose(file);
    hipModule_t module;
    const int count = 1;
    hipJitOption options[count];
    void *values[count];
    options[0] = hipJitOptionMaxRegisters;
    unsigned registers = 15;
    values[0] = (void *)&registers;
    HIP(hipModuleLoadDataEx(&module, image.data(), count, options, values));
    hipFunction_t function;
    HIP(hipModuleGetFunction(&function, module, "hello_world"));
    HIP(hipModuleUnload(module));
}

// The context API as another way to say which device is active; one address space for all of them.
static void switch_contexts() {
    hipDevice_t device;
    hipCtx_t contexts[2], current;
    int count = 0;
    HIP(hipInit(0));
    HIP(hipGetDeviceCount(&count));
    EXPECT(count == 2, "%d devices", count);
    hipDeviceptr_t memory[2];
    for (int i = 0; i < 2; i++) {
        HIP(hipDeviceGet(&device, i));
        HIP(hipCtxCreate(&contexts[i], 0, device));
        HIP(hipMalloc(&memory[i], 4096));
        HIP(hipMemsetD32(memory[i], 100 + i, 1024));
    }
    HIP(hipCtxSetCurrent(contexts[0]));
    HIP(hipCtxGetCurrent(&current));
    EXPECT(current == contexts[0], "another context is current");
    HIP(hipMemcpyDtoD(memory[0], memory[1], 2048)); // from the other context's memory
    std::vector<int> result(1024);
    HIP(hipMemcpyDtoH(result.data(), memory[0], 4096));
    EXPECT(result[0] == 101 && result[511] == 101 && result[512] == 100, "%d %d %d", result[0], result[511], result[512]);
    for (int i = 0; i < 2; i++) {
        HIP(hipFree(memory[i]));
        HIP(hipCtxDestroy(contexts[i]));
    }
    HIP(hipSetDevice(0));
}

// Threads that use hipStreamPerThread do not wait for each other's work.
static void streams_of_threads() {
    hipStream_t stream = hipStreamPerThread;
    void *memory;
    HIP(hipMalloc(&memory, 1024));
    HIP(hipMemsetAsync(memory, 0x11, 1024, stream));
    HIP(hipStreamSynchronize(stream));
    std::vector<std::thread> threads;
    for (int t = 0; t < 8; t++)
        threads.emplace_back([=] {
            char *mine = (char *)memory + 128 * t, back[128];
            for (int round = 0; round < 50; round++) {
                HIP(hipMemsetAsync(mine, t + round, 128, hipStreamPerThread));
                HIP(hipMemcpyAsync(back, mine, 128, hipMemcpyDeviceToHost, hipStreamPerThread));
                HIP(hipStreamSynchronize(hipStreamPerThread));
                EXPECT(back[0] == t + round && back[127] == t + round, "thread %d, round %d: %d", t, round, back[0]);
            }
        });
    for (std::thread &thread : threads)
        thread.join();
    HIP(hipFree(memory));
}

// The module's texture reference is set up and bound by the driver's functions.
static void read_by_reference(const char *path) {
    const int width = 50, height = 30;
    std::vector<float> data(width * height), result(width * height);
    for (int i = 0; i < width * height; i++)
        data[i] = 3.0f * i - 7;
    hipModule_t module;
    hipFunction_t function;
    HIP(hipModuleLoad(&module, path));
    HIP(hipModuleGetFunction(&function, module, "tex2dKernel"));
    HIP_ARRAY_DESCRIPTOR descriptor = {};
    descriptor.Format = HIP_AD_FORMAT_FLOAT;
    descriptor.NumChannels = 1;
    descriptor.Width = width;
    descriptor.Height = height;
    hipArray *array;
    HIP(hipArrayCreate(&array, &descriptor));
    HIP(hipMemcpy2DToArray(array, 0, 0, data.data(), width * 4, width * 4, height, hipMemcpyHostToDevice));
    textureReference *texref;
    HIP(hipModuleGetTexRef(&texref, module, "tex"));
    HIP(hipTexRefSetAddressMode(texref, 0, hipAddressModeWrap));
    HIP(hipTexRefSetAddressMode(texref, 1, hipAddressModeWrap));
    HIP(hipTexRefSetFilterMode(texref, hipFilterModePoint));
    HIP(hipTexRefSetFlags(texref, 0));
    HIP(hipTexRefSetFormat(texref, HIP_AD_FORMAT_FLOAT, 1));
    HIP(hipTexRefSetArray(texref, array, HIP_TRSA_OVERRIDE_FORMAT));
    void *output;
    HIP(hipMalloc(&output, result.size() * 4));
    struct {
        void *output;
        int width, height;
    } arguments = {output, width, height};
    size_t size = sizeof arguments;
    void *config[] = {HIP_LAUNCH_PARAM_BUFFER_POINTER, &arguments, HIP_LAUNCH_PARAM_BUFFER_SIZE, &size, HIP_LAUNCH_PARAM_END};
    HIP(hipModuleLaunchKernel(function, (width + 15) / 16, (height + 15) / 16, 1, 16, 16, 1, 0, 0, NULL, config));
    HIP(hipMemcpyDtoH(result.data(), output, result.size() * 4));
    compare("texture", result.data(), data.data(), data.size());
    HIP(hipFree(output));
    HIP(hipArrayDestroy(array));
    HIP(hipModuleUnload(module));
}

int main(int argc, char **argv) {
    check_name = "guide";
    setenv("WAVELIFT_DEVICES", "2", 1);
    if (argc < 2)
        return 2;
    copy_through_module(argv[1]);
    load_with_options(argv[1]);
    switch_contexts();
    streams_of_threads();
    read_by_reference(argv[1]);
    return finish();
}
