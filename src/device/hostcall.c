#include "device/hostcall.h"
#include "base/array.h"
#include "base/assert.h"
#include "base/options.h"
#include "base/table.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LANES 64

/* ---- what device code sees ------------------------------------------------------------------ */

struct packet_header {
    uint64_t next; /* tag and index of the packet below in its stack; 0: none */
    uint64_t active_mask;
    uint32_t service;
    _Atomic uint32_t control; /* bit 0: the packet waits for the host */
};

struct packet_payload {
    uint64_t lanes[LANES][8];
};

struct signal_block { /* amd_signal_t */
    int64_t kind, value;
    uint64_t event_mailbox;
    uint32_t event_id, reserved1;
    uint64_t start, end, queue;
    uint32_t reserved2[2];
};

struct packet_buffer {
    struct packet_header *headers;
    struct packet_payload *payloads;
    uint64_t doorbell;
    _Atomic uint64_t free_stack, ready_stack;
    uint64_t index_mask;
};

enum service { SERVICE_FUNCTION = 1, SERVICE_PRINTF = 2, SERVICE_MEMORY = 3 };

/* The first word of a printf packet: flags, how many words follow, which message they belong to. */
enum { PRINTF_BEGIN = 1, PRINTF_END = 2, PRINTF_LENGTH_SHIFT = 5, PRINTF_LENGTH_MASK = 7, PRINTF_ID_SHIFT = 8 };

/* ---- ours ----------------------------------------------------------------------------------- */

struct message {
    uint64_t *words;
    size_t count, capacity;
    bool used;
};

struct block {
    void *address;
    size_t size;
};

/* What device code and host both touch. */
struct shared {
    struct packet_buffer buffer;
    _Alignas(64) struct signal_block doorbell;
    uint64_t mailbox;
};

struct wl_hostcall {
    struct shared *shared;
    struct packet_header *headers;
    struct packet_payload *payloads;
    uint32_t packets;
    struct wl_hostcall_memory memory, block_memory;
    _Atomic uint64_t seen; /* the top of the ready stack when it was last served; written under the lock */
    pthread_mutex_t lock;  /* over all below */
    struct message *messages;
    size_t message_count, message_capacity;
    struct wl_table blocks; /* by address */
    bool printed;
};

/* ---- creation ------------------------------------------------------------------------------- */

static void init_shared(struct wl_hostcall *h, bool rings) {
    struct shared *shared = h->shared;
    struct packet_buffer *b = &shared->buffer;
    uint64_t above = 0;
    b->headers = h->headers;
    b->payloads = h->payloads;
    b->index_mask = h->packets - 1;
    for (uint64_t i = 0; i < h->packets; i++) {
        h->headers[i].next = above;
        above = h->packets | i; /* tag 1: a packet's name is never 0 */
    }
    atomic_store(&b->free_stack, above);
    /* A mailbox makes device code ring: it stores the event and sends a message. */
    shared->doorbell.kind = 1;
    shared->doorbell.event_mailbox = rings ? (uint64_t)(uintptr_t)&shared->mailbox : 0;
    shared->doorbell.event_id = 1;
    b->doorbell = (uint64_t)(uintptr_t)&shared->doorbell;
}

static void *take(const struct wl_hostcall_memory *memory, size_t size, size_t alignment) {
    return memory->allocate(memory->owner, size, alignment);
}

static void give_back(const struct wl_hostcall_memory *memory, void *block, size_t size) {
    if (block)
        memory->release(memory->owner, block, size);
}

struct wl_hostcall *wl_hostcall_create(uint32_t packets, bool rings, const struct wl_hostcall_memory *shared,
                                       const struct wl_hostcall_memory *blocks) {
    struct wl_hostcall *h = calloc(1, sizeof *h);
    if (!h)
        return NULL;
    pthread_mutex_init(&h->lock, NULL);
    h->packets = packets;
    h->memory = *shared;
    h->block_memory = *blocks;
    h->shared = take(shared, sizeof *h->shared, 64);
    h->headers = take(shared, packets * sizeof *h->headers, 64);
    h->payloads = take(shared, packets * sizeof *h->payloads, 4096);
    if (!h->shared || !h->headers || !h->payloads) {
        wl_hostcall_destroy(h);
        return NULL;
    }
    init_shared(h, rings);
    return h;
}

