/* Registers, predicates, votes. */
#include "translate/lift/values.h"
#include "translate/nvptx/ptx.h"

#include <stdio.h>
#include <string.h>

/* ---- tools ---- */

static void add_attribute(struct wl_lift *l, LLVMValueRef function, const char *name, uint64_t value) {
    unsigned kind = LLVMGetEnumAttributeKindForName(name, strlen(name));
    LLVMAddAttributeAtIndex(function, LLVMAttributeFunctionIndex, LLVMCreateEnumAttribute(l->context, kind, value));
}

LLVMValueRef wl_ptx_marker(struct wl_lift *l, const char *name, LLVMTypeRef result, LLVMValueRef *arguments, unsigned count, bool pure) {
    LLVMValueRef function = LLVMGetNamedFunction(l->module, name);
    LLVMTypeRef types[10];
    for (unsigned i = 0; i < count; i++)
        types[i] = LLVMTypeOf(arguments[i]);
    LLVMTypeRef type = LLVMFunctionType(result, types, count, 0);
    if (!function) {
        function = LLVMAddFunction(l->module, name, type);
        add_attribute(l, function, "nounwind", 0);
        add_attribute(l, function, "convergent", 0);
        if (pure) {
            add_attribute(l, function, "willreturn", 0);
            add_attribute(l, function, "memory", 0);
        }
    }
    return LLVMBuildCall2(l->b, type, function, arguments, count, "");
}

LLVMValueRef wl_ptx_asm(struct wl_lift *l, const char *text, const char *constraints, LLVMTypeRef result, LLVMValueRef *arguments,
                        unsigned count, bool effects) {
    LLVMTypeRef types[16];
    for (unsigned i = 0; i < count; i++)
        types[i] = LLVMTypeOf(arguments[i]);
    LLVMTypeRef type = LLVMFunctionType(result, types, count, 0);
    LLVMValueRef code =
        LLVMGetInlineAsm(type, text, strlen(text), constraints, strlen(constraints), effects, 0, LLVMInlineAsmDialectATT, 0);
    return LLVMBuildCall2(l->b, type, code, arguments, count, "");
}

void wl_ptx_unsupported(struct wl_lift *l, const struct wl_inst *inst) {
    const struct wl_translate_request *request = l->unit.request;
    char encoding[64] = "";
    for (unsigned i = 0; i + 4 <= inst->size && i < 16; i += 4) {
        uint32_t dword;
        memcpy(&dword, request->image + inst->address + i, 4);
        snprintf(encoding + strlen(encoding), sizeof encoding - strlen(encoding), "%s%08X", i ? " " : "", dword);
    }
    if (!l->status)
        l->status = wl_fail(WL_UNSUPPORTED, "%s: instruction %s at offset 0x%llx is not implemented for NVIDIA GPUs (encoding %s)",
                            request->name, inst->mnemonic, (unsigned long long)(inst->address - request->entry), encoding);
}

void wl_ptx_enter_strip(struct wl_lift *l, unsigned strip) {
    l->strip = &l->region.strip_states[strip];
    l->strip->number = wl_lift_int(l, l->i64, strip);
    l->strip->first_lane = wl_lift_int(l, l->i64, UINT64_C(32) * strip);
}

unsigned wl_ptx_strip(const struct wl_lift *l) { return (unsigned)(l->strip - l->region.strip_states); }

LLVMValueRef wl_ptx_scalar(struct wl_lift *l, LLVMValueRef value) {
    return LLVMBuildExtractElement(l->b, value, LLVMConstNull(l->i32), "");
}

LLVMValueRef wl_ptx_vector(struct wl_lift *l, LLVMValueRef value) {
    LLVMTypeRef type = LLVMVectorType(LLVMTypeOf(value), 1);
    return LLVMBuildInsertElement(l->b, LLVMGetPoison(type), value, LLVMConstNull(l->i32), "");
}

/* ---- vector registers ---- */

LLVMValueRef wl_ptx_row(struct wl_lift *l, unsigned row) {
    return LLVMBuildLoad2(l->b, l->strip_i32, l->ptx->row[wl_ptx_strip(l)][row], "");
}

LLVMValueRef wl_ptx_pair(struct wl_lift *l, unsigned row) {
    LLVMValueRef low = LLVMBuildZExt(l->b, wl_ptx_row(l, row), l->strip_i64, "");
    LLVMValueRef high = LLVMBuildZExt(l->b, wl_ptx_row(l, row + 1), l->strip_i64, "");
    return LLVMBuildOr(l->b, low, LLVMBuildShl(l->b, high, wl_lift_int(l, l->strip_i64, 32), ""), "");
}

