/* Vector memory: predicated instructions of inline PTX, one or a vector for each lane. */
#include "translate/nvptx/memory.h"
#include "machine/processor.h"
#include "translate/lift/memory/record.h"
#include "translate/lift/values.h"
#include "translate/nvptx/inst.h"
#include "translate/nvptx/ptx.h"

#include <stdio.h>
#include <string.h>

enum { MAX_DWORDS = 4 };

/* ---- operands ---- */

static bool is_vgpr(const struct wl_operand *operand) { return operand && operand->kind == WL_OPERAND_VGPR; }

/* ---- single instructions ---- */

static const char *space_name(enum wl_ptx_space space) {
    static const char *const names[] = {".global", ".shared", ".local", ""};
    return names[space];
}

static char address_letter(enum wl_ptx_space space) { return space == WL_PTX_SHARED || space == WL_PTX_LOCAL ? 'r' : 'l'; }

static LLVMTypeRef result_type(struct wl_lift *l, unsigned count) {
    LLVMTypeRef types[MAX_DWORDS] = {l->i32, l->i32, l->i32, l->i32};
    return count == 1 ? l->i32 : LLVMStructTypeInContext(l->context, types, count, 0);
}

static const char *element_name(unsigned bits, bool sign) {
    return bits == 8 ? (sign ? ".s8" : ".u8") : bits == 16 ? (sign ? ".s16" : ".u16") : ".b32";
}

/* "{$1, $2}" from operand `first` on, or "$1". */
static void operand_list(char *text, size_t size, unsigned first, unsigned count) {
    size_t used = 0;
    for (unsigned i = 0; i < count && used < size; i++)
        used += (size_t)snprintf(text + used, size - used, "%s$%u", i ? ", " : count > 1 ? "{" : "", first + i);
    if (count > 1 && used + 1 < size)
        snprintf(text + used, size - used, "}");
}

/* How strong an access is: ".volatile", ".relaxed.cta" or "" (weak). */
static const char *strength(const struct wl_lift *l, const struct wl_ptx_access *a) {
    if (a->is_volatile || (a->space == WL_PTX_SHARED && l->ptx->orders_lds))
        return ".volatile";
    return a->looks_again ? ".relaxed.cta" : "";
}

static LLVMValueRef offset_operand(struct wl_lift *l, int64_t offset) { return wl_lift_int(l, l->i32, (uint32_t)offset); }

/* One instruction for `count` dwords or one element. The predicate is the last operand, but for old values: see wl_ptx_drop_predicates. */
static void load_at(struct wl_lift *l, const struct wl_ptx_access *a, LLVMValueRef predicate, int64_t offset, unsigned bits, bool sign,
                    unsigned count, LLVMValueRef *old, LLVMValueRef *values) {
    static const char *const vectors[] = {"", "", ".v2", "", ".v4"};
    char text[160], constraints[96] = "", list[32];
    operand_list(list, sizeof list, 0, count);
    snprintf(text, sizeof text, "@$%u ld%s%s%s%s %s, [$%u+$%u];", count + 2, strength(l, a), space_name(a->space), vectors[count],
             element_name(bits, sign), list, count, count + 1);
    for (unsigned i = 0; i < count; i++)
        strcat(constraints, "=r,");
    snprintf(constraints + strlen(constraints), sizeof constraints - strlen(constraints), "%c,n,b", address_letter(a->space));
    LLVMValueRef arguments[3 + MAX_DWORDS] = {a->address, offset_operand(l, offset), predicate};
    for (unsigned i = 0; i < count; i++) {
        arguments[3 + i] = old[i];
        snprintf(constraints + strlen(constraints), sizeof constraints - strlen(constraints), ",%u", i);
    }
    strcat(constraints, ",~{memory}");
    LLVMValueRef result = wl_ptx_asm(l, text, constraints, result_type(l, count), arguments, 3 + count, true);
    for (unsigned i = 0; i < count; i++)
        values[i] = count == 1 ? result : LLVMBuildExtractValue(l->b, result, i, "");
}

static void store_at(struct wl_lift *l, const struct wl_ptx_access *a, LLVMValueRef predicate, int64_t offset, unsigned bits,
                     unsigned count, LLVMValueRef *values) {
    static const char *const vectors[] = {"", "", ".v2", "", ".v4"};
    char text[160], constraints[96], list[32];
    operand_list(list, sizeof list, 2, count);
    snprintf(text, sizeof text, "@$%u st%s%s%s%s [$0+$1], %s;", count + 2, strength(l, a), space_name(a->space), vectors[count],
             bits == 8    ? ".b8"
             : bits == 16 ? ".b16"
                          : ".b32",
             list);
    snprintf(constraints, sizeof constraints, "%c,n", address_letter(a->space));
    LLVMValueRef arguments[3 + MAX_DWORDS] = {a->address, offset_operand(l, offset)};
    for (unsigned i = 0; i < count; i++) {
        arguments[2 + i] = values[i];
        strcat(constraints, ",r");
    }
    arguments[2 + count] = predicate;
    strcat(constraints, ",b,~{memory}");
    wl_ptx_asm(l, text, constraints, l->void_type, arguments, 3 + count, true);
}

/* ---- vectors: as one where the address is aligned, else dword by dword, or byte by byte (clang joins loads of strings) ---- */

static LLVMValueRef is_aligned(struct wl_lift *l, const struct wl_ptx_access *a, int64_t offset, unsigned bytes) {
    LLVMTypeRef type = LLVMTypeOf(a->address);
    LLVMValueRef place = LLVMBuildAdd(l->b, a->address, LLVMConstInt(type, (uint64_t)offset, 1), "");
    LLVMValueRef low = LLVMBuildAnd(l->b, place, wl_lift_int(l, type, bytes - 1), "");
    return LLVMBuildICmp(l->b, LLVMIntEQ, low, LLVMConstNull(type), "");
}

