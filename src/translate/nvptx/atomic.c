/* Atomics of one lane: PTX's own where it has the operation, else a loop around compare-and-swap. */
#include "translate/lift/memory/memory.h"
#include "translate/lift/memory/scattered.h"
#include "translate/lift/values.h"
#include "translate/nvptx/memory.h"
#include "translate/nvptx/ptx.h"

#include <stdio.h>
#include <string.h>

/* "add.u32" and the like, for 32 and 64 bits; NULL: a loop. */
static const char *native_name(unsigned operation, unsigned bits) {
    static const struct {
        uint8_t operation;
        const char *name[2];
    } names[] = {
        {WL_ATOMIC_SWAP, {"exch.b32", "exch.b64"}}, {WL_ATOMIC_ADD, {"add.u32", "add.u64"}},   {WL_ATOMIC_SMIN, {"min.s32", "min.s64"}},
        {WL_ATOMIC_UMIN, {"min.u32", "min.u64"}},   {WL_ATOMIC_SMAX, {"max.s32", "max.s64"}},  {WL_ATOMIC_UMAX, {"max.u32", "max.u64"}},
        {WL_ATOMIC_AND, {"and.b32", "and.b64"}},    {WL_ATOMIC_OR, {"or.b32", "or.b64"}},      {WL_ATOMIC_XOR, {"xor.b32", "xor.b64"}},
        {WL_ATOMIC_INC, {"inc.u32", NULL}},         {WL_ATOMIC_DEC, {"dec.u32", NULL}},        {WL_ATOMIC_CMPSWAP, {"cas.b32", "cas.b64"}},
        {WL_ATOMIC_FADD, {"add.f32", "add.f64"}},   {WL_ATOMIC_FADD_FLUSH, {"add.f32", NULL}},
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (names[i].operation == operation)
            return names[i].name[bits == 64];
    return NULL;
}

static const char *space_name(enum wl_ptx_space space) {
    static const char *const names[] = {".global", ".shared", ".local", ""};
    return names[space];
}

static LLVMValueRef native(struct wl_lift *l, const struct wl_ptx_access *a, const char *name, LLVMValueRef data, LLVMValueRef compare,
                           LLVMValueRef predicate, bool returns) {
    char text[160], constraints[64];
    bool wide = LLVMTypeOf(data) == l->i64, two = compare != NULL;
    char letter = wide ? 'l' : 'r', address = a->space == WL_PTX_SHARED ? 'r' : 'l';
    const char *scope = a->space == WL_PTX_SHARED ? ".cta" : a->wide_scope ? ".sys" : ".gpu";
    bool reduces = !returns && !two && strncmp(name, "exch", 4) != 0;
    LLVMValueRef arguments[6] = {a->address, wl_lift_int(l, l->i32, (uint32_t)a->offset), predicate, two ? compare : data, data, NULL};
    unsigned count = two ? 5 : 4;
    if (reduces) {
        snprintf(text, sizeof text, "@$2 red.relaxed%s%s.%s [$0+$1], $3;", scope, space_name(a->space), name);
        snprintf(constraints, sizeof constraints, "%c,n,b,%c,~{memory}", address, letter);
        wl_ptx_asm(l, text, constraints, l->void_type, arguments, count, true);
        return NULL;
    }
    snprintf(text, sizeof text, "@$3 atom.relaxed%s%s.%s $0, [$1+$2], $4%s;", scope, space_name(a->space), name, two ? ", $5" : "");
    snprintf(constraints, sizeof constraints, "=%c,%c,n,b,%c%s,0,~{memory}", letter, address, letter, two ? (wide ? ",l" : ",r") : "");
    bool zero = a->inst->isa->space == WL_SPACE_BUFFER; /* what is out of range */
    arguments[count++] = zero ? LLVMConstNull(LLVMTypeOf(data)) : LLVMGetUndef(LLVMTypeOf(data));
    return wl_ptx_asm(l, text, constraints, LLVMTypeOf(data), arguments, count, true);
}

/* old = memory; do { expected = old; old = cas(expected, apply(expected)) } while (old != expected), in lanes that are on. */
static LLVMValueRef loop(struct wl_lift *l, const struct wl_ptx_access *a, unsigned operation, unsigned bits, LLVMValueRef data,
                         LLVMValueRef compare) {
    struct wl_access what = {.kind = WL_ACCESS_ATOMIC, .bits = (uint8_t)bits, .dwords = (uint8_t)(bits / 32), .atomic = (uint8_t)operation};
    LLVMTypeRef type = LLVMTypeOf(data);
    LLVMBasicBlockRef before = LLVMGetInsertBlock(l->b), start = wl_lift_ir_block(l, "first"), again = wl_lift_ir_block(l, "again"),
                      done = wl_lift_ir_block(l, "done");
    LLVMValueRef always = LLVMConstInt(l->i1, 1, 0);
    LLVMBuildCondBr(l->b, a->predicate, start, done);
    LLVMPositionBuilderAtEnd(l->b, start);
    LLVMValueRef zero = LLVMConstNull(type), seen = native(l, a, bits == 64 ? "cas.b64" : "cas.b32", zero, zero, always, true);
    LLVMBuildBr(l->b, again);
    LLVMPositionBuilderAtEnd(l->b, again);
    LLVMValueRef expected = LLVMBuildPhi(l->b, type, "");
    LLVMValueRef wanted = wl_atomic_apply(l, &what, expected, data, compare);
    LLVMValueRef found = native(l, a, bits == 64 ? "cas.b64" : "cas.b32", wanted, expected, always, true);
    LLVMBasicBlockRef end = LLVMGetInsertBlock(l->b);
    LLVMBuildCondBr(l->b, LLVMBuildICmp(l->b, LLVMIntEQ, found, expected, ""), done, again);
    LLVMValueRef values[2] = {seen, found};
    LLVMBasicBlockRef from[2] = {start, end};
    LLVMAddIncoming(expected, values, from, 2);
    LLVMPositionBuilderAtEnd(l->b, done);
    LLVMValueRef result = LLVMBuildPhi(l->b, type, ""), results[2] = {LLVMConstNull(type), found};
    LLVMBasicBlockRef origins[2] = {before, end};
    LLVMAddIncoming(result, results, origins, 2);
    if (!l->ptx->lane_per_thread) /* lanes that did not loop wait: what the others did is done, as in a wave */
        wl_ptx_asm(l, "bar.warp.sync 0xffffffff;", "~{memory}", l->void_type, NULL, 0, true);
    return result;
}

static LLVMValueRef atomic_at(struct wl_lift *l, const struct wl_ptx_access *a, unsigned operation, unsigned bits, LLVMValueRef data,
                              LLVMValueRef compare, bool returns) {
    if (operation == WL_ATOMIC_SUB) {
        data = LLVMBuildNeg(l->b, data, "");
        operation = WL_ATOMIC_ADD;
    }
    const char *name = native_name(operation, bits);
    if (!name)
        return loop(l, a, operation, bits, data, compare);
    LLVMValueRef old = native(l, a, name, data, operation == WL_ATOMIC_CMPSWAP ? compare : NULL, a->predicate, returns);
    return old;
}

/* LDS out of bounds gives 0. */
LLVMValueRef wl_ptx_atomic(struct wl_lift *l, const struct wl_ptx_access *a, unsigned operation, unsigned bits, LLVMValueRef data,
                           LLVMValueRef compare, bool returns) {
    struct wl_ptx_access inside = *a;
    LLVMValueRef within = a->lds ? wl_ptx_within_lds(l, a, bits / 8) : NULL;
    if (within)
        inside.predicate = LLVMBuildAnd(l->b, a->predicate, within, "");
    LLVMValueRef old = atomic_at(l, &inside, operation, bits, data, compare, returns);
    return old && within ? LLVMBuildSelect(l->b, within, old, LLVMConstNull(LLVMTypeOf(old)), "") : old;
}
