/* Lifted code: what modifies operands and results. DPP, SDWA, op_sel, mixed precision, signs by neg_lo, output modifiers. */
#include "lift_reference.h"

#include <stdlib.h>

/* ---- DPP ---- */

struct dpp {
    const char *control, *processors;
    int kind, n;
};

enum { QUAD, SHL, SHR, ROR, WSHL, WROL, WSHR, WROR, MIRROR, HALF_MIRROR, BCAST15, BCAST31, SHARE, XMASK, DPP8 };

static const struct dpp dpps[] = {
    {"quad_perm:[1,3,0,2]", EVERY, QUAD, 1 | 3 << 2 | 0 << 4 | 2 << 6},
    {"row_shl:1", EVERY, SHL, 1},
    {"row_shl:15", EVERY, SHL, 15},
    {"row_shr:3", EVERY, SHR, 3},
    {"row_ror:5", EVERY, ROR, 5},
    {"wave_shl:1", GFX9, WSHL, 0},
    {"wave_rol:1", GFX9, WROL, 0},
    {"wave_shr:1", GFX9, WSHR, 0},
    {"wave_ror:1", GFX9, WROR, 0},
    {"row_mirror", EVERY, MIRROR, 0},
    {"row_half_mirror", EVERY, HALF_MIRROR, 0},
    {"row_bcast:15", BOTH9, BCAST15, 0},
    {"row_bcast:31", BOTH9, BCAST31, 0},
    {"row_newbcast:6", "gfx90a,gfx942", SHARE, 6},
    {"row_share:9", NEWER, SHARE, 9},
    {"row_xmask:6", NEWER, XMASK, 6},
};

static const struct {
    const char *text;
    unsigned rows, banks;
    bool bound;
} dpp_masks[] = {{"row_mask:0xf bank_mask:0xf", 15, 15, false},
                 {"row_mask:0xf bank_mask:0xf bound_ctrl:1", 15, 15, true},
                 {"row_mask:0xa bank_mask:0x9", 10, 9, false},
                 {"row_mask:0x3 bank_mask:0x6 bound_ctrl:1", 3, 6, true}};

static struct {
    const struct dpp *dpp;
    unsigned rows, banks;
    bool bound;
} now_dpp;

static int dpp_source(int kind, int n, int lane) {
    int row = lane & ~15, in = lane & 15, last = (int)W - 1;
    switch (kind) {
    case QUAD:
        return (lane & ~3) + (n >> 2 * (lane & 3) & 3);
    case SHL:
        return in + n < 16 ? lane + n : -1;
    case SHR:
        return in >= n ? lane - n : -1;
    case ROR:
        return row + ((in + 16 - n) & 15);
    case WSHL:
        return lane == last ? -1 : lane + 1;
    case WROL:
        return (lane + 1) & last;
    case WSHR:
        return lane - 1;
    case WROR:
        return (lane + last) & last;
    case MIRROR:
        return row + 15 - in;
    case HALF_MIRROR:
        return (lane & ~7) + 7 - (lane & 7);
    case BCAST15:
        return row ? row - 1 : -1;
    case BCAST31:
        return lane >= 32 ? 31 : -1;
    case SHARE:
        return row + n;
    case XMASK:
        return row + (in ^ n);
    default:
        return (lane & ~7) + (n >> 3 * (lane & 7) & 7);
    }
}

/* The lane's source, or -1 if it is not written; *zero: it reads 0. */
static int dpp_lane(const struct lift_state *s, int lane, bool *zero) {
    int from = dpp_source(now_dpp.dpp->kind, now_dpp.dpp->n, lane);
    *zero = false;
    if (!(now_dpp.rows >> (lane >> 4) & 1) || !(now_dpp.banks >> (lane >> 2 & 3) & 1))
        return -1;
    if (from >= 0 && ON(from))
        return from;
    *zero = now_dpp.bound;
    return now_dpp.bound ? lane : -1;
}

