#include "device/kernarg.h"
#include "machine/processor.h"
#include "machine/wave.h" /* apertures */

#include <assert.h>
#include <string.h>

static_assert(sizeof(struct wl_dispatch_packet) == 64, "HSA's packet");
static_assert(offsetof(struct wl_queue, group_segment_aperture_base_hi) == 0x40, "AMD's queue");
static_assert(offsetof(struct wl_queue, read_dispatch_id) == 0x80, "AMD's queue");

/* ---- where registers go --------------------------------------------------------------------- */

static int take(int *next, bool wanted, uint32_t count) {
    int first = *next;
    if (!wanted)
        return -1;
    *next += count < 4096 ? (int)count : 4096; /* the caller refuses what is too much; no overflow before */
    return first;
}

void wl_abi_init(struct wl_abi *abi, const struct wl_kernel *k, const struct wl_target *target) {
    bool architected_scratch = wl_target_has(target, WL_HAS_ARCHITECTED_SCRATCH);
    int next = 0;
    abi->private_buffer = take(&next, k->user_private_segment_buffer, 4);
    abi->dispatch_ptr = take(&next, k->user_dispatch_ptr, 2);
    abi->queue_ptr = take(&next, k->user_queue_ptr, 2);
    abi->kernarg_ptr = take(&next, k->user_kernarg_ptr, 2);
    abi->dispatch_id = take(&next, k->user_dispatch_id, 2);
    abi->flat_scratch = take(&next, k->user_flat_scratch_init, 2);
    abi->private_size = take(&next, k->user_private_segment_size, 1);
    abi->preload = take(&next, k->kernarg_preload_length > 0, k->kernarg_preload_length);
    if (next < (int)k->user_sgprs && k->user_sgprs <= 32)
        next = (int)k->user_sgprs; /* the descriptor's count is what the hardware obeys */
    abi->ttmp_groups = wl_target_has(target, WL_HAS_TTMP_GROUPS);
    abi->group_x = take(&next, k->system_workgroup_id_x && !abi->ttmp_groups, 1);
    abi->group_y = take(&next, k->system_workgroup_id_y && !abi->ttmp_groups, 1);
    abi->group_z = take(&next, k->system_workgroup_id_z && !abi->ttmp_groups, 1);
    abi->group_info = take(&next, k->system_workgroup_info, 1);
    abi->wave_offset = take(&next, k->system_private_segment_wave_offset && !architected_scratch, 1);
    abi->sgpr_end = next;
    abi->packed_ids = wl_target_has(target, WL_HAS_PACKED_IDS);
    uint32_t dimensions = k->workitem_id_dimensions < 1 ? 1 : k->workitem_id_dimensions > 3 ? 3 : k->workitem_id_dimensions;
    abi->id_rows = abi->packed_ids ? 1 : dimensions;
}

/* ---- memory of a launch --------------------------------------------------------------------- */

uint32_t wl_launch_items(const struct wl_launch *launch, int dimension) {
    uint32_t full = launch->grid[dimension] - (launch->remainder[dimension] ? 1 : 0);
    return full * launch->block[dimension] + launch->remainder[dimension];
}

void wl_packet_fill(struct wl_dispatch_packet *packet, const struct wl_launch *launch, uint32_t scratch, uint32_t lds) {
    memset(packet, 0, sizeof *packet);
    packet->header = 2; /* kernel dispatch */
    packet->setup = 3;  /* dimensions */
    for (int d = 0; d < 3; d++) {
        packet->workgroup_size[d] = (uint16_t)launch->block[d];
        packet->grid_size[d] = wl_launch_items(launch, d);
    }
    packet->private_segment_size = scratch;
    packet->group_segment_size = lds;
}

