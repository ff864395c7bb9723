/* What all of the runtime may know of a debugger (device/cpu/debug/debug.h has the rest). */
#ifndef WL_DEVICE_DEBUGGER_H
#define WL_DEVICE_DEBUGGER_H

/* Not 0: a debugger is there that wants to know of code objects. It writes this itself, when it finds the library in the process
 * (tools/wavelift-gdb.py). */
extern volatile int wl_debugger;

#endif
