/* smi/: AMD's system management library, librocm_smi64, on Wavelift's devices.
 *
 *   in    rsmi_* calls of rocm-smi, RCCL and others: which devices are there, what are they, how are they linked, what is in use
 *   out   what the runtime knows (runtime/core.h); "not supported" for sensors, counters and settings that do not exist
 *
 * Thread-safe: nothing here changes but the count of rsmi_init. */
#include "smi/devices.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SMI __attribute__((visibility("default"))) int

/* Results, as AMD's header numbers them. */
enum {
    SUCCESS,
    INVALID_ARGS,
    NOT_SUPPORTED,
    FILE_ERROR,
    PERMISSION,
    OUT_OF_RESOURCES,
    INTERNAL_EXCEPTION,
    INPUT_OUT_OF_BOUNDS,
    INIT_ERROR,
    NOT_YET_IMPLEMENTED,
    NOT_FOUND,
    INSUFFICIENT_SIZE,
    INTERRUPT,
    UNEXPECTED_SIZE,
    NO_DATA,
    UNEXPECTED_DATA,
    BUSY,
    REFCOUNT_OVERFLOW,
    SETTING_UNAVAILABLE,
    AMDGPU_RESTART_ERR,
    DRM_ERROR,
    FAIL_LOAD_MODULE,
    FAIL_LOAD_SYMBOL
};

#define REQUIRE(condition, result) WL_SMI_REQUIRE(condition, result)

static struct wl_context *device(uint32_t index) { return wl_smi_is_started() ? wl_core.context_at(index) : NULL; }

/* Declares `context`, that of a device, or returns. */
#define DEVICE(index)                                                                                                                      \
    REQUIRE(wl_smi_is_started(), INIT_ERROR);                                                                                              \
    struct wl_context *context = device(index);                                                                                            \
    REQUIRE(context, INVALID_ARGS)

/* ---- starting ---------------------------------------------------------------------------------------- */

SMI rsmi_init(uint64_t init_flags) {
    (void)init_flags;
    wl_smi_start();
    return SUCCESS;
}

SMI rsmi_shut_down(void) { return wl_smi_stop() ? SUCCESS : INIT_ERROR; }

SMI rsmi_status_string(int status, const char **status_string) {
    static const char *const texts[] = {
        "RSMI_STATUS_SUCCESS: The function has been executed successfully.",
        "RSMI_STATUS_INVALID_ARGS: The provided arguments do not meet the preconditions required for calling this function.",
        "RSMI_STATUS_NOT_SUPPORTED: This function is not supported in the current environment.",
        "RSMI_STATUS_FILE_ERROR: There was an error in finding or opening a file or directory.",
        "RSMI_STATUS_PERMISSION: The user ID of the calling process does not have sufficient permission.",
        "RSMI_STATUS_OUT_OF_RESOURCES: Unable to acquire memory or other resource.",
        "RSMI_STATUS_INTERNAL_EXCEPTION: An internal exception was caught.",
        "RSMI_STATUS_INPUT_OUT_OF_BOUNDS: The provided input is out of allowable or safe range.",
        "RSMI_STATUS_INIT_ERROR: The library is not initialized.",
        "RSMI_STATUS_NOT_YET_IMPLEMENTED: The called function has not been implemented.",
        "RSMI_STATUS_NOT_FOUND: The item required to complete the call was not found.",
        "RSMI_STATUS_INSUFFICIENT_SIZE: Not enough resources were available to fully execute the call.",
        "RSMI_STATUS_INTERRUPT: An interrupt occurred while executing the function.",
        "RSMI_STATUS_UNEXPECTED_SIZE: Data was read or provided that was of an unexpected size.",
        "RSMI_STATUS_NO_DATA: No data was found for given input.",
        "RSMI_STATUS_UNEXPECTED_DATA: The data read or provided was unexpected.",
        "RSMI_STATUS_BUSY: A resource or mutex could not be acquired because it is already being used.",
        "RSMI_STATUS_REFCOUNT_OVERFLOW: A reference counter exceeded its limit.",
        "RSMI_STATUS_SETTING_UNAVAILABLE: The requested setting is unavailable for the current device.",
        "RSMI_STATUS_AMDGPU_RESTART_ERR: Could not restart the driver.",
        "RSMI_STATUS_DRM_ERROR: An error of the direct rendering manager.",
        "RSMI_STATUS_FAIL_LOAD_MODULE: A library could not be loaded.",
        "RSMI_STATUS_FAIL_LOAD_SYMBOL: A symbol could not be loaded.",
    };
    REQUIRE(status_string, INVALID_ARGS);
    const bool known = status >= 0 && (size_t)status < sizeof texts / sizeof *texts;
    *status_string = known ? texts[status] : "RSMI_STATUS_UNKNOWN_ERROR: An unknown error occurred.";
    return SUCCESS;
}

