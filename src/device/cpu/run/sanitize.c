#include "device/cpu/run/sanitize.h"

#include "device/cpu/fault/fault.h"
#include "device/cpu/helpers/helpers.h"
#include "device/cpu/memory.h"
#include "device/cpu/run/counters.h"
#include "device/cpu/run/exits.h"
#include "device/cpu/run/sanitize_rare.h"
#include "lane/buffer_lane.h"
#include "machine/lane_mask.h"
#include "machine/sanitize.h"
#include "sanitize/allocations.h"
#include "sanitize/memcheck.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_LANES = 64 };

/* ---- who accesses memory ---------------------------------------------------------------------- */

/* Where the call of the device function that a wave is in returns to, in the code object; 0: not known. Compilers call by s_swappc_b64
 * s[30:31]. */
static uint64_t return_place(const struct wl_wave *wave, const struct wl_device_module *module) {
    enum { RETURN_ADDRESS = 30 };
    const uint32_t *sgpr = &wave->sgpr[RETURN_ADDRESS], swappc = 0xbe800000u | RETURN_ADDRESS << 16;
    const uint64_t back = ((uint64_t)sgpr[1] << 32 | sgpr[0]) - (uint64_t)(uintptr_t)module->image;
    uint32_t word = 0;
    if (back >= sizeof word && back <= module->image_size && wl_codeobject_is_code(module->object, back - sizeof word, sizeof word))
        memcpy(&word, (const char *)module->image + back - sizeof word, sizeof word);
    return (word & 0xffff0000u) == swappc ? back : 0;
}

/* A wave in its code, as the functions below need it. */
struct teller {
    const struct wl_job *job;
    const struct wl_group *group;
    const struct wl_runner *runner;
    const struct wl_wave *wave; /* its state; in workgroup mode the first wave's */
    uint32_t index;             /* of the wave in the workgroup */
};

static struct teller teller_of(const struct wl_wave *wave) {
    const struct wl_runner *runner = wave->owner;
    return (struct teller){wl_fault_thread()->job, runner->group, runner, wave, wave->wave_index};
}

/* What a report says of a wave whose workgroup the layer does not follow. */
struct who {
    struct wl_san_group group;
    struct wl_san_wave wave;
};

static struct wl_san_wave *find_who(struct who *who, const struct teller *t) {
    const struct wl_group *group = t->group;
    const struct wl_job *job = t->job;
    const struct wl_launch *launch = job->launch;
    const struct wl_cpu_unit *unit = t->runner->unit;
    const uint32_t index = t->index;
    *who = (struct who){.group = {.launch = job->sanitized}, .wave = {.group = &who->group, .index = index}};
    for (unsigned d = 0; d < 3; d++) {
        const bool partial = launch->remainder[d] && group->id[d] + 1 == launch->grid[d];
        who->group.id[d] = group->id[d];
        who->group.size[d] = partial ? launch->remainder[d] : launch->block[d];
    }
    if (!unit->kernel) /* as the wave was when it came here; calls within the function may have changed it */
        wl_san_jump(&who->wave, unit->address, return_place(t->wave, job->function->module));
    return &who->wave;
}

/* ---- what code tells ------------------------------------------------------------------------- */

/* Lanes of one space. Returns those that may make the access. */
static uint64_t tell(const struct teller *t, struct wl_san_access *access) {
    const struct wl_job *job = t->job;
    struct who who;
    if (job->counts)
        wl_counters_access(job, access);
    if (!access->lanes || job->counts || !job->sanitized->tools)
        return access->lanes;
    if (job->follows_waves) {
        struct wl_san_wave *wave = &t->group->sanitized->waves[t->index];
        access->instruction = wave->instructions;
        return wl_san_access(wave, access);
    }
    const uint64_t limit = access->space == WL_SANITIZE_LDS ? job->sanitized->lds_size : job->sanitized->scratch_size;
    const uint64_t good = wl_memcheck_lanes(access, limit), bad = access->lanes & ~good;
    if (bad)
        wl_memcheck_report(find_who(&who, t), access, bad);
    return good | wl_memcheck_harmless(access, bad, limit);
}

