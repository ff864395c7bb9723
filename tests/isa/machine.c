#include "machine.h"

#include "../translate/test_semantics.h"
#include "lanes.h"
#include "references.h"
#include "text.h"
#include "translate/isa/isa.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- sources ---- */

static bool is_on(const struct machine *m, unsigned lane) { return m->s[MACHINE_EXEC + lane / 32] >> lane % 32 & 1; }

static uint64_t fraction(double number, char type) {
    if (number > 0.159 && number < 0.16) /* 1 / (2 pi) has a pattern of its own a width */
        return type == 'd' || type == 'q'                  ? 0x3fc45f306dc9c882
               : type == 'h' || type == 'H' || type == 'w' ? 0x3118
               : type == 'B'                               ? 0x3e22
                                                           : 0x3e22f983;
    switch (type) {
    case 'd':
    case 'q':
        return f64_bits(number);
    case 'h':
    case 'H':
    case 'w':
        return f16_bits(number);
    case 'B':
        return f32_bits((float)number) >> 16;
    default:
        return f32_bits((float)number);
    }
}

static unsigned dwords_of(char type) { return type == 'x' ? 4 : strchr("qdF", type) ? 2 : 1; }

static uint64_t constant(const struct operand *op, char type, bool is_signed) {
    if (op->kind == FRACTION)
        return type == 'F' ? fraction(op->number, type) * UINT64_C(0x100000001) : fraction(op->number, type);
    if (op->literal && type == 'd')
        return op->bits << 32;
    if (op->literal && type == 'q')
        return is_signed ? (uint64_t)(int64_t)(int32_t)op->bits : op->bits;
    if (type == 'F')
        return (op->bits & UINT32_MAX) * UINT64_C(0x100000001);
    return dwords_of(type) == 2 ? op->bits : op->bits & UINT32_MAX;
}

/* The lane that DPP reads for `lane`, or -1 if there is none. */
static int dpp_lane(const struct machine *m, const struct line *line, int lane) {
    const char *kind = line->dpp_kind;
    int n = (int)line->dpp_number, row = lane & ~15, in = lane & 15, last = (int)m->wave_size - 1;
    if (machine_starts(kind, "quad_perm"))
        return (lane & ~3) + (int)line->dpp_list[lane & 3];
    if (machine_starts(kind, "dpp8"))
        return (lane & ~7) + (int)line->dpp_list[lane & 7];
    if (machine_starts(kind, "row_shl"))
        return in + n <= 15 ? lane + n : -1;
    if (machine_starts(kind, "row_shr"))
        return in >= n ? lane - n : -1;
    if (machine_starts(kind, "row_ror"))
        return row + (in + 16 - n) % 16;
    if (machine_starts(kind, "wave_shl"))
        return lane == last ? -1 : lane + 1;
    if (machine_starts(kind, "wave_rol"))
        return (lane + 1) % (last + 1);
    if (machine_starts(kind, "wave_shr"))
        return lane - 1;
    if (machine_starts(kind, "wave_ror"))
        return (lane + last) % (last + 1);
    if (machine_starts(kind, "row_mirror"))
        return row + 15 - in;
    if (machine_starts(kind, "row_half_mirror"))
        return (lane & ~7) + 7 - (lane & 7);
    if (machine_starts(kind, "row_bcast"))
        return n == 31 ? (lane >= 32 ? 31 : -1) : row - 1;
    if (machine_starts(kind, "row_xmask"))
        return row + (in ^ n);
    return row + n; /* row_share, row_newbcast */
}

/* src_scc, src_vccz, src_execz */
static bool is_one(const struct machine *m, const struct operand *op) {
    unsigned reg = op->kind == VCCZ ? MACHINE_VCC : MACHINE_EXEC;
    if (op->kind == SGPR)
        return m->s[op->reg];
    return op->kind != NO_REGISTER && m->s[reg] == 0 && (m->wave_size == 32 || m->s[reg + 1] == 0);
}

