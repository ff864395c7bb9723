/* The frame of a kernel: initial state, basic blocks of all units, control flow. */
#include "translate/nvptx/ptx.h"

#include "machine/image_instruction.h"
#include "machine/processor.h"
#include "translate/lift/frame.h"
#include "translate/lift/values.h"
#include "translate/nvptx/analysis.h"
#include "translate/nvptx/inst.h"
#include "translate/nvptx/memory.h"
#include "translate/nvptx/passes.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- initial state ---- */

static LLVMValueRef special_register(struct wl_lift *l, const char *name) {
    char intrinsic[64] = "llvm.nvvm.read.ptx.sreg.";
    strcat(intrinsic, name);
    return wl_lift_intrinsic(l, intrinsic, NULL, 0, NULL, 0);
}

static void make_registers(struct wl_lift *l) {
    struct wl_ptx *p = l->ptx;
    for (unsigned reg = 0; reg < WL_SGPR_COUNT; reg++) {
        l->unit.sgpr[reg] = LLVMBuildAlloca(l->b, l->i32, "s");
        p->predicate[reg] = LLVMBuildAlloca(l->b, l->i1, "p");
    }
    for (unsigned s = 0; s < l->strips; s++)
        for (unsigned row = 0; row < WL_VGPR_COUNT; row++)
            p->row[s][row] = LLVMBuildAlloca(l->b, l->strip_i32, "v");
    for (unsigned s = 0; s < l->strips && p->request->scratch_size; s++) {
        p->scratch[s] = LLVMBuildAlloca(l->b, LLVMArrayType2(l->i8, p->request->scratch_size), WL_PTX_SCRATCH);
        LLVMSetAlignment(p->scratch[s], WL_PTX_SCRATCH_ALIGNMENT);
    }
    p->target = LLVMBuildAlloca(l->b, l->i64, "target");
    p->mode = LLVMBuildAlloca(l->b, l->i32, "mode");
    LLVMBuildStore(l->b, wl_lift_int(l, l->i32, p->request->float_mode), p->mode);
}

static void set64(struct wl_lift *l, int reg, LLVMValueRef value) {
    if (reg >= 0)
        wl_lift_set_sgpr64(l, (unsigned)reg, value);
}

static void set32(struct wl_lift *l, int reg, LLVMValueRef value) {
    if (reg >= 0)
        wl_lift_set_sgpr(l, (unsigned)reg, value);
}

/* The private segment's buffer descriptor, as device/cpu/abi.c makes it, with the base 0. */
static void set_private_buffer(struct wl_lift *l, int reg) {
    uint32_t words[4] = {0, UINT32_C(1) << 31, UINT32_MAX, (l->wave_size == 64 ? 3u : 2u) << 21 | UINT32_C(1) << 23};
    if (l->generation >= 10)
        words[3] |= UINT32_C(1) << 24 | UINT32_C(3) << 28 | UINT32_C(22) << 12;
    for (int i = 0; i < 4; i++)
        set32(l, reg < 0 ? -1 : reg + i, wl_lift_int(l, l->i32, words[i]));
}

static void preload_arguments(struct wl_lift *l) {
    const struct wl_ptx_registers *r = &l->ptx->request->registers;
    for (uint32_t i = 0; r->preload >= 0 && i < r->preload_length && (unsigned)r->preload + i < WL_SGPR_FLAT_SCRATCH; i++) {
        LLVMValueRef index = wl_lift_int(l, l->i64, 4 * ((uint64_t)r->preload_offset + i));
        if (4 * ((uint64_t)r->preload_offset + i + 1) > l->ptx->info->kernarg_size)
            break;
        LLVMValueRef place = LLVMBuildGEP2(l->b, l->i8, l->ptx->kernarg, &index, 1, "");
        set32(l, r->preload + (int)i, LLVMBuildLoad2(l->b, l->i32, place, ""));
    }
}

static LLVMValueRef marker64(struct wl_lift *l, const char *name) { return wl_ptx_marker(l, name, l->i64, NULL, 0, true); }

static void set_scalars(struct wl_lift *l, const LLVMValueRef group[3], LLVMValueRef wave) {
    const struct wl_ptx_registers *r = &l->ptx->request->registers;
    set_private_buffer(l, r->private_buffer);
    set64(l, r->dispatch_ptr, r->dispatch_ptr < 0 ? NULL : marker64(l, "wl.packet"));
    set64(l, r->queue_ptr, r->queue_ptr < 0 ? NULL : marker64(l, "wl.queue"));
    set64(l, r->kernarg_ptr, r->kernarg_ptr < 0 ? NULL : marker64(l, "wl.kernarg"));
    set64(l, r->dispatch_id, LLVMConstNull(l->i64));
    set64(l, r->flat_scratch, LLVMConstNull(l->i64));
    set32(l, r->private_size, wl_lift_int(l, l->i32, l->ptx->request->scratch_size));
    preload_arguments(l);
    set32(l, r->group_x, group[0]);
    set32(l, r->group_y, group[1]);
    set32(l, r->group_z, group[2]);
    set32(l, r->group_info, LLVMConstNull(l->i32));
    set32(l, r->wave_offset, LLVMConstNull(l->i32));
    if (r->ttmp_groups) {
        LLVMValueRef low = LLVMBuildAnd(l->b, group[1], wl_lift_int(l, l->i32, 0xffff), "");
        LLVMValueRef high = LLVMBuildShl(l->b, group[2], wl_lift_int(l, l->i32, 16), "");
        set32(l, WL_SGPR_TTMP + 9, group[0]);
        set32(l, WL_SGPR_TTMP + 7, LLVMBuildOr(l->b, low, high, ""));
        set32(l, WL_SGPR_TTMP + 8, LLVMBuildShl(l->b, wave, wl_lift_int(l, l->i32, 25), ""));
    }
}

