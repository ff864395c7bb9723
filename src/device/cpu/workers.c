#include "device/cpu/workers.h"
#include "base/cpu.h"
#include "base/options.h"
#include "device/cpu/fault.h"
#include "device/cpu/memory.h"

#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define SPIN_NS     20000  /* how long a worker looks for new work before it sleeps */
#define CALL_OFF_NS 500000 /* between two calls to threads that have to leave a failed job */

struct wl_pool {
    pthread_mutex_t lock; /* over jobs, idle, sleeping counts and starting threads */
    wl_job_run *run;
    unsigned count;   /* workers, the launching thread included */
    unsigned started; /* threads that exist */
    pthread_t *threads;
    _Atomic(struct wl_job *) jobs; /* that may still take participants; the oldest first. Written under the lock */
    struct wl_thread *idle;        /* states of launching threads that ended */
    pthread_key_t key;
    _Alignas(64) _Atomic uint32_t epoch; /* counts submissions; a futex */
    _Atomic uint32_t sleeping;
    _Atomic bool stop;
};

struct start {
    struct wl_pool *pool;
    unsigned index;
};

/* The calling thread's state while it is free to be used; NULL while a job of this thread runs with it. */
static _Thread_local struct {
    struct wl_pool *pool;
    struct wl_thread *thread;
} own;

static void futex_wait(_Atomic uint32_t *word, uint32_t value) { syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, value, NULL, NULL, 0); }
static void futex_wake(_Atomic uint32_t *word, int count) { syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, count, NULL, NULL, 0); }

