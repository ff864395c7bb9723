/* Vector memory instructions: what their operands mean, when they are recorded and when a strip of them is emitted. */
#include "translate/lift/memory/memory.h"

#include "machine/helpers.h"
#include "machine/processor.h"
#include "translate/isa/helper_words.h"
#include "translate/lift/marks.h"
#include "translate/lift/memory/one_place.h"
#include "translate/lift/memory/record.h"
#include "translate/lift/memory/sanitize.h"
#include "translate/lift/memory/scattered.h"
#include "translate/lift/region.h"
#include "translate/lift/state.h"
#include "translate/lift/values.h"

#include <stddef.h>
#include <string.h>

/* Meaning of item->scalar. Buffers: lift/memory/buffer.c. */
enum {
    SCALAR_BASE,   /* i64: GLOBAL, FLAT: saddr and instruction offset; LDS: where it starts; SCRATCH: where this wave's starts */
    SCALAR_OFFSET, /* i32: LDS, SCRATCH: uniform part of the offset */
};

static struct wl_access describe(const struct wl_lift *l, const struct wl_inst *inst) {
    const struct wl_isa *isa = inst->isa;
    struct wl_access a = {.dwords = isa->dwords, .sign = isa->sign, .inst = inst};
    bool atomic = isa->class == WL_ISA_ATOMIC;
    a.bits = !atomic && isa->bits > 32 ? 32 : isa->bits;
    a.kind = atomic ? WL_ACCESS_ATOMIC : isa->class == WL_ISA_STORE ? WL_ACCESS_STORE : WL_ACCESS_LOAD;
    a.place = isa->space == WL_SPACE_FLAT     ? WL_PLACE_FLAT
              : wl_memory_is_private(l, inst) ? WL_PLACE_PRIVATE
              : isa->space == WL_SPACE_BUFFER ? WL_PLACE_BUFFER
                                              : WL_PLACE_MEMORY;
    a.atomic = wl_memory_atomic(l->unit.request->processor, isa);
    a.returns = atomic && inst->returns;
    a.local = isa->space == WL_SPACE_LDS;
    a.is_volatile = !atomic && isa->space != WL_SPACE_LDS && wl_inst_is_coherent(inst);
    return a;
}

static bool is_vgpr(const struct wl_operand *operand) { return operand && operand->kind == WL_OPERAND_VGPR; }

/* ---- addresses ---- */

/* The stride of an index whose scaled values are those lanes', if that is known of as many lanes; else 0. */
static int32_t index_stride(const struct wl_index *known, const struct wl_lanes *lanes) {
    const struct wl_fact *fact = &known->fact, *low = &lanes->low_fact, *high = &lanes->high_fact;
    const uint32_t over = low->lanes < high->lanes ? low->lanes : high->lanes;
    const bool all = wl_fact_in_all_lanes(low) && wl_fact_in_all_lanes(high);
    if (fact->kind != WL_FACT_AFFINE || fact->lanes < over || (all && !wl_fact_in_all_lanes(fact)) || fact->stride <= 0)
        return 0;
    return (int64_t)fact->stride << known->shift == low->stride ? fact->stride : 0;
}

/* Whether a dword of address is a number with a sign, or of elements. */
static bool counts_units(const struct wl_inst *inst, const struct wl_memory_operands *op) {
    return is_vgpr(op->address) && op->address->count == 1 && inst->isa->space != WL_SPACE_LDS &&
           (inst->signed_offset || wl_inst_offset_unit(inst) != 1);
}

static struct wl_lanes index_lanes(struct wl_lift *l, const struct wl_item *item, const struct wl_memory_operands *op) {
    const unsigned unit = wl_inst_offset_unit(item->inst);
    struct wl_lanes lanes = {.wide = true, .base = item->scalar[SCALAR_BASE], .index_signed = item->inst->signed_offset};
    LLVMValueRef index = wl_strip_row(l, op->address->reg);
    LLVMValueRef wide = lanes.index_signed ? LLVMBuildSExt(l->b, index, l->strip_i64, "") : LLVMBuildZExt(l->b, index, l->strip_i64, "");
    lanes.pair = LLVMBuildMul(l->b, wide, wl_lift_int(l, l->strip_i64, unit), "");
    if (unit & (unit - 1))
        return lanes;
    lanes.index = index;
    lanes.index_base = lanes.base;
    lanes.index_shift = (unsigned)__builtin_ctz(unit);
    lanes.index_source = op->address->reg;
    return lanes;
}

/* Whether a flat access has a form of its own for private memory: as compilers access variables if they do not optimize. */
static bool may_be_private(const struct wl_lift *l, const struct wl_inst *inst, const struct wl_lanes *lanes) {
    const bool same = wl_fact_is_uniform(&lanes->low_fact) && wl_fact_is_uniform(&lanes->high_fact);
    return inst->isa->space == WL_SPACE_FLAT && inst->isa->class != WL_ISA_ATOMIC && !inst->lds && !wl_inst_is_coherent(inst) &&
           !wl_sanitizes(l) && (same || !wl_lanes_known(lanes)) && !wl_processor_has(l->unit.request->processor, WL_HAS_1024_VGPRS);
}

