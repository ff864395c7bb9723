/* One instruction's check of its accesses, and the cells that it looks at. race_access.c, race_lanes.c, race_look.c,
 * race_log.c, race_run.c and race_shadow.c include this. */
#ifndef WL_SANITIZE_RACE_CHECK_H
#define WL_SANITIZE_RACE_CHECK_H

#include "sanitize/race_state.h"

/* An instruction while it is checked. */
struct check {
    struct wl_san_wave *of;
    const struct wl_san_access *access;
    struct wl_race_group *group;
    struct wl_race_wave *wave;
    struct wl_race_number *instruction;
    uint64_t record;                  /* of lane 0, all bytes */
    uint64_t below;                   /* records below were made before ... */
    uint64_t phase_unit, phase_first; /* ... and those from the one to the other */
    uint64_t same;                    /* bits in which records of one wave are alike */
    bool lds;
    bool polls, strong, narrow;
    bool is_strip; /* strips of the same instruction may have come before */
    bool meets;    /* the same instruction of the wave has stored to one of the places before, in another lane */
};

/* Whether it is plain from its number that a record's access came before. */
static inline bool is_old(const struct check *c, uint64_t record) {
    return record < c->below || record - c->phase_unit < c->phase_first - c->phase_unit;
}
static inline bool is_own(const struct check *c, uint64_t record) { return ((record ^ c->record) & c->same) == 0; }
static inline bool is_fine(const struct check *c, uint64_t record) { return is_old(c, record) || is_own(c, record); }
static inline bool is_ordered(const struct check *c, uint64_t record) {
    return is_fine(c, record) || wl_race_is_ordered(c->group, c->of->index, record);
}

static inline uint64_t bytes_of(uint64_t mask) { return mask << WL_RACE_BYTES_SHIFT; }
static inline uint64_t record_at(const struct check *c, unsigned lane, uint64_t mask) {
    return (c->record & ~bytes_of(15)) | (uint64_t)lane << WL_RACE_LANE_SHIFT | bytes_of(mask);
}

/* Of the instruction of a record. */
#define WL_RACE_SITE_BITS (UINT64_C(0xffff) << WL_RACE_SITE_SHIFT)

/* Lanes from `lane` on whose elements lie one behind the other, or all at one address; all of them have [address, address + size). */
struct run {
    uint64_t address, size;
    unsigned lane;
    uint32_t scale; /* lanes a cell, times 65536 */
};
static inline uint32_t scale_of(uint32_t bytes) {
    const uint32_t one = 4 * UINT32_C(65536); /* of a byte; most sizes are powers of two, and divisions take long */
    return bytes & (bytes - 1) ? (one + bytes - 1) / bytes : one >> __builtin_ctz(bytes);
}
static inline unsigned lane_of(const struct run *run, uint64_t offset) { return run->lane + (unsigned)((offset >> 2) * run->scale >> 16); }
/* The run without its first bytes. */
static inline void advance(struct run *run, uint64_t done) {
    run->lane = lane_of(run, done);
    run->address += done;
    run->size -= done;
}

/* Cells that follow each other. */
struct cells {
    uint64_t *write, *read[WL_RACE_READS];
    unsigned count;
};

/* wl_race_expand of one line's writes, or reads. (race_shadow.c) */
void wl_race_expand_line(uint64_t *line, uint64_t *cells);
/* The cells of up to `size` bytes from `address` on, of one line at most; *size: how many bytes they are of. Nobody else looks at them until
 * wl_race_give_cells. False: there are none. */
bool wl_race_find_cells(const struct check *c, uint64_t address, uint64_t *size, struct cells *cells);
void wl_race_give_cells(const struct check *c, uint64_t address);

/* Checks and records the begin of a plain run, as much as can be done without a closer look, and takes that away from the run. False: nothing. */
bool wl_race_run_quickly(const struct check *c, struct run *run, bool stores);

/* ---- lanes that store to one place (race_lanes.c) ---- */
/* Whether the store of a lane leaves the bytes of a cell as they are. (race_access.c) */
bool wl_race_keeps_value(const struct check *c, unsigned lane, uint64_t lane_address, uint64_t cell_address);
/* Lanes of an access with one address and different values. Addresses that overlap in part are compared as if they did not. */
void wl_race_check_lanes(const struct check *c);
/* Whether two lanes of an access share bytes. */
bool wl_race_meets_lane(const struct wl_san_access *access);
/* Native code tells of a store's strips: one that begins with `first_lane`; what its lanes store to. */
void wl_race_strip_begin(struct wl_race_wave *wave, const struct wl_sanitize_site *site, uint32_t first_lane);
void wl_race_strip_add(struct wl_race_wave *wave, uint64_t address, uint32_t size, uint32_t lane);
/* Whether the same store has stored to some of the run in an earlier strip; and for all lanes, with another value: that is reported. */
bool wl_race_meets_strip(const struct wl_race_wave *wave, const struct wl_sanitize_site *site, uint32_t first_lane, const struct run *run);
void wl_race_check_strips(const struct check *c);

