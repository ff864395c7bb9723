/* Private memory in registers: where all accesses to a lane's private memory have addresses that are known, as those of spilled registers
 * and of small arrays have, they become loads and stores of LLVM, of which passes make values. */
#include "translate/nvptx/passes.h"
#include "translate/nvptx/ptx.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_ACCESSES = 16384, MOST_DEPTH = 16 };
/* Operands of an access. A store's value is where a load's predicate is, and its predicate behind. */
enum { ADDRESS = 0, OFFSET = 1, LOAD_PREDICATE = 2, LOAD_OLD = 3, STORE_VALUE = 2, STORE_PREDICATE = 3 };

struct place {
    LLVMValueRef call; /* of inline PTX: memory.c's load_at and store_at */
    int64_t offset;    /* bytes from the start of private memory */
};

struct places {
    int64_t size;
    unsigned count;
    struct place of[MOST_ACCESSES];
};

/* What an instruction of inline PTX does to private memory. */
struct access {
    bool store, sign;
    unsigned bits;
};

/* Private memory is a lane's own: how strong an access is, and by which kind of address, does not matter. */
static bool read_access(LLVMValueRef call, struct access *a) {
    static const char *const skipped[] = {".volatile", ".relaxed.cta", ".local"};
    static const struct {
        const char *type;
        struct access access;
    } known[] = {{".b32 ", {false, false, 32}}, {".u8 ", {false, false, 8}}, {".s8 ", {false, true, 8}},   {".u16 ", {false, false, 16}},
                 {".s16 ", {false, true, 16}},  {".b8 ", {false, false, 8}}, {".b16 ", {false, false, 16}}};
    size_t length = 0;
    LLVMValueRef code = LLVMGetCalledValue(call);
    const char *text = LLVMIsAInlineAsm(code) ? LLVMGetInlineAsmAsmString(code, &length) : NULL;
    const char *rest = text && text[0] == '@' ? memchr(text, ' ', length) : NULL;
    if (!rest || (strncmp(rest, " ld.", 4) != 0 && strncmp(rest, " st.", 4) != 0))
        return false;
    const bool store = rest[1] == 's';
    rest += 3;
    for (size_t i = 0; i < sizeof skipped / sizeof *skipped; i++)
        if (!strncmp(rest, skipped[i], strlen(skipped[i])))
            rest += strlen(skipped[i]);
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (!strncmp(rest, known[i].type, strlen(known[i].type))) {
            *a = known[i].access;
            a->store = store;
            return true;
        }
    return false;
}

static bool note_access(struct places *places, LLVMValueRef call, LLVMValueRef address, int64_t offset) {
    struct access a;
    if (!read_access(call, &a) || LLVMGetOperand(call, ADDRESS) != address || places->count == MOST_ACCESSES)
        return false;
    for (unsigned i = OFFSET; i < LLVMGetNumArgOperands(call); i++)
        if (LLVMGetOperand(call, i) == address)
            return false; /* it is stored */
    offset += LLVMConstIntGetSExtValue(LLVMGetOperand(call, OFFSET));
    if (offset < 0 || offset + (int64_t)a.bits / 8 > places->size)
        return false;
    places->of[places->count++] = (struct place){call, offset};
    return true;
}

/* Whether an instruction adds a constant to an address or makes another type of it; *offset: from the start of private memory, which is aligned. */
static bool moves_address(LLVMValueRef user, LLVMValueRef address, int64_t *offset) {
    if (LLVMIsAAddrSpaceCastInst(user) || LLVMIsAPtrToIntInst(user) || LLVMIsATruncInst(user))
        return true;
    if (LLVMGetNumOperands(user) != 2 || LLVMGetOperand(user, 0) != address || !LLVMIsAConstantInt(LLVMGetOperand(user, 1)))
        return false;
    const int64_t by = LLVMConstIntGetSExtValue(LLVMGetOperand(user, 1)), from = *offset;
    *offset += by;
    if (!LLVMIsAGetElementPtrInst(user))
        return LLVMGetInstructionOpcode(user) == LLVMAdd ||
               (LLVMGetInstructionOpcode(user) == LLVMOr && by >= 0 && by < WL_PTX_SCRATCH_ALIGNMENT && !(by & from));
    LLVMTypeRef element = LLVMGetGEPSourceElementType(user);
    return LLVMGetTypeKind(element) == LLVMIntegerTypeKind && LLVMGetIntTypeWidth(element) == 8;
}

