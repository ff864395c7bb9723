/* What the device tells while a launch runs. Each function does what the tools of the launch want; hooks.c calls them in turn: memcheck.c,
 * race.h (racecheck), sync.h (synccheck), init.h (initcheck).
 *
 * Order of calls: launch_begin; for each workgroup group_begin, for each of its waves wave_begin, then what the waves do, wave_end,
 * group_end; launch_end. All calls of one workgroup come from one thread at a time; different workgroups from different threads. */
#ifndef WL_SANITIZE_HOOKS_H
#define WL_SANITIZE_HOOKS_H

#include "machine/sanitize.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct wl_codeobject;

struct wl_san_launch {
    unsigned tools; /* bits of enum wl_sanitize_tool that watch this launch */
    const char *kernel;
    const struct wl_codeobject *object;
    uint64_t id;     /* differs from that of every other launch of the process; begins at 1 */
    uint64_t stream; /* of the runtime: an id, see wl_san_edge; 0: not known */
    uint32_t grid[3], block[3], remainder[3];
    uint32_t wave_size;
    uint64_t arguments, arguments_size; /* memory that the launch alone reads, and nobody writes meanwhile */
    uint32_t lds_size, scratch_size;    /* bytes, of a workgroup and of a lane */
    /* Registers that have no value when a wave begins, and that it may read before it writes them. */
    uint64_t unwritten_scalars[2], unwritten_rows[WL_ROW_WORDS];
    bool cooperative;
    bool silent;       /* initcheck only follows values: what it finds is not reported */
    void *race, *sync; /* the engines' own */
};

struct wl_san_group {
    struct wl_san_launch *launch;
    uint32_t id[3];
    uint32_t size[3]; /* work items; smaller at the ends of a grid */
    uint64_t number;  /* x + grid.x * (y + grid.y * z) */
    uint32_t wave_count;
    uint32_t phase;           /* barriers that all waves have passed */
    const uint8_t *lds;       /* its memory, where values can be looked at */
    void *race, *sync, *init; /* what the tools remember. Begins as NULL, and stays for the workgroup that comes next: wl_san_group_free */
};

enum { WL_SAN_DEEPEST_CALLS = 32 }; /* of device functions that a wave is known to be in */

struct wl_san_wave {
    struct wl_san_group *group;
    uint32_t index; /* in the workgroup */
    const uint8_t *scratch;
    uint64_t instructions;                /* memory instructions that the wave has begun: tells the rounds of a loop apart */
    uint64_t calls[WL_SAN_DEEPEST_CALLS]; /* the places at which the device functions that it is in will return */
    uint32_t call_count;
    uint64_t begun; /* loads that may be outstanding (wl_sanitize_fence.begun) */
    void *race, *sync, *init;
};

/* One instruction's access by lanes of a wave. */
struct wl_san_access {
    const struct wl_sanitize_site *site;
    uint8_t space;           /* GLOBAL, LDS or SCRATCH: flat instructions are told once for each space that lanes are in */
    bool is_strip;           /* 16 lanes of native code, which tells of the strips of an instruction one after the other */
    uint32_t first_lane;     /* addresses and bits of `lanes` are of first_lane on */
    uint64_t lanes;          /* bit i: lane first_lane + i accesses memory */
    const uint64_t *address; /* of lane first_lane + i: GLOBAL: the host's; LDS: offset in the workgroup's; SCRATCH: in the lane's own */
    const uint32_t *data;    /* stores: dword d of lane first_lane + i is data[d * data_stride + i]; NULL: not known */
    uint32_t data_stride;
    uint64_t instruction; /* wl_san_wave.instructions: the same for all parts of one instruction */
};

/* An access by lanes at equal steps: lane first_lane + i, for bit i of `lanes`, at start + i * step. */
struct wl_san_lanes {
    const struct wl_sanitize_site *site; /* wl_sanitize_may_run */
    uint8_t space;                       /* GLOBAL or LDS */
    uint32_t step;                       /* 0: all at `start`; site->bytes: side by side; larger: of up to 16 lanes that load from LDS */
    uint32_t first_lane;
    uint64_t lanes;
    uint64_t start; /* as wl_san_access.address has it */
};

