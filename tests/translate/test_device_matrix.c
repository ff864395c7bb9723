/* Matrix sums of the code for NVIDIA's GPUs, one at a time, against the CPU device's kernels: dense MFMA with WAVELIFT_MATH=hardware. */
#include "../random_numbers.h"
#include "device/cpu/helpers/helpers.h"
#include "machine/matrix.h"
#include "translate/nvptx/device/device.h"

#include <stdio.h>
#include <string.h>

enum { LANES = 64, REGISTERS = 32, RUNS = 400 };

static const struct sum {
    const char *name;
    wl_device_sum_fn *function;
} sums[] = {
#define SUM(name, ...) {#name, wl_device_sum_##name},
    WL_DEVICE_SUMS(SUM, SUM, SUM)
#undef SUM
};

static uint32_t random_bits(void) {
    static uint64_t state = 88172645463325252u;
    return (uint32_t)(next_random(&state) >> 16);
}

/* Bits of elements: any, or with exponents that are about the same. */
static uint32_t some_dword(unsigned kind, uint32_t like, bool any) {
    static const uint32_t fractions[] = {[WL_MATRIX_XF32] = 0x807fffff,
                                         [WL_MATRIX_F16] = 0x87ff87ff,
                                         [WL_MATRIX_BF16] = 0x81ff81ff,
                                         [WL_MATRIX_FP8] = 0x8f8f8f8f,
                                         [WL_MATRIX_BF8] = 0x87878787};
    return any ? random_bits() : (like & ~fractions[kind]) | (random_bits() & fractions[kind]);
}

static wl_device_sum_fn *find_sum(const struct wl_matrix *row, uint32_t modifiers, unsigned elements) {
    static const char *const kinds[] = {"f32", "xf32", "f16", "bf16", "fp8", "bf8"};
    char name[32];
    if (modifiers & WL_MATRIX_PAIRED)
        snprintf(name, sizeof name, "%s_%s_%u", modifiers & WL_MATRIX_FLUSH ? "flushed" : "pairs", kinds[row->a], elements);
    else if (row->a == WL_MATRIX_FP8 || row->a == WL_MATRIX_BF8)
        snprintf(name, sizeof name, "aligned_%s_%s", kinds[row->a], kinds[row->b]);
    else
        snprintf(name, sizeof name, "aligned_%s", kinds[row->a]);
    for (size_t i = 0; i < sizeof sums / sizeof *sums; i++)
        if (!strcmp(sums[i].name, name))
            return sums[i].function;
    return NULL;
}

/* All rows of A, columns of B and elements of C are alike: so are those of D. False: there is no such sum. */
static bool check(const struct wl_matrix *row, uint32_t modifiers, unsigned *failures) {
    static uint32_t a[REGISTERS * LANES], b[REGISTERS * LANES], c[REGISTERS * LANES], d[REGISTERS * LANES];
    const unsigned elements = row->m * row->k * row->blocks / LANES, groups = row->k / elements;
    const unsigned bits = row->a == WL_MATRIX_XF32                              ? 32
                          : row->a == WL_MATRIX_F16 || row->a == WL_MATRIX_BF16 ? 16
                                                                                : 8,
                   dwords = elements * bits / 32;
    wl_device_sum_fn *sum = find_sum(row, modifiers, elements);
    if (!sum || dwords > 2 || (modifiers & WL_MATRIX_ALIGNED && row->a == WL_MATRIX_BF16 && elements == 2)) /* CDNA3 has four in a lane */
        return false;
    for (unsigned run = 0; run < RUNS; run++) {
        const bool any = run % 4 == 0;
        const uint32_t like = random_bits();
        uint32_t want = any ? random_bits() : random_bits() & 0x9fffffff, arguments[2][4] = {{0}};
        unsigned count = 0;
        const struct wl_matrix_product product = {d, a, b, c, 0};
        for (unsigned g = 0; g < groups; g++)
            for (unsigned r = 0; r < dwords; r++) {
                const uint32_t x = some_dword(row->a, like, any), y = some_dword(row->b, like, any);
                for (unsigned l = g * LANES / groups; l < (g + 1) * LANES / groups; l++) {
                    a[r * LANES + l] = x;
                    b[r * LANES + l] = y;
                }
            }
        for (unsigned i = 0; i < REGISTERS * LANES; i++)
            c[i] = want;
        const uint32_t control = wl_float_enter(modifiers & WL_MATRIX_FLUSH ? 0xc0 : 0xf0); /* as wl_help_matrix does it */
        wl_matrix_base(LANES, &product, 1, row, modifiers);
        wl_float_leave(control);
        for (unsigned g = 0; g < groups; g++) {
            for (unsigned r = 0; r < dwords; r++, count++) {
                arguments[0][count] = a[r * LANES + g * LANES / groups];
                arguments[1][count] = b[r * LANES + g * LANES / groups];
            }
            if (modifiers & WL_MATRIX_PAIRED || count == 4 || g + 1 == groups) {
                const uint32_t *x = arguments[0], *y = arguments[1];
                want = sum(x[0], x[1], x[2], x[3], y[0], y[1], y[2], y[3], want);
                memset(arguments, 0, sizeof arguments);
                count = 0;
            }
        }
        if (d[LANES + 5] != want && (*failures)++ < 20)
            printf("%s, modifiers %#x: %08x, the CPU device has %08x\n", row->name, modifiers, want, d[LANES + 5]);
    }
    return true;
}

int main(void) {
    unsigned cases = 0, failures = 0;
    for (const struct wl_matrix *row = wl_matrices; row < wl_matrices + WL_MATRIX_COUNT; row++) {
        if (row->layout != WL_MATRIX_MFMA || row->sparse || row->scale_block || row->d != WL_MATRIX_F32 || row->a == WL_MATRIX_F32)
            continue;
        cases += check(row, WL_MATRIX_PAIRED, &failures);
        cases += check(row, WL_MATRIX_PAIRED | WL_MATRIX_FLUSH, &failures);
        cases += check(row, WL_MATRIX_ALIGNED, &failures);
    }
    printf("%u cases of %d sums, %u failures\n", cases, RUNS, failures);
    return failures != 0 || cases < 30;
}
