/* The decoder by table: words -> instructions, without LLVM.
 *
 *   in    the bytes at an address of a code object's image
 *   out   struct wl_inst (isa/inst.h); or its text in LLVM's syntax
 *
 * row.h describes the table; decoder.c finds the row of a word, the other files read the operands that it asks for. */
#ifndef WL_DECODE_WORDS_H
#define WL_DECODE_WORDS_H

#include "base/status.h"
#include "translate/isa/inst.h"

struct wl_processor;
struct wl_word_decoder;

/* As wl_decoder_create and wl_decoder_destroy. */
enum wl_status wl_word_decoder_create(struct wl_word_decoder **decoder, const char *processor, uint32_t wave_size);
void wl_word_decoder_destroy(struct wl_word_decoder *decoder);

/* As wl_decode. */
unsigned wl_word_decode(const struct wl_word_decoder *decoder, const uint8_t *bytes, uint64_t available, uint64_t address,
                        struct wl_inst inst[2]);
/* As wl_disassemble. (print.c) */
unsigned wl_word_print(const struct wl_word_decoder *decoder, const uint8_t *bytes, uint64_t available, uint64_t address, char *text,
                       size_t size);

/* LLVM's mnemonic, without the suffix of its encoding, of the instruction that the bytes begin with; NULL: they begin with none that the table
 * has. Of a pair, the first one's. */
const char *wl_word_name(const struct wl_word_decoder *decoder, const uint8_t *bytes, uint64_t available);

#endif
