/* Where buffer accesses go. Without an index: raw buffers with their range check, and the swizzled descriptor through which gfx9 and
 * gfx10 reach scratch, which here is the lane's own memory. Which of the two it is, the descriptor says at run time; most
 * descriptors are constants by then. All others: device code finds each dword. */
#include "translate/isa/helper_words.h"
#include "translate/lift/memory/record.h"
#include "translate/lift/values.h"
#include "translate/nvptx/device/device.h"
#include "translate/nvptx/inst.h"
#include "translate/nvptx/memory.h"
#include "translate/nvptx/ptx.h"

#include <stddef.h>
#include <string.h>

static LLVMValueRef field(struct wl_lift *l, LLVMValueRef word, unsigned shift, uint32_t mask) {
    return LLVMBuildAnd(l->b, LLVMBuildLShr(l->b, word, wl_lift_int(l, l->i32, shift), ""), wl_lift_int(l, l->i32, mask), "");
}

static LLVMValueRef is_not_zero(struct wl_lift *l, LLVMValueRef value) {
    return LLVMBuildICmp(l->b, LLVMIntNE, value, LLVMConstNull(LLVMTypeOf(value)), "");
}

/* Bytes that may be accessed, counted from the base. gfx10 and later choose the check; without an index a structured
 * buffer's is that of one record. */
static LLVMValueRef find_limit(struct wl_lift *l, unsigned reg, LLVMValueRef soffset) {
    LLVMBuilderRef b = l->b;
    LLVMValueRef records = wl_lift_sgpr(l, reg + 2), arguments[2] = {records, soffset};
    LLVMValueRef raw_limit = wl_lift_intrinsic(l, "llvm.usub.sat", &l->i32, 1, arguments, 2);
    if (l->generation == 9)
        return raw_limit;
    enum { STRUCTURED = 0, RAW = 3 };
    LLVMValueRef stride = field(l, wl_lift_sgpr(l, reg + 1), 16, 0x3fff), select = field(l, wl_lift_sgpr(l, reg + 3), 28, 3);
    LLVMValueRef structured = LLVMBuildICmp(b, LLVMIntEQ, select, wl_lift_int(l, l->i32, STRUCTURED), "");
    LLVMValueRef raw = LLVMBuildICmp(b, LLVMIntEQ, select, wl_lift_int(l, l->i32, RAW), "");
    LLVMValueRef within =
        LLVMBuildSelect(b, LLVMBuildAnd(b, structured, is_not_zero(l, stride), ""), stride, wl_lift_int(l, l->i32, UINT32_MAX), "");
    within = LLVMBuildSelect(b, is_not_zero(l, records), within, LLVMConstNull(l->i32), "");
    return LLVMBuildSelect(b, raw, raw_limit, within, "");
}

static LLVMValueRef scalar_offset(struct wl_lift *l, const struct wl_inst *inst, const struct wl_operand *scalar) {
    bool given = scalar < inst->operands + inst->operand_count && scalar->kind != WL_OPERAND_OFF;
    return given ? wl_lift_scalar_operand(l, scalar, WL_U32) : LLVMConstNull(l->i32);
}

/* gfx9 and gfx10 reach scratch through a swizzled descriptor with thread ids. */
static LLVMValueRef is_scratch(struct wl_lift *l, unsigned reg) {
    if (!l->ptx->scratch[wl_ptx_strip(l)] || l->generation >= 11)
        return NULL;
    return LLVMBuildAnd(l->b, is_not_zero(l, field(l, wl_lift_sgpr(l, reg + 1), 31, 1)),
                        is_not_zero(l, field(l, wl_lift_sgpr(l, reg + 3), 23, 1)), "");
}

static const struct wl_operand *address_operand(const struct wl_inst *inst) { return wl_memory_operands(inst).address; }

LLVMValueRef wl_ptx_buffer_is_odd(struct wl_lift *l, const struct wl_inst *inst) {
    unsigned reg = address_operand(inst)[1].reg;
    LLVMValueRef word1 = wl_lift_sgpr(l, reg + 1), word3 = wl_lift_sgpr(l, reg + 3);
    LLVMValueRef swizzles = is_not_zero(l, l->generation >= 11 ? field(l, word1, 30, 3) : field(l, word1, 31, 1));
    LLVMValueRef odd = LLVMBuildOr(l->b, swizzles, is_not_zero(l, field(l, word3, 23, 1)), ""), scratch = is_scratch(l, reg);
    return scratch ? LLVMBuildAnd(l->b, odd, LLVMBuildNot(l->b, scratch, ""), "") : odd;
}

#define RECORD_AT(member, i) (offsetof(struct wl_device_buffer, member) + 4 * (size_t)(i))

