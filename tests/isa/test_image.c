/* Image instructions against a scalar model written from the documents: every format, filter, address mode and dimension, then
 * the variants of loads, stores, atomics and samples. Descriptors are put together here, bit by bit. */
#include "translate/lift_run.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static unsigned checks, failures;
static unsigned generation; /* of the processor at hand */

static uint32_t seed = 1;
static uint32_t next(void) {
    seed = seed * 1664525u + 1013904223u;
    return seed >> 8;
}

/* ---- descriptors -------------------------------------------------------------------------------- */

enum { UNORM, SNORM, UINT, SINT, FLOAT, SRGB, NUMBERS };
enum { D1, D2, D3, CUBE, A1, A2, DIMS }; /* as DIM encodes them; TYPE is 8 more */

/* gfx9's data format; the unified number of UNORM on gfx10 and gfx11 (32 bits: of UINT); sRGB's. */
static const struct shape {
    int channels, bits, data9, first10, first11, srgb10, srgb11;
} shapes[] = {
    {1, 8, 1, 1, 1, 128, 64},  {2, 8, 3, 14, 14, 129, 65}, {4, 8, 10, 56, 42, 130, 66}, {1, 16, 2, 7, 7, 0, 0},    {2, 16, 5, 23, 23, 0, 0},
    {4, 16, 12, 65, 51, 0, 0}, {1, 32, 4, 20, 20, 0, 0},   {2, 32, 11, 62, 48, 0, 0},   {4, 32, 14, 75, 61, 0, 0},
};

static bool exists(const struct shape *shape, int number) {
    if (number == SRGB)
        return shape->bits == 8;
    if (number == FLOAT)
        return shape->bits != 8;
    return shape->bits != 32 || number == UINT || number == SINT;
}

static void put(uint32_t *words, unsigned at, unsigned bits, uint32_t value) {
    for (unsigned i = 0; i < bits; i++)
        words[(at + i) / 32] |= (value >> i & 1) << (at + i) % 32;
}

struct picture {
    const struct shape *shape;
    int number, dim, width, height, depth, levels;
    uint8_t *memory;
};

static int texel_bytes(const struct picture *p) { return p->shape->channels * p->shape->bits / 8; }

static int half(int size) { return size > 1 ? size / 2 : 1; }

/* Where a level lies: rows are a multiple of 256 bytes. */
static uint8_t *level_of(const struct picture *p, int level, int size[3], size_t *pitch) {
    uint8_t *at = p->memory;
    int w = p->width, h = p->height, d = p->depth;
    for (;; level--) {
        *pitch = ((size_t)w * (size_t)texel_bytes(p) + 255) & ~(size_t)255;
        if (level == 0)
            break;
        at += *pitch * (size_t)h * (size_t)d;
        w = half(w);
        h = half(h);
        d = p->dim == D3 ? half(d) : d;
    }
    size[0] = w, size[1] = h, size[2] = d;
    return at;
}

static void resource(const struct picture *p, uint32_t words[8]) {
    static const int numbers9[] = {0, 1, 4, 5, 7, 9}, unified[] = {0, 1, 4, 5, 6};
    const uint64_t address = (uint64_t)(uintptr_t)p->memory >> 8;
    memset(words, 0, 32);
    put(words, 0, 32, (uint32_t)address);
    put(words, 32, 8, (uint32_t)(address >> 32));
    int code = p->number == SRGB ? (generation == 10 ? p->shape->srgb10 : p->shape->srgb11)
                                 : (generation == 10 ? p->shape->first10 : p->shape->first11) +
                                       (p->shape->bits == 32 ? p->number - UINT : unified[p->number]);
    if (generation == 9) {
        put(words, 52, 6, (uint32_t)p->shape->data9);
        put(words, 58, 4, (uint32_t)numbers9[p->number]);
        put(words, 64, 14, (uint32_t)p->width - 1);
        put(words, 78, 14, (uint32_t)p->height - 1);
    } else {
        put(words, generation == 12 ? 49 : 52, generation == 10 ? 9 : 8, (uint32_t)code);
        put(words, 62, 14, (uint32_t)p->width - 1);
        put(words, 78, 14, (uint32_t)p->height - 1);
    }
    put(words, 96, 12, 0xfac);
    put(words, generation == 12 ? 111 : 112, 4, (uint32_t)p->levels - 1);
    put(words, 124, 4, (uint32_t)p->dim + 8);
    if (p->dim != D1 && p->dim != D2)
        put(words, 128, 13, (uint32_t)p->depth - 1);
}

struct sampler {
    int wrap;
    bool unnormalized, linear;
    int mip, compare; /* mip: 0, 1: nearest, 2: linear */
    float max_lod;
};

