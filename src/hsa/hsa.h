/* hsa/: AMD's HSA runtime, libhsa-runtime64.so.1, on the same devices and memory as the HIP library.
 *
 *   in    hsa_* calls of programs and libraries that stand on ROCm's lower layer (OpenMP offloading, UCX, profilers, rocminfo)
 *   out   checked arguments; HSA's status codes; work for the runtime, through the table of runtime/core.h
 *
 *   agent       the host (one, with the number 0), or a device of the runtime: agent i + 1 is HIP's device i.
 *   pool        memory of an agent, as AMD's extension has it; a region is the same thing under HSA's older name.
 *   signal      64 bytes that device code knows (struct wl_hsa_signal), whose value host and devices change and wait for.
 *   queue       a ring of packets that the program writes. A thread of the queue's own takes them in order; the doorbell wakes it.
 *   executable  code objects, each loaded on one agent as a module of the runtime (runtime/module.h), and their symbols.
 *
 * Handles are addresses of these structures. The runtime is started by the first hsa_init, which counts; what exists at the last
 * hsa_shut_down stays until the process ends, so that calls from destructors do no harm.
 *
 * This header: the types of HSA's interface (their names are HSA's own) and what all files here share. */
#ifndef WL_HSA_HSA_H
#define WL_HSA_HSA_H

#include "hsa/numbers.inc"
#include "runtime/core.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Before each function that the library exports. */
#define HSA          __attribute__((visibility("default"))) hsa_status_t
#define HSA_OF(type) __attribute__((visibility("default"))) type

typedef int hsa_status_t;
typedef int64_t hsa_signal_value_t;
typedef int hsa_file_t;

typedef struct {
    uint64_t handle;
} hsa_agent_t;
typedef struct {
    uint64_t handle;
} hsa_signal_t;
typedef struct {
    uint64_t handle;
} hsa_signal_group_t;
typedef struct {
    uint64_t handle;
} hsa_region_t;
typedef struct {
    uint64_t handle;
} hsa_amd_memory_pool_t;
typedef struct {
    uint64_t handle;
} hsa_isa_t;
typedef struct {
    uint64_t handle;
} hsa_wavefront_t;
typedef struct {
    uint64_t handle;
} hsa_cache_t;
typedef struct {
    uint64_t handle;
} hsa_code_object_reader_t;
typedef struct {
    uint64_t handle;
} hsa_code_object_t;
typedef struct {
    uint64_t handle;
} hsa_code_symbol_t;
typedef struct {
    uint64_t handle;
} hsa_executable_t;
typedef struct {
    uint64_t handle;
} hsa_executable_symbol_t;
typedef struct {
    uint64_t handle;
} hsa_loaded_code_object_t;
typedef struct {
    uint64_t handle;
} hsa_callback_data_t;

typedef struct {
    uint32_t x, y, z;
} hsa_dim3_t;

typedef struct {
    uint32_t type, features;
    void *base_address;
    hsa_signal_t doorbell_signal;
    uint32_t size, reserved1;
    uint64_t id;
} hsa_queue_t;

/* barrier-and, barrier-or */
typedef struct {
    uint16_t header, reserved0;
    uint32_t reserved1;
    hsa_signal_t dep_signal[5];
    uint64_t reserved2;
    hsa_signal_t completion_signal;
} hsa_barrier_packet_t;

/* AMD's packet that waits for a value of a signal, with a header of its own. */
typedef struct {
    uint16_t header;
    uint8_t amd_format, reserved;
    uint32_t reserved0;
    hsa_signal_t signal;
    hsa_signal_value_t value, mask;
    uint32_t cond, reserved1;
    uint64_t reserved2, reserved3;
    hsa_signal_t completion_signal;
} hsa_amd_barrier_value_packet_t;

typedef struct {
    void *base;
    size_t pitch, slice;
} hsa_pitched_ptr_t;

typedef struct {
    uint32_t size;
    int type;
    void *agentBaseAddress, *hostBaseAddress;
    size_t sizeInBytes;
    void *userData;
    hsa_agent_t agentOwner;
    uint32_t global_flags;
    bool registered; /* only for callers whose `size` includes it */
} hsa_amd_pointer_info_t;

typedef struct {
    int event_type;
    struct {
        hsa_agent_t agent;
        uint64_t virtual_address;
        uint32_t fault_reason_mask;
    } memory_fault;
} hsa_amd_event_t;

typedef hsa_status_t (*hsa_amd_system_event_callback_t)(const hsa_amd_event_t *event, void *data);
typedef bool (*hsa_amd_signal_handler)(hsa_signal_value_t value, void *arg);

/* ---- agents, pools (agent.c, pool.c) -------------------------------------------------------------- */

enum { WL_HSA_POOLS = 3 };

struct wl_hsa_agent;

