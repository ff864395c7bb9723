/* What a kernel calls by name is implemented: all of it is read before the kernel runs. */
#include "base/array.h"
#include "translate/rewrite/rewrite.h"

#include <stdlib.h>

struct reach {
    uint64_t *entries;
    size_t count, capacity;
};

static enum wl_status reach_add(struct reach *reach, uint64_t entry) {
    for (size_t i = 0; i < reach->count; i++)
        if (reach->entries[i] == entry)
            return WL_OK;
    if (!WL_ARRAY_RESERVE(reach->entries, reach->count, reach->capacity, 16))
        return wl_fail(WL_OUT_OF_MEMORY, "no memory to follow calls");
    reach->entries[reach->count++] = entry;
    return WL_OK;
}

static enum wl_status reach_callees(struct reach *reach, const struct wl_unit *unit) {
    enum wl_status status = WL_OK;
    for (uint32_t i = 0; i < unit->callee_count && !status; i++)
        status = reach_add(reach, unit->callees[i]);
    return status;
}

/* Functions that are reached through pointers are not looked at: there may be thousands, of which few are called. A wave of the kernel
 * gets registers for all of it: long kernels jump to parts of themselves, which are units of their own. */
enum wl_status wl_unit_verify_callees(struct wl_unit *kernel, struct wl_decoder *decoder) {
    struct reach reach = {0};
    enum wl_status status = reach_callees(&reach, kernel);
    for (size_t i = 0; i < reach.count && !status; i++) {
        struct wl_unit unit;
        status = wl_unit_build(&unit, decoder, kernel->request, reach.entries[i]);
        if (!status) {
            status = reach_callees(&reach, &unit);
            if (unit.rows > kernel->rows)
                kernel->rows = unit.rows;
            wl_unit_destroy(&unit);
        }
    }
    free(reach.entries);
    return status;
}
