/* racecheck: accesses of LDS that race with none before, since the last barrier.
 *
 * As long as nobody has stored there, a load races with nothing that came before; only a store behind it, before the next barrier, may race
 * with it. Most kernels have none there: they fill a tile, wait, read it many times, and wait. So these loads are only noted. A loop's loads
 * at equal steps are one note.
 *
 * From the first store on there is a filter: it says of each 4 bytes which wave has stored there since the barrier, and which one has loaded.
 * Accesses of which no two waves share a place are only noted, too. The first one that the filter does not let pass has all of them recorded.
 * A barrier forgets them. */
#include "sanitize/lazy.h"
#include "sanitize/race_check.h"

#include <stdlib.h>
#include <string.h>

enum { NOTES = 512, OFFSETS = 4096, LATEST = 256, MOST_FILTERED = 1024 };
enum { CELLS = 3 << (WL_RACE_BLOCK_SHIFT - 2), SEVERAL = 63, EPOCH = 64 };
#define END (UINT64_C(4) * CELLS)

struct logged { /* made with all members named: else compilers clear it first */
    const struct wl_sanitize_site *site;
    uint64_t own;         /* the segment, as wl_race_wave has it */
    uint32_t start, size; /* of lanes side by side, or of the first of lanes at steps; or where its offsets begin, and */
    uint32_t count, step; /* of loads of lanes side by side, or at steps: how many, and from one start to the next */
    uint16_t lanes;       /* the strip's lanes; 0: side by side */
    uint16_t lane_step;   /* from one lane to the next; 0: it has offsets */
    uint8_t first_lane;
    uint8_t flags; /* of its record */
};
/* Who has accessed a cell: the epoch that began at a barrier, and the wave's number, or SEVERAL. Below the epoch: nobody since. */
struct filter {
    int16_t epoch;
    int16_t writer[CELLS], reader[CELLS];
};
struct wl_race_log {
    uint32_t count, offset_count;
    bool spilled;            /* some loads have been recorded, which the filter would have to know */
    uint16_t latest[LATEST]; /* of an instruction's strips: the number of a note of lanes side by side, or 0 */
    struct logged notes[NOTES];
    uint32_t offsets[OFFSETS];
    struct filter *filter; /* NULL until there is any */
};

static void clear(struct wl_race_log *log) {
    log->count = log->offset_count = 0;
    memset(log->latest, 0, sizeof log->latest);
}

void wl_race_log_free(struct wl_race_group *group) {
    if (group->log && group->log->filter)
        munmap(group->log->filter, sizeof *group->log->filter);
    free(group->log);
}

/* ---- recording -------------------------------------------------------------------------------- */

/* Where a lane of a strip, the n-th of those that are on, was in the `round`-th of the note's accesses. */
static uint32_t place_of(const struct wl_race_log *log, const struct logged *note, uint32_t round, unsigned lane, unsigned n) {
    return note->lane_step ? note->start + round * note->step + lane * note->lane_step : log->offsets[note->start + n];
}

static void record(struct wl_race_group *group, const struct logged *note) {
    const struct wl_race_log *log = group->log;
    uint64_t address[16];
    struct wl_san_access access = {
        .site = note->site, .space = WL_SANITIZE_LDS, .first_lane = note->first_lane, .lanes = note->lanes, .address = address};
    for (uint32_t i = 0; i < note->count; i++) {
        unsigned n = 0;
        for (uint64_t rest = note->lanes; rest; rest &= rest - 1, n++)
            address[(unsigned)__builtin_ctzll(rest)] = place_of(log, note, i, (unsigned)__builtin_ctzll(rest), n);
        wl_race_record_noted(group, note->own | note->flags, &access, note->start + i * note->step, note->size);
    }
}

static void record_all(struct wl_race_group *group) {
    for (uint32_t i = 0; group->logs && i < group->log->count; i++)
        record(group, &group->log->notes[i]);
    if (group->logs)
        clear(group->log);
}

void wl_race_log_flush(struct wl_race_group *group) {
    record_all(group);
    group->logs = false;
    group->lds_state = WL_RACE_LDS_RECORDED;
}

/* ---- loads, where nobody has stored ----------------------------------------------------------- */

/* The notes, which are none if there have been none since the last barrier; NULL: there is no memory. */
static inline struct wl_race_log *log_of(struct wl_race_group *group, const struct wl_race_wave *wave) {
    if (!group->lds || !wave->own)
        return NULL;
    if (!group->log && !(group->log = calloc(1, sizeof *group->log)))
        return NULL;
    if (!group->logs) {
        clear(group->log);
        group->log->spilled = false;
    }
    group->logs = true;
    return group->log;
}

