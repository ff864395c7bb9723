/* Registers that a loop writes become values while the loop runs.
 *
 * Lifted code keeps a vector register in the wave between vector regions. In a loop that is a store and a load for every round, and where a
 * lane of it is looked at as a scalar (an address, a counter), the next round's loads wait for the store of the last one's. Here a row
 * that a loop stores whole, or under a mask, is loaded where the loop is entered, kept in a variable, and stored where the loop is left: the
 * passes make phis of it, and selections of masks. (The host cannot load at once what it has stored under a mask.)
 *
 * A loop is a strongly connected component of the blocks. It may have several entries, since a wave may be resumed in the middle of it;
 * what LLVM knows as loops has one. */
#include "translate/native/emit.h"

#include "base/array.h"
#include "machine/wave.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

enum {
    SLOT_BYTES = 64, /* of one strip of a row */
    FIRST_SLOT = offsetof(struct wl_wave, vgpr) / SLOT_BYTES,
    SLOTS = FIRST_SLOT + WL_VGPR_COUNT * 4,
    MAX_DEPTH = 8,     /* of pointers made of pointers */
    MAX_PROMOTED = 24, /* strips of rows a loop: the host has 32 registers */
};

/* What a component does to a slot (one strip of a row): stores it whole; or accesses it in other ways, so that it must stay in memory. */
enum { STORED = 1, BOUND = 2 };
enum access_kind { ACCESS_LOAD, ACCESS_STORE, ACCESS_MASKED_STORE, ACCESS_OTHER };

/* An instruction that accesses one slot, or several. */
struct access {
    LLVMValueRef inst;
    unsigned first_slot, slots;
    enum access_kind kind;
    uint32_t component;
};

struct block {
    LLVMBasicBlockRef at;
    uint32_t component;
    uint32_t order, low; /* the two numbers of Tarjan's algorithm; order 0: the block was not visited yet */
    bool on_stack;
};

/* A component in which some slots become variables. */
struct loop {
    unsigned count, slot[MAX_PROMOTED];
    LLVMValueRef variable[MAX_PROMOTED];
};

struct promote {
    LLVMContextRef context;
    LLVMBuilderRef b;
    LLVMValueRef function, wave;
    LLVMTypeRef row;
    unsigned strips; /* of a row */
    struct block *blocks;
    uint32_t block_count, component_count;
    struct access *accesses;
    uint32_t access_count, access_capacity;
    bool failed; /* no memory, or the wave is used in a way that this file does not know */
    struct loop *loops;
    uint32_t loop_count;
    uint32_t *loop_of;    /* by component: 1 + its loop, 0: none */
    uint8_t state[SLOTS]; /* of the component at hand: STORED, BOUND */
};

/* ---- blocks ---- */

static int compare_blocks(const void *a, const void *b) {
    uintptr_t x = (uintptr_t)((const struct block *)a)->at, y = (uintptr_t)((const struct block *)b)->at;
    return x < y ? -1 : x > y;
}

static uint32_t block_index(const struct promote *p, LLVMBasicBlockRef at) {
    const struct block key = {.at = at};
    const struct block *found = bsearch(&key, p->blocks, p->block_count, sizeof key, compare_blocks);
    return found ? (uint32_t)(found - p->blocks) : UINT32_MAX;
}

static bool list_blocks(struct promote *p) {
    p->block_count = LLVMCountBasicBlocks(p->function);
    p->blocks = calloc(p->block_count, sizeof *p->blocks);
    if (!p->blocks)
        return false;
    uint32_t i = 0;
    for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(p->function); block; block = LLVMGetNextBasicBlock(block))
        p->blocks[i++].at = block;
    qsort(p->blocks, p->block_count, sizeof *p->blocks, compare_blocks);
    return true;
}

/* A block whose successors are being looked at. */
struct visit {
    uint32_t block;
    unsigned next;
};