/* Work items of this workgroup in each dimension. */
static void find_size(struct wl_lift *l, const LLVMValueRef group[3], LLVMValueRef size[3]) {
    static const char *const grids[] = {"nctaid.x", "nctaid.y", "nctaid.z"};
    const struct wl_ptx_request *request = l->ptx->request;
    for (unsigned d = 0; d < 3; d++) {
        size[d] = request->block[0] ? wl_lift_int(l, l->i32, request->block[d])
                                    : wl_ptx_launch_field(l, offsetof(struct wl_ptx_launch, block) + 4 * d, l->i32);
        if (!request->partial_groups)
            continue;
        LLVMValueRef rest = wl_ptx_launch_field(l, offsetof(struct wl_ptx_launch, remainder) + 4 * d, l->i32);
        LLVMValueRef last = LLVMBuildSub(l->b, special_register(l, grids[d]), wl_lift_int(l, l->i32, 1), "");
        LLVMValueRef partial = LLVMBuildAnd(l->b, LLVMBuildICmp(l->b, LLVMIntEQ, group[d], last, ""),
                                            LLVMBuildICmp(l->b, LLVMIntNE, rest, LLVMConstNull(l->i32), ""), "");
        size[d] = LLVMBuildSelect(l->b, partial, rest, size[d], "");
    }
}

static bool is_true(LLVMValueRef value) { return LLVMIsAConstantInt(value) && !LLVMIsNull(value); }
static bool is_one(LLVMValueRef value) { return LLVMIsConstant(value) && LLVMConstIntGetZExtValue(value) == 1; }

/* number % size, where quotient is number / size. */
static LLVMValueRef rest_of(struct wl_lift *l, LLVMValueRef number, LLVMValueRef quotient, LLVMValueRef size) {
    if (LLVMIsConstant(size)) /* as such, because its range is known then */
        return LLVMBuildURem(l->b, number, size, "");
    return LLVMBuildSub(l->b, number, LLVMBuildMul(l->b, quotient, size, ""), "");
}

/* The strip's work item ids, and whether the lane has one. */
static LLVMValueRef set_ids(struct wl_lift *l, LLVMValueRef item, const LLVMValueRef size[3]) {
    const struct wl_ptx_registers *r = &l->ptx->request->registers;
    LLVMBuilderRef b = l->b;
    LLVMValueRef id[3] = {item, LLVMConstNull(l->i32), LLVMConstNull(l->i32)};
    bool flat = is_one(size[1]) && is_one(size[2]), plane = is_one(size[2]);
    if (!flat) {
        LLVMValueRef line = LLVMBuildUDiv(b, item, size[0], "");
        id[0] = rest_of(l, item, line, size[0]);
        id[2] = plane ? LLVMConstNull(l->i32) : LLVMBuildUDiv(b, line, size[1], "");
        id[1] = plane ? line : rest_of(l, line, id[2], size[1]);
    }
    LLVMValueRef count = LLVMBuildMul(b, LLVMBuildMul(b, size[0], size[1], ""), size[2], "");
    LLVMValueRef real = LLVMBuildICmp(b, LLVMIntULT, item, count, "");
    if (LLVMIsConstant(count) && LLVMConstIntGetZExtValue(count) % l->wave_size == 0)
        real = LLVMConstInt(l->i1, 1, 0);
    unsigned strip = wl_ptx_strip(l);
    if (r->packed_ids) {
        LLVMValueRef y = LLVMBuildShl(b, id[1], wl_lift_int(l, l->i32, 10), ""), z = LLVMBuildShl(b, id[2], wl_lift_int(l, l->i32, 20), "");
        LLVMValueRef all = LLVMBuildOr(b, LLVMBuildOr(b, id[0], y, ""), z, "");
        LLVMBuildStore(b, wl_ptx_vector(l, all), l->ptx->row[strip][0]);
    } else {
        for (unsigned d = 0; d < r->id_rows && d < 3; d++)
            LLVMBuildStore(b, wl_ptx_vector(l, id[d]), l->ptx->row[strip][d]);
    }
    return real;
}

/* Sets EXEC to the value that it had at the kernel's entry. */
static void restore_exec(struct wl_lift *l) {
    for (unsigned s = 0; s < l->strips; s++) {
        wl_ptx_set_ballot(l, WL_SGPR_EXEC + s, l->ptx->entry_exec[s]);
        wl_ptx_set_predicate(l, WL_SGPR_EXEC + s, l->ptx->entry_exec[s]);
    }
}

/* The thread's number within the block. */
static LLVMValueRef thread_number(struct wl_lift *l) {
    LLVMValueRef thread = special_register(l, "tid.x");
    LLVMMetadataRef bounds[2] = {LLVMValueAsMetadata(LLVMConstNull(l->i32)),
                                 LLVMValueAsMetadata(wl_lift_int(l, l->i32, l->ptx->info->max_threads))};
    LLVMSetMetadata(thread, LLVMGetMDKindIDInContext(l->context, "range", 5),
                    LLVMMetadataAsValue(l->context, LLVMMDNodeInContext2(l->context, bounds, 2)));
    return thread;
}

/* value % 2^bits */
static LLVMValueRef below(struct wl_lift *l, LLVMValueRef value, unsigned bits) {
    return LLVMBuildAnd(l->b, value, wl_lift_int(l, l->i32, (UINT64_C(1) << bits) - 1), "");
}

