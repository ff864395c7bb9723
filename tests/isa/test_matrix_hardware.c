/* Dense MFMA with WAVELIFT_MATH=hardware, assembled, translated and run, against sums in integers.
 *
 * What docs/NUMERICS.md says of the processors' sums is written here once more: numbers are taken apart into sign, integer and exponent, and
 * nothing is added or rounded but integers. Every bit is compared. gfx90a adds so by default.
 *
 * Argument: sums of each instruction (default: some thousand), processors that begin like this. */
#include "../random_numbers.h"
#include "matrix_rows.h"
#include "translate/lift_run.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { A_ROW = 200, B_ROW = 216, D_ROW = 256, C_ROW = 288, NAN_BITS = 0x7fc00000, INFINITE = 0x7f800000, LEAST_TOP = -4000 };

static const struct row *row;
static const char *processor;
static uint32_t a_in[8][64], b_in[8][64], c_in[32][64];
static unsigned failures;

/* ---- numbers ---- */

struct number {
    bool nan, infinite, negative;
    uint64_t integer; /* times 2^(exponent - fraction) */
    int exponent;     /* of normal numbers that of the leading bit; of denormals the least one */
    int fraction;
};

struct format {
    unsigned bits;
    int exponent_bits, fraction, bias;
    bool fnuz;
};

static struct format format_of(enum kind kind) {
    switch (kind) {
    case F16:
        return (struct format){16, 5, 10, 15, false};
    case BF16:
        return (struct format){16, 8, 7, 127, false};
    case FP8:
        return (struct format){8, 4, 3, 8, true};
    case BF8:
        return (struct format){8, 5, 2, 16, true};
    default:
        return (struct format){32, 8, 23, 127, false};
    }
}

static struct number take_apart(uint32_t bits, enum kind kind) {
    const struct format f = format_of(kind);
    const uint32_t top = (1u << f.exponent_bits) - 1, fraction = bits & ((1u << f.fraction) - 1), exponent = bits >> f.fraction & top;
    struct number n = {.negative = bits >> (f.bits - 1) & 1, .fraction = f.fraction};
    if (f.fnuz) {
        n.nan = bits == 0x80;
    } else if (exponent == top) {
        n.nan = fraction != 0;
        n.infinite = !fraction;
    }
    n.integer = fraction | (exponent ? 1u << f.fraction : 0);
    n.exponent = (exponent ? (int)exponent : 1) - f.bias;
    if (kind == XF32)
        n.integer &= ~UINT64_C(0x1fff);
    return n;
}

/* integer * 2^exponent, to nearest even. */
static uint32_t round_to_f32(bool negative, unsigned __int128 integer, int exponent) {
    const uint32_t sign = negative ? 0x80000000 : 0;
    if (!integer)
        return sign;
    int length = 0;
    for (unsigned __int128 rest = integer; rest; rest >>= 1)
        length++;
    int last = exponent + length - 24; /* exponent of the last bit that stays */
    if (last < -149)
        last = -149;
    if (last - exponent > 127)
        return sign; /* far below half of the least denormal */
    if (last > exponent) {
        const int away = last - exponent;
        const unsigned __int128 half = (unsigned __int128)1 << (away - 1), rest = integer & (half * 2 - 1);
        integer >>= away;
        if (rest > half || (rest == half && integer & 1))
            integer++;
    } else {
        integer <<= exponent - last;
    }
    if (integer >> 24) {
        integer >>= 1;
        last++;
    }
    if (last > 127 - 23)
        return sign | INFINITE;
    const uint32_t biased = integer >> 23 ? (uint32_t)(last + 150) : 0;
    return sign | biased << 23 | ((uint32_t)integer & 0x7fffff);
}

/* ---- CDNA1 and CDNA2 ---- */

static bool flushes(void) { return !strcmp(processor, "gfx90a"); }

static uint32_t without_denormals(uint32_t bits) { return flushes() && !(bits & INFINITE) ? bits & 0x80000000 : bits; }

