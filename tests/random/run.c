/* Runs random programs on the device and compares what they leave with the host's reference, word by word.
 *     run HOST.so MODULE.co [FIRST [WAVE-SIZE]]
 * Begins with program number FIRST. Prints each program's name (which holds the seed), a line for each that differs, then one
 * line of counts. A program whose reference does not come to an end in time is skipped. The first one that fails otherwise
 * (a fault, an unsupported instruction) ends the run, since the device is lost then. Exit status: 0 all equal, 1 some
 * differ, 2 something failed. */
#include "program.h"

#include <hip/hip_runtime_api.h>

#include <dlfcn.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

enum { HOST_MILLISECONDS = 400, PATIENCE = 300 }; /* of CPU time; of the clock */

#define HIP(call)                                                                                                                          \
    do {                                                                                                                                   \
        hipError_t error_ = (call);                                                                                                        \
        if (error_ != hipSuccess) {                                                                                                        \
            printf("ERROR %s: %s: %s\n", current, #call, hipGetErrorString(error_));                                                       \
            return -1;                                                                                                                     \
        }                                                                                                                                  \
    } while (0)

static const char *current = "run";

/* ---- inputs ---------------------------------------------------------------------------------- */

static uint64_t state;

static uint32_t random_word(void) { /* splitmix64 */
    uint64_t z = state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return (uint32_t)(z >> 32 ^ z);
}

static uint32_t random_bits(void) {
    static const uint32_t edges[] = {0,      1,      2,      31,      32,         0x7f,       0x80,       0xff,
                                     0x7fff, 0x8000, 0xffff, 0x10000, 0x7fffffff, 0x80000000, 0xfffffffe, 0xffffffff};
    uint32_t choice = random_word() % 4;
    if (choice == 0)
        return edges[random_word() % (sizeof edges / sizeof *edges)];
    return choice == 1 ? random_word() % 100 : random_word();
}

static float random_float(void) {
    static const float edges[] = {0, 1, 0.5f, 2, 0x1p-126f, 0x1p-149f, 0x1.fffffep127f, INFINITY, NAN, 0x1p24f, 0x1p31f, 1.5f, 0x1p-24f};
    uint32_t choice = random_word() % 6, bits = random_word();
    float value;
    if (choice == 0) {
        value = edges[random_word() % (sizeof edges / sizeof *edges)];
        return bits & 1 ? -value : value;
    }
    if (choice == 1) {
        memcpy(&value, &bits, 4);
        return isnan(value) ? NAN : value;
    }
    return ((float)(int32_t)bits) * (choice < 4 ? 0x1p-31f : 0x1p-20f);
}

static double random_double(void) {
    uint32_t choice = random_word() % 4;
    if (choice == 0)
        return (double)random_float();
    uint64_t bits = (uint64_t)random_word() << 32 | random_word();
    double value;
    if (choice == 1) {
        memcpy(&value, &bits, 8);
        return isnan(value) ? (double)NAN : value;
    }
    return (double)(int64_t)bits * (choice == 2 ? 0x1p-63 : 0x1p-40);
}

/* Doubles take two words, low first: words 2k and 2k + 1 of a lane. */
static void fill_inputs(const struct random_program *program, uint32_t *in, size_t lanes) {
    state = program->seed;
    for (size_t lane = 0; lane < lanes; lane++) {
        for (size_t w = 0; w < program->in_words; w++) {
            uint32_t *at = &in[w * lanes + lane];
            if (program->input_kind == RANDOM_FLOATS) {
                float value = random_float();
                memcpy(at, &value, 4);
            } else if (program->input_kind == RANDOM_DOUBLES && w + 1 < program->in_words) {
                double value = random_double();
                uint32_t halves[2];
                memcpy(halves, &value, 8);
                at[0] = halves[0];
                at[lanes] = halves[1];
                w++;
            } else {
                *at = random_bits();
            }
        }
    }
}

/* ---- one program ----------------------------------------------------------------------------- */

struct sizes {
    size_t lanes, out, in, memory; /* the arrays in bytes, at least 4 */
};

/* The reference runs in a process of its own: it may not end. */
static bool run_host(const struct random_program *program, uint32_t *out, const uint32_t *in, uint32_t *memory, unsigned wave) {
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        setitimer(ITIMER_VIRTUAL, &(struct itimerval){.it_value.tv_usec = HOST_MILLISECONDS * 1000}, NULL);
        program->host(out, in, memory, wave);
        _exit(0);
    }
    int status = 1;
    return child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

static bool same(const struct random_program *program, const char *what, const uint32_t *device, const uint32_t *host, size_t bytes,
                 size_t lanes) {
    size_t wrong = 0, first = 0;
    for (size_t i = 0; i < bytes / 4; i++)
        if (device[i] != host[i] && wrong++ == 0)
            first = i;
    if (wrong)
        printf("DIFFERS %s: %s: %zu of %zu words; first: word %zu of lane %zu is 0x%08x instead of 0x%08x\n", program->name, what, wrong,
               bytes / 4, first / lanes, first % lanes, device[first], host[first]);
    return wrong == 0;
}

/* 0 equal, 1 not, -1 an error. */
static int run_device(const struct random_program *program, const struct sizes *sizes, hipModule_t module, const uint32_t *in,
                      const uint32_t *want_out, const uint32_t *want_memory) {
    hipFunction_t kernel;
    void *device_out, *device_in, *device_memory;
    HIP(hipModuleGetFunction(&kernel, module, program->name));
    HIP(hipMalloc(&device_out, sizes->out));
    HIP(hipMalloc(&device_in, sizes->in));
    HIP(hipMalloc(&device_memory, sizes->memory));
    HIP(hipMemset(device_out, 0, sizes->out));
    HIP(hipMemset(device_memory, 0, sizes->memory));
    HIP(hipMemcpy(device_in, in, sizes->in, hipMemcpyHostToDevice));
    void *arguments[] = {&device_out, &device_in, &device_memory};
    HIP(hipModuleLaunchKernel(kernel, program->blocks, 1, 1, program->threads, 1, 1, 0, NULL, arguments, NULL));
    HIP(hipDeviceSynchronize());
    uint32_t *out = malloc(sizes->out), *memory = malloc(sizes->memory);
    HIP(hipMemcpy(out, device_out, sizes->out, hipMemcpyDeviceToHost));
    HIP(hipMemcpy(memory, device_memory, sizes->memory, hipMemcpyDeviceToHost));
    bool equal = same(program, "result", out, want_out, sizes->out, sizes->lanes);
    equal = same(program, "memory", memory, want_memory, sizes->memory, sizes->lanes) && equal;
    free(out);
    free(memory);
    HIP(hipFree(device_out));
    HIP(hipFree(device_in));
    HIP(hipFree(device_memory));
    return equal ? 0 : 1;
}

static void *shared(size_t bytes) { return mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0); }