/* Branches to a block for the lanes whose vector is not aligned; returns the block behind it. */
static LLVMBasicBlockRef enter_unaligned(struct wl_lift *l, LLVMValueRef unaligned) {
    LLVMBasicBlockRef apart = wl_lift_ir_block(l, "apart"), done = wl_lift_ir_block(l, "done");
    LLVMValueRef branch = LLVMBuildCondBr(l->b, unaligned, apart, done);
    LLVMMetadataRef parts[3] = {LLVMMDStringInContext2(l->context, "branch_weights", 14),
                                LLVMValueAsMetadata(LLVMConstInt(l->i32, 1, false)),
                                LLVMValueAsMetadata(LLVMConstInt(l->i32, 1000, false))};
    LLVMSetMetadata(branch, LLVMGetMDKindIDInContext(l->context, "prof", 4),
                    LLVMMetadataAsValue(l->context, LLVMMDNodeInContext2(l->context, parts, 3)));
    LLVMPositionBuilderAtEnd(l->b, apart);
    return done;
}

/* Whether an element of more than a byte may lie at any address. Compilers make dwords of copied bytes, and of fields of packed structures
 * (the hidden arguments are one), where the address is flat or global, and in private memory where that has bytes; what goes through
 * descriptors is aligned. The offset of an instruction tells of a field: what it is added to is aligned. */
static bool may_be_misaligned(const struct wl_lift *l, const struct wl_ptx_access *a, unsigned bits) {
    const unsigned space = a->inst->isa->space, size = bits < 32 ? bits / 8 : 4;
    if (space == WL_SPACE_SCRATCH && l->ptx->touches_own_bytes)
        return bits > 8 && is_vgpr(wl_memory_operands(a->inst).address);
    const bool is_odd = (uint32_t)a->inst->offset0 % size != 0;
    return (l->ptx->touches_bytes || is_odd) && bits > 8 && (space == WL_SPACE_GLOBAL || space == WL_SPACE_FLAT);
}

/* Splits the block by whether the address is that of dwords; continues in the block for dwords. */
static void enter_dwords(struct wl_lift *l, const struct wl_ptx_access *a, int64_t offset, LLVMBasicBlockRef *bytes,
                         LLVMBasicBlockRef *join) {
    LLVMBasicBlockRef dwords = wl_lift_ir_block(l, "dwords");
    *bytes = wl_lift_ir_block(l, "bytes");
    *join = wl_lift_ir_block(l, "join");
    LLVMBuildCondBr(l->b, is_aligned(l, a, offset, 4), dwords, *bytes);
    LLVMPositionBuilderAtEnd(l->b, dwords);
}

/* i1: whether the access may touch `bytes` bytes from `offset` on, by the buffer's end (bytes_left). */
static LLVMValueRef has_room(struct wl_lift *l, const struct wl_ptx_access *a, int64_t offset, unsigned bytes) {
    if (!a->bytes_left)
        return LLVMConstInt(l->i1, 1, 0);
    return LLVMBuildICmp(l->b, LLVMIntSGE, a->bytes_left, wl_lift_int(l, l->i64, (uint64_t)offset + bytes), "");
}

static LLVMValueRef load_bytes(struct wl_lift *l, const struct wl_ptx_access *a, int64_t offset) {
    LLVMValueRef value = NULL, zero = wl_lift_int(l, l->i32, 0), always = LLVMConstInt(l->i1, 1, 0);
    for (unsigned i = 0; i < 4; i++) {
        LLVMValueRef byte;
        load_at(l, a, always, offset + i, 8, false, 1, &zero, &byte);
        byte = LLVMBuildShl(l->b, byte, wl_lift_int(l, l->i32, 8 * i), "");
        value = value ? LLVMBuildOr(l->b, value, byte, "") : byte;
    }
    return value;
}

static void load_apart(struct wl_lift *l, const struct wl_ptx_access *a, int64_t offset, unsigned count, LLVMValueRef *old,
                       LLVMValueRef *values) {
    LLVMValueRef always = LLVMConstInt(l->i1, 1, 0), of_bytes[MAX_DWORDS];
    LLVMBasicBlockRef bytes, join, from[2];
    if (!may_be_misaligned(l, a, 32)) {
        for (unsigned i = 0; i < count; i++)
            load_at(l, a, has_room(l, a, offset + 4 * i, 4), offset + 4 * i, 32, false, 1, old + i, values + i);
        return;
    }
    enter_dwords(l, a, offset, &bytes, &join);
    for (unsigned i = 0; i < count; i++)
        load_at(l, a, always, offset + 4 * i, 32, false, 1, old + i, values + i);
    from[0] = LLVMGetInsertBlock(l->b);
    LLVMBuildBr(l->b, join);
    LLVMPositionBuilderAtEnd(l->b, bytes);
    for (unsigned i = 0; i < count; i++)
        of_bytes[i] = load_bytes(l, a, offset + 4 * i);
    from[1] = LLVMGetInsertBlock(l->b);
    LLVMBuildBr(l->b, join);
    LLVMPositionBuilderAtEnd(l->b, join);
    for (unsigned i = 0; i < count; i++) {
        LLVMValueRef both[2] = {values[i], of_bytes[i]}, phi = LLVMBuildPhi(l->b, l->i32, "");
        LLVMAddIncoming(phi, both, from, 2);
        values[i] = phi;
    }
}

