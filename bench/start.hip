// A vector add that prints the time at which its kernel was finished, and the process's peak of resident memory in KiB.
#include <hip/hip_runtime.h>

#include <stdio.h>
#include <string.h>
#include <time.h>

__global__ void vadd(const float *a, const float *b, float *c, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        c[i] = a[i] + b[i];
}

int main() {
    const int n = 4096;
    float a[n], b[n], c[n], *da, *db, *dc;
    for (int i = 0; i < n; i++) {
        a[i] = (float)i;
        b[i] = 2.0f;
    }
    if (hipMalloc((void **)&da, sizeof a) != hipSuccess || hipMalloc((void **)&db, sizeof a) != hipSuccess ||
        hipMalloc((void **)&dc, sizeof a) != hipSuccess)
        return 1;
    if (hipMemcpy(da, a, sizeof a, hipMemcpyHostToDevice) != hipSuccess || hipMemcpy(db, b, sizeof b, hipMemcpyHostToDevice) != hipSuccess)
        return 1;
    vadd<<<n / 256, 256>>>(da, db, dc, n);
    if (hipDeviceSynchronize() != hipSuccess)
        return 1;
    timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    if (hipMemcpy(c, dc, sizeof c, hipMemcpyDeviceToHost) != hipSuccess)
        return 1;
    for (int i = 0; i < n; i++)
        if (c[i] != a[i] + b[i])
            return 1;
    char line[256];
    long peak = 0;
    FILE *status = fopen("/proc/self/status", "r");
    while (status && fgets(line, sizeof line, status))
        if (strncmp(line, "VmHWM:", 6) == 0)
            sscanf(line + 6, "%ld", &peak);
    printf("%ld.%09ld %ld\n", (long)t.tv_sec, t.tv_nsec, peak);
    return 0;
}
