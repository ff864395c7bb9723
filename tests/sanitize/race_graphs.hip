/* racecheck: how graph codes, work lists and codes with scoped synchronization share memory between workgroups and waves. */
#include "catalogue.h"

#define LOAD(p, order, scope)     __hip_atomic_load(p, __ATOMIC_##order, __HIP_MEMORY_SCOPE_##scope)
#define STORE(p, v, order, scope) __hip_atomic_store(p, v, __ATOMIC_##order, __HIP_MEMORY_SCOPE_##scope)
#define ADD(p, v, order, scope)   __hip_atomic_fetch_add(p, v, __ATOMIC_##order, __HIP_MEMORY_SCOPE_##scope)
#define SWAP(p, v, order, scope)  __hip_atomic_exchange(p, v, __ATOMIC_##order, __HIP_MEMORY_SCOPE_##scope)

/* From 0 to 1. */
#define TAKE(p, scope)                                                                                                                     \
    ({                                                                                                                                     \
        int zero_ = 0;                                                                                                                     \
        __hip_atomic_compare_exchange_strong(p, &zero_, 1, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_##scope);                \
    })

template <typename T> __device__ static bool cas(T *p, T from, T to) { return atomicCAS(p, from, to) == from; }

/* A ring of n vertices, each with edges to the next and to one far away, as rows of neighbours. */
struct Graph {
    enum { N = 512 };
    Buffer<int> row, column;
    Graph() : row(N + 1), column(2 * N) {
        static int rows[N + 1], columns[2 * N];
        for (int v = 0; v <= N; v++)
            rows[v] = 2 * v;
        for (int v = 0; v < N; v++) {
            columns[2 * v] = (v + 1) % N;
            columns[2 * v + 1] = (v + 137) % N;
        }
        OK(hipMemcpy(row, rows, sizeof rows, hipMemcpyHostToDevice));
        OK(hipMemcpy(column, columns, sizeof columns, hipMemcpyHostToDevice));
    }
};

/* Memory that holds from, from + step and so on. */
struct Counting : Buffer<int> {
    Counting(int n, int from, int step) : Buffer<int>(n) {
        static int host[2048];
        for (int i = 0; i < n; i++)
            host[i] = from + i * step;
        OK(hipMemcpy(p, host, n * sizeof(int), hipMemcpyHostToDevice));
    }
};

/* ---- scopes -------------------------------------------------------------------------------------- */

/* A flag that orders within a workgroup alone, between two. */
KERNEL narrow_flag(int *data, int *flag, int *out) {
    if (threadIdx.x)
        return;
    if (blockIdx.x == 0) {
        data[0] = 42; // FAULT: racecheck race-workgroups #narrow_flag
        if (F)
            STORE(flag, 1, RELEASE, WORKGROUP); // FAULT: racecheck race-workgroups #flag @gfx942,gfx1030,gfx1200
        else
            STORE(flag, 1, RELEASE, AGENT);
    } else {
        if (F)
            while (LOAD(flag, ACQUIRE, WORKGROUP) == 0) // OTHER: #flag
                ;
        else
            while (LOAD(flag, ACQUIRE, AGENT) == 0)
                ;
        out[blockIdx.x] = data[0]; // OTHER: #narrow_flag
    }
}
CASE(narrow_flag) {
    Buffer<int> data(1), flag(1), out(4);
    LAUNCH(narrow_flag, 4, 64, data, flag, out);
}

/* Only who takes the lock orders for the workgroup alone. */
KERNEL narrow_lock(int *lock, int *sum) {
    if (threadIdx.x)
        return;
    if (F)
        while (!TAKE(lock, WORKGROUP)) // FAULT: racecheck race-workgroups #lock @gfx1200
            ;
    else
        while (!TAKE(lock, AGENT))
            ;
    *sum += 1 + (int)blockIdx.x;    // FAULT: racecheck race-workgroups
    STORE(lock, 0, RELEASE, AGENT); // OTHER: #lock
}
CASE(narrow_lock) {
    Buffer<int> lock(64), sum(1);
    LAUNCH(narrow_lock, 8, 64, lock, sum);
}

/* The same for who gives it back. */
KERNEL narrow_unlock(int *lock, int *sum) {
    if (threadIdx.x)
        return;
    while (SWAP(lock, 1, ACQUIRE, AGENT))
        ;
    *sum += 1 + (int)blockIdx.x; // FAULT: racecheck race-workgroups @gfx90a+,gfx942,gfx1030,gfx1100,gfx1200
    if (F)
        STORE(lock, 0, RELAXED, AGENT);
    else
        STORE(lock, 0, RELEASE, AGENT);
}
CASE(narrow_unlock) {
    Buffer<int> lock(64), sum(1);
    LAUNCH(narrow_unlock, 8, 64, lock, sum);
}

/* The flag is found, but nothing says that what follows is read behind it. */
KERNEL no_acquire(int *data, int *flag, int *out) {
    if (threadIdx.x)
        return;
    if (blockIdx.x == 0) {
        data[0] = 42; // FAULT: racecheck race-workgroups #no_acquire
        STORE(flag, 1, RELEASE, AGENT);
    } else {
        while (LOAD(flag, RELAXED, AGENT) == 0)
            ;
        if (!F)
            __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "agent");
        out[blockIdx.x] = data[0]; // OTHER: #no_acquire
    }
}
CASE(no_acquire) {
    Buffer<int> data(1), flag(1), out(4);
    LAUNCH(no_acquire, 4, 64, data, flag, out);
}

