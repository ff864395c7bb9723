/* Lifted code: divergent loops, of which those without stores and without a look across lanes are run strip by strip. */
#include "lift_reference.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

/* Scalars that the loops use are set behind them, so that only what they do to lanes counts. */
#define SETTLE                                                                                                                             \
    "s_mov_BN VCC, 0\ns_mov_BN S6, 0\ns_mov_b32 s20, 0\ns_mov_b32 s21, 0\ns_mov_b32 s22, 0\ns_mov_b32 s23, 0\ns_mov_b32 s24, 0\n"          \
    "s_mov_b32 s25, 0\ns_cmp_lg_u32 s8, s8\n"

static void settle(struct lift_state *s, uint64_t exec) {
    set_mask(s, 4, exec);
    set_mask(s, 6, 0);
    set_mask(s, 106, 0);
    for (unsigned i = 20; i < 26; i++)
        s->s[i] = 0;
    s->s[125] = 0;
}

static uint32_t word(uint32_t index) { return lift_lds_word(index * 4); }

/* ---- sums ---- */

static void ref_sum(struct lift_state *s) {
    uint64_t exec = exec_of(s);
    ACTIVE {
        V(20) = 0;
        for (uint32_t n = V(1) & 31;; n--) {
            V(20) += word(n);
            V(21) = n;
            V(24) = word(n);
            if (!n)
                break;
        }
    }
    ACTIVE {
        V(23) = 0;
        V(25) = V(15);
    }
    settle(s, exec);
}

/* The same, so many rounds that it yields. */
static void ref_long(struct lift_state *s) {
    uint64_t exec = exec_of(s);
    ACTIVE {
        V(20) = 0;
        for (uint32_t n = V(1) & 1023;; n--) {
            V(20) += word(n & 31);
            V(21) = n;
            V(24) = word(n & 31);
            if (!n)
                break;
        }
        V(23) = 0;
        V(25) = V(15);
    }
    settle(s, exec);
}

static void test_sums(void) {
    lift_check("gfx906,gfx90a,gfx1030",
               "v_and_b32 v21, 31, v1\nv_mov_b32 v20, 0\ns_mov_BN S4, exec_N\ns_mov_BN S6, 0\nloop:\nv_lshlrev_b32 v23, 2, v21\n"
               "ds_read_b32 v24, v23\ns_waitcnt lgkmcnt(0)\nADD v20, v20, v24\nv_cmp_eq_u32 VCC, 0, v21\nv_cndmask_b32 v25, -1, 0, VCC\n"
               "ADD v21, v25, v21\ns_or_BN S6, VCC, S6\ns_andn2_BN exec_N, exec_N, S6\ns_cbranch_execnz loop\ns_mov_BN exec_N, S4\n"
               "v_mov_b32 v25, v15\nv_mov_b32 v23, 0\n" SETTLE,
               ref_sum);
    lift_check("gfx90a,gfx1030",
               "v_and_b32 v21, 0x3ff, v1\nv_mov_b32 v20, 0\ns_mov_BN S4, exec_N\ns_mov_BN S6, 0\nloop:\nv_and_b32 v23, 31, v21\n"
               "v_lshlrev_b32 v23, 2, v23\nds_read_b32 v24, v23\ns_waitcnt lgkmcnt(0)\nADD v20, v20, v24\nv_cmp_eq_u32 VCC, 0, v21\n"
               "v_cndmask_b32 v25, -1, 0, VCC\nADD v21, v25, v21\ns_or_BN S6, VCC, S6\ns_andn2_BN exec_N, exec_N, S6\n"
               "s_cbranch_execnz loop\ns_mov_BN exec_N, S4\nv_mov_b32 v25, v15\nv_mov_b32 v23, 0\n" SETTLE,
               ref_long);
}

/* ---- a search with a result for each lane, and a branch within ---- */

static void ref_search(struct lift_state *s) {
    uint64_t exec = exec_of(s), found = 0;
    ACTIVE {
        uint32_t n = V(1) & 15;
        V(20) = 0;
        V(22) = 100;
        for (;; n++) {
            uint32_t w = word(n & 31);
            V(24) = w;
            if (w & 1)
                V(20) += w;
            V(22) -= 1;
            if ((w & 7) == (V(2) & 7)) {
                found |= (uint64_t)1 << l;
                break;
            }
            if (n == 40)
                break;
        }
        V(21) = n;
        V(23) = found >> l & 1;
        V(25) = 0;
        V(26) = V(16);
    }
    settle(s, exec);
}

