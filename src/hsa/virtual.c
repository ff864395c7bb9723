/* HSA: virtual memory by handles (hsa_amd_vmem_...), which is HIP's (runtime/virtual.h). */
#include "hsa/hsa.h"

#include "runtime/managed.h"

typedef struct {
    uint64_t handle;
} hsa_amd_vmem_alloc_handle_t;

typedef struct {
    int permissions; /* HSA_ACCESS_PERMISSION_* */
    hsa_agent_t agent_handle;
} hsa_amd_memory_access_desc_t;

/* NULL: not a live handle. */
static struct wl_physical *physical_of(hsa_amd_vmem_alloc_handle_t handle) {
    struct wl_physical *physical = (struct wl_physical *)(uintptr_t)handle.handle;
    return physical && wl_core.handle_is(physical, WL_HANDLE_PHYSICAL) ? physical : NULL;
}

/* Whether something is mapped at an address. */
static bool is_mapped(const void *va) {
    bool readable, writable;
    return va && wl_core.virtual_access(va, WL_LOCATION_HOST, &readable, &writable);
}

static bool is_granular(size_t size) { return size > 0 && size % WL_GRANULARITY == 0; }

/* ---- addresses ------------------------------------------------------------------------------------------ */

HSA hsa_amd_vmem_address_reserve_align(void **va, size_t size, uint64_t address, uint64_t alignment, uint64_t flags) {
    HSA_STARTED();
    HSA_REQUIRE(va && is_granular(size) && !(flags & ~(uint64_t)HSA_AMD_VMEM_ADDRESS_NO_REGISTER), HSA_STATUS_ERROR_INVALID_ARGUMENT);
    HSA_REQUIRE(alignment == 0 || (alignment >= WL_GRANULARITY && (alignment & (alignment - 1)) == 0), HSA_STATUS_ERROR_INVALID_ARGUMENT);
    return wl_hsa_status(wl_core.virtual_reserve(wl_core.context_at(0), size, alignment, (void *)(uintptr_t)address, va), __func__);
}

HSA hsa_amd_vmem_address_reserve(void **va, size_t size, uint64_t address, uint64_t flags) {
    return hsa_amd_vmem_address_reserve_align(va, size, address, 0, flags);
}

HSA hsa_amd_vmem_address_free(void *va, size_t size) {
    HSA_STARTED();
    HSA_REQUIRE(va && wl_core.virtual_is_reserved(va), HSA_STATUS_ERROR_INVALID_ALLOCATION);
    HSA_REQUIRE(is_granular(size), HSA_STATUS_ERROR_INVALID_ARGUMENT);
    if (wl_core.virtual_release(va, size) == WL_OK)
        return HSA_STATUS_SUCCESS;
    for (size_t at = 0; at < size && wl_core.virtual_is_reserved((char *)va + at); at += WL_GRANULARITY)
        if (is_mapped((char *)va + at))
            return HSA_STATUS_ERROR_RESOURCE_FREE;
    return HSA_STATUS_ERROR_INVALID_ARGUMENT;
}

/* ---- memory ---------------------------------------------------------------------------------------------- */

HSA hsa_amd_vmem_handle_create(hsa_amd_memory_pool_t pool, size_t size, int type, uint64_t flags,
                               hsa_amd_vmem_alloc_handle_t *memory_handle) {
    HSA_STARTED();
    const struct wl_hsa_pool *from = wl_hsa_pool(pool.handle);
    struct wl_physical *physical = NULL;
    HSA_REQUIRE(from && memory_handle && flags == 0 && (type == MEMORY_TYPE_NONE || type == MEMORY_TYPE_PINNED),
                HSA_STATUS_ERROR_INVALID_ARGUMENT);
    struct wl_context *context = from->agent->context;
    HSA_REQUIRE(context && from->segment == HSA_AMD_SEGMENT_GLOBAL, HSA_STATUS_ERROR_INVALID_ALLOCATION); /* a device's memory alone */
    HSA_REQUIRE(size > 0 && size % wl_core.physical_granularity(context, false) == 0, HSA_STATUS_ERROR_INVALID_ARGUMENT);
    const enum wl_status status = wl_core.physical_create(context, size, true, (unsigned)type, &physical);
    if (status == WL_OK)
        *memory_handle = (hsa_amd_vmem_alloc_handle_t){(uint64_t)(uintptr_t)physical};
    return wl_hsa_status(status, __func__);
}

