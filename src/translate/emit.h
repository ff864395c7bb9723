/* From a lifted module to a native object. */
#ifndef WL_TRANSLATE_EMIT_H
#define WL_TRANSLATE_EMIT_H

#include "base/status.h"

#include <llvm-c/Core.h>
#include <llvm-c/TargetMachine.h>

/* The host's target machine for a CPU and its features, at the optimization level of the quick tier; NULL with a sentence
 * if LLVM lacks the host's target. Free with LLVMDisposeTargetMachine. */
LLVMTargetMachineRef wl_emit_machine(const char *cpu, const char *features);
/* Inlines the semantics and cleans up. */
enum wl_status wl_emit_optimize(LLVMModuleRef module, LLVMTargetMachineRef machine);
/* Generates the object. The buffer belongs to the caller (LLVMDisposeMemoryBuffer). */
enum wl_status wl_emit_object(LLVMModuleRef module, LLVMTargetMachineRef machine, LLVMMemoryBufferRef *object);

#endif
