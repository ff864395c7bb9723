/* Matrix instructions in the one-lane form (device/cpu/matrix.h says what they compute).
 *
 *   ptx_mma.c        the common ones by the GPU's own matrix instructions. Their operands and results lie otherwise in a warp's
 *                    registers than AMD's: four shuffles rearrange four registers. Sums are rounded as the GPU does it
 *   ptx_fragments.c  a pass that lets results stay in the GPU's layout between matrix instructions, loops included
 *   ptx_matrix.c     all others, element by element, as the CPU device rounds them */
#ifndef WL_TRANSLATE_PTX_MATRIX_H
#define WL_TRANSLATE_PTX_MATRIX_H

#include "translate/nvptx/ptx.h"

#include "device/cpu/matrix.h"

enum { WL_PTX_MATRIX_REGISTERS = 32 }; /* of D, at most */

/* Computes D's registers (i32, by strip) if the GPU has an instruction for it and nothing asks for exact arithmetic; else false. */
bool wl_ptx_mma(struct wl_lift *l, const struct wl_inst *inst, LLVMValueRef result[2][WL_PTX_MATRIX_REGISTERS]);

/* Layouts. Of a warp's lanes, lane 8 q + i is lane i of quarter q; thread 4 g + t is thread t of quad g.
 *   gather   four registers E: thread t of quad g gets, for each quarter q, register t of lane `place`(q, g)
 *   scatter  its inverse, for the plain place
 * Their arguments are the four registers, the lane's number and the place. */
enum wl_ptx_place {
    WL_PTX_PLACE_PLAIN = 0,  /* 8 q + g */
    WL_PTX_PLACE_MFMA = 1,   /* 8 q + 4 (g % 2) + g / 2 */
    WL_PTX_PLACE_WMMA12 = 2, /* 16 (q / 2) + 8 (g % 2) + 4 (q % 2) + g / 2 */
    /* To add to one: */
    WL_PTX_PLACE_HALVES = 4, /* threads 2 and 3 get quarters 0 and 2, and 1 and 3, the other way round */
    WL_PTX_PLACE_TURNED = 8, /* in lanes 16 to 31 the registers are E2, E3, E0, E1 */
};
#define WL_PTX_GATHER  "wl.gather"
#define WL_PTX_SCATTER "wl.scatter"

/* Lets values that are scattered and gathered again stay as they were, also around loops. True: something changed; what is left of
 * the scatters can then move out of loops. */
bool wl_ptx_keep_fragments(LLVMModuleRef module);
/* Bodies of the two functions. */
void wl_ptx_body_gather(LLVMModuleRef module, LLVMBuilderRef b, LLVMValueRef function);
void wl_ptx_body_scatter(LLVMModuleRef module, LLVMBuilderRef b, LLVMValueRef function);

#endif
