/* gfx12's loads that transpose what lanes load, and blocks of registers. */
#include "translate/isa/lane.h"
#include "translate/lift/values.h"
#include "translate/nvptx/memory.h"
#include "translate/nvptx/ptx.h"

enum { DWORDS = 4, BLOCK = 32 };

static LLVMValueRef number(struct wl_lift *l, uint64_t value) { return wl_lift_int(l, l->i32, value); }

static struct wl_ptx_access access_at(struct wl_lift *l, const struct wl_inst *inst, const struct wl_operand *address,
                                      const struct wl_operand *scalar) {
    bool scratch = inst->isa->space == WL_SPACE_SCRATCH;
    return (struct wl_ptx_access){
        .inst = inst,
        .space = scratch ? WL_PTX_LOCAL : WL_PTX_GLOBAL,
        .address = scratch ? wl_ptx_scratch_address(l, address, scalar) : wl_ptx_wide_address(l, inst, address, scalar),
        .offset = inst->offset0,
        .predicate = wl_ptx_exec(l),
    };
}

/* Element `n` of `bits` bits among dwords, n (i32) chosen at run time. */
static LLVMValueRef pick(struct wl_lift *l, LLVMValueRef *dwords, unsigned count, LLVMValueRef n, unsigned bits) {
    unsigned each = 32 / bits;
    LLVMValueRef value = dwords[0], index = LLVMBuildUDiv(l->b, n, number(l, each), "");
    for (unsigned i = 1; i < count; i++)
        value = LLVMBuildSelect(l->b, LLVMBuildICmp(l->b, LLVMIntEQ, index, number(l, i), ""), dwords[i], value, "");
    LLVMValueRef shift = LLVMBuildMul(l->b, LLVMBuildURem(l->b, n, number(l, each), ""), number(l, bits), "");
    return LLVMBuildAnd(l->b, LLVMBuildLShr(l->b, value, shift, ""), number(l, (UINT64_C(1) << bits) - 1), "");
}

/* b128: within each 8 lanes, the 16-bit element j of lane i becomes element i of lane j. b64: 8 x 8 bytes at a time; rows 0 to 3 are
 * loaded by four lanes of the first half of 16, rows 4 to 7 by those 8 lanes on. */
void wl_ptx_lift_transposed(struct wl_lift *l, const struct wl_inst *inst) {
    const struct wl_operand *op = inst->operands;
    const unsigned count = op[0].count, bits = count == 2 ? 8 : 16, each = 32 / bits;
    LLVMValueRef loaded[DWORDS] = {NULL}, results[DWORDS] = {NULL}, zeros[DWORDS], lane = l->ptx->lane;
    if (l->wave_size != 32 || count > DWORDS) {
        wl_ptx_unsupported(l, inst);
        return;
    }
    wl_ptx_enter_strip(l, 0);
    struct wl_ptx_access a = access_at(l, inst, &op[1], &op[2]);
    for (unsigned i = 0; i < count; i++)
        zeros[i] = LLVMConstNull(l->i32);
    wl_ptx_load(l, &a, 32, false, count, zeros, loaded);
    LLVMValueRef own = LLVMBuildAnd(l->b, lane, number(l, 7), ""), group = LLVMBuildAnd(l->b, lane, number(l, bits == 16 ? 24 : 16), "");
    if (bits == 8) /* lanes 8 to 15 get what lanes 4 to 7 and 12 to 15 load */
        group = LLVMBuildOr(l->b, group, LLVMBuildLShr(l->b, LLVMBuildAnd(l->b, lane, number(l, 8), ""), number(l, 1), ""), "");
    for (unsigned i = 0; i < count * each; i++) {
        unsigned step = bits == 16 ? i : i / 4 * 8 + i % 4;
        LLVMValueRef source = LLVMBuildAdd(l->b, group, number(l, step), ""), of[DWORDS] = {NULL};
        for (unsigned d = 0; d < count; d++)
            of[d] = wl_ptx_shuffle(l, loaded[d], source);
        LLVMValueRef element = LLVMBuildShl(l->b, pick(l, of, count, own, bits), number(l, i % each * bits), "");
        results[i / each] = i % each ? LLVMBuildOr(l->b, results[i / each], element, "") : element;
    }
    for (unsigned i = 0; i < count; i++)
        wl_ptx_set_dword(l, op[0].reg + i, results[i]);
}

/* Registers whose bits in M0 are set, from and to consecutive dwords. */
void wl_ptx_lift_ir_block(struct wl_lift *l, const struct wl_inst *inst) {
    const bool store = !wl_lane_of(inst)->results;
    const struct wl_operand *op = inst->operands, *data = &op[store ? 1 : 0], *address = &op[store ? 0 : 1];
    LLVMValueRef mask = wl_lift_sgpr(l, WL_SGPR_M0);
    if (store && inst->isa->space != WL_SPACE_SCRATCH)
        wl_ptx_publish(l);
    for (unsigned s = 0; s < l->strips; s++) {
        wl_ptx_enter_strip(l, s);
        struct wl_ptx_access a = access_at(l, inst, address, &op[2]);
        LLVMValueRef exec = a.predicate;
        for (unsigned i = 0; i < BLOCK; i++) {
            LLVMValueRef value = wl_ptx_dword(l, data->reg + i), old = value;
            LLVMValueRef named = LLVMBuildTrunc(l->b, LLVMBuildLShr(l->b, mask, number(l, i), ""), l->i1, "");
            a.predicate = LLVMBuildAnd(l->b, exec, named, "");
            a.offset = inst->offset0 + 4 * (int64_t)i;
            if (store) {
                wl_ptx_store(l, &a, 32, 1, &value);
                continue;
            }
            wl_ptx_load(l, &a, 32, false, 1, &old, &value);
            LLVMBuildStore(l->b, wl_ptx_vector(l, value), l->ptx->row[s][data->reg + i]);
        }
    }
}