static struct wl_lanes global_lanes(struct wl_lift *l, const struct wl_item *item, const struct wl_memory_operands *op) {
    struct wl_lanes lanes = {.low_fact = item->fact[0], .high_fact = item->fact[1], .base = item->scalar[SCALAR_BASE]};
    lanes.wide = is_vgpr(op->address) && op->address->count >= 2;
    if (item->inst->isa->by_lane) {
        LLVMValueRef first = LLVMBuildTrunc(l->b, LLVMBuildShl(l->b, l->strip->first_lane, wl_lift_int(l, l->i64, 2), ""), l->i32, "");
        lanes.offset = LLVMBuildAdd(l->b, wl_strip_splat(l, first), wl_memory_iota(l, l->i32, 4), "");
        return lanes;
    }
    if (counts_units(item->inst, op))
        return index_lanes(l, item, op);
    if (!lanes.wide) {
        lanes.offset = is_vgpr(op->address) ? wl_strip_row(l, op->address->reg) : LLVMConstNull(l->strip_i32);
        return lanes;
    }
    unsigned reg = op->address->reg;
    const struct wl_index *known = wl_index_find(l, reg);
    if (known && wl_lanes_known(&lanes))
        lanes.index_stride = index_stride(known, &lanes);
    if (known && (lanes.index_stride || !wl_lanes_known(&lanes))) {
        lanes.index = known->index;
        lanes.index_head = known->head;
        lanes.index_base = known->base ? LLVMBuildAdd(l->b, known->base, lanes.base, "") : lanes.base;
        lanes.index_shift = known->shift;
        lanes.index_source = known->source;
        lanes.index_signed = known->is_signed;
    }
    lanes.may_be_private = may_be_private(l, item->inst, &lanes);
    if (lanes.may_be_private) {
        lanes.low = wl_strip_row(l, reg);
        lanes.high = wl_strip_row(l, reg + 1);
        lanes.pair = wl_strip_known_pair(l, reg);
    } else if (l->strip->pair_value[reg] || (l->has_avx512 && !wl_lanes_known(&lanes))) {
        lanes.pair = wl_strip_pair(l, reg);
    } else { /* the slow path alone would need the pair; other hosts test the halves for themselves */
        lanes.low = wl_strip_row(l, reg);
        lanes.high = wl_strip_row(l, reg + 1);
    }
    return lanes;
}

static struct wl_lanes lds_lanes(struct wl_lift *l, const struct wl_item *item, const struct wl_memory_operands *op, uint32_t offset) {
    struct wl_lanes lanes = {.base = item->scalar[SCALAR_BASE], .low_fact = item->fact[0], .wraps_freely = true};
    lanes.offset = wl_strip_row(l, op->address->reg);
    if (offset)
        lanes.offset = LLVMBuildAdd(l->b, lanes.offset, wl_lift_int(l, l->strip_i32, offset), "");
    return lanes;
}

static struct wl_lanes scratch_lanes(struct wl_lift *l, const struct wl_item *item, const struct wl_memory_operands *op) {
    struct wl_lanes lanes = {.base = item->scalar[SCALAR_BASE]};
    LLVMValueRef scalar = item->scalar[SCALAR_OFFSET];
    if (!is_vgpr(op->address)) {
        lanes.scalar_offset = scalar;
        return lanes;
    }
    LLVMValueRef row = wl_strip_row(l, op->address->reg);
    const unsigned unit = wl_inst_offset_unit(item->inst);
    if (unit != 1)
        row = LLVMBuildMul(l->b, row, wl_lift_int(l, l->strip_i32, unit), "");
    if (wl_fact_is_uniform(&item->fact[0]))
        lanes.scalar_offset = LLVMBuildAdd(l->b, wl_memory_any_lane(l, row, !wl_fact_in_all_lanes(&item->fact[0])), scalar, "");
    else
        lanes.offset = LLVMBuildAdd(l->b, row, wl_strip_splat(l, scalar), "");
    return lanes;
}

static struct wl_lanes find_lanes(struct wl_lift *l, const struct wl_item *item, const struct wl_memory_operands *op) {
    switch ((enum wl_space)item->inst->isa->space) {
    case WL_SPACE_LDS:
        return lds_lanes(l, item, op, (uint32_t)item->inst->offset0);
    case WL_SPACE_SCRATCH:
        return scratch_lanes(l, item, op);
    case WL_SPACE_BUFFER:
        return wl_buffer_lanes(l, item);
    default:
        return global_lanes(l, item, op);
    }
}

/* ---- accesses ---- */

/* What a strip moves: data in (stores, atomics), results out. Two dwords a lane are also a pair where that is their form. */
struct moved {
    LLVMValueRef rows[2 * WL_MAX_ROWS], pair;
};

static bool moves_pairs(const struct wl_access *a) { return a->kind != WL_ACCESS_ATOMIC && a->dwords == 2; }

static void load_inline(struct wl_lift *l, const struct wl_access *a, const struct wl_lanes *lanes, enum wl_pattern pattern,
                        LLVMValueRef start, struct moved *m) {
    if (pattern == WL_PATTERN_CONSECUTIVE && moves_pairs(a))
        m->pair = wl_memory_load_pairs(l, start, l->exec, a->is_volatile);
    else if (pattern == WL_PATTERN_CONSECUTIVE)
        wl_memory_load_consecutive(l, a, start, l->exec, m->rows);
    else if (pattern == WL_PATTERN_STRIDED)
        wl_memory_load_strided(l, a, start, (uint32_t)lanes->low_fact.stride, l->exec, m->rows);
    else if (pattern == WL_PATTERN_UNIFORM)
        wl_memory_load_uniform(l, a, start, m->rows);
    else if (pattern == WL_PATTERN_GROUPS)
        wl_spread_load_groups(l, a, lanes, m->rows);
    else
        wl_memory_load_private(l, a, start, a->bits < 32 ? wl_memory_shift(l, lanes) : NULL, m->rows);
}

static void store_inline(struct wl_lift *l, const struct wl_access *a, const struct wl_lanes *lanes, enum wl_pattern pattern,
                         LLVMValueRef start, struct moved *m) {
    if (pattern == WL_PATTERN_CONSECUTIVE && m->pair)
        wl_memory_store_pairs(l, m->pair, start, l->exec, a->is_volatile);
    else if (pattern == WL_PATTERN_CONSECUTIVE)
        wl_memory_store_consecutive(l, a, start, l->exec, m->rows);
    else if (pattern == WL_PATTERN_STRIDED)
        wl_memory_store_strided(l, a, start, (uint32_t)lanes->low_fact.stride, l->exec, m->rows);
    else if (pattern == WL_PATTERN_UNIFORM)
        wl_memory_store_uniform(l, start, m->rows[0]);
    else if (pattern == WL_PATTERN_GROUPS)
        wl_spread_store_groups(l, a, lanes, m->rows[0]);
    else
        wl_memory_store_private(l, a, start, a->bits < 32 ? wl_memory_shift(l, lanes) : NULL, l->exec, m->rows);
}

