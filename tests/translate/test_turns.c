/* Behind which barriers a workgroup's first wave goes on before the others (turns.h). */
#include "assembled.h"
#include "translate/unit/turns.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

struct kernel {
    const char *title, *text;
    bool leads; /* wanted, behind the only barrier */
};

/* What waves 0 to 63 of a workgroup do alone. */
#define CONDITION "v_cmp_gt_u32 vcc, 64, v0\n s_barrier\n s_and_saveexec_b64 s[0:1], vcc\n s_cbranch_execz 1f\n"
#define BEHIND    "1: s_or_b64 exec, exec, s[0:1]\n"
#define LOAD      "ds_read_b32 v2, v1 offset:256\n s_waitcnt lgkmcnt(0)\n"
#define STORE     "ds_write_b32 v1, v2\n"

static const struct kernel kernels[] = {
    {"loads under a condition, a store behind it", CONDITION LOAD STORE BEHIND STORE "s_endpgm", true},
    {"no store behind it", CONDITION LOAD STORE BEHIND "s_endpgm", false},
    {"a store to global memory behind it", CONDITION LOAD BEHIND "global_store_dword v1, v2, s[2:3]\n s_endpgm", false},
    {"a barrier between", CONDITION LOAD BEHIND "s_barrier\n" STORE "s_endpgm", false},
    {"a store first", CONDITION STORE LOAD BEHIND STORE "s_endpgm", false},
    {"a load from global memory first", CONDITION "global_load_dword v2, v1, s[2:3]\n" LOAD BEHIND STORE "s_endpgm", false},
    {"loads of all waves first",
     "s_barrier\n" LOAD "v_cmp_gt_u32 vcc, 64, v0\n s_and_saveexec_b64 s[0:1], vcc\n s_cbranch_execz 1f\n" LOAD BEHIND STORE "s_endpgm",
     false},
    {"behind a branch on scalars, and in a loop",
     "s_barrier\n s_cmp_eq_u32 s8, 0\n s_cbranch_scc1 2f\n v_cmp_gt_u32 vcc, 64, v0\n s_and_saveexec_b64 s[0:1], vcc\n"
     "s_cbranch_execz 1f\n" LOAD BEHIND "0: s_sub_u32 s8, s8, 1\n s_cmp_eq_u32 s8, 0\n s_cbranch_scc0 0b\n" STORE "2: s_endpgm",
     true},
};

static bool leads_somewhere(const struct wl_unit *unit) {
    bool leads = false;
    for (uint32_t p = 0; p < unit->piece_count; p++)
        if (unit->pieces[p].end == WL_PIECE_WAIT)
            leads |= wl_first_wave_leads(unit, unit->pieces[p].next);
    return leads;
}

static void test_kernels(void **state) {
    unsigned bad = 0;
    (void)state;
    for (size_t i = 0; i < sizeof kernels / sizeof *kernels; i++) {
        const struct kernel *kernel = &kernels[i];
        struct assembled made;
        assembled_build(&made, (struct wl_translate_request){.processor = "gfx906", .wave_size = 64, .name = kernel->title}, kernel->text);
        bool leads = leads_somewhere(&made.unit);
        if (leads != kernel->leads)
            fprintf(stderr, "%s: the first wave %s\n", kernel->title, leads ? "goes first" : "goes last");
        bad += leads != kernel->leads;
        assembled_free(&made);
    }
    assert_int_equal(bad, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_kernels)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