/* What the references of all programs left, made before the device starts any thread: they are computed in children. */
struct reference {
    struct sizes sizes;
    uint32_t *out, *in, *memory;
    bool ended;
};

static bool make_reference(const struct random_program *program, struct reference *r, unsigned wave) {
    size_t lanes = (size_t)program->blocks * program->threads;
    r->sizes = (struct sizes){.lanes = lanes,
                              .out = lanes * program->out_words * 4 + 4,
                              .in = lanes * program->in_words * 4 + 4,
                              .memory = (size_t)program->memory_words * 4 + 4};
    r->out = shared(r->sizes.out);
    r->in = shared(r->sizes.in);
    r->memory = shared(r->sizes.memory);
    if (r->out == MAP_FAILED || r->in == MAP_FAILED || r->memory == MAP_FAILED)
        return false;
    fill_inputs(program, r->in, lanes);
    r->ended = run_host(program, r->out, r->in, r->memory, wave);
    return true;
}

int main(int argc, char **argv) {
    if (argc < 3 || argc > 5) {
        fprintf(stderr, "Usage: run HOST.so MODULE.co [FIRST [WAVE-SIZE]]\n");
        return 2;
    }
    void *library = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
    if (!library) {
        fprintf(stderr, "run: %s\n", dlerror());
        return 2;
    }
    const struct random_program *programs = dlsym(library, "random_programs");
    const unsigned *count = dlsym(library, "random_program_count");
    hipModule_t module;
    hipDeviceProp_t properties;
    if (!programs || !count || hipGetDeviceProperties(&properties, 0) != hipSuccess || hipModuleLoad(&module, argv[2]) != hipSuccess) {
        printf("ERROR run: the programs or their code object cannot be loaded\n");
        return 2;
    }
    unsigned wave = argc == 5 ? (unsigned)strtoul(argv[4], NULL, 10) : (unsigned)properties.warpSize; /* of the code, not the device */
    unsigned first = argc >= 4 ? (unsigned)strtoul(argv[3], NULL, 10) : 0, equal = 0, different = 0, skipped = 0, i;
    struct reference *references = calloc(*count, sizeof *references);
    for (i = first; references && i < *count; i++)
        if (!make_reference(&programs[i], &references[i], wave))
            return 2;
    bool failed = false;
    for (i = first; references && i < *count && !failed; i++) {
        const struct reference *r = &references[i];
        current = programs[i].name;
        printf("%s\n", current); /* the last one printed is the one that hangs or crashes */
        fflush(stdout);
        if (!r->ended) {
            skipped++;
            continue;
        }
        alarm(PATIENCE);
        int result = run_device(&programs[i], &r->sizes, module, r->in, r->out, r->memory);
        alarm(0);
        equal += result == 0;
        different += result == 1;
        failed = result < 0;
    }
    printf("%u equal, %u different, %u skipped, %u done\n", equal, different, skipped, i - first - failed);
    return failed ? 2 : different ? 1 : 0;
}
