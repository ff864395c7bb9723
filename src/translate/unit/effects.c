/* Which registers an instruction reads and writes: exact enough to drop dead stores, never too small in what it reads. */
#include "translate/unit/unit.h"

#include "machine/image_instruction.h"
#include "machine/matrix.h"
#include "translate/isa/isa.h"
#include "translate/isa/lane.h"
#include "translate/isa/sem.h"

#include <string.h>

struct collector {
    struct wl_effects *effects;
    unsigned mask_registers;
};

static void add(struct wl_regs *set, unsigned kind, unsigned reg, unsigned count) {
    for (unsigned i = 0; i < count; i++) {
        if (kind == WL_OPERAND_VGPR && reg + i < WL_VGPR_COUNT)
            wl_set(set->vector, reg + i);
        else if (kind == WL_OPERAND_SGPR && reg + i < WL_SGPR_COUNT)
            wl_set(set->scalar, reg + i);
    }
}

static void read_scalar(struct collector *c, unsigned reg, unsigned count) { add(&c->effects->use, WL_OPERAND_SGPR, reg, count); }

static void write_scalar(struct collector *c, unsigned reg, unsigned count) {
    add(&c->effects->def, WL_OPERAND_SGPR, reg, count);
    add(&c->effects->touch, WL_OPERAND_SGPR, reg, count);
}

static void read(struct collector *c, const struct wl_operand *operand) {
    if (operand->kind == WL_OPERAND_SPECIAL && operand->reg == WL_SPECIAL_SCC)
        read_scalar(c, WL_SGPR_SCC, 1);
    else if (operand->kind == WL_OPERAND_SPECIAL && operand->reg == WL_SPECIAL_VCCZ)
        read_scalar(c, WL_SGPR_VCC, 2);
    else if (operand->kind == WL_OPERAND_SPECIAL && operand->reg == WL_SPECIAL_LDS_DIRECT)
        read_scalar(c, WL_SGPR_M0, 1);
    else if (operand->kind == WL_OPERAND_SPECIAL && operand->reg == WL_SPECIAL_EXECZ)
        read_scalar(c, WL_SGPR_EXEC, 2);
    else
        add(&c->effects->use, operand->kind, operand->reg, operand->count);
}

static void read_lanes(struct collector *c, const struct wl_operand *operand) {
    read(c, operand);
    if (operand->kind == WL_OPERAND_VGPR)
        for (unsigned i = 0; i < operand->count; i++)
            wl_set(c->effects->use_lanes, operand->reg + i);
}

/* `partly`: some bits or some active lanes keep their old value. */
static void write(struct collector *c, const struct wl_operand *operand, bool partly) {
    add(&c->effects->touch, operand->kind, operand->reg, operand->count);
    add(partly ? &c->effects->use : &c->effects->def, operand->kind, operand->reg, operand->count);
}

static bool is_half(enum wl_type type) { return type == WL_U16 || type == WL_I16 || type == WL_F16 || type == WL_BF16; }

