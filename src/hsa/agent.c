/* HSA: agents and what is known of them; instruction sets, wavefronts, caches. */
#include "hsa/hsa.h"

#include "base/cpu.h"

#include <stdio.h>
#include <string.h>
#include <sys/sysinfo.h>
#include <unistd.h>

enum { MAX_AGENTS = WL_MAX_DEVICES + 1, QUEUES = 128, QUEUE_LEAST = 64 };

static struct {
    struct wl_hsa_agent agents[MAX_AGENTS];
    unsigned count;
} all;

/* ---- making them ------------------------------------------------------------------------------------ */

static uint64_t host_memory(void) {
    struct sysinfo info;
    return sysinfo(&info) == 0 ? (uint64_t)info.totalram * info.mem_unit : 0;
}

static void add_pool(struct wl_hsa_agent *agent, int segment, uint32_t flags, uint64_t size) {
    agent->pools[agent->pool_count++] = (struct wl_hsa_pool){.agent = agent, .segment = segment, .flags = flags, .size = size};
}

static void make_host(struct wl_hsa_agent *agent) {
    const uint64_t size = host_memory();
    wl_cpu_name(agent->name, sizeof agent->name);
    add_pool(agent, HSA_AMD_SEGMENT_GLOBAL, HSA_AMD_MEMORY_POOL_GLOBAL_FLAG_FINE_GRAINED, size);
    add_pool(agent, HSA_AMD_SEGMENT_GLOBAL, HSA_AMD_MEMORY_POOL_GLOBAL_FLAG_FINE_GRAINED | HSA_AMD_MEMORY_POOL_GLOBAL_FLAG_KERNARG_INIT,
             size);
    add_pool(agent, HSA_AMD_SEGMENT_GLOBAL, HSA_AMD_MEMORY_POOL_GLOBAL_FLAG_COARSE_GRAINED, size);
}

static void make_device(struct wl_hsa_agent *agent, struct wl_context *context, unsigned node) {
    char text[64];
    agent->context = context;
    agent->node = node;
    agent->isa.target = *wl_core.target();
    agent->isa.wave_size = agent->isa.target.major >= 10 ? 32 : 64;
    (void)wl_target_format(&agent->isa.target, text, sizeof text);
    snprintf(agent->isa.name, sizeof agent->isa.name, "amdgcn-amd-amdhsa--%s", text);
    snprintf(agent->name, sizeof agent->name, "%.*s", (int)strcspn(text, ":"), text);
    add_pool(agent, HSA_AMD_SEGMENT_GLOBAL, HSA_AMD_MEMORY_POOL_GLOBAL_FLAG_COARSE_GRAINED, context->info.memory_size);
    add_pool(agent, HSA_AMD_SEGMENT_GLOBAL, HSA_AMD_MEMORY_POOL_GLOBAL_FLAG_FINE_GRAINED, context->info.memory_size);
    add_pool(agent, HSA_AMD_SEGMENT_GROUP, 0, wl_core.context_lds(context));
}

hsa_status_t wl_hsa_agents_make(void) {
    wl_hsa_find_images();
    const unsigned devices = wl_core.context_count();
    make_host(&all.agents[0]);
    for (unsigned i = 0; i < devices && i < MAX_AGENTS - 1; i++)
        make_device(&all.agents[i + 1], wl_core.context_at(i), i + 1);
    all.count = devices + 1;
    return HSA_STATUS_SUCCESS;
}

/* ---- finding them ------------------------------------------------------------------------------------ */

struct wl_hsa_agent *wl_hsa_agents(unsigned *count) {
    *count = all.count;
    return all.agents;
}

struct wl_hsa_agent *wl_hsa_agent(hsa_agent_t agent) {
    struct wl_hsa_agent *a = (struct wl_hsa_agent *)(uintptr_t)agent.handle;
    return a >= all.agents && a < all.agents + all.count && ((uintptr_t)a - (uintptr_t)all.agents) % sizeof *a == 0 ? a : NULL;
}