HSA hsa_amd_vmem_handle_release(hsa_amd_vmem_alloc_handle_t memory_handle) {
    HSA_STARTED();
    struct wl_physical *physical = physical_of(memory_handle);
    HSA_REQUIRE(physical && wl_core.physical_release(physical) == WL_OK, HSA_STATUS_ERROR_INVALID_ALLOCATION);
    return HSA_STATUS_SUCCESS;
}

HSA hsa_amd_vmem_retain_alloc_handle(hsa_amd_vmem_alloc_handle_t *memory_handle, void *addr) {
    HSA_STARTED();
    HSA_REQUIRE(memory_handle, HSA_STATUS_ERROR_INVALID_ARGUMENT);
    struct wl_physical *physical = addr ? wl_core.physical_at(addr) : NULL;
    HSA_REQUIRE(physical, HSA_STATUS_ERROR_INVALID_ALLOCATION);
    *memory_handle = (hsa_amd_vmem_alloc_handle_t){(uint64_t)(uintptr_t)physical};
    return HSA_STATUS_SUCCESS;
}

HSA hsa_amd_vmem_get_alloc_properties_from_handle(hsa_amd_vmem_alloc_handle_t memory_handle, hsa_amd_memory_pool_t *pool, int *type) {
    HSA_STARTED();
    const struct wl_physical *physical = physical_of(memory_handle);
    HSA_REQUIRE(pool && type, HSA_STATUS_ERROR_INVALID_ARGUMENT);
    HSA_REQUIRE(physical, HSA_STATUS_ERROR_INVALID_ALLOCATION);
    const struct wl_hsa_agent *agent = wl_hsa_agent(wl_hsa_agent_of(physical->context));
    *pool = (hsa_amd_memory_pool_t){(uint64_t)(uintptr_t)&agent->pools[0]};
    *type = (int)physical->flags;
    return HSA_STATUS_SUCCESS;
}

/* What the documents call a dma-buf is a descriptor that only this library and HIP's can import. */
HSA hsa_amd_vmem_export_shareable_handle(int *dmabuf_fd, hsa_amd_vmem_alloc_handle_t handle, uint64_t flags) {
    HSA_STARTED();
    const struct wl_physical *physical = physical_of(handle);
    HSA_REQUIRE(dmabuf_fd && flags == 0, HSA_STATUS_ERROR_INVALID_ARGUMENT);
    HSA_REQUIRE(physical, HSA_STATUS_ERROR_INVALID_ALLOCATION);
    return wl_hsa_status(wl_core.physical_export(physical, dmabuf_fd), __func__);
}

HSA hsa_amd_vmem_import_shareable_handle(int dmabuf_fd, hsa_amd_vmem_alloc_handle_t *handle) {
    HSA_STARTED();
    struct wl_physical *physical = NULL;
    HSA_REQUIRE(handle, HSA_STATUS_ERROR_INVALID_ARGUMENT);
    HSA_REQUIRE(wl_core.physical_import(wl_core.context_at(0), dmabuf_fd, &physical) == WL_OK, HSA_STATUS_ERROR_INVALID_ALLOCATION);
    *handle = (hsa_amd_vmem_alloc_handle_t){(uint64_t)(uintptr_t)physical};
    return HSA_STATUS_SUCCESS;
}

/* ---- mapping --------------------------------------------------------------------------------------------- */

