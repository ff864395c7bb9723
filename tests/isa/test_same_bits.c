/* The same bits everywhere: instructions of each class, on operands that are the same on every host, and a digest of all results, which is kept
 * in same_bits_digests.inc. Native code for AVX-512, AVX2 and neither, threaded code, AArch64 and NVIDIA GPUs have to give it.
 *
 * Whether the results are right is what other tests ask. A NaN counts as one whatever its bits are, but where docs/NUMERICS.md says which they are.
 *
 * Without arguments: compares. "digests": prints same_bits_digests.inc. "values TEXT": prints operands and results of rows with that in them. */
#include "translate/lift_run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { RUNS = 24, SOURCE = 2, THIRD = 18, SCALE = 34, RESULT = 40, RESULT_END = 72, ROWS = 96, SGPRS = 24, VCC = 106 };

/* ---- the table ---- */

enum kind { ANY, F32, F16, BF16, F64, FP8, BF8 };

/* What a row may need besides. */
enum {
    NAN_BITS = 1, /* NaN's bits count, too */
    COPIES = 2,   /* lanes 0 to 15 again in 16 to 31 (and 32 to 63) */
    FLUSHED = 4,  /* MODE flushes denormals of f32 */
    EXACT = 8,    /* WAVELIFT_MATH=exact instead of hardware */
    WAVE64 = 16   /* where waves of 32 are usual */
};

static const struct row {
    const char *processor, *text;
    enum kind sources, third, result; /* v2 to v17; v18 to v33; v40 to v71 */
    unsigned flags;
    uint32_t words[2]; /* the instruction, where the assembler does not know it */
} rows[] = {
#include "same_bits_rows.inc"
};

static const uint64_t digests[sizeof rows / sizeof *rows] = {
#include "same_bits_digests.inc"
};

/* ---- operands ---- */

static uint64_t state;
static const struct row *row;

static uint64_t random64(void) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state * UINT64_C(0x2545f4914f6cdd1d);
}

static uint32_t random_number(void) { return (uint32_t)(random64() >> 32); }

static const struct format {
    unsigned bits, exponent_bits, fraction;
} formats[] = {[ANY] = {32, 0, 0},   [F32] = {32, 8, 23}, [F16] = {16, 5, 10}, [BF16] = {16, 8, 7},
               [F64] = {64, 11, 52}, [FP8] = {8, 4, 3},   [BF8] = {8, 5, 2}};

/* An integer multiple of 2^-shift below 256 in magnitude: f16 and wider formats have it, cut at their last place. */
static uint64_t fixed_point(const struct format *f) {
    const unsigned shift = random_number() % 24;
    uint64_t integer = random64() >> (64 - 8 - shift);
    int exponent = -(int)shift + (int)f->fraction, bias = (1 << (f->exponent_bits - 1)) - 1;
    if (!integer)
        return 0;
    for (; integer >> (f->fraction + 1); exponent++)
        integer >>= 1;
    for (; !(integer >> f->fraction); exponent--)
        integer <<= 1;
    exponent += bias;
    return exponent < 1 ? 0 : (uint64_t)exponent << f->fraction | (integer & ((UINT64_C(1) << f->fraction) - 1));
}

/* How the numbers of a run are made: any bits, special ones among them; fixed point; exponents close to one that is drawn for the run. */
static uint64_t random_float(enum kind kind, unsigned run, int around) {
    const struct format *f = &formats[kind];
    const uint64_t one = UINT64_C(1) << f->fraction, top = ((UINT64_C(1) << f->exponent_bits) - 1) << f->fraction;
    const uint64_t sign = (random64() >> 63) << (f->bits - 1);
    const int bias = (1 << (f->exponent_bits - 1)) - 1;
    if (run % 4 == 0 && random_number() % 4 == 0) {
        const uint64_t ones = (uint64_t)bias << f->fraction;
        const uint64_t values[] = {0,    1,        one - 1,  one,        one + 1,   top, top - 1, top + 1, top | one >> 1,
                                   ones, ones + 1, ones - 1, ones - one, ones + one};
        return sign | values[random_number() % (sizeof values / sizeof *values)];
    }
    if (run % 4 == 0)
        return random64() >> (64 - f->bits);
    if (run % 4 == 1 && f->bits >= 16)
        return sign | fixed_point(f);
    const int centre = run % 4 == 3 ? around : 0;
    int field = centre + bias + (int)(random_number() % 17) - 8;
    field = field < 0 ? 0 : field > 2 * bias ? 2 * bias : field;
    return sign | (uint64_t)field << f->fraction | (random64() & (one - 1));
}

static void fill_rows(unsigned first, unsigned count, enum kind kind, unsigned run) {
    const int range = 1 << formats[kind].exponent_bits, around = kind == ANY ? 0 : (int)(random_number() % (unsigned)range) - range / 2;
    for (unsigned r = first; r < first + count; r++)
        for (unsigned l = 0; l < lift_wave_size; l++) {
            uint32_t *dword = lift_row(r) + l;
            if (kind == ANY) {
                *dword = random_number();
            } else if (kind == F64 && r % 2 == 0) {
                const uint64_t both = random_float(kind, run, around);
                *dword = (uint32_t)both;
                lift_row(r + 1)[l] = (uint32_t)(both >> 32);
            } else if (kind != F64) {
                *dword = 0;
                for (unsigned bit = 0; bit < 32; bit += formats[kind].bits)
                    *dword |= (uint32_t)random_float(kind, run, around) << bit;
            }
        }
}

