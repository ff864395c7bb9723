/* Streams and commands. (stream.c, thread_stream.c, command.c, executor.c) */
#ifndef WL_RUNTIME_STREAM_H
#define WL_RUNTIME_STREAM_H

#include "base/status.h"
#include "device/device.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct wl_context;

#define WL_STREAM_MASK_WORDS   32 /* 1,024 compute units */
#define WL_STREAM_NON_BLOCKING 1u /* does not order itself with the null stream */

enum wl_stream_state { WL_STREAM_IDLE, WL_STREAM_READY, WL_STREAM_RUNNING, WL_STREAM_PARKED, WL_STREAM_WATCHED };

struct wl_point {
    struct wl_stream *stream; /* referenced */
    uint64_t sequence;
};

struct wl_parked_stream; /* a stream that waits for a point of another one */
struct wl_capture;       /* runtime/capture.h */

/* What a stream has waited for: commands of `other` up to `sequence`, since its own command `since`. */
struct wl_known {
    uint64_t other; /* the stream's id; 0: none */
    uint64_t sequence, since;
};
#define WL_STREAM_KNOWN 8 /* the latest ones; forgetting one only costs the reuse of a freed block */

struct wl_stream {
    struct wl_context *context;
    struct wl_device_queue *queue; /* of a device that has them; else NULL */
    uint64_t id;                   /* never used again */
    unsigned flags;
    int priority;
    bool per_thread; /* a thread's default stream */
    bool masked;     /* hipExtStreamCreateWithCUMask chose compute units: */
    uint32_t unit_mask[WL_STREAM_MASK_WORDS];
    uint64_t worker_mask;     /* the first 64 of them; 0: all */
    struct wl_stream_window { /* hipStreamSetAttribute's hints: how caches should treat a range */
        void *base;
        size_t size;
        float ratio;
        unsigned hit, miss;
    } window;
    unsigned waiting; /* and how to wait; 0: not said */
    struct wl_stream *context_next, *context_previous;
    struct wl_stream *busy_next;
    atomic_bool busy;                     /* in the context's list of busy streams */
    _Atomic(struct wl_capture *) capture; /* NULL: not capturing. Changed under the lock of captures */
    _Atomic uint64_t observed;            /* sequence number up to which the program was told that the stream has finished */
    struct wl_command *forgotten;         /* in a forked child: what the parent had queued */

    /* What whoever queues writes, and the thread that runs the stream only where it begins and ends. */
    _Alignas(64) pthread_mutex_t lock; /* guards the fields up to `known_next`, and `head` of a stream that is not RUNNING */
    struct wl_command *tail;
    enum wl_stream_state state; /* IDLE: empty; READY: in the executor's queue; RUNNING: a thread runs it; WATCHED: the watcher's */
    struct wl_known known[WL_STREAM_KNOWN];
    unsigned known_next;                /* the entry to replace */
    _Atomic uint64_t submitted;         /* sequence number of the last queued command */
    _Atomic(struct wl_command *) spare; /* for whoever queues next: commands whose memory can be used again */
    atomic_uint references;
    struct wl_stream *ready_next; /* executor's queue; guarded by its lock */
    struct wl_stream *watch_next; /* watcher's list; guarded by its lock */

    /* What the thread that runs the stream writes with every command. */
    _Alignas(64) struct wl_command *head;      /* of a RUNNING stream that thread's alone, but for the first command of an empty one */
    _Atomic uint64_t completed;                /* sequence number of the last finished command; with a queue: of the last one given to it */
    _Atomic uint64_t emptied;                  /* with a queue: up to which it is known to have done what it was given */
    _Atomic(struct wl_parked_stream *) parked; /* streams that wait for a point of this one; changed under the lock */
    _Atomic uint64_t wake_at;                  /* the smallest `completed` that a sleeping thread waits for; UINT64_MAX: none */
    atomic_uint progress;                      /* futex: changes when sleeping threads are woken */
    uint64_t batch;                            /* the last command that was queued when the batch of launches at hand began */
    _Atomic(struct wl_command *) used;         /* what becomes `spare` */
    atomic_uint used_count;
};

