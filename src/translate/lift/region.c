/* Vector regions: runs of vector instructions that become one loop over the wave's strips. */
#include "translate/lift/region.h"
#include "base/array.h"
#include "base/assert.h"
#include "translate/lift/frame.h"
#include "translate/lift/memory/record.h"
#include "translate/lift/memory/sanitize.h"
#include "translate/lift/state.h"
#include "translate/lift/values.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

enum {
    UNROLL_BUDGET = 24,   /* items * strips up to which the strip loop is unrolled */
    SAME_BUDGET = 160,    /* the same where strips load the same */
    SEGMENT_BUDGET = 160, /* items * strips that a vector region of several segments may have: it is always unrolled */
    ABREAST_BUDGET = 256, /* the same where strips go side by side */
};

/* ---- recording ---- */

/* Makes room for an instruction: flushes where it cannot join the region. Returns whether it starts a new segment.
 *
 * A load behind a store (or the reverse) must see all strips of what is before it, and the last of two stores to one address
 * must win whichever lanes' they are. In FULL code the vector region goes on in a
 * new segment then: the strips of a segment are emitted side by side, before those of the next, and registers stay values. */
static bool join(struct wl_lift *l, const struct wl_inst *inst, const struct wl_effects *effects) {
    if (!inst->size)
        return false; /* the second of a pair is emitted within the first */
    bool overtakes =
        (effects->store_spaces & l->region.loads) && (l->unit.mode == WL_MODE_FULL || !wl_store_follows_loads(l, inst, effects));
    bool conflict = (effects->load_spaces & l->region.stores) || overtakes ||
                    ((effects->store_spaces & l->region.stores) && !wl_store_may_join(l, inst, effects));
    bool large = l->unit.compact || (l->region.item_count + 1) * l->strips > SEGMENT_BUDGET;
    if ((conflict && (large || l->unit.mode != WL_MODE_FULL)) || (l->region.segmented && large)) {
        wl_lift_flush(l);
        return false;
    }
    if (conflict) {
        l->region.segmented = true;
        l->region.loads = l->region.stores = 0;
    }
    return conflict;
}

/* Registers that are known to be the same in all strips where the vector region begins. */
static void find_same_rows(struct wl_lift *l) {
    memset(l->region.same_rows, 0, sizeof l->region.same_rows);
    for (unsigned row = 0; l->unit.facts && l->unit.mode == WL_MODE_FULL && row < WL_VGPR_COUNT; row++)
        if (l->unit.facts->row[row].kind == WL_FACT_AFFINE && l->unit.facts->row[row].same == 32)
            wl_set(l->region.same_rows, row);
}

static bool loads_same(const struct wl_lift *l, const struct wl_inst *inst) {
    if (!inst->isa || inst->isa->class != WL_ISA_LOAD || inst->isa->space != WL_SPACE_LDS)
        return false;
    const struct wl_operand *address = wl_memory_operands(inst).address;
    return address && address->kind == WL_OPERAND_VGPR && wl_bit(l->region.same_rows, address->reg);
}

bool wl_region_may_segment(const struct wl_lift *l) {
    return !l->unit.compact && l->unit.mode == WL_MODE_FULL && l->region.item_count * l->strips <= SEGMENT_BUDGET;
}

struct wl_item *wl_region_add(struct wl_lift *l, const struct wl_inst *inst, const struct wl_effects *effects) {
    bool starts_segment = join(l, inst, effects) || (l->region.item_count && l->region.items[l->region.item_count - 1].wide);
    if (!WL_ARRAY_RESERVE(l->region.items, l->region.item_count, l->region.item_capacity, 64)) {
        l->status = wl_fail(WL_OUT_OF_MEMORY, "no memory for a vector region of %u instructions", l->region.item_count + 1);
        l->region.item_count = 0;
    }
    if (l->region.item_count == 0)
        find_same_rows(l);
    l->region.loads |= effects->load_spaces;
    l->region.stores |= effects->store_spaces;
    l->region.end = l->unit.at;
    l->region.loads_same |= loads_same(l, inst);
    l->region.tells_order |= effects->store_spaces || (inst->isa && (inst->isa->class == WL_ISA_ATOMIC || wl_inst_is_coherent(inst)));
    wl_assert(l->region.item_count < l->region.item_capacity && l->unit.at < l->unit.block->count);
    struct wl_item *item = &l->region.items[l->region.item_count++];
    *item = (struct wl_item){.inst = inst, .starts_segment = starts_segment};
    return item;
}

