/* Many small launches and graphs of small nodes, timed, beside PoCL and OpenMP where they have the operation:
 *
 *     bench-queue launch.co [queue.json] [--only PART]
 *
 * One line a case: nanoseconds for one launch or node, the best of several rounds. OpenMP's figure is that of one parallel loop over as
 * many iterations as the launch has workgroups, each of which calls an empty function: what the same work costs a native program.
 * --only takes the cases whose names contain PART. */
#include "measure.h"
#include "opencl.h"

#include <hip/hip_runtime_api.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ROUNDS = 15, LAUNCHES = 1000, NODES = 480, BRANCHES = 8, GROUPS = 16, MANY = 1 << 20, WORDS = 1024 };

static hipFunction_t empty, work;
static hipStream_t stream;
static hipGraphExec_t chain, wide, branches, mixed, branches_of_work, chain_of_work;
static unsigned *from, *to;

/* ---- Wavelift ------------------------------------------------------------------------------------ */

static void launch_groups(unsigned groups) { MUST(hipModuleLaunchKernel(empty, groups, 1, 1, 64, 1, 1, 0, stream, NULL, NULL)); }

/* Some microseconds of arithmetic in one workgroup. */
static void launch_work(void) {
    unsigned rounds = 256;
    void *arguments[] = {&to, &rounds};
    MUST(hipModuleLaunchKernel(work, 1, 1, 1, 256, 1, 1, 0, stream, arguments, NULL));
}

static double one(void) {
    double start = now_ns();
    for (int i = 0; i < LAUNCHES; i++) {
        launch_groups(1);
        MUST(hipStreamSynchronize(stream));
    }
    return (now_ns() - start) / LAUNCHES;
}

static double queued(unsigned groups) {
    double start = now_ns();
    for (int i = 0; i < LAUNCHES; i++)
        launch_groups(groups);
    MUST(hipStreamSynchronize(stream));
    return (now_ns() - start) / LAUNCHES;
}

static double queued_1(void) { return queued(1); }
static double queued_16(void) { return queued(GROUPS); }

static double many_groups(void) {
    double start = now_ns();
    launch_groups(MANY);
    MUST(hipStreamSynchronize(stream));
    return (now_ns() - start) / MANY;
}

static double graph(hipGraphExec_t launched) {
    double start = now_ns();
    MUST(hipGraphLaunch(launched, stream));
    MUST(hipStreamSynchronize(stream));
    return (now_ns() - start) / NODES;
}

static double graph_chain(void) { return graph(chain); }
static double graph_wide(void) { return graph(wide); }
static double graph_branches(void) { return graph(branches); }
static double graph_mixed(void) { return graph(mixed); }
static double graph_chain_of_work(void) { return graph(chain_of_work); }
static double graph_branches_of_work(void) { return graph(branches_of_work); }

static double queued_mixed(void) {
    double start = now_ns();
    for (int i = 0; i < NODES / 4; i++) {
        launch_groups(1);
        MUST(hipMemsetAsync(from, i, WORDS * sizeof *from, stream));
        MUST(hipMemcpyAsync(to, from, WORDS * sizeof *from, hipMemcpyDeviceToDevice, stream));
        launch_groups(1);
    }
    MUST(hipStreamSynchronize(stream));
    return (now_ns() - start) / NODES;
}

/* `row` is called NODES / count times and queues `count` nodes. */
static hipGraphExec_t captured(void (*row)(int), int count) {
    hipGraph_t made = NULL;
    hipGraphExec_t exec = NULL;
    MUST(hipStreamBeginCapture(stream, hipStreamCaptureModeGlobal));
    for (int i = 0; i < NODES / count; i++)
        row(i);
    MUST(hipStreamEndCapture(stream, &made));
    MUST(hipGraphInstantiate(&exec, made, NULL, NULL, 0));
    MUST(hipGraphDestroy(made));
    return exec;
}

static void row_of_chain(int i) {
    (void)i;
    launch_groups(1);
}

