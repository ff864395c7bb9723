#include "device/cpu/abi.h"

#include <string.h>

/* ---- memory of a launch --------------------------------------------------------------------- */

void wl_abi_launch(struct wl_launch_memory *memory, const struct wl_job *job, const struct wl_services *services) {
    const struct wl_launch *l = job->launch;
    const struct wl_kernel *kernel = job->function->kernel;
    if (l->packet) {
        memory->packet = *l->packet;
        memory->queue = l->queue;
        return;
    }
    memory->queue = job->device->queue;
    wl_packet_fill(&memory->packet, l, job->scratch_size, job->lds_size);
    memory->packet.kernel_object = (uint64_t)(uintptr_t)job->function->module->image + kernel->descriptor;
    memory->packet.kernarg_address = (uint64_t)(uintptr_t)memory->kernarg;
    memory->sync_word = 0;
    wl_grid_sync_fill(&memory->sync, l,
                      (uint64_t)(uintptr_t)(l->multigrid ? (const void *)l->multigrid->barrier : (const void *)&memory->sync_word));
    struct wl_hidden hidden = {.hostcall = (uint64_t)(uintptr_t)services->hostcall,
                               .heap = (uint64_t)(uintptr_t)services->heap,
                               .print_buffer = (uint64_t)(uintptr_t)services->print_buffer,
                               .queue = (uint64_t)(uintptr_t)job->device->queue,
                               .sync = (uint64_t)(uintptr_t)&memory->sync};
    wl_kernarg_fill(kernel, l, &hidden, memory->kernarg);
}

/* ---- SGPRs ---------------------------------------------------------------------------------- */

static void put64(uint32_t *sgprs, int at, uint64_t value) {
    if (at < 0)
        return;
    sgprs[at] = (uint32_t)value;
    sgprs[at + 1] = (uint32_t)(value >> 32);
}

/* The private segment's buffer descriptor without its base: swizzled by the lane (ADD_TID), with elements of 4 bytes, and the wave's number
 * of lanes as the index stride. So it addresses what wl_scratch_address says. */
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
    job->sgpr_count = abi->sgpr_end > WL_TEMPLATE_SGPRS ? WL_TEMPLATE_SGPRS : (uint32_t)(abi->sgpr_end + 15) / 16 * 16;
    put_private_buffer(s, abi->private_buffer, job->function->module->target, job->wave_size);
    put64(s, abi->dispatch_ptr, (uint64_t)(uintptr_t)&memory->packet);
    put64(s, abi->queue_ptr, (uint64_t)(uintptr_t)memory->queue);
    put64(s, abi->kernarg_ptr, (uint64_t)(uintptr_t)memory->kernarg);
    put64(s, abi->dispatch_id, 0);
    put64(s, abi->flat_scratch, 0); /* translated code reaches scratch through the wave's own pointer */
    if (abi->private_size >= 0)
        s[abi->private_size] = job->scratch_size;
    size_t size = wl_kernarg_size(kernel, job->launch), from = (size_t)kernel->kernarg_preload_offset * 4;
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
