/* Lifted instructions end to end: assembled kernels, translated in both forms, run, and compared with references written here.
 *
 * A case is a text, and a reference that changes a copy of the registers as the text must. Both start from the same random
 * registers; afterwards all of them are compared, EXEC, VCC and SCC included. Each case runs with several EXEC masks, in FULL
 * or MASKED form as the masks ask, for this host and for one without AVX-512. */
#include "lift_reference.h"

#include <stdlib.h>

/* ---- pairs ---- */

static void ref_swap(struct lift_state *s) {
    ACTIVE {
        uint32_t a = V(1);
        V(1) = V(2);
        V(2) = a;
        V(20) = V(1) - V(2);
    }
}

static void ref_swap_branch(struct lift_state *s) {
    for (unsigned i = 0; i < 3; i++)
        ref_swap(s);
    s->s[20] = 0;
    s->s[125] = 1;
}

/* v_swap_b16 v1.l, v2.h, then v1.l, v1.h; LLVM 19 has no text for them. */
static void ref_swap_halves(struct lift_state *s) {
    ACTIVE {
        uint32_t a = V(1);
        V(1) = (a & 0xffff0000) | V(2) >> 16;
        V(2) = (V(2) & 0xffff) | a << 16;
        V(20) = V(1) - V(2);
        V(1) = V(1) >> 16 | V(1) << 16;
    }
}

/* By the upper half of v3; LLVM 19 has no text for that either. */
static void ref_align_upper(struct lift_state *s) {
    ACTIVE {
        const uint64_t both = (uint64_t)V(1) << 32 | V(2);
        V(20) = (uint32_t)(both >> (V(3) >> 16 & 31));
        V(21) = (uint32_t)(both >> (V(3) >> 16 & 3) * 8);
    }
}

/* The second of the pair reads a scalar that the vector region still has to make. */
static void ref_late_scalar(struct lift_state *s) {
    uint64_t result = 0;
    ACTIVE result |= (uint64_t)(V(1) > V(2)) << l;
    set_mask(s, 4, result);
    ACTIVE {
        uint32_t a = V(1);
        V(1) = V(2);
        V(2) = a + s->s[4];
    }
}

/* An instruction that reads such a scalar, and is the last one to read a vector register of the vector region before it. */
static void ref_late_last(struct lift_state *s) {
    uint64_t result = 0;
    ACTIVE result |= (uint64_t)(V(1) > V(2)) << l;
    set_mask(s, 4, result);
    ACTIVE {
        V(21) = (V(1) ^ V(2)) + s->s[4];
        V(20) = V(1);
    }
}

/* The same of an instruction that takes its operand from lanes of another strip. */
static void ref_bcast_last(struct lift_state *s) {
    struct lift_state old = *s;
    ACTIVE {
        unsigned from = (l & ~15u) - 1;
        V(20) = V(1);
        if (l >= 16 && ON(from))
            V(21) = old.v[1][from] ^ old.v[2][from];
    }
}

static void test_pairs(void) {
    lift_check(EVERY, "v_xor_b32 v20, v1, v2\nv_cmp_gt_u32 S4, v1, v2\nADD v21, s4, v20\nv_mov_b32 v20, v1\n", ref_late_last);
    lift_check(BOTH9, "v_xor_b32 v20, v1, v2\nv_mov_b32_dpp v21, v20 row_bcast:15 row_mask:0xf bank_mask:0xf\nv_mov_b32 v20, v1\n",
               ref_bcast_last);
    lift_check("gfx1100,gfx1200", "v_cmp_gt_u32 s4, v1, v2\nv_dual_mov_b32 v1, v2 :: v_dual_add_nc_u32 v2, s4, v1\n", ref_late_scalar);
    lift_check("gfx1100,gfx1200", "v_dual_mov_b32 v1, v2 :: v_dual_mov_b32 v2, v1\nv_sub_nc_u32 v20, v1, v2\n", ref_swap);
    lift_check(EVERY, "v_swap_b32 v1, v2\nSUB v20, v1, v2\n", ref_swap);
    lift_check("gfx1100,gfx1200", ".long 0x7e02cd82\nv_sub_nc_u32 v20, v1, v2\n.long 0x7e02cd81\n", ref_swap_halves);
    lift_check("gfx1100,gfx1200", ".long 0xd6162014, 0x040e0501\n.long 0xd6172015, 0x040e0501\n", ref_align_upper);
    lift_check(EVERY,
               "s_mov_b32 s20, 3\nloop:\nv_swap_b32 v1, v2\nSUB v20, v1, v2\ns_add_i32 s20, s20, -1\ns_cmp_eq_u32 s20, 0\n"
               "s_cbranch_scc0 loop\n",
               ref_swap_branch);
}

