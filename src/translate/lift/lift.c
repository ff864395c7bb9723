/* The frame of a unit's function: entry and exits, basic blocks, control flow. */
#include "translate/lift/lift.h"
#include "base/assert.h"
#include "translate/lift/forms/loop.h"
#include "translate/lift/frame.h"
#include "translate/lift/inst/inst.h"
#include "translate/lift/memory/memory.h"
#include "translate/lift/memory/record.h"
#include "translate/lift/memory/sanitize.h"
#include "translate/lift/region.h"
#include "translate/lift/state.h"
#include "translate/lift/values.h"

#include "machine/helpers.h"
#include "machine/processor.h"
#include "translate/analysis/strip_loop.h"
#include "translate/analysis/workgroup.h"
#include "translate/lift/marks.h"
#include "translate/unit/turns.h"

#include <llvm-c/DebugInfo.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MANY_RESUME_POINTS = 40 }; /* beyond this, spilling scalars at every exit costs more than keeping them in memory */

/* ---- small tools ---- */

LLVMValueRef wl_lift_int(struct wl_lift *l, LLVMTypeRef type, uint64_t value) {
    if (LLVMGetTypeKind(type) != LLVMVectorTypeKind)
        return LLVMConstInt(type, value, 0);
    LLVMValueRef element = LLVMConstInt(LLVMGetElementType(type), value, 0), elements[64];
    unsigned count = LLVMGetVectorSize(type);
    for (unsigned i = 0; i < count; i++)
        elements[i] = element;
    (void)l;
    return LLVMConstVector(elements, count);
}

LLVMValueRef wl_lift_zeros(struct wl_lift *l, const char *name, LLVMTypeRef type) {
    LLVMValueRef global = LLVMGetNamedGlobal(l->module, name);
    if (!global) {
        global = LLVMAddGlobal(l->module, type, name);
        LLVMSetInitializer(global, LLVMConstNull(type));
        LLVMSetGlobalConstant(global, 1);
        LLVMSetLinkage(global, LLVMInternalLinkage);
    }
    return global;
}

LLVMBasicBlockRef wl_lift_ir_block(struct wl_lift *l, const char *name) {
    l->unit.ir_block_count++;
    return LLVMAppendBasicBlockInContext(l->context, l->function, name);
}

LLVMValueRef wl_lift_alloca(struct wl_lift *l, LLVMTypeRef type, unsigned alignment, const char *name) {
    LLVMBasicBlockRef here = LLVMGetInsertBlock(l->b);
    LLVMMetadataRef location = LLVMGetCurrentDebugLocation2(l->b);
    LLVMPositionBuilderBefore(l->b, LLVMGetFirstInstruction(l->entry));
    LLVMValueRef pointer = LLVMBuildAlloca(l->b, type, name);
    LLVMSetAlignment(pointer, alignment);
    LLVMPositionBuilderAtEnd(l->b, here);
    LLVMSetCurrentDebugLocation2(l->b, location);
    return pointer;
}

void wl_lift_keep_whole(struct wl_lift *l, LLVMValueRef alloca) {
    LLVMSetVolatile(LLVMBuildStore(l->b, alloca, LLVMBuildAlloca(l->b, l->ptr, "")), 1);
}

struct wl_lift_place wl_lift_detour(struct wl_lift *l, LLVMBasicBlockRef ir_block) {
    const struct wl_lift_place here = {LLVMGetInsertBlock(l->b), LLVMGetCurrentDebugLocation2(l->b)};
    LLVMPositionBuilderBefore(l->b, LLVMGetBasicBlockTerminator(ir_block));
    return here;
}

void wl_lift_return(struct wl_lift *l, struct wl_lift_place place) {
    LLVMPositionBuilderAtEnd(l->b, place.ir_block);
    LLVMSetCurrentDebugLocation2(l->b, place.location);
}

LLVMValueRef wl_lift_kept_alloca(struct wl_lift *l, LLVMTypeRef type) {
    LLVMValueRef space = wl_lift_alloca(l, type, 64, "");
    const struct wl_lift_place here = wl_lift_detour(l, l->entry);
    wl_lift_keep_whole(l, space);
    wl_lift_return(l, here);
    return space;
}

void wl_lift_error(struct wl_lift *l, const struct wl_inst *inst, const char *what) {
    if (!l->status)
        l->status = wl_fail(WL_UNSUPPORTED, "%s: instruction %s at offset 0x%llx %s", l->unit.request->name, inst->mnemonic,
                            (unsigned long long)(inst->address - l->unit.request->entry), what);
}

void wl_lift_locate(struct wl_lift *l, const struct wl_inst *inst, unsigned column) {
    LLVMMetadataRef location = NULL;
    if (inst) {
        uint64_t line = inst->address >= l->unit.request->entry ? (inst->address - l->unit.request->entry) / 4 + 1 : 1;
        location = LLVMDIBuilderCreateDebugLocation(l->context, (unsigned)line, column, l->unit.subprogram, NULL);
    }
    LLVMSetCurrentDebugLocation2(l->b, location);
}

