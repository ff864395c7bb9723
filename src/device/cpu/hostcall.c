#include "device/cpu/hostcall.h"
#include "base/options.h"
#include "device/cpu/memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PACKETS    1024 /* more than waves can hold at once: a wave has one only between two of its exits */
#define LANES      64
#define HEAP_BYTES ((size_t)256 * 1024) /* the device library's allocator keeps its own state here; zeros are its start */
#define BUCKETS    1024

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
    size_t count, room;
    bool used;
};

struct block {
    struct block *next;
    void *address;
    size_t size;
};

struct wl_hostcall {
    struct packet_buffer buffer;
    struct signal_block doorbell;
    uint64_t mailbox;
    size_t payload_bytes;
    pthread_mutex_t lock; /* over all below */
    struct message *messages;
    size_t message_count;
    struct block *blocks[BUCKETS];
    bool printed;
};

/* ---- creation ------------------------------------------------------------------------------- */

static void init_buffer(struct wl_hostcall *h) {
    struct packet_buffer *b = &h->buffer;
    uint64_t above = 0;
    b->index_mask = PACKETS - 1;
    for (uint64_t i = 0; i < PACKETS; i++) {
        b->headers[i].next = above;
        above = PACKETS | i; /* tag 1: a packet's name is never 0 */
    }
    atomic_store(&b->free_stack, above);
    /* A mailbox makes device code ring: it stores the event and sends a message. */
    h->doorbell.kind = 1;
    h->doorbell.event_mailbox = (uint64_t)(uintptr_t)&h->mailbox;
    h->doorbell.event_id = 1;
    b->doorbell = (uint64_t)(uintptr_t)&h->doorbell;
}

static struct wl_hostcall *create(void) {
    struct wl_hostcall *h = aligned_alloc(64, (sizeof *h + 63) / 64 * 64);
    if (!h)
        return NULL;
    memset(h, 0, sizeof *h);
    h->payload_bytes = PACKETS * sizeof(struct packet_payload);
    h->buffer.headers = calloc(PACKETS, sizeof *h->buffer.headers);
    h->buffer.payloads = wl_pages_allocate(h->payload_bytes, 4096);
    if (!h->buffer.headers || !h->buffer.payloads) {
        free(h->buffer.headers);
        wl_pages_release(h->buffer.payloads, h->payload_bytes);
        free(h);
        return NULL;
    }
    pthread_mutex_init(&h->lock, NULL);
    init_buffer(h);
    return h;
}

enum wl_status wl_hostcall_buffer(struct wl_cpu_device *device, const void **buffer) {
    struct wl_hostcall *h = atomic_load(&device->hostcall);
    if (!h) {
        pthread_mutex_lock(&device->lock);
        h = atomic_load(&device->hostcall);
        if (!h && (h = create()))
            atomic_store(&device->hostcall, h);
        pthread_mutex_unlock(&device->lock);
    }
    *buffer = h ? &h->buffer : NULL;
    return h ? WL_OK : wl_fail(WL_OUT_OF_MEMORY, "no memory for the hostcall buffer");
}

enum wl_status wl_hostcall_heap(struct wl_cpu_device *device, const void **heap) {
    void *memory = atomic_load(&device->heap);
    if (!memory) {
        pthread_mutex_lock(&device->lock);
        memory = atomic_load(&device->heap);
        if (!memory && (memory = wl_pages_allocate(HEAP_BYTES, HEAP_BYTES)))
            atomic_store(&device->heap, memory);
        pthread_mutex_unlock(&device->lock);
    }
    *heap = memory;
    return memory ? WL_OK : wl_fail(WL_OUT_OF_MEMORY, "no memory for the device heap");
}

void wl_hostcall_release(struct wl_cpu_device *device) {
    struct wl_hostcall *h = atomic_load(&device->hostcall);
    wl_pages_release(atomic_load(&device->heap), HEAP_BYTES);
    if (!h)
        return;
    for (size_t i = 0; i < h->message_count; i++)
        free(h->messages[i].words);
    for (size_t i = 0; i < BUCKETS; i++)
        while (h->blocks[i]) {
            struct block *block = h->blocks[i];
            h->blocks[i] = block->next;
            wl_pages_release(block->address, block->size);
            free(block);
        }
    pthread_mutex_destroy(&h->lock);
    free(h->messages);
    free(h->buffer.headers);
    wl_pages_release(h->buffer.payloads, h->payload_bytes);
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
    size_t count = h->message_count ? h->message_count * 2 : 64;
    struct message *more = realloc(h->messages, count * sizeof *more);
    if (!more)
        return h->message_count;
    memset(more + h->message_count, 0, (count - h->message_count) * sizeof *more);
    size_t first = h->message_count;
    h->messages = more;
    h->message_count = count;
    h->messages[first].used = true;
    return first;
}

