/* Scalar instructions and scalar memory, as steps; and scalar operands of all others. */
#include "translate/steps/salu.h"

#include "base/cpu.h"
#include "base/whole.h"
#include "machine/helpers.h"

enum { HWREG_MODE = 1, HWREG_SH_MEM_BASES = 15, MAX_DWORDS = 16, MAX_OFFSETS = 3 };

/* ---- operands ---- */

static uint64_t constant_of(const struct wl_operand *operand, enum wl_type type) {
    unsigned bits = wl_type_bits(type);
    bool is_float = wl_type_is_float(type) && type != WL_PKF32, is_signed = type == WL_I32 || type == WL_I64 || type == WL_I16;
    if (type == WL_PKF16 && operand->is_float) /* a constant's number fills the low half alone, an integer both */
        return wl_operand_bits(operand, 16, true, false);
    if ((type == WL_PKBF16 || type == WL_BF16) && operand->is_float)
        return wl_operand_bits(operand, 32, true, false) >> 16;
    if (type == WL_PKF16 || type == WL_PKBF16 || type == WL_PKU16 || type == WL_PKI16)
        return wl_operand_bits(operand, 32, false, true);
    if (type == WL_PKF32) /* both halves are the f32 */
        return (wl_operand_bits(operand, 32, true, false) & UINT32_MAX) * UINT64_C(0x100000001);
    return wl_operand_bits(operand, bits, is_float, is_signed);
}

static bool plan_special(struct wl_scalar *s, unsigned special) {
    switch (special) {
    case WL_SPECIAL_SHARED_BASE:
        s->constant = (uint64_t)WL_SHARED_APERTURE_HI << 32;
        return true;
    case WL_SPECIAL_SHARED_LIMIT:
        s->constant = (uint64_t)WL_SHARED_APERTURE_HI << 32 | UINT32_MAX;
        return true;
    case WL_SPECIAL_PRIVATE_BASE:
        s->constant = (uint64_t)WL_PRIVATE_APERTURE_HI << 32;
        return true;
    case WL_SPECIAL_PRIVATE_LIMIT:
        s->constant = (uint64_t)WL_PRIVATE_APERTURE_HI << 32 | UINT32_MAX;
        return true;
    case WL_SPECIAL_FLAT_SCRATCH_BASE_LO:
        s->constant = (uint64_t)WL_FLAT_SCRATCH_HI << 32;
        return true;
    case WL_SPECIAL_FLAT_SCRATCH_BASE_HI:
        s->constant = WL_FLAT_SCRATCH_HI;
        return true;
    case WL_SPECIAL_POPS_EXITING_WAVE_ID:
        return true;
    case WL_SPECIAL_SCC:
        s->kind = WL_SCALAR_SCC;
        return true;
    case WL_SPECIAL_VCCZ:
        s->kind = WL_SCALAR_VCCZ;
        return true;
    case WL_SPECIAL_EXECZ:
        s->kind = WL_SCALAR_EXECZ;
        return true;
    case WL_SPECIAL_LDS_DIRECT:
        s->kind = WL_SCALAR_LDS_DIRECT;
        return true;
    default:
        return false;
    }
}

bool wl_scalar_plan(struct wl_scalar *s, const struct wl_operand *operand, enum wl_type type) {
    unsigned bits = wl_type_bits(type);
    *s = (struct wl_scalar){.kind = WL_SCALAR_CONSTANT, .bits = (uint8_t)bits, .reg = operand->reg};
    if (bits > 64)
        return false;
    switch (operand->kind) {
    case WL_OPERAND_SGPR:
        s->kind = bits == 64 && operand->count > 1 ? WL_SCALAR_SGPR64 : WL_SCALAR_SGPR;
        return true;
    case WL_OPERAND_IMM:
        s->constant = constant_of(operand, type);
        break;
    case WL_OPERAND_OFF:
        break;
    case WL_OPERAND_SPECIAL:
        if (!plan_special(s, operand->reg))
            return false;
        break;
    case WL_OPERAND_TEXT:
    case WL_OPERAND_LABEL:
        s->constant = operand->bits;
        break;
    default:
        return false;
    }
    if (bits < 64)
        s->constant &= (UINT64_C(1) << bits) - 1;
    return true;
}

