/* What nvptx/math.c and nvptx/fuse.c, which simplify arithmetic around calls of semantics, have in common: patterns of LLVM's values.
 * Builders and modules belong to the caller; one thread uses a module at a time. */
#ifndef WL_TRANSLATE_NVPTX_MATH_H
#define WL_TRANSLATE_NVPTX_MATH_H

#include "translate/nvptx/ptx.h"

/* What the names of kept functions begin with: semantics as functions of scalars, which stay calls until wl_ptx_inline_math. */
#define WL_PTX_KEPT "kept."

bool wl_ptx_is_op(LLVMValueRef value, LLVMOpcode opcode);
/* A call of the function of that name. */
bool wl_ptx_is_call(LLVMValueRef value, const char *name);
/* Of a floating-point constant; else 0. */
double wl_ptx_number_of(LLVMValueRef value);
/* A call of the kept form of semantics. */
bool wl_ptx_is_kept(LLVMValueRef value, const char *name);
/* x, of a bitcast of x. */
LLVMValueRef wl_ptx_without_cast(LLVMValueRef value);
/* x, of x that is multiplied by a constant where some condition holds; NULL: it is something else. */
LLVMValueRef wl_ptx_scaled_of(LLVMValueRef value);
/* A call of a kept function of one argument. */
LLVMValueRef wl_ptx_call_kept(LLVMBuilderRef b, LLVMValueRef function, LLVMValueRef x);
/* The kept form of the semantics of that name, linked into the module; NULL: there are none. */
LLVMValueRef wl_ptx_link_kept(LLVMModuleRef module, const char *name);

#endif
