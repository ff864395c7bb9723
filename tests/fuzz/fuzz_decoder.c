/* libFuzzer target for the decoder and the printer: any bytes, as code of any processor.
 *
 * The first byte picks the processor, the lowest bit of the second the wave size; the rest is code. Every instruction is decoded from a copy
 * that ends where the code does, so that a read beyond it is found, and printed into a buffer of a size that the second byte picks. */
#include "translate/decode/decoder.h"
#include "translate/isa/isa.h"
#include "translate/isa/sem.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(bool condition) {
    if (!condition)
        abort();
}

static void check_operand(const struct wl_operand *operand) {
    check(operand->kind <= WL_OPERAND_TEXT);
    if (operand->kind == WL_OPERAND_VGPR)
        check(operand->count > 0 && operand->reg < 2 * WL_AGPR && (operand->reg % WL_AGPR + operand->count <= WL_AGPR || operand->bank));
    if (operand->kind == WL_OPERAND_SGPR)
        check(operand->count > 0 && operand->reg + operand->count <= 128);
    check(operand->sel <= WL_SEL_WORD_1);
}

static void check_inst(const struct wl_inst *inst) {
    check(memchr(inst->mnemonic, '\0', sizeof inst->mnemonic) && inst->mnemonic[0]);
    check(inst->operand_count <= WL_MAX_OPERANDS && inst->address_count <= WL_MAX_ADDRESSES);
    check(!inst->isa || !inst->sem);
    for (unsigned i = 0; i < inst->operand_count; i++)
        check_operand(&inst->operands[i]);
}

/* Decodes and prints what stands at `bytes`; returns how far to go on. */
static size_t look_at(struct wl_decoder *decoder, const uint8_t *bytes, size_t available, uint64_t address, size_t text_size) {
    struct wl_inst inst[2];
    char name[400], *text = malloc(text_size ? text_size : 1);
    const unsigned count = wl_decode(decoder, bytes, available, address, inst);
    const unsigned printed = wl_disassemble(decoder, bytes, available, address, name, sizeof name);

    check(text && count <= 2 && !count == !printed);
    check(wl_disassemble(decoder, bytes, available, address, text, text_size) == printed);
    if (text_size)
        check(strlen(text) < text_size && strncmp(text, name, strlen(text)) == 0);
    free(text);
    if (!count)
        return 4;
    for (unsigned i = 0; i < count; i++)
        check_inst(&inst[i]);
    check(inst[0].size == printed && printed % 4 == 0 && printed >= 4 && printed <= available);
    check(count == 1 || (inst[1].size == 0 && inst[0].paired));
    check(wl_decode_name(decoder, bytes, available) != NULL && name[0] && strlen(name) < sizeof name - 1);
    return printed;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static struct wl_decoder *decoders[128][2];
    size_t processors = 0;

    while (wl_decoder_processor(processors))
        processors++;
    check(processors && processors <= sizeof decoders / sizeof *decoders);
    if (size < 2)
        return 0;
    const size_t processor = data[0] % processors;
    struct wl_decoder **decoder = &decoders[processor][data[1] & 1];
    if (!*decoder && wl_decoder_create(decoder, wl_decoder_processor(processor), data[1] & 1 ? 32 : 64) != WL_OK)
        return 0; /* has waves of 64 lanes alone */
    uint8_t *code = malloc(size);
    check(code != NULL);
    memcpy(code, data + 2, size - 2);
    code = realloc(code, size - 2 ? size - 2 : 1);
    for (size_t at = 0; at < size - 2;)
        at += look_at(*decoder, code + at, size - 2 - at, at, data[1] >> 1);
    free(code);
    return 0;
}
