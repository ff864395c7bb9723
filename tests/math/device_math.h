/* What the tests of AMD's device math library share: numbers in each format, their order, arguments, and the account of failures. */
#ifndef WL_TESTS_DEVICE_MATH_H
#define WL_TESTS_DEVICE_MATH_H

#include "../random_numbers.h"

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
            printf("FAIL: line %d: %s: %s\n", __LINE__, #call, hipGetErrorString(error_));                                                 \
            exit(1);                                                                                                                       \
        }                                                                                                                                  \
    } while (0)

enum { NO_BOUND = 1 << 30 };

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
static uint64_t random_bits() { return next_random(&state) * UINT64_C(2685821657736338717); }

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

[[maybe_unused]] static double to_double(const mpfr_t x, double) { return mpfr_get_d(x, MPFR_RNDN); }
[[maybe_unused]] static float to_double(const mpfr_t x, float) { return mpfr_get_flt(x, MPFR_RNDN); }
[[maybe_unused]] static _Float16 to_double(const mpfr_t x, _Float16) { return (_Float16)mpfr_get_d(x, MPFR_RNDN); }

/* ---- arguments ---- */

enum { RANGE = 1536, BITS = 2048, EDGES = 512, COUNT = RANGE + BITS + EDGES };

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

/* ---- the account ---- */

static int failures, checked;

/* Names on the command line choose; none: all. */
static bool wanted(int argc, char **argv, const char *name) {
    for (int i = 1; i < argc; i++)
        if (strcmp(argv[i], name) == 0)
            return true;
    return argc == 1;
}

#endif
