/* Instructions of matrices, images and tensors, as steps: calls of the helpers with what the lifter would pass them. */
#include "translate/steps/steps.h"

#include "machine/helpers.h"
#include "machine/image_instruction.h"
#include "machine/matrix.h"
#include "translate/isa/helper_words.h"

struct call {
    uint32_t fault, operation, modifiers; /* operation: of an image; the number of a matrix row, or of groups of a descriptor */
    bool in_registers, samples;
    const struct wl_sanitize_site *site; /* of an image; NULL: no sanitizer asks */
    uint16_t rows[6];
    uint64_t constant, addresses[2];
    bool scale_in_registers[2];
    struct wl_scalar scales[2];
};

static struct wl_matrix_product product_of(const struct wl_machine *m, const struct call *c) {
    return (struct wl_matrix_product){.d = wl_machine_row(m, c->rows[0]),
                                      .a = wl_machine_row(m, c->rows[1]),
                                      .b = wl_machine_row(m, c->rows[2]),
                                      .c = c->in_registers ? wl_machine_row(m, c->rows[3]) : NULL,
                                      .constant = c->constant};
}

static const struct wl_step *run_matrix(struct wl_machine *m, const struct wl_step *step) {
    const struct call *c = step->data;
    const struct wl_matrix_product product = product_of(m, c);
    m->wave->helpers->matrix(m->wave, &product, 1, c->operation, c->modifiers);
    return step + 1;
}

static const struct wl_step *run_scaled_matrix(struct wl_machine *m, const struct wl_step *step) {
    const struct call *c = step->data;
    struct wl_matrix_scaled scaled = {.product = product_of(m, c)};
    for (unsigned i = 0; i < 2; i++)
        if (c->scale_in_registers[i])
            scaled.scale[i] = wl_machine_row(m, c->rows[4 + i]);
        else
            scaled.scale_value[i] = wl_scalar_read(m, &c->scales[i]);
    m->wave->helpers->matrix(m->wave, &scaled.product, 1, c->operation, c->modifiers);
    return step + 1;
}

static const struct wl_step *run_image(struct wl_machine *m, const struct wl_step *step) {
    const struct call *c = step->data;
    m->wave->fault_pc = c->fault;
    if (c->site)
        m->wave->pc = (uint64_t)(uintptr_t)c->site;
    m->wave->helpers->image(m->wave, wl_machine_row(m, c->rows[0]), c->addresses[0], c->addresses[1], m->sgpr + c->rows[2],
                            c->samples ? m->sgpr + c->rows[3] : NULL, c->operation, c->modifiers);
    return step + 1;
}

static const struct wl_step *run_tensor(struct wl_machine *m, const struct wl_step *step) {
    const struct call *c = step->data;
    const uint32_t *group[4];
    for (unsigned i = 0; i < 4; i++)
        group[i] = i < c->operation ? m->sgpr + c->rows[i] : NULL;
    m->wave->fault_pc = c->fault;
    m->wave->helpers->tensor(m->wave, group[0], group[1], group[2], group[3], c->modifiers);
    return step + 1;
}

static wl_step_fn *plan_tensor(struct call *c, const struct wl_inst *inst) {
    c->operation = inst->operand_count == 4 && inst->operands[3].kind == WL_OPERAND_SGPR ? 4 : 2; /* groups */
    c->modifiers = inst->isa->detail;
    return run_tensor;
}

static wl_step_fn *plan_matrix(const struct wl_steps_builder *b, struct call *c, const struct wl_inst *inst) {
    if (!wl_matrix_is_known(inst, b->generation))
        return NULL;
    const struct wl_matrix *row = wl_matrix_row(inst, b->generation);
    const struct wl_operand *op = inst->operands;
    c->operation = wl_matrix_number(row);
    c->modifiers = wl_matrix_modifiers(inst, b->request, row);
    c->in_registers = op[3].kind == WL_OPERAND_VGPR;
    c->constant = c->in_registers ? 0 : wl_matrix_constant(&op[3], row->d);
    for (unsigned i = 0; row->scale_block && i < 2; i++) {
        c->scale_in_registers[i] = op[4 + i].kind == WL_OPERAND_VGPR;
        if (!c->scale_in_registers[i] && !wl_scalar_plan(&c->scales[i], &op[4 + i], WL_U64))
            return NULL;
    }
    return row->scale_block ? run_scaled_matrix : run_matrix;
}

static wl_step_fn *plan_image(struct wl_steps_builder *b, struct call *c, const struct wl_inst *inst) {
    if (!wl_image_is_known(inst))
        return NULL;
    c->samples = wl_image_samples(inst);
    c->operation = inst->isa->image | WL_IMAGE_WITH_ATOMIC(inst->isa->atomic);
    c->modifiers = wl_image_modifiers(inst, b->generation);
    wl_image_rows(inst, c->addresses);
    c->site = wl_steps_site(b, inst, 1);
    return run_image;
}

bool wl_steps_helper(struct wl_steps_builder *b, const struct wl_inst *inst) {
    const unsigned class = inst->isa ? inst->isa->class : WL_ISA_NOP;
    if (class != WL_ISA_MATRIX && class != WL_ISA_IMAGE && class != WL_ISA_TENSOR)
        return false;
    struct call *c = wl_steps_allocate(b, sizeof *c);
    wl_step_fn *run = NULL;
    if (c) {
        c->fault = wl_steps_place(b, inst);
        for (unsigned i = 0; i < sizeof c->rows / sizeof *c->rows; i++)
            c->rows[i] = inst->operands[i].reg;
        run = class == WL_ISA_MATRIX ? plan_matrix(b, c, inst) : class == WL_ISA_IMAGE ? plan_image(b, c, inst) : plan_tensor(c, inst);
    }
    if (run)
        wl_steps_add(b, run, c);
    else
        wl_steps_refuse(b, inst);
    return true;
}
