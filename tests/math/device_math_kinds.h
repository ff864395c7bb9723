/* OCML's functions that are not of the shape T(T) or T(T, T) as methods, one class a format, so that one test serves all formats. */
#ifndef WL_TESTS_DEVICE_MATH_KINDS_H
#define WL_TESTS_DEVICE_MATH_KINDS_H

#include "device_math.h"

typedef _Float16 halves __attribute__((ext_vector_type(2)));
typedef int ints __attribute__((ext_vector_type(2)));
typedef short shorts __attribute__((ext_vector_type(2)));
typedef unsigned short ushorts __attribute__((ext_vector_type(2)));
typedef float floats __attribute__((ext_vector_type(2)));
typedef double doubles __attribute__((ext_vector_type(2)));

/* Shapes: the names of OCML. SCALAR_*: without a form for two halves. */
#define T_T(X, F, T)           X(j0, F, T) X(j1, F, T) X(y0, F, T) X(y1, F, T) X(logb, F, T)
#define T_TT(X, F, T)          X(copysign, F, T) X(nextafter, F, T) X(scalb, F, T)
#define T_TTT(X, F, T)         X(fma, F, T) X(fmuladd, F, T) X(mad, F, T)
#define T_TI(X, F, T)          X(ldexp, F, T) X(scalbn, F, T) X(pown, F, T) X(rootn, F, T)
#define T_T_TO_T(X, F, T)      X(sincos, F, T) X(sincospi, F, T) X(modf, F, T) X(fract, F, T)
#define T_T_TO_I(X, F, T)      X(frexp, F, T) X(lgamma_r, F, T)
#define T_TT_TO_I(X, F, T)     X(remquo, F, T)
#define I_T(X, F, T)           X(ilogb, F, T)
#define BOOL_T(X, F, T)        X(isfinite, F, T) X(isinf, F, T) X(isnan, F, T) X(isnormal, F, T) X(signbit, F, T)
#define SCALAR_T_TTT(X, F, T)  X(len3, F, T) X(rlen3, F, T)
#define SCALAR_T_TTTT(X, F, T) X(len4, F, T) X(rlen4, F, T)
#define SCALAR_I_T(X, F, T)    X(fpclassify, F, T)
#define SCALAR_T_T(X, F, T)                                                                                                                \
    X(native_cos, F, T)                                                                                                                    \
    X(native_exp, F, T)                                                                                                                    \
    X(native_exp2, F, T)                                                                                                                   \
    X(native_log, F, T) X(native_log10, F, T) X(native_log2, F, T) X(native_rsqrt, F, T) X(native_sin, F, T) X(native_sqrt, F, T)

#define PRIVATE __attribute__((address_space(5)))

/* ---- scalars ---- */

template <class F> struct ocml;
struct f16 {
    typedef _Float16 number;
    static constexpr const char *name = "f16";
};
struct f32 {
    typedef float number;
    static constexpr const char *name = "f32";
};
struct f64 {
    typedef double number;
    static constexpr const char *name = "f64";
};
struct f16x2 {
    typedef _Float16 number;
    static constexpr const char *name = "2f16";
};

/* Declarations, as OCML's bitcode has them. */
#define DECLARE_T_T(N, F, T)      __device__ T __ocml_##N##_##F(T);
#define DECLARE_T_TT(N, F, T)     __device__ T __ocml_##N##_##F(T, T);
#define DECLARE_T_TTT(N, F, T)    __device__ T __ocml_##N##_##F(T, T, T);
#define DECLARE_T_TTTT(N, F, T)   __device__ T __ocml_##N##_##F(T, T, T, T);
#define DECLARE_T_T_TO_T(N, F, T) __device__ T __ocml_##N##_##F(T, PRIVATE T *);

#define DECLARE_T_TI(N, F, T)      __device__ T __ocml_##N##_##F(T, int);
#define DECLARE_T_T_TO_I(N, F, T)  __device__ T __ocml_##N##_##F(T, PRIVATE int *);
#define DECLARE_T_TT_TO_I(N, F, T) __device__ T __ocml_##N##_##F(T, T, PRIVATE int *);
#define DECLARE_I_T(N, F, T)       __device__ int __ocml_##N##_##F(T);

