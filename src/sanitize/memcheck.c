#include "sanitize/memcheck.h"

#include "machine/wave.h"
#include "sanitize/allocations.h"
#include "sanitize/report.h"

#include <stdio.h>
#include <string.h>

/* ---- one lane -------------------------------------------------------------------------------- */

static bool in_shadow(uint64_t address, uint32_t bytes) {
    uint64_t bad;
    return wl_san_may_access(address, bytes, &bad);
}

/* Whether the processor faults on this address: atomics have to be aligned by their size. */
static bool is_misaligned(const struct wl_san_access *access, uint64_t address) {
    return access->site->kind == WL_SANITIZE_ATOMIC && address % (access->site->bytes < 8 ? access->site->bytes : 8) != 0;
}

static uint64_t limit_of(const struct wl_san_wave *wave, const struct wl_san_access *access) {
    const struct wl_san_launch *launch = wave->group->launch;
    return access->space == WL_SANITIZE_LDS ? launch->lds_size : launch->scratch_size;
}

static bool is_good(const struct wl_san_access *access, uint64_t address, uint64_t limit) {
    const uint32_t bytes = access->site->bytes;
    if (access->space == WL_SANITIZE_GLOBAL ? !in_shadow(address, bytes) : address + bytes > limit)
        return false;
    return !is_misaligned(access, address);
}

/* ---- what is said of it ---------------------------------------------------------------------- */

static enum wl_san_kind kind_of(const struct wl_san_access *access, uint64_t address, uint64_t limit, struct wl_san_finding *finding) {
    if (access->space != WL_SANITIZE_GLOBAL) {
        finding->limit = limit;
        if (address + access->site->bytes > limit)
            return access->space == WL_SANITIZE_LDS ? WL_SAN_LDS_BOUNDS : WL_SAN_SCRATCH_BOUNDS;
        return WL_SAN_MISALIGNED;
    }
    uint64_t bad = address;
    if (wl_san_may_access(address, access->site->bytes, &bad))
        return WL_SAN_MISALIGNED;
    if (!wl_san_find(bad, &finding->block))
        return WL_SAN_OUT_OF_BOUNDS;
    const struct wl_san_block *block = &finding->block;
    const bool within = bad - block->address < block->size;
    if (within && block->freed)
        return block->kind == WL_SAN_POOL || block->kind == WL_SAN_GRAPH ? WL_SAN_NOT_ALLOCATED : WL_SAN_USE_AFTER_FREE;
    if (block->kind == WL_SAN_KERNARG && bad - block->address < block->size + 4096)
        return WL_SAN_KERNARG_BOUNDS;
    return WL_SAN_OUT_OF_BOUNDS;
}

void wl_memcheck_report(const struct wl_san_wave *wave, const struct wl_san_access *access, uint64_t bad) {
    const uint32_t lane = (uint32_t)__builtin_ctzll(bad);
    const uint64_t address = access->address[lane];
    struct wl_san_finding finding;
    memset(&finding, 0, sizeof finding);
    finding.tool = WL_SANITIZE_MEMCHECK;
    finding.space = access->space;
    finding.bytes = access->site->bytes;
    finding.address = address;
    finding.kind = kind_of(access, address, limit_of(wave, access), &finding);
    wl_san_fill_place(wave, access->site->address, access->first_lane + lane, access->site->kind, &finding.at);
    if (access->site->scalar)
        finding.at.has_item = false;
    wl_san_report(&finding);
}

uint64_t wl_memcheck_lanes(const struct wl_san_access *access, uint64_t limit) {
    enum { FEW = 56 };
    uint64_t good = 0;
    if (access->space == WL_SANITIZE_GLOBAL && access->site->kind != WL_SANITIZE_ATOMIC && access->site->bytes <= FEW)
        return wl_san_accessible(access->address, access->lanes, access->site->bytes);
    for (uint64_t left = access->lanes; left; left &= left - 1) {
        const unsigned i = (unsigned)__builtin_ctzll(left);
        if (is_good(access, access->address[i], limit))
            good |= UINT64_C(1) << i;
    }
    return good;
}

bool wl_memcheck_run(const struct wl_san_launch *launch, const struct wl_san_lanes *run, uint64_t size) {
    uint64_t bad;
    if (run->space == WL_SANITIZE_LDS) /* the start may lie in front of the LDS */
        return size <= launch->lds_size && run->start <= launch->lds_size - size;
    return wl_san_may_access(run->start, size, &bad);
}

uint64_t wl_memcheck_harmless(const struct wl_san_access *access, uint64_t bad, uint64_t limit) {
    uint64_t lanes = 0;
    if (access->space != WL_SANITIZE_LDS || access->site->kind != WL_SANITIZE_LOAD)
        return 0;
    for (; bad; bad &= bad - 1)
        if (access->address[__builtin_ctzll(bad)] < limit)
            lanes |= bad & -bad;
    return lanes;
}

uint64_t wl_memcheck_access(const struct wl_san_wave *wave, const struct wl_san_access *access) {
    const uint64_t limit = limit_of(wave, access), good = wl_memcheck_lanes(access, limit), bad = access->lanes & ~good;
    if (bad)
        wl_memcheck_report(wave, access, bad);
    return good | wl_memcheck_harmless(access, bad, limit);
}
