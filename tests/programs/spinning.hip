// Loops that wait, in the forms that programs give them: long ones, with loads that nothing marks, one lane for all, through calls, with a clock.
// The waves of a workgroup wait for each other, the last one first, or the workgroups of a grid do. All of it has to end, in each tier, however
// few threads there are.
//
//   spinning [part of a name]
#include "check.h"

#include <string>
#include <unistd.h>
#include <vector>

enum { ITEMS = 64, WAVES = 8, GROUPS = 12 };

enum Way {
    LONG,       // some forty instructions a round
    BROADCAST,  // one lane looks, all get to know
    CALLED,     // by a function that is not inlined
    EXCHANGED,  // compare and exchange
    CLOCK,      // a pause by the clock
    SLEEP,      // sleeps, but for the first rounds
    ALL,        // for several flags: from the first on, again and again
    ONE_BY_ONE, // for several, each in turn
    AROUND,     // looks at several in a ring
    LANES,      // each lane for a word of its own
    POINTED,    // an address of which the compiler does not know where it leads
    LIMITED,    // many rounds at most
};
static const char *const names[] = {"long", "broadcast",  "called", "exchanged", "clock",   "sleep",
                                    "all",  "one by one", "around", "lanes",     "pointed", "limited"};

// What a round does beside waiting.
__device__ static inline unsigned work(unsigned x) {
#pragma unroll
    for (int i = 0; i < 10; i++)
        x = (x ^ x >> (i % 5 + 7)) * (0x9e3779b9u + 2 * i);
    return x;
}

template <bool global> __device__ static inline int look(int *flag) {
    if (global)
        return __hip_atomic_load(flag, __ATOMIC_ACQUIRE, __HIP_MEMORY_SCOPE_AGENT);
    return __hip_atomic_load(flag, __ATOMIC_ACQUIRE, __HIP_MEMORY_SCOPE_WORKGROUP); // carries no mark
}
template <bool global> __device__ static inline void tell(int *flag, int value) {
    __hip_atomic_store(flag, value, __ATOMIC_RELEASE, global ? __HIP_MEMORY_SCOPE_AGENT : __HIP_MEMORY_SCOPE_WORKGROUP);
}

__device__ __attribute__((noinline)) int look_called(int *flag) { return look<true>(flag); }

