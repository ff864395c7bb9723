/* analysis/: facts about a unit.
 *
 *   in    a unit (unit/unit.h), and the shape of workgroups that its request names
 *   out   what the lifter may rely on:
 *
 *   affine.h      what is known of vector registers: struct wl_fact. Which are uniform, which are base + stride * lane
 *   saved_exec.h  which earlier values of EXEC are kept in scalar registers
 *   scalar.h      what is known of scalar registers
 *   value.h       what a sum, a product, a shift of known values is
 *   strip_loop.h  loops that may run strip by strip: struct wl_strip_loop
 *   workgroup.h   whether a workgroup may run as one wave: struct wl_workgroup
 *
 * This header: facts about vector registers. A fact holds for each strip of 16 lanes (lane = 0 to 15 within the strip; the base may
 * differ from strip to strip), or for the whole wave. Where a row of work items ends within a strip (8 work items share a row), a fact may
 * hold for each 8 lanes. Facts begin with the work items' ids and the launch's shape, and a forward data-flow analysis
 * follows them through the unit, over pairs of basic block and mode. FULL code overwrites a register in all lanes. MASKED code
 * overwrites it in the active lanes only; such a fact holds for the active lanes only (`partial`), and is forgotten when EXEC grows.
 *
 * A wave whose EXEC is partial from the start leaves the inactive lanes alone for good. With rows of a multiple of 16
 * work items such an EXEC has whole strips on or off. So code before the first change of EXEC writes all lanes that
 * count, in MASKED form too. (Code that sets EXEC to all ones, to save registers, looks at no facts.) */
#ifndef WL_TRANSLATE_ANALYSIS_AFFINE_H
#define WL_TRANSLATE_ANALYSIS_AFFINE_H

#include "translate/unit/unit.h"

enum wl_fact_kind {
    WL_FACT_UNKNOWN,
    WL_FACT_AFFINE,    /* base + stride * lane, modulo 2^32; stride 0: uniform */
    WL_FACT_CARRY,     /* high half of a 64-bit sum whose low half is AFFINE: the same in all lanes but for the carry. If the first and the
                          last lane agree, all do */
    WL_FACT_HALF_LANE, /* v_mbcnt_lo of all ones in waves of 64, to which v_mbcnt_hi adds: the result is the lane's number */
    WL_FACT_GROUPS,    /* AFFINE within each group of WL_GROUP lanes; the bases of two groups have nothing to do with each other */
    WL_FACT_GROUPS_CARRY,
    WL_FACT_BROKEN, /* AFFINE up to some lane, and from there on AFFINE with the same stride and another base: an index that starts over at the
                        end of a buffer. If the last lane is where the first one's base leads, all lanes are */
    WL_FACT_SHIFTED, /* an AFFINE value that was shifted right by `shift`: a later mask may leave bits of which something is known */
};

struct wl_fact {
    uint8_t kind; /* enum wl_fact_kind */
    /* The fact holds only for the lanes that were active when the register was written. Those that are active now are among them. */
    bool partial;
    /* The fact is partial in memory, where the active lanes alone were stored. But the code at hand still has the value as it was computed,
     * and there the fact holds in all lanes. */
    bool fresh;
    /* GROUPS: each lane loaded the value by itself, while memory may have changed. The lanes of a group have likely, not surely, the same. */
    bool loaded;
    uint8_t zeros; /* AFFINE: known zero low bits of the base */
    uint8_t same;  /* AFFINE: number of low bits that a lane has in common with the same lane of every other strip; 32: all bits */
    uint8_t bits;  /* AFFINE: the value is below 2^bits in every lane, so that it never wraps; 32: not known */
    uint8_t shift; /* SHIFTED; 0: the low 16 bits are those of the AFFINE value, the others unknown */
    uint8_t since; /* places (saved_exec.h) that hold an EXEC from before the last write under a partial EXEC */
    int32_t stride;
    uint32_t lanes; /* the fact holds within each set of so many neighbouring lanes: WL_GROUP, WL_STRIP, 32, or WL_ALL_LANES of the wave */
    /* Known within a basic block only: a number that this value has, not 0; and the number of the value whose high half this is. Such halves
     * are together a 64-bit base + stride * lane, whatever they carry. */
    uint32_t own, of;
};

#define WL_ALL_LANES 64
#define WL_GROUP     8

