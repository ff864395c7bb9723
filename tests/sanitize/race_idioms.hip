/* racecheck: idioms between workgroups and waves, as graph algorithms, locks, producers and consumers have them. */
#include "catalogue.h"

#define LOAD(p, order, scope)     __hip_atomic_load(p, __ATOMIC_##order, __HIP_MEMORY_SCOPE_##scope)
#define STORE(p, v, order, scope) __hip_atomic_store(p, v, __ATOMIC_##order, __HIP_MEMORY_SCOPE_##scope)
#define ADD(p, v, order, scope)   __hip_atomic_fetch_add(p, v, __ATOMIC_##order, __HIP_MEMORY_SCOPE_##scope)

/* ---- locks --------------------------------------------------------------------------------------- */

/* A spin lock of the first work items, with the fences that it needs or without the lock. */
KERNEL locked_sum(int *lock, int *sum) {
    if (threadIdx.x)
        return;
    if (!F) {
        while (atomicCAS(lock, 0, 1) != 0)
            ;
        __threadfence();
    }
    *sum = *sum + (int)blockIdx.x + 1; // FAULT: racecheck race-workgroups
    if (!F) {
        __threadfence();
        atomicExch(lock, 0);
    }
}
CASE(locked_sum) {
    Buffer<int> lock(1), sum(1);
    LAUNCH(locked_sum, 16, 64, lock, sum);
}

/* One of the places where the sum is changed forgets the lock. */
KERNEL lock_forgotten(int *lock, int *sum) {
    if (threadIdx.x)
        return;
    const bool locks = !F || blockIdx.x % 2 == 0;
    while (locks && atomicCAS(lock, 0, 1) != 0)
        ;
    __threadfence();
    *sum += 1; // FAULT: racecheck race-workgroups
    __threadfence();
    if (locks)
        atomicExch(lock, 0);
}
CASE(lock_forgotten) {
    Buffer<int> lock(1), sum(1);
    LAUNCH(lock_forgotten, 16, 64, lock, sum);
}

/* Two locks for the same sum. */
KERNEL wrong_lock(int *locks, int *sum) {
    if (threadIdx.x)
        return;
    int *lock = locks + (F ? blockIdx.x % 2 * 64 : 0);
    while (atomicCAS(lock, 0, 1) != 0)
        ;
    __threadfence();
    *sum += 1; // FAULT: racecheck race-workgroups
    __threadfence();
    atomicExch(lock, 0);
}
CASE(wrong_lock) {
    Buffer<int> locks(128), sum(1);
    LAUNCH(wrong_lock, 16, 64, locks, sum);
}

/* The lock is given back before the sum is stored. */
KERNEL released_too_early(int *lock, int *sum) {
    if (threadIdx.x)
        return;
    while (atomicCAS(lock, 0, 1) != 0)
        ;
    __threadfence();
    const int before = *sum; // OTHER: #early
    if (F)
        atomicExch(lock, 0);
    *sum = before + 1; // FAULT: racecheck race-workgroups #early
    __threadfence();
    if (!F)
        atomicExch(lock, 0);
}
CASE(released_too_early) {
    Buffer<int> lock(1), sum(1);
    LAUNCH(released_too_early, 16, 64, lock, sum);
}

KERNEL ticket_lock(unsigned *ticket, unsigned *serving, int *sum) {
    if (threadIdx.x)
        return;
    const unsigned own = atomicAdd(ticket, 1u);
    while (!F && LOAD(serving, ACQUIRE, AGENT) != own)
        ;
    *sum = *sum * 3 + (int)own; // FAULT: racecheck race-workgroups
    ADD(serving, 1u, RELEASE, AGENT);
}
CASE(ticket_lock) {
    Buffer<unsigned> ticket(1), serving(64);
    Buffer<int> sum(1);
    LAUNCH(ticket_lock, 8, 64, ticket, serving, sum);
}

/* ---- flags --------------------------------------------------------------------------------------- */

