/* Matrix instructions by plain arithmetic: each lane fetches the rows of A and the columns of B that its elements of D need
 * from other lanes. machine/matrix.h says where elements lie and in which order sums are formed; both are the same here. */
#include "translate/nvptx/matrix.h"
#include "translate/isa/helper_words.h"
#include "translate/lift/frame.h"
#include "translate/lift/inst/inst.h"
#include "translate/lift/values.h"
#include "translate/nvptx/inst.h"
#include "translate/nvptx/memory.h"

#include <stdio.h>
#include <string.h>

enum { MOST_REGISTERS = WL_PTX_MATRIX_REGISTERS, MOST_ELEMENTS = 32, MOST_DWORDS = 16 };

struct matrix {
    const struct wl_inst *inst;
    uint32_t modifiers;
    unsigned a, b, d, m, k, blocks, layout;
    unsigned stride, groups, a_elements, b_elements, d_registers;
    bool sparse, flush, packed, crosses;
    unsigned scale_block; /* elements of K that share a scale */
    bool moved;           /* lanes of A or B are moved before anything is computed */
    bool apart;           /* B fills twice as many groups of lanes as A: lane n + 32 holds the second half of lane n's elements */
    LLVMValueRef a_dwords[2][MOST_DWORDS], b_dwords[2][MOST_DWORDS]; /* i32, by strip */
    LLVMValueRef c[2][MOST_REGISTERS], index[2];
    LLVMValueRef scale[2][2]; /* i32, of A and B, by strip */
    LLVMValueRef result[2][MOST_REGISTERS];
};

/* Where a lane's element of D lies. */
struct place {
    unsigned block;           /* where it is the same in all lanes */
    LLVMValueRef row, column; /* of A and B: lanes within the block's lanes of a group */
    bool own_block;           /* blocks of 4 lanes: the lane's own */
};

static LLVMValueRef number(struct wl_lift *l, uint64_t value) { return wl_lift_int(l, l->i32, value); }

static unsigned field(const struct matrix *x, unsigned position, unsigned bits) { return x->modifiers >> position & ((1u << bits) - 1); }

static unsigned per_dword(unsigned kind) { return kind <= WL_MATRIX_XF32 ? 1 : kind <= WL_MATRIX_BF16 ? 2 : kind == WL_MATRIX_I4 ? 8 : 4; }

static unsigned log_2(unsigned power) { return (unsigned)__builtin_ctz(power); }

/* ---- the row ---- */

static bool describe(struct wl_lift *l, const struct wl_inst *inst, struct matrix *x) {
    const struct wl_matrix *row = wl_matrix_row(inst, l->generation);
    *x = (struct matrix){.inst = inst,
                         .modifiers = wl_matrix_modifiers(inst, l->unit.request, row),
                         .a = row->a,
                         .b = row->b,
                         .d = row->d,
                         .m = row->m,
                         .k = row->k,
                         .blocks = row->blocks,
                         .layout = row->layout,
                         .sparse = row->sparse,
                         .crosses = wl_matrix_crosses(row),
                         .scale_block = row->scale_block};
    if (row->scale_block) {
        x->a = wl_matrix_chosen(field(x, WL_MATRIX_CBSZ, 3));
        x->b = wl_matrix_chosen(field(x, WL_MATRIX_BLGP, 3));
    }
    unsigned a_k = x->sparse ? x->k / 2 : x->k;
    x->flush = x->modifiers & WL_MATRIX_FLUSH;
    x->stride = x->m * x->blocks;
    x->groups = 1;
    if (x->layout != WL_MATRIX_WMMA11) {
        unsigned least = x->layout == WL_MATRIX_WMMA12 ? log_2(per_dword(x->a)) : 0, most = log_2(l->wave_size) - log_2(x->stride);
        x->groups = 1u << (log_2(a_k) - most < least ? log_2(a_k) - least : most);
    }
    x->a_elements = a_k >> log_2(x->groups);
    x->b_elements = x->k >> log_2(x->groups);
    x->packed = x->layout == WL_MATRIX_WMMA12 && (x->d == WL_MATRIX_F16 || x->d == WL_MATRIX_BF16);
    x->d_registers = x->m * x->m * x->blocks / l->wave_size >> x->packed;
    x->moved = x->layout == WL_MATRIX_MFMA && !x->sparse && !x->scale_block && x->d != WL_MATRIX_F64 &&
               (field(x, WL_MATRIX_CBSZ, 3) || field(x, WL_MATRIX_BLGP, 3));
    x->apart = x->sparse && x->b == WL_MATRIX_I4 && l->wave_size == 64 && x->groups * x->stride < l->wave_size;
    return x->d_registers && x->d_registers <= MOST_REGISTERS;
}

