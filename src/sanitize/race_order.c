/* racecheck: the order of launches, copies and fills: lines and marks (hooks.h). */
#include "sanitize/race.h"

#include "sanitize/race_state.h"

#include "base/table.h"
#include "codeobject/codeobject.h"
#include "machine/processor.h"

#include <stdlib.h>
#include <string.h>

enum { RECENT = 32, DONE = 64 }; /* launches, and commands that were done, that a line remembers */

/* A stream, or a thread of the host. */
struct line {
    uint64_t id;
    uint32_t time;
    struct wl_clock *clock; /* of lines */
    struct {
        uint32_t time;
        uint64_t first; /* the first record that it may have made */
    } recent[RECENT];
    unsigned count;
    struct {
        uint64_t sequence;
        struct wl_clock *clock;
    } done[DONE]; /* a ring, in the order of commands */
    unsigned done_count;
};

static struct {
    pthread_mutex_t lock;
    struct wl_table lines, marks; /* struct line; struct wl_clock */
    unsigned with_work;           /* lines that had launches, copies or fills */
    bool has_streams;             /* wl_race_stream_made */
    unsigned active;              /* launches */
    uint32_t launches;
    struct wl_table names;
} order = {.lock = PTHREAD_MUTEX_INITIALIZER};
static struct wl_race_launch launches[WL_RACE_LAUNCHES];

struct wl_race_launch *wl_race_launch_of(uint32_t number) {
    struct wl_race_launch *launch = &launches[number % WL_RACE_LAUNCHES];
    return number && launch->number == number ? launch : NULL;
}

/* ---- lines; the caller has the lock ----------------------------------------------------------- */

/* The threads of the host are one line: what orders them is not seen. A launch whose stream is not known is in order with all others. */
enum { UNKNOWN_STREAM = 1, HOST = 2 };

static struct line *find_line(uint64_t id) {
    struct line *line = wl_table_find(&order.lines, id);
    if (line)
        return line;
    line = wl_table_make(&order.lines, id, sizeof *line);
    if (line)
        line->id = id;
    return line;
}

static void tick(struct line *line) { wl_clock_add(&line->clock, line->id, ++line->time); }

/* The first record of the launches of other lines that are not known to have ended before what `line` does now. */
static uint64_t first_unordered(const struct line *line, uint64_t first) {
    const struct line *other;
    for (size_t at = 0; (other = wl_table_each(&order.lines, &at));) {
        if (other == line || !other->count || other->id == UNKNOWN_STREAM || line->id == UNKNOWN_STREAM)
            continue;
        const uint32_t known = wl_clock_get(line->clock, other->id);
        const unsigned kept = other->count < RECENT ? other->count : RECENT;
        for (unsigned i = 0; i < kept; i++) {
            const unsigned n = (other->count - 1 - i) % RECENT;
            if (other->recent[n].time <= known)
                break;
            first = other->recent[n].first < first ? other->recent[n].first : first;
        }
    }
    return first;
}

static void remember(struct line *line, uint64_t first) {
    const unsigned n = line->count++ % RECENT;
    if (line->count == 1)
        order.with_work++;
    line->recent[n].time = line->time;
    line->recent[n].first = first;
}

static void set_mark(uint64_t mark, struct wl_clock *clock) {
    struct wl_clock *before = wl_table_find(&order.marks, mark);
    if (before) {
        wl_table_remove(&order.marks, mark, before);
        wl_clock_drop(before);
    }
    if (clock && !wl_table_add(&order.marks, mark, clock))
        wl_clock_drop(clock);
}

void wl_race_order(enum wl_san_edge edge, uint64_t id, uint64_t mark) {
    pthread_mutex_lock(&order.lock);
    struct line *line = find_line(id ? id : HOST);
    if (line && edge == WL_SAN_RELEASE) {
        if (!line->time)
            tick(line);
        struct wl_clock *clock = wl_clock_keep(line->clock);
        wl_clock_join(&clock, wl_table_find(&order.marks, mark));
        set_mark(mark, clock);
        tick(line);
    } else if (line) {
        wl_clock_join(&line->clock, wl_table_find(&order.marks, mark));
        if (mark & WL_SAN_ONCE)
            set_mark(mark, NULL);
    }
    pthread_mutex_unlock(&order.lock);
}

static void forget_done(struct line *line) {
    for (unsigned i = 0; i < DONE; i++) {
        wl_clock_drop(line->done[i].clock);
        line->done[i].clock = NULL;
    }
    line->done_count = 0;
}