/* Whether a wave accesses several separate rows of memory, as for a tile of a matrix. The next workgroup's data do not lie behind the
 * last of these rows then. */
static bool is_of_rows(const struct wl_lift *l, const struct wl_lanes *lanes) {
    const struct wl_fact *low = &lanes->low_fact;
    return low->kind == WL_FACT_AFFINE && low->stride && low->lanes < l->wave_size;
}

/* Prefetches as much data as the strip loads from `start`, from `ahead` (i64, bytes) further on, into the second-level cache. */
static void prefetch(struct wl_lift *l, const struct wl_access *a, LLVMValueRef start, LLVMValueRef ahead) {
    enum { LINE = 64, SECOND_CACHE = 2 };
    LLVMValueRef there = LLVMBuildAdd(l->b, start, ahead, "");
    for (uint64_t line = 0; line < (uint64_t)WL_STRIP * wl_access_size(a); line += LINE) {
        LLVMValueRef address = LLVMBuildAdd(l->b, there, LLVMConstInt(l->i64, line, false), "");
        LLVMValueRef arguments[] = {LLVMBuildIntToPtr(l->b, address, l->ptr, ""), wl_lift_int(l, l->i32, 0),
                                    wl_lift_int(l, l->i32, SECOND_CACHE), wl_lift_int(l, l->i32, 1)};
        wl_lift_intrinsic(l, "llvm.prefetch", &l->ptr, 1, arguments, 4);
    }
}

/* Prefetches what the next workgroup will load, where that is known. The host's own prefetcher does not go beyond the end of a page. */
static void prefetch_next_group(struct wl_lift *l, const struct wl_access *a, const struct wl_lanes *lanes, LLVMValueRef start) {
    const struct wl_form *form = l->form;
    LLVMValueRef ahead = form->to_next_workgroup ? form->to_next_workgroup(l, wl_access_size(a), is_of_rows(l, lanes)) : NULL;
    if (ahead)
        prefetch(l, a, start, ahead);
}

static void access_inline(struct wl_lift *l, const struct wl_access *a, const struct wl_lanes *lanes, enum wl_pattern pattern,
                          LLVMValueRef start, struct moved *m) {
    if (a->kind == WL_ACCESS_LOAD && pattern == WL_PATTERN_CONSECUTIVE && !a->local && a->place == WL_PLACE_MEMORY)
        prefetch_next_group(l, a, lanes, start);
    (a->kind == WL_ACCESS_LOAD ? load_inline : store_inline)(l, a, lanes, pattern, start, m);
}

/* The results of two ways to a block, in `fast`. */
static void merge(struct wl_lift *l, const struct wl_access *a, struct moved *fast, const struct moved *slow, LLVMBasicBlockRef *from) {
    if (a->kind != WL_ACCESS_LOAD)
        return;
    if (fast->pair) {
        LLVMValueRef values[2] = {fast->pair, slow->pair};
        fast->pair = LLVMBuildPhi(l->b, l->strip_i64, "");
        LLVMAddIncoming(fast->pair, values, from, 2);
        return;
    }
    for (unsigned i = 0; i < a->dwords; i++) {
        LLVMValueRef values[2] = {fast->rows[i], slow->rows[i]};
        fast->rows[i] = LLVMBuildPhi(l->b, l->strip_i32, "");
        LLVMAddIncoming(fast->rows[i], values, from, 2);
    }
}

static void access_slow(struct wl_lift *l, const struct wl_access *a, const struct wl_lanes *lanes, struct moved *m, bool pair) {
    if (!wl_spread_private(l, a, lanes, m->rows) && !wl_spread_local(l, a, lanes, m->rows) && !wl_spread_in_loop(l, a, lanes, m->rows) &&
        !wl_spread_store_by_index(l, a, lanes, m->rows) && !wl_spread_in_unit(l, a, lanes, m->rows))
        wl_memory_slow(l, a, lanes, m->rows);
    m->pair = pair && a->kind == WL_ACCESS_LOAD ? wl_strip_join(l, m->rows[0], m->rows[1]) : NULL;
}

static void set_results(struct wl_lift *l, unsigned reg, unsigned dwords, const struct moved *m) {
    if (m->pair) {
        wl_strip_set_pair(l, reg, m->pair);
        return;
    }
    for (unsigned i = 0; i < dwords; i++)
        wl_strip_set_row(l, reg + i, m->rows[i]);
}

static void get_data(struct wl_lift *l, const struct wl_access *a, unsigned reg, struct moved *m) {
    for (unsigned i = 0; i < a->dwords; i++)
        m->rows[i] = wl_strip_row(l, reg + i);
    m->pair = moves_pairs(a) ? wl_strip_known_pair(l, reg) : NULL;
}

void wl_memory_mark_likely(struct wl_lift *l, LLVMValueRef branch) {
    LLVMMetadataRef parts[3] = {LLVMMDStringInContext2(l->context, "branch_weights", 14),
                                LLVMValueAsMetadata(LLVMConstInt(l->i32, 1000, false)),
                                LLVMValueAsMetadata(LLVMConstInt(l->i32, 1, false))};
    LLVMSetMetadata(branch, LLVMGetMDKindIDInContext(l->context, "prof", 4),
                    LLVMMetadataAsValue(l->context, LLVMMDNodeInContext2(l->context, parts, 3)));
}

/* The same where a sanitizer has doubts: the slow function settles them. */
static void access_doubtful(struct wl_lift *l, const struct wl_access *a, const struct wl_lanes *lanes, struct moved *m, bool pair) {
    wl_memory_slow(l, a, lanes, m->rows);
    m->pair = pair && a->kind == WL_ACCESS_LOAD ? wl_strip_join(l, m->rows[0], m->rows[1]) : NULL;
}