static void test_search(void) {
    lift_check(
        "gfx906,gfx90a,gfx1030,gfx1100",
        "v_and_b32 v21, 15, v1\nv_mov_b32 v20, 0\nv_mov_b32 v22, 0x64\nv_and_b32 v26, 7, v2\ns_mov_BN S4, exec_N\ns_mov_BN S6, 0\n"
        "loop:\nv_and_b32 v23, 31, v21\nv_lshlrev_b32 v23, 2, v23\nds_read_b32 v24, v23\ns_waitcnt lgkmcnt(0)\nv_and_b32 v25, 1, v24\n"
        "v_cmp_ne_u32 VCC, 0, v25\ns_and_saveexec_BN S20, VCC\ns_cbranch_execz even\nADD v20, v20, v24\neven:\n"
        "s_or_BN exec_N, exec_N, S20\nADD v22, -1, v22\nv_and_b32 v25, 7, v24\nv_cmp_eq_u32 S22, v25, v26\nv_cmp_eq_u32 VCC, 40, v21\n"
        "s_andn2_BN S24, S24, exec_N\ns_and_BN S20, S22, exec_N\ns_or_BN S24, S24, S20\ns_or_BN VCC, VCC, S22\n"
        "s_and_BN VCC, exec_N, VCC\ns_or_BN S6, VCC, S6\ns_andn2_BN exec_N, exec_N, VCC\ns_cbranch_execz done\nADD v21, 1, v21\n"
        "s_branch loop\ndone:\ns_mov_BN exec_N, S4\nv_cndmask_b32 v23, 0, 1, S24\nv_mov_b32 v25, 0\nv_mov_b32 v26, v16\n" SETTLE,
        ref_search);
}

/* ---- a loop in a loop, a scalar of each round, and a mask of before ---- */

static void ref_nested(struct lift_state *s) {
    uint64_t exec = exec_of(s);
    ACTIVE {
        V(20) = 0;
        for (uint32_t n = V(1) & 3, round = 1;; n--, round++) {
            for (uint32_t i = V(2) & 7;; i--) {
                V(20) += word(i + n) ^ round;
                if (!i)
                    break;
            }
            V(20) = V(3) < V(4) ? V(20) + 1 : V(20) * 2;
            if (!n)
                break;
        }
        V(21) = V(22) = V(23) = V(24) = 0;
    }
    s->s[29] = s->s[28];
    settle(s, exec);
}

static void test_nested(void) {
    lift_check(
        "gfx906,gfx90a,gfx1030,gfx1100",
        "v_and_b32 v21, 3, v1\nv_mov_b32 v20, 0\ns_mov_BN S4, exec_N\ns_mov_BN S6, 0\ns_mov_b32 s29, 0\nv_cmp_lt_u32 S24, v3, v4\n"
        "outer:\ns_add_u32 s29, s29, 1\nv_and_b32 v22, 7, v2\ns_mov_BN S20, 0\n"
        "inner:\nADD v23, v21, v22\nv_lshlrev_b32 v23, 2, v23\nds_read_b32 v24, v23\ns_waitcnt lgkmcnt(0)\nv_xor_b32 v24, s29, v24\n"
        "ADD v20, v20, v24\nv_cmp_eq_u32 VCC, 0, v22\ns_or_BN S20, VCC, S20\nADD v22, -1, v22\ns_andn2_BN exec_N, exec_N, S20\n"
        "s_cbranch_execnz inner\ns_or_BN exec_N, exec_N, S20\n"
        "v_lshlrev_b32 v23, 1, v20\nADD v24, 1, v20\nv_cndmask_b32 v20, v23, v24, S24\nv_cmp_eq_u32 VCC, 0, v21\ns_or_BN S6, VCC, S6\n"
        "ADD v21, -1, v21\ns_andn2_BN exec_N, exec_N, S6\ns_cbranch_execnz outer\ns_mov_BN exec_N, S4\nv_mov_b32 v21, 0\n"
        "v_mov_b32 v22, 0\nv_mov_b32 v23, 0\nv_mov_b32 v24, 0\ns_mov_b32 s29, s28\n" SETTLE,
        ref_nested);
}

/* ---- loads of base[index], with indices of 32 bits about where they change their sign and where they wrap ---- */

enum { WINDOW = 1 << 16 }; /* bytes about the first, the middle and the last address that an index has: the rest cannot be read */

static uint8_t *indexed;
static struct {
    uint32_t start;
    bool is_signed, scattered;
} indices;

static uint32_t indexed_word(uint32_t index) {
    int64_t from = indices.is_signed ? (int64_t)(int32_t)index + (INT64_C(1) << 31) : (int64_t)index;
    return *(const uint32_t *)(indexed + from * 4);
}

