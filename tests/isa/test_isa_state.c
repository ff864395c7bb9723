/* Instructions whose meaning depends on state: registers chosen by M0 or by the indexing mode, the fields of MODE, rounding and
 * denormals under MODE, and the steps of division (whose mask is state for the next). Each against a scalar reference written from the
 * ISA documents; registers, indices, fields and operands are random. `test_isa_state SEED` takes others. */
#include "../random_numbers.h"
#include "../translate/lift_run.h"
#include "base/float_bits.h"

#include <fenv.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

enum { ROWS = 64, M0 = 124, VCC = 106 };

static const char *const all[] = {"gfx906", "gfx90a", "gfx1030", "gfx1100", "gfx1200"};

static uint64_t state = 0x2545f4914f6cdd1d;
static unsigned checks, failures;
static uint32_t rows[ROWS][64], scalars[LIFT_SGPRS]; /* the reference's machine */
static unsigned wave;
static uint64_t active;
static char text[8192];

static uint32_t random_bits(void) { return (uint32_t)((next_random(&state) * UINT64_C(0x9e3779b97f4a7c15)) >> 32); }

static uint32_t below(uint32_t n) { return random_bits() % n; }

static bool on(unsigned lane) { return active >> lane & 1; }

static void put(const char *format, ...) {
    size_t size = strlen(text);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text + size, sizeof text - size, format, arguments);
    va_end(arguments);
}

/* ---- running ---- */

enum { F32_NAN = 1, F64_NAN = 2 }; /* rows whose NaNs are as good as any others */
static unsigned char nan_rows[ROWS];

static uint64_t pair(const uint32_t *low, const uint32_t *high) { return *low | (uint64_t)*high << 32; }

static bool equal(unsigned row, unsigned lane) {
    const uint32_t *got = lift_row(row);
    if (got[lane] == rows[row][lane])
        return true;
    if (nan_rows[row] == F32_NAN)
        return (got[lane] & 0x7fffffff) > 0x7f800000 && (rows[row][lane] & 0x7fffffff) > 0x7f800000;
    unsigned low = row & ~1u;
    if (nan_rows[low] != F64_NAN)
        return false;
    uint64_t a = pair(&lift_row(low)[lane], &lift_row(low + 1)[lane]), b = pair(&rows[low][lane], &rows[low + 1][lane]);
    return a << 1 > UINT64_C(0xffe) << 52 && b << 1 > UINT64_C(0xffe) << 52;
}

static void fail(const char *processor, const char *what, unsigned reg, unsigned lane, uint32_t got, uint32_t want) {
    if (failures++ < 20)
        fprintf(stderr, "%s wave%u exec %#llx: %s%u lane %u: %08x, expected %08x, in\n%s\n", processor, wave, (unsigned long long)active,
                what, reg, lane, got, want, text);
}

/* Runs the text on the registers of `rows` and `scalars`, lets `reference` change these, and compares. */
static void run_wave(const char *processor, unsigned wave_size, void (*fill)(void), void (*reference)(void)) {
    wave = wave_size;
    lift_open(processor, wave, text);
    for (unsigned round = 0; round < 4; round++) {
        uint64_t lanes = wave == 64 ? UINT64_MAX : UINT32_MAX;
        active = round == 0 ? lanes : ((uint64_t)random_bits() << 32 | random_bits()) & lanes;
        for (unsigned r = 0; r < ROWS; r++)
            for (unsigned l = 0; l < 64; l++)
                rows[r][l] = random_bits();
        for (unsigned i = 0; i < LIFT_SGPRS; i++)
            scalars[i] = random_bits();
        scalars[125] &= 1;
        memset(nan_rows, 0, sizeof nan_rows);
        if (fill)
            fill();
        for (unsigned r = 0; r < ROWS; r++)
            memcpy(lift_row(r), rows[r], wave * 4);
        scalars[126] = (uint32_t)active;
        scalars[127] = (uint32_t)(active >> 32);
        memcpy(lift_scalars(), scalars, sizeof scalars);
        lift_execute(active);
        reference();
        checks++;
        for (unsigned r = 0; r < ROWS; r++)
            for (unsigned l = 0; l < wave; l++)
                if (!equal(r, l)) {
                    fail(processor, "v", r, l, lift_row(r)[l], rows[r][l]);
                    r = ROWS - 1;
                    break;
                }
        for (unsigned i = 0; i <= M0; i++)
            if (!lift_is_own(i) && (i < VCC + 2 || i == M0) && lift_scalars()[i] != scalars[i]) {
                fail(processor, "s", i, 0, lift_scalars()[i], scalars[i]);
                break;
            }
    }
    lift_close();
}

