/* HSA: memory pools, and regions, which are the same under an older name; what is known of a pointer. */
#include "hsa/hsa.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { GRANULE = 4096 };
static const uint64_t most_recommended = 2u << 20;

/* Kinds of allocations that pools make. */
#define POOL_KINDS (1u << WL_MEMORY_DEVICE | 1u << WL_MEMORY_HOST)

/* ---- pools --------------------------------------------------------------------------------------------- */

static bool is_global(const struct wl_hsa_pool *pool) { return pool->segment == HSA_AMD_SEGMENT_GLOBAL; }

HSA hsa_amd_memory_pool_get_info(hsa_amd_memory_pool_t memory_pool, int attribute, void *value) {
    HSA_STARTED();
    const struct wl_hsa_pool *pool = wl_hsa_pool(memory_pool.handle);
    HSA_REQUIRE(pool, HSA_STATUS_ERROR_INVALID_MEMORY_POOL);
    HSA_REQUIRE(value, HSA_STATUS_ERROR_INVALID_ARGUMENT);
    switch (attribute) {
    case HSA_AMD_MEMORY_POOL_INFO_SEGMENT:
        HSA_SET(uint32_t, pool->segment);
        break;
    case HSA_AMD_MEMORY_POOL_INFO_GLOBAL_FLAGS:
        HSA_SET(uint32_t, pool->flags);
        break;
    case HSA_AMD_MEMORY_POOL_INFO_SIZE:
        HSA_SET(size_t, pool->size);
        break;
    case HSA_AMD_MEMORY_POOL_INFO_ALLOC_MAX_SIZE:
        HSA_SET(size_t, is_global(pool) ? pool->size : 0);
        break;
    case HSA_AMD_MEMORY_POOL_INFO_RUNTIME_ALLOC_ALLOWED:
        HSA_SET(bool, is_global(pool));
        break;
    case HSA_AMD_MEMORY_POOL_INFO_RUNTIME_ALLOC_GRANULE:
    case HSA_AMD_MEMORY_POOL_INFO_RUNTIME_ALLOC_ALIGNMENT:
        HSA_SET(size_t, is_global(pool) ? GRANULE : 0);
        break;
    case HSA_AMD_MEMORY_POOL_INFO_RUNTIME_ALLOC_REC_GRANULE:
        HSA_SET(size_t, !is_global(pool) ? 0 : pool->agent->context ? most_recommended : GRANULE);
        break;
    case HSA_AMD_MEMORY_POOL_INFO_ACCESSIBLE_BY_ALL:
        HSA_SET(bool, is_global(pool) && !pool->agent->context);
        break;
    case HSA_AMD_MEMORY_POOL_INFO_LOCATION:
        HSA_SET(uint32_t, pool->agent->context ? HSA_AMD_MEMORY_POOL_LOCATION_GPU : HSA_AMD_MEMORY_POOL_LOCATION_CPU);
        break;
    default:
        return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    }
    return HSA_STATUS_SUCCESS;
}

static hsa_status_t iterate(hsa_agent_t agent, hsa_status_t (*callback)(hsa_amd_memory_pool_t pool, void *data), void *data) {
    HSA_STARTED();
    struct wl_hsa_agent *a = wl_hsa_agent(agent);
    HSA_REQUIRE(a, HSA_STATUS_ERROR_INVALID_AGENT);
    HSA_REQUIRE(callback, HSA_STATUS_ERROR_INVALID_ARGUMENT);
    for (unsigned i = 0; i < a->pool_count; i++) {
        const hsa_status_t status = callback((hsa_amd_memory_pool_t){(uint64_t)(uintptr_t)&a->pools[i]}, data);
        if (status != HSA_STATUS_SUCCESS)
            return status;
    }
    return HSA_STATUS_SUCCESS;
}

HSA hsa_amd_agent_iterate_memory_pools(hsa_agent_t agent, hsa_status_t (*callback)(hsa_amd_memory_pool_t memory_pool, void *data),
                                       void *data) {
    return iterate(agent, callback, data);
}

