/* racecheck: accesses without order. Workgroups have several waves, on processors with waves of 64 too. */
#include "catalogue.h"

#define BARRIER_UNLESS(faulty)                                                                                                             \
    do {                                                                                                                                   \
        if (!(faulty))                                                                                                                     \
            __syncthreads();                                                                                                               \
    } while (0)

/* Memory that holds 1, 2, 3 and so on: a store of what is there already is no race. */
struct Numbers : Buffer<int> {
    explicit Numbers(int n) : Buffer<int>(n) {
        static int host[1024];
        for (int i = 0; i < n; i++)
            host[i] = i + 1;
        OK(hipMemcpy(p, host, n * sizeof(int), hipMemcpyHostToDevice));
    }
};

/* ---- waves of a workgroup, in LDS ---------------------------------------------------------------- */

KERNEL reversed(int *out) {
    __shared__ int part[256];
    part[threadIdx.x] = threadIdx.x; // FAULT: racecheck race-waves #reversed
    BARRIER_UNLESS(F);
    out[threadIdx.x] = part[255 - threadIdx.x]; // OTHER: #reversed
}
CASE(reversed) {
    Buffer<int> out(256);
    LAUNCH(reversed, 1, 256, out);
}

/* The value is read before another wave overwrites it, or not. */
KERNEL shifted(int *out) {
    __shared__ int part[256];
    part[threadIdx.x] = threadIdx.x;
    __syncthreads();
    int got = part[(threadIdx.x + 64) % 256]; // FAULT: racecheck race-waves #shifted
    BARRIER_UNLESS(F);
    part[threadIdx.x] = got + 1; // OTHER: #shifted
    __syncthreads();
    out[threadIdx.x] = part[threadIdx.x];
}
CASE(shifted) {
    Buffer<int> out(256);
    LAUNCH(shifted, 1, 256, out);
}

/* A loop reads every second element. One of those is overwritten at the same time, or behind a barrier; one that nobody reads always is. */
KERNEL in_steps(int *out) {
    __shared__ int part[256];
    part[threadIdx.x] = threadIdx.x;
    __syncthreads();
    int sum = 0;
    if (threadIdx.x >= 128)
#pragma unroll 1
        for (int i = 0; i < 100; i++)
            sum += part[2 * i]; // FAULT: racecheck race-waves #in_steps
    else if (threadIdx.x == 0)
        part[65] = 1;
    BARRIER_UNLESS(F);
    if (threadIdx.x == 0)
        part[64] = 1; // OTHER: #in_steps
    __syncthreads();
    out[threadIdx.x] = part[threadIdx.x] + sum;
}
CASE(in_steps) {
    Buffer<int> out(256);
    LAUNCH(in_steps, 1, 256, out);
}

KERNEL counter_of_waves(int *out) {
    __shared__ int count;
    if (threadIdx.x == 0)
        count = 0;
    __syncthreads();
    if (threadIdx.x % 64 == 0) {
        if (F)
            *(volatile int *)&count = *(volatile int *)&count + 1; // FAULT: racecheck race-waves
        else
            atomicAdd(&count, 1);
    }
    __syncthreads();
    out[threadIdx.x] = count;
}
CASE(counter_of_waves) {
    Buffer<int> out(256);
    LAUNCH(counter_of_waves, 1, 256, out);
}

KERNEL overwritten(int *out) {
    __shared__ int part[256];
    part[F ? threadIdx.x % 64 : threadIdx.x] = threadIdx.x; // FAULT: racecheck race-waves
    __syncthreads();
    out[threadIdx.x] = part[threadIdx.x % 64];
}
CASE(overwritten) {
    Buffer<int> out(256);
    LAUNCH(overwritten, 1, 256, out);
}

