/* lift/: makes LLVM IR of a unit.
 *
 *   in    a unit, what is known of its registers (struct wl_affine), the mode
 *   out   an LLVM module with the function wl_unit (machine/wave.h)
 *
 *   lift.h     the way in: wl_lift_unit             form.h     how registers and masks are reached: struct wl_form
 *   state.h    what the lifter knows while it       frame.h    basic blocks, changes of EXEC, exits
 *              works: struct wl_lift                region.h   vector regions
 *   values.h   scalar registers and vectors         marks.h    what the code tells the passes of native/ and nvptx/
 *   forms/     the forms: strips, loops run strip by strip, workgroup mode
 *   inst/      instructions, one kind a file        memory/    vector memory
 *
 * Scalar registers are allocas, loaded from the wave where the unit is entered and stored where it
 * exits; passes turn them into values. Vector registers live in wave->vgpr. Vector instructions
 * collect in a *vector region*; a vector region becomes one loop over the wave's strips of 16 lanes:
 *
 *   record   when the instruction is met, in program order: its scalar inputs are read (builder `b`
 *            stands outside any loop) and kept in the item (struct wl_item), since later instructions may overwrite them
 *   emit     when the vector region is flushed: code for one strip is built, item by item. Registers are
 *            <16 x i32> values; what is live behind the vector region is stored at its end
 *
 * A vector region is flushed before anything that needs a finished wave: a scalar use of a mask that the region
 * makes, a cross-lane operation, an exit, a branch, a change of EXEC, a load behind a store or a
 * store behind a load or a store in the same address space.
 *
 * In MASKED code values are computed for all 16 lanes; EXEC matters where they leave the strip:
 * stores of registers and memory, loads, comparison masks. Strips without active lanes are skipped. */
#ifndef WL_TRANSLATE_LIFT_H
#define WL_TRANSLATE_LIFT_H

#include "translate/analysis/affine.h"
#include "translate/unit/unit.h"

#include <llvm-c/Core.h>

/* How large the code may become: waves of a workgroup and strips of a wave unrolled, with registers as values; waves in loops; strips in
 * loops, too. */
enum wl_lift_size { WL_LIFT_UNROLLED, WL_LIFT_LOOPS, WL_LIFT_COMPACT };

/* Builds the unit's function "wl_unit" and its description "wl_unit_info" in an empty module, whose target and data
 * layout are set. `affine` may be NULL: nothing is known then. WL_OUT_OF_RESOURCES, without a sentence: a unit of single waves becomes too
 * much for LLVM unless it is COMPACT. In workgroup mode wl_emit_is_large tells that. */
enum wl_status wl_lift_unit(const struct wl_unit *unit, const struct wl_affine *affine, enum wl_lift_size size, LLVMModuleRef module);

#endif
