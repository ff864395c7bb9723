/* Dot products and WMMA of 16-bit floats, and dot products of 8-bit ones, with WAVELIFT_MATH=hardware on RDNA3 and RDNA4, assembled, translated and
 * run, against sums in integers.
 *
 * What docs/NUMERICS.md says of these sums is written here once more, for one sum at a time in 64 bits. Every bit is compared. The points are results
 * of a Radeon Pro W7900 (gfx1100) and a Radeon AI Pro R9700 (gfx1201) that AMD published with its emulator rocjitsu.
 *
 * Arguments: how often each instruction runs (default: 40), processors that begin like this. */
#include "../random_numbers.h"
#include "translate/assembler.h"
#include "translate/lift_run.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum kind { F32, F16, BF16, FP8, BF8 };

enum { A_ROW = 8, B_ROW = 16, C_ROW = 24, D_ROW = 40, FACTOR_NAN = -0x3ff5c3, INVALID = -0x400000, NOTHING = -5000 };

static unsigned generation, wave, failures;
static unsigned long checks;
static const char *processor, *instruction;

/* ---- numbers ---- */

struct number {
    bool nan, infinite, negative;
    int64_t integer;
    int exponent; /* of the integer's last bit */
    int aligned;  /* the exponent field's; denormals have the least one */
};

static const struct format {
    unsigned bits, exponent_bits, fraction;
} formats[] = {[F32] = {32, 8, 23}, [F16] = {16, 5, 10}, [BF16] = {16, 8, 7}, [FP8] = {8, 4, 3}, [BF8] = {8, 5, 2}};

static struct number take_apart(uint32_t bits, enum kind kind, bool flush) {
    const struct format f = formats[kind];
    const int top = (1 << f.exponent_bits) - 1, bias = top / 2, field = (int)(bits >> f.fraction) & top;
    const int64_t fraction = bits & ((1u << f.fraction) - 1);
    struct number n = {.negative = bits >> (f.bits - 1) & 1, .aligned = (field ? field : 1) - bias};
    n.integer = field ? fraction | 1 << f.fraction : flush ? 0 : fraction;
    n.exponent = n.aligned - (int)f.fraction;
    if (field == top && kind == FP8) {
        n.nan = fraction == 7;
    } else if (field == top) {
        n.nan = fraction != 0;
        n.infinite = !fraction;
    }
    return n;
}

static int leading(int64_t integer, int exponent) {
    if (!integer)
        return NOTHING;
    for (; integer > 1; integer >>= 1)
        exponent++;
    return exponent;
}

/* In units of 2^grid, rounded down. */
static int64_t in_units(int64_t integer, int exponent, int grid) {
    const int by = grid - exponent;
    return by <= 0 ? integer * (INT64_C(1) << -by) : integer >> (by > 62 ? 62 : by);
}

/* size * 2^exponent with so many fraction bits, to nearest even; what is below the least normal number is flushed if it is after rounding. */
static uint32_t round_to(bool negative, int64_t size, int exponent, enum kind kind, bool flush) {
    const struct format f = formats[kind];
    const int bias = (1 << (f.exponent_bits - 1)) - 1, top = leading(size, exponent);
    int last = top - (int)f.fraction;
    if (!size)
        return 0;
    if (last < 1 - bias - (int)f.fraction && !flush)
        last = 1 - bias - (int)f.fraction;
    int64_t units = in_units(size, exponent, last);
    const int64_t rest = size - (last > exponent ? last - exponent > 62 ? 0 : units * (INT64_C(1) << (last - exponent)) : size);
    const int64_t half = last > exponent ? last - exponent > 62 ? INT64_MAX : INT64_C(1) << (last - exponent - 1) : 1;
    if (rest > half || (rest == half && units & 1))
        units++;
    if (units >> (f.fraction + 1)) {
        units >>= 1;
        last++;
    }
    const int field = units >> f.fraction ? last + (int)f.fraction + bias : 0;
    if (!units || (flush && field < 1))
        return 0;
    if (field >= 2 * bias + 1)
        return (negative ? 1u << (f.bits - 1) : 0) | (2u * (unsigned)bias + 1) << f.fraction;
    return (negative ? 1u << (f.bits - 1) : 0) | (uint32_t)field << f.fraction | ((uint32_t)units & ((1u << f.fraction) - 1));
}

