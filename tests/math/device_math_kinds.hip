/* OCML's functions with other shapes than T(T) and T(T, T) (integers, several results, tests, norms), approximate ones, and the
 * functions of HIP's headers that compute more than a call of OCML, against MPFR and the host's exact functions.
 *
 * Bounds, in ulp: DOCUMENTED where the absolute error is largest in the range (AMD's HIP documentation, "HIP math API"; for pown and
 * rootn in f16, OpenCL's); ANYWHERE for any argument. A difference of ABSOLUTE * epsilon is good as well, where results go through zero.
 *     device_math_kinds [NAME ...] */
#include "device_math_kinds.h"
#include "mpfr_functions.h"

#include <climits>
#include <cmath>

/* ---- one function in one format ---- */

template <class T> struct arguments {
    T x, y, z, w;
    int n;
};
template <class T> struct results {
    T first, second;
    int number;
};

enum {
    FIRST = 1,
    SECOND = 2,
    NUMBER = 4,
    EITHER = 8 /* the first result may be the reference's first or second */,
    SIGNED = 16 /* zeros too */
};

struct bounds {
    double low, high;
    uint64_t documented, anywhere;
    double absolute; /* in epsilons of the format */
};

template <class Test> __global__ void run(const arguments<typename Test::T> *in, results<typename Test::T> *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    results<typename Test::T> r = {0, 0, 0};
    Test::device(in[i], r);
    out[i] = r;
}

static mpfr_t mx, my, mz, mw, mr, ms;
static int mk;

template <class T> static constexpr double epsilon() { return sizeof(T) == 2 ? 0x1p-10 : sizeof(T) == 4 ? 0x1p-23 : 0x1p-52; }

/* The exact integers of the range first, then any, and the ends of int. */
static int integer(int i) {
    if (i < RANGE)
        return (int)(random_bits() >> 40) % 5 * (random_bits() >> 63 ? 1 : -1);
    static const int edges[] = {0, 1, -1, 2, 3, INT_MAX, INT_MIN, -3};
    return i < RANGE + BITS ? (int)(random_bits() >> 40) % 300 - 150 : edges[random_bits() >> 61];
}

template <class T> static std::vector<arguments<T>> make_arguments(const bounds &b) {
    std::vector<T> columns[4];
    for (std::vector<T> &c : columns) {
        c.resize(COUNT);
        fill(c, b.low, b.high);
    }
    std::vector<arguments<T>> in(COUNT);
    for (int i = 0; i < COUNT; i++)
        in[i] = {columns[0][i], columns[1][i], columns[2][i], columns[3][i], integer(i)};
    return in;
}

template <class Test> static std::vector<results<typename Test::T>> on_device(const std::vector<arguments<typename Test::T>> &in) {
    typedef typename Test::T T;
    std::vector<results<T>> out(COUNT);
    arguments<T> *din;
    results<T> *dout;
    HIP(hipMalloc((void **)&din, COUNT * sizeof *din));
    HIP(hipMalloc((void **)&dout, COUNT * sizeof *dout));
    HIP(hipMemcpy(din, in.data(), COUNT * sizeof *din, hipMemcpyHostToDevice));
    run<Test><<<COUNT / 256, 256>>>(din, dout);
    HIP(hipGetLastError());
    HIP(hipDeviceSynchronize());
    HIP(hipMemcpy(out.data(), dout, COUNT * sizeof *dout, hipMemcpyDeviceToHost));
    HIP(hipFree(din));
    HIP(hipFree(dout));
    return out;
}

/* Sets mr, ms and mk. */
template <class Test> static void refer(const arguments<typename Test::T> &a) {
    mpfr_set_d(mx, (double)a.x, MPFR_RNDN);
    mpfr_set_d(my, (double)a.y, MPFR_RNDN);
    mpfr_set_d(mz, (double)a.z, MPFR_RNDN);
    mpfr_set_d(mw, (double)a.w, MPFR_RNDN);
    mk = 0;
    Test::host(a.x, a.y, a.z, a.w, a.n);
}

/* What distance() does not see. */
template <class T> static bool zero_of_other_sign(T a, T b) {
    return a == 0 && b == 0 && std::signbit((double)a) != std::signbit((double)b);
}

struct worst {
    uint64_t in_range, anywhere;
    double largest;
    int where;
};

template <class T> static void account(worst &w, int i, T got, const mpfr_t exact, const bounds &b, bool is_signed) {
    T want = to_double(exact, T());
    uint64_t ulps = distance(got, want);
    if (is_signed && zero_of_other_sign(got, want))
        ulps = NO_BOUND;
    double error = INFINITY;
    if (ulps && ulps < NO_BOUND && mpfr_number_p(exact) && std::isfinite((double)got)) {
        mpfr_t e;
        mpfr_init2(e, 200);
        mpfr_sub_d(e, exact, (double)got, MPFR_RNDN);
        error = fabs(mpfr_get_d(e, MPFR_RNDN));
        mpfr_clear(e);
        if (error <= b.absolute * epsilon<T>())
            ulps = 0;
    }
    if (ulps && i < RANGE && !(error <= w.largest)) {
        w.largest = error;
        w.in_range = ulps;
    }
    if (ulps > w.anywhere) {
        w.anywhere = ulps;
        w.where = i;
    }
}

