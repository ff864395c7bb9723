/* The executor: a pool of threads that run streams nobody waits for.
 *
 * Threads are made one by one, when a stream becomes ready and no thread is free, up to a limit that only bounds runaway
 * programs: a kernel that spins on memory which another stream's kernel will write must not keep that one from running.
 * A thread without work spins for a few microseconds and then sleeps. Whoever wakes it claims it first: a claimed thread is
 * no sleeper any more, so that a loop of launches costs one system call and not one each. */
#include "runtime/stream.h"

#include "base/assert.h"
#include "base/clock.h"
#include "base/cpu.h"
#include "runtime/stream_run.h"

#include <linux/futex.h>
#include <signal.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define MAX_THREADS 64
#define SPIN_NS     20000
#define PRIORITIES  3 /* -1, 0, 1: the highest first */

static struct {
    pthread_mutex_t lock; /* guards what follows; `length` may be read without it */
    struct queue {        /* READY streams of one priority, through ready_next */
        struct wl_stream *first, *last;
    } queues[PRIORITIES];
    atomic_uint length;
    unsigned threads;   /* made so far, those about to start included */
    unsigned idle;      /* of them: looking for work, asleep or about to start */
    unsigned asleep;    /* of those: asleep and not claimed by a waker */
    atomic_uint tokens; /* futex: one for each claimed sleeper */
} pool = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* A stream may be pushed again while an outdated entry of it is still queued; the queue links through the stream, so an
 * entry that is already there stands for both and the second reference is dropped. */
static struct wl_stream *const LAST = (struct wl_stream *)&pool; /* end mark: a queued stream's link is never NULL */

enum help { HELP_NONE, HELP_WAKE, HELP_START };

/* What the queue needs so that nothing in it waits for a thread that is busy. The lock is held; helping is done without. */
static enum help claim_help(void) {
    wl_assert_held(&pool.lock);
    wl_assert(pool.asleep <= pool.idle && pool.idle <= pool.threads && pool.threads <= MAX_THREADS);
    if (pool.length > pool.idle && pool.threads < MAX_THREADS) {
        pool.threads++;
        pool.idle++;
        return HELP_START;
    }
    if (pool.asleep && pool.length > pool.idle - pool.asleep) {
        pool.asleep--;
        return HELP_WAKE;
    }
    return HELP_NONE;
}

static void start_thread(void);

static void give_help(enum help help) {
    if (help == HELP_START) {
        start_thread();
    } else if (help == HELP_WAKE) {
        atomic_fetch_add(&pool.tokens, 1);
        syscall(SYS_futex, &pool.tokens, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
    }
}

/* Takes the first stream of the highest priority; the caller is not idle any more. */
static struct wl_stream *pop(void) {
    if (!atomic_load(&pool.length))
        return NULL;
    enum help help = HELP_NONE;
    pthread_mutex_lock(&pool.lock);
    struct queue *queue = pool.queues;
    while (!queue->first && queue < pool.queues + PRIORITIES - 1)
        queue++;
    struct wl_stream *stream = queue->first;
    if (stream) {
        wl_assert(stream->ready_next && pool.length > 0 && pool.idle > 0);
        queue->first = stream->ready_next == LAST ? NULL : stream->ready_next;
        if (!queue->first)
            queue->last = NULL;
        stream->ready_next = NULL;
        atomic_fetch_sub(&pool.length, 1);
        pool.idle--;
        help = claim_help();
    }
    pthread_mutex_unlock(&pool.lock);
    give_help(help);
    return stream;
}

/* Sleeps until somebody claims this thread; not at all if there is work. */
static void sleep_until_claimed(void) {
    pthread_mutex_lock(&pool.lock);
    bool work = atomic_load(&pool.length) != 0;
    if (!work)
        pool.asleep++;
    pthread_mutex_unlock(&pool.lock);
    while (!work) {
        unsigned tokens = atomic_load(&pool.tokens);
        if (!tokens)
            syscall(SYS_futex, &pool.tokens, FUTEX_WAIT_PRIVATE, 0, NULL, NULL, 0);
        else if (atomic_compare_exchange_strong(&pool.tokens, &tokens, tokens - 1))
            return;
    }
}

static struct wl_stream *wait_for_work(void) {
    for (;;) {
        uint64_t until = wl_now() + SPIN_NS;
        do {
            struct wl_stream *stream = pop();
            if (stream)
                return stream;
            for (int i = 0; i < 32; i++)
                wl_relax();
        } while (wl_now() < until);
        sleep_until_claimed();
    }
}

static void *executor(void *argument) {
    (void)argument;
    for (;;) {
        wl_stream_run_ready(wait_for_work());
        pthread_mutex_lock(&pool.lock);
        pool.idle++;
        pthread_mutex_unlock(&pool.lock);
    }
    return NULL;
}

/* One more thread, already counted, which takes no signals. Failing is harmless: whoever synchronizes runs the work. */
static void start_thread(void) {
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
        pthread_mutex_lock(&pool.lock);
        pool.threads--;
        pool.idle--;
        pthread_mutex_unlock(&pool.lock);
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

void wl_executor_push(struct wl_stream *stream) {
    wl_assert(stream->priority >= -1 && stream->priority < PRIORITIES - 1);
    enum help help = HELP_NONE;
    pthread_mutex_lock(&pool.lock);
    bool queued = stream->ready_next != NULL;
    if (!queued) {
        struct queue *queue = &pool.queues[stream->priority + 1];
        stream->ready_next = LAST;
        if (queue->last)
            queue->last->ready_next = stream;
        else
            queue->first = stream;
        queue->last = stream;
        atomic_fetch_add(&pool.length, 1);
        help = claim_help();
    }
    pthread_mutex_unlock(&pool.lock);
    if (queued)
        wl_stream_release(stream);
    give_help(help);
}

void wl_executor_after_fork(void) {
    pthread_mutex_init(&pool.lock, NULL);
    memset(pool.queues, 0, sizeof pool.queues);
    atomic_store(&pool.length, 0);
    pool.threads = pool.idle = pool.asleep = 0;
    atomic_store(&pool.tokens, 0);
}