static uint32_t multiply(uint32_t a_bits, uint32_t b_bits) {
    struct number a = take_apart(a_bits, row->a), b = take_apart(b_bits, row->b);
    const bool negative = a.negative != b.negative;
    if (flushes() && !(a.integer >> a.fraction))
        a.integer = 0;
    if (flushes() && !(b.integer >> b.fraction))
        b.integer = 0;
    if (a.nan || b.nan || (a.infinite && !b.integer) || (b.infinite && !a.integer))
        return NAN_BITS;
    if (a.infinite || b.infinite)
        return (negative ? 0x80000000 : 0) | INFINITE;
    return without_denormals(
        round_to_f32(negative, (unsigned __int128)a.integer * b.integer, a.exponent - a.fraction + b.exponent - b.fraction));
}

static uint32_t add(uint32_t x_bits, uint32_t y_bits) {
    const struct number x = take_apart(without_denormals(x_bits), F32), y = take_apart(without_denormals(y_bits), F32);
    if (x.nan || y.nan || (x.infinite && y.infinite && x.negative != y.negative))
        return NAN_BITS;
    if (x.infinite || y.infinite)
        return x.infinite ? x_bits : y_bits;
    const struct number *high = x.exponent >= y.exponent ? &x : &y, *low = high == &x ? &y : &x;
    const int apart = high->exponent - low->exponent;
    enum { ROOM = 60 };
    __int128 large = (__int128)high->integer << ROOM, small = (__int128)low->integer << ROOM;
    small = apart <= ROOM ? small >> apart : small != 0; /* what is that far away is something, no more */
    const __int128 sum = (high->negative ? -large : large) + (low->negative ? -small : small);
    const bool negative = sum ? sum < 0 : x.negative && y.negative;
    return without_denormals(round_to_f32(negative, (unsigned __int128)(sum < 0 ? -sum : sum), high->exponent - 23 - ROOM));
}

static uint32_t sum_in_pairs(const uint32_t *a, const uint32_t *b, unsigned k, unsigned each, uint32_t c) {
    c = without_denormals(c);
    for (unsigned first = 0; first < k; first += each) {
        uint32_t sum = add(multiply(a[first], b[first]), multiply(a[first + 1], b[first + 1]));
        if (each == 4)
            sum = add(sum, add(multiply(a[first + 2], b[first + 2]), multiply(a[first + 3], b[first + 3])));
        c = add(c, sum);
    }
    return take_apart(c, F32).nan ? NAN_BITS : c;
}

/* ---- CDNA3 ---- */

static int64_t shift_down(int64_t integer, int by) { return integer >> (by > 62 ? 62 : by); } /* rounds down */

/* Infinities and NaN: of C, of factors, and of products that f32 cannot hold. True: there are some, and `sum` is the result. */
static bool sum_special(const uint32_t *a, const uint32_t *b, unsigned count, uint32_t *sum) {
    const struct number c = take_apart(*sum, F32);
    bool nan = c.nan, plus = c.infinite && !c.negative, minus = c.infinite && c.negative;
    for (unsigned i = 0; i < count; i++) {
        const struct number x = take_apart(a[i], row->a), y = take_apart(b[i], row->b);
        const bool negative = x.negative != y.negative;
        bool infinite = x.infinite || y.infinite;
        nan |= x.nan || y.nan || (x.infinite && !y.integer && !y.infinite) || (y.infinite && !x.integer && !x.infinite);
        if (!infinite && !x.nan && !y.nan)
            infinite = (round_to_f32(false, (unsigned __int128)x.integer * y.integer, x.exponent - x.fraction + y.exponent - y.fraction)) ==
                       INFINITE;
        plus |= infinite && !negative;
        minus |= infinite && negative;
    }
    if (!nan && !plus && !minus)
        return false;
    *sum = nan || (plus && minus) ? NAN_BITS : (minus ? 0x80000000 : 0) | INFINITE;
    return true;
}

