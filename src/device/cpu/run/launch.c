#include "device/cpu/run/launch.h"
#include "base/assert.h"
#include "base/options.h"
#include "device/debugger.h"

#include "device/cpu/abi.h"
#include "device/cpu/code/tiers.h"
#include "device/cpu/code/units.h"
#include "device/cpu/debug/debug.h"
#include "device/cpu/fault/fault.h"
#include "device/cpu/memory.h"
#include "device/cpu/run/clusters.h"
#include "device/cpu/run/counters.h"
#include "device/cpu/run/dispatch.h"
#include "device/cpu/run/groups.h"
#include "device/cpu/run/parked.h"
#include "device/cpu/run/parts.h"
#include "device/cpu/run/sanitize.h"
#include "device/cpu/run/schedule.h"
#include "device/cpu/run/services.h"
#include "sanitize/allocations.h"

#include <stdlib.h>
#include <string.h>

#define INLINE_NS     5000  /* a launch that took less runs on the launching thread alone */
#define CHUNK_NS      40000 /* work that a thread takes at once */
#define SHARE_NS      1500  /* the least work that is worth another thread */
#define JOIN_NS       400   /* nanoseconds that a joining thread costs the other joining threads: all of them write to one cache line */
#define TIMED         8     /* one of so many launches on one thread is timed again */
#define SPLITS_SHARE  4     /* where more than one workgroup in so many is split, workgroup mode does not pay */
#define LOCAL_KERNARG 4096

enum wl_shape wl_cpu_launch_shape(const uint32_t block[3], const uint32_t remainder[3], uint32_t wave_size) {
    uint32_t widths = block[0] | remainder[0]; /* partial workgroups number their items by their own width */
    if (widths % WL_STRIP)
        return WL_SHAPE_ANY;
    if (widths % 32 == 0)
        return widths % wave_size == 0 ? WL_SHAPE_LINES : WL_SHAPE_HALVES;
    return widths == WL_STRIP ? WL_SHAPE_SQUARES : WL_SHAPE_ROWS;
}

enum wl_status wl_cpu_launch_prepare(struct wl_device_function *function, enum wl_shape shape, struct wl_cpu_unit **unit) {
    struct wl_cpu_unit *known = atomic_load_explicit(&function->units[shape], memory_order_acquire);
    wl_unit_code *code = NULL;
    uint32_t resume;
    if (known && atomic_load_explicit(&known->code[WL_MODE_FULL], memory_order_acquire)) {
        *unit = known;
        return WL_OK;
    }
    if (!known)
        known = wl_units_target(function->module, function->kernel->entry, shape, function->kernel->wave_size, &resume);
    if (!known)
        return wl_fail(WL_INVALID_IMAGE, "kernel %s has no code at its entry", function->kernel->name);
    enum wl_status status = wl_units_copy(function->module, known, WL_MODE_FULL, &code);
    if (status != WL_OK)
        return status;
    atomic_store_explicit(&function->units[shape], known, memory_order_release);
    *unit = known;
    return WL_OK;
}

uint32_t wl_cpu_occupancy(const struct wl_device_function *function, uint32_t items, size_t dynamic_lds) {
    enum { ITEMS_OF_UNIT = 2048 };
    uint64_t lds = function->kernel->lds_size + (uint64_t)dynamic_lds;
    wl_assert(items > 0 && items <= WL_MAX_WORKGROUP && lds <= WL_LDS_BYTES);
    uint32_t wave_size = function->kernel->wave_size, waves = (items + wave_size - 1) / wave_size;
    uint64_t by_items = ITEMS_OF_UNIT / (waves * wave_size), by_lds = lds ? function->lds_limit / lds : by_items;
    if (!by_lds) /* another processor is presented than the code is for, with more */
        by_lds = 1;
    return (uint32_t)(by_lds < by_items ? by_lds : by_items);
}

uint32_t wl_cpu_residents(const struct wl_job *job) {
    return wl_pool_size(job->device->pool) * wl_cpu_occupancy(job->function, job->whole.items, job->launch->dynamic_lds);
}

/* How many threads a grid of known cost is worth: each further thread takes a share of the work and delays the others a little. */
static unsigned worthwhile_threads(uint64_t nanoseconds, unsigned most) {
    uint64_t threads = nanoseconds / SHARE_NS;
    if (threads > most)
        threads = most;
    while (threads > 1 && threads * threads * JOIN_NS > nanoseconds)
        threads--;
    return threads ? (unsigned)threads : 1;
}

