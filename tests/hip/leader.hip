// Kernels that lack a barrier, and that GPUs run as their authors mean it.
#include "check.h"

enum { BLOCK = 320, ROUNDS = 6, PARTS = 4 };

// All work items read a word of LDS, then the first one overwrites it: every wave has read long before the first one has computed what
// it writes.

__global__ void take_roots(float *out, float start) {
    __shared__ float shared;
    float sum = 0;
    if (threadIdx.x == 0)
        shared = start;
    __syncthreads();
    for (int round = 0; round < ROUNDS; round++) {
        float root = sqrtf(*(volatile float *)&shared);
        if (threadIdx.x == 0)
            *(volatile float *)&shared = root;
        __syncthreads();
        sum += root;
        __syncthreads();
    }
    out[threadIdx.x] = sum;
}

// All work items add up a few words of LDS, then those of several waves load from memory and overwrite them: every wave has read long
// before the first one has what it waits for.
__global__ void add_parts(float *out, const float *in) {
    __shared__ float parts[PARTS];
    const unsigned writer = threadIdx.x % 64 == 0 ? threadIdx.x / 64 : PARTS;
    float sum = 0;
    if (writer < PARTS)
        parts[writer] = 0;
    __syncthreads();
    for (int round = 0; round < ROUNDS; round++) {
#pragma clang loop unroll(disable)
        for (int i = 0; i < PARTS; i++)
            sum += parts[i];
        if (writer < PARTS)
            parts[writer] = in[round * PARTS + writer];
        __syncthreads();
    }
    out[threadIdx.x] = sum;
}

static void check_parts() {
    float *out, *in, values[BLOCK], numbers[ROUNDS * PARTS], want = 0;
    for (int i = 0; i < ROUNDS * PARTS; i++)
        numbers[i] = (float)(i * i);
    for (int i = 0; i < (ROUNDS - 1) * PARTS; i++)
        want += numbers[i];
    HIP(hipMalloc(&out, sizeof values));
    HIP(hipMalloc(&in, sizeof numbers));
    HIP(hipMemcpy(in, numbers, sizeof numbers, hipMemcpyHostToDevice));
    add_parts<<<1, BLOCK>>>(out, in);
    HIP(hipMemcpy(values, out, sizeof values, hipMemcpyDeviceToHost));
    for (int i = 0; i < BLOCK; i++)
        EXPECT(values[i] == want, "work item %d adds up %g instead of %g", i, values[i], want);
    HIP(hipFree(out));
    HIP(hipFree(in));
}

int main() {
    float *out, values[BLOCK], root = 16777216.0f, want = 0;
    check_name = "leader";
    check_parts();
    for (int round = 0; round < ROUNDS; round++)
        want += root = std::sqrt(root);
    HIP(hipMalloc(&out, sizeof values));
    take_roots<<<1, BLOCK>>>(out, 16777216.0f);
    HIP(hipMemcpy(values, out, sizeof values, hipMemcpyDeviceToHost));
    for (int i = 0; i < BLOCK; i++)
        EXPECT(std::fabs(values[i] - want) <= 1e-3f, "work item %d has %g instead of %g", i, values[i], want);
    HIP(hipFree(out));
    return finish();
}
