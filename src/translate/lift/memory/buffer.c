/* Buffer instructions: a descriptor of four SGPRs, an optional index and offset in VGPRs, a scalar offset.
 *
 * Raw buffers, and the swizzled descriptor through which gfx9 and gfx10 reach scratch, have strip forms. Indexed, typed and
 * to-LDS accesses call wave->helpers, which know descriptors in full. */
#include "translate/lift/memory/memory.h"
#include "translate/lift/memory/record.h"
#include "translate/lift/memory/sanitize.h"

#include "machine/helpers.h"
#include "machine/processor.h"
#include "translate/isa/helper_words.h"
#include "translate/lift/inst/inst.h"
#include "translate/lift/values.h"

#include <stddef.h>
#include <string.h>

enum { SCALAR_BASE, SCALAR_OFFSET, SCALAR_LIMIT };

static bool may_be_scratch(const struct wl_lift *l) { return wl_processor_has(l->unit.request->processor, WL_HAS_SCRATCH_BUFFERS); }

/* The descriptor as it lies in the wave, where helpers read it. */
static LLVMValueRef descriptor_pointer(struct wl_lift *l, unsigned reg) {
    LLVMValueRef first = NULL;
    for (unsigned i = 0; i < 4; i++) {
        LLVMValueRef offset = wl_lift_int(l, l->i64, offsetof(struct wl_wave, sgpr) + UINT64_C(4) * (reg + i));
        LLVMValueRef slot = LLVMBuildGEP2(l->b, l->i8, l->wave, &offset, 1, "");
        LLVMBuildStore(l->b, wl_lift_sgpr(l, reg + i), slot);
        first = i ? first : slot;
    }
    return first;
}

static void call_helper(struct wl_lift *l, const struct wl_inst *inst, const struct wl_operand *data, const struct wl_operand *address,
                        const struct wl_operand *descriptor, LLVMValueRef soffset) {
    const struct wl_isa *isa = inst->isa;
    wl_memory_flush_before(l);
    if (inst->lds) {
        LLVMValueRef offset = wl_lift_int(l, l->i64, offsetof(struct wl_wave, sgpr) + UINT64_C(4) * WL_SGPR_M0);
        LLVMBuildStore(l->b, wl_lift_sgpr(l, WL_SGPR_M0), LLVMBuildGEP2(l->b, l->i8, l->wave, &offset, 1, ""));
    }
    LLVMValueRef arguments[8] = {
        l->wave,
        data ? wl_lift_row_address(l, data->reg) : LLVMConstNull(l->ptr),
        address->kind == WL_OPERAND_VGPR ? wl_lift_row_address(l, address->reg) : LLVMConstNull(l->ptr),
        descriptor_pointer(l, descriptor->reg),
        soffset,
        wl_lift_int(l, l->i32, (uint32_t)inst->offset0),
        wl_lift_int(l, l->i32, wl_buffer_element(inst, l->generation)),
        wl_lift_int(l, l->i32, wl_memory_atomic(l->unit.request->processor, isa)),
    };
    if (wl_sanitizes(l))
        wl_sanitize_leave_site(l, inst, isa->class != WL_ISA_ATOMIC && isa->bits < 32 ? isa->bits / 8 : isa->dwords * 4);
    size_t helper = isa->class == WL_ISA_LOAD    ? offsetof(struct wl_helpers, buffer_load)
                    : isa->class == WL_ISA_STORE ? offsetof(struct wl_helpers, buffer_store)
                                                 : offsetof(struct wl_helpers, buffer_atomic);
    wl_lift_call_on_rows(l, helper, arguments, isa->class == WL_ISA_ATOMIC ? 8 : 7);
}

static LLVMValueRef field(struct wl_lift *l, LLVMValueRef word, unsigned shift, uint32_t mask) {
    return LLVMBuildAnd(l->b, LLVMBuildLShr(l->b, word, wl_lift_int(l, l->i32, shift), ""), wl_lift_int(l, l->i32, mask), "");
}

static LLVMValueRef is_not_zero(struct wl_lift *l, LLVMValueRef value) {
    return LLVMBuildICmp(l->b, LLVMIntNE, value, LLVMConstNull(LLVMTypeOf(value)), "");
}

