/* A code object made by hand, for tests of the device alone: implements codeobject.h's accessors over plain tables, so these
 * tests link no reader. One object at a time is enough. */
#ifndef WL_TESTS_DEVICE_FAKE_OBJECT_H
#define WL_TESTS_DEVICE_FAKE_OBJECT_H

#include "codeobject/codeobject.h"

#define FAKE_IMAGE 65536

struct wl_codeobject {
    struct wl_target target;
    struct wl_kernel kernels[4];
    size_t kernel_count;
    struct wl_function functions[4];
    size_t function_count;
    uint64_t hash[2];
    uint8_t image[FAKE_IMAGE]; /* all of it is code */
};

/* An object for `processor` with one kernel "test" at 4096, wave size `wave_size`, all user SGPRs off but the kernarg pointer. */
void fake_object(struct wl_codeobject *object, const char *processor, unsigned major, unsigned minor, unsigned stepping,
                 uint32_t wave_size);

#endif