/* Of register `r` of D (gfx12's packed results: of its half `half`), in the strip at hand. */
static struct place find_place(struct wl_lift *l, const struct matrix *x, unsigned r, unsigned half) {
    unsigned strip = wl_ptx_strip(l);
    LLVMValueRef lane = l->ptx->lane;
    LLVMValueRef upper = LLVMBuildLShr(l->b, lane, number(l, 4), ""), low16 = LLVMBuildAnd(l->b, lane, number(l, 15), "");
    struct place place = {.column = low16};
    LLVMValueRef row_unit = upper; /* rows that lanes 16 to 31 are further on, times ... */
    unsigned row, step;
    if (x->layout == WL_MATRIX_MFMA && x->m == 4) {
        place.own_block = true;
        place.row = number(l, r);
        place.column = LLVMBuildAnd(l->b, lane, number(l, 3), "");
        return place;
    }
    if (x->layout == WL_MATRIX_MFMA && x->m == 32) {
        place.block = r / 16;
        place.row = number(l, r % 4 + 8 * (r % 16 / 4) + 4 * strip);
        place.column = lane;
        return place;
    }
    if (x->layout == WL_MATRIX_MFMA) {
        place.block = r / 4;
        row = r % 4 + 8 * strip;
        step = 4;
    } else if (x->layout == WL_MATRIX_WMMA11) {
        row = l->wave_size == 64 ? 4 * r + 2 * strip : 2 * r;
        step = 1;
    } else {
        row = (x->packed ? 2 * r + half : r) + 4 * strip;
        step = 8;
    }
    place.row = LLVMBuildAdd(l->b, number(l, row), LLVMBuildMul(l->b, row_unit, number(l, step), ""), "");
    return place;
}

/* ---- elements as f32, integers as i32 ---- */

static bool is_integer(const struct matrix *x) { return x->d == WL_MATRIX_I32; }

static LLVMValueRef as_float(struct wl_lift *l, LLVMValueRef bits) { return LLVMBuildBitCast(l->b, bits, l->f32, ""); }

static LLVMValueRef as_bits(struct wl_lift *l, LLVMValueRef value) { return LLVMBuildBitCast(l->b, value, l->i32, ""); }

static LLVMValueRef semantics1(struct wl_lift *l, const char *name, LLVMValueRef bits) {
    const struct wl_sem *sem = wl_sem_find_lane(name);
    LLVMValueRef function = sem ? wl_lift_semantics(l, sem) : NULL;
    if (!function)
        return LLVMGetUndef(l->f32);
    LLVMValueRef argument = wl_ptx_vector(l, bits);
    return wl_ptx_scalar(l, LLVMBuildCall2(l->b, LLVMGlobalGetValueType(function), function, &argument, 1, ""));
}

static LLVMValueRef round_to_xf32(struct wl_lift *l, LLVMValueRef bits) {
    LLVMValueRef exponent = LLVMBuildAnd(l->b, bits, number(l, 0x7f800000), "");
    LLVMValueRef odd = LLVMBuildAnd(l->b, LLVMBuildLShr(l->b, bits, number(l, 13), ""), number(l, 1), "");
    LLVMValueRef rounded = LLVMBuildAdd(l->b, LLVMBuildAdd(l->b, bits, number(l, 0xfff), ""), odd, "");
    rounded = LLVMBuildAnd(l->b, rounded, number(l, ~0x1fffu), "");
    LLVMValueRef special = LLVMBuildICmp(l->b, LLVMIntEQ, exponent, number(l, 0x7f800000), "");
    return LLVMBuildSelect(l->b, special, bits, rounded, "");
}

/* Zero with its sign, of what is below the smallest normal number of f32 or (as f32) of f16. */
static LLVMValueRef without_denormals(struct wl_lift *l, LLVMValueRef value, bool of_halves) {
    LLVMValueRef bits = as_bits(l, value), size = LLVMBuildAnd(l->b, bits, number(l, 0x7fffffff), "");
    LLVMValueRef tiny = LLVMBuildICmp(l->b, LLVMIntULT, size, number(l, of_halves ? 0x38800000 : 0x00800000), "");
    return as_float(l, LLVMBuildSelect(l->b, tiny, LLVMBuildAnd(l->b, bits, number(l, 0x80000000), ""), bits, ""));
}

static LLVMValueRef integer_part(struct wl_lift *l, LLVMValueRef dword, unsigned bits, unsigned e, bool is_signed) {
    LLVMValueRef up = LLVMBuildShl(l->b, dword, number(l, 32 - bits - bits * e), ""), down = number(l, 32 - bits);
    return is_signed ? LLVMBuildAShr(l->b, up, down, "") : LLVMBuildLShr(l->b, up, down, "");
}

/* Element `e` of a dword. `operand`: 0 for A, 1 for B. */
static LLVMValueRef element(struct wl_lift *l, const struct matrix *x, LLVMValueRef dword, unsigned e, unsigned operand) {
    unsigned kind = operand ? x->b : x->a, part = e % per_dword(kind);
    bool mfma = x->layout == WL_MATRIX_MFMA, ocp = !mfma || x->modifiers & WL_MATRIX_OCP;
    bool low = field(x, WL_MATRIX_NEG_LO, 3) >> operand & 1, high = field(x, WL_MATRIX_NEG_HI, 3) >> operand & 1;
    LLVMValueRef value;
    switch (kind) {
    case WL_MATRIX_F32:
        return as_float(l, dword);
    case WL_MATRIX_XF32:
        return as_float(l, round_to_xf32(l, dword));
    case WL_MATRIX_F16:
        value = LLVMBuildTrunc(l->b, LLVMBuildLShr(l->b, dword, number(l, 16 * part), ""), l->i16, "");
        value = LLVMBuildFPExt(l->b, LLVMBuildBitCast(l->b, value, l->f16, ""), l->f32, "");
        break;
    case WL_MATRIX_BF16:
        value = as_float(l, part ? LLVMBuildAnd(l->b, dword, number(l, 0xffff0000), "") : LLVMBuildShl(l->b, dword, number(l, 16), ""));
        break;
    case WL_MATRIX_FP8:
        return semantics1(l, ocp ? "v_cvt_f32_fp8" : "v_cvt_f32_fp8_fnuz", LLVMBuildLShr(l->b, dword, number(l, 8 * part), ""));
    case WL_MATRIX_BF8:
        return semantics1(l, ocp ? "v_cvt_f32_bf8" : "v_cvt_f32_bf8_fnuz", LLVMBuildLShr(l->b, dword, number(l, 8 * part), ""));
    case WL_MATRIX_I8:
        return integer_part(l, dword, 8, part, mfma || low);
    default:
        return integer_part(l, dword, 4, part, mfma || low);
    }
    if (x->flush)
        value = without_denormals(l, value, kind == WL_MATRIX_F16);
    return !mfma && (e & 1 ? high : low) ? LLVMBuildFNeg(l->b, value, "") : value;
}

