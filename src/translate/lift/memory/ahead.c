/* Asks for what the next round of a loop will load.
 *
 * Loops that copy tiles of matrices to LDS advance the base of a buffer once a round, in scalar registers, and load from there at offsets that
 * stay. The rows of a tile are in different pages, where the host's prefetchers do not follow, and at the barriers of such a loop other waves
 * have their turns, so that the host does not run ahead into the next round. So where the base is advanced, what lies as far ahead again is
 * prefetched. */
#include "translate/lift/memory/memory.h"
#include "translate/lift/memory/record.h"
#include "translate/lift/memory/sanitize.h"

#include "translate/isa/isa.h"
#include "translate/lift/inst/inst.h"
#include "translate/lift/values.h"

#include <string.h>

enum { MOST_LOADS = 8 };

/* Basic blocks of a loop, from its header to its backward branch. */
struct round {
    uint32_t first, last;
};

/* The innermost loop around a basic block. */
static bool find_round(const struct wl_unit *unit, uint32_t block, struct round *round) {
    bool found = false;
    for (uint32_t p = block; p < unit->block_count; p++) {
        const uint32_t target = unit->blocks[p].target;
        if (target > block || (found && p - target >= round->last - round->first))
            continue;
        *round = (struct round){target, p};
        found = true;
    }
    return found;
}

static bool has_barrier(const struct wl_unit *unit, const struct round *round) {
    for (uint32_t p = round->first; p <= round->last; p++) {
        const struct wl_block *block = &unit->blocks[p];
        const struct wl_inst *end = &unit->insts[block->first + block->count - 1];
        if (block->count && block->end == WL_BLOCK_WAIT && end->isa && end->isa->class == WL_ISA_BARRIER)
            return true;
    }
    return false;
}

/* What an instruction of that name adds to a scalar register; NULL: it is another instruction, or it does not add to that register. */
static const struct wl_operand *added_to(const struct wl_inst *inst, const char *name, unsigned reg) {
    const struct wl_operand *op = inst->operands;
    if (strcmp(inst->mnemonic, name) != 0 || op[0].kind != WL_OPERAND_SGPR || op[0].reg != reg)
        return NULL;
    for (unsigned i = 1; i <= 2; i++)
        if (op[i].kind == WL_OPERAND_SGPR && op[i].reg == reg && op[3 - i].kind != WL_OPERAND_SPECIAL)
            return &op[3 - i];
    return NULL;
}

/* Of the addition to the lower half that goes before the one at hand. */
static const struct wl_operand *find_low_step(const struct wl_lift *l, unsigned reg) {
    const struct wl_inst *block = &l->unit.code->insts[l->unit.block->first];
    for (uint32_t i = l->unit.at; i-- > 0;) {
        const struct wl_operand *step = added_to(&block[i], "s_add_u32", reg);
        struct wl_effects effects;
        for (uint32_t j = i + 1; step && step->kind == WL_OPERAND_SGPR && j < l->unit.at; j++) {
            wl_inst_effects(&block[j], l->wave_size, &effects);
            if (wl_bit(effects.touch.scalar, step->reg))
                return NULL; /* it is not there any more */
        }
        if (step)
            return step;
        wl_inst_effects(&block[i], l->wave_size, &effects);
        if (wl_bit(effects.touch.scalar, reg))
            return NULL;
    }
    return NULL;
}

static bool loads_by(const struct wl_inst *inst, unsigned reg) {
    return inst->isa && inst->isa->class == WL_ISA_LOAD && inst->isa->space == WL_SPACE_BUFFER && !inst->lds && !inst->wide_buffer &&
           !wl_inst_needs_descriptor(inst) && !wl_inst_is_coherent(inst) && inst->operands[1].kind == WL_OPERAND_VGPR &&
           inst->operands[2].kind == WL_OPERAND_SGPR && inst->operands[2].reg == reg;
}

