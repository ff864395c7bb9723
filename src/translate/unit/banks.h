/* gfx1250's 1,024 VGPRs: which 256 of them the fields of an instruction name.
 *
 * MODE has two bits for each of four fields (enum wl_bank). s_set_vgpr_msb sets them, and so does a write of MODE. Compilers have them at 0
 * where a function begins and ends and around calls, so that what they are at an instruction follows from the code: unit.c goes along with
 * it, and refuses code in which ways with different bits meet. */
#ifndef WL_TRANSLATE_BANKS_H
#define WL_TRANSLATE_BANKS_H

#include "translate/isa/inst.h"

/* The bits, as s_set_vgpr_msb's immediate has them. */
typedef uint8_t wl_banks;

/* Puts the numbers of registers of a decoded instruction right. False: there is no such register. */
bool wl_banks_apply(struct wl_inst *inst, wl_banks banks);
/* The bits behind an instruction. `clobbers`: a write of an immediate to MODE takes bits 19:12 of it for these, whichever bits of MODE it is
 * about (WL_MODE_SETS_BANKS). */
wl_banks wl_banks_after(const struct wl_inst *inst, wl_banks banks, bool clobbers);

#endif
