/* Compilers copy what lies behind a short branch to the branch's own end, where that saves a jump: both copies put EXEC back. Threads that
 * part at the branch meet behind it, and for that there has to be one place. So basic blocks that do the same and go on alike become one,
 * and a basic block that ends as another one does goes on there. */
#include "translate/nvptx/analysis.h"
#include "translate/nvptx/ptx.h"

#include <stdlib.h>
#include <string.h>

/* A basic block without the branch at its end: where it goes, in an order that does not depend on how the branch is written. */
struct tail {
    uint32_t count; /* instructions */
    uint8_t condition;
    uint32_t to[2];
    uint64_t class, next_class;
};

enum { NEVER = 0x80, ALWAYS, RETURNS }; /* conditions: the block is left as it is; it goes to to[0]; it ends the kernel */

struct tails {
    struct wl_unit *unit;
    struct tail *of;
};

/* Whether an instruction tells the hardware something about time alone. */
static bool is_filler(const struct wl_inst *inst) {
    static const char *const names[] = {"s_delay_alu", "s_nop", "s_clause", "s_waitcnt_depctr"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (!strcmp(inst->mnemonic, names[i]))
            return !inst->fence;
    return false;
}

/* The same encoding, and nothing that a rewrite found out about one of them alone. */
static bool same_instruction(const struct wl_unit *unit, const struct wl_inst *a, const struct wl_inst *b) {
    const uint8_t *image = unit->request->image;
    if ((a->isa && a->isa->class == WL_ISA_GETPC) || a->size != b->size || a->operand_count != b->operand_count)
        return false;
    for (unsigned i = 0; i < a->operand_count; i++)
        if (a->operands[i].kind != b->operands[i].kind || a->operands[i].reg != b->operands[i].reg ||
            a->operands[i].bits != b->operands[i].bits)
            return false;
    return !memcmp(image + a->address, image + b->address, a->size) && !strcmp(a->mnemonic, b->mnemonic) && a->fence == b->fence &&
           a->paired == b->paired && a->piece == b->piece && a->looks_again == b->looks_again && a->is_private == b->is_private &&
           a->index_mode == b->index_mode;
}

static void describe(const struct wl_unit *unit, uint32_t p, struct tail *tail) {
    const struct wl_block *block = &unit->blocks[p];
    const unsigned detail =
        block->count ? unit->insts[block->first + block->count - 1].isa ? unit->insts[block->first + block->count - 1].isa->detail : 0 : 0;
    *tail = (struct tail){.count = block->count, .condition = NEVER, .to = {WL_NO_BLOCK, WL_NO_BLOCK}};
    switch (block->end) {
    case WL_BLOCK_NEXT:
    case WL_BLOCK_EXEC:
        tail->condition = ALWAYS;
        tail->to[0] = block->next;
        break;
    case WL_BLOCK_BRANCH:
        tail->condition = ALWAYS;
        tail->to[0] = block->target;
        tail->count--;
        break;
    case WL_BLOCK_FINISH:
        tail->condition = RETURNS;
        break;
    case WL_BLOCK_CBRANCH: { /* pairs of opposite conditions are neighbours */
        const bool odd = detail & 1;
        tail->condition = (uint8_t)(detail & ~1u);
        tail->to[odd] = block->target;
        tail->to[!odd] = block->next;
        tail->count--;
        break;
    }
    default:
        break;
    }
    if (tail->condition <= ALWAYS && tail->condition != NEVER && tail->to[0] == WL_NO_BLOCK)
        tail->condition = NEVER;
}

static bool only_fillers(const struct tails *t, uint32_t p, uint32_t count) {
    for (uint32_t i = 0; i < count; i++)
        if (!is_filler(&t->unit->insts[t->unit->blocks[p].first + i]))
            return false;
    return true;
}

static uint64_t mix(uint64_t hash, uint64_t value) { return (hash ^ value) * UINT64_C(0x9e3779b97f4a7c15) ^ hash >> 29; }

static uint64_t hash_contents(const struct tails *t, uint32_t p) {
    const struct wl_block *block = &t->unit->blocks[p];
    uint64_t hash = mix(1, t->of[p].condition);
    if (t->of[p].condition == NEVER)
        return mix(hash, p);
    for (uint32_t i = 0; i < t->of[p].count; i++) {
        const struct wl_inst *inst = &t->unit->insts[block->first + i];
        if (is_filler(inst))
            continue;
        for (const char *c = inst->mnemonic; *c; c++)
            hash = mix(hash, (uint64_t)*c);
        for (unsigned o = 0; o < inst->operand_count; o++)
            hash = mix(mix(hash, inst->operands[o].kind), inst->operands[o].reg);
    }
    return hash;
}

static uint64_t class_of(const struct tails *t, uint32_t p) { return p == WL_NO_BLOCK ? 0 : t->of[p].class; }

/* Gives basic blocks that may be alike the same class: their own contents first, then those of all that follows. */
static void find_classes(struct tails *t) {
    enum { ROUNDS = 12 };
    const uint32_t count = t->unit->block_count;
    for (uint32_t p = 0; p < count; p++)
        t->of[p].class = hash_contents(t, p);
    for (unsigned round = 0; round < ROUNDS; round++) {
        for (uint32_t p = 0; p < count; p++)
            t->of[p].next_class = mix(mix(t->of[p].class, class_of(t, t->of[p].to[0])), class_of(t, t->of[p].to[1]));
        for (uint32_t p = 0; p < count; p++)
            t->of[p].class = t->of[p].next_class;
    }
}

/* How many instructions of `a`, from its end back, are all of `b`'s; 0: they differ. */
static uint32_t common_end(const struct tails *t, uint32_t a, uint32_t b) {
    const struct wl_inst *of_a = &t->unit->insts[t->unit->blocks[a].first], *of_b = &t->unit->insts[t->unit->blocks[b].first];
    uint32_t i = t->of[a].count, j = t->of[b].count;
    for (;;) {
        while (j && is_filler(&of_b[j - 1]))
            j--;
        if (!j)
            return t->of[a].count - i;
        while (i && is_filler(&of_a[i - 1]))
            i--;
        if (!i || !same_instruction(t->unit, &of_a[i - 1], &of_b[j - 1]))
            return 0;
        i--;
        j--;
    }
}

static bool same_contents(const struct tails *t, uint32_t a, uint32_t b) {
    enum { MOST_COPIED = 8 }; /* compilers copy little; what is longer is alike by chance */
    if (t->of[a].condition != t->of[b].condition || t->of[a].condition == NEVER || t->of[a].count > MOST_COPIED)
        return false;
    if (only_fillers(t, b, t->of[b].count))
        return only_fillers(t, a, t->of[a].count);
    const uint32_t common = common_end(t, a, b);
    return common && only_fillers(t, a, t->of[a].count - common);
}

/* The first basic block of each one's class. Blocks whose class says too much have one of their own, and so have those before them. */
static void find_firsts(const struct tails *t, uint32_t *first) {
    const uint32_t count = t->unit->block_count;
    for (uint32_t p = 0; p < count; p++) {
        first[p] = p;
        for (uint32_t q = 0; q < p && first[p] == p; q++)
            if (t->of[q].class == t->of[p].class && first[q] == q && same_contents(t, p, q))
                first[p] = q;
    }
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t p = 0; p < count; p++)
            for (unsigned i = 0; i < 2 && first[p] != p; i++) {
                const uint32_t a = t->of[p].to[i], b = t->of[first[p]].to[i];
                if ((a == WL_NO_BLOCK) == (b == WL_NO_BLOCK) && (a == WL_NO_BLOCK || first[a] == first[b]))
                    continue;
                first[p] = p;
                changed = true;
            }
    }
}

