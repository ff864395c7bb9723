/* Matrix instructions, assembled, translated and run, against triple loops.
 *
 * Where elements live is written here once more, from AMD's ISA documents and its matrix instruction calculator, as functions
 * from (row, k, block) to (lane, element). A result is compared twice: bit for bit with the documented sum (fused multiply-adds in
 * the order of lanes and elements), and with the sum in long double within the rounding errors of that many additions. On NVIDIA GPUs
 * dense products of 16-bit floats with sums in f32 may come from tensor cores: then the second comparison alone counts, with the bound of
 * docs/NUMERICS.md, unless WAVELIFT_MATH is exact.
 *
 * Arguments: part of a name, beginning of a processor's name; rows that match neither are left out. */
#include "../random_numbers.h"
#include "base/float_bits.h"
#include "matrix_rows.h"
#include "translate/lift_run.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The case at hand. */
static const struct row *row;
static unsigned row_opcode; /* 0: the assembler knows its name */
static const char *processor;
static unsigned wave;
static unsigned cbsz, abid, blgp, neg_lo, neg_hi, key, shown, failures, checks;
static bool clamp, high;
static const char *constant; /* C, if not registers */

static bool sparse(void) { return row->family == SMFMAC || row->family == SWMMAC; }
/* gfx950's sparse products of twice as many elements: their own places. */
static bool crosses(void) { return row_opcode && sparse(); }
static bool gfx12(void) { return !strncmp(processor, "gfx12", 5); }
static bool gfx11(void) { return !strncmp(processor, "gfx11", 5); }
static bool flushes(void) { return !strcmp(processor, "gfx90a") && (row->a == F16 || row->a == BF16); }

static unsigned bits_of(enum kind kind) {
    static const unsigned bits[] = {
        [F32] = 32, [XF32] = 32, [F16] = 16, [BF16] = 16, [FP8] = 8, [BF8] = 8, [F64] = 64, [I8] = 8, [I4] = 4, [I32] = 32};
    return bits[kind];
}

/* ---- places ---- */

struct place {
    unsigned lane, element; /* the element-th field of a lane's registers */
};

/* As AMD's emulator rocjitsu has them. There are 64 / M groups of lanes. */
static struct place crossed_place(bool is_a, unsigned i, unsigned k) {
    const unsigned groups = 64 / row->m;
    unsigned group, element;
    if (!is_a) { /* runs of eight */
        group = k / 8 % groups;
        element = k / (8 * groups) * 8 + k % 8;
    } else if (bits_of(row->a) == 16) {
        group = k / 8;
        element = k % 8;
    } else if (row->m == 16) {
        group = (k >> 5 & 1) << 1 | (k >> 3 & 1);
        element = (k >> 2 & 1) << 3 | (k >> 4 & 1) << 2 | (k & 3);
    } else {
        group = k >> 4 & 1;
        element = (k >> 2 & 1) << 3 | (k >> 3 & 1) << 2 | (k & 3);
    }
    return (struct place){i + row->m * group, element};
}

/* Row `i` of A, or column of B; `k` counts what is stored: of a sparse A half as many. */
static struct place input_place(bool is_a, unsigned i, unsigned k, unsigned block) {
    bool packed = is_a && sparse();
    unsigned all_k = packed ? row->k / 2 : row->k, bits = bits_of(is_a ? row->a : row->b);
    if (crosses())
        return crossed_place(is_a, i, k);
    if (!gfx11() && !gfx12()) {
        unsigned each = row->m * all_k * row->blocks / 64;
        return (struct place){i + row->m * (block + row->blocks * (k / each)), k % each};
    }
    if (gfx11())
        return (struct place){i, k};
    if (!sparse()) {
        if (wave == 32)
            return (struct place){i + 16 * (k / (all_k / 2)), k % (all_k / 2)};
        if (bits == 4 && row->k == 16)
            return (struct place){i + 16 * (k / 8), k % 8};
        if (bits == 4) /* K = 32: the upper half of a wave64 holds every second eighth */
            return (struct place){i + 16 * ((k / 8 & 1) << 1 | k / 16), k % 8};
        return (struct place){i + 16 * (k >> 2 & 1) + 32 * (k >> 3 & 1), k & 3};
    }
    /* Sparse: of four neighbours in K (a quad) A stores a pair. */
    unsigned quad = packed ? k / 2 : k / 4, within = packed ? k % 2 : k % 4, size = packed ? 2 : 4, lane, place;
    if (bits == 16 && wave == 32) {
        lane = 16 * (quad / 2 & 1);
        place = 2 * (quad / 4) + (quad & 1);
    } else if (bits == 16) {
        lane = 16 * (quad / 2);
        place = quad & 1;
    } else if (wave == 32) { /* 8 bits: halves of K; 4 bits the same */
        unsigned quads = row->k / 4 / 2;
        lane = 16 * (quad / quads);
        place = quad % quads;
    } else if (bits == 8) {
        lane = 32 * (quad >> 1 & 1) + 16 * (quad >> 2);
        place = quad & 1;
    } else if (row->k == 32 && packed) {
        lane = 16 * (quad / 4);
        place = quad % 4;
    } else { /* 4 bits: B with K = 32, A and B with K = 64: blocks 1 and 2 of the lanes are swapped */
        unsigned quads = row->k / 16, part = quad / quads;
        lane = 16 * ((part & 1) << 1 | part >> 1);
        place = quad % quads;
    }
    return (struct place){i + lane, place * size + within};
}

