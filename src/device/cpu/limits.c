/* What this process may use of the machine: CPUs by affinity and cgroup quota, memory by cgroup. */
#include "device/cpu/workers.h"

#include <limits.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
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
