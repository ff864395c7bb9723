/* Which loops may be run for one strip after the other (strip_loop.h), and which may not; and which rows count in them. */
#include "assembled.h"
#include "translate/analysis/strip_loop.h"

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
    unsigned loops, blocks; /* wanted: how many, and of how many basic blocks they are; basic blocks is 0: any */
};

#define GFX9  "gfx906", 64
#define GFX10 "gfx1030", 32

/* A loop over the elements of a row, as compilers make it: s[4:5] takes the lanes that have left. The parts: behind the load, before
 * the loop ends, behind the loop. */
#define ROUNDS(BODY, LATCH, BEHIND)                                                                                                        \
    "s_mov_b64 s[4:5], 0\n 0: global_load_dword v5, v4, s[0:1]\n s_waitcnt vmcnt(0)\n v_add_u32 v4, 4, v4\n v_add_u32 v6, v6, v5\n" BODY   \
    "v_cmp_ge_u32 vcc, v4, v3\n s_or_b64 s[4:5], vcc, s[4:5]\n" LATCH                                                                      \
    "s_andn2_b64 exec, exec, s[4:5]\n s_cbranch_execnz 0b\n s_or_b64 exec, exec, s[4:5]\n" BEHIND                                          \
    "global_store_dword v7, v6, s[2:3]\n s_endpgm"

/* In each round, lanes that loaded 0 take places from a counter at s[12:13]. What stands between the parts: behind the rank, before the
 * addition, the addition, and what is done with its old value. */
#define RANK  "v_mbcnt_lo_u32_b32 v10, s8, 0\n v_mbcnt_hi_u32_b32 v10, s9, v10\n v_cmp_eq_u32 vcc, 0, v10\n"
#define ADD   "global_atomic_add v11, v9, v11, s[12:13] glc\n"
#define STORE "v_lshlrev_b32 v12, 2, v12\n global_store_dword v12, v5, s[14:15]\n"
#define AGGREGATES(RANKED, COUNTED, ADDITION, TAKEN)                                                                                       \
    "v_mov_b32 v9, 0\n" ROUNDS(                                                                                                            \
        "v_cmp_eq_u32 vcc, 0, v5\n s_and_saveexec_b64 s[6:7], vcc\n s_cbranch_execz 3f\n s_mov_b64 s[8:9], exec\n" RANK RANKED             \
        "s_and_saveexec_b64 s[10:11], vcc\n s_cbranch_execz 2f\n s_bcnt1_i32_b64 s8, s[8:9]\n v_mov_b32 v11, s8\n" COUNTED ADDITION        \
        "2: s_or_b64 exec, exec, s[10:11]\n s_waitcnt vmcnt(0)\n v_readfirstlane_b32 s10, v11\n"                                           \
        "v_add_u32 v12, s10, v10\n" TAKEN "3: s_or_b64 exec, exec, s[6:7]\n",                                                              \
        "", "")

