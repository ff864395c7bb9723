/* rocprofiler/: AMD's newer interface for profilers, librocprofiler-sdk.
 *
 *   in    calls of rocprofiler_* by a tool; calls, work and code objects that libamdhip64 tells of
 *   out   the tool's callbacks; records in its buffers
 *
 *   abi.h        AMD's structures and numbers
 *   tools.c      tools, from their being looked for to their end
 *   context.c    contexts, what they want, and whether libamdhip64 is to tell it
 *   calls.c      calls of HIP, and the streams that they are about
 *   markers.c    roctx's calls
 *   ranges.c     roctx's ranges as wholes
 *   work.c       kernels and copies
 *   counters.c   which counters there are, and lists of them that tools make
 *   counting.c   counters of dispatches and of devices (both: counting.h)
 *   objects.c    code objects and their kernels
 *   buffer.c     buffers of records, and the threads that call back for them
 *   agents.c     the devices
 *   arguments.c  arguments of calls as texts
 *   names.c      kinds, operations and statuses by name
 *   refused.c    what is not there
 *
 * A library of its own. It learns of calls and work by AMD's protocol (api/traced_call.h) and of the rest through the table of
 * runtime/core.h. */
#ifndef WL_ROCPROFILER_PROFILER_H
#define WL_ROCPROFILER_PROFILER_H

#include "rocprofiler/abi.h"

#include <stdatomic.h>
#include <stdbool.h>

#define WL_ROCPROFILER_API __attribute__((visibility("default")))

enum { WL_RP_CONTEXTS = 16, WL_RP_OPERATIONS = 512 };

struct wl_counts;
struct wl_rp_buffer;
struct wl_rp_config;
struct wl_roctx_data;

/* Operations of a kind that a tool asked for. */
struct wl_rp_operations {
    bool all;
    uint64_t bits[WL_RP_OPERATIONS / 64];
};

/* A context does not change once its tool is initialized, but for `active`. */
struct wl_rp_context {
    atomic_bool active;
    uint32_t client; /* whose it is */
    struct {
        wl_rp_callback function; /* NULL: not wanted */
        void *data;
        struct wl_rp_operations operations;
    } callbacks[WL_RP_CALLBACK_KINDS];
    struct {
        struct wl_rp_buffer *buffer; /* NULL: not wanted */
        struct wl_rp_operations operations;
    } buffers[WL_RP_BUFFER_KINDS];
    struct {
        wl_rp_request function;
        void *data;
        uint32_t kinds; /* bits: WL_RP_REQUEST_* */
    } request;
    struct {
        wl_rp_choose_counters choose; /* NULL: counters of dispatches are not wanted */
        void *choose_data;
        wl_rp_take_counters take; /* NULL: they go to the buffer */
        void *take_data;
        struct wl_rp_buffer *buffer;
    } dispatches;
    struct {
        wl_rp_choose_for_device choose; /* NULL: a device's counters are not wanted */
        void *data;
        struct wl_rp_id agent;
        struct wl_rp_buffer *buffer;       /* NULL: there is none */
        const struct wl_rp_config *chosen; /* NULL: none yet */
        struct wl_counts *counts;          /* since the context was started */
    } device;
};

/* ---- tools.c ---- */
/* Whether tools are being initialized, which is when contexts may be configured: WL_RP_SUCCESS, else why not. */
int wl_rp_configurable(void);
/* The tool that is being initialized. */
uint32_t wl_rp_current_client(void);
bool wl_rp_finalized(uint32_t client);

