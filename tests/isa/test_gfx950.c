/* Instructions of gfx950, which LLVM 19 does not decode: v_permlane16_swap_b32, v_permlane32_swap_b32 and v_mfma_scale_f32_*_f8f6f4. The
 * program is linked with --wrap=wl_decode: its decoder puts them in the place of an s_nop, so that native code, threaded code and PTX run
 * what they make of them. Matrix products are compared with sums of integers, which are exact; where elements lie, and what their bits
 * mean, is written here once more. */
#include "base/cpu.h"
#include "machine/matrix.h"
#include "translate/decode/decoder.h"
#include "translate/isa/isa.h"
#include "translate/lift_run.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { LANES = 64, STAND_IN = 0xbf80000d /* s_nop 13 */, JUMP = 0xbe801d1e /* s_setpc_b64 s[30:31] */ };

static unsigned checks, failures;
static struct wl_inst replacement;

unsigned __real_wl_decode(struct wl_decoder *decoder, const uint8_t *bytes, uint64_t available, uint64_t address, struct wl_inst inst[2]);
unsigned __wrap_wl_decode(struct wl_decoder *decoder, const uint8_t *bytes, uint64_t available, uint64_t address, struct wl_inst inst[2]);

unsigned __wrap_wl_decode(struct wl_decoder *decoder, const uint8_t *bytes, uint64_t available, uint64_t address, struct wl_inst inst[2]) {
    unsigned count = __real_wl_decode(decoder, bytes, available, address, inst);
    const uint32_t word = STAND_IN;
    if (count && memcmp(bytes, &word, sizeof word) == 0) {
        const struct wl_inst nop = inst[0];
        inst[0] = replacement;
        inst[0].offset = nop.offset;
        inst[0].address = nop.address;
        inst[0].size = nop.size;
    }
    return count;
}

static void replace(const char *mnemonic, unsigned operands) {
    replacement = (struct wl_inst){.operand_count = (uint8_t)operands, .isa = wl_isa_find(mnemonic)};
    snprintf(replacement.mnemonic, sizeof replacement.mnemonic, "%s", mnemonic);
}

static struct wl_operand rows(unsigned reg, unsigned count) {
    return (struct wl_operand){.kind = WL_OPERAND_VGPR, .reg = (uint16_t)reg, .count = (uint8_t)count};
}

static uint32_t random_number(void) {
    static uint64_t state = 0x9e3779b97f4a7c15u;
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (uint32_t)(state >> 24);
}

static void fail(const char *what) {
    if (failures++ < 20)
        fprintf(stderr, "%s\n", what);
}

/* ---- lanes ---- */

enum { FIRST = 20, SECOND = 21 };

/* The odd rows of 16 (or 32) lanes of the first register and the even ones of the second change places. Lanes whose source is off stay, or
 * become 0. */
static void swap_rows(uint32_t row[2][LANES], unsigned size, uint64_t exec, bool fetch_inactive, bool bound_control) {
    uint32_t was[2][LANES];
    memcpy(was, row, sizeof was);
    for (unsigned lane = 0; lane < LANES; lane++) {
        const bool odd = lane / size % 2;
        const unsigned mine = odd ? 0 : 1, other = odd ? lane - size : lane + size;
        if (!(exec >> lane & 1))
            continue;
        if (fetch_inactive || exec >> other & 1)
            row[mine][lane] = was[1 - mine][other];
        else if (bound_control)
            row[mine][lane] = 0;
    }
}

static void check_swap(unsigned size, unsigned modifiers, uint64_t exec, unsigned form) {
    static const uint32_t code[] = {STAND_IN, JUMP};
    uint32_t want[2][LANES];
    char what[120];
    replace(size == 16 ? "v_permlane16_swap_b32" : "v_permlane32_swap_b32", 2);
    replacement.operands[0] = rows(FIRST, 1);
    replacement.operands[1] = rows(SECOND, 1);
    replacement.op_sel = (uint8_t)modifiers;
    if (form == 2) /* among others */
        lift_open("gfx942", 64, "v_not_b32 v20, v20\ns_nop 13\nv_not_b32 v21, v21\n");
    else
        lift_open_code("gfx942", 64, (const uint8_t *)code, sizeof code, form == 1);
    for (unsigned r = 0; r < 2; r++)
        for (unsigned lane = 0; lane < LANES; lane++) {
            want[r][lane] = lift_row(FIRST + r)[lane] = random_number();
            want[r][lane] = form == 2 && r == 0 && exec >> lane & 1 ? ~want[r][lane] : want[r][lane];
        }
    lift_execute(exec);
    swap_rows(want, size, exec, modifiers & 1, modifiers & 2);
    for (unsigned lane = 0; form == 2 && lane < LANES; lane++)
        want[1][lane] = exec >> lane & 1 ? ~want[1][lane] : want[1][lane];
    checks++;
    for (unsigned r = 0; r < 2; r++)
        if (memcmp(want[r], lift_row(FIRST + r), sizeof want[r])) {
            snprintf(what, sizeof what, "v_permlane%u_swap_b32, op_sel %u, exec %llx, form %u: register %u differs", size, modifiers,
                     (unsigned long long)exec, form, r);
            fail(what);
        }
    lift_close();
}

