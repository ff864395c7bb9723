/* Opens and closes a library with kernels (the first argument) many times, at last with work that is queued: unregistering waits
 * for it. Nothing is left behind: symbols are forgotten, memory is given back (a second argument: resident memory says nothing
 * here). Then leaves main with work queued. */
#include <hip/hip_runtime_api.h>

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define CHECK(condition)                                                                                                                   \
    do {                                                                                                                                   \
        if (!(condition)) {                                                                                                                \
            printf("FAIL reload: line %d: %s\n", __LINE__, #condition);                                                                    \
            exit(1);                                                                                                                       \
        }                                                                                                                                  \
    } while (0)

static const char *path;

static void *open_plugin(int (**run)(int *), int (**leave)(int *, int *)) {
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!library)
        printf("%s\n", dlerror());
    CHECK(library);
    *(void **)run = dlsym(library, "plugin_run");
    *(void **)leave = dlsym(library, "plugin_leave");
    CHECK(*run && *leave);
    return library;
}

static long resident_kib(void) {
    char line[256];
    long value = 0;
    FILE *file = fopen("/proc/self/status", "r");
    while (file && fgets(line, sizeof line, file))
        if (sscanf(line, "VmRSS: %ld", &value) == 1)
            break;
    if (file)
        fclose(file);
    return value;
}

/* Once another stream has done work that was queued later: the main thread waits for the flag by then, or has returned too early. */
static void *set_flag_later(void *flag) {
    hipStream_t other = NULL;
    int *word = (int *)flag + 32;
    CHECK(hipStreamCreateWithFlags(&other, hipStreamNonBlocking) == hipSuccess);
    for (int i = 0; i < 100; i++) {
        CHECK(hipMemsetAsync(word, i, sizeof *word, other) == hipSuccess);
        CHECK(hipStreamSynchronize(other) == hipSuccess);
    }
    CHECK(hipStreamDestroy(other) == hipSuccess);
    __atomic_store_n((int *)flag, 1, __ATOMIC_RELEASE);
    return NULL;
}

static void at_end(void *out) { /* registered before HIP is used: runs after the runtime's own handler */
    printf(*(int *)out == 42 ? "PASS reload\n" : "FAIL reload: queued work was lost at exit\n");
    fflush(stdout);
    if (*(int *)out != 42)
        _exit(1);
}

static int last_out[2];
static void handler(void) { at_end(last_out); }

int main(int argc, char **argv) {
    int (*run)(int *) = NULL, (*leave)(int *, int *) = NULL, *memory = NULL;
    size_t before = 0, after = 0;
    long early = 0;
    pthread_t thread;
    CHECK(argc > 1);
    path = argv[1];
    atexit(handler);
    CHECK(hipHostMalloc((void **)&memory, 4096, 0) == hipSuccess);
    memset(memory, 0, 4096);
    int *flag = memory, *out = memory + 64;
    for (int round = 0; round < 60; round++) {
        void *library = open_plugin(&run, &leave);
        CHECK(run(out) == 4206 + 4407);
        CHECK(dlclose(library) == 0);
        CHECK(!dlopen(path, RTLD_NOW | RTLD_NOLOAD));
        if (round == 9) {
            early = resident_kib();
            CHECK(hipMemGetInfo(&before, NULL) == hipSuccess);
        }
    }
    CHECK(hipMemGetInfo(&after, NULL) == hipSuccess);
    CHECK(after == before);
    CHECK(argc > 2 || resident_kib() - early < 4096); /* 50 more loads: 80 KiB for each would be a leak */

    void *library = open_plugin(&run, &leave); /* closed with work queued */
    memset(out, 0, 8);
    CHECK(leave(flag, out) == 0);
    CHECK(pthread_create(&thread, NULL, set_flag_later, flag) == 0);
    CHECK(dlclose(library) == 0);
    CHECK(out[0] == 42 && out[1] == 6);
    pthread_join(thread, NULL);

    library = open_plugin(&run, &leave); /* open at exit, with work queued */
    *flag = 1;
    CHECK(leave(flag, last_out) == 0);
    return 0;
}
