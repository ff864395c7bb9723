/* HSA's functions, as a client calls them, against the headers of AMD's release that is installed: agents, pools, signals, packets of
 * its own, copies, executables, and memory that HIP's library allocated. */
#include "client.h"

#include <hsa_ven_amd_loader.h>

#include <errno.h>
#include <sys/wait.h>

int hipMalloc(void **memory, size_t size);
int hipFree(void *memory);
int hipMemset(void *memory, int value, size_t size);
int hipDeviceSynchronize(void);

#if HSA_AMD_INTERFACE_VERSION_MINOR < 4 /* the header has no virtual memory yet: as ROCm 7.2's declares it */
enum { HSA_ACCESS_PERMISSION_NONE };
typedef struct {
    uint64_t handle;
} hsa_amd_vmem_alloc_handle_t;
typedef struct {
    hsa_access_permission_t permissions;
    hsa_agent_t agent_handle;
} hsa_amd_memory_access_desc_t;
enum { MEMORY_TYPE_NONE, MEMORY_TYPE_PINNED };
hsa_status_t hsa_amd_vmem_address_reserve(void **va, size_t size, uint64_t address, uint64_t flags);
hsa_status_t hsa_amd_vmem_address_reserve_align(void **va, size_t size, uint64_t address, uint64_t alignment, uint64_t flags);
hsa_status_t hsa_amd_vmem_address_free(void *va, size_t size);
hsa_status_t hsa_amd_vmem_handle_create(hsa_amd_memory_pool_t pool, size_t size, int type, uint64_t flags,
                                        hsa_amd_vmem_alloc_handle_t *handle);
hsa_status_t hsa_amd_vmem_handle_release(hsa_amd_vmem_alloc_handle_t handle);
hsa_status_t hsa_amd_vmem_map(void *va, size_t size, size_t offset, hsa_amd_vmem_alloc_handle_t handle, uint64_t flags);
hsa_status_t hsa_amd_vmem_unmap(void *va, size_t size);
hsa_status_t hsa_amd_vmem_set_access(void *va, size_t size, const hsa_amd_memory_access_desc_t *desc, size_t count);
hsa_status_t hsa_amd_vmem_get_access(void *va, hsa_access_permission_t *permissions, hsa_agent_t agent);
hsa_status_t hsa_amd_vmem_export_shareable_handle(int *file, hsa_amd_vmem_alloc_handle_t handle, uint64_t flags);
hsa_status_t hsa_amd_vmem_import_shareable_handle(int file, hsa_amd_vmem_alloc_handle_t *handle);
hsa_status_t hsa_amd_vmem_retain_alloc_handle(hsa_amd_vmem_alloc_handle_t *handle, void *address);
hsa_status_t hsa_amd_vmem_get_alloc_properties_from_handle(hsa_amd_vmem_alloc_handle_t handle, hsa_amd_memory_pool_t *pool, int *type);
#endif

static hsa_status_t see_region(hsa_region_t region, void *data) {
    hsa_region_segment_t segment;
    uint32_t flags;
    OK(hsa_region_get_info(region, HSA_REGION_INFO_SEGMENT, &segment));
    OK(hsa_region_get_info(region, HSA_REGION_INFO_GLOBAL_FLAGS, &flags));
    if (segment == HSA_REGION_SEGMENT_GLOBAL && flags & HSA_REGION_GLOBAL_FLAG_KERNARG)
        *(hsa_region_t *)data = region;
    return HSA_STATUS_SUCCESS;
}

/* A device's regions have the host's among them. */
static void regions(void **state) {
    (void)state;
    hsa_region_t kernarg = {0};
    void *memory = NULL;
    OK(hsa_agent_iterate_regions(device, see_region, &kernarg));
    assert_int_equal(kernarg.handle, kernarg_pool.handle);
    OK(hsa_memory_allocate(kernarg, 100, &memory));
    memset(memory, 1, 100);
    OK(hsa_memory_free(memory));
}

/* A GPU's memory is not the host's. */
static bool host_reaches_device(void) {
    hsa_amd_memory_pool_access_t access;
    OK(hsa_amd_agent_memory_pool_get_info(host, device_pool, HSA_AMD_AGENT_MEMORY_POOL_INFO_ACCESS, &access));
    return access != HSA_AMD_MEMORY_POOL_ACCESS_NEVER_ALLOWED;
}

static int int_at(const int *memory) {
    int value = 0;
    OK(hsa_memory_copy(&value, memory, sizeof value));
    return value;
}

static int byte_at(const char *memory) {
    char value = 0;
    OK(hsa_memory_copy(&value, memory, 1));
    return value;
}

/* ---- executables --------------------------------------------------------------------------------------------- */

static hsa_status_t count_symbol(hsa_executable_t executable, hsa_executable_symbol_t symbol, void *data) {
    (void)executable, (void)symbol;
    ++*(unsigned *)data;
    return HSA_STATUS_SUCCESS;
}

