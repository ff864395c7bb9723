/* Typed buffer accesses: every format of every generation, by its name in the assembler, against conversions of numbers. */
#include "assembler.h"
#include "base/float_bits.h"
#include "memory_run.h"
#include "translate/interface/coverage.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

/* ---- formats ---- */

enum { UNORM = 1, SNORM = 2, USCALED = 4, SSCALED = 8, UINT = 16, SINT = 32, FLOAT = 64, NORMS = 15, INTS = 48 };
static const char *const kind_names[] = {"UNORM", "SNORM", "USCALED", "SSCALED", "UINT", "SINT", "FLOAT"};

static const struct data { /* in the order of gfx9's numbers, from 1; bits of x, y, z, w from the lowest up */
    const char *name;
    uint8_t bits[4];
    uint8_t kinds, kinds11; /* gfx9 and gfx10; gfx11 and later */
} data_formats[] = {
    {"8", {8}, NORMS | INTS, NORMS | INTS},
    {"16", {16}, 127, 127},
    {"8_8", {8, 8}, NORMS | INTS, NORMS | INTS},
    {"32", {32}, INTS | FLOAT, INTS | FLOAT},
    {"16_16", {16, 16}, 127, 127},
    {"10_11_11", {11, 11, 10}, 127, FLOAT},
    {"11_11_10", {10, 11, 11}, 127, FLOAT},
    {"10_10_10_2", {2, 10, 10, 10}, NORMS | INTS, UNORM | SNORM | INTS},
    {"2_10_10_10", {10, 10, 10, 2}, NORMS | INTS, NORMS | INTS},
    {"8_8_8_8", {8, 8, 8, 8}, NORMS | INTS, NORMS | INTS},
    {"32_32", {32, 32}, INTS | FLOAT, INTS | FLOAT},
    {"16_16_16_16", {16, 16, 16, 16}, 127, 127},
    {"32_32_32", {32, 32, 32}, INTS | FLOAT, INTS | FLOAT},
    {"32_32_32_32", {32, 32, 32, 32}, INTS | FLOAT, INTS | FLOAT},
};

struct format {
    const struct data *data;
    unsigned kind; /* one of UNORM ... */
    unsigned size; /* bytes */
};

/* ---- numbers ---- */

/* A float of 5 exponent bits without sign (10, 11 bits) or with one (16). */
static double small_float(uint32_t raw, unsigned width) {
    unsigned mantissa_bits = width == 16 ? 10 : width - 5, exponent = raw >> mantissa_bits & 31;
    double mantissa = raw & ((1u << mantissa_bits) - 1), value;
    if (exponent == 31)
        value = mantissa != 0 ? NAN : INFINITY;
    else
        value = exponent ? ldexp(ldexp(1, (int)mantissa_bits) + mantissa, (int)exponent - 15 - (int)mantissa_bits)
                         : ldexp(mantissa, -14 - (int)mantissa_bits);
    return width == 16 && raw & 0x8000 ? -value : value;
}

/* To nearest even for 16 bits, towards zero for fewer, where negative numbers become 0: the code is searched for. */
static uint32_t encode_small(double value, unsigned width) {
    unsigned mantissa_bits = width == 16 ? 10 : width - 5;
    uint32_t infinity = 31u << mantissa_bits, sign = width == 16 && signbit(value) ? 0x8000 : 0, low = 0, high = infinity;
    if (isnan(value))
        return sign | infinity | 1;
    if (width < 16 && value < 0)
        return 0;
    value = fabs(value);
    if (isinf(value))
        return sign | infinity;
    while (high - low > 1) { /* low's value <= value < high's */
        uint32_t middle = (low + high) / 2;
        *(small_float(middle, width) <= value ? &low : &high) = middle;
    }
    if (width < 16)
        return low;
    double above = high == infinity ? 65536 : small_float(high, 16), below = small_float(low, 16);
    return sign | (value - below > above - value || (value - below == above - value && low & 1) ? high : low);
}