/* Lists the accesses at an address and at constant distances from it; false: something else is done with it. */
static bool find_accesses(struct places *places, LLVMValueRef address, int64_t offset, unsigned depth) {
    bool known = true;
    for (LLVMUseRef use = LLVMGetFirstUse(address); use && known; use = LLVMGetNextUse(use)) {
        LLVMValueRef user = LLVMGetUser(use);
        int64_t moved = offset;
        if (LLVMIsACallInst(user))
            known = note_access(places, user, address, offset);
        else
            known = depth < MOST_DEPTH && moves_address(user, address, &moved) && find_accesses(places, user, moved, depth + 1);
    }
    return known;
}

static LLVMValueRef load_place(LLVMBuilderRef b, LLVMValueRef pointer, LLVMTypeRef type) {
    LLVMValueRef value = LLVMBuildLoad2(b, type, pointer, "");
    LLVMSetAlignment(value, 1);
    return value;
}

/* The access as a load or store of memory's own pointer, of the values where its predicate holds. */
static void replace(LLVMBuilderRef b, LLVMValueRef memory, const struct place *place) {
    LLVMContextRef context = LLVMGetTypeContext(LLVMTypeOf(memory));
    LLVMTypeRef i8 = LLVMInt8TypeInContext(context), i32 = LLVMInt32TypeInContext(context);
    LLVMValueRef index = LLVMConstInt(LLVMInt64TypeInContext(context), (uint64_t)place->offset, 0), call = place->call;
    struct access a;
    if (!read_access(call, &a))
        return;
    LLVMTypeRef type = LLVMIntTypeInContext(context, a.bits);
    LLVMPositionBuilderBefore(b, call);
    LLVMValueRef pointer = LLVMBuildGEP2(b, i8, memory, &index, 1, ""), old = load_place(b, pointer, type);
    if (a.store) {
        LLVMValueRef value = LLVMBuildTrunc(b, LLVMGetOperand(call, STORE_VALUE), type, "");
        value = LLVMBuildSelect(b, LLVMGetOperand(call, STORE_PREDICATE), value, old, "");
        LLVMSetAlignment(LLVMBuildStore(b, value, pointer), 1);
    } else {
        LLVMValueRef value = a.sign ? LLVMBuildSExt(b, old, i32, "") : LLVMBuildZExt(b, old, i32, "");
        value = LLVMBuildSelect(b, LLVMGetOperand(call, LOAD_PREDICATE), value, LLVMGetOperand(call, LOAD_OLD), "");
        LLVMReplaceAllUsesWith(call, value);
    }
    LLVMInstructionEraseFromParent(call);
}

bool wl_ptx_keep_private_in_registers(LLVMModuleRef module) {
    LLVMValueRef kernel = LLVMGetNamedFunction(module, WL_PTX_ENTRY);
    LLVMBuilderRef b = LLVMCreateBuilderInContext(LLVMGetModuleContext(module));
    struct places *places = malloc(sizeof *places);
    LLVMBasicBlockRef entry = LLVMGetEntryBasicBlock(kernel);
    bool changed = false;
    for (LLVMValueRef memory = LLVMGetFirstInstruction(entry); memory && places; memory = LLVMGetNextInstruction(memory)) {
        if (!LLVMIsAAllocaInst(memory) || strncmp(LLVMGetValueName(memory), WL_PTX_SCRATCH, strlen(WL_PTX_SCRATCH)) != 0)
            continue;
        places->count = 0;
        places->size = (int64_t)LLVMGetArrayLength2(LLVMGetAllocatedType(memory));
        if (!find_accesses(places, memory, 0, 0))
            continue;
        for (unsigned i = 0; i < places->count; i++)
            replace(b, memory, &places->of[i]);
        changed |= places->count > 0;
    }
    free(places);
    LLVMDisposeBuilder(b);
    return changed;
}
