// rocBLAS: levels 1 and 2, solves, and products of every type, transposed and in batches, against loops on the host. The numbers are small
// integers, so that most results are exact whatever the order of sums.
#include "check.h"

#include <chrono>
#include <cmath>
#include <complex>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

// behind the standard headers, which have attributes of the names that HIP defines as macros
#include <hip/hip_complex.h>
#include <hip/hip_runtime.h>
#include <rocblas/rocblas.h>
static rocblas_handle h;
typedef std::complex<float> cf;
typedef std::complex<double> cd;
static unsigned seed = 1;
static int rnd() {
    seed = seed * 1664525u + 1013904223u;
    return (int)(seed >> 24) % 9 - 4;
}
template <class T> struct Ref {
    typedef double R;
    static T make() { return (T)rnd(); }
    static double get(T v) { return (double)v; }
};
template <> struct Ref<cf> {
    typedef cd R;
    static cf make() {
        float a = rnd();
        return cf(a, rnd());
    }
    static cd get(cf v) { return cd(v); }
};
template <> struct Ref<cd> {
    typedef cd R;
    static cd make() {
        double a = rnd();
        return cd(a, rnd());
    }
    static cd get(cd v) { return v; }
};
template <> struct Ref<_Float16> {
    typedef double R;
    static _Float16 make() { return (_Float16)rnd(); }
    static double get(_Float16 v) { return (double)v; }
};
struct bf {
    unsigned short v;
};
template <> struct Ref<bf> {
    typedef double R;
    static bf make() {
        float f = rnd();
        unsigned u;
        __builtin_memcpy(&u, &f, 4);
        return bf{(unsigned short)(u >> 16)};
    }
    static double get(bf b) {
        unsigned u = (unsigned)b.v << 16;
        float f;
        __builtin_memcpy(&f, &u, 4);
        return f;
    }
};
static double cj(double v, bool) { return v; }
static cd cj(cd v, bool c) { return c ? std::conj(v) : v; }
static double mag(double v) { return fabs(v); }
static double mag(cd v) { return std::abs(v); }

