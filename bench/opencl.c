/* The PoCL side's host program: opencl FILE.cl */
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

#include "worker.h"

static cl_context context;
static cl_device_id device;
static cl_command_queue queue;
static cl_program program;
static cl_kernel kernels[KERNELS];
static cl_mem in[KERNELS][3], out[KERNELS];

static void check(cl_int error, const char *what) {
    if (error != CL_SUCCESS) {
        fprintf(stderr, "opencl: %s: error %d\n", what, error);
        exit(1);
    }
}

static void prepare(enum kernel kernel, const struct problem *problem) {
    static const char *const names[KERNELS] = {"triad_rounds", "triad", "sgemm16", "sgemm64", "nbody", "mandelbrot", "black_scholes"};
    static const cl_int ints[KERNELS][3] = {
        {TRIAD_SMALL, TRIAD_ROUNDS}, {0}, {SGEMM_N}, {SGEMM_N}, {NBODY_N}, {MANDEL_WIDTH, MANDEL_HEIGHT, MANDEL_LIMIT}, {OPTIONS}};
    static const unsigned int_counts[KERNELS] = {2, 0, 1, 1, 1, 3, 1};
    cl_int error;
    kernels[kernel] = clCreateKernel(program, names[kernel], &error);
    check(error, names[kernel]);
    out[kernel] = clCreateBuffer(context, CL_MEM_READ_WRITE, problem->outputs * 4, NULL, &error);
    check(error, "clCreateBuffer");
    cl_uint index = kernel == TRIAD_L2 || kernel == TRIAD ? 1 : 0; /* the triads' result comes first */
    for (int i = 0; i < 3; i++) {
        if (!problem->inputs[i])
            continue;
        in[kernel][i] = clCreateBuffer(context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, problem->inputs[i] * 4, problem->input[i], &error);
        check(error, "clCreateBuffer");
        check(clSetKernelArg(kernels[kernel], index++, sizeof(cl_mem), &in[kernel][i]), "clSetKernelArg");
    }
    if (kernel == TRIAD_L2 || kernel == TRIAD) {
        float scale = TRIAD_SCALE;
        check(clSetKernelArg(kernels[kernel], 0, sizeof(cl_mem), &out[kernel]), "clSetKernelArg");
        check(clSetKernelArg(kernels[kernel], index++, sizeof scale, &scale), "clSetKernelArg");
    } else {
        check(clSetKernelArg(kernels[kernel], index++, sizeof(cl_mem), &out[kernel]), "clSetKernelArg");
    }
    for (unsigned i = 0; i < int_counts[kernel]; i++)
        check(clSetKernelArg(kernels[kernel], index++, sizeof(cl_int), &ints[kernel][i]), "clSetKernelArg");
}

static void run(enum kernel kernel) {
    static const struct {
        cl_uint dimensions;
        size_t global[2], local[2];
    } shapes[KERNELS] = {
        {1, {32 * 256}, {256}},
        {1, {TRIAD_LARGE}, {256}},
        {2, {SGEMM_N, SGEMM_N}, {16, 16}},
        {2, {SGEMM_N / 4, SGEMM_N / 4}, {16, 16}},
        {1, {NBODY_N}, {256}},
        {2, {MANDEL_WIDTH, MANDEL_HEIGHT}, {32, 8}},
        {1, {OPTIONS}, {256}},
    };
    check(clEnqueueNDRangeKernel(queue, kernels[kernel], shapes[kernel].dimensions, NULL, shapes[kernel].global, shapes[kernel].local, 0,
                                 NULL, NULL),
          kernel_names[kernel]);
    check(clFinish(queue), "clFinish");
}

static void fetch(enum kernel kernel, float *result, size_t count) {
    check(clEnqueueReadBuffer(queue, out[kernel], CL_TRUE, 0, count * 4, result, 0, NULL, NULL), "clEnqueueReadBuffer");
}

int main(int argc, char **argv) {
    cl_platform_id platforms[8], platform = NULL;
    cl_uint count = 0;
    cl_int error;
    FILE *file = argc > 1 ? fopen(argv[1], "rb") : NULL;
    static char source[32768];
    if (!file || fread(source, 1, sizeof source - 1, file) == 0) {
        fprintf(stderr, "usage: opencl FILE.cl\n");
        return 2;
    }
    fclose(file);
    check(clGetPlatformIDs(8, platforms, &count), "clGetPlatformIDs");
    for (cl_uint i = 0; i < count; i++) {
        char name[128] = "";
        clGetPlatformInfo(platforms[i], CL_PLATFORM_NAME, sizeof name, name, NULL);
        if (strstr(name, "Portable Computing Language"))
            platform = platforms[i];
    }
    if (!platform) {
        fprintf(stderr, "opencl: PoCL is not installed\n");
        return 1;
    }
    check(clGetDeviceIDs(platform, CL_DEVICE_TYPE_CPU, 1, &device, NULL), "clGetDeviceIDs");
    context = clCreateContext(NULL, 1, &device, NULL, NULL, &error);
    check(error, "clCreateContext");
    queue = clCreateCommandQueue(context, device, 0, &error);
    check(error, "clCreateCommandQueue");
    const char *text = source;
    program = clCreateProgramWithSource(context, 1, &text, NULL, &error);
    check(error, "clCreateProgramWithSource");
    char options[128];
    snprintf(options, sizeof options, "-DSOFTENING=%.9gf -DVOLATILITY=%.9gf -DRISK_FREE=%.9gf", SOFTENING, VOLATILITY, RISK_FREE);
    check(clBuildProgram(program, 1, &device, options, NULL, NULL), "clBuildProgram");
    return worker_main();
}
