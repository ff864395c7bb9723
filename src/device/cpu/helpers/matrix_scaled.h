/* Products whose elements of A and B have 8, 6 or 4 bits, and scales by blocks of K: a part of matrix_kernels.c, which includes it behind what
 * it uses. */
#ifndef WL_DEVICE_CPU_HELPERS_MATRIX_SCALED_H
#define WL_DEVICE_CPU_HELPERS_MATRIX_SCALED_H

/* ---- scales: A and B of 8, 6 or 4 bits; blocks of K, one for each group of lanes, whose products are multiplied by powers of two ---- */

enum { MOST_K_ROWS = 32 * LANES /* elements of A or B */, MOST_BLOCKS = 8 /* of gfx1250, each with a scale */ };

INLINE unsigned bits_of(unsigned kind) { return kind == WL_MATRIX_FP4 ? 4 : kind == WL_MATRIX_FP6 || kind == WL_MATRIX_BF6 ? 6 : 8; }

/* A number without special values. `unit`: 2 to the power of 127 less its bias. */
INLINE f32x16 from_small(u32x16 code, unsigned bits, unsigned fraction, float unit) {
    const u32x16 size = code & ((1u << (bits - 1)) - 1), sign = code >> (bits - 1) << 31;
    return (f32x16)((u32x16)((f32x16)(size << (23 - fraction)) * unit) | sign);
}

INLINE f32x16 small_element(u32x16 code, unsigned kind) {
    switch (kind) {
    case WL_MATRIX_FP8:
        return from_fp8(code, false);
    case WL_MATRIX_BF8:
        return from_bf8(code, false);
    case WL_MATRIX_FP6:
        return from_small(code, 6, 3, 0x1p126f);
    case WL_MATRIX_BF6:
        return from_small(code, 6, 2, 0x1p124f);
    default:
        return from_small(code, 4, 1, 0x1p126f);
    }
}

/* Elements by K and row of A or column of B: staged[k * m + row]. A lane has 32 that lie side by side in K, of 8 bits two runs of 16. */
static void stage_by_k(float *staged, const uint32_t *rows, const struct matrix *x, unsigned kind) {
    const unsigned bits = bits_of(kind), run = bits == 8 ? 16 : 32;
    for (unsigned e = 0; e < x->a_elements; e++)
        for (unsigned l = 0; l < x->wave_size; l += 16) {
            const unsigned dword = e * bits / 32, shift = e * bits % 32;
            const unsigned k = e / run * run * x->groups + l / x->m * run + e % run;
            u32x16 code = load(rows + dword * x->wave_size + l) >> shift;
            if (shift + bits > 32)
                code |= load(rows + (dword + 1) * x->wave_size + l) << (32 - shift);
            store(staged + k * x->m + l % x->m, (u32x16)small_element(code & ((1u << bits) - 1), kind));
        }
}

/* sum + part * 2^(a + b - 254), rounded once; NaN where a or b is 255. What is cut off below 2^-126 is far below any f32. */
INLINE f32x16 add_scaled(f32x16 sum, f32x16 part, uint32_t a, u32x16 b) {
    const i32x16 power = (i32x16)(b + a) - 254;
    const i32x16 last = power > 127 ? (i32x16)127 : power < -126 ? (i32x16)-126 : power;
    const i32x16 rest = power - last, first = rest < -126 ? (i32x16)-126 : rest;
    const f32x16 result = FMA(part * (f32x16)((first + 127) << 23), (f32x16)((last + 127) << 23), sum);
    return (f32x16)(b == 255 || (u32x16)a == 255 ? (u32x16)0x7fc00000 : (u32x16)result);
}

