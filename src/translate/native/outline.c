/* Address arithmetic leaves the hot path.
 *
 * An access that is usually consecutive looks at one or two lanes of its addresses; all 16 are needed only where its slow
 * function is called. Two steps on the optimized IR:
 *
 *   copy      what computes the arguments of a slow call is copied to the cold block of the call
 *   narrow    vectors of which only single lanes are still looked at become scalars
 *
 * Both follow chains of arithmetic without effects; loads, phis and calls are their ends. */
#include "base/assert.h"
#include "base/table.h"
#include "translate/native/emit.h"

#include <stdlib.h>
#include <string.h>

enum {
    MAX_COPIES = 128, /* instructions that go to one cold block */
    MAX_DEPTH = 10,   /* of a chain of uses that is looked through */
    MAX_LANES = 512,  /* that are remembered at once */
};

struct narrow {
    LLVMModuleRef module;
    LLVMContextRef context;
    LLVMBuilderRef b;
    LLVMValueRef wave;
    struct wl_table lanes; /* of vectors, as scalars, by key_of */
};

static bool is_vector(LLVMValueRef value) { return LLVMGetTypeKind(LLVMTypeOf(value)) == LLVMVectorTypeKind; }

/* Funnel shifts are what the passes make of 64-bit shifts on halves. 0: another call. */
static unsigned funnel_shift(LLVMValueRef call) {
    LLVMValueRef callee = LLVMGetCalledValue(call);
    unsigned id = LLVMIsAFunction(callee) ? LLVMGetIntrinsicID(callee) : 0;
    if (!id)
        return 0;
    size_t length;
    const char *name = LLVMIntrinsicGetName(id, &length);
    return !strncmp(name, "llvm.fshl", 9) || !strncmp(name, "llvm.fshr", 9) ? id : 0;
}

/* Arithmetic without effects, on which both steps can work. */
static bool is_arithmetic(LLVMValueRef value) {
    if (!LLVMIsAInstruction(value))
        return false;
    switch (LLVMGetInstructionOpcode(value)) {
    case LLVMAdd:
    case LLVMSub:
    case LLVMMul:
    case LLVMAnd:
    case LLVMOr:
    case LLVMXor:
    case LLVMShl:
    case LLVMLShr:
    case LLVMAShr:
    case LLVMICmp:
    case LLVMSelect:
    case LLVMZExt:
    case LLVMSExt:
    case LLVMTrunc:
    case LLVMBitCast:
    case LLVMInsertElement:
    case LLVMShuffleVector:
        return true;
    case LLVMCall:
        return funnel_shift(value) != 0;
    default:
        return false;
    }
}

static unsigned operand_count(LLVMValueRef value) {
    return LLVMIsACallInst(value) ? LLVMGetNumArgOperands(value) : (unsigned)LLVMGetNumOperands(value);
}

/* ---- copy ---- */

struct copies {
    LLVMValueRef from[MAX_COPIES], to[MAX_COPIES];
    unsigned count;
};

static bool has_copy(const struct copies *c, LLVMValueRef value) {
    for (unsigned i = 0; i < c->count; i++)
        if (c->from[i] == value)
            return true;
    return false;
}

/* Lists what computes a value, operands first; false: it is too long. */
static bool list_chain(struct copies *c, LLVMValueRef value, LLVMBasicBlockRef block) {
    if (!is_arithmetic(value) || LLVMGetInstructionParent(value) == block || has_copy(c, value))
        return true;
    for (unsigned i = 0; i < operand_count(value); i++)
        if (!list_chain(c, LLVMGetOperand(value, i), block))
            return false;
    if (c->count == MAX_COPIES)
        return false;
    c->from[c->count++] = value;
    return true;
}

static LLVMValueRef copy_of(const struct copies *c, LLVMValueRef value) {
    for (unsigned i = 0; i < c->count; i++)
        if (c->from[i] == value)
            return c->to[i];
    return value;
}

