/* The kernel of `wavelift doctor` (self_test.cl), run in this process; WAVELIFT_TIER and WAVELIFT_DEVICES say how and where. */
#include "commands.h"
#include "doctor.h"

#include <hip/hip_runtime_api.h>

#include <stdio.h>

extern const char wl_self_test_code[];

enum { ITEMS = 64 };

static int failed(const char *what, hipError_t error) {
    fprintf(stderr, "%s: %s\n", what, hipGetErrorString(error));
    return 1;
}

/* Runs the kernel on the numbers. */
static int run(hipFunction_t function, int *numbers) {
    void *device = NULL;
    hipError_t error = hipMalloc(&device, ITEMS * sizeof *numbers);
    if (error == hipSuccess)
        error = hipMemcpy(device, numbers, ITEMS * sizeof *numbers, hipMemcpyHostToDevice);
    if (error != hipSuccess)
        return failed("memory of the device", error);
    error = hipModuleLaunchKernel(function, 1, 1, 1, ITEMS, 1, 1, 0, NULL, (void *[]){&device}, NULL);
    if (error != hipSuccess)
        return failed("launching the kernel", error);
    error = hipMemcpy(numbers, device, ITEMS * sizeof *numbers, hipMemcpyDeviceToHost);
    if (error == hipSuccess)
        error = hipFree(device);
    return error == hipSuccess ? 0 : failed("running the kernel", error);
}

int wl_doctor_self_test(void) {
    hipModule_t module = NULL;
    hipFunction_t function = NULL;
    int numbers[ITEMS];
    hipError_t error = hipModuleLoadData(&module, wl_self_test_code);
    if (error == hipSuccess)
        error = hipModuleGetFunction(&function, module, "wl_doctor");
    if (error != hipSuccess)
        return failed("loading the kernel", error);
    for (int i = 0; i < ITEMS; i++)
        numbers[i] = i * i;
    int result = run(function, numbers);
    for (int i = 0; i < ITEMS && result == 0; i++)
        if (numbers[i] != 3 * i * i + i) {
            fprintf(stderr, "work item %d computed %d instead of %d\n", i, numbers[i], 3 * i * i + i);
            result = 1;
        }
    return result;
}
