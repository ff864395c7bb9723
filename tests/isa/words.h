/* For tests that run instructions by their words, because no assembler that the build knows has them: counts, numbers, and a program of words. */
#ifndef WL_TESTS_WORDS_H
#define WL_TESTS_WORDS_H

#include "../random_numbers.h"
#include "translate/lift_run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static unsigned checks, failures;

static inline void fail(const char *what) {
    if (failures++ < 20)
        fprintf(stderr, "%s\n", what);
}

/* Whether all cases are run: in threaded code. Native code, which LLVM makes for each of them, runs a part that has each form and each half or
 * byte of some conversion; both are made of the same C functions. */
static inline bool runs_all(void) { return getenv("WL_TEST_STEPS"); }

static inline uint32_t random_number(void) {
    static uint64_t state = 0x9e3779b97f4a7c15u;
    return (uint32_t)(next_random(&state) >> 24);
}

/* `jump`: the word of the jump back, s_setpc_b64 s[30:31]. */
static inline void open_program(const char *processor, unsigned wave_size, uint32_t jump, const uint32_t *words, unsigned count,
                                bool plain_host) {
    uint32_t code[64];
    memcpy(code, words, count * sizeof *code);
    code[count] = jump;
    lift_open_code(processor, wave_size, (const uint8_t *)code, (count + 1) * sizeof *code, plain_host);
}

#endif
