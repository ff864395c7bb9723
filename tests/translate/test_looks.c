/* Which loops do nothing but wait for what others write (unit.h: only_looks), and where waves leave them. */
#include "assembled.h"

#include "machine/sanitize.h"
#include "translate/isa/isa.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

struct loop {
    const char *title, *processor, *text;
    bool looks; /* wanted: of the loop that begins at the first backward branch's target */
};

#define LOAD "global_load_dword v2, v[0:1], off glc\n s_waitcnt vmcnt(0)\n"
/* The loop ends when what was loaded into v2 is not 0. */
#define UNTIL  "v_cmp_eq_u32 vcc, 0, v2\n s_and_b64 exec, exec, vcc\n s_cbranch_execnz 0b\n s_endpgm"
#define UNTIL8 "v_cmp_eq_u32 vcc_lo, 0, v2\n s_and_b32 exec_lo, exec_lo, vcc_lo\n s_cbranch_execnz 0b\n s_endpgm"

static const struct loop loops[] = {
    {"a flag", "gfx90a", "0: " LOAD UNTIL, true},
    {"a flag in LDS", "gfx90a", "0: ds_read_b32 v2, v0\n s_waitcnt lgkmcnt(0)\n" UNTIL, true},
    {"a flag, wave32", "gfx1030", "0: global_load_dword v2, v[0:1], off glc\n s_waitcnt vmcnt(0)\n" UNTIL8, true},
    {"a flag on gfx12", "gfx1200", "0: global_load_b32 v2, v[0:1], off scope:SCOPE_DEV\n s_wait_loadcnt 0x0\n" UNTIL8, true},
    {"with a sleep and a counter", "gfx90a", "s_mov_b32 s4, 0\n 0: s_sleep 1\n s_add_i32 s4, s4, 1\n" LOAD UNTIL, true},
    {"with a counter that ends it", "gfx90a",
     "s_mov_b32 s4, 0\n 0: s_add_i32 s4, s4, 1\n s_cmp_eq_u32 s4, 1000\n s_cbranch_scc1 1f\n" LOAD UNTIL "\n 1: s_endpgm", true},
    {"with a counter of two dwords, one for each lane", "gfx90a",
     "0: v_add_co_u32 v4, vcc, 1, v4\n v_addc_co_u32 v5, vcc, 0, v5, vcc\n v_cmp_gt_u64 s[4:5], v[4:5], v[6:7]\n s_cmp_lg_u64 s[4:5], 0\n"
     "s_cbranch_scc1 1f\n" LOAD UNTIL "\n 1: s_endpgm",
     true},
    {"with a second flag every 1000 rounds", "gfx90a",
     "s_mov_b32 s4, 0\n 0: " LOAD "s_add_i32 s4, s4, 1\n s_cmp_lg_u32 s4, 1000\n s_cbranch_scc1 1f\n s_mov_b32 s4, 0\n"
     "s_load_dword s5, s[2:3], 0x0\n s_waitcnt lgkmcnt(0)\n s_cmp_lg_u32 s5, 0\n s_cbranch_scc1 2f\n 1: " UNTIL "\n 2: s_endpgm",
     true},
    {"under a condition of its own", "gfx90a",
     "0: v_cmp_gt_u32 vcc, 5, v3\n s_and_saveexec_b64 s[4:5], vcc\n " LOAD "s_or_b64 exec, exec, s[4:5]\n" UNTIL, true},
    {"entered in the middle, with its lanes put together at its head", "gfx90a",
     "s_mov_b64 s[6:7], 0\n s_branch 1f\n 0: s_or_b64 exec, exec, s[4:5]\n s_and_b64 s[8:9], exec, s[8:9]\n s_or_b64 s[6:7], s[8:9], "
     "s[6:7]\n"
     "s_andn2_b64 exec, exec, s[6:7]\n s_cbranch_execz 2f\n 1: " LOAD "v_cmp_ne_u32 s[8:9], 0, v2\n s_and_saveexec_b64 s[4:5], vcc\n"
     "s_cbranch_execz 0b\n s_branch 0b\n 2: s_endpgm",
     true},
    {"a value that is compared in the next round", "gfx90a",
     "0: v_add_u32 v3, 2, v2\n v_cmp_lt_u32 vcc, v3, v4\n s_and_b64 exec, exec, vcc\n s_cbranch_execz 1f\n" LOAD
     "s_branch 0b\n 1: s_endpgm",
     true},
    {"a lock by compare and swap", "gfx90a", "0: global_atomic_cmpswap v2, v[0:1], v[4:5], off glc\n s_waitcnt vmcnt(0)\n" UNTIL, true},
    {"two loops that look, one in the other", "gfx90a",
     "0: ds_read_b32 v2, v0\n s_waitcnt lgkmcnt(0)\n v_cmp_eq_u32 vcc, 0, v2\n s_cbranch_vccnz 0b\n" LOAD UNTIL, true},
    {"a list", "gfx90a", "0: global_load_dwordx2 v[0:1], v[0:1], off glc\n s_waitcnt vmcnt(0)\n v_mov_b32 v2, v0\n" UNTIL, false},
    {"words one after the other", "gfx90a", "0: " LOAD "v_add_co_u32 v0, vcc, 4, v0\n" UNTIL, false},
    {"a store", "gfx90a", "0: " LOAD "global_store_dword v[4:5], v2, off\n" UNTIL, false},
    {"a store to LDS", "gfx90a", "0: " LOAD "ds_write_b32 v6, v2\n" UNTIL, false},
    {"an addition to memory", "gfx90a", "0: global_atomic_add v2, v[0:1], v4, off glc\n s_waitcnt vmcnt(0)\n" UNTIL, false},
    {"a barrier", "gfx90a", "0: " LOAD "s_barrier\n" UNTIL, false},
    {"a sum of what it finds", "gfx90a",
     "0: " LOAD "v_add_u32 v3, v3, v2\n v_cmp_gt_u32 vcc, v4, v3\n s_and_b64 exec, exec, vcc\n"
     "s_cbranch_execnz 0b\n s_endpgm",
     false},
    {"numbers that follow from each other", "gfx90a",
     "0: " LOAD "v_mul_lo_u32 v3, v3, v5\n v_cmp_ne_u32 vcc, v3, v2\n"
     "s_and_b64 exec, exec, vcc\n s_cbranch_execnz 0b\n s_endpgm",
     false},
    {"a search for a number whose hash is small", "gfx90a",
     "0: " LOAD "v_add_u32 v3, 1, v3\n v_mul_lo_u32 v4, v3, v5\n v_xor_b32 v4, v4, v3\n v_mul_lo_u32 v4, v4, v5\n v_xor_b32 v4, v4, v3\n"
     "v_mul_lo_u32 v4, v4, v5\n v_xor_b32 v4, v4, v3\n v_mul_lo_u32 v4, v4, v5\n v_xor_b32 v4, v4, v3\n v_mul_lo_u32 v4, v4, v5\n"
     "v_cmp_gt_u32 vcc, v4, v2\n s_and_b64 exec, exec, vcc\n s_cbranch_execnz 0b\n s_endpgm",
     false},
    {"a clock", "gfx90a", "0: " LOAD "s_memtime s[4:5]\n" UNTIL, false},
    {"a message", "gfx90a", "0: " LOAD "s_sendmsg sendmsg(MSG_INTERRUPT)\n" UNTIL, false},
    {"all words of an array, again and again", "gfx90a",
     "0: v_mov_b32 v4, v0\n v_mov_b32 v5, v1\n s_mov_b32 s4, 0\n 1: global_load_dword v2, v[4:5], off glc\n s_waitcnt vmcnt(0)\n"
     "v_add_co_u32 v4, vcc, 4, v4\n v_addc_co_u32 v5, vcc, 0, v5, vcc\n s_add_i32 s4, s4, 1\n s_cmp_lg_u32 s4, 64\n s_cbranch_scc1 "
     "1b\n" UNTIL,
     false},
};

