/* racecheck: lanes whose addresses follow each other, and the lines of cells that most of them store to and load from. */
#include "sanitize/race.h"

#include "sanitize/race_check.h"

#include <string.h>

#if defined(__x86_64__) && !defined(__SANITIZE_THREAD__) /* which is not ready yet when a copy is chosen */
#define CLONES __attribute__((target_clones("avx512f", "avx2", "default")))
#else
#define CLONES
#endif

/* Whether the records of some cells need a closer look. */
CLONES static bool all_fine(const uint64_t *records, unsigned count, uint64_t below, uint64_t unit, uint64_t first, uint64_t own,
                            uint64_t same, uint64_t flags) {
    int64_t bad = 0;
    for (unsigned i = 0; i < count; i++) {
        const int64_t r = (int64_t)records[i];
        const bool fine =
            (r < (int64_t)below) | ((r >= (int64_t)unit) & (r < (int64_t)first)) | (((r ^ (int64_t)own) & (int64_t)same) == 0);
        bad |= (fine ? 0 : 1) | (r & (int64_t)flags);
    }
    return bad == 0;
}

CLONES static void fill(uint64_t *records, unsigned count, uint64_t record, uint32_t scale) {
    for (unsigned i = 0; i < count; i++)
        records[i] = record + ((uint64_t)(i * scale >> 16) << WL_RACE_LANE_SHIFT);
}

bool wl_race_are_fine(const struct check *c, const uint64_t *records, unsigned count, uint64_t flags) {
    return all_fine(records, count, c->below, c->phase_unit, c->phase_first, c->record, c->same, flags);
}

bool wl_race_have_atomics(const struct check *c, const uint64_t *records, unsigned count) {
    uint64_t any = 0;
    for (unsigned i = 0; i < count; i++)
        any |= records[i];
    if (any & WL_RACE_ATOMIC)
        for (unsigned i = 0; i < count; i++)
            if (records[i] & WL_RACE_ATOMIC && !is_fine(c, records[i]))
                return true;
    return false;
}

/* Records reads of whole cells as far as one of two gives way. */
CLONES static void fill_reads(uint64_t *one, uint64_t *two, unsigned count, uint64_t below, uint64_t unit, uint64_t first, uint64_t same,
                              uint64_t record, uint32_t scale) {
    for (unsigned i = 0; i < count; i++) {
        const int64_t r = (int64_t)one[i], s = (int64_t)two[i];
        const uint64_t own = record + ((uint64_t)(i * scale >> 16) << WL_RACE_LANE_SHIFT);
        const bool fine =
            (r < (int64_t)below) | ((r >= (int64_t)unit) & (r < (int64_t)first)) | (((r ^ (int64_t)own) & (int64_t)same) == 0);
        const bool other =
            (s < (int64_t)below) | ((s >= (int64_t)unit) & (s < (int64_t)first)) | (((s ^ (int64_t)own) & (int64_t)same) == 0);
        one[i] = fine ? own : (uint64_t)r;
        two[i] = (!fine & other) ? own : (uint64_t)s;
    }
}

/* Whether some cells have been stored to by the same instruction of the wave, in another lane. */
CLONES static bool has_other_lane(const uint64_t *records, unsigned count, uint64_t same, uint64_t record, uint32_t scale) {
    int64_t found = 0;
    for (unsigned i = 0; i < count; i++) {
        const int64_t r = (int64_t)records[i];
        const int64_t own = (int64_t)(record + ((uint64_t)(i * scale >> 16) << WL_RACE_LANE_SHIFT));
        found |= (((r ^ own) & (int64_t)same) == 0) & (((r ^ own) & (63 << WL_RACE_LANE_SHIFT)) != 0);
    }
    return found;
}

/* ---- where the cells are ---------------------------------------------------------------------- */

