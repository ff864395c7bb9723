/* LDS instructions that are no plain load, store or atomic. */
#include "translate/lift/memory/memory.h"
#include "translate/lift/memory/record.h"
#include "translate/lift/values.h"
#include "translate/nvptx/memory.h"
#include "translate/nvptx/passes.h"
#include "translate/nvptx/ptx.h"

#include <stddef.h>
#include <string.h>

static LLVMValueRef number(struct wl_lift *l, uint64_t value) { return wl_lift_int(l, l->i32, value); }

static struct wl_ptx_access at(struct wl_lift *l, const struct wl_inst *inst, LLVMValueRef offset) {
    return (struct wl_ptx_access){
        .inst = inst, .space = WL_PTX_SHARED, .lds = offset, .address = wl_ptx_lds_address(l, offset), .predicate = wl_ptx_exec(l)};
}

/* ---- the end of LDS ---- */

static const char within_marker[] = "wl.lds.within";

/* The kernel's own LDS has a constant size; what a launch adds to it is known only then. */
LLVMValueRef wl_ptx_within_lds(struct wl_lift *l, const struct wl_ptx_access *a, unsigned bytes) {
    if (!a->lds)
        return LLVMConstInt(l->i1, 1, 0);
    const uint32_t size = l->ptx->request->static_lds;
    LLVMValueRef place = LLVMBuildAdd(l->b, a->lds, number(l, (uint32_t)a->offset), "");
    LLVMValueRef proof = size < bytes ? LLVMConstNull(l->i1) : LLVMBuildICmp(l->b, LLVMIntULE, place, number(l, size - bytes), "");
    LLVMValueRef arguments[] = {proof, place, number(l, bytes)};
    LLVMValueRef within = wl_ptx_marker(l, within_marker, l->i1, arguments, 3, true);
    return a->in_lds ? LLVMBuildOr(l->b, within, LLVMBuildNot(l->b, a->in_lds, ""), "") : within;
}

/* At the kernel's start: the first address at which so many bytes are not within. */
static LLVMValueRef find_limit(LLVMModuleRef module, LLVMBuilderRef b, unsigned bytes) {
    LLVMValueRef kernel = LLVMGetNamedFunction(module, WL_PTX_ENTRY);
    LLVMContextRef context = LLVMGetModuleContext(module);
    LLVMTypeRef i8 = LLVMInt8TypeInContext(context), i32 = LLVMInt32TypeInContext(context), i64 = LLVMInt64TypeInContext(context);
    LLVMPositionBuilderBefore(b, LLVMGetFirstInstruction(LLVMGetEntryBasicBlock(kernel)));
    LLVMValueRef index = LLVMConstInt(i64, offsetof(struct wl_ptx_launch, lds_size), 0);
    LLVMValueRef size = LLVMBuildLoad2(b, i32, LLVMBuildGEP2(b, i8, LLVMGetParam(kernel, 0), &index, 1, ""), "");
    LLVMValueRef less = LLVMConstInt(i32, bytes - 1, 0), limit = LLVMBuildSub(b, size, less, "");
    return LLVMBuildSelect(b, LLVMBuildICmp(b, LLVMIntUGT, size, less, ""), limit, LLVMConstNull(i32), "");
}

enum { MOST_LOAD = 96 }; /* characters of a load's text */

static uint64_t most(LLVMValueRef value, unsigned depth);

/* Of inline PTX. With a predicate it leaves the last operand where that is false, which nobody needs if it is undefined. */
static uint64_t most_of_load(LLVMValueRef call, LLVMValueRef code) {
    size_t length = 0;
    const char *given = LLVMGetInlineAsmAsmString(code, &length), *load;
    char text[MOST_LOAD];
    if (length >= sizeof text)
        return UINT32_MAX;
    memcpy(text, given, length);
    text[length] = 0;
    load = strstr(text, "ld.");
    const bool predicated = !strncmp(text, "@$", 2);
    if (!load || strchr(text, '\n') || (!predicated && load != text) ||
        (predicated && !LLVMIsUndef(LLVMGetOperand(call, (unsigned)LLVMGetNumOperands(call) - 2))))
        return UINT32_MAX;
    return strstr(load, ".u8 $0,") ? UINT8_MAX : strstr(load, ".u16 $0,") ? UINT16_MAX : UINT32_MAX;
}