hsa_agent_t wl_hsa_agent_of(const struct wl_context *context) {
    return (hsa_agent_t){(uint64_t)(uintptr_t)&all.agents[context ? context->index + 1 : 0]};
}

struct wl_hsa_pool *wl_hsa_pool(uint64_t handle) {
    for (unsigned i = 0; i < all.count; i++)
        for (unsigned p = 0; p < all.agents[i].pool_count; p++)
            if (handle == (uint64_t)(uintptr_t)&all.agents[i].pools[p])
                return &all.agents[i].pools[p];
    return NULL;
}

HSA hsa_iterate_agents(hsa_status_t (*callback)(hsa_agent_t agent, void *data), void *data) {
    HSA_STARTED();
    HSA_REQUIRE(callback, HSA_STATUS_ERROR_INVALID_ARGUMENT);
    for (unsigned i = 0; i < all.count; i++) {
        const hsa_status_t status = callback((hsa_agent_t){(uint64_t)(uintptr_t)&all.agents[i]}, data);
        if (status != HSA_STATUS_SUCCESS)
            return status;
    }
    return HSA_STATUS_SUCCESS;
}

/* ---- attributes ---------------------------------------------------------------------------------------- */

static void uuid_of(const struct wl_hsa_agent *agent, char text[21]) {
    if (!agent->context) {
        snprintf(text, 21, "CPU-XX");
        return;
    }
    const struct wl_device_info *info = &agent->context->info;
    if (!info->discrete) {
        snprintf(text, 21, "GPU-%.16s", (const char *)info->uuid);
        return;
    }
    size_t used = (size_t)snprintf(text, 21, "GPU-");
    for (unsigned i = 0; i < 8; i++)
        used += (size_t)snprintf(text + used, 21 - used, "%02x", info->uuid[i]);
}

static hsa_status_t of_any(struct wl_hsa_agent *agent, int attribute, void *value) {
    const struct wl_device_info *info = agent->context ? &agent->context->info : NULL;
    char text[21];
    switch (attribute) {
    case HSA_AGENT_INFO_NAME:
        wl_hsa_text(value, agent->name, 64);
        break;
    case HSA_AGENT_INFO_VENDOR_NAME:
        wl_hsa_text(value, info ? "AMD" : "CPU", 64);
        break;
    case HSA_AMD_AGENT_INFO_PRODUCT_NAME:
        wl_hsa_text(value, info ? info->name : agent->name, 64);
        break;
    case HSA_AMD_AGENT_INFO_UUID:
        uuid_of(agent, text);
        wl_hsa_text(value, text, sizeof text);
        break;
    case HSA_AGENT_INFO_FEATURE:
        HSA_SET(uint32_t, info ? HSA_AGENT_FEATURE_KERNEL_DISPATCH : 0);
        break;
    case HSA_AGENT_INFO_MACHINE_MODEL:
        HSA_SET(uint32_t, HSA_MACHINE_MODEL_LARGE);
        break;
    case HSA_AGENT_INFO_PROFILE:
        HSA_SET(uint32_t, info ? HSA_PROFILE_BASE : HSA_PROFILE_FULL);
        break;
    case HSA_AGENT_INFO_DEFAULT_FLOAT_ROUNDING_MODE:
        HSA_SET(uint32_t, HSA_DEFAULT_FLOAT_ROUNDING_MODE_NEAR);
        break;
    case HSA_AGENT_INFO_BASE_PROFILE_DEFAULT_FLOAT_ROUNDING_MODES:
        HSA_SET(uint32_t, 1u << HSA_DEFAULT_FLOAT_ROUNDING_MODE_NEAR);
        break;
    case HSA_AGENT_INFO_NODE:
    case HSA_AMD_AGENT_INFO_DRIVER_NODE_ID:
        HSA_SET(uint32_t, agent->node);
        break;
    case HSA_AGENT_INFO_DEVICE:
        HSA_SET(uint32_t, info ? HSA_DEVICE_TYPE_GPU : HSA_DEVICE_TYPE_CPU);
        break;
    case HSA_AGENT_INFO_VERSION_MAJOR:
    case HSA_AGENT_INFO_VERSION_MINOR:
        HSA_SET(uint16_t, 1);
        break;
    case HSA_AGENT_INFO_EXTENSIONS:
        memset(value, 0, 128);
        *(uint8_t *)value = (uint8_t)(wl_hsa_has_images(agent) << HSA_EXTENSION_IMAGES);
        break;
    case HSA_AMD_AGENT_INFO_NEAREST_CPU:
        *(hsa_agent_t *)value = wl_hsa_agent_of(NULL);
        break;
    case HSA_AMD_AGENT_INFO_CACHELINE_SIZE:
        HSA_SET(uint32_t, info ? 128 : 64);
        break;
    case HSA_AMD_AGENT_INFO_TIMESTAMP_FREQUENCY:
        HSA_SET(uint64_t, UINT64_C(1000000000));
        break;
    default:
        return HSA_STATUS_INFO_BREAK; /* another function's */
    }
    return HSA_STATUS_SUCCESS;
}

