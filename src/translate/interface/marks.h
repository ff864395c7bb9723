/* Threaded code that stops in front of each instruction, for debuggers: libwavelift-threaded.so makes and runs it. */
#ifndef WL_TRANSLATE_INTERFACE_MARKS_H
#define WL_TRANSLATE_INTERFACE_MARKS_H

#include "translate/interface/translate.h"

/* wl_translate_request.sanitize, beside no tool: the steps have marks. */
enum { WL_STEPS_MARKED = 256 };

/* An instruction in front of which threaded code with marks stops. */
struct wl_mark {
    uint64_t address; /* in the code object's address space */
    uint32_t size;    /* bytes */
    bool calls;       /* it jumps to a function, which comes back behind it */
};

/* Where a wave in such code is. */
struct wl_mark_point {
    const void *step;           /* where it goes on; NULL: at wave->resume */
    const struct wl_mark *mark; /* the instruction there; behind an exit: the one that left */
    /* Where shadows are (debug/debug.h of the device): that of an instruction is at `shadows` plus its address. NULL: the wave stops at the next
     * mark; else at one whose shadow has a breakpoint, and tells of each instruction, in `slot`, the place behind its shadow's call. */
    const uint8_t *shadows;
    uint64_t *slot;
};
enum { WL_BREAKPOINT = 0xcc, WL_BEHIND_CALL = 2 }; /* a byte of a shadow; bytes from it to its jump */

enum { WL_EXIT_MARK = 32 }; /* beside enum wl_exit: the wave is in front of an instruction */

/* Runs a wave from *point, in threaded code that was made with marks, up to a mark or to an exit. */
typedef uint32_t wl_translate_steps_mark_fn(struct wl_wave *wave, const struct wl_steps *steps, struct wl_mark_point *point);

wl_translate_steps_mark_fn wl_translate_steps_mark;

#endif
