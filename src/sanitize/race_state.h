/* What racecheck remembers (race.h). Only race*.c include this.
 *
 * Time. A wave's life is cut into rows: it begins a new row at barriers, and at the first store behind a wait or a fence. All waves of a
 * workgroup begin the same row at a barrier. A *segment* is one row of one wave; its number is unique in the process, as long as the process
 * makes less than 2^31. Segments are given out in units of 64 to workgroups: with W waves, rounded up to a power of two, a unit has 64 / W
 * rows. Numbers grow, so that most comparisons of two times are one comparison of numbers.
 *
 * Memory. Each granule of 4 bytes has a cell of four records: its last write, and reads, of which two by different waves are enough. A record
 * says which segment, instruction and lane made the access, and which of the 4 bytes. */
#ifndef WL_SANITIZE_RACE_STATE_H
#define WL_SANITIZE_RACE_STATE_H

#include "sanitize/clock.h"
#include "sanitize/hooks.h"
#include "sanitize/report.h"

#include <pthread.h>
#include <stdatomic.h>

/* ---- records ----------------------------------------------------------------------------------
 * bits 63:32 segment, 31:16 instruction, 15:10 lane, 9:6 bytes, and flags. 0: no access. */
enum {
    WL_RACE_SEGMENT_SHIFT = 32,
    WL_RACE_SITE_SHIFT = 16,
    WL_RACE_LANE_SHIFT = 10,
    WL_RACE_BYTES_SHIFT = 6,
    WL_RACE_ATOMIC = 1 << 5,    /* an atomic operation, or a store that stands for one */
    WL_RACE_STRONG = 1 << 4,    /* a load past the nearest cache, or one that polls: it stands for an atomic load */
    WL_RACE_RELEASED = 1 << 3,  /* what the wave did in earlier rows is visible to other workgroups; in LDS: to the other waves */
    WL_RACE_PUBLISHES = 1 << 2, /* and there is something of that: the store may stand for an atomic one */
    WL_RACE_NARROW = 1 << 1,    /* all that for the waves of its workgroup alone */
    WL_RACE_VARIED = 1 << 0,    /* of cells: the wave has overwritten what this store, or one before it, stored, by another value */
    WL_RACE_UNIT = 64,          /* segments */
};
static inline uint32_t wl_race_segment(uint64_t record) { return (uint32_t)(record >> WL_RACE_SEGMENT_SHIFT); }
static inline uint32_t wl_race_site_number(uint64_t record) { return record >> WL_RACE_SITE_SHIFT & 0xffff; }
static inline uint32_t wl_race_lane(uint64_t record) { return record >> WL_RACE_LANE_SHIFT & 63; }
static inline uint32_t wl_race_bytes(uint64_t record) { return record >> WL_RACE_BYTES_SHIFT & 15; }

/* ---- cells (race_shadow.c) ---- */
enum { WL_RACE_BLOCK_SHIFT = 16, WL_RACE_BLOCK_CELLS = 1 << (WL_RACE_BLOCK_SHIFT - 2) };
enum {
    WL_RACE_LINE_BYTES = 64,
    WL_RACE_LINE_CELLS = WL_RACE_LINE_BYTES / 4,
    WL_RACE_BLOCK_LINES = (1 << WL_RACE_BLOCK_SHIFT) / WL_RACE_LINE_BYTES,
    WL_RACE_READS = 3
};
/* The cells of 64 KiB of memory. Pages of it that nobody wrote take no memory. A line is 16 cells. Most instructions access whole lines, one
 * lane behind the other: then the record of the first cell, in `line_write` or `line_read`, stands for all of the line's, and what the cells
 * have does not count. WL_RACE_CELLS: the cells count. The third reads are of loads of a part of a line that others load as a whole; those
 * count whose bits in `partial` are set. */