static void symbols(void **state) {
    (void)state;
    hsa_executable_t executable = load();
    hsa_executable_symbol_t symbol;
    unsigned count = 0;
    uint32_t length = 0, size = 0;
    uint64_t address = 0;
    char name[32] = "";
    OK(hsa_executable_iterate_symbols(executable, count_symbol, &count));
    assert_true(count >= 6);
    assert_int_equal(hsa_executable_get_symbol_by_name(executable, "scale", &device, &symbol), HSA_STATUS_ERROR_INVALID_SYMBOL_NAME);
    symbol = symbol_of(executable, "scale.kd");
    OK(hsa_executable_symbol_get_info(symbol, HSA_EXECUTABLE_SYMBOL_INFO_NAME_LENGTH, &length));
    assert_int_equal(length, strlen("scale.kd"));
    OK(hsa_executable_symbol_get_info(symbol, HSA_EXECUTABLE_SYMBOL_INFO_NAME, name));
    assert_string_equal(name, "scale.kd");
    OK(hsa_executable_symbol_get_info(symbol, HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_KERNARG_SEGMENT_SIZE, &size));
    assert_true(size >= 12);
    symbol = symbol_of(executable, "factor");
    OK(hsa_executable_symbol_get_info(symbol, HSA_EXECUTABLE_SYMBOL_INFO_VARIABLE_SIZE, &size));
    assert_int_equal(size, 4);
    OK(hsa_executable_symbol_get_info(symbol, HSA_EXECUTABLE_SYMBOL_INFO_VARIABLE_ADDRESS, &address));
    int factor = 0;
    OK(hsa_memory_copy(&factor, (void *)(uintptr_t)address, sizeof factor));
    assert_int_equal(factor, 3);
    hsa_ven_amd_loader_1_01_pfn_t loader;
    OK(hsa_system_get_major_extension_table(HSA_EXTENSION_AMD_LOADER, 1, sizeof loader, &loader));
    hsa_executable_t found;
    OK(loader.hsa_ven_amd_loader_query_executable((void *)(uintptr_t)address, &found));
    assert_int_equal(found.handle, executable.handle);
    OK(hsa_executable_destroy(executable));
}

/* ---- queues ---------------------------------------------------------------------------------------------------- */

static void kernels(void **state) {
    (void)state;
    enum { COUNT = 1000 };
    hsa_executable_t executable = load();
    hsa_queue_t *queue = make_queue();
    hsa_signal_t done = signal_of(200);
    struct {
        int *values;
        int count;
    } *scale = allocate(kernarg_pool, 256);
    int *values = allocate(device_pool, COUNT * sizeof *values), own[COUNT];
    for (int i = 0; i < COUNT; i++)
        own[i] = i;
    OK(hsa_memory_copy(values, own, sizeof own));
    *scale = (__typeof__(*scale)){values, COUNT};
    uint64_t address = 0;
    OK(hsa_executable_symbol_get_info(symbol_of(executable, "factor"), HSA_EXECUTABLE_SYMBOL_INFO_VARIABLE_ADDRESS, &address));
    for (int i = 0; i < 200; i++) { /* more than the queue has places; -1 to the power of 200 */
        OK(hsa_memory_copy((void *)(uintptr_t)address, &(int){-1}, sizeof(int)));
        dispatch(queue, kernel_of(executable, "scale.kd"), COUNT, 64, 0, scale, done); /* the last workgroup is a partial one */
    }
    wait_for(done);
    OK(hsa_memory_copy(own, values, sizeof own));
    for (int i = 0; i < COUNT; i++)
        assert_int_equal(own[i], i);
    OK(hsa_memory_copy((void *)(uintptr_t)address, &(int){5}, sizeof(int)));
    hsa_signal_store_relaxed(done, 1);
    dispatch(queue, kernel_of(executable, "scale.kd"), COUNT, 64, 0, scale, done);
    wait_for(done);
    assert_int_equal(int_at(values + 999), 4995);
    hsa_amd_profiling_dispatch_time_t time;
    OK(hsa_amd_profiling_get_dispatch_time(device, done, &time));
    assert_true(time.start && time.end >= time.start);

    struct {
        int *values;
        uint32_t offset;
    } *turn = allocate(kernarg_pool, 256);
    *turn = (__typeof__(*turn)){values, 0};
    hsa_signal_store_relaxed(done, 1);
    dispatch(queue, kernel_of(executable, "turn.kd"), 256, 256, 1024, turn, done);
    wait_for(done);
    assert_int_equal(int_at(values), 255 * 5);
    assert_int_equal(failed.status, HSA_STATUS_SUCCESS);

    OK(hsa_amd_memory_pool_free(values));
    assert_int_equal(hsa_amd_memory_pool_free(values), HSA_STATUS_ERROR_INVALID_ALLOCATION);
    OK(hsa_amd_memory_pool_free(scale));
    OK(hsa_amd_memory_pool_free(turn));
    OK(hsa_signal_destroy(done));
    OK(hsa_queue_destroy(queue));
    OK(hsa_executable_destroy(executable));
}