bool wl_ptx_keeps_inactive(const struct wl_lift *l, unsigned row) {
    return !l->ptx->exec_is_full && wl_bit(l->unit.live_after[l->unit.at].inactive, row);
}

void wl_ptx_set_row(struct wl_lift *l, unsigned row, LLVMValueRef value) {
    if (wl_ptx_keeps_inactive(l, row))
        value = LLVMBuildSelect(l->b, wl_ptx_exec(l), value, wl_ptx_row(l, row), "");
    LLVMBuildStore(l->b, value, l->ptx->row[wl_ptx_strip(l)][row]);
}

void wl_ptx_set_pair(struct wl_lift *l, unsigned row, LLVMValueRef value) {
    LLVMValueRef high = LLVMBuildLShr(l->b, value, wl_lift_int(l, l->strip_i64, 32), "");
    wl_ptx_set_row(l, row, LLVMBuildTrunc(l->b, value, l->strip_i32, ""));
    wl_ptx_set_row(l, row + 1, LLVMBuildTrunc(l->b, high, l->strip_i32, ""));
}

LLVMValueRef wl_ptx_dword(struct wl_lift *l, unsigned row) { return wl_ptx_scalar(l, wl_ptx_row(l, row)); }

void wl_ptx_set_dword(struct wl_lift *l, unsigned row, LLVMValueRef value) { wl_ptx_set_row(l, row, wl_ptx_vector(l, value)); }

/* ---- masks ---- */

/* With a thread for each lane, a pair has one predicate. */
static unsigned predicate_number(const struct wl_lift *l, unsigned reg) { return l->ptx->lane_per_thread ? reg & ~1u : reg; }

LLVMValueRef wl_ptx_predicate(struct wl_lift *l, unsigned reg) {
    return LLVMBuildLoad2(l->b, l->i1, l->ptx->predicate[predicate_number(l, reg)], "");
}

LLVMValueRef wl_ptx_exec(struct wl_lift *l) { return wl_ptx_predicate(l, WL_SGPR_EXEC + wl_ptx_strip(l)); }

LLVMValueRef wl_ptx_mask(struct wl_lift *l, unsigned reg) {
    LLVMValueRef compared = l->ptx->compared[predicate_number(l, reg + wl_ptx_strip(l))];
    return wl_ptx_vector(l, compared ? compared : wl_ptx_predicate(l, reg + wl_ptx_strip(l)));
}

static LLVMValueRef lane_bit(struct wl_lift *l, LLVMValueRef bits) {
    if (LLVMIsConstant(bits) && (LLVMIsNull(bits) || bits == LLVMConstAllOnes(l->i32)))
        return LLVMConstInt(l->i1, !LLVMIsNull(bits), 0);
    return LLVMBuildTrunc(l->b, LLVMBuildLShr(l->b, bits, l->ptx->lane, ""), l->i1, "");
}

LLVMValueRef wl_ptx_bit_of(struct wl_lift *l, LLVMValueRef low, LLVMValueRef high) {
    if (low == high && LLVMIsConstant(low) && (LLVMIsNull(low) || low == LLVMConstAllOnes(l->i32)))
        return lane_bit(l, low);
    LLVMValueRef upper = LLVMBuildICmp(l->b, LLVMIntUGT, l->ptx->lane, wl_lift_int(l, l->i32, 31), "");
    LLVMValueRef within = LLVMBuildAnd(l->b, l->ptx->lane, wl_lift_int(l, l->i32, 31), "");
    LLVMValueRef bits = LLVMBuildSelect(l->b, upper, high, low, "");
    return LLVMBuildTrunc(l->b, LLVMBuildLShr(l->b, bits, within, ""), l->i1, "");
}

LLVMValueRef wl_ptx_of_mask(struct wl_lift *l, LLVMValueRef mask) {
    if (l->ptx->lane_per_thread) {
        LLVMValueRef lane = LLVMBuildZExt(l->b, l->ptx->lane, l->i64, "");
        return wl_ptx_vector(l, LLVMBuildTrunc(l->b, LLVMBuildLShr(l->b, mask, lane, ""), l->i1, ""));
    }
    if (LLVMTypeOf(mask) == l->i64)
        mask = LLVMBuildTrunc(l->b, LLVMBuildLShr(l->b, mask, l->strip->first_lane, ""), l->i32, "");
    return wl_ptx_vector(l, lane_bit(l, mask));
}