KERNEL fence_behind(int *data, int *flag, int *out) {
    if (threadIdx.x)
        return;
    if (blockIdx.x == 0) {
        data[0] = 42; // FAULT: racecheck race-workgroups #fence_behind @gfx90a+,gfx942,gfx1030,gfx1100,gfx1200
        if (!F)
            __threadfence();
        STORE(flag, 1, RELAXED, AGENT);
        if (F)
            __threadfence();
    } else {
        while (LOAD(flag, RELAXED, AGENT) == 0)
            ;
        __threadfence();
        out[blockIdx.x] = data[0]; // OTHER: #fence_behind
    }
}
CASE(fence_behind) {
    Buffer<int> data(1), flag(1), out(4);
    LAUNCH(fence_behind, 4, 64, data, flag, out);
}

/* Two workgroups in turn; one way has no order. */
KERNEL in_turn(int *data, int *turn) {
    if (threadIdx.x)
        return;
    const int me = blockIdx.x;
    for (int round = 0; round < 4; round++) {
        while (LOAD(turn, RELAXED, AGENT) != me)
            ;
        if (!F || me)
            __threadfence();
        data[0] = data[0] * 3 + me + 1; // FAULT: racecheck race-workgroups
        __threadfence();
        STORE(turn, 1 - me, RELAXED, AGENT);
    }
}
CASE(in_turn) {
    Buffer<int> data(1), turn(64);
    LAUNCH(in_turn, 2, 64, data, turn);
}

/* ---- queues, stacks and work lists --------------------------------------------------------------- */

/* The owner pushes tasks, others steal them: with an order for its own workgroup alone. */
KERNEL stolen(int *tasks, int *tail, int *head, int *out) {
    if (threadIdx.x)
        return;
    if (blockIdx.x == 0) {
        for (int i = 0; i < 8; i++) {
            tasks[i] = i + 10; // FAULT: racecheck race-workgroups #stolen @gfx90a+,gfx942
            if (F)
                ADD(tail, 1, RELEASE, WORKGROUP); // FAULT: racecheck race-workgroups #tail @gfx1200
            else
                ADD(tail, 1, RELEASE, AGENT);
        }
        return;
    }
    int sum = 0, h;
    while ((h = LOAD(head, RELAXED, AGENT)) < 8)
        if (h < LOAD(tail, ACQUIRE, AGENT) && cas(head, h, h + 1)) // OTHER: #tail
            sum += tasks[h];                                       // OTHER: #stolen
    out[blockIdx.x] = sum;
}
CASE(stolen) {
    Buffer<int> tasks(64), tail(64), head(64), out(4);
    LAUNCH(stolen, 4, 64, tasks, tail, head, out);
}

/* The owner takes from the same end without an atomic. */
KERNEL owner_pops(int *tail, int *taken) {
    if (threadIdx.x)
        return;
    for (int i = 0; i < 4; i++) {
        int t;
        if (F && blockIdx.x == 0) {
            t = *tail - 1; // OTHER: #owner_pops
            *tail = t;     // OTHER: #owner_pops
        } else {
            t = ADD(tail, -1, RELAXED, AGENT) - 1; // FAULT: racecheck race-workgroups #owner_pops
        }
        if (t >= 0)
            atomicAdd(&taken[t], 1);
    }
}
CASE(owner_pops) {
    Buffer<int> taken(64);
    Counting tail(1, 64, 0);
    LAUNCH(owner_pops, 8, 64, tail, taken);
}

