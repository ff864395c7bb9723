/* From words to instructions.
 *
 *   in    the bytes at an address of a code object's image
 *   out   struct wl_inst (isa/inst.h), with the name, semantics or row of the table that it has
 *
 * words/ decodes by a table of all instructions, and prints them as LLVM's assembler takes them (interface/disassembler.h). text/ asks
 * LLVM's disassembler, for the tests alone. image.c and newer.c are for both. No other part of decode/ needs LLVM. */
#ifndef WL_TRANSLATE_DECODE_DECODER_H
#define WL_TRANSLATE_DECODE_DECODER_H

#include "translate/interface/disassembler.h"
#include "translate/isa/inst.h"

/* Decodes the instruction(s) at `address`; a VOPD pair gives two (the second has size 0), so room for 2 is needed.
 * v_swap_b32 comes as such a pair of v_mov_b32.
 * Both of a pair read their sources before either writes: `inst[0]` never writes what `inst[1]` reads except in that sense.
 * Returns the number of instructions, 0 if the bytes are no instruction. An instruction that decodes but is not
 * implemented has neither sem nor isa. */
unsigned wl_decode(struct wl_decoder *decoder, const uint8_t *bytes, uint64_t available, uint64_t address, struct wl_inst inst[2]);

/* The mnemonic as LLVM writes it, without its encoding's suffix; NULL: the bytes are no instruction. Of a pair, the first one's. */
const char *wl_decode_name(const struct wl_decoder *decoder, const uint8_t *bytes, uint64_t available);

#endif