/* For initcheck: a store to LDS or private memory defines its bytes, as if it stored 0 to their undefined bits. */
static void define_inline(struct wl_lift *l, const struct wl_access *a, const struct wl_lanes *lanes, enum wl_pattern pattern,
                          LLVMValueRef start) {
    const bool is_private = pattern == WL_PATTERN_PRIVATE;
    struct moved none = {.pair = moves_pairs(a) && pattern == WL_PATTERN_CONSECUTIVE ? LLVMConstNull(l->strip_i64) : NULL};
    if (!wl_follows_values(l) || wl_sanitizes_waves(l) || a->kind != WL_ACCESS_STORE || !(a->local || is_private))
        return;
    for (unsigned i = 0; i < a->dwords; i++)
        none.rows[i] = LLVMConstNull(l->strip_i32);
    store_inline(l, a, lanes, pattern, LLVMBuildAdd(l->b, start, wl_sanitize_skip(l, is_private), ""), &none);
}

/* The access in both of its forms, in blocks that a test has led to; what is moved is that of the form that runs. */
static void access_either(struct wl_lift *l, const struct wl_access *a, const struct wl_lanes *lanes, enum wl_pattern pattern,
                          LLVMValueRef start, struct moved *m, LLVMBasicBlockRef fast, LLVMBasicBlockRef slow) {
    struct moved cold = *m;
    LLVMBasicBlockRef done = wl_memory_block(l, "accessed"), from[2];
    LLVMPositionBuilderAtEnd(l->b, fast);
    define_inline(l, a, lanes, pattern, start);
    access_inline(l, a, lanes, pattern, start, m);
    from[0] = LLVMGetInsertBlock(l->b);
    LLVMBuildBr(l->b, done);
    LLVMPositionBuilderAtEnd(l->b, slow);
    (wl_sanitizes(l) ? access_doubtful : access_slow)(l, a, lanes, &cold, m->pair != NULL);
    from[1] = LLVMGetInsertBlock(l->b);
    LLVMBuildBr(l->b, done);
    LLVMPositionBuilderAtEnd(l->b, done);
    merge(l, a, m, &cold, from);
}

/* A load in a loop whose lanes may be consecutive, for all that is known: as long as they are, that is tested. */
static void access_tested(struct wl_lift *l, const struct wl_access *a, const struct wl_lanes *lanes, struct moved *m) {
    LLVMValueRef check, start, failed = wl_lift_alloca(l, l->i1, 1, "failed");
    LLVMBasicBlockRef test = wl_memory_block(l, "test"), fast = wl_memory_block(l, "near"), fails = wl_memory_block(l, "fails"),
                      slow = wl_memory_block(l, "far");
    const struct wl_lift_place here = wl_lift_detour(l, l->entry);
    LLVMBuildStore(l->b, LLVMConstNull(l->i1), failed);
    wl_lift_return(l, here);
    LLVMBuildCondBr(l->b, LLVMBuildLoad2(l->b, l->i1, failed, ""), slow, test);
    LLVMPositionBuilderAtEnd(l->b, test);
    enum wl_pattern pattern = wl_lanes_pattern(l, a, lanes, &check, &start);
    LLVMBuildCondBr(l->b, check, fast, fails);
    LLVMPositionBuilderAtEnd(l->b, fails);
    LLVMBuildStore(l->b, LLVMConstAllOnes(l->i1), failed);
    LLVMBuildBr(l->b, slow);
    access_either(l, a, lanes, pattern, start, m, fast, slow);
}

/* Does an access as the form does it, if it has a way of its own. */
static bool in_own_way(struct wl_lift *l, const struct wl_access *a, const struct wl_lanes *lanes, LLVMValueRef *rows) {
    return l->form->access && l->form->access(l, a, lanes, rows);
}

/* Lanes in LDS that are not side by side: the host's gathers and scatters, if all may make the access. */
static void access_local(struct wl_lift *l, const struct wl_access *a, const struct wl_lanes *lanes, struct moved *m,
                         LLVMValueRef allowed) {
    LLVMBasicBlockRef fast = wl_memory_block(l, "near"), slow = wl_memory_block(l, WL_COLD_BLOCK), done = wl_memory_block(l, "accessed");
    LLVMBasicBlockRef from[2];
    struct moved cold = *m;
    wl_memory_mark_likely(l, LLVMBuildCondBr(l->b, allowed, fast, slow));
    LLVMPositionBuilderAtEnd(l->b, fast);
    if (wl_follows_values(l) && a->kind == WL_ACCESS_STORE)
        wl_sanitize_define(l, a, lanes);
    access_slow(l, a, lanes, m, false);
    from[0] = LLVMGetInsertBlock(l->b);
    LLVMBuildBr(l->b, done);
    LLVMPositionBuilderAtEnd(l->b, slow);
    access_doubtful(l, a, lanes, &cold, false);
    from[1] = LLVMGetInsertBlock(l->b);
    LLVMBuildBr(l->b, done);
    LLVMPositionBuilderAtEnd(l->b, done);
    merge(l, a, m, &cold, from);
}

/* The whole ladder, with a sanitizer's checks. */
static void access_sanitized(struct wl_lift *l, const struct wl_access *a, const struct wl_lanes *lanes, struct moved *m) {
    LLVMValueRef check, start, allowed = NULL;
    enum wl_pattern pattern = wl_lanes_pattern(l, a, lanes, &check, &start);
    if (pattern != WL_PATTERN_NONE)
        allowed = wl_sanitize_pattern(l, a, lanes, pattern, start, check);
    if (!allowed) {
        if (a->local && !wl_sanitizes_waves(l) && wl_sanitize_has_local(l, a))
            allowed = wl_sanitize_local(l, a, lanes);
        else
            allowed = wl_sanitize_steps(l, a, lanes);
        if (allowed)
            access_local(l, a, lanes, m, allowed);
        else
            access_doubtful(l, a, lanes, m, false);
        return;
    }
    if (check)
        allowed = LLVMBuildAnd(l->b, check, allowed, "");
    LLVMBasicBlockRef fast = wl_memory_block(l, "near"), slow = wl_memory_block(l, WL_COLD_BLOCK);
    wl_memory_mark_likely(l, LLVMBuildCondBr(l->b, allowed, fast, slow));
    access_either(l, a, lanes, pattern, start, m, fast, slow);
}

