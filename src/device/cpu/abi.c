#include "device/cpu/abi.h"

#include <assert.h>
#include <string.h>

static_assert(sizeof(struct wl_dispatch_packet) == 64, "HSA's packet");
static_assert(offsetof(struct wl_queue, group_segment_aperture_base_hi) == 0x40, "AMD's queue");
static_assert(offsetof(struct wl_queue, read_dispatch_id) == 0x80, "AMD's queue");

/* ---- where registers go --------------------------------------------------------------------- */

static bool is_gfx90a_or_94x(const struct wl_target *t) { return t->major == 9 && ((t->minor == 0 && t->stepping == 10) || t->minor >= 4); }

bool wl_abi_has_agprs(const struct wl_target *t) { return is_gfx90a_or_94x(t) || (t->major == 9 && t->minor == 0 && t->stepping == 8); }

static int take(int *next, bool wanted, uint32_t count) {
    int first = *next;
    if (!wanted)
        return -1;
    *next += count < 4096 ? (int)count : 4096; /* the caller refuses what is too much; no overflow before */
    return first;
}

void wl_abi_init(struct wl_abi *abi, const struct wl_kernel *k, const struct wl_target *target) {
    bool architected_scratch = target->major >= 11 || (target->major == 9 && target->minor >= 4);
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
    abi->ttmp_groups = target->major >= 12;
    abi->group_x = take(&next, k->system_workgroup_id_x && !abi->ttmp_groups, 1);
    abi->group_y = take(&next, k->system_workgroup_id_y && !abi->ttmp_groups, 1);
    abi->group_z = take(&next, k->system_workgroup_id_z && !abi->ttmp_groups, 1);
    abi->group_info = take(&next, k->system_workgroup_info, 1);
    abi->wave_offset = take(&next, k->system_private_segment_wave_offset && !architected_scratch, 1);
    abi->sgpr_end = next;
    abi->packed_ids = target->major >= 11 || is_gfx90a_or_94x(target);
    uint32_t dimensions = k->workitem_id_dimensions < 1 ? 1 : k->workitem_id_dimensions > 3 ? 3 : k->workitem_id_dimensions;
    abi->id_rows = abi->packed_ids ? 1 : dimensions;
}

/* ---- memory of a launch --------------------------------------------------------------------- */

static uint32_t grid_items(const struct wl_launch *launch, int dimension) {
    uint32_t full = launch->grid[dimension] - (launch->remainder[dimension] ? 1 : 0);
    return full * launch->block[dimension] + launch->remainder[dimension];
}

size_t wl_abi_kernarg_size(const struct wl_kernel *kernel, const struct wl_launch *launch) {
    size_t size = kernel->kernarg_size > launch->kernarg_size ? kernel->kernarg_size : launch->kernarg_size;
    for (uint32_t i = 0; i < kernel->argument_count; i++) {
        size_t end = (size_t)kernel->arguments[i].offset + kernel->arguments[i].size;
        if (end > size)
            size = end;
    }
    return size;
}

struct hidden_values {
    const struct wl_launch *launch;
    const struct wl_launch_memory *memory;
    const struct wl_job *job;
    uint64_t hostcall, heap;
};

static uint64_t hidden_value(const struct hidden_values *v, enum wl_argument_kind kind) {
    const struct wl_launch *l = v->launch;
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
        return v->hostcall;
    case WL_ARG_HIDDEN_HEAP_V1:
        return v->heap;
    case WL_ARG_HIDDEN_MULTIGRID_SYNC_ARG:
        return l->cooperative ? (uint64_t)(uintptr_t)&v->memory->sync : 0;
    case WL_ARG_HIDDEN_DYNAMIC_LDS_SIZE:
        return l->dynamic_lds;
    case WL_ARG_HIDDEN_PRIVATE_BASE:
        return WL_PRIVATE_APERTURE_HI;
    case WL_ARG_HIDDEN_SHARED_BASE:
        return WL_SHARED_APERTURE_HI;
    case WL_ARG_HIDDEN_QUEUE_PTR:
        return (uint64_t)(uintptr_t)v->job->device->queue;
    /* Zero: global offsets (HIP has none); no printf buffer (printf goes through hostcall); no device-side enqueue. */
    default:
        return 0;
    }
}

/* Dynamic LDS pointers among the explicit arguments (OpenCL): offsets behind the static LDS, one launch has one. */
static void fill_arguments(const struct hidden_values *v, const struct wl_kernel *kernel, uint8_t *kernarg) {
    for (uint32_t i = 0; i < kernel->argument_count; i++) {
        const struct wl_argument *a = &kernel->arguments[i];
        if (a->kind < WL_ARG_HIDDEN_GLOBAL_OFFSET_X)
            continue;
        uint64_t value = hidden_value(v, a->kind);
        if (a->size <= sizeof value)
            memcpy(kernarg + a->offset, &value, a->size);
        else
            memset(kernarg + a->offset, 0, a->size);
    }
}

