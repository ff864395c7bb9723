/* gfx1250's conversions of 8 and 16 numbers with a scale, each against its number as a double, rounded here by dividing by the last place; and its
 * tables of 16 numbers, bit by bit. In native code for two hosts and in threaded code (WL_TEST_STEPS), also where the result lies on sources. */
#include "isa/gfx1250.h"
#include "isa/number_formats.h"

enum { SOURCE = 8, SCALE = 24, SEED = 25, ROWS = 64, V = 256, SCALE_SGPR = 12 };

static const struct conversion {
    const char *name;
    unsigned opcode;
    const struct number_format *from, *to;
    unsigned numbers;
    bool random;
} conversions[] = {
    {"scalef32_sr_pk8_fp4_f32", 0x297, &f32, &fp4, 8, true},     {"scalef32_sr_pk8_fp8_f32", 0x298, &f32, &fp8, 8, true},
    {"scalef32_sr_pk8_bf8_f32", 0x299, &f32, &bf8, 8, true},     {"scale_pk8_f16_fp4", 0x29f, &fp4, &f16, 8, false},
    {"scale_pk8_bf16_fp4", 0x2a0, &fp4, &bf16, 8, false},        {"scale_pk8_f32_fp4", 0x2a1, &fp4, &f32, 8, false},
    {"scale_pk8_f16_fp8", 0x2a8, &fp8, &f16, 8, false},          {"scale_pk8_bf16_fp8", 0x2a9, &fp8, &bf16, 8, false},
    {"scale_pk8_f32_fp8", 0x2aa, &fp8, &f32, 8, false},          {"scale_pk8_f16_bf8", 0x2ab, &bf8, &f16, 8, false},
    {"scale_pk8_bf16_bf8", 0x2ac, &bf8, &bf16, 8, false},        {"scale_pk8_f32_bf8", 0x2ad, &bf8, &f32, 8, false},
    {"scalef32_pk8_fp4_f32", 0x2b0, &f32, &fp4, 8, false},       {"scalef32_pk8_fp4_f16", 0x2b3, &f16, &fp4, 8, false},
    {"scalef32_pk8_fp8_bf16", 0x2b4, &bf16, &fp8, 8, false},     {"scalef32_pk8_bf8_bf16", 0x2b5, &bf16, &bf8, 8, false},
    {"scalef32_pk8_fp4_bf16", 0x2b8, &bf16, &fp4, 8, false},     {"scalef32_sr_pk8_fp4_f16", 0x2b9, &f16, &fp4, 8, true},
    {"scalef32_sr_pk8_fp4_bf16", 0x2bc, &bf16, &fp4, 8, true},   {"scalef32_sr_pk8_fp8_f16", 0x2bf, &f16, &fp8, 8, true},
    {"scalef32_sr_pk8_fp8_bf16", 0x2c0, &bf16, &fp8, 8, true},   {"scalef32_sr_pk8_bf8_f16", 0x2c1, &f16, &bf8, 8, true},
    {"scalef32_sr_pk8_bf8_bf16", 0x2c2, &bf16, &bf8, 8, true},   {"scalef32_pk8_fp8_f32", 0x2c3, &f32, &fp8, 8, false},
    {"scalef32_pk8_fp8_f16", 0x2c4, &f16, &fp8, 8, false},       {"scalef32_pk8_bf8_f32", 0x2c5, &f32, &bf8, 8, false},
    {"scalef32_pk8_bf8_f16", 0x2c6, &f16, &bf8, 8, false},       {"scale_pk16_f16_fp6", 0x2c7, &fp6, &f16, 16, false},
    {"scale_pk16_bf16_fp6", 0x2c8, &fp6, &bf16, 16, false},      {"scale_pk16_f32_fp6", 0x2c9, &fp6, &f32, 16, false},
    {"scale_pk16_f16_bf6", 0x2ca, &bf6, &f16, 16, false},        {"scale_pk16_bf16_bf6", 0x2cb, &bf6, &bf16, 16, false},
    {"scale_pk16_f32_bf6", 0x2cc, &bf6, &f32, 16, false},        {"scalef32_pk16_fp6_f32", 0x2cd, &f32, &fp6, 16, false},
    {"scalef32_pk16_bf6_f32", 0x2ce, &f32, &bf6, 16, false},     {"scalef32_pk16_fp6_f16", 0x2cf, &f16, &fp6, 16, false},
    {"scalef32_pk16_bf6_f16", 0x2d0, &f16, &bf6, 16, false},     {"scalef32_pk16_fp6_bf16", 0x2d1, &bf16, &fp6, 16, false},
    {"scalef32_pk16_bf6_bf16", 0x2d2, &bf16, &bf6, 16, false},   {"scalef32_sr_pk16_fp6_f32", 0x2d3, &f32, &fp6, 16, true},
    {"scalef32_sr_pk16_bf6_f32", 0x2d4, &f32, &bf6, 16, true},   {"scalef32_sr_pk16_fp6_f16", 0x2d5, &f16, &fp6, 16, true},
    {"scalef32_sr_pk16_bf6_f16", 0x2d6, &f16, &bf6, 16, true},   {"scalef32_sr_pk16_fp6_bf16", 0x2d7, &bf16, &fp6, 16, true},
    {"scalef32_sr_pk16_bf6_bf16", 0x2d8, &bf16, &bf6, 16, true},
};

