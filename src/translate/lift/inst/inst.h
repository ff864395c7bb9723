/* lift/inst/: instructions, one kind a file.
 *
 *   in    one instruction (isa/inst.h), and struct wl_lift where the vector region stands
 *   out   LLVM IR at once, or an item of the vector region (struct wl_item), which is emitted when the region is flushed
 *
 * A section of this header is the way into one file. */
#ifndef WL_TRANSLATE_LIFT_INST_INST_H
#define WL_TRANSLATE_LIFT_INST_INST_H

#include "translate/lift/state.h"

/* ---- valu.c: instructions with semantics ---- */
/* The semantics of a mnemonic in the form that this lifter takes; NULL if there are none. */
const struct wl_sem *wl_lift_find_semantics(const struct wl_lift *l, const char *mnemonic);
/* The packed function of these semantics, linked into the module on first use; NULL (and l->status set) if that fails. */
static inline LLVMValueRef wl_lift_semantics(struct wl_lift *l, const struct wl_sem *sem) { return l->form->link_semantics(l, sem); }
LLVMValueRef wl_lift_link_semantics(struct wl_lift *l, const struct wl_sem *sem); /* as a part of the module, as they are */
/* Within emit: the lanes of a row that DPP within rows of 16 reads, 0 where there is none; *enabled: those that are written, or
 * NULL for all. */
LLVMValueRef wl_valu_dpp_source(struct wl_lift *l, const struct wl_inst *inst, unsigned row, LLVMValueRef *enabled);
void wl_lift_salu(struct wl_lift *l, const struct wl_inst *inst);
void wl_valu_record(struct wl_lift *l, struct wl_item *item);
/* v_cmpx: records the comparison with EXEC (and, on gfx9, the printed register) as its result. */
void wl_cmpx_record(struct wl_lift *l, struct wl_item *item);

/* ---- dpp.c ---- */
/* For forms of strips: DPP within a strip (form.h). */
LLVMValueRef wl_dpp_source(struct wl_lift *l, const struct wl_inst *inst, unsigned row, LLVMValueRef *valid);
LLVMValueRef wl_dpp_enabled(struct wl_lift *l, const struct wl_inst *inst, LLVMValueRef enabled);
/* Whether it reads other strips; and those, read from a snapshot of the source row (wl_lane_snapshot). */
bool wl_dpp_crosses_rows(const struct wl_inst *inst);
LLVMValueRef wl_dpp_across_rows(struct wl_lift *l, const struct wl_inst *inst, LLVMValueRef snapshot, LLVMValueRef *valid);

/* ---- wide.c ---- */
/* Records an instruction on register pairs that works on its halves (64-bit shifts by constants, packed f32), which spares
 * joining them. False: the instruction is another. */
bool wl_wide_record(struct wl_lift *l, struct wl_item *item);
/* The same of packed instructions alone: where a strip is one lane, joining the halves of a pair costs nothing. */
bool wl_wide_record_packed(struct wl_lift *l, struct wl_item *item);

/* ---- lane.c ---- */
/* Lifts a LANE instruction. Some become items of the vector region, others are done at once. */
void wl_lift_lane(struct wl_lift *l, const struct wl_inst *inst);
/* i32: the LDS element that M0 names (address in bits 15:0, type in 18:16). The vector region must be flushed. */
LLVMValueRef wl_lane_lds_direct(struct wl_lift *l);
/* At record time: copies a row, as it is now in all lanes, to a buffer that an item may read lanes of. Flushes. */
LLVMValueRef wl_lane_snapshot(struct wl_lift *l, unsigned row, bool zero_inactive);
/* Within emit: value of lanes `index` (<16 x i32>, 0 to wave_size - 1) of a snapshot. */
LLVMValueRef wl_lane_gather(struct wl_lift *l, LLVMValueRef snapshot, LLVMValueRef index);

/* Where lanes `lane` (i32 or <n x i32>) of an exchange's result come from: WL_LANE_FROM. */
struct wl_lane;
LLVMValueRef wl_lane_source(struct wl_lift *l, const struct wl_lane *exchange, unsigned result, LLVMValueRef lane);

/* The first active lane's value of a row in memory (lane 0's if none is active), as i32. The vector region must be flushed. */
LLVMValueRef wl_lane_first(struct wl_lift *l, unsigned row);

/* ---- indexed.c ---- */
/* Lifts an instruction in gfx9's indexing mode (index_mode), at once. */
void wl_lift_relative(struct wl_lift *l, const struct wl_inst *inst);
/* Lifts a MOVREL instruction, at once. */
void wl_lift_indexed(struct wl_lift *l, const struct wl_inst *inst);

/* ---- matrix.c ---- */
/* Lifts a MATRIX instruction: a call of the helper, at once. */
void wl_lift_matrix(struct wl_lift *l, const struct wl_inst *inst);

/* ---- image.c ---- */
/* Lifts an IMAGE instruction: a call of the helper, at once. */
void wl_lift_image(struct wl_lift *l, const struct wl_inst *inst);
void wl_lift_tensor(struct wl_lift *l, const struct wl_inst *inst);

/* ---- smem.c ---- */
/* Lifts a scalar load, store or atomic, at once. Stores and atomics flush the vector region. */
void wl_lift_smem(struct wl_lift *l, const struct wl_inst *inst);
/* For PTX too. The sum of a scalar access's offsets, before low bits are cut off, as i64. */
LLVMValueRef wl_lift_smem_offset(struct wl_lift *l, const struct wl_inst *inst);
/* Bytes of the buffer that the descriptor in `reg` and behind tells, as i64: the number of records, each of the stride's size if there
 * is one. */
LLVMValueRef wl_lift_smem_limit(struct wl_lift *l, unsigned reg);
/* The same of gfx1250's descriptor, which tells bytes. For vector accesses too. */
LLVMValueRef wl_lift_smem_wide_limit(struct wl_lift *l, unsigned reg);

/* ---- rounding.c ---- */
/* Whether the instruction is one that rounds by the other mode then. */
bool wl_rounding_differs(const struct wl_lift *l, const struct wl_inst *inst);
/* Flushes, and sets the host's rounding to the mode of f64 and f16 (`other`) or of f32. */
void wl_rounding_switch(struct wl_lift *l, bool other);

/* ---- denormal.c ---- */
/* Sets the host's switch for this unit's code (`inside`), or as MODE says for everybody else's. Nothing for other units. */
void wl_denormal_switch(struct wl_lift *l, bool inside);
/* Operands and results of arithmetic, flushed if such a unit's MODE says so. */
LLVMValueRef wl_denormal_input(struct wl_lift *l, const struct wl_inst *inst, LLVMValueRef value, enum wl_type type);
LLVMValueRef wl_denormal_result(struct wl_lift *l, const struct wl_inst *inst, LLVMValueRef value, enum wl_type type);

#endif