static unsigned least_wave(const char *processor) { return strncmp(processor, "gfx9", 4) == 0 ? 64 : 32; }

static void run(const char *processor, void (*fill)(void), void (*reference)(void)) {
    for (unsigned size = least_wave(processor); size <= 64; size += 32)
        run_wave(processor, size, fill, reference);
    text[0] = 0;
}

/* ---- registers chosen by M0: each row is one instruction ---- */

static struct move {
    enum {
        MOVRELS,
        MOVRELD,
        MOVRELD_SGPR,
        MOVRELD_CONSTANT,
        MOVRELSD,
        MOVRELSD_2,
        SWAPREL,
        S_MOVRELS,
        S_MOVRELD,
        S_MOVRELS64,
        S_MOVRELD64,
        S_MOVRELSD_2,
        MOVES
    } kind;
    uint32_t m0, to, from;
} moves[12];

static const struct {
    const char *format; /* of the destination and the source */
    unsigned first;     /* generation, times 100, that has it */
} move_forms[MOVES] = {
    [MOVRELS] = {"v_movrels_b32 v%u, v%u\n", 1000},
    [MOVRELD] = {"v_movreld_b32 v%u, v%u\n", 1000},
    [MOVRELD_SGPR] = {"v_movreld_b32 v%u, s%u\n", 1000},
    [MOVRELD_CONSTANT] = {"v_movreld_b32 v%u, %u\n", 1000},
    [MOVRELSD] = {"v_movrelsd_b32 v%u, v%u\n", 1000},
    [MOVRELSD_2] = {"v_movrelsd_2_b32 v%u, v%u\n", 1000},
    [SWAPREL] = {"v_swaprel_b32 v%u, v%u\n", 1030},
    [S_MOVRELS] = {"s_movrels_b32 s%u, s%u\n", 900},
    [S_MOVRELD] = {"s_movreld_b32 s%u, s%u\n", 900},
    [S_MOVRELS64] = {"s_movrels_b64 s[%u:%u], s[%u:%u]\n", 900},
    [S_MOVRELD64] = {"s_movreld_b64 s[%u:%u], s[%u:%u]\n", 900},
    [S_MOVRELSD_2] = {"s_movrelsd_2_b32 s%u, s%u\n", 1000},
};

static void write_row(unsigned to, unsigned from) {
    for (unsigned l = 0; l < wave; l++)
        if (on(l))
            rows[to][l] = rows[from][l];
}

static void exchange_rows(unsigned a, unsigned b) {
    for (unsigned l = 0; l < wave && a != b; l++)
        if (on(l)) {
            uint32_t value = rows[a][l];
            rows[a][l] = rows[b][l];
            rows[b][l] = value;
        }
}

