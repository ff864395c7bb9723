/* AMD's device math library (OCML), translated, against MPFR.
 *
 * Two bounds for each function and format. On the range for which AMD's HIP documentation ("HIP math API") gives an error, the
 * result where the absolute error is largest may differ from the correctly rounded one by so many ulp as documented there. For
 * any argument, edges included, the bound is OpenCL's, which OCML was written for; f16 has OpenCL's bounds alone.
 *     device_math [NAME ...] */
#include <hip/hip_runtime.h>

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mpfr.h>
#include <vector>

#define HIP(call)                                                                                                                          \
    do {                                                                                                                                   \
        hipError_t error_ = (call);                                                                                                        \
        if (error_ != hipSuccess) {                                                                                                        \
            printf("FAIL device_math: line %d: %s: %s\n", __LINE__, #call, hipGetErrorString(error_));                                     \
            exit(1);                                                                                                                       \
        }                                                                                                                                  \
    } while (0)

enum { NO_BOUND = 1 << 30 };

/* name, MPFR's name, the documented range, documented ulp of f32 and f64, and ulp for any argument: f16, f32, f64.
 * Debian's OCML 5.2 is itself wrong in two places: __ocml_sin_f16 returns NaN for every finite number (its last select is the wrong way
 * round), and __ocml_tgamma_f32 below -31 returns 0, since a product in it overflows. */
#define UNARY(X)                                                                                                                           \
    X(acos, acos, -1, 1, 1, 1, 2, 4, 4)                                                                                                    \
    X(acosh, acosh, 1, 100, 1, 1, 2, 4, 4)                                                                                                 \
    X(asin, asin, -1, 1, 2, 1, 2, 4, 4)                                                                                                    \
    X(asinh, asinh, -10, 10, 1, 1, 2, 4, 4)                                                                                                \
    X(atan, atan, -10, 10, 2, 1, 2, 5, 5)                                                                                                  \
    X(atanh, atanh, -0.9, 0.9, 1, 1, 2, 5, 5)                                                                                              \
    X(cbrt, cbrt, -100, 100, 2, 1, 2, 2, 2)                                                                                                \
    X(cos, cos, -M_PI, M_PI, 1, 1, 2, 4, 4)                                                                                                \
    X(cosh, cosh, -5, 5, 1, 1, 2, 4, 4)                                                                                                    \
    X(cospi, cospi, -0.3, 0.3, 1, 2, 2, 4, 4)                                                                                              \
    X(erf, erf, -4, 4, 4, 4, 4, 16, 16)                                                                                                    \
    X(erfc, erfc, -4, 4, 2, 2, 4, 16, 16)                                                                                                  \
    X(exp, exp, -10, 10, 1, 1, 2, 3, 3)                                                                                                    \
    X(exp2, exp2, -10, 10, 1, 1, 2, 3, 3)                                                                                                  \
    X(exp10, exp10, -4, 4, 1, 1, 2, 3, 3)                                                                                                  \
    X(expm1, expm1, -10, 10, 1, 1, 2, 3, 3)                                                                                                \
    X(log, log, 1e-6, 1e6, 2, 1, 2, 3, 3)                                                                                                  \
    X(log2, log2, 1e-6, 1e6, 1, 1, 2, 3, 3)                                                                                                \
    X(log10, log10, 1e-6, 1e6, 2, 1, 2, 3, 3)                                                                                              \
    X(log1p, log1p, -0.9, 10, 1, 1, 2, 2, 2)                                                                                               \
    X(rcbrt, rcbrt, -100, 100, 1, 1, 2, 2, 2)                                                                                              \
    X(erfcx, erfcx, -2, 2, 5, 5, NO_BOUND, NO_BOUND, NO_BOUND)                                                                             \
    X(rsqrt, rsqrt, 0.01, 100, 1, 1, 1, 2, 2)                                                                                              \
    X(sin, sin, -M_PI, M_PI, 1, 1, NO_BOUND, 4, 4)                                                                                         \
    X(sinh, sinh, -5, 5, 1, 1, 2, 4, 4)                                                                                                    \
    X(sinpi, sinpi, -0.625, 0.625, 2, 2, 2, 4, 4)                                                                                          \
    X(sqrt, sqrt, 0, 100, 1, 1, 0, 3, 0)                                                                                                   \
    X(tan, tan, -1.47 * M_PI, 1.47 * M_PI, 1, 1, 2, 5, 5)                                                                                  \
    X(tanh, tanh, -5, 5, 2, 1, 2, 5, 5)                                                                                                    \
    X(tgamma, gamma, 0.5, 15, 6, 6, 4, NO_BOUND, 16)                                                                                       \
    X(lgamma, lngamma, 0.5, 20, 4, 2, NO_BOUND, NO_BOUND, NO_BOUND)                                                                        \
    X(rint, rint_even, -4, 4, 0, 0, 0, 0, 0)                                                                                               \
    X(floor, rint_floor, -4, 4, 0, 0, 0, 0, 0)                                                                                             \
    X(ceil, rint_ceil, -4, 4, 0, 0, 0, 0, 0)                                                                                               \
    X(trunc, rint_trunc, -4, 4, 0, 0, 0, 0, 0)                                                                                             \
    X(round, rint_round, -4, 4, 0, 0, 0, 0, 0)
/* The ranges of x and y are those documented where they are alike, else the smaller. */
#define BINARY(X)                                                                                                                          \
    X(atan2, atan2, -2, 2, 1, 1, 2, 6, 6)                                                                                                  \
    X(fdim, dim, -3, 3, 0, 0, 0, 0, 0)                                                                                                     \
    X(fmod, fmod, -10, 10, 0, 0, 0, 0, 0)                                                                                                  \
    X(rhypot, rhypot, -10, 10, 1, 1, 2, 4, 4)                                                                                              \
    X(fmax, max, -3, 3, 0, 0, 0, 0, 0)                                                                                                     \
    X(fmin, min, -3, 3, 0, 0, 0, 0, 0)                                                                                                     \
    X(hypot, hypot, -10, 10, 1, 1, 2, 4, 4)                                                                                                \
    X(pow, pow, -4, 4, 1, 1, 4, 16, 16)                                                                                                    \
    X(remainder, remainder, -10, 10, 0, 0, 0, 0, 0)

static int mpfr_rint_even(mpfr_t r, const mpfr_t x, mpfr_rnd_t) { return mpfr_rint(r, x, MPFR_RNDN); }

static int mpfr_rsqrt(mpfr_t r, const mpfr_t x, mpfr_rnd_t m) { /* that of -0 is -inf in IEEE 754, +inf in MPFR */
    int inexact = mpfr_rec_sqrt(r, x, m);
    if (mpfr_zero_p(x))
        mpfr_setsign(r, r, mpfr_signbit(x), m);
    return inexact;
}

static int mpfr_rcbrt(mpfr_t r, const mpfr_t x, mpfr_rnd_t m) {
    mpfr_cbrt(r, x, m);
    return mpfr_ui_div(r, 1, r, m);
}
static int mpfr_rhypot(mpfr_t r, const mpfr_t x, const mpfr_t y, mpfr_rnd_t m) {
    mpfr_hypot(r, x, y, m);
    return mpfr_ui_div(r, 1, r, m);
}
static int mpfr_erfcx(mpfr_t r, const mpfr_t x, mpfr_rnd_t m) {
    mpfr_t e;
    mpfr_init2(e, 400);
    mpfr_sqr(e, x, m);
    mpfr_exp(e, e, m);
    mpfr_erfc(r, x, m);
    int inexact = mpfr_mul(r, r, e, m);
    mpfr_clear(e);
    return inexact;
}

/* ---- kernels ---- */

#define KERNEL_1(NAME, SUFFIX, TYPE)                                                                                                       \
    extern "C" __device__ TYPE __ocml_##NAME##_##SUFFIX(TYPE);                                                                             \
    __global__ void NAME##_##SUFFIX(const TYPE *x, const TYPE *, TYPE *out) {                                                              \
        unsigned i = blockIdx.x * blockDim.x + threadIdx.x;                                                                                \
        out[i] = __ocml_##NAME##_##SUFFIX(x[i]);                                                                                           \
    }
