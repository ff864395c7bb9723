/* Passes, the markers' bodies, PTX. */
#include "translate/nvptx/inst.h"
#include "translate/nvptx/math.h"
#include "translate/nvptx/matrix.h"
#include "translate/nvptx/memory.h"
#include "translate/nvptx/passes.h"
#include "translate/nvptx/ptx.h"

#include <llvm-c/Error.h>
#include <llvm-c/Target.h>
#include <llvm-c/Transforms/PassBuilder.h>
#include <pthread.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

/* Registers become values, vectors of one element scalars. */
#define VALUE_PASSES    "always-inline,globaldce,function(sroa,early-cse<memssa>,scalarizer,early-cse,dce)"
#define FIRST_PASSES    "function(instcombine<no-verify-fixpoint>,simplifycfg,sroa,early-cse,instcombine<no-verify-fixpoint>,simplifycfg,adce)"
#define CLEANING        "instcombine<no-verify-fixpoint>,simplifycfg,adce"
#define CLEANING_PASSES "function(" CLEANING ")"
/* What lay in private memory becomes values. */
#define PRIVATE_PASSES "function(sroa,early-cse," CLEANING ")"
/* What a thread knows that took a branch. */
#define PART_PASSES                                                                                                                        \
    "function(correlated-propagation,gvn,instcombine<no-verify-fixpoint>,simplifycfg,correlated-propagation,adce,"                         \
    "instcombine<no-verify-fixpoint>,simplifycfg)"
/* Without a target machine: for one whose threads diverge the pass does nothing. */
#define THREADING_PASSES "function(jump-threading,simplifycfg,instcombine<no-verify-fixpoint>,jump-threading,simplifycfg)"
/* Behind the markers that turned out to be constants. */
#define SECOND_PASSES                                                                                                                      \
    "function(instcombine<no-verify-fixpoint>,simplifycfg,gvn,loop-simplify,lcssa,loop-mssa(licm),instcombine<no-verify-fixpoint>,"        \
    "early-cse,simplifycfg,adce)"
/* What the ranges of loops' counters prove. */
#define RANGE_PASSES "function(loop-simplify,lcssa,loop(indvars),correlated-propagation,instcombine<no-verify-fixpoint>,simplifycfg)"
/* Of the loops alone that ask for it. */
#define UNROLLING_PASSES                                                                                                                   \
    "function(loop-simplify,lcssa,loop-unroll<full-unroll-max=0;no-partial;no-runtime;no-upperbound;no-peeling>,"                          \
    "instcombine<no-verify-fixpoint>,simplifycfg,early-cse,adce)"
/* Unrolls short loops as well whose number of turns is known when they begin: ptxas leaves such loops alone, and each turn would wait for its own
 * loads. Loops with a constant number of turns are left to ptxas. */
#define RUNTIME_UNROLLING_PASSES                                                                                                           \
    "function(loop-simplify,lcssa,loop-unroll<O3;full-unroll-max=0;no-partial;runtime;no-upperbound;no-peeling>," CLEANING                 \
    ",early-cse,adce)"
#define LAST_PASSES "always-inline,globaldce,function(early-cse,instcombine<no-verify-fixpoint>,early-cse,adce)"

static pthread_once_t target_once = PTHREAD_ONCE_INIT;

static void initialize_target(void) {
    LLVMInitializeNVPTXTargetInfo();
    LLVMInitializeNVPTXTarget();
    LLVMInitializeNVPTXTargetMC();
    LLVMInitializeNVPTXAsmPrinter();
}

