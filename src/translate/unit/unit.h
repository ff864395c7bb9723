/* unit/: cuts code into a unit, everything that is reachable from one entry without following calls.
 *
 *   in    decoded instructions (isa/inst.h), from an address on
 *   out   struct wl_unit: the instructions in address order, cut into basic blocks (struct wl_block) with edges and resume points;
 *         registers that are live between them (struct wl_live); what an instruction reads and writes (struct wl_effects)
 *
 * A basic block ends behind a branch, behind anything that exits (machine/wave.h), and behind every change of EXEC, since there FULL and
 * MASKED code meet. A basic block that a wave may come back to after an exit has a resume point. The numbers of resume points depend on
 * the code alone, so that both copies of a unit agree on them.
 *
 *   unit.c       reads and cuts                      effects.c     what an instruction reads and writes
 *   liveness.c   which registers are live            spin.c        loops that wait for others
 *   turns.h      who goes first behind a barrier     mask_work.h   scalar instructions on masks
 *   private_buffer.c  buffers that are private memory    looks.c  loops that do nothing but wait
 *   polls.c      loads that look again and again     frame.h       private memory at -O0
 *   float_mode.c rounding and denormals that differ by type
 *   count.c      what the profiler counts              defined.c     for initcheck: cuts behind loads */
#ifndef WL_TRANSLATE_UNIT_H
#define WL_TRANSLATE_UNIT_H

#include "translate/interface/translate.h"
#include "translate/isa/inst.h"

enum wl_block_end {
    WL_BLOCK_NEXT,     /* goes on with `next` */
    WL_BLOCK_BRANCH,   /* goes to `target` */
    WL_BLOCK_CBRANCH,  /* goes to `target` if the condition holds, else to `next` */
    WL_BLOCK_EXEC,     /* EXEC changed: goes on with `next`, in FULL or MASKED form */
    WL_BLOCK_WAIT,     /* barrier, sleep, message, trap: exits, then `next` */
    WL_BLOCK_CALL,     /* exits to another unit, which returns to `next` */
    WL_BLOCK_JUMP,     /* exits to another unit: return, tail call */
    WL_BLOCK_FINISH,   /* s_endpgm */
    WL_BLOCK_FALL_OFF, /* runs into bytes that are no instruction: exits ILLEGAL */
};

#define WL_NO_BLOCK UINT32_MAX

struct wl_count_block;    /* machine/count.h */
struct wl_defined_piece;  /* machine/sanitize.h */
struct wl_sanitize_fence; /* the same */
struct wl_decoder;
struct wl_strip_loop;

/* A set of registers: 128 scalar ones (WL_SGPR_*) and 1,024 vector rows. */
struct wl_regs {
    uint64_t scalar[2];
    uint64_t vector[WL_ROW_WORDS];
};

/* What is live where a basic block begins. In FULL form a vector register is live or not. In MASKED form there are two
 * questions: is it live in the lanes that are active now, and is it live in lanes that are off now? A write under a
 * partial EXEC ends the first only. */
struct wl_live {
    uint64_t scalar[2];
    uint64_t full[WL_ROW_WORDS], active[WL_ROW_WORDS], inactive[WL_ROW_WORDS];
};

struct wl_block {
    uint32_t first, count; /* instructions; count is 0 only for FALL_OFF */
    enum wl_block_end end;
    uint32_t next, target;            /* basic blocks, or WL_NO_BLOCK */
    uint32_t resume;                  /* resume point number, or UINT32_MAX */
    uint32_t loop_entry;              /* number of the loop entry of a header without a resume point (wl_steps_control), or UINT32_MAX */
    bool is_header;                   /* a backward branch leads here */
    bool in_loop;                     /* found with the loops of strip_loop.h */
    bool is_return;                   /* the resume point lies behind a call */
    bool is_spin_header;              /* a loop that waits for others or for a time starts here: it must yield now and then */
    bool waits_for_others;            /* that loop may wait for what other workgroups write */
    bool reads_clock;                 /* that loop reads one: its rounds are long */
    bool only_looks;                  /* it is in a loop that waits and does nothing else (looks.c) */
    bool ends_looks;                  /* it is in none, and may follow one that is */
    bool is_cut;                      /* it begins where a long basic block was cut, for its length alone */
    bool narrows;                     /* EXEC end: EXEC can only have lost lanes */
    struct wl_live live_in, live_out; /* live_out: before the end's own exit or branch is taken */
};