static bool is_threaded(const struct wl_job *job) {
    return job->unit->thunk && atomic_load(&job->unit->code[WL_MODE_FULL]) == wl_thunk_code(job->unit->thunk);
}

/* How many threads, and how much a thread takes at once. */
static void plan_work(struct wl_job *job) {
    uint32_t cost = atomic_load_explicit(&job->function->cost, memory_order_relaxed);
    unsigned workers = wl_pool_size(job->device->pool);
    job->timed = true;
    job->limit = workers < WL_MAX_PARTS ? workers : WL_MAX_PARTS;
    job->chunk = 1;
    if (job->debugged)
        job->limit = 1;
    if (job->clustered && job->limit > job->total / wl_cluster_workgroups(job->launch))
        job->limit = (unsigned)(job->total / wl_cluster_workgroups(job->launch));
    if (job->groups || job->clustered)
        return; /* all of them are resident, or all of a cluster */
    if (job->limit > job->total)
        job->limit = (unsigned)job->total;
    if (job->launch->alone || job->random)
        job->limit = 1;
    uint64_t work = cost && job->total > UINT64_MAX / cost ? UINT64_MAX : job->total * cost;
    if (cost && job->limit > 1)
        job->limit = work < INLINE_NS ? 1 : worthwhile_threads(work, job->limit);
    if (job->limit == 1 && cost && !is_threaded(job)) { /* two looks at the clock are a third of a small launch */
        uint32_t launches = atomic_load_explicit(&job->function->launches, memory_order_relaxed);
        atomic_store_explicit(&job->function->launches, launches + 1, memory_order_relaxed);
        job->timed = launches % TIMED == 0;
    }
    if (job->limit == 1) {
        job->in_order = true;
        job->chunk = job->total;
        return;
    }
    uint64_t chunk = cost ? CHUNK_NS / cost : 1, share = job->total / ((uint64_t)job->limit * 8);
    if (job->in_order && cost > 500)
        chunk = 1; /* long runs would make later workgroups wait in turn */
    if (job->in_order && chunk > share)
        chunk = share;
    job->chunk = chunk ? chunk : 1;
}

/* The clusters of a cooperative launch, whose workgroups are fitted. */
static enum wl_status make_clusters(struct wl_job *job) {
    const uint32_t size = wl_cluster_workgroups(job->launch);
    job->resident_clusters = calloc(job->total / size, sizeof *job->resident_clusters);
    if (!job->resident_clusters)
        return wl_fail(WL_OUT_OF_MEMORY, "no memory for %llu clusters of workgroups", (unsigned long long)(job->total / size));
    for (uint64_t i = 0; i < job->total / size; i++)
        wl_cluster_begin(&job->resident_clusters[i], size);
    for (uint64_t i = 0; i < job->total; i++) {
        uint32_t id[3];
        wl_group_id(job->launch, i, id);
        wl_cluster_join(&job->groups[i], &job->resident_clusters[wl_cluster_number(job->launch, id)], wl_cluster_rank(job->launch, id));
    }
    return WL_OK;
}

static enum wl_status make_groups(struct wl_job *job) {
    job->may_wait = job->in_order = true;
    job->groups = calloc(job->total, sizeof *job->groups);
    if (!job->groups)
        return wl_fail(WL_OUT_OF_MEMORY, "no memory for %llu resident workgroups", (unsigned long long)job->total);
    for (uint64_t i = 0; i < job->total; i++) {
        enum wl_status status = wl_dispatch_fit(job, &job->groups[i]);
        if (status != WL_OK)
            return status;
    }
    return job->clustered ? make_clusters(job) : WL_OK;
}

static void release_groups(struct wl_job *job) {
    wl_clusters_release(job);
    free(job->resident_clusters);
    for (uint64_t i = 0; job->groups && i < job->total; i++)
        wl_group_release(&job->groups[i]);
    free(job->groups);
}

static enum wl_status make_print_buffer(void **buffer) {
    *buffer = wl_pages_allocate(WL_PRINT_BUFFER, 4096);
    if (!*buffer)
        return wl_fail(WL_OUT_OF_MEMORY, "no memory for what a kernel prints");
    wl_print_buffer_init(*buffer);
    wl_san_allocated((uint64_t)(uintptr_t)*buffer, WL_PRINT_BUFFER, WL_SAN_SYSTEM, NULL, NULL);
    return WL_OK;
}

