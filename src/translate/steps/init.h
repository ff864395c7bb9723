/* initcheck in threaded code: which bits of the wave's registers nobody wrote (struct wl_undefined). Native code does not follow them: where a
 * register that it reads has some, the wave goes on in threaded code.
 *
 * In front of the step of an instruction stands one that does to these bits what the instruction does to values. Most steps find that none of
 * the operands has such bits, and that is all they do. Where such bits decide something (a branch, EXEC, an address, an atomic) the step says
 * so, and counts them as defined from there on.
 *
 *   init.c        which step an instruction gets; branches, EXEC, and all that has no better rule
 *   init_rules.h  rules of instructions with semantics
 *   init_value.c  their steps
 *   init_memory.c accesses: addresses, and what the sanitize layer is to move between registers and memory
 *   init_lane.c   moves between lanes, matrices, registers chosen at run time */
#ifndef WL_TRANSLATE_STEPS_INIT_H
#define WL_TRANSLATE_STEPS_INIT_H

#include "machine/sanitize.h"
#include "translate/steps/steps.h"

enum { WL_INIT_LANES = 64, WL_INIT_WHOLE_WAVE = 64 /* as a lane */ };

/* What an instruction reads and writes. */
struct wl_init_facts {
    uint64_t code;                /* its address */
    uint64_t reads[2], writes[2]; /* scalar registers. EXEC is always defined: it is not among `reads` */
    uint16_t source_count, result_count;
    bool crosses;                      /* it reads lanes that are off */
    const uint16_t *sources, *results; /* rows */
};

/* Adds the step of an instruction, whose own steps begin at number `before`, in front of them. */
void wl_steps_add_init(struct wl_steps_builder *b, const struct wl_inst *inst, uint32_t before);
void wl_init_insert(struct wl_steps_builder *b, uint32_t before, wl_step_fn *run, const void *data);
/* False: no memory. */
bool wl_init_facts_fill(struct wl_steps_builder *b, struct wl_init_facts *facts, const struct wl_inst *inst);

/* ---- steps' groups; false: it is none of the group's ---- */
bool wl_init_value(struct wl_steps_builder *b, const struct wl_inst *inst, uint32_t before);
bool wl_init_memory(struct wl_steps_builder *b, const struct wl_inst *inst, uint32_t before);
bool wl_init_lane(struct wl_steps_builder *b, const struct wl_inst *inst, uint32_t before);

/* ---- what they have in common ---- */

/* Scalar registers become defined. */
static inline void wl_init_define_scalars(struct wl_undefined *u, const uint64_t registers[2]) {
    for (unsigned w = 0; w < 2; w++)
        for (uint64_t left = u->scalar[w] & registers[w]; left; left &= left - 1)
            wl_undefined_set_scalar(u, w * 64 + (unsigned)__builtin_ctzll(left), 0, 0);
}

/* Whether no operand has undefined bits. The results have none then either, and that is noted. */
static inline bool wl_init_is_clean(struct wl_undefined *u, const struct wl_init_facts *f, uint64_t exec) {
    const uint64_t lanes = f->crosses ? UINT64_MAX : exec;
    uint64_t some = (u->scalar[0] & f->reads[0]) | (u->scalar[1] & f->reads[1]);
    for (unsigned i = 0; i < f->source_count; i++)
        some |= u->lanes[f->sources[i]] & lanes;
    if (some)
        return false;
    for (unsigned i = 0; i < f->result_count; i++)
        u->lanes[f->results[i]] &= ~exec;
    wl_init_define_scalars(u, f->writes);
    return true;
}

/* A scalar register becomes as undefined as `bits` say. EXEC does not: that is a finding. */
void wl_init_set_scalar(const struct wl_machine *m, uint64_t code, unsigned reg, uint32_t bits, uint64_t origin);
/* The same for a register, or a pair, as wide as a mask. */
void wl_init_set_mask(const struct wl_machine *m, uint64_t code, unsigned reg, uint64_t bits, uint64_t origin);
/* The undefined bits of a scalar operand, and where the first of them come from. */
uint64_t wl_init_scalar(const struct wl_machine *m, const struct wl_scalar *scalar, uint64_t *origin);
/* The undefined bits of a row, in all lanes. */
void wl_init_row(const struct wl_undefined *u, unsigned row, uint32_t bits[WL_INIT_LANES]);
/* Where the undefined bits of each lane's operands come from; of lanes without such bits, where any of them do. */
void wl_init_origins(const struct wl_undefined *u, const struct wl_init_facts *f, uint64_t origins[WL_INIT_LANES]);
/* A finding. */
void wl_init_decides(const struct wl_machine *m, uint64_t code, enum wl_undefined_use use, unsigned lane, uint64_t origin);

#endif
