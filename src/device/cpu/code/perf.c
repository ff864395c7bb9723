#include "device/cpu/code/perf.h"

#include "base/clock.h"
#include "base/options.h"
#include "sanitize/names.h"

#include <elf.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifdef __x86_64__
#define MACHINE EM_X86_64
#else
#define MACHINE EM_AARCH64
#endif

/* The files, of the process that opened them: a fork's child opens its own. */
static struct {
    pthread_mutex_t lock;
    pid_t process; /* 0: nobody has opened them */
    FILE *map, *dump;
    uint64_t index;
} perf = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* ---- the jitdump format, version 1 (Linux: tools/perf/Documentation/jitdump-specification.txt) -------------------------------------- */

#define DUMP_MAGIC 0x4A695444u
enum { CODE_LOAD = 0, CODE_DEBUG_INFO = 2 };

struct dump_header {
    uint32_t magic, version, size, machine, pad, process;
    uint64_t time, flags;
};

struct dump_record {
    uint32_t kind, size;
    uint64_t time;
};

struct dump_code {
    struct dump_record record;
    uint32_t process, thread;
    uint64_t address, code_address, code_size, index;
};

struct dump_lines {
    struct dump_record record;
    uint64_t code_address, count;
};

struct dump_line {
    uint64_t address;
    uint32_t line, discriminator;
};

/* ---- files --------------------------------------------------------------------------------------- */

static FILE *open_file(const char *folder, const char *format) {
    char name[64], path[PATH_MAX];
    snprintf(name, sizeof name, format, (int)getpid());
    snprintf(path, sizeof path, "%s/%s", folder, name);
    int file = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0666);
    FILE *stream = file < 0 ? NULL : fdopen(file, "w+");
    if (!stream) {
        wl_log(1, "WAVELIFT_PERF: %s: %m", path);
        if (file >= 0)
            close(file);
    }
    return stream;
}

/* perf finds the file by its being mapped as code; nobody reads the mapping. */
static bool begin_dump(FILE *dump) {
    const struct dump_header header = {
        .magic = DUMP_MAGIC, .version = 1, .size = sizeof header, .machine = MACHINE, .process = (uint32_t)getpid(), .time = wl_now()};
    const long page = sysconf(_SC_PAGESIZE);
    if (fwrite(&header, sizeof header, 1, dump) != 1 || fflush(dump) != 0)
        return false;
    return mmap(NULL, (size_t)page, PROT_READ | PROT_EXEC, MAP_PRIVATE, fileno(dump), 0) != MAP_FAILED;
}

static void open_files(void) {
    const char *folder = getenv("TMPDIR"); /* NOLINT(concurrency-mt-unsafe): a program that sets it meanwhile has other troubles */
    if (perf.process == getpid())
        return;
    perf.process = getpid(); /* what the parent had open stays the parent's */
    perf.map = open_file("/tmp", "perf-%d.map");
    perf.dump = open_file(folder && *folder == '/' ? folder : "/tmp", "jit-%d.dump");
    if (perf.dump && !begin_dump(perf.dump)) {
        wl_log(1, "WAVELIFT_PERF: the jitdump file cannot be written or mapped: %m");
        fclose(perf.dump);
        perf.dump = NULL;
    }
}

/* ---- lines --------------------------------------------------------------------------------------- */

/* The lines of a copy, as the dump has them. */
struct lines {
    const struct wl_device_module *module;
    const struct wl_cpu_unit *unit;
    const struct wl_native *native;
    FILE *out;
    char last[PATH_MAX + 32];
    uint64_t count;
};

/* Says that the line that was found last is at an address. */
static void put_row(struct lines *lines, uint64_t address) {
    const char *colon = strrchr(lines->last, ':');
    const struct dump_line line = {.address = address, .line = (uint32_t)strtoul(colon + 1, NULL, 10)};
    fwrite(&line, sizeof line, 1, lines->out);
    fwrite(lines->last, (size_t)(colon - lines->last), 1, lines->out);
    fputc(0, lines->out);
    lines->count++;
}

/* What comes before the first line belongs to it as well. */
static bool put_line(void *context, const struct wl_native_row *row) {
    struct lines *lines = context;
    char text[PATH_MAX + 32];
    const uint64_t at = (uint64_t)(uintptr_t)lines->native->memory;
    if (row->begin < at || row->begin >= at + lines->native->size ||
        !wl_codeobject_source_line(lines->module->object, lines->unit->address + row->offset, text, sizeof text) ||
        strcmp(text, lines->last) == 0 || !strrchr(text, ':'))
        return false;
    snprintf(lines->last, sizeof lines->last, "%s", text);
    put_row(lines, lines->count ? row->begin : at);
    return false;
}

static void dump_lines(const struct wl_device_module *module, const struct wl_cpu_unit *unit, const struct wl_native *native) {
    char *memory = NULL;
    size_t size = 0;
    struct lines lines = {.module = module, .unit = unit, .native = native, .out = open_memstream(&memory, &size)};
    if (!lines.out)
        return;
    wl_native_rows(native, put_line, &lines);
    if (lines.count)
        put_row(&lines,
                (uint64_t)(uintptr_t)native->memory + native->size - 1); /* perf has a line up to the next one's address, and no further */
    if (fclose(lines.out) == 0 && lines.count) {
        const size_t whole = (sizeof(struct dump_lines) + size + 7) / 8 * 8;
        const struct dump_lines head = {.record = {.kind = CODE_DEBUG_INFO, .size = (uint32_t)whole, .time = wl_now()},
                                        .code_address = (uint64_t)(uintptr_t)native->memory,
                                        .count = lines.count};
        fwrite(&head, sizeof head, 1, perf.dump);
        fwrite(memory, size, 1, perf.dump);
        fwrite("\0\0\0\0\0\0\0", whole - sizeof head - size, 1, perf.dump);
    }
    free(memory);
}

static void dump_code(const struct wl_native *native, const char *name) {
    const uint64_t address = (uint64_t)(uintptr_t)native->memory;
    const struct dump_code head = {
        .record = {.kind = CODE_LOAD, .size = (uint32_t)(sizeof head + strlen(name) + 1 + native->size), .time = wl_now()},
        .process = (uint32_t)getpid(),
        .thread = (uint32_t)syscall(SYS_gettid),
        .address = address,
        .code_address = address,
        .code_size = native->size,
        .index = perf.index++};
    fwrite(&head, sizeof head, 1, perf.dump);
    fwrite(name, strlen(name) + 1, 1, perf.dump);
    fwrite(native->memory, native->size, 1, perf.dump);
    fflush(perf.dump);
}

void wl_perf_tell(const struct wl_device_module *module, const struct wl_cpu_unit *unit, const struct wl_native *native, const char *copy) {
    char *readable = wl_san_demangle(unit->name), *name = NULL;
    if (asprintf(&name, "%s [%s]", readable ? readable : unit->name, copy) < 0)
        name = NULL;
    pthread_mutex_lock(&perf.lock);
    open_files();
    if (name && perf.map) {
        fprintf(perf.map, "%" PRIxPTR " %zx %s\n", (uintptr_t)native->memory, native->size, name);
        fflush(perf.map);
    }
    if (name && perf.dump) {
        dump_lines(module, unit, native);
        dump_code(native, name);
    }
    pthread_mutex_unlock(&perf.lock);
    free(name);
    free(readable);
}