/* Whether an agent reaches a pool's memory: a discrete device's only with leave. */
static int access_of(const struct wl_hsa_agent *agent, const struct wl_hsa_pool *pool) {
    if (!is_global(pool))
        return pool->agent == agent ? HSA_AMD_MEMORY_POOL_ACCESS_ALLOWED_BY_DEFAULT : HSA_AMD_MEMORY_POOL_ACCESS_NEVER_ALLOWED;
    if (pool->agent == agent || !pool->agent->context)
        return HSA_AMD_MEMORY_POOL_ACCESS_ALLOWED_BY_DEFAULT;
    if (!agent->context)
        return pool->agent->context->info.discrete ? HSA_AMD_MEMORY_POOL_ACCESS_NEVER_ALLOWED
                                                   : HSA_AMD_MEMORY_POOL_ACCESS_DISALLOWED_BY_DEFAULT;
    if (pool->agent->context->info.discrete != agent->context->info.discrete)
        return HSA_AMD_MEMORY_POOL_ACCESS_NEVER_ALLOWED;
    return HSA_AMD_MEMORY_POOL_ACCESS_DISALLOWED_BY_DEFAULT;
}

/* AMD's structure of a link. */
struct link {
    uint32_t min_latency, max_latency, min_bandwidth, max_bandwidth;
    bool atomics_32, atomics_64, coherent;
    int type;
    uint32_t numa_distance;
};

HSA hsa_amd_agent_memory_pool_get_info(hsa_agent_t agent, hsa_amd_memory_pool_t memory_pool, int attribute, void *value) {
    HSA_STARTED();
    const struct wl_hsa_agent *a = wl_hsa_agent(agent);
    const struct wl_hsa_pool *pool = wl_hsa_pool(memory_pool.handle);
    HSA_REQUIRE(a, HSA_STATUS_ERROR_INVALID_AGENT);
    HSA_REQUIRE(pool, HSA_STATUS_ERROR_INVALID_MEMORY_POOL);
    HSA_REQUIRE(value, HSA_STATUS_ERROR_INVALID_ARGUMENT);
    const bool linked = pool->agent != a && access_of(a, pool) != HSA_AMD_MEMORY_POOL_ACCESS_NEVER_ALLOWED;
    switch (attribute) {
    case HSA_AMD_AGENT_MEMORY_POOL_INFO_ACCESS:
        HSA_SET(uint32_t, access_of(a, pool));
        break;
    case HSA_AMD_AGENT_MEMORY_POOL_INFO_NUM_LINK_HOPS:
        HSA_SET(uint32_t, linked);
        break;
    case HSA_AMD_AGENT_MEMORY_POOL_INFO_LINK_INFO:
        if (linked)
            *(struct link *)value = (struct link){
                .atomics_32 = true, .atomics_64 = true, .coherent = true, .type = HSA_AMD_LINK_INFO_TYPE_PCIE, .numa_distance = 20};
        break;
    default:
        return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    }
    return HSA_STATUS_SUCCESS;
}

static hsa_status_t allocate(const struct wl_hsa_pool *pool, size_t size, void **ptr) {
    struct wl_context *context = pool->agent->context;
    const enum wl_memory_kind kind = context ? WL_MEMORY_DEVICE : WL_MEMORY_HOST;
    const size_t whole = (size + GRANULE - 1) / GRANULE * GRANULE;
    const enum wl_status status = wl_core.memory_allocate(context ? context : wl_core.context_at(0), kind, whole, 0, ptr);
    return wl_hsa_status(status, "hsa_amd_memory_pool_allocate");
}

HSA hsa_amd_memory_pool_allocate(hsa_amd_memory_pool_t memory_pool, size_t size, uint32_t flags, void **ptr) {
    HSA_STARTED();
    const struct wl_hsa_pool *pool = wl_hsa_pool(memory_pool.handle);
    HSA_REQUIRE(pool, HSA_STATUS_ERROR_INVALID_MEMORY_POOL);
    HSA_REQUIRE(size > 0 && ptr && flags < 0x100, HSA_STATUS_ERROR_INVALID_ARGUMENT);
    HSA_REQUIRE(is_global(pool) && size <= pool->size, HSA_STATUS_ERROR_INVALID_ALLOCATION);
    return allocate(pool, size, ptr);
}