void wl_ptx_set_predicate(struct wl_lift *l, unsigned reg, LLVMValueRef predicate) {
    LLVMBuildStore(l->b, predicate, l->ptx->predicate[predicate_number(l, reg)]);
    l->ptx->compared[predicate_number(l, reg)] = NULL;
    if (reg == WL_SGPR_EXEC || reg == WL_SGPR_EXEC + 1)
        memset(l->ptx->compared, 0, sizeof l->ptx->compared);
}

void wl_ptx_set_ballot(struct wl_lift *l, unsigned reg, LLVMValueRef predicate) {
    LLVMBuildStore(l->b, wl_ptx_ballot(l, predicate), l->unit.sgpr[reg]);
    if (l->ptx->lane_per_thread)
        LLVMBuildStore(l->b, wl_ptx_marker(l, "wl.ballot.high", l->i32, &predicate, 1, true), l->unit.sgpr[reg + 1]);
}

void wl_ptx_set_mask(struct wl_lift *l, unsigned reg, LLVMValueRef lanes) {
    unsigned strip = wl_ptx_strip(l);
    LLVMValueRef compared = wl_ptx_scalar(l, lanes), predicate = LLVMBuildAnd(l->b, compared, wl_ptx_exec(l), "");
    wl_ptx_set_ballot(l, reg + strip, predicate);
    wl_ptx_set_predicate(l, reg + strip, predicate);
    if (reg != WL_SGPR_EXEC)
        l->ptx->compared[predicate_number(l, reg + strip)] = compared;
}

void wl_ptx_scalar_written(struct wl_lift *l, unsigned reg, LLVMValueRef bits) {
    if (!l->ptx->lane_per_thread) {
        wl_ptx_set_predicate(l, reg, lane_bit(l, bits));
        return;
    }
    LLVMValueRef other = LLVMBuildLoad2(l->b, l->i32, l->unit.sgpr[reg ^ 1], "");
    wl_ptx_set_predicate(l, reg, reg & 1 ? wl_ptx_bit_of(l, other, bits) : wl_ptx_bit_of(l, bits, other));
}

LLVMValueRef wl_ptx_ballot(struct wl_lift *l, LLVMValueRef predicate) { return wl_ptx_marker(l, "wl.ballot", l->i32, &predicate, 1, true); }

LLVMValueRef wl_ptx_vote_any(struct wl_lift *l, LLVMValueRef predicate) { return wl_ptx_marker(l, "wl.any", l->i1, &predicate, 1, true); }

LLVMValueRef wl_ptx_any(struct wl_lift *l, unsigned reg) {
    LLVMValueRef predicate = wl_ptx_predicate(l, reg);
    if (l->strips == 2)
        predicate = LLVMBuildOr(l->b, predicate, wl_ptx_predicate(l, reg + 1), "");
    return wl_ptx_vote_any(l, predicate);
}

LLVMValueRef wl_ptx_any_own(struct wl_lift *l, unsigned reg) {
    LLVMValueRef predicate = wl_ptx_predicate(l, reg);
    if (l->strips == 2)
        predicate = LLVMBuildOr(l->b, predicate, wl_ptx_predicate(l, reg + 1), "");
    return wl_ptx_marker(l, "wl.any.own", l->i1, &predicate, 1, true);
}

/* ---- the launch ---- */

LLVMValueRef wl_ptx_launch_field(struct wl_lift *l, size_t offset, LLVMTypeRef type) {
    LLVMValueRef index = wl_lift_int(l, l->i64, offset);
    LLVMValueRef value = LLVMBuildLoad2(l->b, type, LLVMBuildGEP2(l->b, l->i8, l->ptx->launch, &index, 1, ""), "");
    LLVMValueRef empty = LLVMMetadataAsValue(l->context, LLVMMDNodeInContext2(l->context, NULL, 0));
    LLVMSetMetadata(value, LLVMGetMDKindIDInContext(l->context, "invariant.load", 14), empty);
    return value;
}

LLVMValueRef wl_ptx_image(struct wl_lift *l) { return l->ptx->image; }

LLVMValueRef wl_ptx_mode(struct wl_lift *l) { return LLVMBuildLoad2(l->b, l->i32, l->ptx->mode, ""); }
