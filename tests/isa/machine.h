/* A plain interpreter of ALU instructions, from LLVM's text: operands, modifiers and destinations as the ISA manuals have them,
 * and a reference a mnemonic for what is computed (tests/translate/test_semantics_*.c, references.c). It shares no code with
 * the translator but the table of names (wl_isa_canonical). */
#ifndef WL_TESTS_MACHINE_H
#define WL_TESTS_MACHINE_H

#include <stdbool.h>
#include <stdint.h>

enum { MACHINE_ROWS = 192, MACHINE_SGPRS = 128, MACHINE_VCC = 106, MACHINE_M0 = 124, MACHINE_SCC = 125, MACHINE_EXEC = 126 };

/* How a register that an instruction wrote is to be compared: 0 bit for bit; else as numbers, where any NaN is as good. */
struct machine_tag {
    char type; /* 0; f: f32; h, g: f16 in the low, high half, the other half exact; H: two f16; b, c: bf16 in the low, high half; d, e: low,
                  high dword of an f64 */
    double ulp;
};

struct machine {
    const char *processor;
    unsigned generation, wave_size;
    uint32_t v[MACHINE_ROWS][64];
    uint32_t s[MACHINE_SGPRS];
    struct machine_tag row_tags[MACHINE_ROWS], scalar_tags[MACHINE_SGPRS];
};

enum machine_result {
    MACHINE_DONE,
    MACHINE_UNKNOWN,  /* no reference for this mnemonic */
    MACHINE_ELSEWHERE /* tested elsewhere (test_isa_state.c, test_lift.c, test_matrix.c), or a form about which the manuals say nothing */
};

/* Executes one instruction (a VOPD pair is one) of which this is the disassembler's text. */
enum machine_result machine_step(struct machine *m, const char *text);

/* Whether a mnemonic (without the encoding's suffix) is tested elsewhere. */
bool machine_is_elsewhere(const char *name);

/* ---- signatures.c ---- */

/* Types: i 32-bit integer, q 64-bit, w 16-bit, f, d, h floats, B bf16, H two f16, P two 16-bit integers or bf16, F two f32,
 * x 128 bits, m mask, o (input) the destination's old value, C (input) SCC, V (input) VCC as a mask. */
struct machine_signature {
    char results[3], inputs[6];
};
/* The types of a canonical mnemonic with so many operands; false if they are not known. */
bool machine_find_signature(const char *name, unsigned operands, struct machine_signature *signature);

#endif
