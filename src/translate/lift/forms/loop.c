/* Loops that are run for one strip after the other (strip_loop.h), or for half of one.
 *
 * The loop's pieces are lifted as MASKED code for one strip, in either copy of a unit: registers are <16 x i32> allocas and masks
 * i32 ones, which passes turn into values; a strip takes them from the wave where it begins and leaves them there when it is
 * done. Where a round begins with few lanes, they go on one after the other (lift/forms/scalar_tail.c). The pieces are lifted as parts of a wave too,
 * since waves may resume within the loop; where those come to the header, they go on
 * here. */
#include "translate/lift/forms/loop_state.h"

#include "translate/lift/forms/gang.h"
#include "translate/lift/forms/loop.h"
#include "translate/lift/frame.h"
#include "translate/lift/memory/memory.h"
#include "translate/lift/stretch.h"
#include "translate/lift/values.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* ---- masks ---- */

static unsigned lanes_of(const struct wl_lift *l) { return l->in_loop->halves ? WL_GROUP : WL_STRIP; }

/* The strip's own bits, which are the low ones, or that of the lane whose turn it is. */
static LLVMValueRef own_bits(struct wl_lift *l, LLVMValueRef bits) {
    return LLVMBuildAnd(l->b, bits, wl_lift_int(l, l->i32, wl_lane_alone(l) ? 1 : (1u << lanes_of(l)) - 1), "");
}

/* Those of a mask, as i32: the host has no good instructions for less. */
static LLVMValueRef low_bits(struct wl_lift *l, LLVMValueRef mask) {
    return own_bits(l, l->wave_size == 64 ? LLVMBuildTrunc(l->b, mask, l->i32, "") : mask);
}

/* The strip's bits of a wave's mask, as i32. */
static LLVMValueRef slice(struct wl_lift *l, LLVMValueRef mask) {
    const struct wl_lift_loop *in = l->in_loop;
    LLVMValueRef shift = LLVMBuildTrunc(l->b, in->lane ? in->lane_in_wave : in->first_lane, l->mask_type, "");
    return low_bits(l, LLVMBuildLShr(l->b, mask, shift, ""));
}

static LLVMValueRef to_wave(struct wl_lift *l, LLVMValueRef bits) {
    return l->wave_size == 64 ? LLVMBuildZExt(l->b, bits, l->mask_type, "") : bits;
}

/* A wave's mask with this strip's bits replaced. */
static LLVMValueRef put_slice(struct wl_lift *l, LLVMValueRef mask, LLVMValueRef bits) {
    LLVMValueRef shift = LLVMBuildTrunc(l->b, l->in_loop->first_lane, l->mask_type, "");
    LLVMValueRef hole = LLVMBuildNot(l->b, LLVMBuildShl(l->b, wl_lift_int(l, l->mask_type, (1u << lanes_of(l)) - 1), shift, ""), "");
    LLVMValueRef put = LLVMBuildShl(l->b, to_wave(l, bits), shift, "");
    return LLVMBuildOr(l->b, LLVMBuildAnd(l->b, mask, hole, ""), put, "");
}

static void settle(struct wl_lift *l, unsigned reg) {
    if (wl_stretch_mask_pending(l, reg))
        wl_lift_flush(l);
}

/* Masks lie in the host's mask registers where it has such, as <16 x i1>: from round to round they need not come out of them. */
static LLVMTypeRef mask_slot(const struct wl_lift *l) { return l->in_loop->vectors ? l->strip_i1 : l->i32; }

static LLVMValueRef to_slot(struct wl_lift *l, LLVMValueRef bits) {
    return l->in_loop->vectors ? LLVMBuildBitCast(l->b, LLVMBuildTrunc(l->b, bits, l->i16, ""), l->strip_i1, "") : bits;
}

static LLVMValueRef from_slot(struct wl_lift *l, LLVMValueRef mask) {
    return l->in_loop->vectors ? LLVMBuildZExt(l->b, LLVMBuildBitCast(l->b, mask, l->i16, ""), l->i32, "") : mask;
}

static LLVMValueRef load_slot(struct wl_lift *l, unsigned reg) {
    settle(l, reg);
    return LLVMBuildLoad2(l->b, mask_slot(l), l->in_loop->mask[reg], "");
}

static LLVMValueRef load_mask(struct wl_lift *l, unsigned reg) { return from_slot(l, load_slot(l, reg)); }

/* EXEC has no bits of lanes that are not the strip's. Others may, where they are combined as vectors. */
static void store_slot(struct wl_lift *l, unsigned reg, LLVMValueRef mask) {
    if (reg == WL_SGPR_EXEC && l->in_loop->vectors && l->in_loop->halves) {
        LLVMValueRef own[WL_STRIP];
        for (unsigned i = 0; i < WL_STRIP; i++)
            own[i] = LLVMConstInt(l->i1, i < WL_GROUP, false);
        mask = LLVMBuildAnd(l->b, mask, LLVMConstVector(own, WL_STRIP), "");
    }
    LLVMBuildStore(l->b, mask, l->in_loop->mask[reg]);
}

LLVMValueRef wl_loop_mask(struct wl_lift *l, unsigned reg) {
    settle(l, reg);
    if (!l->in_loop->mask[reg]) {
        l->status = wl_fail(WL_INTERNAL, "%s: scalar register %u is no mask of a strip", l->request->name, reg);
        return LLVMConstNull(l->mask_type);
    }
    return to_wave(l, load_mask(l, reg));
}

