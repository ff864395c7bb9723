// Lanes of a wave hand values to their neighbours through LDS without a barrier: LDS instructions of a wave happen in their order, for all
// of its lanes. Each item's own addresses differ from access to access, so that nothing but that order is right.
#include "check.h"

#include <cstring>

enum { GROUPS = 4, ITEMS = 256 };

static __device__ void in_order() { // of the wave: no instruction, and nothing moves past it
    __builtin_amdgcn_fence(__ATOMIC_ACQ_REL, "wavefront");
    __builtin_amdgcn_wave_barrier();
}

struct seen {
    int next, own, far, sum;
};

__global__ void hand_over(const int *in, seen *out) {
    __shared__ int lds[ITEMS + 64];
    int i = threadIdx.x, value = in[i], wave = i / warpSize;
    int *place = lds + i + wave; // waves have a word between them, which the last item of each writes alone
    seen s;
    place[0] = value;
    in_order();
    place[1] += 0; // the neighbour's, except at the end of a wave
    in_order();
    s.next = place[1];
    in_order();
    place[1] = 10 * value;
    in_order();
    s.own = place[0]; // what the neighbour before has written
    in_order();
    place[0] = value + 7;
    in_order();
    s.far = place[1];
    s.sum = 0;
    for (int k = 0; k < 8; k++) { // in a loop
        place[0] = value + k;
        in_order();
        s.sum += place[1];
        in_order();
    }
    out[blockIdx.x * ITEMS + i] = s;
}

/* The items that take part load from LOAD words behind their own place, or before it, and store STORE words behind it; DOWN: places
 * of higher lanes are lower. All of a wave's loads come before its stores. */
enum { MARGIN = 32, PLACES = ITEMS * 3 };
template <int LOAD, int STORE, bool DOWN> __global__ void shift(const int *in, const int *takes_part, int *loaded, int *left) {
    __shared__ int lds[PLACES];
    int i = threadIdx.x, wave = i / warpSize, lane = i % warpSize;
    int *place = lds + MARGIN + wave * (warpSize + 2 * MARGIN) + (DOWN ? warpSize - 1 - lane : lane);
    for (int n = i; n < PLACES; n += ITEMS)
        lds[n] = 3 * n;
    __syncthreads();
    int value = in[i];
#ifdef __HIP_DEVICE_COMPILE__
    asm volatile("" : "+v"(value)); // loaded here, so that nothing but LDS is touched between the two
#endif
    if (takes_part[i]) {
        int old = place[LOAD];
        in_order();
        place[STORE] = old + value;
        in_order();
        loaded[i] = old;
    }
    __syncthreads();
    for (int n = i; n < PLACES; n += ITEMS)
        left[n] = lds[n];
}

template <int LOAD, int STORE, bool DOWN> static void check_shift(const int *host, const int *in, int size) {
    static int takes_part[ITEMS], old[ITEMS], loaded[ITEMS], left[PLACES], expected[PLACES];
    static int *parts, *loaded_there, *left_there;
    if (!parts) {
        HIP(hipMalloc((void **)&parts, sizeof takes_part));
        HIP(hipMalloc((void **)&loaded_there, sizeof loaded));
        HIP(hipMalloc((void **)&left_there, sizeof left));
    }
    for (int few = 0; few < 3; few++) { /* all items, many, few */
        for (int i = 0; i < ITEMS; i++)
            takes_part[i] = few == 0 || (i * 7 % 16 < (few == 1 ? 13 : 3));
        HIP(hipMemcpy(parts, takes_part, sizeof takes_part, hipMemcpyHostToDevice));
        shift<LOAD, STORE, DOWN><<<1, ITEMS>>>(in, parts, loaded_there, left_there);
        HIP_FINISH();
        HIP(hipMemcpy(loaded, loaded_there, sizeof loaded, hipMemcpyDeviceToHost));
        HIP(hipMemcpy(left, left_there, sizeof left, hipMemcpyDeviceToHost));
        for (int n = 0; n < PLACES; n++)
            expected[n] = 3 * n;
        for (int twice = 0; twice < 2; twice++)
            for (int i = 0; i < ITEMS; i++) {
                int lane = i % size, place = MARGIN + i / size * (size + 2 * MARGIN) + (DOWN ? size - 1 - lane : lane);
                if (!takes_part[i])
                    continue;
                if (twice)
                    expected[place + STORE] = old[i] + host[i];
                else
                    old[i] = expected[place + LOAD];
            }
        for (int i = 0; i < ITEMS; i++)
            EXPECT(!takes_part[i] || loaded[i] == old[i], "%d %d %d: item %d loads %d, not %d", LOAD, STORE, DOWN, i, loaded[i], old[i]);
        for (int n = 0; n < PLACES; n++)
            EXPECT(left[n] == expected[n], "%d %d %d: place %d holds %d, not %d", LOAD, STORE, DOWN, n, left[n], expected[n]);
    }
}

