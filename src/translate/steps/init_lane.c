/* initcheck: moves between lanes, products of matrices, registers that are chosen at run time. */
#include "translate/steps/init.h"

#include "machine/helpers.h"
#include "translate/isa/lane.h"
#include "translate/isa/relative.h"

/* ---- lanes ----------------------------------------------------------------------------------- */

struct lane {
    struct wl_init_facts facts;
    uint8_t detail;
    bool from_row, crosses, fetch_inactive, bound_control;
    uint16_t to, from, third;
    uint32_t offset;
    struct wl_scalar first, second;
};

static unsigned first_active(const struct wl_machine *m) {
    const uint64_t exec = wl_machine_exec(m);
    return exec ? (unsigned)__builtin_ctzll(exec) & (m->wave_size - 1) : 0;
}

/* v_readfirstlane, v_readlane. */
static const struct wl_step *run_read(struct wl_machine *m, const struct wl_step *step) {
    const struct lane *s = step->data;
    struct wl_undefined *u = m->undefined;
    uint64_t origin = 0, from = 0;
    if (!u)
        return step + 1;
    const bool first = s->detail == WL_LANE_READFIRSTLANE;
    const unsigned lane = first ? first_active(m) : (unsigned)wl_scalar_read(m, &s->second) & (m->wave_size - 1);
    uint32_t bits;
    if (s->from_row) {
        bits = wl_undefined_bits(u, s->from, lane);
        origin = bits ? wl_undefined_origin(u, s->from, lane) : 0;
    } else {
        bits = (uint32_t)wl_init_scalar(m, &s->first, &origin);
    }
    if (!first && wl_init_scalar(m, &s->second, &from)) {
        bits = UINT32_MAX;
        origin = from;
    }
    wl_init_set_scalar(m, s->facts.code, s->to, bits, origin);
    return step + 1;
}

static const struct wl_step *run_write(struct wl_machine *m, const struct wl_step *step) {
    const struct lane *s = step->data;
    uint64_t origin = 0;
    if (!m->undefined)
        return step + 1;
    const unsigned lane = (unsigned)wl_scalar_read(m, &s->second) & (m->wave_size - 1);
    const uint32_t bits = (uint32_t)wl_init_scalar(m, &s->first, &origin);
    wl_undefined_set(m->undefined, s->to, lane, bits, origin);
    return step + 1;
}

/* Moves of whole rows: the helper moves undefined bits as it moves values. */
static const struct wl_step *run_move(struct wl_machine *m, const struct wl_step *step) {
    const struct lane *s = step->data;
    const struct wl_helpers *h = m->wave->helpers;
    struct wl_undefined *u = m->undefined;
    const uint64_t exec = wl_machine_exec(m);
    uint32_t from[WL_INIT_LANES], to[WL_INIT_LANES];
    uint64_t origins[WL_INIT_LANES];
    if (!u || wl_init_is_clean(u, &s->facts, exec))
        return step + 1;
    const bool by_address = s->detail == WL_LANE_BPERMUTE || s->detail == WL_LANE_BPERMUTE_FI || s->detail == WL_LANE_PERMUTE;
    wl_init_origins(u, &s->facts, origins);
    wl_init_row(u, s->to, to);
    wl_init_row(u, by_address ? s->third : s->from, from);
    if (s->detail == WL_LANE_BPERMUTE)
        h->ds_bpermute(m->wave, to, wl_machine_row(m, s->from), from, s->offset);
    else if (s->detail == WL_LANE_BPERMUTE_FI)
        wl_steps_bpermute_fi(m, to, wl_machine_row(m, s->from), from, s->offset);
    else if (s->detail == WL_LANE_PERMUTE)
        h->ds_permute(m->wave, to, wl_machine_row(m, s->from), from, s->offset);
    else if (s->detail == WL_LANE_SWIZZLE)
        h->ds_swizzle(m->wave, to, from, s->offset);
    else
        (s->crosses ? h->permlanex16 : h->permlane16)(m->wave, to, from, (uint32_t)wl_scalar_read(m, &s->first),
                                                      (uint32_t)wl_scalar_read(m, &s->second), s->fetch_inactive, s->bound_control);
    const uint64_t lost = by_address ? u->lanes[s->from] : 0;
    for (uint64_t left = exec; left; left &= left - 1) {
        const unsigned l = (unsigned)__builtin_ctzll(left);
        wl_undefined_set(u, s->to, l, lost >> l & 1 ? UINT32_MAX : to[l], origins[l] ? origins[l] : origins[0]);
    }
    return step + 1;
}

