/* The helpers of translated code against plain definitions. */
#include "device/cpu/helpers/helpers.h"
#include "device/cpu/helpers/lanes.h"
#include "machine/helpers.h"
#include "translate/isa/inst.h"
#include "translate/isa/isa.h"

#include <math.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static struct wl_wave *wave;
static uint32_t *row[8];

static void free_wave(void) {
    free(wave->lds);
    free(wave->scratch);
    free(wave);
    wave = NULL;
}

static void make_wave(uint32_t size, uint64_t exec) {
    if (wave)
        free_wave();
    wave = calloc(1, sizeof *wave + 8 * size * 4);
    wave->wave_size = size;
    wave->sgpr[126] = (uint32_t)exec;
    wave->sgpr[127] = (uint32_t)(exec >> 32);
    wave->lds = calloc(1, 65536);
    wave->scratch = calloc(64, 4096);
    for (uint32_t r = 0; r < 8; r++) {
        row[r] = &wave->vgpr[r * size];
        for (uint32_t l = 0; l < size; l++)
            row[r][l] = r * 1000 + l;
    }
}

static const struct wl_helpers *const help = &wl_helpers_table;

static void lanes_move(void **state) {
    (void)state;
    make_wave(64, ~UINT64_C(2));
    for (uint32_t l = 0; l < 64; l++)
        row[1][l] = (63 - l) * 4;
    help->ds_bpermute(wave, row[0], row[1], row[2], 0);
    assert_int_equal(row[0][0], 2063);
    assert_int_equal(row[0][1], 1);  /* inactive: kept */
    assert_int_equal(row[0][62], 0); /* from the inactive lane */
    help->ds_permute(wave, row[3], row[1], row[2], 4);
    assert_int_equal(row[3][0], 2000);
    assert_int_equal(row[3][10], 2054);
    make_wave(64, ~UINT64_C(0));
    help->ds_swizzle(wave, row[0], row[2], 0x1f | 1 << 10); /* xor 1 */
    assert_int_equal(row[0][34], 2035);
    help->ds_swizzle(wave, row[0], row[2], 0x8000 | 0x1b); /* quads reversed */
    assert_int_equal(row[0][5], 2006);
    help->ds_swizzle(wave, row[0], row[2], 0xc000 | 3 << 5); /* rotate by 3 in 32 */
    assert_int_equal(row[0][31], 2002);
    assert_int_equal(row[0][40], 2043);
    help->permlanex16(wave, row[0], row[2], 0x76543210, 0xfedcba98, 0, 0);
    assert_int_equal(row[0][3], 2019);
    assert_int_equal(row[0][63], 2047);
    free_wave();
}

/* Lanes 0 and 1 of two registers change places crosswise; lane 2 reads a lane that is off. */
static void lanes_are_exchanged(void **state) {
    (void)state;
    for (unsigned round = 0; round < 3; round++) {
        make_wave(64, ~UINT64_C(8));
        struct wl_exchange exchange = {.to = {row[1], row[2]}, .source = {row[1], row[2]}, .results = 2, .sources = 2};
        for (unsigned l = 0; l < 64; l++) {
            exchange.from[0][l] = (uint8_t)(l < 2 ? 64 + (l ^ 1) : l == 2 ? 3 : l);
            exchange.from[1][l] = (uint8_t)(l < 2 ? l ^ 1 : 64 + l);
        }
        exchange.fetch_inactive = round == 1;
        exchange.bound_control = round == 2;
        help->exchange(wave, &exchange);
        assert_int_equal(row[1][0], 2001);
        assert_int_equal(row[1][1], 2000);
        assert_int_equal(row[2][0], 1001);
        assert_int_equal(row[2][1], 1000);
        assert_int_equal(row[1][2], round == 0 ? 1002 : round == 1 ? 1003 : 0);
        assert_int_equal(row[1][3], 1003);
        assert_int_equal(row[2][63], 2063);
        free_wave();
    }
}