/* ---- the wave ---- */

LLVMValueRef wl_lift_wave_pointer(struct wl_lift *l, uint64_t offset) {
    LLVMValueRef index = wl_lift_int(l, l->i64, offset);
    return LLVMBuildGEP2(l->b, l->i8, l->wave, &index, 1, "");
}

LLVMValueRef wl_lift_wave_field(struct wl_lift *l, size_t offset, LLVMTypeRef type) {
    return LLVMBuildLoad2(l->b, type, wl_lift_wave_pointer(l, offset), "");
}

static void set_wave_field(struct wl_lift *l, size_t offset, LLVMValueRef value) {
    LLVMBuildStore(l->b, value, wl_lift_wave_pointer(l, offset));
}

LLVMValueRef wl_lift_row_address(struct wl_lift *l, unsigned row) {
    return wl_lift_wave_pointer(l, offsetof(struct wl_wave, vgpr) + (uint64_t)row * l->wave_size * 4);
}

LLVMValueRef wl_lift_call_helper(struct wl_lift *l, size_t offset, LLVMTypeRef result, LLVMValueRef *arguments, unsigned count) {
    LLVMTypeRef types[16];
    wl_assert(count <= sizeof types / sizeof *types);
    for (unsigned i = 0; i < count; i++)
        types[i] = LLVMTypeOf(arguments[i]);
    if (!l->unit.in_memory)
        for (unsigned i = 0; i < l->wave_size / 32; i++)
            set_wave_field(l, offsetof(struct wl_wave, sgpr) + (WL_SGPR_EXEC + i) * 4, wl_lift_sgpr(l, WL_SGPR_EXEC + i));
    LLVMValueRef table = wl_lift_wave_field(l, offsetof(struct wl_wave, helpers), l->ptr);
    LLVMValueRef index = wl_lift_int(l, l->i64, offset);
    LLVMValueRef function = LLVMBuildLoad2(l->b, l->ptr, LLVMBuildGEP2(l->b, l->i8, table, &index, 1, ""), "");
    return LLVMBuildCall2(l->b, LLVMFunctionType(result, types, count, 0), function, arguments, count, "");
}

void wl_lift_call_on_rows(struct wl_lift *l, size_t offset, LLVMValueRef *arguments, unsigned count) {
    wl_assert(wl_region_is_flushed(l));
    wl_lift_call_helper(l, offset, l->void_type, arguments, count);
}

/* ---- entry and exits ---- */

void wl_lift_move_scalars(struct wl_lift *l, const uint64_t set[2], bool store) {
    if (l->unit.in_memory)
        return;
    for (unsigned reg = 0; reg < WL_SGPR_COUNT; reg++) {
        if (!wl_bit(set, reg) || !l->unit.sgpr[reg])
            continue;
        size_t offset = offsetof(struct wl_wave, sgpr) + reg * 4;
        if (store && wl_bit(l->unit.scalars_written, reg))
            set_wave_field(l, offset, LLVMBuildLoad2(l->b, l->i32, l->unit.sgpr[reg], ""));
        else if (!store)
            LLVMBuildStore(l->b, wl_lift_wave_field(l, offset, l->i32), l->unit.sgpr[reg]);
    }
}

static const uint64_t all_scalars[2] = {UINT64_MAX, UINT64_MAX};

void wl_lift_spill_scalars(struct wl_lift *l) {
    wl_assert(wl_region_is_flushed(l));
    wl_lift_move_scalars(l, all_scalars, true);
}

void wl_lift_reload_scalars(struct wl_lift *l) {
    wl_assert(wl_region_is_flushed(l));
    wl_lift_move_scalars(l, all_scalars, false);
}

void wl_lift_exit(struct wl_lift *l, enum wl_exit why) {
    wl_assert(wl_region_is_flushed(l) && !LLVMGetBasicBlockTerminator(LLVMGetInsertBlock(l->b)));
    wl_denormal_switch(l, false);
    LLVMBuildRet(l->b, wl_lift_int(l, l->i32, why));
}

static void leave_fuel(struct wl_lift *l) {
    if (l->unit.fuel)
        set_wave_field(l, offsetof(struct wl_wave, fuel), LLVMBuildLoad2(l->b, l->i32, l->unit.fuel, ""));
}

/* Takes the wave's fuel into a variable, if the code has loops that spend some. */
static void take_fuel(struct wl_lift *l) {
    bool spends = false;
    for (uint32_t p = 0; p < l->unit.code->block_count; p++)
        spends |= l->unit.code->blocks[p].is_spin_header;
    if (!spends)
        return;
    l->unit.fuel = wl_lift_alloca(l, l->i32, 4, "fuel");
    LLVMBuildStore(l->b, wl_lift_wave_field(l, offsetof(struct wl_wave, fuel), l->i32), l->unit.fuel);
}