static uint32_t before[ROWS][GFX1250_LANES];

static void keep(void) {
    for (unsigned row = 0; row < ROWS; row++)
        memcpy(before[row], lift_row(row), sizeof before[row]);
}

/* `bits` bits of a register set, from bit `at` on. */
static uint32_t bits_at(uint32_t rows[][GFX1250_LANES], unsigned row, unsigned at, unsigned bits, unsigned lane) {
    uint32_t value = 0;
    for (unsigned i = 0; i < bits; i++)
        value |= (rows[row + (at + i) / 32][lane] >> (at + i) % 32 & 1) << i;
    return value;
}

static bool widens(const struct conversion *c) { return c->to->bits > c->from->bits; }

/* Most of them near to what the other format can have. */
static uint32_t random_code(const struct number_format *f, const struct number_format *other) {
    const uint32_t sign = (random_number() & 1) << (f->bits - 1);
    if (f->bits < 16)
        return random_number() & ((1u << f->bits) - 1);
    if (random_number() % 16 == 0)
        return sign | (random_number() % 2 ? f->overflow : f->nan);
    const int near = 1 - other->bias - (int)other->fraction - 2 + (int)(random_number() % (1u << (other->bits - other->fraction)));
    uint32_t digits = random_number() & ((1u << f->fraction) - 1);
    if (random_number() % 2) /* ties, and numbers that stay what they are */
        digits &= ~0u << (f->fraction - other->fraction - 1);
    const uint32_t code = (uint32_t)(near + f->bias < 0 ? 0 : near + f->bias) << f->fraction | digits;
    return sign | (code > f->most ? f->most : code);
}

static uint32_t random_exponent(void) {
    const uint32_t kind = random_number() % 8;
    return kind == 0 ? 255 : kind == 1 ? random_number() % 256 : 120 + random_number() % 16; /* about 1, mostly */
}

static void fill(const struct conversion *c) {
    for (unsigned row = 0; row < ROWS; row++)
        for (unsigned lane = 0; lane < GFX1250_LANES; lane++)
            lift_row(row)[lane] = random_number();
    for (unsigned n = 0; n < c->numbers && !widens(c); n++)
        for (unsigned lane = 0; lane < GFX1250_LANES; lane++) {
            const unsigned at = n * c->from->bits % 32;
            uint32_t *dword = &lift_row(SOURCE + n * c->from->bits / 32)[lane];
            const uint32_t mask = (uint32_t)((UINT64_C(1) << c->from->bits) - 1) << at;
            *dword = (*dword & ~mask) | random_code(c->from, c->to) << at;
        }
    for (unsigned lane = 0; lane < GFX1250_LANES; lane++)
        lift_row(SCALE)[lane] = widens(c) ? random_exponent() | random_exponent() << 8 | random_exponent() << 16 | random_exponent() << 24
                                          : (random_number() & 0x807fffff) | random_exponent() << 23;
    lift_scalars()[SCALE_SGPR] = widens(c) ? 0x7d807e81 : 0x40123456;
    keep();
}

