// gfx12's named barriers, and the workgroup's own one in two halves beside them: waves of one workgroup hand rows to each other.
//     named_barriers
#include "../../examples/check.h"

#include <hip/hip_runtime.h>

#define WAVE   32
#define WAVES  8
#define ITEMS  (WAVE * WAVES)
#define ROUNDS 7

enum { FULL = 1, EMPTY = 2, LAST = 16 };

#define FENCE() __builtin_amdgcn_fence(__ATOMIC_ACQ_REL, "workgroup")
// s_barrier_init m0, s_barrier_join ID and s_barrier_leave (below) as words: newer assemblers know them for gfx1250 alone.
#define INIT(ID, MEMBERS)                                                                                                                  \
    asm volatile("s_mov_b32 m0, %0\n\t.long 0xbe80517d" : : "s"((MEMBERS) << 16 | (ID)) : "memory") /* nothing else here uses M0 */
#define JOIN(ID)   asm volatile(".long 0xbe805280 + %0" : : "n"(ID) : "memory")
#define SIGNAL(ID) asm volatile("s_barrier_signal %0" : : "n"(ID) : "memory")
#define WAIT(ID)   asm volatile("s_barrier_wait %0" : : "n"(ID) : "memory")

__device__ int wave_number() { return __builtin_amdgcn_readfirstlane(threadIdx.x / WAVE); }

__device__ unsigned state_of_full() {
    unsigned state;
    asm volatile("s_get_barrier_state %0, %1\n\ts_wait_kmcnt 0x0" : "=s"(state) : "n"(FULL) : "memory");
    return state;
}

__device__ int is_first() {
    int first;
    asm volatile("s_barrier_signal_isfirst -1\n\ts_wait_kmcnt 0x0\n\ts_cselect_b32 %0, 1, 0" : "=s"(first) : : "memory", "scc");
    return first;
}

// The first half of the waves makes rows, which the other half adds up. Nobody signals a barrier that he waits for.
__global__ void hand_over(int *out) {
    __shared__ int rows[ITEMS / 2];
    const int wave = wave_number(), item = threadIdx.x % (ITEMS / 2);
    if (wave == 0) {
        INIT(FULL, WAVES / 2);
        INIT(EMPTY, WAVES / 2);
    }
    __syncthreads();
    if (wave < WAVES / 2) {
        JOIN(EMPTY);
        for (int round = 0; round < ROUNDS; round++) {
            rows[item] = (round + 1) * (item + 3 * (int)blockIdx.x);
            FENCE();
            SIGNAL(FULL);
            WAIT(1);
            FENCE();
        }
    } else {
        int sum = 0;
        JOIN(FULL);
        for (int round = 0; round < ROUNDS; round++) {
            WAIT(1);
            FENCE();
            sum += rows[ITEMS / 2 - 1 - item];
            FENCE();
            SIGNAL(EMPTY);
        }
        out[blockIdx.x * (ITEMS / 2) + item] = sum;
    }
}

// Members that M0 gives with a signal; members that leave; a barrier's state.
__global__ void members(unsigned *out) {
    const int wave = wave_number();
    if (wave == 0)
        INIT(FULL, WAVES);
    __syncthreads();
    const unsigned before = state_of_full();
    __syncthreads();
    if (wave >= 2) {
        int none_left;
        JOIN(FULL);
        asm volatile(".long 0xbf950000\n\ts_wait_kmcnt 0x0\n\ts_cselect_b32 %0, 1, 0" : "=s"(none_left) : : "memory", "scc");
        out[16 + threadIdx.x / WAVE] = (unsigned)none_left;
    }
    __syncthreads();
    const unsigned between = state_of_full();
    __syncthreads();
    if (wave < 2) {
        JOIN(FULL);
        SIGNAL(FULL);
        WAIT(1);
    }
    __syncthreads();
    if (wave < 3) { /* three of them now */
        JOIN(FULL);
        asm volatile("s_mov_b32 m0, %0\n\ts_barrier_signal m0" : : "s"(3 << 16 | FULL) : "memory");
        WAIT(1);
    }
    __syncthreads();
    WAIT(0); /* nothing */
    if (threadIdx.x == 0) {
        out[0] = before;
        out[1] = between;
        out[2] = state_of_full();
    }
}

// The first wave signals the workgroup's barrier long before it waits there: meanwhile it waits for a wave that has passed that barrier.
__global__ void early(int *out) {
    __shared__ int first[ROUNDS];
    const int wave = wave_number();
    int before = 0;
    if (threadIdx.x < ROUNDS)
        first[threadIdx.x] = 0;
    if (wave == 0)
        INIT(LAST, 1);
    JOIN(LAST);
    __syncthreads();
    for (int round = 0; round < ROUNDS; round++) {
        if (is_first() && threadIdx.x % WAVE == 0)
            atomicAdd(&first[round], 1);
        if (wave == 0) {
            WAIT(1);
            before++;
        }
        WAIT(-1);
        if (wave == 5)
            SIGNAL(LAST);
        __syncthreads();
    }
    FENCE();
    if (threadIdx.x < ROUNDS)
        out[threadIdx.x] = first[threadIdx.x];
    if (threadIdx.x == 0)
        out[ROUNDS] = before;
}

int main() {
    enum { GROUPS = 5, HALF = ITEMS / 2 };
    int *sums;
    HIP(hipMallocManaged(&sums, GROUPS * HALF * sizeof *sums));
    hand_over<<<GROUPS, ITEMS>>>(sums);
    HIP(hipDeviceSynchronize());
    for (int i = 0; i < GROUPS * HALF; i++) {
        const int want = ROUNDS * (ROUNDS + 1) / 2 * (HALF - 1 - i % HALF + 3 * (i / HALF));
        if (sums[i] != want)
            return std::printf("FAIL named_barriers: item %d has %d, expected %d\n", i, sums[i], want), 1;
    }
    unsigned *states;
    HIP(hipMallocManaged(&states, 32 * sizeof *states));
    members<<<1, ITEMS>>>(states);
    HIP(hipDeviceSynchronize());
    if (states[0] != (1 | WAVES << 4) || states[1] != (1 | 2 << 4) || states[2] != (1 | 3 << 4))
        return std::printf("FAIL named_barriers: states %x, %x, %x\n", states[0], states[1], states[2]), 1;
    for (int wave = 2; wave < WAVES; wave++)
        if (states[16 + wave])
            return std::printf("FAIL named_barriers: wave %d left none\n", wave), 1;
    early<<<1, ITEMS>>>(sums);
    HIP(hipDeviceSynchronize());
    for (int round = 0; round < ROUNDS; round++)
        if (sums[round] != 1)
            return std::printf("FAIL named_barriers: round %d has %d first waves\n", round, sums[round]), 1;
    if (sums[ROUNDS] != ROUNDS)
        return std::printf("FAIL named_barriers: %d rounds\n", sums[ROUNDS]), 1;
    std::puts("PASS named_barriers");
    return 0;
}
