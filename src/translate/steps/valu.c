/* Vector instructions with semantics: operands and modifiers around calls of the native functions, a strip of 16 lanes at a time. */
#include "translate/steps/valu.h"

#include "machine/helpers.h"

#if defined(__AVX2__)
#include <immintrin.h>
#endif

/* Masks' elements are 0 and -1. */
unsigned wl_valu_sign_bits(const uint32_t words[WL_STRIP]) {
#if defined(__AVX2__)
    __m256 low = _mm256_loadu_ps((const float *)(const void *)words), high = _mm256_loadu_ps((const float *)(const void *)(words + 8));
    return (unsigned)_mm256_movemask_ps(low) | (unsigned)_mm256_movemask_ps(high) << WL_STRIP / 2;
#else
    unsigned bits = 0;
    for (unsigned l = 0; l < WL_STRIP; l++)
        bits |= (words[l] >> 31) << l;
    return bits;
#endif
}

#if defined(__AVX2__)
/* -1 in each of 8 lanes whose bit is set. */
static __m256i lanes_of(unsigned bits) {
    const __m256i each = _mm256_setr_epi32(1, 2, 4, 8, 16, 32, 64, 128);
    return _mm256_cmpeq_epi32(_mm256_and_si256(_mm256_set1_epi32((int)bits), each), each);
}
#endif

void wl_valu_spread(uint32_t words[WL_STRIP], uint64_t mask) {
#if defined(__AVX2__)
    _mm256_storeu_si256((__m256i *)(void *)words, lanes_of((unsigned)mask));
    _mm256_storeu_si256((__m256i *)(void *)(words + 8), lanes_of((unsigned)mask >> 8));
#else
    for (unsigned i = 0; i < WL_STRIP; i++)
        words[i] = (uint32_t)-(int32_t)(mask >> i & 1);
#endif
}

/* ---- inputs ---- */

static void select_part(union wl_values *x, unsigned sel, bool sign) {
    bool byte = sel <= WL_SEL_BYTE_3;
    unsigned shift = byte ? 8 * (sel - WL_SEL_BYTE_0) : 16 * (sel - WL_SEL_WORD_0);
    for (unsigned i = 0; i < WL_STRIP; i++) {
        uint32_t part = x->word[i] >> shift;
        if (byte)
            x->word[i] = sign ? (uint32_t)(int8_t)part : (uint8_t)part;
        else
            x->word[i] = sign ? (uint32_t)(int16_t)part : (uint16_t)part;
    }
}

static void cut_half(union wl_values *x, bool high) {
    for (unsigned i = 0; i < WL_STRIP; i++)
        x->half[i] = (uint16_t)(x->word[i] >> (high ? 16 : 0));
}

static void shuffle_halves(union wl_values *x, const struct wl_valu_source *s) {
    if (s->width == 32)
        for (unsigned i = 0; i < WL_STRIP; i++) {
            uint32_t low = x->word[i] & 0xffff, high = x->word[i] >> 16;
            x->word[i] = (s->low_from_high ? high : low) | (s->high_from_high ? high : low) << 16;
        }
    else
        for (unsigned i = 0; i < WL_STRIP; i++) {
            uint64_t low = (uint32_t)x->pair[i], high = x->pair[i] >> 32;
            x->pair[i] = (s->low_from_high ? high : low) | (s->high_from_high ? high : low) << 32;
        }
}

static float half_to_float(uint16_t bits) {
    _Float16 half;
    memcpy(&half, &bits, sizeof half);
    return (float)half;
}

static uint16_t float_to_half(float value) {
    _Float16 half = (_Float16)value;
    uint16_t bits;
    memcpy(&bits, &half, sizeof bits);
    return bits;
}

static void change_bits(union wl_values *x, unsigned width, uint64_t flip, uint64_t keep, uint64_t negate) {
    for (unsigned i = 0; i < WL_STRIP; i++) {
        if (width == 16)
            x->half[i] = (uint16_t)(((x->half[i] ^ flip) & keep) ^ negate);
        else if (width == 32)
            x->word[i] = (uint32_t)(((x->word[i] ^ flip) & keep) ^ negate);
        else
            x->pair[i] = ((x->pair[i] ^ flip) & keep) ^ negate;
    }
}

static void flush(union wl_values *x, unsigned width) {
    for (unsigned i = 0; i < width / 32 * WL_STRIP; i++)
        memcpy(x->bytes + 4 * i, &(uint32_t){wl_flush_f32(((const uint32_t *)(const void *)x->bytes)[i])}, 4);
}

