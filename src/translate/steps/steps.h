/* steps/: makes threaded code of a unit. A unit runs as threaded code while LLVM has not made its native code yet.
 *
 *   in    a unit (unit/unit.h)
 *   out   struct wl_steps: an array of *steps* (struct wl_step), one an AMD instruction, and the function that runs a wave through it
 *
 * A step is a C function and what that function needs to know, operands decoded. A step
 * works on a whole wave, with any EXEC, on the registers as they lie in struct wl_wave. It computes with the native form of the
 * same semantics functions that LLVM would inline, so that the bits of results are the same. Making the steps takes a few
 * microseconds an instruction (nearly all of it is decoding); running them takes several times as long as native code.
 *
 *   steps.c         the unit: basic blocks, ends of basic blocks, entry and exits; runs them
 *   steps/valu.c    vector instructions with semantics
 *   steps/scalar.c  scalar instructions, scalar memory
 *   steps/memory.c  vector memory
 *   steps/lane.c    moves between lanes
 *   steps/helper.c  matrix and image instructions
 *   steps/indexed.c registers chosen at run time
 *   steps/wide.c    v_mqsad_u32_u8
 *   steps/sanitize.c what steps tell sanitizers
 *   steps/init.h    initcheck: which bits of registers nobody wrote
 *
 * If an instruction of the unit has no step, the whole unit is unsupported here and waits for native code. */
#ifndef WL_TRANSLATE_STEPS_H
#define WL_TRANSLATE_STEPS_H

#include "translate/isa/isa.h"
#include "translate/isa/sem.h"
#include "translate/unit/unit.h"

#include <string.h>

struct wl_count_block;   /* machine/count.h */
struct wl_sanitize_site; /* machine/sanitize.h */
struct wl_mark_point;    /* translate/interface/marks.h */
struct wl_step;
struct wl_undefined; /* the same */

/* A wave while it runs in steps. */
struct wl_machine {
    struct wl_wave *wave;
    const struct wl_steps *steps;
    uint32_t *sgpr;                 /* of the wave */
    uint32_t *vgpr;                 /* the same */
    uint32_t wave_size;             /* 32 or 64 */
    uint32_t exit;                  /* enum wl_exit, when a step returns NULL */
    uint32_t rounds;                /* of loops without resume points */
    struct wl_undefined *undefined; /* what nobody wrote of its registers, in units for initcheck; NULL: it does not watch this wave */
};

/* Does the instruction; returns the step to go on with, or NULL to leave with machine->exit. */
typedef const struct wl_step *wl_step_fn(struct wl_machine *machine, const struct wl_step *step);

struct wl_step {
    wl_step_fn *run;
    const void *data; /* the function's own */
};

struct wl_steps {
    struct wl_step *code;
    uint32_t *resume; /* index in `code` of each resume point */
    uint32_t resume_count;
    uint32_t *block;                   /* for initcheck: index in `code` of the first instruction of each basic block */
    uint32_t block_count, entry_count; /* the same: a basic block's number in wl_wave.resume is entry_count + its own */
    bool splits_denormals;
    bool follows_values; /* for initcheck */
    struct wl_unit_info *info;
    struct wl_steps_control *control;
    struct wl_steps_chunk *memory; /* everything that steps point to */
};

/* A builder's state. */
struct wl_steps_builder {
    const struct wl_unit *unit;
    const struct wl_translate_request *request;
    struct wl_steps *steps;
    uint32_t wave_size, generation;
    uint32_t *first;          /* of each basic block: its first step */
    struct end **ends;        /* of each basic block: what its last step needs (steps.c) */
    uint32_t step_count, off; /* off: the step that leaves because there is no code */
    size_t most;              /* steps that there is room for */
    uint32_t at;              /* the instruction within its basic block */
    enum wl_status status;
    struct {
        const struct wl_sem *sem, *chosen;
    } choices[64]; /* those made so far, at a place that `sem` tells */
};

/* wl_sem_choose for this unit. */
const struct wl_sem *wl_steps_choose(struct wl_steps_builder *b, const struct wl_sem *sem);
/* Zeroed memory that lives as long as the steps, aligned to 64 bytes; NULL (and b->status set): there is none. */
void *wl_steps_allocate(struct wl_steps_builder *b, size_t size);
/* Appends a step. */
void wl_steps_add(struct wl_steps_builder *b, wl_step_fn *run, const void *data);
/* What wl_wave.fault_pc is while the instruction accesses memory: bytes from the unit's entry / 4 + 1, as in line tables. */
uint32_t wl_steps_place(const struct wl_steps_builder *b, const struct wl_inst *inst);
/* Notes that the unit cannot run this way; the first note stays. */
void wl_steps_refuse(struct wl_steps_builder *b, const struct wl_inst *inst);

static inline uint64_t wl_machine_exec(const struct wl_machine *m) {
    uint64_t exec = m->sgpr[WL_SGPR_EXEC];
    return m->wave_size == 64 ? exec | (uint64_t)m->sgpr[WL_SGPR_EXEC + 1] << 32 : exec;
}

static inline uint64_t wl_machine_sgpr64(const struct wl_machine *m, unsigned reg) {
    return m->sgpr[reg] | (uint64_t)m->sgpr[reg + 1] << 32;
}

static inline void wl_machine_set_sgpr64(struct wl_machine *m, unsigned reg, uint64_t value) {
    m->sgpr[reg] = (uint32_t)value;
    m->sgpr[reg + 1] = (uint32_t)(value >> 32);
}

/* A register, or a pair, as wide as a mask. */
static inline uint64_t wl_machine_mask(const struct wl_machine *m, unsigned reg) {
    return m->wave_size == 64 ? wl_machine_sgpr64(m, reg) : m->sgpr[reg];
}

