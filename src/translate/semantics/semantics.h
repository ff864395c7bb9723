/* semantics/: what instructions compute, one short C function a mnemonic:
 *
 *     LANES2(v_xor_b32, u32, u32, u32) { return a ^ b; }
 *
 *   in    C functions, each written with a shape macro of this header
 *   out   a bitcode module and a row of wl_sem_table (isa/sem.h) for each, made by pack.c; the same functions as native code, for
 *         threaded code
 *
 * A shape macro takes the mnemonic, the result's type and the types of the operands in the order in which the disassembler
 * prints them, and gives the parameters their names: a, b, c for printed sources. It makes both the C function and the
 * signature string from which pack.c builds the row of wl_sem_table, so the two cannot differ.
 *
 * Types: each type T of sem.h has a strip form Ts (one value a lane) and, for the scalar unit, the plain form T. Halves of
 * packed types are elements: pkf16s has two f16 a lane. A mask's elements are 0 and -1, which is what comparisons of
 * vectors give. `m ? x : y` chooses per lane.
 *
 * This is the vector dialect that GCC and clang share (ext_vector_type), compiled by clang; WL_LANES is the strip's width.
 * No tables, no calls, no memory, no static data: what is written here is inlined into kernels. */
#ifndef WL_TRANSLATE_SEMANTICS_H
#define WL_TRANSLATE_SEMANTICS_H

#include <stdint.h>

#ifndef WL_LANES
#define WL_LANES 16
#endif

#pragma clang diagnostic ignored "-Wpsabi"
#pragma clang diagnostic ignored "-Wbitwise-conditional-parentheses"

typedef uint8_t u8;
typedef int8_t i8;
typedef uint16_t u16;
typedef int16_t i16;
typedef uint32_t u32;
typedef int32_t i32;
typedef uint64_t u64;
typedef int64_t i64;
typedef _Float16 f16;
typedef uint16_t bf16; /* as bits */
typedef float f32;
typedef double f64;

#define STRIP(type, per_lane) __attribute__((ext_vector_type(WL_LANES * (per_lane)))) type
typedef STRIP(u16, 1) u16s;
typedef STRIP(i16, 1) i16s;
typedef STRIP(f16, 1) f16s;
typedef STRIP(u16, 1) bf16s;
typedef STRIP(u32, 1) u32s;
typedef STRIP(i32, 1) i32s;
typedef STRIP(f32, 1) f32s;
typedef STRIP(u64, 1) u64s;
typedef STRIP(i64, 1) i64s;
typedef STRIP(f64, 1) f64s;
typedef STRIP(u16, 2) pku16s;
typedef STRIP(i16, 2) pki16s;
typedef STRIP(f16, 2) pkf16s;
typedef STRIP(u32, 1) pkbf16s; /* as bits: the low half is the first element */
typedef STRIP(f32, 2) pkf32s;
typedef STRIP(u32, 1) b8x4s; /* as bits: the low byte is the first element */
typedef i32s masks;
typedef STRIP(u32, 2) pku32s; /* bits of pkf32s and, as the two results of one packed operation, of pkf16s */
typedef STRIP(i8, 1) i8s;

#define INLINE __attribute__((always_inline)) inline

/* Value conversion, lane by lane; (u32s)x reinterprets bits, as casts between vectors of one size do. */
#define CONVERT(type, x) __builtin_convertvector(x, type)
/* A vector of one constant. */
#define ALL(type, x) ((type##s)(type)(x))

/* Signature: unit (v or s); needed host features; results; inputs; each slot is a type, with its role if that is not PRINTED. */
#define SIGNATURE(symbol, unit, features, results, inputs)                                                                                 \
    extern const char wl_signature_##symbol[];                                                                                             \
    const char wl_signature_##symbol[] = unit ";" features ";" results ";" inputs;

