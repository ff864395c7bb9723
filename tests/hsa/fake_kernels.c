/* Preloaded into hsa_test: what kernels.cl's `look` does, for the fake driver of tests/cuda. It reads what a translated kernel reads: the packet in
 * the launch record, and its copy in device memory. */
#include "../cuda/fake_cuda.h"
#include "device/kernarg.h"
#include "translate/interface/translate.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

static const struct fake_control *fake;

static CUresult run_look(const struct fake_launch *launch) {
    struct wl_ptx_launch record;
    struct wl_dispatch_packet packet;
    uint64_t *seen;
    memcpy(&record, launch->values[0], sizeof record);
    memcpy(&seen, launch->values[1], sizeof seen);
    memcpy(&packet, record.packet, sizeof packet);
    const struct wl_queue *queue = fake->at((const void *)(uintptr_t)record.queue);
    if (record.kernarg != packet.kernarg_address ||
        memcmp(fake->at((const void *)(uintptr_t)record.dispatch_packet), &packet, sizeof packet) != 0)
        return CUDA_ERROR_LAUNCH_FAILED;
    seen[0] = packet.kernarg_address;
    seen[1] = packet.completion_signal;
    seen[2] = queue->size;
    seen[3] = packet.kernel_object;
    return CUDA_SUCCESS;
}

__attribute__((constructor)) static void prepare(void) {
    void *library = dlopen(getenv("WAVELIFT_CUDA_LIBRARY"), RTLD_NOW | RTLD_LOCAL);
    fake = library ? dlsym(library, "fake_control") : NULL;
    if (!fake)
        abort();
    fake->kernel("look", run_look);
}
