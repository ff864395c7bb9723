// A process that runs threaded code alone never opens LLVM, nor the library that has it.
#include "check.h"

__global__ void scale(int *values, int factor) { values[threadIdx.x] *= factor; }

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

int main() {
    check_name = "no_llvm";
    int *values, host[64];
    for (int i = 0; i < 64; i++)
        host[i] = i;
    HIP(hipMalloc((void **)&values, sizeof host));
    HIP(hipMemcpy(values, host, sizeof host, hipMemcpyHostToDevice));
    scale<<<1, 64>>>(values, 3);
    HIP(hipMemcpy(host, values, sizeof host, hipMemcpyDeviceToHost));
    for (int i = 0; i < 64; i++)
        EXPECT(host[i] == 3 * i, "%d: %d", i, host[i]);
    EXPECT(maps("libwavelift-threaded"), "there is no threaded code");
    EXPECT(!maps("libwavelift-translate"), "the translator was opened");
    EXPECT(!maps("libLLVM"), "LLVM was opened");
    return finish();
}
