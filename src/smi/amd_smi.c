/* AMD's newer system management library, libamd_smi, on Wavelift's devices.
 *
 *   in    amdsmi_* calls of amd-smi, XLA and others; a handle is a device, or the socket that it is alone in
 *   out   what the runtime knows (runtime/core.h); "not supported" for sensors, counters and settings that do not exist
 *
 * AMD gave the library a new number whenever a structure grew, and kept the version node. WL_AMD_SMI is the number that is built: 26
 * (ROCm 7.0 to 7.2) or 27. Thread-safe: nothing here changes but the count of amdsmi_init. */
#include "smi/devices.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SMI __attribute__((visibility("default"))) int

/* Results, as AMD's header numbers them. */
enum {
    SUCCESS = 0,
    INVAL = 1,
    NOT_SUPPORTED = 2,
    OUT_OF_RESOURCES = 15,
    NOT_FOUND = 31,
    NOT_INIT = 32,
    INSUFFICIENT_SIZE = 41,
    NO_HSMP_DRIVER = 47
};

enum { TEXT = 256, PROCESSOR_GPU = 1, INIT_GPUS = 2, LINK_PCIE = 1, LINK_NOT_APPLICABLE = 3, FORM_PCIE = 0 };

/* Handle i of each kind is the address of element i. */
static char sockets[WL_MAX_DEVICES], processors[WL_MAX_DEVICES];

#define REQUIRE(condition, result) WL_SMI_REQUIRE(condition, result)

/* The device of a handle of that kind; NULL if it is none. */
static struct wl_context *device(const char *kind, const void *handle) {
    const uintptr_t index = (uintptr_t)handle - (uintptr_t)kind;
    return handle && index < WL_MAX_DEVICES ? wl_core.context_at((unsigned)index) : NULL;
}

/* Declares `context`, that of a processor's handle, or returns. */
#define DEVICE(handle)                                                                                                                     \
    REQUIRE(wl_smi_is_started(), NOT_INIT);                                                                                                \
    struct wl_context *context = device(processors, handle);                                                                               \
    REQUIRE(context, NOT_FOUND)

/* ---- starting ---------------------------------------------------------------------------------------- */

SMI amdsmi_init(uint64_t init_flags) {
    REQUIRE(init_flags & INIT_GPUS, NOT_SUPPORTED);
    wl_smi_start();
    return SUCCESS;
}

SMI amdsmi_shut_down(void) { return wl_smi_stop() ? SUCCESS : NOT_INIT; }