/* The loop's loads by the base in registers `reg` and `reg` + 1, if nothing but additions changes it, whose offsets stay. */
static unsigned find_loads(const struct wl_lift *l, const struct round *round, unsigned reg, const struct wl_inst **loads) {
    const struct wl_unit *unit = l->unit.code;
    const uint32_t first = unit->blocks[round->first].first, end = unit->blocks[round->last].first + unit->blocks[round->last].count;
    uint64_t written[WL_ROW_WORDS] = {0};
    unsigned count = 0, kept = 0;
    for (uint32_t i = first; i < end; i++) {
        const struct wl_inst *inst = &unit->insts[i];
        struct wl_effects effects;
        wl_inst_effects(inst, l->wave_size, &effects);
        for (unsigned w = 0; w < WL_ROW_WORDS; w++)
            written[w] |= effects.touch.vector[w] | effects.def_lanes[w];
        const bool low = wl_bit(effects.touch.scalar, reg), high = wl_bit(effects.touch.scalar, reg + 1);
        if ((low && !added_to(inst, "s_add_u32", reg)) || (high && !added_to(inst, "s_addc_u32", reg + 1)))
            return 0;
        if (count < MOST_LOADS && loads_by(inst, reg))
            loads[count++] = inst;
    }
    for (unsigned i = 0; i < count; i++)
        if (!wl_bit(written, loads[i]->operands[1].reg) && !wl_memory_is_private(l, loads[i]))
            loads[kept++] = loads[i];
    return kept;
}

/* One place of each line that a load would touch if its lanes follow each other. */
static void ask_for(struct wl_lift *l, const struct wl_inst *load, LLVMValueRef base) {
    enum { LINE = 64, SECOND_CACHE = 2 };
    const unsigned size = load->isa->bits < 32 ? load->isa->bits / 8 : load->isa->dwords * 4u, lanes = size < LINE ? LINE / size : 1;
    LLVMValueRef row = wl_lift_row_address(l, load->operands[1].reg);
    base = LLVMBuildAdd(l->b, base, wl_lift_int(l, l->i64, (uint32_t)load->offset0), "");
    for (unsigned lane = 0; lane < l->wave_size; lane += lanes) {
        LLVMValueRef index = wl_lift_int(l, l->i64, lane), slot = LLVMBuildGEP2(l->b, l->i32, row, &index, 1, "");
        LLVMValueRef offset = LLVMBuildZExt(l->b, LLVMBuildLoad2(l->b, l->i32, slot, ""), l->i64, "");
        LLVMValueRef arguments[] = {wl_memory_pointer(l, LLVMBuildAdd(l->b, base, offset, "")), wl_lift_int(l, l->i32, 0),
                                    wl_lift_int(l, l->i32, SECOND_CACHE), wl_lift_int(l, l->i32, 1)};
        wl_lift_intrinsic(l, "llvm.prefetch", &l->ptr, 1, arguments, 4);
    }
}

void wl_memory_ask_ahead(struct wl_lift *l, const struct wl_inst *inst) {
    const struct wl_operand *sum = &inst->operands[0];
    if (!l->form->asks_ahead || l->unit.mode != WL_MODE_FULL || l->exec || l->unit.row_slots || wl_sanitizes(l) || !l->unit.code->stops ||
        sum->kind != WL_OPERAND_SGPR || !sum->reg)
        return;
    const unsigned reg = sum->reg - 1u; /* of the base's lower half */
    const struct wl_operand *high = added_to(inst, "s_addc_u32", sum->reg), *low = high ? find_low_step(l, reg) : NULL;
    const struct wl_inst *loads[MOST_LOADS];
    struct round round = {0};
    if (!low || !find_round(l->unit.code, (uint32_t)(l->unit.block - l->unit.code->blocks), &round) || !has_barrier(l->unit.code, &round))
        return;
    const unsigned count = find_loads(l, &round, reg, loads);
    if (!count)
        return;
    LLVMValueRef step = LLVMBuildZExt(l->b, wl_lift_scalar_operand(l, high, WL_U32), l->i64, "");
    step = LLVMBuildShl(l->b, step, wl_lift_int(l, l->i64, 32), "");
    step = LLVMBuildOr(l->b, step, LLVMBuildZExt(l->b, wl_lift_scalar_operand(l, low, WL_U32), l->i64, ""), "");
    LLVMValueRef base = LLVMBuildAnd(l->b, wl_lift_sgpr64(l, reg), wl_lift_int(l, l->i64, (UINT64_C(1) << 48) - 1), "");
    base = LLVMBuildAdd(l->b, base, step, "");
    for (unsigned i = 0; i < count; i++)
        ask_for(l, loads[i], base);
}
