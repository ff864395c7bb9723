/* Instructions of gfx950 of which it has few: v_permlane16_swap_b32, v_permlane32_swap_b32 and v_mfma_f32_*_f8f6f4 with scales and without.
 * Native code, threaded code and PTX run them. Matrix products are compared with sums of integers, which are exact; where elements lie,
 * and what their bits mean, is written here once more. */
#include "base/cpu.h"
#include "isa/gfx950.h"
#include "machine/matrix.h"

#include <math.h>

enum { LANES = GFX950_LANES };

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
    const uint32_t opposite = 0x7e005600 | GFX950_V; /* v_not_b32 v0, v0 */
    uint32_t words[4] = {opposite | FIRST << 17 | FIRST};
    uint32_t want[2][LANES];
    char what[120];
    put_vop3(words + 1, size == 16 ? 0x199 : 0x19a, FIRST, GFX950_V + SECOND, 0, 0, modifiers);
    words[3] = opposite | SECOND << 17 | SECOND;
    if (form == 2) /* among others */
        open_words(words, 4, false);
    else
        open_words(words + 1, 2, form == 1);
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

static const struct product_format {
    unsigned bits, fraction, bias;
} formats[] = {{8, 3, 7}, {8, 2, 15}, {6, 3, 1}, {6, 2, 3}, {4, 1, 1}}; /* as cbsz and blgp number them */
enum { FORMATS = 5, MOST_M = 32, MOST_K = 128, MOST_BLOCKS = 4, BLOCK = 32, ONE = 127 };
enum { A_ROW = 40, B_ROW = 48, A_SCALE = 56, B_SCALE = 57, C_ROW = 64, D_ROW = 80, SCALE_SGPR = 12 };

static double value_of(const struct product_format *f, unsigned code) {
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
    const struct product_format *format[2];
    unsigned byte[2];             /* of the dwords with the scales */
    uint32_t factor[2][8][LANES]; /* A's and B's registers */
    uint32_t scales[2][LANES];
    uint32_t c[16][LANES], d[16][LANES];
    double element[2][MOST_M][MOST_K]; /* rows of A, columns of B */
    unsigned scale[2][MOST_M][MOST_BLOCKS];
    bool constant_c, constant_scale;
} p;

static void put_element(unsigned operand, unsigned row, unsigned k, unsigned code) {
    const struct product_format *f = p.format[operand];
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
static unsigned pick_code(const struct product_format *f, enum kind kind) {
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

/* For the form without scales, which are 1 then. */
static void forget_scales(void) {
    for (unsigned operand = 0; operand < 2; operand++)
        for (unsigned i = 0; i < p.m; i++)
            for (unsigned block = 0; block < MOST_BLOCKS; block++)
                p.scale[operand][i][block] = ONE;
    p.constant_scale = false;
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
static void check_code(const struct wl_matrix *row, enum kind kind, bool with_scales) {
    const unsigned d_registers = p.m * p.m / LANES, op_sel = (p.byte[0] & 1) | (p.byte[1] & 1) << 1;
    const unsigned op_sel_hi = p.byte[0] >> 1 | p.byte[1] >> 1 << 1;
    const unsigned one = 242; /* the source that is 1.0 */
    uint32_t words[4];
    words[0] = 0xd3ac0000u | op_sel << 11;
    words[1] = (p.constant_scale ? SCALE_SGPR : GFX950_V + A_SCALE) | (GFX950_V + B_SCALE) << 9 | op_sel_hi << 27;
    put_matrix(words + 2, row->m == 16 ? 0x2d : 0x2e, D_ROW, GFX950_V + A_ROW, GFX950_V + B_ROW, p.constant_c ? one : GFX950_V + C_ROW);
    words[2] |= (with_scales ? 1u << 11 : 0) | (uint32_t)(p.format[0] - formats) << 8;
    words[3] |= (uint32_t)(p.format[1] - formats) << 29;
    if (with_scales)
        open_words(words, 4, false);
    else
        open_words(words + 2, 2, false);
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
    compare(with_scales ? "code" : "code without scales", kind);
}

static void check_matrices(void) {
    for (const struct wl_matrix *row = wl_matrices; row < wl_matrices + WL_MATRIX_COUNT; row++)
        for (unsigned n = 0; row->scale_block && row->layout == WL_MATRIX_MFMA && n < FORMATS * FORMATS * KINDS; n++) {
            const enum kind kind = (enum kind)(n / FORMATS / FORMATS);
            make_problem(row, n / FORMATS % FORMATS, n % FORMATS, kind);
            check_kernels(row, kind);
            if (kind == EXACT || p.format[0] == p.format[1]) /* a translation takes its time on GPUs */
                check_code(row, kind, true);
            if (kind == EXACT) {
                forget_scales();
                check_code(row, kind, false);
            }
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