static void check_swaps(void) {
    static const uint64_t masks[] = {UINT64_MAX, UINT64_C(0x8000a5a5f0ff0310), UINT64_C(0xffffffff), 0};
    for (unsigned size = 16; size <= 32; size *= 2)
        for (unsigned modifiers = 0; modifiers < 4; modifiers++)
            for (unsigned m = 0; m < sizeof masks / sizeof *masks; m++)
                for (unsigned form = 0; form < 3; form++)
                    check_swap(size, modifiers, masks[m], form);
}

/* ---- matrices ---- */

static const struct format {
    unsigned bits, fraction, bias;
} formats[] = {{8, 3, 7}, {8, 2, 15}, {6, 3, 1}, {6, 2, 3}, {4, 1, 1}}; /* as cbsz and blgp number them */
enum { FORMATS = 5, MOST_M = 32, MOST_K = 128, MOST_BLOCKS = 4, BLOCK = 32, ONE = 127 };
enum { A_ROW = 40, B_ROW = 48, A_SCALE = 56, B_SCALE = 57, C_ROW = 64, D_ROW = 80, SCALE_SGPR = 12 };

static double value_of(const struct format *f, unsigned code) {
    const unsigned size = code & ((1u << (f->bits - 1)) - 1), exponent = size >> f->fraction, digits = size & ((1u << f->fraction) - 1);
    double value = exponent ? ldexp(1 + ldexp(digits, -(int)f->fraction), (int)exponent - (int)f->bias)
                            : ldexp(digits, 1 - (int)f->bias - (int)f->fraction);
    if (f == &formats[0] && size == 0x7f)
        value = NAN;
    if (f == &formats[1] && size >= 0x7c)
        value = size == 0x7c ? INFINITY : NAN;
    return code >> (f->bits - 1) ? -value : value;
}

/* What the registers hold, and what they mean. */
static struct problem {
    unsigned m, k;
    const struct format *format[2];
    unsigned byte[2];             /* of the dwords with the scales */
    uint32_t factor[2][8][LANES]; /* A's and B's registers */
    uint32_t scales[2][LANES];
    uint32_t c[16][LANES], d[16][LANES];
    double element[2][MOST_M][MOST_K]; /* rows of A, columns of B */
    unsigned scale[2][MOST_M][MOST_BLOCKS];
    bool constant_c, constant_scale;
} p;

static void put_element(unsigned operand, unsigned row, unsigned k, unsigned code) {
    const struct format *f = p.format[operand];
    const unsigned groups = LANES / p.m;
    unsigned group = k / 32, e = k % 32;
    if (f->bits == 8) { /* 16 of each half of K */
        group = k / 16 % groups;
        e = k / (16 * groups) * 16 + k % 16;
    }
    const unsigned lane = group * p.m + row, at = e * f->bits;
    for (unsigned b = 0; b < f->bits; b++)
        p.factor[operand][(at + b) / 32][lane] |= (code >> b & 1) << (at + b) % 32;
    p.element[operand][row][k] = value_of(f, code);
}

static unsigned result_register(unsigned i) { return p.m == 16 ? i % 4 : i / 8 * 4 + i % 4; }
static unsigned result_lane(unsigned i, unsigned j) { return p.m == 16 ? i / 4 * 16 + j : i / 4 % 2 * 32 + j; }

static void put_scale(unsigned operand, unsigned row, unsigned block, unsigned scale) {
    const unsigned lane = block * p.m + row, shift = 8 * p.byte[operand];
    p.scale[operand][row][block] = scale;
    p.scales[operand][lane] = (random_number() & ~(255u << shift)) | scale << shift;
}

enum kind { EXACT, WIDE, FAR_SCALES, SPECIAL, KINDS };

/* EXACT: sums of a few bits, that no order of additions rounds. WIDE: any numbers. FAR_SCALES: scales that make up for each other. SPECIAL:
 * infinities and NaNs. */
static unsigned pick_code(const struct format *f, enum kind kind) {
    for (;;) {
        const unsigned code = random_number() & ((1u << f->bits) - 1);
        const double value = value_of(f, code);
        const bool small = fabs(value) <= 6 && value * 2 == floor(value * 2);
        if (isfinite(value) ? small || kind == WIDE || kind == SPECIAL : kind == SPECIAL && random_number() % 8 == 0)
            return code;
    }
}