template <class Test> static void test(const char *name, const char *suffix, int outputs, const bounds &b) {
    typedef typename Test::T T;
    std::vector<arguments<T>> in = make_arguments<T>(b);
    std::vector<results<T>> out = on_device<Test>(in);
    worst w = {0, 0, -1, 0};
    int integers = 0;
    for (int i = 0; i < COUNT; i++) {
        refer<Test>(in[i]);
        if (outputs & EITHER) {
            T second = to_double(ms, T());
            if (distance(out[i].first, second) != 0)
                account(w, i, out[i].first, mr, b, outputs & SIGNED);
        } else if (outputs & FIRST) {
            account(w, i, out[i].first, mr, b, outputs & SIGNED);
        }
        if (outputs & SECOND)
            account(w, i, out[i].second, ms, b, outputs & SIGNED);
        if ((outputs & NUMBER) && out[i].number != mk) {
            if (!integers++)
                printf("  %s_%s at %.17g, %.17g: %d instead of %d\n", name, suffix, (double)in[i].x, (double)in[i].y, out[i].number, mk);
        }
    }
    bool good =
        (w.in_range <= b.documented || b.documented >= NO_BOUND) && (w.anywhere <= b.anywhere || b.anywhere >= NO_BOUND) && !integers;
    checked++;
    failures += !good;
    printf("%s%s_%s: %llu ulp in its range (at most %lld), %llu anywhere (at most %lld)", good ? "" : "FAIL ", name, suffix,
           (unsigned long long)w.in_range, b.documented >= NO_BOUND ? -1LL : (long long)b.documented, (unsigned long long)w.anywhere,
           b.anywhere >= NO_BOUND ? -1LL : (long long)b.anywhere);
    const arguments<T> &a = in[w.where];
    if (w.anywhere)
        printf(", at %.17g, %.17g, %.17g, %.17g, %d: %.17g, %.17g", (double)a.x, (double)a.y, (double)a.z, (double)a.w, a.n,
               (double)out[w.where].first, (double)out[w.where].second);
    putchar('\n');
    fflush(stdout);
}

/* ---- the functions ---- */

/* FUNCTION: what the device does with x, y, z, w, n (M is OCML in the format), and what sets mr, ms, mk from mx, my, mz, mw and them. */
#define FUNCTION(NAME, DEVICE, HOST)                                                                                                       \
    template <class F> struct NAME##_test {                                                                                                \
        typedef typename F::number T;                                                                                                      \
        typedef ocml<F> M;                                                                                                                 \
        static __device__ void device(const arguments<T> &a, results<T> &r) {                                                              \
            [[maybe_unused]] T x = a.x, y = a.y, z = a.z, w = a.w;                                                                         \
            [[maybe_unused]] int n = a.n;                                                                                                  \
            DEVICE;                                                                                                                        \
        }                                                                                                                                  \
        static void host([[maybe_unused]] T x, [[maybe_unused]] T y, [[maybe_unused]] T z, [[maybe_unused]] T w, [[maybe_unused]] int n) { \
            HOST;                                                                                                                          \
        }                                                                                                                                  \
    };
#define N MPFR_RNDN

FUNCTION(j0, r.first = M::j0(x), mpfr_j0(mr, mx, N))
FUNCTION(j1, r.first = M::j1(x), mpfr_j1(mr, mx, N))
FUNCTION(y0, r.first = M::y0(x), mpfr_y0(mr, mx, N))
FUNCTION(y1, r.first = M::y1(x), mpfr_y1(mr, mx, N))

static _Float16 next(_Float16 x, _Float16 y) {
    if (x != x || y != y)
        return x + y;
    if (x == y)
        return y;
    uint16_t bits;
    memcpy(&bits, &x, 2);
    if (x == 0)
        bits = y < 0 ? 0x8001 : 1;
    else
        bits += (y > x) == (x > 0) ? 1 : -1;
    memcpy(&x, &bits, 2);
    return x;
}
static float next(float x, float y) { return std::nextafterf(x, y); }
static double next(double x, double y) { return std::nextafter(x, y); }

FUNCTION(copysign, r.first = M::copysign(x, y), (mpfr_abs(mr, mx, N), mpfr_setsign(mr, mr, std::signbit((double)y), N)))
FUNCTION(nextafter, r.first = M::nextafter(x, y), mpfr_set_d(mr, (double)next(x, y), N))