static uint64_t now_ns(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* ---- thread states -------------------------------------------------------------------------- */

static void thread_free(struct wl_thread *thread) {
    wl_group_release(&thread->group);
    wl_fault_thread_leave(thread);
    free(thread);
}

static struct wl_thread *thread_new(struct wl_pool *pool) {
    pthread_mutex_lock(&pool->lock);
    struct wl_thread *thread = pool->idle;
    if (thread)
        pool->idle = thread->next;
    pthread_mutex_unlock(&pool->lock);
    if (!thread) {
        thread = aligned_alloc(64, (sizeof *thread + 63) / 64 * 64);
        if (!thread)
            return NULL;
        memset(thread, 0, sizeof *thread);
    }
    return thread;
}

/* The end of a launching thread: its state is kept for the next one, which saves its reservations. */
static void launching_thread_ends(void *argument) {
    struct wl_thread *thread = argument;
    struct wl_pool *pool = own.pool;
    wl_fault_thread_leave(thread);
    pthread_mutex_lock(&pool->lock);
    thread->next = pool->idle;
    pool->idle = thread;
    pthread_mutex_unlock(&pool->lock);
    own.thread = NULL;
}

struct wl_thread *wl_pool_thread(struct wl_pool *pool) {
    if (own.thread && own.pool == pool)
        return own.thread;
    struct wl_thread *thread = thread_new(pool);
    if (!thread || !wl_fault_thread_enter(thread)) {
        free(thread);
        return NULL;
    }
    own.pool = pool;
    own.thread = thread;
    pthread_setspecific(pool->key, thread);
    return thread;
}

/* ---- workers -------------------------------------------------------------------------------- */

static bool job_open(struct wl_job *job, unsigned worker) {
    return atomic_load_explicit(&job->next, memory_order_relaxed) < job->total && job->joined < job->limit &&
           (job->worker_mask == 0 || (worker < 64 && job->worker_mask >> worker & 1)) && worker != job->stand_in &&
           atomic_load_explicit(&job->status, memory_order_relaxed) == WL_OK;
}

/* Joins the oldest job that wants this worker. */
static struct wl_job *take_job(struct wl_pool *pool, unsigned worker) {
    if (!atomic_load_explicit(&pool->jobs, memory_order_acquire))
        return NULL;
    pthread_mutex_lock(&pool->lock);
    struct wl_job *job = atomic_load_explicit(&pool->jobs, memory_order_relaxed);
    while (job && !job_open(job, worker))
        job = job->next_job;
    if (job) {
        job->joined++;
        atomic_fetch_add_explicit(&job->participants, 1, memory_order_relaxed);
    }
    pthread_mutex_unlock(&pool->lock);
    return job;
}

/* After the last decrement the job may be gone; the wake-up then hits a stale address, which futexes allow. */
static void leave_job(struct wl_job *job) {
    _Atomic uint32_t *participants = &job->participants;
    if (atomic_fetch_sub_explicit(participants, 1, memory_order_release) == 1)
        futex_wake(participants, 1);
}

/* All other workers: those outside the failed job take no notice. */
static void call_off_workers(struct wl_pool *pool) {
    pthread_mutex_lock(&pool->lock);
    for (unsigned i = 0; i < pool->started; i++)
        if (!pthread_equal(pool->threads[i], pthread_self()))
            wl_fault_call_off(pool->threads[i]);
    pthread_mutex_unlock(&pool->lock);
}

/* Behind a failure: sees to it that the others leave the job. Most find out by themselves; those in a loop that waits for what
 * will not come now are called off, again and again since they may be busy with something that must not be left. `launching`:
 * the caller is the launching thread. */
static void call_off(struct wl_pool *pool, struct wl_job *job, bool launching) {
    if (atomic_load_explicit(&job->status, memory_order_relaxed) == WL_OK || atomic_flag_test_and_set(&job->calling_off))
        return;
    for (unsigned round = 0;; round++) {
        bool others = atomic_load_explicit(&job->participants, memory_order_acquire) > (launching ? 0 : 1);
        bool launcher = !launching && !atomic_load_explicit(&job->launcher_left, memory_order_acquire);
        if (!others && !launcher)
            return;
        if (round && launcher)
            wl_fault_call_off(job->launcher);
        if (round && others)
            call_off_workers(pool);
        struct timespec moment = {0, CALL_OFF_NS};
        nanosleep(&moment, NULL);
    }
}

static void wait_for_work(struct wl_pool *pool, uint32_t seen) {
    uint64_t start = now_ns();
    do {
        for (int i = 0; i < 32; i++) {
            if (atomic_load_explicit(&pool->epoch, memory_order_relaxed) != seen)
                return;
            wl_relax();
        }
    } while (now_ns() - start < SPIN_NS);
    atomic_fetch_add(&pool->sleeping, 1);
    while (atomic_load(&pool->epoch) == seen && !atomic_load(&pool->stop))
        futex_wait(&pool->epoch, seen);
    atomic_fetch_sub(&pool->sleeping, 1);
}

static void *worker_main(void *argument) {
    struct start start = *(struct start *)argument;
    struct wl_pool *pool = start.pool;
    free(argument);
    struct wl_thread *thread = thread_new(pool);
    if (!thread || !wl_fault_thread_enter(thread)) {
        free(thread);
        return NULL;
    }
    thread->index = start.index;
    while (!atomic_load_explicit(&pool->stop, memory_order_relaxed)) {
        uint32_t seen = atomic_load_explicit(&pool->epoch, memory_order_acquire);
        struct wl_job *job = take_job(pool, start.index);
        if (job) {
            pool->run(job, thread);
            call_off(pool, job, false);
            leave_job(job);
        } else {
            wait_for_work(pool, seen);
        }
    }
    thread_free(thread);
    return NULL;
}

/* Starts the threads, once, with all signals blocked but those of faults: the program's handlers run in its own threads. */
static void start_threads(struct wl_pool *pool) {
    sigset_t blocked, previous;
    sigfillset(&blocked);
    static const int faults[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT};
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++)
        sigdelset(&blocked, faults[i]);
    pthread_sigmask(SIG_SETMASK, &blocked, &previous);
    while (pool->started + 1 < pool->count) {
        struct start *start = malloc(sizeof *start);
        if (!start)
            break;
        *start = (struct start){pool, pool->started + 1};
        errno = pthread_create(&pool->threads[pool->started], NULL, worker_main, start);
        if (errno) {
            wl_log(1, "cannot start worker %u: %m", pool->started + 1);
            free(start);
            break;
        }
        pool->started++;
    }
    if (pool->started + 1 < pool->count)
        pool->count = pool->started + 1;
    pthread_sigmask(SIG_SETMASK, &previous, NULL);
}

/* ---- jobs ----------------------------------------------------------------------------------- */

static void submit(struct wl_pool *pool, struct wl_job *job) {
    pthread_mutex_lock(&pool->lock);
    if (pool->started == 0 && pool->count > 1)
        start_threads(pool);
    struct wl_job *last = atomic_load_explicit(&pool->jobs, memory_order_relaxed);
    while (last && last->next_job)
        last = last->next_job;
    if (last)
        last->next_job = job;
    else
        atomic_store_explicit(&pool->jobs, job, memory_order_release);
    pthread_mutex_unlock(&pool->lock);
    atomic_fetch_add(&pool->epoch, 1);
    if (atomic_load(&pool->sleeping)) {
        uint64_t chunks = (job->total + job->chunk - 1) / job->chunk;
        uint64_t wanted = chunks < job->limit ? chunks : job->limit;
        /* A masked job wakes everybody: the right ones could be missed otherwise. */
        futex_wake(&pool->epoch, job->worker_mask ? INT_MAX : (int)(wanted - 1));
    }
}