static void build_entry(struct wl_lift *l) {
    struct wl_ptx *p = l->ptx;
    l->entry = wl_lift_ir_block(l, "entry");
    LLVMPositionBuilderAtEnd(l->b, l->entry);
    make_registers(l);
    LLVMValueRef thread = thread_number(l);
    unsigned bits = p->lane_per_thread ? 6 : 5;
    p->lane = below(l, thread, bits);
    LLVMValueRef wave = LLVMBuildLShr(l->b, thread, wl_lift_int(l, l->i32, bits), "");
    p->image = wl_ptx_launch_field(l, offsetof(struct wl_ptx_launch, image), l->i64);
    LLVMValueRef group[3] = {special_register(l, "ctaid.x"), special_register(l, "ctaid.y"), special_register(l, "ctaid.z")}, size[3];
    set_scalars(l, group, wave);
    find_size(l, group, size);
    LLVMValueRef first = l->strips == 1 ? thread : LLVMBuildAdd(l->b, p->lane, LLVMBuildShl(l->b, wave, wl_lift_int(l, l->i32, 6), ""), "");
    LLVMValueRef some = NULL;
    for (unsigned s = 0; s < l->strips; s++) {
        wl_ptx_enter_strip(l, s);
        LLVMValueRef real = set_ids(l, LLVMBuildAdd(l->b, first, wl_lift_int(l, l->i32, 32 * s), ""), size);
        p->entry_exec[s] = real;
        some = some ? LLVMBuildOr(l->b, some, real, "") : real;
    }
    if (p->lane_per_thread && !LLVMIsConstant(some)) { /* threads without a work item are not needed */
        LLVMBasicBlockRef none = wl_lift_ir_block(l, "none"), there = wl_lift_ir_block(l, "there");
        LLVMBuildCondBr(l->b, some, there, none);
        LLVMPositionBuilderAtEnd(l->b, none);
        LLVMBuildRetVoid(l->b);
        LLVMPositionBuilderAtEnd(l->b, there);
        p->entry_exec[0] = LLVMConstInt(l->i1, 1, 0);
    }
    restore_exec(l);
    if (l->wave_size == 32)
        wl_lift_set_sgpr(l, WL_SGPR_EXEC + 1, LLVMConstNull(l->i32));
    if (!p->request->partial_groups || p->lane_per_thread) {
        LLVMBuildBr(l->b, p->ir_blocks[0][p->units[0].entry]);
        return;
    }
    /* A partial workgroup may have no work item for a wave. */
    LLVMBasicBlockRef none = wl_lift_ir_block(l, "none");
    LLVMBuildCondBr(l->b, wl_ptx_vote_any(l, some), p->ir_blocks[0][p->units[0].entry], none);
    LLVMPositionBuilderAtEnd(l->b, none);
    LLVMBuildRetVoid(l->b);
}

/* ---- ends of basic blocks ---- */

static void trap(struct wl_lift *l) {
    wl_lift_intrinsic(l, "llvm.trap", NULL, 0, NULL, 0);
    LLVMBuildUnreachable(l->b);
}

static LLVMBasicBlockRef block_of(struct wl_lift *l, uint32_t block) {
    if (block != WL_NO_BLOCK)
        return l->unit.ir_blocks[block];
    LLVMBasicBlockRef here = LLVMGetInsertBlock(l->b), off = wl_lift_ir_block(l, "off");
    LLVMPositionBuilderAtEnd(l->b, off);
    trap(l);
    LLVMPositionBuilderAtEnd(l->b, here);
    return off;
}

/* The address, as it is or as the switch over known places of all units. */
static void jump(struct wl_lift *l, LLVMValueRef address) {
    struct wl_ptx *p = l->ptx;
    LLVMBuildStore(l->b, LLVMBuildSub(l->b, address, p->image, ""), p->target);
    LLVMBuildBr(l->b, p->dispatch);
}

/* A call whose target is known at this place goes there. Functions are made for the rounding that kernels start with. */
static void call(struct wl_lift *l, const struct wl_inst *inst) {
    struct wl_ptx *p = l->ptx;
    if (p->rounding != (p->request->float_mode & 15))
        wl_ptx_unsupported(l, inst);
    bool by_register = inst->isa->class == WL_ISA_SWAPPC;
    LLVMValueRef target = by_register ? wl_lift_sgpr64(l, inst->operands[1].reg) : NULL;
    wl_lift_set_sgpr64(l, inst->operands[0].reg, wl_lift_next_address(l, inst));
    for (unsigned u = 0; u < p->unit_count && !by_register; u++)
        if (p->units[u].blocks[p->units[u].entry].count &&
            p->units[u].insts[p->units[u].blocks[p->units[u].entry].first].address == inst->operands[1].bits) {
            LLVMBuildBr(l->b, p->ir_blocks[u][p->units[u].entry]);
            return;
        }
    if (!by_register)
        target = LLVMBuildAdd(l->b, p->image, wl_lift_int(l, l->i64, inst->operands[1].bits), "");
    jump(l, target);
}