static void caches_of(const struct wl_hsa_agent *agent, uint32_t sizes[4]) {
    memset(sizes, 0, 4 * sizeof *sizes);
    if (agent->context) {
        sizes[0] = 16u << 10;
        sizes[1] = agent->context->info.l2_size;
        return;
    }
    const long levels[] = {sysconf(_SC_LEVEL1_DCACHE_SIZE), sysconf(_SC_LEVEL2_CACHE_SIZE), sysconf(_SC_LEVEL3_CACHE_SIZE)};
    for (unsigned i = 0; i < 3; i++)
        sizes[i] = levels[i] > 0 ? (uint32_t)levels[i] : 0;
}

/* Of the host: what asks for a device's parts is answered with none. */
static hsa_status_t of_host(int attribute, void *value) {
    switch (attribute) {
    case HSA_AGENT_INFO_QUEUE_TYPE:
        HSA_SET(uint32_t, HSA_QUEUE_TYPE_MULTI);
        break;
    case HSA_AGENT_INFO_WORKGROUP_MAX_DIM:
        memset(value, 0, 3 * sizeof(uint16_t));
        break;
    case HSA_AGENT_INFO_GRID_MAX_DIM:
        memset(value, 0, 3 * sizeof(uint32_t));
        break;
    case HSA_AGENT_INFO_ISA:
        *(hsa_isa_t *)value = (hsa_isa_t){0};
        break;
    case HSA_AGENT_INFO_FAST_F16_OPERATION:
    case HSA_AMD_AGENT_INFO_COOPERATIVE_QUEUES:
    case HSA_AMD_AGENT_INFO_SVM_DIRECT_HOST_ACCESS:
        HSA_SET(bool, attribute == HSA_AMD_AGENT_INFO_SVM_DIRECT_HOST_ACCESS);
        break;
    case HSA_AMD_AGENT_INFO_COMPUTE_UNIT_COUNT:
        HSA_SET(uint32_t, sysconf(_SC_NPROCESSORS_ONLN));
        break;
    case HSA_AMD_AGENT_INFO_MEMORY_PROPERTIES:
        memset(value, 0, 8);
        break;
    case HSA_AMD_AGENT_INFO_MEMORY_AVAIL:
    case HSA_AMD_AGENT_INFO_SCRATCH_LIMIT_MAX:
    case HSA_AMD_AGENT_INFO_SCRATCH_LIMIT_CURRENT:
    case HSA_AMD_AGENT_INFO_DRIVER_UID:
        HSA_SET(uint64_t, 0);
        break;
    case HSA_AGENT_INFO_WAVEFRONT_SIZE:
    case HSA_AGENT_INFO_WORKGROUP_MAX_SIZE:
    case HSA_AGENT_INFO_GRID_MAX_SIZE:
    case HSA_AGENT_INFO_FBARRIER_MAX_SIZE:
    case HSA_AGENT_INFO_QUEUES_MAX:
    case HSA_AGENT_INFO_QUEUE_MIN_SIZE:
    case HSA_AGENT_INFO_QUEUE_MAX_SIZE:
    case HSA_AMD_AGENT_INFO_CHIP_ID:
    case HSA_AMD_AGENT_INFO_MAX_CLOCK_FREQUENCY:
    case HSA_AMD_AGENT_INFO_MAX_ADDRESS_WATCH_POINTS:
    case HSA_AMD_AGENT_INFO_BDFID:
    case HSA_AMD_AGENT_INFO_MEMORY_WIDTH:
    case HSA_AMD_AGENT_INFO_MEMORY_MAX_FREQUENCY:
    case HSA_AMD_AGENT_INFO_MAX_WAVES_PER_CU:
    case HSA_AMD_AGENT_INFO_NUM_SIMDS_PER_CU:
    case HSA_AMD_AGENT_INFO_NUM_SHADER_ENGINES:
    case HSA_AMD_AGENT_INFO_NUM_SHADER_ARRAYS_PER_SE:
    case HSA_AMD_AGENT_INFO_DOMAIN:
    case HSA_AMD_AGENT_INFO_ASIC_REVISION:
    case HSA_AMD_AGENT_INFO_COOPERATIVE_COMPUTE_UNIT_COUNT:
    case HSA_AMD_AGENT_INFO_ASIC_FAMILY_ID:
    case HSA_AMD_AGENT_INFO_UCODE_VERSION:
    case HSA_AMD_AGENT_INFO_SDMA_UCODE_VERSION:
    case HSA_AMD_AGENT_INFO_NUM_SDMA_ENG:
    case HSA_AMD_AGENT_INFO_NUM_SDMA_XGMI_ENG:
    case HSA_AMD_AGENT_INFO_IOMMU_SUPPORT:
    case HSA_AMD_AGENT_INFO_NUM_XCC:
        HSA_SET(uint32_t, 0);
        break;
    default:
        return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    }
    return HSA_STATUS_SUCCESS;
}

