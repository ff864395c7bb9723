/* racecheck: what the host accesses, in its threads or in streams. */
#include "sanitize/race.h"

#include "sanitize/race_state.h"

static bool is_before(const struct wl_race_group *group, uint64_t record) { return !record || wl_race_is_ordered(group, 0, record); }

/* The cells [first, first + count) of a block. Returns whether a conflict was found (one is enough for a call). */
static bool check_cells(struct wl_race_block *block, uint32_t first, uint32_t count, const struct wl_race_group *group,
                        enum wl_sanitize_kind kind, uint64_t address, bool found) {
    wl_race_expand(block, 4 * first, 4 * (uint64_t)count);
    const uint64_t record = group->waves[0].own | UINT64_C(15) << WL_RACE_BYTES_SHIFT | WL_RACE_RELEASED;
    for (uint32_t i = first; i < first + count; i++) {
        uint64_t other = is_before(group, block->write[i]) ? 0 : block->write[i];
        for (unsigned r = 0; r < WL_RACE_READS && !other && kind != WL_SANITIZE_LOAD; r++)
            other = is_before(group, block->read[r][i]) ? 0 : block->read[r][i];
        if (other && !found) {
            wl_race_report_host(group->launch, kind, address + 4 * (uint64_t)(i - first), other);
            found = true;
        }
        if (kind != WL_SANITIZE_LOAD)
            block->write[i] = record;
        else if (is_before(group, block->read[0][i]))
            block->read[0][i] = record;
        else if (is_before(group, block->read[1][i]))
            block->read[1][i] = record;
    }
    return found;
}

void wl_race_host_access(uint64_t line, enum wl_sanitize_kind kind, uint64_t address, uint64_t size, const char *call) {
    struct wl_race_group group;
    struct wl_race_launch *launch = size ? wl_race_host_begin(line, call, &group) : NULL;
    bool found = false;
    if (!launch)
        return;
    while (size) {
        const uint32_t in = address & ((1u << WL_RACE_BLOCK_SHIFT) - 1),
                       rest = (1u << WL_RACE_PIECE_SHIFT) - in % (1u << WL_RACE_PIECE_SHIFT);
        const uint64_t here = size < rest ? size : rest;
        struct wl_race_block *block = wl_race_block(address);
        wl_race_lock(address);
        if (block)
            found = check_cells(block, in / 4, (uint32_t)((in + here + 3) / 4 - in / 4), &group, kind, address, found);
        wl_race_unlock(address);
        address += here;
        size -= here;
    }
    wl_race_host_end(launch, &group);
}