/* A sum whose last steps are those of one wave, but not the first. */
KERNEL sum(const int *in, int *out) {
    __shared__ int part[256];
    unsigned i = threadIdx.x;
    part[i] = in[i];
    __syncthreads();
    for (unsigned half = 128; half > 0; half /= 2) {
        if (i < half)
            part[i] += part[i + half]; // FAULT: racecheck race-waves
        BARRIER_UNLESS(F);
    }
    __syncthreads();
    out[i] = part[i / 2]; /* else the stores are dead where there is no barrier */
}
CASE(sum) {
    Numbers in(256);
    Buffer<int> out(256);
    LAUNCH(sum, 1, 256, in, out);
}

/* The array is used again in the next round before all have read it. */
KERNEL rounds(const int *in, int *out) {
    __shared__ int part[256];
    int sum = 0;
    for (int round = 0; round < 4; round++) {
        part[threadIdx.x] = in[round * 256 + threadIdx.x]; // FAULT: racecheck race-waves #rounds
        __syncthreads();
        sum += part[(threadIdx.x + 100) % 256]; // OTHER: #rounds
        BARRIER_UNLESS(F);
    }
    out[threadIdx.x] = sum;
}
CASE(rounds) {
    Numbers in(1024);
    Buffer<int> out(256);
    LAUNCH(rounds, 1, 256, in, out);
}

KERNEL transposed(const int *in, int *out) {
    __shared__ int tile[16][17];
    tile[threadIdx.y][threadIdx.x] = in[threadIdx.y * 16 + threadIdx.x]; // FAULT: racecheck race-waves #transposed
    BARRIER_UNLESS(F);
    out[threadIdx.y * 16 + threadIdx.x] = tile[threadIdx.x][threadIdx.y]; // OTHER: #transposed
}
CASE(transposed) {
    Numbers in(256);
    Buffer<int> out(256);
    LAUNCH(transposed, 1, dim3(16, 16), in, out);
}

KERNEL in_dynamic_lds(int *out) {
    extern __shared__ int dynamic[];
    dynamic[threadIdx.x] = threadIdx.x; // FAULT: racecheck race-waves #dynamic
    BARRIER_UNLESS(F);
    out[threadIdx.x] = dynamic[threadIdx.x ^ 64]; // OTHER: #dynamic
}
CASE(in_dynamic_lds) {
    Buffer<int> out(256);
    LAUNCH_IN(in_dynamic_lds, 1, 256, 1024, 0, out);
}

/* Bytes beside each other are no race; the same byte is. */
KERNEL bytes(int *out) {
    __shared__ char part[256];
    part[F ? threadIdx.x % 128 : threadIdx.x] = threadIdx.x; // FAULT: racecheck race-waves
    __syncthreads();
    out[threadIdx.x] = part[127 - threadIdx.x % 128];
}
CASE(bytes) {
    Buffer<int> out(256);
    LAUNCH(bytes, 1, 256, out);
}

KERNEL scan(const int *in, int *out) {
    __shared__ int part[2][256];
    int i = threadIdx.x, from = 0;
    part[0][i] = in[i];
    __syncthreads();
    for (int step = 1; step < 256; step *= 2, from ^= 1) {
        part[from ^ 1][i] = part[from][i] + (i >= step ? part[from][i - step] : 0); // FAULT: racecheck race-waves
        BARRIER_UNLESS(F);
    }
    out[i] = part[from][i];
}
CASE(scan) {
    Numbers in(256);
    Buffer<int> out(256);
    LAUNCH(scan, 1, 256, in, out);
}

KERNEL atomic_and_load(int *out) {
    __shared__ int count;
    if (threadIdx.x == 0)
        count = 0;
    __syncthreads();
    atomicAdd(&count, 1); // OTHER: #mixed
    BARRIER_UNLESS(F);
    out[threadIdx.x] = count; // FAULT: racecheck race-waves #mixed
}
CASE(atomic_and_load) {
    Buffer<int> out(256);
    LAUNCH(atomic_and_load, 1, 256, out);
}

