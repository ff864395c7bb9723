// WAVELIFT_MATH: with "exact" the approximate instructions give the correctly rounded result; without it some results differ.
// The two kinds of native code share a cache folder.
#include "check.h"

#include <vector>

enum { EXP, LOG, SINE, COSINE, ROOT, FUNCTIONS };

__global__ void compute(int function, int n, const float *in, float *out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float x = in[i];
    switch (function) {
    case EXP:
        out[i] = __builtin_amdgcn_exp2f(x);
        break;
    case LOG:
        out[i] = __builtin_amdgcn_logf(x);
        break;
    case SINE:
        out[i] = __builtin_amdgcn_sinf(x);
        break;
    case COSINE:
        out[i] = __builtin_amdgcn_cosf(x);
        break;
    default:
        out[i] = __builtin_amdgcn_rsqf(x);
    }
}

static long double exact(int function, long double x) {
    const long double turn = 6.283185307179586476925286766559L * x;
    switch (function) {
    case EXP:
        return exp2l(x);
    case LOG:
        return log2l(x);
    case SINE:
        return sinl(turn);
    case COSINE:
        return cosl(turn);
    default:
        return 1 / sqrtl(x);
    }
}

int main() {
    check_name = "exact_math";
    const char *mode = std::getenv("WAVELIFT_MATH");
    const bool want_exact = mode && !std::strcmp(mode, "exact");
    const int n = 4096;
    std::vector<float> in(n), out(n);
    Random random;
    for (float &x : in)
        x = 0.01f + 0.2f * random.uniform();
    float *din, *dout;
    HIP(hipMalloc((void **)&din, n * 4));
    HIP(hipMalloc((void **)&dout, n * 4));
    HIP(hipMemcpy(din, in.data(), n * 4, hipMemcpyHostToDevice));
    int others = 0;
    for (int f = 0; f < FUNCTIONS; f++) {
        compute<<<n / 256, 256>>>(f, n, din, dout);
        HIP_FINISH();
        HIP(hipMemcpy(out.data(), dout, n * 4, hipMemcpyDeviceToHost));
        for (int i = 0; i < n; i++) {
            float want = (float)exact(f, in[i]);
            others += out[i] != want;
            EXPECT(!want_exact || out[i] == want, "function %d of %a is %a instead of %a", f, in[i], out[i], want);
        }
    }
    EXPECT(want_exact || others > 0, "all results are rounded correctly without being asked for");
    return finish();
}