static uint32_t sum_aligned(const uint32_t *a, const uint32_t *b, unsigned count, unsigned sets, uint32_t c_bits) {
    const struct number c = take_apart(c_bits, F32);
    int64_t sums[2] = {0};
    int tops[2] = {LEAST_TOP, LEAST_TOP}, top = c.exponent;
    if (sum_special(a, b, count, &c_bits))
        return c_bits;
    for (unsigned s = 0; s < sets; s++) {
        for (unsigned i = s; i < count; i += sets) {
            const struct number x = take_apart(a[i], row->a), y = take_apart(b[i], row->b);
            if (x.integer && y.integer && x.exponent + y.exponent > tops[s])
                tops[s] = x.exponent + y.exponent;
        }
        for (unsigned i = s; i < count; i += sets) {
            const struct number x = take_apart(a[i], row->a), y = take_apart(b[i], row->b);
            const uint64_t product = x.integer * y.integer; /* times 2^(exponents - fractions) */
            const int down = tops[s] - 24 - (x.exponent + y.exponent - x.fraction - y.fraction);
            if (!product)
                continue;
            const uint64_t cut = down > 63 ? 0 : down >= 0 ? product >> down : product << -down;
            sums[s] += x.negative != y.negative ? -(int64_t)cut : (int64_t)cut;
        }
        if (tops[s] > top)
            top = tops[s];
    }
    /* In units of 2^(top - 31). */
    int64_t sum = shift_down((c.negative ? -(int64_t)c.integer : (int64_t)c.integer) * 2, top - c.exponent) * 128;
    for (unsigned s = 0; s < sets; s++)
        sum += shift_down(sums[s] * 128, top - tops[s]);
    return round_to_f32(sum < 0, (unsigned __int128)(sum < 0 ? -sum : sum), top - 31);
}

static uint32_t sum_in_groups(const uint32_t *a, const uint32_t *b, unsigned k, uint32_t c) {
    const unsigned most = row->a == XF32 ? 4 : row->a == FP8 || row->a == BF8 ? 16 : 8, each = k < most ? k : most;
    for (unsigned first = 0; first < k; first += each)
        c = sum_aligned(a + first, b + first, each, each == 16 ? 2 : 1, c);
    return c;
}

/* ---- places, as in test_matrix.c ---- */

static uint32_t element(const uint32_t (*registers)[64], enum kind kind, unsigned i, unsigned k, unsigned block) {
    const unsigned each = row->m * row->k * row->blocks / 64, bits = format_of(kind).bits;
    const unsigned lane = i + row->m * (block + row->blocks * (k / each)), at = k % each;
    const uint32_t dword = registers[at * bits / 32][lane];
    return bits == 32 ? dword : dword >> at * bits % 32 & ((1u << bits) - 1);
}

static void place(unsigned i, unsigned j, unsigned block, unsigned *r, unsigned *lane) {
    switch (row->m) {
    case 4:
        *lane = 4 * block + j;
        *r = i;
        break;
    case 16:
        *lane = 16 * (i / 4) + j;
        *r = 4 * block + i % 4;
        break;
    default:
        *lane = 32 * (i / 4) % 64 + j;
        *r = 16 * block + 4 * (i / 8) + i % 4;
    }
}

static uint32_t expected(unsigned i, unsigned j, unsigned block, uint32_t c) {
    uint32_t a[32], b[32];
    for (unsigned k = 0; k < row->k; k++) {
        a[k] = element(a_in, row->a, i, k, block);
        b[k] = element(b_in, row->b, j, k, block);
    }
    const unsigned each = row->m * row->k * row->blocks / 64;
    return !strncmp(processor, "gfx94", 5) ? sum_in_groups(a, b, row->k, c) : sum_in_pairs(a, b, row->k, each, c);
}

/* ---- inputs ---- */

static uint32_t random_number(void) {
    static uint64_t state = 0x2545f4914f6cdd1du;
    return (uint32_t)(next_random(&state) >> 24);
}

/* What the numbers of a run are like. */
static struct {
    unsigned
        style; /* 0: any bits; 1: exponents beside each other; 2: the same, and special values; 3: small integers; 4: as normally distributed numbers */
    int around, spread, c_around;
    bool coarse; /* few bits in C */
} inputs;

