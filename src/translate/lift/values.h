/* Values while a unit is lifted: scalar registers, the wave's fields, vectors of a strip's lanes, and blocks. */
#ifndef WL_TRANSLATE_LIFT_VALUES_H
#define WL_TRANSLATE_LIFT_VALUES_H

#include "translate/lift/state.h"

/* ---- lift.c ---- */
LLVMValueRef wl_lift_wave_pointer(struct wl_lift *l, uint64_t offset);               /* of a byte of struct wl_wave */
LLVMValueRef wl_lift_wave_field(struct wl_lift *l, size_t offset, LLVMTypeRef type); /* loads wave + offset */
LLVMValueRef wl_lift_row_address(struct wl_lift *l, unsigned row);                   /* ptr to row's lane 0 */
/* Calls wave->helpers' function at `offset` (offsetof(struct wl_helpers, ...)) with these arguments. EXEC is stored to the wave first. */
LLVMValueRef wl_lift_call_helper(struct wl_lift *l, size_t offset, LLVMTypeRef result, LLVMValueRef *arguments, unsigned count);
/* The same for a helper that works on rows in memory, and returns nothing. The vector region must be flushed. */
void wl_lift_call_on_rows(struct wl_lift *l, size_t offset, LLVMValueRef *arguments, unsigned count);

LLVMValueRef wl_lift_alloca(struct wl_lift *l, LLVMTypeRef type, unsigned alignment, const char *name); /* in the entry block */
/* The same for a variable that stays in memory, aligned to 64 bytes. */
LLVMValueRef wl_lift_kept_alloca(struct wl_lift *l, LLVMTypeRef type);
/* Keeps the optimizer from taking an alloca apart: its address goes somewhere. */
void wl_lift_keep_whole(struct wl_lift *l, LLVMValueRef alloca);
/* Calls an overloaded LLVM intrinsic ("llvm.ctpop") for `types`. */
LLVMValueRef wl_lift_intrinsic(struct wl_lift *l, const char *name, LLVMTypeRef *types, unsigned type_count, LLVMValueRef *arguments,
                               unsigned argument_count);
/* Loads and stores elements where the mask (<n x i1>) is set, at a pointer or at a vector of them; others are loaded as 0. */
LLVMValueRef wl_lift_masked_load(struct wl_lift *l, LLVMTypeRef type, LLVMValueRef where, unsigned alignment, LLVMValueRef mask);
LLVMValueRef wl_lift_masked_store(struct wl_lift *l, LLVMValueRef value, LLVMValueRef where, unsigned alignment, LLVMValueRef mask);
/* Marks an access of program memory (LDS, scratch, global) or of struct wl_wave: the two never alias. (lift/memory/address.c) */
void wl_lift_mark_memory(struct wl_lift *l, LLVMValueRef access);
void wl_lift_mark_wave(struct wl_lift *l, LLVMValueRef access);

/* ---- inst/scalar.c: builder outside or inside a strip loop ---- */
LLVMValueRef wl_lift_sgpr(struct wl_lift *l, unsigned reg);   /* i32 */
LLVMValueRef wl_lift_sgpr64(struct wl_lift *l, unsigned reg); /* i64 of reg, reg + 1 */
void wl_lift_set_sgpr(struct wl_lift *l, unsigned reg, LLVMValueRef value);
void wl_lift_set_sgpr64(struct wl_lift *l, unsigned reg, LLVMValueRef value);
LLVMValueRef wl_lift_scalar_operand(struct wl_lift *l, const struct wl_operand *operand, enum wl_type type);
/* A register, or a pair where waves have 64 lanes: wave_mask. */
LLVMValueRef wl_lift_wide_scalar(struct wl_lift *l, unsigned reg);
void wl_lift_set_wide_scalar(struct wl_lift *l, unsigned reg, LLVMValueRef value);
/* mask_type: a register (pair) as a mask, of all that the form is for. */
static inline LLVMValueRef wl_lift_mask(struct wl_lift *l, unsigned reg) { return l->form->mask(l, reg); }
LLVMValueRef wl_lift_exec(struct wl_lift *l);                                     /* mask_type */
LLVMValueRef wl_lift_next_address(struct wl_lift *l, const struct wl_inst *inst); /* i64: what s_getpc gives, and return addresses */
/* Lifts a scalar instruction that has no semantics function and is no end of a basic block; false: it is of another class. */
bool wl_lift_scalar(struct wl_lift *l, const struct wl_inst *inst);