struct wl_hsa_pool {
    struct wl_hsa_agent *agent;
    int segment;    /* HSA_AMD_SEGMENT_* */
    uint32_t flags; /* HSA_AMD_MEMORY_POOL_GLOBAL_FLAG_*: of a global one */
    uint64_t size;  /* bytes */
};

struct wl_hsa_isa {
    char name[96]; /* "amdgcn-amd-amdhsa--gfx90a:sramecc+:xnack-" */
    struct wl_target target;
    unsigned wave_size;
};

struct wl_hsa_agent {
    struct wl_context *context; /* NULL: the host */
    unsigned node;
    char name[64];
    struct wl_hsa_isa isa;
    struct wl_hsa_pool pools[WL_HSA_POOLS];
    unsigned pool_count;
};

/* All agents, the host first; how many there are. The runtime is initialized. */
struct wl_hsa_agent *wl_hsa_agents(unsigned *count);
/* NULL: not an agent. */
struct wl_hsa_agent *wl_hsa_agent(hsa_agent_t agent);
/* The agent of a context; the host's of NULL. */
hsa_agent_t wl_hsa_agent_of(const struct wl_context *context);
/* NULL: not a pool. */
struct wl_hsa_pool *wl_hsa_pool(uint64_t handle);
/* Makes the agents' list; called once, by the first hsa_init. */
hsa_status_t wl_hsa_agents_make(void);

/* Tells the runtime which architecture the images in the program's file are for, if there are any. (images.c) */
void wl_hsa_find_images(void);

/* ---- starting (init.c) ---------------------------------------------------------------------------- */

bool wl_hsa_started(void);
/* Returns from a function that needs hsa_init, with HSA's status where it was not called. */
#define HSA_STARTED()                                                                                                                      \
    do {                                                                                                                                   \
        if (!wl_hsa_started())                                                                                                             \
            return HSA_STATUS_ERROR_NOT_INITIALIZED;                                                                                       \
    } while (0)
#define HSA_REQUIRE(condition, status)                                                                                                     \
    do {                                                                                                                                   \
        if (!(condition))                                                                                                                  \
            return status;                                                                                                                 \
    } while (0)
/* Answers a question about an attribute: `value` points to where the caller wants it, of the type that HSA documents. */
#define HSA_SET(type, answer) (*(type *)value = (type)(answer))
/* HSA's status for a call of the runtime's table; with WAVELIFT_LOG=2 the runtime's sentence is printed. */
hsa_status_t wl_hsa_status(enum wl_status status, const char *function);
/* Copies a string into a field of `size` bytes and fills the rest with zeros, since programs may read the whole field. */
void wl_hsa_text(void *value, const char *text, size_t size);
/* Starts a detached thread. It blocks all signals but those of faults, which belong to the thread that makes them. */
hsa_status_t wl_hsa_thread(void *(*body)(void *), void *argument, const char *name);

/* ---- signals (signal.c) ---------------------------------------------------------------------------- */

/* AMD's layout, which device code knows, and behind it what is ours. */
struct wl_hsa_signal {
    int64_t kind; /* 1: a user's */
    _Atomic int64_t value;
    uint64_t mailbox; /* 0: device code tells nobody; whoever waits asks again and again */
    uint32_t event, reserved1;
    uint64_t start, end; /* clock ticks: nanoseconds of CLOCK_MONOTONIC */
    uint64_t queue;
    uint32_t reserved3[2];
    /* ours */
    _Atomic uint32_t sleepers; /* threads that sleep on the value's low half */
    uint32_t magic;
    struct wl_hsa_queue *doorbell; /* not NULL: of this queue */
    bool shared;                   /* with other processes (ipc.c) */
};

struct wl_hsa_signal *wl_hsa_signal(hsa_signal_t signal);
/* Memory for a signal that processes share; NULL: there is none. All but `shared` is 0. (ipc.c) */
struct wl_hsa_signal *wl_hsa_shared_signal_make(void);
/* Takes it from this process. */
void wl_hsa_shared_signal_close(struct wl_hsa_signal *signal);
/* What is done behind each change of a value by the host: wakes those who wait. */
void wl_hsa_signal_changed(struct wl_hsa_signal *signal);
/* Subtracts 1 with release, after the times were set; a handle of 0 does nothing. */
void wl_hsa_signal_complete(hsa_signal_t signal, uint64_t start, uint64_t end);
bool wl_hsa_condition(int condition, int64_t value, int64_t compare);
/* Waits until one of the conditions holds, `nanoseconds` have passed (UINT64_MAX: never) or `stop`, which may be NULL, is set. Returns the index, or
 * `count`. `active`: without sleeping for some time. */
unsigned wl_hsa_wait_any(unsigned count, const hsa_signal_t *signals, const int *conditions, const int64_t *compares, uint64_t nanoseconds,
                         bool active, const _Atomic bool *stop, int64_t *value);
int64_t wl_hsa_wait(struct wl_hsa_signal *signal, int condition, int64_t compare, uint64_t nanoseconds, bool active);
/* Wakes all who wait for several signals at once. */
void wl_hsa_wake_all(void);