static void withdraw(struct wl_pool *pool, struct wl_job *job) {
    pthread_mutex_lock(&pool->lock);
    struct wl_job *first = atomic_load_explicit(&pool->jobs, memory_order_relaxed);
    if (first == job) {
        atomic_store_explicit(&pool->jobs, job->next_job, memory_order_release);
    } else {
        while (first->next_job != job)
            first = first->next_job;
        first->next_job = job->next_job;
    }
    pthread_mutex_unlock(&pool->lock);
    uint64_t start = now_ns();
    uint32_t inside;
    while ((inside = atomic_load_explicit(&job->participants, memory_order_acquire)) != 0) {
        if (now_ns() - start < SPIN_NS)
            wl_relax();
        else
            futex_wait(&job->participants, inside);
    }
}

enum wl_status wl_pool_run(struct wl_pool *pool, struct wl_job *job) {
    struct wl_thread *thread = wl_pool_thread(pool);
    if (!thread)
        return wl_fail(WL_OUT_OF_MEMORY, "no memory for a thread's state");
    job->stand_in = job->worker_mask ? (unsigned)__builtin_ctzll(job->worker_mask) : 0;
    job->joined = 1;
    job->next_job = NULL;
    job->launcher = pthread_self();
    if (job->worker_mask && (unsigned)__builtin_popcountll(job->worker_mask) < job->limit)
        job->limit = (unsigned)__builtin_popcountll(job->worker_mask);
    own.thread = NULL; /* a job within this job must not use the same state */
    thread->index = job->stand_in;
    if (job->limit > 1 && job->total > job->chunk) {
        submit(pool, job);
        pool->run(job, thread);
        atomic_store_explicit(&job->launcher_left, true, memory_order_release);
        call_off(pool, job, true);
        withdraw(pool, job);
    } else {
        pool->run(job, thread);
    }
    if (own.thread) /* a nested job made another one */
        thread_free(own.thread);
    own.thread = thread;
    wl_fault_thread_use(thread);
    pthread_setspecific(pool->key, thread);
    return (enum wl_status)atomic_load_explicit(&job->status, memory_order_relaxed);
}

/* ---- the pool ------------------------------------------------------------------------------- */

enum wl_status wl_pool_create(struct wl_pool **pool, unsigned count, wl_job_run *run) {
    struct wl_pool *p = aligned_alloc(64, (sizeof *p + 63) / 64 * 64);
    if (!p)
        return wl_fail(WL_OUT_OF_MEMORY, "no memory for the worker pool");
    memset(p, 0, sizeof *p);
    p->run = run;
    p->count = count ? count : 1;
    p->threads = calloc(p->count, sizeof *p->threads);
    if (!p->threads || pthread_key_create(&p->key, launching_thread_ends) != 0) {
        free(p->threads);
        free(p);
        return wl_fail(WL_OUT_OF_MEMORY, "no memory for the worker pool");
    }
    pthread_mutex_init(&p->lock, NULL);
    *pool = p;
    return WL_OK;
}

void wl_pool_after_fork(struct wl_pool *pool) {
    pthread_mutex_init(&pool->lock, NULL);
    atomic_store(&pool->jobs, NULL);
    atomic_store(&pool->sleeping, 0);
    pool->started = 0;
}

void wl_pool_destroy(struct wl_pool *pool) {
    if (!pool)
        return;
    atomic_store(&pool->stop, true);
    atomic_fetch_add(&pool->epoch, 1);
    futex_wake(&pool->epoch, INT_MAX);
    for (unsigned i = 0; i < pool->started; i++)
        pthread_join(pool->threads[i], NULL);
    pthread_key_delete(pool->key);
    if (own.pool == pool && own.thread) {
        thread_free(own.thread);
        own.thread = NULL;
    }
    while (pool->idle) {
        struct wl_thread *thread = pool->idle;
        pool->idle = thread->next;
        thread_free(thread);
    }
    pthread_mutex_destroy(&pool->lock);
    free(pool->threads);
    free(pool);
}

unsigned wl_pool_size(const struct wl_pool *pool) { return pool->count; }
