/* What the API keeps for a thread, on the heap: thread-local storage of a library that is opened with dlopen is scarce. */
#include "api/api.h"

#include <stdlib.h>

static _Thread_local struct wl_api_thread *mine;
static pthread_key_t key;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void thread_ends(void *state) {
    struct wl_api_thread *thread = state;
    mine = NULL;
    for (unsigned i = 0; i < thread->configuration_count; i++)
        free(thread->configurations[i].arguments);
    free(thread);
}

static void make_key(void) { (void)pthread_key_create(&key, thread_ends); }

struct wl_api_thread *wl_api_thread(void) {
    if (!mine && (mine = calloc(1, sizeof *mine))) {
        pthread_once(&once, make_key);
        (void)pthread_setspecific(key, mine);
    }
    return mine;
}

bool wl_api_configure(struct wl_api_thread *thread, dim3 grid, dim3 block, size_t shared, hipStream_t stream) {
    if (thread->configuration_count == WL_API_CONFIGURATIONS)
        return false;
    thread->configurations[thread->configuration_count++] =
        (struct wl_api_configuration){.grid = grid, .block = block, .shared = shared, .stream = stream};
    return true;
}