/* A stack of nodes: who pushes does not publish what is in them. */
KERNEL pushed(int *value, int *next, int *top, int *out) {
    if (threadIdx.x)
        return;
    const int me = blockIdx.x + 1;
    if (blockIdx.x % 2 == 0) {
        value[me] = 100 + me; // FAULT: racecheck race-workgroups #pushed @gfx942,gfx1030,gfx1100,gfx1200
        int old = LOAD(top, RELAXED, AGENT);
        do
            next[me] = old; // FAULT: racecheck race-workgroups #next @gfx90a+,gfx942,gfx1030,gfx1100,gfx1200
        while (F ? !__hip_atomic_compare_exchange_strong(top, &old, me, __ATOMIC_RELAXED, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT)
                 : !__hip_atomic_compare_exchange_strong(top, &old, me, __ATOMIC_RELEASE, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT));
        return;
    }
    int node;
    while ((node = SWAP(top, 0, ACQUIRE, AGENT)) == 0)
        if (LOAD(out, RELAXED, AGENT) > 0)
            return;
    int sum = 0;
    for (; node; node = next[node]) // OTHER: #next
        sum += value[node];         // OTHER: #pushed
    ADD(out, sum, RELAXED, AGENT);
}
CASE(pushed) {
    Buffer<int> value(64), next(64), top(64), out(64);
    LAUNCH(pushed, 8, 64, value, next, top, out);
}

/* A slot is reserved and filled; who reads looks at the number of reserved slots, or at a mark of the slot. */
KERNEL reserved(int *list, int *ready, int *count, int *out) {
    if (threadIdx.x)
        return;
    if (blockIdx.x % 2 == 0) {
        const int slot = ADD(count, 1, RELAXED, AGENT);
        list[slot] = blockIdx.x + 1; // FAULT: racecheck race-workgroups #reserved
        STORE(&ready[slot], 1, RELEASE, AGENT);
        return;
    }
    const int slot = blockIdx.x / 2;
    if (F)
        while (LOAD(count, ACQUIRE, AGENT) <= slot)
            ;
    else
        while (LOAD(&ready[slot], ACQUIRE, AGENT) == 0)
            ;
    out[slot] = list[slot]; // OTHER: #reserved
}
CASE(reserved) {
    Buffer<int> list(64), ready(64), count(64), out(64);
    LAUNCH(reserved, 8, 64, list, ready, count, out);
}

/* Vertices that change are put on the next list, once each: what says so is a test and a store, or an exchange. */
KERNEL once_each(const int *row, const int *column, int *level, int *list, int *count, int now) {
    const int v = blockIdx.x * blockDim.x + threadIdx.x;
    if (v >= Graph::N || v % 2)
        return;
    for (int e = row[v]; e < row[v + 1]; e++) {
        const int u = column[e];
        if (F) {
            if (level[u] == 0) {    // OTHER: #once_each
                level[u] = now + v; // FAULT: racecheck race-workgroups|race-waves|race-lanes #once_each
                list[atomicAdd(count, 1)] = u;
            }
        } else if (cas(&level[u], 0, now + v)) {
            list[atomicAdd(count, 1)] = u;
        }
    }
}
CASE(once_each) {
    Graph g;
    Buffer<int> level(Graph::N), list(2 * Graph::N), count(1);
    LAUNCH(once_each, 8, 64, g.row, g.column, level, list, count, 2);
}

/* The first lane of a wave makes room for all. */
KERNEL room_for_all(const int *in, int *list, int *count, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const bool has = i < n && in[i] % 3 == 0;
    const unsigned long long mask = __ballot(has);
    const int lane = __lane_id();
    int base = 0;
    if (lane == 0) {
        if (F) {
            base = *count;                  // OTHER: #room
            *count = base + __popcll(mask); // FAULT: racecheck race-workgroups|race-waves #room
        } else {
            base = atomicAdd(count, (int)__popcll(mask));
        }
    }
    base = __shfl(base, 0);
    if (has)
        list[base + __popcll(mask & ((1ull << lane) - 1))] = F ? -1 : i;
}
CASE(room_for_all) {
    Counting in(512, 0, 1);
    Buffer<int> list(1024), count(1);
    LAUNCH(room_for_all, 4, 128, in, list, count, 512);
}