static void use_copies(const struct copies *c, LLVMValueRef user) {
    for (unsigned i = 0; i < operand_count(user); i++)
        LLVMSetOperand(user, i, copy_of(c, LLVMGetOperand(user, i)));
}

/* Where lift/memory/memory.c calls a slow function after a test. */
bool wl_emit_is_cold(LLVMBasicBlockRef block) { return !strncmp(LLVMGetBasicBlockName(block), WL_COLD_BLOCK, strlen(WL_COLD_BLOCK)); }

/* Copies what a cold block's own instructions take from outside, so that it is the block's own. */
static void copy_chains(LLVMBuilderRef b, LLVMBasicBlockRef block) {
    struct copies c = {.count = 0};
    for (LLVMValueRef inst = LLVMGetFirstInstruction(block); inst; inst = LLVMGetNextInstruction(inst))
        if (!LLVMIsAPHINode(inst))
            for (unsigned i = 0; i < operand_count(inst); i++)
                if (is_vector(LLVMGetOperand(inst, i)) && !list_chain(&c, LLVMGetOperand(inst, i), block))
                    return;
    LLVMValueRef first = LLVMGetFirstInstruction(block);
    while (LLVMIsAPHINode(first))
        first = LLVMGetNextInstruction(first);
    LLVMPositionBuilderBefore(b, first);
    for (unsigned i = 0; i < c.count; i++) {
        c.to[i] = LLVMInstructionClone(c.from[i]);
        LLVMInsertIntoBuilder(b, c.to[i]);
        struct copies before = c;
        before.count = i;
        use_copies(&before, c.to[i]);
    }
    for (LLVMValueRef inst = first; inst; inst = LLVMGetNextInstruction(inst))
        use_copies(&c, inst);
}

/* ---- narrow ---- */

/* Whether only single lanes of a vector are looked at in the end. */
static bool only_lanes_matter(LLVMValueRef vector, unsigned depth) {
    if (depth == MAX_DEPTH)
        return false;
    for (LLVMUseRef use = LLVMGetFirstUse(vector); use; use = LLVMGetNextUse(use)) {
        LLVMValueRef user = LLVMGetUser(use);
        if (LLVMIsAExtractElementInst(user) && LLVMIsAConstantInt(LLVMGetOperand(user, 1)))
            continue;
        if (!is_arithmetic(user) || !is_vector(user) || !only_lanes_matter(user, depth + 1))
            return false;
    }
    return true;
}

/* Vectors have fewer than 256 lanes, and addresses at most 56 bits. */
static uint64_t key_of(LLVMValueRef vector, unsigned number) {
    wl_assert(number < 256 && (uint64_t)(uintptr_t)vector >> 56 == 0);
    return (uint64_t)(uintptr_t)vector << 8 | number;
}

static LLVMValueRef lane_of(struct narrow *n, LLVMValueRef vector, unsigned number);

static LLVMValueRef index_constant(struct narrow *n, uint64_t number) {
    return LLVMConstInt(LLVMInt64TypeInContext(n->context), number, false);
}

/* A wave's own row: its lane is loaded where the row is. Other memory may change between two loads. */
static LLVMValueRef load_lane(struct narrow *n, LLVMValueRef load, unsigned number) {
    LLVMValueRef pointer = LLVMGetOperand(load, 0), offset = index_constant(n, 4 * (uint64_t)number);
    LLVMPositionBuilderBefore(n->b, load);
    LLVMValueRef lane = LLVMBuildGEP2(n->b, LLVMInt8TypeInContext(n->context), pointer, &offset, 1, "");
    return LLVMBuildLoad2(n->b, LLVMInt32TypeInContext(n->context), lane, "");
}

static bool is_row_load(const struct narrow *n, LLVMValueRef value) {
    if (!LLVMIsALoadInst(value) || LLVMGetVolatile(value) || LLVMTypeOf(value) != LLVMVectorType(LLVMInt32TypeInContext(n->context), 16))
        return false;
    LLVMValueRef pointer = LLVMGetOperand(value, 0);
    while (LLVMIsAGetElementPtrInst(pointer))
        pointer = LLVMGetOperand(pointer, 0);
    return pointer == n->wave;
}