static const struct kernel kernels[] = {
    {"a sum", GFX9, ROUNDS("", "", ""), 1, 2},
    {"a sum in a wave of 32", GFX10,
     "s_mov_b32 s4, 0\n 0: global_load_dword v5, v4, s[0:1]\n s_waitcnt vmcnt(0)\n v_add_nc_u32 v4, 4, v4\n v_add_nc_u32 v6, v6, v5\n"
     "v_cmp_ge_u32 vcc_lo, v4, v3\n s_or_b32 s4, vcc_lo, s4\n s_andn2_b32 exec_lo, exec_lo, s4\n s_cbranch_execnz 0b\n"
     "s_or_b32 exec_lo, exec_lo, s4\n global_store_dword v7, v6, s[2:3]\n s_endpgm",
     1, 2},
    {"a branch within", GFX9,
     ROUNDS("v_cmp_eq_u32 vcc, 0, v5\n s_and_saveexec_b64 s[6:7], vcc\n s_cbranch_execz 1f\n v_add_u32 v6, 1, v6\n 1: s_or_b64 exec, exec, "
            "s[6:7]\n",
            "", ""),
     1, 0},
    {"a mask that is used behind", GFX9,
     ROUNDS("v_cmp_eq_u32 s[6:7], 0, v5\n s_andn2_b64 s[8:9], s[8:9], exec\n s_and_b64 s[6:7], s[6:7], exec\n s_or_b64 s[8:9], s[8:9], "
            "s[6:7]\n",
            "", "s_and_b64 exec, exec, s[8:9]\n"),
     1, 2},
    {"a scalar of each round", GFX9,
     ROUNDS("s_add_u32 s10, s10, 1\n v_add_u32 v6, s10, v6\n v_add_u32 v6, s11, v6\n v_add_u32 v6, s12, v6\n v_add_u32 v6, s13, v6\n", "",
            ""),
     1, 2},
    {"the same in a short loop, which waits for nobody: what it loads does not end it", GFX9,
     ROUNDS("s_add_u32 s10, s10, 1\n v_add_u32 v6, s10, v6\n", "", ""), 1, 2},
    {"a loop in a loop", GFX9,
     "s_mov_b64 s[4:5], 0\n 0: s_mov_b64 s[6:7], 0\n v_mov_b32 v8, v3\n 1: global_load_dword v5, v4, s[0:1]\n s_waitcnt vmcnt(0)\n"
     "v_add_u32 v4, 4, v4\n v_add_u32 v8, -1, v8\n v_cmp_eq_u32 vcc, 0, v8\n s_or_b64 s[6:7], vcc, s[6:7]\n"
     "s_andn2_b64 exec, exec, s[6:7]\n s_cbranch_execnz 1b\n s_or_b64 exec, exec, s[6:7]\n v_add_u32 v6, v6, v5\n"
     "v_cmp_ge_u32 vcc, v4, v2\n s_or_b64 s[4:5], vcc, s[4:5]\n s_andn2_b64 exec, exec, s[4:5]\n s_cbranch_execnz 0b\n"
     "s_or_b64 exec, exec, s[4:5]\n global_store_dword v7, v6, s[2:3]\n s_endpgm",
     1, 0},
    {"the inner one, where the outer one stores", GFX9,
     "s_mov_b64 s[4:5], 0\n 0: s_mov_b64 s[6:7], 0\n v_mov_b32 v8, v3\n 1: global_load_dword v5, v4, s[0:1]\n s_waitcnt vmcnt(0)\n"
     "v_add_u32 v4, 4, v4\n v_add_u32 v8, -1, v8\n v_cmp_eq_u32 vcc, 0, v8\n s_or_b64 s[6:7], vcc, s[6:7]\n"
     "s_andn2_b64 exec, exec, s[6:7]\n s_cbranch_execnz 1b\n s_or_b64 exec, exec, s[6:7]\n global_store_dword v4, v5, s[2:3]\n"
     "v_cmp_ge_u32 vcc, v4, v2\n s_or_b64 s[4:5], vcc, s[4:5]\n s_andn2_b64 exec, exec, s[4:5]\n s_cbranch_execnz 0b\n"
     "s_or_b64 exec, exec, s[4:5]\n s_endpgm",
     1, 2},
    {"the first of two, where the other one stores", GFX9,
     "s_mov_b64 s[4:5], 0\n 0: global_load_dword v5, v4, s[0:1]\n s_waitcnt vmcnt(0)\n v_add_u32 v4, 4, v4\n v_add_u32 v6, v6, v5\n"
     "v_cmp_ge_u32 vcc, v4, v3\n s_or_b64 s[4:5], vcc, s[4:5]\n s_andn2_b64 exec, exec, s[4:5]\n s_cbranch_execnz 0b\n"
     "s_or_b64 exec, exec, s[4:5]\n s_mov_b64 s[4:5], 0\n 1: global_load_dword v5, v7, s[0:1]\n s_waitcnt vmcnt(0)\n"
     "global_store_dword v7, v5, s[2:3]\n v_add_u32 v7, 4, v7\n v_cmp_ge_u32 vcc, v7, v3\n s_or_b64 s[4:5], vcc, s[4:5]\n"
     "s_andn2_b64 exec, exec, s[4:5]\n s_cbranch_execnz 1b\n s_endpgm",
     1, 2},
    {"lanes that count to the same end and load in step", GFX9,
     "s_mov_b64 s[4:5], 0\n 0: v_lshlrev_b32 v8, 2, v4\n global_load_dword v5, v8, s[0:1]\n s_waitcnt vmcnt(0)\n v_add_u32 v4, s10, v4\n"
     "v_add_u32 v6, v6, v5\n v_cmp_le_i32 vcc, s7, v4\n s_or_b64 s[4:5], vcc, s[4:5]\n s_andn2_b64 exec, exec, s[4:5]\n"
     "s_cbranch_execnz 0b\n s_or_b64 exec, exec, s[4:5]\n global_store_dword v7, v6, s[2:3]\n s_endpgm",
     0, 0},
    {"lanes that count so, and addresses that go on in step with the counter", GFX9,
     "s_mov_b64 s[4:5], 0\n 0: global_load_dword v5, v[8:9], off\n s_waitcnt vmcnt(0)\n v_add_u32 v4, 0x80, v4\n v_add_u32 v6, v6, v5\n"
     "v_add_co_u32 v8, vcc, 0x200, v8\n v_addc_co_u32 v9, vcc, 0, v9, vcc\n v_cmp_le_i32 vcc, s7, v4\n s_or_b64 s[4:5], vcc, s[4:5]\n"
     "s_andn2_b64 exec, exec, s[4:5]\n s_cbranch_execnz 0b\n s_or_b64 exec, exec, s[4:5]\n global_store_dword v7, v6, s[2:3]\n s_endpgm",
     0, 0},
    {"the same, where each lane has a step of its own", GFX9,
     "s_mov_b64 s[4:5], 0\n 0: global_load_dword v5, v[8:9], off\n s_waitcnt vmcnt(0)\n v_add_u32 v4, 0x80, v4\n v_add_u32 v6, v6, v5\n"
     "v_add_co_u32 v8, vcc, v10, v8\n v_addc_co_u32 v9, vcc, 0, v9, vcc\n v_cmp_le_i32 vcc, s7, v4\n s_or_b64 s[4:5], vcc, s[4:5]\n"
     "s_andn2_b64 exec, exec, s[4:5]\n s_cbranch_execnz 0b\n s_or_b64 exec, exec, s[4:5]\n global_store_dword v7, v6, s[2:3]\n s_endpgm",
     1, 0},
    {"lanes that count so but load elsewhere", GFX9,
     "s_mov_b64 s[4:5], 0\n 0: global_load_dword v8, v8, s[0:1]\n s_waitcnt vmcnt(0)\n v_add_u32 v4, s10, v4\n"
     "v_add_u32 v6, v6, v8\n v_cmp_le_i32 vcc, s7, v4\n s_or_b64 s[4:5], vcc, s[4:5]\n s_andn2_b64 exec, exec, s[4:5]\n"
     "s_cbranch_execnz 0b\n s_or_b64 exec, exec, s[4:5]\n global_store_dword v7, v6, s[2:3]\n s_endpgm",
     1, 0},
    {"no load", GFX9,
     "s_mov_b64 s[4:5], 0\n 0: v_add_u32 v4, 4, v4\n v_cmp_ge_u32 vcc, v4, v3\n s_or_b64 s[4:5], vcc, s[4:5]\n s_andn2_b64 exec, exec, "
     "s[4:5]\n s_cbranch_execnz 0b\n s_or_b64 exec, exec, s[4:5]\n global_store_dword v7, v4, s[2:3]\n s_endpgm",
     0, 0},
    {"a store", GFX9, ROUNDS("global_store_dword v4, v5, s[2:3]\n", "", ""), 0, 0},
    {"a store of private memory", GFX9, ROUNDS("scratch_store_dword v4, v5, off\n", "", ""), 1, 0},
    {"an atomic", GFX9, ROUNDS("global_atomic_add v4, v5, s[2:3]\n", "", ""), 1, 0},
    {"an atomic in LDS", GFX9, ROUNDS("ds_add_u32 v4, v5\n", "", ""), 0, 0},
    {"an atomic anywhere", GFX9, ROUNDS("flat_atomic_add v[8:9], v5\n", "", ""), 0, 0},
    {"an atomic and caches", GFX10,
     "s_mov_b32 s4, 0\n 0: global_load_dword v5, v4, s[0:1]\n s_waitcnt vmcnt(0)\n v_add_nc_u32 v4, 4, v4\n"
     "global_atomic_add v6, v5, s[2:3]\n buffer_gl0_inv\n v_cmp_ge_u32 vcc_lo, v4, v3\n s_or_b32 s4, vcc_lo, s4\n"
     "s_andn2_b32 exec_lo, exec_lo, s4\n s_cbranch_execnz 0b\n s_endpgm",
     0, 0},
    {"rounds that depend on what is loaded", GFX9, ROUNDS("v_add_u32 v4, v4, v5\n global_atomic_add v7, v5, s[2:3]\n", "", ""), 0, 0},
    {"rounds that depend on what an atomic returns", GFX9,
     ROUNDS("global_atomic_add v8, v4, v5, s[2:3] glc\n s_waitcnt vmcnt(0)\n v_add_u32 v4, v4, v8\n", "", ""), 0, 0},
    {"lanes that stay for what was loaded", GFX9,
     ROUNDS("global_atomic_add v7, v5, s[2:3]\n v_cmp_eq_u32 s[6:7], 0, v5\n", "s_and_b64 s[4:5], s[4:5], s[6:7]\n", ""), 0, 0},
    {"a condition that is not taken back", GFX9,
     ROUNDS("global_atomic_add v7, v5, s[2:3]\n v_cmp_eq_u32 vcc, 0, v5\n s_and_b64 exec, exec, vcc\n", "", ""), 0, 0},
    {"a counter that counts under a condition", GFX9,
     ROUNDS("global_atomic_add v7, v5, s[2:3]\n v_cmp_eq_u32 vcc, 0, v5\n s_and_saveexec_b64 s[6:7], vcc\n s_cbranch_execz 1f\n"
            "v_add_u32 v4, 4, v4\n 1: s_or_b64 exec, exec, s[6:7]\n",
            "", ""),
     0, 0},
    {"a loop within", GFX9,
     ROUNDS("global_atomic_add v7, v5, s[2:3]\n s_mov_b32 s20, 3\n 1: s_sub_u32 s20, s20, 1\n s_cmp_lg_u32 s20, 0\n s_cbranch_scc1 1b\n",
            "", ""),
     0, 0},
    {"aggregates", GFX9, AGGREGATES("", "", ADD, STORE), 1, 0},
    {"aggregates in a wave of 32", GFX10,
     "s_mov_b32 s4, 0\n v_mov_b32 v9, 0\n 0: global_load_dword v5, v4, s[0:1]\n s_waitcnt vmcnt(0)\n v_add_nc_u32 v4, 4, v4\n"
     "s_mov_b32 s6, exec_lo\n v_cmpx_eq_u32 0, v5\n s_cbranch_execz 3f\n s_mov_b32 s8, exec_lo\n s_mov_b32 s10, exec_lo\n"
     "v_mbcnt_lo_u32_b32 v10, s8, 0\n v_cmpx_eq_u32 0, v10\n s_cbranch_execz 2f\n s_bcnt1_i32_b32 s8, s8\n v_mov_b32 v11, s8\n"
     "global_atomic_add v11, v9, v11, s[12:13] glc\n 2: s_or_b32 exec_lo, exec_lo, s10\n s_waitcnt vmcnt(0)\n"
     "v_readfirstlane_b32 s10, v11\n v_add_nc_u32 v10, s10, v10\n v_lshlrev_b32 v10, 2, v10\n global_store_dword v10, v5, s[14:15]\n"
     "3: s_or_b32 exec_lo, exec_lo, s6\n v_cmp_ge_u32 vcc_lo, v4, v3\n s_or_b32 s4, vcc_lo, s4\n"
     "s_andn2_b32 exec_lo, exec_lo, s4\n s_cbranch_execnz 0b\n s_endpgm",
     1, 0},
    {"aggregates that nobody looks at", GFX9,
     "v_mov_b32 v9, 0\n" ROUNDS(
         "s_mov_b64 s[8:9], exec\n" RANK "s_and_saveexec_b64 s[10:11], vcc\n s_cbranch_execz 2f\n s_bcnt1_i32_b64 s8, s[8:9]\n"
         "v_mov_b32 v11, s8\n global_atomic_add v9, v11, s[12:13]\n 2: s_or_b64 exec, exec, s[10:11]\n v_mov_b32 v10, 0\n",
         "", ""),
     1, 0},
    {"a store beside its own place", GFX9, AGGREGATES("", "", ADD, "global_store_dword v4, v5, s[14:15]\n"), 0, 0},
    {"a place that two aggregates may have", GFX9, AGGREGATES("", "", ADD, "v_and_b32 v12, 63, v12\n" STORE), 0, 0},
    {"the number of lanes, used otherwise", GFX9, AGGREGATES("", "v_add_u32 v6, s8, v6\n", ADD, STORE), 0, 0},
    {"the rank, used otherwise", GFX9, AGGREGATES("v_add_u32 v6, v10, v6\n", "", ADD, STORE), 0, 0},
    {"the rank, used behind", GFX9, AGGREGATES("", "", ADD, STORE "v_add_u32 v6, v10, v6\n"), 0, 0},
    {"the old value, used otherwise", GFX9, AGGREGATES("", "", ADD, STORE "v_add_u32 v6, s10, v6\n"), 0, 0},
    {"an addition for each lane", GFX9, AGGREGATES("", "", "global_atomic_add v11, v4, v11, s[12:13] glc\n", STORE), 0, 0},
    {"twice the number", GFX9, AGGREGATES("", "v_add_u32 v11, v11, v11\n", ADD, STORE), 0, 0},
    {"a subtraction", GFX9, AGGREGATES("", "", "global_atomic_sub v11, v9, v11, s[12:13] glc\n", STORE), 0, 0},
    {"an addition in LDS", GFX9, AGGREGATES("", "", "ds_add_rtn_u32 v11, v9, v11\n", STORE), 0, 0},
    {"lanes that look at others", GFX9, ROUNDS("v_readfirstlane_b32 s10, v5\n v_add_u32 v6, s10, v6\n", "", ""), 0, 0},
    {"DPP", GFX9, ROUNDS("v_add_u32_dpp v6, v5, v6 row_shr:1 row_mask:0xf bank_mask:0xf\n", "", ""), 0, 0},
    {"a mask that is counted", GFX9, ROUNDS("v_cmp_eq_u32 vcc, 0, v5\n s_bcnt1_i32_b64 s10, vcc\n v_add_u32 v6, s10, v6\n", "", ""), 0, 0},
    {"a mask as a number", GFX9, ROUNDS("v_cmp_eq_u32 s[10:11], 0, v5\n v_add_u32 v6, s10, v6\n", "", ""), 0, 0},
    {"half of a mask", GFX9, ROUNDS("v_cmp_eq_u32 s[10:11], 0, v5\n s_mov_b32 s10, 0\n v_cndmask_b32 v6, v6, v5, s[10:11]\n", "", ""), 0,
     0},
    {"a branch on a mask", GFX9, ROUNDS("v_cmp_eq_u32 vcc, 0, v5\n s_cbranch_vccz 1f\n v_add_u32 v6, 1, v6\n 1:\n", "", ""), 0, 0},
    {"a branch on a mask's SCC", GFX9,
     ROUNDS("v_cmp_eq_u32 vcc, 0, v5\n s_and_b64 s[8:9], vcc, exec\n s_cbranch_scc0 1f\n v_add_u32 v6, 1, v6\n 1:\n", "", ""), 0, 0},
    {"a scalar of the last round", GFX9, ROUNDS("s_add_u32 s10, s10, 1\n", "", "v_add_u32 v6, s10, v6\n"), 0, 0},
    {"two ways out", GFX9, ROUNDS("s_sub_u32 s10, s10, 1\n s_cbranch_scc1 2f\n", "", "2:\n"), 0, 0},
    {"lanes that come back", GFX9, /* what skips a strip without lanes would keep some off */
     ROUNDS(
         "v_cmp_eq_u32 vcc, 0, v5\n s_and_saveexec_b64 s[6:7], vcc\n s_cbranch_execz 1f\n s_mov_b64 exec, s[12:13]\n v_add_u32 v6, 1, v6\n "
         "1: s_or_b64 exec, exec, s[6:7]\n",
         "", ""),
     0, 0},
    {"a mask that skipped code changes", GFX9,
     ROUNDS("v_cmp_eq_u32 vcc, 0, v5\n s_and_saveexec_b64 s[6:7], vcc\n s_cbranch_execz 1f\n s_mov_b64 s[8:9], -1\n v_add_u32 v6, 1, v6\n "
            "1: s_or_b64 exec, exec, s[6:7]\n",
            "", "s_and_b64 exec, exec, s[8:9]\n"),
     0, 0},
    {"a wait for others", GFX9, ROUNDS("s_barrier\n", "", ""), 0, 0},
    {"what others wrote", GFX10,
     "s_mov_b32 s4, 0\n 0: buffer_gl0_inv\n global_load_dword v5, v4, s[0:1]\n s_waitcnt vmcnt(0)\n v_cmp_ne_u32 vcc_lo, 0, v5\n"
     "s_or_b32 s4, vcc_lo, s4\n s_andn2_b32 exec_lo, exec_lo, s4\n s_cbranch_execnz 0b\n s_endpgm",
     0, 0},
};

