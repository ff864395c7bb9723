// Workgroups that are resident at once, by the device's own word, and kernels of different streams and devices wait for each other.
// Everything ends, whichever of them is started first and however few threads there are.
#include "check.h"

#include <algorithm>
#include <thread>
#include <vector>

enum { ITEMS = 64, ROUNDS = 20, MOST = 64 };

__device__ int look(int *flag) { return __hip_atomic_load(flag, __ATOMIC_ACQUIRE, __HIP_MEMORY_SCOPE_SYSTEM); }
__device__ void tell(int *flag, int value) { __hip_atomic_store(flag, value, __ATOMIC_RELEASE, __HIP_MEMORY_SCOPE_SYSTEM); }

// Each workgroup waits for its neighbour; `step` 1: the next one, -1: the one before.
__global__ void chain(int *flags, int *out, int step) {
    const int group = (int)blockIdx.x, from = group + step;
    if (threadIdx.x == 0) {
        if (from >= 0 && from < (int)gridDim.x)
            while (!look(&flags[from])) {
            }
        out[group] = from >= 0 && from < (int)gridDim.x ? out[from] + 1 : 1;
        tell(&flags[group], 1);
    }
}

// The same with sleeps, and in waves that wait for each other at barriers: the flag is looked at between two of them.
__global__ void sleepy_chain(int *flags, int *out) {
    const int group = (int)blockIdx.x;
    while (group + 1 < (int)gridDim.x && !look(&flags[group + 1]))
        __builtin_amdgcn_s_sleep(1);
    if (threadIdx.x == 0) {
        out[group] = group + 1 < (int)gridDim.x ? out[group + 1] + 1 : 1;
        tell(&flags[group], 1);
    }
}

__global__ void chain_of_barriers(int *flags, int *out) {
    __shared__ int seen;
    const int group = (int)blockIdx.x;
    for (;;) {
        if (threadIdx.x == 0)
            seen = group + 1 == (int)gridDim.x ? 1 : look(&flags[group + 1]);
        __syncthreads();
        const int found = seen;
        __syncthreads();
        if (found)
            break;
    }
    if (threadIdx.x == 0) {
        out[group] = group + 1 < (int)gridDim.x ? out[group + 1] + 1 : 1;
        tell(&flags[group], 1);
    }
}

// A tree in LDS, whose waves run as one where that pays, with a value that a later workgroup makes.
__global__ void trees(int *flags, int *out, const int *in) {
    __shared__ int sums[4 * ITEMS];
    const int i = (int)threadIdx.x, group = (int)blockIdx.x;
    sums[i] = in[group * 4 * ITEMS + i];
    __syncthreads();
    for (int half = 2 * ITEMS; half > 0; half /= 2) {
        if (i < half)
            sums[i] += sums[i + half];
        __syncthreads();
    }
    if (i == 0 && group + 1 < (int)gridDim.x) {
        while (!look(&flags[group + 1])) {
        }
        sums[0] += out[group + 1];
    }
    __syncthreads();
    if (i == 0) {
        out[group] = sums[0];
        tell(&flags[group], 1);
    }
}

// All workgroups meet, round after round.
__global__ void meet(int *count, int *wrong) {
    for (int round = 1; round <= ROUNDS; round++) {
        __syncthreads();
        if (threadIdx.x == 0) {
            __hip_atomic_fetch_add(count, 1, __ATOMIC_ACQ_REL, __HIP_MEMORY_SCOPE_AGENT);
            while (look(count) < round * (int)gridDim.x) {
            }
        }
        __syncthreads();
        if (look(count) < round * (int)gridDim.x)
            atomicAdd(wrong, 1);
    }
}

// Each lane waits for a word of its own, which the next workgroup writes.
__global__ void lanes(int *flags, int *out) {
    const int i = (int)(blockIdx.x * blockDim.x + threadIdx.x), next = i + (int)blockDim.x, all = (int)(gridDim.x * blockDim.x);
    int value = 1;
    if (next < all) {
        while ((value = look(&flags[next])) == 0) {
        }
        value++;
    }
    out[i] = value;
    tell(&flags[i], value);
}

// Lanes of all waves take one lock, each for itself. The vote keeps the compiler from moving what has the lock behind the loop, where
// the wave's other lanes would have to have it first.
__global__ void lane_lock(int *lock, int *counter) {
    bool done = false;
    while (__any(!done)) {
        int expected = 0;
        if (!done &&
            __hip_atomic_compare_exchange_strong(lock, &expected, 1, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT)) {
            *(volatile int *)counter = *(volatile int *)counter + 1;
            __hip_atomic_store(lock, 0, __ATOMIC_RELEASE, __HIP_MEMORY_SCOPE_AGENT);
            done = true;
        }
    }
}

