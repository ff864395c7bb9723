/* How fast `hipify` converts, on one core, in memory: sources given as arguments are repeated to 64 MB each and converted; one
 * that is made here has a name of CUDA's in every line, calls whose arguments change among them.
 *     bench-hipify [--check] [FILE ...]     --check: fails below 100 MB/s */
#include "hipify/rewrite.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { SIZE = 64 * 1000 * 1000, ROUNDS = 5 };
static const double bar = 100; /* MB/s */

static const char dense[] =
    "    CHECK(cudaMemcpyAsync(device + i * n, host + i * n, n * sizeof(float), cudaMemcpyHostToDevice, streams[i]));\n"
    "    kernel<<<grid, block, 0, streams[i]>>>(device + i * n, n); // \"cudaSuccess\"\n"
    "    if (cudaGetLastError() != cudaSuccess) { printf(\"%s\\n\", cudaGetErrorString(error)); return cudaErrorUnknown; }\n"
    "    CHECK(cuMemcpy(d + 1'000, s, n)); /* cuMemcpy */ cudaMallocPitch(&p, &pitch, width, height);\n";

static double seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static size_t names; /* of the last round */

static void count(void *context, const struct wl_hipify_note *note) {
    (void)context;
    names += note->reason == NULL;
}

/* The best of a few rounds, in MB/s. */
static double measure(const char *source, size_t size) {
    double best = 0;
    for (int round = 0; round < ROUNDS; round++) {
        struct wl_hipify_result result;
        names = 0;
        double start = seconds();
        if (wl_hipify_rewrite(source, size, count, NULL, &result) != WL_OK) {
            fprintf(stderr, "bench-hipify: %s\n", wl_failure());
            exit(1);
        }
        double speed = (double)size / 1e6 / (seconds() - start);
        free(result.text);
        best = speed > best ? speed : best;
    }
    return best;
}

static bool report(const char *name, const char *text, size_t text_size) {
    size_t copies = text_size ? SIZE / text_size + 1 : 0;
    char *source = malloc(copies * text_size + 1);
    if (!source || !text_size) {
        fprintf(stderr, "bench-hipify: %s: nothing to convert\n", name);
        exit(1);
    }
    for (size_t i = 0; i < copies; i++)
        memcpy(source + i * text_size, text, text_size);
    double speed = measure(source, copies * text_size);
    printf("hipify %-40s %7.0f MB/s, %zu names in %zu MB\n", name, speed, names, copies * text_size / 1000000);
    free(source);
    return speed >= bar;
}

static bool report_file(const char *name) {
    static char text[4 << 20];
    FILE *file = fopen(name, "rb");
    if (!file) {
        perror(name);
        exit(1);
    }
    size_t size = fread(text, 1, sizeof text, file);
    fclose(file);
    const char *slash = strrchr(name, '/');
    return report(slash ? slash + 1 : name, text, size);
}

int main(int argc, char **argv) {
    bool check = argc > 1 && strcmp(argv[1], "--check") == 0;
    bool good = report("(a name in every line)", dense, sizeof dense - 1);
    for (int i = 1 + check; i < argc; i++)
        good &= report_file(argv[i]);
    if (!good)
        printf("FAIL hipify: below %.0f MB/s\n", bar);
    return check && !good;
}
