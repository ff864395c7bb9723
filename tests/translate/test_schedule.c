/* The order of a unit's instructions: where scalar work on comparisons goes (wl_unit_schedule), where matrix instructions go
 * (wl_unit_join_matrices), where barriers go, and what both arms of a condition begin with (wl_unit_join_arms). */
#include "assembled.h"
#include "translate/rewrite/rewrite.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

struct kernel {
    const char *title, *processor;
    unsigned wave_size;
    const char *text;
    const char *order; /* letters of the instructions, 'a' the first of the text, as they stand afterwards */
};

#define GFX9  "gfx906", 64
#define GFX10 "gfx1030", 32
#define GFX11 "gfx1100", 32

static const struct kernel kernels[] = {
    {"a loop's condition goes behind its store", GFX9,
     "v_mov_b32 v5, 0\n v_cmp_le_i32 s[0:1], s9, v0\n s_or_b64 s[6:7], s[0:1], s[6:7]\n v_add_f32 v3, v1, v2\n"
     "global_store_dword v[4:5], v3, off\n s_andn2_b64 exec, exec, s[6:7]\n s_endpgm",
     "abdecfg"},
    {"behind additions to LDS and to memory", GFX9,
     "v_mov_b32 v5, 0\n v_cmp_le_i32 s[0:1], s9, v0\n s_or_b64 s[6:7], s[0:1], s[6:7]\n ds_add_u32 v6, v4\n"
     "global_atomic_add v[4:5], v3, off\n s_andn2_b64 exec, exec, s[6:7]\n s_endpgm",
     "abdecfg"},
    {"so does all that depends on it, in its order", GFX9,
     "v_mov_b32 v5, 0\n v_cmp_le_i32 vcc, s9, v0\n s_and_b64 s[0:1], vcc, s[4:5]\n s_or_b64 s[6:7], s[0:1], s[6:7]\n v_add_f32 v3, v1, v2\n"
     "s_andn2_b64 exec, exec, s[6:7]\n s_endpgm",
     "abecdfg"},
    {"not behind what reads its result", GFX9,
     "v_mov_b32 v5, 0\n v_cmp_le_i32 s[0:1], s9, v0\n s_or_b64 s[6:7], s[0:1], s[6:7]\n v_mov_b32 v2, v1\n v_cndmask_b32 v3, v1, v2, "
     "s[6:7]\n"
     "v_mov_b32 v4, v3\n s_endpgm",
     "abdcefg"},
    {"not behind what writes its source", GFX9,
     "v_mov_b32 v5, 0\n v_cmp_le_i32 vcc, s9, v0\n s_or_b64 s[6:7], vcc, s[6:7]\n v_mov_b32 v2, v1\n v_cmp_gt_i32 vcc, s9, v0\n"
     "v_mov_b32 v4, v3\n s_endpgm",
     "abdcefg"},
    {"not behind what writes its result", GFX9,
     "v_mov_b32 v5, 0\n v_cmp_le_i32 vcc, s9, v0\n s_or_b64 s[6:7], vcc, s[6:7]\n v_mov_b32 v2, v1\n v_cmp_gt_i32 s[6:7], s9, v0\n"
     "v_mov_b32 v4, v3\n s_endpgm",
     "abdcefg"},
    {"not behind what reads SCC", GFX9,
     "v_mov_b32 v5, 0\n v_cmp_le_i32 vcc, s9, v0\n s_and_b64 s[6:7], vcc, s[6:7]\n v_mov_b32 v2, v1\n s_cselect_b32 s3, 1, 2\n"
     "v_mov_b32 v4, s3\n s_endpgm",
     "abdcefg"},
    {"not behind a wait of the workgroup", GFX9,
     "v_mov_b32 v5, 0\n v_cmp_le_i32 vcc, s9, v0\n s_or_b64 s[6:7], vcc, s[6:7]\n s_barrier\n ds_read_b32 v2, v1\n s_endpgm", "abcdef"},
    {"scalar work on scalars stays", GFX10, "v_mov_b32 v5, 0\n s_or_b32 s6, s7, s8\n v_mov_b32 v2, v1\n v_mov_b32 v3, v1\n s_endpgm",
     "abcde"},
    {"the first instruction stays", GFX10, "s_or_b32 s6, vcc_lo, s6\n v_mov_b32 v2, v1\n s_endpgm", "abc"},
    {"behind both of a pair, or before", GFX11,
     "v_mov_b32 v5, 0\n v_cmp_le_i32 vcc_lo, s9, v0\n s_or_b32 s6, vcc_lo, s6\n v_dual_mov_b32 v4, v1 :: v_dual_mov_b32 v7, v2\n s_endpgm",
     "abdecf"},
};

