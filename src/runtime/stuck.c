/* synccheck: streams that wait for a word in memory that nobody will write.
 *
 * That is certain where every thread of the process waits, without a time limit, for another thread of it, and the memory belongs to this
 * process alone. A thread that runs, sleeps for a time, or waits for a file or another process may still write the word, or queue what does:
 * then nothing is said. */
#include "runtime/context.h"
#include "runtime/launch.h"
#include "runtime/memory.h"
#include "runtime/stream.h"
#include "runtime/stream_run.h"
#include "runtime/work.h"
#include "sanitize/allocations.h"
#include "sanitize/quiet.h"
#include "sanitize/report.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

/* ---- threads ---------------------------------------------------------------------------------- */

/* Whether a thread of the process waits for others by a futex, without a time limit. */
static bool waits_for_ever(int tasks, long thread) {
    char path[64], line[160];
    snprintf(path, sizeof path, "%ld/syscall", thread);
    const int file = openat(tasks, path, O_RDONLY | O_CLOEXEC);
    const ssize_t size = file >= 0 ? read(file, line, sizeof line - 1) : -1;
    if (file >= 0)
        close(file);
    if (size <= 0)
        return false;
    line[size] = 0;
    long number;
    unsigned long word, operation, value, timeout;
    /* the call's number and arguments; of a thread that runs: "running" */
    const int fields = sscanf(line, "%ld %lx %lx %lx %lx", &number, &word, &operation, &value, &timeout); /* NOLINT(cert-err34-c) */
    return fields == 5 && number == SYS_futex && timeout == 0;
}

static bool all_others_wait(void) {
    const long self = syscall(SYS_gettid);
    DIR *tasks = opendir("/proc/self/task");
    if (!tasks)
        return false;
    bool all = true;
    for (const struct dirent *entry; all && (entry = readdir(tasks));) /* NOLINT(concurrency-mt-unsafe): the stream is this thread's */
        if (entry->d_name[0] != '.') {
            const long thread = strtol(entry->d_name, NULL, 10);
            all = thread == self || waits_for_ever(dirfd(tasks), thread);
        }
    closedir(tasks);
    return all;
}

/* ---- streams ---------------------------------------------------------------------------------- */

static bool is_private(const struct wl_san_finding *finding) {
    struct wl_allocation allocation;
    const uint8_t kind = finding->block.kind;
    if (!wl_memory_find((const void *)(uintptr_t)finding->address, &allocation) || allocation.shared)
        return false;
    return kind != WL_SAN_IMPORTED && kind != WL_SAN_REGISTERED && kind != WL_SAN_SYSTEM && kind != WL_SAN_VIRTUAL;
}

/* The first kernel behind the stream's head; NULL: none. */
static const char *kernel_behind(const struct wl_stream *stream) {
    const char *name = NULL;
    for (const struct wl_command *c = stream->head; c && !name; c = atomic_load_explicit(&c->next, memory_order_acquire))
        name = wl_launch_kernel_of(c);
    return name;
}

/* False: the stream waits for something else than a word that this process alone writes. */
static bool describe(const struct wl_stream *stream, struct wl_san_finding *finding) {
    *finding = (struct wl_san_finding){.tool = WL_SANITIZE_SYNCCHECK, .kind = WL_SAN_STREAM_DEADLOCK};
    if (!wl_value_describe(stream->head, finding) || !is_private(finding))
        return false;
    const char *kernel = kernel_behind(stream);
    const size_t used = strlen(finding->detail);
    if (kernel)
        snprintf(finding->detail + used, sizeof finding->detail - used, "; kernel %s waits behind it", kernel);
    return true;
}

/* The streams are the watcher's: their heads stay. */
bool wl_stuck_streams(struct wl_stream *first, unsigned progress) {
    static struct wl_san_quiet quiet;
    if (!first || !(wl_san_tools() & WL_SANITIZE_SYNCCHECK))
        return false;
    if (wl_san_quiet_for(&quiet, progress) < WL_SAN_PATIENCE_NS)
        return false;
    quiet.since = wl_now(); /* if not now, later */
    struct wl_san_finding finding;
    for (const struct wl_stream *stream = first; stream; stream = stream->watch_next)
        if (!describe(stream, &finding))
            return false;
    if (!all_others_wait())
        return false;
    for (const struct wl_stream *stream = first; stream; stream = stream->watch_next) {
        (void)describe(stream, &finding);
        wl_san_report(&finding);
        (void)wl_stream_given(stream, WL_TIMED_OUT);
    }
    return true;
}