static uint32_t special_value(const struct format *f) {
    const uint32_t sign = (random_number() & 1) << (f->bits - 1), one = 1u << f->fraction,
                   top = ((1u << f->exponent_bits) - 1) << f->fraction;
    const uint32_t values[] = {0, 1, one - 1, one, one + 1, top, top - 1, top + 1, top | one >> 1, top + (random_number() & (one - 1))};
    return sign | values[random_number() % (sizeof values / sizeof *values)];
}

/* About a normally distributed number, times 2^around, cut. */
static uint32_t normal_element(enum kind kind, int around) {
    const struct format f = format_of(kind);
    int64_t sum = 0; /* times 2^30: of twelve numbers from -1/2 to 1/2 */
    for (unsigned i = 0; i < 12; i++)
        sum += (int64_t)(random_number() & 0x3fffffff) - 0x20000000;
    const uint64_t size = (uint64_t)(sum < 0 ? -sum : sum);
    const int length = size ? 64 - __builtin_clzll(size) : 0, most = (1 << f.exponent_bits) - 1 - !f.fnuz;
    int exponent = length - 31 + around + f.bias, last = length - 1 - f.fraction; /* of `size`: its last bit that stays */
    if (exponent < 1)
        last += 1 - exponent;
    if (exponent > most)
        exponent = most;
    const uint32_t integer = (uint32_t)(last > 63 ? 0 : last >= 0 ? size >> last : size << -last);
    return (sum < 0 ? 1u << (f.bits - 1) : 0) |
           (exponent < 1 ? integer : (uint32_t)exponent << f.fraction | (integer & ((1u << f.fraction) - 1)));
}

static uint32_t random_element(enum kind kind, int around) {
    const struct format f = format_of(kind);
    const int most = (1 << f.exponent_bits) - 1;
    uint32_t bits = random_number() & (uint32_t)((UINT64_C(1) << f.bits) - 1);
    if (inputs.style == 0)
        return bits;
    if (inputs.style == 3 && random_number() % 4 == 0)
        return 0;
    if (inputs.style == 4)
        return normal_element(kind, around) & (kind == F32 && inputs.coarse ? ~UINT32_C(0xfff) : ~0u);
    if (inputs.style == 2 && random_number() % 24 == 0)
        return special_value(&f);
    int exponent = around + f.bias + (int)(random_number() % (unsigned)(2 * inputs.spread + 1)) - inputs.spread;
    exponent = exponent < 0 ? 0 : exponent >= most ? most - !f.fnuz : exponent;
    if (random_number() % 8 == 0 || (inputs.style == 3 && kind != F32))
        bits &= ~((1u << (f.fraction - (inputs.style == 3 ? 2 : 0))) - 1);
    if (inputs.style == 3 && kind == F32 && inputs.coarse)
        bits &= ~UINT32_C(0xffff);
    return (bits & ~((uint32_t)most << f.fraction)) | (uint32_t)exponent << f.fraction;
}

static void fill(uint32_t (*registers)[64], unsigned count, enum kind kind, int around) {
    const unsigned bits = format_of(kind).bits;
    for (unsigned r = 0; r < count; r++)
        for (unsigned l = 0; l < 64; l++) {
            registers[r][l] = 0;
            for (unsigned e = 0; e < 32; e += bits)
                registers[r][l] |= random_element(kind, around) << e;
        }
}

static void choose_inputs(void) {
    const struct format f = format_of(row->a);
    const int range = 1 << (f.exponent_bits - 1);
    inputs.style = random_number() % 8 == 0 ? 0 : random_number() % 4 == 0 ? 2 + 2 * (random_number() & 1) : 1 + (random_number() & 2);
    inputs.coarse = random_number() & 1;
    inputs.around = (int)(random_number() % (unsigned)(2 * range)) - range;
    inputs.spread = (int)(random_number() % (inputs.style == 3 ? 4 : 13));
    inputs.c_around = 2 * inputs.around + (int)(random_number() % 49) - 24;
}

/* ---- the check ---- */