const void *wl_hostcall_buffer(const struct wl_hostcall *h) { return &h->shared->buffer; }

void wl_hostcall_destroy(struct wl_hostcall *h) {
    if (!h)
        return;
    for (size_t i = 0; i < h->message_count; i++)
        free(h->messages[i].words);
    size_t at = 0;
    for (struct block *block; (block = wl_table_each(&h->blocks, &at)); free(block))
        give_back(&h->block_memory, block->address, block->size);
    wl_table_free(&h->blocks);
    pthread_mutex_destroy(&h->lock);
    free(h->messages);
    give_back(&h->memory, h->shared, sizeof *h->shared);
    give_back(&h->memory, h->headers, h->packets * sizeof *h->headers);
    give_back(&h->memory, h->payloads, h->packets * sizeof *h->payloads);
    free(h);
}

/* ---- printf --------------------------------------------------------------------------------- */

/* A free message's number; the table's size if there is no memory. */
static size_t new_message(struct wl_hostcall *h) {
    for (size_t i = 0; i < h->message_count; i++)
        if (!h->messages[i].used) {
            h->messages[i].used = true;
            h->messages[i].count = 0;
            return i;
        }
    if (!WL_ARRAY_RESERVE(h->messages, h->message_count, h->message_capacity, 64))
        return h->message_count;
    h->messages[h->message_count] = (struct message){.used = true};
    return h->message_count++;
}

static bool append_words(struct message *m, const uint64_t *words, size_t count) {
    if (!WL_ARRAY_RESERVE_MORE(m->words, m->count, count, m->capacity, 16))
        return false;
    memcpy(m->words + m->count, words, count * sizeof *words);
    m->count += count;
    return true;
}

/* The first word of a message says where it goes: bit 0 set: stderr. */
static long print_message(struct wl_hostcall *h, const struct message *m, _Atomic bool *asserted) {
    char *text;
    if (m->count < 2)
        return -1;
    long length = wl_printf_format(m->words + 1, m->count - 1, &text);
    if (length < 0)
        return -1;
    bool error = m->words[0] & 1;
    if (error)
        fflush(stdout);
    if (fwrite(text, 1, (size_t)length, error ? stderr : stdout) != (size_t)length)
        length = -1;
    if (error && strstr(text, "ssertion"))
        atomic_store(asserted, true);
    h->printed |= !error;
    free(text);
    return length;
}

static void serve_printf(struct wl_hostcall *h, uint64_t words[8], _Atomic bool *asserted) {
    uint64_t control = words[0];
    size_t id = control & PRINTF_BEGIN ? new_message(h) : (size_t)(control >> PRINTF_ID_SHIFT);
    if (id >= h->message_count || !h->messages[id].used) {
        words[0] = (uint64_t)-1;
        return;
    }
    struct message *m = &h->messages[id];
    bool kept = append_words(m, words + 1, control >> PRINTF_LENGTH_SHIFT & PRINTF_LENGTH_MASK);
    if (!(control & PRINTF_END)) {
        words[0] = (uint64_t)id << PRINTF_ID_SHIFT;
        return;
    }
    words[0] = (uint64_t)(kept ? print_message(h, m, asserted) : -1);
    m->used = false;
}

/* ---- memory --------------------------------------------------------------------------------- */

/* Slabs of the device library's allocator are 2 MiB and must be aligned to that; large blocks to pages. */
static uint64_t allocate_block(struct wl_hostcall *h, uint64_t size) {
    wl_assert_held(&h->lock);
    struct block *block = malloc(sizeof *block);
    if (!block)
        return 0;
    block->size = size;
    block->address = take(&h->block_memory, size, size >= (2u << 20) ? 2u << 20 : 4096);
    const uint64_t address = (uint64_t)(uintptr_t)block->address;
    if (address && wl_table_add(&h->blocks, address, block))
        return address;
    give_back(&h->block_memory, block->address, block->size);
    free(block);
    return 0;
}

