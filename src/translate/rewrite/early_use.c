/* Finds what an instruction reads before it has been waited for: in units for sanitizers. Translated code loads at once, so nothing comes of
 * it here; on a processor the register holds anything.
 *
 * A dataflow over the basic blocks: a load is outstanding where it is so on one of the ways there. Counters are the processor's: a wait for a
 * count of N leaves the last N outstanding where results come in order, which those of scalar loads do not. What a wait leaves goes by the way
 * on which the fewest followed. A function's code begins with nothing outstanding, and a call leaves nothing: that is what the calling
 * convention says.
 *
 * A use behind a load of the same basic block is a finding each time it runs. Where the load is in another one, the wave has to have come from
 * there: such loads, and the waits for them, tell racecheck that they run. */
#include "translate/rewrite/rewrite.h"

#include "base/text.h"
#include "machine/processor.h"
#include "machine/sanitize.h"
#include "translate/isa/isa.h"

#include <stdlib.h>
#include <string.h>

/* DATA: instructions that read a register after they were issued (expcnt). */
enum counter { VECTOR, SAMPLES, RAYS, LOCAL, SCALAR, DATA, NONE };

enum { MOST = 96, HIGHEST = 63 /* no counter counts further: the processor waits */ };

/* A load whose result may be outstanding, and how many that count with it came later. */
struct pending {
    uint32_t load; /* of early.loads */
    uint8_t later;
    bool carried; /* from another basic block, or another round of this one */
};
struct state {
    uint32_t count;
    struct pending pending[MOST];
};

struct load {
    struct wl_inst *inst;
    struct wl_regs regs;
    enum counter counter;
    bool orderless, reads, tells; /* reads: overwriting the registers is the fault; tells: it has a use in another basic block */
};

enum pass { SPREAD, FIND, TELL };

struct early {
    struct wl_unit *unit;
    unsigned generation;
    struct load *loads;
    uint32_t *load_of; /* of instructions: the number of a load, plus 1; 0: none */
    uint8_t *counter;  /* of instructions */
    struct state *in;  /* of basic blocks */
    uint32_t load_count;
    enum pass pass;
    bool failed;
};

static bool has(const struct wl_inst *inst, const char *text) { return strstr(inst->mnemonic, text) != NULL; }
static bool is(const struct wl_inst *inst, const char *text) { return strcmp(inst->mnemonic, text) == 0; }

/* The counter that falls when the instruction's result is there. Before gfx12 one counter is for all vector memory, and one for LDS and
 * scalar memory; before gfx10 stores count as loads do. */
static enum counter counter_of(const struct wl_inst *inst, unsigned generation) {
    const bool stores = has(inst, "_store") || (has(inst, "_atomic") && !inst->returns);
    if (has(inst, "ds_gws_"))
        return DATA;
    if (wl_starts_with(inst->mnemonic, "ds_"))
        return is(inst, "ds_nop") ? NONE : LOCAL;
    if (wl_starts_with(inst->mnemonic, "s_load") || wl_starts_with(inst->mnemonic, "s_buffer_load") ||
        wl_starts_with(inst->mnemonic, "s_scratch_load") || wl_starts_with(inst->mnemonic, "s_memtime") ||
        wl_starts_with(inst->mnemonic, "s_memrealtime"))
        return SCALAR;
    if (!wl_starts_with(inst->mnemonic, "global_") && !wl_starts_with(inst->mnemonic, "flat_") &&
        !wl_starts_with(inst->mnemonic, "scratch_") && !wl_starts_with(inst->mnemonic, "buffer_") &&
        !wl_starts_with(inst->mnemonic, "tbuffer_") && !wl_starts_with(inst->mnemonic, "image_"))
        return NONE;
    if (stores && generation >= 10)
        return NONE;
    if (generation >= 12 && (wl_starts_with(inst->mnemonic, "image_sample") || wl_starts_with(inst->mnemonic, "image_gather") ||
                             wl_starts_with(inst->mnemonic, "image_msaa_load")))
        return SAMPLES;
    return generation >= 12 && wl_starts_with(inst->mnemonic, "image_bvh") ? RAYS : VECTOR;
}

