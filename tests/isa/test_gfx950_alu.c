/* gfx950's instructions without scales that only calculate: any function of three bits, shifts that pack, least and greatest of three,
 * conversions of and to 16 bits, dot products. Each lane against a function of its own here. */
#include "base/float_bits.h"
#include "isa/gfx950.h"
#include "isa/number_formats.h"

enum { FIRST = 8, RESULT = 20, EXTRA_SGPR = 12 };

/* What a lane has, and what comes out of it. */
struct alu_lane {
    uint32_t s[3], old; /* `old`: of the result */
    unsigned op_sel;    /* as the instruction has it */
    uint32_t table;
};

/* The result in the half that op_sel's fourth bit names, beside what was there. */
static uint32_t in_half(const struct alu_lane *lane, uint32_t half) {
    return lane->op_sel & 8 ? (lane->old & 0xffff) | half << 16 : (lane->old & 0xffff0000) | half;
}

/* ---- integers ---- */

static uint32_t looked_up(const struct alu_lane *lane, uint32_t a, uint32_t b, uint32_t c, unsigned bits) {
    uint32_t result = 0;
    for (unsigned i = 0; i < bits; i++) {
        const unsigned at = (a >> i & 1) * 4 + (b >> i & 1) * 2 + (c >> i & 1);
        result |= (lane->table >> at & 1) << i;
    }
    return result;
}

static uint32_t bitop3_b32(const struct alu_lane *lane) { return looked_up(lane, lane->s[0], lane->s[1], lane->s[2], 32); }
static uint32_t bitop3_b16(const struct alu_lane *lane) {
    uint32_t half[3];
    for (unsigned i = 0; i < 3; i++)
        half[i] = lane->op_sel >> i & 1 ? lane->s[i] >> 16 : lane->s[i];
    return in_half(lane, looked_up(lane, half[0], half[1], half[2], 16));
}

static uint32_t shifted(const struct alu_lane *lane, int64_t least, int64_t most) {
    uint32_t result = 0;
    for (unsigned i = 0; i < 2; i++) {
        const double quotient = floor(ldexp((int32_t)lane->s[i], -(int)(lane->s[2] % 32)));
        const int64_t number = (int64_t)quotient;
        result |= (uint32_t)((number < least ? least : number > most ? most : number) & 0xff) << 8 * i;
    }
    return in_half(lane, result);
}
static uint32_t ashr_pk_i8(const struct alu_lane *lane) { return shifted(lane, -128, 127); }
static uint32_t ashr_pk_u8(const struct alu_lane *lane) { return shifted(lane, 0, 255); }

static uint32_t prng(const struct alu_lane *lane) {
    const uint64_t twice = (uint64_t)lane->s[0] * 2;
    return (uint32_t)twice ^ (twice >> 32 ? 0xc5 : 0);
}

/* ---- floats ---- */

static bool is_less(double a, double b) { return a < b || (a == b && signbit(a) && !signbit(b)); }
static double extreme(const double value[3], bool greatest) {
    double result = value[0];
    for (unsigned i = 0; i < 3; i++)
        if (isnan(value[i]))
            return NAN;
        else if (greatest ? is_less(result, value[i]) : is_less(value[i], result))
            result = value[i];
    return result;
}

static uint32_t extreme_f32(const struct alu_lane *lane, bool greatest) {
    const double value[3] = {wl_bits_float(lane->s[0]), wl_bits_float(lane->s[1]), wl_bits_float(lane->s[2])};
    return wl_float_bits((float)extreme(value, greatest));
}
static uint32_t minimum3_f32(const struct alu_lane *lane) { return extreme_f32(lane, false); }
static uint32_t maximum3_f32(const struct alu_lane *lane) { return extreme_f32(lane, true); }

static uint32_t extreme_f16(const struct alu_lane *lane, bool greatest) {
    uint32_t result = 0;
    for (unsigned half = 0; half < 32; half += 16) {
        double value[3];
        for (unsigned i = 0; i < 3; i++)
            value[i] = value_of(&f16, lane->s[i] >> half & 0xffff);
        result |= nearest(&f16, extreme(value, greatest), false, false) << half;
    }
    return result;
}
static uint32_t pk_minimum3_f16(const struct alu_lane *lane) { return extreme_f16(lane, false); }
static uint32_t pk_maximum3_f16(const struct alu_lane *lane) { return extreme_f16(lane, true); }

static uint32_t cvt_f32_bf16(const struct alu_lane *lane) { return wl_float_bits((float)value_of(&bf16, lane->s[0] & 0xffff)); }

static uint32_t pair_of(const struct number_format *f, const struct alu_lane *lane) {
    return nearest(f, wl_bits_float(lane->s[0]), false, false) | nearest(f, wl_bits_float(lane->s[1]), false, false) << 16;
}
static uint32_t cvt_pk_f16(const struct alu_lane *lane) { return pair_of(&f16, lane); }
static uint32_t cvt_pk_bf16(const struct alu_lane *lane) { return pair_of(&bf16, lane); }