/* A flat access: the lanes of each space are told apart. */
static uint64_t tell_flat(const struct teller *t, const struct wl_san_access *all) {
    struct wl_san_access parts[3] = {*all, *all, *all};
    uint64_t offsets[MAX_LANES], good = 0;
    for (unsigned space = 0; space < 3; space++) {
        parts[space].space = (uint8_t)space;
        parts[space].lanes = 0;
        parts[space].address = space == WL_SANITIZE_GLOBAL ? all->address : offsets;
    }
    for (uint64_t left = all->lanes; left; left &= left - 1) {
        const unsigned l = (unsigned)__builtin_ctzll(left);
        const uint64_t high = all->address[l] >> 32;
        const unsigned space = high == WL_SHARED_APERTURE_HI    ? WL_SANITIZE_LDS
                               : high == WL_PRIVATE_APERTURE_HI ? WL_SANITIZE_SCRATCH
                                                                : WL_SANITIZE_GLOBAL;
        offsets[l] = (uint32_t)all->address[l];
        parts[space].lanes |= UINT64_C(1) << l;
    }
    for (unsigned space = 0; space < 3; space++)
        good |= tell(t, &parts[space]);
    return good;
}

/* An access as instructions have it: LDS by host addresses, flat addresses. */
static uint64_t tell_access(const struct teller *t, struct wl_san_access *access) {
    uint64_t offsets[MAX_LANES];
    if (t->job->follows_waves)
        t->group->sanitized->waves[t->index].instructions++;
    if (access->space == WL_SANITIZE_FLAT)
        return tell_flat(t, access);
    if (access->space == WL_SANITIZE_LDS) {
        for (uint64_t left = access->lanes; left; left &= left - 1) {
            const unsigned l = (unsigned)__builtin_ctzll(left);
            offsets[l] = access->address[l] - (uint64_t)(uintptr_t)t->group->lds;
        }
        access->address = offsets;
    }
    return tell(t, access);
}

/* While something is told, a signal must not take the thread out of the kernel: it may hold locks. Where `fault_pc` is 0, and the PC is not
 * in the unit's code, that does not happen. */
uint64_t wl_sanitize_access(struct wl_wave *wave, const struct wl_sanitize_site *site, uint64_t lanes, const uint64_t *address,
                            const uint32_t *data) {
    const struct teller t = teller_of(wave);
    struct wl_san_access access = {
        .site = site, .space = site->space, .lanes = lanes, .address = address, .data = data, .data_stride = wave->wave_size};
    const uint32_t place = wave->fault_pc;
    wave->fault_pc = 0;
    const uint64_t good = tell_access(&t, &access);
    wave->fault_pc = place;
    return good;
}

/* ---- buffers --------------------------------------------------------------------------------- */

/* The bytes of an element that are in the descriptor's range: 0, or those before the first component that is not. */
static uint32_t bytes_in_range(const struct wl_buffer_place *place, uint32_t component, uint32_t all) {
    uint32_t bytes = 0;
    while (bytes < all && wl_buffer_in_range(place, bytes, component))
        bytes += component;
    return bytes;
}

/* Bytes of a lane's element in memory. */
static uint32_t element_bytes(const struct wl_buffer *b, const struct wl_sanitize_site *site, uint32_t element) {
    if (!(element & WL_ELEMENT_TYPED))
        return site->bytes;
    const struct wl_channel_format format = wl_buffer_format(b, element);
    const uint32_t bytes = wl_channel_bytes(&format);
    return bytes ? bytes : 1;
}

