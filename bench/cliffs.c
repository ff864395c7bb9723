/* Cases that may cost the host many times what their neighbours do: bench-cliffs CODE-OBJECT CODE-OF-O1 CODE-OF-O0 [--check] [PART ...]
 * The other two objects are the same kernels, compiled so. Native code is waited for. With PARTs only cases run whose title has one of them.
 *
 * Each case runs a kernel of cliffs.hip with two sets of arguments, one after the other, ROUNDS times: smooth ones, and ones whose
 * operands or results underflow or are denormal; or shapes of grids and rows, or two kernels that compute the same. Its figure is the median of the ratios of processor time. */
#include "measure.h"

#include <hip/hip_runtime_api.h>

#include <stdbool.h>
#include <string.h>

enum { ROUNDS = 11, GROUP = 256, GROUPS = 16, STEPS = 256, ITEMS = GROUP * GROUPS };

struct arguments {
    float x, y, step;
};
static const struct {
    const char *title, *kernel;
    struct arguments smooth, cliff;
    double bar; /* 0: none: a denormal is the result where MODE keeps them */
} cases[] = {
    {"v_exp_f32, zero", "exp_f32", {-20, 0, 1e-5f}, {-300, 0, 1e-5f}, 1.2},
    {"v_exp_f32, denormal", "exp_f32", {-20, 0, 1e-5f}, {-140, 0, 1e-5f}, 1.2},
    {"v_exp_f16, zero", "exp_f16", {-5, 0, 1e-5f}, {-200, 0, 1e-5f}, 1.2},
    {"v_exp_f16, denormal", "exp_f16", {-5, 0, 1e-5f}, {-20, 0, 1e-5f}, 1.2},
    {"expf, zero", "exp_library", {-20, 0, 1e-5f}, {-200, 0, 1e-5f}, 1.2},
    {"expf, denormal", "exp_library", {-20, 0, 1e-5f}, {-95, 0, 1e-5f}, 0},
    {"v_log_f32 of denormals", "log_f32", {2, 0, 1e-5f}, {1e-39f, 0, 1e-45f}, 1.2},
    {"v_rcp_f32, denormal result", "rcp_f32", {2, 0, 1e-5f}, {2e38f, 0, 0}, 0},
    {"v_sqrt_f32 of denormals", "sqrt_f32", {2, 0, 1e-5f}, {1e-39f, 0, 1e-45f}, 1.2},
    {"v_ldexp_f32, zero", "ldexp_f32", {1, -20, 1e-5f}, {1, -300, 1e-5f}, 0},
    {"v_ldexp_f32, denormal", "ldexp_f32", {1, -20, 1e-5f}, {1, -140, 1e-5f}, 0},
    {"v_fma_f32, denormal", "product_f32", {1, 0.5f, 1e-5f}, {1, 1e-40f, 1e-5f}, 0},
    {"v_fma_f32, zero", "product_f32", {1e-20f, 1, 1e-26f}, {1e-30f, 1e-30f, 1e-36f}, 0},
    {"v_rsq_f32 of denormals", "rsq_f32", {2, 0, 1e-5f}, {1e-39f, 0, 1e-45f}, 0},
    {"v_fma_f32, flushed", "product_flushed", {1, 0.5f, 1e-5f}, {1, 1e-40f, 1e-5f}, 1.2},
    {"sum, flushed", "sum_flushed", {2, 1, 1e-5f}, {1.2e-38f, 1.1754944e-38f, 1e-45f}, 1.2},
    {"v_ldexp_f32, flushed", "ldexp_flushed", {1, -20, 1e-5f}, {1, -140, 1e-5f}, 1.2},
    {"sum, denormal", "sum_f32", {2, 1, 1e-5f}, {1.2e-38f, 1.1754944e-38f, 1e-45f}, 0},
};