static enum wl_status run_job(struct wl_job *job, struct wl_launch_memory *memory) {
    const struct wl_device_function *f = job->function;
    struct wl_hostcall *hostcall = NULL;
    void *print_buffer = NULL;
    struct wl_services services = {NULL, NULL, NULL};
    struct wl_san_launch watched;
    enum wl_status status = WL_OK;
    const bool own = job->launch->packet; /* whoever writes the kernarg segment serves what it points to */
    const size_t kernarg_size = own ? 0 : wl_kernarg_size(f->kernel, job->launch); /* that the runtime wrote */
    if (f->uses_hostcall && !own)
        status = wl_services_hostcall(job->device, &hostcall);
    if (status == WL_OK && f->uses_heap && !own)
        status = wl_services_heap(job->device, &services.heap);
    if (status == WL_OK && f->uses_print_buffer && !own)
        status = make_print_buffer(&print_buffer);
    if (status != WL_OK)
        return status;
    services.hostcall = hostcall ? wl_hostcall_buffer(hostcall) : NULL;
    services.print_buffer = print_buffer;
    wl_abi_launch(memory, job, &services);
    wl_abi_sgprs(job, memory);
    if (wl_san_tools())
        wl_sanitize_begin(job, &watched, memory, kernarg_size);
    if (job->counts)
        wl_counters_launch(job);
    if (job->launch->cooperative)
        status = make_groups(job);
    if (job->may_wait)
        job->parked = (struct wl_parked_groups){.lock = PTHREAD_MUTEX_INITIALIZER};
    uint64_t *order = NULL;
    if (status == WL_OK && job->random && !job->in_order && !job->clustered && !job->groups)
        status = wl_schedule_order(job, &order);
    const bool began_threaded = is_threaded(job);
    if (status == WL_OK) {
        plan_work(job);
        status = wl_pool_run(job->device->pool, job);
        if (status != WL_OK && job->failure->text[0])
            wl_fail(status, "%s", job->failure->text);
        if (status == WL_OK && job->launch->multigrid && atomic_load(&job->groups_done) < job->total)
            status = wl_fail(WL_ABORTED, "kernel %s: another grid of the multi-device launch failed", f->kernel->name);
    }
    free(order);
    release_groups(job);
    if (job->may_wait)
        wl_parked_release(job);
    if (job->sanitized)
        wl_sanitize_end(job, memory, kernarg_size);
    if (atomic_load_explicit(&job->splits, memory_order_relaxed) > job->total / SPLITS_SHARE)
        atomic_store(&atomic_load(&job->workgroup_unit)->workgroup_mode_off, true);
    if (hostcall)
        wl_hostcall_flush(hostcall);
    if (print_buffer) {
        wl_print_buffer_flush(f->module->object, print_buffer);
        wl_san_forgotten((uint64_t)(uintptr_t)print_buffer, WL_PRINT_BUFFER);
        wl_pages_release(print_buffer, WL_PRINT_BUFFER);
    }
    if (job->launch->outcome) {
        job->launch->outcome->threaded = is_threaded(job);
        job->launch->outcome->threads = job->limit;
        job->launch->outcome->busy = job->timed ? atomic_load_explicit(&job->busy_ns, memory_order_relaxed) : 0;
    }
    if (status == WL_OK && job->timed) {
        uint64_t cost = atomic_load_explicit(&job->busy_ns, memory_order_relaxed) / job->total;
        if (is_threaded(job) || (!began_threaded && wl_tiers_wait_for_hotness(job->unit)))
            wl_tiers_add_hotness(job->unit, atomic_load_explicit(&job->busy_ns, memory_order_relaxed));
        atomic_store_explicit(&job->function->cost, cost < 1 ? 1 : cost > UINT32_MAX ? UINT32_MAX : (uint32_t)cost, memory_order_relaxed);
    }
    return status;
}

/* Clears by calling memset: compilers clear structures of such sizes with an instruction that takes 20 ns to begin. */
static void clear(void *memory, size_t size) {
    __asm__("" : "+r"(size));
    memset(memory, 0, size);
}

/* Whether this launch may use the kernel's code in workgroup mode. */
static bool fits_workgroup_mode(const struct wl_job *job) {
    uint32_t items = job->whole.items;
    return job->may_wait && !job->partial && !job->launch->cooperative && !job->scratch_size && job->function->abi.group_info < 0 &&
           job->whole.waves >= 2 && items % job->wave_size == 0 && items <= WL_MAX_WORKGROUP_ITEMS;
}