/* AMD's structure of a version. */
struct version {
    uint32_t major, minor, patch;
    const char *build;
};

SMI rsmi_version_get(struct version *version) {
    REQUIRE(version, INVALID_ARGS);
    *version = (struct version){7, 8, 0, "Wavelift " WL_VERSION};
    return SUCCESS;
}

static int text(char *target, size_t size, const char *source) {
    REQUIRE(target && size, INVALID_ARGS);
    return wl_smi_copy(target, size, source) ? SUCCESS : INSUFFICIENT_SIZE;
}

SMI rsmi_version_str_get(int component, char *ver_str, uint32_t len) {
    REQUIRE(component == 0, INVALID_ARGS); /* the driver is the one component there is */
    return text(ver_str, len, "Wavelift " WL_VERSION);
}

/* ---- which devices, and what they are ------------------------------------------------------------------- */

SMI rsmi_num_monitor_devices(uint32_t *num_devices) {
    REQUIRE(wl_smi_is_started(), INIT_ERROR);
    REQUIRE(num_devices, INVALID_ARGS);
    *num_devices = wl_core.context_count();
    return SUCCESS;
}

/* Functions that tell a number of a device. */
#define NUMBER(name, type, value)                                                                                                          \
    SMI name(uint32_t dv_ind, __typeof__(type) *number) {                                                                                  \
        DEVICE(dv_ind);                                                                                                                    \
        REQUIRE(number, INVALID_ARGS);                                                                                                     \
        *number = (type)(value);                                                                                                           \
        return SUCCESS;                                                                                                                    \
    }
NUMBER(rsmi_dev_id_get, uint16_t, ((void)context, WL_FACT_CHIP))
NUMBER(rsmi_dev_revision_get, uint16_t, ((void)context, WL_FACT_REVISION))
NUMBER(rsmi_dev_sku_get, uint16_t, ((void)context, WL_FACT_CHIP))
NUMBER(rsmi_dev_vendor_id_get, uint16_t, ((void)context, WL_FACT_VENDOR))
NUMBER(rsmi_dev_subsystem_id_get, uint16_t, ((void)context, WL_FACT_SUBSYSTEM))
NUMBER(rsmi_dev_subsystem_vendor_id_get, uint16_t, ((void)context, WL_FACT_VENDOR))
NUMBER(rsmi_dev_drm_render_minor_get, uint32_t, WL_FACT_RENDER + context->index)
NUMBER(rsmi_dev_unique_id_get, uint64_t, wl_fact_unique_id(context))
NUMBER(rsmi_dev_guid_get, uint64_t, WL_FACT_GPU_ID + context->index)
NUMBER(rsmi_dev_node_id_get, uint32_t, context->index + 1)
NUMBER(rsmi_dev_pci_id_get, uint64_t, wl_smi_place(&context->info, 32))
NUMBER(rsmi_topo_numa_affinity_get, int32_t, ((void)context, 0))
NUMBER(rsmi_topo_get_numa_node_number, uint32_t, ((void)context, 0))
NUMBER(rsmi_dev_target_graphics_version_get, uint64_t, ((void)context, wl_smi_graphics_version(wl_core.target())))
NUMBER(rsmi_dev_partition_id_get, uint32_t, ((void)context, 0))

