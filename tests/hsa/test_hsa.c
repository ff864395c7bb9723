/* HSA's functions, as a client calls them, against the headers of AMD's release that is installed: agents, pools, signals, packets of
 * its own, copies, executables, and memory that HIP's library allocated. */
#include <hsa.h>
#include <hsa_ext_amd.h>
#include <hsa_ven_amd_loader.h>

#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

int hipMalloc(void **memory, size_t size);
int hipFree(void *memory);
int hipMemset(void *memory, int value, size_t size);
int hipDeviceSynchronize(void);

#define OK(call) assert_int_equal(call, HSA_STATUS_SUCCESS)

static hsa_agent_t host, device;
static hsa_amd_memory_pool_t host_pool, kernarg_pool, device_pool;

/* ---- finding things ------------------------------------------------------------------------------------ */

static hsa_status_t see_agent(hsa_agent_t agent, void *data) {
    hsa_device_type_t type;
    (void)data;
    OK(hsa_agent_get_info(agent, HSA_AGENT_INFO_DEVICE, &type));
    if (type == HSA_DEVICE_TYPE_CPU)
        host = agent;
    else if (!device.handle)
        device = agent;
    return HSA_STATUS_SUCCESS;
}

static hsa_status_t see_pool(hsa_amd_memory_pool_t pool, void *data) {
    hsa_amd_segment_t segment;
    uint32_t flags;
    OK(hsa_amd_memory_pool_get_info(pool, HSA_AMD_MEMORY_POOL_INFO_SEGMENT, &segment));
    if (segment != HSA_AMD_SEGMENT_GLOBAL)
        return HSA_STATUS_SUCCESS;
    OK(hsa_amd_memory_pool_get_info(pool, HSA_AMD_MEMORY_POOL_INFO_GLOBAL_FLAGS, &flags));
    if (data && flags & HSA_AMD_MEMORY_POOL_GLOBAL_FLAG_COARSE_GRAINED)
        device_pool = pool;
    else if (!data && flags & HSA_AMD_MEMORY_POOL_GLOBAL_FLAG_KERNARG_INIT)
        kernarg_pool = pool;
    else if (!data && flags & HSA_AMD_MEMORY_POOL_GLOBAL_FLAG_FINE_GRAINED)
        host_pool = pool;
    return HSA_STATUS_SUCCESS;
}

static int set_up(void **state) {
    (void)state;
    uint16_t major = 0;
    assert_int_equal(hsa_system_get_info(HSA_SYSTEM_INFO_VERSION_MAJOR, &major), HSA_STATUS_ERROR_NOT_INITIALIZED);
    OK(hsa_init());
    OK(hsa_system_get_info(HSA_SYSTEM_INFO_VERSION_MAJOR, &major));
    assert_int_equal(major, 1);
    OK(hsa_iterate_agents(see_agent, NULL));
    assert_true(host.handle && device.handle);
    OK(hsa_amd_agent_iterate_memory_pools(host, see_pool, NULL));
    OK(hsa_amd_agent_iterate_memory_pools(device, see_pool, &device));
    assert_true(host_pool.handle && kernarg_pool.handle && device_pool.handle);
    return 0;
}

static void *allocate(hsa_amd_memory_pool_t pool, size_t size) {
    void *memory = NULL;
    OK(hsa_amd_memory_pool_allocate(pool, size, 0, &memory));
    return memory;
}

static hsa_signal_t signal_of(int64_t value) {
    hsa_signal_t signal;
    OK(hsa_signal_create(value, 0, NULL, &signal));
    return signal;
}

/* ---- executables --------------------------------------------------------------------------------------------- */

static hsa_executable_t load(void) {
    hsa_code_object_reader_t reader;
    hsa_executable_t executable;
    FILE *file = fopen(HSA_KERNELS, "rb");
    assert_non_null(file);
    OK(hsa_code_object_reader_create_from_file(fileno(file), &reader));
    fclose(file);
    OK(hsa_executable_create_alt(HSA_PROFILE_BASE, HSA_DEFAULT_FLOAT_ROUNDING_MODE_DEFAULT, NULL, &executable));
    OK(hsa_executable_load_agent_code_object(executable, device, reader, NULL, NULL));
    OK(hsa_executable_freeze(executable, NULL));
    assert_int_equal(hsa_executable_load_agent_code_object(executable, device, reader, NULL, NULL), HSA_STATUS_ERROR_FROZEN_EXECUTABLE);
    OK(hsa_code_object_reader_destroy(reader));
    return executable;
}

static hsa_executable_symbol_t symbol_of(hsa_executable_t executable, const char *name) {
    hsa_executable_symbol_t symbol;
    OK(hsa_executable_get_symbol_by_name(executable, name, &device, &symbol));
    return symbol;
}

static uint64_t kernel_of(hsa_executable_t executable, const char *name) {
    uint64_t object = 0;
    OK(hsa_executable_symbol_get_info(symbol_of(executable, name), HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_OBJECT, &object));
    assert_int_not_equal(object, 0);
    return object;
}

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

static struct {
    hsa_status_t status;
    unsigned events;
} failed;

static void note_failure(hsa_status_t status, hsa_queue_t *queue, void *data) {
    (void)queue, (void)data;
    __atomic_store_n(&failed.status, status, __ATOMIC_RELEASE);
}

static hsa_queue_t *make_queue(void) {
    hsa_queue_t *queue = NULL;
    OK(hsa_queue_create(device, 64, HSA_QUEUE_TYPE_MULTI, note_failure, NULL, UINT32_MAX, UINT32_MAX, &queue));
    return queue;
}

