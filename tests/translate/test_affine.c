/* What the analysis of vector registers finds: small kernels and the facts at their ends. */
#include "assembled.h"
#include "translate/analysis/affine.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

enum { ANYTHING = -1 };

struct expectation {
    unsigned row;
    enum wl_fact_kind kind;
    int stride, zeros, bits;
    bool partial;
    unsigned lanes;                           /* 0: any */
    enum { ANY_PAIR, PAIRED, UNPAIRED } pair; /* whether it is a 64-bit base + stride * lane with the next row */
    enum { ANY_STRIPS, SAME_STRIPS, OTHER_STRIPS } strips;
};

struct kernel {
    const char *title, *processor;
    unsigned wave_size;
    bool packed;
    enum wl_mode mode;
    enum wl_shape shape;
    const char *text; /* the facts are those before the last instruction */
    struct expectation expect[6];
};

#define AFFINE(ROW, STRIDE, ZEROS, BITS) {ROW, WL_FACT_AFFINE, STRIDE, ZEROS, BITS, false, 0, ANY_PAIR, ANY_STRIPS}
#define UNIFORM(ROW)                     {ROW, WL_FACT_AFFINE, 0, ANYTHING, ANYTHING, false, 0, ANY_PAIR, ANY_STRIPS}
#define CARRY(ROW)                       {ROW, WL_FACT_CARRY, ANYTHING, ANYTHING, ANYTHING, false, 0, ANY_PAIR, ANY_STRIPS}
#define UNKNOWN(ROW)                     {ROW, WL_FACT_UNKNOWN, ANYTHING, ANYTHING, ANYTHING, false, 0, ANY_PAIR, ANY_STRIPS}
#define PAIR(ROW, STRIDE)                {ROW, WL_FACT_AFFINE, STRIDE, ANYTHING, ANYTHING, false, 0, PAIRED, ANY_STRIPS}
#define NO_PAIR(ROW, STRIDE)             {ROW, WL_FACT_AFFINE, STRIDE, ANYTHING, ANYTHING, false, 0, UNPAIRED, ANY_STRIPS}
#define SHIFTED(ROW)                     {ROW, WL_FACT_SHIFTED, ANYTHING, ANYTHING, ANYTHING, false, 0, ANY_PAIR, ANY_STRIPS}
#define GROUPS(ROW)                      {ROW, WL_FACT_GROUPS, ANYTHING, ANYTHING, ANYTHING, false, WL_GROUP, ANY_PAIR, ANY_STRIPS}
#define SAME(ROW, STRIDE)                {ROW, WL_FACT_AFFINE, STRIDE, ANYTHING, ANYTHING, false, 0, ANY_PAIR, SAME_STRIPS}
#define NOT_SAME(ROW, STRIDE)            {ROW, WL_FACT_AFFINE, STRIDE, ANYTHING, ANYTHING, false, 0, ANY_PAIR, OTHER_STRIPS}
#define PARTIAL(ROW, STRIDE)             {ROW, WL_FACT_AFFINE, STRIDE, ANYTHING, ANYTHING, true, 0, ANY_PAIR, ANY_STRIPS}
#define BROKEN(ROW, STRIDE)              {ROW, WL_FACT_BROKEN, STRIDE, ANYTHING, ANYTHING, false, 0, ANY_PAIR, ANY_STRIPS}
#define END                              {.row = WL_VGPR_COUNT}
#define GFX9                             "gfx906", 64, false, WL_MODE_FULL, WL_SHAPE_ROWS
#define GFX90A_HALVES                    "gfx90a", 64, true, WL_MODE_FULL, WL_SHAPE_HALVES
#define GFX90A                           "gfx90a", 64, true, WL_MODE_FULL, WL_SHAPE_ROWS
#define GFX942                           "gfx942", 64, true, WL_MODE_FULL, WL_SHAPE_ROWS
#define GFX10                            "gfx1030", 32, false, WL_MODE_FULL, WL_SHAPE_ROWS
#define GFX11                            "gfx1100", 32, true, WL_MODE_FULL, WL_SHAPE_ROWS
#define MASKED                           "gfx906", 64, false, WL_MODE_MASKED, WL_SHAPE_ROWS
#define GFX10_LINES                      "gfx1030", 32, false, WL_MODE_FULL, WL_SHAPE_LINES
#define OVER(LANES, ROW, STRIDE)         {ROW, WL_FACT_AFFINE, STRIDE, ANYTHING, ANYTHING, false, LANES, ANY_PAIR, ANY_STRIPS}

/* The workgroup's size; the address of item v[0:1]. */
#define BLOCK   "s_load_dword s4, s[8:9], 0xc\n"
#define ADDRESS "v_lshlrev_b64 v[2:3], 2, v[0:1]\n v_mov_b32 v4, s1\n v_add_co_u32 v2, vcc, s0, v2\n v_addc_co_u32 v3, vcc, v4, v3, vcc\n"