/* gfx10 and later choose the range check: bytes, or (without an index) whether there are records, and the stride. *raw: i1,
 * the scalar offset counts. */
static LLVMValueRef choose_limit(struct wl_lift *l, LLVMValueRef stride, LLVMValueRef records, LLVMValueRef word3, LLVMValueRef *raw) {
    if (l->generation == 9) {
        *raw = LLVMConstInt(l->i1, 1, 0);
        return records;
    }
    enum { STRUCTURED = 0, RAW = 3 };
    LLVMBuilderRef b = l->b;
    LLVMValueRef select = field(l, word3, 28, 3), all = wl_lift_int(l, l->i32, UINT32_MAX);
    LLVMValueRef structured = LLVMBuildICmp(b, LLVMIntEQ, select, wl_lift_int(l, l->i32, STRUCTURED), "");
    LLVMValueRef within = LLVMBuildSelect(b, LLVMBuildAnd(b, structured, is_not_zero(l, stride), ""), stride, all, "");
    within = LLVMBuildSelect(b, is_not_zero(l, records), within, LLVMConstNull(l->i32), "");
    *raw = LLVMBuildICmp(b, LLVMIntEQ, select, wl_lift_int(l, l->i32, RAW), "");
    return LLVMBuildSelect(b, *raw, records, within, "");
}

/* Base address and limit of the bytes that offsets count from. Kept for the accesses that follow: unoptimized code reaches
 * all of its variables through one descriptor. */
static void read_descriptor(struct wl_lift *l, unsigned reg) {
    LLVMBuilderRef b = l->b;
    if (l->unit.descriptor.base && l->unit.descriptor.reg == reg)
        return;
    LLVMValueRef word1 = wl_lift_sgpr(l, reg + 1), word3 = wl_lift_sgpr(l, reg + 3), whole = wl_lift_sgpr64(l, reg), raw;
    LLVMValueRef base = LLVMBuildAnd(b, whole, wl_lift_int(l, l->i64, (UINT64_C(1) << 48) - 1), "");
    LLVMValueRef limit = choose_limit(l, field(l, word1, 16, 0x3fff), wl_lift_sgpr(l, reg + 2), word3, &raw);
    LLVMValueRef swizzles = is_not_zero(l, l->generation >= 11 ? field(l, word1, 30, 3) : field(l, word1, 31, 1));
    if (l->generation >= 10) { /* swizzled records are checked as such */
        LLVMValueRef records = LLVMBuildAnd(b, swizzles, is_not_zero(l, field(l, word1, 16, 0x3fff)), "");
        raw = LLVMBuildAnd(b, raw, LLVMBuildNot(b, records, ""), "");
    }
    LLVMValueRef by_lane = is_not_zero(l, field(l, word3, 23, 1)), odd = LLVMBuildOr(b, swizzles, by_lane, "");
    /* Its own descriptor goes along with what is neither linear nor scratch. */
    LLVMValueRef marked = LLVMBuildAnd(b, word3, wl_lift_int(l, l->i32, ~(uint32_t)WL_BUFFER_KIND), "");
    marked = LLVMBuildOr(b, marked, wl_lift_int(l, l->i32, WL_BUFFER_ODD), "");
    LLVMValueRef records = LLVMBuildSelect(b, odd, wl_lift_sgpr(l, reg + 2), limit, "");
    LLVMValueRef flags = LLVMBuildSelect(b, odd, marked, LLVMConstNull(l->i32), "");
    base = LLVMBuildSelect(b, odd, whole, base, "");
    if (may_be_scratch(l)) {
        LLVMValueRef is_scratch = LLVMBuildAnd(b, swizzles, by_lane, "");
        LLVMValueRef scratch = wl_memory_wave_constant(l, l->wave, offsetof(struct wl_wave, scratch), l->i64);
        base = LLVMBuildSelect(b, is_scratch, scratch, base, "");
        flags = LLVMBuildSelect(b, is_scratch, wl_lift_int(l, l->i32, WL_BUFFER_SCRATCH), flags, "");
    }
    l->unit.descriptor.reg = reg;
    l->unit.descriptor.base = base;
    l->unit.descriptor.records = records;
    l->unit.descriptor.flags = LLVMBuildShl(b, LLVMBuildZExt(b, flags, l->i64, ""), wl_lift_int(l, l->i64, 32), "");
    l->unit.descriptor.raw = raw;
}