static void ref_dpp(struct lift_state *s) {
    struct lift_state old = *s;
    ACTIVE {
        bool zero;
        int from = dpp_lane(&old, (int)l, &zero);
        if (from < 0)
            continue;
        uint32_t source = zero ? 0 : old.v[1][from];
        V(20) = source;
        V(21) = source - old.v[2][l];
    }
    old = *s; /* the next instruction reads lanes of what these wrote */
    ACTIVE {
        bool zero;
        int from = dpp_lane(&old, (int)l, &zero);
        if (from >= 0)
            V(22) = zero ? 0 : old.v[20][from];
    }
}

void test_dpp(void) {
    char text[512];
    for (unsigned i = 0; i < sizeof dpps / sizeof *dpps; i++)
        for (unsigned m = 0; m < sizeof dpp_masks / sizeof *dpp_masks; m++) {
            now_dpp.dpp = &dpps[i];
            now_dpp.rows = dpp_masks[m].rows;
            now_dpp.banks = dpp_masks[m].banks;
            now_dpp.bound = dpp_masks[m].bound;
            snprintf(text, sizeof text, "v_mov_b32_dpp v20, v1 %s %s\ns_nop 1\nSUB_dpp v21, v1, v2 %s %s\nv_mov_b32_dpp v22, v20 %s %s\n",
                     dpps[i].control, dpp_masks[m].text, dpps[i].control, dpp_masks[m].text, dpps[i].control, dpp_masks[m].text);
            lift_check(dpps[i].processors, text, ref_dpp);
        }
}

static void ref_dpp8(struct lift_state *s) {
    static const unsigned order[8] = {7, 0, 3, 3, 1, 2, 6, 5};
    struct lift_state old = *s;
    ACTIVE {
        unsigned from = (l & ~7u) + order[l & 7];
        V(20) = ON(from) ? old.v[1][from] : 0;
        V(21) = old.v[1][from];
    }
}

void test_dpp8(void) {
    lift_check(NEWER, "v_mov_b32_dpp v20, v1 dpp8:[7,0,3,3,1,2,6,5]\nv_mov_b32_dpp v21, v1 dpp8:[7,0,3,3,1,2,6,5] fi:1\n", ref_dpp8);
}

/* ---- SDWA ---- */

static const char *const sel_names[] = {"DWORD", "BYTE_0", "BYTE_1", "BYTE_2", "BYTE_3", "WORD_0", "WORD_1"};
static const char *const unused_names[] = {"UNUSED_PAD", "UNUSED_SEXT", "UNUSED_PRESERVE"};
static struct {
    unsigned dst, unused, a, b;
    bool sext;
} sdwa;

static uint32_t selected(uint32_t value, unsigned sel, bool sign) {
    if (!sel)
        return value;
    unsigned bits = sel <= 4 ? 8 : 16, shift = sel <= 4 ? 8 * (sel - 1) : 16 * (sel - 5);
    value = value >> shift << (32 - bits);
    return sign ? (uint32_t)((int32_t)value >> (32 - bits)) : value >> (32 - bits);
}

static void ref_sdwa(struct lift_state *s) {
    ACTIVE {
        uint32_t sum = selected(V(1), sdwa.a, sdwa.sext) + selected(V(2), sdwa.b, false);
        unsigned sel = sdwa.dst, bits = sel <= 4 ? 8 : 16, shift = sel <= 4 ? 8 * (sel - 1) : 16 * (sel - 5);
        if (!sel) {
            V(20) = sum;
            continue;
        }
        uint32_t field = (bits == 8 ? 0xffu : 0xffffu) << shift;
        if (sdwa.unused == 0)
            V(20) = sum << shift & field;
        else if (sdwa.unused == 1)
            V(20) = (uint32_t)((int32_t)(sum << (32 - bits)) >> (32 - bits)) << shift;
        else
            V(20) = (V(20) & ~field) | (sum << shift & field);
    }
}

