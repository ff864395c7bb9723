/* Numbers at random that are the same ones in each run: Marsaglia's xorshift of 64 bits. */
#ifndef WL_TEST_RANDOM_NUMBERS_H
#define WL_TEST_RANDOM_NUMBERS_H

#include <stdint.h>

/* `state`: anything but 0 at first. The low bits of numbers in a row are not independent: take the upper ones. */
static inline uint64_t next_random(uint64_t *state) {
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

#endif