static void store_apart(struct wl_lift *l, const struct wl_ptx_access *a, int64_t offset, unsigned count, LLVMValueRef *values) {
    LLVMValueRef always = LLVMConstInt(l->i1, 1, 0);
    LLVMBasicBlockRef bytes, join;
    if (!may_be_misaligned(l, a, 32)) {
        for (unsigned i = 0; i < count; i++)
            store_at(l, a, has_room(l, a, offset + 4 * i, 4), offset + 4 * i, 32, 1, values + i);
        return;
    }
    enter_dwords(l, a, offset, &bytes, &join);
    for (unsigned i = 0; i < count; i++)
        store_at(l, a, always, offset + 4 * i, 32, 1, values + i);
    LLVMBuildBr(l->b, join);
    LLVMPositionBuilderAtEnd(l->b, bytes);
    for (unsigned i = 0; i < 4 * count; i++) {
        LLVMValueRef byte = LLVMBuildLShr(l->b, values[i / 4], wl_lift_int(l, l->i32, 8 * (i % 4)), "");
        store_at(l, a, always, offset + i, 8, 1, &byte);
    }
    LLVMBuildBr(l->b, join);
    LLVMPositionBuilderAtEnd(l->b, join);
}

/* One element of 16 or 32 bits, byte by byte where it is not aligned. */
static void load_dword(struct wl_lift *l, const struct wl_ptx_access *a, int64_t offset, unsigned bits, bool sign, LLVMValueRef old,
                       LLVMValueRef *value) {
    LLVMValueRef aligned = is_aligned(l, a, offset, bits / 8), both[2], always = LLVMConstInt(l->i1, 1, 0);
    LLVMValueRef unaligned = LLVMBuildAnd(l->b, a->predicate, LLVMBuildNot(l->b, aligned, ""), "");
    load_at(l, a, LLVMBuildAnd(l->b, a->predicate, aligned, ""), offset, bits, sign, 1, &old, &both[0]);
    LLVMBasicBlockRef from[2] = {LLVMGetInsertBlock(l->b), NULL}, done = enter_unaligned(l, unaligned);
    both[1] = NULL;
    for (unsigned i = 0; i < bits / 8; i++) {
        LLVMValueRef byte, zero = LLVMConstNull(l->i32);
        load_at(l, a, always, offset + i, 8, sign && i + 1 == bits / 8, 1, &zero, &byte);
        byte = LLVMBuildShl(l->b, byte, wl_lift_int(l, l->i32, 8 * i), "");
        both[1] = both[1] ? LLVMBuildOr(l->b, both[1], byte, "") : byte;
    }
    from[1] = LLVMGetInsertBlock(l->b);
    LLVMBuildBr(l->b, done);
    LLVMPositionBuilderAtEnd(l->b, done);
    *value = LLVMBuildPhi(l->b, l->i32, "");
    LLVMAddIncoming(*value, both, from, 2);
}

static void store_dword(struct wl_lift *l, const struct wl_ptx_access *a, int64_t offset, unsigned bits, LLVMValueRef value) {
    LLVMValueRef aligned = is_aligned(l, a, offset, bits / 8), always = LLVMConstInt(l->i1, 1, 0);
    LLVMValueRef unaligned = LLVMBuildAnd(l->b, a->predicate, LLVMBuildNot(l->b, aligned, ""), "");
    store_at(l, a, LLVMBuildAnd(l->b, a->predicate, aligned, ""), offset, bits, 1, &value);
    LLVMBasicBlockRef done = enter_unaligned(l, unaligned);
    for (unsigned i = 0; i < bits / 8; i++) {
        LLVMValueRef byte = LLVMBuildLShr(l->b, value, wl_lift_int(l, l->i32, 8 * i), "");
        store_at(l, a, always, offset + i, 8, 1, &byte);
    }
    LLVMBuildBr(l->b, done);
    LLVMPositionBuilderAtEnd(l->b, done);
}

/* How many of `count` dwords to access as one. Lanes closer together than a vector's size are not all aligned to it: they had
 * better access dword by dword, each time all together. */
static unsigned vector_part(const struct wl_ptx_access *a, unsigned count) {
    unsigned part = count >= 4 ? 4 : count >= 2 ? 2 : 1;
    bool scratch = a->space == WL_PTX_LOCAL || (a->space == WL_PTX_GENERIC && a->inst->isa->space == WL_SPACE_BUFFER);
    if (scratch) /* which the hardware interleaves by dwords */
        return 1;
    while (part > 1 && a->stride % (int32_t)(part * 4) != 0)
        part /= 2;
    return part;
}

static void load_parts(struct wl_lift *l, const struct wl_ptx_access *a, unsigned bits, bool sign, unsigned count, LLVMValueRef *old,
                       LLVMValueRef *values) {
    for (unsigned first = 0; first < count;) {
        unsigned part = vector_part(a, count - first);
        int64_t offset = a->offset + (int64_t)first * 4;
        if (part == 1 && may_be_misaligned(l, a, bits)) {
            load_dword(l, a, offset, bits, sign, old[first], &values[first]);
            first++;
            continue;
        }
        if (part == 1) {
            LLVMValueRef on = LLVMBuildAnd(l->b, a->predicate, has_room(l, a, offset, bits / 8), "");
            load_at(l, a, on, offset, bits, sign, 1, old + first, values + first);
            first++;
            continue;
        }
        LLVMValueRef aligned = is_aligned(l, a, offset, part * 4), apart_values[MAX_DWORDS];
        aligned = LLVMBuildAnd(l->b, aligned, has_room(l, a, offset, part * 4), "");
        LLVMValueRef unaligned = LLVMBuildAnd(l->b, a->predicate, LLVMBuildNot(l->b, aligned, ""), "");
        load_at(l, a, LLVMBuildAnd(l->b, a->predicate, aligned, ""), offset, bits, sign, part, old + first, values + first);
        LLVMBasicBlockRef from[2] = {LLVMGetInsertBlock(l->b), NULL}, done = enter_unaligned(l, unaligned);
        load_apart(l, a, offset, part, old + first, apart_values);
        from[1] = LLVMGetInsertBlock(l->b);
        LLVMBuildBr(l->b, done);
        LLVMPositionBuilderAtEnd(l->b, done);
        for (unsigned i = 0; i < part; i++) {
            LLVMValueRef both[2] = {values[first + i], apart_values[i]}, phi = LLVMBuildPhi(l->b, l->i32, "");
            LLVMAddIncoming(phi, both, from, 2);
            values[first + i] = phi;
        }
        first += part;
    }
}

