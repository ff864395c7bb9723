/* Instructions of gfx950 as words, for tests: no assembler that the build knows has them. tests/decode compares the words' meaning with LLVM 22. */
#ifndef WL_TESTS_GFX950_H
#define WL_TESTS_GFX950_H

#include "isa/words.h"

enum { GFX950_LANES = 64, GFX950_JUMP = 0xbe801d1e /* s_setpc_b64 s[30:31] */, GFX950_V = 256 /* sources: v0 */ };

/* Two words of VOP3. op_sel: four bits. */
static inline void put_vop3(uint32_t words[2], unsigned opcode, unsigned vdst, unsigned src0, unsigned src1, unsigned src2,
                            unsigned op_sel) {
    words[0] = 0xd0000000u | opcode << 16 | op_sel << 11 | vdst;
    words[1] = src0 | src1 << 9 | src2 << 18;
}

/* VOP3P: with op_sel_hi all ones, which is what packed instructions have. */
static inline void put_vop3p(uint32_t words[2], unsigned opcode, unsigned vdst, unsigned src0, unsigned src1, unsigned src2) {
    words[0] = 0xd3804000u | opcode << 16 | vdst;
    words[1] = src0 | src1 << 9 | src2 << 18 | 3u << 27;
}

/* Matrix instructions have other things there. */
static inline void put_matrix(uint32_t words[2], unsigned opcode, unsigned vdst, unsigned src0, unsigned src1, unsigned src2) {
    words[0] = 0xd3800000u | opcode << 16 | vdst;
    words[1] = src0 | src1 << 9 | src2 << 18;
}

static inline void open_words(const uint32_t *words, unsigned count, bool plain_host) {
    open_program("gfx950", GFX950_LANES, GFX950_JUMP, words, count, plain_host);
}

static inline uint64_t some_exec(unsigned round) {
    static const uint64_t masks[] = {UINT64_MAX, UINT64_C(0x8000a5a5f0ff0310), UINT64_C(0xffff0000ffff), 1};
    return masks[round % 4];
}

#endif
