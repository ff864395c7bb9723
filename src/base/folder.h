/* The folder of the cache on disk, in which native code and what hiprtc prepares lie. */
#ifndef WL_BASE_FOLDER_H
#define WL_BASE_FOLDER_H

#include <stdbool.h>

/* WAVELIFT_CACHE_DIR, $XDG_CACHE_HOME/wavelift or ~/.cache/wavelift, at most PATH_MAX - 64 characters; it need not exist. NULL: none, or
 * WAVELIFT_CACHE_SIZE is 0. Decided once; thread-safe. */
const char *wl_cache_folder(void);

/* Makes that folder and its parents. False: there is none, or errno says why it cannot be made. Thread-safe. */
bool wl_cache_folder_make(void);

#endif