static void test_loops(void **state) {
    unsigned bad = 0;
    (void)state;
    for (size_t i = 0; i < sizeof loops / sizeof *loops; i++) {
        struct assembled made;
        bool looks = false;
        assembled_build(&made,
                        (struct wl_translate_request){
                            .processor = loops[i].processor, .wave_size = loops[i].processor[3] == '9' ? 64 : 32, .name = loops[i].title},
                        loops[i].text);
        for (uint32_t p = 0; p < made.unit.block_count; p++)
            looks |= made.unit.blocks[p].only_looks;
        if (looks != loops[i].looks)
            fprintf(stderr, "%s: %s\n", loops[i].title, looks ? "only looks" : "does more");
        bad += looks != loops[i].looks;
        assembled_free(&made);
    }
    assert_int_equal(bad, 0);
}

/* Of a loop that looks within one that does more, each way out is told, and nothing within. */
static void test_ways_out(void **state) {
    struct assembled made;
    (void)state;
    assembled_build(
        &made, (struct wl_translate_request){.processor = "gfx90a", .wave_size = 64, .name = "out"},
        "s_mov_b32 s4, 0\n 0: s_add_i32 s6, s6, 1\n 1: s_load_dword s5, s[2:3], 0x0\n s_waitcnt lgkmcnt(0)\n s_add_i32 s4, s4, 1\n"
        "s_cmp_eq_u32 s4, 9\n s_cbranch_scc1 2f\n s_cmp_eq_u32 s5, 0\n s_cbranch_scc1 1b\n global_store_dword v[0:1], v2, off\n"
        "s_branch 0b\n 2: s_endpgm");
    unsigned ends = 0, within = 0;
    for (uint32_t p = 0; p < made.unit.block_count; p++) {
        ends += made.unit.blocks[p].ends_looks;
        within += made.unit.blocks[p].ends_looks && made.unit.blocks[p].only_looks;
    }
    assembled_free(&made);
    assert_int_equal(ends, 2);
    assert_int_equal(within, 0);
}