LLVMTargetMachineRef wl_ptx_machine(const struct wl_ptx_request *request) {
    enum { NEWEST = 90, OLDEST = 70 }; /* that LLVM 19 knows, and that has fences and independent threads; drivers take older PTX */
    pthread_once(&target_once, initialize_target);
    static const char triple[] = "nvptx64-nvidia-cuda";
    LLVMTargetRef target = NULL;
    char *message = NULL, cpu[16];
    uint32_t sm = request->sm > NEWEST ? NEWEST : request->sm;
    if (sm < OLDEST) {
        wl_fail(WL_UNSUPPORTED, "%s: GPUs of compute capability %u.%u are not supported", request->code.name, sm / 10, sm % 10);
        return NULL;
    }
    if (LLVMGetTargetFromTriple(triple, &target, &message)) {
        wl_fail(WL_UNSUPPORTED, "LLVM makes no code for NVIDIA GPUs: %s", message);
        LLVMDisposeMessage(message);
        return NULL;
    }
    snprintf(cpu, sizeof cpu, "sm_%u", sm);
    LLVMTargetMachineRef machine = LLVMCreateTargetMachine(target, triple, cpu, sm >= NEWEST ? "+ptx78" : "+ptx70", LLVMCodeGenLevelDefault,
                                                           LLVMRelocDefault, LLVMCodeModelDefault);
    if (!machine)
        wl_fail(WL_INTERNAL, "LLVM makes no code for %s", cpu);
    return machine;
}

static enum wl_status run(LLVMModuleRef module, LLVMTargetMachineRef machine, const char *passes) {
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

/* ---- register pairs that hold a sign-extended number: x and x >> 31 ---- */

static LLVMValueRef widened(LLVMValueRef value) { return LLVMIsAZExtInst(value) ? LLVMGetOperand(value, 0) : NULL; }

static bool is_constant(LLVMValueRef value, uint64_t number) {
    return LLVMIsAConstantInt(value) && LLVMConstIntGetZExtValue(value) == number;
}

/* The operand of a shift to the left by a constant, *by; the value itself where there is none. */
static LLVMValueRef shifted(LLVMValueRef value, uint64_t *by) {
    *by = 0;
    if (!LLVMIsAInstruction(value) || LLVMGetInstructionOpcode(value) != LLVMShl || !LLVMIsAConstantInt(LLVMGetOperand(value, 1)))
        return value;
    *by = LLVMConstIntGetZExtValue(LLVMGetOperand(value, 1));
    return LLVMGetOperand(value, 0);
}

/* x, of (zext x) << by | (zext (x >>s 31)) << (32 + by), in this order; NULL: it is something else. */
static LLVMValueRef sign_extended(LLVMValueRef first, LLVMValueRef second, uint64_t *by) {
    uint64_t by_high;
    LLVMValueRef low = widened(shifted(first, by)), high = widened(shifted(second, &by_high));
    if (!low || !high || by_high != 32 + *by || !LLVMIsAInstruction(high) || LLVMGetInstructionOpcode(high) != LLVMAShr ||
        !is_constant(LLVMGetOperand(high, 1), 31))
        return NULL;
    return LLVMGetOperand(high, 0) == low ? low : NULL;
}

static void find_sign_extensions(LLVMModuleRef module) {
    LLVMContextRef context = LLVMGetModuleContext(module);
    LLVMValueRef kernel = LLVMGetNamedFunction(module, WL_PTX_ENTRY);
    LLVMBuilderRef b = LLVMCreateBuilderInContext(context);
    for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(kernel); block; block = LLVMGetNextBasicBlock(block))
        for (LLVMValueRef inst = LLVMGetFirstInstruction(block), next; inst; inst = next) {
            LLVMValueRef number = NULL;
            uint64_t by = 0;
            next = LLVMGetNextInstruction(inst);
            for (unsigned i = 0; i < 2 && !number && LLVMGetInstructionOpcode(inst) == LLVMOr; i++)
                number = sign_extended(LLVMGetOperand(inst, i), LLVMGetOperand(inst, 1 - i), &by);
            if (!number)
                continue;
            LLVMPositionBuilderBefore(b, inst);
            number = LLVMBuildSExt(b, number, LLVMTypeOf(inst), "");
            LLVMReplaceAllUsesWith(inst, by ? LLVMBuildShl(b, number, LLVMConstInt(LLVMTypeOf(inst), by, 0), "") : number);
        }
    LLVMDisposeBuilder(b);
}

/* ---- markers of constants: every thread's vote is known ---- */

