/* What a kernel finds when it starts: registers, the dispatch packet, the queue, the kernarg segment.
 *
 * After LLVM's "User Guide for AMDGPU Backend" (Code Object V3 to V6, Initial Kernel Execution State, Kernarg Segment) and
 * the HSA runtime's structures. */
#ifndef WL_DEVICE_CPU_ABI_H
#define WL_DEVICE_CPU_ABI_H

#include "device/cpu/cpu.h"

/* HSA's kernel dispatch packet. */
struct wl_dispatch_packet {
    uint16_t header, setup;
    uint16_t workgroup_size[3], reserved0;
    uint32_t grid_size[3]; /* work items */
    uint32_t private_segment_size, group_segment_size;
    uint64_t kernel_object, kernarg_address, reserved1, completion_signal;
};

/* AMD's queue structure, as far as device code reads it. */
struct wl_queue {
    uint32_t type, features;
    uint64_t base_address, doorbell_signal;
    uint32_t size, reserved0;
    uint64_t id;
    uint32_t reserved1[4];
    uint64_t write_dispatch_id;
    uint32_t group_segment_aperture_base_hi, private_segment_aperture_base_hi;
    uint32_t max_cu_id, max_wave_id;
    uint64_t max_legacy_doorbell, read_dispatch_id_field;
    uint32_t reserved2[8];
    uint64_t read_dispatch_id;
    uint32_t rest[96];
};

/* What a cooperative launch's hidden argument points to. Device libraries from ROCm 5.6 on synchronize one grid through
 * `barrier`; older ones, and all on targets that have it, through the GWS instructions. */
struct wl_grid_sync {
    uint64_t counter; /* address of two words shared between the grids of a multi-device launch */
    uint32_t grid_index, grid_count;
    uint64_t previous_items, all_items;
    uint32_t barrier[2];
    uint32_t workgroups;
};

/* Everything of one launch that lives in memory and that device code may point to. */
struct wl_launch_memory {
    struct wl_dispatch_packet packet;
    struct wl_grid_sync sync;
    uint64_t sync_word;
    void *kernarg;
};

/* The registers of a kernel on a target. */
void wl_abi_init(struct wl_abi *abi, const struct wl_kernel *kernel, const struct wl_target *target);
/* Whether the target has AGPRs. */
bool wl_abi_has_agprs(const struct wl_target *target);

/* Bytes of the kernarg segment that the launch needs: metadata's size, and the caller's if that is larger. */
size_t wl_abi_kernarg_size(const struct wl_kernel *kernel, const struct wl_launch *launch);
/* Fills `memory` and the kernarg segment (memory->kernarg: wl_abi_kernarg_size bytes, aligned to 64). `hostcall` and `heap`
 * are what the hidden arguments of that name get. */
void wl_abi_launch(struct wl_launch_memory *memory, const struct wl_job *job, const void *hostcall, const void *heap);
/* Fills job->sgprs. */
void wl_abi_sgprs(struct wl_job *job, const struct wl_launch_memory *memory);

/* The workitem ids of a workgroup of `size` items, made on demand in a table. */
const uint32_t *wl_abi_ids(struct wl_id_table *table, const struct wl_abi *abi, uint32_t wave_size, const uint32_t size[3]);

#endif
