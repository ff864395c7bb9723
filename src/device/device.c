/* The list of all devices: each kind adds its own. */
#include "device/device.h"
#include "base/options.h"
#include "device/cpu/cpu_device.h"

#include <stdlib.h>

enum wl_status wl_devices_create(struct wl_device ***result, size_t *count) {
    size_t wanted = wl_options()->devices;
    struct wl_device **devices = calloc(wanted, sizeof(struct wl_device *));
    if (!devices)
        return wl_fail(WL_OUT_OF_MEMORY, "no memory for %zu devices", wanted);
    for (size_t i = 0; i < wanted; i++) {
        enum wl_status status = wl_cpu_device_create(&devices[i], (unsigned)i);
        if (status != WL_OK) {
            while (i-- > 0)
                devices[i]->ops->destroy(devices[i]);
            free(devices);
            return status;
        }
    }
    *result = devices;
    *count = wanted;
    return WL_OK;
}