uint32_t wl_machine_lds_direct(const struct wl_machine *m) {
    uint32_t m0 = m->sgpr[WL_SGPR_M0], type = m0 >> 16 & 7, dword; /* types: 0 byte, 1 half, 2 dword; 4 and 5 sign-extended */
    memcpy(&dword, m->wave->lds + (m0 & 0xfffc), sizeof dword);
    uint32_t part = dword >> (m0 & 3) * 8;
    if ((type & 3) >= 2)
        return dword;
    if (type & 3)
        return type >= 4 ? (uint32_t)(int16_t)part : (uint16_t)part;
    return type >= 4 ? (uint32_t)(int8_t)part : (uint8_t)part;
}

uint64_t wl_scalar_read(const struct wl_machine *m, const struct wl_scalar *s) {
    uint64_t value = 0;
    switch ((enum wl_scalar_kind)s->kind) {
    case WL_SCALAR_CONSTANT:
        return s->constant;
    case WL_SCALAR_SGPR:
        value = m->sgpr[s->reg];
        break;
    case WL_SCALAR_SGPR_HIGH:
        value = m->sgpr[s->reg] >> 16;
        break;
    case WL_SCALAR_SGPR64:
        return wl_machine_sgpr64(m, s->reg);
    case WL_SCALAR_SCC:
        value = m->sgpr[WL_SGPR_SCC];
        break;
    case WL_SCALAR_VCCZ:
        value = wl_machine_mask(m, WL_SGPR_VCC) == 0;
        break;
    case WL_SCALAR_EXECZ:
        value = wl_machine_exec(m) == 0;
        break;
    case WL_SCALAR_LDS_DIRECT:
        value = wl_machine_lds_direct(m);
        break;
    }
    return s->bits == 16 ? value & 0xffff : value;
}

/* ---- instructions with semantics ---- */

static const struct wl_step *run_salu(struct wl_machine *m, const struct wl_step *step) {
    const struct wl_salu *s = step->data;
    _Alignas(16) uint64_t values[2 * WL_SEM_SLOTS][2];
    void *pointers[2 * WL_SEM_SLOTS];
    for (unsigned i = 0; i < s->result_count; i++) {
        pointers[i] = values[i];
        values[i][0] = 0;
    }
    for (unsigned i = 0; i < s->input_count; i++) {
        values[s->result_count + i][0] = wl_salu_read(m, &s->inputs[i], m->wave->mode_register);
        pointers[s->result_count + i] = values[s->result_count + i];
    }
    wl_steps_call(s->native, pointers, (unsigned)s->result_count + s->input_count);
    for (unsigned i = 0; i < s->result_count; i++) {
        const struct wl_salu_result *r = &s->results[i];
        uint64_t value = values[i][0];
        if (r->flushes && !(m->wave->mode_register & WL_FLUSH_RESULTS))
            value = wl_flush_f32((uint32_t)value);
        if (r->registers)
            m->sgpr[r->reg] = (uint32_t)value;
        if (r->registers == 2)
            m->sgpr[r->reg + 1] = (uint32_t)(value >> 32);
    }
    return step + 1;
}

/* The most frequent kind: registers and constants in as they are, registers out. The semantics read and write them in their places.
 * COUNT results and inputs; made once for each number. */
static inline __attribute__((always_inline)) const struct wl_step *run_direct(struct wl_machine *m, const struct wl_step *step,
                                                                              const unsigned count) {
    const struct wl_salu *s = step->data;
    void *pointers[5];
    for (unsigned i = 0; i < count; i++) {
        const struct wl_salu_place *place = &s->places[i];
        pointers[i] = place->constant ? (void *)(uintptr_t)place->constant : m->sgpr + place->reg;
    }
    wl_steps_call(s->native, pointers, count);
    return step + 1;
}