/* Kernels that take rows: of a smooth shape and of another one; what is compared is the time of a work item. */
struct shape {
    int group, size, stride, offset;
};
enum { SHAPE_ITEMS = 1 << 19, SHAPE_FLOATS = 1 << 22, LEAST_NS = 2000000 };
static const struct shapes {
    const char *title, *kernel;
    struct shape smooth, cliff;
    const char *cliff_kernel; /* NULL: the same */
    int object;               /* of the cliff's kernel: 0: -O3, 1: -O1, 2: -O0 */
    int launches;             /* that the cliff is spread over; 0: one */
} shapes[] = {
    {.title = "workgroups of 1", .kernel = "shape", .smooth = {256, SHAPE_ITEMS, 1024, 0}, .cliff = {1, SHAPE_ITEMS, 1024, 0}},
    {.title = "workgroups of 33", .kernel = "shape", .smooth = {256, SHAPE_ITEMS, 1024, 0}, .cliff = {33, SHAPE_ITEMS, 1024, 0}},
    {.title = "workgroups of 64", .kernel = "shape", .smooth = {256, SHAPE_ITEMS, 1024, 0}, .cliff = {64, SHAPE_ITEMS, 1024, 0}},
    {.title = "workgroups of 65", .kernel = "shape", .smooth = {256, SHAPE_ITEMS, 1024, 0}, .cliff = {65, SHAPE_ITEMS, 1024, 0}},
    {.title = "workgroups of 1,000", .kernel = "shape", .smooth = {256, SHAPE_ITEMS, 1024, 0}, .cliff = {1000, SHAPE_ITEMS, 1024, 0}},
    {.title = "unaligned rows", .kernel = "shape", .smooth = {256, SHAPE_ITEMS, 1024, 0}, .cliff = {256, SHAPE_ITEMS, 1025, 1}},
    {.title = "columns 16 KiB apart", .kernel = "column", .smooth = {256, 4096, 4112, 0}, .cliff = {256, 4096, 4096, 0}},
    {.title = "every 2nd work item", .kernel = "some", .smooth = {256, SHAPE_ITEMS, 64, 1}, .cliff = {256, SHAPE_ITEMS, 64, 2}},
    {.title = "every 64th work item", .kernel = "some", .smooth = {256, SHAPE_ITEMS, 64, 1}, .cliff = {256, SHAPE_ITEMS, 64, 64}},
    {.title = "one workgroup", .kernel = "some", .smooth = {256, SHAPE_ITEMS, 4096, 1}, .cliff = {256, 256, 4096, 1}},
    {.title = "10^7 workgroups", .kernel = "nothing", .smooth = {64, 640000, 0, 0}, .cliff = {64, 640000000, 0, 0}},
    {.title = "1,000 kernels of a workgroup",
     .kernel = "nothing",
     .smooth = {64, 64000, 0, 0},
     .cliff = {64, 64000, 0, 0},
     .launches = 1000},
    {.title = "-O1", .kernel = "rounds", .smooth = {256, 1 << 16, 64, 0}, .cliff = {256, 1 << 16, 64, 0}, .object = 1},
    {.title = "-O0", .kernel = "rounds", .smooth = {256, 1 << 12, 64, 0}, .cliff = {256, 1 << 12, 64, 0}, .object = 2},
    {.title = "-O0, a loop with memory", .kernel = "column", .smooth = {256, 4096, 4112, 0}, .cliff = {256, 4096, 4112, 0}, .object = 2},
    {.title = "private memory at lanes' own places",
     .kernel = "private_same",
     .smooth = {256, 1 << 14, 64, 40},
     .cliff = {256, 1 << 14, 64, 40},
     .cliff_kernel = "private_own"},
    {.title = "calls, 64 deep",
     .kernel = "rounds",
     .smooth = {256, 1 << 14, 64, 0},
     .cliff = {256, 1 << 14, 64, 0},
     .cliff_kernel = "calls"},
    {.title = "20,000 instructions",
     .kernel = "long_rounds",
     .smooth = {256, 1 << 12, 1, 1},
     .cliff = {256, 1 << 12, 1, 1},
     .cliff_kernel = "long_straight"},
};