/* ---- the sums ---- */

/* A result that is no number, of which these are the bits as f32. */
static uint32_t no_number(uint32_t bits, enum kind result) {
    if (result == F32)
        return bits;
    if (bits == (uint32_t)FACTOR_NAN)
        return result == BF16 ? 0xfffd : 0xfe3d;
    return result == BF16 ? bits >> 16 : (bits >> 16 & 0x8000) | 0x7c00 | (bits >> 13 & 0x3ff);
}

/* A number of 16 bits as f32's bits. */
static uint32_t widened(uint32_t bits, enum kind kind) {
    if (kind != F16)
        return kind == F32 ? bits : bits << 16;
    const struct number n = take_apart(bits, F16, false);
    if (n.nan || n.infinite)
        return (bits & 0x8000) << 16 | 0x7f800000 | (bits & 0x3ff) << 13;
    return n.integer ? round_to(n.negative, n.integer, n.exponent, F32, false) : (bits & 0x8000) << 16;
}

struct product {
    bool negative;
    int64_t integer;
    int exponent, grid;
};

/* RDNA3. */
static uint32_t add_as_rdna3(const struct number *c, const struct product *p, enum kind result) {
    int top = leading(c->integer, c->exponent), grid = NOTHING;
    if (result == F16 && top < -14)
        top = -14;
    bool none = !c->integer;
    for (unsigned i = 0; i < 2; i++) {
        const int own = leading(p[i].integer, p[i].exponent);
        top = own > top ? own : top;
        grid = p[i].grid > grid ? p[i].grid : grid;
        none = none && !p[i].integer;
    }
    if (none)
        return 0;
    grid = top - 26 > grid ? top - 26 : grid;
    int64_t sum = in_units(c->integer, c->exponent, grid);
    for (unsigned i = 0; i < 2; i++) {
        const int64_t units = in_units(p[i].integer, p[i].exponent, grid);
        sum += p[i].negative == c->negative ? units : -units - 1;
    }
    const bool negative = c->negative != (sum < 0);
    const int64_t size = sum < 0 ? -sum : sum;
    if (result == F16)
        return round_to(negative, size, grid, F16, false);
    return round_to(negative, size, grid, F32, true) >> (result == BF16 ? 16 : 0);
}

/* RDNA4. */
static uint32_t add_as_rdna4(const struct number *c, const struct product *p, unsigned count, unsigned each, enum kind result) {
    const int least = result == F16 ? -14 : -126;
    int own[2] = {NOTHING, NOTHING}, grid = leading(c->integer, c->exponent);
    int64_t sums[2] = {0};
    grid = (grid < least ? least : grid) - 26;
    for (unsigned i = 0; i < count; i++)
        own[i / each] = p[i].grid > own[i / each] ? p[i].grid : own[i / each];
    for (unsigned i = 0; i < count; i++)
        sums[i / each] += in_units(p[i].negative ? -p[i].integer : p[i].integer, p[i].exponent, own[i / each]);
    for (unsigned i = 0; i < 2; i++)
        grid = own[i] > grid ? own[i] : grid;
    int64_t sum = in_units(c->negative ? -c->integer : c->integer, c->exponent, grid);
    if (grid > least && !in_units(c->integer, c->exponent, grid))
        sum = 0;
    for (unsigned i = 0; i < 2; i++)
        sum += in_units(sums[i], own[i], grid);
    const int64_t size = sum < 0 ? -sum : sum;
    if (result == F16)
        return round_to(sum < 0, size, grid, F16, false);
    return round_to(sum < 0, size, grid, F32, false) >> (result == BF16 ? 16 : 0);
}