/* ---- vertices and edges -------------------------------------------------------------------------- */

/* The parent of a vertex in a search: any will do, but not by a plain store. (clang 15 makes one of an exchange whose result nobody uses.) */
KERNEL parents(const int *row, const int *column, int *parent, int *found) {
    const int v = blockIdx.x * blockDim.x + threadIdx.x;
    int known = 0;
    for (int e = row[v]; e < row[v + 1]; e++)
        if (F)
            parent[column[e]] = v; // FAULT: racecheck race-workgroups|race-waves
        else
            known |= atomicExch(&parent[column[e]], v);
    found[v] = known;
}
CASE(parents) {
    Graph g;
    Buffer<int> parent(Graph::N), found(Graph::N);
    LAUNCH(parents, 8, 64, g.row, g.column, parent, found);
}

/* Distances go down: by a test and a store, or by a test and a minimum. */
KERNEL relaxed_edges(const int *row, const int *column, int *dist) {
    const int v = blockIdx.x * blockDim.x + threadIdx.x;
    const int own = F ? dist[v] : LOAD(&dist[v], RELAXED, AGENT); // OTHER: #relaxed
    for (int e = row[v]; e < row[v + 1]; e++) {
        const int u = column[e], way = own + 1 + v % 3;
        if (F) {
            if (way < dist[u]) // OTHER: #relaxed
                dist[u] = way; // FAULT: racecheck race-workgroups|race-waves|race-lanes #relaxed
        } else if (way < LOAD(&dist[u], RELAXED, AGENT)) {
            atomicMin(&dist[u], way);
        }
    }
}
CASE(relaxed_edges) {
    Graph g;
    Counting dist(Graph::N, 2000, -3);
    LAUNCH(relaxed_edges, 8, 64, g.row, g.column, dist);
}

/* Labels are pulled from neighbours in place, or into another array. */
KERNEL pulled(const int *row, const int *column, const int *label, int *next) {
    const int v = blockIdx.x * blockDim.x + threadIdx.x;
    int least = label[v];
    for (int e = row[v]; e < row[v + 1]; e++)
        least = min(least, label[column[e]]); // OTHER: #pulled
    next[v] = least;                          // FAULT: racecheck race-workgroups|race-waves #pulled
}
CASE(pulled) {
    Graph g;
    Counting label(Graph::N, 1000, -1);
    Buffer<int> other(Graph::N);
    LAUNCH(pulled, 8, 64, g.row, g.column, label, faulty ? (int *)label : (int *)other);
}

/* Roots of sets are joined, by a store or by compare and swap. */
KERNEL joined(const int *row, const int *column, int *root) {
    const int v = blockIdx.x * blockDim.x + threadIdx.x;
    for (int e = row[v]; e < row[v + 1]; e++) {
        int a = v, b = column[e], up;
        while ((up = LOAD(&root[a], RELAXED, AGENT)) != a) // OTHER: #root
            a = up;
        while ((up = LOAD(&root[b], RELAXED, AGENT)) != b) // OTHER: #root
            b = up;
        while (a != b) {
            if (a < b) {
                const int t = a;
                a = b;
                b = t;
            }
            if (F) {
                root[a] = b; // FAULT: racecheck race-workgroups|race-waves|race-lanes #root @gfx942,gfx1200
                break;
            }
            const int old = atomicCAS(&root[a], a, b);
            if (old == a)
                break;
            a = old;
        }
    }
}
CASE(joined) {
    Graph g;
    Counting root(Graph::N, 0, 1);
    LAUNCH(joined, 8, 64, g.row, g.column, root);
}

/* Another round is asked for while the first workgroup clears the question. */
KERNEL another_round(const int *in, int *changed) {
    const int v = blockIdx.x * blockDim.x + threadIdx.x;
    if (F && v == 0)
        *changed = 0; // FAULT: racecheck race-workgroups|race-waves #another
    if (in[v] % 2)
        *changed = 1; // OTHER: #another
}
CASE(another_round) {
    Counting in(512, 1, 1);
    Counting changed(1, 7, 0);
    LAUNCH(another_round, 8, 64, in, changed);
}