/* Marks the stores that end a block behind `from` (NULL: all of them): they are done by exits before the wave's end only. */
static void mark_leaving(struct wl_lift *l, LLVMValueRef from) {
    LLVMBasicBlockRef ir_block = LLVMGetInsertBlock(l->b);
    LLVMValueRef empty = LLVMMetadataAsValue(l->context, LLVMMDNodeInContext2(l->context, NULL, 0));
    for (LLVMValueRef i = from ? LLVMGetNextInstruction(from) : LLVMGetFirstInstruction(ir_block); i; i = LLVMGetNextInstruction(i))
        if (LLVMIsAStoreInst(i))
            LLVMSetMetadata(i, LLVMGetMDKindIDInContext(l->context, WL_LEAVING, strlen(WL_LEAVING)), empty);
}

void wl_lift_end_looks(struct wl_lift *l, uint32_t block) {
    if (!l->unit.code->blocks[block].ends_looks)
        return;
    LLVMValueRef before = LLVMGetLastInstruction(LLVMGetInsertBlock(l->b));
    set_wave_field(l, offsetof(struct wl_wave, moved), wl_lift_int(l, l->i32, 1));
    mark_leaving(l, before); /* a wave may start anew with it */
}

void wl_lift_exit_to_block(struct wl_lift *l, enum wl_exit why, uint32_t block) {
    wl_assert(wl_region_is_flushed(l) && block < l->unit.code->block_count);
    const struct wl_block *to = &l->unit.code->blocks[block];
    const uint32_t number = why == WL_EXIT_UNDEFINED ? l->unit.code->entry_count + block : to->resume;
    wl_assert(why == WL_EXIT_UNDEFINED || number < l->unit.code->resume_count);
    LLVMValueRef before = LLVMGetLastInstruction(LLVMGetInsertBlock(l->b));
    uint64_t live[2] = {to->live_in.scalar[0], to->live_in.scalar[1]};
    wl_set(live, WL_SGPR_EXEC);
    wl_set(live, WL_SGPR_EXEC + 1);
    wl_lift_move_scalars(l, live, true);
    wl_rows_store(l, to);
    if (why == WL_EXIT_MODE || why == WL_EXIT_MESSAGE || why == WL_EXIT_UNDEFINED) /* at others that come back here it is filled up */
        leave_fuel(l);
    set_wave_field(l, offsetof(struct wl_wave, resume), wl_lift_int(l, l->i32, number));
    mark_leaving(l, before);
    wl_lift_exit(l, why);
}

static void exit_to_address(struct wl_lift *l, LLVMValueRef address) {
    wl_lift_spill_scalars(l);
    leave_fuel(l);
    set_wave_field(l, offsetof(struct wl_wave, pc), LLVMBuildSub(l->b, address, l->form->image(l), ""));
    wl_lift_exit(l, WL_EXIT_JUMP);
}

static LLVMValueRef jump_target(struct wl_lift *l, const struct wl_inst *inst) {
    LLVMValueRef value = wl_lift_sgpr64(l, inst->operands[0].reg);
    return inst->isa->detail ? LLVMBuildAdd(l->b, value, wl_lift_next_address(l, inst), "") : value;
}

/* ---- instructions ---- */

static bool reads_lds_direct(const struct wl_inst *inst) {
    for (unsigned i = 0; i < inst->operand_count; i++)
        if (inst->operands[i].kind == WL_OPERAND_SPECIAL && inst->operands[i].reg == WL_SPECIAL_LDS_DIRECT)
            return true;
    return false;
}

static void lift_vector(struct wl_lift *l, const struct wl_inst *inst, const struct wl_effects *effects) {
    if (reads_lds_direct(inst))
        wl_lift_flush(l); /* LDS is read when the item is recorded */
    struct wl_item *item = wl_region_add(l, inst, effects);
    if (!l->region.item_count)
        return; /* out of memory */
    item->paired = inst->paired;
    if (inst->sem) {
        if (!wl_wide_record(l, item))
            wl_valu_record(l, item);
        wl_index_record(l);
    } else if (inst->isa->class == WL_ISA_CMPX) {
        wl_cmpx_record(l, item);
        wl_lift_flush(l);
    } else if (!wl_memory_record(l, item)) {
        l->region.item_count -= l->region.item_count ? 1 : 0;
    }
}