/* ---- who wants to know when memory goes, and what programs keep with it ---------------------------------- */

struct note {
    struct note *next;
    uint64_t address;
    void (*callback)(void *ptr, void *user_data); /* NULL: `data` is what hsa_amd_pointer_info_set_userdata keeps */
    void *data;
};

static struct {
    pthread_mutex_t lock;
    struct note *first;
} notes = {.lock = PTHREAD_MUTEX_INITIALIZER};

static hsa_status_t add_note(uint64_t address, void (*callback)(void *, void *), void *data) {
    struct note *note = malloc(sizeof *note);
    HSA_REQUIRE(note, HSA_STATUS_ERROR_OUT_OF_RESOURCES);
    pthread_mutex_lock(&notes.lock);
    *note = (struct note){notes.first, address, callback, data};
    notes.first = note;
    pthread_mutex_unlock(&notes.lock);
    return HSA_STATUS_SUCCESS;
}

/* Takes the first note out that is of an address and, unless `any`, has the callback. NULL: none. The caller frees it. */
static struct note *take_note(uint64_t address, void (*callback)(void *, void *), bool any) {
    pthread_mutex_lock(&notes.lock);
    struct note **place = &notes.first;
    while (*place && ((*place)->address != address || (!any && (*place)->callback != callback)))
        place = &(*place)->next;
    struct note *note = *place;
    if (note)
        *place = note->next;
    pthread_mutex_unlock(&notes.lock);
    return note;
}

static void call_notes(void *memory) {
    for (struct note *note; (note = take_note((uint64_t)(uintptr_t)memory, NULL, true)); free(note))
        if (note->callback)
            note->callback(memory, note->data);
}

static bool find(const void *address, struct wl_allocation *allocation) {
    return address && wl_core.memory_find(address, allocation) && allocation->kind != WL_MEMORY_VARIABLE;
}

HSA hsa_amd_register_deallocation_callback(void *ptr, void (*callback)(void *ptr, void *user_data), void *user_data) {
    HSA_STARTED();
    struct wl_allocation allocation;
    HSA_REQUIRE(ptr && callback, HSA_STATUS_ERROR_INVALID_ARGUMENT);
    HSA_REQUIRE(find(ptr, &allocation), HSA_STATUS_ERROR_INVALID_ALLOCATION);
    return add_note(allocation.address, callback, user_data);
}

HSA hsa_amd_deregister_deallocation_callback(void *ptr, void (*callback)(void *ptr, void *user_data)) {
    HSA_STARTED();
    struct wl_allocation allocation;
    HSA_REQUIRE(ptr && callback, HSA_STATUS_ERROR_INVALID_ARGUMENT);
    struct note *note = find(ptr, &allocation) ? take_note(allocation.address, callback, false) : NULL;
    HSA_REQUIRE(note, HSA_STATUS_ERROR_INVALID_ARGUMENT);
    free(note);
    return HSA_STATUS_SUCCESS;
}

HSA hsa_amd_pointer_info_set_userdata(const void *ptr, void *userdata) {
    HSA_STARTED();
    struct wl_allocation allocation;
    HSA_REQUIRE(find(ptr, &allocation), HSA_STATUS_ERROR_INVALID_ARGUMENT);
    free(take_note(allocation.address, NULL, false));
    return add_note(allocation.address, NULL, userdata);
}

static void *user_data(uint64_t address) {
    void *data = NULL;
    pthread_mutex_lock(&notes.lock);
    for (const struct note *note = notes.first; note; note = note->next)
        if (note->address == address && !note->callback) {
            data = note->data;
            break;
        }
    pthread_mutex_unlock(&notes.lock);
    return data;
}

