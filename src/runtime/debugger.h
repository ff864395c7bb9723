/* What a debugger of the process finds in this library (device/cpu/debug/debug.h). */
#ifndef WL_RUNTIME_DEBUGGER_H
#define WL_RUNTIME_DEBUGGER_H

/* Lets devices tell a debugger of code. To be called before there are devices. */
void wl_debugger_begin(void);

#endif
