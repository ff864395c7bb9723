/* Streams, events, pools and graphs, timed against their bars, and against PoCL where it has the operation:
 *
 *     bench-api launch.co [api.json] [--check]
 *
 * One line a case, the best of several rounds, and the same as JSON. Exit status 1 if a bar is missed and --check was given. */
#include "measure.h"
#include "opencl.h"

#include <hip/hip_runtime_api.h>

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { ROUNDS = 9, COUNT = 5000, IDLE = 1000, THREADS = 4, CHAIN = 10 };

static hipFunction_t empty;
static hipStream_t stream, other;
static hipEvent_t event;
static hipGraphExec_t chain;
static uint64_t *words;

/* ---- Wavelift: each returns the nanoseconds of one operation ------------------------------------- */

static void launch_on(hipStream_t on) { MUST(hipModuleLaunchKernel(empty, 1, 1, 1, 64, 1, 1, 0, on, NULL, NULL)); }

static double enqueue(void) {
    double start = now_ns();
    for (int i = 0; i < COUNT; i++)
        launch_on(stream);
    double end = now_ns();
    MUST(hipStreamSynchronize(stream));
    return (end - start) / COUNT;
}

static double launch_and_wait(void) {
    double start = now_ns();
    for (int i = 0; i < COUNT; i++) {
        launch_on(stream);
        MUST(hipStreamSynchronize(stream));
    }
    return (now_ns() - start) / COUNT;
}

static double record_and_query(void) {
    double start = now_ns();
    for (int i = 0; i < COUNT; i++) {
        MUST(hipEventRecord(event, stream));
        MUST(hipEventQuery(event));
    }
    return (now_ns() - start) / COUNT;
}

static double wait_event(void) { /* one stream behind the other, there and back */
    double start = now_ns();
    for (int i = 0; i < COUNT; i++) {
        hipStream_t from = i % 2 ? other : stream, to = i % 2 ? stream : other;
        launch_on(from);
        MUST(hipEventRecord(event, from));
        MUST(hipStreamWaitEvent(to, event, 0));
    }
    MUST(hipStreamSynchronize(stream));
    MUST(hipStreamSynchronize(other));
    return (now_ns() - start) / COUNT;
}

static double pool_pairs(size_t size) {
    void *memory = NULL;
    double start = now_ns();
    for (int i = 0; i < COUNT; i++) {
        MUST(hipMallocAsync(&memory, size, stream));
        MUST(hipFreeAsync(memory, stream));
    }
    return (now_ns() - start) / COUNT;
}

static double pool_4k(void) { return pool_pairs(4096); }
static double pool_1m(void) { return pool_pairs(1 << 20); }
static double pool_16m(void) { return pool_pairs(16 << 20); }

static void *pool_thread(void *argument) {
    hipStream_t own = NULL;
    void *memory = NULL;
    (void)argument;
    MUST(hipStreamCreateWithFlags(&own, hipStreamNonBlocking));
    for (int i = 0; i < COUNT; i++) {
        MUST(hipMallocAsync(&memory, 4096, own));
        MUST(hipFreeAsync(memory, own));
    }
    MUST(hipStreamDestroy(own));
    return NULL;
}

static double pool_threads(void) {
    pthread_t threads[THREADS];
    double start = now_ns();
    for (int i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, pool_thread, NULL);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    return (now_ns() - start) / COUNT / THREADS;
}

static double write_and_wait_value(void) {
    double start = now_ns();
    for (int i = 0; i < COUNT; i++) {
        MUST(hipStreamWriteValue64(stream, words, (uint64_t)i, 0));
        MUST(hipStreamWaitValue64(stream, words, (uint64_t)i, hipStreamWaitValueEq, UINT64_MAX));
    }
    MUST(hipStreamSynchronize(stream));
    return (now_ns() - start) / COUNT;
}