/* `c` and the result have the format `result`. */
static uint32_t add(uint32_t c, const uint32_t *a, const uint32_t *b, unsigned count, enum kind a_kind, enum kind b_kind,
                    enum kind result) {
    const bool rdna3 = generation == 11, bytes = a_kind == FP8 || a_kind == BF8;
    const uint32_t c_bits = widened(c, result), invalid_bits = bytes ? (uint32_t)FACTOR_NAN : (uint32_t)INVALID;
    const struct number start = take_apart(c_bits, F32, rdna3);
    struct product p[4];
    bool nan = false, invalid = false, plus = false, minus = false;
    for (unsigned i = 0; i < count; i++) {
        const struct number x = take_apart(a[i], a_kind, rdna3 && a_kind == BF16), y = take_apart(b[i], b_kind, rdna3 && b_kind == BF16);
        p[i] = (struct product){x.negative != y.negative, x.integer * y.integer, x.exponent + y.exponent, x.aligned + y.aligned - 24};
        if (!p[i].integer)
            p[i].grid = NOTHING;
        nan |= x.nan || y.nan;
        invalid |= (x.infinite && !y.integer) || (y.infinite && !x.integer);
        plus |= (x.infinite || y.infinite) && !p[i].negative;
        minus |= (x.infinite || y.infinite) && p[i].negative;
    }
    if (nan)
        return no_number((uint32_t)FACTOR_NAN, result);
    if (invalid || (plus && minus))
        return no_number(invalid_bits, result);
    if (start.nan)
        return no_number(c_bits | 0x400000, result);
    plus |= start.infinite && !start.negative;
    minus |= start.infinite && start.negative;
    if (plus || minus)
        return no_number(plus && minus ? invalid_bits : minus ? 0xff800000 : 0x7f800000, result);
    return rdna3 ? add_as_rdna3(&start, p, result) : add_as_rdna4(&start, p, count, bytes ? 4 : 2, result);
}

/* ---- inputs ---- */

static uint32_t random_number(void) {
    static uint64_t state = 0x853c49e6748fea9bu;
    return (uint32_t)(next_random(&state) >> 24);
}

/* What the numbers of a run are like: any; special; exponents so far from 1, within so many of each other. */
static struct {
    unsigned style;
    int around, spread;
} inputs;

static void choose_inputs(enum kind kind) {
    const int range = 1 << (formats[kind].exponent_bits - 1);
    inputs.style = random_number() % 8;
    inputs.around = (int)(random_number() % (unsigned)(2 * range)) - range;
    inputs.spread = (int)(random_number() % 16);
}

static uint32_t random_bits(enum kind kind, int around) {
    const struct format f = formats[kind];
    const uint32_t all = f.bits == 32 ? UINT32_MAX : (1u << f.bits) - 1, one = 1u << f.fraction,
                   top = ((1u << f.exponent_bits) - 1) << f.fraction;
    const uint32_t sign = (random_number() & 1) << (f.bits - 1);
    if (inputs.style == 0)
        return random_number() & all;
    if (inputs.style == 1 && random_number() % 3 == 0) {
        const uint32_t values[] = {0, 1, one - 1, one, one + 1, top, top - 1, top + 1, top | one >> 1};
        return sign | values[random_number() % (sizeof values / sizeof *values)];
    }
    if (inputs.style == 2 && random_number() % 3 == 0)
        return sign;
    const int bias = (1 << (f.exponent_bits - 1)) - 1;
    int field = around + bias + (int)(random_number() % (unsigned)(2 * inputs.spread + 1)) - inputs.spread;
    field = field < 0 ? 0 : field > 2 * bias ? 2 * bias : field;
    uint32_t fraction = random_number() & (one - 1);
    if (inputs.style == 3)
        fraction &= ~(one / 2 - 1);
    return sign | (uint32_t)field << f.fraction | fraction;
}

