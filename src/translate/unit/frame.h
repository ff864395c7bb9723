/* Where code at -O0 accesses the private memory of its function, and LDS: HIP's compilers reach variables there by generic addresses, which they make
 * of the apertures' bases. Optimized code does not need this. */
#ifndef WL_TRANSLATE_UNIT_FRAME_H
#define WL_TRANSLATE_UNIT_FRAME_H

#include "translate/unit/unit.h"

enum wl_frame_kind {
    WL_FRAME_OTHER,     /* no access to private memory, as far as is known */
    WL_FRAME_PLACE,     /* to a known place there */
    WL_FRAME_SOMEWHERE, /* to an unknown place there */
    WL_FRAME_LDS,       /* to LDS, by a generic address */
};
enum { WL_FRAME_CELLS = 1024 }; /* of 4 bytes; what lies behind them is somewhere */
struct wl_frame_access {
    uint8_t kind;  /* enum wl_frame_kind */
    uint8_t count; /* cells, of PLACE */
    uint16_t cell; /* the first one */
};

static inline bool wl_frame_is_private(const struct wl_frame_access *access) {
    return access->kind == WL_FRAME_PLACE || access->kind == WL_FRAME_SOMEWHERE;
}

/* An element for each instruction, which the caller frees. NULL: the unit makes no generic addresses of private memory, or there is no memory. Basic
 * blocks are linked. */
struct wl_frame_access *wl_frame_accesses(const struct wl_unit *unit);

#endif