/* Not defined for exponents that are no integers, where OCML rounds. */
template <class T> static void scalb_reference() {
    if (mpfr_nan_p(mx) || mpfr_nan_p(my)) {
        mpfr_set_nan(mr);
    } else if (sizeof(T) == 4 && mpfr_inf_p(my) && mpfr_sgn(my) > 0 && !mpfr_regular_p(mx)) {
        mpfr_set(mr, mx, N); /* OCML's f32 takes infinity times 2^infinity for what is undefined, instead of 0 times that */
        if (mpfr_inf_p(mx))
            mpfr_set_nan(mr);
    } else if (mpfr_inf_p(my) || mpfr_cmpabs_ui(my, 5000) > 0) {
        mpfr_set_inf(mr, 1);
        if (mpfr_sgn(my) < 0)
            mpfr_set_zero(mr, 1);
        if (mpfr_inf_p(my) || !mpfr_zero_p(mx))
            mpfr_mul(mr, mr, mx, N);
        else
            mpfr_set(mr, mx, N);
        if (mpfr_inf_p(mx) && !mpfr_inf_p(my))
            mpfr_set(mr, mx, N);
    } else {
        mpfr_mul_2si(mr, mx, mpfr_get_si(my, N), N);
    }
}
FUNCTION(scalb, r.first = M::scalb(x, y), scalb_reference<T>())
FUNCTION(ldexp, r.first = M::ldexp(x, n), mpfr_mul_2si(mr, mx, n, N))
FUNCTION(scalbn, r.first = M::scalbn(x, n), mpfr_mul_2si(mr, mx, n, N))
FUNCTION(pown, r.first = M::pown(x, n), mpfr_pow_si(mr, mx, n, N))

static void rootn_reference(int n) {
    if (n == 0) {
        mpfr_set_nan(mr);
        return;
    }
    mpfr_rootn_si(mr, mx, n, N);
    if (mpfr_zero_p(mx) && n % 2 == 0) /* of -0 as of 0 */
        mpfr_abs(mr, mr, N);
}
FUNCTION(rootn, r.first = M::rootn(x, n), rootn_reference(n))

/* Sums of products are exact in 4500 bits. */
static void fma_reference(mpfr_t r, const mpfr_t x, const mpfr_t y, const mpfr_t z) {
    mpfr_set_prec(r, 4500);
    mpfr_fma(r, x, y, z, N);
}
template <class T> static void mad_reference(T x, T y, T z) {
    fma_reference(mr, mx, my, mz);
    volatile T product = (T)(x * y); /* rounded twice: */
    mpfr_set_d(ms, (double)(T)(product + z), N);
}
FUNCTION(fma, r.first = M::fma(x, y, z), fma_reference(mr, mx, my, mz))
FUNCTION(fmuladd, r.first = M::fmuladd(x, y, z), mad_reference(x, y, z))
FUNCTION(mad, r.first = M::mad(x, y, z), mad_reference(x, y, z))

/* Norms: as hypot, infinite if one is infinite, whatever the others are. */
static void norm_reference(int count, bool reciprocal) {
    mpfr_ptr of[4] = {mx, my, mz, mw};
    mpfr_t t;
    mpfr_init2(t, 200);
    mpfr_set_zero(mr, 1);
    bool infinite = false;
    for (int i = 0; i < count; i++) {
        infinite |= mpfr_inf_p(of[i]) != 0;
        mpfr_sqr(t, of[i], N);
        mpfr_add(mr, mr, t, N);
    }
    mpfr_clear(t);
    mpfr_sqrt(mr, mr, N);
    if (infinite)
        mpfr_set_inf(mr, 1);
    if (reciprocal)
        mpfr_ui_div(mr, 1, mr, N);
}
FUNCTION(len3, r.first = M::len3(x, y, z), norm_reference(3, false))
FUNCTION(rlen3, r.first = M::rlen3(x, y, z), norm_reference(3, true))
FUNCTION(len4, r.first = M::len4(x, y, z, w), norm_reference(4, false))
FUNCTION(rlen4, r.first = M::rlen4(x, y, z, w), norm_reference(4, true))

FUNCTION(sincos, r.first = M::sincos(x, &r.second), mpfr_sin_cos(mr, ms, mx, N))
FUNCTION(sincospi, r.first = M::sincospi(x, &r.second), (mpfr_sinpi(mr, mx, N), mpfr_cospi(ms, mx, N)))
FUNCTION(modf, r.first = M::modf(x, &r.second), mpfr_modf(ms, mr, mx, N))

/* x - floor(x), below 1. */
template <class T> static void fract_reference() {
    mpfr_set_prec(mr, 1200);
    if (mpfr_inf_p(mx)) {
        mpfr_set(ms, mx, N);
        mpfr_set_zero(mr, 1);
        return;
    }
    mpfr_floor(ms, mx);
    mpfr_sub(mr, mx, ms, N);
    if (mpfr_cmp_d(mr, 1 - epsilon<T>() / 2) > 0)
        mpfr_set_d(mr, 1 - epsilon<T>() / 2, N);
}
FUNCTION(fract, r.first = M::fract(x, &r.second), fract_reference<T>())