void wl_grid_sync_fill(struct wl_grid_sync *sync, const struct wl_launch *launch, uint64_t counter) {
    const struct wl_multigrid *m = launch->multigrid;
    uint64_t items = 1, workgroups = 1;
    for (int d = 0; d < 3; d++) {
        items *= wl_launch_items(launch, d);
        workgroups *= launch->grid[d];
    }
    *sync = (struct wl_grid_sync){.counter = counter,
                                  .grid_index = m ? launch->grid_index : 0,
                                  .grid_count = m ? m->grids : 1,
                                  .previous_items = m ? launch->items_before : 0,
                                  .all_items = m ? m->items : items,
                                  .workgroups = (uint32_t)workgroups};
}

/* ---- the kernarg segment -------------------------------------------------------------------------- */

size_t wl_kernarg_size(const struct wl_kernel *kernel, const struct wl_launch *launch) {
    return kernel->kernarg_size > launch->kernarg_size ? kernel->kernarg_size : launch->kernarg_size;
}

static uint64_t hidden_value(const struct wl_launch *l, const struct wl_hidden *hidden, enum wl_argument_kind kind) {
    switch (kind) {
    case WL_ARG_HIDDEN_BLOCK_COUNT_X:
    case WL_ARG_HIDDEN_BLOCK_COUNT_Y:
    case WL_ARG_HIDDEN_BLOCK_COUNT_Z: { /* whole workgroups only */
        int d = (int)kind - WL_ARG_HIDDEN_BLOCK_COUNT_X;
        return l->grid[d] - (l->remainder[d] ? 1 : 0);
    }
    case WL_ARG_HIDDEN_GROUP_SIZE_X:
    case WL_ARG_HIDDEN_GROUP_SIZE_Y:
    case WL_ARG_HIDDEN_GROUP_SIZE_Z:
        return l->block[kind - WL_ARG_HIDDEN_GROUP_SIZE_X];
    case WL_ARG_HIDDEN_REMAINDER_X:
    case WL_ARG_HIDDEN_REMAINDER_Y:
    case WL_ARG_HIDDEN_REMAINDER_Z:
        return l->remainder[kind - WL_ARG_HIDDEN_REMAINDER_X];
    case WL_ARG_HIDDEN_GRID_DIMS:
        return 3;
    case WL_ARG_HIDDEN_HOSTCALL_BUFFER:
        return hidden->hostcall;
    case WL_ARG_HIDDEN_PRINTF_BUFFER:
        return hidden->print_buffer;
    case WL_ARG_HIDDEN_HEAP_V1:
        return hidden->heap;
    case WL_ARG_HIDDEN_MULTIGRID_SYNC_ARG:
        return l->cooperative ? hidden->sync : 0;
    case WL_ARG_HIDDEN_DYNAMIC_LDS_SIZE:
        return l->dynamic_lds;
    case WL_ARG_HIDDEN_PRIVATE_BASE:
        return WL_PRIVATE_APERTURE_HI;
    case WL_ARG_HIDDEN_SHARED_BASE:
        return WL_SHARED_APERTURE_HI;
    case WL_ARG_HIDDEN_QUEUE_PTR:
        return hidden->queue;
    /* Zero: global offsets (HIP has none); no device-side enqueue. */
    default:
        return 0;
    }
}

/* Dynamic LDS pointers among the explicit arguments (OpenCL): offsets behind the static LDS, one launch has one. */
void wl_kernarg_fill(const struct wl_kernel *kernel, const struct wl_launch *launch, const struct wl_hidden *hidden, uint8_t *kernarg) {
    size_t size = wl_kernarg_size(kernel, launch);
    if (launch->kernarg_size)
        memcpy(kernarg, launch->kernarg, launch->kernarg_size);
    if (size > launch->kernarg_size)
        memset(kernarg + launch->kernarg_size, 0, size - launch->kernarg_size);
    for (uint32_t i = 0; i < kernel->argument_count; i++) {
        const struct wl_argument *a = &kernel->arguments[i];
        if (a->kind < WL_ARG_HIDDEN_GLOBAL_OFFSET_X)
            continue;
        uint64_t value = hidden_value(launch, hidden, a->kind);
        if (a->size <= sizeof value)
            memcpy(kernarg + a->offset, &value, a->size);
        else
            memset(kernarg + a->offset, 0, a->size);
    }
}