/* What ends the loop works on masks of a strip. */
static bool is_marked(const struct wl_unit *unit, const struct wl_strip_loop *loop) {
    for (uint32_t i = 0; i < loop->count; i++)
        for (uint32_t n = 0; n < unit->blocks[loop->blocks[i]].count; n++)
            if (unit->insts[unit->blocks[loop->blocks[i]].first + n].on_strip_masks)
                return true;
    return false;
}

/* Makes a unit of the text and looks for its loops. */
static void find_loops(struct assembled *made, const struct wl_translate_request *request, const char *text) {
    assembled_build(made, *request, text);
    wl_unit_liveness(&made->unit);
    assert_int_equal(wl_strip_loops_find(&made->unit), WL_OK);
}

/* Of a kernel; `made` is to be freed. */
static const struct wl_unit *loops_of(struct assembled *made, const struct kernel *k) {
    find_loops(made, &(struct wl_translate_request){.processor = k->processor, .wave_size = k->wave_size, .name = k->title}, k->text);
    return &made->unit;
}

/* The only one. */
static const struct wl_strip_loop *loop_of(struct assembled *made, const struct kernel *k) {
    (void)loops_of(made, k);
    assert_int_equal(made->unit.strip_loop_count, 1);
    return &made->unit.strip_loops[0];
}