bool wl_region_mask_pending(const struct wl_lift *l, unsigned reg) { return wl_bit(l->region.pending_masks, reg); }

/* ---- emission ---- */

static void find_masks(struct wl_lift *l, struct wl_region_masks *masks) {
    unsigned step = l->wave_size / 32;
    masks->count = 0;
    for (unsigned reg = 0; reg < WL_SGPR_COUNT; reg += wl_bit(l->region.pending_masks, reg) ? step : 1)
        if (wl_bit(l->region.pending_masks, reg) && l->form->wants_mask(l, reg)) {
            masks->reg[masks->count] = reg;
            masks->sum[masks->count] = wl_lift_alloca(l, l->wave_mask, 8, "mask");
            LLVMBuildStore(l->b, LLVMConstNull(l->wave_mask), masks->sum[masks->count++]);
        }
}

/* Makes the block into which the strip's loads of registers go from now on, and leaves the builder behind it. */
static void begin_loads(struct wl_lift *l) {
    LLVMBasicBlockRef body = wl_lift_ir_block(l, "strip");
    l->strip->start = wl_lift_ir_block(l, "start");
    LLVMBuildBr(l->b, l->strip->start);
    LLVMPositionBuilderAtEnd(l->b, l->strip->start);
    LLVMBuildBr(l->b, body);
    LLVMPositionBuilderAtEnd(l->b, body);
}

/* Starts a strip in a block of its own. `wave`: of those of a workgroup that go side by side. */
static void begin_strip(struct wl_lift *l, LLVMValueRef number, unsigned wave) {
    wl_assert(l->strip >= l->region.strip_states && l->strip < l->region.strip_states + WL_STRIPS_ABREAST);
    memset(l->strip, 0, sizeof *l->strip);
    l->strip->in_wave = number;
    l->strip->wave = wave;
    l->form->begin_strip(l);
    begin_loads(l);
}

static void emit_item(struct wl_lift *l, unsigned i) {
    wl_assert(i < l->region.item_count && l->region.items[i].emit);
    LLVMValueRef number = l->strip->in_wave;
    unsigned column = LLVMIsConstant(number) ? 1 + (unsigned)LLVMConstIntGetZExtValue(number) : WL_COLUMN_TRACE;
    if (i && l->region.items[i - 1].paired)
        return; /* emitted by the first of the pair */
    const struct wl_inst *inst = l->region.items[i].inst;
    if (inst->sem)
        wl_lift_locate(l, l->unit.request->all_lines ? inst : NULL, 0);
    else
        wl_lift_locate(l, inst, column);
    wl_index_emit(l, &l->region.items[i]);
}

/* Emits one strip of the items from `first` to the end of the segment; returns the index behind it. */
static unsigned emit_segment(struct wl_lift *l, unsigned first) {
    unsigned i = first;
    for (; i < l->region.item_count && (i == first || !l->region.items[i].starts_segment); i++)
        emit_item(l, i);
    wl_lift_locate(l, NULL, 0);
    return i;
}

static void clear_bit(uint64_t *set, unsigned row) { set[row / 64] &= ~(UINT64_C(1) << (row % 64)); }

/* Stores register pairs that the strip has written, where the form keeps a pair as one number. */
static void store_pairs(struct wl_lift *l, const uint64_t *wanted) {
    uint64_t *dirty = l->strip->row_dirty;
    for (unsigned row = 0; l->form->store_pair && row + 1 < WL_VGPR_COUNT; row++)
        if (l->strip->pair_value[row] && wl_bit(dirty, row) && wl_bit(dirty, row + 1) && wl_bit(wanted, row) && wl_bit(wanted, row + 1) &&
            l->form->store_pair(l, row, l->strip->pair_value[row])) {
            clear_bit(dirty, row);
            clear_bit(dirty, row + 1);
        }
}