/* A kernel finds the packet as the program wrote it, its arguments where the packet says, in the host's memory or the device's, and the queue. */
static void packet_fields(void **state) {
    (void)state;
    hsa_executable_t executable = load();
    hsa_queue_t *queue = make_queue();
    hsa_signal_t done = signal_of(0);
    uint64_t *seen = allocate(host_pool, 4096);
    const hsa_amd_memory_pool_t pools[] = {kernarg_pool, device_pool};
    for (unsigned i = 0; i < 2; i++) {
        uint64_t **look = allocate(pools[i], 256);
        const uint64_t object = kernel_of(executable, "look.kd");
        memset(seen, 0, 4096);
        OK(hsa_memory_copy(look, &seen, sizeof seen));
        hsa_signal_store_relaxed(done, 1);
        dispatch(queue, object, 1, 1, 0, look, done);
        wait_for(done);
        assert_int_equal(seen[0], (uint64_t)(uintptr_t)look);
        assert_int_equal(seen[1], done.handle);
        assert_int_equal(seen[2], queue->size);
        assert_int_equal(seen[3], object);
        OK(hsa_amd_memory_pool_free(look));
    }
    assert_int_equal(failed.status, HSA_STATUS_SUCCESS);
    OK(hsa_amd_memory_pool_free(seen));
    OK(hsa_signal_destroy(done));
    OK(hsa_queue_destroy(queue));
    OK(hsa_executable_destroy(executable));
}

static void barriers(void **state) {
    (void)state;
    hsa_queue_t *queue = make_queue();
    hsa_signal_t a = signal_of(1), b = signal_of(1), done = signal_of(2);
    hsa_barrier_and_packet_t packet = {.dep_signal = {a, b}, .completion_signal = done};
    submit(queue, &packet, HSA_PACKET_TYPE_BARRIER_AND);
    assert_int_equal(hsa_signal_wait_relaxed(done, HSA_SIGNAL_CONDITION_EQ, 1, 3000000, HSA_WAIT_STATE_BLOCKED), 2);
    hsa_signal_store_relaxed(a, 0);
    assert_int_equal(hsa_signal_wait_relaxed(done, HSA_SIGNAL_CONDITION_EQ, 1, 3000000, HSA_WAIT_STATE_ACTIVE), 2);
    hsa_signal_subtract_screlease(b, 1);
    assert_int_equal(hsa_signal_wait_scacquire(done, HSA_SIGNAL_CONDITION_EQ, 1, UINT64_MAX, HSA_WAIT_STATE_BLOCKED), 1);
    hsa_signal_store_relaxed(a, 1);
    hsa_signal_store_relaxed(b, 1);
    submit(queue, &packet, HSA_PACKET_TYPE_BARRIER_OR);
    assert_int_equal(hsa_signal_wait_relaxed(done, HSA_SIGNAL_CONDITION_EQ, 0, 3000000, HSA_WAIT_STATE_BLOCKED), 1);
    hsa_signal_store_relaxed(b, 0);
    wait_for(done);
    submit(queue, &packet, HSA_PACKET_TYPE_BARRIER_AND); /* a queue ends although it waits */
    OK(hsa_queue_destroy(queue));
    OK(hsa_signal_destroy(a));
    OK(hsa_signal_destroy(b));
    OK(hsa_signal_destroy(done));
    assert_int_equal(hsa_signal_destroy(done), HSA_STATUS_ERROR_INVALID_SIGNAL);
}

/* ---- signals ------------------------------------------------------------------------------------------------------ */

static void *add_later(void *argument) {
    usleep(2000);
    hsa_signal_add_relaxed(*(hsa_signal_t *)argument, 5);
    return NULL;
}

static bool count_call(hsa_signal_value_t value, void *argument) {
    assert_int_equal(value, 7);
    return __atomic_add_fetch((int *)argument, 1, __ATOMIC_RELAXED) < 2;
}

