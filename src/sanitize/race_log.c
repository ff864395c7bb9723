/* racecheck: loads of LDS, as long as nobody has stored there since the last barrier.
 *
 * Such a load races with nothing that came before; only a store behind it, before the next barrier, may race with it. Most kernels have none
 * there: they fill a tile, wait, read it many times, and wait. So these loads are only noted. A store has them recorded first; a barrier
 * forgets them. */
#include "sanitize/race_check.h"

#include <stdlib.h>

enum { LOADS = 512, OFFSETS = 4096 };

struct logged {
    const struct wl_sanitize_site *site;
    uint64_t own;         /* the segment, as wl_race_wave has it */
    uint32_t start, size; /* of lanes side by side; or where its offsets begin, and */
    uint16_t lanes;       /* the strip's lanes; 0: side by side */
    uint8_t first_lane;
};
struct wl_race_log {
    uint32_t count, offset_count;
    struct logged loads[LOADS];
    uint32_t offsets[OFFSETS];
};

/* Room for a load; NULL: there is none, or LDS has been stored to. */
static struct logged *add(struct wl_race_group *group, uint32_t wave, unsigned offsets) {
    struct wl_race_wave *w = &group->waves[wave];
    if (group->lds_stored || !group->lds || !w->own)
        return NULL;
    if (!group->log && !(group->log = malloc(sizeof *group->log)))
        return NULL;
    struct wl_race_log *log = group->log;
    if (!group->logs)
        log->count = log->offset_count = 0;
    if (log->count == LOADS || log->offset_count + offsets > OFFSETS)
        wl_race_log_flush(group);
    group->logs = true;
    w->used = true;
    return &log->loads[log->count++];
}

bool wl_race_log_run(struct wl_race_group *group, uint32_t wave, const struct wl_sanitize_site *site, uint64_t start, uint32_t size,
                     uint32_t lane) {
    struct logged *load = add(group, wave, 0);
    if (load)
        *load = (struct logged){site, group->waves[wave].own, (uint32_t)start, size, 0, (uint8_t)lane};
    return load;
}

bool wl_race_log_strip(struct wl_race_group *group, uint32_t wave, const struct wl_san_access *access) {
    struct logged *load = access->lanes >> 16 ? NULL : add(group, wave, 16);
    if (!load)
        return false;
    struct wl_race_log *log = group->log;
    *load =
        (struct logged){access->site, group->waves[wave].own, log->offset_count, 0, (uint16_t)access->lanes, (uint8_t)access->first_lane};
    for (uint64_t rest = access->lanes; rest; rest &= rest - 1)
        log->offsets[log->offset_count++] = (uint32_t)access->address[(unsigned)__builtin_ctzll(rest)];
    return true;
}

static void record(struct wl_race_group *group, const struct logged *load) {
    const struct wl_race_log *log = group->log;
    uint64_t address[16];
    struct wl_san_access access = {
        .site = load->site, .space = WL_SANITIZE_LDS, .first_lane = load->first_lane, .lanes = load->lanes, .address = address};
    const uint32_t *offset = &log->offsets[load->start];
    for (uint64_t rest = load->lanes; rest; rest &= rest - 1)
        address[(unsigned)__builtin_ctzll(rest)] = *offset++;
    wl_race_record_load(group, load->own, &access, load->start, load->size);
}

void wl_race_log_flush(struct wl_race_group *group) {
    for (uint32_t i = 0; group->logs && i < group->log->count; i++)
        record(group, &group->log->loads[i]);
    if (group->logs)
        group->log->count = group->log->offset_count = 0;
    wl_race_log_forget(group);
}
