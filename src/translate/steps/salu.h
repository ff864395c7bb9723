/* Scalar instructions with semantics, as steps: what scalar.c makes of one, for initcheck (init.h) as well. */
#ifndef WL_TRANSLATE_STEPS_SALU_H
#define WL_TRANSLATE_STEPS_SALU_H

#include "translate/steps/steps.h"

struct wl_salu_input {
    struct wl_scalar scalar;
    uint64_t keep, negate;
    bool flushes;
};

struct wl_salu_result {
    uint8_t bits, registers; /* of the value; 0: dropped */
    uint16_t reg;
    bool flushes;
};

/* Where the semantics read or write an operand. */
struct wl_salu_place {
    const uint64_t *constant; /* NULL: in registers from `reg` on */
    uint16_t reg;
};

struct wl_salu {
    const struct wl_sem *sem;
    wl_native_fn *native;
    uint8_t result_count, input_count;
    struct wl_salu_input inputs[WL_SEM_SLOTS];
    struct wl_salu_result results[WL_SEM_SLOTS];
    struct wl_salu_place places[5]; /* results, then inputs, where all can be told so */
};

/* An operand as the semantics have it. */
static inline uint64_t wl_salu_read(const struct wl_machine *m, const struct wl_salu_input *in, uint32_t mode) {
    const uint64_t value = (wl_scalar_read(m, &in->scalar) & in->keep) ^ in->negate;
    return in->flushes && !(mode & WL_FLUSH_INPUTS) ? wl_flush_f32((uint32_t)value) : value;
}
/* Whether a step is one of these: its data is a struct wl_salu. */
bool wl_salu_is(wl_step_fn *run);

#endif