static void make_problem(const struct wl_matrix *row, unsigned a, unsigned b, enum kind kind) {
    memset(&p, 0, sizeof p);
    p.m = row->m;
    p.k = row->k;
    p.format[0] = &formats[a];
    p.format[1] = &formats[b];
    p.constant_c = random_number() % 4 == 0;
    p.constant_scale = random_number() % 4 == 0;
    for (unsigned operand = 0; operand < 2; operand++) {
        p.byte[operand] = operand == 0 && p.constant_scale ? 0 : random_number() % 4;
        for (unsigned i = 0; i < p.m; i++)
            for (unsigned k = 0; k < p.k; k++)
                put_element(operand, i, k, pick_code(p.format[operand], kind));
    }
    for (unsigned i = 0; i < p.m; i++)
        for (unsigned block = 0; block < p.k / BLOCK; block++) {
            const unsigned far = p.constant_scale ? 60 : block % 2 ? 250 : 3;
            const bool near = !p.constant_scale && kind != FAR_SCALES;
            for (unsigned operand = 0; operand < 2; operand++) {
                const unsigned about_one = kind == EXACT ? ONE - 1 + random_number() % 3 : ONE - 10 + random_number() % 21;
                put_scale(operand, i, block, near ? about_one : operand ? 2 * ONE - far : far);
            }
            if (kind == SPECIAL && random_number() % 16 == 0)
                put_scale(1, i, block, 255);
        }
    for (unsigned r = 0; r < 16; r++)
        for (unsigned lane = 0; lane < LANES; lane++) {
            const float c = p.constant_c ? 1 : (float)(int)(random_number() % 64) - 32;
            memcpy(&p.c[r][lane], &c, sizeof c);
        }
}

static float result_of(unsigned i, unsigned j, uint32_t registers[16][LANES]) {
    float value;
    memcpy(&value, &registers[result_register(i)][result_lane(i, j)], sizeof value);
    return value;
}

/* Sums of multiples of 2^-52. */
typedef __int128 exact;
enum { UNIT = 52 };

static exact magnitude(exact value) { return value < 0 ? -value : value; }

static bool is_right(unsigned i, unsigned j, bool without_rounding) {
    const float got = result_of(i, j, p.d), c = result_of(i, j, p.c);
    exact sum = (exact)ldexpl(c, UNIT), all = magnitude(sum);
    for (unsigned k = 0; k < p.k; k++) {
        const unsigned block = k / BLOCK;
        const int power = (int)(p.scale[0][i][block] + p.scale[1][j][block]) - 2 * ONE; /* -20 or more */
        const exact a = (exact)ldexp(p.element[0][i][k], 16), b = (exact)ldexp(p.element[1][j][k], 16);
        const exact product = a * b * ((exact)1 << (UNIT - 32 + power));
        sum += product;
        all += magnitude(product);
    }
    const exact error = magnitude((exact)ldexpl(got, UNIT) - sum);
    return without_rounding ? error == 0 : error <= (all >> 24) * (BLOCK + MOST_BLOCKS) + 1;
}

/* Where NaN comes in, or infinity, it comes out. */
static bool is_special(unsigned i, unsigned j) {
    const float got = result_of(i, j, p.d);
    bool any = false, nan = false;
    double infinite = 0;
    for (unsigned k = 0; k < p.k; k++) {
        const double product = p.element[0][i][k] * p.element[1][j][k];
        nan |= isnan(product) || p.scale[0][i][k / BLOCK] == 255 || p.scale[1][j][k / BLOCK] == 255;
        any |= isinf(product);
        infinite += isinf(product) ? product : 0;
    }
    if (nan || isnan(infinite))
        return isnan(got);
    return any ? isinf(got) && (got > 0) == (infinite > 0) : isfinite(got);
}

static void compare(const char *way, enum kind kind) {
    char what[160];
    checks++;
    for (unsigned i = 0; i < p.m; i++)
        for (unsigned j = 0; j < p.m; j++)
            if (!(kind == SPECIAL ? is_special(i, j) : is_right(i, j, kind == EXACT || kind == FAR_SCALES))) {
                snprintf(what, sizeof what, "%u x %u x %u, formats %zu and %zu, kind %d, %s: row %u column %u is %g", p.m, p.m, p.k,
                         (size_t)(p.format[0] - formats), (size_t)(p.format[1] - formats), kind, way, i, j, (double)result_of(i, j, p.d));
                fail(what);
                return;
            }
}

static uint32_t modifiers_of(void) {
    return (uint32_t)(p.format[0] - formats) << WL_MATRIX_CBSZ | (uint32_t)(p.format[1] - formats) << WL_MATRIX_BLGP |
           p.byte[0] << WL_MATRIX_SCALE_A | p.byte[1] << WL_MATRIX_SCALE_B | WL_MATRIX_OCP;
}