static void fill(unsigned run) {
    for (unsigned r = 0; r < ROWS; r++)
        for (unsigned l = 0; l < lift_wave_size; l++)
            lift_row(r)[l] = random_number();
    fill_rows(SOURCE, THIRD - SOURCE, row->sources, run);
    fill_rows(THIRD, SCALE - THIRD, row->third, run);
    for (unsigned l = 0; l < lift_wave_size; l++)
        lift_row(SCALE)[l] = (127 + random_number() % 33 - 16) << 23;
    for (unsigned r = SOURCE; (row->flags & COPIES) && r < THIRD; r++)
        for (unsigned l = 16; l < lift_wave_size; l++)
            lift_row(r)[l] = lift_row(r)[l % 16];
    for (unsigned s = 0; s < SGPRS; s++)
        lift_scalars()[s] = (uint32_t)random_float(row->sources == F16 ? F16 : F32, run, 0);
    lift_scalars()[VCC] = random_number();
    lift_scalars()[VCC + 1] = random_number();
}

/* ---- results ---- */

/* `bits` with every NaN the same. */
static uint64_t without_nan_bits(uint64_t bits, const struct format *f) {
    const uint64_t top = ((UINT64_C(1) << f->exponent_bits) - 1) << f->fraction;
    const uint64_t size = f->bits == 64 ? bits & (UINT64_MAX >> 1) : bits & ((UINT64_C(1) << (f->bits - 1)) - 1);
    return size > top ? top + 1 : bits;
}

static uint32_t result_of(unsigned r, unsigned l) {
    const struct format *f = &formats[row->result];
    const uint32_t dword = lift_row(r)[l];
    if (row->result == ANY || row->flags & NAN_BITS || f->bits == 8)
        return dword;
    if (row->result == F64) {
        const uint64_t both = without_nan_bits((uint64_t)lift_row(r | 1)[l] << 32 | lift_row(r & ~1u)[l], f);
        return (uint32_t)(r % 2 ? both >> 32 : both);
    }
    if (f->bits == 32)
        return (uint32_t)without_nan_bits(dword, f);
    return (uint32_t)(without_nan_bits(dword & 0xffff, f) | without_nan_bits(dword >> 16, f) << 16);
}

static void add_to(uint64_t *digest, uint32_t value) { *digest = (*digest ^ value) * UINT64_C(0x9e3779b97f4a7c15) + (*digest >> 29); }

static void print_values(unsigned run, const uint32_t *first, const uint32_t *second) {
    for (unsigned l = 0; l < lift_wave_size; l++)
        printf("%s %s, run %u, lane %u: %08x %08x: %08x %08x\n", row->processor, row->text, run, l, first[l], second[l],
               result_of(RESULT, l), result_of(RESULT + 1, l));
}

static void open_row(void) {
    char text[512];
    const bool wide = row->processor[3] == '9' || row->flags & WAVE64;
    lift_mode_register = row->flags & FLUSHED ? 0xc0 : 0xf0;
    lift_exact_math = row->flags & EXACT;
    lift_matrix_sums = row->flags & EXACT ? WL_SUMS_IN_ORDER : WL_SUMS_HARDWARE;
    if (row->words[0])
        snprintf(text, sizeof text, ".long 0x%x, 0x%x\n", row->words[0], row->words[1]);
    else
        snprintf(text, sizeof text, "%s\n", row->text);
    lift_open(row->processor, wide ? 64 : 32, text);
}

static uint64_t run_row(bool print) {
    uint64_t digest = 0;
    state = UINT64_C(0x9e3779b97f4a7c15);
    open_row();
    for (unsigned run = 0; run < RUNS; run++) {
        uint32_t first[64], second[64];
        fill(run);
        memcpy(first, lift_row(SOURCE), lift_wave_size * sizeof *first);
        memcpy(second, lift_row(SOURCE + 1), lift_wave_size * sizeof *second);
        lift_execute(UINT64_MAX);
        for (unsigned r = RESULT; r < RESULT_END; r++)
            for (unsigned l = 0; l < lift_wave_size; l++)
                add_to(&digest, result_of(r, l));
        add_to(&digest, lift_scalars()[VCC]);
        if (lift_wave_size == 64)
            add_to(&digest, lift_scalars()[VCC + 1]);
        if (print)
            print_values(run, first, second);
    }
    lift_close();
    return digest;
}

int main(int count, char **arguments) {
    const bool write = count > 1 && !strcmp(arguments[1], "digests"), values = count > 2 && !strcmp(arguments[1], "values");
    unsigned failures = 0;
    lift_start();
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        row = &rows[i];
        if (values && !strstr(row->text, arguments[2]))
            continue;
        const uint64_t digest = run_row(values);
        if (write)
            printf("UINT64_C(0x%016llx), /* %s %.*s */\n", (unsigned long long)digest, row->processor, (int)strcspn(row->text, "\n"),
                   row->text);
        else if (digest != digests[i] && ++failures)
            fprintf(stderr, "row %zu: %s, flags %u, %.*s: %016llx instead of %016llx\n", i, row->processor, row->flags,
                    (int)strcspn(row->text, "\n"), row->text, (unsigned long long)digest, (unsigned long long)digests[i]);
    }
    if (!write)
        printf("%zu rows, %u differ\n", sizeof rows / sizeof *rows, failures);
    return failures != 0;
}
