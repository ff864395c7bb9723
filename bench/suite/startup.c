/* What a process pays once: build/bench/bench-start, which says more. */
#include "figures.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

struct place {
    char library[4096], cache[4096], program[4096], log[4096];
};

/* Runs bench-start in a mode and reads its two numbers; false if it failed. `tier`: a setting of WAVELIFT_TIER. */
static bool run(const struct place *place, const char *mode, const char *tier, double *first, double *second) {
    const char *environment[] = {place->library, place->cache, "WAVELIFT_ARCH=gfx90a", "WAVELIFT_LOG=3", tier, NULL};
    char *command[] = {(char *)(size_t)place->program, (char *)(size_t)mode, NULL};
    char line[256];
    struct process process = start(command, environment, place->log, -1);
    bool good = ask(&process, NULL, line, sizeof line, 60) && sscanf(line, "%lf %lf", first, second) == 2;
    return stop(&process) == 0 && good;
}

static void empty_cache(const struct place *place) {
    char command[4200];
    snprintf(command, sizeof command, "rm -rf '%s'", place->cache + strlen("WAVELIFT_CACHE_DIR="));
    if (system(command) != 0)
        fail("cannot empty the cache");
}

/* The translation of the long kernel: of those that the log tells of, the one of most instructions. */
static void read_log(const struct place *place, struct startup *startup) {
    char line[1024];
    FILE *log = fopen(place->log, "r");
    while (log && fgets(line, sizeof line, log)) {
        unsigned long long decode, lift, optimize, code;
        unsigned instructions;
        const char *at = strstr(line, "): ");
        if (!strstr(line, "translated ") || !at ||
            sscanf(at, "): %u instructions, decode %llu us, lift %llu us, optimize %llu us, code %llu us", &instructions, &decode, &lift,
                   &optimize, &code) != 5 ||
            instructions < startup->instructions)
            continue;
        startup->instructions = instructions;
        startup->translation = 1e-6 * (double)(decode + lift + optimize + code) / instructions;
    }
    if (log)
        fclose(log);
}

void measure_startup(const struct options *options, struct startup *startup) {
    static double warm[MAX_ROUNDS], memory[MAX_ROUNDS], cold[MAX_ROUNDS], launch[MAX_ROUNDS];
    struct place place;
    static const char any_tier[] = "WAVELIFT_TIER=0", native[] = "WAVELIFT_TIER=2";
    double unused = 0, end = 0;
    *startup = (struct startup){(double)NAN, (double)NAN, (double)NAN, (double)NAN, 0, (double)NAN};
    snprintf(place.library, sizeof place.library, "LD_LIBRARY_PATH=%s/lib", options->build);
    snprintf(place.cache, sizeof place.cache, "WAVELIFT_CACHE_DIR=%s/bench/cache-start", options->build);
    snprintf(place.program, sizeof place.program, "%s/bench/bench-start", options->build);
    snprintf(place.log, sizeof place.log, "%s/bench/logs/start.log", options->build);
    for (int round = 0; round < options->rounds; round++) {
        empty_cache(&place);
        if (!run(&place, "cold", any_tier, &cold[round], &unused) || !run(&place, "cold", native, &unused, &unused) ||
            !run(&place, "add", native, &unused, &unused)) { /* the latter two fill the cache */
            fprintf(stderr, "bench: bench-start failed: see %s\n", place.log);
            return;
        }
        double begin = now();
        if (!run(&place, "add", any_tier, &end, &memory[round]) || !run(&place, "launches", any_tier, &launch[round], &unused))
            return;
        warm[round] = end - begin;
        memory[round] /= 1024;
    }
    startup->cold = median(cold, options->rounds);
    startup->warm = median(warm, options->rounds);
    startup->memory = median(memory, options->rounds);
    startup->launch = median(launch, options->rounds);
    read_log(&place, startup);
}
