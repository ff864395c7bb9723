/* Loops that are run for one strip after the other (analysis/strip_loop.h). */
#ifndef WL_TRANSLATE_LIFT_FORMS_LOOP_H
#define WL_TRANSLATE_LIFT_FORMS_LOOP_H

#include "translate/analysis/strip_loop.h"
#include "translate/lift/state.h"

/* Lifts such a loop behind its header's block, and goes on behind it, where it is over for all strips, with EXEC 0. */
void wl_lift_strip_loop(struct wl_lift *l, const struct wl_strip_loop *loop);

#endif
