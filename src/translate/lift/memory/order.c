/* Which stores may share a segment of a vector region, or a vector region of MASKED code, with stores and loads before them.
 *
 * Within a segment all accesses of one strip come before those of the next, so that of two stores to one address by lanes of
 * different strips the wrong one can be the last. It cannot where
 *
 *   - both have the same address registers, unchanged in between, and the registers hold no vector: all lanes store to one place;
 *   - both have the same address registers and offset: each strip ends with the later store, and so does the last one;
 *   - both have the same address registers, whose values are multiples of a power of two in all lanes, and touch different
 *     parts of the cell of that size: lanes either have cells of their own, or share one in which the stores do not meet;
 *   - known bits tell that they touch different parts of LDS.
 *
 * A load of LDS before a store is in the same danger: a strip's load must not see what earlier strips stored. It does not where both have
 * the same address register, whose lanes go up through the wave, and the load reads from where its lane stores on, upwards: the steps
 * of a tree. */
#include "translate/lift/region.h"

#include <string.h>

enum { MAX_LDS_BITS = 20 };

struct part { /* bytes that a store touches, counted from its address registers' value */
    int64_t first, end;
};

static const struct wl_operand *address_of(const struct wl_inst *inst) {
    bool buffer = inst->isa->space == WL_SPACE_BUFFER || inst->isa->space == WL_SPACE_TBUFFER;
    return &inst->operands[buffer ? 1 : 0];
}

static unsigned find_parts(const struct wl_inst *inst, struct part parts[2]) {
    const struct wl_isa *isa = inst->isa;
    int64_t size = isa->bits >= 32 ? (int64_t)isa->dwords * 4 : isa->bits / 8;
    if (isa->addresses != 2) {
        parts[0] = (struct part){inst->offset0, inst->offset0 + size};
        return 1;
    }
    int64_t unit = isa->stride64 ? size * 64 : size;
    parts[0] = (struct part){inst->offset0 * unit, inst->offset0 * unit + size};
    parts[1] = (struct part){inst->offset1 * unit, inst->offset1 * unit + size};
    return 2;
}

/* Whether the instructions between the two (the first included) leave all registers of an operand alone. */
static bool unchanged(const struct wl_lift *l, uint32_t from, uint32_t to, const struct wl_operand *op) {
    if (op->kind != WL_OPERAND_VGPR && op->kind != WL_OPERAND_SGPR)
        return true;
    for (uint32_t i = from; i < to; i++)
        for (unsigned r = op->reg; r < op->reg + (op->count ? op->count : 1u); r++)
            if (wl_bit(op->kind == WL_OPERAND_VGPR ? l->unit.effects[i].touch.vector : l->unit.effects[i].touch.scalar, r))
                return false;
    return true;
}

/* All that makes the address, the constant offset aside. The data stand in front of it in buffer stores, else behind. */
static bool same_address(const struct wl_lift *l, const struct wl_inst *a, const struct wl_inst *b, uint32_t from, uint32_t to) {
    bool lds = a->isa->space == WL_SPACE_LDS;
    if (a->isa->by_lane || b->isa->by_lane || a->isa->space != b->isa->space || a->idxen != b->idxen || a->offen != b->offen)
        return false;
    const struct wl_operand *first = address_of(a);
    for (unsigned i = (unsigned)(first - a->operands); i < (lds ? 1 : a->operand_count); i++) {
        if (i == 1 && a->isa->space != WL_SPACE_BUFFER && a->isa->space != WL_SPACE_TBUFFER)
            continue; /* data */
        if (i >= b->operand_count || !wl_operand_same(&a->operands[i], &b->operands[i]) || !unchanged(l, from, to, &a->operands[i]))
            return false;
    }
    return a->operand_count == b->operand_count || lds;
}

static bool same_parts(const struct part *a, unsigned a_count, const struct part *b, unsigned b_count) {
    if (a_count != b_count)
        return false;
    for (unsigned i = 0; i < a_count; i++)
        if (a[i].first != b[i].first || a[i].end != b[i].end)
            return false;
    return true;
}

/* Whether no lane's a meets its own b, both within one cell of 2^zeros bytes. */
static bool apart_in_cell(const struct part *a, unsigned a_count, const struct part *b, unsigned b_count, unsigned zeros) {
    int64_t cell = a[0].first >> zeros;
    for (unsigned i = 0; i < a_count; i++)
        for (unsigned j = 0; j < b_count; j++)
            if (a[i].first >> zeros != cell || (a[i].end - 1) >> zeros != cell || b[j].first >> zeros != cell ||
                (b[j].end - 1) >> zeros != cell || (a[i].first < b[j].end && b[j].first < a[i].end))
                return false;
    return true;
}

static unsigned low_zeros(const struct wl_fact *fact) {
    unsigned zeros = fact->zeros;
    if (fact->kind != WL_FACT_AFFINE)
        return 0;
    if (fact->stride && (unsigned)__builtin_ctz((unsigned)fact->stride) < zeros)
        zeros = (unsigned)__builtin_ctz((unsigned)fact->stride);
    return zeros < 12 ? zeros : 12;
}