void test_sdwa(void) {
    char text[256];
    for (unsigned i = 0; i < 7 * 3; i++) {
        sdwa.dst = i % 7;
        sdwa.unused = i / 7;
        sdwa.a = (i * 3 + 1) % 7;
        sdwa.b = (i * 5 + 2) % 7;
        sdwa.sext = i & 1;
        snprintf(text, sizeof text, "ADD_sdwa v20, %s, v2 dst_sel:%s dst_unused:%s src0_sel:%s src1_sel:%s\n",
                 sdwa.sext ? "sext(v1)" : "v1", sel_names[sdwa.dst], unused_names[sdwa.unused], sel_names[sdwa.a], sel_names[sdwa.b]);
        lift_check("gfx906,gfx1030", text, ref_sdwa);
    }
}

/* ---- op_sel ---- */

static unsigned now_sel;

static void ref_pk_add(struct lift_state *s) {
    ACTIVE {
        uint32_t a = V(1), b = V(2);
        uint32_t low = (now_sel & 1 ? a >> 16 : a) + (now_sel & 2 ? b >> 16 : b);
        uint32_t high = (now_sel & 4 ? a >> 16 : a) + (now_sel & 8 ? b >> 16 : b);
        V(20) = (low & 0xffff) | high << 16;
    }
}

static void ref_mad_u16(struct lift_state *s) {
    ACTIVE {
        uint32_t a = now_sel & 1 ? V(1) >> 16 : V(1), b = now_sel & 2 ? V(2) >> 16 : V(2), c = now_sel & 4 ? V(3) >> 16 : V(3);
        uint32_t sum = (a * b + c) & 0xffff;
        V(20) = now_sel & 8 ? (V(20) & 0xffff) | sum << 16 : (V(20) & 0xffff0000) | sum;
    }
}

void test_op_sel(void) {
    char text[256];
    for (now_sel = 0; now_sel < 16; now_sel++) {
        unsigned n = now_sel;
        snprintf(text, sizeof text, "v_pk_add_u16 v20, v1, v2 op_sel:[%u,%u] op_sel_hi:[%u,%u]\n", n & 1, n >> 1 & 1, n >> 2 & 1, n >> 3);
        lift_check(EVERY, text, ref_pk_add);
        snprintf(text, sizeof text, "v_mad_u16 v20, v1, v2, v3 op_sel:[%u,%u,%u,%u]\n", n & 1, n >> 1 & 1, n >> 2 & 1, n >> 3);
        lift_check("gfx906,gfx90a,gfx1030", text, ref_mad_u16);
    }
}

/* ---- mixed precision ---- */

static float mixed(uint32_t value, bool half, bool high, bool absolute, bool negate) {
    float f = half ? f16(high ? value >> 16 : value) : f32(value);
    f = absolute ? fabsf(f) : f;
    return negate ? -f : f;
}

static void ref_mix(struct lift_state *s) {
    ACTIVE {
        bool h = now_sel & 1, top = now_sel & 2, h3 = now_sel & 4;
        float a = mixed(V(10), h, top, false, true), b = mixed(V(11), true, !top, true, false), c = mixed(S(10), h3, top, false, false);
        float sum = fmaf(a, b, c);
        V(20) = bits32(sum);
        V(21) = (V(21) & 0xffff0000) | bits16(sum);
        V(22) = (V(22) & 0xffff) | bits16(sum) << 16;
        V(23) = bits32(fmaf(a, b, 1.0f));
    }
}

