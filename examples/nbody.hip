// Gravitation between all pairs of bodies, positions staged through LDS. With an IEEE square root and division the
// accelerations equal the host's bit for bit; with the hardware's rsqrt they are close.
#include "check.h"

#include <vector>

constexpr int tile = 128;
constexpr float softening = 1e-3f;

__host__ __device__ inline void interact(float4 self, float4 other, float inverse, float3 &sum) {
    float scale = other.w * (inverse * inverse * inverse);
    sum.x = fmaf(other.x - self.x, scale, sum.x);
    sum.y = fmaf(other.y - self.y, scale, sum.y);
    sum.z = fmaf(other.z - self.z, scale, sum.z);
}
__host__ __device__ inline float distance2(float4 self, float4 other) {
    float x = other.x - self.x, y = other.y - self.y, z = other.z - self.z;
    return fmaf(x, x, fmaf(y, y, fmaf(z, z, softening)));
}

template <bool exact> __global__ void accelerate(const float4 *bodies, float4 *result, int n) {
    __shared__ float4 tiles[tile];
    int i = blockIdx.x * tile + threadIdx.x;
    float4 self = i < n ? bodies[i] : make_float4(0, 0, 0, 0);
    float3 sum = make_float3(0, 0, 0);
    for (int first = 0; first < n; first += tile) {
        tiles[threadIdx.x] = first + (int)threadIdx.x < n ? bodies[first + threadIdx.x] : make_float4(0, 0, 0, 0);
        __syncthreads();
        for (int j = 0; j < tile; j++) {
            float d = distance2(self, tiles[j]);
            interact(self, tiles[j], exact ? 1.0f / sqrtf(d) : rsqrtf(d), sum);
        }
        __syncthreads();
    }
    if (i < n)
        result[i] = make_float4(sum.x, sum.y, sum.z, 0);
}

int main(int argc, char **argv) {
    check_name = "nbody";
    int n = (int)argument(argc, argv, 1, 4096);
    std::vector<float4> bodies(n), exact(n), quick(n), want(n);
    Random random;
    for (float4 &body : bodies)
        body = make_float4(random.uniform(), random.uniform(), random.uniform(), random.uniform());
    std::vector<float> scale(n, 0.0f);
    for (int i = 0; i < n; i++) {
        float3 sum = make_float3(0, 0, 0);
        for (int j = 0; j < n; j++) {
            float inverse = 1.0f / std::sqrt(distance2(bodies[i], bodies[j]));
            interact(bodies[i], bodies[j], inverse, sum);
            scale[i] += bodies[j].w * inverse * inverse; // what the terms amount to without their signs
        }
        want[i] = make_float4(sum.x, sum.y, sum.z, 0);
    }

    float4 *device_bodies, *result;
    HIP(hipMalloc((void **)&device_bodies, n * 16));
    HIP(hipMalloc((void **)&result, n * 16));
    HIP(hipMemcpy(device_bodies, bodies.data(), n * 16, hipMemcpyHostToDevice));
    accelerate<true><<<(n + tile - 1) / tile, tile>>>(device_bodies, result, n);
    HIP_FINISH();
    HIP(hipMemcpy(exact.data(), result, n * 16, hipMemcpyDeviceToHost));
    accelerate<false><<<(n + tile - 1) / tile, tile>>>(device_bodies, result, n);
    HIP_FINISH();
    HIP(hipMemcpy(quick.data(), result, n * 16, hipMemcpyDeviceToHost));

    // Adding a zero-mass padding body changes no sum: x + 0 * y == x.
    compare("acceleration", (float *)exact.data(), (float *)want.data(), n * 4);
    for (int i = 0; i < n * 4; i++) {
        float a = ((float *)quick.data())[i], b = ((float *)want.data())[i];
        EXPECT(std::fabs(a - b) <= 4e-6f * scale[i / 4], "with rsqrt: [%d] = %g instead of %g", i, a, b);
    }
    return finish();
}
