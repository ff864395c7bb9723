#include "trace/trace.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* The process's names, by their text: a hash table that grows, with open addressing. */
static struct {
    pthread_mutex_t lock;
    size_t capacity, used;
    struct name {
        char *text;
        uint32_t number;
    } *slots;
} names = {.lock = PTHREAD_MUTEX_INITIALIZER};

static size_t hash(const char *text) {
    size_t value = 14695981039346656037u;
    for (; *text; text++)
        value = (value ^ (unsigned char)*text) * 1099511628211u;
    return value;
}

static struct name *find(const char *text) {
    size_t slot = hash(text) & (names.capacity - 1);
    while (names.slots[slot].text && strcmp(names.slots[slot].text, text) != 0)
        slot = (slot + 1) & (names.capacity - 1);
    return &names.slots[slot];
}

static bool grow(void) {
    if (names.used * 2 < names.capacity)
        return true;
    struct name *before = names.slots;
    size_t count = names.capacity, capacity = count ? count * 2 : 256;
    struct name *slots = calloc(capacity, sizeof *slots);
    if (!slots)
        return false;
    names.slots = slots;
    names.capacity = capacity;
    for (size_t i = 0; i < count; i++)
        if (before[i].text)
            *find(before[i].text) = before[i];
    free(before);
    return true;
}

uint32_t wl_trace_name(const char *name) {
    uint32_t number = 0;
    pthread_mutex_lock(&names.lock);
    if (grow()) {
        struct name *place = find(name);
        if (!place->text && (place->text = strdup(name))) {
            place->number = wl_trace_next_name();
            names.used++;
            (void)wl_trace_put_name(place->number, name, strlen(name)); /* what is lost is counted */
        }
        number = place->number;
    }
    pthread_mutex_unlock(&names.lock);
    return number;
}

static void before_fork(void) { pthread_mutex_lock(&names.lock); }
static void after_fork(void) { pthread_mutex_unlock(&names.lock); }

/* The parent's names have numbers of the run, so the child goes on with them. */
__attribute__((constructor)) static void watch_forks(void) { (void)pthread_atfork(before_fork, after_fork, after_fork); }
