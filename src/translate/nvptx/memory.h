/* Memory instructions for a thread of a GPU: one lane's accesses, LDS, blocks of registers, the global wave sync unit. */
#ifndef WL_TRANSLATE_NVPTX_MEMORY_H
#define WL_TRANSLATE_NVPTX_MEMORY_H

#include "translate/nvptx/ptx.h"

/* ---- nvptx/memory.c, nvptx/buffer.c, nvptx/atomic.c, nvptx/smem.c ---- */

/* One lane's access, ready to be made. */
struct wl_ptx_access {
    const struct wl_inst *inst;
    enum wl_ptx_space space;
    LLVMValueRef address;    /* i64; SHARED and LOCAL: i32 */
    int64_t offset;          /* bytes to add, constant */
    LLVMValueRef predicate;  /* i1 */
    LLVMValueRef lds;        /* i32: SHARED: the address within LDS, whose end is checked; NULL: it is known to be within */
    LLVMValueRef in_lds;     /* i1: `lds` counts only if this holds; NULL: it does */
    LLVMValueRef bytes_left; /* i64, signed: bytes from the address on that may be accessed; NULL: all. The predicate implies that the
                             * first element has room */
    bool is_volatile;
    bool looks_again; /* of a load: neither taken out of its loop nor answered by an earlier one (wl_inst.looks_again) */
    bool wide_scope;  /* atomics: .sys */
    int32_t stride;   /* bytes from lane to lane, where known; else 0 */
};
void wl_ptx_lift_memory(struct wl_lift *l, const struct wl_inst *inst);
/* Loads `count` dwords (or one element of `bits` 8 or 16, extended) to values[], where the predicate holds; others get `old`. */
void wl_ptx_load(struct wl_lift *l, const struct wl_ptx_access *access, unsigned bits, bool sign, unsigned count, LLVMValueRef *old,
                 LLVMValueRef *values);
void wl_ptx_store(struct wl_lift *l, const struct wl_ptx_access *access, unsigned bits, unsigned count, LLVMValueRef *values);
/* Finds the generic address of a flat one (i64), and whether it is in LDS. */
void wl_ptx_flat_address(struct wl_lift *l, LLVMValueRef address, struct wl_ptx_access *access);
/* Finds the address of a buffer access, and what is in range of it: linear buffers and scratch, without an index. */
void wl_ptx_buffer_address(struct wl_lift *l, const struct wl_inst *inst, struct wl_ptx_access *access);
/* The same of one that surely is scratch's (wl_inst.is_private). */
void wl_ptx_private_address(struct wl_lift *l, const struct wl_inst *inst, struct wl_ptx_access *access);
/* The same for a descriptor of any kind, with or without an index: `count` accesses of `bytes` bytes each, behind one another. */
void wl_ptx_buffer_places(struct wl_lift *l, const struct wl_inst *inst, unsigned count, unsigned bytes, struct wl_ptx_access *accesses);
/* i1: the descriptor is neither linear nor scratch's. */
LLVMValueRef wl_ptx_buffer_is_odd(struct wl_lift *l, const struct wl_inst *inst);
/* i1: `bytes` bytes of an access lie within LDS, or it goes elsewhere. A marker until wl_ptx_settle_lds; constant if `lds` is NULL. */
LLVMValueRef wl_ptx_within_lds(struct wl_lift *l, const struct wl_ptx_access *access, unsigned bytes);
/* i32: where LDS lies, plus an offset. */
LLVMValueRef wl_ptx_lds_address(struct wl_lift *l, LLVMValueRef offset);
/* i32: a lane's number within the wave, for the strip at hand. */
LLVMValueRef wl_ptx_wave_lane(struct wl_lift *l);
/* i32: `value` of thread `lane`. */
LLVMValueRef wl_ptx_shuffle(struct wl_lift *l, LLVMValueRef value, LLVMValueRef lane);
/* i64: a global, flat or scratch-less address without the instruction's offset, of its operands for address and base. */
LLVMValueRef wl_ptx_wide_address(struct wl_lift *l, const struct wl_inst *inst, const struct wl_operand *address,
                                 const struct wl_operand *scalar);
/* i32: where the scratch of the strip's lane lies. */
LLVMValueRef wl_ptx_scratch(struct wl_lift *l);
/* i32: a scratch address, likewise. */
LLVMValueRef wl_ptx_scratch_address(struct wl_lift *l, const struct wl_operand *address, const struct wl_operand *scalar);
/* Does an atomic on one lane; data, compare: i32 or i64. Returns the old value. */
LLVMValueRef wl_ptx_atomic(struct wl_lift *l, const struct wl_ptx_access *access, unsigned operation, unsigned bits, LLVMValueRef data,
                           LLVMValueRef compare, bool returns);
/* A lane's dword of LDS that an instruction between memory and LDS names: from M0 and the instruction's offset on, one for each lane. */
struct wl_ptx_access wl_ptx_lds_slot(struct wl_lift *l, const struct wl_inst *inst);
/* The threads of a warp wait for each other, and what they have done to memory is seen by all of them. Not where lanes may part. */
void wl_ptx_meet(struct wl_lift *l);
void wl_ptx_lift_smem(struct wl_lift *l, const struct wl_inst *inst);
/* Fences: what waits, invalidations and write-backs amount to. */
void wl_ptx_lift_nop(struct wl_lift *l, const struct wl_inst *inst);
/* Before a store or an atomic: publishes what came before, if something waited for it. */
void wl_ptx_publish(struct wl_lift *l);

/* ---- nvptx/lds.c ---- */
/* Lifts LDS instructions that are no plain load, store or atomic: two exchanges, two operands in LDS, conditional exchanges. */
void wl_ptx_lift_two_swaps(struct wl_lift *l, const struct wl_inst *inst);
void wl_ptx_lift_src2(struct wl_lift *l, const struct wl_inst *inst);
void wl_ptx_lift_conditional_exchange(struct wl_lift *l, const struct wl_inst *inst);
/* i32: the LDS element that M0 names (address in bits 15:0, type in 18:16). */
LLVMValueRef wl_ptx_lds_direct(struct wl_lift *l);

/* ---- nvptx/block.c ---- */
/* Lift gfx12's loads that transpose, and blocks of up to 32 registers. */
void wl_ptx_lift_transposed(struct wl_lift *l, const struct wl_inst *inst);
/* ds_read_b64_tr_b*, ds_read_b96_tr_b6. */
void wl_ptx_lift_lds_transposed(struct wl_lift *l, const struct wl_inst *inst);
void wl_ptx_lift_ir_block(struct wl_lift *l, const struct wl_inst *inst);

/* ---- nvptx/gws.c ---- */
/* Lifts a ds_gws_*. */
void wl_ptx_lift_gws(struct wl_lift *l, const struct wl_inst *inst);

#endif