#define KERNEL_2(NAME, SUFFIX, TYPE)                                                                                                       \
    extern "C" __device__ TYPE __ocml_##NAME##_##SUFFIX(TYPE, TYPE);                                                                       \
    __global__ void NAME##_##SUFFIX(const TYPE *x, const TYPE *y, TYPE *out) {                                                             \
        unsigned i = blockIdx.x * blockDim.x + threadIdx.x;                                                                                \
        out[i] = __ocml_##NAME##_##SUFFIX(x[i], y[i]);                                                                                     \
    }
#define KERNELS_1(NAME, ...) KERNEL_1(NAME, f16, _Float16) KERNEL_1(NAME, f32, float) KERNEL_1(NAME, f64, double)
#define KERNELS_2(NAME, ...) KERNEL_2(NAME, f16, _Float16) KERNEL_2(NAME, f32, float) KERNEL_2(NAME, f64, double)
UNARY(KERNELS_1)
BINARY(KERNELS_2)

/* ---- formats ---- */

template <class T> struct format;
template <> struct format<_Float16> {
    typedef uint16_t bits;
    static constexpr const char *name = "f16";
};
template <> struct format<float> {
    typedef uint32_t bits;
    static constexpr const char *name = "f32";
};
template <> struct format<double> {
    typedef uint64_t bits;
    static constexpr const char *name = "f64";
};

