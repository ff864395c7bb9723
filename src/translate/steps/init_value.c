/* initcheck: instructions with semantics. */
#include "translate/steps/init.h"
#include "translate/steps/init_rules.h"
#include "translate/steps/salu.h"

/* ---- vector instructions --------------------------------------------------------------------- */

struct vector {
    struct wl_init_facts facts;
    const struct wl_valu *valu;
    struct wl_init_rule rule, second;
};

/* Undefined bits lie in rows of their own, which stand for registers: two for each input, those of DPP, two for each result. */
enum { DPP_ROWS = 2 * WL_VALU_INPUTS, RESULT_ROWS = DPP_ROWS + 2, ROWS = RESULT_ROWS + 2 * WL_VALU_RESULTS };

/* A vector instruction on undefined bits. */
struct work {
    const struct wl_valu *valu;
    struct wl_machine shadow;                     /* its vgpr are the rows */
    struct wl_valu_source inputs[WL_VALU_INPUTS]; /* of the rows */
    uint64_t masks_in[WL_VALU_INPUTS], open_masks_in[WL_VALU_INPUTS], masks[WL_VALU_RESULTS], enabled;
    uint32_t rows[ROWS * WL_INIT_LANES];
    uint32_t dpp[2 * WL_INIT_LANES], open_dpp[2 * WL_INIT_LANES];
};

static uint32_t *row_of(struct work *w, unsigned row) { return w->rows + (size_t)row * w->shadow.wave_size; }

/* Source modifiers that change no more than values are left out. */
static void plan_source(const struct wl_machine *m, struct work *w, unsigned i) {
    struct wl_valu_source *s = &w->inputs[i];
    uint64_t origin;
    *s = w->valu->inputs[i];
    s->flip = s->negate = 0;
    s->mixes = s->flushes = false;
    switch ((enum wl_source_kind)s->kind) {
    case WL_SOURCE_PAIR:
        wl_init_row(m->undefined, s->reg + 1u, row_of(w, 2 * i + 1));
        wl_init_row(m->undefined, s->reg, row_of(w, 2 * i));
        break;
    case WL_SOURCE_ROW:
        wl_init_row(m->undefined, s->reg, row_of(w, 2 * i));
        break;
    case WL_SOURCE_MASK:
        w->masks_in[i] = wl_scalar_read(m, &s->scalar);
        w->open_masks_in[i] = wl_init_scalar(m, &s->scalar, &origin);
        break;
    case WL_SOURCE_SCALAR:
        s->scalar.constant = wl_init_scalar(m, &s->scalar, &origin);
        s->scalar.kind = WL_SCALAR_CONSTANT;
        break;
    default:
        break;
    }
    s->reg = (uint16_t)(2 * i);
}

static void plan_dpp(const struct wl_machine *m, struct work *w) {
    struct wl_valu dpp = *w->valu;
    for (unsigned i = 0; i < dpp.dpp_rows; i++)
        wl_init_row(m->undefined, dpp.dpp_reg + i, row_of(w, DPP_ROWS + i));
    dpp.dpp_reg = DPP_ROWS;
    (void)wl_valu_permute(&w->shadow, &dpp, w->open_dpp);
    w->enabled = wl_valu_permute(m, w->valu, w->dpp);
}

static void start(const struct wl_machine *m, struct work *w, const struct wl_valu *v) {
    w->valu = v;
    w->shadow = *m;
    w->shadow.vgpr = w->rows;
    w->enabled = UINT64_MAX;
    memset(w->masks, 0, sizeof w->masks);
    for (unsigned i = 0; i < v->input_count; i++)
        plan_source(m, w, i);
    for (unsigned i = 0; i < v->result_count; i++)
        if (!v->results[i].is_mask && !v->results[i].discard) {
            wl_init_row(m->undefined, v->results[i].reg, row_of(w, RESULT_ROWS + 2 * i));
            if (v->results[i].width == 64)
                wl_init_row(m->undefined, v->results[i].reg + 1u, row_of(w, RESULT_ROWS + 2 * i + 1));
        }
    if (v->dpp)
        plan_dpp(m, w);
}

