/* Instructions of gfx1250 as words, for tests: no assembler that the build knows has them. The words are LLVM 22's. */
#ifndef WL_TESTS_GFX1250_H
#define WL_TESTS_GFX1250_H

#include "translate/lift_run.h"

#include <stdio.h>
#include <string.h>

enum { GFX1250_LANES = 32 };

static unsigned checks, failures;

static inline void fail(const char *what) {
    if (failures++ < 20)
        fprintf(stderr, "%s\n", what);
}

static inline uint32_t random_number(void) {
    static uint64_t state = 0x9e3779b97f4a7c15u;
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (uint32_t)(state >> 24);
}

static inline void open_words(const uint32_t *words, unsigned count, bool plain_host) {
    uint32_t code[64];
    memcpy(code, words, count * sizeof *code);
    code[count] = 0xbe80481e; /* s_set_pc_i64 s[30:31] */
    lift_open_code("gfx1250", GFX1250_LANES, (const uint8_t *)code, (count + 1) * sizeof *code, plain_host);
}

static inline uint32_t some_exec(unsigned round) {
    static const uint32_t masks[] = {UINT32_MAX, 0xf0ff0310, 0xffff, 1};
    return masks[round % 4];
}

#endif
