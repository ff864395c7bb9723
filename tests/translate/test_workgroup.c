/* Which kernels may run all waves of a workgroup as one (workgroup.h), and at which branches on EXEC the waves may part. */
#include "assembled.h"
#include "translate/analysis/workgroup.h"
#include "translate/isa/isa.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

struct kernel {
    const char *title, *processor;
    unsigned wave_size;
    const char *text;
    int parting; /* wanted: branches on EXEC at which waves may part; -1: there is no workgroup */
};

#define GFX9  "gfx906", 64
#define GFX10 "gfx1030", 32

#define STORE "global_store_dword v1, v2, s[2:3]\n s_endpgm"

/* A step of a tree. The parts: within, before the lanes come back, behind. */
#define STEP(BODY, BEHIND)                                                                                                                 \
    "v_cmp_gt_u32 vcc, 64, v0\n s_barrier\n s_and_saveexec_b64 s[0:1], vcc\n s_cbranch_execz 1f\n ds_read_b32 v2, v1\n"                    \
    "s_waitcnt lgkmcnt(0)\n" BODY "ds_write_b32 v1, v2\n 1: s_or_b64 exec, exec, s[0:1]\n" BEHIND
#define BARRIERS "s_barrier\n s_barrier\n s_barrier\n"

static const struct kernel kernels[] = {
    {"a tree", GFX9, STEP("", "") STEP("", "") STEP("", "") STORE, 0},
    {"a tree of waves of 32", GFX10,
     "v_cmp_gt_u32 vcc_lo, 64, v0\n s_barrier\n s_and_saveexec_b32 s0, vcc_lo\n s_cbranch_execz 1f\n ds_read_b32 v2, v1\n"
     "s_waitcnt lgkmcnt(0)\n 1: s_or_b32 exec_lo, exec_lo, s0\n s_barrier\n s_mov_b32 s0, exec_lo\n v_cmpx_gt_u32 16, v0\n"
     "s_cbranch_execz 2f\n ds_write_b32 v1, v2\n 2: s_or_b32 exec_lo, exec_lo, s0\n" STORE,
     0},
    {"too few barriers", GFX9, STEP("", "") STORE, -1},
    {"conditions within each other", GFX9,
     BARRIERS STEP("v_cmp_eq_u32 vcc, 0, v2\n s_and_saveexec_b64 s[4:5], vcc\n s_cbranch_execz 2f\n v_add_u32 v2, 1, v2\n"
                   "2: s_or_b64 exec, exec, s[4:5]\n",
                   "") STORE,
     0},
    {"lanes from outside come back within", GFX9, "s_mov_b64 s[6:7], exec\n" BARRIERS STEP("s_or_b64 exec, exec, s[6:7]\n", "") STORE, 1},
    {"a scalar that is set within and used behind", GFX9,
     "s_mov_b32 s8, 1\n" BARRIERS STEP("s_mov_b32 s8, 2\n", "v_add_u32 v2, s8, v2\n") STORE, 1},
    {"a mask that is made within and used behind", GFX9,
     BARRIERS STEP("v_cmp_eq_u32 s[8:9], 0, v2\n", "v_cndmask_b32 v2, v2, v1, s[8:9]\n") STORE, 1},
    {"a scalar that is set and used within", GFX9, BARRIERS STEP("s_mov_b32 s8, 2\n v_add_u32 v2, s8, v2\n", "") STORE, 0},
    {"a loop on scalars within", GFX9,
     BARRIERS STEP("s_mov_b32 s8, 5\n 2: ds_write_b32 v1, v2\n s_sub_u32 s8, s8, 1\n s_cmp_lg_u32 s8, 0\n s_cbranch_scc1 2b\n", "") STORE,
     0},
    {"a loop on scalars within, whose count is used behind", GFX9,
     "s_mov_b32 s8, 5\n" BARRIERS STEP("2: ds_write_b32 v1, v2\n s_sub_u32 s8, s8, 1\n s_cmp_lg_u32 s8, 0\n s_cbranch_scc1 2b\n",
                                       "v_add_u32 v2, s8, v2\n") STORE,
     1},
    {"branches on scalars within", GFX9,
     BARRIERS STEP("s_cmp_eq_u32 s8, 0\n s_cbranch_scc1 2f\n v_add_u32 v2, 1, v2\n s_branch 3f\n 2: v_add_u32 v2, 2, v2\n 3:\n", "") STORE,
     0},
    {"a branch on scalars that leads behind", GFX9,
     BARRIERS STEP("s_cmp_eq_u32 s8, 0\n s_cbranch_scc1 2f\n v_add_u32 v2, 1, v2\n", "2: v_add_u32 v2, 2, v2\n") STORE, 1},
    {"lanes from outside that come back in a loop's second round", GFX9,
     "s_mov_b64 s[6:7], exec\n" BARRIERS STEP("s_mov_b64 s[4:5], exec\n 2: s_or_b64 exec, exec, s[4:5]\n s_mov_b64 s[4:5], s[6:7]\n"
                                              "s_sub_u32 s8, s8, 1\n s_cmp_lg_u32 s8, 0\n s_cbranch_scc1 2b\n",
                                              "") STORE,
     1},
    {"lanes from outside that come back on one of two ways", GFX9,
     "s_mov_b64 s[6:7], exec\n" BARRIERS STEP("s_mov_b64 s[4:5], exec\n s_cmp_eq_u32 s8, 0\n s_cbranch_scc1 2f\n s_mov_b64 s[4:5], s[6:7]\n"
                                              "s_branch 3f\n 2: s_mov_b64 s[4:5], exec\n 3: s_or_b64 exec, exec, s[4:5]\n",
                                              "") STORE,
     1},
    {"an early end", GFX9,
     BARRIERS "v_cmp_gt_u32 vcc, 64, v0\n s_and_saveexec_b64 s[0:1], vcc\n s_cbranch_execz 1f\n s_barrier\n" STORE "\n 1: s_endpgm", 1},
    {"a loop that lanes leave one by one", GFX9,
     BARRIERS
     "s_mov_b64 s[4:5], 0\n 0: ds_read_b32 v2, v1\n v_add_u32 v1, 4, v1\n v_cmp_ge_u32 vcc, v1, v3\n s_or_b64 s[4:5], vcc, s[4:5]\n"
     "s_andn2_b64 exec, exec, s[4:5]\n s_cbranch_execnz 0b\n s_or_b64 exec, exec, s[4:5]\n" STORE,
     1},
    {"a scalar made of a lane", GFX9, BARRIERS "v_readfirstlane_b32 s8, v0\n v_add_u32 v2, s8, v2\n" STORE, -1},
    {"a count of lanes", GFX9, BARRIERS "v_cmp_eq_u32 vcc, 0, v0\n s_bcnt1_i32_b64 s8, vcc\n v_add_u32 v2, s8, v2\n" STORE, -1},
    {"a branch on a comparison of lanes", GFX9, BARRIERS "v_cmp_eq_u32 vcc, 0, v0\n s_cbranch_vccz 1f\n v_add_u32 v2, 1, v2\n 1: " STORE,
     -1},
    {"whether logic on masks gave any", GFX9,
     BARRIERS "v_cmp_eq_u32 vcc, 0, v0\n s_and_b64 s[8:9], vcc, exec\n s_cbranch_scc0 1f\n v_add_u32 v2, 1, v2\n 1: " STORE, -1},
    {"a branch on scalars", GFX9, BARRIERS "s_cmp_eq_u32 s8, 0\n s_cbranch_scc0 1f\n v_add_u32 v2, 1, v2\n 1: " STORE, 0},
    {"a register that is a mask first and a number then", GFX9, BARRIERS STEP("", "") "s_mov_b32 s0, 5\n v_add_u32 v2, s0, v2\n" STORE, 0},
    {"half of a mask as a number", GFX9, BARRIERS "v_cmp_eq_u32 s[8:9], 0, v0\n v_add_u32 v2, s8, v2\n" STORE, -1},
    {"lanes of the row beside", GFX9, BARRIERS "v_mov_b32_dpp v2, v1 row_shr:1 row_mask:0xf bank_mask:0xf\n" STORE, -1},
    {"long work between barriers", GFX9,
     BARRIERS "0: v_add_u32 v2, 1, v2\n .rept 30\n v_add_u32 v2, v2, v1\n .endr\n s_sub_u32 s8, s8, 1\n s_cmp_eq_u32 s8, 0\n"
              "s_cbranch_scc0 0b\n" STORE,
     -1},
    {"a loop that stores, without barriers", GFX9,
     BARRIERS "0: global_store_dword v1, v2, s[2:3]\n v_add_u32 v1, 4, v1\n s_sub_u32 s8, s8, 1\n s_cmp_eq_u32 s8, 0\n"
              "s_cbranch_scc0 0b\n" STORE,
     -1},
    {"a loop that stores to LDS", GFX9,
     BARRIERS "0: ds_write_b32 v1, v2\n v_add_u32 v1, 4, v1\n s_sub_u32 s8, s8, 1\n s_cmp_eq_u32 s8, 0\n s_cbranch_scc0 0b\n" STORE, 0},
    {"a loop that stores, with a barrier", GFX9,
     BARRIERS "0: global_store_dword v1, v2, s[2:3]\n s_barrier\n s_sub_u32 s8, s8, 1\n s_cmp_eq_u32 s8, 0\n s_cbranch_scc0 0b\n" STORE, 0},
};

