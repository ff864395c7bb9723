// A program whose device code is linked from several translation units (-fgpu-rdc).
#include "check.h"
#include "filter.h"

#include <vector>

__global__ void smooth(const float *in, float *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = filter(in, i, n);
}

int main(int argc, char **argv) {
    check_name = "rdc";
    int n = (int)argument(argc, argv, 1, 10000);
    const float w[5] = {0.0625f, 0.25f, 0.375f, 0.25f, 0.0625f};
    std::vector<float> in(n), want(n), got(n);
    Random random;
    for (float &value : in)
        value = random.uniform();
    for (int i = 0; i < n; i++)
        for (int k = 0; k < 5; k++) {
            int j = i + k - 2;
            want[i] = std::fma(w[k], in[j < 0 ? 0 : j >= n ? n - 1 : j], want[i]);
        }
    float *device_in, *device_out;
    HIP(hipMalloc((void **)&device_in, n * 4));
    HIP(hipMalloc((void **)&device_out, n * 4));
    HIP(hipMemcpy(device_in, in.data(), n * 4, hipMemcpyHostToDevice));
    smooth<<<(n + 127) / 128, 128>>>(device_in, device_out, n);
    HIP_FINISH();
    HIP(hipMemcpy(got.data(), device_out, n * 4, hipMemcpyDeviceToHost));
    compare("out", got.data(), want.data(), n);
    unsigned count = 0;
    HIP(hipMemcpyFromSymbol(&count, HIP_SYMBOL(filtered), 4));
    EXPECT(count == (unsigned)n, "filtered %u of %d", count, n);
    return finish();
}
