/* The file that a code object's bytes are mapped from.
 *
 * A library with code for GPUs is a file that the program has mapped. Copies of its code take tens of MiB in each process; mappings of the file
 * are the same pages of memory in all processes. A mapping made here stays whatever the program does with its own. */
#include "codeobject/internal.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static uint64_t page_size(void) { return (uint64_t)sysconf(_SC_PAGESIZE); }

/* Finds the file and the place in it whose pages are mapped at `data`. */
static bool find_file(const void *data, size_t size, char path[PATH_MAX], uint64_t *offset) {
    char line[PATH_MAX + 128];
    bool found = false;
    FILE *maps = fopen("/proc/self/maps", "re");
    while (maps && !found && fgets(line, sizeof line, maps)) {
        /* "begin-end rights offset device inode   name" */
        char *rest;
        const uint64_t at = (uint64_t)(uintptr_t)data, begin = strtoull(line, &rest, 16), end = *rest ? strtoull(rest + 1, &rest, 16) : 0;
        if (at < begin || at >= end)
            continue;
        const bool plain = strncmp(rest, " r--p ", 6) == 0;
        const uint64_t first = plain ? strtoull(rest + 6, &rest, 16) : 0;
        const char *name = strchr(rest, '/');
        line[strcspn(line, "\n")] = 0;
        found = plain && name && size <= end - at && strlen(name) < PATH_MAX;
        if (!found)
            break;
        memcpy(path, name, strlen(name) + 1);
        *offset = first + (at - begin);
    }
    if (maps)
        (void)fclose(maps);
    return found;
}

void wl_backing_open(struct wl_backing *backing, const void *data, size_t size) {
    char path[PATH_MAX];
    uint64_t offset;
    *backing = (struct wl_backing){.file = -1};
    if (size < WL_BACKING_LEAST || !find_file(data, size, path, &offset))
        return;
    const int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (file < 0)
        return;
    struct stat info;
    const uint64_t before = offset % page_size();
    const bool whole = fstat(file, &info) == 0 && S_ISREG(info.st_mode) && (uint64_t)info.st_size >= offset + size;
    uint8_t *mapping = !whole ? MAP_FAILED : mmap(NULL, size + before, PROT_READ | PROT_WRITE, MAP_PRIVATE, file, (off_t)(offset - before));
    if (mapping != MAP_FAILED &&
        memcmp(mapping + before, data, size) == 0) { /* it may be another file by now, or have been changed in memory */
        *backing = (struct wl_backing){file, offset, mapping + before, size};
        return;
    }
    if (mapping != MAP_FAILED)
        munmap(mapping, size + before);
    close(file);
}

void wl_backing_close(struct wl_backing *backing) {
    if (backing->file < 0)
        return;
    const uint64_t before = backing->offset % page_size();
    munmap((void *)(uintptr_t)(backing->bytes - before), backing->size + before);
    close(backing->file);
}

void wl_backing_copy(const struct wl_backing *backing, void *target, const uint8_t *source, size_t size) {
    const uint64_t page = page_size(), at = (uint64_t)(uintptr_t)target;
    const uint64_t begin = (at + page - 1) & ~(page - 1), end = (at + size) & ~(page - 1);
    uint64_t offset = 0;
    bool mapped = backing->file >= 0 && end > begin && end - begin >= WL_BACKING_LEAST / 4;
    if (mapped) {
        offset = backing->offset + (uint64_t)(source - backing->bytes) + (begin - at);
        mapped = offset % page == 0 && mmap((void *)(uintptr_t)begin, end - begin, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_FIXED,
                                            backing->file, (off_t)offset) != MAP_FAILED;
    }
    if (!mapped) {
        memcpy(target, source, size);
        return;
    }
    memcpy(target, source, begin - at);
    memcpy((uint8_t *)target + (end - at), source + (end - at), at + size - end);
}