static void signals(void **state) {
    (void)state;
    hsa_signal_t signal = signal_of(1), other = signal_of(1);
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, add_later, &signal), 0);
    assert_int_equal(hsa_signal_wait_scacquire(signal, HSA_SIGNAL_CONDITION_GTE, 6, UINT64_MAX, HSA_WAIT_STATE_BLOCKED), 6);
    pthread_join(thread, NULL);
    assert_int_equal(hsa_signal_exchange_scacq_screl(signal, 12), 6);
    assert_int_equal(hsa_signal_cas_relaxed(signal, 3, 1), 12);
    assert_int_equal(hsa_signal_cas_relaxed(signal, 12, 10), 12);
    hsa_signal_and_relaxed(signal, 6);
    hsa_signal_or_relaxed(signal, 9);
    hsa_signal_xor_relaxed(signal, 1);
    assert_int_equal(hsa_signal_load_relaxed(signal), (10 & 6 | 9) ^ 1);
    assert_int_equal(hsa_signal_wait_relaxed(signal, HSA_SIGNAL_CONDITION_EQ, 99, 1000000, HSA_WAIT_STATE_BLOCKED), 10);

    hsa_signal_t both[2] = {signal, other};
    hsa_signal_condition_t conditions[2] = {HSA_SIGNAL_CONDITION_EQ, HSA_SIGNAL_CONDITION_NE};
    hsa_signal_value_t values[2] = {99, 2}, value = 0;
    assert_int_equal(hsa_amd_signal_wait_any(2, both, conditions, values, UINT64_MAX, HSA_WAIT_STATE_BLOCKED, &value), 1);
    assert_int_equal(value, 1);
    hsa_signal_group_t group;
    hsa_signal_t found;
    OK(hsa_signal_group_create(2, both, 0, NULL, &group));
    OK(hsa_signal_group_wait_any_scacquire(group, conditions, values, HSA_WAIT_STATE_BLOCKED, &found, &value));
    assert_int_equal(found.handle, other.handle);
    OK(hsa_signal_group_destroy(group));

    int calls = 0;
    OK(hsa_amd_signal_async_handler(other, HSA_SIGNAL_CONDITION_EQ, 7, count_call, &calls));
    usleep(3000);
    assert_int_equal(__atomic_load_n(&calls, __ATOMIC_RELAXED), 0);
    hsa_signal_store_relaxed(other, 7); /* the handler asks to be called once more */
    for (int i = 0; i < 5000 && __atomic_load_n(&calls, __ATOMIC_RELAXED) < 2; i++)
        usleep(1000);
    assert_int_equal(__atomic_load_n(&calls, __ATOMIC_RELAXED), 2);
    OK(hsa_signal_destroy(signal));
    OK(hsa_signal_destroy(other));
}

/* A kernel changes a signal's value as memory: whoever waits finds it. */
static void device_signals(void **state) {
    (void)state;
    hsa_executable_t executable = load();
    hsa_queue_t *queue = make_queue();
    hsa_signal_t signal = signal_of(0), none = {0};
    struct {
        volatile hsa_signal_value_t *value;
        int64_t to;
    } *set = allocate(kernarg_pool, 256);
    OK(hsa_amd_signal_value_pointer(signal, &set->value));
    set->to = -3;
    dispatch(queue, kernel_of(executable, "set.kd"), 1, 1, 0, set, none);
    assert_int_equal(hsa_signal_wait_scacquire(signal, HSA_SIGNAL_CONDITION_LT, 0, UINT64_MAX, HSA_WAIT_STATE_BLOCKED), -3);
    OK(hsa_queue_destroy(queue));
    OK(hsa_amd_memory_pool_free(set));
    OK(hsa_signal_destroy(signal));
    OK(hsa_executable_destroy(executable));
}

/* ---- memory -------------------------------------------------------------------------------------------------------- */

static void copies(void **state) {
    (void)state;
    enum { SIZE = 100000 };
    char *from = allocate(host_pool, SIZE), *to = allocate(device_pool, SIZE);
    hsa_signal_t before = signal_of(1), done = signal_of(1), next = signal_of(1);
    OK(hsa_amd_agents_allow_access(1, &device, NULL, from));
    memset(from, 7, SIZE);
    OK(hsa_amd_memory_fill(to, 0x01010101, SIZE / 4));
    OK(hsa_amd_memory_async_copy(to, device, from, host, SIZE, 1, &before, done));
    OK(hsa_amd_memory_async_copy(from, host, to + 1, device, SIZE - 1, 1, &done, next)); /* waits for the copy that waits */
    usleep(3000);
    assert_int_equal(byte_at(to + 5), 1);
    assert_int_equal(hsa_signal_load_relaxed(next), 1);
    hsa_signal_store_screlease(before, 0);
    wait_for(next);
    assert_int_equal(hsa_signal_load_relaxed(done), 0);
    assert_int_equal(byte_at(to + SIZE - 1), 7);
    hsa_signal_store_relaxed(done, 1);
    OK(hsa_amd_memory_async_copy(from, host, to, device, SIZE, 0, NULL, done));
    wait_for(done);
    OK(hsa_amd_memory_pool_free(from));
    OK(hsa_amd_memory_pool_free(to));
    OK(hsa_signal_destroy(before));
    OK(hsa_signal_destroy(done));
    OK(hsa_signal_destroy(next));
}

