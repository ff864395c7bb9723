/* What `wavelift sanitize` learns of the processes of its program: a file that they all map, named by WAVELIFT_SANITIZE_RUN. It holds
 * one struct wl_san_run, which the command made, zeroed but for `magic`. */
#ifndef WL_SANITIZE_RUN_H
#define WL_SANITIZE_RUN_H

#include <stdatomic.h>
#include <stdint.h>

#define WL_SAN_RUN_MAGIC UINT64_C(0x31306e7573006c77) /* changes with the structure */

struct wl_san_run {
    uint64_t magic;
    _Atomic uint64_t started;  /* processes that began to watch kernels */
    _Atomic uint64_t finished; /* of these, those that came to their end and have printed their summary */
    _Atomic uint64_t findings; /* of all processes, equal ones counted once a process */
    _Atomic uint64_t times;    /* the same, each time */
    _Atomic uint32_t written;  /* whether a process has taken the JSON file: others add their number to its name */
};

/* The file, mapped; NULL: there is none, or it is not such a file. Thread-safe. */
struct wl_san_run *wl_san_run(void);

#endif