static bool append_words(struct message *m, const uint64_t *words, size_t count) {
    if (m->count + count > m->room) {
        size_t room = (m->count + count) * 2;
        uint64_t *more = realloc(m->words, room * sizeof *more);
        if (!more)
            return false;
        m->words = more;
        m->room = room;
    }
    memcpy(m->words + m->count, words, count * sizeof *words);
    m->count += count;
    return true;
}

/* The first word of a message says where it goes: bit 0 set: stderr. */
static long print_message(struct wl_hostcall *h, struct wl_job *job, const struct message *m) {
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
        atomic_store(&job->asserted, true);
    h->printed |= !error;
    free(text);
    return length;
}

static void serve_printf(struct wl_hostcall *h, struct wl_job *job, uint64_t words[8]) {
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
    words[0] = (uint64_t)(kept ? print_message(h, job, m) : -1);
    m->used = false;
}

/* ---- memory --------------------------------------------------------------------------------- */

static struct block **bucket(struct wl_hostcall *h, const void *address) {
    return &h->blocks[((uintptr_t)address >> 12) * 0x9e3779b1u % BUCKETS];
}

/* Slabs of the device library's allocator are 2 MiB and must be aligned to that; large blocks to pages. */
static uint64_t allocate_block(struct wl_hostcall *h, uint64_t size) {
    struct block *block = malloc(sizeof *block);
    if (!block)
        return 0;
    block->size = size;
    block->address = wl_pages_allocate(size, size >= (2u << 20) ? 2u << 20 : 4096);
    if (!block->address) {
        free(block);
        return 0;
    }
    struct block **list = bucket(h, block->address);
    block->next = *list;
    *list = block;
    return (uint64_t)(uintptr_t)block->address;
}

static void free_block(struct wl_hostcall *h, uint64_t address) {
    for (struct block **at = bucket(h, (void *)(uintptr_t)address); *at; at = &(*at)->next) {
        struct block *block = *at;
        if ((uint64_t)(uintptr_t)block->address != address)
            continue;
        *at = block->next;
        wl_pages_release(block->address, block->size);
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

static void serve_packet(struct wl_hostcall *h, struct wl_job *job, uint64_t index) {
    struct packet_header *header = &h->buffer.headers[index];
    struct packet_payload *payload = &h->buffer.payloads[index];
    for (uint64_t mask = header->active_mask; mask; mask &= mask - 1) {
        uint64_t *words = payload->lanes[__builtin_ctzll(mask)];
        switch (header->service) {
        case SERVICE_FUNCTION:
            serve_function(h, words);
            break;
        case SERVICE_PRINTF:
            serve_printf(h, job, words);
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
    atomic_fetch_and_explicit(&header->control, ~1u, memory_order_release);
}

bool wl_hostcall_pending(struct wl_cpu_device *device) {
    struct wl_hostcall *h = atomic_load_explicit(&device->hostcall, memory_order_acquire);
    return h && atomic_load_explicit(&h->buffer.ready_stack, memory_order_relaxed) != 0;
}

void wl_hostcall_serve(struct wl_job *job) {
    struct wl_hostcall *h = atomic_load_explicit(&job->device->hostcall, memory_order_acquire);
    if (!h)
        return;
    pthread_mutex_lock(&h->lock);
    uint64_t name = atomic_exchange_explicit(&h->buffer.ready_stack, 0, memory_order_acquire), mask = h->buffer.index_mask;
    uint64_t order[PACKETS];
    size_t count = 0;
    for (; name && count < PACKETS; name = __atomic_load_n(&h->buffer.headers[name & mask].next, __ATOMIC_RELAXED))
        order[count++] = name & mask;
    while (count > 0) /* the stack's lowest packet came first */
        serve_packet(h, job, order[--count]);
    pthread_mutex_unlock(&h->lock);
}

void wl_hostcall_flush(struct wl_cpu_device *device) {
    struct wl_hostcall *h = atomic_load(&device->hostcall);
    if (!h)
        return;
    pthread_mutex_lock(&h->lock);
    if (h->printed)
        fflush(stdout);
    h->printed = false;
    pthread_mutex_unlock(&h->lock);
}
