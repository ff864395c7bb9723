/* Lifted code: registers chosen at run time, calls, branches, the mode register, division. */
#include "lift_reference.h"

/* ---- registers chosen at run time ---- */

static void ref_movrel(struct lift_state *s) {
    s->s[124] = 5;
    ACTIVE V(20) = V(6);
    ACTIVE V(14) = V(2);
    ACTIVE V(15) = 77;
    ACTIVE V(17) = V(8);
    ACTIVE V(21) = V(14) + V(15);
}

static void ref_movrel2(struct lift_state *s) {
    ref_movrel(s);
    s->s[124] = 3 | 4 << 16;
    ACTIVE V(22) = V(5);
}

static void ref_swaprel(struct lift_state *s) {
    s->s[124] = 3 | 4 << 16;
    ACTIVE {
        uint32_t a = V(22), b = V(5);
        V(22) = b;
        V(5) = a;
    }
}

static void ref_indexing(struct lift_state *s) {
    ACTIVE V(20) = V(6);
    ACTIVE V(14) = V(2);
    ACTIVE V(15) = V(8);
    ACTIVE V(16) = V(13);
    ACTIVE V(21) = V(14) + V(15);
    s->s[20] = 5;
    s->s[124] = (s->s[124] & ~0xf0ffu) | 7 | 9 << 12;
}

/* Any instruction in indexing mode. */
static void ref_indexed_alu(struct lift_state *s) {
    struct lift_state old = *s;
    uint64_t over = 0;
    ACTIVE {
        V(25) = old.v[6][l] + old.v[3][l];                             /* v_add v20, v1, v3 with DST and SRC0 */
        V(26) = (uint32_t)((uint64_t)old.v[8][l] * old.v[9][l] >> 32); /* v_mul_hi v21, v3, v4: all three */
        V(21) = old.v[2][l] - old.v[8][l];                             /* v_sub v21, v2, v3: SRC1 */
        over |= (uint64_t)(old.v[7][l] > old.v[8][l]) << l;            /* v_cmp_gt v2, v8: SRC0 */
        V(27) = old.v[4][l] | old.v[5][l] << 3;                        /* v_lshl_or v22, v5, 3, v4: DST */
    }
    ACTIVE V(22) = V(27) + V(26);
    set_mask(s, 106, over);
    s->s[20] = 5;
    s->s[124] = (s->s[124] & ~0xf0ffu) | 5 | 8 << 12;
}

static void ref_movrel_dpp(struct lift_state *s) {
    struct lift_state old = *s;
    s->s[124] = 5;
    ACTIVE {
        unsigned from = (l & ~3u) + (3 - (l & 3));
        if (ON(from)) {
            V(20) = old.v[6][from];
            V(14) = old.v[2][from];
        }
    }
    old = *s;
    ACTIVE V(17) = (old.v[17][l] & 0xffff0000) | (old.v[8][l] >> 24);
}

static void ref_scalar_movrel(struct lift_state *s) {
    s->s[124] = 4;
    s->s[20] = s->s[10];
    s->s[26] = s->s[11];
    s->s[22] = s->s[12];
    s->s[23] = s->s[13];
    ACTIVE V(20) = s->s[26];
}