/* ---- C and D ---- */

static LLVMValueRef read_c(struct wl_lift *l, const struct matrix *x, LLVMValueRef bits, bool high, bool constant) {
    bool mfma = x->layout == WL_MATRIX_MFMA;
    if (is_integer(x))
        return bits;
    if (x->d != WL_MATRIX_F32) {
        if (high && !constant)
            bits = LLVMBuildLShr(l->b, bits, number(l, 16), "");
        LLVMValueRef half = LLVMBuildTrunc(l->b, bits, l->i16, "");
        bits = x->d == WL_MATRIX_F16 ? as_bits(l, LLVMBuildFPExt(l->b, LLVMBuildBitCast(l->b, half, l->f16, ""), l->f32, ""))
                                     : LLVMBuildShl(l->b, bits, number(l, 16), "");
    }
    if (!mfma && x->modifiers >> (WL_MATRIX_NEG_HI + 2) & 1)
        bits = LLVMBuildAnd(l->b, bits, number(l, 0x7fffffff), "");
    if (!mfma && x->modifiers >> (WL_MATRIX_NEG_LO + 2) & 1)
        bits = LLVMBuildXor(l->b, bits, number(l, 0x80000000), "");
    return x->flush ? without_denormals(l, as_float(l, bits), false) : as_float(l, bits);
}

static LLVMValueRef bf16_bits(struct wl_lift *l, LLVMValueRef value) {
    LLVMValueRef bits = as_bits(l, value), odd = LLVMBuildAnd(l->b, LLVMBuildLShr(l->b, bits, number(l, 16), ""), number(l, 1), "");
    LLVMValueRef rounded = LLVMBuildAdd(l->b, LLVMBuildAdd(l->b, bits, number(l, 0x7fff), ""), odd, "");
    LLVMValueRef quiet = LLVMBuildOr(l->b, bits, number(l, 0x00400000), "");
    LLVMValueRef is_nan = LLVMBuildFCmp(l->b, LLVMRealUNO, value, value, "");
    return LLVMBuildLShr(l->b, LLVMBuildSelect(l->b, is_nan, quiet, rounded, ""), number(l, 16), "");
}

/* What register `old` becomes, of which an element's bits are a half, or all. */
static LLVMValueRef put_half(struct wl_lift *l, const struct matrix *x, LLVMValueRef old, LLVMValueRef bits, bool high) {
    if (x->d == WL_MATRIX_F32)
        return bits;
    if (high)
        return LLVMBuildOr(l->b, LLVMBuildAnd(l->b, old, number(l, 0xffff), ""), LLVMBuildShl(l->b, bits, number(l, 16), ""), "");
    return LLVMBuildOr(l->b, LLVMBuildAnd(l->b, old, number(l, 0xffff0000), ""), bits, "");
}

/* What the register becomes; `old`: what it is. */
static LLVMValueRef make_d(struct wl_lift *l, const struct matrix *x, LLVMValueRef sum, LLVMValueRef c, LLVMValueRef old, bool high) {
    if (is_integer(x)) {
        LLVMValueRef arguments[] = {c, sum};
        return x->modifiers & WL_MATRIX_CLAMP ? wl_lift_intrinsic(l, "llvm.sadd.sat", &l->i32, 1, arguments, 2)
                                              : LLVMBuildAdd(l->b, c, sum, "");
    }
    if (x->d == WL_MATRIX_F32)
        return as_bits(l, x->flush ? without_denormals(l, sum, false) : sum);
    LLVMValueRef bits;
    if (x->d == WL_MATRIX_F16)
        bits = LLVMBuildZExt(l->b, LLVMBuildBitCast(l->b, LLVMBuildFPTrunc(l->b, sum, l->f16, ""), l->i16, ""), l->i32, "");
    else
        bits = bf16_bits(l, sum);
    return put_half(l, x, old, bits, high);
}

/* ---- sums ---- */

/* The lane of group `g` that holds a row or column, and its strip. */
static LLVMValueRef holder(struct wl_lift *l, const struct matrix *x, const struct place *place, unsigned g, LLVMValueRef within,
                           unsigned *strip) {
    if (place->own_block) {
        *strip = wl_ptx_strip(l);
        return LLVMBuildOr(l->b, LLVMBuildAnd(l->b, l->ptx->lane, number(l, 28), ""), within, "");
    }
    unsigned first = g * x->stride + place->block * x->m;
    *strip = first / 32 % l->strips;
    return first % 32 ? LLVMBuildAdd(l->b, within, number(l, first % 32), "") : within;
}