/* ---- EXEC ---- */

static void ref_cmpx(struct lift_state *s) {
    uint64_t result = 0;
    ACTIVE result |= (uint64_t)(V(1) > V(2)) << l;
    set_mask(s, 126, result);
    ACTIVE V(20) = V(1) + V(2);
}

static void ref_cmpx9(struct lift_state *s) {
    ref_cmpx(s);
    set_mask(s, 106, exec_of(s));
}

static void ref_cmpx9_sgpr(struct lift_state *s) {
    ref_cmpx(s);
    set_mask(s, 4, exec_of(s));
}

static const char *now_op;

static void ref_saveexec(struct lift_state *s) {
    uint64_t exec = exec_of(s), source = mask_of(s, 6), all = W == 64 ? UINT64_MAX : UINT32_MAX, result;
    if (!strcmp(now_op, "and"))
        result = source & exec;
    else if (!strcmp(now_op, "or"))
        result = source | exec;
    else if (!strcmp(now_op, "xor"))
        result = source ^ exec;
    else if (!strcmp(now_op, "andn2") || !strcmp(now_op, "and_not1"))
        result = source & ~exec;
    else if (!strcmp(now_op, "orn2") || !strcmp(now_op, "or_not1"))
        result = source | (~exec & all);
    else if (!strcmp(now_op, "andn1") || !strcmp(now_op, "and_not0"))
        result = ~source & exec;
    else if (!strcmp(now_op, "orn1") || !strcmp(now_op, "or_not0"))
        result = (~source & all) | exec;
    else if (!strcmp(now_op, "nand"))
        result = ~(source & exec) & all;
    else if (!strcmp(now_op, "nor"))
        result = ~(source | exec) & all;
    else
        result = ~(source ^ exec) & all;
    set_mask(s, 4, exec);
    set_mask(s, 126, result);
    ACTIVE V(20) = V(1) + 1;
    s->s[20] = result != 0;
    set_mask(s, 126, exec);
    ACTIVE V(21) = V(20) + V(1);
    s->s[125] = result != 0;
}

static void test_exec(void) {
    static const char *const old[] = {"and", "or", "xor", "andn2", "orn2", "nand", "nor", "xnor", "andn1", "orn1"};
    static const char *const renamed[] = {"and", "or", "xor", "and_not1", "or_not1", "nand", "nor", "xnor", "and_not0", "or_not0"};
    char text[256];
    lift_check(NEWER, "v_cmpx_gt_u32 v1, v2\nADD v20, v1, v2\n", ref_cmpx);
    lift_check(BOTH9, "v_cmpx_gt_u32 vcc, v1, v2\nv_add_u32 v20, v1, v2\n", ref_cmpx9);
    lift_check(BOTH9, "v_cmpx_gt_u32 s[4:5], v1, v2\nv_add_u32 v20, v1, v2\n", ref_cmpx9_sgpr);
    for (unsigned i = 0; i < sizeof old / sizeof *old; i++)
        for (unsigned newer = 0; newer < 2; newer++) {
            now_op = newer ? renamed[i] : old[i];
            snprintf(text, sizeof text,
                     "s_%s_saveexec_BN S4, S6\nADD v20, 1, v1\ns_cselect_b32 s20, 1, 0\ns_mov_BN exec_N, S4\nADD v21, v20, v1\n", now_op);
            lift_check(newer ? "gfx1100" : "gfx906,gfx1030", text, ref_saveexec);
        }
}

