/* What a debugger of the process finds in this library (device/cpu/debug/debug.h). */
#ifndef WL_RUNTIME_DEBUGGER_H
#define WL_RUNTIME_DEBUGGER_H

#include <stdint.h>

/* Lets devices tell a debugger of code. To be called before there are devices. */
void wl_debugger_begin(void);

/* A stream, for the command `info queues` of the debugger's extension, which knows the layout. */
struct wl_debug_queue {
    const void *handle; /* the hipStream_t; NULL: the device's null stream */
    uint32_t device, runs;
    uint64_t done, queued; /* numbers of the last commands */
};
enum { WL_DEBUG_QUEUES = 64 };
extern volatile struct wl_debug_queue wl_debug_queues[WL_DEBUG_QUEUES];
/* Fills the list; returns how many there are. For the debugger to call while all threads stand: it takes no lock. */
int wl_debug_list_queues(void);

#endif
