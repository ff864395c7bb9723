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

struct library {
    const char *name;
    char path[PATH_MAX]; /* "" if there is none */
    void *handle;
    char error[512]; /* why it cannot be used */
};

static struct {
    struct library library;
    uint64_t id; /* of its build; 0: there is none */
    struct wl_translator functions;
} translator = {.library.name = "libwavelift-translate.so"};

static struct {
    struct library library;
    struct wl_threaded functions;
} threaded = {.library.name = "libwavelift-threaded.so"};

/* The file that holds this function: the runtime's library, or a test. A program's own name is whatever it was called by. */
static bool own_file(char path[PATH_MAX]) {
    Dl_info info;
    struct link_map *map;
    if (!dladdr1((void *)(uintptr_t)own_file, &info, (void **)&map, RTLD_DL_LINKMAP))
        return false;
    return realpath(map->l_name[0] ? map->l_name : "/proc/self/exe", path) != NULL;
}

/* A library lies beside that file; in a build tree also in ../lib of a test. */
static void locate(struct library *library) {
    static const char *const places[] = {"", "../lib/", "lib/"};
    char self[PATH_MAX];
    if (!own_file(self))
        return;
    int folder = (int)(strrchr(self, '/') - self + 1);
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        int length = snprintf(library->path, sizeof library->path, "%.*s%s%s", folder, self, places[i], library->name);
        if (length < (int)sizeof library->path && access(library->path, R_OK) == 0)
            break;
        library->path[0] = 0;
    }
}

static void locate_translator(void) {
    locate(&translator.library);
    if (translator.library.path[0])
        translator.id = wl_cache_translator_id(translator.library.path);
#ifdef WL_SHARED_LLVM /* the LLVM that it was linked with: another build of the same version may come in its place */
    if (translator.id)
        translator.id = (translator.id * 31 + wl_cache_translator_id(WL_SHARED_LLVM)) | 1;
#endif
}

static bool open_library(struct library *library) {
    uint64_t start = wl_now();
    if (library->path[0])
        library->handle = dlopen(library->path, RTLD_NOW | RTLD_LOCAL);
    else
        snprintf(library->error, sizeof library->error, "%s is not installed beside the runtime", library->name);
    if (library->path[0] && !library->handle)
        snprintf(library->error, sizeof library->error, "cannot load %s: %s", library->name,
                 dlerror()); /* NOLINT(concurrency-mt-unsafe): glibc keeps it per thread */
    else if (library->handle)
        wl_log(3, "%s was loaded in %llu us", library->name, (unsigned long long)(wl_now() - start) / 1000);
    return library->handle;
}

static void miss(struct library *library) {
    snprintf(library->error, sizeof library->error, "%.400s is of another version: a function is missing", library->path);
}

static void open_translator(void) {
    struct wl_translator *functions = &translator.functions;
    void *handle;
    if (!open_library(&translator.library))
        return;
    handle = translator.library.handle;
    functions->translate = (wl_translate_fn *)(uintptr_t)dlsym(handle, "wl_translate");
    functions->free = (wl_translate_free_fn *)(uintptr_t)dlsym(handle, "wl_translate_free");
    functions->host = (wl_translate_host_fn *)(uintptr_t)dlsym(handle, "wl_translate_host");
    functions->failure = (wl_translate_failure_fn *)(uintptr_t)dlsym(handle, "wl_translate_failure");
    functions->pause_with = (wl_translate_pause_with_fn *)(uintptr_t)dlsym(handle, "wl_translate_pause_with");
    if (!functions->translate || !functions->free || !functions->host || !functions->failure || !functions->pause_with)
        miss(&translator.library);
}

static void open_threaded(void) {
    struct wl_threaded *functions = &threaded.functions;
    void *handle;
    locate(&threaded.library);
    if (!open_library(&threaded.library))
        return;
    handle = threaded.library.handle;
    functions->steps = (wl_translate_steps_fn *)(uintptr_t)dlsym(handle, "wl_translate_steps");
    functions->run = (wl_translate_steps_run_fn *)(uintptr_t)dlsym(handle, "wl_translate_steps_run");
    functions->run_to_mark = (wl_translate_steps_mark_fn *)(uintptr_t)dlsym(handle, "wl_translate_steps_mark");
    functions->free = (wl_translate_steps_free_fn *)(uintptr_t)dlsym(handle, "wl_translate_steps_free");
    functions->failure = (wl_translate_failure_fn *)(uintptr_t)dlsym(handle, "wl_threaded_failure");
    *(void **)&functions->decoder_create = dlsym(handle, "wl_decoder_create");
    *(void **)&functions->decoder_destroy = dlsym(handle, "wl_decoder_destroy");
    *(void **)&functions->disassemble = dlsym(handle, "wl_disassemble");
    if (!functions->decoder_create || !functions->decoder_destroy || !functions->disassemble || !functions->steps || !functions->run ||
        !functions->run_to_mark || !functions->free || !functions->failure)
        miss(&threaded.library);
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
    if (translator.library.error[0])
        return wl_fail(WL_UNSUPPORTED, "%s", translator.library.error);
    *functions = &translator.functions;
    return WL_OK;
}

enum wl_status wl_threaded_use(const struct wl_threaded **functions) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, open_threaded);
    if (threaded.library.error[0])
        return wl_fail(WL_UNSUPPORTED, "%s", threaded.library.error);
    *functions = &threaded.functions;
    return WL_OK;
}

enum wl_status wl_translator_symbol(const char *name, void **symbol) {
    const struct wl_translator *functions = NULL;
    enum wl_status status = wl_translator_use(&functions);
    if (status != WL_OK)
        return status;
    *symbol = dlsym(translator.library.handle, name);
    return *symbol ? WL_OK : wl_fail(WL_UNSUPPORTED, "%.400s is of another version: it has no %s", translator.library.path, name);
}