/* An element of C and D: `element` counts 32 or 64 bits, or (gfx12) 16. */
static struct place output_place(unsigned i, unsigned j, unsigned block) {
    if (gfx11())
        return (struct place){i % (wave / 16) * 16 + j, i / (wave / 16)};
    if (gfx12() && wave == 32)
        return (struct place){i / 8 * 16 + j, i % 8};
    if (gfx12())
        return (struct place){j + 16 * (i >> 3 & 1) + 32 * (i >> 2 & 1), i & 3};
    if (row->d == F64)
        return row->blocks == 1 ? (struct place){16 * (i % 4) + j, i / 4} : (struct place){16 * i + 4 * block + j, 0};
    switch (row->m) {
    case 4:
        return (struct place){4 * block + j, i};
    case 16:
        return (struct place){16 * (i / 4) + j, 4 * block + i % 4};
    default:
        return (struct place){32 * (i / 4) % 64 + j, 16 * block + 4 * (i / 8) + i % 4};
    }
}

static uint64_t get_field(const uint32_t (*registers)[64], struct place at, unsigned bits) {
    if (bits == 64)
        return registers[2 * at.element][at.lane] | (uint64_t)registers[2 * at.element + 1][at.lane] << 32;
    unsigned each = 32 / bits;
    uint32_t dword = registers[at.element / each][at.lane];
    return bits == 32 ? dword : dword >> at.element % each * bits & ((1u << bits) - 1);
}

static void put_field(uint32_t (*registers)[64], struct place at, unsigned bits, uint64_t value) {
    if (bits == 64) {
        registers[2 * at.element][at.lane] = (uint32_t)value;
        registers[2 * at.element + 1][at.lane] = (uint32_t)(value >> 32);
        return;
    }
    unsigned each = 32 / bits, shift = at.element % each * bits;
    uint32_t mask = bits == 32 ? UINT32_MAX : ((1u << bits) - 1) << shift;
    uint32_t *dword = &registers[at.element / each][at.lane];
    *dword = (*dword & ~mask) | ((uint32_t)value << shift & mask);
}

/* ---- numbers ---- */

/* A number with `exponent` and `fraction` bits; specials: 0 IEEE, 1 OCP e4m3 (one NaN, no infinity), 2 FNUZ. */
static double small_float(uint32_t bits, int exponent_bits, int fraction_bits, int bias, int specials) {
    int exponent = (int)(bits >> fraction_bits & ((1u << exponent_bits) - 1)), fraction = (int)(bits & ((1u << fraction_bits) - 1));
    int top = (1 << exponent_bits) - 1;
    double sign = bits >> (exponent_bits + fraction_bits) & 1 ? -1 : 1;
    if (specials == 2 && sign < 0 && !exponent && !fraction)
        return NAN;
    if (specials == 1 && exponent == top && fraction == (1 << fraction_bits) - 1)
        return NAN;
    if (specials == 0 && exponent == top)
        return fraction ? NAN : sign * INFINITY;
    if (!exponent)
        return sign * ldexp(fraction, 1 - bias - fraction_bits);
    return sign * ldexp(fraction + (1 << fraction_bits), exponent - bias - fraction_bits);
}

