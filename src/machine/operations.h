/* Operations that translated code names to the helpers (machine/helpers.h): atomics, and the permutations of DPP. */
#ifndef WL_MACHINE_OPERATIONS_H
#define WL_MACHINE_OPERATIONS_H

/* What an atomic makes of the old value and its data. */
enum wl_atomic_op {
    WL_ATOMIC_NONE,
    WL_ATOMIC_SWAP,
    WL_ATOMIC_CMPSWAP,
    WL_ATOMIC_ADD,
    WL_ATOMIC_SUB,
    WL_ATOMIC_RSUB,
    WL_ATOMIC_SMIN,
    WL_ATOMIC_UMIN,
    WL_ATOMIC_SMAX,
    WL_ATOMIC_UMAX,
    WL_ATOMIC_AND,
    WL_ATOMIC_OR,
    WL_ATOMIC_XOR,
    WL_ATOMIC_INC,
    WL_ATOMIC_DEC,
    WL_ATOMIC_FADD,
    WL_ATOMIC_FADD_FLUSH, /* f32 in memory on processors that flush denormals there, whatever MODE says */
    WL_ATOMIC_FMIN,
    WL_ATOMIC_FMAX,
    WL_ATOMIC_PK_ADD_F16,
    WL_ATOMIC_PK_ADD_BF16,
    WL_ATOMIC_CSUB,
    WL_ATOMIC_COND_SUB,
    WL_ATOMIC_MSKOR,
    WL_ATOMIC_FCMPSWAP,    /* compares as floating point */
    WL_ATOMIC_WRAP,        /* ds_wrap_rtn_b32: old >= data0 ? old - data0 : old + data1 */
    WL_ATOMIC_ORDERED_ADD, /* halves: where the low ones are equal, both grow: by 1, and by the data's high half */
};

/* Which lane a DPP operand comes from. */
enum wl_dpp_kind {
    WL_DPP_NONE,
    WL_DPP_QUAD_PERM,
    WL_DPP_ROW_SHL,
    WL_DPP_ROW_SHR,
    WL_DPP_ROW_ROR,
    WL_DPP_WAVE_SHL,
    WL_DPP_WAVE_ROL,
    WL_DPP_WAVE_SHR,
    WL_DPP_WAVE_ROR,
    WL_DPP_ROW_MIRROR,
    WL_DPP_ROW_HALF_MIRROR,
    WL_DPP_ROW_BCAST15,
    WL_DPP_ROW_BCAST31,
    WL_DPP_ROW_SHARE,
    WL_DPP_ROW_XMASK,
    WL_DPP_ROW_NEWBCAST,
    WL_DPP_DPP8
};

#endif
