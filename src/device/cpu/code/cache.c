#include "device/cpu/code/cache.h"
#include "base/array.h"
#include "base/folder.h"
#include "base/options.h"
#include "machine/wave.h"

#include <dirent.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

#define SUFFIX        ".wlo"
#define TEMPORARY     ".tmp-"
#define CLAIMS        ".claims" /* a file of which each claim locks a byte */
#define STALE_SECONDS 3600      /* a temporary file this old belongs to nobody any more */
#define TOUCH_SECONDS 86400     /* a hit renews the time of last use at most this often */
#define KEEP_SECONDS  15552000  /* 180 days: an entry that was not used for so long is of a version or program that is gone */
#define SWEEP_SHARE   64        /* a process looks through the folder at its first entry, and after each 1/64 of the bound that it writes */

/* A file: this, then the object. */
struct header {
    char magic[8];
    uint64_t size; /* of the object */
    struct wl_cache_key key;
    uint64_t checksum[2]; /* XXH3-128 of the object */
};

static const char magic[] = {'W', 'L', 'C', 'A', 'C', 'H', 'E', '1'};

/* ---- keys ----------------------------------------------------------------------------------- */

struct wl_cache_key wl_cache_key(const struct wl_cache_subject *subject) {
    struct {
        struct wl_cache_subject subject;
        uint64_t cpu, abi;
        char version[32];
    } all;
    memset(&all, 0, sizeof all);
    memcpy(&all.subject, subject, sizeof all.subject);
    all.cpu = wl_host_cpu_id();
    all.abi = WL_WAVE_ABI;
    snprintf(all.version, sizeof all.version, "%s", WL_VERSION);
    XXH128_hash_t hash = XXH3_128bits(&all, sizeof all);
    return (struct wl_cache_key){{hash.low64, hash.high64}};
}

/* The build id note of an ELF file, hashed; 0 if there is none. Reads headers only. */
static uint64_t build_id(int file) {
    Elf64_Ehdr header;
    Elf64_Phdr segment;
    uint8_t notes[4096];
    if (pread(file, &header, sizeof header, 0) != (ssize_t)sizeof header || memcmp(header.e_ident, ELFMAG, SELFMAG) != 0)
        return 0;
    for (unsigned i = 0; i < header.e_phnum; i++) {
        if (pread(file, &segment, sizeof segment, (off_t)(header.e_phoff + i * sizeof segment)) != (ssize_t)sizeof segment)
            return 0;
        if (segment.p_type != PT_NOTE)
            continue;
        size_t wanted = segment.p_filesz < sizeof notes ? segment.p_filesz : sizeof notes;
        ssize_t got = pread(file, notes, wanted, (off_t)segment.p_offset);
        for (size_t at = 0; got > 0 && at + sizeof(Elf64_Nhdr) <= (size_t)got;) {
            Elf64_Nhdr note;
            memcpy(&note, notes + at, sizeof note);
            size_t name = at + sizeof note, text = name + ((size_t)note.n_namesz + 3) / 4 * 4,
                   end = text + ((size_t)note.n_descsz + 3) / 4 * 4;
            if (end > (size_t)got || end <= at)
                break;
            if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 && memcmp(notes + name, "GNU", 4) == 0)
                return XXH3_64bits(notes + text, note.n_descsz) | 1;
            at = end;
        }
    }
    return 0;
}

uint64_t wl_cache_translator_id(const char *path) {
    int file = open(path, O_RDONLY | O_CLOEXEC);
    struct stat status;
    if (file < 0)
        return 0;
    uint64_t id = build_id(file);
    if (id == 0 && fstat(file, &status) == 0) {
        int64_t words[3] = {(int64_t)status.st_size, (int64_t)status.st_mtim.tv_sec, (int64_t)status.st_mtim.tv_nsec};
        id = XXH3_64bits(words, sizeof words) | 1;
    }
    close(file);
    return id;
}

/* ---- the folder ----------------------------------------------------------------------------- */

static struct {
    _Atomic uint64_t written; /* bytes, by this process since the last sweep */
    _Atomic bool swept;
} folder;

static bool entry_path(char path[PATH_MAX + 64], const struct wl_cache_key *key) {
    if (!wl_cache_folder())
        return false;
    snprintf(path, PATH_MAX + 64, "%s/%016llx%016llx" SUFFIX, wl_cache_folder(), (unsigned long long)key->words[1],
             (unsigned long long)key->words[0]);
    return true;
}

/* ---- reading -------------------------------------------------------------------------------- */

static bool read_all(int file, void *target, size_t size) {
    uint8_t *at = target;
    while (size > 0) {
        ssize_t got = read(file, at, size);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return false;
        at += got;
        size -= (size_t)got;
    }
    return true;
}

