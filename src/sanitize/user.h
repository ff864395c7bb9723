/* Memory that the program divides itself, as it says (include/wavelift/sanitize.h): pools, each within a block of allocations.h, and blocks in
 * them. All functions are thread-safe. */
#ifndef WL_SANITIZE_USER_H
#define WL_SANITIZE_USER_H

#include "base/status.h"
#include "sanitize/report.h"

/* WL_INVALID_VALUE: the range does not lie in one live allocation; WL_OUT_OF_MEMORY. */
enum wl_status wl_san_user_pool(uint64_t address, uint64_t size);
/* WL_INVALID_VALUE: no pool begins there. */
enum wl_status wl_san_user_pool_end(uint64_t address);
/* WL_INVALID_VALUE: the range does not lie in a pool, or overlaps a block that is allocated; WL_OUT_OF_MEMORY. `name` is copied. */
enum wl_status wl_san_user_allocated(uint64_t address, uint64_t size, const char *name);
/* WL_INVALID_VALUE: no allocated block of a pool begins there. */
enum wl_status wl_san_user_freed(uint64_t address);

/* If the finding's address is in a pool, and the allocation around it lives, its block and its kind are those of the pool's nearest block.
 * `name` receives a copy of that block's name, which free() frees. */
void wl_san_user_refine(struct wl_san_finding *finding, char **name);

#endif