KERNEL not_initialized_for_all(int *out) {
    __shared__ int count;
    if (threadIdx.x == 0)
        count = 0; // FAULT: racecheck race-waves #start
    BARRIER_UNLESS(F);
    atomicAdd(&count, 1); // OTHER: #start // FAULT: initcheck uninitialized-atomic
    __syncthreads();
    out[threadIdx.x] = count;
}
CASE(not_initialized_for_all) {
    Buffer<int> out(256);
    LAUNCH(not_initialized_for_all, 1, 256, out);
}

KERNEL wide_and_narrow(long long *out) {
    __shared__ long long part[128];
    if (threadIdx.x < 128)
        part[threadIdx.x] = threadIdx.x + (1ll << 32); // FAULT: racecheck race-waves #wide
    BARRIER_UNLESS(F);
    out[threadIdx.x] = ((int *)part)[threadIdx.x]; // OTHER: #wide
}
CASE(wide_and_narrow) {
    Buffer<long long> out(256);
    LAUNCH(wide_and_narrow, 1, 256, out);
}

/* The first wave looks at the others' flags, each in turn, before it takes what they have stored. */
KERNEL one_by_one(int *out) {
    __shared__ int values[256], flags[256];
    unsigned i = threadIdx.x, sum = 0;
    flags[i] = 0;
    __syncthreads();
    values[i] = i + 1; // FAULT: racecheck race-waves #one_by_one
    if (i % warpSize == 0)
        __hip_atomic_store(&flags[i / warpSize], 1, __ATOMIC_RELEASE, __HIP_MEMORY_SCOPE_WORKGROUP);
    if (i < warpSize) {
#pragma clang loop unroll(disable)
        for (unsigned wave = 0; wave < 256 / warpSize;)
            if (F || __hip_atomic_load(&flags[wave], __ATOMIC_ACQUIRE, __HIP_MEMORY_SCOPE_WORKGROUP))
                sum += values[warpSize * wave++ + i]; // OTHER: #one_by_one
        out[i] = sum;
    }
}
CASE(one_by_one) {
    Buffer<int> out(64);
    LAUNCH(one_by_one, 1, 256, out);
}

/* ---- waves of a workgroup, in global memory ------------------------------------------------------ */

KERNEL global_reversed(int *p, int *out) {
    p[threadIdx.x] = threadIdx.x; // FAULT: racecheck race-waves #global
    BARRIER_UNLESS(F);
    out[threadIdx.x] = p[255 - threadIdx.x]; // OTHER: #global
}
CASE(global_reversed) {
    Buffer<int> p(256), out(256);
    LAUNCH(global_reversed, 1, 256, p, out);
}

KERNEL global_overwritten(int *p) { p[F ? threadIdx.x % 64 : threadIdx.x] = threadIdx.x; } // FAULT: racecheck race-waves
CASE(global_overwritten) {
    Buffer<int> p(256);
    LAUNCH(global_overwritten, 1, 256, p);
}

/* ---- lanes of one instruction -------------------------------------------------------------------- */

KERNEL lanes_of_lds(int *out) {
    __shared__ int part[64];
    part[F ? threadIdx.x / 2 : threadIdx.x] = threadIdx.x; // FAULT: racecheck race-lanes
    out[threadIdx.x] = part[threadIdx.x / 2];
}
CASE(lanes_of_lds) {
    Buffer<int> out(32);
    LAUNCH(lanes_of_lds, 1, 32, out);
}

KERNEL lanes_of_global(int *p) { p[F ? threadIdx.x / 2 : threadIdx.x] = threadIdx.x; } // FAULT: racecheck race-lanes
CASE(lanes_of_global) {
    Buffer<int> p(32);
    LAUNCH(lanes_of_global, 1, 32, p);
}

/* ---- workgroups ---------------------------------------------------------------------------------- */

KERNEL counter_of_groups(int *p) {
    if (threadIdx.x == 0) {
        if (F)
            *(volatile int *)p = *(volatile int *)p + 1; // FAULT: racecheck race-workgroups @gfx90a+,gfx1030+,gfx1100+,gfx1200+
        else
            atomicAdd(p, 1);
    }
}
CASE(counter_of_groups) {
    Buffer<int> p(1);
    LAUNCH(counter_of_groups, 8, 64, p);
}

