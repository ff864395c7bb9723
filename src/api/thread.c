/* What the API keeps for a thread, on the heap: thread-local storage of a library that is opened with dlopen is scarce. */
#include "api/api.h"

#include <stdlib.h>

static _Thread_local struct wl_api_thread *mine;
static pthread_key_t key;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void thread_ends(void *state) {
    mine = NULL;
    free(state);
}

static void make_key(void) { (void)pthread_key_create(&key, thread_ends); }

struct wl_api_thread *wl_api_thread(void) {
    if (!mine && (mine = calloc(1, sizeof *mine))) {
        pthread_once(&once, make_key);
        (void)pthread_setspecific(key, mine);
    }
    return mine;
}