SMI amdsmi_status_code_to_string(int status, const char **status_string) {
    static const struct {
        unsigned status;
        const char *text;
    } all[] = {
        {0, "AMDSMI_STATUS_SUCCESS: the call succeeded"},
        {1, "AMDSMI_STATUS_INVAL: an argument is invalid"},
        {2, "AMDSMI_STATUS_NOT_SUPPORTED: the device has nothing of the kind"},
        {3, "AMDSMI_STATUS_NOT_YET_IMPLEMENTED: the function is not implemented"},
        {4, "AMDSMI_STATUS_FAIL_LOAD_MODULE: a library could not be loaded"},
        {5, "AMDSMI_STATUS_FAIL_LOAD_SYMBOL: a symbol could not be loaded"},
        {6, "AMDSMI_STATUS_DRM_ERROR: an error of the direct rendering manager"},
        {7, "AMDSMI_STATUS_API_FAILED: the call failed"},
        {8, "AMDSMI_STATUS_TIMEOUT: the call took too long"},
        {9, "AMDSMI_STATUS_RETRY: the call is to be made again"},
        {10, "AMDSMI_STATUS_NO_PERM: permission denied"},
        {11, "AMDSMI_STATUS_INTERRUPT: an interrupt came during the call"},
        {12, "AMDSMI_STATUS_IO: an error of input or output"},
        {13, "AMDSMI_STATUS_ADDRESS_FAULT: a bad address"},
        {14, "AMDSMI_STATUS_FILE_ERROR: a file could not be read"},
        {15, "AMDSMI_STATUS_OUT_OF_RESOURCES: not enough memory"},
        {16, "AMDSMI_STATUS_INTERNAL_EXCEPTION: an internal error"},
        {17, "AMDSMI_STATUS_INPUT_OUT_OF_BOUNDS: an argument is out of range"},
        {18, "AMDSMI_STATUS_INIT_ERROR: the library could not be started"},
        {19, "AMDSMI_STATUS_REFCOUNT_OVERFLOW: too many calls of amdsmi_init"},
        {20, "AMDSMI_STATUS_DIRECTORY_NOT_FOUND: a folder was not found"},
        {30, "AMDSMI_STATUS_BUSY: the processor is busy"},
        {31, "AMDSMI_STATUS_NOT_FOUND: there is no such processor"},
        {32, "AMDSMI_STATUS_NOT_INIT: the library is not started"},
        {33, "AMDSMI_STATUS_NO_SLOT: there is no free slot"},
        {34, "AMDSMI_STATUS_DRIVER_NOT_LOADED: the driver is not loaded"},
        {39, "AMDSMI_STATUS_MORE_DATA: there is more than the buffer holds"},
        {40, "AMDSMI_STATUS_NO_DATA: there is no data"},
        {41, "AMDSMI_STATUS_INSUFFICIENT_SIZE: the buffer is too small"},
        {42, "AMDSMI_STATUS_UNEXPECTED_SIZE: data of an unexpected size"},
        {43, "AMDSMI_STATUS_UNEXPECTED_DATA: unexpected data"},
        {44, "AMDSMI_STATUS_NON_AMD_CPU: the processor is not AMD's"},
        {45, "AMDSMI_STATUS_NO_ENERGY_DRV: there is no energy driver"},
        {46, "AMDSMI_STATUS_NO_MSR_DRV: there is no MSR driver"},
        {47, "AMDSMI_STATUS_NO_HSMP_DRV: there is no HSMP driver"},
        {48, "AMDSMI_STATUS_NO_HSMP_SUP: HSMP is not supported"},
        {49, "AMDSMI_STATUS_NO_HSMP_MSG_SUP: HSMP does not know the message"},
        {50, "AMDSMI_STATUS_HSMP_TIMEOUT: HSMP did not answer in time"},
        {51, "AMDSMI_STATUS_NO_DRV: there is no energy and no HSMP driver"},
        {52, "AMDSMI_STATUS_FILE_NOT_FOUND: a file was not found"},
        {53, "AMDSMI_STATUS_ARG_PTR_NULL: an argument is a null pointer"},
        {54, "AMDSMI_STATUS_AMDGPU_RESTART_ERR: the driver could not be started again"},
        {55, "AMDSMI_STATUS_SETTING_UNAVAILABLE: there is no such setting"},
        {56, "AMDSMI_STATUS_CORRUPTED_EEPROM: the EEPROM is damaged"},
        {0xfffffffe, "AMDSMI_STATUS_MAP_ERROR: an error without a number"},
        {0xffffffff, "AMDSMI_STATUS_UNKNOWN_ERROR: an unknown error"},
    };
    REQUIRE(status_string, INVAL);
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (all[i].status == (unsigned)status) {
            *status_string = all[i].text;
            return SUCCESS;
        }
    *status_string = all[sizeof all / sizeof *all - 1].text;
    return SUCCESS;
}

struct version {
    uint32_t major, minor, release;
    const char *build;
};

SMI amdsmi_get_lib_version(struct version *version) {
    REQUIRE(version, INVAL);
    *version = (struct version){WL_AMD_SMI, 0, 0, "Wavelift " WL_VERSION};
    return SUCCESS;
}

/* ---- handles ------------------------------------------------------------------------------------------- */