#define GFX90A    "gfx90a", 64
#define PRODUCT_1 "v_mfma_f32_16x16x4f32 a[0:3], v0, v1, a[0:3]\n "
#define PRODUCT_2 "v_mfma_f32_16x16x4f32 a[4:7], v2, v3, a[4:7]\n "

static const struct kernel matrices[] = {
    {"to the next one, behind loads of other registers", GFX90A,
     "s_nop 0\n " PRODUCT_1 "ds_read_b32 v4, v9\n s_add_u32 s8, s8, s9\n s_waitcnt lgkmcnt(0)\n " PRODUCT_2 "s_endpgm", "acdebfg"},
    {"all of them, in their order", GFX90A,
     "s_nop 0\n " PRODUCT_1 "v_mov_b32 v4, v5\n " PRODUCT_2 "v_mov_b32 v5, v6\n " PRODUCT_1 "v_mov_b32 v6, v7\n s_endpgm", "acegbdfh"},
    {"not behind what writes a factor", GFX90A, "s_nop 0\n " PRODUCT_1 "v_mov_b32 v4, v5\n ds_read_b32 v1, v9\n " PRODUCT_2 "s_endpgm",
     "acbdef"},
    {"not behind what reads the result", GFX90A,
     "s_nop 0\n " PRODUCT_1 "v_mov_b32 v4, v5\n v_accvgpr_read_b32 v5, a3\n " PRODUCT_2 "s_endpgm", "acbdef"},
    {"not behind what writes the result", GFX90A,
     "s_nop 0\n " PRODUCT_1 "v_mov_b32 v4, v5\n v_accvgpr_write_b32 a0, v5\n " PRODUCT_2 "s_endpgm", "acbdef"},
    {"not behind what reads other lanes of the result", GFX90A,
     "s_nop 0\n v_mfma_f32_16x16x4f32 v[12:15], v0, v1, v[12:15]\n v_mov_b32 v4, v5\n v_readlane_b32 s4, v12, 3\n " PRODUCT_2 "s_endpgm",
     "acbdef"},
    {"not behind a wait of the workgroup", GFX90A,
     "s_nop 0\n " PRODUCT_1 PRODUCT_1 "v_mov_b32 v4, v5\n s_barrier\n ds_read_b32 v5, v6\n s_endpgm", "adbcefg"},
    {"behind one, to others", GFX90A,
     "s_nop 0\n " PRODUCT_1 "v_mov_b32 v4, v5\n " PRODUCT_2 "s_barrier\n ds_read_b32 v5, v6\n " PRODUCT_1 "s_endpgm", "acefbdgh"},
    {"behind one, but not behind what writes a factor there", GFX90A,
     "s_nop 0\n " PRODUCT_1 "s_barrier\n ds_read_b32 v1, v6\n " PRODUCT_2 "s_endpgm", "acbdef"},
    {"not behind one that others pass by", GFX90A,
     "s_nop 0\n s_cbranch_scc1 1f\n s_nop 1\n " PRODUCT_1 "s_barrier\n 1: ds_read_b32 v5, v6\n " PRODUCT_2 "s_endpgm", "abcdefgh"},
    {"what stores other registers is passed", GFX90A, "s_nop 0\n " PRODUCT_1 "ds_write_b32 v9, v4\n " PRODUCT_2 "s_endpgm", "acbde"},
    {"one by itself stays", GFX90A, "s_nop 0\n " PRODUCT_1 "v_mov_b32 v4, v5\n s_endpgm", "abcd"},
    {"before both of a pair", GFX11,
     "s_nop 0\n v_wmma_f32_16x16x16_f16 v[16:23], v[0:7], v[8:15], v[16:23]\n v_dual_mov_b32 v40, v41 :: v_dual_mov_b32 v1, v43\n "
     "v_wmma_f32_16x16x16_f16 v[24:31], v[0:7], v[8:15], v[24:31]\n s_endpgm",
     "abcdef"},
};

/* The letters in the order that `pass` leaves, by a list of what was there before. */
static void order_of(const struct kernel *k, enum wl_status (*pass)(struct wl_unit *unit), char *order) {
    const struct wl_translate_request request = {.processor = k->processor, .wave_size = k->wave_size, .name = k->title};
    struct assembled made;
    assembled_build(&made, request, k->text);
    struct wl_unit *unit = &made.unit;
    struct wl_inst *before = malloc(unit->inst_count * sizeof *before);
    assert_non_null(before);
    memcpy(before, unit->insts, unit->inst_count * sizeof *before);
    assert_int_equal(pass(unit), WL_OK);
    uint32_t n = 0;
    for (; n < unit->inst_count && n < 26; n++)
        for (uint32_t i = 0; i < unit->inst_count; i++)
            if (before[i].address == unit->insts[n].address && before[i].size == unit->insts[n].size)
                order[n] = (char)('a' + i);
    order[n] = 0;
    free(before);
    assembled_free(&made);
}