static uint64_t state = 88172645463325252;
static uint64_t random_bits() {
    state ^= state << 13;
    state ^= state >> 7;
    return (state ^= state << 17) * UINT64_C(2685821657736338717);
}

/* Numbers in the order of their values, so that neighbours differ by 1. */
template <class T> static int64_t order(T value) {
    typename format<T>::bits bits;
    memcpy(&bits, &value, sizeof bits);
    int64_t sign = INT64_C(1) << (8 * sizeof bits - 2) << 1, number = (int64_t)(uint64_t)bits;
    if (sizeof bits == 8)
        return number < 0 ? INT64_MIN - number : number;
    return number & sign ? sign - number : number;
}
template <class T> static uint64_t distance(T a, T b) {
    bool nan_a = a != a, nan_b = b != b;
    if (nan_a || nan_b)
        return nan_a && nan_b ? 0 : NO_BOUND;
    int64_t x = order(a), y = order(b);
    return x > y ? (uint64_t)x - (uint64_t)y : (uint64_t)y - (uint64_t)x;
}

static double to_double(const mpfr_t x, double) { return mpfr_get_d(x, MPFR_RNDN); }
static float to_double(const mpfr_t x, float) { return mpfr_get_flt(x, MPFR_RNDN); }
static _Float16 to_double(const mpfr_t x, _Float16) { return (_Float16)mpfr_get_d(x, MPFR_RNDN); }

/* ---- one function in one format ---- */

static int failures, checked;
static mpfr_t mx, my, mr;

enum { RANGE = 3072, BITS = 4096, EDGES = 1024, COUNT = RANGE + BITS + EDGES };

template <class T> static void fill(std::vector<T> &x, double low, double high) {
    static const double edges[] = {0,    0.25, 0.5,   1,      1.5,   2,    2.5,     3,        10,  100,  M_PI,  M_PI_2, M_PI_4,
                                   1e-4, 6e-8, 1e-40, 5e-324, 65504, 3e38, 1.7e308, INFINITY, NAN, 88.7, 709.7, 11.09};
    enum { N = sizeof edges / sizeof *edges };
    for (int i = 0; i < COUNT; i++) {
        if (i < RANGE) {
            x[i] = (T)(low + (high - low) * ((double)(random_bits() >> 11) * 0x1p-53));
        } else if (i < RANGE + BITS) {
            uint64_t bits = random_bits() >> 13;
            memcpy(&x[i], &bits, sizeof(T));
            if (sizeof(T) == 8) {
                bits = random_bits();
                memcpy(&x[i], &bits, 8);
            }
        } else {
            uint64_t r = random_bits();
            double value = edges[r % N];
            x[i] = (T)(r >> 32 & 1 ? -value : value);
        }
    }
}

