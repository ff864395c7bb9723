/* Which instructions a processor has, and what the translator makes of each: `wavelift isa` and the coverage test.
 *
 * Every opcode of every encoding is put together and given to the decoder, and what it names becomes threaded code as in a launch. What
 * native code alone has is known by name. The test asks native code, too. */
#ifndef WL_TRANSLATE_INTERFACE_COVERAGE_H
#define WL_TRANSLATE_INTERFACE_COVERAGE_H

#include "base/status.h"
#include "translate/interface/translate.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum wl_coverage_status {
    WL_COVERAGE_EXACT,       /* bit for bit what the hardware gives */
    WL_COVERAGE_ULP,         /* an approximation on the hardware too, within AMD's documented error; or a matrix sum in another order */
    WL_COVERAGE_NO_EFFECT,   /* accepted; there is nothing to do on this device (waits, caches, hints) */
    WL_COVERAGE_UNSUPPORTED, /* translation fails with a message that names it */
};

struct wl_coverage_row {
    char mnemonic[48];  /* LLVM's, without the encoding's suffix */
    char canonical[36]; /* the translator's name */
    char family[24];    /* of the encoding it was first found in: "VOP3", "DS", ... */
    enum wl_coverage_status status;
    uint8_t sample[24]; /* an encoding that has this mnemonic; the first that is not supported, if there is one */
    uint8_t sample_size;
};

struct wl_coverage; /* remembers what was tried, so that processors with common instructions cost little. Not thread-safe */

/* NULL: out of memory. */
__attribute__((visibility("default"))) struct wl_coverage *wl_coverage_create(void);
__attribute__((visibility("default"))) void wl_coverage_destroy(struct wl_coverage *coverage);
/* The rows of one processor in the order of their mnemonics. They belong to `coverage` and are valid until its next call.
 * WL_UNSUPPORTED: LLVM does not know the processor; WL_INVALID_VALUE: it has no waves of that size. */
__attribute__((visibility("default"))) enum wl_status wl_coverage_list(struct wl_coverage *coverage, const char *processor,
                                                                       uint32_t wave_size, const struct wl_coverage_row **rows,
                                                                       size_t *count);
/* The processors that can be asked for, one after the other; NULL behind the last. */
__attribute__((visibility("default"))) const char *wl_coverage_processor(size_t index);
__attribute__((visibility("default"))) const char *wl_coverage_status_name(enum wl_coverage_status status);

struct wl_inst;
/* What a decoded instruction is, by its name alone: lifting may refuse single forms of it. Thread-safe. */
enum wl_coverage_status wl_coverage_of(const struct wl_inst *inst);

typedef void wl_coverage_word_fn(void *context, const uint32_t words[6], const char *family);
/* Calls `each` for every opcode of every encoding of a generation (9 to 12) with several fillings of its operand fields; most
 * are no instruction. */
void wl_coverage_words(unsigned generation, wl_coverage_word_fn *each, void *context);
/* A program of one instruction, and what asks for its translation in the MASKED form. Points into itself: it cannot be copied. */
struct wl_coverage_program {
    uint8_t image[64];
    uint64_t size;
    struct wl_translate_request request;
};
/* WL_INVALID_VALUE: more than 24 bytes, which no instruction has. WL_UNSUPPORTED: the processor is not known. */
enum wl_status wl_coverage_make(struct wl_coverage_program *program, const char *processor, uint32_t wave_size, const uint8_t *bytes,
                                unsigned size);
/* Makes threaded code of one instruction alone. WL_UNSUPPORTED and others: as a launch fails. */
enum wl_status wl_coverage_try(const char *processor, uint32_t wave_size, const uint8_t *bytes, unsigned size);
/* The same with LLVM's code, in the MASKED form. (translate/lift_one.c, for tests) */
enum wl_status wl_coverage_lift(const char *processor, uint32_t wave_size, const uint8_t *bytes, unsigned size);

#endif
