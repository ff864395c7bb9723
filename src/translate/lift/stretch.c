/* Stretches: runs of vector instructions that become one loop over the wave's strips. */
#include "translate/lift/stretch.h"
#include "base/array.h"
#include "translate/lift/forms/gang.h"
#include "translate/lift/forms/loop.h"
#include "translate/lift/frame.h"
#include "translate/lift/memory/record.h"
#include "translate/lift/state.h"
#include "translate/lift/values.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

enum {
    UNROLL_BUDGET = 24,   /* items * strips up to which the strip loop is unrolled */
    SAME_BUDGET = 160,    /* the same where strips load the same */
    SEGMENT_BUDGET = 160, /* items * strips that a stretch of several segments may have: it is always unrolled */
    ABREAST_BUDGET = 256, /* the same where strips go side by side */
};

/* ---- recording ---- */

/* Makes room for an instruction: flushes where it cannot join the stretch. Returns whether it starts a new segment.
 *
 * A load behind a store (or the reverse) must see all strips of what is before it, and the last of two stores to one address
 * must win whichever lanes' they are. In FULL code the stretch goes on in a
 * new segment then: the strips of a segment are emitted side by side, before those of the next, and registers stay values. */
static bool join(struct wl_lift *l, const struct wl_inst *inst, const struct wl_effects *effects) {
    if (!inst->size)
        return false; /* the second of a pair is emitted within the first */
    bool overtakes = (effects->store_spaces & l->stretch_loads) &&
                     (l->mode == WL_MODE_FULL || wl_is_one_lane(l) || !wl_store_follows_loads(l, inst, effects));
    bool conflict = (effects->load_spaces & l->stretch_stores) || overtakes ||
                    ((effects->store_spaces & l->stretch_stores) && !wl_store_may_join(l, inst, effects));
    bool large = (l->item_count + 1) * l->strips > SEGMENT_BUDGET;
    if ((conflict && (large || l->mode != WL_MODE_FULL)) || (l->segmented && large)) {
        wl_lift_flush(l);
        return false;
    }
    if (conflict) {
        l->segmented = true;
        l->stretch_loads = l->stretch_stores = 0;
    }
    return conflict;
}

/* Registers that are known to be the same in all strips where the stretch begins. */
static void find_same_rows(struct wl_lift *l) {
    memset(l->same_rows, 0, sizeof l->same_rows);
    for (unsigned row = 0; l->facts && l->mode == WL_MODE_FULL && !l->in_loop && row < WL_VGPR_COUNT; row++)
        if (l->facts->row[row].kind == WL_FACT_AFFINE && l->facts->row[row].same == 32)
            wl_set(l->same_rows, row);
}

static bool loads_same(const struct wl_lift *l, const struct wl_inst *inst) {
    if (!inst->isa || inst->isa->class != WL_ISA_LOAD || inst->isa->space != WL_SPACE_LDS)
        return false;
    const struct wl_operand *address = wl_memory_operands(inst).address;
    return address && address->kind == WL_OPERAND_VGPR && wl_bit(l->same_rows, address->reg);
}

bool wl_stretch_may_segment(const struct wl_lift *l) { return l->mode == WL_MODE_FULL && l->item_count * l->strips <= SEGMENT_BUDGET; }

struct wl_item *wl_stretch_add(struct wl_lift *l, const struct wl_inst *inst, const struct wl_effects *effects) {
    bool starts_segment = join(l, inst, effects) || (l->item_count && l->items[l->item_count - 1].wide);
    if (!WL_ARRAY_ROOM(l->items, l->item_count, l->item_capacity, 64)) {
        l->status = wl_fail(WL_OUT_OF_MEMORY, "no memory for a stretch of %u instructions", l->item_count + 1);
        l->item_count = 0;
    }
    if (l->item_count == 0)
        find_same_rows(l);
    l->stretch_loads |= effects->load_spaces;
    l->stretch_stores |= effects->store_spaces;
    l->stretch_end = l->at;
    l->loads_same |= loads_same(l, inst);
    struct wl_item *item = &l->items[l->item_count++];
    *item = (struct wl_item){.inst = inst, .starts_segment = starts_segment};
    return item;
}

