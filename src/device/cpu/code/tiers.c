#include "device/cpu/code/tiers.h"
#include "base/assert.h"
#include "base/clock.h"
#include "device/cpu/code/units.h"
#include "device/cpu/helpers/helpers.h"
#include "device/cpu/run/workers.h"
#include "device/debugger.h"
#include "device/translator.h"
#include "machine/helpers.h"

#include <malloc.h>
#include <signal.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#define FINISH_NS         UINT64_C(1000000000)  /* time to make, at the end of the process, what an earlier process had missed as well */
#define PATIENCE_NS       UINT64_C(10000000000) /* on a busy machine the process's end waits so much longer for such code */
#define GRACE_NS          UINT64_C(5000000)     /* time at the end of the process if no earlier process has missed any of it */
#define HEAD_START_NS     UINT64_C(3000000)     /* of the kernel that is launched first, before LLVM is opened: both would fault in pages */
#define INSTRUCTION_NS    UINT64_C(300000)      /* native code takes LLVM about so long for each instruction */
#define LARGE_NS          UINT64_C(2000000000)
#define SHARED_NS         UINT64_C(100000000)    /* code that takes so long is made by one process for all that want it at the same time: */
#define AGAIN_NS          UINT64_C(50000000)     /* the others look again after this, */
#define ALONE_NS          UINT64_C(120000000000) /* and make it themselves after this */
#define TRIM_NS           UINT64_C(500000000)    /* LLVM leaves tens of MiB of free memory behind code that takes so long */
#define MEET_NS           UINT64_C(10000000) /* at the end of the process: when threads that stand have waited so long for the others, */
#define STEP_NS           UINT64_C(1000000)  /* they go on for so long, and then for twice as long each time */
#define MAX_THREADS       4
#define CPUS_FOR_ONE      2                   /* CPUs for each thread */
#define TRANSLATION_STACK (UINT64_C(8) << 20) /* LLVM recurses */

struct job {
    struct job *next;
    struct wl_device_module *module;
    struct wl_cpu_unit *unit;
    enum wl_mode mode;
    bool loops;
    void (*release)(struct wl_device_module *module); /* the module is gone but for this job */
    uint64_t begin, later;                            /* when it was begun first, 0: not yet; before which it is not begun again */
    bool missed;                                      /* at the process's end: an earlier process had ended before it was made, too */
};

static struct {
    pthread_mutex_t lock;
    pthread_cond_t changed;     /* a thread finished a job, or ended; or `finishing` */
    struct job *waiting, *made; /* jobs that no thread has begun; jobs whose code is being made now */
    struct {
        pthread_t id;
        enum { NONE, RUNS, STANDS, ENDED, KEPT } state; /* STANDS: it waits to be kept; ENDED: to be joined; KEPT: it never goes on */
    } threads[MAX_THREADS];
    uint64_t begin; /* before which no thread begins its first job; 0: nothing was asked for yet */
    bool finishing;
    uint64_t deadline; /* with `finishing`: no job is begun any more */
    bool stopping;     /* with `finishing`: what is being made is not waited for any more */
    uint64_t going;    /* with `stopping`: until then threads go on, for the sake of those that wait for something that they hold */
    bool keeping;      /* with `stopping`: no thread runs, and those that stand are kept */
} tiers = {.lock = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER};

static void unlink_job(struct job **list, struct job *job) {
    wl_assert_held(&tiers.lock);
    while (*list != job)
        list = &(*list)->next;
    *list = job->next;
}

static uint64_t hotness_of(const struct job *job) { return atomic_load_explicit(&job->unit->hotness, memory_order_relaxed); }

/* How long LLVM takes for the job, about, in ns. Code for loops may be asked for before the unit has any code of the mode: then the instructions of its code
 * for full waves are counted. */
static uint64_t cost_of(const struct job *job) {
    const struct wl_unit_info *info = job->mode == WL_MODE_WORKGROUP ? NULL : atomic_load(&job->unit->info[job->mode]);
    if (!info)
        info = atomic_load(&job->unit->info[WL_MODE_FULL]);
    return info ? info->instructions * INSTRUCTION_NS : 0;
}

/* A copy of a unit that takes LLVM seconds is made only when it has shown to be worth it: the process would have to wait for it at its end,
 * and the other copy may be the one that all waves run. */
static bool is_worth_it(const struct job *job) {
    enum { SHARE = 2 };
    return job->loops || cost_of(job) < LARGE_NS || hotness_of(job) > cost_of(job) / SHARE;
}

/* Chooses what is made next: first code for loops that some wave is in, then units in which most time was spent, then what was asked for
 * first. */
