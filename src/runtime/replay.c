#include "runtime/recording.h"

#include "base/array.h"
#include "base/clock.h"
#include "base/page.h"
#include "base/region.h"
#include "runtime/context.h"
#include "runtime/launch.h"
#include "runtime/memory.h"
#include "runtime/module.h"
#include "runtime/stream.h"
#include "sanitize/names.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* A file that is run again. What is in it comes from outside. */
struct replay {
    const struct wl_replay *wishes;
    struct wl_context *context;
    const uint8_t *bytes;
    size_t size, at;
    struct {
        uint64_t number;
        struct wl_module *loaded;
    } *modules;
    size_t module_count, module_capacity;
    struct range {
        uint64_t begin, end;
    } *ranges; /* that are mapped */
    size_t range_count, range_capacity;
    const struct wl_recording_allocation *known; /* to the runtime: those of the launch before */
    size_t known_count;
    enum wl_replay_result result;
    uint64_t ran;
};

/* A launch, as it lies in the file. */
struct launch {
    struct wl_recording_launch head;
    const uint8_t *arguments;
    const char *name;
    const struct wl_recording_allocation *allocations;
    const uint64_t *hashes; /* NULL: the file ends before */
    uint64_t status;
};

static enum wl_status damaged(void) { return wl_fail(WL_INVALID_IMAGE, "the recording is damaged"); }

/* ---- sections ---------------------------------------------------------------------------------------- */

/* The next section, whose contents *contents points to. False: there is none, or only a part of one. */
static bool next_section(struct replay *r, struct wl_recording_section *section, const uint8_t **contents) {
    if (r->size - r->at < sizeof *section)
        return false;
    memcpy(section, r->bytes + r->at, sizeof *section);
    if (section->size > r->size - r->at - sizeof *section)
        return false;
    *contents = r->bytes + r->at + sizeof *section;
    const uint64_t padded = (section->size + 7) / 8 * 8;
    r->at += sizeof *section;
    r->at = padded > r->size - r->at ? r->size : r->at + padded;
    return true;
}

/* The next part of a section, of `size` bytes and what they are padded with; NULL: it is not all there. */
static const void *take(const uint8_t **at, uint64_t *left, uint64_t size) {
    const uint8_t *part = *at;
    if (size > *left || (size + 7) / 8 * 8 > *left)
        return NULL;
    *at += (size + 7) / 8 * 8;
    *left -= (size + 7) / 8 * 8;
    return part;
}

/* Copies what a section begins with. False: it is not all there. */
static bool take_head(const uint8_t **at, uint64_t *left, void *head, size_t size) {
    const void *part = take(at, left, size);
    if (part)
        memcpy(head, part, size);
    return part;
}

static enum wl_status read_launch(const uint8_t *contents, uint64_t size, struct launch *launch) {
    if (!take_head(&contents, &size, &launch->head, sizeof launch->head))
        return damaged();
    launch->arguments = take(&contents, &size, launch->head.argument_size);
    launch->name = launch->arguments ? take(&contents, &size, launch->head.name_size) : NULL;
    if (!launch->name || !launch->head.name_size || launch->name[launch->head.name_size - 1] ||
        launch->head.allocation_count != size / sizeof *launch->allocations)
        return damaged();
    launch->allocations = (const struct wl_recording_allocation *)(const void *)contents;
    return WL_OK;
}

/* ---- memory ---------------------------------------------------------------------------------------------- */

/* Makes pages at addresses where this replay has made none. */
static enum wl_status map_range(struct replay *r, uint64_t begin, uint64_t end) {
    end = wl_page_up(end);
    for (begin = wl_page_down(begin); begin < end;) {
        uint64_t next = end;
        bool there = false;
        for (size_t i = 0; i < r->range_count && !there; i++) {
            there = r->ranges[i].begin <= begin && begin < r->ranges[i].end;
            if (there)
                next = r->ranges[i].end;
            else if (r->ranges[i].begin > begin && r->ranges[i].begin < next)
                next = r->ranges[i].begin;
        }
        if (!there) {
            void *wanted = (void *)(uintptr_t)begin;
            if (!WL_ARRAY_RESERVE(r->ranges, r->range_count, r->range_capacity, 64))
                return wl_fail(WL_OUT_OF_MEMORY, "out of host memory");
            if (mmap(wanted, next - begin, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE | MAP_NORESERVE, -1,
                     0) != wanted)
                return wl_fail(WL_OUT_OF_MEMORY,
                               "this process has other things at 0x%" PRIx64 ", where the recorded one had memory: try again", begin);
            r->ranges[r->range_count++] = (struct range){begin, next};
        }
        begin = next;
    }
    return WL_OK;
}