/* ---- waits ------------------------------------------------------------------------------------ */

/* Before gfx12 scalar memory counts with LDS. */
static bool counts_to(enum counter counter, enum counter waited, unsigned generation) {
    return counter == waited || (generation < 12 && counter == SCALAR && waited == LOCAL);
}

/* What an instruction tells racecheck, made if need be. NULL: there is no memory. */
static struct wl_sanitize_fence *told_by(struct early *e, struct wl_inst *inst) {
    struct wl_unit *unit = e->unit;
    if (!inst->early) {
        struct wl_sanitize_fence *more = realloc(unit->early, (unit->early_count + 1) * sizeof *more);
        e->failed |= !more;
        if (!more)
            return NULL;
        unit->early = more;
        more[unit->early_count] = (struct wl_sanitize_fence){.address = inst->address, .kind = WL_SANITIZE_EARLY_USE};
        inst->early = ++unit->early_count;
    }
    return &unit->early[inst->early - 1];
}

static uint64_t bit_of(const struct load *load) { return UINT64_C(1) << (load->inst->address / 4 * UINT64_C(0x9e3779b97f4a7c15) >> 58); }

static void end(struct early *e, const struct pending *pending, struct wl_inst *inst) {
    const struct load *load = &e->loads[pending->load];
    struct wl_sanitize_fence *fence = e->pass == TELL && load->tells ? told_by(e, inst) : NULL;
    if (fence)
        fence->ended |= bit_of(load);
}

/* At most `left` of those that count there are outstanding. */
static void wait_for(struct early *e, struct state *state, struct wl_inst *inst, enum counter counter, uint32_t left) {
    uint32_t kept = 0;
    for (uint32_t i = 0; i < state->count; i++) {
        const struct pending *p = &state->pending[i];
        const struct load *load = &e->loads[p->load];
        const bool done = counts_to(load->counter, counter, e->generation) && (left == 0 || (p->later >= left && !load->orderless));
        if (done)
            end(e, p, inst);
        else
            state->pending[kept++] = *p;
    }
    state->count = kept;
}

static void wait_at_once(struct early *e, struct state *state, struct wl_inst *inst, uint32_t i) {
    wait_for(e, state, inst, VECTOR, wl_waitcnt_vector(i, e->generation));
    wait_for(e, state, inst, LOCAL, wl_waitcnt_local(i, e->generation));
    wait_for(e, state, inst, DATA, wl_waitcnt_data(i, e->generation));
}

/* True: the instruction waits, or does nothing else. */
static bool waits_here(struct early *e, struct state *state, struct wl_inst *inst) {
    static const struct {
        const char *name;
        enum counter counter;
        uint8_t shift;
    } waits[] = {{"s_waitcnt_vmcnt", VECTOR, 0},  {"s_wait_loadcnt", VECTOR, 0},       {"s_wait_loadcnt_dscnt", VECTOR, 8},
                 {"s_waitcnt_lgkmcnt", LOCAL, 0}, {"s_wait_dscnt", LOCAL, 0},          {"s_wait_loadcnt_dscnt", LOCAL, 0},
                 {"s_wait_kmcnt", SCALAR, 0},     {"s_wait_storecnt_dscnt", LOCAL, 0}, {"s_wait_samplecnt", SAMPLES, 0},
                 {"s_wait_bvhcnt", RAYS, 0},      {"s_waitcnt_expcnt", DATA, 0},       {"s_wait_expcnt", DATA, 0}};
    if (!wl_starts_with(inst->mnemonic, "s_wait"))
        return false;
    const uint32_t i = inst->operand_count ? (uint32_t)inst->operands[inst->operand_count - 1u].bits : 0;
    if (is(inst, "s_waitcnt"))
        wait_at_once(e, state, inst, i);
    for (unsigned n = 0; n < sizeof waits / sizeof *waits; n++)
        if (is(inst, waits[n].name))
            wait_for(e, state, inst, waits[n].counter, i >> waits[n].shift & HIGHEST);
    for (unsigned c = 0; c < NONE && is(inst, "s_wait_idle"); c++)
        wait_for(e, state, inst, (enum counter)c, 0);
    return true;
}

