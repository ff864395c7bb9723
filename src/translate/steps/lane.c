/* Moves between lanes, as steps. A row of isa/lane_rows.inc names an instruction's. */
#include "translate/steps/steps.h"

#include "machine/helpers.h"
#include "translate/isa/lane.h"

enum { MAX_LANES = 64 };

struct lane {
    uint32_t fault;
    uint8_t detail;
    uint16_t to, from, third; /* rows */
    uint16_t helper;
    bool crosses;
    uint32_t offset, bits, atomic, kind;
    bool from_row, third_row, has_address, fetch_inactive, bound_control, dpp, bound_ctrl;
    uint8_t dpp_kind, row_mask, bank_mask;
    uint32_t dpp_control;
    struct wl_scalar first, second;      /* scalar operands in the order of the text */
    const struct wl_sanitize_site *site; /* of what a helper accesses; NULL: no sanitizer asks */
};

struct exchange {
    struct wl_exchange facts; /* without the rows */
    uint16_t to[2], source[2];
};

static unsigned first_active(const struct wl_machine *m) {
    uint64_t exec = wl_machine_exec(m);
    return exec ? (unsigned)__builtin_ctzll(exec) & (m->wave_size - 1) : 0;
}

static const struct wl_step *run_read_first(struct wl_machine *m, const struct wl_step *step) {
    const struct lane *s = step->data;
    m->sgpr[s->to] = s->from_row ? wl_machine_row(m, s->from)[first_active(m)] : (uint32_t)wl_scalar_read(m, &s->first);
    return step + 1;
}

static const struct wl_step *run_read_lane(struct wl_machine *m, const struct wl_step *step) {
    const struct lane *s = step->data;
    unsigned lane = (unsigned)wl_scalar_read(m, &s->second) & (m->wave_size - 1);
    m->sgpr[s->to] = s->from_row ? wl_machine_row(m, s->from)[lane] : (uint32_t)wl_scalar_read(m, &s->first);
    return step + 1;
}

static const struct wl_step *run_write_lane(struct wl_machine *m, const struct wl_step *step) {
    const struct lane *s = step->data;
    wl_machine_row(m, s->to)[wl_scalar_read(m, &s->second) & (m->wave_size - 1)] = (uint32_t)wl_scalar_read(m, &s->first);
    return step + 1;
}

/* Before a helper that accesses memory. */
static void leave_place(const struct wl_machine *m, const struct lane *s) {
    m->wave->fault_pc = s->fault;
    if (s->site)
        m->wave->pc = (uint64_t)(uintptr_t)s->site;
}

/* The row's helper, on whole registers. */
static const struct wl_step *run_rows(struct wl_machine *m, const struct wl_step *step) {
    typedef void rows_fn(struct wl_wave * wave, uint32_t *to, const uint32_t *from, const uint32_t *third, uint32_t offset);
    const struct lane *s = step->data;
    rows_fn *helper;
    memcpy(&helper, (const char *)m->wave->helpers + s->helper, sizeof helper);
    leave_place(m, s);
    helper(m->wave, wl_machine_row(m, s->to), wl_machine_row(m, s->from), wl_machine_row(m, s->third), s->offset);
    return step + 1;
}

void wl_steps_bpermute_fi(const struct wl_machine *m, uint32_t *to, const uint32_t *address, const uint32_t *from, uint32_t offset) {
    const uint64_t exec = wl_machine_exec(m);
    uint32_t copy[MAX_LANES];
    memcpy(copy, from, m->wave_size * sizeof *copy);
    for (unsigned l = 0; l < m->wave_size; l++) {
        const unsigned source = (address[l] + offset) / 4 & (m->wave_size - 1); /* `to` may be `address` */
        if (exec >> l & 1)
            to[l] = copy[source];
    }
}

static const struct wl_step *run_bpermute_fi(struct wl_machine *m, const struct wl_step *step) {
    const struct lane *s = step->data;
    wl_steps_bpermute_fi(m, wl_machine_row(m, s->to), wl_machine_row(m, s->from), wl_machine_row(m, s->third), s->offset);
    return step + 1;
}

static const struct wl_step *run_swizzle(struct wl_machine *m, const struct wl_step *step) {
    const struct lane *s = step->data;
    m->wave->helpers->ds_swizzle(m->wave, wl_machine_row(m, s->to), wl_machine_row(m, s->from), s->offset);
    return step + 1;
}

static const struct wl_step *run_permlane16(struct wl_machine *m, const struct wl_step *step) {
    const struct lane *s = step->data;
    const struct wl_helpers *h = m->wave->helpers;
    uint32_t low = (uint32_t)wl_scalar_read(m, &s->first), high = (uint32_t)wl_scalar_read(m, &s->second);
    (s->crosses ? h->permlanex16 : h->permlane16)(m->wave, wl_machine_row(m, s->to), wl_machine_row(m, s->from), low, high,
                                                  s->fetch_inactive, s->bound_control);
    return step + 1;
}