/* The limit that offsets without soffset have. */
static LLVMValueRef find_limit(struct wl_lift *l, LLVMValueRef soffset) {
    LLVMValueRef less = LLVMBuildSelect(l->b, l->unit.descriptor.raw, soffset, LLVMConstNull(l->i32), "");
    LLVMValueRef arguments[2] = {l->unit.descriptor.records, less};
    LLVMValueRef records =
        LLVMIsNull(soffset) ? l->unit.descriptor.records : wl_lift_intrinsic(l, "llvm.usub.sat", &l->i32, 1, arguments, 2);
    return LLVMBuildOr(l->b, LLVMBuildZExt(l->b, records, l->i64, ""), l->unit.descriptor.flags, "");
}

static LLVMValueRef least(struct wl_lift *l, LLVMValueRef a, LLVMValueRef b) {
    LLVMValueRef arguments[2] = {a, b};
    return wl_lift_intrinsic(l, "llvm.umin", &l->i64, 1, arguments, 2);
}

/* gfx1250's descriptor (lane/buffer_lane.h): base and limit of the bytes that the lanes' offsets count from. No sum of offsets wraps, and
 * swizzling is for all of it. */
static void read_wide(struct wl_lift *l, struct wl_item *item, unsigned reg, LLVMValueRef soffset) {
    LLVMBuilderRef b = l->b;
    LLVMValueRef word3 = wl_lift_sgpr(l, reg + 3), whole = wl_lift_sgpr64(l, reg), all = wl_lift_int(l, l->i64, UINT32_MAX);
    LLVMValueRef before = wl_lift_int(l, l->i64, (uint32_t)item->inst->offset0);
    before = LLVMBuildAdd(b, before, LLVMBuildZExt(b, soffset, l->i64, ""), "");

    LLVMValueRef scale = field(l, word3, 26, 3), one = wl_lift_int(l, l->i32, 1);
    LLVMValueRef by = LLVMBuildAdd(b, scale, LLVMBuildSelect(b, is_not_zero(l, scale), one, LLVMConstNull(l->i32), ""), "");
    by = LLVMBuildAdd(b, by, LLVMBuildLShr(b, by, wl_lift_int(l, l->i32, 2), ""), ""); /* 0, 2, 3, 5 */
    LLVMValueRef stride = LLVMBuildShl(b, field(l, word3, 12, 0x3fff), by, "");
    LLVMValueRef bytes = wl_lift_smem_wide_limit(l, reg), checks = is_not_zero(l, field(l, word3, 29, 1));
    bytes = LLVMBuildSelect(b, checks, least(l, bytes, LLVMBuildZExt(b, stride, l->i64, "")), bytes, "");
    bytes = LLVMBuildSelect(b, is_not_zero(l, field(l, word3, 30, 3)), LLVMConstNull(l->i64), bytes, "");
    LLVMValueRef arguments[2] = {bytes, before};
    LLVMValueRef linear = least(l, wl_lift_intrinsic(l, "llvm.usub.sat", &l->i64, 1, arguments, 2), all);

    LLVMValueRef swizzles = LLVMBuildICmp(b, LLVMIntEQ, LLVMBuildAnd(b, word3, wl_lift_int(l, l->i32, UINT32_C(0xd0000000)), ""),
                                          wl_lift_int(l, l->i32, UINT32_C(0x10000000)), "");
    LLVMValueRef carry = LLVMBuildLShr(b, before, wl_lift_int(l, l->i64, 32), "");
    carry = LLVMBuildMul(b, LLVMBuildTrunc(b, carry, l->i32, ""), wl_lift_int(l, l->i32, WL_BUFFER_CARRY), "");
    LLVMValueRef marked = LLVMBuildAnd(b, word3, wl_lift_int(l, l->i32, ~UINT32_C(0xfff)), "");
    marked = LLVMBuildOr(b, LLVMBuildOr(b, marked, carry, ""), wl_lift_int(l, l->i32, WL_BUFFER_WIDE), "");
    LLVMValueRef high = LLVMBuildShl(b, LLVMBuildZExt(b, marked, l->i64, ""), wl_lift_int(l, l->i64, 32), "");
    high = LLVMBuildOr(b, high, LLVMBuildAnd(b, before, all, ""), "");

    LLVMValueRef base = LLVMBuildAnd(b, whole, wl_lift_int(l, l->i64, (UINT64_C(1) << 57) - 1), "");
    item->scalar[SCALAR_BASE] = LLVMBuildSelect(b, swizzles, whole, LLVMBuildAdd(b, base, before, ""), "");
    item->scalar[SCALAR_LIMIT] = LLVMBuildSelect(b, swizzles, high, linear, "");
}

