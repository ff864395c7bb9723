/* What an instruction that accesses memory is to sanitizers. */
#ifndef WL_TRANSLATE_ISA_SANITIZE_SITE_H
#define WL_TRANSLATE_ISA_SANITIZE_SITE_H

#include "machine/sanitize.h"
#include "translate/isa/inst.h"

/* Fills in all members, reserved ones included. `bytes`: that a lane accesses. */
void wl_sanitize_site_fill(struct wl_sanitize_site *site, const struct wl_inst *inst, unsigned generation, uint32_t bytes);
/* Fills in a fence. False: the instruction neither waits for memory nor empties or writes back a cache. */
bool wl_sanitize_fence_fill(struct wl_sanitize_fence *fence, const struct wl_inst *inst, unsigned generation);

#endif