static void sampler_words(const struct sampler *s, uint32_t words[4]) {
    memset(words, 0, 16);
    for (unsigned i = 0; i < 3; i++)
        put(words, i * 3, 3, (uint32_t)s->wrap);
    put(words, 12, 3, (uint32_t)s->compare);
    put(words, 15, 1, s->unnormalized);
    put(words, generation == 12 ? 45 : 44, 12, (uint32_t)(s->max_lod * 256));
    put(words, 84, 2, s->linear);
    put(words, 86, 2, s->linear);
    put(words, 88, 2, s->linear ? 2 : 1);
    put(words, 90, 2, (uint32_t)s->mip);
    put(words, 126, 2, 2); /* opaque white */
}

/* ---- the model ---------------------------------------------------------------------------------- */

static double half_number(unsigned bits) {
    int exponent = bits >> 10 & 31, mantissa = bits & 1023;
    double value = exponent ? ldexp(mantissa + 1024, exponent - 25) : ldexp(mantissa, -24);
    return bits & 0x8000 ? -value : value;
}

static double component(const struct picture *p, const uint8_t *texel, int i) {
    uint32_t raw = 0;
    float f;
    const int bits = p->shape->bits;
    if (i >= p->shape->channels)
        return i == 3;
    memcpy(&raw, texel + i * bits / 8, (size_t)bits / 8);
    const double whole = ldexp(1, bits) - 1, part = ldexp(1, bits - 1) - 1;
    const double with_sign = raw >= ldexp(1, bits - 1) ? raw - ldexp(1, bits) : raw;
    switch (p->number) {
    case UNORM:
        return raw / whole;
    case SNORM:
        return fmax(with_sign / part, -1);
    case UINT:
        return raw;
    case SINT:
        return with_sign;
    case SRGB:
        return i == 3 ? raw / 255.0 : raw / 255.0 <= 0.04045 ? raw / 255.0 / 12.92 : pow((raw / 255.0 + 0.055) / 1.055, 2.4);
    default:
        if (bits == 16)
            return half_number(raw);
        memcpy(&f, &raw, 4);
        return f;
    }
}

enum { REPEAT, MIRROR, CLAMP, MIRROR_ONCE, BORDER = 6 };

/* The texel of index i; -1: the border. */
static int address(int wrap, int i, int n) {
    switch (wrap) {
    case REPEAT:
        return ((i % n) + n) % n;
    case MIRROR:
        i = ((i % (2 * n)) + 2 * n) % (2 * n);
        return i < n ? i : 2 * n - 1 - i;
    case MIRROR_ONCE:
        i = i < 0 ? -1 - i : i;
        return i < n ? i : n - 1;
    case BORDER:
        return i < 0 || i >= n ? -1 : i;
    default:
        return i < 0 ? 0 : i >= n ? n - 1 : i;
    }
}

static bool is_integer(const struct picture *p) { return p->number == UINT || p->number == SINT; }

/* `at` in 256ths of a texel of the level; `reference`: NULL, or compared with the texels. */
static void model(const struct picture *p, const struct sampler *s, int level, const int at[3], int slice, const float *reference,
                  double result[4]) {
    int size[3], axes = p->dim == D1 || p->dim == A1 ? 1 : p->dim == D3 ? 3 : 2;
    size_t pitch;
    const uint8_t *memory = level_of(p, level, size, &pitch);
    const bool linear = s->linear && (!is_integer(p) || reference);
    memset(result, 0, 4 * sizeof *result);
    for (int corner = 0; corner < 1 << axes; corner++) {
        double weight = 1;
        int index[3] = {0, 0, slice};
        for (int i = 0; i < axes; i++) {
            const int upper = corner >> i & 1, moved = linear ? at[i] - 128 : at[i], fraction = moved & 255;
            index[i] = address(p->dim == CUBE ? CLAMP : s->wrap, (moved >> 8) + upper, size[i]);
            weight *= !linear ? !upper : upper ? fraction / 256.0 : 1 - fraction / 256.0;
        }
        if (weight == 0)
            continue;
        const bool border = index[0] < 0 || index[1] < 0 || index[2] < 0;
        const uint8_t *texel =
            border ? NULL : memory + ((size_t)index[2] * (size_t)size[1] + (size_t)index[1]) * pitch + (size_t)(index[0] * texel_bytes(p));
        for (int i = 0; i < 4; i++) {
            double value = border ? 1 : component(p, texel, i);
            if (reference && i == 0)
                value = *reference < value; /* the tests' comparison */
            result[i] += weight * value;
        }
    }
}

/* ---- runs --------------------------------------------------------------------------------------- */