template <class T, class Kernel, class Reference>
static void test(const char *name, Kernel kernel, Reference reference, double low, double high, uint64_t documented, uint64_t bound) {
    typedef typename format<T>::bits bits;
    std::vector<T> x(COUNT), y(COUNT), out(COUNT);
    fill(x, low, high);
    fill(y, low, high);
    T *dx, *dy, *dout;
    HIP(hipMalloc((void **)&dx, COUNT * sizeof(T)));
    HIP(hipMalloc((void **)&dy, COUNT * sizeof(T)));
    HIP(hipMalloc((void **)&dout, COUNT * sizeof(T)));
    HIP(hipMemcpy(dx, x.data(), COUNT * sizeof(T), hipMemcpyHostToDevice));
    HIP(hipMemcpy(dy, y.data(), COUNT * sizeof(T), hipMemcpyHostToDevice));
    kernel<<<COUNT / 256, 256>>>(dx, dy, dout);
    HIP(hipGetLastError());
    HIP(hipDeviceSynchronize());
    HIP(hipMemcpy(out.data(), dout, COUNT * sizeof(T), hipMemcpyDeviceToHost));
    HIP(hipFree(dx));
    HIP(hipFree(dy));
    HIP(hipFree(dout));
    uint64_t in_range = 0, anywhere = 0;
    int worst = 0;
    double largest = -1;
    for (int i = 0; i < COUNT; i++) {
        mpfr_set_d(mx, (double)x[i], MPFR_RNDN);
        mpfr_set_d(my, (double)y[i], MPFR_RNDN);
        reference();
        T want = to_double(mr, T());
        uint64_t ulps = distance(out[i], want);
        if (i < RANGE && ulps) {
            mpfr_sub_d(mr, mr, (double)out[i], MPFR_RNDN);
            double error = fabs(mpfr_get_d(mr, MPFR_RNDN));
            if (!(error <= largest)) {
                largest = error;
                in_range = ulps;
            }
        }
        if (ulps > anywhere) {
            anywhere = ulps;
            worst = i;
        }
    }
    bool good = in_range <= documented && anywhere <= bound;
    checked++;
    failures += !good;
    bits wb;
    memcpy(&wb, &x[worst], sizeof wb);
    printf("%s%s_%s: %llu ulp in its range (at most %lld), %llu anywhere (at most %lld)", good ? "" : "FAIL ", name, format<T>::name,
           (unsigned long long)in_range, documented >= NO_BOUND ? -1LL : (long long)documented, (unsigned long long)anywhere,
           bound >= NO_BOUND ? -1LL : (long long)bound);
    if (anywhere)
        printf(", at %.17g (0x%llx), %.17g: %.17g", (double)x[worst], (unsigned long long)wb, (double)y[worst], (double)out[worst]);
    putchar('\n');
    fflush(stdout);
}

static bool wanted(int argc, char **argv, const char *name) {
    for (int i = 1; i < argc; i++)
        if (strcmp(argv[i], name) == 0)
            return true;
    return argc == 1;
}

/* lngamma is the logarithm of gamma, NaN where gamma is negative; AMD's that of its magnitude. */
static int mpfr_lngamma_(mpfr_t r, const mpfr_t x, mpfr_rnd_t m) {
    int sign;
    return mpfr_lgamma(r, &sign, x, m);
}
#define mpfr_lngamma mpfr_lngamma_

int main(int argc, char **argv) {
    mpfr_inits2(160, mx, my, mr, (mpfr_ptr)0);
#define TEST(NAME, MPFR_CALL, LOW, HIGH, D32, D64, B16, B32, B64)                                                                          \
    if (wanted(argc, argv, #NAME)) {                                                                                                       \
        auto reference = [] { MPFR_CALL; };                                                                                                \
        test<_Float16>(#NAME, NAME##_f16, reference, LOW, HIGH, B16, B16);                                                                 \
        test<float>(#NAME, NAME##_f32, reference, LOW, HIGH, D32, B32);                                                                    \
        test<double>(#NAME, NAME##_f64, reference, LOW, HIGH, D64, B64);                                                                   \
    }
#define TEST_1(NAME, REFERENCE, ...) TEST(NAME, mpfr_##REFERENCE(mr, mx, MPFR_RNDN), __VA_ARGS__)
#define TEST_2(NAME, REFERENCE, ...) TEST(NAME, mpfr_##REFERENCE(mr, mx, my, MPFR_RNDN), __VA_ARGS__)
    UNARY(TEST_1)
    BINARY(TEST_2)
    printf("%s device_math: %d functions, %d outside their bounds\n", failures ? "FAIL" : "PASS", checked, failures);
    return failures != 0;
}