bool wl_buffer_record(struct wl_lift *l, struct wl_item *item, const struct wl_operand *data, const struct wl_operand *address) {
    const struct wl_inst *inst = item->inst;
    const struct wl_operand *descriptor = address + 1, *scalar = address + 2;
    LLVMValueRef soffset = scalar < inst->operands + inst->operand_count && scalar->kind != WL_OPERAND_OFF
                               ? wl_lift_scalar_operand(l, scalar, WL_U32)
                               : wl_lift_int(l, l->i32, 0);
    if (wl_inst_needs_descriptor(inst)) {
        call_helper(l, inst, data, address, descriptor, soffset);
        return false;
    }
    if (address->kind == WL_OPERAND_VGPR)
        item->fact[0] = l->unit.facts ? l->unit.facts->row[address->reg] : (struct wl_fact){0};
    else
        item->fact[0] = (struct wl_fact){.kind = WL_FACT_AFFINE, .zeros = 32};
    if (inst->wide_buffer) {
        read_wide(l, item, descriptor->reg, soffset);
        return true;
    }
    if (wl_memory_is_private(l, inst)) {
        LLVMValueRef scratch = wl_memory_wave_constant(l, l->wave, offsetof(struct wl_wave, scratch), l->i64);
        item->scalar[SCALAR_BASE] = LLVMBuildAdd(l->b, scratch, LLVMBuildZExt(l->b, soffset, l->i64, ""), "");
        return true;
    }
    read_descriptor(l, descriptor->reg);
    item->scalar[SCALAR_BASE] = LLVMBuildAdd(l->b, l->unit.descriptor.base, LLVMBuildZExt(l->b, soffset, l->i64, ""), "");
    item->scalar[SCALAR_LIMIT] = find_limit(l, soffset);
    return true;
}

struct wl_lanes wl_buffer_lanes(struct wl_lift *l, const struct wl_item *item) {
    const struct wl_inst *inst = item->inst;
    const struct wl_operand *address = &inst->operands[1];
    const uint32_t given = inst->wide_buffer ? 0 : (uint32_t)inst->offset0; /* what the base has not */
    LLVMValueRef offset = wl_lift_int(l, l->i32, given);
    struct wl_lanes lanes = {.base = item->scalar[SCALAR_BASE], .limit = item->scalar[SCALAR_LIMIT], .low_fact = item->fact[0]};
    bool uniform = lanes.low_fact.kind == WL_FACT_AFFINE && lanes.low_fact.stride == 0;
    if (address->kind != WL_OPERAND_VGPR) {
        lanes.scalar_offset = offset;
        lanes.offset = wl_strip_splat(l, offset);
    } else {
        LLVMValueRef row = wl_strip_row(l, address->reg);
        lanes.offset = LLVMBuildAdd(l->b, row, wl_strip_splat(l, offset), "");
        if (uniform && may_be_scratch(l))
            lanes.scalar_offset = LLVMBuildAdd(l->b, wl_memory_any_lane(l, row, !wl_fact_in_all_lanes(&lanes.low_fact)), offset, "");
    }
    if (!may_be_scratch(l))
        lanes.scalar_offset = NULL;
    if (given)
        lanes.low_fact.bits = 32; /* the sum may wrap */
    return lanes;
}