void wl_loop_set_mask(struct wl_lift *l, unsigned reg, LLVMValueRef mask) {
    settle(l, reg);
    if (reg == WL_SGPR_EXEC)
        wl_lift_flush(l); /* the stretch runs under the old EXEC */
    store_slot(l, reg, to_slot(l, l->in_loop->vectors ? mask : low_bits(l, mask)));
}

/* What logic has made of masks. `part`: it is a part of what EXEC was. */
static void set_slot(struct wl_lift *l, unsigned reg, LLVMValueRef mask, bool part) {
    settle(l, reg);
    if (reg == WL_SGPR_EXEC)
        wl_lift_flush(l);
    if (part)
        LLVMBuildStore(l->b, mask, l->in_loop->mask[reg]);
    else
        store_slot(l, reg, l->in_loop->vectors ? mask : own_bits(l, mask));
}

static bool is_exec(const struct wl_operand *operand) { return operand->kind == WL_OPERAND_SGPR && operand->reg == WL_SGPR_EXEC; }

/* Whether what logic makes is a part of EXEC. */
static bool narrows(const struct wl_mask_work *work) {
    return (work->logic == WL_MASK_AND && (is_exec(&work->a) || is_exec(&work->b))) ||
           (work->logic == WL_MASK_AND_NOT && is_exec(&work->a));
}

LLVMValueRef wl_loop_slice(struct wl_lift *l, LLVMValueRef mask) { return to_wave(l, slice(l, mask)); }

static LLVMValueRef raw_mask(struct wl_lift *l, unsigned reg) { return l->wave_size == 64 ? wl_lift_sgpr64(l, reg) : wl_lift_sgpr(l, reg); }

static LLVMValueRef operand_mask(struct wl_lift *l, const struct wl_operand *operand) {
    if (operand->kind == WL_OPERAND_SGPR)
        return load_slot(l, operand->reg);
    LLVMValueRef constant = wl_lift_scalar_operand(l, operand, l->wave_size == 64 ? WL_U64 : WL_U32);
    return to_slot(l, slice(l, constant));
}

LLVMValueRef wl_mask_combine(struct wl_lift *l, unsigned logic, LLVMValueRef a, LLVMValueRef b) {
    switch ((enum wl_mask_logic)logic) {
    case WL_MASK_MOVE:
        return a;
    case WL_MASK_NOT:
        return LLVMBuildNot(l->b, a, "");
    case WL_MASK_AND:
        return LLVMBuildAnd(l->b, a, b, "");
    case WL_MASK_AND_NOT:
        return LLVMBuildAnd(l->b, a, LLVMBuildNot(l->b, b, ""), "");
    case WL_MASK_OR:
        return LLVMBuildOr(l->b, a, b, "");
    case WL_MASK_OR_NOT:
        return LLVMBuildOr(l->b, a, LLVMBuildNot(l->b, b, ""), "");
    case WL_MASK_XOR:
        return LLVMBuildXor(l->b, a, b, "");
    case WL_MASK_NAND:
        return LLVMBuildNot(l->b, LLVMBuildAnd(l->b, a, b, ""), "");
    case WL_MASK_NOR:
        return LLVMBuildNot(l->b, LLVMBuildOr(l->b, a, b, ""), "");
    case WL_MASK_XNOR:
        return LLVMBuildNot(l->b, LLVMBuildXor(l->b, a, b, ""), "");
    case WL_MASK_SELECT:
        break;
    }
    LLVMValueRef scc = LLVMBuildICmp(l->b, LLVMIntNE, wl_lift_sgpr(l, WL_SGPR_SCC), LLVMConstNull(l->i32), "");
    return LLVMBuildSelect(l->b, scc, a, b, "");
}

static LLVMValueRef still_below(struct wl_lift *l, LLVMValueRef exec);

void wl_loop_mask_work(struct wl_lift *l, const struct wl_inst *inst) {
    struct wl_mask_work work;
    (void)wl_mask_work(inst, l->wave_size, &work);
    if (work.to == WL_SGPR_EXEC)
        wl_lift_flush(l);
    LLVMValueRef a = operand_mask(l, &work.a), b = operand_mask(l, &work.b), exec = load_slot(l, WL_SGPR_EXEC);
    LLVMValueRef result = wl_mask_combine(l, work.logic, a, b);
    if (work.to == WL_SGPR_EXEC && l->in_loop->stay)
        result = still_below(l, exec);
    if (work.saves)
        set_slot(l, work.saved, work.saves_new ? result : exec, !work.saves_new || narrows(&work));
    set_slot(l, work.to, result, narrows(&work));
}

void wl_loop_step(struct wl_lift *l, const struct wl_inst *inst, const struct wl_effects *effects) {
    const struct wl_strip_loop *loop = l->in_loop->loop;
    bool scalar = inst->sem ? inst->sem->scalar : wl_inst_is_scalar(inst);
    if (!scalar || inst->on_strip_masks)
        return;
    for (unsigned reg = 0; reg < WL_SGPR_COUNT; reg++) {
        bool touched =
            wl_bit(effects->touch.scalar, reg) || (l->wave_size == 64 && wl_bit(effects->touch.scalar, (reg + 1) % WL_SGPR_COUNT));
        if (touched && wl_bit(loop->masks, reg))
            LLVMBuildStore(l->b, to_slot(l, slice(l, raw_mask(l, reg))), l->in_loop->mask[reg]);
    }
}

/* ---- rows ---- */

static LLVMTypeRef row_type(const struct wl_lift *l) { return LLVMVectorType(l->i32, lanes_of(l)); }