void wl_abi_launch(struct wl_launch_memory *memory, const struct wl_job *job, const void *hostcall, const void *heap) {
    const struct wl_launch *l = job->launch;
    const struct wl_kernel *kernel = job->function->kernel;
    struct wl_dispatch_packet *p = &memory->packet;
    uint64_t items = 1;
    size_t size = wl_abi_kernarg_size(kernel, l);
    memset(p, 0, sizeof *p);
    p->header = 2; /* kernel dispatch */
    p->setup = 3;  /* dimensions */
    for (int d = 0; d < 3; d++) {
        p->workgroup_size[d] = (uint16_t)l->block[d];
        p->grid_size[d] = grid_items(l, d);
        items *= p->grid_size[d];
    }
    p->private_segment_size = job->scratch_size;
    p->group_segment_size = job->lds_size;
    p->kernel_object = (uint64_t)(uintptr_t)job->function->module->image + kernel->descriptor;
    p->kernarg_address = (uint64_t)(uintptr_t)memory->kernarg;
    memory->sync_word = 0;
    const struct wl_multigrid *m = l->multigrid;
    memory->sync = (struct wl_grid_sync){.counter = (uint64_t)(uintptr_t)(m ? (const void *)m->barrier : &memory->sync_word),
                                         .grid_index = m ? l->grid_index : 0,
                                         .grid_count = m ? m->grids : 1,
                                         .previous_items = m ? l->items_before : 0,
                                         .all_items = m ? m->items : items,
                                         .workgroups = (uint32_t)job->total};
    if (l->kernarg_size)
        memcpy(memory->kernarg, l->kernarg, l->kernarg_size);
    if (size > l->kernarg_size)
        memset((uint8_t *)memory->kernarg + l->kernarg_size, 0, size - l->kernarg_size);
    struct hidden_values values = {l, memory, job, (uint64_t)(uintptr_t)hostcall, (uint64_t)(uintptr_t)heap};
    fill_arguments(&values, kernel, memory->kernarg);
}

/* ---- SGPRs ---------------------------------------------------------------------------------- */

static void put64(uint32_t *sgprs, int at, uint64_t value) {
    if (at < 0)
        return;
    sgprs[at] = (uint32_t)value;
    sgprs[at + 1] = (uint32_t)(value >> 32);
}

/* The private segment's buffer descriptor but for its base: swizzled by the lane (ADD_TID), 4-byte elements, one wave's
 * lanes an index stride, so that it addresses what wl_scratch_address says. */
static void put_private_buffer(uint32_t *sgprs, int at, const struct wl_target *target, uint32_t wave_size) {
    if (at < 0)
        return;
    uint32_t stride = wave_size == 64 ? 3 : 2;
    sgprs[at] = 0;
    sgprs[at + 1] = UINT32_C(1) << 31;
    sgprs[at + 2] = UINT32_MAX;
    sgprs[at + 3] = stride << 21 | UINT32_C(1) << 23;
    if (target->major >= 10)
        sgprs[at + 3] |= UINT32_C(1) << 24 | UINT32_C(3) << 28 | UINT32_C(22) << 12; /* resource level, raw bounds, 32_FLOAT */
}

void wl_abi_sgprs(struct wl_job *job, const struct wl_launch_memory *memory) {
    const struct wl_abi *abi = &job->function->abi;
    const struct wl_kernel *kernel = job->function->kernel;
    uint32_t *s = job->sgprs;
    memset(s, 0, sizeof job->sgprs);
    job->sgpr_count = abi->sgpr_end > WL_TEMPLATE_SGPRS ? WL_TEMPLATE_SGPRS : (uint32_t)(abi->sgpr_end + 15) / 16 * 16;
    put_private_buffer(s, abi->private_buffer, job->function->module->target, job->wave_size);
    put64(s, abi->dispatch_ptr, (uint64_t)(uintptr_t)&memory->packet);
    put64(s, abi->queue_ptr, (uint64_t)(uintptr_t)job->device->queue);
    put64(s, abi->kernarg_ptr, (uint64_t)(uintptr_t)memory->kernarg);
    put64(s, abi->dispatch_id, 0);
    put64(s, abi->flat_scratch, 0); /* translated code reaches scratch through the wave's own pointer */
    if (abi->private_size >= 0)
        s[abi->private_size] = job->scratch_size;
    size_t size = wl_abi_kernarg_size(kernel, job->launch), from = (size_t)kernel->kernarg_preload_offset * 4;
    size_t bytes = (size_t)kernel->kernarg_preload_length * 4;
    if (abi->preload >= 0 && from < size && (size_t)abi->preload + kernel->kernarg_preload_length <= WL_TEMPLATE_SGPRS)
        memcpy(s + abi->preload, (const uint8_t *)memory->kernarg + from, bytes < size - from ? bytes : size - from);
}

/* ---- VGPRs ---------------------------------------------------------------------------------- */

const uint32_t *wl_abi_ids(struct wl_id_table *table, const struct wl_abi *abi, uint32_t wave_size, const uint32_t size[3]) {
    const uint32_t key[6] = {size[0], size[1], size[2], wave_size, abi->id_rows, abi->packed_ids};
    if (memcmp(table->key, key, sizeof key) == 0)
        return table->ids;
    memcpy(table->key, key, sizeof key);
    uint32_t count = size[0] * size[1] * size[2], id[3] = {0, 0, 0};
    for (uint32_t i = 0; i < WL_MAX_WORKGROUP; i++) {
        uint32_t *row = table->ids + (size_t)(i / wave_size * abi->id_rows) * wave_size + i % wave_size;
        bool real = i < count; /* the lanes that fill the last wave up get 0 */
        if (abi->packed_ids)
            row[0] = real ? id[0] | id[1] << 10 | id[2] << 20 : 0;
        else
            for (uint32_t d = 0; d < abi->id_rows; d++)
                row[(size_t)d * wave_size] = real ? id[d] : 0;
        for (int d = 0; d < 3 && ++id[d] == size[d]; d++)
            id[d] = 0;
    }
    return table->ids;
}