static double number(uint64_t bits, enum kind kind, bool is_signed) {
    int fnuz = gfx12() || !strcmp(processor, "gfx950") ? 0 : 2;
    double value;
    switch (kind) {
    case F64:
        memcpy(&value, &bits, 8);
        return value;
    case F32:
        return wl_bits_float((uint32_t)bits);
    case XF32: {
        double exact = wl_bits_float((uint32_t)bits);
        int exponent;
        if (!isfinite(exact) || exact == 0)
            return exact;
        frexp(exact, &exponent);
        if (exponent < -125)
            exponent = -125;
        double unit = ldexp(1, exponent - 11), rounded = rint(exact / unit) * unit;
        return rounded > 0x1.fffffep127 ? INFINITY : rounded < -0x1.fffffep127 ? -INFINITY : rounded;
    }
    case F16:
        return small_float((uint32_t)bits, 5, 10, 15, 0);
    case BF16:
        return small_float((uint32_t)bits, 8, 7, 127, 0);
    case FP8:
        return small_float((uint32_t)bits, 4, 3, fnuz ? 8 : 7, fnuz ? 2 : 1);
    case BF8:
        return small_float((uint32_t)bits, 5, 2, fnuz ? 16 : 15, fnuz);
    case I8:
        return is_signed ? (int8_t)bits : (uint8_t)bits;
    case I4:
        return is_signed && bits & 8 ? (double)bits - 16 : (double)bits;
    default:
        return (int32_t)bits;
    }
}

static double flushed(double x, enum kind kind) {
    double least = kind == F16 ? 0x1p-14 : 0x1p-126;
    return fabs(x) < least ? copysign(0, x) : x;
}

/* An f32 as 16 bits, rounded to nearest even. */
static uint32_t round16(float x, enum kind kind) {
    int fraction = kind == F16 ? 10 : 7, least = kind == F16 ? -14 : -126;
    double most = kind == F16 ? 65504 : 0x1.fep127, size = fabs((double)x);
    uint32_t sign = wl_float_bits(x) >> 16 & 0x8000, infinity = kind == F16 ? 0x7c00 : 0x7f80;
    int exponent;
    if (isnan(x))
        return sign | infinity | 1u << (fraction - 1);
    if (size == 0)
        return sign;
    if (isinf(x))
        return sign | infinity;
    frexp(size, &exponent);
    exponent--;
    if (exponent < least)
        exponent = least;
    double units = rint(ldexp(size, fraction - exponent));
    if (ldexp(units, exponent - fraction) > most)
        return sign | infinity;
    return sign | (((uint32_t)(exponent - least) << fraction) + (uint32_t)units);
}

/* ---- the reference ---- */

static uint32_t a_in[8][64], b_in[8][64], c_in[32][64], d_want[32][64], index_in[64];
static bool unknown_nan[32][64];
static struct {
    double exact, bound;
} near[32][64];      /* what the sum may be, where bits are not promised; bound < 0: anything */
static double worst; /* error found there, as part of the sum of magnitudes */

struct term {
    unsigned order;
    double a, b;
};

static int by_order(const void *x, const void *y) {
    const struct term *s = x, *t = y;
    return s->order < t->order ? -1 : s->order > t->order;
}

static unsigned moved_lane(unsigned lane) {
    static const unsigned first[] = {0, 0, 0, 0, 0, 16, 32, 48};
    if (row->d == F64 || !blgp)
        return lane;
    if (blgp == 1)
        return lane % 32;
    if (blgp == 2)
        return 32 + lane % 32;
    if (blgp == 3)
        return (lane + 16) % 64;
    return first[blgp] + lane % 16;
}

static double read_input(bool is_a, unsigned i, unsigned k, unsigned block, unsigned *order) {
    enum kind kind = is_a ? row->a : row->b;
    if (is_a && cbsz && row->blocks > 1 && row->family == MFMA)
        block = block / (1u << cbsz) * (1u << cbsz) + abid;
    struct place at = input_place(is_a, i, k, block);
    *order = at.lane * 64 + at.element;
    if (!is_a && row->family == MFMA)
        at.lane = moved_lane(at.lane);
    bool wmma = gfx11() || gfx12(), floating = kind == F16 || kind == BF16;
    unsigned low = neg_lo >> !is_a & 1, up = neg_hi >> !is_a & 1;
    double x = number(get_field(is_a ? a_in : b_in, at, bits_of(kind)), kind, !wmma || low);
    if (flushes())
        x = flushed(x, kind);
    if (wmma && floating && (at.element & 1 ? up : low))
        x = -x;
    if (row->d == F64 && blgp >> !is_a & 1)
        x = -x;
    return x;
}