/* The block of an address, and where in it; *size is cut at the end of what one lock is for, which is taken. NULL: there is none. */
static struct wl_race_block *take_block(const struct check *c, uint64_t address, uint64_t *size, uint32_t *in) {
    struct wl_race_block *block = c->lds ? c->group->lds : wl_race_block(address);
    *in = address & ((1u << WL_RACE_BLOCK_SHIFT) - 1);
    if (!block || (c->lds && address >= 3u << WL_RACE_BLOCK_SHIFT))
        return NULL;
    if (c->lds)
        block += address >> WL_RACE_BLOCK_SHIFT;
    const uint64_t piece = UINT64_C(1) << WL_RACE_PIECE_SHIFT, left = piece - (address & (piece - 1));
    *size = *size < left ? *size : left;
    if (!c->lds)
        wl_race_lock(address);
    return block;
}

static void cells_at(struct wl_race_block *block, uint32_t in, uint64_t size, struct cells *cells) {
    wl_race_expand(block, in, size);
    cells->write = &block->write[in / 4];
    cells->read[0] = &block->read[0][in / 4];
    cells->read[1] = &block->read[1][in / 4];
    cells->read[2] = &block->read[2][in / 4];
    cells->count = (unsigned)((in + size + 3) / 4 - in / 4);
}

bool wl_race_find_cells(const struct check *c, uint64_t address, uint64_t *size, struct cells *cells) {
    const uint64_t left = WL_RACE_LINE_BYTES - address % WL_RACE_LINE_BYTES;
    uint32_t in;
    *size = *size < left ? *size : left;
    struct wl_race_block *block = take_block(c, address, size, &in);
    if (!block)
        return false;
    cells_at(block, in, *size, cells);
    return true;
}

void wl_race_give_cells(const struct check *c, uint64_t address) {
    if (!c->lds)
        wl_race_unlock(address);
}

/* ---- whole lines ------------------------------------------------------------------------------ */

/* Cells that differ in what made them are few. */
static bool are_ordered(const struct check *c, const uint64_t *records, unsigned count, uint64_t flags) {
    uint64_t known = records[0];
    if (!is_ordered(c, known))
        return false;
    for (unsigned i = 0; i < count; i++) {
        if (records[i] & flags)
            return false;
        if (wl_race_segment(records[i]) != wl_race_segment(known) && !is_ordered(c, records[i]))
            return false;
        known = records[i];
    }
    return true;
}

/* Whether what a line remembers came before; `flags`: none of it has one of them. */
static inline bool line_is_fine(const struct check *c, uint64_t line, const uint64_t *cells, uint64_t flags) {
    if (line == WL_RACE_CELLS)
        return wl_race_are_fine(c, cells, WL_RACE_LINE_CELLS, flags) || are_ordered(c, cells, WL_RACE_LINE_CELLS, flags);
    return is_ordered(c, line) && !(line & flags);
}

/* Whether some of a line's cells have atomics where reads are. */
static bool has_atomics(const struct check *c, const struct wl_race_block *block, uint32_t line, uint32_t cell, unsigned count) {
    for (unsigned r = 0; r < 2; r++)
        if (block->line_read[r][line] == WL_RACE_CELLS && wl_race_have_atomics(c, &block->read[r][cell], count))
            return true;
    return false;
}

static bool load_line(const struct check *c, struct wl_race_block *block, uint32_t line, uint64_t record) {
    const uint32_t cell = line * WL_RACE_LINE_CELLS;
    if (!line_is_fine(c, block->line_write[line], &block->write[cell], 0) || has_atomics(c, block, line, cell, WL_RACE_LINE_CELLS))
        return false;
    for (unsigned r = 0; r < 2; r++)
        if (line_is_fine(c, block->line_read[r][line], &block->read[r][cell], 0)) {
            __atomic_store_n(&block->line_read[r][line], record, __ATOMIC_RELAXED);
            return true;
        }
    return block->line_read[0][line] != WL_RACE_CELLS && block->line_read[1][line] != WL_RACE_CELLS; /* two readers are enough */
}

/* By whose numbers it is plain that a record's access came before; signed, as hosts compare vectors. */
struct limits {
    int64_t below, unit, first, same;
};
static inline struct limits limits_of(const struct check *c) {
    return (struct limits){(int64_t)c->below, (int64_t)c->phase_unit, (int64_t)c->phase_first, (int64_t)c->same};
}

/* The cells of the line that third reads are of, from cell `in` on. */
static inline uint32_t parts_of(const struct wl_race_block *block, uint32_t line, unsigned in, unsigned count) {
    return (uint32_t)block->partial[line] >> in & ((UINT32_C(1) << count) - 1);
}