static inline bool wl_fact_is_uniform(const struct wl_fact *fact) { return fact->kind == WL_FACT_AFFINE && fact->stride == 0; }
/* Whether a value is known not to wrap around over its lanes, so that it is base + stride * lane without the modulus. */
bool wl_fact_fits(const struct wl_fact *fact);
/* Whether two registers, the low and the high half, are together a 64-bit base + stride * lane, without a carry from lane to lane. */
bool wl_fact_is_pair(const struct wl_fact *low, const struct wl_fact *high);

enum wl_sgpr_kind {
    WL_SGPR_VALUE,
    WL_SGPR_KERNARG, /* the low half of the kernarg segment's address; the next register has the high half */
    WL_SGPR_PACKET,  /* the same of the dispatch packet */
    WL_SGPR_BLOCK,   /* the workgroup's size: x in the low half, y in the high one */
};

/* What is known of a scalar register; zeros: nothing. */
struct wl_sgpr {
    uint8_t kind;  /* enum wl_sgpr_kind */
    uint8_t zeros; /* known zero low bits */
    uint8_t above; /* known zero high bits */
};

/* Values of EXEC in scalar registers (saved_exec.h). Sets of places are bits. */
enum { WL_SAVED_PLACES = 8 };
struct wl_saved {
    uint8_t valid;                  /* places that hold an earlier EXEC of which the present one is a part */
    uint8_t entry;                  /* those of them that hold EXEC as it was at the kernel's entry (entry_exec) */
    uint8_t outer[WL_SAVED_PLACES]; /* by place: what was in `valid` when the place was filled */
    uint8_t others;                 /* places with the lanes that the present EXEC has not, of an earlier EXEC */
    uint8_t partly;                 /* valid ones that hold a part of that earlier EXEC, in whose other lanes code ran since */
    uint8_t rest;                   /* those of them for which the present EXEC is all of these other lanes */
};

/* Flags beside the lanes of wl_facts.breaks: all lanes have the same; the vector region at hand made the mask, in all lanes; two registers
 * have it. */
enum { WL_BREAKS_NOWHERE = 1, WL_BREAKS_FRESH = 2, WL_BREAKS_PAIR = 0x80, WL_BREAKS_LANES = 0x78 };

struct wl_facts {
    struct wl_fact row[WL_VGPR_COUNT];
    struct wl_saved saved;
    struct wl_sgpr scalar[WL_SGPR_COUNT];
    /* Known within a basic block only. */
    uint32_t constant[WL_SGPR_COUNT]; /* scalar registers that were set to constants */
    uint64_t constant_known[2];
    /* Lanes over which the mask from a register on is one value up to some lane, and the opposite from there on, and WL_BREAKS_*; 0: not known. */
    uint8_t breaks[WL_SGPR_COUNT];
    uint16_t carry; /* 1 + the scalar register that holds the carry of an affine sum; 0: none */
    bool carry_uniform;
    bool carry_fresh; /* the vector region at hand made it, in all lanes */
    uint32_t carry_lanes;
    bool carry_borrows;             /* the carry is the borrow of a difference */
    uint32_t carry_of;              /* the number of the affine sum */
    struct wl_fact carry_inputs[2]; /* the two values of which it is the sum or the difference */
    bool entry_exec;                /* EXEC is what it was at the kernel's entry, and that has whole strips on or off */
    /* The row that was written last, and its fact before that write: the second instruction of a VOPD pair reads what was there before. */
    uint16_t previous_row;
    struct wl_fact previous;
};

struct wl_affine; /* the analysis' result: facts at the start of each basic block, for both modes */

/* Analyses a unit. NULL if memory is exhausted. */
struct wl_affine *wl_affine_create(const struct wl_unit *unit);
void wl_affine_destroy(struct wl_affine *affine);
/* Copies the facts at a basic block's start. */
void wl_affine_start(const struct wl_affine *affine, uint32_t block, enum wl_mode mode, struct wl_facts *facts);
/* The vector region ends: what it computed is in the wave now, and no fact is `fresh` any more. */
void wl_affine_settle(struct wl_facts *facts);
/* Whether the fact about a register holds in the inactive lanes too, for the value as the code at hand has it. */
static inline bool wl_fact_in_all_lanes(const struct wl_fact *fact) { return !fact->partial || fact->fresh; }
/* Steps facts forward over one instruction executed in `mode`. */
void wl_affine_step(struct wl_facts *facts, const struct wl_unit *unit, const struct wl_inst *inst, enum wl_mode mode);

#endif