bool wl_stretch_mask_pending(const struct wl_lift *l, unsigned reg) { return wl_bit(l->pending_masks, reg); }

/* ---- emission ---- */

struct masks { /* the wave-wide masks that the stretch makes, and where they are gathered */
    unsigned count;
    unsigned reg[WL_SGPR_COUNT];
    LLVMValueRef sum[WL_SGPR_COUNT];
};

/* Whether anybody reads a mask behind the stretch that makes it. */
static bool mask_is_live(const struct wl_lift *l, unsigned reg) {
    const uint64_t *live = l->live_after[l->stretch_end].scalar;
    return reg == WL_SGPR_EXEC || wl_any_bit(live, reg, l->wave_size / 32);
}

/* Dead masks are left out of gangs, where they lie in memory: no pass would remove them. */
static void find_masks(struct wl_lift *l, struct masks *masks) {
    unsigned step = l->wave_size / 32;
    masks->count = 0;
    for (unsigned reg = 0; reg < WL_SGPR_COUNT; reg += wl_bit(l->pending_masks, reg) ? step : 1)
        if (wl_bit(l->pending_masks, reg) && (!l->gang || mask_is_live(l, reg))) {
            masks->reg[masks->count] = reg;
            masks->sum[masks->count] = wl_lift_alloca(l, l->wave_mask, 8, "mask");
            LLVMBuildStore(l->b, LLVMConstNull(l->wave_mask), masks->sum[masks->count++]);
        }
}

static void store_row(struct wl_lift *l, unsigned row) {
    LLVMValueRef value = l->strip->row_value[row];
    if (l->in_loop) {
        wl_loop_store_row(l, row, value);
        return;
    }
    LLVMValueRef pointer = wl_strip_row_pointer(l, row);
    if (l->exec && l->row_slots) /* a masked store would keep the slot from becoming a value */
        value = LLVMBuildSelect(l->b, l->exec, value, wl_strip_load_row(l, row), "");
    if (l->exec && !l->row_slots) {
        wl_lift_store_lanes(l, value, pointer, 64, l->exec);
    } else {
        LLVMValueRef store = LLVMBuildStore(l->b, value, pointer);
        LLVMSetAlignment(store, 64);
        wl_lift_mark_wave(l, store);
    }
}

/* Registers that the strip loads from now on are loaded here. */
static void begin_loads(struct wl_lift *l) {
    LLVMBasicBlockRef body = wl_lift_block(l, "strip");
    l->strip->start = wl_lift_block(l, "start");
    LLVMBuildBr(l->b, l->strip->start);
    LLVMPositionBuilderAtEnd(l->b, l->strip->start);
    LLVMBuildBr(l->b, body);
    LLVMPositionBuilderAtEnd(l->b, body);
}

/* Starts a strip in a block of its own. `wave`: of those of a gang that go side by side. */
static void begin_strip(struct wl_lift *l, LLVMValueRef number, unsigned wave) {
    memset(l->strip, 0, sizeof *l->strip);
    l->strip->in_wave = number;
    l->strip->wave = wave;
    l->strip->number = l->gang ? wl_gang_strip(l, wave, number) : l->in_loop ? wl_loop_strip_of_all(l) : number;
    if (l->in_loop)
        l->strip->first_lane = wl_lane_alone(l) ? wl_lane_number(l) : wl_loop_first_lane(l);
    else
        l->strip->first_lane = LLVMBuildShl(l->b, l->strip->number, wl_lift_int(l, l->i64, 4), "");
    begin_loads(l);
}

static void emit_item(struct wl_lift *l, unsigned i) {
    LLVMValueRef number = l->strip->in_wave;
    unsigned column = LLVMIsConstant(number) ? 1 + (unsigned)LLVMConstIntGetZExtValue(number) : WL_COLUMN_TRACE;
    if (i && l->items[i - 1].paired)
        return; /* emitted by the first of the pair */
    wl_lift_locate(l, l->items[i].inst->sem ? NULL : l->items[i].inst, column);
    wl_index_emit(l, &l->items[i]);
}