/* Of a line's third reads, those of `parts` of which it is not plain that they came before. */
CLONES static uint32_t open_parts(const uint64_t *records, uint32_t parts, struct limits l, uint64_t own) {
    uint32_t open = 0;
    for (unsigned i = 0; i < WL_RACE_LINE_CELLS; i++) {
        const int64_t r = (int64_t)records[i];
        const bool fine = (r < l.below) | ((r >= l.unit) & (r < l.first)) | (((r ^ (int64_t)own) & l.same) == 0);
        open |= (fine ? 0u : 1u) << i;
    }
    return open & parts;
}

/* Whether those of some third reads that count came before. `plainly`: by their numbers alone. */
static bool parts_are_fine(const struct check *c, const uint64_t *cells, uint32_t first, uint32_t parts, bool plainly) {
    if (!parts)
        return true;
    uint32_t open = open_parts(cells, parts << first, limits_of(c), c->record);
    bool all = true;
    for (uint64_t known = 0; !plainly && open && all; open &= open - 1) {
        const uint64_t record = cells[(unsigned)__builtin_ctz(open)];
        if (wl_race_segment(record) != wl_race_segment(known))
            all = is_ordered(c, record);
        known = record;
    }
    return all && !open;
}

static bool store_line(const struct check *c, struct wl_race_block *block, uint32_t line, uint64_t record, uint32_t scale) {
    const uint32_t cell = line * WL_RACE_LINE_CELLS;
    const uint64_t before = block->line_write[line], same = c->same | WL_RACE_SITE_BITS;
    if (!line_is_fine(c, before, &block->write[cell], WL_RACE_ATOMIC))
        return false;
    for (unsigned r = 0; r < 2; r++)
        if (!line_is_fine(c, block->line_read[r][line], &block->read[r][cell], 0))
            return false;
    if (!parts_are_fine(c, &block->read[2][cell], 0, block->partial[line], false))
        return false;
    if (c->is_strip && before == WL_RACE_CELLS && has_other_lane(&block->write[cell], WL_RACE_LINE_CELLS, same, record, scale))
        return false;
    if (c->is_strip && before != WL_RACE_CELLS && ((before ^ record) & same) == 0 && wl_race_lane(before) != wl_race_lane(record))
        return false;
    block->partial[line] = 0; /* whoever comes behind the store comes behind these loads as well */
    __atomic_store_n(&block->line_write[line], record, __ATOMIC_RELEASE);
    return true;
}

/* The records of four lines in a row; or for each of them all bits, or none. Most waves access four lines at a time. */
enum { FOUR = 4 };
typedef int64_t four __attribute__((vector_size(FOUR * sizeof(int64_t)), aligned(8)));
#define INLINE __attribute__((always_inline)) static inline
INLINE void came_before(const struct limits *l, const four *record, const four *own, four *came) {
    *came = (*record < l->below) | ((*record >= l->unit) & (*record < l->first)) | (((*record ^ *own) & l->same) == 0);
}
INLINE bool has_any(const four *bits) { return ((*bits)[0] | (*bits)[1] | (*bits)[2] | (*bits)[3]) != 0; }
INLINE void records_of(uint64_t record, uint64_t step, four *own) {
    *own = (four){(int64_t)record, (int64_t)(record + step), (int64_t)(record + 2 * step), (int64_t)(record + 3 * step)};
}

/* Lines in a row whose cells do not count, and of which nothing needs a closer look, four by four: returns how many are done. `step`: from a
 * line's record to the next one's. */
