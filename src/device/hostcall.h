/* Services that device code asks of the host: printf, memory, functions.
 *
 * The protocol is that of AMD's device libraries (ockl): a buffer of packets, each with a header and eight 64-bit words a
 * lane; two lock-free stacks of packets, free ones and ready ones; a doorbell signal. A wave takes a free packet, fills it, puts it
 * on the ready stack and waits until the host has cleared its mark. The host never writes to the stacks: device code's atomic
 * operations on the host's memory need not be atomic for the host. It remembers the top that it has seen; what is above is new. */
#ifndef WL_DEVICE_HOSTCALL_H
#define WL_DEVICE_HOSTCALL_H

#include "base/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct wl_hostcall;

/* Where memory comes from. Zeroed; NULL: there is none. */
struct wl_hostcall_memory {
    void *(*allocate)(void *owner, size_t size, size_t alignment);
    void (*release)(void *owner, void *memory, size_t size);
    void *owner;
};

/* `packets`, a power of two: at least as many as there can be waves at once, each of which holds one at most. `rings`: waves ring
 * the doorbell with a message; else somebody asks again and again. `shared` is for what device code and host both touch, `blocks`
 * for what the memory service gives out. NULL: no memory. */
struct wl_hostcall *wl_hostcall_create(uint32_t packets, bool rings, const struct wl_hostcall_memory *shared,
                                       const struct wl_hostcall_memory *blocks);
/* Frees everything, blocks that device code never freed included. NULL does nothing. */
void wl_hostcall_destroy(struct wl_hostcall *hostcall);
/* What the hidden argument "hostcall buffer" gets. */
const void *wl_hostcall_buffer(const struct wl_hostcall *hostcall);
/* Whether a packet is ready. Cheap; thread-safe. */
bool wl_hostcall_pending(const struct wl_hostcall *hostcall);
/* Serves all ready packets. Sets `*asserted` if device code printed a failed assertion. Thread-safe. */
void wl_hostcall_serve(struct wl_hostcall *hostcall, _Atomic bool *asserted);
/* Writes out what printf left in stdout. Thread-safe. */
void wl_hostcall_flush(struct wl_hostcall *hostcall);

/* What the hidden argument "heap v1" points to: the device library's allocator keeps its own state there; zeros are its start. Aligned
 * to its size. */
#define WL_HOSTCALL_HEAP ((size_t)256 * 1024)

/* One printf of device code: `words` holds the format string, then the arguments, each in whole 64-bit words. Appends the
 * text to a malloc'ed buffer, *text, which the caller frees; returns its length, or -1 without memory. */
long wl_printf_format(const uint64_t *words, size_t count, char **text);

/* printf of code that was compiled with -mprintf-kind=buffered: a launch has a buffer, in which work items reserve room, and which the host
 * prints when the kernel has ended; what finds no room is dropped, and printf returns -1. As large as AMD's runtime makes it. */
#define WL_PRINT_BUFFER ((size_t)4 << 20)
struct wl_codeobject;
/* `buffer`: zeros of WL_PRINT_BUFFER bytes. */
void wl_print_buffer_init(void *buffer);
/* Prints what is in the buffer; `object` has the format strings that are named by numbers. */
void wl_print_buffer_flush(const struct wl_codeobject *object, const void *buffer);
/* Makes it as it was before the launch. */
void wl_print_buffer_clear(void *buffer);

#endif