static void wait(struct wl_lift *l, const struct wl_inst *inst) {
    LLVMValueRef number = LLVMConstNull(l->i32);
    switch (inst->isa->class) {
    case WL_ISA_BARRIER:
        wl_lift_intrinsic(l, WL_PTX_BARRIER, NULL, 0, &number, WL_PTX_BARRIER_NUMBERS);
        l->ptx->release = false;
        break;
    case WL_ISA_SLEEP:
        wl_ptx_asm(l, "nanosleep.u32 100;", "~{memory}", l->void_type, NULL, 0, true);
        break;
    case WL_ISA_MESSAGE: {
        enum { INTERRUPT = 1, DEALLOCATE_VGPRS = 3 };
        uint64_t message = inst->operand_count ? inst->operands[0].bits & 0xffff : 0;
        if (inst->isa->detail)
            wl_ptx_lift_gws(l, inst);
        else if (message != INTERRUPT && message != DEALLOCATE_VGPRS)
            wl_ptx_unsupported(l, inst);
        else if (message == INTERRUPT) /* a hostcall is ready; the host looks for it by itself */
            wl_ptx_asm(l, "fence.acq_rel.sys;", "~{memory}", l->void_type, NULL, 0, true);
        break;
    }
    case WL_ISA_BARRIER_WAIT:
        wl_ptx_unsupported(l, inst);
        break;
    case WL_ISA_NOP: /* the end of a turn: its waves run side by side as they are */
        break;
    default:
        trap(l);
        return;
    }
    if (l->unit.block->next == WL_NO_BLOCK)
        trap(l);
    else
        LLVMBuildBr(l->b, l->unit.ir_blocks[l->unit.block->next]);
}

static void finish_block(struct wl_lift *l) {
    const struct wl_block *block = l->unit.block;
    const struct wl_inst *last = block->count ? &l->unit.code->insts[block->first + block->count - 1] : NULL;
    if (block->end != WL_BLOCK_WAIT || last->isa->class != WL_ISA_BARRIER)
        wl_ptx_publish(l);
    switch (block->end) {
    case WL_BLOCK_NEXT:
    case WL_BLOCK_EXEC:
        LLVMBuildBr(l->b, block_of(l, block->next));
        break;
    case WL_BLOCK_BRANCH:
        LLVMBuildBr(l->b, block_of(l, block->target));
        break;
    case WL_BLOCK_CBRANCH: {
        LLVMValueRef taken = wl_ptx_condition(l, last);
        LLVMBuildCondBr(l->b, taken, block_of(l, block->target), block_of(l, block->next));
        break;
    }
    case WL_BLOCK_WAIT:
        wait(l, last);
        break;
    case WL_BLOCK_FINISH:
        LLVMBuildRetVoid(l->b);
        break;
    case WL_BLOCK_FALL_OFF:
        trap(l);
        break;
    case WL_BLOCK_JUMP:
        if (last->isa->detail)
            wl_ptx_unsupported(l, last); /* gfx1250 */
        jump(l, wl_lift_sgpr64(l, last->operands[0].reg));
        break;
    case WL_BLOCK_CALL:
        call(l, last);
        break;
    }
}

/* ---- instructions ---- */

static void set_scalar_result(struct wl_lift *l, const struct wl_inst *inst, LLVMValueRef value) {
    if (inst->operands[0].count == 2)
        wl_lift_set_sgpr64(l, inst->operands[0].reg, value);
    else
        wl_lift_set_sgpr(l, inst->operands[0].reg, LLVMBuildTrunc(l->b, value, l->i32, ""));
}

static void read_time(struct wl_lift *l, const struct wl_inst *inst) {
    bool real = !strcmp(inst->mnemonic, "s_memrealtime");
    if (!strcmp(inst->mnemonic, "s_get_waveid_in_workgroup")) {
        LLVMValueRef thread = special_register(l, "tid.x");
        set_scalar_result(l, inst, LLVMBuildZExt(l->b, LLVMBuildLShr(l->b, thread, wl_lift_int(l, l->i32, 5), ""), l->i64, ""));
        return;
    }
    LLVMValueRef value = wl_ptx_asm(l, real ? "mov.u64 $0, %globaltimer;" : "mov.u64 $0, %clock64;", "=l,~{memory}", l->i64, NULL, 0, true);
    if (real) /* nanoseconds; the counter has 100 MHz */
        value = LLVMBuildUDiv(l->b, value, wl_lift_int(l, l->i64, 10), "");
    value = wl_ptx_marker(l, "wl.first64", l->i64, &value, 1, false);
    set_scalar_result(l, inst, value);
}

/* s_sendmsg_rtn: the time; 0 for what has no meaning here, the doorbell's number among it. */
static void message_return(struct wl_lift *l, const struct wl_inst *inst) {
    enum { GET_REALTIME = 0x83 };
    LLVMValueRef value = LLVMConstNull(l->i64);
    if ((inst->operands[1].bits & 0xff) == GET_REALTIME) {
        value = wl_ptx_asm(l, "mov.u64 $0, %globaltimer;", "=l,~{memory}", l->i64, NULL, 0, true);
        value = LLVMBuildUDiv(l->b, value, wl_lift_int(l, l->i64, 10), "");
        value = wl_ptx_marker(l, "wl.first64", l->i64, &value, 1, false);
    }
    set_scalar_result(l, inst, value);
}

/* A half of the clock, in the wave's first thread. */
static LLVMValueRef shader_cycles(struct wl_lift *l, bool high) {
    LLVMValueRef value = wl_ptx_asm(l, "mov.u64 $0, %clock64;", "=l,~{memory}", l->i64, NULL, 0, true);
    value = wl_ptx_marker(l, "wl.first64", l->i64, &value, 1, false);
    if (high)
        value = LLVMBuildLShr(l->b, value, wl_lift_int(l, l->i64, 32), "");
    return LLVMBuildTrunc(l->b, value, l->i32, "");
}