struct wl_race_block {
    uint64_t line_write[WL_RACE_BLOCK_LINES], line_read[2][WL_RACE_BLOCK_LINES];
    uint16_t partial[WL_RACE_BLOCK_LINES];
    uint64_t write[WL_RACE_BLOCK_CELLS], read[WL_RACE_READS][WL_RACE_BLOCK_CELLS];
};
#define WL_RACE_CELLS UINT64_C(1)
/* From now on the cells count, of the lines that the `size` bytes at offset `in` of the block are in; they are what they were. */
void wl_race_expand(struct wl_race_block *block, uint32_t in, uint64_t size);
/* The record of the last write of the byte at that offset. */
uint64_t wl_race_write_at(const struct wl_race_block *block, uint32_t in);
/* The blocks that there are, by the upper bits of addresses; NULL: there is none yet. */
enum { WL_RACE_ADDRESS_BITS = 47 };
#define WL_RACE_BLOCKS (UINT64_C(1) << (WL_RACE_ADDRESS_BITS - WL_RACE_BLOCK_SHIFT))
extern _Atomic(_Atomic(struct wl_race_block *) *) wl_race_blocks;
struct wl_race_block *wl_race_make_block(uint64_t number);
/* The block of an address, made if need be. NULL: there is no memory. */
static inline struct wl_race_block *wl_race_block(uint64_t address) {
    const uint64_t number = address >> WL_RACE_BLOCK_SHIFT;
    _Atomic(struct wl_race_block *) *blocks = atomic_load_explicit(&wl_race_blocks, memory_order_acquire);
    struct wl_race_block *block = blocks && number < WL_RACE_BLOCKS ? atomic_load_explicit(&blocks[number], memory_order_acquire) : NULL;
    return block ? block : wl_race_make_block(number);
}
/* Threads that check accesses to the same piece of global memory do so one after the other: of two accesses at the same time, the second finds
 * the record of the first. */
enum { WL_RACE_PIECE_SHIFT = 12, WL_RACE_LOCKS = 1024 };
struct wl_race_piece_lock {
    _Alignas(64) atomic_bool taken;
};
extern struct wl_race_piece_lock wl_race_locks[WL_RACE_LOCKS];
static inline atomic_bool *wl_race_lock_of(uint64_t address) {
    return &wl_race_locks[(address >> WL_RACE_PIECE_SHIFT) % WL_RACE_LOCKS].taken;
}
void wl_race_wait_for(atomic_bool *taken);
static inline void wl_race_lock(uint64_t address) {
    atomic_bool *taken = wl_race_lock_of(address);
    if (atomic_exchange_explicit(taken, true, memory_order_acquire))
        wl_race_wait_for(taken);
}
static inline void wl_race_unlock(uint64_t address) { atomic_store_explicit(wl_race_lock_of(address), false, memory_order_release); }
/* Forgets all accesses to a range; to all memory. */
void wl_race_forget(uint64_t address, uint64_t size);
void wl_race_forget_all(void);
/* Cells for a workgroup's LDS. NULL: there is no memory. */
struct wl_race_block *wl_race_lds_make(void);
void wl_race_lds_free(struct wl_race_block *block);

/* ---- instructions (race_site.c) ---- */
struct wl_race_site {
    const struct wl_codeobject *object;
    uint64_t code;
    uint32_t bytes;
    uint8_t kind;          /* enum wl_sanitize_kind */
    uint8_t second, scope; /* as wl_sanitize_site has them */
    bool is_volatile;
    bool updates;      /* stores what it makes of what is there */
    atomic_uint scale; /* of the lines that have its records: lanes a cell, times 65536; 0: there are none yet */
    atomic_bool feeds; /* a load whose value an atomic at the same place checks again (compare and swap, minimum): no race with atomics */
    atomic_bool stands_for_atomic; /* a store to places that some wave has looked at as atomic loads do */
};
/* The number of an instruction; 0: there are too many. */
uint32_t wl_race_site(const struct wl_codeobject *object, const struct wl_sanitize_site *site);
/* The scale of the instruction's lines, which is `scale` if it has had none. */
uint32_t wl_race_site_scale(uint32_t number, uint32_t scale);
struct wl_race_site *wl_race_site_of(uint32_t number);

/* ---- launches (race_order.c) ---- */
enum { WL_RACE_LAUNCHES = 1 << 16 };
struct wl_race_launch {
    uint32_t number; /* unique; 0: none */
    atomic_bool active;
    uint64_t line;            /* the stream that it runs in */
    uint32_t time;            /* its place in the line */
    struct wl_clock *clock;   /* of lines: what was finished when it began. While it is active */
    uint64_t first;           /* records from here on were made since it began */
    _Atomic uint64_t ordered; /* records below were made before it began */
    atomic_uint grid_phase;   /* barriers of the whole grid */
    uint32_t shift;           /* waves of a workgroup: at most 1 << shift */
    uint8_t generation;
    bool writes_back;   /* to be visible to other workgroups, stores need a write-back of the cache (gfx940) */
    const char *kernel; /* lasts for the process */
    const struct wl_codeobject *object;
    uint32_t grid[3], block[3], remainder[3], wave_size;
    uint64_t stack;
    const char *call; /* of the host's: the function */
};
/* NULL: forgotten. */
struct wl_race_launch *wl_race_launch_of(uint32_t number);

