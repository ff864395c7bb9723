/* What a stream is given besides kernels: copies, fills, prefetches, host functions, words to wait for. (command.c, value.c) */
#ifndef WL_RUNTIME_WORK_H
#define WL_RUNTIME_WORK_H

#include "base/status.h"
#include "runtime/stream.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Commands of general use. All return WL_OUT_OF_MEMORY or what wl_stream_enqueue returns. `wait`: run now and return the
 * command's status. */
struct wl_copy { /* `rows` rows of `width` bytes, `slices` such planes; a plain copy has one row */
    void *target;
    const void *source;
    size_t width, rows, slices;
    size_t target_pitch, source_pitch; /* bytes from row to row */
    size_t target_slice, source_slice; /* bytes from plane to plane */
    int given;                         /* HIP's kind of the copy as the program gave it; only kept, for graphs */
    bool stage;                        /* the source may change after the call: a private copy is queued */
    struct wl_context *via;            /* the context whose device copies; NULL: the stream's */
    struct wl_context *also[2];        /* contexts whose null stream it waits for as well; may be NULL */
    uint64_t call_stack;               /* for initcheck: of the program's call (wl_san_stack); 0: not known */
};
enum wl_status wl_command_copy(struct wl_stream *stream, const struct wl_copy *copy, bool wait);
/* Copies at once, in the calling thread; for a stream without a queue. */
enum wl_status wl_copy_run(struct wl_stream *stream, const struct wl_copy *copy);

struct wl_fill {
    void *target;
    uint32_t pattern;
    unsigned pattern_size; /* 1, 2, 4 */
    size_t width /* elements */, rows, slices, pitch, slice;
    struct wl_context *via; /* the context whose device fills; NULL: the stream's */
};
enum wl_status wl_command_fill(struct wl_stream *stream, const struct wl_fill *fill, bool wait);
/* Fills at once, in the calling thread, or gives the fill to the stream's queue. */
enum wl_status wl_fill_run(struct wl_stream *stream, const struct wl_fill *fill);

/* Moves managed memory, which came from the stream's device, to a device or WL_LOCATION_HOST. The stream has a queue. */
enum wl_status wl_command_prefetch(struct wl_stream *stream, const void *memory, size_t size, int location);

/* Calls `function(argument, fault)` in stream order; `fault` is the context's sticky status. The stream waits for it. With
 * `always` false it is skipped once the context has a fault. */
enum wl_status wl_command_host(struct wl_stream *stream, void (*function)(void *argument, enum wl_status fault), void *argument,
                               bool always);

/* Stream memory operations (value.c): wait for, or write, a 32- or 64-bit word in stream order. */
struct wl_stream_value {
    enum wl_value_operation operation;
    unsigned size; /* 4 or 8 */
    void *address; /* aligned to `size` */
    uint64_t value, mask;
};
/* Queues `count` operations, which are carried out one after the other; a wait holds no thread. */
enum wl_status wl_value_enqueue(struct wl_stream *stream, const struct wl_stream_value *values, unsigned count);
/* What a command waits for, as a finding of synccheck: the call that queued it, the memory, and the condition in words. False: it waits for no
 * such word. */
struct wl_san_finding;
bool wl_value_describe(const struct wl_command *command, struct wl_san_finding *finding);

#endif
