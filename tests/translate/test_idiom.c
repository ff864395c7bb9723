/* Which instructions known sequences become: their names behind wl_unit_build, in the order of the text; and which sums read scalars that
 * were moved to vector registers. */
#include "assembled.h"
#include "translate/rewrite/rewrite.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

struct kernel {
    const char *title, *processor;
    unsigned wave_size;
    const char *text;
    const char *moves; /* letters of the products that became moves, 'a' the first instruction of the text */
};

#define GFX9  "gfx906", 64
#define GFX10 "gfx1030", 32

static const struct kernel kernels[] = {
    {"a root's scales go", GFX10,
     "v_cmp_gt_f32 vcc_lo, 0xd800000, v1\n v_cndmask_b32_e64 v2, 1.0, 0x71800000, vcc_lo\n v_cndmask_b32_e64 v3, 1.0, 0x58800000, vcc_lo\n"
     "v_mul_f32 v1, v1, v2\n v_rsq_f32 v1, v1\n v_mul_f32 v1, v3, v1\n s_endpgm",
     "df"},
    {"with the comparison the other way round, and the argument kept", GFX10,
     "v_cmp_lt_f32_e64 s0, v4, 0xd800000\n v_cndmask_b32_e64 v2, 1.0, 0x71800000, s0\n v_mul_f32 v1, v2, v4\n v_rsq_f32 v1, v1\n"
     "v_cndmask_b32_e64 v3, 1.0, 0x58800000, s0\n v_mul_f32 v1, v1, v3\n s_endpgm",
     "cf"},
    {"with constants that registers hold from the start", GFX9,
     "v_mov_b32 v5, 0x71800000\n v_mov_b32 v6, 0x58800000\n s_mov_b32 s9, 0xd800000\n s_cmp_eq_u32 s8, 0\n s_cbranch_scc1 0x0\n"
     "v_cmp_gt_f32 vcc, s9, v1\n v_cndmask_b32 v2, 1.0, v5, vcc\n v_cndmask_b32 v3, 1.0, v6, vcc\n"
     "v_mul_f32 v1, v1, v2\n v_rsq_f32 v1, v1\n v_mul_f32 v1, v3, v1\n s_endpgm",
     "ik"},
    {"not where one of them is written twice", GFX9,
     "v_mov_b32 v5, 0x71800000\n v_mov_b32 v6, 0x58800000\n s_mov_b32 s9, 0xd800000\n s_cmp_eq_u32 s8, 0\n s_cbranch_scc1 0x0\n"
     "v_cmp_gt_f32 vcc, s9, v1\n v_cndmask_b32 v2, 1.0, v5, vcc\n v_cndmask_b32 v3, 1.0, v6, vcc\n"
     "v_mul_f32 v1, v1, v2\n v_rsq_f32 v1, v1\n v_mul_f32 v1, v3, v1\n v_mov_b32 v5, 0\n s_endpgm",
     ""},
    {"not of scales that do not undo each other", GFX10,
     "v_cmp_gt_f32 vcc_lo, 0xd800000, v1\n v_cndmask_b32_e64 v2, 1.0, 0x71800000, vcc_lo\n v_cndmask_b32_e64 v3, 1.0, 0x59000000, vcc_lo\n"
     "v_mul_f32 v1, v1, v2\n v_rsq_f32 v1, v1\n v_mul_f32 v1, v3, v1\n s_endpgm",
     ""},
    {"not where another comparison lies between", GFX10,
     "v_cmp_gt_f32 vcc_lo, 0xd800000, v1\n v_cndmask_b32_e64 v2, 1.0, 0x71800000, vcc_lo\n v_mul_f32 v1, v1, v2\n v_rsq_f32 v1, v1\n"
     "v_cmp_gt_f32 vcc_lo, 0xd800000, v4\n v_cndmask_b32_e64 v3, 1.0, 0x58800000, vcc_lo\n v_mul_f32 v1, v3, v1\n s_endpgm",
     ""},
    {"not where large numbers are scaled, which may overflow", GFX10,
     "v_cmp_gt_f32 vcc_lo, 0x4d800000, v1\n v_cndmask_b32_e64 v2, 1.0, 0x71800000, vcc_lo\n v_cndmask_b32_e64 v3, 1.0, 0x58800000, vcc_lo\n"
     "v_mul_f32 v1, v1, v2\n v_rsq_f32 v1, v1\n v_mul_f32 v1, v3, v1\n s_endpgm",
     ""},
    {"nor where other numbers are compared", GFX10,
     "v_cmp_gt_f32 vcc_lo, 0xd800000, v4\n v_cndmask_b32_e64 v2, 1.0, 0x71800000, vcc_lo\n v_cndmask_b32_e64 v3, 1.0, 0x58800000, vcc_lo\n"
     "v_mul_f32 v1, v1, v2\n v_rsq_f32 v1, v1\n v_mul_f32 v1, v3, v1\n s_endpgm",
     ""},
    {"or the number has changed since", GFX10,
     "v_cmp_gt_f32 vcc_lo, 0xd800000, v1\n v_cndmask_b32_e64 v2, 1.0, 0x71800000, vcc_lo\n v_cndmask_b32_e64 v3, 1.0, 0x58800000, vcc_lo\n"
     "v_add_f32 v1, v1, v1\n v_mul_f32 v1, v1, v2\n v_rsq_f32 v1, v1\n v_mul_f32 v1, v3, v1\n s_endpgm",
     ""},
    {"nor where the scaled argument is read elsewhere", GFX10,
     "v_cmp_gt_f32 vcc_lo, 0xd800000, v1\n v_cndmask_b32_e64 v2, 1.0, 0x71800000, vcc_lo\n v_cndmask_b32_e64 v3, 1.0, 0x58800000, vcc_lo\n"
     "v_mul_f32 v1, v1, v2\n v_mov_b32 v4, v1\n v_rsq_f32 v1, v1\n v_mul_f32 v1, v3, v1\n s_endpgm",
     ""},
    {"or the unscaled result", GFX10,
     "v_cmp_gt_f32 vcc_lo, 0xd800000, v1\n v_cndmask_b32_e64 v2, 1.0, 0x71800000, vcc_lo\n v_cndmask_b32_e64 v3, 1.0, 0x58800000, vcc_lo\n"
     "v_mul_f32 v1, v1, v2\n v_rsq_f32 v1, v1\n v_mul_f32 v4, v3, v1\n s_endpgm",
     ""},
    {"nor with modifiers", GFX10,
     "v_cmp_gt_f32 vcc_lo, 0xd800000, v1\n v_cndmask_b32_e64 v2, 1.0, 0x71800000, vcc_lo\n v_cndmask_b32_e64 v3, 1.0, 0x58800000, vcc_lo\n"
     "v_mul_f32_e64 v1, -v1, v2\n v_rsq_f32 v1, v1\n v_mul_f32 v1, v3, v1\n s_endpgm",
     ""},
};

