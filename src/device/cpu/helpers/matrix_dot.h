/* Products of bytes and of numbers of 8 bits on hosts with AVX-512 VNNI, BF16 and VBMI: a part of matrix_kernels.c, which includes it
 * behind what it uses. */
#ifndef WL_DEVICE_CPU_HELPERS_MATRIX_DOT_H
#define WL_DEVICE_CPU_HELPERS_MATRIX_DOT_H

#include <immintrin.h>

/* ---- hosts with dot products of bytes and of bf16 ----
 *
 * A dword of a lane holds neighbouring elements of K, of A's row or B's column, which is what the host's instructions multiply. */

typedef __attribute__((ext_vector_type(64))) uint8_t u8x64;

struct dot {
    const struct matrix *x;
    const struct operands *o;
    const uint32_t *a[MOST_RUNS], *b[MOST_RUNS]; /* dwords, as in struct operands: of element e at e * `pitch` */
    unsigned runs;
    unsigned dwords, pitch;   /* of a lane */
    bool swapped;             /* B is what is unsigned */
    const u32x16 *correction; /* sums start at minus this, by block and vector of columns; NULL: at 0 */
};

INLINE u32x16 byte_dot(u32x16 sum, u32x16 bytes, u32x16 signed_bytes) {
    return (u32x16)_mm512_dpbusd_epi32((__m512i)sum, (__m512i)bytes, (__m512i)signed_bytes);
}

/* 128 times the sums of B's columns: A's elements are taken as unsigned ones, 128 more than they are. */
static void correct_columns(const struct dot *t, u32x16 *correction) {
    const struct matrix *x = t->x;
    for (unsigned v = 0; v < x->stride / 16; v++) {
        u32x16 sum = 0;
        for (unsigned run = 0; run < t->runs; run++)
            for (unsigned e = 0; e < t->dwords; e++)
                sum = byte_dot(sum, (u32x16)0x80808080, load(t->b[run] + e * t->pitch + 16 * v));
        correction[v] = sum;
    }
}

/* Sums of a lane's row and a vector of columns: of pairs of bf16 (f32 bits), or of bytes. */
INLINE u32x16 dot(const struct dot *t, bool pairs, u32x16 sum, u32x16 row, u32x16 columns) {
    if (pairs)
        return (u32x16)_mm512_dpbf16_ps((__m512)sum, (__m512bh)row, (__m512bh)columns);
    return t->swapped ? byte_dot(sum, columns, row) : byte_dot(sum, row, columns);
}

INLINE void dot_tile(u32x16 *sum, const struct dot *t, bool pairs, unsigned row, unsigned column, unsigned rows, unsigned width) {
    for (unsigned run = 0; run < t->runs; run++)
        for (unsigned e = 0; e < t->dwords; e++) {
            const uint32_t *a = t->a[run] + e * t->pitch + row, *b = t->b[run] + e * t->pitch + column;
            u32x16 columns[2];
#pragma unroll
            for (unsigned w = 0; w < width; w++)
                columns[w] = load(b + 16 * w);
#pragma unroll
            for (unsigned r = 0; r < rows; r++)
#pragma unroll
                for (unsigned w = 0; w < width; w++)
                    sum[r * width + w] = dot(t, pairs, sum[r * width + w], (u32x16)a[r], columns[w]);
        }
}

INLINE void multiply_bytes(const struct dot *t, unsigned rows, unsigned width) {
    const struct matrix *x = t->x;
    const struct operands *o = t->o;
    const uint16_t *places = places_of(x);
    for (unsigned block = 0; block < x->blocks; block++)
        for (unsigned m = 0; m < 16 * width; m += rows) {
            const unsigned first = block * 256 * width * width;
            u32x16 sum[16];
#pragma unroll
            for (unsigned v = 0; v < rows * width; v++)
                sum[v] = t->correction ? -t->correction[block * width + v % width] : (u32x16)0;
            dot_tile(sum, t, false, block * 16 * width + m, block * 16 * width, rows, width);
#pragma unroll
            for (unsigned v = 0; v < rows * width; v++) {
                const unsigned at = first + places[m + v / width] + v % width * 16;
                const u32x16 c = o->c ? load(o->c + at) : (u32x16)o->constant;
                const bool clamp = (x->modifiers & WL_MATRIX_CLAMP) != 0;
                store(o->d + at, clamp ? (u32x16)__builtin_elementwise_add_sat((i32x16)c, (i32x16)sum[v]) : c + sum[v]);
            }
        }
}

/* Dwords of A or B where they are, or copied if D would overwrite them or bits are to be changed. */
static const uint32_t *dot_rows(const struct matrix *x, const uint32_t *rows, unsigned dwords, uint32_t flip, const struct operands *o,
                                size_t d_size, uint32_t *copy) {
    const size_t count = (size_t)dwords * x->wave_size;
    if (!flip && !overlaps(rows, count, o->d, d_size))
        return rows;
    for (size_t i = 0; i < count; i += 16)
        store(copy + i, load(rows + i) ^ flip);
    return copy;
}