void test_indexed(void) {
    lift_check(
        NEW,
        "s_mov_b32 m0, 5\nv_movrels_b32 v20, v1\nv_movreld_b32 v9, v2\nv_movreld_b32 v10, 77\nv_movrelsd_b32 v12, v3\nADD v21, v14, v15\n",
        ref_movrel);
    lift_check(
        NEW,
        "s_mov_b32 m0, 5\nv_movrels_b32 v20, v1\nv_movreld_b32 v9, v2\nv_movreld_b32 v10, 77\nv_movrelsd_b32 v12, v3\nADD v21, v14, v15\n"
        "s_mov_b32 m0, 0x40003\nv_movrelsd_2_b32 v18, v2\n",
        ref_movrel2);
    lift_check("gfx1030,gfx1100,gfx1200", "s_mov_b32 m0, 0x40003\nv_swaprel_b32 v18, v2\n", ref_swaprel);
    lift_check(
        BOTH9,
        "s_mov_b32 s20, 5\ns_set_gpr_idx_on s20, gpr_idx(SRC0)\nv_mov_b32 v20, v1\ns_set_gpr_idx_mode gpr_idx(DST)\nv_mov_b32 v9, v2\n"
        "s_set_gpr_idx_mode gpr_idx(SRC0,DST)\nv_mov_b32 v10, v3\ns_set_gpr_idx_idx s28\nv_mov_b32 v9, v6\ns_set_gpr_idx_off\n"
        "v_add_u32 v21, v14, v15\n",
        ref_indexing);
    lift_check(BOTH9,
               "s_mov_b32 s20, 5\ns_set_gpr_idx_on s20, gpr_idx(SRC0,DST)\nv_add_u32 v20, v1, v3\ns_set_gpr_idx_mode "
               "gpr_idx(SRC0,SRC1,DST)\nv_mul_hi_u32 v21, v3, v4\ns_set_gpr_idx_mode gpr_idx(SRC1)\nv_sub_u32 v21, v2, v3\n"
               "s_set_gpr_idx_mode gpr_idx(SRC0)\nv_cmp_gt_u32 vcc, v2, v8\ns_set_gpr_idx_mode gpr_idx(DST)\n"
               "v_lshl_or_b32 v22, v5, 3, v4\ns_set_gpr_idx_off\nv_add_u32 v22, v27, v26\n",
               ref_indexed_alu);
    lift_check("gfx1030",
               "s_mov_b32 m0, 5\nv_movrels_b32_dpp v20, v1 quad_perm:[3,2,1,0] row_mask:0xf bank_mask:0xf\n"
               "v_movreld_b32_dpp v9, v2 quad_perm:[3,2,1,0] row_mask:0xf bank_mask:0xf\n"
               "v_movrelsd_b32_sdwa v12, v3 dst_sel:WORD_0 dst_unused:UNUSED_PRESERVE src0_sel:BYTE_3\n",
               ref_movrel_dpp);
    lift_check("gfx906,gfx1030,gfx1100",
               "s_mov_b32 m0, 4\ns_movrels_b32 s20, s6\ns_movreld_b32 s22, s11\ns_movrels_b64 s[22:23], s[8:9]\nv_mov_b32 v20, s26\n",
               ref_scalar_movrel);
}

/* ---- calls and jumps ---- */

static void ref_recursion(struct lift_state *s) {
    uint32_t value = 1;
    for (uint32_t n = 1; n <= 6; n++)
        value = value * 3 + n;
    s->s[21] = value;
    ACTIVE V(20) = V(1) + value;
    lift_ignore_scalars = true;
    lift_ignore_row = 30;
}

static void ref_jump(struct lift_state *s) {
    uint32_t sum = 0;
    for (uint32_t n = 0; n < 4; n++)
        sum += n % 2 ? 100 : 7;
    ACTIVE V(20) = V(1) + sum;
    lift_ignore_scalars = true;
}

#define ADDRESS(LOW, HIGH, LABEL, N)                                                                                                       \
    "s_getpc_b64 s[" #LOW ":" #HIGH "]\nhere" #N ":\ns_add_u32 s" #LOW ", s" #LOW ", " LABEL "-here" #N "\ns_addc_u32 s" #HIGH ", s" #HIGH \
    ", 0\n"

void test_calls(void) {
    /* f(n) = n ? 3 f(n - 1) + n : 1; return addresses are kept in lanes of v30. */
    lift_check(EVERY,
               "s_mov_b64 s[34:35], s[30:31]\ns_mov_b32 s20, 6\ns_mov_b32 s33, 0\n" ADDRESS(
                   4, 5, "f",
                   0) "s_swappc_b64 s[30:31], s[4:5]\nADD v20, s21, v1\ns_setpc_b64 s[34:35]\n"
                      "f:\ns_cmp_eq_u32 s20, 0\ns_cbranch_scc0 deeper\ns_mov_b32 s21, 1\ns_setpc_b64 s[30:31]\n"
                      "deeper:\ns_mov_b32 m0, s33\ns_nop 0\nv_writelane_b32 v30, s30, m0\ns_add_u32 m0, s33, 1\ns_nop 0\nv_writelane_b32 "
                      "v30, s31, m0\n"
                      "s_add_u32 s33, s33, 2\ns_sub_u32 s20, s20, 1\ns_getpc_b64 s[4:5]\nhere2:\n"
                      "s_sub_u32 s4, s4, here2-f\ns_subb_u32 s5, s5, 0\ns_swappc_b64 s[30:31], s[4:5]\n"
                      "s_add_u32 s20, s20, 1\ns_mul_i32 s21, s21, 3\ns_add_u32 s21, s21, s20\ns_sub_u32 s33, s33, 2\n"
                      "v_readlane_b32 s30, v30, s33\ns_add_u32 s36, s33, 1\nv_readlane_b32 s31, v30, s36\ns_nop 4\ns_setpc_b64 s[30:31]\n",
               ref_recursion);
    /* A switch by computed jumps. */
    lift_check(
        EVERY,
        "s_mov_b64 s[34:35], s[30:31]\ns_mov_b32 s20, 0\ns_mov_b32 s21, 0\n" ADDRESS(6, 7, "even", 0) ADDRESS(8, 9, "odd", 1)
            ADDRESS(10, 11, "next",
                    2) "next:\ns_cmp_eq_u32 s20, 4\ns_cbranch_scc1 done\ns_bitcmp1_b32 s20, 0\ns_cselect_b64 s[4:5], s[8:9], s[6:7]\n"
                       "s_add_u32 s20, s20, 1\ns_setpc_b64 s[4:5]\neven:\ns_add_u32 s21, s21, 7\ns_setpc_b64 s[10:11]\nodd:\ns_add_u32 "
                       "s21, s21, 100\n"
                       "s_setpc_b64 s[10:11]\ndone:\nADD v20, s21, v1\ns_setpc_b64 s[34:35]\n",
        ref_jump);
}