static enum wl_status put_data(struct replay *r, const uint8_t *contents, uint64_t size) {
    struct wl_recording_data head;
    if (!take_head(&contents, &size, &head, sizeof head))
        return damaged();
    if (head.address + size < size || head.address + size > UINT64_C(1) << 47)
        return damaged();
    const enum wl_status status = map_range(r, head.address, head.address + size);
    if (status == WL_OK)
        memcpy((void *)(uintptr_t)head.address, contents, size);
    return status;
}

static bool is_among(const struct wl_recording_allocation *list, size_t count, const struct wl_recording_allocation *one) {
    for (size_t i = 0; i < count; i++)
        if (list[i].address == one->address && list[i].size == one->size)
            return true;
    return false;
}

/* Tells the runtime of the launch's allocations, for reports of faults and for sanitizers, and of those that are gone. */
static enum wl_status know_allocations(struct replay *r, const struct launch *launch) {
    const struct wl_recording_allocation *list = launch->allocations;
    const size_t count = launch->head.allocation_count;
    for (size_t i = 0; i < r->known_count; i++)
        if (!r->known[i].is_image && !is_among(list, count, &r->known[i]))
            (void)wl_memory_unregister((void *)(uintptr_t)r->known[i].address, WL_MEMORY_REGISTERED);
    for (size_t i = 0; i < count; i++) {
        if (list[i].is_image || is_among(r->known, r->known_count, &list[i]))
            continue;
        enum wl_status status = map_range(r, list[i].address, list[i].address + list[i].size);
        if (status == WL_OK)
            status = wl_memory_register(r->context, WL_MEMORY_REGISTERED, (void *)(uintptr_t)list[i].address, list[i].size, 0);
        if (status != WL_OK)
            return status;
    }
    r->known = list;
    r->known_count = count;
    return WL_OK;
}

/* ---- launches ------------------------------------------------------------------------------------------------ */

static enum wl_status load_module(struct replay *r, const uint8_t *contents, uint64_t size) {
    struct wl_recording_module head;
    if (!take_head(&contents, &size, &head, sizeof head))
        return damaged();
    if (!WL_ARRAY_RESERVE(r->modules, r->module_count, r->module_capacity, 16) ||
        !WL_ARRAY_RESERVE(r->ranges, r->range_count, r->range_capacity, 64))
        return wl_fail(WL_OUT_OF_MEMORY, "out of host memory");
    wl_region_next((void *)(uintptr_t)head.image);
    struct wl_module *module = NULL;
    enum wl_status status = wl_module_load(r->context, contents, size, NULL, &module);
    wl_region_next(NULL);
    if (status != WL_OK)
        return status;
    if (wl_module_address(module, 0) != (void *)(uintptr_t)head.image)
        return wl_fail(WL_OUT_OF_MEMORY, "this process has other things at 0x%" PRIx64 ", where the recorded one had code: try again",
                       head.image);
    r->modules[r->module_count].number = head.number;
    r->modules[r->module_count++].loaded = module;
    r->ranges[r->range_count++] = (struct range){wl_page_down(head.image), wl_page_up(head.image + head.image_size)};
    return WL_OK;
}

/* What is to be told to the device of each launch. */
static struct {
    const struct wl_device_ops *plain;
    struct wl_device_ops ops;
    const struct wl_replay *wishes;
} device;

