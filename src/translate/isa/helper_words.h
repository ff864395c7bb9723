/* The words in which the helpers (machine/helpers.h) are told what an instruction is: images, matrices, buffers, atomics. The same for
 * native code and for threaded code. */
#ifndef WL_TRANSLATE_ISA_HELPER_WORDS_H
#define WL_TRANSLATE_ISA_HELPER_WORDS_H

#include "translate/interface/translate.h"
#include "translate/isa/inst.h"
#include "translate/isa/isa.h"

/* An IMAGE instruction: whether its operands are of a known form, whether there is a sampler, its modifiers
 * (machine/image_instruction.h), and the rows of the addresses, a byte each. */
bool wl_image_is_known(const struct wl_inst *inst);
bool wl_image_samples(const struct wl_inst *inst);
uint32_t wl_image_modifiers(const struct wl_inst *inst, unsigned generation);
void wl_image_rows(const struct wl_inst *inst, uint64_t rows[2]);

/* A MATRIX instruction: whether its operands are of a form that there is, its row (NULL: none) and modifiers for this request
 * (machine/matrix.h), and what an element of C of a kind is where the operand is a constant. */
bool wl_matrix_is_known(const struct wl_inst *inst, unsigned generation);
const struct wl_matrix *wl_matrix_row(const struct wl_inst *inst, unsigned generation);
uint32_t wl_matrix_modifiers(const struct wl_inst *inst, const struct wl_translate_request *request, const struct wl_matrix *row);
uint64_t wl_matrix_constant(const struct wl_operand *operand, unsigned kind);

/* The `element` of a buffer instruction. */
uint32_t wl_buffer_element(const struct wl_inst *inst, unsigned generation);
/* The operation (enum wl_atomic_op) that an atomic does on a processor. */
uint8_t wl_memory_atomic(const char *processor, const struct wl_isa *isa);

#endif