/* ---- transposing loads from LDS: each 16 lanes load rows of 16 elements, a row by one, two or four lanes; lane i of them gets column i ---- */

/* Element `n` of `bits` bits, which may lie in two dwords. */
static LLVMValueRef pick_any(struct wl_lift *l, LLVMValueRef *dwords, unsigned count, LLVMValueRef n, unsigned bits) {
    LLVMValueRef at = LLVMBuildMul(l->b, n, number(l, bits), ""), index = LLVMBuildLShr(l->b, at, number(l, 5), "");
    LLVMValueRef low = dwords[0], high = count > 1 ? dwords[1] : dwords[0];
    for (unsigned i = 1; i < count; i++) {
        LLVMValueRef here = LLVMBuildICmp(l->b, LLVMIntEQ, index, number(l, i), "");
        low = LLVMBuildSelect(l->b, here, dwords[i], low, "");
        high = LLVMBuildSelect(l->b, here, dwords[i + 1 < count ? i + 1 : i], high, "");
    }
    LLVMValueRef arguments[] = {high, low, LLVMBuildAnd(l->b, at, number(l, 31), "")};
    LLVMValueRef window = wl_lift_intrinsic(l, "llvm.fshr", &l->i32, 1, arguments, 3);
    return LLVMBuildAnd(l->b, window, number(l, (UINT64_C(1) << bits) - 1), "");
}

static void put_element(struct wl_lift *l, LLVMValueRef *dwords, LLVMValueRef element, unsigned at, unsigned bits) {
    LLVMValueRef *to = &dwords[at / 32], low = LLVMBuildShl(l->b, element, number(l, at % 32), "");
    *to = *to ? LLVMBuildOr(l->b, *to, low, "") : low;
    if (at % 32 + bits > 32)
        to[1] = LLVMBuildLShr(l->b, element, number(l, 32 - at % 32), "");
}

/* Of a strip, whose lanes' dwords are `loaded`: what its lanes get. */
static void transpose(struct wl_lift *l, LLVMValueRef *loaded, unsigned count, unsigned bits, LLVMValueRef *results) {
    const unsigned elements = count * 32 / bits, lanes = 16 / elements; /* that load a row */
    LLVMValueRef lane = l->ptx->lane, column = LLVMBuildAnd(l->b, lane, number(l, 15), "");
    LLVMValueRef own = LLVMBuildURem(l->b, column, number(l, elements), ""), part = LLVMBuildUDiv(l->b, column, number(l, elements), "");
    LLVMValueRef first = LLVMBuildAdd(l->b, LLVMBuildAnd(l->b, lane, number(l, 16), ""), part, "");
    for (unsigned row = 0; row < elements; row++) {
        LLVMValueRef source = LLVMBuildAdd(l->b, first, number(l, row * lanes), ""), of[DWORDS] = {NULL};
        for (unsigned d = 0; d < count; d++)
            of[d] = wl_ptx_shuffle(l, loaded[d], source);
        put_element(l, results, pick_any(l, of, count, own, bits), row * bits, bits);
    }
}

void wl_ptx_lift_lds_transposed(struct wl_lift *l, const struct wl_inst *inst) {
    const struct wl_operand *op = inst->operands;
    const unsigned count = op[0].count;
    LLVMValueRef loaded[2][DWORDS] = {{NULL}}, results[2][DWORDS] = {{NULL}}, zeros[DWORDS];
    l->ptx->info->uses_lds = true;
    for (unsigned i = 0; i < count; i++)
        zeros[i] = LLVMConstNull(l->i32);
    for (unsigned s = 0; s < l->strips; s++) {
        wl_ptx_enter_strip(l, s);
        struct wl_ptx_access a = {.inst = inst, .space = WL_PTX_SHARED, .offset = inst->offset0, .predicate = wl_ptx_exec(l)};
        a.lds = wl_ptx_dword(l, op[1].reg);
        a.address = wl_ptx_lds_address(l, a.lds);
        wl_ptx_load(l, &a, 32, false, count, zeros, loaded[s]);
        transpose(l, loaded[s], count, inst->isa->bits, results[s]);
    }
    for (unsigned s = 0; s < l->strips; s++) {
        wl_ptx_enter_strip(l, s);
        for (unsigned i = 0; i < count; i++)
            wl_ptx_set_dword(l, op[0].reg + i, results[s][i]);
    }
}
