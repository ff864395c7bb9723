/* racecheck: lanes whose addresses follow each other, and the lines of cells that most of them store to and load from. */
#include "sanitize/race_check.h"

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

static bool load_line(const struct check *c, struct wl_race_block *block, uint32_t line, uint64_t record) {
    const uint32_t cell = line * WL_RACE_LINE_CELLS;
    if (!line_is_fine(c, block->line_write[line], &block->write[cell], 0))
        return false;
    for (unsigned r = 0; r < 2; r++)
        if (line_is_fine(c, block->line_read[r][line], &block->read[r][cell], 0)) {
            __atomic_store_n(&block->line_read[r][line], record, __ATOMIC_RELAXED);
            return true;
        }
    return block->line_read[0][line] != WL_RACE_CELLS && block->line_read[1][line] != WL_RACE_CELLS; /* two readers are enough */
}

static bool store_line(const struct check *c, struct wl_race_block *block, uint32_t line, uint64_t record, uint32_t scale) {
    const uint32_t cell = line * WL_RACE_LINE_CELLS;
    const uint64_t before = block->line_write[line], same = c->same | WL_RACE_SITE_BITS;
    if (!line_is_fine(c, before, &block->write[cell], WL_RACE_ATOMIC))
        return false;
    for (unsigned r = 0; r < 2; r++)
        if (!line_is_fine(c, block->line_read[r][line], &block->read[r][cell], 0))
            return false;
    if (c->is_strip && before == WL_RACE_CELLS && has_other_lane(&block->write[cell], WL_RACE_LINE_CELLS, same, record, scale))
        return false;
    if (c->is_strip && before != WL_RACE_CELLS && ((before ^ record) & same) == 0 && wl_race_lane(before) != wl_race_lane(record))
        return false;
    __atomic_store_n(&block->line_write[line], record, __ATOMIC_RELEASE);
    return true;
}

static uint64_t run_lines(const struct check *c, struct wl_race_block *block, uint32_t line, const struct run *run, uint64_t size,
                          bool stores) {
    uint64_t done = 0;
    for (; done + WL_RACE_LINE_BYTES <= size; done += WL_RACE_LINE_BYTES, line++) {
        const uint64_t record = record_at(c, lane_of(run, done), 15);
        if (!(stores ? store_line(c, block, line, record, run->scale) : load_line(c, block, line, record)))
            break;
    }
    return done;
}

/* ---- cells of one line ------------------------------------------------------------------------ */

enum { FEW = 4 };

/* Whether what these cells remember came before. */
static bool cells_are_fine(const struct check *c, uint64_t line, const uint64_t *cells, unsigned count, uint64_t flags) {
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

static bool load_cells(const struct check *c, struct wl_race_block *block, uint32_t in, unsigned count, const struct run *run) {
    const uint32_t line = in / WL_RACE_LINE_BYTES, cell = in / 4, first = line * WL_RACE_LINE_CELLS;
    const uint64_t record = record_at(c, run->lane, 15);
    if (!cells_are_fine(c, block->line_write[line], &block->write[cell], count, 0))
        return false;
    for (unsigned r = 0; r < 2; r++)
        if (cells_are_fine(c, block->line_read[r][line], &block->read[r][cell], count, 0)) {
            wl_race_expand_line(&block->line_read[r][line], &block->read[r][first]);
            record_cells(&block->read[r][cell], count, record, run->scale);
            return true;
        }
    if (count == 1 || (block->line_read[0][line] != WL_RACE_CELLS && block->line_read[1][line] != WL_RACE_CELLS))
        return true; /* two readers are enough */
    for (unsigned r = 0; r < 2; r++)
        wl_race_expand_line(&block->line_read[r][line], &block->read[r][first]);
    fill_reads(&block->read[0][cell], &block->read[1][cell], count, c->below, c->phase_unit, c->phase_first, c->same, record, run->scale);
    return true;
}

static bool store_cells(const struct check *c, struct wl_race_block *block, uint32_t in, unsigned count, const struct run *run) {
    const uint32_t line = in / WL_RACE_LINE_BYTES, cell = in / 4, first = line * WL_RACE_LINE_CELLS;
    const uint64_t record = record_at(c, run->lane, 15);
    if (!cells_are_fine(c, block->line_write[line], &block->write[cell], count, WL_RACE_ATOMIC) ||
        !cells_are_fine(c, block->line_read[0][line], &block->read[0][cell], count, 0) ||
        !cells_are_fine(c, block->line_read[1][line], &block->read[1][cell], count, 0))
        return false;
    wl_race_expand_line(&block->line_write[line], &block->write[first]);
    if (c->is_strip && has_other_lane(&block->write[cell], count, c->same | WL_RACE_SITE_BITS, record, run->scale))
        return false;
    record_cells(&block->write[cell], count, record, run->scale);
    return true;
}

uint64_t wl_race_run_quickly(const struct check *c, const struct run *run, bool stores) {
    const uint64_t lead = -run->address % WL_RACE_LINE_BYTES;
    const bool exact = run->scale && (4 * UINT32_C(65536)) % run->scale == 0; /* lines begin with a lane */
    uint64_t size = run->size, done = 0;
    uint32_t in;
    if ((run->address | run->size) & 3)
        return 0;
    struct wl_race_block *block = take_block(c, run->address, &size, &in);
    if (!block)
        return 0;
    if (exact && !lead && size >= WL_RACE_LINE_BYTES)
        done = run_lines(c, block, in / WL_RACE_LINE_BYTES, run, size, stores);
    if (!done) {
        const uint64_t left = lead ? lead : WL_RACE_LINE_BYTES;
        size = size < left ? size : left;
        const bool fine = (stores ? store_cells : load_cells)(c, block, in, (unsigned)size / 4, run);
        done = fine ? size : 0;
    }
    wl_race_give_cells(c, run->address);
    return done;
}