/* The letters of v_mov_b32s that the text does not have. */
static void moves_of(const struct kernel *k, char *moves) {
    const struct wl_translate_request request = {.processor = k->processor, .wave_size = k->wave_size, .name = k->title};
    struct assembled made;
    const char *line = k->text;
    assembled_build(&made, request, k->text);
    for (uint32_t i = 0; i < made.unit.inst_count; i++) {
        while (*line == ' ')
            line++;
        if (strcmp(made.unit.insts[i].mnemonic, "v_mov_b32") == 0 && strncmp(line, "v_mov_b32", 9) != 0)
            *moves++ = (char)('a' + i);
        line += strcspn(line, "\n");
        line += *line == '\n';
    }
    *moves = 0;
    assembled_free(&made);
}

static void test_moves(void **state) {
    (void)state;
    unsigned bad = 0;
    for (unsigned i = 0; i < sizeof kernels / sizeof *kernels; i++) {
        char moves[27] = "";
        moves_of(&kernels[i], moves);
        if (strcmp(moves, kernels[i].moves) == 0)
            continue;
        fprintf(stderr, "%s: \"%s\", not \"%s\"\n", kernels[i].title, moves, kernels[i].moves);
        bad++;
    }
    assert_int_equal(bad, 0);
}

/* Letters: what the sequence of a division became, by wl_unit_find_divisions: the quotient, and moves. */
#define ESTIMATE                                                                                                                           \
    "v_cvt_f32_u32 v4, s8\n s_sub_i32 s9, 0, s8\n v_rcp_iflag_f32 v4, v4\n v_mul_f32 v4, 0x4f7ffffe, v4\n v_cvt_u32_f32 v4, v4\n "         \
    "v_mul_lo_u32 v5, s9, v4\n v_mul_hi_u32 v5, v4, v5\n v_add_u32 v4, v4, v5\n "
