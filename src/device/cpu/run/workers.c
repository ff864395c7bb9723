#include "device/cpu/run/workers.h"
#include "base/assert.h"
#include "base/clock.h"
#include "base/cpu.h"
#include "base/options.h"
#include "device/cpu/fault/fault.h"
#include "device/cpu/memory.h"
#include "device/cpu/run/parts.h"

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

#define SPIN_NS     60000  /* how long a worker looks for new work before it sleeps: small kernels between large ones are shorter */
#define WAKES       2      /* sleeping workers that one thread wakes */
#define CALL_OFF_NS 500000 /* between two calls to threads that have to leave a failed job */

/* A place where workers find a job without a lock. The job itself is on the launching thread's stack, and a worker may look at it only
 * after it has joined. So what a worker must know before stands here too. A worker joins by changing `state`; that fails if another job has
 * taken the slot meanwhile. */
struct wl_job_slot {
    /* generation << 32 | flags | threads that ever took part (13 bits) << 16 | other threads inside. The lower half is a futex. */
    _Alignas(64) _Atomic uint64_t state;
    _Atomic uint64_t mask;
    _Atomic uint32_t stand_in, limit;
    struct wl_job *job;
    _Alignas(64) struct wl_parts parts;
};
#define SLOT_TAKEN   (UINT64_C(1) << 31) /* it has a job */
#define SLOT_OPEN    (UINT64_C(1) << 30) /* others may join */
#define SLOT_AWAITED (UINT64_C(1) << 29) /* the launching thread sleeps until nobody is inside */
#define ONE_JOINED   (UINT64_C(1) << 16)
#define INSIDE       UINT64_C(0xffff)
enum { SLOTS = 16, MOST_JOINED = 8191 };

static unsigned joined(uint64_t state) { return (unsigned)(state >> 16) & MOST_JOINED; }