/* The same as a float's bits: a NaN keeps its own. */
static uint32_t small_bits(uint32_t raw, unsigned width) {
    unsigned mantissa_bits = width == 16 ? 10 : width - 5;
    double value = small_float(raw, width);
    uint32_t sign = width == 16 ? raw >> 15 << 31 : 0;
    return isnan(value) ? sign | 0x7f800000 | (raw & ((1u << mantissa_bits) - 1)) << (23 - mantissa_bits) : wl_float_bits((float)value);
}

static uint32_t sign_extended(uint32_t raw, unsigned bits) { return bits < 32 && raw >> (bits - 1) & 1 ? raw | ~0u << bits : raw; }

static uint32_t decode(uint32_t raw, unsigned bits, unsigned kind) {
    double scale = ldexp(1, (int)bits) - 1, signed_scale = ldexp(1, (int)bits - 1) - 1, value = (int32_t)sign_extended(raw, bits);
    switch (kind) {
    case UNORM:
        return wl_float_bits((float)(raw / scale));
    case SNORM:
        return wl_float_bits((float)(value < -signed_scale ? -1 : value / signed_scale));
    case USCALED:
        return wl_float_bits((float)raw);
    case SSCALED:
        return wl_float_bits((float)value);
    case UINT:
        return raw;
    case SINT:
        return sign_extended(raw, bits);
    default:
        return bits == 32 ? raw : small_bits(raw, bits);
    }
}

/* What is no number becomes 0. */
static double clamp(double value, double least, double most) {
    return isnan(value) ? 0 : value < least ? least : value > most ? most : value;
}

static uint32_t encode(uint32_t value, unsigned bits, unsigned kind) {
    double scale = ldexp(1, (int)bits) - 1, signed_scale = ldexp(1, (int)bits - 1) - 1, number = wl_bits_float(value);
    uint32_t mask = bits == 32 ? UINT32_MAX : (1u << bits) - 1;
    switch (kind) {
    case UNORM:
        return (uint32_t)nearbyint(clamp(number, 0, 1) * scale);
    case SNORM:
        return (uint32_t)(int32_t)nearbyint(clamp(number, -1, 1) * signed_scale) & mask;
    case USCALED:
        return (uint32_t)clamp(number, 0, scale);
    case SSCALED:
        return (uint32_t)(int32_t)clamp(number, -signed_scale - 1, signed_scale) & mask;
    case UINT:
        return value < mask ? value : mask;
    case SINT:
        return (uint32_t)(int32_t)clamp((int32_t)value, -signed_scale - 1, signed_scale) & mask;
    default:
        return bits == 32 ? value : encode_small(number, bits);
    }
}

/* ---- an access ---- */

struct access {
    bool store, d16, high, to_lds;
    unsigned count, reg; /* components; the first register */
    int offset;
};

static struct mem_state start, want;

static void load(const struct format *f, const struct access *a, unsigned lane, const uint8_t *at) {
    bool integers = f->kind & INTS;
    uint32_t values[4] = {0, 0, 0, at ? integers ? 1 : wl_float_bits(1) : 0};
    for (unsigned i = 0, bit = 0; at && i < 4 && f->data->bits[i]; bit += f->data->bits[i++]) {
        uint64_t word = 0;
        memcpy(&word, at + bit / 8, (bit % 8 + f->data->bits[i] + 7) / 8);
        word = word >> bit % 8 & (UINT64_C(0xffffffff) >> (32 - f->data->bits[i]));
        values[i] = decode((uint32_t)word, f->data->bits[i], f->kind);
    }
    for (unsigned i = 0; i < a->count; i++) {
        if (a->to_lds) {
            memcpy(want.lds + (want.s[MEM_M0] & 0xffff) + a->offset + lane * 4, &values[0], 4);
            continue;
        }
        if (!a->d16) {
            want.v[a->reg + i][lane] = values[i];
            continue;
        }
        uint32_t half = integers ? values[i] & 0xffff : encode_small(wl_bits_float(values[i]), 16), *cell = &want.v[a->reg + i / 2][lane];
        *cell = i % 2 || a->high ? (*cell & 0xffff) | half << 16 : (*cell & 0xffff0000) | half;
    }
}

