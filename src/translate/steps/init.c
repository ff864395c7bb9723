#include "translate/steps/init.h"

#include "machine/helpers.h"
#include "translate/isa/lane.h"

/* ---- building -------------------------------------------------------------------------------- */

void wl_init_insert(struct wl_steps_builder *b, uint32_t before, wl_step_fn *run, const void *data) {
    wl_steps_add(b, run, data);
    const struct wl_step step = b->steps->code[b->step_count - 1];
    for (uint32_t i = b->step_count - 1; i > before; i--)
        b->steps->code[i] = b->steps->code[i - 1];
    b->steps->code[before] = step;
}

static uint16_t *list_rows(struct wl_steps_builder *b, const uint64_t set[WL_ROW_WORDS], uint16_t *count) {
    unsigned total = 0;
    for (unsigned w = 0; w < WL_ROW_WORDS; w++)
        total += (unsigned)__builtin_popcountll(set[w]);
    uint16_t *rows = wl_steps_allocate(b, (total + 1) * sizeof *rows);
    *count = 0;
    for (unsigned w = 0; rows && w < WL_ROW_WORDS; w++)
        for (uint64_t left = set[w]; left; left &= left - 1)
            rows[(*count)++] = (uint16_t)(w * 64 + (unsigned)__builtin_ctzll(left));
    return rows;
}

static void add_effects(struct wl_effects *all, const struct wl_effects *more) {
    (void)wl_regs_add(&all->use, &more->use);
    (void)wl_regs_add(&all->touch, &more->touch);
    for (unsigned w = 0; w < WL_ROW_WORDS; w++)
        all->use_lanes[w] |= more->use_lanes[w];
}

bool wl_init_facts_fill(struct wl_steps_builder *b, struct wl_init_facts *f, const struct wl_inst *inst) {
    struct wl_effects e;
    uint64_t lanes = 0;
    wl_inst_effects(inst, b->wave_size, &e);
    if (inst->paired) {
        struct wl_effects second;
        wl_inst_effects(inst + 1, b->wave_size, &second);
        add_effects(&e, &second);
    }
    f->code = inst->address;
    for (unsigned w = 0; w < 2; w++) {
        f->reads[w] = e.use.scalar[w];
        f->writes[w] = e.touch.scalar[w];
    }
    wl_put_bits(f->reads, WL_SGPR_EXEC, 2, false);
    for (unsigned w = 0; w < WL_ROW_WORDS; w++)
        lanes |= e.use_lanes[w];
    f->crosses = lanes && !(inst->isa && inst->isa->class == WL_ISA_LANE && wl_lane_of(inst)->by_strip && !inst->is_dpp);
    f->sources = list_rows(b, e.use.vector, &f->source_count);
    f->results = list_rows(b, e.touch.vector, &f->result_count);
    return f->sources && f->results;
}

/* ---- in common ------------------------------------------------------------------------------- */

void wl_init_decides(const struct wl_machine *m, uint64_t code, enum wl_undefined_use use, unsigned lane, uint64_t origin) {
    m->wave->helpers->sanitize_decides(m->wave, code, use, lane, origin);
}

void wl_init_set_scalar(const struct wl_machine *m, uint64_t code, unsigned reg, uint32_t bits, uint64_t origin) {
    const bool is_exec = reg == WL_SGPR_EXEC || (reg == WL_SGPR_EXEC + 1 && m->wave_size == 64);
    if (is_exec && bits) {
        wl_init_decides(m, code, WL_USE_EXEC, (reg - WL_SGPR_EXEC) * 32 + (unsigned)__builtin_ctz(bits), origin);
        bits = 0;
    }
    if (reg < WL_SGPR_COUNT)
        wl_undefined_set_scalar(m->undefined, reg, bits, origin);
}

void wl_init_set_mask(const struct wl_machine *m, uint64_t code, unsigned reg, uint64_t bits, uint64_t origin) {
    wl_init_set_scalar(m, code, reg, (uint32_t)bits, origin);
    if (m->wave_size == 64)
        wl_init_set_scalar(m, code, reg + 1, (uint32_t)(bits >> 32), origin);
}

static uint64_t origin_of_pair(const struct wl_undefined *u, unsigned reg) {
    return u->sgpr[reg] ? u->sgpr_origin[reg] : u->sgpr_origin[reg + 1];
}

/* Whether it is not known if a mask is 0. */
static bool zero_is_open(const struct wl_machine *m, unsigned reg) {
    struct wl_machine shadow = *m;
    shadow.sgpr = m->undefined->sgpr;
    const uint64_t open = wl_machine_mask(&shadow, reg);
    return open && !(wl_machine_mask(m, reg) & ~open);
}

