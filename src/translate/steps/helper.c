/* Matrix and image instructions, as steps: calls of the helpers with what the lifter would pass them. */
#include "translate/steps/steps.h"

#include "machine/helpers.h"
#include "machine/image_instruction.h"
#include "machine/matrix.h"
#include "translate/isa/helper_words.h"

struct call {
    uint32_t fault, shape, modifiers;
    bool in_registers, samples;
    uint16_t rows[4];
    uint64_t constant, addresses[2];
};

static const struct wl_step *run_matrix(struct wl_machine *m, const struct wl_step *step) {
    const struct call *c = step->data;
    const struct wl_matrix_product product = {.d = wl_machine_row(m, c->rows[0]),
                                              .a = wl_machine_row(m, c->rows[1]),
                                              .b = wl_machine_row(m, c->rows[2]),
                                              .c = c->in_registers ? wl_machine_row(m, c->rows[3]) : NULL,
                                              .constant = c->constant};
    m->wave->helpers->matrix(m->wave, &product, 1, c->shape, c->modifiers);
    return step + 1;
}

static const struct wl_step *run_image(struct wl_machine *m, const struct wl_step *step) {
    const struct call *c = step->data;
    m->wave->fault_pc = c->fault;
    m->wave->helpers->image(m->wave, wl_machine_row(m, c->rows[0]), c->addresses[0], c->addresses[1], m->sgpr + c->rows[2],
                            c->samples ? m->sgpr + c->rows[3] : NULL, c->shape, c->modifiers);
    return step + 1;
}

static wl_step_fn *plan_matrix(const struct wl_steps_builder *b, struct call *c, const struct wl_inst *inst) {
    if (!wl_matrix_is_known(inst, b->generation))
        return NULL;
    c->shape = wl_matrix_shape(inst, b->generation);
    c->modifiers = wl_matrix_modifiers(inst, b->request->processor, c->shape);
    c->in_registers = inst->operands[3].kind == WL_OPERAND_VGPR;
    c->constant = c->in_registers ? 0 : wl_matrix_constant(&inst->operands[3], WL_MATRIX_D(c->shape));
    return run_matrix;
}

static wl_step_fn *plan_image(const struct wl_steps_builder *b, struct call *c, const struct wl_inst *inst) {
    if (!wl_image_is_known(inst))
        return NULL;
    c->samples = wl_image_samples(inst);
    c->shape = inst->isa->image | WL_IMAGE_WITH_ATOMIC(inst->isa->atomic);
    c->modifiers = wl_image_modifiers(inst, b->generation);
    wl_image_rows(inst, c->addresses);
    return run_image;
}

bool wl_steps_helper(struct wl_steps_builder *b, const struct wl_inst *inst) {
    if (!inst->isa || (inst->isa->class != WL_ISA_MATRIX && inst->isa->class != WL_ISA_IMAGE))
        return false;
    struct call *c = wl_steps_allocate(b, sizeof *c);
    wl_step_fn *run = NULL;
    if (c) {
        c->fault = wl_steps_place(b, inst);
        for (unsigned i = 0; i < 4; i++)
            c->rows[i] = inst->operands[i].reg;
        run = inst->isa->class == WL_ISA_MATRIX ? plan_matrix(b, c, inst) : plan_image(b, c, inst);
    }
    if (run)
        wl_steps_add(b, run, c);
    else
        wl_steps_refuse(b, inst);
    return true;
}