struct wl_unit {
    const struct wl_translate_request *request;
    struct wl_inst *insts;
    uint32_t inst_count;
    struct wl_block *blocks; /* in address order */
    uint32_t block_count;
    uint32_t entry; /* the basic block that starts at the unit's entry */
    uint32_t resume_count;
    uint32_t entry_count;      /* resume points and loop entries; in units for initcheck, entry_count + p stands for basic block p */
    uint32_t rows;             /* highest VGPR row used + 1 */
    bool stops;                /* it has barriers, sleeps, messages or calls: most waves leave it before their end */
    bool waits;                /* `stops`, or it has loops that wait */
    bool polls;                /* it may wait for other workgroups: it sleeps, has loops that read what others write, or calls other code */
    bool empties_scalar_cache; /* s_dcache_inv: scalar loads look at what others store */
    bool indirect;             /* has a call or jump whose target is not constant, returns aside */
    uint64_t *callees;         /* constant targets of calls and jumps */
    uint32_t callee_count, callee_capacity;
    struct wl_strip_loop *strip_loops; /* analysis/strip_loop.h; none before they are looked for */
    uint32_t strip_loop_count, strip_loop_capacity;
    void (*forget_loops)(struct wl_unit *unit); /* releases them; NULL: there are none */
    struct wl_sanitize_fence *early;            /* what instructions tell of results that are used too early (rewrite/early_use.c) */
    uint32_t early_count;
    struct wl_count_block **counted; /* of each basic block, in code that counts (count.c); else NULL */
};

/* What a round of a spinning loop takes of the wave's fuel. */
static inline uint32_t wl_block_fuel(const struct wl_block *block) { return block->reads_clock ? 32 : 1; }

/* Decodes one unit and cuts it into basic blocks, as the code object has it (rewrite/rewrite.h makes it fit for translation).
 * WL_UNSUPPORTED names the first instruction that is not implemented; WL_INVALID_IMAGE: the entry is not code. The request must
 * outlive the unit. */
enum wl_status wl_unit_read(struct wl_unit *unit, struct wl_decoder *decoder, const struct wl_translate_request *request, uint64_t entry);
/* The same, without basic blocks and what is known of them: instructions, callees, rows. A tenth of the time (a kernel may call thousands of
 * functions by name, of which a wave enters few). */
enum wl_status wl_unit_survey(struct wl_unit *unit, struct wl_decoder *decoder, const struct wl_translate_request *request, uint64_t entry);
/* Sets `rows` from the instructions as they are now. */
void wl_unit_count_rows(struct wl_unit *unit);
void wl_unit_destroy(struct wl_unit *unit);
/* Whether instruction `n` is a call or a jump whose target is constant: *target is its address then. */
bool wl_unit_call_target(const struct wl_unit *unit, uint32_t n, uint64_t *target);
/* wl_unit_info's may_wait. */
static inline uint32_t wl_unit_waiting(const struct wl_unit *unit) {
    if (!unit->waits)
        return 0;
    return WL_WAITS | (unit->polls ? WL_POLLS : 0) | (!unit->polls && !unit->stops ? WL_SPINS : 0);
}
/* Whether the unit was compiled at -O0: such code keeps everything in private memory, and scalars in lanes. It gets LLVM's quick code
 * generator, which takes a fifth of the time: its author wants it soon and does not expect speed. (Small functions of optimized code are
 * not meant, though they may save as many registers.) */
bool wl_unit_is_unoptimized(const struct wl_unit *unit);
/* Whether a backward branch leads over a basic block. */
bool wl_unit_is_in_loop(const struct wl_unit *unit, uint32_t block);

/* ---- spin.c ---- */

struct wl_frame_access; /* frame.h */
/* Whether a loop, the basic blocks from a header to its last backward branch, may have to wait for what other waves write; `for_others`:
 * with loads that see other workgroups' stores. Basic blocks are linked. `frame`: of each instruction of the unit, or NULL. */
