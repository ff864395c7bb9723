// printf in a kernel, compared with the host's printf of the same arguments. The order of the lines is not fixed.
#include "check.h"

#include <algorithm>
#include <string>
#include <unistd.h>
#include <vector>

__global__ void print(int threads) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    printf("lane %d of %d\n", i, threads);
    if (i % 3 == 0)
        printf("i %5d|%-5d|%05d|%+d|%x|%#o|%llu|%c\n", i, i, i, i, i * 1000, i, (unsigned long long)i << 33, 'a' + i % 26);
    if (i % 5 == 0)
        printf("f %f|%8.3f|%e|%g|%.10g|%%|%s\n", i * 0.5, i / 3.0, i * 1e10, i * 1e-7, i / 7.0, i % 2 ? "odd" : "even");
    if (i == 7)
        printf("no arguments\n");
    if (i == 8)
        printf("width %*d, precision %.*f, string %.3s, pointer null: %d\n", 6, i, 2, 3.14159, "abcdef", (int)(printf("count\n") >= 0));
}

static void expected(std::vector<std::string> &lines, int threads) {
    char text[256];
    for (int i = 0; i < threads; i++) {
        auto line = [&](auto... values) {
            std::snprintf(text, sizeof text, values...);
            lines.emplace_back(text);
        };
        line("lane %d of %d\n", i, threads);
        if (i % 3 == 0)
            line("i %5d|%-5d|%05d|%+d|%x|%#o|%llu|%c\n", i, i, i, i, i * 1000, i, (unsigned long long)i << 33, 'a' + i % 26);
        if (i % 5 == 0)
            line("f %f|%8.3f|%e|%g|%.10g|%%|%s\n", i * 0.5, i / 3.0, i * 1e10, i * 1e-7, i / 7.0, i % 2 ? "odd" : "even");
        if (i == 7)
            lines.emplace_back("no arguments\n");
        if (i == 8) {
            lines.emplace_back("count\n");
            line("width %*d, precision %.*f, string %.3s, pointer null: %d\n", 6, i, 2, 3.14159, "abcdef", 1);
        }
    }
}

int main(int argc, char **argv) {
    check_name = "printf";
    int blocks = (int)argument(argc, argv, 1, 4);
    // What the kernel prints goes into a file.
    FILE *file = std::tmpfile();
    int output = dup(1);
    std::fflush(stdout);
    dup2(fileno(file), 1);
    print<<<blocks, 96>>>(blocks * 96);
    hipError_t error = hipDeviceSynchronize();
    std::fflush(stdout);
    dup2(output, 1);
    HIP(error);

    std::vector<std::string> got, want;
    char text[512];
    std::rewind(file);
    while (std::fgets(text, sizeof text, file))
        got.push_back(text);
    expected(want, blocks * 96);
    std::sort(got.begin(), got.end());
    std::sort(want.begin(), want.end());
    EXPECT(got.size() == want.size(), "%zu lines instead of %zu", got.size(), want.size());
    for (size_t i = 0; i < got.size() && i < want.size(); i++)
        EXPECT(got[i] == want[i], "'%s' instead of '%s'", got[i].c_str(), want[i].c_str());
    return finish();
}
