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

void wl_lane_exchange_bits(const struct wl_lane *lane, unsigned result, unsigned wave_size, uint64_t bits[WL_LANE_FROM_BITS]) {
    for (unsigned b = 0; b < WL_LANE_FROM_BITS; b++) {
        bits[b] = 0;
        for (unsigned n = 0; n < wave_size; n++)
            bits[b] |= (uint64_t)(lane->exchange(result, n, wave_size) >> b & 1) << n;
    }
}

/* ---- the table ---- */

#define HELPER(MEMBER) offsetof(struct wl_helpers, MEMBER)

const struct wl_lane wl_lanes[WL_LANE_COUNT] = {
#define LANE(MNEMONIC, OPERATION, EMIT, STEP, PTX, ...) [WL_LANE_##OPERATION] = {__VA_ARGS__},
#define LANE_KIND(OPERATION, EMIT, STEP, PTX, ...)      [WL_LANE_##OPERATION] = {__VA_ARGS__},
#include "translate/isa/lane_rows.inc"
};