static void semantics_effects(struct collector *c, const struct wl_inst *inst) {
    const struct wl_sem *sem = inst->sem;
    unsigned printed = 0;
    bool keeps = inst->is_sdwa ? inst->dst_unused == 2 && inst->dst_sel != WL_SEL_DWORD
                               : inst->is_dpp; /* lanes without a source, or masked off, keep their value */
    for (unsigned i = 0; i < sem->result_count; i++) {
        const struct wl_slot *slot = &sem->results[i];
        if (slot->role == WL_ROLE_SCC)
            write_scalar(c, WL_SGPR_SCC, 1);
        else if (slot->role == WL_ROLE_VCC || slot->role == WL_ROLE_VCC_SCALAR)
            write_scalar(c, WL_SGPR_VCC, c->mask_registers);
        else if (slot->role == WL_ROLE_M0)
            write_scalar(c, WL_SGPR_M0, 1);
        else if (slot->role == WL_ROLE_EXEC)
            write_scalar(c, WL_SGPR_EXEC, c->mask_registers);
        else if (printed < inst->operand_count)
            write(c, &inst->operands[printed++], keeps || (is_half(slot->type) && !inst->zero_high));
    }
    for (unsigned i = 0; i < sem->input_count; i++) {
        const struct wl_slot *slot = &sem->inputs[i];
        switch (slot->role) {
        case WL_ROLE_SCC:
            read_scalar(c, WL_SGPR_SCC, 1);
            break;
        case WL_ROLE_VCC:
        case WL_ROLE_VCC_SCALAR:
            read_scalar(c, WL_SGPR_VCC, c->mask_registers);
            break;
        case WL_ROLE_EXEC:
            read_scalar(c, WL_SGPR_EXEC, c->mask_registers);
            break;
        case WL_ROLE_M0:
            read_scalar(c, WL_SGPR_M0, 1);
            break;
        case WL_ROLE_OLD:
            read(c, &inst->operands[0]);
            break;
        case WL_ROLE_MODE:
            break;
        default:
            if (printed < inst->operand_count) {
                const struct wl_operand *operand = &inst->operands[printed++];
                if (inst->is_dpp && operand->kind == WL_OPERAND_VGPR)
                    read_lanes(c, operand);
                else
                    read(c, operand);
            }
        }
    }
    for (; printed < inst->operand_count; printed++) /* operands that the semantics ignore */
        read(c, &inst->operands[printed]);
}

static void lane_effects(struct collector *c, const struct wl_inst *inst) {
    const struct wl_lane *lane = wl_lane_of(inst);
    const struct wl_operand *op = inst->operands;
    if (lane->reads_m0)
        read_scalar(c, WL_SGPR_M0, 1);
    if (lane->one_lane) {
        wl_set(c->effects->def_lanes, op[0].reg);
        for (unsigned i = 1; i < inst->operand_count; i++)
            read(c, &op[i]);
        return;
    }
    for (unsigned i = 0; i < lane->results; i++)
        write(c, &op[i], lane->keeps || inst->is_dpp);
    for (unsigned i = lane->exchange ? wl_lane_first_exchanged(lane) : lane->results; i < inst->operand_count; i++)
        read_lanes(c, &op[i]);
}

/* A relative move reaches any register of the unit. Scalars are spilled for it and reloaded. */
static void indexed_effects(struct collector *c, const struct wl_inst *inst) {
    enum { PLAIN_SGPRS = 106 };
    const struct wl_operand *op = inst->operands;
    read_scalar(c, WL_SGPR_M0, 1);
    switch (inst->isa->detail) {
    case WL_MOVREL_INDEX_ON:
    case WL_MOVREL_INDEX_SET:
    case WL_MOVREL_INDEX_MODE:
        read(c, &op[0]);
        write_scalar(c, WL_SGPR_M0, 1);
        return;
    case WL_MOVREL_INDEX_OFF:
        return;
    case WL_MOVREL_SGPR_TO:
    case WL_MOVREL_SGPR_FROM:
    case WL_MOVREL_SGPR_BOTH_2:
        read(c, &op[1]);
        read_scalar(c, 0, PLAIN_SGPRS);
        add(&c->effects->touch, WL_OPERAND_SGPR, 0, PLAIN_SGPRS);
        add(&c->effects->touch, op[0].kind, op[0].reg, op[0].count);
        return;
    default:
        break;
    }
    bool to = inst->isa->detail != WL_MOVREL_VGPR_FROM;
    read(c, &op[1]);
    write(c, &op[0], to);
    add(&c->effects->use, WL_OPERAND_VGPR, 0, WL_AGPR); /* what may be written, or kept, stays live as well */
    if (to)
        add(&c->effects->touch, WL_OPERAND_VGPR, 0, WL_AGPR);
}

/* Whole registers are read and written, in inactive lanes as well; 16-bit results of gfx11 keep the other half. */
static void matrix_effects(struct collector *c, const struct wl_inst *inst) {
    const struct wl_operand *op = inst->operands;
    const unsigned d = inst->isa->matrix->d;
    bool keeps = inst->isa->matrix->sparse || d == WL_MATRIX_F16 || d == WL_MATRIX_BF16 || d == WL_MATRIX_BF16_OF_F32;
    for (unsigned i = 1; i < inst->operand_count; i++)
        read_lanes(c, &op[i]);
    if (keeps)
        read_lanes(c, &op[0]);
    write(c, &op[0], keeps);
    for (unsigned i = 0; i < op[0].count; i++)
        wl_set(c->effects->def_lanes, op[0].reg + i);
}