static const struct kernel kernels[] = {
    {"workitem ids",
     GFX9,
     "v_mov_b32 v3, v0\n v_mov_b32 v4, v1\n v_mov_b32 v5, s4\n s_endpgm",
     {AFFINE(3, 1, 4, 10), AFFINE(4, 0, ANYTHING, 10), UNIFORM(5), END}},
    {"rows of 16 items",
     "gfx1030",
     32,
     false,
     WL_MODE_FULL,
     WL_SHAPE_SQUARES,
     "v_lshlrev_b32 v3, 2, v0\n v_add_nc_u32 v4, 0x400, v3\n v_lshl_add_u32 v5, v1, 6, v3\n v_add_nc_u32 v6, s4, v3\n"
     "v_cndmask_b32 v7, v1, v1, vcc_lo\n v_lshlrev_b32 v8, 6, v1\n s_endpgm",
     {SAME(3, 4), SAME(4, 4), NOT_SAME(5, 4), SAME(6, 4), UNKNOWN(7), NOT_SAME(8, 0)}},
    {"rows of 16 items, packed",
     "gfx90a",
     64,
     true,
     WL_MODE_FULL,
     WL_SHAPE_SQUARES,
     "v_and_b32 v1, 0x3ff, v0\n v_bfe_u32 v2, v0, 10, 10\n v_and_b32 v3, 0x7ff, v0\n v_lshlrev_b32 v4, 4, v1\n s_endpgm",
     {SAME(1, 1), NOT_SAME(2, 0), NOT_SAME(3, 1), SAME(4, 16), END}},
    {"a loop over rows of 16 items",
     "gfx1030",
     32,
     false,
     WL_MODE_FULL,
     WL_SHAPE_SQUARES,
     "v_mov_b32 v3, v0\n v_mov_b32 v4, v0\n 0: v_add_nc_u32 v3, 64, v3\n v_add_nc_u32 v4, v1, v4\n s_add_u32 s4, s4, 1\n"
     "s_cmp_lt_u32 s4, s5\n s_cbranch_scc1 0b\n s_endpgm",
     {SAME(3, 1), NOT_SAME(4, 1), END}},
    {"packed ids",
     GFX90A,
     "v_and_b32 v1, 0x3ff, v0\n v_bfe_u32 v2, v0, 10, 10\n v_bfe_u32 v3, v0, 20, 10\n s_endpgm",
     {AFFINE(1, 1, 4, 10), AFFINE(2, 0, ANYTHING, 10), AFFINE(3, 0, ANYTHING, 10), END}},
    {"global index, gfx9",
     GFX9,
     "v_mov_b32 v1, s6\n v_lshl_add_u32 v0, v1, 8, v0\n v_ashrrev_i32 v1, 31, v0\n v_lshlrev_b64 v[2:3], 2, v[0:1]\n v_mov_b32 v4, s1\n"
     "v_add_co_u32 v2, vcc, s0, v2\n v_addc_co_u32 v3, vcc, v4, v3, vcc\n s_endpgm",
     {AFFINE(0, 1, 4, 32), UNIFORM(1), AFFINE(2, 4, 0, 32), CARRY(3), END}},
    {"global index, gfx942",
     GFX942,
     "v_and_b32 v0, 0x3ff, v0\n v_mov_b32 v1, 0\n v_lshl_add_u64 v[2:3], v[0:1], 3, s[0:1]\n v_mad_u64_u32 v[4:5], s[4:5], v0, 4, s[2:3]\n "
     "s_endpgm",
     {AFFINE(2, 8, 0, 32), CARRY(3), AFFINE(4, 4, 0, 32), CARRY(5), END}},
    {"global index, gfx11",
     GFX11,
     "v_and_b32_e32 v0, 0x3ff, v0\n v_mad_u64_u32 v[1:2], null, s15, s2, v[0:1]\n v_ashrrev_i32_e32 v2, 31, v1\n v_lshlrev_b64 v[1:2], 2, "
     "v[1:2]\n"
     "v_add_co_u32 v1, vcc_lo, s0, v1\n v_add_co_ci_u32_e32 v2, vcc_lo, s1, v2, vcc_lo\n s_endpgm",
     {AFFINE(1, 4, ANYTHING, 32), CARRY(2), END}},
    {"sign extension through the high half",
     GFX10,
     "v_mov_b32 v1, 0\n v_mov_b32 v2, v0\n v_ashrrev_i64 v[4:5], 30, v[1:2]\n s_endpgm",
     {AFFINE(4, 4, ANYTHING, ANYTHING), UNIFORM(5), END}},
    {"OR as addition",
     GFX9,
     "s_movk_i32 s4, 0x400\n v_lshlrev_b32 v1, 2, v0\n v_or_b32 v2, s4, v0\n v_or_b32 v3, 3, v1\n v_lshl_or_b32 v4, s6, 10, v0\n v_or_b32 "
     "v5, 4, v0\n"
     "v_xor_b32 v6, 0x100, v0\n s_endpgm",
     {AFFINE(2, 1, 4, ANYTHING), AFFINE(3, 4, 0, ANYTHING), AFFINE(4, 1, 4, 32), UNKNOWN(5), AFFINE(6, 1, 4, 10), END}},
    {"masks and shifts",
     GFX9,
     "v_and_b32 v1, 15, v0\n v_and_b32 v2, -16, v0\n v_lshrrev_b32 v3, 4, v0\n v_and_b32 v4, 7, v0\n v_lshrrev_b32 v5, 2, v0\n"
     "v_and_b32 v6, 0x70, v0\n s_endpgm",
     {AFFINE(1, 1, 4, 4), UNIFORM(2), UNIFORM(3), GROUPS(4), SHIFTED(5), UNIFORM(6)}},
    {"rows of 8 items",
     GFX9,
     "v_and_b32 v3, 7, v0\n v_lshrrev_b32 v4, 3, v0\n global_load_dword v5, v4, s[0:1]\n v_add_u32 v5, v5, v3\n v_mov_b32 v6, 0\n"
     "v_lshlrev_b64 v[5:6], 2, v[5:6]\n v_mov_b32 v7, s1\n v_add_co_u32 v5, vcc, s0, v5\n v_addc_co_u32 v6, vcc, v7, v6, vcc\n s_endpgm",
     {GROUPS(3),
      GROUPS(4),
      GROUPS(5),
      {6, WL_FACT_GROUPS_CARRY, ANYTHING, ANYTHING, ANYTHING, false, WL_GROUP, ANY_PAIR, ANY_STRIPS},
      UNIFORM(7),
      END}},
    {"of 16 items, where rows are longer",
     "gfx906",
     64,
     false,
     WL_MODE_FULL,
     WL_SHAPE_LINES,
     "v_and_b32 v3, 15, v0\n v_lshrrev_b32 v4, 4, v0\n v_and_b32 v5, 7, v0\n v_and_b32 v6, 3, v0\n s_endpgm",
     {OVER(16, 3, 1), OVER(16, 4, 0), GROUPS(5), UNKNOWN(6), END}},
    {"bits of what is shifted",
     GFX10_LINES,
     "v_lshrrev_b32 v3, 2, v0\n v_and_b32 v4, 8, v3\n v_and_b32 v5, 3, v3\n v_mov_b32 v6, v3\n s_cbranch_scc1 0f\n "
     "v_lshrrev_b32 v6, 1, v0\n 0: v_and_b32 v7, 16, v6\n v_and_b32 v8, 4, v3\n s_endpgm",
     {OVER(32, 4, 0), UNKNOWN(5), UNKNOWN(7), OVER(16, 8, 0), END}},
    {"groups where ways meet",
     GFX9,
     "v_and_b32 v3, 7, v0\n v_mov_b32 v4, v0\n v_mov_b32 v5, 3\n s_cbranch_scc1 0f\n v_add_u32 v3, 1, v0\n v_and_b32 v4, 7, v0\n"
     "v_lshrrev_b32 v5, 3, v0\n 0: s_nop 0\n s_endpgm",
     {GROUPS(3), GROUPS(4), GROUPS(5), END}},
    {"strides",
     GFX9,
     "v_mul_u32_u24 v3, 12, v0\n v_mad_u32_u24 v4, v1, s4, v0\n v_mul_lo_u32 v5, v0, s4\n v_sub_u32 v6, s4, v0\n v_lshl_add_u32 v7, v0, 4, "
     "v1\n s_endpgm",
     {AFFINE(3, 12, 6, 14), AFFINE(4, 1, 0, 32), UNKNOWN(5), AFFINE(6, -1, 0, 32), AFFINE(7, 16, 0, 15), END}},
    {"constants in scalar registers",
     GFX9,
     "s_movk_i32 s4, 0x24\n v_mul_lo_u32 v3, v0, s4\n s_mov_b32 s5, s6\n v_mul_lo_u32 v4, v0, s5\n s_mov_b32 s4, s6\n v_mul_lo_u32 v5, v0, "
     "s4\n s_endpgm",
     {AFFINE(3, 36, ANYTHING, ANYTHING), UNKNOWN(4), UNKNOWN(5), END}},
    {"lane number, wave64", GFX9, "v_mbcnt_lo_u32_b32 v3, -1, 0\n v_mbcnt_hi_u32_b32 v4, -1, v3\n s_endpgm", {AFFINE(4, 1, 6, 6), END}},
    {"lane number, wave32",
     GFX11,
     "v_mbcnt_lo_u32_b32 v3, -1, 0\n v_mbcnt_lo_u32_b32 v4, s0, 0\n s_endpgm",
     {AFFINE(3, 1, 5, 5), UNKNOWN(4), END}},
    {"a carry that is no carry", GFX9, "v_cmp_lt_u32 vcc, s4, v0\n v_addc_co_u32 v3, vcc, 0, v1, vcc\n s_endpgm", {UNKNOWN(3), END}},
    {"uniform computations",
     GFX9,
     "v_cvt_f32_u32 v3, v1\n v_cvt_f32_u32 v4, v0\n v_cndmask_b32 v5, v1, v1, vcc\n v_mul_f32 v6, v3, v3\n s_endpgm",
     {UNIFORM(3), UNKNOWN(4), UNKNOWN(5), UNIFORM(6), END}},
    {"loads",
     GFX9,
     "v_mov_b32 v3, 0\n v_mov_b32 v4, 0\n global_load_dwordx2 v[5:6], v3, s[0:1]\n global_load_dword v7, v0, s[0:1]\n scratch_load_dword "
     "v8, v3, off\n"
     "ds_read_b32 v9, v3\n s_endpgm",
     {UNIFORM(5), UNIFORM(6), UNKNOWN(7), UNKNOWN(8), UNIFORM(9), END}},
    {"masked writes before EXEC changes", MASKED, "v_mov_b32 v3, v0\n s_endpgm", {AFFINE(0, 1, 4, 10), AFFINE(3, 1, 4, 10), END}},
    {"masked writes are partial",
     MASKED,
     "s_and_saveexec_b64 s[4:5], vcc\n v_mov_b32 v3, v0\n s_endpgm",
     {AFFINE(0, 1, 4, 10), {3, WL_FACT_AFFINE, 1, 4, 10, true, 0, ANY_PAIR, ANY_STRIPS}, END}},
    {"narrowing keeps, growing forgets",
     MASKED,
     "v_mov_b32 v3, v0\n s_and_saveexec_b64 s[4:5], vcc\n v_mov_b32 v4, v0\n s_mov_b64 exec, s[4:5]\n v_nop\n s_endpgm",
     {AFFINE(0, 1, 4, 10), AFFINE(3, 1, 4, 10), UNKNOWN(4), END}},
    {"restored EXEC",
     MASKED,
     "s_and_saveexec_b64 s[4:5], vcc\n v_mov_b32 v3, v0\n v_mov_b32 v5, v0\n s_and_saveexec_b64 s[6:7], vcc\n v_mov_b32 v4, v0\n"
     "v_add_u32 v5, 1, v5\n s_or_b64 exec, exec, s[6:7]\n v_nop\n s_endpgm",
     {AFFINE(0, 1, 4, 10), PARTIAL(3, 1), UNKNOWN(4), UNKNOWN(5), END}},
    {"restored EXEC of the entry",
     MASKED,
     "s_mov_b64 s[6:7], exec\n s_and_b64 exec, exec, vcc\n v_mov_b32 v4, v0\n s_mov_b64 exec, s[6:7]\n v_mov_b32 v3, v0\n s_endpgm",
     {AFFINE(3, 1, 4, 10), UNKNOWN(4), END}},
    {"EXEC restored in a loop",
     MASKED,
     "s_and_saveexec_b64 s[4:5], vcc\n v_mov_b32 v3, v0\n 0: v_add_u32 v3, 64, v3\n s_and_saveexec_b64 s[6:7], vcc\n v_mov_b32 v4, v0\n"
     "s_or_b64 exec, exec, s[6:7]\n s_add_u32 s8, s8, 1\n s_cmp_lt_u32 s8, s9\n s_cbranch_scc1 0b\n s_endpgm",
     {PARTIAL(3, 1), UNKNOWN(4), END}},
    {"restored twice",
     MASKED,
     "s_and_saveexec_b64 s[4:5], vcc\n v_mov_b32 v3, v0\n s_and_saveexec_b64 s[6:7], vcc\n s_and_saveexec_b64 s[8:9], s[10:11]\n"
     "s_or_b64 exec, exec, s[8:9]\n s_or_b64 exec, exec, s[6:7]\n v_nop\n s_endpgm",
     {PARTIAL(3, 1), END}},
    {"an inner EXEC behind an outer one",
     MASKED,
     "s_and_saveexec_b64 s[4:5], vcc\n s_and_saveexec_b64 s[8:9], s[10:11]\n s_or_b64 exec, exec, s[4:5]\n v_mov_b32 v3, v0\n"
     "s_or_b64 exec, exec, s[8:9]\n v_nop\n s_endpgm",
     {AFFINE(0, 1, 4, 10), AFFINE(3, 1, 4, 10), END}},
    {"an inner EXEC behind an outer one, below the entry's",
     MASKED,
     "s_and_saveexec_b64 s[2:3], s[10:11]\n s_and_saveexec_b64 s[4:5], vcc\n s_and_saveexec_b64 s[8:9], s[10:11]\n s_or_b64 exec, exec, "
     "s[4:5]\n v_mov_b32 v3, v0\n s_or_b64 exec, exec, s[8:9]\n v_nop\n s_endpgm",
     {AFFINE(0, 1, 4, 10), UNKNOWN(3), END}},
    {"a saved EXEC that is written to",
     MASKED,
     "s_and_saveexec_b64 s[4:5], vcc\n v_mov_b32 v3, v0\n s_and_saveexec_b64 s[6:7], vcc\n s_xor_b64 s[6:7], exec, s[6:7]\n"
     "s_or_b64 exec, exec, s[6:7]\n v_nop\n s_endpgm",
     {UNKNOWN(3), END}},
    {"a saved EXEC of one way alone",
     MASKED,
     "s_and_saveexec_b64 s[4:5], vcc\n v_mov_b32 v3, v0\n s_cbranch_scc1 0f\n s_and_saveexec_b64 s[6:7], vcc\n 0: s_or_b64 exec, exec, "
     "s[6:7]\n v_nop\n s_endpgm",
     {UNKNOWN(3), END}},
    {"EXEC that grew before it was restored",
     MASKED,
     "s_and_saveexec_b64 s[4:5], vcc\n v_mov_b32 v3, v0\n s_and_saveexec_b64 s[6:7], vcc\n s_or_b64 exec, exec, s[10:11]\n v_mov_b32 v4, "
     "v0\n s_or_b64 exec, exec, s[6:7]\n v_nop\n s_endpgm",
     {UNKNOWN(3), UNKNOWN(4), END}},
    {"both arms of a condition",
     MASKED,
     "s_and_saveexec_b64 s[4:5], vcc\n v_mov_b32 v3, v0\n v_mov_b32 v5, v0\n s_and_saveexec_b64 s[6:7], s[10:11]\n"
     "s_xor_b64 s[6:7], exec, s[6:7]\n v_mov_b32 v4, v0\n s_andn2_saveexec_b64 s[8:9], s[6:7]\n v_add_u32 v5, 1, v5\n"
     "s_or_b64 exec, exec, s[8:9]\n v_nop\n s_endpgm",
     {PARTIAL(3, 1), UNKNOWN(4), UNKNOWN(5), END}},
    {"what the first arm wrote, in the second",
     MASKED,
     "s_and_saveexec_b64 s[4:5], vcc\n v_mov_b32 v3, v0\n s_and_saveexec_b64 s[6:7], s[10:11]\n s_xor_b64 s[6:7], exec, s[6:7]\n"
     "v_mov_b32 v4, v0\n s_andn2_saveexec_b64 s[8:9], s[6:7]\n v_nop\n s_endpgm",
     {PARTIAL(3, 1), UNKNOWN(4), END}},
    {"EXEC of the entry behind both arms",
     MASKED,
     "s_and_saveexec_b64 s[6:7], vcc\n s_xor_b64 s[6:7], exec, s[6:7]\n v_mov_b32 v4, v0\n s_andn2_saveexec_b64 s[6:7], s[6:7]\n"
     "v_mov_b32 v5, v0\n s_or_b64 exec, exec, s[6:7]\n v_mov_b32 v3, v0\n s_endpgm",
     {AFFINE(3, 1, 4, 10), UNKNOWN(4), UNKNOWN(5), END}},
    {"a part of it, where the second arm has lost lanes",
     MASKED,
     "s_and_saveexec_b64 s[6:7], vcc\n s_xor_b64 s[6:7], exec, s[6:7]\n s_andn2_saveexec_b64 s[6:7], s[6:7]\n"
     "s_and_b64 exec, exec, s[10:11]\n s_or_b64 exec, exec, s[6:7]\n v_mov_b32 v3, v0\n s_endpgm",
     {AFFINE(0, 1, 4, 10), PARTIAL(3, 1), END}},
    {"other lanes where the first arm has lost some",
     MASKED,
     "s_and_saveexec_b64 s[4:5], vcc\n v_mov_b32 v3, v0\n s_and_saveexec_b64 s[6:7], s[10:11]\n s_xor_b64 s[6:7], exec, s[6:7]\n"
     "s_and_b64 exec, exec, s[12:13]\n v_mov_b32 v4, v0\n s_andn2_saveexec_b64 s[8:9], s[6:7]\n v_nop\n s_or_b64 exec, exec, s[8:9]\n"
     "v_nop\n s_endpgm",
     {UNKNOWN(3), UNKNOWN(4), END}},
    {"an index that starts over",
     GFX10_LINES,
     "v_add_nc_u32 v1, s4, v0\n v_cmp_gt_u32 s2, 0x270, v1\n v_add_nc_u32 v2, 0xfffffd90, v1\n v_cndmask_b32 v3, v2, v1, s2\n"
     "v_lshlrev_b32 v4, 2, v3\n v_add_nc_u32 v5, v4, v0\n v_sub_nc_u32 v6, s5, v3\n v_mul_lo_u32 v7, v3, 12\n v_add_nc_u32 v8, v3, v4\n"
     "s_endpgm",
     {BROKEN(3, 1), BROKEN(4, 4), BROKEN(5, 5), BROKEN(6, -1), BROKEN(7, 12), UNKNOWN(8)}},
    {"what is added starts over",
     GFX10_LINES,
     "v_add_nc_u32 v1, s4, v0\n v_cmp_le_i32 vcc_lo, 0x270, v1\n v_cndmask_b32 v3, 0, -4, vcc_lo\n v_add_nc_u32 v4, v3, v1\n v_cmp_lt_u32 "
     "s2, v1, v1\n v_cndmask_b32 v5, 0, -4, s2\n s_endpgm",
     {BROKEN(3, 0), BROKEN(4, 1), UNKNOWN(5), END}},
    {"a choice that all lanes make",
     GFX10_LINES,
     "v_mov_b32 v1, s4\n v_cmp_gt_u32 s2, 7, v1\n v_cndmask_b32 v3, v9, v1, s2\n v_cndmask_b32 v4, 0, v1, s2\n s_endpgm",
     {UNKNOWN(3), UNIFORM(4), END}},
    {"lanes may pass the limit and come round",
     GFX10_LINES,
     "v_add_nc_u32 v1, s4, v0\n v_cmp_gt_u32 s2, 16, v1\n v_cndmask_b32 v3, 0, -4, s2\n v_cmp_gt_u32 s2, 32, v1\n v_cndmask_b32 v4, 0, -4, "
     "s2\n v_cmp_lt_u32 s2, -16, v1\n v_cndmask_b32 v5, 0, -4, s2\n v_cmp_eq_u32 s2, 99, v1\n v_cndmask_b32 v6, 0, -4, s2\n s_endpgm",
     {UNKNOWN(3), BROKEN(4, 0), UNKNOWN(5), UNKNOWN(6), END}},
    {"a limit that nobody knows, of a number that does not wrap",
     GFX10_LINES,
     "v_cmp_gt_u32 s2, s5, v0\n v_cndmask_b32 v3, 0, -4, s2\n v_add_nc_u32 v1, s4, v0\n v_cmp_gt_u32 s2, s5, v1\n v_cndmask_b32 v4, 0, -4, "
     "s2\n s_endpgm",
     {BROKEN(3, 0), UNKNOWN(4), END}},
    {"a mask that was overwritten",
     GFX9,
     "v_cmp_gt_u32 s[2:3], 5, v0\n v_cndmask_b32 v3, 0, -4, s[2:3]\n s_mov_b32 s3, 0\n v_cndmask_b32 v4, 0, -4, s[2:3]\n"
     "v_cmp_gt_u32 vcc, 5, v0\n s_mov_b64 vcc, s[4:5]\n v_cndmask_b32 v5, 0, -4, vcc\n s_endpgm",
     {BROKEN(3, 0), UNKNOWN(4), UNKNOWN(5), END}},
    {"restored from half a mask",
     "gfx1030",
     32,
     false,
     WL_MODE_MASKED,
     WL_SHAPE_ROWS,
     "s_and_saveexec_b32 s4, vcc_lo\n v_mov_b32 v3, v0\n s_and_saveexec_b32 s6, vcc_lo\n v_mov_b32 v4, v0\n s_mov_b32 s7, 0\n"
     "s_or_b32 exec_lo, exec_lo, s6\n v_nop\n s_endpgm",
     {PARTIAL(3, 1), UNKNOWN(4), END}},
    {"rows of 16 items under a mask",
     "gfx90a",
     64,
     true,
     WL_MODE_MASKED,
     WL_SHAPE_SQUARES,
     "v_and_b32 v1, 0x3ff, v0\n v_lshlrev_b32 v4, 4, v1\n s_and_saveexec_b64 s[4:5], vcc\n v_lshlrev_b32 v5, 4, v1\n s_nop 0\n s_endpgm",
     {SAME(1, 1), SAME(4, 16), {5, WL_FACT_AFFINE, 16, ANYTHING, ANYTHING, true, 0, ANY_PAIR, OTHER_STRIPS}, END}},
    {"16 bits, gfx9",
     GFX9,
     "v_lshlrev_b16 v3, 4, v1\n v_add_u16 v4, v3, v0\n v_and_b32 v5, 63, v4\n v_lshrrev_b16 v6, 4, v4\n v_mul_lo_u16 v7, v0, 4\n s_endpgm",
     {AFFINE(3, 0, 4, 14), AFFINE(4, 1, 4, 15), AFFINE(5, 1, 4, 6), AFFINE(6, 0, 0, 11), AFFINE(7, 4, 6, 13), END}},
    {"16 bits, the other half stays",
     GFX10,
     "v_lshlrev_b16 v3, 4, v1\n v_add_nc_u16 v4, v3, v0\n v_and_b32 v5, 63, v4\n v_and_b32 v6, 0x1ffff, v4\n v_and_b32 v7, 0xffff, v4\n"
     "v_add_nc_u16 v8, v4, v5 op_sel:[0,0,1]\n s_endpgm",
     {SHIFTED(4), AFFINE(5, 1, 4, 6), UNKNOWN(6), AFFINE(7, 1, 4, 15), UNKNOWN(8), END}},
    {"a loop counter",
     GFX9,
     "v_mov_b32 v3, v0\n 0: v_add_u32 v3, 64, v3\n s_add_u32 s4, s4, 1\n s_cmp_lt_u32 s4, s5\n s_cbranch_scc1 0b\n s_endpgm",
     {AFFINE(3, 1, 4, 32), END}},
    {"joins",
     GFX9,
     "v_mov_b32 v3, v0\n v_mov_b32 v4, 8\n s_cmp_lt_u32 s4, s5\n s_cbranch_scc1 0f\n v_lshlrev_b32 v3, 1, v0\n v_mov_b32 v4, 12\n 0: s_nop "
     "0\n s_endpgm",
     {UNKNOWN(3), AFFINE(4, 0, 2, 4), END}},
    {"calls forget", GFX9, "v_mov_b32 v3, v0\n s_swappc_b64 s[30:31], s[4:5]\n s_nop 0\n s_endpgm", {UNKNOWN(3), UNKNOWN(0), END}},
    {"barriers keep", GFX9, "v_mov_b32 v3, v0\n s_barrier\n s_nop 0\n s_endpgm", {AFFINE(3, 1, 4, 10), END}},
    {"rows of workitems hold for strips, lines for waves",
     GFX10_LINES,
     "v_lshlrev_b32 v3, 2, v0\n v_add_nc_u32 v4, s4, v3\n v_mov_b32 v5, 0\n s_nop 0\n s_endpgm",
     {OVER(32, 3, 4), OVER(32, 4, 4), OVER(WL_ALL_LANES, 5, 0), END}},
    {"each strip loads for itself",
     GFX10_LINES,
     "v_mov_b32 v5, 0\n global_load_dword v3, v5, s[0:1]\n v_add_nc_u32 v4, v3, v0\n v_lshrrev_b32 v6, 4, v4\n s_endpgm",
     {OVER(WL_STRIP, 3, 0), OVER(WL_STRIP, 4, 1), END}},
    {"a join holds where both do",
     GFX10_LINES,
     "v_mov_b32 v5, 0\n v_mov_b32 v3, v0\n s_cbranch_scc1 0f\n global_load_dword v4, v5, s[0:1]\n v_add_nc_u32 v3, v4, v0\n 0: s_nop 0\n "
     "s_endpgm",
     {OVER(WL_STRIP, 3, 1), END}},
    {"halves of a wave",
     GFX90A_HALVES,
     "v_and_b32 v1, 0x3ff, v0\n v_bfe_u32 v2, v0, 10, 10\n v_lshl_or_b32 v3, v2, 11, v1\n s_endpgm",
     {OVER(32, 1, 1), OVER(32, 2, 0), OVER(32, 3, 1), END}},
    {"a workgroup's first item, v5",
     GFX9,
     BLOCK "s_and_b32 s4, s4, 0xffff\n s_mul_i32 s6, s6, s4\n v_add_u32 v0, s6, v0\n v_mov_b32 v1, 0\n" ADDRESS "s_endpgm",
     {AFFINE(0, 1, 4, 32), PAIR(2, 4), END}},
    {"a workgroup's first item, v4",
     GFX9,
     "s_load_dword s4, s[10:11], 0x4\n s_bfe_u32 s4, s4, 0x100000\n s_mul_i32 s6, s6, s4\n v_add_u32 v0, s6, v0\n"
     "v_ashrrev_i32 v1, 31, v0\n" ADDRESS "s_endpgm",
     {AFFINE(0, 1, 4, 32), PAIR(2, 4), END}},
    {"through branches",
     GFX9,
     BLOCK "s_and_b32 s4, s4, 0xffff\n s_cbranch_scc1 0f\n s_lshl_b32 s4, s4, 1\n 0: s_mul_i32 s6, s6, s4\n v_add_u32 v0, s6, v0\n"
           "v_ashrrev_i32 v1, 31, v0\n" ADDRESS "s_endpgm",
     {PAIR(2, 4), END}},
    {"the height of a workgroup says nothing",
     GFX9,
     BLOCK "s_lshr_b32 s4, s4, 16\n s_mul_i32 s6, s6, s4\n v_add_u32 v0, s6, v0\n v_mov_b32 v1, 0\n" ADDRESS "s_endpgm",
     {AFFINE(0, 1, 0, 32), NO_PAIR(2, 4), END}},
    {"an address that is none any more",
     GFX9,
     "s_mov_b32 s9, s2\n" BLOCK "s_and_b32 s4, s4, 0xffff\n s_mul_i32 s6, s6, s4\n v_add_u32 v0, s6, v0\n v_mov_b32 v1, 0\n" ADDRESS
     "s_endpgm",
     {NO_PAIR(2, 4), END}},
    {"another place of the segment",
     GFX9,
     "s_load_dword s4, s[8:9], 0x8\n s_and_b32 s4, s4, 0xffff\n s_mul_i32 s6, s6, s4\n v_add_u32 v0, s6, v0\n v_mov_b32 v1, 0\n" ADDRESS
     "s_endpgm",
     {NO_PAIR(2, 4), END}},
    {"scalars that are written again",
     GFX9,
     BLOCK "s_and_b32 s4, s4, 0xffff\n s_mul_i32 s6, s6, s4\n v_readfirstlane_b32 s6, v7\n v_add_u32 v0, s6, v0\n v_mov_b32 v1, 0\n" ADDRESS
           "s_endpgm",
     {NO_PAIR(2, 4), END}},
    {"halves of different sums", GFX9, "v_mov_b32 v1, 0\n" ADDRESS "v_add_u32 v2, 4, v2\n s_endpgm", {NO_PAIR(2, 4), END}},
    {"a high half that is used twice",
     GFX9,
     "v_mov_b32 v1, 0\n" ADDRESS "v_mov_b32 v7, v3\n v_mov_b32 v6, v2\n v_add_co_u32 v2, vcc, s2, v2\n s_endpgm",
     {PAIR(6, 4), NO_PAIR(2, 4), END}},
    {"a sum and a difference",
     GFX9,
     "v_mov_b32 v1, 0\n v_lshlrev_b64 v[2:3], 2, v[0:1]\n v_mov_b32 v4, s1\n v_add_co_u32 v2, vcc, s0, v2\n v_subb_co_u32 v3, vcc, v3, v4, "
     "vcc\n"
     "v_lshlrev_b64 v[6:7], 2, v[0:1]\n v_subrev_co_u32 v6, vcc, s0, v6\n v_subb_co_u32 v7, vcc, v7, v4, vcc\n s_endpgm",
     {NO_PAIR(2, 4), PAIR(6, 4), END}},
    {"a loop mixes turns",
     GFX9,
     "v_mov_b32 v1, 0\n v_lshlrev_b64 v[2:3], 2, v[0:1]\n v_mov_b32 v5, v3\n v_mov_b32 v4, v2\n 0: v_mov_b32 v4, v2\n v_mov_b32 v9, s1\n"
     "s_nop 0\n s_add_u32 s4, s4, 1\n s_cmp_lt_u32 s4, s5\n v_add_co_u32 v2, vcc, s0, v2\n v_addc_co_u32 v3, vcc, v9, v3, vcc\n"
     "v_mov_b32 v5, v3\n s_cbranch_scc1 0b\n s_endpgm",
     {NO_PAIR(4, 4), END}},
    {"a pair reads before it writes",
     GFX11,
     "v_and_b32 v4, 0x3ff, v0\n v_mov_b32 v1, 0\n v_dual_mov_b32 v4, 0 :: v_dual_mov_b32 v1, v4\n s_endpgm",
     {AFFINE(1, 1, 4, 10), UNIFORM(4), END}},
};

