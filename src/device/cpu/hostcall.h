/* Services that device code asks of the host: printf, memory, functions.
 *
 * The protocol is that of AMD's device libraries (ockl): a buffer of packets, each with a header and eight 64-bit words a
 * lane; two lock-free stacks of packets, free ones and ready ones; a doorbell signal whose event makes the wave send a message.
 * The thread that runs the wave serves the packet itself when it sees the message. */
#ifndef WL_DEVICE_CPU_HOSTCALL_H
#define WL_DEVICE_CPU_HOSTCALL_H

#include "device/cpu/cpu.h"

/* What the hidden arguments "hostcall buffer" and "heap v1" get; made on first use. Thread-safe. */
enum wl_status wl_hostcall_buffer(struct wl_cpu_device *device, const void **buffer);
enum wl_status wl_hostcall_heap(struct wl_cpu_device *device, const void **heap);

/* Whether a packet is ready. Cheap; thread-safe. */
bool wl_hostcall_pending(struct wl_cpu_device *device);
/* Serves all ready packets, for the launch at hand. Thread-safe. Not within translated code (wl_thread.running must be NULL). */
void wl_hostcall_serve(struct wl_job *job);
/* Writes out what printf left in stdout. */
void wl_hostcall_flush(struct wl_cpu_device *device);
/* Frees everything, blocks that device code never freed included. */
void wl_hostcall_release(struct wl_cpu_device *device);

/* One printf of device code: `words` holds the format string, then the arguments, each in whole 64-bit words. Appends the
 * text to a malloc'ed buffer, *text, which the caller frees; returns its length, or -1 without memory. */
long wl_printf_format(const uint64_t *words, size_t count, char **text);

#endif