/* A load with 16-bit components leaves the rest of its last register alone. */
static void image_effects(struct collector *c, const struct wl_inst *inst) {
    const struct wl_operand *op = inst->operands;
    const uint32_t image = inst->isa->image, kind = WL_IMAGE_KIND_OF(image);
    bool implicit_level =
        kind == WL_IMAGE_LOD || (kind == WL_IMAGE_SAMPLE && !(image & (WL_IMAGE_LEVEL | WL_IMAGE_ZERO | WL_IMAGE_GRADIENT)));
    bool result = kind != WL_IMAGE_STORE && (kind != WL_IMAGE_ATOMIC || inst->returns);
    if (result)
        write(c, &op[0], inst->d16);
    if (kind == WL_IMAGE_STORE || kind == WL_IMAGE_ATOMIC)
        read(c, &op[0]);
    for (unsigned i = 1; i < inst->operand_count; i++) /* neighbouring lanes' coordinates make the level */
        if (implicit_level)
            read_lanes(c, &op[i]);
        else
            read(c, &op[i]);
    for (unsigned i = 0; i < inst->address_count; i++)
        read_lanes(c, &(struct wl_operand){.kind = WL_OPERAND_VGPR, .reg = inst->addresses[i], .count = 1});
}

static uint8_t conflict_class(const struct wl_inst *inst) {
    if (inst->is_private)
        return 0;
    switch (inst->isa->space) {
    case WL_SPACE_LDS:
        return WL_CONFLICT_LDS;
    case WL_SPACE_SCRATCH:
        return 0; /* a lane sees its own alone, and a strip keeps the order */
    case WL_SPACE_FLAT:
        return WL_CONFLICT_MEMORY | WL_CONFLICT_LDS;
    default:
        return WL_CONFLICT_MEMORY;
    }
}

static void memory_effects(struct collector *c, const struct wl_inst *inst) {
    struct wl_effects *e = c->effects;
    const struct wl_isa *isa = inst->isa;
    bool result = isa->class == WL_ISA_LOAD ? !inst->lds : isa->class == WL_ISA_ATOMIC && inst->returns;
    unsigned first = 0;
    bool loads = isa->class != WL_ISA_STORE, stores = isa->class != WL_ISA_LOAD || inst->lds;
    e->load_spaces = loads ? conflict_class(inst) : 0;
    e->store_spaces = stores ? conflict_class(inst) : 0;
    if (inst->lds) {
        e->store_spaces |= WL_CONFLICT_LDS;
        read_scalar(c, WL_SGPR_M0, 1);
    }
    if (result)
        write(c, &inst->operands[first++], isa->d16 && !inst->zeroes_half);
    /* MUBUF atomics print one data operand: it is read as well. */
    if (result && isa->class == WL_ISA_ATOMIC && (isa->space == WL_SPACE_BUFFER || isa->space == WL_SPACE_TBUFFER))
        first = 0;
    for (unsigned i = first; i < inst->operand_count; i++)
        read(c, &inst->operands[i]);
}