static unsigned collect(struct term *terms, unsigned i, unsigned j, unsigned block) {
    unsigned count = 0, unused;
    for (unsigned k = 0; k < (sparse() ? row->k / 2 : row->k); k++) {
        struct term *t = &terms[count++];
        unsigned b_k = k;
        t->a = read_input(true, i, k, block, &t->order);
        if (sparse()) {
            struct place at = input_place(true, i, k, 0);
            unsigned fields = row->m * row->k / 2 / wave; /* of two bits, a lane and set */
            if (bits_of(row->a) == 4 && fields < 8)
                fields = 8;
            unsigned set = row->family == SWMMAC ? key : cbsz ? 0 : abid;
            b_k = k / 2 * 4 + (index_in[at.lane] >> (2 * (set * fields + at.element)) & 3);
        }
        t->b = read_input(false, j, b_k, block, &unused);
    }
    qsort(terms, count, sizeof *terms, by_order);
    return count;
}

static double read_c(uint64_t bits) {
    double x = number(bits, row->d, true);
    bool wmma = gfx11() || gfx12();
    if (flushes())
        x = flushed(x, F32);
    if (wmma && row->d != I32 && neg_hi & 4)
        x = fabs(x);
    if ((wmma && row->d != I32 && neg_lo & 4) || (row->d == F64 && blgp & 4))
        x = -x;
    return x;
}

static uint64_t finish(double exact_integer, double sum) {
    uint64_t bits;
    switch (row->d) {
    case I32:
        if (clamp)
            exact_integer = fmin(fmax(exact_integer, INT32_MIN), INT32_MAX);
        return (uint32_t)(int64_t)exact_integer;
    case F64:
        memcpy(&bits, &sum, 8);
        return bits;
    case F32:
        return wl_float_bits((float)(flushes() ? flushed(sum, F32) : sum));
    default:
        return round16((float)sum, row->d);
    }
}

static void complain(const char *what, unsigned i, unsigned j, double got, double want) {
    failures++;
    if (shown++ < 10)
        fprintf(stderr, "%s wave%u %s: %s at row %u, column %u: %a, expected %a\n", processor, wave, row->name, what, i, j, got, want);
}

static bool sums_freely(void) {
    return lift_sums_freely() && row->d == F32 && row->a == row->b && (row->a == F16 || row->a == BF16) && row->blocks == 1 && !sparse();
}

/* A factor as the bound counts it: denormals as the least normal number, whose place they take among the terms. */
static long double magnitude(double factor, enum kind kind) {
    const double least = kind == F16 ? 0x1p-14 : 0x1p-126;
    return factor == 0 || fabs(factor) > least ? fabs(factor) : least;
}

/* The documented sum must itself be near the exact one. */
static void check_bound(const struct term *terms, unsigned count, double c, double sum, unsigned i, unsigned j, struct place at) {
    const long double free_unit = 0x1p-23L;
    long double exact = c, size = fabs(c), counted = fabs(c);
    for (unsigned t = 0; t < count; t++) {
        exact += (long double)terms[t].a * terms[t].b;
        size += fabsl((long double)terms[t].a * terms[t].b);
        counted += magnitude(terms[t].a, row->a) * magnitude(terms[t].b, row->b);
    }
    long double unit = row->d == F64 ? 0x1p-53L : 0x1p-24L, least = row->d == F64 ? 0x1p-1074L : 0x1p-149L;
    if (sums_freely()) {
        near[at.element][at.lane].exact = (double)exact;
        near[at.element][at.lane].bound = size < 0x1p127L ? (double)((count + 1) * (free_unit * counted + least)) : -1;
    }
    if (!isfinite(exact) || !isfinite(sum) || size > (row->d == F64 ? 0x1p1000L : 0x1p127L))
        return;
    if (fabsl(sum - exact) > (count + 1) * (unit * size + least))
        complain("the sum in long double", i, j, sum, (double)exact);
}