static void frexp_reference() {
    mpfr_set(mr, mx, N);
    if (mpfr_regular_p(mx)) {
        mk = (int)mpfr_get_exp(mx);
        mpfr_set_exp(mr, 0);
    }
}
FUNCTION(frexp, r.first = M::frexp(x, &r.number), frexp_reference())

template <class T> static void lgamma_r_reference() {
    mpfr_lgamma(mr, &mk, mx, N);
    if (!std::isfinite((double)to_double(mr, T())))
        mk = 0; /* no meaning */
}
FUNCTION(lgamma_r, r.first = M::lgamma_r(x, &r.number); if (!(r.first - r.first == 0)) r.number = 0, lgamma_r_reference<T>())

/* The quotient's low 7 bits, with its sign, where there is one. */
FUNCTION(remquo, r.first = M::remquo(x, y, &r.number), long q = 0; mpfr_remquo(mr, &q, mx, my, N);
         mk = mpfr_nan_p(mr) ? 0 : (int)((q < 0 ? -q : q) & 0x7f) * (q < 0 ? -1 : 1))

FUNCTION(logb, r.first = M::logb(x), if (mpfr_regular_p(mx)) mpfr_set_si(mr, mpfr_get_exp(mx) - 1, N);
         else if (mpfr_zero_p(mx)) mpfr_set_inf(mr, -1); else mpfr_abs(mr, mx, N))
FUNCTION(ilogb, r.number = M::ilogb(x), mk = mpfr_regular_p(mx) ? (int)mpfr_get_exp(mx) - 1 : mpfr_zero_p(mx) ? INT_MIN : INT_MAX)

/* What a number is, from its bits. */
template <class T> static int classify(T x) {
    typename format<T>::bits bits, one = 1;
    memcpy(&bits, &x, sizeof bits);
    const int fraction = sizeof(T) == 2 ? 10 : sizeof(T) == 4 ? 23 : 52;
    typename format<T>::bits magnitude = bits & (typename format<T>::bits) ~(one << (8 * sizeof(T) - 1));
    typename format<T>::bits exponent = magnitude >> fraction,
                             most = (typename format<T>::bits)((one << (8 * sizeof(T) - 1 - fraction)) - 1);
    typename format<T>::bits rest = magnitude & (typename format<T>::bits)((one << fraction) - 1);
    return exponent == most ? (rest ? FP_NAN : FP_INFINITE) : exponent ? FP_NORMAL : rest ? FP_SUBNORMAL : FP_ZERO;
}
FUNCTION(fpclassify, r.number = M::fpclassify(x), mk = classify(x))
FUNCTION(isfinite, r.number = M::isfinite(x) != 0, mk = classify(x) != FP_NAN && classify(x) != FP_INFINITE)
FUNCTION(isinf, r.number = M::isinf(x) != 0, mk = classify(x) == FP_INFINITE)
FUNCTION(isnan, r.number = M::isnan(x) != 0, mk = classify(x) == FP_NAN)
FUNCTION(isnormal, r.number = M::isnormal(x) != 0, mk = classify(x) == FP_NORMAL)
FUNCTION(signbit, r.number = M::signbit(x) != 0, mk = std::signbit((double)x))

/* A quiet NaN with the low bits of the number. */
template <class T> static __device__ int payload(T x) {
    if (x == x)
        return -1;
    typename format<T>::bits bits;
    __builtin_memcpy(&bits, &x, sizeof bits);
    return (int)(bits & 0x1ff);
}
FUNCTION(nan, r.number = payload((T)M::nan((unsigned)n & 0x1ff)), mk = n & 0x1ff)

/* Approximate functions. In f64 they stand on instructions with 2^29 ulp. */
FUNCTION(native_recip, r.first = M::native_recip(x), mpfr_ui_div(mr, 1, mx, N))
FUNCTION(native_rsqrt, r.first = M::native_rsqrt(x), mpfr_rsqrt(mr, mx, N))
FUNCTION(native_sqrt, r.first = M::native_sqrt(x), mpfr_sqrt(mr, mx, N))
FUNCTION(native_sin, r.first = M::native_sin(x), mpfr_sin(mr, mx, N))
FUNCTION(native_cos, r.first = M::native_cos(x), mpfr_cos(mr, mx, N))
FUNCTION(native_exp, r.first = M::native_exp(x), mpfr_exp(mr, mx, N))
FUNCTION(native_exp2, r.first = M::native_exp2(x), mpfr_exp2(mr, mx, N))
FUNCTION(native_log, r.first = M::native_log(x), mpfr_log(mr, mx, N))
FUNCTION(native_log2, r.first = M::native_log2(x), mpfr_log2(mr, mx, N))
FUNCTION(native_log10, r.first = M::native_log10(x), mpfr_log10(mr, mx, N))

/* ---- of HIP's headers ---- */