/* Stores live registers that the strip has written, except `later` (NULL: none), which it will write again. */
static void store_rows(struct wl_lift *l, const uint64_t *later) {
    const struct wl_live *live = &l->unit.live_after[l->region.end];
    const uint64_t *wanted = l->unit.mode == WL_MODE_FULL ? live->full : live->active;
    store_pairs(l, wanted);
    for (unsigned row = 0; row < WL_VGPR_COUNT; row++)
        if (wl_bit(l->strip->row_dirty, row) && wl_bit(wanted, row) && !(later && wl_bit(later, row))) {
            l->form->store_row(l, row, l->strip->row_value[row]);
            clear_bit(l->strip->row_dirty, row);
        }
}

/* Stores what the strip leaves: live registers and its part of the masks. */
static void end_strip(struct wl_lift *l, const struct wl_region_masks *masks) {
    store_rows(l, NULL);
    for (unsigned i = 0; i < masks->count; i++) {
        LLVMValueRef lanes = l->strip->mask_value[masks->reg[i]];
        if (lanes)
            l->form->gather_mask(l, lanes, masks->sum[i]);
    }
}

void wl_region_emit_strip(struct wl_lift *l, LLVMValueRef number, const struct wl_region_masks *masks) {
    begin_strip(l, number, 0);
    emit_segment(l, 0);
    end_strip(l, masks);
}

/* Branches to `skip` if no lane of the strip is active; leaves the builder where some is. */
static void enter_strip(struct wl_lift *l, LLVMValueRef number, LLVMBasicBlockRef skip) {
    if (l->unit.mode == WL_MODE_FULL) {
        l->exec = NULL;
        return;
    }
    LLVMValueRef bits = wl_strip_slice(l, l->form->wave_exec(l), number);
    LLVMBasicBlockRef some = wl_lift_ir_block(l, "active");
    LLVMBuildCondBr(l->b, LLVMBuildICmp(l->b, LLVMIntEQ, bits, LLVMConstNull(l->i16), ""), skip, some);
    LLVMPositionBuilderAtEnd(l->b, some);
    l->exec = wl_lift_lanes(l, bits, WL_STRIP);
    l->exec_bits = bits;
}

static void emit_unrolled(struct wl_lift *l, const struct wl_region_masks *masks, unsigned strips) {
    l->strip = &l->region.strip_states[0];
    for (unsigned s = 0; s < strips; s++) {
        LLVMBasicBlockRef next = wl_lift_ir_block(l, "next");
        LLVMValueRef number = wl_lift_int(l, l->i64, s);
        enter_strip(l, number, next);
        wl_region_emit_strip(l, number, masks);
        LLVMBuildBr(l->b, next);
        LLVMPositionBuilderAtEnd(l->b, next);
    }
}

/* The registers that items from `first` on write. */
static void find_later_rows(const struct wl_lift *l, unsigned first, uint64_t *rows) {
    struct wl_effects effects;
    memset(rows, 0, 8 * sizeof *rows);
    for (unsigned i = first; i < l->region.item_count; i++) {
        wl_inst_effects(l->region.items[i].inst, l->wave_size, &effects);
        for (unsigned w = 0; w < WL_ROW_WORDS; w++)
            rows[w] |= effects.touch.vector[w];
    }
}

/* FULL code: segment by segment, each for all strips. Where the host has few registers, what a segment does not use has no place in one:
 * registers are loaded in the segment that reads them first and stored behind the one that writes them last. */
static void emit_segments(struct wl_lift *l, const struct wl_region_masks *masks) {
    wl_assert(l->unit.mode == WL_MODE_FULL);
    bool few = !l->has_avx512 && !l->unit.row_slots;
    uint64_t later[WL_ROW_WORDS];
    l->exec = NULL;
    for (unsigned first = 0, end = 0; first < l->region.item_count; first = end) {
        bool wide = l->region.items[first].wide;
        for (unsigned s = 0; s < l->strips; s++) {
            l->strip = &l->region.strip_states[s];
            if (first == 0)
                begin_strip(l, wl_lift_int(l, l->i64, s), 0);
            else if (few)
                begin_loads(l);
            if (!wide)
                end = emit_segment(l, first);
            if (few && !wide && s == 0)
                find_later_rows(l, end, later);
            if (!wide && end == l->region.item_count)
                end_strip(l, masks);
            else if (few && !wide)
                store_rows(l, later);
        }
        if (!wide)
            continue;
        wl_lift_locate(l, l->region.items[first].inst, 0);
        wl_memory_emit_wide(l, &l->region.items[first]);
        wl_lift_locate(l, NULL, 0);
        end = first + 1;
        for (unsigned s = 0; s < l->strips && end == l->region.item_count; s++) {
            l->strip = &l->region.strip_states[s];
            end_strip(l, masks);
        }
    }
}

