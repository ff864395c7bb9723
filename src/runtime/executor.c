/* The executor: a pool of threads that run streams nobody waits for.
 *
 * Threads are made one by one, when a stream becomes ready and no thread is free, up to a limit that only bounds runaway
 * programs: a kernel that spins on memory which another stream's kernel will write must not keep that one from running.
 * A thread without work spins for a few microseconds and then sleeps on a futex; while one wake-up is under way no second
 * one is sent, so that a loop of launches costs one system call and not one each. */
#include "runtime/runtime.h"

#include <errno.h>
#include <linux/futex.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#define MAX_THREADS 64
#define SPIN_NS     20000

static struct {
    pthread_mutex_t lock;
    struct wl_stream *first, *last; /* READY streams, through ready_next */
    atomic_uint length;
    atomic_uint threads, idle; /* idle: looking for work, spinning or asleep */
    atomic_uint asleep;
    atomic_uint wake; /* futex */
    atomic_bool wake_pending;
} pool = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* A stream may be pushed again while an outdated entry of it is still queued; the queue links through the stream, so an
 * entry that is already there stands for both and the second reference is dropped. */
static struct wl_stream *const LAST = (struct wl_stream *)&pool; /* end mark: a queued stream's link is never NULL */

static struct wl_stream *pop(void) {
    if (!atomic_load(&pool.length))
        return NULL;
    pthread_mutex_lock(&pool.lock);
    struct wl_stream *stream = pool.first;
    if (stream) {
        pool.first = stream->ready_next == LAST ? NULL : stream->ready_next;
        if (!pool.first)
            pool.last = NULL;
        stream->ready_next = NULL;
        atomic_fetch_sub(&pool.length, 1);
    }
    pthread_mutex_unlock(&pool.lock);
    return stream;
}

static void wake_one(void) {
    if (!atomic_load(&pool.asleep) || atomic_exchange(&pool.wake_pending, true))
        return;
    atomic_fetch_add(&pool.wake, 1);
    syscall(SYS_futex, &pool.wake, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
}

static struct wl_stream *wait_for_work(void) {
    struct wl_stream *stream = NULL;
    atomic_fetch_add(&pool.idle, 1);
    while (!stream) {
        uint64_t until = wl_now() + SPIN_NS;
        while (!(stream = pop()) && wl_now() < until)
            for (int i = 0; i < 32; i++)
#if defined(__x86_64__)
                __builtin_ia32_pause();
#else
                atomic_signal_fence(memory_order_seq_cst);
#endif
        if (stream)
            break;
        unsigned seen = atomic_load(&pool.wake);
        atomic_fetch_add(&pool.asleep, 1);
        if (!atomic_load(&pool.length))
            syscall(SYS_futex, &pool.wake, FUTEX_WAIT_PRIVATE, seen, NULL, NULL, 0);
        atomic_fetch_sub(&pool.asleep, 1);
        atomic_store(&pool.wake_pending, false);
    }
    atomic_fetch_sub(&pool.idle, 1);
    if (atomic_load(&pool.length))
        wake_one(); /* a push during our wake-up sent none of its own */
    return stream;
}

static void *executor(void *argument) {
    (void)argument;
    for (;;)
        wl_stream_run_ready(wait_for_work());
    return NULL;
}

/* One more thread, which takes no signals. Failing is harmless: whoever synchronizes runs the work. */
static void start_thread(void) {
    if (atomic_fetch_add(&pool.threads, 1) >= MAX_THREADS) {
        atomic_fetch_sub(&pool.threads, 1);
        return;
    }
    sigset_t all, before;
    sigfillset(&all);
    sigdelset(&all, SIGSEGV); /* faults belong to the thread that makes them */
    sigdelset(&all, SIGBUS);
    sigdelset(&all, SIGFPE);
    sigdelset(&all, SIGILL);
    sigdelset(&all, SIGTRAP);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    pthread_t thread;
    if (pthread_create(&thread, NULL, executor, NULL) == 0) {
        pthread_setname_np(thread, "wavelift-exec");
        pthread_detach(thread);
    } else {
        atomic_fetch_sub(&pool.threads, 1);
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

void wl_executor_push(struct wl_stream *stream) {
    pthread_mutex_lock(&pool.lock);
    bool queued = stream->ready_next != NULL;
    if (!queued) {
        stream->ready_next = LAST;
        if (pool.last)
            pool.last->ready_next = stream;
        else
            pool.first = stream;
        pool.last = stream;
        atomic_fetch_add(&pool.length, 1);
    }
    pthread_mutex_unlock(&pool.lock);
    if (queued)
        wl_stream_release(stream);
    if (atomic_load(&pool.length) > atomic_load(&pool.idle))
        start_thread();
    else
        wake_one();
}

void wl_executor_after_fork(void) {
    pthread_mutex_init(&pool.lock, NULL);
    pool.first = pool.last = NULL;
    atomic_store(&pool.length, 0);
    atomic_store(&pool.threads, 0);
    atomic_store(&pool.idle, 0);
    atomic_store(&pool.asleep, 0);
    atomic_store(&pool.wake_pending, false);
}
