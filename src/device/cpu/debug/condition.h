/* Conditions of breakpoints that need no stop. */
#ifndef WL_DEVICE_CPU_DEBUG_CONDITION_H
#define WL_DEVICE_CPU_DEBUG_CONDITION_H

#include "machine/wave.h"

#include <stdbool.h>
#include <stdint.h>

/* An operation of a condition. The debugger writes these: one condition behind the other. The layout is known to tools/wavelift-gdb.py. */
struct wl_debug_operation {
    uint32_t code; /* as in gdb's bytecode */
    uint32_t reserved;
    uint64_t operand; /* of a jump: which operation of the condition comes next */
};
enum { WL_DEBUG_OPERATIONS = 4096 };
extern volatile struct wl_debug_operation wl_debug_operations[WL_DEBUG_OPERATIONS];

/* The lane that a condition is about. wl_debug_here tells of the same one. */
struct wl_debug_asked {
    const struct wl_wave *wave;
    uint64_t frame; /* the innermost struct wl_debug_frame, whose registers are the lane's */
    uint32_t lane;
    uint32_t scratch_size;
    uint64_t scratch; /* where the frame says that the lane's private memory is; that is not read */
};
/* Runs a condition: `count` operations from `first` on. True as well if its value cannot be told: the debugger has to find out. */
bool wl_debug_condition_holds(const struct wl_debug_asked *asked, uint32_t first, uint32_t count);

#endif