static const struct wl_step *run_src2(struct wl_machine *m, const struct wl_step *step) {
    const struct lane *s = step->data;
    leave_place(m, s);
    m->wave->helpers->ds_src2(m->wave, wl_machine_row(m, s->to), s->offset, s->bits, s->atomic);
    return step + 1;
}

static const struct wl_step *run_arrive(struct wl_machine *m, const struct wl_step *step) {
    const struct lane *s = step->data;
    leave_place(m, s);
    m->wave->helpers->ds_arrive(m->wave, NULL, wl_machine_row(m, s->to), NULL, s->offset);
    return step + 1;
}

static const struct wl_step *run_lds_transposed(struct wl_machine *m, const struct wl_step *step) {
    const struct lane *s = step->data;
    leave_place(m, s);
    m->wave->helpers->ds_transposed(m->wave, wl_machine_row(m, s->to), wl_machine_row(m, s->from), s->offset, s->bits);
    return step + 1;
}

/* v_permlane16_var, v_permlanex16_var: each lane's source within its row, or the row beside it, is a lane of a vector. */
static const struct wl_step *run_permlane16_var(struct wl_machine *m, const struct wl_step *step) {
    const struct lane *s = step->data;
    uint64_t exec = wl_machine_exec(m);
    uint32_t from[MAX_LANES], picks[MAX_LANES], *to = wl_machine_row(m, s->to);
    unsigned flip = s->crosses ? 16 : 0;
    memcpy(from, wl_machine_row(m, s->from), m->wave_size * sizeof *from);
    memcpy(picks, wl_machine_row(m, s->third), m->wave_size * sizeof *picks);
    for (unsigned l = 0; l < m->wave_size; l++) {
        unsigned source = ((l & ~15u) ^ flip) | (picks[l] & 15);
        if (!(exec >> l & 1))
            continue;
        if (s->fetch_inactive || exec >> source & 1)
            to[l] = from[source];
        else if (s->bound_control)
            to[l] = 0;
    }
    return step + 1;
}

static const struct wl_step *run_exchange(struct wl_machine *m, const struct wl_step *step) {
    const struct exchange *s = step->data;
    struct wl_exchange exchange = s->facts;
    for (unsigned i = 0; i < 2; i++) {
        exchange.to[i] = wl_machine_row(m, s->to[i]);
        exchange.source[i] = wl_machine_row(m, s->source[i]);
    }
    m->wave->helpers->exchange(m->wave, &exchange);
    return step + 1;
}

/* v_mbcnt: set bits of a mask below this lane, in the wave's lower or upper 32 lanes, plus an addend. */
static const struct wl_step *run_mbcnt(struct wl_machine *m, const struct wl_step *step) {
    const struct lane *s = step->data;
    uint64_t exec = wl_machine_exec(m), enabled = exec;
    uint32_t mask[MAX_LANES] = {0}, unused[MAX_LANES], *to = wl_machine_row(m, s->to);
    const uint32_t *from = wl_machine_row(m, s->from), *addend = wl_machine_row(m, s->third);
    uint32_t scalar = s->from_row ? 0 : (uint32_t)wl_scalar_read(m, &s->first);
    uint32_t more = s->third_row ? 0 : (uint32_t)wl_scalar_read(m, &s->second);
    if (s->dpp) {
        m->wave->helpers->dpp(m->wave, mask, from, s->dpp_kind, s->dpp_control, 0xf, 0xf, 1, s->fetch_inactive);
        if (s->dpp_kind != WL_DPP_DPP8)
            enabled = m->wave->helpers->dpp(m->wave, unused, from, s->dpp_kind, s->dpp_control, s->row_mask, s->bank_mask, s->bound_ctrl,
                                            s->fetch_inactive);
        from = mask;
    }
    for (unsigned l = 0; l < m->wave_size; l++) {
        if (!(exec & enabled) || !((exec & enabled) >> l & 1))
            continue;
        uint32_t low_bits = (UINT32_C(1) << (l & 31)) - 1;
        uint32_t below = s->detail == WL_LANE_MBCNT_HI ? (l >= 32 ? low_bits : 0) : l >= 32 ? UINT32_MAX : low_bits;
        to[l] = (uint32_t)__builtin_popcount((s->from_row ? from[l] : scalar) & below) + (s->third_row ? addend[l] : more);
    }
    return step + 1;
}

