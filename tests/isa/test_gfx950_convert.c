/* gfx950's conversions with scales: each against its number as a double, rounded here by dividing by the last place. All forms of op_sel, in
 * native code for two hosts, threaded code (WL_TEST_STEPS) and, with a GPU, PTX. */
#include "isa/gfx950.h"
#include "isa/number_formats.h"

#include <stdlib.h>

/* One number a lane, two, or 32; from one register (set) or two; at random. */
static const struct conversion {
    const char *name;
    unsigned opcode;
    const struct number_format *from, *to;
    unsigned numbers, sources;
    bool random;
} conversions[] = {
    {"pk_fp8_f32", 0x235, &f32, &fp8, 2, 2, false},        {"pk_bf8_f32", 0x236, &f32, &bf8, 2, 2, false},
    {"sr_fp8_f32", 0x237, &f32, &fp8, 1, 1, true},         {"sr_bf8_f32", 0x238, &f32, &bf8, 1, 1, true},
    {"pk_f32_fp8", 0x239, &fp8, &f32, 2, 1, false},        {"pk_f32_bf8", 0x23a, &bf8, &f32, 2, 1, false},
    {"f32_fp8", 0x23b, &fp8, &f32, 1, 1, false},           {"f32_bf8", 0x23c, &bf8, &f32, 1, 1, false},
    {"pk_fp4_f32", 0x23d, &f32, &fp4, 2, 2, false},        {"sr_pk_fp4_f32", 0x23e, &f32, &fp4, 2, 1, true},
    {"pk_f32_fp4", 0x23f, &fp4, &f32, 2, 1, false},        {"pk_fp8_f16", 0x240, &f16, &fp8, 2, 1, false},
    {"pk_bf8_f16", 0x241, &f16, &bf8, 2, 1, false},        {"sr_fp8_f16", 0x242, &f16, &fp8, 1, 1, true},
    {"sr_bf8_f16", 0x243, &f16, &bf8, 1, 1, true},         {"pk_fp8_bf16", 0x244, &bf16, &fp8, 2, 1, false},
    {"pk_bf8_bf16", 0x245, &bf16, &bf8, 2, 1, false},      {"sr_fp8_bf16", 0x246, &bf16, &fp8, 1, 1, true},
    {"sr_bf8_bf16", 0x247, &bf16, &bf8, 1, 1, true},       {"pk_f16_fp8", 0x248, &fp8, &f16, 2, 1, false},
    {"pk_f16_bf8", 0x249, &bf8, &f16, 2, 1, false},        {"f16_fp8", 0x24a, &fp8, &f16, 1, 1, false},
    {"f16_bf8", 0x24b, &bf8, &f16, 1, 1, false},           {"pk_fp4_f16", 0x24c, &f16, &fp4, 2, 1, false},
    {"pk_fp4_bf16", 0x24d, &bf16, &fp4, 2, 1, false},      {"sr_pk_fp4_f16", 0x24e, &f16, &fp4, 2, 1, true},
    {"sr_pk_fp4_bf16", 0x24f, &bf16, &fp4, 2, 1, true},    {"pk_f16_fp4", 0x250, &fp4, &f16, 2, 1, false},
    {"pk_bf16_fp4", 0x251, &fp4, &bf16, 2, 1, false},      {"2xpk16_fp6_f32", 0x252, &f32, &fp6, 32, 2, false},
    {"2xpk16_bf6_f32", 0x253, &f32, &bf6, 32, 2, false},   {"sr_pk32_fp6_f32", 0x254, &f32, &fp6, 32, 1, true},
    {"sr_pk32_bf6_f32", 0x255, &f32, &bf6, 32, 1, true},   {"pk32_f32_fp6", 0x256, &fp6, &f32, 32, 1, false},
    {"pk32_f32_bf6", 0x257, &bf6, &f32, 32, 1, false},     {"pk32_fp6_f16", 0x258, &f16, &fp6, 32, 1, false},
    {"pk32_fp6_bf16", 0x259, &bf16, &fp6, 32, 1, false},   {"pk32_bf6_f16", 0x25a, &f16, &bf6, 32, 1, false},
    {"pk32_bf6_bf16", 0x25b, &bf16, &bf6, 32, 1, false},   {"sr_pk32_fp6_f16", 0x25c, &f16, &fp6, 32, 1, true},
    {"sr_pk32_fp6_bf16", 0x25d, &bf16, &fp6, 32, 1, true}, {"sr_pk32_bf6_f16", 0x25e, &f16, &bf6, 32, 1, true},
    {"sr_pk32_bf6_bf16", 0x25f, &bf16, &bf6, 32, 1, true}, {"pk32_f16_fp6", 0x260, &fp6, &f16, 32, 1, false},
    {"pk32_bf16_fp6", 0x261, &fp6, &bf16, 32, 1, false},   {"pk32_f16_bf6", 0x262, &bf6, &f16, 32, 1, false},
    {"pk32_bf16_bf6", 0x263, &bf6, &bf16, 32, 1, false},   {"pk_bf16_fp8", 0x269, &fp8, &bf16, 2, 1, false},
    {"pk_bf16_bf8", 0x26a, &bf8, &bf16, 2, 1, false},
};