static double graph_node(void) { /* of a chain of kernels, launched and waited for */
    double start = now_ns();
    for (int i = 0; i < COUNT / CHAIN; i++) {
        MUST(hipGraphLaunch(chain, stream));
        MUST(hipStreamSynchronize(stream));
    }
    return (now_ns() - start) / COUNT;
}

static double null_stream(void) {
    double start = now_ns();
    for (int i = 0; i < COUNT; i++) {
        launch_on(NULL);
        MUST(hipStreamSynchronize(NULL));
        MUST(hipDeviceSynchronize());
    }
    return (now_ns() - start) / COUNT;
}

static void prepare_hip(const char *path) {
    hipModule_t module = NULL;
    hipMemPool_t pool = NULL;
    hipGraph_t graph = NULL;
    uint64_t all = UINT64_MAX;
    MUST(hipModuleLoad(&module, path));
    MUST(hipModuleGetFunction(&empty, module, "empty"));
    MUST(hipStreamCreateWithFlags(&stream, hipStreamNonBlocking));
    MUST(hipStreamCreateWithFlags(&other, hipStreamNonBlocking));
    MUST(hipEventCreate(&event));
    MUST(hipHostMalloc((void **)&words, 4096, 0));
    MUST(hipDeviceGetDefaultMemPool(&pool, 0));
    MUST(hipMemPoolSetAttribute(pool, hipMemPoolAttrReleaseThreshold, &all));
    MUST(hipStreamBeginCapture(stream, hipStreamCaptureModeGlobal));
    for (int i = 0; i < CHAIN; i++)
        launch_on(stream);
    MUST(hipStreamEndCapture(stream, &graph));
    MUST(hipGraphInstantiate(&chain, graph, NULL, NULL, 0));
}

/* ---- PoCL ---------------------------------------------------------------------------------------- */

static void cl_launch(void) {
    size_t items = 64;
    MUST(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &items, &items, 0, NULL, NULL));
}

static double cl_enqueue(void) {
    double start = now_ns();
    for (int i = 0; i < COUNT; i++)
        cl_launch();
    double end = now_ns();
    MUST(clFinish(queue));
    return (end - start) / COUNT;
}

static double cl_launch_and_wait(void) {
    double start = now_ns();
    for (int i = 0; i < COUNT; i++) {
        cl_launch();
        MUST(clFinish(queue));
    }
    return (now_ns() - start) / COUNT;
}

static double cl_record_and_query(void) {
    double start = now_ns();
    for (int i = 0; i < COUNT; i++) {
        cl_event marker = NULL;
        cl_int status = 0;
        MUST(clEnqueueMarkerWithWaitList(queue, 0, NULL, &marker));
        MUST(clGetEventInfo(marker, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL));
        MUST(clReleaseEvent(marker));
    }
    MUST(clFinish(queue));
    return (now_ns() - start) / COUNT;
}

static double cl_buffer(void) {
    double start = now_ns();
    for (int i = 0; i < COUNT; i++) {
        cl_int error = 0;
        cl_mem memory = clCreateBuffer(context, CL_MEM_READ_WRITE, 4096, NULL, &error);
        MUST(error);
        MUST(clReleaseMemObject(memory));
    }
    return (now_ns() - start) / COUNT;
}

/* ---- the table ----------------------------------------------------------------------------------- */