CLONES static unsigned load_lines(struct wl_race_block *block, uint32_t line, unsigned count, struct limits l, uint64_t record,
                                  uint64_t step) {
    unsigned done = 0;
    for (; done + FOUR <= count; done += FOUR) {
        const four *write = (const four *)&block->line_write[line + done];
        four *one = (four *)&block->line_read[0][line + done], *two = (four *)&block->line_read[1][line + done];
        const four w = *write, r = *one, s = *two;
        four own, written, gives, other;
        records_of(record + done * step, step, &own);
        came_before(&l, &w, &own, &written);
        came_before(&l, &r, &own, &gives);
        came_before(&l, &s, &own, &other);
        const four bad = ~written | ((w | r | s) & (int64_t)WL_RACE_CELLS), second = other & ~gives;
        if (has_any(&bad))
            break;
        const four change[2] = {(r ^ own) & gives, (s ^ own) & second};
        if (has_any(&change[0]))
            *one = r ^ change[0];
        if (has_any(&change[1]))
            *two = s ^ change[1];
    }
    return done;
}

/* The same of stores. `instruction`: the bits in which records of one instruction of the wave are alike; 0: they need not be told apart. */
CLONES static unsigned store_lines(struct wl_race_block *block, uint32_t line, unsigned count, struct limits l, int64_t instruction,
                                   uint64_t record, uint64_t step) {
    const int64_t lanes = 63 << WL_RACE_LANE_SHIFT, flags = WL_RACE_ATOMIC;
    unsigned done = 0;
    for (; done + FOUR <= count; done += FOUR) {
        four *write = (four *)&block->line_write[line + done];
        const four w = *write, r = *(const four *)&block->line_read[0][line + done], s = *(const four *)&block->line_read[1][line + done];
        uint64_t partial;
        four own, written, one, two;
        memcpy(&partial, &block->partial[line + done], sizeof partial);
        records_of(record + done * step, step, &own);
        came_before(&l, &w, &own, &written);
        came_before(&l, &r, &own, &one);
        came_before(&l, &s, &own, &two);
        four bad = ~(written & one & two) | ((w | r | s) & (int64_t)WL_RACE_CELLS) | (w & flags);
        if (instruction) /* another lane's */
            bad |= (((w ^ own) & instruction) == 0) & (((w ^ own) & lanes) != 0);
        if (partial || has_any(&bad))
            break;
        *write = own;
    }
    return done;
}

/* How many of these lines could be done together; the run begins `skipped` lines before them. */
static unsigned run_at_once(const struct check *c, struct wl_race_block *block, uint32_t line, const struct run *run, unsigned skipped,
                            unsigned count, bool stores) {
    const struct run first = {.scale = run->scale};
    const uint64_t record = record_at(c, lane_of(run, (uint64_t)skipped * WL_RACE_LINE_BYTES), 15),
                   step = (uint64_t)lane_of(&first, WL_RACE_LINE_BYTES) << WL_RACE_LANE_SHIFT;
    if (!stores)
        return load_lines(block, line, count, limits_of(c), record, step);
    const int64_t instruction = c->is_strip ? (int64_t)(c->same | WL_RACE_SITE_BITS) : 0;
    return store_lines(block, line, count, limits_of(c), instruction, record, step);
}

static uint64_t run_lines(const struct check *c, struct wl_race_block *block, uint32_t line, const struct run *run, uint64_t size,
                          bool stores) {
    const unsigned count = (unsigned)(size / WL_RACE_LINE_BYTES);
    unsigned i = 0;
    for (unsigned next = 0; i < count; i++) {
        if (i == next && count - i >= FOUR) {
            i += run_at_once(c, block, line + i, run, i, count - i, stores);
            next = i + FOUR; /* one of these needs a closer look */
            if (i == count)
                break;
        }
        const uint64_t record = record_at(c, lane_of(run, (uint64_t)i * WL_RACE_LINE_BYTES), 15);
        if (!(stores ? store_line(c, block, line + i, record, run->scale) : load_line(c, block, line + i, record)))
            break;
    }
    return (uint64_t)i * WL_RACE_LINE_BYTES;
}

/* ---- cells of one line ------------------------------------------------------------------------ */

enum { FEW = 4 };

/* Whether what these cells remember came before. */
static inline bool cells_are_fine(const struct check *c, uint64_t line, const uint64_t *cells, unsigned count, uint64_t flags) {
    if (line != WL_RACE_CELLS)
        return is_ordered(c, line) && !(line & flags);
    if (count > FEW)
        return wl_race_are_fine(c, cells, count, flags) || are_ordered(c, cells, count, flags);
    for (unsigned i = 0; i < count; i++)
        if (cells[i] & flags || !is_ordered(c, cells[i]))
            return false;
    return true;
}

