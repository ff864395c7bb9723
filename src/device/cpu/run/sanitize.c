#include "device/cpu/run/sanitize.h"

#include "device/cpu/helpers/helpers.h"
#include "device/cpu/memory.h"
#include "device/cpu/run/exits.h"
#include "lane/buffer_lane.h"
#include "machine/lane_mask.h"
#include "machine/sanitize.h"
#include "sanitize/allocations.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_LANES = 64 };

/* ---- what code tells ------------------------------------------------------------------------- */

static struct wl_san_wave *watched_wave(const struct wl_wave *wave) {
    const struct wl_runner *runner = wave->owner;
    return &runner->group->sanitized->waves[wave->wave_index];
}

/* Lanes of one space. While it is told, a signal must not take the thread out of the kernel: it may hold locks. */
static uint64_t tell(struct wl_wave *wave, struct wl_san_access *access) {
    const uint32_t place = wave->fault_pc;
    struct wl_san_wave *watched = watched_wave(wave);
    if (!access->lanes)
        return 0;
    wave->fault_pc = 0;
    access->data_stride = wave->wave_size;
    access->instruction = watched->instructions;
    const uint64_t good = wl_san_access(watched, access);
    wave->fault_pc = place;
    return good;
}

/* A flat access: the lanes of each space are told apart. */
static uint64_t tell_flat(struct wl_wave *wave, const struct wl_sanitize_site *site, uint64_t lanes, const uint64_t *address,
                          const uint32_t *data) {
    struct wl_san_access parts[3];
    uint64_t offsets[MAX_LANES], good = 0;
    for (unsigned space = 0; space < 3; space++)
        parts[space] = (struct wl_san_access){.site = site, .space = (uint8_t)space, .address = offsets, .data = data};
    parts[WL_SANITIZE_GLOBAL].address = address;
    for (uint64_t left = lanes; left; left &= left - 1) {
        const unsigned l = (unsigned)__builtin_ctzll(left);
        const uint64_t high = address[l] >> 32;
        const unsigned space = high == WL_SHARED_APERTURE_HI    ? WL_SANITIZE_LDS
                               : high == WL_PRIVATE_APERTURE_HI ? WL_SANITIZE_SCRATCH
                                                                : WL_SANITIZE_GLOBAL;
        offsets[l] = (uint32_t)address[l];
        parts[space].lanes |= UINT64_C(1) << l;
    }
    for (unsigned space = 0; space < 3; space++)
        good |= tell(wave, &parts[space]);
    return good;
}

static uint64_t help_access(struct wl_wave *wave, const struct wl_sanitize_site *site, uint64_t lanes, const uint64_t *address,
                            const uint32_t *data) {
    struct wl_san_access access = {.site = site, .space = site->space, .lanes = lanes, .address = address, .data = data};
    uint64_t offsets[MAX_LANES];
    watched_wave(wave)->instructions++;
    if (site->space == WL_SANITIZE_FLAT)
        return tell_flat(wave, site, lanes, address, data);
    if (site->space == WL_SANITIZE_LDS) {
        for (uint64_t left = lanes; left; left &= left - 1) {
            const unsigned l = (unsigned)__builtin_ctzll(left);
            offsets[l] = address[l] - (uint64_t)(uintptr_t)wave->lds;
        }
        access.address = offsets;
    }
    return tell(wave, &access);
}

/* The bytes of an element that are in the descriptor's range: 0, or those before the first component that is not. */
static uint32_t bytes_in_range(const struct wl_buffer_place *place, uint32_t component, uint32_t all) {
    uint32_t bytes = 0;
    while (bytes < all && wl_buffer_in_range(place, bytes, component))
        bytes += component;
    return bytes;
}