static void store(const struct format *f, const struct access *a, unsigned lane, uint8_t *at) {
    uint8_t bytes[16] = {0};
    for (unsigned i = 0, bit = 0; i < 4 && f->data->bits[i]; bit += f->data->bits[i++]) {
        uint32_t value = 0;
        if (i < a->count) {
            value = want.v[a->reg + (a->d16 ? i / 2 : i)][lane];
            if (a->d16) {
                value = i % 2 || a->high ? value >> 16 : value & 0xffff;
                value = f->kind == UINT ? value : f->kind == SINT ? sign_extended(value, 16) : small_bits(value, 16);
            }
        }
        uint32_t code = encode(value, f->data->bits[i], f->kind);
        for (unsigned b = 0; b < f->data->bits[i]; b++)
            bytes[(bit + b) / 8] |= (uint8_t)((code >> b & 1) << (bit + b) % 8);
    }
    memcpy(at, bytes, f->size);
}

/* Lane by lane, at v1 + offset in a buffer of bytes: all of an element is in range, or nothing. */
static void reference(const struct format *f, const struct access *a, unsigned lanes) {
    for (unsigned lane = 0; lane < lanes; lane++) {
        if (!(want.s[MEM_EXEC + lane / 32] >> lane % 32 & 1))
            continue;
        uint64_t offset = want.v[1][lane] + (uint64_t)a->offset, base = want.s[4] | (uint64_t)(want.s[5] & 0xffff) << 32;
        uint8_t *at = offset + f->size <= want.s[6] ? want.memory + (base - MEM_BASE) + offset : NULL;
        if (!a->store)
            load(f, a, lane, at);
        else if (at)
            store(f, a, lane, at);
    }
}

/* ---- runs ---- */

struct target {
    const char *name;
    unsigned generation, wave_size;
};

static const struct target targets[] = {
    {"gfx900", 9, 64}, {"gfx1030", 10, 32}, {"gfx1100", 11, 32}, {"gfx1100", 11, 64}, {"gfx1200", 12, 32}};

static void format_name(const struct target *t, const struct format *f, char *text, size_t size) {
    const char *kind = kind_names[__builtin_ctz(f->kind)];
    if (t->generation == 9)
        snprintf(text, size, "format:[BUF_DATA_FORMAT_%s,BUF_NUM_FORMAT_%s]", f->data->name, kind);
    else
        snprintf(text, size, "format:[BUF_FMT_%s_%s]", f->data->name, kind);
}

static struct format make_format(const struct data *data, unsigned kind) {
    return (struct format){data, kind, (data->bits[0] + data->bits[1] + data->bits[2] + data->bits[3] + 7u) / 8};
}

static void fill(const struct target *t, const struct format *f, unsigned round, uint32_t word3) {
    static const uint32_t odd[] = {0,          0x80000000, 0x3f800000, 0xbf800000, 0x7f800000, 0xff800000, 0x3f000000, 0xbeffffff,
                                   0x42f60000, 0xc2f70000, 0x477fe000, 0x477fefff, 0x477ff000, 0x387fc000, 0x33000001, 0x4b7fffff};
    static const uint64_t masks[] = {UINT64_MAX, UINT64_C(0x8000a5a5f0ff0310)};
    uint64_t base = MEM_MIDDLE - 256, exec = masks[round % 2];
    if (round >= 2 && !mem_is_strict) /* lanes may meet */
        exec = UINT64_C(1) << (7 * round) % t->wave_size;
    mem_fill(&start);
    for (unsigned r = 20; r < 32; r++)
        for (unsigned l = 0; l < 64; l++) {
            uint32_t pick = mem_random();
            start.v[r][l] = pick & 0x100     ? odd[pick % 16]
                            : pick & 0x200   ? 0x3f000000 + mem_random() % 0x1000000
                            : f->kind & INTS ? mem_random() % 600 - 300
                                             : mem_random();
            if ((start.v[r][l] & 0x7fffffff) > 0x7f800000)
                start.v[r][l] = 0x3f000000; /* NaNs have tests of their own */
        }
    for (unsigned l = 0; l < 64; l++)
        start.v[1][l] = round < 2 ? l * 32 : mem_random() % 40 * 32;
    start.s[4] = (uint32_t)base;
    start.s[5] = (uint32_t)(base >> 32);
    start.s[6] = round == 1 ? 600 : 6000;
    start.s[7] = word3 | 4 | 5 << 3 | 6 << 6 | 7 << 9 | (t->generation >= 10 ? 3u << 28 : 0);
    start.s[MEM_M0] = 0x1000;
    start.s[MEM_EXEC] = (uint32_t)exec;
    start.s[MEM_EXEC + 1] = t->wave_size == 64 ? (uint32_t)(exec >> 32) : 0;
}

