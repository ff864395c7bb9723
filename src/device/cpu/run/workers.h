/* The pool of threads that run kernels, and the jobs that they share.
 *
 * A launching thread submits its job, takes part in it, and waits until the other threads have left it. Workers are started with the
 * first job that can use them. After a job a worker looks for the next one for a short while, and then sleeps in the kernel. */
#ifndef WL_DEVICE_CPU_RUN_WORKERS_H
#define WL_DEVICE_CPU_RUN_WORKERS_H

#include "device/cpu/cpu.h"

/* Runs chunks of a job until none is left, in any participating thread. */
typedef void wl_job_run(struct wl_job *job, struct wl_thread *thread);

/* A pool of `count` workers, the launching thread counted as one of them. */
enum wl_status wl_pool_create(struct wl_pool **pool, unsigned count, wl_job_run *run);
/* Stops and joins the threads. No job may be running. */
void wl_pool_destroy(struct wl_pool *pool);
unsigned wl_pool_size(const struct wl_pool *pool);
/* In the child of a fork: jobs and threads were the parent's; new ones are started when they are needed. */
void wl_pool_after_fork(struct wl_pool *pool);

/* The calling thread's state, made on first use and returned to the pool when the thread ends. NULL: no memory. */
struct wl_thread *wl_pool_thread(struct wl_pool *pool);

/* Runs a job on the calling thread and up to job->limit - 1 others; returns when all have left it. Nested jobs (a host
 * function called from a kernel that launches) get a fresh thread state. Thread-safe. */
enum wl_status wl_pool_run(struct wl_pool *pool, struct wl_job *job);

/* Whether a job other than this one could use the worker. Thread-safe. */
bool wl_pool_wants(struct wl_pool *pool, unsigned worker, const struct wl_job *job);

/* Calls body(context) on the calling thread and, at the same time, on up to limit - 1 others, as many as are free; returns when all have
 * returned. worker_mask as in struct wl_job. Jobs may be run within. Thread-safe. */
void wl_pool_together(struct wl_pool *pool, unsigned limit, uint64_t worker_mask, void (*body)(void *context), void *context);

/* CPUs that this process may use: affinity and cgroup quota, at least 1. */
unsigned wl_allowed_cpus(void);
/* Bytes of memory that it may use: the machine's, or what its cgroup allows. */
uint64_t wl_allowed_memory(void);
/* Bytes of it that nobody uses: by the machine, the cgroup, and the process's limits. */
uint64_t wl_available_memory(void);

#endif
