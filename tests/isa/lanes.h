/* The interpreter's cross-lane instructions. */
#ifndef WL_TESTS_LANES_H
#define WL_TESTS_LANES_H

#include "text.h"

/* Executes the instruction if it moves values between lanes; false: it is another. */
bool machine_lanes(struct machine *m, const struct line *line);

/* machine.c: a source operand's dword in a lane, through DPP if the instruction has it; *enabled becomes false where DPP leaves
 * the lane alone. */
uint32_t machine_dword(const struct machine *m, const struct line *line, unsigned operand, unsigned lane, bool *enabled);

#endif
