/* gfx1250's matrix instructions without scales, by words: dense and sparse ones of f32, f16, 8-bit floats and integers, against sums over whole
 * matrices of small numbers, which are exact in any order. */
#include "isa/gfx1250.h"
#include "isa/number_formats.h"

enum { SIDE = 16, MOST_K = 128, A = 0, B = 8, C = 24, INDEX = 32, D = 40, RESULTS = 8 };

static const struct row {
    const char *name;
    uint32_t words[2];
    const struct number_format *a, *b; /* NULL: 8-bit integers, of which `is_signed` says what they are */
    unsigned k, run;                   /* elements of A beside each other in a lane, until the other half of the wave goes on */
    bool sparse, is_signed[2], second; /* second: index_key:1 */
} rows[] = {
    {"v_wmma_f32_16x16x4_f32", {0xcc5d0028, 0x1c621100}, &f32, &f32, 4, 2, false, {0}, false},
    {"v_wmma_f32_16x16x32_f16", {0xcc600028, 0x1c621100}, &f16, &f16, 32, 8, false, {0}, false},
    {"v_wmma_f32_16x16x64_fp8_bf8", {0xcc6b0028, 0x1c621100}, &fp8, &bf8, 64, 16, false, {0}, false},
    {"v_wmma_i32_16x16x64_iu8", {0xcc720028, 0x3c621100}, NULL, NULL, 64, 16, false, {true, false}, false},
    {"v_swmmac_f32_16x16x64_f16", {0xcc650028, 0x1c821100}, &f16, &f16, 64, 8, true, {0}, false},
    {"v_swmmac_f32_16x16x128_fp8_fp8", {0xcc730028, 0x1c821100}, &fp8, &fp8, 128, 16, true, {0}, false},
    {"v_swmmac_f32_16x16x64_f16 index_key:1", {0xcc650828, 0x1c821100}, &f16, &f16, 64, 8, true, {0}, true},
    {"v_swmmac_f32_16x16x128_fp8_fp8 index_key:1", {0xcc730828, 0x1c821100}, &fp8, &fp8, 128, 16, true, {0}, true},
    {"v_swmmac_i32_16x16x128_iu8", {0xcc7b0028, 0x7c821100}, NULL, NULL, 128, 16, true, {true, true}, false},
};

static unsigned bits_of(const struct number_format *f) { return f ? f->bits : 8; }

/* A small number's code. */
static uint32_t random_code(const struct number_format *f, bool is_signed, double *value) {
    const int number = (int)(random_number() % 9) - 4;
    if (!f) {
        const uint32_t code = random_number() & 0xff;
        *value = is_signed ? (double)(int8_t)code : (double)code;
        return code;
    }
    *value = number;
    return nearest(f, number, false, false);
}

static void put_element(unsigned first, unsigned lane, unsigned element, unsigned bits, uint32_t code) {
    const unsigned at = element * bits;
    uint32_t *dword = &lift_row(first + at / 32)[lane];
    *dword = (uint32_t)((*dword & ~(((UINT64_C(1) << bits) - 1) << at % 32)) | (uint64_t)code << at % 32);
}

/* Fills A or B, of which a lane holds `each` elements: line `lane % 16` of its side of the product. */
static void fill_side(double values[SIDE][MOST_K], unsigned first, const struct number_format *f, bool is_signed, unsigned each,
                      unsigned run) {
    for (unsigned lane = 0; lane < GFX1250_LANES; lane++)
        for (unsigned e = 0; e < each; e++) {
            const unsigned k = (e / run * 2 + lane / SIDE) * run + e % run;
            put_element(first, lane, e, bits_of(f), random_code(f, is_signed, &values[lane % SIDE][k]));
        }
}

/* Spreads the numbers that A has, two for each four of K, by random indices, which the lanes of half the wave each keep for half of a row. With
 * `second`, indices begin in the middle of what a lane has, and behind the end they are 0. */
static void spread(double a[SIDE][MOST_K], unsigned k, bool second) {
    double given[SIDE][MOST_K];
    const unsigned half = k / 4;

    memcpy(given, a, sizeof given);
    memset(a, 0, sizeof given);
    for (unsigned lane = 0; lane < GFX1250_LANES; lane++)
        for (unsigned r = 0; r < 2; r++)
            lift_row(INDEX + r)[lane] = 0;
    for (unsigned m = 0; m < SIDE; m++)
        for (unsigned n = 0; n < k / 2; n += 2) {
            const unsigned one = random_number() % 3, other = one + 1 + random_number() % (3 - one), lane = m + n / half * SIDE;
            const unsigned bit = n % half * 2 + (second ? half : 0);
            if (bit >= half * 2) {
                a[m][n * 2] = given[m][n] + given[m][n + 1];
                continue;
            }
            lift_row(INDEX + bit / 32)[lane] |= (one | other << 2) << bit % 32;
            a[m][n * 2 + one] = given[m][n];
            a[m][n * 2 + other] = given[m][n + 1];
        }
}

static double result_of(const struct row *row, uint32_t bits) { return row->a ? value_of(&f32, bits) : (double)(int32_t)bits; }

static void check(const struct row *row, unsigned round) {
    static double a[SIDE][MOST_K], b[SIDE][MOST_K];
    double sums[RESULTS][GFX1250_LANES];
    const unsigned each = row->k / 2, start = row->sparse ? D : C;
    char what[160];

    fill_side(a, A, row->a, row->is_signed[0], row->sparse ? each / 2 : each, row->run);
    fill_side(b, B, row->b, row->is_signed[1], each, row->sparse ? row->run * 2 : row->run);
    if (row->sparse)
        spread(a, row->k, row->second);
    for (unsigned r = 0; r < RESULTS; r++)
        for (unsigned lane = 0; lane < GFX1250_LANES; lane++) {
            const int number = (int)(random_number() % 100);
            lift_row(start + r)[lane] = row->a ? nearest(&f32, number, false, false) : (uint32_t)number;
            sums[r][lane] = number;
            for (unsigned k = 0; k < row->k; k++)
                sums[r][lane] += a[r + lane / SIDE * 8][k] * b[lane % SIDE][k];
        }
    lift_execute(UINT32_MAX);
    checks++;
    for (unsigned r = 0; r < RESULTS; r++)
        for (unsigned lane = 0; lane < GFX1250_LANES; lane++) {
            const double got = result_of(row, lift_row(D + r)[lane]);
            if (got == sums[r][lane])
                continue;
            snprintf(what, sizeof what, "%s, round %u: register %u, lane %u is %g, expected %g", row->name, round, r, lane, got,
                     sums[r][lane]);
            fail(what);
            return;
        }
}

int main(void) {
    lift_start();
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (unsigned host = 0; host < 2; host++) {
            open_words(rows[i].words, 2, host);
            for (unsigned round = 0; round < 4; round++)
                check(&rows[i], round);
            lift_close();
        }
    printf("%u checks, %u failures\n", checks, failures);
    return failures != 0;
}