/* ---- what the wave learns (race_look.c) ---- */
/* Whether a record is another workgroup's, and one of the two accesses is atomic for its own workgroup alone. */
bool wl_race_is_foreign(const struct check *c, uint64_t record);
/* A record as this access sees it: between workgroups what is atomic for one workgroup alone is not. */
uint64_t wl_race_as_seen(const struct check *c, uint64_t record);
/* Whether an atomic checks again what a load before it found. `operation`: enum wl_atomic_op. */
bool wl_race_checks_again(unsigned operation);
/* The access reads, as atomic loads do, what `record` stored at the address. */
void wl_race_look_at(const struct check *c, uint64_t record, uint64_t address);
/* Whether the wave has lately read a place as atomic loads do: BY_READING: not by an atomic that changes what it finds whatever that is. */
enum wl_race_look { WL_RACE_BY_ANY, WL_RACE_BY_READING, WL_RACE_BY_POLLING };
bool wl_race_has_looked(const struct check *c, uint64_t address, enum wl_race_look how);
/* Stores that stand for atomic ones: before gfx12, but for gfx940 and gfx950, a store does not say that it is atomic. One to a place at which some
 * wave looks as atomic loads do is, unless it is volatile. A launch knows when it ends whose places these are.
 *
 * Whether a store in global memory, and the one of a record, may be such. */
bool wl_race_may_be_atomic(const struct check *c, uint64_t record);
/* A load that stands for an atomic one finds what `record` stored. */
void wl_race_find_atomic(const struct check *c, uint64_t record);
/* Whether it is known already that this store, or the last one to the cell, is such: both are to one place. */
bool wl_race_stores_are_atomic(const struct check *c, const struct cells *cells, unsigned i, uint64_t address);
/* Whether it is known of this store, which several lanes make to one place. */
bool wl_race_lanes_are_atomic(const struct check *c, uint64_t address);
/* What the wave's atomics publish; an atomic publishes it at the address. */
struct wl_clock *wl_race_published(const struct check *c);
void wl_race_release(const struct check *c, uint64_t address, struct wl_clock *clock);

/* ---- accesses of LDS that are only noted (race_log.c) ---- */
/* A load of `size` bytes at `start` by lanes side by side from `lane` on, where nobody has stored. False: it has to be checked. */
bool wl_race_log_run(struct wl_race_group *group, uint32_t wave, const struct wl_sanitize_site *site, uint64_t start, uint32_t size,
                     uint32_t lane);
/* The same by lanes at larger steps. */
bool wl_race_log_steps(struct wl_race_group *group, uint32_t wave, const struct wl_san_lanes *run);
/* Whether a load, or a store, may be noted where waves have stored. *again: it is a store, and the wave has stored to one of the places before. */
bool wl_race_filter(struct wl_race_group *group, uint32_t wave, const struct wl_sanitize_site *site, const struct run *run, bool *again);
/* Notes an access by lanes side by side, or of a strip, with the flags of its record. wl_race_note_strip: false: it has to be checked. */
void wl_race_note_run(struct wl_race_group *group, uint32_t wave, const struct wl_sanitize_site *site, const struct run *run,
                      uint64_t flags);
bool wl_race_note_strip(struct wl_race_group *group, uint32_t wave, const struct wl_san_access *access, uint64_t flags);
/* Records what is noted; from now on the cells have it. */
void wl_race_log_flush(struct wl_race_group *group);
/* One of these accesses, with its segment and flags: by the access's lanes, or of `size` bytes at `start` if it has none. (race_access.c) */
void wl_race_record_noted(struct wl_race_group *group, uint64_t own, const struct wl_san_access *access, uint64_t start, uint32_t size);

/* The same of lanes that lie anywhere. Returns those that need a closer look. */
uint64_t wl_race_lanes_quickly(const struct check *c, uint64_t lanes, bool stores);
/* Gets the records of lanes that lie anywhere in global memory on their way, so that they come all at once. */
void wl_race_prefetch(const uint64_t *address, uint64_t lanes, bool stores);
/* Whether the records of some cells need no closer look. `flags`: none has one of them. */
bool wl_race_are_fine(const struct check *c, const uint64_t *records, unsigned count, uint64_t flags);
/* Whether some of the cells' reads are atomics that have been replaced, and that need a closer look. */
bool wl_race_have_atomics(const struct check *c, const uint64_t *records, unsigned count);

#endif