/* Lists a product. */
INLINE void add_runs(struct dot *t, const uint32_t *a, const uint32_t *b) {
    for (unsigned g = 0; g < t->x->groups; g++) {
        t->a[t->runs] = a + g * t->x->stride;
        t->b[t->runs++] = b + g * t->x->stride;
    }
}

/* Integers of 8 bits, unless both matrices are unsigned. False: another way has to be taken. */
static bool run_bytes(const struct matrix *x, const struct operands *o, const struct chain *chain, size_t d_size) {
    const bool mfma = x->layout == WL_MATRIX_MFMA;
    const bool a_signed = mfma || field(x, WL_MATRIX_NEG_LO, 3) & 1, b_signed = mfma || field(x, WL_MATRIX_NEG_LO, 3) & 2;
    if (x->a != WL_MATRIX_I8 || x->b != WL_MATRIX_I8 || x->sparse || x->m == 4 || (mfma && x->modifiers) || !(a_signed || b_signed) ||
        x->a_elements % 4)
        return false;
    _Alignas(64) uint32_t copy_a[WL_MATRIX_CHAIN][MOST_ELEMENTS / 4 * LANES], copy_b[WL_MATRIX_CHAIN][MOST_ELEMENTS / 4 * LANES];
    u32x16 correction[4];
    struct dot t = {.x = x, .o = o, .dwords = x->a_elements / 4, .pitch = x->wave_size, .swapped = !b_signed};
    for (unsigned p = 0; p < chain->products; p++)
        add_runs(&t, dot_rows(x, chain->product[p]->a, t.dwords, a_signed && b_signed ? 0x80808080 : 0, o, d_size, copy_a[p]),
                 dot_rows(x, chain->product[p]->b, t.dwords, 0, o, d_size, copy_b[p]));
    if (a_signed && b_signed) {
        correct_columns(&t, correction);
        t.correction = correction;
    }
    if (x->m == 32)
        multiply_bytes(&t, 8, 2);
    else
        multiply_bytes(&t, 16, 1);
    return true;
}

/* ---- numbers of 8 bits are exact in bf16, and their products and sums of any order of magnitude but C's ---- */

/* bf16 bits of numbers of 7 bits without special values: `f` bits of fraction, exponents as far from bf16's as `up` says. */
#define LEADING(n)         ((n) >= 4 ? 2 : (n) >= 2 ? 1 : 0)
#define NORMAL(n, f, up)   ((((n) >> (f)) + (up)) << 7 | ((n) & ((1 << (f)) - 1)) << (7 - (f)))
#define DENORMAL(n, f, up) ((n) == 0 ? 0 : ((up) + 1 - (f) + LEADING(n)) << 7 | (((n) << (7 - LEADING(n))) & 0x7f))
#define NUMBER(n, f, up)   ((n) >> (f) ? NORMAL(n, f, up) : DENORMAL(n, f, up))
#define E4M3(n)            ((n) == 0x7f ? 0x7fc0 : NUMBER(n, 3, 120))
#define E4M3_FNUZ(n)       NUMBER(n, 3, 119)
#define E5M2(n)            ((n) > 0x7c ? 0x7fc0 : (n) == 0x7c ? 0x7f80 : NUMBER(n, 2, 112))
#define E5M2_FNUZ(n)       NUMBER(n, 2, 111)
#define OF_8(kind, shift, n)                                                                                                               \
    (kind(n) >> (shift)) & 0xff, (kind((n) + 1) >> (shift)) & 0xff, (kind((n) + 2) >> (shift)) & 0xff, (kind((n) + 3) >> (shift)) & 0xff,  \
        (kind((n) + 4) >> (shift)) & 0xff, (kind((n) + 5) >> (shift)) & 0xff, (kind((n) + 6) >> (shift)) & 0xff,                           \
        (kind((n) + 7) >> (shift)) & 0xff
#define OF_64(kind, shift, n)                                                                                                              \
    OF_8(kind, shift, n), OF_8(kind, shift, (n) + 8), OF_8(kind, shift, (n) + 16), OF_8(kind, shift, (n) + 24),                            \
        OF_8(kind, shift, (n) + 32), OF_8(kind, shift, (n) + 40), OF_8(kind, shift, (n) + 48), OF_8(kind, shift, (n) + 56)
#define TABLE(kind)                                                                                                                        \
    {                                                                                                                                      \
        {OF_64(kind, 0, 0), OF_64(kind, 0, 64)}, { OF_64(kind, 8, 0), OF_64(kind, 8, 64) }                                                 \
    }
static const _Alignas(64) uint8_t small_numbers[4][2][128] = {TABLE(E4M3), TABLE(E4M3_FNUZ), TABLE(E5M2), TABLE(E5M2_FNUZ)};

