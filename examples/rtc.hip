// Run-time compilation: a kernel template made for each operation and type that is asked for, as libraries of expressions do.
// The source is text; hiprtc compiles it, hipModule* loads and launches it.
//
//   rtc [COUNT]
#include "check.h"

#include <hip/hiprtc.h>

#include <string>
#include <vector>

static const char source[] = R"(
template <typename T, typename Operation> __global__ void map(const T *in, T *out, int count) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count)
        out[i] = Operation()(in[i]);
}
struct square {
    template <typename T> __device__ T operator()(T x) const { return x * x; }
};
struct user {
    template <typename T> __device__ T operator()(T x) const { return EXPRESSION; }
};
)";

static void rtc(hiprtcResult result, hiprtcProgram program = nullptr) {
    if (result == HIPRTC_SUCCESS)
        return;
    size_t size = 0;
    printf("FAIL rtc: %s\n", hiprtcGetErrorString(result));
    if (program && hiprtcGetProgramLogSize(program, &size) == HIPRTC_SUCCESS && size) {
        std::string log(size, '\0');
        (void)hiprtcGetProgramLog(program, &log[0]);
        puts(log.c_str());
    }
    exit(1);
}

template <typename T> static std::vector<T> run(hipModule_t module, const char *name, const std::vector<T> &in) {
    int count = (int)in.size();
    size_t bytes = in.size() * sizeof(T);
    std::vector<T> result(in.size());
    T *from, *to;
    hipFunction_t kernel;
    HIP(hipModuleGetFunction(&kernel, module, name));
    HIP(hipMalloc((void **)&from, bytes));
    HIP(hipMalloc((void **)&to, bytes));
    HIP(hipMemcpy(from, in.data(), bytes, hipMemcpyHostToDevice));
    void *arguments[] = {&from, &to, &count};
    HIP(hipModuleLaunchKernel(kernel, (count + 255) / 256, 1, 1, 256, 1, 1, 0, nullptr, arguments, nullptr));
    HIP(hipMemcpy(result.data(), to, bytes, hipMemcpyDeviceToHost));
    HIP(hipFree(from));
    HIP(hipFree(to));
    return result;
}

int main(int argc, char **argv) {
    check_name = "rtc";
    int count = (int)argument(argc, argv, 1, 100000);
    hipDeviceProp_t properties;
    HIP(hipGetDeviceProperties(&properties, 0));
    std::string target = std::string("--gpu-architecture=") + properties.gcnArchName;
    const char *options[] = {target.c_str(), "-DEXPRESSION=x/2+7"};
    const char *float_square = "map<float, square>", *int_user = "map<int, user>";
    hiprtcProgram program;
    rtc(hiprtcCreateProgram(&program, source, "map.hip", 0, nullptr, nullptr));
    rtc(hiprtcAddNameExpression(program, float_square), program);
    rtc(hiprtcAddNameExpression(program, int_user), program);
    rtc(hiprtcCompileProgram(program, 2, options), program);
    size_t size = 0;
    rtc(hiprtcGetCodeSize(program, &size));
    std::vector<char> code(size);
    rtc(hiprtcGetCode(program, code.data()));

    hipModule_t module;
    const char *name;
    HIP(hipModuleLoadData(&module, code.data()));
    std::vector<float> floats(count);
    std::vector<int> ints(count);
    for (int i = 0; i < count; i++) {
        floats[i] = 0.25f * (float)i;
        ints[i] = 3 * i - count;
    }
    rtc(hiprtcGetLoweredName(program, float_square, &name));
    std::vector<float> squares = run(module, name, floats);
    rtc(hiprtcGetLoweredName(program, int_user, &name));
    std::vector<int> values = run(module, name, ints);
    for (int i = 0; i < count; i++) {
        EXPECT(squares[i] == floats[i] * floats[i], "square %d is %g", i, squares[i]);
        EXPECT(values[i] == ints[i] / 2 + 7, "value %d is %d", i, values[i]);
    }
    HIP(hipModuleUnload(module));
    rtc(hiprtcDestroyProgram(&program));
    return finish();
}