/* `is_half`: the value has 16 bits a lane already. */
static void change(const struct wl_machine *m, union wl_values *x, const struct wl_valu_source *s, bool is_half) {
    if (!s->changes)
        return;
    if (s->selects) {
        if (is_half)
            for (unsigned i = WL_STRIP; i-- > 0;)
                x->word[i] = x->half[i];
        is_half = false;
        select_part(x, s->sel, s->sext);
    }
    if (s->half && !is_half)
        cut_half(x, s->half_high);
    if (s->shuffles)
        shuffle_halves(x, s);
    if (s->mixes) {
        if (s->flip)
            change_bits(x, 32, s->flip, UINT64_MAX, 0);
        for (unsigned i = 0; i < WL_STRIP; i++)
            if (s->mix_bf16)
                x->word[i] = s->mix_high ? x->word[i] & 0xffff0000 : x->word[i] << 16;
            else
                x->number[i] = half_to_float((uint16_t)(x->word[i] >> (s->mix_high ? 16 : 0)));
        change_bits(x, 32, 0, s->keep, s->negate);
    } else if (s->flip || ~s->keep || s->negate) {
        change_bits(x, s->width, s->flip, s->keep, s->negate);
    }
    if (s->flushes && !(m->wave->mode_register & WL_FLUSH_INPUTS))
        flush(x, s->width);
}

static void splat(union wl_values *x, uint64_t value, unsigned width) {
    if (width == 16)
        for (unsigned i = 0; i < WL_STRIP; i++)
            x->half[i] = (uint16_t)value;
    else if (width == 32)
        for (unsigned i = 0; i < WL_STRIP; i++)
            x->word[i] = (uint32_t)value;
    else
        for (unsigned i = 0; i < WL_STRIP; i++)
            x->pair[i] = value;
}

/* What is the same in all strips: a scalar operand. */
void wl_valu_scalar(const struct wl_machine *m, const struct wl_valu_source *s, union wl_values *x) {
    if (s->kind == WL_SOURCE_MODE) {
        splat(x, m->wave->mode_register, 32);
        return;
    }
    splat(x, wl_scalar_read(m, &s->scalar), s->scalar.bits);
    change(m, x, s, s->scalar.bits == 16);
}

static void join(union wl_values *x, const uint32_t *low, const uint32_t *high) {
    for (unsigned i = 0; i < WL_STRIP; i++)
        x->pair[i] = low[i] | (uint64_t)high[i] << 32;
}

/* The parameter for a strip: the row itself, or what is made of it in *x. */
void *wl_valu_strip(const struct wl_machine *m, const struct wl_valu_source *s, unsigned first, uint64_t mask, const uint32_t *dpp,
                    union wl_values *x) {
    const uint32_t *row = s->kind == WL_SOURCE_DPP ? dpp + first : wl_machine_row(m, s->reg) + first;
    const uint32_t *next = s->kind == WL_SOURCE_DPP ? row + WL_VALU_LANES : row + m->wave_size;
    if (s->direct)
        return (void *)(uintptr_t)row;
    if (s->kind == WL_SOURCE_MASK) {
        wl_valu_spread(x->word, mask >> first);
        return x;
    }
    if (s->kind == WL_SOURCE_PAIR || (s->kind == WL_SOURCE_DPP && s->width == 64))
        join(x, row, next);
    else
        memcpy(x, row, sizeof x->word);
    change(m, x, s, false);
    return x;
}

/* ---- results ---- */

static float clamp_float(float value) {
    value = value > 0.0F ? value : 0.0F; /* NaN becomes 0 */
    return value < 1.0F ? value : 1.0F;
}

static double clamp_double(double value) {
    value = value > 0.0 ? value : 0.0;
    return value < 1.0 ? value : 1.0;
}

static const float factors[] = {1, 2, 4, 0.5F};

static void scale_floats(float *values, unsigned count, const struct wl_valu_result *r) {
    for (unsigned i = 0; i < count; i++) {
        if (r->omod)
            values[i] *= factors[r->omod & 3];
        if (r->clamp)
            values[i] = clamp_float(values[i]);
    }
}

static void scale_halves(uint16_t *halves, unsigned count, const struct wl_valu_result *r) {
    for (unsigned i = 0; i < count; i++) {
        float value = half_to_float(halves[i]);
        scale_floats(&value, 1, r);
        halves[i] = float_to_half(value);
    }
}

