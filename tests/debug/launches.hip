// A program for tests of `wavelift record`: launches whose results depend on all that a recording has to keep.
#include <hip/hip_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

enum { N = 4096, GROUPS = 64 };

__device__ int calls;
__managed__ int managed = 3;

// The sum depends on the order of additions.
__global__ void sum(const float *in, float *out, int count) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count)
        atomicAdd(out, in[i] * managed);
    if (i == 0)
        calls++;
}

// Who comes first gets the lowest number.
__global__ void tickets(unsigned *counter, unsigned *ticket) {
    __shared__ unsigned order;
    if (threadIdx.x == 0)
        order = 0;
    __syncthreads();
    if (threadIdx.x % 32 == 0)
        ticket[GROUPS + (blockIdx.x * blockDim.x + threadIdx.x) / 32] = atomicAdd(&order, 1u);
    if (threadIdx.x == 0)
        ticket[blockIdx.x] = atomicAdd(counter, 1u);
}

// Reads through pointers that are in memory; pinned memory is the host's.
__global__ void follow(int **list, int *pinned) {
    int i = threadIdx.x;
    pinned[i] = *list[i] + calls;
}

__global__ void wild(int *out, int bad) {
    if (blockIdx.x == (unsigned)bad)
        *(int *)0x1000 = 1;
    else
        out[blockIdx.x * blockDim.x + threadIdx.x] = 1;
}

__global__ void behind(int *out, int at) { out[threadIdx.x] = out[at]; }

static void *allocate(size_t size) {
    void *memory = nullptr;
    if (hipMalloc(&memory, size) != hipSuccess || hipMemset(memory, 0, size) != hipSuccess)
        exit(2);
    return memory;
}

static unsigned mix(unsigned hash, unsigned value) { return (hash ^ value) * 16777619u; }

int main(int argc, char **argv) {
    const char *what = argc > 1 ? argv[1] : "all";
    if (strcmp(what, "wild") == 0) {
        wild<<<GROUPS, 64>>>((int *)allocate(GROUPS * 64 * 4), 37);
        printf("wild: %s\n", hipGetErrorString(hipDeviceSynchronize()));
        return 0;
    }
    if (strcmp(what, "behind") == 0) {
        behind<<<1, 64>>>((int *)allocate(64 * 4), 64);
        printf("behind: %s\n", hipGetErrorString(hipDeviceSynchronize()));
        return 0;
    }
    float *in = (float *)allocate(N * 4), *total = (float *)allocate(4), host[N], result;
    for (int round = 0; round < 3; round++) { // the host changes what the kernel reads
        for (int i = 0; i < N; i++)
            host[i] = (float)((i * 7919 + round) % 1009) * 1.0e-3f + (i == round ? 1e6f : 0.0f);
        managed = round + 1;
        if (hipMemcpy(in, host, sizeof host, hipMemcpyHostToDevice) != hipSuccess)
            return 2;
        sum<<<N / 64, 64>>>(in, total, N - 5);
        if (hipDeviceSynchronize() != hipSuccess)
            return 2;
    }
    unsigned *counter = (unsigned *)allocate(4), *ticket = (unsigned *)allocate(GROUPS * 4 * 5), order[GROUPS * 5], hash = 2166136261u;
    tickets<<<GROUPS, 128>>>(counter, ticket);
    if (hipMemcpy(order, ticket, sizeof order, hipMemcpyDeviceToHost) != hipSuccess)
        return 2;
    for (unsigned i = 0; i < GROUPS * 5; i++)
        hash = mix(hash, order[i]);
    int **list = (int **)allocate(64 * sizeof *list), *values = (int *)allocate(64 * 4), *pointers[64], *pinned = nullptr, sums = 0;
    for (int i = 0; i < 64; i++)
        pointers[i] = values + (63 - i);
    if (hipHostMalloc((void **)&pinned, 64 * 4, 0) != hipSuccess ||
        hipMemcpy(list, pointers, sizeof pointers, hipMemcpyHostToDevice) != hipSuccess || hipMemset(values, 1, 64 * 4) != hipSuccess)
        return 2;
    follow<<<1, 64>>>(list, pinned);
    if (hipMemcpy(&result, total, 4, hipMemcpyDeviceToHost) != hipSuccess)
        return 2;
    for (int i = 0; i < 64; i++)
        sums += pinned[i] == 0x01010101 + 3;
    printf("sum %.9g, order %08x, %d right\n", result, hash, sums);
    return 0;
}
