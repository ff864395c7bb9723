/* OCML's complex functions against MPC, and its functions of two f32 at a time.
 *
 * No document gives a bound for complex functions. What is tested: the difference, as a complex number, is at most EPSILONS times epsilon
 * times the magnitude of the exact result.
 *     device_math_complex [NAME ...] */
#include "device_math.h"

#include <mpc.h>

#define FUNCTIONS(X) X(acos) X(acosh) X(asin) X(asinh) X(atan) X(atanh) X(cos) X(cosh) X(exp) X(log) X(sin) X(sinh) X(sqrt) X(tan) X(tanh)
enum { EPSILONS = 4 };

typedef float floats __attribute__((ext_vector_type(2)));
typedef double doubles __attribute__((ext_vector_type(2)));

#define DECLARE(NAME)                                                                                                                      \
    __device__ floats __ocml_c##NAME##_f32(floats);                                                                                        \
    __device__ doubles __ocml_c##NAME##_f64(doubles);
extern "C" {
FUNCTIONS(DECLARE)
__device__ float __ocml_cabs_f32(floats);
__device__ double __ocml_cabs_f64(doubles);
__device__ floats __ocml_cdiv_f32(floats, floats);
__device__ doubles __ocml_cdiv_f64(doubles, doubles);
__device__ floats __ocml_fma_2f32(floats, floats, floats);
__device__ floats __ocml_fmuladd_2f32(floats, floats, floats);
__device__ floats __ocml_mad_2f32(floats, floats, floats);
}

template <class V> struct operands {
    V x, y, z;
};

/* Overloads for both formats, and kernels of them. */
#define OVERLOAD(NAME)                                                                                                                     \
    __device__ floats NAME##_of(const operands<floats> &a) { return __ocml_c##NAME##_f32(a.x); }                                           \
    __device__ doubles NAME##_of(const operands<doubles> &a) { return __ocml_c##NAME##_f64(a.x); }
FUNCTIONS(OVERLOAD)
__device__ floats abs_of(const operands<floats> &a) { return floats{__ocml_cabs_f32(a.x), 0}; }
__device__ doubles abs_of(const operands<doubles> &a) { return doubles{__ocml_cabs_f64(a.x), 0}; }
__device__ floats div_of(const operands<floats> &a) { return __ocml_cdiv_f32(a.x, a.y); }
__device__ doubles div_of(const operands<doubles> &a) { return __ocml_cdiv_f64(a.x, a.y); }
__device__ floats fma_of(const operands<floats> &a) { return __ocml_fma_2f32(a.x, a.y, a.z); }
__device__ floats fmuladd_of(const operands<floats> &a) { return __ocml_fmuladd_2f32(a.x, a.y, a.z); }
__device__ floats mad_of(const operands<floats> &a) { return __ocml_mad_2f32(a.x, a.y, a.z); }

#define KERNEL(NAME)                                                                                                                       \
    template <class V> __global__ void NAME##_kernel(const operands<V> *in, V *out) {                                                      \
        unsigned i = blockIdx.x * blockDim.x + threadIdx.x;                                                                                \
        out[i] = NAME##_of(in[i]);                                                                                                         \
    }
FUNCTIONS(KERNEL)
KERNEL(abs)
KERNEL(div)
KERNEL(fma)
KERNEL(fmuladd)
KERNEL(mad)

/* Numbers of the square from -4 to 4, then of magnitudes from 2^-20 to 2^6. */
template <class V> static V number(int i) {
    double parts[2];
    for (double &part : parts) {
        part = ((double)(random_bits() >> 11) * 0x1p-52 - 1) * 4;
        if (i >= RANGE)
            part = ldexp(part, (int)(random_bits() >> 40) % 27 - 22);
    }
    V v;
    v.x = parts[0];
    v.y = parts[1];
    return v;
}

template <class V, class Kernel> static std::vector<V> on_device(Kernel kernel, std::vector<operands<V>> &in) {
    in.resize(COUNT);
    std::vector<V> out(COUNT);
    for (int i = 0; i < COUNT; i++)
        in[i] = {number<V>(i), number<V>(i), number<V>(i)};
    operands<V> *din;
    V *dout;
    HIP(hipMalloc((void **)&din, COUNT * sizeof *din));
    HIP(hipMalloc((void **)&dout, COUNT * sizeof *dout));
    HIP(hipMemcpy(din, in.data(), COUNT * sizeof *din, hipMemcpyHostToDevice));
    kernel<<<COUNT / 256, 256>>>(din, dout);
    HIP(hipGetLastError());
    HIP(hipDeviceSynchronize());
    HIP(hipMemcpy(out.data(), dout, COUNT * sizeof *dout, hipMemcpyDeviceToHost));
    HIP(hipFree(din));
    HIP(hipFree(dout));
    return out;
}