static void row_of_work(int i) {
    (void)i;
    launch_work();
}

static void row_of_mixed(int i) {
    launch_groups(1);
    MUST(hipMemsetAsync(from, i, WORDS * sizeof *from, stream));
    MUST(hipMemcpyAsync(to, from, WORDS * sizeof *from, hipMemcpyDeviceToDevice, stream));
    launch_groups(1);
}

/* NODES kernels in `count` chains. */
static hipGraphExec_t in_branches(hipFunction_t function, int count) {
    static hipGraphNode_t last[NODES];
    hipGraph_t made = NULL;
    hipGraphExec_t exec = NULL;
    unsigned *target = to, rounds = 256;
    void *arguments[] = {&target, &rounds};
    hipKernelNodeParams params = {.func = (void *)function,
                                  .gridDim = {1, 1, 1},
                                  .blockDim = {function == work ? 256 : 64, 1, 1},
                                  .kernelParams = function == work ? arguments : NULL};
    MUST(hipGraphCreate(&made, 0));
    for (int i = 0; i < NODES; i++) {
        hipGraphNode_t node = NULL;
        target = to + (size_t)256 * (size_t)(i % count);
        MUST(hipGraphAddKernelNode(&node, made, i < count ? NULL : &last[i % count], i < count ? 0 : 1, &params));
        last[i % count] = node;
    }
    MUST(hipGraphInstantiate(&exec, made, NULL, NULL, 0));
    MUST(hipGraphDestroy(made));
    return exec;
}

static void prepare_hip(const char *path) {
    hipModule_t module = NULL;
    MUST(hipModuleLoad(&module, path));
    MUST(hipModuleGetFunction(&empty, module, "empty"));
    MUST(hipModuleGetFunction(&work, module, "work"));
    MUST(hipStreamCreateWithFlags(&stream, hipStreamNonBlocking));
    MUST(hipMalloc((void **)&from, WORDS * sizeof *from));
    MUST(hipMalloc((void **)&to, (size_t)256 * NODES * sizeof *to));
    chain = captured(row_of_chain, 1);
    mixed = captured(row_of_mixed, 4);
    wide = in_branches(empty, NODES);
    branches = in_branches(empty, BRANCHES);
    chain_of_work = captured(row_of_work, 1);
    branches_of_work = in_branches(work, BRANCHES);
}

/* ---- OpenMP -------------------------------------------------------------------------------------- */

__attribute__((noinline)) static void nothing(int i) { __asm__ volatile("" ::"r"(i) : "memory"); }

static double loops(int iterations) {
    double start = now_ns();
    for (int i = 0; i < LAUNCHES; i++) {
#pragma omp parallel for schedule(static)
        for (int n = 0; n < iterations; n++)
            nothing(n);
    }
    return (now_ns() - start) / LAUNCHES;
}

static double loop_1(void) { return loops(1); }
static double loop_16(void) { return loops(GROUPS); }

static double loop_many(void) {
    double start = now_ns();
#pragma omp parallel for schedule(static)
    for (int n = 0; n < MANY; n++)
        nothing(n);
    return (now_ns() - start) / MANY;
}

/* ---- PoCL ---------------------------------------------------------------------------------------- */

static void cl_launch(size_t groups) {
    size_t items = groups * 64, group = 64;
    MUST(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &items, &group, 0, NULL, NULL));
}

static double cl_one(void) {
    double start = now_ns();
    for (int i = 0; i < LAUNCHES; i++) {
        cl_launch(1);
        MUST(clFinish(queue));
    }
    return (now_ns() - start) / LAUNCHES;
}

static double cl_queued(size_t groups) {
    double start = now_ns();
    for (int i = 0; i < LAUNCHES; i++)
        cl_launch(groups);
    MUST(clFinish(queue));
    return (now_ns() - start) / LAUNCHES;
}

static double cl_queued_1(void) { return cl_queued(1); }
static double cl_queued_16(void) { return cl_queued(GROUPS); }

