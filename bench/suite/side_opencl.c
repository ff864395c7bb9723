/* The OpenCL side: kernels built from source by PoCL for this CPU. */
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

#include "bench.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_KERNELS = 64 };

const bool side_is_device = true;

static cl_context context;
static cl_command_queue queue;
static cl_program program;
static struct {
    const char *name;
    cl_kernel kernel;
} kernels[MAX_KERNELS];
static size_t kernel_count;

static void check(cl_int error, const char *what) {
    if (error != CL_SUCCESS)
        bench_fail("%s: OpenCL error %d", what, error);
}

static cl_device_id find_device(void) {
    cl_platform_id platforms[8];
    cl_device_id device = NULL;
    cl_uint count = 0;
    check(clGetPlatformIDs(8, platforms, &count), "clGetPlatformIDs");
    for (cl_uint i = 0; i < count && i < 8; i++) {
        char name[128] = "";
        clGetPlatformInfo(platforms[i], CL_PLATFORM_NAME, sizeof name, name, NULL);
        if (strstr(name, "Portable Computing Language") && clGetDeviceIDs(platforms[i], CL_DEVICE_TYPE_CPU, 1, &device, NULL) == CL_SUCCESS)
            return device;
    }
    bench_fail("PoCL is not installed");
}

static char *read_source(const char *path) {
    FILE *file = path ? fopen(path, "rb") : NULL;
    if (!file)
        bench_fail("cannot read %s", path ? path : "the source");
    char *text = calloc(1, (size_t)1 << 20);
    if (!text || fread(text, 1, ((size_t)1 << 20) - 1, file) == 0)
        bench_fail("cannot read %s", path);
    fclose(file);
    return text;
}

void side_start(const char *file) {
    char *text = read_source(file), options[4200];
    cl_device_id device = find_device();
    cl_int error = CL_SUCCESS;
    context = clCreateContext(NULL, 1, &device, NULL, NULL, &error);
    check(error, "clCreateContext");
    queue = clCreateCommandQueue(context, device, 0, &error);
    check(error, "clCreateCommandQueue");
    const char *parts[2] = {"#pragma OPENCL FP_CONTRACT OFF\n#line 1\n", text};
    program = clCreateProgramWithSource(context, 2, parts, NULL, &error);
    check(error, "clCreateProgramWithSource");
    snprintf(options, sizeof options, "-I %.*s", (int)(strrchr(file, '/') ? strrchr(file, '/') - file : 1),
             strrchr(file, '/') ? file : ".");
    if (clBuildProgram(program, 1, &device, options, NULL, NULL) != CL_SUCCESS) {
        char *log = calloc(1, 65536);
        clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, 65535, log, NULL);
        bench_fail("%s does not compile:\n%s", file, log ? log : "");
    }
    free(text);
}

void side_finish(void) { check(clFinish(queue), "clFinish"); }

struct buffer new_buffer(size_t bytes, const void *data) {
    cl_int error = CL_SUCCESS;
    cl_mem memory = clCreateBuffer(context, CL_MEM_READ_WRITE | (data ? CL_MEM_COPY_HOST_PTR : 0), bytes, (void *)(uintptr_t)data, &error);
    check(error, "clCreateBuffer");
    struct buffer buffer = {memory};
    if (!data)
        clear_buffer(buffer, bytes);
    return buffer;
}

void read_buffer(void *to, struct buffer from, size_t bytes) {
    check(clEnqueueReadBuffer(queue, from.handle, CL_TRUE, 0, bytes, to, 0, NULL, NULL), "clEnqueueReadBuffer");
}

void write_buffer(struct buffer to, const void *from, size_t bytes) {
    check(clEnqueueWriteBuffer(queue, to.handle, CL_TRUE, 0, bytes, from, 0, NULL, NULL), "clEnqueueWriteBuffer");
}

void copy_buffer(struct buffer to, struct buffer from, size_t bytes) {
    check(clEnqueueCopyBuffer(queue, from.handle, to.handle, 0, 0, bytes, 0, NULL, NULL), "clEnqueueCopyBuffer");
}

void clear_buffer(struct buffer to, size_t bytes) {
    static const cl_uchar zero = 0;
    check(clEnqueueFillBuffer(queue, to.handle, &zero, 1, 0, bytes, 0, NULL, NULL), "clEnqueueFillBuffer");
}

struct image new_image(enum texel texel, struct extent size, bool normalized, const void *data) {
    const cl_image_format format = texel == TEXEL_FLOAT ? (cl_image_format){CL_R, CL_FLOAT} : (cl_image_format){CL_RGBA, CL_UNORM_INT8};
    const cl_image_desc shape = {.image_type = size.d[2] ? CL_MEM_OBJECT_IMAGE3D : CL_MEM_OBJECT_IMAGE2D,
                                 .image_width = size.d[0],
                                 .image_height = size.d[1],
                                 .image_depth = size.d[2] ? size.d[2] : 1};
    cl_int error = CL_SUCCESS;
    (void)normalized; /* the sampler's */
    cl_mem memory = clCreateImage(context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, &format, &shape, (void *)(uintptr_t)data, &error);
    check(error, "clCreateImage");
    return (struct image){memory};
}

static cl_kernel find(const char *name) {
    for (size_t i = 0; i < kernel_count; i++)
        if (kernels[i].name == name || strcmp(kernels[i].name, name) == 0)
            return kernels[i].kernel;
    if (kernel_count == MAX_KERNELS)
        bench_fail("more than %d kernels", MAX_KERNELS);
    cl_int error = CL_SUCCESS;
    kernels[kernel_count].name = name;
    kernels[kernel_count].kernel = clCreateKernel(program, name, &error);
    check(error, name);
    return kernels[kernel_count++].kernel;
}

void launch(const char *name, struct extent groups, struct extent items, const struct argument *arguments, size_t count) {
    size_t global[3], local[3];
    cl_kernel kernel = find(name);
    for (size_t i = 0; i < count; i++)
        check(clSetKernelArg(kernel, (cl_uint)i, arguments[i].bytes, arguments[i].value), name);
    for (int i = 0; i < 3; i++) {
        local[i] = items.d[i] ? items.d[i] : 1;
        global[i] = local[i] * (groups.d[i] ? groups.d[i] : 1);
    }
    check(clEnqueueNDRangeKernel(queue, kernel, 3, NULL, global, local, 0, NULL, NULL), name);
}
