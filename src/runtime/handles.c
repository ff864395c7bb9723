/* The table of live handles: open addressing over addresses, grown by halves full, tombstones on removal. */
#include "runtime/runtime.h"

#include <stdlib.h>

struct slot {
    const void *handle; /* NULL: free; TOMBSTONE: removed */
    enum wl_handle_kind kind;
};

#define TOMBSTONE ((const void *)(uintptr_t)1)

static struct {
    pthread_rwlock_t lock;
    struct slot *slots;
    size_t room /* a power of two */, used /* tombstones included */, live;
} table = {.lock = PTHREAD_RWLOCK_INITIALIZER};

static size_t hash(const void *handle) { return (size_t)(((uint64_t)(uintptr_t)handle >> 4) * UINT64_C(0x9E3779B97F4A7C15) >> 20); }

static struct slot *find(const void *handle) {
    if (!table.room)
        return NULL;
    for (size_t i = hash(handle);; i++) {
        struct slot *slot = &table.slots[i & (table.room - 1)];
        if (slot->handle == handle || !slot->handle)
            return slot->handle ? slot : NULL;
    }
}

static void insert(struct slot *slots, size_t room, struct slot entry) {
    size_t i = hash(entry.handle) & (room - 1);
    while (slots[i].handle)
        i = (i + 1) & (room - 1);
    slots[i] = entry;
}

static enum wl_status grow(void) {
    size_t room = 64;
    while (room < table.live * 4)
        room *= 2;
    struct slot *slots = calloc(room, sizeof *slots);
    if (!slots)
        return wl_fail(WL_OUT_OF_MEMORY, "out of host memory for %zu handles", room);
    for (size_t i = 0; i < table.room; i++)
        if (table.slots[i].handle && table.slots[i].handle != TOMBSTONE)
            insert(slots, room, table.slots[i]);
    free(table.slots);
    table.slots = slots;
    table.room = room;
    table.used = table.live;
    return WL_OK;
}

enum wl_status wl_handle_add(const void *handle, enum wl_handle_kind kind) {
    pthread_rwlock_wrlock(&table.lock);
    enum wl_status status = (table.used + 1) * 2 > table.room ? grow() : WL_OK;
    if (status == WL_OK) {
        insert(table.slots, table.room, (struct slot){handle, kind});
        table.used++;
        table.live++;
    }
    pthread_rwlock_unlock(&table.lock);
    return status;
}

void wl_handle_remove(const void *handle) {
    pthread_rwlock_wrlock(&table.lock);
    struct slot *slot = find(handle);
    if (slot) {
        slot->handle = TOMBSTONE;
        table.live--;
    }
    pthread_rwlock_unlock(&table.lock);
}

bool wl_handle_is(const void *handle, enum wl_handle_kind kind) {
    if (!handle || handle == TOMBSTONE)
        return false;
    pthread_rwlock_rdlock(&table.lock);
    const struct slot *slot = find(handle);
    bool is = slot && slot->kind == kind;
    pthread_rwlock_unlock(&table.lock);
    return is;
}

void wl_handle_after_fork(void) { pthread_rwlock_init(&table.lock, NULL); }
