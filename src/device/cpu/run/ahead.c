#include "device/cpu/run/ahead.h"

#include <xxhash.h>

enum {
    ROUND_NS = 100, /* what a round takes: about what a look at memory of a host takes a GPU */
    FUEL = 64,      /* for each of the rounds that are compared: enough for one of a loop that may read a clock */
    MOST_CALLS = 5, /* of a turn: it may begin elsewhere in the loop than it goes on */
    MARGIN = 1,     /* how far counters stay away from what they are compared with */
};

static uint32_t *lanes_of(struct wl_wave *wave, uint32_t reg) {
    return reg < WL_COUNTER_VECTOR ? &wave->sgpr[reg] : &wave->vgpr[(size_t)(reg - WL_COUNTER_VECTOR) * wave->wave_size];
}

static uint32_t lane_count(const struct wl_wave *wave, uint32_t reg) { return reg < WL_COUNTER_VECTOR ? 1 : wave->wave_size; }

static bool is_counter(const struct wl_counting *counting, uint32_t reg) {
    for (uint32_t c = 0; c < counting->counter_count; c++)
        if (counting->counters[c].reg == reg)
            return true;
    return false;
}

static uint64_t print_of(const struct wl_counting *counting, const struct wl_wave *wave) {
    uint32_t scalars[WL_SGPR_COUNT] = {0};
    for (uint32_t i = 0; i < WL_SGPR_COUNT; i++)
        if (counting->scalars[i / 32] >> i % 32 & 1 && !is_counter(counting, i))
            scalars[i] = wave->sgpr[i];
    uint64_t print = XXH3_64bits(scalars, sizeof scalars);
    for (uint32_t w = 0; w < sizeof counting->rows / sizeof *counting->rows; w++)
        for (uint32_t rows = counting->rows[w]; rows; rows &= rows - 1) {
            const uint32_t row = w * 32 + (uint32_t)__builtin_ctz(rows);
            if (row < wave->vgprs && !is_counter(counting, WL_COUNTER_VECTOR + row))
                print = XXH3_64bits_withSeed(&wave->vgpr[(size_t)row * wave->wave_size], wave->wave_size * sizeof *wave->vgpr, print);
        }
    return print;
}

/* Notes what counters have, and by how much they have changed. Returns whether all have changed as in the round before. */
static bool note_counters(struct wl_ahead *ahead, const struct wl_counting *counting, struct wl_wave *wave) {
    bool same = true;
    for (uint32_t c = 0; c < counting->counter_count; c++) {
        const uint32_t *now = lanes_of(wave, counting->counters[c].reg);
        for (uint32_t lane = 0; lane < lane_count(wave, counting->counters[c].reg); lane++) {
            const uint32_t step = ahead->rounds ? now[lane] - ahead->values[c][lane] : 0;
            same &= ahead->rounds >= 2 && ahead->steps[c][lane] == step;
            ahead->steps[c][lane] = step;
            ahead->values[c][lane] = now[lane];
        }
    }
    return same;
}

/* How many rounds a counter may go on by `step` each before a comparison with `bound`, or the bound's neighbours, may turn out otherwise. It
 * has had `value` - `step` in a comparison of the last round. */
static uint64_t rounds_until(uint32_t value, int32_t step, uint32_t bound) {
    const bool up = step > 0;
    const uint32_t length = up ? (uint32_t)step : -(uint32_t)step, from = value - (uint32_t)step;
    const uint32_t past = up ? from - (bound - MARGIN) : bound + MARGIN - from, way = -past; /* from, and to, what is near the bound */
    if (past <= 2 * MARGIN || way <= length)
        return 0;
    return (way - 1) / length - 1;
}

/* The rounds that a lane's counter may go on; as many at most as fit into `slept` ns. UINT64_MAX: it does not count. */
static uint64_t rounds_of_lane(const struct wl_ahead *ahead, const struct wl_counting *counting, uint32_t c, uint32_t lane,
                               struct wl_wave *wave, uint64_t slept) {
    const struct wl_counter *counter = &counting->counters[c];
    const int32_t step = (int32_t)ahead->steps[c][lane];
    const uint32_t value = ahead->values[c][lane];
    if (!step)
        return UINT64_MAX;
    if (step / counter->step < 1)
        return 0;
    uint64_t least = slept / ROUND_NS / (uint64_t)(step / counter->step), next;
    const uint32_t always[] = {0, (uint32_t)INT32_MAX + 1}; /* where carries come, and signs change */
    for (unsigned i = 0; i < sizeof always / sizeof *always; i++)
        least = (next = rounds_until(value, step, always[i])) < least ? next : least;
    for (uint32_t b = 0; b < counter->bound_count; b++) {
        const struct wl_bound *bound = &counter->bounds[b];
        const uint32_t *bounds = bound->is_register ? lanes_of(wave, bound->value) : &bound->value;
        const uint32_t lanes = bound->is_register ? lane_count(wave, bound->value) : 1;
        const bool own = lanes > 1 && lane_count(wave, counter->reg) > 1;
        for (uint32_t i = own ? lane : 0; i < (own ? lane + 1 : lanes); i++)
            least = (next = rounds_until(value, step, bounds[i])) < least ? next : least;
    }
    return least;
}

static void go_ahead(const struct wl_ahead *ahead, const struct wl_counting *counting, struct wl_wave *wave, uint64_t slept) {
    uint64_t least = UINT64_MAX;
    for (uint32_t c = 0; c < counting->counter_count; c++)
        for (uint32_t lane = 0; lane < lane_count(wave, counting->counters[c].reg); lane++) {
            const uint64_t rounds = rounds_of_lane(ahead, counting, c, lane, wave, slept);
            least = rounds < least ? rounds : least;
        }
    for (uint32_t c = 0; least != UINT64_MAX && c < counting->counter_count; c++) {
        uint32_t *lanes = lanes_of(wave, counting->counters[c].reg);
        for (uint32_t lane = 0; lane < lane_count(wave, counting->counters[c].reg); lane++)
            lanes[lane] += (uint32_t)least * ahead->steps[c][lane];
    }
}

bool wl_ahead_goes_on(struct wl_ahead *ahead, const struct wl_counting *counting, struct wl_wave *wave, uint64_t slept) {
    const uint64_t print = print_of(counting, wave);
    const bool same = ahead->rounds && ahead->resume == wave->resume && ahead->print == print;
    const bool steady = note_counters(ahead, counting, wave) && same;
    ahead->resume = wave->resume;
    ahead->print = print;
    ahead->rounds = same ? ahead->rounds + 1 : 1;
    if (steady)
        go_ahead(ahead, counting, wave, slept);
    wave->fuel = FUEL;
    return !steady && ++ahead->calls < MOST_CALLS;
}