/* M0 is added to the number of the register; the forms _2 take bits 9:0 for the source, 25:16 for the destination. */
static void ref_moves(void) {
    for (unsigned i = 0; i < COUNT(moves); i++) {
        const struct move *m = &moves[i];
        uint32_t source = m->m0 & 0x3ff, destination = m->m0 >> 16 & 0x3ff;
        scalars[M0] = m->m0;
        switch (m->kind) {
        case MOVRELS:
            write_row(m->to, m->from + m->m0);
            break;
        case MOVRELD:
            write_row(m->to + m->m0, m->from);
            break;
        case MOVRELD_SGPR:
        case MOVRELD_CONSTANT:
            for (unsigned l = 0; l < wave; l++)
                if (on(l))
                    rows[m->to + m->m0][l] = m->kind == MOVRELD_SGPR ? scalars[m->from] : m->from;
            break;
        case MOVRELSD:
            write_row(m->to + m->m0, m->from + m->m0);
            break;
        case MOVRELSD_2:
            write_row(m->to + destination, m->from + source);
            break;
        case SWAPREL:
            exchange_rows(m->to + destination, m->from + source);
            break;
        case S_MOVRELS:
            scalars[m->to] = scalars[m->from + m->m0];
            break;
        case S_MOVRELD:
            scalars[m->to + m->m0] = scalars[m->from];
            break;
        case S_MOVRELS64:
            memmove(&scalars[m->to], &scalars[m->from + m->m0], 8);
            break;
        case S_MOVRELD64:
            memmove(&scalars[m->to + m->m0], &scalars[m->from], 8);
            break;
        case S_MOVRELSD_2:
            scalars[m->to + destination] = scalars[m->from + source];
            break;
        case MOVES:
            break;
        }
    }
}

static void test_moves(const char *processor) {
    unsigned generation = strlen(processor) == 6 ? 900 : (unsigned)strtoul(processor + 3, NULL, 10);
    for (unsigned i = 0; i < COUNT(moves); i++) {
        struct move *m = &moves[i];
        do
            m->kind = below(MOVES);
        while (move_forms[m->kind].first > generation);
        bool scalar = m->kind >= S_MOVRELS, wide = m->kind == S_MOVRELS64 || m->kind == S_MOVRELD64;
        bool two = m->kind == MOVRELSD_2 || m->kind == SWAPREL || m->kind == S_MOVRELSD_2;
        m->m0 = two ? below(10) | below(10) << 16 : below(10);
        m->to = scalar ? 40 + below(16) : 20 + below(16);
        m->from = scalar ? below(12) : m->kind == MOVRELD_CONSTANT ? below(64) : below(16);
        if (wide) {
            m->m0 &= ~1u;
            m->to &= ~1u;
            m->from &= ~1u;
        }
        put("s_mov_b32 m0, 0x%x\n", m->m0);
        if (wide)
            put(move_forms[m->kind].format, m->to, m->to + 1, m->from, m->from + 1);
        else
            put(move_forms[m->kind].format, m->to, m->from);
    }
    run(processor, NULL, ref_moves);
}

/* ---- gfx9's indexing mode: bits 15:12 of M0 say which operands M0[7:0] is added to ---- */

static struct indexed {
    unsigned operation, mode, index, to, from[3];
} indexed[10];

static const struct {
    const char *format;
    unsigned sources;
} operations[] = {
    {"v_mov_b32 v%u, v%u\n", 1},         {"v_add_u32 v%u, v%u, v%u\n", 2},          {"v_sub_u32 v%u, v%u, v%u\n", 2},
    {"v_mul_hi_u32 v%u, v%u, v%u\n", 2}, {"v_lshl_or_b32 v%u, v%u, v%u, v%u\n", 3}, {"v_bfi_b32 v%u, v%u, v%u, v%u\n", 3},
    {"v_not_b32 v%u, v%u\n", 1},
};

static uint32_t operation(unsigned which, uint32_t a, uint32_t b, uint32_t c) {
    switch (which) {
    case 0:
        return a;
    case 1:
        return a + b;
    case 2:
        return a - b;
    case 3:
        return (uint32_t)((uint64_t)a * b >> 32);
    case 4:
        return a << (b & 31) | c;
    case 5:
        return (a & b) | (~a & c);
    default:
        return ~a;
    }
}

