#include "translate/isa/lane.h"

#include "machine/helpers.h"

/* ---- exchanges ---- */

static unsigned other_half(unsigned result, unsigned lane, unsigned wave_size) {
    (void)result;
    return WL_LANE_FROM(0, wave_size == 64 ? lane ^ 32 : lane);
}

/* The upper `size` lanes of each pair of rows in the first register, and the lower ones in the second, change places. */
static unsigned swap(unsigned result, unsigned lane, unsigned size) {
    const unsigned source = result ? lane | size : lane & ~size;
    return WL_LANE_FROM(lane & size ? 1u : 0u, source);
}

static unsigned swap_16(unsigned result, unsigned lane, unsigned wave_size) {
    (void)wave_size;
    return swap(result, lane, 16);
}

static unsigned swap_32(unsigned result, unsigned lane, unsigned wave_size) {
    (void)wave_size;
    return swap(result, lane, 32);
}

static unsigned lower_16(unsigned result, unsigned lane, unsigned wave_size) {
    (void)result, (void)wave_size;
    return WL_LANE_FROM(0, lane & ~16u);
}

static unsigned upper_16(unsigned result, unsigned lane, unsigned wave_size) {
    (void)result, (void)wave_size;
    return WL_LANE_FROM(0, lane | 16);
}

void wl_lane_exchange_bits(const struct wl_lane *lane, unsigned result, unsigned wave_size, uint64_t bits[WL_LANE_FROM_BITS]) {
    for (unsigned b = 0; b < WL_LANE_FROM_BITS; b++) {
        bits[b] = 0;
        for (unsigned n = 0; n < wave_size; n++)
            bits[b] |= (uint64_t)(lane->exchange(result, n, wave_size) >> b & 1) << n;
    }
}

/* ---- addresses ---- */

uint32_t wl_lane_reach(const struct wl_inst *inst) {
    const struct wl_isa *isa = inst->isa;
    const bool stores = wl_lane_of(inst)->stores, scaled = inst->scale_offset;
    const struct wl_operand *data = &inst->operands[stores ? 1 : 0], *address = &inst->operands[stores ? 0 : 1];
    const bool multicast = isa->detail == WL_LANE_LOAD_CLUSTER;
    const bool copies = multicast || isa->detail == WL_LANE_LOAD_ASYNC || isa->detail == WL_LANE_STORE_ASYNC;
    const uint32_t size = copies ? isa->bits / 8u : isa->bits, unit = !scaled ? 1 : copies ? size : data->count * 4u;
    const uint32_t flags = (address->count == 1 ? WL_REACH_NARROW : 0) | (inst->signed_offset ? WL_REACH_SIGNED : 0) |
                           (isa->space == WL_SPACE_LDS ? WL_REACH_LDS : 0) | (isa->space == WL_SPACE_SCRATCH ? WL_REACH_SCRATCH : 0) |
                           (stores ? WL_REACH_STORE : 0) | (multicast ? WL_REACH_CLUSTER : 0);
    return flags | unit << WL_REACH_UNIT | size << WL_REACH_SIZE;
}

/* ---- the table ---- */

#define HELPER(MEMBER) offsetof(struct wl_helpers, MEMBER)

const struct wl_lane wl_lanes[WL_LANE_COUNT] = {
#define LANE(MNEMONIC, OPERATION, EMIT, STEP, PTX, ...) [WL_LANE_##OPERATION] = {__VA_ARGS__},
#define LANE_KIND(OPERATION, EMIT, STEP, PTX, ...)      [WL_LANE_##OPERATION] = {__VA_ARGS__},
#include "translate/isa/lane_rows.inc"
};
