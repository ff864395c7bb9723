/* Divergent loops that can be run for one strip after the other.
 *
 * A wave runs a loop that its lanes leave one by one in rounds: as many as the slowest lane takes, with all registers in the
 * wave between what belongs to one round and the next. Where lanes of different strips have nothing to do with each other in the
 * loop, each strip may run its own rounds instead, with its registers as values and EXEC as a mask of 16 bits. This is what a
 * wave may not tell from rounds:
 *
 *   - the loop is left in one way only, by a branch on EXECZ or EXECNZ
 *   - memory is only read in it, or is written so that the order of the strips' rounds is nobody's to rely on (below)
 *   - nothing looks across lanes: masks (what comparisons make, and what logic makes of that) are used as masks alone
 *   - a strip without active lanes may stop: with EXEC 0, what else the loop does for others changes nothing that is used later.
 *     The same for branches over code that has no active lanes
 *   - scalars that change from round to round are not used behind the loop
 *
 * Rounds of other strips come before or behind a strip's own then, where a wave goes from round to round with all lanes at once. A loop
 * with atomics in global memory may be run so if
 *
 *   - how many rounds a lane takes follows from registers alone, not from what the loop has loaded: no lane waits for another one
 *   - LDS and flat memory are not touched in it, nor are caches: nothing in it orders lanes among each other
 *   - it stores only where an atomic addition has given each lane a place of its own: a *ticket*
 *
 * What is relied on then: lanes of a wave that do not synchronize see each other's atomics in any order. Compilers make one addition for
 * the wave of those that its lanes do to one address: the first lane adds the number of lanes, and each lane's ticket is the old value
 * plus its rank (strip_loop_ticket.c). A strip may do the same for its own lanes: tickets are as distinct. */
#ifndef WL_TRANSLATE_ANALYSIS_STRIP_LOOP_H
#define WL_TRANSLATE_ANALYSIS_STRIP_LOOP_H

#include "translate/unit/mask_work.h"
#include "translate/unit/unit.h"

/* How many rounds a lane stays. The loop has one way through it; at its end an active lane is on if and only if its counter is below the
 * limit and it was not among those that `left` held where the round began. */
struct wl_strip_rounds {
    bool known;
    bool is_signed, includes; /* the comparison; `includes`: a counter that is the limit is below it */
    bool ahead;               /* the round's step comes before its comparison */
    uint8_t left;             /* the mask that rounds hand on, which is 0 for lanes that stay; 0: there is none */
    bool collects;            /* lanes that leave are in `left` then */
    uint16_t counter;         /* row, to which each round adds `step` */
    uint32_t step;            /* 1 to 2^16 */
    struct wl_operand limit;  /* a row or scalar that the loop does not write, or a constant */
};

struct wl_strip_loop {
    uint32_t header;  /* piece */
    uint32_t leave;   /* the piece that branches out of the loop; MASKED code may begin there with EXEC = 0 */
    uint32_t exit;    /* where it branches to */
    uint32_t *pieces; /* all of the loop, in address order */
    uint32_t count;
    bool writes;       /* to memory: it waits for nobody then, and does not yield */
    bool *occupied;    /* by index in `pieces`: EXEC has lanes where it starts */
    uint64_t masks[2]; /* scalar registers (first of a pair in waves of 64) that hold masks in the loop, EXEC among them */
    uint64_t scalars_written[2];
    uint64_t rows[8], rows_written[8]; /* all that are used */
    uint64_t rows_counting[8];         /* written, and nothing is done to them but adding the same to all 16 lanes of a strip */
    struct wl_strip_rounds rounds;
};

/* Finds the unit's loops of this kind, none within another: fills unit->strip_loops and marks their instructions that work on
 * masks (wl_inst.on_strip_masks). After wl_unit_liveness. WL_OUT_OF_MEMORY. */
enum wl_status wl_strip_loops_find(struct wl_unit *unit);
/* The loop with this header; NULL: none. */
const struct wl_strip_loop *wl_strip_loop_at(const struct wl_unit *unit, uint32_t header);
/* A piece's index in loop->pieces; UINT32_MAX: it is none of them. */
uint32_t wl_strip_loop_index(const struct wl_strip_loop *loop, uint32_t piece);

/* Whether the piece ends in a branch on EXEC, and where it goes without lanes and with some. */
bool wl_strip_on_exec(const struct wl_unit *unit, const struct wl_piece *piece, uint32_t *zero, uint32_t *some);

/* ---- strip_loop_ticket.c ---- */

/* What an instruction is in the addition that gives lanes their tickets (wl_inst.ticket). */
enum wl_ticket {
    WL_TICKET_NONE,
    WL_TICKET_RANK,      /* v_mbcnt_lo of EXEC's copy; of waves of 64, the whole rank is computed here */
    WL_TICKET_RANK_HIGH, /* v_mbcnt_hi: a move then */
    WL_TICKET_COUNT,     /* s_bcnt1 of the copy */
    WL_TICKET_FIRST,     /* v_readfirstlane of the old value */
    WL_TICKET_STORE,     /* a store to the place that the ticket says */
};

/* Marks such instructions of the loop. False: memory is out. */
bool wl_strip_tickets_find(struct wl_unit *unit, const struct wl_strip_loop *loop);

/* ---- strip_loop_writes.c ---- */

/* Whether a loop writes to memory or has tickets. */
bool wl_strip_loop_writes(const struct wl_unit *unit, const struct wl_strip_loop *loop);
/* Whether one that does may be run strip by strip, for what it does in memory and for what its rounds depend on. loop->leave is known,
 * tickets are marked. */
bool wl_strip_loop_may_write(const struct wl_unit *unit, const struct wl_strip_loop *loop);

/* ---- strip_loop_rounds.c, strip_loop_pays.c ---- */

/* Fills loop->rounds; what the loop writes is known. */
void wl_strip_loop_find_rounds(const struct wl_unit *unit, struct wl_strip_loop *loop);
/* Whether all that the loop does to a row is to add scalars to it (strip_loop_pays.c). */
bool wl_strip_loop_counts(const struct wl_unit *unit, const struct wl_strip_loop *loop, int row);
/* Whether a loop that may be run strip by strip should be (strip_loop_pays.c). */
bool wl_strip_loop_pays(const struct wl_unit *unit, const struct wl_strip_loop *loop);
/* How many lanes a strip may have where a round begins for them to go on one after the other (lift/forms/scalar_tail.c); 0: they never should. */
unsigned wl_strip_loop_few(const struct wl_unit *unit, const struct wl_strip_loop *loop);

#endif