bool wl_region_has_accesses(const struct wl_lift *l) {
    for (unsigned i = 0; i < l->region.item_count; i++)
        if (!l->region.items[i].inst->sem)
            return true;
    return false;
}

/* Makes the unit's struct wl_strip_trace. */
static void make_trace(struct wl_lift *l) {
    if (l->unit.strip_trace)
        return;
    LLVMTypeRef fields[] = {l->i64, l->i32, l->i32};
    LLVMTypeRef type = LLVMStructTypeInContext(l->context, fields, 3, 0);
    LLVMBasicBlockRef here = LLVMGetInsertBlock(l->b);
    l->unit.strip_trace = wl_lift_alloca(l, type, _Alignof(struct wl_strip_trace), "trace");
    LLVMPositionBuilderBefore(l->b, LLVMGetBasicBlockTerminator(l->entry));
    wl_lift_keep_whole(l, l->unit.strip_trace);
    LLVMSetVolatile(LLVMBuildStore(l->b, wl_lift_int(l, l->i64, WL_STRIP_TRACE), l->unit.strip_trace), 1);
    LLVMPositionBuilderAtEnd(l->b, here);
}

static void store_trace(struct wl_lift *l, LLVMValueRef value, size_t field) {
    LLVMValueRef index = wl_lift_int(l, l->i64, field);
    LLVMValueRef store = LLVMBuildStore(l->b, value, LLVMBuildGEP2(l->b, l->i8, l->unit.strip_trace, &index, 1, ""));
    LLVMSetVolatile(store, 1);
    LLVMSetAlignment(store, 4);
    wl_lift_mark_wave(l, store); /* what was loaded before is known behind it */
}

void wl_strip_trace_first(struct wl_lift *l, LLVMValueRef first_lane) {
    make_trace(l);
    store_trace(l, LLVMBuildTrunc(l->b, first_lane, l->i32, ""), offsetof(struct wl_strip_trace, first_lane));
}

/* In a loop only the stack can tell which strip it was that faulted. `number`: of all strips there are. */
void wl_strip_trace(struct wl_lift *l, LLVMValueRef number) {
    if (!wl_region_has_accesses(l))
        return;
    make_trace(l);
    LLVMValueRef lanes = l->exec ? LLVMBuildZExt(l->b, l->exec_bits, l->i64, "") : wl_lift_int(l, l->i64, 0xffff);
    LLVMValueRef both = LLVMBuildShl(l->b, lanes, wl_lift_int(l, l->i64, 32), "");
    both = LLVMBuildOr(l->b, both, LLVMBuildShl(l->b, number, wl_lift_int(l, l->i64, 4), ""), "");
    store_trace(l, both, offsetof(struct wl_strip_trace, first_lane));
}

void wl_strip_trace_lanes(struct wl_lift *l, LLVMValueRef lanes) { store_trace(l, lanes, offsetof(struct wl_strip_trace, lanes)); }

static void emit_loop(struct wl_lift *l, const struct wl_region_masks *masks, unsigned first) {
    LLVMBasicBlockRef before = LLVMGetInsertBlock(l->b), header = wl_lift_ir_block(l, "strips"), latch = wl_lift_ir_block(l, "latch"),
                      after = wl_lift_ir_block(l, "after");
    LLVMBuildBr(l->b, header);
    LLVMPositionBuilderAtEnd(l->b, header);
    LLVMValueRef strip = LLVMBuildPhi(l->b, l->i64, "s");
    l->strip = &l->region.strip_states[0];
    enter_strip(l, strip, latch);
    wl_strip_trace(l, l->form->strip_number(l, 0, strip));
    wl_region_emit_strip(l, strip, masks);
    LLVMBuildBr(l->b, latch);
    LLVMPositionBuilderAtEnd(l->b, latch);
    LLVMValueRef next = LLVMBuildAdd(l->b, strip, wl_lift_int(l, l->i64, 1), "");
    LLVMValueRef more = LLVMBuildICmp(l->b, LLVMIntULT, next, wl_lift_int(l, l->i64, l->strips), "");
    LLVMBuildCondBr(l->b, more, header, after);
    LLVMValueRef values[] = {wl_lift_int(l, l->i64, first), next};
    LLVMBasicBlockRef from[] = {before, latch};
    LLVMAddIncoming(strip, values, from, 2);
    LLVMPositionBuilderAtEnd(l->b, after);
}