static void reference(void) {
    struct term terms[64];
    unsigned width = row->d == F64 ? 64 : 32, half = (row->d == F16 || row->d == BF16) ? 16 : 0;
    for (unsigned block = 0; block < row->blocks; block++)
        for (unsigned i = 0; i < row->m; i++)
            for (unsigned j = 0; j < row->m; j++) {
                struct place at = output_place(i, j, block), field = at;
                if (half && gfx11())
                    field.element = 2 * at.element + high;
                unsigned bits = half ? half : width, count = collect(terms, i, j, block);
                double c = read_c(get_field(c_in, field, bits)), sum = c, exact = c;
                for (unsigned t = 0; t < count; t++) {
                    exact += terms[t].a * terms[t].b;
                    sum = row->d == F64 ? fma(terms[t].a, terms[t].b, sum) : fmaf((float)terms[t].a, (float)terms[t].b, (float)sum);
                }
                if (row->d != I32)
                    check_bound(terms, count, c, sum, i, j, at);
                put_field(d_want, field, bits, finish(exact, sum));
                unknown_nan[half && gfx12() ? field.element / 2 : at.element * (width / 32)][at.lane] |= isnan(sum);
            }
}

/* ---- running ---- */

static uint32_t random_number(void) {
    static uint64_t state = 88172645463325252u;
    return (uint32_t)(next_random(&state) >> 16);
}

/* Values of moderate size, whose sums round; or any pattern, with special values among them. */
static uint32_t random_dword(enum kind kind, bool wild, unsigned which) {
    static const uint32_t f32s[] = {0,          0x80000000, 1,          0x80000001, 0x7fffff,   0x800000,
                                    0x7f7fffff, 0x7f800000, 0xff800000, 0x7fc00000, 0x3f800000, 0xff7fffff};
    static const uint16_t f16s[] = {0, 0x8000, 1, 0x8001, 0x3ff, 0x400, 0x7bff, 0x7c00, 0xfc00, 0x7e00, 0x3c00, 0xfbff};
    uint32_t r = random_number(), special = random_number() % 40;
    if (kind == F64)
        return wild || !(which & 1) ? r : (r & 0x800fffff) | (1015 + r % 16) << 20;
    if (wild && special < 12 && (kind == F32 || kind == XF32))
        return f32s[special];
    if (wild && special < 12 && kind == F16)
        return f16s[special] | (r & 0xffff0000);
    if (wild && special < 12 && kind == BF16)
        return f32s[special] >> 16 | (r & 0xffff0000);
    if (wild || kind >= F64)
        return r;
    switch (kind) {
    case F16:
        return (r & 0x83ff83ff) | (10 + r % 7) << 10 | (10 + (r >> 8) % 7) << 26;
    case BF16:
        return (r & 0x807f807f) | (120 + r % 9) << 7 | (120 + (r >> 8) % 9) << 23;
    case FP8:
    case BF8:
        return r & 0xbfbfbfbf;
    default:
        return (r & 0x807fffff) | (120 + r % 9) << 23;
    }
}

static void fill_row(uint32_t *to, enum kind kind, bool wild, unsigned which) {
    for (unsigned l = 0; l < 64; l++)
        to[l] = random_dword(kind, wild, which);
}

/* An inline constant: integers are bit patterns, numbers are in the format of D. */
static uint64_t constant_bits(void) {
    float number = strtof(constant, NULL);
    double wide = number;
    uint64_t bits;
    if (!strchr(constant, '.'))
        return (uint64_t)strtol(constant, NULL, 0) & (row->d == F64 ? UINT64_MAX : row->d == F16 || row->d == BF16 ? 0xffff : UINT32_MAX);
    switch (row->d) {
    case F64:
        memcpy(&bits, &wide, 8);
        return bits;
    case F16:
    case BF16:
        return round16(number, row->d);
    default:
        return wl_float_bits(number);
    }
}

static unsigned constant_source(void) {
    const long number = strtol(constant, NULL, 0);
    if (strchr(constant, '.'))
        return strcmp(constant, "1.0") == 0 ? 242 : 247; /* or -4.0 */
    return (unsigned)(number < 0 ? 192 - number : 128 + number);
}

static void fill_with_constant(unsigned registers) {
    uint64_t bits = constant_bits();
    for (unsigned r = 0; r < registers; r++)
        for (unsigned l = 0; l < 64; l++)
            c_in[r][l] = (uint32_t)(row->d == F64 ? bits >> 32 * (r & 1) : row->d == F16 || row->d == BF16 ? bits | bits << 16 : bits);
}

enum { A_ROW = 200, B_ROW = 216, INDEX_ROW = 232, C_ROW = 32 };

struct operands {
    unsigned a, b, c, d; /* counts of registers */
    unsigned c_row, d_row;
};

