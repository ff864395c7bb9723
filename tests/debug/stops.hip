// A program for tests of debuggers: its kernels do what a person stops in. Comments of the form "place: NAME" name lines for sessions.py.
#include <hip/hip_runtime.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>

#include <dlfcn.h>
#include <sys/prctl.h>
#include <unistd.h>

struct particle {
    float x, y;
    int tag[2];
    short kind;
};

template <typename T> struct pair {
    T first, second;
    __device__ T sum() const { return first + second; }
};

__device__ int counter;
__constant__ int offset = 1000;

__device__ __noinline__ int inner(int value, int depth) {
    int result = value * 3; // place: inner
    if (depth > 0)
        result += inner(value, depth - 1);
    return result; // place: inner end
}

__device__ __noinline__ int outer(int a, int b) {
    int sum = a + b;          // place: outer
    int more = inner(sum, 2); // place: outer calls
    return more + offset;     // place: outer end
}

__global__ void walk(int n, const int *in, int *out) {
    __shared__ int tile[64];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    particle p = {1.5f * i, 2.0f, {i, -i}, 7};
    double wide = i / 4.0;
    long big = 1234567890123L + i;
    unsigned char byte = (unsigned char)(i & 255);
    int history[4] = {i, i + 1, i + 2, i + 3};
    tile[threadIdx.x] = i; // place: walk stores
    __syncthreads();
    int left = tile[threadIdx.x ^ 1]; // place: walk behind the barrier
    if (i < n) {
        int value = in[i];                                                                        // place: walk loads
        int result = outer(value, left);                                                          // place: walk calls
        out[i] = result + p.tag[0] + (int)wide + (int)(big & 1) + byte + history[i & 3] + p.kind; // place: walk ends
    }
}

__global__ void loop(int rounds, int *out) {
    int total = 0;
    for (int round = 0; round < rounds; round++) {
        if (threadIdx.x % 2)
            total += round; // place: loop odd
        else
            total -= round; // place: loop even
    }
    out[threadIdx.x] = total; // place: loop ends
}

template <typename T> __global__ void sums(pair<T> *pairs, T *out) {
    pair<T> mine = pairs[threadIdx.x];
    T sum = mine.sum();     // place: sums
    out[threadIdx.x] = sum; // place: sums ends
    atomicAdd(&counter, 1);
}

__global__ void endless(volatile int *flag) {
    int seen = 0;
    while (*flag == 0) // place: endless
        seen++;
    *(int *)flag = seen;
}

__global__ void wrong(int *where, int *out) {
    int index = threadIdx.x;
    int *address = index == 5 ? where : out + index;
    *address = index; // place: wrong
}

__global__ void grid(int *out) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    int width = gridDim.x * blockDim.x;
    out[y * width + x] = x * 1000 + y; // place: grid
}

__global__ void large(int *out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = i; // place: large
}

__global__ void meets(int *out) {
    __shared__ int tile[256];
    int mine = threadIdx.x * 3;
    tile[threadIdx.x] = mine;
    __syncthreads();                                          // place: meets waits
    int near = tile[threadIdx.x ^ 128];                       // place: meets
    out[blockIdx.x * blockDim.x + threadIdx.x] = mine + near; // place: meets ends
}

__global__ void traps(int *out, bool ends) {
    int mine = threadIdx.x + 40;
    if (threadIdx.x == 3)
        __builtin_debugtrap(); // place: traps
    out[threadIdx.x] = mine;
    if (ends)
        __builtin_trap(); // place: traps for good
}

__global__ void astray(int *out, bool jumps) {
    out[threadIdx.x] = 7;
    if (jumps)
        ((void (*)())out)(); // place: astray jumps
    asm volatile(".long 0xffffffff");
    out[threadIdx.x] = 8; // place: astray
}

struct box {
    int width, height;
    __device__ int area(int times) const {
        return width * height * times; // place: area
    }
    __device__ void grow(int &by) {
        width += by; // place: grow
        by = 0;      // place: grow ends
    }
};

__device__ __noinline__ int first_of(int *values, int count) {
    int sum = 0;
    for (int i = 0; i < count; i++)
        sum += values[i];  // place: first of
    atomicAdd(values, 10); // place: first of adds
    return sum;
}

__global__ void points(int *out) {
    __shared__ int tile[64];
    int i = threadIdx.x, by = 5, list[3] = {i, 2 * i, 3 * i};
    box mine = {i, 10};
    auto scaled = [&](int factor) {
        return mine.width * factor; // place: lambda
    };
    tile[i] = 100 + i;
    __syncthreads();
    int area = mine.area(2);                // place: points
    mine.grow(by);                          // place: points grows
    int near = first_of(&tile[i & ~3], 4);  // place: points sums
    int own = first_of(list, 3) + list[0];  // place: points sums own
    out[i] = area + near + own + scaled(3); // place: points ends
}

