/* Dense products of 16-bit floats and of 8-bit integers by mma.m16n8.
 *
 * mma computes 16 x 8 elements. In a warp thread 4 g + t (t < 4) holds, of the first factor, dword t of rows g and g + 8; of the
 * second, dword t of column g; of the sum, columns 2 t and 2 t + 1 of rows g and g + 8. AMD's lanes hold whole rows of A, whole
 * columns of B, and columns of D. So B's columns are mma's rows and A's rows are mma's columns: then a gather of four registers
 * brings four of mma's, and a scatter of four brings the sum's back. Which of A's rows stands for which of mma's columns is free,
 * and chosen so that this is all. (Which of K's elements meet does not matter as long as both factors agree.) */
#include "translate/isa/helper_words.h"
#include "translate/lift/values.h"
#include "translate/nvptx/matrix.h"

#include <stdio.h>
#include <string.h>

enum { QUARTERS = 4 };

struct matrix {
    const struct wl_inst *inst;
    const struct wl_matrix *row;
    bool flush; /* f16: denormals count as zero */
    bool c_in_registers;
    uint64_t constant; /* an element of C else */
};

/* One way in which AMD's instructions lay out matrices. */
struct layout {
    enum wl_ptx_place rows; /* of A */
    bool halves;            /* two dwords a quarter (k16 and k32 instructions), else one (k8, k16) */
    unsigned columns;       /* of mma's 16: 1, or 2 for 32 x 32 */
};

static LLVMValueRef number(struct wl_lift *l, uint64_t value) { return wl_lift_int(l, l->i32, value); }

/* i32: register `index` of operand `operand` (1: A, 2: B, 3: C) in a strip. */
static LLVMValueRef dword(struct wl_lift *l, const struct matrix *x, unsigned operand, unsigned strip, unsigned index) {
    wl_ptx_enter_strip(l, strip);
    return wl_ptx_dword(l, x->inst->operands[operand].reg + index);
}

/* Of the `count` values of `from`. */
static void rearrange_some(struct wl_lift *l, const char *marker, LLVMValueRef const *from, unsigned count, unsigned place,
                           LLVMValueRef values[QUARTERS]) {
    LLVMTypeRef fields[QUARTERS] = {l->i32, l->i32, l->i32, l->i32}, type = LLVMStructTypeInContext(l->context, fields, QUARTERS, 0);
    LLVMValueRef arguments[2 * QUARTERS + 2];
    memcpy((void *)arguments, (const void *)from, count * sizeof *from);
    arguments[count] = l->ptx->lane;
    arguments[count + 1] = number(l, place);
    LLVMValueRef call = wl_ptx_marker(l, marker, type, arguments, count + 2, true);
    /* All branches are the same for the whole warp, so the call may move freely until it becomes shuffles. */
    unsigned convergent = LLVMGetEnumAttributeKindForName("convergent", 10);
    LLVMRemoveEnumAttributeAtIndex(LLVMGetNamedFunction(l->module, marker), LLVMAttributeFunctionIndex, convergent);
    for (unsigned q = 0; q < QUARTERS; q++)
        values[q] = LLVMBuildExtractValue(l->b, call, q, "");
}

static void rearrange(struct wl_lift *l, const char *marker, LLVMValueRef values[QUARTERS], unsigned place) {
    rearrange_some(l, marker, values, QUARTERS, place, values);
}

/* ---- the factors ---- */

/* Pairs of f16s whose denormals are zeros. Sums of the products of what is left, multiples of 2^-48, and of a C without denormals have none
 * either. */
static void flush(struct wl_lift *l, LLVMValueRef values[QUARTERS]) {
    LLVMValueRef arguments[2] = {NULL, number(l, 0x3c003c00)}; /* ones */
    for (unsigned i = 0; i < QUARTERS; i++) {
        arguments[0] = values[i];
        values[i] = wl_ptx_asm(l, "mul.rn.ftz.f16x2 $0, $1, $2;", "=r,r,r", l->i32, arguments, 2, false);
    }
}

/* A factor's four registers in mma's layout. */
static void factor(struct wl_lift *l, const struct matrix *x, unsigned operand, unsigned place, LLVMValueRef values[QUARTERS]) {
    const unsigned layout = x->row->layout;
    LLVMValueRef both[2 * QUARTERS];
    if (layout == WL_MATRIX_WMMA11) { /* lanes 16 to 31 have what lanes 0 to 15 have */
        for (unsigned i = 0; i < 2 * QUARTERS; i++)
            both[i] = dword(l, x, operand, 0, i);
        rearrange_some(l, WL_PTX_GATHER_BOTH, both, 2 * QUARTERS, place, values);
        return;
    }
    for (unsigned i = 0; i < QUARTERS; i++) /* gfx9: of lanes t and t + 32 */
        values[i] = layout == WL_MATRIX_MFMA ? dword(l, x, operand, i / 2, i % 2) : dword(l, x, operand, 0, i);
    rearrange(l, WL_PTX_GATHER, values, place);
}