/* As AMD's functions do: without an array, how many there are; with one, as many as it holds. */
static int handles(char *kind, uint32_t first, uint32_t number, uint32_t *count, void **array) {
    REQUIRE(count, INVAL);
    for (uint32_t i = 0; array && i < number && i < *count; i++)
        array[i] = kind + first + i;
    if (!array || *count > number)
        *count = number;
    return SUCCESS;
}

SMI amdsmi_get_socket_handles(uint32_t *socket_count, void **socket_handles) {
    REQUIRE(wl_smi_is_started(), NOT_INIT);
    return handles(sockets, 0, wl_core.context_count(), socket_count, socket_handles);
}

SMI amdsmi_get_processor_handles(void *socket_handle, uint32_t *processor_count, void **processor_handles) {
    REQUIRE(wl_smi_is_started(), NOT_INIT);
    const struct wl_context *context = device(sockets, socket_handle);
    REQUIRE(context, NOT_FOUND);
    return handles(processors, context->index, 1, processor_count, processor_handles);
}

SMI amdsmi_get_processor_handles_by_type(void *socket_handle, int processor_type, void **processor_handles, uint32_t *processor_count) {
    REQUIRE(wl_smi_is_started(), NOT_INIT);
    const struct wl_context *context = device(sockets, socket_handle);
    REQUIRE(context, NOT_FOUND);
    return handles(processors, context->index, processor_type == PROCESSOR_GPU, processor_count, processor_handles);
}

/* There are no network cards. */
SMI amdsmi_get_nic_processor_handles(void *socket_handle, uint32_t *processor_count, void **processor_handles) {
    REQUIRE(wl_smi_is_started(), NOT_INIT);
    REQUIRE(device(sockets, socket_handle), NOT_FOUND);
    return handles(processors, 0, 0, processor_count, processor_handles);
}

SMI amdsmi_get_processor_count_from_handles(void **processor_handles, uint32_t *processor_count, uint32_t *nr_cpusockets,
                                            uint32_t *nr_cpucores, uint32_t *nr_gpus) {
    REQUIRE(wl_smi_is_started(), NOT_INIT);
    REQUIRE(processor_handles && processor_count && nr_cpusockets && nr_cpucores && nr_gpus, INVAL);
    *nr_cpusockets = *nr_cpucores = *nr_gpus = 0;
    for (uint32_t i = 0; i < *processor_count; i++)
        *nr_gpus += device(processors, processor_handles[i]) != NULL;
    return SUCCESS;
}

SMI amdsmi_get_processor_type(void *processor_handle, int *processor_type) {
    DEVICE(processor_handle);
    (void)context;
    REQUIRE(processor_type, INVAL);
    *processor_type = PROCESSOR_GPU;
    return SUCCESS;
}

SMI amdsmi_get_processor_handle_from_bdf(uint64_t bdf, void **processor_handle) {
    REQUIRE(wl_smi_is_started(), NOT_INIT);
    REQUIRE(processor_handle, INVAL);
    for (unsigned i = 0; i < wl_core.context_count(); i++)
        if (wl_smi_place(&wl_core.context_at(i)->info, 16) == bdf) {
            *processor_handle = processors + i;
            return SUCCESS;
        }
    return NOT_FOUND;
}

static int text(char *target, size_t size, const char *source) {
    REQUIRE(target && size, INVAL);
    return wl_smi_copy(target, size, source) ? SUCCESS : INSUFFICIENT_SIZE;
}

/* "0000:01:00", and ".0" behind it for a processor */
static int place(const struct wl_context *context, const char *function, size_t size, char *name) {
    char string[64];
    snprintf(string, sizeof string, "%04x:%02x:%02x%s", (unsigned)context->info.pci_domain, (unsigned)context->info.pci_bus,
             (unsigned)context->info.pci_device, function);
    return text(name, size, string);
}

SMI amdsmi_get_socket_info(void *socket_handle, size_t len, char *name) {
    REQUIRE(wl_smi_is_started(), NOT_INIT);
    const struct wl_context *context = device(sockets, socket_handle);
    REQUIRE(context, NOT_FOUND);
    return place(context, "", len, name);
}