/* Emits one strip of the items from `first` to the end of the segment; returns the index behind it. */
static unsigned emit_segment(struct wl_lift *l, unsigned first) {
    unsigned i = first;
    for (; i < l->item_count && (i == first || !l->items[i].starts_segment); i++)
        emit_item(l, i);
    wl_lift_locate(l, NULL, 0);
    return i;
}

static void clear_bit(uint64_t *set, unsigned row) { set[row / 64] &= ~(UINT64_C(1) << (row % 64)); }

/* The pairs among the registers that a lane by itself has written. */
static void store_pairs(struct wl_lift *l, const uint64_t *wanted) {
    uint64_t *dirty = l->strip->row_dirty;
    for (unsigned row = 0; row + 1 < WL_VGPR_COUNT; row++)
        if (wl_pairs_has(l, row) && l->strip->pair_value[row] && wl_bit(dirty, row) && wl_bit(dirty, row + 1) && wl_bit(wanted, row) &&
            wl_bit(wanted, row + 1)) {
            wl_pairs_store(l, row, l->strip->pair_value[row]);
            clear_bit(dirty, row);
            clear_bit(dirty, row + 1);
        }
}

/* Stores live registers that the strip has written, except `later` (NULL: none), which it will write again. */
static void store_rows(struct wl_lift *l, const uint64_t *later) {
    const struct wl_live *live = &l->live_after[l->stretch_end];
    const uint64_t *wanted = l->mode == WL_MODE_FULL ? live->full : live->active;
    if (wl_lane_alone(l))
        store_pairs(l, wanted);
    for (unsigned row = 0; row < WL_VGPR_COUNT; row++)
        if (wl_bit(l->strip->row_dirty, row) && wl_bit(wanted, row) && !(later && wl_bit(later, row))) {
            store_row(l, row);
            clear_bit(l->strip->row_dirty, row);
        }
}

/* Stores what the strip leaves: live registers and its part of the masks. */
static void end_strip(struct wl_lift *l, const struct masks *masks) {
    store_rows(l, NULL);
    for (unsigned i = 0; i < masks->count; i++) {
        LLVMValueRef lanes = l->strip->mask_value[masks->reg[i]];
        if (!lanes)
            continue;
        if (wl_lane_alone(l)) {
            LLVMBuildStore(l->b, LLVMBuildZExt(l->b, wl_lane_value(l, lanes), l->wave_mask, ""), masks->sum[i]);
            continue;
        }
        if (l->exec && l->has_avx512)
            lanes = LLVMBuildAnd(l->b, lanes, l->exec, "");
        LLVMValueRef bits = LLVMBuildBitCast(l->b, lanes, l->i16, "");
        LLVMValueRef place = LLVMBuildShl(l->b, l->strip->in_wave, wl_lift_int(l, l->i64, 4), "");
        if (l->exec && !l->has_avx512)
            bits = LLVMBuildAnd(l->b, bits, l->exec_bits, "");
        bits = LLVMBuildZExt(l->b, bits, l->wave_mask, "");
        if (!l->in_loop)
            bits = LLVMBuildShl(l->b, bits, LLVMBuildTrunc(l->b, place, l->wave_mask, ""), "");
        LLVMValueRef sum = LLVMBuildLoad2(l->b, l->wave_mask, masks->sum[i], "");
        LLVMBuildStore(l->b, LLVMBuildOr(l->b, sum, bits, ""), masks->sum[i]);
    }
}

static void emit_strip(struct wl_lift *l, LLVMValueRef number, const struct masks *masks) {
    begin_strip(l, number, 0);
    emit_segment(l, 0);
    end_strip(l, masks);
}

/* Branches to `skip` if no lane of the strip is active; leaves the builder where some is. */
static void enter_strip(struct wl_lift *l, LLVMValueRef number, LLVMBasicBlockRef skip) {
    if (l->mode == WL_MODE_FULL) {
        l->exec = NULL;
        return;
    }
    LLVMValueRef bits = wl_strip_slice(l, l->gang ? wl_gang_wave_exec(l) : wl_lift_exec(l), number);
    LLVMBasicBlockRef some = wl_lift_block(l, "active");
    LLVMBuildCondBr(l->b, LLVMBuildICmp(l->b, LLVMIntEQ, bits, LLVMConstNull(l->i16), ""), skip, some);
    LLVMPositionBuilderAtEnd(l->b, some);
    l->exec = wl_lift_lanes(l, bits, WL_STRIP);
    l->exec_bits = bits;
}