/* A queued piece of work. `run` executes it; `dispose`, if not NULL, drops what it refers to, whether it ran or not.
 * The command itself is freed by the stream. Derived structs begin with it. */
struct wl_command {
    enum wl_status (*run)(struct wl_command *command, struct wl_stream *stream);
    void (*dispose)(struct wl_command *command);
    _Atomic(struct wl_command *) next;
    uint64_t sequence;
    uint64_t order;   /* a mark of runtime/order.h; 0: none */
    struct wl_asker { /* who asked for it, for those who record or trace it (runtime/record.h); zeros: nobody does */
        bool recorded;
        uint64_t call, tracer, queued;
    } asker;
    struct wl_stream *home; /* the stream that keeps the command's memory when it is done; NULL: it is freed */
    /* NULL, or a condition on memory that must hold before `run` may be called. The watcher asks until it does (watch.c). */
    bool (*ready)(struct wl_command *command);
    enum wl_status *result; /* not NULL: somebody waits for it and takes its status; NULL: a failure is the device's fault */
    bool gives;             /* `run` only gives work to the stream's queue, if the stream has one, and never waits */
    bool follows;           /* `run` makes the queue wait for what the points stand for */
    bool always;            /* runs even when the context has a fault (event records, host functions that free) */
    unsigned point_count, point_capacity;
    struct wl_point *points; /* what it waits for */
    struct wl_point inline_points[2];
};

/* Makes a stream in `context` and its handle; WL_STREAM_* flags. */
enum wl_status wl_stream_create(struct wl_context *context, unsigned flags, int priority, struct wl_stream **stream);
/* Makes a stream that gives its work to a queue of the device's driver, which stays the caller's. WL_NOT_FOUND: another device's. */
enum wl_status wl_stream_adopt(struct wl_context *context, void *native, struct wl_stream **stream);
/* Gives the handle up. Queued commands still run. */
void wl_stream_destroy(struct wl_stream *stream);
/* The calling thread's default stream in the context (hipStreamPerThread), made at the first call. NULL: out of memory. */
struct wl_stream *wl_stream_per_thread(struct wl_context *context);
void wl_stream_retain(struct wl_stream *stream);
void wl_stream_release(struct wl_stream *stream);

/* Allocates a zeroed command of `size` bytes (at least sizeof(struct wl_command)). NULL: out of memory. */
void *wl_command_new(size_t size, enum wl_status (*run)(struct wl_command *, struct wl_stream *), void (*dispose)(struct wl_command *));
void wl_command_free(struct wl_command *command);
/* Memory for a command of this stream of up to WL_SPARE_BYTES, not zeroed, whose `home` the caller sets to the stream: taken from
 * commands that are done, else allocated. NULL: out of memory. Thread-safe. */
#define WL_SPARE_BYTES 640
void *wl_stream_spare(struct wl_stream *stream);
/* Makes the command wait for a point. Points that are already reached are skipped. */
enum wl_status wl_command_wait_for(struct wl_command *command, struct wl_stream *stream, uint64_t sequence);
/* Makes it wait for what is in the null stream of a context now, and in the streams that one waits for. */
enum wl_status wl_command_wait_for_null(struct wl_command *command, struct wl_context *context);

/* Queues a command, which the stream then owns, behind everything HIP's stream order puts before it. On failure the
 * command is freed. `sequence` (may be NULL) receives its number. Thread-safe. */
enum wl_status wl_stream_enqueue(struct wl_stream *stream, struct wl_command *command, uint64_t *sequence);
/* Queues command i on stream i, all at one moment: on none of the streams, which all differ, another thread's command comes
 * between. With `wait_before` every command waits for what is queued on all the streams by then. `after` (may be NULL) has
 * commands that follow, each of which waits for all of `commands`. Takes all commands over, also when it fails. */
