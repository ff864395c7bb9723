/* Compiles a kernel at run time with the installed library and runs it. */
#include <hip/hip_runtime_api.h>
#include <hip/hiprtc.h>

#include <stdio.h>
#include <stdlib.h>

int main(void) {
    hiprtcProgram program;
    hipModule_t module;
    hipFunction_t function;
    size_t size;
    int *device, host = 0;
    if (hiprtcCreateProgram(&program, "extern \"C\" __global__ void answer(int *p) { *p = 42; }", "answer.hip", 0, NULL, NULL) ||
        hiprtcCompileProgram(program, 0, NULL) || hiprtcGetCodeSize(program, &size))
        return 1;
    char *code = malloc(size);
    if (hiprtcGetCode(program, code) || hipModuleLoadData(&module, code) || hipModuleGetFunction(&function, module, "answer") ||
        hipMalloc((void **)&device, sizeof host) || hipModuleLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, NULL, (void *[]){&device}, NULL) ||
        hipMemcpy(&host, device, sizeof host, hipMemcpyDeviceToHost) || hiprtcDestroyProgram(&program))
        return 2;
    free(code);
    printf("%d\n", host);
    return host != 42;
}
