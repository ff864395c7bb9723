/* A stream's wait for a part of a word: a kernel of one thread that looks at it, with pauses. */
#include "device/cuda/cuda.h"

#include <assert.h>

/* The word's masked bits are compared as enum wl_value_operation says; NOR: not all bits of `all` are in the word or the value. */
static const char code[] = ".version 7.0\n"
                           ".target sm_70\n"
                           ".address_size 64\n"
                           ".visible .entry wl_wait(.param .u64 address, .param .u64 value, .param .u64 mask, .param .u64 all, "
                           ".param .u32 operation, .param .u32 size)\n"
                           "{\n"
                           "    .reg .b64 %address, %value, %mask, %all, %word, %bits;\n"
                           "    .reg .b32 %operation, %size, %half;\n"
                           "    .reg .pred %wide, %is, %done;\n"
                           "    ld.param.u64 %address, [address];\n"
                           "    ld.param.u64 %value, [value];\n"
                           "    ld.param.u64 %mask, [mask];\n"
                           "    ld.param.u64 %all, [all];\n"
                           "    ld.param.u32 %operation, [operation];\n"
                           "    ld.param.u32 %size, [size];\n"
                           "    setp.eq.u32 %wide, %size, 8;\n"
                           "LOOK:\n"
                           "    @%wide ld.relaxed.sys.u64 %word, [%address];\n"
                           "    @!%wide ld.relaxed.sys.u32 %half, [%address];\n"
                           "    @!%wide cvt.u64.u32 %word, %half;\n"
                           "    and.b64 %word, %word, %mask;\n"
                           "    setp.ge.u64 %done, %word, %value;\n"
                           "    setp.eq.u32 %is, %operation, 0;\n"
                           "    @%is bra LOOKED;\n"
                           "    setp.eq.u64 %done, %word, %value;\n"
                           "    setp.eq.u32 %is, %operation, 1;\n"
                           "    @%is bra LOOKED;\n"
                           "    and.b64 %bits, %word, %value;\n"
                           "    setp.ne.u64 %done, %bits, 0;\n"
                           "    setp.eq.u32 %is, %operation, 2;\n"
                           "    @%is bra LOOKED;\n"
                           "    and.b64 %bits, %value, %mask;\n"
                           "    or.b64 %bits, %bits, %word;\n"
                           "    setp.ne.u64 %done, %bits, %all;\n"
                           "LOOKED:\n"
                           "    @%done bra END;\n"
                           "    nanosleep.u32 1000;\n"
                           "    bra LOOK;\n"
                           "END:\n"
                           "    fence.acq_rel.sys;\n"
                           "    ret;\n"
                           "}\n";

static_assert(WL_VALUE_GEQ == 0 && WL_VALUE_EQ == 1 && WL_VALUE_AND == 2 && WL_VALUE_NOR == 3, "the code knows these numbers");

static enum wl_status make_kernel(struct wl_cuda_device *device) {
    pthread_mutex_lock(&device->services_lock);
    enum wl_status status = WL_OK;
    if (!device->wait_module)
        status = wl_cuda_check(device->driver->cuModuleLoadDataEx(&device->wait_module, code, 0, NULL, NULL), "the kernel that waits");
    if (status == WL_OK && !device->wait_function)
        status = wl_cuda_check(device->driver->cuModuleGetFunction(&device->wait_function, device->wait_module, "wl_wait"),
                               "the kernel that waits");
    pthread_mutex_unlock(&device->services_lock);
    return status;
}

enum wl_status wl_cuda_wait(struct wl_cuda_device *device, CUstream stream, enum wl_value_operation operation, const void *address,
                            unsigned size, uint64_t value, uint64_t mask) {
    uint64_t all = size == 4 ? UINT32_MAX : UINT64_MAX, at = (uint64_t)(uintptr_t)address, wanted = value & all, counted = mask & all;
    uint32_t how = (uint32_t)operation, bytes = size;
    void *parameters[] = {&at, &wanted, &counted, &all, &how, &bytes};
    enum wl_status status = make_kernel(device);
    if (status != WL_OK)
        return status;
    return wl_cuda_result(device, device->driver->cuLaunchKernel(device->wait_function, 1, 1, 1, 1, 1, 1, 0, stream, parameters, NULL),
                          "a wait for a word");
}

void wl_cuda_wait_forget(struct wl_cuda_device *device) {
    pthread_mutex_lock(&device->services_lock);
    device->wait_module = NULL;
    device->wait_function = NULL;
    pthread_mutex_unlock(&device->services_lock);
}