KERNEL same_place(int *p) {
    p[threadIdx.x + (F ? 0 : blockIdx.x * 32)] = blockIdx.x; // FAULT: racecheck race-workgroups
}
CASE(same_place) {
    Buffer<int> p(256);
    LAUNCH(same_place, 8, 32, p);
}

/* Workgroups that run at the same time store the same. */
KERNEL same_value(int *p) {
    for (int i = 0; i < 8; i++)
        p[i * 512 + threadIdx.x] = F ? blockIdx.x : 1; // FAULT: racecheck race-workgroups
}
CASE(same_value) {
    Buffer<int> p(8 * 512);
    for (int i = 0; i < 4; i++) {
        OK(hipMemset(p, 0, 8 * 512 * sizeof(int)));
        LAUNCH(same_value, 16, 512, p);
    }
}

KERNEL edges(int *p) {
    p[(F ? blockIdx.x * 31 : blockIdx.x * 32) + threadIdx.x] = blockIdx.x; // FAULT: racecheck race-workgroups
}
CASE(edges) {
    Buffer<int> p(256);
    LAUNCH(edges, 8, 32, p);
}

/* Neighbours are read where they are written. */
KERNEL in_place(int *p, const int *q, int n) {
    int i = blockIdx.x * 64 + threadIdx.x;
    int next = F ? p[(i + 64) % n] : q[(i + 64) % n]; // FAULT: racecheck race-workgroups #place
    p[i] = next + 1;                                  // OTHER: #place
}
CASE(in_place) {
    Numbers p(256), q(256);
    LAUNCH(in_place, 4, 64, p, q, 256);
}

KERNEL atomic_and_store(int *p) {
    if (blockIdx.x == 0 && F)
        *p = 5; // FAULT: racecheck race-workgroups #store
    else
        atomicAdd(p, 1); // OTHER: #store
}
CASE(atomic_and_store) {
    Buffer<int> p(1);
    LAUNCH(atomic_and_store, 4, 1, p);
}

/* The last workgroup adds up what the others have stored; the counter orders nothing without a fence. A volatile load of global memory is the same
 * machine code as an atomic one, which may look at a flag: found where stores for flags are marked. */
KERNEL last_group(int *p, unsigned *count, int *out) {
    p[blockIdx.x] = blockIdx.x; // FAULT: racecheck race-workgroups #last @gfx942,gfx1200
    if (!F)
        __threadfence();
    if (atomicAdd(count, 1u) == gridDim.x - 1) {
        if (!F)
            __threadfence();
        int sum = 0;
        for (unsigned i = 0; i < gridDim.x; i++)
            sum += *(volatile int *)&p[i]; // OTHER: #last
        *out = sum;
    }
}
CASE(last_group) {
    Buffer<int> p(8), out(1);
    Buffer<unsigned> count(1);
    LAUNCH(last_group, 8, 1, p, count, out);
}

/* ---- launches and copies ------------------------------------------------------------------------- */

struct Streams {
    hipStream_t a, b;
    hipEvent_t event;
    Streams() {
        OK(hipStreamCreateWithFlags(&a, hipStreamNonBlocking));
        OK(hipStreamCreateWithFlags(&b, hipStreamNonBlocking));
        OK(hipEventCreate(&event));
    }
    ~Streams() {
        finish();
        OK(hipEventDestroy(event));
        OK(hipStreamDestroy(b));
        OK(hipStreamDestroy(a));
    }
    /* What follows in b is behind what is in a now. */
    void order() {
        OK(hipEventRecord(event, a));
        OK(hipStreamWaitEvent(b, event, 0));
    }
};

KERNEL two_streams(int *p, int value) { p[threadIdx.x] = value + threadIdx.x; } // FAULT: racecheck race-launches
CASE(two_streams) {
    Buffer<int> p(64);
    Streams s;
    LAUNCH_IN(two_streams, 1, 64, 0, s.a, p, 1);
    if (!faulty)
        s.order();
    LAUNCH_IN(two_streams, 1, 64, 0, s.b, p, 2);
}