static uint64_t help_buffer(struct wl_wave *wave, const struct wl_sanitize_site *site, const uint32_t *address, const uint32_t *descriptor,
                            uint32_t soffset, uint32_t offset, uint32_t element) {
    struct wl_buffer b;
    wl_buffer_read(&b, descriptor, element);
    const uint64_t exec = wl_wave_exec(wave);
    const bool is_scratch = b.add_tid && b.swizzle_size;
    const uint32_t component = site->bytes < 4 ? site->bytes : 4;
    uint64_t at[MAX_LANES], in_range = 0, parted = 0;
    for (uint64_t left = exec; left; left &= left - 1) {
        const unsigned l = (unsigned)__builtin_ctzll(left);
        const struct wl_buffer_place place =
            wl_buffer_locate(&b, address ? address + l : NULL, wave->wave_size, soffset, offset, element, l);
        if (element & WL_ELEMENT_TYPED || bytes_in_range(&place, component, site->bytes) < site->bytes) {
            if (!wl_buffer_in_range(&place, 0, component))
                continue;
            parted |= UINT64_C(1) << l; /* some of it: what lies in range is the descriptor's matter */
        }
        in_range |= UINT64_C(1) << l;
        at[l] = is_scratch ? (uint32_t)(place.offset + soffset / wave->wave_size) : (uint64_t)(uintptr_t)wl_buffer_memory(&place, 0);
    }
    watched_wave(wave)->instructions++;
    struct wl_san_access access = {
        .site = site, .space = is_scratch ? WL_SANITIZE_SCRATCH : WL_SANITIZE_GLOBAL, .lanes = in_range & ~parted, .address = at};
    uint64_t good = tell(wave, &access);
    struct wl_sanitize_site first = *site;
    first.bytes = 1;
    access.site = &first;
    access.lanes = parted;
    good |= parted ? tell(wave, &access) : 0;
    return good | (exec & ~in_range);
}

static void help_fence(struct wl_wave *wave, const struct wl_sanitize_fence *fence) {
    const uint32_t place = wave->fault_pc;
    wave->fault_pc = 0;
    wl_san_fence(watched_wave(wave), fence);
    wave->fault_pc = place;
}

static struct wl_helpers helpers;

static void make_helpers(void) {
    helpers = wl_helpers_table;
    helpers.sanitize_access = help_access;
    helpers.sanitize_buffer = help_buffer;
    helpers.sanitize_fence = help_fence;
}

const struct wl_helpers *wl_sanitize_helpers(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, make_helpers);
    return &helpers;
}

/* ---- launches -------------------------------------------------------------------------------- */

static size_t kernarg_end(size_t size) { return (size + 15) & ~(size_t)15; } /* compilers load whole vectors there */

void wl_sanitize_begin(struct wl_job *job, struct wl_san_launch *watched, const struct wl_launch_memory *memory, size_t kernarg_size) {
    const struct wl_launch *launch = job->launch;
    *watched = (struct wl_san_launch){.tools = wl_san_watches(job->function->kernel->name) ? wl_san_tools() : 0,
                                      .kernel = job->function->kernel->name,
                                      .object = job->function->module->object,
                                      .wave_size = job->wave_size,
                                      .lds_size = job->lds_size,
                                      .scratch_size = job->scratch_size,
                                      .cooperative = launch->cooperative};
    memcpy(watched->grid, launch->grid, sizeof watched->grid);
    memcpy(watched->block, launch->block, sizeof watched->block);
    memcpy(watched->remainder, launch->remainder, sizeof watched->remainder);
    wl_san_allocated((uint64_t)(uintptr_t)memory, sizeof *memory, WL_SAN_SYSTEM, NULL, NULL);
    if (kernarg_size)
        wl_san_allocated((uint64_t)(uintptr_t)memory->kernarg, kernarg_end(kernarg_size), WL_SAN_KERNARG, NULL, NULL);
    wl_san_launch_begin(watched);
    job->sanitized = watched;
}

void wl_sanitize_end(struct wl_job *job, const struct wl_launch_memory *memory, size_t kernarg_size) {
    wl_san_launch_end(job->sanitized);
    wl_san_forgotten((uint64_t)(uintptr_t)memory->kernarg, kernarg_end(kernarg_size));
    wl_san_forgotten((uint64_t)(uintptr_t)memory, sizeof *memory);
}

/* ---- code objects ---------------------------------------------------------------------------- */

static uint64_t next_variable(const struct wl_codeobject *object, uint64_t address, uint64_t limit) {
    for (size_t i = 0; i < wl_codeobject_variable_count(object); i++) {
        const uint64_t start = wl_codeobject_variable(object, i)->address;
        if (start >= address && start < limit)
            limit = start;
    }
    return limit;
}