static void isa_effects(struct collector *c, const struct wl_inst *inst) {
    const struct wl_operand *op = inst->operands;
    unsigned first = 0;
    switch (inst->isa->class) {
    case WL_ISA_LOAD:
    case WL_ISA_STORE:
    case WL_ISA_ATOMIC:
        memory_effects(c, inst);
        return;
    case WL_ISA_LANE:
        lane_effects(c, inst);
        return;
    case WL_ISA_MOVREL:
        indexed_effects(c, inst);
        return;
    case WL_ISA_MATRIX:
        matrix_effects(c, inst);
        return;
    case WL_ISA_IMAGE:
        image_effects(c, inst);
        return;
    case WL_ISA_CBRANCH:
        if (inst->isa->detail <= WL_IF_SCC1)
            read_scalar(c, WL_SGPR_SCC, 1);
        else if (inst->isa->detail <= WL_IF_VCCNZ)
            read_scalar(c, WL_SGPR_VCC, c->mask_registers);
        return;
    case WL_ISA_CMPX:
        if (inst->operand_count == 3) {
            write_scalar(c, op[0].reg, op[0].count); /* gfx9 names a destination beside EXEC */
            first = 1;
        }
        write_scalar(c, WL_SGPR_EXEC, c->mask_registers);
        break;
    case WL_ISA_SAVEEXEC:
        write_scalar(c, op[0].reg, op[0].count);
        write_scalar(c, WL_SGPR_EXEC, inst->isa->bits / 32);
        write_scalar(c, WL_SGPR_SCC, 1);
        first = 1;
        break;
    case WL_ISA_SMEM_LOAD:
    case WL_ISA_GETPC:
    case WL_ISA_SWAPPC:
    case WL_ISA_CALL:
    case WL_ISA_GETREG:
    case WL_ISA_TIME:
    case WL_ISA_MESSAGE_RETURN:
        write(c, &op[0], false);
        first = 1;
        break;
    case WL_ISA_SMEM_ATOMIC: /* the data register is read, and its first dwords written */
        if (inst->returns) {
            add(&c->effects->def, op[0].kind, op[0].reg, inst->isa->dwords);
            add(&c->effects->touch, op[0].kind, op[0].reg, inst->isa->dwords);
        }
        break;
    case WL_ISA_MESSAGE:
        read_scalar(c, WL_SGPR_M0, 1);
        break;
    case WL_ISA_SPLIT_BARRIER:
        read_scalar(c, WL_SGPR_M0, 1);
        if (inst->isa->detail == WL_BARRIER_FIRST || inst->isa->detail == WL_BARRIER_LEAVE)
            write_scalar(c, WL_SGPR_SCC, 1);
        if (inst->isa->detail == WL_BARRIER_STATE) {
            write(c, &op[0], false);
            first = 1;
        }
        break;
    case WL_ISA_SIGNAL_FIRST:
        write_scalar(c, WL_SGPR_SCC, 1);
        break;
    default:
        break;
    }
    for (unsigned i = first; i < inst->operand_count; i++)
        if (inst->is_dpp)
            read_lanes(c, &op[i]);
        else
            read(c, &op[i]);
}

/* Operands that are relative to M0 may be any registers. */
static void relative_effects(struct collector *c, const struct wl_inst *inst) {
    struct wl_effects *e = c->effects;
    for (unsigned i = 0; i < WL_AGPR / 64; i++) {
        e->use.vector[i] = UINT64_MAX;
        e->use_lanes[i] |= inst->is_dpp || inst->isa ? UINT64_MAX : 0;
        e->def.vector[i] = 0;
        e->touch.vector[i] = UINT64_MAX; /* the copies are made in registers that are put back */
    }
    read_scalar(c, WL_SGPR_M0, 1);
}

static void collect_plain(struct collector *c, const struct wl_inst *inst) {
    if (inst->sem)
        semantics_effects(c, inst);
    else if (inst->isa)
        isa_effects(c, inst);
}

static void collect(struct collector *c, const struct wl_inst *inst) {
    collect_plain(c, inst);
    bool relative = inst->isa && inst->isa->class == WL_ISA_MOVREL && (inst->is_dpp || inst->is_sdwa);
    if (inst->index_mode || relative)
        relative_effects(c, inst);
}

void wl_inst_effects(const struct wl_inst *inst, uint32_t wave_size, struct wl_effects *effects) {
    *effects = (struct wl_effects){0};
    if (inst->paired) { /* both read before either writes: what the second reads is live here, even if the first writes it */
        struct wl_effects second = {0};
        collect(&(struct collector){&second, wave_size / 32}, inst + 1);
        effects->use = second.use;
        memcpy(effects->use_lanes, second.use_lanes, sizeof second.use_lanes);
    }
    collect(&(struct collector){effects, wave_size / 32}, inst);
}