static void emit_unrolled(struct wl_lift *l, const struct masks *masks, unsigned strips) {
    l->strip = &l->strip_states[0];
    for (unsigned s = 0; s < strips; s++) {
        LLVMBasicBlockRef next = wl_lift_block(l, "next");
        LLVMValueRef number = wl_lift_int(l, l->i64, s);
        enter_strip(l, number, next);
        emit_strip(l, number, masks);
        LLVMBuildBr(l->b, next);
        LLVMPositionBuilderAtEnd(l->b, next);
    }
}

/* The registers that items from `first` on write. */
static void find_later_rows(const struct wl_lift *l, unsigned first, uint64_t *rows) {
    struct wl_effects effects;
    memset(rows, 0, 8 * sizeof *rows);
    for (unsigned i = first; i < l->item_count; i++) {
        wl_inst_effects(l->items[i].inst, l->wave_size, &effects);
        for (unsigned w = 0; w < 8; w++)
            rows[w] |= effects.touch.vector[w];
    }
}

/* FULL code: segment by segment, each for all strips. Where the host has few registers, what a segment does not use has no place in one:
 * registers are loaded in the segment that reads them first and stored behind the one that writes them last. */
static void emit_segments(struct wl_lift *l, const struct masks *masks) {
    bool few = !l->has_avx512 && !l->row_slots;
    uint64_t later[8];
    l->exec = NULL;
    for (unsigned first = 0, end = 0; first < l->item_count; first = end) {
        bool wide = l->items[first].wide;
        for (unsigned s = 0; s < l->strips; s++) {
            l->strip = &l->strip_states[s];
            if (first == 0)
                begin_strip(l, wl_lift_int(l, l->i64, s), 0);
            else if (few)
                begin_loads(l);
            if (!wide)
                end = emit_segment(l, first);
            if (few && !wide && s == 0)
                find_later_rows(l, end, later);
            if (!wide && end == l->item_count)
                end_strip(l, masks);
            else if (few && !wide)
                store_rows(l, later);
        }
        if (!wide)
            continue;
        wl_lift_locate(l, l->items[first].inst, 0);
        wl_memory_emit_wide(l, &l->items[first]);
        wl_lift_locate(l, NULL, 0);
        end = first + 1;
        for (unsigned s = 0; s < l->strips && end == l->item_count; s++) {
            l->strip = &l->strip_states[s];
            end_strip(l, masks);
        }
    }
}

static bool has_accesses(const struct wl_lift *l) {
    for (unsigned i = 0; i < l->item_count; i++)
        if (!l->items[i].inst->sem)
            return true;
    return false;
}

/* Makes the unit's struct wl_strip_trace. */
static void make_trace(struct wl_lift *l) {
    if (l->strip_trace)
        return;
    LLVMTypeRef fields[] = {l->i64, l->i32, l->i32};
    LLVMTypeRef type = LLVMStructTypeInContext(l->context, fields, 3, 0);
    LLVMBasicBlockRef here = LLVMGetInsertBlock(l->b);
    l->strip_trace = wl_lift_alloca(l, type, _Alignof(struct wl_strip_trace), "trace");
    LLVMPositionBuilderBefore(l->b, LLVMGetBasicBlockTerminator(l->entry));
    wl_lift_keep_whole(l, l->strip_trace);
    LLVMSetVolatile(LLVMBuildStore(l->b, wl_lift_int(l, l->i64, WL_STRIP_TRACE), l->strip_trace), 1);
    LLVMPositionBuilderAtEnd(l->b, here);
}

static void store_trace(struct wl_lift *l, LLVMValueRef value, size_t field) {
    LLVMValueRef index = wl_lift_int(l, l->i64, field);
    LLVMValueRef store = LLVMBuildStore(l->b, value, LLVMBuildGEP2(l->b, l->i8, l->strip_trace, &index, 1, ""));
    LLVMSetVolatile(store, 1);
    LLVMSetAlignment(store, 4);
    wl_lift_mark_wave(l, store); /* what was loaded before is known behind it */
}