/* The strip's lanes of a row, as the emitters see them, and as memory has them. */
static LLVMValueRef widened(struct wl_lift *l, LLVMValueRef value) {
    LLVMValueRef order[WL_STRIP];
    if (!l->in_loop->halves)
        return value;
    for (unsigned i = 0; i < WL_STRIP; i++)
        order[i] = wl_lift_int(l, l->i32, i);
    return LLVMBuildShuffleVector(l->b, value, LLVMConstNull(row_type(l)), LLVMConstVector(order, WL_STRIP), "");
}

static LLVMValueRef narrowed(struct wl_lift *l, LLVMValueRef value) {
    LLVMValueRef order[WL_GROUP];
    if (!l->in_loop->halves)
        return value;
    for (unsigned i = 0; i < WL_GROUP; i++)
        order[i] = wl_lift_int(l, l->i32, i);
    return LLVMBuildShuffleVector(l->b, value, LLVMGetPoison(LLVMTypeOf(value)), LLVMConstVector(order, WL_GROUP), "");
}

static LLVMValueRef load_lanes(struct wl_lift *l, LLVMValueRef from) {
    LLVMValueRef value = LLVMBuildLoad2(l->b, row_type(l), from, "");
    LLVMSetAlignment(value, 4 * lanes_of(l));
    return widened(l, value);
}

static void store_lanes(struct wl_lift *l, LLVMValueRef value, LLVMValueRef to) {
    LLVMSetAlignment(LLVMBuildStore(l->b, narrowed(l, value), to), 4 * lanes_of(l));
}

LLVMValueRef wl_loop_load_row(struct wl_lift *l, unsigned row) {
    if (l->in_loop->lane)
        return wl_lane_vector(l, wl_pairs_load_row(l, row));
    LLVMValueRef value = LLVMBuildLoad2(l->b, l->strip_i32, l->in_loop->row[row], "");
    LLVMSetAlignment(value, 64);
    return value;
}

LLVMValueRef wl_loop_uniform(const struct wl_lift *l, unsigned row) { return l->in_loop->uniform[row]; }

LLVMValueRef wl_loop_head(struct wl_lift *l, unsigned row) {
    const struct wl_lift_loop *in = l->in_loop;
    if (!in->head || row != in->loop->rounds.counter)
        return NULL;
    LLVMValueRef head = LLVMBuildLoad2(l->b, l->i32, in->head, "");
    return wl_bit(l->strip->row_dirty, row) ? LLVMBuildAdd(l->b, head, wl_lift_int(l, l->i32, in->loop->rounds.step), "") : head;
}

void wl_loop_store_row(struct wl_lift *l, unsigned row, LLVMValueRef value) {
    if (l->in_loop->lane) {
        wl_pairs_store_row(l, row, wl_lane_value(l, value));
        return;
    }
    if (l->in_loop->head && row == l->in_loop->loop->rounds.counter)
        LLVMBuildStore(l->b, wl_loop_head(l, row), l->in_loop->head);
    if (wl_bit(l->live_after[l->stretch_end].inactive, row))
        value = LLVMBuildSelect(l->b, l->exec, value, wl_loop_load_row(l, row), "");
    LLVMSetAlignment(LLVMBuildStore(l->b, value, l->in_loop->row[row]), 64);
}

bool wl_loop_writes(const struct wl_lift *l) { return l->in_loop->loop->writes; }

static LLVMValueRef row_in_wave(struct wl_lift *l, unsigned row) {
    LLVMValueRef first = wl_lift_int(l, l->i64, offsetof(struct wl_wave, vgpr) + (uint64_t)row * l->wave_size * 4);
    LLVMValueRef offset = LLVMBuildShl(l->b, l->in_loop->first_lane, wl_lift_int(l, l->i64, 2), "");
    LLVMValueRef start = LLVMBuildGEP2(l->b, l->i8, l->in_loop->state, &first, 1, "");
    return LLVMBuildGEP2(l->b, l->i8, start, &offset, 1, "");
}

static void take_rows(struct wl_lift *l, LLVMValueRef exec) {
    const struct wl_strip_loop *loop = l->in_loop->loop;
    const struct wl_live *live = &l->unit->pieces[loop->header].live_in;
    LLVMValueRef bits[2] = {LLVMBuildZExt(l->b, slice(l, exec), l->i64, ""), LLVMConstInt(l->i1, 1, false)};
    LLVMValueRef lane = wl_lift_intrinsic(l, "llvm.cttz", &l->i64, 1, bits, 2);
    for (unsigned row = 0; row < WL_VGPR_COUNT; row++) {
        if (!wl_bit(loop->rows, row))
            continue;
        LLVMValueRef value = LLVMConstNull(l->strip_i32);
        if (wl_bit(live->active, row) || wl_bit(live->inactive, row)) {
            LLVMValueRef from = row_in_wave(l, row);
            value = load_lanes(l, from);
            if (!wl_bit(loop->rows_written, row))
                l->in_loop->uniform[row] = LLVMBuildLoad2(l->b, l->i32, LLVMBuildGEP2(l->b, l->i32, from, &lane, 1, ""), "");
        }
        if (wl_bit(loop->rows_counting, row))
            l->in_loop->entered[row] = value;
        LLVMSetAlignment(LLVMBuildStore(l->b, value, l->in_loop->row[row]), 64);
    }
}