static void multiply_scaled(const struct matrix *x, const struct wl_matrix_scaled *s, unsigned block) {
    _Alignas(64) float a[MOST_K_ROWS], b[MOST_K_ROWS];
    _Alignas(64) uint32_t scale[2][LANES], result[MOST_ROWS * MOST_ROWS]; /* scale: of the lane's row or column, and of its group's block */
    const uint16_t *places = places_of(x);
    stage_by_k(a, s->product.a, x, wl_matrix_chosen(field(x, WL_MATRIX_CBSZ, 3)));
    stage_by_k(b, s->product.b, x, wl_matrix_chosen(field(x, WL_MATRIX_BLGP, 3)));
    for (unsigned i = 0; i < 2; i++)
        for (unsigned l = 0; l < LANES; l++)
            scale[i][l] =
                (s->scale[i] ? s->scale[i][l] : (uint32_t)s->scale_value[i]) >> 8 * field(x, i ? WL_MATRIX_SCALE_B : WL_MATRIX_SCALE_A, 2) &
                255;
    for (unsigned m = 0; m < x->m; m++)
        for (unsigned column = 0; column < x->m; column += 16) {
            f32x16 sum = s->product.c ? loadf(s->product.c + places[m] + column) : (f32x16)(u32x16)(uint32_t)s->product.constant;
            for (unsigned g = 0; g < x->groups; g++) {
                f32x16 part = 0;
                for (unsigned k = g * block; k < (g + 1) * block; k++)
                    part = FMA((f32x16)a[k * x->m + m], loadf(b + k * x->m + column), part);
                sum = add_scaled(sum, part, scale[0][g * x->m + m], load(scale[1] + g * x->m + column));
            }
            store(result + places[m] + column, (u32x16)sum);
        }
    memcpy(s->product.d, result, (size_t)x->m * x->m * sizeof *result);
}

/* ---- gfx1250's scales, which may have fractions ---- */

/* What the code of a scale stands for. */
INLINE double scale_of(unsigned code, unsigned kind) {
    const unsigned fraction = code & 7, exponent = code >> 3;
    union {
        uint64_t bits;
        double number;
    } power = {.bits = (uint64_t)(code + 1023 - 127) << 52};
    if (kind == 0)
        return code == 255 ? __builtin_nan("") : power.number;
    const unsigned bias = kind == 1 ? 15 : 7, size = kind == 1 ? exponent : exponent & 15;
    if (kind == 1 ? code == 255 : (code & 127) == 127)
        return __builtin_nan("");
    power.bits = (uint64_t)((size ? size : 1) + 1023 - bias - 3) << 52;
    const double number = power.number * (size ? 8 + fraction : fraction);
    return kind != 1 && code & 128 ? -number : number;
}

/* The scales of A's rows (0) or B's columns (1), by block and row. */
static void read_scales(double *scale, const struct matrix *x, const struct wl_matrix_scaled *s, unsigned operand, unsigned blocks) {
    const unsigned kind = field(x, operand ? WL_MATRIX_SCALE_B : WL_MATRIX_SCALE_A, 2);
    const unsigned first = field(x, WL_MATRIX_ROWS, 2) >> operand & 1 ? 16 : 0;
    for (unsigned i = 0; i < 16; i++) {
        uint64_t codes = s->scale_value[operand];
        if (s->scale[operand])
            codes = s->scale[operand][first + i] | (blocks > 4 ? (uint64_t)s->scale[operand][x->wave_size + first + i] << 32 : 0);
        for (unsigned block = 0; block < blocks; block++)
            scale[block * 16 + i] = scale_of(codes >> 8 * block & 255, kind);
    }
}

/* As with gfx950's: the products that share scales are summed, and that sum is added to the whole with one rounding. */
static void multiply_scaled12(const struct matrix *x, const struct wl_matrix_scaled *s, unsigned block) {
    enum { M = 16, K = 128 };
    _Alignas(64) float a[MOST_K_ROWS], b[MOST_K_ROWS];
    _Alignas(64) double scale[2][MOST_BLOCKS * M];
    _Alignas(64) uint32_t result[M * M];
    const unsigned blocks = K / block;
    const uint16_t *places = places_of(x);
    stage_by_k(a, s->product.a, x, wl_matrix_chosen(field(x, WL_MATRIX_CBSZ, 3)));
    stage_by_k(b, s->product.b, x, wl_matrix_chosen(field(x, WL_MATRIX_BLGP, 3)));
    for (unsigned i = 0; i < 2; i++)
        read_scales(scale[i], x, s, i, blocks);
    for (unsigned m = 0; m < M; m++) {
        f32x16 sum = read_c(x, ANY, s->product.c ? s->product.c + places[m] : NULL, (uint32_t)s->product.constant, false);
        for (unsigned g = 0; g < blocks; g++) {
            f32x16 part = 0;
            f64x16 columns;
            for (unsigned k = g * block; k < (g + 1) * block; k++)
                part = FMA((f32x16)a[k * M + m], loadf(b + k * M), part);
            memcpy(&columns, scale[1] + g * M, sizeof columns);
            sum = CONVERT(f32x16, FMA(CONVERT(f64x16, part) * scale[0][g * M + m], columns, CONVERT(f64x16, sum)));
        }
        store(result + places[m], (u32x16)sum);
    }
    memcpy(s->product.d, result, sizeof result);
}

#endif