static struct operands count_registers(void) {
    struct operands o = {.c_row = C_ROW};
    unsigned a_k = sparse() ? row->k / 2 : row->k;
    unsigned lanes = gfx11() ? 16 : wave, d_bits = gfx12() ? bits_of(row->d) : row->d == F64 ? 64 : 32;
    o.a = row->m * a_k * row->blocks * bits_of(row->a) / 32 / lanes;
    o.b = row->m * row->k * row->blocks * bits_of(row->b) / 32 / lanes;
    o.a += !o.a;
    o.b += !o.b;
    o.c = o.d = row->m * row->m * row->blocks * d_bits / 32 / wave;
    return o;
}

static void name_registers(char *text, size_t size, unsigned first, unsigned count) {
    const char *file = first >= 256 ? "a" : "v";
    first %= 256;
    if (count == 1)
        snprintf(text, size, "%s%u", file, first);
    else
        snprintf(text, size, "%s[%u:%u]", file, first, first + count - 1);
}

static void load_inputs(const struct operands *o, bool wild) {
    for (unsigned r = 0; r < o->a; r++)
        fill_row(a_in[r], row->a, wild, r);
    for (unsigned r = 0; r < o->b; r++)
        fill_row(b_in[r], row->b, wild, r);
    for (unsigned r = 0; r < o->c; r++)
        fill_row(c_in[r], row->d, wild, r);
    for (unsigned l = 16; gfx11() && lift_sums_freely() && l < 64; l++) { /* as AMD asks for; only tensor cores look there */
        for (unsigned r = 0; r < o->a; r++)
            a_in[r][l] = a_in[r][l % 16];
        for (unsigned r = 0; r < o->b; r++)
            b_in[r][l] = b_in[r][l % 16];
    }
    for (unsigned l = 0; l < 64; l++)
        index_in[l] = random_number();
    if (!wild && row->d != I32 && row->d != F64)
        for (unsigned r = 0; r < o->c; r++)
            for (unsigned l = 0; l < 64; l++)
                c_in[r][l] = random_dword(row->d, false, r);
}

static void to_wave(unsigned first, const uint32_t (*from)[64], unsigned count) {
    for (unsigned r = 0; r < count; r++)
        memcpy(lift_row(first + r), from[r], wave * 4);
}

static bool is_nan_bits(uint32_t got, const struct operands *o) {
    (void)o;
    return (got & 0x7f800000) == 0x7f800000 && got & 0x7fffff;
}

/* Whether a sum in an order of its own may have come out like this. Where an order decides whether there is an overflow, anything may. */
static bool is_near(uint32_t got, unsigned r, unsigned l) {
    float value;
    memcpy(&value, &got, 4);
    const double exact = near[r][l].exact, bound = near[r][l].bound, error = fabs((double)value - exact);
    if (!isfinite(exact))
        return isnan(exact) ? isnan(value) : (double)value == exact;
    if (bound > 0x1p-100)
        worst = fmax(worst, error / bound);
    return bound < 0 || error <= bound;
}

static void compare(const struct operands *o) {
    unsigned before = failures;
    for (unsigned r = 0; r < o->d; r++)
        for (unsigned l = 0; l < wave; l++) {
            uint32_t got = lift_row(o->d_row + r)[l], want = d_want[r][l];
            if (got == want || (sums_freely() && is_near(got, r, l)))
                continue;
            bool nan = row->d == F32 && unknown_nan[r][l] && is_nan_bits(got, o);
            if (row->d == F64 && unknown_nan[r & ~1u][l])
                nan = !(r & 1) || is_nan_bits(got << 3 | (got & 0x80000000), o) || (got & 0x7ff00000) == 0x7ff00000;
            if ((row->d == F16 || row->d == BF16) && unknown_nan[r][l]) {
                uint32_t infinity = row->d == F16 ? 0x7c00 : 0x7f80;
                nan = true;
                for (unsigned h = 0; h < 32; h += 16) {
                    uint32_t g = got >> h & 0xffff, w = want >> h & 0xffff;
                    nan &= g == w || ((g & 0x7fff) > infinity && (w & 0x7fff) > infinity);
                }
            }
            if (nan)
                continue;
            failures++;
            if (shown++ < 20)
                fprintf(stderr, "%s wave%u %s cbsz %u abid %u blgp %u neg %u %u key %u: register %u lane %u: %08x, expected %08x\n",
                        processor, wave, row->name, cbsz, abid, blgp, neg_lo, neg_hi, key, r, l, got, want);
        }
    checks++;
    if (failures != before && shown < 40)
        shown++;
}

