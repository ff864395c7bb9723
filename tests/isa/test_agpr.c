/* AGPRs: moves to and from them, and as the data of memory instructions (gfx90a, gfx94x). */
#include "translate/lift_run.h"

#include <stdio.h>

#define ACTIVE                                                                                                                             \
    for (unsigned l = 0; l < lift_wave_size; l++)                                                                                          \
        if ((s->s[126] | (uint64_t)s->s[127] << 32) >> l & 1)
#define V(r) (s->v[r][l])

/* A write to an AGPR under a partial EXEC leaves the other lanes, which a later read under a full EXEC shows. */
static void moves(struct lift_state *s) {
    ACTIVE {
        V(5) = V(1);
        V(6) = 17;
        V(7) = V(2) ^ V(1);
    }
}

static void move_between(struct lift_state *s) { ACTIVE V(5) = V(1); }

static void inactive_lanes(struct lift_state *s) {
    s->s[4] = s->s[126];
    s->s[5] = s->s[127];
    for (unsigned l = 0; l < 64; l++) {
        V(5) = V(1);
        if ((s->s[126] | (uint64_t)s->s[127] << 32) >> l & 1)
            V(5) = V(2);
    }
}

static void pairs(struct lift_state *s) {
    ACTIVE {
        uint32_t low = V(1), high = V(2);
        V(5) = low;
        V(6) = high;
        V(7) = high;
    }
}

static void quads(struct lift_state *s) {
    ACTIVE {
        V(5) = V(1) & 0xffff;
        V(6) = V(4);
        V(7) = lift_lds_word(16 * (l ^ 5) + 16 * 64);
    }
}

static void through_flat(struct lift_state *s) {
    ACTIVE {
        V(2) = 4 * (l ^ 5);
        V(3) = 0x10000;
        V(5) = lift_lds_word(4 * (l ^ 5));
        V(6) = V(1);
    }
}

int main(void) {
    lift_start();
    lift_check("gfx908,gfx90a,gfx942",
               "v_accvgpr_write_b32 a3, v1\nv_accvgpr_write_b32 a200, 17\nv_accvgpr_read_b32 v5, a3\nv_accvgpr_read_b32 v6, a200\n"
               "v_xor_b32 v7, v2, v5\n",
               moves);
    lift_check("gfx90a,gfx942", "v_accvgpr_write_b32 a1, v1\nv_accvgpr_mov_b32 a255, a1\nv_accvgpr_read_b32 v5, a255\n", move_between);
    lift_check("gfx908,gfx90a,gfx942",
               "s_mov_b64 s[4:5], exec\ns_mov_b64 exec, -1\nv_accvgpr_write_b32 a9, v1\ns_mov_b64 exec, s[4:5]\n"
               "v_accvgpr_write_b32 a9, v2\ns_mov_b64 exec, -1\nv_accvgpr_read_b32 v5, a9\ns_mov_b64 exec, s[4:5]\n",
               inactive_lanes);
    lift_check("gfx90a,gfx942",
               "v_accvgpr_write_b32 a2, v1\nv_accvgpr_write_b32 a3, v2\nv_xor_b32 v5, 5, v0\nv_lshlrev_b32 v5, 3, v5\nds_write_b64 v5, "
               "a[2:3]\ns_waitcnt0\n"
               "ds_read_b64 a[10:11], v5\ns_waitcnt0\nds_read_b32 v7, v5 offset:4\ns_waitcnt0\nv_accvgpr_read_b32 v5, a10\n"
               "v_accvgpr_read_b32 v6, a11\n",
               pairs);
    lift_check("gfx90a,gfx942",
               "v_accvgpr_write_b32 a4, v1\nv_accvgpr_write_b32 a5, v2\nv_accvgpr_write_b32 a6, v3\nv_accvgpr_write_b32 a7, v4\n"
               "v_xor_b32 v5, 5, v0\nv_lshlrev_b32 v5, 4, v5\nds_write_b128 v5, a[4:7]\ns_waitcnt0\nds_read_u16 a8, v5\nds_read_b32 a9, v5 "
               "offset:12\n"
               "ds_read_b32 a10, v5 offset:1024\ns_waitcnt0\nv_accvgpr_read_b32 v5, a8\nv_accvgpr_read_b32 v6, a9\n"
               "v_accvgpr_read_b32 v7, a10\n",
               quads);
    lift_check(
        "gfx90a,gfx942",
        "v_xor_b32 v2, 5, v0\nv_lshlrev_b32 v2, 2, v2\nv_mov_b32 v3, 0x10000\nflat_load_dword a1, v[2:3]\ns_waitcnt vmcnt(0) lgkmcnt(0)\n"
        "v_accvgpr_read_b32 v5, a1\nv_accvgpr_write_b32 a2, v1\nflat_store_dword v[2:3], a2\ns_waitcnt vmcnt(0) lgkmcnt(0)\n"
        "ds_read_b32 v6, v2\ns_waitcnt0\n",
        through_flat);
    printf("%u runs, %u failures\n", lift_checks, lift_failures);
    return lift_failures != 0 || !lift_checks;
}