static void keep_strip(union wl_values *to, const void *from, unsigned width) {
    if (from != to)
        memcpy(to, from, WL_STRIP * width / 8u);
}

/* A half that becomes a float. */
static void spread_mixed(union wl_values *x, bool high) {
    for (unsigned l = 0; l < WL_STRIP; l++)
        x->word[l] = (x->word[l] >> (high ? 16 : 0)) & 0xffff ? UINT32_MAX : 0;
}

static void read_inputs(const struct wl_machine *m, struct work *w, unsigned first, struct wl_init_work *rule) {
    for (unsigned i = 0; i < w->valu->input_count; i++) {
        const struct wl_valu_source *s = &w->valu->inputs[i], *open = &w->inputs[i];
        union wl_values *value = &rule->value[i], *undefined = &rule->undefined[i];
        if (s->kind == WL_SOURCE_MODE) {
            wl_valu_scalar(m, s, value);
            memset(undefined, 0, sizeof *undefined);
        } else if (s->kind == WL_SOURCE_SCALAR) {
            if (s->constant)
                *value = *s->constant;
            else
                wl_valu_scalar(m, s, value);
            wl_valu_scalar(&w->shadow, open, undefined);
        } else {
            keep_strip(value, wl_valu_strip(m, s, first, w->masks_in[i], w->dpp, value), s->width);
            keep_strip(undefined, wl_valu_strip(&w->shadow, open, first, w->open_masks_in[i], w->open_dpp, undefined), s->width);
        }
        if (s->mixes)
            spread_mixed(undefined, s->mix_high);
    }
}

static void write_results(struct work *w, unsigned first, unsigned lanes, struct wl_init_work *rule) {
    for (unsigned i = 0; i < w->valu->result_count; i++) {
        struct wl_valu_result r = w->valu->results[i];
        if (r.is_mask) {
            w->masks[i] |= (uint64_t)(wl_valu_sign_bits(rule->result[i].word) & lanes) << first;
            continue;
        }
        r.reg = (uint16_t)(RESULT_ROWS + 2 * i);
        r.clamp = r.flushes = false;
        r.omod = 0;
        if (!r.discard)
            wl_valu_write(&w->shadow, &r, first, &rule->result[i], lanes & (unsigned)(w->enabled >> first));
    }
}

static void compute(const struct wl_machine *m, struct work *w, const struct wl_init_rule *rule, uint64_t exec) {
    struct wl_init_work strip = {.sem = w->valu->sem, .native = w->valu->native, .lanes = WL_STRIP};
    for (unsigned first = 0; first < m->wave_size; first += WL_STRIP) {
        const unsigned lanes = (unsigned)(exec >> first) & 0xffff;
        if (!lanes)
            continue;
        read_inputs(m, w, first, &strip);
        wl_init_rule_apply(rule, &strip);
        write_results(w, first, lanes, &strip);
    }
}

static uint64_t some_origin(uint64_t lanes, const uint64_t origins[WL_INIT_LANES]) { return origins[lanes ? __builtin_ctzll(lanes) : 0]; }

static void commit(const struct wl_machine *m, struct work *w, const struct wl_init_facts *f, uint64_t exec, const uint64_t *origins) {
    for (unsigned i = 0; i < w->valu->result_count; i++) {
        const struct wl_valu_result *r = &w->valu->results[i];
        if (r->discard)
            continue;
        for (unsigned d = 0; !r->is_mask && d < (r->width == 64 ? 2u : 1u); d++)
            for (uint64_t left = exec & w->enabled; left; left &= left - 1) {
                const unsigned l = (unsigned)__builtin_ctzll(left);
                wl_undefined_set(m->undefined, r->reg + d, l, row_of(w, RESULT_ROWS + 2 * i + d)[l], origins[l]);
            }
        const uint64_t origin = some_origin(w->masks[i], origins);
        if (r->is_mask && r->to_exec)
            wl_init_set_mask(m, f->code, WL_SGPR_EXEC, w->masks[i], origin);
        if (r->is_mask && r->reg < WL_SGPR_COUNT)
            wl_init_set_mask(m, f->code, r->reg, w->masks[i], origin);
    }
}