static void go_to_firsts(struct tails *t, const uint32_t *first) {
    for (uint32_t p = 0; p < t->unit->block_count; p++) {
        struct wl_block *block = &t->unit->blocks[p];
        if (block->next != WL_NO_BLOCK)
            block->next = first[block->next];
        if (block->target != WL_NO_BLOCK)
            block->target = first[block->target];
        for (unsigned i = 0; i < 2; i++)
            if (t->of[p].to[i] != WL_NO_BLOCK)
                t->of[p].to[i] = first[t->of[p].to[i]];
    }
    for (uint32_t p = 0; p < t->unit->block_count; p++)
        if (first[p] != p && p != t->unit->entry && !t->unit->blocks[p].is_return) { /* nothing leads there any more */
            t->unit->blocks[p].end = WL_BLOCK_FALL_OFF;
            t->unit->blocks[p].count = 0;
            t->unit->blocks[p].next = t->unit->blocks[p].target = WL_NO_BLOCK;
            t->of[p].condition = NEVER;
        }
}

/* Where a basic block's way leads on: behind basic blocks that do nothing. */
static uint32_t behind_empty(const struct tails *t, uint32_t p) {
    for (unsigned steps = 0; steps < 8 && p != WL_NO_BLOCK; steps++) {
        if (t->of[p].condition != ALWAYS || !only_fillers(t, p, t->of[p].count))
            break;
        p = t->of[p].to[0];
    }
    return p;
}