static void pointers(void **state) {
    (void)state;
    hsa_amd_pointer_info_t info = {.size = sizeof info};
    char *memory = allocate(device_pool, 10000), *own = malloc(5000);
    uint32_t count = 0;
    hsa_agent_t *agents = NULL;
    OK(hsa_amd_pointer_info(memory + 100, &info, malloc, &count, &agents));
    assert_int_equal(info.type, HSA_EXT_POINTER_TYPE_HSA);
    assert_ptr_equal(info.agentBaseAddress, memory);
    assert_int_equal(info.agentOwner.handle, device.handle);
    assert_true(info.sizeInBytes >= 10000 && count >= 1);
    free(agents);
    OK(hsa_amd_pointer_info(own, &info, NULL, NULL, NULL));
    assert_int_equal(info.type, HSA_EXT_POINTER_TYPE_UNKNOWN);
    void *locked = NULL;
    OK(hsa_amd_memory_lock(own, 5000, &device, 1, &locked));
    OK(hsa_amd_memory_lock(own, 5000, &device, 1, &locked));
    OK(hsa_amd_pointer_info(own, &info, NULL, NULL, NULL));
    assert_int_equal(info.type, HSA_EXT_POINTER_TYPE_LOCKED);
    OK(hsa_amd_memory_unlock(own));
    OK(hsa_amd_pointer_info(own, &info, NULL, NULL, NULL));
    assert_int_equal(info.type, HSA_EXT_POINTER_TYPE_LOCKED);
    OK(hsa_amd_memory_unlock(own));
    OK(hsa_amd_pointer_info(own, &info, NULL, NULL, NULL));
    assert_int_equal(info.type, HSA_EXT_POINTER_TYPE_UNKNOWN);
    OK(hsa_amd_memory_pool_free(memory));
    free(own);
}

/* Both libraries in one process: HIP's memory is the device's for HSA, and the other way round. */
static void with_hip(void **state) {
    (void)state;
    hsa_amd_pointer_info_t info = {.size = sizeof info};
    void *of_hip = NULL, *of_hsa = allocate(device_pool, 4096);
    assert_int_equal(hipMalloc(&of_hip, 4096), 0);
    OK(hsa_amd_pointer_info(of_hip, &info, NULL, NULL, NULL));
    assert_int_equal(info.type, HSA_EXT_POINTER_TYPE_HSA);
    assert_int_equal(info.agentOwner.handle, device.handle);
    assert_int_equal(hipMemset(of_hsa, 9, 4096), 0);
    assert_int_equal(hipDeviceSynchronize(), 0);
    OK(hsa_memory_copy(of_hip, of_hsa, 4096));
    char last = 0;
    OK(hsa_memory_copy(&last, (char *)of_hip + 4095, 1));
    assert_int_equal(last, 9);
    assert_int_equal(hipFree(of_hip), 0);
    OK(hsa_amd_memory_pool_free(of_hsa));
}

/* ---- virtual memory ---------------------------------------------------------------------------------------- */

static hsa_access_permission_t access_of(void *address, hsa_agent_t agent) {
    hsa_access_permission_t permissions;
    OK(hsa_amd_vmem_get_access(address, &permissions, agent));
    return permissions;
}

