/* Small floating-point formats as doubles: what codes mean, and rounding by dividing by the last place. For tests; the semantics have nothing of it. */
#ifndef WL_TESTS_NUMBER_FORMATS_H
#define WL_TESTS_NUMBER_FORMATS_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>

static const struct number_format {
    const char *name;
    unsigned bits, fraction;
    int bias;
    unsigned most;          /* the largest number's code */
    unsigned overflow, nan; /* codes; the largest number's, where there are none */
} fp4 = {"fp4", 4, 1, 1, 7, 7, 7}, fp6 = {"fp6", 6, 3, 1, 31, 31, 31}, bf6 = {"bf6", 6, 2, 3, 31, 31, 31},
  fp8 = {"fp8", 8, 3, 7, 0x7e, 0x7f, 0x7f}, bf8 = {"bf8", 8, 2, 15, 0x7b, 0x7c, 0x7f}, f16 = {"f16", 16, 10, 15, 0x7bff, 0x7c00, 0x7e00},
  bf16 = {"bf16", 16, 7, 127, 0x7f7f, 0x7f80, 0x7fc0}, f32 = {"f32", 32, 23, 127, 0x7f7fffff, 0x7f800000, 0x7fc00000};

static inline bool has_special(const struct number_format *f) { return f->bits >= 8; }

static inline double value_of(const struct number_format *f, uint32_t code) {
    const uint32_t size = code & (uint32_t)((UINT64_C(1) << (f->bits - 1)) - 1), exponent = size >> f->fraction;
    const uint32_t digits = size & ((1u << f->fraction) - 1);
    double value =
        exponent ? ldexp(1 + ldexp(digits, -(int)f->fraction), (int)exponent - f->bias) : ldexp(digits, 1 - f->bias - (int)f->fraction);
    if (has_special(f) && size > f->most)
        value = size == f->overflow && f->overflow != f->nan ? INFINITY : NAN;
    return code >> (f->bits - 1) & 1 ? -value : value;
}

/* The last place of numbers of this size; denormal ones share the smallest. */
static inline int last_place(const struct number_format *f, double size) {
    int exponent;
    frexp(size, &exponent);
    const int least = 1 - f->bias;
    return (exponent - 1 < least ? least : exponent - 1) - (int)f->fraction;
}

/* The code of a multiple of its last place. */
static inline uint32_t code_of(const struct number_format *f, double size) {
    if (size == 0)
        return 0;
    const int place = last_place(f, size);
    const uint32_t digits = (uint32_t)ldexp(size, -place); /* with the leading one, unless it is denormal */
    return digits + ((uint32_t)(place + (int)f->fraction - (1 - f->bias)) << f->fraction);
}

static inline uint32_t special_code(const struct number_format *f, double value, bool sign, bool no_scale) {
    const uint32_t code = isnan(value) || no_scale ? f->nan : f->overflow;
    return code | (uint32_t)sign << (f->bits - 1);
}

static inline uint32_t limited(const struct number_format *f, uint32_t code, bool saturates, bool sign) {
    code = code > f->most ? (saturates ? f->most : f->overflow) : code;
    return code | (uint32_t)sign << (f->bits - 1);
}

static inline uint32_t nearest(const struct number_format *f, double value, bool saturates, bool no_scale) {
    const bool sign = signbit(value);
    const double size = fabs(value);
    if (!isfinite(value) || no_scale)
        return special_code(f, value, sign, no_scale);
    const int place = last_place(f, size);
    const double rounded = ldexp(nearbyint(ldexp(size, -place)), place);
    if (rounded > ldexp(1, 300)) /* no code has that */
        return limited(f, UINT32_MAX, saturates, sign);
    return limited(f, rounded > value_of(f, f->most) * 2 ? f->most + 2 : code_of(f, rounded), saturates, sign);
}

/* `digits`: fraction bits of the source, as many of which are compared with what is random. */
static inline uint32_t by_chance(const struct number_format *f, double value, uint32_t seed, unsigned digits, bool saturates,
                                 bool no_scale) {
    const bool sign = signbit(value);
    const double size = fabs(value);
    if (!isfinite(value) || no_scale)
        return special_code(f, value, sign, no_scale);
    if (size > value_of(f, f->most) * 2)
        return limited(f, f->most + 2, saturates, sign);
    const int place = last_place(f, size);
    const double places = ldexp(size, -place), whole = floor(places);
    const unsigned rest = digits - f->fraction; /* bits that are cut off */
    const uint64_t part = (uint64_t)floor(ldexp(places - whole, (int)rest));
    const bool up = (part + (seed >> (32 - rest))) >> rest;
    return limited(f, code_of(f, ldexp(whole + up, place)), saturates, sign);
}

#endif