static bool is_right(const struct kernel *k) {
    struct assembled made;
    const struct wl_unit *unit = loops_of(&made, k);
    unsigned blocks = 0, unmarked = 0;
    for (uint32_t i = 0; i < unit->strip_loop_count; i++) {
        blocks += unit->strip_loops[i].count;
        unmarked += !is_marked(unit, &unit->strip_loops[i]);
    }
    bool right = unit->strip_loop_count == k->loops && (!k->blocks || blocks == k->blocks) && !unmarked;
    if (!right)
        fprintf(stderr, "%s: %u loops of %u basic blocks, %u without marks\n", k->title, unit->strip_loop_count, blocks, unmarked);
    assembled_free(&made);
    return right;
}

static void test_loops(void **state) {
    (void)state;
    unsigned bad = 0;
    for (unsigned i = 0; i < sizeof kernels / sizeof *kernels; i++)
        bad += !is_right(&kernels[i]);
    assert_int_equal(bad, 0);
}

/* `loops`: whether v4 is a row that counts. */
static const struct kernel counters[] = {
    {"by a constant", GFX9, ROUNDS("", "", ""), 1, 0},
    {"by constants and scalars", GFX9, ROUNDS("v_add_u32 v4, s9, v4\n", "v_add_u32 v4, 1, v4\n", ""), 1, 0},
    {"not where it is used behind: lanes that are off keep theirs", GFX9, ROUNDS("", "", "v_add_u32 v6, v4, v6\n"), 0, 0},
    {"not for some lanes alone", GFX9,
     ROUNDS("v_cmp_eq_u32 vcc, 0, v5\n s_and_saveexec_b64 s[6:7], vcc\n s_cbranch_execz 1f\n v_add_u32 v4, 4, v4\n"
            "1: s_or_b64 exec, exec, s[6:7]\n",
            "", ""),
     0, 0},
    {"not by what differs from lane to lane", GFX9, ROUNDS("v_add_u32 v4, v4, v5\n", "", ""), 0, 0},
    {"not up to a bound", GFX9, ROUNDS("v_add_u32_e64 v4, v4, s9 clamp\n", "", ""), 0, 0},
    {"not if something else is done to it", GFX9, ROUNDS("v_lshlrev_b32 v4, 1, v4\n", "", ""), 0, 0},
};