static void ref_indexed(void) {
    for (unsigned i = 0; i < COUNT(indexed); i++) {
        const struct indexed *x = &indexed[i];
        unsigned from[3], to = x->to + (x->mode & 8 ? x->index : 0);
        for (unsigned k = 0; k < 3; k++)
            from[k] = x->from[k] + (x->mode >> k & 1 ? x->index : 0);
        scalars[20] = x->index;
        scalars[M0] = (scalars[M0] & ~0xf0ffu) | x->index | x->mode << 12;
        uint32_t results[64];
        for (unsigned l = 0; l < wave; l++)
            results[l] = operation(x->operation, rows[from[0]][l], rows[from[1]][l], rows[from[2]][l]);
        for (unsigned l = 0; l < wave; l++)
            if (on(l))
                rows[to][l] = results[l];
    }
}

static void test_indexing(const char *processor) {
    for (unsigned i = 0; i < COUNT(indexed); i++) {
        struct indexed *x = &indexed[i];
        *x = (struct indexed){below(COUNT(operations)), below(16), below(12), 20 + below(16), {below(16), below(16), below(16)}};
        put("s_mov_b32 s20, %u\ns_set_gpr_idx_on s20, 0x%x\n", x->index, x->mode);
        put(operations[x->operation].format, x->to, x->from[0], x->from[1], x->from[2]);
        put("s_set_gpr_idx_off\n");
    }
    run(processor, NULL, ref_indexed);
}

/* ---- MODE: fields written and read ---- */

static struct field {
    bool writes, immediate;
    unsigned offset, width, value, reg;
} fields[12];

static uint32_t ones(unsigned width) { return width == 32 ? UINT32_MAX : (1u << width) - 1; }

static void ref_fields(void) {
    uint32_t mode = lift_mode_register;
    for (unsigned i = 0; i < COUNT(fields); i++) {
        const struct field *f = &fields[i];
        uint32_t value = f->immediate ? f->value : scalars[f->reg];
        if (f->writes)
            mode = (mode & ~(ones(f->width) << f->offset)) | (value & ones(f->width)) << f->offset;
        else
            scalars[f->reg] = mode >> f->offset & ones(f->width);
    }
}

static void test_fields(const char *processor) {
    for (unsigned i = 0; i < COUNT(fields); i++) {
        struct field *f = &fields[i];
        *f = (struct field){below(2), below(2), below(8), 1 + below(8), random_bits(), 4 + below(12)};
        f->immediate &= f->writes;
        if (f->offset + f->width > 8) /* rounding and denormals */
            f->width = 8 - f->offset;
        const char *format = !f->writes     ? "s_getreg_b32 s%u, hwreg(HW_REG_MODE, %u, %u)\n"
                             : f->immediate ? "s_setreg_imm32_b32 hwreg(HW_REG_MODE, %u, %u), 0x%x\n"
                                            : "s_setreg_b32 hwreg(HW_REG_MODE, %u, %u), s%u\n";
        if (!f->writes)
            put(format, f->reg, f->offset, f->width);
        else
            put(format, f->offset, f->width, f->immediate ? f->value : f->reg);
    }
    put("s_setreg_imm32_b32 hwreg(HW_REG_MODE, 0, 8), 0x%x\n", lift_mode_register & 0xff);
    run(processor, NULL, ref_fields);
}

/* ---- arithmetic under MODE ---- */

enum { NEAREST, UP, DOWN, TO_ZERO }; /* as MODE counts them */