/* ---- context.c ---- */
/* Contexts by number, from 0 on; a context's id is its number + 1. NULL: there is none. */
struct wl_rp_context *wl_rp_context_at(unsigned number);
unsigned wl_rp_context_count(void);
/* Bits of the kinds that active contexts want. */
uint32_t wl_rp_callbacks_wanted(void);
uint64_t wl_rp_buffers_wanted(void);
bool wl_rp_wants(const struct wl_rp_operations *operations, int operation);
/* Whether the context is active, and wants callbacks for the operation, or records of it. */
bool wl_rp_calls_back(const struct wl_rp_context *context, int kind, int operation);
bool wl_rp_records(const struct wl_rp_context *context, int kind, int operation);
/* The tool's own number for a call or a piece of work, if it wants to give one. `thread` is the calling thread. */
union wl_rp_user wl_rp_external(unsigned number, int request, int operation, uint64_t internal);
uint64_t wl_rp_thread(void);
/* In the child of a fork: the thread has another number. */
void wl_rp_thread_forked(void);
/* The context of an id, to be configured: WL_RP_SUCCESS, else why not. */
int wl_rp_find_configurable(struct wl_rp_id id, struct wl_rp_context **context);
/* Looks again whether libamdhip64 is to tell of calls and work. */
void wl_rp_attach(void);
/* Stops a tool's contexts. */
void wl_rp_stop(uint32_t client);

/* ---- calls.c ---- */
/* The tracer that libamdhip64 asks of calls. */
int wl_rp_traced(uint32_t domain, uint32_t operation, void *data);
/* The calling thread's innermost call that is traced; 0: none. */
uint64_t wl_rp_current_call(void);

/* A number for a call that nobody else has. */
uint64_t wl_rp_next_call(void);

/* ---- markers.c ---- */
/* Attaches to roctx's libraries, or no longer. */
void wl_rp_mark(bool attached);
/* A mark or range of a call of roctx, which is `number`, in the calling thread. (ranges.c) */
void wl_rp_range(unsigned operation, const struct wl_roctx_data *call, uint64_t number);

/* ---- work.c ---- */
struct wl_trace_work;
uint64_t wl_rp_queued(const struct wl_trace_work *work);
bool wl_rp_wants_work(void);
void wl_rp_worked(const struct wl_trace_work *work);
/* Pieces of work that were queued for a context and have not ended. */
bool wl_rp_outstanding(void);
/* What AMD's structures tell of a dispatch, with a number for it. */
void wl_rp_describe_dispatch(const struct wl_trace_work *work, uint64_t number, struct wl_rp_dispatch_info *info);

/* ---- objects.c ---- */
void wl_rp_module(const void *module, bool loaded);
/* The number of a kernel (the runtime's struct wl_loaded_kernel); 0: no memory. */
uint64_t wl_rp_kernel(const void *loaded);

/* ---- agents.c ---- */
/* The agent of a device; -1: the host. */
struct wl_rp_id wl_rp_agent(int device);
/* The device of an agent; -1: the host. False: there is no such agent. */
bool wl_rp_agent_device(struct wl_rp_id agent, int *device);

/* ---- buffer.c ---- */
struct wl_rp_buffer *wl_rp_buffer(struct wl_rp_id id);
/* Copies a record of `size` bytes to a buffer; of the category TRACING, or of another one. */
void wl_rp_write(struct wl_rp_buffer *buffer, uint32_t kind, const void *record, size_t size);
void wl_rp_write_of(struct wl_rp_buffer *buffer, uint32_t category, uint32_t kind, const void *record, size_t size);
/* In the child of a fork, which has none of the threads for callbacks: starts them. The records so far are the parent's. */
void wl_rp_buffers_forked(void);
/* Gives every buffer's records to its callback, and waits until that is done. */
void wl_rp_flush_all(void);

/* ---- names.c ---- */
/* Whether callbacks, or records, of a kind are there at all: WL_RP_SUCCESS, else why not. */
int wl_rp_callback_kind(int kind);
int wl_rp_buffer_kind(int kind);
/* The number by which AMD's profiler knows a function of HIP, by its name; -1: none. `kind` is HIP or HIP_COMPILER. */
int wl_rp_operation(const char *name, int *kind);

#endif