static wl_step_fn *plan_lane(struct lane *s, const struct wl_inst *inst) {
    static const struct wl_operand none = {.kind = WL_OPERAND_OFF};
    const struct wl_operand *op = inst->operands;
    const unsigned scalars = wl_lane_of(inst)->scalars;
    for (unsigned i = 0; i < 2; i++) {
        const struct wl_operand *operand = scalars && scalars + i < inst->operand_count ? &op[scalars + i] : &none;
        if (operand->kind != WL_OPERAND_VGPR)
            (void)wl_scalar_plan(i ? &s->second : &s->first, operand, WL_U32);
    }
    s->detail = inst->isa->detail;
    s->from_row = op[1].kind == WL_OPERAND_VGPR;
    s->to = op[0].reg;
    s->from = op[1].reg;
    s->third = op[2].reg;
    s->offset = (uint32_t)inst->offset0;
    s->crosses = wl_lane_of(inst)->crosses;
    s->fetch_inactive = inst->is_dpp ? inst->fetch_inactive : inst->op_sel & 1;
    s->bound_control = inst->op_sel >> 1 & 1;
    switch (inst->isa->detail) {
    case WL_LANE_READFIRSTLANE:
    case WL_LANE_READLANE:
        return run_read;
    case WL_LANE_WRITELANE:
        return run_write;
    case WL_LANE_BPERMUTE:
    case WL_LANE_BPERMUTE_FI:
    case WL_LANE_PERMUTE:
    case WL_LANE_SWIZZLE:
    case WL_LANE_PERMLANE16:
    case WL_LANE_PERMLANEX16:
        return run_move;
    default:
        return NULL;
    }
}

/* ---- matrices -------------------------------------------------------------------------------- */

struct matrix {
    uint16_t d, c, d_count, c_count, factor_count;
    const uint16_t *factors; /* rows */
    uint64_t code;
};

/* An element of the sum is as undefined as the addend's; with a factor's, all are. */
static const struct wl_step *run_matrix(struct wl_machine *m, const struct wl_step *step) {
    const struct matrix *s = step->data;
    struct wl_undefined *u = m->undefined;
    uint64_t origin = 0, all = m->wave_size == 64 ? UINT64_MAX : UINT32_MAX;
    if (!u)
        return step + 1;
    for (unsigned i = 0; i < s->factor_count && !origin; i++)
        if (u->lanes[s->factors[i]])
            origin = wl_undefined_origin(u, s->factors[i], (unsigned)__builtin_ctzll(u->lanes[s->factors[i]]));
    for (unsigned i = 0; i < s->d_count; i++) {
        const unsigned from = s->c + i, row = s->d + i;
        const uint64_t open = origin ? all : i < s->c_count ? u->lanes[from] : 0;
        if (!open && !u->lanes[row])
            continue;
        for (unsigned l = 0; l < m->wave_size; l++) {
            const bool is_open = open >> l & 1;
            wl_undefined_set(u, row, l, is_open ? UINT32_MAX : 0, origin ? origin : is_open ? wl_undefined_origin(u, from, l) : 0);
        }
    }
    return step + 1;
}

static bool add_matrix(struct wl_steps_builder *b, const struct wl_inst *inst, uint32_t before) {
    const struct wl_operand *op = inst->operands;
    struct matrix *s = wl_steps_allocate(b, sizeof *s);
    unsigned total = op[1].count + op[2].count;
    for (unsigned i = 4; i < inst->operand_count; i++)
        total += op[i].count;
    uint16_t *factors = wl_steps_allocate(b, (total + 1) * sizeof *factors);
    if (!s || !factors)
        return true;
    for (unsigned i = 1; i < inst->operand_count; i++)
        for (unsigned d = 0; i != 3 && op[i].kind == WL_OPERAND_VGPR && d < op[i].count; d++)
            factors[s->factor_count++] = (uint16_t)(op[i].reg + d);
    s->factors = factors;
    s->d = op[0].reg;
    s->d_count = op[0].count;
    s->c = op[3].reg;
    s->c_count = op[3].kind == WL_OPERAND_VGPR ? op[3].count : 0;
    s->code = inst->address;
    wl_init_insert(b, before, run_matrix, s);
    return true;
}

