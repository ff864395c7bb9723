// Lanes of a wave hand values to their neighbours through LDS without a barrier: LDS instructions of a wave happen in their order, for all
// of its lanes. Each item's own addresses differ from access to access, so that nothing but that order is right.
#include "check.h"

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
    return finish();
}