static void run(const struct target *t, const struct mem_program *program, const struct format *f, const struct access *accesses,
                unsigned count, uint32_t word3, const char *name) {
    char what[160];
    for (unsigned round = 0; round < 3; round++) {
        fill(t, f, round, word3);
        want = start;
        for (unsigned i = 0; i < count; i++)
            reference(f, &accesses[i], t->wave_size);
        mem_run(program, &start);
        want.s[30] = start.s[30];
        want.s[31] = start.s[31];
        snprintf(what, sizeof what, "%s wave%u: %s %s %s, round %u", t->name, t->wave_size, name, f->data->name,
                 kind_names[__builtin_ctz(f->kind)], round);
        mem_compare(&start, &want, t->wave_size, f->kind == FLOAT ? 16 + 16 * !accesses[0].d16 : 0, what);
    }
}

/* tbuffer: each format by its name, all components at once, in 32 and 16 bits. */
static void test_named(const struct target *t, const struct format *f) {
    const struct access accesses[] = {{.count = 4, .reg = 40, .offset = 0}, {.d16 = true, .count = 4, .reg = 44, .offset = 16}};
    const struct access stores[] = {{.store = true, .count = 4, .reg = 20, .offset = 0},
                                    {.store = true, .d16 = true, .count = 4, .reg = 24, .offset = 16}};
    const char *zero = t->generation == 12 ? "null" : "0";
    char format[80], text[600];
    struct mem_program program;
    bool newer = t->generation >= 11;
    format_name(t, f, format, sizeof format);
    for (unsigned d16 = 0; d16 < 2; d16++) {
        const char *loads[] = {"tbuffer_load_format_xyzw v[40:43]",
                               newer ? "tbuffer_load_d16_format_xyzw v[44:45]" : "tbuffer_load_format_d16_xyzw v[44:45]"};
        const char *writes[] = {"tbuffer_store_format_xyzw v[20:23]",
                                newer ? "tbuffer_store_d16_format_xyzw v[24:25]" : "tbuffer_store_format_d16_xyzw v[24:25]"};
        snprintf(text, sizeof text, "%s, v1, s[4:7], %s %s offen%s\n%s, v1, s[4:7], %s %s offen%s\n", loads[d16], zero, format,
                 d16 ? " offset:16" : "", writes[d16], zero, format, d16 ? " offset:16" : "");
        struct access both[2] = {accesses[d16], stores[d16]};
        if (mem_build(&program, t->name, t->wave_size, text)) {
            run(t, &program, f, both, 2, 0, "tbuffer");
            mem_destroy(&program);
        } else {
            mem_failures++;
        }
    }
}

/* The format's number, from the assembler's encoding of its name. */
static uint32_t format_number(const struct target *t, const struct format *f) {
    char format[80], text[160];
    size_t size;
    uint32_t words[3] = {0};
    if (t->generation == 9)
        return (uint32_t)(f->data - data_formats + 1) << 15 | (f->kind == FLOAT ? 7u : (uint32_t)__builtin_ctz(f->kind)) << 12;
    format_name(t, f, format, sizeof format);
    snprintf(text, sizeof text, "tbuffer_load_format_x v0, off, s[4:7], s8 %s", format);
    uint8_t *code = test_assemble(t->name, t->wave_size, text, &size);
    if (code)
        memcpy(words, code, size < sizeof words ? size : sizeof words);
    free(code);
    return (t->generation == 12 ? words[1] >> 23 & 127 : words[0] >> 19 & 127) << 12;
}

