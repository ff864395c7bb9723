/* How much device memory is left, where it is the host's: what this process has, what other processes of the user have, and what the
 * machine can still give.
 *
 * Processes count in a file that they all map: each has a slot, on whose byte it holds a lock, so that the kernel forgets a process
 * that ends in whatever way. Counting is one atomic addition; only who asks looks at others' slots and locks. Without the file (no
 * /dev/shm, WAVELIFT_MEMORY=own) a process knows of itself alone. */
#include "runtime/context.h"
#include "runtime/memory.h"

#include "base/options.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define SLOTS 1024

struct slot {
    _Atomic int64_t bytes[WL_MAX_DEVICES]; /* of a device, by its index in the machine */
    _Atomic int64_t host;
};

struct ledger {
    _Atomic uint32_t used; /* slots from this one on were never taken */
    char line[60];
    struct slot slots[SLOTS];
};

static struct {
    pthread_mutex_t lock; /* over opening */
    int file;
    struct ledger *ledger;
    _Atomic(struct slot *) mine; /* NULL: not opened yet; `nobodys`: it cannot be */
    _Atomic int64_t host;        /* this process's */
} usage = {.lock = PTHREAD_MUTEX_INITIALIZER, .file = -1};

static struct slot nobodys;

/* ---- the file ------------------------------------------------------------------------------------ */

static struct flock lock_of(unsigned slot, short type) {
    return (struct flock){.l_type = type, .l_whence = SEEK_SET, .l_start = (off_t)slot, .l_len = 1};
}

/* Nobody else's file, whatever its name; the standard descriptors stay the program's. */
static int open_file(void) {
    char path[64];
    struct stat status;
    snprintf(path, sizeof path, "/dev/shm/wavelift-%u.1", (unsigned)geteuid());
    int opened = open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (opened >= 0 && opened < 3) {
        int moved = fcntl(opened, F_DUPFD_CLOEXEC, 3);
        close(opened);
        opened = moved;
    }
    if (opened < 0)
        return -1;
    bool good = fstat(opened, &status) == 0 && S_ISREG(status.st_mode) && status.st_uid == geteuid();
    if (good && status.st_size < (off_t)sizeof(struct ledger))
        good = ftruncate(opened, (off_t)sizeof(struct ledger)) == 0;
    if (good)
        return opened;
    close(opened);
    return -1;
}

static struct slot *take_slot(void) {
    for (unsigned i = 0; i < SLOTS; i++) {
        struct flock lock = lock_of(i, F_WRLCK);
        if (fcntl(usage.file, F_SETLK, &lock) != 0)
            continue;
        struct slot *slot = &usage.ledger->slots[i];
        for (unsigned row = 0; row < WL_MAX_DEVICES; row++) /* what a process left that ended */
            atomic_store(&slot->bytes[row], 0);
        atomic_store(&slot->host, 0);
        uint32_t used = atomic_load(&usage.ledger->used);
        while (used <= i && !atomic_compare_exchange_weak(&usage.ledger->used, &used, i + 1))
            ;
        return slot;
    }
    return NULL;
}

static struct slot *open_ledger(void) {
    if (wl_options()->own_memory)
        return &nobodys;
    usage.file = open_file();
    void *ledger = usage.file < 0 ? MAP_FAILED : mmap(NULL, sizeof(struct ledger), PROT_READ | PROT_WRITE, MAP_SHARED, usage.file, 0);
    usage.ledger = ledger == MAP_FAILED ? NULL : ledger;
    struct slot *slot = usage.ledger ? take_slot() : NULL;
    if (!slot)
        wl_log(3, "other processes' device memory is not known: no file for it in /dev/shm");
    return slot ? slot : &nobodys;
}

static struct slot *mine(void) {
    struct slot *slot = atomic_load_explicit(&usage.mine, memory_order_acquire);
    if (slot)
        return slot;
    pthread_mutex_lock(&usage.lock);
    slot = atomic_load(&usage.mine);
    if (!slot) {
        slot = open_ledger();
        atomic_store_explicit(&usage.mine, slot, memory_order_release);
    }
    pthread_mutex_unlock(&usage.lock);
    return slot;
}

/* The child has no slot until it allocates: what it has of its parent's pages is its parent's. Locks are not inherited. */
void wl_usage_after_fork(void) {
    pthread_mutex_init(&usage.lock, NULL);
    if (usage.ledger)
        munmap(usage.ledger, sizeof(struct ledger));
    if (usage.file >= 0)
        close(usage.file);
    usage.ledger = NULL;
    usage.file = -1;
    atomic_store(&usage.mine, NULL);
}

/* ---- counting ------------------------------------------------------------------------------------- */

void wl_usage_add(const struct wl_context *context, int64_t bytes) {
    atomic_fetch_add_explicit(&mine()->bytes[context->device->index], bytes, memory_order_relaxed);
}