/* The sum of a workgroup is added without an atomic. */
KERNEL triangles(const int *in, int *count) {
    __shared__ int part;
    if (threadIdx.x == 0)
        part = 0;
    __syncthreads();
    atomicAdd(&part, in[blockIdx.x * blockDim.x + threadIdx.x]);
    __syncthreads();
    if (threadIdx.x == 0) {
        if (F)
            *count += part; // FAULT: racecheck race-workgroups
        else
            atomicAdd(count, part);
    }
}
CASE(triangles) {
    Counting in(512, 1, 1);
    Buffer<int> count(1);
    LAUNCH(triangles, 8, 64, in, count);
}

/* The last row ends one edge too late. */
KERNEL row_too_long(const int *row, const int *column, int *out) {
    const int v = blockIdx.x * blockDim.x + threadIdx.x;
    int sum = 0;
    for (int e = row[v]; F ? e <= row[v + 1] : e < row[v + 1]; e++)
        sum += column[e]; // FAULT: memcheck out-of-bounds-read
    out[v] = sum;
}
CASE(row_too_long) {
    Graph g;
    Buffer<int> out(Graph::N);
    LAUNCH(row_too_long, 8, 64, g.row, g.column, out);
}

/* A vertex too many. */
KERNEL vertex_too_many(const int *row, int *degree, int n) {
    const int v = blockIdx.x * blockDim.x + threadIdx.x;
    if (F ? v <= n : v < n)
        degree[v] = row[v + 1] - row[v]; // FAULT: memcheck out-of-bounds-read // FAULT: memcheck out-of-bounds-write
}
CASE(vertex_too_many) {
    Graph g;
    Buffer<int> degree(Graph::N);
    LAUNCH(vertex_too_many, 9, 64, g.row, degree, Graph::N);
}

/* Keys of a table are claimed; values are looked up in the same launch. */
KERNEL looked_up(int *key, int *value, int *full, int *out) {
    if (threadIdx.x)
        return;
    const int k = blockIdx.x / 2;
    if (blockIdx.x % 2 == 0) {
        if (!cas(&key[k], 0, k + 1))
            return;
        value[k] = 10 * k + 1; // FAULT: racecheck race-workgroups #looked_up
        __threadfence();
        STORE(&full[k], 1, RELAXED, AGENT);
        return;
    }
    if (F)
        while (LOAD(&key[k], RELAXED, AGENT) == 0)
            ;
    else
        while (LOAD(&full[k], RELAXED, AGENT) == 0)
            ;
    __threadfence();
    out[k] = value[k]; // OTHER: #looked_up
}
CASE(looked_up) {
    Buffer<int> key(64), value(64), full(64), out(64);
    LAUNCH(looked_up, 8, 64, key, value, full, out);
}

/* ---- within a workgroup -------------------------------------------------------------------------- */

/* A product by tiles: the next tile is stored before all have used this one. */
KERNEL product(const float *a, const float *b, float *c, int n) {
    __shared__ float ta[16][16], tb[16][16];
    const int x = threadIdx.x, y = threadIdx.y, i = blockIdx.y * 16 + y, j = blockIdx.x * 16 + x;
    float sum = 0;
    for (int k = 0; k < n; k += 16) {
        ta[y][x] = a[i * n + k + x] + k;
        tb[y][x] = b[(k + y) * n + j] + k; // FAULT: racecheck race-waves #tb
        __syncthreads();
        for (int m = 0; m < 16; m++)
            sum += ta[y][m] * tb[m][x]; // OTHER: #tb
        if (!F)
            __syncthreads();
    }
    c[i * n + j] = sum;
}
CASE(product) {
    Buffer<float> a(32 * 32), b(32 * 32), c(32 * 32);
    LAUNCH(product, dim3(2, 2), dim3(16, 16), a, b, c, 32);
}

/* Two buffers in turn need one barrier a round; here it is missing in odd rounds. */
KERNEL in_turns(const int *in, int *out) {
    __shared__ int part[2][256];
    const int i = threadIdx.x;
    int sum = 0;
    for (int round = 0; round < 6; round++) {
        part[round % 2][i] = in[round * 256 + i]; // FAULT: racecheck race-waves #in_turns
        if (!F || round % 2 == 0)
            __syncthreads();
        sum += part[round % 2][255 - i]; // OTHER: #in_turns
    }
    out[i] = sum;
}
CASE(in_turns) {
    Counting in(6 * 256, 1, 1);
    Buffer<int> out(256);
    LAUNCH(in_turns, 1, 256, in, out);
}