static void lift_plain(struct wl_lift *l, const struct wl_inst *inst, const struct wl_effects *effects) {
    if (l->form->instruction && l->form->instruction(l, inst, effects))
        return;
    if (inst->index_mode) {
        wl_lift_relative(l, inst);
        return;
    }
    if (inst->sem) {
        if (inst->sem->scalar) {
            wl_lift_salu(l, inst);
            wl_memory_ask_ahead(l, inst);
        } else {
            lift_vector(l, inst, effects);
        }
        return;
    }
    switch (inst->isa->class) {
    case WL_ISA_LOAD:
    case WL_ISA_STORE:
    case WL_ISA_ATOMIC:
    case WL_ISA_CMPX:
        lift_vector(l, inst, effects);
        break;
    case WL_ISA_LANE:
        wl_lift_lane(l, inst);
        break;
    case WL_ISA_MOVREL:
        wl_lift_indexed(l, inst);
        break;
    case WL_ISA_MATRIX:
        wl_lift_matrix(l, inst);
        break;
    case WL_ISA_IMAGE:
        wl_lift_image(l, inst);
        break;
    case WL_ISA_TENSOR:
        wl_lift_tensor(l, inst);
        break;
    case WL_ISA_NOP:
        if (inst->fence || wl_isa_caches(inst) & WL_CACHE_EMPTIES || (wl_sanitizes_order(l) && l->region.tells_order))
            wl_lift_flush(l); /* what follows, scalar loads as well, sees what the vector region still has to store */
        if (inst->fence)
            LLVMBuildFence(l->b, LLVMAtomicOrderingSequentiallyConsistent, 0, "");
        break;
    default: /* finish_block does those that steer */
        if (!wl_isa_steers(inst->isa->class) && !wl_lift_scalar(l, inst))
            wl_lift_error(l, inst, "is of a class that is not implemented");
    }
}

void wl_lift_inst(struct wl_lift *l, const struct wl_inst *inst, const struct wl_effects *effects) {
    bool other = wl_rounding_differs(l, inst);
    if (inst->early)
        wl_sanitize_early_use(l, inst);
    if (other)
        wl_rounding_switch(l, true);
    lift_plain(l, inst, effects);
    if (wl_sanitizes_order(l))
        wl_sanitize_fence(l, inst);
    if (other)
        wl_rounding_switch(l, false);
}

/* ---- ends of basic blocks ---- */

static LLVMValueRef condition(struct wl_lift *l, const struct wl_inst *inst) {
    switch (inst->isa->detail) {
    case WL_IF_SCC0:
        return LLVMBuildICmp(l->b, LLVMIntEQ, wl_lift_sgpr(l, WL_SGPR_SCC), LLVMConstNull(l->i32), "");
    case WL_IF_SCC1:
        return LLVMBuildICmp(l->b, LLVMIntNE, wl_lift_sgpr(l, WL_SGPR_SCC), LLVMConstNull(l->i32), "");
    case WL_IF_VCCZ:
        return l->form->test_mask(l, WL_SGPR_VCC, false);
    case WL_IF_VCCNZ:
        return l->form->test_mask(l, WL_SGPR_VCC, true);
    case WL_IF_EXECZ:
        return l->unit.mode == WL_MODE_FULL ? LLVMConstNull(l->i1) : l->form->test_mask(l, WL_SGPR_EXEC, false);
    default:
        return l->unit.mode == WL_MODE_FULL ? LLVMConstAllOnes(l->i1) : l->form->test_mask(l, WL_SGPR_EXEC, true);
    }
}

LLVMBasicBlockRef wl_lift_ir_block_of(struct wl_lift *l, uint32_t block) {
    if (block != WL_NO_BLOCK)
        return l->unit.ir_blocks[block];
    LLVMBasicBlockRef here = LLVMGetInsertBlock(l->b), off = wl_lift_ir_block(l, "off");
    LLVMPositionBuilderAtEnd(l->b, off);
    wl_lift_exit(l, WL_EXIT_ILLEGAL);
    LLVMPositionBuilderAtEnd(l->b, here);
    return off;
}

/* The resource that a GWS instruction names; its operand goes to the wave. */
static LLVMValueRef gws_resource(struct wl_lift *l, const struct wl_inst *inst) {
    if (inst->operand_count && inst->operands[0].kind == WL_OPERAND_VGPR)
        set_wave_field(l, offsetof(struct wl_wave, gws_value), wl_lane_first(l, inst->operands[0].reg));
    LLVMValueRef base = LLVMBuildLShr(l->b, wl_lift_sgpr(l, WL_SGPR_M0), wl_lift_int(l, l->i32, 16), "");
    LLVMValueRef resource = LLVMBuildAdd(l->b, base, wl_lift_int(l, l->i32, (uint32_t)inst->offset0), "");
    return LLVMBuildAnd(l->b, resource, wl_lift_int(l, l->i32, WL_GWS_RESOURCES - 1), "");
}