static void test_counters(void **state) {
    (void)state;
    unsigned bad = 0;
    for (unsigned i = 0; i < sizeof counters / sizeof *counters; i++) {
        const struct kernel *k = &counters[i];
        struct assembled made;
        if (wl_bit(loop_of(&made, k)->rows_counting, 4) != k->loops) {
            fprintf(stderr, "%s: %u wanted\n", k->title, k->loops);
            bad++;
        }
        assembled_free(&made);
    }
    assert_int_equal(bad, 0);
}

/* `loops`: with how many lanes left a strip runs them one by one. */
#define COMPUTE "v_mul_f32 v6, v6, v6\n v_add_u32 v6, v6, v4\n v_xor_b32 v6, v6, v4\n v_max_u32 v6, v6, v4\n"
static const struct kernel lone_lanes[] = {
    {"no lane where nothing is written", GFX9, ROUNDS("", "", ""), 0, 0},
    {"all where little is computed", GFX9, ROUNDS("global_atomic_add v4, v5, s[2:3]\n", "", ""), 16, 0},
    {"few where more is", GFX9, ROUNDS("global_atomic_add v4, v5, s[2:3]\n" COMPUTE COMPUTE, "", ""), 10, 0},
    {"none where much is", GFX9, ROUNDS("global_atomic_add v4, v5, s[2:3]\n" COMPUTE COMPUTE COMPUTE COMPUTE COMPUTE COMPUTE, "", ""), 0,
     0},
    {"few, with aggregates", GFX9, AGGREGATES("", "", ADD, STORE), 8, 0},
    {"all where private memory is written", GFX9, ROUNDS("scratch_load_dword v8, v5, off\n scratch_store_dword v4, v8, off\n", "", ""), 16,
     0},
    {"all where bytes are loaded", GFX9, ROUNDS("global_load_ubyte v8, v4, s[0:1]\n global_load_ubyte v9, v5, s[0:1]\n", "", ""), 16, 0},
};

