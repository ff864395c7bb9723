/* Matrix instructions: calls of one helper, whose kernels know all rows (machine/matrix.h). */
#include "translate/lift/frame.h"
#include "translate/lift/inst/inst.h"
#include "translate/lift/region.h"
#include "translate/lift/values.h"

#include "machine/helpers.h"
#include "machine/matrix.h"
#include "translate/isa/helper_words.h"

#include <stddef.h>
#include <string.h>

/* ---- several at once ---- */

enum { FAR = 64 }; /* instructions behind the first one that are looked at */

static void add_rows(uint64_t set[WL_ROW_WORDS], const struct wl_operand *op) {
    for (unsigned r = 0; op->kind == WL_OPERAND_VGPR && r < op->count; r++)
        if (op->reg + r < WL_VGPR_COUNT)
            wl_set(set, op->reg + r);
}

static bool meets(const uint64_t a[WL_ROW_WORDS], const uint64_t b[WL_ROW_WORDS]) {
    for (unsigned i = 0; i < WL_ROW_WORDS; i++)
        if (a[i] & b[i])
            return true;
    return false;
}

static void add_set(uint64_t to[WL_ROW_WORDS], const uint64_t from[WL_ROW_WORDS]) {
    for (unsigned i = 0; i < WL_ROW_WORDS; i++)
        to[i] |= from[i];
}

/* Matrix instructions that are done at once, and what stands between them. */
struct group {
    const struct wl_inst *member[WL_MATRIX_GROUP];
    unsigned count;
    const struct wl_matrix *row;
    uint32_t modifiers;
    uint64_t results[WL_ROW_WORDS], inputs[WL_ROW_WORDS]; /* registers of the members' D; of A, B, and of C where that is not D */
    uint64_t written[WL_ROW_WORDS],
        touched[WL_ROW_WORDS]; /* by other instructions between the first member and the one at hand; read or written */
};

static bool same_rows(const struct wl_operand *a, const struct wl_operand *b) {
    return a->kind == b->kind && a->reg == b->reg && a->count == b->count;
}

/* Whether D is that of some member, or apart from all. */
static bool fits_results(const struct group *g, const struct wl_operand *d, const uint64_t rows[WL_ROW_WORDS]) {
    for (unsigned i = 0; i < g->count; i++)
        if (same_rows(&g->member[i]->operands[0], d))
            return true;
    return !meets(g->results, rows);
}

/* Takes an instruction of the same row into the group if it can be done with the first member. */
static bool take(struct group *g, const struct wl_inst *inst) {
    const struct wl_operand *op = inst->operands;
    uint64_t result[WL_ROW_WORDS] = {0}, inputs[WL_ROW_WORDS] = {0};
    add_rows(result, &op[0]);
    add_rows(inputs, &op[1]);
    add_rows(inputs, &op[2]);
    if (!same_rows(&op[0], &op[3]))
        add_rows(inputs, &op[3]);
    const bool moved = meets(g->written, inputs) || meets(g->touched, result);
    if (moved || meets(result, inputs) || meets(g->inputs, result) || meets(g->results, inputs) || !fits_results(g, &op[0], result))
        return false;
    add_set(g->results, result);
    add_set(g->inputs, inputs);
    g->member[g->count++] = inst;
    return true;
}

/* What an instruction between members does to registers. */
static void pass(struct group *g, const struct wl_effects *e) {
    for (unsigned i = 0; i < WL_ROW_WORDS; i++) {
        g->written[i] |= e->touch.vector[i] | e->def_lanes[i];
        g->touched[i] |= e->touch.vector[i] | e->def_lanes[i] | e->use.vector[i] | e->use_lanes[i];
    }
}