/* ---- uses ------------------------------------------------------------------------------------- */

static struct wl_regs without_exec(struct wl_regs regs) {
    wl_put_bits(regs.scalar, WL_SGPR_EXEC, 2, false);
    return regs;
}

/* Whether an instruction with this counter uses a load's registers too early. Loads to one register come in order; halves of it say that they
 * read it. */
static bool uses(const struct load *load, enum counter counter, const struct wl_regs *use, const struct wl_regs *touch) {
    if (load->reads)
        return wl_regs_meet(&load->regs, touch);
    if (load->counter == counter)
        return wl_regs_meet(&load->regs, use) && !wl_regs_meet(&load->regs, touch);
    return wl_regs_meet(&load->regs, use) || wl_regs_meet(&load->regs, touch);
}

static void found(struct early *e, const struct pending *pending, struct wl_inst *inst) {
    struct load *load = &e->loads[pending->load];
    struct wl_sanitize_fence *fence = told_by(e, inst);
    if (!fence)
        return;
    fence->distance = (int64_t)(inst->address - load->inst->address);
    fence->uses |= pending->carried ? bit_of(load) : UINT64_MAX;
    fence->ended |= pending->carried ? bit_of(load) : 0;
    load->tells |= pending->carried;
}

/* Each load is said once, with its first use. */
static void use(struct early *e, struct state *state, struct wl_inst *inst, enum counter counter, const struct wl_effects *effects) {
    const struct wl_regs read = without_exec(effects->use), touch = without_exec(effects->touch);
    uint32_t kept = 0;
    for (uint32_t i = 0; i < state->count; i++) {
        const struct pending p = state->pending[i];
        if (!uses(&e->loads[p.load], counter, &read, &touch))
            state->pending[kept++] = p;
        else if (e->pass == FIND)
            found(e, &p, inst);
    }
    state->count = kept;
}

static void count(const struct early *e, struct state *state, enum counter counter) {
    uint32_t kept = 0;
    for (uint32_t i = 0; i < state->count; i++) {
        struct pending p = state->pending[i];
        const struct load *load = &e->loads[p.load];
        p.later +=
            counts_to(counter, load->counter == SCALAR && e->generation < 12 ? LOCAL : load->counter, e->generation) && p.later < HIGHEST;
        if (p.later < HIGHEST || load->orderless)
            state->pending[kept++] = p;
    }
    state->count = kept;
}

static void follow(struct early *e, struct state *state, uint32_t at) {
    struct wl_inst *inst = &e->unit->insts[at];
    const enum counter counter = (enum counter)e->counter[at];
    const uint32_t load = e->load_of[at];
    const bool indexed = inst->index_mode || (inst->isa && inst->isa->class == WL_ISA_MOVREL); /* any register, it seems */
    if ((!state->count && !load) || indexed || waits_here(e, state, inst))
        return;
    if (state->count) {
        struct wl_effects effects;
        wl_inst_effects(inst, e->unit->request->wave_size, &effects);
        use(e, state, inst, counter, &effects);
    }
    if (counter != NONE)
        count(e, state, counter);
    if (!load)
        return;
    if (e->pass == TELL && e->loads[load - 1].tells) {
        struct wl_sanitize_fence *fence = told_by(e, inst);
        if (fence)
            fence->begun |= bit_of(&e->loads[load - 1]);
    }
    uint32_t i = 0;
    while (i < state->count && state->pending[i].load != load - 1)
        i++;
    if (i == MOST)
        return;
    state->count += i == state->count;
    state->pending[i] = (struct pending){.load = load - 1};
}