#define DIRECT(COUNT)                                                                                                                      \
    static const struct wl_step *run_direct_##COUNT(struct wl_machine *m, const struct wl_step *step) { return run_direct(m, step, COUNT); }
DIRECT(2)
DIRECT(3)
DIRECT(4)
DIRECT(5)

bool wl_salu_is(wl_step_fn *run) {
    return run == run_salu || run == run_direct_2 || run == run_direct_3 || run == run_direct_4 || run == run_direct_5;
}

/* Whether the semantics find the operand in its registers as they have it. */
static bool is_direct_input(const struct wl_salu_input *in) {
    const bool fits = in->scalar.kind == WL_SCALAR_CONSTANT || (in->scalar.kind == WL_SCALAR_SGPR && in->scalar.bits == 32) ||
                      in->scalar.kind == WL_SCALAR_SGPR64;
    return fits && in->keep == UINT64_MAX && !in->negate && !in->flushes;
}

/* The function for an instruction of that kind; NULL: it is none. */
static wl_step_fn *direct_form(struct wl_salu *s) {
    static wl_step_fn *const forms[] = {run_direct_2, run_direct_3, run_direct_4, run_direct_5};
    const unsigned count = (unsigned)s->result_count + s->input_count;
    if (count < 2 || count > 5)
        return NULL;
    for (unsigned i = 0; i < s->result_count; i++) {
        const struct wl_salu_result *r = &s->results[i];
        if (!r->registers || r->bits != 32u * r->registers || r->flushes)
            return NULL;
        s->places[i].reg = r->reg;
    }
    for (unsigned i = 0; i < s->input_count; i++) {
        const struct wl_salu_input *in = &s->inputs[i];
        if (!is_direct_input(in))
            return NULL;
        s->places[s->result_count + i] =
            (struct wl_salu_place){in->scalar.kind == WL_SCALAR_CONSTANT ? &in->scalar.constant : NULL, in->scalar.reg};
    }
    return forms[count - 2];
}

static const struct wl_operand *printed_operand(const struct wl_inst *inst, unsigned *next) {
    static const struct wl_operand none;
    return *next < inst->operand_count ? &inst->operands[(*next)++] : &none;
}

static bool plan_salu_input(struct wl_steps_builder *b, struct wl_salu_input *in, const struct wl_inst *inst, struct wl_slot slot,
                            unsigned *printed) {
    struct wl_operand reg = {.kind = WL_OPERAND_SGPR, .count = (uint8_t)(b->wave_size / 32)};
    const struct wl_operand *operand = &reg;
    in->keep = UINT64_MAX;
    in->negate = 0;
    in->flushes = wl_steps_flushes(b, inst, slot.type);
    switch (slot.role) {
    case WL_ROLE_SCC:
        reg.reg = WL_SGPR_SCC;
        reg.count = 1;
        break;
    case WL_ROLE_M0:
        reg.reg = WL_SGPR_M0;
        reg.count = 1;
        break;
    case WL_ROLE_EXEC:
        reg.reg = WL_SGPR_EXEC;
        return wl_scalar_plan(&in->scalar, operand, WL_U64);
    case WL_ROLE_VCC:
    case WL_ROLE_VCC_SCALAR:
        reg.reg = WL_SGPR_VCC;
        return wl_scalar_plan(&in->scalar, operand, WL_U64);
    case WL_ROLE_OLD:
        operand = &inst->operands[0];
        break;
    default:
        operand = printed_operand(inst, printed);
        uint64_t sign = UINT64_C(1) << (wl_type_bits(slot.type) - 1);
        in->keep = operand->abs ? ~sign : UINT64_MAX;
        in->negate = operand->neg ? sign : 0;
    }
    return wl_scalar_plan(&in->scalar, operand, slot.type);
}