/* Of lanes out of the descriptor's range nothing is told. Of elements that are partly in range the first byte is. */
static uint64_t tell_buffer(const struct teller *t, const struct wl_wave *wave, const struct wl_sanitize_site *site,
                            const uint32_t *address, const uint32_t *descriptor, uint32_t soffset, uint32_t offset, uint32_t element) {
    struct wl_buffer b;
    wl_buffer_read(&b, descriptor, element);
    const uint64_t exec = wl_wave_exec(wave);
    const bool is_scratch = b.add_tid && b.swizzle_size;
    struct wl_sanitize_site all = *site, first = *site;
    all.bytes = element_bytes(&b, site, element);
    first.bytes = 1;
    const uint32_t component = all.bytes < 4 ? all.bytes : 4;
    uint64_t at[MAX_LANES], whole = 0, parted = 0;
    for (uint64_t left = exec; left; left &= left - 1) {
        const unsigned l = (unsigned)__builtin_ctzll(left);
        const struct wl_buffer_place place =
            wl_buffer_locate(&b, address ? address + l : NULL, wave->wave_size, soffset, offset, element, l);
        const uint32_t bytes = bytes_in_range(&place, component, all.bytes);
        if (bytes == all.bytes)
            whole |= UINT64_C(1) << l;
        else if (bytes)
            parted |= UINT64_C(1) << l;
        else
            continue;
        at[l] = is_scratch ? (uint32_t)(place.offset + soffset / wave->wave_size) : (uint64_t)(uintptr_t)wl_buffer_memory(&place, 0);
    }
    struct wl_san_access access = {
        .site = &all, .space = is_scratch ? WL_SANITIZE_SCRATCH : WL_SANITIZE_GLOBAL, .lanes = whole, .address = at};
    uint64_t good = tell_access(t, &access);
    access.site = &first;
    access.lanes = parted;
    access.address = at;
    good |= parted ? tell_access(t, &access) : 0;
    return good | (exec & ~(whole | parted));
}

/* The other side of a copy between a buffer and LDS: a dword at M0 for each component of each lane. */
static uint64_t tell_lds_of_buffer(const struct teller *t, const struct wl_wave *wave, const struct wl_sanitize_site *site, uint32_t offset,
                                   uint32_t element, uint64_t lanes) {
    const bool stores = site->kind == WL_SANITIZE_STORE;
    const uint32_t dwords = stores || element & WL_ELEMENT_TYPED ? 1 : element >> 8 & 15;
    struct wl_sanitize_site lds = *site;
    lds.kind = stores ? WL_SANITIZE_LOAD : WL_SANITIZE_STORE;
    lds.bytes = dwords * 4;
    uint64_t at[MAX_LANES];
    for (unsigned l = 0; l < wave->wave_size; l++)
        at[l] = (uint64_t)(uintptr_t)wave->lds + (wave->sgpr[WL_SGPR_M0] & WL_M0_LDS) + offset + (uint64_t)l * dwords * 4;
    struct wl_san_access access = {.site = &lds, .space = WL_SANITIZE_LDS, .lanes = lanes, .address = at};
    return tell_access(t, &access);
}

void wl_sanitize_set_exec(struct wl_wave *wave, uint64_t exec) {
    wave->sgpr[WL_SGPR_EXEC] = (uint32_t)exec;
    if (wave->wave_size == 64)
        wave->sgpr[WL_SGPR_EXEC + 1] = (uint32_t)(exec >> 32);
}

/* Leaves EXEC with the lanes that may make the access; returns what it was. */
static uint64_t narrow_exec(struct wl_wave *wave, const uint32_t *address, const uint32_t *descriptor, uint32_t soffset, uint32_t offset,
                            uint32_t element) {
    const struct wl_sanitize_site *site = (const struct wl_sanitize_site *)(uintptr_t)wave->pc;
    const struct teller t = teller_of(wave);
    const uint64_t exec = wl_wave_exec(wave);
    const uint32_t place = wave->fault_pc;
    wave->fault_pc = 0;
    uint64_t good = tell_buffer(&t, wave, site, address, descriptor, soffset, offset, element);
    if (element & WL_ELEMENT_LDS && good)
        good = tell_lds_of_buffer(&t, wave, site, offset, element, good);
    wl_sanitize_set_exec(wave, good);
    wave->fault_pc = place;
    return exec;
}

void wl_sanitize_clear_lanes(const struct wl_wave *wave, uint32_t *rows, uint32_t count, uint64_t lanes) {
    for (; rows && lanes; lanes &= lanes - 1)
        for (uint32_t d = 0; d < count; d++)
            rows[d * wave->wave_size + (unsigned)__builtin_ctzll(lanes)] = 0;
}