static inline void wl_machine_set_mask(struct wl_machine *m, unsigned reg, uint64_t value) {
    m->sgpr[reg] = (uint32_t)value;
    if (m->wave_size == 64)
        m->sgpr[reg + 1] = (uint32_t)(value >> 32);
}

static inline uint32_t *wl_machine_row(const struct wl_machine *m, unsigned row) { return m->vgpr + (size_t)row * m->wave_size; }

/* ---- scalar operands (steps/scalar.c) ---- */

enum wl_scalar_kind {
    WL_SCALAR_CONSTANT,
    WL_SCALAR_SGPR,
    WL_SCALAR_SGPR_HIGH, /* the upper half */
    WL_SCALAR_SGPR64,
    WL_SCALAR_SCC,
    WL_SCALAR_VCCZ,
    WL_SCALAR_EXECZ,
    WL_SCALAR_LDS_DIRECT,
};

struct wl_scalar {
    uint8_t kind, bits; /* enum wl_scalar_kind; of the value: 16, 32, 64 */
    uint16_t reg;
    uint64_t constant;
};

/* The plan of an operand that supplies all lanes, or the scalar unit, with a value of a type. False: there is none. */
bool wl_scalar_plan(struct wl_scalar *scalar, const struct wl_operand *operand, enum wl_type type);
uint64_t wl_scalar_read(const struct wl_machine *m, const struct wl_scalar *scalar);
/* One LDS element, chosen by M0. */
uint32_t wl_machine_lds_direct(const struct wl_machine *m);

/* ---- native semantics (steps.c) ---- */

typedef void wl_native_fn(void);
/* The native form of a row of the table of semantics. */
wl_native_fn *wl_steps_native(const struct wl_sem *sem);
/* Calls it: `count` pointers, results first. */
void wl_steps_call(wl_native_fn *native, void *const *pointers, unsigned count);
/* The form that does all strips of a wave; NULL: there is none. `advances`: bytes from one strip's input to the next one's. */
typedef void wl_wave_fn(void *result, void *const *inputs, const uint64_t *advances, uint64_t strips);
wl_wave_fn *wl_steps_wave(const struct wl_sem *sem);
/* Whether f32 operands and results of the instruction are flushed as MODE says (lift/inst/denormal.c). */
bool wl_steps_flushes(const struct wl_steps_builder *b, const struct wl_inst *inst, enum wl_type type);

static inline uint32_t wl_flush_f32(uint32_t bits) { return bits & 0x7f800000 ? bits : bits & 0x80000000; }
enum { WL_FLUSH_INPUTS = 0x10, WL_FLUSH_RESULTS = 0x20 }; /* bits of MODE: flushed where 0 */

/* ---- groups: each adds the steps of one instruction; false: it is none of the group's ---- */
bool wl_steps_valu(struct wl_steps_builder *b, const struct wl_inst *inst);
bool wl_steps_scalar(struct wl_steps_builder *b, const struct wl_inst *inst);
bool wl_steps_memory(struct wl_steps_builder *b, const struct wl_inst *inst);
bool wl_steps_lane(struct wl_steps_builder *b, const struct wl_inst *inst);
bool wl_steps_helper(struct wl_steps_builder *b, const struct wl_inst *inst);
bool wl_steps_indexed(struct wl_steps_builder *b, const struct wl_inst *inst);
bool wl_steps_wide(struct wl_steps_builder *b, const struct wl_inst *inst);
/* ds_bpermute_fi_b32 of whole registers: active lanes of `to` become lanes of `from`, active or not, that their addresses name. */
void wl_steps_bpermute_fi(const struct wl_machine *m, uint32_t *to, const uint32_t *address, const uint32_t *from, uint32_t offset);
/* The group that has the instruction (steps.c). */
bool wl_steps_instruction(struct wl_steps_builder *b, const struct wl_inst *inst);
/* The same for one in gfx9's indexing mode (index_mode; steps/indexed.c). */
bool wl_steps_relative(struct wl_steps_builder *b, const struct wl_inst *inst);

/* ---- sanitizers (steps/sanitize.c) ---- */

/* What the step of an access of `bytes` bytes a lane hands to wl_helpers.sanitize_access; NULL: nobody asked for it (or there is no
 * memory: b->status says so). */
struct wl_sanitize_site *wl_steps_site(struct wl_steps_builder *b, const struct wl_inst *inst, uint32_t bytes);
/* Appends a step that tells of the instruction if it waits for memory, or empties or writes a cache. */
void wl_steps_add_sanitize_fence(struct wl_steps_builder *b, const struct wl_inst *inst);
/* Appends a step that counts a basic block. */
void wl_steps_add_count(struct wl_steps_builder *b, const struct wl_count_block *counted);
/* In front of the instruction's own step: tells of what it uses that may not be there yet. */
void wl_steps_add_early_use(struct wl_steps_builder *b, const struct wl_inst *inst);

/* ---- a unit (steps.c) ---- */

/* Makes the steps of a unit. WL_UNSUPPORTED: one of its instructions has no step. */
enum wl_status wl_steps_build(const struct wl_unit *unit, struct wl_steps **steps);
void wl_steps_destroy(struct wl_steps *steps);
/* Runs a wave until it exits, like a wl_unit_code. */
uint32_t wl_steps_run(struct wl_wave *wave, const struct wl_steps *steps);
/* The same of steps with marks, up to the next one (wl_translate_steps_mark_fn). */
uint32_t wl_steps_run_to_mark(struct wl_wave *wave, const struct wl_steps *steps, struct wl_mark_point *point);

#endif