#define QUOTIENT "v_mul_hi_u32 v4, v1, v4\n v_mul_lo_u32 v5, v4, s8\n v_sub_u32 v5, v1, v5\n "
#define CORRECT                                                                                                                            \
    "v_add_u32 v6, 1, v4\n v_subrev_u32 v7, s8, v5\n v_cmp_le_u32 vcc, s8, v5\n v_cndmask_b32 v5, v5, v7, vcc\n "                          \
    "v_cndmask_b32 v4, v4, v6, vcc\n "
#define STORE "global_store_dwordx2 v[8:9], v[4:5], off\n s_endpgm"

static const struct kernel divisions[] = {
    {"a quotient and a remainder", GFX9, ESTIMATE QUOTIENT CORRECT CORRECT STORE, "ioptu"},
    {"a quotient alone", GFX9,
     ESTIMATE QUOTIENT CORRECT "v_add_u32 v6, 1, v4\n v_cmp_le_u32 vcc, s8, v5\n v_cndmask_b32 v4, v4, v6, vcc\n "
                               "global_store_dword v[8:9], v4, off\n s_endpgm",
     "iops"},
    {"not with one correction", GFX9, ESTIMATE QUOTIENT CORRECT STORE, ""},
    {"not where the estimate is read elsewhere", GFX9, ESTIMATE QUOTIENT "v_xor_b32 v10, v4, v1\n " CORRECT CORRECT STORE, ""},
    {"not where the divisor is another since", GFX9, ESTIMATE "s_mov_b32 s8, s10\n " QUOTIENT CORRECT CORRECT STORE, ""},
    {"nor the dividend", GFX9,
     ESTIMATE "v_mul_hi_u32 v4, v1, v4\n v_mul_lo_u32 v5, v4, s8\n v_mov_b32 v1, v2\n v_sub_u32 v5, v1, v5\n " CORRECT CORRECT STORE, ""},
    {"not by another scale", GFX9,
     "v_cvt_f32_u32 v4, s8\n s_sub_i32 s9, 0, s8\n v_rcp_iflag_f32 v4, v4\n v_mul_f32 v4, 0x4f800000, v4\n v_cvt_u32_f32 v4, v4\n "
     "v_mul_lo_u32 v5, s9, v4\n v_mul_hi_u32 v5, v4, v5\n v_add_u32 v4, v4, v5\n " QUOTIENT CORRECT CORRECT STORE,
     ""},
    {"not by an estimate that is not refined", GFX9,
     "v_cvt_f32_u32 v4, s8\n v_rcp_iflag_f32 v4, v4\n v_mul_f32 v4, 0x4f7ffffe, v4\n v_cvt_u32_f32 v4, v4\n " QUOTIENT CORRECT CORRECT
         STORE,
     ""},
};

static void divisions_of(const struct kernel *k, char *changed) {
    const struct wl_translate_request request = {.processor = k->processor, .wave_size = k->wave_size, .name = k->title};
    struct assembled made;
    const char *line = k->text;
    assembled_build(&made, request, k->text);
    wl_unit_find_divisions(&made.unit);
    for (uint32_t i = 0; i < made.unit.inst_count; i++) {
        const char *name = made.unit.insts[i].mnemonic;
        while (*line == ' ')
            line++;
        if (!strcmp(name, "v_quotient_u32") || (!strcmp(name, "v_mov_b32") && strncmp(line, "v_mov_b32", 9) != 0))
            *changed++ = (char)('a' + i);
        line += strcspn(line, "\n");
        line += *line == '\n';
    }
    *changed = 0;
    assembled_free(&made);
}

static void test_divisions(void **state) {
    (void)state;
    unsigned bad = 0;
    for (unsigned i = 0; i < sizeof divisions / sizeof *divisions; i++) {
        char changed[40] = "";
        divisions_of(&divisions[i], changed);
        if (strcmp(changed, divisions[i].moves) == 0)
            continue;
        fprintf(stderr, "%s: \"%s\", not \"%s\"\n", divisions[i].title, changed, divisions[i].moves);
        bad++;
    }
    assert_int_equal(bad, 0);
}