extern "C" __device__ float __ocml_native_exp10_f32(float);
FUNCTION(native_exp10, r.first = __ocml_native_exp10_f32(x), mpfr_exp10(mr, mx, N))
FUNCTION(fast_sin, r.first = __sinf(x), mpfr_sin(mr, mx, N))
FUNCTION(fast_cos, r.first = __cosf(x), mpfr_cos(mr, mx, N))
FUNCTION(fast_sincos, __sincosf(x, &r.first, &r.second), mpfr_sin_cos(mr, ms, mx, N))
FUNCTION(fast_tan, r.first = __tanf(x), mpfr_tan(mr, mx, N))
FUNCTION(fast_exp, r.first = __expf(x), mpfr_exp(mr, mx, N))
FUNCTION(fast_exp10, r.first = __exp10f(x), mpfr_exp10(mr, mx, N))
FUNCTION(fast_log, r.first = __logf(x), mpfr_log(mr, mx, N))
FUNCTION(fast_log2, r.first = __log2f(x), mpfr_log2(mr, mx, N))
FUNCTION(fast_log10, r.first = __log10f(x), mpfr_log10(mr, mx, N))
FUNCTION(fast_pow, r.first = __powf(x, y), mpfr_pow(mr, mx, my, N))
FUNCTION(fast_divide, r.first = fdividef(x, y), mpfr_div(mr, mx, my, N))
FUNCTION(saturate, r.first = __saturatef(x), if (mpfr_nan_p(mx)) mpfr_set_nan(mr); else if (mpfr_cmp_ui(mx, 1) > 0) mpfr_set_ui(mr, 1, N);
         else if (mpfr_sgn(mx) < 0) mpfr_set_zero(mr, 1); else mpfr_set(mr, mx, N))
FUNCTION(add_rn, r.first = __fadd_rn(x, y), mpfr_add(mr, mx, my, N))
FUNCTION(sub_rn, r.first = __fsub_rn(x, y), mpfr_sub(mr, mx, my, N))
FUNCTION(mul_rn, r.first = __fmul_rn(x, y), mpfr_mul(mr, mx, my, N))
FUNCTION(div_rn, r.first = __fdiv_rn(x, y), mpfr_div(mr, mx, my, N))
FUNCTION(rcp_rn, r.first = __frcp_rn(x), mpfr_ui_div(mr, 1, mx, N))
FUNCTION(sqrt_rn, r.first = __fsqrt_rn(x), mpfr_sqrt(mr, mx, N))
FUNCTION(rsqrt_rn, r.first = __frsqrt_rn(x), mpfr_rsqrt(mr, mx, N))
FUNCTION(fma_rn, r.first = __fmaf_rn(x, y, z), fma_reference(mr, mx, my, mz))
FUNCTION(dadd_rn, r.first = __dadd_rn(x, y), mpfr_add(mr, mx, my, N))
FUNCTION(dsub_rn, r.first = __dsub_rn(x, y), mpfr_sub(mr, mx, my, N))
FUNCTION(dmul_rn, r.first = __dmul_rn(x, y), mpfr_mul(mr, mx, my, N))
FUNCTION(ddiv_rn, r.first = __ddiv_rn(x, y), mpfr_div(mr, mx, my, N))
FUNCTION(drcp_rn, r.first = __drcp_rn(x), mpfr_ui_div(mr, 1, mx, N))
FUNCTION(dsqrt_rn, r.first = __dsqrt_rn(x), mpfr_sqrt(mr, mx, N))
FUNCTION(dfma_rn, r.first = __fma_rn(x, y, z), fma_reference(mr, mx, my, mz))

/* Orders 0 to 7; upward recurrence is good where the argument is larger. */
#define ORDER (n & 7)
FUNCTION(jnf, r.first = jnf(ORDER, x), mpfr_jn(mr, ORDER, mx, N))
FUNCTION(ynf, r.first = ynf(ORDER, x), mpfr_yn(mr, ORDER, mx, N))
FUNCTION(jn, r.first = jn(ORDER, x), mpfr_jn(mr, ORDER, mx, N))
FUNCTION(yn, r.first = yn(ORDER, x), mpfr_yn(mr, ORDER, mx, N))
template <class T> static __device__ void put(T *a, T x, T y, T z, T w) {
    a[0] = x;
    a[1] = y;
    a[2] = z;
    a[3] = w;
}
#define DIMENSION (2 + (n & 1) + (n >> 1 & 1))
FUNCTION(normf, float v[4]; put(v, x, y, z, w); r.first = normf(DIMENSION, v), norm_reference(DIMENSION, false))
FUNCTION(rnormf, float v[4]; put(v, x, y, z, w); r.first = rnormf(DIMENSION, v), norm_reference(DIMENSION, true))
FUNCTION(norm, double v[4]; put(v, x, y, z, w); r.first = norm(DIMENSION, v), norm_reference(DIMENSION, false))
FUNCTION(rnorm, double v[4]; put(v, x, y, z, w); r.first = rnorm(DIMENSION, v), norm_reference(DIMENSION, true))
FUNCTION(powif, r.first = powif(x, n), mpfr_pow_si(mr, mx, n, N))
FUNCTION(powi, r.first = powi(x, n), mpfr_pow_si(mr, mx, n, N))

