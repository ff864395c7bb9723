/* Ray tracing's instruction for one lane; the code of the CPU device. */
#include "translate/nvptx/device/device.h"

#include "lane/image_lane.h"

void wl_device_image_intersect(struct wl_device_image *image) {
    const struct wl_image_rays rays = {image->address,   image->resource,  1,
                                       image->operation, image->modifiers, {WL_DEVICE_LOW_ROWS, WL_DEVICE_HIGH_ROWS}};
    if (image->active)
        wl_image_intersect_lane(&rays, 0, image->data);
}