static void free_block(struct wl_hostcall *h, uint64_t address) {
    wl_assert_held(&h->lock);
    struct block *block = wl_table_find(&h->blocks, address);
    if (block) {
        (void)wl_table_remove(&h->blocks, address, block);
        give_back(&h->block_memory, block->address, block->size);
        free(block);
        return;
    }
    wl_log(1, "device code freed 0x%llx, which it had not allocated", (unsigned long long)address);
}

static void serve_memory(struct wl_hostcall *h, uint64_t words[8]) {
    if (words[0]) {
        free_block(h, words[0]);
        words[0] = 0;
    } else {
        words[0] = words[1] ? allocate_block(h, words[1]) : 0;
    }
}

/* ---- functions ------------------------------------------------------------------------------ */

/* The lock is dropped: the function may launch kernels that ask for services. */
static void serve_function(struct wl_hostcall *h, uint64_t words[8]) {
    void (*function)(uint64_t *output, const uint64_t *input) = (void (*)(uint64_t *, const uint64_t *))(uintptr_t)words[0];
    uint64_t input[7], output[2] = {0, 0};
    memcpy(input, words + 1, sizeof input);
    pthread_mutex_unlock(&h->lock);
    function(output, input);
    pthread_mutex_lock(&h->lock);
    memcpy(words, output, sizeof output);
}

/* ---- packets -------------------------------------------------------------------------------- */

static void serve_packet(struct wl_hostcall *h, uint64_t index, _Atomic bool *asserted) {
    struct packet_header *header = &h->headers[index];
    struct packet_payload *payload = &h->payloads[index];
    for (uint64_t mask = header->active_mask; mask; mask &= mask - 1) {
        uint64_t *words = payload->lanes[__builtin_ctzll(mask)];
        switch (header->service) {
        case SERVICE_FUNCTION:
            serve_function(h, words);
            break;
        case SERVICE_PRINTF:
            serve_printf(h, words, asserted);
            break;
        case SERVICE_MEMORY:
            serve_memory(h, words);
            break;
        default:
            wl_log(1, "device code asked for the unknown service %u", header->service);
            words[0] = words[1] = 0;
            break;
        }
    }
    /* Nobody else writes it until it is seen. */
    atomic_store_explicit(&header->control, atomic_load_explicit(&header->control, memory_order_relaxed) & ~1u, memory_order_release);
}

bool wl_hostcall_pending(const struct wl_hostcall *h) {
    return atomic_load_explicit(&h->shared->buffer.ready_stack, memory_order_relaxed) !=
           atomic_load_explicit(&h->seen, memory_order_relaxed);
}

/* The packets between the stack's top and the one that was on top before wait for us, so that their links are as they were put.
 * Returns how many they are, and their numbers, the latest first. */
static size_t list_new(const struct wl_hostcall *h, uint64_t top, uint64_t last, uint64_t *order, size_t capacity) {
    uint64_t mask = h->packets - 1;
    size_t count = 0;
    for (uint64_t name = top; name && name != last && count < h->packets;
         name = __atomic_load_n(&h->headers[name & mask].next, __ATOMIC_RELAXED)) {
        if (count < capacity)
            order[count] = name & mask;
        count++;
    }
    return count;
}

void wl_hostcall_serve(struct wl_hostcall *h, _Atomic bool *asserted) {
    uint64_t few[64], *order = few;
    pthread_mutex_lock(&h->lock);
    uint64_t top = atomic_load_explicit(&h->shared->buffer.ready_stack, memory_order_acquire);
    uint64_t last = atomic_load_explicit(&h->seen, memory_order_relaxed);
    size_t count = list_new(h, top, last, few, sizeof few / sizeof *few);
    if (count > sizeof few / sizeof *few && (order = malloc(count * sizeof *order)))
        count = list_new(h, top, last, order, count);
    if (order) /* without memory they are served another time */
        atomic_store_explicit(&h->seen, top, memory_order_relaxed);
    while (order && count > 0) /* the stack's lowest packet came first */
        serve_packet(h, order[--count], asserted);
    pthread_mutex_unlock(&h->lock);
    if (order != few)
        free(order);
}

void wl_hostcall_flush(struct wl_hostcall *h) {
    pthread_mutex_lock(&h->lock);
    if (h->printed)
        fflush(stdout);
    h->printed = false;
    pthread_mutex_unlock(&h->lock);
}