LLVMValueRef wl_loop_apart(struct wl_lift *l, unsigned row, uint32_t step) {
    struct wl_lift_loop *in = l->in_loop;
    if (row >= WL_VGPR_COUNT || !in->entered[row] || (in->apart[row] && in->apart_step[row] != step))
        return NULL;
    if (in->apart[row])
        return in->apart[row];
    const struct wl_lift_place here = wl_lift_detour(l, in->run);
    LLVMValueRef expected = wl_lanes_group_expected(l, in->entered[row], step);
    LLVMValueRef differs = LLVMBuildICmp(l->b, LLVMIntNE, in->entered[row], expected, "");
    in->apart[row] = LLVMBuildZExt(l->b, LLVMBuildBitCast(l->b, differs, l->i16, ""), l->i32, "");
    in->apart_step[row] = step;
    wl_lift_return(l, here);
    return in->apart[row];
}

/* A vector of an operand, as the loop begins with it. */
static LLVMValueRef begins_with_all(struct wl_lift *l, const struct wl_operand *operand) {
    if (operand->kind == WL_OPERAND_VGPR)
        return load_lanes(l, row_in_wave(l, operand->reg));
    return wl_strip_splat(l, wl_lift_scalar_operand(l, operand, WL_U32));
}

/* A constant in all lanes, or `step` more in each lane of a group of eight. */
static LLVMValueRef group_constants(struct wl_lift *l, uint64_t first, uint64_t step) {
    LLVMValueRef constants[WL_STRIP];
    for (unsigned i = 0; i < WL_STRIP; i++)
        constants[i] = wl_lift_int(l, l->i32, (uint32_t)(first + (i % WL_GROUP) * step));
    return LLVMConstVector(constants, WL_STRIP);
}

/* Rows in memory have what inactive lanes held wherever that is still used. */
static void leave_rows(struct wl_lift *l, uint32_t piece) {
    const struct wl_strip_loop *loop = l->in_loop->loop;
    const struct wl_live *live = &l->unit->pieces[piece].live_in;
    for (unsigned row = 0; row < WL_VGPR_COUNT; row++)
        if (wl_bit(loop->rows_written, row) && (wl_bit(live->active, row) || wl_bit(live->inactive, row)))
            store_lanes(l, wl_loop_load_row(l, row), row_in_wave(l, row));
}

/* ---- the frame ---- */

static void make_slots(struct wl_lift *l) {
    struct wl_lift_loop *in = l->in_loop;
    const struct wl_strip_loop *loop = in->loop;
    for (unsigned row = 0; row < WL_VGPR_COUNT; row++)
        if (wl_bit(loop->rows, row))
            in->row[row] = wl_lift_alloca(l, l->strip_i32, 64, "row");
    for (unsigned reg = 0; reg < WL_SGPR_COUNT; reg++) {
        if (!wl_bit(loop->masks, reg))
            continue;
        in->mask[reg] = wl_lift_alloca(l, mask_slot(l), 4, "mask");
        in->result[reg] = wl_lift_alloca(l, l->mask_type, 8, "masks");
        LLVMBuildStore(l->b, raw_mask(l, reg), in->result[reg]);
    }
}

/* Whether a mask that the loop makes is used at a piece. */
static bool mask_is_wanted(const struct wl_lift *l, unsigned reg, uint32_t piece) {
    const struct wl_strip_loop *loop = l->in_loop->loop;
    bool wanted = false;
    for (unsigned i = 0; i < l->wave_size / 32; i++)
        wanted |= wl_bit(l->unit->pieces[piece].live_in.scalar, reg + i) && wl_bit(loop->scalars_written, reg + i);
    return wl_bit(loop->masks, reg) && wanted && reg != WL_SGPR_EXEC;
}

/* Puts what the strip has made of a mask with the others'. */
static void add_result(struct wl_lift *l, unsigned reg) {
    LLVMValueRef sum = LLVMBuildLoad2(l->b, l->mask_type, l->in_loop->result[reg], "");
    LLVMBuildStore(l->b, put_slice(l, sum, own_bits(l, load_mask(l, reg))), l->in_loop->result[reg]);
}

/* Whether a mask is known behind the loop, of which strips need not tell then: EXEC, and that of the lanes that have left, as all have. */
static bool is_known_behind(const struct wl_lift *l, unsigned reg, uint32_t piece) {
    const struct wl_lift_loop *in = l->in_loop;
    if (piece != in->loop->exit)
        return false;
    return reg == WL_SGPR_EXEC || (in->rounds && in->loop->rounds.collects && reg == in->loop->rounds.left && !in->yields);
}

/* EXEC where a strip leaves in the middle of the loop: those before it are done, those behind have not begun. */
static void add_exec(struct wl_lift *l) {
    LLVMValueRef *to = &l->in_loop->result[WL_SGPR_EXEC], first = LLVMBuildTrunc(l->b, l->in_loop->first_lane, l->mask_type, "");
    LLVMValueRef behind = LLVMBuildShl(l->b, LLVMConstAllOnes(l->mask_type), first, "");
    LLVMBuildStore(l->b, LLVMBuildAnd(l->b, LLVMBuildLoad2(l->b, l->mask_type, *to, ""), behind, ""), *to);
    add_result(l, WL_SGPR_EXEC);
}

static void add_results(struct wl_lift *l, uint32_t piece) {
    for (unsigned reg = 0; reg < WL_SGPR_COUNT; reg++)
        if (mask_is_wanted(l, reg, piece) && !is_known_behind(l, reg, piece))
            add_result(l, reg);
    if (!is_known_behind(l, WL_SGPR_EXEC, piece))
        add_exec(l);
}

static void set_scalar(struct wl_lift *l, unsigned reg, LLVMValueRef mask) {
    if (l->wave_size == 64)
        wl_lift_set_sgpr64(l, reg, mask);
    else
        wl_lift_set_sgpr(l, reg, mask);
}