static void ref_indices(struct lift_state *s) {
    uint64_t exec = exec_of(s), base = (uint64_t)(uintptr_t)indexed + (indices.is_signed ? UINT64_C(1) << 33 : 0);
    ACTIVE {
        uint32_t index = indices.start + (indices.scattered ? V(2) & 31 : V(0));
        V(20) = 0;
        for (uint32_t n = V(1) & 3;; n--) {
            V(20) += indexed_word(index++);
            if (!n)
                break;
        }
        V(21) = V(22) = V(23) = V(24) = V(25) = V(26) = V(27) = 0;
    }
    s->s[26] = (uint32_t)base;
    s->s[27] = (uint32_t)(base >> 32);
    settle(s, exec);
}

static void map_indexed(void) {
    size_t span = UINT64_C(1) << 34;
    indexed = mmap(NULL, span, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    const size_t windows[3] = {0, span / 2 - WINDOW / 2, span - WINDOW};
    for (unsigned i = 0; i < 3; i++) {
        if (indexed == MAP_FAILED || mprotect(indexed + windows[i], WINDOW, PROT_READ | PROT_WRITE) != 0)
            abort();
        for (uint32_t n = 0; n < WINDOW / 4; n++)
            ((uint32_t *)(indexed + windows[i]))[n] = (i + 1) * 0x9e3779b9u * (n + 1);
    }
}

/* v_max_u32 says nothing about lanes to the analysis of addresses. */
static void check_indices(const char *processors, const char *add_with_carry, uint32_t start, bool is_signed, bool scattered) {
    char text[2048];
    uint64_t base = (uint64_t)(uintptr_t)indexed + (is_signed ? UINT64_C(1) << 33 : 0);
    indices.start = start;
    indices.is_signed = is_signed;
    indices.scattered = scattered;
    snprintf(text, sizeof text,
             "s_mov_b32 s26, 0x%x\ns_mov_b32 s27, 0x%x\nv_and_b32 v21, 3, v1\nv_and_b32 v23, 31, v2\nv_max_u32 v22, %s, %s\n"
             "ADD v22, 0x%x, v22\nv_mov_b32 v20, 0\nv_mov_b32 v26, s27\ns_mov_BN S4, exec_N\ns_mov_BN S6, 0\nloop:\n%s\n"
             "v_lshlrev_b64 v[24:25], 2, v[22:23]\nv_add_co_u32 v24, VCC, s26, v24\n%s v25, VCC, v26, v25, VCC\n"
             "global_load_dword v24, v[24:25], off\ns_waitcnt0\nADD v20, v20, v24\nv_cmp_eq_u32 VCC, 0, v21\n"
             "v_cndmask_b32 v27, -1, 0, VCC\nADD v21, v27, v21\nADD v22, 1, v22\ns_or_BN S6, VCC, S6\ns_andn2_BN exec_N, exec_N, S6\n"
             "s_cbranch_execnz loop\ns_mov_BN exec_N, S4\nv_mov_b32 v21, 0\nv_mov_b32 v22, 0\nv_mov_b32 v23, 0\nv_mov_b32 v24, 0\n"
             "v_mov_b32 v25, 0\nv_mov_b32 v26, 0\nv_mov_b32 v27, 0\n" SETTLE,
             (unsigned)base, (unsigned)(base >> 32), scattered ? "v23" : "v0", scattered ? "v23" : "v0", start,
             is_signed ? "v_ashrrev_i32 v23, 31, v22" : "v_mov_b32 v23, 0", add_with_carry);
    lift_check(processors, text, ref_indices);
}

static void ref_rows(struct lift_state *s) {
    uint64_t exec = exec_of(s), base = (uint64_t)(uintptr_t)indexed + (indices.is_signed ? UINT64_C(1) << 33 : 0);
    ACTIVE {
        V(20) = indexed_word(indices.start + V(0));
        V(21) = indexed_word(indices.start + 1 + V(0));
        V(22) = V(23) = V(24) = V(25) = V(26) = V(27) = 0;
    }
    s->s[26] = (uint32_t)base;
    s->s[27] = (uint32_t)(base >> 32);
    settle(s, exec);
}

/* The same without a loop, where it is known that the lanes' indices follow each other but for a wrap. */
static void check_rows(const char *processors, const char *add_with_carry, uint32_t start, bool is_signed) {
    char text[2048];
    uint64_t base = (uint64_t)(uintptr_t)indexed + (is_signed ? UINT64_C(1) << 33 : 0);
    const char *extend = is_signed ? "v_ashrrev_i32 v23, 31, v22" : "v_mov_b32 v23, 0";
    indices.start = start;
    indices.is_signed = is_signed;
    snprintf(text, sizeof text,
             "s_mov_b32 s26, 0x%x\ns_mov_b32 s27, 0x%x\nv_mov_b32 v26, s27\nADD v22, 0x%x, v0\n%s\nv_lshlrev_b64 v[24:25], 2, v[22:23]\n"
             "v_add_co_u32 v24, VCC, s26, v24\n%s v25, VCC, v26, v25, VCC\nADD v22, 1, v22\n%s\nv_lshlrev_b64 v[22:23], 2, v[22:23]\n"
             "v_add_co_u32 v22, VCC, s26, v22\n%s v23, VCC, v26, v23, VCC\nglobal_load_dword v20, v[24:25], off\n"
             "global_load_dword v21, v[22:23], off\ns_waitcnt0\nv_mov_b32 v22, 0\nv_mov_b32 v23, 0\nv_mov_b32 v24, 0\nv_mov_b32 v25, 0\n"
             "v_mov_b32 v26, 0\nv_mov_b32 v27, 0\ns_mov_BN S4, exec_N\n" SETTLE,
             (unsigned)base, (unsigned)(base >> 32), start, extend, add_with_carry, extend, add_with_carry);
    lift_check(processors, text, ref_rows);
}

static void test_indices(void) {
    static const struct {
        uint32_t start;
        bool is_signed, scattered;
    } cases[] = {
        {0x7fffffe9, false, false}, {0xffffffe9, false, false}, {0x7ffffff1, false, true},
        {0xffffffe9, true, false},  {0x7fffffe9, true, false},  {0xfffffff1, true, true},
    };
    map_indexed();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        check_indices("gfx90a", "v_addc_co_u32", cases[i].start, cases[i].is_signed, cases[i].scattered);
        if (i % 2)
            check_indices("gfx1030", "v_add_co_ci_u32", cases[i].start, cases[i].is_signed, cases[i].scattered);
        check_rows("gfx90a", "v_addc_co_u32", cases[i].start, cases[i].is_signed);
        check_rows("gfx1030", "v_add_co_ci_u32", cases[i].start, cases[i].is_signed);
        check_rows("gfx90a", "v_addc_co_u32", cases[i].start + 7, cases[i].is_signed);
    }
}