static struct job *choose(void) {
    wl_assert_held(&tiers.lock);
    struct job *best = NULL;
    for (struct job *job = tiers.waiting; job; job = job->next) {
        bool fits = !tiers.finishing ? job->later <= wl_now() : job->missed && wl_now() + cost_of(job) < tiers.deadline;
        if (fits && is_worth_it(job) && !(tiers.finishing && job->loops) &&
            (!best || job->loops > best->loops || (job->loops == best->loops && hotness_of(job) > hotness_of(best))))
            best = job;
    }
    return best;
}

/* What the calling thread makes; NULL: it is none of ours. */
static _Thread_local struct {
    struct job *job;
    unsigned slot;
} own;

/* Called by the translator in places where a thread can be kept for ever when the process ends. What the thread was making is forgotten:
 * modules and code objects may go, and forks may happen, while the thread stays here. */
static void keep_thread(void) {
    struct job *job = own.job;
    if (!job)
        return;
    pthread_mutex_lock(&tiers.lock);
    if (!tiers.stopping || wl_now() < tiers.going || (job->missed && wl_now() < tiers.deadline + PATIENCE_NS)) {
        pthread_mutex_unlock(&tiers.lock);
        return;
    }
    tiers.threads[own.slot].state = STANDS;
    pthread_cond_broadcast(&tiers.changed);
    while (!tiers.keeping && tiers.threads[own.slot].state == STANDS)
        pthread_cond_wait(&tiers.changed, &tiers.lock);
    if (!tiers.keeping) {
        pthread_mutex_unlock(&tiers.lock);
        return;
    }
    own.job = NULL;
    unlink_job(&tiers.made, job);
    free(job);
    tiers.threads[own.slot].state = KEPT;
    pthread_cond_broadcast(&tiers.changed);
    pthread_mutex_unlock(&tiers.lock);
    wl_translation_end();
    for (;;)
        pause();
}

/* Lets the first launch run alone for a while, unless the process ends. The lock is held. */
static void give_head_start(void) {
    wl_assert_held(&tiers.lock);
    const struct timespec t = {(time_t)(tiers.begin / 1000000000u), (long)(tiers.begin % 1000000000u)};
    while (!tiers.finishing && wl_now() < tiers.begin && pthread_cond_clockwait(&tiers.changed, &tiers.lock, CLOCK_MONOTONIC, &t) == 0)
        ;
}

static bool is_made(const struct wl_device_module *module) {
    wl_assert_held(&tiers.lock);
    for (const struct job *job = tiers.made; job; job = job->next)
        if (job->module == module)
            return true;
    return false;
}

/* Another process makes the job's code: the job, which is one of those that are made, waits to be looked at again. False: its module is gone. */
static bool put_off(struct job *job) {
    wl_assert_held(&tiers.lock);
    if (job->release)
        return false;
    unlink_job(&tiers.made, job);
    job->later = wl_now() + AGAIN_NS;
    job->next = tiers.waiting;
    tiers.waiting = job;
    return true;
}

/* The next job, or NULL: there is none. Waits for those that are put off. *cost: of the code that was made since the last malloc_trim. */
static struct job *next_job(uint64_t *cost) {
    wl_assert_held(&tiers.lock);
    struct job *job;
    while (!(job = choose()) && !tiers.finishing) {
        uint64_t later = 0;
        if (*cost >= TRIM_NS) {
            *cost = 0;
            pthread_mutex_unlock(&tiers.lock);
            malloc_trim(0);
            pthread_mutex_lock(&tiers.lock);
            continue;
        }
        for (const struct job *waiting = tiers.waiting; waiting; waiting = waiting->next)
            if (waiting->later && (!later || waiting->later < later))
                later = waiting->later;
        if (!later)
            return NULL;
        const struct timespec t = {(time_t)(later / 1000000000u), (long)(later % 1000000000u)};
        (void)pthread_cond_clockwait(&tiers.changed, &tiers.lock, CLOCK_MONOTONIC, &t);
    }
    return job;
}