/* Of what a call returns: a thread's number, a byte or a half that is loaded, the lesser of two numbers. */
static uint64_t most_of_call(LLVMValueRef call, LLVMContextRef context, unsigned depth) {
    LLVMValueRef called = LLVMGetCalledValue(call), range = LLVMGetMetadata(call, LLVMGetMDKindIDInContext(context, "range", 5)), bounds[2];
    if (range && LLVMGetMDNodeNumOperands(range) == 2) {
        LLVMGetMDNodeOperands(range, bounds);
        return LLVMConstIntGetZExtValue(bounds[1]) - 1;
    }
    if (LLVMIsAFunction(called) && !strcmp(LLVMGetValueName(called), "llvm.umin.i32")) {
        const uint64_t a = most(LLVMGetOperand(call, 0), depth + 1), b = most(LLVMGetOperand(call, 1), depth + 1);
        return a < b ? a : b;
    }
    return LLVMIsAInlineAsm(called) ? most_of_load(call, called) : UINT32_MAX;
}

static uint64_t constant_of(LLVMValueRef value) { return LLVMIsAConstantInt(value) ? LLVMConstIntGetZExtValue(value) : 0; }

/* Whether the bits of `mask`, which are a number's lowest ones, are 0. */
static bool ends_in_zeros(LLVMValueRef value, uint64_t mask, unsigned depth) {
    enum { MOST_DEPTH = 4 };
    if (LLVMIsAConstantInt(value))
        return (constant_of(value) & mask) == 0;
    if (depth == MOST_DEPTH || !LLVMIsAInstruction(value) || LLVMGetNumOperands(value) != 2)
        return false;
    LLVMValueRef first = LLVMGetOperand(value, 0), second = LLVMGetOperand(value, 1);
    if (wl_ptx_is_operation(value, LLVMShl))
        return LLVMIsAConstantInt(second) && mask >> constant_of(second) == 0;
    if (wl_ptx_is_operation(value, LLVMAnd))
        return LLVMIsAConstantInt(second) && (constant_of(second) & mask) == 0;
    return (wl_ptx_is_operation(value, LLVMOr) || wl_ptx_is_operation(value, LLVMAdd)) && ends_in_zeros(first, mask, depth + 1) &&
           ends_in_zeros(second, mask, depth + 1);
}

/* Whether a number's lowest bits, those of `mask`, are those of x. A wave's lane is the lowest bits of a work item's number. */
static bool ends_like(LLVMValueRef value, LLVMValueRef x, uint64_t mask, unsigned depth) {
    enum { MOST_DEPTH = 4 };
    if (value == x)
        return true;
    if (depth == MOST_DEPTH || !LLVMIsAInstruction(value) || LLVMGetNumOperands(value) != 2)
        return false;
    LLVMValueRef first = LLVMGetOperand(value, 0), second = LLVMGetOperand(value, 1);
    if (wl_ptx_is_operation(value, LLVMAnd))
        return LLVMIsAConstantInt(second) && (mask & ~constant_of(second)) == 0 && ends_like(first, x, mask, depth + 1);
    return (wl_ptx_is_operation(value, LLVMOr) || wl_ptx_is_operation(value, LLVMAdd)) &&
           ((ends_like(first, x, mask, depth + 1) && ends_in_zeros(second, mask, depth + 1)) ||
            (ends_like(second, x, mask, depth + 1) && ends_in_zeros(first, mask, depth + 1)));
}

/* Of (x << n) - (x & (2^k - 1)), an index of sorts and transforms: (x << n) - x, and x without its lowest bits. */
static uint64_t most_of_difference(LLVMValueRef whole, LLVMValueRef part, uint64_t most_of_whole, unsigned depth) {
    LLVMValueRef x = wl_ptx_is_operation(whole, LLVMShl) && LLVMIsAConstantInt(LLVMGetOperand(whole, 1)) ? LLVMGetOperand(whole, 0) : whole;
    LLVMValueRef mask = wl_ptx_is_operation(part, LLVMAnd) ? LLVMGetOperand(part, 1) : part;
    if (most_of_whole >= UINT32_MAX || !wl_ptx_is_operation(part, LLVMAnd) || !LLVMIsAConstantInt(mask) ||
        (constant_of(mask) & (constant_of(mask) + 1)) || !ends_like(x, LLVMGetOperand(part, 0), constant_of(mask), 0))
        return UINT32_MAX;
    const uint64_t most_of_x = most(x, depth + 1);
    return most_of_whole - most_of_x + (most_of_x & ~constant_of(mask));
}

