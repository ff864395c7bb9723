// rocSOLVER: LU, Cholesky, QR, eigenvalues, singular values. What is compared are residuals, on the host.
#include "check.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <hip/hip_runtime.h>
#include <rocblas/rocblas.h>
#include <rocsolver/rocsolver.h>
#include <vector>
static rocblas_handle h;
static void report(const char *what, int n, double v, double tol) {
    bool bad = !(v <= tol);
    printf("%s %d: %s %.2g\n", what, n, bad ? "BAD" : "ok", v);
    fails += bad;
}
typedef std::vector<double> M;
static double r01() { return rand() / (double)RAND_MAX - 0.5; }
template <class T> struct Dev {
    T *p = 0;
    Dev(size_t n) { hipMalloc((void **)&p, n * sizeof(T)); }
    ~Dev() { hipFree(p); }
    void put(const std::vector<T> &v) { hipMemcpy(p, v.data(), v.size() * sizeof(T), hipMemcpyHostToDevice); }
    std::vector<T> get(size_t n) {
        std::vector<T> v(n);
        hipMemcpy(v.data(), p, n * sizeof(T), hipMemcpyDeviceToHost);
        return v;
    }
};
static void lu(int n) {
    M A(n * n), B(n);
    for (auto &v : A)
        v = r01();
    for (auto &v : B)
        v = r01();
    Dev<double> a(n * n), b(n);
    Dev<int> p(n), info(1);
    a.put(A);
    b.put(B);
    CK(rocsolver_dgetrf(h, n, n, a.p, n, p.p, info.p));
    CK(rocsolver_dgetrs(h, rocblas_operation_none, n, 1, a.p, n, p.p, b.p, n));
    M x = b.get(n);
    double w = 0;
    for (int i = 0; i < n; i++) {
        double s = -B[i];
        for (int j = 0; j < n; j++)
            s += A[j * n + i] * x[j];
        w = fmax(w, fabs(s));
    }
    report("getrf/getrs", n, info.get(1)[0] ? NAN : w, 1e-9 * n);
}
static void chol(int n) {
    M G(n * n), A(n * n);
    for (auto &v : G)
        v = r01();
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            double s = i == j ? n : 0;
            for (int k = 0; k < n; k++)
                s += G[k * n + i] * G[k * n + j];
            A[j * n + i] = s;
        }
    Dev<double> a(n * n);
    Dev<int> info(1);
    a.put(A);
    CK(rocsolver_dpotrf(h, rocblas_fill_lower, n, a.p, n, info.p));
    M L = a.get(n * n);
    double w = 0;
    for (int i = 0; i < n; i++)
        for (int j = 0; j <= i; j++) {
            double s = -A[j * n + i];
            for (int k = 0; k <= j; k++)
                s += L[k * n + i] * L[k * n + j];
            w = fmax(w, fabs(s));
        }
    report("potrf", n, w, 1e-10 * n);
}
static void qr(int n) {
    M A(n * n);
    for (auto &v : A)
        v = r01();
    Dev<double> a(n * n), t(n);
    a.put(A);
    CK(rocsolver_dgeqrf(h, n, n, a.p, n, t.p));
    M R = a.get(n * n);
    CK(rocsolver_dorgqr(h, n, n, n, a.p, n, t.p));
    M Q = a.get(n * n);
    double w = 0, o = 0;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            double s = -A[j * n + i], q = i == j ? -1 : 0;
            for (int k = 0; k <= j; k++)
                s += Q[k * n + i] * R[j * n + k];
            for (int k = 0; k < n; k++)
                q += Q[i * n + k] * Q[j * n + k];
            w = fmax(w, fabs(s));
            o = fmax(o, fabs(q));
        }
    report("geqrf/orgqr", n, fmax(w, o), 1e-11 * n);
}
static void eig(int n) {
    M A(n * n);
    for (int i = 0; i < n; i++)
        for (int j = 0; j <= i; j++)
            A[i * n + j] = A[j * n + i] = r01();
    Dev<double> a(n * n), d(n), e(n);
    Dev<int> info(1);
    a.put(A);
    CK(rocsolver_dsyevd(h, rocblas_evect_original, rocblas_fill_upper, n, a.p, n, d.p, e.p, info.p));
    M V = a.get(n * n), D = d.get(n);
    double w = 0;
    for (int j = 0; j < n; j++)
        for (int i = 0; i < n; i++) {
            double s = -D[j] * V[j * n + i];
            for (int k = 0; k < n; k++)
                s += A[k * n + i] * V[j * n + k];
            w = fmax(w, fabs(s));
        }
    report("syevd", n, std::is_sorted(D.begin(), D.end()) ? w : NAN, 1e-11 * n);
}
static void svd(int n) {
    M A(n * n);
    for (auto &v : A)
        v = r01();
    Dev<double> a(n * n), s(n), u(n * n), v(n * n), e(n);
    Dev<int> info(1);
    a.put(A);
    CK(rocsolver_dgesvd(h, rocblas_svect_all, rocblas_svect_all, n, n, a.p, n, s.p, u.p, n, v.p, n, e.p, rocblas_outofplace, info.p));
    M S = s.get(n), U = u.get(n * n), V = v.get(n * n);
    double w = 0;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            double t = -A[j * n + i];
            for (int k = 0; k < n; k++)
                t += U[k * n + i] * S[k] * V[j * n + k];
            w = fmax(w, fabs(t));
        }
    report("gesvd", n, w, 1e-11 * n);
}
int main() {
    setvbuf(stdout, 0, _IONBF, 0);
    auto t0 = std::chrono::steady_clock::now();
    if (rocblas_create_handle(&h))
        return 1;
    lu(20);
    lu(200);
    chol(30);
    chol(150);
    qr(40);
    qr(100);
    eig(16);
    eig(70);
    svd(30);
    printf("%d failures, %.1f s\n", fails, std::chrono::duration<double>(std::chrono::steady_clock::now() - t0).count());
    return fails != 0;
}
