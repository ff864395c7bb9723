#include "sanitize/report.h"

#include "codeobject/codeobject.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

static const char *const kinds[WL_SAN_KIND_COUNT] = {
    [WL_SAN_OUT_OF_BOUNDS] = "out of bounds",
    [WL_SAN_USE_AFTER_FREE] = "use after free",
    [WL_SAN_NOT_ALLOCATED] = "memory of a pool that is not allocated",
    [WL_SAN_MISALIGNED] = "misaligned",
    [WL_SAN_LDS_BOUNDS] = "outside the workgroup's LDS",
    [WL_SAN_SCRATCH_BOUNDS] = "outside the lane's private memory",
    [WL_SAN_KERNARG_BOUNDS] = "behind the kernel's arguments",
};

static struct {
    pthread_mutex_t lock;
    uint64_t count;
    struct {
        enum wl_san_kind kind;
        uint64_t code;
        char kernel[64];
    } seen[256];
    unsigned seen_count;
} reports = {.lock = PTHREAD_MUTEX_INITIALIZER};

static bool is_known(const struct wl_san_finding *f) {
    const char *kernel = f->at.kernel ? f->at.kernel : "";
    for (unsigned i = 0; i < reports.seen_count; i++)
        if (reports.seen[i].kind == f->kind && reports.seen[i].code == f->at.code &&
            !strncmp(reports.seen[i].kernel, kernel, sizeof reports.seen[i].kernel - 1))
            return true;
    if (reports.seen_count == sizeof reports.seen / sizeof *reports.seen)
        return true;
    reports.seen[reports.seen_count].kind = f->kind;
    reports.seen[reports.seen_count].code = f->at.code;
    snprintf(reports.seen[reports.seen_count++].kernel, sizeof reports.seen->kernel, "%s", kernel);
    return false;
}

void wl_san_report(const struct wl_san_finding *f) {
    static const char *const verbs[] = {"load", "store", "atomic"};
    char line[256] = "";
    pthread_mutex_lock(&reports.lock);
    reports.count++;
    if (!is_known(f)) {
        if (!f->at.object || !wl_codeobject_source_line(f->at.object, f->at.code, line, sizeof line))
            snprintf(line, sizeof line, "offset 0x%llx", (unsigned long long)f->at.code);
        fprintf(
            stderr,
            "wavelift: %s: %s of %u bytes %s in kernel %s at %s, workgroup (%u, %u, %u), work item (%u, %u, %u), address 0x%llx; nearest "
            "block: %llu bytes at 0x%llx%s\n",
            f->tool == WL_SANITIZE_MEMCHECK ? "memcheck" : "sanitizer", verbs[f->at.access], f->bytes,
            kinds[f->kind] ? kinds[f->kind] : "fault", f->at.kernel ? f->at.kernel : "host", line, f->at.group[0], f->at.group[1],
            f->at.group[2], f->at.item[0], f->at.item[1], f->at.item[2], (unsigned long long)f->address, (unsigned long long)f->block.size,
            (unsigned long long)f->block.address, f->block.freed ? ", freed" : "");
    }
    pthread_mutex_unlock(&reports.lock);
}

uint64_t wl_san_stack(void) { return 0; }
uint64_t wl_san_finding_count(void) { return reports.count; }
void wl_san_finish(void) {}
