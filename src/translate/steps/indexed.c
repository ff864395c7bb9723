/* Registers chosen at run time, as steps: moves relative to M0, gfx9's indexing mode, and its state. */
#include "translate/steps/steps.h"

#include "machine/helpers.h"
#include "translate/isa/relative.h"

enum { MAX_COPIES = 4 * WL_MAX_OPERANDS, MAX_LANES = 64, INDEX = 0x3ff, GFX9_INDEX = 0xff };

struct move {
    uint16_t to, from, count; /* count: scalar registers */
    uint32_t to_mask, from_mask;
    uint8_t to_shift; /* index: M0 >> shift & mask */
    bool from_register;
    struct wl_scalar source;
    uint32_t kept, placed; /* of M0; what s_set_gpr_idx_* puts into it, besides an index */
    bool places_index;
};

static uint32_t to_index(const struct wl_machine *m, const struct move *s) { return m->sgpr[WL_SGPR_M0] >> s->to_shift & s->to_mask; }

static uint32_t from_index(const struct wl_machine *m, const struct move *s) { return m->sgpr[WL_SGPR_M0] & s->from_mask; }

/* `row` + index, or `row` where the wave has no such register. */
static unsigned relative_row(const struct wl_machine *m, unsigned row, uint32_t index) {
    const uint32_t rows = m->wave->vgprs < WL_AGPR ? m->wave->vgprs : WL_AGPR, sum = row + index;
    return sum >= rows ? row : sum;
}

/* The same for scalar registers. */
static unsigned relative_scalar(const struct move *s, unsigned reg, uint32_t index) {
    const uint32_t sum = reg + index;
    return sum > (uint32_t)WL_SGPR_VCC - s->count ? reg : sum;
}

static void store_row(const struct wl_machine *m, unsigned row, const uint32_t values[MAX_LANES]) {
    const uint64_t exec = wl_machine_exec(m);
    uint32_t *to = wl_machine_row(m, row);
    for (unsigned l = 0; l < m->wave_size; l++)
        to[l] = exec >> l & 1 ? values[l] : to[l];
}

static void load_row(const struct wl_machine *m, unsigned row, uint32_t values[MAX_LANES]) {
    memcpy(values, wl_machine_row(m, row), m->wave_size * sizeof *values);
}

static const struct wl_step *run_vector_move(struct wl_machine *m, const struct wl_step *step) {
    const struct move *s = step->data;
    uint32_t values[MAX_LANES];
    if (s->from_register) {
        load_row(m, relative_row(m, s->from, from_index(m, s)), values);
    } else {
        const uint32_t value = (uint32_t)wl_scalar_read(m, &s->source);
        for (unsigned l = 0; l < MAX_LANES; l++)
            values[l] = value;
    }
    store_row(m, relative_row(m, s->to, to_index(m, s)), values);
    return step + 1;
}

static const struct wl_step *run_vector_swap(struct wl_machine *m, const struct wl_step *step) {
    const struct move *s = step->data;
    uint32_t a[MAX_LANES], b[MAX_LANES];
    const unsigned first = relative_row(m, s->to, to_index(m, s)), second = relative_row(m, s->from, from_index(m, s));
    load_row(m, first, a);
    load_row(m, second, b);
    store_row(m, first, b);
    store_row(m, second, a);
    return step + 1;
}

static const struct wl_step *run_scalar_move(struct wl_machine *m, const struct wl_step *step) {
    const struct move *s = step->data;
    const unsigned to = relative_scalar(s, s->to, to_index(m, s));
    uint64_t value;
    if (!s->from_register)
        value = wl_scalar_read(m, &s->source);
    else if (s->count == 2)
        value = wl_machine_sgpr64(m, relative_scalar(s, s->from, from_index(m, s)));
    else
        value = m->sgpr[relative_scalar(s, s->from, from_index(m, s))];
    m->sgpr[to] = (uint32_t)value;
    if (s->count == 2)
        m->sgpr[to + 1] = (uint32_t)(value >> 32);
    return step + 1;
}

