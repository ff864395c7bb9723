/* What all of the runtime may know of a debugger (device/cpu/debug/debug.h has the rest). */
#ifndef WL_DEVICE_DEBUGGER_H
#define WL_DEVICE_DEBUGGER_H

#include <stdint.h>

/* Not 0: a debugger is there that wants to know of code objects. It writes this itself, when it finds the library in the process
 * (tools/wavelift-gdb.py). WL_DEBUGGER_LOOKS_BACK: it may ask what waves did before, as it does in replays. */
enum { WL_DEBUGGER_LOOKS_BACK = 2 };
extern volatile int wl_debugger;

/* gdb's JIT interface. It has to be in the library alone: gdb takes variables of a program for those of its libraries that have the same
 * names, and the command `wavelift` has the device's code as well. */
struct wl_jit_descriptor {
    uint32_t version, action;
    void *relevant, *first;
};
struct wl_jit_interface {
    struct wl_jit_descriptor *descriptor;
    void (*tell)(void);
};
extern const struct wl_jit_interface *wl_jit_interface; /* set when the runtime starts; NULL: there is none */

#endif
