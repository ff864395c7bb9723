/* What the API's doors tell the sanitizers (sanitize/report.h): the call that a thread is in, and faults of calls. All functions but the first
 * do nothing unless memcheck is on; each reports at most one finding. */
#ifndef WL_API_CHECKED_H
#define WL_API_CHECKED_H

#include "sanitize/allocations.h"

#include <stdbool.h>
#include <stddef.h>

struct wl_copy;

/* What the calling thread allocates and frees from now on is the work of this function, a string that stays. */
static inline void wl_checked_call(const char *function) { wl_san_call = function; }

/* A free that fails: of memory that was freed already, or that was never allocated. */
void wl_checked_bad_free(const char *function, const void *memory);
/* The same of hipHostUnregister: of memory that was registered once. Others ask by it what kind of memory they have. */
void wl_checked_bad_unregister(const char *function, const void *memory);
/* The same of a handle, of which only that is known that it is none; `what`: "array". */
void wl_checked_bad_handle(const char *function, const void *handle, const char *what);

/* A piece of memory that a copy or fill is going to read or write: `rows` rows of `width` bytes, `slices` such planes. */
struct wl_checked_piece {
    const void *memory;
    size_t width, rows, slices, pitch, slice;
    bool write;
};
/* Reports the first byte of a piece that is not in memory which is allocated, if the program has it from HIP. */
void wl_checked_piece(const char *function, const struct wl_checked_piece *piece);
/* The same for both ends of a copy. */
void wl_checked_copy(const char *function, const struct wl_copy *copy);
/* A copy or fill that would leave an array or a variable, which begins at `memory`; `detail`: the range that it names. */
__attribute__((format(printf, 4, 5))) void wl_checked_outside(const char *function, const void *memory, bool write, const char *detail,
                                                              ...);

#endif