static void finish_wait(struct wl_lift *l, const struct wl_inst *inst) {
    enum wl_exit why = WL_EXIT_YIELD;
    switch (inst->isa->class) {
    case WL_ISA_BARRIER:
        why = WL_EXIT_BARRIER;
        break;
    case WL_ISA_BARRIER_WAIT:
    case WL_ISA_MESSAGE:
        why = WL_EXIT_MESSAGE;
        break;
    case WL_ISA_TRAP:
    case WL_ISA_HALT:
        why = WL_EXIT_TRAP;
        break;
    default:
        break;
    }
    if (why == WL_EXIT_MESSAGE || why == WL_EXIT_TRAP) {
        uint64_t detail = inst->operand_count ? inst->operands[0].bits & 0xffff : 0;
        if (inst->isa->class == WL_ISA_MESSAGE && inst->isa->detail)
            detail = WL_MESSAGE_GWS | (uint64_t)(inst->isa->detail - 1) << 8;
        if (inst->isa->class == WL_ISA_BARRIER_WAIT)
            detail |= WL_MESSAGE_BARRIER;
        LLVMValueRef value = wl_lift_int(l, l->i32, detail);
        if (detail & WL_MESSAGE_GWS)
            value = LLVMBuildOr(l->b, value, gws_resource(l, inst), "");
        set_wave_field(l, offsetof(struct wl_wave, exit_detail), value);
        set_wave_field(l, offsetof(struct wl_wave, pc), wl_lift_int(l, l->i64, inst->address));
        set_wave_field(l, offsetof(struct wl_wave, sgpr) + WL_SGPR_M0 * 4, wl_lift_sgpr(l, WL_SGPR_M0));
    }
    if (l->unit.block->next == WL_NO_BLOCK)
        wl_lift_exit(l, why);
    else
        wl_lift_exit_to_block(l, why, l->unit.block->next);
}

static void finish_block(struct wl_lift *l) {
    wl_assert(wl_region_is_flushed(l) && !LLVMGetBasicBlockTerminator(LLVMGetInsertBlock(l->b)));
    const struct wl_block *block = l->unit.block;
    const struct wl_inst *last = block->count ? &l->unit.code->insts[block->first + block->count - 1] : NULL;
    if (l->form->finish_block && l->form->finish_block(l))
        return;
    switch (block->end) {
    case WL_BLOCK_NEXT:
        LLVMBuildBr(l->b, wl_lift_ir_block_of(l, block->next));
        break;
    case WL_BLOCK_BRANCH:
        LLVMBuildBr(l->b, wl_lift_ir_block_of(l, block->target));
        break;
    case WL_BLOCK_CBRANCH: {
        LLVMValueRef taken = condition(l, last);
        LLVMBuildCondBr(l->b, taken, wl_lift_ir_block_of(l, block->target), wl_lift_ir_block_of(l, block->next));
        break;
    }
    case WL_BLOCK_EXEC:
        wl_exec_finish(l);
        break;
    case WL_BLOCK_WAIT:
        finish_wait(l, last);
        break;
    case WL_BLOCK_FINISH:
        wl_lift_exit(l, WL_EXIT_END);
        break;
    case WL_BLOCK_FALL_OFF:
        wl_lift_exit(l, WL_EXIT_ILLEGAL);
        break;
    case WL_BLOCK_JUMP:
        exit_to_address(l, jump_target(l, last));
        break;
    case WL_BLOCK_CALL: {
        LLVMValueRef target;
        if (last->isa->class == WL_ISA_SWAPPC) {
            target = wl_lift_sgpr64(l, last->operands[1].reg);
        } else {
            target = LLVMBuildAdd(l->b, l->form->image(l), wl_lift_int(l, l->i64, last->operands[1].bits), "");
        }
        wl_lift_set_sgpr64(l, last->operands[0].reg, wl_lift_next_address(l, last));
        exit_to_address(l, target);
        break;
    }
    }
}

void wl_lift_spend_fuel(struct wl_lift *l, uint32_t block) {
    wl_assert(l->unit.fuel && wl_region_is_flushed(l));
    LLVMBasicBlockRef on = wl_lift_ir_block(l, "on"), empty = wl_lift_ir_block(l, "empty");
    LLVMValueRef spent[] = {LLVMBuildLoad2(l->b, l->i32, l->unit.fuel, ""),
                            wl_lift_int(l, l->i32, wl_block_fuel(&l->unit.code->blocks[block]))};
    LLVMValueRef some = LLVMBuildICmp(l->b, LLVMIntNE, spent[0], LLVMConstNull(l->i32), "");
    wl_memory_mark_likely(l, LLVMBuildCondBr(l->b, some, on, empty));
    LLVMPositionBuilderAtEnd(l->b, empty);
    l->form->yield(l, block);
    LLVMPositionBuilderAtEnd(l->b, on);
    LLVMBuildStore(l->b, wl_lift_intrinsic(l, "llvm.usub.sat", &l->i32, 1, spent, 2), l->unit.fuel);
}

bool wl_lift_liveness(struct wl_lift *l, struct wl_effects *effects) {
    const struct wl_block *block = l->unit.block;
    struct wl_live *live = realloc(l->unit.live_after, (block->count + 1) * sizeof *live);
    if (!live) {
        l->status = wl_fail(WL_OUT_OF_MEMORY, "no memory for liveness");
        return false;
    }
    l->unit.live_after = live;
    struct wl_live now = block->live_out;
    for (uint32_t i = block->count; i-- > 0;) {
        live[i] = now;
        wl_inst_effects(&l->unit.code->insts[block->first + i], l->wave_size, &effects[i]);
        wl_live_step(&now, &effects[i]);
    }
    return true;
}