/* The low half of a 64-bit sum, whose high half is written over before anybody reads it. */
static void ref_mad_low(struct lift_state *s) {
    uint32_t product = S(4) * S(5);
    ACTIVE {
        uint32_t low = product + V(2);
        V(21) = V(1) * V(3) + low;
        V(23) = S(6) * V(3) + 100;
        V(22) = V(21);
        V(24) = V(23);
        V(20) = low;
    }
}

/* And where somebody does. */
static void ref_mad_both(struct lift_state *s) {
    ACTIVE {
        uint64_t sum = (uint64_t)S(4) * V(1) + (V(2) | (uint64_t)V(3) << 32);
        V(20) = (uint32_t)sum;
        V(21) = (uint32_t)(sum >> 32);
    }
}

static void test_products(void) {
    lift_check("gfx1030,gfx1100",
               "v_mad_u64_u32 v[20:21], null, s4, s5, v[2:3]\nv_mov_b32 v21, 0\nv_mad_u64_u32 v[21:22], null, v1, v3, v[20:21]\n"
               "v_mov_b32 v22, v21\nv_mad_u64_u32 v[23:24], null, s6, v3, 0x64\nv_mov_b32 v24, v23\n",
               ref_mad_low);
    lift_check("gfx1030,gfx1100", "v_mad_u64_u32 v[20:21], null, s4, v1, v[2:3]\n", ref_mad_both);
}

static void ref_loop(struct lift_state *s) {
    uint64_t exec = exec_of(s);
    ACTIVE {
        V(20) = V(22) = 0;
        V(21) = V(1) & 7;
        for (unsigned i = 0; i < 10; i++) {
            if (V(20) < V(21)) {
                V(20) += 1;
                V(23) += V(20);
            }
            V(22) += V(20);
        }
    }
    set_mask(s, 106, 0);
    set_mask(s, 6, exec);
    s->s[20] = 0;
    s->s[125] = 1;
}

/* Divergent: lanes leave one after the other, a lane-dependent number of rounds. */
static void ref_while(struct lift_state *s) {
    uint64_t exec = exec_of(s);
    ACTIVE {
        V(20) = 0;
        for (uint32_t n = V(21) = V(1) & 31;; V(21) = --n) {
            V(20) += n + 1;
            if (!n)
                break;
        }
    }
    set_mask(s, 106, 0);
    set_mask(s, 4, exec);
    set_mask(s, 6, 0);
    s->s[125] = 0;
}

/* Both sides of a condition without a branch around the first: for all lanes, some, or none. */
static uint32_t first_lane;

static void ref_condition(struct lift_state *s) {
    uint64_t exec = exec_of(s), taken = 0;
    ACTIVE taken |= (uint64_t)(l >= first_lane) << l;
    ACTIVE {
        const bool is_taken = taken >> l & 1;
        V(24) = l * 4;
        V(20) = is_taken ? 6 : 5;
        V(21) = V(20) + 1;
        V(22) = is_taken ? 1 : 9;
        V(23) = V(20) + V(22);
        V(25) = is_taken ? V(1) : lift_lds_word(l * 4);
    }
    set_mask(s, 106, taken);
    set_mask(s, 20, taken);
    set_mask(s, 6, taken);
    s->s[125] = exec != 0;
}

static void check_condition(uint32_t first) {
    char text[640];
    const unsigned left = lift_copies_left;
    first_lane = first;
    snprintf(text, sizeof text,
             "v_lshlrev_b32 v24, 2, v0\nv_mov_b32 v20, 5\nv_mov_b32 v22, 1\nv_cmp_le_u32 VCC, %u, v0\ns_and_saveexec_BN S6, VCC\n"
             "s_xor_BN S6, exec_N, S6\nv_mov_b32 v20, 6\nv_cmp_eq_u32 S20, v0, v0\nds_write_b32 v24, v1\ns_or_saveexec_BN S6, S6\n"
             "ADD v21, 1, v20\ns_xor_BN exec_N, exec_N, S6\ns_cbranch_execz done\nv_mov_b32 v22, 9\ndone:\n"
             "s_or_BN exec_N, exec_N, S6\nADD v23, v20, v22\nds_read_b32 v25, v24\ns_waitcnt0\n",
             first);
    lift_check("gfx906,gfx90a,gfx1030", text, ref_condition);
    if (lift_copies_left != left && !getenv("WL_TEST_STEPS")) {
        fprintf(stderr, "a condition of lanes from %u on: FULL code was left\n", first);
        lift_failures++;
    }
}