void wl_san_launch_begin(struct wl_san_launch *launch);
void wl_san_launch_end(struct wl_san_launch *launch);
/* A code object is about to go: findings do not name its lines any more. */
void wl_san_object_gone(const struct wl_codeobject *object);
void wl_san_group_begin(struct wl_san_group *group);
void wl_san_group_end(struct wl_san_group *group);
/* No workgroup comes next. */
void wl_san_group_free(struct wl_san_group *group);
void wl_san_wave_begin(struct wl_san_wave *wave);
void wl_san_wave_end(struct wl_san_wave *wave);
/* What nobody wrote of the wave's registers; NULL: there is no memory for that, or initcheck does not watch the launch. */
struct wl_undefined *wl_san_undefined(struct wl_san_wave *wave);
/* wl_helpers.sanitize_values; NULL: there is no memory for it. */
uint8_t *const *wl_san_values(void);
/* wl_helpers.sanitize_piece. */
uint32_t wl_san_piece(struct wl_undefined *undefined, const struct wl_defined_piece *piece, uint64_t exec);
/* Such bits decide something (wl_helpers.sanitize_decides). */
void wl_san_decides(struct wl_san_wave *wave, uint64_t code, uint32_t use, uint32_t lane, uint64_t origin);

/* Before the access. Returns the lanes that may make it, as bits of access->lanes: the others were reported. */
uint64_t wl_san_access(struct wl_san_wave *wave, const struct wl_san_access *access);
/* The same for most accesses of native code. False: nothing was told; wl_san_access is to be, strip by strip. */
bool wl_san_access_run(struct wl_san_wave *wave, const struct wl_san_lanes *run);
void wl_san_fence(struct wl_san_wave *wave, const struct wl_sanitize_fence *fence);

/* A wave goes on at `target`, in another function; `back`: the place behind the call, 0: it is none that is known. */
void wl_san_jump(struct wl_san_wave *wave, uint64_t target, uint64_t back);

/* A wave comes to a barrier at `code` with these lanes on. barrier_done: all waves that have not ended have come, and go on. */
void wl_san_barrier_arrive(struct wl_san_wave *wave, uint64_t code, uint64_t exec);
void wl_san_barrier_done(struct wl_san_group *group);
/* Waves of the launch that wait for each other at a barrier of the whole grid (a cooperative launch's, or ds_gws_barrier). */
void wl_san_grid_barrier_done(struct wl_san_launch *launch);
/* A wave sends a message to a resource of the global wave sync unit (ds_gws_*), and goes on behind it, at once or later. */
void wl_san_gws(struct wl_san_wave *wave, uint64_t code, uint32_t resource, bool barrier);
void wl_san_gws_done(struct wl_san_wave *wave, uint32_t resource);
/* All waves of the workgroup only wait, and have for a while. True: for ever, it was reported; the launch has to end. */
bool wl_san_stuck(struct wl_san_group *group);

/* ---- order between launches and what the host does ---- */

/* What runs in order: a stream, a graph's branch, a host thread. Ids are the runtime's (its address or number). */
enum wl_san_edge { WL_SAN_RELEASE, WL_SAN_ACQUIRE };
#define WL_SAN_ONCE (UINT64_C(1) << 62) /* marks with this bit are forgotten by the first who goes on behind them */
/* The line whose work the calling thread does; 0: none. */
extern _Thread_local uint64_t wl_san_line;
/* `line` leaves a mark (RELEASE), or goes on behind it (ACQUIRE). A mark's id is any number that names it: an event, a point of a stream. */
void wl_san_order(enum wl_san_edge edge, uint64_t line, uint64_t mark);
/* A stream's line has done its command `sequence`; commands of one stream have rising numbers. `line` goes on behind command `sequence` of the
 * line `of`, which is done, and behind nothing that `of` has done since. */
void wl_san_order_done(uint64_t line, uint64_t sequence);
void wl_san_order_behind(uint64_t line, uint64_t of, uint64_t sequence);
/* The program makes a stream: from now on work can run beside that of the null stream. */
void wl_san_stream_made(void);
/* The host, or a copy or fill in a stream, accesses memory. `line`: the stream; 0: the calling thread. `call`: "hipMemcpy". */
void wl_san_host_access(uint64_t line, enum wl_sanitize_kind kind, uint64_t address, uint64_t size, const char *call);
/* The values that a copy moves, or a fill makes, before it does. `stack`: of the call; 0: not known. */
void wl_san_copied(uint64_t target, uint64_t source, uint64_t size, const char *call, uint64_t stack);
void wl_san_filled(uint64_t target, uint64_t size);

#endif