/* A loop that counts in private memory loads LDS for no flag. Compilers keep the counter's address in lanes at -O0, and those in another register or in
 * private memory. `lane` is the one from which the loop takes half of it: of 19 nothing is known. */
#define COUNTS(keep, again, lane, mask, count)                                                                                             \
    "s_mov_b32 s33, 0\n s_mov_b64 s[4:5], src_private_base\n s_lshr_b64 s[20:21], s[4:5], 32\n s_mov_b32 s18, 0\n s_mov_b32 s12, 0x4c\n"   \
    "s_cmp_lg_u32 s12, -1\n s_cselect_b32 s8, s20, s18\n s_cselect_b32 s9, s12, s18\n v_writelane_b32 v40, s9, 17\n"                       \
    "v_writelane_b32 v40, s8, 18\n v_writelane_b32 v40, s2, 19\n" keep "0: " again                                                         \
    "v_readlane_b32 s6, v40, 17\n v_readlane_b32 s7, v40, " lane "\n v_mov_b32 v0, s6\n v_mov_b32 v1, s7\n flat_load_dword v3, v[0:1]\n"   \
    "s_waitcnt vmcnt(0) lgkmcnt(0)\n ds_read_b32 v5, v6\n s_waitcnt lgkmcnt(0)\n" count "flat_store_dword v[0:1], v3\n" mask
#define COUNTS9(lane)                                                                                                                      \
    COUNTS("v_accvgpr_write_b32 a34, v40\n", "v_accvgpr_read_b32 v40, a34\n", lane,                                                        \
           "v_cmp_gt_i32 vcc, 100, v3\n s_and_b64 exec, exec, vcc\n s_cbranch_execnz 0b\n s_endpgm", "v_add_u32 v3, 1, v3\n")
#define COUNTS10(lane)                                                                                                                     \
    COUNTS("buffer_store_dword v40, off, s[0:3], s33 offset:80\n",                                                                         \
           "buffer_load_dword v40, off, s[0:3], s33 offset:80\n s_waitcnt vmcnt(0)\n", lane,                                               \
           "v_cmp_gt_i32 vcc_lo, 100, v3\n s_and_b32 exec_lo, exec_lo, vcc_lo\n s_cbranch_execnz 0b\n s_endpgm",                           \
           "v_add_nc_u32 v3, 1, v3\n")

static void test_counter_in_memory(void **state) {
    static const struct loop counted[] = {
        {"its address is known", "gfx90a", COUNTS9("18"), false},
        {"its address is known, in memory", "gfx1030", COUNTS10("18"), false},
        {"its address is not known", "gfx90a", COUNTS9("19"), true},
        {"its address is not known, in memory", "gfx1030", COUNTS10("19"), true},
    };
    (void)state;
    for (size_t i = 0; i < sizeof counted / sizeof *counted; i++) {
        struct assembled made;
        bool looks = false;
        assembled_build(&made,
                        (struct wl_translate_request){.processor = counted[i].processor,
                                                      .wave_size = counted[i].processor[3] == '9' ? 64 : 32,
                                                      .sanitize = WL_SANITIZE_RACECHECK,
                                                      .name = counted[i].title},
                        counted[i].text);
        for (uint32_t n = 0; n < made.unit.inst_count; n++)
            looks |= made.unit.insts[n].looks_again && made.unit.insts[n].isa->space == WL_SPACE_LDS;
        assembled_free(&made);
        if (looks != counted[i].looks)
            fail_msg("%s: LDS is %slooked at again and again", counted[i].title, looks ? "" : "not ");
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_loops), cmocka_unit_test(test_ways_out),
                                       cmocka_unit_test(test_counter_in_memory)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