static bool plan_salu_result(struct wl_steps_builder *b, struct wl_salu_result *r, const struct wl_inst *inst, struct wl_slot slot,
                             unsigned *printed) {
    *r = (struct wl_salu_result){.bits = (uint8_t)wl_type_bits(slot.type), .registers = 1};
    r->flushes = wl_steps_flushes(b, inst, slot.type);
    switch (slot.role) {
    case WL_ROLE_SCC:
        r->reg = WL_SGPR_SCC;
        return true;
    case WL_ROLE_M0:
        r->reg = WL_SGPR_M0;
        return true;
    case WL_ROLE_EXEC:
        r->reg = WL_SGPR_EXEC;
        r->registers = (uint8_t)(b->wave_size / 32);
        return true;
    case WL_ROLE_VCC:
    case WL_ROLE_VCC_SCALAR:
        r->reg = WL_SGPR_VCC;
        r->registers = (uint8_t)(b->wave_size / 32);
        return true;
    default: {
        const struct wl_operand *operand = printed_operand(inst, printed);
        r->reg = operand->reg;
        r->registers = operand->kind == WL_OPERAND_OFF ? 0 : operand->count == 2 ? 2 : 1;
        return operand->kind == WL_OPERAND_SGPR || operand->kind == WL_OPERAND_OFF;
    }
    }
}

static void add_salu(struct wl_steps_builder *b, const struct wl_inst *inst) {
    const struct wl_sem *sem = wl_steps_choose(b, inst->sem);
    struct wl_salu *s = wl_steps_allocate(b, sizeof *s);
    bool good = s && !inst->omod && !inst->clamp;
    unsigned printed = 0;
    for (unsigned i = 0; i < sem->result_count; i++)
        printed += sem->results[i].role == WL_ROLE_PRINTED;
    for (unsigned i = 0; good && i < sem->input_count; i++)
        good = plan_salu_input(b, &s->inputs[i], inst, sem->inputs[i], &printed);
    printed = 0;
    for (unsigned i = 0; good && i < sem->result_count; i++)
        good = plan_salu_result(b, &s->results[i], inst, sem->results[i], &printed) && wl_type_bits(sem->results[i].type) <= 64;
    if (!good) {
        wl_steps_refuse(b, inst);
        return;
    }
    s->sem = sem;
    s->native = wl_steps_native(sem);
    s->result_count = sem->result_count;
    s->input_count = sem->input_count;
    wl_step_fn *direct = direct_form(s);
    wl_steps_add(b, direct ? direct : run_salu, s);
}

/* ---- EXEC, hardware registers, time ---- */

struct plain {
    uint8_t detail, bits, count;
    uint16_t reg;
    uint32_t hwreg;
    uint64_t address;
    struct wl_scalar source;
};

static const struct wl_step *run_save_exec(struct wl_machine *m, const struct wl_step *step) {
    const struct plain *p = step->data;
    bool wide = p->bits == 64;
    uint64_t all = wide ? UINT64_MAX : UINT32_MAX, source = wl_scalar_read(m, &p->source), result;
    uint64_t exec = wide ? wl_machine_sgpr64(m, WL_SGPR_EXEC) : m->sgpr[WL_SGPR_EXEC];
    bool wrexec = p->detail == WL_WREXEC_ANDN1 || p->detail == WL_WREXEC_ANDN2;
    switch ((enum wl_saveexec_op)p->detail) {
    case WL_SAVE_AND:
        result = source & exec;
        break;
    case WL_SAVE_OR:
        result = source | exec;
        break;
    case WL_SAVE_XOR:
        result = source ^ exec;
        break;
    case WL_SAVE_ANDN1:
    case WL_WREXEC_ANDN1:
        result = ~source & exec;
        break;
    case WL_SAVE_ANDN2:
    case WL_WREXEC_ANDN2:
        result = source & ~exec;
        break;
    case WL_SAVE_ORN1:
        result = ~source | exec;
        break;
    case WL_SAVE_ORN2:
        result = source | ~exec;
        break;
    case WL_SAVE_NAND:
        result = ~(source & exec);
        break;
    case WL_SAVE_NOR:
        result = ~(source | exec);
        break;
    default:
        result = ~(source ^ exec);
        break;
    }
    result &= all;
    uint64_t saved = wrexec ? result : exec;
    m->sgpr[p->reg] = (uint32_t)saved;
    m->sgpr[WL_SGPR_EXEC] = (uint32_t)result;
    if (wide) {
        m->sgpr[p->reg + 1] = (uint32_t)(saved >> 32);
        m->sgpr[WL_SGPR_EXEC + 1] = (uint32_t)(result >> 32);
    }
    m->sgpr[WL_SGPR_SCC] = result != 0;
    return step + 1;
}