static void set_all(const struct wl_machine *m, unsigned row, uint32_t value) {
    uint64_t exec = wl_machine_exec(m);
    uint32_t *to = wl_machine_row(m, row);
    for (unsigned l = 0; l < m->wave_size; l++)
        to[l] = exec >> l & 1 ? value : to[l];
}

static uint8_t *lds_at_m0(const struct wl_machine *m, const struct lane *s) {
    return m->wave->lds + (uint32_t)((m->sgpr[WL_SGPR_M0] & 0xffff) + s->offset);
}

static const struct wl_step *run_append(struct wl_machine *m, const struct wl_step *step) {
    const struct lane *s = step->data;
    uint32_t old, now, count = (uint32_t)__builtin_popcountll(wl_machine_exec(m));
    uint8_t *at = lds_at_m0(m, s);
    m->wave->fault_pc = s->fault;
    memcpy(&old, at, sizeof old);
    now = s->detail == WL_LANE_APPEND ? old + count : old - count;
    memcpy(at, &now, sizeof now);
    set_all(m, s->to, old);
    return step + 1;
}

static const struct wl_step *run_lds_direct(struct wl_machine *m, const struct wl_step *step) {
    const struct lane *s = step->data;
    m->wave->fault_pc = s->fault;
    set_all(m, s->to, wl_machine_lds_direct(m));
    return step + 1;
}

static const struct wl_step *run_by_lane(struct wl_machine *m, const struct wl_step *step) {
    const struct lane *s = step->data;
    uint64_t exec = wl_machine_exec(m);
    uint8_t *lds = lds_at_m0(m, s);
    uint32_t *row = wl_machine_row(m, s->to);
    m->wave->fault_pc = s->fault;
    for (unsigned l = 0; l < m->wave_size; l++) {
        if (!(exec >> l & 1))
            continue;
        if (s->detail == WL_LANE_ADDTID_LOAD)
            memcpy(row + l, lds + (size_t)l * 4, 4);
        else
            memcpy(lds + (size_t)l * 4, row + l, 4);
    }
    return step + 1;
}

static uint64_t block_base(const struct wl_machine *m, const struct lane *s) {
    return wl_scalar_read(m, &s->first) + (uint64_t)(int64_t)(int32_t)s->offset;
}

static const struct wl_step *run_transposed(struct wl_machine *m, const struct wl_step *step) {
    const struct lane *s = step->data;
    const uint32_t *address = s->has_address ? wl_machine_row(m, s->from) : NULL;
    leave_place(m, s);
    m->wave->helpers->load_transposed(m->wave, wl_machine_row(m, s->to), address, block_base(m, s), s->kind);
    return step + 1;
}

/* The row of LDS addresses is `to`, whichever way the copy goes. */
static const struct wl_step *run_copy(struct wl_machine *m, const struct wl_step *step) {
    const struct lane *s = step->data;
    const uint32_t *address = s->has_address ? wl_machine_row(m, s->from) : NULL;
    leave_place(m, s);
    m->wave->helpers->copy_lds(m->wave, wl_machine_row(m, s->to), address, block_base(m, s), s->offset, s->kind);
    return step + 1;
}

static const struct wl_step *run_permlane(struct wl_machine *m, const struct wl_step *step) {
    const struct lane *s = step->data;
    const uint32_t select = (uint32_t)wl_scalar_read(m, &s->first);
    const uint32_t width = s->detail == WL_LANE_PERMLANE_INDEX ? select : (uint32_t)wl_scalar_read(m, &s->second);
    m->wave->helpers->permlane(m->wave, wl_machine_row(m, s->to), wl_machine_row(m, s->from), select, width,
                               (uint32_t)s->detail - WL_LANE_PERMLANE_BCAST);
    return step + 1;
}

static const struct wl_step *run_block(struct wl_machine *m, const struct wl_step *step) {
    const struct lane *s = step->data;
    const uint32_t *address = s->has_address ? wl_machine_row(m, s->from) : NULL;
    leave_place(m, s);
    m->wave->helpers->block(m->wave, wl_machine_row(m, s->to), address, block_base(m, s), s->kind, m->sgpr[WL_SGPR_M0]);
    return step + 1;
}

/* ---- building ---- */

static bool plan_scalars(struct lane *s, const struct wl_inst *inst, unsigned first) {
    const struct wl_operand *op = inst->operands;
    return (first >= inst->operand_count || op[first].kind == WL_OPERAND_VGPR || wl_scalar_plan(&s->first, &op[first], WL_U32)) &&
           (first + 1 >= inst->operand_count || op[first + 1].kind == WL_OPERAND_VGPR ||
            wl_scalar_plan(&s->second, &op[first + 1], WL_U32));
}