static void fail_once(const char *what, const struct picture *p, const struct sampler *s, unsigned lane, int i, double got, double want) {
    if (failures++ < 20)
        printf("%s: %d x %d bits, number %d, dim %d, wrap %d, linear %d, unnormalized %d: lane %u component %d: %.9g instead of %.9g\n",
               what, p->shape->channels, p->shape->bits, p->number, p->dim, s->wrap, s->linear, s->unnormalized, lane, i, got, want);
}

static double number_of(const struct picture *p, uint32_t bits, bool floats) {
    float f;
    memcpy(&f, &bits, 4);
    return floats || !is_integer(p) ? f : p->number == SINT ? (double)(int32_t)bits : bits;
}

static void load_descriptors(const struct picture *p, const struct sampler *s) {
    resource(p, lift_scalars());
    sampler_words(s, lift_scalars() + 8);
}

static void set_float(unsigned row, unsigned lane, float value) { memcpy(&lift_row(row)[lane], &value, 4); }

static void fill(struct picture *p) {
    for (int i = 0; i < 1 << 16; i++)
        p->memory[i] = (uint8_t)next();
    if (p->number == FLOAT) /* numbers of a moderate size */
        for (int i = 0; i < 1 << 14; i++) {
            const float f = (float)(next() & 0xffff) / 256 - 100;
            const uint16_t h = (uint16_t)(0x2c00 + (next() & 0x1fff) + (next() << 15));
            memcpy(p->memory + (p->shape->bits == 32 ? i * 4 : i * 2), p->shape->bits == 32 ? (const void *)&f : &h,
                   p->shape->bits == 32 ? 4 : 2);
        }
}

static void sample_format(struct picture *p, const struct sampler *s, const char *processor) {
    const int size[3] = {p->width, p->height, p->depth};
    const int axes = p->dim == D1 || p->dim == A1 ? 1 : p->dim == D3 ? 3 : 2;
    int at[64][3] = {{0}}, slice[64] = {0};
    load_descriptors(p, s);
    for (unsigned l = 0; l < lift_wave_size; l++) {
        for (int i = 0; i < axes; i++) {
            at[l][i] = (int)(next() % (unsigned)(size[i] * 256 * 3)) - size[i] * 256;
            if (p->dim == CUBE)
                at[l][i] = (int)(next() % (unsigned)(size[i] * 256 + 1));
            set_float((unsigned)i, l, (float)at[l][i] / 256 / (s->unnormalized ? 1 : (float)size[i]));
        }
        if (p->dim == CUBE || p->dim == A1 || p->dim == A2) {
            slice[l] = (int)(next() % (unsigned)p->depth);
            set_float((unsigned)axes, l, (float)slice[l]);
        }
    }
    const uint64_t exec = ((uint64_t)next() << 40 ^ (uint64_t)next() << 20 ^ next()) | 1;
    for (unsigned l = 0; l < lift_wave_size; l++)
        for (unsigned i = 0; i < 4; i++)
            lift_row(8 + i)[l] = 0xdeadbeef;
    lift_execute(lift_wave_size == 64 ? exec : exec & UINT32_MAX);
    for (unsigned l = 0; l < lift_wave_size; l++) {
        double want[4];
        model(p, s, 0, at[l], slice[l], NULL, want);
        for (int i = 0; i < 4; i++) {
            const uint32_t bits = lift_row(8 + (unsigned)i)[l];
            checks++;
            if (!(exec >> l & 1)) {
                if (bits != 0xdeadbeef)
                    fail_once("an inactive lane", p, s, l, i, bits, 0xdeadbeef);
            } else {
                const double got = number_of(p, bits, false);
                if (!(fabs(got - want[i]) <= (is_integer(p) ? 0 : 2e-6 * fmax(1, fabs(want[i]) + (p->number == FLOAT ? 256 : 0)))))
                    fail_once(processor, p, s, l, i, got, want[i]);
            }
        }
    }
}

static void sample_text(int dim, bool levels, char *text, size_t size) {
    static const char *const names[] = {"1D", "2D", "3D", "CUBE", "1D_ARRAY", "2D_ARRAY"};
    static const char *const ranges[] = {"v0", "v[0:1]", "v[0:2]", "v[0:2]", "v[0:1]", "v[0:2]"};
    static const char *const lists[] = {"v0", "[v0, v1]", "[v0, v1, v2]", "[v0, v1, v2]", "[v0, v1]", "[v0, v1, v2]"};
    char tail[64] = "";
    if (generation == 9)
        snprintf(tail, sizeof tail, "%s", dim == A1 || dim == A2 || dim == CUBE ? "da" : "");
    else
        snprintf(tail, sizeof tail, "dim:SQ_RSRC_IMG_%s", names[dim]);
    snprintf(text, size, "image_sample%s v[8:11], %s, s[0:7], s[8:11] dmask:0xf %s\n%s\n", levels ? "_lz" : "",
             generation == 12 ? lists[dim] : ranges[dim], tail, generation == 12 ? "s_wait_samplecnt 0x0" : "s_waitcnt vmcnt(0)");
}

