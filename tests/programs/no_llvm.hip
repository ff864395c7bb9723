// A process that runs threaded code alone never opens LLVM, nor the library that has it, and is small: $MOST_KIB, where it is set, is what may
// be resident besides the arrays.
#include "check.h"

#include <cstdlib>

__global__ void scale(int *values, int factor) { values[blockIdx.x * blockDim.x + threadIdx.x] *= factor; }

static bool maps(const char *name) {
    char line[4096];
    bool found = false;
    FILE *file = fopen("/proc/self/maps", "r");
    if (!file)
        return true;
    while (fgets(line, sizeof line, file))
        found |= strstr(line, name) != nullptr;
    fclose(file);
    return found;
}

static long resident_kib() {
    char line[4096];
    long kib = -1;
    FILE *file = fopen("/proc/self/smaps_rollup", "r");
    while (file && fgets(line, sizeof line, file))
        if (sscanf(line, "Rss: %ld", &kib) == 1)
            break;
    if (file)
        fclose(file);
    return kib;
}

static int host[1 << 18];

int main() {
    check_name = "no_llvm";
    const int n = 1 << 18;
    int *values;
    for (int i = 0; i < n; i++)
        host[i] = i;
    HIP(hipMalloc((void **)&values, sizeof host));
    HIP(hipMemcpy(values, host, sizeof host, hipMemcpyHostToDevice));
    scale<<<n / 256, 256>>>(values, 3);
    HIP(hipMemcpy(host, values, sizeof host, hipMemcpyDeviceToHost));
    for (int i = 0; i < n; i++)
        EXPECT(host[i] == 3 * i, "%d: %d", i, host[i]);
    if (const char *most = getenv("MOST_KIB")) {
        const long arrays = 2 * (long)sizeof host / 1024, rest = resident_kib() - arrays;
        EXPECT(rest > 0 && rest <= atol(most), "%ld KiB are resident besides the arrays", rest);
    }
    EXPECT(maps("libwavelift-threaded"), "there is no threaded code");
    EXPECT(!maps("libwavelift-translate"), "the translator was opened");
    EXPECT(!maps("libLLVM"), "LLVM was opened");
    return finish();
}