/* s_set_gpr_idx_on, _idx, _mode: M0[7:0] is the index, M0[15:12] the mode. */
static const struct wl_step *run_set_index(struct wl_machine *m, const struct wl_step *step) {
    const struct move *s = step->data;
    uint32_t m0 = (m->sgpr[WL_SGPR_M0] & s->kept) | s->placed;
    if (s->places_index)
        m0 |= (uint32_t)wl_scalar_read(m, &s->source) & GFX9_INDEX;
    m->sgpr[WL_SGPR_M0] = m0;
    return step + 1;
}

static bool plan_set_index(struct move *s, const struct wl_inst *inst) {
    enum { MODE = 15, MODE_SHIFT = 12 };
    const struct wl_operand *op = inst->operands, *mode = &op[inst->isa->detail == WL_MOVREL_INDEX_ON ? 1 : 0];
    s->places_index = inst->isa->detail != WL_MOVREL_INDEX_MODE;
    s->kept = s->places_index ? ~(uint32_t)GFX9_INDEX : UINT32_MAX;
    if (inst->isa->detail != WL_MOVREL_INDEX_SET) {
        s->kept &= ~((uint32_t)MODE << MODE_SHIFT);
        s->placed = ((uint32_t)mode->bits & MODE) << MODE_SHIFT;
    }
    return !s->places_index || wl_scalar_plan(&s->source, &op[0], WL_U32);
}

/* Which of M0's bits are the indices. */
static void plan_indices(struct move *s, unsigned detail, unsigned generation) {
    const bool vector = detail <= WL_MOVREL_VGPR_SWAP;
    const uint32_t whole = vector && generation == 9 ? GFX9_INDEX : UINT32_MAX;
    switch (detail) {
    case WL_MOVREL_VGPR_TO:
    case WL_MOVREL_SGPR_TO:
        s->to_mask = whole;
        break;
    case WL_MOVREL_VGPR_FROM:
    case WL_MOVREL_SGPR_FROM:
        s->from_mask = whole;
        break;
    case WL_MOVREL_VGPR_BOTH:
        s->to_mask = s->from_mask = whole;
        break;
    default:
        s->to_mask = s->from_mask = INDEX;
        s->to_shift = 16;
        break;
    }
}

/* ---- any instruction with relative operands: it works on copies, in registers that it does not name, which are put back ---- */

struct copies {
    struct move indices;
    struct wl_step inner; /* the instruction, on the copies */
    uint32_t count;
    struct {
        uint16_t row, relative;
        bool result;
    } copies[MAX_COPIES];
};

static const struct wl_step *run_on_copies(struct wl_machine *m, const struct wl_step *step) {
    const struct copies *c = step->data;
    const uint32_t to = to_index(m, &c->indices), from = from_index(m, &c->indices);
    uint32_t saved[MAX_COPIES][MAX_LANES], results[MAX_COPIES][MAX_LANES], values[MAX_LANES];
    for (uint32_t i = 0; i < c->count; i++) {
        load_row(m, c->copies[i].row, saved[i]);
        load_row(m, relative_row(m, c->copies[i].relative, c->copies[i].result ? to : from), values);
        memcpy(wl_machine_row(m, c->copies[i].row), values, m->wave_size * sizeof *values);
    }
    c->inner.run(m, &c->inner);
    for (uint32_t i = 0; i < c->count; i++)
        load_row(m, c->copies[i].row, results[i]);
    for (uint32_t i = 0; i < c->count; i++)
        memcpy(wl_machine_row(m, c->copies[i].row), saved[i], m->wave_size * sizeof *saved[i]);
    for (uint32_t i = 0; i < c->count; i++) /* behind these: a result may belong where a copy was */
        if (c->copies[i].result)
            memcpy(wl_machine_row(m, relative_row(m, c->copies[i].relative, to)), results[i], m->wave_size * sizeof *results[i]);
    return step + 1;
}

