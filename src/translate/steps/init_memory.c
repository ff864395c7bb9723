/* initcheck: accesses to memory. */
#include "translate/steps/init.h"

#include "machine/image.h"
#include "machine/image_instruction.h"
#include "translate/isa/lane.h"

enum { MAX_ADDRESSES = WL_MAX_ADDRESSES + 4, MAX_DATA = 8 };

struct access {
    struct wl_init_facts facts;
    uint64_t scalars[2]; /* registers that the address is made of */
    uint8_t address_count, data_count;
    uint16_t addresses[MAX_ADDRESSES], data[MAX_DATA]; /* rows; data: what an atomic works with */
    bool is_scalar, atomic_scalar;
    uint16_t scalar_data, scalar_count; /* of a scalar atomic */
    bool keeps_half;                    /* the other half of the results */
    bool any_image;                     /* an image instruction of gfx9: the resource says how many of its address registers count */
    uint16_t resource;
};

/* Address registers that are for a resource with more dimensions than this one. */
static unsigned surplus(const uint32_t *resource) {
    const uint32_t type = resource[3] >> 28;
    return type == WL_IMAGE_1D ? 2 : type == WL_IMAGE_2D || type == WL_IMAGE_1D_ARRAY ? 1 : 0;
}

/* Bits that decide are defined from here on. */
static void forget_row(struct wl_undefined *u, unsigned row, uint64_t lanes) { u->lanes[row] &= ~lanes; }

static void check_rows(const struct wl_machine *m, const struct access *a, const uint16_t *rows, unsigned count, enum wl_undefined_use use,
                       uint64_t exec) {
    for (unsigned i = 0; i < count; i++) {
        const uint64_t open = m->undefined->lanes[rows[i]] & exec;
        if (!open)
            continue;
        const unsigned lane = (unsigned)__builtin_ctzll(open);
        wl_init_decides(m, a->facts.code, use, lane, wl_undefined_origin(m->undefined, rows[i], lane));
        forget_row(m->undefined, rows[i], open);
    }
}

static void check_scalars(const struct wl_machine *m, const struct access *a, const uint64_t set[2], enum wl_undefined_use use) {
    for (unsigned w = 0; w < 2; w++)
        for (uint64_t left = m->undefined->scalar[w] & set[w]; left; left &= left - 1) {
            const unsigned reg = w * 64 + (unsigned)__builtin_ctzll(left);
            wl_init_decides(m, a->facts.code, use, WL_INIT_WHOLE_WAVE, m->undefined->sgpr_origin[reg]);
            wl_undefined_set_scalar(m->undefined, reg, 0, 0);
        }
}

static const struct wl_step *run_access(struct wl_machine *m, const struct wl_step *step) {
    const struct access *a = step->data;
    struct wl_undefined *u = m->undefined;
    const uint64_t exec = wl_machine_exec(m);
    if (!u)
        return step + 1;
    if (exec || a->is_scalar)
        check_scalars(m, a, a->scalars, WL_USE_ADDRESS);
    const unsigned count = a->address_count, unused = a->any_image ? surplus(m->sgpr + a->resource) : 0;
    check_rows(m, a, a->addresses, count > unused ? count - unused : count, WL_USE_ADDRESS, exec);
    check_rows(m, a, a->data, a->data_count, WL_USE_ATOMIC, exec);
    if (a->atomic_scalar) {
        uint64_t set[2] = {0, 0};
        wl_put_bits(set, a->scalar_data, a->scalar_count, true);
        check_scalars(m, a, set, WL_USE_ATOMIC);
    }
    if (!a->keeps_half)
        for (unsigned i = 0; i < a->facts.result_count; i++)
            forget_row(u, a->facts.results[i], exec);
    wl_init_define_scalars(u, a->facts.writes);
    return step + 1;
}

/* ---- building -------------------------------------------------------------------------------- */

static void add_address(struct access *a, const struct wl_operand *operand) {
    if (operand->kind == WL_OPERAND_SGPR)
        wl_put_bits(a->scalars, operand->reg, operand->count, true);
    for (unsigned i = 0; operand->kind == WL_OPERAND_VGPR && i < operand->count && a->address_count < MAX_ADDRESSES; i++)
        a->addresses[a->address_count++] = (uint16_t)(operand->reg + i);
}

