/* Signals that translated code raises, turned into one paragraph on stderr and an error of the launch.
 *
 * The handlers of the program stay in charge of everything else: they are called when the faulting thread is not in
 * translated code. */
#ifndef WL_DEVICE_CPU_FAULT_H
#define WL_DEVICE_CPU_FAULT_H

#include "device/cpu/cpu.h"

/* Installs the handlers. Called again before each launch, which costs one look: it puts them back in front if the program
 * has set its own since. */
void wl_fault_install(void);

/* Calls `body`, which only reads and writes memory of the program. False: that is not there, and `body` did not get to its
 * end. A program's own handler for such signals has the first word. */
bool wl_fault_guard(void (*body)(void *argument), void *argument);

/* Gives the calling thread a signal stack (unless it has one) and makes `thread` the state that its signals refer to.
 * False: no memory. wl_fault_thread_leave undoes it, wl_fault_thread_use switches between states. */
bool wl_fault_thread_enter(struct wl_thread *thread);
void wl_fault_thread_leave(struct wl_thread *thread);
void wl_fault_thread_use(struct wl_thread *thread);

/* Makes `thread` leave the translated code that it runs for a job that has failed, by a jump like a fault's. Does nothing if it
 * is anywhere else at the moment it looks, so call again until it has left the job. The thread must exist. */
void wl_fault_call_off(pthread_t thread);

/* To be called after the jump out of a handler. Ours blocks nothing, but somebody may stand between the system and it: a
 * handler of the program that calls ours, a sanitizer. */
void wl_fault_recover(void);

/* Prints the paragraph for thread->fault, raised by `runner`. Returns the launch's status. */
enum wl_status wl_fault_report(const struct wl_thread *thread, const struct wl_job *job, const struct wl_runner *runner);
/* The same for a wave that stopped by itself (trap, untranslatable code): `what` says why in a few words. */
void wl_fault_report_stop(const struct wl_job *job, const struct wl_runner *runner, uint64_t pc, const char *what);

#endif