/* LDS out of bounds reads 0, and what is stored there is dropped. Where EXEC is off, what has to stay stays. */
void wl_ptx_load(struct wl_lift *l, const struct wl_ptx_access *a, unsigned bits, bool sign, unsigned count, LLVMValueRef *old,
                 LLVMValueRef *values) {
    struct wl_ptx_access inside = *a;
    LLVMValueRef within = a->lds ? wl_ptx_within_lds(l, a, count * bits / 8) : NULL;
    if (within)
        inside.predicate = LLVMBuildAnd(l->b, a->predicate, within, "");
    load_parts(l, &inside, bits, sign, count, old, values);
    LLVMValueRef keeps = within ? LLVMBuildOr(l->b, within, LLVMBuildNot(l->b, a->predicate, ""), "") : NULL;
    for (unsigned i = 0; within && i < count; i++)
        values[i] = LLVMBuildSelect(l->b, LLVMIsUndef(old[i]) ? within : keeps, values[i], LLVMConstNull(l->i32), "");
}

static void store_parts(struct wl_lift *l, const struct wl_ptx_access *a, unsigned bits, unsigned count, LLVMValueRef *values) {
    for (unsigned first = 0; first < count;) {
        unsigned part = vector_part(a, count - first);
        int64_t offset = a->offset + (int64_t)first * 4;
        if (part == 1 && may_be_misaligned(l, a, bits)) {
            store_dword(l, a, offset, bits, values[first]);
            first++;
            continue;
        }
        if (part == 1) {
            LLVMValueRef on = LLVMBuildAnd(l->b, a->predicate, has_room(l, a, offset, bits / 8), "");
            store_at(l, a, on, offset, bits, 1, values + first);
            first++;
            continue;
        }
        LLVMValueRef aligned = LLVMBuildAnd(l->b, is_aligned(l, a, offset, part * 4), has_room(l, a, offset, part * 4), "");
        LLVMValueRef unaligned = LLVMBuildAnd(l->b, a->predicate, LLVMBuildNot(l->b, aligned, ""), "");
        store_at(l, a, LLVMBuildAnd(l->b, a->predicate, aligned, ""), offset, bits, part, values + first);
        LLVMBasicBlockRef done = enter_unaligned(l, unaligned);
        store_apart(l, a, offset, part, values + first);
        LLVMBuildBr(l->b, done);
        LLVMPositionBuilderAtEnd(l->b, done);
        first += part;
    }
}

void wl_ptx_store(struct wl_lift *l, const struct wl_ptx_access *a, unsigned bits, unsigned count, LLVMValueRef *values) {
    struct wl_ptx_access inside = *a;
    if (a->lds)
        inside.predicate = LLVMBuildAnd(l->b, a->predicate, wl_ptx_within_lds(l, a, count * bits / 8), "");
    store_parts(l, &inside, bits, count, values);
}

/* ---- addresses ---- */

/* A lane's private memory as a generic address. */
static LLVMValueRef scratch_generic(struct wl_lift *l) {
    LLVMValueRef memory = l->ptx->scratch[wl_ptx_strip(l)];
    return memory ? LLVMBuildPtrToInt(l->b, memory, l->i64, "") : LLVMConstNull(l->i64);
}

LLVMValueRef wl_ptx_scratch(struct wl_lift *l) {
    LLVMValueRef memory = l->ptx->scratch[wl_ptx_strip(l)];
    if (!memory)
        return LLVMConstNull(l->i32);
    LLVMValueRef local = LLVMBuildAddrSpaceCast(l->b, memory, LLVMPointerTypeInContext(l->context, 5), "");
    return LLVMBuildPtrToInt(l->b, local, l->i32, "");
}

void wl_ptx_flat_address(struct wl_lift *l, LLVMValueRef address, struct wl_ptx_access *a) {
    LLVMValueRef high = LLVMBuildTrunc(l->b, LLVMBuildLShr(l->b, address, wl_lift_int(l, l->i64, 32), ""), l->i32, "");
    LLVMValueRef low = LLVMBuildAnd(l->b, address, wl_lift_int(l, l->i64, UINT32_MAX), "");
    LLVMValueRef shared = LLVMBuildPtrToInt(l->b, LLVMBuildAddrSpaceCast(l->b, l->ptx->lds, l->ptr, ""), l->i64, "");
    LLVMValueRef is_shared = LLVMBuildICmp(l->b, LLVMIntEQ, high, wl_lift_int(l, l->i32, WL_SHARED_APERTURE_HI), "");
    LLVMValueRef is_private = LLVMBuildICmp(l->b, LLVMIntEQ, high, wl_lift_int(l, l->i32, WL_PRIVATE_APERTURE_HI), "");
    LLVMValueRef result = LLVMBuildSelect(l->b, is_shared, LLVMBuildAdd(l->b, shared, low, ""), address, "");
    if (l->ptx->scratch[wl_ptx_strip(l)])
        result = LLVMBuildSelect(l->b, is_private, LLVMBuildAdd(l->b, scratch_generic(l), low, ""), result, "");
    l->ptx->info->uses_lds = true; /* perhaps */
    a->space = WL_PTX_GENERIC;
    a->address = result;
    a->lds = LLVMBuildTrunc(l->b, address, l->i32, "");
    a->in_lds = is_shared;
}

