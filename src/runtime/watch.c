/* The watcher: streams whose next command waits for a condition on memory that anybody may write, the host included.
 *
 * They are WATCHED and hold no executor. One thread, made with the first of them, looks at all of them, then sleeps: a few
 * microseconds at first, up to two milliseconds when nothing changes. Every command that finishes anywhere wakes it, so that
 * what the device itself writes is seen at once; without watched streams it sleeps until there is one. */
#include "base/assert.h"
#include "runtime/stream.h"
#include "runtime/stream_run.h"

#include <linux/futex.h>
#include <signal.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define SHORTEST_NS 10000
#define LONGEST_NS  2000000

static struct {
    pthread_mutex_t lock;    /* guards `first` and `started` */
    struct wl_stream *first; /* WATCHED streams, through watch_next */
    atomic_uint length;      /* of that list */
    atomic_uint kicks;       /* futex */
    bool started;            /* the thread exists */
} watcher = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* Takes out all streams whose condition holds. */
static struct wl_stream *take_ready(void) {
    struct wl_stream *ready = NULL;
    pthread_mutex_lock(&watcher.lock);
    for (struct wl_stream **link = &watcher.first; *link;) {
        struct wl_stream *stream = *link;
        pthread_mutex_lock(&stream->lock);
        struct wl_command *head = stream->head; /* stays while the stream is WATCHED */
        wl_assert(stream->state == WL_STREAM_WATCHED && head && head->ready);
        pthread_mutex_unlock(&stream->lock);
        if (wl_stream_has_to_watch(stream, head)) {
            link = &stream->watch_next;
            continue;
        }
        *link = stream->watch_next;
        stream->watch_next = ready;
        ready = stream;
        atomic_fetch_sub(&watcher.length, 1);
    }
    pthread_mutex_unlock(&watcher.lock);
    return ready;
}

/* The list, from which this thread alone takes streams. */
static struct wl_stream *first_watched(void) {
    pthread_mutex_lock(&watcher.lock);
    struct wl_stream *first = watcher.first;
    pthread_mutex_unlock(&watcher.lock);
    return first;
}

static void *watch(void *argument) {
    (void)argument;
    uint64_t pause = SHORTEST_NS;
    for (;;) {
        unsigned kicks = atomic_load(&watcher.kicks);
        struct wl_stream *ready = take_ready();
        if (ready)
            pause = SHORTEST_NS;
        while (ready) {
            struct wl_stream *next = ready->watch_next;
            ready->watch_next = NULL;
            wl_stream_watched_ready(ready);
            ready = next;
        }
        if (wl_stuck_streams(first_watched(), kicks))
            continue;
        struct timespec timeout = {0, (long)pause};
        bool idle = atomic_load(&watcher.length) == 0;
        long result = syscall(SYS_futex, &watcher.kicks, FUTEX_WAIT_PRIVATE, kicks, idle ? NULL : &timeout, NULL, 0);
        pause = idle || result == 0 ? SHORTEST_NS : pause * 2 < LONGEST_NS ? pause * 2 : LONGEST_NS;
    }
    return NULL;
}

static void start(void) {
    wl_assert_held(&watcher.lock);
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    pthread_t thread;
    if (pthread_create(&thread, NULL, watch, NULL) == 0) {
        pthread_setname_np(thread, "wavelift-watch");
        pthread_detach(thread);
        watcher.started = true;
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

static void kick(void) {
    atomic_fetch_add(&watcher.kicks, 1);
    syscall(SYS_futex, &watcher.kicks, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
}

void wl_watch_add(struct wl_stream *stream) {
    pthread_mutex_lock(&watcher.lock);
    stream->watch_next = watcher.first;
    watcher.first = stream;
    atomic_fetch_add(&watcher.length, 1);
    if (!watcher.started)
        start();
    pthread_mutex_unlock(&watcher.lock);
    kick();
}

void wl_watch_kick(void) {
    if (atomic_load_explicit(&watcher.length, memory_order_relaxed))
        kick();
}

void wl_watch_after_fork(void) {
    pthread_mutex_init(&watcher.lock, NULL);
    watcher.first = NULL;
    watcher.started = false;
    atomic_store(&watcher.length, 0);
}