// Waves of a workgroup hand a value on in LDS, the last one first; nothing marks such loads.
__global__ void waves(int *out) {
    __shared__ volatile int flags[16];
    const int wave = (int)threadIdx.x / ITEMS, count = (int)blockDim.x / ITEMS;
    if (threadIdx.x < 16)
        flags[threadIdx.x] = 0;
    __syncthreads();
    if (threadIdx.x % ITEMS == 0) {
        if (wave + 1 < count)
            while (flags[wave + 1] == 0) {
            }
        flags[wave] = wave + 1 < count ? flags[wave + 1] + 1 : 1;
    }
    __syncthreads();
    if (threadIdx.x == 0)
        out[blockIdx.x] = flags[0];
}

// One side of a game: waits for its turn, makes the next one the other's.
__global__ void play(int *ball, int side, int rounds) {
    if (threadIdx.x == 0)
        for (int round = 0; round < rounds; round++) {
            while (look(ball) != 2 * round + side) {
            }
            tell(ball, 2 * round + side + 1);
        }
}

// The same, all workgroups of a cooperative launch together, which meet in the word behind the ball: the first one waits, the last one
// passes the ball on.
__global__ void play_together(int *ball, int side, int rounds) {
    if (threadIdx.x == 0)
        for (int round = 0; round < rounds; round++) {
            while (blockIdx.x == 0 && look(ball) != 2 * round + side) {
            }
            __hip_atomic_fetch_add(ball + 1 + side, 1, __ATOMIC_ACQ_REL, __HIP_MEMORY_SCOPE_SYSTEM);
            while (look(ball + 1 + side) < (round + 1) * (int)gridDim.x) {
            }
            if (blockIdx.x + 1 == gridDim.x)
                tell(ball, 2 * round + side + 1);
        }
}

struct Memory {
    int *words;
    size_t count;
    explicit Memory(size_t n) : count(n) {
        HIP(hipMalloc((void **)&words, n * 4));
        HIP(hipMemset(words, 0, n * 4));
        HIP(hipDeviceSynchronize());
    }
    ~Memory() { (void)hipFree(words); }
    std::vector<int> values() const {
        std::vector<int> host(count);
        HIP(hipMemcpy(host.data(), words, count * 4, hipMemcpyDeviceToHost));
        return host;
    }
};

template <class Kernel> static int residents(Kernel kernel, int items) {
    int a_unit, units;
    HIP(hipOccupancyMaxActiveBlocksPerMultiprocessor(&a_unit, kernel, items, 0));
    HIP(hipDeviceGetAttribute(&units, hipDeviceAttributeMultiprocessorCount, 0));
    return std::min(a_unit * units, (int)MOST);
}

static void expect_count_down(const char *what, const Memory &out, int groups, int items) {
    std::vector<int> values = out.values();
    int wrong = 0;
    for (int i = 0; i < groups * items; i++)
        wrong += values[i] != groups - i / items;
    EXPECT(wrong == 0, "%s: %d of %d are wrong", what, wrong, groups * items);
}

static void chains() {
    int groups = residents(chain, ITEMS);
    Memory flags(MOST), out(MOST);
    chain<<<groups, ITEMS>>>(flags.words, out.words, 1);
    HIP_FINISH();
    expect_count_down("chain", out, groups, 1);
    HIP(hipMemset(flags.words, 0, MOST * 4));
    Memory many_flags(4 * MOST), many(4 * MOST);
    chain<<<4 * groups, ITEMS>>>(many_flags.words, many.words, -1); // who waits for earlier ones alone may be one of any number
    HIP_FINISH();
    EXPECT(many.values()[4 * groups - 1] == 4 * groups, "chain: %d instead of %d", many.values()[4 * groups - 1], 4 * groups);
    groups = residents(sleepy_chain, ITEMS);
    sleepy_chain<<<groups, ITEMS>>>(flags.words, out.words);
    HIP_FINISH();
    expect_count_down("sleepy_chain", out, groups, 1);
    HIP(hipMemset(flags.words, 0, MOST * 4));
    groups = residents(chain_of_barriers, 4 * ITEMS);
    chain_of_barriers<<<groups, 4 * ITEMS>>>(flags.words, out.words);
    HIP_FINISH();
    expect_count_down("chain_of_barriers", out, groups, 1);
}

static void test_trees() {
    const int groups = residents(trees, 4 * ITEMS);
    Memory flags(groups), out(groups), in((size_t)groups * 4 * ITEMS);
    std::vector<int> numbers(in.count, 1);
    HIP(hipMemcpy(in.words, numbers.data(), in.count * 4, hipMemcpyHostToDevice));
    for (int repeat = 0; repeat < 3; repeat++) {
        HIP(hipMemset(flags.words, 0, flags.count * 4));
        trees<<<groups, 4 * ITEMS>>>(flags.words, out.words, in.words);
        HIP_FINISH();
        EXPECT(out.values()[0] == groups * 4 * ITEMS, "trees: %d instead of %d", out.values()[0], groups * 4 * ITEMS);
    }
}