SMI amdsmi_get_processor_info(void *processor_handle, size_t len, char *name) {
    DEVICE(processor_handle);
    return place(context, ".0", len, name);
}

/* ---- what a device is ------------------------------------------------------------------------------------ */

/* Functions that tell a number of a device. */
#define NUMBER(name, type, value)                                                                                                          \
    SMI name(void *processor_handle, __typeof__(type) *number) {                                                                           \
        DEVICE(processor_handle);                                                                                                          \
        REQUIRE(number, INVAL);                                                                                                            \
        *number = (type)(value);                                                                                                           \
        return SUCCESS;                                                                                                                    \
    }
NUMBER(amdsmi_get_gpu_device_bdf, uint64_t, wl_smi_place(&context->info, 16))
NUMBER(amdsmi_get_gpu_bdf_id, uint64_t, wl_smi_place(&context->info, 32))
NUMBER(amdsmi_get_gpu_id, uint16_t, ((void)context, WL_FACT_CHIP))
NUMBER(amdsmi_get_gpu_revision, uint16_t, ((void)context, WL_FACT_REVISION))
NUMBER(amdsmi_get_gpu_subsystem_id, uint16_t, ((void)context, WL_FACT_SUBSYSTEM))
NUMBER(amdsmi_get_gpu_topo_numa_affinity, int32_t, ((void)context, 0))
NUMBER(amdsmi_topo_get_numa_node_number, uint32_t, ((void)context, 0))
NUMBER(amdsmi_get_gpu_xcd_counter, uint16_t, ((void)context, 1))

SMI amdsmi_get_gpu_vendor_name(void *processor_handle, char *name, size_t len) {
    DEVICE(processor_handle);
    (void)context;
    return text(name, len, WL_SMI_VENDOR);
}

SMI amdsmi_get_gpu_subsystem_name(void *processor_handle, char *name, size_t len) {
    DEVICE(processor_handle);
    return text(name, len, context->info.name);
}

/* The unique number in the form of a UUID, with the chip's number in it. */
SMI amdsmi_get_gpu_device_uuid(void *processor_handle, unsigned *uuid_length, char *uuid) {
    DEVICE(processor_handle);
    REQUIRE(uuid_length && uuid, INVAL);
    const uint64_t id = wl_fact_unique_id(context);
    char string[64];
    snprintf(string, sizeof string, "%02xff%04x-0000-1000-80%02x-%012llx", (unsigned)(id >> 56), WL_FACT_CHIP, (unsigned)(id >> 48 & 0xff),
             (unsigned long long)(id & 0xffffffffffff));
    return text(uuid, *uuid_length, string);
}

struct enumeration {
    uint32_t drm_render, drm_card, hsa_id, hip_id;
    char hip_uuid[TEXT];
#if WL_AMD_SMI >= 27
    uint32_t oam_id, physical_acc_id;
#endif
};

SMI amdsmi_get_gpu_enumeration_info(void *processor_handle, struct enumeration *info) {
    DEVICE(processor_handle);
    REQUIRE(info, INVAL);
    *info = (struct enumeration){
        .drm_render = WL_FACT_RENDER + context->index, .drm_card = context->index, .hsa_id = context->index + 1, .hip_id = context->index};
#if WL_AMD_SMI >= 27
    info->oam_id = info->physical_acc_id = UINT32_MAX;
#endif
    snprintf(info->hip_uuid, sizeof info->hip_uuid, "GPU-%.16s", (const char *)context->info.uuid);
    return SUCCESS;
}

struct asic {
    char market_name[TEXT];
    uint32_t vendor_id;
    char vendor_name[TEXT];
    uint32_t subvendor_id;
    uint64_t device_id;
    uint32_t rev_id;
    char asic_serial[TEXT];
    uint32_t oam_id, num_of_compute_units;
    uint64_t target_graphics_version;
    uint32_t subsystem_id;
    uint64_t flags; /* from here on since 27; reserved before */
    uint32_t physical_acc_id, chip_rev_id, external_rev_id, reserved[15];
};
_Static_assert(sizeof(struct asic) == 896, "as in AMD's header");