/* The whole ladder but for what access_lanes does. */
static void access_anywhere(struct wl_lift *l, const struct wl_access *a, const struct wl_lanes *lanes, struct moved *m) {
    LLVMValueRef check, start;
    bool inline_form = !l->exec || wl_memory_has_masks(l, a->bits); /* there is one for consecutive lanes */
    if (inline_form && wl_spread_in_loop_possible(l, a) && wl_lanes_need_test(l, a, lanes)) {
        access_tested(l, a, lanes, m);
        return;
    }
    enum wl_pattern pattern = wl_lanes_pattern(l, a, lanes, &check, &start);
    if (pattern == WL_PATTERN_NONE) {
        access_slow(l, a, lanes, m, false);
        return;
    }
    if (!check) {
        access_inline(l, a, lanes, pattern, start, m);
        return;
    }
    LLVMBasicBlockRef fast = wl_memory_block(l, "near"), slow = wl_memory_block(l, WL_COLD_BLOCK);
    wl_memory_mark_likely(l, LLVMBuildCondBr(l->b, check, fast, slow));
    access_either(l, a, lanes, pattern, start, m, fast, slow);
}

/* An access that is often one of a private variable. */
static void access_flat(struct wl_lift *l, const struct wl_access *a, const struct wl_lanes *lanes, struct moved *m) {
    struct wl_access own = *a;
    struct wl_lanes there;
    struct moved moved = *m;
    LLVMBasicBlockRef here = wl_memory_block(l, "private"), others = wl_memory_block(l, "anywhere"), done = wl_memory_block(l, "accessed"),
                      from[2];
    LLVMValueRef check, start, is_private = wl_lanes_are_private(l, lanes, &there);
    own.place = WL_PLACE_PRIVATE;
    enum wl_pattern pattern = wl_lanes_pattern(l, &own, &there, &check, &start);
    LLVMValueRef branch = LLVMBuildCondBr(l->b, check ? LLVMBuildAnd(l->b, is_private, check, "") : is_private, here, others);
    if (l->unit.unoptimized) /* what lives across the call is spilled there, not here */
        wl_memory_mark_likely(l, branch);
    LLVMPositionBuilderAtEnd(l->b, others);
    if (l->unit.unoptimized) /* with less code */
        access_slow(l, a, lanes, m, false);
    else
        access_anywhere(l, a, lanes, m);
    from[0] = LLVMGetInsertBlock(l->b);
    LLVMBuildBr(l->b, done);
    LLVMPositionBuilderAtEnd(l->b, here);
    access_inline(l, &own, &there, pattern, start, &moved);
    moved.pair = m->pair && a->kind == WL_ACCESS_LOAD ? wl_strip_join(l, moved.rows[0], moved.rows[1]) : NULL;
    from[1] = LLVMGetInsertBlock(l->b);
    LLVMBuildBr(l->b, done);
    LLVMPositionBuilderAtEnd(l->b, done);
    merge(l, a, m, &moved, from);
}

/* The whole ladder. */
static void access_lanes(struct wl_lift *l, const struct wl_access *a, const struct wl_lanes *lanes, struct moved *m) {
    if (wl_sanitizes(l))
        access_sanitized(l, a, lanes, m);
    else if (in_own_way(l, a, lanes, m->rows))
        m->pair = NULL;
    else if (lanes->may_be_private)
        access_flat(l, a, lanes, m);
    else
        access_anywhere(l, a, lanes, m);
}

/* A 16-bit result: the register's other half is that of `old`. */
static LLVMValueRef merge_half(struct wl_lift *l, const struct wl_isa *isa, LLVMValueRef old, LLVMValueRef value) {
    LLVMValueRef half = wl_lift_int(l, l->strip_i32, 0xffff), sixteen = wl_lift_int(l, l->strip_i32, 16);
    value = LLVMBuildAnd(l->b, value, half, "");
    if (isa->hi)
        return LLVMBuildOr(l->b, LLVMBuildAnd(l->b, old, half, ""), LLVMBuildShl(l->b, value, sixteen, ""), "");
    return LLVMBuildOr(l->b, LLVMBuildAnd(l->b, old, LLVMBuildNot(l->b, half, ""), ""), value, "");
}

static void emit_load(struct wl_lift *l, struct wl_item *item) {
    const struct wl_inst *inst = item->inst;
    struct wl_memory_operands op = wl_memory_operands(inst);
    struct wl_access a = describe(l, inst);
    struct wl_lanes lanes = find_lanes(l, item, &op);
    struct moved m = {.pair = NULL};
    LLVMValueRef old = !inst->isa->d16 ? NULL : inst->zeroes_half ? LLVMConstNull(l->strip_i32) : wl_strip_row(l, op.result->reg);
    access_lanes(l, &a, &lanes, &m);
    if (old)
        m.rows[0] = merge_half(l, inst->isa, old, m.rows[0]);
    set_results(l, op.result->reg, a.dwords, &m);
}

static void emit_store(struct wl_lift *l, struct wl_item *item) {
    const struct wl_inst *inst = item->inst;
    struct wl_memory_operands op = wl_memory_operands(inst);
    struct wl_access a = describe(l, inst);
    struct wl_lanes lanes = find_lanes(l, item, &op);
    struct moved m;
    get_data(l, &a, op.data->reg, &m);
    if (inst->isa->hi)
        m.rows[0] = LLVMBuildLShr(l->b, m.rows[0], wl_lift_int(l, l->strip_i32, 16), "");
    access_lanes(l, &a, &lanes, &m);
}

/* What the strips of a wide access have in its two forms. */
struct wide {
    struct wl_lanes lanes[4];
    struct moved fast[4], slow[4];
};

static void read_wide(struct wl_lift *l, struct wl_item *item, const struct wl_access *a, struct wide *w) {
    struct wl_memory_operands op = wl_memory_operands(item->inst);
    for (unsigned s = 0; s < l->strips; s++) {
        l->strip = &l->region.strip_states[s];
        w->lanes[s] = find_lanes(l, item, &op);
        w->fast[s].pair = NULL;
        if (a->kind == WL_ACCESS_STORE)
            get_data(l, a, op.data->reg, &w->fast[s]);
        w->slow[s] = w->fast[s];
    }
}