/* Output multiplier and clamp. Integers have saturating semantics of their own. */
static void modify_result(union wl_values *x, const struct wl_valu_result *r) {
    switch (r->type) {
    case WL_F32:
        scale_floats(x->number, WL_STRIP, r);
        break;
    case WL_PKF32:
        scale_floats((float *)(void *)x->bytes, 2 * WL_STRIP, &(struct wl_valu_result){.clamp = r->clamp});
        break;
    case WL_F64:
        for (unsigned i = 0; i < WL_STRIP; i++) {
            if (r->omod)
                x->real[i] *= (double)factors[r->omod & 3];
            if (r->clamp)
                x->real[i] = clamp_double(x->real[i]);
        }
        break;
    case WL_F16:
        scale_halves(x->half, WL_STRIP, r);
        break;
    case WL_PKF16:
        scale_halves((uint16_t *)(void *)x->bytes, 2 * WL_STRIP, &(struct wl_valu_result){.clamp = r->clamp});
        break;
    default:
        break;
    }
}

static void place_sdwa(uint32_t *words, const struct wl_valu_result *r, const uint32_t *old) {
    bool byte = r->sel <= WL_SEL_BYTE_3;
    unsigned shift = byte ? 8u * (r->sel - WL_SEL_BYTE_0) : 16u * (r->sel - WL_SEL_WORD_0), bits = byte ? 8 : 16;
    uint32_t field = ((1u << bits) - 1) << shift;
    for (unsigned i = 0; i < WL_STRIP; i++) {
        uint32_t value = words[i] << shift & field;
        if (r->unused == 1) /* sign-extend upwards */
            value = (uint32_t)((int32_t)(words[i] << (32 - bits)) >> (32 - bits - shift)) & ~((1u << shift) - 1);
        else if (r->unused == 2)
            value |= old[i] & ~field;
        words[i] = value;
    }
}

static void widen_half(union wl_values *x, const struct wl_valu_result *r, const uint32_t *old) {
    for (unsigned i = WL_STRIP; i-- > 0;)
        x->word[i] = x->half[i];
    if (r->selects || !r->half_keeps)
        return;
    for (unsigned i = 0; i < WL_STRIP; i++)
        x->word[i] = r->half_high ? (old[i] & 0xffff) | x->word[i] << 16 : (old[i] & 0xffff0000) | x->word[i];
}

static void blend(uint32_t *to, const uint32_t *words, unsigned lanes) {
#if defined(__AVX2__)
    for (unsigned i = 0; i < WL_STRIP; i += 8) {
        const __m256i value = _mm256_loadu_si256((const __m256i *)(const void *)(words + i));
        __m256i *there = (__m256i *)(void *)(to + i);
        _mm256_storeu_si256(there, _mm256_blendv_epi8(_mm256_loadu_si256(there), value, lanes_of(lanes >> i)));
    }
#else
    for (unsigned i = 0; i < WL_STRIP; i++)
        to[i] = lanes >> i & 1 ? words[i] : to[i];
#endif
}

void wl_valu_write(const struct wl_machine *m, const struct wl_valu_result *r, unsigned first, union wl_values *x, unsigned lanes) {
    uint32_t *row = wl_machine_row(m, r->reg) + first;
    if (r->clamp || r->omod)
        modify_result(x, r);
    if (r->flushes && !(m->wave->mode_register & WL_FLUSH_RESULTS))
        flush(x, r->width);
    if (r->width == 64) {
        uint32_t low[WL_STRIP], high[WL_STRIP];
        for (unsigned i = 0; i < WL_STRIP; i++) {
            low[i] = (uint32_t)x->pair[i];
            high[i] = (uint32_t)(x->pair[i] >> 32);
        }
        blend(row, low, lanes);
        blend(row + m->wave_size, high, lanes);
        return;
    }
    if (r->width == 16)
        widen_half(x, r, row);
    if (r->selects)
        place_sdwa(x->word, r, row);
    blend(row, x->word, lanes);
}

/* ---- a step ---- */

static uint64_t wave_lanes(const struct wl_machine *m) { return m->wave_size == 64 ? UINT64_MAX : UINT32_MAX; }

