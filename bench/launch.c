/* Launches, timed: one line a case, "name value unit bar", the best of several rounds. The first argument is launch.hip's code
 * object. Exit status 1 if a bar is missed and --check was given. */
#include "measure.h"

#include <hip/hip_runtime_api.h>

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { ROUNDS = 9, COUNT = 2000, THREADS = 4 };

static const char *path;
static hipFunction_t empty, take;
static hipStream_t stream;
static const char stub = 0; /* its address is registered for the kernel `empty` */

/* ---- cases: each takes nanoseconds for one of COUNT operations ----------------------------------- */

static void launch_empty(hipStream_t on) { MUST(hipModuleLaunchKernel(empty, 1, 1, 1, 64, 1, 1, 0, on, NULL, NULL)); }

static double enqueue(void) {
    double start = now_ns();
    for (int i = 0; i < COUNT; i++)
        launch_empty(stream);
    double end = now_ns();
    MUST(hipStreamSynchronize(stream));
    return (end - start) / COUNT;
}

static double drain(void) {
    double start = now_ns();
    for (int i = 0; i < COUNT; i++)
        launch_empty(stream);
    MUST(hipStreamSynchronize(stream));
    return (now_ns() - start) / COUNT;
}

static double enqueue_with_arguments(void) {
    int *a = NULL, *b = NULL, d = 1;
    float c = 0;
    double e = 0, start = now_ns();
    char f = 0;
    short g = 0;
    long h = 0;
    void *arguments[] = {&a, &b, &c, &d, &e, &f, &g, &h};
    for (int i = 0; i < COUNT; i++)
        MUST(hipModuleLaunchKernel(take, 1, 1, 1, 64, 1, 1, 0, stream, arguments, NULL));
    double end = now_ns();
    MUST(hipStreamSynchronize(stream));
    return (end - start) / COUNT;
}

static double enqueue_by_stub(void) {
    dim3 grid = {1, 1, 1}, block = {64, 1, 1};
    double start = now_ns();
    for (int i = 0; i < COUNT; i++) { /* what <<<>>> compiles to */
        size_t shared = 0;
        hipStream_t on = NULL;
        MUST(__hipPushCallConfiguration(grid, block, 0, stream));
        MUST(__hipPopCallConfiguration(&grid, &block, &shared, &on));
        MUST(hipLaunchKernel(&stub, grid, block, NULL, shared, on));
    }
    double end = now_ns();
    MUST(hipStreamSynchronize(stream));
    return (end - start) / COUNT;
}

static double synchronous(void) {
    double start = now_ns();
    for (int i = 0; i < COUNT; i++) {
        launch_empty(stream);
        MUST(hipStreamSynchronize(stream));
    }
    return (now_ns() - start) / COUNT;
}

static double synchronous_on_null(void) {
    double start = now_ns();
    for (int i = 0; i < COUNT; i++) {
        launch_empty(NULL);
        MUST(hipDeviceSynchronize());
    }
    return (now_ns() - start) / COUNT;
}

static double with_events(void) {
    hipEvent_t before = NULL, after = NULL;
    MUST(hipEventCreate(&before));
    MUST(hipEventCreate(&after));
    double start = now_ns();
    for (int i = 0; i < COUNT; i++)
        MUST(hipExtModuleLaunchKernel(empty, 64, 1, 1, 64, 1, 1, 0, stream, NULL, NULL, before, after, 0));
    MUST(hipEventSynchronize(after));
    double time = (now_ns() - start) / COUNT;
    MUST(hipEventDestroy(before));
    MUST(hipEventDestroy(after));
    return time;
}

static void *thread_enqueues(void *time) {
    hipStream_t own = NULL;
    MUST(hipStreamCreateWithFlags(&own, hipStreamNonBlocking));
    double start = now_ns();
    for (int i = 0; i < COUNT; i++)
        launch_empty(own);
    *(double *)time = (now_ns() - start) / COUNT;
    MUST(hipStreamSynchronize(own));
    MUST(hipStreamDestroy(own));
    return NULL;
}

static double threads(void) {
    pthread_t ids[THREADS];
    double times[THREADS], sum = 0;
    for (int i = 0; i < THREADS; i++)
        pthread_create(&ids[i], NULL, thread_enqueues, &times[i]);
    for (int i = 0; i < THREADS; i++) {
        pthread_join(ids[i], NULL);
        sum += times[i];
    }
    return sum / THREADS;
}

static double look_up(void) {
    hipModule_t module = NULL;
    hipFunction_t function = NULL;
    MUST(hipModuleLoad(&module, path));
    double start = now_ns();
    for (int i = 0; i < COUNT; i++)
        MUST(hipModuleGetFunction(&function, module, "take"));
    double time = (now_ns() - start) / COUNT;
    MUST(hipModuleUnload(module));
    return time;
}

static double load(void) {
    const int loads = COUNT / 10;
    double start = now_ns();
    for (int i = 0; i < loads; i++) {
        hipModule_t module = NULL;
        MUST(hipModuleLoad(&module, path));
        MUST(hipModuleUnload(module));
    }
    return (now_ns() - start) / loads;
}

/* ---- all of them ------------------------------------------------------------------------------------ */

static const struct {
    const char *name;
    double (*run)(void);
    double bar;
} cases[] = {
    {"enqueue an empty kernel", enqueue, 1000},
    {"enqueue and run, batched", drain, 0},
    {"enqueue with eight arguments", enqueue_with_arguments, 1000},
    {"enqueue by <<<>>>", enqueue_by_stub, 1000},
    {"launch and synchronize", synchronous, 5000},
    {"the same on the null stream", synchronous_on_null, 5000},
    {"launch between two events, batched", with_events, 0},
    {"enqueue, 4 threads with a stream each", threads, 0},
    {"hipModuleGetFunction, known", look_up, 0},
    {"hipModuleLoad and hipModuleUnload", load, 0},
};

static double best(double (*run)(void)) {
    double least = run();
    for (int i = 1; i < ROUNDS; i++) {
        double time = run();
        least = time < least ? time : least;
    }
    return least;
}

static void register_stub(void) {
    static struct {
        uint32_t magic, version;
        const void *binary;
        void *unused;
    } wrapper = {0x48495046, 1, NULL, NULL};
    static char name[] = "empty";
    FILE *file = fopen(path, "rb");
    char *image = malloc(1 << 20);
    if (!file || !image || !fread(image, 1, 1 << 20, file)) {
        fprintf(stderr, "%s cannot be read\n", path);
        exit(2);
    }
    fclose(file);
    wrapper.binary = image;
    __hipRegisterFunction(__hipRegisterFatBinary(&wrapper), &stub, name, name, ~0u, NULL, NULL, NULL, NULL, NULL);
}

int main(int argc, char **argv) {
    hipModule_t module = NULL;
    int missed = 0;
    if (argc < 2)
        return 2;
    path = argv[1];
    register_stub();
    MUST(hipModuleLoad(&module, path));
    MUST(hipModuleGetFunction(&empty, module, "empty"));
    MUST(hipModuleGetFunction(&take, module, "take"));
    MUST(hipStreamCreate(&stream));
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        missed |= report(cases[i].name, best(cases[i].run), "ns", cases[i].bar);
    MUST(hipStreamDestroy(stream));
    MUST(hipModuleUnload(module));
    return argc > 2 && strcmp(argv[2], "--check") == 0 && missed;
}