/* Barriers, letter by letter: as wl_unit_build leaves the unit, and where its basic blocks end ('|'). */
static const struct kernel barriers[] = {
    {"behind the last uses of what was loaded", GFX9,
     "ds_read2_b32 v[2:3], v0 offset1:1\n v_add_f32 v4, v4, v2\n s_barrier\n v_add_f32 v4, v4, v3\n ds_write_b32 v0, v4\n s_endpgm",
     "abdc|ef|"},
    {"what does nothing may lie between", GFX10,
     "ds_read_b32 v2, v0\n s_barrier\n buffer_gl0_inv\n v_add_f32 v4, v4, v2\n ds_write_b32 v0, v4\n s_endpgm", "adb|cef|"},
    {"not where as many registers are live before", GFX9,
     "ds_read_b32 v2, v0\n s_barrier\n v_mul_f32 v2, v2, v2\n ds_write_b32 v0, v2\n s_endpgm", "ab|cde|"},
    {"only as far as fewer are", GFX9,
     "ds_read2_b32 v[2:3], v0 offset1:1\n s_barrier\n v_add_f32 v4, v2, v3\n v_mul_f32 v5, v4, v4\n ds_write2_b32 v0, v4, v5\n s_endpgm",
     "acb|def|"},
    {"what is behind a load stays", GFX9,
     "ds_read_b32 v2, v0\n s_barrier\n ds_read_b32 v3, v0\n v_add_f32 v2, v2, v3\n ds_write_b32 v0, v2\n s_endpgm", "ab|cdef|"},
    {"a comparison's mask stays", GFX9,
     "ds_read2_b32 v[2:3], v0 offset1:1\n s_barrier\n v_cmp_gt_f32 vcc, v2, v3\n v_cndmask_b32 v2, v4, v5, vcc\n ds_write_b32 v0, v2\n "
     "s_endpgm",
     "ab|cdef|"},
    {"what reads LDS stays", GFX9,
     "ds_read2_b32 v[2:3], v0 offset1:1\n s_barrier\n v_add_f32 v4, lds_direct, v2\n ds_write_b32 v0, v4\n s_endpgm", "ab|cde|"},
    {"what looks at other lanes stays", GFX9,
     "ds_read2_b32 v[2:3], v0 offset1:1\n s_barrier\n v_add_f32_dpp v4, v2, v3 row_shr:1 row_mask:0xf bank_mask:0xf bound_ctrl:0\n "
     "ds_write_b32 v0, v4\n s_endpgm",
     "ab|cde|"},
    {"where somebody comes from elsewhere all stays", GFX9,
     "ds_read2_b32 v[2:3], v0 offset1:1\n s_cbranch_scc1 1f\n s_barrier\n 1: v_add_f32 v4, v2, v3\n ds_write_b32 v0, v4\n s_endpgm",
     "ab|c|def|"},
    {"both of a pair, or none", GFX11,
     "ds_load_2addr_b32 v[2:3], v0 offset1:1\n s_barrier\n v_dual_add_f32 v4, v4, v2 :: v_dual_mul_f32 v5, v5, v3\n "
     "ds_store_2addr_b32 v0, v4, v5\n s_endpgm",
     "acdb|ef|"},
};

/* What both arms of a condition begin with goes before it; a point stands where the second one was. */
#define ARMS(BEFORE, FIRST, SECOND)                                                                                                        \
    BEFORE "s_and_saveexec_b64 s[2:3], vcc\n s_xor_b64 s[2:3], exec, s[2:3]\n" FIRST                                                       \
           "s_andn2_saveexec_b64 s[2:3], s[2:3]\n s_cbranch_execz 0f\n" SECOND "0: s_or_b64 exec, exec, s[2:3]\n s_endpgm"
