/* Conversions of 8-bit numbers and dot products of them: FNUZ on gfx94x, OCP on gfx12. The reference knows a format by the values
 * of its 256 codes alone: results are the nearest of them (ties to the even code), or for stochastic rounding one of the two
 * neighbours, chosen as documented. */
#include "../random_numbers.h"
#include "base/float_bits.h"
#include "translate/lift_run.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static const char *processor;
static unsigned wave, checks, failures;
static uint64_t exec;
static bool saturate, bf8;

static bool fnuz(void) { return processor[3] == '9'; }

static double value(unsigned code, bool is_bf8) {
    int fraction_bits = is_bf8 ? 2 : 3, bias = (is_bf8 ? 15 : 7) + fnuz();
    int exponent = (int)(code & 0x7f) >> fraction_bits, fraction = (int)code & ((1 << fraction_bits) - 1);
    double sign = code & 0x80 ? -1 : 1;
    if (fnuz() && code == 0x80)
        return NAN;
    if (!fnuz() && !is_bf8 && (code & 0x7f) == 0x7f)
        return NAN;
    if (!fnuz() && is_bf8 && exponent == 31)
        return fraction ? NAN : sign * INFINITY;
    if (exponent == 0)
        return sign * fraction * pow(2, 1 - bias - fraction_bits);
    return sign * (1 + fraction / pow(2, fraction_bits)) * pow(2, exponent - bias);
}

static unsigned largest(void) { return fnuz() ? 0x7f : bf8 ? 0x7b : 0x7e; }

static unsigned special(float x, bool *is_special) {
    unsigned sign = signbit(x) ? 0x80 : 0;
    *is_special = true;
    if (isnan(x))
        return fnuz() ? 0x80 : 0x7f | sign;
    if (isinf(x))
        return fnuz() ? 0x80 : bf8 ? 0x7c | sign : 0x7f | sign;
    *is_special = false;
    return 0;
}

static unsigned too_large(unsigned sign) {
    if (saturate)
        return largest() | sign;
    return fnuz() ? 0x80 : (bf8 ? 0x7c : 0x7f) | sign;
}

static unsigned with_sign(unsigned code, unsigned sign) { return fnuz() && code == 0 ? 0 : code | sign; }

/* The code below a magnitude (the largest if it is beyond). */
static unsigned floor_code(double size) {
    unsigned code = 0;
    while (code < largest() && value(code + 1, bf8) <= size)
        code++;
    return code;
}

static unsigned nearest(float x) {
    bool is_special;
    unsigned code = special(x, &is_special), sign = signbit(x) ? 0x80 : 0;
    if (is_special)
        return code;
    double size = fabs((double)x), step = value(largest(), bf8) - value(largest() - 1, bf8);
    code = floor_code(size);
    double low = value(code, bf8), high = code == largest() ? low + step : value(code + 1, bf8);
    bool up = size - low > high - size || (size - low == high - size && code & 1);
    if (code == largest() && (up || size >= high))
        return too_large(sign);
    return with_sign(code + up, sign);
}

/* The dropped part of the significand, as far as it reaches, plus the random bits: a carry rounds up. */
static unsigned stochastic(float x, uint32_t random) {
    bool is_special;
    unsigned code = special(x, &is_special), sign = signbit(x) ? 0x80 : 0, kept = bf8 ? 21 : 20;
    if (is_special)
        return code;
    double size = fabs((double)x), step = value(largest(), bf8) - value(largest() - 1, bf8);
    code = floor_code(size);
    double low = value(code, bf8), high = code == largest() ? low + step : value(code + 1, bf8);
    if (code == largest() && size >= high)
        return too_large(sign);
    double dropped = floor((size - low) / (high - low) * pow(2, kept));
    if (fpclassify(x) == FP_SUBNORMAL)
        dropped = 0;
    bool up = dropped + (random >> (32 - kept)) >= pow(2, kept);
    if (code == largest() && up)
        return too_large(sign);
    return with_sign(code + up, sign);
}