/* The largest number that a value without a sign can be, as far as it is plain. */
static uint64_t most(LLVMValueRef value, unsigned depth) {
    enum { MOST_DEPTH = 12 };
    const uint64_t all = UINT32_MAX;
    if (LLVMIsAConstantInt(value))
        return LLVMConstIntGetZExtValue(value);
    if (!LLVMIsAInstruction(value) || depth == MOST_DEPTH)
        return all;
    LLVMContextRef context = LLVMGetModuleContext(LLVMGetGlobalParent(LLVMGetBasicBlockParent(LLVMGetInstructionParent(value))));
    if (LLVMIsACallInst(value))
        return most_of_call(value, context, depth);
    const LLVMOpcode opcode = LLVMGetInstructionOpcode(value);
    if (opcode == LLVMSelect) {
        const uint64_t a = most(LLVMGetOperand(value, 1), depth + 1), b = most(LLVMGetOperand(value, 2), depth + 1);
        return a > b ? a : b;
    }
    if (opcode == LLVMZExt)
        return (UINT64_C(1) << LLVMGetIntTypeWidth(LLVMTypeOf(LLVMGetOperand(value, 0)))) - 1;
    if (LLVMGetNumOperands(value) != 2 || LLVMIsAPHINode(value) || LLVMTypeOf(value) != LLVMInt32TypeInContext(context))
        return all;
    LLVMValueRef first = LLVMGetOperand(value, 0), second = LLVMGetOperand(value, 1);
    const uint64_t a = most(first, depth + 1), b = most(second, depth + 1);
    const bool constant = LLVMIsAConstantInt(second) && b < 32;
    uint64_t result = all;
    switch (opcode) {
    case LLVMAdd:
        result = a + b;
        break;
    case LLVMSub:
        result = most_of_difference(first, second, a, depth);
        result = result == all && LLVMGetNUW(value) ? a : result;
        break;
    case LLVMMul:
        result = a * b;
        break;
    case LLVMShl:
        result = constant ? a << b : all;
        break;
    case LLVMLShr:
        result = constant ? a >> b : a;
        break;
    case LLVMUDiv:
        result = a;
        break;
    case LLVMURem:
        result = LLVMIsAConstantInt(second) && b ? b - 1 : a;
        break;
    case LLVMAnd:
        result = a < b ? a : b;
        break;
    case LLVMOr: /* at most their sum */
    case LLVMXor:
        result = a + b;
        break;
    default:
        break;
    }
    return result < all ? result : all;
}

bool wl_ptx_settle_lds(LLVMModuleRef module, uint32_t size) {
    enum { MOST_BYTES = 16 };
    LLVMValueRef function = LLVMGetNamedFunction(module, within_marker), limits[MOST_BYTES + 1] = {NULL};
    LLVMBuilderRef b = LLVMCreateBuilderInContext(LLVMGetModuleContext(module));
    bool changed = false;
    for (LLVMUseRef use = function ? LLVMGetFirstUse(function) : NULL, next; use; use = next) {
        LLVMValueRef call = LLVMGetUser(use), result = LLVMGetOperand(call, 0);
        unsigned bytes = (unsigned)LLVMConstIntGetZExtValue(LLVMGetOperand(call, 2));
        next = LLVMGetNextUse(use);
        if (!LLVMIsAConstantInt(result) && most(LLVMGetOperand(call, 1), 0) + bytes <= size)
            result = LLVMConstInt(LLVMTypeOf(result), 1, 0);
        if (!LLVMIsAConstantInt(result) || LLVMIsNull(result)) {
            if (!limits[bytes])
                limits[bytes] = find_limit(module, b, bytes);
            LLVMPositionBuilderBefore(b, call);
            result = LLVMBuildICmp(b, LLVMIntULT, LLVMGetOperand(call, 1), limits[bytes], "");
        }
        LLVMReplaceAllUsesWith(call, result);
        LLVMInstructionEraseFromParent(call);
        changed = true;
    }
    LLVMDisposeBuilder(b);
    return changed;
}

