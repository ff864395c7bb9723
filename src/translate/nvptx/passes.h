/* From the lifted module to PTX: passes, and the bodies of markers. */
#ifndef WL_TRANSLATE_NVPTX_PASSES_H
#define WL_TRANSLATE_NVPTX_PASSES_H

#include "translate/interface/translate.h"
#include "translate/nvptx/ptx.h"

#include <llvm/Config/llvm-config.h>

/* The intrinsic that is bar.sync 0, and how many arguments it has: LLVM 21 gave it another name, and the barrier's number to name. */
#if LLVM_VERSION_MAJOR < 21
#define WL_PTX_BARRIER         "llvm.nvvm.barrier0"
#define WL_PTX_BARRIER_NUMBERS 0
#else
#define WL_PTX_BARRIER         "llvm.nvvm.barrier.cta.sync.aligned.all"
#define WL_PTX_BARRIER_NUMBERS 1
#endif

static inline bool wl_ptx_is_operation(LLVMValueRef value, LLVMOpcode opcode) {
    return LLVMIsAInstruction(value) && LLVMGetInstructionOpcode(value) == opcode;
}

/* ---- nvptx/lds.c ---- */
/* Replaces the markers of wl_ptx_within_lds by comparisons with the launch's size of LDS where they are not known to be true; size: what the
 * kernel has at least. True: it changed something, and the module is to be cleaned. */
bool wl_ptx_settle_lds(LLVMModuleRef module, uint32_t size);

/* Freezes offsets in LDS that are both compared and accessed: LLVM's code generator would count each of the two on through a loop by itself, for
 * each access. The last change to a module. */
void wl_ptx_freeze_lds_offsets(LLVMModuleRef module);

/* ---- nvptx/private.c ---- */
/* Makes values of what lies in private memory, if all its accesses have addresses that are known. True: something changed, and private memory
 * that nobody needs any more is to be taken away. */
bool wl_ptx_keep_private_in_registers(LLVMModuleRef module);

/* ---- nvptx/choices.c ---- */
/* Takes away choices of which one arm alone matters. True: something changed, and the module is to be cleaned. */
bool wl_ptx_drop_choices(LLVMModuleRef module);

/* ---- nvptx/unroll.c ---- */
/* Tells LLVM's unrolling which loops of the kernel to unroll, and how far; true: some. */
bool wl_ptx_ask_for_unrolling(LLVMModuleRef module);
/* Keeps ptxas from unrolling the kernel's loops that end where a counter wraps: it counts their turns wrongly. */
void wl_ptx_forbid_unrolling(LLVMModuleRef module);

/* ---- nvptx/plain.c ---- */
/* Takes predicates that are always true from loads and stores. */
void wl_ptx_drop_predicates(LLVMModuleRef module);

/* ---- nvptx/products.c ---- */
/* Gives ptxas the upper halves of products in a form that it translates rightly. */
void wl_ptx_keep_upper_halves(LLVMModuleRef module);

/* ---- nvptx/math.c ---- */
/* The function to call for semantics: of those that this file knows one that stays a call of scalars for now. */
LLVMValueRef wl_ptx_keep_call(struct wl_lift *l, const char *name, LLVMValueRef function);
/* Takes away what is superfluous around these calls: the steps to a root's neighbours, then scales. True: something changed, and
 * the module is to be cleaned. */
bool wl_ptx_simplify_roots(LLVMModuleRef module);
bool wl_ptx_simplify_scales(LLVMModuleRef module);
/* nvptx/fuse.c: makes one function of sequences that compute e^x or ln(x), and takes away what ranges make superfluous. True: as above. */
bool wl_ptx_fuse_math(LLVMModuleRef module);
/* Replaces square roots by such as have no slow way for negative numbers, and reciprocals by the hardware's estimates, when nothing looks for
 * them any more. True: as above. */
bool wl_ptx_choose_roots(LLVMModuleRef module);
/* nvptx/signalling.c: takes away what looks for signalling NaN where there is none. True: as above. */
bool wl_ptx_simplify_signalling(LLVMModuleRef module);
/* Lets the calls be inlined by the next always-inline pass. */
void wl_ptx_inline_math(LLVMModuleRef module);

/* ---- nvptx/part.c ---- */
/* Lets threads take the marked branches alone, where nothing on the way to the place at which they meet crosses threads. */
bool wl_ptx_part_threads(LLVMModuleRef module);

/* ---- nvptx/emit.c ---- */
LLVMTargetMachineRef wl_ptx_machine(const struct wl_ptx_request *request);
/* Runs the passes and gives the markers their bodies. */
enum wl_status wl_ptx_optimize(const struct wl_ptx_request *request, LLVMModuleRef module, LLVMTargetMachineRef machine,
                               struct wl_ptx_info *info);
/* Calls of an intrinsic without type parameters, and of a shuffle: i32 `value` of lane `lane`. */
LLVMValueRef wl_ptx_build_intrinsic(LLVMModuleRef module, LLVMBuilderRef b, const char *name, LLVMValueRef *arguments, unsigned count);
LLVMValueRef wl_ptx_build_shuffle(LLVMModuleRef module, LLVMBuilderRef b, LLVMValueRef value, LLVMValueRef lane);
/* The module's PTX. The buffer belongs to the caller. */
enum wl_status wl_ptx_text(LLVMModuleRef module, LLVMTargetMachineRef machine, LLVMMemoryBufferRef *text);

#endif
