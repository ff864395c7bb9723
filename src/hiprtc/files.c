#include "hiprtc/rtc.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

char *wl_rtc_path(const char *folder, const char *name) {
    char *path = NULL;
    return asprintf(&path, "%s/%s", folder, name) < 0 ? NULL : path;
}

char *wl_rtc_folder_make(void) {
    const char *temporary = secure_getenv("TMPDIR");
    char *folder = wl_rtc_path(temporary && *temporary ? temporary : "/tmp", "wavelift-rtc-XXXXXX");
    if (folder && !mkdtemp(folder)) {
        free(folder);
        return NULL;
    }
    return folder;
}

static int remove_entry(const char *path, const struct stat *info, int kind, struct FTW *position) {
    (void)info, (void)kind, (void)position;
    return remove(path);
}

void wl_rtc_folder_remove(char *folder) {
    if (folder)
        (void)nftw(folder, remove_entry, 16, FTW_DEPTH | FTW_PHYS); /* NOLINT(concurrency-mt-unsafe): glibc's is safe without FTW_CHDIR */
    free(folder);
}

/* Whether a relative name stays where it is put. */
static bool stays_inside(const char *name) {
    if (!*name || *name == '/')
        return false;
    for (const char *part = name; part; part = strchr(part, '/')) {
        part += *part == '/';
        if (strncmp(part, "..", 2) == 0 && (part[2] == '/' || !part[2]))
            return false;
    }
    return true;
}

static bool make_parents(char *path, size_t from) {
    for (size_t i = from; path[i]; i++) {
        if (path[i] != '/')
            continue;
        path[i] = 0;
        bool made = mkdir(path, 0700) == 0 || errno == EEXIST;
        path[i] = '/';
        if (!made)
            return false;
    }
    return true;
}

bool wl_rtc_write(const char *folder, const char *name, const void *data, size_t size) {
    char *path = stays_inside(name) ? wl_rtc_path(folder, name) : NULL;
    FILE *file = path && make_parents(path, strlen(folder) + 1) ? fopen(path, "wbe") : NULL;
    bool written = file && fwrite(data, 1, size, file) == size;
    if (file && fclose(file) != 0)
        written = false;
    free(path);
    return written;
}

bool wl_rtc_read(const char *path, struct wl_rtc_bytes *bytes) {
    struct stat info;
    *bytes = (struct wl_rtc_bytes){0};
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0)
        return false;
    char *data = fstat(file, &info) == 0 && S_ISREG(info.st_mode) ? malloc((size_t)info.st_size + 1) : NULL;
    size_t size = 0;
    for (ssize_t got; data && size < (size_t)info.st_size; size += (size_t)got)
        if ((got = read(file, data + size, (size_t)info.st_size - size)) <= 0)
            break;
    close(file);
    if (!data || size < (size_t)info.st_size) {
        free(data);
        return false;
    }
    data[size] = 0;
    *bytes = (struct wl_rtc_bytes){data, size};
    return true;
}
