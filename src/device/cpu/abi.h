/* What a kernel finds when it starts on the CPU device: registers, and the memory of a launch (device/kernarg.h). */
#ifndef WL_DEVICE_CPU_ABI_H
#define WL_DEVICE_CPU_ABI_H

#include "device/cpu/cpu.h"
#include "device/kernarg.h"

/* Everything of one launch that lives in memory and that device code may point to. */
struct wl_launch_memory {
    struct wl_dispatch_packet packet;
    struct wl_grid_sync sync;
    uint64_t sync_word;
    void *kernarg, *queue;
};

/* What the hidden arguments of that name get. */
struct wl_services {
    const void *hostcall, *heap, *print_buffer;
};

/* Fills `memory` and, unless the program wrote it, the kernarg segment (memory->kernarg: wl_kernarg_size bytes, aligned to 64). */
void wl_abi_launch(struct wl_launch_memory *memory, const struct wl_job *job, const struct wl_services *services);
/* Fills job->sgprs. */
void wl_abi_sgprs(struct wl_job *job, const struct wl_launch_memory *memory);

/* The workitem ids of a workgroup of `size` items, made on demand in a table. */
const uint32_t *wl_abi_ids(struct wl_id_table *table, const struct wl_abi *abi, uint32_t wave_size, const uint32_t size[3]);

#endif
