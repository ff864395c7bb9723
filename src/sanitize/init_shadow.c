/* initcheck: the undefined bits of global memory, in blocks of 64 KiB. */
#include "sanitize/hooks.h"
#include "sanitize/init_state.h"
#include "sanitize/lazy.h"

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>

enum { ADDRESS_BITS = 47, ORIGIN_BYTES = 4 };
#define BLOCKS ((size_t)1 << (ADDRESS_BITS - WL_INIT_BLOCK_SHIFT))

struct origins {
    uint64_t origin[WL_INIT_BLOCK / ORIGIN_BYTES];
};

/* Pointers for each 64 KiB of addresses; the tables cost memory where blocks are. `undefined` stands for a block all of whose bits are. */
static _Atomic(uint8_t *) *blocks;
static _Atomic(struct origins *) *origin_blocks;
static uint8_t *undefined;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* while blocks are made */

static void start(void) {
    undefined = wl_san_map(WL_INIT_BLOCK);
    origin_blocks = wl_san_map(BLOCKS * sizeof *origin_blocks);
    if (!undefined || !origin_blocks)
        return;
    memset(undefined, 0xff, WL_INIT_BLOCK);
    (void)mprotect(undefined, WL_INIT_BLOCK, PROT_READ);
    blocks = wl_san_map(BLOCKS * sizeof *blocks);
}

uint8_t *const *wl_san_values(void) {
    pthread_once(&once, start);
    return (uint8_t *const *)blocks;
}

static uint8_t *block_at(uint64_t number) {
    return blocks && number < BLOCKS ? atomic_load_explicit(&blocks[number], memory_order_acquire) : NULL;
}

const uint8_t *wl_init_read(uint64_t address) {
    const uint8_t *block = block_at(address >> WL_INIT_BLOCK_SHIFT);
    return block ? block + (address & (WL_INIT_BLOCK - 1)) : NULL;
}

static uint8_t *make_block(uint64_t number) {
    pthread_mutex_lock(&lock);
    uint8_t *block = atomic_load_explicit(&blocks[number], memory_order_relaxed);
    if (!block || block == undefined) {
        const bool full = block;
        block = wl_san_map(WL_INIT_BLOCK);
        if (block && full)
            memset(block, 0xff, WL_INIT_BLOCK);
        if (block)
            atomic_store_explicit(&blocks[number], block, memory_order_release);
    }
    pthread_mutex_unlock(&lock);
    return block;
}

uint8_t *wl_init_write(uint64_t address) {
    const uint64_t number = address >> WL_INIT_BLOCK_SHIFT;
    pthread_once(&once, start);
    if (!blocks || number >= BLOCKS)
        return NULL;
    uint8_t *block = block_at(number);
    if (!block || block == undefined)
        block = make_block(number);
    return block ? block + (address & (WL_INIT_BLOCK - 1)) : NULL;
}

/* A whole block. */
static void mark_block(uint64_t number, bool is_undefined) {
    pthread_mutex_lock(&lock);
    uint8_t *block = atomic_load_explicit(&blocks[number], memory_order_relaxed);
    if (!block || block == undefined)
        atomic_store_explicit(&blocks[number], is_undefined ? undefined : NULL, memory_order_release);
    else if (is_undefined)
        memset(block, 0xff, WL_INIT_BLOCK);
    else if (madvise(block, WL_INIT_BLOCK, MADV_DONTNEED) != 0)
        memset(block, 0, WL_INIT_BLOCK);
    pthread_mutex_unlock(&lock);
}

static void forget_origins(uint64_t address, uint64_t size) {
    struct origins *o = atomic_load_explicit(&origin_blocks[address >> WL_INIT_BLOCK_SHIFT], memory_order_acquire);
    const uint64_t first = (address & (WL_INIT_BLOCK - 1)) / ORIGIN_BYTES,
                   last = ((address & (WL_INIT_BLOCK - 1)) + size - 1) / ORIGIN_BYTES;
    if (o)
        memset(&o->origin[first], 0, (last - first + 1) * sizeof *o->origin);
}

void wl_init_mark(uint64_t address, uint64_t size, bool is_undefined) {
    pthread_once(&once, start);
    while (blocks && size && address >> ADDRESS_BITS == 0) {
        const uint64_t in = address & (WL_INIT_BLOCK - 1), rest = WL_INIT_BLOCK - in, here = size < rest ? size : rest;
        uint8_t *bits = NULL;
        if (here == WL_INIT_BLOCK)
            mark_block(address >> WL_INIT_BLOCK_SHIFT, is_undefined);
        else if (is_undefined || wl_init_read(address))
            bits = wl_init_write(address);
        if (bits)
            memset(bits, is_undefined ? 0xff : 0, here);
        if (is_undefined)
            forget_origins(address, here);
        address += here;
        size -= here;
    }
}

uint64_t wl_init_origin(uint64_t address) {
    const uint64_t number = address >> WL_INIT_BLOCK_SHIFT;
    const struct origins *o = origin_blocks && number < BLOCKS ? atomic_load_explicit(&origin_blocks[number], memory_order_acquire) : NULL;
    const uint64_t origin = o ? o->origin[(address & (WL_INIT_BLOCK - 1)) / ORIGIN_BYTES] : 0;
    return origin ? origin : wl_origin(WL_ORIGIN_MEMORY, address);
}

void wl_init_set_origin(uint64_t address, uint64_t origin) {
    const uint64_t number = address >> WL_INIT_BLOCK_SHIFT;
    if (!origin_blocks || number >= BLOCKS)
        return;
    struct origins *o = atomic_load_explicit(&origin_blocks[number], memory_order_acquire);
    if (!o) {
        pthread_mutex_lock(&lock);
        o = atomic_load_explicit(&origin_blocks[number], memory_order_relaxed);
        if (!o && (o = wl_san_map(sizeof *o)))
            atomic_store_explicit(&origin_blocks[number], o, memory_order_release);
        pthread_mutex_unlock(&lock);
    }
    if (o)
        o->origin[(address & (WL_INIT_BLOCK - 1)) / ORIGIN_BYTES] = origin;
}
