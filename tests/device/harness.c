#include "harness.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

void harness_open(struct harness *h, const char *processor, unsigned major, unsigned minor, unsigned stepping, uint32_t wave_size) {
    memset(h, 0, sizeof *h);
    assert_int_equal(wl_devices_create(&h->devices, &h->device_count), WL_OK);
    h->device = h->devices[0];
    fake_object(&h->object, processor, major, minor, stepping, wave_size);
}

void harness_load(struct harness *h) {
    assert_int_equal(h->device->ops->module_load(h->device, &h->object, &h->module), WL_OK);
    assert_int_equal(h->device->ops->module_function(h->module, &h->object.kernels[0], &h->function), WL_OK);
    h->launch.function = h->function;
    for (int d = 0; d < 3; d++)
        h->launch.grid[d] = h->launch.block[d] = 1;
    h->launch.block[0] = h->object.kernels[0].wave_size;
}

void harness_code(struct harness *h, wl_unit_code *full, wl_unit_code *masked, bool may_wait) {
    static const struct harness_info infos[4] = {
        {WL_WAVE_ABI, 8, 5, 1, 0, 0, 0, 0, {{4096, 0, 0, 0}, {0, 0, 0, 0}}},
        {WL_WAVE_ABI, 8, 5, 1, WL_WAITS, 0, 0, 0, {{4096, 0, 0, 0}, {0, 0, 0, 0}}},
        {WL_WAVE_ABI, 8, 5, 1, WL_WAITS | WL_POLLS, 0, 0, 0, {{4096, 0, 0, 0}, {0, 0, 0, 0}}},
        {WL_WAVE_ABI, 8, 5, 2, WL_WAITS | WL_POLLS, 0, 0, 0, {{4096, 0, 0, 0}, {4096, 0, 0, 1}}},
    };
    const struct wl_unit_info *info = harness_info(&infos[!may_wait ? 0 : h->looks ? 3 : h->polls ? 2 : 1]);
    for (int shape = 0; shape < WL_SHAPE_COUNT; shape++) {
        assert_int_equal(wl_units_install(h->module, 4096, WL_MODE_FULL, (enum wl_shape)shape, h->object.kernels[0].wave_size, full, info),
                         WL_OK);
        assert_int_equal(
            wl_units_install(h->module, 4096, WL_MODE_MASKED, (enum wl_shape)shape, h->object.kernels[0].wave_size, masked, info), WL_OK);
    }
}

enum wl_status harness_run(struct harness *h) { return h->device->ops->launch(h->device, &h->launch); }

void harness_close(struct harness *h) {
    if (h->module)
        h->device->ops->module_unload(h->module);
    for (size_t i = 0; i < h->device_count; i++)
        h->devices[i]->ops->destroy(h->devices[i]);
    free(h->devices);
}
