/* Preloaded into the tests of the HIP API: what the kernels of tests/api/kernels.hip do, for the fake driver. They get what a
 * translated kernel gets: the launch record, and the kernarg segment. */
#include "fake_cuda.h"
#include "translate/interface/translate.h"

#include <dlfcn.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

static const struct fake_control *fake;

static void *pointer(const struct fake_launch *launch, size_t offset) {
    const void *value = NULL;
    memcpy(&value, (const char *)launch->values[1] + offset, sizeof value);
    return fake->at(value);
}

static int number(const struct fake_launch *launch, size_t offset) {
    int value;
    memcpy(&value, (const char *)launch->values[1] + offset, sizeof value);
    return value;
}

static uint64_t items(const struct fake_launch *launch) {
    struct wl_ptx_launch record;
    memcpy(&record, launch->values[0], sizeof record);
    return (uint64_t)launch->grid[0] * record.block[0] - (record.remainder[0] ? record.block[0] - record.remainder[0] : 0);
}

static CUresult run_add(const struct fake_launch *launch) {
    int *values = pointer(launch, 0), value = number(launch, 8), count = number(launch, 12);
    for (uint64_t i = 0; i < items(launch) && i < (uint64_t)count; i++)
        values[i] += value;
    return CUDA_SUCCESS;
}

struct mixed {
    char letters[5];
    double number;
};

static CUresult run_arguments(const struct fake_launch *launch) {
    const unsigned char *kernarg = launch->values[1];
    double *out = pointer(launch, 0);
    const struct mixed *c = (const struct mixed *)(kernarg + 16);
    out[0] = *(const char *)(kernarg + 8);
    out[1] = *(const short *)(kernarg + 10);
    out[2] = c->letters[4];
    out[3] = c->number;
    out[4] = (double)*(const float *)(kernarg + 32);
    return CUDA_SUCCESS;
}

static CUresult run_wait_for(const struct fake_launch *launch) {
    atomic_int *flag = pointer(launch, 0);
    while (!atomic_load(flag))
        sched_yield();
    return CUDA_SUCCESS;
}

static CUresult run_set(const struct fake_launch *launch) {
    atomic_store((atomic_int *)pointer(launch, 0), number(launch, 8));
    return CUDA_SUCCESS;
}

static CUresult run_burn(const struct fake_launch *launch) {
    unsigned *out = pointer(launch, 0);
    for (uint64_t item = 0; item < items(launch); item++) {
        unsigned value = (unsigned)item;
        for (int i = 0; i < number(launch, 8); i++)
            value = value * 1664525u + 1013904223u;
        out[item] = value;
    }
    return CUDA_SUCCESS;
}

static CUresult run_fault(const struct fake_launch *launch) {
    (void)launch;
    return CUDA_ERROR_ILLEGAL_ADDRESS;
}

__attribute__((constructor)) static void prepare(void) {
    void *library = dlopen(getenv("WAVELIFT_CUDA_LIBRARY"), RTLD_NOW | RTLD_LOCAL);
    fake = library ? dlsym(library, "fake_control") : NULL;
    if (!fake)
        abort();
    fake->kernel("add", run_add);
    fake->kernel("arguments", run_arguments);
    fake->kernel("wait_for", run_wait_for);
    fake->kernel("set", run_set);
    fake->kernel("burn", run_burn);
    fake->kernel("fault", run_fault);
}
