/* The native-code cache on disk: one file an object, named by its key.
 *
 * Any number of processes use one folder at once: entries are written to a temporary file and renamed, and whatever is not
 * whole and intact when it is read counts as absent and is deleted. Nothing needs a lock; processes that make the same entry at the same
 * time may agree on one that does (wl_cache_claim). Every function is thread-safe. A folder that
 * cannot be used is not an error: nothing is found then and nothing is kept (WAVELIFT_LOG=3 says why). Which folder: base/folder.h. */
#ifndef WL_DEVICE_CPU_CODE_CACHE_H
#define WL_DEVICE_CPU_CODE_CACHE_H

#include "base/status.h"

#include <stddef.h>
#include <stdint.h>
#include <time.h>

struct wl_cache_key {
    uint64_t words[2];
};

/* What a native object depends on. Fill with zeros first: padding is part of the key. */
struct wl_cache_subject {
    uint64_t code_object[2]; /* content hash */
    uint64_t address;        /* of the unit */
    uint32_t mode, shape, wave_size, is_kernel, math, workgroup_size[3], sanitize;
    uint64_t translator; /* wl_cache_translator_id */
};

/* The key of a subject on this machine: its CPU, Wavelift's version and WL_WAVE_ABI are added. */
struct wl_cache_key wl_cache_key(const struct wl_cache_subject *subject);
/* Identifies the build of the translator's shared object at `path` (its build id, else size and time); 0: not there. */
uint64_t wl_cache_translator_id(const char *path);
/* Identifies this machine's CPU and its features, or the CPU that WAVELIFT_CPU names, without LLVM. */
uint64_t wl_host_cpu_id(void);

/* Reads an entry. *object is malloc'ed, aligned for an ELF header, and belongs to the caller. WL_NOT_FOUND: there is none. */
enum wl_status wl_cache_read(const struct wl_cache_key *key, void **object, size_t *size);
/* Keeps an entry, and removes the oldest ones beyond WAVELIFT_CACHE_SIZE. Failures are logged, not returned. */
void wl_cache_write(const struct wl_cache_key *key, const void *object, size_t size);
/* Says that this process is going to make an entry. Returns a claim for wl_cache_unclaim; WL_CACHE_TAKEN: another process, or another thread
 * of this one, has said so and is at it; WL_CACHE_UNKNOWN: the folder does not tell. A claim ends with its process. No fork() may come
 * between the two calls. */
enum { WL_CACHE_UNKNOWN = -1, WL_CACHE_TAKEN = -2 };
int wl_cache_claim(const struct wl_cache_key *key);
void wl_cache_unclaim(int claim);
/* Removes an entry that turned out to be unusable. */
void wl_cache_remove(const struct wl_cache_key *key);

struct wl_cache_entry {
    char name[48];
    uint64_t size;
    struct timespec used; /* last use, to the day */
};
/* Lists the cache, what hiprtc keeps there too; *entries is malloc'ed and belongs to the caller, the oldest use first. WL_NOT_FOUND: there
 * is no cache folder. */
enum wl_status wl_cache_list(struct wl_cache_entry **entries, size_t *count);
/* Removes all entries, and leftover temporary files; returns the bytes freed in *freed (may be NULL). */
enum wl_status wl_cache_clear(uint64_t *freed);

#endif