/* Letters: the sums with a carry that read a scalar which the text has in v8. */
static const struct kernel copies[] = {
    {"the high half of a base", GFX9, "v_mov_b32 v8, s11\n v_add_co_u32 v2, vcc, s10, v4\n v_addc_co_u32 v3, vcc, v8, v5, vcc\n s_endpgm",
     "c"},
    {"on either side, and in the low half", GFX9,
     "v_mov_b32 v8, s11\n v_add_co_u32 v2, vcc, v4, v8\n v_addc_co_u32 v3, vcc, v5, v8, vcc\n s_endpgm", "bc"},
    {"in a loop that lanes leave", GFX9,
     "v_mov_b32 v8, s11\n 1: v_add_co_u32 v2, vcc, s10, v4\n v_addc_co_u32 v3, vcc, v8, v5, vcc\n s_andn2_b64 exec, exec, s[4:5]\n"
     "s_cbranch_execnz 1b\n s_endpgm",
     "c"},
    {"where lanes were lost", GFX9, "v_mov_b32 v8, s11\n s_and_saveexec_b64 s[2:3], s[4:5]\n v_addc_co_u32 v3, vcc, v8, v5, vcc\n s_endpgm",
     "c"},
    {"not where lanes come back", GFX9,
     "s_and_saveexec_b64 s[2:3], s[4:5]\n v_mov_b32 v8, s11\n s_or_b64 exec, exec, s[2:3]\n v_addc_co_u32 v3, vcc, v8, v5, vcc\n s_endpgm",
     ""},
    {"nor where some lanes may not have been there", GFX9,
     "v_mov_b32 v8, v1\n s_and_saveexec_b64 s[2:3], s[4:5]\n s_cbranch_execz 1f\n v_mov_b32 v8, s11\n"
     "1: v_addc_co_u32 v3, vcc, v8, v5, vcc\n s_endpgm",
     ""},
    {"not where the scalar is another since", GFX9, "v_mov_b32 v8, s11\n s_mov_b32 s11, 0\n v_addc_co_u32 v3, vcc, v8, v5, vcc\n s_endpgm",
     ""},
    {"in a pair neither", GFX9, "v_mov_b32 v8, s11\n s_mov_b64 s[10:11], 0\n v_addc_co_u32 v3, vcc, v8, v5, vcc\n s_endpgm", ""},
    {"nor in the loop's next round", GFX9,
     "v_mov_b32 v8, s11\n 1: v_addc_co_u32 v3, vcc, v8, v5, vcc\n s_add_u32 s11, s11, 1\n s_cmp_eq_u32 s11, 9\n s_cbranch_scc0 1b\n"
     "s_endpgm",
     ""},
    {"not where the register is another since", GFX9,
     "v_mov_b32 v8, s11\n v_mov_b32 v8, v1\n v_addc_co_u32 v3, vcc, v8, v5, vcc\n s_endpgm", ""},
    {"nor where one lane of it is", GFX9, "v_mov_b32 v8, s11\n v_writelane_b32 v8, s4, 3\n v_addc_co_u32 v3, vcc, v8, v5, vcc\n s_endpgm",
     ""},
    {"not where two ways meet that differ", GFX9,
     "v_mov_b32 v8, s11\n s_cbranch_scc1 1f\n v_mov_b32 v8, s12\n 1: v_addc_co_u32 v3, vcc, v8, v5, vcc\n s_endpgm", ""},
    {"where they agree", GFX10,
     "v_mov_b32 v8, s11\n s_cbranch_scc1 1f\n v_mov_b32 v8, s11\n 1: v_add_co_ci_u32 v3, vcc_lo, v8, v5, vcc_lo\n s_endpgm", "d"},
    {"not of VCC", GFX9, "v_mov_b32 v8, vcc_lo\n v_addc_co_u32 v3, vcc, v8, v5, vcc\n s_endpgm", ""},
};

static void read_scalars(const struct kernel *k, char *found) {
    const struct wl_translate_request request = {.processor = k->processor, .wave_size = k->wave_size, .name = k->title};
    struct assembled made;
    assembled_build(&made, request, k->text);
    for (uint32_t i = 0; i < made.unit.inst_count && i < 26; i++) {
        const struct wl_inst *inst = &made.unit.insts[i];
        bool sum = !strncmp(inst->mnemonic, "v_add_co_", strlen("v_add_co_"));
        for (unsigned n = 2; sum && n < 4; n++)
            if (inst->operands[n].kind == WL_OPERAND_SGPR && inst->operands[n].reg != 10)
                *found++ = (char)('a' + i);
    }
    *found = 0;
    assembled_free(&made);
}

static void test_copies(void **state) {
    (void)state;
    unsigned bad = 0;
    for (unsigned i = 0; i < sizeof copies / sizeof *copies; i++) {
        char found[64] = "";
        read_scalars(&copies[i], found);
        if (strcmp(found, copies[i].moves) == 0)
            continue;
        fprintf(stderr, "%s: %s, not %s\n", copies[i].title, found, copies[i].moves);
        bad++;
    }
    assert_int_equal(bad, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_moves), cmocka_unit_test(test_divisions), cmocka_unit_test(test_copies)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