HSA hsa_amd_memory_pool_free(void *ptr) {
    HSA_STARTED();
    HSA_REQUIRE(ptr, HSA_STATUS_ERROR_INVALID_ARGUMENT);
    struct wl_allocation allocation;
    HSA_REQUIRE(find(ptr, &allocation) && allocation.address == (uint64_t)(uintptr_t)ptr && POOL_KINDS >> allocation.kind & 1,
                HSA_STATUS_ERROR_INVALID_ALLOCATION);
    call_notes(ptr);
    return wl_hsa_status(wl_core.memory_free(ptr, POOL_KINDS), __func__);
}

/* ---- pointers ------------------------------------------------------------------------------------------------ */

static int type_of(enum wl_memory_kind kind) {
    switch (kind) {
    case WL_MEMORY_REGISTERED:
        return HSA_EXT_POINTER_TYPE_LOCKED;
    case WL_MEMORY_IMPORTED:
        return HSA_EXT_POINTER_TYPE_IPC;
    case WL_MEMORY_VIRTUAL:
        return HSA_EXT_POINTER_TYPE_HSA_VMEM;
    default:
        return HSA_EXT_POINTER_TYPE_HSA;
    }
}

static bool is_hosts(const struct wl_allocation *allocation) {
    return allocation->kind == WL_MEMORY_HOST || allocation->kind == WL_MEMORY_REGISTERED || allocation->kind == WL_MEMORY_MANAGED ||
           !allocation->context;
}

static void describe(const void *ptr, hsa_amd_pointer_info_t *info) {
    struct wl_allocation allocation;
    memset(info, 0, sizeof *info);
    info->type = HSA_EXT_POINTER_TYPE_UNKNOWN;
    if (!find(ptr, &allocation))
        return;
    const bool hosts = is_hosts(&allocation);
    info->type = type_of(allocation.kind);
    info->agentBaseAddress = (void *)(uintptr_t)allocation.address;
    info->hostBaseAddress = hosts || !allocation.context->info.discrete ? info->agentBaseAddress : NULL;
    info->sizeInBytes = allocation.size;
    info->userData = user_data(allocation.address);
    info->agentOwner = wl_hsa_agent_of(hosts ? NULL : allocation.context);
    info->global_flags = hosts ? HSA_AMD_MEMORY_POOL_GLOBAL_FLAG_FINE_GRAINED : HSA_AMD_MEMORY_POOL_GLOBAL_FLAG_COARSE_GRAINED;
    info->registered = allocation.kind == WL_MEMORY_REGISTERED;
}

HSA hsa_amd_pointer_info(const void *ptr, hsa_amd_pointer_info_t *info, void *(*alloc)(size_t), uint32_t *num_agents_accessible,
                         hsa_agent_t **accessible) {
    HSA_STARTED();
    HSA_REQUIRE(ptr && info && info->size > 0, HSA_STATUS_ERROR_INVALID_ARGUMENT);
    HSA_REQUIRE(!alloc || (num_agents_accessible && accessible), HSA_STATUS_ERROR_INVALID_ARGUMENT);
    hsa_amd_pointer_info_t all;
    const uint32_t size = info->size;
    describe(ptr, &all);
    all.size = size < sizeof all ? size : (uint32_t)sizeof all;
    memcpy(info, &all, all.size);
    if (!alloc || all.type == HSA_EXT_POINTER_TYPE_UNKNOWN) {
        if (num_agents_accessible)
            *num_agents_accessible = 0;
        return HSA_STATUS_SUCCESS;
    }
    unsigned count = 0, reach = 0;
    struct wl_hsa_agent *agents = wl_hsa_agents(&count);
    const struct wl_hsa_pool *owner = &wl_hsa_agent(all.agentOwner)->pools[0];
    hsa_agent_t *list = alloc(count * sizeof *list);
    HSA_REQUIRE(list, HSA_STATUS_ERROR_OUT_OF_RESOURCES);
    for (unsigned i = 0; i < count; i++)
        if (access_of(&agents[i], owner) != HSA_AMD_MEMORY_POOL_ACCESS_NEVER_ALLOWED)
            list[reach++] = (hsa_agent_t){(uint64_t)(uintptr_t)&agents[i]};
    *accessible = list;
    *num_agents_accessible = reach;
    return HSA_STATUS_SUCCESS;
}