/* ---- the ways through the code ---------------------------------------------------------------- */

/* Adds what is outstanding at a basic block's end to what is so where another one begins. True: that is more than before. */
static bool merge(struct state *into, const struct state *from) {
    bool changed = false;
    for (uint32_t i = 0; i < from->count; i++) {
        const struct pending *p = &from->pending[i];
        uint32_t n = 0;
        while (n < into->count && into->pending[n].load != p->load)
            n++;
        if (n == MOST || (n < into->count && into->pending[n].later <= p->later))
            continue;
        into->count += n == into->count;
        into->pending[n] = *p;
        into->pending[n].carried = true;
        changed = true;
    }
    return changed;
}

static void follow_block(struct early *e, const struct wl_block *block, struct state *state) {
    for (uint32_t i = 0; i < block->count; i++)
        follow(e, state, block->first + i);
    if (block->end == WL_BLOCK_CALL)
        state->count = 0;
}

/* States only grow, so that it ends. Code that only calls through addresses reach has its states, too. */
static void spread(struct early *e) {
    const struct wl_unit *unit = e->unit;
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t b = 0; b < unit->block_count; b++) {
            const struct wl_block *block = &unit->blocks[b];
            struct state state = e->in[b];
            follow_block(e, block, &state);
            if (block->next != WL_NO_BLOCK && merge(&e->in[block->next], &state))
                changed |= block->next <= b;
            if (block->target != WL_NO_BLOCK && merge(&e->in[block->target], &state))
                changed |= block->target <= b;
        }
    }
}

static void pass(struct early *e, enum pass pass) {
    e->pass = pass;
    for (uint32_t b = 0; b < e->unit->block_count; b++) {
        struct state state = e->in[b];
        follow_block(e, &e->unit->blocks[b], &state);
    }
}

/* ---- a unit ----------------------------------------------------------------------------------- */

static void find_loads(struct early *e) {
    for (uint32_t i = 0; i < e->unit->inst_count; i++) {
        struct wl_inst *inst = &e->unit->insts[i];
        const enum counter counter = counter_of(inst, e->generation);
        e->counter[i] = (uint8_t)counter;
        if (counter == NONE)
            continue;
        struct wl_effects effects;
        wl_inst_effects(inst, e->unit->request->wave_size, &effects);
        const bool reads = counter == DATA;
        struct load load = {inst, without_exec(reads ? effects.use : effects.touch), counter, counter == SCALAR, reads, false};
        if (reads)
            memset(load.regs.scalar, 0, sizeof load.regs.scalar);
        const struct wl_regs none = {0};
        if (!memcmp(&load.regs, &none, sizeof none))
            continue; /* it only counts */
        e->loads[e->load_count++] = load;
        e->load_of[i] = e->load_count;
    }
}

enum wl_status wl_unit_find_early_uses(struct wl_unit *unit) {
    struct early e = {.unit = unit, .generation = wl_processor_generation(unit->request->processor)};
    e.loads = malloc((unit->inst_count + 1) * sizeof *e.loads);
    e.load_of = calloc(unit->inst_count + 1, sizeof *e.load_of);
    e.counter = malloc(unit->inst_count + 1);
    e.in = calloc(unit->block_count + 1, sizeof *e.in);
    e.failed = !e.loads || !e.load_of || !e.counter || !e.in;
    if (!e.failed) {
        find_loads(&e);
        spread(&e);
        pass(&e, FIND);
        if (unit->early_count)
            pass(&e, TELL);
    }
    free(e.loads);
    free(e.load_of);
    free(e.counter);
    free(e.in);
    return e.failed ? wl_fail(WL_OUT_OF_MEMORY, "no memory for what is outstanding in a unit") : WL_OK;
}