static void add_data(struct access *a, const struct wl_operand *operand) {
    for (unsigned i = 0; operand->kind == WL_OPERAND_VGPR && i < operand->count && a->data_count < MAX_DATA; i++)
        a->data[a->data_count++] = (uint16_t)(operand->reg + i);
}

static void plan_vector(struct access *a, const struct wl_inst *inst) {
    const struct wl_isa *isa = inst->isa;
    const struct wl_operand *op = inst->operands;
    const bool atomic = isa->class == WL_ISA_ATOMIC, buffer = isa->space == WL_SPACE_BUFFER || isa->space == WL_SPACE_TBUFFER;
    const bool result = isa->class == WL_ISA_LOAD ? !inst->lds : atomic && inst->returns;
    const bool has_data = isa->class != WL_ISA_LOAD && !inst->lds, decides = atomic && isa->atomic != WL_ATOMIC_SWAP;
    unsigned at = result, next = 0;
    a->keeps_half = isa->d16 && !isa->detail && !inst->zeroes_half;
    if (buffer || isa->by_lane) {
        if (decides)
            add_data(a, &op[0]);
        at = inst->lds ? 0 : 1;
    } else {
        add_address(a, &op[at++]);
        for (; has_data && at < inst->operand_count && op[at].kind == WL_OPERAND_VGPR && next < 2; at++, next++)
            if (decides)
                add_data(a, &op[at]);
    }
    for (; at < inst->operand_count; at++)
        add_address(a, &op[at]);
}

static void plan_scalar(struct access *a, const struct wl_inst *inst) {
    a->is_scalar = true;
    a->atomic_scalar = inst->isa->class == WL_ISA_SMEM_ATOMIC;
    a->scalar_data = inst->operands[0].reg;
    a->scalar_count = inst->operands[0].count;
    for (unsigned i = 1; i < inst->operand_count; i++)
        add_address(a, &inst->operands[i]);
}

/* What lies where the image instruction's or the helper's address says is not followed: results count as defined. */
static void plan_others(struct access *a, const struct wl_inst *inst) {
    const bool image = inst->isa->class == WL_ISA_IMAGE, block = inst->isa->class == WL_ISA_LANE && wl_lane_of(inst)->is_block;
    const bool stores = block && wl_lane_of(inst)->stores;
    for (unsigned i = stores ? 0 : 1; i < inst->operand_count; i++)
        if (!stores || i != 1)
            if (image || block)
                add_address(a, &inst->operands[i]);
    a->any_image = image && !inst->has_dim && !inst->a16 && inst->operand_count > 2 && inst->operands[2].kind == WL_OPERAND_SGPR &&
                   WL_IMAGE_KIND_OF(inst->isa->image) != WL_IMAGE_RESINFO && WL_IMAGE_KIND_OF(inst->isa->image) != WL_IMAGE_BVH;
    a->resource = inst->operands[2].reg;
    for (unsigned i = 0; i < inst->address_count; i++)
        add_address(a, &(struct wl_operand){.kind = WL_OPERAND_VGPR, .reg = inst->addresses[i], .count = 1});
}

static bool loads_elsewhere(const struct wl_inst *inst) {
    const unsigned class = inst->isa->class;
    if (class == WL_ISA_LANE)
        return wl_lane_of(inst)->loads || wl_lane_of(inst)->stores || wl_lane_of(inst)->reads_m0;
    return class == WL_ISA_IMAGE || class == WL_ISA_TENSOR;
}

bool wl_init_memory(struct wl_steps_builder *b, const struct wl_inst *inst, uint32_t before) {
    const unsigned class = inst->isa ? inst->isa->class : WL_ISA_NOP;
    const bool vector = class == WL_ISA_LOAD || class == WL_ISA_STORE || class == WL_ISA_ATOMIC;
    const bool scalar = class == WL_ISA_SMEM_LOAD || class == WL_ISA_SMEM_STORE || class == WL_ISA_SMEM_ATOMIC;
    if (!inst->isa || (!vector && !scalar && !loads_elsewhere(inst)))
        return false;
    struct access *a = wl_steps_allocate(b, sizeof *a);
    if (!a || !wl_init_facts_fill(b, &a->facts, inst))
        return true;
    if (vector)
        plan_vector(a, inst);
    else if (scalar)
        plan_scalar(a, inst);
    else
        plan_others(a, inst);
    wl_put_bits(a->scalars, WL_SGPR_EXEC, 2, false);
    wl_init_insert(b, before, run_access, a);
    return true;
}