/* The raw dwords of a source in a lane; *enabled becomes false where DPP leaves the lane alone. */
static uint64_t raw_source(const struct machine *m, const struct line *line, const struct operand *op, unsigned source, unsigned lane,
                           char type, bool is_signed, uint64_t *high, bool *enabled) {
    *high = 0;
    if (op->kind == SGPR) {
        if (type == 'x' && op->count > 1) /* not src_scc */
            *high = m->s[op->reg + 2] | (uint64_t)m->s[op->reg + 3] << 32;
        return m->s[op->reg] | (op->count > 1 ? (uint64_t)m->s[op->reg + 1] << 32 : 0);
    }
    if (op->kind == VCCZ || op->kind == EXECZ)
        return is_one(m, op);
    if (op->kind == NO_REGISTER)
        return 0;
    if (op->kind != VGPR)
        return constant(op, type, is_signed);
    if (line->dpp && source == 0) {
        int from = dpp_lane(m, line, (int)lane);
        bool row_off = !(line->row_mask >> lane / 16 & 1) || !(line->bank_mask >> lane / 4 % 4 & 1);
        bool found = from >= 0 && (line->fi || is_on(m, (unsigned)from));
        if (machine_starts(line->dpp_kind, "dpp8"))
            return found ? m->v[op->reg][from] : 0;
        if (row_off || (!found && !line->bound))
            *enabled = false;
        return found ? m->v[op->reg][from] | (op->count > 1 ? (uint64_t)m->v[op->reg + 1][from] << 32 : 0) : 0;
    }
    if (type == 'x')
        *high = m->v[op->reg + 2][lane] | (uint64_t)m->v[op->reg + 3][lane] << 32;
    return m->v[op->reg][lane] | (op->count > 1 ? (uint64_t)m->v[op->reg + 1][lane] << 32 : 0);
}

static uint64_t select_bits(uint64_t value, unsigned sel, bool sign) {
    if (!sel)
        return value;
    unsigned bits = sel <= 4 ? 8 : 16, shift = sel <= 4 ? 8 * (sel - 1) : 16 * (sel - 5);
    uint32_t part = (uint32_t)(value >> shift << (32 - bits));
    return sign ? (uint32_t)((int32_t)part >> (32 - bits)) : part >> (32 - bits);
}

static bool is_mix(const char *name) {
    return strstr(name, "_mix") && (machine_starts(name, "v_fma_mix") || machine_starts(name, "v_mad_mix"));
}

static uint64_t modify(uint64_t value, char type, bool absolute, bool negate) {
    uint64_t sign = type == 'd' || type == 'q' ? UINT64_C(1) << 63 : type == 'h' || type == 'w' || type == 'B' ? 0x8000 : 0x80000000;
    if (absolute)
        value &= ~sign;
    return negate ? value ^ sign : value;
}

static uint64_t pick_pair(const struct line *line, unsigned source, uint64_t value, unsigned width, bool is_float) {
    uint64_t mask = (UINT64_C(1) << width) - 1, sign = UINT64_C(1) << (width - 1);
    bool high_part = line->has_op_sel_hi ? line->op_sel_hi >> source & 1 : true;
    uint64_t low = value >> (line->op_sel >> source & 1 ? width : 0) & mask, high = value >> (high_part ? width : 0) & mask;
    if (is_float && line->neg_lo >> source & 1)
        low ^= sign;
    if (is_float && line->neg_hi >> source & 1)
        high ^= sign;
    return low | high << width;
}

/* A source as the reference takes it. */
static uint64_t source_value(const struct machine *m, const struct line *line, const struct operand *op, unsigned source, unsigned lane,
                             char type, uint64_t *high, bool *enabled) {
    bool is_signed = strstr(line->name, "_i64") != NULL;
    char constant_type = type == 'P' && strstr(line->name, "bf16") ? 'B' : type;
    uint64_t value = raw_source(m, line, op, source, lane, constant_type, is_signed, high, enabled);
    bool upper = op->half || (line->op_sel >> source & 1);
    if (is_mix(line->name)) {
        if (line->op_sel_hi >> source & 1)
            value = f32_bits((float)as_f16((line->op_sel >> source & 1 ? value >> 16 : value) & 0xffff));
        return modify(value & UINT32_MAX, 'f', op->abs, op->neg);
    }
    switch (type) {
    case 'H':
        return pick_pair(line, source, value & UINT32_MAX, 16, true);
    case 'P':
        return pick_pair(line, source, value & UINT32_MAX, 16, strstr(line->name, "bf16") != NULL);
    case 'F':
        return pick_pair(line, source, value, 32, true);
    case 'h':
    case 'w':
    case 'B':
        if (line->sdwa && source < 2)
            value = select_bits(value, line->source_sel[source], op->sext);
        else if (upper)
            value >>= 16;
        return modify(value & 0xffff, type, op->abs, op->neg);
    case 'q':
    case 'd':
        return modify(value, type, op->abs, op->neg);
    case 'x':
        return value;
    default:
        if (line->sdwa && source < 2)
            value = select_bits(value, line->source_sel[source], op->sext);
        if (type == 'f' && line->neg_lo >> source & 1)
            value ^= 0x80000000;
        return modify(value & UINT32_MAX, type, op->abs, op->neg);
    }
}

