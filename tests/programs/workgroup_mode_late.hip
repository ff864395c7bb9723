// A launch that begins before there is any native code is run on by code for whole workgroups, once that has been made. The launch lasts
// until the log, which this program leads into a file, tells of such code.
#include "check.h"

#include <cstring>
#include <string>
#include <thread>
#include <unistd.h>

enum { GROUPS = 1 << 22, ITEMS = 256, SECONDS = 300 };

// Sums of numbers that every item has; item 0 makes them beforehand, in a loop that the other waves have no part in.
__global__ void sums(const int *__restrict__ stop, unsigned *out) {
    __shared__ unsigned first[ITEMS], part[ITEMS];
    unsigned item = threadIdx.x;
    if (*stop)
        return;
    if (item == 0) {
        unsigned state = blockIdx.x;
        for (int i = 0; i < ITEMS; i++)
            first[i] = state = state * 1664525u + 1013904223u;
    }
    __syncthreads();
    part[item] = first[item];
    __syncthreads();
    for (unsigned half = ITEMS / 2; half > 0; half /= 2) {
        if (item < half)
            part[item] += part[item + half];
        __syncthreads();
    }
    if (item == 0)
        out[blockIdx.x] = part[0];
}

static unsigned sum_of(unsigned state) {
    unsigned sum = 0;
    for (int i = 0; i < ITEMS; i++)
        sum += state = state * 1664525u + 1013904223u;
    return sum;
}

static bool is_in_log(const char *name, const char *what) {
    std::string text;
    char line[1024];
    FILE *file = std::fopen(name, "r");
    while (file && std::fgets(line, sizeof line, file))
        text += line;
    if (file)
        std::fclose(file);
    return text.find(what) != std::string::npos;
}

int main() {
    check_name = "workgroup_mode_late";
    char name[] = "/tmp/workgroup_mode_late-XXXXXX";
    int log = mkstemp(name), *stop, seconds = 0;
    unsigned *out;
    dup2(log, 2);
    HIP(hipHostMalloc((void **)&stop, sizeof *stop));
    HIP(hipHostMalloc((void **)&out, GROUPS * sizeof *out));
    std::memset(out, 0, GROUPS * sizeof *out);
    *stop = 0;
    sums<<<GROUPS, ITEMS>>>(stop, out);
    HIP(hipGetLastError());
    bool found = false;
    for (; !found && hipStreamQuery(nullptr) == hipErrorNotReady && seconds < 10 * SECONDS; seconds++) {
        std::this_thread::sleep_for(std::chrono::milliseconds(100));
        found = is_in_log(name, "(workgroup of 256 x 1 x 1");
    }
    EXPECT(found, "no code for workgroups of 256 was made in %d seconds of the launch", seconds / 10);
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    *(volatile int *)stop = 1;
    HIP_FINISH();
    unlink(name);
    int ran = 0, wrong = 0;
    for (int i = 0; i < GROUPS; i++) {
        ran += out[i] != 0;
        wrong += out[i] != 0 && out[i] != sum_of((unsigned)i);
    }
    EXPECT(ran > 0, "no workgroup ran");
    EXPECT(wrong == 0, "%d sums of %d are wrong", wrong, ran);
    return finish();
}