static void set_one_or_two(struct wl_machine *m, const struct plain *p, uint64_t value) {
    m->sgpr[p->reg] = (uint32_t)value;
    if (p->count == 2)
        m->sgpr[p->reg + 1] = (uint32_t)(value >> 32);
}

static const struct wl_step *run_getpc(struct wl_machine *m, const struct wl_step *step) {
    const struct plain *p = step->data;
    wl_machine_set_sgpr64(m, p->reg, m->wave->image + p->address);
    return step + 1;
}

static const struct wl_step *run_setreg(struct wl_machine *m, const struct wl_step *step) {
    const struct plain *p = step->data;
    m->wave->helpers->setreg(m->wave, p->hwreg, (uint32_t)wl_scalar_read(m, &p->source));
    if (m->steps->splits_denormals)
        m->wave->helpers->denormals(m->wave, 1);
    return step + 1;
}

static const struct wl_step *run_getreg(struct wl_machine *m, const struct wl_step *step) {
    const struct plain *p = step->data;
    m->sgpr[p->reg] = m->wave->helpers->getreg(m->wave, p->hwreg);
    return step + 1;
}

static const struct wl_step *run_constant(struct wl_machine *m, const struct wl_step *step) {
    const struct plain *p = step->data;
    m->sgpr[p->reg] = (uint32_t)p->source.constant;
    return step + 1;
}

static const struct wl_step *run_wave_index(struct wl_machine *m, const struct wl_step *step) {
    set_one_or_two(m, step->data, m->wave->wave_index);
    return step + 1;
}

static const struct wl_step *run_real_time(struct wl_machine *m, const struct wl_step *step) {
    set_one_or_two(m, step->data, m->wave->helpers->time(m->wave));
    return step + 1;
}

static const struct wl_step *run_cycles(struct wl_machine *m, const struct wl_step *step) {
    set_one_or_two(m, step->data, wl_ticks());
    return step + 1;
}

static const struct wl_step *run_message_return(struct wl_machine *m, const struct wl_step *step) {
    const struct plain *p = step->data;
    set_one_or_two(m, p, m->wave->helpers->message_return(m->wave, p->hwreg));
    return step + 1;
}

static const struct wl_step *run_signal_first(struct wl_machine *m, const struct wl_step *step) {
    m->sgpr[WL_SGPR_SCC] = m->wave->wave_index == 0; /* which one is the first, no program can tell */
    return step + 1;
}

/* ---- scalar memory ---- */

struct smem {
    uint32_t fault;
    uint8_t unit, count, atomic, bits; /* unit: bytes of an element; count: registers */
    bool sign, buffer, wide_buffer, returns, discard;
    uint16_t reg, base;
    int64_t offset;
    uint8_t part_count;
    struct {
        uint16_t reg;
        uint8_t unit;
    } parts[MAX_OFFSETS];
    const struct wl_sanitize_site *site; /* NULL: no sanitizer asks */
};

struct place {
    uint64_t address, offset, limit;
};