static struct logged *add(struct wl_race_group *group, struct wl_race_wave *wave, unsigned offsets) {
    struct wl_race_log *log = group->log;
    if (log->count == NOTES || log->offset_count + offsets > OFFSETS) {
        record_all(group);
        log->spilled = true;
    }
    wave->used = true;
    return &log->notes[log->count++];
}

/* Whether the note has that load already, or has it now. */
static inline bool includes(struct logged *load, const struct logged *other) {
    const uint32_t from = other->start - load->start;
    /* sums of differences: where small members are compared one by one compilers store them, to load them as one word that is not there yet */
    const unsigned lanes = (unsigned)(load->first_lane ^ other->first_lane) | (unsigned)(load->lanes ^ other->lanes) |
                           (unsigned)(load->lane_step ^ other->lane_step);
    if (load->site != other->site || load->own != other->own || load->size != other->size || lanes)
        return false;
    if (load->count == 1 && from)
        load->step = from;
    if (from == load->step * load->count) {
        load->count += from != 0;
        return true;
    }
    return from == 0 || (load->step && from % load->step == 0 && from / load->step < load->count);
}

/* Inline: most notes are there already, and the compiler compares what they would be field by field. */
__attribute__((always_inline)) static inline bool log_load(struct wl_race_group *group, uint32_t wave, const struct logged *load) {
    struct wl_race_wave *w = &group->waves[wave];
    struct wl_race_log *log = log_of(group, w);
    if (!log)
        return false;
    uint16_t *latest = &log->latest[((uintptr_t)load->site / 8 + UINT64_C(4) * load->first_lane) % LATEST];
    if (*latest && includes(&log->notes[*latest - 1], load))
        return true;
    struct logged *note = add(group, w, 0);
    *note = *load;
    *latest = (uint16_t)log->count;
    return true;
}

bool wl_race_log_run(struct wl_race_group *group, uint32_t wave, const struct wl_sanitize_site *site, uint64_t start, uint32_t size,
                     uint32_t lane) {
    return log_load(group, wave,
                    &(struct logged){.site = site,
                                     .own = group->waves[wave].own,
                                     .start = (uint32_t)start,
                                     .size = size,
                                     .count = 1,
                                     .step = 0,
                                     .lanes = 0,
                                     .lane_step = 0,
                                     .first_lane = (uint8_t)lane,
                                     .flags = 0});
}

bool wl_race_log_steps(struct wl_race_group *group, uint32_t wave, const struct wl_san_lanes *run) {
    if (run->lanes >> 16 || run->step > UINT16_MAX)
        return false;
    return log_load(group, wave,
                    &(struct logged){.site = run->site,
                                     .own = group->waves[wave].own,
                                     .start = (uint32_t)run->start,
                                     .size = 0,
                                     .count = 1,
                                     .step = 0,
                                     .lanes = (uint16_t)run->lanes,
                                     .lane_step = (uint16_t)run->step,
                                     .first_lane = (uint8_t)run->first_lane,
                                     .flags = 0});
}

bool wl_race_note_strip(struct wl_race_group *group, uint32_t wave, const struct wl_san_access *access, uint64_t flags) {
    struct wl_race_wave *w = &group->waves[wave];
    struct wl_race_log *log = access->lanes >> 16 ? NULL : log_of(group, w);
    if (!log)
        return false;
    struct logged *load = add(group, w, 16);
    *load = (struct logged){.site = access->site,
                            .own = w->own,
                            .start = log->offset_count,
                            .size = 0,
                            .count = 1,
                            .step = 0,
                            .lanes = (uint16_t)access->lanes,
                            .lane_step = 0,
                            .first_lane = (uint8_t)access->first_lane,
                            .flags = (uint8_t)flags};
    for (uint64_t rest = access->lanes; rest; rest &= rest - 1)
        log->offsets[log->offset_count++] = (uint32_t)access->address[(unsigned)__builtin_ctzll(rest)];
    return true;
}

/* ---- the filter ------------------------------------------------------------------------------- */

typedef int16_t eight __attribute__((vector_size(16), aligned(2)));

static inline bool has_any(eight bits) {
    typedef uint64_t two __attribute__((vector_size(16)));
    const two words = (two)bits;
    return (words[0] | words[1]) != 0;
}