static int parting_of(const struct wl_unit *unit) {
    struct wl_workgroup *workgroup = wl_workgroup_find(unit);
    int count = 0;
    if (!workgroup)
        return -1;
    for (uint32_t p = 0; p < unit->block_count; p++) {
        const struct wl_block *block = &unit->blocks[p];
        const struct wl_inst *last = block->count ? &unit->insts[block->first + block->count - 1] : NULL;
        bool on_exec = block->end == WL_BLOCK_CBRANCH && (last->isa->detail == WL_IF_EXECZ || last->isa->detail == WL_IF_EXECNZ);
        count += on_exec && !workgroup->together[p];
    }
    wl_workgroup_destroy(workgroup);
    return count;
}

static void test_kernels(void **state) {
    unsigned bad = 0;
    (void)state;
    for (size_t i = 0; i < sizeof kernels / sizeof *kernels; i++) {
        const struct kernel *kernel = &kernels[i];
        struct assembled made;
        assembled_build(
            &made, (struct wl_translate_request){.processor = kernel->processor, .wave_size = kernel->wave_size, .name = kernel->title},
            kernel->text);
        wl_unit_liveness(&made.unit);
        int parting = parting_of(&made.unit);
        if (parting != kernel->parting)
            fprintf(stderr, "%s: %d branches, not %d\n", kernel->title, parting, kernel->parting);
        bad += parting != kernel->parting;
        assembled_free(&made);
    }
    assert_int_equal(bad, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_kernels)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
