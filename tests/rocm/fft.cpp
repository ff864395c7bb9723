// rocFFT through hipFFT, which compiles its kernels at run time: one to three dimensions, complex and real, f32 and f64, batches, odd
// lengths, against a plain transform on the host, and back.
#include "check.h"

#include <chrono>
#include <cmath>
#include <complex>
#include <cstdio>
#include <cstdlib>
#include <hip/hip_runtime.h>
#include <hipfft/hipfft.h>
#include <vector>

typedef std::complex<double> cd;
static std::vector<cd> dft(const std::vector<cd> &x, std::vector<int> n) {
    // separable, O(N * sum n)
    std::vector<cd> a = x;
    size_t total = 1;
    for (int v : n)
        total *= v;
    size_t stride = total;
    for (size_t d = 0; d < n.size(); d++) {
        stride /= n[d];
        std::vector<cd> w(n[d]);
        for (int k = 0; k < n[d]; k++)
            w[k] = std::polar(1.0, -2 * M_PI * k / n[d]);
        std::vector<cd> line(n[d]);
        for (size_t s = 0; s < total; s++) {
            if ((s / stride) % n[d])
                continue;
            for (int k = 0; k < n[d]; k++) {
                cd sum = 0;
                for (int j = 0; j < n[d]; j++)
                    sum += a[s + j * stride] * w[(long)k * j % n[d]];
                line[k] = sum;
            }
            for (int k = 0; k < n[d]; k++)
                a[s + k * stride] = line[k];
        }
    }
    return a;
}
template <class T> static void c2c(std::vector<int> n, int batch) {
    size_t total = 1;
    for (int v : n)
        total *= v;
    std::vector<std::complex<T>> x(total * batch), y(total * batch);
    for (auto &v : x)
        v = std::complex<T>((rand() % 2001 - 1000) / T(1000), (rand() % 2001 - 1000) / T(1000));
    void *d;
    CK(hipMalloc(&d, x.size() * sizeof x[0]));
    CK(hipMemcpy(d, x.data(), x.size() * sizeof x[0], hipMemcpyHostToDevice));
    auto t0 = std::chrono::steady_clock::now();
    hipfftHandle plan;
    CK(hipfftPlanMany(&plan, (int)n.size(), n.data(), 0, 1, 0, 0, 1, 0, sizeof(T) == 4 ? HIPFFT_C2C : HIPFFT_Z2Z, batch));
    if (sizeof(T) == 4)
        CK(hipfftExecC2C(plan, (hipfftComplex *)d, (hipfftComplex *)d, HIPFFT_FORWARD));
    else
        CK(hipfftExecZ2Z(plan, (hipfftDoubleComplex *)d, (hipfftDoubleComplex *)d, HIPFFT_FORWARD));
    CK(hipMemcpy(y.data(), d, y.size() * sizeof y[0], hipMemcpyDeviceToHost));
    double t = std::chrono::duration<double>(std::chrono::steady_clock::now() - t0).count(), err = 0, norm = 0;
    for (int b = 0; b < batch; b++) {
        std::vector<cd> one(x.begin() + b * total, x.begin() + (b + 1) * total), r = dft(one, n);
        for (size_t i = 0; i < total; i++) {
            double e = std::abs(r[i] - cd(y[b * total + i]));
            if (!(e <= err))
                err = e;
            norm = fmax(norm, std::abs(r[i]));
        }
    }
    if (sizeof(T) == 4)
        CK(hipfftExecC2C(plan, (hipfftComplex *)d, (hipfftComplex *)d, HIPFFT_BACKWARD));
    else
        CK(hipfftExecZ2Z(plan, (hipfftDoubleComplex *)d, (hipfftDoubleComplex *)d, HIPFFT_BACKWARD));
    CK(hipMemcpy(y.data(), d, y.size() * sizeof y[0], hipMemcpyDeviceToHost));
    double back = 0;
    for (size_t i = 0; i < x.size(); i++) {
        double e = std::abs(cd(y[i]) / (double)total - cd(x[i]));
        if (!(e <= back))
            back = e;
    }
    double tol = sizeof(T) == 4 ? 1e-6 : 1e-14;
    bool bad = !(err / norm < tol * 4) || !(back < tol * 20);
    printf("%s", sizeof(T) == 4 ? "C2C" : "Z2Z");
    for (int v : n)
        printf(" %d", v);
    printf(" x%d: %s %.2g, back %.2g, %.3f s\n", batch, bad ? "BAD" : "ok", err / norm, back, t);
    fails += bad;
    CK(hipfftDestroy(plan));
    CK(hipFree(d));
}
template <class T> static void r2c(std::vector<int> n) {
    size_t total = 1;
    for (int v : n)
        total *= v;
    size_t last = n.back(), half = last / 2 + 1, rows = total / last;
    std::vector<T> x(total), z(total);
    for (auto &v : x)
        v = (rand() % 2001 - 1000) / T(1000);
    std::vector<std::complex<T>> y(rows * half);
    void *d, *o;
    CK(hipMalloc(&d, total * sizeof(T)));
    CK(hipMalloc(&o, y.size() * sizeof y[0]));
    CK(hipMemcpy(d, x.data(), total * sizeof(T), hipMemcpyHostToDevice));
    hipfftHandle f, b;
    CK(hipfftPlanMany(&f, (int)n.size(), n.data(), 0, 1, 0, 0, 1, 0, sizeof(T) == 4 ? HIPFFT_R2C : HIPFFT_D2Z, 1));
    CK(hipfftPlanMany(&b, (int)n.size(), n.data(), 0, 1, 0, 0, 1, 0, sizeof(T) == 4 ? HIPFFT_C2R : HIPFFT_Z2D, 1));
    if (sizeof(T) == 4)
        CK(hipfftExecR2C(f, (float *)d, (hipfftComplex *)o));
    else
        CK(hipfftExecD2Z(f, (double *)d, (hipfftDoubleComplex *)o));
    CK(hipMemcpy(y.data(), o, y.size() * sizeof y[0], hipMemcpyDeviceToHost));
    std::vector<cd> one(x.begin(), x.end()), r = dft(one, n);
    double err = 0, norm = 0;
    for (size_t i = 0; i < rows; i++)
        for (size_t k = 0; k < half; k++) {
            double e = std::abs(r[i * last + k] - cd(y[i * half + k]));
            if (!(e <= err))
                err = e;
            norm = fmax(norm, std::abs(r[i * last + k]));
        }
    if (sizeof(T) == 4)
        CK(hipfftExecC2R(b, (hipfftComplex *)o, (float *)d));
    else
        CK(hipfftExecZ2D(b, (hipfftDoubleComplex *)o, (double *)d));
    CK(hipMemcpy(z.data(), d, total * sizeof(T), hipMemcpyDeviceToHost));
    double back = 0;
    for (size_t i = 0; i < total; i++) {
        double e = fabs(z[i] / total - x[i]);
        if (!(e <= back))
            back = e;
    }
    double tol = sizeof(T) == 4 ? 1e-6 : 1e-14;
    bool bad = !(err / norm < tol * 4) || !(back < tol * 20);
    printf("%s", sizeof(T) == 4 ? "R2C" : "D2Z");
    for (int v : n)
        printf(" %d", v);
    printf(": %s %.2g, back %.2g\n", bad ? "BAD" : "ok", err / norm, back);
    fails += bad;
    CK(hipfftDestroy(f));
    CK(hipfftDestroy(b));
    CK(hipFree(d));
    CK(hipFree(o));
}
int main() {
    setvbuf(stdout, 0, _IONBF, 0);
    auto t0 = std::chrono::steady_clock::now();
    c2c<float>({256}, 4);
    c2c<float>({64, 48}, 2);
    c2c<double>({30, 20, 16}, 1);
    c2c<float>({32, 32, 32}, 1);
    r2c<float>({256});
    r2c<double>({16, 20, 24});
    r2c<float>({81});
    r2c<float>({100, 15});
    printf("%d failures, %.1f s\n", fails, std::chrono::duration<double>(std::chrono::steady_clock::now() - t0).count());
    return fails != 0;
}