void wl_strip_trace_first(struct wl_lift *l, LLVMValueRef first_lane) {
    make_trace(l);
    store_trace(l, LLVMBuildTrunc(l->b, first_lane, l->i32, ""), offsetof(struct wl_strip_trace, first_lane));
}

/* In a loop only the stack can tell which strip it was that faulted. `number`: of all strips there are. */
static void trace_strip(struct wl_lift *l, LLVMValueRef number) {
    if (!has_accesses(l))
        return;
    if (l->in_loop) { /* the first lane is there */
        store_trace(l, wl_lane_alone(l) ? wl_lane_bit(l) : LLVMBuildZExt(l->b, l->exec_bits, l->i32, ""),
                    offsetof(struct wl_strip_trace, lanes));
        return;
    }
    make_trace(l);
    LLVMValueRef lanes = l->exec ? LLVMBuildZExt(l->b, l->exec_bits, l->i64, "") : wl_lift_int(l, l->i64, 0xffff);
    LLVMValueRef both = LLVMBuildShl(l->b, lanes, wl_lift_int(l, l->i64, 32), "");
    both = LLVMBuildOr(l->b, both, LLVMBuildShl(l->b, number, wl_lift_int(l, l->i64, 4), ""), "");
    store_trace(l, both, offsetof(struct wl_strip_trace, first_lane));
}