/* One memory at two addresses, whose halves a kernel and the host change; its handle leaves as a descriptor and comes back. */
static void virtual_memory(void **state) {
    (void)state;
    if (!host_reaches_device())
        skip();
    enum { SIZE = 1 << 20, COUNT = SIZE / sizeof(int) };
    void *range = NULL, *aligned = NULL;
    hsa_amd_vmem_alloc_handle_t memory, again, imported;
    hsa_amd_pointer_info_t info = {.size = sizeof info};
    int file = -1, type = -1;
    hsa_amd_memory_pool_t pool;
    OK(hsa_amd_vmem_address_reserve(&range, (size_t)3 * SIZE, 0, 0));
    OK(hsa_amd_vmem_address_reserve_align(&aligned, SIZE, 0, (uint64_t)64 << 20, 0));
    assert_int_equal((uintptr_t)aligned % ((uintptr_t)64 << 20), 0);
    OK(hsa_amd_vmem_address_free(aligned, SIZE));
    assert_int_equal(hsa_amd_vmem_address_free(aligned, SIZE), HSA_STATUS_ERROR_INVALID_ALLOCATION);
    assert_int_equal(hsa_amd_vmem_address_reserve(&aligned, 100, 0, 0), HSA_STATUS_ERROR_INVALID_ARGUMENT);
    assert_int_equal(hsa_amd_vmem_handle_create(host_pool, SIZE, MEMORY_TYPE_NONE, 0, &memory), HSA_STATUS_ERROR_INVALID_ALLOCATION);
    assert_int_equal(hsa_amd_vmem_handle_create(device_pool, 100, MEMORY_TYPE_NONE, 0, &memory), HSA_STATUS_ERROR_INVALID_ARGUMENT);
    OK(hsa_amd_vmem_handle_create(device_pool, SIZE, MEMORY_TYPE_PINNED, 0, &memory));
    OK(hsa_amd_vmem_get_alloc_properties_from_handle(memory, &pool, (void *)&type));
    assert_int_equal(type, MEMORY_TYPE_PINNED);
    assert_int_equal(pool.handle, device_pool.handle);

    int *first = range, *second = (int *)((char *)range + (size_t)2 * SIZE);
    assert_int_equal(hsa_amd_vmem_map(first, SIZE / 2, 0, memory, 0), HSA_STATUS_ERROR_INVALID_ARGUMENT);
    assert_int_equal(hsa_amd_vmem_map(first, SIZE, 4096, memory, 0), HSA_STATUS_ERROR_INVALID_ARGUMENT);
    OK(hsa_amd_vmem_map(first, SIZE, 0, memory, 0));
    assert_int_equal(hsa_amd_vmem_map(first, SIZE, 0, memory, 0), HSA_STATUS_ERROR_INVALID_ARGUMENT);
    OK(hsa_amd_vmem_map(second, SIZE, 0, memory, 0));
    assert_int_equal(access_of(first, device), HSA_ACCESS_PERMISSION_NONE);
    const hsa_amd_memory_access_desc_t both[] = {{HSA_ACCESS_PERMISSION_RW, device}, {HSA_ACCESS_PERMISSION_RW, host}},
                                       reads = {HSA_ACCESS_PERMISSION_RO, device}, nobody = {HSA_ACCESS_PERMISSION_RW, {0}};
    assert_int_equal(hsa_amd_vmem_set_access(first, SIZE, &nobody, 1), HSA_STATUS_ERROR_INVALID_AGENT);
    OK(hsa_amd_vmem_set_access(first, SIZE, both, 2));
    OK(hsa_amd_vmem_set_access(second, SIZE, both + 1, 1));
    assert_int_equal(access_of(first, device), HSA_ACCESS_PERMISSION_RW);
    assert_int_equal(access_of(second, host), HSA_ACCESS_PERMISSION_RW);
    OK(hsa_amd_vmem_set_access(second, SIZE, &reads, 1));
    assert_int_equal(access_of(second, device), HSA_ACCESS_PERMISSION_RO);
    assert_int_equal(access_of(second, host), HSA_ACCESS_PERMISSION_RW);
    OK(hsa_amd_pointer_info(first + 100, &info, NULL, NULL, NULL));
    assert_int_equal(info.type, 6 /* HSA_EXT_POINTER_TYPE_HSA_VMEM */);

    hsa_executable_t executable = load();
    hsa_queue_t *queue = make_queue();
    hsa_signal_t done = signal_of(1);
    struct {
        int *values;
        int count;
    } *scale = allocate(kernarg_pool, 256);
    *scale = (__typeof__(*scale)){first, COUNT};
    for (int i = 0; i < COUNT; i++)
        second[i] = i;
    dispatch(queue, kernel_of(executable, "scale.kd"), COUNT, 64, 0, scale, done);
    wait_for(done);
    for (int i = 0; i < COUNT; i++)
        assert_int_equal(second[i], 3 * i);

    OK(hsa_amd_vmem_export_shareable_handle(&file, memory, 0));
    OK(hsa_amd_vmem_import_shareable_handle(file, &imported));
    close(file);
    assert_int_equal(hsa_amd_vmem_import_shareable_handle(-1, &again), HSA_STATUS_ERROR_INVALID_ALLOCATION);
    OK(hsa_amd_vmem_retain_alloc_handle(&again, second + 7));
    assert_int_equal(again.handle, memory.handle);
    OK(hsa_amd_vmem_handle_release(again));
    OK(hsa_amd_vmem_handle_release(memory)); /* the mappings keep the memory */
    assert_int_equal(hsa_amd_vmem_address_free(range, (size_t)3 * SIZE), HSA_STATUS_ERROR_RESOURCE_FREE);
    OK(hsa_amd_vmem_unmap(first, SIZE));
    assert_int_equal(hsa_amd_vmem_unmap(first, SIZE), HSA_STATUS_ERROR_INVALID_ALLOCATION);
    OK(hsa_amd_vmem_unmap(second, SIZE));
    assert_int_equal(hsa_amd_vmem_handle_release(memory), HSA_STATUS_ERROR_INVALID_ALLOCATION);
    OK(hsa_amd_vmem_map(second, SIZE, 0, imported, 0));
    OK(hsa_amd_vmem_set_access(second, SIZE, both, 2));
    assert_int_equal(second[1000], 3000);
    OK(hsa_amd_vmem_unmap(second, SIZE));
    OK(hsa_amd_vmem_handle_release(imported));
    OK(hsa_amd_vmem_address_free(range, (size_t)3 * SIZE));
    OK(hsa_amd_memory_pool_free(scale));
    OK(hsa_signal_destroy(done));
    OK(hsa_queue_destroy(queue));
    OK(hsa_executable_destroy(executable));
}

/* ---- other processes ----------------------------------------------------------------------------------------- */

enum { SHARED_BYTES = 100000, SHARED = SHARED_BYTES / sizeof(int) };

struct shared {
    hsa_amd_ipc_memory_t memory;
    hsa_amd_ipc_signal_t asked, answered;
};

static int *attach(const hsa_amd_ipc_memory_t *handle) {
    void *memory = NULL;
    OK(hsa_amd_ipc_memory_attach(handle, SHARED_BYTES, 1, &device, &memory));
    return memory;
}

