/* Common to the tests of the CUDA device against the fake driver. */
#ifndef WL_TEST_CUDA_TEST_H
#define WL_TEST_CUDA_TEST_H

#include "../hip_calls.h"
#include "fake_cuda.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The fake driver that the runtime opens too. */
static const struct fake_control *fake;

/* Before the runtime starts: the driver, and which devices. */
static inline void use_fake_driver(const char *devices) {
    setenv("WAVELIFT_CUDA_LIBRARY", FAKE_CUDA, 1);
    if (devices)
        setenv("WAVELIFT_DEVICES", devices, 1);
    else
        unsetenv("WAVELIFT_DEVICES");
    void *library = dlopen(FAKE_CUDA, RTLD_NOW | RTLD_LOCAL);
    fake = library ? dlsym(library, "fake_control") : NULL;
    if (!fake) {
        fprintf(stderr, "%s\n", dlerror());
        exit(1);
    }
}

#endif