/* Devices of one kind reach each other's memory as they are; NVIDIA's do once one has asked the other. */
static hsa_status_t allow(const struct wl_hsa_agent *agent, const struct wl_allocation *allocation) {
    struct wl_context *context = agent->context, *owner = is_hosts(allocation) ? NULL : allocation->context;
    if (!owner || owner == context)
        return HSA_STATUS_SUCCESS;
    if (!context)
        return owner->info.discrete ? HSA_STATUS_ERROR_INVALID_ARGUMENT : HSA_STATUS_SUCCESS;
    if (!owner->info.discrete && !context->info.discrete)
        return HSA_STATUS_SUCCESS;
    const struct wl_host_memory_ops *ops = context->device->ops->host;
    if (!ops || !owner->device->ops->host || !ops->peer_possible(context->device, owner->device))
        return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    return wl_hsa_status(ops->peer_access(context->device, owner->device), "hsa_amd_agents_allow_access");
}

HSA hsa_amd_agents_allow_access(uint32_t num_agents, const hsa_agent_t *agents, const uint32_t *flags, const void *ptr) {
    HSA_STARTED();
    struct wl_allocation allocation;
    HSA_REQUIRE(num_agents > 0 && agents && ptr && !flags, HSA_STATUS_ERROR_INVALID_ARGUMENT);
    HSA_REQUIRE(find(ptr, &allocation), HSA_STATUS_ERROR_INVALID_ARGUMENT);
    for (uint32_t i = 0; i < num_agents; i++) {
        const struct wl_hsa_agent *agent = wl_hsa_agent(agents[i]);
        HSA_REQUIRE(agent, HSA_STATUS_ERROR_INVALID_AGENT);
        const hsa_status_t status = allow(agent, &allocation);
        if (status != HSA_STATUS_SUCCESS)
            return status;
    }
    return HSA_STATUS_SUCCESS;
}

HSA hsa_amd_memory_pool_can_migrate(hsa_amd_memory_pool_t src_memory_pool, hsa_amd_memory_pool_t dst_memory_pool, bool *result) {
    HSA_STARTED();
    HSA_REQUIRE(wl_hsa_pool(src_memory_pool.handle) && wl_hsa_pool(dst_memory_pool.handle), HSA_STATUS_ERROR_INVALID_MEMORY_POOL);
    HSA_REQUIRE(result, HSA_STATUS_ERROR_INVALID_ARGUMENT);
    *result = false;
    return HSA_STATUS_SUCCESS;
}

/* No pool can migrate, as the function above says. */
HSA hsa_amd_memory_migrate(const void *ptr, hsa_amd_memory_pool_t memory_pool, uint32_t flags) {
    HSA_STARTED();
    (void)flags;
    HSA_REQUIRE(wl_hsa_pool(memory_pool.handle), HSA_STATUS_ERROR_INVALID_MEMORY_POOL);
    HSA_REQUIRE(ptr, HSA_STATUS_ERROR_INVALID_ARGUMENT);
    return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
}

/* ---- regions --------------------------------------------------------------------------------------------------- */