static void record_cells(uint64_t *cells, unsigned count, uint64_t record, uint32_t scale) {
    if (count == 1)
        __atomic_store_n(cells, record, __ATOMIC_RELAXED);
    else
        fill(cells, count, record, scale);
}

/* Whether it is plain that what some cells remember came before. */
static inline bool give_way(const struct check *c, const uint64_t *cells, unsigned count) {
    if (count > FEW)
        return wl_race_are_fine(c, cells, count, 0);
    bool all = true;
    for (unsigned i = 0; i < count; i++)
        all &= is_fine(c, cells[i]);
    return all;
}

static inline void record_few(uint64_t *cells, unsigned i, uint64_t record, uint32_t scale) {
    const uint64_t own = record + ((uint64_t)(i * scale >> 16) << WL_RACE_LANE_SHIFT);
    if (cells[i] != own)
        __atomic_store_n(&cells[i], own, __ATOMIC_RELAXED);
}

/* Each of some reads gives way to this one if it is plain that it came before. */
static void record_mixed(const struct check *c, uint64_t *one, uint64_t *two, unsigned count, uint64_t record, uint32_t scale) {
    if (count > FEW) {
        fill_reads(one, two, count, c->below, c->phase_unit, c->phase_first, c->same, record, scale);
        return;
    }
    for (unsigned i = 0; i < count; i++)
        if (is_fine(c, one[i]))
            record_few(one, i, record, scale);
        else if (is_fine(c, two[i]))
            record_few(two, i, record, scale);
}

/* Whether the wave has loaded a whole line in its present row: another load of it is no news. A store that has come in between, without order,
 * has found the first one. */
static inline bool has_loaded(const struct check *c, uint64_t line) {
    return line != WL_RACE_CELLS && wl_race_segment(line ^ c->record) == 0 && !(line & (WL_RACE_ATOMIC | WL_RACE_STRONG));
}

/* The load of a part of a line that others load as a whole leaves their records alone. */
static bool load_part(const struct check *c, struct wl_race_block *block, uint32_t line, uint32_t cell, unsigned count, uint64_t record,
                      uint32_t scale) {
    const uint64_t one = block->line_read[0][line], two = block->line_read[1][line];
    const unsigned first = cell % WL_RACE_LINE_CELLS;
    uint64_t *cells = &block->read[2][cell];
    if (count == WL_RACE_LINE_CELLS || one == WL_RACE_CELLS || two == WL_RACE_CELLS)
        return false;
    if (!is_fine(c, one) && !is_fine(c, two))
        return true; /* two readers are enough */
    if (!parts_are_fine(c, cells - first, first, parts_of(block, line, first, count), true))
        return false;
    record_cells(cells, count, record, scale);
    block->partial[line] |= (uint16_t)(((UINT32_C(1) << count) - 1) << first);
    return true;
}

static bool load_cells(const struct check *c, struct wl_race_block *block, uint32_t in, unsigned count, const struct run *run) {
    const uint32_t line = in / WL_RACE_LINE_BYTES, cell = in / 4, first = line * WL_RACE_LINE_CELLS;
    const uint64_t record = record_at(c, run->lane, 15);
    if (has_loaded(c, block->line_read[0][line]) || has_loaded(c, block->line_read[1][line]))
        return true;
    if (!cells_are_fine(c, block->line_write[line], &block->write[cell], count, 0) || has_atomics(c, block, line, cell, count))
        return false;
    if (load_part(c, block, line, cell, count, record, run->scale))
        return true;
    bool has_cells = false;
    for (unsigned r = 0; r < 2; r++) {
        const uint64_t all = block->line_read[r][line];
        uint64_t *cells = &block->read[r][cell];
        has_cells |= all == WL_RACE_CELLS;
        if (!(all == WL_RACE_CELLS ? give_way(c, cells, count) : is_fine(c, all)))
            continue;
        wl_race_expand_line(&block->line_read[r][line], &block->read[r][first]);
        if (count > FEW)
            fill(cells, count, record, run->scale);
        for (unsigned i = 0; count <= FEW && i < count; i++)
            record_few(cells, i, record, run->scale);
        return true;
    }
    if (count == 1 || !has_cells)
        return true; /* two readers are enough */
    for (unsigned r = 0; r < 2; r++)
        wl_race_expand_line(&block->line_read[r][line], &block->read[r][first]);
    record_mixed(c, &block->read[0][cell], &block->read[1][cell], count, record, run->scale);
    return true;
}