static uint32_t random_dword(enum kind kind, int around) {
    uint32_t dword = 0;
    for (unsigned e = 0; e < 32; e += formats[kind].bits)
        dword |= random_bits(kind, around) << e;
    return dword;
}

/* Sums often cancel if the second product is about the first one, negated. */
static void fill(unsigned first, unsigned rows, enum kind kind, int around) {
    for (unsigned r = 0; r < rows; r++)
        for (unsigned l = 0; l < wave; l++) {
            uint32_t dword = random_dword(kind, around);
            if (formats[kind].bits == 16 && random_number() % 4 == 0)
                dword = (dword & 0xffff) | (dword & 0xffff) << 16;
            lift_row(first + r)[l] = dword ^ (random_number() % 2 ? 0x8000 : 0);
        }
}

static void compare(unsigned register_, unsigned lane, uint32_t got, uint32_t want) {
    checks++;
    if (got != want && failures++ < 20)
        fprintf(stderr, "%s wave%u %s: register %u lane %u: %08x, expected %08x (style %u)\n", processor, wave, instruction, register_,
                lane, got, want, inputs.style);
}

/* ---- dot products ---- */

static const struct dot {
    const char *instruction, *form; /* the operands' text */
    unsigned generations;           /* 1: RDNA3, 2: RDNA4 */
    enum kind a, b, result;
    bool adds; /* to what the register holds */
} dots[] = {
    {"v_dot2_f32_f16", "v40, v8, v16, v24", 3, F16, F16, F32, false},
    {"v_dot2_f32_bf16", "v40, v8, v16, v24", 3, BF16, BF16, F32, false},
    {"v_dot2_f16_f16", "v40, v8, v16, v24", 3, F16, F16, F16, false},
    {"v_dot2_bf16_bf16", "v40, v8, v16, v24", 3, BF16, BF16, BF16, false},
    {"v_dot2acc_f32_f16", "v40, v8, v16", 1, F16, F16, F32, true},
    {"v_dual_dot2acc_f32_f16", "v40, v8, v17 :: v_dual_mov_b32 v43, v18", 1, F16, F16, F32, true},
    {"v_dual_dot2acc_f32_bf16", "v40, v8, v17 :: v_dual_mov_b32 v43, v18", 1, BF16, BF16, F32, true},
    {"v_dot4_f32_fp8_fp8", "v40, v8, v16, v24", 2, FP8, FP8, F32, false},
    {"v_dot4_f32_fp8_bf8", "v40, v8, v16, v24", 2, FP8, BF8, F32, false},
    {"v_dot4_f32_bf8_fp8", "v40, v8, v16, v24", 2, BF8, FP8, F32, false},
    {"v_dot4_f32_bf8_bf8", "v40, v8, v16, v24", 2, BF8, BF8, F32, false},
};

static uint32_t dot_of(const struct dot *d, uint32_t a, uint32_t b, uint32_t c) {
    const unsigned bits = formats[d->a].bits, count = 32 / bits;
    uint32_t x[4], y[4];
    for (unsigned i = 0; i < count; i++) {
        x[i] = a >> bits * i & ((1u << bits) - 1);
        y[i] = b >> bits * i & ((1u << bits) - 1);
    }
    return add(d->result == F32 ? c : c & 0xffff, x, y, count, d->a, d->b, d->result);
}

/* LLVM 19 has no name for v_dual_dot2acc_f32_bf16, whose opcode is one more than that of f16. */
static void open_dot(char *text) {
    char *name = strstr(text, "acc_f32_bf16"), all[200];
    size_t size = 0;
    if (!name) {
        lift_open(processor, wave, text);
        return;
    }
    memmove(name + 8, name + 9, strlen(name + 8));
    snprintf(all, sizeof all, "%ss_setpc_b64 s[30:31]", text);
    uint8_t *code = test_assemble(processor, wave, all, &size);
    if (!code)
        exit(1);
    code[2] += 0x40;
    lift_open_code(processor, wave, code, size, false);
    free(code);
}

