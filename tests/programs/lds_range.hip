// Indices behind a workgroup's LDS, in front of it (which is far behind it, as addresses have no sign) and in both halves of a wave:
// reads give 0, stores are dropped, atomics return 0 and change nothing. What lies within is as ever. Kernels that look at a
// neighbour first and ask whether there is one afterwards are right on the hardware. Through flat addresses the same holds behind LDS.
#include "check.h"

enum { GROUPS = 8, ITEMS = 256, FAR = 20000 /* ints: behind 64 KiB */ };

struct seen {
    int before, far, wild, after_store, old, back;
};

__global__ void touch(const int *index, seen *out) {
    __shared__ int lds[ITEMS];
    int i = threadIdx.x, at = index[i];
    lds[i] = 1000 + i;
    __syncthreads();
    seen s;
    s.before = lds[i + index[ITEMS]]; // index[ITEMS] is -1: of item 0 the address is -4
    s.far = lds[i + index[ITEMS + 1]];
    s.wild = lds[at]; // some within, some far away
    __syncthreads();
    lds[at] = 5000 + i; // the items have numbers of their own
    __syncthreads();
    s.after_store = lds[at];
    s.old = atomicAdd(&lds[at], 3);
    atomicAdd(&lds[at], 20); // of which nobody wants the old value
    __syncthreads();
    s.back = lds[at];
    out[blockIdx.x * ITEMS + i] = s;
}

// Which memory it is, is known at run time: flat instructions.
__global__ void touch_flat(const int *index, int *elsewhere, seen *out) {
    __shared__ int lds[ITEMS];
    int i = threadIdx.x, at = index[i], *place = index[ITEMS] ? lds : elsewhere;
    lds[i] = 1000 + i;
    __syncthreads();
    seen s;
    s.before = place[i];
    s.far = place[i + index[ITEMS + 1]];
    s.wild = place[at];
    __syncthreads();
    place[at] = 5000 + i;
    __syncthreads();
    s.after_store = place[at];
    s.old = atomicAdd(&place[at], 3);
    atomicAdd(&place[at], 20);
    __syncthreads();
    s.back = place[at];
    out[blockIdx.x * ITEMS + i] = s;
}

// Some lanes alone, whose places follow each other but are known from memory alone. Lanes before the first of them would lie in front of
// the LDS, or it does so itself.
__global__ void touch_some(const int *index, int first, int holes, int *out) {
    __shared__ int lds[ITEMS];
    int i = threadIdx.x, at = index[i], got = -1;
    lds[i] = 1000 + i;
    __syncthreads();
    if (i >= first && (i & holes) == 0)
        got = lds[at];
    __syncthreads();
    if (i >= first && (i & holes) == 0)
        lds[at] = 5000 + i;
    __syncthreads();
    out[2 * (blockIdx.x * ITEMS + i)] = got;
    out[2 * (blockIdx.x * ITEMS + i) + 1] = lds[i];
}

static int host[ITEMS + 2], *indices, some[2 * GROUPS * ITEMS];
static seen seen_of[GROUPS * ITEMS], *out;

static void check(bool flat) {
    HIP(hipMemcpy(indices, host, sizeof host, hipMemcpyHostToDevice));
    if (flat)
        touch_flat<<<GROUPS, ITEMS>>>(indices, indices, out);
    else
        touch<<<GROUPS, ITEMS>>>(indices, out);
    HIP_FINISH();
    HIP(hipMemcpy(seen_of, out, sizeof seen_of, hipMemcpyDeviceToHost));
    for (int n = 0; n < GROUPS * ITEMS; n++) {
        int i = n % ITEMS, at = host[i], before = flat ? 1000 + i : i ? 999 + i : 0;
        bool within = at >= 0 && at < ITEMS;
        const seen &s = seen_of[n];
        EXPECT(s.before == before, "item %d: %d at its place or before it", n, s.before);
        EXPECT(s.far == 0, "item %d: %d far behind", n, s.far);
        EXPECT(s.wild == (within ? 1000 + at : 0), "item %d: %d at %d", n, s.wild, at);
        EXPECT(s.after_store == (within ? 5000 + i : 0), "item %d: %d at %d after a store", n, s.after_store, at);
        EXPECT(s.old == (within ? 5000 + i : 0), "item %d: an atomic returned %d at %d", n, s.old, at);
        EXPECT(s.back == (within ? 5023 + i : 0), "item %d: %d at %d after an atomic", n, s.back, at);
    }
}

static void check_some(int skip, int first, int holes) {
    for (int i = 0; i < ITEMS; i++)
        host[i] = i - skip;
    HIP(hipMemcpy(indices, host, sizeof host, hipMemcpyHostToDevice));
    touch_some<<<GROUPS, ITEMS>>>(indices, first, holes, (int *)out);
    HIP_FINISH();
    HIP(hipMemcpy(some, out, sizeof some, hipMemcpyDeviceToHost));
    for (int n = 0; n < GROUPS * ITEMS; n++) {
        int i = n % ITEMS, at = i - skip, from = i + skip; // `from`: the item whose place this is
        bool active = i >= first && !(i & holes), written = from >= first && from < ITEMS && !(from & holes);
        int got = !active ? -1 : at < 0 ? 0 : 1000 + at, left = written ? 5000 + from : 1000 + i;
        EXPECT(some[2 * n] == got, "skip %d, first %d, holes %d: item %d got %d", skip, first, holes, n, some[2 * n]);
        EXPECT(some[2 * n + 1] == left, "skip %d, first %d, holes %d: %d in place %d", skip, first, holes, some[2 * n + 1], n);
    }
}

int main() {
    check_name = "lds_range";
    for (int i = 0; i < ITEMS; i++) // a permutation within; every third is far
        host[i] = i % 3 ? i ^ 5 : i % 2 ? FAR + 1024 * i : -1 - i;
    for (int i = 0; i < ITEMS; i++)
        if (i % 3 && (i ^ 5) % 3 == 0)
            host[i] = i;
    host[ITEMS] = -1;
    host[ITEMS + 1] = FAR;
    HIP(hipMalloc((void **)&indices, sizeof host));
    HIP(hipMalloc((void **)&out, sizeof seen_of));
    check(false);
    for (int i = 0; i < ITEMS; i++)
        if (host[i] < 0) // of a flat address that would be another aperture
            host[i] = FAR + 1024 * i;
    host[ITEMS] = 1;
    check(true);
    for (int first = 0; first < 24; first += 5)
        for (int skip = 0; skip < 24; skip += 5) {
            check_some(skip, first, 0);
            check_some(skip, first, 2);
        }
    return finish();
}
