/* HSA: memory and signals of other processes. Handles are the runtime's short ones (runtime/share.h). */
#include "hsa/hsa.h"

#include "device/device.h"

#include <string.h>

typedef struct {
    uint32_t handle[8];
} hsa_amd_ipc_memory_t;
_Static_assert(sizeof(hsa_amd_ipc_memory_t) == WL_SHARE_SHORT, "HSA's handle");

/* ---- memory -------------------------------------------------------------------------------------------- */

/* Whether an allocation is as long as the caller says, who may have asked for less than whole pages. */
static bool is_length(const struct wl_allocation *allocation, size_t length) {
    return length == allocation->size || (length > 0 && length < allocation->size && allocation->size - length < WL_GRANULARITY);
}

HSA hsa_amd_ipc_memory_create(void *ptr, size_t len, hsa_amd_ipc_memory_t *handle) {
    HSA_STARTED();
    struct wl_allocation allocation;
    unsigned char shared[WL_SHARED_HANDLE];
    HSA_REQUIRE(ptr && handle && wl_core.memory_find(ptr, &allocation), HSA_STATUS_ERROR_INVALID_ARGUMENT);
    HSA_REQUIRE(allocation.address == (uint64_t)(uintptr_t)ptr && is_length(&allocation, len), HSA_STATUS_ERROR_INVALID_ARGUMENT);
    HSA_REQUIRE(allocation.kind == WL_MEMORY_DEVICE, HSA_STATUS_ERROR_INVALID_ARGUMENT); /* of a device's pool */
    const hsa_status_t status = wl_hsa_status(wl_core.share_handle_make(ptr, shared), __func__);
    return status == HSA_STATUS_SUCCESS ? wl_hsa_status(wl_core.share_shorten(shared, handle), __func__) : status;
}

/* The first of the agents that is a device, else HIP's first. NULL: one of them is no agent. */
static struct wl_context *context_of(uint32_t count, const hsa_agent_t *agents) {
    struct wl_context *context = NULL;
    for (uint32_t i = 0; i < count; i++) {
        const struct wl_hsa_agent *agent = wl_hsa_agent(agents[i]);
        if (!agent)
            return NULL;
        context = context ? context : agent->context;
    }
    return context ? context : wl_core.context_at(0);
}

HSA hsa_amd_ipc_memory_attach(const hsa_amd_ipc_memory_t *handle, size_t len, uint32_t num_agents, const hsa_agent_t *mapping_agents,
                              void **mapped_ptr) {
    HSA_STARTED();
    struct wl_allocation allocation;
    unsigned char shared[WL_SHARED_HANDLE];
    void *memory = NULL;
    HSA_REQUIRE(handle && mapped_ptr && (num_agents == 0 || mapping_agents), HSA_STATUS_ERROR_INVALID_ARGUMENT);
    struct wl_context *context = context_of(num_agents, mapping_agents);
    HSA_REQUIRE(context, HSA_STATUS_ERROR_INVALID_AGENT);
    HSA_REQUIRE(wl_core.share_lengthen(handle, shared) == WL_OK, HSA_STATUS_ERROR_INVALID_ARGUMENT);
    const enum wl_status status = wl_core.share_handle_open(context, shared, &memory);
    HSA_REQUIRE(status != WL_NOT_FOUND && status != WL_INVALID_VALUE && status != WL_ILLEGAL_STATE, HSA_STATUS_ERROR_INVALID_ARGUMENT);
    if (status != WL_OK)
        return wl_hsa_status(status, __func__);
    if (!wl_core.memory_find(memory, &allocation) || !is_length(&allocation, len)) {
        (void)wl_core.share_handle_close(memory);
        return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    }
    *mapped_ptr = memory;
    return HSA_STATUS_SUCCESS;
}

HSA hsa_amd_ipc_memory_detach(void *mapped_ptr) {
    HSA_STARTED();
    HSA_REQUIRE(mapped_ptr && wl_core.share_handle_close(mapped_ptr) == WL_OK, HSA_STATUS_ERROR_INVALID_ARGUMENT);
    return HSA_STATUS_SUCCESS;
}

/* ---- signals -------------------------------------------------------------------------------------------- */

/* A signal that processes share has a page of its own, with its handle behind it. */
struct shared_signal {
    struct wl_hsa_signal signal;
    hsa_amd_ipc_memory_t handle;
};

struct wl_hsa_signal *wl_hsa_shared_signal_make(void) {
    hsa_amd_ipc_memory_t handle;
    void *page = NULL;
    if (wl_core.share_page(&page, &handle) != WL_OK)
        return NULL;
    struct shared_signal *shared = page;
    shared->handle = handle;
    shared->signal.shared = true;
    return &shared->signal;
}

void wl_hsa_shared_signal_close(struct wl_hsa_signal *signal) {
    const hsa_amd_ipc_memory_t handle = ((struct shared_signal *)signal)->handle;
    wl_core.share_close_page(signal, &handle);
}

HSA hsa_amd_ipc_signal_create(hsa_signal_t signal, hsa_amd_ipc_memory_t *handle) {
    HSA_STARTED();
    const struct wl_hsa_signal *s = wl_hsa_signal(signal);
    HSA_REQUIRE(s && s->shared && handle, HSA_STATUS_ERROR_INVALID_ARGUMENT);
    *handle = ((const struct shared_signal *)s)->handle;
    return HSA_STATUS_SUCCESS;
}

HSA hsa_amd_ipc_signal_attach(const hsa_amd_ipc_memory_t *handle, hsa_signal_t *signal) {
    HSA_STARTED();
    void *page = NULL;
    HSA_REQUIRE(handle && signal, HSA_STATUS_ERROR_INVALID_ARGUMENT);
    const enum wl_status status = wl_core.share_open_page(handle, &page);
    HSA_REQUIRE(status != WL_NOT_FOUND && status != WL_INVALID_VALUE, HSA_STATUS_ERROR_INVALID_ARGUMENT);
    if (status == WL_OK)
        *signal = (hsa_signal_t){(uint64_t)(uintptr_t)page};
    return wl_hsa_status(status, __func__);
}