/* gfx950's, which the assembler does not know. */
static void open_word(const struct operands *o, bool in_place) {
    enum { V = 256, RETURN = 0xbe801d1e /* s_setpc_b64 s[30:31] */ };
    const unsigned c_row = in_place ? o->d_row : o->c_row, c = constant ? constant_source() : V + c_row % 256;
    const unsigned third = sparse() ? V + INDEX_ROW : c, accumulators = o->d_row >= 256 ? 1u << 15 : 0;
    const uint32_t code[] = {0xd3800000 | row_opcode << 16 | accumulators | abid << 11 | cbsz << 8 | o->d_row % 256,
                             (V + A_ROW) | (V + B_ROW) << 9 | third << 18 | blgp << 29, RETURN};
    lift_open_code(processor, wave, (const uint8_t *)code, sizeof code, false);
}

static void check_lanes(const struct operands *o, const char *text, bool in_place) {
    static const uint64_t execs[] = {UINT64_MAX, UINT64_C(0x8000a5a5f0ff0310)};
    if (row_opcode)
        open_word(o, in_place);
    else
        lift_open(processor, wave, text);
    for (unsigned e = 0; e < 2; e++)
        for (unsigned wild = 0; wild < 2; wild++) {
            load_inputs(o, wild);
            for (unsigned r = 0; r < o->d; r++)
                for (unsigned l = 0; l < wave; l++)
                    lift_row(o->d_row + r)[l] = d_want[r][l] = random_number();
            if (constant)
                fill_with_constant(o->c);
            if (in_place)
                memcpy(d_want, c_in, sizeof d_want);
            memset(unknown_nan, 0, sizeof unknown_nan);
            to_wave(A_ROW, a_in, o->a);
            to_wave(B_ROW, b_in, o->b);
            to_wave(INDEX_ROW, &index_in, 1);
            to_wave(in_place ? o->d_row : o->c_row, c_in, o->c);
            reference();
            lift_mode_register = wild ? 0xc3 : 0xf0; /* rounding and denormals of MODE have no influence */
            lift_execute(execs[e]);
            compare(o);
        }
    lift_mode_register = 0xf0;
    lift_close();
}

/* `c`: "" for a register, or a constant. */
static void check(unsigned d_row, bool in_place) {
    struct operands o = count_registers();
    char d[24], a[24], b[24], c[24], modifiers[160] = "", text[400];
    o.d_row = d_row;
    if (d_row >= 256 && !strcmp(processor, "gfx908"))
        o.c_row = 256 + C_ROW;
    in_place |= sparse();
    name_registers(d, sizeof d, o.d_row, o.d);
    name_registers(a, sizeof a, A_ROW, o.a);
    name_registers(b, sizeof b, B_ROW, o.b);
    if (d_row >= 256)
        o.c_row = 256 + C_ROW;
    name_registers(c, sizeof c, sparse() ? INDEX_ROW : in_place ? o.d_row : o.c_row, sparse() ? 1 : o.c);
    if (constant)
        snprintf(c, sizeof c, "%s", constant);
#define ADD(...) snprintf(modifiers + strlen(modifiers), sizeof modifiers - strlen(modifiers), __VA_ARGS__)
    if (row->family == SWMMAC && key)
        ADD(" index_key:%u", key);
    if (cbsz)
        ADD(" cbsz:%u", cbsz);
    if (abid)
        ADD(" abid:%u", abid);
    if (blgp && row->d == F64)
        ADD(" neg:[%u,%u,%u]", blgp & 1, blgp >> 1 & 1, blgp >> 2);
    else if (blgp)
        ADD(" blgp:%u", blgp);
    if (high)
        ADD(" op_sel:[0,0,1]");
    if (neg_lo)
        ADD(" neg_lo:[%u,%u,%u]", neg_lo & 1, neg_lo >> 1 & 1, neg_lo >> 2);
    if (neg_hi)
        ADD(" neg_hi:[%u,%u,%u]", neg_hi & 1, neg_hi >> 1 & 1, neg_hi >> 2);
    if (clamp)
        ADD(" clamp");
    snprintf(text, sizeof text, "%s %s, %s, %s, %s%s\n", row->name, d, a, b, c, modifiers);
    check_lanes(&o, text, in_place);
    cbsz = abid = blgp = neg_lo = neg_hi = key = 0;
    clamp = high = false;
    constant = NULL;
}

