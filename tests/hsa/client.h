/* What the tests of HSA share: the agents and pools there are, signals, the kernels of kernels.cl, packets. */
#ifndef WL_TEST_HSA_CLIENT_H
#define WL_TEST_HSA_CLIENT_H

#include <hsa.h>
#include <hsa_ext_amd.h>

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#define OK(call) assert_int_equal(call, HSA_STATUS_SUCCESS)

static hsa_agent_t host, device;
static hsa_amd_memory_pool_t host_pool, kernarg_pool, device_pool;

/* ---- finding things ------------------------------------------------------------------------------------ */

static inline hsa_status_t see_agent(hsa_agent_t agent, void *data) {
    hsa_device_type_t type;
    (void)data;
    OK(hsa_agent_get_info(agent, HSA_AGENT_INFO_DEVICE, &type));
    if (type == HSA_DEVICE_TYPE_CPU)
        host = agent;
    else if (!device.handle)
        device = agent;
    return HSA_STATUS_SUCCESS;
}

static inline hsa_status_t see_pool(hsa_amd_memory_pool_t pool, void *data) {
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

static inline int set_up(void **state) {
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

static inline void *allocate(hsa_amd_memory_pool_t pool, size_t size) {
    void *memory = NULL;
    OK(hsa_amd_memory_pool_allocate(pool, size, 0, &memory));
    return memory;
}

static inline hsa_signal_t signal_of(int64_t value) {
    hsa_signal_t signal;
    OK(hsa_signal_create(value, 0, NULL, &signal));
    return signal;
}

/* ---- executables ---- */

static inline hsa_executable_t load(void) {
    hsa_code_object_reader_t reader;
    hsa_executable_t executable;
    char name[4096];
    const char *arch = getenv("WAVELIFT_ARCH");
    snprintf(name, sizeof name, "%s/kernels.%s.co", HSA_KERNELS, arch ? arch : "gfx90a");
    FILE *file = fopen(name, "rb");
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

static inline hsa_executable_symbol_t symbol_of(hsa_executable_t executable, const char *name) {
    hsa_executable_symbol_t symbol;
    OK(hsa_executable_get_symbol_by_name(executable, name, &device, &symbol));
    return symbol;
}

static inline uint64_t kernel_of(hsa_executable_t executable, const char *name) {
    uint64_t object = 0;
    OK(hsa_executable_symbol_get_info(symbol_of(executable, name), HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_OBJECT, &object));
    assert_int_not_equal(object, 0);
    return object;
}

/* ---- queues ---- */

static struct {
    hsa_status_t status;
    unsigned events;
} failed;

static inline void note_failure(hsa_status_t status, hsa_queue_t *queue, void *data) {
    (void)queue, (void)data;
    __atomic_store_n(&failed.status, status, __ATOMIC_RELEASE);
}

static inline hsa_queue_t *make_queue(void) {
    hsa_queue_t *queue = NULL;
    OK(hsa_queue_create(device, 64, HSA_QUEUE_TYPE_MULTI, note_failure, NULL, UINT32_MAX, UINT32_MAX, &queue));
    return queue;
}

/* A packet's body first, then its header, then the doorbell. */
static inline void submit(hsa_queue_t *queue, const void *packet, uint16_t type) {
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

static inline void dispatch(hsa_queue_t *queue, uint64_t kernel, uint32_t items, uint16_t size, uint32_t lds, void *kernarg,
                            hsa_signal_t done) {
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

static inline void wait_for(hsa_signal_t signal) {
    assert_int_equal(hsa_signal_wait_scacquire(signal, HSA_SIGNAL_CONDITION_LT, 1, UINT64_MAX, HSA_WAIT_STATE_BLOCKED), 0);
}

#endif
