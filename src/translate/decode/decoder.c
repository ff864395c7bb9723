#include "translate/decode/decoder.h"

#include "machine/processor.h"
#include "translate/decode/words/decoder.h"

#include <stdlib.h>

struct wl_decoder {
    struct wl_word_decoder *words;
};

const char *wl_decoder_processor(size_t index) {
    const struct wl_processor *processor = wl_processor_at(index);
    return processor ? processor->name : NULL;
}

enum wl_status wl_decoder_create(struct wl_decoder **decoder, const char *processor, uint32_t wave_size) {
    struct wl_decoder *made = calloc(1, sizeof *made);
    *decoder = NULL;
    if (!made)
        return wl_fail(WL_OUT_OF_MEMORY, "no memory for a decoder");
    const enum wl_status status = wl_word_decoder_create(&made->words, processor, wave_size);
    if (status) {
        free(made);
        return status;
    }
    *decoder = made;
    return WL_OK;
}

void wl_decoder_destroy(struct wl_decoder *decoder) {
    if (decoder)
        wl_word_decoder_destroy(decoder->words);
    free(decoder);
}

unsigned wl_decode(struct wl_decoder *decoder, const uint8_t *bytes, uint64_t available, uint64_t address, struct wl_inst inst[2]) {
    return wl_word_decode(decoder->words, bytes, available, address, inst);
}

const char *wl_decode_name(const struct wl_decoder *decoder, const uint8_t *bytes, uint64_t available) {
    return wl_word_name(decoder->words, bytes, available);
}

unsigned wl_disassemble(struct wl_decoder *decoder, const uint8_t *bytes, uint64_t available, uint64_t address, char *text, size_t size) {
    return wl_word_print(decoder->words, bytes, available, address, text, size);
}
