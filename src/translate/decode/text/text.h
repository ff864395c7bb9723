/* LLVM's disassembler, and the instructions that its text means: what tests compare the decoder and the printer with. No part of the
 * libraries. */
#ifndef WL_DECODE_TEXT_H
#define WL_DECODE_TEXT_H

#include "base/status.h"
#include "translate/isa/inst.h"

struct wl_text_decoder;

/* As wl_decoder_create, wl_decoder_destroy. WL_UNSUPPORTED: LLVM does not know the processor. */
enum wl_status wl_text_decoder_create(struct wl_text_decoder **decoder, const char *processor, uint32_t wave_size);
void wl_text_decoder_destroy(struct wl_text_decoder *decoder);

/* As wl_decode and wl_disassemble. */
unsigned wl_text_decode(struct wl_text_decoder *decoder, const uint8_t *bytes, uint64_t available, uint64_t address,
                        struct wl_inst inst[2]);
unsigned wl_text_disassemble(struct wl_text_decoder *decoder, const uint8_t *bytes, uint64_t available, uint64_t address, char *text,
                             size_t size);

#endif