static const struct {
    const char *name, *key;
    double (*run)(void), (*peer)(void);
    double bar; /* nanoseconds; 0: none */
} cases[] = {
    {"enqueue an empty kernel", "enqueue_ns", enqueue, cl_enqueue, 1000},
    {"launch and synchronize", "launch_synchronize_ns", launch_and_wait, cl_launch_and_wait, 5000},
    {"event record + query", "event_record_query_ns", record_and_query, cl_record_and_query, 100},
    {"kernel, record, wait in another stream", "cross_stream_ns", wait_event, NULL, 0},
    {"hipMallocAsync + hipFreeAsync, 4 KiB", "pool_4k_ns", pool_4k, cl_buffer, 150},
    {"hipMallocAsync + hipFreeAsync, 1 MiB", "pool_1m_ns", pool_1m, NULL, 150},
    {"hipMallocAsync + hipFreeAsync, 16 MiB", "pool_16m_ns", pool_16m, NULL, 150},
    {"the same, 4 KiB, of 4 threads", "pool_threads_ns", pool_threads, NULL, 0},
    {"write a value and wait for it", "value_ns", write_and_wait_value, NULL, 0},
    {"a kernel of a graph of 10", "graph_node_ns", graph_node, NULL, 0},
};
enum { CASES = sizeof cases / sizeof *cases };

static double best(double (*run)(void)) {
    double least = run();
    for (int i = 1; i < ROUNDS; i++) {
        double again = run();
        least = again < least ? again : least;
    }
    return least;
}

/* The null stream alone, and beside idle streams that were all used once; in turns, so that noise hits both alike. */
static void measure_idle(double *alone, double *crowded) {
    static hipStream_t idle[IDLE];
    *alone = *crowded = 1e9;
    for (int round = 0; round < ROUNDS; round++) {
        double one = null_stream();
        for (int i = 0; i < IDLE; i++) {
            MUST(hipStreamCreate(&idle[i]));
            launch_on(idle[i]);
        }
        MUST(hipDeviceSynchronize());
        double two = null_stream();
        for (int i = 0; i < IDLE; i++)
            MUST(hipStreamDestroy(idle[i]));
        *alone = one < *alone ? one : *alone;
        *crowded = two < *crowded ? two : *crowded;
    }
}

int main(int argc, char **argv) {
    const char *json = NULL;
    int check = 0, missed = 0;
    if (argc < 2) {
        fprintf(stderr, "usage: bench-api launch.co [api.json] [--check]\n");
        return 2;
    }
    for (int i = 2; i < argc; i++)
        if (strcmp(argv[i], "--check") == 0)
            check = 1;
        else
            json = argv[i];
    prepare_hip(argv[1]);
    int peer = prepare_cl();
    FILE *file = json ? fopen(json, "w") : NULL;
    if (file)
        fprintf(file, "{\n");
    for (int i = 0; i < CASES; i++) {
        double ours = best(cases[i].run), theirs = peer && cases[i].peer ? best(cases[i].peer) : (double)NAN;
        int bad = cases[i].bar > 0 && ours > cases[i].bar;
        missed |= bad;
        printf("%-42s %8.0f ns", cases[i].name, ours);
        if (cases[i].bar > 0)
            printf("  bar <= %4.0f%s", cases[i].bar, bad ? "  MISSED" : "");
        if (!isnan(theirs))
            printf("  PoCL %.0f ns", theirs);
        printf("\n");
        if (file && isnan(theirs))
            fprintf(file, "  \"%s\": {\"wavelift\": %.1f, \"pocl\": null, \"bar\": %.0f},\n", cases[i].key, ours, cases[i].bar);
        else if (file)
            fprintf(file, "  \"%s\": {\"wavelift\": %.1f, \"pocl\": %.1f, \"bar\": %.0f},\n", cases[i].key, ours, theirs, cases[i].bar);
    }
    double alone = 0, crowded = 0;
    measure_idle(&alone, &crowded);
    int bad = crowded > 1.1 * alone;
    missed |= bad;
    printf("%-42s %8.0f ns  bar <= %4.0f%s (1.1 of %.0f ns without them)\n", "null stream beside 1000 idle streams", crowded, 1.1 * alone,
           bad ? "  MISSED" : "", alone);
    if (file)
        fprintf(file, "  \"null_stream_ns\": %.1f,\n  \"null_stream_beside_idle_ns\": %.1f\n}\n", alone, crowded);
    if (file && fclose(file) != 0)
        return 2;
    return check && missed;
}