static void dpp_moves(void **state) {
    static const struct {
        uint32_t kind, control;
        int lane0, lane17, lane40; /* the source lane; -1: not written */
    } cases[] = {
        {WL_DPP_QUAD_PERM, 0x1b, 3, 18, 43}, {WL_DPP_ROW_SHL, 1, 1, 18, 41},      {WL_DPP_ROW_SHR, 1, -1, 16, 39},
        {WL_DPP_ROW_ROR, 4, 12, 29, 36},     {WL_DPP_WAVE_SHL, 1, 1, 18, 41},     {WL_DPP_WAVE_SHR, 1, -1, 16, 39},
        {WL_DPP_WAVE_ROR, 1, 63, 16, 39},    {WL_DPP_ROW_MIRROR, 0, 15, 30, 39},  {WL_DPP_ROW_HALF_MIRROR, 0, 7, 22, 47},
        {WL_DPP_ROW_BCAST15, 0, -1, 15, 31}, {WL_DPP_ROW_BCAST31, 0, -1, -1, 31}, {WL_DPP_ROW_SHARE, 5, 5, 21, 37},
        {WL_DPP_ROW_XMASK, 3, 3, 18, 43},    {WL_DPP_DPP8, 0xfac688, 0, 17, 40},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        make_wave(64, ~UINT64_C(0));
        uint64_t written = help->dpp(wave, row[0], row[2], cases[i].kind, cases[i].control, 15, 15, 0, 0);
        const int lanes[3] = {0, 17, 40}, sources[3] = {cases[i].lane0, cases[i].lane17, cases[i].lane40};
        for (int k = 0; k < 3; k++) {
            assert_int_equal(written >> lanes[k] & 1, sources[k] >= 0);
            assert_int_equal(row[0][lanes[k]], sources[k] >= 0 ? 2000 + sources[k] : lanes[k]);
        }
        free_wave();
    }
    make_wave(64, ~UINT64_C(0));
    assert_int_equal(help->dpp(wave, row[0], row[2], WL_DPP_ROW_SHR, 1, 0xa, 0xf, 1, 0), 0xffff0000ffff0000);
    assert_int_equal(row[0][16], 0);
    free_wave();
}

static void memory_is_reached(void **state) {
    (void)state;
    make_wave(64, ~UINT64_C(0));
    uint64_t data[64];
    for (uint32_t l = 0; l < 64; l++) {
        data[l] = 0x1111111100000000u + l;
        uint64_t address = (uint64_t)(uintptr_t)&data[63 - l];
        row[0][l] = (uint32_t)address;
        row[1][l] = (uint32_t)(address >> 32);
    }
    help->flat_load(wave, row[2], row[0], 0, 0, WL_ELEMENT(32, 2, 0));
    assert_int_equal(row[2][3], 60);
    assert_int_equal(row[3][3], 0x11111111);
    help->flat_load(wave, row[2], row[0], 3, 0, WL_ELEMENT(8, 1, WL_ELEMENT_SIGNED | WL_ELEMENT_D16 | WL_ELEMENT_HIGH));
    assert_int_equal(row[2][3], 60);
    for (uint32_t l = 0; l < 64; l++)
        row[4][l] = 1;
    help->flat_atomic(wave, row[5], row[4], row[0], 0, 0, WL_ELEMENT(32, 1, WL_ELEMENT_RETURN), WL_ATOMIC_ADD);
    assert_int_equal(row[5][3], 60);
    assert_int_equal((uint32_t)data[60], 61);
    /* LDS and scratch through their apertures. */
    for (uint32_t l = 0; l < 64; l++) {
        row[0][l] = l * 8 + 1;
        row[1][l] = l % 2 ? WL_SHARED_APERTURE_HI : WL_PRIVATE_APERTURE_HI;
        row[4][l] = 0xa0b0c000 + l;
    }
    help->flat_store(wave, row[4], row[0], 0, 0, WL_ELEMENT(32, 1, 0));
    help->flat_load(wave, row[5], row[0], 0, 0, WL_ELEMENT(32, 1, 0));
    assert_memory_equal(row[4], row[5], 256);
    uint32_t word;
    memcpy(&word, wave->lds + 3 * 8 + 1, 4);
    assert_int_equal(word, 0xa0b0c003);
    assert_int_equal(wave->scratch[wl_scratch_address(2 * 8 + 4, 2, 64)], 0xa0);
    help->scratch_load(wave, row[5], row[0], 0, WL_ELEMENT(16, 1, 0));
    assert_int_equal(row[5][2], 0xc002);
    /* LDS atomics: all lanes on one word. */
    memset(wave->lds, 0, 64);
    for (uint32_t l = 0; l < 64; l++) {
        row[0][l] = 8;
        row[4][l] = l;
    }
    help->ds_atomic(wave, row[5], row[4], row[0], 4, WL_ELEMENT(32, 1, WL_ELEMENT_RETURN), WL_ATOMIC_UMAX);
    memcpy(&word, wave->lds + 12, 4);
    assert_int_equal(word, 63);
    assert_int_equal(row[5][5], 4);
    free_wave();
}