static void check_dot(const struct dot *d, unsigned runs) {
    const unsigned b_row = strstr(d->form, "v17") ? B_ROW + 1 : B_ROW;
    char text[160];
    instruction = d->instruction;
    snprintf(text, sizeof text, "%s %s\n", d->instruction, d->form);
    open_dot(text);
    for (unsigned run = 0; run < runs; run++) {
        uint32_t want[64];
        choose_inputs(d->a);
        fill(A_ROW, 1, d->a, inputs.around);
        fill(b_row, 1, d->b, inputs.around);
        for (unsigned l = 0; l < wave; l++) {
            const uint32_t c = random_dword(d->result, 2 * inputs.around + (int)(random_number() % 5) - 2);
            lift_row(d->adds ? D_ROW : C_ROW)[l] = c;
            want[l] = dot_of(d, lift_row(A_ROW)[l], lift_row(b_row)[l], c);
        }
        lift_execute(UINT64_MAX);
        for (unsigned l = 0; l < wave; l++)
            compare(0, l, d->result == F32 ? lift_row(D_ROW)[l] : lift_row(D_ROW)[l] & 0xffff, want[l]);
    }
    lift_close();
}

/* ---- WMMA ---- */

static const struct wmma {
    const char *instruction;
    enum kind factors, result;
} wmmas[] = {{"v_wmma_f32_16x16x16_f16", F16, F32},
             {"v_wmma_f32_16x16x16_bf16", BF16, F32},
             {"v_wmma_f16_16x16x16_f16", F16, F16},
             {"v_wmma_bf16_16x16x16_bf16", BF16, BF16}};

static unsigned neg_lo, neg_hi;
static bool high;

/* Element k of row or column `i`, as the register's bits and the modifiers have it. */
static uint32_t factor(unsigned first, unsigned i, unsigned k) {
    unsigned lane = i, element = k;
    if (generation == 12 && wave == 32) {
        lane = i + 16 * (k / 8);
        element = k % 8;
    } else if (generation == 12) {
        lane = i + 16 * (k / 4);
        element = k % 4;
    }
    const uint32_t bits = lift_row(first + element / 2)[lane] >> 16 * (element & 1) & 0xffff;
    return bits ^ ((element & 1 ? neg_hi : neg_lo) >> (first == B_ROW) & 1 ? 0x8000 : 0);
}

/* Where row i, column j of D is: `half` is 0, 1, or 2 for all 32 bits. */
static void place(unsigned i, unsigned j, enum kind result, unsigned *r, unsigned *lane, unsigned *half) {
    *half = result == F32 ? 2 : high;
    if (generation == 11) {
        *r = i / (wave / 16);
        *lane = i % (wave / 16) * 16 + j;
        return;
    }
    *lane = wave == 32 ? i / 8 * 16 + j : j + 16 * (i >> 3 & 1) + 32 * (i >> 2 & 1);
    *r = wave == 32 ? i % 8 : i % 4;
    if (result != F32) {
        *half = *r & 1;
        *r /= 2;
    }
}

static uint32_t half_of(uint32_t dword, unsigned half) { return half == 2 ? dword : dword >> 16 * half & 0xffff; }