/* Functions on lanes. */
#define LANES1_AS(symbol, features, R, A)                                                                                                  \
    SIGNATURE(symbol, "v", features, #R, #A)                                                                                               \
    static INLINE R##s symbol##_(A##s a);                                                                                                  \
    void symbol(R##s *d, const A##s *a);                                                                                                   \
    void symbol(R##s *d, const A##s *a) { *d = symbol##_(*a); }                                                                            \
    static INLINE R##s symbol##_(A##s a)
#define LANES2_AS(symbol, features, R, A, B)                                                                                               \
    SIGNATURE(symbol, "v", features, #R, #A "," #B)                                                                                        \
    static INLINE R##s symbol##_(A##s a, B##s b);                                                                                          \
    void symbol(R##s *d, const A##s *a, const B##s *b);                                                                                    \
    void symbol(R##s *d, const A##s *a, const B##s *b) { *d = symbol##_(*a, *b); }                                                         \
    static INLINE R##s symbol##_(A##s a, B##s b)
#define LANES3_AS(symbol, features, inputs, R, A, B, C)                                                                                    \
    SIGNATURE(symbol, "v", features, #R, inputs)                                                                                           \
    static INLINE R##s symbol##_(A##s a, B##s b, C##s c);                                                                                  \
    void symbol(R##s *d, const A##s *a, const B##s *b, const C##s *c);                                                                     \
    void symbol(R##s *d, const A##s *a, const B##s *b, const C##s *c) { *d = symbol##_(*a, *b, *c); }                                      \
    static INLINE R##s symbol##_(A##s a, B##s b, C##s c)

#define LANES1(name, R, A)       LANES1_AS(name, "", R, A)
#define LANES2(name, R, A, B)    LANES2_AS(name, "", R, A, B)
#define LANES3(name, R, A, B, C) LANES3_AS(name, "", #A "," #B "," #C, R, A, B, C)
/* The destination's old value is c (b with one source). */
#define LANES1_OLD(name, R, A)                                                                                                             \
    SIGNATURE(name, "v", "", #R, #A ",old:" #R)                                                                                            \
    static INLINE R##s name##_(A##s a, R##s b);                                                                                            \
    void name(R##s *d, const A##s *a, const R##s *b);                                                                                      \
    void name(R##s *d, const A##s *a, const R##s *b) { *d = name##_(*a, *b); }                                                             \
    static INLINE R##s name##_(A##s a, R##s b)
#define LANES2_OLD(name, R, A, B) LANES3_AS(name, "", #A "," #B ",old:" #R, R, A, B, R)
#define LANES4(name, R, A, B, C, D)                                                                                                        \
    SIGNATURE(name, "v", "", #R, #A "," #B "," #C "," #D)                                                                                  \
    static INLINE R##s name##_(A##s a, B##s b, C##s c, D##s d);                                                                            \
    void name(R##s *r, const A##s *a, const B##s *b, const C##s *c, const D##s *d);                                                        \
    void name(R##s *r, const A##s *a, const B##s *b, const C##s *c, const D##s *d) { *r = name##_(*a, *b, *c, *d); }                       \
    static INLINE R##s name##_(A##s a, B##s b, C##s c, D##s d)
/* MODE is the last parameter. */
#define LANES1_MODE(name, R, A)                                                                                                            \
    SIGNATURE(name, "v", "", #R, #A ",mode:u32")                                                                                           \
    static INLINE R##s name##_(A##s a, u32s mode);                                                                                         \
    void name(R##s *d, const A##s *a, const u32s *mode);                                                                                   \
    void name(R##s *d, const A##s *a, const u32s *mode) { *d = name##_(*a, *mode); }                                                       \
    static INLINE R##s name##_(A##s a, u32s mode)
#define LANES2_MODE(name, R, A, B)                                                                                                         \
    SIGNATURE(name, "v", "", #R, #A "," #B ",mode:u32")                                                                                    \
    static INLINE R##s name##_(A##s a, B##s b, u32s mode);                                                                                 \
    void name(R##s *d, const A##s *a, const B##s *b, const u32s *mode);                                                                    \
    void name(R##s *d, const A##s *a, const B##s *b, const u32s *mode) { *d = name##_(*a, *b, *mode); }                                    \
    static INLINE R##s name##_(A##s a, B##s b, u32s mode)
/* Implicit VCC as a mask. */
#define LANES3_VCC(name, R, A, B, C)                                                                                                       \
    SIGNATURE(name, "v", "", #R, #A "," #B "," #C ",vcc:mask")                                                                             \
    static INLINE R##s name##_(A##s a, B##s b, C##s c, masks vcc);                                                                         \
    void name(R##s *d, const A##s *a, const B##s *b, const C##s *c, const masks *vcc);                                                     \
    void name(R##s *d, const A##s *a, const B##s *b, const C##s *c, const masks *vcc) { *d = name##_(*a, *b, *c, *vcc); }                  \
    static INLINE R##s name##_(A##s a, B##s b, C##s c, masks vcc)
/* A second result, the mask *m. */
#define LANES2_MASK(name, R, A, B)                                                                                                         \
    SIGNATURE(name, "v", "", #R ",mask", #A "," #B)                                                                                        \
    static INLINE R##s name##_(masks *m, A##s a, B##s b);                                                                                  \
    void name(R##s *d, masks *m, const A##s *a, const B##s *b);                                                                            \
    void name(R##s *d, masks *m, const A##s *a, const B##s *b) { *d = name##_(m, *a, *b); }                                                \
    static INLINE R##s name##_(masks *m, A##s a, B##s b)
#define LANES3_MASK(name, R, A, B, C)                                                                                                      \
    SIGNATURE(name, "v", "", #R ",mask", #A "," #B "," #C)                                                                                 \
    static INLINE R##s name##_(masks *m, A##s a, B##s b, C##s c);                                                                          \
    void name(R##s *d, masks *m, const A##s *a, const B##s *b, const C##s *c);                                                             \
    void name(R##s *d, masks *m, const A##s *a, const B##s *b, const C##s *c) { *d = name##_(m, *a, *b, *c); }                             \
    static INLINE R##s name##_(masks *m, A##s a, B##s b, C##s c)

/* A variant of `name` for hosts that have LLVM's `features` (a string). Of several, the one whose features sort last is preferred. The
 * compiler may use them everywhere (CMakeLists.txt), but only builtins do: pack.c forgets what the code was compiled for. */
#if defined(__AVX512F__) && WL_LANES == 16
#define WL_AVX512                                 1
#define LANES1_AVX512(name, features, R, A)       LANES1_AS(name##__avx512, features, R, A)
#define LANES2_AVX512(name, features, R, A, B)    LANES2_AS(name##__avx512, features, R, A, B)
#define LANES3_AVX512(name, features, R, A, B, C) LANES3_AS(name##__avx512, features, #A "," #B "," #C, R, A, B, C)
#endif

/* Functions of the scalar unit. */
#define SCALAR1(name, R, A)                                                                                                                \
    SIGNATURE(name, "s", "", #R, #A)                                                                                                       \
    static INLINE R name##_(A a);                                                                                                          \
    void name(R *d, const A *a);                                                                                                           \
    void name(R *d, const A *a) { *d = name##_(*a); }                                                                                      \
    static INLINE R name##_(A a)
#define SCALAR1_OLD(name, R, A)                                                                                                            \
    SIGNATURE(name, "s", "", #R, #A ",old:" #R)                                                                                            \
    static INLINE R name##_(A a, R old);                                                                                                   \
    void name(R *d, const A *a, const R *old);                                                                                             \
    void name(R *d, const A *a, const R *old) { *d = name##_(*a, *old); }                                                                  \
    static INLINE R name##_(A a, R old)
#define SCALAR1_OLD_IF_SCC(name, R, A)                                                                                                     \
    SIGNATURE(name, "s", "", #R, #A ",old:" #R ",scc:scc")                                                                                 \
    static INLINE R name##_(A a, R old, u32 scc);                                                                                          \
    void name(R *d, const A *a, const R *old, const u32 *scc);                                                                             \
    void name(R *d, const A *a, const R *old, const u32 *scc) { *d = name##_(*a, *old, *scc); }                                            \
    static INLINE R name##_(A a, R old, u32 scc)
#define SCALAR2(name, R, A, B)                                                                                                             \
    SIGNATURE(name, "s", "", #R, #A "," #B)                                                                                                \
    static INLINE R name##_(A a, B b);                                                                                                     \
    void name(R *d, const A *a, const B *b);                                                                                               \
    void name(R *d, const A *a, const B *b) { *d = name##_(*a, *b); }                                                                      \
    static INLINE R name##_(A a, B b)
#define SCALAR2_OLD(name, R, A, B)                                                                                                         \
    SIGNATURE(name, "s", "", #R, #A "," #B ",old:" #R)                                                                                     \
    static INLINE R name##_(A a, B b, R old);                                                                                              \
    void name(R *d, const A *a, const B *b, const R *old);                                                                                 \
    void name(R *d, const A *a, const B *b, const R *old) { *d = name##_(*a, *b, *old); }                                                  \
    static INLINE R name##_(A a, B b, R old)
#define SCALAR3(name, R, A, B, C)                                                                                                          \
    SIGNATURE(name, "s", "", #R, #A "," #B "," #C)                                                                                         \
    static INLINE R name##_(A a, B b, C c);                                                                                                \
    void name(R *d, const A *a, const B *b, const C *c);                                                                                   \
    void name(R *d, const A *a, const B *b, const C *c) { *d = name##_(*a, *b, *c); }                                                      \
    static INLINE R name##_(A a, B b, C c)
#define SCALAR2_IF_SCC(name, R, A, B)                                                                                                      \
    SIGNATURE(name, "s", "", #R, #A "," #B ",scc:scc")                                                                                     \
    static INLINE R name##_(A a, B b, u32 scc);                                                                                            \
    void name(R *d, const A *a, const B *b, const u32 *scc);                                                                               \
    void name(R *d, const A *a, const B *b, const u32 *scc) { *d = name##_(*a, *b, *scc); }                                                \
    static INLINE R name##_(A a, B b, u32 scc)
/* SCC is a second result, *scc. */
#define SCALAR1_SCC(name, R, A)                                                                                                            \
    SIGNATURE(name, "s", "", #R ",scc:scc", #A)                                                                                            \
    static INLINE R name##_(u32 *scc, A a);                                                                                                \
    void name(R *d, u32 *scc, const A *a);                                                                                                 \
    void name(R *d, u32 *scc, const A *a) { *d = name##_(scc, *a); }                                                                       \
    static INLINE R name##_(u32 *scc, A a)
#define SCALAR2_SCC(name, R, A, B)                                                                                                         \
    SIGNATURE(name, "s", "", #R ",scc:scc", #A "," #B)                                                                                     \
    static INLINE R name##_(u32 *scc, A a, B b);                                                                                           \
    void name(R *d, u32 *scc, const A *a, const B *b);                                                                                     \
    void name(R *d, u32 *scc, const A *a, const B *b) { *d = name##_(scc, *a, *b); }                                                       \
    static INLINE R name##_(u32 *scc, A a, B b)
/* SCC goes in as the carry, and out. */
#define SCALAR2_CARRY(name, R, A, B)                                                                                                       \
    SIGNATURE(name, "s", "", #R ",scc:scc", #A "," #B ",scc:scc")                                                                          \
    static INLINE R name##_(u32 *scc, A a, B b, u32 carry);                                                                                \
    void name(R *d, u32 *scc, const A *a, const B *b, const u32 *carry);                                                                   \
    void name(R *d, u32 *scc, const A *a, const B *b, const u32 *carry) { *d = name##_(scc, *a, *b, *carry); }                             \
    static INLINE R name##_(u32 *scc, A a, B b, u32 carry)
/* SCC is the only result. */
#define SCALAR_TEST(name, A, B)                                                                                                            \
    SIGNATURE(name, "s", "", "scc:scc", #A "," #B)                                                                                         \
    static INLINE u32 name##_(A a, B b);                                                                                                   \
    void name(u32 *d, const A *a, const B *b);                                                                                             \
    void name(u32 *d, const A *a, const B *b) { *d = name##_(*a, *b); }                                                                    \
    static INLINE u32 name##_(A a, B b)

/* LLVM operations that clang has no builtin for. pack.c gives llvm_OPERATION_TYPE its body. */
#define LLVM1(operation, R, A)                                                                                                             \
    void llvm_##operation##_##R##_##A(R##s *d, const A##s *a);                                                                             \
    static INLINE R##s operation##_##R##_##A(A##s a) {                                                                                     \
        R##s d;                                                                                                                            \
        llvm_##operation##_##R##_##A(&d, &a);                                                                                              \
        return d;                                                                                                                          \
    }
LLVM1(ctpop, u32, u32)
LLVM1(ctlz, u32, u32)
LLVM1(cttz, u32, u32)
LLVM1(fptosisat, i32, f32) /* NaN gives 0, what does not fit the nearest integer that does */
LLVM1(fptouisat, u32, f32)
LLVM1(fptosisat, i32, f64)
LLVM1(fptouisat, u32, f64)
/* The value itself, about which LLVM forgets where it came from. Without it the widening of halves to f32 is undone by LLVM's
 * combiner, and what remains are operations on vectors of halves, which few hosts have: they end as scalar code. */
LLVM1(fence, f32, f32)
LLVM1(fence, pkf32, pkf32)
#define popcount(x)       ctpop_u32_u32(x)
#define leading_zeros(x)  ctlz_u32_u32(x) /* 32 for 0 */
#define trailing_zeros(x) cttz_u32_u32(x) /* 32 for 0 */

#define min(a, b)           __builtin_elementwise_min(a, b)
#define max(a, b)           __builtin_elementwise_max(a, b)
#define add_saturated(a, b) __builtin_elementwise_add_sat(a, b)
#define sub_saturated(a, b) __builtin_elementwise_sub_sat(a, b)

/* Multiply-add with one rounding, and square root: they name the operation of vectors and, by suffix, of scalars. */
#define fma_lanes(a, b, c) __builtin_elementwise_fma(a, b, c)
#define sqrt_lanes(a)      __builtin_elementwise_sqrt(a)

#endif