static hsa_status_t of_device(struct wl_hsa_agent *agent, int attribute, void *value) {
    const struct wl_device_info *info = &agent->context->info;
    uint64_t free = 0, total = 0;
    switch (attribute) {
    case HSA_AGENT_INFO_FAST_F16_OPERATION:
    case HSA_AMD_AGENT_INFO_COOPERATIVE_QUEUES:
        HSA_SET(bool, true);
        break;
    case HSA_AMD_AGENT_INFO_SVM_DIRECT_HOST_ACCESS:
        HSA_SET(bool, !info->discrete);
        break;
    case HSA_AGENT_INFO_WAVEFRONT_SIZE:
        HSA_SET(uint32_t, agent->isa.wave_size);
        break;
    case HSA_AGENT_INFO_WORKGROUP_MAX_DIM:
        for (int i = 0; i < 3; i++)
            ((uint16_t *)value)[i] = (uint16_t)info->max_block[i];
        break;
    case HSA_AGENT_INFO_WORKGROUP_MAX_SIZE:
        HSA_SET(uint32_t, info->max_workgroup_size);
        break;
    case HSA_AGENT_INFO_GRID_MAX_DIM: /* in work items */
        for (int i = 0; i < 3; i++)
            ((uint32_t *)value)[i] = info->any_grid ? UINT32_MAX : info->max_grid[i];
        break;
    case HSA_AGENT_INFO_GRID_MAX_SIZE:
        HSA_SET(uint32_t, UINT32_MAX);
        break;
    case HSA_AGENT_INFO_FBARRIER_MAX_SIZE:
        HSA_SET(uint32_t, 32);
        break;
    case HSA_AGENT_INFO_QUEUES_MAX:
        HSA_SET(uint32_t, QUEUES);
        break;
    case HSA_AGENT_INFO_QUEUE_MIN_SIZE:
        HSA_SET(uint32_t, QUEUE_LEAST);
        break;
    case HSA_AGENT_INFO_QUEUE_MAX_SIZE:
        HSA_SET(uint32_t, WL_HSA_QUEUE_MOST);
        break;
    case HSA_AGENT_INFO_QUEUE_TYPE:
        HSA_SET(uint32_t, HSA_QUEUE_TYPE_MULTI);
        break;
    case HSA_AGENT_INFO_ISA:
        *(hsa_isa_t *)value = (hsa_isa_t){(uint64_t)(uintptr_t)&agent->isa};
        break;
    case HSA_AMD_AGENT_INFO_CHIP_ID:
        HSA_SET(uint32_t, 0x740f);
        break;
    case HSA_AMD_AGENT_INFO_COMPUTE_UNIT_COUNT:
    case HSA_AMD_AGENT_INFO_COOPERATIVE_COMPUTE_UNIT_COUNT:
        HSA_SET(uint32_t, info->compute_units);
        break;
    case HSA_AMD_AGENT_INFO_MAX_CLOCK_FREQUENCY:
        HSA_SET(uint32_t, info->clock_khz / 1000);
        break;
    case HSA_AMD_AGENT_INFO_MAX_ADDRESS_WATCH_POINTS:
        HSA_SET(uint32_t, 4);
        break;
    case HSA_AMD_AGENT_INFO_BDFID:
        HSA_SET(uint32_t, info->pci_bus << 8 | info->pci_device << 3);
        break;
    case HSA_AMD_AGENT_INFO_DOMAIN:
        HSA_SET(uint32_t, info->pci_domain);
        break;
    case HSA_AMD_AGENT_INFO_MEMORY_WIDTH:
        HSA_SET(uint32_t, info->memory_bus_bits);
        break;
    case HSA_AMD_AGENT_INFO_MEMORY_MAX_FREQUENCY:
        HSA_SET(uint32_t, info->memory_clock_khz / 1000);
        break;
    case HSA_AMD_AGENT_INFO_MAX_WAVES_PER_CU:
        HSA_SET(uint32_t, 2048 / agent->isa.wave_size);
        break;
    case HSA_AMD_AGENT_INFO_NUM_SIMDS_PER_CU:
        HSA_SET(uint32_t, agent->isa.target.major >= 10 ? 2 : 4);
        break;
    case HSA_AMD_AGENT_INFO_NUM_SHADER_ENGINES:
    case HSA_AMD_AGENT_INFO_NUM_SHADER_ARRAYS_PER_SE:
    case HSA_AMD_AGENT_INFO_ASIC_REVISION:
    case HSA_AMD_AGENT_INFO_NUM_SDMA_ENG:
    case HSA_AMD_AGENT_INFO_NUM_XCC:
        HSA_SET(uint32_t, 1);
        break;
    case HSA_AMD_AGENT_INFO_ASIC_FAMILY_ID:
    case HSA_AMD_AGENT_INFO_UCODE_VERSION:
    case HSA_AMD_AGENT_INFO_SDMA_UCODE_VERSION:
    case HSA_AMD_AGENT_INFO_NUM_SDMA_XGMI_ENG:
    case HSA_AMD_AGENT_INFO_IOMMU_SUPPORT:
        HSA_SET(uint32_t, 0);
        break;
    case HSA_AMD_AGENT_INFO_HDP_FLUSH: /* two addresses: there is nothing to flush */
        memset(value, 0, 16);
        break;
    case HSA_AMD_AGENT_INFO_MEMORY_AVAIL:
        wl_core.memory_info(agent->context, &free, &total);
        HSA_SET(uint64_t, free);
        break;
    case HSA_AMD_AGENT_INFO_DRIVER_UID:
        HSA_SET(uint64_t, agent->node);
        break;
    case HSA_AMD_AGENT_INFO_MEMORY_PROPERTIES: /* a bit for devices that share the host's memory */
    case HSA_AMD_AGENT_INFO_AQL_EXTENSIONS:
        memset(value, 0, 8);
        break;
    case HSA_AMD_AGENT_INFO_SCRATCH_LIMIT_MAX:
    case HSA_AMD_AGENT_INFO_SCRATCH_LIMIT_CURRENT:
        HSA_SET(uint64_t, 0);
        break;
    default:
        return wl_hsa_image_info(agent, attribute, value);
    }
    return HSA_STATUS_SUCCESS;
}