/* The other process: adds 1 to what it finds whenever it is asked to, until it is asked for 0. */
static void other(const struct shared *shared) {
    hsa_signal_t asked, answered;
    hsa_amd_pointer_info_t info = {.size = sizeof info};
    set_up(NULL);
    int *values = attach(&shared->memory);
    assert_ptr_equal(attach(&shared->memory), values);
    OK(hsa_amd_ipc_memory_detach(values)); /* one of two */
    OK(hsa_amd_pointer_info(values, &info, NULL, NULL, NULL));
    assert_int_equal(info.type, HSA_EXT_POINTER_TYPE_IPC);
    OK(hsa_amd_ipc_signal_attach(&shared->asked, &asked));
    OK(hsa_amd_ipc_signal_attach(&shared->answered, &answered));
    for (int64_t round = 1, number; round < 100; round++) {
        number = hsa_signal_wait_scacquire(asked, HSA_SIGNAL_CONDITION_NE, round - 1, UINT64_MAX, HSA_WAIT_STATE_BLOCKED);
        if (number == 0)
            break;
        assert_int_equal(number, round);
        for (size_t i = 0; i < SHARED; i++)
            values[i]++;
        hsa_signal_store_screlease(answered, round);
    }
    OK(hsa_amd_ipc_memory_detach(values));
    assert_int_equal(hsa_amd_ipc_memory_detach(values), HSA_STATUS_ERROR_INVALID_ARGUMENT);
    OK(hsa_signal_destroy(asked));
    OK(hsa_signal_destroy(answered));
}

static pid_t start_other(const struct shared *shared) {
    char text[2 * sizeof *shared + 1];
    for (size_t i = 0; i < sizeof *shared; i++)
        snprintf(text + 2 * i, 3, "%02x", ((const unsigned char *)shared)[i]);
    const pid_t child = fork();
    if (child == 0) {
        execl("/proc/self/exe", "hsa_test", "other", text, NULL);
        _exit(1);
    }
    return child;
}

static void other_processes(void **state) {
    (void)state;
    if (!host_reaches_device())
        skip();
    struct shared shared, wrong;
    hsa_signal_t asked, answered, common = signal_of(0);
    int status = -1;
    int *values = allocate(device_pool, SHARED_BYTES);
    for (size_t i = 0; i < SHARED; i++)
        values[i] = (int)i;
    assert_int_equal(hsa_amd_ipc_memory_create(values + 1, SHARED_BYTES, &shared.memory), HSA_STATUS_ERROR_INVALID_ARGUMENT);
    assert_int_equal(hsa_amd_ipc_memory_create(values, SHARED_BYTES / 2, &shared.memory), HSA_STATUS_ERROR_INVALID_ARGUMENT);
    OK(hsa_amd_ipc_memory_create(values, SHARED_BYTES, &shared.memory));
    assert_int_equal(hsa_amd_ipc_signal_create(common, &shared.asked), HSA_STATUS_ERROR_INVALID_ARGUMENT);
    OK(hsa_amd_signal_create(0, 0, NULL, HSA_AMD_SIGNAL_IPC, &asked));
    OK(hsa_amd_signal_create(0, 0, NULL, HSA_AMD_SIGNAL_IPC, &answered));
    OK(hsa_amd_ipc_signal_create(asked, &shared.asked));
    OK(hsa_amd_ipc_signal_create(answered, &shared.answered));
    memset(&wrong, 7, sizeof wrong);
    assert_int_equal(hsa_amd_ipc_memory_attach(&wrong.memory, SHARED_BYTES, 0, NULL, &(void *){NULL}), HSA_STATUS_ERROR_INVALID_ARGUMENT);
    assert_int_equal(hsa_amd_ipc_signal_attach(&wrong.asked, &common), HSA_STATUS_ERROR_INVALID_ARGUMENT);
    assert_int_equal(hsa_amd_ipc_signal_attach(&shared.memory, &common), HSA_STATUS_ERROR_INVALID_ARGUMENT);
    assert_int_equal(hsa_amd_ipc_memory_attach(&shared.memory, SHARED_BYTES / 2, 0, NULL, &(void *){NULL}),
                     HSA_STATUS_ERROR_INVALID_ARGUMENT);

    const pid_t child = start_other(&shared);
    assert_true(child > 0);
    for (int64_t round = 1; round < 4; round++) {
        hsa_signal_store_screlease(asked, round);
        assert_int_equal(hsa_signal_wait_scacquire(answered, HSA_SIGNAL_CONDITION_EQ, round, (uint64_t)60e9, HSA_WAIT_STATE_BLOCKED),
                         round);
        for (size_t i = 0; i < SHARED; i++)
            assert_int_equal(values[i], i + (size_t)round);
    }
    hsa_signal_store_screlease(asked, 0);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    int *here = attach(&shared.memory); /* in this process, at another address */
    assert_ptr_not_equal(here, values);
    here[5] = -5;
    assert_int_equal(values[5], -5);
    OK(hsa_amd_ipc_memory_detach(here));
    OK(hsa_amd_memory_pool_free(values));
    assert_int_equal(hsa_amd_ipc_memory_attach(&shared.memory, SHARED_BYTES, 0, NULL, &(void *){NULL}), HSA_STATUS_ERROR_INVALID_ARGUMENT);
    OK(hsa_signal_destroy(asked));
    OK(hsa_signal_destroy(answered));
    assert_int_equal(hsa_amd_ipc_signal_attach(&shared.asked, &asked), HSA_STATUS_ERROR_INVALID_ARGUMENT);
    OK(hsa_signal_destroy(common));
}

