/* The default streams of threads (hipStreamPerThread): made at first use, destroyed when the thread ends. */
#include "runtime/context.h"
#include "runtime/stream.h"

#include <stdlib.h>

struct thread_streams {
    unsigned count;
    struct wl_stream *streams[];
};

static pthread_key_t thread_key;
static pthread_once_t thread_key_once = PTHREAD_ONCE_INIT;

static void thread_streams_free(void *value) {
    struct thread_streams *mine = value;
    for (unsigned i = 0; i < mine->count; i++)
        if (mine->streams[i])
            wl_stream_destroy(mine->streams[i]);
    free(mine);
}

static void thread_key_make(void) { (void)pthread_key_create(&thread_key, thread_streams_free); }

struct wl_stream *wl_stream_per_thread(struct wl_context *context) {
    pthread_once(&thread_key_once, thread_key_make);
    struct thread_streams *mine = pthread_getspecific(thread_key);
    if (!mine) {
        unsigned count = wl_context_count();
        mine = calloc(1, sizeof *mine + count * sizeof mine->streams[0]);
        if (!mine || pthread_setspecific(thread_key, mine)) {
            free(mine);
            return NULL;
        }
        mine->count = count;
    }
    struct wl_stream **slot = &mine->streams[context->index];
    if (!*slot && wl_stream_create(context, 0, 0, slot) == WL_OK)
        (*slot)->per_thread = true;
    return *slot;
}
