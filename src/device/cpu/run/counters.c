#include "device/cpu/run/counters.h"

#include "base/table.h"
#include "device/cpu/fault/fault.h"
#include "device/cpu/run/dispatch.h"
#include "machine/counters.h"
#include "sanitize/allocations.h"
#include "trace/trace.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* ---- threads ----------------------------------------------------------------------------------- */

static struct {
    pthread_once_t once;
    pthread_key_t key;
    bool on, tells;       /* tells: a function of the process is told of each launch's counts */
    pthread_mutex_t lock; /* guards the members below, and the counts of launches */
    struct wl_thread_counters *spare;
    struct wl_table told; /* basic blocks whose instructions are in the run */
} all = {.once = PTHREAD_ONCE_INIT, .lock = PTHREAD_MUTEX_INITIALIZER};

static _Thread_local struct wl_thread_counters *own;

static void leave(void *counters) {
    own = NULL;
    pthread_mutex_lock(&all.lock);
    ((struct wl_thread_counters *)counters)->next = all.spare;
    all.spare = counters;
    pthread_mutex_unlock(&all.lock);
}

static void before_fork(void) { pthread_mutex_lock(&all.lock); }
static void after_fork(void) { pthread_mutex_unlock(&all.lock); }

/* The parent's records are the parent's. */
static void after_fork_in_child(void) {
    own = NULL;
    all.spare = NULL;
    (void)pthread_setspecific(all.key, NULL);
    pthread_mutex_init(&all.lock, NULL);
}

static void start(void) {
    all.tells = wl_trace_counting(!wl_san_tools());
    all.on = ((wl_trace_begin() && wl_trace_counts()) || all.tells) && !wl_san_tools() && pthread_key_create(&all.key, leave) == 0;
    if (all.on)
        (void)pthread_atfork(before_fork, after_fork, after_fork_in_child);
}

bool wl_counters_on(void) {
    pthread_once(&all.once, start);
    return all.on;
}

static struct wl_thread_counters *make_own(void) {
    pthread_mutex_lock(&all.lock);
    struct wl_thread_counters *made = all.spare;
    if (made)
        all.spare = made->next;
    pthread_mutex_unlock(&all.lock);
    if (!made && !(made = calloc(1, sizeof *made)))
        return NULL;
    if (pthread_setspecific(all.key, made) != 0) {
        leave(made);
        return NULL;
    }
    return own = made;
}

struct wl_thread_counters *wl_thread_counters(void) {
    if (!wl_trace_runs() && !all.tells)
        return NULL;
    return own ? own : make_own();
}

/* ---- records ----------------------------------------------------------------------------------- */

/* Stands for a code object in the run. */
static uint32_t code_of(const struct wl_job *job) {
    const uint64_t hash = job->function->module->hash[0];
    return (uint32_t)(hash ^ hash >> 32);
}

struct wl_trace_record *wl_counters_record(const struct wl_job *job, uint64_t address, struct wl_trace_record *sink) {
    const uint32_t name = wl_trace_runs() ? wl_trace_name(job->function->kernel->name) : 0;
    struct wl_trace_record *record = wl_trace_runs() ? wl_trace_keep() : NULL;
    if (!record)
        record = sink;
    record->name = name;
    record->begin = address;
    record->stream = code_of(job);
    return record;
}

/* ---- basic blocks ------------------------------------------------------------------------------ */

struct block_counter {
    uint64_t function;
    uint64_t address;
    uint32_t count, changes;
    struct wl_trace_record *record, sink;
    struct wl_trace_record before; /* as in struct wl_access_counter */
    struct block_counter *next_touched;
    const struct wl_count_block *code; /* of the present job, if it is touched; else NULL */
};

static void tell_instruction(const struct wl_job *job, const struct wl_count_block *block, const struct wl_count_inst *inst) {
    char line[512];
    const uint64_t address = block->address + inst->offset;
    const bool known = wl_codeobject_source_line(job->function->module->object, address, line, sizeof line);
    const uint32_t name = known ? wl_trace_name(line) : 0;
    struct wl_trace_record *record = wl_trace_take();
    if (!record)
        return;
    record->name = name;
    record->begin = block->address;
    record->end = address;
    record->stream = code_of(job);
    record->instruction.unit = inst->unit;
    record->instruction.operation = inst->operation;
    record->instruction.type = inst->type;
    record->instruction.flat = inst->flat;
    record->instruction.second = inst->second;
    record->instruction.flops = inst->flops;
    wl_trace_put(record, WL_TRACE_INSTRUCTION);
}

/* Tells of a basic block's instructions, if the process has not done so. Blocks of one address differ where another unit has an entry in
 * one: the instructions that the longer one has in addition are told with it. */
static void tell_instructions(const struct wl_job *job, const struct wl_count_block *block) {
    const uint64_t key = block->address * 0x9e3779b97f4a7c15u ^ code_of(job) ^ (uint64_t)block->count << 32;
    pthread_mutex_lock(&all.lock);
    const bool news = wl_trace_runs() && !wl_table_find(&all.told, key) && wl_table_add(&all.told, key, &all);
    pthread_mutex_unlock(&all.lock);
    for (uint32_t i = 0; news && i < block->count; i++)
        tell_instruction(job, block, &block->inst[i]);
}

static struct block_counter *find_block(struct wl_thread_counters *counters, const struct wl_job *job, const struct wl_count_block *block) {
    const uint64_t key = block->address * 0x9e3779b97f4a7c15u ^ job->function->id;
    struct block_counter *found;
    size_t at = 0;
    while ((found = wl_table_next(&counters->blocks, key, &at)))
        if (found->function == job->function->id && found->address == block->address && found->count == block->count)
            return found;
    if (!(found = wl_table_make(&counters->blocks, key, sizeof *found)))
        return NULL;
    found->function = job->function->id;
    found->address = block->address;
    found->count = block->count;
    found->changes = block->changes;
    tell_instructions(job, block);
    found->record = wl_counters_record(job, block->address, &found->sink);
    found->record->end = block->count;
    wl_trace_put(found->record, WL_TRACE_BASIC_BLOCK);
    return found;
}