static enum wl_status launch_alone(struct wl_device *on, const struct wl_launch *launch) {
    struct wl_launch alone = *launch;
    alone.alone = true;
    alone.order = device.wishes->workgroups;
    alone.order_count = device.wishes->workgroup_count;
    return device.plain->launch(on, &alone);
}

static enum wl_status run(struct replay *r, const struct launch *launch) {
    const struct wl_recording_launch *head = &launch->head;
    struct wl_launch_request request = {.dynamic_lds = head->dynamic_lds,
                                        .buffer = launch->arguments,
                                        .buffer_size = head->argument_size,
                                        .cooperative = head->cooperative};
    struct wl_module *module = NULL;
    for (size_t i = 0; i < r->module_count; i++)
        if (r->modules[i].number == head->module)
            module = r->modules[i].loaded;
    if (!module)
        return damaged();
    enum wl_status status = wl_module_kernel(module, launch->name, &request.kernel);
    if (status == WL_OK)
        status = know_allocations(r, launch);
    if (status != WL_OK)
        return status;
    memcpy(request.grid, head->grid, sizeof request.grid);
    memcpy(request.block, head->block, sizeof request.block);
    memcpy(request.remainder, head->remainder, sizeof request.remainder);
    memcpy(request.cluster, head->cluster, sizeof request.cluster);
    request.kernel->max_dynamic_lds = wl_module_lds(module);
    status = wl_launch_enqueue(r->context->null_stream, &request);
    return status == WL_OK ? wl_context_synchronize(r->context) : status;
}

static void say(const struct replay *r, const struct launch *launch, uint64_t nanoseconds, const char *how) {
    char *readable = wl_san_demangle(launch->name);
    if (!r->wishes->quiet)
        printf("%" PRIu64 ": %s, %u x %u x %u workgroups of %u x %u x %u, %.3f ms: %s\n", launch->head.number,
               readable ? readable : launch->name, launch->head.grid[0], launch->head.grid[1], launch->head.grid[2], launch->head.block[0],
               launch->head.block[1], launch->head.block[2], (double)nanoseconds / 1e6, how);
    fflush(stdout);
    free(readable);
}

/* Whether memory is as it was behind the recorded launch; if not, *how says where. */
static bool is_same(const struct launch *launch, char *how, size_t size) {
    for (uint64_t i = 0; i < launch->head.allocation_count; i++) {
        const struct wl_recording_allocation *allocation = &launch->allocations[i];
        uint64_t expected;
        memcpy(&expected, &launch->hashes[i], sizeof expected);
        if (wl_recording_hash((const void *)(uintptr_t)allocation->address, allocation->size) == expected)
            continue;
        snprintf(how, size, "other memory than recorded, in the %" PRIu64 " bytes at 0x%" PRIx64, allocation->size, allocation->address);
        return false;
    }
    return true;
}

static enum wl_replay_result run_and_compare(struct replay *r, const struct launch *launch) {
    char how[256] = "memory is as recorded";
    enum wl_replay_result result = WL_REPLAY_SAME;
    const uint32_t *grid = launch->head.grid;
    if (r->wishes->outcome)
        *r->wishes->outcome = (struct wl_replay_outcome){launch->head.number, (uint64_t)grid[0] * grid[1] * grid[2]};
    const uint64_t start = wl_now();
    const enum wl_status status = run(r, launch);
    const uint64_t end = wl_now();
    if (status != WL_OK) {
        snprintf(how, sizeof how, "%s", *wl_failure() ? wl_failure() : "it ends with a fault");
        result = wl_context_fault(r->context) != WL_OK ? WL_REPLAY_FAULT : WL_REPLAY_IMPOSSIBLE;
    } else if (r->wishes->workgroups) {
        snprintf(how, sizeof how, "%" PRIu64 " of its workgroups ran", r->wishes->workgroup_count);
    } else if (!launch->hashes) {
        snprintf(how, sizeof how, "the recorded process had not come to its end");
    } else if (launch->status != WL_OK) {
        snprintf(how, sizeof how, "the recorded launch failed, this one did not");
        result = WL_REPLAY_DIFFERS;
    } else if (!is_same(launch, how, sizeof how)) {
        result = WL_REPLAY_DIFFERS;
    }
    r->ran++;
    say(r, launch, end - start, how);
    return result;
}