static uint32_t wmma_of(const struct wmma *w, unsigned i, unsigned j, uint32_t c) {
    const uint32_t sign = w->result == F32 ? 0x80000000 : 0x8000;
    const unsigned each = generation == 11 ? 2 : 4;
    if (neg_hi & 4)
        c &= ~sign;
    if (neg_lo & 4)
        c ^= sign;
    for (unsigned step = 0; step < 16 / each; step++) {
        /* In a wave of 32 the two halves of the lanes of gfx12 take turns. */
        const unsigned first = generation == 12 && wave == 32 ? step % 2 * 8 + step / 2 * 4 : step * each;
        uint32_t a[4], b[4];
        for (unsigned k = 0; k < each; k++) {
            a[k] = factor(A_ROW, i, first + k);
            b[k] = factor(B_ROW, j, first + k);
        }
        c = add(c, a, b, each, w->factors, w->factors, w->result);
    }
    return c;
}

static void check_wmma(const struct wmma *w, unsigned runs, bool twice) {
    static uint32_t want[16][64];
    const unsigned factors = generation == 11 ? 8 : 128 / wave, all = 256 / wave,
                   d_rows = generation == 12 && w->result != F32 ? all / 2 : all;
    char text[512], modifiers[80];
    instruction = w->instruction;
    snprintf(modifiers, sizeof modifiers, "%s neg_lo:[%u,%u,%u] neg_hi:[%u,%u,%u]", high ? " op_sel:[0,0,1]" : "", neg_lo & 1,
             neg_lo >> 1 & 1, neg_lo >> 2, neg_hi & 1, neg_hi >> 1 & 1, neg_hi >> 2);
    const int length =
        snprintf(text, sizeof text / 2, "%s v[%d:%u], v[%d:%u], v[%d:%u], v[%d:%u]%s\n", w->instruction, D_ROW, D_ROW + d_rows - 1, A_ROW,
                 A_ROW + factors - 1, B_ROW, B_ROW + factors - 1, D_ROW, D_ROW + d_rows - 1, modifiers);
    if (twice)
        memcpy(text + length, text, (size_t)length + 1);
    lift_open(processor, wave, text);
    for (unsigned run = 0; run < runs; run++) {
        choose_inputs(w->factors);
        fill(A_ROW, factors, w->factors, inputs.around);
        fill(B_ROW, factors, w->factors, inputs.around);
        for (unsigned r = 0; r < d_rows; r++)
            for (unsigned l = 0; l < wave; l++)
                want[r][l] = lift_row(D_ROW + r)[l] = random_dword(w->result, 2 * inputs.around + (int)(random_number() % 9) - 4);
        for (unsigned i = 0; i < 16; i++)
            for (unsigned j = 0; j < 16; j++) {
                unsigned r, l, half;
                place(i, j, w->result, &r, &l, &half);
                uint32_t sum = wmma_of(w, i, j, half_of(want[r][l], half));
                sum = twice ? wmma_of(w, i, j, sum) : sum;
                want[r][l] = half == 2 ? sum : (want[r][l] & ~(0xffffu << 16 * half)) | sum << 16 * half;
            }
        lift_execute(UINT64_MAX);
        for (unsigned r = 0; r < d_rows; r++)
            for (unsigned l = 0; l < wave; l++)
                compare(r, l, lift_row(D_ROW + r)[l], want[r][l]);
    }
    lift_close();
}

static void check_wmmas(unsigned runs) {
    for (const struct wmma *w = wmmas; w < wmmas + sizeof wmmas / sizeof *wmmas; w++) {
        neg_lo = neg_hi = high = 0;
        check_wmma(w, runs, false);
        check_wmma(w, (runs + 3) / 4, true);
        neg_lo = random_number() & 7;
        neg_hi = random_number() & 7;
        high = generation == 11 && w->result != F32;
        check_wmma(w, (runs + 1) / 2, false);
    }
    neg_lo = neg_hi = high = 0;
}

/* ---- points ---- */