/* By the kernels, and in place of C. */
static void check_kernels(const struct wl_matrix *row, enum kind kind) {
    static const struct {
        const char *name;
        wl_matrix_fn *run;
    } kernels[] = {
        {"base", wl_matrix_base},
#if defined(__x86_64__)
        {"avx2", wl_matrix_avx2},
        {"avx512", wl_matrix_avx512},
        {"dot", wl_matrix_dot},
#endif
    };
    const unsigned count = 1 + (unsigned)wl_cpu_host_level() + wl_cpu_has_dot();
    for (unsigned n = 0; n < sizeof kernels / sizeof *kernels && n < count; n++) {
        struct wl_matrix_scaled scaled = {.product = {p.d[0], p.factor[0][0], p.factor[1][0], p.d[0], 0x3f800000},
                                          .scale = {p.scales[0], p.scales[1]}};
        memcpy(p.d, p.c, sizeof p.d);
        if (p.constant_c)
            scaled.product.c = NULL;
        if (p.constant_scale) {
            scaled.scale[0] = NULL;
            scaled.scale_value[0] = p.scale[0][0][0];
        }
        kernels[n].run(LANES, &scaled.product, 1, row, modifiers_of());
        compare(kernels[n].name, kind);
    }
}

/* By the instruction, in code. */
static void check_code(const struct wl_matrix *row, enum kind kind) {
    const unsigned d_registers = p.m * p.m / LANES;
    replace(row->name, 6);
    struct wl_operand *op = replacement.operands;
    op[0] = rows(D_ROW, d_registers);
    op[1] = rows(A_ROW, p.format[0]->bits);
    op[2] = rows(B_ROW, p.format[1]->bits);
    op[3] = p.constant_c ? (struct wl_operand){.kind = WL_OPERAND_IMM, .is_float = true, .number = 1} : rows(C_ROW, d_registers);
    op[4] = p.constant_scale ? (struct wl_operand){.kind = WL_OPERAND_SGPR, .reg = SCALE_SGPR, .count = 1} : rows(A_SCALE, 1);
    op[5] = rows(B_SCALE, 1);
    replacement.cbsz = (uint8_t)(p.format[0] - formats);
    replacement.blgp = (uint8_t)(p.format[1] - formats);
    replacement.op_sel = (uint8_t)((p.byte[0] & 1) | (p.byte[1] & 1) << 1);
    replacement.op_sel_hi = (uint8_t)(p.byte[0] >> 1 | p.byte[1] >> 1 << 1);
    lift_open("gfx942", LANES, "s_nop 13\n");
    for (unsigned r = 0; r < 8; r++) {
        memcpy(lift_row(A_ROW + r), p.factor[0][r], sizeof p.factor[0][r]);
        memcpy(lift_row(B_ROW + r), p.factor[1][r], sizeof p.factor[1][r]);
    }
    memcpy(lift_row(A_SCALE), p.scales[0], sizeof p.scales[0]);
    memcpy(lift_row(B_SCALE), p.scales[1], sizeof p.scales[1]);
    for (unsigned r = 0; r < d_registers; r++)
        memcpy(lift_row(C_ROW + r), p.c[r], sizeof p.c[r]);
    lift_scalars()[SCALE_SGPR] = p.scale[0][0][0];
    lift_execute(random_number() % 2 ? UINT64_MAX : UINT64_C(0x8000a5a5f0ff0310)); /* EXEC does not count */
    for (unsigned r = 0; r < d_registers; r++)
        memcpy(p.d[r], lift_row(D_ROW + r), sizeof p.d[r]);
    lift_close();
    compare("code", kind);
}

static void check_matrices(void) {
    for (const struct wl_matrix *row = wl_matrices; row < wl_matrices + WL_MATRIX_COUNT; row++)
        for (unsigned n = 0; row->scale_block && n < FORMATS * FORMATS * KINDS; n++) {
            const enum kind kind = (enum kind)(n / FORMATS / FORMATS);
            make_problem(row, n / FORMATS % FORMATS, n % FORMATS, kind);
            check_kernels(row, kind);
            if (kind == EXACT || p.format[0] == p.format[1]) /* a translation takes its time on GPUs */
                check_code(row, kind);
        }
}

/* Translated code names a row by its number. */
static void check_numbers(void) {
    for (const struct wl_matrix *row = wl_matrices; row < wl_matrices + WL_MATRIX_COUNT; row++)
        for (const struct wl_matrix *other = wl_matrices; other < row; other++, checks++)
            if (wl_matrix_number(row) == wl_matrix_number(other))
                fail("two rows have one number");
}

int main(void) {
    lift_start();
    check_numbers();
    check_swaps();
    check_matrices();
    printf("%u checks, %u failures\n", checks, failures);
    return failures != 0;
}