static void forget_descriptor(struct wl_lift *l, const struct wl_effects *effects) {
    for (unsigned i = 0; i < 4; i++)
        if (l->unit.descriptor.reg + i < WL_SGPR_COUNT && wl_bit(effects->touch.scalar, l->unit.descriptor.reg + i))
            l->unit.descriptor.base = NULL;
}

/* i64: EXEC. */
static LLVMValueRef active_lanes(struct wl_lift *l) {
    LLVMValueRef all = wl_lift_int(l, l->wave_mask, UINT64_MAX);
    return LLVMBuildZExt(l->b, l->unit.mode == WL_MODE_FULL ? all : wl_lift_exec(l), l->i64, "");
}

bool wl_lift_body(struct wl_lift *l, uint32_t p, struct wl_facts *facts) {
    wl_assert(p < l->unit.code->block_count && wl_region_is_flushed(l));
    const struct wl_block *block = l->unit.block = &l->unit.code->blocks[p];
    struct wl_effects *effects = calloc(block->count + 1, sizeof *effects);
    if (!effects || !wl_lift_liveness(l, effects)) {
        free(effects);
        l->status = WL_OUT_OF_MEMORY;
        return false;
    }
    l->unit.effects = effects;
    l->unit.descriptor.base = NULL;
    l->unit.matrices_done = 0;
    l->unit.facts = l->unit.affine ? facts : NULL;
    if (wl_counts(l))
        wl_sanitize_count(l, p, active_lanes(l));
    if (wl_follows_values(l))
        wl_sanitize_piece(l, p, active_lanes(l));
    if (l->unit.affine)
        wl_affine_start(l->unit.affine, p, l->unit.mode, facts);
    for (uint32_t i = 0; i < block->count && !l->status; i++) {
        const struct wl_inst *inst = &l->unit.code->insts[block->first + i];
        l->unit.at = i;
        l->unit.matrices_done >>= 1;
        wl_lift_inst(l, inst, &effects[i]);
        forget_descriptor(l, &effects[i]);
        if (l->form->step)
            l->form->step(l, inst, &effects[i]);
        if (l->unit.affine)
            wl_affine_step(facts, l->unit.code, inst, l->unit.mode);
    }
    if (l->status)
        l->region.item_count = 0;
    wl_lift_flush(l);
    l->unit.effects = NULL;
    free(effects);
    return true;
}

void wl_lift_block(struct wl_lift *l, uint32_t p) {
    wl_assert(l->unit.ir_blocks[p] && !LLVMGetBasicBlockTerminator(l->unit.ir_blocks[p]));
    struct wl_facts facts;
    LLVMPositionBuilderAtEnd(l->b, l->unit.ir_blocks[p]);
    l->form->begin_block(l, p);
    if (wl_lift_body(l, p, &facts))
        finish_block(l);
    l->unit.facts = NULL;
}

void wl_lift_block_or_loop(struct wl_lift *l, uint32_t block) {
    const struct wl_strip_loop *loop = l->unit.in_memory ? NULL : wl_strip_loop_at(l->unit.code, block);
    if (loop)
        wl_lift_strip_loop(l, loop);
    else
        wl_lift_block(l, block);
}

static void build_entry(struct wl_lift *l) {
    l->entry = wl_lift_ir_block(l, "entry");
    LLVMPositionBuilderAtEnd(l->b, l->entry);
    LLVMValueRef resume = wl_lift_wave_field(l, offsetof(struct wl_wave, resume), l->i32);
    for (unsigned reg = 0; reg < WL_SGPR_COUNT; reg++)
        if (wl_bit(l->unit.scalars_used, reg))
            l->unit.sgpr[reg] =
                l->unit.in_memory ? wl_lift_wave_pointer(l, offsetof(struct wl_wave, sgpr) + reg * 4) : wl_lift_alloca(l, l->i32, 4, "s");
    wl_rows_create(l);
    LLVMPositionBuilderAtEnd(l->b, l->entry);
    take_fuel(l);
    wl_denormal_switch(l, true);
    l->form->enter(l, resume);
}

/* ---- the unit ---- */

void wl_lift_make_types(struct wl_lift *l) {
    LLVMContextRef c = l->context;
    l->i1 = LLVMInt1TypeInContext(c);
    l->i8 = LLVMInt8TypeInContext(c);
    l->i16 = LLVMInt16TypeInContext(c);
    l->i32 = LLVMInt32TypeInContext(c);
    l->i64 = LLVMInt64TypeInContext(c);
    l->i128 = LLVMInt128TypeInContext(c);
    l->f16 = LLVMHalfTypeInContext(c);
    l->bf16 = LLVMBFloatTypeInContext(c);
    l->f32 = LLVMFloatTypeInContext(c);
    l->f64 = LLVMDoubleTypeInContext(c);
    l->ptr = LLVMPointerTypeInContext(c, 0);
    l->void_type = LLVMVoidTypeInContext(c);
    l->mask_type = l->wave_mask = l->wave_size == 64 ? l->i64 : l->i32;
    l->strip_i1 = LLVMVectorType(l->i1, l->lanes);
    l->strip_i8 = LLVMVectorType(l->i8, l->lanes);
    l->strip_i16 = LLVMVectorType(l->i16, l->lanes);
    l->strip_i32 = LLVMVectorType(l->i32, l->lanes);
    l->strip_i64 = LLVMVectorType(l->i64, l->lanes);
    l->strip_f16 = LLVMVectorType(l->f16, l->lanes);
    l->strip_f32 = LLVMVectorType(l->f32, l->lanes);
    l->strip_f64 = LLVMVectorType(l->f64, l->lanes);
}

