/* The matrix kernels of all kinds of hosts give the same bits, for every row and modifier, WAVELIFT_MATH=hardware's included: of x86-64 they are
 * compared with each other, and a digest of all results is the same on every architecture. */
#include "../random_numbers.h"
#include "base/cpu.h"
#include "machine/matrix.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

enum { LANES = 64, ROWS = 40, ROUNDS = 12 };

struct registers {
    _Alignas(64) uint32_t a[ROWS * LANES], b[ROWS * LANES], c[ROWS * LANES], d[ROWS * LANES];
};

static uint64_t state;

static uint32_t random_number(void) { return (uint32_t)(next_random(&state) >> 24); }

/* NaNs may differ in sign and payload. */
static bool same(uint32_t x, uint32_t y, unsigned kind) {
    if (x == y)
        return true;
    if (kind == WL_MATRIX_F32)
        return (x & 0x7fffffff) > 0x7f800000 && (y & 0x7fffffff) > 0x7f800000;
    uint32_t infinity = kind == WL_MATRIX_F16 ? 0x7c00 : 0x7f80;
    if (kind == WL_MATRIX_I32 || kind == WL_MATRIX_F64)
        return false;
    for (unsigned h = 0; h < 32; h += 16) {
        uint32_t p = x >> h & 0xffff, q = y >> h & 0xffff;
        if (p != q && !((p & 0x7fff) > infinity && (q & 0x7fff) > infinity))
            return false;
    }
    return true;
}

static void once(wl_matrix_fn *run, uint32_t wave_size, uint32_t *d, const uint32_t *a, const uint32_t *b, const uint32_t *c,
                 uint64_t constant, const struct wl_matrix *row, uint32_t modifiers) {
    const struct wl_matrix_product product = {d, a, b, c, constant};
    run(wave_size, &product, 1, row, modifiers);
}

/* Of the results, NaNs as one. */
static uint64_t digest = UINT64_C(0xcbf29ce484222325);
static const uint64_t expected_digest = UINT64_C(0x75e0800a45da057b); /* rows that come or go change it */

static uint32_t with_one_nan(uint32_t x, unsigned kind) {
    if (kind == WL_MATRIX_I32 || kind == WL_MATRIX_F64)
        return x;
    if (kind == WL_MATRIX_F32)
        return (x & 0x7fffffff) > 0x7f800000 ? 0x7fc00000 : x;
    const uint32_t infinity = kind == WL_MATRIX_F16 ? 0x7c00 : 0x7f80;
    for (unsigned h = 0; h < 32; h += 16)
        if ((x >> h & 0x7fff) > infinity)
            x = (x & ~(UINT32_C(0xffff) << h)) | 0x7fffu << h;
    return x;
}

static void add_to_digest(uint32_t wave_size, const struct wl_matrix *row, uint32_t modifiers, const struct registers *in) {
    static struct registers x;
    x = *in;
    once(wl_matrix_base, wave_size, x.d, x.a, x.b, x.c, 0, row, modifiers);
    for (unsigned i = 0; i < ROWS * LANES; i++)
        digest = (digest ^ with_one_nan(x.d[i], row->d)) * UINT64_C(0x100000001b3);
}

/* The modifier of the hardware's sums, of either kind where both have the row; 0: it has none. The bf16 of gfx908 has no underscore before it. */
static uint32_t hardware_sums(const struct wl_matrix *row, bool aligned) {
    const bool small = row->a == WL_MATRIX_XF32 || row->a == WL_MATRIX_FP8 || row->a == WL_MATRIX_BF8;
    const bool halves = row->a == WL_MATRIX_F16 || row->a == WL_MATRIX_BF16,
               of_gfx908 = row->a == WL_MATRIX_BF16 && !strstr(row->name, "_bf16");
    if (row->layout != WL_MATRIX_MFMA || row->sparse || (halves && row->k * row->m > 256) || !(small || halves))
        return 0;
    return of_gfx908 || (halves && !aligned) ? WL_MATRIX_PAIRED : WL_MATRIX_ALIGNED;
}