HSA hsa_agent_get_info(hsa_agent_t agent, int attribute, void *value) {
    HSA_STARTED();
    struct wl_hsa_agent *a = wl_hsa_agent(agent);
    HSA_REQUIRE(a, HSA_STATUS_ERROR_INVALID_AGENT);
    HSA_REQUIRE(value, HSA_STATUS_ERROR_INVALID_ARGUMENT);
    if (attribute == HSA_AGENT_INFO_CACHE_SIZE) {
        caches_of(a, value);
        return HSA_STATUS_SUCCESS;
    }
    const hsa_status_t status = of_any(a, attribute, value);
    if (status != HSA_STATUS_INFO_BREAK)
        return status;
    return a->context ? of_device(a, attribute, value) : of_host(attribute, value);
}

HSA hsa_agent_get_exception_policies(hsa_agent_t agent, int profile, uint16_t *mask) {
    HSA_STARTED();
    HSA_REQUIRE(wl_hsa_agent(agent), HSA_STATUS_ERROR_INVALID_AGENT);
    HSA_REQUIRE(mask && (profile == HSA_PROFILE_BASE || profile == HSA_PROFILE_FULL), HSA_STATUS_ERROR_INVALID_ARGUMENT);
    *mask = 0;
    return HSA_STATUS_SUCCESS;
}