/* ---- branches ---- */

static void ref_branches(struct lift_state *s) {
    uint64_t over = 0, exec = exec_of(s);
    ACTIVE over |= (uint64_t)(V(1) > V(2)) << l;
    set_mask(s, 106, over);
    s->s[20] = (over ? 1 : 2) | (exec ? 4 : 8) | 16 | 64 | 256;
    s->s[125] = 1;
    ACTIVE V(20) = V(1) + 5;
    lift_ignore_scalars = false;
    s->s[22] = s->s[23] = 0;
}

void test_branches(void) {
    lift_check(EVERY,
               "s_mov_b32 s20, 0\nv_cmp_gt_u32 VCC, v1, v2\n"
               "s_cbranch_vccz l1\ns_or_b32 s20, s20, 1\nl1:\ns_cbranch_vccnz l2\ns_or_b32 s20, s20, 2\nl2:\n"
               "s_cbranch_execz l3\ns_or_b32 s20, s20, 4\nl3:\ns_cbranch_execnz l4\ns_or_b32 s20, s20, 8\nl4:\n"
               "s_cmp_eq_u32 s9, s9\ns_cbranch_scc0 l5\ns_or_b32 s20, s20, 16\nl5:\ns_cmp_eq_u32 s9, s9\ns_cbranch_scc1 l6\n"
               "s_or_b32 s20, s20, 32\nl6:\ns_call_b64 s[22:23], f\ns_branch l7\ns_or_b32 s20, s20, 128\nf:\nADD v20, 5, v1\n"
               "s_or_b32 s20, s20, 64\ns_setpc_b64 s[22:23]\nl7:\ns_sethalt 0\ns_mov_b64 s[22:23], 0\ns_or_b32 s20, s20, 256\n",
               ref_branches);
}

/* ---- mode register ---- */

static void ref_mode(struct lift_state *s) {
    uint32_t mode = lift_mode_register;
    s->s[20] = mode & 0xff;
    s->s[21] = (mode & 0xff) | 3;
    ACTIVE {
        V(20) = bits32(1.0f);
        V(21) = bits32(1.0f + 0x1p-23f);
    }
    s->s[22] = mode & 0xff;
    ACTIVE V(22) = V(2);
}

/* f64 and f16 round towards zero while f32 rounds to nearest; then the reverse. */
static void ref_rounding(struct lift_state *s) {
    ACTIVE {
        V(20) = 0;
        V(21) = 0x3ff00000; /* 1 + 1.5 * 2^-53 */
        V(22) = bits32(1.0f + 0x1p-23f);
        V(23) = (V(23) & 0xffff0000) | 0x3c00;
        V(24) = 1;
        V(25) = 0x3ff00000;
        V(26) = bits32(1.0f);
        V(27) = (V(27) & 0xffff0000) | 0x3c01;
        V(28) = 0;
        V(29) = 0x3ca80000;
        V(30) = 0x33c00000;
        V(31) = 0x1200; /* 1.5 * 2^-11 */
    }
}

static void ref_rounding9(struct lift_state *s) {
    ref_rounding(s);
    ACTIVE V(23) &= 0xffff;
    ACTIVE V(27) &= 0xffff;
}

static void test_rounding(void) {
    const char *text = "v_mov_b32 v28, 0\nv_mov_b32 v29, 0x3ca80000\nv_mov_b32 v30, 0x33c00000\nv_mov_b32 v31, 0x1200\n"
                       "s_setreg_imm32_b32 hwreg(HW_REG_MODE, 2, 2), 3\nv_add_f64 v[20:21], 1.0, v[28:29]\nv_add_f32 v22, 1.0, v30\n"
                       "v_add_f16 v23, 1.0, v31\ns_setreg_imm32_b32 hwreg(HW_REG_MODE, 0, 4), 3\nv_add_f64 v[24:25], 1.0, v[28:29]\n"
                       "v_add_f32 v26, 1.0, v30\nv_add_f16 v27, 1.0, v31\ns_setreg_imm32_b32 hwreg(HW_REG_MODE, 0, 4), 0\n";
    lift_check("gfx906,gfx90a", text, ref_rounding9);
    lift_check("gfx1030,gfx1100,gfx1200", text, ref_rounding);
}