static void facts_at_end(const struct kernel *k, struct wl_facts *facts) {
    const struct wl_translate_request request = {.processor = k->processor,
                                                 .wave_size = k->wave_size,
                                                 .workitem_id_dimensions = 3,
                                                 .packed_workitem_ids = k->packed,
                                                 .shape = k->shape,
                                                 .block_size = {true, true, 8, 10, 12, 4},
                                                 .name = k->title};
    struct assembled made;
    assembled_build(&made, request, k->text);
    struct wl_unit *unit = &made.unit;
    struct wl_affine *affine = wl_affine_create(unit);
    assert_non_null(affine);
    for (uint32_t p = 0; p < unit->block_count; p++) {
        const struct wl_block *block = &unit->blocks[p];
        if (block->first + block->count != unit->inst_count)
            continue;
        wl_affine_start(affine, p, k->mode, facts);
        for (uint32_t i = block->first; i + 1 < unit->inst_count; i++)
            wl_affine_step(facts, unit, &unit->insts[i], k->mode);
    }
    wl_affine_destroy(affine);
    assembled_free(&made);
}

static void test_kernels(void **state) {
    (void)state;
    unsigned bad = 0;
    for (unsigned i = 0; i < sizeof kernels / sizeof *kernels; i++) {
        struct wl_facts facts;
        memset(&facts, 0, sizeof facts);
        facts_at_end(&kernels[i], &facts);
        for (unsigned e = 0; e < 6 && kernels[i].expect[e].row < WL_VGPR_COUNT; e++) {
            const struct expectation *want = &kernels[i].expect[e];
            const struct wl_fact *got = &facts.row[want->row];
            bool affine = want->kind == WL_FACT_AFFINE || want->kind == WL_FACT_BROKEN;
            bool zeros = !affine || want->zeros == ANYTHING || want->zeros == got->zeros;
            bool bits = !affine || want->bits == ANYTHING || want->bits == got->bits;
            bool lanes = !want->lanes || want->lanes == got->lanes;
            bool pair = want->pair == ANY_PAIR || (want->pair == PAIRED) == wl_fact_is_pair(got, got + 1);
            bool strips = want->strips == ANY_STRIPS || (want->strips == SAME_STRIPS) == (got->same == 32);
            if (lanes && pair && strips && got->kind == want->kind &&
                (!affine || (got->stride == want->stride && got->partial == want->partial)) && zeros && bits)
                continue;
            fprintf(stderr, "%s: v%u is kind %u stride %d zeros %u bits %u partial %u lanes %u%s\n", kernels[i].title, want->row, got->kind,
                    got->stride, got->zeros, got->bits, got->partial, got->lanes, pair ? "" : ", or its pair");
            bad++;
        }
    }
    assert_int_equal(bad, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_kernels)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
