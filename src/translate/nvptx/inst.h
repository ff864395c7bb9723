/* Lifts instructions for a thread of a GPU, one kind a file; and calls of device code. */
#ifndef WL_TRANSLATE_NVPTX_INST_H
#define WL_TRANSLATE_NVPTX_INST_H

#include "translate/nvptx/ptx.h"

/* ---- form.c ---- */
extern const struct wl_form wl_ptx_form;

/* ---- nvptx/valu.c ---- */
/* |v|, -v, -|v| of an f32 (<1 x float>), as bits. */
LLVMValueRef wl_ptx_change_sign(struct wl_lift *l, LLVMValueRef value, bool absolute, bool negate);
/* Lifts an instruction with semantics, or a v_cmpx. */
void wl_ptx_lift_semantics(struct wl_lift *l, const struct wl_inst *inst);
/* Lifts s_*_saveexec_* and s_*_wrexec_*. */
void wl_ptx_save_exec(struct wl_lift *l, const struct wl_inst *inst);
/* Called after each instruction: forgets the low half of a sum (struct wl_ptx_carry) if the instruction overwrote it or its carry. */
void wl_ptx_step_carries(struct wl_lift *l, const struct wl_effects *effects);
/* Marks the SGPRs of a unit that hold masks. */
void wl_ptx_find_masks(struct wl_lift *l, const struct wl_unit *unit);

/* ---- nvptx/branch.c ---- */
/* i1: whether the branch that ends the basic block at hand is taken. */
LLVMValueRef wl_ptx_condition(struct wl_lift *l, const struct wl_inst *inst);

/* ---- nvptx/lane.c ---- */
/* The value that DPP reads of a row; *valid: <1 x i1>, NULL: all lanes have a source. */
LLVMValueRef wl_ptx_dpp(struct wl_lift *l, const struct wl_inst *inst, unsigned row, LLVMValueRef *valid);
/* Narrows `enabled` (<1 x i1> or NULL) by row_mask and bank_mask. */
LLVMValueRef wl_ptx_dpp_enabled(struct wl_lift *l, const struct wl_inst *inst, LLVMValueRef enabled);
void wl_ptx_lift_lane(struct wl_lift *l, const struct wl_inst *inst);
/* i32: the value of lane `lane`, among the strips' `values`. `lane` (i32) is 0 to wave size - 1, and may differ between threads. */
LLVMValueRef wl_ptx_read_lane(struct wl_lift *l, LLVMValueRef values[2], LLVMValueRef lane);
LLVMValueRef wl_ptx_first_lane(struct wl_lift *l); /* i32: the first active lane, 0 if none is */

/* ---- nvptx/indexed.c ---- */
/* Lifts a MOVREL instruction. */
void wl_ptx_lift_indexed(struct wl_lift *l, const struct wl_inst *inst);
/* Lifts an instruction in gfx9's indexing mode (index_mode). False: no registers are left for it. */
bool wl_ptx_lift_relative(struct wl_lift *l, const struct wl_inst *inst);

/* ---- nvptx/matrix.c ---- */
/* Lifts a MATRIX instruction. */
void wl_ptx_lift_matrix(struct wl_lift *l, const struct wl_inst *inst);

/* ---- nvptx/device.c: calls of device/device.h's functions ---- */
#define WL_PTX_QUAD "wl_device_quad" /* functions of these names are called by all threads of a warp together */
/* The thread's record for calls of device code, with at least `size` bytes. Each call of this function gives the same memory again. */
LLVMValueRef wl_ptx_device_record(struct wl_lift *l, size_t size);
void wl_ptx_device_put(struct wl_lift *l, LLVMValueRef record, size_t offset, LLVMValueRef value);
LLVMValueRef wl_ptx_device_get(struct wl_lift *l, LLVMValueRef record, size_t offset); /* i32 */
/* Calls a function of device code. All threads of the warp make the call together, except for wl_device_buffer_find, which is inlined. */
LLVMValueRef wl_ptx_device_call(struct wl_lift *l, const char *name, LLVMTypeRef result, LLVMValueRef *arguments, unsigned count);
/* Adds device code to a module that calls some of it. The pass globaldce removes the functions that are not called. */
enum wl_status wl_ptx_link_device(LLVMModuleRef module);

/* ---- nvptx/image.c ---- */
/* Lifts an IMAGE instruction. */
void wl_ptx_lift_image(struct wl_lift *l, const struct wl_inst *inst);
/* Lifts buffer_*_format_* and tbuffer_*. */
void wl_ptx_lift_typed(struct wl_lift *l, const struct wl_inst *inst);

#endif