/* Tarjan's algorithm, with a stack of its own: units have thousands of blocks. */
static bool find_components(struct promote *p) {
    uint32_t *stack = malloc(p->block_count * sizeof *stack), depth = 0, visits = 0, clock = 0;
    struct visit *visit = malloc(p->block_count * sizeof *visit);
    for (uint32_t root = 0; stack && visit && root < p->block_count; root++) {
        if (p->blocks[root].order)
            continue;
        visit[visits++] = (struct visit){root, 0};
        while (visits) {
            struct visit *top = &visit[visits - 1];
            struct block *block = &p->blocks[top->block];
            if (!block->order) {
                block->order = block->low = ++clock;
                block->on_stack = true;
                stack[depth++] = top->block;
            }
            LLVMValueRef end = LLVMGetBasicBlockTerminator(block->at);
            if (top->next < LLVMGetNumSuccessors(end)) {
                struct block *to = &p->blocks[block_index(p, LLVMGetSuccessor(end, top->next++))];
                if (!to->order)
                    visit[visits++] = (struct visit){(uint32_t)(to - p->blocks), 0};
                else if (to->on_stack && to->order < block->low)
                    block->low = to->order;
                continue;
            }
            if (block->low == block->order) {
                uint32_t member;
                do {
                    member = stack[--depth];
                    p->blocks[member].on_stack = false;
                    p->blocks[member].component = p->component_count;
                } while (member != top->block);
                p->component_count++;
            }
            visits--;
            if (visits && block->low < p->blocks[visit[visits - 1].block].low)
                p->blocks[visit[visits - 1].block].low = block->low;
        }
    }
    bool done = stack && visit;
    free(stack);
    free(visit);
    return done;
}

/* ---- accesses ---- */

static void add_access(struct promote *p, LLVMValueRef inst, uint64_t offset, uint64_t bytes, enum access_kind kind) {
    uint64_t first = offset / SLOT_BYTES, end = (offset + bytes + SLOT_BYTES - 1) / SLOT_BYTES;
    if (end <= FIRST_SLOT)
        return; /* no register */
    if (!WL_ARRAY_RESERVE(p->accesses, p->access_count, p->access_capacity, 256)) {
        p->failed = true;
        return;
    }
    if (end > SLOTS)
        end = SLOTS;
    p->accesses[p->access_count++] = (struct access){inst, (unsigned)first, (unsigned)(end - first), kind,
                                                     p->blocks[block_index(p, LLVMGetInstructionParent(inst))].component};
}

static void add_whole(struct promote *p, LLVMValueRef inst, uint64_t offset, LLVMTypeRef type, bool is_volatile, enum access_kind kind) {
    LLVMTargetDataRef layout = LLVMGetModuleDataLayout(LLVMGetGlobalParent(p->function));
    uint64_t bytes = LLVMStoreSizeOfType(layout, type);
    bool whole = bytes == SLOT_BYTES && offset % SLOT_BYTES == 0 && !is_volatile;
    add_access(p, inst, offset, bytes, whole ? kind : ACCESS_OTHER);
}

/* Whether a value is a strip's number * 64, or such with a known constant added, which *base then is. */
static bool is_strip_offset(LLVMValueRef value, uint64_t *base) {
    *base = 0;
    if (LLVMIsABinaryOperator(value) && LLVMGetInstructionOpcode(value) == LLVMAdd && LLVMIsAConstantInt(LLVMGetOperand(value, 1))) {
        *base = LLVMConstIntGetZExtValue(LLVMGetOperand(value, 1));
        value = LLVMGetOperand(value, 0);
    }
    return LLVMIsAInstruction(value) && LLVMGetInstructionOpcode(value) == LLVMShl && LLVMIsAConstantInt(LLVMGetOperand(value, 1)) &&
           LLVMConstIntGetZExtValue(LLVMGetOperand(value, 1)) == 6;
}

/* Whether an instruction is a store under a mask to `pointer`. */
static bool is_masked_store(LLVMValueRef inst, LLVMValueRef pointer) {
    static const char name[] = "llvm.masked.store";
    LLVMValueRef callee = LLVMIsACallInst(inst) ? LLVMGetCalledValue(inst) : NULL;
    return callee && LLVMIsAFunction(callee) && LLVMGetIntrinsicID(callee) == LLVMLookupIntrinsicID(name, sizeof name - 1) &&
           LLVMGetOperand(inst, 1) == pointer && LLVMGetOperand(inst, 0) != pointer;
}

/* Lists the accesses through `pointer`, which is the wave + offset; with any_strip it may also be any other strip of the row there. */
static void follow(struct promote *p, LLVMValueRef pointer, uint64_t offset, bool any_strip, unsigned depth);