/* Whether two ranges of LDS addresses are apart. */
static bool apart_in_lds(const struct wl_fact *a_fact, const struct part *a, unsigned a_count, const struct wl_fact *b_fact,
                         const struct part *b, unsigned b_count) {
    if (a_fact->kind != WL_FACT_AFFINE || b_fact->kind != WL_FACT_AFFINE || a_fact->bits > MAX_LDS_BITS || b_fact->bits > MAX_LDS_BITS)
        return false;
    int64_t a_most = (INT64_C(1) << a_fact->bits) - 1, b_most = (INT64_C(1) << b_fact->bits) - 1;
    for (unsigned i = 0; i < a_count; i++)
        for (unsigned j = 0; j < b_count; j++)
            if (a[i].first < b[j].end + b_most && b[j].first < a[i].end + a_most)
                return false;
    return true;
}

static bool may_share(const struct wl_lift *l, const struct wl_item *earlier, const struct wl_inst *store, const struct wl_fact *fact) {
    struct part a[2], b[2];
    const struct wl_inst *inst = earlier->inst;
    const struct wl_operand *address = address_of(store);
    unsigned a_count = find_parts(inst, a), b_count = find_parts(store, b);
    uint32_t from = (uint32_t)(inst - &l->unit.code->insts[l->unit.block->first]);
    if (inst->isa->class != WL_ISA_STORE || inst->isa->detail || store->isa->detail)
        return false; /* typed ones have no fixed size */
    if (same_address(l, inst, store, from, l->unit.at))
        return address->kind != WL_OPERAND_VGPR || same_parts(a, a_count, b, b_count) ||
               apart_in_cell(a, a_count, b, b_count, low_zeros(fact));
    return inst->isa->space == WL_SPACE_LDS && store->isa->space == WL_SPACE_LDS &&
           apart_in_lds(&earlier->fact[0], a, a_count, fact, b, b_count);
}

/* Whether a strip's load sees nothing of what earlier strips store: their lanes' addresses are lower by the stride at least. */
static bool reads_ahead(const struct wl_lift *l, const struct wl_inst *load, const struct wl_inst *store, const struct wl_fact *fact) {
    enum { FAR = 1 << 20 }; /* so that lanes' addresses do not come round */
    struct part from[2], to[2];
    const uint32_t at = (uint32_t)(load - &l->unit.code->insts[l->unit.block->first]);
    if (!load->isa || load->isa->class != WL_ISA_LOAD || load->isa->space != WL_SPACE_LDS || store->isa->space != WL_SPACE_LDS ||
        load->lds || load->isa->detail || store->isa->detail || load->isa->by_lane || store->isa->by_lane)
        return false;
    /* The load's address is its second operand. */
    if (load->operand_count < 2 || store->operand_count < 1 || !wl_operand_same(&load->operands[1], &store->operands[0]) ||
        store->operands[0].kind != WL_OPERAND_VGPR || !unchanged(l, at, l->unit.at, &store->operands[0]))
        return false;
    if (fact->kind != WL_FACT_AFFINE || fact->lanes < l->wave_size || fact->stride <= 0 || fact->stride > FAR)
        return false;
    unsigned from_count = find_parts(load, from), to_count = find_parts(store, to);
    for (unsigned i = 0; i < from_count; i++)
        for (unsigned j = 0; j < to_count; j++)
            if (from[i].first + fact->stride < to[j].end)
                return false;
    return true;
}

bool wl_store_follows_loads(const struct wl_lift *l, const struct wl_inst *store, const struct wl_effects *effects) {
    const struct wl_operand *address;
    if (!store->isa || store->isa->class != WL_ISA_STORE || store->isa->space != WL_SPACE_LDS || !l->unit.facts)
        return false;
    address = address_of(store);
    if (address->kind != WL_OPERAND_VGPR)
        return false;
    for (unsigned i = 0; i < l->region.item_count; i++) {
        const struct wl_inst *inst = l->region.items[i].inst;
        const struct wl_effects *its = &l->unit.effects[inst - &l->unit.code->insts[l->unit.block->first]];
        if ((its->load_spaces & effects->store_spaces) && !reads_ahead(l, inst, store, &l->unit.facts->row[address->reg]))
            return false;
    }
    return true;
}

bool wl_store_may_join(const struct wl_lift *l, const struct wl_inst *store, const struct wl_effects *effects) {
    struct wl_fact fact = {0};
    if (!store->isa || store->isa->class != WL_ISA_STORE)
        return false; /* a load to LDS */
    const struct wl_operand *address = address_of(store);
    if (address->kind == WL_OPERAND_VGPR && l->unit.facts)
        fact = l->unit.facts->row[address->reg];
    for (unsigned i = l->region.item_count; i-- > 0;) {
        const struct wl_item *item = &l->region.items[i];
        const struct wl_effects *its = &l->unit.effects[item->inst - &l->unit.code->insts[l->unit.block->first]];
        if ((its->store_spaces & effects->store_spaces) && !may_share(l, item, store, &fact))
            return false;
        if (item->starts_segment)
            break;
    }
    return true;
}