static mpc_t mx, my, mr;

static void conclude(const char *name, const char *suffix, bool good, double largest) {
    checked++;
    failures += !good;
    printf("%sc%s_%s: %.3g epsilons (at most %d)\n", good ? "" : "FAIL ", name, suffix, largest, (int)EPSILONS);
}

template <class V, class Kernel, class Reference>
static void test(const char *name, const char *suffix, Kernel kernel, Reference reference) {
    std::vector<operands<V>> in;
    std::vector<V> out = on_device<V>(kernel, in);
    const double epsilon = sizeof(V) == 8 ? 0x1p-23 : 0x1p-52;
    double largest = 0;
    bool nan = false;
    mpfr_t magnitude, error;
    mpfr_inits2(160, magnitude, error, (mpfr_ptr)0);
    for (int i = 0; i < COUNT; i++) {
        mpc_set_d_d(mx, in[i].x.x, in[i].x.y, MPC_RNDNN);
        mpc_set_d_d(my, in[i].y.x, in[i].y.y, MPC_RNDNN);
        reference();
        mpc_abs(magnitude, mr, MPFR_RNDN);
        mpfr_sub_d(mpc_realref(mr), mpc_realref(mr), out[i].x, MPFR_RNDN);
        mpfr_sub_d(mpc_imagref(mr), mpc_imagref(mr), out[i].y, MPFR_RNDN);
        mpc_abs(error, mr, MPFR_RNDN);
        mpfr_div(error, error, magnitude, MPFR_RNDN);
        double e = mpfr_get_d(error, MPFR_RNDN) / epsilon;
        nan |= !(e <= largest) && !(e > largest);
        largest = e > largest ? e : largest;
        if (!(e <= EPSILONS) && failures < 20)
            printf("  %s_%s(%.17g, %.17g): %.17g, %.17g\n", name, suffix, (double)in[i].x.x, (double)in[i].x.y, (double)out[i].x,
                   (double)out[i].y);
    }
    mpfr_clears(magnitude, error, (mpfr_ptr)0);
    conclude(name, suffix, !nan && largest <= EPSILONS, largest);
}

/* Pairs of f32: fused, or rounded twice where that is left open. */
template <class Kernel> static void test_pair(const char *name, Kernel kernel, bool fused) {
    std::vector<operands<floats>> in;
    std::vector<floats> out = on_device<floats>(kernel, in);
    int wrong = 0;
    for (int i = 0; i < COUNT; i++)
        for (int k = 0; k < 2; k++) {
            float x = in[i].x[k], y = in[i].y[k], z = in[i].z[k];
            volatile float product = x * y;
            wrong += out[i][k] != std::fmaf(x, y, z) && (fused || out[i][k] != product + z);
        }
    checked++;
    failures += wrong != 0;
    printf("%s%s_2f32: %d of %d are wrong\n", wrong ? "FAIL " : "", name, wrong, 2 * COUNT);
}

int main(int argc, char **argv) {
    if (argc == 2 && strcmp(argv[1], "--list") == 0) { /* what is called here, for coverage.sh */
#define LIST(NAME) puts("__ocml_c" #NAME "_f32\n__ocml_c" #NAME "_f64");
        FUNCTIONS(LIST)
        LIST(abs)
        LIST(div)
        puts("__ocml_fma_2f32\n__ocml_fmuladd_2f32\n__ocml_mad_2f32");
        return 0;
    }
    mpc_init2(mx, 160);
    mpc_init2(my, 160);
    mpc_init2(mr, 160);
#define TEST(NAME, CALL)                                                                                                                   \
    if (wanted(argc, argv, #NAME)) {                                                                                                       \
        auto reference = [] { CALL; };                                                                                                     \
        test<floats>(#NAME, "f32", NAME##_kernel<floats>, reference);                                                                      \
        test<doubles>(#NAME, "f64", NAME##_kernel<doubles>, reference);                                                                    \
    }
#define TEST_1(NAME) TEST(NAME, mpc_##NAME(mr, mx, MPC_RNDNN))
    FUNCTIONS(TEST_1)
    TEST(div, mpc_div(mr, mx, my, MPC_RNDNN))
    TEST(abs, (mpc_abs(mpc_realref(mr), mx, MPFR_RNDN), mpfr_set_zero(mpc_imagref(mr), 1)))
    test_pair("fma", fma_kernel<floats>, true);
    test_pair("fmuladd", fmuladd_kernel<floats>, false);
    test_pair("mad", mad_kernel<floats>, false);
    printf("%s device_math_complex: %d functions, %d outside their bounds\n", failures ? "FAIL" : "PASS", checked, failures);
    return failures != 0;
}