static void test_lone_lanes(void **state) {
    (void)state;
    unsigned bad = 0;
    for (unsigned i = 0; i < sizeof lone_lanes / sizeof *lone_lanes; i++) {
        const struct kernel *k = &lone_lanes[i];
        struct assembled made;
        const struct wl_strip_loop *loop = loop_of(&made, k);
        unsigned few = wl_strip_loop_few(&made.unit, loop);
        if (few != k->loops) {
            fprintf(stderr, "%s: %u, %u wanted\n", k->title, few, k->loops);
            bad++;
        }
        assembled_free(&made);
    }
    assert_int_equal(bad, 0);
}

/* `loops`: whether the first store through a buffer is known to be one of private memory, whose descriptor is in s[20:23] at first. */
static const struct kernel buffers[] = {
    {"as it was", GFX9, "buffer_store_dword v4, v5, s[20:23], 0 offen\n s_endpgm", 1, 0},
    {"of this wave, moved", GFX9,
     "s_add_u32 s20, s20, s9\n s_addc_u32 s21, s21, 0\n s_mov_b64 s[30:31], s[22:23]\n s_mov_b64 s[28:29], s[20:21]\n s_mov_b32 s20, 0\n"
     "buffer_store_dword v4, off, s[28:31], 0 offset:4\n s_endpgm",
     1, 0},
    {"in a loop", GFX9, "0: s_sub_u32 s2, s2, 1\n buffer_store_dword v4, v5, s[20:23], 0 offen\n s_cbranch_scc1 0b\n s_endpgm", 1, 0},
    {"another in a later round", GFX9,
     "0: s_sub_u32 s2, s2, 1\n buffer_store_dword v4, v5, s[20:23], 0 offen\n s_mov_b32 s22, s3\n s_cbranch_scc1 0b\n s_endpgm", 0, 0},
    {"another", GFX9, "buffer_store_dword v4, v5, s[24:27], 0 offen\n s_endpgm", 0, 0},
    {"dwords in another order", GFX9, "s_mov_b32 s20, s21\n buffer_store_dword v4, v5, s[20:23], 0 offen\n s_endpgm", 0, 0},
    {"with an index", GFX9, "buffer_store_dword v4, v5, s[20:23], 0 idxen\n s_endpgm", 0, 0},
    {"one way or another", GFX9,
     "s_cbranch_scc1 1f\n s_load_dwordx4 s[20:23], s[0:1], 0\n 1: buffer_store_dword v4, v5, s[20:23], 0 offen\n s_endpgm", 0, 0},
};

