/* A thread's place in a chunk, and the run's file. */
#include "trace/trace.h"

#include "base/options.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/* In a section of the file: Linux counts `probes` up for bpftrace and perf where a page of the file is mapped, which those of .bss are not. */
__attribute__((section(".probes"))) union wl_trace_wanted wl_trace_wanted = {0};
_Static_assert(offsetof(union wl_trace_wanted, probes) == 2, "probe.h has the place of `probes`");

#define CHUNK_RECORDS (WL_TRACE_CHUNK / sizeof(struct wl_trace_record))
#define LONGEST_NAME  (WL_TRACE_CHUNK / 4)

/* What a thread records with. When the thread ends another one goes on with it. */
struct writer {
    struct wl_trace_record *next, *end; /* in its chunk */
    uint32_t thread;
    uint64_t call;                      /* wl_trace_call */
    uint64_t correlation, correlations; /* numbers of its block that are left: from, up to */
    struct writer *free_next;
    struct wl_trace_record *kept, *kept_end; /* wl_trace_keep */
};

static struct {
    struct wl_trace_run *run; /* NULL: there is none */
    int file;
    pthread_once_t once;
    pthread_key_t key;
    pthread_mutex_t lock; /* guards `spare` */
    struct writer *spare; /* of threads that have ended */
    uint32_t program;     /* the number of the program's name */
} trace = {.once = PTHREAD_ONCE_INIT, .lock = PTHREAD_MUTEX_INITIALIZER, .file = -1};

static _Thread_local struct writer *own;

/* ---- writers ----------------------------------------------------------------------------------- */

static void leave(void *writer) {
    own = NULL;
    pthread_mutex_lock(&trace.lock);
    ((struct writer *)writer)->free_next = trace.spare;
    trace.spare = writer;
    pthread_mutex_unlock(&trace.lock);
}

static struct writer *writer(void) {
    if (__builtin_expect(own != NULL, 1))
        return own;
    pthread_mutex_lock(&trace.lock);
    struct writer *made = trace.spare;
    if (made)
        trace.spare = made->free_next;
    pthread_mutex_unlock(&trace.lock);
    if (!made && !(made = calloc(1, sizeof *made)))
        return NULL;
    made->thread = (uint32_t)syscall(SYS_gettid);
    made->call = 0;
    if (pthread_setspecific(trace.key, made) != 0) {
        leave(made);
        return NULL;
    }
    return own = made;
}

/* Maps the next chunk of the file, if the disk has room for it. NULL: it has not. */
static struct wl_trace_record *map_chunk(const struct writer *writer) {
    const off_t offset = (off_t)(WL_TRACE_FIRST + atomic_fetch_add(&trace.run->chunks, 1) * WL_TRACE_CHUNK);
    int error;
    while ((error = posix_fallocate(trace.file, offset, WL_TRACE_CHUNK)) == EINTR)
        ;
    void *memory = MAP_FAILED;
    if (error == 0)
        memory = mmap(NULL, WL_TRACE_CHUNK, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, trace.file, offset);
    if (memory == MAP_FAILED)
        return NULL;
    struct wl_trace_record *first = memory;
    first->thread = writer->thread;
    first->name = trace.program;
    first->process = (uint32_t)getpid();
    wl_trace_put(first, WL_TRACE_PROCESS);
    return first;
}

static bool next_chunk(struct writer *writer) {
    struct wl_trace_record *first = map_chunk(writer);
    if (!first)
        return false;
    if (writer->end)
        munmap(writer->end - CHUNK_RECORDS, WL_TRACE_CHUNK);
    writer->next = first + 1;
    writer->end = first + CHUNK_RECORDS;
    return true;
}

/* So many places in one chunk, one behind the other. NULL: there is no room, which is counted. */
static struct wl_trace_record *take(size_t count) {
    struct writer *place = writer();
    if (!place || (__builtin_expect((size_t)(place->end - place->next) < count, 0) && !next_chunk(place))) {
        atomic_fetch_add_explicit(&trace.run->lost, 1, memory_order_relaxed);
        return NULL;
    }
    struct wl_trace_record *record = place->next;
    place->next += count;
    record->thread = place->thread;
    return record;
}

struct wl_trace_record *wl_trace_take(void) { return take(1); }

