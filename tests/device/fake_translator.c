/* A translator that gives every unit the same ready object, and counts how often it was asked in the file $FAKE_COUNT. */
#include "translate/interface/translate.h"

#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define EXPORT __attribute__((visibility("default")))

static void count(void) {
    const char *path = getenv("FAKE_COUNT");
    int file = path ? open(path, O_WRONLY | O_CREAT | O_APPEND, 0600) : -1;
    if (file >= 0) {
        if (write(file, "x", 1) != 1)
            abort();
        close(file);
    }
}

/* ---- with $FAKE_ONCE: translations that never end, of which the first makes something that the others wait for ---- */

static _Atomic(wl_translate_pause_fn *) pause_function;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static atomic_uint translating;

static void pause_here(void) {
    wl_translate_pause_fn *function = atomic_load(&pause_function);
    if (function)
        function();
    else
        sched_yield();
}

/* Two are in the translator, and the process has begun to end. */
static void make_once(void) {
    while (atomic_load(&translating) < 2 || !atomic_load(&pause_function))
        sched_yield();
    pause_here();
}

static void translate_for_ever(void) {
    atomic_fetch_add(&translating, 1);
    pthread_once(&once, make_once);
    for (;;)
        pause_here();
}

EXPORT enum wl_status wl_translate(const struct wl_translate_request *request, struct wl_translate_result *result) {
    FILE *file = fopen(UNIT_OBJECT, "rb");
    (void)request;
    count();
    if (getenv("FAKE_ONCE"))
        translate_for_ever();
    if (!file || !(result->object = malloc(1 << 20)))
        return WL_INTERNAL;
    result->size = fread(result->object, 1, 1 << 20, file);
    result->instructions = 5;
    fclose(file);
    return WL_OK;
}

EXPORT void wl_translate_free(struct wl_translate_result *result) { free(result->object); }

EXPORT void wl_translate_host(const char **cpu, const char **features) { *cpu = *features = ""; }

EXPORT const char *wl_translate_failure(void) { return "the fake translator found no object"; }

EXPORT void wl_translate_pause_with(wl_translate_pause_fn *function) { atomic_store(&pause_function, function); }