static struct place find_place(const struct wl_machine *m, const struct smem *s) {
    struct place place = {.offset = (uint64_t)s->offset};
    uint64_t base = wl_machine_sgpr64(m, s->base);
    for (unsigned i = 0; i < s->part_count; i++)
        place.offset += (uint64_t)m->sgpr[s->parts[i].reg] * s->parts[i].unit;
    if (s->unit == 4)
        place.offset &= ~UINT64_C(3);
    if (s->wide_buffer) {
        place.limit = base >> 57 | (wl_machine_sgpr64(m, s->base + 2) << 7 & ((UINT64_C(1) << 45) - 1)); /* lane/buffer_lane.h */
        base &= (UINT64_C(1) << 57) - 1;
    } else if (s->buffer) {
        uint32_t stride = m->sgpr[s->base + 1] >> 16 & 0x3fff;
        base &= (UINT64_C(1) << 48) - 1;
        place.limit = (uint64_t)m->sgpr[s->base + 2] * (stride ? stride : 1);
    }
    place.address = base + place.offset;
    if (s->unit == 4 && !s->buffer)
        place.address &= ~UINT64_C(3);
    return place;
}

static bool in_range(const struct smem *s, const struct place *place, unsigned skip, unsigned bytes) {
    uint64_t end = place->offset + skip + bytes;
    return !s->buffer || (end <= place->limit && end >= place->offset);
}

/* Whether the access may be made, as sanitizers see it. */
static bool is_allowed(const struct wl_machine *m, const struct smem *s, const struct place *place, unsigned bytes, const uint32_t *data) {
    return !s->site || !in_range(s, place, 0, bytes) || m->wave->helpers->sanitize_access(m->wave, s->site, 1, &place->address, data);
}

static const struct wl_step *run_smem_load(struct wl_machine *m, const struct wl_step *step) {
    const struct smem *s = step->data;
    struct place place = find_place(m, s);
    uint32_t loaded[MAX_DWORDS] = {0};
    m->wave->fault_pc = s->fault;
    const bool allowed = is_allowed(m, s, &place, s->unit * s->count, NULL);
    const bool whole = allowed && s->unit == 4 && in_range(s, &place, 0, 4u * s->count);
    if (whole) /* as vectors are stored, so that both ends of one are of the same time */
        wl_whole_copy(loaded, (const void *)(uintptr_t)place.address, 4u * s->count);
    for (unsigned i = 0; allowed && !whole && i < s->count; i++) {
        const void *from = (const void *)(uintptr_t)(place.address + 4 * (uint64_t)i);
        uint32_t value = 0;
        if (!in_range(s, &place, 4 * i, s->unit))
            value = 0;
        else if (s->unit == 4)
            value = *(const volatile uint32_t *)from;
        else if (s->unit == 2)
            value = s->sign ? (uint32_t)*(const volatile int16_t *)from : *(const volatile uint16_t *)from;
        else
            value = s->sign ? (uint32_t)*(const volatile int8_t *)from : *(const volatile uint8_t *)from;
        loaded[i] = value;
    }
    for (unsigned i = 0; !s->discard && i < s->count; i++)
        m->sgpr[s->reg + i] = loaded[i];
    return step + 1;
}

static const struct wl_step *run_smem_store(struct wl_machine *m, const struct wl_step *step) {
    const struct smem *s = step->data;
    struct place place = find_place(m, s);
    const bool whole = in_range(s, &place, 0, 4u * s->count);
    m->wave->fault_pc = s->fault;
    if (!is_allowed(m, s, &place, 4u * s->count, NULL))
        return step + 1;
    if (whole)
        wl_whole_copy((void *)(uintptr_t)place.address, &m->sgpr[s->reg], 4u * s->count);
    for (unsigned i = 0; !whole && i < s->count; i++)
        if (in_range(s, &place, 4 * i, 4))
            *(volatile uint32_t *)(uintptr_t)(place.address + 4 * (uint64_t)i) = m->sgpr[s->reg + i];
    return step + 1;
}

