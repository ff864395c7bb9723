/* Which loads may look again and again at what other waves write. */
#include "translate/isa/isa.h"
#include "translate/unit/frame.h"
#include "translate/unit/unit.h"

#include <stdlib.h>
#include <string.h>

/* Two loads of one kind, of one place: behind the result come the parts of the address. */
static bool looks_alike(const struct wl_inst *one, const struct wl_inst *two) {
    bool same =
        one->operand_count == two->operand_count && one->offset0 == two->offset0 && wl_inst_is_coherent(one) == wl_inst_is_coherent(two);
    for (unsigned i = 1; same && i < one->operand_count; i++)
        same = wl_operand_same(&one->operands[i], &two->operands[i]);
    return same;
}

/* A load of LDS by a register that an addition of a number made: it goes by the register before the addition. */
static bool look_before_sum(const struct wl_inst *sum, struct wl_inst *look, struct wl_regs *address) {
    struct wl_operand *base = &look->operands[1];
    if (strcmp(sum->mnemonic, "v_add_nc_u32") != 0 || sum->operand_count != 3 || sum->clamp || sum->is_sdwa || sum->is_dpp ||
        look->isa->space != WL_SPACE_LDS || base->kind != WL_OPERAND_VGPR || sum->operands[0].reg != base->reg)
        return false;
    const bool first = sum->operands[1].kind == WL_OPERAND_IMM;
    const struct wl_operand *number = &sum->operands[first ? 1 : 2], *from = &sum->operands[first ? 2 : 1];
    if (number->kind != WL_OPERAND_IMM || from->kind != WL_OPERAND_VGPR)
        return false;
    wl_put_bits(address->vector, base->reg, 1, false);
    wl_put_bits(address->vector, from->reg, 1, true);
    base->reg = from->reg;
    look->offset0 += (int32_t)number->bits;
    return true;
}

/* Compilers look once before a loop that looks again: marks the load in front of the loop that is like one in it. */
static void mark_first_look(struct wl_unit *unit, uint32_t header, const struct wl_inst *like, struct wl_regs address) {
    enum { MOST = 64 };
    struct wl_inst look = *like;
    for (uint32_t n = header; n > 0 && header - n < MOST; n--) {
        struct wl_inst *inst = &unit->insts[n - 1];
        struct wl_effects effects;
        wl_inst_effects(inst, unit->request->wave_size, &effects);
        wl_put_bits(effects.touch.scalar, WL_SGPR_EXEC, 2, false);
        if (inst->isa == look.isa && inst->isa->class == WL_ISA_LOAD && looks_alike(inst, &look)) {
            inst->looks_first = true;
            return;
        }
        if (wl_regs_meet(&effects.touch, &address) && !look_before_sum(inst, &look, &address))
            return;
    }
}

static bool is_of_lds(const struct wl_unit *unit, const struct wl_frame_access *frame, uint32_t n) {
    return unit->insts[n].isa->space == WL_SPACE_LDS || (frame && frame[n].kind == WL_FRAME_LDS);
}

static bool is_barrier(const struct wl_inst *inst) {
    return inst->isa && (inst->isa->class == WL_ISA_BARRIER || inst->isa->class == WL_ISA_BARRIER_WAIT);
}

/* Whether a function that an instruction calls has a barrier, or calls one that has: at -O0 the barrier of HIP is a function that calls others. */
static bool calls_barrier(const struct wl_unit *unit, struct wl_decoder *decoder, uint32_t n, unsigned depth) {
    struct wl_unit callee;
    uint64_t target;
    bool found = false;
    if (!depth || !wl_unit_call_target(unit, n, &target) || wl_unit_survey(&callee, decoder, unit->request, target) != WL_OK)
        return false;
    for (uint32_t i = 0; i < callee.inst_count && !found; i++)
        found = is_barrier(&callee.insts[i]) || calls_barrier(&callee, decoder, i, depth - 1);
    wl_unit_destroy(&callee);
    return found;
}

/* `decoder`: NULL: functions that are called are not looked at. */
static bool has_barrier(const struct wl_unit *unit, struct wl_decoder *decoder, uint32_t first, uint32_t end) {
    enum { DEEPEST = 4 };
    bool found = false;
    for (uint32_t n = first; n < end && !found; n++)
        found = is_barrier(&unit->insts[n]) || (decoder && calls_barrier(unit, decoder, n, DEEPEST));
    return found;
}

/* Loads from LDS are left out if the loop has a barrier: its waves wait for each other's stores to LDS at the barrier, not by looking at LDS again
 * and again. */
void wl_loop_mark_polls(struct wl_unit *unit, uint32_t header, uint32_t latch, const struct wl_frame_access *frame,
                        struct wl_decoder *decoder) {
    const uint32_t first = unit->blocks[header].first, end = unit->blocks[latch].first + unit->blocks[latch].count;
    const bool meets = has_barrier(unit, decoder, first, end);
    struct wl_regs written = {0};
    for (uint32_t n = first; n < end; n++) {
        struct wl_effects effects;
        wl_inst_effects(&unit->insts[n], unit->request->wave_size, &effects);
        (void)wl_regs_add(&written, &effects.touch);
    }
    wl_put_bits(written.scalar, WL_SGPR_EXEC, 2, false); /* lanes that leave do not move the others */
    for (uint32_t n = first; n < end; n++) {
        struct wl_inst *inst = &unit->insts[n];
        struct wl_effects effects;
        if (meets && inst->isa && inst->isa->class == WL_ISA_LOAD && is_of_lds(unit, frame, n))
            continue;
        inst->may_look = inst->isa && (inst->isa->class == WL_ISA_LOAD || inst->isa->class == WL_ISA_SMEM_LOAD);
        if (!inst->isa || (inst->isa->class != WL_ISA_LOAD && inst->isa->class != WL_ISA_ATOMIC))
            continue;
        wl_inst_effects(inst, unit->request->wave_size, &effects);
        if (inst->isa->class == WL_ISA_ATOMIC) {
            inst->looks_first = !wl_regs_meet(&effects.use, &written); /* its data as well: it stores the same each time */
            continue;
        }
        inst->looks_again = !wl_regs_meet(&effects.use, &written);
        wl_put_bits(effects.use.scalar, WL_SGPR_EXEC, 2, false);
        if (inst->looks_again)
            mark_first_look(unit, first, inst, effects.use);
    }
}

/* ---- with what is known of private memory ---- */

static void forget_looks(struct wl_unit *unit) {
    for (uint32_t n = 0; n < unit->inst_count; n++)
        unit->insts[n].looks_again = unit->insts[n].looks_first = unit->insts[n].may_look = false;
}

/* The basic block whose branch to the header comes last. */
static uint32_t latch_of(const struct wl_unit *unit, uint32_t header) {
    for (uint32_t p = unit->block_count; p-- > header;)
        if (unit->blocks[p].target == header)
            return p;
    return WL_NO_BLOCK;
}

void wl_unit_refine_polls(struct wl_unit *unit, struct wl_decoder *decoder) {
    struct wl_frame_access *accesses = wl_frame_accesses(unit);
    if (!accesses)
        return;
    forget_looks(unit);
    for (uint32_t header = unit->block_count; header-- > 0;) {
        const uint32_t latch = unit->blocks[header].is_header ? latch_of(unit, header) : WL_NO_BLOCK;
        bool for_others;
        if (latch != WL_NO_BLOCK && wl_loop_waits(unit, header, latch, accesses, &for_others))
            wl_loop_mark_polls(unit, header, latch, accesses, decoder);
    }
    free(accesses);
}