static unsigned compare(const char *name, wl_matrix_fn *first, wl_matrix_fn *second, uint32_t wave_size, const struct wl_matrix *row,
                        uint32_t modifiers, const struct registers *in) {
    static struct registers x, y;
    x = y = *in;
    bool sparse = row->sparse;
    once(first, wave_size, x.d, x.a, x.b, sparse || modifiers & 1 ? x.c : NULL, 0x3f80, row, modifiers);
    once(second, wave_size, y.d, y.a, y.b, sparse || modifiers & 1 ? y.c : NULL, 0x3f80, row, modifiers);
    for (unsigned i = 0; i < ROWS * LANES; i++)
        if (!same(x.d[i], y.d[i], row->d)) {
            fprintf(stderr, "%s wave%u modifiers %#x: dword %u: %08x and %08x\n", name, wave_size, modifiers, i, x.d[i], y.d[i]);
            return 1;
        }
    return 0;
}

/* Operands that overlap each other are read before anything of D is written. C is D, or apart from it by some registers. */
static unsigned compare_overlapping(const char *name, wl_matrix_fn *run, uint32_t wave_size, const struct wl_matrix *row,
                                    uint32_t modifiers, const struct registers *in) {
    static _Alignas(64) uint32_t file[4 * ROWS * LANES];
    static struct registers apart;
    memcpy(file, in, sizeof file);
    uint32_t *d = file + random_number() % 40 * LANES, *c = random_number() & 1 ? d : file + random_number() % 40 * LANES;
    const uint32_t *a = file + random_number() % 60 * LANES, *b = file + random_number() % 60 * LANES;
    memcpy(apart.a, a, sizeof apart.a);
    memcpy(apart.b, b, sizeof apart.b);
    memcpy(apart.c, c, sizeof apart.c);
    memcpy(apart.d, d, sizeof apart.d);
    once(run, wave_size, apart.d, apart.a, apart.b, apart.c, 0, row, modifiers);
    once(run, wave_size, d, a, b, c, 0, row, modifiers);
    if (memcmp(d, apart.d, sizeof apart.d) == 0)
        return 0;
    fprintf(stderr, "%s wave%u modifiers %#x: overlapping operands make a difference\n", name, wave_size, modifiers);
    return 1;
}

/* Instructions at once: as one after the other. Some of them add to one D, some multiply by the same registers. */
static unsigned compare_group(const char *name, wl_matrix_fn *run, uint32_t wave_size, const struct wl_matrix *row, uint32_t modifiers,
                              const struct registers *in) {
    enum { D_ROWS = 32, RESULTS = 3, FACTORS = 4, FACTOR_ROWS = 8 };
    static _Alignas(64) uint32_t together[RESULTS * D_ROWS * LANES], apart[RESULTS * D_ROWS * LANES];
    struct wl_matrix_product product[WL_MATRIX_GROUP];
    const uint32_t count = 1 + random_number() % WL_MATRIX_GROUP;
    if (!wl_matrix_may_group(row, modifiers))
        return 0;
    for (unsigned i = 0; i < RESULTS * D_ROWS * LANES; i++)
        together[i] = apart[i] = in->c[i % (ROWS * LANES)];
    for (uint32_t i = 0; i < count; i++) {
        const size_t place = (size_t)(random_number() % RESULTS) * D_ROWS * LANES;
        const uint32_t kind = random_number() % 4;
        product[i] = (struct wl_matrix_product){.d = together + place,
                                                .a = in->a + (size_t)(random_number() % FACTORS) * FACTOR_ROWS * LANES,
                                                .b = in->b + (size_t)(random_number() % FACTORS) * FACTOR_ROWS * LANES,
                                                .c = kind == 0   ? NULL
                                                     : kind == 1 ? in->d
                                                                 : together + place,
                                                .constant = 0x3f800000};
        once(run, wave_size, apart + place, product[i].a, product[i].b, kind > 1 ? apart + place : product[i].c, product[i].constant, row,
             modifiers);
    }
    run(wave_size, product, count, row, modifiers);
    for (unsigned i = 0; i < RESULTS * D_ROWS * LANES; i++)
        if (!same(together[i], apart[i], row->d)) {
            fprintf(stderr, "%s wave%u modifiers %#x: %u at once, dword %u: %08x and %08x\n", name, wave_size, modifiers, count, i,
                    together[i], apart[i]);
            return 1;
        }
    return 0;
}