static LLVMValueRef known_result(LLVMValueRef call, const char *name) {
    LLVMValueRef argument = LLVMGetOperand(call, 0);
    if (!LLVMIsConstant(argument))
        return NULL;
    if (!strncmp(name, "wl.ballot", 9))
        return LLVMIsUndef(argument) || LLVMIsNull(argument) ? LLVMConstNull(LLVMTypeOf(call)) : LLVMConstAllOnes(LLVMTypeOf(call));
    return LLVMIsUndef(argument) ? LLVMConstNull(LLVMTypeOf(call)) : argument; /* wl.any, wl.shuffle */
}

static bool fold_constants(LLVMModuleRef module) {
    static const char *const names[] = {"wl.ballot", "wl.ballot.high", "wl.any", "wl.any.own", "wl.any.same", "wl.shuffle"};
    bool folded = false;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        LLVMValueRef function = LLVMGetNamedFunction(module, names[i]);
        for (LLVMUseRef use = function ? LLVMGetFirstUse(function) : NULL, next; use; use = next) {
            LLVMValueRef call = LLVMGetUser(use), value = known_result(call, names[i]);
            next = LLVMGetNextUse(use);
            if (!value)
                continue;
            LLVMReplaceAllUsesWith(call, value);
            LLVMInstructionEraseFromParent(call);
            folded = true;
        }
    }
    return folded;
}

/* ---- the kernarg segment and the dispatch packet: loads at constant offsets are loads of parameters ---- */

struct segment {
    LLVMModuleRef module;
    LLVMBuilderRef b;
    LLVMValueRef base; /* pointer to a parameter's part */
    uint64_t size;
    const uint32_t *block; /* the workgroups' shape, which lies at block_offset as three u16; NULL: nobody knows it, or it is not there */
    int64_t block_offset;
};

/* What a load reads of the workgroups' shape; NULL: something else. */
static LLVMValueRef known_block(const struct segment *s, LLVMTypeRef type, int64_t offset, uint64_t size) {
    enum { BYTES = 6 };
    if (!s->block || offset < s->block_offset || offset + (int64_t)size > s->block_offset + BYTES ||
        LLVMGetTypeKind(type) != LLVMIntegerTypeKind)
        return NULL;
    uint64_t shape = s->block[0] | (uint64_t)s->block[1] << 16 | (uint64_t)s->block[2] << 32;
    return LLVMConstInt(type, shape >> (offset - s->block_offset) * 8, 0);
}

static bool load_parameter(const struct segment *s, LLVMValueRef load, int64_t offset) {
    LLVMTypeRef type = LLVMTypeOf(load);
    LLVMTargetDataRef layout = LLVMGetModuleDataLayout(s->module);
    uint64_t size = LLVMStoreSizeOfType(layout, type);
    if (offset < 0 || (uint64_t)offset + size > s->size)
        return false;
    LLVMValueRef known = known_block(s, type, offset, size);
    if (known) {
        LLVMReplaceAllUsesWith(load, known);
        LLVMInstructionEraseFromParent(load);
        return true;
    }
    LLVMContextRef context = LLVMGetModuleContext(s->module);
    LLVMPositionBuilderBefore(s->b, load);
    LLVMValueRef index = LLVMConstInt(LLVMInt64TypeInContext(context), (uint64_t)offset, 0);
    LLVMValueRef place = LLVMBuildGEP2(s->b, LLVMInt8TypeInContext(context), s->base, &index, 1, "");
    LLVMValueRef value = LLVMBuildLoad2(s->b, type, place, "");
    unsigned alignment = offset ? 1u << __builtin_ctzll((uint64_t)offset) : 16;
    LLVMSetAlignment(value, alignment > 16 ? 16 : alignment);
    LLVMReplaceAllUsesWith(load, value);
    LLVMInstructionEraseFromParent(load);
    return true;
}

/* Whether an instruction adds a constant number of bytes, its operand 1, to an address. */
static bool adds_constant(LLVMValueRef user, LLVMValueRef pointer) {
    if (LLVMGetNumOperands(user) != 2 || LLVMGetOperand(user, 0) != pointer || !LLVMIsAConstantInt(LLVMGetOperand(user, 1)))
        return false;
    if (LLVMGetInstructionOpcode(user) != LLVMGetElementPtr)
        return LLVMGetInstructionOpcode(user) == LLVMAdd;
    LLVMTypeRef element = LLVMGetGEPSourceElementType(user);
    return LLVMGetTypeKind(element) == LLVMIntegerTypeKind && LLVMGetIntTypeWidth(element) == 8;
}

