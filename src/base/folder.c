#include "base/folder.h"
#include "base/options.h"

#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static struct {
    char path[PATH_MAX];
    bool usable;
} folder;

static void find_folder(void) {
    const char *own = wl_options()->cache_dir;
    const char *xdg = getenv("XDG_CACHE_HOME"), *home = getenv("HOME"); /* NOLINT(concurrency-mt-unsafe): read once */
    int length;
    if (wl_options()->cache_size == 0)
        return;
    if (own)
        length = snprintf(folder.path, sizeof folder.path, "%s", own);
    else if (xdg && *xdg == '/')
        length = snprintf(folder.path, sizeof folder.path, "%s/wavelift", xdg);
    else if (home && *home)
        length = snprintf(folder.path, sizeof folder.path, "%s/.cache/wavelift", home);
    else
        return;
    folder.usable = length > 0 && length < (int)sizeof folder.path - 64;
}

const char *wl_cache_folder(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, find_folder);
    return folder.usable ? folder.path : NULL;
}

bool wl_cache_folder_make(void) {
    char path[PATH_MAX];
    if (!wl_cache_folder())
        return false;
    snprintf(path, sizeof path, "%s", folder.path);
    for (char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = 0;
        bool made = mkdir(path, 0755) == 0 || errno == EEXIST;
        *slash = '/';
        if (!made)
            return false;
    }
    return mkdir(path, 0700) == 0 || errno == EEXIST;
}