static void follow_offset(struct promote *p, LLVMValueRef gep, LLVMValueRef pointer, uint64_t offset, bool any_strip, unsigned depth) {
    LLVMTypeRef element = LLVMGetGEPSourceElementType(gep);
    bool bytes = LLVMGetTypeKind(element) == LLVMIntegerTypeKind && LLVMGetIntTypeWidth(element) == 8 && LLVMGetNumIndices(gep) == 1;
    LLVMValueRef index = LLVMGetOperand(gep, 1);
    uint64_t base;
    if (bytes && LLVMGetOperand(gep, 0) == pointer && LLVMIsAConstantInt(index))
        follow(p, gep, offset + LLVMConstIntGetZExtValue(index), any_strip, depth + 1);
    else if (bytes && LLVMGetOperand(gep, 0) == pointer && !any_strip && is_strip_offset(index, &base))
        follow(p, gep, offset + base, true, depth + 1);
    else
        p->failed = true;
}

/* Whether the callee is a function of the module. Such functions read fields of the wave, but no registers. */
static bool is_own(LLVMValueRef callee) { return LLVMIsAFunction(callee) && !LLVMIsDeclaration(callee); }

static void follow(struct promote *p, LLVMValueRef pointer, uint64_t offset, bool any_strip, unsigned depth) {
    uint64_t all = (uint64_t)p->strips * SLOT_BYTES;
    if (depth == MAX_DEPTH)
        p->failed = true;
    for (LLVMUseRef use = LLVMGetFirstUse(pointer); use && !p->failed; use = LLVMGetNextUse(use)) {
        LLVMValueRef user = LLVMGetUser(use);
        if (LLVMIsAGetElementPtrInst(user))
            follow_offset(p, user, pointer, offset, any_strip, depth);
        else if (any_strip && LLVMIsAInstruction(user))
            add_access(p, user, offset, all, ACCESS_OTHER);
        else if (LLVMIsALoadInst(user))
            add_whole(p, user, offset, LLVMTypeOf(user), LLVMGetVolatile(user), ACCESS_LOAD);
        else if (LLVMIsAStoreInst(user) && LLVMGetOperand(user, 1) == pointer && LLVMGetOperand(user, 0) != pointer)
            add_whole(p, user, offset, LLVMTypeOf(LLVMGetOperand(user, 0)), LLVMGetVolatile(user), ACCESS_STORE);
        else if (is_masked_store(user, pointer))
            add_whole(p, user, offset, LLVMTypeOf(LLVMGetOperand(user, 0)), false, ACCESS_MASKED_STORE);
        else if (LLVMIsACallInst(user) && is_own(LLVMGetCalledValue(user)))
            continue;
        else if (LLVMIsAInstruction(user)) /* a helper may look at all registers */
            add_access(p, user, 0, (uint64_t)SLOTS * SLOT_BYTES, ACCESS_OTHER);
        else
            p->failed = true;
    }
}

/* ---- edges ---- */

static LLVMValueRef slot_pointer(struct promote *p, unsigned slot) {
    LLVMValueRef offset = LLVMConstInt(LLVMInt64TypeInContext(p->context), (uint64_t)slot * SLOT_BYTES, false);
    return LLVMBuildGEP2(p->b, LLVMInt8TypeInContext(p->context), p->wave, &offset, 1, "");
}

static void move_row(struct promote *p, LLVMValueRef from, LLVMValueRef to) {
    LLVMValueRef value = LLVMBuildLoad2(p->b, p->row, from, "");
    LLVMSetAlignment(value, SLOT_BYTES);
    LLVMSetAlignment(LLVMBuildStore(p->b, value, to), SLOT_BYTES);
}

static void move_rows(struct promote *p, const struct loop *loop, bool enter) {
    for (unsigned i = 0; i < loop->count; i++) {
        LLVMValueRef there = slot_pointer(p, loop->slot[i]), here = loop->variable[i];
        move_row(p, enter ? there : here, enter ? here : there);
    }
}

/* The phis of `block` as they are when control comes from `to` instead of `from`. */
static void redirect_phis(struct promote *p, LLVMBasicBlockRef block, LLVMBasicBlockRef from, LLVMBasicBlockRef to) {
    for (LLVMValueRef phi = LLVMGetFirstInstruction(block), next; phi && LLVMIsAPHINode(phi); phi = next) {
        next = LLVMGetNextInstruction(phi);
        LLVMPositionBuilderBefore(p->b, phi);
        LLVMValueRef changed = LLVMBuildPhi(p->b, LLVMTypeOf(phi), "");
        bool moved = false;
        for (unsigned i = 0; i < LLVMCountIncoming(phi); i++) {
            LLVMBasicBlockRef source = LLVMGetIncomingBlock(phi, i);
            LLVMValueRef value = LLVMGetIncomingValue(phi, i);
            if (source == from && moved)
                continue; /* several edges are one now */
            moved |= source == from;
            source = source == from ? to : source;
            LLVMAddIncoming(changed, &value, &source, 1);
        }
        LLVMReplaceAllUsesWith(phi, changed);
        LLVMInstructionEraseFromParent(phi);
    }
}