uint64_t wl_init_scalar(const struct wl_machine *m, const struct wl_scalar *s, uint64_t *origin) {
    const struct wl_undefined *u = m->undefined;
    struct wl_machine shadow = *m;
    shadow.sgpr = m->undefined->sgpr;
    switch ((enum wl_scalar_kind)s->kind) {
    case WL_SCALAR_SGPR:
    case WL_SCALAR_SGPR_HIGH:
        *origin = u->sgpr_origin[s->reg];
        return wl_scalar_read(&shadow, s);
    case WL_SCALAR_SGPR64:
        *origin = origin_of_pair(u, s->reg);
        return wl_scalar_read(&shadow, s);
    case WL_SCALAR_SCC:
        *origin = u->sgpr_origin[WL_SGPR_SCC];
        return wl_scalar_read(&shadow, s);
    case WL_SCALAR_VCCZ:
        *origin = origin_of_pair(u, WL_SGPR_VCC);
        return zero_is_open(m, WL_SGPR_VCC);
    default:
        return 0;
    }
}

void wl_init_row(const struct wl_undefined *u, unsigned row, uint32_t bits[WL_INIT_LANES]) {
    for (unsigned l = 0; l < u->wave_size; l++)
        bits[l] = wl_undefined_bits(u, row, l);
}

void wl_init_origins(const struct wl_undefined *u, const struct wl_init_facts *f, uint64_t origins[WL_INIT_LANES]) {
    uint64_t known = 0, some = 0;
    for (unsigned i = 0; i < f->source_count; i++) {
        const unsigned row = f->sources[i];
        for (uint64_t left = u->lanes[row] & ~known; left; left &= left - 1) {
            const unsigned l = (unsigned)__builtin_ctzll(left);
            origins[l] = wl_undefined_origin(u, row, l);
            some = some ? some : origins[l];
        }
        known |= u->lanes[row];
    }
    for (unsigned w = 0; w < 2; w++) {
        const uint64_t set = u->scalar[w] & f->reads[w];
        if (set)
            some = u->sgpr_origin[w * 64 + (unsigned)__builtin_ctzll(set)];
    }
    for (unsigned l = 0; l < WL_INIT_LANES; l++)
        if (!(known >> l & 1))
            origins[l] = some;
}

/* ---- branches -------------------------------------------------------------------------------- */

struct branch {
    uint64_t code;
    uint16_t reg, count; /* the registers that decide */
    int32_t link;        /* the pair that receives the place behind a call; -1: none */
    bool is_mask;        /* whether they are 0 */
};

static const struct wl_step *run_branch(struct wl_machine *m, const struct wl_step *step) {
    const struct branch *s = step->data;
    struct wl_undefined *u = m->undefined;
    uint32_t open = 0;
    if (!u)
        return step + 1;
    for (unsigned i = 0; i < s->count; i++)
        open |= u->sgpr[s->reg + i];
    if (open && (!s->is_mask || zero_is_open(m, s->reg))) {
        const uint64_t origin = s->count == 2 ? origin_of_pair(u, s->reg) : u->sgpr_origin[s->reg];
        wl_init_decides(m, s->code, WL_USE_BRANCH, WL_INIT_WHOLE_WAVE, origin);
        for (unsigned i = 0; i < s->count; i++)
            wl_undefined_set_scalar(u, s->reg + i, 0, 0);
    }
    for (unsigned i = 0; s->link >= 0 && i < 2; i++)
        wl_undefined_set_scalar(u, (unsigned)s->link + i, 0, 0);
    return step + 1;
}

static bool add_branch(struct wl_steps_builder *b, const struct wl_inst *inst, uint32_t before) {
    struct branch s = {.code = inst->address, .count = 2, .link = -1};
    switch (inst->isa->class) {
    case WL_ISA_CBRANCH:
        if (inst->isa->detail >= WL_IF_EXECZ)
            return true;
        s.is_mask = inst->isa->detail >= WL_IF_VCCZ;
        s.reg = s.is_mask ? WL_SGPR_VCC : WL_SGPR_SCC;
        s.count = s.is_mask ? (uint16_t)(b->wave_size / 32) : 1;
        break;
    case WL_ISA_SETPC:
        s.reg = inst->operands[0].reg;
        break;
    case WL_ISA_SWAPPC:
        s.reg = inst->operands[1].reg;
        s.link = inst->operands[0].reg;
        break;
    case WL_ISA_CALL:
        s.count = 0;
        s.link = inst->operands[0].reg;
        break;
    default:
        return false;
    }
    struct branch *kept = wl_steps_allocate(b, sizeof *kept);
    if (kept) {
        *kept = s;
        wl_init_insert(b, before, run_branch, kept);
    }
    return true;
}

