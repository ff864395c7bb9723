/* Waves that lie in one row.
 *
 * Kernels divide an item's number by the length of a row to find its place. A wave mostly lies in one row, so that all its lanes have the
 * same quotient, but nothing says so before it runs. Behind the first division of a unit, this file makes a second copy of the code that
 * is reached by way of it alone. A wave whose lanes have one quotient goes on in the copy, where what is computed from quotients alone is scalar: places
 * of rows and planes, once for a wave instead of once for each lane, and without pairs of vectors that hold 64-bit sums.
 *
 * Compilers divide by multiplication: the quotient is the upper half of a product with a scalar, shifted, mostly after adding the dividend. */
#include "translate/native/emit.h"

#include "base/array.h"
#include "base/table.h"

#include <llvm-c/DebugInfo.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum {
    MAX_STRIPS = 16,   /* of a division */
    MAX_DEPTH = 24,    /* of what a quotient is computed from */
    MAX_COPIED = 4000, /* instructions */
    MAX_BLOCKS = 1000, /* of the unit */
    HALF_BITS = 32,
};

struct quotient {
    LLVMBuilderRef b;
    LLVMValueRef function;
    LLVMBasicBlockRef at, head; /* the block of the first division; what of it comes before the division, afterwards */
    LLVMValueRef strip[MAX_STRIPS], early[MAX_STRIPS]; /* the quotients; the same, computed before the first of them */
    unsigned strips;
    LLVMBasicBlockRef *order; /* the blocks to be copied, each behind those that lead to it, but for loops */
    unsigned blocks, capacity;
    struct wl_table before;  /* instructions of `at` that come before the first quotient */
    struct wl_table first;   /* blocks that each way to the division goes through */
    struct wl_table listed;  /* blocks in `order` */
    struct wl_table copies;  /* blocks and instructions of the copy, by the original's pointer */
    struct wl_table scalars; /* of instructions whose elements all have one value */
    bool failed;             /* no memory */
};

static uint64_t key_of(const void *value) { return (uintptr_t)value; }

static void note(struct quotient *q, struct wl_table *table, const void *from, const void *to) {
    q->failed = q->failed || !wl_table_add(table, key_of(from), to);
}

static bool is_vector(LLVMValueRef value) { return LLVMGetTypeKind(LLVMTypeOf(value)) == LLVMVectorTypeKind; }

static unsigned bits_of(LLVMValueRef value) {
    LLVMTypeRef type = LLVMTypeOf(value);
    type = LLVMGetTypeKind(type) == LLVMVectorTypeKind ? LLVMGetElementType(type) : type;
    return LLVMGetTypeKind(type) == LLVMIntegerTypeKind ? LLVMGetIntTypeWidth(type) : 0;
}

static bool is_op(LLVMValueRef value, LLVMOpcode opcode) { return LLVMIsAInstruction(value) && LLVMGetInstructionOpcode(value) == opcode; }

/* ---- divisions ---- */

/* The constant that all elements have; NULL: there is none. */
static LLVMValueRef splat_constant(LLVMValueRef value) {
    if (!LLVMIsConstant(value) || !is_vector(value) || LLVMIsUndef(value))
        return NULL;
    LLVMValueRef first = LLVMGetAggregateElement(value, 0);
    for (unsigned i = 1; first && i < LLVMGetVectorSize(LLVMTypeOf(value)); i++)
        if (LLVMGetAggregateElement(value, i) != first)
            return NULL;
    return first && LLVMIsAConstantInt(first) ? first : NULL;
}

/* If the value is the upper half of a product, or more of it is shifted out: the product; else NULL. */
static LLVMValueRef product_of(LLVMValueRef value) {
    if (!is_op(value, LLVMTrunc) || bits_of(value) != HALF_BITS || !is_op(LLVMGetOperand(value, 0), LLVMLShr))
        return NULL;
    LLVMValueRef shift = LLVMGetOperand(value, 0), product = LLVMGetOperand(shift, 0), amount = splat_constant(LLVMGetOperand(shift, 1));
    return is_op(product, LLVMMul) && amount && LLVMConstIntGetZExtValue(amount) >= HALF_BITS ? product : NULL;
}