static LLVMValueRef fetch(struct wl_lift *l, LLVMValueRef value, LLVMValueRef lane) {
    if (lane == l->ptx->lane)
        return value;
    LLVMValueRef arguments[] = {value, lane};
    return wl_ptx_marker(l, "wl.shuffle", l->i32, arguments, 2, true);
}

static LLVMValueRef add_product(struct wl_lift *l, const struct matrix *x, LLVMValueRef a, LLVMValueRef b, LLVMValueRef sum) {
    if (is_integer(x))
        return LLVMBuildAdd(l->b, sum, LLVMBuildMul(l->b, a, b, ""), "");
    LLVMValueRef arguments[] = {a, b, sum};
    return wl_lift_intrinsic(l, "llvm.fma", &l->f32, 1, arguments, 3);
}

/* B's dwords for group `g`. */
static void fetch_b(struct wl_lift *l, const struct matrix *x, const struct place *place, unsigned g, LLVMValueRef dwords[MOST_DWORDS]) {
    const unsigned each = per_dword(x->b), count = (x->b_elements + each - 1) / each, quads = x->b_elements / 4;
    for (unsigned i = 0; i < count; i++) {
        const unsigned size = x->crosses ? 4 / each : 1, pair = i / size;
        const unsigned group = x->crosses ? wl_matrix_quad_group(g, pair, x->groups, quads) : g;
        const unsigned number = x->crosses ? wl_matrix_quad_number(g, pair, x->groups, quads) * size + i % size : i;
        unsigned strip;
        LLVMValueRef lane = holder(l, x, place, group, place->column, &strip);
        dwords[i] = fetch(l, x->b_dwords[strip][number], lane);
    }
}

static LLVMValueRef sum_up(struct wl_lift *l, const struct matrix *x, const struct place *place, LLVMValueRef sum) {
    unsigned a_each = per_dword(x->a), b_each = per_dword(x->b);
    for (unsigned g = 0; g < x->groups; g++) {
        unsigned a_strip;
        LLVMValueRef a_lane = holder(l, x, place, g, place->row, &a_strip);
        LLVMValueRef a_dwords[MOST_DWORDS], b_dwords[MOST_DWORDS], picks = NULL;
        for (unsigned i = 0; i < (x->a_elements + a_each - 1) / a_each; i++)
            a_dwords[i] = fetch(l, x->a_dwords[a_strip][i], a_lane);
        fetch_b(l, x, place, g, b_dwords);
        if (x->sparse)
            picks = fetch(l, x->index[a_strip], a_lane);
        for (unsigned e = 0; e < x->a_elements; e++) {
            LLVMValueRef a = element(l, x, a_dwords[e / a_each], e, 0), b = NULL;
            if (!x->sparse) {
                b = element(l, x, b_dwords[e / b_each], e, 1);
            } else { /* two bits choose one of four */
                LLVMValueRef pick = LLVMBuildAnd(l->b, LLVMBuildLShr(l->b, picks, number(l, 2 * e), ""), number(l, 3), "");
                for (unsigned i = 0; i < 4; i++) {
                    unsigned at = 4 * (e / 2) + i;
                    LLVMValueRef one = element(l, x, b_dwords[at / b_each], at, 1);
                    b = b ? LLVMBuildSelect(l->b, LLVMBuildICmp(l->b, LLVMIntEQ, pick, number(l, i), ""), one, b, "") : one;
                }
            }
            sum = add_product(l, x, a, b, sum);
        }
    }
    return sum;
}

/* ---- scales: A and B of 8, 6 or 4 bits; blocks of K, one for each group of lanes, whose products are multiplied by powers of two ---- */

enum { MOST_GROUPS = 4 };

static unsigned bits_of(unsigned kind) { return kind == WL_MATRIX_FP4 ? 4 : kind == WL_MATRIX_FP6 || kind == WL_MATRIX_BF6 ? 6 : 8; }

/* A number without special values, by integers alone: MODE may flush denormals of f32. */
static LLVMValueRef from_small(struct wl_lift *l, LLVMValueRef code, unsigned bits, unsigned fraction, unsigned bias) {
    LLVMBuilderRef b = l->b;
    LLVMValueRef magnitude = LLVMBuildAnd(b, code, number(l, (1u << (bits - 1)) - 1), "");
    LLVMValueRef exponent = LLVMBuildLShr(b, magnitude, number(l, fraction), "");
    LLVMValueRef is_normal = LLVMBuildICmp(b, LLVMIntNE, exponent, number(l, 0), "");
    LLVMValueRef digits = LLVMBuildAnd(b, magnitude, number(l, (1u << fraction) - 1), "");
    digits = LLVMBuildOr(b, digits, LLVMBuildShl(b, LLVMBuildZExt(b, is_normal, l->i32, ""), number(l, fraction), ""), "");
    exponent = LLVMBuildSelect(b, is_normal, exponent, number(l, 1), "");
    LLVMValueRef unit = LLVMBuildShl(b, LLVMBuildAdd(b, exponent, number(l, 127 - bias - fraction), ""), number(l, 23), "");
    LLVMValueRef value = LLVMBuildFMul(b, LLVMBuildUIToFP(b, digits, l->f32, ""), as_float(l, unit), "");
    LLVMValueRef sign = LLVMBuildShl(b, LLVMBuildLShr(b, code, number(l, bits - 1), ""), number(l, 31), "");
    return as_float(l, LLVMBuildOr(b, as_bits(l, value), sign, ""));
}