HSA hsa_region_get_info(hsa_region_t region, int attribute, void *value) {
    HSA_STARTED();
    const struct wl_hsa_pool *pool = wl_hsa_pool(region.handle);
    HSA_REQUIRE(pool, HSA_STATUS_ERROR_INVALID_REGION);
    HSA_REQUIRE(value, HSA_STATUS_ERROR_INVALID_ARGUMENT);
    switch (attribute) {
    case HSA_REGION_INFO_ALLOC_MAX_SIZE:
        return hsa_amd_memory_pool_get_info((hsa_amd_memory_pool_t){region.handle}, HSA_AMD_MEMORY_POOL_INFO_ALLOC_MAX_SIZE, value);
    case HSA_REGION_INFO_ALLOC_MAX_PRIVATE_WORKGROUP_SIZE:
        return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    case HSA_AMD_REGION_INFO_HOST_ACCESSIBLE:
        HSA_SET(bool, is_global(pool) && (!pool->agent->context || !pool->agent->context->info.discrete));
        return HSA_STATUS_SUCCESS;
    case HSA_AMD_REGION_INFO_BASE:
        HSA_SET(void *, NULL);
        return HSA_STATUS_SUCCESS;
    case HSA_AMD_REGION_INFO_BUS_WIDTH:
        HSA_SET(uint32_t, pool->agent->context ? pool->agent->context->info.memory_bus_bits : 0);
        return HSA_STATUS_SUCCESS;
    case HSA_AMD_REGION_INFO_MAX_CLOCK_FREQUENCY:
        HSA_SET(uint32_t, pool->agent->context ? pool->agent->context->info.memory_clock_khz / 1000 : 0);
        return HSA_STATUS_SUCCESS;
    default: /* the other numbers are those of pools */
        return hsa_amd_memory_pool_get_info((hsa_amd_memory_pool_t){region.handle}, attribute, value);
    }
}

struct region_visit {
    hsa_status_t (*callback)(hsa_region_t region, void *data);
    void *data;
};

static hsa_status_t visit_region(hsa_amd_memory_pool_t pool, void *data) {
    const struct region_visit *visit = data;
    return visit->callback((hsa_region_t){pool.handle}, visit->data);
}

/* A device's regions are its own and, as AMD's library has it, those of the host, where clients look for memory for arguments. */
HSA hsa_agent_iterate_regions(hsa_agent_t agent, hsa_status_t (*callback)(hsa_region_t region, void *data), void *data) {
    struct region_visit visit = {callback, data};
    const hsa_status_t status = iterate(agent, callback ? visit_region : NULL, &visit);
    if (status != HSA_STATUS_SUCCESS || !wl_hsa_agent(agent)->context)
        return status;
    return iterate(wl_hsa_agent_of(NULL), visit_region, &visit);
}

HSA hsa_memory_allocate(hsa_region_t region, size_t size, void **ptr) {
    HSA_STARTED();
    const struct wl_hsa_pool *pool = wl_hsa_pool(region.handle);
    HSA_REQUIRE(pool, HSA_STATUS_ERROR_INVALID_REGION);
    HSA_REQUIRE(size > 0 && ptr, HSA_STATUS_ERROR_INVALID_ARGUMENT);
    HSA_REQUIRE(is_global(pool) && size <= pool->size, HSA_STATUS_ERROR_INVALID_ALLOCATION);
    return allocate(pool, size, ptr);
}

HSA hsa_memory_free(void *ptr) {
    HSA_STARTED();
    return ptr ? hsa_amd_memory_pool_free(ptr) : HSA_STATUS_SUCCESS;
}

/* Devices that reach the host's memory need not be told of it; hsa_amd_memory_lock tells the others. */
HSA hsa_memory_register(void *ptr, size_t size) {
    HSA_STARTED();
    HSA_REQUIRE(ptr || size == 0, HSA_STATUS_ERROR_INVALID_ARGUMENT);
    return HSA_STATUS_SUCCESS;
}

HSA hsa_memory_deregister(void *ptr, size_t size) {
    HSA_STARTED();
    (void)ptr, (void)size;
    return HSA_STATUS_SUCCESS;
}

HSA hsa_memory_assign_agent(void *ptr, hsa_agent_t agent, int access) {
    HSA_STARTED();
    HSA_REQUIRE(wl_hsa_agent(agent), HSA_STATUS_ERROR_INVALID_AGENT);
    HSA_REQUIRE(ptr && access >= HSA_ACCESS_PERMISSION_RO && access <= HSA_ACCESS_PERMISSION_RW, HSA_STATUS_ERROR_INVALID_ARGUMENT);
    return HSA_STATUS_SUCCESS;
}