void wl_counters_block(struct wl_wave *wave, const struct wl_count_block *block, uint64_t lanes) {
    struct wl_thread_counters *counters = wl_thread_counters();
    const struct wl_thread *thread = wl_fault_thread();
    if (!counters)
        return;
    wl_counters_settle(counters);
    struct block_counter *last = counters->wave == wave ? counters->block : NULL;
    if (last && last->changes && lanes && lanes != counters->lanes && !(lanes & ~counters->lanes))
        last->record->block.diverged++;
    struct block_counter *found = find_block(counters, thread->job, block);
    if (found && !found->code && wl_counters_told(thread->job)) {
        found->before = *found->record;
        found->code = block;
        found->next_touched = counters->touched_blocks;
        counters->touched_blocks = found;
    }
    counters->wave = wave;
    counters->block = found;
    counters->lanes = lanes;
    if (!found)
        return;
    found->record->block.runs++;
    found->record->block.lanes += (uint64_t)__builtin_popcountll(lanes);
}

static void add_block(struct wl_counts *counts, const struct block_counter *block) {
    const uint64_t runs = block->record->block.runs - block->before.block.runs,
                   lanes = block->record->block.lanes - block->before.block.lanes;
    for (uint32_t i = 0; i < block->code->count; i++)
        wl_counts_add_instruction(counts, &block->code->inst[i], runs, lanes);
    counts->diverged += block->record->block.diverged - block->before.block.diverged;
}

static void add_access(struct wl_counts *counts, const struct wl_access_counter *access) {
    const struct wl_trace_record *now = access->record, *before = &access->before;
    const struct wl_count_accesses more = {.lds = now->detail == WL_TRACE_LDS,
                                           .load = now->device == WL_TRACE_LOAD,
                                           .waves = now->correlation - before->correlation,
                                           .bytes = now->end - before->end,
                                           .pieces = now->access.pieces - before->access.pieces,
                                           .scattered = now->access.scattered - before->access.scattered,
                                           .conflicts = now->access.conflicts - before->access.conflicts};
    wl_counts_add_accesses(counts, &more);
}

/* What the thread has counted since it came to the job. */
static struct wl_counts take_touched(struct wl_thread_counters *counters) {
    struct wl_counts counts = {0};
    for (; counters->touched_blocks; counters->touched_blocks = counters->touched_blocks->next_touched) {
        add_block(&counts, counters->touched_blocks);
        counters->touched_blocks->code = NULL;
    }
    for (; counters->touched_accesses; counters->touched_accesses = counters->touched_accesses->next_touched) {
        add_access(&counts, counters->touched_accesses);
        counters->touched_accesses->touched = false;
    }
    return counts;
}

void wl_counters_leave(const struct wl_job *job) {
    if (!own)
        return;
    wl_counters_settle(own);
    own->wave = NULL;
    if (!wl_counters_told(job))
        return;
    const struct wl_counts counts = take_touched(own);
    pthread_mutex_lock(&all.lock);
    wl_counts_add(job->launch->outcome->counts, &counts);
    pthread_mutex_unlock(&all.lock);
}

/* ---- launches ---------------------------------------------------------------------------------- */

struct wave_counter {
    uint64_t function;
    struct wl_trace_record *record, sink;
};

static struct wave_counter *find_waves(struct wl_thread_counters *counters, const struct wl_job *job) {
    struct wave_counter *found = wl_table_find(&counters->waves, job->function->id);
    if (found)
        return found;
    if (!(found = wl_table_make(&counters->waves, job->function->id, sizeof *found)))
        return NULL;
    found->record = wl_counters_record(job, 0, &found->sink);
    found->record->waves.wave_size = job->wave_size;
    wl_trace_put(found->record, WL_TRACE_WAVES);
    return found;
}

/* Workgroups at the ends of a grid may be smaller, in each dimension: bit d of `ends` says that it is the last one in d. */
static void add_workgroups(const struct wl_job *job, unsigned ends, struct wl_trace_record *record) {
    const struct wl_launch *launch = job->launch;
    struct wl_extent extent = job->whole;
    uint64_t groups = 1;
    for (unsigned d = 0; d < 3; d++) {
        const bool partial = ends >> d & 1;
        if (partial && !launch->remainder[d])
            return;
        groups *= partial ? 1 : launch->grid[d] - (launch->remainder[d] != 0);
        extent.size[d] = partial ? launch->remainder[d] : launch->block[d];
    }
    wl_dispatch_measure(&extent, job->wave_size);
    record->waves.waves += groups * extent.waves;
    record->waves.lanes += groups * extent.items;
}

void wl_counters_launch(const struct wl_job *job) {
    struct wl_thread_counters *counters = wl_thread_counters();
    struct wave_counter *found = counters ? find_waves(counters, job) : NULL;
    if (!found)
        return;
    const struct wl_trace_record before = *found->record;
    for (unsigned ends = 0; ends < 8; ends++)
        add_workgroups(job, ends, found->record);
    if (!wl_counters_told(job))
        return;
    struct wl_counts *counts = job->launch->outcome->counts;
    pthread_mutex_lock(&all.lock);
    counts->wave_size = job->wave_size;
    counts->waves += found->record->waves.waves - before.waves.waves;
    counts->items += found->record->waves.lanes - before.waves.lanes;
    pthread_mutex_unlock(&all.lock);
}
