/* Lifted code: divergent loops that write to memory, whose lanes may go through them one after the other (lift/forms/scalar_tail.c,
 * lift/forms/pairs.c). */
#include "lift_reference.h"

#include <stdio.h>

/* Words that the loops read; the counters that they add to are 1024 bytes on. */
enum { WORDS = 32 };
static uint32_t *words;

/* v21 counts down to 0; v36 leads from word to word. */
#define BEGIN                                                                                                                              \
    "s_mov_b32 s26, 0x%x\ns_mov_b32 s27, 0x%x\nv_and_b32 v21, 15, v1\nv_mov_b32 v20, 0\nv_mov_b32 v24, 0\nv_mov_b32 v25, 0\n"              \
    "v_and_b32 v36, 31, v2\ns_mov_BN S4, exec_N\n"
#define LOAD                                                                                                                               \
    "loop:\nv_lshlrev_b32 v24, 2, v36\nglobal_load_dword v25, v24, s[26:27]\ns_waitcnt0\nADD v20, v20, v25\nv_mov_b32 v24, 0\n"            \
    "v_and_b32 v36, 31, v25\nglobal_atomic_add v24, v25, s[26:27] offset:1024\n"
#define COUNT  "v_cmp_eq_u32 VCC, 0, v21\nADD v21, -1, v21\ns_or_BN S6, VCC, S6\n"
#define LEAVE  "s_cbranch_execnz loop\ns_mov_BN exec_N, S4\nv_mov_b32 v24, 0\nv_mov_b32 v25, 0\n"
#define SETTLE "s_mov_BN VCC, 0\ns_mov_BN S6, 0\ns_mov_BN S22, 0\ns_mov_b32 s26, 0\ns_mov_b32 s27, 0\ns_cmp_lg_u32 s8, s8\n"

static void settle(struct lift_state *s, uint64_t exec) {
    set_mask(s, 4, exec);
    set_mask(s, 6, 0);
    set_mask(s, 22, 0);
    set_mask(s, 106, 0);
    s->s[26] = s->s[27] = s->s[125] = 0;
}

static void begin(struct lift_state *s, unsigned l) {
    V(20) = 0;
    V(36) = V(2) & 31;
}

static uint32_t next(struct lift_state *s, unsigned l) {
    uint32_t word = words[V(36)];
    V(20) += word;
    V(36) = word & 31;
    return word;
}

static void check(const char *processors, const char *format, const char *with_carry, void (*reference)(struct lift_state *)) {
    char text[4096];
    uint64_t base = (uint64_t)(uintptr_t)words;
    int length = snprintf(text, sizeof text, format, (unsigned)base, (unsigned)(base >> 32), with_carry, with_carry, with_carry, with_carry,
                          with_carry, with_carry);
    if (length >= (int)sizeof text)
        lift_failures++;
    else
        lift_check(processors, text, reference);
}

/* ---- the mask that is taken off EXEC ---- */

enum { STALE = 0x2a5b }; /* lanes that are in it before the loop, and go through one round */

static void ref_stale(struct lift_state *s) {
    uint64_t exec = exec_of(s);
    ACTIVE {
        uint32_t n = V(1) & 15;
        begin(s, l);
        next(s, l);
        for (; n > 0 && !((uint64_t)STALE >> l & 1); n--)
            next(s, l);
        V(21) = n - 1;
        V(24) = V(25) = 0;
    }
    settle(s, exec);
}

/* Lanes that count to 3 are put into the mask behind its use, and leave a round later. */
static void ref_late(struct lift_state *s) {
    uint64_t exec = exec_of(s);
    ACTIVE {
        uint32_t n = V(1) & 15, last = n >= 3 ? 2 : 0;
        begin(s, l);
        next(s, l);
        for (; n > last; n--)
            next(s, l);
        V(21) = n - 1;
        V(24) = V(25) = 0;
    }
    settle(s, exec);
}

static void test_masks(void) {
    check("gfx906,gfx90a,gfx1030", BEGIN "s_mov_BN S6, 0x2a5b\n" LOAD COUNT "s_andn2_BN exec_N, exec_N, S6\n" LEAVE SETTLE, "", ref_stale);
    check("gfx906,gfx90a,gfx1030",
          BEGIN "s_mov_BN S6, 0\n" LOAD "v_cmp_eq_u32 S22, 3, v21\n" COUNT
                "s_andn2_BN exec_N, exec_N, S6\ns_or_BN S6, S6, S22\n" LEAVE SETTLE,
          "", ref_late);
}

/* ---- sums of 64 bits ---- */

static void add64(uint32_t *low, uint32_t *high, uint64_t a, uint64_t b) {
    *low = (uint32_t)(a + b);
    *high = (uint32_t)((a + b) >> 32);
}

static uint64_t pair(uint32_t low, uint32_t high) { return low | (uint64_t)high << 32; }