static bool mask_bit(const struct machine *m, const struct operand *op, unsigned lane) {
    if (op->kind == NUMBER)
        return op->bits >> lane & 1;
    if (op->kind != SGPR || op->reg == MACHINE_SCC) /* a number of one bit */
        return lane == 0 && is_one(m, op);
    return m->s[op->reg + lane / 32] >> lane % 32 & 1;
}

/* ---- results ---- */

/* GFX9: a 16-bit result clears the upper half, but for the instructions of VOP3 that have op_sel. */
static bool clears_upper(const struct machine *m, const struct line *line) {
    static const char *const keep[] = {"v_mad_f16",  "v_mad_u16",  "v_mad_i16",  "v_fma_f16",  "v_div_fixup_f16", "v_add_i16",
                                       "v_sub_i16",  "v_min3_f16", "v_min3_i16", "v_min3_u16", "v_max3_f16",      "v_max3_i16",
                                       "v_max3_u16", "v_med3_f16", "v_med3_i16", "v_med3_u16"};
    char name[48];
    snprintf(name, sizeof name, "%s", line->printed);
    machine_cut_tail(name, "_e64");
    for (unsigned i = 0; i < sizeof keep / sizeof *keep; i++)
        if (strcmp(name, keep[i]) == 0)
            return false;
    return m->generation == 9 && !is_mix(line->name);
}

static double clamped(double x) { return x > 0 ? x < 1 ? x : 1 : 0; }

static double scaled(const struct line *line, double x) {
    static const double factors[] = {1, 2, 4, 0.5};
    return x * factors[line->omod];
}

static uint64_t output(const struct line *line, uint64_t value, char type) {
    bool change = line->clamp || line->omod;
    if (!change)
        return value;
    switch (type) {
    case 'f': {
        float x = (float)scaled(line, as_f32(value));
        return line->clamp ? f32_bits((float)clamped(x)) : isnan(x) ? value : f32_bits(x);
    }
    case 'd': {
        double x = scaled(line, as_f64(value));
        return line->clamp ? f64_bits(clamped(x)) : isnan(x) ? value : f64_bits(x);
    }
    case 'h': {
        double x = as_f16(f16_bits(scaled(line, as_f16(value))));
        return f16_bits(line->clamp ? clamped(x) : x);
    }
    case 'H':
        return line->clamp ? f16_bits(clamped(as_f16(value & 0xffff))) | f16_bits(clamped(as_f16(value >> 16 & 0xffff))) << 16 : value;
    case 'F':
        return line->clamp ? f32_bits((float)clamped(as_f32(value & UINT32_MAX))) | f32_bits((float)clamped(as_f32(value >> 32))) << 32
                           : value;
    default:
        return value;
    }
}

static void place_sdwa(const struct line *line, uint32_t *row, uint32_t value) {
    unsigned sel = line->dst_sel;
    if (!sel) {
        *row = value;
        return;
    }
    unsigned bits = sel <= 4 ? 8 : 16, shift = sel <= 4 ? 8 * (sel - 1) : 16 * (sel - 5);
    uint32_t field = (bits == 8 ? 0xffu : 0xffffu) << shift;
    if (line->dst_unused == 0)
        *row = value << shift & field;
    else if (line->dst_unused == 1)
        *row = (uint32_t)((int32_t)(value << (32 - bits)) >> (32 - bits)) << shift;
    else
        *row = (*row & ~field) | (value << shift & field);
}