/* The first workgroup produces, the others consume. */
KERNEL produced(int *data, int *flag, int *out) {
    if (blockIdx.x == 0) {
        data[threadIdx.x] = threadIdx.x + 1; // FAULT: racecheck race-workgroups #produced
        __syncthreads();
        if (threadIdx.x == 0)
            STORE(flag, 1, RELEASE, AGENT);
    } else {
        if (threadIdx.x == 0)
            while (!F && LOAD(flag, ACQUIRE, AGENT) == 0)
                ;
        __syncthreads();
        out[blockIdx.x * 256 + threadIdx.x] = data[255 - threadIdx.x]; // OTHER: #produced
    }
}
CASE(produced) {
    Buffer<int> data(256), flag(1), out(4 * 256);
    LAUNCH(produced, 4, 256, data, flag, out);
}

/* A volatile flag with fences; without them the flag orders nothing. */
KERNEL volatile_flag(int *data, int *flag, int *out) {
    if (threadIdx.x)
        return;
    if (blockIdx.x == 0) {
        data[0] = 42; // FAULT: racecheck race-workgroups #volatile_flag
        if (!F)
            __threadfence();
        *(volatile int *)flag = 1;
    } else {
        while (*(volatile int *)flag == 0)
            ;
        if (!F)
            __threadfence();
        out[blockIdx.x] = data[0]; // OTHER: #volatile_flag
    }
}
CASE(volatile_flag) {
    Buffer<int> data(1), flag(1), out(4);
    LAUNCH(volatile_flag, 4, 64, data, flag, out);
}

/* All work items store, one tells: without a barrier in between it tells of its own wave alone. */
KERNEL told_too_early(int *data, int *flag, int *out) {
    if (blockIdx.x == 0) {
        data[threadIdx.x] = threadIdx.x + 1; // FAULT: racecheck race-workgroups #told
        __threadfence();
        if (!F)
            __syncthreads();
        if (threadIdx.x == 0)
            atomicExch(flag, 1);
    } else {
        if (threadIdx.x == 0)
            while (atomicAdd(flag, 0) == 0)
                ;
        __syncthreads();
        __threadfence();
        out[threadIdx.x] = data[threadIdx.x]; // OTHER: #told
    }
}
CASE(told_too_early) {
    Buffer<int> data(256), flag(1), out(256);
    LAUNCH(told_too_early, 2, 256, data, flag, out);
}

/* ---- barriers of the grid ------------------------------------------------------------------------ */

KERNEL grid_by_hand(int *data, int *count, int *out) {
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    data[i] = i + 1; // FAULT: racecheck race-workgroups #by_hand
    __syncthreads();
    if (threadIdx.x == 0) {
        __threadfence();
        atomicAdd(count, 1);
        while (!F && LOAD(count, RELAXED, AGENT) < (int)gridDim.x)
            ;
        __threadfence();
    }
    __syncthreads();
    out[i] = data[(i + 256) % (gridDim.x * blockDim.x)]; // OTHER: #by_hand
}
CASE(grid_by_hand) {
    Buffer<int> data(4 * 256), count(1), out(4 * 256);
    LAUNCH(grid_by_hand, 4, 256, data, count, out);
}

/* The last workgroup adds up; the others have to have fenced. */
KERNEL last_adds_up(const int *in, int *parts, unsigned *count, int *out) {
    __shared__ bool last;
    if (threadIdx.x == 0) {
        parts[blockIdx.x] = in[blockIdx.x] + 1; // FAULT: racecheck race-workgroups #last_adds_up
        if (!F)
            __threadfence();
        last = __hip_atomic_fetch_add(count, 1u, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT) == gridDim.x - 1;
    }
    __syncthreads();
    if (last && threadIdx.x < gridDim.x) {
        if (!F)
            __threadfence();
        atomicAdd(out, parts[threadIdx.x]); // OTHER: #last_adds_up
    }
}
CASE(last_adds_up) {
    Buffer<int> in(8), parts(8), out(1);
    Buffer<unsigned> count(1);
    LAUNCH(last_adds_up, 8, 256, in, parts, count, out);
}

/* ---- scopes -------------------------------------------------------------------------------------- */