uint64_t wl_valu_permute(const struct wl_machine *m, const struct wl_valu *v, uint32_t rows[2 * WL_VALU_LANES]) {
    uint32_t unused[WL_VALU_LANES];
    for (unsigned i = 0; i < v->dpp_rows; i++) {
        memset(rows + (size_t)i * WL_VALU_LANES, 0, WL_VALU_LANES * sizeof *rows);
        m->wave->helpers->dpp(m->wave, rows + (size_t)i * WL_VALU_LANES, wl_machine_row(m, v->dpp_reg + i), v->dpp_kind, v->dpp_control,
                              0xf, 0xf, 1, v->fetch_inactive);
    }
    if (v->dpp_kind == WL_DPP_DPP8)
        return wave_lanes(m);
    return m->wave->helpers->dpp(m->wave, unused, wl_machine_row(m, v->dpp_reg), v->dpp_kind, v->dpp_control, v->row_mask, v->bank_mask,
                                 v->bound_ctrl, v->fetch_inactive);
}

/* A vector instruction between reading and writing. */
struct work {
    union wl_values in[WL_VALU_INPUTS], out[WL_VALU_RESULTS];
    uint32_t dpp[2 * WL_VALU_LANES];
    uint64_t enabled, masks_in[WL_VALU_INPUTS], masks_out[WL_VALU_RESULTS];
};

static void start(const struct wl_machine *m, const struct wl_valu *v, struct work *w) {
    w->enabled = v->dpp ? wl_valu_permute(m, v, w->dpp) : UINT64_MAX;
    for (unsigned i = 0; i < v->input_count; i++) {
        const struct wl_valu_source *s = &v->inputs[i];
        if ((s->kind == WL_SOURCE_SCALAR && !s->constant) || s->kind == WL_SOURCE_MODE)
            wl_valu_scalar(m, s, &w->in[i]);
        else if (s->kind == WL_SOURCE_MASK)
            w->masks_in[i] = wl_scalar_read(m, &s->scalar);
    }
    for (unsigned i = 0; i < v->result_count; i++)
        w->masks_out[i] = 0;
}

static void compute(const struct wl_machine *m, const struct wl_valu *v, struct work *w, unsigned first, unsigned lanes) {
    void *pointers[WL_VALU_RESULTS + WL_VALU_INPUTS];
    for (unsigned i = 0; i < v->result_count; i++)
        pointers[i] = &w->out[i];
    if (lanes == 0xffff && v->results[0].direct && !v->second)
        pointers[0] = wl_machine_row(m, v->results[0].reg) + first;
    for (unsigned i = 0; i < v->input_count; i++) {
        const struct wl_valu_source *s = &v->inputs[i];
        bool scalar = s->kind == WL_SOURCE_SCALAR || s->kind == WL_SOURCE_MODE;
        pointers[v->result_count + i] = s->constant ? (void *)(uintptr_t)s->constant
                                        : scalar    ? &w->in[i]
                                                    : wl_valu_strip(m, s, first, w->masks_in[i], w->dpp, &w->in[i]);
    }
    wl_steps_call(v->native, pointers, v->result_count + v->input_count);
}

static void put(const struct wl_machine *m, const struct wl_valu *v, struct work *w, unsigned first, unsigned lanes) {
    for (unsigned i = 0; i < v->result_count; i++) {
        const struct wl_valu_result *r = &v->results[i];
        if (r->is_mask) {
            w->masks_out[i] |= (uint64_t)(wl_valu_sign_bits(w->out[i].word) & lanes) << first;
        } else if (!r->discard && (i || lanes != 0xffff || !r->direct || v->second)) {
            wl_valu_write(m, r, first, &w->out[i], lanes & (unsigned)(w->enabled >> first));
        }
    }
}

static void finish(struct wl_machine *m, const struct wl_valu *v, const struct work *w) {
    for (unsigned i = 0; i < v->result_count; i++) {
        const struct wl_valu_result *r = &v->results[i];
        if (!r->is_mask || r->discard)
            continue;
        if (r->to_exec)
            wl_machine_set_mask(m, WL_SGPR_EXEC, w->masks_out[i]);
        if (r->reg < WL_SGPR_COUNT)
            wl_machine_set_mask(m, r->reg, w->masks_out[i]);
    }
}

static const struct wl_step *run_valu(struct wl_machine *m, const struct wl_step *step) {
    const struct wl_valu *v = step->data;
    struct work w;
    uint64_t exec = wl_machine_exec(m);
    start(m, v, &w);
    for (unsigned first = 0; first < m->wave_size; first += WL_STRIP) {
        unsigned lanes = (unsigned)(exec >> first) & 0xffff;
        if (!lanes)
            continue;
        compute(m, v, &w, first, lanes);
        put(m, v, &w, first, lanes);
    }
    finish(m, v, &w);
    return step + 1;
}