void test_mode(void) {
    test_rounding();
    lift_check("gfx906,gfx90a,gfx1030,gfx1100",
               "s_getreg_b32 s20, hwreg(HW_REG_MODE, 0, 8)\nv_mov_b32 v22, 0x33c00000\ns_setreg_imm32_b32 hwreg(HW_REG_MODE, 0, 2), 3\n"
               "v_add_f32 v20, 1.0, v22\ns_getreg_b32 s21, hwreg(HW_REG_MODE, 0, 8)\ns_setreg_b32 hwreg(HW_REG_MODE, 0, 8), s20\n"
               "v_add_f32 v21, 1.0, v22\ns_getreg_b32 s22, hwreg(HW_REG_MODE, 0, 8)\nv_mov_b32 v22, v2\n",
               ref_mode);
}

/* f32 denormals are flushed with either mode; those of f64 only with the second, those of f16 never. s28, which is 7, makes the
 * numbers: what is constant LLVM computes itself, without denormals flushed. */
static void ref_flushed(struct lift_state *s) {
    bool keeps_f64 = lift_mode_register & 0xc0;
    ACTIVE {
        V(12) = 0x80000007;
        V(13) = 0x00e00000; /* a little above the least normal number */
        V(14) = 7;
        V(15) = 0;
        V(16) = 0x00070007;
        V(20) = 0x80000000;
        V(21) = 0;
        V(22) = keeps_f64 ? 14 : 0;
        V(23) = V(24) = V(25) = 0;
        V(26) = 0x000e000e;
        V(30) = keeps_f64 ? 21 : 0;
        V(31) = 0;
        V(29) = 0x80000000;
    }
}

void test_denormals(void) {
    static const uint32_t modes[] = {0xc0, 0x00};
    for (unsigned i = 0; i < sizeof modes / sizeof *modes; i++) {
        lift_mode_register = modes[i];
        lift_check("gfx906,gfx90a,gfx1030,gfx1100",
                   "v_mov_b32 v14, s28\nv_or_b32 v12, 0x80000000, v14\nv_lshlrev_b32 v13, 21, v14\nv_mov_b32 v15, 0\n"
                   "v_lshl_or_b32 v16, v14, 16, v14\nv_mul_f32 v20, 1.0, v12\nv_mul_f32 v21, 0.5, v13\n"
                   "v_add_f64 v[22:23], v[14:15], v[14:15]\nv_cvt_f64_f32 v[24:25], v14\nv_pk_add_f16 v26, v16, v16\n"
                   "s_setreg_imm32_b32 hwreg(HW_REG_MODE, 0, 2), 1\ns_setreg_imm32_b32 hwreg(HW_REG_MODE, 0, 2), 0\n"
                   "v_add_f64 v[30:31], v[22:23], v[14:15]\nv_max_f32 v29, v12, v12\n",
                   ref_flushed);
    }
    lift_mode_register = 0xf0;
}

/* ---- division ---- */

static void ref_divide(struct lift_state *s) {
    ACTIVE V(20) = bits32(f32(V(10)) / f32(V(11)));
    lift_ignore_scalars = true;
    ACTIVE V(22) = V(23) = V(24) = V(25) = 0;
    lift_ignore_row = 21;
}

void test_division(void) {
    lift_check("gfx906,gfx90a",
               "v_div_scale_f32 v21, s[4:5], v11, v11, v10\nv_div_scale_f32 v22, vcc, v10, v11, v10\nv_rcp_f32 v23, v21\nv_fma_f32 v24, "
               "-v21, v23, 1.0\n"
               "v_fma_f32 v23, v24, v23, v23\nv_mul_f32 v24, v22, v23\nv_fma_f32 v25, -v21, v24, v22\nv_fma_f32 v24, v25, v23, "
               "v24\nv_fma_f32 v21, -v21, v24, v22\n"
               "v_div_fmas_f32 v21, v21, v23, v24\nv_div_fixup_f32 v20, v21, v11, v10\nv_mov_b32 v22, 0\nv_mov_b32 v23, 0\nv_mov_b32 v24, "
               "0\nv_mov_b32 v25, 0\n",
               ref_divide);
}