/* ---- all of them ---- */

/* name, outputs, range, ulp documented for f32 and f64, and anywhere for f16, f32, f64; absolute tolerance. */
#define EXACT_ROWS(X)                                                                                                                      \
    X(copysign, SIGNED | FIRST, -10, 10, 0, 0, 0, 0, 0, 0)                                                                                 \
    X(nextafter, FIRST, -10, 10, 0, 0, 0, 0, 0, 0)                                                                                         \
    X(ldexp, SIGNED | FIRST, -10, 10, 0, 0, 0, 0, 0, 0)                                                                                    \
    X(scalbn, SIGNED | FIRST, -10, 10, 0, 0, 0, 0, 0, 0)                                                                                   \
    X(scalb, SIGNED | FIRST, -10, 10, 0, 0, 0, 0, 0, 0)                                                                                    \
    X(fma, SIGNED | FIRST, -10, 10, 0, 0, 0, 0, 0, 0)                                                                                      \
    X(fmuladd, EITHER, -10, 10, 0, 0, 0, 0, 0, 0)                                                                                          \
    X(mad, EITHER, -10, 10, 0, 0, 0, 0, 0, 0)                                                                                              \
    X(modf, SIGNED | FIRST | SECOND, -10, 10, 0, 0, 0, 0, 0, 0)                                                                            \
    X(fract, SIGNED | FIRST | SECOND, -10, 10, 0, 0, 0, 0, 0, 0)                                                                           \
    X(frexp, SIGNED | FIRST | NUMBER, -10, 10, 0, 0, 0, 0, 0, 0)                                                                           \
    X(remquo, SIGNED | FIRST | NUMBER, -10, 10, 0, 0, 0, 0, 0, 0)                                                                          \
    X(logb, SIGNED | FIRST, 1e-6, 1e6, 0, 0, 0, 0, 0, 0)                                                                                   \
    X(ilogb, NUMBER, 0.01, 100, 0, 0, 0, 0, 0, 0)                                                                                          \
    X(isfinite, NUMBER, -10, 10, 0, 0, 0, 0, 0, 0)                                                                                         \
    X(isinf, NUMBER, -10, 10, 0, 0, 0, 0, 0, 0)                                                                                            \
    X(isnan, NUMBER, -10, 10, 0, 0, 0, 0, 0, 0)                                                                                            \
    X(isnormal, NUMBER, -10, 10, 0, 0, 0, 0, 0, 0)                                                                                         \
    X(signbit, NUMBER, -10, 10, 0, 0, 0, 0, 0, 0)                                                                                          \
    X(nan, NUMBER, -10, 10, 0, 0, 0, 0, 0, 0)
#define ROWS(X)                                                                                                                            \
    EXACT_ROWS(X)                                                                                                                          \
    X(pown, FIRST, -10, 10, 1, 1, 4, 16, 16, 0)                                                                                            \
    X(rootn, FIRST, 0.1, 10, 16, 16, 4, 16, 16, 0)                                                                                         \
    X(sincos, FIRST | SECOND, -3, 3, 1, 1, 2, 4, 4, 0)                                                                                     \
    X(sincospi, FIRST | SECOND, -0.3, 0.3, 2, 2, 2, 4, 4, 0)                                                                               \
    X(lgamma_r, FIRST | NUMBER, 0.5, 20, 4, 2, 4, NO_BOUND, NO_BOUND, 4)                                                                   \
    X(j0, FIRST, -20, 20, 4, 4, 4, 4, 4, 4)                                                                                                \
    X(j1, FIRST, -20, 20, 4, 4, 4, 4, 4, 4)                                                                                                \
    X(y0, FIRST, 0.01, 20, 4, 4, 4, 4, 4, 4)                                                                                               \
    X(y1, FIRST, 0.01, 20, 4, 4, 4, 4, 4, 4)
#define SCALAR_ROWS(X)                                                                                                                     \
    X(fpclassify, NUMBER, -10, 10, 0, 0, 0, 0, 0, 0)                                                                                       \
    X(len3, FIRST, -10, 10, 1, 1, NO_BOUND, 4, 4, 0)                                                                                       \
    X(rlen3, FIRST, -10, 10, 1, 1, NO_BOUND, 4, 4, 0)                                                                                      \
    X(len4, FIRST, -10, 10, 2, 2, NO_BOUND, 4, 4, 0)                                                                                       \
    X(rlen4, FIRST, -10, 10, 2, 1, NO_BOUND, 4, 4, 0)                                                                                      \
    X(native_recip, FIRST, -100, 100, 1, 1 << 29, 1, 1, 1 << 29, 0)                                                                        \
    X(native_rsqrt, FIRST, 0.01, 100, 1, 1 << 29, 1, 1, 1 << 29, 0)                                                                        \
    X(native_sqrt, FIRST, 0, 100, 1, 1 << 29, 1, 1, 1 << 29, 0)