enum { SOURCE = 8, SECOND = 40, SCALE = 60, SEED = 61, RESULT = 64, SCALE_SGPR = 12 };

/* ---- registers ---- */

static uint32_t get_code(const struct number_format *f, unsigned row, unsigned n, unsigned lane) {
    const unsigned at = n * f->bits, shift = at % 32;
    uint64_t both = lift_row(row + at / 32)[lane];
    if (shift + f->bits > 32)
        both |= (uint64_t)lift_row(row + at / 32 + 1)[lane] << 32;
    return (uint32_t)(both >> shift) & (uint32_t)((UINT64_C(1) << f->bits) - 1);
}

/* Of the format, most of them near to what the other one can have. */
static uint32_t random_code(const struct number_format *f, const struct number_format *other) {
    const uint32_t sign = random_number() << 31 >> (32 - f->bits);
    if (f->bits < 16)
        return random_number() & ((1u << f->bits) - 1);
    if (random_number() % 16 == 0)
        return sign | (random_number() % 2 ? f->overflow : f->nan);
    if (random_number() % 16 == 0)
        return sign | (random_number() & ((1u << f->fraction) - 1));
    const int near = 1 - other->bias - (int)other->fraction - 2 + (int)(random_number() % (1u << (other->bits - other->fraction)));
    const int exponent = near + f->bias < 0 ? 0 : near + f->bias;
    uint32_t digits = random_number() & ((1u << f->fraction) - 1);
    if (random_number() % 2) /* ties, and numbers that stay what they are */
        digits &= ~0u << (f->fraction - other->fraction - 1);
    const uint32_t code = (uint32_t)exponent << f->fraction | digits;
    return sign | (code > f->most ? f->most : code);
}

/* A source's number `n`, of all that the instruction takes. */
static uint32_t source_code(const struct conversion *c, unsigned n, unsigned lane, unsigned part) {
    if (c->sources == 2)
        return get_code(c->from, n % 2 ? SECOND : SOURCE, n / 2, lane);
    return get_code(c->from, SOURCE, part * c->numbers + n, lane);
}

static void fill_registers(const struct conversion *c) {
    for (unsigned row = SOURCE; row < RESULT + 32; row++)
        for (unsigned lane = 0; lane < GFX950_LANES; lane++)
            lift_row(row)[lane] = random_number();
    for (unsigned set = 0; set < 2 && c->from->bits >= 16; set++)
        for (unsigned n = 0; n < 16; n++)
            for (unsigned lane = 0; lane < GFX950_LANES; lane++)
                for (unsigned half = 0; half < 2; half++) {
                    uint32_t *dword = &lift_row(set ? SECOND + n : SOURCE + n + (half && c->from->bits == 32 ? 16 : 0))[lane];
                    const uint32_t code = random_code(c->from, c->to);
                    if (c->from->bits == 32)
                        *dword = code;
                    else
                        *dword = (*dword & 0xffff0000u >> 16 * half) | code << 16 * half;
                }
    for (unsigned lane = 0; lane < GFX950_LANES; lane++) { /* about 1, mostly */
        const uint32_t kind = random_number() % 8, exponent = kind == 0   ? 255
                                                              : kind == 1 ? random_number() % 256
                                                                          : 120 + random_number() % 16;
        lift_row(SCALE)[lane] = (random_number() & 0x807fffff) | exponent << 23;
    }
    lift_scalars()[SCALE_SGPR] = 0x40123456;
}

