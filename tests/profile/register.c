/* Two libraries of AMD's in one, to see what libamdhip64 hands over: librocprofiler-register, if it is opened under that name, which passes it
 * on to librocprofiler-sdk; and a librocprofiler-sdk of the user's choice, which puts functions of its own into the tables. What happened is
 * written to standard error at the end. */
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define PUBLIC __attribute__((visibility("default")))
/* Places in AMD's tables, behind the size. */
enum { HIP_MALLOC = 215, PUSH_CONFIGURATION = 1 };

typedef int (*set_table)(const char *name, uint64_t version, uint64_t instance, void **tables, uint64_t count);

PUBLIC int rocprofiler_register_library_api_table(const char *name, uint32_t (*version)(void), uint32_t number, void **tables,
                                                  uint64_t count, uint64_t *id);
PUBLIC int rocprofiler_set_api_table(const char *name, uint64_t version, uint64_t instance, void **tables, uint64_t count);

int rocprofiler_register_library_api_table(const char *name, uint32_t (*version)(void), uint32_t number, void **tables, uint64_t count,
                                           uint64_t *id) {
    Dl_info info;
    const int known = dladdr((void *)(uintptr_t)version, &info) && strstr(info.dli_fname, "libamdhip64.so");
    fprintf(stderr, "registered %s %u %u %s\n", name, number, version(), known ? "by libamdhip64" : "by another library");
    *id = 1;
    void *sdk = dlopen("librocprofiler-sdk.so", RTLD_NOLOAD | RTLD_LAZY); /* as AMD's names it */
    set_table set = (set_table)(uintptr_t)dlsym(sdk ? sdk : RTLD_DEFAULT, "rocprofiler_set_api_table");
    return set(name, number, 0, tables, count) ? 6 : 0;
}

/* ---- a librocprofiler-sdk ---- */

struct dim3 {
    uint32_t x, y, z;
};
struct table {
    size_t size;
    void *functions[];
};

static int (*malloc_before)(void **pointer, size_t size);
static int (*push_before)(struct dim3 grid, struct dim3 block, size_t shared, void *stream);
static unsigned mallocs, pushes;

static int own_malloc(void **pointer, size_t size) {
    mallocs++;
    return malloc_before(pointer, size);
}

static int own_push(struct dim3 grid, struct dim3 block, size_t shared, void *stream) {
    pushes++;
    return push_before(grid, block, shared, stream);
}

int rocprofiler_set_api_table(const char *name, uint64_t version, uint64_t instance, void **tables, uint64_t count) {
    struct table *table = tables[0];
    fprintf(stderr, "set %s %u %u %u\n", name, (unsigned)version, (unsigned)instance, (unsigned)count);
    if (strcmp(name, "hip") == 0) {
        malloc_before = (int (*)(void **, size_t))(uintptr_t)table->functions[HIP_MALLOC];
        table->functions[HIP_MALLOC] = (void *)(uintptr_t)own_malloc;
    } else {
        push_before = (int (*)(struct dim3, struct dim3, size_t, void *))(uintptr_t)table->functions[PUSH_CONFIGURATION];
        table->functions[PUSH_CONFIGURATION] = (void *)(uintptr_t)own_push;
    }
    return 0;
}

__attribute__((destructor)) static void end(void) {
    if (mallocs + pushes)
        fprintf(stderr, "hipMalloc %u, __hipPushCallConfiguration %u\n", mallocs, pushes);
}