/* ---- C and D ---- */

/* Where lane t's elements of a scattered group are: register and strip. */
static void element_place(const struct wl_lift *l, const struct matrix *x, unsigned tile, unsigned odd, unsigned j, unsigned *reg,
                          unsigned *strip) {
    *strip = 0;
    if (x->row->layout != WL_MATRIX_MFMA) {
        *reg = 4 * tile + j;
        if (l->wave_size == 64) {
            *reg = 2 * tile + j / 2;
            *strip = j % 2;
        }
    } else if (x->row->m == 32) {
        *reg = 4 * tile + (2 * j + odd) % 4;
        *strip = j / 2;
    } else {
        *reg = j;
        *strip = tile;
    }
}

/* C's elements of a group of four, then gathered. */
static void read_group(struct wl_lift *l, const struct matrix *x, unsigned tile, unsigned odd, LLVMValueRef group[QUARTERS]) {
    for (unsigned j = 0; j < QUARTERS; j++) {
        unsigned reg, strip;
        element_place(l, x, tile, odd, j, &reg, &strip);
        group[j] = x->c_in_registers ? dword(l, x, 3, strip, reg) : number(l, x->constant);
    }
    if (x->c_in_registers)
        rearrange(l, WL_PTX_GATHER, group, WL_PTX_PLACE_PLAIN | (x->flush ? WL_PTX_PLACE_FLUSH : 0u));
}

static void write_group(struct wl_lift *l, const struct matrix *x, unsigned tile, unsigned odd, LLVMValueRef group[QUARTERS],
                        LLVMValueRef result[2][WL_PTX_MATRIX_REGISTERS]) {
    rearrange(l, WL_PTX_SCATTER, group, WL_PTX_PLACE_PLAIN);
    for (unsigned j = 0; j < QUARTERS; j++) {
        unsigned reg, strip;
        element_place(l, x, tile, odd, j, &reg, &strip);
        result[strip][reg] = group[j];
    }
}

/* ---- the product ---- */

/* What PTX calls a kind of factors; "": mma does not take it. */
static const char *type_name(unsigned kind) {
    switch (kind) {
    case WL_MATRIX_F16:
        return "f16";
    case WL_MATRIX_BF16:
        return "bf16";
    case WL_MATRIX_I8:
        return "s8";
    default:
        return "";
    }
}

/* sum[0], [1]: row g; [2], [3]: row g + 8. Bits of f32 or i32. */
static void multiply(struct wl_lift *l, const struct matrix *x, bool halves, LLVMValueRef *rows, LLVMValueRef *columns,
                     LLVMValueRef sum[4]) {
    const unsigned kind = x->row->a;
    const bool integer = kind == WL_MATRIX_I8;
    const unsigned row_count = halves ? 4 : 2, column_count = halves ? 2 : 1, count = row_count + column_count + 4;
    const char *type = type_name(kind), *result = integer ? "s32" : "f32";
    const unsigned k = (kind == WL_MATRIX_F16 || kind == WL_MATRIX_BF16 ? 8u : 16u) << halves;
    char text[256];
    snprintf(text, sizeof text, "mma.sync.aligned.m16n8k%u.row.col.%s.%s.%s.%s {$0,$1,$2,$3}, %s, {$%u,$%u,$%u,$%u};", k, result, type,
             type, result, halves ? "{$4,$5,$6,$7}, {$8,$9}" : "{$4,$5}, {$6}", count, count + 1, count + 2, count + 3);
    LLVMTypeRef element = integer ? l->i32 : l->f32, fields[] = {element, element, element, element};
    LLVMValueRef arguments[10];
    unsigned n = 0;
    for (unsigned i = 0; i < row_count; i++)
        arguments[n++] = rows[i];
    for (unsigned i = 0; i < column_count; i++)
        arguments[n++] = columns[i];
    for (unsigned i = 0; i < 4; i++)
        arguments[n++] = LLVMBuildBitCast(l->b, sum[i], element, "");
    const char *constraints = integer ? (halves ? "=r,=r,=r,=r,r,r,r,r,r,r,r,r,r,r" : "=r,=r,=r,=r,r,r,r,r,r,r,r")
                                      : (halves ? "=f,=f,=f,=f,r,r,r,r,r,r,f,f,f,f" : "=f,=f,=f,=f,r,r,r,f,f,f,f");
    LLVMValueRef out = wl_ptx_asm(l, text, constraints, LLVMStructTypeInContext(l->context, fields, 4, 0), arguments, n, false);
    for (unsigned i = 0; i < 4; i++)
        sum[i] = LLVMBuildBitCast(l->b, LLVMBuildExtractValue(l->b, out, i, ""), l->i32, "");
}