static const struct wl_step *run_pair(struct wl_machine *m, const struct wl_step *step) {
    const struct wl_valu *v = step->data;
    struct work a, b;
    uint64_t exec = wl_machine_exec(m);
    start(m, v, &a);
    start(m, v->second, &b);
    for (unsigned first = 0; first < m->wave_size; first += WL_STRIP) {
        unsigned lanes = (unsigned)(exec >> first) & 0xffff;
        if (!lanes)
            continue;
        compute(m, v, &a, first, lanes);
        compute(m, v->second, &b, first, lanes);
        put(m, v->second, &b, first, lanes);
        put(m, v, &a, first, lanes);
    }
    finish(m, v->second, &b);
    finish(m, v, &a);
    return step + 1;
}

/* An input that is a mask or a scalar, made for the whole wave in `made`. */
static void *make_input(const struct wl_machine *m, const struct wl_valu_source *s, uint32_t made[WL_VALU_LANES]) {
    if (s->kind != WL_SOURCE_MASK) {
        wl_valu_scalar(m, s, (union wl_values *)(void *)made);
        return made;
    }
    const uint64_t bits = wl_scalar_read(m, &s->scalar);
    for (unsigned l = 0; l < m->wave_size; l += WL_STRIP)
        wl_valu_spread(&made[l], bits >> l);
    return made;
}

static void write_mask(struct wl_machine *m, const struct wl_valu_result *r, const uint32_t *result, uint64_t exec) {
    uint64_t mask = 0;
    for (unsigned first = 0; first < m->wave_size; first += WL_STRIP)
        mask |= (uint64_t)wl_valu_sign_bits(result + first) << first;
    mask &= exec;
    if (r->to_exec)
        wl_machine_set_mask(m, WL_SGPR_EXEC, mask);
    if (r->reg < WL_SGPR_COUNT)
        wl_machine_set_mask(m, r->reg, mask);
}

/* The most frequent kinds: rows, masks and scalars in as they are, one row or one mask out; all strips at once. Lanes that are off
 * are computed with the others and dropped. COUNT inputs, which may be rows and constants alone; made once for each kind. */
static inline __attribute__((always_inline)) const struct wl_step *run_wave(struct wl_machine *m, const struct wl_step *step,
                                                                            const unsigned count, const bool to_mask, const bool rows) {
    const struct wl_valu *v = step->data;
    _Alignas(128) uint32_t result[WL_VALU_LANES], made[3][WL_VALU_LANES];
    void *inputs[3];
    const uint64_t exec = wl_machine_exec(m);
    uint8_t *const registers = (uint8_t *)m->vgpr;
    uint32_t *to = (uint32_t *)(void *)(registers + v->result_offset);
    const bool full = exec == (m->wave_size == 64 ? UINT64_MAX : UINT32_MAX);
    for (unsigned i = 0; i < count; i++) {
        const struct wl_valu_place *place = &v->places[i];
        if (rows || place->constant || v->inputs[i].kind == WL_SOURCE_ROW)
            inputs[i] = place->constant ? (void *)(uintptr_t)place->constant : registers + place->offset;
        else
            inputs[i] = make_input(m, &v->inputs[i], made[i]);
    }
    v->wave(full && !to_mask ? to : result, inputs, v->advances, m->wave_size / WL_STRIP);
    if (to_mask)
        write_mask(m, &v->results[0], result, exec);
    else if (!full)
        for (unsigned first = 0; first < m->wave_size; first += WL_STRIP)
            blend(to + first, result + first, (unsigned)(exec >> first) & 0xffff);
    return step + 1;
}

#define WAVE(NAME, COUNT, TO_MASK, ROWS)                                                                                                   \
    static const struct wl_step *NAME(struct wl_machine *m, const struct wl_step *step) { return run_wave(m, step, COUNT, TO_MASK, ROWS); }
#define WAVES(NAME, TO_MASK, ROWS) WAVE(NAME##_1, 1, TO_MASK, ROWS) WAVE(NAME##_2, 2, TO_MASK, ROWS) WAVE(NAME##_3, 3, TO_MASK, ROWS)
WAVES(run_row, false, false)
WAVES(run_mask, true, false)
WAVES(run_row_of_rows, false, true)
WAVES(run_mask_of_rows, true, true)

