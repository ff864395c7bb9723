/* Managed memory: what is said about it, and where it is. (managed.c) */
#ifndef WL_RUNTIME_MANAGED_H
#define WL_RUNTIME_MANAGED_H

#include "runtime/memory.h"

#define WL_MANAGED_GLOBAL 1u /* the flags of managed variables: hipMemAttachGlobal */

#define WL_LOCATION_HOST (-1)
#define WL_LOCATION_NONE (-2)

/* What was said about every page of a range. */
struct wl_managed_summary {
    bool read_mostly;          /* of all pages */
    int preferred, prefetched; /* the location that all pages have in common, else WL_LOCATION_NONE */
    uint64_t accessed_by;      /* bit n: device n; set for all pages */
    bool accessed_by_host;
    bool coarse_grain, mixed_grain; /* of all pages; of some but not all */
};

/* Records advice for the pages that [address, address + size) touches; `on` false takes it back. `location` is a device or
 * WL_LOCATION_HOST, of PREFERRED, PREFETCHED and ACCESSED_BY. The allocation is managed and holds the range. */
enum wl_status wl_managed_advise(const struct wl_allocation *allocation, const void *address, size_t size, enum wl_advice advice,
                                 int location, bool on);
/* Stands for all memory of the system, about which there may be advice as well: it is forgotten with the process. */
void wl_managed_system(struct wl_allocation *allocation);
void wl_managed_query(const struct wl_allocation *allocation, const void *address, size_t size, struct wl_managed_summary *summary);
/* Forgets a freed allocation's advice. */
void wl_managed_forget(uint64_t id);
void wl_managed_after_fork(void);

#endif