/* If the value is a quotient: the product that it is taken from; else NULL. */
static LLVMValueRef quotient_product(LLVMValueRef value) {
    if (!is_vector(value) || !is_op(value, LLVMLShr) || bits_of(value) != HALF_BITS)
        return NULL;
    LLVMValueRef shifted = LLVMGetOperand(value, 0), product = NULL;
    if (!is_op(shifted, LLVMAdd))
        return product_of(shifted);
    for (unsigned i = 0; i < 2 && !product; i++)
        product = product_of(LLVMGetOperand(shifted, i));
    return product;
}

/* Whether two quotients have one divisor: the passes have made one value of what it is multiplied by, and one of what is shifted by. */
static bool have_one_divisor(LLVMValueRef a, LLVMValueRef b) {
    LLVMValueRef p = quotient_product(a), q = quotient_product(b);
    if (!q || LLVMGetOperand(a, 1) != LLVMGetOperand(b, 1))
        return false;
    for (unsigned i = 0; i < 4; i++)
        if (LLVMGetOperand(p, i / 2) == LLVMGetOperand(q, i % 2))
            return true;
    return false;
}

/* ---- ways through the function ---- */

struct visit {
    LLVMBasicBlockRef block;
    unsigned next;
};

/* Lists the blocks that can follow `from`, itself among them, so that each stands behind those that lead to it, but for loops. `without`: a
 * block that no way may go through, or NULL. */
static void list_following(struct quotient *q, LLVMBasicBlockRef from, LLVMBasicBlockRef without) {
    struct wl_table seen = {0};
    struct visit *stack = NULL;
    unsigned depth = 0, room = 0;
    q->blocks = 0;
    if (from != without && WL_ARRAY_RESERVE(stack, depth, room, 64)) {
        note(q, &seen, from, from);
        stack[depth++] = (struct visit){from, 0};
    }
    while (depth && !q->failed) {
        struct visit *top = &stack[depth - 1];
        LLVMValueRef end = LLVMGetBasicBlockTerminator(top->block); /* NULL: of the head that the branch is still to end */
        if (!end || top->next == LLVMGetNumSuccessors(end)) {
            q->failed = q->failed || !WL_ARRAY_RESERVE(q->order, q->blocks, q->capacity, 64);
            if (!q->failed)
                q->order[q->blocks++] = top->block;
            depth--;
            continue;
        }
        LLVMBasicBlockRef to = LLVMGetSuccessor(end, top->next++);
        if (to == without || wl_table_find(&seen, key_of(to)))
            continue;
        note(q, &seen, to, to);
        q->failed = q->failed || !WL_ARRAY_RESERVE(stack, depth, room, 64);
        if (!q->failed)
            stack[depth++] = (struct visit){to, 0};
    }
    for (unsigned i = 0; i < q->blocks / 2; i++) {
        LLVMBasicBlockRef swapped = q->order[i];
        q->order[i] = q->order[q->blocks - 1 - i];
        q->order[q->blocks - 1 - i] = swapped;
    }
    free(stack);
    wl_table_free(&seen);
}

static bool is_listed(const struct quotient *q, LLVMBasicBlockRef block) { return wl_table_find(&q->listed, key_of(block)) != NULL; }

/* Lists the blocks that are reached by way of the division's block alone. Outside of these, phis alone use what they compute. */
static void list_dominated(struct quotient *q) {
    struct wl_table others = {0};
    unsigned kept = 0;
    list_following(q, LLVMGetEntryBasicBlock(q->function), q->at);
    for (unsigned i = 0; i < q->blocks; i++)
        note(q, &others, q->order[i], q->order[i]);
    list_following(q, q->at, NULL);
    wl_table_clear(&q->listed);
    for (unsigned i = 0; i < q->blocks; i++)
        if (!wl_table_find(&others, key_of(q->order[i]))) {
            note(q, &q->listed, q->order[i], q->order[i]);
            q->order[kept++] = q->order[i];
        }
    q->blocks = kept;
    wl_table_free(&others);
}

/* Whether each way to the division goes through the block. */
static bool comes_first(struct quotient *q, LLVMBasicBlockRef block) {
    bool first = true;
    if (wl_table_find(&q->first, key_of(block)))
        return true;
    list_following(q, LLVMGetEntryBasicBlock(q->function), block);
    for (unsigned i = 0; i < q->blocks; i++)
        first = first && q->order[i] != q->at;
    if (first)
        note(q, &q->first, block, block);
    return first && !q->failed;
}

