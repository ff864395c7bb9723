/* Kernels of both wave sizes in one code object, which share a device function.
 *     mixed FILE.co */
#include <hip/hip_runtime_api.h>

#include <stdio.h>
#include <stdlib.h>

enum { ITEMS = 256 };

static int check(hipError_t error, const char *what) {
    if (error != hipSuccess)
        printf("FAIL mixed: %s: %s\n", what, hipGetErrorString(error));
    return error != hipSuccess;
}

static int run(hipModule_t module, const char *name) {
    hipFunction_t function;
    unsigned *out, host[ITEMS];
    int wrong = check(hipModuleGetFunction(&function, module, name), name) || check(hipMalloc((void **)&out, sizeof host), "hipMalloc") ||
                check(hipMemset(out, 0, sizeof host), "hipMemset");
    if (wrong)
        return 1;
    void *arguments[] = {&out};
    wrong = check(hipModuleLaunchKernel(function, 1, 1, 1, ITEMS, 1, 1, 0, NULL, arguments, NULL), name) ||
            check(hipMemcpy(host, out, sizeof host, hipMemcpyDeviceToHost), "hipMemcpy");
    for (unsigned i = 0; i < ITEMS && !wrong; i++)
        if (host[i] != 3 * i + 7) {
            printf("FAIL mixed: %s: out[%u] = %u\n", name, i, host[i]);
            wrong = 1;
        }
    wrong |= check(hipFree(out), "hipFree");
    return wrong;
}

int main(int argc, char **argv) {
    static const char *const orders[2][3] = {{"k32", "k64", "k32"}, {"k64", "k32", "k64"}};
    if (argc != 2)
        return 2;
    for (unsigned order = 0; order < 2; order++) { /* a module of its own: each size is the first to call once */
        hipModule_t module;
        if (check(hipModuleLoad(&module, argv[1]), argv[1]))
            return 1;
        for (unsigned i = 0; i < 3; i++)
            if (run(module, orders[order][i]))
                return 1;
        if (check(hipModuleUnload(module), "hipModuleUnload"))
            return 1;
    }
    puts("PASS mixed");
    return 0;
}