/* The masks of all strips become the wave's scalars. */
static void leave_scalars(struct wl_lift *l, uint32_t piece) {
    for (unsigned reg = 0; reg < WL_SGPR_COUNT; reg++)
        if (mask_is_wanted(l, reg, piece) && is_known_behind(l, reg, piece))
            set_scalar(l, reg, LLVMBuildOr(l->b, l->in_loop->before[reg], l->in_loop->before[WL_SGPR_EXEC], ""));
        else if (mask_is_wanted(l, reg, piece))
            set_scalar(l, reg, LLVMBuildLoad2(l->b, l->mask_type, l->in_loop->result[reg], ""));
    const bool none = is_known_behind(l, WL_SGPR_EXEC, piece);
    set_scalar(l, WL_SGPR_EXEC,
               none ? LLVMConstNull(l->mask_type) : LLVMBuildLoad2(l->b, l->mask_type, l->in_loop->result[WL_SGPR_EXEC], ""));
}

/* From a wave of a gang to the gang, and back. */
static void leave_wave(struct wl_lift *l) {
    l->gang = l->in_loop->gang;
    l->mask_type = LLVMVectorType(l->wave_mask, l->gang_lanes / l->wave_size);
}

static void enter_wave(struct wl_lift *l) {
    l->gang = NULL;
    l->mask_type = l->wave_mask;
}

/* The wave's masks become its part of the gang's. */
static void give_masks(struct wl_lift *l) {
    for (unsigned reg = 0; reg < WL_SGPR_COUNT; reg++)
        if (wl_bit(l->in_loop->loop->masks, reg))
            wl_gang_give_mask(l, l->in_loop->gang, reg, raw_mask(l, reg));
}

bool wl_loop_yield(struct wl_lift *l, uint32_t piece) {
    leave_rows(l, piece);
    add_results(l, piece);
    leave_scalars(l, piece);
    if (!l->in_loop->gang)
        return false;
    give_masks(l);
    leave_wave(l);
    wl_gang_split(l, piece);
    enter_wave(l);
    return true;
}

/* ---- how many rounds ---- */

/* What the strip's first lane has where its rounds begin, as i32: of a row, of an operand. */
static LLVMValueRef begins_with_row(struct wl_lift *l, unsigned row) { return LLVMBuildLoad2(l->b, l->i32, row_in_wave(l, row), ""); }

static LLVMValueRef begins_with(struct wl_lift *l, const struct wl_operand *operand) {
    if (operand->kind != WL_OPERAND_VGPR)
        return wl_lift_scalar_operand(l, operand, WL_U32);
    return begins_with_row(l, operand->reg);
}

LLVMValueRef wl_loop_in_groups(struct wl_lift *l, unsigned row, uint32_t step, bool is_signed) {
    enum { MOST_LANE_STEP = 1 << 16 };
    struct wl_lift_loop *in = l->in_loop;
    const struct wl_strip_rounds *rounds = &in->loop->rounds;
    if (!in->halves || !in->rounds || row != rounds->counter || is_signed != rounds->is_signed || step > MOST_LANE_STEP)
        return NULL;
    const struct wl_lift_place here = wl_lift_detour(l, in->run);
    /* An active lane's counter is stepped again only if it is below the limit, but for the first time; those who ask may have it from before
     * a step or from behind. It does not wrap where neither the limit nor what it begins with is near the end. */
    const uint64_t most = (rounds->is_signed ? INT32_MAX : UINT32_MAX) - 2 * (uint64_t)rounds->step - WL_STRIP * (uint64_t)step;
    LLVMIntPredicate above = rounds->is_signed ? LLVMIntSGT : LLVMIntUGT;
    LLVMValueRef first = begins_with_row(l, row);
    LLVMValueRef expected = LLVMBuildAdd(l->b, wl_strip_splat(l, first), group_constants(l, 0, step), "");
    LLVMValueRef bad =
        LLVMBuildICmp(l->b, LLVMIntNE, begins_with_all(l, &(struct wl_operand){.kind = WL_OPERAND_VGPR, .reg = row}), expected, "");
    bad = LLVMBuildOr(l->b, bad, LLVMBuildICmp(l->b, above, in->limit, group_constants(l, most, 0), ""), "");
    bad = LLVMBuildAnd(l->b, bad, LLVMBuildLoad2(l->b, l->strip_i1, in->mask[WL_SGPR_EXEC], ""), "");
    LLVMValueRef bits = LLVMBuildZExt(l->b, LLVMBuildBitCast(l->b, bad, l->i16, ""), l->i32, "");
    bits =
        LLVMBuildOr(l->b, bits, LLVMBuildZExt(l->b, LLVMBuildICmp(l->b, above, first, wl_lift_int(l, l->i32, most), ""), l->i32, ""), "");
    LLVMValueRef good = LLVMBuildICmp(l->b, LLVMIntEQ, bits, LLVMConstNull(l->i32), "");
    wl_lift_return(l, here);
    return good;
}

static LLVMIntPredicate below(const struct wl_strip_rounds *rounds) {
    if (rounds->includes)
        return rounds->is_signed ? LLVMIntSLE : LLVMIntULE;
    return rounds->is_signed ? LLVMIntSLT : LLVMIntULT;
}

/* EXEC behind a round, as the loop's instructions make it but with nothing in between that would have each round wait for the last one's
 * comparison. */