SMI amdsmi_get_gpu_asic_info(void *processor_handle, struct asic *info) {
    DEVICE(processor_handle);
    REQUIRE(info, INVAL);
    *info = (struct asic){.vendor_id = WL_FACT_VENDOR,
                          .vendor_name = WL_SMI_VENDOR,
                          .subvendor_id = WL_FACT_VENDOR,
                          .device_id = WL_FACT_CHIP,
                          .rev_id = WL_FACT_REVISION,
                          .oam_id = UINT32_MAX,
                          .num_of_compute_units = context->info.compute_units,
                          .target_graphics_version = wl_smi_graphics_version(wl_core.target()),
                          .subsystem_id = WL_FACT_SUBSYSTEM};
#if WL_AMD_SMI >= 27
    info->physical_acc_id = info->chip_rev_id = info->external_rev_id = UINT32_MAX;
#endif
    snprintf(info->market_name, sizeof info->market_name, "%s", context->info.name);
    snprintf(info->asic_serial, sizeof info->asic_serial, "0x%016llx", (unsigned long long)wl_fact_unique_id(context));
    return SUCCESS;
}

struct board {
    char model_number[TEXT], product_serial[TEXT], fru_id[TEXT], product_name[TEXT], manufacturer_name[TEXT];
    uint64_t reserved[64];
};

SMI amdsmi_get_gpu_board_info(void *processor_handle, struct board *info) {
    DEVICE(processor_handle);
    REQUIRE(info, INVAL);
    *info = (struct board){.model_number = "N/A", .product_serial = "N/A", .fru_id = "N/A", .manufacturer_name = "N/A"};
    snprintf(info->product_name, sizeof info->product_name, "%s", context->info.name);
    return SUCCESS;
}

struct driver {
    char version[TEXT], date[TEXT], name[TEXT];
};

SMI amdsmi_get_gpu_driver_info(void *processor_handle, struct driver *info) {
    DEVICE(processor_handle);
    (void)context;
    REQUIRE(info, INVAL);
    *info = (struct driver){"Wavelift " WL_VERSION, "N/A", "amdgpu"};
    return SUCCESS;
}

struct kfd {
    uint64_t kfd_id;
    uint32_t node_id, current_partition_id, reserved[12];
};

SMI amdsmi_get_gpu_kfd_info(void *processor_handle, struct kfd *info) {
    DEVICE(processor_handle);
    REQUIRE(info, INVAL);
    *info = (struct kfd){.kfd_id = WL_FACT_GPU_ID + context->index, .node_id = context->index + 1};
    return SUCCESS;
}

/* The processors of the host, which are all near. A word of the set is 64 of them. */
SMI amdsmi_get_cpu_affinity_with_scope(void *processor_handle, uint32_t cpu_set_size, uint64_t *cpu_set, int scope) {
    DEVICE(processor_handle);
    (void)context;
    REQUIRE(cpu_set && cpu_set_size && (scope == 0 || scope == 1), INVAL);
    const long online = sysconf(_SC_NPROCESSORS_ONLN);
    memset(cpu_set, 0, cpu_set_size * sizeof *cpu_set);
    for (uint64_t i = 0; online > 0 && i < (uint64_t)online && i / 64 < cpu_set_size; i++)
        cpu_set[i / 64] |= UINT64_C(1) << i % 64;
    return SUCCESS;
}

/* ---- links ------------------------------------------------------------------------------------------------- */

struct pcie {
    struct {
        uint16_t width;
        uint32_t speed, interface_version, slot_type, max_interface_version;
        uint64_t reserved[9];
    } most;
    struct {
        uint16_t width;
        uint32_t speed, bandwidth;
        uint64_t replays, l0_to_recovery, replay_roll_over, nak_sent, nak_received;
        uint32_t other_end_recovery;
        uint64_t reserved[12];
    } now;
    uint64_t reserved[32];
};
_Static_assert(sizeof(struct pcie) == 512, "as in AMD's header");