HSA hsa_amd_vmem_map(void *va, size_t size, size_t in_offset, hsa_amd_vmem_alloc_handle_t memory_handle, uint64_t flags) {
    HSA_STARTED();
    struct wl_physical *physical = physical_of(memory_handle);
    HSA_REQUIRE(va && (uintptr_t)va % WL_GRANULARITY == 0 && in_offset == 0 && flags == 0, HSA_STATUS_ERROR_INVALID_ARGUMENT);
    HSA_REQUIRE(physical && (physical->size == size || (physical->size == 0 && is_granular(size))), HSA_STATUS_ERROR_INVALID_ARGUMENT);
    HSA_REQUIRE(wl_core.virtual_is_reserved(va), HSA_STATUS_ERROR_INVALID_ARGUMENT);
    const enum wl_status status = wl_core.virtual_map(va, size, physical);
    return status == WL_INVALID_VALUE ? HSA_STATUS_ERROR_INVALID_ARGUMENT : wl_hsa_status(status, __func__);
}

HSA hsa_amd_vmem_unmap(void *va, size_t size) {
    HSA_STARTED();
    HSA_REQUIRE(is_mapped(va), HSA_STATUS_ERROR_INVALID_ALLOCATION);
    HSA_REQUIRE(is_granular(size) && wl_core.virtual_unmap(va, size) == WL_OK, HSA_STATUS_ERROR_INVALID_ARGUMENT);
    return HSA_STATUS_SUCCESS;
}

static int location_of(const struct wl_hsa_agent *agent) { return agent->context ? (int)agent->context->index : WL_LOCATION_HOST; }

/* Agents that are not named keep what they may do. Write-only is reading and writing: no host has pages that are written alone. */
HSA hsa_amd_vmem_set_access(void *va, size_t size, const hsa_amd_memory_access_desc_t *desc, size_t desc_cnt) {
    HSA_STARTED();
    HSA_REQUIRE(va && desc && desc_cnt > 0 && is_granular(size), HSA_STATUS_ERROR_INVALID_ARGUMENT);
    HSA_REQUIRE(is_mapped(va), HSA_STATUS_ERROR_INVALID_ALLOCATION);
    for (size_t i = 0; i < desc_cnt; i++) { /* all or nothing */
        HSA_REQUIRE(wl_hsa_agent(desc[i].agent_handle), HSA_STATUS_ERROR_INVALID_AGENT);
        HSA_REQUIRE(desc[i].permissions >= HSA_ACCESS_PERMISSION_NONE && desc[i].permissions <= HSA_ACCESS_PERMISSION_RW,
                    HSA_STATUS_ERROR_INVALID_ARGUMENT);
    }
    for (size_t i = 0; i < desc_cnt; i++) {
        const int permissions = desc[i].permissions;
        const enum wl_status status =
            wl_core.virtual_protect(va, size, location_of(wl_hsa_agent(desc[i].agent_handle)), permissions != HSA_ACCESS_PERMISSION_NONE,
                                    permissions & HSA_ACCESS_PERMISSION_WO);
        HSA_REQUIRE(status != WL_INVALID_VALUE, HSA_STATUS_ERROR_INVALID_ARGUMENT);
        if (status != WL_OK)
            return wl_hsa_status(status, __func__);
    }
    return HSA_STATUS_SUCCESS;
}

HSA hsa_amd_vmem_get_access(void *va, int *perms, hsa_agent_t agent_handle) {
    HSA_STARTED();
    bool readable = false, writable = false;
    const struct wl_hsa_agent *agent = wl_hsa_agent(agent_handle);
    HSA_REQUIRE(agent, HSA_STATUS_ERROR_INVALID_AGENT);
    HSA_REQUIRE(perms, HSA_STATUS_ERROR_INVALID_ARGUMENT);
    HSA_REQUIRE(va && wl_core.virtual_access(va, location_of(agent), &readable, &writable), HSA_STATUS_ERROR_INVALID_ALLOCATION);
    *perms = writable ? HSA_ACCESS_PERMISSION_RW : readable ? HSA_ACCESS_PERMISSION_RO : HSA_ACCESS_PERMISSION_NONE;
    return HSA_STATUS_SUCCESS;
}