static void test_formats(const char *processor, uint8_t *memory) {
    static const int wraps[] = {REPEAT, MIRROR, CLAMP, MIRROR_ONCE, BORDER};
    for (int dim = 0; dim < DIMS; dim++) {
        char text[256];
        sample_text(dim, strcmp(processor, "gfx90a") != 0, text, sizeof text);
        lift_open(processor, generation == 9 ? 64 : 32, text);
        lift_wave_size = generation == 9 ? 64 : 32;
        for (size_t f = 0; f < sizeof shapes / sizeof *shapes; f++)
            for (int number = 0; number < NUMBERS; number++)
                for (unsigned how = 0; how < 20; how++) {
                    const struct sampler s = {.wrap = wraps[how / 4], .linear = how & 1, .unnormalized = how & 2};
                    struct picture p = {&shapes[f], number, dim, 8, 4, 4, 1, memory};
                    if (!exists(&shapes[f], number))
                        continue;
                    if (s.unnormalized) { /* sizes that divide no coordinate; repeating counts from 0 there as well */
                        p.width = 5;
                        p.height = 7;
                        p.depth = 3;
                    }
                    p.height = dim == D1 || dim == A1 ? 1 : p.height;
                    p.depth = dim == CUBE ? 6 : dim == D1 || dim == D2 ? 1 : p.depth;
                    if (dim == CUBE && s.unnormalized)
                        continue; /* faces have normalized coordinates */
                    if (how == 0)
                        fill(&p);
                    sample_format(&p, &s, processor);
                }
        lift_close();
    }
}

/* ---- variants ----------------------------------------------------------------------------------- */

static const char *variant;

static void expect(unsigned lane, int i, double got, double want, double tolerance) {
    checks++;
    if (!(fabs(got - want) <= tolerance) && failures++ < 20)
        printf("gfx%u %s: lane %u component %d: %.9g instead of %.9g\n", generation, variant, lane, i, got, want);
}

/* Assembles a 2D instruction with `count` addresses from v0 on and data from v16 on. */
static void open_variant(const char *processor, const char *name, const char *data, unsigned count, bool samples, const char *extra) {
    char addresses[64], text[256];
    if (generation == 12 && count <= 4)
        snprintf(addresses, sizeof addresses,
                 count == 1   ? "v0"
                 : count == 2 ? "[v0, v1]"
                 : count == 3 ? "[v0, v1, v2]"
                              : "[v0, v1, v2, v3]");
    else if (generation == 12)
        snprintf(addresses, sizeof addresses, "[v0, v1, v2, v[3:%u]]", count - 1);
    else
        snprintf(addresses, sizeof addresses, count == 1 ? "v0" : "v[0:%u]", count - 1);
    const int dmask = (int)strcspn(extra, " "); /* what follows it stands behind the dimension */
    snprintf(text, sizeof text, "%s %s, %s, s[0:7]%s %.*s %s%s %s\n%s\n", name, data, addresses, samples ? ", s[8:11]" : "", dmask, extra,
             generation == 9 ? "" : "dim:SQ_RSRC_IMG_2D", generation < 12 && !samples ? " unorm" : "", extra + dmask,
             generation == 12 ? samples ? "s_wait_samplecnt 0x0" : "s_wait_loadcnt 0x0\ns_wait_storecnt 0x0" : "s_waitcnt vmcnt(0)");
    variant = name;
    lift_wave_size = generation == 9 ? 64 : 32;
    lift_open(processor, lift_wave_size, text);
}

static void run_all(void) { lift_execute(lift_wave_size == 64 ? UINT64_MAX : UINT32_MAX); }

static float result_float(unsigned row, unsigned lane) {
    float f;
    memcpy(&f, &lift_row(row)[lane], 4);
    return f;
}

enum {
    LEVEL = 1,
    BIAS = 2,
    GRADIENT = 4,
    LEAST = 8,
    OFFSET = 16,
    COMPARES = 32,
    IMPLICIT = 64,
    G16 = 128,
    GATHER = 256,
    LOD = 512,
    A16 = 1024
};

static void set_half(unsigned row, unsigned lane, unsigned shift, float value) {
    uint32_t bits, *word = &lift_row(row)[lane];
    memcpy(&bits, &value, 4);
    const uint32_t exponent = bits >> 23 & 255, half = value == 0 ? 0 : bits >> 31 << 15 | (exponent - 112) << 10 | (bits >> 13 & 1023);
    *word = (*word & ~(0xffffu << shift)) | half << shift;
}