/* ---- instruction sets ------------------------------------------------------------------------------------ */

static struct wl_hsa_isa *isa_of(hsa_isa_t isa) {
    for (unsigned i = 1; i < all.count; i++)
        if (isa.handle == (uint64_t)(uintptr_t)&all.agents[i].isa)
            return &all.agents[i].isa;
    return NULL;
}

HSA hsa_agent_iterate_isas(hsa_agent_t agent, hsa_status_t (*callback)(hsa_isa_t isa, void *data), void *data) {
    HSA_STARTED();
    struct wl_hsa_agent *a = wl_hsa_agent(agent);
    HSA_REQUIRE(a, HSA_STATUS_ERROR_INVALID_AGENT);
    HSA_REQUIRE(callback, HSA_STATUS_ERROR_INVALID_ARGUMENT);
    return a->context ? callback((hsa_isa_t){(uint64_t)(uintptr_t)&a->isa}, data) : HSA_STATUS_SUCCESS;
}

HSA hsa_isa_from_name(const char *name, hsa_isa_t *isa) {
    HSA_STARTED();
    HSA_REQUIRE(name && isa, HSA_STATUS_ERROR_INVALID_ARGUMENT);
    for (unsigned i = 1; i < all.count; i++)
        if (strcmp(all.agents[i].isa.name, name) == 0) {
            *isa = (hsa_isa_t){(uint64_t)(uintptr_t)&all.agents[i].isa};
            return HSA_STATUS_SUCCESS;
        }
    return HSA_STATUS_ERROR_INVALID_ISA_NAME;
}