static LLVMValueRef still_below(struct wl_lift *l, LLVMValueRef exec) {
    struct wl_lift_loop *in = l->in_loop;
    const struct wl_strip_rounds *rounds = &in->loop->rounds;
    LLVMValueRef counter = wl_loop_load_row(l, rounds->counter);
    if (!rounds->ahead)
        counter = LLVMBuildSub(l->b, counter, group_constants(l, rounds->step, 0), "");
    LLVMValueRef on = LLVMBuildICmp(l->b, below(rounds), counter, in->limit, "");
    return LLVMBuildAnd(l->b, exec, LLVMBuildAnd(l->b, on, in->stay, ""), "");
}

/* The strip's bits of a mask of the wave, as it is where the loop begins; NULL: of no mask. */
static LLVMValueRef bits_at(struct wl_lift *l, LLVMValueRef mask, LLVMValueRef first_lane) {
    LLVMValueRef shift = LLVMBuildTrunc(l->b, first_lane, l->mask_type, "");
    LLVMValueRef bits = LLVMBuildLShr(l->b, mask, shift, "");
    return l->wave_size == 64 ? LLVMBuildTrunc(l->b, bits, l->i32, "") : bits;
}

/* How often the first lane of a strip is still on at the loop's end: so often the strip goes on, with no look at masks, which the host
 * could not foretell and would wait for behind gathers. As lanes share a row of data and have its elements in turn, the first one mostly
 * is among the last that leave. */
static LLVMValueRef count_rounds(struct wl_lift *l, LLVMValueRef *masks, LLVMValueRef first_lane) {
    const struct wl_strip_rounds *rounds = &l->in_loop->loop->rounds;
    LLVMValueRef own = l->in_loop->first_lane, zero = LLVMConstNull(l->i64), step = wl_lift_int(l, l->i64, rounds->step);
    l->in_loop->first_lane = first_lane;
    LLVMValueRef limit = begins_with(l, &rounds->limit), first = begins_with_row(l, rounds->counter);
    l->in_loop->first_lane = own;
    LLVMValueRef on = bits_at(l, masks[WL_SGPR_EXEC], first_lane);
    if (rounds->left)
        on = LLVMBuildAnd(l->b, on, LLVMBuildNot(l->b, bits_at(l, masks[rounds->left], first_lane), ""), "");
    on = LLVMBuildAnd(l->b, LLVMBuildTrunc(l->b, on, l->i1, ""), LLVMBuildICmp(l->b, below(rounds), first, limit, ""), "");
    LLVMValueRef left = LLVMBuildZExt(l->b, LLVMBuildSub(l->b, limit, first, ""), l->i64, "");
    left = LLVMBuildAdd(l->b, left, wl_lift_int(l, l->i64, rounds->step - !rounds->includes), "");
    left = LLVMBuildSub(l->b, LLVMBuildUDiv(l->b, left, step, ""), wl_lift_int(l, l->i64, rounds->ahead), "");
    return LLVMBuildSelect(l->b, on, left, zero, "");
}

static void begin_rounds(struct wl_lift *l, LLVMValueRef count) {
    struct wl_lift_loop *in = l->in_loop;
    const struct wl_strip_rounds *rounds = &in->loop->rounds;
    LLVMBuildStore(l->b, count, in->rounds);
    LLVMBuildStore(l->b, begins_with_row(l, rounds->counter), in->head);
    in->limit = begins_with_all(l, &rounds->limit);
    in->stay = rounds->left ? LLVMBuildNot(l->b, load_slot(l, rounds->left), "") : LLVMConstAllOnes(l->strip_i1);
}

bool wl_loop_leave(struct wl_lift *l) {
    struct wl_lift_loop *in = l->in_loop;
    if (!in->rounds || in->lane || l->piece != &l->unit->pieces[in->loop->leave])
        return false;
    LLVMBasicBlockRef look = wl_lift_block(l, "look");
    const uint32_t again = l->piece->target == in->loop->exit ? l->piece->next : l->piece->target;
    LLVMValueRef left = LLVMBuildLoad2(l->b, l->i64, in->rounds, ""), zero = LLVMConstNull(l->i64);
    LLVMBuildStore(l->b, LLVMBuildSub(l->b, left, wl_lift_int(l, l->i64, 1), ""), in->rounds);
    LLVMBuildCondBr(l->b, LLVMBuildICmp(l->b, LLVMIntSGT, left, zero, ""), wl_lift_block_of(l, again), look);
    LLVMPositionBuilderAtEnd(l->b, look);
    LLVMValueRef none = LLVMBuildICmp(l->b, LLVMIntEQ, load_mask(l, WL_SGPR_EXEC), LLVMConstNull(l->i32), "");
    wl_memory_mark_likely(l, LLVMBuildCondBr(l->b, none, wl_lift_block_of(l, in->loop->exit), wl_lift_block_of(l, again)));
    return true;
}

/* What is known of an operand's lanes. */
static enum wl_fact_kind kind_of(const struct wl_facts *facts, const struct wl_operand *operand) {
    return operand->kind == WL_OPERAND_VGPR ? facts->row[operand->reg].kind : WL_FACT_AFFINE;
}