bool wl_loop_waits(const struct wl_unit *unit, uint32_t header, uint32_t latch, const struct wl_frame_access *frame, bool *for_others);

/* ---- polls.c ---- */

/* Marks the loads of a loop that may wait (wl_inst.looks_again, .looks_first, .may_look). `frame`: as above. `decoder`: looks for barriers in
 * functions that the loop calls as well; or NULL. */
void wl_loop_mark_polls(struct wl_unit *unit, uint32_t header, uint32_t latch, const struct wl_frame_access *frame,
                        struct wl_decoder *decoder);
/* Marks anew, with what is known of accesses to the frame: for racecheck. At -O0, where counters are in private memory, every loop seems to wait. */
void wl_unit_refine_polls(struct wl_unit *unit, struct wl_decoder *decoder);

/* ---- looks.c ---- */

/* Of a loop that waits, whether that is all it does: until others change memory, each round is like the one before, counters aside. */
bool wl_loop_only_looks(const struct wl_unit *unit, uint32_t header, uint32_t latch);
/* Marks the basic blocks of such a loop (only_looks). */
void wl_loop_mark_looks(struct wl_unit *unit, uint32_t header, uint32_t latch);
/* Marks the basic blocks behind those (ends_looks). */
void wl_unit_find_ends_of_looks(struct wl_unit *unit);

/* ---- private_buffer.c ---- */

/* Marks the buffer instructions that surely access private memory (wl_inst.is_private). Basic blocks are linked; `entry`: the one that starts
 * at the unit's entry. */
void wl_unit_find_private(struct wl_unit *unit, uint32_t entry);

/* ---- count.c ---- */

/* Notes what the profiler counts of the instructions, as the code object has them. WL_OUT_OF_MEMORY. */
enum wl_status wl_unit_count(struct wl_unit *unit);
/* Bytes of a basic block's list. */
size_t wl_unit_counted_size(const struct wl_count_block *counted);

/* ---- defined.c ---- */

/* Cuts basic blocks in front of what uses the result of a load in the same basic block. Resume points and loop entries keep their numbers.
 * WL_OUT_OF_MEMORY. */
enum wl_status wl_unit_cut_loads(struct wl_unit *unit);
/* The registers of a basic block so cut. */
void wl_unit_piece(const struct wl_unit *unit, const struct wl_block *block, struct wl_defined_piece *piece);

/* ---- float_mode.c ---- */

/* Whether a unit keeps f64 denormals where its kernels may flush f32's. */
bool wl_denormal_split(const struct wl_unit *unit);
/* Whether a unit may let f64 and f16 round otherwise than f32. */
bool wl_rounding_split(const struct wl_unit *unit);

/* ---- effects.c: which registers an instruction reads and writes ---- */

struct wl_effects {
    struct wl_regs use;                /* read; vector registers in active lanes */
    uint64_t use_lanes[WL_ROW_WORDS];  /* vector registers read in inactive lanes too (cross-lane operations) */
    struct wl_regs def;                /* written completely (vector: in the active lanes) */
    struct wl_regs touch;              /* written completely or in part: superset of def */
    uint64_t def_lanes[WL_ROW_WORDS];  /* vector registers of which single lanes are written whatever EXEC is (v_writelane): never a kill */
    uint8_t load_spaces, store_spaces; /* vector memory in which lanes may meet: WL_CONFLICT_* */
};
enum { WL_CONFLICT_MEMORY = 1, WL_CONFLICT_LDS = 2 };

void wl_inst_effects(const struct wl_inst *inst, uint32_t wave_size, struct wl_effects *effects);

/* ---- liveness.c ---- */

/* Fills every basic block's live_in and live_out. */
void wl_unit_liveness(struct wl_unit *unit);
/* The same, where it is known which rows at most are live, in a basic block, in lanes that are off (`limits`, by basic block). */
void wl_unit_liveness_within(struct wl_unit *unit, const uint64_t (*limits)[WL_ROW_WORDS]);
/* Steps `live` backwards over one instruction (not over an EXEC change; the basic block's end does that). */
void wl_live_step(struct wl_live *live, const struct wl_effects *effects);