static void tag_result(struct machine *m, const struct line *line, const struct operand *op, char type, double ulp, bool upper) {
    struct machine_tag *tags = op->kind == VGPR ? m->row_tags : m->scalar_tags;
    char kind = 0;
    if (line->sdwa && line->dst_sel)
        type = line->dst_sel == 5 && type == 'h' ? 'h' : line->dst_sel == 6 && type == 'h' ? 'g' : 'i';
    else if (type == 'h' && upper)
        type = 'g';
    else if (type == 'B')
        type = upper ? 'c' : 'b';
    if (strchr("fhgHdbc", type))
        kind = type;
    if (type == 'F') {
        tags[op->reg] = tags[op->reg + 1] = (struct machine_tag){'f', ulp};
        return;
    }
    if (kind)
        tags[op->reg] = (struct machine_tag){kind, ulp};
    if (kind == 'd')
        tags[op->reg + 1] = (struct machine_tag){'e', ulp};
}

static bool is_upper(const struct line *line, unsigned results) {
    if (is_mix(line->name))
        return strstr(line->name, "mixhi") != NULL;
    return line->op[0].half || (line->op_sel >> (line->count - results) & 1);
}

static void write_lane(struct machine *m, const struct line *line, const struct operand *op, char type, uint64_t value, uint64_t high,
                       unsigned lane, unsigned results) {
    uint32_t *row = &m->v[op->reg][lane];
    switch (type) {
    case 'h':
    case 'w':
    case 'B':
        value &= 0xffff;
        if (line->sdwa)
            place_sdwa(line, row, (uint32_t)value);
        else if (is_upper(line, results))
            *row = (*row & 0xffff) | (uint32_t)value << 16;
        else
            *row = clears_upper(m, line) ? (uint32_t)value : (*row & 0xffff0000) | (uint32_t)value;
        break;
    case 'x':
        m->v[op->reg + 2][lane] = (uint32_t)high;
        m->v[op->reg + 3][lane] = (uint32_t)(high >> 32);
        /* fall through */
    case 'q':
    case 'd':
    case 'F':
        *row = (uint32_t)value;
        m->v[op->reg + 1][lane] = (uint32_t)(value >> 32);
        break;
    default:
        if (line->sdwa)
            place_sdwa(line, row, (uint32_t)value);
        else
            *row = (uint32_t)value;
    }
}

/* ---- instructions ---- */

static const struct reference *find_reference(const char *name) {
    static const struct reference *const tables[] = {integer_references, float_references, more_references};
    for (unsigned t = 0; t < 3; t++)
        for (const struct reference *r = tables[t]; r->name; r++)
            if (strcmp(r->name, name) == 0)
                return r;
    return NULL;
}

static bool is_float_type(char type) { return type && strchr("fdhHF", type); }

/* gfx11: neg_lo says which operands of these are signed. */
static void dot_by_signs(const struct line *line, uint64_t *d, const uint64_t *s) {
    unsigned bits = line->name[5] == '4' ? 8 : 4;
    int64_t sum = (int32_t)s[2];
    for (unsigned i = 0; i < 32; i += bits) {
        int64_t a = (int64_t)(s[0] >> i) & ((1 << bits) - 1), b = (int64_t)(s[1] >> i) & ((1 << bits) - 1);
        if (line->neg_lo & 1 && a >> (bits - 1))
            a -= 1 << bits;
        if (line->neg_lo & 2 && b >> (bits - 1))
            b -= 1 << bits;
        sum += a * b;
    }
    if (line->clamp)
        sum = sum > INT32_MAX ? INT32_MAX : sum < INT32_MIN ? INT32_MIN : sum;
    d[0] = (uint32_t)sum;
}

struct plan {
    struct machine_signature signature;
    const struct reference *reference;
    unsigned results; /* printed */
};

static const uint64_t untouched = UINT64_C(0x5a5a5a5a12345678);

