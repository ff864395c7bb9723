#include "sanitize/names.h"

#include "codeobject/codeobject.h"

#include <dlfcn.h>
#include <fnmatch.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- tools and kinds ------------------------------------------------------------------------- */

static const char *const tools[] = {"memcheck", "racecheck", "initcheck", "synccheck"};
enum { TOOLS = sizeof tools / sizeof *tools };

const char *wl_san_tool_name(enum wl_sanitize_tool tool) {
    for (unsigned i = 0; i < TOOLS; i++)
        if ((unsigned)tool == 1u << i)
            return tools[i];
    return "sanitizer";
}

static unsigned tool_bit(const char *name, size_t length) {
    if ((length == 1 && *name == '*') || (length == 3 && strncmp(name, "all", 3) == 0))
        return WL_SANITIZE_ALL;
    for (unsigned i = 0; i < TOOLS; i++)
        if (strlen(tools[i]) == length && strncmp(name, tools[i], length) == 0)
            return 1u << i;
    return 0;
}

unsigned wl_san_tool_bits(const char *list, size_t length) {
    unsigned bits = 0;
    for (const char *at = list, *end = list + length;;) {
        const char *comma = memchr(at, ',', (size_t)(end - at));
        const char *stop = comma ? comma : end;
        unsigned bit = tool_bit(at, (size_t)(stop - at));
        if (!bit)
            return 0;
        bits |= bit;
        if (!comma)
            return bits;
        at = comma + 1;
    }
}

/* `access`: the name goes on with what the access was. */
static const struct {
    const char *name, *words;
    bool access;
} kinds[WL_SAN_KIND_COUNT] = {
    [WL_SAN_OUT_OF_BOUNDS] = {"out-of-bounds", "out-of-bounds", true},
    [WL_SAN_USE_AFTER_FREE] = {"use-after-free", "use after free:", true},
    [WL_SAN_NOT_ALLOCATED] = {"not-allocated", "memory that is not allocated:", true},
    [WL_SAN_MISALIGNED] = {"misaligned", "misaligned", true},
    [WL_SAN_LDS_BOUNDS] = {"lds-out-of-bounds", "outside of the workgroup's LDS:", true},
    [WL_SAN_SCRATCH_BOUNDS] = {"scratch-out-of-bounds", "outside of the work item's private memory:", true},
    [WL_SAN_KERNARG_BOUNDS] = {"kernarg-out-of-bounds", "outside of the kernel's arguments:", true},
    [WL_SAN_READ_ONLY] = {"read-only", "memory that kernels may only read:", true},
    [WL_SAN_DOUBLE_FREE] = {"double-free", "freed twice", false},
    [WL_SAN_BAD_FREE] = {"invalid-free", "freed, but not allocated", false},
    [WL_SAN_API_BOUNDS] = {"call-out-of-bounds", "out of bounds:", true},
    [WL_SAN_LEAK] = {"leak", "never freed", false},
    [WL_SAN_UNINITIALIZED_BRANCH] = {"uninitialized-branch", "a branch depends on an uninitialized value", false},
    [WL_SAN_UNINITIALIZED_EXEC] = {"uninitialized-exec", "which lanes go on depends on an uninitialized value", false},
    [WL_SAN_UNINITIALIZED_ADDRESS] = {"uninitialized-address", "an address depends on an uninitialized value", false},
    [WL_SAN_UNINITIALIZED_ATOMIC] = {"uninitialized-atomic", "an atomic operation on an uninitialized value", false},
    [WL_SAN_UNINITIALIZED_HOST] = {"uninitialized-host", "an uninitialized value reaches the host", false},
    [WL_SAN_RACE_LANES] = {"race-lanes", "race between lanes of one instruction", false},
    [WL_SAN_RACE_WAVES] = {"race-waves", "race between waves of a workgroup", false},
    [WL_SAN_RACE_GROUPS] = {"race-workgroups", "race between workgroups", false},
    [WL_SAN_RACE_LAUNCHES] = {"race-launches", "race between launches or copies", false},
    [WL_SAN_MISSING_WAIT] = {"missing-wait", "a result is used before it is waited for", false},
    [WL_SAN_RACE_SAME_VALUE] = {"race-same-value", "race whose accesses store the same value", false},
    [WL_SAN_BARRIER_WAVES] = {"barrier-waves", "waves do not reach a barrier", false},
    [WL_SAN_BARRIER_LANES] = {"barrier-lanes", "lanes do not reach a barrier", false},
    [WL_SAN_GRID_BARRIER] = {"grid-barrier", "a barrier of the grid in a launch that is not cooperative", false},
    [WL_SAN_DEADLOCK] = {"deadlock", "waves wait for each other for ever", false},
    [WL_SAN_STREAM_DEADLOCK] = {"stream-deadlock", "a stream waits for what nobody will do", false},
};