static void help_buffer_load(struct wl_wave *wave, uint32_t *destination, const uint32_t *address, const uint32_t *descriptor,
                             uint32_t soffset, uint32_t offset, uint32_t element) {
    const uint64_t exec = narrow_exec(wave, address, descriptor, soffset, offset, element), good = wl_wave_exec(wave);
    wl_helpers_table.buffer_load(wave, destination, address, descriptor, soffset, offset, element);
    wl_sanitize_set_exec(wave, exec);
    if (!(element & WL_ELEMENT_LDS))
        wl_sanitize_clear_lanes(wave, destination, element >> 8 & 15, exec & ~good);
}

static void help_buffer_store(struct wl_wave *wave, const uint32_t *data, const uint32_t *address, const uint32_t *descriptor,
                              uint32_t soffset, uint32_t offset, uint32_t element) {
    const uint64_t exec = narrow_exec(wave, address, descriptor, soffset, offset, element);
    wl_helpers_table.buffer_store(wave, data, address, descriptor, soffset, offset, element);
    wl_sanitize_set_exec(wave, exec);
}

static void help_buffer_atomic(struct wl_wave *wave, uint32_t *data, const uint32_t *address, const uint32_t *descriptor, uint32_t soffset,
                               uint32_t offset, uint32_t element, uint32_t operation) {
    const uint64_t exec = narrow_exec(wave, address, descriptor, soffset, offset, element), good = wl_wave_exec(wave);
    wl_helpers_table.buffer_atomic(wave, data, address, descriptor, soffset, offset, element, operation);
    wl_sanitize_set_exec(wave, exec);
    if (element & WL_ELEMENT_RETURN)
        wl_sanitize_clear_lanes(wave, data, (element & 0xff) / 32, exec & ~good);
}

/* ---- native code: a strip's lanes ------------------------------------------------------------ */

/* Buffers: offsets become addresses, or offsets in scratch. Lanes that are out of range may go on: they access nothing. */
static uint64_t tell_strip_of_buffer(const struct teller *t, struct wl_san_access *access, uint64_t base, uint64_t limit) {
    enum { LINEAR, SCRATCH };
    const uint32_t kind = (uint32_t)(limit >> 32), bytes = access->site->bytes;
    uint64_t at[WL_STRIP], in_range = 0, before = 0; /* of private memory: what the instruction's scalar offset skips of each lane's */
    if (kind == SCRATCH && t->runner->mode != WL_MODE_WORKGROUP)
        before = (base - (uint64_t)(uintptr_t)t->wave->scratch) / t->job->wave_size;
    for (uint64_t left = access->lanes; left; left &= left - 1) {
        const unsigned l = (unsigned)__builtin_ctzll(left);
        const uint64_t offset = access->address[l];
        at[l] = kind == SCRATCH  ? offset + before
                : kind == LINEAR ? (offset + bytes <= limit ? base + offset : 0)
                                 : wl_helpers_table.buffer_place(base, limit, access->site->generation, access->first_lane + l,
                                                                 (uint32_t)offset, 0, bytes);
        in_range |= (uint64_t)(kind == SCRATCH || at[l]) << l;
    }
    const uint64_t others = access->lanes & ~in_range;
    access->space = kind == SCRATCH ? WL_SANITIZE_SCRATCH : WL_SANITIZE_GLOBAL;
    access->lanes = in_range;
    access->address = at;
    return tell_access(t, access) | others;
}

static uint32_t help_strip(const struct wl_sanitize_site *site, uint64_t first_lane, uint32_t lanes, const uint64_t *address, uint64_t base,
                           uint64_t limit, const uint32_t *data) {
    const struct wl_thread *thread = wl_fault_thread();
    const struct wl_runner *runner = thread->running;
    struct wl_group *group = runner->group;
    const struct wl_job *job = thread->job;
    const bool own = job->may_wait || job->keeps_wave, workgroup = runner->mode == WL_MODE_WORKGROUP;
    const struct wl_wave *wave = wl_group_wave(group, own && !workgroup ? (uint32_t)(runner - group->runners) : 0);
    const struct teller t = {job, group, runner, wave, workgroup ? (uint32_t)(first_lane / job->wave_size) : wave->wave_index};
    struct wl_san_access access = {.site = site,
                                   .space = site->space,
                                   .is_strip = true,
                                   .first_lane = (uint32_t)(first_lane % job->wave_size),
                                   .lanes = lanes,
                                   .address = address,
                                   .data = data,
                                   .data_stride = WL_STRIP};
    return (uint32_t)(base ? tell_strip_of_buffer(&t, &access, base, limit) : tell_access(&t, &access));
}

