/* native/: makes a native object of a lifted module, by LLVM.
 *
 *   in    an LLVM module of lift/, with its marks (lift/marks.h)
 *   out   a relocatable object of the host, with wl_unit and wl_unit_info (interface/translate.h)
 *
 * emit.c runs LLVM's passes and its code generator. quotient.c makes a second copy of code for waves that lie in one row. promote.c keeps vector registers that a loop writes in values. outline.c moves address
 * arithmetic to the slow paths that need it. */
#ifndef WL_TRANSLATE_NATIVE_EMIT_H
#define WL_TRANSLATE_NATIVE_EMIT_H

#include "base/status.h"
#include "translate/lift/marks.h"

#include <llvm-c/Core.h>
#include <llvm-c/TargetMachine.h>
#include <stdbool.h>

/* The host's target machine for a CPU and its features; NULL with a sentence if LLVM lacks the host's target. `quick`: code
 * generation without optimization. Free with LLVMDisposeTargetMachine. */
LLVMTargetMachineRef wl_emit_machine(const char *cpu, const char *features, bool quick);
/* Whether LLVM's optimizing code generation is safe for the module's functions: beyond 10,000 blocks LLVM 19's
 * CodeGenPrepare makes code whose definitions do not dominate their uses, and the scheduler crashes on it. (So it does with
 * -cgpp-huge-func=1, which takes half the time for kernels of thousands of instructions.) */
bool wl_emit_can_optimize_code(LLVMModuleRef module);
/* Whether the optimized unit of so many AMD instructions is of a size for which generating code takes long. */
bool wl_emit_is_large(LLVMModuleRef module, unsigned instructions);
/* Inlines the semantics and cleans up; `quick`: just what makes the module smaller. */
enum wl_status wl_emit_optimize(LLVMModuleRef module, LLVMTargetMachineRef machine, bool quick);
/* Makes a second copy of the optimized unit's code behind a division, for waves whose lanes all have one quotient (quotient.c). *split:
 * whether there was such a division; then wl_emit_clean_copy has to follow. WL_OUT_OF_MEMORY: the module is of no use. */
enum wl_status wl_emit_split_by_quotient(LLVMModuleRef module, bool *split);
/* Passes behind wl_emit_split_by_quotient. */
enum wl_status wl_emit_clean_copy(LLVMModuleRef module, LLVMTargetMachineRef machine);
/* Makes values of the vector registers that loops of the unit write (promote.c). True: there are such; then
 * wl_emit_clean_up has to follow. */
bool wl_emit_promote_rows(LLVMModuleRef module, unsigned wave_size);
/* Passes behind wl_emit_promote_rows, for its module. */
enum wl_status wl_emit_clean_up(LLVMModuleRef module, LLVMTargetMachineRef machine);
/* Whether a block is one of those (WL_COLD_BLOCK). */
bool wl_emit_is_cold(LLVMBasicBlockRef block);
/* Moves address arithmetic of the optimized unit that only slow paths need in full to where they are taken (outline.c). */
void wl_emit_outline_addresses(LLVMModuleRef module);
/* Looks through the optimized unit and notes in wl_unit_info whether it keeps its wave. */
void wl_emit_note_kept_wave(LLVMModuleRef module);
/* Generates the object. The buffer belongs to the caller (LLVMDisposeMemoryBuffer). */
enum wl_status wl_emit_object(LLVMModuleRef module, LLVMTargetMachineRef machine, LLVMMemoryBufferRef *object);

#endif
