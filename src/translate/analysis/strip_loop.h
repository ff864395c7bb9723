/* Divergent loops that can be run for one strip after the other.
 *
 * A wave runs a loop that its lanes leave one by one in rounds: as many as its slowest lane needs. Between two rounds all registers are in
 * the wave. If lanes of different strips have nothing to do with each other in the loop, each strip can run its own rounds instead. Its
 * registers are then values, and EXEC is a mask of 16 bits. The loop must not be able to tell the difference:
 *
 *   - the loop is left in one way only, by a branch on EXECZ or EXECNZ
 *   - the loop only reads memory that lanes share, or it writes there under the conditions below. Private memory it may write as it likes
 *   - nothing looks across lanes: masks (what comparisons make, and what logic makes of masks) are used as masks alone
 *   - a strip without active lanes may stop: with EXEC 0, what the loop still does for other lanes changes nothing that is used later.
 *     The same holds for branches over code that has no active lanes
 *   - scalars that change from round to round are not used behind the loop
 *
 * When strips run one after the other, the rounds of different strips come in another order than in a wave. A loop that writes to global
 * memory by atomics may run so if nothing depends on that order:
 *
 *   - how many rounds a lane takes follows from registers alone, not from what the loop has loaded: no lane waits for another
 *   - the loop touches neither LDS nor flat memory nor caches: nothing in it orders lanes among each other
 *   - the loop stores only to places that an atomic addition has given to single lanes: an *aggregated atomic*
 *
 * This relies on one thing: lanes of a wave that do not synchronize may see each other's atomics in any order. An aggregated atomic is
 * what compilers make of additions that all lanes do to one address: the first lane adds the number of lanes, and each lane's place is the
 * old value plus the lane's rank (strip_loop_aggregate.c). A strip may do the same for its own lanes: no two lanes get the same place then
 * either. */
#ifndef WL_TRANSLATE_ANALYSIS_STRIP_LOOP_H
#define WL_TRANSLATE_ANALYSIS_STRIP_LOOP_H

#include "translate/unit/mask_work.h"
#include "translate/unit/unit.h"

/* How many rounds a lane stays in the loop. There is one way through a round. At its end an active lane is still on if and only if the
 * lane's counter is below the limit and the lane was not in the mask `left` where the round began. */
struct wl_strip_rounds {
    bool known;
    bool is_signed, includes; /* the comparison; `includes`: a counter that is the limit is below it */
    bool ahead;               /* the round's step comes before its comparison */
    uint8_t left;             /* the mask that a round hands to the next, with the lanes that do not stay; 0: there is none */
    bool collects;            /* a lane that leaves is added to `left` */
    uint16_t counter;         /* row, to which each round adds `step` */
    uint32_t step;            /* 1 to 2^16 */
    struct wl_operand limit;  /* a row or scalar that the loop does not write, or a constant */
};

struct wl_strip_loop {
    uint32_t header;  /* basic block */
    uint32_t leave;   /* the basic block that branches out of the loop; MASKED code may begin there with EXEC = 0 */
    uint32_t exit;    /* where it branches to */
    uint32_t *blocks; /* all of the loop, in address order */
    uint32_t count;
    bool writes;       /* the loop writes to memory. Such a loop waits for nobody, and does not yield */
    bool *occupied;    /* by index in `blocks`: EXEC has lanes where it starts */
    uint64_t masks[2]; /* scalar registers (first of a pair in waves of 64) that hold masks in the loop, EXEC among them */
    uint64_t scalars_written[2];
    uint64_t rows[WL_ROW_WORDS], rows_written[WL_ROW_WORDS]; /* all that are used */
    uint64_t rows_counting[WL_ROW_WORDS]; /* rows that the loop writes only by adding the same number to all 16 lanes of a strip */
    struct wl_strip_rounds rounds;
};

/* Finds the unit's loops that can run strip by strip, none within another. Fills unit->strip_loops, and marks the instructions in them
 * that work on masks (wl_inst.on_strip_masks). After wl_unit_liveness. WL_OUT_OF_MEMORY. */
enum wl_status wl_strip_loops_find(struct wl_unit *unit);
/* The loop with this header; NULL: none. */
const struct wl_strip_loop *wl_strip_loop_at(const struct wl_unit *unit, uint32_t header);
/* A basic block's index in loop->blocks; UINT32_MAX: it is none of them. */
uint32_t wl_strip_loop_index(const struct wl_strip_loop *loop, uint32_t block);

/* Whether the basic block ends in a branch on EXEC, and where it goes without lanes and with some. */
bool wl_strip_on_exec(const struct wl_unit *unit, const struct wl_block *block, uint32_t *zero, uint32_t *some);

/* ---- strip_loop_aggregate.c ---- */

/* What an instruction is in the addition that gives each lane its place (wl_inst.aggregate). */
enum wl_aggregate {
    WL_AGGREGATE_NONE,
    WL_AGGREGATE_RANK,      /* v_mbcnt_lo of EXEC's copy; in waves of 64 the whole rank is computed here */
    WL_AGGREGATE_RANK_HIGH, /* v_mbcnt_hi: a move then */
    WL_AGGREGATE_COUNT,     /* s_bcnt1 of the copy */
    WL_AGGREGATE_FIRST,     /* v_readfirstlane of the old value */
    WL_AGGREGATE_STORE,     /* a store to the place that the addition gave */
};

/* Marks such instructions of the loop. False: memory is out. */
bool wl_strip_aggregates_find(struct wl_unit *unit, const struct wl_strip_loop *loop);

/* ---- strip_loop_writes.c ---- */

/* Whether a loop writes to memory or has aggregated atomics. */
bool wl_strip_loop_writes(const struct wl_unit *unit, const struct wl_strip_loop *loop);
/* Whether a loop that writes to memory may be run strip by strip: what it does in memory and what its rounds depend on allow it. Call it
 * when loop->leave is known and aggregated atomics are marked. */
bool wl_strip_loop_may_write(const struct wl_unit *unit, const struct wl_strip_loop *loop);

/* ---- strip_loop_rounds.c, strip_loop_pays.c ---- */

/* Fills loop->rounds; what the loop writes is known. */
void wl_strip_loop_find_rounds(const struct wl_unit *unit, struct wl_strip_loop *loop);
/* Whether all that the loop does to a row is to add scalars to it (strip_loop_pays.c). */
bool wl_strip_loop_counts(const struct wl_unit *unit, const struct wl_strip_loop *loop, int row);
/* Whether a loop that may be run strip by strip should be (strip_loop_pays.c). */
bool wl_strip_loop_pays(const struct wl_unit *unit, const struct wl_strip_loop *loop);
/* The scalar tail (lift/forms/scalar_tail.c): with at most so many lanes left at the begin of a round, they go on one after the other; 0:
 * never. */
unsigned wl_strip_loop_few(const struct wl_unit *unit, const struct wl_strip_loop *loop);

#endif