static double cl_many(void) {
    double start = now_ns();
    cl_launch(MANY);
    MUST(clFinish(queue));
    return (now_ns() - start) / MANY;
}

/* ---- the table ----------------------------------------------------------------------------------- */

static const struct {
    const char *name, *key;
    double (*run)(void), (*native)(void), (*pocl)(void);
} cases[] = {
    {"launch and synchronize", "one", one, loop_1, cl_one},
    {"1000 queued", "queued", queued_1, loop_1, cl_queued_1},
    {"1000 queued, of 16 workgroups", "queued_16", queued_16, loop_16, cl_queued_16},
    {"a workgroup of a million", "many_groups", many_groups, loop_many, cl_many},
    {"graph, a chain of 480", "graph_chain", graph_chain, loop_1, cl_queued_1},
    {"graph, 480 side by side", "graph_wide", graph_wide, loop_1, cl_queued_1},
    {"graph, 8 chains of 60", "graph_branches", graph_branches, loop_1, NULL},
    {"graph, kernel, fill, copy, kernel, ...", "graph_mixed", graph_mixed, NULL, NULL},
    {"the same queued", "queued_mixed", queued_mixed, NULL, NULL},
    {"graph, a chain of 480 of some us", "graph_chain_work", graph_chain_of_work, NULL, NULL},
    {"graph, 8 chains of 60 of some us", "graph_branches_work", graph_branches_of_work, NULL, NULL},
};
enum { CASES = sizeof cases / sizeof *cases };

/* On a machine that others use, threads of OpenMP that spin for each other can take seconds: a limit on all rounds together. */
static double best(double (*run)(void)) {
    const double limit = now_ns() + 1e9;
    double least = run();
    for (int i = 1; i < ROUNDS && now_ns() < limit; i++) {
        double again = run();
        least = again < least ? again : least;
    }
    return least;
}

static void print_number(FILE *file, const char *name, double value) {
    if (isnan(value))
        fprintf(file, "\"%s\": null", name);
    else
        fprintf(file, "\"%s\": %.1f", name, value);
}

int main(int argc, char **argv) {
    const char *json = NULL, *only = "";
    if (argc < 2) {
        fprintf(stderr, "usage: bench-queue launch.co [queue.json] [--only PART]\n");
        return 2;
    }
    for (int i = 2; i < argc; i++)
        if (strcmp(argv[i], "--only") == 0 && i + 1 < argc)
            only = argv[++i];
        else
            json = argv[i];
    setvbuf(stdout, NULL, _IOLBF, 0);
    prepare_hip(argv[1]);
    int peer = prepare_cl();
    FILE *file = json ? fopen(json, "w") : NULL;
    const char *separator = "{";
    printf("%-42s %10s %10s %10s\n", "ns", "Wavelift", "OpenMP", "PoCL");
    for (int i = 0; i < CASES; i++) {
        if (!strstr(cases[i].name, only))
            continue;
        double ours = best(cases[i].run), native = cases[i].native ? best(cases[i].native) : (double)NAN;
        double pocl = peer && cases[i].pocl ? best(cases[i].pocl) : (double)NAN;
        printf("%-42s %10.1f", cases[i].name, ours);
        for (int side = 0; side < 2; side++) {
            double value = side ? pocl : native;
            if (isnan(value))
                printf(" %10s", "");
            else
                printf(" %10.1f", value);
        }
        printf("\n");
        if (!file)
            continue;
        fprintf(file, "%s\n  \"%s\": {", separator, cases[i].key);
        print_number(file, "wavelift_ns", ours);
        fputs(", ", file);
        print_number(file, "openmp_ns", native);
        fputs(", ", file);
        print_number(file, "pocl_ns", pocl);
        fputs("}", file);
        separator = ",";
    }
    if (file) {
        fprintf(file, "\n}\n");
        if (fclose(file) != 0)
            return 2;
    }
    return 0;
}