static uint32_t cvt_sr_f16(const struct alu_lane *lane) {
    return in_half(lane, by_chance(&f16, wl_bits_float(lane->s[0]), lane->s[1], 23, false, false));
}
static uint32_t cvt_sr_bf16(const struct alu_lane *lane) {
    return in_half(lane, by_chance(&bf16, wl_bits_float(lane->s[0]), lane->s[1], 23, false, false));
}

static float dot(const struct alu_lane *lane, float sum) {
    for (unsigned half = 0; half < 32; half += 16)
        sum = fmaf((float)value_of(&bf16, lane->s[0] >> half & 0xffff), (float)value_of(&bf16, lane->s[1] >> half & 0xffff), sum);
    return sum;
}
static uint32_t dot2(const struct alu_lane *lane) { return wl_float_bits(dot(lane, wl_bits_float(lane->s[2]))); }
static uint32_t dot2c(const struct alu_lane *lane) { return wl_float_bits(dot(lane, wl_bits_float(lane->old))); }

/* ---- the instructions ---- */

enum alu_form { ALU_VOP1, ALU_VOP2, ALU_VOP3, ALU_VOP3P };

static const struct alu_instruction {
    const char *name;
    enum alu_form form;
    unsigned opcode, sources;
    const struct number_format *from, *to; /* NULL: bits; `to`: of the two halves, or of the whole */
    uint32_t (*reference)(const struct alu_lane *lane);
    unsigned op_sel; /* its bits that mean something */
    bool has_table;
} instructions[] = {
    {"v_bitop3_b32", ALU_VOP3, 0x234, 3, NULL, NULL, bitop3_b32, 0, true},
    {"v_bitop3_b16", ALU_VOP3, 0x233, 3, NULL, NULL, bitop3_b16, 15, true},
    {"v_ashr_pk_i8_i32", ALU_VOP3, 0x265, 3, NULL, NULL, ashr_pk_i8, 8, false},
    {"v_ashr_pk_u8_i32", ALU_VOP3, 0x266, 3, NULL, NULL, ashr_pk_u8, 8, false},
    {"v_prng_b32", ALU_VOP1, 0x58, 1, NULL, NULL, prng, 0, false},
    {"v_prng_b32_e64", ALU_VOP3, 0x198, 1, NULL, NULL, prng, 0, false},
    {"v_minimum3_f32", ALU_VOP3, 0x2a8, 3, &f32, &f32, minimum3_f32, 0, false},
    {"v_maximum3_f32", ALU_VOP3, 0x2a9, 3, &f32, &f32, maximum3_f32, 0, false},
    {"v_pk_minimum3_f16", ALU_VOP3P, 0x1b, 3, &f16, &f16, pk_minimum3_f16, 0, false},
    {"v_pk_maximum3_f16", ALU_VOP3P, 0x1c, 3, &f16, &f16, pk_maximum3_f16, 0, false},
    {"v_cvt_f32_bf16", ALU_VOP1, 0x5b, 1, &bf16, &f32, cvt_f32_bf16, 0, false},
    {"v_cvt_f32_bf16_e64", ALU_VOP3, 0x19b, 1, &bf16, &f32, cvt_f32_bf16, 0, false},
    {"v_cvt_pk_f16_f32", ALU_VOP3, 0x267, 2, &f32, &f16, cvt_pk_f16, 0, false},
    {"v_cvt_pk_bf16_f32", ALU_VOP3, 0x268, 2, &f32, &bf16, cvt_pk_bf16, 0, false},
    {"v_cvt_sr_f16_f32", ALU_VOP3, 0x2a6, 2, &f32, &f16, cvt_sr_f16, 8, false},
    {"v_cvt_sr_bf16_f32", ALU_VOP3, 0x2a7, 2, &f32, &bf16, cvt_sr_bf16, 8, false},
    {"v_dot2_f32_bf16", ALU_VOP3P, 0x1a, 3, &bf16, &f32, dot2, 0, false},
    {"v_dot2c_f32_bf16", ALU_VOP2, 0x16, 2, &bf16, &f32, dot2c, 0, false},
    {"v_dot2c_f32_bf16_e64", ALU_VOP3, 0x116, 2, &bf16, &f32, dot2c, 0, false},
};

static unsigned put_words(uint32_t words[2], const struct alu_instruction *in, unsigned op_sel, unsigned table, unsigned first) {
    const unsigned second = in->sources > 1 ? GFX950_V + FIRST + 1 : 0, third = in->sources > 2 ? GFX950_V + FIRST + 2 : 0;
    switch (in->form) {
    case ALU_VOP1:
        words[0] = 0x7e000000 | RESULT << 17 | in->opcode << 9 | first;
        return 1;
    case ALU_VOP2:
        words[0] = in->opcode << 25 | RESULT << 17 | (FIRST + 1) << 9 | first;
        return 1;
    case ALU_VOP3P:
        put_vop3p(words, in->opcode, RESULT, first, second, third);
        return 2;
    case ALU_VOP3:
        break;
    }
    put_vop3(words, in->opcode, RESULT, first, second, third, op_sel);
    words[0] |= (table >> 3 & 7) << 8;
    words[1] |= (table >> 6) << 27 | (table & 7) << 29;
    return 2;
}