struct wl_pool {
    pthread_mutex_t lock; /* over idle and starting threads */
    wl_job_run *run;
    unsigned count;    /* workers, the launching thread included */
    unsigned started;  /* threads that exist */
    atomic_uint ready; /* 1: all were started */
    pthread_t *threads;
    struct wl_thread *idle; /* states of launching threads that ended */
    pthread_key_t key;
    _Atomic bool stop;
    _Alignas(64) _Atomic uint32_t epoch; /* counts submissions; a futex */
    _Atomic uint32_t open;               /* bit n: slot n may be open */
    _Alignas(64) _Atomic uint32_t sleeping;
    struct wl_job_slot slots[SLOTS];
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

/* A launching thread ends: its state is kept for the next launching thread, which then needs no new reservations. */
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

static bool is_wanted(const struct wl_job_slot *slot, uint64_t state, unsigned worker) {
    uint64_t mask = atomic_load_explicit(&slot->mask, memory_order_relaxed);
    return joined(state) < atomic_load_explicit(&slot->limit, memory_order_relaxed) && (mask == 0 || (worker < 64 && mask >> worker & 1)) &&
           worker != atomic_load_explicit(&slot->stand_in, memory_order_relaxed);
}

bool wl_pool_wants(struct wl_pool *pool, unsigned worker, const struct wl_job *job) {
    uint32_t open = atomic_load_explicit(&pool->open, memory_order_acquire);
    for (; open; open &= open - 1) {
        const struct wl_job_slot *slot = &pool->slots[__builtin_ctz(open)];
        uint64_t state = atomic_load_explicit(&slot->state, memory_order_acquire);
        if (slot != job->slot && state & SLOT_OPEN && is_wanted(slot, state, worker))
            return true;
    }
    return false;
}

/* Joins a job that wants this worker, but not the one in slot `not_here`. `part` receives a number below the job's limit that no other
 * worker gets. If all workers may take part, a worker gets the same number in every job, so that it finds in its caches what an earlier
 * launch left there. */
static struct wl_job_slot *take_job(struct wl_pool *pool, unsigned worker, const struct wl_job_slot *not_here, uint32_t *part) {
    uint32_t open = atomic_load_explicit(&pool->open, memory_order_acquire);
    if (not_here)
        open &= ~(UINT32_C(1) << (not_here - pool->slots));
    for (; open; open &= open - 1) {
        struct wl_job_slot *slot = &pool->slots[__builtin_ctz(open)];
        uint64_t state = atomic_load_explicit(&slot->state, memory_order_acquire);
        while (state & SLOT_OPEN && is_wanted(slot, state, worker)) {
            if (!atomic_compare_exchange_weak_explicit(&slot->state, &state, state + ONE_JOINED + 1, memory_order_acquire,
                                                       memory_order_acquire))
                continue;
            wl_assert(slot->job && (state & INSIDE) < INSIDE);
            *part = slot->job->limit == pool->count && !slot->job->worker_mask ? worker : joined(state);
            /* Workers that were woken wake further ones, because the launching thread has a job to run. */
            if (joined(state) + 1 < atomic_load_explicit(&slot->limit, memory_order_relaxed) && atomic_load(&pool->sleeping))
                futex_wake(&pool->epoch, WAKES);
            return slot;
        }
    }
    return NULL;
}

/* Closes the job: no thread joins any more. Called by a thread that has joined, or by the launching one. */
static void close_slot(struct wl_pool *pool, struct wl_job_slot *slot) {
    if (!(atomic_load_explicit(&slot->state, memory_order_relaxed) & SLOT_OPEN))
        return;
    atomic_fetch_and_explicit(&pool->open, ~(UINT32_C(1) << (slot - pool->slots)), memory_order_relaxed);
    atomic_fetch_and_explicit(&slot->state, ~SLOT_OPEN, memory_order_relaxed);
}

static _Atomic uint32_t *futex_of(struct wl_job_slot *slot) {
    return (_Atomic uint32_t *)(void *)&slot->state + (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__);
}

/* The calling thread leaves a job that it had joined. `early`: the job is not done, and this thread, or another one, may join again. */
static void leave_job(struct wl_job_slot *slot, bool early) {
    uint64_t before = atomic_fetch_sub_explicit(&slot->state, early ? ONE_JOINED + 1 : 1, memory_order_release);
    wl_assert((before & INSIDE) > 0 && before & SLOT_TAKEN && joined(before) > 0);
    if ((before & INSIDE) == 1 && before & SLOT_AWAITED)
        futex_wake(futex_of(slot), 1);
}

/* Makes all other workers leave the failed job that they may be in. Workers that are in no such job ignore the signal. */
static void cancel_workers(struct wl_pool *pool) {
    pthread_mutex_lock(&pool->lock);
    for (unsigned i = 0; i < pool->started; i++)
        if (!pthread_equal(pool->threads[i], pthread_self()))
            wl_fault_cancel(pool->threads[i]);
    pthread_mutex_unlock(&pool->lock);
}

/* Until no thread has yet to be told: the launch is about to return, and then the program may set a handler of its own. A thread that blocks
 * the signal is not waited for. */
static void await_cancels(void) {
    enum { LONGEST_WAIT = 1000000000 }; /* ns */
    const struct timespec moment = {0, CALL_OFF_NS};
    for (const uint64_t start = wl_now(); !wl_fault_cancels_arrived(); nanosleep(&moment, NULL)) {
        if (wl_now() - start > LONGEST_WAIT) {
            wl_fault_cancels_forget();
            return;
        }
    }
}

/* After a failure: makes the other threads leave the job. Most find out by themselves. A thread in a loop that waits for what will not come
 * now is cancelled; again and again, since it may be busy with something that it must not leave. `launching`: the caller is the launching
 * thread. */
static void cancel(struct wl_pool *pool, struct wl_job *job, bool launching) {
    if (atomic_load_explicit(&job->status, memory_order_relaxed) == WL_OK || atomic_flag_test_and_set(&job->cancelling))
        return;
    for (unsigned round = 0;; round++) {
        bool others = (atomic_load_explicit(&job->slot->state, memory_order_acquire) & INSIDE) > (launching ? 0 : 1);
        bool launcher = !launching && !atomic_load_explicit(&job->launcher_left, memory_order_acquire);
        if (!others && !launcher)
            break;
        if (round && launcher)
            wl_fault_cancel(job->launcher);
        if (round && others)
            cancel_workers(pool);
        struct timespec moment = {0, CALL_OFF_NS};
        nanosleep(&moment, NULL);
    }
    await_cancels();
}

static void wait_for_work(struct wl_pool *pool, uint32_t seen) {
    uint64_t start = wl_now();
    do {
        for (int i = 0; i < 32; i++) {
            if (atomic_load_explicit(&pool->epoch, memory_order_relaxed) != seen)
                return;
            wl_relax();
        }
    } while (wl_now() - start < SPIN_NS);
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
    thread->launches = thread->leaves_early = false;
    const struct wl_job_slot *left = NULL; /* early: others first */
    while (!atomic_load_explicit(&pool->stop, memory_order_relaxed)) {
        uint32_t seen = atomic_load_explicit(&pool->epoch, memory_order_acquire);
        struct wl_job_slot *slot = take_job(pool, start.index, left, &thread->part);
        if (slot) {
            if (slot->job->body) {
                slot->job->body(slot->job->context);
                wl_fault_thread_use(thread); /* jobs within had a state of their own */
            } else {
                pool->run(slot->job, thread);
            }
            if (!thread->leaves_early)
                close_slot(pool, slot);
            cancel(pool, slot->job, false);
            leave_job(slot, thread->leaves_early);
            left = thread->leaves_early ? slot : NULL;
            thread->leaves_early = false;
        } else if (left) {
            left = NULL;
        } else {
            wait_for_work(pool, seen);
        }
    }
    thread_free(thread);
    return NULL;
}

/* Starts the threads, once. All signals but those of faults are blocked in them: the program's handlers run in the program's own
 * threads. */
static void start_threads(struct wl_pool *pool) {
    wl_assert_held(&pool->lock);
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
        pthread_setname_np(pool->threads[pool->started], "wavelift-work");
        pool->started++;
    }
    if (pool->started + 1 < pool->count)
        pool->count = pool->started + 1;
    pthread_sigmask(SIG_SETMASK, &previous, NULL);
}

