#include "device/translator.h"
#include "base/clock.h"
#include "base/options.h"
#include "device/cpu/code/cache.h"

#include <dlfcn.h>
#include <limits.h>
#include <link.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define TRANSLATOR "libwavelift-translate.so"

static struct {
    char path[PATH_MAX];
    uint64_t id; /* of its build; 0: there is none */
    void *library;
    struct wl_translator functions;
    char error[512]; /* why it cannot be used */
} translator;

/* The file that holds this function: the runtime's library, or a test. A program's own name is whatever it was called by. */
static bool own_file(char path[PATH_MAX]) {
    Dl_info info;
    struct link_map *map;
    if (!dladdr1((void *)(uintptr_t)own_file, &info, (void **)&map, RTLD_DL_LINKMAP))
        return false;
    return realpath(map->l_name[0] ? map->l_name : "/proc/self/exe", path) != NULL;
}

/* The translator lies beside that file; in a build tree also in ../lib of a test. */
static void locate_translator(void) {
    static const char *const places[] = {"", "../lib/", "lib/"};
    char self[PATH_MAX];
    if (!own_file(self))
        return;
    int folder = (int)(strrchr(self, '/') - self + 1);
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        int length = snprintf(translator.path, sizeof translator.path, "%.*s%s%s", folder, self, places[i], TRANSLATOR);
        if (length < (int)sizeof translator.path && access(translator.path, R_OK) == 0)
            break;
        translator.path[0] = 0;
    }
    if (translator.path[0])
        translator.id = wl_cache_translator_id(translator.path);
}

static void open_translator(void) {
    if (!translator.path[0]) {
        snprintf(translator.error, sizeof translator.error, TRANSLATOR " is not installed beside the runtime");
        return;
    }
    uint64_t start = wl_now();
    translator.library = dlopen(translator.path, RTLD_NOW | RTLD_LOCAL);
    if (!translator.library) {
        snprintf(translator.error, sizeof translator.error, "cannot load the translator: %s",
                 dlerror()); /* NOLINT(concurrency-mt-unsafe): glibc keeps it per thread */
        return;
    }
    translator.functions.translate = (wl_translate_fn *)(uintptr_t)dlsym(translator.library, "wl_translate");
    translator.functions.free = (wl_translate_free_fn *)(uintptr_t)dlsym(translator.library, "wl_translate_free");
    translator.functions.host = (wl_translate_host_fn *)(uintptr_t)dlsym(translator.library, "wl_translate_host");
    translator.functions.failure = (wl_translate_failure_fn *)(uintptr_t)dlsym(translator.library, "wl_translate_failure");
    translator.functions.steps = (wl_translate_steps_fn *)(uintptr_t)dlsym(translator.library, "wl_translate_steps");
    translator.functions.run_steps = (wl_translate_steps_run_fn *)(uintptr_t)dlsym(translator.library, "wl_translate_steps_run");
    translator.functions.free_steps = (wl_translate_steps_free_fn *)(uintptr_t)dlsym(translator.library, "wl_translate_steps_free");
    const bool *background = dlsym(translator.library, "wl_translate_background");
    translator.functions.pause_with = (wl_translate_pause_with_fn *)(uintptr_t)dlsym(translator.library, "wl_translate_pause_with");
    translator.functions.background = background && *background && translator.functions.pause_with;
    if (!translator.functions.translate || !translator.functions.free || !translator.functions.host || !translator.functions.failure)
        snprintf(translator.error, sizeof translator.error, "%.400s is of another version: a function is missing", translator.path);
    else
        wl_log(3, "the translator was loaded in %llu us", (unsigned long long)(wl_now() - start) / 1000);
}

uint64_t wl_translator_id(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, locate_translator);
    return translator.id;
}

enum wl_status wl_translator_use(const struct wl_translator **functions) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    wl_translator_id();
    pthread_once(&once, open_translator);
    if (translator.error[0])
        return wl_fail(WL_UNSUPPORTED, "%s", translator.error);
    *functions = &translator.functions;
    return WL_OK;
}

enum wl_status wl_translator_symbol(const char *name, void **symbol) {
    const struct wl_translator *functions = NULL;
    enum wl_status status = wl_translator_use(&functions);
    if (status != WL_OK)
        return status;
    *symbol = dlsym(translator.library, name);
    return *symbol ? WL_OK : wl_fail(WL_UNSUPPORTED, "%.400s is of another version: it has no %s", translator.path, name);
}