/* ---- values of a strip (forms/strip.c, lanes.c): only within emit ---- */
static inline LLVMValueRef wl_strip_row(struct wl_lift *l, unsigned row) { return l->form->row(l, row); }
static inline LLVMValueRef wl_strip_row_all_lanes(struct wl_lift *l, unsigned row) { return l->form->row_all_lanes(l, row); }
static inline LLVMValueRef wl_strip_pair(struct wl_lift *l, unsigned row) { return l->form->pair(l, row); }
static inline void wl_strip_set_row(struct wl_lift *l, unsigned row, LLVMValueRef value) { l->form->set_row(l, row, value); }
static inline void wl_strip_set_pair(struct wl_lift *l, unsigned row, LLVMValueRef value) { l->form->set_pair(l, row, value); }
static inline LLVMValueRef wl_strip_of_mask(struct wl_lift *l, LLVMValueRef mask) { return l->form->of_mask(l, mask); }
/* Sets a mask made by the item being emitted. Inactive lanes become 0 when the vector region ends. */
static inline void wl_strip_set_mask(struct wl_lift *l, unsigned reg, LLVMValueRef lanes) { l->form->set_mask(l, reg, lanes); }
static inline LLVMValueRef wl_strip_join(struct wl_lift *l, LLVMValueRef low, LLVMValueRef high) { return l->form->join(l, low, high); }
/* A strip's bits of a wave's mask, as i16. */
LLVMValueRef wl_strip_slice(struct wl_lift *l, LLVMValueRef mask, LLVMValueRef strip);
/* What the form knows of registers (form.h); NULL: nothing. */
static inline LLVMValueRef wl_known_uniform(struct wl_lift *l, unsigned row) { return l->form->uniform ? l->form->uniform(l, row) : NULL; }
static inline LLVMValueRef wl_known_first_index(struct wl_lift *l, unsigned row) {
    return l->form->first_index ? l->form->first_index(l, row) : NULL;
}
static inline LLVMValueRef wl_known_base(struct wl_lift *l, const struct wl_operand *low, const struct wl_operand *high) {
    return l->form->base ? l->form->base(l, low, high) : NULL;
}
/* A row pair's value if it exists as one, else NULL. */
LLVMValueRef wl_strip_known_pair(const struct wl_lift *l, unsigned row);
LLVMValueRef wl_strip_splat(struct wl_lift *l, LLVMValueRef scalar); /* <16 x T>; also in slow functions */
LLVMValueRef wl_strip_lane_numbers(struct wl_lift *l);               /* <16 x i32>: 0 to 15 */
/* Bit n of `bits`, an integer of `count` bits, as lane n: <count x i1>. Also in slow functions. */
LLVMValueRef wl_lift_lanes(struct wl_lift *l, LLVMValueRef bits, unsigned count);
/* The same with bit index[n] (below 32) as lane n of up to 32, in the form that suits hosts without mask registers. */
LLVMValueRef wl_lift_pick_lanes(struct wl_lift *l, LLVMValueRef bits, const unsigned *index, unsigned count);
/* Stores to a row, or a strip of one: `lanes` (<n x i1>) of the vector `value`; the others stay. Nobody else writes there. */
void wl_lift_store_lanes(struct wl_lift *l, LLVMValueRef value, LLVMValueRef pointer, unsigned alignment, LLVMValueRef lanes);
/* <16 x i1> of lanes on which an effect may be had: exec, or all ones. */
LLVMValueRef wl_strip_exec(struct wl_lift *l);
/* Where code is being built, and for which instruction. */
struct wl_lift_place {
    LLVMBasicBlockRef ir_block;
    LLVMMetadataRef location;
};
/* Goes to the end of a block that is complete, before its terminator, and says from where; and back. (Moving the builder takes the
 * neighbour's location.) */
struct wl_lift_place wl_lift_detour(struct wl_lift *l, LLVMBasicBlockRef ir_block);
void wl_lift_return(struct wl_lift *l, struct wl_lift_place place);
LLVMBasicBlockRef wl_lift_ir_block(struct wl_lift *l, const char *name);       /* a new block at the function's end */
LLVMValueRef wl_lift_int(struct wl_lift *l, LLVMTypeRef type, uint64_t value); /* a constant; a splat for vector types */
/* A constant of this type (an array) that is all 0, of the whole module: one for each name. ptr. */
LLVMValueRef wl_lift_zeros(struct wl_lift *l, const char *name, LLVMTypeRef type);

#endif