void test_mix(void) {
    char text[512], modifiers[64];
    for (now_sel = 0; now_sel < 8; now_sel++) {
        unsigned h = now_sel & 1, top = now_sel >> 1 & 1, h3 = now_sel >> 2;
        snprintf(modifiers, sizeof modifiers, "op_sel:[%u,%u,%u] op_sel_hi:[%u,1,%u]", h & top, !top, h3 & top, h, h3);
        int n = 0;
        static const char *const names[] = {"f32 v20", "lo_f16 v21", "hi_f16 v22"};
        for (unsigned i = 0; i < 3; i++)
            n += snprintf(text + n, sizeof text - (size_t)n, "v_fma_mix%s%s, -v10, |v11|, s10 %s\n", i ? "" : "_", names[i], modifiers);
        snprintf(text + n, sizeof text - (size_t)n, "v_fma_mix_f32 v23, -v10, |v11|, 1.0 op_sel:[%u,%u,0] op_sel_hi:[%u,1,%u]\n", h & top,
                 !top, h, h3);
        lift_check(EVERY, text, ref_mix);
    }
}

/* ---- dot products with signs by neg_lo ---- */

static void ref_dot(struct lift_state *s) {
    ACTIVE {
        int64_t sum = (int32_t)V(3), nibbles = (int32_t)V(3);
        for (unsigned i = 0; i < 4; i++)
            sum += (int64_t)(now_sel & 1 ? (int8_t)(V(1) >> 8 * i) : (uint8_t)(V(1) >> 8 * i)) *
                   (now_sel & 2 ? (int8_t)(V(2) >> 8 * i) : (uint8_t)(V(2) >> 8 * i));
        for (unsigned i = 0; i < 8; i++) {
            int a = V(1) >> 4 * i & 15, b = V(2) >> 4 * i & 15;
            nibbles += (now_sel & 1 && a > 7 ? a - 16 : a) * (now_sel & 2 && b > 7 ? b - 16 : b);
        }
        V(20) = (uint32_t)sum;
        V(21) = (uint32_t)(sum > INT32_MAX ? INT32_MAX : sum < INT32_MIN ? INT32_MIN : sum);
        V(22) = (uint32_t)nibbles;
    }
}

void test_dot(void) {
    char text[512];
    for (now_sel = 0; now_sel < 4; now_sel++) {
        char neg[32];
        snprintf(neg, sizeof neg, "neg_lo:[%u,%u,0]", now_sel & 1, now_sel >> 1);
        snprintf(text, sizeof text,
                 "v_dot4_i32_iu8 v20, v1, v2, v3 %s\nv_dot4_i32_iu8 v21, v1, v2, v3 %s clamp\nv_dot8_i32_iu4 v22, v1, v2, v3 %s\n", neg,
                 neg, neg);
        lift_check("gfx1100,gfx1200", text, ref_dot);
    }
}

/* ---- output modifiers ---- */

static float clamped(float f) { return f > 0 ? (f < 1 ? f : 1) : 0; }

static void ref_output(struct lift_state *s) {
    ACTIVE {
        V(20) = bits32(f32(V(10)) * f32(V(11)) * 2);
        V(21) = bits32(clamped((f32(V(10)) + f32(V(11))) * 0.5f));
        V(22) = (V(22) & 0xffff0000) | bits16(clamped((float)(_Float16)(f16(V(10)) + f16(V(11)))));
        V(23) = bits16(clamped((float)(_Float16)(f16(V(10)) + f16(V(11))))) |
                bits16(clamped((float)(_Float16)(f16(V(10) >> 16) + f16(V(11) >> 16)))) << 16;
        V(24) = bits32(-fabsf(f32(V(10))) * f32(V(11)));
    }
}

static void ref_output9(struct lift_state *s) {
    ref_output(s);
    ACTIVE V(22) &= 0xffff;
}

void test_output(void) {
    const char *text = "v_mul_f32 v20, v10, v11 mul:2\nv_add_f32 v21, v10, v11 clamp div:2\nv_add_f16 v22, v10, v11 clamp\n"
                       "v_pk_add_f16 v23, v10, v11 clamp\nv_mul_f32 v24, -|v10|, v11\n";
    lift_check("gfx1030,gfx1100", text, ref_output);
    lift_check(BOTH9, text, ref_output9);
}