static void test_transitions(void) {
    lift_check(EVERY,
               "v_mov_b32 v20, 0\nv_mov_b32 v22, 0\nv_and_b32 v21, 7, v1\ns_mov_b32 s20, 10\nloop:\nv_cmp_lt_u32 VCC, v20, v21\n"
               "s_and_saveexec_BN S6, VCC\ns_cbranch_execz skip\nADD v20, 1, v20\nADD v23, v20, v23\nskip:\ns_mov_BN exec_N, S6\n"
               "ADD v22, v20, v22\ns_add_i32 s20, s20, -1\ns_cmp_eq_u32 s20, 0\ns_cbranch_scc0 loop\ns_mov_BN VCC, 0\n",
               ref_loop);
    lift_check("gfx906,gfx90a,gfx1030",
               "v_and_b32 v21, 31, v1\nv_mov_b32 v20, 0\ns_mov_BN S4, exec_N\ns_mov_BN S6, 0\nloop:\nADD v20, v20, v21\nADD v20, 1, v20\n"
               "v_cmp_eq_u32 VCC, 0, v21\ns_or_BN S6, VCC, S6\ns_andn2_BN exec_N, exec_N, VCC\ns_cbranch_execz done\nADD v21, -1, v21\n"
               "s_branch loop\ndone:\ns_mov_BN exec_N, S4\ns_mov_BN VCC, 0\ns_mov_BN S6, 0\ns_cmp_lg_u32 s8, s8\n",
               ref_while);
    static const uint32_t firsts[] = {0, 1, 20, 32, 48, 63, 200};
    lift_any_shape = true;
    for (size_t i = 0; i < sizeof firsts / sizeof *firsts; i++)
        check_condition(firsts[i]);
    lift_any_shape = false;
}

/* ---- lanes ---- */

static void ref_lanes(struct lift_state *s) {
    unsigned first = exec_of(s) ? (unsigned)__builtin_ctzll(exec_of(s)) : 0;
    s->s[20] = s->v[1][first];
    s->s[21] = s->v[1][7];
    s->s[22] = s->v[2][s->s[9] & (W - 1)];
    s->v[20][5] = s->s[10];
    s->v[20][s->s[9] & (W - 1)] = 42;
    ACTIVE V(21) = V(20) + s->s[21];
}

static void ref_permute(struct lift_state *s) {
    struct lift_state old = *s;
    ACTIVE {
        unsigned from = (old.v[1][l] + 8) / 4 % W;
        V(20) = ON(from) ? old.v[2][from] : 0;
        V(22) = 0;
    }
    ACTIVE {
        unsigned to = old.v[1][l] / 4 % W;
        if (ON(to))
            s->v[22][to] = old.v[2][l];
    }
}

static void ref_swizzle(struct lift_state *s) {
    struct lift_state old = *s;
    ACTIVE {
        unsigned quad = (l & ~3u) + (0x1bu >> 2 * (l & 3) & 3), mask = (l & ~31u) + ((((l & 0x1e) | 1) ^ 0x0a) & 31);
        V(20) = ON(quad) ? old.v[1][quad] : 0;
        V(21) = ON(mask) ? old.v[1][mask] : 0;
    }
}

static void ref_permlane(struct lift_state *s) {
    struct lift_state old = *s;
    uint64_t pick = s->s[4] | (uint64_t)s->s[5] << 32;
    ACTIVE {
        unsigned n = pick >> 4 * (l & 15) & 15, same = (l & ~15u) + n, other = ((l & ~15u) ^ 16) + n;
        if (ON(same))
            V(20) = old.v[1][same];
        V(21) = old.v[1][other];
        V(22) = ON(other) ? old.v[1][other] : 0;
    }
}

static void ref_permlane_var(struct lift_state *s) {
    struct lift_state old = *s;
    ACTIVE {
        unsigned n = old.v[2][l] & 15, same = (l & ~15u) + n, other = ((l & ~15u) ^ 16) + n;
        if (ON(same))
            V(20) = old.v[1][same];
        V(21) = old.v[1][other];
    }
}