/* One sample of a picture of 16 x 8 texels with 4 levels. The level is k / 4. */
static void check_sample(const char *processor, const char *name, unsigned what, uint8_t *memory) {
    struct picture p = {&shapes[8], FLOAT, D2, 16, 8, 1, 4, memory};
    const struct sampler s = {.wrap = CLAMP, .linear = true, .mip = 2, .compare = 1, .max_lod = 15};
    float level[64], reference[64];
    int at[64][2], offset[64][2];
    unsigned count = 0;
    for (unsigned bit = 0; bit < 12; bit++)
        count += (what >> bit & 1) * (bit == 2 ? what & G16 ? 2 : 4 : (bit < 6 && bit != 2));
    open_variant(processor, name, what & LOD ? "v[16:17]" : "v[16:19]", count + (what & A16 ? 1 : 2), true,
                 what & LOD      ? "dmask:0x3"
                 : what & GATHER ? "dmask:0x2"
                 : what & A16    ? "dmask:0xf a16"
                                 : "dmask:0xf");
    fill(&p);
    load_descriptors(&p, &s);
    for (unsigned l = 0; l < lift_wave_size; l++) {
        unsigned row = 0;
        const unsigned quad_level = l / 4 % 3;     /* of neighbours: 2^n texels away */
        const unsigned step = what & A16 ? 32 : 8; /* coordinates that are exact on all levels, and in 16 bits */
        at[l][0] = (int)(next() % (16 * 256 / step) * step);
        at[l][1] = (int)(next() % (8 * 256 / step) * step);
        if (what & IMPLICIT && l % 4) {
            at[l][0] = at[l & ~3u][0] + (l & 1 ? 256 << quad_level : 0);
            at[l][1] = at[l & ~3u][1] + (l & 2 ? 256 : 0);
        }
        level[l] = what & IMPLICIT ? (float)quad_level : 0;
        offset[l][0] = offset[l][1] = 0;
        if (what & OFFSET) {
            offset[l][0] = (int)(next() % 16) - 8;
            offset[l][1] = (int)(next() % 16) - 8;
            lift_row(row++)[l] = (uint32_t)(offset[l][0] & 63) | (uint32_t)(offset[l][1] & 63) << 8;
        }
        if (what & BIAS) {
            const float bias = (float)(next() % 5) / 4;
            level[l] += bias;
            set_float(row++, l, bias);
        }
        if (what & COMPARES)
            set_float(row++, l, reference[l] = (float)(next() & 0xff) - 100);
        if (what & GRADIENT) { /* half a level in x, a whole one in y: the larger counts */
            const int n = (int)(next() % 4);
            const float du = ldexpf(0.5f, n - 4), dv = ldexpf(1, n - 3);
            level[l] = (float)n;
            if (what & G16) {
                lift_row(row)[l] = lift_row(row + 1)[l] = 0;
                set_half(row, l, 0, du);
                set_half(row + 1, l, 16, dv);
                row += 2;
            } else {
                set_float(row, l, du);
                set_float(row + 1, l, 0);
                set_float(row + 2, l, 0);
                set_float(row + 3, l, dv);
                row += 4;
            }
        }
        if (what & A16) {
            set_half(row, l, 0, (float)at[l][0] / (256 * 16));
            set_half(row++, l, 16, (float)at[l][1] / (256 * 8));
        } else {
            set_float(row++, l, (float)at[l][0] / (256 * 16));
            set_float(row++, l, (float)at[l][1] / (256 * 8));
        }
        if (what & LEVEL)
            set_float(row++, l, level[l] = (float)(next() % 20) / 4 - 0.5f);
        if (what & LEAST) {
            const float least = (float)(next() % 9) / 4;
            level[l] = fmaxf(level[l], least);
            set_float(row++, l, least);
        }
    }
    run_all();
    for (unsigned l = 0; l < lift_wave_size; l++) {
        const float most = fminf(fmaxf(level[l], 0), 3);
        if (what & LOD) {
            expect(l, 0, result_float(16, l), most, 1e-5);
            expect(l, 1, result_float(17, l), level[l], 1e-5);
            continue;
        }
        double parts[2][4], want[4];
        for (int n = 0; n < 2; n++) {
            const int here = (int)most + n < 3 ? (int)most + n : 3;
            const int moved[3] = {(at[l][0] >> here) + offset[l][0] * 256, (at[l][1] >> here) + offset[l][1] * 256, 0};
            model(&p, &s, here, moved, 0, what & COMPARES ? &reference[l] : NULL, parts[n]);
        }
        for (int i = 0; i < 4; i++)
            want[i] = parts[0][i] + (parts[1][i] - parts[0][i]) * (most - floorf(most));
        if (what & GATHER) {
            const struct sampler nearest = {.wrap = CLAMP};
            static const int corners[4][2] = {{0, 1}, {1, 1}, {1, 0}, {0, 0}};
            for (int i = 0; i < 4; i++) {
                double texel[4];
                const int corner[3] = {at[l][0] - 128 + corners[i][0] * 256, at[l][1] - 128 + corners[i][1] * 256, 0};
                model(&p, &nearest, 0, corner, 0, NULL, texel);
                want[i] = texel[1];
            }
        }
        for (int i = 0; i < (what & COMPARES ? 1 : 4); i++)
            expect(l, i, result_float(16 + (unsigned)i, l), want[i], 1e-3);
    }
    lift_close();
}

