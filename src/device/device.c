/* The list of all devices: each kind adds its own. */
#include "device/device.h"
#include "base/array.h"
#include "base/options.h"
#include "device/cpu/cpu_device.h"
#include "device/cuda/cuda_device.h"
#include "device/visible.h"

#include <stdlib.h>

/* Makes one more device of a kind: the `n`-th of it. WL_NOT_FOUND: there is no such device. */
typedef enum wl_status make(struct wl_device **device, unsigned n, unsigned index);

static enum wl_status make_cpu(struct wl_device **device, unsigned n, unsigned index) {
    (void)n;
    return wl_cpu_device_create(device, index);
}

struct list {
    struct wl_device **devices;
    size_t count, capacity;
};

/* CPU devices where their number is not told: one, but where MPI has started several ranks on a machine without a GPU a device for each. */
static unsigned cpu_devices(const struct list *list) { return wl_options()->default_devices && list->count == 0 ? wl_devices_ranks() : 1; }

/* GPUs that do not work are no failure: the other devices do. */
static enum wl_status add(struct list *list, const struct wl_device_wish *wish) {
    if (wish->cuda && wl_options()->sanitize) {
        (void)wl_fail(WL_NOT_FOUND, "the sanitizers watch kernels on CPU devices alone; GPUs are left out");
        wl_log(wl_options()->device_wishes == 1 ? 1 : 2, "%s", wl_failure());
        return WL_OK;
    }
    unsigned most = wish->count == UINT32_MAX && !wish->cuda ? cpu_devices(list) : wish->count;
    make *kind = wish->cuda ? wl_cuda_device_create : make_cpu;
    for (unsigned i = 0; i < most && list->count < WL_MAX_DEVICES; i++) {
        struct wl_device *device = NULL;
        enum wl_status status = kind(&device, i, (unsigned)list->count);
        if (status != WL_OK && wish->cuda) {
            wl_log(i && wish->count == UINT32_MAX ? 4 : 2, "GPU %u: %s", i, wl_failure());
            return WL_OK;
        }
        if (status != WL_OK)
            return status;
        if (!WL_ARRAY_RESERVE(list->devices, list->count, list->capacity, 4)) {
            device->ops->destroy(device);
            return wl_fail(WL_OUT_OF_MEMORY, "no memory for %zu devices", list->count + 1);
        }
        list->devices[list->count++] = device;
    }
    return WL_OK;
}

/* Takes the hidden ones out, and puts the others into the order that the program is to see. */
static enum wl_status hide(struct list *list) {
    const struct wl_options *options = wl_options();
    struct wl_device_info *infos = calloc(list->count, sizeof *infos);
    struct wl_device *all[WL_MAX_DEVICES];
    unsigned chosen[WL_MAX_DEVICES];
    bool cuda = false;
    if (!infos)
        return wl_fail(WL_OUT_OF_MEMORY, "no memory to look at %zu devices", list->count);
    for (size_t i = 0; i < list->count; i++) {
        all[i] = list->devices[i];
        all[i]->ops->info(all[i], &infos[i]);
    }
    for (unsigned i = 0; i < options->device_wishes; i++)
        cuda |= options->devices[i].cuda && wl_cuda_driver_opened();
    unsigned count = wl_devices_visible(infos, (unsigned)list->count, cuda, chosen);
    free(infos);
    for (unsigned i = 0; i < count; i++) {
        list->devices[i] = all[chosen[i]];
        all[chosen[i]] = NULL;
    }
    for (size_t i = 0; i < list->count; i++)
        if (all[i])
            all[i]->ops->destroy(all[i]);
    size_t made = list->count;
    list->count = count;
    return count ? WL_OK : wl_fail(WL_NOT_FOUND, "the environment's *_VISIBLE_DEVICES hide all %zu devices", made);
}

enum wl_status wl_devices_create(struct wl_device ***devices, size_t *count) {
    const struct wl_options *options = wl_options();
    struct list list = {0};
    enum wl_status status = WL_OK;
    for (unsigned i = 0; i < options->device_wishes && status == WL_OK; i++)
        status = add(&list, &options->devices[i]);
    if (status == WL_OK && list.count == 0)
        status = wl_fail(WL_NOT_FOUND, "no GPU can be used, and WAVELIFT_DEVICES names no other device: %s", wl_failure());
    if (status == WL_OK)
        status = hide(&list);
    if (status != WL_OK) {
        while (list.count > 0) {
            list.count--;
            list.devices[list.count]->ops->destroy(list.devices[list.count]);
        }
        free((void *)list.devices);
        return status;
    }
    *devices = list.devices;
    *count = list.count;
    return WL_OK;
}