static void ref_permlane64(struct lift_state *s) {
    struct lift_state old = *s;
    ACTIVE V(20) = old.v[1][W == 64 ? l ^ 32 : l];
}

static void ref_mbcnt(struct lift_state *s) {
    uint64_t mask = s->s[4] | (uint64_t)s->s[5] << 32;
    ACTIVE {
        V(20) = (uint32_t)__builtin_popcountll(mask & (W == 64 ? (UINT64_C(1) << l) - 1 : ((UINT64_C(1) << l) - 1) & UINT32_MAX)) + V(1);
        V(21) = l + 3;
    }
}

static void ref_append(struct lift_state *s) {
    uint32_t count = (uint32_t)__builtin_popcountll(exec_of(s)), start = lift_lds_word(0x40);
    s->s[124] = 0x40 - 8;
    ACTIVE {
        V(20) = start;
        V(21) = start + count;
        V(22) = lift_lds_word(0x80 + l * 4);
        V(23) = V(1);
    }
    s->s[124] = 0x200;
}

static void ref_lds_direct(struct lift_state *s) {
    uint32_t word = lift_lds_word(0x44);
    s->s[124] = 0x50047;
    ACTIVE {
        V(20) = lift_lds_word(0x40);
        V(21) = (word >> 16 & 0xff) + V(1);
        V(22) = (uint32_t)(int8_t)(word >> 24);
        V(23) = (uint32_t)(int16_t)(word >> 16);
    }
    s->s[124] = 0x50046;
}

static void test_lanes(void) {
    lift_check("gfx906,gfx1030",
               "s_mov_b32 m0, 0x20040\nv_mov_b32 v20, src_lds_direct\ns_mov_b32 m0, 0x46\nADD v21, src_lds_direct, v1\n"
               "s_mov_b32 m0, 0x40047\nv_mov_b32 v22, src_lds_direct\ns_mov_b32 m0, 0x50046\nv_mov_b32 v23, src_lds_direct\n",
               ref_lds_direct);
    lift_check("gfx1100",
               "s_mov_b32 m0, 0x20040\nlds_direct_load v20\ns_mov_b32 m0, 0x46\nlds_direct_load v21\nADD v21, v21, v1\n"
               "s_mov_b32 m0, 0x40047\nlds_direct_load v22\ns_mov_b32 m0, 0x50046\nlds_direct_load v23\n",
               ref_lds_direct);
    lift_check(EVERY,
               "v_readfirstlane_b32 s20, v1\nv_readlane_b32 s21, v1, 7\nv_readlane_b32 s22, v2, s9\nv_writelane_b32 v20, s10, 5\n"
               "v_writelane_b32 v20, 42, s9\nADD v21, s21, v20\n",
               ref_lanes);
    lift_check(EVERY, "ds_bpermute_b32 v20, v1, v2 offset:8\nds_permute_b32 v22, v1, v2\ns_waitcnt0\n", ref_permute);
    lift_check(EVERY, "ds_swizzle_b32 v20, v1 offset:0x801b\nds_swizzle_b32 v21, v1 offset:0x283e\ns_waitcnt0\n", ref_swizzle);
    lift_check(NEWER,
               "v_permlane16_b32 v20, v1, s4, s5\nv_permlanex16_b32 v21, v1, s4, s5 op_sel:[1,0]\nv_permlanex16_b32 v22, v1, s4, s5 "
               "op_sel:[0,1]\n",
               ref_permlane);
    lift_check("gfx1200", "v_permlane16_var_b32 v20, v1, v2\nv_permlanex16_var_b32 v21, v1, v2 op_sel:[1,0]\n", ref_permlane_var);
    lift_check("gfx1100", "v_permlane64_b32 v20, v1\n", ref_permlane64);
    lift_check(EVERY, "v_mbcnt_lo_u32_b32 v20, s4, v1\nMBCNT_HI v20, s5, v20\nv_mbcnt_lo_u32_b32 v21, -1, 3\nMBCNT_HI v21, -1, v21\n",
               ref_mbcnt);
    lift_check("gfx906,gfx1030",
               "s_mov_b32 m0, 0x38\nds_append v20 offset:8\nds_append v21 offset:8\nds_consume v22 offset:8\nds_consume v22 offset:8\n"
               "ds_read_addtid_b32 v22 offset:72\ns_mov_b32 m0, 0x200\nds_write_addtid_b32 v1\nds_read_addtid_b32 v23\n",
               ref_append);
}