/* Whether one lane stores where another instruction of its wave has stored. */
static inline bool may_vary(const struct check *c, uint64_t write) {
    return (write ^ c->record) & WL_RACE_SITE_BITS && !is_old(c, write) && is_own(c, write);
}

static bool store_cells(const struct check *c, struct wl_race_block *block, uint32_t in, unsigned count, const struct run *run) {
    const uint32_t line = in / WL_RACE_LINE_BYTES, cell = in / 4, first = line * WL_RACE_LINE_CELLS;
    const uint64_t record = record_at(c, run->lane, 15);
    if (!cells_are_fine(c, block->line_write[line], &block->write[cell], count, WL_RACE_ATOMIC) ||
        !cells_are_fine(c, block->line_read[0][line], &block->read[0][cell], count, 0) ||
        !cells_are_fine(c, block->line_read[1][line], &block->read[1][cell], count, 0) ||
        !parts_are_fine(c, &block->read[2][first], cell - first, parts_of(block, line, cell - first, count), false))
        return false;
    wl_race_expand_line(&block->line_write[line], &block->write[first]);
    if (count == 1 && !c->lds && may_vary(c, block->write[cell]))
        return false;
    if (c->is_strip && has_other_lane(&block->write[cell], count, c->same | WL_RACE_SITE_BITS, record, run->scale))
        return false;
    record_cells(&block->write[cell], count, record, run->scale);
    return true;
}

/* Whether lines can have the run's records: they begin with a lane, and are as the instruction's other ones. */
static inline bool fits_lines(const struct check *c, uint32_t scale) {
    struct wl_race_number *instruction = c->instruction;
    if (!scale || (4 * UINT32_C(65536)) % scale != 0)
        return false;
    if (!instruction->scale)
        instruction->scale = wl_race_site_scale(instruction->number, scale);
    return instruction->scale == scale;
}

__attribute__((always_inline)) static inline void prefetch_lines(const struct wl_race_block *block, uint32_t line) {
    __builtin_prefetch(&block->line_write[line], 1);
    __builtin_prefetch(&block->line_read[0][line], 1);
    __builtin_prefetch(&block->line_read[1][line], 0);
}

void wl_race_expect(uint64_t address) {
    const struct wl_race_block *block = wl_race_block(address);
    if (block)
        prefetch_lines(block, address % (1u << WL_RACE_BLOCK_SHIFT) / WL_RACE_LINE_BYTES);
}

/* Of the first `most` bytes, whole lines, or what the run has of one line. Returns the bytes that are done; 0: they need a closer look. */
static uint64_t run_part(const struct check *c, struct wl_race_block *block, uint32_t in, const struct run *run, uint64_t most,
                         bool stores) {
    const uint64_t lead = -run->address % WL_RACE_LINE_BYTES, left = lead ? lead : WL_RACE_LINE_BYTES;
    const uint64_t size = most < left ? most : left;
    if (!lead && most >= WL_RACE_LINE_BYTES && fits_lines(c, run->scale)) {
        const uint64_t done = run_lines(c, block, in / WL_RACE_LINE_BYTES, run, most, stores);
        if (done)
            return done;
    }
    return (stores ? store_cells : load_cells)(c, block, in, (unsigned)size / 4, run) ? size : 0;
}

/* The run is not copied: hosts wait when they load at once what they have stored piece by piece. */
bool wl_race_run_quickly(const struct check *c, struct run *run, bool stores) {
    const uint64_t start = run->address;
    uint64_t left = run->size, part = 1;
    uint32_t in;
    if ((start | left) & 3)
        return false;
    struct wl_race_block *block = take_block(c, start, &left, &in);
    if (!block)
        return false;
    if (!c->lds)
        prefetch_lines(block, (in + 2 * (uint32_t)left) / WL_RACE_LINE_BYTES); /* waves mostly go on where the one before has stopped */
    while (left && (part = run_part(c, block, in, run, left, stores))) {
        left -= part;
        in += (uint32_t)part;
        advance(run, part);
    }
    wl_race_give_cells(c, start);
    return run->address != start;
}