/* v_dot2_f32_f16 (bf16: the second half of the table). */
static const struct point {
    uint32_t a, b, c, rdna3, rdna4;
} points[] = {
    {0x48004200, 0x44004800, 0xbf800000, 0x425c0001, 0x425c0000}, /* -1 + 3 * 8 + 8 * 4 */
    {0x3c00bc00, 0x3c003c00, 0x3f800000, 0x3f7fffff, 0x3f800000}, /* 1 - 1 + 1 */
    {0x3c003c00, 0x3c003c00, 0xc0000000, 0x34000000, 0x00000000}, /* -2 + 1 + 1 */
    {0x3c003c00, 0x3c000000, 0x80000000, 0x3f800001, 0x3f800000}, /* -0 + 1 * 0 + 1 */
    {0x00000001, 0x3c008001, 0x00000000, 0xa7880000, 0xa7800000}, /* denormals */
    {0x3c003c00, 0x3c003c00, 0x7f812345, 0x7fc12345, 0x7fc12345}, /* C is NaN */
    {0x3c007c01, 0x3c003c00, 0x00000000, 0xffc00a3d, 0xffc00a3d}, /* a factor is */
    {0x3c007c00, 0x3c000000, 0x7fc12345, 0xffc00000, 0xffc00000}, /* infinity times zero */
    {0x41004040, 0x40804100, 0xbf800000, 0x425c0001, 0x425c0000}, {0x00800000, 0x3f808000, 0x00000001, 0x00000000, 0x00800001},
    {0x00000001, 0x3f804980, 0x00000000, 0x00000000, 0x07000000}, {0xff7f7f7f, 0x7f7f7f7f, 0x00000000, 0xff800000, 0x00000000},
    {0xc395629b, 0xd9633359, 0xdc60025c, 0x5d504185, 0x5d504184}, {0x37d6ba90, 0x8901852c, 0x80800007, 0, 0x81674c04},
};

static void check_points(void) {
    enum { OF_HALVES = 8 };
    wave = 32;
    for (unsigned p = 0; p < sizeof points / sizeof *points; p++) {
        const uint32_t want = generation == 11 ? points[p].rdna3 : points[p].rdna4;
        if (generation == 11 && p + 1 == sizeof points / sizeof *points) /* which nobody published */
            continue;
        instruction = p < OF_HALVES ? "v_dot2_f32_f16" : "v_dot2_f32_bf16";
        lift_open(processor, wave, p < OF_HALVES ? "v_dot2_f32_f16 v40, v8, v16, v24\n" : "v_dot2_f32_bf16 v40, v8, v16, v24\n");
        for (unsigned l = 0; l < wave; l++) {
            lift_row(A_ROW)[l] = points[p].a;
            lift_row(B_ROW)[l] = points[p].b;
            lift_row(C_ROW)[l] = points[p].c;
        }
        lift_execute(UINT64_MAX);
        compare(p, 0, lift_row(D_ROW)[0], want);
        compare(p, 31, dot_of(&dots[p < OF_HALVES ? 0 : 1], points[p].a, points[p].b, points[p].c), want); /* the model above */
        lift_close();
    }
}

int main(int count, char **arguments) {
    static const char *const processors[] = {"gfx1100", "gfx1151", "gfx1200", "gfx1201"};
    const unsigned runs = count > 1 ? (unsigned)strtoul(arguments[1], NULL, 10) : 40;
    lift_start();
    lift_matrix_sums = WL_SUMS_HARDWARE;
    for (unsigned p = 0; p < sizeof processors / sizeof *processors; p++) {
        if (count > 2 && strncmp(processors[p], arguments[2], strlen(arguments[2])) != 0)
            continue;
        processor = processors[p];
        generation = processor[4] == '1' ? 11 : 12;
        check_points();
        for (wave = 32; wave <= 64; wave *= 2) {
            for (const struct dot *d = dots; d < dots + sizeof dots / sizeof *dots; d++)
                if (d->generations >> (generation - 11) & 1 && (wave == 32 || !strstr(d->instruction, "dual")))
                    check_dot(d, 4 * runs);
            check_wmmas((runs + 7) / 8);
        }
    }
    printf("%lu checks, %u failures\n", checks, failures);
    return failures != 0 || !checks;
}