/* Loads: components by DMASK, levels, halves; what lies outside reads 0. */
static void check_load(const char *processor, const char *name, bool levels, bool halves, uint8_t *memory) {
    struct picture p = {&shapes[halves ? 5 : 8], halves ? FLOAT : UINT, D2, 16, 8, 1, 4, memory};
    const struct sampler s = {.wrap = CLAMP};
    open_variant(processor, name, halves ? "v16" : "v[16:17]", levels ? 3 : 2, false, halves ? "dmask:0xa d16" : "dmask:0xa");
    fill(&p);
    load_descriptors(&p, &s);
    int x[64], y[64], level[64];
    for (unsigned l = 0; l < lift_wave_size; l++) {
        lift_row(0)[l] = (uint32_t)(x[l] = (int)(next() % 18) - 1);
        lift_row(1)[l] = (uint32_t)(y[l] = (int)(next() % 10) - 1);
        lift_row(2)[l] = (uint32_t)(level[l] = levels ? (int)(next() % 4) : 0);
    }
    run_all();
    for (unsigned l = 0; l < lift_wave_size; l++) {
        int size[3];
        size_t pitch;
        const uint8_t *texels = level_of(&p, level[l], size, &pitch);
        const bool inside = x[l] >= 0 && y[l] >= 0 && x[l] < size[0] && y[l] < size[1];
        for (int i = 0; i < 2; i++) {
            uint32_t want = 0, got = halves ? lift_row(16)[l] >> i * 16 & 0xffff : lift_row(16 + (unsigned)i)[l];
            if (inside)
                memcpy(&want, texels + (size_t)y[l] * pitch + (size_t)x[l] * (halves ? 8 : 16) + (size_t)(i * 2 + 1) * (halves ? 2 : 4),
                       halves ? 2 : 4);
            expect(l, i, got, want, 0);
        }
    }
    lift_close();
}

/* A store, then atomics that add and exchange, each lane on a texel of its own. */
static void check_store(const char *processor, uint8_t *memory) {
    struct picture p = {&shapes[6], UINT, D2, 16, 4, 1, 1, memory};
    const struct sampler s = {.wrap = CLAMP};
    const char *returns = generation == 12 ? "dmask:0x1 th:TH_ATOMIC_RETURN" : "dmask:0x1 glc";
    const char *returns2 = generation == 12 ? "dmask:0x3 th:TH_ATOMIC_RETURN" : "dmask:0x3 glc";
    for (int round = 0; round < 3; round++) {
        static const char *const names[] = {"image_store", "image_atomic_add", "image_atomic_cmpswap"};
        open_variant(processor, round == 1 && generation == 12 ? "image_atomic_add_uint" : names[round], round == 2 ? "v[16:17]" : "v16", 2,
                     false,
                     round == 0   ? "dmask:0x1"
                     : round == 1 ? returns
                                  : returns2);
        load_descriptors(&p, &s);
        for (unsigned l = 0; l < lift_wave_size; l++) {
            lift_row(0)[l] = l % 16;
            lift_row(1)[l] = l / 16 + (l % 16 == 9 ? 100 : 0); /* one column is outside */
            lift_row(16)[l] = round == 1 ? 5 : l * 3 + 7;
            lift_row(17)[l] = l & 1 ? l * 1000 + 5 : 1;
        }
        if (round == 0)
            memset(memory, 0x11, 16 * 256);
        run_all();
        for (unsigned l = 0; l < lift_wave_size; l++) {
            uint32_t now;
            const bool inside = l % 16 != 9;
            memcpy(&now, memory + l / 16 * 256 + l % 16 * 4, 4);
            const uint32_t stored = l * 3 + 7, added = stored + 5;
            if (round == 1)
                expect(l, 0, lift_row(16)[l], inside ? stored : 0, 0);
            if (round == 2)
                expect(l, 0, lift_row(16)[l], inside ? added : 0, 0);
            if (round == 2 && inside && l & 1)
                memcpy(&now, memory + l / 16 * 256 + l % 16 * 4, 4);
            expect(l, 1, now, !inside ? 0x11111111 : round == 0 ? stored : added, 0);
        }
        lift_close();
    }
    /* what is expected is there: it is exchanged */
    open_variant(processor, "image_atomic_cmpswap", "v[16:17]", 2, false, returns2);
    load_descriptors(&p, &s);
    for (unsigned l = 0; l < lift_wave_size; l++) {
        lift_row(0)[l] = l % 16;
        lift_row(1)[l] = l / 16;
        lift_row(16)[l] = 77 + l;
        memcpy(&lift_row(17)[l], memory + l / 16 * 256 + l % 16 * 4, 4);
    }
    run_all();
    for (unsigned l = 0; l < lift_wave_size; l++) {
        uint32_t now;
        memcpy(&now, memory + l / 16 * 256 + l % 16 * 4, 4);
        expect(l, 2, now, 77 + l, 0);
    }
    lift_close();
}