/* The exponent that counts in a lane. Numbers lie as in a matrix of v_wmma_scale_*: lanes 16 to 31 have the block behind that of lanes 0 to 15. */
static unsigned exponent_of(const struct conversion *c, unsigned select, unsigned lane, bool scalar) {
    const unsigned upper = lane / 16;
    unsigned byte, holder;
    if (!widens(c))
        return (scalar ? lift_scalars()[SCALE_SGPR] : before[SCALE][lane]) >> 23 & 255;
    if (c->from->bits == 8) { /* blocks of 32 are two runs of 16 numbers, blocks of 16 one */
        byte = select / 2 % 4 + (select % 2 ? upper : 0);
        holder = lane % 16 + (select & 8 ? 16 : 0);
    } else { /* runs of 32 numbers: a block of 32, or two of 16 of which select says which */
        byte = select % 2 ? 2 * upper + select / 2 % 2 : select / 2 % 2 * 2 + upper;
        holder = lane % 16 + (select & 4 ? 16 : 0);
    }
    return (scalar ? lift_scalars()[SCALE_SGPR] : before[SCALE][holder]) >> 8 * byte & 255;
}

static uint32_t expected(const struct conversion *c, unsigned n, unsigned lane, unsigned exponent) {
    const uint32_t code = bits_at(before, SOURCE, n * c->from->bits, c->from->bits, lane);
    const bool no_scale = exponent == 255, saturates = lift_mode_register >> 23 & 1 && c->to->bits == 8;
    const double value = ldexp(value_of(c->from, code), widens(c) ? (int)exponent - 127 : 127 - (int)exponent);
    return c->random ? by_chance(c->to, value, before[SEED][lane], c->from->fraction, saturates, no_scale)
                     : nearest(c->to, value, saturates, no_scale);
}

static bool same_code(const struct number_format *f, uint32_t got, uint32_t want) {
    return got == want || (f->bits >= 16 && isnan(value_of(f, got)) && isnan(value_of(f, want)));
}

static void compare(const struct conversion *c, unsigned result, unsigned select, bool scalar, uint32_t exec) {
    static uint32_t after[ROWS][GFX1250_LANES];
    const unsigned dwords = c->numbers * c->to->bits / 32;
    char what[200];
    for (unsigned row = 0; row < ROWS; row++)
        memcpy(after[row], lift_row(row), sizeof after[row]);
    for (unsigned lane = 0; lane < GFX1250_LANES; lane++) {
        const bool active = exec >> lane & 1;
        for (unsigned row = 0; row < ROWS; row++)
            if (after[row][lane] != before[row][lane] && !(active && row >= result && row < result + dwords)) {
                snprintf(what, sizeof what, "v_cvt_%s to v%u: lane %u of v%u has changed", c->name, result, lane, row);
                fail(what);
                return;
            }
        for (unsigned n = 0; active && n < c->numbers; n++) {
            const uint32_t got = bits_at(after, result, n * c->to->bits, c->to->bits, lane);
            const unsigned exponent = exponent_of(c, select, lane, scalar);
            const uint32_t want = expected(c, n, lane, exponent);
            if (same_code(c->to, got, want))
                continue;
            snprintf(what, sizeof what, "v_cvt_%s to v%u, select %u: number %u of lane %u is %x, expected %x (from %x by 2^%d)", c->name,
                     result, select, n, lane, got, want, bits_at(before, SOURCE, n * c->from->bits, c->from->bits, lane),
                     (int)exponent - 127);
            fail(what);
            return;
        }
    }
}

