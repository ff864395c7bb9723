/* Instructions of gfx1250 as words, for tests: no assembler that the build knows has them. The words are LLVM 22's. */
#ifndef WL_TESTS_GFX1250_H
#define WL_TESTS_GFX1250_H

#include "isa/words.h"

enum { GFX1250_LANES = 32 };

static inline void open_words(const uint32_t *words, unsigned count, bool plain_host) {
    open_program("gfx1250", GFX1250_LANES, 0xbe80481e /* s_set_pc_i64 s[30:31] */, words, count, plain_host);
}

static inline uint32_t some_exec(unsigned round) {
    static const uint32_t masks[] = {UINT32_MAX, 0xf0ff0310, 0xffff, 1};
    return masks[round % 4];
}

#endif