#define NAME(name, type, value)                                                                                                            \
    SMI name(uint32_t dv_ind, char *string, type len) {                                                                                    \
        DEVICE(dv_ind);                                                                                                                    \
        return text(string, len, value);                                                                                                   \
    }
NAME(rsmi_dev_name_get, size_t, context->info.name)
NAME(rsmi_dev_market_name_get, uint32_t, context->info.name)
NAME(rsmi_dev_subsystem_name_get, size_t, context->info.name)
NAME(rsmi_dev_brand_get, uint32_t, ((void)context, "Wavelift"))
NAME(rsmi_dev_vendor_name_get, size_t, ((void)context, WL_SMI_VENDOR))
NAME(rsmi_dev_vbios_version_get, uint32_t, ((void)context, "Wavelift"))

/* AMD's structure. */
struct identifiers {
    uint32_t card_index, drm_render_minor;
    uint64_t bdfid, kfd_gpu_id;
    uint32_t partition_id, smi_device_id, reserved[10];
};

SMI rsmi_dev_device_identifiers_get(uint32_t dv_ind, struct identifiers *identifiers) {
    DEVICE(dv_ind);
    REQUIRE(identifiers, INVALID_ARGS);
    *identifiers = (struct identifiers){.card_index = context->index,
                                        .drm_render_minor = WL_FACT_RENDER + context->index,
                                        .bdfid = wl_smi_place(&context->info, 32),
                                        .kfd_gpu_id = WL_FACT_GPU_ID + context->index,
                                        .smi_device_id = dv_ind};
    return SUCCESS;
}

/* ---- links ------------------------------------------------------------------------------------------------- */

static int pair(uint32_t from, uint32_t to) {
    REQUIRE(wl_smi_is_started(), INIT_ERROR);
    return device(from) && device(to) && from != to ? SUCCESS : INVALID_ARGS;
}

SMI rsmi_topo_get_link_weight(uint32_t dv_ind_src, uint32_t dv_ind_dst, uint64_t *weight) {
    const int result = pair(dv_ind_src, dv_ind_dst);
    REQUIRE(result == SUCCESS, result);
    REQUIRE(weight, INVALID_ARGS);
    *weight = UINT64_C(2) * WL_FACT_WEIGHT; /* to the host, and on */
    return SUCCESS;
}

/* The type's numbers differ between releases: 1 is PCI Express in ROCm 5 and 7 alike. */
SMI rsmi_topo_get_link_type(uint32_t dv_ind_src, uint32_t dv_ind_dst, uint64_t *hops, uint32_t *type) {
    const int result = pair(dv_ind_src, dv_ind_dst);
    REQUIRE(result == SUCCESS, result);
    REQUIRE(hops && type, INVALID_ARGS);
    *hops = 2;
    *type = 1;
    return SUCCESS;
}

SMI rsmi_minmax_bandwidth_get(uint32_t dv_ind_src, uint32_t dv_ind_dst, uint64_t *min_bandwidth, uint64_t *max_bandwidth) {
    const int result = pair(dv_ind_src, dv_ind_dst);
    REQUIRE(result == SUCCESS, result);
    REQUIRE(min_bandwidth && max_bandwidth, INVALID_ARGS);
    return NOT_SUPPORTED; /* as AMD's library says of links that are none of its own */
}

SMI rsmi_is_P2P_accessible(uint32_t dv_ind_src, uint32_t dv_ind_dst, bool *accessible) {
    REQUIRE(wl_smi_is_started(), INIT_ERROR);
    const struct wl_context *from = device(dv_ind_src), *to = device(dv_ind_dst);
    REQUIRE(from && to && accessible, INVALID_ARGS);
    *accessible = wl_smi_peers(from, to);
    return SUCCESS;
}

/* ---- memory and processes ------------------------------------------------------------------------------------ */

SMI rsmi_dev_memory_total_get(uint32_t dv_ind, int mem_type, uint64_t *total) {
    DEVICE(dv_ind);
    REQUIRE(total && mem_type >= WL_SMI_VRAM && mem_type <= WL_SMI_GTT, INVALID_ARGS);
    *total = context->info.memory_size;
    return SUCCESS;
}