/* `start`: of each run of `count` strips. */
static void access_wide_inline(struct wl_lift *l, const struct wl_access *a, const LLVMValueRef *start, unsigned count, struct wide *w) {
    for (unsigned s = 0; s < l->strips; s++) {
        LLVMValueRef skip = wl_lift_int(l, l->i64, (uint64_t)(s % count) * WL_STRIP * wl_access_size(a));
        access_inline(l, a, &w->lanes[s], WL_PATTERN_CONSECUTIVE, LLVMBuildAdd(l->b, start[s / count], skip, ""), &w->fast[s]);
    }
}

static void access_wide_slow(struct wl_lift *l, const struct wl_access *a, struct wide *w) {
    for (unsigned s = 0; s < l->strips; s++) {
        LLVMValueRef check = NULL, start;
        l->strip = &l->region.strip_states[s];
        if (w->lanes[s].low_fact.kind == WL_FACT_BROKEN) { /* of the strips one is broken */
            enum wl_pattern pattern = wl_lanes_pattern(l, a, &w->lanes[s], &check, &start);
            LLVMBasicBlockRef near = wl_memory_block(l, "near"), far = wl_memory_block(l, WL_COLD_BLOCK);
            LLVMBuildCondBr(l->b, check, near, far);
            access_either(l, a, &w->lanes[s], pattern, start, &w->slow[s], near, far);
        } else {
            (wl_sanitizes(l) ? access_doubtful : access_slow)(l, a, &w->lanes[s], &w->slow[s], moves_pairs(a));
        }
    }
}

/* Stores of columns: strips whose elements follow each other, lane by lane, if a test says so. */
static void store_columns(struct wl_lift *l, const struct wl_access *a, struct wide *w) {
    LLVMBasicBlockRef near = wl_memory_block(l, "near"), far = wl_memory_block(l, WL_COLD_BLOCK), done = wl_memory_block(l, "accessed");
    LLVMValueRef rows[4], zero = LLVMConstInt(l->i32, 0, false), check = LLVMConstAllOnes(l->i1);
    LLVMValueRef start = wl_lanes_address(l, &w->lanes[0], zero);
    for (unsigned s = 0; s < l->strips; s++) {
        LLVMValueRef expected = LLVMBuildAdd(l->b, start, wl_lift_int(l, l->i64, UINT64_C(4) * s), "");
        LLVMValueRef follows = LLVMBuildICmp(l->b, LLVMIntEQ, wl_lanes_address(l, &w->lanes[s], zero), expected, "");
        check = LLVMBuildAnd(l->b, check, follows, "");
        rows[s] = w->fast[s].rows[0];
    }
    wl_memory_mark_likely(l, LLVMBuildCondBr(l->b, check, near, far));
    LLVMPositionBuilderAtEnd(l->b, near);
    wl_memory_store_columns(l, start, (uint32_t)w->lanes[0].low_fact.stride, rows);
    LLVMBuildBr(l->b, done);
    LLVMPositionBuilderAtEnd(l->b, far);
    access_wide_slow(l, a, w);
    LLVMBuildBr(l->b, done);
    LLVMPositionBuilderAtEnd(l->b, done);
}

/* One check for the wave instead of one for each strip. */
void wl_memory_emit_wide(struct wl_lift *l, struct wl_item *item) {
    struct wl_access a = describe(l, item->inst);
    struct wide w;
    LLVMValueRef check = NULL, start[4];
    read_wide(l, item, &a, &w);
    if (a.local && item->fact[0].kind != WL_FACT_BROKEN) {
        store_columns(l, &a, &w);
        return;
    }
    for (unsigned s = 0; s < l->strips; s += item->wide) {
        LLVMValueRef part;
        start[s / item->wide] = wl_lanes_start(l, &a, &w.lanes[s], item->wide, &part);
        if (wl_sanitizes(l)) {
            l->strip = &l->region.strip_states[s];
            LLVMValueRef allowed =
                wl_sanitizes_waves(l)
                    ? wl_sanitize_run(l, &a, start[s / item->wide], item->wide, wl_access_size(&a), part)
                    : wl_sanitize_extent(l, &a, start[s / item->wide], (uint64_t)item->wide * WL_STRIP * wl_access_size(&a));
            if (!allowed)
                allowed = LLVMConstNull(l->i1);
            part = part ? LLVMBuildAnd(l->b, part, allowed, "") : allowed;
        }
        check = !check ? part : !part ? check : LLVMBuildAnd(l->b, check, part, "");
    }
    LLVMBasicBlockRef from[2] = {NULL, NULL}, done = NULL;
    if (check) {
        LLVMBasicBlockRef fast = wl_memory_block(l, "near"), slow = wl_memory_block(l, WL_COLD_BLOCK);
        done = wl_memory_block(l, "accessed");
        wl_memory_mark_likely(l, LLVMBuildCondBr(l->b, check, fast, slow));
        LLVMPositionBuilderAtEnd(l->b, slow);
        access_wide_slow(l, &a, &w);
        from[1] = LLVMGetInsertBlock(l->b);
        LLVMBuildBr(l->b, done);
        LLVMPositionBuilderAtEnd(l->b, fast);
    }
    access_wide_inline(l, &a, start, item->wide, &w);
    from[0] = LLVMGetInsertBlock(l->b);
    if (check) {
        LLVMBuildBr(l->b, done);
        LLVMPositionBuilderAtEnd(l->b, done);
        for (unsigned s = 0; s < l->strips; s++)
            merge(l, &a, &w.fast[s], &w.slow[s], from);
    }
    for (unsigned s = 0; s < l->strips && a.kind == WL_ACCESS_LOAD; s++) {
        l->strip = &l->region.strip_states[s];
        set_results(l, wl_memory_operands(item->inst).result->reg, a.dwords, &w.fast[s]);
    }
}