static void emit_loop(struct wl_lift *l, const struct masks *masks, unsigned first) {
    LLVMBasicBlockRef before = LLVMGetInsertBlock(l->b), header = wl_lift_block(l, "strips"), latch = wl_lift_block(l, "latch"),
                      after = wl_lift_block(l, "after");
    LLVMBuildBr(l->b, header);
    LLVMPositionBuilderAtEnd(l->b, header);
    LLVMValueRef strip = LLVMBuildPhi(l->b, l->i64, "s");
    l->strip = &l->strip_states[0];
    enter_strip(l, strip, latch);
    trace_strip(l, l->gang ? wl_gang_strip(l, 0, strip) : strip);
    emit_strip(l, strip, masks);
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

/* The first strips one by one: what they load, the others may find loaded. */
static void emit_unrolled_then_loop(struct wl_lift *l, const struct masks *masks, unsigned first) {
    emit_unrolled(l, masks, first);
    emit_loop(l, masks, first);
}

/* The strip whose turn in a loop it is. */
static void emit_one(struct wl_lift *l, const struct masks *masks) {
    LLVMBasicBlockRef after = wl_lift_block(l, "after");
    l->strip = &l->strip_states[0];
    wl_loop_strip(l, after);
    trace_strip(l, wl_loop_strip_of_all(l));
    emit_strip(l, wl_loop_strip_number(l), masks);
    LLVMBuildBr(l->b, after);
    LLVMPositionBuilderAtEnd(l->b, after);
}

/* Whether strips may go side by side, instruction by instruction: they compute with what all of them load from LDS, which is then in a
 * register while all use it, and none waits for its own sum's last addition. */
static bool goes_abreast(const struct wl_lift *l, const struct masks *masks) {
    if (l->mode != WL_MODE_FULL || !l->loads_same || l->segmented || l->in_loop || l->row_slots || l->stretch_stores || masks->count)
        return false;
    for (unsigned i = 0; i < l->item_count; i++) {
        const struct wl_inst *inst = l->items[i].inst;
        if (!inst->sem && (!inst->isa || inst->isa->class != WL_ISA_LOAD || inst->isa->space != WL_SPACE_LDS))
            return false;
    }
    return l->item_count * l->strips <= ABREAST_BUDGET;
}

/* How many waves of a gang go side by side. What is the same in all strips of a wave is the same in all waves if rows have 16 items. */
static unsigned waves_abreast(const struct wl_lift *l) {
    unsigned waves = 1, most = l->gang_lanes / l->wave_size;
    while (l->request->shape == WL_SHAPE_SQUARES && 2 * waves * l->strips <= WL_STRIPS_ABREAST && most % (2 * waves) == 0 &&
           l->item_count * l->strips * 2 * waves <= ABREAST_BUDGET)
        waves *= 2;
    return waves;
}

static void emit_abreast(struct wl_lift *l, const struct masks *masks, unsigned waves) {
    const unsigned strips = waves * l->strips;
    l->exec = NULL;
    for (unsigned s = 0; s < strips; s++) {
        l->strip = &l->strip_states[s];
        begin_strip(l, wl_lift_int(l, l->i64, s % l->strips), s / l->strips);
    }
    for (unsigned i = 0; i < l->item_count; i++)
        for (unsigned s = 0; s < strips; s++) {
            l->strip = &l->strip_states[s];
            emit_item(l, i);
        }
    wl_lift_locate(l, NULL, 0);
    for (unsigned s = 0; s < strips; s++) {
        l->strip = &l->strip_states[s];
        end_strip(l, masks);
    }
}

/* All strips of a wave. */
static void emit_wave(struct wl_lift *l, const struct masks *masks) {
    if (l->segmented)
        emit_segments(l, masks);
    else if (goes_abreast(l, masks))
        emit_abreast(l, masks, 1);
    else if (l->row_slots || l->item_count * l->strips <= (l->loads_same ? SAME_BUDGET : UNROLL_BUDGET))
        emit_unrolled(l, masks, l->strips);
    else
        emit_unrolled_then_loop(l, masks, l->loads_same ? 1 : 0);
}

/* The gang's wave at hand. */
static void emit_gang_wave(struct wl_lift *l, const struct masks *masks) {
    for (unsigned i = 0; i < masks->count; i++)
        LLVMBuildStore(l->b, LLVMConstNull(l->wave_mask), masks->sum[i]);
    l->exec = NULL;
    trace_strip(l, wl_gang_strip(l, 0, LLVMConstNull(l->i64))); /* columns say which strip of the wave */
    memset(l->shared_row, 0, sizeof l->shared_row);
    emit_wave(l, masks);
    for (unsigned i = 0; i < masks->count; i++)
        wl_gang_put_mask(l, masks->reg[i], LLVMBuildLoad2(l->b, l->wave_mask, masks->sum[i], ""));
}

/* The waves of a gang, one after the other: each laid out where their registers are values, else in a loop, of several side by side where
 * that is possible. */
static void emit_gang(struct wl_lift *l, const struct masks *masks) {
    for (unsigned wave = 0; l->row_slots && wave < l->gang_lanes / l->wave_size; wave++) {
        LLVMBasicBlockRef after = wl_gang_begin_wave(l, wave);
        emit_gang_wave(l, masks);
        wl_gang_end_wave(l, after);
    }
    if (l->row_slots)
        return;
    const bool abreast = goes_abreast(l, masks);
    const unsigned waves = abreast ? waves_abreast(l) : 1;
    LLVMBasicBlockRef latch = wl_gang_begin_waves(l, waves);
    if (abreast)
        emit_abreast(l, masks, waves);
    else
        emit_gang_wave(l, masks);
    wl_gang_end_waves(l, latch);
}

void wl_lift_flush(struct wl_lift *l) {
    if (l->facts)
        wl_affine_settle(l->facts);
    if (!l->item_count)
        return;
    struct masks masks;
    find_masks(l, &masks);
    memset(l->pending_masks, 0, sizeof l->pending_masks); /* emission reads EXEC as it was before a v_cmpx */
    memset(l->shared_row, 0, sizeof l->shared_row);
    if (l->in_loop)
        emit_one(l, &masks);
    else if (l->gang)
        emit_gang(l, &masks);
    else
        emit_wave(l, &masks);
    l->item_count = 0;
    l->segmented = l->loads_same = false;
    memset(l->same_rows, 0, sizeof l->same_rows);
    l->stretch_loads = l->stretch_stores = 0;
    for (unsigned i = 0; i < masks.count; i++) {
        if (l->gang) {
            wl_gang_take_mask(l, masks.reg[i]);
            continue;
        }
        LLVMValueRef sum = LLVMBuildLoad2(l->b, l->mask_type, masks.sum[i], "");
        if (l->in_loop)
            wl_loop_set_mask(l, masks.reg[i], sum);
        else if (l->wave_size == 64)
            wl_lift_set_sgpr64(l, masks.reg[i], sum);
        else
            wl_lift_set_sgpr(l, masks.reg[i], sum);
    }
}
