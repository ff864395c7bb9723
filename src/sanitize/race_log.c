/* racecheck: loads of LDS, as long as nobody has stored there since the last barrier.
 *
 * Such a load races with nothing that came before; only a store behind it, before the next barrier, may race with it. Most kernels have none
 * there: they fill a tile, wait, read it many times, and wait. So these loads are only noted. A store has them recorded first; a barrier
 * forgets them. A loop's loads at equal steps are one note. */
#include "sanitize/race_check.h"

#include <stdlib.h>
#include <string.h>

enum { LOADS = 512, OFFSETS = 4096, LATEST = 256 };

struct logged {
    const struct wl_sanitize_site *site;
    uint64_t own;         /* the segment, as wl_race_wave has it */
    uint32_t start, size; /* of lanes side by side; or where its offsets begin, and */
    uint32_t count, step; /* of loads of lanes side by side: how many, and from one start to the next */
    uint16_t lanes;       /* the strip's lanes; 0: side by side */
    uint8_t first_lane;
};
struct wl_race_log {
    uint32_t count, offset_count;
    uint16_t latest[LATEST]; /* of an instruction's strips: the number of a note of lanes side by side, or 0 */
    struct logged loads[LOADS];
    uint32_t offsets[OFFSETS];
};

static void clear(struct wl_race_log *log) {
    log->count = log->offset_count = 0;
    memset(log->latest, 0, sizeof log->latest);
}

/* The notes, which are none if there have been none since the last barrier; NULL: LDS has been stored to, or there is no memory. */
static inline struct wl_race_log *log_of(struct wl_race_group *group, const struct wl_race_wave *wave) {
    if (group->lds_stored || !group->lds || !wave->own)
        return NULL;
    if (!group->log && !(group->log = malloc(sizeof *group->log)))
        return NULL;
    if (!group->logs)
        clear(group->log);
    group->logs = true;
    return group->log;
}

static struct logged *add(struct wl_race_group *group, struct wl_race_wave *wave, unsigned offsets) {
    struct wl_race_log *log = group->log;
    if (log->count == LOADS || log->offset_count + offsets > OFFSETS) {
        wl_race_log_flush(group);
        group->logs = true;
    }
    wave->used = true;
    return &log->loads[log->count++];
}

/* Whether the note has that load already, or has it now. */
static inline bool includes(struct logged *load, const struct logged *other) {
    const uint32_t from = other->start - load->start;
    if (load->site != other->site || load->own != other->own || load->size != other->size || load->first_lane != other->first_lane)
        return false;
    if (load->count == 1 && from)
        load->step = from;
    if (from == load->step * load->count) {
        load->count += from != 0;
        return true;
    }
    return from == 0 || (load->step && from % load->step == 0 && from / load->step < load->count);
}

bool wl_race_log_run(struct wl_race_group *group, uint32_t wave, const struct wl_sanitize_site *site, uint64_t start, uint32_t size,
                     uint32_t lane) {
    struct wl_race_wave *w = &group->waves[wave];
    const struct logged load = {
        .site = site, .own = w->own, .start = (uint32_t)start, .size = size, .count = 1, .first_lane = (uint8_t)lane};
    struct wl_race_log *log = log_of(group, w);
    if (!log)
        return false;
    uint16_t *latest = &log->latest[((uintptr_t)site / 8 + UINT64_C(4) * lane) % LATEST];
    if (*latest && includes(&log->loads[*latest - 1], &load))
        return true;
    struct logged *note = add(group, w, 0);
    *note = load;
    *latest = (uint16_t)log->count;
    return true;
}

bool wl_race_log_strip(struct wl_race_group *group, uint32_t wave, const struct wl_san_access *access) {
    struct wl_race_wave *w = &group->waves[wave];
    struct wl_race_log *log = access->lanes >> 16 ? NULL : log_of(group, w);
    if (!log)
        return false;
    struct logged *load = add(group, w, 16);
    *load = (struct logged){.site = access->site,
                            .own = w->own,
                            .start = log->offset_count,
                            .count = 1,
                            .lanes = (uint16_t)access->lanes,
                            .first_lane = (uint8_t)access->first_lane};
    for (uint64_t rest = access->lanes; rest; rest &= rest - 1)
        log->offsets[log->offset_count++] = (uint32_t)access->address[(unsigned)__builtin_ctzll(rest)];
    return true;
}

static void record(struct wl_race_group *group, const struct logged *load) {
    const struct wl_race_log *log = group->log;
    uint64_t address[16];
    struct wl_san_access access = {
        .site = load->site, .space = WL_SANITIZE_LDS, .first_lane = load->first_lane, .lanes = load->lanes, .address = address};
    const uint32_t *offset = &log->offsets[load->lanes ? load->start : 0];
    for (uint64_t rest = load->lanes; rest; rest &= rest - 1)
        address[(unsigned)__builtin_ctzll(rest)] = *offset++;
    for (uint32_t i = 0; i < load->count; i++)
        wl_race_record_load(group, load->own, &access, load->start + i * load->step, load->size);
}

void wl_race_log_flush(struct wl_race_group *group) {
    for (uint32_t i = 0; group->logs && i < group->log->count; i++)
        record(group, &group->log->loads[i]);
    if (group->logs)
        clear(group->log);
    wl_race_log_forget(group);
}
