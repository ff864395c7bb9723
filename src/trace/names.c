#include "trace/trace.h"

#include "base/table.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

struct name {
    uint32_t number;
    char text[];
};

/* The process's names, by hashes of their text. */
static struct {
    pthread_mutex_t lock;
    struct wl_table table;
} names = {.lock = PTHREAD_MUTEX_INITIALIZER};

static uint64_t hash(const char *text) {
    uint64_t value = 14695981039346656037u;
    for (; *text; text++)
        value = (value ^ (unsigned char)*text) * 1099511628211u;
    return value;
}

/* The caller has the lock. NULL: no memory. */
static struct name *make(uint64_t key, const char *text) {
    const size_t length = strlen(text);
    struct name *made = malloc(sizeof *made + length + 1);
    if (!made || !wl_table_add(&names.table, key, made)) {
        free(made);
        return NULL;
    }
    memcpy(made->text, text, length + 1);
    made->number = wl_trace_next_name();
    wl_trace_put_name(made->number, text, length);
    return made;
}

uint32_t wl_trace_name(const char *name) {
    const uint64_t key = hash(name);
    struct name *found;
    size_t at = 0;
    pthread_mutex_lock(&names.lock);
    while ((found = wl_table_next(&names.table, key, &at)) && strcmp(found->text, name) != 0)
        ;
    if (!found)
        found = make(key, name);
    const uint32_t number = found ? found->number : 0;
    pthread_mutex_unlock(&names.lock);
    return number;
}

static void before_fork(void) { pthread_mutex_lock(&names.lock); }
static void after_fork(void) { pthread_mutex_unlock(&names.lock); }

/* The parent's names have numbers of the run, so the child goes on with them. */
__attribute__((constructor)) static void watch_forks(void) { (void)pthread_atfork(before_fork, after_fork, after_fork); }