static double as_double(uint64_t bits) {
    double value;
    memcpy(&value, &bits, 8);
    return value;
}
static uint64_t double_bits(double value) {
    uint64_t bits;
    memcpy(&bits, &value, 8);
    return bits;
}
static double half_value(uint32_t bits) {
    int exponent = bits >> 10 & 31;
    double size = exponent ? ldexp((bits & 0x3ff) + 1024, exponent - 25) : ldexp(bits & 0x3ff, -24);
    return bits & 0x8000 ? -size : size;
}
/* A finite number that a double holds exactly, as f16. */
static uint32_t half_bits(double value, unsigned mode) {
    uint32_t sign = signbit(value) ? 0x8000 : 0;
    double size = fabs(value), quantum = size < 0x1p-14 ? 0x1p-24 : ldexp(1, ilogb(size) - 10), steps = size / quantum;
    double whole = floor(steps), rest = steps - whole;
    bool away = mode == (sign ? DOWN : UP) ? rest > 0 : mode == NEAREST ? rest > 0.5 || (rest == 0.5 && fmod(whole, 2) == 1) : false;
    double rounded = (whole + away) * quantum;
    if (rounded >= 65536) /* too large: infinity, or the largest number */
        return sign | (mode == NEAREST || mode == (sign ? DOWN : UP) ? 0x7c00 : 0x7bff);
    if (rounded < 0x1p-14)
        return sign | (uint32_t)(rounded * 0x1p24);
    int exponent = ilogb(rounded);
    return sign | (uint32_t)(exponent + 15) << 10 | ((uint32_t)ldexp(rounded, 10 - exponent) & 0x3ff);
}

static void set_rounding(unsigned mode) {
    static const int host[] = {FE_TONEAREST, FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO};
    fesetround(host[mode]);
}

static unsigned round32, round64;

/* v0, v1: f32; v2:v3, v4:v5: f64; v6, v7: f16 in the low half; v8: an integer. */
static void fill_numbers(void) {
    for (unsigned l = 0; l < 64; l++) {
        for (unsigned r = 0; r < 2; r++) {
            rows[r][l] = (random_bits() & 0x807fffff) | (100 + below(50)) << 23;
            rows[3 + 2 * r][l] = (random_bits() & 0x800fffff) | (1000 + below(45)) << 20;
            rows[6 + r][l] = (random_bits() & 0x83ff) | (5 + below(20)) << 10;
        }
        if (below(2)) { /* sums that cancel, and ties */
            rows[1][l] = rows[0][l] ^ 0x80000000 ^ below(4);
            rows[7][l] = (rows[7][l] & 0x8000) | (rows[6][l] & 0x7c00) | 0x200;
            rows[2][l] &= 0xffff0000;
            rows[4][l] = 0;
        }
    }
    for (unsigned r = 40; r < 60; r++)
        nan_rows[r] = r < 50 ? F32_NAN : F64_NAN;
}

static const char rounding_text[] = "v_add_f32 v40, v0, v1\nv_mul_f32 v41, v0, v1\nv_fma_f32 v42, v0, v1, v0\nv_cvt_f32_i32 v43, v8\n"
                                    "v_cvt_f32_u32 v44, v8\nv_cvt_f32_f64 v45, v[2:3]\n"
                                    "v_add_f64 v[50:51], v[2:3], v[4:5]\nv_mul_f64 v[52:53], v[2:3], v[4:5]\n"
                                    "v_fma_f64 v[54:55], v[2:3], v[4:5], v[2:3]\n"
                                    "v_add_f16 v20, v6, v7\nv_mul_f16 v21, v6, v7\nv_cvt_f16_f32 v22, v0\n"
                                    "v_and_b32 v20, 0xffff, v20\nv_and_b32 v21, 0xffff, v21\nv_and_b32 v22, 0xffff, v22\n";

static void put_double(unsigned row, unsigned lane, double value) {
    rows[row][lane] = (uint32_t)double_bits(value);
    rows[row + 1][lane] = (uint32_t)(double_bits(value) >> 32);
}