static void compute(const struct machine *m, const struct line *line, const struct plan *plan, unsigned lane, uint64_t d[4], uint64_t *scc,
                    bool *enabled) {
    uint64_t s[12] = {0}, high = 0;
    unsigned printed = plan->results, source = 0;
    for (unsigned i = 0; plan->signature.inputs[i]; i++) {
        char type = plan->signature.inputs[i];
        if (type == 'o') {
            static const struct line no_modifiers;
            struct line bare = no_modifiers;
            bool ignored;
            char of = plan->signature.results[0];
            struct operand old = line->op[0];
            snprintf(bare.name, sizeof bare.name, "%s", line->name);
            old.neg = old.abs = false;
            bare.op_sel = (of == 'h' || of == 'w') && is_upper(line, plan->results);
            bare.op_sel_hi = 7;
            bare.has_op_sel_hi = true;
            s[i] = source_value(m, &bare, &old, 0, lane, of, &high, &ignored);
        } else if (type == 'C') {
            s[i] = m->s[MACHINE_SCC];
        } else if (type == 'V') {
            s[i] = m->s[MACHINE_VCC + lane / 32] >> lane % 32 & 1 ? UINT32_MAX : 0;
        } else if (type == 'm') {
            struct operand vcc = {.kind = SGPR, .reg = MACHINE_VCC}; /* not printed in VOPD */
            s[i] = mask_bit(m, printed < line->count ? &line->op[printed] : &vcc, lane) ? UINT32_MAX : 0;
            printed++;
        } else {
            s[i] = source_value(m, line, &line->op[printed++], source++, lane, type, &high, enabled);
            s[8] = type == 'x' ? high : s[8];
        }
    }
    d[0] = d[1] = untouched;
    if (strstr(line->name, "_iu8") || strstr(line->name, "_iu4"))
        dot_by_signs(line, d, s);
    else
        plan->reference->compute(d, s);
    *scc = d[1];
}

static void execute_scalar(struct machine *m, const struct line *line, const struct plan *plan) {
    uint64_t d[4] = {0}, scc;
    bool enabled;
    char type = plan->signature.results[0];
    compute(m, line, plan, 0, d, &scc, &enabled);
    if (!type) {
        m->s[MACHINE_SCC] = d[0] != 0;
        return;
    }
    d[0] = output(line, d[0], type);
    m->s[line->op[0].reg] = (uint32_t)d[0];
    if (dwords_of(type) == 2)
        m->s[line->op[0].reg + 1] = (uint32_t)(d[0] >> 32);
    tag_result(m, line, &line->op[0], type, plan->reference ? plan->reference->ulp : 0, false);
    if (scc != untouched)
        m->s[MACHINE_SCC] = scc != 0;
}

static void set_mask(struct machine *m, unsigned reg, uint64_t mask) {
    m->s[reg] = (uint32_t)mask;
    if (m->wave_size == 64)
        m->s[reg + 1] = (uint32_t)(mask >> 32);
}

/* All lanes read before any writes. */
static void execute_vector(struct machine *m, const struct machine *before, const struct line *line, const struct plan *plan) {
    uint64_t mask = 0;
    char type = plan->signature.results[0];
    bool compares = type == 'm', exec = machine_starts(line->name, "v_cmpx");
    for (unsigned lane = 0; lane < m->wave_size; lane++) {
        uint64_t d[4] = {0}, second;
        bool enabled = true;
        if (!is_on(before, lane))
            continue;
        compute(before, line, plan, lane, d, &second, &enabled);
        mask |= (uint64_t)((compares ? d[0] : second == untouched ? 0 : second) != 0) << lane;
        if (!compares && enabled)
            write_lane(m, line, &line->op[0], type, output(line, d[0], type), d[2], lane, plan->results);
    }
    if (!compares)
        tag_result(m, line, &line->op[0], type, plan->reference ? plan->reference->ulp : 0, is_upper(line, plan->results));
    if (compares && exec)
        set_mask(m, MACHINE_EXEC, mask);
    if (compares && plan->results && line->op[0].kind == SGPR)
        set_mask(m, line->op[0].reg, mask);
    if (!compares && plan->signature.results[1] == 'm' && line->op[1].kind == SGPR)
        set_mask(m, line->op[1].reg, mask);
}

static uint64_t wide_scalar(const struct machine *m, const struct operand *op, unsigned count) {
    if (op->kind != SGPR)
        return constant(op, count == 2 ? 'q' : 'i', false);
    return m->s[op->reg] | (count == 2 && op->count == 2 ? (uint64_t)m->s[op->reg + 1] << 32 : 0);
}

