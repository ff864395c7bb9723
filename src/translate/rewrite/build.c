/* A unit, read and rewritten. */
#include "translate/rewrite/rewrite.h"

#include "machine/sanitize.h"

enum wl_status wl_unit_build(struct wl_unit *unit, struct wl_decoder *decoder, const struct wl_translate_request *request, uint64_t entry) {
    enum wl_status status = wl_unit_read(unit, decoder, request, entry);
    if (status)
        return status;
    if (request->sanitize & WL_SANITIZE_RACECHECK)
        wl_unit_refine_polls(unit, decoder);
    if (request->sanitize & WL_SANITIZE_COUNT)
        status = wl_unit_count(unit);
    if (!status)
        status = wl_unit_idioms(unit);
    if (!status)
        status = wl_unit_read_scalars(unit);
    if (!status && !request->sanitize)
        wl_unit_join_arms(unit);
    if (!status && request->sanitize & WL_SANITIZE_RACECHECK)
        status = wl_unit_find_early_uses(unit);
    if (!status && request->sanitize & WL_SANITIZE_RACECHECK)
        status = wl_unit_find_quiet_waits(unit);
    if (!status && request->sanitize & WL_SANITIZE_RACECHECK)
        wl_unit_find_updates(unit);
    if (!status) {
        wl_unit_settle_barriers(unit);
        status = wl_unit_find_fences(unit);
        wl_unit_count_rows(unit);
    }
    if (!status && request->sanitize & WL_SANITIZE_INITCHECK)
        status = wl_unit_cut_loads(unit);
    if (status)
        wl_unit_destroy(unit);
    return status;
}