static void buffers_are_addressed(void **state) {
    (void)state;
    make_wave(64, ~UINT64_C(0));
    uint32_t words[256];
    for (uint32_t i = 0; i < 256; i++)
        words[i] = i;
    uint64_t base = (uint64_t)(uintptr_t)words;
    uint32_t raw[4] = {(uint32_t)base, (uint32_t)(base >> 32), 400, 0x27000};
    for (uint32_t l = 0; l < 64; l++)
        row[0][l] = l * 8;
    help->buffer_load(wave, row[2], row[0], raw, 4, 4, WL_ELEMENT(32, 2, WL_ELEMENT_OFFEN));
    assert_int_equal(row[2][3], 8);
    assert_int_equal(row[3][3], 9);
    assert_int_equal(row[2][60], 0); /* beyond 400 bytes */
    /* Structured: stride 16, 10 records. */
    uint32_t structured[4] = {(uint32_t)base, (uint32_t)(base >> 32) | 16 << 16, 10, 0x27000};
    for (uint32_t l = 0; l < 64; l++)
        row[0][l] = l;
    help->buffer_load(wave, row[2], row[0], structured, 0, 4, WL_ELEMENT(32, 1, WL_ELEMENT_IDXEN));
    assert_int_equal(row[2][9], 37);
    assert_int_equal(row[2][10], 0);
    /* The private segment's descriptor gives wl_scratch_address. */
    base = (uint64_t)(uintptr_t)wave->scratch;
    uint32_t private[4] = {(uint32_t)base, (uint32_t)(base >> 32) | 1u << 31, UINT32_MAX, 3 << 21 | 1 << 23};
    for (uint32_t l = 0; l < 64; l++) {
        row[0][l] = 16;
        row[4][l] = 77 + l;
    }
    help->buffer_store(wave, row[4], row[0], private, 0, 8, WL_ELEMENT(32, 1, WL_ELEMENT_OFFEN));
    for (uint32_t l = 0; l < 64; l++) {
        uint32_t word;
        memcpy(&word, wave->scratch + wl_scratch_address(24, l, 64), 4);
        assert_int_equal(word, 77 + l);
    }
    help->buffer_atomic(wave, row[4], row[0], raw, 0, 0, WL_ELEMENT(32, 1, WL_ELEMENT_OFFEN | WL_ELEMENT_RETURN), WL_ATOMIC_SWAP);
    assert_int_equal(row[4][0], 4);
    assert_int_equal(row[4][1], 77);
    free_wave();
}

static void formats_convert(void **state) {
    (void)state;
    make_wave(32, 1);
    uint8_t bytes[16] = {255, 0, 128, 51};
    uint64_t base = (uint64_t)(uintptr_t)bytes;
    /* gfx9: 8_8_8_8 unorm; x y z w selected */
    uint32_t d[4] = {(uint32_t)base, (uint32_t)(base >> 32), 16, 4 | 5 << 3 | 6 << 6 | 7 << 9 | 10 << 15};
    float out[4];
    help->buffer_load(wave, row[0], NULL, d, 0, 0, WL_ELEMENT(32, 4, WL_ELEMENT_TYPED));
    for (int i = 0; i < 4; i++)
        memcpy(&out[i], &row[i][0], 4);
    assert_true(out[0] == 1.0f && out[1] == 0.0f && fabsf(out[2] - 128.0f / 255) < 1e-6f && out[3] == 0.2f);
    /* gfx10 unified 71: four halves; store and load back */
    float in[4] = {1.5f, -0.25f, 65504, 6e-8f};
    for (int i = 0; i < 4; i++)
        memcpy(&row[i][0], &in[i], 4);
    help->buffer_store(wave, row[0], NULL, d, 0, 0, WL_ELEMENT(32, 4, WL_ELEMENT_WITH_FORMAT(71) | WL_ELEMENT_GENERATION(10)));
    uint16_t halves[4];
    memcpy(halves, bytes, 8);
    assert_int_equal(halves[0], 0x3e00);
    assert_int_equal(halves[1], 0xb400);
    assert_int_equal(halves[2], 0x7bff);
    assert_int_equal(halves[3], 1);
    help->buffer_load(wave, row[4], NULL, d, 0, 0, WL_ELEMENT(32, 3, WL_ELEMENT_WITH_FORMAT(71) | WL_ELEMENT_GENERATION(10)));
    memcpy(out, &row[5][0], 4);
    assert_true(out[0] == -0.25f);
    free_wave();
}