static bool find_layout(const struct wl_lift *l, const struct matrix *x, struct layout *layout) {
    const unsigned kind = x->row->a, k = x->row->k, m = x->row->m, d = x->row->d;
    const unsigned row_dwords = k * (kind == WL_MATRIX_F16 || kind == WL_MATRIX_BF16 ? 2 : 1) / 4; /* of a row of A */
    const uint32_t modifiers = wl_matrix_modifiers(x->inst, l->unit.request, x->row) & ~(x->flush ? WL_MATRIX_FLUSH : 0u);
    if (l->unit.request->exact_math || l->unit.request->matrix_sums == WL_SUMS_HARDWARE || modifiers || x->row->sparse ||
        x->row->blocks != 1 || x->row->b != kind || (d != WL_MATRIX_F32 && d != WL_MATRIX_I32) || !*type_name(kind) ||
        l->ptx->request->sm < 80)
        return false;
    switch (x->row->layout) {
    case WL_MATRIX_MFMA:
        *layout = m == 32 ? (struct layout){WL_PTX_PLACE_PLAIN, false, 2} : (struct layout){WL_PTX_PLACE_MFMA, true, 1};
        return m == 32 ? row_dwords == 4 : row_dwords == 8;
    case WL_MATRIX_WMMA11:
        *layout = (struct layout){WL_PTX_PLACE_PLAIN, true, 1};
        return row_dwords == 8;
    default:
        *layout = (struct layout){WL_PTX_PLACE_WMMA12, true, 1};
        return l->wave_size == 32 && row_dwords == 8;
    }
}

bool wl_ptx_mma(struct wl_lift *l, const struct wl_inst *inst, LLVMValueRef result[2][WL_PTX_MATRIX_REGISTERS]) {
    const struct wl_operand *c = &inst->operands[3];
    struct matrix x = {.inst = inst, .row = wl_matrix_row(inst, l->generation), .c_in_registers = c->kind == WL_OPERAND_VGPR};
    x.flush = x.row->a == WL_MATRIX_F16 && (wl_matrix_modifiers(inst, l->unit.request, x.row) & WL_MATRIX_FLUSH);
    struct layout layout;
    LLVMValueRef rows[QUARTERS], columns[QUARTERS];
    if (!find_layout(l, &x, &layout))
        return false;
    if (!x.c_in_registers)
        x.constant = wl_matrix_constant(c, x.row->d);
    /* Two dwords of K a thread: which of them comes first does not matter. */
    const unsigned form = layout.halves ? WL_PTX_PLACE_HALVES : 0u;
    factor(l, &x, 2, WL_PTX_PLACE_PLAIN | form, rows);
    factor(l, &x, 1, layout.rows | form | (layout.halves ? WL_PTX_PLACE_PAIRS : 0u), columns);
    if (x.flush) {
        flush(l, rows);
        flush(l, columns);
    }
    const unsigned tiles = 2 * layout.columns; /* of 8 of A's rows */
    for (unsigned tile = 0; tile < tiles; tile++) {
        LLVMValueRef group[2][QUARTERS]; /* of 32 x 32, even and odd rows apart */
        for (unsigned odd = 0; odd < layout.columns; odd++)
            read_group(l, &x, tile, odd, group[odd]);
        for (unsigned block = 0; block < layout.columns; block++) {
            /* Of a 32 x 32 product quarters are 8 columns each. Else a quarter is 8 columns of every second row. */
            LLVMValueRef *place[4], sum[4], *of_tile = columns + (layout.halves ? 2 * tile : tile);
            for (unsigned i = 0; i < 4; i++) {
                place[i] = layout.columns == 2 ? &group[i % 2][2 * block + i / 2] : &group[0][i / 2 + 2 * (i % 2)];
                sum[i] = *place[i];
            }
            multiply(l, &x, layout.halves, rows + 2 * block, of_tile, sum);
            for (unsigned i = 0; i < 4; i++)
                *place[i] = sum[i];
        }
        for (unsigned odd = 0; odd < layout.columns; odd++)
            write_group(l, &x, tile, odd, group[odd], result);
    }
    return true;
}