LLVMValueRef wl_ptx_wide_address(struct wl_lift *l, const struct wl_inst *inst, const struct wl_operand *address,
                                 const struct wl_operand *scalar) {
    LLVMValueRef base = NULL, own = NULL;
    if (scalar && scalar->kind == WL_OPERAND_SGPR)
        base = wl_lift_sgpr64(l, scalar->reg);
    if (inst->isa->by_lane)
        own = LLVMBuildZExt(l->b, LLVMBuildShl(l->b, wl_ptx_wave_lane(l), wl_lift_int(l, l->i32, 2), ""), l->i64, "");
    else if (is_vgpr(address))
        own = address->count >= 2 ? wl_ptx_scalar(l, wl_ptx_pair(l, address->reg))
                                  : LLVMBuildZExt(l->b, wl_ptx_dword(l, address->reg), l->i64, "");
    if (base && own)
        return LLVMBuildAdd(l->b, base, own, "");
    return base ? base : own ? own : LLVMConstNull(l->i64);
}

LLVMValueRef wl_ptx_scratch_address(struct wl_lift *l, const struct wl_operand *address, const struct wl_operand *scalar) {
    LLVMValueRef offset = is_vgpr(address) ? wl_ptx_dword(l, address->reg) : LLVMConstNull(l->i32);
    if (scalar && scalar->kind != WL_OPERAND_OFF)
        offset = LLVMBuildAdd(l->b, offset, wl_lift_scalar_operand(l, scalar, WL_U32), "");
    return LLVMBuildAdd(l->b, wl_ptx_scratch(l), offset, "");
}

LLVMValueRef wl_ptx_lds_address(struct wl_lift *l, LLVMValueRef offset) {
    l->ptx->info->uses_lds = true;
    return LLVMBuildAdd(l->b, LLVMBuildPtrToInt(l->b, l->ptx->lds, l->i32, ""), offset, "");
}

/* The access of the strip at hand, but for LDS instructions with two addresses, whose offsets the caller sets. */
static bool find_access(struct wl_lift *l, const struct wl_inst *inst, const struct wl_memory_operands *op, struct wl_ptx_access *a) {
    *a = (struct wl_ptx_access){.inst = inst, .predicate = wl_ptx_exec(l), .offset = inst->offset0, .wide_scope = true};
    const bool of_memory = inst->isa->space != WL_SPACE_LDS && !wl_inst_is_of_lane(inst);
    a->is_volatile = inst->isa->class != WL_ISA_ATOMIC && of_memory && wl_inst_is_coherent(inst);
    a->looks_again = inst->looks_again && of_memory;
    if (l->unit.facts && is_vgpr(op->address) && l->unit.facts->row[op->address->reg].kind == WL_FACT_AFFINE)
        a->stride = l->unit.facts->row[op->address->reg].stride;
    switch ((enum wl_space)inst->isa->space) {
    case WL_SPACE_LDS:
        a->space = WL_PTX_SHARED;
        a->lds = wl_ptx_dword(l, op->address->reg);
        a->address = wl_ptx_lds_address(l, a->lds);
        return true;
    case WL_SPACE_SCRATCH:
        a->space = WL_PTX_LOCAL;
        a->address = wl_ptx_scratch_address(l, op->address, op->scalar);
        return true;
    case WL_SPACE_GLOBAL:
        a->space = WL_PTX_GLOBAL;
        a->address = wl_ptx_wide_address(l, inst, op->address, op->scalar);
        return true;
    case WL_SPACE_FLAT:
        a->address = wl_ptx_wide_address(l, inst, op->address, op->scalar);
        wl_ptx_flat_address(l, LLVMBuildAdd(l->b, a->address, wl_lift_int(l, l->i64, (uint64_t)(int64_t)inst->offset0), ""), a);
        a->offset = 0;
        return true;
    case WL_SPACE_BUFFER:
        if (inst->is_private)
            wl_ptx_private_address(l, inst, a);
        else
            wl_ptx_buffer_address(l, inst, a);
        return true;
    default:
        return false;
    }
}

/* ---- instructions ---- */

static LLVMValueRef merge_half(struct wl_lift *l, const struct wl_isa *isa, LLVMValueRef old, LLVMValueRef value) {
    LLVMValueRef half = wl_lift_int(l, l->i32, 0xffff), sixteen = wl_lift_int(l, l->i32, 16);
    value = LLVMBuildAnd(l->b, value, half, "");
    if (isa->hi)
        return LLVMBuildOr(l->b, LLVMBuildAnd(l->b, old, half, ""), LLVMBuildShl(l->b, value, sixteen, ""), "");
    return LLVMBuildOr(l->b, LLVMBuildAnd(l->b, old, LLVMBuildNot(l->b, half, ""), ""), value, "");
}