SMI rsmi_dev_memory_usage_get(uint32_t dv_ind, int mem_type, uint64_t *used) {
    DEVICE(dv_ind);
    REQUIRE(used && mem_type >= WL_SMI_VRAM && mem_type <= WL_SMI_GTT, INVALID_ARGS);
    *used = wl_smi_memory_used(context, (enum wl_smi_memory)mem_type);
    return SUCCESS;
}

/* AMD's structure of a process. */
struct process {
    uint32_t process_id, pasid;
    uint64_t vram_usage, sdma_usage;
    uint32_t cu_occupancy;
};

SMI rsmi_compute_process_info_get(struct process *procs, uint32_t *num_items) {
    REQUIRE(wl_smi_is_started(), INIT_ERROR);
    REQUIRE(num_items, INVALID_ARGS);
    unsigned count = 0;
    struct wl_usage_process *all = wl_smi_processes(&count);
    const uint32_t capacity = *num_items;
    for (unsigned i = 0; procs && i < count && i < capacity; i++)
        procs[i] = (struct process){.process_id = (uint32_t)all[i].process, .vram_usage = wl_smi_bytes_of(&all[i], UINT32_MAX)};
    free(all);
    *num_items = count;
    return !procs || count <= capacity ? SUCCESS : INSUFFICIENT_SIZE;
}

static int process_info(uint32_t pid, uint32_t index, struct process *process) {
    REQUIRE(wl_smi_is_started(), INIT_ERROR);
    REQUIRE(process, INVALID_ARGS);
    uint64_t bytes = 0;
    REQUIRE(wl_smi_find_bytes(pid, index, &bytes), NOT_FOUND);
    *process = (struct process){.process_id = pid, .vram_usage = bytes};
    return SUCCESS;
}

SMI rsmi_compute_process_info_by_pid_get(uint32_t pid, struct process *proc) { return process_info(pid, UINT32_MAX, proc); }

SMI rsmi_compute_process_info_by_device_get(uint32_t pid, uint32_t dv_ind, struct process *proc) {
    DEVICE(dv_ind);
    return process_info(pid, context->index, proc);
}

SMI rsmi_compute_process_gpus_get(uint32_t pid, uint32_t *dv_indices, uint32_t *num_devices) {
    REQUIRE(wl_smi_is_started(), INIT_ERROR);
    REQUIRE(num_devices, INVALID_ARGS);
    const uint32_t capacity = *num_devices;
    uint32_t number = 0;
    REQUIRE(wl_smi_devices_of(pid, dv_indices, capacity, &number), NOT_FOUND);
    *num_devices = number;
    return !dv_indices || number <= capacity ? SUCCESS : INSUFFICIENT_SIZE;
}

/* ---- what there is not ------------------------------------------------------------------------------------------ */

/* Sensors, counters and settings of hardware that is not there: the first argument is a device. */
#define NONE(name)                                                                                                                         \
    SMI name(uint32_t dv_ind) {                                                                                                            \
        DEVICE(dv_ind);                                                                                                                    \
        (void)context;                                                                                                                     \
        return NOT_SUPPORTED;                                                                                                              \
    }