/* The last steps of a sum without a barrier: sound where waves have 64 lanes. */
KERNEL last_steps(const int *in, int *out) {
    __shared__ volatile int part[64];
    const int i = threadIdx.x;
    part[i] = in[i];
    __syncthreads();
    for (int half = 32; half; half /= 2) {
        const int other = i < half ? part[i + half] : 0;
        if (!F)
            __syncthreads();
        if (i < half)
            part[i] = part[i] + other;
        if (!F)
            __syncthreads();
    }
    if (i == 0)
        *out = part[0];
}
CASE(last_steps) {
    Counting in(64, 1, 1);
    Buffer<int> out(1);
    LAUNCH(last_steps, 1, 64, in, out);
}

/* Two waves of 32 lanes do what one of 64 does without a barrier. */
KERNEL assumed_64(const int *in, int *out) {
    __shared__ volatile int part[64];
    const int i = threadIdx.x;
    part[i] = in[i]; // FAULT: racecheck race-waves #assumed @gfx1030,gfx1100,gfx1200
    if (!F)
        __syncthreads();
    out[i] = part[63 - i]; // OTHER: #assumed
}
CASE(assumed_64) {
    Counting in(64, 1, 1);
    Buffer<int> out(64);
    LAUNCH(assumed_64, 1, 64, in, out);
}

/* Each wave has its own part of the LDS, or one that reaches into the next one's. */
KERNEL own_part(int *out) {
    __shared__ int part[257];
    const int i = threadIdx.x, wave = i / warpSize, lane = i % warpSize;
    part[wave * warpSize + lane + (F ? lane == warpSize - 1 : 0)] = i; // FAULT: racecheck race-waves
    __syncthreads();
    out[i] = part[i];
}
CASE(own_part) {
    Buffer<int> out(256);
    LAUNCH(own_part, 1, 256, out);
}

/* The first work item reads the sum that others still add to. */
KERNEL read_too_early(const int *in, int *out) {
    __shared__ int sum;
    if (threadIdx.x == 0)
        sum = 0;
    __syncthreads();
    ADD(&sum, in[threadIdx.x], RELAXED, WORKGROUP); // FAULT: racecheck race-waves #too_early
    if (!F)
        __syncthreads();
    if (threadIdx.x == 0)
        *out = sum; // OTHER: #too_early
}
CASE(read_too_early) {
    Counting in(256, 1, 1);
    Buffer<int> out(1);
    LAUNCH(read_too_early, 1, 256, in, out);
}

/* Who is last is told through LDS, without a barrier. */
KERNEL who_is_last(unsigned *count, int *out) {
    __shared__ unsigned turn;
    if (threadIdx.x == 0)
        turn = atomicAdd(count, 1u) + 1; // FAULT: racecheck race-waves #who_is_last
    if (!F)
        __syncthreads();
    if (turn == gridDim.x) // OTHER: #who_is_last // FAULT: initcheck uninitialized-exec|uninitialized-branch
        out[threadIdx.x] = 1;
}
CASE(who_is_last) {
    Buffer<unsigned> count(1);
    Buffer<int> out(256);
    LAUNCH(who_is_last, 4, 256, count, out);
}

/* A barrier of the workgroup does not order workgroups. */
KERNEL barrier_of_one(int *p, int *out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    p[i] = i + 1; // FAULT: racecheck race-workgroups #barrier_of_one
    __syncthreads();
    out[i] = p[F ? (i + 1) % n : blockIdx.x * blockDim.x + (threadIdx.x + 1) % blockDim.x]; // OTHER: #barrier_of_one
}
CASE(barrier_of_one) {
    Buffer<int> p(512), out(512);
    LAUNCH(barrier_of_one, 4, 128, p, out, 512);
}

/* Counters of one wave alone: all lanes find the same number, and store the same. */
KERNEL lost_counts(int *count) {
    if (F)
        *count += 1; // FAULT: racecheck race-lanes
    else
        atomicAdd(count, 1);
}
CASE(lost_counts) {
    Buffer<int> count(1);
    LAUNCH(lost_counts, 1, 32, count);
}