/* ---- jobs ----------------------------------------------------------------------------------- */

static struct wl_job_slot *take_slot(struct wl_pool *pool) {
    for (unsigned i = 0; i < SLOTS; i++) {
        uint64_t state = atomic_load_explicit(&pool->slots[i].state, memory_order_relaxed);
        if (!(state & SLOT_TAKEN) && atomic_compare_exchange_strong_explicit(&pool->slots[i].state, &state, state | SLOT_TAKEN,
                                                                             memory_order_acquire, memory_order_relaxed))
            return &pool->slots[i];
    }
    return NULL;
}

/* Shows the job to the workers. Does nothing while all slots are taken: the launching thread then runs it alone. */
static void submit(struct wl_pool *pool, struct wl_job *job) {
    if (atomic_load_explicit(&pool->ready, memory_order_acquire) == 0) {
        pthread_mutex_lock(&pool->lock);
        if (pool->started == 0 && pool->count > 1)
            start_threads(pool);
        atomic_store_explicit(&pool->ready, 1, memory_order_release);
        pthread_mutex_unlock(&pool->lock);
    }
    struct wl_job_slot *slot = take_slot(pool);
    if (!slot)
        return;
    wl_assert(job->limit > 1 && job->limit <= MOST_JOINED);
    job->slot = slot;
    if (!job->in_order) {
        wl_parts_init(&slot->parts, job->total, job->limit);
        job->parts = &slot->parts;
    }
    slot->job = job;
    atomic_store_explicit(&slot->mask, job->worker_mask, memory_order_relaxed);
    atomic_store_explicit(&slot->stand_in, job->stand_in, memory_order_relaxed);
    atomic_store_explicit(&slot->limit, job->limit, memory_order_relaxed);
    uint64_t generation = atomic_load_explicit(&slot->state, memory_order_relaxed) >> 32;
    atomic_store_explicit(&slot->state, (generation + 1) << 32 | SLOT_TAKEN | SLOT_OPEN | ONE_JOINED, memory_order_release);
    atomic_fetch_or_explicit(&pool->open, UINT32_C(1) << (slot - pool->slots), memory_order_release);
    atomic_fetch_add(&pool->epoch, 1);
    if (atomic_load(&pool->sleeping)) /* a job with a mask wakes all workers: otherwise the ones that it may use could be missed */
        futex_wake(&pool->epoch, job->worker_mask ? INT_MAX : job->limit - 1 < WAKES ? (int)job->limit - 1 : WAKES);
}