/* ---- rows of data that eight lanes share: each lane has every eighth element, which its counter tells ---- */

/* What a case is about. The mask of lanes that have left may have some from the beginning, and lanes are off where a row is short, the
 * first ones among them; all lanes make the first round, wherever their counters are. */
struct shared {
    uint32_t start;         /* the first row's first element */
    uint32_t apart;         /* rows begin so far from each other, */
    uint32_t longest;       /* have up to so many elements, less one, a power of two, */
    uint32_t least;         /* and these in any case */
    uint32_t lane_step;     /* of the lanes of a row */
    bool is_signed, left;   /* indices; whether some lanes have left before */
    const char *comparison; /* of the counter with the row's end */
    bool stays;             /* where it is true, else lanes leave there */
    bool early;             /* it comes before the step */
};

static struct shared shared;

static bool compares(uint32_t a, uint32_t b) {
    const char *name = shared.comparison + 6;
    const int64_t x = shared.is_signed ? (int32_t)a : (int64_t)a, y = shared.is_signed ? (int32_t)b : (int64_t)b;
    if (!strncmp(name, "lt", 2))
        return x < y;
    if (!strncmp(name, "le", 2))
        return x <= y;
    return !strncmp(name, "gt", 2) ? x > y : x >= y;
}

static void ref_shared(struct lift_state *s) {
    uint64_t exec = exec_of(s), left = 0, base = (uint64_t)(uintptr_t)indexed + (shared.is_signed ? UINT64_C(1) << 33 : 0);
    LANES {
        bool was_left = shared.left && ON(l) && (V(1) & 1);
        if (ON(l)) {
            uint32_t row = V(0) >> 3, index = shared.start + row * shared.apart + (V(0) & 7) * shared.lane_step;
            uint32_t end = shared.start + row * shared.apart + shared.least + (lift_lds_word(row * 4) & shared.longest);
            V(20) = V(21) = 0;
            for (bool goes_on = true; goes_on;) {
                V(20) += indexed_word(index);
                V(21)++;
                bool early = compares(index, end);
                index += 8;
                goes_on = (shared.early ? early : compares(index, end)) == shared.stays && !was_left;
            }
            left |= (uint64_t)1 << l;
        }
        V(29) = left >> l & 1;
    }

    ACTIVE V(22) = V(23) = V(24) = V(25) = V(26) = V(27) = V(28) = 0;
    s->s[26] = (uint32_t)base;
    s->s[27] = (uint32_t)(base >> 32);
    settle(s, exec);
}