static hsa_status_t note_event(const hsa_amd_event_t *event, void *data) {
    (void)data;
    assert_int_equal(event->event_type, HSA_AMD_GPU_MEMORY_FAULT_EVENT);
    assert_int_equal(event->memory_fault.agent.handle, device.handle);
    failed.events++;
    return HSA_STATUS_SUCCESS;
}

/* A fault is told to the system's handler and the queue's, and the process goes on. Runs last: the queue is of no more use. */
static void faults(void **state) {
    (void)state;
    hsa_executable_t executable = load();
    hsa_queue_t *queue = make_queue();
    hsa_signal_t done = signal_of(1);
    int **nowhere = allocate(kernarg_pool, 256);
    *nowhere = (int *)(uintptr_t)0x10000;
    OK(hsa_amd_register_system_event_handler(note_event, NULL));
    dispatch(queue, kernel_of(executable, "fault.kd"), 64, 64, 0, nowhere, done);
    for (int i = 0; i < 10000 && __atomic_load_n(&failed.status, __ATOMIC_ACQUIRE) == HSA_STATUS_SUCCESS; i++)
        usleep(1000);
    assert_int_equal(failed.status, HSA_STATUS_ERROR_MEMORY_FAULT);
    assert_int_equal(failed.events, 1);
    assert_int_equal(hsa_signal_load_relaxed(done), 1);
    OK(hsa_queue_destroy(queue));
    OK(hsa_executable_destroy(executable));
    OK(hsa_signal_destroy(done));
    OK(hsa_shut_down());
    assert_int_equal(hsa_shut_down(), HSA_STATUS_ERROR_NOT_INITIALIZED);
}

static void wrong_arguments(void **state) {
    (void)state;
    hsa_queue_t *queue;
    void *memory;
    assert_int_equal(hsa_queue_create(host, 64, HSA_QUEUE_TYPE_MULTI, NULL, NULL, 0, 0, &queue), HSA_STATUS_ERROR_INVALID_QUEUE_CREATION);
    assert_int_equal(hsa_queue_create(device, 63, HSA_QUEUE_TYPE_MULTI, NULL, NULL, 0, 0, &queue), HSA_STATUS_ERROR_INVALID_ARGUMENT);
    assert_int_equal(hsa_queue_create((hsa_agent_t){1}, 64, HSA_QUEUE_TYPE_MULTI, NULL, NULL, 0, 0, &queue),
                     HSA_STATUS_ERROR_INVALID_AGENT);
    assert_int_equal(hsa_agent_get_info((hsa_agent_t){8}, HSA_AGENT_INFO_NAME, &queue), HSA_STATUS_ERROR_INVALID_AGENT);
    assert_int_equal(hsa_amd_memory_pool_allocate(device_pool, 0, 0, &memory), HSA_STATUS_ERROR_INVALID_ARGUMENT);
    assert_int_equal(hsa_amd_memory_pool_allocate(device_pool, SIZE_MAX / 4, 0, &memory), HSA_STATUS_ERROR_INVALID_ALLOCATION);
    hsa_code_object_reader_t reader;
    hsa_executable_t executable;
    OK(hsa_code_object_reader_create_from_memory("no code object, only text", 25, &reader));
    OK(hsa_executable_create_alt(HSA_PROFILE_BASE, HSA_DEFAULT_FLOAT_ROUNDING_MODE_DEFAULT, NULL, &executable));
    assert_int_equal(hsa_executable_load_agent_code_object(executable, device, reader, NULL, NULL), HSA_STATUS_ERROR_INVALID_CODE_OBJECT);
    OK(hsa_executable_destroy(executable));
    OK(hsa_code_object_reader_destroy(reader));
}

/* With an argument: the test of that name alone. */
int main(int argc, char **argv) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(wrong_arguments), cmocka_unit_test(regions),        cmocka_unit_test(symbols),  cmocka_unit_test(kernels),
        cmocka_unit_test(packet_fields),   cmocka_unit_test(barriers),       cmocka_unit_test(signals),  cmocka_unit_test(copies),
        cmocka_unit_test(pointers),        cmocka_unit_test(device_signals), cmocka_unit_test(with_hip), cmocka_unit_test(virtual_memory),
        cmocka_unit_test(other_processes), cmocka_unit_test(faults),
    };
    if (argc == 3 && strcmp(argv[1], "other") == 0) {
        struct shared shared;
        for (size_t i = 0; i < sizeof shared && strlen(argv[2]) == 2 * sizeof shared; i++)
            sscanf(argv[2] + 2 * i, "%2hhx", (unsigned char *)&shared + i);
        other(&shared);
        return 0;
    }
    if (argc > 1)
        cmocka_set_test_filter(argv[1]);
    return cmocka_run_group_tests(tests, set_up, NULL);
}