/* Lets an operand name registers that will hold what the relative ones do. Returns where to look for the next ones. */
static unsigned copy_operand(struct copies *c, const struct wl_inst *inst, struct wl_operand *operand, bool result, unsigned next) {
    const unsigned row = wl_relative_copy(inst, operand->count, next);
    for (unsigned i = 0; i < operand->count; i++) {
        c->copies[c->count].row = (uint16_t)(row + i);
        c->copies[c->count].relative = (uint16_t)(operand->reg + i);
        c->copies[c->count++].result = result;
    }
    operand->reg = (uint16_t)row;
    return row;
}

/* `mode`: WL_INDEX_* of the operands that are relative. */
static bool add_on_copies(struct wl_steps_builder *b, struct copies *c, const struct wl_inst *inst, unsigned mode) {
    struct wl_inst copy = *inst;
    unsigned next = WL_AGPR;
    bool result;
    copy.index_mode = 0;
    for (unsigned i = 0; i < copy.operand_count; i++)
        if (wl_relative_operand(inst, mode, i, &result))
            next = copy_operand(c, inst, &copy.operands[i], result, next);
    const uint32_t before = b->step_count;
    if (!wl_steps_instruction(b, &copy) || b->status || b->step_count != before + 1)
        return false;
    c->inner = b->steps->code[--b->step_count];
    wl_steps_add(b, run_on_copies, c);
    return true;
}

bool wl_steps_relative(struct wl_steps_builder *b, const struct wl_inst *inst) {
    struct copies *c = wl_steps_allocate(b, sizeof *c);
    if (!c)
        return false;
    c->indices.to_mask = c->indices.from_mask = GFX9_INDEX;
    return add_on_copies(b, c, inst, inst->index_mode);
}

/* v_movrel with DPP or SDWA: a move on copies. */
static bool add_modified(struct wl_steps_builder *b, const struct wl_inst *inst) {
    struct wl_inst move;
    struct copies *c = wl_steps_allocate(b, sizeof *c);
    if (!c)
        return false;
    plan_indices(&c->indices, inst->isa->detail, b->generation);
    const unsigned mode = wl_relative_move(&move, inst);
    return add_on_copies(b, c, &move, mode);
}

static wl_step_fn *plan_move(const struct wl_steps_builder *b, struct move *s, const struct wl_inst *inst) {
    const struct wl_operand *op = inst->operands;
    const unsigned detail = inst->isa->detail;
    const bool vector = detail <= WL_MOVREL_VGPR_SWAP;
    if (detail >= WL_MOVREL_INDEX_ON)
        return plan_set_index(s, inst) ? run_set_index : NULL;
    plan_indices(s, detail, b->generation);
    s->to = op[0].reg;
    s->from = op[1].reg;
    s->count = op[0].count;
    s->from_register = op[1].kind == (vector ? WL_OPERAND_VGPR : WL_OPERAND_SGPR);
    if (!s->from_register && !wl_scalar_plan(&s->source, &op[1], !vector && s->count == 2 ? WL_U64 : WL_U32))
        return NULL;
    if (detail == WL_MOVREL_VGPR_SWAP)
        return s->from_register ? run_vector_swap : NULL;
    return vector ? run_vector_move : run_scalar_move;
}

bool wl_steps_indexed(struct wl_steps_builder *b, const struct wl_inst *inst) {
    if (!inst->isa || inst->isa->class != WL_ISA_MOVREL)
        return false;
    if (inst->isa->detail == WL_MOVREL_INDEX_OFF)
        return true;
    if ((inst->is_dpp || inst->is_sdwa) && inst->isa->detail <= WL_MOVREL_VGPR_BOTH_2)
        return add_modified(b, inst);
    struct move *s = wl_steps_allocate(b, sizeof *s);
    wl_step_fn *run = s ? plan_move(b, s, inst) : NULL;
    if (run)
        wl_steps_add(b, run, s);
    return run;
}