/* The link that the files of the driver tell of. Nothing counts what goes over it. */
SMI amdsmi_get_pcie_info(void *processor_handle, struct pcie *info) {
    DEVICE(processor_handle);
    (void)context;
    REQUIRE(info, INVAL);
    *info = (struct pcie){.most = {WL_FACT_LINK_LANES, WL_FACT_LINK_SPEED, WL_FACT_LINK_VERSION, FORM_PCIE, WL_FACT_LINK_VERSION, {0}},
                          .now = {.width = WL_FACT_LINK_LANES,
                                  .speed = WL_FACT_LINK_SPEED,
                                  .bandwidth = UINT32_MAX,
                                  .replays = UINT64_MAX,
                                  .l0_to_recovery = UINT64_MAX,
                                  .replay_roll_over = UINT64_MAX,
                                  .nak_sent = UINT64_MAX,
                                  .nak_received = UINT64_MAX,
                                  .other_end_recovery = UINT32_MAX}};
    return SUCCESS;
}

static int pair(void *from, void *to) {
    REQUIRE(wl_smi_is_started(), NOT_INIT);
    REQUIRE(device(processors, from) && device(processors, to), NOT_FOUND);
    return from != to ? SUCCESS : INVAL;
}

/* Declares that two handles are of two devices, or returns. */
#define PAIR(from, to)                                                                                                                     \
    do {                                                                                                                                   \
        const int result = pair(from, to);                                                                                                 \
        REQUIRE(result == SUCCESS, result);                                                                                                \
    } while (0)

SMI amdsmi_topo_get_link_weight(void *processor_handle_src, void *processor_handle_dst, uint64_t *weight) {
    PAIR(processor_handle_src, processor_handle_dst);
    REQUIRE(weight, INVAL);
    *weight = UINT64_C(2) * WL_FACT_WEIGHT; /* to the host, and on */
    return SUCCESS;
}

SMI amdsmi_topo_get_link_type(void *processor_handle_src, void *processor_handle_dst, uint64_t *hops, int *type) {
    PAIR(processor_handle_src, processor_handle_dst);
    REQUIRE(hops && type, INVAL);
    *hops = 2;
    *type = LINK_PCIE;
    return SUCCESS;
}

SMI amdsmi_get_minmax_bandwidth_between_processors(void *processor_handle_src, void *processor_handle_dst, uint64_t *min_bandwidth,
                                                   uint64_t *max_bandwidth) {
    PAIR(processor_handle_src, processor_handle_dst);
    REQUIRE(min_bandwidth && max_bandwidth, INVAL);
    return NOT_SUPPORTED; /* as AMD's library says of links that are none of its own */
}

SMI amdsmi_is_P2P_accessible(void *processor_handle_src, void *processor_handle_dst, bool *accessible) {
    REQUIRE(wl_smi_is_started(), NOT_INIT);
    const struct wl_context *from = device(processors, processor_handle_src), *to = device(processors, processor_handle_dst);
    REQUIRE(from && to, NOT_FOUND);
    REQUIRE(accessible, INVAL);
    *accessible = wl_smi_peers(from, to);
    return SUCCESS;
}

/* Whether accesses over the link are coherent, atomic and so on: UINT8_MAX is "not known". */
SMI amdsmi_topo_get_p2p_status(void *processor_handle_src, void *processor_handle_dst, int *type, uint8_t capability[5]) {
    PAIR(processor_handle_src, processor_handle_dst);
    REQUIRE(type && capability, INVAL);
    *type = LINK_PCIE;
    memset(capability, UINT8_MAX, 5);
    return SUCCESS;
}

struct nearest {
    uint32_t count;
    void *list[WL_AMD_SMI >= 27 ? 256 : 32];
    uint64_t reserved[15];
};

