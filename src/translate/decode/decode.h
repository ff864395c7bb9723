/* What the decoder and the tests' decoder of LLVM's text have in common. */
#ifndef WL_TRANSLATE_DECODE_H
#define WL_TRANSLATE_DECODE_H

#include "translate/isa/inst.h"

/* Sets the address registers of an image instruction, whose operands and modifiers are parsed, from the encoding's second and
 * third dwords. (image.c) */
void wl_decode_image_addresses(struct wl_inst *inst, unsigned generation, uint32_t second, uint32_t third);

/* How many address registers an image instruction takes, by its row, dimension and modifiers. (image.c) */
unsigned wl_image_address_count(const struct wl_inst *inst, unsigned generation);

/* Newer compilers write 0 as an inline constant (0x80) into the source fields of VOP3 that an instruction does not have, where LLVM 19
 * takes 0 alone. Clears the last such field of the instruction in `bytes`, of which at least 8 are there; false: there is none. (newer.c)
 */
bool wl_newer_clear_unused(uint8_t *bytes, uint64_t available, unsigned generation);

/* v_swap_b16 of gfx11 and later, which LLVM 19 does not know, as instructions that it knows: two moves that both read before either writes,
 * or, within one register, a rotation (`*count` says how many). Returns the instruction's size, or 0 if it is none. (newer.c) */
unsigned wl_newer_swap(const uint8_t *bytes, uint64_t available, unsigned generation, uint8_t replaced[2][8], unsigned *count);

#endif