static void ref_pairs(struct lift_state *s) {
    uint64_t exec = exec_of(s);
    ACTIVE {
        uint32_t low, high;
        begin(s, l);
        V(22) = V(2);
        V(23) = V(3);
        V(26) = V(4);
        V(27) = V(5);
        for (uint32_t n = V(1) & 15;; n--) {
            uint32_t word = next(s, l);
            V(21) = n - 1;
            add64(&V(22), &V(23), pair(V(22), V(23)), pair(V(26), V(27)));
            add64(&V(26), &V(27), pair(V(26), V(27)), word);
            add64(&V(30), &V(31), pair(V(22), V(23)), pair(V(26), V(27)));
            add64(&low, &V(33), pair(V(22), V(23)), pair(V(26), V(27)));
            V(32) = low ^ word;
            add64(&V(34), &high, pair(V(22), V(23)), pair(V(26), V(27)));
            V(35) = high + 1;
            V(23)++;
            add64(&V(38), &V(39), pair(V(22), V(23)), pair(V(26), V(27)));
            if (!n)
                break;
        }
        V(24) = V(25) = 0;
    }
    settle(s, exec);
}

/* In this order: a pair added to a pair, in place; a register added to a pair; high halves the other way round; a sum whose low half is
 * changed before the high one is made; one of which the high half of a source is; the sum of what is then there. `MORE`: further accesses,
 * with which all lanes go alone. */
#define PAIRS(MORE)                                                                                                                        \
    BEGIN "v_mov_b32 v22, v2\nv_mov_b32 v23, v3\nv_mov_b32 v26, v4\nv_mov_b32 v27, v5\ns_mov_BN S6, 0\n" LOAD                              \
          "v_add_co_u32 v22, VCC, v22, v26\n%s v23, VCC, v23, v27, VCC\nv_add_co_u32 v26, VCC, v25, v26\n%s v27, VCC, 0, v27, VCC\n"       \
          "v_add_co_u32 v30, VCC, v22, v26\n%s v31, VCC, v27, v23, VCC\nv_add_co_u32 v32, VCC, v22, v26\nv_xor_b32 v32, v32, v25\n"        \
          "%s v33, VCC, v23, v27, VCC\nv_add_co_u32 v34, VCC, v22, v26\nADD v23, 1, v23\n%s v35, VCC, v23, v27, VCC\n"                     \
          "v_add_co_u32 v38, VCC, v22, v26\n%s v39, VCC, v23, v27, VCC\n" MORE COUNT "s_andn2_BN exec_N, exec_N, S6\n" LEAVE SETTLE
#define MORE "global_atomic_add v24, v20, s[26:27] offset:1028\nglobal_atomic_or v24, v21, s[26:27] offset:1032\n"

static void test_sums(void) {
    check("gfx906,gfx90a", PAIRS(""), "v_addc_co_u32", ref_pairs);
    check("gfx1030", PAIRS(""), "v_add_co_ci_u32", ref_pairs);
    check("gfx906,gfx90a", PAIRS(MORE MORE), "v_addc_co_u32", ref_pairs);
    check("gfx1030", PAIRS(MORE MORE), "v_add_co_ci_u32", ref_pairs);
}

/* ---- addresses that are made of pairs, in the loop and carried from round to round ---- */

/* By a pair that walks along the words, each of them and what it leads to. */
static void ref_walk(struct lift_state *s) {
    uint64_t exec = exec_of(s), base = (uint64_t)(uintptr_t)words;
    ACTIVE {
        uint32_t n = V(1) & 15, start = n;
        begin(s, l);
        for (uint32_t at = 0;; n--, at++) {
            next(s, l);
            V(20) += words[at] + words[words[at] & 31];
            V(21) = n - 1;
            if (!n)
                break;
        }
        add64(&V(26), &V(27), base, 4 * (start + 1));
        for (unsigned row = 22; row < 26; row++)
            V(row) = 0;
        V(37) = 0;
    }
    settle(s, exec);
}

/* `MOVE`, `HIGH`: the base's high half, moved in the loop or before. */
#define WALK(MOVE, HIGH)                                                                                                                   \
    BEGIN "v_mov_b32 v26, s26\nv_mov_b32 v27, s27\nv_mov_b32 v37, s27\nv_mov_b32 v23, 0\ns_mov_BN S6, 0\n" LOAD                            \
          "global_load_dword v22, v[26:27], off\ns_waitcnt0\nADD v20, v20, v22\nv_and_b32 v22, 31, v22\n"                                  \
          "v_lshlrev_b64 v[24:25], 2, v[22:23]\nv_add_co_u32 v24, VCC, s26, v24\n" MOVE "%s v25, VCC, " HIGH ", v25, VCC\n"                \
          "global_load_dword v22, v[24:25], off\ns_waitcnt0\nADD v20, v20, v22\nv_add_co_u32 v26, VCC, 4, v26\n"                           \
          "%s v27, VCC, 0, v27, VCC\n" COUNT "s_andn2_BN exec_N, exec_N, S6\n" LEAVE                                                       \
          "v_mov_b32 v22, 0\nv_mov_b32 v23, 0\nv_mov_b32 v37, 0\n" SETTLE

static void test_addresses(void) {
    check("gfx906,gfx90a", WALK("v_mov_b32 v22, s27\n", "v22"), "v_addc_co_u32", ref_walk);
    check("gfx1030", WALK("v_mov_b32 v22, s27\n", "v22"), "v_add_co_ci_u32", ref_walk);
    check("gfx906,gfx90a", WALK("", "v37"), "v_addc_co_u32", ref_walk);
    check("gfx1030", WALK("", "v37"), "v_add_co_ci_u32", ref_walk);
}

void test_lanes_alone(void) {
    words = lift_memory(4096);
    for (uint32_t i = 0; i < WORDS; i++)
        words[i] = (i + 1) * 0x9e3779b9u;
    test_masks();
    test_sums();
    test_addresses();
}