/* s_OP_saveexec, s_OP_wrexec */
static enum machine_result save_exec(struct machine *m, const struct line *line) {
    bool wide = strstr(line->name, "_b64") != NULL; /* whatever the size of the wave */
    uint64_t all = wide ? UINT64_MAX : UINT32_MAX, exec = m->s[MACHINE_EXEC] | (wide ? (uint64_t)m->s[MACHINE_EXEC + 1] << 32 : 0);
    uint64_t source = wide_scalar(m, &line->op[1], wide ? 2 : 1), result;
    const char *op = line->name + 2;
    if (machine_starts(op, "and_not0"))
        result = ~source & exec;
    else if (machine_starts(op, "and_not1"))
        result = source & ~exec;
    else if (machine_starts(op, "or_not0"))
        result = ~source | exec;
    else if (machine_starts(op, "or_not1"))
        result = source | ~exec;
    else if (machine_starts(op, "and"))
        result = source & exec;
    else if (machine_starts(op, "or"))
        result = source | exec;
    else if (machine_starts(op, "xor"))
        result = source ^ exec;
    else if (machine_starts(op, "nand"))
        result = ~(source & exec);
    else if (machine_starts(op, "nor"))
        result = ~(source | exec);
    else
        result = ~(source ^ exec);
    result &= all;
    uint64_t saved = strstr(op, "wrexec") ? result : exec;
    m->s[line->op[0].reg] = (uint32_t)saved;
    m->s[MACHINE_EXEC] = (uint32_t)result;
    if (wide) {
        m->s[line->op[0].reg + 1] = (uint32_t)(saved >> 32);
        m->s[MACHINE_EXEC + 1] = (uint32_t)(result >> 32);
    }
    m->s[MACHINE_SCC] = result != 0;
    return MACHINE_DONE;
}

bool machine_is_elsewhere(const char *name) {
    static const char *const prefixes[] = {
        "v_mfma",      "v_smfmac",   "v_wmma",      "v_swmmac",  "v_movrel",      "v_div_scale", "s_movrel",  "s_set_gpr",
        "s_getpc",     "s_setpc",    "s_swappc",    "s_call",    "s_getreg",      "s_setreg",    "s_sendmsg", "s_version",
        "s_cbranch",   "s_barrier",  "s_sleep",     "v_nop",     "v_interp",      "v_swaprel",   "s_rfe",     "v_clrexcp",
        "v_pipeflush", "s_alloc",    "s_subvector", "s_waitcnt", "s_get_barrier", "s_wakeup",    "v_screen",  "s_setvskip",
        "v_accvgpr",   "lds_direct", "ds_direct",   "s_endpgm",  "s_setkill"};
    for (unsigned i = 0; i < sizeof prefixes / sizeof *prefixes; i++)
        if (machine_starts(name, prefixes[i]))
            return true;
    return strstr(name, "fp8") || strstr(name, "bf8");
}

/* s_movk, s_cmpk_X, s_addk, s_mulk: a 16-bit constant, which is extended; the last two change their destination. */
static void expand_constant(struct line *line) {
    struct operand *last = &line->op[line->count - 1];
    if (!machine_starts(line->printed, "s_movk") && !machine_starts(line->printed, "s_cmpk") && !machine_starts(line->printed, "s_cmovk") &&
        !machine_starts(line->printed, "s_addk") && !machine_starts(line->printed, "s_mulk"))
        return;
    last->literal = false;
    if (!machine_starts(line->printed, "s_cmpk") || !strstr(line->printed, "_u32"))
        last->bits = (uint64_t)(int64_t)(int16_t)last->bits;
    if (machine_starts(line->printed, "s_addk") || machine_starts(line->printed, "s_mulk")) {
        line->op[2] = line->op[1];
        line->op[1] = line->op[0];
        line->count = 3;
    }
}

/* Saturation changes nothing: moves, bits, order, conversions (which saturate anyway). */
static bool cannot_overflow(const char *name) {
    static const char *const prefixes[] = {"v_cmp",    "v_min",   "v_max",   "v_med3", "v_and",    "v_or",     "v_xor",     "v_xnor",
                                           "v_not",    "v_lshl",  "v_lshr",  "v_ashr", "v_cvt",    "v_mov",    "v_cndmask", "v_bf",
                                           "v_perm",   "v_align", "v_frexp", "v_sat",  "v_pk_min", "v_pk_max", "v_pk_lsh",  "v_pk_ash",
                                           "v_mul_hi", "v_cls",   "v_clz",   "v_ctz",  "v_pack",   "v_pk_mov"};
    for (unsigned i = 0; i < sizeof prefixes / sizeof *prefixes; i++)
        if (machine_starts(name, prefixes[i]) && !machine_starts(name, "v_lshl_add"))
            return true;
    return false;
}