/* Each result in the mode of the format that it has (conversions between f32 and f64: that of f32; to f16: that of f64 and f16). */
static void ref_rounding(void) {
    for (unsigned l = 0; l < wave; l++) {
        if (!on(l))
            continue;
        volatile float a = wl_bits_float(rows[0][l]), b = wl_bits_float(rows[1][l]);
        volatile double x = as_double(pair(&rows[2][l], &rows[3][l])), y = as_double(pair(&rows[4][l], &rows[5][l]));
        double p = half_value(rows[6][l]), q = half_value(rows[7][l]), sum = p + q;
        uint32_t n = rows[8][l];
        set_rounding(round32);
        volatile float results[] = {a + b, a * b, fmaf(a, b, a), (float)(int32_t)n, (float)n, (float)x};
        set_rounding(round64);
        volatile double wide[] = {x + y, x * y, fma(x, y, x)};
        set_rounding(NEAREST);
        for (unsigned i = 0; i < COUNT(results); i++)
            rows[40 + i][l] = wl_float_bits(results[i]);
        for (unsigned i = 0; i < COUNT(wide); i++)
            put_double(50 + 2 * i, l, wide[i]);
        if (sum == 0 && p != 0) /* an exact difference of 0 has the mode's sign */
            sum = round64 == DOWN ? -0.0 : 0.0;
        rows[20][l] = half_bits(sum, round64);
        rows[21][l] = half_bits(p * q, round64);
        rows[22][l] = half_bits(a, round64);
    }
}

static void test_rounding(const char *processor) {
    for (round32 = 0; round32 < 4; round32++)
        for (round64 = 0; round64 < 4; round64++) {
            put("s_setreg_imm32_b32 hwreg(HW_REG_MODE, 0, 4), %u\n%s", round32 | round64 << 2, rounding_text);
            put("s_setreg_imm32_b32 hwreg(HW_REG_MODE, 0, 4), 0\n");
            run(processor, fill_numbers, ref_rounding);
        }
}

/* ---- denormals ---- */

static bool keeps32;

static void fill_small(void) {
    for (unsigned l = 0; l < 64; l++)
        for (unsigned r = 0; r < 2; r++) {
            rows[r][l] = (random_bits() & 0x807fffff) | below(3) << 23;
            rows[3 + 2 * r][l] = (random_bits() & 0x800fffff) | below(3) << 20;
            rows[6 + r][l] = (random_bits() & 0x83ff) | below(3) << 10;
        }
    for (unsigned r = 40; r < 60; r++)
        nan_rows[r] = r < 50 ? F32_NAN : F64_NAN;
}

static float flushed(float value) { return !keeps32 && fpclassify(value) == FP_SUBNORMAL ? copysignf(0, value) : value; }

/* f32 as its bits of MODE say, before and after; f64 and f16 are kept in both modes. */
static void ref_denormals(void) {
    for (unsigned l = 0; l < wave; l++) {
        if (!on(l))
            continue;
        volatile float a = flushed(wl_bits_float(rows[0][l])), b = flushed(wl_bits_float(rows[1][l]));
        volatile double x = as_double(pair(&rows[2][l], &rows[3][l])), y = as_double(pair(&rows[4][l], &rows[5][l]));
        double p = half_value(rows[6][l]), q = half_value(rows[7][l]), sum = p + q;
        volatile float results[] = {a + b, a * 0.75f, fmaf(a, 0.5f, b)};
        volatile double wide[] = {x + y, x * 0.5, fma(x, 0.5, y)};
        for (unsigned i = 0; i < COUNT(results); i++)
            rows[40 + i][l] = wl_float_bits(flushed(results[i]));
        for (unsigned i = 0; i < COUNT(wide); i++)
            put_double(50 + 2 * i, l, wide[i]);
        if (sum == 0 && p != 0)
            sum = 0.0;
        rows[20][l] = half_bits(sum, NEAREST);
        rows[10][l] = 0;
    }
}

static void test_denormals(const char *processor) {
    uint32_t saved = lift_mode_register;
    for (unsigned keeps = 0; keeps < 2; keeps++) {
        keeps32 = keeps;
        lift_mode_register = keeps ? 0xf0 : 0xc0; /* as the kernel descriptor says */
        put("v_mov_b32 v10, 0x3f400000\nv_add_f32 v40, v0, v1\nv_mul_f32 v41, v10, v0\nv_fma_f32 v42, v0, 0.5, v1\n"
            "v_add_f64 v[50:51], v[2:3], v[4:5]\nv_mul_f64 v[52:53], v[2:3], 0.5\nv_fma_f64 v[54:55], v[2:3], 0.5, v[4:5]\n"
            "v_add_f16 v20, v6, v7\nv_and_b32 v20, 0xffff, v20\nv_mov_b32 v10, 0\n");
        run(processor, fill_small, ref_denormals);
    }
    lift_mode_register = saved;
}