static void *run(void *slot) {
    own.slot = (unsigned)(uintptr_t)slot;
    wl_float_enter(0xf0); /* the starting thread may have been in the middle of a kernel */
    pthread_mutex_lock(&tiers.lock);
    give_head_start();
    uint64_t cost = 0;
    for (struct job *job; (job = next_job(&cost));) {
        unlink_job(&tiers.waiting, job);
        job->next = tiers.made;
        tiers.made = job;
        pthread_mutex_unlock(&tiers.lock);
        wl_assert_not_held(&job->module->lock);
        own.job = job;
        if (!job->begin)
            job->begin = wl_now();
        const uint64_t takes = cost_of(job);
        const bool yields = takes >= SHARED_NS && !job->missed && wl_now() - job->begin < ALONE_NS;
        const bool made = wl_units_promote(job->module, job->unit, job->mode, job->loops, yields);
        cost += made ? takes : 0;
        if (made && !job->loops && takes >= LARGE_NS)
            atomic_store_explicit(&job->unit->hotness, 0, memory_order_relaxed); /* the next copy has to show it again */
        own.job = NULL;
        pthread_mutex_lock(&tiers.lock);
        if (!made && put_off(job))
            continue;
        if (job->missed) {
            pthread_mutex_unlock(&tiers.lock);
            wl_units_forget_missed(job->module, job->unit, job->mode);
            pthread_mutex_lock(&tiers.lock);
        }
        unlink_job(&tiers.made, job);
        if (job->release && !is_made(job->module)) {
            pthread_mutex_unlock(&tiers.lock);
            wl_translation_begin(); /* no fork in the middle */
            job->release(job->module);
            wl_translation_end();
            pthread_mutex_lock(&tiers.lock);
        }
        free(job);
        pthread_cond_broadcast(&tiers.changed);
    }
    wl_assert(tiers.threads[own.slot].state == RUNS && !own.job);
    tiers.threads[own.slot].state = ENDED;
    pthread_cond_broadcast(&tiers.changed);
    pthread_mutex_unlock(&tiers.lock);
    return NULL;
}

/* Under the lock: such a thread does not take it any more. */
static void join(unsigned slot) {
    wl_assert_held(&tiers.lock);
    wl_assert(tiers.threads[slot].state == NONE || tiers.threads[slot].state == ENDED);
    if (tiers.threads[slot].state == ENDED)
        pthread_join(tiers.threads[slot].id, NULL);
    tiers.threads[slot].state = NONE;
}

/* Under the lock. Signals are for the program's own threads. */
static void start_thread(void) {
    wl_assert_held(&tiers.lock);
    unsigned most = wl_allowed_cpus() / CPUS_FOR_ONE, slot = 0;
    sigset_t all, before;
    pthread_attr_t attributes;
    most = most < 1 ? 1 : most > MAX_THREADS ? MAX_THREADS : most;
    while (slot < most && tiers.threads[slot].state != NONE && tiers.threads[slot].state != ENDED)
        slot++;
    if (slot == most)
        return;
    join(slot);
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, TRANSLATION_STACK);
    if (pthread_create(&tiers.threads[slot].id, &attributes, run, (void *)(uintptr_t)slot) == 0) /* else: the next request tries again */
        tiers.threads[slot].state = RUNS;
    pthread_attr_destroy(&attributes);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

/* A debugger takes long to read a library. Kernels do not run meanwhile, and no watchpoint of the debugger misses what they do. */
static void open_translator_for_debugger(void) {
    const struct wl_translator *translator = NULL;
    if (wl_debugger)
        (void)wl_translator_use(&translator);
}

void wl_tiers_request(struct wl_device_module *module, struct wl_cpu_unit *unit, enum wl_mode mode, bool loops) {
    open_translator_for_debugger();
    pthread_mutex_lock(&tiers.lock);
    bool *asked = &unit->asked[loops][mode];
    struct job *job = *asked || tiers.finishing ? NULL : calloc(1, sizeof *job);
    if (job) {
        struct job **end = &tiers.waiting;
        *asked = true;
        *job = (struct job){.module = module, .unit = unit, .mode = mode, .loops = loops};
        while (*end)
            end = &(*end)->next;
        *end = job;
        if (!tiers.begin)
            tiers.begin = wl_now() + HEAD_START_NS;
        start_thread();
    }
    pthread_mutex_unlock(&tiers.lock);
}

static bool is_large(const struct wl_cpu_unit *unit) {
    return unit->steps_info && unit->steps_info->instructions * INSTRUCTION_NS >= LARGE_NS;
}

bool wl_tiers_wait_for_hotness(const struct wl_cpu_unit *unit) {
    const struct wl_thunk *thunk = unit->thunk;
    return thunk && is_large(unit) && atomic_load(&unit->code[WL_MODE_MASKED]) == wl_thunk_code(thunk);
}

void wl_tiers_add_hotness(struct wl_cpu_unit *unit, uint64_t nanoseconds) {
    atomic_fetch_add_explicit(&unit->hotness, nanoseconds, memory_order_relaxed);
    if (!is_large(unit))
        return;
    pthread_mutex_lock(&tiers.lock);
    if (!tiers.finishing && choose())
        start_thread();
    pthread_mutex_unlock(&tiers.lock);
}