HSA hsa_isa_get_info_alt(hsa_isa_t isa, int attribute, void *value) {
    HSA_STARTED();
    const struct wl_hsa_isa *i = isa_of(isa);
    HSA_REQUIRE(i, HSA_STATUS_ERROR_INVALID_ISA);
    HSA_REQUIRE(value, HSA_STATUS_ERROR_INVALID_ARGUMENT);
    switch (attribute) {
    case HSA_ISA_INFO_NAME_LENGTH: /* with the zero behind it, as AMD's library counts */
        HSA_SET(uint32_t, strlen(i->name) + 1);
        break;
    case HSA_ISA_INFO_NAME:
        memcpy(value, i->name, strlen(i->name) + 1);
        break;
    case HSA_ISA_INFO_CALL_CONVENTION_COUNT:
        HSA_SET(uint32_t, 1);
        break;
    case HSA_ISA_INFO_CALL_CONVENTION_INFO_WAVEFRONT_SIZE:
        HSA_SET(uint32_t, i->wave_size);
        break;
    case HSA_ISA_INFO_CALL_CONVENTION_INFO_WAVEFRONTS_PER_COMPUTE_UNIT:
        HSA_SET(uint32_t, 2048 / i->wave_size);
        break;
    case HSA_ISA_INFO_MACHINE_MODELS:
        ((bool *)value)[0] = false, ((bool *)value)[1] = true;
        break;
    case HSA_ISA_INFO_PROFILES:
        ((bool *)value)[0] = true, ((bool *)value)[1] = false;
        break;
    case HSA_ISA_INFO_DEFAULT_FLOAT_ROUNDING_MODES:
    case HSA_ISA_INFO_BASE_PROFILE_DEFAULT_FLOAT_ROUNDING_MODES:
        ((bool *)value)[0] = ((bool *)value)[1] = false;
        ((bool *)value)[2] = true;
        break;
    case HSA_ISA_INFO_FAST_F16_OPERATION:
        HSA_SET(bool, true);
        break;
    case HSA_ISA_INFO_WORKGROUP_MAX_DIM:
        for (int d = 0; d < 3; d++)
            ((uint16_t *)value)[d] = 1024;
        break;
    case HSA_ISA_INFO_WORKGROUP_MAX_SIZE:
        HSA_SET(uint32_t, 1024);
        break;
    case HSA_ISA_INFO_GRID_MAX_DIM:
        for (int d = 0; d < 3; d++)
            ((uint32_t *)value)[d] = UINT32_MAX;
        break;
    case HSA_ISA_INFO_GRID_MAX_SIZE:
        HSA_SET(uint64_t, UINT64_MAX);
        break;
    case HSA_ISA_INFO_FBARRIER_MAX_SIZE:
        HSA_SET(uint32_t, 32);
        break;
    default:
        return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    }
    return HSA_STATUS_SUCCESS;
}

HSA hsa_isa_get_info(hsa_isa_t isa, int attribute, uint32_t index, void *value) {
    HSA_REQUIRE(index == 0, HSA_STATUS_ERROR_INVALID_INDEX);
    return hsa_isa_get_info_alt(isa, attribute, value);
}

HSA hsa_isa_get_exception_policies(hsa_isa_t isa, int profile, uint16_t *mask) {
    HSA_STARTED();
    HSA_REQUIRE(isa_of(isa), HSA_STATUS_ERROR_INVALID_ISA);
    HSA_REQUIRE(mask && (profile == HSA_PROFILE_BASE || profile == HSA_PROFILE_FULL), HSA_STATUS_ERROR_INVALID_ARGUMENT);
    *mask = 0;
    return HSA_STATUS_SUCCESS;
}

HSA hsa_isa_get_round_method(hsa_isa_t isa, int fp_type, int flush_mode, int *round_method) {
    HSA_STARTED();
    HSA_REQUIRE(isa_of(isa), HSA_STATUS_ERROR_INVALID_ISA);
    HSA_REQUIRE(round_method && (fp_type == HSA_FP_TYPE_16 || fp_type == HSA_FP_TYPE_32 || fp_type == HSA_FP_TYPE_64) &&
                    (flush_mode == HSA_FLUSH_MODE_FTZ || flush_mode == HSA_FLUSH_MODE_NON_FTZ),
                HSA_STATUS_ERROR_INVALID_ARGUMENT);
    *round_method = HSA_ROUND_METHOD_SINGLE;
    return HSA_STATUS_SUCCESS;
}

