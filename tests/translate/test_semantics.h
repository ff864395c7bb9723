/* What the semantics tests share: a reference computes one lane from raw bits, slowly and independently of semantics/. */
#ifndef WL_TEST_SEMANTICS_H
#define WL_TEST_SEMANTICS_H

#include "translate/isa/sem.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

/* d: the results' bits, zero-extended; s: the inputs' bits in the order of wl_sem.inputs, zero-extended. */
typedef void reference_fn(uint64_t *d, const uint64_t *s);

struct reference {
    const char *name;
    reference_fn *compute;
    double ulp; /* allowed error of a floating-point result in units of its last place; 0: bit for bit (NaN: any NaN) */
};

extern const struct reference integer_references[], float_references[];

static inline float as_f32(uint64_t bits) {
    const uint32_t low = (uint32_t)bits;
    float value;

    memcpy(&value, &low, 4);
    return value;
}
static inline double as_f64(uint64_t bits) {
    double value;

    memcpy(&value, &bits, 8);
    return value;
}
static inline uint64_t f32_bits(float value) {
    uint32_t bits;

    memcpy(&bits, &value, 4);
    return bits;
}
static inline uint64_t f64_bits(double value) {
    uint64_t bits;

    memcpy(&bits, &value, 8);
    return bits;
}

/* f16 by way of doubles, in integer arithmetic. */
double as_f16(uint64_t bits);
uint64_t f16_bits(double value);

#endif