// Waits until flags[0] to flags[count - 1] are set. Returns anything.
template <Way way, bool global> __device__ static unsigned wait_for(int *flags, int count, unsigned x) {
    const int lane = (int)threadIdx.x % ITEMS;
    if (count <= 0)
        return x;
    switch (way) {
    case LONG:
        while (!look<global>(flags))
            x = work(x);
        break;
    case BROADCAST:
        for (int found = 0; !found;) {
            if ((int)threadIdx.x % warpSize == 0) {
                x = work(x);
                found = look<global>(flags);
            }
            found = __shfl(found, 0);
            x += (unsigned)found;
        }
        break;
    case CALLED:
        while (!look_called(flags))
            x = work(x);
        break;
    case EXCHANGED:
        for (int expected = 1;
             !__hip_atomic_compare_exchange_strong(flags, &expected, 1, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
             expected = 1)
            x = work(x);
        break;
    case CLOCK:
        while (!look<global>(flags))
            for (long long start = clock64(); clock64() - start < 200;)
                x++;
        break;
    case SLEEP:
        for (int round = 0; !look<global>(flags); round++) {
            x = work(x);
            if (round > 300)
                __builtin_amdgcn_s_sleep(2);
        }
        break;
    case ALL:
        for (bool all = false; !all;) {
            all = true;
#pragma clang loop unroll(disable)
            for (int i = 0; i < count; i++)
                all &= look<global>(flags + i) != 0;
            x = work(x);
        }
        break;
    case ONE_BY_ONE:
#pragma clang loop unroll(disable)
        for (int i = 0; i < count;) {
            x = work(x);
            if (look<global>(flags + i))
                i++;
        }
        break;
    case AROUND:
        for (int i = 0, seen = 0; seen < 100; i = (i + 1) & 1) {
            const int found = look<global>(flags + (i < count ? i : 0));
            x = work(x);
            seen = found ? seen + 50 : 0;
        }
        break;
    case LANES:
        while (!look<global>(flags + lane))
            x = work(x);
        break;
    case POINTED: {
        int *somewhere = flags;
        asm volatile("" : "+v"(somewhere));
        while (!look<global>(somewhere))
            x = work(x);
        break;
    }
    case LIMITED:
        for (unsigned round = 0; round < 2000000000u && !look<global>(flags); round++)
            x = work(x);
        break;
    }
    return x;
}

enum Flags { IN_LDS, IN_MEMORY }; // of the waves of a workgroup

// Each wave waits for those behind it. `in_step`: behind much that makes all waves of the workgroup one.
template <Way way, Flags place, bool in_step> __global__ void waves(int *memory, int *out, unsigned *anything) {
    __shared__ int flags_of_lds[(WAVES + 1) * ITEMS];
    __shared__ int sums[WAVES * ITEMS];
    const int wave = (int)threadIdx.x / ITEMS, lane = (int)threadIdx.x % ITEMS, step = way == LANES ? ITEMS : 1;
    int *flags = place == IN_LDS ? flags_of_lds : memory + blockIdx.x * (WAVES + 1) * ITEMS;
    if (place == IN_LDS) { // the host has done it in memory, where nothing but loops waits then
        for (int i = (int)threadIdx.x; i < (WAVES + 1) * ITEMS; i += (int)blockDim.x)
            flags[i] = 0;
        __syncthreads();
    }
    if (in_step) {
        sums[threadIdx.x] = 1;
        __syncthreads();
#pragma clang loop unroll(full)
        for (int half = WAVES * ITEMS / 2; half > 0; half /= 2) {
            if ((int)threadIdx.x < half)
                sums[threadIdx.x] += sums[threadIdx.x + half];
            __syncthreads();
        }
    }
    unsigned x = threadIdx.x;
    if (way == LANES || way == BROADCAST || lane == 0) {
        x = wait_for<way, false>(flags + (wave + 1) * step, WAVES - 1 - wave, x);
        if (lane == 0 && wave == 0)
            out[blockIdx.x] = in_step ? sums[0] : WAVES * ITEMS;
        if (way == LANES || lane == 0)
            tell<false>(flags + wave * step + (way == LANES ? lane : 0), 1);
    }
    anything[blockIdx.x * blockDim.x + threadIdx.x] = x;
}

// Each workgroup waits for those behind it.
template <Way way> __global__ void groups(int *flags, int *out, unsigned *anything) {
    const int group = (int)blockIdx.x, lane = (int)threadIdx.x % ITEMS, step = way == LANES ? ITEMS : 1;
    unsigned x = threadIdx.x;
    if (way == LANES || way == BROADCAST || lane == 0) {
        x = wait_for<way, true>(flags + (group + 1) * step, (int)gridDim.x - 1 - group, x);
        if (lane == 0)
            out[group] = group + 1 < (int)gridDim.x ? out[group + 1] + 1 : 1;
        if (way == LANES || lane == 0)
            tell<true>(flags + group * step + (way == LANES ? lane : 0), 1);
    }
    anything[group * blockDim.x + threadIdx.x] = x;
}

// A flag that is looked at by scalar loads behind an invalidation of their cache; so are values of 8 and 16 bytes.
__global__ void scalars(int *flags, int *out) {
    const int group = (int)blockIdx.x;
    if (group + 1 < (int)gridDim.x) {
        [[maybe_unused]] const int *flag = flags + (group + 1) * 16;
        int found;
        do {
#if defined(__gfx906__) || defined(__gfx90a__) || defined(__gfx942__) || defined(__gfx1030__)
            asm volatile("s_dcache_inv\n\ts_load_dword %0, %1, 0x0\n\ts_waitcnt lgkmcnt(0)" : "=s"(found) : "s"(flag) : "memory");
#elif defined(__gfx1200__)
            asm volatile("s_dcache_inv\n\ts_load_b32 %0, %1, 0x0\n\ts_wait_kmcnt 0x0" : "=s"(found) : "s"(flag) : "memory");
#elif defined(__HIP_DEVICE_COMPILE__)
            asm volatile("s_dcache_inv\n\ts_load_b32 %0, %1, 0x0\n\ts_waitcnt lgkmcnt(0)" : "=s"(found) : "s"(flag) : "memory");
#else
            found = 1;
#endif
        } while (!found);
    }
    if (threadIdx.x == 0) {
        out[group] = group + 1 < (int)gridDim.x ? *(volatile int *)&out[group + 1] + 1 : 1;
        tell<true>(flags + group * 16, 1);
    }
}

// Walks that wait for nobody, but might for all that is known: they yield on their way, and have to go on as they were.
enum { COLUMNS = WAVES * ITEMS, LONGEST = 1500, LEVELS = 10 };

struct Node {
    unsigned value;
    int left, right;
};

__host__ __device__ static inline int length(int item) { return item * 37 % LONGEST; }

// Lists of all lengths, side by side. An item follows its own; `left`: 0 at the end.
__global__ void lists(const Node *nodes, unsigned *out) {
    const int item = (int)threadIdx.x;
    unsigned sum = 0;
    int at = length(item) * COLUMNS + item + 1;
    do {
        const Node node = nodes[at];
        sum = (sum ^ node.value) * 0x9e3779b9u;
        at = node.left;
    } while (at);
    out[blockIdx.x * blockDim.x + item] = sum;
}

// A tree, with a stack in LDS: all items go the same way, or each leaves out other parts.
template <bool same> __global__ void trees(const Node *nodes, unsigned *out) {
    __shared__ int stack[LEVELS + 2][COLUMNS / 2];
    const unsigned item = threadIdx.x;
    unsigned sum = 0;
    int depth = 1;
    stack[0][item] = 1;
    while (depth > 0) {
        const Node node = nodes[stack[--depth][item]];
        sum = (sum ^ node.value ^ item) * 0x9e3779b9u;
        if (node.left && (same || (node.value >> item % 13 & 7))) {
            stack[depth++][item] = node.left;
            stack[depth++][item] = node.right;
        }
    }
    out[blockIdx.x * blockDim.x + item] = sum;
}

static unsigned along_list(const std::vector<Node> &nodes, int item) {
    unsigned sum = 0;
    for (int at = length(item) * COLUMNS + item + 1; at; at = nodes[at].left)
        sum = (sum ^ nodes[at].value) * 0x9e3779b9u;
    return sum;
}

static unsigned through_tree(const std::vector<Node> &nodes, unsigned item, bool same) {
    std::vector<int> stack = {1};
    unsigned sum = 0;
    while (!stack.empty()) {
        const Node &node = nodes[stack.back()];
        stack.pop_back();
        sum = (sum ^ node.value ^ item) * 0x9e3779b9u;
        if (node.left && (same || (node.value >> item % 13 & 7))) {
            stack.push_back(node.left);
            stack.push_back(node.right);
        }
    }
    return sum;
}

struct Machine {
    int *flags, *out;
    unsigned *anything;
    const char *part;
};

static bool wanted(const Machine &m, const std::string &name) {
    if (name.find(m.part) == std::string::npos)
        return false;
    if (*m.part) {
        std::printf("%s\n", name.c_str());
        std::fflush(stdout);
    }
    HIP(hipMemset(m.flags, 0, (GROUPS + 1) * (WAVES + 1) * ITEMS * sizeof(int)));
    HIP(hipMemset(m.out, 0, GROUPS * sizeof(int)));
    alarm(60);
    return true;
}

static void expect(const Machine &m, const std::string &name, int groups, int first, int step) {
    std::vector<int> out(GROUPS);
    HIP_FINISH();
    HIP(hipMemcpy(out.data(), m.out, GROUPS * sizeof(int), hipMemcpyDeviceToHost));
    for (int i = 0; i < groups; i++)
        EXPECT(out[i] == first - i * step, "%s: workgroup %d has %d", name.c_str(), i, out[i]);
}

template <Way way, Flags place, bool in_step> static void run_waves(const Machine &m) {
    const std::string name =
        std::string("waves, ") + names[way] + (place == IN_LDS ? ", in LDS" : ", in memory") + (in_step ? ", behind a tree" : "");
    if (!wanted(m, name))
        return;
    waves<way, place, in_step><<<2, WAVES * ITEMS>>>(m.flags, m.out, m.anything);
    expect(m, name, 2, WAVES * ITEMS, 0);
}

template <class F> static void expect_walks(const Machine &m, const std::string &name, int groups, int items, F wanted) {
    std::vector<unsigned> out(groups * items);
    HIP_FINISH();
    HIP(hipMemcpy(out.data(), m.anything, out.size() * sizeof out[0], hipMemcpyDeviceToHost));
    for (int i = 0; i < groups * items; i++)
        EXPECT(out[i] == wanted(i % items), "%s: work item %d has %x", name.c_str(), i, out[i]);
}

static void run_walks(const Machine &m) {
    const int count = (LONGEST + 1) * COLUMNS + 1;
    std::vector<Node> nodes(count);
    Node *there;
    for (int i = 0; i < count; i++)
        nodes[i] = {i * 2654435761u, i > COLUMNS ? i - COLUMNS : 0, 0};
    HIP(hipMalloc((void **)&there, count * sizeof(Node)));
    if (wanted(m, "walks, lists")) {
        HIP(hipMemcpy(there, nodes.data(), count * sizeof(Node), hipMemcpyHostToDevice));
        lists<<<2, COLUMNS>>>(there, m.anything);
        expect_walks(m, "walks, lists", 2, COLUMNS, [&](int item) { return along_list(nodes, item); });
    }
    for (int i = 0; i < 2 << LEVELS; i++)
        nodes[i] = {i * 2654435761u, i < 1 << LEVELS ? 2 * i : 0, 2 * i + 1};
    HIP(hipMemcpy(there, nodes.data(), (2 << LEVELS) * sizeof(Node), hipMemcpyHostToDevice));
    if (wanted(m, "walks, trees")) {
        trees<true><<<4, COLUMNS / 2>>>(there, m.anything);
        expect_walks(m, "walks, trees", 4, COLUMNS / 2, [&](int item) { return through_tree(nodes, (unsigned)item, true); });
    }
    if (wanted(m, "walks, parts of trees")) {
        trees<false><<<4, COLUMNS / 2>>>(there, m.anything);
        expect_walks(m, "walks, parts of trees", 4, COLUMNS / 2, [&](int item) { return through_tree(nodes, (unsigned)item, false); });
    }
    HIP(hipFree(there));
}

template <Way way> static void run_way(const Machine &m) {
    run_waves<way, IN_LDS, false>(m);
    run_waves<way, IN_LDS, true>(m);
    if (way != EXCHANGED)
        run_waves<way, IN_MEMORY, false>(m);
    const std::string name = std::string("workgroups, ") + names[way];
    if (!wanted(m, name))
        return;
    groups<way><<<GROUPS, ITEMS>>>(m.flags, m.out, m.anything);
    expect(m, name, GROUPS, GROUPS, 1);
}

int main(int argc, char **argv) {
    check_name = "spinning";
    Machine m = {};
    m.part = argc > 1 ? argv[1] : "";
    HIP(hipMalloc((void **)&m.flags, (GROUPS + 1) * (WAVES + 1) * ITEMS * sizeof(int)));
    HIP(hipMalloc((void **)&m.out, (GROUPS + 1) * sizeof(int)));
    HIP(hipMalloc((void **)&m.anything, GROUPS * WAVES * ITEMS * sizeof(unsigned)));
    run_way<LONG>(m);
    run_way<BROADCAST>(m);
    run_way<CALLED>(m);
    run_way<EXCHANGED>(m);
    run_way<CLOCK>(m);
    run_way<SLEEP>(m);
    run_way<ALL>(m);
    run_way<ONE_BY_ONE>(m);
    run_way<AROUND>(m);
    run_way<LANES>(m);
    run_way<POINTED>(m);
    run_way<LIMITED>(m);
    if (wanted(m, "scalars")) {
        scalars<<<GROUPS, ITEMS>>>(m.flags, m.out);
        expect(m, "scalars", GROUPS, GROUPS, 1);
    }
    run_walks(m);
    return finish();
}