/* Finds the first division, and what is to be copied. */
static bool find_division(struct quotient *q) {
    for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(q->function); block && !q->at; block = LLVMGetNextBasicBlock(block))
        for (LLVMValueRef inst = LLVMGetFirstInstruction(block); inst && !q->at && !wl_emit_is_cold(block);
             inst = LLVMGetNextInstruction(inst))
            if (quotient_product(inst)) {
                q->at = block;
                q->strip[0] = inst;
            }
    if (!q->at)
        return false;
    for (LLVMValueRef inst = LLVMGetFirstInstruction(q->at); inst != q->strip[0]; inst = LLVMGetNextInstruction(inst))
        note(q, &q->before, inst, inst);
    list_dominated(q);
    return !q->failed;
}

/* Finds the division's other strips. */
static bool find_strips(struct quotient *q) {
    LLVMValueRef first = q->strip[0];
    for (unsigned i = 0; i < q->blocks; i++)
        for (LLVMValueRef inst = LLVMGetFirstInstruction(q->order[i]); inst && !wl_emit_is_cold(q->order[i]);
             inst = LLVMGetNextInstruction(inst))
            if (inst == first || have_one_divisor(first, inst)) {
                if (q->strips == MAX_STRIPS)
                    return false;
                q->strip[q->strips++] = inst;
            }
    return true;
}

/* Whether the copy is of a size that may be there twice. */
static bool can_be_copied(struct quotient *q) {
    unsigned count = 0;
    for (unsigned i = 0; i < q->blocks; i++)
        for (LLVMValueRef inst = LLVMGetFirstInstruction(q->order[i]); inst; inst = LLVMGetNextInstruction(inst))
            count++;
    return count <= MAX_COPIED;
}

/* ---- the quotients, before the first one ---- */

static bool is_pure(LLVMValueRef inst) {
    return LLVMIsABinaryOperator(inst) || LLVMIsACastInst(inst) || LLVMIsAShuffleVectorInst(inst) || LLVMIsAInsertElementInst(inst) ||
           LLVMIsAExtractElementInst(inst);
}

/* Inserts an instruction before another one of the block, or at its end (NULL). */
static void insert(struct quotient *q, LLVMValueRef inst, LLVMMetadataRef location, LLVMBasicBlockRef block, LLVMValueRef before) {
    if (before)
        LLVMPositionBuilderBefore(q->b, before);
    else
        LLVMPositionBuilderAtEnd(q->b, block);
    LLVMSetCurrentDebugLocation2(q->b, location); /* which inserting gives to the instruction */
    LLVMInsertIntoBuilder(q->b, inst);
}

/* The value as it can be had before the first quotient: itself, or computed again there. NULL: it cannot. */
static LLVMValueRef early_value(struct quotient *q, LLVMValueRef value, unsigned depth) {
    if (!LLVMIsAInstruction(value) || wl_table_find(&q->before, key_of(value)))
        return value;
    LLVMValueRef made = wl_table_find(&q->copies, key_of(value));
    LLVMBasicBlockRef block = LLVMGetInstructionParent(value);
    if (made || (block != q->at && comes_first(q, block)))
        return made ? made : value;
    if (depth == MAX_DEPTH || !is_pure(value))
        return NULL;
    LLVMValueRef operands[3] = {NULL};
    const unsigned count = (unsigned)LLVMGetNumOperands(value);
    for (unsigned i = 0; i < count; i++)
        if (!(operands[i] = early_value(q, LLVMGetOperand(value, i), depth + 1)))
            return NULL;
    made = LLVMInstructionClone(value);
    for (unsigned i = 0; i < count; i++)
        LLVMSetOperand(made, i, operands[i]);
    insert(q, made, LLVMInstructionGetDebugLoc(value), q->at, q->strip[0]);
    note(q, &q->before, made, made);
    note(q, &q->copies, value, made);
    return made;
}

/* Strips of which one cannot be had early stay as they are. */
static void find_early(struct quotient *q) {
    unsigned kept = 0;
    for (unsigned i = 0; i < q->strips; i++) {
        LLVMValueRef value = early_value(q, q->strip[i], 0);
        if (!value)
            continue;
        q->strip[kept] = q->strip[i];
        q->early[kept++] = value;
    }
    q->strips = kept;
}

/* ---- the copy ---- */

static LLVMValueRef scalar_of(struct quotient *q, LLVMValueRef value);

static LLVMValueRef copy_of(struct quotient *q, LLVMValueRef value) {
    LLVMValueRef copy = wl_table_find(&q->copies, key_of(value));
    return copy ? copy : value;
}

