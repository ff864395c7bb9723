/* From pieces to LLVM IR.
 *
 * Scalar registers are allocas, loaded from the wave where the unit is entered and stored where it
 * exits; passes turn them into values. Vector registers live in wave->vgpr. Vector instructions
 * collect in a *stretch*; a stretch becomes one loop over the wave's strips of 16 lanes:
 *
 *   record   when the instruction is met, in program order: its scalar inputs are read (builder `b`
 *            stands outside any loop) and kept in the item, since later instructions may overwrite them
 *   emit     when the stretch is flushed: code for one strip is built, item by item. Registers are
 *            <16 x i32> values; what is live behind the stretch is stored at its end
 *
 * A stretch is flushed before anything that needs a finished wave: a scalar use of a mask that it
 * makes, a cross-lane operation, an exit, a branch, a change of EXEC, a load behind a store or a
 * store behind a load in the same address space.
 *
 * In MASKED code values are computed for all 16 lanes; EXEC matters where they leave the strip:
 * stores of registers and memory, loads, comparison masks. Strips without active lanes are skipped. */
#ifndef WL_TRANSLATE_LIFT_H
#define WL_TRANSLATE_LIFT_H

#include "translate/affine.h"
#include "translate/isa.h"
#include "translate/sem.h"
#include "translate/unit.h"

#include <llvm-c/Core.h>

#define WL_ITEM_SCALARS 8

struct wl_item {
    const struct wl_inst *inst;
    LLVMValueRef scalar[WL_ITEM_SCALARS]; /* inputs read at record time; meaning is the emitter's */
    struct wl_fact fact[3];               /* memory: what is known about its address operands (lift_memory.c) */
    void (*emit)(struct wl_lift *l, struct wl_item *item);
};

struct wl_lift {
    const struct wl_translate_request *request;
    const struct wl_unit *unit;
    enum wl_mode mode;
    unsigned wave_size, strips;     /* 32 or 64; 2 or 4 */
    unsigned generation;            /* 9 to 12 */
    bool has_avx512;                /* the host gathers, scatters and masks natively */

    LLVMContextRef context;
    LLVMModuleRef module;
    LLVMBuilderRef b;
    LLVMValueRef function, wave;    /* wave: the function's parameter, struct wl_wave * */
    LLVMTypeRef i1, i8, i16, i32, i64, i128, f16, bf16, f32, f64, ptr, void_type;
    LLVMTypeRef mask_type;          /* i32 or i64: a wave-wide mask */
    LLVMTypeRef strip_i1, strip_i8, strip_i16, strip_i32, strip_i64, strip_f32; /* <16 x ...> */
    LLVMValueRef sgpr[WL_SGPR_COUNT]; /* allocas, i32; NULL where the unit never uses the register. EXEC is split like others */

    /* The stretch being collected. */
    struct wl_item *items;
    unsigned item_count, item_capacity;
    uint64_t pending_masks[2];      /* scalar registers whose value the stretch will make */
    uint8_t stretch_loads, stretch_stores; /* WL_CONFLICT_* */

    /* The strip being emitted (valid within an item's emit). */
    LLVMValueRef strip;             /* i64: its number */
    LLVMValueRef first_lane;        /* i64: strip * 16 */
    LLVMValueRef exec;              /* <16 x i1> of active lanes; NULL in FULL code: all are */
    LLVMValueRef row_value[WL_VGPR_COUNT]; /* <16 x i32> known so far, or NULL */
    LLVMValueRef pair_value[WL_VGPR_COUNT]; /* <16 x i64> of rows n, n + 1 known so far, or NULL */
    LLVMValueRef mask_value[WL_SGPR_COUNT]; /* <16 x i1> made by this stretch, by first register */
    uint64_t row_dirty[8];          /* written in this stretch */

    struct wl_facts *facts;         /* at the instruction being recorded; NULL if not tracked */
    enum wl_status status;          /* first error */
};

/* ---- lift.c: scalar values; builder outside or inside a strip loop ---- */
LLVMValueRef wl_lift_sgpr(struct wl_lift *l, unsigned reg);               /* i32 */
LLVMValueRef wl_lift_sgpr64(struct wl_lift *l, unsigned reg);             /* i64 of reg, reg + 1 */
void wl_lift_set_sgpr(struct wl_lift *l, unsigned reg, LLVMValueRef value);
void wl_lift_set_sgpr64(struct wl_lift *l, unsigned reg, LLVMValueRef value);
LLVMValueRef wl_lift_scalar_operand(struct wl_lift *l, const struct wl_operand *operand, enum wl_type type);
LLVMValueRef wl_lift_exec(struct wl_lift *l);                             /* mask_type */
LLVMValueRef wl_lift_wave_field(struct wl_lift *l, size_t offset, LLVMTypeRef type); /* loads wave + offset */
LLVMValueRef wl_lift_row_address(struct wl_lift *l, unsigned row);        /* ptr to row's lane 0 */
/* Calls wave->helpers' function at `offset` (offsetof(struct wl_helpers, ...)) with these arguments. EXEC is stored to the
 * wave first. The stretch must be flushed: helpers work on rows in memory. */
LLVMValueRef wl_lift_call_helper(struct wl_lift *l, size_t offset, LLVMTypeRef result, LLVMValueRef *arguments, unsigned count);

/* ---- strip values: only within emit ---- */
LLVMValueRef wl_strip_row(struct wl_lift *l, unsigned row);               /* <16 x i32> */
LLVMValueRef wl_strip_pair(struct wl_lift *l, unsigned row);              /* <16 x i64> */
void wl_strip_set_row(struct wl_lift *l, unsigned row, LLVMValueRef value);
void wl_strip_set_pair(struct wl_lift *l, unsigned row, LLVMValueRef value);
LLVMValueRef wl_strip_splat(struct wl_lift *l, LLVMValueRef scalar);      /* <16 x T> */
LLVMValueRef wl_strip_lane_numbers(struct wl_lift *l);                    /* <16 x i32>: 0 to 15 */
/* <16 x i1> of lanes on which an effect may be had: exec, or all ones. */
LLVMValueRef wl_strip_exec(struct wl_lift *l);
LLVMBasicBlockRef wl_lift_block(struct wl_lift *l, const char *name);     /* a new block at the function's end */
LLVMValueRef wl_lift_int(struct wl_lift *l, LLVMTypeRef type, uint64_t value); /* a constant; a splat for vector types */

/* ---- lift_memory.c: vector memory; record is called with the stretch ready to take the item ---- */
/* Fills item->scalar, item->fact and item->emit for a LOAD, STORE or ATOMIC. An access too rare for a strip form is
 * done at once through a helper: then it flushes the stretch itself and returns false (nothing to emit). */
bool wl_memory_record(struct wl_lift *l, struct wl_item *item);
void wl_lift_flush(struct wl_lift *l);

/* ---- lift_lane.c: cross-lane instructions; the stretch is flushed before ---- */
void wl_lift_lane(struct wl_lift *l, const struct wl_inst *inst);

/* ---- lift.c ---- */
/* Builds the unit's function "wl_unit" in a new module of `context`. */
enum wl_status wl_lift_unit(const struct wl_unit *unit, LLVMContextRef context, LLVMModuleRef *module);

#endif