static void floating_point_modes_are_set(void **state) {
    volatile float tiny = 1e-40f, third = 1.0f;
    (void)state;
    uint32_t control = wl_float_enter(0xf0);
    assert_true(tiny * 1.0f != 0);
    wl_float_enter(0xc0);
    assert_true(tiny * 1.0f == 0);
    wl_float_enter(0xf1); /* up */
    volatile float up = third / 3;
    wl_float_enter(0xf2); /* down */
    volatile float down = third / 3;
    wl_float_restore(control);
    assert_true(up > down);
    make_wave(64, 1);
    help->setreg(wave, 1 | 4 << 6 | 1 << 11, 0); /* hwreg(MODE, 4, 2) */
    assert_int_equal(wave->mode_register & 0x30, 0);
    assert_true(tiny * 1.0f == 0);
    wl_float_restore(control);
    assert_int_equal(help->getreg(wave, 1 | 0 << 6 | 7 << 11), wave->mode_register & 0xff);
    free_wave();
}

/* ---- atomics across two aligned words ---- */

/* What the helper does at a multiple of 4, the instruction does at a multiple of 8. */
static void split_atomics_compute_the_same(void **state) {
    static const uint64_t values[] = {0,         1, 0x80000000u, 0xffffffffu, UINT64_C(1) << 32, UINT64_C(1) << 63, 0x4008000000000000u,
                                      UINT64_MAX};
    enum { COUNT = sizeof values / sizeof *values };
    (void)state;
    for (uint32_t operation = WL_ATOMIC_SWAP; operation <= WL_ATOMIC_WRAP; operation++)
        for (int i = 0; i < COUNT * COUNT * COUNT; i++) {
            const uint64_t before = values[i % COUNT], data = values[i / COUNT % COUNT], second = values[i / COUNT / COUNT];
            _Alignas(16) uint32_t words[4] = {7, (uint32_t)before, (uint32_t)(before >> 32), 9};
            uint64_t aligned = before;
            assert_true(help->split_atomic(&words[1], operation, data, second) == before);
            assert_true(wl_atomic_lane(&aligned, operation, 64, data, second) == before);
            assert_true((words[1] | (uint64_t)words[2] << 32) == aligned);
            assert_true(words[0] == 7 && words[3] == 9);
        }
}

enum { ADDERS = 4, ADDITIONS = 20000 };
static _Alignas(16) uint32_t shared_words[4];

/* Carries go from half to half; beside it the upper half is counted up by itself. */
static void *add_many(void *argument) {
    (void)argument;
    for (int i = 0; i < ADDITIONS; i++) {
        (void)help->split_atomic(&shared_words[1], WL_ATOMIC_ADD, 0xc0000001u, 0);
        if (i % 4 == 0)
            __atomic_fetch_add(&shared_words[2], 1u << 20, __ATOMIC_SEQ_CST);
    }
    return NULL;
}

static void split_atomics_lose_nothing(void **state) {
    pthread_t threads[ADDERS];
    (void)state;
    for (int i = 0; i < ADDERS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, add_many, NULL), 0);
    for (int i = 0; i < ADDERS; i++)
        pthread_join(threads[i], NULL);
    const uint64_t sum = UINT64_C(0xc0000001) * ADDERS * ADDITIONS + ((UINT64_C(1) << 52) * (ADDERS * ADDITIONS / 4));
    assert_true((shared_words[1] | (uint64_t)shared_words[2] << 32) == sum);
    assert_true(shared_words[0] == 0 && shared_words[3] == 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(split_atomics_compute_the_same),
        cmocka_unit_test(split_atomics_lose_nothing),
        cmocka_unit_test(lanes_move),
        cmocka_unit_test(lanes_are_exchanged),
        cmocka_unit_test(dpp_moves),
        cmocka_unit_test(memory_is_reached),
        cmocka_unit_test(buffers_are_addressed),
        cmocka_unit_test(formats_convert),
        cmocka_unit_test(floating_point_modes_are_set),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