const char *wl_san_access_name(uint8_t access) {
    return access == WL_SANITIZE_LOAD ? "read" : access == WL_SANITIZE_STORE ? "write" : "atomic";
}

const char *wl_san_kind_words(enum wl_san_kind kind) { return kinds[kind].words; }

void wl_san_kind_name(const struct wl_san_finding *finding, char *text, size_t size) {
    const bool access = kinds[finding->kind].access;
    snprintf(text, size, "%s%s%s", kinds[finding->kind].name, access ? "-" : "", access ? wl_san_access_name(finding->at.access) : "");
}

/* ---- functions ------------------------------------------------------------------------------- */

/* The C++ library's, which HIP programs mostly have; it is opened for those that have not. */
static char *(*demangle)(const char *, char *, size_t *, int *);
static pthread_once_t demangle_once = PTHREAD_ONCE_INIT;

static void find_demangle(void) {
    void *library = dlopen("libstdc++.so.6", RTLD_LAZY | RTLD_LOCAL);
    void *function = dlsym(library ? library : RTLD_DEFAULT, "__cxa_demangle");
    memcpy(&demangle, &function, sizeof demangle);
}

char *wl_san_demangle(const char *name) {
    pthread_once(&demangle_once, find_demangle);
    int status = 0;
    char *made = demangle && strncmp(name, "_Z", 2) == 0 ? demangle(name, NULL, NULL, &status) : NULL;
    return made ? made : strdup(name);
}

/* Where the parameters or template arguments of a demangled name begin; "(anonymous namespace)" and "operator<" are no such place. */
static size_t plain_length(const char *name) {
    size_t at = 0;
    while (name[at]) {
        if (strncmp(name + at, "(anonymous namespace)", 21) == 0)
            at += 21;
        else if (name[at] == '(' || name[at] == '<')
            break;
        else
            at++;
    }
    return at;
}

static bool names_plain(const char *pattern, const char *demangled) {
    char plain[512];
    size_t length = plain_length(demangled);
    if (length >= sizeof plain)
        return false;
    memcpy(plain, demangled, length);
    plain[length] = 0;
    const char *space = strrchr(plain, ' '); /* behind a template's return type */
    bool anonymous = strstr(plain, "(anonymous namespace)") != NULL;
    return fnmatch(pattern, plain, 0) == 0 || (space && !anonymous && fnmatch(pattern, space + 1, 0) == 0);
}

bool wl_san_names_function(const char *pattern, const char *symbol, const char *demangled) {
    return fnmatch(pattern, symbol, 0) == 0 || fnmatch(pattern, demangled, 0) == 0 || names_plain(pattern, demangled);
}

/* The kernel or function with the highest start up to `code`. */
static const char *function_at(const struct wl_codeobject *object, uint64_t code, uint64_t *start) {
    const char *name = NULL;
    for (size_t i = 0; i < wl_codeobject_kernel_count(object); i++) {
        const struct wl_kernel *kernel = wl_codeobject_kernel(object, i);
        if (kernel->start <= code && (!name || kernel->start >= *start)) {
            *start = kernel->start;
            name = kernel->name;
        }
    }
    for (size_t i = 0; i < wl_codeobject_function_count(object); i++) {
        const struct wl_function *function = wl_codeobject_function(object, i);
        if (*function->name && function->address <= code && (!name || function->address > *start)) {
            *start = function->address;
            name = function->name;
        }
    }
    return name;
}

void wl_san_code_name(const struct wl_codeobject *object, uint64_t code, char *text, size_t size) {
    uint64_t start = 0;
    const char *symbol = object ? function_at(object, code, &start) : NULL;
    char *name = symbol ? wl_san_demangle(symbol) : NULL;
    if (name)
        snprintf(text, size, "%s+0x%" PRIx64, name, code - start);
    else
        snprintf(text, size, "offset 0x%" PRIx64, code);
    free(name);
}