void wl_race_done(uint64_t id, uint64_t sequence) {
    pthread_mutex_lock(&order.lock);
    struct line *line = find_line(id);
    if (line) {
        if (line->done_count && line->done[(line->done_count - 1) % DONE].sequence >= sequence)
            forget_done(line); /* of a stream that was at this address before */
        if (!line->time)
            tick(line);
        const unsigned n = line->done_count++ % DONE;
        wl_clock_drop(line->done[n].clock);
        line->done[n].sequence = sequence;
        line->done[n].clock = wl_clock_keep(line->clock);
        tick(line);
    }
    pthread_mutex_unlock(&order.lock);
}

void wl_race_behind(uint64_t id, uint64_t of, uint64_t sequence) {
    pthread_mutex_lock(&order.lock);
    struct line *line = find_line(id ? id : HOST);
    const struct line *other = wl_table_find(&order.lines, of);
    const unsigned count = other ? other->done_count : 0, kept = count < DONE ? count : DONE;
    unsigned back = 1; /* to the earliest command that is kept and not before the one that is waited for */
    while (back < kept && other->done[(count - 1 - back) % DONE].sequence >= sequence)
        back++;
    if (line && kept)
        wl_clock_join(&line->clock, other->done[(count - back) % DONE].clock);
    pthread_mutex_unlock(&order.lock);
}

/* ---- launches --------------------------------------------------------------------------------- */

/* A name that lasts. The caller has the lock. */
static const char *keep_name(const char *name) {
    uint64_t key = UINT64_C(0xcbf29ce484222325);
    for (const char *at = name; *at; at++)
        key = (key ^ (uint8_t)*at) * UINT64_C(0x100000001b3);
    const char *known;
    for (size_t at = 0; (known = wl_table_next(&order.names, key, &at));)
        if (strcmp(known, name) == 0)
            return known;
    char *copy = strdup(name);
    return copy && wl_table_add(&order.names, key, copy) ? copy : "";
}

/* All that was seen is forgotten, where nothing runs and few numbers are left. The caller has the lock. */
static void restart(void) {
    struct line *line;
    for (size_t at = 0; (line = wl_table_each(&order.lines, &at));)
        line->count = 0;
    order.with_work = 0;
    wl_race_forget_all();
    wl_race_units_restart();
}

static uint32_t shift_of(uint32_t waves) {
    uint32_t shift = 0;
    while (1u << shift < waves)
        shift++;
    return shift;
}

/* A new launch in a line. The caller has the lock. */
static struct wl_race_launch *make_launch(struct line *line, uint32_t waves) {
    if (!order.active && wl_race_units_low())
        restart();
    const uint32_t number = ++order.launches ? order.launches : ++order.launches;
    struct wl_race_launch *launch = &launches[number % WL_RACE_LAUNCHES];
    const uint64_t first = (uint64_t)wl_race_units_made() * WL_RACE_UNIT << WL_RACE_SEGMENT_SHIFT;
    tick(line);
    *launch = (struct wl_race_launch){.number = number, .line = line->id, .time = line->time, .shift = shift_of(waves)};
    launch->clock = wl_clock_keep(line->clock);
    launch->first = first;
    atomic_store_explicit(&launch->ordered, first_unordered(line, first), memory_order_relaxed);
    remember(line, first);
    order.active++;
    atomic_store(&launch->active, true);
    return launch;
}

static void end_launch(struct wl_race_launch *launch) {
    pthread_mutex_lock(&order.lock);
    atomic_store(&launch->active, false);
    wl_clock_drop(launch->clock);
    launch->clock = NULL;
    if (--order.active == 0)
        wl_race_variables_clear();
    pthread_mutex_unlock(&order.lock);
}

void wl_race_launch_begin(struct wl_san_launch *launch) {
    const uint64_t items = (uint64_t)launch->block[0] * launch->block[1] * launch->block[2];
    const struct wl_target *target = launch->object ? wl_codeobject_target(launch->object) : NULL;
    pthread_mutex_lock(&order.lock);
    struct line *line = find_line(launch->stream ? launch->stream : UNKNOWN_STREAM);
    struct wl_race_launch *made = line ? make_launch(line, (uint32_t)((items + launch->wave_size - 1) / launch->wave_size)) : NULL;
    launch->race = made;
    if (made) {
        made->generation = target ? (uint8_t)target->major : 9;
        made->writes_back = target && made->generation == 9 && wl_target_has(target, WL_HAS_ARCHITECTED_SCRATCH);
        made->kernel = keep_name(launch->kernel);
        made->object = launch->object;
        memcpy(made->grid, launch->grid, sizeof made->grid);
        memcpy(made->block, launch->block, sizeof made->block);
        memcpy(made->remainder, launch->remainder, sizeof made->remainder);
        made->wave_size = launch->wave_size;
    }
    pthread_mutex_unlock(&order.lock);
}