static LLVMValueRef extract_lane(struct narrow *n, LLVMValueRef vector, unsigned number) {
    LLVMValueRef next = LLVMGetNextInstruction(vector);
    while (LLVMIsAPHINode(next))
        next = LLVMGetNextInstruction(next);
    LLVMPositionBuilderBefore(n->b, next);
    return LLVMBuildExtractElement(n->b, vector, index_constant(n, number), "");
}

static LLVMValueRef shuffled_lane(struct narrow *n, LLVMValueRef shuffle, unsigned number) {
    int from = LLVMGetMaskValue(shuffle, number);
    LLVMValueRef first = LLVMGetOperand(shuffle, 0);
    unsigned size = LLVMGetVectorSize(LLVMTypeOf(first));
    if (from == LLVMGetUndefMaskElem())
        return LLVMGetPoison(LLVMGetElementType(LLVMTypeOf(shuffle)));
    return (unsigned)from < size ? lane_of(n, first, (unsigned)from) : lane_of(n, LLVMGetOperand(shuffle, 1), (unsigned)from - size);
}

/* Of dwords seen as quadwords; other casts keep the vector. */
static LLVMValueRef cast_lane(struct narrow *n, LLVMValueRef cast, unsigned number) {
    LLVMValueRef source = LLVMGetOperand(cast, 0);
    LLVMTypeRef i32 = LLVMInt32TypeInContext(n->context), i64 = LLVMInt64TypeInContext(n->context);
    if (!is_vector(source) || LLVMGetElementType(LLVMTypeOf(source)) != i32 || LLVMGetElementType(LLVMTypeOf(cast)) != i64)
        return extract_lane(n, cast, number);
    LLVMValueRef low = lane_of(n, source, 2 * number), high = lane_of(n, source, 2 * number + 1);
    LLVMPositionBuilderBefore(n->b, cast);
    high = LLVMBuildShl(n->b, LLVMBuildZExt(n->b, high, i64, ""), LLVMConstInt(i64, 32, false), "");
    return LLVMBuildOr(n->b, high, LLVMBuildZExt(n->b, low, i64, ""), "");
}

static LLVMValueRef arithmetic_lane(struct narrow *n, LLVMValueRef value, unsigned number) {
    LLVMValueRef operands[3] = {NULL};
    LLVMOpcode opcode = LLVMGetInstructionOpcode(value);
    for (unsigned i = 0; i < operand_count(value) && i < 3; i++) {
        LLVMValueRef operand = LLVMGetOperand(value, i);
        operands[i] = is_vector(operand) ? lane_of(n, operand, number) : operand;
    }
    LLVMPositionBuilderBefore(n->b, value);
    switch (opcode) {
    case LLVMICmp:
        return LLVMBuildICmp(n->b, LLVMGetICmpPredicate(value), operands[0], operands[1], "");
    case LLVMSelect:
        return LLVMBuildSelect(n->b, operands[0], operands[1], operands[2], "");
    case LLVMZExt:
    case LLVMSExt:
    case LLVMTrunc:
        return LLVMBuildCast(n->b, opcode, operands[0], LLVMGetElementType(LLVMTypeOf(value)), "");
    case LLVMCall: {
        LLVMTypeRef type = LLVMTypeOf(operands[0]);
        LLVMValueRef function = LLVMGetIntrinsicDeclaration(n->module, funnel_shift(value), &type, 1);
        return LLVMBuildCall2(n->b, LLVMGlobalGetValueType(function), function, operands, 3, "");
    }
    default:
        return LLVMBuildBinOp(n->b, opcode, operands[0], operands[1], "");
    }
}