/* ---- v_div_scale ---- */

static struct scaling {
    bool wide, numerator; /* what is scaled: the numerator, or the denominator */
    bool negative[2];     /* signs of the denominator and the numerator */
    unsigned mask;        /* its register */
} scalings[6];

static void fill_quotients(void) {
    for (unsigned l = 0; l < 64; l++)
        for (unsigned r = 0; r < 2; r++) {
            static const uint32_t special[] = {0, 1, 0x007fffff, 0x00800000, 0x7f7fffff, 0x7f800000, 0x7fc00000, 0x7e800000, 0x7e800001};
            static const uint64_t wide[] = {0,
                                            1,
                                            UINT64_C(0x000fffffffffffff),
                                            UINT64_C(0x0010000000000000),
                                            UINT64_C(0x7fefffffffffffff),
                                            UINT64_C(0x7ff0000000000000),
                                            UINT64_C(0x7ff8000000000000),
                                            UINT64_C(0x7fd0000000000000),
                                            UINT64_C(0x7fd0000000000001)};
            bool edge = below(6) == 0, near = below(3) == 0 && r;
            unsigned distance = near ? 90 + below(12) : 0, far = near ? 764 + below(8) : 0;
            uint32_t e32 = near ? (rows[0][l] >> 23 & 255) + distance : below(255),
                     e64 = near ? (rows[3][l] >> 20 & 2047) + far : below(2047);
            rows[r][l] = edge ? special[below(COUNT(special))] : (random_bits() & 0x7fffff) | (e32 & 255) << 23;
            uint64_t w = edge ? wide[below(COUNT(wide))]
                              : ((uint64_t)(random_bits() & 0xfffff) << 32 | random_bits()) | (uint64_t)(e64 & 2047) << 52;
            rows[2 + 2 * r][l] = (uint32_t)w;
            rows[3 + 2 * r][l] = (uint32_t)(w >> 32) | below(2) << 31;
            rows[r][l] |= below(2) << 31;
        }
    for (unsigned r = 40; r < 60; r++)
        nan_rows[r] = r < 50 ? F32_NAN : F64_NAN;
}

/* One lane, after the documents; the limits are those of the format. `quotient is small`: below the least normal number. */
static long double scale(bool is_wide, long double denominator, long double numerator, unsigned e_denominator, unsigned e_numerator,
                         bool takes_numerator, bool *undo) {
    const unsigned far = is_wide ? 768 : 96, tiny = is_wide ? 53 : 23, most = is_wide ? 2047 : 255;
    const int power = is_wide ? 128 : 64, least = is_wide ? -1022 : -126;
    long double operand = takes_numerator ? numerator : denominator;
    *undo = false;
    if (denominator == 0 || numerator == 0)
        return NAN;
    bool finite = e_denominator < most, nan = isnan(denominator) || isnan(numerator);
    bool small_inverse = finite && 1 / fabsl(denominator) < ldexpl(1, least);
    bool small_quotient = finite && !nan && fabsl(numerator) < ldexpl(fabsl(denominator), least);
    if (e_numerator >= e_denominator + far) {
        *undo = true;
        return takes_numerator ? operand : ldexpl(operand, power);
    }
    if (e_denominator == 0)
        return ldexpl(operand, power);
    if (small_inverse && small_quotient) {
        *undo = true;
        return takes_numerator ? operand : ldexpl(operand, -power); /* the documents say up, which would be infinity */
    }
    if (small_inverse)
        return ldexpl(operand, -power);
    if (small_quotient) {
        *undo = true;
        return takes_numerator ? ldexpl(operand, power) : operand;
    }
    return e_numerator <= tiny ? ldexpl(operand, power) : operand;
}