static void add_attribute(struct wl_lift *l, const char *name, const char *value) {
    LLVMAttributeRef attribute = LLVMCreateStringAttribute(l->context, name, (unsigned)strlen(name), value, (unsigned)strlen(value));
    LLVMAddAttributeAtIndex(l->function, LLVMAttributeFunctionIndex, attribute);
}

/* "line" n of "file" unit stands for the n-th dword of the unit's code: see wl_lift_locate. */
static LLVMDIBuilderRef add_debug_info(struct wl_lift *l) {
    LLVMDIBuilderRef di = LLVMCreateDIBuilder(l->module);
    LLVMMetadataRef file = LLVMDIBuilderCreateFile(di, "unit", 4, "", 0);
    LLVMDIBuilderCreateCompileUnit(di, LLVMDWARFSourceLanguageC, file, "wavelift", 8, 0, "", 0, 0, "", 0, LLVMDWARFEmissionLineTablesOnly,
                                   0, 0, 0, "", 0, "", 0);
    LLVMMetadataRef type = LLVMDIBuilderCreateSubroutineType(di, file, NULL, 0, LLVMDIFlagZero);
    l->unit.subprogram = LLVMDIBuilderCreateFunction(di, file, "wl_unit", 7, "wl_unit", 7, file, 1, type, 0, 1, 1, LLVMDIFlagZero, 1);
    LLVMSetSubprogram(l->function, l->unit.subprogram);
    LLVMMetadataRef version = LLVMValueAsMetadata(LLVMConstInt(l->i32, LLVMDebugMetadataVersion(), 0));
    LLVMAddModuleFlag(l->module, LLVMModuleFlagBehaviorWarning, "Debug Info Version", 18, version);
    return di;
}

static bool may_workgroup_mode(const struct wl_lift *l) {
    struct wl_workgroup *workgroup = l->unit.mode == WL_MODE_FULL ? wl_workgroup_find(l->unit.code) : NULL;
    wl_workgroup_destroy(workgroup);
    return workgroup;
}

static void add_info(struct wl_lift *l) {
    const struct wl_unit *unit = l->unit.code;
    LLVMValueRef *points = calloc(unit->resume_count, sizeof *points);
    if (!points) {
        l->status = wl_fail(WL_OUT_OF_MEMORY, "no memory for resume points");
        return;
    }
    for (uint32_t p = 0; p < unit->block_count; p++) {
        const struct wl_block *block = &unit->blocks[p];
        if (block->resume == UINT32_MAX)
            continue;
        uint64_t address = block->count ? unit->insts[block->first].address : 0;
        LLVMValueRef fields[] = {wl_lift_int(l, l->i64, address), wl_lift_int(l, l->i32, block->is_return),
                                 wl_lift_int(l, l->i32, (uint32_t)wl_first_wave_leads(unit, p) | (uint32_t)block->only_looks << 16)};
        wl_assert(block->resume < unit->resume_count && !points[block->resume]);
        points[block->resume] = LLVMConstStructInContext(l->context, fields, 3, 0);
    }
    LLVMValueRef array = LLVMConstArray2(LLVMTypeOf(points[0]), points, unit->resume_count);
    LLVMValueRef fields[] = {wl_lift_int(l, l->i32, WL_WAVE_ABI),
                             wl_lift_int(l, l->i32, unit->rows),
                             wl_lift_int(l, l->i32, unit->inst_count),
                             wl_lift_int(l, l->i32, unit->resume_count),
                             wl_lift_int(l, l->i32, wl_unit_waiting(unit)),
                             wl_lift_int(l, l->i32, l->unit.keeps_wave), /* of waves: known when the module is optimized */
                             wl_lift_int(l, l->i32, may_workgroup_mode(l)),
                             LLVMConstNull(l->i32),
                             array};
    LLVMValueRef info = LLVMConstStructInContext(l->context, fields, 9, 0);
    LLVMValueRef global = LLVMAddGlobal(l->module, LLVMTypeOf(info), "wl_unit_info");
    LLVMSetInitializer(global, info);
    LLVMSetGlobalConstant(global, 1);
    LLVMSetAlignment(global, 8);
    free(points);
}