/* ---- one instruction ---- */

static unsigned numbers_bits(const struct conversion *c, const struct number_format *f) { return c->numbers * f->bits; }

static double scaled(const struct conversion *c, uint32_t code, uint32_t scale) {
    const int by = (int)(scale >> 23 & 255) - 127;
    return ldexp(value_of(c->from, code), c->to->bits > c->from->bits ? by : -by);
}

static uint32_t expected_code(const struct conversion *c, uint32_t code, uint32_t scale, uint32_t seed) {
    const bool no_scale = (scale >> 23 & 255) == 255, saturates = lift_mode_register >> 23 & 1 && c->to->bits == 8;
    const double value = scaled(c, code, scale);
    if (c->random)
        return by_chance(c->to, value, seed, c->from->fraction, saturates, no_scale);
    return nearest(c->to, value, saturates, no_scale);
}

/* Bits of NaN are the machine's choice where there are many. */
static bool same_code(const struct number_format *f, uint32_t got, uint32_t want) {
    return got == want || (f->bits >= 16 && isnan(value_of(f, got)) && isnan(value_of(f, want)));
}

static void check_lane(const struct conversion *c, unsigned lane, unsigned source_part, unsigned result_part,
                       uint32_t old[32][GFX950_LANES], uint32_t scale, const char *what) {
    char text[200];
    const unsigned bits = numbers_bits(c, c->to), first = bits < 32 ? result_part * bits : 0;
    const uint32_t seed = lift_row(SEED)[lane];
    for (unsigned n = 0; n < c->numbers; n++) {
        const uint32_t code = source_code(c, n, lane, source_part), want = expected_code(c, code, scale, seed);
        const uint32_t got = get_code(c->to, RESULT, n + first / c->to->bits, lane);
        if (!same_code(c->to, got, want)) {
            snprintf(text, sizeof text, "v_cvt_scalef32_%s, %s: lane %u number %u: %x with scale %08x and seed %08x gives %x, expected %x",
                     c->name, what, lane, n, code, scale, seed, got, want);
            fail(text);
            return;
        }
    }
    if (bits < 32) { /* the rest of the register stays */
        const uint32_t mask = ((1u << bits) - 1) << first;
        if ((lift_row(RESULT)[lane] ^ old[0][lane]) & ~mask) {
            snprintf(text, sizeof text, "v_cvt_scalef32_%s, %s: lane %u: more than the result has changed", c->name, what, lane);
            fail(text);
        }
    }
}

static void run(const struct conversion *c, unsigned source_part, unsigned result_part, unsigned round) {
    static uint32_t old[32][GFX950_LANES];
    const bool scalar = round % 3 == 2, plain = round % 2;
    const unsigned sources[] = {GFX950_V + SOURCE, GFX950_V + SECOND, c->random ? GFX950_V + SEED : 0};
    const unsigned scale = scalar ? SCALE_SGPR : GFX950_V + SCALE;
    const unsigned operands[3] = {sources[0],
                                  c->random         ? sources[2]
                                  : c->sources == 2 ? sources[1]
                                                    : scale,
                                  c->random || c->sources == 2 ? scale : 0};
    const unsigned part_bits = numbers_bits(c, c->to), in_source = c->to->bits > c->from->bits ? source_part : 0;
    const unsigned in_result = part_bits == 16 ? result_part << 3 : part_bits == 8 ? result_part << 2 : 0;
    const unsigned copies = c->numbers == 32 && round == 5 ? 10 : 1; /* more than a basic block has, in pieces */
    uint32_t words[21] = {0xbf800000};                               /* s_nop: no number of pieces of one kind ends where a block would */
    char what[80];
    snprintf(what, sizeof what, "parts %u and %u, round %u", source_part, result_part, round);
    put_vop3(words + 1, c->opcode, RESULT, operands[0], operands[1], operands[2], in_source | in_result);
    lift_mode_register = 0xf0 | (round & 1 ? 1u << 23 : 0);
    for (unsigned i = 1; i < copies; i++)
        memcpy(words + 1 + 2 * i, words + 1, 2 * sizeof *words);
    open_words(words, 1 + 2 * copies, plain);
    fill_registers(c);
    for (unsigned row = 0; row < 32; row++)
        memcpy(old[row], lift_row(RESULT + row), sizeof old[row]);
    const uint64_t exec = some_exec(round);
    lift_execute(exec);
    checks++;
    for (unsigned lane = 0; lane < GFX950_LANES; lane++)
        if (exec >> lane & 1)
            check_lane(c, lane, in_source, result_part, old, scalar ? lift_scalars()[SCALE_SGPR] : lift_row(SCALE)[lane], what);
        else
            for (unsigned row = 0; row < 32; row++)
                if (lift_row(RESULT + row)[lane] != old[row][lane])
                    fail("a lane that is off has changed");
    lift_close();
}

