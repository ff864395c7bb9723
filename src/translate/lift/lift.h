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
 * store behind a load or a store in the same address space.
 *
 * In MASKED code values are computed for all 16 lanes; EXEC matters where they leave the strip:
 * stores of registers and memory, loads, comparison masks. Strips without active lanes are skipped. */
#ifndef WL_TRANSLATE_LIFT_H
#define WL_TRANSLATE_LIFT_H

#include "translate/analysis/affine.h"
#include "translate/unit/unit.h"

#include <llvm-c/Core.h>

/* Builds the unit's function "wl_unit" and its description "wl_unit_info" in an empty module, whose target and data
 * layout are set. `affine` may be NULL: nothing is known then. `lays_out`: a gang's waves may be laid out, with their registers as values,
 * which can become too much (wl_emit_is_large). */
enum wl_status wl_lift_unit(const struct wl_unit *unit, const struct wl_affine *affine, bool lays_out, LLVMModuleRef module);

#endif
