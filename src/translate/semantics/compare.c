/* Vector unit: comparisons and classes. v_cmpx_* have the same meaning; the lifter writes their result to EXEC. */
#include "lanes_float.h"

#define COMPARE_INTEGERS(type)                                                                                                             \
    LANES2(v_cmp_f_##type, mask, type, type) { return CONVERT(masks, (a != a) & (b != b)); }                                               \
    LANES2(v_cmp_lt_##type, mask, type, type) { return CONVERT(masks, a < b); }                                                            \
    LANES2(v_cmp_eq_##type, mask, type, type) { return CONVERT(masks, a == b); }                                                           \
    LANES2(v_cmp_le_##type, mask, type, type) { return CONVERT(masks, a <= b); }                                                           \
    LANES2(v_cmp_gt_##type, mask, type, type) { return CONVERT(masks, a > b); }                                                            \
    LANES2(v_cmp_ne_##type, mask, type, type) { return CONVERT(masks, a != b); }                                                           \
    LANES2(v_cmp_ge_##type, mask, type, type) { return CONVERT(masks, a >= b); }                                                           \
    LANES2(v_cmp_t_##type, mask, type, type) { return CONVERT(masks, (a == a) & (b == b)); }
COMPARE_INTEGERS(i16)
COMPARE_INTEGERS(u16)
COMPARE_INTEGERS(i32)
COMPARE_INTEGERS(u32)
COMPARE_INTEGERS(i64)
COMPARE_INTEGERS(u64)

/* x(v) prepares an operand: halves are compared as f32, which holds them exactly. */
#define COMPARE_FLOATS(type, x)                                                                                                            \
    LANES2(v_cmp_f_##type, mask, type, type) { return CONVERT(masks, (x(a) < x(b)) & (x(a) != x(a))); }                                    \
    LANES2(v_cmp_lt_##type, mask, type, type) { return CONVERT(masks, x(a) < x(b)); }                                                      \
    LANES2(v_cmp_eq_##type, mask, type, type) { return CONVERT(masks, x(a) == x(b)); }                                                     \
    LANES2(v_cmp_le_##type, mask, type, type) { return CONVERT(masks, x(a) <= x(b)); }                                                     \
    LANES2(v_cmp_gt_##type, mask, type, type) { return CONVERT(masks, x(a) > x(b)); }                                                      \
    LANES2(v_cmp_lg_##type, mask, type, type) { return CONVERT(masks, (x(a) < x(b)) | (x(a) > x(b))); }                                    \
    LANES2(v_cmp_ge_##type, mask, type, type) { return CONVERT(masks, x(a) >= x(b)); }                                                     \
    LANES2(v_cmp_o_##type, mask, type, type) { return CONVERT(masks, (x(a) == x(a)) & (x(b) == x(b))); }                                   \
    LANES2(v_cmp_u_##type, mask, type, type) { return CONVERT(masks, (x(a) != x(a)) | (x(b) != x(b))); }                                   \
    LANES2(v_cmp_nge_##type, mask, type, type) { return CONVERT(masks, ~(x(a) >= x(b))); }                                                 \
    LANES2(v_cmp_nlg_##type, mask, type, type) { return CONVERT(masks, ~((x(a) < x(b)) | (x(a) > x(b)))); }                                \
    LANES2(v_cmp_ngt_##type, mask, type, type) { return CONVERT(masks, ~(x(a) > x(b))); }                                                  \
    LANES2(v_cmp_nle_##type, mask, type, type) { return CONVERT(masks, ~(x(a) <= x(b))); }                                                 \
    LANES2(v_cmp_neq_##type, mask, type, type) { return CONVERT(masks, x(a) != x(b)); }                                                    \
    LANES2(v_cmp_nlt_##type, mask, type, type) { return CONVERT(masks, ~(x(a) < x(b))); }                                                  \
    LANES2(v_cmp_t_##type, mask, type, type) { return CONVERT(masks, (x(a) < x(b)) | ~(x(a) < x(b))); }
#define SAME(v) (v)
COMPARE_FLOATS(f16, wide)
COMPARE_FLOATS(f32, SAME)
COMPARE_FLOATS(f64, SAME)

/* Classes: b has a bit for each of signalling NaN, quiet NaN, -infinity, -normal, -subnormal, -0, +0, +subnormal, +normal,
 * +infinity. Usually a constant, so that all but the wanted tests fold away. */
#define CLASS(type, bits_type, integer_type, infinity, quiet, smallest_normal, sign_bit)                                                   \
    LANES2(v_cmp_class_##type, mask, type, u32) {                                                                                          \
        const bits_type##s bits = (bits_type##s)a, magnitude = bits & (bits_type) ~(sign_bit);                                             \
        const masks negative = CONVERT(masks, (integer_type##s)bits < 0), positive = ~negative;                                            \
        const masks quiet_nan = CONVERT(masks, magnitude >= (bits_type)(quiet));                                                           \
        const masks nan = CONVERT(masks, magnitude > (bits_type)(infinity));                                                               \
        const masks infinite = CONVERT(masks, magnitude == (bits_type)(infinity));                                                         \
        const masks zero = CONVERT(masks, magnitude == 0);                                                                                 \
        const masks tiny = CONVERT(masks, magnitude < (bits_type)(smallest_normal));                                                       \
        const masks finite = CONVERT(masks, magnitude < (bits_type)(infinity));                                                            \
        const masks normal = finite & ~tiny, subnormal = tiny & ~zero;                                                                     \
        const masks wanted = (masks)b;                                                                                                     \
                                                                                                                                           \
        return (CHOSEN(0) & nan & ~quiet_nan) | (CHOSEN(1) & quiet_nan) | (CHOSEN(2) & negative & infinite) |                              \
               (CHOSEN(3) & negative & normal) | (CHOSEN(4) & negative & subnormal) | (CHOSEN(5) & negative & zero) |                      \
               (CHOSEN(6) & positive & zero) | (CHOSEN(7) & positive & subnormal) | (CHOSEN(8) & positive & normal) |                      \
               (CHOSEN(9) & positive & infinite);                                                                                          \
    }
#define CHOSEN(bit) ((wanted & 1 << (bit)) != 0)
CLASS(f16, u16, i16, 0x7c00, 0x7e00, 0x0400, 0x8000)
CLASS(f32, u32, i32, 0x7f800000, 0x7fc00000, 0x00800000, 0x80000000)
CLASS(f64, u64, i64, 0x7ff0000000000000, 0x7ff8000000000000, 0x0010000000000000, 0x8000000000000000)
