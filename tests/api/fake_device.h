/* A device for tests of runtime/ and api/ without translation: kernels are C functions found by name. */
#ifndef WL_TEST_FAKE_DEVICE_H
#define WL_TEST_FAKE_DEVICE_H

#include "device/device.h"

#include <stdatomic.h>

struct fake_control {
    _Atomic unsigned launches;                                  /* kernels run so far */
    _Atomic int prepare_status, allocate_status, module_status; /* enum wl_status to fail with; WL_OK: succeed */
    _Atomic unsigned modules;                                   /* loaded now */
    _Atomic long memory;                                        /* bytes allocated now */
};
extern struct fake_control fake;

#endif
