/* Behind which barriers a workgroup's first wave goes on before the others, and where a wave's turn ends (turns.h). */
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
    for (uint32_t p = 0; p < unit->block_count; p++)
        if (unit->blocks[p].end == WL_BLOCK_WAIT)
            leads |= wl_first_wave_leads(unit, unit->blocks[p].next);
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

/* A load of what all waves have in common, behind a barrier; a load from memory; then a wait for it. */
#define COMMON  "v_mov_b32 v1, s4\n s_barrier\n ds_read_b32 v2, v1\n s_waitcnt lgkmcnt(0)\n"
#define GLOBAL  "global_load_dword v3, v0, s[2:3]\n"
#define COMMON8 "v_mov_b32 v1, s4\n s_barrier\n ds_load_b32 v2, v1\n s_waitcnt lgkmcnt(0)\n"
#define WAIT    "s_waitcnt vmcnt(0)\n"

struct waiting {
    const char *title, *processor, *text;
    unsigned ends; /* of turns */
};

static const struct waiting waiting[] = {
    {"a store behind the wait", "gfx90a", COMMON GLOBAL WAIT "ds_write_b32 v0, v3\n s_endpgm", 1},
    {"the same on gfx10", "gfx1030", COMMON GLOBAL WAIT "ds_write_b32 v0, v3\n s_endpgm", 1},
    {"the same on gfx11", "gfx1100", COMMON8 "global_load_b32 v3, v0, s[2:3]\n" WAIT "ds_store_b32 v0, v3\n s_endpgm", 1},
    {"the same on gfx12", "gfx1200",
     "v_mov_b32 v1, s4\n s_barrier_signal -1\n s_barrier_wait -1\n ds_load_b32 v2, v1\n s_wait_dscnt 0x0\n"
     "global_load_b32 v3, v0, s[2:3]\n s_wait_loadcnt 0x0\n ds_store_b32 v0, v3\n s_endpgm",
     1},
    {"the second load's wait alone has a store behind it", "gfx90a",
     COMMON GLOBAL "s_waitcnt vmcnt(1)\n s_barrier\n ds_read_b32 v2, v1\n" GLOBAL WAIT "ds_write_b32 v0, v3\n s_endpgm", 1},
    {"an address from before the barrier, whose register the load overwrites", "gfx90a",
     "v_mov_b32 v2, s4\n s_barrier\n ds_read_b32 v2, v2\n" GLOBAL WAIT "ds_write_b32 v0, v3\n s_endpgm", 1},
    {"one word at a fixed place", "gfx90a",
     "v_mov_b32 v1, 0\n s_barrier\n ds_read_b32 v2, v1\n" GLOBAL WAIT "ds_write_b32 v0, v3\n s_endpgm", 0},
    {"each lane's own", "gfx90a", "s_barrier\n ds_read_b32 v2, v0\n" GLOBAL WAIT "ds_write_b32 v0, v3\n s_endpgm", 0},
    {"no wait for the memory", "gfx90a", COMMON GLOBAL "s_waitcnt lgkmcnt(0)\n ds_write_b32 v0, v2\n s_endpgm", 0},
    {"the load from memory first", "gfx90a",
     "v_mov_b32 v1, s4\n s_barrier\n" GLOBAL "ds_read_b32 v2, v1\n" WAIT "ds_write_b32 v0, v3\n s_endpgm", 0},
    {"a barrier before the store", "gfx90a", COMMON GLOBAL WAIT "s_barrier\n ds_write_b32 v0, v3\n s_endpgm", 0},
    {"a barrier before the wait", "gfx90a", COMMON GLOBAL "s_barrier\n" WAIT "ds_write_b32 v0, v3\n s_endpgm", 0},
    {"no store", "gfx90a", COMMON GLOBAL WAIT "global_store_dword v0, v3, s[2:3]\n s_endpgm", 0},
    {"no barrier before", "gfx90a", "v_mov_b32 v1, s4\n ds_read_b32 v2, v1\n" GLOBAL WAIT "ds_write_b32 v0, v3\n s_barrier\n s_endpgm", 0},
    {"a condition around it, in a loop", "gfx90a",
     "v_mov_b32 v1, s4\n 0: s_barrier\n ds_read_b32 v2, v1\n v_cmp_gt_u32 vcc, 64, v0\n s_and_saveexec_b64 s[0:1], vcc\n s_cbranch_execz "
     "1f\n" GLOBAL WAIT
     "ds_write_b32 v0, v3\n 1: s_or_b64 exec, exec, s[0:1]\n s_sub_u32 s8, s8, 1\n s_cmp_eq_u32 s8, 0\n s_cbranch_scc0 0b\n s_endpgm",
     1},
};

static void test_turn_ends(void **state) {
    unsigned bad = 0;
    (void)state;
    for (size_t i = 0; i < sizeof waiting / sizeof *waiting; i++) {
        const struct waiting *kernel = &waiting[i];
        struct assembled made;
        assembled_build(&made,
                        (struct wl_translate_request){
                            .processor = kernel->processor, .wave_size = kernel->processor[3] == '9' ? 64 : 32, .name = kernel->title},
                        kernel->text);
        unsigned ends = 0;
        for (uint32_t p = 0; p < made.unit.block_count; p++) {
            const struct wl_block *block = &made.unit.blocks[p];
            ends += block->end == WL_BLOCK_WAIT && made.unit.insts[block->first + block->count - 1].ends_turn;
        }
        if (ends != kernel->ends)
            fprintf(stderr, "%s: %u turns end\n", kernel->title, ends);
        bad += ends != kernel->ends || made.unit.polls;
        assembled_free(&made);
    }
    assert_int_equal(bad, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_kernels), cmocka_unit_test(test_turn_ends)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