template <class TA, class TC, class S>
static void ex(const char *name, rocblas_datatype ta, rocblas_datatype tc, rocblas_datatype tcomp, S alpha, S beta, double tol,
               rocblas_operation oa, rocblas_operation ob, int m, int n, int k, int batch) {
    int ra = oa == rocblas_operation_none ? m : k, ca = oa == rocblas_operation_none ? k : m;
    int rb = ob == rocblas_operation_none ? k : n, cb = ob == rocblas_operation_none ? n : k;
    int lda = ra + 3, ldb = rb + 1, ldc = m + 2;
    size_t sa = (size_t)lda * ca, sb = (size_t)ldb * cb, sc = (size_t)ldc * n;
    std::vector<TA> A(sa * batch), B(sb * batch);
    std::vector<TC> C(sc * batch), D(sc * batch);
    for (auto &v : A)
        v = Ref<TA>::make();
    for (auto &v : B)
        v = Ref<TA>::make();
    for (auto &v : C)
        v = Ref<TC>::make();
    TA *dA, *dB;
    TC *dC;
    CK(hipMalloc((void **)&dA, A.size() * sizeof(TA)));
    CK(hipMalloc((void **)&dB, B.size() * sizeof(TA)));
    CK(hipMalloc((void **)&dC, C.size() * sizeof(TC)));
    CK(hipMemcpy(dA, A.data(), A.size() * sizeof(TA), hipMemcpyHostToDevice));
    CK(hipMemcpy(dB, B.data(), B.size() * sizeof(TA), hipMemcpyHostToDevice));
    CK(hipMemcpy(dC, C.data(), C.size() * sizeof(TC), hipMemcpyHostToDevice));
    auto t0 = std::chrono::steady_clock::now();
    rocblas_status s = rocblas_gemm_strided_batched_ex(h, oa, ob, m, n, k, &alpha, dA, ta, lda, sa, dB, ta, ldb, sb, &beta, dC, tc, ldc, sc,
                                                       dC, tc, ldc, sc, batch, tcomp, rocblas_gemm_algo_standard, 0, 0);
    if (s) {
        printf("%-8s %c%c %d %d %d x%d: status %d\n", name, "NTC"[oa - 111], "NTC"[ob - 111], m, n, k, batch, s);
        fails++;
        return;
    }
    CK(hipDeviceSynchronize());
    double t = std::chrono::duration<double>(std::chrono::steady_clock::now() - t0).count();
    CK(hipMemcpy(D.data(), dC, C.size() * sizeof(TC), hipMemcpyDeviceToHost));
    double worst = 0;
    long bad = 0;
    typedef typename Ref<TC>::R R;
    for (int b = 0; b < batch; b++)
        for (int j = 0; j < n; j++)
            for (int i = 0; i < ldc; i++) {
                R want;
                if (i >= m)
                    want = Ref<TC>::get(C[b * sc + (size_t)j * ldc + i]);
                else {
                    R sum = 0;
                    for (int l = 0; l < k; l++) {
                        R a =
                            Ref<TA>::get(oa == rocblas_operation_none ? A[b * sa + (size_t)l * lda + i] : A[b * sa + (size_t)i * lda + l]);
                        R bb =
                            Ref<TA>::get(ob == rocblas_operation_none ? B[b * sb + (size_t)j * ldb + l] : B[b * sb + (size_t)l * ldb + j]);
                        sum += cj(a, oa == rocblas_operation_conjugate_transpose) * cj(bb, ob == rocblas_operation_conjugate_transpose);
                    }
                    want = sum * (R)alpha + (R)beta * Ref<TC>::get(C[b * sc + (size_t)j * ldc + i]);
                }
                double e = mag(want - Ref<TC>::get(D[b * sc + (size_t)j * ldc + i])) / (1 + mag(want));
                if (!(e <= worst))
                    worst = e;
                if (!(e <= tol))
                    bad++;
            }
    printf("%-8s %c%c %4d %4d %4d x%d: %s worst %.2g  %.3f s\n", name, "NTC"[oa - 111], "NTC"[ob - 111], m, n, k, batch, bad ? "BAD" : "ok",
           worst, t);
    if (bad)
        fails++;
    (void)hipFree(dA);
    (void)hipFree(dB);
    (void)hipFree(dC);
}
static void types(rocblas_operation oa, rocblas_operation ob, int m, int n, int k, int batch) {
    auto f32 = rocblas_datatype_f32_r, f16 = rocblas_datatype_f16_r, f64 = rocblas_datatype_f64_r, bf16 = rocblas_datatype_bf16_r,
         i8 = rocblas_datatype_i8_r, i32 = rocblas_datatype_i32_r;
    ex<float, float, float>("sgemm", f32, f32, f32, 2, 1, 0, oa, ob, m, n, k, batch);
    ex<double, double, double>("dgemm", f64, f64, f64, 2, 1, 0, oa, ob, m, n, k, batch);
    ex<_Float16, _Float16, _Float16>("hgemm", f16, f16, f16, 1, 1, 2e-2, oa, ob, m, n, k, batch);
    ex<_Float16, _Float16, float>("hss", f16, f16, f32, 1, 1, 1e-3, oa, ob, m, n, k, batch);
    ex<_Float16, float, float>("hs", f16, f32, f32, 1, 1, 0, oa, ob, m, n, k, batch);
    ex<bf, bf, float>("bss", bf16, bf16, f32, 1, 1, 8e-3, oa, ob, m, n, k, batch);
    ex<bf, float, float>("bs", bf16, f32, f32, 1, 1, 0, oa, ob, m, n, k, batch);
    ex<signed char, int, int>("i8", i8, i32, i32, 1, 1, 0, oa, ob, m, n, k, batch);
    ex<cf, cf, cf>("cgemm", rocblas_datatype_f32_c, rocblas_datatype_f32_c, rocblas_datatype_f32_c, cf(2, 1), cf(1, 1), 1e-5, oa, ob, m, n,
                   k, batch);
    ex<cd, cd, cd>("zgemm", rocblas_datatype_f64_c, rocblas_datatype_f64_c, rocblas_datatype_f64_c, cd(2, 1), cd(1, 1), 1e-12, oa, ob, m, n,
                   k, batch);
}
static void level12() {
    int n = 1000;
    std::vector<double> x(n), y(n);
    for (auto &v : x)
        v = rnd();
    for (auto &v : y)
        v = rnd();
    double *dx, *dy, r = 0, want = 0;
    CK(hipMalloc((void **)&dx, n * 8));
    CK(hipMalloc((void **)&dy, n * 8));
    CK(hipMemcpy(dx, x.data(), n * 8, hipMemcpyHostToDevice));
    CK(hipMemcpy(dy, y.data(), n * 8, hipMemcpyHostToDevice));
    CK(rocblas_ddot(h, n, dx, 1, dy, 1, &r));
    for (int i = 0; i < n; i++)
        want += x[i] * y[i];
    printf("ddot %g %g\n", r, want);
    if (r != want)
        fails++;
    CK(rocblas_dasum(h, n, dx, 1, &r));
    want = 0;
    for (int i = 0; i < n; i++)
        want += fabs(x[i]);
    printf("dasum %g %g\n", r, want);
    if (r != want)
        fails++;
    CK(rocblas_dnrm2(h, n, dx, 1, &r));
    want = 0;
    for (int i = 0; i < n; i++)
        want += x[i] * x[i];
    printf("dnrm2 %g %g\n", r, sqrt(want));
    if (fabs(r - sqrt(want)) > 1e-10)
        fails++;
    x[777] = -100;
    CK(hipMemcpy(dx, x.data(), n * 8, hipMemcpyHostToDevice));
    int ix;
    CK(rocblas_idamax(h, n, dx, 1, &ix));
    printf("idamax %d\n", ix);
    if (ix != 778)
        fails++;
    double a = 3;
    CK(rocblas_daxpy(h, n, &a, dx, 1, dy, 1));
    std::vector<double> z(n);
    CK(hipMemcpy(z.data(), dy, n * 8, hipMemcpyDeviceToHost));
    for (int i = 0; i < n; i++)
        if (z[i] != y[i] + 3 * x[i]) {
            printf("daxpy BAD %d\n", i);
            fails++;
            break;
        }
    // trsm, trmm, symm, syrk, gemv
    int m = 150, nn = 70;
    std::vector<double> A(m * m), B(m * nn), X(m * nn);
    for (auto &v : A)
        v = rnd() * 0.1;
    for (int i = 0; i < m; i++)
        A[i * m + i] = 8;
    for (auto &v : B)
        v = rnd();
    double *dA, *dB;
    CK(hipMalloc((void **)&dA, m * m * 8));
    CK(hipMalloc((void **)&dB, m * nn * 8));
    CK(hipMemcpy(dA, A.data(), m * m * 8, hipMemcpyHostToDevice));
    CK(hipMemcpy(dB, B.data(), m * nn * 8, hipMemcpyHostToDevice));
    double one = 1;
    CK(rocblas_dtrsm(h, rocblas_side_left, rocblas_fill_lower, rocblas_operation_none, rocblas_diagonal_non_unit, m, nn, &one, dA, m, dB,
                     m));
    CK(hipMemcpy(X.data(), dB, m * nn * 8, hipMemcpyDeviceToHost));
    double w = 0;
    for (int j = 0; j < nn; j++)
        for (int i = 0; i < m; i++) {
            double s = 0;
            for (int l = 0; l <= i; l++)
                s += A[l * m + i] * X[j * m + l];
            w = fmax(w, fabs(s - B[j * m + i]));
        }
    printf("dtrsm residual %g\n", w);
    if (!(w < 1e-10))
        fails++;
    std::vector<double> yv(m);
    double zero = 0;
    CK(rocblas_dgemv(h, rocblas_operation_transpose, m, m, &one, dA, m, dx, 1, &zero, dy, 1));
    CK(hipMemcpy(yv.data(), dy, m * 8, hipMemcpyDeviceToHost));
    w = 0;
    for (int i = 0; i < m; i++) {
        double s = 0;
        for (int l = 0; l < m; l++)
            s += A[i * m + l] * x[l];
        w = fmax(w, fabs(s - yv[i]));
    }
    printf("dgemv T %g\n", w);
    if (!(w < 1e-10))
        fails++;
    std::vector<double> CC(m * m);
    double *dC;
    CK(hipMalloc((void **)&dC, m * m * 8));
    CK(hipMemset(dC, 0, m * m * 8));
    CK(rocblas_dsyrk(h, rocblas_fill_lower, rocblas_operation_none, m, m, &one, dA, m, &zero, dC, m));
    CK(hipMemcpy(CC.data(), dC, m * m * 8, hipMemcpyDeviceToHost));
    w = 0;
    for (int j = 0; j < m; j++)
        for (int i = j; i < m; i++) {
            double s = 0;
            for (int l = 0; l < m; l++)
                s += A[l * m + i] * A[l * m + j];
            w = fmax(w, fabs(s - CC[j * m + i]));
        }
    printf("dsyrk %g\n", w);
    if (!(w < 1e-10))
        fails++;
}
int main(int c, char **v) {
    auto t0 = std::chrono::steady_clock::now();
    setvbuf(stdout, 0, _IONBF, 0);
    int s = rocblas_create_handle(&h);
    if (s) {
        printf("create %d\n", s);
        return 1;
    }
    printf("handle %.3f s\n", std::chrono::duration<double>(std::chrono::steady_clock::now() - t0).count());
    level12();
    auto N = rocblas_operation_none, T = rocblas_operation_transpose, C = rocblas_operation_conjugate_transpose;
    types(N, N, 64, 64, 64, 1);
    types(T, N, 33, 47, 65, 1);
    types(N, T, 128, 96, 100, 3);
    if (c > 1) {
        types(T, T, 257, 129, 70, 2);
        types(C, N, 30, 20, 50, 1);
        types(N, C, 17, 18, 19, 1);
        types(N, N, 512, 512, 512, 1);
        types(T, N, 1, 300, 400, 1);
        types(N, N, 4, 1024, 8, 2);
    }
    printf("%d failures, %.1f s\n", fails, std::chrono::duration<double>(std::chrono::steady_clock::now() - t0).count());
    return fails != 0;
}
