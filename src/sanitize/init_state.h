/* What initcheck remembers (init.h). Only init*.c include this. */
#ifndef WL_SANITIZE_INIT_STATE_H
#define WL_SANITIZE_INIT_STATE_H

#include "sanitize/hooks.h"
#include "sanitize/report.h"

/* ---- global memory (init_shadow.c): one bit for each bit. Memory without is defined ---- */

/* The bits of the bytes from `address` on, up to the next multiple of WL_INIT_BLOCK; NULL: all are defined. */
const uint8_t *wl_init_read(uint64_t address);
/* The same to write to. NULL: there is no memory. */
uint8_t *wl_init_write(uint64_t address);
enum { WL_INIT_BLOCK_SHIFT = 16, WL_INIT_BLOCK = 1 << WL_INIT_BLOCK_SHIFT };
/* All bits of a range become undefined, or defined. */
void wl_init_mark(uint64_t address, uint64_t size, bool undefined);
/* Where the undefined bits at `address` come from: a place of its own, unless a kernel has copied them there. */
uint64_t wl_init_origin(uint64_t address);
void wl_init_set_origin(uint64_t address, uint64_t origin);

/* ---- workgroups and waves (init.c) ---- */

/* Undefined bits of LDS or of a wave's private memory, which nobody has written when it begins. */
struct wl_init_area {
    uint8_t *bits;
    uint64_t *origins; /* of each dword; 0: the place itself */
    size_t size, capacity;
    bool has_origins;
};
enum {
    WL_INIT_MOST_BYTES = 64, /* of an access */
    WL_INIT_AREA_BEHIND = 4, /* bytes behind the bits of an area, which native code reads with those of a byte */
};
struct wl_init_wave {
    struct wl_undefined undefined;
    struct wl_init_area scratch;
    uint8_t passing[64][WL_INIT_MOST_BYTES]; /* from memory to LDS, or back */
    uint64_t passing_origin[64];
};
struct wl_init_group {
    struct wl_init_area lds;
    struct wl_init_wave *waves[32]; /* made when they are needed; they stay */
};

/* ---- findings (init_report.c) ---- */

/* Of `lane` (64: of the whole wave) at the instruction `code`. */
void wl_init_report(const struct wl_san_wave *wave, uint64_t code, enum wl_undefined_use use, uint32_t lane, uint64_t origin);
/* In a copy to the host. */
void wl_init_report_copy(uint64_t address, uint64_t size, const char *call, uint64_t stack);
/* Whether [begin, end) can be the padding of a structure: it ends where more is aligned than it has bytes. */
static inline bool wl_init_can_be_padding(uint64_t begin, uint64_t end) {
    const uint64_t alignment = end & -end;
    return end - begin < (alignment < 16 ? alignment : 16);
}
/* Whether a byte counts that reaches the host. Of bit-fields the bits above the last one are padding. */
static inline bool wl_init_counts(uint8_t bits) { return bits & 1; }

#endif