static void run(const struct conversion *c, unsigned result, unsigned select, unsigned round) {
    const bool scalar = round % 3 == 2;
    const unsigned scale = scalar ? SCALE_SGPR : V + SCALE;
    const unsigned second = c->random ? V + SEED : scale, third = c->random ? scale : 0;
    uint32_t words[3] = {0xbf800000 /* s_nop 0 */, 0xd4000000u | c->opcode << 16 | select << 11 | result,
                         (V + SOURCE) | second << 9 | third << 18};
    open_words(words, 3, round % 2);
    for (unsigned i = 0; i < 4; i++) {
        const uint32_t exec = some_exec(round + i);
        lift_mode_register = 0xf0 | (i & 1 ? 1u << 23 : 0);
        fill(c);
        lift_execute(exec);
        checks++;
        compare(c, result, select, scalar, exec);
    }
    lift_close();
}

static void check_conversion(const struct conversion *c) {
    static const unsigned results[] = {40, SOURCE, SOURCE + 3, SOURCE - 1, SEED - 1}; /* beside the sources, and on them */
    for (unsigned i = 0; i < sizeof results / sizeof *results; i++)
        for (unsigned select = 0; select < (widens(c) ? 16 : 1); select++) {
            const bool known = c->from->bits == 8 ? select % 2 == 0 || select == 1 || select == 13 : select < 8;
            const bool beside = runs_all() || !widens(c) || select % 3 == c->opcode % 3, on = i == 1 + c->opcode % 4;
            if (known && (i == 0 ? beside : widens(c) ? select == i + 1 && (runs_all() || on) : on))
                run(c, results[i], select, i + select / 2 + c->opcode);
        }
}

/* ---- tables ---- */

static const struct table {
    const char *name;
    unsigned opcode, bits, low; /* low: bits of the table that are in the second source; the first one has the rest */
} tables[] = {{"b4", 0x23f, 4, 32}, {"b6", 0x242, 6, 64}, {"b8", 0x243, 8, 64}};

static void check_table(const struct table *t, unsigned result, unsigned round) {
    enum { HIGH = 8, LOW = 10, INDEX = 12 };
    uint32_t words[2] = {0xd4000000u | t->opcode << 16 | result, (V + HIGH) | (V + LOW) << 9 | (V + INDEX) << 18};
    const uint32_t exec = some_exec(round);
    char what[120];
    open_words(words, 2, round % 2);
    for (unsigned row = 0; row < ROWS; row++)
        for (unsigned lane = 0; lane < GFX1250_LANES; lane++)
            lift_row(row)[lane] = random_number();
    keep();
    lift_execute(exec);
    checks++;
    for (unsigned lane = 0; lane < GFX1250_LANES; lane++)
        for (unsigned at = 0; at < 16 * t->bits; at++) {
            const unsigned n = before[INDEX + at / t->bits / 8][lane] >> at / t->bits % 8 * 4 & 15, from = n * t->bits + at % t->bits;
            const uint32_t want = exec >> lane & 1
                                      ? from < t->low ? bits_at(before, LOW, from, 1, lane) : bits_at(before, HIGH, from - t->low, 1, lane)
                                      : before[result + at / 32][lane] >> at % 32 & 1;
            if ((lift_row(result + at / 32)[lane] >> at % 32 & 1) == want)
                continue;
            snprintf(what, sizeof what, "v_perm_pk16_%s_u4 to v%u: bit %u of lane %u is not %u", t->name, result, at, lane, want);
            fail(what);
            lift_close();
            return;
        }
    lift_close();
}

int main(int argc, char **argv) {
    static const unsigned results[] = {40, 8, 11, 7};
    lift_start();
    for (size_t i = 0; i < sizeof conversions / sizeof *conversions; i++)
        if (argc < 2 || strcmp(argv[1], conversions[i].name) == 0)
            check_conversion(&conversions[i]);
    for (unsigned i = 0; i < 3; i++)
        for (unsigned round = 0; round < 16; round++)
            check_table(&tables[i], results[round % 4], round);
    printf("%u checks, %u failures\n", checks, failures);
    return failures != 0;
}
