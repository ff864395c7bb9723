// Loops whose lanes leave one after the other, and groups of lanes that share what they work on: each number of active lanes, in each place
// of 16, gathers what it would have gathered alone. Compared with the same sums on the host.
#include "check.h"

#include <vector>

enum { ITEMS = 256, SOURCE = 512, MOST = 24, ROWS = 64, EACH = 8, NOBODY = 99999 };

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

/* Eight items for a row, of which some store, all to one place: the last one's value stays, on a GPU anyone's. */
__global__ void rows(const unsigned *takes_part, const unsigned *places, unsigned *shared, unsigned *chosen) {
    unsigned item = blockIdx.x * blockDim.x + threadIdx.x, row = item / EACH, place = places[row];
    if (takes_part[item]) {
        shared[row] = item;
        chosen[place] = item + 1000;
    }
}

#ifdef __HIP_DEVICE_COMPILE__
#define STAYS(x) asm volatile("" : "+v"(x)) /* computed here, under this condition */
#else
#define STAYS(x) (void)(x)
#endif

/* Eight items sum a row. Those that take no part have computed no place to begin. */
__global__ void row_sums(const unsigned *takes_part, const unsigned *begins, const unsigned *indices, const int *from, int *out) {
    unsigned item = blockIdx.x * blockDim.x + threadIdx.x, row = item / EACH;
    int all = 0;
    if (takes_part[item]) {
        unsigned i = begins[row] + item % EACH, end = begins[row + 1];
        STAYS(i);
        for (; i < end; i += EACH)
            all = 3 * all + from[indices[i]];
    }
    out[item] = all;
}

/* Items go on in steps of their own. */
__global__ void row_steps(const unsigned *begins, const unsigned *indices, const int *from, int *out) {
    unsigned item = blockIdx.x * blockDim.x + threadIdx.x, row = item / EACH, i = begins[row] + item % EACH, end = begins[row + 1];
    int all = 0;
    while (i < end) {
        unsigned index = indices[i];
        if (index % 3 == 0) {
            i += EACH;
            STAYS(i);
            all += 7;
        } else {
            all = 3 * all + from[index];
        }
        i += EACH;
    }
    out[item] = all;
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
    hipDeviceProp_t properties;
    HIP(hipGetDeviceProperties(&properties, 0));
    const bool ordered = properties.isLargeBar;
    for (unsigned few = 1; few <= EACH; few++) {
        for (unsigned i = 0; i < ROWS * EACH; i++)
            takes_part[i] = below(EACH) < few;
        for (unsigned i = 0; i < ROWS; i++)
            shared[i] = chosen[i] = NOBODY;
        unsigned *shared_there = to_device(shared), *chosen_there = to_device(chosen);
        rows<<<ROWS * EACH / 256, 256>>>(to_device(takes_part), places_there, shared_there, chosen_there);
        HIP_FINISH();
        from_device(shared, shared_there);
        from_device(chosen, chosen_there);
        for (unsigned row = 0; row < ROWS; row++) {
            unsigned last = NOBODY;
            for (unsigned item = row * EACH; item < (row + 1) * EACH; item++)
                if (takes_part[item])
                    last = item;
            auto may_stay = [&](unsigned item) { return item == last || (!ordered && item / EACH == row && takes_part[item]); };
            EXPECT(may_stay(shared[row]), "row %u, %u of 8: %u, not %u", row, few, shared[row], last);
            unsigned who = chosen[places[row]];
            EXPECT(may_stay(who == NOBODY ? who : who - 1000), "row %u, %u of 8, chosen: %u, not %u", row, few, who, last + 1000);
        }
    }
}

static void check_row_sums() {
    enum { ALL = ROWS * EACH };
    std::vector<unsigned> begins(ROWS + 1), indices, takes_part(ALL);
    std::vector<int> source(SOURCE), out(2 * ALL);
    for (unsigned i = 0; i < ROWS; i++)
        begins[i + 1] = begins[i] + (below(3) ? below(MOST) : below(8 * MOST));
    for (unsigned i = 0; i < begins[ROWS]; i++)
        indices.push_back(below(SOURCE));
    for (int i = 0; i < SOURCE; i++)
        source[i] = (int)below(1000) - 500;
    for (unsigned i = 0; i < ALL; i++)
        takes_part[i] = below(4) != 0;
    const unsigned *lengths = to_device(begins), *places = to_device(indices);
    const int *there = to_device(source);
    int *results = to_device(out);
    row_sums<<<ALL / 256, 256>>>(to_device(takes_part), lengths, places, there, results);
    row_steps<<<ALL / 256, 256>>>(lengths, places, there, results + ALL);
    HIP_FINISH();
    from_device(out, results);
    for (unsigned item = 0; item < ALL; item++) {
        int all[2] = {0, 0};
        for (unsigned i = begins[item / EACH] + item % EACH; takes_part[item] && i < begins[item / EACH + 1]; i += EACH)
            all[0] = (int)(3u * (unsigned)all[0] + (unsigned)source[indices[i]]);
        for (unsigned i = begins[item / EACH] + item % EACH; i < begins[item / EACH + 1];) {
            bool skips = indices[i] % 3 == 0;
            all[1] = skips ? (int)((unsigned)all[1] + 7) : (int)(3u * (unsigned)all[1] + (unsigned)source[indices[i]]);
            i += skips ? 2 * EACH : EACH;
        }
        EXPECT(out[item] == all[0], "row sums: item %u has %d, not %d", item, out[item], all[0]);
        EXPECT(out[ALL + item] == all[1], "row steps: item %u has %d, not %d", item, out[ALL + item], all[1]);
    }
}

int main() {
    check_name = "leaving";
    check_sums();
    check_row_sums();
    check_rows();
    return finish();
}
