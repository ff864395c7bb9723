/* racecheck: lanes of one instruction that store to one place. */
#include "sanitize/race.h"

#include "sanitize/race_check.h"

#include <stdlib.h>
#include <string.h>

/* ---- lanes that store to one place ------------------------------------------------------------ */

static bool values_differ(const struct wl_san_access *a, unsigned one, unsigned two) {
    const uint32_t bytes = a->site->bytes;
    for (uint32_t d = 0; d < (bytes + 3) / 4; d++) {
        const uint32_t used = bytes - 4 * d < 4 ? (UINT32_C(1) << 8 * (bytes - 4 * d)) - 1 : UINT32_MAX;
        if ((a->data[d * a->data_stride + one] ^ a->data[d * a->data_stride + two]) & used)
            return true;
    }
    return false;
}

/* Whether the store of a lane leaves all of its bytes as they are. */
static bool keeps_values(const struct check *c, unsigned bit) {
    const struct wl_san_access *a = c->access;
    const uint64_t address = a->address[bit];
    bool same = true;
    for (uint64_t cell = address & ~UINT64_C(3); same && cell < address + a->site->bytes; cell += 4)
        same = wl_race_keeps_value(c, a->first_lane + bit, address, cell);
    return same;
}

/* Whether a change of what is there is lost, because another lane makes the same one at the same time. */
static bool loses(const struct check *c, unsigned bit) { return c->access->site->updates && !keeps_values(c, bit); }

/* A launch's end tells whether it is a fault, if the store may stand for an atomic one. */
static void report(const struct check *c, uint32_t lane, uint32_t other, uint64_t address) {
    if (!wl_race_lanes_are_atomic(c, address))
        wl_race_report_lanes(c->of, c->access->site, lane, other, c->access->space, address,
                             wl_race_may_be_atomic(c, c->record) ? c->record : 0);
}

void wl_race_check_lanes(const struct check *c) {
    enum { SLOTS = 128 };
    const struct wl_san_access *a = c->access;
    uint8_t slots[SLOTS];
    if (!a->data || wl_race_is_known_atomic(c->record))
        return;
    memset(slots, 0xff, sizeof slots);
    for (uint64_t rest = a->lanes; rest; rest &= rest - 1) {
        const unsigned bit = (unsigned)__builtin_ctzll(rest);
        unsigned slot = (unsigned)(a->address[bit] * UINT64_C(0x9e3779b97f4a7c15) >> 57);
        while (slots[slot] != 0xff && a->address[slots[slot]] != a->address[bit])
            slot = (slot + 1) % SLOTS;
        if (slots[slot] == 0xff) {
            slots[slot] = (uint8_t)bit;
        } else if (values_differ(a, slots[slot], bit) || loses(c, bit)) {
            report(c, a->first_lane + bit, a->first_lane + slots[slot], a->address[bit]);
            return;
        }
    }
}

/* ---- strips ----------------------------------------------------------------------------------- */

/* Native code tells of an instruction strip by strip, each before its lanes access memory. Lanes of different strips that store to one place
 * are found by what the earlier ones were told to store to, and by what is there then. */
void wl_race_strip_begin(struct wl_race_wave *wave, const struct wl_sanitize_site *site, uint32_t first_lane) {
    struct wl_race_strips *strips = wave->strips;
    if (!strips && !(strips = wave->strips = calloc(1, sizeof *strips)))
        return;
    if (strips->site == site && first_lane > strips->last_lane) {
        strips->last_lane = first_lane;
        return;
    }
    strips->site = site;
    strips->last_lane = first_lane;
    strips->count = 0;
}

void wl_race_strip_add(struct wl_race_wave *wave, uint64_t address, uint32_t size, uint32_t lane) {
    struct wl_race_strips *strips = wave->strips;
    if (strips && strips->count < sizeof strips->runs / sizeof *strips->runs) {
        strips->runs[strips->count].address = address;
        strips->runs[strips->count].size = size;
        strips->runs[strips->count++].lane = lane;
    }
}

/* The lane of an earlier strip that stores there too; 64: none. */
static uint32_t lane_before(const struct wl_race_strips *strips, uint64_t address, uint32_t bytes, uint32_t before) {
    for (uint32_t i = 0; strips && i < strips->count; i++)
        if (strips->runs[i].lane < before && address < strips->runs[i].address + strips->runs[i].size &&
            strips->runs[i].address < address + bytes)
            return strips->runs[i].lane + (uint32_t)((address - strips->runs[i].address) / bytes) % 64;
    return 64;
}

void wl_race_check_strips(const struct check *c) {
    const struct wl_san_access *a = c->access;
    if (!a->data || wl_race_is_known_atomic(c->record))
        return;
    for (uint64_t rest = a->lanes; rest; rest &= rest - 1) {
        const unsigned bit = (unsigned)__builtin_ctzll(rest);
        const uint64_t address = a->address[bit];
        const uint32_t other = lane_before(c->wave->strips, address, a->site->bytes, a->first_lane);
        if (other == 64 || keeps_values(c, bit))
            continue;
        report(c, a->first_lane + bit, other, address);
        return;
    }
}

void wl_race_anew(struct wl_san_wave *wave) {
    struct wl_race_wave *w = wave->race;
    if (w && w->strips)
        w->strips->site = NULL;
}

bool wl_race_meets_strip(const struct wl_race_wave *wave, const struct wl_sanitize_site *site, uint32_t first_lane, const struct run *run) {
    const struct wl_race_strips *strips = wave->strips;
    return strips && strips->site == site && first_lane > strips->last_lane &&
           lane_before(strips, run->address, (uint32_t)run->size, first_lane) != 64;
}

bool wl_race_meets_lane(const struct wl_san_access *a) {
    uint64_t places = 0;
    for (uint64_t rest = a->lanes; rest; rest &= rest - 1)
        places |= UINT64_C(1) << a->address[(unsigned)__builtin_ctzll(rest)] / 4 % 64;
    if (a->site->bytes == 4 && __builtin_popcountll(places) == __builtin_popcountll(a->lanes))
        return false;
    for (uint64_t rest = a->lanes; rest; rest &= rest - 1)
        for (uint64_t others = rest & (rest - 1); others; others &= others - 1) {
            const uint64_t one = a->address[(unsigned)__builtin_ctzll(rest)], other = a->address[(unsigned)__builtin_ctzll(others)];
            if (one < other + a->site->bytes && other < one + a->site->bytes)
                return true;
        }
    return false;
}