/* A block on the way from one block to another. The builder stands before its end. */
static void split_edge(struct promote *p, LLVMBasicBlockRef from, LLVMBasicBlockRef to) {
    LLVMBasicBlockRef between = LLVMInsertBasicBlockInContext(p->context, to, "edge");
    LLVMValueRef end = LLVMGetBasicBlockTerminator(from);
    redirect_phis(p, to, from, between);
    for (unsigned i = 0; i < LLVMGetNumSuccessors(end); i++)
        if (LLVMGetSuccessor(end, i) == to)
            LLVMSetSuccessor(end, i, between);
    LLVMPositionBuilderAtEnd(p->b, between);
    LLVMPositionBuilderBefore(p->b, LLVMBuildBr(p->b, to));
}

static const struct loop no_loop;

static const struct loop *loop_at(const struct promote *p, uint32_t block) {
    uint32_t number = p->loop_of[p->blocks[block].component];
    return number ? &p->loops[number - 1] : &no_loop;
}

/* Rows go to their variables on the way into a loop, and back on the way out. */
static void guard_edges(struct promote *p) {
    for (uint32_t from = 0; from < p->block_count; from++) {
        LLVMValueRef end = LLVMGetBasicBlockTerminator(p->blocks[from].at);
        for (unsigned s = 0; s < LLVMGetNumSuccessors(end); s++) {
            uint32_t to = block_index(p, LLVMGetSuccessor(end, s));
            if (to == UINT32_MAX || p->blocks[from].component == p->blocks[to].component)
                continue; /* UINT32_MAX: split already */
            const struct loop *left = loop_at(p, from), *entered = loop_at(p, to);
            if (!left->count && !entered->count)
                continue;
            split_edge(p, p->blocks[from].at, p->blocks[to].at);
            move_rows(p, left, false);
            move_rows(p, entered, true);
        }
    }
}

/* ---- loops ---- */

static int compare_accesses(const void *a, const void *b) {
    uint32_t x = ((const struct access *)a)->component, y = ((const struct access *)b)->component;
    return x < y ? -1 : x > y;
}

/* Whether a block that is not cold calls a function. Calls keep no vector register of the host, so that variables would be spilled. */
static bool calls(LLVMBasicBlockRef block) {
    if (wl_emit_is_cold(block))
        return false;
    for (LLVMValueRef inst = LLVMGetFirstInstruction(block); inst; inst = LLVMGetNextInstruction(inst)) {
        LLVMValueRef callee = LLVMIsACallInst(inst) ? LLVMGetCalledValue(inst) : NULL;
        if (callee && !(LLVMIsAFunction(callee) && LLVMGetIntrinsicID(callee)))
            return true;
    }
    return false;
}

/* Blocks that can follow themselves. */
static bool is_loop(const struct promote *p, uint32_t block) {
    LLVMValueRef end = LLVMGetBasicBlockTerminator(p->blocks[block].at);
    for (unsigned s = 0; s < LLVMGetNumSuccessors(end); s++)
        if (p->blocks[block_index(p, LLVMGetSuccessor(end, s))].component == p->blocks[block].component)
            return true;
    return false;
}

static LLVMValueRef make_variable(struct promote *p) {
    LLVMPositionBuilderBefore(p->b, LLVMGetFirstInstruction(LLVMGetEntryBasicBlock(p->function)));
    LLVMValueRef variable = LLVMBuildAlloca(p->b, p->row, "row");
    LLVMSetAlignment(variable, SLOT_BYTES);
    return variable;
}