#define METHOD_T_T(N, F, T)                                                                                                                \
    static __device__ T N(T x) { return __ocml_##N##_##F(x); }
#define METHOD_T_TT(N, F, T)                                                                                                               \
    static __device__ T N(T x, T y) { return __ocml_##N##_##F(x, y); }
#define METHOD_T_TTT(N, F, T)                                                                                                              \
    static __device__ T N(T x, T y, T z) { return __ocml_##N##_##F(x, y, z); }
#define METHOD_T_TTTT(N, F, T)                                                                                                             \
    static __device__ T N(T x, T y, T z, T w) { return __ocml_##N##_##F(x, y, z, w); }
#define METHOD_T_T_TO_T(N, F, T)                                                                                                           \
    static __device__ T N(T x, T *s) { return __ocml_##N##_##F(x, (PRIVATE T *)s); }
#define METHOD_T_TI(N, F, T)                                                                                                               \
    static __device__ T N(T x, int n) { return __ocml_##N##_##F(x, n); }
#define METHOD_T_T_TO_I(N, F, T)                                                                                                           \
    static __device__ T N(T x, int *k) { return __ocml_##N##_##F(x, (PRIVATE int *)k); }
#define METHOD_T_TT_TO_I(N, F, T)                                                                                                          \
    static __device__ T N(T x, T y, int *k) { return __ocml_##N##_##F(x, y, (PRIVATE int *)k); }
#define METHOD_I_T(N, F, T)                                                                                                                \
    static __device__ int N(T x) { return __ocml_##N##_##F(x); }

#define SCALAR(F, T, PAYLOAD, RECIPROCAL)                                                                                                  \
    extern "C" {                                                                                                                           \
    T_T(DECLARE_T_T, F, T)                                                                                                                 \
    T_TT(DECLARE_T_TT, F, T)                                                                                                               \
    T_TTT(DECLARE_T_TTT, F, T)                                                                                                             \
    T_TI(DECLARE_T_TI, F, T)                                                                                                               \
    T_T_TO_T(DECLARE_T_T_TO_T, F, T)                                                                                                       \
    T_T_TO_I(DECLARE_T_T_TO_I, F, T)                                                                                                       \
    T_TT_TO_I(DECLARE_T_TT_TO_I, F, T)                                                                                                     \
    I_T(DECLARE_I_T, F, T)                                                                                                                 \
    BOOL_T(DECLARE_I_T, F, T)                                                                                                              \
    SCALAR_T_TTT(DECLARE_T_TTT, F, T)                                                                                                      \
    SCALAR_T_TTTT(DECLARE_T_TTTT, F, T)                                                                                                    \
    SCALAR_I_T(DECLARE_I_T, F, T)                                                                                                          \
    SCALAR_T_T(DECLARE_T_T, F, T)                                                                                                          \
    __device__ T __ocml_nan_##F(PAYLOAD);                                                                                                  \
    __device__ T __ocml_native_##RECIPROCAL##_##F(T);                                                                                      \
    }                                                                                                                                      \
    template <> struct ocml<F> {                                                                                                           \
        T_T(METHOD_T_T, F, T)                                                                                                              \
        T_TT(METHOD_T_TT, F, T)                                                                                                            \
        T_TTT(METHOD_T_TTT, F, T)                                                                                                          \
        T_TI(METHOD_T_TI, F, T)                                                                                                            \
        T_T_TO_T(METHOD_T_T_TO_T, F, T)                                                                                                    \
        T_T_TO_I(METHOD_T_T_TO_I, F, T)                                                                                                    \
        T_TT_TO_I(METHOD_T_TT_TO_I, F, T)                                                                                                  \
        I_T(METHOD_I_T, F, T)                                                                                                              \
        BOOL_T(METHOD_I_T, F, T)                                                                                                           \
        SCALAR_T_TTT(METHOD_T_TTT, F, T)                                                                                                   \
        SCALAR_T_TTTT(METHOD_T_TTTT, F, T)                                                                                                 \
        SCALAR_I_T(METHOD_I_T, F, T)                                                                                                       \
        SCALAR_T_T(METHOD_T_T, F, T)                                                                                                       \
        static __device__ T nan(PAYLOAD payload) { return __ocml_nan_##F(payload); }                                                       \
        static __device__ T native_recip(T x) { return __ocml_native_##RECIPROCAL##_##F(x); }                                              \
    };

SCALAR(f16, _Float16, unsigned short, rcp)
SCALAR(f32, float, unsigned, recip)
SCALAR(f64, double, unsigned long, recip)

/* ---- two halves at a time ---- */

/* A work item's argument stands in one half, in turn; something else in the other. */
__device__ inline halves both(_Float16 x) { return threadIdx.x & 1 ? halves{(_Float16)(x + (_Float16)1), x} : halves{x, (_Float16)-x}; }
__device__ inline ints both(int n) { return threadIdx.x & 1 ? ints{n ^ 1, n} : ints{n, -(n & 0xffff)}; }
template <class V> __device__ auto mine(V v) { return threadIdx.x & 1 ? v.y : v.x; }

/* With names of their own: clang's header has some of them with other parameters than the library. */
#define DECLARE_PAIR_T_T(N, F, T)       __device__ halves pair_##N(halves) __asm__("__ocml_" #N "_2f16");
#define DECLARE_PAIR_T_TT(N, F, T)      __device__ halves pair_##N(halves, halves) __asm__("__ocml_" #N "_2f16");
#define DECLARE_PAIR_T_TTT(N, F, T)     __device__ halves pair_##N(halves, halves, halves) __asm__("__ocml_" #N "_2f16");
#define DECLARE_PAIR_T_T_TO_T(N, F, T)  __device__ halves pair_##N(halves, PRIVATE halves *) __asm__("__ocml_" #N "_2f16");
#define DECLARE_PAIR_T_TI(N, F, T)      __device__ halves pair_##N(halves, ints) __asm__("__ocml_" #N "_2f16");
#define DECLARE_PAIR_T_T_TO_I(N, F, T)  __device__ halves pair_##N(halves, PRIVATE ints *) __asm__("__ocml_" #N "_2f16");
#define DECLARE_PAIR_T_TT_TO_I(N, F, T) __device__ halves pair_##N(halves, halves, PRIVATE ints *) __asm__("__ocml_" #N "_2f16");
#define DECLARE_PAIR_I_T(N, F, T)       __device__ ints pair_##N(halves) __asm__("__ocml_" #N "_2f16");
#define DECLARE_PAIR_BOOL_T(N, F, T)    __device__ shorts pair_##N(halves) __asm__("__ocml_" #N "_2f16");

#define PAIR_T_T(N, F, T)                                                                                                                  \
    static __device__ T N(T x) { return mine(pair_##N(both(x))); }
#define PAIR_T_TT(N, F, T)                                                                                                                 \
    static __device__ T N(T x, T y) { return mine(pair_##N(both(x), both(y))); }
#define PAIR_T_TTT(N, F, T)                                                                                                                \
    static __device__ T N(T x, T y, T z) { return mine(pair_##N(both(x), both(y), both(z))); }
#define PAIR_T_TI(N, F, T)                                                                                                                 \
    static __device__ T N(T x, int n) { return mine(pair_##N(both(x), both(n))); }
#define PAIR_I_T(N, F, T)                                                                                                                  \
    static __device__ int N(T x) { return mine(pair_##N(both(x))); }
#define PAIR_T_T_TO_T(N, F, T)                                                                                                             \
    static __device__ T N(T x, T *s) {                                                                                                     \
        halves second, first = pair_##N(both(x), (PRIVATE halves *)&second);                                                               \
        *s = mine(second);                                                                                                                 \
        return mine(first);                                                                                                                \
    }
#define PAIR_T_T_TO_I(N, F, T)                                                                                                             \
    static __device__ T N(T x, int *k) {                                                                                                   \
        ints second;                                                                                                                       \
        halves first = pair_##N(both(x), (PRIVATE ints *)&second);                                                                         \
        *k = mine(second);                                                                                                                 \
        return mine(first);                                                                                                                \
    }
#define PAIR_T_TT_TO_I(N, F, T)                                                                                                            \
    static __device__ T N(T x, T y, int *k) {                                                                                              \
        ints second;                                                                                                                       \
        halves first = pair_##N(both(x), both(y), (PRIVATE ints *)&second);                                                                \
        *k = mine(second);                                                                                                                 \
        return mine(first);                                                                                                                \
    }

extern "C" {
T_T(DECLARE_PAIR_T_T, , )
T_TT(DECLARE_PAIR_T_TT, , )
T_TTT(DECLARE_PAIR_T_TTT, , )
T_TI(DECLARE_PAIR_T_TI, , )
T_T_TO_T(DECLARE_PAIR_T_T_TO_T, , )
T_T_TO_I(DECLARE_PAIR_T_T_TO_I, , )
T_TT_TO_I(DECLARE_PAIR_T_TT_TO_I, , )
I_T(DECLARE_PAIR_I_T, , )
BOOL_T(DECLARE_PAIR_BOOL_T, , )
__device__ halves pair_nan(ushorts) __asm__("__ocml_nan_2f16");
}
template <> struct ocml<f16x2> {
    typedef _Float16 T;
    T_T(PAIR_T_T, f16x2, _Float16)
    T_TT(PAIR_T_TT, f16x2, _Float16)
    T_TTT(PAIR_T_TTT, f16x2, _Float16)
    T_TI(PAIR_T_TI, f16x2, _Float16)
    T_T_TO_T(PAIR_T_T_TO_T, f16x2, _Float16)
    T_T_TO_I(PAIR_T_T_TO_I, f16x2, _Float16)
    T_TT_TO_I(PAIR_T_TT_TO_I, f16x2, _Float16)
    I_T(PAIR_I_T, f16x2, _Float16)
    BOOL_T(PAIR_I_T, f16x2, _Float16)
    static __device__ _Float16 nan(unsigned payload) {
        unsigned short mine_ = (unsigned short)payload, other = (unsigned short)(payload ^ 1);
        return mine(pair_nan(threadIdx.x & 1 ? ushorts{other, mine_} : ushorts{mine_, other}));
    }
};

#endif