void wl_race_launch_end(struct wl_san_launch *launch) {
    if (launch->race) {
        wl_race_flush_launch(((struct wl_race_launch *)launch->race)->number);
        end_launch(launch->race);
    }
    launch->race = NULL;
}

void wl_race_object_gone(const struct wl_codeobject *object) {
    pthread_mutex_lock(&order.lock);
    for (uint32_t i = 0; i < WL_RACE_LAUNCHES; i++)
        if (launches[i].object == object)
            launches[i].object = NULL;
    pthread_mutex_unlock(&order.lock);
}

void wl_race_grid_barrier_done(struct wl_san_launch *launch) {
    struct wl_race_launch *l = launch->race;
    if (!l)
        return;
    pthread_mutex_lock(&order.lock);
    struct line *line = find_line(l->line);
    const uint64_t now = (uint64_t)wl_race_units_made() * WL_RACE_UNIT << WL_RACE_SEGMENT_SHIFT;
    if (line)
        atomic_store_explicit(&l->ordered, first_unordered(line, now), memory_order_relaxed);
    atomic_fetch_add_explicit(&l->grid_phase, 1, memory_order_relaxed);
    pthread_mutex_unlock(&order.lock);
}

/* ---- copies and fills ------------------------------------------------------------------------- */

void wl_race_stream_made(void) {
    pthread_mutex_lock(&order.lock);
    order.has_streams = true;
    pthread_mutex_unlock(&order.lock);
}

/* Whether nothing can run beside a copy of the line: there are only null streams, and this one has had all the work. (Once the program has made a
 * stream, that may have work that has not begun.) */
static bool is_alone(const struct line *line) {
    return !order.has_streams && (order.with_work == 0 || (order.with_work == 1 && line->count));
}

struct wl_race_launch *wl_race_host_begin(uint64_t id, const char *call, struct wl_race_group *group) {
    pthread_mutex_lock(&order.lock);
    struct line *line = find_line(id ? id : HOST);
    struct wl_race_launch *launch = line && !is_alone(line) ? make_launch(line, 1) : NULL;
    if (launch) {
        launch->call = call;
        launch->stack = id ? 0 : wl_san_stack(); /* whoever runs a stream is not who queued the copy */
        launch->generation = 9;
    }
    pthread_mutex_unlock(&order.lock);
    if (!launch)
        return NULL;
    *group = (struct wl_race_group){.launch = launch, .wave_count = 1};
    if (wl_race_begin_row(group, 0, 0))
        return launch;
    wl_race_host_end(launch, group);
    return NULL;
}

void wl_race_host_end(struct wl_race_launch *launch, struct wl_race_group *group) {
    free(group->units);
    end_launch(launch);
}

/* ---- whether one thing came before another ---------------------------------------------------- */

static bool is_launch_ordered(const struct wl_race_launch *now, const struct wl_race_launch *before) {
    if (now->line == UNKNOWN_STREAM || !before || before->line == UNKNOWN_STREAM)
        return true;
    return now->line == before->line || wl_clock_get(now->clock, before->line) >= before->time;
}

#define UNIT_RECORDS ((uint64_t)WL_RACE_UNIT << WL_RACE_SEGMENT_SHIFT)

bool wl_race_is_ordered(const struct wl_race_group *group, uint32_t index, uint64_t record) {
    const struct wl_race_launch *launch = group->launch;
    if (record < atomic_load_explicit(&launch->ordered, memory_order_relaxed))
        return true;
    const struct wl_clock *clock = group->waves[index].clock;
    if (!clock && record >= launch->first && record - group->phase_unit >= UNIT_RECORDS && (group->unit_count == 1 || !group->units[1]))
        return false; /* another workgroup's, of which the wave knows nothing */
    const struct wl_race_unit *unit = wl_race_unit_of(record);
    if (!unit->launch)
        return true;
    const struct wl_race_launch *of = unit->launch == launch->number ? launch : wl_race_launch_of(unit->launch);
    if (of != launch && is_launch_ordered(launch, of))
        return true;
    const uint32_t in = wl_race_segment(record) % WL_RACE_UNIT, row = unit->row + (in >> of->shift);
    const uint32_t wave = in & ((1u << of->shift) - 1);
    if (unit->uid == group->uid && (row < group->phase_row || wave == index))
        return true;
    return clock && (wl_clock_get(clock, wl_race_key(unit->uid)) > row || wl_clock_get(clock, wl_race_wave_key(unit->uid, wave)) > row);
}