/* By whether the result is a mask, whether all inputs are rows and constants, and how many there are. */
static wl_step_fn *const wave_forms[2][2][3] = {
    {{run_row_1, run_row_2, run_row_3}, {run_row_of_rows_1, run_row_of_rows_2, run_row_of_rows_3}},
    {{run_mask_1, run_mask_2, run_mask_3}, {run_mask_of_rows_1, run_mask_of_rows_2, run_mask_of_rows_3}}};

/* ---- building ---- */

static const struct wl_operand *printed_operand(const struct wl_inst *inst, unsigned *next) {
    static const struct wl_operand none;
    return *next < inst->operand_count ? &inst->operands[(*next)++] : &none;
}

static bool is_mixed(const struct wl_inst *inst) {
    return !strncmp(inst->mnemonic, "v_fma_mix", 9) || !strncmp(inst->mnemonic, "v_mad_mix", 9);
}

static bool is_packed(enum wl_type type) { return type == WL_PKU16 || type == WL_PKI16 || type == WL_PKF16 || type == WL_PKBF16; }

/* Modifiers of a printed source, in the order in which they are applied. */
static void plan_modifiers(struct wl_valu_source *s, const struct wl_inst *inst, const struct wl_operand *operand, enum wl_type type,
                           unsigned source) {
    bool low = inst->op_sel >> source & 1, high = inst->has_op_sel_hi ? inst->op_sel_hi >> source & 1 : 1;
    s->half = s->width == 16;
    s->half_high = s->half && low;
    if (is_packed(type) || type == WL_PKF32) {
        s->shuffles = low || !high;
        s->low_from_high = low;
        s->high_from_high = high;
    }
    if (type == WL_PKF16 || type == WL_PKBF16)
        s->flip = (inst->neg_lo >> source & 1 ? 0x8000u : 0) | (inst->neg_hi >> source & 1 ? 0x80000000u : 0);
    if (type == WL_PKF32)
        s->flip = (inst->neg_lo >> source & 1 ? UINT64_C(1) << 31 : 0) | (inst->neg_hi >> source & 1 ? UINT64_C(1) << 63 : 0);
    s->mixes = is_mixed(inst) && inst->op_sel_hi >> source & 1;
    s->mix_high = low;
    s->mix_bf16 = s->mixes && strstr(inst->mnemonic, "_bf16");
    bool packed_negate = type == WL_F32 && inst->neg_lo >> source & 1; /* the f32 addend of a dot product */
    uint64_t sign = UINT64_C(1) << (s->width - 1);
    if (operand->abs)
        s->keep &= ~sign;
    if (operand->neg != packed_negate)
        s->negate = sign;
}

/* False: this input is not implemented here. */
static bool plan_input(struct wl_steps_builder *b, struct wl_valu *v, struct wl_valu_source *s, const struct wl_inst *inst,
                       const struct wl_operand *operand, struct wl_slot slot, unsigned source) {
    *s = (struct wl_valu_source){.width = (uint8_t)wl_type_bits(slot.type), .keep = UINT64_MAX, .reg = operand->reg};
    if (s->width > 64)
        return false;
    if (slot.type == WL_MASK) {
        static const struct wl_operand vcc = {.kind = WL_OPERAND_SGPR, .reg = WL_SGPR_VCC, .count = 2};
        s->kind = WL_SOURCE_MASK;
        return wl_scalar_plan(&s->scalar, slot.role == WL_ROLE_VCC ? &vcc : operand, b->wave_size == 64 ? WL_U64 : WL_U32);
    }
    if (slot.role == WL_ROLE_MODE) {
        s->kind = WL_SOURCE_MODE;
        return true;
    }
    s->flushes = wl_steps_flushes(b, inst, slot.type);
    bool printed = slot.role == WL_ROLE_PRINTED;
    if (printed) {
        plan_modifiers(s, inst, operand, slot.type, source);
        s->selects = inst->is_sdwa && operand->sel != WL_SEL_DWORD;
        s->sel = operand->sel;
        s->sext = operand->sext;
    } else if (s->width == 16) { /* the old value; modifiers belong to printed operands */
        s->half = true;
        s->half_high = inst->op_sel >> (inst->operand_count - 1) & 1;
    }
    s->changes = s->selects || s->half || s->shuffles || s->mixes || s->flip || ~s->keep || s->negate || s->flushes;
    if (operand->kind != WL_OPERAND_VGPR) {
        s->kind = WL_SOURCE_SCALAR;
        bool bare_half = s->mixes && operand->kind == WL_OPERAND_IMM && !operand->literal; /* the low half holds the constant */
        if (!wl_scalar_plan(&s->scalar, operand, !bare_half ? slot.type : s->mix_bf16 ? WL_BF16 : WL_F16))
            return false;
        if (bare_half)
            s->scalar.bits = 32;
        if (printed && s->width == 16 && operand->kind == WL_OPERAND_SGPR && inst->op_sel >> source & 1)
            s->scalar.kind = WL_SCALAR_SGPR_HIGH;
        return true;
    }
    s->kind = s->width == 64 ? WL_SOURCE_PAIR : WL_SOURCE_ROW;
    if (inst->is_dpp && source == 0 && printed) {
        s->kind = WL_SOURCE_DPP;
        v->dpp_reg = operand->reg;
        v->dpp_rows = s->width == 64 ? 2 : 1;
    }
    s->direct = s->width == 32 && !s->changes;
    return true;
}