/* The launch at hand has been read; what follows it may be how it ended. */
static void read_result(struct replay *r, struct launch *launch) {
    struct wl_recording_section section;
    const uint8_t *contents;
    struct wl_recording_result head;
    const size_t at = r->at;
    if (next_section(r, &section, &contents) && section.kind == WL_RECORDING_RESULT &&
        section.size == sizeof head + launch->head.allocation_count * sizeof *launch->hashes) {
        memcpy(&head, contents, sizeof head);
        launch->status = head.status;
        launch->hashes = (const uint64_t *)(const void *)(contents + sizeof head);
    } else {
        r->at = at;
    }
}

static enum wl_status replay_launch(struct replay *r, const uint8_t *contents, uint64_t size) {
    struct launch launch = {.hashes = NULL};
    const enum wl_status status = read_launch(contents, size, &launch);
    if (status != WL_OK)
        return status;
    read_result(r, &launch);
    if (r->wishes->launch && r->wishes->launch != launch.head.number)
        return WL_OK;
    const enum wl_replay_result result = run_and_compare(r, &launch);
    r->result = result > r->result ? result : r->result;
    return WL_OK;
}

static enum wl_status replay_all(struct replay *r) {
    struct wl_recording_section section;
    const uint8_t *contents;
    enum wl_status status = WL_OK;
    while (status == WL_OK && r->result < WL_REPLAY_FAULT && !(r->wishes->launch && r->ran) && next_section(r, &section, &contents)) {
        if (section.kind == WL_RECORDING_MODULE)
            status = load_module(r, contents, section.size);
        else if (section.kind == WL_RECORDING_DATA)
            status = put_data(r, contents, section.size);
        else if (section.kind == WL_RECORDING_LAUNCH)
            status = replay_launch(r, contents, section.size);
    }
    return status == WL_OK && !r->ran ? wl_fail(WL_NOT_FOUND, "the recording has no such launch") : status;
}

/* ---- the file --------------------------------------------------------------------------------------------------- */

static enum wl_status open_recording(struct replay *r) {
    struct wl_recording_header header;
    struct stat about;
    const int file = open(r->wishes->file, O_RDONLY | O_CLOEXEC);
    void *bytes = MAP_FAILED;
    if (file >= 0 && fstat(file, &about) == 0 && (size_t)about.st_size >= sizeof header)
        bytes = mmap(NULL, (size_t)about.st_size, PROT_READ, MAP_PRIVATE, file, 0);
    if (file >= 0)
        close(file);
    if (bytes == MAP_FAILED)
        return wl_fail(WL_NOT_FOUND, "%s cannot be read, or is no recording", r->wishes->file);
    memcpy(&header, bytes, sizeof header);
    r->bytes = bytes;
    r->size = (size_t)about.st_size;
    r->at = sizeof header;
    if (memcmp(header.magic, WL_RECORDING_MAGIC, sizeof header.magic) != 0 || header.version != WL_RECORDING_VERSION)
        return wl_fail(WL_INVALID_IMAGE, "%s is no recording of this version", r->wishes->file);
    return WL_OK;
}

__attribute__((visibility("default"))) enum wl_replay_result wl_replay_run(const struct wl_replay *replay) {
    struct replay r = {.wishes = replay};
    enum wl_status status = open_recording(&r);
    if (status == WL_OK && !(r.context = wl_context_at(0)))
        status = WL_NOT_FOUND;
    if (status == WL_OK) {
        device.wishes = replay;
        device.plain = r.context->device->ops;
        device.ops = *device.plain;
        device.ops.launch = launch_alone;
        r.context->device->ops = &device.ops;
        wl_context_set(r.context);
        status = replay_all(&r);
    }
    if (status != WL_OK) {
        fprintf(stderr, "wavelift replay: %s\n", wl_failure());
        r.result = WL_REPLAY_IMPOSSIBLE;
    }
    free(r.modules);
    free(r.ranges);
    return r.result;
}
