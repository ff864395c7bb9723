/* Memory. Device memory is a file mapped twice: where the device has it nobody may touch it, where the fake has it it can be used. */
#include "fake_cuda.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define ARENA ((size_t)4 << 30)

struct range {
    struct range *next;
    uint64_t address;
    size_t size;
    enum fake_kind kind;
    bool registered; /* of the program */
    int device;      /* FAKE_DEVICE: whose memory it is */
};

static struct {
    pthread_mutex_t lock;
    pthread_once_t once;
    char *device, *contents;
    size_t top; /* bytes of the arena ever used */
    struct range *ranges, *spare;
    long used;
} memory = {.lock = PTHREAD_MUTEX_INITIALIZER, .once = PTHREAD_ONCE_INIT};

static void make_arena(void) {
    int file = memfd_create("fake-gpu", MFD_CLOEXEC);
    if (file < 0 || ftruncate(file, (off_t)ARENA) != 0)
        abort();
    char *around = mmap(NULL, ARENA + ((size_t)2 << 20), PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    memory.device = (char *)(((uintptr_t)around + ((size_t)2 << 20) - 1) & ~(((uintptr_t)2 << 20) - 1));
    memory.contents = mmap(NULL, ARENA, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, file, 0);
    if (getenv("FAKE_CUDA_OPEN")) /* for tests that touch device memory from the host */
        memory.device = mmap(memory.device, ARENA, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE | MAP_FIXED, file, 0);
    if (around == MAP_FAILED || memory.contents == MAP_FAILED)
        abort();
}

static bool in_arena(uint64_t address) { return memory.device && address - (uint64_t)(uintptr_t)memory.device < ARENA; }

void *fake_at(uint64_t address) {
    return in_arena(address) ? memory.contents + (address - (uint64_t)(uintptr_t)memory.device) : (void *)(uintptr_t)address;
}

static struct range **range_at(uint64_t address) {
    struct range **link = &memory.ranges;
    while (*link && address - (*link)->address >= (*link)->size)
        link = &(*link)->next;
    return link;
}

bool fake_find(uint64_t address, size_t size, enum fake_kind *kind) {
    pthread_mutex_lock(&memory.lock);
    const struct range *range = *range_at(address);
    bool found = !range && !in_arena(address);
    *kind = range ? range->kind : FAKE_UNKNOWN;
    while (range && !found) { /* mappings may follow each other */
        uint64_t rest = range->size - (address - range->address);
        found = size <= rest;
        address += rest;
        size -= found ? 0 : rest;
        range = found ? NULL : *range_at(address);
    }
    pthread_mutex_unlock(&memory.lock);
    return found;
}

int fake_owner(uint64_t address) {
    pthread_mutex_lock(&memory.lock);
    const struct range *range = *range_at(address);
    int owner = range && range->kind == FAKE_DEVICE ? range->device : -1;
    pthread_mutex_unlock(&memory.lock);
    return owner;
}

long fake_memory_used(void) {
    pthread_mutex_lock(&memory.lock);
    long used = memory.used;
    pthread_mutex_unlock(&memory.lock);
    return used;
}

static void add(uint64_t address, size_t size, enum fake_kind kind, bool registered) {
    struct range *range = malloc(sizeof *range);
    pthread_mutex_lock(&memory.lock);
    *range = (struct range){memory.ranges, address, size, kind, registered, -1};
    memory.ranges = range;
    pthread_mutex_unlock(&memory.lock);
}

/* Takes out the range that begins at an address. */
static bool take(uint64_t address, enum fake_kind kind, bool registered, struct range *taken) {
    pthread_mutex_lock(&memory.lock);
    struct range **link = range_at(address), *range = *link;
    bool found = range && range->address == address && range->kind == kind && range->registered == registered;
    if (found) {
        *taken = *range;
        *link = range->next;
        if (kind == FAKE_DEVICE) { /* its place is used again for the same size */
            range->next = memory.spare;
            memory.spare = range;
            memory.used -= (long)range->size;
        } else {
            free(range);
        }
    }
    pthread_mutex_unlock(&memory.lock);
    return found;
}

/* ---- device memory ------------------------------------------------------------------------------------ */

CUresult cuMemAlloc_v2(CUdeviceptr *result, size_t size) {
    FAKE_ENTER();
    FAKE_REQUIRE(size, CUDA_ERROR_INVALID_VALUE);
    pthread_once(&memory.once, make_arena);
    size_t step = size >= (size_t)2 << 20 ? (size_t)2 << 20 : 512, capacity = (size + step - 1) / step * step;
    struct range *range = NULL;
    pthread_mutex_lock(&memory.lock);
    for (struct range **link = &memory.spare; *link && !range; link = &(*link)->next)
        if ((*link)->size == size) {
            range = *link;
            *link = range->next;
            break;
        }
    size_t begin = (memory.top + step - 1) / step * step;
    if (!range && begin + capacity <= ARENA && (range = malloc(sizeof *range))) {
        *range = (struct range){.address = (uint64_t)(uintptr_t)memory.device + begin, .size = size, .kind = FAKE_DEVICE};
        memory.top = begin + capacity;
    }
    if (range) {
        range->device = fake_device();
        memset(fake_at(range->address), 0xdb, size < 65536 ? size : 65536);
        range->next = memory.ranges;
        memory.ranges = range;
        memory.used += (long)size;
        *result = range->address;
    }
    pthread_mutex_unlock(&memory.lock);
    return range ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}

/* ---- for virtual.c ---------------------------------------------------------------------------------------------- */

uint64_t fake_addresses(size_t size) {
    const size_t step = (size_t)2 << 20;
    pthread_once(&memory.once, make_arena);
    pthread_mutex_lock(&memory.lock);
    size_t begin = (memory.top + step - 1) / step * step;
    bool fits = size <= ARENA && begin <= ARENA - size;
    if (fits)
        memory.top = begin + size;
    pthread_mutex_unlock(&memory.lock);
    return fits ? (uint64_t)(uintptr_t)memory.device + begin : 0;
}

bool fake_back(uint64_t address, size_t size, int file) {
    const int flags = MAP_FIXED | (file < 0 ? MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE : MAP_SHARED);
    bool done = mmap(fake_at(address), size, file < 0 ? PROT_NONE : PROT_READ | PROT_WRITE, flags, file, 0) != MAP_FAILED;
    if (getenv("FAKE_CUDA_OPEN"))
        done &= mmap((void *)(uintptr_t)address, size, file < 0 ? PROT_NONE : PROT_READ | PROT_WRITE, flags, file, 0) != MAP_FAILED;
    return done;
}

void fake_allow(uint64_t address, size_t size, bool allowed) {
    pthread_mutex_lock(&memory.lock);
    struct range **link = range_at(address), *range = *link;
    if (range && range->address == address && !allowed) {
        *link = range->next;
        free(range);
    }
    pthread_mutex_unlock(&memory.lock);
    if (!range && allowed)
        add(address, size, FAKE_DEVICE, false);
}

static CUresult unmap_managed(CUdeviceptr address) {
    struct range range;
    FAKE_REQUIRE(take(address, FAKE_MANAGED, false, &range), CUDA_ERROR_INVALID_VALUE);
    munmap((void *)(uintptr_t)address, range.size);
    return CUDA_SUCCESS;
}

CUresult cuMemFree_v2(CUdeviceptr address) {
    FAKE_ENTER();
    struct range range;
    fake_wait(NULL);
    return take(address, FAKE_DEVICE, false, &range) ? CUDA_SUCCESS : unmap_managed(address);
}

CUresult cuMemGetInfo_v2(size_t *free, size_t *total) {
    FAKE_ENTER();
    *total = ARENA;
    *free = ARENA - (size_t)memory.used;
    return CUDA_SUCCESS;
}

/* ---- host memory ------------------------------------------------------------------------------------------ */

static void *pages(size_t size) {
    void *made = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (made == MAP_FAILED)
        return NULL;
    memset(made, 0x5c, size); /* the driver promises no contents */
    return made;
}

CUresult cuMemAllocManaged(CUdeviceptr *result, size_t size, unsigned flags) {
    FAKE_ENTER();
    FAKE_REQUIRE(flags == CU_MEM_ATTACH_GLOBAL, CUDA_ERROR_INVALID_VALUE);
    void *made = pages(size);
    FAKE_REQUIRE(made, CUDA_ERROR_OUT_OF_MEMORY);
    add(*result = (CUdeviceptr)(uintptr_t)made, size, FAKE_MANAGED, false);
    return CUDA_SUCCESS;
}

CUresult cuMemHostAlloc(void **result, size_t size, unsigned flags) {
    FAKE_ENTER();
    FAKE_REQUIRE(flags & CU_MEMHOSTALLOC_PORTABLE, CUDA_ERROR_INVALID_VALUE);
    *result = pages(size);
    FAKE_REQUIRE(*result, CUDA_ERROR_OUT_OF_MEMORY);
    add((uint64_t)(uintptr_t)*result, size, FAKE_PINNED, false);
    return CUDA_SUCCESS;
}

CUresult cuMemFreeHost(void *address) {
    FAKE_ENTER();
    struct range range;
    FAKE_REQUIRE(take((uint64_t)(uintptr_t)address, FAKE_PINNED, false, &range), CUDA_ERROR_INVALID_VALUE);
    munmap(address, range.size);
    return CUDA_SUCCESS;
}

CUresult cuMemHostRegister_v2(void *address, size_t size, unsigned flags) {
    FAKE_ENTER();
    enum fake_kind kind;
    FAKE_REQUIRE(!(flags & ~15u) && !(flags & CU_MEMHOSTREGISTER_IOMEMORY), CUDA_ERROR_INVALID_VALUE); /* there is none */
    (void)fake_find((uint64_t)(uintptr_t)address, size, &kind);
    FAKE_REQUIRE(kind == FAKE_UNKNOWN, CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED);
    add((uint64_t)(uintptr_t)address, size, FAKE_PINNED, true);
    return CUDA_SUCCESS;
}

CUresult cuMemHostUnregister(void *address) {
    FAKE_ENTER();
    struct range range;
    return take((uint64_t)(uintptr_t)address, FAKE_PINNED, true, &range) ? CUDA_SUCCESS : CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED;
}

CUresult cuMemHostGetDevicePointer_v2(CUdeviceptr *device, void *address, unsigned flags) {
    FAKE_ENTER();
    (void)flags;
    *device = (CUdeviceptr)(uintptr_t)address;
    return CUDA_SUCCESS;
}

CUresult cuMemAdvise(CUdeviceptr address, size_t size, CUmem_advise advice, CUdevice device) {
    FAKE_ENTER();
    (void)advice, (void)device;
    enum fake_kind kind;
    return fake_find(address, size, &kind) && kind == FAKE_MANAGED ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuMemGetAddressRange_v2(CUdeviceptr *base, size_t *size, CUdeviceptr address) {
    FAKE_ENTER();
    pthread_mutex_lock(&memory.lock);
    const struct range *range = *range_at(address);
    *base = range ? range->address : 0;
    *size = range ? range->size : 0;
    pthread_mutex_unlock(&memory.lock);
    return range ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

/* ---- between processes: handles are good in the same one only, which is enough to see them passed on ---------- */

static atomic_bool elsewhere;

void fake_elsewhere(bool on) { elsewhere = on; }

CUresult cuIpcGetMemHandle(CUipcMemHandle *handle, CUdeviceptr address) {
    FAKE_ENTER();
    memset(handle, 0, sizeof *handle);
    memcpy(handle->reserved, &address, sizeof address);
    return CUDA_SUCCESS;
}

CUresult cuIpcOpenMemHandle_v2(CUdeviceptr *address, CUipcMemHandle handle, unsigned flags) {
    FAKE_ENTER();
    (void)flags;
    memcpy(address, handle.reserved, sizeof *address);
    if (elsewhere) {
        const size_t step = (size_t)2 << 20, size = (*range_at(*address))->size;
        *address = fake_addresses((size + step - 1) / step * step);
        fake_allow(*address, size, true);
    }
    return CUDA_SUCCESS;
}

CUresult cuIpcCloseMemHandle(CUdeviceptr address) {
    FAKE_ENTER();
    (void)address;
    return CUDA_SUCCESS;
}