static void check_constants(void) {
    static const char *const constants[] = {"0", "1.0", "-4.0", "5", "-3"};
    bool allowed = strcmp(processor, "gfx908") != 0; /* there the hardware gets them wrong */
    for (unsigned i = 0; allowed && i < sizeof constants / sizeof *constants; i++) {
        constant = constants[i];
        check(0, false);
    }
}

static void check_mfma(bool thoroughly) {
    bool many = row->blocks > 1 && row->d != F64;
    unsigned vgprs = strcmp(processor, "gfx908") ? 0 : 256;
    check(256, false);
    if (!thoroughly)
        return;
    check(vgprs, true);
    check_constants();
    if (row->d == F64) {
        for (unsigned negated = 1; negated < 8 && strcmp(processor, "gfx90a") != 0; negated++) {
            blgp = negated;
            check(0, false);
        }
        return;
    }
    for (unsigned pattern = 1; pattern < 8; pattern++) {
        blgp = pattern;
        if (many && 1u << (1 + pattern % 4) <= row->blocks) {
            cbsz = 1 + pattern % 4;
            abid = pattern % (1u << cbsz);
        }
        check(256, pattern & 1);
    }
}

static void check_sparse(bool thoroughly) {
    unsigned sets = row->family == SMFMAC ? 32 / (bits_of(row->a) == 16 ? 8 : 16) / (crosses() ? 2 : 1)
                                          : 32 / (2 * (row->k / 2 * 16 / wave < 8 && bits_of(row->a) == 4 ? 8 : row->k / 2 * 16 / wave));
    for (unsigned set = 0; set < (thoroughly ? sets : 1); set++) {
        if (row->family == SMFMAC)
            abid = set;
        else
            key = set;
        if (row->family == SWMMAC && row->d == I32)
            neg_lo = (set + 1) & 3;
        clamp = neg_lo & 1;
        check(row->family == SMFMAC && set & 1 ? 256 : 0, true);
    }
    if (thoroughly && row->family == SMFMAC) {
        cbsz = 1; /* the first set, whatever abid is */
        abid = 1;
        check(0, true);
    }
}

static void check_wmma(bool thoroughly) {
    check(0, false);
    if (!thoroughly)
        return;
    check_constants();
    bool half = row->d == F16 || row->d == BF16;
    if (row->d == I32) {
        for (unsigned n = 1; n < 4; n++) {
            neg_lo = n;
            clamp = n & 1;
            check(0, n == 2);
        }
        return;
    }
    neg_lo = row->a >= FP8 ? 4 : 5;
    neg_hi = row->a >= FP8 ? 0 : 2;
    check(0, false);
    neg_lo = row->a >= FP8 ? 0 : 2;
    neg_hi = row->a >= FP8 ? 4 : 5;
    high = half && gfx11();
    check(0, true);
    if (half && gfx11()) {
        high = true;
        check(0, false);
    }
}

static unsigned opcode_of(const char *name) {
    for (size_t i = 0; i < sizeof row_opcodes / sizeof *row_opcodes; i++)
        if (strcmp(row_opcodes[i].name, name) == 0)
            return row_opcodes[i].opcode;
    return 0;
}

static void check_row(const char *name, size_t length, bool thoroughly) {
    static char buffer[16];
    snprintf(buffer, sizeof buffer, "%.*s", (int)length, name);
    processor = buffer;
    row_opcode = opcode_of(row->name);
    bool wmma = row->family == WMMA || row->family == SWMMAC;
    for (wave = wmma ? 32 : 64; wave <= 64; wave *= 2) {
        if (row->family == MFMA)
            check_mfma(thoroughly);
        else if (row->family == WMMA)
            check_wmma(thoroughly);
        else
            check_sparse(thoroughly);
    }
}

int main(int count, char **arguments) {
    lift_start();
    for (row = rows; row < rows + sizeof rows / sizeof *rows; row++)
        for (const char *p = row->processors; *p; p += *p == ',') {
            size_t length = strcspn(p, ",");
            bool first_of_family =
                p == row->processors || !strncmp(p, "gfx90a", 6) || !strncmp(p, "gfx942", 6) || !strncmp(p, "gfx1200", 7);
            if ((count < 2 || strstr(row->name, arguments[1])) && (count < 3 || !strncmp(p, arguments[2], strlen(arguments[2]))))
                check_row(p, length, first_of_family);
            p += length;
        }
    if (worst > 0)
        printf("sums in another order: at most %.3f of the documented error\n", worst);
    printf("%u checks, %u failures\n", checks, failures);
    return failures != 0 || !checks;
}