static double processor_ns(void) {
    struct timespec time;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

/* The processor time that a run begins with. Threads that look for more work behind the run before have gone to sleep. */
static double begin_ns(void) {
    const struct timespec moment = {0, 1000000};
    nanosleep(&moment, NULL);
    return processor_ns();
}

static double run(hipFunction_t kernel, float *to, struct arguments a) {
    int steps = STEPS;
    void *arguments[] = {&to, &a.x, &a.y, &a.step, &steps};
    double start = begin_ns();
    MUST(hipModuleLaunchKernel(kernel, GROUPS, 1, 1, GROUP, 1, 1, 0, NULL, arguments, NULL));
    MUST(hipDeviceSynchronize());
    return processor_ns() - start;
}

static int ascending(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Whatever is being translated has become what runs. */
static void settle(hipFunction_t kernel, float *to, struct arguments a) {
    for (double end = now_ns() + 5e8; now_ns() < end;)
        (void)run(kernel, to, a);
}

/* Nanoseconds of a work item. The grid is spread over `launches`; all of it runs `times` times, without waiting in between. */
static double run_launches(hipFunction_t kernel, float *to, float *from, struct shape s, int launches, int times) {
    s.size /= launches;
    void *arguments[] = {&to, &from, &s.size, &s.stride, &s.offset};
    double start = begin_ns();
    for (int i = 0; i < launches * times; i++)
        MUST(hipModuleLaunchKernel(kernel, (unsigned)((s.size + s.group - 1) / s.group), 1, 1, (unsigned)s.group, 1, 1, 0, NULL, arguments,
                                   NULL));
    MUST(hipDeviceSynchronize());
    return (processor_ns() - start) / s.size / launches / times;
}

/* How often a grid runs in a measurement: threads that wait take some ten microseconds of processor time, which are not to count. */
static int times_of(double item_ns, const struct shape *s) {
    const double all = item_ns * s->size;
    return all >= LEAST_NS ? 1 : (int)(LEAST_NS / all) + 1;
}

static void run_case(const struct shapes *c, hipModule_t *modules, float *to, float *from) {
    hipFunction_t kernel, cliff;
    double ratios[ROUNDS];
    int times[2] = {1, 1};
    const int launches = c->launches ? c->launches : 1;
    MUST(hipModuleGetFunction(&kernel, modules[0], c->kernel));
    MUST(hipModuleGetFunction(&cliff, modules[c->object], c->cliff_kernel ? c->cliff_kernel : c->kernel));
    for (double end = now_ns() + 5e8; now_ns() < end;) {
        times[0] = times_of(run_launches(kernel, to, from, c->smooth, 1, 1), &c->smooth);
        times[1] = times_of(run_launches(cliff, to, from, c->cliff, launches, 1), &c->cliff);
    }
    for (int round = 0; round < ROUNDS; round++) {
        double smooth = run_launches(kernel, to, from, c->smooth, 1, times[0]);
        ratios[round] = run_launches(cliff, to, from, c->cliff, launches, times[1]) / smooth;
    }
    qsort(ratios, ROUNDS, sizeof *ratios, ascending);
    (void)report(c->title, ratios[ROUNDS / 2], "times", 0);
}

/* The parts of titles that were asked for. */
static char **parts;

static bool is_wanted(const char *title) {
    for (char **part = parts; *part; part++)
        if (strstr(title, *part))
            return true;
    return !*parts;
}

static void run_shapes(hipModule_t *modules) {
    float *to, *from;
    MUST(hipMalloc((void **)&to, SHAPE_ITEMS * sizeof *to));
    MUST(hipMalloc((void **)&from, SHAPE_FLOATS * sizeof *from));
    MUST(hipMemset(from, 0, SHAPE_FLOATS * sizeof *from));
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
        if (is_wanted(shapes[i].title))
            run_case(&shapes[i], modules, to, from);
}

int main(int count, char **arguments) {
    if (count < 4) {
        fprintf(stderr, "usage: bench-cliffs CODE-OBJECT CODE-OF-O1 CODE-OF-O0 [--check] [PART ...]\n");
        return 2;
    }
    setenv("WAVELIFT_TIER", "2", 0);
    hipModule_t modules[3], module;
    float *to;
    int missed = 0;
    const bool checks = count > 4 && strcmp(arguments[4], "--check") == 0;
    parts = arguments + (checks ? 5 : 4);
    for (int i = 0; i < 3; i++)
        MUST(hipModuleLoad(&modules[i], arguments[i + 1]));
    module = modules[0];
    MUST(hipMalloc((void **)&to, ITEMS * sizeof *to));
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        hipFunction_t kernel;
        double ratios[ROUNDS];
        if (!is_wanted(cases[i].title))
            continue;
        MUST(hipModuleGetFunction(&kernel, module, cases[i].kernel));
        settle(kernel, to, cases[i].smooth);
        for (int round = 0; round < ROUNDS; round++) {
            double smooth = run(kernel, to, cases[i].smooth);
            ratios[round] = run(kernel, to, cases[i].cliff) / smooth;
        }
        qsort(ratios, ROUNDS, sizeof *ratios, ascending);
        missed += report(cases[i].title, ratios[ROUNDS / 2], "times", cases[i].bar);
    }
    run_shapes(modules);
    return checks && missed;
}