static void compare(unsigned count, const uint32_t *want) {
    for (unsigned r = 0; r < count; r++)
        for (unsigned l = 0; l < 64; l++) {
            const uint32_t got = lift_row(D_ROW + r)[l];
            if (got != want[r * 64 + l] && failures++ < 20)
                fprintf(stderr, "%s %s: register %u lane %u: %08x, expected %08x (C %08x, style %u)\n", processor, row->name, r, l, got,
                        want[r * 64 + l], c_in[r][l], inputs.style);
        }
}

static unsigned run_once(unsigned a_count, unsigned d_count, bool twice) {
    static uint32_t want[32 * 64];
    const unsigned b_count = a_count;
    choose_inputs();
    fill(a_in, a_count, row->a, inputs.around);
    fill(b_in, b_count, row->b, inputs.around);
    fill(c_in, d_count, F32, inputs.c_around);
    for (unsigned r = 0; r < a_count; r++)
        memcpy(lift_row(A_ROW + r), a_in[r], sizeof a_in[r]);
    for (unsigned r = 0; r < b_count; r++)
        memcpy(lift_row(B_ROW + r), b_in[r], sizeof b_in[r]);
    for (unsigned r = 0; r < d_count; r++)
        memcpy(lift_row(C_ROW + r), c_in[r], sizeof c_in[r]);
    for (unsigned block = 0; block < row->blocks; block++)
        for (unsigned i = 0; i < row->m; i++)
            for (unsigned j = 0; j < row->m; j++) {
                unsigned r, l;
                place(i, j, block, &r, &l);
                uint32_t sum = expected(i, j, block, c_in[r][l]);
                want[r * 64 + l] = twice ? expected(i, j, block, sum) : sum;
            }
    lift_execute(UINT64_MAX);
    compare(d_count, want);
    return d_count * 64;
}

/* `twice`: two instructions that add to the same D, which may be done at once. */
static void check(unsigned long sums, bool twice) {
    const unsigned a_count = row->m * row->k * row->blocks * format_of(row->a).bits / 32 / 64, d_count = row->m * row->m * row->blocks / 64;
    char factors[64], text[320];
    if (a_count == 1)
        snprintf(factors, sizeof factors, "v%d, v%d", A_ROW, B_ROW);
    else
        snprintf(factors, sizeof factors, "v[%d:%u], v[%d:%u]", A_ROW, A_ROW + a_count - 1, B_ROW, B_ROW + a_count - 1);
    const int length = snprintf(text, sizeof text, "%s a[0:%u], %s, a[%d:%u]\n", row->name, d_count - 1, factors, C_ROW - D_ROW,
                                C_ROW - D_ROW + d_count - 1);
    if (twice)
        snprintf(text + length, sizeof text - (size_t)length, "%s a[0:%u], %s, a[0:%u]\n", row->name, d_count - 1, factors, d_count - 1);
    lift_open(processor, 64, text);
    for (unsigned long done = 0; done < sums;)
        done += run_once(a_count, d_count, twice);
    lift_close();
}

int main(int count, char **arguments) {
    const unsigned long sums = count > 1 ? strtoul(arguments[1], NULL, 10) : 6000;
    const char *chosen = count > 2 ? arguments[2] : "gfx9";
    static const char *const processors[] = {"gfx908", "gfx90a", "gfx940", "gfx941", "gfx942"};
    unsigned instructions = 0;
    lift_start();
    for (unsigned p = 0; p < sizeof processors / sizeof *processors; p++)
        for (row = rows; row < rows + sizeof rows / sizeof *rows; row++) {
            processor = processors[p];
            const bool there = strstr(row->processors, processor) && !strncmp(processor, chosen, strlen(chosen));
            if (!there || row->family != MFMA || row->d != F32 || row->a == F32)
                continue;
            const unsigned before = failures;
            lift_matrix_sums = flushes() ? WL_SUMS_CHEAP : WL_SUMS_HARDWARE;
            check(sums, false);
            check(sums / 4, true);
            instructions++;
            if (failures != before)
                fprintf(stderr, "%s %s: %u failures\n", processor, row->name, failures - before);
        }
    printf("%u instructions, %lu sums of each and %lu of two, %u failures\n", instructions, sums, sums / 4, failures);
    return failures != 0 || !instructions;
}