SMI amdsmi_get_link_topology_nearest(void *processor_handle, int link_type, struct nearest *nearest) {
    DEVICE(processor_handle);
    REQUIRE(nearest, INVAL);
    *nearest = (struct nearest){0};
    for (unsigned i = 0; link_type == LINK_PCIE && i < wl_core.context_count(); i++)
        if (i != context->index && nearest->count < sizeof nearest->list / sizeof *nearest->list)
            nearest->list[nearest->count++] = processors + i;
    return SUCCESS;
}

/* ---- memory and processes ------------------------------------------------------------------------------------ */

static bool memory_kind(int kind) { return kind >= WL_SMI_VRAM && kind <= WL_SMI_GTT; }

SMI amdsmi_get_gpu_memory_total(void *processor_handle, int mem_type, uint64_t *total) {
    DEVICE(processor_handle);
    REQUIRE(total && memory_kind(mem_type), INVAL);
    *total = context->info.memory_size;
    return SUCCESS;
}

SMI amdsmi_get_gpu_memory_usage(void *processor_handle, int mem_type, uint64_t *used) {
    DEVICE(processor_handle);
    REQUIRE(used && memory_kind(mem_type), INVAL);
    *used = wl_smi_memory_used(context, (enum wl_smi_memory)mem_type);
    return SUCCESS;
}

enum { MEBIBYTE = 1 << 20 };

struct vram_usage {
    uint32_t total, used, reserved[2]; /* MiB */
};

SMI amdsmi_get_gpu_vram_usage(void *processor_handle, struct vram_usage *info) {
    DEVICE(processor_handle);
    REQUIRE(info, INVAL);
    *info = (struct vram_usage){
        (uint32_t)(context->info.memory_size / MEBIBYTE), (uint32_t)(wl_smi_memory_used(context, WL_SMI_VRAM) / MEBIBYTE), {0}};
    return SUCCESS;
}

struct vram {
    uint32_t type; /* 0: not known */
    char vendor[TEXT];
    uint64_t size; /* MiB */
    uint32_t bit_width;
    uint64_t max_bandwidth, reserved[37];
};
_Static_assert(sizeof(struct vram) == 584, "as in AMD's header");

SMI amdsmi_get_gpu_vram_info(void *processor_handle, struct vram *info) {
    DEVICE(processor_handle);
    REQUIRE(info, INVAL);
    *info = (struct vram){.vendor = "N/A",
                          .size = context->info.memory_size / MEBIBYTE,
                          .bit_width = context->info.memory_bus_bits ? context->info.memory_bus_bits : UINT32_MAX,
                          .max_bandwidth = UINT64_MAX};
    return SUCCESS;
}

struct compute_process {
    uint32_t id;
    uint64_t vram, sdma;
    uint32_t occupancy, evicted_time; /* the latter since 27; padding before */
};

SMI amdsmi_get_gpu_compute_process_info(struct compute_process *procs, uint32_t *num_items) {
    REQUIRE(wl_smi_is_started(), NOT_INIT);
    REQUIRE(num_items, INVAL);
    unsigned count = 0;
    struct wl_usage_process *all = wl_smi_processes(&count);
    const uint32_t capacity = *num_items;
    for (unsigned i = 0; procs && i < count && i < capacity; i++)
        procs[i] = (struct compute_process){.id = (uint32_t)all[i].process, .vram = wl_smi_bytes_of(&all[i], UINT32_MAX)};
    free(all);
    *num_items = count;
    return !procs || count <= capacity ? SUCCESS : INSUFFICIENT_SIZE;
}

SMI amdsmi_get_gpu_compute_process_info_by_pid(uint32_t pid, struct compute_process *proc) {
    REQUIRE(wl_smi_is_started(), NOT_INIT);
    REQUIRE(proc, INVAL);
    uint64_t bytes = 0;
    REQUIRE(wl_smi_find_bytes(pid, UINT32_MAX, &bytes), NOT_FOUND);
    *proc = (struct compute_process){.id = pid, .vram = bytes};
    return SUCCESS;
}