/* One access, or `each` dword by one of its own. */
static void load(struct wl_lift *l, const struct wl_inst *inst, const struct wl_memory_operands *op, struct wl_ptx_access *a, bool each) {
    const struct wl_isa *isa = inst->isa;
    LLVMValueRef old[MAX_DWORDS], values[MAX_DWORDS];
    unsigned bits = isa->bits < 32 ? isa->bits : 32, count = isa->dwords;
    bool out_of_range_is_zero = isa->space == WL_SPACE_BUFFER;
    for (unsigned i = 0; i < count; i++) {
        bool kept = wl_ptx_keeps_inactive(l, op->result->reg + i);
        old[i] = isa->d16 ? LLVMConstNull(l->i32) : kept ? wl_ptx_dword(l, op->result->reg + i) : LLVMGetUndef(l->i32);
        if (out_of_range_is_zero)
            old[i] = LLVMConstNull(l->i32);
    }
    for (unsigned i = 0; i < (each ? count : 1); i++)
        wl_ptx_load(l, &a[i], bits, isa->sign, each ? 1 : count, old + i, values + i);
    if (isa->d16)
        values[0] = merge_half(l, isa, inst->zeroes_half ? LLVMConstNull(l->i32) : wl_ptx_dword(l, op->result->reg), values[0]);
    for (unsigned i = 0; i < count; i++) {
        if (isa->d16 || out_of_range_is_zero) /* else lanes that are off keep theirs in the load itself */
            wl_ptx_set_dword(l, op->result->reg + i, values[i]);
        else
            LLVMBuildStore(l->b, wl_ptx_vector(l, values[i]), l->ptx->row[wl_ptx_strip(l)][op->result->reg + i]);
    }
    if (inst->tfe) /* no page is missing */
        wl_ptx_set_dword(l, op->result->reg + count, LLVMConstNull(l->i32));
}

static void store(struct wl_lift *l, const struct wl_inst *inst, const struct wl_memory_operands *op, struct wl_ptx_access *a, bool each) {
    const struct wl_isa *isa = inst->isa;
    LLVMValueRef values[MAX_DWORDS];
    for (unsigned i = 0; i < isa->dwords; i++)
        values[i] = wl_ptx_dword(l, op->data->reg + i);
    if (isa->hi)
        values[0] = LLVMBuildLShr(l->b, values[0], wl_lift_int(l, l->i32, 16), "");
    for (unsigned i = 0; i < (each ? isa->dwords : 1u); i++)
        wl_ptx_store(l, &a[i], isa->bits < 32 ? isa->bits : 32, each ? 1 : isa->dwords, values + i);
}

struct wl_ptx_access wl_ptx_lds_slot(struct wl_lift *l, const struct wl_inst *inst) {
    LLVMValueRef m0 = LLVMBuildAnd(l->b, wl_lift_sgpr(l, WL_SGPR_M0), wl_lift_int(l, l->i32, WL_M0_LDS), "");
    const int32_t size = inst->isa->dwords ? inst->isa->dwords * 4 : 4;
    LLVMValueRef own = LLVMBuildMul(l->b, wl_ptx_wave_lane(l), wl_lift_int(l, l->i32, (uint32_t)size), "");
    struct wl_ptx_access slot = {
        .inst = inst, .space = WL_PTX_SHARED, .offset = inst->offset0, .predicate = wl_ptx_exec(l), .stride = size};
    slot.lds = LLVMBuildAdd(l->b, m0, own, "");
    slot.address = wl_ptx_lds_address(l, slot.lds);
    return slot;
}

void wl_ptx_meet(struct wl_lift *l) {
    if (!l->ptx->lane_per_thread)
        wl_ptx_asm(l, "bar.warp.sync 0xffffffff;", "~{memory}", l->void_type, NULL, 0, true);
}

/* Between memory and LDS. The places of one instruction's lanes are those of other lanes at the next one's: what finds an address may
 * have let threads part, and they have to meet before LDS is touched. */
static void move_lds(struct wl_lift *l, const struct wl_inst *inst, struct wl_ptx_access *a, bool each) {
    const struct wl_isa *isa = inst->isa;
    const bool loads = isa->class == WL_ISA_LOAD;
    struct wl_ptx_access slot = wl_ptx_lds_slot(l, inst);
    LLVMValueRef zeros[MAX_DWORDS], values[MAX_DWORDS];
    for (unsigned i = 0; i < MAX_DWORDS; i++)
        zeros[i] = LLVMConstNull(l->i32);
    if (!loads) {
        wl_ptx_meet(l);
        wl_ptx_load(l, &slot, 32, false, isa->dwords, zeros, values);
    }
    for (unsigned i = 0; i < (each ? isa->dwords : 1u); i++) {
        const unsigned count = each ? 1 : isa->dwords;
        if (loads)
            wl_ptx_load(l, &a[i], isa->bits < 32 ? isa->bits : 32, isa->sign, count, zeros, values + i);
        else
            wl_ptx_store(l, &a[i], 32, count, values + i);
    }
    if (loads) {
        wl_ptx_meet(l);
        wl_ptx_store(l, &slot, 32, isa->dwords, values);
    }
}

/* LDS instructions with two addresses: neighbours are one access. */
static void access_two(struct wl_lift *l, const struct wl_inst *inst, const struct wl_memory_operands *op, struct wl_ptx_access *a) {
    const struct wl_isa *isa = inst->isa;
    unsigned n = isa->dwords, size = n * 4, unit = isa->stride64 ? size * 64 : size;
    int64_t offsets[2] = {(int64_t)inst->offset0 * unit, (int64_t)inst->offset1 * unit};
    LLVMValueRef values[2 * MAX_DWORDS], old[2 * MAX_DWORDS];
    for (unsigned i = 0; i < 2 * n && isa->class == WL_ISA_STORE; i++)
        values[i] = i < n ? wl_ptx_dword(l, op->data->reg + i) : wl_ptx_dword(l, op->data1->reg + i - n);
    for (unsigned i = 0; i < 2 * n && op->result; i++)
        old[i] = wl_ptx_keeps_inactive(l, op->result->reg + i) ? wl_ptx_dword(l, op->result->reg + i) : LLVMGetUndef(l->i32);
    /* Compilers have instructions for aligned neighbours, and these for others: as one only where lanes' places tell that they are aligned. */
    bool joined = offsets[1] == offsets[0] + size && a->stride && a->stride % (int32_t)(2 * size) == 0;
    for (unsigned part = 0; part < (joined ? 1 : 2); part++) {
        unsigned count = joined ? 2 * n : n;
        a->offset = offsets[part];
        if (isa->class == WL_ISA_STORE)
            wl_ptx_store(l, a, 32, count, values + part * n);
        else
            wl_ptx_load(l, a, 32, false, count, old + part * n, values + part * n);
    }
    for (unsigned i = 0; i < 2 * n && op->result; i++)
        LLVMBuildStore(l->b, wl_ptx_vector(l, values[i]), l->ptx->row[wl_ptx_strip(l)][op->result->reg + i]);
}

