/* Launches in a file, to be run again: `wavelift record` and `wavelift replay`.
 *
 *   recording   a process with WAVELIFT_RECORD writes each launch on CPU devices to a file: the code object, the kernel, its arguments,
 *               and what memory has when it begins. What no launch before has written, or has changed since, is written alone (recording.c)
 *   replay      puts memory to the same addresses, and runs the launches, or one of them (replay.c)
 *
 * A launch that is recorded or replayed runs on one thread, with native code alone, workgroup after workgroup, so that atomics come in the
 * same order. Behind each launch the file has a hash of each allocation, which a replay compares with its own. While a process records, its
 * device, pinned and managed memory comes from addresses that no other mapping uses (base/region.h), so that a replay finds them free.
 *
 * What HIP does not know of is not in the file: memory of malloc() that a kernel reads, the heap of device code. */
#ifndef WL_RUNTIME_RECORDING_H
#define WL_RUNTIME_RECORDING_H

#include "base/status.h"
#include "device/device.h"

#include <stdbool.h>
#include <stdint.h>

/* ---- the file: a header, then sections ---- */

#define WL_RECORDING_MAGIC   "WLRECORD"
#define WL_RECORDING_VERSION 1u

struct wl_recording_header {
    char magic[8];
    uint32_t version, reserved;
    char arch[48]; /* what the device presented itself as */
};

enum wl_recording_kind { WL_RECORDING_MODULE = 1, WL_RECORDING_DATA, WL_RECORDING_LAUNCH, WL_RECORDING_RESULT };

struct wl_recording_section {
    uint32_t kind, reserved;
    uint64_t size; /* of what follows, without padding to 8 bytes */
};

/* The code object follows. */
struct wl_recording_module {
    uint64_t number, image, image_size;
};

/* Bytes of memory follow. */
struct wl_recording_data {
    uint64_t address;
};

/* The arguments follow, the kernel's name with its 0, and allocations; each begins at a multiple of 8. */
struct wl_recording_launch {
    uint64_t number, module;
    uint32_t grid[3], block[3], cluster[3], remainder[3];
    uint32_t dynamic_lds, cooperative;
    uint64_t argument_size, name_size, allocation_count;
};

struct wl_recording_allocation {
    uint64_t address, size;
    uint32_t kind, is_image; /* enum wl_memory_kind; a module's image */
};

/* Hashes follow, one for each allocation of the launch. */
struct wl_recording_result {
    uint64_t status; /* enum wl_status */
};

/* ---- recording.c ---- */
/* To be called once for each device, before anything is done with it. Does nothing without WAVELIFT_RECORD. */
void wl_recording_begin(struct wl_device *device);
/* The hash of memory that RESULT has. */
uint64_t wl_recording_hash(const void *memory, uint64_t size);

/* ---- replay.c ---- */
/* The last launch that ran. */
struct wl_replay_outcome {
    uint64_t launch, workgroups;
};

struct wl_replay {
    const char *file;
    uint64_t launch; /* the launch to run; 0: all, each with the memory that the file has for it */
    /* Not NULL: these workgroups of the launch alone, by their numbers, in this order. */
    const uint64_t *workgroups;
    uint64_t workgroup_count;
    bool quiet;                        /* nothing is printed but errors */
    struct wl_replay_outcome *outcome; /* NULL: nobody asks */
};
/* How a replay ended. */
enum wl_replay_result { WL_REPLAY_SAME, WL_REPLAY_DIFFERS, WL_REPLAY_FAULT, WL_REPLAY_IMPOSSIBLE };
/* Runs it and says of each launch how it ended, on stdout. The result is that of the worst launch. */
typedef enum wl_replay_result wl_replay_fn(const struct wl_replay *replay);
wl_replay_fn wl_replay_run;

#endif
