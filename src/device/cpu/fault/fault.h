/* fault/: signals that translated code raises.
 *
 *   in    a signal, and the thread (struct wl_thread) that was in translated code
 *   out   one paragraph on stderr, and an error of the launch; the thread goes on behind its launch
 *
 *   fault.h       handlers, reports, and accesses to the program's memory that may fail
 *   lds_bounds.h  accesses behind a workgroup's LDS, which are no faults
 *
 * lines.c finds the instruction and the source line. The handlers of the program stay in charge of everything else: they are called
 * when the faulting thread is not in translated code. */
#ifndef WL_DEVICE_CPU_FAULT_H
#define WL_DEVICE_CPU_FAULT_H

#include "device/cpu/cpu.h"

/* Installs the handlers. Called again before each launch: if the program has set handlers of its own since, ours are put in front of
 * them again. */
void wl_fault_install(void);

/* Calls `body`, which only reads and writes memory of the program. False: that is not there, and `body` did not get to its
 * end. A program's own handler for such signals has the first word. */
bool wl_fault_guard(void (*body)(void *argument), void *argument);

/* Gives the calling thread a signal stack (unless it has one) and makes `thread` the state that its signals refer to.
 * False: no memory. wl_fault_thread_leave undoes it, wl_fault_thread_use switches between states. */
bool wl_fault_thread_enter(struct wl_thread *thread);
void wl_fault_thread_leave(struct wl_thread *thread);
void wl_fault_thread_use(struct wl_thread *thread);
struct wl_thread *wl_fault_thread(void); /* the calling thread's */

/* Makes `thread` leave the translated code that it runs for a job that has failed, by a jump like a fault's. Does nothing if it
 * is anywhere else at the moment it looks, so call again until it has left the job. The thread must exist. */
void wl_fault_cancel(pthread_t thread);

/* Whether our handler has had all signals of wl_fault_cancel. One that comes later may find a handler of the program, or none. */
bool wl_fault_cancels_arrived(void);
/* Gives up the wait for those that have not come. */
void wl_fault_cancels_forget(void);

/* To be called after the jump out of a handler: unblocks signals. Our handler blocks none, but the system may have called another one that
 * called ours: a handler of the program, or a sanitizer's. */
void wl_fault_recover(void);

/* Prints the paragraph for thread->fault, raised by `runner`. Returns the launch's status. */
enum wl_status wl_fault_report(const struct wl_thread *thread, const struct wl_job *job, const struct wl_runner *runner);
/* The same for a wave that stopped by itself (trap, untranslatable code): `what` says why in a few words. */
void wl_fault_report_stop(const struct wl_job *job, const struct wl_runner *runner, uint64_t pc, const char *what);

/* Where the calling thread is. */
struct wl_fault_wave {
    const struct wl_device_function *function; /* its kernel */
    const struct wl_runner *runner;            /* between two waves' turns: of a wave that waits for its next one. NULL: nothing is known */
    const struct wl_wave *wave;                /* NULL: the same */
    uint64_t pc;                               /* the instruction of threaded code, or where the wave that waits goes on; else 0 */
};
/* False: it runs no kernel. Takes no lock, and may be called wherever a debugger has stopped the thread. */
bool wl_fault_find_wave(struct wl_fault_wave *found);

#endif