static LLVMValueRef wide_data(struct wl_lift *l, unsigned reg, unsigned bits) {
    return bits == 64 ? wl_ptx_scalar(l, wl_ptx_pair(l, reg)) : wl_ptx_dword(l, reg);
}

static uint8_t atomic_operation(const struct wl_lift *l, const struct wl_isa *isa) {
    bool flushing = wl_processor_has(l->unit.request->processor, WL_FLUSHES_ATOMICS);
    if (isa->atomic == WL_ATOMIC_FADD && isa->bits == 32 && isa->space != WL_SPACE_LDS && flushing)
        return WL_ATOMIC_FADD_FLUSH;
    return isa->atomic;
}

/* The second data value: behind the first in vector memory (cmpswap), an operand of its own in LDS. */
static void atomic(struct wl_lift *l, const struct wl_inst *inst, const struct wl_memory_operands *op, struct wl_ptx_access *a) {
    const struct wl_isa *isa = inst->isa;
    const struct wl_operand *first = op->data, *second = op->data1;
    unsigned n = isa->bits / 32;
    if (second && isa->compare_first) {
        first = op->data1;
        second = op->data;
    }
    LLVMValueRef data = wide_data(l, first->reg, isa->bits), compare = NULL;
    if (second)
        compare = wide_data(l, second->reg, isa->bits);
    else if (first->count >= 2 * n)
        compare = wide_data(l, first->reg + n, isa->bits);
    LLVMValueRef old = wl_ptx_atomic(l, a, atomic_operation(l, isa), isa->bits, data, compare, op->result != NULL);
    if (!op->result)
        return;
    if (isa->bits == 64)
        wl_ptx_set_pair(l, op->result->reg, wl_ptx_vector(l, old));
    else
        wl_ptx_set_dword(l, op->result->reg, old);
}

static void access_one(struct wl_lift *l, const struct wl_inst *inst, const struct wl_memory_operands *op, struct wl_ptx_access *a,
                       bool each) {
    if (inst->lds)
        move_lds(l, inst, a, each);
    else if (inst->isa->addresses == 2)
        access_two(l, inst, op, a);
    else if (inst->isa->class == WL_ISA_LOAD)
        load(l, inst, op, a, each);
    else if (inst->isa->class == WL_ISA_STORE)
        store(l, inst, op, a, each);
    else
        atomic(l, inst, op, a);
}

static bool is_uniform(const struct wl_lift *l, const struct wl_operand *address) {
    for (unsigned i = 0; is_vgpr(address) && i < address->count; i++) {
        const struct wl_fact *fact = l->unit.facts ? &l->unit.facts->row[address->reg + i] : NULL;
        if (!fact || !wl_fact_is_uniform(fact) || fact->lanes < l->wave_size)
            return false;
    }
    return true;
}

/* Whether all lanes load from one address, which is not each lane's own. */
static bool is_of_one_place(const struct wl_lift *l, const struct wl_inst *inst, const struct wl_memory_operands *op) {
    const struct wl_isa *isa = inst->isa;
    const bool shared = isa->space == WL_SPACE_GLOBAL || isa->space == WL_SPACE_LDS || (isa->space == WL_SPACE_FLAT && !l->ptx->scratch[0]);
    return isa->class == WL_ISA_LOAD && shared && isa->addresses != 2 && !isa->by_lane && !inst->lds && !inst->tfe &&
           is_uniform(l, op->address);
}

/* Loads once for the two lanes that a thread has: compilers rely on it that all lanes see one value, whatever others store meanwhile. */
static void load_once(struct wl_lift *l, const struct wl_inst *inst, const struct wl_memory_operands *op) {
    const struct wl_isa *isa = inst->isa;
    struct wl_ptx_access a[2];
    LLVMValueRef values[MAX_DWORDS], nothing[MAX_DWORDS];
    for (unsigned s = 0; s < 2; s++) {
        wl_ptx_enter_strip(l, s);
        (void)find_access(l, inst, op, &a[s]);
    }
    LLVMValueRef first = a[0].predicate;
    a[0].address = LLVMBuildSelect(l->b, first, a[0].address, a[1].address, "");
    if (a[0].lds)
        a[0].lds = LLVMBuildSelect(l->b, first, a[0].lds, a[1].lds, "");
    if (a[0].in_lds)
        a[0].in_lds = LLVMBuildSelect(l->b, first, a[0].in_lds, a[1].in_lds, "");
    a[0].predicate = LLVMBuildOr(l->b, first, a[1].predicate, "");
    for (unsigned i = 0; i < isa->dwords; i++)
        nothing[i] = LLVMGetUndef(l->i32);
    if (isa->d16)
        nothing[0] = LLVMConstNull(l->i32);
    wl_ptx_load(l, &a[0], isa->bits < 32 ? isa->bits : 32, isa->sign, isa->dwords, nothing, values);
    for (unsigned s = 0; s < 2; s++) {
        wl_ptx_enter_strip(l, s);
        for (unsigned i = 0; i < isa->dwords; i++) {
            LLVMValueRef old = isa->d16 && !inst->zeroes_half ? wl_ptx_dword(l, op->result->reg) : LLVMConstNull(l->i32);
            wl_ptx_set_dword(l, op->result->reg + i, isa->d16 ? merge_half(l, isa, old, values[0]) : values[i]);
        }
    }
}