/* ---- lanes that lie anywhere ------------------------------------------------------------------ */

/* What a cell, or the line for it, remembers. */
static inline uint64_t known_of(uint64_t line, const uint64_t *cell) { return line == WL_RACE_CELLS ? *cell : line; }

static inline void record_cell(uint64_t *line, uint64_t *cells, unsigned in, uint64_t record) {
    if (*line != WL_RACE_CELLS)
        wl_race_expand_line(line, cells);
    if (cells[in] != record)
        __atomic_store_n(&cells[in], record, __ATOMIC_RELAXED);
}

static bool load_cell(const struct check *c, struct wl_race_block *block, uint32_t line, unsigned in, uint64_t record) {
    const uint32_t first = line * WL_RACE_LINE_CELLS;
    uint64_t *one = &block->line_read[0][line], *two = &block->line_read[1][line];
    if (has_loaded(c, *one) || has_loaded(c, *two))
        return true;
    if (!is_fine(c, known_of(block->line_write[line], &block->write[first + in])))
        return false;
    const uint64_t reads[2] = {known_of(*one, &block->read[0][first + in]), known_of(*two, &block->read[1][first + in])};
    if ((reads[0] | reads[1]) & WL_RACE_ATOMIC)
        return false;
    if (is_fine(c, reads[0]))
        record_cell(one, &block->read[0][first], in, record);
    else if (is_fine(c, reads[1]))
        record_cell(two, &block->read[1][first], in, record);
    return true; /* two readers are enough */
}

static bool store_cell(const struct check *c, struct wl_race_block *block, uint32_t line, unsigned in, uint64_t record) {
    const uint32_t first = line * WL_RACE_LINE_CELLS;
    const uint64_t write = known_of(block->line_write[line], &block->write[first + in]);
    if (!is_fine(c, write) || write & WL_RACE_ATOMIC || !is_fine(c, known_of(block->line_read[0][line], &block->read[0][first + in])) ||
        !is_fine(c, known_of(block->line_read[1][line], &block->read[1][first + in])) ||
        (block->partial[line] >> in & 1 && !is_fine(c, block->read[2][first + in])))
        return false;
    if (!is_old(c, write) && is_own(c, write)) {
        const bool same = wl_race_site_number(write) == wl_race_site_number(record), moved = wl_race_lane(write) != wl_race_lane(record);
        if (same ? c->is_strip && moved : !c->lds && c->access->site->bytes == 4) /* another value, as likely as not */
            return false;
    }
    record_cell(&block->line_write[line], &block->write[first], in, record);
    return true;
}

/* How loads of single cells of a line are checked: each by itself; not at all; by the first reads alone, if these are no atomics and came before. */
enum way { EACH, NONE, FIRST };
static enum way way_to_load(const struct check *c, const struct wl_race_block *block, uint32_t line) {
    const uint64_t write = block->line_write[line], one = block->line_read[0][line], two = block->line_read[1][line];
    if (has_loaded(c, one) || has_loaded(c, two))
        return NONE;
    return one == WL_RACE_CELLS && two != WL_RACE_CELLS && !(two & WL_RACE_ATOMIC) && write != WL_RACE_CELLS && is_fine(c, write) ? FIRST
                                                                                                                                  : EACH;
}

/* A lane's load by one of these ways. */
static inline bool load_lane(const struct check *c, struct wl_race_block *block, uint32_t in, uint64_t record, enum way way) {
    uint64_t *first = &block->read[0][in / 4];
    bool good = true;
    if (way == FIRST && c->access->site->bytes == 4 && !(*first & WL_RACE_ATOMIC) && is_fine(c, *first)) {
        __atomic_store_n(first, record, __ATOMIC_RELAXED);
        return true;
    }
    for (uint32_t i = 0; way != NONE && good && i < c->access->site->bytes / 4; i++)
        good = load_cell(c, block, in / WL_RACE_LINE_BYTES, in / 4 % WL_RACE_LINE_CELLS + i, record);
    return good;
}