static void check_shifts(const int *host, const int *in, int size) {
    check_shift<0, 0, false>(host, in, size);
    check_shift<1, 0, false>(host, in, size);
    check_shift<4, 0, false>(host, in, size);
    check_shift<16, 0, false>(host, in, size);
    check_shift<-1, 0, false>(host, in, size);
    check_shift<-16, 0, false>(host, in, size);
    check_shift<0, 1, false>(host, in, size);
    check_shift<1, 2, false>(host, in, size);
    check_shift<0, 16, false>(host, in, size);
    check_shift<1, 0, true>(host, in, size);
    check_shift<-1, 0, true>(host, in, size);
    check_shift<16, 0, true>(host, in, size);
}

// Of several lanes of an instruction that store to one place, the highest wins: by indices of both kinds.
__global__ void meet(const unsigned *index, int *to, int *to_signed) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    to[index[i]] = (int)i;
    to_signed[(int)index[i] - 9] = (int)i * 3;
}

static void test_meet() {
    enum { SPOTS = 40, WAVES = 8, MOST = WAVES * 64 };
    unsigned index[MOST], state = 9;
    int size = 0, wanted[SPOTS], seen[2][SPOTS], *to;
    HIP(hipDeviceGetAttribute(&size, hipDeviceAttributeWarpSize, 0));
    for (int i = 0; i < WAVES * size; i++) { // each wave has places of its own: their order is nobody's
        index[i] = (unsigned)(i / size * (SPOTS / WAVES)) + ((state = state * 1664525u + 1013904223u) >> 16) % (SPOTS / WAVES);
        wanted[index[i]] = i;
    }
    unsigned *indices;
    HIP(hipMalloc((void **)&indices, sizeof index));
    HIP(hipMalloc((void **)&to, sizeof seen));
    HIP(hipMemcpy(indices, index, sizeof index, hipMemcpyHostToDevice));
    meet<<<WAVES, size>>>(indices, to, to + SPOTS + 9);
    HIP_FINISH();
    HIP(hipMemcpy(seen, to, sizeof seen, hipMemcpyDeviceToHost));
    hipDeviceProp_t properties;
    HIP(hipGetDeviceProperties(&properties, 0));
    for (int i = 0; i < SPOTS; i++)
        for (int kind = 0; kind < 2; kind++) {
            int by = kind ? seen[kind][i] / 3 : seen[kind][i];
            EXPECT(by >= 0 && by < WAVES * size && (int)index[by] == i, "place %d: %d", i, seen[kind][i]);
            EXPECT(!properties.isLargeBar || by == wanted[i], "place %d: %d, not that of item %d", i, seen[kind][i], wanted[i]);
        }
}

// Counters in LDS that are loaded, added to and stored: by SHARE lanes together, of which each adds to what all of them have loaded. Rows are
// chosen by data; what is loaded is kept, and what a row holds in another place is loaded in between.
template <int SHARE> __global__ void count(const int *in, int *counts, int *seen) {
    __shared__ int counters[ITEMS * 16 / SHARE];
    int i = threadIdx.x, column = i / SHARE, columns = ITEMS / SHARE, sum = 0;
    for (int n = i; n < ITEMS * 16 / SHARE; n += ITEMS)
        counters[n] = n;
    __syncthreads();
    for (int round = 0; round < 4; round++) {
        int row = in[i] >> (4 * round) & 15, other = in[i] >> (4 * round + 2) & 15;
        if (SHARE > 1)
            row = in[i / SHARE * SHARE] >> (4 * round) & 15;
        int old = counters[row * columns + column];
        counters[row * columns + column] = old + 3;
        in_order();
        sum = sum * 5 + old + counters[other * columns + column];
        in_order();
        counters[other * columns + column]++;
        in_order();
    }
    __syncthreads();
    seen[i] = sum;
    for (int n = i; n < ITEMS * 16 / SHARE; n += ITEMS)
        counts[n] = counters[n];
}