static void init_job(struct wl_job *job, struct wl_job_failure *failure, struct wl_cpu_device *device, const struct wl_launch *launch,
                     struct wl_cpu_unit *unit, enum wl_shape shape) {
    struct wl_device_function *f = launch->function;
    clear(job, sizeof *job);
    job->failure = failure;
    failure->text[0] = 0;
    job->device = device;
    job->launch = launch;
    job->function = f;
    job->unit = unit;
    job->shape = shape;
    const struct wl_unit_info *info = atomic_load(&unit->info[WL_MODE_FULL]);
    job->may_wait = info->may_wait;
    job->in_order = info->may_wait & WL_POLLS;
    job->rows = info->rows > f->rows ? info->rows : f->rows;
    job->wave_size = f->kernel->wave_size;
    memcpy(job->whole.size, launch->block, sizeof job->whole.size);
    wl_dispatch_measure(&job->whole, job->wave_size);
    wl_assert(job->whole.items > 0 && job->whole.items <= WL_MAX_WORKGROUP);
    job->partial = launch->remainder[0] || launch->remainder[1] || launch->remainder[2];
    job->keeps_wave = info->keeps_wave && !job->may_wait && !job->partial;
    job->lds_size = f->kernel->lds_size + launch->dynamic_lds;
    uint32_t stack = f->calls ? atomic_load_explicit(&device->stack_size, memory_order_relaxed) : 0;
    job->scratch_size = stack > f->scratch_size ? stack : f->scratch_size;
    job->total = (uint64_t)launch->grid[0] * launch->grid[1] * launch->grid[2];
    if (launch->order && !launch->cooperative && wl_cluster_workgroups(launch) <= 1) {
        job->order = launch->order;
        job->total = launch->order_count;
    }
    wl_assert(job->total > 0 && job->lds_size <= WL_LDS_BYTES);
    job->worker_mask = launch->worker_mask;
    job->tries = info->may_wait & WL_SPINS; /* such kernels have no barriers, which workgroup mode is for */
    job->keeps_trying = info->keeps_wave && !job->partial;
    job->fits_workgroup_mode = fits_workgroup_mode(job);
    job->clustered = wl_cluster_workgroups(launch) > 1;
    job->follows_waves = wl_san_tools() & ~(unsigned)WL_SANITIZE_MEMCHECK;
    job->counts = wl_counters_on();
    if (job->counts) /* waves are counted one by one */
        job->fits_workgroup_mode = false;
    if (job->clustered)
        job->in_order = true;
    job->debugged = wl_debugger && wl_debug_launch_stops(f->module);
    if (wl_options()->random_schedule)
        job->random = wl_schedule_begin();
    if (job->clustered || job->follows_waves || job->debugged || job->random) { /* each wave has a state of its own, and waves take turns */
        job->may_wait = true;
        job->keeps_wave = job->tries = job->keeps_trying = job->fits_workgroup_mode = false;
    }
}

enum wl_status wl_cpu_launch(struct wl_cpu_device *device, const struct wl_launch *launch) {
    struct wl_device_function *f = launch->function;
    enum wl_shape shape = wl_cpu_launch_shape(launch->block, launch->remainder, f->kernel->wave_size);
    struct wl_cpu_unit *unit = NULL;
    enum wl_status status = wl_cpu_launch_prepare(f, shape, &unit);
    if (status != WL_OK || (f->empty && !wl_counters_on()))
        return status;

    struct wl_job job;
    struct wl_job_failure failure;
    struct wl_launch_memory memory;
    _Alignas(64) uint8_t local[LOCAL_KERNARG];
    size_t size = launch->packet ? 0 : wl_kernarg_size(f->kernel, launch);
    void *large = NULL;
    if (size > sizeof local && !(large = aligned_alloc(64, (size + 63) / 64 * 64)))
        return wl_fail(WL_OUT_OF_MEMORY, "no memory for %zu bytes of kernel arguments", size);
    memory.kernarg = launch->packet ? (void *)(uintptr_t)launch->kernarg : large ? large : local;
    init_job(&job, &failure, device, launch, unit, shape);
    if (!launch->batched)
        wl_fault_install();
    status = run_job(&job, &memory);
    if (job.debugged)
        wl_debug_forget();
    wl_gws_destroy(atomic_load(&job.gws));
    free(large);
    return status;
}