/* odd: through a descriptor of any kind. */
static void lift_plain(struct wl_lift *l, const struct wl_inst *inst, const struct wl_memory_operands *op, bool odd) {
    const struct wl_isa *isa = inst->isa;
    bool whole = isa->class == WL_ISA_ATOMIC || isa->bits < 32;
    if (l->strips == 2 && !odd && is_of_one_place(l, inst, op)) {
        load_once(l, inst, op);
        return;
    }
    for (unsigned s = 0; s < l->strips; s++) {
        struct wl_ptx_access a[MAX_DWORDS];
        wl_ptx_enter_strip(l, s);
        if (odd) {
            wl_ptx_buffer_places(l, inst, whole ? 1 : isa->dwords, whole ? isa->bits / 8 : 4, a);
        } else if (!find_access(l, inst, op, a)) {
            wl_ptx_unsupported(l, inst);
            return;
        }
        access_one(l, inst, op, a, odd && !whole);
    }
}

/* What a descriptor is, is known at run time; unoptimized code, with its many accesses, has those of scratch. */
static void lift_buffer(struct wl_lift *l, const struct wl_inst *inst, const struct wl_memory_operands *op) {
    /* With LDS: at the end of a branch ptxas makes the store one that only the lanes take which are on, and threads do not meet again. */
    if (inst->idxen || inst->tfe || inst->lds) {
        lift_plain(l, inst, op, true);
        return;
    }
    if (l->ptx->unoptimized || inst->is_private) {
        lift_plain(l, inst, op, false);
        return;
    }
    LLVMBasicBlockRef odd = wl_lift_ir_block(l, "odd"), linear = wl_lift_ir_block(l, "linear"), done = wl_lift_ir_block(l, "done");
    LLVMBuildCondBr(l->b, wl_ptx_buffer_is_odd(l, inst), odd, linear);
    LLVMPositionBuilderAtEnd(l->b, odd);
    lift_plain(l, inst, op, true);
    LLVMBuildBr(l->b, done);
    LLVMPositionBuilderAtEnd(l->b, linear);
    lift_plain(l, inst, op, false);
    LLVMBuildBr(l->b, done);
    LLVMPositionBuilderAtEnd(l->b, done);
}

void wl_ptx_lift_memory(struct wl_lift *l, const struct wl_inst *inst) {
    const struct wl_isa *isa = inst->isa;
    struct wl_memory_operands op = wl_memory_operands(inst);
    if (isa->space == WL_SPACE_TBUFFER || (isa->space == WL_SPACE_BUFFER && isa->detail)) {
        wl_ptx_lift_typed(l, inst);
        return;
    }
    if (inst->gds || inst->addr64 || isa->dwords > MAX_DWORDS) {
        wl_ptx_unsupported(l, inst);
        return;
    }
    if (isa->class != WL_ISA_LOAD && isa->space != WL_SPACE_LDS && !wl_inst_is_of_lane(inst))
        wl_ptx_publish(l);
    if (isa->addresses == 2 && isa->class == WL_ISA_ATOMIC)
        wl_ptx_lift_two_swaps(l, inst);
    else if (isa->space == WL_SPACE_BUFFER)
        lift_buffer(l, inst, &op);
    else
        lift_plain(l, inst, &op, false);
}

/* ---- order ---- */

/* What a wait or a cache instruction asks for. AMD code waits for its stores before it publishes them; a wait for loads alone
 * leaves stores in flight, so that a full wait directly behind a store is such a release. What also keeps later loads behind earlier stores
 * is marked (fence.c). */
void wl_ptx_lift_nop(struct wl_lift *l, const struct wl_inst *inst) {
    const char *name = inst->mnemonic;
    bool waits = !strncmp(name, "s_waitcnt", 9) || !strncmp(name, "s_wait_", 7);
    if (inst->fence) {
        wl_ptx_asm(l, "fence.sc.sys;", "~{memory}", l->void_type, NULL, 0, true);
        l->ptx->release = false;
        return;
    }
    if (waits) {
        bool stores = strstr(name, "vscnt") || strstr(name, "storecnt");
        enum { VM_LOW = 0xf, VM_HIGH = 3 << 14, VM_GFX11 = 0x3f << 10 };
        uint64_t bits = inst->operand_count ? inst->operands[inst->operand_count - 1].bits : 0;
        bool full = l->generation == 11 ? !(bits & VM_GFX11) : !(bits & VM_LOW) && !(bits & VM_HIGH);
        if (!strcmp(name, "s_waitcnt") && l->generation == 9)
            stores = full;
        if (stores && l->ptx->store_may_wait)
            l->ptx->release = true;
        return;
    }
    bool device = !strncmp(name, "buffer_wb", 9) || !strcmp(name, "buffer_inv") || !strcmp(name, "buffer_gl1_inv") ||
                  !strncmp(name, "global_inv", 10) || !strncmp(name, "global_wb", 9) || !strcmp(name, "buffer_invl2");
    if (device || !strcmp(name, "s_dcache_inv"))
        wl_ptx_asm(l, "fence.acq_rel.sys;", "~{memory}", l->void_type, NULL, 0, true);
    else if (!strcmp(name, "buffer_gl0_inv") && l->ptx->accessed) /* not directly behind a barrier, which does as much */
        wl_ptx_asm(l, "fence.acq_rel.cta;", "~{memory}", l->void_type, NULL, 0, true);
}

void wl_ptx_publish(struct wl_lift *l) {
    if (l->ptx->release)
        wl_ptx_asm(l, "fence.acq_rel.sys;", "~{memory}", l->void_type, NULL, 0, true);
    l->ptx->release = false;
}