/* ---- registers chosen at run time ------------------------------------------------------------ */

/* The results become as undefined as the sources together: most of these instructions are moves. */
struct relative {
    uint64_t code;
    uint8_t count, scalar_count;
    uint32_t to_mask, from_mask;
    uint8_t to_shift;
    uint16_t scalars[WL_MAX_OPERANDS];
    struct {
        uint16_t row;
        bool result, relative;
    } rows[4 * WL_MAX_OPERANDS];
};

static unsigned chosen(const struct wl_machine *m, unsigned row, uint32_t index) {
    const uint32_t rows = m->wave->vgprs < WL_AGPR ? m->wave->vgprs : WL_AGPR, sum = row + index;
    return sum >= rows ? row : sum;
}

static const struct wl_step *run_relative(struct wl_machine *m, const struct wl_step *step) {
    const struct relative *s = step->data;
    struct wl_undefined *u = m->undefined;
    const uint32_t m0 = m->sgpr[WL_SGPR_M0], to = m0 >> s->to_shift & s->to_mask, from = m0 & s->from_mask;
    uint32_t bits[WL_INIT_LANES] = {0}, scalar = 0;
    uint64_t origins[WL_INIT_LANES] = {0}, scalar_origin = 0;
    if (!u)
        return step + 1;
    if (u->sgpr[WL_SGPR_M0] & (s->to_mask << s->to_shift | s->from_mask)) {
        wl_init_decides(m, s->code, WL_USE_ADDRESS, WL_INIT_WHOLE_WAVE, u->sgpr_origin[WL_SGPR_M0]);
        wl_undefined_set_scalar(u, WL_SGPR_M0, 0, 0);
    }
    for (unsigned i = 0; i < s->scalar_count; i++) {
        scalar |= u->sgpr[s->scalars[i]];
        scalar_origin = u->sgpr[s->scalars[i]] ? u->sgpr_origin[s->scalars[i]] : scalar_origin;
    }
    for (unsigned i = 0; i < s->count; i++) {
        const unsigned row = s->rows[i].relative ? chosen(m, s->rows[i].row, from) : s->rows[i].row;
        for (uint64_t left = s->rows[i].result ? 0 : u->lanes[row]; left; left &= left - 1) {
            const unsigned l = (unsigned)__builtin_ctzll(left);
            bits[l] |= wl_undefined_bits(u, row, l);
            origins[l] = wl_undefined_origin(u, row, l);
        }
    }
    for (unsigned i = 0; i < s->count; i++)
        for (uint64_t left = s->rows[i].result ? wl_machine_exec(m) : 0; left; left &= left - 1) {
            const unsigned l = (unsigned)__builtin_ctzll(left), row = s->rows[i].relative ? chosen(m, s->rows[i].row, to) : s->rows[i].row;
            wl_undefined_set(u, row, l, bits[l] | scalar, bits[l] ? origins[l] : scalar_origin);
        }
    return step + 1;
}

static void plan_indices(struct relative *s, unsigned detail, unsigned generation) {
    enum { INDEX = 0x3ff, GFX9_INDEX = 0xff };
    const uint32_t whole = generation == 9 ? GFX9_INDEX : UINT32_MAX;
    s->to_mask = detail == WL_MOVREL_VGPR_TO || detail == WL_MOVREL_VGPR_BOTH ? whole : 0;
    s->from_mask = detail == WL_MOVREL_VGPR_FROM || detail == WL_MOVREL_VGPR_BOTH ? whole : 0;
    if (detail == WL_MOVREL_VGPR_BOTH_2 || detail == WL_MOVREL_VGPR_SWAP) {
        s->to_mask = s->from_mask = INDEX;
        s->to_shift = 16;
    }
}