static void skip_empty(struct tails *t) {
    for (uint32_t p = 0; p < t->unit->block_count; p++)
        for (unsigned i = 0; i < 2 && t->of[p].condition != NEVER; i++) {
            struct wl_block *block = &t->unit->blocks[p];
            const uint32_t from = t->of[p].to[i], to = behind_empty(t, from);
            if (from == to)
                continue;
            t->of[p].to[i] = to;
            if (block->next == from)
                block->next = to;
            if (block->target == from)
                block->target = to;
        }
}

/* Lets basic blocks that end as `join` does, and go where it goes, go on there instead. */
static void share_end(struct tails *t, uint32_t join) {
    if (join == WL_NO_BLOCK || t->of[join].condition != ALWAYS)
        return;
    for (uint32_t p = 0; p < t->unit->block_count; p++) {
        struct wl_block *block = &t->unit->blocks[p];
        if (p == join || t->of[p].condition != ALWAYS || t->of[p].to[0] != t->of[join].to[0])
            continue;
        const uint32_t common = common_end(t, p, join);
        if (!common || common >= t->of[p].count)
            continue;
        block->count = t->of[p].count = t->of[p].count - common;
        block->end = WL_BLOCK_NEXT;
        block->next = t->of[p].to[0] = join;
        block->target = WL_NO_BLOCK;
    }
}

static bool branches_on_exec(const struct tails *t, uint32_t p) {
    return t->unit->blocks[p].end == WL_BLOCK_CBRANCH && t->of[p].condition == (WL_IF_EXECZ & ~1u);
}

void wl_ptx_share_tails(struct wl_unit *unit) {
    _Static_assert(WL_IF_SCC1 == (WL_IF_SCC0 ^ 1) && WL_IF_VCCNZ == (WL_IF_VCCZ ^ 1) && WL_IF_EXECNZ == (WL_IF_EXECZ ^ 1),
                   "opposite conditions are neighbours");
    enum { MOST_BLOCKS = 4000 };
    struct tails t = {.unit = unit, .of = calloc(unit->block_count + 1, sizeof *t.of)};
    uint32_t *first = calloc(unit->block_count + 1, sizeof *first);
    if (t.of && first && unit->block_count <= MOST_BLOCKS) { /* else the code stays as it is */
        for (uint32_t p = 0; p < unit->block_count; p++)
            describe(unit, p, &t.of[p]);
        skip_empty(&t);
        find_classes(&t);
        find_firsts(&t, first);
        go_to_firsts(&t, first);
        for (uint32_t p = 0; p < unit->block_count; p++)
            for (unsigned i = 0; i < 2 && branches_on_exec(&t, p); i++)
                share_end(&t, t.of[p].to[i]);
    }
    free(t.of);
    free(first);
}
