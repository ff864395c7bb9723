/* The file of a run, from its making to lists of records. */
#include "profile.h"

#include "sanitize/names.h"
#include "trace/trace.h"

#include "base/array.h"
#include "base/clock.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

enum { CHUNK_RECORDS = WL_TRACE_CHUNK / sizeof(struct wl_trace_record) };

/* ---- times ------------------------------------------------------------------------------------- */

/* Both clocks at one moment: the pair, of several, that took the least time. */
static void read_clocks(uint64_t *clock, uint64_t *nanoseconds) {
    uint64_t least = UINT64_MAX;
    for (int i = 0; i < 20; i++) {
        const uint64_t before = wl_trace_now(), now = wl_now(), after = wl_trace_now();
        if (after - before < least) {
            least = after - before;
            *clock = before + (after - before) / 2;
            *nanoseconds = now;
        }
    }
}

double wl_profile_time(const struct wl_profile *profile, uint64_t clock) {
    const double ticks = (double)(int64_t)(clock - profile->clock[0]);
    const double all = (double)(profile->clock[1] - profile->clock[0]);
    return profile->run->clock == WL_TRACE_NANOSECONDS ? ticks
                                                       : ticks * ((double)(profile->nanoseconds[1] - profile->nanoseconds[0]) / all);
}

double wl_profile_duration(const struct wl_profile *profile, const struct wl_trace_record *record) {
    return wl_profile_time(profile, record->end) - wl_profile_time(profile, record->begin);
}

/* ---- the file ------------------------------------------------------------------------------------ */

/* Memory, if there is much of it for files: to write to a page of the disk's cache for the first time takes a few times as long. */
static const char *folder_of_run(void) {
    static const char memory[] = "/dev/shm";
    const uint64_t much = UINT64_C(1) << 30;
    const char *folder = getenv("TMPDIR");
    struct statvfs room;
    if (folder && *folder == '/')
        return folder;
    return statvfs(memory, &room) == 0 && (uint64_t)room.f_bavail * room.f_frsize >= much && access(memory, W_OK) == 0 ? memory : "/tmp";
}

bool wl_profile_make(struct wl_profile *profile, bool counts, char *path, size_t size) {
    memset(profile, 0, sizeof *profile);
    snprintf(path, size, "%s/wavelift-profile-XXXXXX", folder_of_run());
    profile->file = mkostemp(path, O_CLOEXEC);
    void *memory = MAP_FAILED;
    if (profile->file >= 0 && ftruncate(profile->file, WL_TRACE_FIRST) == 0)
        memory = mmap(NULL, WL_TRACE_FIRST, PROT_READ | PROT_WRITE, MAP_SHARED, profile->file, 0);
    if (memory == MAP_FAILED) {
        fprintf(stderr, "wavelift: profile: %s: %s\n", path, strerror(errno));
        if (profile->file >= 0) {
            unlink(path);
            close(profile->file);
        }
        return false;
    }
    struct wl_trace_run *run = memory;
    run->clock = (uint32_t)wl_trace_clock_best();
    run->counts = counts;
    run->magic = WL_TRACE_MAGIC;
    profile->run = run;
    profile->memory = memory;
    profile->size = WL_TRACE_FIRST;
    wl_trace_clock_set((enum wl_trace_clock)run->clock);
    read_clocks(&profile->clock[0], &profile->nanoseconds[0]);
    return true;
}

static bool map_all(struct wl_profile *profile) {
    struct stat status;
    if (fstat(profile->file, &status) != 0)
        return false;
    const size_t whole = ((size_t)status.st_size - WL_TRACE_FIRST) / WL_TRACE_CHUNK * WL_TRACE_CHUNK + WL_TRACE_FIRST;
    if (whole == profile->size)
        return true;
    void *memory = mmap(NULL, whole, PROT_READ, MAP_SHARED, profile->file, 0);
    if (memory == MAP_FAILED)
        return false;
    munmap(profile->memory, profile->size);
    profile->memory = memory;
    profile->size = whole;
    profile->run = memory;
    return true;
}

