/* Matrix instructions among others, in one piece of code, against the same instructions one at a time: the lifter does several at once
 * where registers allow it. What single ones compute is test_matrix.c's. */
#include "../random_numbers.h"
#include "translate/lift_run.h"

#include <stdio.h>
#include <string.h>

enum { PROGRAMS = 6, LENGTH = 14, ROWS = 112, FIRST_D = 64, LINE = 120 };

static const struct form {
    const char *processor, *name;
    unsigned wave, a, d; /* registers of A and B, of D */
    const char *constant;
} forms[] = {
    {"gfx942", "v_mfma_f32_16x16x16_f16", 64, 2, 4, "1.0"},      {"gfx942", "v_mfma_f32_32x32x8_f16", 64, 2, 16, "0"},
    {"gfx942", "v_mfma_f32_16x16x32_fp8_fp8", 64, 2, 4, "2.0"},  {"gfx942", "v_mfma_i32_16x16x32_i8", 64, 2, 4, "7"},
    {"gfx90a", "v_mfma_f32_16x16x4f32", 64, 1, 4, "1.0"},        {"gfx90a", "v_mfma_f32_16x16x16f16", 64, 2, 4, "1.0"},
    {"gfx1100", "v_wmma_f32_16x16x16_f16", 32, 8, 8, "1.0"},     {"gfx1100", "v_wmma_i32_16x16x16_iu8", 32, 4, 8, "3"},
    {"gfx1200", "v_wmma_f32_16x16x16_fp8_fp8", 32, 2, 8, "1.0"},
};

static uint32_t random_number(void) {
    static uint64_t state = 0x2545f4914f6cdd1du;
    return (uint32_t)(next_random(&state) >> 24);
}
static unsigned below(unsigned limit) { return random_number() % limit; }

static void name_range(char *text, unsigned first, unsigned count) {
    if (count == 1)
        snprintf(text, 16, "v%u", first);
    else
        snprintf(text, 16, "v[%u:%u]", first, first + count - 1);
}

/* Few registers, so that most instructions touch what others do; now and then D is among A and B. */
static void write_matrix(char *line, const struct form *f) {
    char d[16], a[16], b[16], c[16];
    const unsigned results = (ROWS - FIRST_D) / f->d;
    const unsigned d_row = below(16) ? FIRST_D + below(results < 3 ? results : 3) * f->d : below(4) * 8, c_kind = below(8);
    name_range(d, d_row, f->d);
    name_range(a, below(below(8) ? 4 : 9) * 8, f->a);
    name_range(b, below(below(8) ? 4 : 9) * 8, f->a);
    if (c_kind == 0)
        snprintf(c, sizeof c, "%s", f->constant);
    else
        name_range(c, c_kind == 1 ? FIRST_D + below(2) * f->d : d_row, f->d);
    snprintf(line, LINE, "%s %s, %s, %s, %s\n", f->name, d, a, b, c);
}

static void write_line(char *line, const struct form *f) {
    const unsigned kind = below(8);
    if (kind == 0)
        snprintf(line, LINE, "v_xor_b32 v%u, v%u, v%u\n", below(ROWS), below(ROWS), below(ROWS));
    else if (kind == 1)
        snprintf(line, LINE, "v_mov_b32 v%u, 0x3c003c00\n", below(40));
    else if (kind == 2)
        snprintf(line, LINE, "s_add_u32 s4, s4, 1\n");
    else
        write_matrix(line, f);
}

static uint32_t start[ROWS][64], together[ROWS][64];

static void put(const uint32_t (*from)[64], unsigned wave) {
    for (unsigned r = 0; r < ROWS; r++)
        memcpy(lift_row(r), from[r], (size_t)wave * 4);
}
static void get(uint32_t (*to)[64], unsigned wave) {
    for (unsigned r = 0; r < ROWS; r++)
        memcpy(to[r], lift_row(r), (size_t)wave * 4);
}

static bool is_same(const uint32_t *x, const uint32_t *y, bool is_float, unsigned wave) {
    for (unsigned l = 0; l < wave; l++) {
        const bool nans = is_float && (x[l] & 0x7fffffff) > 0x7f800000 && (y[l] & 0x7fffffff) > 0x7f800000;
        if (x[l] != y[l] && !nans)
            return false;
    }
    return true;
}

static unsigned check(const struct form *f) {
    static uint32_t now[ROWS][64];
    static char line[LENGTH][LINE], text[LENGTH * LINE];
    const uint64_t exec = below(2) ? UINT64_MAX : UINT64_C(0x8000a5a5f0ff0310);
    const bool is_float = !strstr(f->name, "i32");
    text[0] = 0;
    for (unsigned i = 0; i < LENGTH; i++) {
        write_line(line[i], f);
        strcat(text, line[i]);
    }
    for (unsigned r = 0; r < ROWS; r++) /* elements and sums of ordinary size: f32 near 1, f16 near 1, bytes of small numbers */
        for (unsigned l = 0; l < 64; l++)
            start[r][l] =
                r >= FIRST_D || f->a == 1 ? 0x3f800000 | (random_number() & 0x803fffff) : 0x38003800 | (random_number() & 0x87ff87ff);
    lift_open(f->processor, f->wave, text);
    put(start, f->wave);
    lift_execute(exec);
    get(together, f->wave);
    lift_close();
    memcpy(now, start, sizeof now);
    for (unsigned i = 0; i < LENGTH; i++) {
        lift_open(f->processor, f->wave, line[i]);
        put(now, f->wave);
        lift_execute(exec);
        get(now, f->wave);
        lift_close();
    }
    for (unsigned r = 0; r < ROWS; r++)
        if (!is_same(now[r], together[r], is_float, f->wave)) {
            fprintf(stderr, "v%u differs, %s, exec %#llx, after\n%s", r, f->processor, (unsigned long long)exec, text);
            return 1;
        }
    return 0;
}

int main(void) {
    unsigned checks = 0, failures = 0;
    lift_start();
    for (const struct form *f = forms; f < forms + sizeof forms / sizeof *forms; f++)
        for (unsigned i = 0; i < PROGRAMS; i++, checks++)
            failures += check(f);
    printf("%u programs, %u failures\n", checks, failures);
    return failures != 0;
}