static void check_size(const char *processor, uint8_t *memory) {
    struct picture p = {&shapes[2], UNORM, D2, 40, 9, 1, 4, memory};
    const struct sampler s = {.wrap = CLAMP};
    open_variant(processor, "image_get_resinfo", "v[16:19]", 1, false, "dmask:0xf");
    load_descriptors(&p, &s);
    for (unsigned l = 0; l < lift_wave_size; l++)
        lift_row(0)[l] = l % 6;
    run_all();
    for (unsigned l = 0; l < lift_wave_size; l++) {
        const bool there = l % 6 < 4;
        expect(l, 0, lift_row(16)[l], there ? 40 >> l % 6 : 0, 0);
        expect(l, 1, lift_row(17)[l], there ? 9 >> l % 6 : 0, 0);
        expect(l, 2, lift_row(18)[l], there, 0);
        expect(l, 3, lift_row(19)[l], 4, 0);
    }
    lift_close();
}

/* Channels of different widths in one word: widths from the lowest bit up; numbers as for `shapes`, gfx9's with the number << 6. */
static const struct packed {
    const char *name;
    int bytes, bits[4], number, code9, code10, code11;
} packed[] = {
    {"2_10_10_10 unorm", 4, {10, 10, 10, 2}, UNORM, 9, 50, 36},
    {"2_10_10_10 uint", 4, {10, 10, 10, 2}, UINT, 9 | 4 << 6, 54, 40},
    {"2_10_10_10 snorm", 4, {10, 10, 10, 2}, SNORM, 9 | 1 << 6, 51, 37},
    {"10_10_10_2 unorm", 4, {2, 10, 10, 10}, UNORM, 8, 44, 32},
    {"10_11_11 float", 4, {11, 11, 10, 0}, FLOAT, 6 | 7 << 6, 36, 30},
    {"11_11_10 float", 4, {10, 11, 11, 0}, FLOAT, 7 | 7 << 6, 43, 31},
    {"5_6_5 unorm", 2, {5, 6, 5, 0}, UNORM, 16, 133, 68},
    {"1_5_5_5 unorm", 2, {5, 5, 5, 1}, UNORM, 17, 134, 69},
    {"5_5_5_1 unorm", 2, {1, 5, 5, 5}, UNORM, 18, 135, 70},
    {"4_4_4_4 unorm", 2, {4, 4, 4, 4}, UNORM, 19, 136, 71},
    {"5_9_9_9 float", 4, {9, 9, 9, 0}, SRGB, 34 | 7 << 6, 132, 67}, /* SRGB: the upper 5 bits are the exponent of all */
};

static double packed_component(const struct packed *format, uint32_t word, int i) {
    int at = 0, bits = format->bits[i];
    for (int n = 0; n < i; n++)
        at += format->bits[n];
    if (!bits)
        return 1;
    const uint32_t raw = word >> at & ((1u << bits) - 1);
    const int with_sign = raw >> (bits - 1) ? (int)raw - (1 << bits) : (int)raw;
    switch (format->number) {
    case UNORM:
        return raw / (ldexp(1, bits) - 1);
    case SNORM:
        return fmax(with_sign / (ldexp(1, bits - 1) - 1), -1);
    case FLOAT:
        return half_number(raw << (15 - bits));
    case SRGB:
        return ldexp(raw, (int)(word >> 27) - 24);
    default:
        return raw;
    }
}

/* Infinities and NaNs have all exponent bits. */
static bool has_special(const struct packed *format, uint32_t word) {
    for (int i = 0, at = 0; i < 4 && format->bits[i]; at += format->bits[i++])
        if ((word >> (at + format->bits[i] - 5) & 31) == 31)
            return true;
    return false;
}