/* Replaces what it can; true: nothing is left that needs the address. */
static bool replace_loads(const struct segment *s, LLVMValueRef pointer, int64_t offset, unsigned depth) {
    bool all = true;
    enum { MAX_DEPTH = 8 };
    for (LLVMUseRef use = LLVMGetFirstUse(pointer), next; use; use = next) {
        LLVMValueRef user = LLVMGetUser(use);
        next = LLVMGetNextUse(use);
        bool done = false;
        if (depth < MAX_DEPTH && LLVMIsAInstruction(user)) {
            LLVMOpcode opcode = LLVMGetInstructionOpcode(user);
            if (opcode == LLVMLoad && !LLVMGetVolatile(user))
                done = load_parameter(s, user, offset);
            else if (opcode == LLVMIntToPtr)
                done = replace_loads(s, user, offset, depth + 1);
            else if (adds_constant(user, pointer))
                done = replace_loads(s, user, offset + LLVMConstIntGetSExtValue(LLVMGetOperand(user, 1)), depth + 1);
        }
        all &= done;
    }
    return all;
}

/* `s`: what is known of the segment. Gives a marker's remaining uses the address in `field` of the launch record; false: there are none. */
static bool settle_segment(LLVMModuleRef module, const char *marker, LLVMValueRef parameter, uint64_t part, struct segment s,
                           size_t field) {
    LLVMValueRef function = LLVMGetNamedFunction(module, marker), kernel = LLVMGetNamedFunction(module, WL_PTX_ENTRY);
    if (!function)
        return false;
    LLVMContextRef context = LLVMGetModuleContext(module);
    LLVMTypeRef i8 = LLVMInt8TypeInContext(context), i64 = LLVMInt64TypeInContext(context);
    s.module = module;
    s.b = LLVMCreateBuilderInContext(context);
    LLVMValueRef entry = LLVMGetFirstInstruction(LLVMGetEntryBasicBlock(kernel)), address = NULL;
    LLVMPositionBuilderBefore(s.b, entry);
    LLVMValueRef index = LLVMConstInt(i64, part, 0);
    s.base = part ? LLVMBuildGEP2(s.b, i8, parameter, &index, 1, "") : parameter;
    for (LLVMUseRef use = LLVMGetFirstUse(function), next; use; use = next) {
        LLVMValueRef call = LLVMGetUser(use);
        next = LLVMGetNextUse(use);
        if (!replace_loads(&s, call, 0, 0)) {
            LLVMPositionBuilderBefore(s.b, call);
            LLVMValueRef place = LLVMConstInt(i64, field, 0);
            address = LLVMBuildLoad2(s.b, i64, LLVMBuildGEP2(s.b, i8, LLVMGetParam(kernel, 0), &place, 1, ""), "");
            LLVMReplaceAllUsesWith(call, address);
            LLVMInstructionEraseFromParent(call);
        }
    }
    LLVMDisposeBuilder(s.b);
    return address != NULL;
}

static void settle_segments(const struct wl_ptx_request *request, LLVMModuleRef module, struct wl_ptx_info *info) {
    enum { PACKET_BYTES = 64, PACKET_BLOCK = 4 };
    LLVMValueRef kernel = LLVMGetNamedFunction(module, WL_PTX_ENTRY), launch = LLVMGetParam(kernel, 0);
    LLVMValueRef kernarg = info->kernarg_size ? LLVMGetParam(kernel, 1) : launch;
    const uint32_t *block = request->block[0] ? request->block : NULL;
    const struct segment arguments = {
        .size = info->kernarg_size, .block = request->block_offset ? block : NULL, .block_offset = request->block_offset};
    const struct segment packet = {.size = PACKET_BYTES, .block = block, .block_offset = PACKET_BLOCK}, queue = {0};
    info->needs_kernarg_memory = settle_segment(module, "wl.kernarg", kernarg, 0, arguments, offsetof(struct wl_ptx_launch, kernarg));
    info->needs_packet_memory = settle_segment(module, "wl.packet", launch, offsetof(struct wl_ptx_launch, packet), packet,
                                               offsetof(struct wl_ptx_launch, dispatch_packet));
    info->needs_queue = settle_segment(module, "wl.queue", launch, 0, queue, offsetof(struct wl_ptx_launch, queue));
}