INLINE u8x64 look_up(u8x64 index, const uint8_t *table) {
    return (u8x64)_mm512_permutex2var_epi8((__m512i)load(table), (__m512i)index, (__m512i)load(table + 64));
}

/* Pairs of bf16, the first in the high half: the host multiplies and adds that half first. */
static void stage_small(uint32_t *staged, const uint32_t *rows, const struct matrix *x, unsigned kind) {
    const bool fnuz = x->layout == WL_MATRIX_MFMA && !(x->modifiers & WL_MATRIX_OCP);
    const uint8_t *low = small_numbers[(kind == WL_MATRIX_BF8 ? 2 : 0) + fnuz][0], *high = low + 128;
    const u32x16 lane = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
    /* Bytes of low parts, or (64 more) of high ones: of elements 1 and 0, and of 3 and 2. */
    const u32x16 order[2] = {lane * 0x04040404 + 0x40004101, lane * 0x04040404 + 0x42024303};
    for (unsigned r = 0; r < x->a_elements / 4; r++)
        for (unsigned l = 0; l < staged_lanes(x); l += 16) {
            const u8x64 bytes = (u8x64)load(rows + r * x->wave_size + l);
            u8x64 lows = look_up(bytes, low), highs = look_up(bytes, high) | (bytes & 0x80);
            if (fnuz) {
                lows = bytes == 0x80 ? (u8x64)0xc0 : lows;
                highs = bytes == 0x80 ? (u8x64)0x7f : highs;
            }
            for (unsigned i = 0; i < 2; i++)
                store(staged + (2 * r + i) * LANES + l, (u32x16)_mm512_permutex2var_epi8((__m512i)lows, (__m512i)order[i], (__m512i)highs));
        }
}

INLINE void multiply_pairs(const struct dot *t, unsigned rows, unsigned width) {
    const struct matrix *x = t->x;
    const struct operands *o = t->o;
    const uint16_t *places = places_of(x);
    for (unsigned block = 0; block < x->blocks; block++)
        for (unsigned m = 0; m < 16 * width; m += rows) {
            const unsigned first = block * 256 * width * width;
            u32x16 sum[16];
#pragma unroll
            for (unsigned v = 0; v < rows * width; v++)
                sum[v] = (u32x16)read_c(x, PLAIN, o->c ? o->c + first + places[m + v / width] + v % width * 16 : NULL, o->constant, false);
            dot_tile(sum, t, true, block * 16 * width + m, block * 16 * width, rows, width);
#pragma unroll
            for (unsigned v = 0; v < rows * width; v++)
                store(o->d + first + places[m + v / width] + v % width * 16, sum[v]);
        }
}

/* Denormals of C: the host's dot products take them for zero. */
static bool has_denormals(const struct operands *o, size_t size) {
    enum { DENORMAL_CLASS = 0x20 };
    unsigned found = _mm512_fpclass_ps_mask((__m512)(u32x16)o->constant, DENORMAL_CLASS);
    for (size_t i = 0; o->c && i < size; i += 16)
        found |= _mm512_fpclass_ps_mask((__m512)load(o->c + i), DENORMAL_CLASS);
    return found;
}

static bool is_small(unsigned kind) { return kind == WL_MATRIX_FP8 || kind == WL_MATRIX_BF8; }

static bool run_small(const struct matrix *x, const struct operands *o, const struct chain *chain, size_t d_size) {
    enum { C_MODIFIERS = 4 << WL_MATRIX_NEG_LO | 4 << WL_MATRIX_NEG_HI };
    const uint32_t unwanted = x->layout == WL_MATRIX_MFMA ? ~(uint32_t)WL_MATRIX_OCP : C_MODIFIERS;
    if (!is_small(x->a) || !is_small(x->b) || x->d != WL_MATRIX_F32 || x->sparse || x->m == 4 || x->modifiers & unwanted ||
        x->a_elements % 4 || has_denormals(o, d_size))
        return false;
    struct dot t = {.x = x, .o = o, .dwords = x->a_elements / 2, .pitch = LANES};
    for (unsigned p = 0; p < chain->products; p++) {
        if (must_stage(chain->a, p, chain->product[p]->a, true))
            stage_small(chain->a->element[p], chain->product[p]->a, x, x->a);
        if (must_stage(chain->b, p, chain->product[p]->b, true))
            stage_small(chain->b->element[p], chain->product[p]->b, x, x->b);
        add_runs(&t, chain->a->element[p], chain->b->element[p]);
    }
    if (x->m == 32)
        multiply_pairs(&t, 8, 2);
    else
        multiply_pairs(&t, 16, 1);
    return true;
}

#define RUN_DOT(x, o, chain, size) (run_bytes(x, o, chain, size) || run_small(x, o, chain, size))

#endif