/* Gets what the lanes are about to access on its way while tools look at the access, and what lies behind it, where the waves that come next
 * mostly go on. Inline: compilers leave out calls of functions that do nothing but this. */
__attribute__((always_inline)) static inline void prefetch(const struct wl_san_lanes *run) {
    enum { WAVES = 3, LINE = 64 };
    const uint64_t size = (64 - (uint64_t)__builtin_clzll(run->lanes)) * run->step;
    const char *start = (const char *)(uintptr_t)run->start;
    if (run->site->kind == WL_SANITIZE_STORE)
        for (uint64_t at = 0; at < WAVES * size; at += LINE)
            __builtin_prefetch(start + at, 1);
    else
        for (uint64_t at = 0; at < WAVES * size; at += LINE)
            __builtin_prefetch(start + at, 0);
}

static uint32_t help_run(struct wl_wave *wave, const struct wl_sanitize_site *site, uint64_t start, uint64_t lanes, uint32_t first_lane,
                         uint32_t step) {
    const struct wl_runner *runner = wave->owner;
    const struct wl_group *group = runner->group;
    struct wl_san_lanes run = {.site = site,
                               .space = site->space == WL_SANITIZE_FLAT ? WL_SANITIZE_GLOBAL : site->space,
                               .step = step,
                               .first_lane = first_lane,
                               .lanes = lanes,
                               .start = start};
    if (!lanes)
        return 0;
    if (site->space == WL_SANITIZE_LDS)
        run.start -= (uint64_t)(uintptr_t)group->lds;
    else if (start >> 47)
        return 0; /* an aperture */
    else
        prefetch(&run);
    struct wl_sanitized_group *sanitized = group->sanitized;
    if (!sanitized || !sanitized->group.launch) { /* code that counts */
        wl_counters_run(wl_fault_thread()->job, &run);
        return 1;
    }
    struct wl_san_wave *watched = &sanitized->waves[wave->wave_index];
    watched->instructions++;
    return !watched->group->launch->tools || wl_san_access_run(watched, &run);
}

static void help_fence(struct wl_wave *wave, const struct wl_sanitize_fence *fence) {
    const struct teller t = teller_of(wave);
    const uint32_t place = wave->fault_pc;
    wave->fault_pc = 0;
    if (t.job->follows_waves)
        wl_san_fence(&t.group->sanitized->waves[t.index], fence);
    wave->fault_pc = place;
}

static struct wl_undefined *help_undefined(struct wl_wave *wave) {
    const struct teller t = teller_of(wave);
    return t.job->follows_waves ? wl_san_undefined(&t.group->sanitized->waves[t.index]) : NULL;
}

static void help_decides(struct wl_wave *wave, uint64_t code, uint32_t use, uint32_t lane, uint64_t origin) {
    const struct teller t = teller_of(wave);
    const uint32_t place = wave->fault_pc;
    wave->fault_pc = 0;
    wl_san_decides(&t.group->sanitized->waves[t.index], code, use, lane, origin);
    wave->fault_pc = place;
}

static struct wl_helpers helpers;

static void make_helpers(void) {
    helpers = wl_helpers_table;
    helpers.buffer_load = help_buffer_load;
    helpers.buffer_store = help_buffer_store;
    helpers.buffer_atomic = help_buffer_atomic;
    wl_sanitize_rare_helpers(&helpers);
    wl_sanitize_image_helper(&helpers);
    helpers.sanitize_shadow = wl_san_shadow();
    helpers.sanitize_access = wl_sanitize_access;
    helpers.sanitize_fence = help_fence;
    helpers.sanitize_strip = help_strip;
    helpers.sanitize_run = help_run;
    helpers.sanitize_undefined = help_undefined;
    helpers.sanitize_decides = help_decides;
    helpers.sanitize_values = wl_san_tools() & WL_SANITIZE_INITCHECK ? wl_san_values() : NULL;
    helpers.sanitize_piece = wl_san_piece;
    helpers.count_block = wl_counters_block;
}