static void withdraw(struct wl_pool *pool, struct wl_job_slot *slot) {
    wl_assert(atomic_load_explicit(&slot->state, memory_order_relaxed) & SLOT_TAKEN);
    close_slot(pool, slot);
    uint64_t start = wl_now(), state;
    while ((state = atomic_load_explicit(&slot->state, memory_order_acquire)) & INSIDE) {
        if (wl_now() - start < SPIN_NS)
            wl_relax();
        else if (state & SLOT_AWAITED)
            futex_wait(futex_of(slot), (uint32_t)state);
        else
            atomic_fetch_or_explicit(&slot->state, SLOT_AWAITED, memory_order_relaxed);
    }
    atomic_store_explicit(&slot->state, state >> 32 << 32, memory_order_release);
}

static void prepare(struct wl_job *job) {
    job->stand_in = job->worker_mask ? (unsigned)__builtin_ctzll(job->worker_mask) : 0;
    job->slot = NULL;
    job->parts = NULL;
    job->launcher = pthread_self();
    if (job->worker_mask && (unsigned)__builtin_popcountll(job->worker_mask) < job->limit)
        job->limit = (unsigned)__builtin_popcountll(job->worker_mask);
}

void wl_pool_together(struct wl_pool *pool, unsigned limit, uint64_t worker_mask, void (*body)(void *context), void *context) {
    struct wl_job job;
    memset(&job, 0, sizeof job);
    job.in_order = true;
    job.body = body;
    job.context = context;
    job.worker_mask = worker_mask;
    job.limit = limit < pool->count ? limit : pool->count;
    prepare(&job);
    if (job.limit > 1)
        submit(pool, &job);
    body(context);
    if (job.slot)
        withdraw(pool, job.slot);
}

enum wl_status wl_pool_run(struct wl_pool *pool, struct wl_job *job) {
    struct wl_thread *thread = wl_pool_thread(pool);
    if (!thread)
        return wl_fail(WL_OUT_OF_MEMORY, "no memory for a thread's state");
    wl_assert(own.thread == thread && !thread->job && !thread->running);
    wl_assert(job->limit > 0 && job->total > 0);
    prepare(job);
    own.thread = NULL; /* a job within this job must not use the same state */
    thread->index = job->stand_in;
    thread->launches = true;
    thread->part = 0;
    if (job->limit > 1 && job->total > 1)
        submit(pool, job);
    pool->run(job, thread);
    if (job->slot) {
        close_slot(pool, job->slot);
        atomic_store_explicit(&job->launcher_left, true, memory_order_release);
        cancel(pool, job, true);
        withdraw(pool, job->slot);
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
    memset(p, 0, offsetof(struct wl_pool, slots));
    for (unsigned i = 0; i < SLOTS; i++) /* the parts only when they are used */
        memset(&p->slots[i], 0, offsetof(struct wl_job_slot, parts));
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
    for (unsigned i = 0; i < SLOTS; i++)
        atomic_store(&pool->slots[i].state, 0);
    atomic_store(&pool->open, 0);
    atomic_store(&pool->sleeping, 0);
    atomic_store(&pool->ready, 0);
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