enum wl_status wl_stream_enqueue_together(struct wl_stream *const *streams, struct wl_command **commands, struct wl_command **after,
                                          unsigned count, bool wait_before);
/* Queues a command and waits for it; returns the command's own status, which is not made sticky. */
enum wl_status wl_stream_execute(struct wl_stream *stream, struct wl_command *command);
/* Waits until the stream has finished command `sequence`, running commands in this thread where no other thread does. Returns
 * the fault of its queue, if it has one. */
enum wl_status wl_stream_wait(struct wl_stream *stream, uint64_t sequence);
/* The same up to where the work is given to the queue. */
void wl_stream_wait_given(struct wl_stream *stream, uint64_t sequence);
/* Whether it has finished command `sequence`, its queue's part included. Exact with `ask`, which asks the device; without, false may
 * mean that nobody knows. */
bool wl_stream_has_finished(struct wl_stream *stream, uint64_t sequence, bool ask);
/* Gives work to a stream's queue without a command, if nothing is queued before it: true, and the stream is the caller's until he
 * says that he has given it. `sequence` receives its number. */
bool wl_stream_give_begin(struct wl_stream *stream, uint64_t *sequence);
void wl_stream_give_end(struct wl_stream *stream, uint64_t sequence);
/* A status that a queue gave back: a fault becomes the context's. Returns it. */
enum wl_status wl_stream_given(const struct wl_stream *stream, enum wl_status status);
/* hipStreamSynchronize: all that is queued now; for the null stream also what its context's blocking streams have. */
enum wl_status wl_stream_synchronize(struct wl_stream *stream);
/* Waits for all streams of the context but the null stream. */
void wl_stream_wait_others(struct wl_context *context);
/* WL_OK if everything queued has finished, else WL_NOT_READY, or the sticky fault. */
enum wl_status wl_stream_query(struct wl_stream *stream);
/* Whether a command queued now would run at once: the stream has nothing unfinished, nor have those it must wait for. */
bool wl_stream_is_free(struct wl_stream *stream);
/* The program was told that the stream has finished command `sequence`. */
void wl_stream_observe(struct wl_stream *stream, uint64_t sequence);
/* Whether commands queued in `stream` from now on run after command `sequence` of `other`, by stream order, event waits or the
 * null stream. May be false where the order does exist. */
bool wl_stream_follows(struct wl_stream *stream, struct wl_stream *other, uint64_t sequence);
/* The stream's later commands run after command `sequence` of `other`. */
enum wl_status wl_stream_wait_for(struct wl_stream *stream, struct wl_stream *other, uint64_t sequence);
/* The same with a command of the caller's, which is taken over: it `follows`, or does nothing. */
enum wl_status wl_stream_wait_by(struct wl_stream *stream, struct wl_command *command, struct wl_stream *other, uint64_t sequence);
/* Queues a command that does nothing: what waits for it waits for everything before it in HIP's stream order. */
enum wl_status wl_stream_mark(struct wl_stream *stream, uint64_t *sequence);
/* Called once at exit: nobody can make watched conditions true any more, so waiting for such a stream gives up. */
void wl_stream_exiting(void);
/* WL_ILLEGAL_STATE in a host function that would wait for ever if it waited for command `sequence` of the stream, because it
 * runs in that stream, or in one that the stream waits for by the rules of the null stream. */
enum wl_status wl_stream_may_wait(const struct wl_stream *stream, uint64_t sequence);
/* The same for all streams of a context. */
enum wl_status wl_context_may_wait(const struct wl_context *context);
/* Whether one of two streams is the null stream of their context and waits for the other. */
bool wl_stream_is_legacy_pair(const struct wl_stream *a, const struct wl_stream *b);

#endif