static LLVMValueRef small_element(struct wl_lift *l, LLVMValueRef const *dwords, unsigned e, unsigned kind) {
    const unsigned bits = bits_of(kind), first = e * bits / 32, shift = e * bits % 32;
    LLVMValueRef code = LLVMBuildLShr(l->b, dwords[first], number(l, shift), "");
    if (shift + bits > 32)
        code = LLVMBuildOr(l->b, code, LLVMBuildShl(l->b, dwords[first + 1], number(l, 32 - shift), ""), "");
    code = LLVMBuildAnd(l->b, code, number(l, (1u << bits) - 1), "");
    switch (kind) {
    case WL_MATRIX_FP8:
        return semantics1(l, "v_cvt_f32_fp8", code);
    case WL_MATRIX_BF8:
        return semantics1(l, "v_cvt_f32_bf8", code);
    case WL_MATRIX_FP6:
        return from_small(l, code, bits, 3, 1);
    case WL_MATRIX_BF6:
        return from_small(l, code, bits, 2, 3);
    default:
        return from_small(l, code, bits, 1, 1);
    }
}

/* What a lane has of A (operand 0: of its row) or B (of its column), by group of lanes. */
static void fetch_groups(struct wl_lift *l, const struct matrix *x, const struct place *place, unsigned operand,
                         LLVMValueRef dwords[MOST_GROUPS][MOST_DWORDS], LLVMValueRef scale[MOST_GROUPS]) {
    for (unsigned g = 0; g < x->groups; g++) {
        unsigned strip;
        LLVMValueRef lane = holder(l, x, place, g, operand ? place->column : place->row, &strip);
        for (unsigned i = 0; i < bits_of(operand ? x->b : x->a); i++)
            dwords[g][i] = fetch(l, (operand ? x->b_dwords : x->a_dwords)[strip][i], lane);
        scale[g] = fetch(l, x->scale[operand][strip], lane);
    }
}

/* Element k: 32 of a lane lie side by side in K, of 8 bits two runs of 16. */
static LLVMValueRef element_of_k(struct wl_lift *l, const struct matrix *x, LLVMValueRef dwords[MOST_GROUPS][MOST_DWORDS], unsigned kind,
                                 unsigned k) {
    const unsigned run = bits_of(kind) == 8 ? 16 : 32;
    return small_element(l, dwords[k / run % x->groups], k / run / x->groups * run + k % run, kind);
}

static LLVMValueRef limit(struct wl_lift *l, LLVMValueRef value, const char *name, int bound) {
    LLVMValueRef arguments[] = {value, number(l, (uint32_t)bound)};
    return wl_lift_intrinsic(l, name, &l->i32, 1, arguments, 2);
}

static LLVMValueRef power_of_two(struct wl_lift *l, LLVMValueRef power) {
    return as_float(l, LLVMBuildShl(l->b, LLVMBuildAdd(l->b, power, number(l, 127), ""), number(l, 23), ""));
}

/* sum + part * 2^(a + b - 254), rounded once; NaN where a or b is 255. What is cut off below 2^-126 is far below any f32. */
static LLVMValueRef add_scaled(struct wl_lift *l, LLVMValueRef sum, LLVMValueRef part, LLVMValueRef a, LLVMValueRef b) {
    LLVMValueRef power = LLVMBuildSub(l->b, LLVMBuildAdd(l->b, a, b, ""), number(l, 254), "");
    LLVMValueRef last = limit(l, limit(l, power, "llvm.smin", 127), "llvm.smax", -126);
    LLVMValueRef first = limit(l, LLVMBuildSub(l->b, power, last, ""), "llvm.smax", -126);
    LLVMValueRef arguments[] = {LLVMBuildFMul(l->b, part, power_of_two(l, first), ""), power_of_two(l, last), sum};
    LLVMValueRef result = wl_lift_intrinsic(l, "llvm.fma", &l->f32, 1, arguments, 3);
    LLVMValueRef no_number =
        LLVMBuildOr(l->b, LLVMBuildICmp(l->b, LLVMIntEQ, a, number(l, 255), ""), LLVMBuildICmp(l->b, LLVMIntEQ, b, number(l, 255), ""), "");
    return LLVMBuildSelect(l->b, no_number, as_float(l, number(l, 0x7fc00000)), result, "");
}

static LLVMValueRef sum_up_scaled(struct wl_lift *l, const struct matrix *x, const struct place *place, LLVMValueRef sum) {
    LLVMValueRef a[MOST_GROUPS][MOST_DWORDS], b[MOST_GROUPS][MOST_DWORDS], a_scale[MOST_GROUPS], b_scale[MOST_GROUPS];
    fetch_groups(l, x, place, 0, a, a_scale);
    fetch_groups(l, x, place, 1, b, b_scale);
    for (unsigned block = 0; block < x->groups; block++) {
        LLVMValueRef part = LLVMConstNull(l->f32);
        for (unsigned k = block * x->scale_block; k < (block + 1) * x->scale_block; k++)
            part = add_product(l, x, element_of_k(l, x, a, x->a, k), element_of_k(l, x, b, x->b, k), part);
        sum = add_scaled(l, sum, part, a_scale[block], b_scale[block]);
    }
    return sum;
}