/* ---- the order of stores: of two to one address the later instruction's stays, whichever lanes they are of ---- */

static void ref_crossed(struct lift_state *s) {
    ACTIVE {
        V(20) = l * 4;
        V(21) = V(20) ^ 0x7c;
        V(22) = V(2);
    }
}

static void ref_shifted(struct lift_state *s) {
    ACTIVE {
        V(20) = l * 4;
        V(22) = V(2);
    }
}

static void ref_fields(struct lift_state *s) {
    ACTIVE {
        V(20) = l * 8;
        V(22) = V(1);
        V(23) = V(2);
    }
}

static void ref_split(struct lift_state *s) { /* in pairs of lanes that share a place, the higher lane's stays */
    struct lift_state old = *s;
    ACTIVE {
        unsigned last = ON(l | 1) ? l | 1 : l;
        V(20) = (l >> 1) * 8;
        V(22) = old.v[1][last];
        V(23) = old.v[2][last];
    }
}

static void ref_flat(struct lift_state *s) {
    ACTIVE {
        V(20) = V(26) = l * 4 + 0x200;
        V(24) = V(20) ^ 0x7c;
        V(25) = V(27) = 0x10000;
        V(22) = V(2);
    }
}

static void test_stores(void) {
    lift_any_shape = true;
    lift_check(EVERY,
               "v_lshlrev_b32 v20, 2, v0\nv_xor_b32 v21, 0x7c, v20\nds_write_b32 v21, v1 offset:256\nds_write_b32 v20, v2 offset:256\n"
               "s_waitcnt0\nds_read_b32 v22, v20 offset:256\ns_waitcnt0\n",
               ref_crossed);
    lift_check(EVERY,
               "v_lshlrev_b32 v20, 2, v0\nds_write_b32 v20, v1 offset:256\nds_write_b32 v20, v2 offset:320\n"
               "s_waitcnt0\nds_read_b32 v22, v20 offset:320\ns_waitcnt0\n",
               ref_shifted);
    lift_check(EVERY,
               "v_lshlrev_b32 v20, 3, v0\nds_write_b32 v20, v1 offset:256\nds_write_b32 v20, v2 offset:260\n"
               "s_waitcnt0\nds_read_b32 v22, v20 offset:256\nds_read_b32 v23, v20 offset:260\ns_waitcnt0\n",
               ref_fields);
    lift_check(EVERY,
               "v_lshrrev_b32 v20, 1, v0\nv_lshlrev_b32 v20, 3, v20\nds_write_b32 v20, v1 offset:256\nds_write_b32 v20, v2 offset:260\n"
               "s_waitcnt0\nds_read_b32 v22, v20 offset:256\nds_read_b32 v23, v20 offset:260\ns_waitcnt0\n",
               ref_split);
    lift_check(EVERY,
               "v_lshlrev_b32 v20, 2, v0\nADD v20, 0x200, v20\nv_xor_b32 v24, 0x7c, v20\nv_mov_b32 v25, 0x10000\nv_mov_b32 v26, v20\n"
               "v_mov_b32 v27, 0x10000\nflat_store_dword v[24:25], v1\nflat_store_dword v[26:27], v2\n"
               "s_waitcnt0\nds_read_b32 v22, v20\ns_waitcnt0\n",
               ref_flat);
    lift_any_shape = false;
}

/* ---- large units: LLVM's optimizing code generator breaks functions of more than 10,000 blocks ---- */

enum { MANY = 1200 };

/* Divisions as compilers make them, by numbers of all sizes, 0 among them. */
static void ref_quotients(struct lift_state *s) {
    ACTIVE {
        const uint32_t x = V(1), y = V(2) >> (V(3) & 31), by = S(9);
        V(2) = y;
        V(4) = y ? x / y : x ? x + 1 : 2;
        V(5) = y ? x % y : x;
        V(12) = by ? x / by : x ? x + 1 : 2;
        V(6) = V(7) = V(13) = V(14) = 0;
    }
    lift_ignore_scalars = true;
}