static void plan_result(struct wl_steps_builder *b, struct wl_valu_result *r, const struct wl_inst *inst, const struct wl_operand *operand,
                        struct wl_slot slot) {
    *r = (struct wl_valu_result){.width = (uint8_t)wl_type_bits(slot.type), .type = slot.type, .reg = operand->reg};
    if (slot.type == WL_MASK) {
        r->is_mask = true;
        if (inst->isa) { /* v_cmpx */
            r->to_exec = true;
            r->reg = inst->operand_count == 3 ? operand->reg : WL_SGPR_COUNT;
        } else if (slot.role == WL_ROLE_VCC) {
            r->reg = WL_SGPR_VCC;
        } else {
            r->discard = operand->kind != WL_OPERAND_SGPR;
        }
        return;
    }
    r->discard = operand->kind == WL_OPERAND_OFF;
    if (!r->discard && (operand->kind != WL_OPERAND_VGPR || r->width > 64))
        wl_steps_refuse(b, inst);
    r->clamp = inst->clamp;
    r->omod = inst->omod;
    r->flushes = wl_steps_flushes(b, inst, slot.type);
    r->selects = inst->is_sdwa && inst->dst_sel != WL_SEL_DWORD;
    r->sel = inst->dst_sel;
    r->unused = inst->dst_unused;
    if (r->width == 16) {
        r->half_high = is_mixed(inst) ? inst->mnemonic[9] == 'h' : inst->op_sel >> (inst->operand_count - 1) & 1;
        r->half_keeps = (r->half_high || !inst->zero_high) && !inst->is_sdwa;
    }
    r->direct = r->width == 32 && !r->clamp && !r->omod && !r->flushes && !r->selects && !inst->is_dpp;
}

/* The printed operand at which the inputs begin. GFX10 and newer v_cmpx print no result. */
static unsigned first_input(const struct wl_inst *inst, const struct wl_sem *sem) {
    unsigned count = 0;
    for (unsigned i = 0; i < sem->result_count; i++)
        count += sem->results[i].role == WL_ROLE_PRINTED;
    return inst->isa && inst->isa->class == WL_ISA_CMPX && inst->operand_count < 3 ? 0 : count;
}

/* The function for an instruction of a frequent kind, with its inputs' places; NULL: it is none. */
static wl_step_fn *plain_form(const struct wl_steps_builder *b, struct wl_valu *v) {
    const uint32_t row = b->wave_size * (uint32_t)sizeof(uint32_t);
    const struct wl_valu_result *r = &v->results[0];
    bool plain = v->wave && v->result_count == 1 && (r->direct || r->is_mask) && !r->discard && !v->dpp && v->input_count >= 1 &&
                 v->input_count <= 3,
         rows = true;
    for (unsigned i = 0; plain && i < v->input_count; i++) {
        const struct wl_valu_source *s = &v->inputs[i];
        const bool is_row = s->kind == WL_SOURCE_ROW && s->direct;
        plain = is_row || s->kind == WL_SOURCE_SCALAR || s->kind == WL_SOURCE_MASK;
        rows &= is_row || s->constant;
        v->places[i] = (struct wl_valu_place){s->constant, is_row ? s->reg * row : 0};
        v->advances[i] = is_row || s->kind == WL_SOURCE_MASK ? WL_STRIP * sizeof(uint32_t) : 0;
    }
    v->result_offset = r->is_mask ? 0 : r->reg * row;
    return plain ? wave_forms[r->is_mask][rows][v->input_count - 1] : NULL;
}