/* LDS instructions with two addresses. Neighbours become one access of twice the size, unless the lanes are so close that
 * each of the two is consecutive for itself. */
static void emit_two(struct wl_lift *l, struct wl_item *item) {
    const struct wl_inst *inst = item->inst;
    struct wl_memory_operands op = wl_memory_operands(inst);
    struct wl_access a = describe(l, inst);
    unsigned size = wl_access_size(&a), unit = inst->isa->stride64 ? size * 64 : size, n = a.dwords;
    uint32_t offset[2] = {(uint32_t)inst->offset0 * unit, (uint32_t)inst->offset1 * unit};
    bool overlapping = item->fact[0].kind == WL_FACT_AFFINE && (uint32_t)item->fact[0].stride == size;
    bool joined = offset[1] == offset[0] + size && !overlapping && a.kind != WL_ACCESS_ATOMIC && !wl_counts(l);
    struct wl_lanes lanes[2] = {lds_lanes(l, item, &op, offset[0]), lds_lanes(l, item, &op, offset[1])};
    const struct wl_operand *data[2] = {op.data, op.data1};
    struct moved m[2] = {{.pair = NULL}, {.pair = NULL}};
    for (unsigned i = 0; i < 2 && a.kind != WL_ACCESS_LOAD; i++)
        get_data(l, &a, data[i]->reg, &m[i]);
    if (joined) {
        memcpy(m[0].rows + n, m[1].rows, n * sizeof *m[0].rows);
        a.dwords = (uint8_t)(2 * n);
        m[0].pair = NULL;
    }
    access_lanes(l, &a, &lanes[0], &m[0]);
    a.second = true;
    if (!joined)
        access_lanes(l, &a, &lanes[1], &m[1]);
    for (unsigned i = 0; op.result && i < (joined ? 1 : 2); i++)
        set_results(l, op.result->reg + i * n, a.dwords, &m[i]);
}

/* The second data value: behind the first in vector memory (cmpswap), an operand of its own in LDS. */
static void second_data(struct wl_lift *l, const struct wl_memory_operands *op, const struct wl_isa *isa, LLVMValueRef *rows) {
    const struct wl_operand *first = op->data, *second = op->data1;
    unsigned n = isa->dwords;
    if (second && isa->compare_first) {
        first = op->data1;
        second = op->data;
    }
    for (unsigned i = 0; i < n; i++) {
        rows[i] = wl_strip_row(l, first->reg + i);
        if (second)
            rows[n + i] = wl_strip_row(l, second->reg + i);
        else if (first->count >= 2 * n)
            rows[n + i] = wl_strip_row(l, first->reg + n + i);
    }
}

static void emit_atomic(struct wl_lift *l, struct wl_item *item) {
    const struct wl_inst *inst = item->inst;
    struct wl_memory_operands op = wl_memory_operands(inst);
    struct wl_access a = describe(l, inst);
    LLVMValueRef rows[2 * WL_MAX_ROWS];
    struct wl_lanes lanes = find_lanes(l, item, &op);
    second_data(l, &op, inst->isa, rows);
    if (wl_sanitizes(l) || (!in_own_way(l, &a, &lanes, rows) && !wl_atomic_local(l, &a, &lanes, &item->fact[2], rows)))
        wl_memory_slow(l, &a, &lanes, rows);
    for (unsigned i = 0; op.result && i < a.dwords; i++)
        wl_strip_set_row(l, op.result->reg + i, rows[i]);
}

/* A load to LDS: lane i's element goes to M0 + instruction offset + i * size. */
static void emit_load_to_lds(struct wl_lift *l, struct wl_item *item) {
    struct wl_memory_operands op = wl_memory_operands(item->inst);
    struct wl_access a = describe(l, item->inst);
    struct wl_lanes lanes = find_lanes(l, item, &op);
    struct moved m = {.pair = NULL};
    a.told = true;
    unsigned size = a.dwords * 4; /* sub-dword elements arrive extended */
    access_lanes(l, &a, &lanes, &m);
    LLVMValueRef target = LLVMBuildMul(l->b, l->strip->first_lane, wl_lift_int(l, l->i64, size), "");
    struct wl_lanes to = {.base = LLVMBuildAdd(l->b, item->scalar[7], target, ""),
                          .wraps_freely = true,
                          .low_fact = {.kind = WL_FACT_AFFINE, .stride = (int32_t)size, .bits = 16}};
    to.offset = wl_memory_iota(l, l->i32, size);
    struct wl_access store = {.kind = WL_ACCESS_STORE,
                              .place = WL_PLACE_MEMORY,
                              .bits = 32,
                              .dwords = a.dwords,
                              .local = wl_sanitizes(l),
                              .told = true,
                              .inst = item->inst};
    access_lanes(l, &store, &to, &m);
}

/* ---- recording ---- */

static struct wl_fact known(const struct wl_lift *l, unsigned row) {
    return l->unit.facts && row < WL_VGPR_COUNT ? l->unit.facts->row[row] : (struct wl_fact){0};
}

static LLVMValueRef global_base(struct wl_lift *l, const struct wl_inst *inst, const struct wl_operand *scalar) {
    LLVMValueRef offset = wl_lift_int(l, l->i64, (uint64_t)(int64_t)inst->offset0);
    if (!scalar || scalar->kind != WL_OPERAND_SGPR)
        return offset;
    return LLVMBuildAdd(l->b, wl_lift_sgpr64(l, scalar->reg), offset, "");
}

/* Whether the strips may store columns of a tile in LDS: rows of items are strips, which the first lanes' addresses tell apart. */
static bool may_store_columns(const struct wl_lift *l, const struct wl_item *item) {
    const struct wl_isa *isa = item->inst->isa;
    const struct wl_fact *fact = &item->fact[0];
    return !wl_sanitizes(l) && isa->space == WL_SPACE_LDS && isa->class == WL_ISA_STORE && isa->bits == 32 && isa->dwords == 1 &&
           isa->addresses != 2 && l->unit.request->shape == WL_SHAPE_SQUARES && l->has_avx512 && fact->lanes == WL_STRIP &&
           wl_spread_knows_stride(fact) && (uint32_t)fact->stride >= l->strips * 4 && wl_region_may_segment(l);
}