KERNEL lost_degrees(const int *column, int *degree) {
    const int u = column[threadIdx.x] / 4;
    if (F)
        degree[u] += 1; // FAULT: racecheck race-lanes
    else
        atomicAdd(&degree[u], 1);
}
CASE(lost_degrees) {
    Graph g;
    Buffer<int> degree(Graph::N);
    LAUNCH(lost_degrees, 1, 32, g.column, degree);
}

/* ---- sound in both ways -------------------------------------------------------------------------- */

/* Vertices are marked by many, all in one way. */
KERNEL marked(const int *row, const int *column, int *visited, int *changed) {
    const int v = blockIdx.x * blockDim.x + threadIdx.x;
    for (int e = row[v]; e < row[v + 1]; e++)
        visited[column[e] / 2] = 1;
    *changed = 1;
}
CASE(marked) {
    Graph g;
    Buffer<int> visited(Graph::N), changed(1);
    LAUNCH(marked, 8, 64, g.row, g.column, visited, changed);
}

/* A plain look in front of a minimum, which looks again. */
KERNEL looks_first(const int *row, const int *column, int *dist) {
    const int v = blockIdx.x * blockDim.x + threadIdx.x;
    for (int e = row[v]; e < row[v + 1]; e++)
        if (v < dist[column[e]])
            atomicMin(&dist[column[e]], v);
}
CASE(looks_first) {
    Graph g;
    Counting dist(Graph::N, 600, -1);
    LAUNCH(looks_first, 8, 64, g.row, g.column, dist);
}

/* The greatest float, by compare and swap. */
KERNEL greatest(const int *in, float *most) {
    const float value = (float)in[blockIdx.x * blockDim.x + threadIdx.x];
    int *bits = (int *)most, old = *bits, seen;
    do {
        seen = old;
        if (__int_as_float(seen) >= value)
            break;
        old = atomicCAS(bits, seen, __float_as_int(value));
    } while (old != seen);
}
CASE(greatest) {
    Counting in(512, 1, 1);
    Buffer<float> most(1);
    LAUNCH(greatest, 8, 64, in, most);
}

/* Values and flags in one word of 64 bits. */
KERNEL in_one_word(unsigned long long *word, int *out) {
    if (threadIdx.x)
        return;
    if (blockIdx.x == 0) {
        atomicExch(word, 1ull << 32 | 42);
    } else {
        unsigned long long got;
        while (!((got = LOAD(word, RELAXED, AGENT)) >> 32))
            ;
        out[blockIdx.x] = (int)got;
    }
}
CASE(in_one_word) {
    Buffer<unsigned long long> word(1);
    Buffer<int> out(4);
    LAUNCH(in_one_word, 4, 64, word, out);
}

/* Atomic stores of different values, that atomic loads look at. */
KERNEL stored_atomically(const int *row, const int *column, int *label) {
    const int v = blockIdx.x * blockDim.x + threadIdx.x;
    for (int e = row[v]; e < row[v + 1]; e++)
        if (LOAD(&label[column[e]], RELAXED, AGENT) > v)
            STORE(&label[column[e]], v, RELAXED, AGENT);
}
CASE(stored_atomically) {
    Graph g;
    Counting label(Graph::N, 1000, 1);
    LAUNCH(stored_atomically, 8, 64, g.row, g.column, label);
}

/* Paths are made shorter while others go along them. */
KERNEL shorter(int *root) {
    int v = blockIdx.x * blockDim.x + threadIdx.x, up = LOAD(&root[v], RELAXED, AGENT);
    while (true) {
        const int next = LOAD(&root[up], RELAXED, AGENT);
        if (next == up)
            return;
        STORE(&root[v], next, RELAXED, AGENT);
        v = up;
        up = next;
    }
}
CASE(shorter) {
    Counting root(Graph::N, -1, 1);
    OK(hipMemset(root, 0, sizeof(int)));
    LAUNCH(shorter, 8, 64, root);
}

/* Lanes and workgroups that store to one place by atomic stores, with a fence behind them. */
KERNEL last_one(int *last, int *out) {
    STORE(&last[threadIdx.x / 2], (int)(blockIdx.x + threadIdx.x), RELAXED, AGENT);
    __threadfence();
    out[blockIdx.x * blockDim.x + threadIdx.x] = LOAD(&last[threadIdx.x / 2], RELAXED, AGENT);
}
CASE(last_one) {
    Buffer<int> last(128), out(1024);
    LAUNCH(last_one, 8, 128, last, out);
}