/* ---- the markers' bodies ---- */

LLVMValueRef wl_ptx_build_intrinsic(LLVMModuleRef module, LLVMBuilderRef b, const char *name, LLVMValueRef *arguments, unsigned count) {
    unsigned id = LLVMLookupIntrinsicID(name, strlen(name));
    LLVMValueRef function = LLVMGetIntrinsicDeclaration(module, id, NULL, 0);
    return LLVMBuildCall2(b, LLVMGlobalGetValueType(function), function, arguments, count, "");
}

LLVMValueRef wl_ptx_build_shuffle(LLVMModuleRef module, LLVMBuilderRef b, LLVMValueRef value, LLVMValueRef lane) {
    LLVMTypeRef i32 = LLVMInt32TypeInContext(LLVMGetModuleContext(module));
    LLVMValueRef arguments[] = {LLVMConstAllOnes(i32), value, lane, LLVMConstInt(i32, 31, 0)};
    return wl_ptx_build_intrinsic(module, b, "llvm.nvvm.shfl.sync.idx.i32", arguments, 4);
}

static void body_ballot(LLVMModuleRef module, LLVMBuilderRef b, LLVMValueRef function) {
    LLVMTypeRef i32 = LLVMInt32TypeInContext(LLVMGetModuleContext(module));
    LLVMValueRef arguments[] = {LLVMConstAllOnes(i32), LLVMGetParam(function, 0)};
    LLVMBuildRet(b, wl_ptx_build_intrinsic(module, b, "llvm.nvvm.vote.ballot.sync", arguments, 2));
}

static void body_any(LLVMModuleRef module, LLVMBuilderRef b, LLVMValueRef function) {
    LLVMTypeRef i32 = LLVMInt32TypeInContext(LLVMGetModuleContext(module));
    LLVMValueRef arguments[] = {LLVMConstAllOnes(i32), LLVMGetParam(function, 0)};
    LLVMBuildRet(b, wl_ptx_build_intrinsic(module, b, "llvm.nvvm.vote.any.sync", arguments, 2));
}

static void body_shuffle(LLVMModuleRef module, LLVMBuilderRef b, LLVMValueRef function) {
    LLVMBuildRet(b, wl_ptx_build_shuffle(module, b, LLVMGetParam(function, 0), LLVMGetParam(function, 1)));
}

static void body_first64(LLVMModuleRef module, LLVMBuilderRef b, LLVMValueRef function) {
    LLVMContextRef context = LLVMGetModuleContext(module);
    LLVMTypeRef i32 = LLVMInt32TypeInContext(context), i64 = LLVMInt64TypeInContext(context);
    LLVMValueRef value = LLVMGetParam(function, 0), by = LLVMConstInt(i64, 32, 0);
    LLVMValueRef low = wl_ptx_build_shuffle(module, b, LLVMBuildTrunc(b, value, i32, ""), LLVMConstNull(i32));
    LLVMValueRef high = wl_ptx_build_shuffle(module, b, LLVMBuildTrunc(b, LLVMBuildLShr(b, value, by, ""), i32, ""), LLVMConstNull(i32));
    high = LLVMBuildShl(b, LLVMBuildZExt(b, high, i64, ""), by, "");
    LLVMBuildRet(b, LLVMBuildOr(b, high, LLVMBuildZExt(b, low, i64, ""), ""));
}

/* Whether something is left that two warps cannot do together. */
static bool needs_both_warps(LLVMModuleRef module) {
    static const char *const names[] = {"wl.ballot", "wl.ballot.high", "wl.any", "wl.any.own", "wl.any.same", "wl.shuffle", "wl.first64"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        LLVMValueRef function = LLVMGetNamedFunction(module, names[i]);
        if (function && LLVMGetFirstUse(function))
            return true;
    }
    return false;
}

