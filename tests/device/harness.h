/* A device, a module and a kernel whose native code is a C function. */
#ifndef WL_TESTS_DEVICE_HARNESS_H
#define WL_TESTS_DEVICE_HARNESS_H

#include "device/cpu/code/units.h"
#include "device/cpu/cpu.h"
#include "device/device.h"
#include "fake_object.h"

#include <string.h>

/* struct wl_unit_info with two resume points. */
struct harness_info {
    uint32_t abi, rows, instructions, resume_count, may_wait, keeps_wave, may_workgroup_mode, reserved;
    struct wl_resume_point resume[2];
};

static inline const struct wl_unit_info *harness_info(const struct harness_info *info) {
    return (const struct wl_unit_info *)(const void *)info;
}

struct harness {
    struct wl_device **devices;
    size_t device_count;
    struct wl_device *device;
    struct wl_codeobject object;
    struct wl_device_module *module;
    struct wl_device_function *function;
    struct wl_launch launch;
    bool polls; /* code that may wait waits for other workgroups */
    bool looks; /* where it yields it does nothing but look */
};

/* The first 8 bytes of the arguments of the kernel that the wave runs. */
static inline uint64_t harness_kernarg(const struct wl_wave *wave) {
    uint64_t value;
    memcpy(&value, (void *)(uintptr_t)(wave->sgpr[0] | (uint64_t)wave->sgpr[1] << 32), sizeof value);
    return value;
}

/* Opens the devices; the object is that of fake_object. Change its kernel before harness_load. */
void harness_open(struct harness *h, const char *processor, unsigned major, unsigned minor, unsigned stepping, uint32_t wave_size);
/* Loads the module and prepares a launch of one workgroup of one wave. */
void harness_load(struct harness *h);
/* Installs `code` as both copies of the kernel, for all shapes. */
void harness_code(struct harness *h, wl_unit_code *full, wl_unit_code *masked, bool may_wait);
enum wl_status harness_run(struct harness *h);
void harness_close(struct harness *h);

#endif