/* An atomic of the workgroup's scope, used by several workgroups: before gfx12 machine code does not tell the scope. */
KERNEL block_scope(int *sum) {
    if (F)
        ADD(sum, 1, RELAXED, WORKGROUP); // FAULT: racecheck race-workgroups @gfx1200
    else
        ADD(sum, 1, RELAXED, AGENT);
}
CASE(block_scope) {
    Buffer<int> sum(1);
    LAUNCH(block_scope, 8, 64, sum);
}

/* A fence of the workgroup's scope in front of a flag for other workgroups. */
KERNEL block_fence(int *data, int *flag, int *out) {
    if (threadIdx.x)
        return;
    if (blockIdx.x == 0) {
        data[0] = 42; // FAULT: racecheck race-workgroups #block_fence
        if (F)
            __threadfence_block();
        else
            __threadfence();
        STORE(flag, 1, RELAXED, AGENT);
    } else {
        while (LOAD(flag, RELAXED, AGENT) == 0)
            ;
        if (F)
            __threadfence_block();
        else
            __threadfence();
        out[blockIdx.x] = data[0]; // OTHER: #block_fence
    }
}
CASE(block_fence) {
    Buffer<int> data(1), flag(1), out(4);
    LAUNCH(block_fence, 4, 64, data, flag, out);
}

/* ---- graphs -------------------------------------------------------------------------------------- */

/* A ring of n vertices, each with edges to the next and to one further on. */
__device__ static int neighbour(int v, int e, int n) { return (v + (e ? 37 : 1)) % n; }

/* Labels go to the smaller one: by a minimum, or by a test and a store. */
KERNEL components(int *label, int n) {
    const int v = blockIdx.x * blockDim.x + threadIdx.x;
    for (int e = 0; v < n && e < 2; e++) {
        const int u = neighbour(v, e, n);
        if (F)
            label[u] = label[v] < label[u] ? label[v] : label[u]; // FAULT: racecheck race-workgroups|race-waves
        else
            atomicMin(&label[u], LOAD(&label[v], RELAXED, AGENT));
    }
}
CASE(components) {
    Buffer<int> label(512);
    static int host[512];
    for (int i = 0; i < 512; i++)
        host[i] = 1000 - i;
    OK(hipMemcpy(label, host, sizeof host, hipMemcpyHostToDevice));
    LAUNCH(components, 4, 128, label, 512);
}

KERNEL shortest(const int *dist, int *next, int n) {
    const int v = blockIdx.x * blockDim.x + threadIdx.x;
    for (int e = 0; v < n && e < 2; e++) {
        const int u = neighbour(v, e, n), way = dist[v] + 1 + e + v % 5;
        if (F)
            next[u] = way < next[u] ? way : next[u]; // FAULT: racecheck race-workgroups|race-waves
        else
            atomicMin(&next[u], way);
    }
}
CASE(shortest) {
    Buffer<int> dist(512), next(512);
    OK(hipMemset(next, 0x7f, 2048));
    LAUNCH(shortest, 4, 128, dist, next, 512);
}

/* Sums of ranks are pushed to neighbours. */
KERNEL push_ranks(const float *rank, float *next, int n) {
    const int v = blockIdx.x * blockDim.x + threadIdx.x;
    for (int e = 0; v < n && e < 2; e++) {
        const int u = neighbour(v, e, n);
        if (F)
            next[u] += rank[v] + v; // FAULT: racecheck race-workgroups|race-waves
        else
            atomicAdd(&next[u], rank[v] + v);
    }
}
CASE(push_ranks) {
    Buffer<float> rank(512), next(512);
    LAUNCH(push_ranks, 4, 128, rank, next, 512);
}