/* The object of an open entry, if all of it is there and intact. */
static void *read_entry(int file, const struct wl_cache_key *key, const struct stat *status, size_t *size) {
    struct header header;
    if (status->st_size < (off_t)sizeof header || !read_all(file, &header, sizeof header) ||
        memcmp(header.magic, magic, sizeof magic) != 0 || memcmp(&header.key, key, sizeof *key) != 0 ||
        header.size != (uint64_t)status->st_size - sizeof header || header.size == 0)
        return NULL;
    void *object = malloc(header.size);
    if (!object)
        return NULL;
    if (read_all(file, object, header.size)) {
        XXH128_hash_t hash = XXH3_128bits(object, header.size);
        if (hash.low64 == header.checksum[0] && hash.high64 == header.checksum[1]) {
            *size = header.size;
            return object;
        }
    }
    free(object);
    return NULL;
}

enum wl_status wl_cache_read(const struct wl_cache_key *key, void **object, size_t *size) {
    char path[PATH_MAX + 64];
    struct stat status;
    *object = NULL;
    *size = 0;
    if (!entry_path(path, key))
        return WL_NOT_FOUND;
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0)
        return WL_NOT_FOUND;
    if (fstat(file, &status) == 0)
        *object = read_entry(file, key, &status, size);
    if (*object && time(NULL) - status.st_mtim.tv_sec > TOUCH_SECONDS)
        futimens(file, NULL);
    close(file);
    if (*object)
        return WL_OK;
    wl_log(2, "cache entry %s is damaged; it is made again", path);
    unlink(path);
    return WL_NOT_FOUND;
}

void wl_cache_remove(const struct wl_cache_key *key) {
    char path[PATH_MAX + 64];
    if (entry_path(path, key))
        unlink(path);
}

/* ---- claims --------------------------------------------------------------------------------- */

static int open_claims(void) {
    char path[PATH_MAX + 64];
    if (!wl_cache_folder())
        return -1;
    snprintf(path, sizeof path, "%s/" CLAIMS, wl_cache_folder());
    const int file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    return file < 0 && errno == ENOENT && wl_cache_folder_make() ? open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600) : file;
}

int wl_cache_claim(const struct wl_cache_key *key) {
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = (off_t)(key->words[0] >> 2), .l_len = 1};
    const int file = open_claims();
    if (file < 0 || fcntl(file, F_OFD_SETLK, &lock) == 0)
        return file < 0 ? WL_CACHE_UNKNOWN : file;
    const bool taken = errno == EAGAIN || errno == EACCES;
    close(file);
    return taken ? WL_CACHE_TAKEN : WL_CACHE_UNKNOWN;
}

void wl_cache_unclaim(int claim) {
    if (claim >= 0)
        close(claim);
}

/* ---- listing and bounding ------------------------------------------------------------------- */

/* Native objects, and hiprtc's precompiled headers with their notes (hiprtc/precompiled.c). */
static bool has_suffix(const char *name) {
    static const char *const suffixes[] = {SUFFIX, ".pch", ".rtc"};
    const char *dot = strrchr(name, '.');
    bool known = false;
    for (size_t i = 0; i < sizeof suffixes / sizeof *suffixes; i++)
        known |= dot && dot > name && strcmp(dot, suffixes[i]) == 0;
    return known && strlen(name) < sizeof((struct wl_cache_entry *)NULL)->name;
}

static int by_use(const void *a, const void *b) {
    const struct wl_cache_entry *x = a, *y = b;
    if (x->used.tv_sec != y->used.tv_sec)
        return (x->used.tv_sec > y->used.tv_sec) - (x->used.tv_sec < y->used.tv_sec);
    if (x->used.tv_nsec != y->used.tv_nsec)
        return (x->used.tv_nsec > y->used.tv_nsec) - (x->used.tv_nsec < y->used.tv_nsec);
    return strcmp(x->name, y->name);
}

/* Removes a temporary file that its writer left behind. `age`: how old it must be. */
static void remove_temporary(int at, const char *name, const struct stat *status, time_t age) {
    if (strncmp(name, TEMPORARY, strlen(TEMPORARY)) == 0 && time(NULL) - status->st_mtim.tv_sec >= age)
        unlinkat(at, name, 0);
}