static const struct wl_step *run_vector(struct wl_machine *m, const struct wl_step *step) {
    const struct vector *s = step->data;
    const uint64_t exec = wl_machine_exec(m);
    uint64_t origins[WL_INIT_LANES];
    struct work first, second;
    if (!m->undefined || wl_init_is_clean(m->undefined, &s->facts, exec))
        return step + 1;
    wl_init_origins(m->undefined, &s->facts, origins);
    start(m, &first, s->valu);
    compute(m, &first, &s->rule, exec);
    if (s->valu->second) {
        start(m, &second, s->valu->second);
        compute(m, &second, &s->second, exec);
        commit(m, &second, &s->facts, exec, origins);
    }
    commit(m, &first, &s->facts, exec, origins);
    return step + 1;
}

/* ---- scalar instructions --------------------------------------------------------------------- */

struct scalar {
    struct wl_init_facts facts;
    const struct wl_salu *salu;
    struct wl_init_rule rule;
};

static const struct wl_step *run_scalar(struct wl_machine *m, const struct wl_step *step) {
    const struct scalar *s = step->data;
    struct wl_init_work work = {.sem = s->salu->sem, .native = s->salu->native, .lanes = 1};
    uint64_t origin = 0;
    if (!m->undefined || wl_init_is_clean(m->undefined, &s->facts, 0))
        return step + 1;
    for (unsigned i = 0; i < s->salu->input_count; i++) {
        const struct wl_salu_input *in = &s->salu->inputs[i];
        uint64_t from = 0;
        work.value[i].pair[0] = wl_salu_read(m, in, m->wave->mode_register);
        work.undefined[i].pair[0] = wl_init_scalar(m, &in->scalar, &from) & in->keep;
        origin = work.undefined[i].pair[0] && !origin ? from : origin;
    }
    wl_init_rule_apply(&s->rule, &work);
    for (unsigned i = 0; i < s->salu->result_count; i++) {
        const struct wl_salu_result *r = &s->salu->results[i];
        for (unsigned d = 0; d < r->registers; d++)
            wl_init_set_scalar(m, s->facts.code, r->reg + d, (uint32_t)(work.result[i].pair[0] >> 32 * d), origin);
    }
    return step + 1;
}

/* ---- building -------------------------------------------------------------------------------- */

static void add_vector(struct wl_steps_builder *b, const struct wl_inst *inst, uint32_t before, const struct wl_valu *valu) {
    struct vector *s = wl_steps_allocate(b, sizeof *s);
    if (!s || !wl_init_facts_fill(b, &s->facts, inst))
        return;
    s->valu = valu;
    s->rule = wl_init_rule_of(valu->sem);
    if (valu->second)
        s->second = wl_init_rule_of(valu->second->sem);
    wl_init_insert(b, before, run_vector, s);
}

static void add_scalar(struct wl_steps_builder *b, const struct wl_inst *inst, uint32_t before, const struct wl_salu *salu) {
    struct scalar *s = wl_steps_allocate(b, sizeof *s);
    if (!s || !wl_init_facts_fill(b, &s->facts, inst))
        return;
    s->salu = salu;
    s->rule = wl_init_rule_of(salu->sem);
    wl_init_insert(b, before, run_scalar, s);
}

bool wl_init_value(struct wl_steps_builder *b, const struct wl_inst *inst, uint32_t before) {
    if (b->step_count == before)
        return false;
    const struct wl_step *step = &b->steps->code[before];
    if (wl_valu_is(step->run))
        add_vector(b, inst, before, step->data);
    else if (wl_salu_is(step->run))
        add_scalar(b, inst, before, step->data);
    else
        return false;
    return true;
}