/* Decides how the loop is run. Where eight lanes share a row each, strips are halves: none waits for the other's end. */
static void choose(struct wl_lift *l) {
    struct wl_lift_loop *in = l->in_loop;
    const struct wl_strip_rounds *rounds = &in->loop->rounds;
    const struct wl_operand counter = {.kind = WL_OPERAND_VGPR, .reg = rounds->counter, .count = 1};
    struct wl_facts facts;
    in->vectors = l->has_avx512 && !in->loop->writes;
    for (uint32_t i = 0; i < in->loop->count; i++)
        in->yields |= l->unit->pieces[in->loop->pieces[i]].is_spin_header && !in->loop->writes;
    if (!rounds->known || !in->vectors || !l->affine || !wl_bit(in->loop->rows_counting, rounds->counter))
        return;
    wl_affine_start(l->affine, in->loop->header, WL_MODE_MASKED, &facts);
    const enum wl_fact_kind counts = kind_of(&facts, &counter), ends = kind_of(&facts, &rounds->limit);
    in->halves = counts == WL_FACT_GROUPS && (ends == WL_FACT_GROUPS || ends == WL_FACT_AFFINE);
    if (!in->halves && (counts != WL_FACT_AFFINE || ends != WL_FACT_AFFINE))
        return;
    in->rounds = wl_lift_alloca(l, l->i64, 8, "rounds");
    in->head = wl_lift_alloca(l, l->i32, 4, "head");
}

/* Opens the loop over strips: the builder is left where one with active lanes begins. `before`: scalars that it may change. */
static void begin(struct wl_lift *l, LLVMValueRef *before) {
    struct wl_lift_loop *in = l->in_loop;
    LLVMBasicBlockRef here = LLVMGetInsertBlock(l->b), run = wl_lift_block(l, "run");
    in->strips = wl_lift_block(l, "strips");
    in->latch = wl_lift_block(l, "latch");
    in->done = wl_lift_block(l, "done");
    LLVMValueRef exec = raw_mask(l, WL_SGPR_EXEC), zero = LLVMConstNull(l->i64), *masks = in->before;
    for (unsigned reg = 0; reg < WL_SGPR_COUNT; reg++)
        masks[reg] = wl_bit(in->loop->masks, reg) ? raw_mask(l, reg) : NULL;
    LLVMValueRef first_count = in->rounds ? count_rounds(l, masks, zero) : NULL, count = NULL;
    LLVMBuildBr(l->b, in->strips);
    LLVMPositionBuilderAtEnd(l->b, in->strips);
    in->number = LLVMBuildPhi(l->b, l->i64, "strip");
    LLVMAddIncoming(in->number, &zero, &here, 1);
    if (first_count) {
        count = LLVMBuildPhi(l->b, l->i64, "count");
        LLVMAddIncoming(count, &first_count, &here, 1);
    }
    in->first_lane = LLVMBuildMul(l->b, in->number, wl_lift_int(l, l->i64, lanes_of(l)), "");
    in->of_all = in->number;
    in->first_of_all = in->first_lane;
    if (in->gang) {
        leave_wave(l);
        in->of_all = wl_gang_strip(l, 0, in->number);
        LLVMValueRef wave = LLVMBuildMul(l->b, wl_gang_strip(l, 0, zero), wl_lift_int(l, l->i64, WL_STRIP), "");
        in->first_of_all = LLVMBuildAdd(l->b, wave, in->first_lane, "");
        enter_wave(l);
    }
    if (count) { /* the next strip's ahead of its turn: where it leaves the loop is then known when it begins */
        LLVMValueRef next = LLVMBuildAdd(l->b, in->first_lane, wl_lift_int(l, l->i64, lanes_of(l)), "");
        next = LLVMBuildAnd(l->b, next, wl_lift_int(l, l->i64, l->wave_size - 1), "");
        LLVMValueRef next_count = count_rounds(l, masks, next);
        LLVMAddIncoming(count, &next_count, &in->latch, 1);
    }
    LLVMValueRef none = LLVMBuildICmp(l->b, LLVMIntEQ, slice(l, exec), LLVMConstNull(l->i32), "");
    LLVMBuildCondBr(l->b, none, in->latch, run);
    LLVMPositionBuilderAtEnd(l->b, run);
    for (unsigned reg = 0; reg < WL_SGPR_COUNT; reg++) {
        if (before[reg])
            LLVMBuildStore(l->b, before[reg], l->sgpr[reg]);
        if (masks[reg])
            LLVMBuildStore(l->b, to_slot(l, slice(l, masks[reg])), in->mask[reg]);
    }
    wl_strip_trace_first(l, in->first_of_all);
    take_rows(l, exec);
    if (count)
        begin_rounds(l, count);
}

/* Lifts the loop's pieces for a strip: control flow within it goes to blocks of their own, out of it to `done`. */
static void lift_pieces(struct wl_lift *l) {
    struct wl_lift_loop *in = l->in_loop;
    const struct wl_strip_loop *loop = in->loop;
    LLVMBasicBlockRef *outer = l->blocks, *own = calloc(l->unit->piece_count + 1, sizeof(LLVMBasicBlockRef));
    const struct wl_piece *piece = l->piece;
    enum wl_mode mode = l->mode;
    if (!own) {
        l->status = wl_fail(WL_OUT_OF_MEMORY, "no memory for blocks of a loop");
        return;
    }
    for (uint32_t i = 0; i < loop->count; i++)
        own[loop->pieces[i]] = wl_lift_block(l, "round");
    own[loop->exit] = in->done;
    in->run = LLVMGetInsertBlock(l->b);
    LLVMBuildBr(l->b, own[loop->header]);
    l->blocks = own;
    l->mode = WL_MODE_MASKED;
    LLVMBasicBlockRef header = own[loop->header], round = header;
    const unsigned few = wl_strip_loop_few(l->unit, loop);
    if (few)
        round = wl_lanes_branch(l, header, few);
    for (uint32_t i = 0; i < loop->count && !l->status; i++) {
        in->occupied = loop->occupied[i];
        own[loop->header] = loop->pieces[i] == loop->header ? round : header;
        wl_lift_piece(l, loop->pieces[i]);
    }
    if (round != header && !l->status)
        wl_lanes_lift(l, own);
    l->blocks = outer;
    l->mode = mode;
    l->piece = piece;
    free(own);
}

