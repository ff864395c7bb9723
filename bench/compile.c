/* First launches, timed: bench-compile CODE-OBJECT... [--check]
 *
 * For each kernel of compile.hip, in each code object given: a process of its own with an empty cache (the translator's library is
 * still to be loaded), as often as ROUNDS says; and one that finds in the cache what the process before left there. Times are the
 * best of the rounds, in ms: "first" from the first launch to its end, "warm" the same from the cache, of the first one
 * what the translator says (loading the library; decode, lift, passes, code generation), and the processor time of a launch over a
 * large grid with the code that the first launch made, and the least of a second of such launches: with what the process ends up
 * with. WAVELIFT_TIER is passed on. */
#include "measure.h"

#include <hip/hip_runtime_api.h>

#include <dirent.h>
#include <limits.h>
#include <stdbool.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { ROUNDS = 5, GROUP = 256, COUNT = 1 << 16, FIRST = 4 * GROUP };

static const char *const kernels[] = {"n50", "n300", "n1000", "n3000"};
static const double bars[] = {0, 0, 60, 0}; /* of "first" */

/* ---- a process with one kernel ---------------------------------------------------------------------- */

struct times {
    double first, run, later; /* ms: the first launch; processor time of one over the whole grid, at once and after a second of those */
};

static double processor_ns(void) {
    struct timespec time;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

static double launch(hipFunction_t kernel, float *in, float *out, int n, int items, double (*clock)(void)) {
    void *arguments[] = {&in, &out, &n};
    double start = clock();
    MUST(hipModuleLaunchKernel(kernel, (unsigned)items / GROUP, 1, 1, GROUP, 1, 1, 0, NULL, arguments, NULL));
    MUST(hipDeviceSynchronize());
    return (clock() - start) * 1e-6;
}

static int child(const char *file, const char *name, bool runs) {
    static float values[COUNT];
    hipModule_t module;
    hipFunction_t kernel;
    float *in, *out;
    struct times times = {0};
    for (int i = 0; i < COUNT; i++)
        values[i] = (float)(i % 1000) * 0.01f;
    MUST(hipModuleLoad(&module, file));
    MUST(hipModuleGetFunction(&kernel, module, name));
    MUST(hipMalloc((void **)&in, sizeof values));
    MUST(hipMalloc((void **)&out, sizeof values));
    MUST(hipMemcpy(in, values, sizeof values, hipMemcpyHostToDevice));
    times.first = launch(kernel, in, out, COUNT, FIRST, now_ns);
    if (runs) {
        (void)launch(kernel, in, out, COUNT, COUNT, now_ns); /* pages, and copies for partial waves */
        times.run = launch(kernel, in, out, COUNT, COUNT, processor_ns);
        for (double end = now_ns() + 1e9; now_ns() < end;) {
            double time = launch(kernel, in, out, COUNT, COUNT, processor_ns);
            if (times.later == 0 || time < times.later)
                times.later = time;
        }
    }
    MUST(hipMemcpy(values, out, sizeof values, hipMemcpyDeviceToHost));
    printf("times %.6f %.6f %.6f\n", times.first, times.run, times.later);
    return 0;
}

/* ---- processes, and what they say --------------------------------------------------------------------- */

struct figures {
    struct times times;
    double load, decode, lift, optimize, code; /* ms of the first copy that was made; 0: none was */
    unsigned instructions;
};

static void clear(const char *folder) {
    char file[PATH_MAX + 260];
    DIR *entries = opendir(folder);
    for (struct dirent *entry; entries && (entry = readdir(entries));) {
        snprintf(file, sizeof file, "%s/%s", folder, entry->d_name);
        if (entry->d_name[0] != '.')
            (void)unlink(file);
    }
    if (entries)
        (void)closedir(entries);
}

static void read_log(FILE *from, struct figures *figures) {
    char line[1024];
    unsigned long long decode, lift, optimize, code, load;
    bool known = false;
    while (fgets(line, sizeof line, from)) {
        const char *phases = strstr(line, " instructions, decode "), *count = phases;
        while (count && count > line && count[-1] != ' ')
            count--;
        if (!known && phases &&
            sscanf(phases, " instructions, decode %llu us, lift %llu us, optimize %llu us, code %llu us", &decode, &lift, &optimize,
                   &code) == 4) {
            known = true;
            figures->instructions = (unsigned)strtoul(count, NULL, 10);
            figures->decode = (double)decode * 1e-3;
            figures->lift = (double)lift * 1e-3;
            figures->optimize = (double)optimize * 1e-3;
            figures->code = (double)code * 1e-3;
        }
        const char *threaded = strstr(line, " instructions, decode ");
        if (strncmp(line, "wavelift: threaded ", 19) == 0 && threaded) {
            while (threaded[-1] != ' ')
                threaded--;
            figures->instructions = (unsigned)strtoul(threaded, NULL, 10);
        }
        if (sscanf(line, "wavelift: the translator was loaded in %llu us", &load) == 1)
            figures->load = (double)load * 1e-3;
        if (strncmp(line, "times ", 6) == 0)
            (void)sscanf(line, "times %lf %lf %lf", &figures->times.first, &figures->times.run, &figures->times.later);
    }
}

static struct figures ask(const char *file, const char *name, bool runs) {
    struct figures figures = {0};
    int ends[2], status = 0;
    char *arguments[] = {"bench-compile", runs ? "--child-runs" : "--child", (char *)file, (char *)name, NULL};
    must(pipe(ends), "pipe");
    pid_t pid = fork();
    must(pid < 0, "fork");
    if (pid == 0) {
        (void)dup2(ends[1], STDOUT_FILENO);
        (void)dup2(ends[1], STDERR_FILENO);
        (void)close(ends[0]);
        (void)execv("/proc/self/exe", arguments);
        _exit(127);
    }
    (void)close(ends[1]);
    FILE *from = fdopen(ends[0], "r");
    read_log(from, &figures);
    (void)fclose(from);
    must(waitpid(pid, &status, 0) != pid || status != 0, name);
    return figures;
}

static int measure(const char *file, const char *folder, const char *name, double bar, bool check) {
    struct figures best = {0}, warm = {0};
    for (int round = 0; round < ROUNDS; round++) {
        clear(folder);
        struct figures figures = ask(file, name, round == 0);
        if (round == 0)
            best = figures;
        figures.times.run = best.times.run;
        figures.times.later = best.times.later;
        if (figures.times.first <= best.times.first)
            best = figures;
    }
    for (int round = 0; round < ROUNDS; round++) {
        struct figures figures = ask(file, name, false);
        if (round == 0 || figures.times.first < warm.times.first)
            warm = figures;
    }
    enum { LARGE = 1500 }; /* the same source without optimization is several times as long */
    int missed = bar > 0 && best.instructions < LARGE && best.times.first > bar;
    printf("%-6s %5u %8.1f %7.1f %7.1f %7.1f %7.1f %7.1f %8.2f %9.3f %9.3f%s\n", name, best.instructions, best.times.first, best.load,
           best.decode, best.lift, best.optimize, best.code, warm.times.first, best.times.run, best.times.later,
           missed ? "  MISSED (bar 60)" : "");
    (void)fflush(stdout);
    return missed && check;
}

int main(int argc, char **argv) {
    char folder[] = "/tmp/bench-compile-XXXXXX";
    int missed = 0;
    bool check = argc > 1 && strcmp(argv[argc - 1], "--check") == 0;
    if (argc == 4 && strncmp(argv[1], "--child", 7) == 0)
        return child(argv[2], argv[3], strcmp(argv[1], "--child-runs") == 0);
    must(!mkdtemp(folder) || setenv("WAVELIFT_CACHE_DIR", folder, 1) || setenv("WAVELIFT_LOG", "3", 1), "a folder for the cache");
    printf("%-6s %5s %8s %7s %7s %7s %7s %7s %8s %9s %9s\n", "kernel", "insts", "first", "load", "decode", "lift", "passes", "code", "warm",
           "run", "run later");
    for (int i = 1; i < argc - check; i++) {
        printf("%s\n", argv[i]);
        for (size_t k = 0; k < sizeof kernels / sizeof *kernels; k++)
            missed |= measure(argv[i], folder, kernels[k], bars[k], check);
    }
    clear(folder);
    (void)rmdir(folder);
    return missed;
}