/* Chooses the rows that a component stores whole and never touches otherwise; its accesses are `first` to `end`. */
static void choose_slots(struct promote *p, struct loop *loop, uint32_t first, uint32_t end) {
    memset(p->state, 0, sizeof p->state);
    for (uint32_t i = first; i < end; i++)
        for (unsigned s = 0; s < p->accesses[i].slots && p->accesses[i].kind != ACCESS_LOAD; s++)
            p->state[p->accesses[i].first_slot + s] |= p->accesses[i].kind == ACCESS_OTHER ? BOUND : STORED;
    for (unsigned slot = FIRST_SLOT; slot < SLOTS; slot++)
        if (p->state[slot] == STORED) {
            if (loop->count == MAX_PROMOTED) {
                loop->count = 0; /* they would only be on the stack instead */
                return;
            }
            loop->slot[loop->count++] = slot;
        }
}

/* Stores the lanes of the mask to a variable. Others keep what is there. */
static void store_selected(struct promote *p, LLVMValueRef store, LLVMValueRef variable) {
    LLVMValueRef value = LLVMGetOperand(store, 0), mask = LLVMGetOperand(store, 3);
    LLVMPositionBuilderBefore(p->b, store);
    LLVMValueRef old = LLVMBuildLoad2(p->b, LLVMTypeOf(value), variable, "");
    LLVMSetAlignment(old, SLOT_BYTES);
    LLVMSetAlignment(LLVMBuildStore(p->b, LLVMBuildSelect(p->b, mask, value, old, ""), variable), SLOT_BYTES);
    LLVMInstructionEraseFromParent(store);
}

static void promote_component(struct promote *p, uint32_t first, uint32_t end) {
    struct loop *loop = &p->loops[p->loop_count];
    choose_slots(p, loop, first, end);
    if (!loop->count)
        return;
    p->loop_of[p->accesses[first].component] = ++p->loop_count;
    LLVMValueRef by_slot[SLOTS] = {NULL};
    for (unsigned i = 0; i < loop->count; i++)
        by_slot[loop->slot[i]] = loop->variable[i] = make_variable(p);
    for (uint32_t i = first; i < end; i++) {
        const struct access *a = &p->accesses[i];
        if (a->kind == ACCESS_MASKED_STORE && by_slot[a->first_slot])
            store_selected(p, a->inst, by_slot[a->first_slot]);
        else if (a->kind != ACCESS_OTHER && by_slot[a->first_slot])
            LLVMSetOperand(a->inst, a->kind == ACCESS_STORE ? 1 : 0, by_slot[a->first_slot]);
    }
}

static bool promote_loops(struct promote *p) {
    enum { LOOPS = 1, CALLS = 2 };
    p->loops = calloc(p->component_count, sizeof *p->loops);
    p->loop_of = calloc(p->component_count, sizeof *p->loop_of);
    uint8_t *loops = calloc(p->component_count, 1);
    if (!p->loops || !p->loop_of || !loops) {
        free(loops);
        return false;
    }
    for (uint32_t i = 0; i < p->block_count; i++)
        loops[p->blocks[i].component] |= (is_loop(p, i) ? LOOPS : 0) | (calls(p->blocks[i].at) ? CALLS : 0);
    if (p->access_count)
        qsort(p->accesses, p->access_count, sizeof *p->accesses, compare_accesses);
    for (uint32_t first = 0, end; first < p->access_count; first = end) {
        uint32_t component = p->accesses[first].component;
        for (end = first; end < p->access_count && p->accesses[end].component == component;)
            end++;
        if (loops[component] == LOOPS)
            promote_component(p, first, end);
    }
    free(loops);
    guard_edges(p);
    return p->loop_count;
}

bool wl_emit_promote_rows(LLVMModuleRef module, unsigned wave_size) {
    struct promote *p = calloc(1, sizeof *p);
    bool changed = false;
    if (!p)
        return false; /* the module is unchanged, and correct */
    p->context = LLVMGetModuleContext(module);
    p->b = LLVMCreateBuilderInContext(p->context);
    p->function = LLVMGetNamedFunction(module, "wl_unit");
    p->wave = LLVMGetParam(p->function, 0);
    p->row = LLVMVectorType(LLVMInt32TypeInContext(p->context), WL_STRIP);
    p->strips = wave_size / WL_STRIP;
    if (list_blocks(p) && find_components(p) && p->component_count < p->block_count) {
        follow(p, p->wave, 0, false, 0);
        changed = !p->failed && promote_loops(p);
    }
    LLVMDisposeBuilder(p->b);
    free(p->blocks);
    free(p->accesses);
    free(p->loops);
    free(p->loop_of);
    free(p);
    return changed;
}
