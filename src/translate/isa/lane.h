/* Cross-lane instructions: what everybody asks about one, from its row of lane_rows.inc. */
#ifndef WL_TRANSLATE_ISA_LANE_H
#define WL_TRANSLATE_ISA_LANE_H

#include "translate/isa/inst.h"
#include "translate/isa/isa.h"

/* `detail` of WL_ISA_LANE. */
enum wl_lane_op {
#define LANE(MNEMONIC, OPERATION, ...) WL_LANE_##OPERATION,
#define LANE_KIND(OPERATION, ...)      WL_LANE_##OPERATION,
#include "translate/isa/lane_rows.inc"
    WL_LANE_COUNT
};

/* How it reads memory that others may write: not at all; as it was when it came into a cache, perhaps; as it is, and changes it. */
enum wl_lane_loads { WL_LANE_LOADS_NOTHING, WL_LANE_LOADS, WL_LANE_CHANGES };

/* Where a lane of a result comes from: lane n of register r of the exchange, as WL_LANE_FROM(r, n). */
#define WL_LANE_FROM(REGISTER, LANE) ((REGISTER) << 6 | (LANE))
enum { WL_LANE_FROM_BITS = 7 };
typedef unsigned wl_lane_exchange_fn(unsigned result, unsigned lane, unsigned wave_size);

struct wl_lane {
    uint8_t results;               /* operands that it writes: the first ones */
    uint8_t scalars;               /* operands from this one on may be scalars, two at most; 0: none may be */
    uint8_t loads;                 /* enum wl_lane_loads */
    bool keeps;                    /* active lanes of a result may stay as they are */
    bool one_lane;                 /* writes one lane, whether it is active or not, and reads scalars */
    bool needs_row;                /* the source has to be a vector register */
    bool by_strip;                 /* a lane reads no other lane of its registers, DPP aside */
    bool reads_m0, is_block;       /* is_block: data in consecutive registers, address, scalar base: wl_lane_reach */
    bool stores;                   /* is_block: a store, from registers or from LDS; its first operand is the address */
    bool crosses, by_vector;       /* v_permlane16: reads the row beside its own; lanes are chosen by a register */
    bool from_inactive;            /* reads inactive lanes whatever the modifiers say */
    uint16_t helper;               /* of call_rows and run_rows: the offset in struct wl_helpers */
    wl_lane_exchange_fn *exchange; /* its lanes read fixed lanes: of the results, if there are two, else of the source */
};

/* By enum wl_lane_op. */
extern const struct wl_lane wl_lanes[WL_LANE_COUNT];

/* The facts of a LANE instruction. */
static inline const struct wl_lane *wl_lane_of(const struct wl_inst *inst) { return &wl_lanes[inst->isa->detail]; }

/* Whether its helper accesses memory at addresses in registers. Code for sanitizers leaves its site in the wave then (machine/helpers.h). */
static inline bool wl_lane_accesses(const struct wl_inst *inst) {
    const struct wl_lane *lane = wl_lane_of(inst);
    return lane->is_block || (lane->loads && !lane->reads_m0);
}

/* How an instruction with a helper for its addresses accesses memory: WL_REACH_*. */
uint32_t wl_lane_reach(const struct wl_inst *inst);

/* An exchange's registers: their number, and the operand that the first one is. */
static inline unsigned wl_lane_exchanged(const struct wl_lane *lane) { return lane->results == 2 ? 2 : 1; }
static inline unsigned wl_lane_first_exchanged(const struct wl_lane *lane) { return lane->results == 2 ? 0 : 1; }

/* An exchange's result bit by bit: bit n of bits[b] is bit b of where lane n comes from (WL_LANE_FROM). */
void wl_lane_exchange_bits(const struct wl_lane *lane, unsigned result, unsigned wave_size, uint64_t bits[WL_LANE_FROM_BITS]);

#endif
