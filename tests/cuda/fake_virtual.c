/* Virtual memory management, and pools. A physical is a file; mapping it puts the file where the contents of the addresses lie. */
#include "fake_cuda.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define GRANULARITY ((size_t)2 << 20)

struct physical {
    int file;
    size_t size;
    bool exportable;
    unsigned references; /* the handle, and mappings */
};

struct mapping {
    struct mapping *next;
    uint64_t address;
    size_t size;
    struct physical *physical; /* NULL: a reservation */
    unsigned allowed;          /* bit n: device n */
};

static struct {
    pthread_mutex_t lock;
    struct mapping *reservations, *mappings;
} space = {.lock = PTHREAD_MUTEX_INITIALIZER};

static struct mapping **find(struct mapping **list, uint64_t address, size_t size) {
    while (*list && ((*list)->address != address || (*list)->size != size))
        list = &(*list)->next;
    return list;
}

static bool within_reservation(uint64_t address, size_t size) {
    for (const struct mapping *r = space.reservations; r; r = r->next)
        if (address >= r->address && address - r->address <= r->size && size <= r->size - (address - r->address))
            return true;
    return false;
}

static bool overlaps(uint64_t address, size_t size) {
    for (const struct mapping *m = space.mappings; m; m = m->next)
        if (address < m->address + m->size && m->address < address + size)
            return true;
    return false;
}

static void drop(struct physical *physical) {
    if (--physical->references)
        return;
    close(physical->file);
    free(physical);
}

static void push(struct mapping **list, struct mapping mapping) {
    struct mapping *made = malloc(sizeof *made);
    mapping.next = *list;
    *made = mapping;
    *list = made;
}

CUresult cuMemGetAllocationGranularity(size_t *granularity, const CUmemAllocationProp *properties,
                                       CUmemAllocationGranularity_flags option) {
    FAKE_ENTER();
    (void)option;
    FAKE_REQUIRE(properties->type == CU_MEM_ALLOCATION_TYPE_PINNED, CUDA_ERROR_INVALID_VALUE);
    *granularity = GRANULARITY;
    return CUDA_SUCCESS;
}

CUresult cuMemCreate(CUmemGenericAllocationHandle *handle, size_t size, const CUmemAllocationProp *properties, unsigned long long flags) {
    FAKE_ENTER();
    FAKE_REQUIRE(size && size % GRANULARITY == 0 && flags == 0 && properties->location.type == CU_MEM_LOCATION_TYPE_DEVICE &&
                     properties->type == CU_MEM_ALLOCATION_TYPE_PINNED,
                 CUDA_ERROR_INVALID_VALUE);
    struct physical *made = malloc(sizeof *made);
    *made = (struct physical){memfd_create("fake-physical", MFD_CLOEXEC), size,
                              properties->requestedHandleTypes == CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 1};
    if (made->file < 0 || ftruncate(made->file, (off_t)size) != 0)
        abort();
    *handle = (CUmemGenericAllocationHandle)(uintptr_t)made;
    return CUDA_SUCCESS;
}

CUresult cuMemRelease(CUmemGenericAllocationHandle handle) {
    FAKE_ENTER();
    pthread_mutex_lock(&space.lock);
    drop((struct physical *)(uintptr_t)handle);
    pthread_mutex_unlock(&space.lock);
    return CUDA_SUCCESS;
}

CUresult cuMemExportToShareableHandle(void *handle, CUmemGenericAllocationHandle memory, CUmemAllocationHandleType type,
                                      unsigned long long flags) {
    FAKE_ENTER();
    const struct physical *physical = (const struct physical *)(uintptr_t)memory;
    FAKE_REQUIRE(physical->exportable && type == CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR && flags == 0, CUDA_ERROR_INVALID_VALUE);
    *(int *)handle = dup(physical->file);
    return CUDA_SUCCESS;
}

CUresult cuMemImportFromShareableHandle(CUmemGenericAllocationHandle *memory, void *handle, CUmemAllocationHandleType type) {
    FAKE_ENTER();
    struct stat info;
    const int file = (int)(intptr_t)handle;
    FAKE_REQUIRE(type == CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR && fstat(file, &info) == 0 && info.st_size > 0 &&
                     (size_t)info.st_size % GRANULARITY == 0,
                 CUDA_ERROR_INVALID_VALUE);
    struct physical *made = malloc(sizeof *made);
    *made = (struct physical){dup(file), (size_t)info.st_size, true, 1};
    *memory = (CUmemGenericAllocationHandle)(uintptr_t)made;
    return CUDA_SUCCESS;
}