static void get_register(struct wl_lift *l, const struct wl_inst *inst) {
    enum { HWREG_MODE = 1, HWREG_SH_MEM_BASES = 15, HWREG_SHADER_CYCLES = 29, HWREG_SHADER_CYCLES_HI = 30 };
    uint32_t hwreg = (uint32_t)inst->operands[1].bits;
    unsigned width = (hwreg >> 11 & 31) + 1;
    LLVMValueRef value = LLVMConstNull(l->i32);
    if ((hwreg & 63) == HWREG_SH_MEM_BASES)
        value = wl_lift_int(l, l->i32, (WL_PRIVATE_APERTURE_HI >> 16) | (WL_SHARED_APERTURE_HI >> 16 << 16));
    else if ((hwreg & 63) == HWREG_MODE)
        value = wl_ptx_mode(l);
    else if ((hwreg & 63) == HWREG_SHADER_CYCLES || (hwreg & 63) == HWREG_SHADER_CYCLES_HI)
        value = shader_cycles(l, (hwreg & 63) == HWREG_SHADER_CYCLES_HI);
    value = LLVMBuildLShr(l->b, value, wl_lift_int(l, l->i32, hwreg >> 6 & 31), "");
    value = LLVMBuildAnd(l->b, value, wl_lift_int(l, l->i32, width == 32 ? UINT32_MAX : (1u << width) - 1), "");
    wl_lift_set_sgpr(l, inst->operands[0].reg, value);
}

/* MODE is kept as a value; what its rounding is at a place has to be known beforehand (nvptx/rounding.c). Denormals may be switched for
 * divisions, which are whole here. */
static void set_register(struct wl_lift *l, const struct wl_inst *inst) {
    enum { HWREG_MODE = 1, ROUND = HWREG_MODE | 3 << 11, DENORM = HWREG_MODE | 4 << 6 | 3 << 11 };
    const struct wl_operand *op = inst->operands, *given = &op[inst->operand_count - 1];
    uint32_t hwreg = inst->isa->detail == WL_REG_ROUND_MODE    ? ROUND
                     : inst->isa->detail == WL_REG_DENORM_MODE ? DENORM
                                                               : (uint32_t)op[0].bits;
    unsigned offset = hwreg >> 6 & 31, width = (hwreg >> 11 & 31) + 1;
    if ((hwreg & 63) != HWREG_MODE)
        return;
    uint32_t mask = (width == 32 ? UINT32_MAX : (1u << width) - 1) << offset;
    bool constant = given->kind == WL_OPERAND_IMM || given->kind == WL_OPERAND_TEXT;
    LLVMValueRef value = constant ? wl_lift_int(l, l->i32, given->bits & UINT32_MAX) : wl_lift_scalar_operand(l, given, WL_U32);
    value = LLVMBuildAnd(l->b, LLVMBuildShl(l->b, value, wl_lift_int(l, l->i32, offset), ""), wl_lift_int(l, l->i32, mask), "");
    LLVMValueRef kept = LLVMBuildAnd(l->b, wl_ptx_mode(l), wl_lift_int(l, l->i32, ~mask), "");
    LLVMBuildStore(l->b, LLVMBuildOr(l->b, kept, value, ""), l->ptx->mode);
}

static void lift_scalar_class(struct wl_lift *l, const struct wl_inst *inst) {
    switch (inst->isa->class) {
    case WL_ISA_SMEM_LOAD:
    case WL_ISA_SMEM_STORE:
    case WL_ISA_SMEM_ATOMIC:
        wl_ptx_lift_smem(l, inst);
        break;
    case WL_ISA_SAVEEXEC:
        wl_ptx_save_exec(l, inst);
        break;
    case WL_ISA_GETPC:
        wl_lift_set_sgpr64(l, inst->operands[0].reg, wl_lift_next_address(l, inst));
        break;
    case WL_ISA_TIME:
        read_time(l, inst);
        break;
    case WL_ISA_MESSAGE_RETURN:
        message_return(l, inst);
        break;
    case WL_ISA_GETREG:
        get_register(l, inst);
        break;
    case WL_ISA_SETREG:
        set_register(l, inst);
        break;
    case WL_ISA_SIGNAL_FIRST: {
        LLVMValueRef wave = LLVMBuildLShr(l->b, special_register(l, "tid.x"), wl_lift_int(l, l->i32, 5), "");
        LLVMValueRef first = LLVMBuildICmp(l->b, LLVMIntEQ, wave, LLVMConstNull(l->i32), "");
        wl_lift_set_sgpr(l, WL_SGPR_SCC, LLVMBuildZExt(l->b, first, l->i32, ""));
        break;
    }
    default:
        wl_ptx_unsupported(l, inst);
    }
}

void wl_ptx_lift_inst(struct wl_lift *l, const struct wl_inst *inst) {
    if (inst->index_mode) {
        if (!wl_ptx_lift_relative(l, inst))
            wl_ptx_unsupported(l, inst);
        return;
    }
    if (inst->sem) {
        wl_ptx_lift_semantics(l, inst);
        return;
    }
    switch (inst->isa->class) {
    case WL_ISA_LOAD:
    case WL_ISA_STORE:
    case WL_ISA_ATOMIC:
        wl_ptx_lift_memory(l, inst);
        break;
    case WL_ISA_CMPX:
        wl_ptx_lift_semantics(l, inst);
        break;
    case WL_ISA_LANE:
        wl_ptx_lift_lane(l, inst);
        break;
    case WL_ISA_NOP:
        wl_ptx_lift_nop(l, inst);
        break;
    case WL_ISA_MATRIX:
        wl_ptx_lift_matrix(l, inst);
        break;
    case WL_ISA_IMAGE:
        wl_ptx_lift_image(l, inst);
        break;
    case WL_ISA_MOVREL:
        wl_ptx_lift_indexed(l, inst);
        break;
    default: /* finish_block does those that steer */
        if (!wl_isa_steers(inst->isa->class))
            lift_scalar_class(l, inst);
    }
}