static LLVMValueRef splat(struct quotient *q, LLVMValueRef scalar, unsigned size) {
    LLVMTypeRef i32 = LLVMInt32TypeInContext(LLVMGetTypeContext(LLVMTypeOf(scalar)));
    LLVMValueRef poison = LLVMGetPoison(LLVMVectorType(LLVMTypeOf(scalar), size));
    LLVMValueRef first = LLVMBuildInsertElement(q->b, poison, scalar, LLVMConstInt(i32, 0, 0), "");
    return LLVMBuildShuffleVector(q->b, first, poison, LLVMConstNull(LLVMVectorType(i32, size)), "");
}

/* The distance of a shuffle's elements in its first operand: they are `first`, `first` + distance, ...; -1: they are not. */
static int shuffle_distance(LLVMValueRef shuffle, int *first) {
    const int size = (int)LLVMGetVectorSize(LLVMTypeOf(LLVMGetOperand(shuffle, 0)));
    const unsigned count = LLVMGetNumMaskElements(shuffle);
    *first = LLVMGetMaskValue(shuffle, 0);
    const int distance = count > 1 ? LLVMGetMaskValue(shuffle, 1) - *first : 0;
    for (unsigned i = 0; i < count; i++) {
        const int at = LLVMGetMaskValue(shuffle, i);
        if (at < 0 || at >= size || at != *first + (int)i * distance)
            return -1;
    }
    return distance;
}

/* A shuffle whose elements are all one: one element of its operand, any of a uniform operand, or one half of such a pair. */
static LLVMValueRef scalar_shuffle(struct quotient *q, LLVMValueRef shuffle) {
    LLVMValueRef from = LLVMGetOperand(shuffle, 0), scalar = scalar_of(q, from);
    int first = 0;
    const int distance = shuffle_distance(shuffle, &first);
    if (distance < 0)
        return NULL;
    if (scalar)
        return scalar;
    if (distance == 0) {
        LLVMTypeRef i32 = LLVMInt32TypeInContext(LLVMGetTypeContext(LLVMTypeOf(from)));
        return LLVMBuildExtractElement(q->b, copy_of(q, from), LLVMConstInt(i32, (unsigned)first, 0), "");
    }
    if (distance != 2 || !is_op(from, LLVMBitCast) || bits_of(from) != HALF_BITS || bits_of(LLVMGetOperand(from, 0)) != 2 * HALF_BITS)
        return NULL;
    scalar = scalar_of(q, LLVMGetOperand(from, 0));
    if (scalar && first % 2)
        scalar = LLVMBuildLShr(q->b, scalar, LLVMConstInt(LLVMTypeOf(scalar), HALF_BITS, 0), "");
    return scalar ? LLVMBuildTrunc(q->b, scalar, LLVMGetElementType(LLVMTypeOf(shuffle)), "") : NULL;
}

/* A call of a function of LLVM's for each element. */
static LLVMValueRef scalar_call(struct quotient *q, LLVMValueRef call) {
    static const char shift[] = "llvm.fshl";
    const unsigned id = LLVMGetIntrinsicID(LLVMGetCalledValue(call));
    if (!id || id != LLVMLookupIntrinsicID(shift, sizeof shift - 1))
        return NULL;
    LLVMValueRef operands[3];
    for (unsigned i = 0; i < 3; i++)
        if (!(operands[i] = scalar_of(q, LLVMGetOperand(call, i))))
            return NULL;
    LLVMTypeRef type = LLVMTypeOf(operands[0]);
    LLVMContextRef context = LLVMGetTypeContext(type);
    LLVMValueRef function = LLVMGetIntrinsicDeclaration(LLVMGetGlobalParent(q->function), id, &type, 1);
    return LLVMBuildCall2(q->b, LLVMIntrinsicGetType(context, id, &type, 1), function, operands, 3, "");
}

/* Makes the one value that all elements of an instruction of the original have in the copy. NULL: they may differ. */
static LLVMValueRef make_scalar(struct quotient *q, LLVMValueRef inst) {
    if (LLVMIsAShuffleVectorInst(inst))
        return scalar_shuffle(q, inst);
    if (LLVMIsACallInst(inst))
        return scalar_call(q, inst);
    const bool binary = LLVMIsABinaryOperator(inst), cast = is_op(inst, LLVMZExt) || is_op(inst, LLVMSExt) || is_op(inst, LLVMTrunc);
    if (!bits_of(inst) || (!binary && !cast && !LLVMIsAICmpInst(inst)))
        return NULL;
    LLVMValueRef a = scalar_of(q, LLVMGetOperand(inst, 0)), b = cast ? a : scalar_of(q, LLVMGetOperand(inst, 1));
    if (!a || !b)
        return NULL;
    if (cast)
        return LLVMBuildCast(q->b, LLVMGetInstructionOpcode(inst), a, LLVMGetElementType(LLVMTypeOf(inst)), "");
    return binary ? LLVMBuildBinOp(q->b, LLVMGetInstructionOpcode(inst), a, b, "")
                  : LLVMBuildICmp(q->b, LLVMGetICmpPredicate(inst), a, b, "");
}

