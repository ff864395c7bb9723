/* The parser of what LLVM prints behind a mnemonic. */
#ifndef WL_DECODE_TEXT_OPERANDS_H
#define WL_DECODE_TEXT_OPERANDS_H

#include "translate/isa/inst.h"

/* What the text says beyond the fields of struct wl_inst. */
struct wl_parsed {
    uint8_t source_sel[2]; /* SDWA: src0_sel, src1_sel */
    uint8_t byte_sel;      /* conversions of 8-bit numbers */
    bool raw_offset;       /* "offset:" with something else than a number (swizzle(...)) */
    bool unknown;          /* an operand or modifier that the parser does not know */
};

/* Parses the operands and modifiers in [text, end) into `inst`, which must be zero there. Never fails: what is not known
 * sets `parsed->unknown`. Uses no memory but its arguments. Thread-safe. */
void wl_parse_operands(const char *text, const char *end, struct wl_inst *inst, struct wl_parsed *parsed);

#endif
