/* Faults of calls, for the sanitizers. */
#include "api/checked.h"

#include "runtime/work.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static bool is_on(void) { return wl_san_tools() & WL_SANITIZE_MEMCHECK; }

static struct wl_san_finding new_finding(const char *function, enum wl_san_kind kind, const void *memory) {
    struct wl_san_finding finding;
    memset(&finding, 0, sizeof finding);
    finding.tool = WL_SANITIZE_MEMCHECK;
    finding.kind = kind;
    finding.address = (uint64_t)(uintptr_t)memory;
    finding.at.call = function;
    finding.at.stack = wl_san_stack();
    return finding;
}

static bool is_within(const struct wl_san_block *block, uint64_t address) { return address - block->address < block->size; }

void wl_checked_bad_free(const char *function, const void *memory) {
    if (!is_on())
        return;
    struct wl_san_finding finding = new_finding(function, WL_SAN_BAD_FREE, memory);
    bool found = wl_san_find(finding.address, &finding.block);
    /* A block of a pool that the pool does not know is freed when its stream comes to that. */
    if (found && (finding.block.freed || finding.block.kind == WL_SAN_POOL || finding.block.kind == WL_SAN_GRAPH) &&
        finding.block.address == finding.address)
        finding.kind = WL_SAN_DOUBLE_FREE;
    else if (!found || !is_within(&finding.block, finding.address))
        memset(&finding.block, 0, sizeof finding.block); /* what is near says nothing */
    if (finding.kind == WL_SAN_BAD_FREE)
        snprintf(finding.detail, sizeof finding.detail, "%p is not the start of memory that this function frees", memory);
    wl_san_report(&finding);
}

void wl_checked_bad_unregister(const char *function, const void *memory) {
    struct wl_san_block block;
    const uint64_t address = (uint64_t)(uintptr_t)memory;
    if (is_on() && wl_san_find(address, &block) && block.address == address && block.freed && block.kind == WL_SAN_REGISTERED)
        wl_checked_bad_free(function, memory);
}

void wl_checked_bad_handle(const char *function, const void *handle, const char *what) {
    if (!is_on())
        return;
    struct wl_san_finding finding = new_finding(function, WL_SAN_BAD_FREE, handle);
    snprintf(finding.detail, sizeof finding.detail, "%p is no %s, or it was destroyed before", handle, what);
    wl_san_report(&finding);
}

/* A byte that may not be accessed: of an allocation that the piece begins in, or of freed memory; else it is memory of the program, of which
 * nothing is known. */
static void report_piece(const char *function, const struct wl_checked_piece *piece, uint64_t bad) {
    const uint64_t begin = (uint64_t)(uintptr_t)piece->memory;
    struct wl_san_finding finding = new_finding(function, WL_SAN_API_BOUNDS, piece->memory);
    struct wl_san_block first;
    if (!wl_san_find(begin, &first) || !wl_san_find(bad, &finding.block))
        return;
    if (is_within(&finding.block, bad) && finding.block.freed && finding.block.kind == WL_SAN_REGISTERED)
        return; /* the program's own memory as before */
    if (is_within(&finding.block, bad) && finding.block.freed)
        finding.kind = WL_SAN_USE_AFTER_FREE;
    else if (!is_within(&first, begin) || first.freed)
        return;
    else
        finding.block = first;
    finding.at.access = piece->write ? WL_SANITIZE_STORE : WL_SANITIZE_LOAD;
    finding.address = bad;
    finding.bytes = 1;
    if (piece->rows > 1 || piece->slices > 1)
        snprintf(finding.detail, sizeof finding.detail, "the call %s %zu rows of %zu bytes, %zu bytes apart, in %zu planes at %p",
                 piece->write ? "writes" : "reads", piece->rows, piece->width, piece->pitch, piece->slices, piece->memory);
    else
        snprintf(finding.detail, sizeof finding.detail, "the call %s %zu bytes at %p", piece->write ? "writes" : "reads", piece->width,
                 piece->memory);
    wl_san_report(&finding);
}

/* Rows that overflow the address space are refused by the call itself. */
void wl_checked_piece(const char *function, const struct wl_checked_piece *piece) {
    const uint64_t begin = (uint64_t)(uintptr_t)piece->memory;
    uint64_t bad = 0;
    if (!is_on() || !begin || !piece->width)
        return;
    for (size_t z = 0; z < piece->slices; z++)
        for (size_t y = 0; y < piece->rows; y++) {
            if (wl_san_may_access(begin + z * piece->slice + y * piece->pitch, piece->width, &bad))
                continue;
            report_piece(function, piece, bad);
            return;
        }
}

void wl_checked_copy(const char *function, const struct wl_copy *copy) {
    if (!is_on())
        return;
    const struct wl_checked_piece target = {copy->target,       copy->width,        copy->rows, copy->slices,
                                            copy->target_pitch, copy->target_slice, true};
    const struct wl_checked_piece source = {copy->source,       copy->width,        copy->rows, copy->slices,
                                            copy->source_pitch, copy->source_slice, false};
    wl_checked_piece(function, &target);
    wl_checked_piece(function, &source);
}

void wl_checked_outside(const char *function, const void *memory, bool write, const char *detail, ...) {
    if (!is_on())
        return;
    struct wl_san_finding finding = new_finding(function, WL_SAN_API_BOUNDS, memory);
    va_list arguments;
    finding.at.access = write ? WL_SANITIZE_STORE : WL_SANITIZE_LOAD;
    (void)wl_san_find(finding.address, &finding.block);
    va_start(arguments, detail);
    vsnprintf(finding.detail, sizeof finding.detail, detail, arguments);
    va_end(arguments);
    wl_san_report(&finding);
}
