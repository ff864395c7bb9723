/* What the lifter knows while it works, in three structures: the context in which code is built (struct wl_lift, here), and as its members
 * the unit (unit_state.h) and the vector region (region_state.h) that are being lifted. */
#ifndef WL_TRANSLATE_LIFT_STATE_H
#define WL_TRANSLATE_LIFT_STATE_H

#include "translate/lift/form.h"
#include "translate/lift/region_state.h"
#include "translate/lift/unit_state.h"

#include <llvm-c/Core.h>

struct wl_lift_loop;      /* lift/forms/loop.c */
struct wl_lift_workgroup; /* lift/forms/workgroup.c */
struct wl_ptx;            /* nvptx/ptx.h */

/* The context: LLVM's objects and types, the target, and where code is being built. */
struct wl_lift {
    struct wl_lift_unit unit;
    struct wl_lift_region region;
    enum wl_status status; /* first error */

    LLVMContextRef context;
    LLVMModuleRef module;
    LLVMBuilderRef b;
    LLVMTypeRef i1, i8, i16, i32, i64, i128, f16, bf16, f32, f64, ptr, void_type;
    LLVMTypeRef mask_type; /* a mask as the code has it: wave_mask; in workgroup mode a vector with one of these for each wave */
    LLVMTypeRef wave_mask; /* the mask of one wave: i32 or i64 */
    LLVMTypeRef strip_i1, strip_i8, strip_i16, strip_i32, strip_i64, strip_f16, strip_f32, strip_f64; /* <16 x ...> */

    unsigned generation;        /* 9 to 12 */
    unsigned wave_size, strips; /* 32 or 64; 2 or 4 */
    bool has_avx512;            /* the host gathers, scatters and masks natively */
    bool has_masks;             /* the host loads and stores dwords under a mask natively */

    const struct wl_form *form;
    /* Elements of a strip's vectors: WL_STRIP; or 1, for a thread of a GPU (nvptx/ptx.h), where a strip is a warp and each instruction is
     * emitted at once. */
    unsigned lanes;
    /* How many of these elements stand for lanes: WL_GROUP where a loop is run for half a strip at a time, else all. The others are
     * inactive, and 0. */
    unsigned strip_lanes;
    /* Each form's own data, NULL outside of it: of a loop that is lifted for one strip; of workgroup mode; of PTX. */
    struct wl_lift_loop *in_loop;
    struct wl_lift_workgroup *workgroup;
    struct wl_ptx *ptx;

    LLVMValueRef function, wave; /* wave: the function's parameter, struct wl_wave * */
    LLVMBasicBlockRef entry;     /* holds the allocas; ends in a branch */
    struct wl_strip *strip;      /* within an item's emit */
    LLVMValueRef exec;           /* <16 x i1> of active lanes; NULL in FULL code: all are */
    LLVMValueRef exec_bits;      /* the same as i16; set where `exec` is not NULL */
};

#endif
