/* v_mqsad_u32_u8, as a step: four sums, each of the reference against four bytes of the first operand, one byte further on. */
#include "translate/steps/steps.h"

enum { SUMS = 4 };

struct sums {
    wl_native_fn *native; /* of one sum */
    uint16_t to, bytes, reference, addends;
    bool byte_rows, reference_row, addend_rows;
    struct wl_scalar byte_scalar, reference_scalar, addend_scalars[SUMS];
};

/* What of a 64-bit number begins at byte `i`. */
static uint32_t window(uint32_t low, uint32_t high, unsigned i) { return (uint32_t)(((uint64_t)high << 32 | low) >> 8 * i); }

static void fill(uint32_t strip[WL_STRIP], uint64_t value) {
    for (unsigned l = 0; l < WL_STRIP; l++)
        strip[l] = (uint32_t)value;
}

/* The sums of a strip: all are made before the first is written, as the result may overlap operands. */
static void sum_strip(const struct wl_machine *m, const struct sums *s, unsigned first, uint32_t sums[SUMS][WL_STRIP]) {
    _Alignas(64) uint32_t low[WL_STRIP], high[WL_STRIP], bytes[WL_STRIP], reference[WL_STRIP], addend[WL_STRIP];
    const uint64_t value = s->byte_rows ? 0 : wl_scalar_read(m, &s->byte_scalar);
    fill(low, value);
    fill(high, value >> 32);
    if (s->byte_rows) {
        memcpy(low, wl_machine_row(m, s->bytes) + first, sizeof low);
        memcpy(high, wl_machine_row(m, s->bytes + 1u) + first, sizeof high);
    }
    if (s->reference_row)
        memcpy(reference, wl_machine_row(m, s->reference) + first, sizeof reference);
    else
        fill(reference, wl_scalar_read(m, &s->reference_scalar));
    for (unsigned i = 0; i < SUMS; i++) {
        for (unsigned l = 0; l < WL_STRIP; l++)
            bytes[l] = window(low[l], high[l], i);
        if (s->addend_rows)
            memcpy(addend, wl_machine_row(m, s->addends + i) + first, sizeof addend);
        else
            fill(addend, wl_scalar_read(m, &s->addend_scalars[i]));
        wl_steps_call(s->native, (void *[]){sums[i], bytes, reference, addend}, 4);
    }
}

static const struct wl_step *run_sums(struct wl_machine *m, const struct wl_step *step) {
    const struct sums *s = step->data;
    const uint64_t exec = wl_machine_exec(m);
    _Alignas(64) uint32_t sums[SUMS][WL_STRIP];
    for (unsigned first = 0; first < m->wave_size; first += WL_STRIP) {
        if (!(exec >> first & 0xffff))
            continue;
        sum_strip(m, s, first, sums);
        for (unsigned i = 0; i < SUMS; i++)
            for (unsigned l = 0; l < WL_STRIP; l++)
                if (exec >> (first + l) & 1)
                    wl_machine_row(m, s->to + i)[first + l] = sums[i][l];
    }
    return step + 1;
}

/* Four scalar registers, or a constant and zeros. */
static void plan_addends(struct sums *s, const struct wl_operand *operand) {
    const bool registers = operand->kind == WL_OPERAND_SGPR;
    for (unsigned i = 0; i < SUMS; i++) {
        struct wl_scalar *scalar = &s->addend_scalars[i];
        *scalar = (struct wl_scalar){.kind = WL_SCALAR_CONSTANT, .bits = 32};
        if (registers && (!i || operand->reg != WL_SGPR_SCC)) {
            scalar->kind = WL_SCALAR_SGPR;
            scalar->reg = (uint16_t)(operand->reg + i);
        } else if (!registers && !i) {
            scalar->constant = (uint32_t)wl_operand_bits(operand, 32, false, true);
        }
    }
}

bool wl_steps_wide(struct wl_steps_builder *b, const struct wl_inst *inst) {
    const struct wl_operand *op = inst->operands;
    if (!inst->sem || strcmp(inst->mnemonic, "v_mqsad_u32_u8") != 0)
        return false;
    struct sums *s = wl_steps_allocate(b, sizeof *s);
    if (!s || inst->operand_count != 4 || op[0].kind != WL_OPERAND_VGPR)
        return false;
    s->native = wl_steps_native(wl_steps_choose(b, inst->sem));
    s->to = op[0].reg;
    s->bytes = op[1].reg;
    s->reference = op[2].reg;
    s->addends = op[3].reg;
    s->byte_rows = op[1].kind == WL_OPERAND_VGPR;
    s->reference_row = op[2].kind == WL_OPERAND_VGPR;
    s->addend_rows = op[3].kind == WL_OPERAND_VGPR;
    if (!s->addend_rows)
        plan_addends(s, &op[3]);
    if ((!s->byte_rows && !wl_scalar_plan(&s->byte_scalar, &op[1], WL_U64)) ||
        (!s->reference_row && !wl_scalar_plan(&s->reference_scalar, &op[2], WL_U32)))
        return false;
    wl_steps_add(b, run_sums, s);
    return true;
}