KERNEL written_in_a(int *p) { p[threadIdx.x] = threadIdx.x; }                        // FAULT: racecheck race-launches #event
KERNEL read_in_b(const int *p, int *out) { out[threadIdx.x] = p[63 - threadIdx.x]; } // OTHER: #event
CASE(missing_event) {
    Buffer<int> p(64), out(64);
    Streams s;
    LAUNCH_IN(written_in_a, 1, 64, 0, s.a, p);
    if (!faulty)
        s.order();
    LAUNCH_IN(read_in_b, 1, 64, 0, s.b, p, out);
}

/* A copy in a stream has no line: the memory's stands for it. */
KERNEL beside_a_copy(int *p) { p[threadIdx.x] = threadIdx.x; } // FAULT: racecheck race-launches #copy
CASE(beside_a_copy) {
    Buffer<int> p(64); // OTHER: #copy
    int *host;
    OK(hipHostMalloc((void **)&host, 256));
    {
        Streams s;
        LAUNCH_IN(beside_a_copy, 1, 64, 0, s.a, p);
        if (!faulty)
            s.order();
        OK(hipMemcpyAsync(host, p, 256, hipMemcpyDeviceToHost, s.b));
    }
    OK(hipHostFree(host));
}

KERNEL beside_a_fill(const int *p, int *out) { out[threadIdx.x] = p[threadIdx.x]; } // FAULT: racecheck race-launches #fill
CASE(beside_a_fill) {
    Buffer<int> p(64), out(64); // OTHER: #fill
    Streams s;
    LAUNCH_IN(beside_a_fill, 1, 64, 0, s.a, p, out);
    if (!faulty)
        s.order();
    OK(hipMemsetAsync(p, 1, 256, s.b));
}

/* The null stream, in which the host copies, does not wait for such a stream; the host can. */
KERNEL beside_the_host(int *p) { p[threadIdx.x] = threadIdx.x; } // FAULT: racecheck race-launches #host
CASE(beside_the_host) {
    Buffer<int> p(64); // OTHER: #host
    int host[64];
    hipStream_t stream;
    OK(hipStreamCreateWithFlags(&stream, hipStreamNonBlocking));
    LAUNCH_IN(beside_the_host, 1, 64, 0, stream, p);
    if (!faulty)
        OK(hipStreamSynchronize(stream));
    OK(hipMemcpy(host, p, sizeof host, hipMemcpyDeviceToHost));
    OK(hipStreamSynchronize(stream));
    OK(hipStreamDestroy(stream));
}

/* Branches of a graph are in no order, whether they run in streams (with kernels that may wait for each other: all code of -O0) or not. */
KERNEL of_a_branch(int *p, int value) { p[threadIdx.x] = value; } // FAULT: racecheck race-launches
CASE(branches_of_a_graph) {
    Buffer<int> p(64);
    Streams s;
    hipGraph_t graph;
    hipGraphExec_t exec;
    hipEvent_t join;
    OK(hipEventCreate(&join));
    OK(hipStreamBeginCapture(s.a, hipStreamCaptureModeGlobal));
    s.order();
    LAUNCH_IN(of_a_branch, 1, 64, 0, s.a, p, 1);
    if (!faulty)
        s.order();
    LAUNCH_IN(of_a_branch, 1, 64, 0, s.b, p, 2);
    OK(hipEventRecord(join, s.b));
    OK(hipStreamWaitEvent(s.a, join, 0));
    OK(hipStreamEndCapture(s.a, &graph));
    OK(hipGraphInstantiate(&exec, graph, NULL, NULL, 0));
    OK(hipGraphLaunch(exec, s.a));
    OK(hipStreamSynchronize(s.a));
    OK(hipGraphExecDestroy(exec));
    OK(hipGraphDestroy(graph));
    OK(hipEventDestroy(join));
}