/* How many strips' accesses can be one; 0: each is for itself. */
static unsigned wide_strips(const struct wl_lift *l, const struct wl_item *item, const struct wl_memory_operands *op) {
    const struct wl_isa *isa = item->inst->isa;
    if (may_store_columns(l, item))
        return l->strips;
    const bool in_lds = isa->space == WL_SPACE_LDS && item->fact[0].kind == WL_FACT_BROKEN && isa->addresses != 2 && !wl_sanitizes(l);
    bool plain = (isa->space == WL_SPACE_GLOBAL || isa->space == WL_SPACE_FLAT || in_lds) && !isa->d16 && !isa->hi && !item->inst->lds;
    if (!plain || !is_vgpr(op->address) || !wl_region_may_segment(l))
        return 0;
    struct wl_access a = describe(l, item->inst);
    return wl_lanes_wide(l, &a, &item->fact[0], op->address->count >= 2 ? &item->fact[1] : NULL);
}

static void record_scratch(struct wl_lift *l, struct wl_item *item, const struct wl_memory_operands *op) {
    LLVMValueRef offset = wl_lift_int(l, l->i32, (uint32_t)item->inst->offset0);
    item->scalar[SCALAR_BASE] = wl_memory_wave_constant(l, l->wave, offsetof(struct wl_wave, scratch), l->i64);
    if (op->scalar && op->scalar->kind != WL_OPERAND_OFF)
        offset = LLVMBuildAdd(l->b, offset, wl_lift_scalar_operand(l, op->scalar, WL_U32), "");
    item->scalar[SCALAR_OFFSET] = offset;
}

static void record_lds_target(struct wl_lift *l, struct wl_item *item) {
    LLVMValueRef low = LLVMBuildAnd(l->b, wl_lift_sgpr(l, WL_SGPR_M0), wl_lift_int(l, l->i32, WL_M0_LDS), "");
    LLVMValueRef offset = LLVMBuildAdd(l->b, low, wl_lift_int(l, l->i32, (uint32_t)item->inst->offset0), "");
    LLVMValueRef lds = wl_memory_wave_constant(l, l->wave, offsetof(struct wl_wave, lds), l->i64);
    item->scalar[7] = LLVMBuildAdd(l->b, lds, LLVMBuildZExt(l->b, offset, l->i64, ""), "");
}

void wl_memory_flush_before(struct wl_lift *l) {
    l->region.item_count--;
    l->region.end = l->unit.at ? l->unit.at - 1 : 0;
    wl_lift_flush(l);
    l->region.end = l->unit.at;
}

/* The scalars that an access reads must exist: a mask that the vector region still makes can be one of them. */
static struct wl_item *settle_scalars(struct wl_lift *l, struct wl_item *item) {
    const struct wl_inst *inst = item->inst;
    bool pending = inst->lds && wl_region_mask_pending(l, WL_SGPR_M0);
    for (unsigned i = 0; i < inst->operand_count; i++)
        for (unsigned r = 0; inst->operands[i].kind == WL_OPERAND_SGPR && r < inst->operands[i].count; r++)
            pending |= wl_region_mask_pending(l, inst->operands[i].reg + r);
    if (!pending)
        return item;
    struct wl_item again = *item;
    struct wl_effects effects;
    wl_memory_flush_before(l);
    wl_inst_effects(inst, l->wave_size, &effects);
    l->region.loads = effects.load_spaces;
    l->region.stores = effects.store_spaces;
    item = &l->region.items[l->region.item_count++];
    *item = again;
    return item;
}

bool wl_memory_record(struct wl_lift *l, struct wl_item *item) {
    const struct wl_inst *inst = item->inst;
    item = settle_scalars(l, item);
    const struct wl_isa *isa = inst->isa;
    struct wl_memory_operands op = wl_memory_operands(inst);
    if (isa->space == WL_SPACE_BUFFER || isa->space == WL_SPACE_TBUFFER) {
        if (!wl_buffer_record(l, item, op.data, op.address))
            return false;
    } else {
        if (inst->gds)
            l->status = wl_fail(WL_UNSUPPORTED, "%s with gds at %#llx: there is no global data share", inst->mnemonic,
                                (unsigned long long)inst->address);
        if (is_vgpr(op.address)) {
            item->fact[0] = known(l, op.address->reg);
            item->fact[1] = op.address->count >= 2 ? known(l, op.address->reg + 1) : (struct wl_fact){0};
        } else {
            item->fact[0] = (struct wl_fact){.kind = WL_FACT_AFFINE, .zeros = 32, .bits = 0, .lanes = WL_ALL_LANES};
        }
        if (isa->by_lane)
            item->fact[0] = (struct wl_fact){.kind = WL_FACT_AFFINE, .stride = 4, .bits = 8};
        else if (counts_units(inst, &op) && isa->space != WL_SPACE_SCRATCH)
            item->fact[0] = (struct wl_fact){0}; /* known of the index, not of the address */
        if (isa->space == WL_SPACE_LDS)
            item->scalar[SCALAR_BASE] = wl_memory_wave_constant(l, l->wave, offsetof(struct wl_wave, lds), l->i64);
        else if (isa->space == WL_SPACE_SCRATCH)
            record_scratch(l, item, &op);
        else
            item->scalar[SCALAR_BASE] = global_base(l, inst, op.scalar);
    }
    if (inst->lds) {
        record_lds_target(l, item);
        item->emit = emit_load_to_lds;
    } else if (isa->class == WL_ISA_ATOMIC && isa->addresses != 2) {
        item->emit = emit_atomic;
        item->fact[2] = is_vgpr(op.data) ? known(l, op.data->reg) : (struct wl_fact){0};
    } else {
        item->emit = isa->addresses == 2 ? emit_two : isa->class == WL_ISA_LOAD ? emit_load : emit_store;
    }
    item->wide = (uint8_t)wide_strips(l, item, &op);
    if (item->wide)
        item->starts_segment = l->region.segmented = true;
    return true;
}