static void give_bodies(LLVMModuleRef module) {
    static const struct {
        const char *name;
        void (*build)(LLVMModuleRef module, LLVMBuilderRef b, LLVMValueRef function);
    } bodies[] = {{"wl.ballot", body_ballot},
                  {"wl.any", body_any},
                  {"wl.any.own", body_any},
                  {"wl.any.same", body_any},
                  {"wl.shuffle", body_shuffle},
                  {"wl.first64", body_first64},
                  {WL_PTX_GATHER, wl_ptx_body_gather},
                  {WL_PTX_SCATTER, wl_ptx_body_scatter},
                  {WL_PTX_GATHER_BOTH, wl_ptx_body_gather_both},
                  {WL_PTX_PERMUTE, wl_ptx_body_permute}};
    LLVMContextRef context = LLVMGetModuleContext(module);
    LLVMBuilderRef b = LLVMCreateBuilderInContext(context);
    for (size_t i = 0; i < sizeof bodies / sizeof *bodies; i++) {
        LLVMValueRef function = LLVMGetNamedFunction(module, bodies[i].name);
        if (!function)
            continue;
        LLVMPositionBuilderAtEnd(b, LLVMAppendBasicBlockInContext(context, function, ""));
        bodies[i].build(module, b, function);
        LLVMRemoveEnumAttributeAtIndex(function, LLVMAttributeFunctionIndex, LLVMGetEnumAttributeKindForName("memory", 6));
        unsigned always = LLVMGetEnumAttributeKindForName("alwaysinline", 12);
        LLVMAddAttributeAtIndex(function, LLVMAttributeFunctionIndex, LLVMCreateEnumAttribute(context, always, 0));
        LLVMSetLinkage(function, LLVMInternalLinkage);
    }
    LLVMDisposeBuilder(b);
}

static enum wl_status simplify_math(LLVMModuleRef module, LLVMTargetMachineRef machine) {
    static bool (*const steps[])(LLVMModuleRef module) = {wl_ptx_simplify_signalling, wl_ptx_simplify_roots,  wl_ptx_simplify_scales,
                                                          wl_ptx_fuse_math,           wl_ptx_simplify_scales, wl_ptx_simplify_signalling,
                                                          wl_ptx_choose_roots};
    enum wl_status status = WL_OK;
    for (size_t i = 0; i < sizeof steps / sizeof *steps && !status; i++)
        if (steps[i](module))
            status = run(module, machine, CLEANING_PASSES);
    wl_ptx_inline_math(module);
    return status ? status : run(module, machine, "always-inline,globaldce,function(sroa,scalarizer," CLEANING ")");
}

/* ---- signs of f64 ---- */

/* x where `value` is |x| or -x of an f64; *negates says which. */
static LLVMValueRef find_signed(LLVMValueRef value, bool *negates) {
    LLVMValueRef called = LLVMIsACallInst(value) ? LLVMGetCalledValue(value) : NULL;
    *negates = LLVMGetInstructionOpcode(value) == LLVMFNeg;
    bool absolute = called && LLVMIsAFunction(called) && !strcmp(LLVMGetValueName(called), "llvm.fabs.f64");
    return absolute || (*negates && LLVMGetTypeKind(LLVMTypeOf(value)) == LLVMDoubleTypeKind) ? LLVMGetOperand(value, 0) : NULL;
}

/* PTX's abs.f64 and neg.f64 make any NaN of a NaN, with any sign. Where the bits are looked at, they are an AND and an XOR again, of which
 * the compiler had made them. */