/* OCML 5.7 takes the instruction as it is, which gives 0 where the result is a denormal. */
enum { NATIVE_EXP2 = HIP_VERSION >= 50700000 ? NO_BOUND : 1 };
/* Without f64, where clang cannot select them: OCML makes them of intrinsics that have no f64 form on AMD's GPUs. */
#define SHORT_ROWS(X)                                                                                                                      \
    X(native_sin, FIRST, -M_PI, M_PI, 18, 0, NO_BOUND, NO_BOUND, 0, 3)                                                                     \
    X(native_cos, FIRST, -M_PI, M_PI, 4, 0, NO_BOUND, NO_BOUND, 0, 3)                                                                      \
    X(native_exp, FIRST, -10, 10, 6, 0, 8, NO_BOUND, 0, 0)                                                                                 \
    X(native_exp2, FIRST, -10, 10, 1, 0, 1, NATIVE_EXP2, 0, 0)                                                                             \
    X(native_log, FIRST, 1e-6, 1e6, 2, 0, 2, 2, 0, 0)                                                                                      \
    X(native_log2, FIRST, 1e-6, 1e6, 1, 0, 1, 1, 0, 0)                                                                                     \
    X(native_log10, FIRST, 1e-6, 1e6, 2, 0, 2, 2, 0, 0)
/* The documented ulp of the fast sine, cosine and tangent hold for the documentation's sample alone: already the rounding of x / 2 pi
 * makes an absolute error of 2e-7 at x = pi, where a result may be small. 3 epsilon are that and the instruction's error. In f16 the
 * norms overflow inside. */
/* Of one format: name, its suffix, format, outputs, range, documented, anywhere, absolute. */
#define HEADER_ROWS(X)                                                                                                                     \
    X(native_exp10, f32, FIRST, -4, 4, 18, NO_BOUND, 0)                                                                                    \
    X(fast_sin, f32, FIRST, -M_PI, M_PI, 18, NO_BOUND, 3)                                                                                  \
    X(fast_cos, f32, FIRST, -M_PI, M_PI, 4, NO_BOUND, 3)                                                                                   \
    X(fast_sincos, f32, FIRST | SECOND, -3, 3, 18, NO_BOUND, 3)                                                                            \
    X(fast_tan, f32, FIRST, -1, 1, 1, NO_BOUND, 10)                                                                                        \
    X(fast_exp, f32, FIRST, -10, 10, 6, NO_BOUND, 0)                                                                                       \
    X(fast_exp10, f32, FIRST, -4, 4, 18, NO_BOUND, 0)                                                                                      \
    X(fast_log, f32, FIRST, 1e-6, 1e6, 2, 4, 0)                                                                                            \
    X(fast_log2, f32, FIRST, 1e-6, 1e6, 1, 1, 0)                                                                                           \
    X(fast_log10, f32, FIRST, 1e-6, 1e6, 2, 4, 0)                                                                                          \
    X(fast_pow, f32, FIRST, -4, 4, 1, 16, 0)                                                                                               \
    X(fast_divide, f32, FIRST, -100, 100, 0, 0, 0)                                                                                         \
    X(saturate, f32, FIRST, -2, 3, 0, 0, 0)                                                                                                \
    X(add_rn, f32, FIRST, -1000, 1000, 0, 0, 0)                                                                                            \
    X(sub_rn, f32, FIRST, -1000, 1000, 0, 0, 0)                                                                                            \
    X(mul_rn, f32, FIRST, -100, 100, 0, 0, 0)                                                                                              \
    X(div_rn, f32, FIRST, -100, 100, 0, 0, 0)                                                                                              \
    X(rcp_rn, f32, FIRST, -100, 100, 0, 0, 0)                                                                                              \
    X(sqrt_rn, f32, FIRST, 0, 100, 1, 1, 0)                                                                                                \
    X(rsqrt_rn, f32, FIRST, 0.01, 100, 1, 1, 0)                                                                                            \
    X(fma_rn, f32, FIRST, -10, 10, 0, 0, 0)                                                                                                \
    X(dadd_rn, f64, FIRST, -1000, 1000, 0, 0, 0)                                                                                           \
    X(dsub_rn, f64, FIRST, -1000, 1000, 0, 0, 0)                                                                                           \
    X(dmul_rn, f64, FIRST, -100, 100, 0, 0, 0)                                                                                             \
    X(ddiv_rn, f64, FIRST, -100, 100, 0, 0, 0)                                                                                             \
    X(drcp_rn, f64, FIRST, -100, 100, 0, 0, 0)                                                                                             \
    X(dsqrt_rn, f64, FIRST, 0, 100, 0, 0, 0)                                                                                               \
    X(dfma_rn, f64, FIRST, -10, 10, 0, 0, 0)                                                                                               \
    X(jnf, f32, FIRST, 10, 30, 8, NO_BOUND, 8)                                                                                             \
    X(ynf, f32, FIRST, 10, 30, 8, NO_BOUND, 8)                                                                                             \
    X(jn, f64, FIRST, 10, 30, 8, NO_BOUND, 8)                                                                                              \
    X(yn, f64, FIRST, 10, 30, 8, NO_BOUND, 8)                                                                                              \
    X(normf, f32, FIRST, -10, 10, 1, NO_BOUND, 0)                                                                                          \
    X(rnormf, f32, FIRST, -10, 10, 1, NO_BOUND, 0)                                                                                         \
    X(norm, f64, FIRST, -10, 10, 1, NO_BOUND, 0)                                                                                           \
    X(rnorm, f64, FIRST, -10, 10, 1, NO_BOUND, 0)                                                                                          \
    X(powif, f32, FIRST, -10, 10, 1, 16, 0)                                                                                                \
    X(powi, f64, FIRST, -10, 10, 1, 16, 0)