CUresult cuMemAddressReserve(CUdeviceptr *address, size_t size, size_t alignment, CUdeviceptr hint, unsigned long long flags) {
    FAKE_ENTER();
    (void)hint;
    FAKE_REQUIRE(size && size % GRANULARITY == 0 && flags == 0 && alignment <= GRANULARITY, CUDA_ERROR_INVALID_VALUE);
    *address = fake_addresses(size);
    FAKE_REQUIRE(*address, CUDA_ERROR_OUT_OF_MEMORY);
    pthread_mutex_lock(&space.lock);
    push(&space.reservations, (struct mapping){.address = *address, .size = size});
    pthread_mutex_unlock(&space.lock);
    return CUDA_SUCCESS;
}

CUresult cuMemAddressFree(CUdeviceptr address, size_t size) {
    FAKE_ENTER();
    pthread_mutex_lock(&space.lock);
    struct mapping **link = find(&space.reservations, address, size), *found = *link;
    if (found)
        *link = found->next;
    pthread_mutex_unlock(&space.lock);
    free(found);
    return found ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuMemMap(CUdeviceptr address, size_t size, size_t offset, CUmemGenericAllocationHandle memory, unsigned long long flags) {
    FAKE_ENTER();
    struct physical *physical = (struct physical *)(uintptr_t)memory;
    FAKE_REQUIRE(offset == 0 && flags == 0 && size && size % GRANULARITY == 0 && address % GRANULARITY == 0, CUDA_ERROR_INVALID_VALUE);
    pthread_mutex_lock(&space.lock);
    bool fits = within_reservation(address, size) && !overlaps(address, size) && size <= physical->size;
    if (fits && fake_back(address, size, physical->file)) {
        physical->references++;
        push(&space.mappings, (struct mapping){.address = address, .size = size, .physical = physical});
    }
    pthread_mutex_unlock(&space.lock);
    return fits ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuMemUnmap(CUdeviceptr address, size_t size) {
    FAKE_ENTER();
    fake_wait(NULL);
    pthread_mutex_lock(&space.lock);
    struct mapping **link = find(&space.mappings, address, size), *found = *link;
    if (found) {
        *link = found->next;
        fake_allow(address, size, false);
        (void)fake_back(address, size, -1);
        drop(found->physical);
    }
    pthread_mutex_unlock(&space.lock);
    free(found);
    return found ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuMemSetAccess(CUdeviceptr address, size_t size, const CUmemAccessDesc *access, size_t count) {
    FAKE_ENTER();
    pthread_mutex_lock(&space.lock);
    struct mapping *found = *find(&space.mappings, address, size);
    for (size_t i = 0; found && i < count; i++) {
        const unsigned bit = 1u << access[i].location.id;
        found->allowed = access[i].flags == CU_MEM_ACCESS_FLAGS_PROT_NONE ? found->allowed & ~bit : found->allowed | bit;
    }
    if (found)
        fake_allow(address, size, found->allowed != 0);
    pthread_mutex_unlock(&space.lock);
    return found ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

/* ---- pools: what is imported has addresses of its own, and the same contents ------------------------------------------- */

struct CUmemPoolHandle_st {
    int file; /* says that it is a pool */
    bool imported;
};

struct pool_memory {
    struct pool_memory *next;
    uint64_t address;
    size_t size;
    int file;
};
static struct pool_memory *pool_memories;

static const char pool_mark[] = {'f', 'a', 'k', 'e', 'p', 'o', 'o', 'l'};

static CUresult add_memory(int file, size_t size, CUdeviceptr *address) {
    struct pool_memory *made = malloc(sizeof *made);
    *address = fake_addresses(size);
    FAKE_REQUIRE(*address && file >= 0 && fake_back(*address, size, file), CUDA_ERROR_OUT_OF_MEMORY);
    fake_allow(*address, size, true);
    pthread_mutex_lock(&space.lock);
    *made = (struct pool_memory){pool_memories, *address, size, file};
    pool_memories = made;
    pthread_mutex_unlock(&space.lock);
    return CUDA_SUCCESS;
}

CUresult cuMemPoolCreate(CUmemoryPool *pool, const CUmemPoolProps *properties) {
    FAKE_ENTER();
    FAKE_REQUIRE(properties->allocType == CU_MEM_ALLOCATION_TYPE_PINNED && properties->maxSize == 0, CUDA_ERROR_INVALID_VALUE);
    *pool = malloc(sizeof **pool);
    **pool = (struct CUmemPoolHandle_st){memfd_create("fake-pool", MFD_CLOEXEC), false};
    return write((*pool)->file, pool_mark, sizeof pool_mark) == sizeof pool_mark ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}

CUresult cuMemPoolDestroy(CUmemoryPool pool) {
    FAKE_ENTER();
    close(pool->file);
    free(pool);
    return CUDA_SUCCESS;
}

CUresult cuMemPoolExportToShareableHandle(void *handle, CUmemoryPool pool, CUmemAllocationHandleType type, unsigned long long flags) {
    FAKE_ENTER();
    FAKE_REQUIRE(type == CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR && flags == 0 && !pool->imported, CUDA_ERROR_INVALID_VALUE);
    *(int *)handle = dup(pool->file);
    return CUDA_SUCCESS;
}

CUresult cuMemPoolImportFromShareableHandle(CUmemoryPool *pool, void *handle, CUmemAllocationHandleType type, unsigned long long flags) {
    FAKE_ENTER();
    char mark[sizeof pool_mark] = "";
    const int file = (int)(intptr_t)handle;
    FAKE_REQUIRE(type == CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR && flags == 0 && pread(file, mark, sizeof mark, 0) == sizeof mark &&
                     memcmp(mark, pool_mark, sizeof mark) == 0,
                 CUDA_ERROR_INVALID_VALUE);
    *pool = malloc(sizeof **pool);
    **pool = (struct CUmemPoolHandle_st){dup(file), true};
    return CUDA_SUCCESS;
}

CUresult cuMemPoolExportPointer(CUmemPoolPtrExportData *data, CUdeviceptr memory) {
    FAKE_ENTER();
    memset(data, 0, sizeof *data);
    memcpy(data->reserved, &memory, sizeof memory);
    return CUDA_SUCCESS;
}

CUresult cuMemPoolImportPointer(CUdeviceptr *memory, CUmemoryPool pool, CUmemPoolPtrExportData *data) {
    FAKE_ENTER();
    CUdeviceptr original;
    memcpy(&original, data->reserved, sizeof original);
    pthread_mutex_lock(&space.lock);
    const struct pool_memory *found = pool_memories;
    while (found && found->address != original)
        found = found->next;
    const struct pool_memory copy = found ? *found : (struct pool_memory){0};
    pthread_mutex_unlock(&space.lock);
    FAKE_REQUIRE(found && pool->imported, CUDA_ERROR_INVALID_VALUE);
    return add_memory(dup(copy.file), copy.size, memory);
}

static CUresult new_pool_memory(CUdeviceptr *memory, size_t size, CUstream stream) {
    (void)stream;
    FAKE_REQUIRE(size, CUDA_ERROR_INVALID_VALUE);
    int file = memfd_create("fake-pool-memory", MFD_CLOEXEC);
    FAKE_REQUIRE(file >= 0 && ftruncate(file, (off_t)size) == 0, CUDA_ERROR_OUT_OF_MEMORY);
    return add_memory(file, size, memory);
}

CUresult cuMemAllocFromPoolAsync(CUdeviceptr *memory, size_t size, CUmemoryPool pool, CUstream stream) {
    FAKE_ENTER();
    FAKE_REQUIRE(!pool->imported, CUDA_ERROR_INVALID_VALUE);
    return new_pool_memory(memory, size, stream);
}

CUresult cuMemAllocAsync(CUdeviceptr *memory, size_t size, CUstream stream) {
    FAKE_ENTER();
    return new_pool_memory(memory, size, stream);
}

static CUresult run_free(struct fake_work *work) {
    pthread_mutex_lock(&space.lock);
    struct pool_memory **link = &pool_memories;
    while (*link && (*link)->address != work->a)
        link = &(*link)->next;
    struct pool_memory *found = *link;
    if (found)
        *link = found->next;
    pthread_mutex_unlock(&space.lock);
    FAKE_REQUIRE(found, CUDA_ERROR_INVALID_VALUE);
    fake_allow(found->address, found->size, false);
    (void)fake_back(found->address, found->size, -1);
    close(found->file);
    free(found);
    return CUDA_SUCCESS;
}

CUresult cuMemFreeAsync(CUdeviceptr memory, CUstream stream) {
    FAKE_ENTER();
    struct fake_work *work = fake_work(run_free);
    work->a = memory;
    return fake_give(stream, work);
}
