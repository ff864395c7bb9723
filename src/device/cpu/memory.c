#include "device/cpu/memory.h"

#include "base/region.h"
#include "device/cpu/debug/debug.h"
#include "device/cpu/run/sanitize.h"
#include "device/debugger.h"
#include "sanitize/allocations.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define PAGE          4096u
#define LDS_MAPPED    65536u     /* always accessible; more where a workgroup asks for it */
#define LDS_BEFORE    PAGE       /* readable as well */
#define LDS_BEHIND    16u        /* with sanitizers: for loads that begin within (sanitize/memcheck.h) */
#define HUGE          (2u << 20) /* allocations of several such pages get huge pages: kernels stream through many arrays at once */
#define SCRATCH_GUARD 65536u     /* behind each wave's scratch: larger than most steps of one stack frame past the end */

static size_t round_up(size_t value, size_t unit) { return (value + unit - 1) / unit * unit; }

static void *reserve(size_t size) {
    void *memory = mmap(NULL, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return memory == MAP_FAILED ? NULL : memory;
}

static void release_lds(struct wl_group *group) {
    if (group->lds)
        munmap(group->lds - LDS_BEFORE, LDS_BEFORE + WL_LDS_RESERVED);
    group->lds = NULL;
    group->lds_readable = group->lds_shared = false;
}

/* A page before the LDS. A vector access under a mask begins at the address of its first lane, which may lie before the LDS if that lane
 * is inactive. Without the page the host would look lane by lane what the access misses, in some 500 cycles. */
static bool reserve_lds(struct wl_group *group) {
    uint8_t *before = reserve(LDS_BEFORE + WL_LDS_RESERVED);
    if (!before)
        return false;
    if (mprotect(before, LDS_BEFORE, PROT_READ) != 0) {
        munmap(before, LDS_BEFORE + WL_LDS_RESERVED);
        return false;
    }
    (void)*(volatile uint8_t *)before; /* a page that nobody touched is none */
    group->lds = before + LDS_BEFORE;
    return true;
}

static enum wl_status fit_lds(struct wl_group *group, uint32_t size) {
    const size_t behind = wl_san_tools() ? LDS_BEHIND : 0;
    const size_t usable = round_up(size + behind > LDS_MAPPED ? size + behind : LDS_MAPPED, PAGE);
    const bool shared = wl_debugger; /* so that a debugger's window can be a second mapping of it */
    if (group->lds && group->lds_usable >= usable && group->lds_shared >= shared)
        return WL_OK;
    if (group->lds_readable) /* laid out for the smaller size */
        release_lds(group);
    if ((!group->lds && !reserve_lds(group)) || mprotect(group->lds, usable, PROT_READ | PROT_WRITE) != 0)
        return wl_fail(WL_OUT_OF_MEMORY, "cannot reserve address space for LDS");
    group->lds_shared =
        shared && mmap(group->lds, usable, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == group->lds;
    group->lds_usable = (uint32_t)usable;
    return WL_OK;
}

static enum wl_status fit_scratch(struct wl_group *group, const struct wl_group_needs *needs) {
    size_t used = round_up((size_t)needs->scratch_size * needs->wave_size, PAGE);
    size_t stride = used + SCRATCH_GUARD, size = stride * needs->waves + SCRATCH_GUARD;
    if (used == 0 || (group->scratch && group->scratch_used == used && group->scratch_mapped >= size))
        return WL_OK;
    if (group->scratch)
        munmap(group->scratch - SCRATCH_GUARD, group->scratch_mapped);
    group->scratch_mapped = 0;
    group->scratch_used = 0;
    group->scratch = reserve(size);
    if (!group->scratch)
        return wl_fail(WL_OUT_OF_MEMORY, "cannot reserve %zu bytes of private memory", size);
    group->scratch_mapped = size;
    group->scratch += SCRATCH_GUARD;
    for (uint32_t i = 0; i < needs->waves; i++)
        if (mprotect(group->scratch + i * stride, used, PROT_READ | PROT_WRITE) != 0)
            return wl_fail(WL_OUT_OF_MEMORY, "no memory for %zu bytes of private memory", size);
    group->scratch_used = used;
    group->scratch_stride = stride;
    return WL_OK;
}

static enum wl_status fit_waves(struct wl_group *group, const struct wl_group_needs *needs) {
    size_t stride = round_up(sizeof(struct wl_wave) + (size_t)needs->rows * needs->wave_size * 4, 64);
    if (stride % PAGE < 192) /* waves whose distance is a multiple of a page would compete for the same cache sets */
        stride += 192;
    size_t size = round_up(stride * needs->waves, PAGE);
    group->wave_stride = stride;
    if (group->waves_mapped >= size)
        return WL_OK;
    if (group->waves)
        munmap(group->waves - PAGE, group->waves_mapped + 2 * (size_t)PAGE);
    group->waves_mapped = 0;
    group->waves = reserve(size + 2 * (size_t)PAGE);
    if (!group->waves)
        return wl_fail(WL_OUT_OF_MEMORY, "no memory for %u waves", needs->waves);
    group->waves += PAGE;
    group->waves_mapped = size;
    if (mprotect(group->waves, size, PROT_READ | PROT_WRITE) != 0)
        return wl_fail(WL_OUT_OF_MEMORY, "no memory for %u waves", needs->waves);
    return WL_OK;
}

enum wl_status wl_group_fit(struct wl_group *group, const struct wl_group_needs *needs) {
    enum wl_status status = fit_lds(group, needs->lds_size);
    if (status == WL_OK)
        status = fit_waves(group, needs);
    return status == WL_OK ? fit_scratch(group, needs) : status;
}

void wl_group_release(struct wl_group *group) {
    wl_sanitize_free(group);
    for (unsigned i = 0; i < WL_MAX_WAVES; i++)
        wl_debug_wave_free(group->runners[i].debug);
    release_lds(group);
    if (group->waves)
        munmap(group->waves - PAGE, group->waves_mapped + 2 * (size_t)PAGE);
    if (group->scratch)
        munmap(group->scratch - SCRATCH_GUARD, group->scratch_mapped);
    memset(group, 0, sizeof *group);
}

const char *wl_group_describe(const struct wl_group *group, uint64_t address, char *text, size_t size) {
    uint64_t lds = (uint64_t)(uintptr_t)group->lds, scratch = (uint64_t)(uintptr_t)group->scratch;
    if (lds && address >= lds && address - lds < WL_LDS_RESERVED) {
        snprintf(text, size, "LDS address 0x%llx, outside the workgroup's LDS", (unsigned long long)(address - lds));
        return text;
    }
    if (scratch && address >= scratch - SCRATCH_GUARD && address - scratch + SCRATCH_GUARD < group->scratch_mapped) {
        snprintf(text, size, "private memory outside the wave's %zu bytes: a stack overflow or a bad index", group->scratch_used);
        return text;
    }
    return NULL;
}

static bool is_large(size_t size) { return size >= 2 * (size_t)HUGE; }

/* Sanitizers find accesses behind a block as far as no other block lies there. */
static size_t gap_of(size_t size) {
    enum { LEAST = 1 << 16, MOST = 1 << 28 };
    if (wl_san_tools())
        return size < LEAST ? LEAST : size < MOST ? round_up(size, PAGE) : MOST;
    return is_large(size) ? HUGE : 0;
}

/* Bytes of address space that a block takes. A gap follows a large block. Programs like sizes that are powers of two, and blocks at such
 * distances get into each other's way in caches and memory banks. The gap also catches accesses behind the end. */
static size_t span_of(size_t size) { return round_up(size ? size : 1, PAGE) + gap_of(size); }

void *wl_pages_allocate(size_t size, size_t alignment) {
    if (alignment < PAGE)
        alignment = PAGE;
    if (is_large(size) && alignment < HUGE)
        alignment = HUGE;
    size_t rounded = span_of(size);
    if (rounded < size || rounded > (size_t)1 << 46 || alignment > (size_t)1 << 40)
        return NULL;
    /* With sanitizers, gaps and blocks are alike to the system, so that its list of mappings stays short: the shadow tells them apart. */
    const bool watched = wl_san_tools() != 0;
    const int flags = MAP_PRIVATE | MAP_ANONYMOUS | (watched ? MAP_NORESERVE : 0);
    uint8_t *memory = mmap(wl_region_hint(rounded + alignment - PAGE), rounded + alignment - PAGE, PROT_READ | PROT_WRITE, flags, -1, 0);
    if (memory == MAP_FAILED)
        return NULL;
    size_t skip = (alignment - (uintptr_t)memory % alignment) % alignment;
    size_t behind = alignment - PAGE - skip;
    if (skip)
        munmap(memory, skip);
    if (behind)
        munmap(memory + skip + rounded, behind);
    const size_t gap = gap_of(size);
    if (gap && !watched)
        mprotect(memory + skip + rounded - gap, gap, PROT_NONE);
    if (is_large(size))
        madvise(memory + skip, rounded - gap, MADV_HUGEPAGE); /* a wish: it works without */
    return memory + skip;
}

void wl_pages_release(void *memory, size_t size) {
    if (memory && wl_san_tools()) /* the addresses are not given to others: accesses to them are found */
        madvise(memory, round_up(size, PAGE), MADV_DONTNEED);
    else if (memory)
        munmap(memory, span_of(size));
}