static void keep_signs(LLVMModuleRef module) {
    LLVMContextRef context = LLVMGetModuleContext(module);
    LLVMTypeRef i64 = LLVMInt64TypeInContext(context);
    LLVMValueRef sign = LLVMConstInt(i64, UINT64_C(1) << 63, 0), rest = LLVMConstInt(i64, INT64_MAX, 0);
    LLVMBuilderRef b = LLVMCreateBuilderInContext(context);
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f))
        for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(f); block; block = LLVMGetNextBasicBlock(block))
            for (LLVMValueRef at = LLVMGetFirstInstruction(block), next; at; at = next) {
                bool negates;
                next = LLVMGetNextInstruction(at);
                LLVMValueRef value = wl_ptx_is_op(at, LLVMBitCast) && LLVMTypeOf(at) == i64 ? LLVMGetOperand(at, 0) : NULL;
                LLVMValueRef of = value && LLVMIsAInstruction(value) ? find_signed(value, &negates) : NULL;
                if (!of)
                    continue;
                LLVMPositionBuilderBefore(b, at);
                LLVMValueRef bits = LLVMBuildBitCast(b, of, i64, "");
                LLVMReplaceAllUsesWith(at, negates ? LLVMBuildXor(b, bits, sign, "") : LLVMBuildAnd(b, bits, rest, ""));
                LLVMInstructionEraseFromParent(at);
            }
    LLVMDisposeBuilder(b);
}

enum wl_status wl_ptx_optimize(const struct wl_ptx_request *request, LLVMModuleRef module, LLVMTargetMachineRef machine,
                               struct wl_ptx_info *info) {
    enum { ROUNDS = 4 };
    enum wl_status status = run(module, machine, VALUE_PASSES);
    if (!status) {
        find_sign_extensions(module);
        status = run(module, machine, FIRST_PASSES);
    }
    if (!status && wl_ptx_keep_private_in_registers(module))
        status = run(module, machine, PRIVATE_PASSES);
    for (unsigned i = 0; i < ROUNDS && !status && fold_constants(module); i++)
        status = run(module, machine, CLEANING_PASSES);
    bool parts = !status && wl_ptx_part_threads(module);
    if (parts)
        status = run(module, machine, PART_PASSES);
    if (!status && wl_ptx_drop_choices(module))
        status = run(module, machine, CLEANING_PASSES);
    if (!status && wl_ptx_keep_private_in_registers(module)) /* addresses, too, were choices */
        status = run(module, machine, PRIVATE_PASSES);
    if (!status) /* now that most choices by EXEC are gone */
        status = simplify_math(module, machine);
    if (!status && parts)
        status = run(module, NULL, THREADING_PASSES);
    if (!status) {
        find_sign_extensions(module);
        settle_segments(request, module, info);
    }
    if (!status)
        status = run(module, machine, SECOND_PASSES);
    if (!status && LLVMGetNamedFunction(module, "wl.lds.within"))
        status = run(module, machine, RANGE_PASSES);
    if (!status && wl_ptx_settle_lds(module, request->static_lds))
        status = run(module, machine, CLEANING_PASSES);
    bool kept = !status && wl_ptx_keep_fragments(module);
    if (!status && (wl_ptx_load_rows(module, parts) || kept))
        status = run(module, machine, "function(adce,early-cse,loop-simplify,lcssa,loop-mssa(licm),adce)");
    if (!status && info->wave_threads == 64 && needs_both_warps(module))
        status = wl_fail(WL_UNSUPPORTED, "%s: lanes cross the halves of a wave", request->code.name);
    if (!status) {
        give_bodies(module);
        status = wl_ptx_link_device(module);
    }
    if (!status)
        status = run(module, machine, LAST_PASSES);
    if (!status && wl_ptx_ask_for_unrolling(module))
        status = run(module, machine, UNROLLING_PASSES);
    if (!status)
        status = run(module, machine, RUNTIME_UNROLLING_PASSES);
    if (!status) {
        wl_ptx_forbid_unrolling(module);
        wl_ptx_drop_predicates(module);
        keep_signs(module);
        wl_ptx_keep_upper_halves(module);
        status = run(module, machine, "function(adce,simplifycfg)");
        wl_ptx_freeze_lds_offsets(module);
    }
    return status;
}

enum wl_status wl_ptx_text(LLVMModuleRef module, LLVMTargetMachineRef machine, LLVMMemoryBufferRef *text) {
    char *message = NULL;
    if (!LLVMTargetMachineEmitToMemoryBuffer(machine, module, LLVMAssemblyFile, &message, text))
        return WL_OK;
    enum wl_status status = wl_fail(WL_INTERNAL, "code generation failed: %s", message ? message : "no reason given");
    LLVMDisposeMessage(message);
    return status;
}