/* ---- queues (queue.c, packet.c) ------------------------------------------------------------------------ */

enum { WL_HSA_PACKET = 64 /* bytes */, WL_HSA_QUEUE_MOST = 1 << 17 /* packets */ };

struct wl_dispatch_packet;

struct wl_hsa_queue {
    /* AMD's amd_queue_t, which device code knows; HSA's hsa_queue_t is its beginning. */
    _Alignas(64) unsigned char abi[0x400];
    uint32_t magic;
    struct wl_hsa_agent *agent;
    struct wl_device_queue *device_queue; /* of a device that has queues of its own */
    void (*callback)(hsa_status_t status, hsa_queue_t *source, void *data);
    void *data;
    struct wl_hsa_signal *doorbell;
    /* Futex of the queue's thread: changes with each ring. Alone in its cache line, since the program's threads write it. */
    _Alignas(64) _Atomic uint32_t rung;
    _Alignas(64) _Atomic bool sleeping; /* the queue's thread waits for `rung` */
    _Atomic bool stop, done;            /* the queue is to end; its thread has ended */
    _Atomic bool failed;                /* no packet is taken any more */
    bool soft;                          /* the program takes the packets itself (hsa_soft_queue_create) */
    uint32_t mask[2];
    struct wl_loaded_kernel *last; /* kernel of the last packet, and its object */
    uint64_t last_object, last_generation;
    _Atomic bool taken;     /* a thread runs a packet; the members below are that thread's */
    _Atomic uint64_t index; /* of the first packet that nobody has run */
    _Atomic bool failing;   /* the queue's thread is to tell of this failure: */
    hsa_status_t failure;
    char why[1024];
    struct wl_hsa_queue *next; /* in the list of all queues with threads */
    uint64_t written;          /* the write index when the queue's thread last read it */
    uint64_t seen_end;         /* packets before this index were there when a launch looked at the process's fault handlers */
};

static inline hsa_queue_t *wl_hsa_public(struct wl_hsa_queue *queue) { return (hsa_queue_t *)queue->abi; }
static inline _Atomic uint64_t *wl_hsa_write_index(const struct wl_hsa_queue *queue) {
    return (_Atomic uint64_t *)(uintptr_t)(queue->abi + 0x38);
}
static inline _Atomic uint64_t *wl_hsa_read_index(const struct wl_hsa_queue *queue) {
    return (_Atomic uint64_t *)(uintptr_t)(queue->abi + 0x80);
}
/* Tells a queue's thread that there may be packets. */
void wl_hsa_queue_ring(struct wl_hsa_queue *queue);
/* Notes that the calling thread has rung this queue's doorbell. */
void wl_hsa_queue_note(struct wl_hsa_queue *queue);
/* Runs the first packet of the queue whose doorbell this thread rang last, if it is a kernel's and nobody runs it. False: it is not. */
bool wl_hsa_queue_help(void);
/* Takes a queue whose first packet is a kernel's; then the caller runs it, and others may take the queue. */
bool wl_hsa_queue_take_kernel(struct wl_hsa_queue *queue);
void wl_hsa_queue_run_taken(struct wl_hsa_queue *queue);
/* The body of a queue's thread. */
void *wl_hsa_queue_run(void *queue);

/* ---- copies (copy.c) and images (ext_image.c) ------------------------------------------------------------- */

/* Rows of `width` bytes, at pitches in bytes, in slices; a plain copy has one row. */
struct wl_hsa_rows {
    char *target;
    const char *source;
    size_t width, rows, slices, target_pitch, source_pitch, target_slice, source_slice;
};
/* Copies them between any memory of the host and of devices, and waits until that is done. Thread-safe. */
hsa_status_t wl_hsa_copy_rows(const struct wl_hsa_rows *what);
/* Whether kernels of an agent have images. */
bool wl_hsa_has_images(const struct wl_hsa_agent *agent);
/* Answers HSA_EXT_AGENT_INFO_*; HSA_STATUS_ERROR_INVALID_ARGUMENT: another attribute. */
hsa_status_t wl_hsa_image_info(const struct wl_hsa_agent *agent, int attribute, void *value);
/* The images extension's functions, in the order of its table. */
enum { WL_HSA_IMAGE_FUNCTIONS = 13 };
extern const void *const wl_hsa_image_functions[WL_HSA_IMAGE_FUNCTIONS];

/* ---- executables (executable.c) -------------------------------------------------------------------------- */

/* The kernel whose descriptor is at an address on the device, NULL: none. Thread-safe. */
struct wl_loaded_kernel *wl_hsa_kernel(uint64_t object);
/* Changes whenever kernels go. */
uint64_t wl_hsa_kernel_generation(void);

/* ---- events (event.c) ------------------------------------------------------------------------------------ */

/* Tells a memory fault of an agent. False: no handler took it. */
bool wl_hsa_memory_fault(const struct wl_hsa_agent *agent);

#endif
