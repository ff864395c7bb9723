/* Memory functions of the HIP API, timed: one line a case, "name value unit bar", the best of several rounds. Exit status 1 if a
 * bar is missed and --check was given. */
#include "measure.h"

#include <hip/hip_runtime_api.h>

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define ROUNDS 7
#define GIB    ((size_t)1 << 30)

static int missed;

static double seconds(void) { return now_ns() * 1e-9; }

static double pairs(size_t size, unsigned count) {
    double start = seconds();
    for (unsigned i = 0; i < count; i++) {
        void *memory = NULL;
        MUST(hipMalloc(&memory, size));
        MUST(hipFree(memory));
    }
    return (seconds() - start) / count;
}

static double best_pairs(size_t size, unsigned count) {
    double best = pairs(size, count);
    for (int i = 1; i < ROUNDS; i++) {
        double time = pairs(size, count);
        best = time < best ? time : best;
    }
    return best;
}

static void *thread_pairs(void *argument) {
    *(double *)argument = pairs(4096, 20000);
    return NULL;
}

static double threaded_pairs(unsigned count) {
    pthread_t threads[64];
    double times[64], sum = 0;
    for (unsigned i = 0; i < count; i++)
        pthread_create(&threads[i], NULL, thread_pairs, &times[i]);
    for (unsigned i = 0; i < count; i++) {
        pthread_join(threads[i], NULL);
        sum += times[i];
    }
    return sum / count;
}

static void with_many_allocations(void) {
    enum { COUNT = 20000 };
    void **others = malloc(COUNT * sizeof *others);
    for (unsigned i = 0; i < COUNT; i++)
        MUST(hipMalloc(&others[i], 256));
    missed |= report("hipMalloc + hipFree 4 KiB, 20,000 live", best_pairs(4096, 20000) * 1e9, "ns", 0);
    for (unsigned i = 0; i < COUNT; i++)
        MUST(hipFree(others[i]));
    free(others);
}

static double one_copy(void *target, const void *source, size_t size, hipMemcpyKind kind) {
    double start = seconds();
    MUST(hipMemcpy(target, source, size, kind));
    return seconds() - start;
}

/* Takes turns with memcpy, so that both meet the same machine; the fastest of each count. */
static void compare(const char *name, void *target, const void *source, hipMemcpyKind kind) {
    double plain = 1e9, hip = 1e9;
    for (int i = 0; i < ROUNDS; i++) {
        double start = seconds();
        memcpy(target, source, GIB);
        double time = seconds() - start;
        plain = time < plain ? time : plain;
        time = one_copy(target, source, GIB, kind);
        hip = time < hip ? time : hip;
    }
    missed |= report(name, plain / hip, "", -0.95);
}

static void copies(void) {
    void *device = NULL, *other = NULL, *host = malloc(GIB);
    double small = 1e9;
    MUST(hipMalloc(&device, GIB));
    MUST(hipMalloc(&other, GIB));
    memset(host, 1, GIB);
    memset(device, 2, GIB);
    memset(other, 3, GIB);
    for (int i = 0; i < 1000; i++) {
        double time = one_copy(device, host, 4096, hipMemcpyHostToDevice);
        small = time < small ? time : small;
    }
    missed |= report("hipMemcpy 4 KiB to device", small * 1e9, "ns", 0);
    compare("hipMemcpy 1 GiB to device / memcpy", device, host, hipMemcpyHostToDevice);
    compare("hipMemcpy 1 GiB to host / memcpy", host, device, hipMemcpyDeviceToHost);
    compare("hipMemcpy 1 GiB on device / memcpy", other, device, hipMemcpyDeviceToDevice);
    MUST(hipFree(device));
    MUST(hipFree(other));
    free(host);
}

int main(int argc, char **argv) {
    missed |= report("hipMalloc + hipFree 4 KiB", best_pairs(4096, 100000) * 1e9, "ns", 1000);
    missed |= report("hipMalloc + hipFree 1 MiB", best_pairs(1 << 20, 20000) * 1e9, "ns", 0);
    missed |= report("hipMalloc + hipFree 64 MiB", best_pairs(64 << 20, 2000) * 1e9, "ns", 0);
    missed |= report("hipMalloc + hipFree 4 KiB, 8 threads", threaded_pairs(8) * 1e9, "ns", 0);
    with_many_allocations();
    copies();
    return argc > 1 && strcmp(argv[1], "--check") == 0 && missed;
}
