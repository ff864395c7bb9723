// Loops whose lanes leave one after the other, and groups of lanes that share what they work on: each number of active lanes, in each place
// of 16, gathers what it would have gathered alone. Compared with the same sums on the host.
#include "check.h"

#include <vector>

enum { ITEMS = 256, SOURCE = 512, MOST = 24, ROWS = 64, EACH = 8 };

/* Unsigned indices on both sides of 2^31, of which the pointer makes places in an array. */
static const unsigned MIDDLE = 1u << 31;

__global__ void sum(const unsigned *begins, const unsigned *indices, const int *from, long *out) {
    unsigned item = blockIdx.x * blockDim.x + threadIdx.x, end = begins[item + 1];
    long all = 0;
    for (unsigned i = begins[item]; i < end; i++)
        all = 3 * all + from[indices[i]];
    out[item] = all;
}

__global__ void sum_signed(const unsigned *begins, const int *indices, const int *from, long *out) {
    unsigned item = blockIdx.x * blockDim.x + threadIdx.x, end = begins[item + 1];
    long all = 0;
    for (unsigned i = begins[item]; i < end; i++)
        all = 3 * all + from[indices[i]];
    out[item] = all;
}

/* Eight items for a row, of which some store, all to one place: the last one's value stays. */
__global__ void rows(const unsigned *takes_part, const unsigned *places, unsigned *shared, unsigned *chosen) {
    unsigned item = blockIdx.x * blockDim.x + threadIdx.x, row = item / EACH, place = places[row];
    if (takes_part[item]) {
        shared[row] = item;
        chosen[place] = item + 1000;
    }
}

template <class T> static T *to_device(const std::vector<T> &host) {
    T *there;
    HIP(hipMalloc((void **)&there, host.size() * sizeof(T)));
    HIP(hipMemcpy(there, host.data(), host.size() * sizeof(T), hipMemcpyHostToDevice));
    return there;
}

template <class T> static void from_device(std::vector<T> &host, const T *there) {
    HIP(hipMemcpy(host.data(), there, host.size() * sizeof(T), hipMemcpyDeviceToHost));
}

static unsigned state = 1;
static unsigned below(unsigned limit) {
    state = state * 1664525u + 1013904223u;
    return (unsigned)((unsigned long long)(state >> 8) * limit >> 24);
}

static void check_sums() {
    std::vector<unsigned> begins(ITEMS + 1), high;
    std::vector<int> source(SOURCE), near;
    for (int i = 0; i < ITEMS; i++)
        begins[i + 1] = begins[i] + (below(3) ? below(MOST / 3) : below(MOST));
    for (int i = 0; i < SOURCE; i++)
        source[i] = (int)below(1000) - 500;
    for (unsigned i = 0; i < begins[ITEMS]; i++) {
        high.push_back(MIDDLE - SOURCE / 2 + below(SOURCE));
        near.push_back((int)below(SOURCE) - SOURCE / 2);
    }
    std::vector<long> out(2 * ITEMS);
    const unsigned *lengths = to_device(begins);
    const int *there = to_device(source);
    long *results = to_device(out);
    const int *base = (const int *)((unsigned long long)there - 4ull * (MIDDLE - SOURCE / 2)), *centre = there + SOURCE / 2;
    sum<<<ITEMS / 64, 64>>>(lengths, to_device(high), base, results);
    sum_signed<<<ITEMS / 64, 64>>>(lengths, to_device(near), centre, results + ITEMS);
    HIP_FINISH();
    from_device(out, results);
    for (int i = 0; i < ITEMS; i++) {
        long all[2] = {0, 0};
        for (unsigned n = begins[i]; n < begins[i + 1]; n++) {
            all[0] = 3 * all[0] + source[high[n] - (MIDDLE - SOURCE / 2)];
            all[1] = 3 * all[1] + source[near[n] + SOURCE / 2];
        }
        EXPECT(out[i] == all[0], "unsigned: item %d has %ld, not %ld", i, out[i], all[0]);
        EXPECT(out[ITEMS + i] == all[1], "signed: item %d has %ld, not %ld", i, out[ITEMS + i], all[1]);
    }
}

static void check_rows() {
    std::vector<unsigned> takes_part(ROWS * EACH), places(ROWS), shared(ROWS), chosen(ROWS);
    for (unsigned i = 0; i < ROWS; i++)
        places[i] = (i * 29 + 5) % ROWS;
    unsigned *places_there = to_device(places);
    for (unsigned few = 1; few <= EACH; few++) {
        for (unsigned i = 0; i < ROWS * EACH; i++)
            takes_part[i] = below(EACH) < few;
        for (unsigned i = 0; i < ROWS; i++)
            shared[i] = chosen[i] = 77;
        unsigned *shared_there = to_device(shared), *chosen_there = to_device(chosen);
        rows<<<ROWS * EACH / 256, 256>>>(to_device(takes_part), places_there, shared_there, chosen_there);
        HIP_FINISH();
        from_device(shared, shared_there);
        from_device(chosen, chosen_there);
        for (unsigned row = 0; row < ROWS; row++) {
            unsigned last = 77, lane;
            for (lane = 0; lane < EACH; lane++)
                if (takes_part[row * EACH + lane])
                    last = row * EACH + lane;
            EXPECT(shared[row] == last, "row %u, %u of 8: %u, not %u", row, few, shared[row], last);
            EXPECT(chosen[places[row]] == (last == 77 ? 77 : last + 1000), "row %u, %u of 8, chosen: %u, not %u", row, few,
                   chosen[places[row]], last);
        }
    }
}

int main() {
    check_name = "leaving";
    check_sums();
    check_rows();
    return finish();
}