static void test_private_buffers(void **state) {
    (void)state;
    unsigned bad = 0;
    for (unsigned i = 0; i < sizeof buffers / sizeof *buffers; i++) {
        const struct kernel *k = &buffers[i];
        const struct wl_inst *store = NULL;
        struct assembled made;
        find_loops(&made,
                   &(struct wl_translate_request){.processor = k->processor,
                                                  .wave_size = k->wave_size,
                                                  .name = k->title,
                                                  .has_private_register = true,
                                                  .private_register = 20},
                   k->text);
        for (uint32_t n = 0; n < made.unit.inst_count && !store; n++)
            store = strncmp(made.unit.insts[n].mnemonic, "buffer_store", 12) == 0 ? &made.unit.insts[n] : NULL;
        if (!store || store->is_private != k->loops) {
            fprintf(stderr, "%s: %u wanted\n", k->title, k->loops);
            bad++;
        }
        assembled_free(&made);
    }
    assert_int_equal(bad, 0);
}

/* Loops that lanes leave where their counters have come to the limit, and what is known of them. */
struct counted {
    const char *title, *text;
    struct wl_strip_rounds wanted; /* `known` is false: nothing else counts; the limit is v3, the counter v4 */
};

#define ENDS(BODY, LATCH) /* what counts and compares, what makes EXEC */                                                                  \
    "s_mov_b64 s[4:5], 0\n 0: global_load_dword v5, v4, s[0:1]\n s_waitcnt vmcnt(0)\n v_add_u32 v6, v6, v5\n" BODY LATCH                   \
    "s_cbranch_execnz 0b\n s_or_b64 exec, exec, s[4:5]\n global_store_dword v7, v6, s[2:3]\n s_endpgm"
#define LEFT "s_or_b64 s[4:5], vcc, s[4:5]\n s_andn2_b64 exec, exec, s[4:5]\n"
#define STEP "v_add_u32 v4, 4, v4\n"

