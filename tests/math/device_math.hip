/* AMD's device math library (OCML), translated, against MPFR.
 *
 * Two bounds for each function and format. On the range for which AMD's HIP documentation ("HIP math API") gives an error, the
 * result where the absolute error is largest may differ from the correctly rounded one by so many ulp as documented there. For
 * any argument, edges included, the bound is OpenCL's, which OCML was written for; f16 has OpenCL's bounds alone.
 *     device_math [NAME ...] */
#include "device_math.h"
#include "mpfr_functions.h"

/* name, MPFR's name, the documented range, documented ulp of f32 and f64, and ulp for any argument: f16, f32, f64.
 * Neither gives an error for the inverses, the normal distribution and the modified Bessel functions: 5 ulp stand there.
 * Debian's OCML 5.2 is itself wrong in three places: __ocml_sin_f16 returns NaN for every finite number (its last select is the wrong way
 * round), __ocml_tgamma_f32 below -31 returns 0, since a product in it overflows, and __ocml_i1_f64 from -8 on down NaN, since it takes
 * the square root of the argument instead of its magnitude. */
#define UNARY(X)                                                                                                                           \
    X(acos, acos, -1, 1, 1, 1, 2, 4, 4)                                                                                                    \
    X(acospi, acospi, -1, 1, 5, 5, 2, 5, 5)                                                                                                \
    X(acosh, acosh, 1, 100, 1, 1, 2, 4, 4)                                                                                                 \
    X(asin, asin, -1, 1, 2, 1, 2, 4, 4)                                                                                                    \
    X(asinpi, asinpi, -1, 1, 5, 5, 2, 5, 5)                                                                                                \
    X(asinh, asinh, -10, 10, 1, 1, 2, 4, 4)                                                                                                \
    X(atan, atan, -10, 10, 2, 1, 2, 5, 5)                                                                                                  \
    X(atanpi, atanpi, -10, 10, 5, 5, 2, 5, 5)                                                                                              \
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
    X(tanpi, tanpi, -2, 2, 6, 6, 2, 6, 6)                                                                                                  \
    X(tanh, tanh, -5, 5, 2, 1, 2, 5, 5)                                                                                                    \
    X(tgamma, gamma, 0.5, 15, 6, 6, 4, NO_BOUND, 16)                                                                                       \
    X(lgamma, lngamma, 0.5, 20, 4, 2, NO_BOUND, NO_BOUND, NO_BOUND)                                                                        \
    X(erfinv, erfinv, -1, 1, 5, 5, 5, 5, 5)                                                                                                \
    X(erfcinv, erfcinv, 0, 2, 5, 5, 5, 5, 5)                                                                                               \
    X(ncdf, ncdf, -4, 4, 5, 5, 5, 5, 5)                                                                                                    \
    X(ncdfinv, ncdfinv, 0, 1, 5, 5, 5, 5, 5)                                                                                               \
    X(i0, i0, -10, 10, 5, 5, 5, 5, 5)                                                                                                      \
    X(i1, i1, -7.9, 7.9, 5, 5, 5, 5, NO_BOUND)                                                                                             \
    X(fabs, abs, -20, 20, 0, 0, 0, 0, 0)                                                                                                   \
    X(nearbyint, rint_even, -4, 4, 0, 0, 0, 0, 0)                                                                                          \
    X(rint, rint_even, -4, 4, 0, 0, 0, 0, 0)                                                                                               \
    X(floor, rint_floor, -4, 4, 0, 0, 0, 0, 0)                                                                                             \
    X(ceil, rint_ceil, -4, 4, 0, 0, 0, 0, 0)                                                                                               \
    X(trunc, rint_trunc, -4, 4, 0, 0, 0, 0, 0)                                                                                             \
    X(round, rint_round, -4, 4, 0, 0, 0, 0, 0)
/* The ranges of x and y are those documented where they are alike, else the smaller. */
#define BINARY(X)                                                                                                                          \
    X(atan2, atan2, -2, 2, 1, 1, 2, 6, 6)                                                                                                  \
    X(atan2pi, atan2pi, -2, 2, 6, 6, 2, 6, 6)                                                                                              \
    X(max, max, -10, 10, 0, 0, 0, 0, 0)                                                                                                    \
    X(min, min, -10, 10, 0, 0, 0, 0, 0)                                                                                                    \
    X(maxmag, maxmag, -10, 10, 0, 0, 0, 0, 0)                                                                                              \
    X(minmag, minmag, -10, 10, 0, 0, 0, 0, 0)                                                                                              \
    X(powr, powr_or_nan, -4, 4, 16, 16, 4, 16, 16)                                                                                         \
    X(fdim, dim, -3, 3, 0, 0, 0, 0, 0)                                                                                                     \
    X(fmod, fmod, -10, 10, 0, 0, 0, 0, 0)                                                                                                  \
    X(rhypot, rhypot, -10, 10, 1, 1, 2, 4, 4)                                                                                              \
    X(fmax, max, -3, 3, 0, 0, 0, 0, 0)                                                                                                     \
    X(fmin, min, -3, 3, 0, 0, 0, 0, 0)                                                                                                     \
    X(hypot, hypot, -10, 10, 1, 1, 2, 4, 4)                                                                                                \
    X(pow, pow, -4, 4, 1, 1, 4, 16, 16)                                                                                                    \
    X(remainder, remainder, -10, 10, 0, 0, 0, 0, 0)

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
/* Two halves at a time: each work item's argument stands in one of them, in turn. */
typedef _Float16 halves __attribute__((ext_vector_type(2)));
#define PAIR(X, I) (I & 1 ? halves{X[I ^ 1], X[I]} : halves{X[I], X[I ^ 1]})
#define KERNEL_1_PAIR(NAME)                                                                                                                \
    extern "C" __device__ halves __ocml_##NAME##_2f16(halves);                                                                             \
    __global__ void NAME##_2f16(const _Float16 *x, const _Float16 *, _Float16 *out) {                                                      \
        unsigned i = blockIdx.x * blockDim.x + threadIdx.x;                                                                                \
        halves result = __ocml_##NAME##_2f16(PAIR(x, i));                                                                                  \
        out[i] = i & 1 ? result.y : result.x;                                                                                              \
    }