struct wl_trace_record *wl_trace_keep(void) {
    struct writer *place = writer();
    struct wl_trace_record *first = place && place->kept == place->kept_end ? map_chunk(place) : NULL;
    if (first) {
        place->kept = first + 1;
        place->kept_end = first + CHUNK_RECORDS;
    }
    if (!place || place->kept == place->kept_end) {
        atomic_fetch_add_explicit(&trace.run->lost, 1, memory_order_relaxed);
        return NULL;
    }
    place->kept->thread = place->thread;
    return place->kept++;
}

bool wl_trace_counts(void) { return trace.run && trace.run->counts; }

enum counting { UNDECIDED, WANTED, COUNTING, NOT_COUNTING };
static _Atomic int counting = UNDECIDED;

bool wl_trace_count_launches(void) {
    int before = UNDECIDED;
    return atomic_compare_exchange_strong(&counting, &before, WANTED) || before != NOT_COUNTING;
}

bool wl_trace_counting(bool possible) {
    int now = atomic_load_explicit(&counting, memory_order_relaxed);
    while (now < COUNTING && !atomic_compare_exchange_weak(&counting, &now, now == WANTED && possible ? COUNTING : NOT_COUNTING))
        ;
    return atomic_load_explicit(&counting, memory_order_relaxed) == COUNTING;
}

void wl_trace_put_name(uint32_t number, const char *name, size_t length) {
    if (length > LONGEST_NAME)
        length = LONGEST_NAME;
    struct wl_trace_record *record = take(1 + (length + sizeof *record - 1) / sizeof *record);
    if (!record)
        return;
    record->name = number;
    record->length = (uint32_t)length;
    memcpy(record + 1, name, length);
    wl_trace_put(record, WL_TRACE_NAME);
}

uint32_t wl_trace_next_name(void) { return (uint32_t)atomic_fetch_add(&trace.run->names, 1) + 1; }

/* ---- calls --------------------------------------------------------------------------------------- */

void wl_trace_call_begin(struct wl_trace_call *call) {
    struct writer *place = wl_trace_runs() ? writer() : NULL;
    call->number = 0;
    if (!place)
        return;
    if (place->correlation == place->correlations) {
        place->correlation = atomic_fetch_add(&trace.run->correlations, 1) * WL_TRACE_BLOCK + 1;
        place->correlations = place->correlation + WL_TRACE_BLOCK;
    }
    call->outer = place->call;
    call->number = place->call = place->correlation++;
    call->begin = wl_trace_now();
}

void wl_trace_call_end(const struct wl_trace_call *call, uint32_t name, int32_t result) {
    if (!call->number)
        return;
    const uint64_t end = wl_trace_now();
    struct wl_trace_record *record = wl_trace_take();
    if (record) {
        record->begin = call->begin;
        record->end = end;
        record->correlation = call->number;
        record->name = name;
        record->result = result;
        wl_trace_put(record, WL_TRACE_CALL);
    }
    if (own)
        own->call = call->outer;
}

uint64_t wl_trace_call(void) { return own ? own->call : 0; }

void wl_trace_code_end(const char *name, enum wl_trace_made made, uint64_t begin, uint32_t instructions) {
    if (!begin)
        return;
    const uint64_t end = wl_trace_now();
    const uint32_t number = wl_trace_name(name);
    struct wl_trace_record *record = wl_trace_take();
    if (!record)
        return;
    record->begin = begin;
    record->end = end;
    record->correlation = wl_trace_call();
    record->name = number;
    record->detail = (uint8_t)made;
    record->instructions = instructions;
    wl_trace_put(record, WL_TRACE_COMPILE);
}

/* ---- the run ------------------------------------------------------------------------------------- */

static void before_fork(void) { pthread_mutex_lock(&trace.lock); }

static void after_fork(void) { pthread_mutex_unlock(&trace.lock); }

/* The parent's chunks are the parent's: it goes on writing to them. */
static void after_fork_in_child(void) {
    trace.spare = NULL;
    own = NULL;
    (void)pthread_setspecific(trace.key, NULL);
    pthread_mutex_init(&trace.lock, NULL);
}