static const struct kernel arms[] = {
    {"the same in both arms", GFX9, ARMS("", "v_add_f32 v3, v1, v2\n", "v_add_f32 v3, v1, v2\n v_mov_b32 v4, v3\n"), "ca|bd|e|.g|h|i|"},
    {"behind others", GFX9, ARMS("", "v_mov_b32 v5, v1\n v_add_f32 v3, v1, v2\n", "v_mov_b32 v6, v2\n v_add_f32 v3, v1, v2\n"),
     "da|bce|f|g.|i|j|"},
    {"two, in their order", GFX9, ARMS("", "v_mov_b32 v5, v1\n v_add_f32 v3, v5, v2\n", "v_mov_b32 v5, v1\n v_add_f32 v3, v5, v2\n"),
     "cda|be|f|..|i|j|"},
    {"another one stays", GFX9, ARMS("", "v_add_f32 v3, v1, v2\n", "v_add_f32 v3, v2, v2\n v_mov_b32 v4, v3\n"), "a|bcd|e|fg|h|i|"},
    {"with modifiers it stays", GFX9, ARMS("", "v_add_f32 v3, -v1, v2\n", "v_add_f32 v3, v1, v2\n"), "a|bcd|e|f|g|h|"},
    {"not before what it reads", GFX9, ARMS("", "v_mov_b32 v1, v5\n v_add_f32 v3, v1, v2\n", "v_add_f32 v3, v1, v2\n"), "a|bcde|f|g|h|i|"},
    {"not where the second arm has changed what it reads", GFX9,
     ARMS("", "v_add_f32 v3, v1, v2\n", "v_mov_b32 v1, v5\n v_add_f32 v3, v1, v2\n"), "a|bcd|e|fg|h|i|"},
    {"not where the second arm reads what was there", GFX9, ARMS("", "v_add_f32 v3, v1, v2\n", "v_mov_b32 v5, v3\n v_add_f32 v3, v1, v2\n"),
     "a|bcd|e|fg|h|i|"},
    {"not where a scalar changes in between", GFX9, ARMS("", "v_add_f32 v3, s8, v2\n s_mov_b32 s8, s9\n", "v_add_f32 v3, s8, v2\n"),
     "a|bcde|f|g|h|i|"},
    {"not where the first arm looks at all lanes", GFX9,
     ARMS("", "v_add_f32 v3, v1, v2\n v_readlane_b32 s8, v3, 5\n", "v_add_f32 v3, v1, v2\n"), "a|bcde|f|g|h|i|"},
    {"not of another register's lanes", GFX9,
     "s_and_saveexec_b64 s[2:3], vcc\n s_xor_b64 s[2:3], exec, s[2:3]\n v_add_f32 v3, v1, v2\n s_andn2_saveexec_b64 s[2:3], s[4:5]\n"
     "v_add_f32 v3, v1, v2\n s_endpgm",
     "a|bcd|ef|"},
};

static void end_of_blocks(const struct kernel *k, char *order) {
    const struct wl_translate_request request = {.processor = k->processor, .wave_size = k->wave_size, .name = k->title};
    struct assembled made;
    assembled_build(&made, request, k->text);
    const struct wl_unit *unit = &made.unit;
    for (uint32_t p = 0; p < unit->block_count; p++) {
        for (uint32_t i = unit->blocks[p].first; i < unit->blocks[p].first + unit->blocks[p].count; i++) {
            const struct wl_inst *inst = &unit->insts[i];
            char letter = 'a';
            for (uint32_t j = 0; j < unit->inst_count; j++)
                letter = (char)(letter + (unit->insts[j].address < inst->address ||
                                          (unit->insts[j].address == inst->address && unit->insts[j].size > inst->size)));
            *order++ = strcmp(inst->mnemonic, "s_nop") == 0 ? '.' : letter;
        }
        *order++ = '|';
    }
    *order = 0;
    assembled_free(&made);
}

static unsigned wrong_blocks(const struct kernel *list, unsigned count) {
    unsigned bad = 0;
    for (unsigned i = 0; i < count; i++) {
        char order[64] = "";
        end_of_blocks(&list[i], order);
        if (strcmp(order, list[i].order) == 0)
            continue;
        fprintf(stderr, "%s: %s, not %s\n", list[i].title, order, list[i].order);
        bad++;
    }
    return bad;
}

static void test_barriers(void **state) {
    (void)state;
    assert_int_equal(wrong_blocks(barriers, sizeof barriers / sizeof *barriers), 0);
}

static void test_arms(void **state) {
    (void)state;
    assert_int_equal(wrong_blocks(arms, sizeof arms / sizeof *arms), 0);
}

static unsigned wrong_orders(const struct kernel *list, unsigned count, enum wl_status (*pass)(struct wl_unit *unit)) {
    unsigned bad = 0;
    for (unsigned i = 0; i < count; i++) {
        char order[27] = "";
        order_of(&list[i], pass, order);
        if (strcmp(order, list[i].order) == 0)
            continue;
        fprintf(stderr, "%s: %s, not %s\n", list[i].title, order, list[i].order);
        bad++;
    }
    return bad;
}

static void test_orders(void **state) {
    (void)state;
    assert_int_equal(wrong_orders(kernels, sizeof kernels / sizeof *kernels, wl_unit_schedule), 0);
}

static void test_matrices(void **state) {
    (void)state;
    assert_int_equal(wrong_orders(matrices, sizeof matrices / sizeof *matrices, wl_unit_join_matrices), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_orders), cmocka_unit_test(test_matrices), cmocka_unit_test(test_barriers),
                                       cmocka_unit_test(test_arms)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
