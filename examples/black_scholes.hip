// European option prices. The device's logf, expf, erfcf and sqrtf are within a few ulp of the true values; the prices are
// compared with the same formula in double precision, and the functions themselves in ulp (limits: HIP's table of accuracies).
#include "check.h"

#include <vector>

template <class T> __host__ __device__ inline void price(T s, T k, T t, T r, T v, T &call, T &put) {
    T deviation = v * sqrt(t);
    T d1 = (log(s / k) + (r + T(0.5) * v * v) * t) / deviation, d2 = d1 - deviation;
    T n1 = T(0.5) * erfc(-d1 * T(0.70710678118654752440)), n2 = T(0.5) * erfc(-d2 * T(0.70710678118654752440));
    T discounted = k * exp(-r * t);
    call = s * n1 - discounted * n2;
    put = discounted * (T(1) - n2) - s * (T(1) - n1);
}

__global__ void black_scholes(const float *s, const float *k, const float *t, float *call, float *put, int n) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        price(s[i], k[i], t[i], 0.02f, 0.3f, call[i], put[i]);
}

__global__ void functions(const float *x, float *results, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        results[0 * n + i] = expf(x[i] - 5.0f);
        results[1 * n + i] = logf(x[i]);
        results[2 * n + i] = sqrtf(x[i]);
        results[3 * n + i] = erfcf(x[i] * 0.1f);
        results[4 * n + i] = sinf(x[i]);
        results[5 * n + i] = cosf(x[i]);
        results[6 * n + i] = powf(x[i], 1.7f);
        results[7 * n + i] = 1.0f / x[i];
    }
}

int main(int argc, char **argv) {
    check_name = "black_scholes";
    int n = (int)argument(argc, argv, 1, 200000);
    std::vector<float> s(n), k(n), t(n), call(n), put(n), results((size_t)n * 8);
    Random random;
    for (int i = 0; i < n; i++) {
        s[i] = 5.0f + 25.0f * random.uniform();
        k[i] = 1.0f + 99.0f * random.uniform();
        t[i] = 0.25f + 9.75f * random.uniform();
    }
    float *ds, *dk, *dt, *dc, *dp, *dr;
    for (float **array : {&ds, &dk, &dt, &dc, &dp})
        HIP(hipMalloc((void **)array, n * 4));
    HIP(hipMalloc((void **)&dr, (size_t)n * 32));
    HIP(hipMemcpy(ds, s.data(), n * 4, hipMemcpyHostToDevice));
    HIP(hipMemcpy(dk, k.data(), n * 4, hipMemcpyHostToDevice));
    HIP(hipMemcpy(dt, t.data(), n * 4, hipMemcpyHostToDevice));
    black_scholes<<<(n + 1023) / 1024, 256>>>(ds, dk, dt, dc, dp, n);
    functions<<<(n + 255) / 256, 256>>>(dk, dr, n);
    HIP_FINISH();
    HIP(hipMemcpy(call.data(), dc, n * 4, hipMemcpyDeviceToHost));
    HIP(hipMemcpy(put.data(), dp, n * 4, hipMemcpyDeviceToHost));
    HIP(hipMemcpy(results.data(), dr, (size_t)n * 32, hipMemcpyDeviceToHost));

    for (int i = 0; i < n; i++) {
        double c, p, limit = 2e-6 * (s[i] + k[i]);
        price<double>(s[i], k[i], t[i], 0.02f, 0.3f, c, p);
        EXPECT(std::fabs(call[i] - c) <= limit, "call[%d] = %.9g instead of %.9g", i, call[i], c);
        EXPECT(std::fabs(put[i] - p) <= limit, "put[%d] = %.9g instead of %.9g", i, put[i], p);
    }
    struct {
        const char *name;
        uint64_t ulp;
        double (*value)(double);
    } const table[] = {
        {"expf", 2, [](double x) { return std::exp((double)((float)x - 5.0f)); }},
        {"logf", 2, [](double x) { return std::log(x); }},
        {"sqrtf", 0, [](double x) { return std::sqrt(x); }},
        {"erfcf", 4, [](double x) { return std::erfc((double)((float)x * 0.1f)); }},
        {"sinf", 2, [](double x) { return std::sin(x); }},
        {"cosf", 2, [](double x) { return std::cos(x); }},
        {"powf", 2, [](double x) { return std::pow(x, (double)1.7f); }},
        {"reciprocal", 0, [](double x) { return 1.0 / x; }},
    };
    std::vector<float> want(n);
    for (int f = 0; f < 8; f++) {
        for (int i = 0; i < n; i++)
            want[i] = (float)table[f].value((double)k[i]);
        compare(table[f].name, &results[(size_t)f * n], want.data(), n, table[f].ulp);
    }
    return finish();
}