const struct wl_helpers *wl_sanitize_helpers(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, make_helpers);
    return &helpers;
}

/* ---- launches -------------------------------------------------------------------------------- */

static size_t kernarg_end(size_t size) { return (size + 15) & ~(size_t)15; } /* compilers load whole vectors there */

uint32_t wl_sanitize_scratch(const struct wl_job *job) {
    const struct wl_kernel *kernel = job->function->kernel;
    return kernel->dynamic_stack ? job->scratch_size : kernel->scratch_size;
}

/* The registers that the kernel may read before it writes them, but for what wl_abi_sgprs and the dispatcher give a wave to begin with. */
static void find_unwritten(const struct wl_job *job, struct wl_san_launch *watched) {
    const struct wl_abi *abi = &job->function->abi;
    const struct wl_steps_control *control = job->unit->steps_control;
    memcpy(watched->unwritten_scalars, control->read_scalars, sizeof watched->unwritten_scalars);
    for (unsigned r = 0; r < WL_SGPR_COUNT; r++)
        if (r < WL_SGPR_FLAT_SCRATCH ? (int)r < abi->sgpr_end
                                     : r != WL_SGPR_VCC && r != WL_SGPR_VCC + 1 && r != WL_SGPR_M0 && r != WL_SGPR_SCC)
            watched->unwritten_scalars[r / 64] &= ~(UINT64_C(1) << r % 64);
    for (unsigned r = abi->id_rows; r < job->rows && r < WL_VGPR_COUNT; r++)
        watched->unwritten_rows[r / 64] |= control->read_rows[r / 64] & UINT64_C(1) << r % 64;
}

void wl_sanitize_begin(struct wl_job *job, struct wl_san_launch *watched, const struct wl_launch_memory *memory, size_t kernarg_size) {
    const struct wl_launch *launch = job->launch;
    job->sanitized = watched;
    const bool watches = wl_san_watches(job->function->kernel->name);
    /* what other kernels write is defined */
    *watched = (struct wl_san_launch){.tools = wl_san_tools() & (watches ? WL_SANITIZE_ALL : WL_SANITIZE_INITCHECK),
                                      .silent = !watches,
                                      .stream = launch->multigrid ? 0 : wl_san_line, /* several grids meet by other means */
                                      .kernel = job->function->kernel->name,
                                      .object = job->function->module->object,
                                      .wave_size = job->wave_size,
                                      .lds_size = job->lds_size,
                                      .scratch_size = wl_sanitize_scratch(job),
                                      .arguments = (uint64_t)(uintptr_t)memory->kernarg,
                                      .arguments_size = kernarg_end(kernarg_size),
                                      .cooperative = launch->cooperative};
    if (job->unit->steps && watched->tools & WL_SANITIZE_INITCHECK)
        find_unwritten(job, watched);
    memcpy(watched->grid, launch->grid, sizeof watched->grid);
    memcpy(watched->block, launch->block, sizeof watched->block);
    memcpy(watched->remainder, launch->remainder, sizeof watched->remainder);
    wl_san_allocated((uint64_t)(uintptr_t)memory, sizeof *memory, WL_SAN_SYSTEM, NULL, NULL);
    if (kernarg_size)
        wl_san_allocated((uint64_t)(uintptr_t)memory->kernarg, kernarg_end(kernarg_size), WL_SAN_KERNARG, NULL, NULL);
    if (launch->multigrid)
        wl_san_allocated((uint64_t)(uintptr_t)launch->multigrid->barrier, 2 * sizeof(uint32_t), WL_SAN_SYSTEM, NULL, NULL);
    wl_san_launch_begin(watched);
}

