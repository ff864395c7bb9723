/* Vector unit: f32 arithmetic. */
#include "semantics.h"

LANES2(v_add_f32, f32, f32, f32) { return a + b; }
LANES2(v_sub_f32, f32, f32, f32) { return a - b; }
LANES2(v_subrev_f32, f32, f32, f32) { return b - a; }
LANES2(v_mul_f32, f32, f32, f32) { return a * b; }
LANES3(v_fma_f32, f32, f32, f32, f32) { return fma_lanes(a, b, c); }
LANES3(v_fmaak_f32, f32, f32, f32, f32) { return fma_lanes(a, b, c); }
LANES3(v_fmamk_f32, f32, f32, f32, f32) { return fma_lanes(a, b, c); }
LANES2_OLD(v_fmac_f32, f32, f32, f32) { return fma_lanes(a, b, c); }
