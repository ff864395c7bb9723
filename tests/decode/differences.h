/* Differences that were found, counted by target, mnemonic and kind, with the first of each kind as an example. */
#ifndef WL_TESTS_DECODE_DIFFERENCES_H
#define WL_TESTS_DECODE_DIFFERENCES_H

#include <stdint.h>

struct difference {
    const char *target, *mnemonic, *what; /* the mnemonic ends at a space, or with the string */
    const uint8_t *bytes;
    uint64_t available;
    const char *theirs, *ours;
};

void differences_add(const struct difference *difference);

/* Prints all, the most frequent first. Returns how many there are. */
uint64_t differences_print(void);

#endif
