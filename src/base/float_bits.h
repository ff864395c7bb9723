/* Floats and the bits that they are made of. For GPUs as well: no state but the arguments. */
#ifndef WL_BASE_FLOAT_BITS_H
#define WL_BASE_FLOAT_BITS_H

#include <stdint.h>
#include <string.h>

static inline uint32_t wl_float_bits(float value) {
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static inline float wl_bits_float(uint32_t bits) {
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static inline uint64_t wl_double_bits(double value) {
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static inline double wl_bits_double(uint64_t bits) {
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

#endif
