// What a process pays once. bench-start MODE prints two numbers:
//     add       the time at which a vector add was finished, and the process's peak of resident memory in KiB
//     cold      the seconds of the first launch of a kernel of about 1000 instructions, wait included; its peak
//     launches  the median seconds of an empty launch and the wait for it; 0
#include <hip/hip_runtime.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

__global__ void vadd(const float *a, const float *b, float *c, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        c[i] = a[i] + b[i];
}

__global__ void empty() {}

// Mixed work, laid open by the compiler: integers, floats, branches, loads.
__global__ void longer(const float *a, float *c, unsigned n) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x, bits = i * 2654435761u;
    float x = a[i], sum = 0;
#pragma unroll
    for (int step = 0; step < 48; step++) {
        bits = bits * 1664525u + 1013904223u + (unsigned)step;
        float y = (float)(bits >> 9) * 0x1p-23f;
        sum = fmaf(x, y, sum) - y * y;
        x = x > y ? x - y * 0.5f : x + sum * 0.25f;
        if (step % 8 == 7 && (bits & 64u) != 0)
            sum += a[bits % n];
        bits ^= bits >> 13 ^ __float_as_uint(x);
    }
    c[i] = sum + x;
}

static double now() {
    timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static long peak() {
    char line[256];
    long kib = 0;
    FILE *status = fopen("/proc/self/status", "r");
    while (status && fgets(line, sizeof line, status))
        if (strncmp(line, "VmHWM:", 6) == 0)
            sscanf(line + 6, "%ld", &kib);
    return kib;
}

static void must(hipError_t error) {
    if (error == hipSuccess)
        return;
    fprintf(stderr, "bench-start: %s\n", hipGetErrorString(error));
    exit(1);
}

static const int n = 4096;

static void add() {
    float a[n], b[n], c[n], *da, *db, *dc;
    for (int i = 0; i < n; i++) {
        a[i] = (float)i;
        b[i] = 2.0f;
    }
    must(hipMalloc((void **)&da, sizeof a));
    must(hipMalloc((void **)&db, sizeof a));
    must(hipMalloc((void **)&dc, sizeof a));
    must(hipMemcpy(da, a, sizeof a, hipMemcpyHostToDevice));
    must(hipMemcpy(db, b, sizeof b, hipMemcpyHostToDevice));
    vadd<<<n / 256, 256>>>(da, db, dc, n);
    must(hipDeviceSynchronize());
    double end = now();
    must(hipMemcpy(c, dc, sizeof c, hipMemcpyDeviceToHost));
    for (int i = 0; i < n; i++)
        if (c[i] != a[i] + b[i])
            exit(1);
    printf("%.9f %ld\n", end, peak());
}

static void cold() {
    float *a, *c;
    must(hipMalloc((void **)&a, n * 4));
    must(hipMalloc((void **)&c, n * 4));
    must(hipMemset(a, 0, n * 4));
    double start = now();
    longer<<<n / 256, 256>>>(a, c, n);
    must(hipDeviceSynchronize());
    printf("%.9f %ld\n", now() - start, peak());
}

static int ascending(const void *a, const void *b) {
    return *(const double *)a < *(const double *)b ? -1 : *(const double *)a > *(const double *)b;
}

static void launches() {
    static double times[2001];
    for (double &time : times) {
        double start = now();
        empty<<<1, 64>>>();
        must(hipDeviceSynchronize());
        time = now() - start;
    }
    qsort(times, 2001, sizeof times[0], ascending);
    printf("%.9g 0\n", times[1000]);
}

int main(int argc, char **argv) {
    const char *mode = argc > 1 ? argv[1] : "add";
    if (strcmp(mode, "add") == 0)
        add();
    else if (strcmp(mode, "cold") == 0)
        cold();
    else if (strcmp(mode, "launches") == 0)
        launches();
    else
        return 2;
    return 0;
}