NONE(rsmi_counter_available_counters_get)
NONE(rsmi_dev_activity_avg_mm_get)
NONE(rsmi_dev_activity_metric_get)
NONE(rsmi_dev_busy_percent_get)
NONE(rsmi_dev_clk_extremum_set)
NONE(rsmi_dev_clk_range_set)
NONE(rsmi_dev_compute_partition_get)
NONE(rsmi_dev_compute_partition_reset)
NONE(rsmi_dev_compute_partition_set)
NONE(rsmi_dev_counter_create)
NONE(rsmi_dev_counter_group_supported)
NONE(rsmi_dev_current_socket_power_get)
NONE(rsmi_dev_ecc_count_get)
NONE(rsmi_dev_ecc_enabled_get)
NONE(rsmi_dev_ecc_status_get)
NONE(rsmi_dev_energy_count_get)
NONE(rsmi_dev_fan_reset)
NONE(rsmi_dev_fan_rpms_get)
NONE(rsmi_dev_fan_speed_get)
NONE(rsmi_dev_fan_speed_max_get)
NONE(rsmi_dev_fan_speed_set)
NONE(rsmi_dev_firmware_version_get)
NONE(rsmi_dev_gpu_clk_freq_get)
NONE(rsmi_dev_gpu_clk_freq_set)
NONE(rsmi_dev_gpu_metrics_info_get)
NONE(rsmi_dev_gpu_reset)
NONE(rsmi_dev_mem_overdrive_level_get)
NONE(rsmi_dev_memory_busy_percent_get)
NONE(rsmi_dev_memory_partition_capabilities_get)
NONE(rsmi_dev_memory_partition_get)
NONE(rsmi_dev_memory_partition_reset)
NONE(rsmi_dev_memory_partition_set)
NONE(rsmi_dev_memory_reserved_pages_get)
NONE(rsmi_dev_metrics_header_info_get)
NONE(rsmi_dev_metrics_log_get)
NONE(rsmi_dev_metrics_xcd_counter_get)
NONE(rsmi_dev_od_clk_info_set)
NONE(rsmi_dev_od_volt_curve_regions_get)
NONE(rsmi_dev_od_volt_info_get)
NONE(rsmi_dev_od_volt_info_set)
NONE(rsmi_dev_overdrive_level_get)
NONE(rsmi_dev_overdrive_level_set)
NONE(rsmi_dev_overdrive_level_set_v1)
NONE(rsmi_dev_pci_bandwidth_get)
NONE(rsmi_dev_pci_bandwidth_set)
NONE(rsmi_dev_pci_replay_counter_get)
NONE(rsmi_dev_pci_throughput_get)
NONE(rsmi_dev_perf_level_get)
NONE(rsmi_dev_perf_level_set)
NONE(rsmi_dev_perf_level_set_v1)
NONE(rsmi_dev_power_ave_get)
NONE(rsmi_dev_power_cap_default_get)
NONE(rsmi_dev_power_cap_get)
NONE(rsmi_dev_power_cap_range_get)
NONE(rsmi_dev_power_cap_set)
NONE(rsmi_dev_power_get)
NONE(rsmi_dev_power_profile_presets_get)
NONE(rsmi_dev_power_profile_set)
NONE(rsmi_dev_serial_number_get)
NONE(rsmi_dev_supported_func_iterator_open)
NONE(rsmi_dev_temp_metric_get)
NONE(rsmi_dev_volt_metric_get)
NONE(rsmi_dev_vram_vendor_get)
NONE(rsmi_dev_xgmi_error_reset)
NONE(rsmi_dev_xgmi_error_status)
NONE(rsmi_dev_xgmi_hive_id_get)
NONE(rsmi_dev_xgmi_physical_id_get)
NONE(rsmi_event_notification_init)
NONE(rsmi_event_notification_mask_set)
NONE(rsmi_event_notification_stop)
NONE(rsmi_perf_determinism_mode_set)
NONE(rsmi_utilization_count_get)

/* The same for handles that nobody can have, and for events, of which there are none. */
#define NO_HANDLE(name)                                                                                                                    \
    SMI name(void) {                                                                                                                       \
        REQUIRE(wl_smi_is_started(), INIT_ERROR);                                                                                          \
        return NOT_SUPPORTED;                                                                                                              \
    }
NO_HANDLE(rsmi_counter_control)
NO_HANDLE(rsmi_counter_read)
NO_HANDLE(rsmi_dev_counter_destroy)
NO_HANDLE(rsmi_dev_supported_func_iterator_close)
NO_HANDLE(rsmi_dev_supported_variant_iterator_open)
NO_HANDLE(rsmi_event_notification_get)
NO_HANDLE(rsmi_func_iter_next)
NO_HANDLE(rsmi_func_iter_value_get)