void wl_sanitize_end(struct wl_job *job, const struct wl_launch_memory *memory, size_t kernarg_size) {
    wl_san_launch_end(job->sanitized);
    if (kernarg_size)
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
    watched->launch = job->sanitized;
    watched->wave_count = extent->waves;
    watched->lds = group->lds;
    memcpy(watched->id, group->id, sizeof watched->id);
    memcpy(watched->size, extent->size, sizeof watched->size);
    wl_san_group_begin(watched);
    for (uint32_t w = 0; w < extent->waves; w++) {
        struct wl_san_wave *wave = &group->sanitized->waves[w];
        wave->group = watched;
        wave->index = w;
        wave->scratch = wl_group_wave(group, w)->scratch;
        wl_san_wave_begin(wave);
        if (!(job->sanitized->tools & WL_SANITIZE_INITCHECK))
            continue;
        wl_group_wave(group, w)->undefined = wl_san_undefined(wave);
        if (!wl_san_undefined(wave)) {
            wl_fail(WL_OUT_OF_MEMORY, "no memory for the undefined bits of a wave");
            return false;
        }
    }
    return true;
}

void wl_sanitize_forget(const struct wl_runner *runner, const struct wl_wave *wave) {
    struct wl_sanitized_group *sanitized = runner->group->sanitized;
    struct wl_undefined *undefined = sanitized ? wl_san_undefined(&sanitized->waves[wave->wave_index]) : NULL;
    if (undefined)
        wl_undefined_clear(undefined);
}

/* The instruction of `bytes` bytes at which the wave exited: the one before that at which it will go on. */
static uint64_t exit_of(const struct wl_runner *runner, const struct wl_wave *wave, unsigned bytes) {
    const struct wl_unit_info *info = atomic_load_explicit(&runner->unit->info[runner->mode], memory_order_relaxed);
    return info && wave->resume < info->resume_count ? info->resume[wave->resume].address - bytes : 0;
}

void wl_sanitize_wave(struct wl_group *group, uint32_t index, enum wl_wave_state state) {
    struct wl_san_wave *watched = &group->sanitized->waves[index];
    struct wl_wave *wave = wl_group_wave(group, index);
    if (state == WL_WAVE_ENDED)
        wl_san_wave_end(watched);
    else if (state == WL_WAVE_BARRIER)
        wl_san_barrier_arrive(watched, exit_of(&group->runners[index], wave, 4), wl_wave_exec(wave));
}

void wl_sanitize_jump(struct wl_group *group, const struct wl_wave *wave, const struct wl_device_module *module) {
    wl_san_jump(&group->sanitized->waves[wave->wave_index], wave->pc, return_place(wave, module));
}

void wl_sanitize_released(struct wl_group *group) { wl_san_barrier_done(&group->sanitized->group); }

void wl_sanitize_done(struct wl_group *group) {
    wl_san_group_end(&group->sanitized->group);
    group->sanitized->group.launch = NULL;
}

void wl_sanitize_drop(struct wl_group *group) {
    if (group->sanitized && group->sanitized->group.launch)
        wl_sanitize_done(group);
}

void wl_sanitize_free(struct wl_group *group) {
    wl_sanitize_drop(group);
    if (group->sanitized)
        wl_san_group_free(&group->sanitized->group);
    free(group->sanitized);
    group->sanitized = NULL;
}

void wl_sanitize_gws(const struct wl_runner *runner, const struct wl_wave *wave) {
    const enum wl_gws_op operation = wave->exit_detail >> 8 & 0xff;
    wl_san_gws(&runner->group->sanitized->waves[wave->wave_index], exit_of(runner, wave, 8), wave->exit_detail % WL_GWS_RESOURCES,
               operation == WL_GWS_BARRIER);
}

void wl_sanitize_gws_done(const struct wl_runner *runner) {
    const struct wl_group *group = runner->group;
    wl_san_gws_done(&group->sanitized->waves[runner - group->runners], runner->gws_wait.resource);
}

bool wl_sanitize_stuck(struct wl_job *job, struct wl_group *group) {
    if (!wl_san_stuck(&group->sanitized->group))
        return false;
    wl_job_fail(job, wl_fail(WL_TIMED_OUT, "waves of kernel %s wait for each other for ever", job->function->kernel->name));
    return true;
}
