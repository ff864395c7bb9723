/* What references of lifted code are written with: s is the state that they change. */
#ifndef WL_TESTS_LIFT_REFERENCE_H
#define WL_TESTS_LIFT_REFERENCE_H

#include "lift_run.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define W      lift_wave_size
#define V(r)   (s->v[r][l])
#define S(r)   (s->s[r])
#define ON(l)  (exec_of(s) >> (l) & 1)
#define LANES  for (unsigned l = 0; l < W; l++)
#define ACTIVE LANES if (ON(l))
#define GFX9   "gfx906"
#define BOTH9  "gfx906,gfx90a"
#define GFX10  "gfx1030"
#define NEW    "gfx1030,gfx1100"
#define NEWER  "gfx1030,gfx1100,gfx1200"
#define EVERY  "gfx906,gfx90a,gfx942,gfx1030,gfx1100,gfx1200"

static inline uint64_t exec_of(const struct lift_state *s) { return W == 64 ? s->s[126] | (uint64_t)s->s[127] << 32 : s->s[126]; }
static inline uint64_t mask_of(const struct lift_state *s, unsigned reg) {
    return W == 64 ? s->s[reg] | (uint64_t)s->s[reg + 1] << 32 : s->s[reg];
}

static inline void set_mask(struct lift_state *s, unsigned reg, uint64_t mask) {
    s->s[reg] = (uint32_t)mask;
    if (W == 64)
        s->s[reg + 1] = (uint32_t)(mask >> 32);
}

static inline float f32(uint32_t bits) {
    float f;
    memcpy(&f, &bits, 4);
    return f;
}

static inline uint32_t bits32(float f) {
    uint32_t bits;
    memcpy(&bits, &f, 4);
    return bits;
}

static inline float f16(uint32_t bits) {
    _Float16 h;
    uint16_t low = (uint16_t)bits;
    memcpy(&h, &low, 2);
    return (float)h;
}

static inline uint32_t bits16(float f) {
    _Float16 h = (_Float16)f;
    uint16_t bits;
    memcpy(&bits, &h, 2);
    return bits;
}

/* ---- test_lift_control.c ---- */
void test_indexed(void);
void test_calls(void);
void test_branches(void);
void test_mode(void);
void test_denormals(void);
void test_division(void);

/* ---- test_lift_loops.c ---- */
void test_loops(void);

/* ---- test_lift_lanes.c ---- */
void test_lanes_alone(void);

/* ---- test_lift_modifiers.c ---- */
void test_dpp(void);
void test_dpp8(void);
void test_sdwa(void);
void test_op_sel(void);
void test_mix(void);
void test_dot(void);
void test_output(void);

#endif