static bool plan_block(struct lane *s, const struct wl_inst *inst, uint32_t wave_size) {
    const struct wl_operand *op = inst->operands, *scalar = &op[2];
    static const struct wl_operand off = {.kind = WL_OPERAND_OFF};
    const bool store = wl_lane_of(inst)->stores;
    const struct wl_operand *data = &op[store ? 1 : 0], *address = &op[store ? 0 : 1];
    if (s->detail == WL_LANE_LOAD_TRANSPOSED && wave_size != 32)
        return false;
    s->to = data->reg;
    s->from = address->reg;
    s->has_address = address->kind == WL_OPERAND_VGPR;
    s->kind = wl_lane_reach(inst);
    return wl_scalar_plan(&s->first, scalar->kind == WL_OPERAND_SGPR ? scalar : &off, WL_U64);
}

static wl_step_fn *const steps[WL_LANE_COUNT] = {
#define LANE(MNEMONIC, OPERATION, EMIT, STEP, ...) [WL_LANE_##OPERATION] = STEP,
#define LANE_KIND(OPERATION, EMIT, STEP, ...)      [WL_LANE_##OPERATION] = STEP,
#include "translate/isa/lane_rows.inc"
};

static bool add_exchange(struct wl_steps_builder *b, const struct wl_inst *inst) {
    const struct wl_lane *lane = wl_lane_of(inst);
    const struct wl_operand *op = inst->operands;
    struct exchange *s = wl_steps_allocate(b, sizeof *s);
    if (!s || op[1].kind != WL_OPERAND_VGPR)
        return false;
    s->facts.results = lane->results;
    s->facts.sources = (uint8_t)wl_lane_exchanged(lane);
    s->facts.fetch_inactive = lane->from_inactive || inst->op_sel & 1;
    s->facts.bound_control = inst->op_sel & 2;
    for (unsigned i = 0; i < 2; i++) {
        s->to[i] = op[i].reg;
        s->source[i] = op[(wl_lane_first_exchanged(lane) + i) % 2].reg;
    }
    for (unsigned r = 0; r < lane->results; r++)
        for (unsigned l = 0; l < b->wave_size; l++)
            s->facts.from[r][l] = (uint8_t)lane->exchange(r, l, b->wave_size);
    wl_steps_add(b, steps[inst->isa->detail], s);
    return true;
}

static bool plan_lane(const struct wl_steps_builder *b, struct lane *s, const struct wl_inst *inst) {
    const struct wl_lane *lane = wl_lane_of(inst);
    if (lane->needs_row && !s->from_row)
        return false;
    if (lane->is_block)
        return plan_block(s, inst, b->wave_size);
    return !lane->scalars || plan_scalars(s, inst, lane->scalars);
}

static struct lane *make_lane(struct wl_steps_builder *b, const struct wl_inst *inst) {
    const struct wl_operand *op = inst->operands;
    struct lane *s = wl_steps_allocate(b, sizeof *s);
    if (s)
        *s = (struct lane){.fault = wl_steps_place(b, inst),
                           .detail = inst->isa->detail,
                           .to = op[0].reg,
                           .from = op[1].reg,
                           .third = op[2].reg,
                           .offset = (uint32_t)inst->offset0,
                           .bits = inst->isa->bits,
                           .atomic = inst->isa->atomic,
                           .helper = wl_lane_of(inst)->helper,
                           .crosses = wl_lane_of(inst)->crosses,
                           .from_row = op[1].kind == WL_OPERAND_VGPR,
                           .third_row = op[2].kind == WL_OPERAND_VGPR,
                           .fetch_inactive = inst->is_dpp ? inst->fetch_inactive : inst->op_sel & 1,
                           .bound_control = inst->op_sel >> 1 & 1,
                           .dpp = inst->is_dpp,
                           .bound_ctrl = inst->bound_ctrl,
                           .dpp_kind = inst->dpp,
                           .dpp_control = inst->dpp_control,
                           .row_mask = inst->row_mask,
                           .bank_mask = inst->bank_mask,
                           .site = wl_lane_accesses(inst) ? wl_steps_site(b, inst, 0) : NULL};
    return s;
}

static bool add_lane(struct wl_steps_builder *b, const struct wl_inst *inst) {
    struct lane *s = make_lane(b, inst);
    if (!s || !plan_lane(b, s, inst))
        return false;
    wl_steps_add(b, steps[inst->isa->detail], s);
    return true;
}

bool wl_steps_lane(struct wl_steps_builder *b, const struct wl_inst *inst) {
    if (!inst->isa || inst->isa->class != WL_ISA_LANE)
        return false;
    if (!(wl_lane_of(inst)->exchange ? add_exchange(b, inst) : add_lane(b, inst)))
        wl_steps_refuse(b, inst);
    return true;
}
