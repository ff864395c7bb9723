/* Matrix instructions in the one-lane form (machine/matrix.h says what they compute).
 *
 *   nvptx/mma.c        the common ones by the GPU's own matrix instructions. Their operands and results lie otherwise in a warp's
 *                    registers than AMD's: four shuffles rearrange four registers. Sums are rounded as the GPU does it
 *   nvptx/rows.c       a pass that makes ldmatrix of factors that come from LDS
 *   nvptx/fragments.c  a pass that lets results stay in the GPU's layout between matrix instructions, loops included
 *   nvptx/matrix.c     all others, element by element, as the CPU device rounds them */
#ifndef WL_TRANSLATE_NVPTX_MATRIX_H
#define WL_TRANSLATE_NVPTX_MATRIX_H

#include "translate/nvptx/ptx.h"

#include "machine/matrix.h"
#include "translate/lift/state.h"

enum { WL_PTX_MATRIX_REGISTERS = 32 }; /* of D, at most */

/* Computes D's registers (i32, by strip) if the GPU has an instruction for it and nothing asks for exact arithmetic; else false. */
bool wl_ptx_mma(struct wl_lift *l, const struct wl_inst *inst, LLVMValueRef result[2][WL_PTX_MATRIX_REGISTERS]);

/* Layouts. Of a warp's lanes, lane 8 q + i is lane i of quarter q; thread 4 g + t is thread t of quad g.
 *   gather       four registers E: thread t of quad g gets, for each quarter q, register t of lane `place`(q, g)
 *   gather.both  the same of eight registers, of which lanes 0 to 15 have the first four as E and lanes 16 to 31 the others
 *   scatter      gather's inverse, for the plain place
 *   permute      of one register: lane 8 q + g gets that of lane `place`(q, g)
 * Their arguments are the registers, the lane's number and the place. */
enum wl_ptx_place {
    WL_PTX_PLACE_PLAIN = 0,  /* 8 q + g */
    WL_PTX_PLACE_MFMA = 1,   /* 8 q + 4 (g % 2) + g / 2 */
    WL_PTX_PLACE_WMMA12 = 2, /* 16 (q / 2) + 8 (g % 2) + 4 (q % 2) + g / 2 */
    /* To add to one: */
    WL_PTX_PLACE_HALVES = 4, /* threads 2 and 3 get quarters 0 and 2, and 1 and 3, the other way round */
    WL_PTX_PLACE_PAIRS = 8,  /* the results of quarters 0, 2, 1 and 3, in this order: mma wants a column's halves side by side */
    WL_PTX_PLACE_FLUSH = 16, /* f32s: zeros instead of denormals, of which what is scattered has none */
};
#define WL_PTX_GATHER      "wl.gather"
#define WL_PTX_GATHER_BOTH "wl.gather.both"
#define WL_PTX_SCATTER     "wl.scatter"
#define WL_PTX_PERMUTE     "wl.permute"

/* Lets ldmatrix read factors from LDS whose lanes are known to be on and whose rows are known to be aligned. parts: threads may part at
 * branches (wl_ptx_part_threads). True: something changed. */
bool wl_ptx_load_rows(LLVMModuleRef module, bool parts);

/* Lets values that are scattered and gathered again stay as they were, also around loops. True: something changed; what is left of
 * the scatters can then move out of loops. */
bool wl_ptx_keep_fragments(LLVMModuleRef module);
/* Bodies of the functions. */
void wl_ptx_body_gather(LLVMModuleRef module, LLVMBuilderRef b, LLVMValueRef function);
void wl_ptx_body_gather_both(LLVMModuleRef module, LLVMBuilderRef b, LLVMValueRef function);
void wl_ptx_body_permute(LLVMModuleRef module, LLVMBuilderRef b, LLVMValueRef function);
void wl_ptx_body_scatter(LLVMModuleRef module, LLVMBuilderRef b, LLVMValueRef function);

#endif