template <int SHARE> static void test_count(const int *in) {
    static int expected[ITEMS * 16], counts[ITEMS * 16], sums[ITEMS], seen[ITEMS], *dcounts, *dseen, *din;
    const int columns = ITEMS / SHARE;
    if (!dcounts) {
        HIP(hipMalloc((void **)&dcounts, sizeof counts));
        HIP(hipMalloc((void **)&dseen, sizeof seen));
        HIP(hipMalloc((void **)&din, sizeof seen));
    }
    HIP(hipMemcpy(din, in, sizeof seen, hipMemcpyHostToDevice));
    count<SHARE><<<1, ITEMS>>>(din, dcounts, dseen);
    HIP_FINISH();
    HIP(hipMemcpy(counts, dcounts, sizeof counts, hipMemcpyDeviceToHost));
    HIP(hipMemcpy(seen, dseen, sizeof seen, hipMemcpyDeviceToHost));
    for (int n = 0; n < columns * 16; n++)
        expected[n] = n;
    std::memset(sums, 0, sizeof sums);
    for (int first = 0; first < ITEMS; first += SHARE) // the lanes of a column: each step of all before the next
        for (int round = 0; round < 4; round++) {
            int row = in[first] >> (4 * round) & 15, *own = &expected[row * columns + first / SHARE], old = *own, from[SHARE];
            *own = old + 3;
            for (int lane = 0; lane < SHARE; lane++) {
                from[lane] = expected[(in[first + lane] >> (4 * round + 2) & 15) * columns + first / SHARE];
                sums[first + lane] = sums[first + lane] * 5 + old + from[lane];
            }
            for (int lane = 0; lane < SHARE; lane++)
                expected[(in[first + lane] >> (4 * round + 2) & 15) * columns + first / SHARE] = from[lane] + 1;
        }
    for (int i = 0; i < ITEMS; i++)
        EXPECT(seen[i] == sums[i], "%d lanes a column: item %d has %d, not %d", SHARE, i, seen[i], sums[i]);
    for (int n = 0; n < columns * 16; n++)
        EXPECT(counts[n] == expected[n], "%d lanes a column: counter %d is %d, not %d", SHARE, n, counts[n], expected[n]);
}

static void test_counts() {
    int in[ITEMS];
    unsigned state = 77;
    for (int &x : in)
        x = (int)((state = state * 1664525u + 1013904223u) >> 8);
    test_count<1>(in);
    test_count<2>(in);
    test_count<8>(in);
    for (int &x : in) // one row for all
        x = 0x33333;
    test_count<1>(in);
    test_count<4>(in);
}

int main() {
    check_name = "lds_order";
    int host[ITEMS], *in, size = 0;
    static seen seen_of[GROUPS * ITEMS];
    seen *out;
    for (int i = 0; i < ITEMS; i++)
        host[i] = 1000 * i + 3;
    HIP(hipDeviceGetAttribute(&size, hipDeviceAttributeWarpSize, 0));
    HIP(hipMalloc((void **)&in, sizeof host));
    HIP(hipMalloc((void **)&out, sizeof seen_of));
    HIP(hipMemcpy(in, host, sizeof host, hipMemcpyHostToDevice));
    check_shifts(host, in, size);
    hand_over<<<GROUPS, ITEMS>>>(in, out);
    HIP_FINISH();
    HIP(hipMemcpy(seen_of, out, sizeof seen_of, hipMemcpyDeviceToHost));
    for (int n = 0; n < GROUPS * ITEMS; n++) {
        int i = n % ITEMS, lane = i % size;
        const seen &s = seen_of[n];
        bool last = lane == size - 1, first = lane == 0;
        EXPECT(last || s.next == host[i + 1], "item %d: its neighbour's value is %d", n, s.next);
        EXPECT(s.own == (first ? host[i] : 10 * host[i - 1]), "item %d: its own place holds %d", n, s.own);
        EXPECT(last || s.far == host[i + 1] + 7, "item %d: its neighbour's second value is %d", n, s.far);
        EXPECT(last || s.sum == 8 * host[i + 1] + 28, "item %d: the sum is %d", n, s.sum);
    }
    test_meet();
    test_counts();
    return finish();
}
