/* The lesser and the greater of two numbers that are held in f32. */
#ifndef WL_TRANSLATE_SEMANTICS_LANES_ORDER_H
#define WL_TRANSLATE_SEMANTICS_LANES_ORDER_H

#include "lanes_float.h"

/* See float32.c for the order; the sign of a zero decides ties. */
#define LESSER(wide_type, bits_type)                                                                                                       \
    const wide_type number = a == b ? (wide_type)((bits_type)a | (bits_type)b) : a < b ? a : b;                                            \
                                                                                                                                           \
    return b != b ? a : a != a ? b : number
#define GREATER(wide_type, bits_type)                                                                                                      \
    const wide_type number = a == b ? (wide_type)((bits_type)a & (bits_type)b) : a > b ? a : b;                                            \
                                                                                                                                           \
    return b != b ? a : a != a ? b : number
#define LEAST(wide_type, bits_type)                                                                                                        \
    const wide_type number = a == b ? (wide_type)((bits_type)a | (bits_type)b) : a < b ? a : b;                                            \
                                                                                                                                           \
    return (a != a) | (b != b) ? a + b : number
#define MOST(wide_type, bits_type)                                                                                                         \
    const wide_type number = a == b ? (wide_type)((bits_type)a & (bits_type)b) : a > b ? a : b;                                            \
                                                                                                                                           \
    return (a != a) | (b != b) ? a + b : number
static INLINE f32s lesser(f32s a, f32s b) { LESSER(f32s, u32s); }
static INLINE f32s greater(f32s a, f32s b) { GREATER(f32s, u32s); }
static INLINE f32s least(f32s a, f32s b) { LEAST(f32s, u32s); }
static INLINE f32s most(f32s a, f32s b) { MOST(f32s, u32s); }
static INLINE pkf32s lessers(pkf32s a, pkf32s b) { LESSER(pkf32s, pku32s); }
static INLINE pkf32s greaters(pkf32s a, pkf32s b) { GREATER(pkf32s, pku32s); }
static INLINE pkf32s leasts(pkf32s a, pkf32s b) { LEAST(pkf32s, pku32s); }
static INLINE pkf32s mosts(pkf32s a, pkf32s b) { MOST(pkf32s, pku32s); }

#endif