/* What all elements of the value have in the copy, if that is known; NULL: it is not. */
static LLVMValueRef scalar_of(struct quotient *q, LLVMValueRef value) {
    LLVMValueRef scalar = splat_constant(value);
    if (scalar || !LLVMIsAInstruction(value) || !is_vector(value))
        return scalar;
    scalar = wl_table_find(&q->scalars, key_of(value));
    if (scalar || !LLVMIsAShuffleVectorInst(value) || is_listed(q, LLVMGetInstructionParent(value)))
        return scalar;
    /* A scalar that is a vector since before the division: any place in the copy may need it. */
    LLVMBasicBlockRef here = LLVMGetInsertBlock(q->b);
    LLVMPositionBuilderAtEnd(q->b, q->head);
    scalar = scalar_shuffle(q, value);
    LLVMPositionBuilderAtEnd(q->b, here);
    if (scalar)
        note(q, &q->scalars, value, scalar);
    return scalar;
}

static void copy_instruction(struct quotient *q, LLVMValueRef inst) {
    LLVMValueRef scalar = wl_table_find(&q->scalars, key_of(inst));
    LLVMSetCurrentDebugLocation2(q->b, LLVMInstructionGetDebugLoc(inst));
    if (!scalar && is_vector(inst) && !LLVMIsAPHINode(inst)) {
        scalar = make_scalar(q, inst);
        if (scalar)
            note(q, &q->scalars, inst, scalar);
    }
    if (scalar) {
        note(q, &q->copies, inst, splat(q, scalar, LLVMGetVectorSize(LLVMTypeOf(inst))));
        return;
    }
    LLVMValueRef copy;
    if (LLVMIsAPHINode(inst))
        copy = LLVMBuildPhi(q->b, LLVMTypeOf(inst), "");
    else {
        copy = LLVMInstructionClone(inst);
        for (unsigned i = 0; i < (unsigned)LLVMGetNumOperands(inst); i++)
            if (!LLVMValueIsBasicBlock(LLVMGetOperand(inst, i)))
                LLVMSetOperand(copy, i, copy_of(q, LLVMGetOperand(inst, i)));
        LLVMInsertIntoBuilder(q->b, copy);
    }
    note(q, &q->copies, inst, copy);
    if (LLVMIsATerminatorInst(inst))
        for (unsigned i = 0; i < LLVMGetNumSuccessors(inst); i++)
            if (is_listed(q, LLVMGetSuccessor(inst, i)))
                LLVMSetSuccessor(copy, i, wl_table_find(&q->copies, key_of(LLVMGetSuccessor(inst, i))));
}

/* Gives a phi of the copy, or one behind it, what comes from the copy's blocks. */
static void add_incoming(struct quotient *q, LLVMValueRef original, LLVMValueRef phi) {
    const unsigned count = LLVMCountIncoming(original);
    for (unsigned i = 0; i < count; i++) {
        LLVMBasicBlockRef from = wl_table_find(&q->copies, key_of(LLVMGetIncomingBlock(original, i)));
        LLVMValueRef value = copy_of(q, LLVMGetIncomingValue(original, i));
        if (from)
            LLVMAddIncoming(phi, &value, &from, 1);
    }
}