/* Emits the first strips separately from the loop: the other strips can then use what these have loaded. */
static void emit_unrolled_then_loop(struct wl_lift *l, const struct wl_region_masks *masks, unsigned first) {
    emit_unrolled(l, masks, first);
    emit_loop(l, masks, first);
}

/* Whether strips may go side by side, instruction by instruction: they compute with what all of them load from LDS, which is then in a
 * register while all use it, and none waits for its own sum's last addition. */
bool wl_region_goes_abreast(const struct wl_lift *l, const struct wl_region_masks *masks) {
    if (l->unit.mode != WL_MODE_FULL || !l->region.loads_same || l->region.segmented || l->unit.row_slots || l->region.stores ||
        masks->count)
        return false;
    for (unsigned i = 0; i < l->region.item_count; i++) {
        const struct wl_inst *inst = l->region.items[i].inst;
        if (!inst->sem && (!inst->isa || inst->isa->class != WL_ISA_LOAD || inst->isa->space != WL_SPACE_LDS))
            return false;
    }
    return l->region.item_count * l->strips <= ABREAST_BUDGET;
}

bool wl_region_fits_abreast(const struct wl_lift *l, unsigned waves) {
    return waves * l->strips <= WL_STRIPS_ABREAST && l->region.item_count * l->strips * waves <= ABREAST_BUDGET;
}

void wl_region_emit_abreast(struct wl_lift *l, const struct wl_region_masks *masks, unsigned waves) {
    wl_assert(waves * l->strips <= WL_STRIPS_ABREAST && !l->region.segmented);
    const unsigned strips = waves * l->strips;
    l->exec = NULL;
    for (unsigned s = 0; s < strips; s++) {
        l->strip = &l->region.strip_states[s];
        begin_strip(l, wl_lift_int(l, l->i64, s % l->strips), s / l->strips);
    }
    for (unsigned i = 0; i < l->region.item_count; i++)
        for (unsigned s = 0; s < strips; s++) {
            l->strip = &l->region.strip_states[s];
            emit_item(l, i);
        }
    wl_lift_locate(l, NULL, 0);
    for (unsigned s = 0; s < strips; s++) {
        l->strip = &l->region.strip_states[s];
        end_strip(l, masks);
    }
}

/* All strips of a wave. */
void wl_region_emit_wave(struct wl_lift *l, const struct wl_region_masks *masks) {
    if (l->region.segmented)
        emit_segments(l, masks);
    else if (l->unit.compact && !l->unit.row_slots)
        emit_loop(l, masks, 0);
    else if (wl_region_goes_abreast(l, masks))
        wl_region_emit_abreast(l, masks, 1);
    else if (l->unit.row_slots || l->region.item_count * l->strips <= (l->region.loads_same ? SAME_BUDGET : UNROLL_BUDGET))
        emit_unrolled(l, masks, l->strips);
    else
        emit_unrolled_then_loop(l, masks, l->region.loads_same ? 1 : 0);
}

void wl_lift_flush(struct wl_lift *l) {
    if (l->unit.facts)
        wl_affine_settle(l->unit.facts);
    if (!l->region.item_count)
        return;
    wl_assert(l->unit.block && l->region.end <= l->unit.at && !LLVMGetBasicBlockTerminator(LLVMGetInsertBlock(l->b)));
    struct wl_region_masks masks;
    find_masks(l, &masks);
    memset(l->region.pending_masks, 0, sizeof l->region.pending_masks); /* emission reads EXEC as it was before a v_cmpx */
    memset(l->region.shared_row, 0, sizeof l->region.shared_row);
    if (l->unit.mode != WL_MODE_FULL && l->region.stores && wl_sanitizes_order(l))
        wl_sanitize_anew(l);
    l->form->emit(l, &masks);
    l->region.item_count = 0;
    l->region.segmented = l->region.loads_same = l->region.tells_order = false;
    memset(l->region.same_rows, 0, sizeof l->region.same_rows);
    l->region.loads = l->region.stores = 0;
    for (unsigned i = 0; i < masks.count; i++)
        l->form->take_mask(l, masks.reg[i], masks.sum[i]);
}