/* ---- memory of the program --------------------------------------------------------------------------------------- */

/* AMD's library counts locks: as many unlocks end it. */
struct lock {
    struct lock *next;
    uint64_t address;
    unsigned count;
};
static struct lock *locks; /* guarded by the lock of notes */

/* Counts one more lock, or with `less` one less. The number before, 0 where there was none. */
static unsigned count_lock(uint64_t address, bool less) {
    pthread_mutex_lock(&notes.lock);
    struct lock **place = &locks;
    while (*place && (*place)->address != address)
        place = &(*place)->next;
    struct lock *lock = *place;
    const unsigned before = lock ? lock->count : 0;
    if (lock && less && before == 1) {
        *place = lock->next;
        free(lock);
    } else if (lock) {
        lock->count += less ? -1u : 1u;
    } else if (!less && (lock = malloc(sizeof *lock))) {
        *lock = (struct lock){locks, address, 1};
        locks = lock;
    }
    pthread_mutex_unlock(&notes.lock);
    return before;
}

HSA hsa_amd_memory_lock(void *host_ptr, size_t size, hsa_agent_t *agents, int num_agent, void **agent_ptr) {
    HSA_STARTED();
    HSA_REQUIRE(host_ptr && size > 0 && agent_ptr, HSA_STATUS_ERROR_INVALID_ARGUMENT);
    HSA_REQUIRE((num_agent > 0) == (agents != NULL) && num_agent >= 0, HSA_STATUS_ERROR_INVALID_ARGUMENT);
    for (int i = 0; i < num_agent; i++)
        HSA_REQUIRE(wl_hsa_agent(agents[i]), HSA_STATUS_ERROR_INVALID_AGENT);
    *agent_ptr = host_ptr; /* host and devices use the same addresses */
    if (count_lock((uint64_t)(uintptr_t)host_ptr, false))
        return HSA_STATUS_SUCCESS;
    struct wl_context *context = wl_core.context_at(0);
    enum wl_status status = wl_core.memory_register(context, WL_MEMORY_REGISTERED, host_ptr, size, 0);
    if (status == WL_OK) {
        status = wl_core.memory_enroll(context, host_ptr, size, 0);
        if (status != WL_OK)
            (void)wl_core.memory_unregister(host_ptr, WL_MEMORY_REGISTERED);
    } else if (status == WL_INVALID_VALUE) { /* a part of it is known already: it is locked, or the runtime's */
        status = WL_OK;
    }
    if (status != WL_OK)
        (void)count_lock((uint64_t)(uintptr_t)host_ptr, true);
    return wl_hsa_status(status, __func__);
}

HSA hsa_amd_memory_lock_to_pool(void *host_ptr, size_t size, hsa_agent_t *agents, int num_agent, hsa_amd_memory_pool_t pool, uint32_t flags,
                                void **agent_ptr) {
    HSA_STARTED();
    const struct wl_hsa_pool *p = wl_hsa_pool(pool.handle);
    HSA_REQUIRE(p, HSA_STATUS_ERROR_INVALID_MEMORY_POOL);
    HSA_REQUIRE(!p->agent->context && flags < 0x100, HSA_STATUS_ERROR_INVALID_ARGUMENT);
    return hsa_amd_memory_lock(host_ptr, size, agents, num_agent, agent_ptr);
}

HSA hsa_amd_memory_unlock(void *host_ptr) {
    HSA_STARTED();
    HSA_REQUIRE(host_ptr, HSA_STATUS_ERROR_INVALID_ARGUMENT);
    if (count_lock((uint64_t)(uintptr_t)host_ptr, true) == 1 && wl_core.memory_unregister(host_ptr, WL_MEMORY_REGISTERED) == WL_OK)
        wl_core.memory_withdraw(wl_core.context_at(0), host_ptr);
    return HSA_STATUS_SUCCESS;
}
