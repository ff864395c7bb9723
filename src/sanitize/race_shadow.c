/* The cells of racecheck's shadow memory. */
#include "sanitize/lazy.h"
#include "sanitize/race_check.h"

#include <sched.h>
#include <stdlib.h>
#include <sys/mman.h>

/* One pointer for each 64 KiB of addresses; it costs memory where blocks are. */
_Atomic(_Atomic(struct wl_race_block *) *) wl_race_blocks;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* over the lists below */
static struct {
    struct wl_race_block **items;
    size_t count, capacity;
    uint64_t *numbers; /* of `blocks` */
} made;

static void start(void) {
    _Atomic(struct wl_race_block *) *blocks = wl_san_map(WL_RACE_BLOCKS * sizeof *blocks);
    atomic_store_explicit(&wl_race_blocks, blocks, memory_order_release);
}

/* NULL: there is no memory. */
static _Atomic(struct wl_race_block *) *all_blocks(void) {
    pthread_once(&once, start);
    return atomic_load_explicit(&wl_race_blocks, memory_order_acquire);
}

/* Remembers a block, so that all can be forgotten. The caller has the lock. */
static bool remember(struct wl_race_block *block, uint64_t number) {
    if (made.count == made.capacity) {
        const size_t capacity = made.capacity ? 2 * made.capacity : 64;
        struct wl_race_block **items = realloc(made.items, capacity * sizeof *items);
        if (items)
            made.items = items;
        uint64_t *numbers = items ? realloc(made.numbers, capacity * sizeof *numbers) : NULL;
        if (!numbers)
            return false;
        made.numbers = numbers;
        made.capacity = capacity;
    }
    made.items[made.count] = block;
    made.numbers[made.count++] = number;
    return true;
}

struct wl_race_block *wl_race_make_block(uint64_t number) {
    _Atomic(struct wl_race_block *) *blocks = all_blocks();
    if (!blocks || number >= WL_RACE_BLOCKS)
        return NULL;
    pthread_mutex_lock(&lock);
    struct wl_race_block *block = atomic_load_explicit(&blocks[number], memory_order_relaxed);
    if (!block && (block = wl_san_map(sizeof *block)) && !remember(block, number)) {
        munmap(block, sizeof *block);
        block = NULL;
    }
    atomic_store_explicit(&blocks[number], block, memory_order_release);
    pthread_mutex_unlock(&lock);
    return block;
}

/* ---- one access at a time ------------------------------------------------------------------------ */

struct wl_race_piece_lock wl_race_locks[WL_RACE_LOCKS];

void wl_race_wait_for(atomic_bool *taken) {
    unsigned tries = 0;
    do
        while (atomic_load_explicit(taken, memory_order_relaxed))
            if (tries++ % 64 == 0)
                sched_yield(); /* whoever has it writes a report, or is not running */
    while (atomic_exchange_explicit(taken, true, memory_order_acquire));
}

/* ---- lines ----------------------------------------------------------------------------------------- */

/* The record of a line's cell. */
static uint64_t cell_of(uint64_t line, unsigned i) {
    const uint32_t scale = line ? atomic_load_explicit(&wl_race_site_of(wl_race_site_number(line))->scale, memory_order_relaxed) : 0;
    return line + ((uint64_t)(i * scale >> 16) << WL_RACE_LANE_SHIFT);
}

/* Writes as few cells as possible: pages of zeros are no memory. */
void wl_race_expand_line(uint64_t *line, uint64_t *cells) {
    const uint64_t all = *line;
    if (all == WL_RACE_CELLS)
        return;
    for (unsigned i = 0; i < WL_RACE_LINE_CELLS; i++) {
        const uint64_t record = cell_of(all, i);
        if (cells[i] != record)
            __atomic_store_n(&cells[i], record, __ATOMIC_RELAXED);
    }
    __atomic_store_n(line, WL_RACE_CELLS, __ATOMIC_RELEASE);
}

static void expand_partial(struct wl_race_block *block, uint32_t line) {
    uint64_t *cells = &block->read[2][(size_t)line * WL_RACE_LINE_CELLS];
    if (block->partial[line] == UINT16_MAX)
        return;
    for (unsigned i = 0; i < WL_RACE_LINE_CELLS; i++)
        if (!(block->partial[line] >> i & 1) && cells[i])
            cells[i] = 0;
    block->partial[line] = UINT16_MAX;
}