/* Whether a value is the address of LDS and an offset that another instruction made; that one's number among its operands. */
static bool find_offset(LLVMValueRef value, LLVMValueRef lds, unsigned *offset) {
    if (!wl_ptx_is_operation(value, LLVMAdd))
        return false;
    for (*offset = 0; *offset < 2; ++*offset) {
        LLVMValueRef base = LLVMGetOperand(value, 1 - *offset), made = LLVMGetOperand(value, *offset);
        if (LLVMIsAConstantExpr(base) && LLVMGetConstOpcode(base) == LLVMPtrToInt && LLVMGetOperand(base, 0) == lds)
            return LLVMIsAInstruction(made) && !LLVMIsAPHINode(made) && LLVMGetInstructionOpcode(made) != LLVMFreeze;
    }
    return false;
}

void wl_ptx_freeze_lds_offsets(LLVMModuleRef module) {
    LLVMValueRef kernel = LLVMGetNamedFunction(module, WL_PTX_ENTRY), lds = LLVMGetNamedGlobal(module, "wl_lds");
    LLVMBuilderRef b = LLVMCreateBuilderInContext(LLVMGetModuleContext(module));
    unsigned at = 0;
    for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(kernel); block; block = LLVMGetNextBasicBlock(block))
        for (LLVMValueRef inst = LLVMGetFirstInstruction(block); inst; inst = LLVMGetNextInstruction(inst)) {
            if (!find_offset(inst, lds, &at))
                continue;
            LLVMValueRef offset = LLVMGetOperand(inst, at);
            LLVMPositionBuilderBefore(b, LLVMGetNextInstruction(offset));
            LLVMValueRef frozen = LLVMBuildFreeze(b, offset, "");
            LLVMReplaceAllUsesWith(offset, frozen);
            LLVMSetOperand(frozen, 0, offset);
        }
    LLVMDisposeBuilder(b);
}

static LLVMValueRef data_of(struct wl_lift *l, unsigned reg, unsigned bits) {
    return bits == 64 ? wl_ptx_scalar(l, wl_ptx_pair(l, reg)) : wl_ptx_dword(l, reg);
}

static void set_data(struct wl_lift *l, unsigned reg, unsigned bits, LLVMValueRef value) {
    if (bits == 64)
        wl_ptx_set_pair(l, reg, wl_ptx_vector(l, value));
    else
        wl_ptx_set_dword(l, reg, value);
}

void wl_ptx_lift_two_swaps(struct wl_lift *l, const struct wl_inst *inst) {
    const struct wl_isa *isa = inst->isa;
    const struct wl_memory_operands op = wl_memory_operands(inst);
    const unsigned bits = isa->dwords * 32u, n = isa->dwords, unit = isa->stride64 ? n * 256 : n * 4;
    const int64_t offsets[2] = {(int64_t)inst->offset0 * unit, (int64_t)inst->offset1 * unit};
    for (unsigned s = 0; s < l->strips; s++) {
        wl_ptx_enter_strip(l, s);
        struct wl_ptx_access a = at(l, inst, wl_ptx_dword(l, op.address->reg));
        LLVMValueRef data[2] = {data_of(l, op.data->reg, bits), data_of(l, op.data1->reg, bits)}, old[2];
        for (unsigned i = 0; i < 2; i++) {
            a.offset = offsets[i];
            old[i] = wl_ptx_atomic(l, &a, WL_ATOMIC_SWAP, bits, data[i], NULL, true);
        }
        for (unsigned i = 0; i < 2; i++)
            set_data(l, op.result->reg + i * n, bits, old[i]);
    }
}

/* Bytes from the first operand to the second: a number of dwords, of 15 bits with a sign; with bit 15 set it is the address' upper part. */
static LLVMValueRef src2_distance(struct wl_lift *l, LLVMValueRef address, uint32_t offset) {
    if (offset & 0x8000)
        return LLVMBuildShl(l->b, LLVMBuildAShr(l->b, address, number(l, 17), ""), number(l, 2), "");
    int32_t dwords = (int16_t)((offset & 0x4000) << 1 | (offset & 0x7fff));
    return number(l, (uint32_t)(dwords * 4));
}