/* Whether stores to memory are in flight, as far as the last memory instruction tells. */
static void note_order(struct wl_lift *l, const struct wl_inst *inst) {
    l->ptx->accessed |=
        inst->isa && (inst->isa->class == WL_ISA_LOAD || inst->isa->class == WL_ISA_STORE || inst->isa->class == WL_ISA_ATOMIC);
    if (!inst->isa || inst->isa->space == WL_SPACE_LDS || inst->isa->space == WL_SPACE_SCRATCH)
        return;
    if (inst->isa->class != WL_ISA_LOAD && wl_inst_is_of_lane(inst)) /* nobody else waits for it */
        return;
    const uint32_t image = inst->isa->class == WL_ISA_IMAGE ? WL_IMAGE_KIND_OF(inst->isa->image) : WL_IMAGE_LOAD;
    if (inst->isa->class == WL_ISA_STORE || inst->isa->class == WL_ISA_ATOMIC || image == WL_IMAGE_STORE || image == WL_IMAGE_ATOMIC)
        l->ptx->store_may_wait = true;
    else if (inst->isa->class == WL_ISA_LOAD && l->generation == 9)
        l->ptx->store_may_wait = false;
}

/* Threads that parted meet: the bits of masks come from their predicates again. */
static void meet(struct wl_lift *l, uint32_t block) {
    for (unsigned reg = 0; reg < WL_SGPR_COUNT; reg++)
        if (wl_bit(l->ptx->met[block].masks, reg) && !(l->ptx->lane_per_thread && reg & 1))
            wl_ptx_set_ballot(l, reg, wl_ptx_predicate(l, reg));
}

static void lift_block(struct wl_lift *l, const struct wl_affine *affine, uint32_t p, bool full) {
    const struct wl_block *block = l->unit.block = &l->unit.code->blocks[p];
    struct wl_effects *effects = calloc(block->count + 1, sizeof *effects);
    if (!effects || !wl_lift_liveness(l, effects)) {
        free(effects);
        l->status = wl_fail(WL_OUT_OF_MEMORY, "no memory for liveness");
        return;
    }
    l->unit.effects = effects;
    LLVMPositionBuilderAtEnd(l->b, l->unit.ir_blocks[p]);
    l->ptx->vector_carry.valid = l->ptx->scalar_carry.valid = false;
    l->ptx->store_may_wait = l->generation > 9;
    l->ptx->release = l->ptx->accessed = false;
    memset(l->ptx->compared, 0, sizeof l->ptx->compared);
    l->ptx->exec_is_full = full;
    l->ptx->rounding = l->ptx->roundings[p];
    meet(l, p);
    if (full)
        restore_exec(l);
    struct wl_facts facts;
    l->unit.facts = affine ? &facts : NULL;
    if (affine)
        wl_affine_start(affine, p, WL_MODE_FULL, &facts);
    for (uint32_t i = 0; i < block->count && !l->status; i++) {
        const struct wl_inst *inst = &l->unit.code->insts[block->first + i];
        l->unit.at = i;
        wl_ptx_lift_inst(l, inst);
        l->ptx->rounding = wl_ptx_rounding_step(l->ptx->rounding, inst);
        if (affine)
            wl_affine_step(&facts, l->unit.code, inst, WL_MODE_FULL);
        note_order(l, inst);
        wl_ptx_step_carries(l, &effects[i]);
    }
    finish_block(l);
    l->unit.effects = NULL;
    l->unit.facts = NULL;
    free(effects);
}

/* ---- the kernel ---- */

static void add_parameter_attributes(struct wl_lift *l, unsigned index, LLVMTypeRef type) {
    unsigned by_value = LLVMGetEnumAttributeKindForName("byval", 5), align = LLVMGetEnumAttributeKindForName("align", 5);
    LLVMAddAttributeAtIndex(l->function, index + 1, LLVMCreateTypeAttribute(l->context, by_value, type));
    LLVMAddAttributeAtIndex(l->function, index + 1, LLVMCreateEnumAttribute(l->context, align, 16));
}

static void annotate(struct wl_lift *l, const char *name, uint32_t value) {
    LLVMMetadataRef parts[3] = {LLVMValueAsMetadata(l->function), LLVMMDStringInContext2(l->context, name, strlen(name)),
                                LLVMValueAsMetadata(wl_lift_int(l, l->i32, value))};
    LLVMAddNamedMetadataOperand(l->module, "nvvm.annotations", LLVMMetadataAsValue(l->context, LLVMMDNodeInContext2(l->context, parts, 3)));
}

static void text_attribute(struct wl_lift *l, const char *name, const char *value) {
    LLVMAttributeRef attribute = LLVMCreateStringAttribute(l->context, name, (unsigned)strlen(name), value, (unsigned)strlen(value));
    LLVMAddAttributeAtIndex(l->function, LLVMAttributeFunctionIndex, attribute);
}

/* PTX that flushes f32's denormals flushes f16's, too. Kernels that have both flush operands and results of f32 one by one. */
static bool splits_denormals(const struct wl_ptx_request *request, const struct wl_unit *units, unsigned count) {
    enum { F32_DENORMALS = 3 << 4 };
    for (unsigned u = 0; u < count && !(request->float_mode & F32_DENORMALS); u++)
        for (uint32_t i = 0; i < units[u].inst_count; i++)
            if (strstr(units[u].insts[i].mnemonic, "f16"))
                return true;
    return false;
}

