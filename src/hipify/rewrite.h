/* hipify/: CUDA sources become HIP sources.
 *
 *   in    the bytes of one source file: any bytes
 *   out   struct wl_hipify_result: the bytes of the HIP source, and notes on what was left
 *
 *   lexer.h    bytes -> tokens
 *   mapping.h  what CUDA's names are called in HIP: the tables
 *   rewrite.h  one pass over the tokens of a source
 *
 * Comments, strings, layout and line ends stay as they are, and so do the numbers of the lines: a line of the output is the same line of
 * the input.
 *
 * A name is a whole identifier outside comments and strings. It stays when it is somebody else's: a member (`x.cuInit`,
 * `x->cuInit`) or qualified by a name that is not CUDA's (`ns::cuInit`; but `::cuInit` and `cudaError_t::cudaSuccess` change),
 * or declared as a function with a result that is not CUDA's (`int cuInit(`). What such a declaration means elsewhere is not known
 * here: an unqualified call of it changes. */
#ifndef WL_HIPIFY_REWRITE_H
#define WL_HIPIFY_REWRITE_H

#include "base/status.h"
#include "hipify/mapping.h"

#include <stdbool.h>

/* A name that was met. */
struct wl_hipify_note {
    const struct wl_hipify_row *row;
    const char *name; /* as the source has it, or the path of a header; not terminated */
    size_t name_size;
    size_t line, column; /* from 1; columns are bytes */
    const char *reason;  /* NULL: converted; else why it was left as it is */
};

/* Called for each name, in the source's order. */
typedef void wl_hipify_observer(void *context, const struct wl_hipify_note *note);

struct wl_hipify_result {
    char *text; /* to be freed by the caller */
    size_t size;
    size_t converted, left;  /* names */
    bool has_runtime_header; /* the output includes hip/hip_runtime.h */
    bool is_device_code;     /* __global__ or a name of the runtime API was met */
};

/* Rewrites `size` bytes of any content. `observer` may be NULL. Fails with WL_OUT_OF_MEMORY only. Thread-safe. */
enum wl_status wl_hipify_rewrite(const char *source, size_t size, wl_hipify_observer *observer, void *context,
                                 struct wl_hipify_result *result);

#endif