void wl_ptx_lift_src2(struct wl_lift *l, const struct wl_inst *inst) {
    const unsigned bits = inst->isa->bits;
    const uint32_t offset = (uint32_t)inst->offset0;
    for (unsigned s = 0; s < l->strips; s++) {
        wl_ptx_enter_strip(l, s);
        LLVMValueRef address = wl_ptx_dword(l, inst->operands[0].reg), distance = src2_distance(l, address, offset);
        LLVMValueRef first = offset & 0x8000 ? LLVMBuildAnd(l->b, address, number(l, 0x1ffff), "") : address;
        LLVMValueRef old[2] = {LLVMConstNull(l->i32), LLVMConstNull(l->i32)}, values[2];
        struct wl_ptx_access second = at(l, inst, LLVMBuildAdd(l->b, first, distance, "")), a = at(l, inst, first);
        wl_ptx_load(l, &second, 32, false, bits / 32, old, values);
        if (bits == 64) {
            LLVMValueRef high = LLVMBuildShl(l->b, LLVMBuildZExt(l->b, values[1], l->i64, ""), wl_lift_int(l, l->i64, 32), "");
            values[0] = LLVMBuildOr(l->b, LLVMBuildZExt(l->b, values[0], l->i64, ""), high, "");
        }
        wl_ptx_atomic(l, &a, inst->isa->atomic, bits, values[0], NULL, false);
    }
}

/* Two dwords, each replaced where the new one's highest bit is set, which is left out. */
void wl_ptx_lift_conditional_exchange(struct wl_lift *l, const struct wl_inst *inst) {
    const struct wl_operand *op = inst->operands;
    for (unsigned s = 0; s < l->strips; s++) {
        wl_ptx_enter_strip(l, s);
        LLVMValueRef place = LLVMBuildAdd(l->b, wl_ptx_dword(l, op[1].reg), number(l, (uint32_t)inst->offset0), "");
        struct wl_ptx_access a = at(l, inst, LLVMBuildAnd(l->b, place, number(l, 0xfff8), ""));
        LLVMValueRef data[2] = {wl_ptx_dword(l, op[2].reg), wl_ptx_dword(l, op[2].reg + 1)}, old[2];
        for (unsigned i = 0; i < 2; i++) {
            LLVMValueRef zero = LLVMConstNull(l->i32), value = LLVMBuildAnd(l->b, data[i], number(l, 0x7fffffff), "");
            struct wl_ptx_access written = a;
            a.offset = written.offset = 4 * i;
            wl_ptx_load(l, &a, 32, false, 1, &zero, &old[i]);
            written.predicate = LLVMBuildAnd(l->b, a.predicate, LLVMBuildICmp(l->b, LLVMIntSLT, data[i], zero, ""), "");
            wl_ptx_store(l, &written, 32, 1, &value);
        }
        for (unsigned i = 0; i < 2; i++)
            wl_ptx_set_dword(l, op[0].reg + i, old[i]);
    }
}

LLVMValueRef wl_ptx_lds_direct(struct wl_lift *l) {
    enum { SIGNED = 4 }; /* types: 0 byte, 1 half, 2 dword; 4 and 5 sign-extended */
    static const struct wl_isa isa = {.class = WL_ISA_LOAD, .space = WL_SPACE_LDS, .bits = 32, .dwords = 1};
    static const struct wl_inst load = {.isa = &isa};
    LLVMBuilderRef b = l->b;
    LLVMValueRef m0 = wl_lift_sgpr(l, WL_SGPR_M0), zero = LLVMConstNull(l->i32), dword;
    LLVMValueRef type = LLVMBuildAnd(b, LLVMBuildLShr(b, m0, number(l, 16), ""), number(l, 7), "");
    struct wl_ptx_access a = at(l, &load, LLVMBuildAnd(b, m0, number(l, 0xfffc), ""));
    a.predicate = LLVMConstInt(l->i1, 1, 0);
    wl_ptx_load(l, &a, 32, false, 1, &zero, &dword);
    LLVMValueRef shift = LLVMBuildShl(b, LLVMBuildAnd(b, m0, number(l, 3), ""), number(l, 3), "");
    LLVMValueRef part = LLVMBuildLShr(b, dword, shift, ""), size = LLVMBuildAnd(b, type, number(l, 3), "");
    LLVMValueRef unused = LLVMBuildSelect(b, LLVMBuildICmp(b, LLVMIntEQ, size, zero, ""), number(l, 24), number(l, 16), "");
    LLVMValueRef up = LLVMBuildShl(b, part, unused, ""), is_signed = LLVMBuildICmp(b, LLVMIntUGE, type, number(l, SIGNED), "");
    part = LLVMBuildSelect(b, is_signed, LLVMBuildAShr(b, up, unused, ""), LLVMBuildLShr(b, up, unused, ""), "");
    return LLVMBuildSelect(b, LLVMBuildICmp(b, LLVMIntUGE, size, number(l, 2), ""), dword, part, "");
}