#define KERNEL_2_PAIR(NAME)                                                                                                                \
    extern "C" __device__ halves __ocml_##NAME##_2f16(halves, halves);                                                                     \
    __global__ void NAME##_2f16(const _Float16 *x, const _Float16 *y, _Float16 *out) {                                                     \
        unsigned i = blockIdx.x * blockDim.x + threadIdx.x;                                                                                \
        halves result = __ocml_##NAME##_2f16(PAIR(x, i), PAIR(y, i));                                                                      \
        out[i] = i & 1 ? result.y : result.x;                                                                                              \
    }
#define KERNELS_1(NAME, ...) KERNEL_1(NAME, f16, _Float16) KERNEL_1(NAME, f32, float) KERNEL_1(NAME, f64, double) KERNEL_1_PAIR(NAME)
#define KERNELS_2(NAME, ...) KERNEL_2(NAME, f16, _Float16) KERNEL_2(NAME, f32, float) KERNEL_2(NAME, f64, double) KERNEL_2_PAIR(NAME)
UNARY(KERNELS_1)
BINARY(KERNELS_2)

/* ---- one function in one format ---- */

static mpfr_t mx, my, mr;

template <class T, class Kernel, class Reference>
static void test(const char *name, const char *suffix, Kernel kernel, Reference reference, double low, double high, uint64_t documented,
                 uint64_t bound) {
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
    printf("%s%s_%s: %llu ulp in its range (at most %lld), %llu anywhere (at most %lld)", good ? "" : "FAIL ", name, suffix,
           (unsigned long long)in_range, documented >= NO_BOUND ? -1LL : (long long)documented, (unsigned long long)anywhere,
           bound >= NO_BOUND ? -1LL : (long long)bound);
    if (anywhere)
        printf(", at %.17g (0x%llx), %.17g: %.17g", (double)x[worst], (unsigned long long)wb, (double)y[worst], (double)out[worst]);
    putchar('\n');
    fflush(stdout);
}

#define mpfr_lngamma mpfr_lngamma_

int main(int argc, char **argv) {
    if (argc == 2 && strcmp(argv[1], "--list") == 0) { /* what is called here, for coverage.sh */
#define LIST(NAME, ...) puts("__ocml_" #NAME "_f16\n__ocml_" #NAME "_2f16\n__ocml_" #NAME "_f32\n__ocml_" #NAME "_f64");
        UNARY(LIST)
        BINARY(LIST)
        return 0;
    }
    mpfr_inits2(160, mx, my, mr, (mpfr_ptr)0);
#define TEST(NAME, MPFR_CALL, LOW, HIGH, D32, D64, B16, B32, B64)                                                                          \
    if (wanted(argc, argv, #NAME)) {                                                                                                       \
        auto reference = [] { MPFR_CALL; };                                                                                                \
        test<_Float16>(#NAME, "f16", NAME##_f16, reference, LOW, HIGH, B16, B16);                                                          \
        test<_Float16>(#NAME, "2f16", NAME##_2f16, reference, LOW, HIGH, B16, B16);                                                        \
        test<float>(#NAME, "f32", NAME##_f32, reference, LOW, HIGH, D32, B32);                                                             \
        test<double>(#NAME, "f64", NAME##_f64, reference, LOW, HIGH, D64, B64);                                                            \
    }
#define TEST_1(NAME, REFERENCE, ...) TEST(NAME, mpfr_##REFERENCE(mr, mx, MPFR_RNDN), __VA_ARGS__)
#define TEST_2(NAME, REFERENCE, ...) TEST(NAME, mpfr_##REFERENCE(mr, mx, my, MPFR_RNDN), __VA_ARGS__)
    UNARY(TEST_1)
    BINARY(TEST_2)
    printf("%s device_math: %d functions, %d outside their bounds\n", failures ? "FAIL" : "PASS", checked, failures);
    return failures != 0;
}