static const struct counted rounds[] = {
    {"below", ENDS(STEP "v_cmp_ge_u32 vcc, v4, v3\n", LEFT), {.known = true, .ahead = true, .step = 4, .collects = true}},
    {"the other way round", ENDS(STEP "v_cmp_le_u32 vcc, v3, v4\n", LEFT), {.known = true, .ahead = true, .step = 4, .collects = true}},
    {"up to the limit",
     ENDS(STEP "v_cmp_lt_i32 vcc, v3, v4\n", LEFT),
     {.known = true, .ahead = true, .step = 4, .collects = true, .includes = true, .is_signed = true}},
    {"compared before the step",
     ENDS("v_cmp_gt_u32 vcc, v4, v3\n" STEP, LEFT),
     {.known = true, .step = 4, .collects = true, .includes = true}},
    {"lanes that stay", ENDS(STEP "v_cmp_lt_u32 vcc, v4, v3\n", "s_and_b64 exec, exec, vcc\n"), {.known = true, .ahead = true, .step = 4}},
    {"lanes that stay, of those that have not left",
     ENDS(STEP "v_cmp_lt_u32 vcc, v4, v3\n", "s_andn2_b64 vcc, exec, vcc\n" LEFT),
     {.known = true, .ahead = true, .step = 4, .collects = true}},
    {"lanes that leave below the limit", ENDS(STEP "v_cmp_lt_u32 vcc, v4, v3\n", LEFT), {.known = false}},
    {"lanes that leave for something else too",
     ENDS(STEP "v_cmp_eq_u32 s[8:9], 0, v5\n v_cmp_ge_u32 vcc, v4, v3\n s_or_b64 vcc, vcc, s[8:9]\n", LEFT),
     {.known = false}},
    {"lanes that come back",
     ENDS(STEP "v_cmp_ge_u32 vcc, v4, v3\n", "s_or_b64 s[4:5], vcc, s[4:5]\n s_xor_b64 exec, exec, s[4:5]\n"),
     {.known = false}},
    {"a mask that is turned over",
     ENDS(STEP "v_cmp_ge_u32 vcc, v4, v3\n", "s_xor_b64 s[4:5], vcc, s[4:5]\n s_andn2_b64 exec, exec, s[4:5]\n"),
     {.known = false}},
    {"two masks",
     ENDS(STEP "v_cmp_ge_u32 vcc, v4, v3\n s_or_b64 s[8:9], vcc, s[8:9]\n",
          "s_or_b64 s[4:5], s[8:9], s[4:5]\n s_andn2_b64 exec, exec, s[4:5]\n"),
     {.known = false}},
    {"two steps", ENDS(STEP STEP "v_cmp_ge_u32 vcc, v4, v3\n", LEFT), {.known = false}},
    {"a step that a scalar says", ENDS("v_add_u32 v4, s9, v4\n v_cmp_ge_u32 vcc, v4, v3\n", LEFT), {.known = false}},
    {"a step down", ENDS("v_add_u32 v4, -4, v4\n v_cmp_ge_u32 vcc, v4, v3\n", LEFT), {.known = false}},
    {"a limit that changes", ENDS(STEP "v_add_u32 v3, v3, v5\n v_cmp_ge_u32 vcc, v4, v3\n", LEFT), {.known = false}},
    {"a step of some lanes",
     ENDS("v_cmp_eq_u32 vcc, 0, v5\n s_and_saveexec_b64 s[6:7], vcc\n" STEP "s_or_b64 exec, exec, s[6:7]\n v_cmp_ge_u32 vcc, v4, v3\n",
          LEFT),
     {.known = false}},
    {"a branch within",
     ENDS("v_cmp_eq_u32 vcc, 0, v5\n s_and_saveexec_b64 s[6:7], vcc\n s_cbranch_execz 1f\n v_add_u32 v6, 1, v6\n"
          "1: s_or_b64 exec, exec, s[6:7]\n" STEP "v_cmp_ge_u32 vcc, v4, v3\n",
          LEFT),
     {.known = false}},
};

static bool rounds_are_right(const struct counted *c) {
    const struct wl_strip_rounds *wanted = &c->wanted;
    struct assembled made;
    find_loops(&made, &(struct wl_translate_request){.processor = "gfx906", .wave_size = 64, .name = c->title}, c->text);
    struct wl_strip_rounds got = {0};
    if (made.unit.strip_loop_count == 1)
        got = made.unit.strip_loops[0].rounds;
    bool right = got.known == wanted->known;
    if (right && wanted->known)
        right = got.is_signed == wanted->is_signed && got.includes == wanted->includes && got.ahead == wanted->ahead &&
                got.collects == wanted->collects && got.step == wanted->step && got.counter == 4 && got.limit.kind == WL_OPERAND_VGPR &&
                got.limit.reg == 3;
    if (!right)
        fprintf(stderr, "%s: %u loops, known %d, signed %d, includes %d, ahead %d, collects %d, step %u\n", c->title,
                made.unit.strip_loop_count, got.known, got.is_signed, got.includes, got.ahead, got.collects, got.step);
    assembled_free(&made);
    return right;
}

static void test_rounds(void **state) {
    (void)state;
    unsigned bad = 0;
    for (unsigned i = 0; i < sizeof rounds / sizeof *rounds; i++)
        bad += !rounds_are_right(&rounds[i]);
    assert_int_equal(bad, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_loops), cmocka_unit_test(test_counters), cmocka_unit_test(test_lone_lanes),
                                       cmocka_unit_test(test_private_buffers), cmocka_unit_test(test_rounds)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