static void check_shared(const char *processors, const char *add_with_carry, struct shared what) {
    char text[2048], compare[128];
    uint64_t base = (uint64_t)(uintptr_t)indexed + (what.is_signed ? UINT64_C(1) << 33 : 0);
    shared = what;
    indices.is_signed = what.is_signed;
    snprintf(compare, sizeof compare, "%s VCC, v22, v24\n%s", what.comparison, what.stays ? "s_andn2_BN VCC, exec_N, VCC\n" : "");
    snprintf(text, sizeof text,
             "s_mov_b32 s26, 0x%x\ns_mov_b32 s27, 0x%x\nv_lshrrev_b32 v22, 3, v0\nv_lshlrev_b32 v24, 2, v22\nds_read_b32 v24, v24\n"
             "v_mul_u32_u24 v22, 0x%x, v22\nADD v22, 0x%x, v22\ns_waitcnt lgkmcnt(0)\nv_and_b32 v24, 0x%x, v24\nADD v24, 0x%x, v24\n"
             "ADD v24, v24, v22\nv_and_b32 v25, 7, v0\nv_mul_u32_u24 v25, 0x%x, v25\nADD v22, v22, v25\nv_mov_b32 v20, 0\n"
             "v_mov_b32 v21, 0\nv_mov_b32 v28, s27\ns_mov_BN S4, exec_N\nv_and_b32 v25, 1, v1\nv_cmp_eq_u32 S6, %s, v25\n"
             "loop:\n%s\nv_lshlrev_b64 v[26:27], 2, v[22:23]\nv_add_co_u32 v26, VCC, s26, v26\n"
             "%s v27, VCC, v28, v27, VCC\nglobal_load_dword v25, v[26:27], off\ns_waitcnt0\nADD v20, v20, v25\nADD v21, 1, v21\n"
             "%sADD v22, 8, v22\n%ss_or_BN S6, VCC, S6\ns_andn2_BN exec_N, exec_N, S6\ns_cbranch_execnz loop\ns_mov_BN exec_N, -1\n"
             "v_cndmask_b32 v29, 0, 1, S6\ns_mov_BN exec_N, S4\nv_mov_b32 v22, 0\nv_mov_b32 v23, 0\nv_mov_b32 v24, 0\nv_mov_b32 v25, 0\n"
             "v_mov_b32 v26, 0\nv_mov_b32 v27, 0\nv_mov_b32 v28, 0\n" SETTLE,
             (unsigned)base, (unsigned)(base >> 32), what.apart, what.start, what.longest, what.least, what.lane_step,
             what.left ? "1" : "2", what.is_signed ? "v_ashrrev_i32 v23, 31, v22" : "v_mov_b32 v23, 0", add_with_carry,
             what.early ? compare : "", what.early ? "" : compare);
    lift_check(processors, text, ref_shared);
}

static void test_shared(void) {
    static const struct shared cases[] = {
        {0, 64, 63, 0, 1, false, false, "v_cmp_ge_u32", false, false},
        {0, 64, 63, 0, 1, false, true, "v_cmp_gt_u32", false, false},
        {0, 64, 63, 0, 1, false, false, "v_cmp_lt_u32", true, true},
        {0, 64, 31, 1, 1, false, true, "v_cmp_le_u32", true, false},
        {0xffffff00, 64, 63, 0, 1, true, false, "v_cmp_ge_i32", false, false},
        {0xffffff00, 64, 63, 0, 1, true, true, "v_cmp_lt_i32", true, true},
        {0xffffff00, 64, 63, 0, 3, true, false, "v_cmp_gt_i32", false, false}, /* lanes load elsewhere, the first one goes on longest */
        {0, 64, 63, 0, 3, false, false, "v_cmp_ge_u32", false, false},
        {0xfffffffc, 0, 7, 8, 1, false, false, "v_cmp_ge_u32", false, false}, /* counters wrap between lanes */
        {0x7ffffffc, 0, 7, 8, 1, true, false, "v_cmp_ge_i32", false, false},  /* the first lanes' leave at once, having wrapped */
        {0xfffffff8 - 4 * 64, 64, 31, 0, 1, false, false, "v_cmp_ge_u32", false, false}, /* up to the last index */
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        check_shared("gfx90a", "v_addc_co_u32", cases[i]);
        check_shared("gfx1030", "v_add_co_ci_u32", cases[i]);
    }
}

void test_loops(void) {
    test_sums();
    test_search();
    test_nested();
    test_indices();
    test_shared();
}