void wl_usage_add_host(int64_t bytes) {
    atomic_fetch_add_explicit(&usage.host, bytes, memory_order_relaxed);
    atomic_fetch_add_explicit(&mine()->host, bytes, memory_order_relaxed);
}

void wl_usage_add_heap(struct wl_device *device, int64_t bytes) {
    for (unsigned i = 0; wl_runtime_started() && i < wl_context_count(); i++) {
        struct wl_context *context = wl_context_at(i);
        if (context->device != device)
            continue;
        atomic_fetch_add_explicit(&context->heap_used, bytes, memory_order_relaxed);
        wl_usage_add(context, bytes);
    }
}

/* ---- what is left ---------------------------------------------------------------------------------- */

struct sums {
    uint64_t device, host, all; /* of one device; of the host; of all devices and the host */
};

static uint64_t positive(int64_t bytes) { return bytes > 0 ? (uint64_t)bytes : 0; }

static void add_slot(struct sums *sums, struct slot *slot, unsigned device) {
    uint64_t host = positive(atomic_load(&slot->host));
    sums->device += positive(atomic_load(&slot->bytes[device]));
    sums->host += host;
    sums->all += host;
    for (unsigned row = 0; row < WL_MAX_DEVICES; row++)
        sums->all += positive(atomic_load(&slot->bytes[row]));
}

static bool is_taken(unsigned slot) {
    struct flock lock = lock_of(slot, F_WRLCK);
    return fcntl(usage.file, F_GETLK, &lock) == 0 && lock.l_type != F_UNLCK;
}

static void add_others(struct sums *sums, unsigned device) {
    const struct slot *own = mine();
    if (own == &nobodys)
        return;
    uint32_t used = atomic_load(&usage.ledger->used);
    for (unsigned i = 0; i < used && i < SLOTS; i++) {
        struct slot *slot = &usage.ledger->slots[i];
        struct sums its = {0};
        if (slot == own)
            continue;
        add_slot(&its, slot, device);
        if (!its.all || !is_taken(i))
            continue;
        sums->device += its.device;
        sums->host += its.host;
        sums->all += its.all;
    }
}

unsigned wl_usage_processes(struct wl_usage_process *processes, unsigned capacity) {
    const struct slot *own = mine();
    unsigned count = 0;
    if (own == &nobodys)
        return 0;
    const uint32_t used = atomic_load(&usage.ledger->used);
    for (unsigned i = 0; i < used && i < SLOTS; i++) {
        struct slot *slot = &usage.ledger->slots[i];
        struct flock lock = lock_of(i, F_WRLCK);
        struct sums its = {0};
        add_slot(&its, slot, 0);
        if (slot == own || !its.all || fcntl(usage.file, F_GETLK, &lock) != 0 || lock.l_type == F_UNLCK)
            continue;
        if (count < capacity) {
            processes[count].process = (int)lock.l_pid;
            processes[count].host = its.host;
            for (unsigned row = 0; row < WL_MAX_DEVICES; row++)
                processes[count].bytes[row] = positive(atomic_load(&slot->bytes[row]));
        }
        count++;
    }
    return count;
}

uint64_t wl_usage_of_others(const struct wl_context *context) {
    struct sums sums = {0};
    add_others(&sums, context->device->index);
    return sums.device;
}

static void add_own(struct sums *sums, const struct wl_context *context) {
    uint64_t host = positive(atomic_load(&usage.host));
    sums->host += host;
    sums->all += host;
    for (unsigned i = 0; i < wl_context_count(); i++) {
        const struct wl_context *each = wl_context_at(i);
        uint64_t bytes = each->info.host_memory ? atomic_load(&each->memory_used) + positive(atomic_load(&each->heap_used)) : 0;
        sums->all += bytes;
        if (each == context)
            sums->device += bytes;
    }
}

static uint64_t less(uint64_t from, uint64_t bytes) { return from > bytes ? from - bytes : 0; }

static uint64_t least(uint64_t a, uint64_t b) { return a < b ? a : b; }

void wl_memory_info(struct wl_context *context, uint64_t *free, uint64_t *total) {
    const struct wl_device_ops *ops = context->device->ops;
    *total = context->info.memory_size;
    if (!context->info.host_memory && ops->memory_info) {
        ops->memory_info(context->device, free, total);
        *free += wl_memory_cached(context);
        return;
    }
    struct sums sums = {0};
    if (!context->info.host_memory) {
        *free = less(*total, atomic_load(&context->memory_used));
        return;
    }
    add_own(&sums, context);
    add_others(&sums, context->device->index);
    *free = less(*total, sums.device);
    if (!wl_options()->device_memory) /* else the device's memory is its own */
        *free = less(*free, sums.host);
    *free = least(*free, less(context->info.host_memory, sums.all));
    if (ops->memory_info && !wl_options()->own_memory) {
        uint64_t left = 0, machine = 0;
        ops->memory_info(context->device, &left, &machine);
        *free = least(*free, left);
    }
}