static inline bool store_lane(const struct check *c, struct wl_race_block *block, uint32_t in, uint64_t record) {
    bool good = true;
    for (uint32_t i = 0; good && i < c->access->site->bytes / 4; i++)
        good = store_cell(c, block, in / WL_RACE_LINE_BYTES, in / 4 % WL_RACE_LINE_CELLS + i, record);
    return good;
}

uint64_t wl_race_lanes_quickly(const struct check *c, uint64_t lanes, bool stores) {
    const struct wl_san_access *a = c->access;
    const uint32_t bytes = a->site->bytes;
    struct wl_race_block *block = NULL;
    uint64_t left = 0, piece = UINT64_MAX, last = UINT64_MAX, same = UINT64_MAX;
    enum way way = EACH;
    if (bytes % 4)
        return lanes;
    for (; lanes; lanes &= lanes - 1) {
        const unsigned bit = (unsigned)__builtin_ctzll(lanes);
        const uint64_t address = a->address[bit], record = record_at(c, a->first_lane + bit, 15);
        if (!stores && address == same)
            continue; /* as the lane before, which needed no closer look */
        bool good = !(address & 3) && address % WL_RACE_LINE_BYTES + bytes <= WL_RACE_LINE_BYTES;
        if (good && address >> WL_RACE_PIECE_SHIFT != piece) {
            if (block)
                wl_race_give_cells(c, piece << WL_RACE_PIECE_SHIFT);
            piece = address >> WL_RACE_PIECE_SHIFT;
            uint64_t size = bytes;
            uint32_t in;
            block = take_block(c, address, &size, &in);
        }
        good = good && block;
        if (good && !stores && address / WL_RACE_LINE_BYTES != last) {
            last = address / WL_RACE_LINE_BYTES;
            way = way_to_load(c, block, (uint32_t)address % (1u << WL_RACE_BLOCK_SHIFT) / WL_RACE_LINE_BYTES);
        }
        const uint32_t in = (uint32_t)address % (1u << WL_RACE_BLOCK_SHIFT);
        good = good && (stores ? store_lane(c, block, in, record) : load_lane(c, block, in, record, way));
        same = good ? address : UINT64_MAX;
        left |= (uint64_t)!good << bit;
    }
    if (block)
        wl_race_give_cells(c, piece << WL_RACE_PIECE_SHIFT);
    return left;
}

void wl_race_prefetch(const uint64_t *address, uint64_t lanes, bool stores) {
    enum { NEAR = 32 }; /* bytes whose cells are one line of the host's cache */
    const struct wl_race_block *blocks[64];
    uint32_t places[64];
    unsigned count = 0;
    uint64_t last = UINT64_MAX;
    for (uint64_t rest = lanes; rest; rest &= rest - 1) {
        const uint64_t at = address[(unsigned)__builtin_ctzll(rest)];
        const struct wl_race_block *block = at / NEAR != last ? wl_race_block(at) : NULL;
        const uint32_t in = at % (1u << WL_RACE_BLOCK_SHIFT), line = in / WL_RACE_LINE_BYTES;
        last = at / NEAR;
        if (!block)
            continue;
        blocks[count] = block;
        places[count++] = in;
        __builtin_prefetch(&block->line_write[line]);
        __builtin_prefetch(&block->line_read[0][line]);
        if (stores) {
            __builtin_prefetch(&block->line_read[1][line]);
            __builtin_prefetch((const void *)(uintptr_t)at, 1);
        } else {
            __builtin_prefetch((const void *)(uintptr_t)at);
        }
    }
    for (unsigned i = 0; i < count; i++) {
        const struct wl_race_block *block = blocks[i];
        const uint32_t in = places[i], line = in / WL_RACE_LINE_BYTES;
        if (stores || block->line_write[line] == WL_RACE_CELLS)
            __builtin_prefetch(&block->write[in / 4]);
        for (unsigned r = 0; r < 2; r++)
            if (block->line_read[r][line] == WL_RACE_CELLS)
                __builtin_prefetch(&block->read[r][in / 4]);
    }
}