static enum machine_result make_plan(struct line *line, struct plan *plan) {
    char name[64];
    expand_constant(line);
    snprintf(name, sizeof name, "%.*s", (int)sizeof line->name, line->name);
    if (machine_starts(name, "v_cmpx_"))
        memmove(name + 5, name + 6, strlen(name + 6) + 1);
    bool unprinted = machine_starts(line->name, "v_cmpx_") && line->count < 3;
    if (!machine_find_signature(name, line->count + unprinted, &plan->signature))
        return MACHINE_UNKNOWN;
    if (strcmp(name, "v_dot2_f32_f16") == 0)
        line->clamp = false; /* it has no effect there (docs/NUMERICS.md) */
    plan->results = unprinted ? 0 : (unsigned)strlen(plan->signature.results);
    if (line->clamp && !is_float_type(plan->signature.results[0]) && !strstr(name, "_iu") && !cannot_overflow(name))
        strcat(name, "_clamp");
    plan->reference = find_reference(name);
    if (!plan->reference && !strstr(name, "_iu"))
        return MACHINE_UNKNOWN;
    char result = plan->signature.results[0];
    if (line->sdwa && is_float_type(result) && line->dst_sel && (result != 'h' || line->dst_sel <= 4 || line->dst_unused == 1))
        return MACHINE_ELSEWHERE;                          /* a part of a NaN's bits */
    for (unsigned i = plan->results; i < line->count; i++) /* signs of pairs are said by neg_lo and neg_hi */
        if (strchr("HP", plan->signature.inputs[i - plan->results]) && (line->op[i].neg || line->op[i].abs))
            return MACHINE_ELSEWHERE;
    if ((result == 'H' && line->omod) || (strcmp(name, "v_pk_mov_b32") == 0 && line->neg_lo | line->neg_hi))
        return MACHINE_ELSEWHERE;
    for (unsigned i = plan->results; i < line->count; i++)
        if (strchr("hwB", plan->signature.inputs[i - plan->results]) && line->op[i].kind != VGPR &&
            (line->op[i].kind != SGPR || line->op[i].reg == MACHINE_SCC) && line->op_sel >> (i - plan->results) & 1)
            return MACHINE_ELSEWHERE; /* the upper half of a constant */
    if (is_mix(name))                 /* what a half of an inline constant is, the manuals do not say */
        for (unsigned i = 1; i < line->count; i++)
            if (line->op[i].kind != VGPR && line->op[i].kind != SGPR && line->op_sel_hi >> (i - 1) & 1)
                return MACHINE_ELSEWHERE;
    return MACHINE_DONE;
}

uint32_t machine_dword(const struct machine *m, const struct line *line, unsigned operand, unsigned lane, bool *enabled) {
    uint64_t high;
    return (uint32_t)raw_source(m, line, &line->op[operand], operand - 1, lane, 'i', false, &high, enabled);
}

enum machine_result machine_step(struct machine *m, const char *text) {
    static struct machine before;
    struct line lines[2];
    struct plan plans[2];
    const char *second = machine_starts(text, "v_dual_") ? strstr(text, " :: ") : NULL;
    unsigned count = second ? 2 : 1;
    machine_read_line(m, text, second ? (size_t)(second - text) : strlen(text), &lines[0]);
    if (second)
        machine_read_line(m, second + 4, strlen(second + 4), &lines[1]);
    if (machine_is_elsewhere(lines[0].name))
        return MACHINE_ELSEWHERE;
    if (strstr(lines[0].name, "saveexec") || strstr(lines[0].name, "wrexec"))
        return save_exec(m, &lines[0]);
    for (unsigned i = 0; i < count; i++)
        for (unsigned o = 0; o < lines[i].count; o++)
            if (lines[i].op[o].kind == OTHER || lines[i].op[o].kind == NONE)
                return MACHINE_ELSEWHERE;
    if (machine_lanes(m, &lines[0]))
        return MACHINE_DONE;
    for (unsigned i = 0; i < count; i++) {
        enum machine_result result = make_plan(&lines[i], &plans[i]);
        if (result != MACHINE_DONE)
            return result;
    }
    if (lines[0].name[0] == 's' || machine_starts(lines[0].name, "v_s_")) {
        execute_scalar(m, &lines[0], &plans[0]);
        return MACHINE_DONE;
    }
    before = *m;
    for (unsigned i = 0; i < count; i++)
        execute_vector(m, &before, &lines[i], &plans[i]);
    return MACHINE_DONE;
}