static enum wl_status list(struct wl_cache_entry **entries, size_t *count, time_t temporary_age) {
    size_t capacity = 0;
    *entries = NULL;
    *count = 0;
    DIR *directory = wl_cache_folder() ? opendir(wl_cache_folder()) : NULL;
    if (!directory)
        return wl_fail(WL_NOT_FOUND, "there is no native-code cache");
    for (struct dirent *e; (e = readdir(directory));) { /* NOLINT(concurrency-mt-unsafe): a stream of its own */
        struct stat status;
        if (fstatat(dirfd(directory), e->d_name, &status, AT_SYMLINK_NOFOLLOW) != 0 || !S_ISREG(status.st_mode))
            continue;
        remove_temporary(dirfd(directory), e->d_name, &status, temporary_age);
        if (!has_suffix(e->d_name))
            continue;
        if (!WL_ARRAY_RESERVE(*entries, *count, capacity, 64))
            break;
        struct wl_cache_entry *entry = &(*entries)[(*count)++];
        snprintf(entry->name, sizeof entry->name, "%.47s", e->d_name);
        entry->size = (uint64_t)status.st_size;
        entry->used = status.st_mtim;
    }
    closedir(directory);
    if (*count)
        qsort(*entries, *count, sizeof **entries, by_use);
    return WL_OK;
}

enum wl_status wl_cache_list(struct wl_cache_entry **entries, size_t *count) { return list(entries, count, STALE_SECONDS); }

static void remove_entry(const char *name) {
    char path[PATH_MAX + 64];
    snprintf(path, sizeof path, "%s/%s", wl_cache_folder(), name);
    unlink(path);
}

enum wl_status wl_cache_clear(uint64_t *freed) {
    struct wl_cache_entry *entries;
    size_t count;
    enum wl_status status = list(&entries, &count, 0);
    uint64_t bytes = 0;
    for (size_t i = 0; i < count; i++) {
        remove_entry(entries[i].name);
        bytes += entries[i].size;
    }
    free(entries);
    if (freed)
        *freed = bytes;
    return status;
}

/* Removes the entries that were not used for longest until the rest fits, and those that nobody has used for long. Two processes may do it at
 * once: both remove the same ones. */
static void sweep(void) {
    struct wl_cache_entry *entries;
    size_t count;
    uint64_t total = 0, bound = wl_options()->cache_size;
    if (wl_cache_list(&entries, &count) != WL_OK)
        return;
    for (size_t i = 0; i < count; i++)
        total += entries[i].size;
    time_t oldest = time(NULL) - KEEP_SECONDS;
    for (size_t i = 0; i < count && (total > bound || entries[i].used.tv_sec < oldest); i++) {
        remove_entry(entries[i].name);
        total -= entries[i].size;
    }
    free(entries);
}

/* ---- writing -------------------------------------------------------------------------------- */

static bool write_all(int file, const void *source, size_t size) {
    const uint8_t *at = source;
    while (size > 0) {
        ssize_t put = write(file, at, size);
        if (put < 0 && errno == EINTR)
            continue;
        if (put <= 0)
            return false;
        at += put;
        size -= (size_t)put;
    }
    return true;
}

static int create_temporary(char path[PATH_MAX + 64]) {
    snprintf(path, PATH_MAX + 64, "%s/" TEMPORARY "XXXXXX", wl_cache_folder());
    int file = mkostemp(path, O_CLOEXEC);
    if (file < 0 && errno == ENOENT && wl_cache_folder_make()) {
        snprintf(path, PATH_MAX + 64, "%s/" TEMPORARY "XXXXXX", wl_cache_folder());
        file = mkostemp(path, O_CLOEXEC);
    }
    return file;
}

void wl_cache_write(const struct wl_cache_key *key, const void *object, size_t size) {
    char path[PATH_MAX + 64], temporary[PATH_MAX + 64];
    uint64_t bound = wl_options()->cache_size;
    if (!entry_path(path, key) || size + sizeof(struct header) > bound)
        return;
    int file = create_temporary(temporary);
    if (file < 0) {
        wl_log(3, "the native-code cache %s cannot be written: %m", wl_cache_folder());
        return;
    }
    XXH128_hash_t hash = XXH3_128bits(object, size);
    struct header header = {.size = size, .key = *key, .checksum = {hash.low64, hash.high64}};
    memcpy(header.magic, magic, sizeof magic);
    bool written = write_all(file, &header, sizeof header) && write_all(file, object, size);
    written = close(file) == 0 && written;
    if (!written || rename(temporary, path) != 0) {
        wl_log(3, "the native-code cache %s cannot be written: %m", wl_cache_folder());
        unlink(temporary);
        return;
    }
    uint64_t since = atomic_fetch_add(&folder.written, size + sizeof header) + size + sizeof header;
    if (!atomic_exchange(&folder.swept, true) || since > bound / SWEEP_SHARE) {
        atomic_store(&folder.written, 0);
        sweep();
    }
}
