/* Encodings that compilers newer than LLVM 19 write, put into words that LLVM 19 reads. */
#include "translate/decode/decode.h"

#include <string.h>

static uint32_t word_at(const uint8_t *bytes) {
    return (uint32_t)bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 | (uint32_t)bytes[3] << 24;
}

static void put_word(uint8_t *bytes, uint32_t word) {
    for (unsigned i = 0; i < 4; i++)
        bytes[i] = (uint8_t)(word >> 8 * i);
}

static bool is_vop3(uint32_t word, unsigned generation) {
    const uint32_t top = word >> 26;
    return generation >= 10 ? top == 0x35 || top == 0x33 /* VOP3P */ : top == 0x34;
}

bool wl_newer_clear_unused(uint8_t *bytes, uint64_t available, unsigned generation) {
    enum { SRC1 = 9, SRC2 = 18, ZERO = 0x80 };
    if (available < 8 || !is_vop3(word_at(bytes), generation))
        return false;
    uint32_t word = word_at(bytes + 4);
    if ((word >> SRC2 & 0x1ff) == ZERO)
        word &= ~(0x1ffu << SRC2);
    else if (!(word >> SRC2 & 0x1ff) && (word >> SRC1 & 0x1ff) == ZERO)
        word &= ~(0x1ffu << SRC1);
    else
        return false;
    put_word(bytes + 4, word);
    return true;
}

/* One half of a register as an operand of VOP3. */
struct half {
    uint32_t reg;
    bool upper;
};

/* v_mov_b16 as VOP3, which reaches every register. */
static void put_move(uint8_t *bytes, struct half to, struct half from) {
    put_word(bytes, 0xd59c0000u | (uint32_t)to.upper << 14 | (uint32_t)from.upper << 11 | to.reg);
    put_word(bytes + 4, 0x100 | from.reg);
}

unsigned wl_newer_swap(const uint8_t *bytes, uint64_t available, unsigned generation, uint8_t replaced[2][8], unsigned *count) {
    const uint32_t word = available < 4 || generation < 11 ? 0 : word_at(bytes);
    if (word >> 25 != 0x3f || (word >> 9 & 0xff) != 0x66 || !(word >> 8 & 1))
        return 0;
    const struct half a = {word >> 17 & 0x7f, word >> 24 & 1}, b = {word & 0x7f, word >> 7 & 1}; /* bit 7 is the half */
    *count = 2;
    if (a.reg == b.reg && a.upper != b.upper) { /* v_alignbit_b32 v, v, v, 16 */
        *count = 1;
        put_word(replaced[0], 0xd6160000u | a.reg);
        put_word(replaced[0] + 4, (0x90u << 18) | (0x100 | a.reg) << 9 | (0x100 | a.reg));
    } else {
        put_move(replaced[0], a, b);
        put_move(replaced[1], b, a);
    }
    return 4;
}