static void add_operand(struct relative *s, const struct wl_operand *operand, bool result, bool relative) {
    const unsigned most = sizeof s->rows / sizeof *s->rows;
    if (operand->kind == WL_OPERAND_SGPR && s->scalar_count < WL_MAX_OPERANDS)
        s->scalars[s->scalar_count++] = operand->reg;
    for (unsigned i = 0; operand->kind == WL_OPERAND_VGPR && i < operand->count && s->count < most; i++) {
        s->rows[s->count].row = (uint16_t)(operand->reg + i);
        s->rows[s->count].result = result;
        s->rows[s->count++].relative = relative;
    }
}

static bool add_relative(struct wl_steps_builder *b, const struct wl_inst *inst, uint32_t before) {
    const bool moves = inst->isa && inst->isa->class == WL_ISA_MOVREL;
    struct relative *s = wl_steps_allocate(b, sizeof *s);
    if (!s)
        return true;
    s->code = inst->address;
    if (moves)
        plan_indices(s, inst->isa->detail, b->generation);
    else
        s->to_mask = s->from_mask = 0xff;
    for (unsigned i = 0; i < inst->operand_count; i++) {
        bool result = i == 0, relative = moves ? (i ? s->from_mask != 0 : s->to_mask != 0) : false;
        if (!moves && wl_relative_operand(inst, inst->index_mode, i, &result))
            relative = true;
        add_operand(s, &inst->operands[i], result, relative);
    }
    wl_init_insert(b, before, run_relative, s);
    return true;
}

/* s_set_gpr_idx_*: parts of M0. */
struct set_index {
    struct wl_scalar source;
    uint32_t index, mode; /* the bits that it sets */
};

static const struct wl_step *run_set_index(struct wl_machine *m, const struct wl_step *step) {
    const struct set_index *s = step->data;
    struct wl_undefined *u = m->undefined;
    uint64_t origin = 0;
    if (!u)
        return step + 1;
    const uint32_t index = s->index ? (uint32_t)wl_init_scalar(m, &s->source, &origin) & s->index : 0;
    const uint32_t kept = u->sgpr[WL_SGPR_M0] & ~(s->index | s->mode);
    wl_undefined_set_scalar(u, WL_SGPR_M0, kept | index, index ? origin : u->sgpr_origin[WL_SGPR_M0]);
    return step + 1;
}

static bool add_set_index(struct wl_steps_builder *b, const struct wl_inst *inst, uint32_t before) {
    struct set_index *s = wl_steps_allocate(b, sizeof *s);
    if (!s)
        return true;
    s->index = inst->isa->detail == WL_MOVREL_INDEX_MODE ? 0 : 0xff;
    s->mode = inst->isa->detail == WL_MOVREL_INDEX_SET ? 0 : 0xf000;
    if (!s->index || wl_scalar_plan(&s->source, &inst->operands[0], WL_U32))
        wl_init_insert(b, before, run_set_index, s);
    return true;
}

/* Scalar registers chosen at run time are not followed: their results count as defined. */
static bool add_chosen(struct wl_steps_builder *b, const struct wl_inst *inst, uint32_t before) {
    if (inst->index_mode || (inst->isa->class == WL_ISA_MOVREL && inst->isa->detail <= WL_MOVREL_VGPR_SWAP))
        return add_relative(b, inst, before);
    if (inst->isa->class == WL_ISA_MOVREL && inst->isa->detail > WL_MOVREL_SGPR_BOTH_2)
        return inst->isa->detail == WL_MOVREL_INDEX_OFF || add_set_index(b, inst, before);
    return inst->isa->class == WL_ISA_MOVREL;
}

bool wl_init_lane(struct wl_steps_builder *b, const struct wl_inst *inst, uint32_t before) {
    if ((inst->index_mode || (inst->isa && inst->isa->class == WL_ISA_MOVREL)) && add_chosen(b, inst, before))
        return true;
    if (inst->isa && inst->isa->class == WL_ISA_MATRIX)
        return add_matrix(b, inst, before);
    if (!inst->isa || inst->isa->class != WL_ISA_LANE)
        return false;
    struct lane plan = {0};
    wl_step_fn *run = plan_lane(&plan, inst);
    if (!run)
        return false;
    struct lane *s = wl_steps_allocate(b, sizeof *s);
    if (s) {
        *s = plan;
        if (wl_init_facts_fill(b, &s->facts, inst))
            wl_init_insert(b, before, run, s);
    }
    return true;
}