static void read_scales(struct wl_lift *l, struct matrix *x) {
    for (unsigned i = 0; i < 2; i++)
        for (unsigned s = 0; s < l->strips; s++) {
            const struct wl_operand *op = &x->inst->operands[4 + i];
            const unsigned byte = field(x, i ? WL_MATRIX_SCALE_B : WL_MATRIX_SCALE_A, 2);
            wl_ptx_enter_strip(l, s);
            LLVMValueRef dword = op->kind == WL_OPERAND_VGPR ? wl_ptx_dword(l, op->reg) : wl_lift_scalar_operand(l, op, WL_U32);
            x->scale[i][s] = LLVMBuildAnd(l->b, LLVMBuildLShr(l->b, dword, number(l, 8 * byte), ""), number(l, 255), "");
        }
}

/* ---- as the AMD processor sums (WAVELIFT_MATH=hardware): calls of device code, four dwords of A and of B at a time ---- */

static bool is_as_hardware(const struct matrix *x) { return x->modifiers & (WL_MATRIX_PAIRED | WL_MATRIX_ALIGNED | WL_MATRIX_DOTS); }

/* The name of device/device.h's function. */
static void name_sum(const struct matrix *x, char *name, size_t size) {
    static const char *const kinds[] = {"f32", "xf32", "f16", "bf16", "fp8", "bf8"};
    if (x->modifiers & WL_MATRIX_PAIRED)
        snprintf(name, size, "wl_device_sum_%s_%s_%u", x->flush ? "flushed" : "pairs", kinds[x->a], x->a_elements);
    else if (x->modifiers & WL_MATRIX_DOTS)
        snprintf(name, size, "wl_device_sum_%s_%s_%s", x->layout == WL_MATRIX_WMMA11 ? "twos" : "fours", kinds[x->d], kinds[x->a]);
    else if (per_dword(x->a) == 4)
        snprintf(name, size, "wl_device_sum_aligned_%s_%s", kinds[x->a], kinds[x->b]);
    else
        snprintf(name, size, "wl_device_sum_aligned_%s", kinds[x->a]);
}

/* A call for which factors are being gathered. */
struct call {
    char name[48];
    LLVMValueRef arguments[9]; /* four dwords of A, four of B, and C */
    unsigned dwords;           /* of A, and of B, so far */
};

static LLVMValueRef make_call(struct wl_lift *l, struct call *call, LLVMValueRef sum) {
    for (; call->dwords < 4; call->dwords++)
        call->arguments[call->dwords] = call->arguments[4 + call->dwords] = LLVMConstNull(l->i32);
    call->arguments[8] = sum;
    call->dwords = 0;
    return wl_ptx_marker(l, call->name, l->i32, call->arguments, 9, true);
}

static LLVMValueRef negated_pairs(struct wl_lift *l, const struct matrix *x, LLVMValueRef dword, unsigned operand) {
    const bool wmma = x->layout != WL_MATRIX_MFMA;
    const uint32_t low = wmma && field(x, WL_MATRIX_NEG_LO, 3) >> operand & 1 ? 0x8000 : 0;
    const uint32_t high = wmma && field(x, WL_MATRIX_NEG_HI, 3) >> operand & 1 ? 0x80000000 : 0;
    return low | high ? LLVMBuildXor(l->b, dword, number(l, low | high), "") : dword;
}

/* `sum`: C, in the format of D; the result is, too. Sums of pairs are those of a lane; with steps of four the lanes take turns. */
static LLVMValueRef sum_as_hardware(struct wl_lift *l, const struct matrix *x, const struct place *place, LLVMValueRef sum) {
    const unsigned each = per_dword(x->a), count = x->a_elements / each;
    const bool in_turns = x->modifiers & WL_MATRIX_DOTS && x->layout == WL_MATRIX_WMMA12;
    const unsigned step = in_turns ? 2 : count;
    struct call call = {.dwords = 0};
    name_sum(x, call.name, sizeof call.name);
    for (unsigned first = 0; first < count; first += step)
        for (unsigned g = 0; g < x->groups; g++) {
            unsigned a_strip, b_strip;
            LLVMValueRef a_lane = holder(l, x, place, g, place->row, &a_strip), b_lane = holder(l, x, place, g, place->column, &b_strip);
            for (unsigned i = first; i < first + step; i++) {
                call.arguments[call.dwords] = negated_pairs(l, x, fetch(l, x->a_dwords[a_strip][i], a_lane), 0);
                call.arguments[4 + call.dwords] = negated_pairs(l, x, fetch(l, x->b_dwords[b_strip][i], b_lane), 1);
                if (++call.dwords == 4)
                    sum = make_call(l, &call, sum);
            }
            if (call.dwords && (x->modifiers & WL_MATRIX_PAIRED))
                sum = make_call(l, &call, sum);
        }
    return call.dwords ? make_call(l, &call, sum) : sum;
}

/* C of an element, as bits in the format of D. */
static LLVMValueRef start_of(struct wl_lift *l, const struct matrix *x, LLVMValueRef bits, bool high, bool constant) {
    const bool mfma = x->layout == WL_MATRIX_MFMA, whole = x->d == WL_MATRIX_F32;
    const uint32_t sign = whole ? 0x80000000 : 0x8000;
    if (!whole && high && !constant)
        bits = LLVMBuildLShr(l->b, bits, number(l, 16), "");
    if (!whole)
        bits = LLVMBuildAnd(l->b, bits, number(l, 0xffff), "");
    if (!mfma && x->modifiers >> (WL_MATRIX_NEG_HI + 2) & 1)
        bits = LLVMBuildAnd(l->b, bits, number(l, ~sign), "");
    return !mfma && x->modifiers >> (WL_MATRIX_NEG_LO + 2) & 1 ? LLVMBuildXor(l->b, bits, number(l, sign), "") : bits;
}

