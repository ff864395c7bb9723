/* Semantics: what instructions compute, as C functions compiled to bitcode at build time.
 *
 * semantics/ *.c define one function a mnemonic with the shape macros of semantics/semantics.h. The
 * build tool semantics/pack.c turns each into a small bitcode module of its own, whose function
 * takes and returns LLVM values instead of pointers (already optimized, marked alwaysinline), plus
 * a row of this index. Functions that exist in a host-specific variant have several rows.
 *
 * Value types in the packed function: vector functions use <16 x iN>, <16 x float>, ...; scalar
 * functions (SOP*) plain values. Several results come as a struct in the order of `results`. bf16 is passed as i16.
 *
 * Names that are no mnemonics, for the lifter to choose:
 *   NAME_exact               an approximate instruction, rounded correctly (semantics/exact.c)
 *   NAME_clamp               an integer instruction with the clamp modifier (saturating)
 *   NAME_after_fmas          v_div_fixup_f32/f64 whose first operand is a v_div_fmas result: the whole division, c / b
 *   v_quotient_u32           the division that a sequence of instructions amounts to (rewrite/divide.c)
 *   v_dot4_i32_i8_u8, ...    v_dot4_i32_iu8, v_dot8_i32_iu4 by the signs that neg_lo gives (semantics/dot.c)
 * v_fma_mix* and v_mad_mix* take f32 operands: the lifter has chosen the half and widened it. Rows with `requires` contain
 * x86 intrinsics on 512-bit vectors: generate code with 512-bit registers allowed ("+evex512", min-legal-vector-width 512). */
#ifndef WL_TRANSLATE_ISA_SEM_H
#define WL_TRANSLATE_ISA_SEM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum wl_type {
    WL_U32,
    WL_I32,
    WL_F32, /* one register */
    WL_U64,
    WL_I64,
    WL_F64, /* two registers, low first */
    WL_U16,
    WL_I16,
    WL_F16,
    WL_BF16, /* low half of a register (op_sel: the high half) */
    WL_PKU16,
    WL_PKI16,
    WL_PKF16,
    WL_PKBF16, /* two halves, passed as one 32-bit integer; VOP3P modifiers apply to each half */
    WL_PKF32,  /* a register pair as two f32; passed as 64-bit integer */
    WL_B8X4,   /* four bytes for dot products and sad: passed as 32-bit integer, no modifiers */
    WL_U96,
    WL_U128, /* rare: three, four registers; passed as iN */
    WL_MASK, /* lane predicate held in an SGPR (pair); passed as <16 x i32> of 0 and -1 */
    WL_SCC,  /* scalar functions: i32 0 or 1, the SCC bit; never printed as an operand */
    WL_TYPE_COUNT,
};

enum wl_role {
    WL_ROLE_PRINTED, /* the next operand of the text */
    WL_ROLE_OLD,     /* input: the destination's old value (v_fmac, SDWA-like preserving ops) */
    WL_ROLE_VCC,     /* implicit VCC as a mask (v_div_fmas, gfx9 VOP2 carry forms print it: then PRINTED) */
    WL_ROLE_SCC,     /* implicit SCC */
    WL_ROLE_EXEC,    /* implicit EXEC, scalar of wave width as u64 */
    WL_ROLE_M0,
    WL_ROLE_VCC_SCALAR,
    WL_ROLE_MODE, /* vector functions: the MODE register, in all lanes */
};

struct wl_slot {
    uint8_t type; /* enum wl_type */
    uint8_t role; /* enum wl_role */
};

#define WL_SEM_SLOTS 8

struct wl_sem {
    const char *name; /* canonical mnemonic */
    const char *
        requires; /* LLVM feature that the host must have ("avx512f"), or NULL */
    const void *bitcode;
    size_t bitcode_size;
    bool scalar; /* SALU */
    uint8_t result_count, input_count;
    struct wl_slot results[WL_SEM_SLOTS], inputs[WL_SEM_SLOTS]; /* in the order of the packed function */
};

/* The semantics of a canonical mnemonic; NULL if there are none. If several variants exist, the first one that `features`
 * (a comma-separated LLVM feature string, may be NULL) satisfies. Thread-safe. */
const struct wl_sem *wl_sem_find(const char *mnemonic, const char *features);
/* The same in any table of rows, sorted as the build tool does. */
const struct wl_sem *wl_sem_search(const struct wl_sem *rows, size_t count, const char *mnemonic, const char *features);
/* The semantics for one lane, as NVIDIA's threads run them: of vector functions, parameters and results are vectors of one
 * element. NULL if there are none. Thread-safe. (nvptx/sem.c) */
const struct wl_sem *wl_sem_find_lane(const char *mnemonic);
/* Which arithmetic is wanted. */
struct wl_sem_math {
    bool exact;    /* rounded correctly: NAME_exact */
    bool hardware; /* as the processor does it: NAME_hardware_PROCESSOR, NAME_hardware_gfx9, NAME_hardware */
    const char *processor;
    unsigned generation; /* its */
    bool flushes;        /* MODE may flush denormals of f32: NAME_flushed */
};
/* The name of a form of these semantics to look for before NAME itself, the `number`-th from 0 on, in `name`, of `size` bytes. False: there are no more. */
bool wl_sem_form_name(const struct wl_sem *sem, const struct wl_sem_math *math, unsigned number, char *name, size_t size);
/* The form of these semantics to use: the first of those that is there, else the best for these features. */
const struct wl_sem *wl_sem_choose(const struct wl_sem *sem, const struct wl_sem_math *math, const char *features);
/* All rows, for coverage tables. */
const struct wl_sem *wl_sem_table(size_t *count);

/* Registers that a value of this type occupies, and the bits of one lane's LLVM value. */
unsigned wl_type_registers(enum wl_type type);
unsigned wl_type_bits(enum wl_type type);
bool wl_type_is_float(enum wl_type type);

#endif
