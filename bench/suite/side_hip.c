/* The HIP side: kernels of a code object, launched through the module API. The program is linked to Debian's libamdhip64. */
#include "bench.h"

#include <hip/hip_runtime_api.h>

#include <string.h>

enum { MAX_KERNELS = 64, MAX_ARGUMENTS = 24 };

#define HIP(call)                                                                                                                          \
    do {                                                                                                                                   \
        hipError_t error_ = (call);                                                                                                        \
        if (error_ != hipSuccess)                                                                                                          \
            bench_fail("%s: %s", #call, hipGetErrorString(error_));                                                                        \
    } while (0)

const bool side_is_device = true;

static hipModule_t module;
static struct {
    const char *name;
    hipFunction_t function;
} kernels[MAX_KERNELS];
static size_t kernel_count;

void side_start(const char *file) {
    if (!file)
        bench_fail("no code object");
    HIP(hipInit(0));
    HIP(hipModuleLoad(&module, file));
}

void side_finish(void) { HIP(hipDeviceSynchronize()); }

struct buffer new_buffer(size_t bytes, const void *data) {
    struct buffer buffer = {NULL};
    HIP(hipMalloc(&buffer.handle, bytes));
    if (data)
        HIP(hipMemcpy(buffer.handle, data, bytes, hipMemcpyHostToDevice));
    else
        HIP(hipMemset(buffer.handle, 0, bytes));
    return buffer;
}

void read_buffer(void *to, struct buffer from, size_t bytes) { HIP(hipMemcpy(to, from.handle, bytes, hipMemcpyDeviceToHost)); }
void write_buffer(struct buffer to, const void *from, size_t bytes) { HIP(hipMemcpy(to.handle, from, bytes, hipMemcpyHostToDevice)); }
void copy_buffer(struct buffer to, struct buffer from, size_t bytes) {
    HIP(hipMemcpyAsync(to.handle, from.handle, bytes, hipMemcpyDeviceToDevice, NULL));
}
void clear_buffer(struct buffer to, size_t bytes) { HIP(hipMemsetAsync(to.handle, 0, bytes, NULL)); }

struct image new_image(enum texel texel, struct extent size, bool normalized, const void *data) {
    const size_t bytes = texel == TEXEL_FLOAT ? sizeof(float) : 4, height = size.d[1];
    const struct hipChannelFormatDesc format = texel == TEXEL_FLOAT ? hipCreateChannelDesc(32, 0, 0, 0, hipChannelFormatKindFloat)
                                                                    : hipCreateChannelDesc(8, 8, 8, 8, hipChannelFormatKindUnsigned);
    hipArray_t array;
    hipTextureObject_t texture;
    HIP(hipMalloc3DArray(&array, &format, make_hipExtent(size.d[0], height, size.d[2]), hipArrayDefault));
    hipMemcpy3DParms copy = {.srcPtr = make_hipPitchedPtr((void *)(uintptr_t)data, size.d[0] * bytes, size.d[0], height),
                             .dstArray = array,
                             .extent = make_hipExtent(size.d[0], height, size.d[2] ? size.d[2] : 1),
                             .kind = hipMemcpyHostToDevice};
    HIP(hipMemcpy3D(&copy));
    const hipResourceDesc resource = {.resType = hipResourceTypeArray, .res.array.array = array};
    const hipTextureDesc how = {.addressMode = {hipAddressModeClamp, hipAddressModeClamp, hipAddressModeClamp},
                                .filterMode = hipFilterModeLinear,
                                .readMode = texel == TEXEL_FLOAT ? hipReadModeElementType : hipReadModeNormalizedFloat,
                                .normalizedCoords = normalized};
    HIP(hipCreateTextureObject(&texture, &resource, &how, NULL));
    return (struct image){texture};
}

/* Names are literals: the same pointer is the same kernel, most of the time. */
static hipFunction_t find(const char *name) {
    for (size_t i = 0; i < kernel_count; i++)
        if (kernels[i].name == name || strcmp(kernels[i].name, name) == 0)
            return kernels[i].function;
    if (kernel_count == MAX_KERNELS)
        bench_fail("more than %d kernels", MAX_KERNELS);
    kernels[kernel_count].name = name;
    HIP(hipModuleGetFunction(&kernels[kernel_count].function, module, name));
    return kernels[kernel_count++].function;
}

static unsigned at_least_1(uint32_t size) { return size ? size : 1; }

void launch(const char *name, struct extent groups, struct extent items, const struct argument *arguments, size_t count) {
    void *pointers[MAX_ARGUMENTS];
    if (count > MAX_ARGUMENTS)
        bench_fail("%s has more than %d arguments", name, MAX_ARGUMENTS);
    for (size_t i = 0; i < count; i++)
        pointers[i] = (void *)(uintptr_t)arguments[i].value;
    HIP(hipModuleLaunchKernel(find(name), at_least_1(groups.d[0]), at_least_1(groups.d[1]), at_least_1(groups.d[2]), at_least_1(items.d[0]),
                              at_least_1(items.d[1]), at_least_1(items.d[2]), 0, NULL, pointers, NULL));
}