__global__ void changes(int times, int *out) {
    for (int i = 1; i <= times; i++)
        out[0] = i; // place: changes
}

static int *allocate(size_t count) {
    int *memory = nullptr;
    if (hipMalloc((void **)&memory, count * sizeof *memory) != hipSuccess)
        exit(2);
    return memory;
}

static int report(const char *what, const int *device, size_t count) {
    int *host = (int *)malloc(count * sizeof *host);
    hipError_t error = hipMemcpy(host, device, count * sizeof *host, hipMemcpyDeviceToHost);
    long sum = 0;
    for (size_t i = 0; i < count && error == hipSuccess; i++)
        sum += host[i];
    printf("%s: %s, sum %ld\n", what, hipGetErrorString(error), sum);
    free(host);
    return error != hipSuccess;
}

int main(int argc, char **argv) {
    const char *what = argc > 1 ? argv[1] : "walk";
    enum { N = 256 };
    if (strcmp(what, "walk") == 0) {
        int *in = allocate(N), *out = allocate(N), host[N];
        for (int i = 0; i < N; i++)
            host[i] = i;
        if (hipMemcpy(in, host, sizeof host, hipMemcpyHostToDevice) != hipSuccess)
            return 2;
        walk<<<N / 64, 64>>>(N - 6, in, out); // place: launch of walk
        return report(what, out, N - 6);
    }
    if (strcmp(what, "loop") == 0) {
        int *out = allocate(N);
        loop<<<1, 64>>>(5, out);
        return report(what, out, 64);
    }
    if (strcmp(what, "sums") == 0) {
        pair<float> host[32];
        for (int i = 0; i < 32; i++)
            host[i] = {i + 0.5f, 2.0f * i};
        pair<float> *pairs = (pair<float> *)allocate(64);
        if (hipMemcpy(pairs, host, sizeof host, hipMemcpyHostToDevice) != hipSuccess)
            return 2;
        float *out = (float *)allocate(32);
        sums<float><<<1, 32>>>(pairs, out);
        return report(what, (int *)out, 32);
    }
    if (strcmp(what, "endless") == 0) {
        int *flag = allocate(1);
        if (hipMemset(flag, 0, 4) != hipSuccess)
            return 2;
        endless<<<1, 32>>>(flag);
        return report(what, flag, 1);
    }
    if (strcmp(what, "wrong") == 0) {
        int *out = allocate(N);
        wrong<<<1, 32>>>((int *)0x1000, out);
        return report(what, out, 32);
    }
    if (strcmp(what, "traps") == 0) {
        int *out = allocate(N);
        traps<<<1, 32>>>(out, argc > 2);
        return report(what, out, 32);
    }
    if (strcmp(what, "astray") == 0) {
        int *out = allocate(N);
        astray<<<1, 32>>>(out, argc > 2);
        return report(what, out, 32);
    }
    if (strcmp(what, "points") == 0) {
        int *out = allocate(N);
        points<<<1, 32>>>(out);
        return report(what, out, 32);
    }
    if (strcmp(what, "changes") == 0) { // while another thread loads a library again and again
        int *out = allocate(1);
        std::atomic<bool> ends{false};
        std::thread loads([&ends] {
            for (; !ends; usleep(2000))
                if (void *library = dlopen("libanl.so.1", RTLD_NOW))
                    dlclose(library);
        });
        changes<<<1, 1>>>(8, out);
        const int result = report(what, out, 1);
        ends = true;
        loads.join();
        return result;
    }
    if (strcmp(what, "grid") == 0) {
        int *out = allocate(16 * 16);
        grid<<<dim3(2, 4), dim3(8, 4)>>>(out);
        return report(what, out, 256);
    }
    if (strcmp(what, "large") == 0) {
        int *out = allocate(1 << 20);
        large<<<(1 << 20) / 256, 256>>>(out);
        return report(what, out, 1 << 20);
    }
    if (strcmp(what, "meets") == 0) {
        int *out = allocate(2 * N);
        hipStream_t stream;
        if (hipStreamCreate(&stream) != hipSuccess)
            return 2;
        meets<<<2, N, 0, stream>>>(out);
        return report(what, out, 2 * N);
    }
    if (strcmp(what, "often") == 0) { // for a debugger that attaches
        int *out = allocate(16 * 16);
        prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY);
        for (int i = 0; i < 3000; i++) {
            grid<<<dim3(2, 4), dim3(8, 4)>>>(out);
            if (report(what, out, 256))
                return 2;
            fflush(stdout);
            usleep(20000);
        }
        return 0;
    }
    return 2;
}
