/* What a kernel finds when it starts, as far as it is the same on every device: registers, dispatch packet, queue, kernarg segment.
 *
 * After LLVM's "User Guide for AMDGPU Backend" (Code Object V3 to V6, Initial Kernel Execution State, Kernarg Segment) and
 * the HSA runtime's structures. */
#ifndef WL_DEVICE_KERNARG_H
#define WL_DEVICE_KERNARG_H

#include "device/device.h"

/* Where the initial state of a wave goes; SGPR numbers, or -1. Made once a kernel. */
struct wl_abi {
    int private_buffer, dispatch_ptr, queue_ptr, kernarg_ptr, dispatch_id, flat_scratch, private_size, preload;
    int group_x, group_y, group_z, group_info, wave_offset;
    int sgpr_end;     /* behind the last one */
    bool ttmp_groups; /* workgroup ids in ttmp7 and ttmp9 */
    bool packed_ids;  /* v0 = x | y << 10 | z << 20 */
    uint32_t id_rows; /* VGPRs with ids: 1 to 3 */
};

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

/* The registers of a kernel on a target. */
void wl_abi_init(struct wl_abi *abi, const struct wl_kernel *kernel, const struct wl_target *target);

/* Work items of a launch in a dimension. */
uint32_t wl_launch_items(const struct wl_launch *launch, int dimension);
/* Fills a packet but for its addresses (zeros). `scratch`: bytes a lane; `lds`: bytes, static and dynamic. */
void wl_packet_fill(struct wl_dispatch_packet *packet, const struct wl_launch *launch, uint32_t scratch, uint32_t lds);
/* Fills what a cooperative launch synchronizes on; `counter` is the address of the shared words. */
void wl_grid_sync_fill(struct wl_grid_sync *sync, const struct wl_launch *launch, uint64_t counter);

/* What hidden arguments hold that is the device's to say: addresses, or 0. */
struct wl_hidden {
    uint64_t hostcall, heap, queue, print_buffer;
    uint64_t sync; /* of the struct wl_grid_sync */
};

/* Bytes of the kernarg segment that the launch needs: metadata's size, and the caller's if that is larger. */
size_t wl_kernarg_size(const struct wl_kernel *kernel, const struct wl_launch *launch);
/* Writes the whole segment: the launch's explicit arguments, zeros, hidden arguments. `kernarg` has room for wl_kernarg_size. */
void wl_kernarg_fill(const struct wl_kernel *kernel, const struct wl_launch *launch, const struct wl_hidden *hidden, uint8_t *kernarg);

#endif