#define LIST_PAIR(NAME, ...)   puts("__ocml_" #NAME "_2f16");
#define LIST_SCALAR(NAME, ...) puts("__ocml_" #NAME "_f16\n__ocml_" #NAME "_f32\n__ocml_" #NAME "_f64");
#define LIST_SHORT(NAME, ...)  puts("__ocml_" #NAME "_f16\n__ocml_" #NAME "_f32");
#define LIST_HEADER(NAME, ...) puts("__ocml_" #NAME "_f32");

int main(int argc, char **argv) {
    if (argc == 2 && strcmp(argv[1], "--list") == 0) { /* what is called here, for coverage.sh */
        ROWS(LIST_SCALAR)
        ROWS(LIST_PAIR)
        SCALAR_ROWS(LIST_SCALAR)
        SHORT_ROWS(LIST_SHORT)
        HEADER_ROWS(LIST_HEADER)
        puts("__ocml_native_rcp_f16");
        return 0;
    }
    mpfr_inits2(160, mx, my, mz, mw, mr, ms, (mpfr_ptr)0);
#define TEST_SCALAR(NAME, OUTPUTS, LOW, HIGH, D32, D64, B16, B32, B64, ABSOLUTE)                                                           \
    if (wanted(argc, argv, #NAME)) {                                                                                                       \
        mpfr_set_prec(mr, 160);                                                                                                            \
        test<NAME##_test<f16>>(#NAME, "f16", OUTPUTS, {LOW, HIGH, B16 < NO_BOUND ? B16 : D32, B16, ABSOLUTE});                             \
        test<NAME##_test<f32>>(#NAME, "f32", OUTPUTS, {LOW, HIGH, D32, B32, ABSOLUTE});                                                    \
        test<NAME##_test<f64>>(#NAME, "f64", OUTPUTS, {LOW, HIGH, D64, B64, ABSOLUTE});                                                    \
    }
#define TEST_SHORT(NAME, OUTPUTS, LOW, HIGH, D32, D64, B16, B32, B64, ABSOLUTE)                                                            \
    if (wanted(argc, argv, #NAME)) {                                                                                                       \
        mpfr_set_prec(mr, 160);                                                                                                            \
        test<NAME##_test<f16>>(#NAME, "f16", OUTPUTS, {LOW, HIGH, B16 < NO_BOUND ? B16 : D32, B16, ABSOLUTE});                             \
        test<NAME##_test<f32>>(#NAME, "f32", OUTPUTS, {LOW, HIGH, D32, B32, ABSOLUTE});                                                    \
    }
#define TEST_PAIR(NAME, OUTPUTS, LOW, HIGH, D32, D64, B16, B32, B64, ABSOLUTE)                                                             \
    if (wanted(argc, argv, #NAME)) {                                                                                                       \
        mpfr_set_prec(mr, 160);                                                                                                            \
        test<NAME##_test<f16x2>>(#NAME, "2f16", OUTPUTS, {LOW, HIGH, B16 < NO_BOUND ? B16 : D32, B16, ABSOLUTE});                          \
    }
#define TEST_HEADER(NAME, F, OUTPUTS, LOW, HIGH, DOCUMENTED, ANYWHERE, ABSOLUTE)                                                           \
    if (wanted(argc, argv, #NAME)) {                                                                                                       \
        mpfr_set_prec(mr, 160);                                                                                                            \
        test<NAME##_test<F>>(#NAME, #F, OUTPUTS, {LOW, HIGH, DOCUMENTED, ANYWHERE, ABSOLUTE});                                             \
    }
    ROWS(TEST_SCALAR)
    ROWS(TEST_PAIR)
    SCALAR_ROWS(TEST_SCALAR)
    SHORT_ROWS(TEST_SHORT)
    HEADER_ROWS(TEST_HEADER)
    printf("%s device_math_kinds: %d functions, %d outside their bounds\n", failures ? "FAIL" : "PASS", checked, failures);
    return failures != 0;
}