static LLVMValueRef make_lane(struct narrow *n, LLVMValueRef vector, unsigned number) {
    if (!LLVMIsAInstruction(vector))
        return LLVMBuildExtractElement(n->b, vector, index_constant(n, number), ""); /* a constant folds */
    if (is_row_load(n, vector))
        return load_lane(n, vector, number);
    if (!is_arithmetic(vector))
        return extract_lane(n, vector, number);
    switch (LLVMGetInstructionOpcode(vector)) {
    case LLVMInsertElement: {
        LLVMValueRef index = LLVMGetOperand(vector, 2);
        if (!LLVMIsAConstantInt(index))
            return extract_lane(n, vector, number);
        return LLVMConstIntGetZExtValue(index) == number ? LLVMGetOperand(vector, 1) : lane_of(n, LLVMGetOperand(vector, 0), number);
    }
    case LLVMShuffleVector:
        return shuffled_lane(n, vector, number);
    case LLVMBitCast:
        return cast_lane(n, vector, number);
    default:
        return arithmetic_lane(n, vector, number);
    }
}

static LLVMValueRef lane_of(struct narrow *n, LLVMValueRef vector, unsigned number) {
    LLVMValueRef scalar = wl_table_find(&n->lanes, key_of(vector, number));
    if (scalar)
        return scalar;
    scalar = make_lane(n, vector, number);
    if (n->lanes.count < MAX_LANES)
        (void)wl_table_add(&n->lanes, key_of(vector, number), scalar); /* what is not remembered is made again */
    return scalar;
}

static void narrow_extract(struct narrow *n, LLVMValueRef extract) {
    LLVMValueRef vector = LLVMGetOperand(extract, 0), index = LLVMGetOperand(extract, 1);
    if (!LLVMIsAConstantInt(index) || !(is_arithmetic(vector) || is_row_load(n, vector)) || !only_lanes_matter(vector, 0))
        return;
    LLVMReplaceAllUsesWith(extract, lane_of(n, vector, (unsigned)LLVMConstIntGetZExtValue(index)));
}

/* ---- both ---- */

static void erase_unused(LLVMValueRef function) {
    for (LLVMBasicBlockRef block = LLVMGetLastBasicBlock(function); block; block = LLVMGetPreviousBasicBlock(block))
        for (LLVMValueRef inst = LLVMGetLastInstruction(block), before; inst; inst = before) {
            before = LLVMGetPreviousInstruction(inst);
            bool pure = is_arithmetic(inst) || LLVMIsAExtractElementInst(inst) || LLVMIsAGetElementPtrInst(inst);
            if (!LLVMGetFirstUse(inst) && (pure || (LLVMIsALoadInst(inst) && !LLVMGetVolatile(inst))))
                LLVMInstructionEraseFromParent(inst);
        }
}

void wl_emit_outline_addresses(LLVMModuleRef module) {
    LLVMValueRef function = LLVMGetNamedFunction(module, "wl_unit");
    LLVMContextRef context = LLVMGetModuleContext(module);
    struct narrow *n = calloc(1, sizeof *n);
    if (!n)
        return; /* the module is unchanged, and correct */
    *n = (struct narrow){.module = module, .context = context, .b = LLVMCreateBuilderInContext(context), .wave = LLVMGetParam(function, 0)};
    for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(function); block; block = LLVMGetNextBasicBlock(block))
        if (wl_emit_is_cold(block))
            copy_chains(n->b, block);
    for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(function); block; block = LLVMGetNextBasicBlock(block))
        for (LLVMValueRef inst = LLVMGetFirstInstruction(block), next; inst; inst = next) {
            next = LLVMGetNextInstruction(inst);
            if (LLVMIsAExtractElementInst(inst)) {
                if (n->lanes.count >= MAX_LANES - 64)
                    wl_table_clear(&n->lanes);
                narrow_extract(n, inst);
            }
        }
    erase_unused(function);
    LLVMDisposeBuilder(n->b);
    wl_table_free(&n->lanes);
    free(n);
}