/* An instruction set has one wavefront, which has its handle. */
HSA hsa_isa_iterate_wavefronts(hsa_isa_t isa, hsa_status_t (*callback)(hsa_wavefront_t wavefront, void *data), void *data) {
    HSA_STARTED();
    HSA_REQUIRE(isa_of(isa), HSA_STATUS_ERROR_INVALID_ISA);
    HSA_REQUIRE(callback, HSA_STATUS_ERROR_INVALID_ARGUMENT);
    return callback((hsa_wavefront_t){isa.handle}, data);
}

HSA hsa_wavefront_get_info(hsa_wavefront_t wavefront, int attribute, void *value) {
    HSA_STARTED();
    const struct wl_hsa_isa *isa = isa_of((hsa_isa_t){wavefront.handle});
    HSA_REQUIRE(isa, HSA_STATUS_ERROR_INVALID_WAVEFRONT);
    HSA_REQUIRE(value && attribute == HSA_WAVEFRONT_INFO_SIZE, HSA_STATUS_ERROR_INVALID_ARGUMENT);
    HSA_SET(uint32_t, isa->wave_size);
    return HSA_STATUS_SUCCESS;
}

/* Code of any processor that can be loaded runs on any device. */
HSA hsa_isa_compatible(hsa_isa_t code_object_isa, hsa_isa_t agent_isa, bool *result) {
    HSA_STARTED();
    HSA_REQUIRE(isa_of(code_object_isa) && isa_of(agent_isa), HSA_STATUS_ERROR_INVALID_ISA);
    HSA_REQUIRE(result, HSA_STATUS_ERROR_INVALID_ARGUMENT);
    *result = true;
    return HSA_STATUS_SUCCESS;
}

/* ---- caches ------------------------------------------------------------------------------------------------ */

/* A cache's handle is its agent's address and its level (1, 2, 3): agents are aligned to 8. */
HSA hsa_agent_iterate_caches(hsa_agent_t agent, hsa_status_t (*callback)(hsa_cache_t cache, void *data), void *data) {
    HSA_STARTED();
    const struct wl_hsa_agent *a = wl_hsa_agent(agent);
    HSA_REQUIRE(a, HSA_STATUS_ERROR_INVALID_AGENT);
    HSA_REQUIRE(callback, HSA_STATUS_ERROR_INVALID_ARGUMENT);
    uint32_t sizes[4];
    caches_of(a, sizes);
    for (unsigned level = 1; level <= 3; level++) {
        const hsa_status_t status = sizes[level - 1] ? callback((hsa_cache_t){agent.handle | level}, data) : HSA_STATUS_SUCCESS;
        if (status != HSA_STATUS_SUCCESS)
            return status;
    }
    return HSA_STATUS_SUCCESS;
}

HSA hsa_cache_get_info(hsa_cache_t cache, int attribute, void *value) {
    HSA_STARTED();
    const unsigned level = cache.handle & 7;
    const struct wl_hsa_agent *a = wl_hsa_agent((hsa_agent_t){cache.handle & ~UINT64_C(7)});
    HSA_REQUIRE(a && level >= 1 && level <= 3, HSA_STATUS_ERROR_INVALID_CACHE);
    HSA_REQUIRE(value, HSA_STATUS_ERROR_INVALID_ARGUMENT);
    char name[80];
    uint32_t sizes[4];
    caches_of(a, sizes);
    snprintf(name, sizeof name, "%s L%u", a->name, level);
    switch (attribute) {
    case HSA_CACHE_INFO_NAME_LENGTH:
        HSA_SET(uint32_t, strlen(name));
        break;
    case HSA_CACHE_INFO_NAME:
        memcpy(value, name, strlen(name) + 1);
        break;
    case HSA_CACHE_INFO_LEVEL:
        HSA_SET(uint8_t, level);
        break;
    case HSA_CACHE_INFO_SIZE:
        HSA_SET(uint32_t, sizes[level - 1]);
        break;
    default:
        return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    }
    return HSA_STATUS_SUCCESS;
}