SMI amdsmi_get_gpu_compute_process_gpus(uint32_t pid, uint32_t *dv_indices, uint32_t *num_devices) {
    REQUIRE(wl_smi_is_started(), NOT_INIT);
    REQUIRE(num_devices, INVAL);
    const uint32_t capacity = *num_devices;
    uint32_t number = 0;
    REQUIRE(wl_smi_devices_of(pid, dv_indices, capacity, &number), NOT_FOUND);
    *num_devices = number;
    return !dv_indices || number <= capacity ? SUCCESS : INSUFFICIENT_SIZE;
}

struct process {
    char name[TEXT];
    uint32_t id;
    uint64_t memory;
    struct {
        uint64_t gfx, enc;
        uint32_t reserved[12];
    } engines; /* nanoseconds; nobody counts them */
    struct {
        uint64_t gtt, cpu, vram;
        uint32_t reserved[10];
    } memories;
    char container[TEXT];
    uint32_t occupancy, evicted_time; /* from the latter on since 27; reserved before */
    uint64_t sdma;
    uint32_t reserved[8];
};
_Static_assert(sizeof(struct process) == 704, "as in AMD's header");

static void process_name(int id, char name[TEXT]) {
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/comm", id);
    FILE *file = fopen(path, "re");
    if (!file || !fgets(name, TEXT, file))
        *name = 0;
    name[strcspn(name, "\n")] = 0;
    if (file)
        (void)fclose(file);
}

SMI amdsmi_get_gpu_process_list(void *processor_handle, uint32_t *max_processes, struct process *list) {
    DEVICE(processor_handle);
    REQUIRE(max_processes, INVAL);
    unsigned count = 0;
    struct wl_usage_process *all = wl_smi_processes(&count);
    const uint32_t capacity = *max_processes;
    uint32_t found = 0;
    for (unsigned i = 0; i < count; i++) {
        const uint64_t bytes = wl_smi_bytes_of(&all[i], context->index);
        if (!bytes && !all[i].host)
            continue;
        if (list && found < capacity) {
            list[found] = (struct process){.id = (uint32_t)all[i].process,
                                           .memory = bytes + all[i].host,
                                           .memories = {.gtt = all[i].host, .vram = bytes},
                                           .occupancy = UINT32_MAX};
#if WL_AMD_SMI >= 27
            list[found].evicted_time = UINT32_MAX;
            list[found].sdma = UINT64_MAX;
#endif
            process_name(all[i].process, list[found].name);
        }
        found++;
    }
    free(all);
    *max_processes = found;
    return !list || !capacity || found <= capacity ? SUCCESS : OUT_OF_RESOURCES;
}

/* ---- what there is not ------------------------------------------------------------------------------------------ */

/* Sensors, counters and settings of hardware that is not there: the first argument is a device. */
#define NONE(name)                                                                                                                         \
    SMI name(void *processor_handle) {                                                                                                     \
        DEVICE(processor_handle);                                                                                                          \
        (void)context;                                                                                                                     \
        return NOT_SUPPORTED;                                                                                                              \
    }
/* The same for handles and events that nobody can have. */
#define NO_HANDLE(name)                                                                                                                    \
    SMI name(void) {                                                                                                                       \
        REQUIRE(wl_smi_is_started(), NOT_INIT);                                                                                            \
        return NOT_SUPPORTED;                                                                                                              \
    }
/* Of AMD's CPUs: another driver tells of them, which is not there. */
#define CPU(name)                                                                                                                          \
    SMI name(void) {                                                                                                                       \
        REQUIRE(wl_smi_is_started(), NOT_INIT);                                                                                            \
        return NO_HSMP_DRIVER;                                                                                                             \
    }
#include "smi/amd_smi_refused.inc"

__attribute__((visibility("default"))) void amdsmi_free_name_value_pairs(void *pairs) { free(pairs); }