bool wl_valu_is(wl_step_fn *run) {
    bool is = run == run_valu || run == run_pair;
    for (unsigned i = 0; i < 12; i++)
        is |= run == wave_forms[i / 6][i / 3 % 2][i % 3];
    return is;
}

/* Constants are spread over the lanes once and for all, unless MODE has a say. */
static void spread_constants(struct wl_steps_builder *b, struct wl_valu *v) {
    for (unsigned i = 0; i < v->input_count; i++) {
        struct wl_valu_source *s = &v->inputs[i];
        union wl_values *x = s->kind == WL_SOURCE_SCALAR && s->scalar.kind == WL_SCALAR_CONSTANT && !s->flushes
                                 ? wl_steps_allocate(b, (sizeof *x + 63) / 64 * 64 + 64)
                                 : NULL;
        if (!x)
            continue;
        x = (union wl_values *)(((uintptr_t)x + 127) & ~(uintptr_t)127);
        splat(x, s->scalar.constant, s->scalar.bits);
        change(NULL, x, s, s->scalar.bits == 16);
        s->constant = x;
    }
}

static struct wl_valu *plan(struct wl_steps_builder *b, const struct wl_inst *inst, const struct wl_sem *sem) {
    struct wl_valu *v = NULL;
    if (sem->input_count <= WL_VALU_INPUTS && sem->result_count <= WL_VALU_RESULTS)
        v = wl_steps_allocate(b, sizeof *v + sem->input_count * sizeof v->inputs[0]);
    if (!v) {
        wl_steps_refuse(b, inst);
        return NULL;
    }
    v->sem = sem;
    v->native = wl_steps_native(sem);
    v->wave = wl_steps_wave(sem);
    v->result_count = sem->result_count;
    v->input_count = sem->input_count;
    v->dpp = inst->is_dpp;
    v->dpp_kind = inst->dpp;
    v->dpp_control = inst->dpp_control;
    v->row_mask = inst->row_mask;
    v->bank_mask = inst->bank_mask;
    v->bound_ctrl = inst->bound_ctrl;
    v->fetch_inactive = inst->fetch_inactive;
    unsigned printed = first_input(inst, sem), source = 0;
    for (unsigned i = 0; i < sem->input_count; i++) {
        bool is_printed = sem->inputs[i].role == WL_ROLE_PRINTED;
        const struct wl_operand *operand = is_printed ? printed_operand(inst, &printed) : &inst->operands[0];
        if (!plan_input(b, v, &v->inputs[i], inst, operand, sem->inputs[i], source))
            wl_steps_refuse(b, inst);
        source += is_printed;
    }
    printed = 0;
    for (unsigned i = 0; i < sem->result_count; i++) {
        bool is_printed = sem->results[i].role == WL_ROLE_PRINTED;
        plan_result(b, &v->results[i], inst, is_printed ? printed_operand(inst, &printed) : &inst->operands[0], sem->results[i]);
    }
    if (v->dpp && !v->dpp_rows) /* its source is no vector register */
        wl_steps_refuse(b, inst);
    if (!b->status)
        spread_constants(b, v);
    return v;
}

bool wl_steps_valu(struct wl_steps_builder *b, const struct wl_inst *inst) {
    const struct wl_sem *sem = inst->sem;
    if (inst->isa && inst->isa->class == WL_ISA_CMPX) {
        char name[sizeof inst->mnemonic];
        name[0] = 0;
        strcat(strcpy(name, "v_cmp"), inst->mnemonic + strlen("v_cmpx"));
        sem = wl_sem_find(name, b->request->features);
    } else if (sem) {
        sem = wl_steps_choose(b, sem);
    }
    if (!sem || sem->scalar)
        return false;
    struct wl_valu *v = plan(b, inst, sem);
    if (v && inst->paired) {
        const struct wl_inst *next = inst + 1;
        v->second = next->sem ? plan(b, next, wl_steps_choose(b, next->sem)) : NULL;
        if (!v->second)
            wl_steps_refuse(b, inst);
        b->at++;
    }
    wl_step_fn *plain = v && !v->second ? plain_form(b, v) : NULL;
    if (v)
        wl_steps_add(b, v->second ? run_pair : plain ? plain : run_valu, v);
    return true;
}