static uint32_t random_number(void) {
    static uint64_t state = 0x9e3779b97f4a7c15u;
    return (uint32_t)(next_random(&state) >> 20);
}

static uint32_t random_float(unsigned i) {
    static const uint32_t edges[] = {0, 0x80000000, 1, 0x807fffff, 0x7f800000, 0xff800000, 0x7fc00000, 0xff800001, 0x7f7fffff, 0xff7fffff};
    uint32_t r = random_number(), code = random_number() & 0xff;
    switch (i % 5) {
    case 0:
        return i % 8 == 0 ? edges[r % 10] : r;
    case 1: /* a value that exists, or its neighbour in f32 */
        return wl_float_bits((float)value(code, bf8)) + r % 3 - 1;
    case 2: /* a tie, or beside it */
        return (wl_float_bits((float)((value(code & 0x7f, bf8) + value((code & 0x7f) ^ 1, bf8)) / 2)) | (code & 0x80) << 24) +
               (r >> 8) % 3 - 1;
    case 3: /* the range of the format, and a little beyond */
        return (r & 0x807fffff) | (105 + (r >> 23 & 0xff) % 42) << 23;
    default:
        return wl_float_bits(value(largest(), bf8) * (1 + (r % 200 - 50.0f) / 1000)) | (r & 0x80000000);
    }
}

static bool same(uint32_t got, uint32_t want) {
    return got == want || (isnan(wl_bits_float(got)) && isnan(wl_bits_float(want)) && (got & 0x007fffff) && (want & 0x007fffff));
}

static void expect(const char *text, unsigned lane, uint32_t got, uint32_t want, bool is_float) {
    checks++;
    if (is_float ? same(got, want) : got == want)
        return;
    if (failures++ < 20)
        fprintf(stderr, "%s wave%u %s lane %u: v1 %08x v2 %08x: %08x, expected %08x\n", processor, wave, text, lane, lift_row(1)[lane],
                lift_row(2)[lane], got, want);
}

enum kind { DECODE, DECODE_PAIR, ENCODE, STOCHASTIC, DOT };

/* v4 (v[4:5]) becomes the conversion of v1 (and v2, v3); `part` is the byte or half that is read or written. */
static void check(const char *text, enum kind kind, bool is_bf8, unsigned part, bool second_bf8) {
    static const uint64_t execs[] = {UINT64_MAX, UINT64_C(0x8000a5a5f0ff0310)};
    bf8 = is_bf8;
    lift_open(processor, wave, text);
    for (unsigned round = 0; round < 24; round++) {
        uint32_t old[64];
        exec = execs[round & 1];
        saturate = round & 2;
        lift_mode_register = 0xf0 | (saturate ? 1u << 23 : 0) | (round & 4 ? 3 : 0); /* rounding towards zero has no influence */
        for (unsigned l = 0; l < wave; l++) {
            bool encodes = kind == ENCODE || kind == STOCHASTIC;
            lift_row(1)[l] = encodes       ? random_float(round * 64 + l)
                             : kind == DOT ? random_number() & 0x3f3f3f3f
                             : round < 4   ? (round * 64 + l) * 0x01010101u
                                           : random_number();
            lift_row(2)[l] = kind == ENCODE ? random_float(random_number() % 1000)
                             : kind == DOT  ? random_number() & 0xbfbfbfbf
                                            : random_number();
            lift_row(3)[l] = wl_float_bits((float)(int)random_number() * 0x1p-30f);
            old[l] = lift_row(4)[l] = random_number();
        }
        lift_execute(exec);
        for (unsigned l = 0; l < wave; l++) {
            uint32_t a = lift_row(1)[l], b = lift_row(2)[l], want = old[l], half;
            if (!(exec >> l & 1)) {
                expect(text, l, lift_row(4)[l], old[l], false);
                continue;
            }
            switch (kind) {
            case DECODE:
                expect(text, l, lift_row(4)[l], wl_float_bits((float)value(a >> 8 * part & 0xff, bf8)), true);
                break;
            case DECODE_PAIR:
                expect(text, l, lift_row(4)[l], wl_float_bits((float)value(a >> 16 * part & 0xff, bf8)), true);
                expect(text, l, lift_row(5)[l], wl_float_bits((float)value(a >> (16 * part + 8) & 0xff, bf8)), true);
                break;
            case ENCODE:
                half = nearest(wl_bits_float(a)) | nearest(wl_bits_float(b)) << 8;
                expect(text, l, lift_row(4)[l], part ? (want & 0xffff) | half << 16 : (want & 0xffff0000) | half, false);
                break;
            case STOCHASTIC:
                want = (want & ~(0xffu << 8 * part)) | stochastic(wl_bits_float(a), b) << 8 * part;
                expect(text, l, lift_row(4)[l], want, false);
                break;
            case DOT: {
                float sum = wl_bits_float(lift_row(3)[l]);
                for (unsigned i = 0; i < 4; i++)
                    sum = fmaf((float)value(a >> 8 * i & 0xff, bf8), (float)value(b >> 8 * i & 0xff, second_bf8), sum);
                if (!(round & 4))
                    expect(text, l, lift_row(4)[l], wl_float_bits(sum), true);
                break;
            }
            }
        }
    }
    lift_mode_register = 0xf0;
    lift_close();
}