bool wl_tiers_forget(const struct wl_device_module *module, void (*release)(struct wl_device_module *module)) {
    pthread_mutex_lock(&tiers.lock);
    for (struct job **at = &tiers.waiting; *at;) {
        struct job *job = *at;
        if (job->module != module) {
            at = &job->next;
            continue;
        }
        *at = job->next;
        free(job);
    }
    for (struct job *job = tiers.made; job; job = job->next)
        if (job->module == module)
            job->release = release;
    const bool idle = !is_made(module);
    pthread_mutex_unlock(&tiers.lock);
    return idle;
}

/* Notes in the cache what this process leaves unmade; returns whether an earlier process had noted some of it. The lock is held. */
static bool note_missed(void) {
    wl_assert_held(&tiers.lock);
    struct job *const lists[] = {tiers.waiting, tiers.made};
    bool again = false;
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        for (struct job *job = lists[i]; job; job = job->next) {
            if (job->loops || cost_of(job) >= FINISH_NS)
                continue;
            job->missed = wl_units_was_missed(job->module, job->unit, job->mode);
            if (!job->missed)
                wl_units_note_missed(job->module, job->unit, job->mode);
            again |= job->missed;
        }
    return again;
}

static bool anybody_runs(void) {
    wl_assert_held(&tiers.lock);
    for (unsigned slot = 0; slot < MAX_THREADS; slot++)
        if (tiers.threads[slot].state == RUNS)
            return true;
    return false;
}

/* Waits until no thread runs, but not beyond `deadline` (0: there is none). Returns whether none does. The lock is held. */
static bool wait_for_threads(uint64_t deadline) {
    struct timespec t = {(time_t)(deadline / 1000000000u), (long)(deadline % 1000000000u)};
    while (anybody_runs())
        if (!deadline)
            pthread_cond_wait(&tiers.changed, &tiers.lock);
        else if (pthread_cond_clockwait(&tiers.changed, &tiers.lock, CLOCK_MONOTONIC, &t) != 0)
            return !anybody_runs();
    return true;
}

/* Keeps all threads for ever. None is kept while another one runs: LLVM makes some of its objects once, and allocates memory meanwhile, so that
 * a thread that stands there may hold what another one waits for. If some do not come, those that stand go on for a while. */
static void keep_threads(void) {
    wl_assert_held(&tiers.lock);
    for (uint64_t step = STEP_NS; !wait_for_threads(wl_now() + step + MEET_NS); step *= 2) {
        tiers.going = wl_now() + step;
        for (unsigned slot = 0; slot < MAX_THREADS; slot++)
            if (tiers.threads[slot].state == STANDS)
                tiers.threads[slot].state = RUNS;
        pthread_cond_broadcast(&tiers.changed);
    }
    tiers.keeping = true;
    pthread_cond_broadcast(&tiers.changed);
    for (unsigned slot = 0; slot < MAX_THREADS; slot++)
        while (tiers.threads[slot].state == STANDS)
            pthread_cond_wait(&tiers.changed, &tiers.lock);
}

void wl_tiers_finish(void) {
    const struct wl_translator *translator = NULL;
    pthread_mutex_lock(&tiers.lock);
    bool started = anybody_runs();
    tiers.finishing = true;
    const bool again = started && !tiers.stopping && note_missed();
    pthread_cond_broadcast(&tiers.changed);
    if (started && !tiers.stopping && !again && !tiers.made) { /* nothing was begun: LLVM stays closed */
        (void)wait_for_threads(0);
    } else if (started && !tiers.stopping && wl_translator_use(&translator) == WL_OK) {
        tiers.deadline = wl_now() + (again ? FINISH_NS : GRACE_NS);
        (void)wait_for_threads(tiers.deadline);
        tiers.stopping = true;
        translator->pause_with(keep_thread);
        keep_threads();
    }
    for (unsigned slot = 0; slot < MAX_THREADS; slot++)
        if (tiers.threads[slot].state == ENDED)
            join(slot);
    pthread_mutex_unlock(&tiers.lock);
}

void wl_tiers_before_fork(void) { pthread_mutex_lock(&tiers.lock); }

void wl_tiers_after_fork(bool child) {
    if (child) {
        while (tiers.made) { /* what the parent's threads were at is to be made again */
            struct job *job = tiers.made;
            tiers.made = job->next;
            if (job->release) { /* nobody wants it any more */
                free(job);
                continue;
            }
            job->next = tiers.waiting;
            tiers.waiting = job;
        }
        for (unsigned slot = 0; slot < MAX_THREADS; slot++)
            tiers.threads[slot].state = NONE;
        pthread_cond_init(&tiers.changed, NULL);
    }
    pthread_mutex_unlock(&tiers.lock);
}