static size_t chunk_count(const struct wl_profile *profile) { return (profile->size - WL_TRACE_FIRST) / WL_TRACE_CHUNK; }

static const struct wl_trace_record *chunk(const struct wl_profile *profile, size_t index) {
    return (const struct wl_trace_record *)(const void *)(profile->memory + WL_TRACE_FIRST + index * WL_TRACE_CHUNK);
}

static enum wl_trace_kind kind_of(const struct wl_trace_record *record) {
    return (enum wl_trace_kind)atomic_load_explicit((const _Atomic uint8_t *)&record->kind, memory_order_acquire);
}

/* Places that a record takes, the text of a name with it. */
static size_t places(const struct wl_trace_record *record) {
    return record->kind == WL_TRACE_NAME ? 1 + (record->length + sizeof *record - 1) / sizeof *record : 1;
}

uint64_t wl_profile_look(struct wl_profile *profile) {
    uint16_t *looked = map_all(profile) ? realloc(profile->looked, (chunk_count(profile) + 1) * sizeof *looked) : NULL;
    if (!looked)
        return profile->looked_kernels;
    profile->looked = looked;
    for (; profile->looked_chunks < chunk_count(profile); profile->looked_chunks++)
        looked[profile->looked_chunks] = 0;
    for (size_t i = 0; i < chunk_count(profile); i++) {
        const struct wl_trace_record *first = chunk(profile, i);
        size_t at = looked[i];
        for (; at < CHUNK_RECORDS && kind_of(&first[at]) != WL_TRACE_NONE; at += places(&first[at]))
            profile->looked_kernels += first[at].kind == WL_TRACE_KERNEL;
        looked[i] = (uint16_t)at;
    }
    return profile->looked_kernels;
}

/* ---- reading ------------------------------------------------------------------------------------- */

static bool add(struct wl_events *list, const struct wl_trace_record *record, uint32_t process) {
    if (!WL_ARRAY_RESERVE(list->events, list->count, list->capacity, 1024))
        return false;
    list->events[list->count++] = (struct wl_event){record, process};
    return true;
}

static bool add_process(struct wl_profile *profile, const struct wl_trace_record *record) {
    for (size_t i = 0; i < profile->process_count; i++)
        if (profile->processes[i].id == record->process) {
            profile->processes[i].name = record->name ? record->name : profile->processes[i].name;
            return true;
        }
    struct wl_profile_process *processes = realloc(profile->processes, (profile->process_count + 1) * sizeof *processes);
    if (!processes)
        return false;
    profile->processes = processes;
    processes[profile->process_count++] = (struct wl_profile_process){record->process, record->name};
    return true;
}

static bool add_name(struct wl_profile *profile, const struct wl_trace_record *record) {
    if (record->name >= profile->name_count)
        return true;
    char *text = strndup((const char *)(record + 1), record->length);
    char *readable = text ? wl_san_demangle(text) : NULL;
    free(text);
    free(profile->names[record->name]);
    profile->names[record->name] = readable;
    return readable;
}

static int by_text(const void *a, const void *b, void *context) {
    char *const *const names = (char *const *)context;
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    const int order = strcmp(names[x] ? names[x] : "", names[y] ? names[y] : "");
    return order ? order : (x > y) - (x < y);
}

static bool find_same(struct wl_profile *profile) {
    const size_t count = profile->name_count;
    uint32_t *sorted = malloc(count * sizeof *sorted);
    profile->same = calloc(count, sizeof *profile->same);
    for (size_t i = 0; sorted && i < count; i++)
        sorted[i] = (uint32_t)i;
    if (sorted)
        qsort_r(sorted, count, sizeof *sorted, by_text, (void *)profile->names);
    for (size_t i = 0; sorted && profile->same && i < count; i++) {
        const char *text = profile->names[sorted[i]], *before = i ? profile->names[sorted[i - 1]] : NULL;
        profile->same[sorted[i]] = text && before && strcmp(text, before) == 0 ? profile->same[sorted[i - 1]] : sorted[i];
    }
    free(sorted);
    return sorted && profile->same;
}