static void check_format(const char *name, bool is_bf8) {
    char text[100];
#define CHECK(KIND, PART, ...)                                                                                                             \
    do {                                                                                                                                   \
        snprintf(text, sizeof text, __VA_ARGS__);                                                                                          \
        check(text, KIND, is_bf8, PART, false);                                                                                            \
    } while (0)
    CHECK(DECODE, 0, "v_cvt_f32_%s_e32 v4, v1\n", name);
    CHECK(DECODE_PAIR, 0, "v_cvt_pk_f32_%s_e32 v[4:5], v1\n", name);
    for (unsigned byte = 0; byte < 4; byte++)
        CHECK(DECODE, byte, fnuz() ? "v_cvt_f32_%s_sdwa v4, v1 src0_sel:BYTE_%u\n" : "v_cvt_f32_%s_e64 v4, v1 byte_sel:%u\n", name, byte);
    for (unsigned half = 0; half < 2; half++) {
        CHECK(DECODE_PAIR, half,
              fnuz() ? "v_cvt_pk_f32_%s_sdwa v[4:5], v1 src0_sel:WORD_%u\n" : "v_cvt_pk_f32_%s_e64 v[4:5], v1 op_sel:[%u,0]\n", name, half);
        CHECK(ENCODE, half, "v_cvt_pk_%s_f32 v4, v1, v2 op_sel:[0,0,%u]\n", name, half);
    }
    for (unsigned byte = 0; byte < 4; byte++) {
        if (fnuz())
            CHECK(STOCHASTIC, byte, "v_cvt_sr_%s_f32 v4, v1, v2 op_sel:[0,0,%u,%u]\n", name, byte & 1, byte >> 1);
        else
            CHECK(STOCHASTIC, byte, "v_cvt_sr_%s_f32 v4, v1, v2 byte_sel:%u\n", name, byte);
    }
}

int main(void) {
    static const char *const processors[] = {"gfx940", "gfx942", "gfx1200", "gfx1201"};
    lift_start();
    for (unsigned p = 0; p < sizeof processors / sizeof *processors; p++) {
        processor = processors[p];
        for (wave = fnuz() ? 64 : 32; wave <= 64; wave *= 2) {
            check_format("fp8", false);
            check_format("bf8", true);
            if (fnuz())
                continue;
            check("v_dot4_f32_fp8_fp8 v4, v1, v2, v3\n", DOT, false, 0, false);
            check("v_dot4_f32_fp8_bf8 v4, v1, v2, v3\n", DOT, false, 0, true);
            check("v_dot4_f32_bf8_fp8 v4, v1, v2, v3\n", DOT, true, 0, false);
            check("v_dot4_f32_bf8_bf8 v4, v1, v2, v3\n", DOT, true, 0, true);
        }
    }
    printf("%u checks, %u failures\n", checks, failures);
    return failures != 0 || !checks;
}
