/* The devices, and the host, as AMD's profiler tells them. */
#include "rocprofiler/profiler.h"

#include "runtime/core.h"
#include "topology/facts.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* An agent, with room behind it: newer clients' structure may be longer, and has zeros there. */
union room {
    struct wl_rp_agent agent;
    unsigned char bytes[1024];
};

static struct {
    pthread_once_t once;
    unsigned count;
    union room agents[WL_MAX_DEVICES + 1];
    const void *places[WL_MAX_DEVICES + 1];
} all = {.once = PTHREAD_ONCE_INIT};

struct wl_rp_id wl_rp_agent(int device) { return (struct wl_rp_id){(uint64_t)(device + 2)}; }

bool wl_rp_agent_device(struct wl_rp_id agent, int *device) {
    *device = (int)agent.handle - 2;
    return agent.handle > 0 && agent.handle < wl_core.context_count() + 2;
}

static void describe_device(struct wl_rp_agent *agent, const struct wl_context *context, const struct wl_target *target) {
    const struct wl_device_info *info = &context->info;
    const uint32_t wave = target->major >= 10 ? 32 : 64, simds = target->major >= 10 ? 2 : 4;
    *agent = (struct wl_rp_agent){.size = sizeof *agent,
                                  .id = wl_rp_agent((int)context->index),
                                  .type = WL_RP_AGENT_GPU,
                                  .simds = info->compute_units * simds,
                                  .waves_per_simd = 2048 / wave / simds,
                                  .lds_kib = wl_core.context_lds(context) / 1024,
                                  .wave_size = wave,
                                  .xccs = 1,
                                  .compute_units = info->compute_units,
                                  .arrays = 1,
                                  .shader_banks = 1,
                                  .arrays_per_engine = 1,
                                  .units_per_array = info->compute_units,
                                  .simds_per_unit = simds,
                                  .scratch_slots = 32,
                                  .target_version = wl_fact_target_version(target),
                                  .vendor = WL_FACT_VENDOR,
                                  .device = WL_FACT_CHIP,
                                  .location = (uint32_t)info->pci_bus << 8 | (uint32_t)info->pci_device << 3,
                                  .domain = (uint32_t)info->pci_domain,
                                  .render_minor = WL_FACT_RENDER + context->index,
                                  .clock = info->clock_khz / 1000,
                                  .units_per_engine = info->compute_units,
                                  .waves_per_unit = 2048 / wave,
                                  .workgroup_size = info->max_workgroup_size,
                                  .grid_size = UINT32_MAX,
                                  .local_memory = info->memory_size,
                                  .gpu_id = WL_FACT_GPU_ID + context->index,
                                  .workgroup = {info->max_block[0], info->max_block[1], info->max_block[2]},
                                  .grid = {UINT32_MAX, UINT32_MAX, UINT32_MAX},
                                  .name = target->processor,
                                  .vendor_name = "AMD",
                                  .product_name = info->name,
                                  .model_name = "",
                                  .node = context->index + 1,
                                  .logical_node = (int32_t)context->index + 1,
                                  .logical_node_of_type = (int32_t)context->index,
                                  .visible = 7};
    memcpy(agent->uuid, info->uuid, sizeof agent->uuid);
}

static void describe(void) {
    struct wl_rp_agent *host = &all.agents[0].agent;
    const long processors = sysconf(_SC_NPROCESSORS_ONLN);
    *host = (struct wl_rp_agent){.size = sizeof *host,
                                 .id = wl_rp_agent(-1),
                                 .type = WL_RP_AGENT_CPU,
                                 .cpu_cores = processors > 0 ? (uint32_t)processors : 1,
                                 .name = "CPU",
                                 .vendor_name = "CPU",
                                 .product_name = "CPU",
                                 .model_name = "",
                                 .visible = 15};
    const unsigned devices = wl_core.context_count();
    for (unsigned i = 0; i < devices; i++)
        describe_device(&all.agents[i + 1].agent, wl_core.context_at(i), wl_core.target());
    all.count = devices + 1;
    for (unsigned i = 0; i < all.count; i++)
        all.places[i] = &all.agents[i];
}

WL_ROCPROFILER_API int rocprofiler_query_available_agents(int version, wl_rp_agents_callback callback, size_t size, void *data) {
    if (!callback)
        return WL_RP_INVALID_ARGUMENT;
    if (version != 1 || size > sizeof(union room))
        return WL_RP_INCOMPATIBLE_ABI;
    pthread_once(&all.once, describe);
    return callback(version, all.places, all.count, data);
}