static inline bool wl_bit(const uint64_t *set, unsigned n) { return set[n / 64] >> (n % 64) & 1; }
static inline void wl_set(uint64_t *set, unsigned n) { set[n / 64] |= UINT64_C(1) << (n % 64); }
/* Whether one of `count` scalar registers is in the set. Numbers beyond the last register are left out. */
static inline bool wl_any_bit(const uint64_t *set, unsigned first, unsigned count) {
    for (unsigned i = first; i < first + count && i < WL_SGPR_COUNT; i++)
        if (wl_bit(set, i))
            return true;
    return false;
}
static inline void wl_put_bits(uint64_t *set, unsigned first, unsigned count, bool value) {
    for (unsigned i = first; i < first + count && i < WL_SGPR_COUNT; i++)
        set[i / 64] = (set[i / 64] & ~(UINT64_C(1) << i % 64)) | (uint64_t)value << i % 64;
}

/* Whether two sets of registers, of so many words, have some in common. */
static inline bool wl_sets_meet(const uint64_t *a, const uint64_t *b, unsigned words) {
    uint64_t common = 0;
    for (unsigned w = 0; w < words; w++)
        common |= a[w] & b[w];
    return common != 0;
}
/* Whether an instruction reads or writes lanes whatever EXEC says, such as registers of which compilers keep scalars in single lanes. */
static inline bool wl_effects_reach_lanes(const struct wl_effects *effects) {
    uint64_t lanes = 0;
    for (unsigned w = 0; w < WL_ROW_WORDS; w++)
        lanes |= effects->use_lanes[w] | effects->def_lanes[w];
    return lanes != 0;
}

/* Whether two sets of registers have some in common. */
static inline bool wl_regs_meet(const struct wl_regs *a, const struct wl_regs *b) {
    return wl_sets_meet(a->scalar, b->scalar, 2) || wl_sets_meet(a->vector, b->vector, WL_ROW_WORDS);
}
/* Whether one of an operand's registers is in a set. */
static inline bool wl_regs_has(const struct wl_regs *set, const struct wl_operand *operand) {
    const unsigned count = operand->count ? operand->count : 1;
    if (operand->kind == WL_OPERAND_SGPR)
        return wl_any_bit(set->scalar, operand->reg, count);
    return operand->kind == WL_OPERAND_VGPR && wl_any_bit(set->vector, operand->reg, count);
}
static inline struct wl_regs wl_regs_without_exec(struct wl_regs set) {
    wl_put_bits(set.scalar, WL_SGPR_EXEC, 2, false);
    return set;
}
/* Adds vector registers to a set of them. */
static inline void wl_rows_add(uint64_t *set, const uint64_t *more) {
    for (unsigned w = 0; w < WL_ROW_WORDS; w++)
        set[w] |= more[w];
}
/* Three operations on a set of registers: add these, remove these, keep only these. True: the set has changed. */
static inline bool wl_regs_add(struct wl_regs *set, const struct wl_regs *more) {
    uint64_t changed = 0;
    for (unsigned w = 0; w < 2; w++) {
        changed |= more->scalar[w] & ~set->scalar[w];
        set->scalar[w] |= more->scalar[w];
    }
    for (unsigned w = 0; w < WL_ROW_WORDS; w++) {
        changed |= more->vector[w] & ~set->vector[w];
        set->vector[w] |= more->vector[w];
    }
    return changed != 0;
}
static inline bool wl_regs_remove(struct wl_regs *set, const struct wl_regs *gone) {
    uint64_t changed = 0;
    for (unsigned w = 0; w < 2; w++) {
        changed |= set->scalar[w] & gone->scalar[w];
        set->scalar[w] &= ~gone->scalar[w];
    }
    for (unsigned w = 0; w < WL_ROW_WORDS; w++) {
        changed |= set->vector[w] & gone->vector[w];
        set->vector[w] &= ~gone->vector[w];
    }
    return changed != 0;
}
static inline bool wl_regs_keep(struct wl_regs *set, const struct wl_regs *others) {
    struct wl_regs gone = *set;
    (void)wl_regs_remove(&gone, others);
    return wl_regs_remove(set, &gone);
}

#endif
