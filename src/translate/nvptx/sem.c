/* The table of semantics for one lane. */
#include "translate/isa/sem.h"

extern const struct wl_sem wl_sem_lane_rows[];
extern const size_t wl_sem_lane_row_count;

const struct wl_sem *wl_sem_find_lane(const char *mnemonic) {
    return wl_sem_search(wl_sem_lane_rows, wl_sem_lane_row_count, mnemonic, NULL);
}
