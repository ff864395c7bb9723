/* What a kernel calls by name is looked at before the kernel runs: what cannot run fails, and the kernel gets registers for all of it. */
#include "assembled.h"
#include "translate/rewrite/rewrite.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static const struct kernel {
    const char *title, *text;
    uint32_t rows;       /* that the kernel has then; 0: it fails */
    const char *failure; /* and says so */
} kernels[] = {
    {"without calls", "v_mov_b32 v3, 0\n s_endpgm", 4, NULL},
    {"a function with more registers", "s_call_b64 s[30:31], f\n s_endpgm\n f: v_mov_b32 v40, 0\n s_setpc_b64 s[30:31]", 41, NULL},
    {"behind another function",
     "s_call_b64 s[30:31], f\n s_endpgm\n f: s_call_b64 s[28:29], g\n s_setpc_b64 s[30:31]\n g: v_mov_b32 v50, v60\n s_setpc_b64 s[28:29]",
     61, NULL},
    {"functions that call each other",
     "s_call_b64 s[30:31], f\n s_endpgm\n f: v_mov_b32 v9, 0\n s_call_b64 s[28:29], g\n g: s_call_b64 s[28:29], f\n s_endpgm", 10, NULL},
    {"behind a loop and a branch",
     "s_call_b64 s[30:31], f\n s_endpgm\n f: s_cbranch_scc1 2f\n 1: s_sub_u32 s4, s4, 1\n s_cbranch_scc0 1b\n s_setpc_b64 s[30:31]\n"
     "2: v_mov_b32 v33, 0\n s_setpc_b64 s[30:31]",
     34, NULL},
    {"registers of indexing mode",
     "s_call_b64 s[30:31], f\n s_endpgm\n f: s_set_gpr_idx_on s2, gpr_idx(SRC0)\n v_mov_b32 v7, v20\n s_set_gpr_idx_off\n s_setpc_b64 "
     "s[30:31]",
     21, NULL},
    {"what has no form in indexing mode",
     "s_call_b64 s[30:31], f\n s_endpgm\n f: s_set_gpr_idx_on s2, gpr_idx(SRC0)\n v_swap_b32 v7, v20\n s_set_gpr_idx_off\n s_setpc_b64 "
     "s[30:31]",
     0, "in indexing mode"},
    {"a branch to where no code is", "s_call_b64 s[30:31], f\n s_endpgm\n f: .long 0xbf827000", 0, "outside the code object"},
};

static void test_callees(void **state) {
    (void)state;
    unsigned bad = 0;
    for (unsigned i = 0; i < sizeof kernels / sizeof *kernels; i++) {
        const struct kernel *k = &kernels[i];
        const struct wl_translate_request request = {.processor = "gfx90a", .wave_size = 64, .name = k->title};
        struct assembled made;
        assembled_build(&made, request, k->text);
        const enum wl_status status = wl_unit_verify_callees(&made.unit, made.decoder);
        const bool right = k->rows ? status == WL_OK && made.unit.rows == k->rows : status != WL_OK && strstr(wl_failure(), k->failure);
        if (!right) {
            fprintf(stderr, "%s: %u registers, %s\n", k->title, made.unit.rows, status == WL_OK ? "no failure" : wl_failure());
            bad++;
        }
        assembled_free(&made);
    }
    assert_int_equal(bad, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_callees)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
