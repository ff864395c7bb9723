/* Where the printer's text and LLVM's differ for a reason. */
#ifndef WL_TESTS_DECODE_RULES_H
#define WL_TESTS_DECODE_RULES_H

#include <stdbool.h>
#include <stdint.h>

/* What both made of a word; sizes are 0, and texts empty, where it is refused. */
struct finding {
    const char *target; /* "gfx1100/32" */
    unsigned generation, version;
    const uint8_t *bytes;
    uint64_t available;
    const char *theirs, *ours;
    unsigned their_size, our_size;
    /* Other words, as LLVM and the printer see them: the size, and a text of at most 512 bytes. */
    unsigned (*ask)(const uint8_t *bytes, uint64_t available, char *text);
    unsigned (*print)(const uint8_t *bytes, uint64_t available, char *text);
};

/* Whether there is a reason. It is counted. */
bool rules_excuse(const struct finding *finding);

/* How often there was which reason. */
void rules_print(void);

#endif