/* ---- units (race_unit.c) ---- */
struct wl_race_unit {
    uint32_t launch; /* number; 0: forgotten */
    uint32_t group;  /* number in the grid */
    uint32_t uid;    /* of the workgroup, in the process */
    uint32_t row;    /* its first one */
    atomic_uint phase_row;
    struct wl_clock *clock; /* what its waves had learnt when they released; guarded (wl_race_unit_publish) */
};
/* A new unit's number; its segments begin at WL_RACE_UNIT times it. 0: there are no more. */
uint32_t wl_race_unit_make(void);
struct wl_race_unit *wl_race_unit_at(uint32_t unit);
static inline struct wl_race_unit *wl_race_unit_of(uint64_t record) { return wl_race_unit_at(wl_race_segment(record) / WL_RACE_UNIT); }
void wl_race_unit_publish(uint32_t unit, struct wl_clock *clock);
/* *clock learns what the unit's waves published. */
void wl_race_unit_learn(uint32_t unit, struct wl_clock **clock);
uint32_t wl_race_units_made(void); /* the number of the next one */
void wl_race_units_restart(void);  /* all numbers are free again */
bool wl_race_units_low(void);      /* few are left */

/* ---- variables that waves synchronize by (race_sync.c) ---- */
struct wl_race_variables; /* one workgroup's in LDS */
/* What releases into the variable at `key` have published; joins it into *clock. `variables` NULL: global memory. */
void wl_race_variable_read(struct wl_race_variables *variables, uint64_t key, struct wl_clock **clock);
/* `clock` is published too. Returns false without memory. */
bool wl_race_variable_release(struct wl_race_variables **variables, uint64_t key, struct wl_clock *clock);
void wl_race_variables_free(struct wl_race_variables *variables);
void wl_race_variables_clear(void); /* those in global memory */

/* ---- workgroups and waves (race.c) ---- */
/* A load beside atomics. It is reported when the wave comes to a barrier or its end, unless it turns out to feed an atomic; another wave's load,
 * which may still come to its atomic then, when the launch ends. */
struct wl_race_deferred {
    const struct wl_sanitize_site *site;
    uint32_t load; /* number of the load's instruction: this one or the earlier one */
    uint64_t address;
    struct wl_san_finding *finding; /* with the calls around the instruction, as they were */
};
/* The last places that the wave has read as atomic loads do. What it learnt there is learnt again at the wait that follows, since another
 * wave may have stored between the check and the load. */
enum { WL_RACE_LOOKS = 64 };
struct wl_race_looks {
    uint64_t address[WL_RACE_LOOKS]; /* a ring. LDS: bit 63 is set */
    uint32_t count, learnt;
};
/* What native code has told of an instruction's store so far, strip by strip. */
struct wl_race_strips {
    const struct wl_sanitize_site *site;
    uint32_t last_lane; /* the first one of the last strip */
    uint32_t count;
    struct {
        uint64_t address;
        uint32_t size, lane;
    } runs[64];
};
struct wl_race_wave {
    struct wl_race_strips *strips; /* NULL until there are any */
    struct wl_race_looks *looks;   /* NULL until there are any */
    uint32_t deferred_count;
    uint32_t row;
    uint64_t own;                         /* its segment, as a record; 0: there are no more */
    uint32_t agent_row;                   /* rows below are visible to other workgroups */
    bool used;                            /* the row has accesses */
    bool dirty;                           /* it stored to global memory and has not waited (or not written the cache back) since */
    bool dirty_lds;                       /* the same for LDS */
    bool written_back;                    /* no store since the last write-back */
    bool published;                       /* what it did before `agent_row` includes stores or a write-back, or it knows of other waves */
    bool stored;                          /* without an atomic, since it began */
    bool stored_phase;                    /* since the last barrier */
    struct wl_clock *clock;               /* of other waves (wl_race_key) */
    struct wl_clock *pending;             /* what the next invalidation of the cache makes it know */
    struct wl_race_deferred deferred[16]; /* pairs of a load and an atomic; few loops of compare and swap have more */
};
struct wl_race_number {
    const struct wl_sanitize_site *site;
    uint32_t number, scale; /* see wl_race_site */
};
enum { WL_RACE_NUMBERS = 128 };
/* Kept for the next workgroup (wl_san_group). Its waves are as new then, but keep the memory that they have allocated. */
struct wl_race_group {
    struct wl_race_launch *launch;
    uint32_t launch_number;                         /* the launch's */
    unsigned teller;                                /* see wl_race_teller */
    struct wl_race_number numbers[WL_RACE_NUMBERS]; /* of instructions that it has met in this launch (race_site.c) */
    uint32_t uid, number;
    uint32_t *units; /* of rows 0 on; 0: none */
    uint32_t unit_count;
    uint32_t phase_row;
    uint64_t phase_first;      /* records of this workgroup below were made before the last barrier */
    uint64_t phase_unit;       /* the first record of that row's unit */
    struct wl_race_block *lds; /* NULL until there is any; with records of earlier workgroups */
    struct wl_race_log *log;   /* accesses of LDS (race_log.c); NULL until there are any */
    bool logs;                 /* it has some */
    uint8_t lds_state;         /* enum wl_race_lds, since the last barrier */
    struct wl_race_variables *variables;
    uint32_t grid_phase;
    uint32_t wave_count;
    struct wl_race_wave waves[32];
};
/* Keys of clocks: all waves of a workgroup (rows below), or one. */
static inline uint64_t wl_race_key(uint32_t uid) { return (uint64_t)uid << 6; }
static inline uint64_t wl_race_wave_key(uint32_t uid, uint32_t wave) { return (uint64_t)uid << 6 | (wave + 1); }