/* cmpswap: the new value, then the expected one. An atomic out of range gives 0. */
static const struct wl_step *run_smem_atomic(struct wl_machine *m, const struct wl_step *step) {
    const struct smem *s = step->data;
    const struct place place = find_place(m, s);
    const bool wide = s->bits == 64;
    const uint64_t data = wide ? wl_machine_sgpr64(m, s->reg) : m->sgpr[s->reg];
    uint64_t second = 0, old = 0;
    if (s->atomic == WL_ATOMIC_CMPSWAP)
        second = wide ? wl_machine_sgpr64(m, s->reg + 2u) : m->sgpr[s->reg + 1u];
    m->wave->fault_pc = s->fault;
    if (in_range(s, &place, 0, s->bits / 8u) && is_allowed(m, s, &place, s->bits / 8u, NULL))
        old = m->wave->helpers->lane_atomic((void *)(uintptr_t)place.address, s->atomic, s->bits, data, second);
    if (s->returns && wide)
        wl_machine_set_sgpr64(m, s->reg, old);
    else if (s->returns)
        m->sgpr[s->reg] = (uint32_t)old;
    return step + 1;
}

static bool plan_smem(struct smem *s, const struct wl_inst *inst) {
    const struct wl_operand *op = inst->operands;
    s->bits = inst->isa->bits;
    s->unit = inst->isa->bits < 32 ? inst->isa->bits / 8 : 4;
    s->count = s->unit < 4 ? 1 : op[0].count < MAX_DWORDS ? op[0].count : MAX_DWORDS;
    s->sign = inst->isa->sign;
    s->buffer = inst->isa->detail == WL_SMEM_BUFFER;
    s->wide_buffer = inst->wide_buffer;
    s->discard = op[0].kind != WL_OPERAND_SGPR;
    s->reg = op[0].reg;
    s->atomic = inst->isa->atomic;
    s->returns = inst->returns;
    s->base = op[1].reg;
    s->offset = inst->offset0;
    for (unsigned i = 2; i < inst->operand_count; i++) {
        if (op[i].kind == WL_OPERAND_IMM)
            s->offset += (int64_t)op[i].bits;
        if (op[i].kind != WL_OPERAND_SGPR)
            continue;
        if (s->part_count == MAX_OFFSETS)
            return false;
        s->parts[s->part_count].reg = op[i].reg;
        s->parts[s->part_count++].unit = (uint8_t)(inst->isa->detail == WL_SMEM_SCRATCH ? 64 : wl_inst_offset_unit(inst));
    }
    return true;
}

static void add_smem(struct wl_steps_builder *b, const struct wl_inst *inst) {
    struct smem *s = wl_steps_allocate(b, sizeof *s);
    if (!s || !plan_smem(s, inst)) {
        wl_steps_refuse(b, inst);
        return;
    }
    s->fault = wl_steps_place(b, inst);
    s->site = wl_steps_site(b, inst, inst->isa->class == WL_ISA_SMEM_ATOMIC ? s->bits / 8u : (unsigned)s->unit * s->count);
    wl_steps_add(b,
                 inst->isa->class == WL_ISA_SMEM_LOAD     ? run_smem_load
                 : inst->isa->class == WL_ISA_SMEM_ATOMIC ? run_smem_atomic
                                                          : run_smem_store,
                 s);
}

static const struct wl_step *run_barrier(struct wl_machine *m, const struct wl_step *step) {
    const struct plain *p = step->data;
    const uint32_t m0 = m->sgpr[WL_SGPR_M0], number = p->hwreg & WL_BARRIER_BY_M0 ? m0 : (uint32_t)p->source.constant;
    const uint32_t value = m->wave->helpers->barrier(m->wave, p->hwreg, number, m0);
    if (p->detail == WL_BARRIER_STATE)
        m->sgpr[p->reg] = value;
    else if (p->detail == WL_BARRIER_FIRST || p->detail == WL_BARRIER_LEAVE)
        m->sgpr[WL_SGPR_SCC] = value;
    return step + 1;
}

/* ---- building ---- */

static wl_step_fn *plan_barrier(struct plain *p, const struct wl_inst *inst) {
    uint32_t number;
    p->hwreg = wl_inst_barrier(inst, &number);
    p->source.constant = number;
    return run_barrier;
}

