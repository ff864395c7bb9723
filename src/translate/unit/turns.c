#include "translate/unit/turns.h"

#include "translate/isa/isa.h"

enum { MOST_PIECES = 32 }; /* that are looked at behind a barrier and behind a condition: what is far away is late */

static bool is_access(const struct wl_inst *inst) {
    return inst->isa && (inst->isa->class == WL_ISA_LOAD || inst->isa->class == WL_ISA_STORE || inst->isa->class == WL_ISA_ATOMIC);
}

static bool loads_lds(const struct wl_inst *inst) { return inst->isa->class == WL_ISA_LOAD && inst->isa->space == WL_SPACE_LDS; }

/* The first access of a piece; NULL: it has none. */
static const struct wl_inst *first_access(const struct wl_unit *unit, uint32_t p) {
    const struct wl_piece *piece = &unit->pieces[p];
    for (uint32_t i = 0; i < piece->count; i++)
        if (is_access(&unit->insts[piece->first + i]))
            return &unit->insts[piece->first + i];
    return NULL;
}

static bool stores_to_lds(const struct wl_unit *unit, uint32_t p) {
    const struct wl_piece *piece = &unit->pieces[p];
    for (uint32_t i = 0; i < piece->count; i++) {
        const struct wl_inst *inst = &unit->insts[piece->first + i];
        if (is_access(inst) && inst->isa->space == WL_SPACE_LDS && inst->isa->class != WL_ISA_LOAD)
            return true;
    }
    return false;
}

/* Pieces that have been looked at, and behind them those that are still to be. */
struct walk {
    uint32_t pieces[MOST_PIECES];
    unsigned count;
};

static void add(struct walk *walk, uint32_t p) {
    for (unsigned i = 0; i < walk->count; i++)
        if (walk->pieces[i] == p)
            return;
    if (p != WL_NO_PIECE && walk->count < MOST_PIECES)
        walk->pieces[walk->count++] = p;
}

/* Those that a wave comes to without a barrier or a call. */
static void add_next(struct walk *walk, const struct wl_piece *piece) {
    if (piece->end == WL_PIECE_NEXT || piece->end == WL_PIECE_EXEC || piece->end == WL_PIECE_CBRANCH)
        add(walk, piece->next);
    if (piece->end == WL_PIECE_BRANCH || piece->end == WL_PIECE_CBRANCH)
        add(walk, piece->target);
}

static bool store_follows(const struct wl_unit *unit, uint32_t piece) {
    struct walk walk = {{piece}, 1};
    for (unsigned i = 0; i < walk.count; i++) {
        if (stores_to_lds(unit, walk.pieces[i]))
            return true;
        add_next(&walk, &unit->pieces[walk.pieces[i]]);
    }
    return false;
}

/* Whether a piece ends in a branch over code under a condition; *behind receives where that ends. */
static bool has_condition(const struct wl_unit *unit, uint32_t p, uint32_t *behind) {
    const struct wl_piece *piece = &unit->pieces[p];
    if (piece->end != WL_PIECE_CBRANCH || unit->insts[piece->first + piece->count - 1].isa->detail != WL_IF_EXECZ)
        return false;
    *behind = piece->target;
    return piece->target != WL_NO_PIECE && piece->next != WL_NO_PIECE && piece->target > piece->next;
}

static bool begins_with_load(const struct wl_unit *unit, uint32_t from, uint32_t behind) {
    for (uint32_t p = from; p < behind; p++) {
        const struct wl_inst *access = first_access(unit, p);
        if (access)
            return loads_lds(access);
    }
    return false;
}

bool wl_first_wave_leads(const struct wl_unit *unit, uint32_t piece) {
    struct walk walk = {{piece}, 1};
    for (unsigned i = 0; i < walk.count; i++) {
        const uint32_t p = walk.pieces[i];
        uint32_t behind;
        if (first_access(unit, p))
            continue;
        if (has_condition(unit, p, &behind) && begins_with_load(unit, unit->pieces[p].next, behind) && store_follows(unit, behind))
            return true;
        add_next(&walk, &unit->pieces[p]);
    }
    return false;
}