/* Kernels may read the whole image: constants have no symbols. Behind a variable that is no constant lies nothing up to the next one. */
void wl_sanitize_module(const struct wl_device_module *module) {
    enum { RED_ZONE = 256 };
    const struct wl_codeobject *object = module->object;
    const uint64_t image = (uint64_t)(uintptr_t)module->image;
    wl_san_allocated(image, module->image_mapped, WL_SAN_CODE, NULL, NULL);
    for (size_t i = 0; i < wl_codeobject_variable_count(object); i++) {
        const struct wl_variable *variable = wl_codeobject_variable(object, i);
        const uint64_t end = variable->address + variable->size;
        if (!variable->size || end > module->image_size)
            continue;
        wl_san_allocated(image + variable->address, variable->size, WL_SAN_VARIABLE, variable->name, NULL);
        if (!variable->constant)
            wl_san_excluded(image + end, next_variable(object, end, end + RED_ZONE) - end);
    }
}

/* ---- workgroups ------------------------------------------------------------------------------ */

bool wl_sanitize_start(struct wl_job *job, struct wl_group *group, const struct wl_extent *extent) {
    if (!group->sanitized && !(group->sanitized = calloc(1, sizeof *group->sanitized))) {
        wl_fail(WL_OUT_OF_MEMORY, "no memory for what sanitizers keep of a workgroup");
        return false;
    }
    struct wl_san_group *watched = &group->sanitized->group;
    *watched = (struct wl_san_group){.launch = job->sanitized, .wave_count = extent->waves, .lds = group->lds};
    memcpy(watched->id, group->id, sizeof watched->id);
    memcpy(watched->size, extent->size, sizeof watched->size);
    wl_san_group_begin(watched);
    for (uint32_t w = 0; w < extent->waves; w++) {
        struct wl_san_wave *wave = &group->sanitized->waves[w];
        *wave = (struct wl_san_wave){.group = watched, .index = w, .scratch = wl_group_wave(group, w)->scratch};
        wl_san_wave_begin(wave);
    }
    return true;
}

/* The barrier that the wave is at: the instruction before that at which it will go on. */
static uint64_t barrier_of(const struct wl_runner *runner, const struct wl_wave *wave) {
    enum { BARRIER_BYTES = 4 };
    const struct wl_unit_info *info = atomic_load_explicit(&runner->unit->info[runner->mode], memory_order_relaxed);
    return info && wave->resume < info->resume_count ? info->resume[wave->resume].address - BARRIER_BYTES : 0;
}

void wl_sanitize_wave(struct wl_group *group, uint32_t index, enum wl_wave_state state) {
    struct wl_san_wave *watched = &group->sanitized->waves[index];
    struct wl_wave *wave = wl_group_wave(group, index);
    if (state == WL_WAVE_ENDED)
        wl_san_wave_end(watched);
    else if (state == WL_WAVE_BARRIER)
        wl_san_barrier_arrive(watched, barrier_of(&group->runners[index], wave), wl_wave_exec(wave));
}

/* Compilers call by s_swappc_b64 s[30:31]. */
void wl_sanitize_jump(struct wl_group *group, const struct wl_wave *wave, const struct wl_device_module *module) {
    enum { RETURN_ADDRESS = 30 };
    const uint32_t *sgpr = &wave->sgpr[RETURN_ADDRESS], swappc = 0xbe800000u | RETURN_ADDRESS << 16;
    uint64_t back = ((uint64_t)sgpr[1] << 32 | sgpr[0]) - (uint64_t)(uintptr_t)module->image;
    uint32_t word = 0;
    if (back >= sizeof word && back <= module->image_size && wl_codeobject_is_code(module->object, back - sizeof word, sizeof word))
        memcpy(&word, (const char *)module->image + back - sizeof word, sizeof word);
    wl_san_jump(&group->sanitized->waves[wave->wave_index], wave->pc, (word & 0xffff0000u) == swappc ? back : 0);
}

void wl_sanitize_released(struct wl_group *group) { wl_san_barrier_done(&group->sanitized->group); }

void wl_sanitize_done(struct wl_group *group) { wl_san_group_end(&group->sanitized->group); }