uint32_t wl_profile_number(const struct wl_profile *profile, uint32_t number) {
    return number < profile->name_count ? profile->same[number] : 0;
}

static struct wl_events *list_of(struct wl_profile *profile, enum wl_trace_kind kind) {
    switch (kind) {
    case WL_TRACE_CALL:
        return &profile->calls;
    case WL_TRACE_KERNEL:
        return &profile->kernels;
    case WL_TRACE_COPY:
        return &profile->copies;
    case WL_TRACE_FILL:
        return &profile->fills;
    case WL_TRACE_COMPILE:
        return &profile->compilations;
    case WL_TRACE_MEMORY:
        return &profile->memory_uses;
    case WL_TRACE_RANGE:
        return &profile->ranges;
    case WL_TRACE_MARK:
        return &profile->marks;
    case WL_TRACE_THREAD:
        return &profile->threads;
    case WL_TRACE_DEVICE:
        return &profile->devices;
    case WL_TRACE_STREAM:
        return &profile->streams;
    case WL_TRACE_WAVES:
    case WL_TRACE_BASIC_BLOCK:
    case WL_TRACE_ACCESS:
        return &profile->counts;
    case WL_TRACE_INSTRUCTION:
        return &profile->instructions;
    default:
        return NULL;
    }
}

static bool read_chunk(struct wl_profile *profile, const struct wl_trace_record *first) {
    const uint32_t process = first->process;
    bool ok = true;
    for (size_t at = 0; ok && at < CHUNK_RECORDS && kind_of(&first[at]) != WL_TRACE_NONE; at += places(&first[at])) {
        const struct wl_trace_record *record = &first[at];
        struct wl_events *list = list_of(profile, (enum wl_trace_kind)record->kind);
        if (record->kind == WL_TRACE_PROCESS)
            ok = add_process(profile, record);
        else if (record->kind == WL_TRACE_NAME)
            ok = at + places(record) > CHUNK_RECORDS || add_name(profile, record);
        else if (list)
            ok = add(list, record, process);
    }
    return ok;
}

static int by_time(const void *a, const void *b) {
    const struct wl_trace_record *x = ((const struct wl_event *)a)->record, *y = ((const struct wl_event *)b)->record;
    if (x->begin != y->begin)
        return x->begin < y->begin ? -1 : 1;
    return x->end == y->end ? 0 : x->end > y->end ? -1 : 1;
}

bool wl_profile_read(struct wl_profile *profile) {
    read_clocks(&profile->clock[1], &profile->nanoseconds[1]);
    bool ok = map_all(profile);
    profile->lost = profile->run->lost;
    profile->name_count = profile->run->names + 1;
    profile->names = (char **)calloc(profile->name_count, sizeof *profile->names);
    ok = ok && profile->names;
    for (size_t i = 0; ok && i < chunk_count(profile); i++)
        ok = read_chunk(profile, chunk(profile, i));
    ok = ok && find_same(profile);
    for (int kind = WL_TRACE_NONE; ok && kind <= WL_TRACE_STREAM; kind++) {
        struct wl_events *list = list_of(profile, (enum wl_trace_kind)kind);
        if (list && list->count)
            qsort(list->events, list->count, sizeof *list->events, by_time);
    }
    if (!ok)
        fprintf(stderr, "wavelift: profile: no memory for what was recorded\n");
    return ok;
}

void wl_profile_free(struct wl_profile *profile) {
    for (int kind = WL_TRACE_NONE; kind <= WL_TRACE_STREAM; kind++) {
        struct wl_events *list = list_of(profile, (enum wl_trace_kind)kind);
        if (list)
            free(list->events);
    }
    free(profile->counts.events);
    free(profile->instructions.events);
    for (size_t i = 0; profile->names && i < profile->name_count; i++)
        free(profile->names[i]);
    free((void *)profile->names);
    free(profile->same);
    free(profile->processes);
    free(profile->looked);
    munmap(profile->memory, profile->size);
    close(profile->file);
}

const char *wl_profile_name(const struct wl_profile *profile, uint32_t number) {
    const char *name = number < profile->name_count ? profile->names[number] : NULL;
    return name ? name : "(no name)";
}