static inline void expand_cells(uint64_t *lines, uint64_t *cells, uint32_t line) {
    if (lines[line] != WL_RACE_CELLS)
        wl_race_expand_line(&lines[line], &cells[(size_t)line * WL_RACE_LINE_CELLS]);
}

void wl_race_expand(struct wl_race_block *block, uint32_t in, uint64_t size) {
    for (uint32_t line = in / WL_RACE_LINE_BYTES; size && line <= (in + size - 1) / WL_RACE_LINE_BYTES; line++) {
        expand_cells(block->line_write, block->write, line);
        for (unsigned r = 0; r < 2; r++)
            expand_cells(block->line_read[r], block->read[r], line);
        expand_partial(block, line);
    }
}

uint64_t wl_race_write_at(const struct wl_race_block *block, uint32_t in) {
    const uint64_t line = __atomic_load_n(&block->line_write[in / WL_RACE_LINE_BYTES], __ATOMIC_ACQUIRE);
    return line == WL_RACE_CELLS ? block->write[in / 4] : cell_of(line, in / 4 % WL_RACE_LINE_CELLS);
}

/* ---- forgetting ---------------------------------------------------------------------------------- */

/* Of bytes of one line. */
static void forget_cells(struct wl_race_block *block, uint32_t in, uint32_t size) {
    wl_race_expand(block, in, size);
    for (uint32_t i = in / 4; i < (in + size + 3) / 4; i++)
        block->write[i] = block->read[0][i] = block->read[1][i] = block->read[2][i] = 0;
}

static void forget_in_block(struct wl_race_block *block, uint32_t in, uint32_t size) {
    const uint32_t end = in + size;
    if (size == 1u << WL_RACE_BLOCK_SHIFT && madvise(block, sizeof *block, MADV_DONTNEED) == 0)
        return;
    while (in < end) {
        const uint32_t line = in / WL_RACE_LINE_BYTES, rest = WL_RACE_LINE_BYTES - in % WL_RACE_LINE_BYTES;
        const uint32_t here = end - in < rest ? end - in : rest;
        if (!(block->line_write[line] | block->line_read[0][line] | block->line_read[1][line] | block->partial[line])) {
            in += here; /* nobody was there */
            continue;
        }
        if (here == WL_RACE_LINE_BYTES)
            block->line_write[line] = block->line_read[0][line] = block->line_read[1][line] = block->partial[line] = 0;
        else
            forget_cells(block, in, here);
        in += here;
    }
}

void wl_race_forget(uint64_t address, uint64_t size) {
    _Atomic(struct wl_race_block *) *blocks = all_blocks();
    while (blocks && size) {
        const uint64_t number = address >> WL_RACE_BLOCK_SHIFT, in = address & ((1u << WL_RACE_BLOCK_SHIFT) - 1);
        const uint64_t rest = (1u << WL_RACE_BLOCK_SHIFT) - in, here = size < rest ? size : rest;
        struct wl_race_block *block = number < WL_RACE_BLOCKS ? atomic_load_explicit(&blocks[number], memory_order_acquire) : NULL;
        if (block)
            forget_in_block(block, (uint32_t)in, (uint32_t)here);
        address += here;
        size -= here;
    }
}

void wl_race_forget_all(void) {
    pthread_mutex_lock(&lock);
    for (size_t i = 0; i < made.count; i++)
        madvise(made.items[i], sizeof *made.items[i], MADV_DONTNEED);
    pthread_mutex_unlock(&lock);
}

/* ---- LDS -------------------------------------------------------------------------------------- */

/* LDS has up to 160 KiB: as many blocks side by side. */
enum { LDS_BLOCKS = 3 };

struct wl_race_block *wl_race_lds_make(void) { return wl_san_map(LDS_BLOCKS * sizeof(struct wl_race_block)); }

void wl_race_lds_free(struct wl_race_block *block) {
    if (block)
        munmap(block, LDS_BLOCKS * sizeof *block);
}