/* ---- all elements of D ---- */

static void multiply(struct wl_lift *l, struct matrix *x, const struct wl_operand *c) {
    bool constant = c->kind != WL_OPERAND_VGPR && !x->sparse;
    for (unsigned s = 0; s < l->strips; s++)
        for (unsigned r = 0; r < x->d_registers; r++) {
            wl_ptx_enter_strip(l, s);
            LLVMValueRef old = wl_ptx_dword(l, x->inst->operands[0].reg + r), result = old;
            for (unsigned half = 0; half < (x->packed ? 2u : 1u); half++) {
                bool high = x->packed ? half : (x->modifiers & WL_MATRIX_HIGH) != 0;
                struct place place = find_place(l, x, r, half);
                if (is_as_hardware(x)) {
                    LLVMValueRef bits = sum_as_hardware(l, x, &place, start_of(l, x, x->c[s][r], high, constant));
                    result = put_half(l, x, result, bits, high);
                    continue;
                }
                LLVMValueRef start = read_c(l, x, x->c[s][r], high, constant);
                LLVMValueRef sum = x->scale_block ? sum_up_scaled(l, x, &place, start)
                                                  : sum_up(l, x, &place, is_integer(x) ? LLVMConstNull(l->i32) : start);
                result = make_d(l, x, sum, start, result, high);
            }
            x->result[s][r] = result;
        }
}

/* ---- f64: four lanes of a column hold its four elements of K ---- */

static LLVMValueRef as_double(struct wl_lift *l, LLVMValueRef low, LLVMValueRef high, bool negate) {
    LLVMValueRef bits = LLVMBuildShl(l->b, LLVMBuildZExt(l->b, high, l->i64, ""), wl_lift_int(l, l->i64, 32), "");
    LLVMValueRef value = LLVMBuildBitCast(l->b, LLVMBuildOr(l->b, bits, LLVMBuildZExt(l->b, low, l->i64, ""), ""), l->f64, "");
    return negate ? LLVMBuildFNeg(l->b, value, "") : value;
}

static void multiply_f64(struct wl_lift *l, struct matrix *x) {
    enum { K = 4 };
    unsigned negate = field(x, WL_MATRIX_BLGP, 3);
    LLVMValueRef low16 = LLVMBuildAnd(l->b, l->ptx->lane, number(l, 15), ""), upper = LLVMBuildLShr(l->b, l->ptx->lane, number(l, 4), "");
    for (unsigned s = 0; s < 2; s++)
        for (unsigned pair = 0; pair < (x->blocks == 1 ? 4u : 1u); pair++) {
            LLVMValueRef row = LLVMBuildAdd(l->b, number(l, (x->blocks == 1 ? 4 * pair : 0) + 2 * s), upper, "");
            if (x->blocks > 1) /* row of the lane's own block */
                row = LLVMBuildOr(l->b, LLVMBuildAnd(l->b, low16, number(l, 12), ""), row, "");
            LLVMValueRef sum = as_double(l, x->c[s][2 * pair], x->c[s][2 * pair + 1], negate >> 2);
            for (unsigned k = 0; k < K; k++) {
                LLVMValueRef base = number(l, 16 * (k % 2)), a_lane = LLVMBuildAdd(l->b, row, base, "");
                LLVMValueRef b_lane = LLVMBuildAdd(l->b, low16, base, "");
                unsigned from = k / 2;
                LLVMValueRef arguments[] = {
                    as_double(l, fetch(l, x->a_dwords[from][0], a_lane), fetch(l, x->a_dwords[from][1], a_lane), negate & 1),
                    as_double(l, fetch(l, x->b_dwords[from][0], b_lane), fetch(l, x->b_dwords[from][1], b_lane), negate >> 1 & 1), sum};
                sum = wl_lift_intrinsic(l, "llvm.fma", &l->f64, 1, arguments, 3);
            }
            LLVMValueRef bits = LLVMBuildBitCast(l->b, sum, l->i64, "");
            x->result[s][2 * pair] = LLVMBuildTrunc(l->b, bits, l->i32, "");
            x->result[s][2 * pair + 1] = LLVMBuildTrunc(l->b, LLVMBuildLShr(l->b, bits, wl_lift_int(l, l->i64, 32), ""), l->i32, "");
        }
}

/* ---- one instruction ---- */

static unsigned dwords_of(unsigned elements, unsigned kind) {
    if (kind == WL_MATRIX_FP4 || kind == WL_MATRIX_FP6 || kind == WL_MATRIX_BF6)
        return elements * bits_of(kind) / 32;
    return kind == WL_MATRIX_F64 ? 2 : (elements + per_dword(kind) - 1) / per_dword(kind);
}

/* Which set of indices: `key` on gfx12; on gfx9 abid, if cbsz is 0. */
static unsigned index_shift(const struct matrix *x) {
    unsigned set = x->layout == WL_MATRIX_WMMA12      ? field(x, WL_MATRIX_KEY, 2)
                   : field(x, WL_MATRIX_CBSZ, 3) != 0 ? 0
                                                      : field(x, WL_MATRIX_ABID, 4);
    return set * 2 * x->a_elements & 31;
}