/* A lane that comes here is on. */
static void set_own_lane(struct wl_lift *l) {
    if (!l->in_loop->lane)
        return;
    LLVMValueRef lanes[WL_STRIP];
    for (unsigned i = 0; i < WL_STRIP; i++)
        lanes[i] = LLVMConstInt(l->i1, i == 0, false);
    l->exec = LLVMConstVector(lanes, WL_STRIP);
    l->exec_bits = wl_lift_int(l, l->i16, 1);
}

void wl_loop_strip(struct wl_lift *l, LLVMBasicBlockRef after) {
    LLVMValueRef bits = load_mask(l, WL_SGPR_EXEC);
    if (!l->in_loop->occupied) {
        LLVMBasicBlockRef some = wl_lift_block(l, "active");
        LLVMBuildCondBr(l->b, LLVMBuildICmp(l->b, LLVMIntEQ, bits, LLVMConstNull(l->i32), ""), after, some);
        LLVMPositionBuilderAtEnd(l->b, some);
    }
    l->exec_bits = LLVMBuildTrunc(l->b, bits, l->i16, "");
    l->exec = wl_lift_lanes(l, l->exec_bits, WL_STRIP);
    set_own_lane(l);
}

LLVMValueRef wl_loop_strip_number(const struct wl_lift *l) { return l->in_loop->number; }

LLVMValueRef wl_loop_strip_of_all(const struct wl_lift *l) { return l->in_loop->of_all; }

LLVMValueRef wl_loop_first_lane(const struct wl_lift *l) { return l->in_loop->first_of_all; }

bool wl_loop_halves(const struct wl_lift *l) { return l->in_loop->halves; }

/* In a gang, opens the loop over its waves, each of which finds its masks in its scalar registers, and other scalars as they were. */
static LLVMBasicBlockRef begin_wave(struct wl_lift *l, LLVMValueRef *before) {
    struct wl_lift_loop *in = l->in_loop;
    in->state = l->wave;
    in->gang = l->gang;
    if (!in->gang)
        return NULL;
    l->in_loop = NULL; /* masks are the gang's until its waves begin */
    wl_gang_begin_piece(l, in->loop->header);
    for (unsigned reg = 0; reg < WL_SGPR_COUNT; reg++)
        if (wl_bit(in->loop->masks, reg))
            wl_gang_settle_mask(l, reg);
    LLVMBasicBlockRef latch = wl_gang_begin_waves(l, 1);
    in->state = wl_gang_state(l, 0);
    l->in_loop = in;
    enter_wave(l);
    for (unsigned reg = 0; reg < WL_SGPR_COUNT; reg++)
        if (before[reg])
            LLVMBuildStore(l->b, before[reg], l->sgpr[reg]);
    for (unsigned reg = 0; reg < WL_SGPR_COUNT; reg++) {
        LLVMValueRef own = wl_bit(in->loop->masks, reg) ? wl_gang_take_wave(l, in->gang, reg) : NULL;
        if (!own)
            continue;
        set_scalar(l, reg, own);
        for (unsigned i = 0; i < l->wave_size / 32; i++) /* what a strip begins with */
            if (before[reg + i])
                before[reg + i] = wl_lift_sgpr(l, reg + i);
    }
    return latch;
}

void wl_lift_strip_loop(struct wl_lift *l, const struct wl_strip_loop *loop) {
    struct wl_lift_loop *in = calloc(1, sizeof *in);
    LLVMValueRef before[WL_SGPR_COUNT] = {NULL};
    if (!in) {
        l->status = wl_fail(WL_OUT_OF_MEMORY, "no memory for a loop");
        return;
    }
    in->loop = loop;
    l->in_loop = in;
    LLVMPositionBuilderAtEnd(l->b, l->blocks[loop->header]);
    for (unsigned reg = 0; reg < WL_SGPR_COUNT; reg++)
        if (wl_bit(loop->scalars_written, reg) && l->sgpr[reg])
            before[reg] = wl_lift_sgpr(l, reg);
    LLVMBasicBlockRef next_wave = begin_wave(l, before);
    choose(l);
    make_slots(l);
    begin(l, before);
    lift_pieces(l);
    LLVMPositionBuilderAtEnd(l->b, in->done);
    leave_rows(l, loop->exit);
    add_results(l, loop->exit);
    LLVMBuildBr(l->b, in->latch);
    LLVMPositionBuilderAtEnd(l->b, in->latch);
    LLVMBasicBlockRef after = wl_lift_block(l, "after");
    LLVMValueRef next = LLVMBuildAdd(l->b, in->number, wl_lift_int(l, l->i64, 1), "");
    LLVMAddIncoming(in->number, &next, &in->latch, 1);
    LLVMValueRef more = LLVMBuildICmp(l->b, LLVMIntULT, next, wl_lift_int(l, l->i64, l->wave_size / lanes_of(l)), "");
    LLVMBuildCondBr(l->b, more, in->strips, after);
    LLVMPositionBuilderAtEnd(l->b, after);
    leave_scalars(l, loop->exit);
    if (in->gang) {
        give_masks(l);
        leave_wave(l);
        wl_gang_end_waves(l, next_wave);
    }
    l->in_loop = NULL;
    free(in);
}