int main(void) {
    static struct registers in;
    unsigned checks = 0, failures = 0;
    enum wl_cpu_level level = wl_cpu_host_level();
    for (const struct wl_matrix *row = wl_matrices; row < wl_matrices + WL_MATRIX_COUNT; row++)
        for (unsigned round = 0; !row->scale_block && round < ROUNDS; round++) { /* those with scales: test_gfx950.c */
            unsigned layout = row->layout, kind = row->d;
            state = 0x853c49e6748fea9bu + ((uint64_t)(row - wl_matrices) << 8) + round; /* the same on hosts that compare more */
            uint32_t modifiers = random_number() & (layout == WL_MATRIX_MFMA ? 0x2103ff : 0x4fc00 | 3 << 16);
            uint32_t *all[] = {in.a, in.b, in.c, in.d};
            for (unsigned m = 0; m < 4; m++)
                for (unsigned i = 0; i < ROWS * LANES; i++) {
                    uint32_t r = random_number();
                    bool sixteen = row->a == WL_MATRIX_F16 || (m > 1 && kind == WL_MATRIX_F16);
                    if (kind == WL_MATRIX_F64)
                        r &= 0xbfffffff; /* no NaN: its halves cannot be told apart */
                    else if (round % 2 && sixteen)
                        r &= 0xbfffbfff;
                    else if (round % 2)
                        r = (r & 0xbfffbfff) | 0x20002000;
                    all[m][i] = r;
                }
            for (uint32_t wave = layout == WL_MATRIX_MFMA ? 64 : 32; wave <= 64; wave *= 2) {
                checks++;
                const uint32_t sums = hardware_sums(row, round & 1);
                if (kind != WL_MATRIX_BF16_OF_F32 || wave == 32) /* gfx1250 has no other waves */
                    add_to_digest(wave, row, modifiers, &in);
                if (sums)
                    add_to_digest(wave, row, sums, &in);
                failures += compare_overlapping(row->name, wl_matrix_base, wave, row, modifiers, &in);
                const uint32_t grouped = round & 1 ? modifiers : layout == WL_MATRIX_MFMA ? 0 : modifiers & 0x6c00;
                failures += compare_group(row->name, wl_matrix_base, wave, row, grouped, &in);
                failures += compare(row->name, wl_matrix_base, wl_matrix_base, wave, row, modifiers, &in); /* the same each time */
#if defined(__x86_64__)
                if (level >= WL_CPU_AVX2)
                    failures += compare(row->name, wl_matrix_base, wl_matrix_avx2, wave, row, modifiers, &in);
                if (sums && level >= WL_CPU_AVX2)
                    failures += compare(row->name, wl_matrix_base, wl_matrix_avx2, wave, row, sums, &in);
                if (sums && level >= WL_CPU_AVX512)
                    failures += compare(row->name, wl_matrix_base, wl_matrix_avx512, wave, row, sums, &in);
                if (sums && wl_cpu_has_dot())
                    failures += compare(row->name, wl_matrix_base, wl_matrix_dot, wave, row, sums, &in);
                if (level >= WL_CPU_AVX512)
                    failures += compare_overlapping(row->name, wl_matrix_avx512, wave, row, modifiers, &in);
                if (level >= WL_CPU_AVX512)
                    failures += compare_group(row->name, wl_matrix_avx512, wave, row, grouped, &in);
                if (level >= WL_CPU_AVX512)
                    failures += compare(row->name, wl_matrix_base, wl_matrix_avx512, wave, row, modifiers, &in);
                if (wl_cpu_has_dot()) {
                    failures += compare_group(row->name, wl_matrix_dot, wave, row, grouped, &in);
                    failures += compare_overlapping(row->name, wl_matrix_dot, wave, row, modifiers, &in);
                    failures += compare(row->name, wl_matrix_base, wl_matrix_dot, wave, row, modifiers, &in);
                    failures += compare(row->name, wl_matrix_base, wl_matrix_dot, wave, row, round & 1 ? modifiers & 0x60c00 : 0, &in);
                }
#endif
            }
        }
    if (digest != expected_digest) {
        fprintf(stderr, "the digest of all results is %016llx, expected %016llx\n", (unsigned long long)digest,
                (unsigned long long)expected_digest);
        failures++;
    }
    printf("%u checks, %u failures; level %d\n", checks, failures, (int)level);
    return failures != 0 || !checks;
}