/* False: another wave has stored to one of the cells. */
static bool load_cells(struct filter *f, uint32_t cell, uint32_t end, int16_t own) {
    const int16_t epoch = f->epoch, several = (int16_t)(epoch | SEVERAL);
    bool good = true;
    for (; cell + 8 <= end && good; cell += 8) {
        const eight written = *(const eight *)&f->writer[cell], read = *(const eight *)&f->reader[cell];
        const eight mine = (read < epoch) | (read == own);
        good = !has_any((written >= epoch) & (written != own));
        *(eight *)&f->reader[cell] = (mine & own) | (~mine & several);
    }
    for (; cell < end && good; cell++) {
        good = f->writer[cell] < epoch || f->writer[cell] == own;
        if (f->reader[cell] < epoch)
            f->reader[cell] = own;
        else if (f->reader[cell] != own)
            f->reader[cell] = several;
    }
    return good;
}

/* False: another wave has accessed one of the cells. */
static bool store_cells(struct filter *f, uint32_t cell, uint32_t end, int16_t own, bool *again) {
    const int16_t epoch = f->epoch;
    bool good = true;
    for (; cell + 8 <= end && good; cell += 8) {
        const eight written = *(const eight *)&f->writer[cell], read = *(const eight *)&f->reader[cell];
        good = !has_any(((written >= epoch) & (written != own)) | ((read >= epoch) & (read != own)));
        *again |= has_any(written == own);
        *(eight *)&f->writer[cell] = (eight){0} + own;
    }
    for (; cell < end && good; cell++) {
        good = (f->writer[cell] < epoch || f->writer[cell] == own) && (f->reader[cell] < epoch || f->reader[cell] == own);
        *again |= f->writer[cell] == own;
        f->writer[cell] = own;
    }
    return good;
}

static int16_t tag_of(const struct filter *f, uint32_t wave) { return (int16_t)(f->epoch | (int16_t)wave); }

/* The filter learns of the loads so far. False: there are too many, or some are not known any more. */
static bool begin_filter(const struct wl_race_group *group, struct wl_race_log *log) {
    uint32_t runs = 0;
    for (uint32_t i = 0; i < log->count; i++)
        runs += log->notes[i].count * (log->notes[i].lanes ? (uint32_t)__builtin_popcount(log->notes[i].lanes) : 1);
    if (log->spilled || runs > MOST_FILTERED || (!log->filter && !(log->filter = wl_san_map(sizeof *log->filter))))
        return false;
    struct filter *f = log->filter;
    f->epoch += EPOCH;
    if (f->epoch > INT16_MAX - EPOCH) {
        memset(f, 0, sizeof *f);
        f->epoch = EPOCH;
    }
    for (uint32_t i = 0; i < log->count; i++) {
        const struct logged *note = &log->notes[i];
        const int16_t own = tag_of(f, wl_race_segment(note->own) & ((1u << group->launch->shift) - 1));
        for (uint32_t round = 0; round < note->count; round++) {
            unsigned n = 0;
            for (uint32_t rest = note->lanes ? note->lanes : 1; rest; rest &= rest - 1, n++) {
                const uint32_t start =
                    note->lanes ? place_of(log, note, round, (unsigned)__builtin_ctz(rest), n) : note->start + round * note->step;
                const uint32_t end = start + (note->lanes ? note->site->bytes : note->size);
                if (end < start || end > END)
                    return false;
                load_cells(f, start / 4, (end + 3) / 4, own);
            }
        }
    }
    return true;
}

bool wl_race_filter(struct wl_race_group *group, uint32_t wave, const struct wl_sanitize_site *site, const struct run *run, bool *again) {
    struct wl_race_log *log = log_of(group, &group->waves[wave]);
    if (!log || (run->address | run->size) & 3 || run->address > END - run->size)
        return false;
    if (group->lds_state == WL_RACE_LDS_LOADED && !begin_filter(group, log))
        return false;
    group->lds_state = WL_RACE_LDS_FILTERED;
    const uint32_t cell = (uint32_t)run->address / 4, end = cell + (uint32_t)run->size / 4;
    const int16_t own = tag_of(log->filter, wave);
    return site->kind == WL_SANITIZE_STORE ? store_cells(log->filter, cell, end, own, again) : load_cells(log->filter, cell, end, own);
}

void wl_race_note_run(struct wl_race_group *group, uint32_t wave, const struct wl_sanitize_site *site, const struct run *run,
                      uint64_t flags) {
    struct wl_race_wave *w = &group->waves[wave];
    *add(group, w, 0) = (struct logged){.site = site,
                                        .own = w->own,
                                        .start = (uint32_t)run->address,
                                        .size = (uint32_t)run->size,
                                        .count = 1,
                                        .step = 0,
                                        .lanes = 0,
                                        .lane_step = 0,
                                        .first_lane = (uint8_t)run->lane,
                                        .flags = (uint8_t)flags};
}