/* Loads of one row of such words, and stores of what was loaded. */
static void check_packed(const char *processor, uint8_t *memory) {
    struct picture p = {&shapes[6], UINT, D2, 64, 2, 1, 1, memory};
    const struct sampler s = {.wrap = CLAMP};
    for (size_t f = 0; f < sizeof packed / sizeof *packed; f++) {
        const struct packed *format = &packed[f];
        const bool storable = format->number != SRGB;
        for (int round = 0; round < (storable ? 2 : 1); round++) {
            open_variant(processor, round ? "image_store" : "image_load", "v[16:19]", 2, false, "dmask:0xf");
            load_descriptors(&p, &s);
            uint32_t *words = lift_scalars();
            const int code = generation == 9 ? format->code9 : generation == 10 ? format->code10 : format->code11;
            const unsigned at = generation == 12 ? 49 : 52, bits = generation == 9 ? 10 : generation == 10 ? 9 : 8;
            words[1] &= ~(((1u << bits) - 1) << (at - 32));
            words[1] |= (uint32_t)code << (at - 32);
            variant = format->name;
            for (unsigned n = 0; n < 64 && round == 0; n++) {
                uint32_t word;
                do {
                    word = next() << 16 ^ next();
                } while (format->number == FLOAT && has_special(format, word));
                memcpy(memory + n * (size_t)format->bytes, &word, (size_t)format->bytes);
            }
            for (unsigned l = 0; l < lift_wave_size; l++) {
                lift_row(0)[l] = l;
                lift_row(1)[l] = (uint32_t)round;
            }
            run_all();
            const size_t pitch = (size_t)(64 * format->bytes + 255) & ~(size_t)255;
            for (unsigned l = 0; l < lift_wave_size; l++) {
                uint32_t word = 0, stored = 0;
                memcpy(&word, memory + (size_t)l * (size_t)format->bytes, (size_t)format->bytes);
                memcpy(&stored, memory + pitch + (size_t)l * (size_t)format->bytes, (size_t)format->bytes);
                for (int i = 0; i < 4 && round == 0; i++) {
                    const double want = packed_component(format, word, i);
                    expect(l, i, format->number == UINT ? lift_row(16 + (unsigned)i)[l] : (double)result_float(16 + (unsigned)i, l), want,
                           fabs(want) * 1e-7);
                }
                if (round == 1) /* the most negative SNORM is stored as the next one */
                    for (int i = 0; i < 4; i++)
                        expect(l, i, packed_component(format, stored, i), packed_component(format, word, i), 0);
            }
            lift_close();
        }
    }
}

static void test_variants(const char *processor, uint8_t *memory) {
    static const struct {
        const char *name;
        unsigned what;
    } samples[] = {
        {"image_sample_l", LEVEL},
        {"image_sample_lz_o", OFFSET},
        {"image_sample_c_lz", COMPARES},
        {"image_sample_c_l_o", COMPARES | LEVEL | OFFSET},
        {"image_sample_d", GRADIENT},
        {"image_sample_d_cl", GRADIENT | LEAST},
        {"image_sample_c_d_cl_o", COMPARES | GRADIENT | LEAST | OFFSET},
        {"image_sample", IMPLICIT},
        {"image_sample_b", IMPLICIT | BIAS},
        {"image_sample_b_cl", IMPLICIT | BIAS | LEAST},
        {"image_get_lod", IMPLICIT | LOD},
        {"image_gather4_lz", GATHER},
        {"image_sample_d_g16", GRADIENT | G16},
        {"image_sample_lz", A16},
    };
    const bool plain = strcmp(processor, "gfx90a") == 0; /* no levels, gradients, gathers */
    for (size_t i = 0; i < sizeof samples / sizeof *samples && !plain; i++)
        if (generation > 9 || !(samples[i].what & (G16 | A16)))
            check_sample(processor, samples[i].name, samples[i].what, memory);
    check_load(processor, "image_load", false, false, memory);
    check_load(processor, "image_load_mip", true, false, memory);
    check_load(processor, "image_load", false, true, memory);
    check_store(processor, memory);
    check_size(processor, memory);
    check_packed(processor, memory);
}

/* Argument: a generation (without one: all). */
int main(int count, char **arguments) {
    const unsigned wanted = count > 1 ? (unsigned)atoi(arguments[1]) : 0;
    static const struct {
        const char *name;
        unsigned generation;
    } processors[] = {{"gfx906", 9}, {"gfx90a", 9}, {"gfx1030", 10}, {"gfx1100", 11}, {"gfx1200", 12}};
    lift_start();
    uint8_t *memory = lift_memory(1 << 17);
    for (size_t i = 0; i < sizeof processors / sizeof *processors; i++) {
        generation = processors[i].generation;
        if (wanted && wanted != generation)
            continue;
        test_formats(processors[i].name, memory);
        test_variants(processors[i].name, memory);
    }
    printf("%u checks, %u failures\n", checks, failures);
    return failures != 0 || !checks;
}
