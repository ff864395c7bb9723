// Lanes go through a buffer whose end some of them pass and start over, in LDS and in global memory, all of them or some; lanes store to one place;
// both arms of a condition begin with the same work.
#include "check.h"

enum { PLACES = 200, ITEMS = 128, ROUNDS = 450 };

template <typename T> static __host__ __device__ T value_of(unsigned item, unsigned round) { return (T)item * 2654435761u + round; }

// In each round the items below `some` add to the places from `at` on.
template <typename T> __global__ void in_lds(T *out, unsigned step, const unsigned *some) {
    __shared__ T ring[PLACES];
    for (unsigned i = threadIdx.x; i < PLACES; i += ITEMS)
        ring[i] = i;
    __syncthreads();
    unsigned at = 0;
    for (unsigned round = 0; round < ROUNDS; round++) {
        unsigned place = at + threadIdx.x;
        place = place < PLACES ? place : place - PLACES;
        if (threadIdx.x < some[round])
            ring[place] += value_of<T>(threadIdx.x, round);
        __syncthreads();
        at += step;
        at = at < PLACES ? at : at - PLACES;
    }
    for (unsigned i = threadIdx.x; i < PLACES; i += ITEMS)
        out[i] = ring[i];
}

template <typename T> __global__ void in_memory(T *out, unsigned step) {
    unsigned at = 0;
    for (unsigned i = threadIdx.x; i < PLACES; i += ITEMS)
        out[i] = i;
    __syncthreads();
    for (unsigned round = 0; round < ROUNDS; round++) {
        int place = (int)(at + threadIdx.x);
        place -= place >= PLACES ? PLACES : 0;
        out[place] += value_of<T>(threadIdx.x, round);
        __syncthreads();
        at += step;
        at -= at < PLACES ? 0 : PLACES;
    }
}

template <typename T> static void check_ring(bool lds, unsigned step, bool all) {
    static T got[PLACES], want[PLACES];
    static unsigned some[ROUNDS];
    unsigned *limits, at = 0;
    T *there;
    for (unsigned round = 0; round < ROUNDS; round++)
        some[round] = all ? ITEMS : round * 7 % (ITEMS + 1);
    HIP(hipMalloc((void **)&there, sizeof got));
    HIP(hipMalloc((void **)&limits, sizeof some));
    HIP(hipMemcpy(limits, some, sizeof some, hipMemcpyHostToDevice));
    if (lds)
        in_lds<T><<<1, ITEMS>>>(there, step, limits);
    else
        in_memory<T><<<1, ITEMS>>>(there, step);
    HIP_FINISH();
    HIP(hipMemcpy(got, there, sizeof got, hipMemcpyDeviceToHost));
    for (unsigned i = 0; i < PLACES; i++)
        want[i] = i;
    for (unsigned round = 0; round < ROUNDS; round++, at = (at + step) % PLACES)
        for (unsigned i = 0; i < some[round]; i++)
            want[(at + i) % PLACES] += value_of<T>(i, round);
    for (unsigned i = 0; i < PLACES; i++)
        EXPECT(got[i] == want[i], "%zu bytes, lds %d, step %u, all %d: place %u", sizeof(T), lds, step, all, i);
    HIP(hipFree(there));
    HIP(hipFree(limits));
}

// The first item steps a number that all others read; both ways count the rounds.
__global__ void one_steps(unsigned *out, unsigned rounds) {
    __shared__ unsigned ring[PLACES];
    unsigned at = 0, sum = 0;
    for (unsigned i = threadIdx.x; i < PLACES; i += ITEMS)
        ring[i] = i * i;
    __syncthreads();
    for (unsigned round = 0; round < rounds; round++) {
        if (threadIdx.x == 0)
            ring[at] = ring[at + 1 < PLACES ? at + 1 : at + 1 - PLACES] * 3 + ring[at];
        __syncthreads();
        at = at + 1 < PLACES ? at + 1 : at + 1 - PLACES;
        unsigned place = at + threadIdx.x;
        place = place < PLACES ? place : place - PLACES;
        sum += ring[place];
        __syncthreads();
    }
    out[threadIdx.x] = sum;
}

static void test_one_steps() {
    static unsigned got[ITEMS], want[ITEMS], ring[PLACES];
    unsigned *there;
    HIP(hipMalloc((void **)&there, sizeof got));
    one_steps<<<1, ITEMS>>>(there, ROUNDS);
    HIP_FINISH();
    HIP(hipMemcpy(got, there, sizeof got, hipMemcpyDeviceToHost));
    for (unsigned i = 0; i < PLACES; i++)
        ring[i] = i * i;
    for (unsigned &sum : want)
        sum = 0;
    for (unsigned round = 0, at = 0; round < ROUNDS; round++) {
        ring[at] = ring[(at + 1) % PLACES] * 3 + ring[at];
        at = (at + 1) % PLACES;
        for (unsigned i = 0; i < ITEMS; i++)
            want[i] += ring[(at + i) % PLACES];
    }
    for (unsigned i = 0; i < ITEMS; i++)
        EXPECT(got[i] == want[i], "item %u: %u, not %u", i, got[i], want[i]);
    HIP(hipFree(there));
}

// Of the lanes of a wave that store to one place, the highest active one wins.
__global__ void meet(unsigned *out, const unsigned long long *active, unsigned rounds) {
    __shared__ unsigned places[8];
    for (unsigned round = 0; round < rounds; round++) {
        volatile unsigned *place = places + round % 8;
        if (threadIdx.x == 0)
            *place = 999;
        if (active[round] >> threadIdx.x & 1)
            *place = threadIdx.x + 1000 * round;
        if (threadIdx.x == 0)
            out[round] = *place;
    }
}

static void test_meet() {
    enum { MASKS = 200 };
    static unsigned long long active[MASKS], *masks;
    static unsigned got[MASKS], *there;
    unsigned long long state = 77;
    int size = 0;
    HIP(hipDeviceGetAttribute(&size, hipDeviceAttributeWarpSize, 0));
    for (int i = 0; i < MASKS; i++) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        active[i] = i == 0 ? ~0ull : i % 3 ? state >> (i % 64) : state & state >> 7 & state << 11;
    }
    HIP(hipMalloc((void **)&masks, sizeof active));
    HIP(hipMalloc((void **)&there, sizeof got));
    HIP(hipMemcpy(masks, active, sizeof active, hipMemcpyHostToDevice));
    meet<<<1, size>>>(there, masks, MASKS);
    HIP_FINISH();
    HIP(hipMemcpy(got, there, sizeof got, hipMemcpyDeviceToHost));
    for (unsigned i = 0; i < MASKS; i++) {
        const unsigned long long mask = size == 64 ? active[i] : active[i] & 0xffffffff;
        const unsigned want = mask ? 63 - (unsigned)__builtin_clzll(mask) + 1000 * i : 999;
        EXPECT(got[i] == want, "mask %u: %u, not %u", i, got[i], want);
    }
    HIP(hipFree(masks));
    HIP(hipFree(there));
}

int main() {
    check_name = "ring";
    for (int turn = 0; turn < 3; turn++) { /* the first ones may run as threaded code */
        for (unsigned step : {1u, 37u, 64u}) {
            check_ring<unsigned>(true, step, true);
            check_ring<unsigned>(true, step, false);
            check_ring<unsigned long long>(true, step, true);
            check_ring<unsigned long long>(true, step, false);
            check_ring<unsigned>(false, step, true);
            check_ring<unsigned long long>(false, step, true);
        }
        test_one_steps();
        test_meet();
    }
    return finish();
}