void wl_ptx_buffer_places(struct wl_lift *l, const struct wl_inst *inst, unsigned count, unsigned bytes, struct wl_ptx_access *accesses) {
    const struct wl_operand *address = address_operand(inst);
    LLVMValueRef record = wl_ptx_device_record(l, sizeof(struct wl_device_buffer));
    for (unsigned i = 0; i < 4; i++)
        wl_ptx_device_put(l, record, RECORD_AT(resource, i), wl_lift_sgpr(l, address[1].reg + i));
    for (unsigned i = 0; i < (inst->idxen ? 1u : 0u) + (inst->offen ? 1u : 0u); i++)
        wl_ptx_device_put(l, record, RECORD_AT(address, i), wl_ptx_dword(l, address->reg + i));
    wl_ptx_device_put(l, record, RECORD_AT(soffset, 0), scalar_offset(l, inst, address + 2));
    wl_ptx_device_put(l, record, RECORD_AT(offset, 0), wl_lift_int(l, l->i32, (uint32_t)inst->offset0));
    wl_ptx_device_put(l, record, RECORD_AT(element, 0), wl_lift_int(l, l->i32, wl_buffer_element(inst, l->generation)));
    wl_ptx_device_put(l, record, RECORD_AT(lane, 0), wl_ptx_wave_lane(l));
    for (unsigned i = 0; i < count; i++) {
        LLVMValueRef arguments[2] = {record, wl_lift_int(l, l->i64, (uint64_t)(4 * i) << 32 | bytes)};
        LLVMValueRef place = wl_ptx_device_call(l, "wl_device_buffer_find", l->i64, arguments, 2);
        accesses[i] = (struct wl_ptx_access){.inst = inst, .space = WL_PTX_GLOBAL, .address = place, .wide_scope = true};
        accesses[i].is_volatile = inst->isa->class != WL_ISA_ATOMIC && wl_inst_is_coherent(inst);
        accesses[i].looks_again = inst->looks_again;
        accesses[i].predicate = LLVMBuildAnd(l->b, wl_ptx_exec(l), is_not_zero(l, place), "");
    }
}

/* soffset counts the bytes of all lanes. */
static LLVMValueRef own_offset(struct wl_lift *l, LLVMValueRef soffset) {
    return LLVMBuildLShr(l->b, soffset, wl_lift_int(l, l->i32, l->wave_size == 64 ? 6 : 5), "");
}

void wl_ptx_private_address(struct wl_lift *l, const struct wl_inst *inst, struct wl_ptx_access *a) {
    const struct wl_operand *address = address_operand(inst);
    LLVMValueRef offset = own_offset(l, scalar_offset(l, inst, address + 2));
    if (address->kind == WL_OPERAND_VGPR)
        offset = LLVMBuildAdd(l->b, offset, wl_ptx_dword(l, address->reg), "");
    a->space = WL_PTX_LOCAL;
    a->address = LLVMBuildAdd(l->b, wl_ptx_scratch(l), offset, "");
    a->offset = inst->offset0;
}

void wl_ptx_buffer_address(struct wl_lift *l, const struct wl_inst *inst, struct wl_ptx_access *a) {
    const struct wl_operand *address = address_operand(inst);
    unsigned reg = address[1].reg;
    LLVMBuilderRef b = l->b;
    LLVMValueRef soffset = scalar_offset(l, inst, address + 2), offset = wl_lift_int(l, l->i32, (uint32_t)inst->offset0);
    if (address->kind == WL_OPERAND_VGPR)
        offset = LLVMBuildAdd(b, offset, wl_ptx_dword(l, address->reg), "");
    LLVMValueRef base = LLVMBuildAnd(b, wl_lift_sgpr64(l, reg), wl_lift_int(l, l->i64, (UINT64_C(1) << 48) - 1), "");
    LLVMValueRef place = LLVMBuildAdd(b, base, LLVMBuildZExt(b, soffset, l->i64, ""), "");
    place = LLVMBuildAdd(b, place, LLVMBuildZExt(b, offset, l->i64, ""), "");
    LLVMValueRef limit = LLVMBuildZExt(b, find_limit(l, reg, soffset), l->i64, "");
    LLVMValueRef scratch = is_scratch(l, reg);
    unsigned first = inst->isa->class == WL_ISA_ATOMIC ? inst->isa->bits / 8u : inst->isa->bits < 32 ? inst->isa->bits / 8u : 4;
    a->bytes_left = LLVMBuildSub(b, limit, LLVMBuildZExt(b, offset, l->i64, ""), "");
    a->space = WL_PTX_GLOBAL;
    a->offset = 0;
    if (scratch) {
        LLVMValueRef own = LLVMBuildZExt(b, LLVMBuildAdd(b, own_offset(l, soffset), offset, ""), l->i64, "");
        own = LLVMBuildAdd(b, LLVMBuildPtrToInt(b, l->ptx->scratch[wl_ptx_strip(l)], l->i64, ""), own, "");
        place = LLVMBuildSelect(b, scratch, own, place, "");
        a->bytes_left = LLVMBuildSelect(b, scratch, wl_lift_int(l, l->i64, INT64_MAX), a->bytes_left, "");
        a->space = WL_PTX_GENERIC;
    }
    a->address = place;
    LLVMValueRef in_range = LLVMBuildICmp(b, LLVMIntSGE, a->bytes_left, wl_lift_int(l, l->i64, first), "");
    a->predicate = LLVMBuildAnd(b, a->predicate, in_range, "");
}