static void find_group(struct wl_lift *l, const struct wl_inst *first, struct group *g) {
    g->member[g->count++] = first;
    if (!wl_matrix_may_group(g->row, g->modifiers))
        return;
    g->count = 0;
    if (!take(g, first)) {
        g->member[g->count++] = first;
        return;
    }
    const struct wl_inst *block = &l->unit.code->insts[l->unit.block->first];
    for (uint32_t i = l->unit.at + 1; i < l->unit.block->count && i - l->unit.at < FAR && g->count < WL_MATRIX_GROUP; i++) {
        const struct wl_inst *inst = &block[i];
        const bool alike = inst->isa && inst->isa->class == WL_ISA_MATRIX && wl_matrix_is_known(inst, l->generation) && !inst->index_mode &&
                           wl_matrix_row(inst, l->generation) == g->row &&
                           wl_matrix_modifiers(inst, l->unit.request, g->row) == g->modifiers;
        if (alike && !(l->unit.matrices_done >> (i - l->unit.at) & 1) && take(g, inst))
            l->unit.matrices_done |= UINT64_C(1) << (i - l->unit.at);
        else if (!(l->unit.matrices_done >> (i - l->unit.at) & 1))
            pass(g, &l->unit.effects[i]);
    }
}

static LLVMValueRef member_rows(struct wl_lift *l, const struct wl_operand *op) {
    return op->kind == WL_OPERAND_VGPR ? wl_lift_row_address(l, op->reg) : LLVMConstNull(l->ptr);
}

static void put_field(struct wl_lift *l, LLVMValueRef list, size_t offset, LLVMValueRef value) {
    LLVMValueRef index = wl_lift_int(l, l->i64, offset);
    LLVMBuildStore(l->b, value, LLVMBuildGEP2(l->b, l->i8, list, &index, 1, ""));
}

static void put_scales(struct wl_lift *l, LLVMValueRef list, const struct wl_operand *scales) {
    for (unsigned i = 0; i < 2; i++) {
        const bool in_registers = scales[i].kind == WL_OPERAND_VGPR;
        put_field(l, list, offsetof(struct wl_matrix_scaled, scale) + i * sizeof(uint32_t *), member_rows(l, &scales[i]));
        put_field(l, list, offsetof(struct wl_matrix_scaled, scale_value) + i * sizeof(uint64_t),
                  in_registers ? LLVMConstNull(l->i64) : wl_lift_scalar_operand(l, &scales[i], WL_U64));
    }
}

/* struct wl_matrix_product for each member, or one struct wl_matrix_scaled, on the stack. */
static LLVMValueRef list_products(struct wl_lift *l, const struct group *g) {
    const size_t size = g->row->scale_block ? sizeof(struct wl_matrix_scaled) : sizeof(struct wl_matrix_product);
    LLVMValueRef list = wl_lift_alloca(l, LLVMArrayType2(l->i8, size * g->count), 8, "products");
    for (unsigned i = 0; i < g->count; i++) {
        const struct wl_operand *op = g->member[i]->operands;
        const uint64_t constant = op[3].kind == WL_OPERAND_VGPR ? 0 : wl_matrix_constant(&op[3], g->row->d);
        static const size_t places[] = {offsetof(struct wl_matrix_product, d), offsetof(struct wl_matrix_product, a),
                                        offsetof(struct wl_matrix_product, b), offsetof(struct wl_matrix_product, c)};
        LLVMValueRef rows[4];
        for (unsigned r = 0; r < 4; r++)
            rows[r] = member_rows(l, &op[r]);
        for (unsigned r = 0; r < 4; r++)
            put_field(l, list, i * size + places[r], rows[r]);
        put_field(l, list, i * size + offsetof(struct wl_matrix_product, constant), wl_lift_int(l, l->i64, constant));
    }
    if (g->row->scale_block)
        put_scales(l, list, &g->member[0]->operands[4]);
    return list;
}

void wl_lift_matrix(struct wl_lift *l, const struct wl_inst *inst) {
    struct group g = {.count = 0};
    if (!wl_matrix_is_known(inst, l->generation)) {
        wl_lift_error(l, inst, "has matrices that are not in vector registers");
        return;
    }
    if (l->unit.matrices_done & 1)
        return;
    g.row = wl_matrix_row(inst, l->generation);
    g.modifiers = wl_matrix_modifiers(inst, l->unit.request, g.row);
    find_group(l, inst, &g);
    wl_lift_flush(l);
    LLVMValueRef arguments[] = {l->wave, list_products(l, &g), wl_lift_int(l, l->i32, g.count),
                                wl_lift_int(l, l->i32, wl_matrix_number(g.row)), wl_lift_int(l, l->i32, g.modifiers)};
    wl_lift_call_on_rows(l, offsetof(struct wl_helpers, matrix), arguments, sizeof arguments / sizeof *arguments);
}