static void ref_scalings(void) {
    for (unsigned i = 0; i < COUNT(scalings); i++) {
        const struct scaling *s = &scalings[i];
        uint64_t mask = 0;
        for (unsigned l = 0; l < wave; l++) {
            if (!on(l))
                continue;
            uint64_t d = s->wide ? pair(&rows[2][l], &rows[3][l]) : rows[0][l], n = s->wide ? pair(&rows[4][l], &rows[5][l]) : rows[1][l];
            uint64_t sign = s->wide ? UINT64_C(1) << 63 : UINT64_C(1) << 31;
            d ^= s->negative[0] ? sign : 0;
            n ^= s->negative[1] ? sign : 0;
            long double denominator = s->wide ? as_double(d) : wl_bits_float((uint32_t)d),
                        numerator = s->wide ? as_double(n) : wl_bits_float((uint32_t)n);
            unsigned fraction = s->wide ? 52 : 23;
            bool undo;
            long double result = scale(s->wide, denominator, numerator, (unsigned)((d & ~sign) >> fraction),
                                       (unsigned)((n & ~sign) >> fraction), s->numerator, &undo);
            if (s->wide)
                put_double(50 + 2 * (i / 2), l, (double)result);
            else
                rows[40 + i][l] = wl_float_bits((float)result);
            mask |= (uint64_t)undo << l;
        }
        scalars[s->mask] = (uint32_t)mask;
        if (wave == 64)
            scalars[s->mask + 1] = (uint32_t)(mask >> 32);
    }
}

static void test_scaling(const char *processor, unsigned wave_size) {
    for (unsigned i = 0; i < COUNT(scalings); i++) {
        struct scaling *s = &scalings[i];
        *s = (struct scaling){i & 1, below(2), {below(2), below(2)}, below(4) ? 40 + 2 * i : VCC};
        const char *denominator = s->wide ? "v[2:3]" : "v0", *numerator = s->wide ? "v[4:5]" : "v1";
        const char *minus[] = {s->negative[0] ? "-" : "", s->negative[1] ? "-" : ""};
        char to[32], mask[32];
        if (s->wide)
            snprintf(to, sizeof to, "v[%u:%u]", 50 + 2 * (i / 2), 51 + 2 * (i / 2));
        else
            snprintf(to, sizeof to, "v%u", 40 + i);
        if (s->mask == VCC)
            snprintf(mask, sizeof mask, wave_size == 64 ? "vcc" : "vcc_lo");
        else
            snprintf(mask, sizeof mask, wave_size == 64 ? "s[%u:%u]" : "s%u", s->mask, s->mask + 1);
        put("v_div_scale_%s %s, %s, %s%s, %s%s, %s%s\n", s->wide ? "f64" : "f32", to, mask, minus[s->numerator],
            s->numerator ? numerator : denominator, minus[0], denominator, minus[1], numerator);
    }
    run_wave(processor, wave_size, fill_quotients, ref_scalings);
    text[0] = 0;
}

int main(int argc, char **argv) {
    if (argc > 1)
        state ^= strtoull(argv[1], NULL, 0) << 1;
    lift_start();
    for (unsigned p = 0; p < COUNT(all); p++)
        for (unsigned i = 0; i < 6; i++) {
            test_moves(all[p]);
            test_fields(all[p]);
            if (least_wave(all[p]) == 64)
                test_indexing(all[p]);
            for (unsigned size = least_wave(all[p]); size <= 64; size += 32)
                test_scaling(all[p], size);
        }
    for (unsigned p = 0; p < COUNT(all); p++) {
        test_rounding(all[p]);
        test_denormals(all[p]);
    }
    printf("%u checks, %u failures\n", checks, failures);
    return failures != 0;
}