/* ---- EXEC ------------------------------------------------------------------------------------ */

struct save {
    struct wl_init_facts facts;
    struct wl_scalar source;
    uint16_t reg;
    uint8_t detail, bits;
};

/* The bits of the source that the result depends on. */
static uint64_t that_count(unsigned detail, uint64_t exec) {
    switch ((enum wl_saveexec_op)detail) {
    case WL_SAVE_AND:
    case WL_SAVE_ANDN1:
    case WL_WREXEC_ANDN1:
    case WL_SAVE_ORN2:
    case WL_SAVE_NAND:
        return exec;
    case WL_SAVE_XOR:
    case WL_SAVE_XNOR:
        return UINT64_MAX;
    default:
        return ~exec;
    }
}

static const struct wl_step *run_save(struct wl_machine *m, const struct wl_step *step) {
    const struct save *s = step->data;
    uint64_t origin = 0;
    if (!m->undefined || wl_init_is_clean(m->undefined, &s->facts, 0))
        return step + 1;
    const uint64_t exec = s->bits == 64 ? wl_machine_sgpr64(m, WL_SGPR_EXEC) : m->sgpr[WL_SGPR_EXEC];
    const uint64_t open = wl_init_scalar(m, &s->source, &origin) & that_count(s->detail, exec);
    for (unsigned i = 0; i < s->bits / 32u; i++) {
        wl_undefined_set_scalar(m->undefined, s->reg + i, 0, 0);
        wl_init_set_scalar(m, s->facts.code, WL_SGPR_EXEC + i, (uint32_t)(open >> 32 * i), origin);
    }
    wl_undefined_set_scalar(m->undefined, WL_SGPR_SCC, 0, 0);
    return step + 1;
}

static bool add_save(struct wl_steps_builder *b, const struct wl_inst *inst, uint32_t before) {
    struct save *s = wl_steps_allocate(b, sizeof *s);
    if (!s || !wl_init_facts_fill(b, &s->facts, inst) ||
        !wl_scalar_plan(&s->source, &inst->operands[1], inst->isa->bits == 32 ? WL_U32 : WL_U64))
        return false;
    s->reg = inst->operands[0].reg;
    s->detail = inst->isa->detail;
    s->bits = inst->isa->bits;
    wl_init_insert(b, before, run_save, s);
    return true;
}

/* ---- all others ------------------------------------------------------------------------------ */

/* Each lane of each result is as undefined as the lane's operands, or those of the wave if it reads other lanes. */
static const struct wl_step *run_any(struct wl_machine *m, const struct wl_step *step) {
    const struct wl_init_facts *f = step->data;
    struct wl_undefined *u = m->undefined;
    const uint64_t exec = wl_machine_exec(m);
    uint64_t origins[WL_INIT_LANES], open = 0;
    if (!u || wl_init_is_clean(u, f, exec))
        return step + 1;
    wl_init_origins(u, f, origins);
    for (unsigned i = 0; i < f->source_count; i++)
        open |= u->lanes[f->sources[i]];
    if (f->crosses || (u->scalar[0] & f->reads[0]) || (u->scalar[1] & f->reads[1]))
        open = UINT64_MAX;
    for (unsigned i = 0; i < f->result_count; i++)
        for (uint64_t left = exec; left; left &= left - 1) {
            const unsigned l = (unsigned)__builtin_ctzll(left);
            wl_undefined_set(u, f->results[i], l, open >> l & 1 ? UINT32_MAX : 0, origins[l]);
        }
    for (unsigned w = 0; w < 2; w++)
        for (uint64_t left = f->writes[w]; left; left &= left - 1) {
            const unsigned reg = w * 64 + (unsigned)__builtin_ctzll(left);
            wl_init_set_scalar(m, f->code, reg, open & exec ? reg == WL_SGPR_SCC ? 1 : UINT32_MAX : 0, origins[0]);
        }
    return step + 1;
}

static void add_any(struct wl_steps_builder *b, const struct wl_inst *inst, uint32_t before) {
    struct wl_init_facts *f = wl_steps_allocate(b, sizeof *f);
    if (f && wl_init_facts_fill(b, f, inst) && (f->result_count || f->writes[0] || f->writes[1]))
        wl_init_insert(b, before, run_any, f);
}

void wl_steps_add_init(struct wl_steps_builder *b, const struct wl_inst *inst, uint32_t before) {
    if (wl_init_lane(b, inst, before) || wl_init_value(b, inst, before))
        return;
    if (inst->isa && (add_branch(b, inst, before) || (inst->isa->class == WL_ISA_SAVEEXEC && add_save(b, inst, before))))
        return;
    if (!wl_init_memory(b, inst, before))
        add_any(b, inst, before);
}
