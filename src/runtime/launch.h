/* Launches of kernels. (launch.c) */
#ifndef WL_RUNTIME_LAUNCH_H
#define WL_RUNTIME_LAUNCH_H

#include "base/status.h"
#include "runtime/module.h"
#include "runtime/stream.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct wl_launch_request {
    struct wl_loaded_kernel *kernel;
    uint32_t grid[3], block[3], remainder[3]; /* as in struct wl_launch */
    uint32_t cluster[3];                      /* 0: as the kernel says */
    size_t dynamic_lds;
    void **arguments;   /* one pointer per explicit argument; or NULL and */
    const void *buffer; /* the ready kernarg bytes */
    size_t buffer_size;
    bool cooperative;
    struct wl_event *start, *stop; /* may be NULL: recorded before and after */
    const void *handle;            /* how the program names the kernel: a host function or a handle; for graphs */
};

/* Checks the launch against the kernel's and the device's limits, makes the kernel ready and queues it. WL_INVALID_SHAPE,
 * WL_KERNEL_BOUNDS, WL_INVALID_CLUSTER, WL_TOO_MANY_RESIDENT; WL_OUT_OF_RESOURCES: too much LDS; WL_INVALID_VALUE: missing or too few arguments, a
 * partial workgroup that the kernel cannot have, more dynamic LDS than there is at all, another device's kernel; translation
 * errors. Arguments are copied before it returns. Thread-safe. */
enum wl_status wl_launch_enqueue(struct wl_stream *stream, const struct wl_launch_request *request);

#define WL_LAUNCH_WAIT_BEFORE 1u /* no kernel starts before all that was queued on any of the streams is done */
#define WL_LAUNCH_WAIT_AFTER  2u /* what is queued later on any of the streams waits for all kernels */

/* Request i goes to stream i; the streams all differ, and nothing of another thread comes between on any of them. If one is
 * wrong none is queued. With `cooperative` set (in all or none) the grids are one multi-grid: they synchronize with each other,
 * and if one fails the others end with WL_ABORTED. Events of requests are not recorded. */
enum wl_status wl_launch_enqueue_all(struct wl_stream *const *streams, const struct wl_launch_request *requests, unsigned count,
                                     unsigned flags);
/* The kernel that a queued command launches; NULL: it is no launch of a kernel. */
const char *wl_launch_kernel_of(const struct wl_command *command);
/* The checks of wl_launch_enqueue, and making the kernel ready, without queueing it. */
enum wl_status wl_launch_check(struct wl_context *context, const struct wl_launch_request *request);
/* What the device is told; `kernarg` stays the caller's. The stream's part is left to the caller. */
void wl_launch_describe(const struct wl_launch_request *request, const unsigned char *kernarg, size_t size, struct wl_launch *launch);
/* Writes the arguments as the kernel finds them: `size` bytes, the kernel's explicit_size. */
enum wl_status wl_launch_pack(const struct wl_launch_request *request, unsigned char *kernarg, size_t size);
/* Bytes of LDS that a workgroup may have in all, of which `dynamic_lds` are asked for. More than the processor of the code has is for launches that
 * hipFuncSetAttribute allows it. */
uint32_t wl_launch_lds(const struct wl_loaded_kernel *kernel, size_t dynamic_lds);
/* Workgroups of `block_size` work items that a compute unit holds at once; 0: the block cannot run. */
uint32_t wl_launch_occupancy(struct wl_loaded_kernel *kernel, uint32_t block_size, size_t dynamic_lds);

#endif