static void copy_blocks(struct quotient *q) {
    LLVMContextRef context = LLVMGetTypeContext(LLVMTypeOf(q->function));
    LLVMBasicBlockRef last = LLVMGetLastBasicBlock(q->function);
    for (unsigned i = 0; i < q->blocks; i++) {
        const char *name = LLVMGetBasicBlockName(q->order[i]);
        note(q, &q->copies, q->order[i], LLVMAppendBasicBlockInContext(context, q->function, name));
    }
    for (unsigned i = 0; i < q->blocks && !q->failed; i++) {
        LLVMPositionBuilderAtEnd(q->b, wl_table_find(&q->copies, key_of(q->order[i])));
        for (LLVMValueRef inst = LLVMGetFirstInstruction(q->order[i]); inst && !q->failed; inst = LLVMGetNextInstruction(inst))
            copy_instruction(q, inst);
    }
    for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(q->function); !q->failed; block = LLVMGetNextBasicBlock(block)) {
        for (LLVMValueRef phi = LLVMGetFirstInstruction(block); phi && LLVMIsAPHINode(phi); phi = LLVMGetNextInstruction(phi))
            add_incoming(q, phi, is_listed(q, block) ? copy_of(q, phi) : phi);
        if (block == last)
            break;
    }
}

/* ---- the branch ---- */

/* Gives what stands before the division a block of its own. The division keeps its block, which following blocks know as where they are
 * entered from. */
static void split(struct quotient *q) {
    q->head = LLVMInsertBasicBlockInContext(LLVMGetTypeContext(LLVMTypeOf(q->function)), q->at, "");
    for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(q->function); block; block = LLVMGetNextBasicBlock(block)) {
        LLVMValueRef end = LLVMGetBasicBlockTerminator(block);
        for (unsigned i = 0; end && i < LLVMGetNumSuccessors(end); i++)
            if (LLVMGetSuccessor(end, i) == q->at)
                LLVMSetSuccessor(end, i, q->head);
    }
    for (LLVMValueRef inst = LLVMGetFirstInstruction(q->at), next; inst != q->strip[0]; inst = next) {
        next = LLVMGetNextInstruction(inst);
        LLVMMetadataRef location = LLVMInstructionGetDebugLoc(inst);
        LLVMInstructionRemoveFromParent(inst);
        insert(q, inst, location, q->head, NULL);
    }
    LLVMPositionBuilderAtEnd(q->b, q->head);
}

/* Computes whether all lanes have one quotient, and notes it as their scalar. */
static LLVMValueRef build_test(struct quotient *q) {
    LLVMContextRef context = LLVMGetTypeContext(LLVMTypeOf(q->function));
    const unsigned size = LLVMGetVectorSize(LLVMTypeOf(q->early[0]));
    LLVMSetCurrentDebugLocation2(q->b, LLVMInstructionGetDebugLoc(q->strip[0]));
    LLVMValueRef scalar = LLVMBuildExtractElement(q->b, q->early[0], LLVMConstInt(LLVMInt32TypeInContext(context), 0, 0), "");
    LLVMValueRef wanted = splat(q, scalar, size), differing = NULL;
    for (unsigned i = 0; i < q->strips; i++) {
        LLVMValueRef bits = LLVMBuildXor(q->b, q->early[i], wanted, "");
        differing = differing ? LLVMBuildOr(q->b, differing, bits, "") : bits;
        note(q, &q->scalars, q->strip[i], scalar);
    }
    LLVMTypeRef whole = LLVMIntTypeInContext(context, size * HALF_BITS);
    return LLVMBuildICmp(q->b, LLVMIntEQ, LLVMBuildBitCast(q->b, differing, whole, ""), LLVMConstNull(whole), "");
}

enum wl_status wl_emit_split_by_quotient(LLVMModuleRef module, bool *split_it) {
    struct quotient q = {.function = LLVMGetNamedFunction(module, "wl_unit"),
                         .b = LLVMCreateBuilderInContext(LLVMGetModuleContext(module))};
    *split_it = false;
    if (LLVMCountBasicBlocks(q.function) <= MAX_BLOCKS && find_division(&q) && find_strips(&q) && can_be_copied(&q)) {
        find_early(&q);
        *split_it = q.strips && !q.failed;
    }
    wl_table_clear(&q.copies);
    if (*split_it) {
        split(&q);
        LLVMValueRef one = build_test(&q);
        list_dominated(&q);
        copy_blocks(&q);
        LLVMPositionBuilderAtEnd(q.b, q.head);
        LLVMBuildCondBr(q.b, one, q.failed ? q.at : wl_table_find(&q.copies, key_of(q.at)), q.at);
    }
    LLVMDisposeBuilder(q.b);
    wl_table_free(&q.before);
    wl_table_free(&q.first);
    wl_table_free(&q.listed);
    wl_table_free(&q.copies);
    wl_table_free(&q.scalars);
    free(q.order);
    return q.failed ? wl_fail(WL_OUT_OF_MEMORY, "no memory for a second copy of code") : WL_OK;
}
