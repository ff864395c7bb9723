#include "smi/devices.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

static _Atomic uint32_t started;

void wl_smi_start(void) { atomic_fetch_add(&started, 1); }

bool wl_smi_stop(void) {
    uint32_t count = atomic_load(&started);
    while (count && !atomic_compare_exchange_weak(&started, &count, count - 1))
        ;
    return count != 0;
}

bool wl_smi_is_started(void) { return atomic_load(&started) != 0; }

bool wl_smi_copy(char *target, size_t size, const char *source) {
    const int length = snprintf(target, size, "%s", source);
    return length >= 0 && (size_t)length < size;
}

uint64_t wl_smi_place(const struct wl_device_info *info, unsigned domain) {
    return (uint64_t)(uint32_t)info->pci_domain << domain | (uint64_t)(uint32_t)info->pci_bus << 8 |
           (uint64_t)(uint32_t)info->pci_device << 3;
}

uint64_t wl_smi_graphics_version(const struct wl_target *target) {
    char digits[32];
    snprintf(digits, sizeof digits, "%u%u%x", target->major, target->minor, target->stepping);
    return strtoull(digits, NULL, 16);
}

bool wl_smi_peers(const struct wl_context *from, const struct wl_context *to) {
    const struct wl_host_memory_ops *ops = from->device->ops->host, *others = to->device->ops->host;
    return from == to || (!ops && !others) || (ops && others && ops->peer_possible(from->device, to->device));
}

enum { PROCESSES = 256 };

struct wl_usage_process *wl_smi_processes(unsigned *count) {
    (void)wl_core.context_count(); /* starts the runtime */
    struct wl_usage_process *all = calloc(PROCESSES, sizeof *all);
    *count = all ? wl_core.usage_processes(all, PROCESSES) : 0;
    if (*count > PROCESSES)
        *count = PROCESSES;
    return all;
}

uint64_t wl_smi_memory_used(struct wl_context *context, enum wl_smi_memory kind) {
    uint64_t free_bytes = 0, total = 0;
    if (!context->info.host_memory) {
        wl_core.memory_info(context, &free_bytes, &total);
        return kind == WL_SMI_GTT || total < free_bytes ? 0 : total - free_bytes;
    }
    unsigned count = 0;
    struct wl_usage_process *all = wl_smi_processes(&count);
    uint64_t used = kind == WL_SMI_GTT ? 0 : atomic_load(&context->memory_used); /* this process's, and */
    for (unsigned i = 0; i < count; i++)
        used += kind == WL_SMI_GTT ? all[i].host : all[i].bytes[context->device->index];
    free(all);
    return used;
}

uint64_t wl_smi_bytes_of(const struct wl_usage_process *process, uint32_t index) {
    uint64_t bytes = 0;
    for (unsigned i = 0; i < wl_core.context_count(); i++)
        if (index == UINT32_MAX || index == i)
            bytes += process->bytes[wl_core.context_at(i)->device->index];
    return bytes;
}

static const struct wl_usage_process *find(const struct wl_usage_process *all, unsigned count, uint32_t process) {
    for (unsigned i = 0; i < count; i++)
        if ((uint32_t)all[i].process == process)
            return &all[i];
    return NULL;
}

bool wl_smi_find_bytes(uint32_t process, uint32_t index, uint64_t *bytes) {
    unsigned count = 0;
    struct wl_usage_process *all = wl_smi_processes(&count);
    const struct wl_usage_process *found = find(all, count, process);
    if (found)
        *bytes = wl_smi_bytes_of(found, index);
    free(all);
    return found;
}

bool wl_smi_devices_of(uint32_t process, uint32_t *devices, uint32_t capacity, uint32_t *number) {
    unsigned count = 0;
    struct wl_usage_process *all = wl_smi_processes(&count);
    const struct wl_usage_process *found = find(all, count, process);
    *number = 0;
    for (uint32_t d = 0; found && d < wl_core.context_count(); d++) {
        if (!wl_smi_bytes_of(found, d))
            continue;
        if (devices && *number < capacity)
            devices[*number] = d;
        ++*number;
    }
    free(all);
    return found;
}