/* A packet's body first, then its header, then the doorbell. */
static void submit(hsa_queue_t *queue, const void *packet, uint16_t type) {
    const uint64_t index = hsa_queue_add_write_index_relaxed(queue, 1);
    while (index - hsa_queue_load_read_index_scacquire(queue) >= queue->size)
        usleep(10);
    char *slot = (char *)queue->base_address + index % queue->size * 64;
    memcpy(slot + 2, (const char *)packet + 2, 62);
    const uint16_t header =
        (uint16_t)(type | 1 << HSA_PACKET_HEADER_BARRIER | HSA_FENCE_SCOPE_SYSTEM << HSA_PACKET_HEADER_SCACQUIRE_FENCE_SCOPE |
                   HSA_FENCE_SCOPE_SYSTEM << HSA_PACKET_HEADER_SCRELEASE_FENCE_SCOPE);
    __atomic_store_n((uint16_t *)slot, header, __ATOMIC_RELEASE);
    hsa_signal_store_screlease(queue->doorbell_signal, (int64_t)index);
}

static void dispatch(hsa_queue_t *queue, uint64_t kernel, uint32_t items, uint16_t size, uint32_t lds, void *kernarg, hsa_signal_t done) {
    const hsa_kernel_dispatch_packet_t packet = {.setup = 1,
                                                 .workgroup_size_x = size,
                                                 .workgroup_size_y = 1,
                                                 .workgroup_size_z = 1,
                                                 .grid_size_x = items,
                                                 .grid_size_y = 1,
                                                 .grid_size_z = 1,
                                                 .group_segment_size = lds,
                                                 .kernel_object = kernel,
                                                 .kernarg_address = kernarg,
                                                 .completion_signal = done};
    submit(queue, &packet, HSA_PACKET_TYPE_KERNEL_DISPATCH);
}

static void wait_for(hsa_signal_t signal) {
    assert_int_equal(hsa_signal_wait_scacquire(signal, HSA_SIGNAL_CONDITION_LT, 1, UINT64_MAX, HSA_WAIT_STATE_BLOCKED), 0);
}

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
    int *values = allocate(device_pool, COUNT * sizeof *values);
    for (int i = 0; i < COUNT; i++)
        values[i] = i;
    *scale = (__typeof__(*scale)){values, COUNT};
    uint64_t address = 0;
    OK(hsa_executable_symbol_get_info(symbol_of(executable, "factor"), HSA_EXECUTABLE_SYMBOL_INFO_VARIABLE_ADDRESS, &address));
    for (int i = 0; i < 200; i++) { /* more than the queue has places; -1 to the power of 200 */
        OK(hsa_memory_copy((void *)(uintptr_t)address, &(int){-1}, sizeof(int)));
        dispatch(queue, kernel_of(executable, "scale.kd"), COUNT, 64, 0, scale, done); /* the last workgroup is a partial one */
    }
    wait_for(done);
    for (int i = 0; i < COUNT; i++)
        assert_int_equal(values[i], i);
    OK(hsa_memory_copy((void *)(uintptr_t)address, &(int){5}, sizeof(int)));
    hsa_signal_store_relaxed(done, 1);
    dispatch(queue, kernel_of(executable, "scale.kd"), COUNT, 64, 0, scale, done);
    wait_for(done);
    assert_int_equal(values[999], 4995);
    hsa_amd_profiling_dispatch_time_t time;
    OK(hsa_amd_profiling_get_dispatch_time(device, done, &time));
    assert_true(time.start && time.end >= time.start);

    uint64_t *seen = allocate(host_pool, 4096);
    uint64_t **look = allocate(kernarg_pool, 256);
    *look = seen;
    hsa_signal_store_relaxed(done, 1);
    dispatch(queue, kernel_of(executable, "look.kd"), 1, 1, 0, look, done);
    wait_for(done);
    assert_int_equal(seen[0], (uint64_t)(uintptr_t)look);
    assert_int_equal(seen[1], done.handle);
    assert_int_equal(seen[2], queue->size);

    struct {
        int *values;
        uint32_t offset;
    } *turn = allocate(kernarg_pool, 256);
    *turn = (__typeof__(*turn)){values, 0};
    hsa_signal_store_relaxed(done, 1);
    dispatch(queue, kernel_of(executable, "turn.kd"), 256, 256, 1024, turn, done);
    wait_for(done);
    assert_int_equal(values[0], 255 * 5);
    assert_int_equal(failed.status, HSA_STATUS_SUCCESS);

    OK(hsa_amd_memory_pool_free(values));
    assert_int_equal(hsa_amd_memory_pool_free(values), HSA_STATUS_ERROR_INVALID_ALLOCATION);
    OK(hsa_amd_memory_pool_free(scale));
    OK(hsa_amd_memory_pool_free(seen));
    OK(hsa_amd_memory_pool_free(look));
    OK(hsa_amd_memory_pool_free(turn));
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
    assert_int_equal(to[5], 1);
    assert_int_equal(hsa_signal_load_relaxed(next), 1);
    hsa_signal_store_screlease(before, 0);
    wait_for(next);
    assert_int_equal(hsa_signal_load_relaxed(done), 0);
    assert_int_equal(to[SIZE - 1], 7);
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
        cmocka_unit_test(wrong_arguments), cmocka_unit_test(symbols), cmocka_unit_test(kernels),  cmocka_unit_test(barriers),
        cmocka_unit_test(signals),         cmocka_unit_test(copies),  cmocka_unit_test(pointers), cmocka_unit_test(device_signals),
        cmocka_unit_test(with_hip),        cmocka_unit_test(faults),
    };
    if (argc > 1)
        cmocka_set_test_filter(argv[1]);
    return cmocka_run_group_tests(tests, set_up, NULL);
}
