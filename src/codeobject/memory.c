/* Pages straight from the system, and the arena that a code object's lists live in. */
#include "codeobject/internal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define ARENA_BLOCK ((size_t)64 << 10)

/* Under AddressSanitizer images come from its heap, so that a read past their end is seen. */
#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define FROM_HEAP(size) ((size) <= UINT64_C(64) << 20)
#endif
#elif defined(__SANITIZE_ADDRESS__)
#define FROM_HEAP(size) ((size) <= UINT64_C(64) << 20)
#endif
#ifndef FROM_HEAP
#define FROM_HEAP(size) ((void)(size), false)
#endif

void *wl_pages_reserve(uint64_t size) {
    if (size == 0 || size > SIZE_MAX)
        return NULL;
    if (FROM_HEAP(size))
        return calloc(1, (size_t)size);
    void *pages = mmap(NULL, (size_t)size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return pages == MAP_FAILED ? NULL : pages;
}

void wl_pages_free(void *pages, uint64_t size) {
    if (FROM_HEAP(size))
        free(pages);
    else if (pages)
        munmap(pages, (size_t)size);
}

bool wl_pages_mapped(const void *data, uint64_t size) {
    enum { CHUNK = 1024 };
    unsigned char resident[CHUNK];
    uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), first = (uintptr_t)data & ~(page - 1);
    if (size == 0)
        return true;
    if (size > UINTPTR_MAX - (uintptr_t)data - page)
        return false;
    uintptr_t end = ((uintptr_t)data + size + page - 1) & ~(page - 1);
    for (; first < end; first += CHUNK * page) {
        uintptr_t length = end - first < CHUNK * page ? end - first : CHUNK * page;
        if (mincore((void *)first, length, resident) != 0 && errno == ENOMEM)
            return false;
    }
    return true;
}

enum wl_status wl_file_map(struct wl_file *mapped, const char *path) {
    *mapped = (struct wl_file){0};
    int file = open(path, O_RDONLY | O_CLOEXEC);
    struct stat info;
    if (file < 0 || fstat(file, &info) != 0 || !S_ISREG(info.st_mode)) {
        const char *why = file < 0 ? strerrordesc_np(errno) : "not a file";
        if (file >= 0)
            close(file);
        return wl_fail(WL_FILE_NOT_FOUND, "cannot read %s: %s", path, why);
    }
    if (info.st_size == 0) {
        close(file);
        return wl_fail(WL_INVALID_VALUE, "%s is empty", path);
    }
    void *mapping = mmap(NULL, (size_t)info.st_size, PROT_READ, MAP_PRIVATE, file, 0);
    int error = errno;
    close(file);
    if (mapping == MAP_FAILED)
        return wl_fail(WL_FILE_NOT_FOUND, "cannot map %s: %s", path, strerrordesc_np(error));
    *mapped = (struct wl_file){mapping, (size_t)info.st_size};
    return WL_OK;
}

void wl_file_unmap(struct wl_file *file) {
    if (file->data)
        munmap(file->data, file->size);
}

struct wl_arena_block {
    struct wl_arena_block *next;
    size_t used, size;
    max_align_t data[];
};

void *wl_arena_allocate(struct wl_arena *arena, size_t size) {
    if (size > SIZE_MAX / 2)
        return NULL;
    size = (size + 15) & ~(size_t)15;
    struct wl_arena_block *block = arena->blocks;
    if (!block || block->size - block->used < size) {
        size_t capacity = size > ARENA_BLOCK / 4 ? size : ARENA_BLOCK;
        struct wl_arena_block *fresh = calloc(1, sizeof *fresh + capacity);
        if (!fresh)
            return NULL;
        fresh->size = capacity;
        if (block && size == capacity) { /* a large piece has a block of its own, behind the one being filled */
            fresh->next = block->next;
            block->next = fresh;
        } else {
            fresh->next = block;
            arena->blocks = fresh;
        }
        block = fresh;
    }
    void *memory = (char *)block->data + block->used;
    block->used += size;
    return memory;
}

char *wl_arena_text(struct wl_arena *arena, const char *text, size_t length) {
    char *copy = wl_arena_allocate(arena, length + 1);
    if (copy)
        memcpy(copy, text, length);
    return copy;
}

void wl_arena_free(struct wl_arena *arena) {
    while (arena->blocks) {
        struct wl_arena_block *block = arena->blocks;
        arena->blocks = block->next;
        free(block);
    }
}