/* Components and whether halves, from a mnemonic's end: "buffer_load_format_d16_xy", "buffer_store_d16_hi_format_x". */
static struct access describe(const char *mnemonic) {
    const char *end = strrchr(mnemonic, '_') + 1;
    struct access a = {.count = (unsigned)strlen(end),
                       .store = strstr(mnemonic, "store") != NULL,
                       .d16 = strstr(mnemonic, "_d16") != NULL,
                       .high = strstr(mnemonic, "_hi_") != NULL};
    a.to_lds = strstr(mnemonic, "_lds_") != NULL;
    a.reg = a.store ? 20 : 40;
    a.offset = 16;
    return a;
}

static void test_mnemonic(const struct target *t, const char *mnemonic) {
    struct access a = describe(mnemonic);
    bool typed = *mnemonic == 't';
    unsigned registers = a.d16 ? (a.count + 1) / 2 : a.count;
    struct mem_program program;
    char text[300], format[80] = "", data[32] = "";
    if (registers == 1)
        snprintf(data, sizeof data, "v%u, ", a.reg);
    else
        snprintf(data, sizeof data, "v[%u:%u], ", a.reg, a.reg + registers - 1);
    for (size_t d = 0; d < COUNT(data_formats); d++)
        for (unsigned kind = 1; kind <= FLOAT; kind *= 2) {
            static bool built;
            struct format f = make_format(&data_formats[d], kind);
            uint8_t kinds = t->generation >= 11 ? f.data->kinds11 : f.data->kinds;
            bool chosen = strcmp(f.data->name, "32_32_32_32") == 0 || (strcmp(f.data->name, "8_8_8_8") == 0 && kind == UNORM);
            if (!(kinds & kind) || (typed && !chosen))
                continue;
            if (typed)
                format_name(t, &f, format, sizeof format);
            if (!built) {
                snprintf(text, sizeof text, "%s %sv1, s[4:7], %s %s offen offset:16\n", mnemonic, a.to_lds ? "" : data,
                         t->generation == 12 ? "null" : "0", format);
                if (!mem_build(&program, t->name, t->wave_size, text)) {
                    mem_failures++;
                    return;
                }
            }
            built = !typed; /* one program for all formats of the descriptor */
            run(t, &program, &f, &a, 1, typed ? 0 : format_number(t, &f), mnemonic);
            if (typed)
                mem_destroy(&program);
            else if (d == COUNT(data_formats) - 1 && kind == FLOAT) {
                mem_destroy(&program);
                built = false;
            }
        }
}

static void test_target(struct wl_coverage *coverage, const struct target *t) {
    const struct wl_coverage_row *rows;
    size_t count;
    for (size_t d = 0; d < COUNT(data_formats); d++)
        for (unsigned kind = 1; kind <= FLOAT; kind *= 2)
            if ((t->generation >= 11 ? data_formats[d].kinds11 : data_formats[d].kinds) & kind) {
                struct format f = make_format(&data_formats[d], kind);
                test_named(t, &f);
            }
    if (wl_coverage_list(coverage, t->name, t->wave_size, &rows, &count) != WL_OK && ++mem_failures)
        fprintf(stderr, "%s: %s\n", t->name, wl_failure());
    for (size_t i = 0; i < count; i++)
        if (rows[i].status != WL_COVERAGE_UNSUPPORTED && strstr(rows[i].mnemonic, "_format_") && strstr(rows[i].mnemonic, "buffer_"))
            test_mnemonic(t, rows[i].mnemonic);
}

/* Arguments: a generation (9 to 12; 0 or without one: all), a wave's size (without one: both). */
int main(int argc, char **argv) {
    const unsigned generation = argc > 1 ? (unsigned)atoi(argv[1]) : 0, wave_size = argc > 2 ? (unsigned)atoi(argv[2]) : 0;
    struct wl_coverage *coverage = wl_coverage_create();
    mem_start();
    for (size_t i = 0; coverage && i < COUNT(targets); i++)
        if ((!generation || targets[i].generation == generation) && (!wave_size || targets[i].wave_size == wave_size))
            test_target(coverage, &targets[i]);
    wl_coverage_destroy(coverage);
    printf("%u runs, %u failures\n", mem_checks, mem_failures);
    return mem_failures != 0 || mem_checks == 0;
}
