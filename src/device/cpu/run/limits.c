/* What this process may use of the machine: CPUs by affinity and cgroup quota, memory by cgroup, and what of it is left. */
#include "device/cpu/run/workers.h"

#include <limits.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

/* ---- cgroups ---------------------------------------------------------------------------------- */

/* The first line of a cgroup's file into `line`. False: there is none. */
static bool read_line(const char *folder, const char *name, char *line, size_t size) {
    char path[PATH_MAX + 64];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "re");
    if (!file)
        return false;
    bool read = fgets(line, (int)size, file) != NULL;
    fclose(file);
    return read;
}

/* CPUs' worth of time that a cgroup allows; 0: no limit. */
static uint64_t cpus_of(const char *folder) {
    char line[64], *rest = NULL; /* "max 100000" or "200000 100000" */
    if (!read_line(folder, "cpu.max", line, sizeof line))
        return 0;
    long long quota = strtoll(line, &rest, 10), period = strtoll(rest, NULL, 10);
    return quota > 0 && period > 0 ? (uint64_t)((quota + period - 1) / period) : 0;
}

/* Bytes that a cgroup allows; 0: no limit. */
static uint64_t bytes_of(const char *folder) {
    char line[64]; /* "max" or a number */
    return read_line(folder, "memory.max", line, sizeof line) ? strtoull(line, NULL, 10) : 0;
}

/* Bytes that a cgroup has left of its limit, counting what the kernel would drop first; 0: no limit, or nothing left. */
static uint64_t left_of(const char *folder) {
    char line[64], path[PATH_MAX + 64];
    uint64_t limit = bytes_of(folder), used = 0, dropped = 0;
    if (!limit || !read_line(folder, "memory.current", line, sizeof line))
        return 0;
    used = strtoull(line, NULL, 10);
    snprintf(path, sizeof path, "%s/memory.stat", folder);
    FILE *file = fopen(path, "re");
    while (file && fgets(line, sizeof line, file))
        if (strncmp(line, "inactive_file ", 14) == 0)
            dropped = strtoull(line + 14, NULL, 10);
    if (file)
        fclose(file);
    used -= dropped < used ? dropped : used;
    return limit > used ? limit - used : 1;
}

/* The smallest limit from this process's cgroup up to the root; 0: none. */
static uint64_t least_of(uint64_t (*limit_of)(const char *folder)) {
    char line[PATH_MAX] = "", path[PATH_MAX + 32];
    FILE *file = fopen("/proc/self/cgroup", "re");
    if (!file)
        return 0;
    char *group = NULL;
    while (!group && fgets(line, sizeof line, file))
        if (strncmp(line, "0::", 3) == 0)
            group = line + 3;
    fclose(file);
    if (!group)
        return 0;
    group[strcspn(group, "\n")] = 0;
    uint64_t least = 0;
    for (;;) {
        snprintf(path, sizeof path, "/sys/fs/cgroup%s", strcmp(group, "/") == 0 ? "" : group);
        uint64_t limit = limit_of(path);
        if (limit && (!least || limit < least))
            least = limit;
        char *slash = strrchr(group, '/');
        if (!slash || group[0] == 0)
            return least;
        *slash = 0;
    }
}

/* ---- limits ----------------------------------------------------------------------------------- */

unsigned wl_allowed_cpus(void) {
    unsigned allowed = 0;
    for (int size = 1024; size <= 1 << 20 && !allowed; size *= 2) {
        cpu_set_t *set = CPU_ALLOC(size);
        if (set && sched_getaffinity(0, CPU_ALLOC_SIZE(size), set) == 0)
            allowed = (unsigned)CPU_COUNT_S(CPU_ALLOC_SIZE(size), set);
        CPU_FREE(set);
    }
    if (!allowed)
        allowed = (unsigned)sysconf(_SC_NPROCESSORS_ONLN);
    uint64_t quota = least_of(cpus_of);
    if (quota && quota < allowed)
        allowed = (unsigned)quota;
    return allowed ? allowed : 1;
}

uint64_t wl_allowed_memory(void) {
    uint64_t machine = (uint64_t)sysconf(_SC_PHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE), limit = least_of(bytes_of);
    return limit && limit < machine ? limit : machine;
}

/* A line of /proc/meminfo in bytes; 0: there is none. */
static uint64_t machine_has(const char *name) {
    char line[128];
    uint64_t bytes = 0;
    FILE *file = fopen("/proc/meminfo", "re");
    while (file && !bytes && fgets(line, sizeof line, file))
        if (strncmp(line, name, strlen(name)) == 0 && line[strlen(name)] == ':')
            bytes = strtoull(line + strlen(name) + 1, NULL, 10) * 1024;
    if (file)
        fclose(file);
    return bytes;
}

uint64_t wl_available_memory(void) {
    uint64_t available = machine_has("MemAvailable"), left = least_of(left_of);
    char mode[8] = "";
    struct rlimit limit;
    if (!available)
        available = wl_allowed_memory();
    if (left && left < available)
        available = left;
    if (read_line("/proc/sys/vm", "overcommit_memory", mode, sizeof mode) && *mode == '2') { /* promises are limited as well */
        uint64_t most = machine_has("CommitLimit"), promised = machine_has("Committed_AS"), rest = most > promised ? most - promised : 0;
        available = rest < available ? rest : available;
    }
    if (getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY) {
        char text[32] = "";
        uint64_t mapped =
            read_line("/proc/self", "statm", text, sizeof text) ? strtoull(text, NULL, 10) * (uint64_t)sysconf(_SC_PAGESIZE) : 0;
        uint64_t rest = limit.rlim_cur > mapped ? limit.rlim_cur - mapped : 0;
        available = rest < available ? rest : available;
    }
    return available;
}