/* Conversions of 32 numbers whose result lies on sources give what they give elsewhere. */
static void check_overlap(const struct conversion *c, unsigned result, unsigned round) {
    enum { ROWS = RESULT + 32 };
    static uint32_t start[ROWS][GFX950_LANES], elsewhere[32][GFX950_LANES];
    const unsigned second = GFX950_V + (c->random ? SEED : c->sources == 2 ? SECOND : SCALE), third = GFX950_V + SCALE;
    const uint64_t exec = some_exec(round);
    char what[120];
    lift_mode_register = 0xf0;
    for (unsigned pass = 0; pass < 2; pass++) {
        uint32_t words[2];
        put_vop3(words, c->opcode, pass ? result : RESULT, GFX950_V + SOURCE, second, c->random || c->sources == 2 ? third : 0, 0);
        open_words(words, 2, round % 2);
        if (!pass)
            fill_registers(c);
        for (unsigned row = 0; row < ROWS; row++)
            memcpy(pass ? lift_row(row) : start[row], pass ? start[row] : lift_row(row), sizeof start[row]);
        lift_execute(exec);
        for (unsigned row = 0; row < 32 && !pass; row++)
            memcpy(elsewhere[row], lift_row(RESULT + row), sizeof elsewhere[row]);
        if (!pass)
            lift_close();
    }
    checks++;
    for (unsigned row = 0; row < numbers_bits(c, c->to) / 32; row++)
        for (unsigned lane = 0; lane < GFX950_LANES; lane++)
            if (lift_row(result + row)[lane] != (exec >> lane & 1 ? elsewhere[row][lane] : start[result + row][lane])) {
                snprintf(what, sizeof what, "v_cvt_scalef32_%s to v%u: lane %u of dword %u is another", c->name, result, lane, row);
                fail(what);
                lift_close();
                return;
            }
    lift_close();
}

static unsigned parts_of(unsigned bits) { return bits < 32 ? 32 / bits : 1; }

int main(int argc, char **argv) {
    lift_start();
    for (size_t i = 0; i < sizeof conversions / sizeof *conversions; i++) {
        const struct conversion *c = &conversions[i];
        const bool widens = c->to->bits > c->from->bits;
        const unsigned from = widens ? parts_of(numbers_bits(c, c->from)) : 1, to = parts_of(numbers_bits(c, c->to));
        if (argc > 1 && strcmp(argv[1], c->name) != 0)
            continue;
        static const unsigned overlapping[] = {SOURCE, SOURCE + 3, SCALE - 2};
        for (unsigned o = 0; o < 3 && c->numbers == 32; o++)
            if (runs_all() || o == i % 3)
                check_overlap(c, overlapping[o], (unsigned)i + o);
        for (unsigned round = 0; round < (from * to == 1 ? 6 : 3); round++)
            for (unsigned s = 0; s < from; s++)
                for (unsigned r = 0; r < to; r++)
                    if (runs_all() || (from * to == 1 ? round % 3 == 2 || round == i % 2 : round == (i + s + r) % 3))
                        run(c, s, r, round + s + r);
    }
    printf("%u checks, %u failures\n", checks, failures);
    return failures != 0;
}