/* Makes the function a kernel of blocks of so many threads: in the words of LLVM 21 and later, and in those of earlier ones. */
static void make_kernel(struct wl_lift *l, uint32_t max_threads) {
    char threads[16];
    snprintf(threads, sizeof threads, "%u", max_threads);
    LLVMSetFunctionCallConv(l->function, LLVMPTXKernelCallConv);
    text_attribute(l, "nvvm.maxntid", threads);
    annotate(l, "kernel", 1);
    annotate(l, "maxntidx", max_threads);
}

static void make_function(struct wl_lift *l) {
    const struct wl_ptx_request *request = l->ptx->request;
    struct wl_ptx_info *info = l->ptx->info;
    LLVMTypeRef types[2] = {l->ptr, l->ptr};
    unsigned count = info->kernarg_size ? 2 : 1;
    l->function = LLVMAddFunction(l->module, WL_PTX_ENTRY, LLVMFunctionType(l->void_type, types, count, 0));
    add_parameter_attributes(l, 0, LLVMArrayType2(l->i8, sizeof(struct wl_ptx_launch)));
    if (count == 2)
        add_parameter_attributes(l, 1, LLVMArrayType2(l->i8, info->kernarg_size));
    l->ptx->launch = LLVMGetParam(l->function, 0);
    l->ptx->kernarg = count == 2 ? LLVMGetParam(l->function, 1) : LLVMConstNull(l->ptr);
    make_kernel(l, info->max_threads);
    unsigned convergent = LLVMGetEnumAttributeKindForName("convergent", 10), no_unwind = LLVMGetEnumAttributeKindForName("nounwind", 8);
    LLVMAddAttributeAtIndex(l->function, LLVMAttributeFunctionIndex, LLVMCreateEnumAttribute(l->context, convergent, 0));
    LLVMAddAttributeAtIndex(l->function, LLVMAttributeFunctionIndex, LLVMCreateEnumAttribute(l->context, no_unwind, 0));
    enum { F32_DENORMALS = 3 << 4 };
    if (!(request->float_mode & F32_DENORMALS) && !l->unit.splits_denormals)
        text_attribute(l, "denormal-fp-math-f32", "preserve-sign");
    LLVMTypeRef shared = LLVMArrayType2(l->i8, 0);
    l->ptx->lds = LLVMAddGlobalInAddressSpace(l->module, shared, "wl_lds", 3);
    LLVMSetLinkage(l->ptx->lds, LLVMExternalLinkage);
    LLVMSetAlignment(l->ptx->lds, 16);
}

/* Prepares the unit at hand: MODE's rounding by basic block, whether LDS accesses keep their order, at which branches threads may part
 * (p->parts), and which masks have to be made again from predicates where they meet (p->met). */
static bool find_partings(struct wl_lift *l) {
    struct wl_ptx *p = l->ptx;
    const struct wl_unit *unit = l->unit.code;
    free(p->parts);
    free(p->own);
    free(p->met);
    wl_ptx_flow_destroy(p->flow);
    free(p->roundings);
    p->own = calloc(unit->block_count + 1, sizeof *p->own);
    p->roundings = calloc(unit->block_count + 1, sizeof *p->roundings);
    if (p->roundings)
        wl_ptx_rounding_find(unit, p->request->float_mode & 15, p->roundings);
    p->orders_lds = wl_ptx_needs_order(unit, unit == p->units);
    p->parts = calloc(unit->block_count + 1, sizeof *p->parts);
    p->met = calloc(unit->block_count + 1, sizeof *p->met);
    p->flow = wl_ptx_flow_create(unit, l->wave_size);
    for (uint32_t i = 0; p->parts && p->met && p->flow && i < unit->block_count; i++) {
        struct wl_ptx_changed changed;
        p->parts[i] = !p->unoptimized && wl_ptx_may_part(p->flow, i, &changed); /* slow code is not worth it */
        if (!p->parts[i])
            continue;
        const struct wl_block *block = &unit->blocks[i];
        bool skips = unit->insts[block->first + block->count - 1].isa->detail == WL_IF_EXECZ;
        struct wl_ptx_changed *met = &p->met[skips ? block->target : block->next];
        for (unsigned w = 0; w < 2; w++)
            met->masks[w] |= changed.masks[w];
        for (unsigned w = 0; w < WL_ROW_WORDS; w++)
            met->rows[w] |= changed.rows[w];
    }
    if (p->parts && p->own && p->met && l->strips == 1)
        wl_ptx_find_own_branches(unit, l->wave_size / 32, unit == p->units && is_true(p->entry_exec[0]), p->parts, p->met, p->own);
    return p->parts && p->own && p->met && p->flow && p->roundings;
}

/* Whether memory is accessed by bytes or halves: where compilers copy those they make dwords of them, at any address. Unoptimized code
 * does so only in strings, where the device library had its passes before. */
static bool touches_bytes(const struct wl_unit *unit, bool unoptimized, bool own) {
    for (uint32_t i = 0; i < unit->inst_count; i++) {
        const struct wl_isa *isa = unit->insts[i].isa;
        bool access = isa && (isa->class == WL_ISA_LOAD || isa->class == WL_ISA_STORE);
        if (!access || isa->bits > (unoptimized ? 8 : 16))
            continue;
        if (own ? isa->space == WL_SPACE_SCRATCH : isa->space == WL_SPACE_GLOBAL || isa->space == WL_SPACE_FLAT)
            return true;
    }
    return false;
}