static uint32_t random_float(const struct number_format *f) {
    static const uint32_t f32s[] = {0, 0x80000000, 1, 0x80000001, 0x7f800000, 0xff800000, 0x7fc00000, 0x3f800000, 0x33800000, 0x477ff000};
    static const uint32_t f16s[] = {0, 0x8000, 1, 0x8001, 0x7c00, 0xfc00, 0x7e00, 0x3c00};
    const uint32_t any = random_number(), kind = random_number() % 16;
    if (f == &f32)
        return kind < sizeof f32s / sizeof *f32s ? f32s[kind] : (any & 0x80ffffff) | (100 + random_number() % 44) << 23;
    if (f == &f16 && kind < 8)
        return f16s[kind] | random_number() << 16;
    return f == &bf16 && kind < 12 ? (any & 0x83ff83ff) | 0x3c003c00 : any;
}

/* Bits of NaN are the machine's choice. */
static bool is_same(const struct alu_instruction *in, uint32_t got, uint32_t want) {
    if (!in->to || got == want)
        return got == want;
    if (in->to->bits == 32)
        return isnan(value_of(&f32, got)) && isnan(value_of(&f32, want));
    for (unsigned half = 0; half < 32; half += 16) {
        const uint32_t mine = got >> half & 0xffff, other = want >> half & 0xffff;
        if (mine != other && !(isnan(value_of(in->to, mine)) && isnan(value_of(in->to, other))))
            return false;
    }
    return true;
}

static void check_lanes(const struct alu_instruction *in, unsigned op_sel, unsigned table, unsigned round, bool scalar) {
    uint32_t before[4][GFX950_LANES];
    char what[160];
    for (unsigned lane = 0; lane < GFX950_LANES; lane++) {
        for (unsigned i = 0; i < 3; i++)
            lift_row(FIRST + i)[lane] = in->from ? random_float(in->from) : random_number();
        if (in->reference == cvt_sr_f16 || in->reference == cvt_sr_bf16)
            lift_row(FIRST + 1)[lane] = random_number();
        if (in->reference == dot2)
            lift_row(FIRST + 2)[lane] = random_float(&f32);
        lift_row(RESULT)[lane] = in->reference == dot2c ? random_float(&f32) : random_number();
        for (unsigned i = 0; i < 3; i++)
            before[i][lane] = lift_row(FIRST + i)[lane];
        before[3][lane] = lift_row(RESULT)[lane];
    }
    lift_scalars()[EXTRA_SGPR] = in->from ? random_float(in->from) : random_number();
    const uint32_t scalar_was = lift_scalars()[EXTRA_SGPR];
    const uint64_t exec = some_exec(round);
    lift_execute(exec);
    for (unsigned lane = 0; lane < GFX950_LANES; lane++) {
        const struct alu_lane at = {.s = {scalar ? scalar_was : before[0][lane], before[1][lane], before[2][lane]},
                                    .old = before[3][lane],
                                    .op_sel = op_sel,
                                    .table = table};
        const uint32_t got = lift_row(RESULT)[lane], want = exec >> lane & 1 ? in->reference(&at) : at.old;
        if (is_same(in, got, want))
            continue;
        snprintf(what, sizeof what, "%s op_sel %u table %x, lane %u: of %08x %08x %08x (was %08x) comes %08x, expected %08x", in->name,
                 op_sel, table, lane, at.s[0], at.s[1], at.s[2], at.old, got, want);
        fail(what);
        return;
    }
}

static void check(const struct alu_instruction *in, unsigned op_sel, unsigned table, unsigned round) {
    uint32_t words[2];
    const bool scalar = round % 3 == 2;
    const unsigned count = put_words(words, in, op_sel, table, scalar ? EXTRA_SGPR : GFX950_V + FIRST);
    open_words(words, count, round % 2);
    for (unsigned n = 0; n < 4; n++, checks++)
        check_lanes(in, op_sel, table, round + n, scalar);
    lift_close();
}

int main(void) {
    lift_start();
    for (size_t i = 0; i < sizeof instructions / sizeof *instructions; i++) {
        const struct alu_instruction *in = &instructions[i];
        unsigned round = 0;
        for (unsigned op_sel = 0; op_sel < 16; op_sel++) {
            if (op_sel & ~in->op_sel)
                continue;
            for (unsigned n = 0; n < (in->has_table && !op_sel ? 12 : 3); n++, round++)
                check(in, op_sel, !in->has_table ? 0 : n < 8 && !op_sel ? 1u << n : random_number() % 256, round);
        }
    }
    printf("%u checks, %u failures\n", checks, failures);
    return failures != 0;
}