static wl_step_fn *plan_setreg(struct plain *p, const struct wl_inst *inst) {
    const struct wl_operand *op = inst->operands;
    bool mode = inst->isa->detail == WL_REG_ROUND_MODE || inst->isa->detail == WL_REG_DENORM_MODE;
    p->hwreg = mode ? HWREG_MODE | (inst->isa->detail == WL_REG_ROUND_MODE ? 0 : 4) << 6 | 3 << 11 : (uint32_t)op[0].bits;
    return wl_scalar_plan(&p->source, &op[mode ? 0 : 1], WL_U32) ? run_setreg : NULL;
}

static wl_step_fn *plan_getreg(struct plain *p, const struct wl_inst *inst) {
    uint32_t hwreg = (uint32_t)inst->operands[1].bits, width = (hwreg >> 11 & 31) + 1;
    p->hwreg = hwreg;
    if ((hwreg & 63) != HWREG_SH_MEM_BASES)
        return run_getreg;
    uint32_t bases = (WL_PRIVATE_APERTURE_HI >> 16) | (WL_SHARED_APERTURE_HI >> 16 << 16);
    p->source.constant = bases >> (hwreg >> 6 & 31) & (width == 32 ? UINT32_MAX : (1u << width) - 1);
    return run_constant;
}

static wl_step_fn *plan_plain(struct plain *p, const struct wl_inst *inst) {
    const struct wl_operand *op = inst->operands;
    switch (inst->isa->class) {
    case WL_ISA_SAVEEXEC:
        return wl_scalar_plan(&p->source, &op[1], p->bits == 64 ? WL_U64 : WL_U32) ? run_save_exec : NULL;
    case WL_ISA_GETPC:
        return run_getpc;
    case WL_ISA_SETREG:
        return plan_setreg(p, inst);
    case WL_ISA_GETREG:
        return plan_getreg(p, inst);
    case WL_ISA_TIME:
        return !strcmp(inst->mnemonic, "s_get_waveid_in_workgroup") ? run_wave_index
               : !strcmp(inst->mnemonic, "s_memrealtime")           ? run_real_time
                                                                    : run_cycles;
    case WL_ISA_MESSAGE_RETURN:
        p->hwreg = (uint32_t)op[1].bits;
        return run_message_return;
    case WL_ISA_SIGNAL_FIRST:
        return run_signal_first;
    case WL_ISA_SPLIT_BARRIER:
        return plan_barrier(p, inst);
    default:
        return NULL;
    }
}

bool wl_steps_scalar(struct wl_steps_builder *b, const struct wl_inst *inst) {
    if (inst->sem && inst->sem->scalar) {
        add_salu(b, inst);
        return true;
    }
    if (!inst->isa)
        return false;
    switch (inst->isa->class) {
    case WL_ISA_SMEM_LOAD:
    case WL_ISA_SMEM_STORE:
    case WL_ISA_SMEM_ATOMIC:
        add_smem(b, inst);
        return true;
    case WL_ISA_SAVEEXEC:
    case WL_ISA_GETPC:
    case WL_ISA_SETREG:
    case WL_ISA_GETREG:
    case WL_ISA_TIME:
    case WL_ISA_MESSAGE_RETURN:
    case WL_ISA_SIGNAL_FIRST:
    case WL_ISA_SPLIT_BARRIER:
        break;
    default:
        return false;
    }
    struct plain *p = wl_steps_allocate(b, sizeof *p);
    if (p)
        *p = (struct plain){.detail = inst->isa->detail,
                            .bits = inst->isa->bits,
                            .reg = inst->operands[0].reg,
                            .count = inst->operands[0].count,
                            .address = inst->address + inst->size};
    wl_step_fn *run = p ? plan_plain(p, inst) : NULL;
    if (run)
        wl_steps_add(b, run, p);
    else
        wl_steps_refuse(b, inst);
    return true;
}