static void find_scalars(struct wl_lift *l) {
    struct wl_effects effects;
    for (uint32_t i = 0; i < l->unit.code->inst_count; i++) {
        wl_inst_effects(&l->unit.code->insts[i], l->wave_size, &effects);
        for (unsigned w = 0; w < 2; w++) {
            l->unit.scalars_used[w] |= effects.use.scalar[w] | effects.touch.scalar[w];
            l->unit.scalars_written[w] |= effects.touch.scalar[w];
        }
    }
    static const unsigned always[] = {WL_SGPR_EXEC, WL_SGPR_EXEC + 1, WL_SGPR_M0, WL_SGPR_VCC, WL_SGPR_VCC + 1, WL_SGPR_SCC};
    for (unsigned i = 0; i < sizeof always / sizeof *always; i++)
        wl_set(l->unit.scalars_used, always[i]);
}

enum wl_status wl_lift_unit(const struct wl_unit *unit, const struct wl_affine *affine, enum wl_lift_size size, LLVMModuleRef module) {
    const struct wl_translate_request *request = unit->request;
    LLVMContextRef context = LLVMGetModuleContext(module);
    struct wl_lift *l = calloc(1, sizeof *l);
    if (!l)
        return wl_fail(WL_OUT_OF_MEMORY, "no memory for the lifter");
    l->unit = (struct wl_lift_unit){.request = request, .code = unit, .affine = affine, .mode = request->mode};
    l->unit.unoptimized = wl_unit_is_unoptimized(unit);
    l->wave_size = request->wave_size;
    l->context = context;
    l->strips = l->wave_size / WL_STRIP;
    l->unit.all_strips = l->strips;
    l->unit.unrolls = size == WL_LIFT_UNROLLED;
    l->unit.compact = size == WL_LIFT_COMPACT;
    l->lanes = l->strip_lanes = WL_STRIP;
    l->form = request->mode == WL_MODE_WORKGROUP ? &wl_workgroup_form : &wl_wave_form;
    l->generation = wl_processor_generation(request->processor);
    l->has_avx512 = request->features && strstr(request->features, "+avx512f") && strstr(request->features, "+avx512vl") &&
                    strstr(request->features, "+avx512dq") && strstr(request->features, "+avx512bw");
    l->has_masks = l->has_avx512 || (request->features && strstr(request->features, "+avx2"));
    l->unit.in_memory = unit->resume_count > MANY_RESUME_POINTS && request->mode != WL_MODE_WORKGROUP;
    l->unit.splits_denormals = wl_denormal_split(unit);
    l->unit.splits_rounding = wl_rounding_split(unit);
    wl_lift_make_types(l);
    l->module = module;
    l->b = LLVMCreateBuilderInContext(context);
    l->function = LLVMAddFunction(l->module, "wl_unit", LLVMFunctionType(l->i32, &l->ptr, 1, 0));
    l->wave = LLVMGetParam(l->function, 0);
    unsigned no_alias = LLVMGetEnumAttributeKindForName("noalias", 7), no_unwind = LLVMGetEnumAttributeKindForName("nounwind", 8);
    LLVMAddAttributeAtIndex(l->function, 1, LLVMCreateEnumAttribute(context, no_alias, 0));
    LLVMAddAttributeAtIndex(l->function, LLVMAttributeFunctionIndex, LLVMCreateEnumAttribute(context, no_unwind, 0));
    add_attribute(l, "target-cpu", request->cpu);
    add_attribute(l, "target-features", request->features);
    add_attribute(l, "prefer-vector-width", "512");
    add_attribute(l, "min-legal-vector-width", "512");
    add_attribute(l, "no-builtins", "");
    add_attribute(l, "stackrealign", ""); /* spilled strips would cross cache lines */
    LLVMDIBuilderRef di = add_debug_info(l);
    find_scalars(l);
    l->unit.ir_blocks = calloc(unit->block_count + 1, sizeof(LLVMBasicBlockRef));
    l->region.strip_states = calloc(WL_STRIPS_ABREAST, sizeof *l->region.strip_states);
    if (!l->unit.ir_blocks || !l->region.strip_states) {
        l->status = wl_fail(WL_OUT_OF_MEMORY, "no memory for blocks and strips");
    } else if (l->form->create(l)) {
        build_entry(l);
        LLVMMoveBasicBlockBefore(l->entry, LLVMGetFirstBasicBlock(l->function));
        l->form->lift_blocks(l);
        add_info(l);
    } else if (!l->status) {
        l->status = wl_fail(WL_OUT_OF_MEMORY, "no memory for basic blocks");
    }
    if (l->form->release)
        l->form->release(l);
    LLVMDIBuilderFinalize(di);
    LLVMDisposeDIBuilder(di);
    enum wl_status status = l->status;
    LLVMDisposeBuilder(l->b);
    free(l->unit.ir_blocks);
    free(l->region.strip_states);
    free(l->unit.row_slots);
    free(l->region.items);
    free(l->unit.live_after);
    free(l);
    return status;
}
