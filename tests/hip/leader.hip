// All work items read a word of LDS, then the first one overwrites it, without a barrier between: on a GPU every wave has read long
// before the first one has computed what it writes, and programs get away with it.
#include "check.h"

enum { BLOCK = 320, ROUNDS = 6 };

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

int main() {
    float *out, values[BLOCK], root = 16777216.0f, want = 0;
    check_name = "leader";
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