static void read_operands(struct wl_lift *l, struct matrix *x, unsigned registers) {
    const struct wl_operand *op = x->inst->operands;
    uint64_t constant = op[3].kind == WL_OPERAND_VGPR ? 0 : wl_matrix_constant(&op[3], x->d);
    for (unsigned s = 0; s < l->strips; s++) {
        wl_ptx_enter_strip(l, s);
        for (unsigned i = 0; i < dwords_of(x->a_elements, x->a); i++)
            x->a_dwords[s][i] = wl_ptx_dword(l, op[1].reg + i);
        for (unsigned i = 0; i < dwords_of(x->b_elements, x->b); i++)
            x->b_dwords[s][i] = wl_ptx_dword(l, op[2].reg + i);
        for (unsigned r = 0; r < registers; r++) {
            if (x->sparse)
                x->c[s][r] = wl_ptx_dword(l, op[0].reg + r);
            else if (op[3].kind == WL_OPERAND_VGPR)
                x->c[s][r] = wl_ptx_dword(l, op[3].reg + r);
            else
                x->c[s][r] = number(l, x->d == WL_MATRIX_F64 && r % 2 ? constant >> 32 : constant & UINT32_MAX);
        }
        if (x->sparse)
            x->index[s] = LLVMBuildLShr(l->b, wl_ptx_dword(l, op[3].reg), number(l, index_shift(x)), "");
    }
}

/* ---- lanes that are moved (dense instructions of gfx9) ---- */

/* cbsz: 2^cbsz neighbouring blocks use the A of one of them, which abid names. */
static LLVMValueRef a_source(struct wl_lift *l, const struct matrix *x, LLVMValueRef lane) {
    unsigned cbsz = field(x, WL_MATRIX_CBSZ, 3), together = 1u << cbsz < x->blocks ? 1u << cbsz : x->blocks;
    LLVMValueRef block = LLVMBuildAnd(l->b, LLVMBuildUDiv(l->b, lane, number(l, x->m), ""), number(l, x->blocks - 1), "");
    LLVMValueRef from = LLVMBuildAnd(l->b, block, number(l, ~(together - 1)), "");
    from = LLVMBuildAdd(l->b, from, number(l, field(x, WL_MATRIX_ABID, 4) & (together - 1)), "");
    return LLVMBuildAdd(l->b, lane, LLVMBuildMul(l->b, LLVMBuildSub(l->b, from, block, ""), number(l, x->m), ""), "");
}

/* blgp: 1, 2: the lower or upper 32 lanes for both halves; 3: rotated by 16 lanes; 4 to 7: one row of 16 lanes for all. */
static LLVMValueRef b_source(struct wl_lift *l, const struct matrix *x, LLVMValueRef lane) {
    unsigned pattern = field(x, WL_MATRIX_BLGP, 3);
    if (pattern == 3)
        return LLVMBuildAnd(l->b, LLVMBuildAdd(l->b, lane, number(l, 16), ""), number(l, 63), "");
    LLVMValueRef kept = LLVMBuildAnd(l->b, lane, number(l, pattern < 3 ? 31 : 15), "");
    return LLVMBuildOr(l->b, kept, number(l, pattern < 3 ? 32 * (pattern - 1) : 16 * (pattern & 3)), "");
}

typedef LLVMValueRef source_fn(struct wl_lift *l, const struct matrix *x, LLVMValueRef lane);

static void move_dwords(struct wl_lift *l, const struct matrix *x, LLVMValueRef dwords[2][MOST_DWORDS], unsigned count, source_fn *source) {
    for (unsigned i = 0; i < count; i++) {
        LLVMValueRef values[2] = {dwords[0][i], dwords[1][i]};
        for (unsigned s = 0; s < l->strips; s++) {
            wl_ptx_enter_strip(l, s);
            dwords[s][i] = wl_ptx_read_lane(l, values, source(l, x, wl_ptx_wave_lane(l)));
        }
    }
}

static void move_lanes(struct wl_lift *l, struct matrix *x) {
    if (field(x, WL_MATRIX_CBSZ, 3) && x->blocks > 1)
        move_dwords(l, x, x->a_dwords, dwords_of(x->a_elements, x->a), a_source);
    if (field(x, WL_MATRIX_BLGP, 3))
        move_dwords(l, x, x->b_dwords, dwords_of(x->b_elements, x->b), b_source);
}

void wl_ptx_lift_matrix(struct wl_lift *l, const struct wl_inst *inst) {
    const struct wl_operand *op = inst->operands;
    struct matrix x;
    if (!wl_matrix_is_known(inst, l->generation) || !describe(l, inst, &x)) {
        wl_ptx_unsupported(l, inst);
        return;
    }
    unsigned count = x.d == WL_MATRIX_F64 ? 2 * x.d_registers : x.d_registers;
    if (x.moved || !wl_ptx_mma(l, inst, x.result)) {
        read_operands(l, &x, count);
        if (x.scale_block)
            read_scales(l, &x);
        if (x.moved)
            move_lanes(l, &x);
        if (x.apart)
            x.b_dwords[0][1] = x.b_dwords[1][0];
        if (x.d == WL_MATRIX_F64)
            multiply_f64(l, &x);
        else
            multiply(l, &x, &op[3]);
    }
    for (unsigned s = 0; s < l->strips; s++)
        for (unsigned r = 0; r < count; r++)
            LLVMBuildStore(l->b, wl_ptx_vector(l, x.result[s][r]), l->ptx->row[s][op[0].reg + r]);
}