static void lift_units(struct wl_lift *l) {
    struct wl_ptx *p = l->ptx;
    struct wl_affine *affine = wl_affine_create(&p->units[0]); /* what it knows is a hint here: it may be missing */
    for (unsigned u = 0; u < p->unit_count && !l->status; u++) {
        l->unit.code = &p->units[u];
        l->unit.ir_blocks = p->ir_blocks[u];
        p->unoptimized = wl_ptx_is_unoptimized(l->unit.code);
        p->touches_bytes = touches_bytes(l->unit.code, p->unoptimized, false);
        p->touches_own_bytes = !p->unoptimized && touches_bytes(l->unit.code, false, true);
        wl_ptx_find_masks(l, l->unit.code);
        if (!find_partings(l))
            l->status = wl_fail(WL_OUT_OF_MEMORY, "no memory to follow branches");
        for (uint32_t block = 0; block < l->unit.code->block_count && !l->status; block++)
            lift_block(l, u == 0 ? affine : NULL, block, u == 0 && wl_ptx_flow_full(p->flow, block));
    }
    wl_affine_destroy(affine);
}

/* Whether an earlier unit has the place as well: code that functions share, or that follows a call that never returns. */
static bool is_listed(const struct wl_ptx *p, unsigned units, uint64_t address) {
    for (unsigned u = 0; u < units; u++)
        for (uint32_t i = 0; i < p->units[u].block_count; i++) {
            const struct wl_block *block = &p->units[u].blocks[i];
            bool is_target = (u > 0 && i == p->units[u].entry) || block->is_return;
            if (block->count && is_target && p->units[u].insts[block->first].address == address)
                return true;
        }
    return false;
}

/* Entries of device functions, and what lies behind calls. */
static void build_dispatch(struct wl_lift *l) {
    struct wl_ptx *p = l->ptx;
    LLVMBasicBlockRef nowhere = wl_lift_ir_block(l, "nowhere");
    LLVMPositionBuilderAtEnd(l->b, p->dispatch);
    LLVMValueRef choice = LLVMBuildSwitch(l->b, LLVMBuildLoad2(l->b, l->i64, p->target, ""), nowhere, 16);
    for (unsigned u = 0; u < p->unit_count; u++) {
        const struct wl_unit *unit = &p->units[u];
        for (uint32_t i = 0; i < unit->block_count; i++) {
            const struct wl_block *block = &unit->blocks[i];
            bool is_entry = u > 0 && i == unit->entry;
            if (!block->count || (!is_entry && !block->is_return))
                continue;
            uint64_t address = unit->insts[block->first].address;
            if (!is_listed(p, u, address))
                LLVMAddCase(choice, wl_lift_int(l, l->i64, address), p->ir_blocks[u][i]);
        }
    }
    LLVMPositionBuilderAtEnd(l->b, nowhere);
    trap(l);
}

static bool make_blocks(struct wl_lift *l) {
    struct wl_ptx *p = l->ptx;
    if (!p->ir_blocks)
        return false;
    for (unsigned u = 0; u < p->unit_count; u++) {
        p->ir_blocks[u] = calloc(p->units[u].block_count + 1, sizeof *p->ir_blocks[u]);
        if (!p->ir_blocks[u])
            return false;
        for (uint32_t i = 0; i < p->units[u].block_count; i++)
            p->ir_blocks[u][i] = wl_lift_ir_block(l, "block");
    }
    p->dispatch = wl_lift_ir_block(l, "dispatch");
    return true;
}

enum wl_status wl_ptx_lift_kernel(const struct wl_ptx_request *request, struct wl_unit *units, unsigned count, LLVMModuleRef module,
                                  struct wl_ptx_info *info) {
    struct wl_lift *l = calloc(1, sizeof *l);
    struct wl_ptx *p = calloc(1, sizeof *p);
    struct wl_strip *strips = calloc(2, sizeof *strips);
    if (l && p && strips) {
        *p = (struct wl_ptx){.request = request, .info = info, .units = units, .unit_count = count};
        l->unit.request = &request->code;
        l->wave_size = request->code.wave_size;
        l->context = LLVMGetModuleContext(module);
        l->ptx = p;
        p->ir_blocks = calloc(count, sizeof *p->ir_blocks);
        l->module = module;
        p->lane_per_thread = l->wave_size == 64 && info->wave_threads == 64;
        l->strips = p->lane_per_thread ? 1 : l->wave_size / 32;
        l->lanes = 1;
        l->form = &wl_ptx_form;
        l->region.strip_states = strips;
        l->strip = strips;
        l->generation = wl_processor_generation(request->code.processor);
        l->unit.splits_denormals = splits_denormals(request, units, count);
        wl_lift_make_types(l);
        l->b = LLVMCreateBuilderInContext(l->context);
        make_function(l);
        if (!make_blocks(l))
            l->status = wl_fail(WL_OUT_OF_MEMORY, "no memory for blocks");
        if (!l->status) {
            l->unit.code = &units[0];
            build_entry(l);
            LLVMMoveBasicBlockBefore(l->entry, LLVMGetFirstBasicBlock(l->function));
            lift_units(l);
            build_dispatch(l);
        }
        LLVMDisposeBuilder(l->b);
    }
    enum wl_status status = l && p && strips ? l->status : wl_fail(WL_OUT_OF_MEMORY, "no memory for the lifter");
    for (unsigned u = 0; p && p->ir_blocks && u < count; u++)
        free(p->ir_blocks[u]);
    if (l)
        free(l->unit.live_after);
    free(strips);
    if (p) {
        wl_ptx_flow_destroy(p->flow);
        free(p->parts);
        free(p->own);
        free(p->met);
        free(p->roundings);
        free(p->ir_blocks);
    }
    free(p);
    free(l);
    return status;
}
