/* The least that OpenCL needs to be a peer: a context, a queue and an empty kernel on the CPU that PoCL offers. */
#ifndef BENCH_OPENCL_H
#define BENCH_OPENCL_H

#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

#include "measure.h"

static cl_context context;
static cl_command_queue queue;
static cl_kernel kernel;

/* False: there is no OpenCL here. */
static inline int prepare_cl(void) {
    static const char *const source = "__kernel void empty() {}";
    cl_platform_id platform = NULL;
    cl_device_id device = NULL;
    cl_int error = 0;
    if (clGetPlatformIDs(1, &platform, NULL) != CL_SUCCESS || clGetDeviceIDs(platform, CL_DEVICE_TYPE_CPU, 1, &device, NULL) != CL_SUCCESS)
        return 0;
    context = clCreateContext(NULL, 1, &device, NULL, NULL, &error);
    MUST(error);
    queue = clCreateCommandQueue(context, device, 0, &error);
    MUST(error);
    cl_program program = clCreateProgramWithSource(context, 1, (const char **)(uintptr_t)&source, NULL, &error);
    MUST(error);
    MUST(clBuildProgram(program, 1, &device, NULL, NULL, NULL));
    kernel = clCreateKernel(program, "empty", &error);
    MUST(error);
    return 1;
}

#endif