/* How accesses of LDS are followed. */
enum wl_race_lds {
    WL_RACE_LDS_LOADED,   /* there are loads alone, which are noted */
    WL_RACE_LDS_FILTERED, /* loads and stores are noted, as long as no two waves access the same place */
    WL_RACE_LDS_RECORDED, /* the cells have them */
};
/* What the workgroup has noted of LDS does not matter any more. */
static inline void wl_race_log_forget(struct wl_race_group *group) {
    group->logs = false;
    group->lds_state = WL_RACE_LDS_LOADED;
}
void wl_race_log_free(struct wl_race_group *group);
/* Where all workgroups of the launch have met since the last call, the waves begin a new row. */
void wl_race_catch_up(struct wl_race_group *group);
/* The wave goes on in `row`. False: no more segments. */
bool wl_race_begin_row(struct wl_race_group *group, uint32_t wave, uint32_t row);

/* A number for a workgroup that tells what it is about to store. The workgroup's last access, which was told before it was made, has been made.
 * The wave learns from what it looked at. (race_access.c) */
unsigned wl_race_teller(void);
void wl_race_access_done(const struct wl_race_group *group);
void wl_race_learn(struct wl_race_group *group, uint32_t wave);
/* Reports what the wave has deferred. (race_report.c) */
void wl_race_flush(const struct wl_san_wave *wave);
void wl_race_defer(const struct wl_san_wave *wave, const struct wl_sanitize_site *site, uint32_t lane, uint64_t address, uint64_t earlier,
                   uint32_t load);
/* Two stores, of the records `record` and `earlier`: reported when the launch ends, unless one is known by then to stand for an atomic one: both are to one
 * place. False: there is no memory. */
bool wl_race_keep_stores(const struct wl_san_wave *wave, const struct wl_sanitize_site *site, uint64_t record, uint32_t lane,
                         uint64_t address, uint64_t earlier);
/* Whether it is known that the store of a record stands for an atomic one. */
bool wl_race_is_known_atomic(uint64_t record);
/* The launch ends: reports what is left of it. */
void wl_race_flush_launch(uint32_t launch);

/* ---- order (race_order.c) ---- */
/* Whether a record's access happened before what the wave does now. */
bool wl_race_is_ordered(const struct wl_race_group *group, uint32_t wave, uint64_t record);
/* The launch that a copy or a fill in `line` counts as, with one unit; NULL: nobody needs to know of it. */
struct wl_race_launch *wl_race_host_begin(uint64_t line, const char *call, struct wl_race_group *group);
void wl_race_host_end(struct wl_race_launch *launch, struct wl_race_group *group);

/* ---- findings (race_report.c) ---- */
/* The access `site` of `lane` conflicts with an earlier one. `address`: of the granule. */
void wl_race_report(const struct wl_san_wave *wave, const struct wl_sanitize_site *site, uint32_t lane, uint8_t space, uint64_t address,
                    uint64_t earlier);
/* Lanes of a store of these records; 0: it stands for no atomic one. */
void wl_race_report_lanes(const struct wl_san_wave *wave, const struct wl_sanitize_site *site, uint32_t lane, uint32_t other, uint8_t space,
                          uint64_t address, uint64_t record);
void wl_race_report_host(const struct wl_race_launch *launch, enum wl_sanitize_kind kind, uint64_t address, uint64_t earlier);

#endif