/* A vertex that is found gets a place in the list of the next level. */
KERNEL frontier(const int *list, int count, int *level, int *next, int *places, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x, u = i < count ? neighbour(list[i], 1, n) : 0;
    if (i < count && atomicCAS(&level[u], 0, 2) == 0) {
        const int place = F ? places[0]++ : atomicAdd(places, 1); // FAULT: racecheck race-workgroups|race-waves|race-lanes
        next[place] = u;                                          // FAULT: racecheck race-lanes|race-waves|race-workgroups
    }
}
CASE(frontier) {
    Buffer<int> list(256), level(512), next(512), places(1);
    static int host[256];
    for (int i = 0; i < 256; i++)
        host[i] = 2 * i;
    OK(hipMemcpy(list, host, sizeof host, hipMemcpyHostToDevice));
    if (!faulty)
        LAUNCH(frontier, 4, 64, list, 256, level, next, places, 512);
    else
        frontier<true><<<4, 64>>>(list, 256, level, next, places, 512);
}

/* ---- others -------------------------------------------------------------------------------------- */

/* Rounds of a stencil, in place or between two arrays. */
KERNEL stencil(float *a, float *b, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    float *to = F ? a : b;
    if (i > 0 && i < n - 1)
        to[i] = a[i - 1] + a[i] + a[i + 1] + i; // FAULT: racecheck race-workgroups|race-waves
}
CASE(stencil) {
    Buffer<float> a(1024), b(1024);
    LAUNCH(stencil, 4, 256, a, b, 1024);
}

/* Bounds that let the last element of a workgroup be the first one of the next. */
KERNEL one_too_many(int *p, int each) {
    for (int i = blockIdx.x * each + threadIdx.x; i < (int)(blockIdx.x + 1) * each + F; i += blockDim.x)
        p[i] = blockIdx.x + 1; // FAULT: racecheck race-workgroups
}
CASE(one_too_many) {
    Buffer<int> p(8 * 128 + 1);
    LAUNCH(one_too_many, 8, 64, p, 128);
}

KERNEL histogram(const int *in, int *bins) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (F)
        bins[in[i] + i % 16] += 1; // FAULT: racecheck race-workgroups|race-waves|race-lanes
    else
        atomicAdd(&bins[in[i] + i % 16], 1);
}
CASE(histogram) {
    Buffer<int> in(512), bins(16);
    LAUNCH(histogram, 4, 128, in, bins);
}

/* Workgroups take work from a counter until there is none. */
KERNEL persistent(int *taken, int *work, int n) {
    __shared__ int item;
    while (true) {
        if (threadIdx.x == 0)
            item = atomicAdd(taken, 1); // FAULT: racecheck race-waves #persistent
        __syncthreads();
        const int now = item; // OTHER: #persistent
        if (!F)
            __syncthreads();
        if (now >= n)
            return;
        work[now * blockDim.x + threadIdx.x] += now;
    }
}
CASE(persistent) {
    Buffer<int> taken(1), work(8 * 256);
    LAUNCH(persistent, 2, 256, taken, work, 8);
}

/* The steps within a wave of a sum in LDS: with volatile elements, or a step too many, that another wave takes part in. */
KERNEL warp_sum(const int *in, int *out) {
    __shared__ volatile int part[256];
    const unsigned i = threadIdx.x;
    part[i] = in[i] + i; // FAULT: racecheck race-waves #warp_sum
    if (!F)
        __syncthreads();
    if (i < 32) {
        int sum = 0;
        for (unsigned n = 0; n < 256; n += 32)
            sum += part[i + n]; // OTHER: #warp_sum
        out[i] = sum;
    }
}
CASE(warp_sum) {
    Buffer<int> in(256), out(32);
    LAUNCH(warp_sum, 1, 256, in, out);
}

/* A prefix sum over workgroups: each looks back at what the one before has told. */
KERNEL look_back(int *sums, int *flags, int *out) {
    if (threadIdx.x)
        return;
    const int b = blockIdx.x;
    int before = 0;
    if (b > 0) {
        while (!F && LOAD(&flags[b - 1], ACQUIRE, AGENT) == 0)
            ;
        before = sums[b - 1]; // FAULT: racecheck race-workgroups #look_back
    }
    sums[b] = before + b + 1; // OTHER: #look_back
    STORE(&flags[b], 1, RELEASE, AGENT);
    out[b] = before;
}
CASE(look_back) {
    Buffer<int> sums(8), flags(8), out(8);
    LAUNCH(look_back, 8, 64, sums, flags, out);
}
