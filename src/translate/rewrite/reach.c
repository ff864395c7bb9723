/* What a kernel calls by name is implemented: all of it is read before the kernel runs. */
#include "base/array.h"
#include "translate/isa/isa.h"
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

/* Whether it can fail in more than its instructions: indexing mode has to be followed from basic block to basic block (idiom.c). */
static bool needs_blocks(const struct wl_unit *unit) {
    for (uint32_t i = 0; i < unit->inst_count; i++)
        if (unit->insts[i].isa && unit->insts[i].isa->class == WL_ISA_MOVREL && unit->insts[i].isa->detail == WL_MOVREL_INDEX_ON)
            return true;
    return false;
}

static enum wl_status look_at(struct wl_unit *unit, struct wl_decoder *decoder, const struct wl_translate_request *request,
                              uint64_t entry) {
    enum wl_status status = wl_unit_survey(unit, decoder, request, entry);
    if (status || !needs_blocks(unit))
        return status;
    wl_unit_destroy(unit);
    return wl_unit_build(unit, decoder, request, entry);
}

/* Functions that are reached through pointers are not looked at: there may be thousands, of which few are called. A wave of the kernel
 * gets registers for all of it: long kernels jump to parts of themselves, which are units of their own. */
enum wl_status wl_unit_verify_callees(struct wl_unit *kernel, struct wl_decoder *decoder) {
    struct reach reach = {0};
    enum wl_status status = reach_callees(&reach, kernel);
    for (size_t i = 0; i < reach.count && !status; i++) {
        struct wl_unit unit;
        status = look_at(&unit, decoder, kernel->request, reach.entries[i]);
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
