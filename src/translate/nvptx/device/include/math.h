/* What device code uses of C's library. Rounding is to nearest. */
#ifndef WL_NVPTX_DEVICE_MATH_H
#define WL_NVPTX_DEVICE_MATH_H

#include <stdint.h>

#ifndef INFINITY
#define INFINITY (__builtin_inff())
#endif
#define isnan(value) __builtin_isnan(value)
#define isinf(value) __builtin_isinf(value)

static inline float floorf(float x) { return __builtin_floorf(x); }
static inline float rintf(float x) { return __builtin_rintf(x); }
static inline double nearbyint(double x) { return __builtin_rint(x); }
static inline float fabsf(float x) { return __builtin_fabsf(x); }
static inline float fminf(float x, float y) { return __builtin_fminf(x, y); }
static inline float fmaxf(float x, float y) { return __builtin_fmaxf(x, y); }
static inline double fmin(double x, double y) { return __builtin_fmin(x, y); }
static inline double fmax(double x, double y) { return __builtin_fmax(x, y); }
static inline long lrintf(float x) { return (long)__builtin_rintf(x); }
/* Of exponents whose power of two is a normal number. */
static inline double ldexp(double x, int exponent) {
    const uint64_t bits = (uint64_t)(1023 + exponent) << 52;
    double power;
    __builtin_memcpy(&power, &bits, sizeof power);
    return x * power;
}
static inline float ldexpf(float x, int exponent) {
    const uint32_t bits = (uint32_t)(127 + exponent) << 23;
    float power;
    __builtin_memcpy(&power, &bits, sizeof power);
    return x * power;
}

#endif