static void test_meet() {
    const int groups = residents(meet, 2 * ITEMS);
    Memory count(1), wrong(1);
    meet<<<groups, 2 * ITEMS>>>(count.words, wrong.words);
    HIP_FINISH();
    EXPECT(count.values()[0] == groups * ROUNDS && wrong.values()[0] == 0, "meet: %d of %d, %d wrong", count.values()[0], groups * ROUNDS,
           wrong.values()[0]);
}

static void test_lanes() {
    int groups = residents(lanes, 2 * ITEMS);
    Memory flags((size_t)groups * 2 * ITEMS), out((size_t)groups * 2 * ITEMS);
    lanes<<<groups, 2 * ITEMS>>>(flags.words, out.words);
    HIP_FINISH();
    expect_count_down("lanes", out, groups, 2 * ITEMS);
    Memory lock(1), counter(1);
    lane_lock<<<8, 2 * ITEMS>>>(lock.words, counter.words);
    HIP_FINISH();
    EXPECT(counter.values()[0] == 16 * ITEMS, "lane_lock: %d instead of %d", counter.values()[0], 16 * ITEMS);
    Memory handed(8);
    waves<<<8, 8 * ITEMS>>>(handed.words);
    HIP_FINISH();
    for (int value : handed.values())
        EXPECT(value == 8, "waves: %d instead of 8", value);
}

enum Sides { ALONE, FIRST_TOGETHER, SECOND_TOGETHER, BOTH_TOGETHER }; // who waits first is the first

static void start(bool together, hipStream_t stream, int *ball, int side, int rounds) {
    if (together) {
        void *arguments[] = {&ball, &side, &rounds};
        HIP(hipLaunchCooperativeKernel((void *)play_together, dim3(4), dim3(2 * ITEMS), arguments, 0, stream));
    } else {
        play<<<1, ITEMS, 0, stream>>>(ball, side, rounds);
        HIP(hipGetLastError());
    }
}

// Games on streams of the devices; the ball is where all reach it.
static void games(int count, int devices, int rounds, Sides sides) {
    int *balls;
    HIP(hipHostMalloc((void **)&balls, 4 * count * sizeof *balls, hipHostMallocCoherent | hipHostMallocPortable));
    std::fill(balls, balls + 4 * count, 0);
    std::vector<hipStream_t> streams(2 * count);
    for (int i = 0; i < 2 * count; i++) {
        HIP(hipSetDevice(i % devices));
        HIP(hipStreamCreate(&streams[i]));
        start((i % 2 ? SECOND_TOGETHER : FIRST_TOGETHER) & sides, streams[i], &balls[i / 2 * 4], 1 - i % 2,
              rounds); // who waits first is started first
    }
    for (int i = 0; i < 2 * count; i++) {
        HIP(hipStreamSynchronize(streams[i]));
        HIP(hipStreamDestroy(streams[i]));
    }
    for (int i = 0; i < count; i++)
        EXPECT(balls[4 * i] == 2 * rounds, "a game of %d ended at %d of %d", count, balls[4 * i], 2 * rounds);
    HIP(hipSetDevice(0));
    HIP(hipHostFree(balls));
}

// The host plays one side; what other streams do meanwhile is done.
static void host_game() {
    volatile int *ball;
    HIP(hipHostMalloc((void **)&ball, sizeof *ball, hipHostMallocCoherent));
    *ball = 0;
    hipStream_t waits, works;
    HIP(hipStreamCreate(&waits));
    HIP(hipStreamCreate(&works));
    Memory flags(MOST), out(MOST);
    play<<<1, ITEMS, 0, waits>>>((int *)ball, 1, ROUNDS);
    HIP(hipGetLastError());
    for (int round = 0; round < ROUNDS; round++) {
        HIP(hipMemsetAsync(flags.words, 0, MOST * 4, works));
        chain<<<8, ITEMS, 0, works>>>(flags.words, out.words, 1);
        HIP(hipStreamSynchronize(works));
        EXPECT(hipStreamQuery(waits) == hipErrorNotReady, "a kernel did not wait");
        *ball = 2 * round + 1;
        while (*ball != 2 * round + 2)
            std::this_thread::yield();
    }
    HIP(hipStreamSynchronize(waits));
    HIP(hipStreamDestroy(waits));
    HIP(hipStreamDestroy(works));
    HIP(hipHostFree((void *)ball));
}

int main(int argc, char **argv) {
    check_name = "progress";
    const size_t repeats = argument(argc, argv, 1, 1);
    int devices;
    HIP(hipGetDeviceCount(&devices));
    for (size_t repeat = 0; repeat < repeats; repeat++) {
        chains();
        test_trees();
        test_meet();
        test_lanes();
        games(1, 1, 50, ALONE);
        games(4, 1, 10, ALONE);
        games(2, devices, 50, ALONE);
        for (Sides sides : {FIRST_TOGETHER, SECOND_TOGETHER, BOTH_TOGETHER}) {
            games(1, 1, 10, sides);
            games(2, devices, 10, sides);
        }
        host_game();
    }
    return finish();
}
