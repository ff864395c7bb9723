/* What the profiler counts of an instruction. (count.c) */
#ifndef WL_TRANSLATE_ISA_COUNT_H
#define WL_TRANSLATE_ISA_COUNT_H

#include "machine/count.h"

struct wl_inst;

/* Fills in all of it but its place in a basic block. */
void wl_count_inst_fill(struct wl_count_inst *counted, const struct wl_inst *inst);

#endif