static void begin(void) {
    const char *path = wl_option_profile_run();
    struct stat status;
    if (!path)
        return;
    trace.file = open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW);
    void *memory = MAP_FAILED;
    if (trace.file >= 0 && fstat(trace.file, &status) == 0 && status.st_size >= (off_t)WL_TRACE_FIRST)
        memory = mmap(NULL, WL_TRACE_FIRST, PROT_READ | PROT_WRITE, MAP_SHARED, trace.file, 0);
    if (memory != MAP_FAILED && ((struct wl_trace_run *)memory)->magic == WL_TRACE_MAGIC && pthread_key_create(&trace.key, leave) == 0) {
        trace.run = memory;
    } else {
        wl_log(0, "WAVELIFT_PROFILE_RUN=%s is not a file of `wavelift profile`; ignored", path);
        if (memory != MAP_FAILED)
            munmap(memory, WL_TRACE_FIRST);
        if (trace.file >= 0)
            close(trace.file);
        return;
    }
    (void)pthread_atfork(before_fork, after_fork, after_fork_in_child);
    wl_trace_clock_set((enum wl_trace_clock)trace.run->clock);
    trace.program = wl_trace_name(program_invocation_short_name);
    atomic_fetch_or(&wl_trace_wanted.flags, WL_TRACE_RUN);
}

bool wl_trace_begin(void) {
    pthread_once(&trace.once, begin);
    return trace.run != NULL;
}

void wl_trace_pause(bool paused) {
    if (trace.run && paused)
        atomic_fetch_and(&wl_trace_wanted.flags, (uint16_t)~WL_TRACE_RUN);
    else if (trace.run)
        atomic_fetch_or(&wl_trace_wanted.flags, WL_TRACE_RUN);
}

/* ---- tracers of the process ---------------------------------------------------------------------- */

static void (*_Atomic told)(const struct wl_trace_work *work);
static _Thread_local uint64_t asker;

void wl_trace_tell_with(void (*tell)(const struct wl_trace_work *work)) {
    atomic_store(&told, tell);
    if (tell)
        atomic_fetch_or(&wl_trace_wanted.flags, WL_TRACE_TELL);
    else
        atomic_fetch_and(&wl_trace_wanted.flags, (uint16_t)~WL_TRACE_TELL);
}

void wl_trace_tell(const struct wl_trace_work *work) {
    void (*tell)(const struct wl_trace_work *work) = atomic_load(&told);
    if (tell)
        tell(work);
}

static uint64_t (*_Atomic queue)(const struct wl_trace_work *work);

void wl_trace_queued_with(uint64_t (*queued)(const struct wl_trace_work *work)) { atomic_store(&queue, queued); }

uint64_t wl_trace_queued(const struct wl_trace_work *work) {
    uint64_t (*queued)(const struct wl_trace_work *work) = atomic_load(&queue);
    return queued ? queued(work) : 0;
}

static struct {
    pthread_mutex_t lock; /* guards changes */
    _Atomic wl_trace_tracer at[WL_TRACE_PLACES];
    void (*changed)(void);
    void *tables[WL_TRACE_TABLES];
} tracers = {.lock = PTHREAD_MUTEX_INITIALIZER};

void wl_trace_set_tracer(unsigned place, wl_trace_tracer tracer) {
    pthread_mutex_lock(&tracers.lock);
    atomic_store(&tracers.at[place], tracer);
    if (tracers.changed)
        tracers.changed();
    pthread_mutex_unlock(&tracers.lock);
}

wl_trace_tracer wl_trace_tracer_at(unsigned place) { return atomic_load_explicit(&tracers.at[place], memory_order_acquire); }

void *wl_trace_function_table(unsigned which) { return tracers.tables[which]; }

void wl_trace_watch_tracers(void (*changed)(void), void *const tables[WL_TRACE_TABLES]) {
    pthread_mutex_lock(&tracers.lock);
    tracers.changed = changed;
    for (unsigned i = 0; i < WL_TRACE_TABLES; i++)
        tracers.tables[i] = tables[i];
    pthread_mutex_unlock(&tracers.lock);
}

static void (*_Atomic told_modules)(const void *module, bool loaded);

void wl_trace_modules_with(void (*tell)(const void *module, bool loaded)) { atomic_store(&told_modules, tell); }

void wl_trace_module(const void *module, bool loaded) {
    void (*tell)(const void *module, bool loaded) = atomic_load(&told_modules);
    if (tell)
        tell(module, loaded);
}

uint64_t wl_trace_asker(void) { return asker; }
void wl_trace_set_asker(uint64_t number) { asker = number; }