static void test_quotients(void) {
    static const char text[] = "v_lshrrev_b32 v2, v3, v2\nv_cvt_f32_u32 v4, v2\nv_rcp_iflag_f32 v4, v4\nv_mul_f32 v4, 0x4f7ffffe, v4\n"
                               "v_cvt_u32_f32 v4, v4\nSUB v5, 0, v2\nv_mul_lo_u32 v5, v5, v4\nv_mul_hi_u32 v5, v4, v5\nADD v4, v4, v5\n"
                               "v_mul_hi_u32 v4, v1, v4\nv_mul_lo_u32 v5, v4, v2\nSUB v5, v1, v5\n"
                               ".rept 2\nADD v6, 1, v4\nSUB v7, v5, v2\nv_cmp_ge_u32 VCC, v5, v2\nv_cndmask_b32 v5, v5, v7, VCC\n"
                               "v_cndmask_b32 v4, v4, v6, VCC\n.endr\nv_mov_b32 v6, 0\nv_mov_b32 v7, 0\n"
                               "v_cvt_f32_u32 v12, s9\ns_sub_i32 s20, 0, s9\nv_rcp_iflag_f32 v12, v12\nv_mul_f32 v12, 0x4f7ffffe, v12\n"
                               "v_cvt_u32_f32 v12, v12\nv_mul_lo_u32 v13, s20, v12\nv_mul_hi_u32 v13, v12, v13\nADD v12, v12, v13\n"
                               "v_mul_hi_u32 v12, v1, v12\nv_mul_lo_u32 v13, v12, s9\nSUB v13, v1, v13\n"
                               ".rept 2\nADD v14, 1, v12\nv_cmp_le_u32 VCC, s9, v13\nv_cndmask_b32 v12, v12, v14, VCC\n"
                               "v_subrev_u32 v14, s9, v13\nv_cndmask_b32 v13, v13, v14, VCC\n.endr\nv_mov_b32 v13, 0\nv_mov_b32 v14, 0\n";
    lift_check("gfx906,gfx90a", text, ref_quotients);
}

static void ref_large(struct lift_state *s) {
    uint64_t exec = exec_of(s);
    unsigned first = exec ? (unsigned)__builtin_ctzll(exec) : 0;
    for (unsigned i = 0; i < MANY; i++) {
        S(20) = s->v[2][first];
        ACTIVE V(2) = S(20) + V(3);
    }
}

static void test_large(void) { lift_check("gfx1030", ".rept 1200\nv_readfirstlane_b32 s20, v2\nADD v2, s20, v3\n.endr\n", ref_large); }

int main(int argc, char **argv) {
    static const struct {
        const char *name;
        void (*run)(void);
    } tests[] = {{"dpp", test_dpp},
                 {"dpp8", test_dpp8},
                 {"sdwa", test_sdwa},
                 {"quotients", test_quotients},
                 {"op_sel", test_op_sel},
                 {"mix", test_mix},
                 {"dot", test_dot},
                 {"output", test_output},
                 {"pairs", test_pairs},
                 {"exec", test_exec},
                 {"products", test_products},
                 {"transitions", test_transitions},
                 {"lanes", test_lanes},
                 {"stores", test_stores},
                 {"indexed", test_indexed},
                 {"calls", test_calls},
                 {"mode", test_mode},
                 {"branches", test_branches},
                 {"denormals", test_denormals},
                 {"division", test_division},
                 {"loops", test_loops},
                 {"alone", test_lanes_alone},
                 {"large", test_large}};
    lift_start();
    for (unsigned i = 0; i < sizeof tests / sizeof *tests; i++)
        if (argc < 2 || !strcmp(argv[1], tests[i].name)) {
            unsigned before = lift_failures;
            tests[i].run();
            printf("%s: %s\n", tests[i].name, lift_failures == before ? "passed" : "FAILED");
        }
    printf("%u runs, %u failures\n", lift_checks, lift_failures);
    return lift_failures != 0;
}
