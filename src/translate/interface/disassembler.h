/* Instructions as text in LLVM's syntax: `wavelift disasm`, messages, and the processors that there are. */
#ifndef WL_TRANSLATE_INTERFACE_DISASSEMBLER_H
#define WL_TRANSLATE_INTERFACE_DISASSEMBLER_H

#include "base/status.h"

#include <stddef.h>
#include <stdint.h>

struct wl_decoder;

/* A decoder for one processor. Not thread-safe; make one a translation. WL_UNSUPPORTED: the processor is not known. */
__attribute__((visibility("default"))) enum wl_status wl_decoder_create(struct wl_decoder **decoder, const char *processor,
                                                                        uint32_t wave_size);
__attribute__((visibility("default"))) void wl_decoder_destroy(struct wl_decoder *decoder);

/* The names of the processors that wl_decoder_create knows, one after the other; NULL behind the last. Thread-safe. */
const char *wl_decoder_processor(size_t index);

/* The text of the instruction at `address`. Returns its size, 0 if the bytes are no instruction. */
__attribute__((visibility("default"))) unsigned wl_disassemble(struct wl_decoder *decoder, const uint8_t *bytes, uint64_t available,
                                                               uint64_t address, char *text, size_t size);

#endif
