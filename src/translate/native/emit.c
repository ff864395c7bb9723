#include "translate/native/emit.h"

#include <llvm-c/Error.h>
#include <llvm-c/Target.h>
#include <llvm-c/Transforms/PassBuilder.h>
#include <pthread.h>
#include <string.h>

/* Enough to reach the run time of -O2 within a few per cent, at a third of its compile time. */
#define PASSES       "always-inline,globaldce,function(sroa,early-cse<memssa>,instcombine<max-iterations=1;no-verify-fixpoint>,simplifycfg,adce)"
#define CLEAN_PASSES "function(sroa,instcombine<max-iterations=1;no-verify-fixpoint>,adce)"
#define COPY_PASSES  "function(early-cse<memssa>,instcombine<max-iterations=1;no-verify-fixpoint>,simplifycfg,adce)"
#define QUICK_PASSES "always-inline,globaldce,function(sroa,early-cse,simplifycfg,adce)"

static pthread_once_t targets_once = PTHREAD_ONCE_INIT;

static void initialize_targets(void) {
    LLVMInitializeNativeTarget();
    LLVMInitializeNativeAsmPrinter();
}

LLVMTargetMachineRef wl_emit_machine(const char *cpu, const char *features, bool quick) {
    pthread_once(&targets_once, initialize_targets);
    char *triple = LLVMGetDefaultTargetTriple(), *message = NULL;
    LLVMTargetRef target = NULL;
    LLVMTargetMachineRef machine = NULL;
    if (LLVMGetTargetFromTriple(triple, &target, &message)) {
        wl_fail(WL_INTERNAL, "LLVM has no code generator for %s: %s", triple, message);
        LLVMDisposeMessage(message);
    } else {
        LLVMCodeGenOptLevel level = quick ? LLVMCodeGenLevelNone : LLVMCodeGenLevelLess;
        machine = LLVMCreateTargetMachine(target, triple, cpu, features, level, LLVMRelocPIC, LLVMCodeModelSmall);
        if (!machine)
            wl_fail(WL_INTERNAL, "LLVM makes no code for the CPU %s", cpu);
    }
    LLVMDisposeMessage(triple);
    return machine;
}

static enum wl_status run_passes(LLVMModuleRef module, LLVMTargetMachineRef machine, const char *passes) {
    LLVMPassBuilderOptionsRef options = LLVMCreatePassBuilderOptions();
    LLVMErrorRef error = LLVMRunPasses(module, passes, machine, options);
    LLVMDisposePassBuilderOptions(options);
    if (!error)
        return WL_OK;
    char *message = LLVMGetErrorMessage(error);
    enum wl_status status = wl_fail(WL_INTERNAL, "the passes failed: %s", message);
    LLVMDisposeErrorMessage(message);
    return status;
}

enum wl_status wl_emit_optimize(LLVMModuleRef module, LLVMTargetMachineRef machine, bool quick) {
    return run_passes(module, machine, quick ? QUICK_PASSES : PASSES);
}

enum wl_status wl_emit_clean_up(LLVMModuleRef module, LLVMTargetMachineRef machine) { return run_passes(module, machine, CLEAN_PASSES); }

enum wl_status wl_emit_clean_copy(LLVMModuleRef module, LLVMTargetMachineRef machine) { return run_passes(module, machine, COPY_PASSES); }

static bool is_leaving_store(LLVMValueRef user, LLVMValueRef pointer) {
    return LLVMIsAStoreInst(user) && LLVMGetOperand(user, 0) != pointer &&
           LLVMGetMetadata(user, LLVMGetMDKindIDInContext(LLVMGetTypeContext(LLVMTypeOf(pointer)), WL_LEAVING, strlen(WL_LEAVING)));
}

/* Whether code only reads through a pointer to the wave, apart from stores at exits before the wave's end. `depth`: of pointers made of
 * pointers. */
static bool is_read_only(LLVMValueRef pointer, unsigned depth) {
    enum { MAX_DEPTH = 8 };
    if (depth == MAX_DEPTH)
        return false;
    for (LLVMUseRef use = LLVMGetFirstUse(pointer); use; use = LLVMGetNextUse(use)) {
        LLVMValueRef user = LLVMGetUser(use);
        if (LLVMIsALoadInst(user) || is_leaving_store(user, pointer))
            continue;
        if (LLVMIsAGetElementPtrInst(user)) {
            if (!is_read_only(user, depth + 1))
                return false;
            continue;
        }
        if (!LLVMIsACallInst(user))
            return false;
        LLVMValueRef callee = LLVMGetCalledValue(user);
        if (!LLVMIsAFunction(callee) || LLVMIsDeclaration(callee))
            return false;
        for (unsigned i = 0; i < LLVMGetNumArgOperands(user); i++)
            if (LLVMGetOperand(user, i) == pointer && !is_read_only(LLVMGetParam(callee, i), depth + 1))
                return false;
    }
    return true;
}

void wl_emit_note_kept_wave(LLVMModuleRef module) {
    enum { FIELDS = 9, KEEPS_WAVE = 5 }; /* how many members struct wl_unit_info has, and the index of keeps_wave */
    LLVMValueRef info = LLVMGetNamedGlobal(module, "wl_unit_info"), fields[FIELDS];
    if (!is_read_only(LLVMGetParam(LLVMGetNamedFunction(module, "wl_unit"), 0), 0))
        return;
    for (unsigned i = 0; i < FIELDS; i++)
        fields[i] = LLVMGetAggregateElement(LLVMGetInitializer(info), i);
    fields[KEEPS_WAVE] = LLVMConstInt(LLVMTypeOf(fields[KEEPS_WAVE]), 1, 0);
    LLVMSetInitializer(info, LLVMConstStructInContext(LLVMGetModuleContext(module), fields, FIELDS, 0));
}

bool wl_emit_can_optimize_code(LLVMModuleRef module) {
    enum { MAX_BLOCKS = 9000 }; /* below 10,000, since the code generator adds blocks before it counts them */
    for (LLVMValueRef function = LLVMGetFirstFunction(module); function; function = LLVMGetNextFunction(function))
        if (LLVMCountBasicBlocks(function) > MAX_BLOCKS)
            return false;
    return true;
}

bool wl_emit_is_large(LLVMModuleRef module, unsigned instructions) {
    enum { MOST = 48, MOST_OF_SMALL = 72 }; /* LLVM's instructions for each of AMD's */
    enum { SMALL = 36000 };                 /* LLVM's instructions in all */
    unsigned count = 0;
    for (LLVMValueRef function = LLVMGetFirstFunction(module); function; function = LLVMGetNextFunction(function))
        for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(function); block; block = LLVMGetNextBasicBlock(block))
            for (LLVMValueRef inst = LLVMGetFirstInstruction(block); inst; inst = LLVMGetNextInstruction(inst))
                count++;
    return count > (count <= SMALL ? MOST_OF_SMALL : MOST) * instructions;
}

enum wl_status wl_emit_object(LLVMModuleRef module, LLVMTargetMachineRef machine, LLVMMemoryBufferRef *object) {
    char *message = NULL;
    if (!LLVMTargetMachineEmitToMemoryBuffer(machine, module, LLVMObjectFile, &message, object))
        return WL_OK;
    enum wl_status status = wl_fail(WL_INTERNAL, "code generation failed: %s", message ? message : "no reason given");
    LLVMDisposeMessage(message);
    return status;
}
